"""Clearwater's close in the house: bets that are warned of, and the steps at no more bets."""

import pytest

from croupier.house.declare import GameCommand
from croupier.house.ids import TerminalId
from croupier.house.play.betting import BetsReturned, ChangeBet, MoveBet, PlaceBets, RemoveBets, ReturnReason, UndoBet
from croupier.house.settings import LimitBounds, LimitSettings, TableSettings, TerminalSettings
from croupier.house.views import terminal_view
from croupier.rules.geometry import SpotKey, SpotKind
from tests.support.house_driver import P1, TABLE, Play, cents

VENUE = "clearwater-etg"
#: One credit is a dollar, so that a margin counted in credits is one counted in dollars.
DOLLARS = TerminalSettings(denominations=(cents(1),))
WARNING = "Bets not valid \N{EN DASH} too little risk!"
EVEN_MONEY = (SpotKind("red"), SpotKind("black"), SpotKind("odd"), SpotKind("even"), SpotKind("low"), SpotKind("high"))
SEVEN, RED, BLACK = SpotKey("7"), SpotKey("red"), SpotKey("black")
#: What goes back unplayed at the close: why, by which clause, and from which spots.
Back = list[tuple[ReturnReason, str, set[str]]]


def kinds(straight: int, even_money: int, total: int | None = None) -> LimitSettings:
    """The least on a straight up, on even money and on all bets together, in dollars."""
    even = tuple((kind, LimitBounds(cents(even_money))) for kind in EVEN_MONEY)
    return LimitSettings(
        kinds=((SpotKind("straight"), LimitBounds(cents(straight))), *even),
        total=LimitBounds(None if total is None else cents(total)),
    )


def laid(slip: str, limit_settings: LimitSettings | None = None) -> Play:
    """Find a slip on the layout of T1, which had 1000 credits of a dollar, with betting open."""
    play = Play(VENUE, TableSettings(limits=limit_settings or LimitSettings()))
    play.seat("T1", cents(1_000), DOLLARS)
    play.open()
    placed = play.bet("T1", slip)
    assert isinstance(placed, tuple), placed
    return play


def warning(play: Play) -> str:
    return terminal_view(play.house, TerminalId("T1"), TABLE, play.now).warning


def returns(play: Play) -> Back:
    """What went back unplayed, in order."""
    events = [each for each in play.events if isinstance(each, BetsReturned)]
    return [(each.why, each.clause, {str(spot) for spot in each.spots}) for each in events]


def warned() -> Play:
    """Find red 10 and black 10 on a layout, which 5 on 7 held up until they were removed."""
    play = laid("10 on red; 5 on 7; 10 on black")
    assert warning(play) == ""
    play.touch("T1", RemoveBets, (SEVEN,))
    return play


@pytest.mark.clause("clearwater-etg", "13.c")
def test_warned_bets_are_all_removed_at_the_close() -> None:
    """Red 10 and black 10, left when 7 is removed, are warned of, and all 20 go back at no more bets."""
    play = warned()
    assert warning(play) == WARNING
    play.close()

    assert returns(play) == [(ReturnReason.TOO_LITTLE_RISK, "13.c", {"red", "black"})]
    assert (play.layout("T1"), play.credit("T1")) == ({}, 1_000)
    assert play.table.round is not None
    assert play.table.round.sealed is not None
    assert play.table.round.layouts == {}
    play.rest("7")
    assert play.credit("T1") == 1_000
    play.check()


@pytest.mark.clause("clearwater-etg", "13.c")
def test_warned_bets_that_are_changed_in_time_play() -> None:
    """When black is removed before no more bets the warning is gone, and red 10 plays."""
    play = warned()
    play.touch("T1", RemoveBets, (BLACK,))
    assert warning(play) == ""
    play.close()

    assert (returns(play), play.layout("T1")) == ([], {"red": 10})
    play.rest("7")
    assert play.credit("T1") == 1_010
    play.check()


Touch = tuple[type[GameCommand], tuple[object, ...]]


