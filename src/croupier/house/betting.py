"""Placing, changing and removing bets."""

from functools import lru_cache
from math import gcd
from typing import Final, Protocol

from croupier.house.base import Decision, GameCommand
from croupier.house.commands.play import (
    CancelRecall,
    ChangeBet,
    ClearBets,
    ConfirmRecall,
    DoubleBets,
    MoveBet,
    PlaceBets,
    PressNeighbours,
    RecallPattern,
    RemoveBets,
    RepeatBets,
    SavePattern,
    UndoBet,
)
from croupier.house.events.play import (
    BetChange,
    BetsChanged,
    BetsReturned,
    PatternRecalled,
    PatternSaved,
    RecallCancelled,
)
from croupier.house.ids import Context, Instant, PositionId
from croupier.house.stakes import (
    StakeChange,
    amount_objection,
    change_bets,
    change_to,
    credit_short,
    loss_objection,
    objection,
    seat_of,
    spots_of,
)
from croupier.house.state import Deciders, Evolvers, House
from croupier.house.state.tables import (
    UNDO_MAX,
    BetStep,
    GameAtTerminal,
    Ghost,
    NeighboursPress,
    Position,
    SeatMessage,
    SeatMessageKind,
    Table,
)
from croupier.rules.geometry import Pocket, SpotKey
from croupier.rules.procedure import CitedNumber
from croupier.rules.refusal import CitedTopic, Code, Refusal, refuse
from croupier.rules.rulebook import PayoutTable, Stakes, find_spot

_PLACE: Final = BetChange.PLACE
_UNDO: Final = BetChange.UNDO
_NEIGHBOURS: Final = BetChange.NEIGHBOURS
_RECALL: Final = BetChange.RECALL
_AUTO_COPY: Final = BetChange.AUTO_COPY


def place_bets(house: House, command: PlaceBets, _context: Context) -> Decision:
    seat = house.terminals[command.terminal].games[command.table].seat
    change = spots_of(seat, command.bets)
    if not isinstance(change, tuple):
        return change
    refusal = objection(seat, change)
    if refusal is not None:
        return refusal
    spread = None if seat.table.rulebook.neighbours_button is None else _last_number(seat.table, change)
    return changed(seat, _PLACE, change, spread)


def _last_number(table: Table, change: StakeChange) -> NeighboursPress | None:
    """24: the button places the same bet on the neighbours; the bet is the whole stake on the number."""
    spots, amounts = change
    pocket = table.payouts.straights.get(spots[0]) if len(spots) == 1 else None
    return None if pocket is None else NeighboursPress(pocket, amounts[0])


def raised(seat: GameAtTerminal, added: Stakes, how: BetChange, spread: NeighboursPress | None = None) -> Decision:
    """Add stakes to those on the layout, or refuse."""
    bets = seat.game.bets
    change = tuple(added), tuple(bets.get(spot, 0) + amount for spot, amount in added.items())
    return objection(seat, change) or changed(seat, how, change, spread)


def changed(
    seat: GameAtTerminal, how: BetChange, change: StakeChange, spread: NeighboursPress | None = None
) -> tuple[BetsChanged]:
    """Change the stakes of a position to these amounts, in the round that is played."""
    round_, (spots, amounts) = seat.table.round, change
    assert round_ is not None
    if spread is None:
        return (BetsChanged(seat.game.id, round_.number, how, spots, amounts),)
    return (BetsChanged(seat.game.id, round_.number, how, spots, amounts, spread.pocket, spread.chip),)


def change_bet(house: House, command: ChangeBet, _context: Context) -> Decision:
    seat = seat_of(house, command)
    spot = find_spot(seat.table.rulebook, command.spot, seat.terminal.profile)
    if isinstance(spot, Refusal):
        return spot
    if command.stake == seat.game.bets.get(spot.key, 0):
        return ()
    if command.stake == 0:
        return changed(seat, BetChange.REMOVE, ((spot.key,), (0,)))
    refusal = amount_objection(seat, command.stake)
    if refusal is not None:
        return refusal
    change = (spot.key,), (command.stake,)
    return objection(seat, change) or changed(seat, BetChange.CHANGE, change)


