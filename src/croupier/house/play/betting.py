"""Placing, changing and removing bets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar, Final, Protocol

from croupier.house.declare import (
    Amount,
    Count,
    Events,
    EventTopic,
    GameCommand,
    MachineRole,
    PositionEvent,
    TerminalCommand,
    TerminalEvent,
    command,
    decides,
    event,
    evolves,
)
from croupier.house.ids import Context, Instant, PositionId, RoundNumber
from croupier.house.play.stakes import Funding, StakeChange, best_return, change_bets, risks_enough
from croupier.house.state.tables import (
    BETTING_PHASES,
    UNDO_MAX,
    BetChange,
    GameAtTerminal,
    NeighboursPress,
    SeatMessage,
    SeatMessageKind,
    Table,
)
from croupier.rules.geometry import Pocket, SpotKey
from croupier.rules.money import Cents, amount_text
from croupier.rules.notation import Bets, MalformedError, parse_slip, wager_bets
from croupier.rules.pricing import Exposure
from croupier.rules.procedure import Channel
from croupier.rules.refusal import CitedTopic, ClauseId, Code, Refusal, Refused, first_of, raise_if
from croupier.rules.rulebook import PayoutTable, Stakes, find_spot

if TYPE_CHECKING:
    from croupier.house import House


class ReturnReason(StrEnum):
    """Why chips were returned to their player without being played."""

    OFFLINE_AT_CLOSE = "dark_at_close"
    TOO_LITTLE_RISK = "too_little_risk"
    UNDER_MINIMUM = "under_minimum"
    UNDER_TOTAL = "under_total"
    MALFUNCTION = "malfunction"
    NEW_TERMS = "new_terms"
    OUT_OF_SERVICE = "out_of_service"
    #: The player takes a break, or the player's own time is over.
    PAUSED = "paused"
    #: The player was barred before the round.
    BARRED = "barred"


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


@dataclass(slots=True, eq=False)
class Credit(Funding[int]):
    """A game of a terminal, with the credit on the terminal's meter."""

    #: Cited if credit is short, if a rule of its own says so.
    clause: ClauseId | None = None
    #: Credits that return in the same batch, which can be spent too.
    coming: int = 0

    @property
    def seat(self) -> GameAtTerminal:
        return self.game.seat

    @property
    def nothing(self) -> int:
        return 0

    @property
    def channel(self) -> Channel:
        return self.seat.terminal.channel

    @property
    def lying(self) -> Stakes:
        return self.game.bets

    @property
    def undone(self) -> Stakes | None:
        undo = self.game.undo
        return dict(zip(undo[-1].spots, undo[-1].before, strict=True)) if undo else None

    def find(self, spot: SpotKey) -> SpotKey:
        return find_spot(self.table.rulebook, spot, self.seat.terminal.profile).key

    def add(self, lies: int, more: int) -> int:
        return lies + more

    def stakes(self, after: Mapping[SpotKey, int]) -> Stakes:
        return dict(after)

    def nothing_there(self, message: str, why: str) -> Refused:
        return Refused(Code.NOTHING_THERE, self.table.rulebook.cited_clauses[CitedTopic.BETS], message, why=why)

    def change(self, how: BetChange, after: Mapping[SpotKey, int]) -> Events:
        change = tuple(after), tuple(after.values())
        if not _is_clear(self.seat, change):
            if how is BetChange.UNDO:
                # What lay there before was allowed then, and is asked for its cost only.
                self.check_credit(sum(after.values()) - sum(self.game.bets.get(spot, 0) for spot in after))
            else:
                self.check(after)
        return (BetsChanged(self.game.id, self.table.playing.number, how, *change),)

    def check_funds(self, after: Mapping[SpotKey, int], cost: int) -> None:
        self.check_credit(cost)
        risk, change = self.table.rulebook.risk, (tuple(after), tuple(after.values()))
        total = self.game.staked + cost
        # 13.c: a move or a removal that fails the risk check causes a warning, not a refusal (Clearwater).
        if risk is not None and cost > 0 and not risks_enough(self.seat, change, total, risk):
            best = Cents(best_return(self.seat, change))
            exposure = Exposure(Cents(total), {self.table.rulebook.pockets[0]: best})
            raise_if(risk.objection(exposure, credit=Cents(self.seat.terminal.denomination)))

    def check_credit(self, cost: int) -> None:
        """Refuse what costs more than the credit, or than the player's own limit for this session leaves."""
        terminal = self.seat.terminal
        if cost > terminal.credit + self.coming:
            raise credit_short(self.seat, cost, self.clause)
        limit = terminal.loss_limit
        if limit is not None and cost > 0 and cost - self.coming > limit - terminal.at_risk:
            left = max(0, limit - terminal.at_risk)
            message = f"Your own limit for this session leaves {amount_text(left)} to bet."
            raise Refused(Code.OWN_LIMIT, None, message, limit=limit, left=left)


