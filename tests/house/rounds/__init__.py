"""Rounds in the house: from the opening to the result, its corrections and recovery."""
