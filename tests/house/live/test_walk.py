"""The settlement of chips: collected first, then paid segment by segment, with the arithmetic of the rules."""

import time
from typing import Any, Final

import pytest
from msgspec.structs import replace

from croupier.house.floor.service import CloseTable, NotifyOfficer
from croupier.house.ids import PositionId, RoundNumber
from croupier.house.live.chip_settlement import BetCapped, ChipsSettled, OwnerAdvised, PaymentRounded, payout_plan
from croupier.house.live.floats import CloseFloat, CreditFloat
from croupier.house.live.payment_walk import AmendSeal, CollectLosers, LosersCollected, PaySegment, SegmentPaid
from croupier.house.live.seats_and_colours import LeaveTable, ReturnColour
from croupier.house.live.supervised import FinishPaying, RecordWinner, WinnerRecorded
from croupier.house.play.chip_bets import ChipsChanged
from croupier.house.rounds.opening import OpenBets
from croupier.house.rounds.results import ConfirmResult
from croupier.house.rounds.settlement import RoundSettled
from croupier.house.settings import Recording
from croupier.house.state.ledger import LedgerAccount
from croupier.house.state.live import Advice
from croupier.house.state.tables import Phase
from croupier.house.verification import ledger_problems
from croupier.rules.geometry import Pocket, SpotKey
from croupier.rules.refusal import ClauseId, Code
from croupier.server.views.live import walk_state
from tests.support.house_driver import ADELAIDE, TABLE, US, Play, cents, limits, refused
from tests.support.live_driver import LiveFloor, live_settings, settled_of

ONE: Final = RoundNumber(1)


def played(bets: dict[str, int], pocket: str, chip: str = "v100", **live: Any) -> LiveFloor:  # noqa: ANN401 - any setting
    """A round of one player at Adelaide that was settled on a number."""
    floor = LiveFloor(players=("one",), **live)
    floor.open()
    floor.place(floor.one, chip, bets)
    floor.result(pocket)
    return floor


@pytest.mark.clause(ADELAIDE, "5.6(a)")
def test_colour_is_paid_by_its_declared_value() -> None:
    """Blue at 5, declared above a minimum of 1: five pieces on 17 are 25 and pay 875, as 175 pieces."""
    floor = LiveFloor(settings=replace(live_settings(), limits=limits(2, 100)))
    floor.buy(floor.one, 20, "blue", 2)
    floor.open()
    floor.place(floor.one, "blue", {"17": 5})
    floor.result("17")
    (payment,) = floor.pay("inside").payments
    assert (payment.value, payment.chips) == (cents(350), (("blue", 175),))
    assert floor.out() == 185


def test_picture_bet_is_paid_in_pieces() -> None:
    """Blue at 5: 2 on 17, 3 on 17/20 and 4 on 16/17/19/20 pay 70 + 51 + 32 = 153 pieces, which are 765."""
    floor = LiveFloor()
    floor.buy(floor.one, 45, "blue")
    floor.open()
    floor.place(floor.one, "blue", {"17": 2, "17/20": 3, "16/17/19/20": 4})
    settled = settled_of(floor.result("17"))
    assert (settled.collected, settled.payable) == (0, cents(765))
    assert floor.walk.collected
    (payment,) = floor.pay("inside").payments
    assert payment.chips == (("blue", 153),)
    assert floor.table.phase is Phase.BETWEEN


def test_whole_stacks_are_paid_in_value_chips() -> None:
    """From 100 pieces on, seven stacks of twenty blue are 700 in value chips, and 13 blue are the rest."""
    floor = LiveFloor(cash_from=100)
    floor.buy(floor.one, 45, "blue")
    floor.open()
    floor.place(floor.one, "blue", {"17": 2, "17/20": 3, "16/17/19/20": 4})
    floor.result("17")
    (payment,) = floor.pay("inside").payments
    assert payment.chips == (("blue", 13), ("v10000", 7))


@pytest.mark.clause(ADELAIDE, "9(e)")
@pytest.mark.clause(US, "Rotation (4)")
@pytest.mark.parametrize(("rulebook_id", "clause"), [(ADELAIDE, "9(e)"), (US, "Rotation (4)")])
def test_losers_are_collected_before_winners_are_paid(rulebook_id: str, clause: str) -> None:
    """Payment before the collection is refused, and so is the next round before the last payment."""
    floor = LiveFloor(rulebook_id)
    floor.buy(floor.one, 50, "blue")
    floor.open()
    floor.place(floor.one, "blue", {"17": 1, "black": 1})
    floor.place(floor.two, "v100", {"red": 4, "5": 3})
    unit = 1 if rulebook_id == US else 5
    settled = settled_of(floor.result("17"))
    assert (settled.collected, settled.payable) == (cents(7), cents(36 * unit))
    assert floor.table.phase is Phase.PAYING

    assert floor.refuses(PaySegment(TABLE, ONE, "inside")) == ("collect_first", clause)
    assert floor.refuses(OpenBets(TABLE)) == ("not_all_paid", clause)
    (collected,) = floor.collect()
    assert collected == LosersCollected(TABLE, ONE, cents(7), (("v100", 7),))
    assert floor.refuses(CollectLosers(TABLE, ONE)) == ("already_there", clause)
    assert floor.pay("black").payments[0].value == cents(unit)
    assert floor.refuses(PaySegment(TABLE, ONE, "black")) == ("nothing_there", clause)
    assert floor.refuses(OpenBets(TABLE)) == ("not_all_paid", clause)
    assert floor.pay("inside").payments[0].value == cents(35 * unit)
    assert floor.walk.over
    assert floor.refuses(PaySegment(TABLE, ONE, "inside"))[0] == "wrong_round"
    assert floor.refuses(CollectLosers(TABLE, ONE))[0] == "out_of_turn"
    floor.open()
    assert floor.balance(LedgerAccount.CHIPS_PAYABLE) == 0