def credit_short(seat: GameAtTerminal, cost: int, clause: ClauseId | None = None) -> Refused:
    """Refuse what costs more than the credit."""
    credit = seat.terminal.credit
    message = f"That costs {amount_text(cost)}, and {amount_text(credit)} is on the meter."
    clause = clause or seat.table.rulebook.cited_clauses[CitedTopic.CREDIT]
    return Refused(Code.CREDIT_SHORT, clause, message, cost=cost, credit=credit)


def find_credit(house: House, command: GameCommand) -> Credit:
    """Find the game that a command is about."""
    game = house.terminals[command.terminal].games[command.table]
    return Credit(game.seat.table, game)


def place_stakes(
    seat: GameAtTerminal, how: BetChange, change: StakeChange, spread: NeighboursPress | None = None
) -> tuple[BetsChanged]:
    """Raise the stakes of a game to these amounts, or refuse; with what the Neighbors button spreads."""
    if not _is_clear(seat, change):
        Credit(seat.table, seat.game).check(dict(zip(*change, strict=True)))
    # Not `playing`: this is every bet.
    round_, (spots, amounts) = seat.table.round, change
    assert round_ is not None
    if spread is None:
        return (BetsChanged(seat.game.id, round_.number, how, spots, amounts),)
    return (BetsChanged(seat.game.id, round_.number, how, spots, amounts, spread.pocket, spread.chip),)


def _is_clear(seat: GameAtTerminal, change: StakeChange) -> bool:
    """Check whether stakes are within all limits and the credit, as nearly all are: then nothing more is asked."""
    terminal, game, (spots, amounts) = seat.terminal, seat.game, change
    if game.straight_only:
        return False
    bets, limits, cost, place = game.bets, game.effective_limits, 0, 0
    bounds = limits.bounds
    for spot in spots:
        (least, most), stake = bounds[spot], amounts[place]
        place += 1  # noqa: SIM113 - most changes have one spot, and enumerate takes longer than the rest of the loop
        cost += stake - bets.get(spot, 0)
        if stake > most or (stake < least and stake):
            return False
    if cost <= 0:
        return True
    total = game.staked + cost
    if total > limits.total_most or cost > terminal.credit or terminal.loss_limit is not None:
        return False
    check = seat.table.rulebook.risk
    return check is None or risks_enough(seat, change, total, check)


# 7(h)i at Adelaide: the player, and no other person or machine, moves chips.
@command(MachineRole.TERMINAL, when=BETTING_PHASES)
class PlaceBets(GameCommand, frozen=True):
    """Add stakes: each on a spot, or as a call whose amount lies on each of its pieces."""

    bets: tuple[tuple[str, Count], ...]


_PLACE: Final = BetChange.PLACE


@decides(PlaceBets)
def place_bets(house: House, command: PlaceBets, _context: Context) -> Events:
    seat = house.terminals[command.terminal].games[command.table].seat
    change = _stakes_with(seat, command.bets)
    if seat.table.rulebook.neighbours_button is None:
        return place_stakes(seat, _PLACE, change)
    # 24: the button places the same bet on the neighbours; the bet is the whole stake on the number.
    (spot, *more), (amount, *_) = change
    pocket = None if more else seat.table.payouts.straights.get(spot)
    return place_stakes(seat, _PLACE, change, None if pocket is None else NeighboursPress(pocket, amount))


