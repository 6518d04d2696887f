"""Chips: how stakes move between a terminal's credit and the layout, with the books kept beside them."""

from collections.abc import Iterable
from typing import Final

from croupier.house.books import Account
from croupier.house.felt import Felt
from croupier.house.state import House
from croupier.house.table import Table
from croupier.house.terminal import STEPS_RECALLED, Game, Step, Terminal, Undo
from croupier.rules.spot import SpotKey

Stacks = tuple[tuple[SpotKey, int], ...]

#: So many changes of one round can be taken back: a dealer may leave a round open for as long as they like.
UNDO_MOST: Final = 500
#: So many steps are held before those that will not be recalled are let go, all at once.
STEPS_HELD: Final = 2 * STEPS_RECALLED

# Looked up once, as every chip comes past here: to find a member of an enumeration takes 0.1 µs each time.
_CREDIT, _STAKES = Account.CREDIT, Account.STAKES


def put(house: House, terminal: Terminal, game: Game, stakes: Iterable[tuple[SpotKey, int]]) -> Stacks:
    """Make what lies on each of these spots a given amount, for credit; tell what lay there before."""
    table = house.tables[game.table]
    bets, before, cost, risk = game.bets, [], 0, table.rulebook.risk
    for spot, after in stakes:
        was = bets.get(spot, 0)
        before.append((spot, was))
        if after:
            bets[spot] = after
        else:
            del bets[spot]
        cost += after - was
        if risk is not None:
            _expect(game, table.felt, spot, after - was)
    game.staked += cost
    terminal.credit -= cost
    house.books.move(cost, source=_CREDIT, target=_STAKES)
    return tuple(before)


def _expect(game: Game, felt: Felt, spot: SpotKey, stake: int) -> None:
    """Keep what the chips would bring back on each pocket."""
    if not game.returns:
        game.returns = [0] * felt.pockets
    returns, back = game.returns, stake * felt.gross[spot]
    for place in felt.covers[spot]:
        returns[place] += back


def take_back(house: House, terminal: Terminal, game: Game) -> int:
    """Give all chips of a game back as credit; tell how much that was."""
    staked = game.staked
    terminal.credit += staked
    house.books.move(staked, source=Account.STAKES, target=Account.CREDIT)
    lay(game, {}, house.tables[game.table])
    return staked


def lay(game: Game, stakes: dict[SpotKey, int], table: Table) -> None:
    """Put down a layout as it stands after a settlement, whose money has been booked already."""
    game.bets = stakes
    game.staked = sum(stakes.values())
    game.returns = []
    if table.rulebook.risk is not None:
        for spot, stake in stakes.items():
            _expect(game, table.felt, spot, stake)


def note(game: Game, step: Step) -> None:
    """Note a step."""
    game.steps.append(step)
    if len(game.steps) > STEPS_HELD:
        fold(game)


def fold(game: Game) -> None:
    """Fold the steps before those that a terminal recalls into the layout that the others start from."""
    if len(game.steps) <= STEPS_RECALLED:
        return
    # Another dict: the one before may stand in the record of a game.
    start = dict(game.at_start)
    for step in game.steps[:-STEPS_RECALLED]:
        start.update(step.stakes)
    game.at_start = {spot: stake for spot, stake in start.items() if stake}
    del game.steps[:-STEPS_RECALLED]


def remember(game: Game, undo: Undo) -> None:
    """Keep what taking a command back brings back, and forget the oldest where that is too much."""
    game.undo.append(undo)
    if len(game.undo) > UNDO_MOST:
        del game.undo[0]


def begin_anew(game: Game) -> None:
    """Forget the steps of a betting period that is over: nothing before this can be taken back."""
    game.undo.clear()
    game.steps.clear()
    game.at_start = dict(game.bets)
    game.auto_copied = {}
    game.spread = None
