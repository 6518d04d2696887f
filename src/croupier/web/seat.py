"""Seats: what a terminal is told of itself, whole or as far as it has changed."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from msgspec import UNSET, UnsetType

from croupier.house.betting import growth
from croupier.house.event.play import BetsChanged
from croupier.house.felt import Stakes
from croupier.house.name import TableId, TerminalId
from croupier.house.service import hold_clause, out_of_service
from croupier.house.session import session_of
from croupier.house.state import House
from croupier.house.table import Table
from croupier.house.terminal import Game as Playing
from croupier.house.terminal import Spread, Terminal
from croupier.house.views import is_idle, kind_limits, terminal_view
from croupier.house.wager import Seat, red, warned
from croupier.rules.limits import UnderMinimum
from croupier.rules.procedure import ChannelName, CreditIn
from croupier.rules.rulebook import Rulebook
from croupier.web.seatdata import (
    Cited,
    Fixture,
    Game,
    Hold,
    Idle,
    KindLimits,
    Neighbours,
    SeatState,
    Session,
)

# Looked up once, as every chip comes past here: to find a member of an enumeration takes 0.1 µs each time.
_RETURN_AT_CLOSE: Final = UnderMinimum.RETURN_AT_CLOSE


def fixture(house: House, name: TerminalId, felt: str, break_minutes: int) -> Fixture:
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
        tickets=any(ruling.does is CreditIn.TICKETS for ruling in terminal.channel.credit_in),
        table_ids=tuple(terminal.games),
        break_minutes=break_minutes,
    )


def served(house: House, name: TerminalId) -> SeatState:
    """Tell whether a terminal is in service, and nothing else."""
    terminal = house.terminals[name]
    refusal = out_of_service(house, terminal, house.rulebook_at(terminal))
    cited = None if refusal is None else Cited(refusal.says, refusal.clause)
    return SeatState(in_service=refusal is None, out_of_service=cited)


def whole(house: House, name: TerminalId, *, limits: bool = False) -> SeatState:
    """Tell all that a terminal shows of itself; its limits too, where it does not know them yet."""
    terminal = house.terminals[name]
    rulebook = house.rulebook_at(terminal)
    refusal = out_of_service(house, terminal, rulebook)
    return SeatState(
        credit=terminal.credit,
        denomination=terminal.denomination,
        held=terminal.held,
        holds=tuple(Hold(hold.amount, hold_clause(rulebook)) for hold in terminal.holds.values()),
        in_service=refusal is None,
        out_of_service=None if refusal is None else Cited(refusal.says, refusal.clause),
        messages=tuple(terminal.messages),
        session=Session(*session_of(house, terminal)),
        patterns={str(slot): dict(pattern) for slot, pattern in terminal.patterns.items()},
        games={table: game(house, name, table, limits=limits) for table in terminal.games},
    )


def game(house: House, name: TerminalId, table: TableId, *, limits: bool = False) -> Game:
    """Tell all that a terminal shows of one of its games."""
    view = terminal_view(house, name, table, house.now)
    playing, at = house.terminals[name].games[table], house.tables[table]
    round_ = at.round
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
        limits=_limits(house, name, table) if limits else UNSET,
        neighbours=_neighbours(playing, at),
        idle=_idle(playing, at),
    )


def _limits(house: House, name: TerminalId, table: TableId) -> tuple[KindLimits, ...]:
    limits = kind_limits(house, name, table)
    return tuple(KindLimits(kind, each.least, each.most, each.win) for kind, each in limits.items())


def _neighbours(playing: Playing, table: Table) -> Neighbours | UnsetType | None:
    """Tell what the Neighbors button does next; nothing of it where there is none."""
    if table.rulebook.neighbours_button is None:
        return UNSET
    return None if playing.spread is None else _next_press(table.rulebook, playing.spread)


@lru_cache(maxsize=4_096)
def _next_press(rulebook: Rulebook, spread: Spread) -> Neighbours:
    """Work out a press of the button; kept, as it is told with every chip that is moved and is the same for most."""
    button = rulebook.neighbours_button
    assert button is not None
    adds = growth(rulebook.wheel, button, spread)
    return Neighbours(spread.pocket, button.spread(times=spread.presses + 1), adds)


def _idle(playing: Playing, table: Table) -> Idle | None:
    figure = table.rulebook.terminal.idle_spins
    if figure is None or not is_idle(playing, figure.figure):
        return None
    return Idle(playing.idle_spins, figure.clause)


def played(house: House, name: TerminalId, events: Sequence[BetsChanged]) -> SeatState:
    """Tell what a player's commands have changed: the spots they touched, and what follows from them."""
    terminal, first = house.terminals[name], events[0]
    stakes = {first.table: dict(first.stakes)}
    if len(events) > 1:
        for event in events:
            stakes.setdefault(event.table, {}).update(event.stakes)
    games = {}
    for table, lying in stakes.items():
        games[table] = _touched(terminal, house.tables[table], lying)
    return SeatState(credit=terminal.credit, games=games)


def _touched(terminal: Terminal, table: Table, stakes: Stakes) -> Game:
    playing, rulebook = terminal.games[table.id], table.rulebook
    risk = rulebook.risk
    shows_red = terminal.channel.under_minimum.does is _RETURN_AT_CLOSE
    if not shows_red and risk is None and rulebook.neighbours_button is None:
        return Game(stakes=stakes, staked=playing.staked, idle=_touched_idle(playing, table))
    seat = Seat(terminal, playing, table)
    warning = risk.warning if risk is not None and warned(seat) else ""
    return Game(
        stakes=stakes,
        staked=playing.staked,
        red=red(seat),
        warning=warning,
        neighbours=_neighbours(playing, table),
        idle=_touched_idle(playing, table),
    )


def _touched_idle(playing: Playing, table: Table) -> Idle | UnsetType | None:
    """Tell that a bet has ended an alert, or that it is there again; nothing of it where there was none."""
    figure = table.rulebook.terminal.idle_spins
    return UNSET if figure is None or playing.idle_spins < figure.figure else _idle(playing, table)
