"""Notes, tickets and sessions at a terminal."""

from datetime import date
from typing import NamedTuple, assert_never

from croupier.house.base import Decision, Events
from croupier.house.commands.credit import (
    Collect,
    ConfirmPrint,
    EndSession,
    EscrowNote,
    GrantPlayMoney,
    InsertNote,
    InsertTicket,
    ReleaseTicket,
    ReportLost,
    ReprintTicket,
    Validation,
    VoidTicket,
)
from croupier.house.commands.record import Peripheral
from croupier.house.events.credit import (
    NoteStacked,
    PlayMoneyGranted,
    SessionEnd,
    SessionEnded,
    TicketIssued,
    TicketPrinted,
    TicketRedeemed,
    TicketReleased,
    TicketReportedLost,
    TicketReprinted,
    TicketsExpired,
    TicketVoided,
)
from croupier.house.ids import SECOND, Context, Day, Instant, Number, TableId
from croupier.house.permissions import (
    blocked_objection,
    held_win_objection,
    lock_objection,
    money_in_objection,
)
from croupier.house.player_limits import end_own_limits, schedule_pause
from croupier.house.settings import Mode
from croupier.house.setup import leave_arrangement
from croupier.house.stakes import begin_anew
from croupier.house.state import CaseState, Deciders, Evolvers, House, retire_tickets
from croupier.house.state.money import LedgerAccount, Ticket, TicketState
from croupier.house.state.tables import Terminal
from croupier.house.timer_heap import TimerKind
from croupier.rules.money import Cents, amount_text
from croupier.rules.procedure import CreditIn, CreditOut
from croupier.rules.refusal import CitedTopic, ClauseId, Code, Refusal, refuse
from croupier.rules.rulebook import Rulebook

#: The most sessions that one tick ends: a whole venue may run out of credits in one spin.
ENDED_AT_ONCE = 100


class Session(NamedTuple):
    """The figures of a player's session, in cents except for the number of games."""

    #: When money was first added; None if none was.
    since: Instant | None
    put_in: int
    taken_out: int
    #: The result of play, negative for a loss; stakes in play are excluded.
    net: int
    games: int


def session_of(house: House, terminal: Terminal) -> Session:
    """Compute a terminal's session from its balances and from the meters since it began."""
    put_in = terminal.meters.put_in - terminal.session_in
    taken_out = terminal.meters.taken_out - terminal.session_out
    suspense = 0 if terminal.case is None else house.cases[terminal.case].suspense
    owes = terminal.debts.get(terminal.session, 0)
    has = terminal.credit + terminal.in_play + terminal.held_total + suspense - owes
    return Session(terminal.session_since, put_in, taken_out, has + taken_out - put_in, terminal.session_games)


def is_spent(terminal: Terminal) -> bool:
    """Check whether a terminal has no money left and no undecided item."""
    return not (terminal.credit or terminal.in_play or terminal.holds) and terminal.case is None


def end_session(house: House, command: EndSession, _context: Context) -> Decision:
    terminal = house.terminals[command.terminal]
    rulebook = house.rulebook_at(terminal)
    refusal = (
        blocked_objection(house, terminal) or held_win_objection(terminal, rulebook) or _not_spent(house, terminal)
    )
    return refusal or (SessionEnded(terminal.id, terminal.session, SessionEnd.STAFF),)


def _not_spent(house: House, terminal: Terminal) -> Refusal | None:
    clause, unit = (
        house.rulebook_at(terminal).cited_clauses[CitedTopic.CREDIT_OUT],
        house.rulebook_at(terminal).currency,
    )
    if terminal.session_since is None:
        return refuse(Code.NOTHING_THERE, clause, f"No session has begun at terminal {terminal.id}.")
    if is_spent(terminal):
        return None
    message = (
        f"There are {amount_text(terminal.credit)} {unit} on the meter and {amount_text(terminal.in_play)} {unit} in "
        "play: the session ends when they are played or collected."
    )
    return refuse(Code.OUT_OF_TURN, clause, message, credit=terminal.credit, in_play=terminal.in_play)


