"""SkyCity Adelaide, clause by clause: the numbers that each clause of its rules comes to."""

from datetime import date
from fractions import Fraction
from itertools import pairwise

import pytest

from croupier.rules.calls import MarkerLimits, MarkerUse, marker_objection
from croupier.rules.geometry import Colour, Pocket, SpotKind
from croupier.rules.limits import Limits, Range, limit_objections
from croupier.rules.money import Cents
from croupier.rules.notation import read_pocket
from croupier.rules.pricing import Bet, settle_bets, spot_edge
from croupier.rules.procedure import (
    ChannelName,
    CloseRule,
    CreditIn,
    CreditOut,
    Effect,
    MessageKind,
    Reason,
    Spin,
    assess_spin,
)
from croupier.rules.refusal import ClauseId, Code, Refused
from tests.conftest import venue
from tests.support.rules_driver import RulesDriver

VENUE = "skycity-adelaide-2003"
RULES = RulesDriver(VENUE)
row, placed, settled, refused = RULES.row, RULES.placed, RULES.settled, RULES.refused
EDGE = Fraction(1, 37)  # 37 pockets, paid as if 36


def around(pocket: str) -> set[str]:
    """Give a number and its neighbours."""
    return {pocket, *venue(VENUE).wheel.neighbours(Pocket(pocket), each_side=2)}


@pytest.mark.clause("skycity-adelaide-2003", "Header")
def test_day_of_approval() -> None:
    """The rulebook is the document as approved at 20 May 2003."""
    assert venue(VENUE).effective == date(2003, 5, 20)


@pytest.mark.clause("skycity-adelaide-2003", "1 (Diagram 1)")
@pytest.mark.clause("skycity-adelaide-2003", "5.2(b)")
def test_wheel_has_37_pockets_in_alternating_colours() -> None:
    """The wheel has 37 different pockets, 0 green and the others red and black in turn."""
    wheel = venue(VENUE).wheel
    order = wheel.order
    assert len(order) == len(set(order)) == 37
    assert [pocket for pocket in order if wheel.colour(pocket) is Colour.GREEN] == ["0"]
    assert all(wheel.colour(one) is not wheel.colour(next_to_it) for one, next_to_it in pairwise((*order, order[0])))
    assert around("0") == {"0", "3", "15", "26", "32"}
    assert " ".join(order) == (
        "0 32 15 19 4 21 2 25 17 34 6 27 13 36 11 30 8 23 10 5 24 16 33 1 20 14 31 9 22 18 29 7 28 12 35 3 26"
    )


@pytest.mark.clause("skycity-adelaide-2003", "5.1(a)")
def test_neighbours_are_two_on_either_side() -> None:
    """0 and Neighbours is 0, 3, 15, 26 and 32, and every number has five such."""
    assert around("0") == {"0", "3", "15", "26", "32"}
    assert around("22") == {"31", "9", "22", "18", "29"}
    assert {len(around(pocket)) for pocket in venue(VENUE).pockets} == {5}


@pytest.mark.clause("skycity-adelaide-2003", "5.2(a)")
def test_marker_button_17() -> None:
    """The button with 17 at its centre has 2, 25, 34 and 6 around the rim."""
    assert around("17") - {"17"} == {"2", "25", "34", "6"}


@pytest.mark.parametrize(
    ("kind", "count"),
    [
        (SpotKind("straight"), 37),
        (SpotKind("split"), 60),
        (SpotKind("street"), 14),
        (SpotKind("corner"), 23),
        (SpotKind("six_line"), 11),
    ],
)
@pytest.mark.clause("skycity-adelaide-2003", "3 (Diagram 3)")
def test_how_many_of_a_kind(kind: SpotKind, count: int) -> None:
    """The table's layout has exactly so many positions of the kind."""
    assert sum(spot.kind == kind for spot in venue(VENUE).spots.values()) == count


@pytest.mark.clause("skycity-adelaide-2003", "3 (Diagram 3)")
@pytest.mark.parametrize(
    ("spot", "along", "across"),
    [("0/1/2", 0, 4), ("0/2/3", 0, 8), ("0/1/2/3", 0, 0), ("0/3", 0, 10), ("17/20", 24, 6), ("34/35/36", 46, 0)],
)
def test_where_a_chip_is_placed(spot: str, along: int, across: int) -> None:
    """A chip goes where its numbers meet, in quarters of a cell from row 1 and from the line beside the Dozens."""
    anchor = placed(f"1 on {spot}")[0].spot.anchor
    assert (anchor.along, anchor.across) == (along, across)


