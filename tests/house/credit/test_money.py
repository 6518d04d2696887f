"""Money at the terminals: notes in, credits out, and what becomes of slips and tickets until they lapse."""

import pytest

from croupier.house.credit import tickets
from croupier.house.credit.notes import GrantPlayMoney, InsertNote
from croupier.house.credit.tickets import (
    Collect,
    ConfirmPrint,
    InsertTicket,
    ReportLost,
    ReprintTicket,
    TicketIssued,
    TicketsExpired,
    TicketState,
    Validation,
    VoidTicket,
)
from croupier.house.ids import Day, Number
from croupier.house.settings import Mode, TerminalSettings
from croupier.house.state.ledger import LedgerAccount
from croupier.house.timers import DayBegan, Tick
from croupier.rules.money import Cents
from croupier.rules.procedure import CreditOut
from croupier.rules.refusal import CitedTopic, Code
from tests.support.cashier_desk import FAULT, T1, T2, TODAY, CashierDesk, note, redeeming, with_drawer

ADELAIDE, CLEARWATER, SANDS = "skycity-adelaide-2003", "clearwater-etg", "marina-bay-sands-2020"
ONE, NINE = Number(1), Number(9)


@pytest.mark.clause("skycity-adelaide-2003", "7(d)i")
def test_note_becomes_credit_once_it_is_stacked() -> None:
    """A note of 50 that the terminal takes adds 50 when it is stacked, and nothing while it is in escrow."""
    desk = CashierDesk(
        ADELAIDE, settings=TerminalSettings(notes=(Cents(500), Cents(1_000), Cents(2_000), Cents(5_000)))
    )

    desk.decide(note(50))
    assert desk.t1.credit == 0
    desk.ask(note(50))
    assert desk.t1.credit == 5_000
    assert desk.t1.meters.notes == {5_000: 1}
    assert desk.t2.credit == 0


@pytest.mark.clause("skycity-adelaide-2003", "7(d)i")
def test_note_that_is_not_accepted_goes_back() -> None:
    """A note of 100 where 50 is the largest, and a note of another country, add nothing."""
    desk = CashierDesk(
        ADELAIDE, settings=TerminalSettings(notes=(Cents(500), Cents(1_000), Cents(2_000), Cents(5_000)))
    )

    too_large = desk.refused(note(100), Code.NOT_TAKEN_HERE, "7(d)i")
    assert too_large.facts == {"why": "value", "value": 10_000, "accepted": (500, 1_000, 2_000, 5_000)}
    assert "5, 10, 20, 50 AUD" in too_large.message
    desk.refused(note(50, "USD"), Code.NOT_TAKEN_HERE, "7(d)i")
    assert desk.t1.credit == 0


@pytest.mark.parametrize(("rulebook_id", "currency"), [(ADELAIDE, "AUD"), (CLEARWATER, "USD"), (SANDS, "SGD")], ids=str)
def test_note_of_the_venue_is_taken(rulebook_id: str, currency: str) -> None:
    """Every venue with terminals takes its own country's notes, in a demonstration too."""
    for mode in Mode:
        desk = CashierDesk(rulebook_id, mode=mode)
        desk.ask(note(20, currency))
        assert desk.t1.credit == 2_000


def test_chip_table_takes_no_notes() -> None:
    """Where only chips are bought, a note is refused by the clause on buying in."""
    CashierDesk("us-double-zero", mode=Mode.DEMO).refused(note(20, "USD"), Code.NOT_TAKEN_HERE, "Placement 1")


def test_terminal_out_of_service_takes_no_money() -> None:
    """A closed terminal and a blocked one take neither notes nor tickets, and say which of the two it is."""
    desk = CashierDesk(CLEARWATER)
    ticket = InsertTicket(T1, desk.issue(1_000).digest)
    desk.block()
    for command in (note(20, "USD"), ticket):
        assert desk.refused(command, Code.TERMINAL_BLOCKED, FAULT).facts == {"case": 1}
    desk.t1.closed = True
    for command in (note(20, "USD"), ticket):
        desk.refused(command, Code.TERMINAL_CLOSED, "25")


def test_note_may_be_inserted_while_a_win_is_held() -> None:
    """A held win does not keep a player from inserting a note."""
    desk = CashierDesk(CLEARWATER)
    desk.hold(126_000)

    desk.ask(note(20, "USD"))
    assert desk.t1.credit == 2_000


