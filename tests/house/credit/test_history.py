"""History: what two people accept as lost, and the slips and tickets that are frozen by it until two release them."""

import pytest

from croupier.engine.sequencer import BATCH_MAX
from croupier.house.credit.tickets import (
    Collect,
    ConfirmPrint,
    InsertTicket,
    ReleaseTicket,
    ReportLost,
    ReprintTicket,
    TicketRedeemed,
    TicketReleased,
    TicketReportedLost,
    TicketState,
    Validation,
    VoidTicket,
)
from croupier.house.floor.incidents import IncidentFacts, IncidentKind, IncidentRaised
from croupier.house.floor.signatures import ProposalMade
from croupier.house.floor.staff import AppointActing, EnrolPerson
from croupier.house.ids import Day, Instant, Number, PersonId, TerminalId
from croupier.house.rounds.recovery import SPARE, AcceptHistory, HistoryAccepted
from croupier.house.state.ledger import LedgerAccount
from croupier.house.timers import Tick
from croupier.journal.writer import CHECKPOINT_EVERY
from croupier.rules.procedure import Duty
from croupier.rules.refusal import CitedTopic, Code
from croupier.words import incident_text
from tests.support.cashier_desk import (
    INSPECTOR,
    OTHER_CASHIER,
    OTHER_INSPECTOR,
    TODAY,
    CashierDesk,
    redeeming,
    with_drawer,
)

ADELAIDE, CLEARWATER, T1 = "skycity-adelaide-2003", "clearwater-etg", TerminalId("T1")
ONE, TWO, THREE, NINE = map(Number, (1, 2, 3, 9))
FIRST, SECOND, STRANGER = PersonId("manager 1"), PersonId("manager 2"), PersonId("stranger")
BOTH, WORDS = (FIRST, SECOND), "The disk failed."


def managed(rulebook_id: str = ADELAIDE) -> CashierDesk:
    """A till with a drawer, and two people who manage the house."""
    desk = with_drawer(rulebook_id, ticket_days=3)
    for person in BOTH:
        desk.ask(EnrolPerson(person, (desk.rulebook.staff.duties[Duty.MANAGE].choice,)))
    return desk


def accepting(lost: int = 7, people: tuple[PersonId, PersonId] = BOTH) -> AcceptHistory:
    return AcceptHistory(lost, people, WORDS)


def frozen(rulebook_id: str = ADELAIDE) -> CashierDesk:
    """A till with one ticket, issued and not printed, that is frozen."""
    desk = managed(rulebook_id)
    desk.issue(5_000)
    desk.ask(accepting())
    return desk


def test_payable_tickets_are_frozen_and_no_money_moves() -> None:
    """What is issued or printed is frozen, what is paid or void is not, staff are notified, and no money moved."""
    desk = managed()
    for _ in range(4):
        desk.issue(5_000)
    desk.ask(ConfirmPrint(T1, ONE))
    desk.ask(redeeming(1))
    desk.ask(VoidTicket(TWO, "Jam."))
    desk.ask(ConfirmPrint(T1, THREE))
    before = dict(desk.house.ledger.balances)
    accepted, reported = desk.ask(accepting())

    assert accepted == HistoryAccepted(7, BOTH, WORDS, (THREE, Number(4)), 20_007)
    assert isinstance(reported, IncidentRaised)
    assert (reported.kind, reported.subject, reported.clause) == (IncidentKind.HISTORY_LOST, "system", None)
    assert reported.facts == IncidentFacts(WORDS, people=BOTH, lost=7)
    assert "manager 1, manager 2: started from an older copy" in incident_text(reported)
    assert "lacks 7 entries" in incident_text(reported)
    assert [number for number, ticket in desk.house.tickets.all.items() if ticket.frozen] == [3, 4]
    assert desk.house.ledger.balances == before
    assert desk.house.ledger[LedgerAccount.TICKETS] == 10_000


def test_numbers_that_may_be_on_paper_are_not_issued_again() -> None:
    """Ticket numbers go on after all that the lost entries may have issued, and one after the other again."""
    desk = managed()
    desk.issue(5_000)
    desk.ask(accepting(lost=7))
    for number in (1 + 7 + SPARE + 1, 1 + 7 + SPARE + 2):
        assert desk.house.tickets.next_number == number
        desk.win(5_000)
        desk.refused(Collect(T1, Validation(TWO, "digest 2", "0002")), Code.VALIDATION_STALE, "7(e)")
        desk.ask(desk.collecting())
        assert desk.house.tickets.all[Number(number)].payable
        desk.ask(ConfirmPrint(T1, Number(number)))
        assert desk.ask(redeeming(number)) == (TicketRedeemed(Number(number), "D1", at_terminal=False),)


def test_what_is_spared_covers_an_anchor_that_lags() -> None:
    """More numbers are left out than tickets can have been issued after the last durable note of the anchor."""
    assert CHECKPOINT_EVERY + BATCH_MAX < SPARE


@pytest.mark.parametrize(
    ("lost", "people", "code", "cited"),
    [
        (7, (FIRST, STRANGER), Code.UNKNOWN_PERSON, False),
        (7, (STRANGER, STRANGER), Code.UNKNOWN_PERSON, False),
        (7, (INSPECTOR, FIRST), Code.NOT_AUTHORISED, True),
        (7, (OTHER_CASHIER, OTHER_CASHIER), Code.NOT_AUTHORISED, True),
        (7, (FIRST, FIRST), Code.SAME_PERSON, True),
        (0, BOTH, Code.MALFORMED, False),
        (-1, (STRANGER, FIRST), Code.MALFORMED, False),
    ],
)
def test_history_is_not_accepted(lost: int, people: tuple[PersonId, PersonId], code: Code, *, cited: bool) -> None:
    """It takes two different people who are enrolled and manage the house, and something that is lost."""
    desk = managed()
    desk.refused(accepting(lost, people), code, desk.rulebook.staff.clause if cited else None)


