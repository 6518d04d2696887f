"""Croupier: electronic roulette, four venues' rules as executable data."""
