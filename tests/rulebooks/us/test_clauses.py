"""The US double-zero table, clause by clause: the numbers that each clause of its rules comes to."""

from fractions import Fraction

import pytest

from croupier.rules.geometry import SpotKind
from croupier.rules.pricing import spot_edge, stacks
from croupier.rules.procedure import CloseRule, Effect, MessageKind, Spin, assess_spin
from croupier.rules.refusal import Code
from tests.conftest import venue
from tests.support.rules_driver import RulesDriver

VENUE = "us-double-zero"
RULES = RulesDriver(VENUE)
row, placed, settled, refused = RULES.row, RULES.placed, RULES.settled, RULES.refused
EDGE = Fraction(1, 19)  # 38 pockets, paid as if 36
FIVE_EDGE = Fraction(3, 38)  # 38 pockets, five of them paid as if there were 35


@pytest.mark.clause("us-double-zero", "Placement 4")
def test_wager_settles_by_its_position() -> None:
    """A chip on the line of 17 and 20 pays 17 to one on either and nothing on a number beside them."""
    assert [settled("1 on 17/20", pocket).net for pocket in ("17", "20", "14", "23")] == [17_00, 17_00, -1_00, -1_00]


@pytest.mark.parametrize(
    ("slip", "code"),
    [
        ("0.50 on 17", Code.STAKE_UNDER_MINIMUM),
        ("0.99 on red", Code.STAKE_UNDER_MINIMUM),
        ("4.01 on red", Code.STAKE_OVER_MAXIMUM),
        ("4 on 17; 1 on 17", Code.STAKE_OVER_MAXIMUM),
        ("4 on 17; 4 on 20; 5 on 23", Code.STAKE_OVER_MAXIMUM),
    ],
)
@pytest.mark.clause("us-double-zero", "Placement 5")
def test_wager_outside_one_to_four_dollars(slip: str, code: Code) -> None:
    """A wager under $1 or over $4 on a spot is refused, however it got there."""
    assert refused(slip) == (code, "Placement 5")


@pytest.mark.parametrize(
    ("slip", "total"),
    [
        ("1 on 17", 1_00),
        ("4 on 17", 4_00),
        ("0.50 on 17; 0.50 on 17", 1_00),
        ("; ".join(f"4 on {number}" for number in range(1, 11)), 40_00),
    ],
)
@pytest.mark.clause("us-double-zero", "Placement 5")
def test_wager_of_one_to_four_dollars(slip: str, total: int) -> None:
    """A wager of $1 to $4 is taken, and so it is on each of ten spots: there is no limit on the total."""
    assert sum(bet.stake for bet in placed(slip)) == total


@pytest.mark.parametrize(
    ("kind", "count"),
    [
        row("Types 1", SpotKind("straight"), 38),
        row("Types 2", SpotKind("split"), 62),
        row("Types 3", SpotKind("street"), 15),
        row("Types 4", SpotKind("corner"), 22),
        row("Types 5", SpotKind("five"), 1),
        row("Types 6", SpotKind("six_line"), 11),
        row("Types 7", SpotKind("column"), 3),
        row("Types 8", SpotKind("dozen"), 3),
    ],
)
def test_how_many_of_a_kind(kind: SpotKind, count: int) -> None:
    """The layout has exactly so many positions of the kind; of the 15 streets 12 are rows."""
    assert sum(spot.kind == kind for spot in venue(VENUE).spots.values()) == count


@pytest.mark.parametrize(
    ("taken", "not_taken", "clause"),
    [
        row("Types 2", "0/00 0/1 0/2 00/2 00/3", "0/3 00/1 3/4 10/12", "Types 2"),
        row("Types 3", "1/2/3 13/14/15 34/35/36", "2/3/4 1/4/7", "Types 3"),
        row("Types 3.i", "0/1/2 0/00/2 00/2/3", "0/2/3 00/1/2 0/00/1 0/00/3", "Types 3.i"),
        row("Types 4", "1/2/4/5 32/33/35/36", "0/00/2/3 0/1/2/3 0/00/1/2 1/2/3/4", "Types 4"),
        row("Types 5", "0/00/1/2/3", "1/2/3/4/5 0/1/2/3/4", "Types 5"),
        row("Types 6", "1/2/3/4/5/6 31/32/33/34/35/36", "2/3/4/5/6/7 0/00/1/2/3/4", "Types 6"),
    ],
)
def test_numbers_that_meet_and_numbers_that_do_not(taken: str, not_taken: str, clause: str) -> None:
    """Numbers that lie together are taken; others are refused under the clause that places the kind."""
    RULES.check_adjacency(taken, not_taken, clause)