def session_ended(house: House, event: SessionEnded, _context: Context) -> None:
    terminal = house.terminals[event.terminal]
    if event.reason is SessionEnd.NEW_MONEY:
        # Own limits go on: a player who adds money must not escape them.
        terminal.session += 1
    else:
        end(house, terminal)


def renewed(terminal: Terminal) -> Events:
    """Begin another session with money that is added to a terminal without any: it may be another player's.

    11(e) at Adelaide, 6.3 at Marina Bay Sands: a correction adjusts the bets of a player. Its difference is then a
    receivable or a payable of the session before, and never taken from this money.
    """
    spent = terminal.session_since is not None and is_spent(terminal)
    return (SessionEnded(terminal.id, terminal.session, SessionEnd.NEW_MONEY),) if spent else ()


def ends_at(house: House, table: TableId) -> Instant | None:
    """Compute when the first session without money ends by itself, of the terminals whose first table this is."""
    idle_s = house.tables[table].settings.session_idle_s
    waiting = house.spent.get(table)
    return Instant(next(iter(waiting.values())) + idle_s * SECOND) if waiting and idle_s is not None else None


def schedule_end(house: House, table: TableId) -> None:
    """Set the session timer of a table from its settings and its sessions without money."""
    house.timers.schedule(TimerKind.SESSION, table, ends_at(house, table))


def idle_ended(house: House, context: Context, *, table: TableId) -> Events:
    """End the sessions of a table's terminals that have had no money for the idle time."""
    idle_s = house.tables[table].settings.session_idle_s
    assert idle_s is not None
    due = (each for each, since in house.spent[table].items() if since + idle_s * SECOND <= context.now)
    ended = (house.terminals[each] for each, _ in zip(due, range(ENDED_AT_ONCE), strict=False))
    return tuple(SessionEnded(each.id, each.session, SessionEnd.IDLE) for each in ended)


def begin(house: House, terminal: Terminal, context: Context) -> None:
    """Start a session's clock when money is first added."""
    if terminal.session_since is None:
        terminal.session_since = context.now
        schedule_pause(house, terminal)
    _stop(house, terminal)


def watch(house: House, terminal: Terminal, context: Context) -> None:
    """Start the idle time of a session when its terminal has no money left, and stop it when money is added."""
    if terminal.session_since is None or not is_spent(terminal):
        _stop(house, terminal)
        return
    table = next(iter(terminal.games))
    house.spent.setdefault(table, {}).setdefault(terminal.id, context.now)
    schedule_end(house, table)


def _stop(house: House, terminal: Terminal) -> None:
    table = next(iter(terminal.games))
    waiting = house.spent.get(table)
    if waiting and waiting.pop(terminal.id, None) is not None:
        schedule_end(house, table)


def end(house: House, terminal: Terminal) -> None:
    """End a session: data stored for one player must not reach the next."""
    _stop(house, terminal)
    terminal.patterns, terminal.ghost = {}, None
    terminal.messages.clear()
    terminal.session_games = 0
    terminal.session += 1
    terminal.session_since = None
    end_own_limits(house, terminal)
    terminal.session_in, terminal.session_out = terminal.meters.put_in, terminal.meters.taken_out
    for game in terminal.games.values():
        game.previous, game.stayed, game.auto_copy_to = {}, {}, None
        game.won = game.idle_spins = 0
        # The layout is empty: the next player must not be able to undo to the last player's bets.
        begin_anew(game)
        leave_arrangement(house, game)


def insert_note(house: House, command: InsertNote, _context: Context) -> Decision:
    """Decide whether a note becomes credit; a held win does not prevent it."""
    terminal = house.terminals[command.terminal]
    rulebook = house.rulebook_at(terminal)
    return (
        money_in_objection(house, terminal, rulebook)
        or _in_escrow(rulebook, terminal)
        or note_objection(rulebook, terminal, command)
        or (*renewed(terminal), NoteStacked(command.terminal, command.value))
    )