def test_play_money_is_granted_in_a_demonstration() -> None:
    """Play money becomes credit in a demonstration, from an account of its own."""
    desk = CashierDesk(ADELAIDE, mode=Mode.DEMO)

    desk.ask(GrantPlayMoney(T1, Cents(10_000)))
    assert desk.t1.credit == desk.t1.meters.granted == 10_000
    assert desk.house.ledger[LedgerAccount.PLAY_MONEY] == -10_000


@pytest.mark.parametrize("amount", [0, -1])
def test_play_money_is_more_than_nothing(amount: int) -> None:
    """Nothing, or less, is not granted."""
    CashierDesk(ADELAIDE, mode=Mode.DEMO).refused(GrantPlayMoney(T1, Cents(amount)), Code.STAKE_NOT_POSITIVE, None)


def test_play_money_has_no_place_where_money_is_real() -> None:
    """Where credits are worth money nobody grants them, whatever the amount."""
    for amount in (10_000, 0):
        CashierDesk(ADELAIDE).refused(GrantPlayMoney(T1, Cents(amount)), Code.DEMO_ONLY, None)


@pytest.mark.clause("marina-bay-sands-2020", "1.1.1")
def test_terminal_buys_wagers_and_cashes_out() -> None:
    """After 100 in and 30 staked a terminal pays 70 and shows nothing, and its neighbour shows nothing throughout."""
    desk = CashierDesk(SANDS)
    desk.ask(note(100, "SGD"))
    desk.stake(3_000)
    assert desk.t2.credit == 0

    desk.ask(desk.collecting())
    assert desk.house.tickets.all[ONE].amount == 7_000
    assert (desk.t1.credit, desk.t1.in_play, desk.t2.credit) == (0, 3_000, 0)


@pytest.mark.clause("skycity-adelaide-2003", "5.5(a)")
def test_slip_has_the_value_of_the_displayed_credits() -> None:
    """Collecting 137 gives one slip of 137, with its terminal, number and time, and leaves nothing on the meter."""
    desk = CashierDesk(ADELAIDE)
    desk.win(13_700)

    assert desk.ask(desk.collecting()) == (
        TicketIssued(T1, ONE, CreditOut.PAYMENT_SLIP, Cents(13_700), "digest 1", "0001", TODAY, ends_session=True),
    )
    slip = desk.house.tickets.all[ONE]
    assert (slip.terminal, slip.amount, slip.last_four, slip.day) == (T1, 13_700, "0001", TODAY)
    assert slip.issued_at > 0
    assert (desk.t1.credit, slip.state) == (0, TicketState.ISSUED)
    desk.ask(ConfirmPrint(T1, ONE))
    assert slip.state is TicketState.PRINTED


@pytest.mark.clause("clearwater-etg", "20")
@pytest.mark.clause("clearwater-etg", "20.a")
def test_win_is_paid_as_ticket_or_currency_and_not_as_chips() -> None:
    """A win of 360 credits at 0.50 is 180 in currency or on a ticket, and is not paid in chips."""
    for form in (CreditOut.CURRENCY, CreditOut.TICKET):
        desk = CashierDesk(CLEARWATER)
        desk.win(360 * 50)
        chips = desk.refused(desk.collecting(CreditOut.CHIPS), Code.NOT_PAID_HERE, "20.a")
        assert chips.facts == {"form": "chips", "forms": ("ticket", "currency")}
        assert desk.t1.credit == 18_000

        desk.ask(desk.collecting(form))
        assert (desk.t1.credit, desk.house.tickets.all[ONE].amount) == (0, 18_000)


@pytest.mark.parametrize(("rulebook_id", "form"), [(CLEARWATER, CreditOut.CURRENCY), ("us-double-zero", None)], ids=str)
def test_dispensed_money_is_paid_at_once(rulebook_id: str, form: CreditOut | None) -> None:
    """Currency, or chips at a table of chips, leaves the house at the terminal: no paper of it can be paid again."""
    desk = CashierDesk(rulebook_id, mode=Mode.DEMO)
    desk.win(18_000)

    desk.ask(desk.collecting(form))
    paid = desk.house.tickets.all[ONE]
    assert (paid.state, paid.paid_place) == (TicketState.REDEEMED, T1)
    assert paid.paid_at is not None
    assert desk.house.ledger[LedgerAccount.DISPENSED] == 18_000
    desk.refused(ReprintTicket(ONE, "Jam."), Code.TICKET_PAID, desk.rulebook.cited_clauses[CitedTopic.TICKET])


