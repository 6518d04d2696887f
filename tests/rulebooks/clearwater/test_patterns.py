"""Clearwater's saved patterns in the house: three slots in credits, ghost chips, and reduction to the credits."""

import pytest

from croupier.house.ids import DeviceId, TableId, TerminalId
from croupier.house.play.betting import ChooseDenomination, ClearBets
from croupier.house.play.patterns import CancelRecall, ConfirmRecall, PatternRecalled, RecallPattern, SavePattern
from croupier.house.rounds.closing import CloseBets
from croupier.house.rounds.opening import OpenBets
from croupier.house.rounds.spinning import SpinBall
from croupier.house.settings import LimitBounds, LimitSettings, TableSettings, TerminalSettings
from croupier.house.state.tables import Phase
from croupier.house.views import TerminalView, terminal_view
from croupier.rules.geometry import SpotKey
from croupier.rules.money import Cents
from tests.support.house_driver import TABLE, Play, cents, limits, refused

VENUE = "clearwater-etg"
RIGHT = TableId("table 2")
T1 = TerminalId("T1")
HALF, DOLLAR = cents("0.50"), cents(1)
DOLLARS = TerminalSettings(denominations=(DOLLAR,), chips=(1, 5, 10))
#: Four chips of ten: the pattern of the worked example.
FORTY = "10 on 17; 20 on red; 10 on 0/00"
TWENTY = "5 on 17; 10 on red; 5 on 0/00"


def screen(play: Play) -> TerminalView:
    return terminal_view(play.house, T1, TABLE, play.now)


def patterns(play: Play) -> dict[int, dict[SpotKey, int]]:
    return play.house.terminals[T1].patterns


def ghosts(play: Play) -> dict[str, float]:
    """The ghost chips on the screen, in dollars."""
    return {str(spot): stake / 100 for spot, stake in screen(play).ghosts}


def saved(slip: str, *, credit: int, limit_settings: LimitSettings | None = None) -> Play:
    """Find a slip saved in slot 1, an empty layout, betting open, and so many credits of a dollar on the meter."""
    play = Play(VENUE, TableSettings(limits=limit_settings or LimitSettings()), TableSettings())
    play.seat("T1", cents(1_000), DOLLARS, tables=(TABLE, RIGHT))
    play.open()
    play.must(OpenBets(RIGHT))
    placed = play.bet("T1", slip)
    assert isinstance(placed, tuple), placed
    play.touch("T1", SavePattern, 1)
    play.touch("T1", ClearBets)
    if credit < 1_000:
        # The rest is on the layout of the other game, and so not on the meter.
        play.bet("T1", f"{1_000 - credit} on 1", RIGHT)
    assert play.credit("T1") == credit
    return play


@pytest.mark.clause("clearwater-etg", "19")
@pytest.mark.clause("clearwater-etg", "19.a")
def test_three_patterns_are_kept() -> None:
    """Patterns are saved in slots 1, 2 and 3, and there is no slot 0 or 4."""
    play = Play(VENUE)
    play.seats(T1=100)
    play.open()
    for slot, slip in enumerate(("5 on 17", "5 on 20", "5 on red"), start=1):
        play.bet("T1", slip)
        play.touch("T1", SavePattern, slot)

    assert list(patterns(play)) == [1, 2, 3]
    for slot in (0, 4, -1):
        assert refused(play.touch("T1", SavePattern, slot)) == ("unknown_record", "19.a")
        assert refused(play.touch("T1", RecallPattern, slot)) == ("unknown_record", "19.a")
    assert list(patterns(play)) == [1, 2, 3]


