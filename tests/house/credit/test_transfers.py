"""Tickets that move between venues, in the house: one transfer, one receipt, and books that explain both."""

from collections.abc import Callable

import pytest

from croupier.house.credit.drawers import OpenDrawer, RedeemTicket
from croupier.house.credit.tickets import (
    Collect,
    ConfirmPrint,
    InsertTicket,
    ReprintTicket,
    Ticket,
    TicketState,
    Validation,
    VoidTicket,
)
from croupier.house.credit.transfers import (
    CLOCKS_DIFFER,
    SENT_KEPT,
    PinVenue,
    ReceiveTicket,
    TicketReceived,
    TicketTransferred,
    TransferTicket,
    VenuePinned,
    account_with,
)
from croupier.house.declare import Decision
from croupier.house.ids import DeviceId, DrawerId, Instant, Number, TerminalId
from croupier.house.rounds.recovery import AcceptHistory
from croupier.house.settings import Mode
from croupier.house.state.ledger import LedgerAccount
from croupier.house.timers import Tick
from croupier.house.verification import ledger_problems
from croupier.rules.money import Cents
from croupier.rules.procedure import CreditOut
from croupier.rules.refusal import Refusal
from croupier.simulation.invariants import InvariantViolation
from tests.support.audited import Audited
from tests.support.house_driver import ADELAIDE, CLEARWATER, TOMORROW, Play, cents, refused

HARBOUR = "Harbour"
DRAWER = DrawerId("D1")


def floor(rulebook: str = CLEARWATER, **more: object) -> Audited:
    play = Audited(rulebook, **more)
    play.seats(T1=0)
    return play


def issued(play: Play, amount: int = 35) -> Ticket:
    """Issue a ticket of so many dollars."""
    sequence = play.house.tickets.next_number
    play.seat(f"S{sequence}", cents(amount))
    collect = Collect(TerminalId(f"S{sequence}"), Validation(sequence, f"digest {sequence}", "1234"))
    play.must(collect, DeviceId(f"S{sequence}"))
    return play.house.tickets.all[sequence]


def transfer(play: Play, digest: str, **more: object) -> Decision:
    kept = {"mode": play.house.setup.mode, "currencies": (play.rulebook.currency,), "at_terminal": False, **more}
    return play.ask(TransferTicket(digest, HARBOUR, "1" * 18, **kept))  # type: ignore[arg-type]


def receive(play: Play, transfer: int = 1, previous: int = 0, **more: object) -> Decision:
    kept = {"digest": f"theirs {transfer}", "last_four": "9876", "form": CreditOut.TICKET, "amount": Cents(2_000)}
    kept |= {"currency": play.rulebook.currency, "issued_at": Instant(1), "at": Instant(2), **more}
    kept = {"body": "as signed", "signature": "ab", **kept}
    return play.ask(ReceiveTicket(HARBOUR, transfer, previous, **kept))  # type: ignore[arg-type]


def test_transferred_ticket_is_owed_to_the_other_venue() -> None:
    """The amount of a transferred ticket leaves the outstanding tickets for what is owed to the venue that pays it."""
    play = floor()
    ticket, kept = issued(play), issued(play, 10)
    assert transfer(play, ticket.digest) == (TicketTransferred(ticket.sequence, HARBOUR, 1, "1" * 18),)
    ledger = play.house.ledger
    assert (ticket.state, ledger[LedgerAccount.TICKETS]) == (TicketState.TRANSFERRED, kept.amount)
    assert (ledger[LedgerAccount.INTER_VENUE], account_with(play.house, HARBOUR).owed) == (3_500, 3_500)
    assert refused(transfer(play, ticket.digest)) == ("ticket_transferred", "27")
    assert refused(play.ask(InsertTicket(TerminalId("T1"), ticket.digest), DeviceId("T1")))[0] == "ticket_transferred"
    assert list(ledger_problems(play.house)) == []