def remove_bets(house: House, command: RemoveBets, _context: Context) -> Decision:
    seat = seat_of(house, command)
    spots = [seat.table.rulebook.named_spot(spot) for spot in command.spots]
    empty = next((spot for spot in spots if spot not in seat.game.bets), None)
    if empty is not None or not spots:
        return nothing_there(seat, f"Nothing lies on {empty}." if empty is not None else "No spot is named.", "spot")
    return changed(seat, BetChange.REMOVE, change_to(dict.fromkeys(spots, 0)))


def move_bet(house: House, command: MoveBet, _context: Context) -> Decision:
    seat = seat_of(house, command)
    target = find_spot(seat.table.rulebook, command.target, seat.terminal.profile)
    if isinstance(target, Refusal):
        return target
    source = seat.table.rulebook.named_spot(command.source)
    stake = seat.game.bets.get(source, 0)
    if stake == 0 or target.key == source:
        return nothing_there(seat, f"Nothing lies on {source} that could go elsewhere.", "spot")
    change = (source, target.key), (0, seat.game.bets.get(target.key, 0) + stake)
    return objection(seat, change) or changed(seat, BetChange.MOVE, change)


def undo_bet(house: House, command: UndoBet, _context: Context) -> Decision:
    seat = seat_of(house, command)
    if not seat.game.undo:
        message = f"There is nothing left to take back: the last {UNDO_MAX} changes of a round can be."
        return nothing_there(seat, message, "undo")
    last = seat.game.undo[-1]
    cost = sum(last.before) - sum(seat.game.bets.get(spot, 0) for spot in last.spots)
    if cost > seat.terminal.credit:
        return credit_short(seat, cost)
    limit = seat.terminal.loss_limit
    refusal = None if limit is None or cost <= 0 else loss_objection(seat.terminal, limit, cost)
    return refusal or changed(seat, BetChange.UNDO, (last.spots, last.before))


def clear_bets(house: House, command: ClearBets, _context: Context) -> Decision:
    seat = seat_of(house, command)
    if not seat.game.bets:
        return nothing_there(seat, "There are no chips to take back.", "clear")
    return changed(seat, BetChange.CLEAR, change_to(dict.fromkeys(seat.game.bets, 0)))


def repeat_bets(house: House, command: RepeatBets, _context: Context) -> Decision:
    seat = seat_of(house, command)
    bets = seat.game.bets
    added = {spot: stake - bets.get(spot, 0) for spot, stake in seat.game.previous.items() if stake > bets.get(spot, 0)}
    if not added:
        return nothing_there(seat, "There is nothing of the last round to repeat.", "repeat")
    return raised(seat, added, BetChange.REPEAT)


def double_bets(house: House, command: DoubleBets, _context: Context) -> Decision:
    seat = seat_of(house, command)
    if not seat.game.bets:
        return nothing_there(seat, "There are no chips to double.", "double")
    return raised(seat, dict(seat.game.bets), BetChange.DOUBLE)


def press_neighbours(house: House, command: PressNeighbours, _context: Context) -> Decision:
    seat = seat_of(house, command)
    rulebook = seat.table.rulebook
    button = rulebook.neighbours_button
    if button is None:
        message = f"{rulebook.venue} has no Neighbors button."
        return refuse(Code.CALL_NOT_OFFERED, rulebook.calls_clause, message, why="neighbours")
    spread = seat.game.spread
    if spread is None:
        return refuse(Code.NOTHING_THERE, button.clause, "Place a straight up first.", why="neighbours")
    added = growth(seat.table.payouts, spread)
    return raised(seat, added, BetChange.NEIGHBOURS, spread)


def growth(felt: PayoutTable, spread: NeighboursPress) -> Stakes:
    """Compute what the next press of the Neighbors button adds on each spot."""
    return {near: chips * spread.chip for near, chips in _added_chips(felt, spread.pocket, spread.presses)}


