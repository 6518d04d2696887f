"""Whether stakes are allowed, and how they move between credit and layout."""

from collections.abc import Iterable, Sequence
from typing import Final

from croupier.house.base import GameCommand
from croupier.house.events.play import BetChange
from croupier.house.ids import Instant
from croupier.house.state import House
from croupier.house.state.money import LedgerAccount
from croupier.house.state.tables import BetStep, GameAtTerminal, Position, Table, Terminal
from croupier.rules.geometry import SpotKey, SpotKind
from croupier.rules.limits import RiskCheck, UnderMinimum, over_maximum, total_over_maximum, under_minimum
from croupier.rules.money import Cents, amount_text
from croupier.rules.notation import MalformedError, malformed, parse_slip, wager_bets
from croupier.rules.pricing import Exposure
from croupier.rules.refusal import CitedTopic, ClauseId, Code, Refusal, first_of, refuse
from croupier.rules.rulebook import PayoutTable, Stakes

_CREDIT: Final = LedgerAccount.CREDIT
_STAKES: Final = LedgerAccount.STAKES


#: The new stake on each of some spots: the spots, and the amounts in their order.
StakeChange = tuple[tuple[SpotKey, ...], tuple[int, ...]]


def change_to(stakes: Stakes) -> StakeChange:
    """Change the stakes on some spots to these."""
    return tuple(stakes), tuple(stakes.values())


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
    game.steps.append(step)
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


def seat_of(house: House, command: GameCommand) -> GameAtTerminal:
    return house.terminals[command.terminal].games[command.table].seat


def credit_short(seat: GameAtTerminal, cost: int, clause: ClauseId | None = None) -> Refusal:
    """Refuse what costs more than the credit."""
    credit = seat.terminal.credit
    message = f"That costs {amount_text(cost)}, and {amount_text(credit)} is on the meter."
    clause = clause or seat.table.rulebook.cited_clauses[CitedTopic.CREDIT]
    return refuse(Code.CREDIT_SHORT, clause, message, cost=cost, credit=credit)


def spots_of(seat: GameAtTerminal, bets: Sequence[tuple[str, int]]) -> StakeChange | Refusal:
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
    return refuse(Code.NOTHING_THERE, seat.table.rulebook.cited_clauses[CitedTopic.BETS], "No bet is named.")


def _read(seat: GameAtTerminal, bets: Iterable[tuple[str, int]]) -> StakeChange | Refusal:
    """Split calls into pieces, add up bets on one spot, and find the first error: the spot, then the amount."""
    stakes: Stakes = {}
    objections: list[Refusal] = []
    for on, amount in bets:
        pieces = _pieces(seat, on, max(amount, 1))
        refusal = pieces if isinstance(pieces, Refusal) else amount_objection(seat, amount)
        if refusal is not None:
            objections.append(refusal)
            continue
        assert isinstance(pieces, dict)
        for spot, stake in pieces.items():
            stakes[spot] = (stakes.get(spot) or seat.game.bets.get(spot, 0)) + stake
    return first_of(objections) or change_to(stakes)


def _pieces(seat: GameAtTerminal, on: str, amount: int) -> Stakes | Refusal:
    try:
        wager, *more = parse_slip(f"{amount_text(amount)} on {on}")
    except MalformedError as error:
        return malformed(error)
    if more:
        return malformed(MalformedError("one bet at a time", on, 0))
    bets = wager_bets(seat.table.rulebook, wager, seat.terminal.profile)
    if isinstance(bets, Refusal):
        return bets
    pieces: Stakes = {}
    for bet in bets:
        pieces[bet.spot.key] = pieces.get(bet.spot.key, 0) + bet.stake
    return pieces


def amount_objection(seat: GameAtTerminal, amount: int) -> Refusal | None:
    """Refuse an amount that is zero, negative or not whole credits."""
    clause, unit = seat.table.rulebook.cited_clauses[CitedTopic.CREDIT], seat.terminal.denomination
    if amount <= 0:
        return refuse(Code.STAKE_NOT_POSITIVE, clause, "A stake must be more than nothing.", stake=amount)
    if amount % unit:
        message = f"{amount_text(amount)} is not a whole number of credits of {amount_text(unit)}."
        return refuse(Code.NOT_WHOLE_CREDITS, clause, message, stake=amount, credit=unit)
    return None


def objection(
    seat: GameAtTerminal, change: StakeChange, clause: ClauseId | None = None, coming: int = 0
) -> Refusal | None:
    """Refuse stakes that these spots cannot take; `clause` is cited if credit is insufficient.

    Credits that return in the same batch can be spent too.
    """
    terminal, game, (spots, amounts) = seat.terminal, seat.game, change
    if game.straight_only:
        refusal = restricted(seat.table, spots)
        if refusal is not None:
            return refusal
    bets, limits, cost, place, outside = game.bets, game.effective_limits, 0, 0, False
    bounds = limits.bounds
    for spot in spots:
        (least, most), stake = bounds[spot], amounts[place]
        place += 1  # noqa: SIM113 - as above
        cost += stake - bets.get(spot, 0)
        if stake > most or stake < least:
            outside = True
    if outside:
        refusal = _limit_objection(seat, change)
        if refusal is not None:
            return refusal
    if cost <= 0:
        # 13.c: a move or a removal that fails the risk check causes a warning, not a refusal (Clearwater).
        return None
    total = game.staked + cost
    if total > limits.total_most:
        assert limits.limits.total.most is not None
        return total_over_maximum(total, limits.limits.total.most, limits.limits)
    refusal = None
    if cost > terminal.credit + coming or terminal.loss_limit is not None:
        refusal = _not_affordable(seat, cost, clause, coming)
    check = seat.table.rulebook.risk
    return refusal or (None if check is None else _risk_objection(seat, change, total, check))


