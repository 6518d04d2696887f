"""Faults of upkeep: what the world did to a backup, a restore or the control socket. None of them stops the house."""

from collections.abc import Iterator
from contextlib import contextmanager


class UpkeepFault(Exception):  # noqa: N818 - the house's word
    """What was to be done for upkeep cannot be done here."""


class Spoilt(UpkeepFault):
    """A backup is not what was made, or not the venue's."""


class Unreachable(UpkeepFault):
    """There can be no control socket where it should be."""


@contextmanager
def translated() -> Iterator[None]:
    """Say what the disk says in words of our own."""
    try:
        yield
    except OSError as error:
        raise UpkeepFault(f"{error.filename or 'the disk'} cannot be used: {error.strerror}") from error
