"""Drawer shifts of a real house, with figures computed by hand: the blind count, and receipts."""

import pytest

from croupier.house.credit.drawers import BuyIn, CountDrawer, DropDrawer, FillDrawer
from croupier.house.floor.signatures import Approve
from croupier.house.ids import DrawerId, Number, PersonId, RoundNumber
from croupier.reports.drawer_projection import buy_in_receipt, payment_slip, report
from croupier.reports.slips import BuyInPaid as BoughtIn
from croupier.reports.slips import Payable
from croupier.reports.summaries import Kind, ShiftReport
from croupier.rules.money import Cents
from croupier.rules.refusal import Code
from croupier.transcripts.driver import device_of
from tests.support.engine_driver import raised_code
from tests.support.house_driver import (
    CLEARWATER,
    DRAWER,
    T1,
    TABLE,
    TODAY,
    CashierDriver,
    busy_desk,
    owed_to_a_session,
    pay_payable,
)


def shift_of(play: CashierDriver, reader: str = "manager", position: int | None = None) -> ShiftReport:
    found = play.ledger.drawer_shifts.find(DRAWER, position)
    return report(play.house, found, PersonId(reader))


def test_shift_has_every_movement_and_the_difference() -> None:
    """1000 less 50 paid and 100 taken are 1050 expected; with 1047 counted the drawer is three short."""
    play = busy_desk()
    play.count(104_700)
    paper = shift_of(play)

    assert (paper.float_, paper.expected, paper.counted, paper.currency) == (100_000, 105_000, 104_700, "SGD")
    assert [(each.at, each.kind, each.change) for each in paper.movements] == [
        (60_000_000, Kind.TICKET, -5_000),
        (120_000_000, Kind.BUY_IN, 10_000),
    ]
    assert (paper.cashier, paper.day, paper.opened_at, paper.counted_at) == ("cashier", TODAY, 0, play.now)


def test_fills_and_drops_are_movements_with_their_signatures() -> None:
    """A fill of 200 and a drop of 50 raise the expected amount by 150, and are no takings and no payments."""
    play = busy_desk()
    for number, command in enumerate((FillDrawer(DRAWER, Cents(20_000)), DropDrawer(DRAWER, Cents(5_000))), 1):
        play.done(command)
        play.must(Approve(Number(number)), device_of("pit supervisor"), "pit supervisor")
    play.count(120_000)
    paper = shift_of(play)

    assert (paper.expected, paper.counted) == (120_000, 120_000)
    assert [(each.kind, each.change) for each in paper.movements][-2:] == [(Kind.FILL, 20_000), (Kind.DROP, -5_000)]
    assert paper.movements[-1].what == "Signed by cashier and pit supervisor"
    shift = play.ledger.drawer_shifts.last(DRAWER)
    assert (shift.taken_in, shift.paid_out) == (10_000, 5_000)


def test_count_is_blind() -> None:
    """Before the count nobody has the report; whose drawer it is and who counts it have none before it is handed in."""
    play = busy_desk()
    play.enrol("Cashier", "cora")
    assert raised_code(shift_of, play) is Code.OUT_OF_TURN
    assert raised_code(shift_of, play, "cashier") is Code.OUT_OF_TURN
    assert isinstance(play.by("cora", CountDrawer(DRAWER, Cents(105_000))), tuple)
    assert isinstance(shift_of(play), ShiftReport)
    for hand in ("cashier", "cora"):
        assert raised_code(shift_of, play, hand) is Code.OUT_OF_TURN
    play.done(BuyIn(T1, DRAWER, Cents(1_000)))
    assert raised_code(shift_of, play) is Code.OUT_OF_TURN
    play.count(106_000)
    play.hand_in()

    for reader in ("manager", "cashier", "cora"):
        assert isinstance(shift_of(play, reader), ShiftReport)


def test_hand_pay_is_a_movement_of_its_drawer() -> None:
    """A held win of 1260 that is paid by hand is in the report with its number and its form."""
    play = CashierDriver(CLEARWATER)
    play.seats(T1=1_000)
    play.drawer(500_000)
    play.round("17", T1="35 on 17")
    play.record()
    play.pay_by_hand()
    play.count(374_000)
    paper = shift_of(play)

    assert [(each.kind, each.what, each.amount) for each in paper.movements] == [
        (Kind.HAND_PAY, "Held win 1, form W2-G 4711", 126_000)
    ]
    assert paper.expected == 374_000


def test_payable_is_a_movement_of_its_drawer_with_a_slip() -> None:
    """What a correction brought an ended session leaves the drawer as a payment, by a slip that names who signed."""
    play = owed_to_a_session()
    assert raised_code(play.ledger.drawer_shifts.find_payable, T1, 0) is Code.UNKNOWN_RECORD
    pay_payable(play)
    play.count(64_000)
    paper = shift_of(play)
    assert [(each.kind, each.what, each.amount) for each in paper.movements] == [
        (Kind.PAYABLE, "Payment slip 1, terminal T1", 36_000)
    ]
    paid = play.ledger.drawer_shifts.find_payable(T1, 0)
    slip = payment_slip(play.house, paid, play.now)
    assert (slip.amount, slip.currency, slip.cashier, slip.drawer) == (36_000, "SGD", "cashier", DRAWER)
    assert slip.subject == Payable(Number(1), T1, TABLE, RoundNumber(1), "Pat Patron", PersonId("pit supervisor"))


def test_drawer_that_goes_out_again_is_another_shift() -> None:
    """Each shift of a drawer has a report of its own, by the entry that began it; without one, the last."""
    play = busy_desk()
    play.count(105_000)
    play.hand_in()
    play.drawer(20_000)
    play.count(20_000)
    first, second = play.ledger.drawer_shifts.shifts[DRAWER]
    early, late = shift_of(play, position=first.position), shift_of(play)

    assert (early.expected, late.expected, late.movements) == (105_000, 20_000, ())
    # Nothing has moved in it, so it is in what the house counts in.
    assert (second.currency, late.currency) == ("", "SGD")
    assert raised_code(play.ledger.drawer_shifts.find, DRAWER, second.position + 1) is Code.UNKNOWN_RECORD
    assert raised_code(play.ledger.drawer_shifts.find, DrawerId("D9"), None) is Code.UNKNOWN_RECORD


@pytest.mark.clause("marina-bay-sands-2020", "1.1.1")
def test_buy_in_has_its_receipt() -> None:
    """Cash for credits is receipted with the terminal that they went to: the last of a drawer, or by its entry."""
    play = busy_desk()
    at = play.now
    play.passes(90)
    play.done(BuyIn(T1, DRAWER, Cents(2_000)))
    drawer_shifts = play.ledger.drawer_shifts
    last, early = (
        drawer_shifts.find_buy_in(DRAWER, None),
        drawer_shifts.find_buy_in(DRAWER, drawer_shifts.last(DRAWER).bought[0].position),
    )
    papers = [buy_in_receipt(play.house, *each, play.now) for each in (early, last)]

    assert [(each.amount, each.at, each.duplicate) for each in papers] == [(10_000, at, 1), (2_000, play.now, 0)]
    assert {(each.subject, each.drawer, each.cashier) for each in papers} == {(BoughtIn(T1), DRAWER, "cashier")}
    assert raised_code(drawer_shifts.find_buy_in, DrawerId("D9"), None) is Code.UNKNOWN_RECORD
