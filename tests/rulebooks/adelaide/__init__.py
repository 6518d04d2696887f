"""SkyCity Adelaide, clause by clause."""
