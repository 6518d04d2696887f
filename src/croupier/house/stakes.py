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


def change_bets(
    house: House, game: Position, how: BetChange, stakes: tuple[tuple[SpotKey, ...], tuple[int, ...]], now: Instant
) -> BetStep:
    """Set the amount on each of some spots, paid from or returned to credit, and record the step."""
    (spots, amounts), bets, before, cost = stakes, game.bets, [], 0
    for place, spot in enumerate(spots):
        was, after = bets.get(spot, 0), amounts[place]
        before.append(was)
        if after:
            bets[spot] = after
        else:
            del bets[spot]
        cost += after - was
    step = BetStep(now, how, spots, tuple(before), amounts, game.auto_copied, game.spread)
    game.steps.append(step)
    game.staked += cost
    seat = game.seat
    seat.terminal.credit -= cost
    house.ledger.post(cost, source=_CREDIT, target=_STAKES)
    if seat.table.rulebook.risk is not None:
        felt = seat.table.payouts
        for place, spot in enumerate(spots):
            _expect(game, felt, spot, amounts[place] - before[place])
    return step


def _expect(game: Position, felt: PayoutTable, spot: SpotKey, stake: int) -> None:
    """Update the total return of the chips on each pocket."""
    if not game.returns:
        game.returns = [0] * felt.pockets
    returns, back, covers = game.returns, stake * felt.gross[spot], felt.covers[spot]
    for place in covers:
        returns[place] += back
    # A stake that grows can only raise the best return, on a pocket that its spot covers.
    game.best = max(returns) if back < 0 else max(game.best, *[returns[place] for place in covers])


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
    game.returns, game.best = [], 0
    if table.rulebook.risk is not None:
        for spot, stake in stakes.items():
            _expect(game, table.payouts, spot, stake)


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


def spots_of(seat: GameAtTerminal, bets: Iterable[tuple[str, int]]) -> Stakes | Refusal:
    """Convert bets to the resulting stake on each spot; calls are split into their pieces."""
    spots, lying, unit = seat.table.payouts.spots, seat.game.bets, seat.terminal.denomination
    stakes: Stakes = {}
    for on, amount in bets:
        spot = spots.get(on)
        if spot is None or amount <= 0 or amount % unit:
            return _read(seat, bets)
        key = spot.key
        stakes[key] = (stakes[key] if key in stakes else lying.get(key, 0)) + amount
    return stakes or refuse(Code.NOTHING_THERE, seat.table.rulebook.cited_clauses[CitedTopic.BETS], "No bet is named.")


def _read(seat: GameAtTerminal, bets: Iterable[tuple[str, int]]) -> Stakes | Refusal:
    """Split calls into pieces, and find the first error by precedence: the spot, then the amount."""
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
    return first_of(objections) or stakes


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


def objection(seat: GameAtTerminal, stakes: Stakes, clause: ClauseId | None = None, coming: int = 0) -> Refusal | None:
    """Refuse stakes that these spots cannot take; `clause` is cited if credit is insufficient.

    Credits that return in the same batch can be spent too.
    """
    terminal, game, table = seat.terminal, seat.game, seat.table
    if terminal.straight_only:
        restricted = _restricted(table, stakes)
        if restricted is not None:
            return restricted
    bets, limits, cost, outside = game.bets, game.effective_limits, 0, False
    ranges = limits.ranges
    for spot, stake in stakes.items():
        bounds, added = ranges[spot], stake - bets.get(spot, 0)
        least, most = bounds.least, bounds.most
        cost += added
        if (least is not None and 0 < stake < least) or (most is not None and stake > most and added > 0):
            outside = True
    if outside:
        refusal = _limit_objection(seat, stakes)
        if refusal is not None:
            return refusal
    total = game.staked + cost
    most = limits.limits.total.most
    if most is not None and total > most and cost > 0:
        return total_over_maximum(total, most, limits.limits)
    if cost > terminal.credit + coming:
        return credit_short(seat, cost, clause)
    check = table.rulebook.risk
    # 13.c: a move or a removal that fails the risk check causes a warning, not a refusal (Clearwater).
    if check is None or cost <= 0:
        return None
    return _risk_objection(seat, stakes, total, check)


def _restricted(table: Table, stakes: Stakes) -> Refusal | None:
    """8(a)i: a player with such an arrangement may bet straight up only (Adelaide)."""
    other = next((spot for spot in stakes if table.payouts.spots[spot].kind is not SpotKind.STRAIGHT), None)
    if other is None:
        return None
    clause, message = table.rulebook.restriction, f"By arrangement this player bets straight up only, not on {other}."
    return refuse(Code.KIND_NOT_PRICED, clause, message, spot=other)


def _limit_objection(seat: GameAtTerminal, stakes: Stakes) -> Refusal | None:
    """Refuse the first stake outside its bounds; below the minimum only if the rules refuse that at once."""
    terminal, game = seat.terminal, seat.game
    ranges, limits = game.effective_limits.ranges, game.effective_limits.limits
    if terminal.channel.under_minimum.choice is not UnderMinimum.RETURN_AT_CLOSE:
        for spot, stake in stakes.items():
            least = ranges[spot].least
            if least is not None and 0 < stake < least:
                return under_minimum(spot, stake, least, limits)
    for spot, stake in stakes.items():
        most = ranges[spot].most
        if most is not None and stake > most and stake > game.bets.get(spot, 0):
            return over_maximum(spot, stake, most, limits)
    return None


def _risk_objection(seat: GameAtTerminal, stakes: Stakes, total: int, check: RiskCheck) -> Refusal | None:
    """13.a: the return on the best pocket must exceed the total stake by a margin."""
    game, table = seat.game, seat.table
    felt, bets = table.payouts, game.bets
    if len(stakes) == 1:
        # As above: a pocket that the spot covers, or the best one so far.
        ((spot, stake),) = stakes.items()
        before, back = game.returns, (stake - bets.get(spot, 0)) * felt.gross[spot]
        here = max([before[place] for place in felt.covers[spot]]) if before else 0
        return _risk(seat, total, max(game.best, here + back), check)
    returns = game.returns.copy() or [0] * felt.pockets
    for spot, stake in stakes.items():
        back = (stake - bets.get(spot, 0)) * felt.gross[spot]
        for place in felt.covers[spot]:
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
