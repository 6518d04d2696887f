"""Rounds: `.round` files played against the house, and what they expect held against what happened."""
