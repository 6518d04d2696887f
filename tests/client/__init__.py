"""The client and its bots."""
