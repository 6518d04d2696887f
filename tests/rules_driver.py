"""Driver of the pure rules of one venue: it reads slips, settles bets and expands call bets."""

import pytest

from croupier.rules.geometry import Pocket
from croupier.rules.notation import expand_call, read_slip
from croupier.rules.pricing import Bet, Settlement, settle_bets
from croupier.rules.refusal import Code, Refusal
from croupier.rules.rulebook import Expansion
from tests.conftest import venue


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
