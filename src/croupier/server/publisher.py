"""Publisher: sends every connection, after the commit, its responses and the changes that it may see."""

from asyncio import get_running_loop
from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from traceback import extract_tb
from typing import Final, NamedTuple

import structlog
from picows import WSCloseCode

from croupier.engine.metrics import Metrics
from croupier.engine.ports import Accepted, BatchOutput, Feed, LoopClock, Outcome, Publishing, Request
from croupier.engine.run import Run
from croupier.engine.slices import SMALL_STEPS, Slicer, sliced
from croupier.house import House
from croupier.house.blockers import Facts
from croupier.house.declare import Event
from croupier.house.ids import DeviceId, DeviceKind, TableId, TerminalId
from croupier.journal.entry import IdempotencyKey
from croupier.journal.pages import PageDraft
from croupier.protocol import outbound
from croupier.protocol.outbound import Ack, PayoutInstruction, RefusalBody, SeatUpdate, ViewSnapshot, refusal_body
from croupier.protocol.terminal import SeatState
from croupier.rules.refusal import Code, Refusal, refuse
from croupier.server.connection import ConnectedDevices, Connection
from croupier.server.events import ViewChanges, view_changes
from croupier.server.ticket_desk import TicketDesk
from croupier.server.views.floor import SEE_TABLES, StaffFeed
from croupier.server.views.live import LiveViews, notice_state, walk_state
from croupier.server.views.seat import bets_row, recall, seat_changes, seat_setup, seat_state, served
from croupier.server.views.table import FeltOf, TableViews, notices

_VIEW_FAILED: Final = refuse(Code.VIEW_FAILED, None, "The screen could not be updated: it is sent anew.")
#: The devices that are sent the chips of players; no terminal and no display is.
_SEE_CHIPS: Final = frozenset({DeviceKind.LIVE_TABLE})
_SEE_NOTICE: Final = frozenset({DeviceKind.LIVE_TABLE, DeviceKind.NOTICE})
_LOG = structlog.get_logger()
_encode: Final = outbound.encode


class TableFrame(NamedTuple):
    """The public state of a table, encoded for all who see it."""

    table: TableId
    frame: bytes


