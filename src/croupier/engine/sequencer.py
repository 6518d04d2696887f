"""Commands in arrival order, with the idempotency cache."""

from collections import deque
from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Final

import msgspec
from msgspec.structs import replace

from croupier.engine.ports import Accepted, Batch, BatchOutput, Outcome, Ports, Publishing, Request, Response
from croupier.engine.slices import SMALL_STEPS
from croupier.engine.ticket_index import TicketIndex, store_retired
from croupier.house import AnyCommand, House, decide, evolve, evolve_bets
from croupier.house.credit.drawers import RedeemTicket
from croupier.house.credit.tickets import (
    Collect,
    InsertTicket,
    ReleaseTicket,
    ReportLost,
    ReprintTicket,
    VoidTicket,
    payment_objection,
)
from croupier.house.credit.transfers import TransferTicket
from croupier.house.declare import (
    COMMANDS,
    EVENTS,
    Event,
    Events,
    GameCommand,
    Part,
    PositionEvent,
    TableEvent,
    TerminalEvent,
)
from croupier.house.floor.incidents import IncidentFacts, IncidentKind, RaiseAlarm
from croupier.house.ids import SECOND, SYSTEM, Context, DeviceId, Instant
from croupier.house.play.betting import BetsChanged, ClearBets, RemoveBets, UndoBet
from croupier.house.play.patterns import CancelRecall
from croupier.house.timers import Tick, due, is_table_due
from croupier.journal.entry import REQUEST_DIGEST_BYTES, IdempotencyKey
from croupier.journal.pages import RowCause, VerifiedPage
from croupier.journal.writer import Writer
from croupier.rules.refusal import Code, Refusal, refuse

#: How many responses of either kind are cached for each device: more than a client may have pending.
RESPONSES_MAX: Final = 48
#: The largest integer that JSON represents exactly everywhere.
_INTEGER_MAX: Final = 2**53 - 1
_INTEGER_MIN: Final = -_INTEGER_MAX


class AcceptedRow(Accepted, frozen=True, array_like=True, forbid_unknown_fields=True, gc=False):
    """The outcome of an accepted command with its key and its digest. A snapshot stores these rows."""

    epoch: int
    number: int
    digest: bytes

    @property
    def outcome(self) -> Accepted:
        return self


class TransientRow(msgspec.Struct, frozen=True, gc=False):
    """A command without entries: its key, its digest, and its outcome."""

    epoch: int
    number: int
    digest: bytes
    outcome: Outcome


#: The last accepted commands of a device, in the order of their keys.
AcceptedRows = deque[AcceptedRow]


def _accepted_rows(rows: Iterable[AcceptedRow] = ()) -> AcceptedRows:
    return deque(rows, RESPONSES_MAX)


@dataclass(slots=True)
class DeviceResponses:
    """The last responses to one device: those with entries in the journal, and those without.

    Neither evicts the other, so that a start rebuilds from the journal exactly what was cached before.
    """

    #: The highest key that has a response.
    epoch: int = 0
    number: int = 0
    committed: AcceptedRows = field(default_factory=_accepted_rows)
    transient: deque[TransientRow] | None = None

    def lookup(self, key: IdempotencyKey, digest: bytes, epoch: int) -> Outcome:
        """Return the outcome for a key that is not new, or why there is none."""
        for row in (*self.committed, *(self.transient or ())):
            if (row.epoch, row.number) == (key.epoch, key.number):
                return row.outcome if row.digest == digest else _reused(key)
        return _ahead(key, epoch) if key.epoch > epoch else _stale(key)

    def store(self, key: IdempotencyKey, digest: bytes, outcome: Outcome) -> None:
        """Cache the outcome of a new command."""
        self.epoch, self.number = key.epoch, key.number
        if type(outcome) is AcceptedRow:
            self.committed.append(outcome)
            return
        if self.transient is None:
            self.transient = deque(maxlen=RESPONSES_MAX)
        self.transient.append(TransientRow(key.epoch, key.number, digest, outcome))


