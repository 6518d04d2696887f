"""Commands in arrival order, with the idempotency cache."""

import hashlib
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

import msgspec
from msgspec.structs import replace

from croupier.engine.ports import Accepted, Batch, BatchOutput, Outcome, Ports, Request, Response
from croupier.engine.ticket_index import TicketIndex, store_retired
from croupier.house.base import Event, Events, GameCommand, TableEvent, TerminalEvent
from croupier.house.commands import AnyCommand
from croupier.house.commands.credit import (
    Collect,
    InsertTicket,
    RedeemTicket,
    ReleaseTicket,
    ReportLost,
    ReprintTicket,
    VoidTicket,
)
from croupier.house.commands.play import CancelRecall, ClearBets, RemoveBets, UndoBet
from croupier.house.commands.record import IncidentKind, RaiseAlarm
from croupier.house.commands.rounds import Tick
from croupier.house.dispatch import decide, evolve
from croupier.house.events.play import BetsChanged
from croupier.house.ids import SECOND, SYSTEM, Context, DeviceId, Instant
from croupier.house.state import House
from croupier.house.tickets import payment_objection
from croupier.house.timers import due, is_table_due
from croupier.journal.entry import Cause, Entry, IdempotencyKey
from croupier.journal.writer import Writer
from croupier.rules.refusal import Code, Refusal, refuse

#: How many answers are kept at least for each device, of either kind: more than any client may have under way at once.
RESPONSES_MIN: Final = 48
#: How many characters of a digest are kept, 64 bits: a device that finds two commands with the same deceives itself.
DIGEST_CHARS: Final = 16
#: What every journal and browser can write down exactly.
_MOST: Final = 2**53 - 1
#: At so many the oldest are let go, all at once.
RESPONSES_MAX: Final = 2 * RESPONSES_MIN


class CachedResponse(msgspec.Struct, frozen=True, gc=False):
    """An answer that was given: to what, and what it was."""

    #: The first part of the digest of the command: enough to tell two commands under one key apart.
    request_digest: str
    outcome: Outcome


class AcceptedRow(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True, gc=False):
    """An accepted command as a snapshot has it."""

    epoch: int
    number: int
    digest: bytes
    first: int
    last: int


#: What one device was answered, by key: as keys rise, so that the last is the highest. A dict of values that hold no
#: others is none of the garbage collector's business, as any other container would be.
Responses = dict[IdempotencyKey, CachedResponse]


