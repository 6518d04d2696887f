"""The hub: tells every door, once it is kept, what it asked and what has changed that it may see."""

from asyncio import Future
from collections.abc import Callable, Iterable

from croupier.access.record import DeviceKind
from croupier.engine.asked import Answer, Asked, Batch, Outcome
from croupier.engine.run import Run
from croupier.house.event.base import Event
from croupier.house.event.round import BetsOpened
from croupier.house.name import DeviceId, Instant, TableId, TerminalId
from croupier.house.state import House
from croupier.rules.refusal import Refusal
from croupier.web import outgoing
from croupier.web.change import Change, changed
from croupier.web.door import Door
from croupier.web.figures import Figures
from croupier.web.floor import floor
from croupier.web.limits import FLOOR_EVERY
from croupier.web.outgoing import Ack, Floor, No, Notice, Seat, SeatState, Snap, Table, TableState, no
from croupier.web.placard import placard
from croupier.web.recovery import notices
from croupier.web.seat import fixture, touched, whole
from croupier.web.timekeeper import Timekeeper

#: Hears of everything rare that has happened, once it is kept: printers, sign-ins, links.
Listener = Callable[[Event], None]
#: Names the felt of a terminal or, without one, of a table.
FeltOf = Callable[[House, TableId, TerminalId | None], str]