def _in_escrow(rulebook: Rulebook, terminal: Terminal) -> Refusal | None:
    if terminal.escrow is None:
        return None
    return refuse(Code.OUT_OF_TURN, rulebook.cited_clauses[CitedTopic.CREDIT_IN], "The acceptor holds another note.")


def note_stacked(house: House, event: NoteStacked, context: Context) -> None:
    terminal = house.terminals[event.terminal]
    begin(house, terminal, context)
    house.ledger.post(event.value, source=LedgerAccount.NOTES, target=LedgerAccount.CREDIT)
    terminal.escrow = None
    terminal.credit += event.value
    terminal.meters.notes[event.value] += 1


def grant_play_money(house: House, command: GrantPlayMoney, _context: Context) -> Decision:
    if house.mode is not Mode.DEMO:
        return refuse(Code.DEMO_ONLY, None, "Play money is for demonstrations: here credits are worth money.")
    if command.amount <= 0:
        message = "Play money is granted in amounts above nothing."
        return refuse(Code.STAKE_NOT_POSITIVE, None, message, amount=command.amount)
    return (*renewed(house.terminals[command.terminal]), PlayMoneyGranted(command.terminal, command.amount))


def play_money_granted(house: House, event: PlayMoneyGranted, context: Context) -> None:
    terminal = house.terminals[event.terminal]
    begin(house, terminal, context)
    house.ledger.post(event.amount, source=LedgerAccount.PLAY_MONEY, target=LedgerAccount.CREDIT)
    terminal.credit += event.amount
    terminal.meters.granted += event.amount


def not_taken(rulebook: Rulebook, message: str, **facts: object) -> Refusal:
    """Refuse a form of payment that buys no credits here, by the closed list of forms if the rules have one."""
    return refuse(
        Code.NOT_TAKEN_HERE, rulebook.credit_only or rulebook.cited_clauses[CitedTopic.CREDIT_IN], message, **facts
    )


def note_objection(rulebook: Rulebook, terminal: Terminal, note: InsertNote | EscrowNote) -> Refusal | None:
    """Refuse a note that does not buy credits at a terminal."""
    clause = next((ruling.clause for ruling in terminal.channel.credit_in if ruling.choice is CreditIn.NOTES), None)
    accepted = terminal.settings.notes
    if clause is None:
        return not_taken(rulebook, "Notes are not taken here.", why="notes")
    if note.currency != rulebook.currency:
        message = f"Only notes of {rulebook.currency} are taken here."
        return refuse(
            Code.NOT_TAKEN_HERE, clause, message, why="currency", currency=note.currency, accepted=rulebook.currency
        )
    if note.value not in accepted:
        message = f"This terminal takes notes of {', '.join(map(amount_text, accepted))} {rulebook.currency}."
        return refuse(Code.NOT_TAKEN_HERE, clause, message, why="value", value=note.value, accepted=accepted)
    return None


#: Paid by the terminal itself: there is no paper, and the record is of a completed payment.
DISPENSED = frozenset({CreditOut.CURRENCY, CreditOut.CHIPS})


def collect(house: House, command: Collect, context: Context) -> Decision:
    """Cash out all free credits, in any state of the round; stakes in play are excluded."""
    terminal = house.terminals[command.terminal]
    form, valid = command.form or terminal.channel.credit_out[0].choice, command.validation
    assert valid is not None
    refusal = (
        _withheld(house, terminal, context)
        or held_win_objection(terminal, house.rulebook_at(terminal))
        or _not_paid(terminal, form, house.rulebook_at(terminal))
        or _stale(house, valid)
    )
    amount = Cents(terminal.credit)
    number, ends_session = (valid.digest, valid.last_four), not terminal.in_play
    issued = TicketIssued(terminal.id, valid.sequence, form, amount, *number, house.day, ends_session)
    return refusal or (issued,)


