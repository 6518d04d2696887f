"""Authentication at the wire."""