def _stakes_with(seat: GameAtTerminal, bets: Sequence[tuple[str, int]]) -> StakeChange:
    """Convert bets to the resulting stake on each spot; calls are split into their pieces."""
    known, lying, unit = seat.table.payouts.alone, seat.game.bets, seat.terminal.denomination
    spots: tuple[SpotKey, ...] = ()
    amounts: tuple[int, ...] = ()
    for on, amount in bets:
        spot = known.get(on)
        if spot is None or amount <= 0 or amount % unit or spot[0] in spots:
            return _read(seat, bets)
        spots += spot
        amounts += (lying.get(spot[0], 0) + amount,)
    if spots:
        return spots, amounts
    raise Refused(Code.NOTHING_THERE, seat.table.rulebook.cited_clauses[CitedTopic.BETS], "No bet is named.")


def _read(seat: GameAtTerminal, bets: Iterable[tuple[str, int]]) -> StakeChange:
    """Split calls into pieces, add up bets on one spot, and find the first error: the spot, then the amount."""
    stakes: Stakes = {}
    objections: list[Refusal] = []
    for on, amount in bets:
        try:
            pieces = _pieces(seat, on, max(amount, 1))
            _check_amount(seat, amount)
        except Refused as refused:
            objections.append(refused.refusal)
            continue
        for bet in pieces:
            spot = bet.spot.key
            stakes[spot] = stakes.get(spot, seat.game.bets.get(spot, 0)) + bet.stake
    raise_if(first_of(objections))
    return tuple(stakes), tuple(stakes.values())


def _pieces(seat: GameAtTerminal, on: str, amount: int) -> Bets:
    wager, *more = parse_slip(f"{amount_text(amount)} on {on}", seat.table.rulebook.vocabulary)
    if more:
        raise MalformedError("one bet at a time", on, 0)
    return wager_bets(seat.table.rulebook, wager, seat.terminal.profile)


def _check_amount(seat: GameAtTerminal, amount: int) -> None:
    """Refuse an amount that is zero, negative or not whole credits."""
    clause, unit = seat.table.rulebook.cited_clauses[CitedTopic.CREDIT], seat.terminal.denomination
    if amount <= 0:
        raise Refused(Code.STAKE_NOT_POSITIVE, clause, "A stake must be more than nothing.", stake=amount)
    if amount % unit:
        message = f"{amount_text(amount)} is not a whole number of credits of {amount_text(unit)}."
        raise Refused(Code.NOT_WHOLE_CREDITS, clause, message, stake=amount, credit=unit)


@command(MachineRole.TERMINAL, when=BETTING_PHASES)
class ChangeBet(GameCommand, frozen=True):
    """Set the stake on a spot to an amount."""

    spot: SpotKey
    stake: Amount

    def removes(self, bets: Stakes) -> bool:
        return self.stake < bets.get(self.spot, 0)


@decides(ChangeBet)
def change_bet(house: House, command: ChangeBet, _context: Context) -> Events:
    credit = find_credit(house, command)
    spot = credit.find(command.spot)
    if command.stake == credit.game.bets.get(spot, 0):
        return ()
    if command.stake == 0:
        return credit.change(BetChange.REMOVE, {spot: 0})
    _check_amount(credit.seat, command.stake)
    return credit.change(BetChange.CHANGE, {spot: command.stake})


@command(MachineRole.TERMINAL, when=BETTING_PHASES)
class RemoveBets(GameCommand, frozen=True):
    """Remove the stakes on some spots."""

    takes_back: ClassVar[bool] = True
    spots: tuple[SpotKey, ...]


@decides(RemoveBets)
def remove_bets(house: House, command: RemoveBets, _context: Context) -> Events:
    return find_credit(house, command).remove(command.spots)


@command(MachineRole.TERMINAL, when=BETTING_PHASES)
class MoveBet(GameCommand, frozen=True):
    """Move the stake on one spot to another."""

    source: SpotKey
    target: SpotKey