def _not_affordable(seat: GameAtTerminal, cost: int, clause: ClauseId | None, coming: int) -> Refusal | None:
    """Refuse what costs more than the credit, or than the player's own limit leaves."""
    terminal = seat.terminal
    if cost > terminal.credit + coming:
        return credit_short(seat, cost, clause)
    return None if terminal.loss_limit is None else loss_objection(terminal, terminal.loss_limit, cost - coming)


def loss_objection(terminal: Terminal, limit: int, cost: int) -> Refusal | None:
    """Refuse stakes by which the player could lose more in this session than the player's own limit."""
    left = limit - terminal.at_risk
    if cost <= left:
        return None
    left = max(0, left)
    message = f"Your own limit for this session leaves {amount_text(left)} to bet."
    return refuse(Code.OWN_LIMIT, None, message, limit=limit, left=left)


def restricted(table: Table, spots: Iterable[SpotKey]) -> Refusal | None:
    """8(a)i: a player with such an arrangement may bet straight up only (Adelaide)."""
    kinds = table.payouts.spots
    other = next((spot for spot in spots if spot not in kinds or kinds[spot].kind is not SpotKind.STRAIGHT), None)
    if other is None:
        return None
    clause, message = table.rulebook.restriction, f"By arrangement this player bets straight up only, not on {other}."
    return refuse(Code.KIND_NOT_PRICED, clause, message, spot=other, why="arrangement")


def _limit_objection(seat: GameAtTerminal, change: StakeChange) -> Refusal | None:
    """Refuse the first stake outside its bounds; below the minimum only if the rules refuse that at once."""
    terminal, game = seat.terminal, seat.game
    ranges, limits = game.effective_limits.ranges, game.effective_limits.limits
    if terminal.channel.under_minimum.choice is not UnderMinimum.RETURN_AT_CLOSE:
        for spot, stake in zip(*change, strict=True):
            least = ranges[spot].least
            if least is not None and 0 < stake < least:
                return under_minimum(spot, stake, least, limits)
    for spot, stake in zip(*change, strict=True):
        most = ranges[spot].most
        if most is not None and stake > most and stake > game.bets.get(spot, 0):
            return over_maximum(spot, stake, most, limits)
    return None


def _risk_objection(seat: GameAtTerminal, change: StakeChange, total: int, check: RiskCheck) -> Refusal | None:
    """13.a: the return on the best pocket must exceed the total stake by a margin."""
    game, unit = seat.game, seat.terminal.denomination
    # With one stake that grows, the best return does not fall: mostly it is high enough as it is.
    if len(change[0]) == 1 and game.best - total >= check.threshold(total, credit=unit):
        return None
    felt, bets = seat.table.payouts, game.bets
    returns = game.returns.copy() or [0] * felt.pockets
    for spot, stake in zip(*change, strict=True):
        gross, covers = felt.yields[spot]
        back = (stake - bets.get(spot, 0)) * gross
        for place in covers:
            returns[place] += back
    return _risk(seat, total, max(returns), check)


def _risk(seat: GameAtTerminal, total: int, best: int, check: RiskCheck) -> Refusal | None:
    unit = seat.terminal.denomination
    if best - total >= check.threshold(total, credit=unit):
        return None
    exposure = Exposure(Cents(total), {seat.table.rulebook.pockets[0]: Cents(best)})
    return check.objection(exposure, credit=Cents(unit))


def stakes_after(seat: GameAtTerminal, stakes: Stakes) -> Refusal | None:
    """Apply the risk check to a layout as it is."""
    check = seat.table.rulebook.risk
    if check is None or not stakes:
        return None
    return _risk(seat, sum(stakes.values()), seat.table.payouts.best(stakes), check)


def below_minimum_spots(seat: GameAtTerminal) -> tuple[SpotKey, ...]:
    """List the spots below their minimum: they show red, and their stakes are returned at the close."""
    bets, limits = seat.game.bets, seat.game.effective_limits
    if not limits.least or not bets or min(bets.values()) >= limits.least:
        return ()
    ranges = limits.ranges
    return tuple(spot for spot, stake in bets.items() if stake < (ranges[spot].least or 0))


def warned(seat: GameAtTerminal, reds: Sequence[SpotKey]) -> bool:
    """Check whether the layout causes a warning: it fails the risk check with or without its red chips (13.c)."""
    game, check = seat.game, seat.table.rulebook.risk
    if check is None or not game.bets:
        return False
    if _risk(seat, game.staked, game.best, check) is not None:
        return True
    if not reds:
        return False
    return stakes_after(seat, {spot: stake for spot, stake in game.bets.items() if spot not in reds}) is not None
