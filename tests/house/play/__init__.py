"""Bets in the house, wherever they are placed."""
