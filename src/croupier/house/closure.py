"""Closures: tables and terminals taken out of service, after notice where the rules ask for it."""

from collections.abc import Iterable, Iterator

from croupier.house.answer import Deciders, Decision, Events, Evolvers, refuse
from croupier.house.command.venue import CloseTable, CloseTerminal, NotifyOfficer, ReopenTable, ReopenTerminal
from croupier.house.event.play import BetsReturned, Return
from croupier.house.event.venue import OfficerNotified, TableClosed, TableReopened, TerminalClosed, TerminalReopened
from croupier.house.name import DeviceId, TableId, TerminalId
from croupier.house.seal import seats
from croupier.house.stamp import Stamp
from croupier.house.state import House
from croupier.house.table import Phase, Table
from croupier.rules.matter import Matter
from croupier.rules.refusal import Code, Refusal
from croupier.rules.rulebook import Rulebook


def notify_officer(house: House, command: NotifyOfficer, _stamp: Stamp) -> Decision:
    subject = command.subject
    if TableId(subject) not in house.tables and TerminalId(subject) not in house.terminals:
        return refuse(Code.UNKNOWN_RECORD, None, f"There is no table or terminal {subject}.", subject=subject)
    return (OfficerNotified(subject, command.words),)


def close_table(house: House, command: CloseTable, stamp: Stamp) -> Decision:
    table = house.tables[command.table]
    if table.closed:
        return _already(table.rulebook, f"Table {table.id} is closed already.")
    objection = _objection(house, table.rulebook, command, stamp)
    return objection or (TableClosed(table.id, command.words), *_chips_back(house, [table], table.terminals))


def close_terminal(house: House, command: CloseTerminal, stamp: Stamp) -> Decision:
    terminal = house.terminals[command.terminal]
    if terminal.closed:
        return _already(house.rulebook_at(terminal), f"Terminal {terminal.id} is out of service already.")
    objection = _objection(house, house.rulebook_at(terminal), command, stamp)
    tables = [house.tables[table] for table in terminal.games]
    return objection or (TerminalClosed(terminal.id, command.words), *_chips_back(house, tables, [terminal.id]))


def _already(rulebook: Rulebook, says: str) -> Refusal:
    return refuse(Code.ALREADY_THERE, rulebook.cites[Matter.CLOSING_DOWN], says)


def _objection(house: House, rulebook: Rulebook, command: CloseTable | CloseTerminal, stamp: Stamp) -> Refusal | None:
    if not command.words.strip():
        clause = rulebook.cites[Matter.CLOSING_DOWN]
        return refuse(Code.REASON_NOT_LISTED, clause, "Say why it is closed.")
    subject = command.table if isinstance(command, CloseTable) else command.terminal
    notified_at = house.notified.get(subject)
    if rulebook.closing_notice is None or (notified_at is not None and notified_at < stamp.now):
        return None
    says = f"An Authorised Officer must be notified before {subject} is closed."
    return refuse(Code.NOT_NOTIFIED, rulebook.closing_notice, says, subject=subject)


def _chips_back(house: House, tables: Iterable[Table], terminals: Iterable[TerminalId]) -> Events:
    """Give back chips that stayed up after the last round; those of a round that runs are played."""
    return tuple(event for table in tables for event in _stayed_up(house, table, frozenset(terminals)))


def _stayed_up(house: House, table: Table, terminals: frozenset[TerminalId]) -> Iterator[BetsReturned]:
    if table.phase is not Phase.BETWEEN:
        return
    clause = table.rulebook.cites[Matter.CLOSING_DOWN]
    for seat in seats(house, table):
        terminal, bets = seat.terminal.id, tuple(seat.game.bets)
        if terminal in terminals:
            yield BetsReturned(terminal, table.id, table.rounds, Return.OUT_OF_SERVICE, clause, bets)


def reopen_table(house: House, command: ReopenTable, _stamp: Stamp) -> Decision:
    table = house.tables[command.table]
    if not table.closed:
        return _already(table.rulebook, f"Table {table.id} is not closed.")
    return (TableReopened(command.table),)


def reopen_terminal(house: House, command: ReopenTerminal, _stamp: Stamp) -> Decision:
    terminal = house.terminals[command.terminal]
    rulebook = house.rulebook_at(terminal)
    if not terminal.closed:
        return _already(rulebook, f"Terminal {terminal.id} is in service.")
    if DeviceId(terminal.id) not in house.devices:
        says = f"Terminal {terminal.id} was released: it is enrolled again first."
        return refuse(Code.OUT_OF_TURN, rulebook.cites[Matter.CLOSING_DOWN], says)
    return (TerminalReopened(command.terminal),)


def officer_notified(house: House, event: OfficerNotified, stamp: Stamp) -> None:
    house.notified[event.subject] = stamp.now


def table_closed(house: House, event: TableClosed, _stamp: Stamp) -> None:
    house.tables[event.table].closed = True


def terminal_closed(house: House, event: TerminalClosed, _stamp: Stamp) -> None:
    house.terminals[event.terminal].closed = True


def table_reopened(house: House, event: TableReopened, stamp: Stamp) -> None:
    table = house.tables[event.table]
    table.closed, table.over_at = False, stamp.now
    # One notice is good for one closing.
    house.notified.pop(event.table, None)


def terminal_reopened(house: House, event: TerminalReopened, _stamp: Stamp) -> None:
    house.terminals[event.terminal].closed = False
    house.notified.pop(event.terminal, None)


DECIDERS: Deciders = {
    NotifyOfficer: notify_officer,
    CloseTable: close_table,
    CloseTerminal: close_terminal,
    ReopenTable: reopen_table,
    ReopenTerminal: reopen_terminal,
}
EVOLVERS: Evolvers = {
    OfficerNotified: officer_notified,
    TableClosed: table_closed,
    TerminalClosed: terminal_closed,
    TableReopened: table_reopened,
    TerminalReopened: terminal_reopened,
}