@pytest.mark.clause("skycity-adelaide-2003", "4 (Diagram 4)")
def test_terminal_has_157_positions_and_no_double_zero() -> None:
    """The terminal's layout has 145 inside and 12 outside positions, and nothing with 00."""
    sizes = [len(spot.numbers) for spot in venue(VENUE).spots.values()]
    assert (len(sizes), sum(size <= 6 for size in sizes)) == (157, 145)
    for spot in ("00", "0/00", "00/2/3"):
        assert refused(f"5 on {spot}", "terminal")[0] is Code.SPOT_NOT_ON_LAYOUT


@pytest.mark.parametrize(
    ("slip", "pocket", "returned", "net"),
    [
        ("25 on neighbours 0", "15", 180_00, 155_00),  # 5 on 15 pays 175; the other 20 are collected
        ("25 on neighbours 0", "4", 0, -25_00),
        ("27 on neighbours 0", "32", 194_40, 167_40),  # 5.40 pays 189
        ("27 on neighbours 0", "4", 0, -27_00),
    ],
)
@pytest.mark.clause("skycity-adelaide-2003", "6(j)")
def test_a_fifth_of_a_marker_bet_is_paid(slip: str, pocket: str, returned: int, net: int) -> None:
    """On a hit a fifth of the total is paid as a straight up and the rest is lost; on a miss all of it is."""
    assert (settled(slip, pocket).returned, settled(slip, pocket).net) == (returned, net)


@pytest.mark.clause("skycity-adelaide-2003", "6(h)")
def test_the_wrong_marker_button_loses() -> None:
    """With the button of 26 on it, 25 loses on 15, which the button of 0 would have covered."""
    assert around("26") == {"35", "3", "26", "0", "32"}
    assert settled("25 on neighbours 26", "15").net == -25_00


@pytest.mark.clause("skycity-adelaide-2003", "6(a)")
@pytest.mark.clause("skycity-adelaide-2003", "6(n)")
def test_neighbours_are_bet_on_the_table_alone() -> None:
    """Neighbours are five fifths on the live table; the terminal, which shows the layout alone, refuses them."""
    assert [bet.stake for bet in placed("25 on neighbours 0", "table")] == [5_00] * 5
    assert refused("25 on neighbours 0", "terminal") == (Code.CALL_NOT_OFFERED, "6(n)")


#: A table minimum of 5, and at most two marker bets on a number in a spin.
TWICE = MarkerLimits(Cents(5_00), per_number=2)
NOTICE = MarkerLimits(Cents(5_00), unit=Cents(10_00))
DESIGNATED = MarkerLimits(Cents(5_00), designated_only=True)


@pytest.mark.parametrize(
    ("total", "already", "limits", "code"),
    [
        (20_00, 0, TWICE, Code.MARKER_UNDER_MINIMUM),
        (24_95, 0, TWICE, Code.MARKER_UNDER_MINIMUM),
        (25_00, 0, TWICE, None),
        (25_00, 1, TWICE, None),
        (25_00, 2, TWICE, Code.MARKER_BETS_PER_NUMBER),
        (27_00, 0, TWICE, None),
        (9_95, 0, NOTICE, Code.MARKER_UNDER_MINIMUM),
        (10_00, 9, NOTICE, None),
        (25_00, 0, DESIGNATED, Code.MARKER_NOT_DESIGNATED),
    ],
)
@pytest.mark.clause("skycity-adelaide-2003", "12(a)")
def test_limits_of_marker_bets(total: int, already: int, limits: MarkerLimits, code: Code | None) -> None:
    """A marker bet is five times the table minimum or the notice's unit, so often on a number, by who is designated."""
    call = venue(VENUE).call_names["neighbours"]
    refusal = marker_objection(call, Cents(total), limits, MarkerUse(on_number=already))
    assert (refusal and refusal.code) == code
    assert refusal is None or refusal.clause == "12(a)"


