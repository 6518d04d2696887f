"""Clearwater, clause by clause."""