@dataclass(slots=True)
class IdempotencyCache:
    """The last responses to every device."""

    devices: dict[DeviceId, DeviceResponses] = field(default_factory=dict)

    @property
    def committed(self) -> dict[DeviceId, AcceptedRows]:
        """The last accepted commands of each device that has any."""
        return {device: known.committed for device, known in self.devices.items() if known.committed}

    def add(self, device: DeviceId) -> DeviceResponses:
        """Begin with a device that has no response yet."""
        known = self.devices[device] = DeviceResponses()
        return known

    def rebuild_from(self, verified_page: VerifiedPage) -> None:
        """Cache the outcomes that a committed page proves: the commands of its entries were accepted.

        After the last page `durable` gives the cache for a run.
        """
        devices, epoch, before, position = self.devices, verified_page.page.epoch, None, verified_page.page.first - 1
        for row in verified_page.body.rows:
            position += 1
            if row.cause is None:
                continue
            (number, digest), device, first = row.cause, row.device, position
            known = devices.get(device)
            if known is None:
                known = self.add(device)
            rows = known.committed
            if known is before and rows[-1].number == number:
                # The entries of a command follow each other, on one page.
                first = rows.pop().first
            rows.append(AcceptedRow(first, position, epoch, number, digest))
            before = known

    def last(self, device: DeviceId, epoch: int) -> int:
        """Return the highest number of a device with a response in an epoch; 0 when there is none."""
        known = self.devices.get(device)
        return known.number if known is not None and known.epoch == epoch else 0

    def durable(self) -> "IdempotencyCache":
        """Return what follows from the journal alone."""
        return IdempotencyCache.from_rows(self.committed)

    @classmethod
    def from_rows(cls, rows: Mapping[DeviceId, Iterable[AcceptedRow]]) -> "IdempotencyCache":
        """Build the cache from the rows of a snapshot."""
        devices = {}
        for device, those in rows.items():
            accepted = _accepted_rows(those)
            devices[device] = DeviceResponses(accepted[-1].epoch, accepted[-1].number, accepted)
        return cls(devices)


def request_digest(request: Request) -> bytes:
    """Return the digest of the command and its signer; ValueError or OverflowError when it cannot be encoded."""
    digest = _new_digest()
    digest.update(_encode((request.command, request.person)))
    return digest.digest()


_encode: Final = msgspec.json.Encoder().encode
# A copy of an empty digest takes half the time of a new one with these parameters.
_new_digest: Final = blake2b(digest_size=REQUEST_DIGEST_BYTES).copy


def _reused(key: IdempotencyKey) -> Refusal:
    message = "This key was used for another command: nothing was done, and staff are notified."
    return refuse(Code.KEY_REUSED, None, message, epoch=key.epoch, number=key.number)


def _ahead(key: IdempotencyKey, epoch: int) -> Refusal:
    """The run that began that epoch knows the outcome. This run may be fenced off, and cannot know it."""
    message = (
        f"This key is of epoch {key.epoch}, and the house is in epoch {epoch}: what became of it is not known here."
    )
    return refuse(Code.EPOCH_AHEAD, None, message, epoch=key.epoch, number=key.number, current=epoch)


def _stale(key: IdempotencyKey) -> Refusal:
    message = "This key is of a past epoch, or older than one that was answered: nothing is done now."
    return refuse(Code.KEY_STALE, None, message, epoch=key.epoch, number=key.number)