@pytest.mark.clause("clearwater-etg", "19.a")
def test_pattern_is_kept_in_credits() -> None:
    """17 with 10 credits saved at 0.50 is 10 credits at 1 when it is recalled, which is 10 dollars."""
    play = Play(VENUE)
    play.seat("T1", cents(100), TerminalSettings(denominations=(HALF, DOLLAR), chips=(1, 5, 10)))
    play.open()
    play.bet("T1", "5 on 17")
    play.touch("T1", SavePattern, 1)
    assert patterns(play) == {1: {"17": 10}}
    play.touch("T1", ClearBets)
    play.must(ChooseDenomination(T1, DOLLAR), DeviceId(T1))
    play.touch("T1", RecallPattern, 1)
    assert ghosts(play) == {"17": 10}
    play.touch("T1", ConfirmRecall)

    assert (play.layout("T1"), play.credit("T1"), screen(play).credits) == ({"17": 10}, 90, 90)
    play.check()


@pytest.mark.clause("clearwater-etg", "19.a")
def test_pattern_is_reduced_in_credits_of_the_denomination() -> None:
    """10 credits on 17 saved at 0.50 cost 10 dollars at 1; with 9.50 on the meter they become 5 credits."""
    play = Play(VENUE)
    play.seat("T1", cents("9.50"), TerminalSettings(denominations=(HALF, DOLLAR), chips=(1, 5, 10)))
    play.open()
    play.bet("T1", "5 on 17")
    play.touch("T1", SavePattern, 1)
    play.touch("T1", ClearBets)
    play.must(ChooseDenomination(T1, DOLLAR), DeviceId(T1))
    play.touch("T1", RecallPattern, 1)

    assert (ghosts(play), screen(play).credits, screen(play).residual) == ({"17": 5}, 9, 50)


@pytest.mark.clause("clearwater-etg", "19.a")
@pytest.mark.parametrize("denomination", [cents("0.25"), cents(2), cents(0)])
def test_denomination_is_one_that_the_terminal_offers(denomination: Cents) -> None:
    """A credit cannot be worth what the terminal does not offer, nor change its worth while chips are in play."""
    play = Play(VENUE)
    play.seat("T1", cents(100), TerminalSettings(denominations=(HALF, DOLLAR)))
    play.open()

    assert refused(play.ask(ChooseDenomination(T1, denomination), DeviceId(T1))) == ("setting_impossible", "10")
    play.bet("T1", "5 on 17")
    assert refused(play.ask(ChooseDenomination(T1, DOLLAR), DeviceId(T1))) == ("out_of_turn", "10")


@pytest.mark.clause("clearwater-etg", "19.b")
def test_pattern_holds_every_chip_of_the_game() -> None:
    """With 5 on 17, 10 on red and 5 on 0/00 the pattern has three entries of 20 credits in all."""
    play = saved(TWENTY, credit=1_000)

    assert patterns(play) == {1: {"17": 5, "red": 10, "0/00": 5}}
    assert sum(patterns(play)[1].values()) == 20


@pytest.mark.clause("clearwater-etg", "19.b")
def test_pattern_of_no_chips_is_not_saved() -> None:
    """Without chips in the game there is no pattern to save, and an empty slot gives none back."""
    play = Play(VENUE)
    play.seats(T1=100)
    play.open()

    assert refused(play.touch("T1", SavePattern, 1)) == ("nothing_there", "9")
    assert refused(play.touch("T1", RecallPattern, 1)) == ("nothing_there", "19.a")
    assert patterns(play) == {}


@pytest.mark.clause("clearwater-etg", "19.b")
def test_pattern_holds_the_chips_of_its_own_game() -> None:
    """Chips of the other game on the same terminal are no part of the pattern."""
    play = saved("5 on 17", credit=1_000)
    play.bet("T1", "7 on 20", RIGHT)
    play.touch("T1", SavePattern, 2, table=RIGHT)

    assert patterns(play) == {1: {"17": 5}, 2: {"20": 7}}


@pytest.mark.clause("clearwater-etg", "19.c")
@pytest.mark.parametrize(("override", "kept"), [(False, {"17": 5, "red": 10, "0/00": 5}), (True, {"20": 7})])
def test_slot_that_is_taken_is_overridden_or_kept(override: bool, kept: dict[str, int]) -> None:  # noqa: FBT001
    """Saving on a slot that is taken asks first: with Cancel the old pattern stays, with Override the new one does."""
    play = saved(TWENTY, credit=1_000)
    play.bet("T1", "7 on 20")
    assert refused(play.touch("T1", SavePattern, 1)) == ("slot_taken", "19.c")
    if override:
        play.touch("T1", SavePattern, 1, True)  # noqa: FBT003 - the command's own field

    assert patterns(play)[1] == kept