@dataclass(slots=True)
class Publisher:
    """Sends each connection what it may see of every committed batch, in journal order."""

    run: Run
    time: LoopClock
    #: Runs the work of connections, in slices of the event loop.
    slicer: Slicer
    figures: Metrics
    devices: ConnectedDevices
    ticket_desk: TicketDesk
    #: Where every committed event but bets is published, after the views and before the staff feed.
    events: Feed[Event]
    #: Where the frames of tables are published once for the connections of other processes.
    table_frames: Feed[TableFrame]
    #: The reasons of the engine and the devices why tables cannot play.
    facts: Callable[[], Facts]
    felt_of: FeltOf
    #: After how many minutes of play screens remind of a break; 0 for never.
    break_minutes: int = 0
    table_views: TableViews = field(init=False)
    live_views: LiveViews = field(init=False)
    staff_feed: StaffFeed = field(init=False)
    #: The connections that see each table, and those of them whose frames this process sends.
    _at: dict[TableId, dict[Connection, None]] = field(default_factory=dict)
    _own: dict[TableId, dict[Connection, None]] = field(default_factory=dict)
    #: The messages for connections after the batch that is being committed.
    _waiting: dict[Connection, dict[Callable[[Connection], None], None]] = field(default_factory=dict)
    #: The consoles whose snapshot is being prepared, and the rest of the rows for each, in slices.
    _preparing: dict[Connection, Iterator[None]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.table_views = TableViews(self.run.house, self.felt_of, notices(self.run))
        self.live_views = LiveViews(self.run.house)
        self.staff_feed = StaffFeed(self.run, self.time, self.slicer, self.devices, self.facts, self._failed)
        for name in self.run.house.tables:
            self.table_views.build(name)

    @property
    def seats(self) -> dict[str, Connection]:
        return self.devices.seats

    @property
    def consoles(self) -> dict[DeviceId, Connection]:
        return self.devices.consoles

    @property
    def inside(self) -> dict[DeviceId, Connection]:
        return self.devices.inside

    # Publishing.

    def publish(self, batch: BatchOutput) -> Publishing:
        """Publish a committed batch step by step: to the tables first, then to the seats, then to staff.

        Connections may come and go between two steps. One that comes gets its snapshot after the last step.
        """
        house = self.run.house
        change = view_changes(house, batch.entries.events)
        self.table_views.on_event(change.rest)
        for name in change.tables:
            try:
                yield from self._publish_table(name)
            except Exception as error:  # noqa: BLE001 - a bug in a view harms only those who see it
                self._failed(self._at.get(name, ()), error)
        for name in (*change.tables, *change.live):
            try:
                self._publish_live(name)
            except Exception as error:  # noqa: BLE001 - a bug in a view harms only those who see it
                self._failed(self._at_kinds(name, _SEE_NOTICE), error)
        yield from self._publish_seats(house, change, self._responses(batch, change))
        for event in change.rest:
            self.events.publish(event)
            yield
        self.staff_feed.note(change)
        if self._waiting:
            # By then the state in memory is committed, and may be sent whole; no batch has begun yet.
            get_running_loop().call_soon(self._show_waiting)

    def _show_waiting(self) -> None:
        """Send the connections that wait what they wait for."""
        for _ in range(len(self._waiting)):
            self.slicer.run(self._show_next)

    def _show_next(self) -> None:
        """Send the next connection what it waits for, unless a batch has begun: then after its commit."""
        if self._waiting and self.run.sequencer.consistent:
            connection = next(iter(self._waiting))
            for show in self._waiting.pop(connection):
                self._show(connection, show)

    def _show(self, connection: Connection, show: Callable[[Connection], None]) -> None:
        try:
            show(connection)
        except Exception as error:  # noqa: BLE001 - a bug in a view harms only those who see it
            self._failed((connection,), error)

    def _failed(self, connections: Iterable[Connection], error: Exception) -> None:
        """Close the connections whose view could not be built; each reconnects and gets a snapshot."""
        where = extract_tb(error.__traceback__)[-1]
        for connection in connections:
            place = f"{where.filename}:{where.lineno}"
            _LOG.error(
                "view_failed", device=connection.device, error=type(error).__name__, words=str(error), where=place
            )
            # Not at once: a connection that closes submits commands, and a batch is being published.
            get_running_loop().call_soon(connection.close, _VIEW_FAILED, WSCloseCode.INTERNAL_ERROR)

    def _publish_table(self, name: TableId) -> Publishing:
        table_views = self.table_views
        if name not in table_views.published:
            self._watch(name)
        anew = table_views.plays_anew(name)
        frame = outbound.encode(table_views.build(name))
        self.figures.frames += len(self._at.get(name, ()))
        self.table_frames.publish(TableFrame(name, frame))
        for number, connection in enumerate(tuple(self._own.get(name, ())), start=1):
            connection.send_frame(frame)
            if number % SMALL_STEPS == 0:
                yield
        if anew:
            # They show another felt or other limits from now on, which no delta carries.
            for connection in self._at.get(name, ()):
                if connection.device_kind is DeviceKind.TERMINAL:
                    self._wait(connection, self._snap)

    def _publish_live(self, name: TableId) -> None:
        """Send the consoles of a live table what has changed, and the displays of its notice a new notice."""
        if consoles := self._at_kinds(name, _SEE_CHIPS):
            # The walk shows the layout as it was sealed: first, so that no chip is removed and drawn again.
            self._send_all(consoles, self.live_views.walk(name))
            self._send_all(consoles, self.live_views.update(name))
        if displays := self._at_kinds(name, _SEE_NOTICE):
            self._send_all(displays, self.live_views.notice(name))

    def _at_kinds(self, name: TableId, kinds: Container[DeviceKind | None]) -> list[Connection]:
        return [each for each in self._at.get(name, ()) if each.device_kind in kinds]

    def _send_all(self, connections: Iterable[Connection], frame: bytes | None) -> None:
        if frame is None:
            return
        for connection in connections:
            self.figures.frames += 1
            connection.send_frame(frame)

    def _watch(self, name: TableId) -> None:
        """Subscribe the connections that see all tables to a new one too."""
        seen = [self._at.get(each, {}) for each in self.table_views.published]
        connections = (
            connection
            for connection in self.consoles.values()
            if connection.device_kind is not DeviceKind.LIVE_TABLE
            and connection.device not in self.devices.bound
            and all(connection in connections for connections in seen)
        )
        for connection in tuple(connections):
            self._join(connection, name)

    def _join(self, connection: Connection, name: TableId) -> None:
        self._at.setdefault(name, {})[connection] = None
        if not connection.join(name):
            self._own.setdefault(name, {})[connection] = None

    def _responses(self, batch: BatchOutput, change: ViewChanges) -> dict[Connection, tuple[RefusalBody, ...]]:
        """Collect the refusals of commands of seats, and who else awaits a response; consoles are sent theirs at once.

        A seat whose chips have changed is sent a delta, which is the response to all of its commands.
        """
        answered: dict[Connection, tuple[RefusalBody, ...]] = {}
        played: Container[str] = change.played
        seats, epoch, commands = self.devices.seats, self.run.epoch, 0
        for response in batch.responses:
            request, outcome = response.request, response.outcome
            device, key = request.device, request.key
            connection = seats.get(device)
            if key is None or connection is None:
                self._respond(request, outcome, batch.entries)
                continue
            commands += 1
            number = key.number
            if number > connection.last_cmd and key.epoch == epoch:
                connection.last_cmd = number
            if type(outcome) is Refusal:
                self.figures.refusals[outcome.code] += 1
                answered[connection] = (*answered.get(connection, ()), refusal_body(outcome, number))
            elif device not in played:
                answered.setdefault(connection, ())
        self.figures.commands += commands
        return answered

    def _respond(self, request: Request, outcome: Outcome, entries: PageDraft) -> None:
        """Send the outcome of a command of a console, which may have disconnected since."""
        key, connection = request.key, self.inside.get(request.device)
        if key is None:
            # The server itself asked, and waits for it at the commit loop.
            return
        refusal = outcome if isinstance(outcome, Refusal) else None
        self._count(refusal)
        if connection is not None:
            connection.last_cmd = (
                max(connection.last_cmd, key.number) if key.epoch == self.run.epoch else connection.last_cmd
            )
            if isinstance(outcome, Refusal):
                connection.send(Ack(id=key.number, refusal=refusal_body(outcome, key.number)))
            else:
                self._show(connection, partial(self._accept, key=key, outcome=outcome, entries=entries))

    def _accept(self, connection: Connection, *, key: IdempotencyKey, outcome: Accepted, entries: PageDraft) -> None:
        paid = self._paid(connection, outcome, entries)
        connection.send(Ack(id=key.number, paid=paid, position=outcome.first))

    def _paid(self, connection: Connection, outcome: Accepted, entries: PageDraft) -> PayoutInstruction | None:
        """Return the payout instruction for a new command; None for a repeated one, as it was sent before."""
        before = outcome.first - entries.first
        done = entries.events[before : outcome.last + 1 - entries.first] if before >= 0 else ()
        paid = [payout for event in done if (payout := self.ticket_desk.hand_out(connection, event)) is not None]
        return paid[0] if paid else None

    def _publish_seats(
        self, house: House, change: ViewChanges, answered: dict[Connection, tuple[RefusalBody, ...]]
    ) -> Publishing:
        whole, seats, frames, small = change.seats, self.devices.seats, 0, SMALL_STEPS
        for name in whole:
            self._publish_seat(name, seat_state, answered)
            yield
        for name, rows in change.played.items():
            connection = seats.get(name)
            if connection is None or (whole and name in whole):
                continue
            try:
                refused = answered.pop(connection, ()) if answered else ()
                row = None if refused else bets_row(house, rows, connection)
                if row is None:
                    self._delta(connection, seat_changes(house, name, rows), refused)
                else:
                    connection.version = row.v
                    frames += 1
                    connection.send_bets(row)
            except Exception as error:  # noqa: BLE001 - a bug in a view harms only those who see it
                self._failed((connection,), error)
            small -= 1
            if not small:
                yield
                small = SMALL_STEPS
        self.figures.frames += frames
        for name in change.served:
            if name not in whole:
                self._publish_seat(name, served, answered)
                yield
        for connection, refused in answered.items():
            self._delta(connection, SeatState(), refused)
            yield

    def _publish_seat(
        self,
        name: TerminalId,
        state: Callable[[House, TerminalId], SeatState],
        answered: dict[Connection, tuple[RefusalBody, ...]],
    ) -> None:
        connection = self.devices.seats.get(name)
        if connection is None:
            return
        try:
            self._delta(connection, state(self.run.house, name), answered.pop(connection, ()))
        except Exception as error:  # noqa: BLE001 - a bug in a view harms only those who see it
            self._failed((connection,), error)

    def _delta(self, connection: Connection, state: SeatState, refused: tuple[RefusalBody, ...]) -> None:
        """Send a seat its changes, together with the responses to its commands."""
        connection.version = version = connection.version + 1
        self.figures.frames += 1
        connection.send_frame(_encode(SeatUpdate(version, connection.last_cmd, state, refused)))

    # Subscriptions.

    def subscribe(self, connection: Connection, tables: Iterable[TableId]) -> None:
        """Send a connection what it may see from now on, beginning with a snapshot."""
        if connection.device_kind is DeviceKind.TERMINAL:
            self.seats[TerminalId(connection.device)] = connection
        else:
            self.consoles[connection.device] = connection
        for name in tables:
            self._join(connection, name)
        self.send_snapshot(connection)
        self.ticket_desk.print_at(connection.device)

    def unsubscribe(self, connection: Connection) -> None:
        """Send no more messages to a connection."""
        if self.seats.get(TerminalId(connection.device)) is connection:
            del self.seats[TerminalId(connection.device)]
        if self.consoles.get(connection.device) is connection:
            del self.consoles[connection.device]
        for connections in (*self._at.values(), *self._own.values()):
            connections.pop(connection, None)
        connection.leave()
        self._waiting.pop(connection, None)
        self._preparing.pop(connection, None)

    def tables_at(self, connection: Connection) -> tuple[TableId, ...]:
        """Return the tables that a console shows: all, or the one that it is bound to."""
        bound = self.devices.bound.get(connection.device)
        if bound is not None:
            return (bound,)
        return () if connection.device_kind is DeviceKind.LIVE_TABLE else tuple(self.run.house.tables)

    def send_snapshot(self, connection: Connection) -> None:
        """Send a connection all that it may see."""
        self.after_commit(connection, self._snap)

    def recall(self, connection: Connection) -> None:
        """Send a terminal its last games."""
        self.after_commit(connection, self._recall)

    def after_commit(self, connection: Connection, show: Callable[[Connection], None]) -> None:
        """Send a connection a message now, or after the commit in progress; or a little later when many wait."""
        self._wait(connection, show)
        self.slicer.run(self._show_next)

    def _wait(self, connection: Connection, show: Callable[[Connection], None]) -> None:
        self._waiting.setdefault(connection, {})[show] = None

    def _recall(self, connection: Connection) -> None:
        connection.send(recall(self.run.house, TerminalId(connection.device)))

    def _snap(self, connection: Connection) -> None:
        house = self.run.house
        seen = [name for name, connections in self._at.items() if connection in connections]
        if connection.device_kind in SEE_TABLES and not self._is_prepared(connection, seen):
            self.after_commit(connection, self._snap)
            return
        name = TerminalId(connection.device) if connection.device_kind is DeviceKind.TERMINAL else None
        connection.version += 1
        # Not before now: uncommitted commands are not acknowledged.
        connection.last_cmd = self.run.sequencer.idempotency.last(connection.device, self.run.epoch)
        connection.send(
            ViewSnapshot(
                epoch=self.run.epoch,
                v=connection.version,
                last_cmd=connection.last_cmd,
                now_us=self.time.now(),
                tables=tuple(self.table_views.published[each] for each in seen),
                fixture=None
                if name is None
                else seat_setup(house, name, self.felt_of(house, seen[0], name), self.break_minutes),
                seat=None if name is None else seat_state(house, name, limits=True),
                floor=self.staff_feed.whole(connection, seen) if name is None else None,
                live=self.live_views.whole(seen[0]) if seen and connection.device_kind in _SEE_CHIPS else None,
                walk=walk_state(house, seen[0]) if seen and connection.device_kind in _SEE_CHIPS else None,
                notice=notice_state(house, seen[0]) if seen and connection.device_kind in _SEE_NOTICE else None,
            )
        )

    def _is_prepared(self, connection: Connection, tables: Iterable[TableId]) -> bool:
        """Encode rows for the snapshot of a console, for one slice; return whether all that had changed are encoded."""
        slices = self._preparing.pop(connection, None)
        if slices is None:
            slices = sliced(chain.from_iterable(map(self.staff_feed.rows.refresh, tables)), self.time.now)
        for _ in slices:
            self._preparing[connection] = slices
            return False
        return True

    def refuse(self, connection: Connection, number: int, refusal: Refusal) -> None:
        """Refuse a command that has not reached the house."""
        self._count(refusal)
        if connection.device_kind is not DeviceKind.TERMINAL:
            connection.send(Ack(id=number, refusal=refusal_body(refusal, number)))
            return
        connection.version += 1
        connection.send(
            SeatUpdate(v=connection.version, last_cmd=connection.last_cmd, refused=(refusal_body(refusal, number),))
        )

    def _count(self, refusal: Refusal | None) -> None:
        self.figures.commands += 1
        if refusal is not None:
            self.figures.refusals[refusal.code] += 1
