"""Driver of the engine in tests: a run on a storage, with a clock moved by hand and a recording outbox."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from croupier.engine.follower import RecoveredState
from croupier.engine.ports import Accepted, BatchOutput, Outcome, Ports, Request
from croupier.engine.run import RollbackOverride, Run, recover_state
from croupier.engine.storage import Storage
from croupier.house import AnyCommand
from croupier.house.floor.setup import AddTable, AddTerminal, AdoptRulebook, CreateHouse
from croupier.house.floor.staff import EnrolDevice, EnrolPerson
from croupier.house.ids import SECOND, Day, DeviceId, Instant, PersonId, TableId, TerminalId
from croupier.house.settings import Mode, TableSettings, TerminalSettings
from croupier.house.timers import Tick
from croupier.journal.checkpoints import MemorySnapshots, Signer
from croupier.journal.entry import Entry
from croupier.journal.keystore import MemoryAnchor
from croupier.journal.stores.memory import MemoryStore
from croupier.rulebooks.schema import canonical, read_canonical
from croupier.rules.refusal import Code, Refusal, Refused
from croupier.rules.rulebook import Rulebook

SOFTWARE: Final = "0.1"
TODAY: Final = Day(20261115)


@dataclass(slots=True)
class HandClock:
    """A monotonic clock that a test advances, and a wall clock with an offset from it."""

    at: int = 1_000 * SECOND
    off: int = 0

    def now(self) -> Instant:
        return Instant(self.at)

    def wall(self) -> Instant:
        return Instant(self.at + self.off)

    def pass_s(self, seconds: int) -> None:
        self.at += seconds * SECOND


@dataclass
class RecordingOutbox:
    """An outbox that records the published batches."""

    batches: list[BatchOutput] = field(default_factory=list)

    def publish(self, batch: BatchOutput) -> None:
        self.batches.append(batch)

    @property
    def entries(self) -> list[Entry]:
        return [entry for batch in self.batches for entry in batch.entries]


class NullOutbox:
    """An outbox that discards every batch."""

    def publish(self, batch: BatchOutput) -> None:
        """Discard the batch."""


def memory_storage() -> Storage:
    """Return an empty storage in memory."""
    return Storage(MemoryStore(), MemoryAnchor(), MemorySnapshots(), Signer.new())


def stand(storage: Storage, older: RollbackOverride | None = None) -> RecoveredState:
    """Recover the state from a storage."""
    return recover_state(storage, read_canonical, older)


def start(
    storage: Storage,
    ports: Ports | None = None,
    *,
    standing: RecoveredState | None = None,
    run: type[Run] = Run,
) -> Run:
    """Start a run on a storage, or on its recovered state; the default ports discard output and stop the clock."""
    standing = standing or stand(storage)
    ports = ports or Ports(HandClock(max(HandClock().at, standing.house.now)), NullOutbox())
    return run(storage, standing, ports)


def ask(run: Run, *wanted: Request | AnyCommand) -> list[Outcome]:
    """Submit commands or requests in one batch; return their outcomes."""
    for each in wanted:
        assert run.submit(each if isinstance(each, Request) else Request(each)) is None
    return [answer.outcome for answer in run.step().responses]


def done(run: Run, *wanted: Request | AnyCommand) -> None:
    """Submit commands in one batch; all must be accepted."""
    outcomes = ask(run, *wanted)
    assert all(isinstance(each, Accepted) for each in outcomes), outcomes


def entries_of(outcome: Outcome) -> tuple[int, int]:
    """Return the first and the last entry of an accepted command."""
    assert isinstance(outcome, Accepted), outcome
    return outcome.first, outcome.last


def code_of(outcome: Outcome) -> Code:
    """Return the code of an outcome that must be a refusal."""
    assert isinstance(outcome, Refusal), outcome
    return outcome.code


def raised_code(find: Callable[..., object], *given: object) -> Code | None:
    """Return the code of the refusal that a call raises; None when it raises none."""
    try:
        find(*given)
    except Refused as refused:
        return refused.refusal.code
    return None


def provisioning(
    rulebook: Rulebook,
    table: TableId,
    seats: Iterable[TerminalId],
    settings: TableSettings | None = None,
    house: CreateHouse | None = None,
) -> tuple[AnyCommand, ...]:
    """Return the commands that provision a house with one table and its terminals; the default mode is play money."""
    return (
        house or CreateHouse(Mode.DEMO, rulebook.venue, "UTC"),
        Tick(TODAY),
        AdoptRulebook(canonical(rulebook)),
        AddTable(table, rulebook.digest, settings or TableSettings()),
        *(AddTerminal(seat, (table,), TerminalSettings()) for seat in seats),
    )


def enrolling(devices: Iterable[DeviceId], people: Mapping[PersonId, str]) -> tuple[AnyCommand, ...]:
    """Return the commands that enrol devices, and people with one title each."""
    titled = (EnrolPerson(person, (title,)) for person, title in people.items())
    return (*map(EnrolDevice, devices), *titled)