class Hub:
    """Knows every door that may be told something, and tells it in the order of the journal."""

    def __init__(self, time: Timekeeper, figures: Figures, felt_of: FeltOf) -> None:
        self.time, self.figures, self._felt_of = time, figures, felt_of
        self.seats: dict[TerminalId, Door] = {}
        self.consoles: dict[DeviceId, Door] = {}
        self.listeners: list[Listener] = []
        #: Who waits inside for an answer, by what was asked.
        self.awaited: dict[int, Future[Outcome]] = {}
        #: What was last told of each table, with the count of its versions.
        self.tables: dict[TableId, tuple[int, TableState]] = {}
        self._at: dict[TableId, dict[Door, None]] = {}
        self._notices: dict[TableId, Notice] = {}
        self._to_snap: dict[Door, None] = {}
        self._moved: dict[TableId, None] = {}
        self._floor_due = False
        self._run: Run | None = None

    def begin(self, run: Run) -> None:
        """Take up a run that has recovered; before that there is nobody to tell."""
        self._run = run
        self._notices = notices(run)
        for name in run.house.tables:
            self._draw(name)

    @property
    def run(self) -> Run:
        assert self._run is not None
        return self._run

    # What is released.

    def release(self, batch: Batch) -> None:
        """Tell what came of a batch: the tables first, then the seats, then staff."""
        if self._run is None:
            return
        house = self._run.house
        change = changed(house, batch.entries)
        for event in change.rest:
            if isinstance(event, BetsOpened):
                self._notices.pop(event.table, None)
        for name in change.tables:
            self._tell_table(name)
        self._tell_seats(house, change, self._answer(batch.answers))
        for event in change.rest:
            for listener in self.listeners:
                listener(event)
        self._touch_floor(change)
        # From here on memory is what is kept, and may be shown whole.
        waiting, self._to_snap = self._to_snap, {}
        for door in waiting:
            self._snap(door)

    def _draw(self, name: TableId) -> Table:
        """Draw a table anew, as its next version."""
        felt = self._felt_of(self.run.house, name, None)
        state = placard(self.run.house, name, felt, self._notices.get(name))
        version = self.tables[name][0] + 1 if name in self.tables else 1
        self.tables[name] = version, state
        return Table(tv=version, state=state)

    def _tell_table(self, name: TableId) -> None:
        frame = outgoing.encode(self._draw(name))
        doors = self._at.get(name, ())
        for door in doors:
            door.pass_on(frame)
        self.figures.frames += len(doors)

    def _answer(self, answers: Iterable[Answer]) -> dict[Door, list[No]]:
        """Note what every door's commands were answered; consoles are told one by one."""
        answered: dict[Door, list[No]] = {}
        for asked, outcome in answers:
            key = asked.key
            if key is None:
                waiting = self.awaited.pop(id(asked), None)
                if waiting is not None and not waiting.done():
                    waiting.set_result(outcome)
                continue
            refusal = outcome if isinstance(outcome, Refusal) else None
            self._count(refusal)
            seat = self.seats.get(TerminalId(asked.device))
            door = seat or self.consoles.get(asked.device)
            if door is None:
                continue
            door.last_cmd = max(door.last_cmd, key.number) if key.epoch == self.run.epoch else door.last_cmd
            refused = None if refusal is None else no(refusal, key.number)
            if seat is None:
                door.send(Ack(id=key.number, refusal=refused))
                continue
            listed = answered.setdefault(seat, [])
            if refused is not None:
                listed.append(refused)
        return answered

    def _tell_seats(self, house: House, change: Change, answered: dict[Door, list[No]]) -> None:
        seats = self.seats
        for name in change.seats:
            if name in seats:
                self._delta(seats[name], whole(house, name), answered)
        for name, games in change.spots.items():
            if name in seats and name not in change.seats:
                terminal = house.terminals[name]
                told = {table: touched(house, terminal, table, spots) for table, spots in games.items()}
                self._delta(seats[name], SeatState(credit=terminal.credit, games=told), answered)
        for door in tuple(answered):
            self._delta(door, SeatState(), answered)

    def _delta(self, door: Door, state: SeatState, answered: dict[Door, list[No]]) -> None:
        """Send a seat what has changed, and with it the answers to its commands."""
        refused = answered.pop(door, ())
        door.version += 1
        self.figures.frames += 1
        door.send(Seat(v=door.version, last_cmd=door.last_cmd, set=state, refused=tuple(refused)))

    # Doors that come and go.

    def admit(self, door: Door, tables: Iterable[TableId]) -> None:
        """Let a door see what it may from now on, beginning with all of it."""
        if door.kind is DeviceKind.TERMINAL:
            self.seats[TerminalId(door.device)] = door
        else:
            self.consoles[door.device] = door
        for name in tables:
            self._at.setdefault(name, {})[door] = None
        door.last_cmd = self.run.sequencer.keys.last(door.device, self.run.epoch)
        self.snap(door)

    def leave(self, door: Door) -> None:
        """Tell a door nothing more."""
        if self.seats.get(TerminalId(door.device)) is door:
            del self.seats[TerminalId(door.device)]
        if self.consoles.get(door.device) is door:
            del self.consoles[door.device]
        for doors in self._at.values():
            doors.pop(door, None)
        self._to_snap.pop(door, None)

    def snap(self, door: Door) -> None:
        """Show a door all that it may see: now, or once what is under way was kept."""
        if self.run.sequencer.whole:
            self._snap(door)
        else:
            self._to_snap[door] = None

    def _snap(self, door: Door) -> None:
        house = self.run.house
        seen = [name for name, doors in self._at.items() if door in doors]
        name = TerminalId(door.device) if door.kind is DeviceKind.TERMINAL else None
        staff = door.kind not in (None, DeviceKind.TERMINAL, DeviceKind.BOARD)
        door.version += 1
        door.send(
            Snap(
                epoch=self.run.epoch,
                v=door.version,
                last_cmd=door.last_cmd,
                now_us=self.time.now(),
                tables=tuple(self.tables[each] for each in seen),
                fixture=None if name is None else fixture(house, name, self._felt_of(house, seen[0], name)),
                seat=None if name is None else whole(house, name),
                floor=floor(house, door.kind, seen) if staff and door.kind else None,
            )
        )

    def refuse(self, door: Door, number: int, refusal: Refusal) -> None:
        """Answer a command that has not reached the house."""
        self._count(refusal)
        if door.kind is not DeviceKind.TERMINAL:
            door.send(Ack(id=number, refusal=no(refusal, number)))
            return
        door.version += 1
        door.send(Seat(v=door.version, last_cmd=door.last_cmd, refused=(no(refusal, number),)))

    def _count(self, refusal: Refusal | None) -> None:
        self.figures.commands += 1
        if refusal is not None:
            self.figures.refusals[refusal.code] += 1

    async def outcome(self, asked: Asked) -> Outcome:
        """Wait for the answer to something that was asked inside."""
        waiting: Future[Outcome] = Future()
        self.awaited[id(asked)] = waiting
        return await waiting

    # What staff see.

    def _touch_floor(self, change: Change) -> None:
        if not self.consoles or not (change.rest or change.spots):
            return
        self._moved.update(change.tables)
        for games in change.spots.values():
            self._moved.update(dict.fromkeys(games))
        for name in change.seats:
            self._moved.update(dict.fromkeys(self.run.house.terminals[name].games))
        if not self._floor_due:
            self._floor_due = True
            self.time.at(Instant(self.time.now() + FLOOR_EVERY), self._tell_floor)

    def _tell_floor(self) -> None:
        """Tell consoles what has changed since the last time, once memory is what is kept."""
        if not self.run.sequencer.whole:
            self.time.at(Instant(self.time.now() + FLOOR_EVERY), self._tell_floor)
            return
        moved, self._moved, self._floor_due = tuple(self._moved), {}, False
        for door in self.consoles.values():
            if door.kind not in (None, DeviceKind.BOARD):
                door.version += 1
                state = floor(self.run.house, door.kind, moved)
                door.send(Floor(v=door.version, last_cmd=door.last_cmd, set=state))
