"""Tables and terminals out of service: offline, malfunctioning, closed."""

from collections.abc import Iterable, Iterator
from typing import Final

from msgspec.structs import replace

from croupier.house import tickets
from croupier.house.base import Decision, Events, Phase, RoundStatus
from croupier.house.closing import seats
from croupier.house.commands.record import (
    ClearCase,
    ClearLineLoss,
    ConfirmBets,
    MalfunctionKind,
    RaiseMalfunction,
    ReportDisplay,
    ReportTerminalLost,
    ReportTerminalReturned,
    VoidBets,
)
from croupier.house.commands.setup import CloseTable, CloseTerminal, NotifyOfficer, ReopenTable, ReopenTerminal
from croupier.house.events.credit import HoldCause
from croupier.house.events.play import BetsReturned, ReturnReason
from croupier.house.events.record import (
    BetsConfirmed,
    BetsVoided,
    CaseCleared,
    LineLossCleared,
    MalfunctionEvidence,
    MalfunctionRaised,
    MalfunctionSign,
    TerminalLost,
    TerminalReturned,
)
from croupier.house.events.setup import OfficerNotified, TableClosed, TableReopened, TerminalClosed, TerminalReopened
from croupier.house.ids import SECOND, Context, DeviceId, Instant, Number, PositionId, RoundNumber, TableId, TerminalId
from croupier.house.livetable import outstanding
from croupier.house.settlement import credit_win, held_wins, rewrite_record
from croupier.house.stakes import move_to_credit
from croupier.house.state import CaseState, Deciders, Evolvers, House, MalfunctionCase, retire_cases
from croupier.house.state.money import LedgerAccount
from croupier.house.state.tables import Position, Round, Table, Terminal
from croupier.rules.geometry import Pocket
from croupier.rules.money import Cents
from croupier.rules.procedure import Effect, Reason, TerminalLoss, find_irregularity
from croupier.rules.refusal import CitedTopic, Code, Refusal, refuse
from croupier.rules.rulebook import Rulebook


def notify_officer(house: House, command: NotifyOfficer, _context: Context) -> Decision:
    subject = command.subject
    if TableId(subject) not in house.tables and TerminalId(subject) not in house.terminals:
        return refuse(Code.UNKNOWN_RECORD, None, f"There is no table or terminal {subject}.", subject=subject)
    return (OfficerNotified(subject, command.words),)


def close_table(house: House, command: CloseTable, context: Context) -> Decision:
    table = house.tables[command.table]
    if table.closed:
        return _already_closed(table.rulebook, f"Table {table.id} is closed already.")
    objection = _objection(house, table.rulebook, command, context) or outstanding(table)
    return objection or (TableClosed(table.id, command.words), *_chips_back(house, [table], table.terminals))


def close_terminal(house: House, command: CloseTerminal, context: Context) -> Decision:
    terminal = house.terminals[command.terminal]
    if terminal.closed:
        return _already_closed(house.rulebook_at(terminal), f"Terminal {terminal.id} is out of service already.")
    objection = _objection(house, house.rulebook_at(terminal), command, context)
    tables = [house.tables[table] for table in terminal.games]
    return objection or (TerminalClosed(terminal.id, command.words), *_chips_back(house, tables, [terminal.id]))


def _already_closed(rulebook: Rulebook, message: str) -> Refusal:
    return refuse(Code.ALREADY_THERE, rulebook.cited_clauses[CitedTopic.CLOSING_DOWN], message)


def _objection(
    house: House, rulebook: Rulebook, command: CloseTable | CloseTerminal, context: Context
) -> Refusal | None:
    if not command.words.strip():
        clause = rulebook.cited_clauses[CitedTopic.CLOSING_DOWN]
        return refuse(Code.REASON_NOT_LISTED, clause, "Say why it is closed.")
    subject = command.table if isinstance(command, CloseTable) else command.terminal
    notified_at = house.notified.get(subject)
    if rulebook.closing_notice is None or (notified_at is not None and notified_at < context.now):
        return None
    message = f"An Authorised Officer must be notified before {subject} is closed."
    return refuse(Code.NOT_NOTIFIED, rulebook.closing_notice, message, subject=subject)


