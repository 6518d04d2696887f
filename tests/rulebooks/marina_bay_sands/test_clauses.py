"""Marina Bay Sands, clause by clause: the numbers that each clause of its rules comes to."""

from dataclasses import replace
from datetime import date
from fractions import Fraction

import pytest

from croupier.rules.geometry import Pocket, SpotKind
from croupier.rules.money import Cents
from croupier.rules.notation import read_slip
from croupier.rules.pricing import Bet, exposure_of, pieces_edge, settle_bets, spot_edge
from croupier.rules.procedure import (
    ChannelName,
    CloseRule,
    Effect,
    MessageKind,
    Profile,
    Reason,
    ResultAuthority,
    Spin,
    assess_spin,
)
from croupier.rules.refusal import ClauseId, Code, Refusal
from croupier.rules.rulebook import Expansion
from tests.conftest import venue
from tests.support.rules_driver import BIG_SERIES, ORPHANS, SMALL_SERIES, ZERO_SPIEL, RulesDriver

VENUE = "marina-bay-sands-2020"
RULES = RulesDriver(VENUE)
row, placed, settled, refused, called = RULES.row, RULES.placed, RULES.settled, RULES.refused, RULES.called
RAPID_SELECT = "rapid-select-single-game"
EDGE = Fraction(1, 19)  # 38 pockets, paid as if 36


def stakes(expansion: Expansion) -> dict[str, int]:
    """Give what lies on each spot of a call."""
    return {bet.spot.key: bet.stake for bet in expansion.bets}


def units(spots: str) -> dict[str, int]:
    """Put one unit on each spot named, as often as it is named."""
    return {spot: 100 * spots.split().count(spot) for spot in spots.split()}


@pytest.mark.clause("marina-bay-sands-2020", "Header")
def test_version_and_day() -> None:
    """The rulebook is version 2 of the document, in force from 18 March 2020."""
    assert (venue(VENUE).version, venue(VENUE).effective) == ("2", date(2020, 3, 18))


@pytest.mark.clause("marina-bay-sands-2020", "1.1.2")
def test_a_terminal_offers_only_its_racetrack_bets() -> None:
    """A terminal set up for Tiers and Neighbours places Tiers as six pieces and refuses Orphans."""
    offered = {"tiers": "Tiers", "neighbours": "Neighbours"}
    small = Profile("small", "small", ChannelName.TERMINAL, ClauseId("1.1.2"), offered)
    rulebook = replace(venue(VENUE), profiles=(small,))
    tiers = read_slip(rulebook, "1 on tiers", "small")
    assert not isinstance(tiers, Refusal)
    assert [bet.stake for bet in tiers] == [100] * 6
    orphans = read_slip(rulebook, "1 on orphans", "small")
    assert isinstance(orphans, Refusal)
    assert (orphans.code, orphans.clause) == (Code.CALL_NOT_OFFERED, "1.1.2")


@pytest.mark.clause("marina-bay-sands-2020", "2.1")
def test_layout_has_159_positions() -> None:
    """The layout has 147 inside and 12 outside positions; a split of 00 and 2 is not one of them."""
    spots = venue(VENUE).spots.values()
    assert len([spot for spot in spots if len(spot.numbers) <= 6]) == 147
    assert len([spot for spot in spots if len(spot.numbers) >= 12]) == 12
    assert refused("1 on 00/2")[0] is Code.SPOT_NOT_ON_LAYOUT


@pytest.mark.parametrize(
    ("kind", "count"),
    [
        row("3.4.1", SpotKind("straight"), 38),
        row("3.4.2", SpotKind("split"), 61),
        row("3.4.3", SpotKind("corner"), 23),
        row("3.4.4", SpotKind("street"), 14),
        row("3.4.5", SpotKind("six_line"), 11),
        row("3.4.6", SpotKind("column"), 3),
        row("3.4.7", SpotKind("dozen"), 3),
    ],
)
def test_how_many_of_a_kind(kind: SpotKind, count: int) -> None:
    """The layout has exactly so many positions of the kind."""
    assert sum(spot.kind == kind for spot in venue(VENUE).spots.values()) == count