def _withheld(house: House, terminal: Terminal, context: Context) -> Refusal | None:
    """Staff may collect for a player only if the terminal cannot, and not while bets of its case are in question."""
    locked = lock_objection(house, terminal, Peripheral.PRINTER)
    if not context.person:
        return blocked_objection(house, terminal) or locked
    case = None if terminal.case is None else house.cases[terminal.case]
    if case is not None and case.questioned and case.state is CaseState.OPEN:
        return blocked_objection(house, terminal)
    if terminal.closed or case is not None or terminal.lost_at is not None or locked is not None:
        return None
    clause = house.rulebook_at(terminal).cited_clauses[CitedTopic.CREDIT_OUT]
    return refuse(Code.NOT_AUTHORISED, clause, "A terminal in service is for its player to collect from.")


def ticket_issued(house: House, event: TicketIssued, context: Context) -> None:
    """Move the credits in the same entry as the ticket; an amount that the terminal dispenses is paid at once."""
    terminal, dispensed = house.terminals[event.terminal], event.form in DISPENSED
    valid = (event.digest, event.last_four)
    ticket = Ticket(
        event.sequence, event.terminal, event.form, event.amount, *valid, context.now, event.day, context.person
    )
    house.tickets[event.sequence] = ticket
    house.ticket_digests[event.digest] = event.sequence
    house.tickets_issued += 1
    retire_tickets(house)
    target = LedgerAccount.DISPENSED if dispensed else LedgerAccount.TICKETS
    house.ledger.post(event.amount, source=LedgerAccount.CREDIT, target=target)
    terminal.credit -= event.amount
    terminal.meters.tickets_out += event.amount
    if event.ends_session:
        end(house, terminal)
    if dispensed:
        pay(house, ticket, event.terminal, context)


def pay(house: House, ticket: Ticket, place: str, context: Context) -> None:
    """Record when, where and by whom a ticket was paid."""
    close(house, ticket, TicketState.REDEEMED)
    ticket.paid_at, ticket.paid_place, ticket.paid_by = context.now, place, context.person


def close(house: House, ticket: Ticket, state: TicketState) -> None:
    """Set the state of a ticket that is not payable any more."""
    ticket.state = state
    house.closed_tickets.append(ticket.sequence)


def _not_paid(terminal: Terminal, form: CreditOut, rulebook: Rulebook) -> Refusal | None:
    clause, forms = (
        rulebook.cited_clauses[CitedTopic.CREDIT_OUT],
        tuple(ruling.choice for ruling in terminal.channel.credit_out),
    )
    if form not in forms:
        message = f"Credits are paid here as {' or '.join(map(_words, forms))}, not as {_words(form)}."
        return refuse(Code.NOT_PAID_HERE, clause, message, form=form, forms=forms)
    if terminal.credit == 0:
        message = "There is nothing to collect: stakes in play are not credits."
        return refuse(Code.NOTHING_TO_COLLECT, clause, message, in_play=terminal.in_play)
    return None


def _stale(house: House, valid: Validation) -> Refusal | None:
    if valid.sequence == house.next_ticket and valid.digest not in house.ticket_digests:
        return None
    message = "Another slip or ticket was issued in the meantime: please collect again."
    return refuse(Code.VALIDATION_STALE, desk_clause(house), message, sequence=valid.sequence, next=house.next_ticket)


def confirm_print(house: House, command: ConfirmPrint, _context: Context) -> Decision:
    ticket = house.tickets.get(command.sequence)
    if ticket is None or ticket.terminal != command.terminal:
        clause = house.rulebook_at(house.terminals[command.terminal]).cited_clauses[CitedTopic.TICKET]
        return _no_such(command.sequence, clause)
    if ticket.state is not TicketState.ISSUED:
        message = f"{named(ticket)} is {ticket.state.value} already: there is no print to confirm."
        return refuse(Code.OUT_OF_TURN, ticket_clause(house, ticket), message, state=ticket.state)
    return (TicketPrinted(command.terminal, command.sequence),)


def ticket_printed(house: House, event: TicketPrinted, _context: Context) -> None:
    house.tickets[event.sequence].state = TicketState.PRINTED