#: How many commands may be queued; more are refused as busy.
QUEUE_MAX: Final = 10_000
#: How many commands one batch decides.
BATCH_MAX: Final = 1_000
#: At a table with more terminals, a decision about all of them and its events are steps of their own.
LARGE_TABLE: Final = 100
#: How many timers fire in one batch: the rest fire in the batches after it, with commands between them.
TIMERS_MAX: Final = 100
#: By how much the wall clock may differ from the house's clock before an alarm is raised.
DRIFT_MAX: Final = 2 * SECOND
_NO_FACTS: Final = IncidentFacts()
#: Alarms that one device could cause with every message: each is raised once, until it is cleared.
_ONCE: Final = (IncidentKind.KEY_REUSED, IncidentKind.COMMAND_FAILED)
_FULL: Final = refuse(Code.BUSY, None, "Too much is waiting: nothing was done, try again.", waiting=QUEUE_MAX)
_FULL_STILL: Final = refuse(Code.BUSY, None, "Too much is waiting to say what came of that: ask again.")
#: The refusals for a ticket that is not in the state.
_NOT_THERE: Final = (Code.TICKET_UNKNOWN, Code.UNKNOWN_RECORD)
#: The commands of players about their chips: some of them are one step.
_SMALL: Final = frozenset(kind for kind, declared in COMMANDS.items() if declared.of_game)
#: Builds a batch step by step; the commit loop runs the steps in slices.
Building = Generator[None, None, Batch]
#: Commands that return chips are accepted also when there is no room for new bets.
_GIVES_BACK: Final = (CancelRecall, ClearBets, RemoveBets, UndoBet)