def _chips_back(house: House, tables: Iterable[Table], terminals: Iterable[TerminalId]) -> Events:
    """Return chips that stayed up after the last round; chips in a running round are played."""
    return tuple(event for table in tables for event in _stayed_up(house, table, frozenset(terminals)))


def _stayed_up(house: House, table: Table, terminals: frozenset[TerminalId]) -> Iterator[BetsReturned]:
    if table.phase is not Phase.BETWEEN:
        return
    clause = table.rulebook.cited_clauses[CitedTopic.CLOSING_DOWN]
    for seat in seats(house, table):
        if seat.terminal.id in terminals:
            bets = tuple(seat.game.bets)
            yield BetsReturned(seat.game.id, table.rounds, ReturnReason.OUT_OF_SERVICE, clause, bets)


def reopen_table(house: House, command: ReopenTable, _context: Context) -> Decision:
    table = house.tables[command.table]
    if not table.closed:
        return _already_closed(table.rulebook, f"Table {table.id} is not closed.")
    return (TableReopened(command.table),)


def reopen_terminal(house: House, command: ReopenTerminal, _context: Context) -> Decision:
    terminal = house.terminals[command.terminal]
    rulebook = house.rulebook_at(terminal)
    if not terminal.closed:
        return _already_closed(rulebook, f"Terminal {terminal.id} is in service.")
    if DeviceId(terminal.id) not in house.devices:
        message = f"Terminal {terminal.id} was released: it is enrolled again first."
        return refuse(Code.OUT_OF_TURN, rulebook.cited_clauses[CitedTopic.CLOSING_DOWN], message)
    return (TerminalReopened(command.terminal),)


def officer_notified(house: House, event: OfficerNotified, context: Context) -> None:
    house.notified[event.subject] = context.now


def table_closed(house: House, event: TableClosed, _context: Context) -> None:
    house.tables[event.table].closed = True


def terminal_closed(house: House, event: TerminalClosed, _context: Context) -> None:
    house.terminals[event.terminal].closed = True


def table_reopened(house: House, event: TableReopened, context: Context) -> None:
    table = house.tables[event.table]
    table.closed, table.over_at = False, context.now
    # One notice covers one closing.
    house.notified.pop(event.table, None)


def terminal_reopened(house: House, event: TerminalReopened, _context: Context) -> None:
    house.terminals[event.terminal].closed = False
    house.notified.pop(event.terminal, None)


def lose_terminal(house: House, command: ReportTerminalLost, _context: Context) -> Decision:
    if command.terminal in house.offline:
        return _already_offline(house, command.terminal, f"Terminal {command.terminal} is dark already.")
    return (TerminalLost(command.terminal),)


def return_terminal(house: House, command: ReportTerminalReturned, _context: Context) -> Decision:
    if command.terminal not in house.offline:
        return _already_offline(house, command.terminal, f"Terminal {command.terminal} is not dark.")
    return (TerminalReturned(command.terminal),)


def _already_offline(house: House, terminal: TerminalId, message: str) -> Refusal:
    clause = house.rulebook_at(house.terminals[terminal]).procedure.terminal_loss.clause
    return refuse(Code.ALREADY_THERE, clause, message)


def terminal_lost(house: House, event: TerminalLost, context: Context) -> None:
    house.terminals[event.terminal].lost_at = context.now
    house.offline.add(event.terminal)


def terminal_returned(house: House, event: TerminalReturned, _context: Context) -> None:
    house.terminals[event.terminal].lost_at = None
    house.offline.remove(event.terminal)


_CITED_TOPICS = {
    MalfunctionKind.CREDITS: CitedTopic.FAULT_CREDITS,
    MalfunctionKind.NUMBERS: CitedTopic.FAULT_NUMBERS,
    MalfunctionKind.INTERRUPTED: CitedTopic.FAULT_INTERRUPTED,
    MalfunctionKind.OPINION: CitedTopic.FAULT_OPINION,
}