@lru_cache(maxsize=4_096)
def _added_chips(felt: PayoutTable, pocket: Pocket, presses: int) -> tuple[tuple[SpotKey, int], ...]:
    """List the spots and the number of chips that one more press adds; cached, as screens show it after every bet."""
    rulebook = felt.rulebook
    button = rulebook.neighbours_button
    assert button is not None
    before = button.press(rulebook.wheel, pocket, times=presses)
    after = button.press(rulebook.wheel, pocket, times=presses + 1)
    added = ((SpotKey(near), chips - before.get(near, 0)) for near, chips in after.items())
    return tuple((near, chips) for near, chips in added if chips)


def nothing_there(seat: GameAtTerminal, message: str, why: str) -> Refusal:
    return refuse(Code.NOTHING_THERE, seat.table.rulebook.cited_clauses[CitedTopic.BETS], message, why=why)


def bets_changed(house: House, event: BetsChanged, context: Context) -> None:
    apply_change(house, event, event.how, context.now)


#: For the Neighbors button: the number it spreads from and the chip it adds.
Spread = tuple[Pocket, int] | None


class ChangedPosition(Protocol):
    """A position and the new stake on each changed spot: an event, or the row of a page that stands for one."""

    @property
    def position(self) -> PositionId: ...
    @property
    def spots(self) -> tuple[SpotKey, ...]: ...
    @property
    def amounts(self) -> tuple[int, ...]: ...
    @property
    def spread(self) -> Spread: ...


def apply_change(house: House, change: ChangedPosition, how: BetChange, now: Instant) -> Table:
    """Apply a change of bets to its position; return its table."""
    game = house.positions[change.position]
    step = change_bets(house, game, how, (change.spots, change.amounts), now)
    table = game.seat.table
    if house.now < now:  # noqa: PLR1730 - max takes three times as long
        house.now = now
    if how is _UNDO:
        undone = game.undo.pop()
        game.auto_copied, game.spread = undone.auto_copied, undone.spread
        return table
    game.undo.append(step)
    if table.rulebook.neighbours_button is not None:
        game.spread = _spread_after(game.spread, how, change.spots, change.spread)
    if how is _RECALL:
        game.seat.terminal.ghost = None
    elif how is _AUTO_COPY:
        _mark_copied(game, step)
    elif game.auto_copied:
        _own(game, step)
    return table


def _spread_after(
    before: NeighboursPress | None, how: BetChange, spots: tuple[SpotKey, ...], spread: Spread
) -> NeighboursPress | None:
    """24: the Neighbors button applies to the last straight up; each press extends it."""
    if how is _NEIGHBOURS:
        assert before is not None
        return NeighboursPress(before.pocket, before.chip, before.presses + 1)
    if spread is not None:
        return NeighboursPress(*spread)
    if before is None:
        return None
    # If the player changed the chips on the button's number by hand, the button is cleared.
    return None if how not in _ADDED and SpotKey(before.pocket) in spots else before


#: Changes that add other chips and leave the button's state unchanged.
_ADDED = (BetChange.PLACE, BetChange.RECALL, BetChange.REPEAT, BetChange.COPY, BetChange.AUTO_COPY)


def _mark_copied(game: Position, step: BetStep) -> None:
    """12.b: stakes that arrived by auto copy are not copied again."""
    copied = dict(game.auto_copied)
    for spot, was, after in zip(step.spots, step.before, step.after, strict=True):
        copied[spot] = copied.get(spot, 0) + after - was
    game.auto_copied = copied


def _own(game: Position, step: BetStep) -> None:
    """Once the player changes the stake on a spot, it no longer counts as copied."""
    touched = set(step.spots)
    game.auto_copied = {spot: stake for spot, stake in game.auto_copied.items() if spot not in touched}


def bets_returned(house: House, event: BetsReturned, context: Context) -> None:
    game = house.positions[event.position]
    terminal = house.terminals[game.terminal]
    nothing, credit = (0,) * len(event.spots), terminal.credit
    change_bets(house, game, BetChange.RETURN, (event.spots, nothing), context.now)
    # Undo does not restore stakes that the house returned.
    game.undo.clear()
    game.spread = None
    back = terminal.credit - credit
    terminal.messages.append(SeatMessage(SeatMessageKind.RETURNED, event.clause, amount=back))