class Sequencer:
    """Decides commands in arrival order. After any exception the run is over: only a new start can continue."""

    def __init__(
        self, house: House, writer: Writer, keys: IdempotencyCache, ports: Ports, tickets: TicketIndex | None = None
    ) -> None:
        self.house, self.writer, self.idempotency, self.ports, self._tickets = house, writer, keys, ports, tickets
        self._queue: deque[Request] = deque()
        #: The highest queued key number of each device in this epoch; and the length and the last request of the queue
        #: that they were found in: a queue with both is the same.
        self._queued_numbers: dict[DeviceId, int] = {}
        self._seen: tuple[int, Request | None] = (0, None)
        self._draft = writer.draft_page()
        self._responses: list[Response] = []
        #: Events of the last decision that are not applied yet. All are applied before the next decision.
        self._deferred: list[tuple[Event, Context, RowCause | None]] = []
        self._drift = 0
        self._room = True
        #: Whether the state in memory is committed: not during a batch, and never again after one has failed.
        self.consistent = True

    @property
    def has_room(self) -> bool:
        """Whether the disk had room for new bets at the last check."""
        return self._room

    def submit(self, request: Request) -> Refusal | None:
        """Queue a command, or refuse it when the queue is full."""
        if len(self._queue) >= QUEUE_MAX:
            return _FULL_STILL if self.is_known(request) else _FULL
        self._queue.append(request)
        return None

    def submit_all(self, requests: list[Request]) -> bool:
        """Queue commands with keys that arrived together, if there is room for all; return whether there is."""
        if len(self._queue) + len(requests) > QUEUE_MAX:
            return False
        self._queue.extend(requests)
        return True

    def is_known(self, request: Request) -> bool:
        """Return whether a command may have been received before: then no response may say that nothing was done."""
        key, device = request.key, request.device
        if key is None:
            return False
        last = max(self.idempotency.last(device, key.epoch), self._last_queued(device))
        return key.epoch != self.writer.epoch or key.number <= last

    def _last_queued(self, device: DeviceId) -> int:
        """Return the highest queued number of a device; 0 when there is none."""
        queue, (length, last) = self._queue, self._seen
        if len(queue) != length or (queue and queue[-1] is not last):
            self._seen, self._queued_numbers = (len(queue), queue[-1] if queue else None), {}
            for request in queue:
                key = request.key
                if key is not None and key.epoch == self.writer.epoch:
                    before = self._queued_numbers.get(request.device, 0)
                    self._queued_numbers[request.device] = max(before, key.number)
        return self._queued_numbers.get(device, 0)

    def due(self) -> Instant | None:
        """Return when the next batch is due: at once when commands are queued."""
        return self.house.now if self._queue else due(self.house)

    def step(self) -> BatchOutput:
        """Build a batch, commit it, and publish its output."""
        return self._commit(self.build_batch())

    def run_commands(self, *commands: AnyCommand) -> BatchOutput:
        """Run the house's own commands as one batch: all of them or none."""
        now = self._begin_batch()
        for command in commands:
            self._perform(command, now)
            deque(self._evolve_deferred(), maxlen=0)
        return self._commit(self._end_batch(now))

    def build_batch(self, first: Iterable[Request] = ()) -> Batch:
        """Build a batch at once."""
        steps = self.building(first)
        while True:
            try:
                next(steps)
            except StopIteration as built:
                batch: Batch = built.value
                return batch

    def building(self, first: Iterable[Request] = ()) -> Building:
        """Fire what is due and decide queued commands step by step. Nothing is published until it is committed.

        A step is one command, or some of players about their chips. The reports of the house's own wheels come first:
        in a late batch, a ball that should run by now runs. Between two steps commands may be queued, and the state is
        not that of any commit.
        """
        now = self._begin_batch()
        self._check_environment(now)
        queue, responses = self._queue, self._responses
        for request in first:
            responses.append(Response(request, self._outcome(request, now)))
            yield from self._evolve_deferred()
        ready = yield from self._tick(now)
        small = SMALL_STEPS
        for _ in range(min(BATCH_MAX, len(queue)) if ready else 0):
            request = queue.popleft()
            responses.append(Response(request, self._outcome(request, now)))
            small -= 1
            if self._deferred:
                yield from self._evolve_deferred()
            elif small <= 0 or type(request.command) not in _SMALL:
                yield
                small = SMALL_STEPS
        return self._end_batch(now)

    def commit(self, batch: Batch) -> None:
        """Commit a batch durably; on any thread, as nothing else happens here meanwhile."""
        if batch.page is not None:
            self.writer.commit(batch.page, batch.now)
            store_retired(self._tickets, self.house)

    def publish(self, batch: Batch) -> BatchOutput:
        """Publish the output of a committed batch at once."""
        deque(self.publishing(batch), maxlen=0)
        return batch.output

    def publishing(self, batch: Batch) -> Publishing:
        """Publish the output of a committed batch step by step. No other batch begins before the last of them."""
        yield from self.ports.outbox.publish(batch.output) or ()
        self.consistent = True

    @property
    def queued(self) -> int:
        """How many commands are queued."""
        return len(self._queue)

    def _begin_batch(self) -> Instant:
        """Begin a batch, unless one has failed: its state may not be committed, and nothing may follow it."""
        assert self.consistent
        self.consistent = False
        self._draft = self.writer.draft_page()
        self.house.tickets.retired.clear()
        now = self.ports.clock.now()
        assert now >= self.house.now
        return now

    def _end_batch(self, now: Instant) -> Batch:
        output, self._responses = BatchOutput(self._draft, self._responses), []
        page = self.writer.build_page(output.entries) if output.entries else None
        return Batch(now, page, output)

    def _commit(self, batch: Batch) -> BatchOutput:
        self.commit(batch)
        return self.publish(batch)

    def _outcome(self, request: Request, now: Instant) -> Outcome:
        """Return the outcome of one command: the cached one when its key is known, otherwise the house's decision."""
        device, key, epoch = request.device, request.key, self.writer.epoch
        try:
            digest = request.digest or request_digest(request)
        except (ValueError, OverflowError) as error:
            # What cannot be encoded could not be committed either.
            return self._failed(request, error, now)
        # A device that is not enrolled is refused, and leaves no trace.
        if key is None or not (device in self.house.staff.devices or device == SYSTEM):
            return self._decided(request, None, now)
        number, known = key.number, self.idempotency.devices.get(device) or self.idempotency.add(device)
        # No epoch is above that of the writer.
        if key.epoch == epoch and (number > known.number or known.epoch < epoch):
            if not _INTEGER_MIN <= number <= _INTEGER_MAX:
                return refuse(Code.MALFORMED, None, f"No key may be beyond {_INTEGER_MAX}.", epoch=key.epoch)
            outcome = self._decided(request, (number, digest), now)
            known.store(key, digest, outcome)
            return outcome
        outcome = known.lookup(key, digest, epoch)
        if isinstance(outcome, Refusal) and outcome.code is Code.KEY_REUSED:
            self._alarm(IncidentKind.KEY_REUSED, device, now)
        return outcome

    def _decided(self, request: Request, cause: RowCause | None, now: Instant) -> Outcome:
        """Decide a command from outside and apply it. An exception changes nothing, and refuses this command only."""
        command, house, context = request.command, self.house, Context(now, request.device, request.person)
        if not self._room or type(command) is Collect:
            prepared = self._prepared(command)
            if isinstance(prepared, Refusal):
                return prepared
            command = prepared
        try:
            decision = decide(house, command, context)
        except Exception as error:  # noqa: BLE001 - the table's guard: deciding changes nothing, so nothing is lost
            return self._failed(request, error, now)
        if self.ports.observer is not None:
            self.ports.observer(command, context, decision)
        if isinstance(decision, tuple):
            return self._apply(decision, context, cause)
        return self._closed_ticket(command) or decision if decision.code in _NOT_THERE else decision

    def _prepared(self, command: AnyCommand) -> AnyCommand | Refusal:
        """Refuse new bets while the disk is nearly full, and number a slip that is to be printed."""
        if not self._room and isinstance(command, GameCommand) and not isinstance(command, _GIVES_BACK):
            return refuse(Code.DISK_LOW, None, "The disk is nearly full: no new bets are taken.")
        if type(command) is Collect and command.validation is None and self.ports.validates is not None:
            # Like the time, it is set when the command is decided: it belongs to the next sequence of all terminals.
            return replace(command, validation=self.ports.validates(self.house.tickets.next_number))
        return command

    def _closed_ticket(self, command: AnyCommand) -> Refusal | None:
        """Return the refusal for a command about a ticket that has left the state."""
        match self._tickets, command:
            case TicketIndex() as tickets, RedeemTicket() | InsertTicket() | TransferTicket():
                # What left the state in this batch is not in the index yet.
                leaving = (each for each in self.house.tickets.retired.values() if each.digest == command.digest)
                found = next(leaving, None) or tickets.by_digest(command.digest)
            case TicketIndex() as tickets, ReprintTicket() | VoidTicket() | ReleaseTicket() | ReportLost():
                found = self.house.tickets.retired.get(command.sequence) or tickets.by_sequence(command.sequence)
            case _:
                return None
        return None if found is None else payment_objection(self.house, found)

    def _failed(self, request: Request, error: Exception, now: Instant) -> Refusal:
        if request.device in self.house.staff.devices or request.device == SYSTEM:
            facts = IncidentFacts(command=type(request.command).__name__, error=type(error).__name__)
            self._alarm(IncidentKind.COMMAND_FAILED, request.device, now, facts)
        return refuse(Code.COMMAND_FAILED, None, "The house could not work this out: nothing was done.")

    def _apply(self, events: Events, context: Context, cause: RowCause | None) -> Accepted:
        house, draft = self.house, self._draft
        first, day = draft.first + len(draft.added), house.day
        for event in events:
            if type(event) is BetsChanged:
                rulebook = evolve_bets(house, event, event.how, context.now).rulebook.digest
            elif Part.TERMINALS in EVENTS[type(event)].touches and self._is_large(event):
                applied = draft.first + len(draft.added) - first
                self._deferred = [(each, context, cause) for each in events[applied:]]
                break
            else:
                evolve(house, event, context)
                rulebook = rulebook_of(house, event)
            draft.add((event, context, day, rulebook, cause))
        # Mostly one event, and one integer: it stays in memory for a while.
        last = first if len(events) == 1 else first + len(events) - 1
        if cause is None or last < first:
            return Accepted(first, last)
        number, digest = cause
        return AcceptedRow(first, last, self.writer.epoch, number, digest)

    def _is_large(self, event: Event) -> bool:
        """Return whether an event that touches all terminals of its table touches many."""
        tables = self.house.tables
        return any(len(tables[table].terminals) > LARGE_TABLE for table in event.tables_in(self.house))

    def _evolve_deferred(self) -> Iterator[None]:
        """Apply the events of the last decision that were deferred, in bounded steps: nothing is decided meanwhile."""
        deferred, self._deferred = self._deferred, []
        for event, context, cause in deferred:
            yield
            evolve(self.house, event, context)
            self._draft.add((event, context, self.house.day, rulebook_of(self.house, event), cause))
        if deferred:
            yield

    def _perform(self, command: AnyCommand, now: Instant) -> bool:
        """Run one of the house's own commands; return whether it gave any events."""
        context = Context(now, SYSTEM)
        decision = decide(self.house, command, context)
        if self.ports.observer is not None:
            self.ports.observer(command, context, decision)
        assert not isinstance(decision, Refusal), decision.message
        self._apply(decision, context, None)
        return bool(decision)

    def _alarm(self, kind: IncidentKind, subject: str, now: Instant, facts: IncidentFacts = _NO_FACTS) -> None:
        """Raise an alarm, unless the house has no staff yet or the same alarm is still open."""
        if self.house.setup.mode is not None and not (kind in _ONCE and self._is_open(kind, subject)):
            self._perform(RaiseAlarm(kind, subject, facts), now)

    def _is_open(self, kind: IncidentKind, subject: str) -> bool:
        """Return whether the same alarm was raised and is not cleared."""
        open_ = (each for each in self.house.incidents.all.values() if each.cleared_by is None)
        return any(each.kind is kind and each.subject == subject for each in open_)

    def _check_environment(self, now: Instant) -> None:
        """Raise an alarm when the wall clock was moved, or the disk has filled up."""
        if self.house.setup.mode is None:
            return
        drift = self.ports.clock.wall() - now
        if abs(drift - self._drift) > DRIFT_MAX:
            facts = IncidentFacts(seconds=drift // SECOND, before=self._drift // SECOND)
            self._alarm(IncidentKind.CLOCK_JUMPED, "system", now, facts)
            self._drift = drift
        room, self._room = self._room, self.ports.has_room()
        if room and not self._room:
            self._alarm(IncidentKind.DISK_LOW, "system", now)

    def _tick(self, now: Instant) -> Generator[None, None, bool]:
        """Fire what is due, the gaming day first, up to TIMERS_MAX; return whether commands may be decided."""
        calendar, ends = self.ports.calendar, self.house.day_ends_at
        if calendar is not None and self.house.setup.mode is not None and (ends is None or ends <= now):
            self._perform(Tick(*calendar(now)), now)
        for _ in range(TIMERS_MAX):
            if (at := due(self.house)) is None or at > now:
                return True
            progress = self._perform(Tick(), now)
            assert progress
            yield from self._evolve_deferred()
        # More may be due. Timers fire in their order, and no bet may come before a close that is late.
        return not is_table_due(self.house, now)


def rulebook_of(house: House, event: Event) -> str:
    """Return the digest of the rulebook of an event's table or terminal; empty for the whole house."""
    if isinstance(event, PositionEvent):
        return house.positions[event.position].seat.table.rulebook.digest
    if isinstance(event, TableEvent):
        return house.tables[event.table].rulebook.digest
    return house.rulebook_at(house.terminals[event.terminal]).digest if isinstance(event, TerminalEvent) else ""
