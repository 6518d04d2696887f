"""Money at the terminals: notes in, credits out, and what becomes of slips and tickets until they lapse."""

import pytest

from croupier.house import tickets
from croupier.house.commands.credit import (
    Collect,
    ConfirmPrint,
    GrantPlayMoney,
    InsertNote,
    InsertTicket,
    ReportLost,
    ReprintTicket,
    Validation,
    VoidTicket,
)
from croupier.house.commands.rounds import Tick
from croupier.house.events.credit import TicketIssued, TicketsExpired
from croupier.house.events.rounds import DayBegan
from croupier.house.ids import Day, Number
from croupier.house.settings import Mode, TerminalSettings
from croupier.house.state.money import LedgerAccount, TicketState
from croupier.rules.money import Cents
from croupier.rules.procedure import CreditOut
from croupier.rules.refusal import CitedTopic, Code
from tests.drawer_shift import FAULT, T1, T2, TODAY, Till, note, redeeming, with_drawer

ADELAIDE, CLEARWATER, SANDS = "skycity-adelaide-2003", "clearwater-etg", "marina-bay-sands-2020"
ONE, NINE = Number(1), Number(9)


@pytest.mark.clause("skycity-adelaide-2003", "7(d)i")
def test_note_becomes_credit_once_it_is_stacked() -> None:
    """A note of 50 that the terminal takes adds 50 when it is stacked, and nothing while it is in escrow."""
    drawer_shift = Till(
        ADELAIDE, settings=TerminalSettings(notes=(Cents(500), Cents(1_000), Cents(2_000), Cents(5_000)))
    )

    drawer_shift.decide(note(50))
    assert drawer_shift.t1.credit == 0
    drawer_shift.ask(note(50))
    assert drawer_shift.t1.credit == 5_000
    assert drawer_shift.t1.meters.notes == {5_000: 1}
    assert drawer_shift.t2.credit == 0


@pytest.mark.clause("skycity-adelaide-2003", "7(d)i")
def test_note_that_is_not_accepted_goes_back() -> None:
    """A note of 100 where 50 is the largest, and a note of another country, add nothing."""
    drawer_shift = Till(
        ADELAIDE, settings=TerminalSettings(notes=(Cents(500), Cents(1_000), Cents(2_000), Cents(5_000)))
    )

    too_large = drawer_shift.refused(note(100), Code.NOT_TAKEN_HERE, "7(d)i")
    assert too_large.facts == {"value": 10_000, "accepted": (500, 1_000, 2_000, 5_000)}
    assert "5, 10, 20, 50 AUD" in too_large.message
    drawer_shift.refused(note(50, "USD"), Code.NOT_TAKEN_HERE, "7(d)i")
    assert drawer_shift.t1.credit == 0


@pytest.mark.parametrize(("rulebook_id", "currency"), [(ADELAIDE, "AUD"), (CLEARWATER, "USD"), (SANDS, "SGD")], ids=str)
def test_note_of_the_venue_is_taken(rulebook_id: str, currency: str) -> None:
    """Every venue with terminals takes its own country's notes, in a demonstration too."""
    for mode in Mode:
        drawer_shift = Till(rulebook_id, mode=mode)
        drawer_shift.ask(note(20, currency))
        assert drawer_shift.t1.credit == 2_000


def test_chip_table_takes_no_notes() -> None:
    """Where only chips are bought, a note is refused by the clause on buying in."""
    Till("us-double-zero", mode=Mode.DEMO).refused(note(20, "USD"), Code.NOT_TAKEN_HERE, "Placement 1")


def test_terminal_out_of_service_takes_no_money() -> None:
    """A closed terminal and a blocked one take neither notes nor tickets, and say which of the two it is."""
    drawer_shift = Till(CLEARWATER)
    ticket = InsertTicket(T1, drawer_shift.issue(1_000).digest)
    drawer_shift.block()
    for command in (note(20, "USD"), ticket):
        assert drawer_shift.refused(command, Code.TERMINAL_BLOCKED, FAULT).facts == {"case": 1}
    drawer_shift.t1.closed = True
    for command in (note(20, "USD"), ticket):
        drawer_shift.refused(command, Code.TERMINAL_CLOSED, "25")


def test_note_may_be_inserted_while_a_win_is_held() -> None:
    """A held win does not keep a player from inserting a note."""
    drawer_shift = Till(CLEARWATER)
    drawer_shift.hold(126_000)

    drawer_shift.ask(note(20, "USD"))
    assert drawer_shift.t1.credit == 2_000


