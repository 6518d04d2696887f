"""The journal: an append-only log of events, hash-chained and signed."""
