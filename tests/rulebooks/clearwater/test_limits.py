"""Clearwater's limits in the house: on a spot, by its kind, on all bets together, and what a terminal shows of them."""

import pytest

from croupier.house.ids import TerminalId
from croupier.house.play.betting import BetsReturned, ChangeBet, DoubleBets, PlaceBets, ReturnReason
from croupier.house.settings import LimitBounds, LimitSettings, TableSettings, TerminalSettings
from croupier.house.views import SpotLimits, TerminalView, terminal_view
from croupier.rules.geometry import COMMON_KINDS, SpotKey, SpotKind
from tests.support.house_driver import P1, TABLE, Play, cents, limits, refused, spot_limits

VENUE = "clearwater-etg"
EVEN_MONEY = (SpotKind("red"), SpotKind("black"), SpotKind("odd"), SpotKind("even"), SpotKind("low"), SpotKind("high"))
FIVE_UP = LimitBounds(cents(5))


def table(limit_settings: LimitSettings, credit: int = 1_000) -> Play:
    """Find T1 with credits at a table with limits, betting open."""
    play = Play(VENUE, TableSettings(limits=limit_settings))
    play.seats(T1=credit)
    play.open()
    return play


def totals(least: int | None = None, most: int | None = None, spot_least: int | None = None) -> LimitSettings:
    """Limits on all bets together, and a least on each spot, in dollars."""
    bounds = LimitBounds(None if least is None else cents(least), None if most is None else cents(most))
    return LimitSettings(LimitBounds(None if spot_least is None else cents(spot_least)), total=bounds)


def screen(play: Play) -> TerminalView:
    return terminal_view(play.house, TerminalId("T1"), TABLE, play.now)


def returns(play: Play) -> list[tuple[ReturnReason, str, tuple[str, ...]]]:
    """What went back unplayed, why, and by which clause, in order."""
    return [(each.why, each.clause, each.spots) for each in play.events if isinstance(each, BetsReturned)]


@pytest.mark.clause("clearwater-etg", "10")
@pytest.mark.parametrize(("chip", "stake"), [(5, 100), (10, 95), (6, 95), (1_000, 95)])
def test_tapping_a_chip_raises_it_up_to_the_highest_value(chip: int, stake: int) -> None:
    """At most 100 may lie on a spot: on 95 a tap of 5 makes 100, and a tap of more adds nothing."""
    play = table(limits(most=100), credit=2_000)
    play.bet("T1", "95 on 17")
    answer = play.bet("T1", f"{chip} on 17")

    assert isinstance(answer, tuple) or refused(answer) == ("stake_over_maximum", "14.e")
    assert (play.layout("T1"), play.credit("T1")) == ({"17": stake}, 2_000 - stake)
    play.check()


@pytest.mark.clause("clearwater-etg", "10")
def test_chip_worth_more_than_the_credits_is_refused() -> None:
    """With 4 credits a chip of 5 is refused, and 4 stay."""
    play = table(LimitSettings(), credit=4)

    assert refused(play.bet("T1", "5 on 17")) == ("credit_short", "10")
    assert (play.layout("T1"), play.credit("T1")) == ({}, 4)


@pytest.mark.clause("clearwater-etg", "10")
def test_raise_that_takes_the_total_over_its_highest_value_is_refused() -> None:
    """Tapping adds no part of a chip that would take all bets over their maximum together."""
    play = table(totals(most=100))
    play.bet("T1", "60 on 17; 35 on red")

    assert refused(play.bet("T1", "10 on 17")) == ("total_over_maximum", "14.b")
    assert refused(play.touch("T1", DoubleBets)) == ("total_over_maximum", "14.b")
    assert (play.layout("T1"), play.credit("T1")) == ({"17": 60, "red": 35}, 905)


@pytest.mark.clause("clearwater-etg", "10")
@pytest.mark.parametrize("amount", [0, -5_00])
def test_tap_of_nothing_or_less_is_refused(amount: int) -> None:
    """A tap never lowers a bet."""
    play = table(LimitSettings())
    play.bet("T1", "10 on 17")

    assert refused(play.touch("T1", PlaceBets, (("17", amount),))) == ("stake_not_positive", "10")
    assert play.layout("T1") == {"17": 10}


@pytest.mark.clause("clearwater-etg", "10")
def test_stake_is_a_whole_number_of_credits() -> None:
    """At 0.50 a credit 10.25 is refused and 10.50 is 21 credits."""
    play = Play(VENUE)
    play.seat("T1", cents(100), TerminalSettings(denominations=(cents("0.50"),)))
    play.open()

    assert refused(play.bet("T1", "10.25 on 17")) == ("not_whole_credits", "10")
    play.bet("T1", "10.50 on 17")
    assert (screen(play).credits, screen(play).residual) == (179, 0)