@pytest.mark.clause("skycity-adelaide-2003", "7(e)")
def test_slip_is_the_only_way_out() -> None:
    """At Adelaide credits become a payment slip and nothing else."""
    desk = CashierDesk(ADELAIDE)
    desk.win(13_700)

    for form in set(CreditOut) - {CreditOut.PAYMENT_SLIP}:
        desk.refused(desk.collecting(form), Code.NOT_PAID_HERE, "7(e)")


def test_nothing_to_collect() -> None:
    """A meter that shows nothing gives no slip, and stakes in play are not credits."""
    desk = CashierDesk(ADELAIDE)
    desk.win(500)
    desk.stake(500)

    assert desk.refused(desk.collecting(), Code.NOTHING_TO_COLLECT, "7(e)").facts == {"in_play": 500}


def test_closed_terminal_pays_its_credits() -> None:
    """Out of service, a terminal still lets its credits be collected."""
    desk = CashierDesk(ADELAIDE)
    desk.t1.closed = True

    assert desk.issue(5_000).amount == 5_000


def test_blocked_terminal_pays_nothing() -> None:
    """While a malfunction is looked into nothing is collected."""
    desk = CashierDesk(ADELAIDE)
    desk.win(5_000)
    desk.block()

    desk.refused(desk.collecting(), Code.TERMINAL_BLOCKED, FAULT)


def test_validation_of_another_slip_is_stale() -> None:
    """A number derived for a sequence that is taken, or a number that is known already, issues nothing."""
    desk = CashierDesk(ADELAIDE)
    first = desk.collecting().validation
    assert first is not None
    desk.issue(5_000)
    desk.win(7_000)

    stale = desk.refused(Collect(T1, first), Code.VALIDATION_STALE, "7(e)")
    assert stale.facts == {"sequence": 1, "next": 2}
    same_number = Validation(Number(2), first.digest, first.last_four)
    desk.refused(Collect(T1, same_number), Code.VALIDATION_STALE, "7(e)")
    assert desk.t1.credit == 7_000


@pytest.mark.clause("skycity-adelaide-2003", "5.5(a)")
def test_slip_that_did_not_print_goes_back_to_the_meter() -> None:
    """After a printer fault 137 is held under its number, and a void gives it back to the meter and to no paper."""
    desk = with_drawer(ADELAIDE)
    slip = desk.issue(13_700)
    assert (slip.state, desk.house.ledger[LedgerAccount.TICKETS], desk.t1.credit) == (
        TicketState.ISSUED,
        13_700,
        0,
    )

    desk.ask(VoidTicket(ONE, "The printer jammed."))
    assert (slip.state, desk.house.ledger[LedgerAccount.TICKETS], desk.t1.credit) == (
        TicketState.VOID,
        0,
        13_700,
    )
    assert desk.refused(redeeming(), Code.TICKET_VOID, "7(e)").facts == {"terminal": T1}
    desk.refused(ReprintTicket(ONE, "Again."), Code.TICKET_VOID, "7(e)")
    desk.refused(VoidTicket(ONE, "Again."), Code.TICKET_VOID, "7(e)")


@pytest.mark.clause("skycity-adelaide-2003", "5.5(a)")
def test_reprint_is_a_duplicate_and_is_paid_once() -> None:
    """A reprint is marked as a duplicate, is never given back to the meter as well, and is paid once."""
    desk = with_drawer(ADELAIDE)
    slip = desk.issue(13_700)

    desk.ask(ReprintTicket(ONE, "The printer jammed."))
    assert (slip.duplicates, slip.state) == (1, TicketState.PRINTED)
    desk.refused(VoidTicket(ONE, "Not needed."), Code.OUT_OF_TURN, "7(e)")
    desk.refused(ConfirmPrint(T1, ONE), Code.OUT_OF_TURN, "7(e)")
    desk.ask(redeeming())
    desk.refused(redeeming(), Code.TICKET_PAID, "7(e)")
    desk.refused(ReprintTicket(ONE, "Again."), Code.TICKET_PAID, "7(e)")


def test_printed_slip_is_not_voided() -> None:
    """A slip that came out of the printer may be in a player's hands and stays payable."""
    desk = CashierDesk(ADELAIDE)
    slip = desk.issue(13_700)
    desk.ask(ConfirmPrint(T1, ONE))

    assert desk.refused(VoidTicket(ONE, "Left behind."), Code.OUT_OF_TURN, "7(e)").facts == {"duplicates": 0}
    assert slip.payable