def raise_malfunction(house: House, command: RaiseMalfunction, _context: Context) -> Decision:
    case = house.terminals[command.terminal].case
    if case is not None:
        clause = house.cases[case].clause
        message = f"Terminal {command.terminal} has a case already, number {case}."
        return refuse(Code.ALREADY_THERE, clause, message, case=case)
    return raise_events(house, command.terminal, command.fault, words=command.words)


def raise_events(
    house: House,
    terminal: TerminalId,
    fault: MalfunctionKind,
    *,
    words: str = "",
    evidence: MalfunctionEvidence | None = None,
) -> Events:
    """Open a case: unsealed bets are returned, and sealed bets are handled by the venue's rules."""
    at = house.terminals[terminal]
    cites = house.rulebook_at(at).cited_clauses
    case = Number(house.cases_raised + 1)
    effect = find_irregularity(house.rulebook_at(at).irregularities, Reason.MALFUNCTION).effect
    questioned = tuple(_sealed(house, at)) if effect in (Effect.REFER, Effect.VOID_ROUND) else ()
    clause = cites[_CITED_TOPICS[fault]]
    raised = MalfunctionRaised(terminal, case, fault, clause, words, questioned, evidence=evidence)
    events: Events = (raised, *_returns(house, at))
    seen = any(house.tables[table].playing.reported for table, _ in questioned)
    if questioned and effect is Effect.VOID_ROUND and not seen:
        # 25: a malfunction voids all pays and plays without a staff decision (Clearwater).
        events = (*events, BetsVoided(case, cites[CitedTopic.UNCONFIRMED], words))
    return events


def _returns(house: House, terminal: Terminal) -> Iterator[BetsReturned]:
    """Return every chip that is not in a spin: placed while betting is open, or left up after the last round."""
    clause = house.rulebook_at(terminal).cited_clauses[CitedTopic.MALFUNCTION_BEFORE_CLOSE]
    for game in terminal.games.values():
        table = house.tables[game.table]
        round_ = table.round
        if game.bets and (round_ is None or round_.over or round_.sealed is None):
            spots = tuple(game.bets)
            yield BetsReturned(game.id, table.rounds, ReturnReason.MALFUNCTION, clause, spots)


def _sealed(house: House, terminal: Terminal) -> Iterator[tuple[TableId, RoundNumber]]:
    for table, game in terminal.games.items():
        round_ = house.tables[table].round
        if round_ is not None and _plays(round_, game.id):
            yield table, round_.number


def _plays(round_: Round, position: PositionId) -> bool:
    """Check whether a position has sealed bets in a round that is not over."""
    return not round_.over and round_.sealed is not None and position in round_.sealed


#: Terminals of one table that go offline within this interval share one line loss: the server detects silent
#: connections every six seconds.
TOGETHER: Final = 10 * SECOND


def lose_line(house: House, name: TerminalId) -> Events:
    """Open a case for a terminal that was offline too long, as part of the line loss at its table."""
    terminal = house.terminals[name]
    evidence = MalfunctionEvidence(MalfunctionSign.LINK_LOST)
    raised, *rest = raise_events(house, name, MalfunctionKind.INTERRUPTED, evidence=evidence)
    assert isinstance(raised, MalfunctionRaised)
    assert terminal.lost_at is not None
    table = _first_table(house, terminal)
    together = table.line_loss is not None and abs(terminal.lost_at - table.line_lost_at) <= TOGETHER
    return (replace(raised, line_loss=table.line_loss if together else raised.case), *rest)


def _first_table(house: House, terminal: Terminal) -> Table:
    return house.tables[next(iter(terminal.games))]


def offline_until(house: House, terminal: Terminal) -> Instant | None:
    """Compute when an offline terminal counts as malfunctioning, if the rules say so."""
    if terminal.lost_at is None or terminal.case is not None:
        return None
    if house.rulebook_at(terminal).procedure.terminal_loss.choice is not TerminalLoss.MALFUNCTION:
        return None
    offline_grace_s = min(house.tables[table].settings.offline_grace_s for table in terminal.games)
    return Instant(terminal.lost_at + offline_grace_s * SECOND)