def test_play_money_is_granted_in_a_demonstration() -> None:
    """Play money becomes credit in a demonstration, from an account of its own."""
    drawer_shift = Till(ADELAIDE, mode=Mode.DEMO)

    drawer_shift.ask(GrantPlayMoney(T1, Cents(10_000)))
    assert drawer_shift.t1.credit == drawer_shift.t1.meters.granted == 10_000
    assert drawer_shift.house.ledger[LedgerAccount.PLAY_MONEY] == -10_000


@pytest.mark.parametrize("amount", [0, -1])
def test_play_money_is_more_than_nothing(amount: int) -> None:
    """Nothing, or less, is not granted."""
    Till(ADELAIDE, mode=Mode.DEMO).refused(GrantPlayMoney(T1, Cents(amount)), Code.STAKE_NOT_POSITIVE, None)


def test_play_money_has_no_place_where_money_is_real() -> None:
    """Where credits are worth money nobody grants them, whatever the amount."""
    for amount in (10_000, 0):
        Till(ADELAIDE).refused(GrantPlayMoney(T1, Cents(amount)), Code.DEMO_ONLY, None)


@pytest.mark.clause("marina-bay-sands-2020", "1.1.1")
def test_terminal_buys_wagers_and_cashes_out() -> None:
    """After 100 in and 30 staked a terminal pays 70 and shows nothing, and its neighbour shows nothing throughout."""
    drawer_shift = Till(SANDS)
    drawer_shift.ask(note(100, "SGD"))
    drawer_shift.stake(3_000)
    assert drawer_shift.t2.credit == 0

    drawer_shift.ask(drawer_shift.collecting())
    assert drawer_shift.house.tickets[ONE].amount == 7_000
    assert (drawer_shift.t1.credit, drawer_shift.t1.in_play, drawer_shift.t2.credit) == (0, 3_000, 0)


@pytest.mark.clause("skycity-adelaide-2003", "5.5(a)")
def test_slip_has_the_value_of_the_displayed_credits() -> None:
    """Collecting 137 gives one slip of 137, with its terminal, number and time, and leaves nothing on the meter."""
    drawer_shift = Till(ADELAIDE)
    drawer_shift.win(13_700)

    assert drawer_shift.ask(drawer_shift.collecting()) == (
        TicketIssued(T1, ONE, CreditOut.PAYMENT_SLIP, Cents(13_700), "digest 1", "0001", TODAY, ends_session=True),
    )
    slip = drawer_shift.house.tickets[ONE]
    assert (slip.terminal, slip.amount, slip.last_four, slip.day) == (T1, 13_700, "0001", TODAY)
    assert slip.issued_at > 0
    assert (drawer_shift.t1.credit, slip.state) == (0, TicketState.ISSUED)
    drawer_shift.ask(ConfirmPrint(T1, ONE))
    assert slip.state is TicketState.PRINTED


@pytest.mark.clause("clearwater-etg", "20")
@pytest.mark.clause("clearwater-etg", "20.a")
def test_win_is_paid_as_ticket_or_currency_and_not_as_chips() -> None:
    """A win of 360 credits at 0.50 is 180 in currency or on a ticket, and is not paid in chips."""
    for form in (CreditOut.CURRENCY, CreditOut.TICKET):
        drawer_shift = Till(CLEARWATER)
        drawer_shift.win(360 * 50)
        chips = drawer_shift.refused(drawer_shift.collecting(CreditOut.CHIPS), Code.NOT_PAID_HERE, "20.a")
        assert chips.facts == {"form": "chips", "forms": ("ticket", "currency")}
        assert drawer_shift.t1.credit == 18_000

        drawer_shift.ask(drawer_shift.collecting(form))
        assert (drawer_shift.t1.credit, drawer_shift.house.tickets[ONE].amount) == (0, 18_000)


@pytest.mark.parametrize(("rulebook_id", "form"), [(CLEARWATER, CreditOut.CURRENCY), ("us-double-zero", None)], ids=str)
def test_dispensed_money_is_paid_at_once(rulebook_id: str, form: CreditOut | None) -> None:
    """Currency, or chips at a table of chips, leaves the house at the terminal: no paper of it can be paid again."""
    drawer_shift = Till(rulebook_id, mode=Mode.DEMO)
    drawer_shift.win(18_000)

    drawer_shift.ask(drawer_shift.collecting(form))
    paid = drawer_shift.house.tickets[ONE]
    assert (paid.state, paid.paid_place) == (TicketState.REDEEMED, T1)
    assert paid.paid_at is not None
    assert drawer_shift.house.ledger[LedgerAccount.DISPENSED] == 18_000
    drawer_shift.refused(ReprintTicket(ONE, "Jam."), Code.TICKET_PAID, drawer_shift.rulebook.cites[CitedTopic.TICKET])


