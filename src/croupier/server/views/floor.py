"""Staff view of the floor."""

from asyncio import get_running_loop
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Final, NamedTuple

from msgspec import UNSET, Raw

from croupier.engine.ports import LoopClock
from croupier.engine.run import Run
from croupier.engine.slices import Slicer
from croupier.house import House
from croupier.house.blockers import NO_FACTS, Facts, awaited, table_blockers
from croupier.house.credit.drawers import CloseDrawer, DropDrawer, FillDrawer, PayPayable, payable_form
from croupier.house.credit.sessions import is_spent
from croupier.house.credit.tickets import ReleaseTicket, ReprintTicket, VoidTicket
from croupier.house.declare import COMMANDS, EVENTS, Part
from croupier.house.floor.permissions import hold_clause, titles_for
from croupier.house.floor.settings import channel_of, pending_settings
from croupier.house.ids import SECOND, DeviceKind, Instant, TableId, TerminalId
from croupier.house.rounds.results import ObservedSpin
from croupier.house.rounds.theory import combined_stakes, theory
from croupier.house.settings import EffectiveLimits, TableSettings, WheelKind, effective_limits
from croupier.house.state.tables import HeldWin, Round, Table, Terminal
from croupier.house.views import below_minimum, is_idle, is_taken
from croupier.protocol.outbound import encode, floor_frame, project
from croupier.protocol.staff import (
    BlockerRow,
    DebtRow,
    DeviceRow,
    DrawerRow,
    EquipmentRow,
    ExposureRow,
    FloorState,
    FloorTable,
    HoldRow,
    IncidentRow,
    LimitsInForce,
    ProposalRow,
    RoundRow,
    RulebookRow,
    SeatRow,
    SightingRow,
    TableTerms,
    TableWin,
)
from croupier.rules.pricing import highest_multiples
from croupier.rules.procedure import Duty
from croupier.rules.refusal import CitedTopic
from croupier.rules.rulebook import PayoutTable, Rulebook
from croupier.server.connection import ConnectedDevices, Connection
from croupier.server.events import ViewChanges
from croupier.server.views.actions import first_needs, incident_facts
from croupier.server.views.live import chip_stakes
from croupier.server.views.seat import limits_row
from croupier.server.views.table import safe_to_spin, steps
from croupier.words import blocker_text, incident_text, remedy_text

#: How often staff consoles are sent what has changed, at most.
FLOOR_EVERY: Final = SECOND // 4
#: How many pending items are listed at the pit; of those beyond only the number is sent.
NEEDS_MAX: Final = 100
#: How many open incidents a console is sent: the newest.
INCIDENTS_MAX: Final = 100
#: How many held wins are listed at a console; of those beyond only the number is sent.
HOLDS_MAX: Final = 100
#: How many receivables and payables are listed at a console; of those beyond only the number is sent.
DEBTS_MAX: Final = 50


def adopted_rulebooks(house: House) -> tuple[RulebookRow, ...]:
    return tuple(map(_row, house.rulebooks.values()))


def _row(book: Rulebook) -> RulebookRow:
    return project(
        RulebookRow,
        book,
        rulebook=book.id,
        titles={
            kind.__name__: titles_for((book,), each.permission.duties)
            for kind, each in COMMANDS.items()
            if each.permission.duties
        },
    )


#: How the band is computed, for its readers.
METHOD: Final = (
    "The win that the odds let expect of the very bets that were settled, and 1.96 standard deviations on either "
    "side: both exact by the paytable, round by round. After many rounds chance alone stays within 95 times in 100."
)


def table_win(table: Table) -> TableWin:
    meters, by_odds = table.meters, theory(table)
    return project(
        TableWin,
        by_odds,
        turnover=meters.turnover,
        won=meters.won,
        rounds=meters.rounds,
        held=by_odds.won,
        method=METHOD,
    )