def report_display(house: House, command: ReportDisplay, _context: Context) -> Decision:
    """Verify a terminal's display against the record; skip a terminal that already has a case."""
    terminal = house.terminals[command.terminal]
    if terminal.case is not None:
        return ()
    if command.credit is not None and command.credit != terminal.credit:
        credit = Cents(terminal.credit)
        evidence = MalfunctionEvidence(MalfunctionSign.CREDIT_DIFFERS, shown=command.credit, credit=credit)
        return raise_events(house, terminal.id, MalfunctionKind.CREDITS, evidence=evidence)
    if command.number is not None and Pocket(command.number) not in house.rulebook_at(terminal).wheel.order:
        evidence = MalfunctionEvidence(MalfunctionSign.NUMBER_IMPOSSIBLE, number=command.number)
        return raise_events(house, terminal.id, MalfunctionKind.NUMBERS, evidence=evidence)
    if command.layout is not None and command.layout != house.payout_tables[house.rulebook_at(terminal).digest].digest:
        # 7(b): a terminal that does not show the layout of the rules is out of service (Adelaide).
        evidence = MalfunctionEvidence(MalfunctionSign.LAYOUT_DIFFERS)
        return raise_events(house, terminal.id, MalfunctionKind.INTERRUPTED, evidence=evidence)
    results = [number for table in terminal.games for number in house.tables[table].numbers[:1]]
    if command.number is not None and results and Pocket(command.number) not in results:
        evidence = MalfunctionEvidence(MalfunctionSign.NUMBER_STALE, number=command.number)
        return raise_events(house, terminal.id, MalfunctionKind.INTERRUPTED, evidence=evidence)
    return ()


def confirm_bets(house: House, command: ConfirmBets, _context: Context) -> Decision:
    case = _questioned_case(house, command.case)
    if isinstance(case, Refusal):
        return case
    cites = _rulebook(house, case).cited_clauses
    if command.digest not in {round_.digest for round_ in case.rounds}:
        message = "That is not the record of the bets at the close: what it does not bear out is void."
        return refuse(Code.RECORD_DIFFERS, cites[CitedTopic.UNCONFIRMED], message, case=case.number)
    paid = tuple(_by_record(house, case))
    payments = tuple((table.id, round_.number, Cents(returned)) for table, round_, returned in paid)
    confirmed = BetsConfirmed(case.number, cites[CitedTopic.MALFUNCTION_AFTER_CLOSE], payments)
    return confirmed, *_hold_events(house, case, paid)


def _by_record(house: House, case: MalfunctionCase) -> Iterator[tuple[Table, Round, int]]:
    """Compute the return of a case's sealed bets in each settled round; the stakes if no number counts."""
    games = house.terminals[case.terminal].games
    for (table, _), round_ in zip(case.questioned, case.rounds, strict=True):
        stakes = (round_.sealed or {}).get(games[table].id)
        # A running round is settled later.
        if round_.status is RoundStatus.SETTLED and stakes is not None:
            assert round_.pocket is not None
            felt = house.payout_tables[round_.rulebook]
            returned = sum(stakes.values()) if round_.invalidated else felt.returned(stakes, round_.pocket)
            yield house.tables[table], round_, returned


def _hold_events(house: House, case: MalfunctionCase, paid: Iterable[tuple[Table, Round, int]]) -> Events:
    events: Events = ()
    for table, round_, returned in paid:
        assert round_.pocket is not None
        win = (house.terminals[case.terminal].games[table.id].id, returned, returned)
        cause, pocket, before = HoldCause.CONFIRMATION, round_.pocket, len(events)
        events += tuple(held_wins(house, table, round_, (win,), cause, pocket=pocket, holds_before=before))
    return events


