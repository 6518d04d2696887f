"""Rulebooks: the venues' rules as data, and the reader that proves a rulebook consistent."""