def reprint_ticket(house: House, command: ReprintTicket, _context: Context) -> Decision:
    ticket = house.tickets.get(command.sequence)
    if ticket is None:
        return _no_such(command.sequence, desk_clause(house))
    if ticket.payable and ticket.venue:
        message = f"{named(ticket)} was issued by {ticket.venue}: its number is not known here."
        return refuse(Code.OUT_OF_TURN, ticket_clause(house, ticket), message, venue=ticket.venue)
    if ticket.payable and ticket.reported_lost:
        message = f"{named(ticket)} was reported lost: no other is printed in its place."
        return refuse(Code.OUT_OF_TURN, ticket_clause(house, ticket), message)
    return payment_objection(house, ticket) or (TicketReprinted(command.sequence, command.words),)


def ticket_reprinted(house: House, event: TicketReprinted, _context: Context) -> None:
    """Count the duplicate; it has the number of the original, so only one of them is ever paid."""
    ticket = house.tickets[event.sequence]
    ticket.duplicates += 1
    ticket.state = TicketState.PRINTED


def void_ticket(house: House, command: VoidTicket, _context: Context) -> Decision:
    """Return a ticket to its meter while no paper of it can be in circulation."""
    ticket = house.tickets.get(command.sequence)
    if ticket is None:
        return _no_such(command.sequence, desk_clause(house))
    if ticket.state is TicketState.PRINTED:
        # 5.5(a) at Adelaide: the slip or the meter, never both payable.
        message = f"{named(ticket)} is printed and may be in a player's hands: it is paid to the bearer."
        return refuse(Code.OUT_OF_TURN, ticket_clause(house, ticket), message, duplicates=ticket.duplicates)
    return payment_objection(house, ticket) or (TicketVoided(command.sequence, command.words),)


def ticket_voided(house: House, event: TicketVoided, context: Context) -> None:
    ticket = house.tickets[event.sequence]
    terminal = house.terminals[ticket.terminal]
    begin(house, terminal, context)
    close(house, ticket, TicketState.VOID)
    house.ledger.post(ticket.amount, source=LedgerAccount.TICKETS, target=LedgerAccount.CREDIT)
    terminal.credit += ticket.amount
    terminal.meters.tickets_back += ticket.amount


def release_ticket(house: House, command: ReleaseTicket, _context: Context) -> Decision:
    """Make a frozen ticket payable after two people have investigated it."""
    ticket = house.tickets.get(command.sequence)
    if ticket is None:
        return _no_such(command.sequence, desk_clause(house))
    if ticket.payable and not ticket.frozen:
        return refuse(Code.OUT_OF_TURN, ticket_clause(house, ticket), f"{named(ticket)} is not frozen.")
    return _done_with(house, ticket) or (TicketReleased(command.sequence, command.words),)


def ticket_released(house: House, event: TicketReleased, _context: Context) -> None:
    house.tickets[event.sequence].frozen = False


def report_lost(house: House, command: ReportLost, _context: Context) -> Decision:
    """Record a loss; the paper stays payable to its bearer, and no replacement is issued (27 at Clearwater)."""
    ticket = house.tickets.get(command.sequence)
    if ticket is None:
        return _no_such(command.sequence, desk_clause(house))
    lost = TicketReportedLost(command.sequence, ticket_clause(house, ticket), command.words)
    return _done_with(house, ticket) or (lost,)


def ticket_reported_lost(house: House, event: TicketReportedLost, _context: Context) -> None:
    house.tickets[event.sequence].reported_lost = True


def insert_ticket(house: House, command: InsertTicket, _context: Context) -> Decision:
    terminal = house.terminals[command.terminal]
    rulebook = house.rulebook_at(terminal)
    refusal = money_in_objection(house, terminal, rulebook) or _no_tickets_in(rulebook, terminal)
    if refusal is not None:
        return refusal
    ticket = find_ticket(house, command.digest)
    if ticket is None:
        return unknown_ticket(rulebook.cited_clauses[CitedTopic.TICKET])
    return (
        for_the_cashier(house, ticket)
        or _other_currency(house, ticket, rulebook)
        or payment_objection(house, ticket)
        or (*renewed(terminal), TicketRedeemed(ticket.sequence, place=terminal.id, at_terminal=True))
    )


