"""The Python interface: a rulebook opened, a slip settled, and no as an answer."""

import pytest

from croupier import Refusal, Settlement, rulebook, settle


def test_slip_is_settled_in_three_lines() -> None:
    """A slip given as text is settled on a pocket given as text, in cents."""
    settlement = settle(rulebook("clearwater-etg"), "5 on 17; 1 on red-splits", result="12")

    assert isinstance(settlement, Settlement)
    assert (settlement.staked, settlement.returned, settlement.net) == (900, 1800, 900)


@pytest.mark.parametrize(("slip", "result"), [("5 on 17/19", "12"), ("5 on", "12"), ("5 on 17", "37")])
def test_what_cannot_be_settled_is_refused(slip: str, result: str) -> None:
    """A slip or a result that cannot be is answered with a refusal."""
    assert isinstance(settle(rulebook("clearwater-etg"), slip, result=result), Refusal)


def test_unknown_rulebook_is_an_error() -> None:
    """Opening a rulebook that is not there raises LookupError and names those that are."""
    with pytest.raises(LookupError, match="marina-bay-sands-2020"):
        rulebook("atlantis")