@decides(MoveBet)
def move_bet(house: House, command: MoveBet, _context: Context) -> Events:
    return find_credit(house, command).move(command.source, command.target)


@command(MachineRole.TERMINAL, when=BETTING_PHASES)
class UndoBet(GameCommand, frozen=True):
    """Undo the last command that changed the chips, back to the opening of betting at most."""

    def removes(self, _bets: Stakes) -> bool:
        return True


@decides(UndoBet)
def undo_bet(house: House, command: UndoBet, _context: Context) -> Events:
    return find_credit(house, command).undo()


@command(MachineRole.TERMINAL, when=BETTING_PHASES)
class ClearBets(GameCommand, frozen=True):
    """Remove all chips."""

    takes_back: ClassVar[bool] = True


@decides(ClearBets)
def clear_bets(house: House, command: ClearBets, _context: Context) -> Events:
    return find_credit(house, command).clear()


@command(MachineRole.TERMINAL, when=BETTING_PHASES)
class RepeatBets(GameCommand, frozen=True):
    """Place the bets of the last round again."""


@decides(RepeatBets)
def repeat_bets(house: House, command: RepeatBets, _context: Context) -> Events:
    credit = find_credit(house, command)
    bets = credit.game.bets
    raised = {spot: stake for spot, stake in credit.game.previous.items() if stake > bets.get(spot, 0)}
    if not raised:
        raise credit.nothing_there("There is nothing of the last round to repeat.", "repeat")
    return credit.change(BetChange.REPEAT, raised)


@command(MachineRole.TERMINAL, when=BETTING_PHASES)
class DoubleBets(GameCommand, frozen=True):
    """Double the stake on every spot."""


@decides(DoubleBets)
def double_bets(house: House, command: DoubleBets, _context: Context) -> Events:
    credit = find_credit(house, command)
    if not credit.game.bets:
        raise credit.nothing_there("There are no chips to double.", "double")
    return credit.change(BetChange.DOUBLE, {spot: 2 * stake for spot, stake in credit.game.bets.items()})


@command(MachineRole.TERMINAL, when=BETTING_PHASES)
class PressNeighbours(GameCommand, frozen=True):
    """Spread the last straight up over its neighbours, or raise them once all are there."""


@decides(PressNeighbours)
def press_neighbours(house: House, command: PressNeighbours, _context: Context) -> Events:
    seat = house.terminals[command.terminal].games[command.table].seat
    rulebook, bets, spread = seat.table.rulebook, seat.game.bets, seat.game.spread
    button = rulebook.neighbours_button
    if button is None:
        message = f"{rulebook.venue} has no Neighbors button."
        raise Refused(Code.CALL_NOT_OFFERED, rulebook.calls_clause, message, why="neighbours")
    if spread is None:
        raise Refused(Code.NOTHING_THERE, button.clause, "Place a straight up first.", why="neighbours")
    added = growth(seat.table.payouts, spread)
    amounts = tuple(bets.get(spot, 0) + amount for spot, amount in added.items())
    return place_stakes(seat, BetChange.NEIGHBOURS, (tuple(added), amounts), spread)


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


@command(MachineRole.TERMINAL)
class ChooseDenomination(TerminalCommand, frozen=True):
    """Choose the denomination: the value of one credit."""

    denomination: Amount


@event("One credit is worth {denomination}.", EventTopic.BETS)
class DenominationChosen(TerminalEvent, frozen=True):
    """The denomination was chosen: the value of one credit."""

    denomination: Cents


@decides(ChooseDenomination)
def choose_denomination(house: House, command: ChooseDenomination, _context: Context) -> Events:
    terminal = house.terminals[command.terminal]
    clause = house.rulebook_at(terminal).cited_clauses[CitedTopic.CREDIT]
    if command.denomination not in terminal.settings.denominations:
        offered = ", ".join(amount_text(each) for each in terminal.settings.denominations)
        raise Refused(Code.SETTING_IMPOSSIBLE, clause, f"One credit can be {offered} here.")
    if terminal.in_play:
        message = "The value of a credit cannot change while chips are in play."
        raise Refused(Code.OUT_OF_TURN, clause, message, why="denomination")
    return (DenominationChosen(command.terminal, command.denomination),)


