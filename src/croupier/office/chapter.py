"""Chapters of the ledger: what it writes down beside the house, each about one thing."""

from croupier.house.state import House
from croupier.journal.entry import Entry


class Chapter:
    """Looks at the house before and after each entry is carried out; chips that are moved it is not shown."""

    def before(self, house: House, entry: Entry) -> None:
        """Note what an entry is about to change, where it cannot be told afterwards."""

    def after(self, house: House, entry: Entry) -> None:
        """Note what an entry has changed."""