@pytest.mark.clause("skycity-adelaide-2003", "7(e)")
def test_slip_is_the_only_way_out() -> None:
    """At Adelaide credits become a payment slip and nothing else."""
    drawer_shift = Till(ADELAIDE)
    drawer_shift.win(13_700)

    for form in set(CreditOut) - {CreditOut.PAYMENT_SLIP}:
        drawer_shift.refused(drawer_shift.collecting(form), Code.NOT_PAID_HERE, "7(e)")


def test_nothing_to_collect() -> None:
    """A meter that shows nothing gives no slip, and stakes in play are not credits."""
    drawer_shift = Till(ADELAIDE)
    drawer_shift.win(500)
    drawer_shift.stake(500)

    assert drawer_shift.refused(drawer_shift.collecting(), Code.NOTHING_TO_COLLECT, "7(e)").facts == {"in_play": 500}


def test_closed_terminal_pays_its_credits() -> None:
    """Out of service, a terminal still lets its credits be collected."""
    drawer_shift = Till(ADELAIDE)
    drawer_shift.t1.closed = True

    assert drawer_shift.issue(5_000).amount == 5_000


def test_blocked_terminal_pays_nothing() -> None:
    """While a malfunction is looked into nothing is collected."""
    drawer_shift = Till(ADELAIDE)
    drawer_shift.win(5_000)
    drawer_shift.block()

    drawer_shift.refused(drawer_shift.collecting(), Code.TERMINAL_BLOCKED, FAULT)


def test_validation_of_another_slip_is_stale() -> None:
    """A number derived for a sequence that is taken, or a number that is known already, issues nothing."""
    drawer_shift = Till(ADELAIDE)
    first = drawer_shift.collecting().validation
    assert first is not None
    drawer_shift.issue(5_000)
    drawer_shift.win(7_000)

    stale = drawer_shift.refused(Collect(T1, first), Code.VALIDATION_STALE, "7(e)")
    assert stale.facts == {"sequence": 1, "next": 2}
    same_number = Validation(Number(2), first.digest, first.last_four)
    drawer_shift.refused(Collect(T1, same_number), Code.VALIDATION_STALE, "7(e)")
    assert drawer_shift.t1.credit == 7_000


@pytest.mark.clause("skycity-adelaide-2003", "5.5(a)")
def test_slip_that_did_not_print_goes_back_to_the_meter() -> None:
    """After a printer fault 137 is held under its number, and a void gives it back to the meter and to no paper."""
    drawer_shift = with_drawer(ADELAIDE)
    slip = drawer_shift.issue(13_700)
    assert (slip.state, drawer_shift.house.ledger[LedgerAccount.TICKETS], drawer_shift.t1.credit) == (
        TicketState.ISSUED,
        13_700,
        0,
    )

    drawer_shift.ask(VoidTicket(ONE, "The printer jammed."))
    assert (slip.state, drawer_shift.house.ledger[LedgerAccount.TICKETS], drawer_shift.t1.credit) == (
        TicketState.VOID,
        0,
        13_700,
    )
    assert drawer_shift.refused(redeeming(), Code.TICKET_VOID, "7(e)").facts == {"terminal": T1}
    drawer_shift.refused(ReprintTicket(ONE, "Again."), Code.TICKET_VOID, "7(e)")
    drawer_shift.refused(VoidTicket(ONE, "Again."), Code.TICKET_VOID, "7(e)")


@pytest.mark.clause("skycity-adelaide-2003", "5.5(a)")
def test_reprint_is_a_duplicate_and_is_paid_once() -> None:
    """A reprint is marked as a duplicate, is never given back to the meter as well, and is paid once."""
    drawer_shift = with_drawer(ADELAIDE)
    slip = drawer_shift.issue(13_700)

    drawer_shift.ask(ReprintTicket(ONE, "The printer jammed."))
    assert (slip.duplicates, slip.state) == (1, TicketState.PRINTED)
    drawer_shift.refused(VoidTicket(ONE, "Not needed."), Code.OUT_OF_TURN, "7(e)")
    drawer_shift.refused(ConfirmPrint(T1, ONE), Code.OUT_OF_TURN, "7(e)")
    drawer_shift.ask(redeeming())
    drawer_shift.refused(redeeming(), Code.TICKET_PAID, "7(e)")
    drawer_shift.refused(ReprintTicket(ONE, "Again."), Code.TICKET_PAID, "7(e)")