@pytest.mark.parametrize(
    ("taken", "not_taken", "clause"),
    [
        row("3.4.2", "0/00 0/1 0/2 0/3", "00/3 10/12 00/2 3/4 0/4", "3.4.2"),
        row("3.4.3", "25/26/28/29 0/1/2/3", "0/00/1/2 0/00/2/3 1/2/3/4", "3.4.3"),
        row("3.4.4", "13/14/15 0/2/3 0/1/2", "2/3/4 0/00/2 0/1/3", "3.4.4"),
        row("3.4.5", "1/2/3/4/5/6", "0/00/1/2/3/4 2/3/4/5/6/7", "3.4.5"),
    ],
)
def test_numbers_that_meet_and_numbers_that_do_not(taken: str, not_taken: str, clause: str) -> None:
    """Numbers that lie together are taken; others are refused under the clause that places the kind."""
    RULES.check_adjacency(taken, not_taken, clause)


# Quarters of a number's cell: along from the head of row 1, across from the outside line beside the Dozens.
@pytest.mark.parametrize(
    ("spot", "along", "across"),
    [
        row("3.4.1", "17", 22, 6),
        row("3.4.2", "17/20", 24, 6),
        row("3.4.2", "0/00", -4, 6),
        row("3.4.3", "25/26/28/29", 36, 4),
        row("3.4.3", "0/1/2/3", 0, 0),
        row("3.4.4", "13/14/15", 18, 0),
        row("3.4.4", "0/2/3", 0, 8),
        row("3.4.5", "1/2/3/4/5/6", 4, 0),
    ],
)
def test_where_a_chip_is_placed(spot: str, along: int, across: int) -> None:
    """A chip goes centrally on its number, on the line or corner between numbers, or on the outside line."""
    anchor = placed(f"1 on {spot}")[0].spot.anchor
    assert (anchor.along, anchor.across) == (along, across)


@pytest.mark.clause("marina-bay-sands-2020", "3.4.6")
def test_column_boxes_lie_below_the_last_row() -> None:
    """The boxes of the columns stand past 34, 35 and 36, each in line with its own."""
    anchors = [placed(f"1 on column {column}")[0].spot.anchor for column in (1, 2, 3)]
    assert [anchor.across for anchor in anchors] == [2, 6, 10]
    assert min(anchor.along for anchor in anchors) > 48


@pytest.mark.parametrize(
    ("slip", "wins_on", "loses_on", "gross"),
    [
        row("3.4.1", "10 on 00", "00", "0 1", 360_00),
        row("3.4.6", "10 on column 2", "2 35", "0 00 1 3", 30_00),
        row("3.4.7", "10 on dozen 2", "13 24", "12 25 0 00", 30_00),
        row("3.4.8", "10 on low", "1 18", "19 0 00", 20_00),
        row("3.4.9", "10 on high", "19 36", "18 0 00", 20_00),
        row("3.4.10", "10 on black", "17 2", "18 0 00", 20_00),
        row("3.4.11", "10 on red", "18 1", "17 0 00", 20_00),
        row("3.4.12", "10 on odd", "1 35", "36 0 00", 20_00),
        row("3.4.13", "10 on even", "2 36", "35 0 00", 20_00),
    ],
)
def test_what_a_box_covers(slip: str, wins_on: str, loses_on: str, gross: int) -> None:
    """A box wins on its own numbers to the last of them, and loses beside them and on both zeros."""
    assert [settled(slip, pocket).returned for pocket in wins_on.split()] == [gross] * len(wins_on.split())
    assert [settled(slip, pocket).returned for pocket in loses_on.split()] == [0] * len(loses_on.split())