# Quarters of a number's cell: along from the head of row 1, across from the outside line beside the Dozens.
@pytest.mark.parametrize(
    ("spot", "along", "across"),
    [
        row("Types 1", "17", 22, 6),
        row("Types 2", "0/00", -2, 6),
        row("Types 2", "0/1", 0, 2),
        row("Types 3", "13/14/15", 18, 0),
        row("Types 3.ii", "0/1/2", 0, 4),
        row("Types 3.ii", "0/00/2", 0, 6),
        row("Types 3.ii", "00/2/3", 0, 8),
        row("Types 4", "32/33/35/36", 44, 8),
        row("Types 5", "0/00/1/2/3", 0, 0),
        row("Types 6", "1/2/3/4/5/6", 4, 0),
    ],
)
def test_where_a_chip_is_placed(spot: str, along: int, across: int) -> None:
    """A chip goes in its box, on the line or common corner of its boxes, or on the outside line: nowhere else."""
    at = [
        found.key
        for found in venue(VENUE).spots.values()
        if (found.anchor.along, found.anchor.across) == (along, across)
    ]
    assert at == [spot]


@pytest.mark.clause("us-double-zero", "Types 2")
def test_courtesy_line_is_the_split_of_the_zeros() -> None:
    """What lies on the courtesy line and on the line of 0 and 00 is one wager, with one maximum."""
    slip = "2 on courtesy-line; 2 on 0/00"
    assert {spot.key: stake for spot, stake in stacks(placed(slip)).items()} == {"0/00": 4_00}
    assert [settled(slip, pocket).net for pocket in ("0", "00", "2")] == [68_00, 68_00, -4_00]
    assert refused(f"{slip}; 1 on courtesy-line") == (Code.STAKE_OVER_MAXIMUM, "Placement 5")


@pytest.mark.clause("us-double-zero", "Types 2")
def test_courtesy_line_lies_between_the_dozens() -> None:
    """The courtesy line runs between the boxes "2nd 12" and "3rd 12", where row 8 ends and row 9 begins."""
    (alias,) = venue(VENUE).aliases
    first, last = alias.area.along
    assert (first + last, alias.spot) == (2 * 32, "0/00")
    assert max(alias.area.across) <= 0


@pytest.mark.parametrize(
    ("slip", "wins_on", "loses_on", "winnings"),
    [
        row("Types 1", "4 on 00", "00", "0", 140_00),
        row("Types 3", "1 on 13/14/15", "13 14 15", "12 16", 11_00),
        row("Types 3.i", "1 on 0/00/2", "00 0 2", "1 3", 11_00),
        row("Types 4", "1 on 32/33/35/36", "36 32", "34", 8_00),
        row("Types 5", "1 on 0/00/1/2/3", "00 0 1 2 3", "4", 6_00),
        row("Types 6", "1 on 1/2/3/4/5/6", "5", "7 0 00", 5_00),
        row("Types 7", "1 on column 3", "36 3", "0 00 35", 2_00),
        row("Types 8", "1 on dozen 2", "13 24", "00 0 12 25", 2_00),
        row("Types 9", "1 on red", "7 36", "0 00 17", 1_00),
        row("Types 10", "1 on black", "17 2", "00 0 7", 1_00),
        row("Types 11", "1 on odd", "35 1", "0 00 36", 1_00),
        row("Types 12", "1 on even", "2 36", "0 00 1", 1_00),
        row("Types 13", "1 on low", "18 1", "19 0 00", 1_00),
        row("Types 14", "1 on high", "19 36", "18 0 00", 1_00),
    ],
)
def test_type_of_wager(slip: str, wins_on: str, loses_on: str, winnings: int) -> None:
    """A wager wins on its own numbers and loses on the others, the zeros among them unless it holds them."""
    assert {settled(slip, pocket).net for pocket in wins_on.split()} == {winnings}
    assert {settled(slip, pocket).returned for pocket in loses_on.split()} == {0}


