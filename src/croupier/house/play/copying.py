"""Copying bets to the other game of a terminal, by hand and at the close."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from croupier.house.declare import (
    Event,
    Events,
    EventTopic,
    GameCommand,
    MachineRole,
    TerminalCommand,
    TerminalEvent,
    command,
    decides,
    event,
    evolves,
)
from croupier.house.floor.permissions import bets_objection
from croupier.house.ids import Context, PositionId, TableId
from croupier.house.play.betting import Credit
from croupier.house.state.tables import (
    BETTING_PHASES,
    BetChange,
    SeatMessage,
    SeatMessageKind,
    Table,
    Terminal,
)
from croupier.rules.refusal import CitedTopic, ClauseId, Code, Refused, raise_if
from croupier.rules.rulebook import Stakes

if TYPE_CHECKING:
    from croupier.house import House


@command(MachineRole.TERMINAL, when=BETTING_PHASES)
class CopyBets(GameCommand, frozen=True):
    """Copy the chips of the other game to this one, spot by spot, where its stake is higher."""

    source: TableId


@decides(CopyBets)
def copy_bets(house: House, command: CopyBets, _context: Context) -> Events:
    seat = house.terminals[command.terminal].games[command.table].seat
    _check_other(seat.terminal, command.source, seat.table)
    stakes = larger(seat.terminal.games[command.source].bets, seat.game.bets)
    credit = Credit(seat.table, seat.game, seat.table.rulebook.terminal.copies)
    return credit.change(BetChange.COPY, stakes) if stakes else ()


def larger(source: Stakes, target: Stakes) -> Stakes:
    """Select the source stakes that exceed the stake on the same spot of the target (12.b)."""
    return {spot: stake for spot, stake in source.items() if stake > target.get(spot, 0)}


def _check_other(terminal: Terminal, table: TableId, here: Table) -> None:
    """Refuse a table that is not that of the terminal's other game."""
    if table not in terminal.games or table == here.id:
        games = here.rulebook.terminal.games
        clause = games.clause if games else here.rulebook.cited_clauses[CitedTopic.TERMINAL]
        raise Refused(Code.UNKNOWN_TABLE, clause, f"This terminal has no other game at {table}.", table=table)


@command(MachineRole.TERMINAL)
class SetAutoCopy(TerminalCommand, frozen=True):
    """Switch auto copy on or off: at the close, this game's chips are copied to the other."""

    table: TableId
    target: TableId
    on: bool


@event("Auto copy to {target} is on: {on}.", EventTopic.BETS)
class AutoCopySet(TerminalEvent, frozen=True):
    """Auto copy was switched on or off."""

    table: TableId
    target: TableId
    on: bool


@decides(SetAutoCopy)
def set_auto_copy(house: House, command: SetAutoCopy, _context: Context) -> Events:
    terminal = house.terminals[command.terminal]
    if command.table not in terminal.games:
        _check_other(terminal, command.table, house.tables[terminal.first_table])
    _check_other(terminal, command.target, house.tables[command.table])
    return (AutoCopySet(command.terminal, command.table, command.target, command.on),)


@evolves(AutoCopySet)
def auto_copy_set(house: House, event: AutoCopySet, _context: Context) -> None:
    house.terminals[event.terminal].games[event.table].auto_copy_to = event.target if event.on else None


@event("Nothing was copied from {source} to {target}: {code}.", EventTopic.BETS)
class AutoCopyRefused(TerminalEvent, frozen=True):
    """The automatic copy at the close was refused."""

    source: TableId
    target: TableId
    code: str
    clause: ClauseId | None


@evolves(AutoCopyRefused)
def auto_copy_refused(house: House, event: AutoCopyRefused, _context: Context) -> None:
    house.terminals[event.terminal].show(SeatMessage(SeatMessageKind.NOT_COPIED, event.clause))


def auto_copies(house: House, sealed: Mapping[PositionId, Stakes], context: Context) -> Iterator[Event]:
    """12.b: at a game's close, copy its sealed stakes to the other game if that is open and the player chose so."""
    for position, stakes in sealed.items():
        game = house.positions[position]
        if game.auto_copy_to is None:
            continue
        seat = house.terminals[game.terminal].games[game.auto_copy_to].seat
        target = seat.table
        if target.phase not in BETTING_PHASES or context.now > (target.playing.closes_at or context.now):
            continue
        own = {spot: stake - game.auto_copied.get(spot, 0) for spot, stake in stakes.items()}
        copied = larger(own, seat.game.bets)
        if not copied:
            continue
        # The stakes that the close returned are on the meter again when the copy is paid for.
        coming = game.staked - sum(stakes.values())
        credit = Credit(target, seat.game, target.rulebook.terminal.copies, coming)
        try:
            raise_if(bets_objection(house, seat.terminal, target.rulebook))
            yield from credit.change(BetChange.AUTO_COPY, copied)
        except Refused as refused:
            code, clause = refused.refusal.code, refused.refusal.clause
            yield AutoCopyRefused(seat.terminal.id, game.table, target.id, code, clause)
