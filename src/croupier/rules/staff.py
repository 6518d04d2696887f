"""Staff: the titles a venue's rules name, and which of them each duty falls to."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from croupier.rules.clause import ClauseId, Ruling


class Duty(StrEnum):
    """What staff do, whatever a venue calls those who do it."""

    #: Opens and closes betting, spins, announces, enters a missing number, resets terminals, refers a doubt.
    DEAL = "deal"
    #: Watches over terminals: blocks and clears them, sees to printers and cases.
    INSPECT = "inspect"
    #: Mends a wrong number.
    CORRECT = "correct"
    #: Decides what is referred or disputed, and invalidates an outcome.
    DECIDE = "decide"
    #: Sets up tables, limits, rulebooks and staff.
    MANAGE = "manage"
    #: Pays slips, tickets and hand pays from a drawer.
    CASH = "cash"
    #: Adds and mends devices.
    MAINTAIN = "maintain"
    #: Reads everything and changes nothing.
    AUDIT = "audit"
    #: Hears of closings, and advises complainants.
    OFFICIATE = "officiate"
    #: Reviews the house's decision in a dispute.
    REVIEW = "review"


@dataclass(frozen=True, slots=True)
class Staff:
    """Titles as the rules name them, the lowest first, people outside that order, and whose duty is what."""

    order: tuple[str, ...]
    others: tuple[str, ...]
    clause: ClauseId
    #: The lowest title that a duty falls to; a duty that is missing falls to nobody at this venue.
    duties: Mapping[Duty, Ruling[str]]

    def may(self, title: str, *, for_title: str) -> bool:
        """Tell whether a title may act as another: it is the same, or stands above it in the order."""
        if title == for_title:
            return True
        if title in self.order and for_title in self.order:
            return self.order.index(title) > self.order.index(for_title)
        return False

    def titles_for(self, duty: Duty) -> tuple[str, ...]:
        """Name the titles that may do a duty, the lowest first; none where it falls to nobody here."""
        ruling = self.duties.get(duty)
        if ruling is None:
            return ()
        return tuple(title for title in (*self.order, *self.others) if self.may(title, for_title=ruling.does))
