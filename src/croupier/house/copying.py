"""Copying: one game's chips to the other on the same terminal, by an arrow or at the close; and the credit's unit."""

from collections.abc import Iterator, Mapping

from croupier.house.answer import Deciders, Decision, Evolvers, refuse
from croupier.house.betting import changed
from croupier.house.command.play import ChooseDenomination, CopyBets, SetAutoCopy
from croupier.house.event.base import Event
from croupier.house.event.play import AutoCopyRefused, AutoCopySet, BetsChanged, DenominationChosen, Edit
from croupier.house.felt import Stakes
from croupier.house.grant import BETTING
from croupier.house.name import TableId, TerminalId
from croupier.house.service import no_bets
from croupier.house.stamp import Stamp
from croupier.house.state import House
from croupier.house.table import Table
from croupier.house.terminal import Game, Terminal
from croupier.house.wager import Seat, objection, seat_of
from croupier.rules.matter import Matter
from croupier.rules.money import amount_text
from croupier.rules.refusal import Code, Refusal


def copy_bets(house: House, command: CopyBets, _stamp: Stamp) -> Decision:
    seat = seat_of(house, command)
    source = _other(seat.terminal, command.source, seat.table)
    if source is not None:
        return source
    stakes = larger(seat.terminal.games[command.source].bets, seat.game.bets)
    if not stakes:
        return ()
    refusal = objection(seat, stakes, clause=seat.table.rulebook.terminal.copies)
    return refusal or (changed(command, Edit.COPY, stakes),)


def larger(source: Stakes, target: Stakes) -> Stakes:
    """Pick the stakes of the source that are more than what lies on the same spot of the target (12.b)."""
    return {spot: stake for spot, stake in source.items() if stake > target.get(spot, 0)}


def _other(terminal: Terminal, table: TableId, here: Table) -> Refusal | None:
    if table in terminal.games and table != here.id:
        return None
    games = here.rulebook.terminal.games
    clause = games.clause if games else here.rulebook.cites[Matter.TERMINAL]
    return refuse(Code.UNKNOWN_TABLE, clause, f"This terminal has no other game at {table}.", table=table)


def auto_copies(house: House, table: Table, sealed: Mapping[TerminalId, Stakes], stamp: Stamp) -> Iterator[Event]:
    """12.b: at a game's close copy what it seals to the other game, where that is open and the player wants it."""
    for terminal_id, stakes in sealed.items():
        terminal = house.terminals[terminal_id]
        game = terminal.games[table.id]
        target = None if game.auto_copy_to is None else house.tables[game.auto_copy_to]
        if target is not None and target.phase in BETTING and not _timed_out(target, stamp):
            own = {spot: stake - game.auto_copied.get(spot, 0) for spot, stake in stakes.items()}
            # What the close has just given back is on the meter again when the copy is paid for.
            coming = game.staked - sum(stakes.values())
            yield from _auto_copy(house, Seat(terminal, terminal.games[target.id], target), own, game, coming)


def _timed_out(table: Table, stamp: Stamp) -> bool:
    closes_at = table.playing.closes_at
    return closes_at is not None and stamp.now > closes_at


def _auto_copy(house: House, seat: Seat, own: Stakes, source: Game, coming: int) -> Iterator[Event]:
    terminal, game, target = seat.terminal, seat.game, seat.table
    stakes = larger(own, game.bets)
    if not stakes:
        return
    clause = target.rulebook.terminal.copies
    refusal = no_bets(house, terminal, target.rulebook) or objection(seat, stakes, clause=clause, coming=coming)
    if refusal is not None:
        yield AutoCopyRefused(terminal.id, source.table, target.id, refusal.code, refusal.clause)
    else:
        yield BetsChanged(terminal.id, target.id, target.rounds, Edit.AUTO_COPY, tuple(stakes.items()))


def set_auto_copy(house: House, command: SetAutoCopy, _stamp: Stamp) -> Decision:
    terminal = house.terminals[command.terminal]
    if command.table not in terminal.games:
        return _other(terminal, command.table, house.tables[next(iter(terminal.games))]) or ()
    refusal = _other(terminal, command.target, house.tables[command.table])
    return refusal or (AutoCopySet(command.terminal, command.table, command.target, command.on),)


def choose_denomination(house: House, command: ChooseDenomination, _stamp: Stamp) -> Decision:
    terminal = house.terminals[command.terminal]
    clause = house.tables[next(iter(terminal.games))].rulebook.cites[Matter.CREDIT]
    if command.denomination not in terminal.settings.denominations:
        offered = ", ".join(amount_text(each) for each in terminal.settings.denominations)
        return refuse(Code.SETTING_IMPOSSIBLE, clause, f"One credit can be {offered} here.")
    if terminal.in_play:
        return refuse(Code.OUT_OF_TURN, clause, "What a credit is worth cannot change while chips are in play.")
    return (DenominationChosen(command.terminal, command.denomination),)


def auto_copy_set(house: House, event: AutoCopySet, _stamp: Stamp) -> None:
    house.terminals[event.terminal].games[event.table].auto_copy_to = event.target if event.on else None


def auto_copy_refused(house: House, event: AutoCopyRefused, _stamp: Stamp) -> None:
    house.terminals[event.terminal].messages.append(f"Nothing was copied to the other game [{event.clause}].")


def denomination_chosen(house: House, event: DenominationChosen, _stamp: Stamp) -> None:
    terminal = house.terminals[event.terminal]
    terminal.denomination = event.denomination
    terminal.ghost = None
    for game in terminal.games.values():
        # Stakes in another unit may be no whole credits of this one.
        game.previous, game.spread = {}, None
        game.undo.clear()


DECIDERS: Deciders = {
    CopyBets: copy_bets,
    SetAutoCopy: set_auto_copy,
    ChooseDenomination: choose_denomination,
}
EVOLVERS: Evolvers = {
    AutoCopySet: auto_copy_set,
    AutoCopyRefused: auto_copy_refused,
    DenominationChosen: denomination_chosen,
}