def _offered(seat: GameAtTerminal, slot: int | None = None) -> CitedNumber | Refusal:
    rulebook = seat.table.rulebook
    figure = rulebook.terminal.patterns
    if figure is None:
        return refuse(
            Code.CALL_NOT_OFFERED, rulebook.calls_clause, f"{rulebook.venue} keeps no patterns.", why="patterns"
        )
    if slot is not None and not 1 <= slot <= figure.value:
        return refuse(Code.UNKNOWN_RECORD, figure.clause, f"There are {figure.value} patterns, and no {slot}.")
    return figure


def save_pattern(house: House, command: SavePattern, _context: Context) -> Decision:
    seat = seat_of(house, command)
    figure = _offered(seat, command.slot)
    if isinstance(figure, Refusal):
        return figure
    if not seat.game.bets:
        return nothing_there(seat, "There are no chips to save.", "save")
    if command.slot in seat.terminal.patterns and not command.override:
        clause = seat.table.rulebook.terminal.overrides
        return refuse(Code.SLOT_TAKEN, clause, f"Pattern {command.slot} is taken: override it or cancel.")
    unit = seat.terminal.denomination
    # 19.a: stored in credits, so that its cash value follows the denomination.
    pattern = tuple((spot, stake // unit) for spot, stake in seat.game.bets.items())
    return (PatternSaved(command.terminal, command.slot, pattern),)


def recall_pattern(house: House, command: RecallPattern, _context: Context) -> Decision:
    seat = seat_of(house, command)
    figure = _offered(seat, command.slot)
    if isinstance(figure, Refusal):
        return figure
    pattern = seat.terminal.patterns.get(command.slot)
    if pattern is None:
        return refuse(Code.NOTHING_THERE, figure.clause, f"Pattern {command.slot} is empty.", why="pattern")
    unit = seat.terminal.denomination
    ghosts = reduced(pattern, seat.terminal.credit // unit, seat.terminal.settings.chips)
    if ghosts is None:
        return credit_short(seat, sum(pattern.values()) * unit, seat.table.rulebook.terminal.reduces)
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


def confirm_recall(house: House, command: ConfirmRecall, _context: Context) -> Decision:
    seat = seat_of(house, command)
    ghost = _ghost(seat, command)
    if isinstance(ghost, Refusal):
        return ghost
    return raised(seat, dict(ghost.stakes), BetChange.RECALL)


def cancel_recall(house: House, command: CancelRecall, _context: Context) -> Decision:
    ghost = _ghost(seat_of(house, command), command)
    return ghost if isinstance(ghost, Refusal) else (RecallCancelled(command.terminal),)


def _ghost(seat: GameAtTerminal, command: GameCommand) -> Ghost | Refusal:
    ghost = seat.terminal.ghost
    if ghost is None or ghost.table != command.table:
        return nothing_there(seat, "No pattern has been recalled here.", "recall")
    return ghost


def pattern_saved(house: House, event: PatternSaved, _context: Context) -> None:
    house.terminals[event.terminal].patterns[event.slot] = dict(event.pattern)


def pattern_recalled(house: House, event: PatternRecalled, _context: Context) -> None:
    house.terminals[event.terminal].ghost = Ghost(event.table, event.slot, event.ghosts)


def recall_cancelled(house: House, event: RecallCancelled, _context: Context) -> None:
    house.terminals[event.terminal].ghost = None


DECIDERS: Deciders = {
    PlaceBets: place_bets,
    ChangeBet: change_bet,
    RemoveBets: remove_bets,
    MoveBet: move_bet,
    UndoBet: undo_bet,
    ClearBets: clear_bets,
    RepeatBets: repeat_bets,
    DoubleBets: double_bets,
    PressNeighbours: press_neighbours,
    SavePattern: save_pattern,
    RecallPattern: recall_pattern,
    ConfirmRecall: confirm_recall,
    CancelRecall: cancel_recall,
}


EVOLVERS: Evolvers = {
    BetsChanged: bets_changed,
    BetsReturned: bets_returned,
    PatternSaved: pattern_saved,
    PatternRecalled: pattern_recalled,
    RecallCancelled: recall_cancelled,
}