@pytest.mark.clause("clearwater-etg", "19.d")
def test_ghost_chips_cost_nothing_until_they_are_confirmed() -> None:
    """A pattern of 20 credits shows as ghost chips at no cost, and Confirm takes 20."""
    play = saved(TWENTY, credit=1_000)
    play.touch("T1", RecallPattern, 1)
    assert ghosts(play) == {"17": 5, "red": 10, "0/00": 5}
    assert (play.layout("T1"), play.credit("T1")) == ({}, 1_000)
    play.touch("T1", ConfirmRecall)

    assert (play.layout("T1"), play.credit("T1"), ghosts(play)) == ({"17": 5, "red": 10, "0/00": 5}, 980, {})
    assert refused(play.touch("T1", ConfirmRecall)) == ("nothing_there", "9")
    play.check()


@pytest.mark.clause("clearwater-etg", "19.d")
def test_cancel_leaves_everything_as_it_was() -> None:
    """After Cancel credits and layout are as before the recall, and there is nothing to confirm."""
    play = saved(TWENTY, credit=1_000)
    play.bet("T1", "5 on red")
    play.touch("T1", RecallPattern, 1)
    play.touch("T1", CancelRecall)

    assert (play.layout("T1"), play.credit("T1"), ghosts(play)) == ({"red": 5}, 995, {})
    assert refused(play.touch("T1", ConfirmRecall)) == ("nothing_there", "9")
    assert refused(play.touch("T1", CancelRecall)) == ("nothing_there", "9")
    play.check()


@pytest.mark.clause("clearwater-etg", "19.d")
def test_confirmed_pattern_is_added_to_what_lies_there() -> None:
    """Red 5 and a pattern of 20 with red 10 make 25 in all, 15 of them on red."""
    play = saved(TWENTY, credit=1_000)
    play.bet("T1", "5 on red")
    play.touch("T1", RecallPattern, 1)
    play.touch("T1", ConfirmRecall)

    assert play.layout("T1") == {"red": 15, "17": 5, "0/00": 5}
    assert (screen(play).staked, play.credit("T1")) == (25_00, 975)
    play.check()


@pytest.mark.clause("clearwater-etg", "19.d")
@pytest.mark.parametrize(
    ("limit_settings", "lies", "refusal"),
    [
        (limits(most=14), "5 on red", ("stake_over_maximum", "14.e")),
        (LimitSettings(total=LimitBounds(most=cents(24))), "5 on red", ("total_over_maximum", "14.b")),
    ],
)
def test_confirmed_pattern_keeps_the_limits(limit_settings: LimitSettings, lies: str, refusal: tuple[str, str]) -> None:
    """A pattern that goes beyond the limits with what lies there is not placed, nor any part of it."""
    play = saved(TWENTY, credit=1_000, limit_settings=limit_settings)
    play.bet("T1", lies)
    play.touch("T1", RecallPattern, 1)

    assert refused(play.touch("T1", ConfirmRecall)) == refusal
    assert (play.layout("T1"), play.credit("T1")) == ({"red": 5}, 995)


@pytest.mark.clause("clearwater-etg", "19.d")
def test_credits_are_counted_again_when_a_pattern_is_confirmed() -> None:
    """Ghost chips of 20 are refused when only 19 credits are left by the time of Confirm."""
    play = saved(TWENTY, credit=20)
    play.touch("T1", RecallPattern, 1)
    play.bet("T1", "1 on 5", RIGHT)

    assert refused(play.touch("T1", ConfirmRecall))[0] == "credit_short"
    assert (play.layout("T1"), play.credit("T1")) == ({}, 19)