def find_ticket(house: House, digest: str) -> Ticket | None:
    sequence = house.ticket_digests.get(digest)
    return None if sequence is None else house.tickets[sequence]


def unknown_ticket(clause: ClauseId) -> Refusal:
    return refuse(Code.TICKET_UNKNOWN, clause, "The house has issued no slip or ticket with this number.")


def payment_objection(house: House, ticket: Ticket) -> Refusal | None:
    """Refuse to pay a ticket that is paid, possibly paid, void or expired."""
    if not (ticket.payable and ticket.frozen):
        return _done_with(house, ticket)
    message = f"{named(ticket)} is frozen until two people release it: part of the record is lost, and it may be paid."
    return refuse(Code.TICKET_FROZEN, ticket_clause(house, ticket), message, sequence=ticket.sequence)


def undispensed(house: House, ticket: Ticket) -> Refusal | None:
    """7(e) at Adelaide: only a dispensed slip is paid: the terminal printed it, or staff collected it."""
    dispensed = ticket.state is not TicketState.ISSUED or ticket.collected_by
    if ticket.form is not CreditOut.PAYMENT_SLIP or dispensed:
        return None
    message = f"{named(ticket)} was not dispensed: have it printed again, or its value put back on its meter."
    clause = house.rulebook_of(ticket).cited_clauses[CitedTopic.CREDIT_OUT]
    return refuse(Code.TICKET_NOT_DISPENSED, clause, message, sequence=ticket.sequence)


def _done_with(house: House, ticket: Ticket) -> Refusal | None:
    """Refuse a ticket that is paid, void or expired by the record."""
    clause, name = ticket_clause(house, ticket), named(ticket)
    match ticket.state:
        case TicketState.ISSUED | TicketState.PRINTED:
            return None
        case TicketState.REDEEMED:
            by = f" by {ticket.paid_by}" if ticket.paid_by else ""
            paid = {"paid_at": ticket.paid_at, "place": ticket.paid_place, "by": ticket.paid_by}
            return refuse(Code.TICKET_PAID, clause, f"{name} is already paid, at {ticket.paid_place}{by}.", **paid)
        case TicketState.VOID:
            message = f"{name} is void: its value went back to terminal {ticket.terminal}."
            return refuse(Code.TICKET_VOID, clause, message, terminal=ticket.terminal)
        case TicketState.EXPIRED:
            message = f"{name} was not redeemed within {house.ticket_days} gaming days."
            return refuse(Code.TICKET_EXPIRED, clause, message, day=ticket.day, days=house.ticket_days)
        case TicketState.TRANSFERRED:
            message = f"{name} was transferred to {ticket.paid_place}, which pays it."
            venue, at = ticket.paid_place, ticket.paid_at
            return refuse(Code.TICKET_TRANSFERRED, clause, message, venue=venue, at=at)
        case _:
            assert_never(ticket.state)