@pytest.mark.clause("clearwater-etg", "13.c")
@pytest.mark.parametrize(
    ("slip", "touches"),
    [
        ("10 on red; 5 on 7; 10 on black", [(RemoveBets, ((SEVEN,),))]),
        ("10 on red; 1 on 7; 9 on black", [(MoveBet, (SEVEN, BLACK))]),
        (
            "10 on red; 5 on 7; 10 on black",
            [(RemoveBets, ((SEVEN,),)), (PlaceBets, ((("black", 30_00),),)), (UndoBet, ())],
        ),
        ("14 on red; 30 on black", [(ChangeBet, (BLACK, cents(14)))]),
    ],
    ids=["removal", "move", "undo", "change"],
)
def test_what_a_removal_a_move_or_an_undo_leaves_is_warned_of(slip: str, touches: list[Touch]) -> None:
    """A layout that comes to fail without a bet being added is warned of and not refused (C6)."""
    play = laid(slip)
    for command, more in touches:
        changed = play.touch("T1", command, *more)
        assert isinstance(changed, tuple), changed

    assert warning(play) == WARNING
    play.close()
    assert [why for why, _, _ in returns(play)] == [ReturnReason.TOO_LITTLE_RISK]
    assert play.credit("T1") == 1_000
    play.check()


@pytest.mark.clause("clearwater-etg", "13.c")
def test_warning_is_for_the_game_it_stands_in() -> None:
    """Warned bets of one terminal go back, and the bets of another play."""
    play = warned()
    play.seat("T2", cents(100), DOLLARS)
    play.bet("T2", "10 on 7")
    play.close()

    assert [each.position for each in play.events if isinstance(each, BetsReturned)] == [P1]
    play.rest("7")
    assert (play.credit("T1"), play.credit("T2")) == (1_000, 450)
    play.check()


@pytest.mark.clause("clearwater-etg", "13.c")
@pytest.mark.parametrize(
    ("limit_settings", "bets", "removed", "back", "plays"),
    [
        (
            # C3's own example: black 9 is a red chip, and red 10 is not played alone.
            kinds(straight=1, even_money=10),
            ("10 on red; 1 on 7; 9 on black"),
            "7",
            [(ReturnReason.TOO_LITTLE_RISK, "13.c", {"red", "black"})],
            {},
        ),
        (
            # As it lies it would stand; without its red chip it would not.
            kinds(straight=5, even_money=1),
            ("10 on red; 4 on 7; 10 on black"),
            None,
            [(ReturnReason.TOO_LITTLE_RISK, "13.c", {"red", "black", "7"})],
            {},
        ),
        (
            kinds(straight=5, even_money=1),
            ("10 on red; 4 on 7"),
            None,
            [(ReturnReason.UNDER_MINIMUM, "11", {"7"})],
            {"red": 10},
        ),
        (
            kinds(straight=5, even_money=1, total=20),
            ("10 on red; 4 on 7; 4 on 8"),
            None,
            [(ReturnReason.UNDER_MINIMUM, "11", {"7", "8"}), (ReturnReason.UNDER_TOTAL, "14.c", {"red"})],
            {},
        ),
        (
            kinds(straight=1, even_money=1, total=20),
            ("10 on red; 4 on 7"),
            None,
            [(ReturnReason.UNDER_TOTAL, "14.c", {"red", "7"})],
            {},
        ),
        (
            kinds(straight=1, even_money=1, total=50),
            ("10 on red; 4 on 7; 10 on black"),
            "7",
            [(ReturnReason.TOO_LITTLE_RISK, "13.c", {"red", "black"})],
            {},
        ),
        (
            kinds(straight=5, even_money=5, total=50),
            ("4 on 7; 3 on red"),
            None,
            [(ReturnReason.UNDER_MINIMUM, "11", {"7", "red"})],
            {},
        ),
        (kinds(straight=1, even_money=10, total=10), ("10 on red; 1 on 7"), None, [], {"red": 10, "7": 1}),
    ],
    ids=[
        "19 back",
        "warned for its red chip",
        "under minimum",
        "then total",
        "total",
        "warned first",
        "all red",
        "none",
    ],
)
def test_steps_of_the_close(
    limit_settings: LimitSettings,
    bets: str,
    removed: str | None,
    back: Back,
    plays: dict[str, float],
) -> None:
    """At no more bets warned bets go back, else those under the minimum, then all under the minimum total (C3)."""
    play = laid(bets, limit_settings)
    if removed is not None:
        play.touch("T1", RemoveBets, (SpotKey(removed),))
    assert (warning(play) == WARNING) is any(why is ReturnReason.TOO_LITTLE_RISK for why, _, _ in back)
    play.close()

    assert (returns(play), play.layout("T1")) == (back, plays)
    assert play.credit("T1") == 1_000 - sum(plays.values())
    play.check()