@pytest.mark.clause("clearwater-etg", "11")
def test_bet_under_the_minimum_is_red_and_goes_back_at_the_close() -> None:
    """With a minimum of 5, 3 on 17 are red and go back after no more bets, and 10 on red play."""
    play = table(limits(least=5))
    play.bet("T1", "3 on 17; 10 on red")
    assert screen(play).red == ("17",)
    play.close()

    assert returns(play) == [(ReturnReason.UNDER_MINIMUM, "11", ("17",))]
    assert (play.layout("T1"), play.credit("T1")) == ({"red": 10}, 990)
    play.rest("1")
    assert play.credit("T1") == 1_010
    play.check()


@pytest.mark.clause("clearwater-etg", "11")
def test_bet_raised_to_the_minimum_in_time_plays() -> None:
    """3 on 17 raised to the minimum of 5 are red no more, and nothing goes back."""
    play = table(limits(least=5))
    play.bet("T1", "3 on 17")
    play.bet("T1", "2 on 17")
    assert screen(play).red == ()
    play.close()

    assert (returns(play), play.layout("T1")) == ([], {"17": 5})


@pytest.mark.clause("clearwater-etg", "11")
def test_bet_lowered_under_the_minimum_is_red_again() -> None:
    """5 on 17 made 4 are red with a minimum of 5, and the 4 go back at the close."""
    play = table(limits(least=5))
    play.bet("T1", "5 on 17")
    play.touch("T1", ChangeBet, SpotKey("17"), cents(4))
    assert screen(play).red == ("17",)
    play.close()

    assert (returns(play), play.credit("T1")) == ([(ReturnReason.UNDER_MINIMUM, "11", ("17",))], 1_000)


@pytest.mark.clause("clearwater-etg", "11")
@pytest.mark.clause("clearwater-etg", "14.c")
def test_what_the_red_bets_leave_is_held_against_the_minimum_total() -> None:
    """With least 5 on a spot and 10 in all, 3 on 17 go back first, then the 8 on red that are too few alone."""
    play = table(totals(least=10, spot_least=5))
    play.bet("T1", "3 on 17; 8 on red")
    play.close()

    assert returns(play) == [(ReturnReason.UNDER_MINIMUM, "11", ("17",)), (ReturnReason.UNDER_TOTAL, "14.c", ("red",))]
    assert (play.layout("T1"), play.credit("T1")) == ({}, 1_000)
    play.check()


@pytest.mark.clause("clearwater-etg", "14")
def test_information_box_shows_the_total_limits() -> None:
    """With totals of 5 and 500 the box shows 5 and 500, in every state of the round."""
    play = table(totals(5, 500))
    shown = {(screen(play).total_least, screen(play).total_most)}
    play.close()
    shown |= {(screen(play).total_least, screen(play).total_most)}
    play.rest("17")
    shown |= {(screen(play).total_least, screen(play).total_most)}

    assert shown == {(5_00, 500_00)}


@pytest.mark.clause("clearwater-etg", "14")
def test_terminal_may_have_limits_of_its_own() -> None:
    """A terminal's own limits stand in the place of its table's, in the box and at each bet."""
    play = Play(VENUE, TableSettings(limits=totals(5, 500)))
    play.seat("T1", cents(1_000), TerminalSettings(limits=totals(10, 50)))
    play.open()

    assert (screen(play).total_least, screen(play).total_most) == (10_00, 50_00)
    assert refused(play.bet("T1", "51 on 17")) == ("total_over_maximum", "14.b")