def void_bets(house: House, command: VoidBets, _context: Context) -> Decision:
    case = _questioned_case(house, command.case)
    if isinstance(case, Refusal):
        return case
    clause = _rulebook(house, case).cited_clauses[CitedTopic.UNCONFIRMED]
    if not command.words.strip():
        return refuse(Code.REASON_NOT_LISTED, clause, "Say why the records do not bear the bets out.")
    return (BetsVoided(case.number, clause, command.words),)


def _questioned_case(house: House, number: Number) -> MalfunctionCase | Refusal:
    """Find a case whose bets await a decision."""
    case = house.cases.get(number)
    if case is None:
        return _unknown(number)
    if case.state is not CaseState.OPEN:
        message = f"The bets of case {number} are {case.state.value} already."
        return refuse(Code.ALREADY_THERE, case.clause, message, case=number)
    if not case.questioned:
        return refuse(Code.NOTHING_THERE, case.clause, f"No bets are in question in case {number}.", case=number)
    return case


def clear_case(house: House, command: ClearCase, _context: Context) -> Decision:
    case = house.cases.get(command.case)
    if case is None:
        return _unknown(command.case)
    if case.cleared:
        return refuse(Code.ALREADY_THERE, case.clause, f"Case {case.number} is cleared already.", case=case.number)
    return uncleared(house, case) or (CaseCleared(case.number),)


def uncleared(house: House, case: MalfunctionCase) -> Refusal | None:
    """Refuse to clear a case that still has open items."""
    if case.terminal in house.offline:
        return refuse(Code.TERMINAL_DARK, case.clause, f"Terminal {case.terminal} is still dark.", case=case.number)
    if case.questioned and case.state is CaseState.OPEN:
        clause = _rulebook(house, case).cited_clauses[CitedTopic.MALFUNCTION_AFTER_CLOSE]
        message = "Its bets must be confirmed or void first."
        return refuse(Code.OUT_OF_TURN, clause, message, case=case.number)
    return None


def clear_line_loss(house: House, command: ClearLineLoss, _context: Context) -> Decision:
    """Clear every case of a line loss that could be cleared by itself; the others stay open."""
    cases = tuple(line_loss_cases(house, command.table, command.case))
    if not cases:
        message = f"No case of line loss {command.case} is open at {command.table}."
        return refuse(Code.UNKNOWN_RECORD, None, message, case=command.case)
    ready = tuple(case.number for case in cases if uncleared(house, case) is None)
    if not ready:
        refusal = uncleared(house, cases[0])
        assert refusal is not None
        return refusal
    return (LineLossCleared(command.table, command.case, ready),)


def line_loss_cases(house: House, table: TableId, line_loss: Number) -> Iterator[MalfunctionCase]:
    """Find the open cases of a line loss."""
    for terminal in map(house.terminals.__getitem__, house.tables[table].terminals):
        case = None if terminal.case is None else house.cases[terminal.case]
        if case is not None and case.line_loss == line_loss and _first_table(house, terminal).id == table:
            yield case


def _rulebook(house: House, case: MalfunctionCase) -> Rulebook:
    return house.rulebook_at(house.terminals[case.terminal])


def _unknown(number: Number) -> Refusal:
    return refuse(Code.UNKNOWN_RECORD, None, f"There is no case {number}.", case=number)


def malfunction_raised(house: House, event: MalfunctionRaised, context: Context) -> None:
    rounds = tuple(house.tables[table].playing for table, _ in event.questioned)
    case = MalfunctionCase(
        event.case, event.terminal, event.fault, event.clause, event.words, context.now, event.questioned, rounds
    )
    case.evidence = event.evidence
    house.cases[event.case] = house.open_cases[event.case] = case
    house.cases_raised += 1
    retire_cases(house)
    terminal = house.terminals[event.terminal]
    terminal.case = event.case
    if event.line_loss is not None:
        case.line_loss = event.line_loss
        table = _first_table(house, terminal)
        assert terminal.lost_at is not None
        table.line_loss, table.line_lost_at = event.line_loss, terminal.lost_at
    tickets.watch(house, terminal, context)