@dataclass(slots=True)
class IdempotencyCache:
    """The last answers of every device: those that have entries in the journal, and those that it knows nothing of.

    Neither pushes the other out, so that what a start reads from the journal is what was remembered before.
    """

    committed: dict[DeviceId, Responses] = field(default_factory=dict)
    transient: dict[DeviceId, Responses] = field(default_factory=dict)
    #: The highest key of each device that was answered.
    highest: dict[DeviceId, IdempotencyKey] = field(default_factory=dict)

    def lookup(self, device: DeviceId, cause: Cause, epoch: int) -> Outcome | None:
        """Say what a key was answered, or why it cannot be; None where it is new."""
        key, highest = cause.key, self.highest.get(device)
        if key.epoch == epoch and (
            highest is None or highest.epoch < epoch or (highest.epoch == epoch and highest.number < key.number)
        ):
            return None
        before = self.committed.get(device, _NONE).get(key) or self.transient.get(device, _NONE).get(key)
        if before is not None:
            return before.outcome if before.request_digest == cause.request_digest[:DIGEST_CHARS] else _reused(key)
        return _ahead(key, epoch) if key.epoch > epoch else _stale(key)

    def store(self, device: DeviceId, cause: Cause, outcome: Outcome) -> None:
        lasts = type(outcome) is Accepted and outcome.last >= outcome.first
        devices = self.committed if lasts else self.transient
        answers = devices.get(device)
        if answers is None:
            answers = devices[device] = {}
        answers[cause.key] = CachedResponse(cause.request_digest[:DIGEST_CHARS], outcome)
        self.highest[device] = cause.key
        if len(answers) >= RESPONSES_MAX:
            for key in tuple(answers)[:-RESPONSES_MIN]:
                del answers[key]

    def rebuild_from(self, entry: Entry) -> None:
        """Take an entry that was kept for what it proves: that its command was accepted."""
        if entry.cause is None:
            return
        before = self.committed.get(entry.context.device, _NONE).get(entry.cause.key)
        first = before.outcome.first if before and isinstance(before.outcome, Accepted) else entry.position
        self.store(entry.context.device, entry.cause, Accepted(first, entry.position))

    def last(self, device: DeviceId, epoch: int) -> int:
        """Tell the highest number that a device has had answered in an epoch; 0 where it has had none."""
        highest = self.highest.get(device)
        return highest.number if highest is not None and highest.epoch == epoch else 0

    def durable(self) -> "IdempotencyCache":
        """Leave out what the journal does not have, and what may be forgotten: the rest follows from it alone."""
        return IdempotencyCache.from_rows(rows_of(self.committed))

    @classmethod
    def from_rows(cls, rows: Mapping[str, list[AcceptedRow]]) -> "IdempotencyCache":
        """Remember again what rows tell."""
        kept = {
            DeviceId(device): {
                IdempotencyKey(each.epoch, each.number): CachedResponse(
                    each.digest.hex(), Accepted(each.first, each.last)
                )
                for each in answered
            }
            for device, answered in rows.items()
        }
        return cls(kept, highest={device: next(reversed(answers)) for device, answers in kept.items()})


def rows_of(kept: Mapping[DeviceId, Responses], position: int = _MOST) -> dict[str, list[AcceptedRow]]:
    """Give the last commands of each device that were accepted up to a position, as rows; on any thread."""
    listed = ((device, _rows(answers, position)) for device, answers in kept.items())
    return {device: rows[-RESPONSES_MIN:] for device, rows in listed if rows}


def _rows(answers: Responses, position: int) -> list[AcceptedRow]:
    # Copied in one step that no other thread interrupts.
    return [
        AcceptedRow(key.epoch, key.number, bytes.fromhex(each.request_digest), each.outcome.first, each.outcome.last)
        for key, each in answers.copy().items()
        if isinstance(each.outcome, Accepted) and each.outcome.last <= position
    ]


def request_digest(asked: Request) -> str:
    """Digest what was asked and who signed it; ValueError or OverflowError where not all of it can be written down."""
    key = asked.key
    if key is not None and not (-_MOST <= key.epoch <= _MOST and -_MOST <= key.number <= _MOST):
        raise OverflowError
    return hashlib.sha256(_ENCODER.encode((asked.command, asked.person))).hexdigest()


_ENCODER = msgspec.json.Encoder()


_NONE: Final[Responses] = {}


def _reused(key: IdempotencyKey) -> Refusal:
    says = "This key was used for another command: nothing was done, and staff are told."
    return refuse(Code.KEY_REUSED, None, says, epoch=key.epoch, number=key.number)


def _ahead(key: IdempotencyKey, epoch: int) -> Refusal:
    """Whoever began that epoch knows the answer: this run may be a replaced one, and cannot say what was not done."""
    says = f"This key is of epoch {key.epoch}, and the house is in epoch {epoch}: what became of it is not known here."
    return refuse(Code.EPOCH_AHEAD, None, says, epoch=key.epoch, number=key.number, current=epoch)


def _stale(key: IdempotencyKey) -> Refusal:
    says = "This key is of a past epoch, or older than one that was answered: nothing is done now."
    return refuse(Code.KEY_STALE, None, says, epoch=key.epoch, number=key.number)