@pytest.mark.clause("clearwater-etg", "19.d")
def test_ghost_chips_are_gone_at_no_more_bets() -> None:
    """Ghost chips that were not confirmed in time are not played, and are gone in the next game."""
    play = saved(TWENTY, credit=1_000)
    play.touch("T1", RecallPattern, 1)
    play.by("attendant", SpinBall(TABLE))
    play.must(CloseBets(TABLE))
    assert play.table.phase is Phase.RUNNING
    assert refused(play.touch("T1", ConfirmRecall)) == ("bets_closed", "16.a")
    play.rest("17")
    play.open()

    assert (ghosts(play), play.credit("T1")) == ({}, 1_000)
    assert refused(play.touch("T1", ConfirmRecall)) == ("nothing_there", "9")
    play.check()


@pytest.mark.clause("clearwater-etg", "19.d")
def test_patterns_outlast_their_round() -> None:
    """A pattern saved in one game is recalled in the next."""
    play = saved(TWENTY, credit=1_000)
    play.close()
    play.rest("17")
    play.open()
    play.touch("T1", RecallPattern, 1)
    play.touch("T1", ConfirmRecall)

    assert play.credit("T1") == 980


@pytest.mark.clause("clearwater-etg", "19.e")
@pytest.mark.parametrize(
    ("credit", "placed"),
    [
        (41, (10, 20, 10)),
        (40, (10, 20, 10)),
        (39, (5, 10, 5)),
        (25, (5, 10, 5)),
        (20, (5, 10, 5)),
        (19, (1, 2, 1)),
        (4, (1, 2, 1)),
    ],
)
def test_pattern_is_reduced_to_the_credits(credit: int, placed: tuple[float, float, float]) -> None:
    """Four chips of 10 become four of 5 or of 1, whichever is the largest chip that the credits allow."""
    play = saved(FORTY, credit=credit)
    play.touch("T1", RecallPattern, 1)
    reduced = dict(zip(("17", "red", "0/00"), placed, strict=True))
    assert (ghosts(play), play.credit("T1")) == (reduced, credit)
    play.touch("T1", ConfirmRecall)

    assert (play.layout("T1"), play.credit("T1")) == (reduced, credit - sum(placed))
    play.check()


@pytest.mark.clause("clearwater-etg", "19.e")
@pytest.mark.parametrize("credit", [3, 1, 0])
def test_pattern_that_cannot_be_reduced_is_not_placed(credit: int) -> None:
    """With 3 credits or fewer not even four chips of 1 can be placed, and no ghost chips are shown."""
    play = saved(FORTY, credit=credit)

    assert refused(play.touch("T1", RecallPattern, 1)) == ("credit_short", "19.e")
    assert (ghosts(play), play.layout("T1"), play.credit("T1")) == ({}, {}, credit)


@pytest.mark.clause("clearwater-etg", "19.e")
def test_pattern_is_reduced_only_to_chips_that_the_terminal_has() -> None:
    """With chips of 5 and 10 alone 19 credits place nothing."""
    play = Play(VENUE)
    play.seat("T1", cents(59), TerminalSettings(denominations=(DOLLAR,), chips=(5, 10)))
    play.open()
    play.bet("T1", FORTY)
    play.touch("T1", SavePattern, 1)

    assert play.credit("T1") == 19
    assert refused(play.touch("T1", RecallPattern, 1)) == ("credit_short", "19.e")


@pytest.mark.clause("clearwater-etg", "19.e")
def test_pieces_reduced_under_the_minimum_are_red_and_go_back() -> None:
    """With a minimum of 5 the pieces of 1 and 2 that 19 credits allow are red, and go back at the close."""
    play = saved(FORTY, credit=19, limit_settings=limits(least=5))
    (recalled,) = play.must(RecallPattern(*play.game("T1"), 1), DeviceId(T1))
    assert isinstance(recalled, PatternRecalled)
    play.touch("T1", ConfirmRecall)
    assert set(screen(play).red) == {"17", "red", "0/00"}
    play.close()

    assert (play.layout("T1"), play.credit("T1")) == ({}, 19)
    play.check()
