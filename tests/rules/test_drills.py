"""Drills: from a seed, for every level of a rulebook, with the answer of the payout."""

from collections import Counter

import pytest

from croupier.rules.drills import SEED_MAX, VALUES, Level, Question, levels_of, make_drill
from croupier.rules.rulebook import PayoutTable
from tests.conftest import DOCUMENTS, OUTSIDE, venue

ADELAIDE, US = "skycity-adelaide-2003", "us-double-zero"
DRILLED = [(book, level) for book in DOCUMENTS for level in levels_of(venue(book))]


def test_levels_follow_from_the_rulebook() -> None:
    """Adelaide has every level, the US table all but marker bets, and a venue without chips none."""
    assert levels_of(venue(ADELAIDE)) == tuple(Level)
    assert set(Level) - set(levels_of(venue(US))) == {Level.NEIGHBOURS}
    assert levels_of(venue("clearwater-etg")) == ()


@pytest.mark.parametrize(("book", "level"), DRILLED)
def test_drill_is_what_its_seed_says(book: str, level: Level) -> None:
    """A seed gives one drill, again and again; other seeds give others."""
    felt = PayoutTable(venue(book))
    drills = [make_drill(felt, level, seed) for seed in (0, 1, 2, 3, SEED_MAX)]
    assert drills == [make_drill(felt, level, seed) for seed in (0, 1, 2, 3, SEED_MAX)]
    assert len({str(drill.pieces) for drill in drills}) > 1


@pytest.mark.parametrize(("book", "level"), DRILLED)
def test_answer_is_pieces_times_odds(book: str, level: Level) -> None:
    """Over 40 seeds every bet wins, and the answer is the sum of pieces by odds, with a fifth of each marker bet."""
    felt = PayoutTable(venue(book))
    for seed in range(40):
        drill = make_drill(felt, level, seed)
        due = 0
        for spot, count in drill.pieces.items():
            block = felt.blocks.get(spot)
            covers = felt.spots[spot].covers if block is None else block.numbers
            assert drill.pocket in covers
            assert spot not in OUTSIDE
            due += count * (felt.gross[spot] - 1) if block is None else count // 5 * 35
        expected = {
            Question.PIECES: (due,),
            Question.STACKS: divmod(due, 20),
            Question.AMOUNT: (due * drill.value,),
        }
        assert drill.answer == expected[drill.question]
        assert drill.payment.due == due * drill.value


@pytest.mark.parametrize(("book", "level"), DRILLED)
def test_drills_stay_within_the_document(book: str, level: Level) -> None:
    """No stake of a drill is above what the document allows, and values and sizes vary where it allows that."""
    rulebook = venue(book)
    felt = PayoutTable(rulebook)
    drills = [make_drill(felt, level, seed) for seed in range(60)]
    most = None if rulebook.limits is None else rulebook.limits.spot.most
    assert most is None or all(max(drill.pieces.values()) * drill.value <= most for drill in drills)
    assert {drill.value for drill in drills} == ({VALUES[0]} if most else set(VALUES))
    sizes = Counter(len(drill.pieces) for drill in drills)
    assert sizes.keys() == {Level.SINGLES: {1}, Level.NEIGHBOURS: {3, 4, 5}}.get(level, {3, 4, 5, 6})
