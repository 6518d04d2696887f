"""Terminal view, recall and meters."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

from msgspec import UNSET, UnsetType

from croupier.house import House
from croupier.house.credit.sessions import session_figures
from croupier.house.floor.permissions import hold_clause, out_of_service
from croupier.house.ids import PositionId, TableId, TerminalId
from croupier.house.play.betting import BetsChanged, growth
from croupier.house.play.stakes import below_minimum_spots, warned
from croupier.house.settings import EffectiveLimits, TableSettings
from croupier.house.state.tables import BetStep, GameRecord, NeighboursPress, Position, SeatMessage, Table, Terminal
from croupier.house.views import is_idle, kind_limits, terminal_view
from croupier.protocol import terminal
from croupier.protocol.outbound import GamesResult, MetersResult, encode, project
from croupier.protocol.queries import AuditLine
from croupier.protocol.staff import LimitsRow
from croupier.protocol.terminal import (
    CallView,
    Cited,
    Fixture,
    GameView,
    HeldWinView,
    Idle,
    KindLimits,
    MessageView,
    Neighbours,
    OwnLimitsView,
    PauseView,
    SeatState,
    SessionView,
    cited,
)
from croupier.rules.geometry import SpotKey
from croupier.rules.limits import UnderMinimum
from croupier.rules.procedure import ChannelName, CreditIn
from croupier.rules.rulebook import PayoutTable, Rulebook, Stakes
from croupier.server.connection import BetsRow, Connection
from croupier.words import message_text

#: How many changed stakes of one past game are shown again step by step; those before are in what it starts from.
RECALL_MAX: Final = 1_000


def recall(house: House, name: TerminalId) -> GamesResult:
    """Return the last games of a terminal, the newest first."""
    return GamesResult(games=tuple(map(_game, reversed(house.terminals[name].recall))))


def _game(record: GameRecord) -> terminal.PlayedGame:
    early = _folded(record.steps)
    return project(
        terminal.PlayedGame,
        record,
        at_start=_fold(record.at_start, record.steps[:early]),
        steps=tuple(terminal.RecallStep(step.at, step.how, _after(step)) for step in record.steps[early:]),
    )


def _folded(steps: Sequence[BetStep]) -> int:
    """Return how many of the first steps are not shown one by one, when there are more than are sent."""
    early, stakes = len(steps), 0
    while early and stakes + len(steps[early - 1].spots) <= RECALL_MAX:
        early -= 1
        stakes += len(steps[early].spots)
    return early


def _after(step: BetStep) -> Stakes:
    """Return what lay on each spot that a step touched, after it."""
    return dict(zip(step.spots, step.after, strict=True))


def _fold(layout: Stakes, steps: Iterable[BetStep]) -> Stakes:
    """Return the stakes on a layout after some steps."""
    after = dict(layout)
    for step in steps:
        after.update(_after(step))
    return {spot: stake for spot, stake in after.items() if stake}


_RETURN_AT_CLOSE: Final = UnderMinimum.RETURN_AT_CLOSE


def seat_setup(house: House, name: TerminalId, felt: str, break_minutes: int) -> Fixture:
    """Return the offers of a terminal."""
    terminal = house.terminals[name]
    rulebook, settings = house.rulebook_at(terminal), terminal.settings
    return project(
        Fixture,
        settings,
        terminal=name,
        currency=rulebook.currency,
        felt=felt,
        practice=ChannelName.TERMINAL not in rulebook.channels,
        tickets=any(ruling.choice is CreditIn.TICKETS for ruling in terminal.channel.credit_in),
        table_ids=tuple(terminal.games),
        break_minutes=break_minutes,
    )


def served(house: House, name: TerminalId) -> SeatState:
    """Return only the service status of a terminal."""
    terminal = house.terminals[name]
    cited = _out_of_service(house, terminal)
    return SeatState(in_service=cited is None, out_of_service=cited)


def _out_of_service(house: House, terminal: Terminal) -> Cited | None:
    refusal = out_of_service(house, terminal, house.rulebook_at(terminal))
    return None if refusal is None else cited(refusal)


def seat_state(house: House, name: TerminalId, *, limits: bool = False) -> SeatState:
    """Return the whole state of a terminal; with its limits, if it does not have them yet."""
    terminal = house.terminals[name]
    rulebook = house.rulebook_at(terminal)
    cited = _out_of_service(house, terminal)
    return SeatState(
        credit=terminal.credit,
        denomination=terminal.denomination,
        held=terminal.held_total,
        holds=tuple(HeldWinView(hold.amount, hold_clause(rulebook)) for hold in terminal.holds.values()),
        in_service=cited is None,
        out_of_service=cited,
        messages=tuple(map(_message, terminal.messages)),
        session=SessionView(*session_figures(house, terminal)),
        own_limits=OwnLimitsView(terminal.loss_limit, terminal.time_limit),
        pause=None if terminal.pause is None else PauseView(terminal.pause, terminal.pause_until),
        call=None if terminal.call is None else CallView(terminal.call.reason, terminal.call.at),
        patterns={str(slot): dict(pattern) for slot, pattern in terminal.patterns.items()},
        games={table: game(house, name, table, limits=limits) for table in terminal.games},
    )


def _message(message: SeatMessage) -> MessageView:
    return MessageView(
        kind=message.kind,
        says=message_text(message),
        clause=message.clause,
        amount=message.amount,
        round=message.round,
        pocket=message.pocket,
        was=message.was,
        paid_before=message.paid_before,
        credit_before=message.credit_before,
        credit_after=message.credit_after,
    )


def game(house: House, name: TerminalId, table: TableId, *, limits: bool = False) -> GameView:
    """Return the whole state of one game of a terminal."""
    view = terminal_view(house, name, table, house.now)
    playing, at = house.terminals[name].games[table], house.tables[table]
    round_ = at.round
    return GameView(
        bets=dict(view.bets),
        staked=view.staked,
        won=view.won,
        net=playing.net,
        red=view.red,
        ghosts=dict(view.ghosts),
        warning=view.warning,
        auto_copy_to=playing.auto_copy_to,
        sealed=None if round_ is None or round_.over or round_.sealed is None else round_.number,
        spot_least=view.spot_least,
        spot_most=view.spot_most,
        total_least=view.total_least,
        total_most=view.total_most,
        limits=limits_by_kind(at.rulebook, at.settings, playing.effective_limits) if limits else UNSET,
        neighbours=_neighbours(at.payouts, playing.spread),
        repeats=bool(playing.previous),
        idle=_idle(playing, at),
    )


def limits_by_kind(rulebook: Rulebook, settings: TableSettings, effective: EffectiveLimits) -> tuple[KindLimits, ...]:
    """Return the limits of every kind of bet as a client receives them."""
    limits = kind_limits(rulebook, effective, net=settings.net_win)
    return tuple(KindLimits(kind, each.least, each.most, each.win) for kind, each in limits.items())


def _neighbours(felt: PayoutTable, spread: NeighboursPress | None) -> Neighbours | UnsetType | None:
    """Return the next effect of the Neighbors button; unset when there is no such button."""
    button = felt.rulebook.neighbours_button
    if button is None:
        return UNSET
    if spread is None:
        return None
    return Neighbours(spread.pocket, button.spread(times=spread.presses + 1), growth(felt, spread))


def _idle(playing: Position, table: Table) -> Idle | None:
    figure = table.rulebook.terminal.idle_spins
    if figure is None or not is_idle(playing, figure.value):
        return None
    return Idle(playing.idle_spins, figure.clause)


def limits_row(rulebook: Rulebook, settings: TableSettings, effective: EffectiveLimits) -> LimitsRow:
    """Return the effective limits of a table under a rulebook."""
    limits = effective.limits
    return LimitsRow(
        spot_least=limits.headline.least,
        spot_most=limits.headline.most,
        total_least=limits.total.least,
        total_most=limits.total.most,
        kinds=limits_by_kind(rulebook, settings, effective),
    )


def bets_row(house: House, rows: Sequence[BetsChanged], connection: Connection) -> BetsRow | None:
    """Return the next delta of a terminal after one command of its player; None when a row does not hold it all."""
    changed = rows[0]
    playing = house.positions[changed.position]
    if len(rows) > 1 or playing.idle_spins:
        return None
    seat = playing.seat
    terminal = seat.terminal
    return BetsRow(
        connection.version + 1,
        connection.last_cmd,
        terminal.credit,
        playing.table,
        changed.spots,
        changed.amounts,
        playing.staked,
        _more(playing) if _shows_more(terminal, seat.table.rulebook) else b"",
    )


def _more(playing: Position) -> bytes:
    """Encode what a bet may change besides the stakes. It is cached, as most bets of a player give the same."""
    seat = playing.seat
    red, table = below_minimum_spots(seat), seat.table
    return _encode_more(red, table.payouts, playing.spread, is_warned=warned(seat, red))


@lru_cache(maxsize=4_096)
def _encode_more(
    red: tuple[SpotKey, ...], felt: PayoutTable, spread: NeighboursPress | None, *, is_warned: bool
) -> bytes:
    risk = felt.rulebook.risk
    warning = risk.warning if risk is not None and is_warned else ""
    fields = encode(GameView(red=red, warning=warning, neighbours=_neighbours(felt, spread)))
    return b"," + fields.removeprefix(b"{").removesuffix(b"}")


def _shows_more(terminal: Terminal, rulebook: Rulebook) -> bool:
    """Return whether more than the stakes of a game may change with a command of its player."""
    return (
        terminal.channel.under_minimum.choice is _RETURN_AT_CLOSE
        or rulebook.risk is not None
        or rulebook.neighbours_button is not None
    )


def _was_idle(playing: Position, rulebook: Rulebook) -> bool:
    """Return whether a game had an alert that it was not played, which a bet ends."""
    figure = rulebook.terminal.idle_spins
    return figure is not None and playing.idle_spins >= figure.value


def seat_changes(house: House, name: TerminalId, rows: Sequence[BetsChanged]) -> SeatState:
    """Return the changes of a player's commands: the spots they touched, and what follows from them."""
    touched: dict[PositionId, Stakes] = {}
    for row in rows:
        stakes, amounts = touched.setdefault(row.position, {}), row.amounts
        for place, spot in enumerate(row.spots):
            stakes[spot] = amounts[place]
    games = {}
    for number, stakes in touched.items():
        position = house.positions[number]
        games[position.table] = _touched(position, stakes)
    return SeatState(credit=house.terminals[name].credit, games=games)


