"""One layout with two kinds of funding, credit and chips: how it is changed, what a change is asked, what it does."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from croupier.house.declare import Events
from croupier.house.ids import Instant
from croupier.house.state.ledger import LedgerAccount
from croupier.house.state.tables import (
    STEPS_RECALLED,
    UNDO_MAX,
    Arrangement,
    BetChange,
    BetStep,
    GameAtTerminal,
    Position,
    Table,
    Terminal,
)
from croupier.rules.geometry import STRAIGHT, SpotKey
from croupier.rules.limits import OverMaximum, RiskCheck, UnderMinimum, over_maximum, total_over_maximum, under_minimum
from croupier.rules.money import Cents
from croupier.rules.procedure import Channel
from croupier.rules.refusal import Code, Refused, raise_if
from croupier.rules.rulebook import PayoutTable, Stakes

if TYPE_CHECKING:
    from croupier.house import House


_CREDIT: Final = LedgerAccount.CREDIT
_STAKES: Final = LedgerAccount.STAKES


#: The new stake on each of some spots: the spots, and the amounts in their order.
StakeChange = tuple[tuple[SpotKey, ...], tuple[int, ...]]


#: What lies on one spot: an amount of credit, or pieces of chips.
Lies = TypeVar("Lies")


@dataclass(slots=True, eq=False)
class Funding(ABC, Generic[Lies]):
    """A position with what it bets with, credit or chips. A change sets what lies on some spots of its layout."""

    table: Table
    game: Position

    @property
    @abstractmethod
    def nothing(self) -> Lies:
        """What lies on an empty spot."""

    @property
    @abstractmethod
    def channel(self) -> Channel:
        """The rules for this kind of play."""

    @property
    @abstractmethod
    def lying(self) -> Mapping[SpotKey, Lies]:
        """What lies on the layout now."""

    @property
    @abstractmethod
    def undone(self) -> Mapping[SpotKey, Lies] | None:
        """What lay on the spots of the last change before it, if it can be undone."""

    @abstractmethod
    def find(self, spot: SpotKey) -> SpotKey:
        """Find a spot that can be bet on."""

    @abstractmethod
    def add(self, lies: Lies, more: Lies) -> Lies:
        """Put more on a spot."""

    @abstractmethod
    def stakes(self, after: Mapping[SpotKey, Lies]) -> Stakes:
        """Compute the stake on each spot."""

    @abstractmethod
    def nothing_there(self, message: str, why: str) -> Refused:
        """Refuse a change of chips that do not lie there."""

    @abstractmethod
    def change(self, how: BetChange, after: Mapping[SpotKey, Lies]) -> Events:
        """Change what lies on some spots, or refuse."""

    def remove(self, names: Iterable[SpotKey]) -> Events:
        """Take all from some spots."""
        spots = [self.table.rulebook.named_spot(name) for name in names]
        empty = next((spot for spot in spots if spot not in self.lying), None)
        if empty is not None or not spots:
            message = f"Nothing lies on {empty}." if empty is not None else "No spot is named."
            raise self.nothing_there(message, "spot")
        return self.change(BetChange.REMOVE, dict.fromkeys(spots, self.nothing))

    def move(self, source: SpotKey, target: SpotKey) -> Events:
        """Move all from one spot to another."""
        lying, to, from_ = self.lying, self.find(target), self.table.rulebook.named_spot(source)
        if from_ not in lying or to == from_:
            raise self.nothing_there(f"Nothing lies on {from_} that could go elsewhere.", "spot")
        moved = self.add(lying.get(to, self.nothing), lying[from_])
        return self.change(BetChange.MOVE, {from_: self.nothing, to: moved})

    def undo(self) -> Events:
        """Undo the last change, back to the opening of betting at most."""
        before = self.undone
        if before is None:
            message = f"There is nothing left to take back: the last {UNDO_MAX} changes of a round can be."
            raise self.nothing_there(message, "undo")
        return self.change(BetChange.UNDO, before)

    def clear(self) -> Events:
        """Take all from the layout."""
        if not self.lying:
            raise self.nothing_there("There are no chips to take back.", "clear")
        return self.change(BetChange.CLEAR, dict.fromkeys(self.lying, self.nothing))

    def check(self, after: Mapping[SpotKey, Lies]) -> None:
        """Refuse a change that the rules or the funding do not allow: every change of a layout asks this.

        The order of the questions is the precedence of the refusals.
        """
        game, table, limits = self.game, self.table, self.game.effective_limits
        stakes = self.stakes(after)
        raised = [spot for spot, stake in stakes.items() if stake > game.bets.get(spot, 0)]
        self.check_player(after)
        if game.straight_only and game.arrangement is not None:
            self._check_arrangement(stakes, table.arrangements[game.arrangement])
        self.check_markers(after, raised)
        # Marker bets have limits of their own.
        placed = {spot: stake for spot, stake in stakes.items() if spot in table.payouts.spots}
        self._check_limits(placed)
        self.check_partners(stakes, raised)
        cost = sum(stake - game.bets.get(spot, 0) for spot, stake in placed.items())
        if cost > 0 and game.staked + cost > limits.total_most:
            raise_if(total_over_maximum(game.staked + cost, Cents(limits.total_most), limits.limits))
        self.check_funds(after, cost)

    def check_player(self, after: Mapping[SpotKey, Lies]) -> None:
        """Refuse a change by a player who may not make it; that of a terminal's player is asked with its permission."""

    def check_markers(self, after: Mapping[SpotKey, Lies], raised: Sequence[SpotKey] = ()) -> None:
        """Refuse marker bets that the table does not take; terminals have none."""

    def check_partners(self, stakes: Stakes, raised: Sequence[SpotKey]) -> None:
        """Refuse more over the maximum of partners; only players with chips have them."""

    @abstractmethod
    def check_funds(self, after: Mapping[SpotKey, Lies], cost: int) -> None:
        """Refuse what the player cannot pay for."""

    def _check_arrangement(self, stakes: Stakes, arrangement: Arrangement) -> None:
        """8(a)i: a player with such an arrangement bets straight up only, and by marker if it says so (Adelaide)."""
        table, spots = self.table, self.table.payouts.spots
        for spot, stake in stakes.items():
            allowed = spots[spot].kind == STRAIGHT if spot in spots else arrangement.markers
            if stake and not allowed:
                message = f"By arrangement this player bets straight up only, not on {spot}."
                clause = table.rulebook.restriction
                raise Refused(Code.KIND_NOT_PRICED, clause, message, spot=spot, why="arrangement")

    def _check_limits(self, stakes: Stakes) -> None:
        """Refuse stakes outside their bounds where the rules refuse them at once."""
        ranges, limits = self.game.effective_limits.ranges, self.game.effective_limits.limits
        if self.channel.under_minimum.choice is UnderMinimum.REFUSE:
            for spot, stake in stakes.items():
                least = ranges[spot].least
                if least is not None and 0 < stake < least:
                    raise_if(under_minimum(spot, stake, least, limits))
        if self.channel.over_maximum.choice is OverMaximum.REFUSE:
            for spot, stake in stakes.items():
                most = ranges[spot].most
                if most is not None and stake > max(most, self.game.bets.get(spot, 0)):
                    raise_if(over_maximum(spot, stake, most, limits))