@pytest.mark.parametrize(
    ("slip", "pocket", "winnings"),
    [
        row("4.1 Straight Up", "10 on 17", "17", 350_00),
        row("4.1 Split", "10 on 17/20", "17", 170_00),
        row("4.1 Street", "10 on 0/2/3", "0", 110_00),
        row("4.1 Corner", "10 on 25/26/28/29", "26", 80_00),
        row("4.1 Six Line", "10 on 1/2/3/4/5/6", "6", 50_00),
        row("4.1 Column", "10 on column 1", "34", 20_00),
        row("4.1 Dozen", "10 on dozen 1", "12", 20_00),
        row("4.1 Low (1-18)", "10 on low", "18", 10_00),
        row("4.1 High (19-36)", "10 on high", "19", 10_00),
        row("4.1 Even", "10 on even", "36", 10_00),
        row("4.1 Odd", "10 on odd", "35", 10_00),
        row("4.1 Red", "10 on red", "1", 10_00),
        row("4.1 Black", "10 on black", "2", 10_00),
    ],
)
def test_settlement_line(slip: str, pocket: str, winnings: int) -> None:
    """Ten staked wins what the line pays and comes back with it, and the house keeps a nineteenth in the long run."""
    settlement = settled(slip, pocket)
    assert (settlement.net, settlement.returned) == (winnings, winnings + 10_00)
    (bet,) = placed(slip)
    assert spot_edge(bet.spot, venue(VENUE).paytable, venue(VENUE).wheel) == EDGE


@pytest.mark.clause("marina-bay-sands-2020", "4.1")
def test_thirteen_kinds_and_no_five_numbers() -> None:
    """Thirteen kinds have a price, each with an edge of a nineteenth; five numbers have none and are refused."""
    rulebook = venue(VENUE)
    assert len(rulebook.paytable.prices) == 13
    assert {spot_edge(spot, rulebook.paytable, rulebook.wheel) for spot in rulebook.spots.values()} == {EDGE}
    assert refused("1 on 0/00/1/2/3") == (Code.KIND_NOT_PRICED, "4.1")


@pytest.mark.parametrize(
    ("pocket", "winners", "gross"),
    [
        row("4.2", "0", "0 0/00 0/1 0/2 0/3 0/1/2 0/2/3 0/1/2/3", 141_00),
        row("4.2.1", "00", "00 0/00", 54_00),
    ],
)
def test_what_wins_on_a_zero(pocket: str, winners: str, gross: int) -> None:
    """Of one unit on each of the 159 positions only those with the zero win; everything else loses whole."""
    bets = tuple(Bet(spot, Cents(100)) for spot in venue(VENUE).spots.values())
    settlement = settle_bets(bets, venue(VENUE).paytable, Pocket(pocket))
    assert {each.bet.spot.key for each in settlement.bets if each.won} == set(winners.split())
    assert (settlement.staked, settlement.returned) == (159_00, gross)


