"""The server: the pages that a browser loads (static)."""