# What a change does.


def change_bets(house: House, game: Position, how: BetChange, change: StakeChange, now: Instant) -> BetStep:
    """Set the amount on each of some spots, paid from or returned to credit, and record the step.

    At a position of chips the pieces are moved apart from it.
    """
    (spots, amounts), bets, cost, place = change, game.bets, 0, 0
    before: tuple[int, ...] = ()
    for spot in spots:
        was, after = bets.get(spot, 0), amounts[place]
        before += (was,)
        place += 1  # noqa: SIM113 - most changes have one spot, and enumerate takes longer than the rest of the loop
        cost += after - was
        if after:
            bets[spot] = after
        else:
            del bets[spot]
    step = BetStep(now, how, spots, before, amounts, game.auto_copied, game.spread)
    steps = game.steps
    steps.append(step)
    if len(steps) > STEPS_RECALLED:
        del steps[0]
    game.staked += cost
    if not game.terminal:
        return step
    seat = game.seat
    seat.terminal.credit -= cost
    balances = house.ledger.balances
    balances[_CREDIT] -= cost
    balances[_STAKES] += cost
    table = seat.table
    if table.rulebook.risk is not None:
        _expect(game, table.payouts, spots, step)
    return step


def _expect(game: Position, felt: PayoutTable, spots: Iterable[SpotKey], step: BetStep) -> None:
    """Update the total return of the chips on each pocket, and the highest of them."""
    if not felt.is_plain:
        game.returns = felt.returns(game.bets)
        game.best = max(game.returns)
        return
    returns, best, place = game.returns or [0] * felt.pockets, game.best, 0
    before, after, fell = step.before, step.after, False
    for spot in spots:
        gross, covers = felt.yields[spot]
        back = (after[place] - before[place]) * gross
        place += 1  # noqa: SIM113 - as above
        if back < 0:
            fell = True
        for pocket in covers:
            # A stake that grows can only raise the best return, on a pocket that its spot covers.
            returns[pocket] = total = returns[pocket] + back
            if total > best:  # noqa: PLR1730 - max takes three times as long
                best = total
    game.returns, game.best = returns, max(returns) if fell else best


