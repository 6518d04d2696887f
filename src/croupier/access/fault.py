"""Faults of access: what kept the register from being read or written, or a secret from being hashed."""


class AccessFault(Exception):  # noqa: N818 - the house's word
    """Nobody can be told apart from anybody else now, so nobody is let in."""
