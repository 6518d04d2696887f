"""Betting: placing, changing, moving and taking back chips, each command whole or not at all."""

from collections.abc import Iterable

from croupier.house.answer import Deciders, Decision, Evolvers, refuse
from croupier.house.chips import UNDO_MOST, note, put, remember
from croupier.house.command.base import AtGame
from croupier.house.command.play import (
    ChangeBet,
    ClearBets,
    DoubleBets,
    MoveBet,
    PlaceBets,
    PressNeighbours,
    RemoveBets,
    RepeatBets,
    UndoBet,
)
from croupier.house.event.play import BetsChanged, BetsReturned, Edit
from croupier.house.felt import Stakes
from croupier.house.stamp import Stamp
from croupier.house.state import House
from croupier.house.table import Table
from croupier.house.terminal import Game, Spread, Step, Undo
from croupier.house.wager import Seat, amount_objection, objection, seat_of, spots_of
from croupier.rules.callbet import NeighboursButton
from croupier.rules.matter import Matter
from croupier.rules.money import amount_text
from croupier.rules.offer import find_spot
from croupier.rules.pocket import Pocket
from croupier.rules.refusal import Code, Refusal
from croupier.rules.spot import SpotKey
from croupier.rules.wheel import Wheel

# Looked up once, as every chip comes past here: to find a member of an enumeration takes 0.1 µs each time.
_PLACE, _UNDO, _NEIGHBOURS, _RECALL, _AUTO_COPY = Edit.PLACE, Edit.UNDO, Edit.NEIGHBOURS, Edit.RECALL, Edit.AUTO_COPY


def place_bets(house: House, command: PlaceBets, _stamp: Stamp) -> Decision:
    seat = seat_of(house, command)
    stakes = spots_of(seat, command.bets)
    if isinstance(stakes, Refusal):
        return stakes
    refusal = objection(seat, stakes)
    return refusal or (changed(command, _PLACE, stakes, _last_number(seat.table, stakes)),)


def _last_number(table: Table, stakes: Stakes) -> tuple[Pocket, int] | None:
    """24: the button places the same bet on the neighbours, and the bet is all that lies on the number."""
    if table.rulebook.neighbours_button is None or len(stakes) != 1:
        return None
    ((spot, stake),) = stakes.items()
    pocket = table.felt.straights.get(spot)
    return None if pocket is None else (pocket, stake)


def raised(seat: Seat, command: AtGame, added: Stakes, how: Edit, spread: tuple[Pocket, int] | None = None) -> Decision:
    """Add stakes to what lies there, or say why not."""
    bets = seat.game.bets
    stakes = {spot: bets.get(spot, 0) + amount for spot, amount in added.items()}
    return objection(seat, stakes) or (changed(command, how, stakes, spread),)


def changed(command: AtGame, how: Edit, stakes: Stakes, spread: tuple[Pocket, int] | None = None) -> BetsChanged:
    return BetsChanged(command.terminal, command.table, command.round, how, tuple(stakes.items()), spread)


def change_bet(house: House, command: ChangeBet, _stamp: Stamp) -> Decision:
    seat = seat_of(house, command)
    spot = find_spot(seat.table.rulebook, command.spot, seat.terminal.profile)
    if isinstance(spot, Refusal):
        return spot
    if command.stake == seat.game.bets.get(spot.key, 0):
        return ()
    if command.stake == 0:
        return (changed(command, Edit.REMOVE, {spot.key: 0}),)
    refusal = amount_objection(seat, command.stake)
    if refusal is not None:
        return refusal
    return objection(seat, {spot.key: command.stake}) or (changed(command, Edit.CHANGE, {spot.key: command.stake}),)


def remove_bets(house: House, command: RemoveBets, _stamp: Stamp) -> Decision:
    seat = seat_of(house, command)
    empty = next((spot for spot in command.spots if spot not in seat.game.bets), None)
    if empty is not None or not command.spots:
        return nothing_there(seat, f"Nothing lies on {empty}." if empty is not None else "No spot is named.")
    return (changed(command, Edit.REMOVE, dict.fromkeys(command.spots, 0)),)


def move_bet(house: House, command: MoveBet, _stamp: Stamp) -> Decision:
    seat = seat_of(house, command)
    target = find_spot(seat.table.rulebook, command.target, seat.terminal.profile)
    if isinstance(target, Refusal):
        return target
    stake = seat.game.bets.get(command.source, 0)
    if stake == 0 or target.key == command.source:
        return nothing_there(seat, f"Nothing lies on {command.source} that could go elsewhere.")
    stakes = {command.source: 0, target.key: seat.game.bets.get(target.key, 0) + stake}
    return objection(seat, stakes) or (changed(command, Edit.MOVE, stakes),)


def undo_bet(house: House, command: UndoBet, _stamp: Stamp) -> Decision:
    seat = seat_of(house, command)
    if not seat.game.undo:
        says = f"There is nothing left to take back: the last {UNDO_MOST} changes of a round can be."
        return nothing_there(seat, says)
    before = seat.game.undo[-1].before
    cost = sum(stake - seat.game.bets.get(spot, 0) for spot, stake in before)
    if cost > seat.terminal.credit:
        return seat.credit_short(cost)
    return (changed(command, Edit.UNDO, dict(before)),)