def exposure(house: House, table: Table) -> ExposureRow:
    """Return what the bets of a table return on every pocket, and the pockets with the highest return."""
    terminals = (house.terminals[each].games[table.id].bets for each in table.terminals)
    lying = combined_stakes((*terminals, *chip_stakes(house, table)))
    staked, returns = sum(lying.values()), exposed_felt(house, table).returns(lying)
    most = max(returns)
    pockets = table.rulebook.pockets
    worst = tuple(pocket for pocket, back in zip(pockets, returns, strict=True) if back == most) if most else ()
    return ExposureRow(staked=staked, returns=dict(zip(pockets, returns, strict=True)), most=most, worst=worst)


def exposed_felt(house: House, table: Table) -> PayoutTable:
    """Return the payouts of the worst case: with the multiples that were drawn or, before that, the highest ones."""
    round_ = table.round
    if round_ is not None and round_.multiples and not round_.over:
        return house.felt_of(round_)
    return table.payouts.drawn(highest_multiples(table.rulebook.paytable, table.rulebook.wheel))


def table_terms(house: House, name: TableId) -> TableTerms:
    """Return the rules and limits in force at a table, and those from the next round if they differ."""
    table = house.tables[name]
    changes = table.next_settings is not None or table.next_rulebook is not None
    rulebook, settings = pending_settings(house, table)
    new = effective_limits(rulebook, channel_of(rulebook), settings.limits)
    return TableTerms(
        now=_in_force(table.rulebook, table.settings, table.effective_limits),
        next=_in_force(rulebook, settings, new) if changes else None,
    )


def _in_force(rulebook: Rulebook, settings: TableSettings, effective: EffectiveLimits) -> LimitsInForce:
    return LimitsInForce(
        rulebook=rulebook.id,
        digest=rulebook.digest,
        settings=settings,
        limits=limits_row(rulebook, settings, effective),
    )


#: The duties that allow a person to sign in at a kind of device: one of them is enough.
DUTIES: Final[Mapping[DeviceKind, frozenset[Duty]]] = {
    DeviceKind.DEALER: frozenset({Duty.DEAL}),
    DeviceKind.PIT: frozenset({Duty.INSPECT, Duty.CORRECT, Duty.DECIDE, Duty.MANAGE, Duty.MAINTAIN}),
    DeviceKind.CASHIER: frozenset({Duty.CASH}),
    DeviceKind.AUDITOR: frozenset({Duty.AUDIT, Duty.OFFICIATE, Duty.REVIEW, Duty.MANAGE}),
    # An officer approves a second colour there (6(e) at Adelaide).
    DeviceKind.LIVE_TABLE: frozenset({Duty.DEAL, Duty.INSPECT, Duty.OFFICIATE}),
}
#: Commands under dual control at the desk: about a slip or ticket, a payable, or a drawer.
_PAPERS: Final = (ReprintTicket, VoidTicket, ReleaseTicket, PayPayable)
_ON_PAPER: Final = (*_PAPERS, FillDrawer, DropDrawer, CloseDrawer)
_SEE_TAKINGS: Final = frozenset({DeviceKind.PIT, DeviceKind.AUDITOR})
#: The devices that are sent a row for each seat.
SEE_TABLES: Final = frozenset(DUTIES) - {DeviceKind.CASHIER}
_SEE_STEPS: Final = frozenset({DeviceKind.DEALER, DeviceKind.LIVE_TABLE})


class FloorRows:
    """What consoles of several kinds are sent alike: the row of each seat, and the exposure of each table."""

    def __init__(self, house: House) -> None:
        self._house = house

    def seats(self, table: Table) -> tuple[SeatRow, ...]:
        """Return the rows of a table, or the same encoded."""
        return tuple(_seat(self._house, table, each) for each in table.terminals)

    def exposure(self, table: Table) -> ExposureRow:
        return exposure(self._house, table)


