"""Clearwater's money and records in the house: credits in and out, lost tickets, displays and disputes."""

import pytest

from croupier.house.credit.drawers import OpenDrawer, RedeemTicket
from croupier.house.credit.notes import InsertNote
from croupier.house.credit.tickets import (
    Collect,
    InsertTicket,
    ReportLost,
    ReprintTicket,
    Ticket,
    TicketState,
    Validation,
)
from croupier.house.declare import Decision
from croupier.house.floor.disputes import CloseDispute, DecideDispute, DisputeBasis, DisputeState, OpenDispute
from croupier.house.floor.incidents import IncidentKind
from croupier.house.floor.signatures import Approve
from croupier.house.ids import DeviceId, DrawerId, Number, RoundNumber, TerminalId
from croupier.house.play.betting import BetsChanged
from croupier.house.rounds.closing import BetsSealed
from croupier.house.rounds.opening import BetsOpened
from croupier.house.rounds.results import ReportBoard
from croupier.house.rounds.settlement import ResultDeclared, RoundSettled
from croupier.house.settings import Mode, TerminalSettings
from croupier.house.views import TerminalView, terminal_view
from croupier.rules.procedure import CreditOut
from tests.support.house_driver import P1, TABLE, Play, cents, refused

VENUE = "clearwater-etg"
T1, ONE = TerminalId("T1"), Number(1)
HALVES = TerminalSettings(denominations=(cents("0.50"),))
DRAWER = DrawerId("D1")


def screen(play: Play, seat: str = "T1") -> TerminalView:
    return terminal_view(play.house, TerminalId(seat), TABLE, play.now)


def collect(play: Play, seat: str = "T1", form: CreditOut | None = None) -> Decision:
    """Cash a terminal's credits out."""
    sequence = play.house.tickets.next_number
    validation = Validation(sequence, f"digest {sequence}", f"{sequence:04d}")
    return play.ask(Collect(TerminalId(seat), validation, form), DeviceId(seat))


def ticket_of(play: Play, credit: str, seat: str = "T9") -> Ticket:
    """Issue a ticket of so many dollars on another terminal."""
    play.seat(seat, cents(credit))
    assert isinstance(collect(play, seat), tuple)
    return play.house.tickets.all[Number(len(play.house.tickets.all))]


def insert(play: Play, ticket: Ticket, seat: str = "T1") -> Decision:
    return play.ask(InsertTicket(TerminalId(seat), ticket.digest), DeviceId(seat))


@pytest.mark.clause("clearwater-etg", "6")
def test_currency_and_tickets_become_credits() -> None:
    """At 0.50 a credit a note of 20 and a ticket of 35.50 are 40 and 71 credits, 111 in all."""
    play = Play(VENUE)
    ticket = ticket_of(play, "35.50")
    play.seat("T1", settings=HALVES)
    play.must(InsertNote(T1, "USD", cents(20)), DeviceId(T1))
    assert screen(play).credits == 40
    insert(play, ticket)

    assert (screen(play).credits, screen(play).residual) == (111, 0)
    assert refused(insert(play, ticket)) == ("ticket_paid", "27")
    assert screen(play).credits == 111
    play.check()


@pytest.mark.clause("clearwater-etg", "6")
def test_several_tickets_are_inserted_and_what_makes_no_credit_is_left_over() -> None:
    """Tickets of 10.25 and 5.50 are 31 credits of 0.50 with 0.25 left over."""
    play = Play(VENUE)
    play.seat("T1", settings=HALVES)
    for seat, credit in (("T8", "10.25"), ("T9", "5.50")):
        insert(play, ticket_of(play, credit, seat))

    assert (screen(play).credits, screen(play).residual) == (31, 25)
    play.check()


@pytest.mark.clause("clearwater-etg", "6")
@pytest.mark.parametrize(("currency", "value"), [("AUD", 20), ("USD", 7), ("usd", 20)])
def test_note_that_is_not_taken_makes_no_credits(currency: str, value: int) -> None:
    """A note of another currency or of a value that the acceptor does not take goes back."""
    play = Play(VENUE, mode=Mode.REAL)
    play.seat("T1")

    assert refused(play.ask(InsertNote(T1, currency, cents(value)), DeviceId(T1))) == ("not_taken_here", "6")
    assert screen(play).credits == 0


@pytest.mark.clause("clearwater-etg", "20")
@pytest.mark.clause("clearwater-etg", "20.a")
@pytest.mark.parametrize("form", [CreditOut.TICKET, CreditOut.CURRENCY, None])
def test_win_is_paid_in_credits_and_cashed_out(form: CreditOut | None) -> None:
    """10 credits on 17 at 0.50 win: 360 credits are on the meter, which is 180.00 on a ticket or in currency."""
    play = Play(VENUE)
    play.seat("T1", cents(5), HALVES)
    play.round("17", T1="5 on 17")
    assert (screen(play).credits, screen(play).credit) == (360, 180_00)
    for chips in (CreditOut.CHIPS, CreditOut.PAYMENT_SLIP):
        assert refused(collect(play, form=chips)) == ("not_paid_here", "20.a")
    collect(play, form=form)

    paid = play.house.tickets.all[ONE]
    assert (paid.form, paid.amount, screen(play).credits) == (form or CreditOut.TICKET, 180_00, 0)
    assert refused(collect(play, form=form)) == ("nothing_to_collect", "20.a")
    play.check()


@pytest.mark.clause("clearwater-etg", "20.a")
def test_stakes_in_play_are_not_cashed_out() -> None:
    """With 10 of 100 on the layout 90 are collected, and the 10 play on."""
    play = Play(VENUE)
    play.seats(T1=100)
    play.open()
    play.bet("T1", "10 on 17")
    collect(play)
    play.close()
    play.rest("17")

    assert (play.house.tickets.all[ONE].amount, play.credit("T1")) == (90_00, 360)
    play.check()


