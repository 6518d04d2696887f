"""Marina Bay Sands in the house: what wagers cost, what comes back for them, and the multiple piece wagers."""

from dataclasses import replace

import pytest

from croupier.house.floor.setup import AddTable, AddTerminal, AdoptRulebook
from croupier.house.ids import DeviceId, TableId, TerminalId
from croupier.house.play.betting import PlaceBets
from croupier.house.rounds.closing import CloseBets
from croupier.house.rounds.opening import OpenBets
from croupier.house.rounds.results import BallAtRest
from croupier.house.rounds.spinning import SpinBall
from croupier.house.settings import TableSettings, TerminalSettings
from croupier.rulebooks.schema import canonical, read_canonical
from croupier.rules.geometry import Pocket
from croupier.rules.procedure import ChannelName, Profile
from croupier.rules.refusal import ClauseId
from tests.conftest import venue
from tests.support.house_driver import TABLE, Play, cents, limits, refused
from tests.support.rules_driver import BIG_SERIES, ORPHANS, SMALL_SERIES, ZERO_SPIEL, RulesDriver

VENUE = "marina-bay-sands-2020"
row = RulesDriver(VENUE).row
RAPID_SELECT = TerminalSettings(profile="rapid-select-single-game")
POCKETS = venue(VENUE).pockets


def betting(credit: int, settings: TerminalSettings | None = None) -> Play:
    """Find a table where betting is open, with so many dollars at T1."""
    play = Play(VENUE)
    play.seat("T1", cents(credit), settings)
    play.open()
    return play


def units(spots: str) -> dict[str, float]:
    """One dollar on each spot named, as often as it is named."""
    return {spot: spots.split().count(spot) for spot in spots.split()}


def gained(play: Play, slip: str, pocket: str) -> float:
    """Play a slip at T1 in a round of its own, and tell by how much the meter then stands higher."""
    before = play.credit("T1")
    play.round(pocket, T1=slip)
    return play.credit("T1") - before


@pytest.mark.clause("marina-bay-sands-2020", "3.3")
def test_several_wagers_in_one_round() -> None:
    """5 on 17, 5 on 17/20 and 10 on Red are three wagers of 20 together, and the meter falls by 20."""
    play = betting(100)
    play.bet("T1", "5 on 17")
    play.bet("T1", "5 on 17/20")
    play.bet("T1", "10 on red")
    assert play.layout("T1") == {"17": 5, "17/20": 5, "red": 10}
    game = play.house.terminals[TerminalId("T1")].games[TABLE]
    spots = [play.table.payouts.spots[spot] for spot in game.bets]
    assert [(spot.kind, len(spot.numbers)) for spot in spots] == [("straight", 1), ("split", 2), ("red", 18)]
    assert (game.staked, play.credit("T1")) == (20_00, 80)
    play.check()


@pytest.mark.clause("marina-bay-sands-2020", "3.3")
@pytest.mark.parametrize(
    ("bets", "code"),
    [
        ((("17", 5_00), ("00/2", 5_00)), "spot_not_on_layout"),
        ((("17", 5_00), ("37", 5_00)), "malformed"),
        ((("17; 5 on 20", 5_00),), "malformed"),
        ((("17", 5_00), ("red", 0)), "stake_not_positive"),
        ((("17", 5_00), ("red", -5_00)), "stake_not_positive"),
        ((("17", 5_00), ("red", 95_01)), "credit_short"),
        ((("17", 2**63),), "credit_short"),
        ((("snake", 5_00),), "call_not_offered"),
        ((), "nothing_there"),
    ],
)
def test_wager_that_is_not_taken(bets: tuple[tuple[str, int], ...], code: str) -> None:
    """A touch with one wager that cannot stand places none of them, and the meter stays where it was."""
    play = betting(100)
    assert refused(play.touch("T1", PlaceBets, bets))[0] == code
    assert (play.layout("T1"), play.credit("T1")) == ({}, 100)
    play.check()


LINES = [
    ("4.1 Straight Up", "17", "17", "20", 350),
    ("4.1 Split", "17/20", "17", "18", 170),
    ("4.1 Street", "0/2/3", "0", "00", 110),
    ("4.1 Corner", "25/26/28/29", "26", "27", 80),
    ("4.1 Six Line", "1/2/3/4/5/6", "6", "7", 50),
    ("4.1 Column", "column 1", "34", "00", 20),
    ("4.1 Dozen", "dozen 1", "12", "0", 20),
    ("4.1 Low (1-18)", "low", "18", "19", 10),
    ("4.1 High (19-36)", "high", "19", "18", 10),
    ("4.1 Even", "even", "36", "0", 10),
    ("4.1 Odd", "odd", "35", "36", 10),
    ("4.1 Red", "red", "1", "2", 10),
    ("4.1 Black", "black", "2", "1", 10),
]


