"""Seats: what a terminal is told of itself, whole or as far as it has changed."""

from collections.abc import Iterable

from croupier.house.name import TableId, TerminalId
from croupier.house.state import House
from croupier.house.terminal import Terminal
from croupier.house.views import terminal_view
from croupier.house.wager import Seat, red, warned
from croupier.rules.limits import UnderMinimum
from croupier.rules.procedure import ChannelName
from croupier.rules.spot import SpotKey
from croupier.web.outgoing import Fixture, Game, SeatState


def fixture(house: House, name: TerminalId, felt: str) -> Fixture:
    """Tell what a terminal offers."""
    terminal = house.terminals[name]
    rulebook, settings = house.rulebook_at(terminal), terminal.settings
    return Fixture(
        terminal=name,
        currency=rulebook.currency,
        felt=felt,
        practice=ChannelName.TERMINAL not in rulebook.channels,
        denominations=settings.denominations,
        chips=settings.chips,
        notes=settings.notes,
    )


def whole(house: House, name: TerminalId) -> SeatState:
    """Tell all that a terminal shows of itself."""
    terminal = house.terminals[name]
    return SeatState(
        credit=terminal.credit,
        denomination=terminal.denomination,
        held=terminal.held,
        in_service=not terminal.closed and terminal.case is None,
        messages=tuple(terminal.messages),
        patterns={str(slot): dict(pattern) for slot, pattern in terminal.patterns.items()},
        games={table: game(house, name, table) for table in terminal.games},
    )


def game(house: House, name: TerminalId, table: TableId) -> Game:
    """Tell all that a terminal shows of one of its games."""
    view = terminal_view(house, name, table, house.now)
    playing, round_ = house.terminals[name].games[table], house.tables[table].round
    return Game(
        bets=dict(view.bets),
        staked=view.staked,
        won=view.won,
        red=view.red,
        ghosts=dict(view.ghosts),
        warning=view.warning,
        auto_copy_to=playing.auto_copy_to,
        sealed=None if round_ is None or round_.over or round_.sealed is None else round_.number,
        spot_least=view.spot_least,
        spot_most=view.spot_most,
        total_least=view.total_least,
        total_most=view.total_most,
    )


def touched(house: House, terminal: Terminal, table: TableId, spots: Iterable[SpotKey]) -> Game:
    """Tell what a player's command has changed: the spots it touched, and what follows from them."""
    playing, at = terminal.games[table], house.tables[table]
    bets = playing.bets
    stakes = {spot: bets.get(spot, 0) for spot in spots}
    shows_red, risk = terminal.channel.under_minimum.does is UnderMinimum.RETURN_AT_CLOSE, at.rulebook.risk
    if not shows_red and risk is None:
        return Game(stakes=stakes, staked=playing.staked)
    seat = Seat(terminal, playing, at)
    warning = risk.warning if risk is not None and warned(seat) else ""
    return Game(stakes=stakes, staked=playing.staked, red=red(seat), warning=warning)