@pytest.mark.parametrize(
    ("slip", "pocket", "winnings"),
    [
        row("8(a) A", "10 on 0", "0", 350_00),
        row("8(a) B", "10 on 0/3", "3", 170_00),
        row("8(a) C", "10 on 0/1/2", "0", 110_00),
        row("8(a) D", "10 on 0/1/2/3", "2", 80_00),
        row("8(a) E", "10 on 31/32/33/34/35/36", "36", 50_00),
        row("8(a) F", "10 on column 3", "36", 20_00),
        row("8(a) G", "10 on dozen 3", "25", 20_00),
        row("8(a) H", "10 on red", "36", 10_00),
        row("8(a) I", "10 on black", "35", 10_00),
        row("8(a) J", "10 on odd", "1", 10_00),
        row("8(a) K", "10 on even", "2", 10_00),
        row("8(a) L", "10 on low", "18", 10_00),
        row("8(a) M", "10 on high", "19", 10_00),
    ],
)
def test_payout_line(slip: str, pocket: str, winnings: int) -> None:
    """Ten staked wins what the line pays and stays the player's; the house keeps 1 in 37 in the long run."""
    settlement = settled(slip, pocket)
    assert (settlement.net, settlement.returned) == (winnings, winnings + 10_00)
    (bet,) = placed(slip)
    assert spot_edge(bet.spot, venue(VENUE).paytable, venue(VENUE).wheel) == EDGE


@pytest.mark.parametrize(
    ("slip", "pocket"),
    [
        row("8(a) F", "10 on column 3", "0"),
        row("8(a) G", "10 on dozen 3", "24"),
        row("8(a) H", "10 on red", "35"),
        row("8(a) I", "10 on black", "36"),
        row("8(a) J", "10 on odd", "2"),
        row("8(a) K", "10 on even", "0"),
        row("8(a) L", "10 on low", "19"),
        row("8(a) M", "10 on high", "18"),
    ],
)
def test_what_lies_outside_a_box_loses(slip: str, pocket: str) -> None:
    """A box loses its whole stake on a number beside it, and on 0."""
    assert settled(slip, pocket).net == -10_00


@pytest.mark.clause("skycity-adelaide-2003", "8(c)")
def test_what_wins_on_zero() -> None:
    """Of one unit on each of the 157 positions only the seven with 0 win, and bring back 123."""
    bets = tuple(Bet(spot, Cents(100)) for spot in venue(VENUE).spots.values())
    settlement = settle_bets(bets, venue(VENUE).paytable, Pocket("0"))
    winners = {each.bet.spot.key for each in settlement.bets if each.won}
    assert winners == {"0", "0/1", "0/2", "0/3", "0/1/2", "0/2/3", "0/1/2/3"}
    assert (settlement.staked, settlement.returned) == (157_00, 123_00)
    assert {each.clause for each in settlement.bets if not each.won} == {"8(c)"}


@pytest.mark.parametrize(
    ("slip", "codes"),
    [
        ("2 on 17", [Code.STAKE_UNDER_MINIMUM]),
        ("5 on 17", []),
        ("95 on 17; 10 on 17", [Code.STAKE_OVER_MAXIMUM]),
        ("95 on 17; 5 on 17", []),
    ],
)
@pytest.mark.clause("skycity-adelaide-2003", "7(h)v")
def test_terminal_limits(slip: str, codes: list[Code]) -> None:
    """With 5 to 100 set for a terminal, a spot takes both and nothing outside them."""
    limits = Limits(ClauseId("7(h)v"), ClauseId("7(h)v"), spot=Range(Cents(5_00), Cents(100_00)))
    assert [refusal.code for refusal in limit_objections(placed(slip), limits)] == codes


@pytest.mark.parametrize(
    ("spin", "clause"),
    [
        row("10(a)", Spin(opposite=False, revolutions=3), "10(a)"),
        row("9(b)", Spin(opposite=True, revolutions=2), "9(b)"),
        row("9(b)", Spin(opposite=True, revolutions=0), "9(b)"),
        row("10(c)", Spin(opposite=True, revolutions=3, clear_of_objects=False), "10(c)"),
        row("10(d)", Spin(opposite=True, revolutions=3, ball_seated=False), "10(d)"),
        row("10(e)", Spin(opposite=True, revolutions=3, ball_in_wheel=False), "10(e)"),
    ],
)
def test_no_spin(spin: Spin, clause: str) -> None:
    """A spin with one thing wrong is no spin under the clause on that thing: terminals are reset and it is re-spun."""
    found = assess_spin(spin, venue(VENUE).irregularities, revolutions_least=3)
    assert found is not None
    assert (found.clause, found.effect) == (clause, Effect.RESET_AND_RESPIN)


@pytest.mark.clause("skycity-adelaide-2003", "10(b)")
def test_dealer_may_anticipate_too_few_revolutions() -> None:
    """The dealer may call no spin on seeing that three revolutions will not be completed, before they are counted."""
    (found,) = (each for each in venue(VENUE).irregularities if each.clause == "10(b)")
    assert (found.reason, found.effect) == (Reason.TOO_FEW_ANTICIPATED, Effect.RESET_AND_RESPIN)
    assert found.by == ("Dealer",)


