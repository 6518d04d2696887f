"""Patterns of bets that a player saves, recalls and confirms."""

from __future__ import annotations

from math import gcd
from typing import TYPE_CHECKING

from croupier.house.declare import (
    Count,
    Events,
    EventTopic,
    GameCommand,
    MachineRole,
    TerminalEvent,
    command,
    decides,
    event,
    evolves,
)
from croupier.house.ids import Context, TableId
from croupier.house.play.betting import Credit, credit_short, find_credit
from croupier.house.state.tables import BETTING_PHASES, BetChange, Ghost
from croupier.rules.geometry import SpotKey
from croupier.rules.procedure import CitedNumber
from croupier.rules.refusal import Code, Refused
from croupier.rules.rulebook import Rulebook

if TYPE_CHECKING:
    from croupier.house import House


@command(MachineRole.TERMINAL)
class SavePattern(GameCommand, frozen=True):
    """Save the chips of a game as a pattern, in credits."""

    slot: Count
    override: bool = False


@event("The chips were saved as pattern {slot}.", EventTopic.BETS)
class PatternSaved(TerminalEvent, frozen=True):
    """The chips of a game were saved as a pattern, in credits."""

    slot: int
    pattern: tuple[tuple[SpotKey, int], ...]


@decides(SavePattern)
def save_pattern(house: House, command: SavePattern, _context: Context) -> Events:
    credit = find_credit(house, command)
    terminal, bets = credit.seat.terminal, credit.game.bets
    _check_slot(credit.table.rulebook, command.slot)
    if not bets:
        raise credit.nothing_there("There are no chips to save.", "save")
    if command.slot in terminal.patterns and not command.override:
        clause = credit.table.rulebook.terminal.overrides
        raise Refused(Code.SLOT_TAKEN, clause, f"Pattern {command.slot} is taken: override it or cancel.")
    # 19.a: stored in credits, so that its cash value follows the denomination.
    pattern = tuple((spot, stake // terminal.denomination) for spot, stake in bets.items())
    return (PatternSaved(command.terminal, command.slot, pattern),)


def _check_slot(rulebook: Rulebook, slot: int) -> CitedNumber:
    """Refuse a pattern that a terminal does not have; return how many there are."""
    figure = rulebook.terminal.patterns
    if figure is None:
        message = f"{rulebook.venue} keeps no patterns."
        raise Refused(Code.CALL_NOT_OFFERED, rulebook.calls_clause, message, why="patterns")
    if not 1 <= slot <= figure.value:
        raise Refused(Code.UNKNOWN_RECORD, figure.clause, f"There are {figure.value} patterns, and no {slot}.")
    return figure


@evolves(PatternSaved)
def pattern_saved(house: House, event: PatternSaved, _context: Context) -> None:
    house.terminals[event.terminal].patterns[event.slot] = dict(event.pattern)


@command(MachineRole.TERMINAL, when=BETTING_PHASES)
class RecallPattern(GameCommand, frozen=True):
    """Show a saved pattern as ghost chips, reduced to what the credits allow."""

    slot: Count


@event("Pattern {slot} is shown.", EventTopic.BETS)
class PatternRecalled(TerminalEvent, frozen=True):
    """A pattern was recalled as ghost chips; it is not staked yet."""

    table: TableId
    slot: int
    ghosts: tuple[tuple[SpotKey, int], ...]


@decides(RecallPattern)
def recall_pattern(house: House, command: RecallPattern, _context: Context) -> Events:
    seat = find_credit(house, command).seat
    figure = _check_slot(seat.table.rulebook, command.slot)
    pattern, unit = seat.terminal.patterns.get(command.slot), seat.terminal.denomination
    if pattern is None:
        raise Refused(Code.NOTHING_THERE, figure.clause, f"Pattern {command.slot} is empty.", why="pattern")
    ghosts = reduced(pattern, seat.terminal.credit // unit, seat.terminal.settings.chips)
    if ghosts is None:
        raise credit_short(seat, sum(pattern.values()) * unit, seat.table.rulebook.terminal.reduces)
    stakes = tuple((spot, credits_ * unit) for spot, credits_ in ghosts.items())
    return (PatternRecalled(command.terminal, command.table, command.slot, stakes),)


def reduced(pattern: dict[SpotKey, int], available: int, chips: tuple[int, ...]) -> dict[SpotKey, int] | None:
    """Scale a pattern down to the available credits with the largest chip that fits, keeping its proportions (19.e)."""
    unit = gcd(*pattern.values())
    pieces = sum(pattern.values()) // unit
    fitting = [chip for chip in {unit, *(chip for chip in chips if chip < unit)} if chip * pieces <= available]
    if not fitting:
        return None
    chip = max(fitting)
    return {spot: stake // unit * chip for spot, stake in pattern.items()}


@evolves(PatternRecalled)
def pattern_recalled(house: House, event: PatternRecalled, _context: Context) -> None:
    house.terminals[event.terminal].ghost = Ghost(event.table, event.slot, event.ghosts)


@command(MachineRole.TERMINAL, when=BETTING_PHASES)
class ConfirmRecall(GameCommand, frozen=True):
    """Place the ghost chips."""


@decides(ConfirmRecall)
def confirm_recall(house: House, command: ConfirmRecall, _context: Context) -> Events:
    credit = find_credit(house, command)
    bets, ghost = credit.game.bets, _ghost(credit)
    return credit.change(BetChange.RECALL, {spot: bets.get(spot, 0) + stake for spot, stake in ghost.stakes})


def _ghost(credit: Credit) -> Ghost:
    """Find the pattern that is recalled at a game."""
    ghost = credit.seat.terminal.ghost
    if ghost is None or ghost.table != credit.table.id:
        raise credit.nothing_there("No pattern has been recalled here.", "recall")
    return ghost


@command(MachineRole.TERMINAL)
class CancelRecall(GameCommand, frozen=True):
    """Cancel a recall: the ghost chips are removed."""


@event("The pattern is shown no longer.", EventTopic.BETS)
class RecallCancelled(TerminalEvent, frozen=True):
    """A recall was cancelled: its ghost chips were removed."""


@decides(CancelRecall)
def cancel_recall(house: House, command: CancelRecall, _context: Context) -> Events:
    _ghost(find_credit(house, command))
    return (RecallCancelled(command.terminal),)


@evolves(RecallCancelled)
def recall_cancelled(house: House, event: RecallCancelled, _context: Context) -> None:
    house.terminals[event.terminal].ghost = None
