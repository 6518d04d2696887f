"""Views: a terminal's screen, derived from the state; they contain nothing that predicts the running game."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from croupier.house.ids import SECOND, Instant, RoundNumber, TableId, TerminalId
from croupier.house.play.stakes import below_minimum_spots, warned
from croupier.house.settings import EffectiveLimits
from croupier.house.state.tables import GameAtTerminal, Phase, Position, Round, SeatMessage, Table, Terminal
from croupier.rules.geometry import STRAIGHT, Pocket, SpotKey, SpotKind
from croupier.rules.limits import Range
from croupier.rules.money import Cents
from croupier.rules.pricing import Price
from croupier.rules.procedure import MessageKind
from croupier.rules.rulebook import Rulebook

if TYPE_CHECKING:
    from croupier.house import House


class SpotLimits(msgspec.Struct, frozen=True):
    """A spot's minimum, maximum and greatest return, stake included; None means no bound."""

    least: Cents | None
    most: Cents | None
    win: Cents | None


class TerminalView(msgspec.Struct, frozen=True, kw_only=True):
    """One game on a terminal's screen."""

    terminal: TerminalId
    table: TableId
    round: RoundNumber
    spin: int
    phase: Phase
    #: The words that the rules fix for this moment, or an empty string.
    message: str
    #: Whole seconds until betting closes, if that is timed.
    seconds_left: int | None
    credit: int
    #: The same in credits, and the remainder that is less than a whole credit.
    credits: int
    residual: int
    staked: int
    won: int
    bets: tuple[tuple[SpotKey, int], ...]
    #: Spots below their minimum, which show red.
    red: tuple[SpotKey, ...]
    ghosts: tuple[tuple[SpotKey, int], ...]
    #: The warning about bets that must be changed before the close.
    warning: str
    spot_least: Cents | None
    spot_most: Cents | None
    total_least: Cents | None
    total_most: Cents | None
    #: Numbers of past spins, the newest first, and the number to highlight now.
    numbers: tuple[Pocket, ...]
    highlighted: Pocket | None
    held: int
    in_service: bool
    messages: tuple[SeatMessage, ...]


def terminal_view(house: House, terminal_id: TerminalId, table_id: TableId, now: Instant) -> TerminalView:
    """Build the view of one of a terminal's games."""
    terminal, table = house.terminals[terminal_id], house.tables[table_id]
    game, round_, check = terminal.games[table_id], table.round, table.rulebook.risk
    seat = game.seat
    red = below_minimum_spots(seat)
    limits = game.effective_limits.limits
    return TerminalView(
        terminal=terminal_id,
        table=table_id,
        round=table.rounds,
        spin=1 if round_ is None else round_.spin.number,
        phase=table.phase,
        message=table_message(table),
        seconds_left=_seconds_left(round_, now),
        credit=terminal.credit,
        credits=terminal.credit // terminal.denomination,
        residual=terminal.credit % terminal.denomination,
        staked=game.staked,
        won=game.won,
        bets=tuple(game.bets.items()),
        red=red,
        ghosts=_ghosts(terminal, table_id),
        warning=check.warning if check is not None and warned(seat, red) else "",
        spot_least=limits.headline.least,
        spot_most=limits.headline.most,
        total_least=limits.total.least,
        total_most=limits.total.most,
        numbers=table.numbers[: table.settings.history_shown],
        highlighted=None if round_ is None or round_.invalidated else round_.pocket,
        held=terminal.held_total,
        in_service=not terminal.closed and terminal.case is None,
        messages=tuple(terminal.messages),
    )


def table_message(table: Table) -> str:
    """Return the words that the rules fix for the table's current moment."""
    occasion = _OCCASIONS.get(table.phase)
    round_ = table.round
    if round_ is not None and round_.phase is Phase.BETWEEN and round_.pocket is None:
        occasion = MessageKind.NO_SPIN
    return prescribed_text(table, occasion) if occasion else ""


def prescribed_text(table: Table, occasion: MessageKind) -> str:
    """Return the words that the rules fix for an occasion, or of several those that the table was set up with."""
    message = table.rulebook.messages.get(occasion)
    if message is None:
        return ""
    return (table.settings.open_text if occasion is MessageKind.OPEN else None) or message.texts[0]


_OCCASIONS = {
    Phase.OPEN: MessageKind.OPEN,
    Phase.OPEN_RUNNING: MessageKind.OPEN,
    Phase.LAST_CALL: MessageKind.FINISH_BETTING,
    Phase.CLOSED: MessageKind.CLOSED,
    Phase.RUNNING: MessageKind.CLOSED,
    Phase.AT_REST: MessageKind.CLOSED,
    Phase.SUSPENDED: MessageKind.CLOSED,
    Phase.NO_SPIN: MessageKind.NO_SPIN,
}


def _seconds_left(round_: Round | None, now: Instant) -> int | None:
    if round_ is None or round_.closes_at is None:
        return None
    return max(0, -(-(round_.closes_at - now) // SECOND))


def _ghosts(terminal: Terminal, table: TableId) -> tuple[tuple[SpotKey, int], ...]:
    ghost = terminal.ghost
    return ghost.stakes if ghost is not None and ghost.table == table else ()


def kind_limits(rulebook: Rulebook, effective: EffectiveLimits, *, net: bool) -> dict[SpotKind, SpotLimits]:
    """Return the limits of every kind of bet, with its greatest win: with the stake, or net of it."""
    best = rulebook.paytable.highest_price
    return {kind: _with_win(effective.limits.of(kind), best(kind), net=net) for kind in rulebook.prices}


def _with_win(bounds: Range, price: Price, *, net: bool) -> SpotLimits:
    most = bounds.most
    return SpotLimits(bounds.least, most, None if most is None else Cents(price.won(most) + (0 if net else most)))


def notice(house: House, terminal_id: TerminalId, table_id: TableId) -> tuple[tuple[str, int | str], ...]:
    """List the bets that a player may make, with their odds to one: the whole paytable, or those of an arrangement."""
    straight_only = house.terminals[terminal_id].games[table_id].straight_only
    prices = house.tables[table_id].rulebook.paytable.prices
    return tuple((price.label, price.odds) for kind, price in prices.items() if kind == STRAIGHT or not straight_only)


def idle(house: House, table_id: TableId) -> tuple[TerminalId, ...]:
    """List the terminals that have sat out as many valid spins as the rules permit without a notice."""
    table = house.tables[table_id]
    figure = table.rulebook.terminal.idle_spins
    if figure is None:
        return ()
    return tuple(each for each in table.terminals if is_idle(house.terminals[each].games[table_id], figure.value))


def is_idle(game: Position, spins_most: int) -> bool:
    """Check whether a player has sat out the permitted number of spins; a bet on the layout resets this at once."""
    return game.idle_spins >= spins_most and not game.bets


def is_taken(terminal: Terminal) -> bool:
    """Check whether a terminal appears occupied: it has credit, a held win, or chips on a felt."""
    return bool(terminal.credit or terminal.held_total or any(game.bets for game in terminal.games.values()))


def below_minimum(seat: GameAtTerminal) -> bool:
    """Check whether chips are below a minimum: of their spot, or of all bets together."""
    least = seat.game.effective_limits.limits.total.least or 0
    return 0 < seat.game.staked < least or bool(below_minimum_spots(seat))