def _touched(playing: Position, stakes: Stakes) -> GameView:
    seat = playing.seat
    table = seat.table
    rulebook = table.rulebook
    risk = rulebook.risk
    # A bet ends an alert, or it is active again; unset when there was none.
    idle = _idle(playing, table) if _was_idle(playing, rulebook) else UNSET
    if not _shows_more(seat.terminal, rulebook):
        return GameView(stakes=stakes, staked=playing.staked, idle=idle)
    red = below_minimum_spots(seat)
    return GameView(
        stakes=stakes,
        staked=playing.staked,
        red=red,
        warning=risk.warning if risk is not None and warned(seat, red) else "",
        neighbours=_neighbours(table.payouts, playing.spread),
        idle=idle,
    )


#: The meters by name, with the sign of each in the sum.
_COUNTED: Final = (
    ("notes", 1),
    ("bought_in", 1),
    ("tickets_in", 1),
    ("tickets_back", 1),
    ("adjusted_in", 1),
    ("granted", 1),
    ("returned", 1),
    ("refunded", 1),
    ("turnover", -1),
    ("tickets_out", -1),
    ("hand_pays", -1),
    ("payables_paid", -1),
    ("adjusted_out", -1),
)


def self_audit(house: House, name: TerminalId, q: int) -> MetersResult:
    """Return a terminal's meters, their sum, and the money on it."""
    terminal = house.terminals[name]
    meters = _meters(terminal)
    by_meters = tuple(AuditLine(each, sign * meters[each]) for each, sign in _COUNTED)
    on_terminal = (
        AuditLine("credit", terminal.credit),
        AuditLine("unsealed", _unsealed(house, terminal)),
        AuditLine("held", terminal.held_total),
        AuditLine("receivable", -terminal.receivable),
        AuditLine("payable", terminal.payable),
    )
    difference = sum(line.amount for line in by_meters) - sum(line.amount for line in on_terminal)
    return MetersResult(
        q=q,
        terminal=name,
        meters=meters,
        notes={str(value): pieces for value, pieces in sorted(terminal.meters.notes.items())},
        by_meters=by_meters,
        on_terminal=on_terminal,
        difference=difference,
        sound=difference == 0,
    )


def _meters(terminal: Terminal) -> dict[str, int]:
    meters = terminal.meters
    notes = sum(value * pieces for value, pieces in meters.notes.items())
    named = {each: getattr(meters, each) for each, _ in _COUNTED if each != "notes"}
    return {"games": meters.games, "notes": notes, **named}


def _unsealed(house: House, terminal: Terminal) -> int:
    """Add up the chips that are in no spin yet."""
    rounds = {table: house.tables[table].round for table in terminal.games}
    open_ = (each for each, round_ in rounds.items() if round_ is None or round_.over or round_.sealed is None)
    return sum(terminal.games[each].staked for each in open_)