@pytest.mark.parametrize(
    ("call", "pieces", "cost", "back"),
    [
        row("App. B (Big/Grand Series)", "big-series", BIG_SERIES, 10_00, {36_00: 1, 24_00: 3, 18_00: 14, 0: 20}),
        row("App. C (Small Series)", "small-series", SMALL_SERIES, 6_00, {18_00: 12, 0: 26}),
        row("App. D (Orphans)", "orphans", ORPHANS, 5_00, {36_00: 2, 18_00: 6, 0: 30}),
        row("App. E (Zero Spiel)", "0-spiel", ZERO_SPIEL, 5_00, {36_00: 2, 18_00: 6, 0: 30}),
        row("App. F/G (Neighbours)", "neighbours 22", "31 9 22 18 29", 5_00, {36_00: 5, 0: 33}),
        row("App. F/G (Neighbours)", "neighbours 0", "3 26 0 00 32", 5_00, {36_00: 5, 0: 33}),
        row("App. H (Finales text)", "finales 4", "4 14 24 34", 4_00, {36_00: 4, 0: 34}),
    ],
)
def test_multiple_piece_wager(call: str, pieces: str, cost: int, back: dict[int, int]) -> None:
    """A call places its pieces at its cost, brings back each amount on so many pockets, and costs a nineteenth."""
    expansion = called(call)
    assert stakes(expansion) == units(pieces)
    assert (expansion.cost, expansion.chips) == (cost, cost // 100)
    exposure = exposure_of(expansion.bets, venue(VENUE).paytable, venue(VENUE).wheel)
    assert {gross: len(exposure.where(Cents(gross))) for gross in back} == back
    on_spots = {bet.spot: bet.stake for bet in expansion.bets}
    assert pieces_edge(on_spots, venue(VENUE).paytable, venue(VENUE).wheel) == EDGE


@pytest.mark.parametrize(
    ("slip", "pocket", "gross", "net"),
    [
        row("App. B (Big/Grand Series)", "1 on voisins", "00", 36_00, 26_00),
        row("App. B (Big/Grand Series)", "1 on voisins", "3", 24_00, 14_00),
        row("App. C (Small Series)", "1 on tiers", "8", 18_00, 12_00),
        row("App. C (Small Series)", "1 on tiers", "0", 0, -6_00),
        row("App. D (Orphans)", "1 on orphelins", "17", 36_00, 31_00),
        row("App. D (Orphans)", "1 on orphelins", "1", 36_00, 31_00),
        row("App. D (Orphans)", "1 on orphelins", "6", 18_00, 13_00),
        row("App. E (Zero Spiel)", "1 on zero-spiel", "26", 36_00, 31_00),
        row("App. E (Zero Spiel)", "1 on zero-spiel", "3", 18_00, 13_00),
        row("App. F/G (Neighbours)", "2 on neighbours 22", "9", 72_00, 62_00),
        row("App. H (Finales text)", "5 on finales 4", "24", 180_00, 160_00),
    ],
)
def test_multiple_piece_wager_settles_piece_by_piece(slip: str, pocket: str, gross: int, net: int) -> None:
    """A call's amount lies on each piece, and each piece is settled on its own."""
    assert (settled(slip, pocket).returned, settled(slip, pocket).net) == (gross, net)


@pytest.mark.clause("marina-bay-sands-2020", "App. H (Finales table)")
def test_finales_table() -> None:
    """Finales 0 to 9 are 5, 4, 4, 4, 4, 4, 4, 3, 3 and 3 pieces: each of the 38 numbers once."""
    finales = [stakes(called(f"finales {digit}")) for digit in range(10)]
    assert [len(finale) for finale in finales] == [5, 4, 4, 4, 4, 4, 4, 3, 3, 3]
    assert {spot: stake for finale in finales for spot, stake in finale.items()} == dict.fromkeys(
        venue(VENUE).pockets, 100
    )
    assert set(finales[0]) == {"0", "00", "10", "20", "30"}


@pytest.mark.clause("marina-bay-sands-2020", "3.5")
def test_finales_only_where_the_terminal_has_them() -> None:
    """Rapid Select refuses Finales 4; a terminal that lists it places four pieces."""
    assert refused("1 on finales 4", RAPID_SELECT)[0] is Code.CALL_NOT_OFFERED
    assert len(placed("1 on finales 4")) == 4


@pytest.mark.clause("marina-bay-sands-2020", "7")
def test_call_is_made_whole_or_not_at_all() -> None:
    """A call is ordinary bets, ten pieces on eight positions for Big Series, and goes with its slip or not at all."""
    assert (called("voisins").chips, len(called("voisins").bets)) == (10, 8)
    assert len(placed("1 on voisins; 1 on 17")) == 9
    assert refused("1 on voisins; 1 on 00/2") == (Code.SPOT_NOT_ON_LAYOUT, "3.4.2")


@pytest.mark.clause("marina-bay-sands-2020", "App. I (heading)")
def test_rapid_select_has_five_short_cuts() -> None:
    """The Rapid Select profile lists Zero Spiel, Grand Series, Orphelins, Tiers and Neighbours, and no Finales."""
    (profile,) = venue(VENUE).profiles
    assert profile.id == RAPID_SELECT
    assert set(profile.calls) == {"zero-spiel", "voisins", "orphelins", "tiers", "neighbours"}
    assert set(profile.calls.values()) == {"Zero Spiel", "Grand Series", "Orphelins", "Tiers", "Neighbours"}


@pytest.mark.parametrize(
    ("short_cut", "pieces", "cost"),
    [
        row("App. I Zero Spiel", "Zero Spiel", ZERO_SPIEL, 5_00),
        row("App. I Grand Series", "Grand Series", BIG_SERIES, 10_00),
        row("App. I Orphelins", "Orphelins", ORPHANS, 5_00),
        row("App. I Tiers", "Tiers", SMALL_SERIES, 6_00),
        row("App. I Neighbours", "Neighbours 17", "2 25 17 34 6", 5_00),
    ],
)
def test_rapid_select_short_cut(short_cut: str, pieces: str, cost: int) -> None:
    """A short-cut places the same pieces at the same cost as the appendix that describes it."""
    expansion = called(short_cut, RAPID_SELECT)
    assert (stakes(expansion), expansion.cost) == (units(pieces), cost)


@pytest.mark.clause("marina-bay-sands-2020", "App. F/G (Neighbours)")
def test_neighbours_reach_two_on_each_side() -> None:
    """Neighbours are two on each side: one or three are refused."""
    assert {refused(f"1 on neighbours 22 by {reach}")[0] for reach in (1, 3)} == {Code.NEIGHBOURS_REACH}


@pytest.mark.parametrize(
    ("spin", "clause"),
    [
        row("5.1", Spin(opposite=False, revolutions=4), "5.1"),
        row("5.2", Spin(opposite=True, revolutions=0), "5.2"),
        row("5.3", Spin(opposite=True, revolutions=1), "5.3"),
        row("5.3", Spin(opposite=True, revolutions=3), "5.3"),
        row("5.4", Spin(opposite=True, revolutions=4, clear_of_objects=False), "5.4"),
        row("5.5", Spin(opposite=True, revolutions=4, ball_seated=False), "5.5"),
        row("5.6", Spin(opposite=True, revolutions=4, ball_in_wheel=False), "5.6"),
        row("5.7", Spin(opposite=True, revolutions=4, ball_whole=False), "5.7"),
        row("5.8", Spin(opposite=True, revolutions=4, turning_throughout=False), "5.8"),
        row("5.9", Spin(opposite=True, revolutions=4, turning_at_launch=False), "5.9"),
        row("5.10", Spin(opposite=True, revolutions=4, untouched=False), "5.10"),
    ],
)
def test_spin_that_voids_the_round(spin: Spin, clause: str) -> None:
    """A spin with one thing wrong voids the round under the clause on that thing."""
    found = assess_spin(spin, venue(VENUE).irregularities, revolutions_least=4)
    assert found is not None
    assert (found.clause, found.effect) == (clause, Effect.VOID_ROUND)


@pytest.mark.clause("marina-bay-sands-2020", "3.6")
def test_four_revolutions_make_a_spin() -> None:
    """A ball spun against the wheel for four revolutions is a valid spin."""
    figure = venue(VENUE).procedure.revolutions
    assert figure is not None
    assert (figure.value, figure.clause) == (4, "3.6")
    spin = Spin(opposite=True, revolutions=4)
    assert assess_spin(spin, venue(VENUE).irregularities, revolutions_least=figure.value) is None


@pytest.mark.parametrize(
    ("reason", "effect", "by"),
    [
        row("5.15", Reason.SUSPICION, Effect.VOID_ROUND, ("Dealer", "Pit Supervisor", "Pit Manager")),
        row("6.1", Reason.NOT_COVERED, Effect.REFER, ("Gaming Shift Manager",)),
    ],
)
def test_who_may_call_it(reason: Reason, effect: Effect, by: tuple[str, ...]) -> None:
    """No spin is for the dealer, the pit supervisor or the pit manager to call; the rest goes to the shift manager."""
    (found,) = (each for each in venue(VENUE).irregularities if each.reason is reason)
    assert (found.effect, found.by) == (effect, by)


@pytest.mark.parametrize(
    ("occasion", "texts"),
    [
        row("3.1", MessageKind.OPEN, {"Place your bets", "Place your bets, please", "Bets are open"}),
        row("3.2", MessageKind.CLOSED, {"No more bets", "Bets are closed"}),
        row("5.15", MessageKind.NO_SPIN, {"no spin"}),
    ],
)
def test_words_on_the_terminal(occasion: MessageKind, texts: set[str]) -> None:
    """The terminal has the words of the document for each moment, and no others."""
    assert set(venue(VENUE).messages[occasion].texts) == texts


@pytest.mark.clause("marina-bay-sands-2020", "3.7")
@pytest.mark.clause("marina-bay-sands-2020", "6.3")
def test_close_comes_before_the_spin() -> None:
    """Betting closes before the ball is spun, and the compartment it rests in is the outcome."""
    procedure = venue(VENUE).procedure
    assert procedure.closes.choice is CloseRule.BEFORE_SPIN
    assert procedure.authority.choice is ResultAuthority.COMPARTMENT
