"""The journal: its chain, its stores, its exports, and databases that fail."""
