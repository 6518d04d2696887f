"""Theory: what tables win is held against exact odds over the very bets that were settled."""

from fractions import Fraction
from itertools import product

import pytest

from croupier.house.floor.settings import ChangeSettings
from croupier.house.floor.signatures import Approve
from croupier.house.ids import Number, RoundNumber
from croupier.house.rounds.corrections import CorrectResult, InvalidateOutcome
from croupier.house.rounds.theory import TheoreticalWin, theory
from croupier.house.settings import TableSettings
from croupier.rules.geometry import Pocket, SpotKey, SpotKind
from croupier.rules.procedure import Reason
from croupier.server.views.floor import exposure, table_terms, table_win
from tests.support.house_driver import TABLE, Play, limits
from tests.support.sample_commands import ADELAIDE, CLEARWATER, ORDER, US


def outcomes(floor: Play, slips: tuple[dict[str, str], ...]) -> list[int]:
    """What the house wins over some rounds, for every way in which the balls may fall."""
    pockets = floor.rulebook.pockets
    rounds = [[_won(floor, slip, pocket) for pocket in pockets] for slip in slips]
    return [sum(each) for each in product(*rounds)]


def _won(floor: Play, slip: dict[str, str], pocket: Pocket) -> int:
    bets = [line.split(" on ") for each in slip.values() for line in each.split("; ")]
    felt, stakes = floor.table.payouts, [(SpotKey(spot), int(amount) * 100) for amount, spot in bets]
    return sum(stake - felt.returned({spot: stake}, pocket) for spot, stake in stakes)


@pytest.mark.parametrize("rulebook_id", ORDER)
def test_mean_and_variance_are_those_of_every_way_the_balls_may_fall(rulebook_id: str) -> None:
    """The expected win and its band are exactly those of all outcomes of the rounds that were played."""
    floor = Play(rulebook_id)
    floor.seats(T1=900, T2=900)
    slips = ({"T1": "3 on 17; 4 on red", "T2": "2 on dozen 1"}, {"T1": "3 on 17/20", "T2": "4 on red"})
    assert theory(floor.table) == TheoreticalWin(0, 0, 0, 0, 0)
    # Nothing wins, so that nothing stays up where winning stakes do.
    for pocket, slip in zip(("29", "4"), slips, strict=True):
        floor.round(pocket, **slip)

    every = outcomes(floor, slips)
    mean = Fraction(sum(every), len(every))
    variance = Fraction(sum(each * each for each in every), len(every)) - mean**2
    found = theory(floor.table)
    assert found.expected == round(mean)
    assert (found.high - found.expected) ** 2 <= variance * Fraction(196, 100) ** 2
    assert (found.high - found.expected + 1) ** 2 > variance * Fraction(196, 100) ** 2
    assert found.expected - found.low == found.high - found.expected
    assert found.played == 1_600
    assert found.won == floor.table.meters.won


def test_stakes_that_are_not_settled_are_left_out() -> None:
    """What is sealed and not settled yet counts as staked on the meters, and neither as played nor as won."""
    floor = Play(ADELAIDE)
    floor.seats(T1=100)
    floor.round("4", T1="10 on red")
    floor.open()
    floor.bet("T1", "20 on red")
    assert theory(floor.table).played == 1_000
    floor.close()

    assert (floor.table.meters.turnover, floor.table.meters.won) == (3_000, 3_000)
    assert theory(floor.table)[:2] == (1_000, 1_000)
    reported = table_win(floor.table)
    assert (reported.turnover, reported.won, reported.played, reported.held) == (3_000, 3_000, 1_000, 1_000)


def test_outcome_that_was_taken_back_is_not_counted() -> None:
    """A round whose outcome is invalidated after payment leaves no mark; a corrected one counts as it was played."""
    floor = Play(ADELAIDE)
    floor.seats(T1=100)
    other = floor.enrol("Shift Manager", "another")
    floor.round("4", T1="10 on red")
    before = theory(floor.table)
    floor.round("4", T1="20 on red")
    both = theory(floor.table)
    floor.by("shift manager", CorrectResult(TABLE, RoundNumber(2), Pocket("1"), "Misread."))
    floor.by(other, Approve(Number(1)))
    assert theory(floor.table) == both._replace(won=both.won - 4_000)
    floor.by("shift manager", InvalidateOutcome(TABLE, RoundNumber(2), Reason.FIRE, "Fire."))
    floor.by(other, Approve(Number(2)))

    assert theory(floor.table) == before
    floor.check()


@pytest.mark.parametrize(
    ("rulebook_id", "slip", "most", "worst"),
    [
        (CLEARWATER, "10 on 17; 5 on 17/20", 45_000, ("17",)),
        (US, "4 on 0/00/1/2/3", 3_000, ("1", "3")),
        (ADELAIDE, "", 0, ()),
    ],
)
def test_exposure_is_what_lies_there_by_pocket(rulebook_id: str, slip: str, most: int, worst: tuple[str, ...]) -> None:
    """The exposure is reported for every pocket, over all seats, with the worst named."""
    floor = Play(rulebook_id)
    floor.seats(T1=100, T2=100)
    floor.open()
    if slip:
        assert isinstance(floor.bet("T1", slip), tuple)
        assert isinstance(floor.bet("T2", "1 on red"), tuple)
    reported = exposure(floor.house, floor.table)

    assert (reported.most, reported.worst) == (most, worst)
    assert reported.staked == sum(each.in_play for each in floor.house.terminals.values())
    assert reported.returns[Pocket("36")] == (200 if slip else 0)
    assert tuple(reported.returns) == floor.rulebook.pockets


def test_limits_from_the_next_round_stand_beside_those_in_force() -> None:
    """Limits changed during a round are shown as pending, and as in force once the next round opens."""
    floor = Play(ADELAIDE, TableSettings(limits=limits(1, 50)))
    other = floor.enrol("Shift Manager", "another")
    floor.round("4")
    assert table_terms(floor.house, TABLE).next is None
    floor.by("shift manager", ChangeSettings(TABLE, TableSettings(limits=limits(2, 100)), "A busy night."))
    floor.by(other, Approve(Number(1)))
    reported = table_terms(floor.house, TABLE)
    assert reported.next is not None
    assert (reported.now.limits.spot_most, reported.next.limits.spot_most) == (5_000, 10_000)
    assert reported.next.settings == TableSettings(limits=limits(2, 100))
    straight = next(each for each in reported.next.limits.kinds if each.kind == SpotKind("straight"))
    assert (straight.least, straight.most, straight.win) == (200, 10_000, 360_000)
    floor.open()

    after = table_terms(floor.house, TABLE)
    assert (after.now, after.next) == (reported.next, None)