@pytest.mark.clause("clearwater-etg", "14.a")
def test_every_field_shows_its_least_its_most_and_its_greatest_win() -> None:
    """Each of the 161 fields has three values of its own; a straight up with most 100 shows a win of 3600."""
    bounds = {kind: LimitBounds(cents(1), cents(100 * at)) for at, kind in enumerate(COMMON_KINDS, start=1)}
    play = table(LimitSettings(kinds=tuple(bounds.items())))
    shown = spot_limits(play.house, TerminalId("T1"), TABLE)

    prices = play.rulebook.paytable.prices
    assert len(shown) == 161
    for key, spot in play.rulebook.spots.items():
        most = bounds[spot.kind].most
        assert most is not None
        win = most * (prices[spot.kind].pays + 1)
        assert shown[key] == SpotLimits(bounds[spot.kind].least, most, cents(str(win // 100)))
    assert shown[SpotKey("17")] == SpotLimits(cents(1), cents(100), cents(3_600))


@pytest.mark.clause("clearwater-etg", "14.a")
def test_field_without_limits_shows_none() -> None:
    """Where the venue has set no limits a field has no values to show."""
    shown = spot_limits(table(LimitSettings()).house, TerminalId("T1"), TABLE)

    assert set(shown.values()) == {SpotLimits(None, None, None)}


@pytest.mark.clause("clearwater-etg", "14.b")
@pytest.mark.parametrize(("more", "total"), [("5 on 17", 200), ("10 on 17", 195), ("6 on 17", 195), ("5 on 1", 200)])
def test_maximum_total_of_all_bets(more: str, total: int) -> None:
    """With at most 200 in all, 195 and 5 more are taken and 195 and 10 more are not."""
    play = table(totals(most=200))
    play.bet("T1", "100 on red; 95 on 20")
    answer = play.bet("T1", more)

    assert isinstance(answer, tuple) or refused(answer) == ("total_over_maximum", "14.b")
    assert play.credit("T1") == 1_000 - total
    play.check()


@pytest.mark.clause("clearwater-etg", "14.b")
def test_maximum_total_is_for_a_single_game_round() -> None:
    """What was bet in one round takes nothing off what may be bet in the next."""
    play = table(totals(most=200))
    play.bet("T1", "200 on red")
    play.close()
    play.rest("0")
    play.open()

    assert isinstance(play.bet("T1", "200 on red"), tuple)


@pytest.mark.clause("clearwater-etg", "14.c")
@pytest.mark.parametrize(("stake", "plays"), [(5, False), (9, False), (10, True)])
def test_minimum_total_to_take_part(stake: int, plays: bool) -> None:  # noqa: FBT001
    """With at least 10 in all, 5 alone on red go back at the close and are in no round, and 10 play."""
    play = table(totals(least=10))
    play.bet("T1", f"{stake} on red")
    play.close()

    assert returns(play) == ([] if plays else [(ReturnReason.UNDER_TOTAL, "14.c", ("red",))])
    assert play.table.round is not None
    assert play.table.round.layouts == ({P1: {"red": 10_00}} if plays else {})
    assert play.credit("T1") == (990 if plays else 1_000)
    play.rest("1")
    assert play.credit("T1") == (1_010 if plays else 1_000)
    play.check()


@pytest.mark.clause("clearwater-etg", "14.d")
def test_each_kind_has_a_minimum_of_its_own() -> None:
    """With least 1 on a straight up and 5 on even money, 3 on red are red and go back, and 1 on 17 plays."""
    even = tuple((kind, FIVE_UP) for kind in EVEN_MONEY)
    play = table(LimitSettings(kinds=((SpotKind("straight"), LimitBounds(cents(1))), *even)))
    play.bet("T1", "3 on red; 1 on 17")
    assert screen(play).red == ("red",)
    play.close()

    assert returns(play) == [(ReturnReason.UNDER_MINIMUM, "11", ("red",))]
    assert (play.layout("T1"), play.credit("T1")) == ({"17": 1}, 999)
    play.check()


@pytest.mark.clause("clearwater-etg", "14.e")
@pytest.mark.parametrize(
    ("slip", "accepted"), [("200 on 17/20", True), ("201 on 17/20", False), ("201 on 17", True), ("201 on red", True)]
)
def test_each_kind_has_a_maximum_of_its_own(slip: str, accepted: bool) -> None:  # noqa: FBT001
    """With at most 200 on a split, 200 on one are taken and 201 are not, and another kind is not bound by it."""
    play = table(LimitSettings(kinds=((SpotKind("split"), LimitBounds(most=cents(200))),)))
    answer = play.bet("T1", slip)

    if accepted:
        assert isinstance(answer, tuple)
    else:
        assert refused(answer) == ("stake_over_maximum", "14.e")


@pytest.mark.clause("clearwater-etg", "14.f")
@pytest.mark.parametrize(
    ("kind", "spot", "most", "win"),
    [
        (SpotKind("five"), "0/00/1/2/3", 50, 350),
        (SpotKind("straight"), "00", 100, 3_600),
        (SpotKind("split"), "0/00", 200, 3_600),
        (SpotKind("street"), "0/1/2", 10, 120),
        (SpotKind("corner"), "1/2/4/5", 10, 90),
        (SpotKind("six_line"), "1/2/3/4/5/6", 10, 60),
        (SpotKind("dozen"), "dozen 1", 10, 30),
        (SpotKind("red"), "red", 500, 1_000),
    ],
)
def test_greatest_win_counts_the_stake_in(kind: SpotKind, spot: str, most: int, win: int) -> None:
    """The greatest win on a field is its most with all that comes back on it: 350 for 50 on the five numbers (C19)."""
    play = table(LimitSettings(kinds=((kind, LimitBounds(most=cents(most))),)))

    assert spot_limits(play.house, TerminalId("T1"), TABLE)[SpotKey(spot)].win == cents(win)