def clear_bets(house: House, command: ClearBets, _stamp: Stamp) -> Decision:
    seat = seat_of(house, command)
    if not seat.game.bets:
        return nothing_there(seat, "There are no chips to take back.")
    return (changed(command, Edit.CLEAR, dict.fromkeys(seat.game.bets, 0)),)


def repeat_bets(house: House, command: RepeatBets, _stamp: Stamp) -> Decision:
    seat = seat_of(house, command)
    bets = seat.game.bets
    added = {spot: stake - bets.get(spot, 0) for spot, stake in seat.game.previous.items() if stake > bets.get(spot, 0)}
    if not added:
        return nothing_there(seat, "There is nothing of the last round to repeat.")
    return raised(seat, command, added, Edit.REPEAT)


def double_bets(house: House, command: DoubleBets, _stamp: Stamp) -> Decision:
    seat = seat_of(house, command)
    if not seat.game.bets:
        return nothing_there(seat, "There are no chips to double.")
    return raised(seat, command, dict(seat.game.bets), Edit.DOUBLE)


def press_neighbours(house: House, command: PressNeighbours, _stamp: Stamp) -> Decision:
    seat = seat_of(house, command)
    rulebook = seat.table.rulebook
    button = rulebook.neighbours_button
    if button is None:
        says = f"{rulebook.venue} has no Neighbors button."
        return refuse(Code.CALL_NOT_OFFERED, rulebook.calls_clause, says)
    spread = seat.game.spread
    if spread is None:
        return refuse(Code.NOTHING_THERE, button.clause, "Place a straight up first.")
    return raised(seat, command, growth(rulebook.wheel, button, spread), Edit.NEIGHBOURS, (spread.pocket, spread.chip))


def growth(wheel: Wheel, button: NeighboursButton, spread: Spread) -> Stakes:
    """Tell what the next press of the Neighbors button adds on each spot."""
    before = button.press(wheel, spread.pocket, times=spread.presses)
    after = button.press(wheel, spread.pocket, times=spread.presses + 1)
    added = {SpotKey(near): (chips - before.get(near, 0)) * spread.chip for near, chips in after.items()}
    return {near: amount for near, amount in added.items() if amount}


def nothing_there(seat: Seat, says: str) -> Refusal:
    return refuse(Code.NOTHING_THERE, seat.table.rulebook.cites[Matter.BETS], says)


def bets_changed(house: House, event: BetsChanged, stamp: Stamp) -> None:
    terminal = house.terminals[event.terminal]
    game = terminal.games[event.table]
    before = put(house, terminal, game, event.stakes)
    how = event.how
    note(game, Step(stamp.now, how, event.stakes))
    if how is _UNDO:
        undone = game.undo.pop()
        game.auto_copied, game.spread = undone.auto_copied, undone.spread
        return
    remember(game, Undo(before, game.auto_copied, game.spread))
    if game.spread is not None or event.spread is not None:
        _spread_on(game, event)
    if how is _RECALL:
        terminal.ghost = None
    elif how is _AUTO_COPY:
        _mark_copied(game, event.stakes, before)
    elif game.auto_copied:
        _own(game, event.stakes)


def _spread_on(game: Game, event: BetsChanged) -> None:
    """24: the Neighbors button follows the last straight up; each press takes it further."""
    spread = game.spread
    if event.how is _NEIGHBOURS:
        assert spread is not None
        game.spread = Spread(spread.pocket, spread.chip, spread.presses + 1)
    elif event.spread is not None:
        game.spread = Spread(*event.spread)
    elif event.how not in _ADDED:
        assert spread is not None
        # A button around a number whose chips were touched by hand has nothing to go on from.
        touched = {spot for spot, _ in event.stakes}
        game.spread = None if SpotKey(spread.pocket) in touched else spread


#: What adds chips beside those of the button and leaves it where it stands.
_ADDED = (Edit.PLACE, Edit.RECALL, Edit.REPEAT, Edit.COPY, Edit.AUTO_COPY)


def _mark_copied(game: Game, stakes: Iterable[tuple[SpotKey, int]], before: Iterable[tuple[SpotKey, int]]) -> None:
    """12.b: what arrived by auto copy is not copied on."""
    copied = dict(game.auto_copied)
    for (spot, after), (_, was) in zip(stakes, before, strict=True):
        copied[spot] = copied.get(spot, 0) + after - was
    game.auto_copied = copied


def _own(game: Game, stakes: Iterable[tuple[SpotKey, int]]) -> None:
    """A spot that the player has touched since is the player's own."""
    touched = {spot for spot, _ in stakes}
    game.auto_copied = {spot: stake for spot, stake in game.auto_copied.items() if spot not in touched}


def bets_returned(house: House, event: BetsReturned, stamp: Stamp) -> None:
    terminal = house.terminals[event.terminal]
    game = terminal.games[event.table]
    stakes, credit = tuple((spot, 0) for spot in event.spots), terminal.credit
    put(house, terminal, game, stakes)
    note(game, Step(stamp.now, Edit.RETURN, stakes))
    # What the house has given back is not put down again by taking a step back.
    game.undo.clear()
    game.spread = None
    terminal.messages.append(f"{amount_text(terminal.credit - credit)} went back to the meter [{event.clause}].")


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
}
EVOLVERS: Evolvers = {BetsChanged: bets_changed, BetsReturned: bets_returned}