@pytest.mark.parametrize(
    "spin",
    [
        Spin(opposite=True, revolutions=3, ball_whole=False),
        Spin(opposite=True, revolutions=3, turning_throughout=False),
        Spin(opposite=True, revolutions=3, untouched=False),
    ],
)
@pytest.mark.clause("skycity-adelaide-2003", "12(i)")
def test_what_the_rules_do_not_cover_is_for_the_house(spin: Spin) -> None:
    """A broken ball, a wheel that stops and a hand on the wheel are in no clause: the House decides."""
    found = assess_spin(spin, venue(VENUE).irregularities, revolutions_least=3)
    assert found is not None
    assert (found.clause, found.effect) == ("12(i)", Effect.REFER)


@pytest.mark.clause("skycity-adelaide-2003", "9(b)")
def test_three_revolutions_make_a_spin() -> None:
    """A ball spun against the wheel for three revolutions is a valid spin."""
    figure = venue(VENUE).procedure.revolutions
    assert figure is not None
    assert (figure.value, figure.clause) == (3, "9(b)")
    spin = Spin(opposite=True, revolutions=3)
    assert assess_spin(spin, venue(VENUE).irregularities, revolutions_least=figure.value) is None


@pytest.mark.parametrize(
    ("clause", "reasons"),
    [
        row(
            "12(b)i",
            "12(b)i",
            {Reason.COMMOTION, Reason.FIRE, Reason.RIOT, Reason.BRAWL, Reason.ROBBERY, Reason.ACT_OF_GOD},
        ),
        row("12(b)ii", "12(b)ii", {Reason.FRAUD_BY_PLAYER, Reason.FRAUD_BY_DEALER}),
    ],
)
def test_outcome_invalidated(clause: str, reasons: set[Reason]) -> None:
    """An outcome is invalidated by the shift manager for the reasons that the clause lists, and no other."""
    found = [each for each in venue(VENUE).irregularities if each.clause == clause]
    assert {each.reason for each in found} == reasons
    assert {(each.effect, each.by) for each in found} == {(Effect.INVALIDATE, ("Shift Manager",))}


@pytest.mark.parametrize("text", ["37", "00", "-1", "", "17 "])
@pytest.mark.clause("skycity-adelaide-2003", "11(a)ii")
def test_number_not_on_the_layout(text: str) -> None:
    """A result that is no number of the layout is refused, 00 among them."""
    with pytest.raises(Refused) as raised:
        read_pocket(venue(VENUE), text)
    assert raised.value.refusal.code is Code.POCKET_NOT_ON_WHEEL


@pytest.mark.parametrize(
    ("occasion", "texts"),
    [
        row("7(h)ii", MessageKind.FINISH_BETTING, {"Finish Betting"}),
        row("7(h)ii", MessageKind.CLOSED, {"No More Bets"}),
        row("9(c)", MessageKind.CLOSED_CALL, {"NO MORE BETS"}),
        row("10(f)", MessageKind.NO_SPIN, {"No Spin"}),
    ],
)
def test_words(occasion: MessageKind, texts: set[str]) -> None:
    """The terminal and the dealer have the words of the document for each moment, and no others."""
    assert set(venue(VENUE).messages[occasion].texts) == texts


@pytest.mark.clause("skycity-adelaide-2003", "9(c)")
@pytest.mark.clause("skycity-adelaide-2003", "11(f)")
def test_close_and_idle_spins() -> None:
    """Betting closes before the spin or during it; after three spins without a bet a player may be asked to leave."""
    assert venue(VENUE).procedure.closes.choice is CloseRule.BEFORE_OR_DURING_SPIN
    idle = venue(VENUE).terminal.idle_spins
    assert idle is not None
    assert (idle.value, idle.clause) == (3, "11(f)")


@pytest.mark.clause("skycity-adelaide-2003", "7(d)i")
@pytest.mark.clause("skycity-adelaide-2003", "7(e)")
def test_notes_in_and_slips_out() -> None:
    """A terminal takes notes and gives payment slips, and no other money passes it."""
    terminal = venue(VENUE).channels[ChannelName.TERMINAL]
    assert [(way.choice, way.clause) for way in terminal.credit_in] == [(CreditIn.NOTES, "7(d)i")]
    assert [(way.choice, way.clause) for way in terminal.credit_out] == [(CreditOut.PAYMENT_SLIP, "7(e)")]
