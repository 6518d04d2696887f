"""The seal: the close of betting, what goes back unplayed, the seal with its digest, and what is copied on."""

import hashlib
from collections.abc import Iterator, Mapping

import msgspec

from croupier.house.answer import Events, Evolvers
from croupier.house.copying import auto_copies
from croupier.house.event.play import BetsReturned, Return
from croupier.house.event.round import BetsClosing, BetsSealed, CloseReason
from croupier.house.felt import Stakes
from croupier.house.name import TerminalId
from croupier.house.stamp import Stamp
from croupier.house.state import House
from croupier.house.table import Betting, Round, Table
from croupier.house.wager import Seat, red, warned
from croupier.rules.clause import ClauseId
from croupier.rules.procedure import TerminalLoss


def close_events(house: House, table: Table, why: CloseReason, clause: ClauseId, stamp: Stamp) -> Events:
    """Close and seal in one batch: from the first of these events on every change is refused."""
    round_ = table.playing
    returns = tuple(event for seat in seats(house, table) for event in _goes_back(seat, round_))
    sealed = _left(house, table, returns)
    staked = sum(sum(stakes.values()) for stakes in sealed.values())
    seal = BetsSealed(table.id, round_.number, round_.spin, len(sealed), staked, layouts_digest(sealed))
    closing = BetsClosing(table.id, round_.number, why, clause)
    # 12.b: auto copy takes what the source seals.
    return (closing, *returns, seal, *auto_copies(house, table, sealed, stamp))


def seats(house: House, table: Table) -> Iterator[Seat]:
    """Go through the terminals that have chips on this table."""
    for terminal_id in table.terminals:
        terminal = house.terminals[terminal_id]
        game = terminal.games[table.id]
        if game.bets:
            yield Seat(terminal, game, table)


def _goes_back(seat: Seat, round_: Round) -> Iterator[BetsReturned]:
    """Say which chips are not played, in the order of the rules; each step only where the one before left chips."""
    terminal, game, table = seat.terminal, seat.game, seat.table
    rulebook, limits = table.rulebook, game.terms.limits
    every, reds = tuple(game.bets), red(seat)
    here = (terminal.id, table.id, round_.number)
    loss = rulebook.procedure.terminal_loss
    if terminal.lost_at is not None and loss.does is TerminalLoss.RELEASE_AT_CLOSE:
        yield BetsReturned(*here, Return.DARK_AT_CLOSE, loss.clause, every)
        return
    if rulebook.risk is not None and warned(seat):
        clause = rulebook.risk.warning_clause
        yield BetsReturned(*here, Return.TOO_LITTLE_RISK, clause, every)
        return
    if reds:
        yield BetsReturned(*here, Return.UNDER_MINIMUM, limits.under_clause, reds)
    rest = tuple(spot for spot in every if spot not in reds)
    if rest and sum(game.bets[spot] for spot in rest) < (limits.total.least or 0):
        clause = limits.total_under_clause or limits.under_clause
        yield BetsReturned(*here, Return.UNDER_TOTAL, clause, rest)


def _left(house: House, table: Table, returns: tuple[BetsReturned, ...]) -> dict[TerminalId, Stakes]:
    """Tell what lies on every layout once these chips have gone back."""
    gone: dict[TerminalId, set[str]] = {}
    for event in returns:
        gone.setdefault(event.terminal, set()).update(event.spots)
    left = {}
    for seat in seats(house, table):
        away = gone.get(seat.terminal.id)
        bets = seat.game.bets
        stakes = bets if away is None else {spot: stake for spot, stake in bets.items() if spot not in away}
        if stakes:
            left[seat.terminal.id] = stakes
    return left


def layouts_digest(sealed: Mapping[TerminalId, Stakes]) -> str:
    """Fingerprint the layouts of all terminals, whatever the order in which chips were placed."""
    listed = [(terminal, sorted(sealed[terminal].items())) for terminal in sorted(sealed)]
    return hashlib.sha256(msgspec.json.encode(listed)).hexdigest()


def bets_closing(house: House, event: BetsClosing, stamp: Stamp) -> None:
    round_ = house.tables[event.table].playing
    round_.betting = Betting.CLOSED
    round_.closed_at = stamp.now
    round_.closes_at = round_.launches_at = None


def bets_sealed(house: House, event: BetsSealed, _stamp: Stamp) -> None:
    table = house.tables[event.table]
    round_ = table.playing
    round_.sealed = {seat.terminal.id: seat.game.bets for seat in seats(house, table)}
    round_.digest = event.digest
    round_.sessions = {each: house.terminals[each].session for each in round_.sealed}
    assert layouts_digest(round_.sealed) == event.digest
    for terminal_id in table.terminals:
        terminal = house.terminals[terminal_id]
        game = terminal.games[table.id]
        terminal.meters.turnover += game.staked
        game.stayed = {}
        if terminal.ghost is not None and terminal.ghost.table == table.id:
            terminal.ghost = None
    table.meters.turnover += event.staked


EVOLVERS: Evolvers = {BetsClosing: bets_closing, BetsSealed: bets_sealed}