@pytest.mark.parametrize(
    ("slip", "pocket", "winnings", "edge"),
    [
        row("Pay Table Straight", "4 on 17", "17", 140_00, EDGE),
        row("Pay Table Split", "4 on 0/00", "0", 68_00, EDGE),
        row("Pay Table Three Numbers", "4 on 00/2/3", "3", 44_00, EDGE),
        row("Pay Table Four Numbers", "4 on 1/2/4/5", "5", 32_00, EDGE),
        row("Pay Table First Five Numbers", "4 on 0/00/1/2/3", "1", 24_00, FIVE_EDGE),
        row("Pay Table Six Numbers", "4 on 31/32/33/34/35/36", "31", 20_00, EDGE),
        row("Pay Table Column", "4 on column 1", "34", 8_00, EDGE),
        row("Pay Table Dozen", "4 on dozen 1", "12", 8_00, EDGE),
        row("Pay Table Red", "4 on red", "36", 4_00, EDGE),
        row("Pay Table Black", "4 on black", "35", 4_00, EDGE),
        row("Pay Table Odd", "4 on odd", "1", 4_00, EDGE),
        row("Pay Table Even", "4 on even", "36", 4_00, EDGE),
        row("Pay Table 1 to 18", "4 on low", "1", 4_00, EDGE),
        row("Pay Table 19 to 36", "4 on high", "36", 4_00, EDGE),
    ],
)
def test_pay_table_line(slip: str, pocket: str, winnings: int, edge: Fraction) -> None:
    """The most that may be wagered, $4, wins what the line pays and stays the player's, at the line's exact edge."""
    settlement = settled(slip, pocket)
    assert (settlement.net, settlement.returned) == (winnings, winnings + 4_00)
    (bet,) = placed(slip)
    assert spot_edge(bet.spot, venue(VENUE).paytable, venue(VENUE).wheel) == edge


@pytest.mark.parametrize(
    ("spin", "clause"),
    [
        row("Irregularities (1)", Spin(opposite=False, revolutions=4), "Irregularities (1)"),
        row("Irregularities (2)", Spin(opposite=True, revolutions=3), "Irregularities (2)"),
        row("Irregularities (2)", Spin(opposite=True, revolutions=0), "Irregularities (2)"),
        row("Irregularities (3)", Spin(opposite=True, revolutions=4, clear_of_objects=False), "Irregularities (3)"),
        row("Rotation (3)", Spin(opposite=True, revolutions=4, ball_seated=False), "Rotation (3)"),
        row("Rotation (3)", Spin(opposite=True, revolutions=4, ball_in_wheel=False), "Rotation (3)"),
    ],
)
def test_no_spin(spin: Spin, clause: str) -> None:
    """A spin with one thing wrong is no spin: the chips stay their owners' and the ball is spun again."""
    found = assess_spin(spin, venue(VENUE).irregularities, revolutions_least=4)
    assert found is not None
    assert (found.clause, found.effect) == (clause, Effect.KEEP_AND_RESPIN)


@pytest.mark.clause("us-double-zero", "Rotation (1)")
def test_four_revolutions_make_a_spin() -> None:
    """A ball spun against the wheel for four revolutions is a valid spin."""
    figure = venue(VENUE).procedure.revolutions
    assert figure is not None
    assert (figure.value, figure.clause) == (4, "Rotation (1)")
    spin = Spin(opposite=True, revolutions=4)
    assert assess_spin(spin, venue(VENUE).irregularities, revolutions_least=figure.value) is None


@pytest.mark.clause("us-double-zero", "Rotation (2)")
def test_close_comes_while_the_ball_rotates() -> None:
    """Betting closes while the ball is in the track, never before, with "No More Bets"."""
    assert venue(VENUE).procedure.closes.choice is CloseRule.DURING_SPIN
    assert set(venue(VENUE).messages[MessageKind.CLOSED].texts) == {"No More Bets", "NO MORE BETS"}