@pytest.mark.clause(ADELAIDE, "9(e)")
def test_collection_and_payment_of_the_document() -> None:
    """Losers of 35, and 10 on 17 and 10 on black win on 17: 35 are collected, then 350 and 10 paid."""
    floor = LiveFloor()
    floor.open()
    floor.place(floor.one, "v500", {"17": 2, "black": 2})
    floor.place(floor.two, "v500", {"red": 4, "5": 3})
    settled = settled_of(floor.result("17"))
    assert (settled.collected, settled.payable) == (cents(35), cents(360))
    assert floor.pay_all() == {floor.one: cents(360)}


@pytest.mark.clause(ADELAIDE, "9(d)")
@pytest.mark.clause(US, "Rotation (3)")
@pytest.mark.parametrize(("rulebook_id", "clause"), [(ADELAIDE, "9(d)"), (US, "Rotation (3)")])
def test_dolly_marks_the_confirmed_number(rulebook_id: str, clause: str) -> None:
    """A dolly on 20 for 17 is refused, and nothing settles before the number is confirmed."""
    floor = LiveFloor(rulebook_id)
    floor.open()
    floor.place(floor.one, "v100", {"17": 4})
    floor.close()
    floor.rest("17", 5)
    assert floor.table.phase is Phase.AT_REST
    assert floor.refuses(ConfirmResult(TABLE, Pocket("17"), Pocket("20"))) == ("numbers_differ", clause)
    assert floor.refuses(CollectLosers(TABLE, ONE))[0] == "out_of_turn"
    settled = settled_of(floor.deal(ConfirmResult(TABLE, Pocket("17"), Pocket("17"))))
    assert settled.payable == cents(140)


@pytest.mark.clause(ADELAIDE, "12(f)")
def test_bet_over_the_maximum_is_settled_up_to_it() -> None:
    """130 on red pay 100 and stay if they win; if they lose 100 are collected and 30 go back."""
    won = played({"red": 26}, "1", "v500")
    assert won.pay_all() == {won.one: cents(100)}
    assert won.house.positions[won.one].bets == {"red": cents(130)}

    lost = LiveFloor(players=("one",))
    lost.open()
    lost.place(lost.one, "v500", red=26)
    events = lost.result("2")
    capped = next(event for event in events if isinstance(event, BetCapped))
    assert (capped.stake, capped.settled, capped.clause) == (cents(130), cents(100), "12(f)")
    assert settled_of(events).collected == cents(100)
    assert lost.house.positions[lost.one].bets == {}
    float_ = lost.live.float_
    assert float_ is not None
    before = float_.booked
    lost.collect()
    assert float_.booked - before == cents(100)
    assert lost.table.phase is Phase.BETWEEN


@pytest.mark.clause(ADELAIDE, "12(f)")
def test_part_of_a_piece_over_the_maximum_is_change() -> None:
    """A single chip of 125 on red that loses is collected, and 25 of it are paid back before the winners."""
    floor = played({"red": 1}, "2", "v12500", denominations=(cents(25), cents(125)))
    floor.collect()
    (payment,) = floor.pay("returns").payments
    assert (payment.value, payment.chips) == (cents(25), (("v2500", 1),))
    assert floor.balance(LedgerAccount.HOUSE) == cents(100)


@pytest.mark.clause(US, "Placement 5")
def test_us_bet_over_the_maximum_found_after_the_close() -> None:
    """6 on 17 that were not recorded: 4 are settled and pay 140, and 2 go back."""
    floor = LiveFloor(US)
    floor.open()
    floor.close()
    floor.signed(AmendSeal(TABLE, floor.one, ((SpotKey("17"), "v100", 6),), "Found."), floor.dealer, floor.chief)
    events = floor.result("17")
    assert [event.settled for event in events if isinstance(event, BetCapped)] == [cents(4)]
    assert floor.pay_all() == {floor.one: cents(140)}
    assert floor.house.positions[floor.one].bets == {"17": cents(4)}


@pytest.mark.clause(US, "Placement 5")
def test_us_bet_under_the_minimum_found_after_the_close_goes_back() -> None:
    """0.50 on 17 that were not recorded go back, and pay nothing."""
    floor = LiveFloor(US, denominations=(cents("0.50"), cents(1)))
    floor.open()
    floor.close()
    floor.signed(AmendSeal(TABLE, floor.one, ((SpotKey("17"), "v50", 1),), "Found."), floor.dealer, floor.chief)
    floor.result("17")
    assert floor.table.phase is Phase.BETWEEN
    assert floor.house.positions[floor.one].bets == {}


#: A float whose smallest chip is 5, at a venue with chips of 1.
FIVES: Final = {"denominations": (cents(5), cents(25), cents(100)), "circulating": (cents(1),)}