@pytest.mark.parametrize(("spot", "wins_on", "loses_on", "winnings"), [row(*line) for line in LINES])
def test_line_of_the_settlement_table(spot: str, wins_on: str, loses_on: str, winnings: int) -> None:
    """Ten staked come back with what the line pays, and the layout is empty then; on a loss they are gone."""
    play = Play(VENUE)
    play.seats(T1=100)
    play.round(wins_on, T1=f"10 on {spot}")
    assert (play.credit("T1"), play.layout("T1")) == (100 + winnings, {})
    game = play.house.terminals[TerminalId("T1")].games[TABLE]
    assert game.won == winnings * 100
    play.round(loses_on, T1=f"10 on {spot}")
    assert (play.credit("T1"), play.layout("T1"), game.won) == (90 + winnings, {}, 0)
    play.check()


@pytest.mark.parametrize("spot", [row(clause, spot) for clause, spot, *_ in LINES])
def test_every_pocket_once_costs_a_nineteenth(spot: str) -> None:
    """Of 38 dollars staked on a line, one for each pocket of the wheel, 36 come back: the edge is 2 in 38."""
    play = Play(VENUE)
    play.seats(T1=38)
    for pocket in POCKETS:
        play.round(pocket, T1=f"1 on {spot}")
    assert play.credit("T1") == 36
    play.check()


@pytest.mark.clause("marina-bay-sands-2020", "4.1")
@pytest.mark.parametrize("numbers", ["0/00/1/2/3", "3/2/1/00/0"])
def test_five_numbers_are_no_wager(numbers: str) -> None:
    """The first five have no price here: they are refused, and nothing moves."""
    play = betting(100)
    assert refused(play.bet("T1", f"1 on {numbers}")) == ("kind_not_priced", "4.1")
    assert (play.layout("T1"), play.credit("T1")) == ({}, 100)


@pytest.mark.parametrize(
    ("pocket", "winners", "gross"),
    [
        row("4.2", "0", "0 0/00 0/1 0/2 0/3 0/1/2 0/2/3 0/1/2/3", 141),
        row("4.2.1", "00", "00 0/00", 54),
    ],
)
def test_what_wins_on_a_zero(pocket: str, winners: str, gross: int) -> None:
    """Of a dollar on each of the 159 positions only those with the zero win, and everything else loses whole."""
    play = betting(159)
    spots = play.table.payouts.spots
    play.touch("T1", PlaceBets, tuple((spot, 1_00) for spot in spots))
    assert (len(play.layout("T1")), play.credit("T1")) == (159, 0)
    play.close()
    play.spin()
    play.rest(pocket)
    assert play.credit("T1") == gross
    (record,) = play.house.terminals[TerminalId("T1")].recall
    assert set(play.table.payouts.winning(record.sealed, Pocket(pocket))) == set(winners.split())
    play.check()


@pytest.mark.parametrize(
    ("call", "pieces", "cost", "back"),
    [
        row("App. B (Big/Grand Series)", "big-series", BIG_SERIES, 10, {36: 1, 24: 3, 18: 14, 0: 20}),
        row("App. C (Small Series)", "small-series", SMALL_SERIES, 6, {18: 12, 0: 26}),
        row("App. D (Orphans)", "orphans", ORPHANS, 5, {36: 2, 18: 6, 0: 30}),
        row("App. E (Zero Spiel)", "0-spiel", ZERO_SPIEL, 5, {36: 2, 18: 6, 0: 30}),
        row("App. F/G (Neighbours)", "neighbours 22", "31 9 22 18 29", 5, {36: 5, 0: 33}),
        row("App. F/G (Neighbours)", "neighbours 0", "3 26 0 00 32", 5, {36: 5, 0: 33}),
        row("App. H (Finales text)", "finales 4", "4 14 24 34", 4, {36: 4, 0: 34}),
    ],
)
def test_multiple_piece_wager_on_every_pocket(call: str, pieces: str, cost: int, back: dict[int, int]) -> None:
    """A call places its pieces at its cost, and over the wheel each amount comes back on so many pockets."""
    play = betting(cost)
    play.bet("T1", f"1 on {call}")
    assert (play.layout("T1"), play.credit("T1")) == (units(pieces), 0)
    play = Play(VENUE)
    play.seats(T1=cost * 38)
    returned = [gained(play, f"1 on {call}", pocket) + cost for pocket in POCKETS]
    assert {gross: returned.count(gross) for gross in back} == back
    assert sum(back.values()) == 38
    assert play.credit("T1") == cost * 36
    play.check()


