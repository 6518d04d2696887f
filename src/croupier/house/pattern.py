"""Patterns: a game's chips saved in credits, and recalled as ghosts, reduced to what the credits allow."""

from math import gcd

from croupier.house.answer import Deciders, Decision, Evolvers, refuse
from croupier.house.betting import nothing_there, raised
from croupier.house.command.base import AtGame
from croupier.house.command.play import CancelRecall, ConfirmRecall, RecallPattern, SavePattern
from croupier.house.event.play import Edit, PatternRecalled, PatternSaved, RecallCancelled
from croupier.house.stamp import Stamp
from croupier.house.state import House
from croupier.house.terminal import Ghost
from croupier.house.wager import Seat, seat_of
from croupier.rules.procedure import Figure
from croupier.rules.refusal import Code, Refusal
from croupier.rules.spot import SpotKey


def _offered(seat: Seat, slot: int | None = None) -> Figure | Refusal:
    rulebook = seat.table.rulebook
    figure = rulebook.terminal.patterns
    if figure is None:
        return refuse(Code.CALL_NOT_OFFERED, rulebook.calls_clause, f"{rulebook.venue} keeps no patterns.")
    if slot is not None and not 1 <= slot <= figure.figure:
        return refuse(Code.UNKNOWN_RECORD, figure.clause, f"There are {figure.figure} patterns, and no {slot}.")
    return figure


def save_pattern(house: House, command: SavePattern, _stamp: Stamp) -> Decision:
    seat = seat_of(house, command)
    figure = _offered(seat, command.slot)
    if isinstance(figure, Refusal):
        return figure
    if not seat.game.bets:
        return nothing_there(seat, "There are no chips to save.")
    if command.slot in seat.terminal.patterns and not command.override:
        clause = seat.table.rulebook.terminal.overrides
        return refuse(Code.SLOT_TAKEN, clause, f"Pattern {command.slot} is taken: override it or cancel.")
    unit = seat.terminal.denomination
    # 19.a: kept in credits, so that its cash value follows the denomination.
    pattern = tuple((spot, stake // unit) for spot, stake in seat.game.bets.items())
    return (PatternSaved(command.terminal, command.slot, pattern),)


def recall_pattern(house: House, command: RecallPattern, _stamp: Stamp) -> Decision:
    seat = seat_of(house, command)
    figure = _offered(seat, command.slot)
    if isinstance(figure, Refusal):
        return figure
    pattern = seat.terminal.patterns.get(command.slot)
    if pattern is None:
        return refuse(Code.NOTHING_THERE, figure.clause, f"Pattern {command.slot} is empty.")
    unit = seat.terminal.denomination
    ghosts = reduced(pattern, seat.terminal.credit // unit, seat.terminal.settings.chips)
    if ghosts is None:
        return seat.credit_short(sum(pattern.values()) * unit, seat.table.rulebook.terminal.reduces)
    stakes = tuple((spot, credits_ * unit) for spot, credits_ in ghosts.items())
    return (PatternRecalled(command.terminal, command.table, command.slot, stakes),)


def reduced(pattern: dict[SpotKey, int], available: int, chips: tuple[int, ...]) -> dict[SpotKey, int] | None:
    """Bring a pattern down to the credits at hand with the largest chip that fits, its proportions kept (19.e)."""
    unit = gcd(*pattern.values())
    pieces = sum(pattern.values()) // unit
    fitting = [chip for chip in {unit, *(chip for chip in chips if chip < unit)} if chip * pieces <= available]
    if not fitting:
        return None
    chip = max(fitting)
    return {spot: stake // unit * chip for spot, stake in pattern.items()}


def confirm_recall(house: House, command: ConfirmRecall, _stamp: Stamp) -> Decision:
    seat = seat_of(house, command)
    ghost = _ghost(seat, command)
    if isinstance(ghost, Refusal):
        return ghost
    return raised(seat, command, dict(ghost.stakes), Edit.RECALL)


def cancel_recall(house: House, command: CancelRecall, _stamp: Stamp) -> Decision:
    ghost = _ghost(seat_of(house, command), command)
    return ghost if isinstance(ghost, Refusal) else (RecallCancelled(command.terminal),)


def _ghost(seat: Seat, command: AtGame) -> Ghost | Refusal:
    ghost = seat.terminal.ghost
    if ghost is None or ghost.table != command.table:
        return nothing_there(seat, "No pattern has been recalled here.")
    return ghost


def pattern_saved(house: House, event: PatternSaved, _stamp: Stamp) -> None:
    house.terminals[event.terminal].patterns[event.slot] = dict(event.pattern)


def pattern_recalled(house: House, event: PatternRecalled, _stamp: Stamp) -> None:
    house.terminals[event.terminal].ghost = Ghost(event.table, event.slot, event.ghosts)


def recall_cancelled(house: House, event: RecallCancelled, _stamp: Stamp) -> None:
    house.terminals[event.terminal].ghost = None


DECIDERS: Deciders = {
    SavePattern: save_pattern,
    RecallPattern: recall_pattern,
    ConfirmRecall: confirm_recall,
    CancelRecall: cancel_recall,
}
EVOLVERS: Evolvers = {
    PatternSaved: pattern_saved,
    PatternRecalled: pattern_recalled,
    RecallCancelled: recall_cancelled,
}