def bets_confirmed(house: House, event: BetsConfirmed, _context: Context) -> None:
    """Settle pending bets by the record; a running round is settled later."""
    case = house.cases[event.case]
    case.state, case.returned = CaseState.CONFIRMED, 0
    house.ledger.post(case.suspense, source=LedgerAccount.SUSPENSE, target=LedgerAccount.HOUSE)
    case.suspense = 0
    payments = {(table, number): returned for table, number, returned in event.payments}
    for (table, _), round_ in zip(case.questioned, case.rounds, strict=True):
        returned = payments.get((table, round_.number))
        if returned is not None:
            case.returned += returned
            _pay(house, house.terminals[case.terminal].games[table], round_, returned)


def _pay(house: House, position: Position, round_: Round, returned: int) -> None:
    terminal, table = house.terminals[position.terminal], house.tables[position.table]
    round_.paid[position.id] = returned
    table.meters.returned += returned
    terminal.meters.returned += returned
    terminal.meters.games += 1
    terminal.meters.games_won += returned > 0
    credit_win(house, terminal, returned)
    rewrite_record(house, position, round_)


def bets_voided(house: House, event: BetsVoided, _context: Context) -> None:
    """Return the stakes: from suspense if the round was settled without them, otherwise from the layout."""
    case = house.cases[event.case]
    terminal = house.terminals[case.terminal]
    case.state = CaseState.VOIDED
    for (table, _), round_ in zip(case.questioned, case.rounds, strict=True):
        refunded = _void(house, case, terminal, terminal.games[table], round_)
        terminal.meters.refunded += refunded
        house.tables[table].meters.refunded += refunded
    assert case.suspense == 0


def _void(house: House, case: MalfunctionCase, terminal: Terminal, game: Position, round_: Round) -> int:
    """Return a terminal's stakes in one round; return the amount."""
    stakes = (round_.sealed or {}).get(game.id)
    if stakes is None or round_.status is RoundStatus.VOID:
        return 0
    if round_.status is RoundStatus.SETTLED:
        staked = sum(stakes.values())
        case.suspense -= staked
        terminal.credit += staked
        house.ledger.post(staked, source=LedgerAccount.SUSPENSE, target=LedgerAccount.CREDIT)
        return staked
    assert round_.sealed is not None
    del round_.sealed[game.id]
    return move_to_credit(house, terminal, game)


def case_cleared(house: House, event: CaseCleared, context: Context) -> None:
    _clear(house, event.case, context)


def line_loss_cleared(house: House, event: LineLossCleared, context: Context) -> None:
    for number in event.cases:
        _clear(house, number, context)


def _clear(house: House, number: Number, context: Context) -> None:
    case = house.cases[number]
    case.cleared = True
    del house.open_cases[number]
    house.closed_cases.append(number)
    terminal = house.terminals[case.terminal]
    terminal.case = None
    tickets.watch(house, terminal, context)


DECIDERS: Deciders = {
    NotifyOfficer: notify_officer,
    CloseTable: close_table,
    CloseTerminal: close_terminal,
    ReopenTable: reopen_table,
    ReopenTerminal: reopen_terminal,
    ReportTerminalLost: lose_terminal,
    ReportTerminalReturned: return_terminal,
    RaiseMalfunction: raise_malfunction,
    ReportDisplay: report_display,
    ConfirmBets: confirm_bets,
    VoidBets: void_bets,
    ClearCase: clear_case,
    ClearLineLoss: clear_line_loss,
}


EVOLVERS: Evolvers = {
    OfficerNotified: officer_notified,
    TableClosed: table_closed,
    TerminalClosed: terminal_closed,
    TableReopened: table_reopened,
    TerminalReopened: terminal_reopened,
    TerminalLost: terminal_lost,
    TerminalReturned: terminal_returned,
    MalfunctionRaised: malfunction_raised,
    BetsConfirmed: bets_confirmed,
    BetsVoided: bets_voided,
    CaseCleared: case_cleared,
    LineLossCleared: line_loss_cleared,
}
