"""The assembly: the one place where the parts of a running house are chosen and joined, for venues and tests alike."""

from croupier.assembly.venue import NotOpenedError, Venue, open_venue

__all__ = ["NotOpenedError", "Venue", "open_venue"]
