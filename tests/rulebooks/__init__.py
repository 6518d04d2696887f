"""The rulebooks: how they are read and proven, and what each venue's clauses come to."""
