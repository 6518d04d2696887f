"""A driver: it starts the engine and founds a house by hand, with a clock that is moved and an outbox that is read."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from croupier.engine.archive import Archive
from croupier.engine.asked import Accepted, Asked, Batch, Outcome
from croupier.engine.handover import Handover, Override, read_back
from croupier.engine.port import Ports
from croupier.engine.run import Run
from croupier.house.command.any import AnyCommand
from croupier.house.command.round import Tick
from croupier.house.command.venue import AddTable, AddTerminal, AdoptRulebook, EnrolDevice, EnrolPerson, FoundHouse
from croupier.house.name import SECOND, Day, DeviceId, Instant, PersonId, TableId, TerminalId
from croupier.house.settings import Mode, TableSettings, TerminalSettings
from croupier.journal.anchor import MemoryAnchor
from croupier.journal.entry import Entry
from croupier.journal.memory import MemoryStore
from croupier.journal.signature import Signer
from croupier.journal.snapshot import MemorySnapshots
from croupier.rulebooks.canonical import canonical, read_canonical
from croupier.rules.refusal import Code, Refusal
from croupier.rules.rulebook import Rulebook

SOFTWARE: Final = "0.1"
TODAY: Final = Day(20261115)


@dataclass(slots=True)
class HandClock:
    """A clock that is moved by hand, and a clock on the wall that somebody may set."""

    at: int = 1_000 * SECOND
    off: int = 0

    def now(self) -> Instant:
        return Instant(self.at)

    def wall(self) -> Instant:
        return Instant(self.at + self.off)

    def pass_s(self, seconds: int) -> None:
        self.at += seconds * SECOND


@dataclass
class Letterbox:
    """An outbox that keeps what was released."""

    batches: list[Batch] = field(default_factory=list)

    def release(self, batch: Batch) -> None:
        self.batches.append(batch)

    @property
    def entries(self) -> list[Entry]:
        return [entry for batch in self.batches for entry in batch.entries]


class Silence:
    """An outbox that tells nobody."""

    def release(self, batch: Batch) -> None:
        """Let it be."""


def memory_archive() -> Archive:
    """An archive that holds nothing yet."""
    return Archive(MemoryStore(), MemoryAnchor(), MemorySnapshots(), Signer.new())


def stand(archive: Archive, older: Override | None = None) -> Handover:
    """Read back what an archive gives."""
    return read_back(archive, read_canonical, older)


def start(
    archive: Archive,
    ports: Ports | None = None,
    *,
    standing: Handover | None = None,
    run: type[Run] = Run,
) -> Run:
    """Start on an archive, or on what was read back of it; without ports nobody listens, and the clock stands still."""
    standing = standing or stand(archive)
    ports = ports or Ports(HandClock(max(HandClock().at, standing.house.now)), Silence())
    return run(archive, standing, ports)


def ask(run: Run, *wanted: Asked | AnyCommand) -> list[Outcome]:
    """Have commands taken in one batch: the house's own, or as they came in."""
    for each in wanted:
        assert run.submit(each if isinstance(each, Asked) else Asked(each)) is None
    return [answer.outcome for answer in run.step().answers]


def done(run: Run, *wanted: Asked | AnyCommand) -> None:
    """Have commands taken in one batch that the house must accept."""
    outcomes = ask(run, *wanted)
    assert all(isinstance(each, Accepted) for each in outcomes), outcomes


def code_of(outcome: Outcome) -> Code:
    """The code of an answer that must be a refusal."""
    assert isinstance(outcome, Refusal), outcome
    return outcome.code


def founding(
    rulebook: Rulebook,
    table: TableId,
    seats: Iterable[TerminalId],
    settings: TableSettings | None = None,
    house: FoundHouse | None = None,
) -> tuple[AnyCommand, ...]:
    """What founds a house with one table and its terminals, in order: for play money, unless it is told otherwise."""
    return (
        house or FoundHouse(Mode.DEMO, rulebook.venue, "UTC"),
        Tick(TODAY),
        AdoptRulebook(canonical(rulebook)),
        AddTable(table, rulebook.digest, settings or TableSettings()),
        *(AddTerminal(seat, (table,), TerminalSettings()) for seat in seats),
    )


def enrolling(devices: Iterable[DeviceId], people: Mapping[PersonId, str]) -> tuple[AnyCommand, ...]:
    """What enrols devices, and people with a title each."""
    titled = (EnrolPerson(person, (title,)) for person, title in people.items())
    return (*map(EnrolDevice, devices), *titled)
