"""An older copy: a house in Adelaide with slips that are out, in a directory or in memory, put back to what it was."""

import shutil
from itertools import count
from pathlib import Path

from croupier.engine.archive import Archive, open_archive
from croupier.engine.asked import Accepted, Asked, Batch, Outcome
from croupier.engine.handover import Override, read_back
from croupier.engine.port import Ports
from croupier.engine.run import Run
from croupier.house.command.any import AnyCommand
from croupier.house.command.credit import Collect, ConfirmPrint, InsertNote, OpenDrawer, RedeemTicket, Validation
from croupier.house.command.round import Tick
from croupier.house.command.venue import AddTable, AddTerminal, AdoptRulebook, EnrolDevice, EnrolPerson, FoundHouse
from croupier.house.name import DeviceId, DrawerId, Instant, Number, PersonId, TableId, TerminalId
from croupier.house.settings import Mode, TableSettings, TerminalSettings
from croupier.house.stamp import SYSTEM
from croupier.journal.anchor import Anchored, MemoryAnchor
from croupier.journal.entry import Key
from croupier.journal.memory import MemoryStore
from croupier.journal.safe import Safe
from croupier.journal.signature import Signer
from croupier.journal.snapshot import MemorySnapshots
from croupier.rulebooks.canonical import canonical, read_canonical
from croupier.rules.money import Cents
from croupier.rules.refusal import Code, Refusal
from tests.conftest import venue
from tests.till import TODAY

ADELAIDE, T1, TABLE, DRAWER = "skycity-adelaide-2003", TerminalId("T1"), TableId("table 1"), DrawerId("D1")
ONE, TWO, THREE = map(Number, (1, 2, 3))
FIRST, SECOND = BOTH = PersonId("manager 1"), PersonId("manager 2")
WORDS, TEN = "The disk failed.", Cents(1_000)
CASHIER, INSPECTORS = PersonId("cashier"), (PersonId("inspector 1"), PersonId("inspector 2"))
PEOPLE = {CASHIER: "Cashier", **dict.fromkeys(INSPECTORS, "Inspector"), **dict.fromkeys(BOTH, "Shift Manager")}
DESK, PIT, SOFTWARE = DeviceId("desk"), DeviceId("pit"), "test"
OLDER = Override(BOTH, WORDS)


class Clock:
    """A clock that goes on by a second each time that somebody looks."""

    def __init__(self, since: Instant) -> None:
        self._instants = count(since + 1_000_000, 1_000_000)

    def now(self) -> Instant:
        return Instant(next(self._instants))

    def wall(self) -> Instant:
        return self.now()


class Counter:
    """Takes what is told."""

    def release(self, batch: Batch) -> None:
        """It is the run's own answer that is looked at."""


def start(archive: Archive, older: Override | None = None) -> Run:
    handover = read_back(archive, read_canonical, SOFTWARE, older)
    return Run(archive, handover, Ports(Clock(handover.house.now), Counter()), SOFTWARE)


def asked(
    run: Run, command: AnyCommand, device: DeviceId = SYSTEM, person: str = "", key: Key | None = None
) -> Outcome:
    assert run.submit(Asked(command, device, PersonId(person), key)) is None
    (answer,) = run.step().answers
    return answer.outcome


def done(run: Run, command: AnyCommand, device: DeviceId = SYSTEM, person: str = "") -> None:
    outcome = asked(run, command, device, person)
    assert isinstance(outcome, Accepted), outcome


def refused(run: Run, command: AnyCommand, device: DeviceId, person: str = "", key: Key | None = None) -> Code:
    outcome = asked(run, command, device, person, key)
    assert isinstance(outcome, Refusal), outcome
    return outcome.code


def set_up(run: Run) -> None:
    """A house in Adelaide with one terminal, its people and a drawer, and two slips that are out."""
    rulebook = venue(ADELAIDE)
    commands: list[AnyCommand] = [
        FoundHouse(Mode.REAL, rulebook.venue, "Australia/Adelaide"),
        AdoptRulebook(canonical(rulebook)),
        AddTable(TABLE, rulebook.digest, TableSettings()),
        AddTerminal(T1, (TABLE,), TerminalSettings()),
        *(EnrolDevice(device) for device in (DESK, PIT)),
        *(EnrolPerson(person, (title,)) for person, title in PEOPLE.items()),
        Tick(TODAY),
    ]
    for command in commands:
        done(run, command)
    done(run, OpenDrawer(DRAWER, Cents(100_000)), DESK, CASHIER)
    issue(run)
    issue(run)


def issue(run: Run) -> Number:
    """Put a note into the terminal, and take it out as a slip."""
    number = run.house.next_ticket
    done(run, InsertNote(T1, "AUD", TEN), DeviceId(T1))
    done(run, Collect(T1, Validation(number, f"digest {number}", f"{number:04d}")), DeviceId(T1))
    done(run, ConfirmPrint(T1, number), DeviceId(T1))
    return number


def paying(number: int) -> RedeemTicket:
    return RedeemTicket(DRAWER, f"digest {number}")


def opened(data: Path) -> Archive:
    return open_archive(data, Safe.beside(data))


def shut(archive: Archive) -> None:
    archive.close()


def rolled_back(tmp_path: Path) -> tuple[Path, Anchored]:
    """A data directory from before a slip was paid and another issued, and what was anchored after that."""
    data, copy = tmp_path / "data", tmp_path / "copy"
    run = start(opened(data))
    set_up(run)
    run.stop()
    shutil.copytree(data, copy)
    run = start(opened(data))
    done(run, paying(1), DESK, CASHIER)
    assert issue(run) == THREE
    anchored = run.archive.anchor.read()
    run.stop()
    shutil.rmtree(data)
    shutil.copytree(copy, data)
    return data, anchored


def in_memory() -> Archive:
    """A house that has had one run, in memory."""
    archive = Archive(MemoryStore(), MemoryAnchor(), MemorySnapshots(), Signer.new())
    run = start(archive)
    set_up(run)
    run.take_snapshot()
    return archive


def copied(archive: Archive, *, pages: int | None = None, checkpoints: int | None = None) -> Archive:
    """The same journal up to some page and checkpoint, in a store of its own with the same anchor."""
    old, copy = archive.store, MemoryStore()
    assert isinstance(old, MemoryStore)
    copy.epoch, copy.kept, copy.signed = old.epoch, old.kept[:pages], old.signed[:checkpoints]
    return archive._replace(store=copy)


def anchored_as(archive: Archive, anchored: Anchored) -> Archive:
    """The same, with an anchor of its own."""
    anchor = MemoryAnchor()
    anchor.write(anchored)
    return archive._replace(anchor=anchor)