@evolves(DenominationChosen)
def denomination_chosen(house: House, event: DenominationChosen, _context: Context) -> None:
    terminal = house.terminals[event.terminal]
    terminal.denomination = event.denomination
    terminal.ghost = None
    for game in terminal.games.values():
        # Stakes in the old denomination may not be whole credits in the new one.
        game.previous, game.spread = {}, None
        game.undo.clear()


@event("Chips: {how}, so that there lie {stakes}.", EventTopic.BETS)
class BetsChanged(PositionEvent, frozen=True):
    """Chips of a position were placed, moved or removed: the new stake on each changed spot.

    It is flat, and the garbage collector does not track it: nearly all entries of a journal are of this type.
    """

    round: RoundNumber
    how: BetChange
    spots: tuple[SpotKey, ...]
    #: As many as there are spots, in their order.
    amounts: tuple[int, ...]
    #: For the Neighbors button: the number it spreads from and the chip it adds.
    spread_from: Pocket | None = None
    spread_chip: int = 0

    @property
    def spread(self) -> tuple[Pocket, int] | None:
        """What the Neighbors button begins with, if this change sets it."""
        return None if self.spread_from is None else (self.spread_from, self.spread_chip)

    @property
    def stakes(self) -> Stakes:
        """What lies on each spot that was touched."""
        return dict(zip(self.spots, self.amounts, strict=True))


@evolves(BetsChanged)
def bets_changed(house: House, event: BetsChanged, context: Context) -> None:
    apply_change(house, event, event.how, context.now)


_UNDO: Final = BetChange.UNDO
_RECALL: Final = BetChange.RECALL
_AUTO_COPY: Final = BetChange.AUTO_COPY


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
    undo = game.undo
    undo.append(step)
    if len(undo) > UNDO_MAX:
        del undo[0]
    if table.rulebook.neighbours_button is not None:
        game.spread = _spread_after(game.spread, how, change.spots, change.spread)
    if how is _RECALL:
        game.seat.terminal.ghost = None
    elif how is _AUTO_COPY:
        # 12.b: stakes that arrived by auto copy are not copied again.
        copied = dict(game.auto_copied)
        for spot, was, after in zip(step.spots, step.before, step.after, strict=True):
            copied[spot] = copied.get(spot, 0) + after - was
        game.auto_copied = copied
    elif game.auto_copied:
        # Once the player changes the stake on a spot, it no longer counts as copied.
        touched = set(step.spots)
        game.auto_copied = {spot: stake for spot, stake in game.auto_copied.items() if spot not in touched}
    return table


_NEIGHBOURS: Final = BetChange.NEIGHBOURS


#: Changes that add other chips and leave the button's state unchanged.
_ADDED = (BetChange.PLACE, BetChange.RECALL, BetChange.REPEAT, BetChange.COPY, BetChange.AUTO_COPY)


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


@event("Chips went back unplayed from {spots}: {why}.", EventTopic.BETS)
class BetsReturned(PositionEvent, frozen=True):
    """Chips of a position were returned to its player without being played; with the reason and its clause."""

    round: RoundNumber
    why: ReturnReason
    clause: ClauseId
    spots: tuple[SpotKey, ...]


@evolves(BetsReturned)
def bets_returned(house: House, event: BetsReturned, context: Context) -> None:
    game = house.positions[event.position]
    terminal = house.terminals[game.terminal]
    nothing, credit = (0,) * len(event.spots), terminal.credit
    change_bets(house, game, BetChange.RETURN, (event.spots, nothing), context.now)
    # Undo does not restore stakes that the house returned.
    game.undo.clear()
    game.spread = None
    back = terminal.credit - credit
    terminal.show(SeatMessage(SeatMessageKind.RETURNED, event.clause, amount=back))