def expired(house: House, day: Day) -> tuple[Number, ...]:
    """List the tickets that expire when a gaming day begins; the day of issue counts as their first day."""
    if house.ticket_days is None:
        return ()
    began = date(day // 10_000, day // 100 % 100, day % 100).toordinal()
    last = date.fromordinal(max(began - house.ticket_days, 1))
    lapsed = last.year * 10_000 + last.month * 100 + last.day
    # A ticket issued before the first gaming day has no day to count from, and does not expire.
    # Nor does one that another venue transferred: it was presented here in time.
    return tuple(ticket.sequence for ticket in house.tickets.values() if ticket.payable and 0 < ticket.day <= lapsed)


def last_day(house: House, ticket: Ticket) -> Day | None:
    """Compute the last gaming day on which a ticket is paid; None if it does not expire."""
    if house.ticket_days is None or not ticket.day:
        return None
    issued = date(ticket.day // 10_000, ticket.day // 100 % 100, ticket.day % 100)
    last = date.fromordinal(issued.toordinal() + house.ticket_days - 1)
    return Day(last.year * 10_000 + last.month * 100 + last.day)


def tickets_expired(house: House, event: TicketsExpired, _context: Context) -> None:
    for ticket in map(house.tickets.__getitem__, event.sequences):
        close(house, ticket, TicketState.EXPIRED)
        house.ledger.post(ticket.amount, source=LedgerAccount.TICKETS, target=LedgerAccount.UNCLAIMED)


def ticket_clause(house: House, ticket: Ticket) -> ClauseId:
    """Name the ticket clause of the rules that apply to this ticket."""
    return house.rulebook_of(ticket).cited_clauses[CitedTopic.TICKET]


def desk_clause(house: House) -> ClauseId:
    """Name the ticket clause of the first adopted rulebook, if no ticket is known."""
    return next(iter(house.rulebooks.values())).cited_clauses[CitedTopic.TICKET]


def _no_such(sequence: Number, clause: ClauseId) -> Refusal:
    return refuse(Code.UNKNOWN_RECORD, clause, f"There is no slip or ticket {sequence} here.", sequence=sequence)


def _no_tickets_in(rulebook: Rulebook, terminal: Terminal) -> Refusal | None:
    if any(ruling.choice is CreditIn.TICKETS for ruling in terminal.channel.credit_in):
        return None
    return not_taken(
        rulebook, "Slips and tickets are not taken here: please bring yours to the cashier.", why="tickets"
    )


def for_the_cashier(house: House, ticket: Ticket) -> Refusal | None:
    """Refuse at a terminal a slip that the rules have only the cashier pay."""
    if ticket.form is not CreditOut.PAYMENT_SLIP:
        return None
    rulebook = house.rulebook_of(ticket)
    message = f"{named(ticket)} is for the cashier: {amount_text(ticket.amount)} {rulebook.currency} are paid there."
    return refuse(
        Code.NOT_TAKEN_HERE, rulebook.cited_clauses[CitedTopic.CREDIT_OUT], message, why="slip", form=ticket.form
    )


def _other_currency(house: House, ticket: Ticket, rulebook: Rulebook) -> Refusal | None:
    """Refuse a ticket in a currency other than the terminal's, which a demonstration of several venues can produce."""
    issued = house.rulebook_of(ticket).currency
    if issued == rulebook.currency:
        return None
    message = (
        f"{named(ticket)} is in {issued}, and this terminal counts in {rulebook.currency}: bring it to the cashier."
    )
    return refuse(
        Code.NOT_TAKEN_HERE, rulebook.cited_clauses[CitedTopic.TICKET], message, why="other_currency", currency=issued
    )


def named(ticket: Ticket) -> str:
    """Name a ticket in a message."""
    return f"{_words(ticket.form).capitalize()} {ticket.sequence}"


def _words(form: CreditOut) -> str:
    return form.value.replace("_", " ")


DECIDERS: Deciders = {
    EndSession: end_session,
    InsertNote: insert_note,
    GrantPlayMoney: grant_play_money,
    Collect: collect,
    ConfirmPrint: confirm_print,
    ReprintTicket: reprint_ticket,
    VoidTicket: void_ticket,
    ReleaseTicket: release_ticket,
    ReportLost: report_lost,
    InsertTicket: insert_ticket,
}


EVOLVERS: Evolvers = {
    SessionEnded: session_ended,
    NoteStacked: note_stacked,
    PlayMoneyGranted: play_money_granted,
    TicketIssued: ticket_issued,
    TicketPrinted: ticket_printed,
    TicketReprinted: ticket_reprinted,
    TicketVoided: ticket_voided,
    TicketReleased: ticket_released,
    TicketReportedLost: ticket_reported_lost,
    TicketsExpired: tickets_expired,
}
