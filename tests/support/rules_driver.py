"""Driver of the pure rules of one venue: it reads slips, settles bets and expands call bets."""

import pytest

from croupier.rules.geometry import Pocket
from croupier.rules.notation import expand_call, read_slip
from croupier.rules.pricing import Bet, Settlement, settle_bets
from croupier.rules.refusal import Code, Refusal
from croupier.rules.rulebook import Expansion
from tests.conftest import venue

#: The pieces of the call bets of Marina Bay Sands, appendices B to E.
BIG_SERIES = "00 0/2/3 0/2/3 4/7 12/15 18/21 19/22 25/26/28/29 25/26/28/29 32/35"
SMALL_SERIES = "5/8 10/11 13/16 23/24 27/30 33/36"
ORPHANS = "1 6/9 14/17 17/20 31/34"
ZERO_SPIEL = "00 0/3 12/15 26 32/35"


class RulesDriver:
    """The rules of one venue; each method asserts the result that its name states."""

    def __init__(self, rulebook_id: str) -> None:
        self._book = venue(rulebook_id)

    def row(self, clause: str, *values: object) -> object:
        """Return one row of a table of cases, marked with its clause."""
        return pytest.param(*values, marks=pytest.mark.clause(self._book.id, clause))

    def placed(self, slip: str, profile: str | None = None) -> tuple[Bet, ...]:
        bets = read_slip(self._book, slip, profile)
        assert not isinstance(bets, Refusal)
        return bets

    def check_adjacency(self, placed: str, refused: str, clause: str) -> None:
        """Assert that each of some spots is on the layout, and that each of others is refused under a clause."""
        assert [self.placed(f"1 on {spot}")[0].spot.key for spot in placed.split()] == placed.split()
        assert {self.refused(f"1 on {spot}") for spot in refused.split()} == {(Code.SPOT_NOT_ON_LAYOUT, clause)}

    def settled(self, slip: str, pocket: str) -> Settlement:
        return settle_bets(self.placed(slip), self._book.paytable, Pocket(pocket))

    def refused(self, slip: str, profile: str | None = None) -> tuple[Code, str | None]:
        refusal = read_slip(self._book, slip, profile)
        assert isinstance(refusal, Refusal)
        return refusal.code, refusal.clause

    def called(self, call: str, profile: str | None = None) -> Expansion:
        expansion = expand_call(self._book, call, profile)
        assert isinstance(expansion, Expansion)
        return expansion