def test_slip_that_is_not_there() -> None:
    """Nothing can be done about a slip that was not issued, or printed by a terminal that did not issue it."""
    desk = CashierDesk(ADELAIDE)
    desk.issue(13_700)

    for command in (ReprintTicket(NINE, ""), VoidTicket(NINE, ""), ReportLost(NINE, ""), ConfirmPrint(T1, NINE)):
        assert desk.refused(command, Code.UNKNOWN_RECORD, "7(e)").facts == {"sequence": 9}
    desk.refused(ConfirmPrint(T2, ONE), Code.UNKNOWN_RECORD, "7(e)")


@pytest.mark.clause("skycity-adelaide-2003", "7(d)")
def test_slip_adds_nothing_to_a_meter() -> None:
    """At Adelaide a slip of 50 that is put into a terminal is refused, and stays good at the cashier's."""
    desk = with_drawer(ADELAIDE)
    slip = desk.dispense(5_000)

    desk.refused(InsertTicket(T2, slip.digest), Code.NOT_TAKEN_HERE, "7(d)")
    assert desk.t2.credit == 0
    desk.ask(redeeming())


@pytest.mark.clause("clearwater-etg", "6")
def test_note_and_ticket_become_credits_once() -> None:
    """A note of 20 and a ticket of 35.50 are 111 credits of 0.50, and the same ticket is refused a second time."""
    desk = CashierDesk(CLEARWATER)
    ticket = desk.issue(3_550)
    desk.ask(InsertNote(T2, "USD", Cents(2_000)))

    desk.ask(InsertTicket(T2, ticket.digest))
    assert desk.t2.credit == 111 * 50
    assert (desk.t2.meters.tickets_in, ticket.state, ticket.paid_place) == (3_550, TicketState.REDEEMED, T2)
    again = desk.refused(InsertTicket(T1, ticket.digest), Code.TICKET_PAID, "27")
    assert again.facts == {"paid_at": ticket.paid_at, "place": T2, "by": ""}
    desk.refused(InsertTicket(T1, "no such number"), Code.TICKET_UNKNOWN, "27")


def test_slip_for_the_cashier_is_not_a_ticket() -> None:
    """A slip from a time when only the cashier paid it is not taken by a terminal that takes tickets."""
    desk = CashierDesk(CLEARWATER)
    slip = desk.issue(5_000)
    slip.form = CreditOut.PAYMENT_SLIP

    refusal = desk.refused(InsertTicket(T1, slip.digest), Code.NOT_TAKEN_HERE, "20.a")
    assert refusal.facts == {"why": "slip", "form": CreditOut.PAYMENT_SLIP}


@pytest.mark.parametrize(
    ("issued", "days", "begins", "lapses"),
    [
        (20261115, 30, 20261214, False),
        (20261115, 30, 20261215, True),
        (20261231, 1, 20261231, False),
        (20261231, 1, 20270101, True),
        (20280228, 2, 20280229, False),
        (20280228, 2, 20280301, True),
        (20261115, None, 20991231, False),
        (20261115, 10_000_000, 20991231, False),
        (0, 1, 20261115, False),
    ],
)
def test_ticket_lapses_after_its_days(issued: int, days: int | None, begins: int, *, lapses: bool) -> None:
    """A ticket can be redeemed for its number of gaming days, of which the day of issue is the first."""
    desk = CashierDesk(ADELAIDE)
    desk.house.day, desk.house.setup.ticket_days = Day(issued), days
    desk.issue(5_000)

    assert tickets.expired(desk.house, Day(begins)) == ((ONE,) if lapses else ())


def test_expired_ticket_is_unclaimed() -> None:
    """A ticket that lapsed is refused with its day and reported as unclaimed, and one that was paid does not lapse."""
    desk = with_drawer(CLEARWATER, ticket_days=30)
    desk.issue(2_000)
    desk.ask(redeeming())
    desk.issue(5_000)

    began, lapsed = desk.ask(Tick(Day(20261215)))
    assert (began, lapsed) == (DayBegan(Day(20261215), None), TicketsExpired((Number(2),)))
    assert (desk.house.tickets.all[Number(2)].state, desk.house.ledger[LedgerAccount.UNCLAIMED]) == (
        TicketState.EXPIRED,
        5_000,
    )
    assert desk.refused(redeeming(2), Code.TICKET_EXPIRED, "27").facts == {"day": TODAY, "days": 30}
    assert tickets.expired(desk.house, Day(20261216)) == ()