def move_to_credit(house: House, terminal: Terminal, game: Position) -> int:
    """Return all chips of a game to credit; return the amount."""
    staked = game.staked
    terminal.credit += staked
    house.ledger.post(staked, source=LedgerAccount.STAKES, target=LedgerAccount.CREDIT)
    set_stakes(game, {}, house.tables[game.table])
    return staked


def set_stakes(game: Position, stakes: dict[SpotKey, int], table: Table) -> None:
    """Set the layout after a settlement that has already posted the money."""
    game.bets = stakes
    game.staked = sum(stakes.values())
    game.returns = table.payouts.returns(stakes) if stakes and table.rulebook.risk is not None else []
    game.best = max(game.returns, default=0)


def begin_anew(game: Position) -> None:
    """Clear the steps of a betting period that has ended: earlier changes cannot be undone."""
    game.undo.clear()
    game.steps.clear()
    game.auto_copied = {}
    game.spread = None


# The risk check, and what lies below a minimum.


def risks_enough(seat: GameAtTerminal, change: StakeChange, total: int, check: RiskCheck) -> bool:
    """13.a: the return on the best pocket must exceed the total stake by a margin."""
    game, needed = seat.game, total + check.threshold(total, credit=seat.terminal.denomination)
    # With one stake that grows, the best return does not fall: mostly it is high enough as it is.
    return (len(change[0]) == 1 and game.best >= needed) or best_return(seat, change) >= needed


def best_return(seat: GameAtTerminal, change: StakeChange) -> int:
    """Compute the return on the best pocket after a change."""
    felt, bets = seat.table.payouts, seat.game.bets
    if not felt.is_plain:
        return felt.best({**bets, **dict(zip(*change, strict=True))})
    returns = seat.game.returns.copy() or [0] * felt.pockets
    for spot, stake in zip(*change, strict=True):
        gross, covers = felt.yields[spot]
        back = (stake - bets.get(spot, 0)) * gross
        for place in covers:
            returns[place] += back
    return max(returns)


def below_minimum_spots(seat: GameAtTerminal) -> tuple[SpotKey, ...]:
    """List the spots below their minimum: they show red, and their stakes are returned at the close."""
    bets, limits = seat.game.bets, seat.game.effective_limits
    if not limits.least or not bets or min(bets.values()) >= limits.least:
        return ()
    ranges = limits.ranges
    return tuple(spot for spot, stake in bets.items() if stake < (ranges[spot].least or 0))


def warned(seat: GameAtTerminal, reds: Sequence[SpotKey]) -> bool:
    """Check whether the layout causes a warning: it fails the risk check with or without its red chips (13.c)."""
    game, check, unit = seat.game, seat.table.rulebook.risk, seat.terminal.denomination
    if check is None or not game.bets:
        return False
    if game.best - game.staked < check.threshold(game.staked, credit=unit):
        return True
    if not reds:
        return False
    left = {spot: stake for spot, stake in game.bets.items() if spot not in reds}
    total = sum(left.values())
    return bool(left) and seat.table.payouts.best(left) - total < check.threshold(total, credit=unit)