@pytest.mark.parametrize(
    ("slip", "pocket", "net"),
    [
        row("App. B (Big/Grand Series)", "1 on voisins", "00", 26),
        row("App. B (Big/Grand Series)", "1 on voisins", "0", 14),
        row("App. B (Big/Grand Series)", "1 on voisins", "28", 8),
        row("App. B (Big/Grand Series)", "1 on voisins", "1", -10),
        row("App. C (Small Series)", "1 on tiers", "8", 12),
        row("App. C (Small Series)", "1 on tiers", "0", -6),
        row("App. D (Orphans)", "1 on orphelins", "17", 31),
        row("App. D (Orphans)", "1 on orphelins", "1", 31),
        row("App. D (Orphans)", "1 on orphelins", "6", 13),
        row("App. E (Zero Spiel)", "1 on zero-spiel", "26", 31),
        row("App. E (Zero Spiel)", "1 on zero-spiel", "35", 13),
        row("App. E (Zero Spiel)", "1 on zero-spiel", "2", -5),
        row("App. F/G (Neighbours)", "2 on neighbours 22", "9", 62),
        row("App. F/G (Neighbours)", "2 on neighbours 22", "20", -10),
        row("App. H (Finales text)", "5 on finales 4", "24", 160),
        row("App. H (Finales text)", "5 on finales 4", "00", -20),
    ],
)
def test_multiple_piece_wager_settles_piece_by_piece(slip: str, pocket: str, net: int) -> None:
    """Each piece of a call is settled on its own, and the meter moves by all of them together."""
    play = Play(VENUE)
    play.seats(T1=100)
    assert gained(play, slip, pocket) == net
    play.check()


@pytest.mark.clause("marina-bay-sands-2020", "App. H (Finales table)")
def test_finales_table() -> None:
    """Finales 0 to 9 are 5, 4, 4, 4, 4, 4, 4, 3, 3 and 3 pieces, which lie on each of the 38 numbers once."""
    play = betting(38)
    spent = []
    for digit in range(10):
        before = play.credit("T1")
        play.bet("T1", f"1 on finales {digit}")
        spent.append(before - play.credit("T1"))
    assert spent == [5, 4, 4, 4, 4, 4, 4, 3, 3, 3]
    assert play.layout("T1") == dict.fromkeys(POCKETS, 1)
    play.check()


@pytest.mark.clause("marina-bay-sands-2020", "7")
def test_big_series_needs_ten_and_takes_all_or_nothing() -> None:
    """With 9 on the meter Big Series at 1 is refused whole; with 10 its ten pieces lie on eight positions."""
    short = betting(9)
    assert refused(short.bet("T1", "1 on voisins"))[0] == "credit_short"
    assert (short.layout("T1"), short.credit("T1")) == ({}, 9)
    enough = betting(10)
    enough.bet("T1", "1 on voisins")
    assert (len(enough.layout("T1")), sum(enough.layout("T1").values()), enough.credit("T1")) == (8, 10, 0)
    short.check()
    enough.check()


@pytest.mark.clause("marina-bay-sands-2020", "7")
@pytest.mark.clause("marina-bay-sands-2020", "App. B (Big/Grand Series)")
@pytest.mark.parametrize(
    ("least", "most", "slip", "code"),
    [
        (None, 1, "1 on voisins", "stake_over_maximum"),
        (None, 5, "1 on voisins; 1 on voisins; 1 on voisins", "stake_over_maximum"),
        (2, None, "1 on voisins", "stake_under_minimum"),
        (2, None, "1 on tiers", "stake_under_minimum"),
    ],
)
def test_call_with_one_piece_outside_the_limits(least: int | None, most: int | None, slip: str, code: str) -> None:
    """A call of which one position would be outside its limits is refused, and none of its pieces lies."""
    play = Play(VENUE, TableSettings(limits=limits(least, most)))
    play.seats(T1=100)
    play.open()
    assert refused(play.bet("T1", slip)) == (code, "3.3")
    assert (play.layout("T1"), play.credit("T1")) == ({}, 100)
    play.check()


@pytest.mark.clause("marina-bay-sands-2020", "7")
def test_call_on_top_of_chips_that_lie_there() -> None:
    """Pieces are ordinary wagers: they add to chips on the same positions, and the limit is on both together."""
    play = Play(VENUE, TableSettings(limits=limits(most=3)))
    play.seats(T1=100)
    play.open()
    play.bet("T1", "1 on 0/2/3; 1 on 17")
    play.bet("T1", "1 on voisins")
    assert (play.layout("T1")["0/2/3"], play.credit("T1")) == (3, 88)
    assert refused(play.bet("T1", "1 on voisins")) == ("stake_over_maximum", "3.3")
    assert (play.layout("T1")["0/2/3"], play.credit("T1")) == (3, 88)
    play.check()


