"""Events: everything that the house has decided, as it stands in the journal."""