def test_received_ticket_is_paid_once() -> None:
    """A ticket of another venue is paid like any other, from a drawer or at a terminal, once; its issuer owes it."""
    play = floor()
    play.by("cashier", OpenDrawer(DRAWER, cents(100)))
    for number in (1, 2):
        received = receive(play, number, number - 1)
        assert not isinstance(received, Refusal)
        assert isinstance(received[0], TicketReceived)
        assert (received[0].body, received[0].signature) == ("as signed", "ab")
    assert play.house.ledger[LedgerAccount.INTER_VENUE] == -4_000
    assert isinstance(play.by("cashier", RedeemTicket(DRAWER, "theirs 1")), tuple)
    assert isinstance(play.ask(InsertTicket(TerminalId("T1"), "theirs 2"), DeviceId("T1")), tuple)
    assert refused(play.by("cashier", RedeemTicket(DRAWER, "theirs 2"))) == ("ticket_paid", "27")
    assert play.house.drawers[DRAWER].cash == 8_000
    assert (play.house.terminals[TerminalId("T1")].credit, play.house.ledger[LedgerAccount.TICKETS]) == (2_000, 0)
    assert list(ledger_problems(play.house)) == []


def test_transfers_are_received_once_and_in_order() -> None:
    """A transfer that was received is refused, and so is one whose predecessor is missing: neither changes anything."""
    play = floor()
    assert refused(receive(play, 2, 1)) == ("out_of_turn", "27")
    assert isinstance(receive(play), tuple)
    assert refused(receive(play)) == ("already_there", "27")
    # Numbers may be left out: an issuer that lost a part of its journal skips those that it may have used.
    assert isinstance(receive(play, 20_005, 1), tuple)
    assert isinstance(receive(play, 40_000, 3), tuple)
    assert account_with(play.house, HARBOUR).last_received == 40_000
    assert play.house.tickets.received == 3


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({"mode": Mode.REAL}, "not_taken_here"),
        ({"currencies": ("AUD", "SGD")}, "not_taken_here"),
    ],
)
def test_ticket_is_not_transferred_where_it_cannot_be_paid(more: dict[str, object], code: str) -> None:
    """A ticket is refused to a venue of the other mode or without its currency, by the issuer's clause."""
    play = floor()
    ticket = issued(play)
    assert refused(transfer(play, ticket.digest, **more)) == (code, "27")
    assert ticket.payable


@pytest.mark.clause("skycity-adelaide-2003", "7(e)")
def test_slip_is_transferred_to_a_cashier_once_it_was_dispensed() -> None:
    """7(e): a slip is paid by a cashier alone, at another venue too, and only once it was dispensed."""
    play = floor(ADELAIDE)
    slip = issued(play)
    assert refused(transfer(play, slip.digest)) == ("ticket_not_dispensed", "7(e)")
    play.must(ConfirmPrint(slip.terminal, slip.sequence), DeviceId(slip.terminal))
    assert refused(transfer(play, slip.digest, at_terminal=True)) == ("not_taken_here", "7(e)")
    assert isinstance(transfer(play, slip.digest), tuple)


def test_expired_ticket_is_not_transferred() -> None:
    """The issuer's days count: a ticket that has expired is refused to others; one that was received stays payable."""
    play = floor(ticket_days=1)
    ticket = issued(play)
    receive(play)
    play.must(Tick(TOMORROW))
    assert refused(transfer(play, ticket.digest)) == ("ticket_expired", "27")
    assert play.house.tickets.all[Number(2)].payable


def test_received_ticket_is_neither_voided_nor_printed() -> None:
    """A ticket of another venue has no terminal here: it cannot be voided or reprinted, only paid."""
    play = floor()
    receive(play)
    assert refused(play.by("supervisor", VoidTicket(Number(1), "torn"))) == ("out_of_turn", "27")
    assert refused(play.by("supervisor", ReprintTicket(Number(1), "torn"))) == ("out_of_turn", "27")


def test_ticket_of_an_unknown_currency_is_not_received() -> None:
    """A ticket in a currency that no rulebook here has is not received."""
    assert refused(receive(floor(), currency="XXX")) == ("not_taken_here", "27")