@pytest.mark.clause(ADELAIDE, "6(j)")
@pytest.mark.parametrize(
    ("pieces", "chip", "live", "paid", "stays", "collected"),
    [
        (5, "v500", {}, "175", "5", "20"),
        (135, "v20", {"denominations": (cents("0.20"),)}, "189", "5.40", "21.60"),
        (27, "v100", FIVES, "190", "6", "21"),
        (27, "v100", {**FIVES, "multiples": True}, "185", "5", "22"),
    ],
    ids=["25 on neighbours 0", "27 in chips of 0.20", "27 in chips of 1", "27 in chips of 1 under a notice"],
)
def test_winning_marker_bet(  # noqa: PLR0913, PLR0917 - the parts of an example
    pieces: int, chip: str, live: dict[str, Any], paid: str, stays: str, collected: str
) -> None:
    """A fifth of a marker bet on 0 is paid as a straight up on 15, chips for it stay there, the rest is collected."""
    floor = played({"neighbours 0": pieces}, "15", chip, **live)
    assert floor.house.positions[floor.one].bets == {"15": cents(stays)}
    (event,) = floor.collect()
    assert isinstance(event, LosersCollected)
    assert event.amount == cents(collected)
    assert floor.pay_all() == {floor.one: cents(paid)}


@pytest.mark.clause(ADELAIDE, "6(h)")
@pytest.mark.clause(ADELAIDE, "6(j)")
@pytest.mark.parametrize(
    ("chips", "notice", "placed"),
    [
        ({"blue": 1}, False, {"v500": 1}),
        ({"blue": 1}, True, {"v500": 1}),
        ({"blue": 7}, False, {"blue": 1, "v500": 2}),
        ({"v2500": 1}, False, {"v500": 1}),
        ({"v2500": 1, "v500": 3}, False, {"v500": 1, "v100": 3}),
        ({"blue": 1, "v500": 2}, False, {"v500": 1, "v100": 2}),
        ({"blue": 6, "v2500": 2}, True, {"blue": 1, "v500": 3}),
    ],
)
def test_fifth_of_a_marker_bet_is_changed_into_chips_of_the_float(
    chips: dict[str, int],
    notice: bool,  # noqa: FBT001 - a setting of the case
    placed: dict[str, int],
) -> None:
    """Pieces that do not make the fifth are changed: a fifth of the total lies on 15, not a piece more or less."""
    floor = LiveFloor(multiples=notice)
    floor.buy(floor.one, 250, "blue", 25)
    floor.open()
    for chip, count in chips.items():
        floor.place(floor.one, chip, {"neighbours 0": count})
    total = sum(count * (2_500 if chip == "blue" else int(chip[1:])) for chip, count in chips.items())
    floor.result("15")
    assert floor.player(floor.one).pieces == {"15": placed}
    assert floor.house.positions[floor.one].bets == {"15": total // 5}
    (collected,) = floor.collect()
    assert collected.amount == total - total // 5  # type: ignore[attr-defined]
    assert floor.pay_all() == {floor.one: 35 * total // 5}
    floor.check()


@pytest.mark.clause(ADELAIDE, "6(j)")
def test_walk_shows_the_chips_for_a_marker_bet() -> None:
    """One blue of 25 and two chips of 5 under a marker: one of the 5 stays on 15, with two of 1 from the float."""
    floor = LiveFloor()
    floor.buy(floor.one, 250, "blue", 25)
    floor.open()
    floor.place(floor.one, "blue", {"neighbours 0": 1})
    floor.place(floor.one, "v500", {"neighbours 0": 2})
    floor.place(floor.two, "v500", {"neighbours 17": 5})
    floor.result("15")
    walk = walk_state(floor.house, TABLE)
    assert walk is not None
    assert [(each.position, each.chip, each.pieces, each.stays, each.hit) for each in walk.markers] == [
        (floor.one, "blue", 1, 0, True),
        (floor.one, "v500", 2, 1, True),
        (floor.one, "v100", 0, 2, True),
        (floor.two, "v500", 5, 0, False),
    ]


@pytest.mark.clause(ADELAIDE, "6(j)")
def test_marker_bet_settles_by_its_button() -> None:
    """25 under marker 26 lose on 15, whatever was meant; under marker 0 they lose on 4."""
    for marker, pocket in (("26", "15"), ("0", "4")):
        floor = played({f"neighbours {marker}": 5}, pocket, "v500")
        assert floor.pay_all() == {}
        assert floor.balance(LedgerAccount.HOUSE) == cents(25)


@pytest.mark.clause(ADELAIDE, "6(j)")
@pytest.mark.clause(ADELAIDE, "12(f)")
def test_marker_fifth_counts_with_bets_on_its_number() -> None:
    """90 on 15 and 100 on neighbours 0: 110 on 15 settle as 100 and pay 3,500; 80 are collected."""
    floor = played({"15": 18, "neighbours 0": 20}, "15", "v500")
    (collected,) = floor.collect()
    assert isinstance(collected, LosersCollected)
    assert collected.amount == cents(80)
    assert floor.pay("inside").payments[0].value == cents(3_500)


@pytest.mark.clause(ADELAIDE, "12(g)")
@pytest.mark.parametrize(
    ("live", "bets", "pocket", "paid", "clause"),
    [
        ({**FIVES, "multiples": True}, {"red": 7}, "1", 5, "12(g)"),
        (FIVES, {"red": 7}, "1", 10, "12(g)"),
        ({**FIVES, "multiples": True}, {"17/20": 7}, "17", 115, "12(g)"),
        (FIVES, {"17/20": 7}, "17", 120, "12(g)"),
        ({**FIVES, "multiples": True}, {"17": 7}, "17", 245, None),
        (FIVES, {"17": 7}, "17", 245, None),
        ({**FIVES, "denominations": (cents("2.50"),), "multiples": True}, {"red": 8}, "1", 5, "12(g)"),
        ({**FIVES, "denominations": (cents(10), cents(25))}, {"red": 35}, "1", 35, None),
        ({**FIVES, "denominations": (cents(10), cents(25))}, {"red": 15}, "1", 20, "12(g)"),
    ],
)
def test_amounts_that_the_float_cannot_pay(
    live: dict[str, Any], bets: dict[str, int], pocket: str, paid: int, clause: str | None
) -> None:
    """Under a notice a stake that is no multiple is paid to the lower multiple; otherwise to the next amount."""
    floor = LiveFloor(players=("one",), **live)
    floor.open()
    floor.place(floor.one, "v100", bets)
    events = floor.result(pocket)
    rounded = [event.clause for event in events if isinstance(event, PaymentRounded)]
    assert rounded == ([] if clause is None else [clause])
    due = floor.live.meters.rounding
    assert floor.pay_all() == {floor.one: cents(paid)}
    assert floor.live.meters.rounding == due


@pytest.mark.clause(ADELAIDE, "12(g)")
@pytest.mark.clause(ADELAIDE, "12(i)")
def test_bet_in_multiples_that_the_float_cannot_pay_is_for_the_inspector() -> None:
    """Under a notice 15 from chips of 10 are paid neither up nor down by a dealer: an inspector decides, 10 or 20."""
    floor = LiveFloor(players=("one",), denominations=(cents(10),), circulating=(cents(5),), multiples=True)
    floor.open()
    floor.place(floor.one, "v500", red=3)
    assert not [event for event in floor.result("1") if isinstance(event, PaymentRounded)]
    number = floor.table.playing.number
    for handed in ((), (("v1000", 1),), (("v1000", 2),)):
        pay = PaySegment(TABLE, number, "red", floor.one, handed)
        assert floor.refuses(pay) == ("payment_undecided", "12(i)")
    other = PaySegment(TABLE, number, "red", floor.one, (("v1000", 3),))
    assert floor.refuses(other, floor.inspector) == ("payment_differs", "8(a)")
    assert floor.refuses(PaySegment(TABLE, number, "red"), floor.inspector) == ("payment_undecided", "12(i)")
    paid, rounded = floor.deal(PaySegment(TABLE, number, "red", floor.one, (("v1000", 1),)), floor.inspector)
    assert isinstance(paid, SegmentPaid)
    assert rounded == PaymentRounded(TABLE, floor.one, number, SpotKey("red"), cents(15), cents(10), ClauseId("12(i)"))
    assert (floor.walk.over, floor.live.meters.rounding) == (True, -cents(5))
    assert floor.balance(LedgerAccount.HOUSE) == -cents(10)
    floor.check()


@pytest.mark.clause(ADELAIDE, "12(g)")
def test_exact_chips_of_another_kind_pay_what_the_float_cannot() -> None:
    """What the float's denominations do not make may be handed over in chips that circulate at the table."""
    floor = LiveFloor(players=("one",), denominations=(cents(10),), circulating=(cents(5),), multiples=True)
    floor.open()
    floor.place(floor.one, "v500", red=3)
    floor.result("1")
    assert floor.pay("red", floor.one, ("v1000", 1), ("v500", 1)).payments[0].value == cents(15)


@pytest.mark.clause(US, "Rotation (4)")
def test_us_amount_that_the_float_cannot_pay_is_for_the_supervisor() -> None:
    """The US document rounds nothing: 51 from chips of 5 are for the supervisor, and 85 for two bets are paid."""
    floor = LiveFloor(US, players=("one", "two"), denominations=(cents(5),), circulating=(cents(1),))
    floor.open()
    floor.place(floor.one, "v100", {"17/20": 3})
    floor.place(floor.two, "v100", {"17/20": 3, "17/18": 2})
    floor.result("17")
    number = floor.table.playing.number
    assert floor.refuses(PaySegment(TABLE, number, "inside")) == ("payment_undecided", "Rotation (4)")
    assert floor.pay("inside", floor.two).payments[0].value == cents(85)
    _, rounded = floor.deal(PaySegment(TABLE, number, "inside", floor.one, (("v500", 10),)), floor.chief)
    assert isinstance(rounded, PaymentRounded)
    assert (rounded.due, rounded.paid, rounded.clause) == (cents(51), cents(50), "Rotation (4)")
    assert floor.walk.over


@pytest.mark.clause(ADELAIDE, "12(f)")
@pytest.mark.clause(ADELAIDE, "6(j)")
@pytest.mark.parametrize(("pocket", "collected", "paid"), [("15", 400, 3_500), ("19", 500, 0)])
def test_marker_over_five_times_the_maximum_has_that_maximum(pocket: str, collected: int, paid: int) -> None:
    """600 on neighbours 0 at a maximum of 100 are advised at entry, collected and paid as 500, and 100 go back."""
    floor = LiveFloor(players=("one",))
    floor.open()
    (placed,) = floor.place(floor.one, "v2500", {"neighbours 0": 24})
    assert isinstance(placed, ChipsChanged)
    block = SpotKey("neighbours 0")
    over = Advice(Code.STAKE_OVER_MAXIMUM, ClauseId("12(f)"), block, cents(600), cents(500))
    assert placed.advice == (over,)
    events = floor.result(pocket)
    capped = BetCapped(TABLE, floor.one, floor.table.playing.number, block, cents(600), cents(500), ClauseId("12(f)"))
    assert capped in events
    (swept,) = floor.collect()
    assert isinstance(swept, LosersCollected)
    assert swept.amount == cents(collected)
    assert floor.pay_all() == ({floor.one: cents(paid)} if paid else {})
    floor.check()


@pytest.mark.clause(ADELAIDE, "12(a)")
@pytest.mark.clause(ADELAIDE, "12(e) second")
def test_minimum_is_one_of_the_chips_on_the_number() -> None:
    """A fifth of the notified marker unit is no bet under the minimum, and 2 beside a fifth of 5 is one."""
    floor = LiveFloor(players=("one", "two"), marker_unit=cents(10))
    floor.open()
    floor.place(floor.one, "v100", {"neighbours 0": 10})
    floor.place(floor.two, "v100", {"neighbours 0": 25, "15": 2})
    advised = [event for event in floor.result("15") if isinstance(event, OwnerAdvised)]
    assert [event.position for event in advised] == [floor.two]
    assert floor.pay_all() == {floor.one: cents(70), floor.two: cents(245)}


@pytest.mark.clause(ADELAIDE, "12(c)")
@pytest.mark.clause(ADELAIDE, "12(d)")
@pytest.mark.clause(ADELAIDE, "6(i)")
def test_winning_bets_are_not_touched_before_they_are_paid() -> None:
    """On 32, red is free once both reds are paid, and a split once all is; then winning bets may be withdrawn."""
    floor = LiveFloor(players=("one", "two", "three"))
    one, two, three = floor.players
    floor.open()
    floor.place(one, "v500", {"red": 2, "32/35": 1})
    floor.place(two, "v500", red=4)
    floor.place(three, "v500", {"dozen 3": 1, "black": 1})
    floor.result("32")
    red, split = floor.removing(one, "red"), floor.removing(one, "32/35")
    assert floor.refuses(red) == ("not_settled_yet", "12(c)")
    floor.collect()
    floor.pay("red", one)
    assert floor.refuses(red) == ("not_settled_yet", "12(c)")
    floor.pay("red", two)
    assert floor.refuses(split) == ("not_settled_yet", "12(d)")
    floor.deal(red)
    assert floor.house.positions[one].bets == {"32/35": cents(5)}
    floor.pay_all()
    floor.deal(split)
    floor.open()
    assert floor.house.positions[two].bets == {"red": cents(20)}
    floor.deal(floor.removing(two, "red"))
    assert floor.refuses(floor.removing(three, "black")) == ("nothing_there", "6(a)")


@pytest.mark.clause(ADELAIDE, "6(i)")
def test_winning_bet_is_live_in_the_next_spin() -> None:
    """Red 10 wins and is paid 10; the 10 that stay up win 10 again in the next spin."""
    floor = played({"red": 2}, "1", "v500")
    assert floor.pay_all() == {floor.one: cents(10)}
    floor.open()
    floor.result("3")
    assert floor.pay_all() == {floor.one: cents(10)}
    floor.open()
    floor.result("2")
    floor.pay_all()
    assert floor.balance(LedgerAccount.HOUSE) == -cents(10)


@pytest.mark.clause(ADELAIDE, "8(a)")
def test_payment_is_handed_over_as_due() -> None:
    """Other chips of the same value may be handed over; another value, another's colour or no position is refused."""
    floor = LiveFloor()
    floor.buy(floor.one, 50, "blue")
    floor.buy(floor.two, 50, "green")
    floor.open()
    floor.place(floor.one, "blue", {"17": 1})
    floor.result("17")
    pay = PaySegment(TABLE, ONE, "inside", floor.one)
    wrong: list[tuple[tuple[tuple[str, int], ...], tuple[str, str | None]]] = [
        ((("v10000", 1), ("v2500", 2)), ("payment_differs", "8(a)")),
        ((("green", 35),), ("chips_of_another_table", "6(f)")),
        ((("blue", 36), ("v500", -1)), ("malformed", None)),
    ]
    for handed, refusal in wrong:
        assert floor.refuses(replace(pay, handed=handed)) == refusal
    assert floor.refuses(replace(pay, position=None, handed=(("blue", 35),))) == ("malformed", None)
    assert floor.refuses(replace(pay, position=floor.two)) == ("nothing_there", "9(e)")
    assert floor.pay("inside", floor.one, ("v10000", 1), ("v2500", 3)).payments[0].value == cents(175)
    assert (floor.live.meters.paid_value, floor.live.meters.paid_colour) == (cents(175), 0)


def test_rack_and_float_must_have_what_is_paid() -> None:
    """A payment that the rack lacks is made in value chips; one that neither has waits for a fill."""
    floor = LiveFloor(pieces=40)
    floor.buy(floor.one, 100, "blue")
    floor.open()
    floor.place(floor.one, "blue", {"17": 20})
    floor.result("17")
    plan = payout_plan(floor.house, floor.table, floor.table.playing, floor.chips, Pocket("17"))
    assert plan.payments[0].colours == ()
    assert floor.refuses(PaySegment(TABLE, ONE, "inside", floor.one, (("blue", 700),))) == ("chips_short", "6(c)")
    floor.signed(CreditFloat(TABLE, ((cents(5), 400), (cents(25), 100), (cents(100), 30)), "S2"))
    assert floor.refuses(PaySegment(TABLE, ONE, "inside")) == ("float_short", "9(e)")


def test_nothing_is_left_or_closed_before_all_is_paid() -> None:
    """While chips of a round are paid, its players and colours stay, and table and float are not closed."""
    floor = LiveFloor()
    floor.buy(floor.one, 5, "blue")
    floor.open()
    floor.place(floor.one, "blue", red=1)
    floor.place(floor.two, "v500", red=1)
    floor.result("2")
    assert floor.refuses(LeaveTable(TABLE, floor.two)) == ("not_all_paid", "9(e)")
    assert floor.refuses(ReturnColour(TABLE, "blue", 1_000)) == ("not_all_paid", "9(e)")
    floor.deal(NotifyOfficer(TABLE, "Tonight."), floor.chief)
    floor.now = floor.now + 1  # type: ignore[assignment]
    assert floor.refuses(CloseTable(TABLE, "The night is over."), floor.chief) == ("not_all_paid", "9(e)")
    assert floor.refuses(CloseFloat(TABLE), floor.chief)[0] == "out_of_turn"
    floor.collect()
    floor.deal(LeaveTable(TABLE, floor.two))
    floor.deal(ReturnColour(TABLE, "blue", 1_000))


@pytest.mark.clause(ADELAIDE, "9(f)")
@pytest.mark.clause(ADELAIDE, "7(a)")
def test_terminals_are_settled_while_the_dealer_pays() -> None:
    """At a mixed table one number settles both: the terminal has its win at once, the player when the dealer pays."""
    floor = LiveFloor(terminals={"T1": 100})
    floor.open()
    floor.bet("T1", "10 on red")
    floor.place(floor.one, "v500", red=2)
    events = floor.result("1")
    assert [type(event) for event in events[1:3]] == [RoundSettled, ChipsSettled]
    assert floor.house.terminals["T1"].credit == cents(100)  # type: ignore[index]
    assert floor.table.phase is Phase.PAYING
    assert refused(floor.bet("T1", "10 on red")) == ("bets_not_open", "7(g)")
    alone = Play(ADELAIDE, replace(live_settings(), live=None, confirms=False))
    alone.seats(T1=100)
    alone.open()
    alone.bet("T1", "10 on red")
    alone.close()
    alone.spin()
    alone.rest("1")
    mixed = floor.house.terminals["T1"]  # type: ignore[index]
    assert mixed.credit == alone.house.terminals["T1"].credit  # type: ignore[index]
    floor.pay_all()


@pytest.mark.parametrize(
    ("rulebook_id", "spot", "pocket", "odds"),
    [
        *(
            pytest.param(ADELAIDE, spot, pocket, odds, marks=pytest.mark.clause(ADELAIDE, f"8(a) {letter}"))
            for letter, spot, pocket, odds in (
                *(("A", "0", "0", 35), ("B", "0/3", "3", 17), ("C", "0/1/2", "0", 11), ("D", "0/1/2/3", "2", 8)),
                *(("E", "31/32/33/34/35/36", "36", 5), ("F", "column 3", "36", 2), ("G", "dozen 3", "25", 2)),
                *(("H", "red", "36", 1), ("I", "black", "35", 1), ("J", "odd", "1", 1), ("K", "even", "2", 1)),
                *(("L", "low", "18", 1), ("M", "high", "19", 1)),
            )
        ),
        *(
            pytest.param(US, spot, pocket, odds, marks=pytest.mark.clause(US, f"Pay Table {clause}"))
            for clause, spot, pocket, odds in (
                *(("Straight", "17", "17", 35), ("Split", "0/00", "00", 17), ("Three Numbers", "0/1/2", "0", 11)),
                *(("Four Numbers", "1/2/4/5", "5", 8), ("First Five Numbers", "0/00/1/2/3", "1", 6)),
                *(
                    ("Six Numbers", "1/2/3/4/5/6", "6", 5),
                    ("Column", "column 3", "36", 2),
                    ("Dozen", "dozen 3", "25", 2),
                ),
                *(
                    ("Red", "red", "36", 1),
                    ("Black", "black", "35", 1),
                    ("Odd", "odd", "1", 1),
                    ("Even", "even", "2", 1),
                ),
                *(("1 to 18", "low", "18", 1), ("19 to 36", "high", "19", 1)),
            )
        ),
    ],
)
def test_every_kind_of_bet_is_paid_its_odds(rulebook_id: str, spot: str, pocket: str, odds: int) -> None:
    """A winning bet with chips pays its stake times the odds of its kind in the walk, and its stake stays."""
    floor = LiveFloor(rulebook_id, players=("one",))
    stake = 4 if rulebook_id == US else 10
    floor.open()
    floor.place(floor.one, "v100", {spot: stake})
    floor.result(pocket)
    assert floor.pay_all() == {floor.one: cents(stake * odds)}
    assert floor.house.positions[floor.one].bets == {spot: cents(stake)}


@pytest.mark.clause(ADELAIDE, "8(c)")
def test_zero_pays_the_spots_that_contain_it() -> None:
    """One chip on each of the 157 spots on 0: seven win and stay, all others are collected."""
    floor = LiveFloor(players=("one",), settings=replace(live_settings(), limits=limits(1, 100)))
    floor.open()
    floor.place(floor.one, "v100", dict.fromkeys(map(str, floor.table.payouts.spots), 1))
    settled = settled_of(floor.result("0"))
    assert settled.collected == cents(157 - 7)
    assert settled.payable == cents(35 + 3 * 17 + 2 * 11 + 8)
    assert len(floor.house.positions[floor.one].bets) == 7


def supervised(**live: Any) -> tuple[LiveFloor, RoundNumber]:  # noqa: ANN401 - any setting
    """A table that records winners, paying 17."""
    floor = LiveFloor(players=("one",), recording=Recording.SUPERVISED, **live)
    floor.open()
    floor.result("17")
    floor.collect()
    return floor, floor.table.playing.number


@pytest.mark.clause(ADELAIDE, "12(e) second")
@pytest.mark.clause(ADELAIDE, "12(f)")
@pytest.mark.clause(ADELAIDE, "12(g)")
def test_supervised_table_notes_what_a_recorded_winner_is_paid_by() -> None:
    """Advice, cap and rounding are recorded with a winner, the advice once; later small bets of the player go back."""
    floor, number = supervised(**FIVES)
    one = floor.one
    first = floor.deal(RecordWinner(TABLE, one, number, (("17/20", 3),), "v100"))
    assert first[1:] == (
        PaymentRounded(TABLE, one, number, SpotKey("17/20"), cents(51), cents(55), ClauseId("12(g)")),
        OwnerAdvised(TABLE, one, number, ClauseId("12(e) second")),
    )
    second = floor.deal(RecordWinner(TABLE, one, number, (("16/17", 5), ("black", 4)), "v100"))
    assert second[1:] == (PaymentRounded(TABLE, one, number, SpotKey("black"), 400, 500, ClauseId("12(g)")),)
    third = floor.deal(RecordWinner(TABLE, one, number, (("odd", 26),), "v500"))
    assert third[1:] == (BetCapped(TABLE, one, number, SpotKey("odd"), cents(130), cents(100), ClauseId("12(f)")),)
    for segment, paid in (("black", 5), ("odd", 100), ("inside", 140)):
        assert floor.pay(segment).payments[0].value == cents(paid)
    floor.deal(FinishPaying(TABLE, number))
    floor.open()
    floor.result("17")
    floor.collect()
    number = floor.table.playing.number
    again = RecordWinner(TABLE, one, number, (("17/20", 3),), "v100")
    assert floor.refuses(again) == ("stake_under_minimum", "12(e) second")
    floor.deal(RecordWinner(TABLE, one, number, (("17/20", 5), ("neighbours 17", 25)), "v100"))
    floor.check()


@pytest.mark.clause(ADELAIDE, "12(g)")
def test_recorded_bet_may_lower_what_is_due() -> None:
    """Under a notice 7 are paid from a chip of 7, and 8 are not: before the payment less is due, after it a dispute."""
    floor, number = supervised(denominations=(cents(5), cents(7)), circulating=(cents(1),), multiples=True)
    more = RecordWinner(TABLE, floor.one, number, (("black", 1),), "v100")
    floor.deal(RecordWinner(TABLE, floor.one, number, (("black", 7),), "v100"))
    recorded, _ = floor.deal(more)
    assert isinstance(recorded, WinnerRecorded)
    assert (recorded.due, [item.amount for item in floor.walk.items]) == ((("black", -cents(2)),), [cents(5)])
    floor.deal(RecordWinner(TABLE, floor.one, number, (("black", 4),), "v100"))
    assert floor.pay("black").payments[0].value == cents(12)
    assert floor.refuses(more) == ("record_differs", "12(i)")
    floor.deal(FinishPaying(TABLE, number))
    floor.check()


def test_chips_are_handed_over_for_all_bets_of_a_segment() -> None:
    """Two bets inside are one payment: chips for one of them differ from it, and chips for both are taken."""
    floor, number = supervised()
    for spot in ("17", "17/20"):
        floor.deal(RecordWinner(TABLE, floor.one, number, ((spot, 1),), "v500"))
    pay = PaySegment(TABLE, number, "inside", floor.one)
    for value in (35 * 5, 17 * 5):
        assert floor.refuses(replace(pay, handed=(("v100", value),))) == ("payment_differs", "8(a)")
    assert floor.pay("inside", floor.one, ("v100", 52 * 5)).payments[0].value == cents(52 * 5)


def test_supervised_table_pays_what_the_dealer_records() -> None:
    """Without recorded bets the dealer sweeps, records winning bets, pays them, and says when all is paid."""
    floor = LiveFloor(recording=Recording.SUPERVISED)
    floor.buy(floor.one, 100, "blue")
    floor.open()
    floor.result("17")
    assert floor.table.phase is Phase.PAYING
    winner = RecordWinner(TABLE, floor.one, ONE, (("17", 2), ("neighbours 25", 5)), "blue")
    assert floor.refuses(winner) == ("collect_first", "9(e)")
    assert floor.refuses(FinishPaying(TABLE, ONE)) == ("collect_first", "9(e)")
    assert floor.collect() == (LosersCollected(TABLE, ONE, None, ()),)
    floor.deal(winner)
    floor.deal(RecordWinner(TABLE, floor.one, ONE, (("17", 1), ("black", 1)), "blue"))
    assert floor.refuses(RecordWinner(TABLE, floor.one, ONE, (("red", 1),), "blue")) == ("record_differs", "9(e)")
    assert floor.refuses(RecordWinner(TABLE, floor.one, ONE, (("neighbours 0", 5),), "blue"))[0] == "record_differs"
    assert floor.refuses(replace(winner, chip="green")) == ("chips_of_another_table", "6(f)")
    assert floor.refuses(replace(winner, bets=(("1/36", 1),)))[0] == "spot_not_on_layout"
    assert floor.refuses(replace(winner, position=PositionId(9))) == ("unknown_record", "6(a)")
    assert floor.refuses(replace(winner, round=RoundNumber(2))) == ("wrong_round", "9(e)")
    assert floor.refuses(FinishPaying(TABLE, ONE)) == ("not_all_paid", "9(e)")
    got = {}
    for segment in ("black", "inside"):
        (payment,) = floor.pay(segment).payments
        got[segment] = payment.value
    assert got == {"black": cents(5), "inside": cents((2 + 1 + 1) * 5 * 35)}
    assert floor.out() is None
    floor.deal(FinishPaying(TABLE, ONE))
    assert floor.walk.over
    assert floor.balance(LedgerAccount.HOUSE) == -cents(705)


def test_table_that_records_all_bets_needs_no_records_of_winners() -> None:
    """Where every bet is recorded, winners are known and paying ends by itself."""
    floor = played({"red": 5}, "1")
    assert floor.refuses(RecordWinner(TABLE, floor.one, ONE, (("red", 1),), "v100")) == ("out_of_turn", "6(a)")
    assert floor.refuses(FinishPaying(TABLE, ONE)) == ("out_of_turn", "6(a)")


def test_stand_alone_table_pays_no_chips() -> None:
    """At a table without chips there is nothing to collect, to pay or to adjust."""
    play = Play(ADELAIDE)
    assert refused(play.by(play.dealer, PaySegment(TABLE, ONE, "inside"))) == ("chips_not_taken", "5.7(a)")


def test_full_layout_is_settled_in_time() -> None:
    """The walk of 20 players with 40 spots each takes less than 50 ms of CPU."""
    floor = LiveFloor(players=tuple(map(str, range(20))))
    floor.open()
    spots = [str(spot) for spot in floor.table.payouts.spots]
    for place, position in enumerate(floor.players):
        chosen = [*spots[place : place + 37], "red", "neighbours 17", "neighbours 0"]
        floor.by(floor.dealer, floor.placing(position, "v2500", dict.fromkeys(chosen, 1)))
    floor.close()
    best = 1.0
    for _ in range(5):
        begun = time.process_time()
        plan = payout_plan(floor.house, floor.table, floor.table.playing, floor.chips, Pocket("17"))
        best = min(best, time.process_time() - begun)
    assert len(plan.positions) == 20
    assert best < 0.05


def test_steps_name_the_round_that_is_paid() -> None:
    """Collection, records and the end of payment for another round are refused."""
    floor = played({"red": 5}, "1")
    other = RoundNumber(2)
    assert floor.refuses(CollectLosers(TABLE, other)) == ("wrong_round", "9(e)")
    assert floor.refuses(FinishPaying(TABLE, other)) == ("wrong_round", "9(e)")


def test_rack_without_pieces_rounds_what_value_chips_cannot_pay() -> None:
    """Five due in blue, with no blue left and a smallest chip of 10, are paid as 10 under 12(g)."""
    floor = LiveFloor(players=("one",), pieces=10, denominations=(cents(10), cents(100)))
    floor.buy(floor.one, 50, "blue")
    floor.open()
    floor.place(floor.one, "blue", red=1)
    events = floor.result("1")
    assert [(event.due, event.paid) for event in events if isinstance(event, PaymentRounded)] == [(500, 1_000)]
    assert floor.pay_all() == {floor.one: cents(10)}
    assert floor.live.meters.rounding == cents(5)


def test_winners_of_several_players_are_recorded_apart() -> None:
    """At a table that records winners only, each player's bets are due to that player."""
    floor = LiveFloor(recording=Recording.SUPERVISED)
    floor.open()
    floor.result("17")
    floor.collect()
    for position in floor.players:
        floor.deal(RecordWinner(TABLE, position, ONE, (("17", 1),), "v500"))
    assert {item.position: item.amount for item in floor.walk.items} == dict.fromkeys(floor.players, cents(175))


def test_books_show_chips_that_do_not_add_up() -> None:
    """Chips that differ from the stakes, from the colour's count or from the books are found."""
    floor = LiveFloor()
    floor.buy(floor.one, 50, "blue")
    floor.open()
    floor.place(floor.one, "blue", red=2)
    colour = floor.live.colours["blue"]
    colour.booked += 1
    assert any("not those in the books" in problem for problem in ledger_problems(floor.house))
    colour.booked, colour.out = colour.booked - 1, 1
    assert any("chips of blue are out" in problem for problem in ledger_problems(floor.house))
    colour.out = 10
    floor.player(floor.one).pieces[SpotKey("red")]["blue"] = 3
    assert any("not the chips that lie there" in problem for problem in ledger_problems(floor.house))