@pytest.mark.clause("marina-bay-sands-2020", "3.5")
def test_finales_only_where_the_terminal_has_them() -> None:
    """Rapid Select offers five short-cuts and refuses Finales 4; a terminal that lists it places four pieces."""
    rapid = betting(100, RAPID_SELECT)
    profile = rapid.house.terminals[TerminalId("T1")].profile
    assert profile is not None
    assert len(profile.calls) == 5
    assert refused(rapid.bet("T1", "1 on finales 4"))[0] == "call_not_offered"
    assert (rapid.layout("T1"), rapid.credit("T1")) == ({}, 100)
    every = betting(100)
    every.bet("T1", "1 on finales 4")
    assert (every.layout("T1"), every.credit("T1")) == (units("4 14 24 34"), 96)


@pytest.mark.clause("marina-bay-sands-2020", "App. I (heading)")
def test_rapid_select_has_five_short_cuts() -> None:
    """A Rapid Select terminal names Zero Spiel, Grand Series, Orphelins, Tiers and Neighbours, and no Finales."""
    profile = betting(0, RAPID_SELECT).house.terminals[TerminalId("T1")].profile
    assert profile is not None
    assert sorted(profile.calls.values()) == ["Grand Series", "Neighbours", "Orphelins", "Tiers", "Zero Spiel"]


@pytest.mark.parametrize(
    ("short_cut", "pieces", "cost"),
    [
        row("App. I Zero Spiel", "Zero Spiel", ZERO_SPIEL, 5),
        row("App. I Grand Series", "Grand Series", BIG_SERIES, 10),
        row("App. I Orphelins", "Orphelins", ORPHANS, 5),
        row("App. I Tiers", "Tiers", SMALL_SERIES, 6),
        row("App. I Neighbours", "Neighbours 17", "2 25 17 34 6", 5),
    ],
)
def test_rapid_select_short_cut(short_cut: str, pieces: str, cost: int) -> None:
    """A short-cut places the pieces of its appendix at their cost, and is refused with a dollar less."""
    play = betting(cost, RAPID_SELECT)
    play.bet("T1", f"1 on {short_cut}")
    assert (play.layout("T1"), play.credit("T1")) == (units(pieces), 0)
    play.check()
    short = betting(cost - 1, RAPID_SELECT)
    assert refused(short.bet("T1", f"1 on {short_cut}"))[0] == "credit_short"


SMALL = Profile("small", "small", ChannelName.TERMINAL, ClauseId("1.1.2"), {"tiers": "Tiers", "neighbours": "N"})


@pytest.mark.clause("marina-bay-sands-2020", "1.1.2")
def test_racetrack_bets_of_one_terminal() -> None:
    """A terminal set up for Tiers and Neighbours places Tiers as six pieces; Orphans is refused and nothing moves."""
    play, second = Play(VENUE), TableId("table 2")
    text = canonical(replace(venue(VENUE), version="2 with a small model", profiles=(SMALL,)))
    play.must(AdoptRulebook(text))
    play.must(AddTable(second, read_canonical(text).digest, TableSettings()))
    play.seat("T1", cents(100), TerminalSettings(profile="small"), tables=(second,))
    play.must(OpenBets(second))
    assert refused(play.bet("T1", "1 on orphans", second)) == ("call_not_offered", "1.1.2")
    assert (play.layout("T1", second), play.credit("T1")) == ({}, 100)
    play.bet("T1", "1 on tiers", second)
    assert (play.layout("T1", second), play.credit("T1")) == (units(SMALL_SERIES), 94)
    play.must(CloseBets(second))
    play.by("dealer", SpinBall(second))
    play.must(BallAtRest(second, Pocket("8"), 9, opposite=True), DeviceId(second))
    assert play.credit("T1") == 112
    play.check()


@pytest.mark.clause("marina-bay-sands-2020", "1.1.2")
@pytest.mark.parametrize("profile", ["small", "Rapid Select", ""])
def test_terminal_of_an_unknown_model(profile: str) -> None:
    """A terminal of a model that the rulebook does not know is not added."""
    play = Play(VENUE)
    adding = AddTerminal(TerminalId("T1"), (TABLE,), TerminalSettings(profile=profile))
    assert refused(play.ask(adding))[0] == "unknown_profile"
    assert play.house.terminals == {}
