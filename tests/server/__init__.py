"""The server over the wire: every kind of connection, and what each is told."""
