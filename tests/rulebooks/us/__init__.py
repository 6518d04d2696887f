"""The US double-zero table, clause by clause."""