@pytest.mark.clause("clearwater-etg", "27")
@pytest.mark.parametrize("at_terminal", [False, True], ids=["drawer", "terminal"])
def test_lost_ticket_pays_whoever_brings_it_once(at_terminal: bool) -> None:  # noqa: FBT001
    """A ticket of 50 that was reported lost pays 50 once, at the cashier or at a terminal, and no other is issued."""
    play = Play(VENUE)
    play.seat("T1")
    ticket = ticket_of(play, "50")
    play.by("cashier", OpenDrawer(DRAWER, cents(200)))
    play.by("cashier", ReportLost(ONE, "In the car park."))
    assert (len(play.house.tickets.all), ticket.state) == (1, TicketState.ISSUED)
    if at_terminal:
        insert(play, ticket)
        assert play.credit("T1") == 50
    else:
        play.by("cashier", RedeemTicket(DRAWER, ticket.digest))
        assert play.house.drawers[DRAWER].cash == 150_00

    assert refused(insert(play, ticket)) == ("ticket_paid", "27")
    assert refused(play.by("cashier", RedeemTicket(DRAWER, ticket.digest))) == ("ticket_paid", "27")
    play.check()


@pytest.mark.clause("clearwater-etg", "27")
def test_lost_ticket_is_not_replaced_by_a_reprint() -> None:
    """No duplicate is printed of a ticket that was reported lost: it would stand in its place."""
    play = Play(VENUE)
    ticket = ticket_of(play, "50")
    play.enrol("Attendant", "attendant 2")
    play.by("cashier", ReportLost(ONE, "In the car park."))
    answer = play.by("attendant", ReprintTicket(ONE, "The patron has lost it."))
    if isinstance(answer, tuple):
        answer = play.by("attendant 2", Approve(ONE))

    assert refused(answer)[1] == "27"
    assert ticket.duplicates == 0


@pytest.mark.clause("clearwater-etg", "4")
@pytest.mark.parametrize(("board", "incidents"), [("20", 1), ("00", 1), ("37", 1), ("17", 0)])
def test_secondary_display_changes_nothing(board: str, incidents: int) -> None:
    """With 17 on the terminal and 20 on the overhead display 10 on 17 pay 350, and the mismatch is on record."""
    play = Play(VENUE)
    play.seats(T1=100)
    play.round("17", T1="10 on 17")
    play.must(ReportBoard(TABLE, board))

    reported = [(each.kind, each.clause, each.subject) for each in play.house.incidents.all.values()]
    assert reported == [(IncidentKind.DISPLAY_DIFFERS, "4", TABLE)] * incidents
    assert (play.credit("T1"), play.table.numbers) == (90 + 10 + 350, ("17",))
    play.check()


@pytest.mark.clause("clearwater-etg", "28")
def test_dispute_keeps_the_memorandum_and_the_whole_record() -> None:
    """A dispute on round 77 names the memorandum's version and holds the round's bets and result as they were."""
    play = Play(VENUE)
    play.seats(T1=1_000)
    for number in range(1, 78):
        play.round("17", T1="1 on 17" if number == 77 else "1 on red")
    dispute = OpenDispute(TABLE, RoundNumber(77), T1, DisputeBasis.NOT_COVERED, "The meter.", memorandum="DRP 2026-3")
    play.by("attendant", dispute)

    opened, evidence = play.house.disputes[ONE].opened, play.house.disputes[ONE].evidence
    assert evidence is not None
    assert (opened.round, opened.memorandum, opened.clause) == (77, "DRP 2026-3", "28")
    assert (evidence.layouts, evidence.pocket, evidence.paid) == ({P1: {"17": 1_00}}, "17", {P1: 36_00})
    kinds = (BetsOpened, BetsChanged, BetsSealed, ResultDeclared, RoundSettled)
    events = [entry.event for entry in play.journal.entries() if isinstance(entry.event, kinds)]
    assert [type(event) for event in events if event.round == 77] == list(kinds)
    play.check()


@pytest.mark.clause("clearwater-etg", "28")
def test_dispute_goes_its_way_step_by_step() -> None:
    """A dispute is opened by an attendant, decided by the shift manager alone, and closed after that."""
    play = Play(VENUE)
    play.seats(T1=100)
    play.round("17", T1="10 on 17")
    opening = OpenDispute(TABLE, RoundNumber(1), T1, DisputeBasis.NOT_COVERED, "The meter.", memorandum="DRP 2026-3")
    play.by("attendant", opening)
    close, decision = CloseDispute(ONE, resolved=True), DecideDispute(ONE, "The record stands.")

    assert refused(play.by("shift manager", close)) == ("out_of_turn", "28")
    assert refused(play.by("attendant", decision)) == ("not_authorised", "28")
    play.by("shift manager", decision)
    assert refused(play.by("shift manager", decision)) == ("out_of_turn", "28")
    play.by("shift manager", close)
    dispute = play.house.disputes[ONE]
    assert (dispute.state, dispute.decision, dispute.decided_by) == (
        DisputeState.CLOSED,
        "The record stands.",
        "shift manager",
    )


@pytest.mark.clause("clearwater-etg", "28")
def test_round_that_was_never_played_cannot_be_disputed() -> None:
    """There is no record of round 78 for a dispute."""
    play = Play(VENUE)
    play.seats(T1=100)
    play.round("17", T1="10 on 17")
    dispute = OpenDispute(TABLE, RoundNumber(78), T1, DisputeBasis.NOT_COVERED, "The meter.", memorandum="DRP 2026-3")

    assert refused(play.by("attendant", dispute))[0] == "unknown_record"
    assert play.house.disputes == {}
