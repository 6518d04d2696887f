"""Commands: everything that may be asked of the house."""
