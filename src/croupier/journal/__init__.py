"""The journal: what the house has decided, in order, each entry bound to the one before it."""
