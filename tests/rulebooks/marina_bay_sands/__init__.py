"""Marina Bay Sands, clause by clause."""