def test_number_of_another_ticket_is_not_received() -> None:
    """A transfer with the number of a ticket that is here is refused, unless that ticket was transferred away."""
    play = floor()
    ticket = issued(play)
    assert refused(receive(play, digest=ticket.digest)) == ("already_there", "27")
    transfer(play, ticket.digest)
    assert isinstance(receive(play, digest=ticket.digest), tuple)
    assert play.house.tickets.by_digest[ticket.digest] == 2
    assert account_with(play.house, HARBOUR).owed == 3_500 - 2_000


def test_key_of_a_venue_is_pinned_once() -> None:
    """The key of another venue is recorded, replaced by another one, and refused when it is the same."""
    play = floor()
    assert play.ask(PinVenue(HARBOUR, "aa")) == (VenuePinned(HARBOUR, "aa"),)
    assert refused(play.ask(PinVenue(HARBOUR, "aa"))) == ("already_there", "27")
    assert play.ask(PinVenue(HARBOUR, "bb")) == (VenuePinned(HARBOUR, "bb"),)
    assert account_with(play.house, HARBOUR).key == "bb"


def test_older_copy_skips_transfers_and_freezes_what_is_received_again() -> None:
    """After an older copy no number of a transfer is used twice, and tickets transferred before it are frozen."""
    play = floor()
    ticket = issued(play)
    transfer(play, issued(play).digest)
    two = (play.enrol("Shift Manager", "ann"), play.enrol("Shift Manager", "bob"))
    play.must(AcceptHistory(5, two, "restored"))
    accepted = play.house.history_accepted_at
    assert accepted is not None
    receive(play, at=Instant(accepted + CLOCKS_DIFFER))
    receive(play, 2, 1, at=Instant(accepted + CLOCKS_DIFFER + 1))
    assert [each.frozen for each in play.house.tickets.all.values() if each.venue] == [True, False]
    assert refused(transfer(play, ticket.digest))[0] == "ticket_frozen"
    sent = transfer(play, "theirs 2")
    assert not isinstance(sent, Refusal)
    assert isinstance(sent[0], TicketTransferred)
    assert sent[0].transfer == 2 + play.house.tickets.skipped
    assert account_with(play.house, HARBOUR).recent[-1].previous == 1


def test_ticket_that_came_back_stays_payable_when_its_first_record_leaves_the_state() -> None:
    """The record of the transfer is retired like any closed ticket; the same number is found by its newer record."""
    play = Play(CLEARWATER)
    play.seats(T1=0)
    ticket = issued(play)
    transfer(play, ticket.digest)
    receive(play, digest=ticket.digest)
    for number in range(2, play.house.setup.records_kept + 3):
        receive(play, number, number - 1)
        transfer(play, f"theirs {number}")
    assert ticket.sequence not in play.house.tickets.all
    found = play.house.tickets.all[play.house.tickets.by_digest[ticket.digest]]
    assert (found.venue, found.payable) == (HARBOUR, True)


def test_only_the_last_transfers_are_listed() -> None:
    """The state lists so many transfers to a venue as may not be in the database yet."""
    play = Play(CLEARWATER)
    play.seats(T1=0)
    for number in range(1, SENT_KEPT + 3):
        receive(play, number, number - 1)
        transfer(play, f"theirs {number}")
    recent = account_with(play.house, HARBOUR).recent
    assert (len(recent), recent[0].number, recent[-1].number) == (SENT_KEPT, 3, SENT_KEPT + 2)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda play: play.house.ledger.post(1, source=LedgerAccount.INTER_VENUE, target=LedgerAccount.TICKETS),
        lambda play: setattr(play.house.venue_accounts[HARBOUR], "last_received", 7),
        lambda play: setattr(play.house.venue_accounts[HARBOUR], "sent", 7),
    ],
)
def test_auditor_detects_wrong_accounts_of_venues(spoil: Callable[[Audited], None]) -> None:
    """The auditor verifies each cent between venues: an account that differs breaks I5."""
    play = floor()
    receive(play)
    spoil(play)
    with pytest.raises(InvariantViolation) as found:
        play.auditor.compare(play.house)
    assert found.value.invariant == "I5"