def test_acting_manager_may_accept() -> None:
    """Whoever acts as a manager now may accept, and may not before."""
    desk, begins = managed(), Instant(2_000)
    title = desk.rulebook.staff.duties[Duty.MANAGE].choice
    desk.ask(EnrolPerson(OTHER_INSPECTOR, (title,)))
    desk.ask(AppointActing(INSPECTOR, title, begins, Instant(begins + 2_000)), FIRST)
    desk.refused(accepting(people=(INSPECTOR, FIRST)), Code.NOT_AUTHORISED, desk.rulebook.staff.clause)
    desk.ask(AppointActing(INSPECTOR, title, Instant(0), Instant(begins)), FIRST)
    desk.ask(accepting(people=(INSPECTOR, FIRST)))


def test_nobody_asks_for_it_by_hand() -> None:
    """No person accepts history while the system runs, not even a manager."""
    desk = managed()
    desk.refused(accepting(), Code.NOT_AUTHORISED, desk.rulebook.staff.clause, person=FIRST)


@pytest.mark.parametrize("rulebook_id", [ADELAIDE, CLEARWATER])
def test_frozen_ticket_is_not_paid(rulebook_id: str) -> None:
    """Neither the desk nor a terminal pays a frozen ticket, and none is printed again or given back to a meter."""
    desk = frozen(rulebook_id)
    clause = desk.rulebook.cited_clauses[CitedTopic.TICKET]
    for command in (redeeming(1), ReprintTicket(ONE, "Jam."), VoidTicket(ONE, "Jam.")):
        refusal = desk.refused(command, Code.TICKET_FROZEN, clause)
        assert refusal.facts == {"sequence": ONE}
    if rulebook_id == CLEARWATER:
        desk.refused(InsertTicket(T1, "digest 1"), Code.TICKET_FROZEN, clause)


def test_frozen_ticket_may_be_printed_and_reported_lost() -> None:
    """A printer's word and a patron's are noted also of a frozen ticket, which stays frozen."""
    desk = frozen()
    desk.ask(ConfirmPrint(T1, ONE))
    assert isinstance(desk.ask(ReportLost(ONE, "Left in a taxi."))[0], TicketReportedLost)
    desk.refused(redeeming(1), Code.TICKET_FROZEN, "7(e)")


def test_released_ticket_is_paid_once() -> None:
    """Two people make a frozen ticket payable, and then it is paid like any other."""
    desk = frozen()
    assert desk.ask(ReleaseTicket(ONE, "Not on any list.")) == (TicketReleased(ONE, "Not on any list."),)
    desk.refused(ReleaseTicket(ONE, "Again."), Code.OUT_OF_TURN, "7(e)")
    desk.ask(ConfirmPrint(T1, ONE))
    desk.ask(redeeming(1))
    desk.refused(redeeming(1), Code.TICKET_PAID, "7(e)")
    desk.refused(ReleaseTicket(ONE, "Again."), Code.TICKET_PAID, "7(e)")
    desk.refused(ReleaseTicket(NINE, "Not here."), Code.UNKNOWN_RECORD, "7(e)")


def test_released_ticket_may_go_back_to_its_meter() -> None:
    """A ticket that was issued and not printed is voided once two people have released it."""
    desk = frozen()
    desk.ask(ReleaseTicket(ONE, "Never printed."))
    desk.ask(VoidTicket(ONE, "The printer jammed."))
    assert desk.t1.credit == 5_000


def test_nobody_releases_a_ticket_alone() -> None:
    """A release waits for a second person, and a cashier signs neither for it nor under it."""
    desk = frozen()
    desk.refused(
        ReleaseTicket(ONE, "Mine."),
        Code.NOT_AUTHORISED,
        desk.rulebook.staff.duties[Duty.INSPECT].clause,
        person=OTHER_CASHIER,
    )
    answer = desk.decide(ReleaseTicket(ONE, "Mine."))
    assert isinstance(answer, tuple)
    assert [type(event) for event in answer] == [ProposalMade]
    desk.refused(redeeming(1), Code.TICKET_FROZEN, "7(e)")


def test_released_ticket_is_frozen_again_with_the_next_loss() -> None:
    """What was released in one copy may have been paid in the part that is lost after it."""
    desk = frozen()
    desk.ask(ReleaseTicket(ONE, "Not paid."))
    desk.ask(accepting())
    desk.refused(redeeming(1), Code.TICKET_FROZEN, "7(e)")


def test_frozen_ticket_lapses_like_any_other() -> None:
    """A frozen ticket that nobody releases in time is unclaimed, and is not released after that."""
    desk = frozen()
    desk.ask(Tick(Day(TODAY + 3)))
    assert desk.house.tickets.all[ONE].state is TicketState.EXPIRED
    assert desk.house.ledger[LedgerAccount.UNCLAIMED] == 5_000
    desk.refused(redeeming(1), Code.TICKET_EXPIRED, "7(e)")
    desk.refused(ReleaseTicket(ONE, "Too late."), Code.TICKET_EXPIRED, "7(e)")