def test_printed_slip_is_not_voided() -> None:
    """A slip that came out of the printer may be in a player's hands and stays payable."""
    drawer_shift = Till(ADELAIDE)
    slip = drawer_shift.issue(13_700)
    drawer_shift.ask(ConfirmPrint(T1, ONE))

    assert drawer_shift.refused(VoidTicket(ONE, "Left behind."), Code.OUT_OF_TURN, "7(e)").facts == {"duplicates": 0}
    assert slip.payable


def test_slip_that_is_not_there() -> None:
    """Nothing can be done about a slip that was not issued, or printed by a terminal that did not issue it."""
    drawer_shift = Till(ADELAIDE)
    drawer_shift.issue(13_700)

    for command in (ReprintTicket(NINE, ""), VoidTicket(NINE, ""), ReportLost(NINE, ""), ConfirmPrint(T1, NINE)):
        assert drawer_shift.refused(command, Code.UNKNOWN_RECORD, "7(e)").facts == {"sequence": 9}
    drawer_shift.refused(ConfirmPrint(T2, ONE), Code.UNKNOWN_RECORD, "7(e)")


@pytest.mark.clause("skycity-adelaide-2003", "7(d)")
def test_slip_adds_nothing_to_a_meter() -> None:
    """At Adelaide a slip of 50 that is put into a terminal is refused, and stays good at the cashier's."""
    drawer_shift = with_drawer(ADELAIDE)
    slip = drawer_shift.dispense(5_000)

    drawer_shift.refused(InsertTicket(T2, slip.digest), Code.NOT_TAKEN_HERE, "7(d)")
    assert drawer_shift.t2.credit == 0
    drawer_shift.ask(redeeming())


@pytest.mark.clause("clearwater-etg", "6")
def test_note_and_ticket_become_credits_once() -> None:
    """A note of 20 and a ticket of 35.50 are 111 credits of 0.50, and the same ticket is refused a second time."""
    drawer_shift = Till(CLEARWATER)
    ticket = drawer_shift.issue(3_550)
    drawer_shift.ask(InsertNote(T2, "USD", Cents(2_000)))

    drawer_shift.ask(InsertTicket(T2, ticket.digest))
    assert drawer_shift.t2.credit == 111 * 50
    assert (drawer_shift.t2.meters.tickets_in, ticket.state, ticket.paid_place) == (3_550, TicketState.REDEEMED, T2)
    again = drawer_shift.refused(InsertTicket(T1, ticket.digest), Code.TICKET_PAID, "27")
    assert again.facts == {"paid_at": ticket.paid_at, "place": T2, "by": ""}
    drawer_shift.refused(InsertTicket(T1, "no such number"), Code.TICKET_UNKNOWN, "27")


def test_slip_for_the_cashier_is_not_a_ticket() -> None:
    """A slip from a time when only the cashier paid it is not taken by a terminal that takes tickets."""
    drawer_shift = Till(CLEARWATER)
    slip = drawer_shift.issue(5_000)
    slip.form = CreditOut.PAYMENT_SLIP

    refusal = drawer_shift.refused(InsertTicket(T1, slip.digest), Code.NOT_TAKEN_HERE, "20.a")
    assert refusal.facts == {"form": CreditOut.PAYMENT_SLIP}


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
    drawer_shift = Till(ADELAIDE)
    drawer_shift.house.day, drawer_shift.house.ticket_days = Day(issued), days
    drawer_shift.issue(5_000)

    assert tickets.expired(drawer_shift.house, Day(begins)) == ((ONE,) if lapses else ())


def test_expired_ticket_is_unclaimed() -> None:
    """A ticket that lapsed is refused with its day and reported as unclaimed, and one that was paid does not lapse."""
    drawer_shift = with_drawer(CLEARWATER, ticket_days=30)
    drawer_shift.issue(2_000)
    drawer_shift.ask(redeeming())
    drawer_shift.issue(5_000)

    began, lapsed = drawer_shift.ask(Tick(Day(20261215)))
    assert (began, lapsed) == (DayBegan(Day(20261215), None), TicketsExpired((Number(2),)))
    assert (drawer_shift.house.tickets[Number(2)].state, drawer_shift.house.ledger[LedgerAccount.UNCLAIMED]) == (
        TicketState.EXPIRED,
        5_000,
    )
    assert drawer_shift.refused(redeeming(2), Code.TICKET_EXPIRED, "27").facts == {"day": TODAY, "days": 30}
    assert tickets.expired(drawer_shift.house, Day(20261216)) == ()