#: How many commands may wait: what comes then is refused as busy, not taken late.
QUEUE_MAX: Final = 10_000
#: How many commands are taken into one batch.
BATCH_MAX: Final = 1_000
#: How many timers fire in one batch: the rest fire in the batches after it, with commands between them.
TIMERS_MAX: Final = 100
#: By how much the wall clock may move against the house's before that is put on record.
DRIFT_MAX: Final = 2 * SECOND
#: What one device could raise with every message that it sends.
_ONCE: Final = (IncidentKind.KEY_REUSED, IncidentKind.COMMAND_FAILED)
_FULL: Final = refuse(Code.BUSY, None, "Too much is waiting: nothing was done, try again.", waiting=QUEUE_MAX)
_FULL_STILL: Final = refuse(Code.BUSY, None, "Too much is waiting to say what came of that: ask again.")
#: What a house says of a ticket that is not in its state.
_NOT_THERE: Final = (Code.TICKET_UNKNOWN, Code.UNKNOWN_RECORD)
#: What gives chips back is taken also where there is no room for new bets.
_GIVES_BACK: Final = (CancelRecall, ClearBets, RemoveBets, UndoBet)


class Sequencer:
    """Takes commands in the order in which they came. Anything raised here is its end: only a new start goes on."""

    def __init__(
        self, house: House, writer: Writer, keys: IdempotencyCache, ports: Ports, tickets: TicketIndex | None = None
    ) -> None:
        self.house, self.writer, self.idempotency, self.ports, self._tickets = house, writer, keys, ports, tickets
        self._queue: deque[Request] = deque()
        #: The highest number of each device under which something has come in this epoch.
        self._heard: dict[DeviceId, int] = {}
        self._entries: list[Entry] = []
        self._answers: list[Response] = []
        self._drift = 0
        self._room = True
        #: Whether memory is what was kept: not while a turn is under way, and never again once one was cut short.
        self.consistent = True

    @property
    def has_room(self) -> bool:
        """Whether the disk had room for new bets when it was last looked at."""
        return self._room

    def submit(self, asked: Request) -> Refusal | None:
        """Let a command wait for its turn, or say that too many do."""
        if len(self._queue) >= QUEUE_MAX:
            return _FULL_STILL if self.is_known(asked) else _FULL
        key, device = asked.key, asked.device
        if key is not None and key.epoch == self.writer.epoch and key.number > self._heard.get(device, 0):
            self._heard[device] = key.number
        self._queue.append(asked)
        return None

    def is_known(self, asked: Request) -> bool:
        """Tell whether a command may have come before: then nobody may be told that nothing was done."""
        key = asked.key
        return key is not None and (key.epoch != self.writer.epoch or key.number <= self._heard.get(asked.device, 0))

    def due(self) -> Instant | None:
        """Tell when the next step matters: at once where something waits."""
        return self.house.now if self._queue else due(self.house)

    def step(self) -> BatchOutput:
        """Do what is due, take what waits, have it all kept, and only then tell."""
        return self._commit(self.build_batch())

    def run_commands(self, *commands: AnyCommand) -> BatchOutput:
        """Do what the house asks of itself, as a batch of its own: all of it or nothing."""
        now = self._turn()
        for command in commands:
            self._perform(command, now)
        return self._commit(self._drawn_up(now))

    def build_batch(self, first: Iterable[Request] = ()) -> Batch:
        """Do what is due and take what waits. Nobody is told, and nothing more is taken, until the turn was kept.

        What the house's own wheels report comes first: in a turn that is late, a ball that was to run by now runs.
        """
        now = self._turn()
        self._check_environment(now)
        queue, answers = self._queue, self._answers
        for asked in first:
            answers.append(Response(asked, self._outcome(asked, _digested(asked), now)))
        most = BATCH_MAX if self._tick(now) else 0
        taken = [queue.popleft() for _ in range(min(most, len(queue)))]
        # One kind of work after the other: a processor does the same thing many times over in less time.
        for asked, digest in zip(taken, list(map(_digested, taken)), strict=True):
            answers.append(Response(asked, self._outcome(asked, digest, now)))
        return self._drawn_up(now)

    def commit(self, turn: Batch) -> None:
        """Have a turn kept; on any thread, as nothing else is done here meanwhile."""
        if turn.page is not None:
            self.writer.commit(turn.page, turn.now)
            store_retired(self._tickets, self.house)

    def publish(self, turn: Batch) -> BatchOutput:
        """Tell what came of a turn that was kept."""
        self.ports.outbox.publish(turn.output)
        self.consistent = True
        return turn.output

    @property
    def queued(self) -> int:
        """How many commands wait for their turn."""
        return len(self._queue)

    def _turn(self) -> Instant:
        """Begin a turn, unless one was cut short: nobody may go on from a state that may never have been kept."""
        assert self.consistent
        self.consistent = False
        self.house.retired.clear()
        now = self.ports.clock.now()
        assert now >= self.house.now
        return now

    def _drawn_up(self, now: Instant) -> Batch:
        batch = BatchOutput(self._entries, self._answers)
        self._entries, self._answers = [], []
        page = self.writer.build_page(batch.entries) if batch.entries else None
        return Batch(now, page, batch)

    def _commit(self, turn: Batch) -> BatchOutput:
        self.commit(turn)
        return self.publish(turn)

    def _outcome(self, asked: Request, digest: str | Exception, now: Instant) -> Outcome:
        """Answer one command: as before where its key is known, and otherwise as the house decides."""
        if isinstance(digest, Exception):
            return self._given_up(asked, digest, now)
        cause = None if asked.key is None else Cause(asked.key, digest)
        # Whoever does not belong here is told so, and leaves no trace.
        if cause is None or not self._enrolled(asked):
            return self._guarded(asked, cause, now)
        device, keys = asked.device, self.idempotency
        outcome = keys.lookup(device, cause, self.writer.epoch)
        if outcome is None:
            outcome = self._guarded(asked, cause, now)
            keys.store(device, cause, outcome)
        elif isinstance(outcome, Refusal) and outcome.code is Code.KEY_REUSED:
            self._alarm(IncidentKind.KEY_REUSED, device, outcome.says, now)
        return outcome

    def _enrolled(self, asked: Request) -> bool:
        return asked.device in self.house.devices or asked.device == SYSTEM

    def _guarded(self, asked: Request, cause: Cause | None, now: Instant) -> Outcome:
        """Decide a command from outside. One that cannot be worked out changes nothing and stops nobody."""
        command = asked.command
        if not self._room and isinstance(command, GameCommand) and not isinstance(command, _GIVES_BACK):
            return refuse(Code.DISK_LOW, None, "The disk is nearly full: no new bets are taken.")
        if type(command) is Collect and command.validation is None and self.ports.validates is not None:
            # Like the time, it is handed in at the command's turn: it belongs to the next sequence of all terminals.
            command = replace(command, validation=self.ports.validates(self.house.next_ticket))
        context = Context(now, asked.device, asked.person)
        try:
            decision = decide(self.house, command, context)
        except Exception as error:  # noqa: BLE001 - the table's guard: deciding changes nothing, so nothing is lost
            return self._given_up(asked, error, now)
        if self.ports.observer is not None:
            self.ports.observer(command, context, decision)
        if isinstance(decision, Refusal):
            return self._told_of_closed(command) or decision if decision.code in _NOT_THERE else decision
        return self._carry_out(decision, context, cause)

    def _told_of_closed(self, command: AnyCommand) -> Refusal | None:
        """Say what became of a ticket that has left the state, where a command is about one."""
        match self._tickets, command:
            case TicketIndex() as tickets, RedeemTicket() | InsertTicket():
                # What left the state in this batch is not in the index yet.
                leaving = (each for each in self.house.retired.values() if each.digest == command.digest)
                found = next(leaving, None) or tickets.by_digest(command.digest)
            case TicketIndex() as tickets, ReprintTicket() | VoidTicket() | ReleaseTicket() | ReportLost():
                found = self.house.retired.get(command.sequence) or tickets.by_sequence(command.sequence)
            case _:
                return None
        return None if found is None else payment_objection(self.house, found)

    def _given_up(self, asked: Request, error: Exception, now: Instant) -> Refusal:
        if self._enrolled(asked):
            words = f"{type(asked.command).__name__} could not be worked out: {type(error).__name__}."
            self._alarm(IncidentKind.COMMAND_FAILED, asked.device, words, now)
        return refuse(Code.COMMAND_FAILED, None, "The house could not work this out: nothing was done.")

    def _carry_out(self, events: Events, context: Context, cause: Cause | None) -> Accepted:
        house, entries, day, epoch = self.house, self._entries, self.house.day, self.writer.epoch
        first = position = self.writer.head.position + len(entries) + 1
        for event in events:
            evolve(house, event, context)
            rulebook = rulebook_of(house, event)
            entries.append(Entry(position, epoch, day, context, rulebook, cause, event))
            position += 1
        return Accepted(first, position - 1)

    def _perform(self, command: AnyCommand, now: Instant) -> bool:
        """Do what the house asks of itself; tell whether anything came of it."""
        context = Context(now, SYSTEM)
        decision = decide(self.house, command, context)
        if self.ports.observer is not None:
            self.ports.observer(command, context, decision)
        assert not isinstance(decision, Refusal), decision.says
        self._carry_out(decision, context, None)
        return bool(decision)

    def _alarm(self, kind: IncidentKind, subject: str, words: str, now: Instant) -> None:
        """Tell staff; before a house is founded there is nobody to tell, and what stands is not told again."""
        if self.house.mode is not None and not (kind in _ONCE and self._stands(kind, subject)):
            self._perform(RaiseAlarm(kind, subject, words), now)

    def _stands(self, kind: IncidentKind, subject: str) -> bool:
        """Tell whether staff have been told of this and have not seen to it yet."""
        told = (each for each in self.house.incidents.values() if each.cleared_by is None)
        return any(each.kind is kind and each.subject == subject for each in told)

    def _check_environment(self, now: Instant) -> None:
        """Note a wall clock that was moved, and a disk that has filled up."""
        if self.house.mode is None:
            return
        drift = self.ports.clock.wall() - now
        if abs(drift - self._drift) > DRIFT_MAX:
            words = f"The wall clock is {drift // SECOND} s ahead of the house's; it was {self._drift // SECOND} s."
            self._alarm(IncidentKind.CLOCK_JUMPED, "system", words, now)
            self._drift = drift
        room, self._room = self._room, self.ports.has_room()
        if room and not self._room:
            words = "The disk is nearly full: no new bets are taken, and what is under way is settled."
            self._alarm(IncidentKind.DISK_LOW, "system", words, now)

    def _tick(self, now: Instant) -> bool:
        """Fire what is due, the gaming day first, as far as one batch goes; tell whether commands may be decided."""
        calendar, ends = self.ports.calendar, self.house.day_ends_at
        if calendar is not None and self.house.mode is not None and (ends is None or ends <= now):
            self._perform(Tick(*calendar(now)), now)
        for _ in range(TIMERS_MAX):
            if (at := due(self.house)) is None or at > now:
                return True
            progress = self._perform(Tick(), now)
            assert progress
        # More may be due. Timers fire in their order, and no bet may come before a close that is late.
        return not is_table_due(self.house, now)


def _digested(asked: Request) -> str | Exception:
    """Digest what was asked; or say why it cannot be written down, as then it could not be kept either."""
    try:
        return request_digest(asked)
    except (ValueError, OverflowError) as error:
        return error


#: What names its table.
_HAS_TABLE: Final = (BetsChanged, TableEvent)


def rulebook_of(house: House, event: Event) -> str:
    """Name the rulebook of the table or terminal that an event concerns, by its digest; none for the whole house."""
    if isinstance(event, _HAS_TABLE):
        return house.tables[event.table].rulebook.digest
    return house.rulebook_at(house.terminals[event.terminal]).digest if isinstance(event, TerminalEvent) else ""