class CachedRows(FloorRows):
    """The same, built and encoded once for all consoles, and again only when it has changed."""

    def __init__(self, house: House) -> None:
        super().__init__(house)
        self._encoded: dict[TableId, dict[TerminalId, bytes]] = {}
        #: The seats whose rows may have changed since they were encoded.
        self._stale: dict[TableId, dict[TerminalId, None]] = {}
        #: The seats whose rows have changed since they were last taken.
        self._changed: dict[TableId, dict[TerminalId, None]] = {}
        self._exposures: dict[TableId, ExposureRow] = {}

    def clear(self) -> None:
        """Forget everything, as no console is connected."""
        for each in (self._encoded, self._stale, self._changed, self._exposures):
            each.clear()

    def touch(self, table: TableId, terminal: TerminalId) -> None:
        """Note that the row of a seat may have changed."""
        if table in self._encoded:
            self._stale.setdefault(table, {})[terminal] = None

    def moved(self, table: TableId) -> None:
        """Note that the exposure of a table may have changed."""
        self._exposures.pop(table, None)

    def refresh(self, table: TableId) -> Iterator[None]:
        """Encode the rows that may have changed until now, one in each step."""
        if table not in self._encoded:
            self._encoded[table] = {}
            self._stale[table] = dict.fromkeys(self._house.tables[table].terminals)
        rows, stale = self._encoded[table], self._stale.setdefault(table, {})
        for name in tuple(stale):
            encoded = encode(_seat(self._house, self._house.tables[table], name))
            stale.pop(name, None)
            if rows.get(name) != encoded:
                rows[name] = encoded
                self._changed.setdefault(table, {})[name] = None
            yield

    def take_changed(self, table: TableId) -> tuple[TerminalId, ...]:
        """Return the seats whose rows have changed since the last call."""
        return tuple(self._changed.pop(table, ()))

    def seats(self, table: Table) -> tuple[SeatRow, ...]:
        deque(self.refresh(table.id), maxlen=0)
        return self.some(table.id, table.terminals)

    def some(self, table: TableId, terminals: Iterable[TerminalId]) -> tuple[SeatRow, ...]:
        """Return the rows of some seats as they were last encoded."""
        rows = self._encoded[table]
        return Raw(b"[" + b",".join([rows[each] for each in terminals]) + b"]")  # type: ignore[return-value]

    def exposure(self, table: Table) -> ExposureRow:
        found = self._exposures.get(table.id)
        if found is None:
            found = self._exposures[table.id] = super().exposure(table)
        return found


class _ChangedRows(FloorRows):
    """The rows for a delta: those that have changed."""

    def __init__(self, rows: CachedRows, changed: Mapping[TableId, tuple[TerminalId, ...]]) -> None:
        self._rows, self._changed = rows, changed

    def seats(self, table: Table) -> tuple[SeatRow, ...]:
        return self._rows.some(table.id, self._changed[table.id])

    def exposure(self, table: Table) -> ExposureRow:
        return self._rows.exposure(table)


class _Group(NamedTuple):
    """Consoles that are sent the same: of one kind, and bound to one table or to none."""

    kind: DeviceKind | None
    table: TableId | None

    def sees(self, table: TableId) -> bool:
        return table == self.table or (self.table is None and self.kind is not DeviceKind.LIVE_TABLE)


