"""Bets against the close on the real sequencer, a million orders by night: the order in the journal decides."""

from collections import deque
from collections.abc import Callable
from random import Random

import pytest

from croupier.house.verification import ledger_problems
from tests.support.campaign import many
from tests.support.race import CLOSES, Race, script
from tests.support.sabotage import forget_keys, let_bets_through, notify_before_commit

VENUES = ("marina-bay-sands-2020", "skycity-adelaide-2003", "clearwater-etg", "us-double-zero")
#: How many orders are tried at one house before another is set up: its journal grows with every one.
AT_ONE_HOUSE = 500


@pytest.mark.campaign
@pytest.mark.clause("skycity-adelaide-2003", "7(h)iii")
@pytest.mark.clause("marina-bay-sands-2020", "5.12")
@pytest.mark.clause("clearwater-etg", "16.a")
@pytest.mark.clause("us-double-zero", "Irregularities (4)")
@pytest.mark.parametrize("rulebook_id", VENUES)
def test_no_order_of_bets_and_close_admits_a_late_bet_or_loses_one(rulebook_id: str) -> None:
    """In each order nothing is taken once betting has closed, and nothing that was acknowledged is missing."""
    rng = Random(rulebook_id)  # noqa: S311 - it must be the same every time
    tried, sealed, taken, crashes = set(), 0, 0, 0
    orders = many(day=4_000, night=1_000_000) // len(VENUES)
    for _ in range(orders // AT_ONE_HOUSE):
        race = Race(rulebook_id, rng)
        for _ in range(AT_ONE_HOUSE):
            order = script(rng, race.rulebook.procedure.closes.choice)
            edits, closed = race.play(order)
            tried.add(hash(order))
            sealed += closed
            taken += edits
        crashes += race.crashes
        assert list(ledger_problems(race.run_.house)) == []

    # They are different orders, and not idle ones: bets were taken and sealed, and the disk failed among them.
    assert len(tried) > orders * 0.9
    assert sealed > orders // 3
    assert taken > orders
    assert crashes > orders // 1_000


def test_every_way_to_close_is_raced() -> None:
    """There are scripts for every way in which a venue closes its bets."""
    assert {Race(rulebook_id, Random(0)).rulebook.procedure.closes.choice for rulebook_id in VENUES} == set(CLOSES)  # noqa: S311


@pytest.mark.parametrize("sabotage", [let_bets_through, notify_before_commit, forget_keys])
def test_race_finds_sabotage(sabotage: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch) -> None:
    """A close that is not kept, an answer that is not kept and a key that is forgotten are found within some orders."""
    sabotage(monkeypatch)
    rng = Random(1)  # noqa: S311 - it must be the same every time
    race = Race(VENUES[0], rng)
    orders = (script(rng, race.rulebook.procedure.closes.choice) for _ in range(2_000))

    with pytest.raises(AssertionError):
        deque(map(race.play, orders), maxlen=0)
