"""The benchmark: Croupier measured beside its rivals on the same machine."""