@dataclass(slots=True)
class StaffFeed:
    """Sends consoles what has changed on the floor, a few times a second and only committed state.

    A publication is done in slices of the event loop, between commits.
    """

    run: Run
    time: LoopClock
    slicer: Slicer
    devices: ConnectedDevices
    facts: Callable[[], Facts]
    #: Ends the connections of consoles for which the floor could not be built.
    failed: Callable[[Iterable[Connection], Exception], None]
    rows: CachedRows = field(init=False)
    _moved: dict[TableId, None] = field(default_factory=dict)
    #: Whether a publication is scheduled or in progress, and whether its next step waits for a commit.
    _due: bool = False
    _late: bool = False
    #: Whether the rules or limits of a table have changed, or will.
    _anew: bool = False
    #: The steps of the publication in progress, and the consoles that it is still to be sent to.
    _steps: Iterator[None] = field(default_factory=lambda: iter(()))
    _audience: dict[Connection, None] = field(default_factory=dict)
    #: When a table that waits for its dealer becomes a blocker, if nothing happens before.
    _stalls: dict[TableId, Instant] = field(default_factory=dict)
    #: The last encoding of each field, by the group of consoles: a field that has not changed is not sent again.
    _sent: dict[_Group, dict[str, bytes]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.rows = CachedRows(self.run.house)

    def note(self, change: ViewChanges) -> None:
        """Schedule the publication of committed changes, together with all changes until then."""
        if not self.devices.consoles:
            self.rows.clear()
            self._moved.clear()
        elif change.rest or change.played:
            self._note(change)
        if self._late:
            self._late = False
            # By then the state is committed, and no batch has begun yet.
            get_running_loop().call_soon(self._go_on)

    def _note(self, change: ViewChanges) -> None:
        house = self.run.house
        touched = frozenset[Part]().union(*{EVENTS[type(event)].touches for event in change.rest})
        self._anew = self._anew or Part.TERMS in touched
        moved = dict.fromkeys(house.tables if Part.EVERY_TABLE in touched else (*change.tables, *change.live))
        for table, terminal in change.moved(house):
            moved[table] = None
            self.rows.touch(table, terminal)
        for table in moved:
            self.rows.moved(table)
        self._moved.update(moved)
        for table in moved:
            self._watch(table)
        if not self._due:
            self._schedule()

    def _watch(self, table: TableId) -> None:
        """Publish a table again when it has waited for its dealer for too long: no event would."""
        waits = awaited(self.run.house, self.run.house.tables[table])
        if waits is None or waits.blocks_at <= self.time.now():
            self._stalls.pop(table, None)
        elif self._stalls.get(table) != waits.blocks_at:
            self._stalls[table] = waits.blocks_at
            self.time.at(waits.blocks_at, partial(self._stalled, table, waits.blocks_at))

    def _stalled(self, table: TableId, at: Instant) -> None:
        if self._stalls.get(table) == at:
            del self._stalls[table]
            self._moved[table] = None
            self.refresh()

    def refresh(self) -> None:
        """Schedule a publication: something that is not in the journal has changed."""
        if self.devices.consoles and not self._due:
            self._schedule()

    def _schedule(self) -> None:
        self._due = True
        self.time.at(Instant(self.time.now() + FLOOR_EVERY), self._ring)

    def whole(self, connection: Connection, tables: Iterable[TableId]) -> FloorState | None:
        """Build the view of a console for its snapshot. A publication that is in progress has nothing new for it."""
        self._audience.pop(connection, None)
        self._sent.pop(self._group(connection), None)
        for table in tables:
            self._watch(table)
        return floor(self.run.house, connection.device_kind, tables, self.facts(), rows=self.rows)

    def _ring(self) -> None:
        self._audience = dict.fromkeys(self.devices.consoles.values())
        self._steps = self._publication()
        self._go_on()

    def _go_on(self) -> None:
        """Run the next step of the publication in progress."""
        if not self.run.sequencer.consistent:
            # The state in memory is not committed yet: it is published after the commit.
            self._late = True
            return
        for _ in self._steps:
            self.slicer.run(self._go_on)
            return
        self._due = False
        if self._moved or self._anew:
            self._schedule()

    def _publication(self) -> Iterator[None]:
        moved, self._moved = tuple(self._moved), {}
        anew, self._anew = self._anew, False
        rows_seen = any(each.device_kind in SEE_TABLES for each in self._audience)
        try:
            for table in moved if rows_seen else ():
                yield from self.rows.refresh(table)
        except Exception as error:  # noqa: BLE001 - a bug in a view harms only those who see it
            self.failed(tuple(self._audience), error)
            return
        rows = _ChangedRows(self.rows, {table: self.rows.take_changed(table) for table in moved})
        for group in dict.fromkeys(map(self._group, self._audience)):
            # Encoded once for each kind of console: common parts are not encoded for each console.
            encoded = self._built(group, moved, rows, anew=anew)
            yield
            if encoded is not None:
                yield from self._send(group, encoded)

    def _group(self, connection: Connection) -> _Group:
        return _Group(connection.device_kind, self.devices.bound.get(connection.device))

    def _send(self, group: _Group, encoded: Raw) -> Iterator[None]:
        for connection in tuple(self._audience):
            # It may have left since the last step, or been sent a snapshot.
            is_waiting = connection in self._audience and self.devices.consoles.get(connection.device) is connection
            if is_waiting and self._group(connection) == group:
                connection.version += 1
                connection.send_frame(floor_frame(connection.version, connection.last_cmd, encoded))
                yield

    def _built(self, group: _Group, moved: Iterable[TableId], rows: FloorRows, *, anew: bool) -> Raw | None:
        tables = [each for each in moved if group.sees(each)]
        try:
            state = floor(self.run.house, group.kind, tables, self.facts(), rows=rows, terms=anew, whole=False)
            return None if state is None else self._changes(group, state)
        except Exception as error:  # noqa: BLE001 - a bug in a view harms only those who see it
            self.failed(
                [connection for connection in self.devices.consoles.values() if self._group(connection) == group], error
            )
            return None

    def _changes(self, group: _Group, state: FloorState) -> Raw | None:
        """Encode the fields that differ from what consoles of a group were last sent; None when none does."""
        sent, changed = self._sent.setdefault(group, {}), {}
        for name in state.__struct_fields__:
            value = getattr(state, name)
            encoded = b"" if value is UNSET else encode(value)
            if encoded and encoded != sent.get(name, _NO_TABLES if name == _TABLES else b""):
                changed[name] = Raw(encoded)
                if name != _TABLES:
                    sent[name] = encoded
        return Raw(encode(changed)) if changed else None


#: The field with the tables that have moved. What it had in the last delta says nothing about the next.
_TABLES: Final = "tables"
_NO_TABLES: Final = encode({})
#: How many devices that do not work are listed.
DEVICES_SHOWN: Final = 20


def floor(  # noqa: PLR0913 - the state to show and its audience
    house: House,
    kind: DeviceKind | None,
    tables: Iterable[TableId],
    facts: Facts = NO_FACTS,
    *,
    rows: FloorRows | None = None,
    terms: bool = True,
    whole: bool = True,
) -> FloorState | None:
    """Build the view of a console: of these tables, and of pending items. None for other devices."""
    if kind is None or kind not in DUTIES:
        return None
    if kind is DeviceKind.CASHIER:
        # A cashier gives no second signature, but sees that a proposal of their own is pending.
        waits = tuple(each for each in _proposals(house) if isinstance(each.command, _ON_PAPER))
        (holds, holds_more), (debts, debts_more) = _holds(house), _debts(house)
        return FloorState(
            drawers=_drawers(house, facts),
            holds=holds,
            holds_more=holds_more,
            proposals=waits,
            debts=debts,
            debts_more=debts_more,
        )
    waiting, more = first_needs(house, NEEDS_MAX, facts) if kind is DeviceKind.PIT else (UNSET, UNSET)
    noted = _incidents(house)
    held = _holds(house) if kind in _SEE_TAKINGS else None
    owed = _debts(house) if kind in _SEE_TAKINGS else None
    return FloorState(
        tables={name: _table(house, house.tables[name], kind, facts, rows or FloorRows(house)) for name in tables},
        incidents=noted[0],
        incidents_more=noted[1],
        proposals=_proposals(house),
        devices=_devices(house, facts),
        drawers=_drawers(house, facts) if kind in _SEE_TAKINGS else UNSET,
        terms={name: table_terms(house, name) for name in house.tables} if terms else UNSET,
        rulebooks=adopted_rulebooks(house) if whole and kind is DeviceKind.PIT else UNSET,
        holds=UNSET if held is None else held[0],
        holds_more=UNSET if held is None else held[1],
        debts=UNSET if owed is None else owed[0],
        debts_more=UNSET if owed is None else owed[1],
        needs=waiting,
        needs_more=more,
    )


def _table(house: House, table: Table, kind: DeviceKind, facts: Facts, rows: FloorRows) -> FloorTable:
    round_ = table.round
    # A number that a random wheel has drawn is hidden until it counts; a ball in a pocket is visible to all.
    drawn = table.settings.wheel is WheelKind.RANDOM
    return FloorTable(
        blocked=tuple(
            project(BlockerRow, each, says=blocker_text(each), remedy=remedy_text(each))
            for each in table_blockers(house, table, facts)
        ),
        reported=None if round_ is None or drawn else round_.spin.reported,
        seen=() if round_ is None else _seen(round_),
        doubtful=round_ is not None and not round_.over and ObservedSpin.of(round_).doubtful,
        safe_to_spin=safe_to_spin(table),
        steps=steps(house, table) if kind in _SEE_STEPS else None,
        staked=_staked(house, table),
        seats=rows.seats(table),
        takings=table_win(table) if kind in _SEE_TAKINGS else None,
        exposure=rows.exposure(table) if kind in _SEE_TAKINGS else None,
        rounds=_rounds(table) if kind in _SEE_TAKINGS else None,
        equipment=None if drawn or kind not in _SEE_TAKINGS else _equipment(table),
    )


def _equipment(table: Table) -> EquipmentRow:
    equipment, rules = table.equipment, table.rulebook.equipment
    ball = None if rules is None else rules.ball
    return project(
        EquipmentRow,
        equipment,
        maintained_us=equipment.maintained_at,
        order=table.rulebook.wheel.order,
        ball_least=None if ball is None else ball.least,
        ball_most=None if ball is None else ball.most,
    )


def _staked(house: House, table: Table) -> int:
    """Add up the stakes of terminals, and those of players with chips."""
    terminals = sum(house.terminals[each].games[table.id].staked for each in table.terminals)
    return terminals + sum(sum(bets.values()) for bets in chip_stakes(house, table))


def _rounds(table: Table) -> tuple[RoundRow, ...]:
    """List the rounds that are over; the last of them is the table's current one until the next is opened."""
    over = {each.number: each for each in (table.round, *table.past) if each is not None and each.over}
    return tuple(_round(over[number]) for number in sorted(over, reverse=True))


def _round(past: Round) -> RoundRow:
    return RoundRow(
        round=past.number,
        status=past.status.value,
        pocket=past.pocket,
        corrected=tuple(past.corrected),
        reason="" if past.reason is None else past.reason.value,
        clause=past.clause,
        seen=_seen(past),
    )


def _seen(round_: Round) -> tuple[SightingRow, ...]:
    return tuple(
        SightingRow(
            moment=each.moment.value,
            revolutions=each.revolutions,
            opposite=each.opposite,
            turning=each.turning,
            reason=None if each.reason is None else each.reason.value,
        )
        for each in round_.spin.sightings
    )


def _seat(house: House, table: Table, name: TerminalId) -> SeatRow:
    terminal, spins_most = house.terminals[name], table.rulebook.terminal.idle_spins
    game, taken = terminal.games[table.id], is_taken(terminal)
    return SeatRow(
        terminal=terminal.id,
        credit=terminal.credit,
        staked=game.staked,
        below=below_minimum(game.seat),
        dark=terminal.lost_at is not None,
        lost_at_us=terminal.lost_at,
        closed=terminal.closed,
        case=terminal.case,
        held=terminal.held_total,
        idle=game.idle_spins if taken else 0,
        idle_long=taken and spins_most is not None and is_idle(game, spins_most.value),
        spent=terminal.session_since is not None and is_spent(terminal),
        straight_only=game.straight_only,
        position=game.id,
        arrangement=game.arrangement,
    )


def _incidents(house: House) -> tuple[tuple[IncidentRow, ...], int]:
    """List open incidents; if there are very many, the newest, and how many more."""
    waiting = [each for each in house.incidents.all.values() if each.cleared_by is None]
    rows = tuple(
        IncidentRow(
            incident=each.number,
            kind=each.kind.value,
            subject=each.subject,
            clause=each.clause,
            words=incident_text(each),
            facts=incident_facts(each),
            at_us=each.at,
        )
        for each in waiting[-INCIDENTS_MAX:]
    )
    return rows, len(waiting) - len(rows)


def _proposals(house: House) -> tuple[ProposalRow, ...]:
    """List the proposals that have not expired."""
    return tuple(
        project(ProposalRow, each, proposal=each.number, expires_at_us=each.expires_at)
        for each in house.proposals.all.values()
        if each.expires_at > house.now
    )


def _devices(house: House, facts: Facts) -> tuple[DeviceRow, ...]:
    return tuple(
        project(DeviceRow, each, tables=tuple(house.terminals[each.terminal].games))
        for each in facts.peripherals[:DEVICES_SHOWN]
    )


def _drawers(house: House, facts: Facts) -> tuple[DrawerRow, ...]:
    currencies = {table.rulebook.currency for table in house.tables.values()}
    only = currencies.pop() if len(currencies) == 1 else ""
    return tuple(
        DrawerRow(
            drawer=each.id,
            person=each.cashier,
            float_=each.float_,
            opened_at_us=each.opened_at,
            filled=each.filled,
            dropped=each.dropped,
            counted=each.counted,
            currency=each.currency or only,
            **{name: None if facts.blind_counts else getattr(each, name) for name in ("paid_out", "taken_in", "cash")},
        )
        for each in house.drawers.values()
        if not each.closed
    )


def _holds(house: House) -> tuple[tuple[HoldRow, ...], int]:
    """List the wins that await their form or their payment; if there are very many, the first, and how many more."""
    held = [(terminal, hold) for terminal in house.terminals.values() for hold in terminal.holds.values()]
    rows = tuple(_hold(house, terminal, hold) for terminal, hold in held[:HOLDS_MAX])
    return rows, len(held) - len(rows)


def _debts(house: House) -> tuple[tuple[DebtRow, ...], int]:
    """List receivables and payables from corrections; if there are very many, the first, and how many more."""
    rows = [_debt(house, each, session) for each in house.terminals.values() for session in each.debts]
    rows += [row for table in house.tables.values() for row in _chip_debts(table)]
    rows.sort(key=lambda row: (row.payable == 0, row.at_us, row.terminal, row.session, row.position or 0))
    return tuple(rows[:DEBTS_MAX]), max(0, len(rows) - DEBTS_MAX)


def _debt(house: House, terminal: Terminal, session: int) -> DebtRow:
    rulebook, debt, cause = house.rulebook_at(terminal), terminal.debts[session], terminal.causes[session]
    return DebtRow(
        terminal=terminal.id,
        session=session,
        ended=session != terminal.session,
        receivable=max(0, debt),
        payable=max(0, -debt),
        form=payable_form(rulebook, -debt),
        currency=rulebook.currency,
        table=cause.table,
        round=cause.round,
        at_us=cause.at,
        clause=rulebook.cited_clauses[CitedTopic.CORRECTION],
    )


def _chip_debts(table: Table) -> Iterator[DebtRow]:
    """List what corrections left between the house and players with chips, seated or gone."""
    live, rulebook = table.live, table.rulebook
    for position, account in () if live is None else (*live.players.items(), *live.left.items()):
        if account.payable or account.owed:
            yield DebtRow(
                terminal="",
                session=0,
                ended=live is not None and position in live.left,
                receivable=account.owed,
                payable=account.payable,
                form="",
                currency=rulebook.currency,
                table=table.id,
                round=account.corrected or 0,
                at_us=account.corrected_at,
                clause=rulebook.cited_clauses[CitedTopic.CORRECTION],
                position=position,
                label=account.label,
                colours=account.corrected_in,
            )


def _hold(house: House, terminal: Terminal, hold: HeldWin) -> HoldRow:
    rulebook, settings = house.rulebook_at(terminal), house.tables[hold.table].settings
    # Later rules of the same table may have no form any more.
    tax = rulebook.tax
    return project(
        HoldRow,
        hold,
        terminal=terminal.id,
        hold=hold.number,
        currency=rulebook.currency,
        basis=(settings.tax_basis or tax.basis).value if tax else "",
        form=tax.form if tax else "",
        clause=hold_clause(rulebook),
        recorded=bool(hold.form_number),
    )
