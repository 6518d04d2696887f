"""Marker bets: one total under a Neighbours marker button, a fifth of it settled as a straight up on a hit."""

from dataclasses import dataclass

from croupier.rules.clause import ClauseId
from croupier.rules.money import Cents, amount_text
from croupier.rules.refusal import Code, Refusal

#: A number and two on either side: the total is divided by as many.
NUMBERS_UNDER_MARKER = 5


@dataclass(frozen=True, slots=True)
class MarkerTerms:
    """A table's terms for marker bets: how many on one number in a spin, and the unit the notice names, if it does."""

    clause: ClauseId
    #: The clause on how a marker bet is settled, by fifths.
    settled_by: ClauseId
    table_minimum: Cents
    notice_minimum: Cents | None = None
    per_number_most: int | None = None

    @property
    def least(self) -> Cents:
        """12(a): five times the table minimum, or the unit that the notice names instead."""
        return self.notice_minimum or Cents(NUMBERS_UNDER_MARKER * self.table_minimum)


def indivisible(total: Cents, clause: ClauseId) -> Refusal | None:
    """Refuse a total whose fifth is not a whole number of cents: it could not be paid exactly."""
    if total % NUMBERS_UNDER_MARKER == 0:
        return None
    says = f"A marker bet of {amount_text(total)} has no fifth in whole cents: bet a multiple of 0.05."
    return Refusal(Code.MARKER_TOTAL_INDIVISIBLE, clause, says, {"total": total, "multiple": NUMBERS_UNDER_MARKER})


def marker_objection(total: Cents, *, already_on_number: int, terms: MarkerTerms) -> Refusal | None:
    """Say what a table's terms have against one more marker bet on a number that carries some already this spin."""
    fifths = indivisible(total, terms.settled_by)
    if fifths is not None:
        return fifths
    if total < terms.least:
        says = f"A marker bet of {amount_text(total)} is under the minimum of {amount_text(terms.least)}."
        return Refusal(Code.MARKER_UNDER_MINIMUM, terms.clause, says, {"total": total, "minimum": terms.least})
    if terms.per_number_most is not None and already_on_number >= terms.per_number_most:
        says = f"This number already carries its {terms.per_number_most} marker bets for this spin."
        facts = {"placed": already_on_number, "maximum": terms.per_number_most}
        return Refusal(Code.MARKER_BETS_PER_NUMBER, terms.clause, says, facts)
    return None
