"""A venue on disk: a real data directory with its safe, made by runs with a clock that is moved by hand."""

import shutil
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from croupier import rulebook
from croupier.engine.archive import JOURNAL, SNAPSHOT, open_archive
from croupier.engine.asked import Accepted, Asked, Batch
from croupier.engine.handover import read_back
from croupier.engine.port import Ports
from croupier.engine.run import Run
from croupier.house.command.any import AnyCommand
from croupier.house.command.credit import GrantPlayMoney
from croupier.house.command.play import ClearBets, PlaceBets
from croupier.house.command.round import BallAtRest, CloseBets, OpenBets, SpinBall, Tick
from croupier.house.command.venue import AddTable, AddTerminal, AdoptRulebook, EnrolDevice, EnrolPerson, FoundHouse
from croupier.house.name import SECOND, Day, DeviceId, Instant, PersonId, TableId, TerminalId
from croupier.house.settings import Mode, TableSettings, TerminalSettings
from croupier.house.stamp import SYSTEM
from croupier.journal.entry import Key
from croupier.journal.safe import Safe
from croupier.rulebooks.canonical import canonical, read_canonical
from croupier.rules.money import Cents
from croupier.rules.pocket import Pocket
from croupier.rules.staff import Duty

SOFTWARE = version("croupier")
RULEBOOK = "marina-bay-sands-2020"
TABLE = TableId("roulette 7")
T1, T2 = TerminalId("terminal 71"), TerminalId("terminal 72")
DEALER, CONSOLE = PersonId("dealer 14"), DeviceId("console 7")
MANAGERS = (PersonId("manager 1"), PersonId("manager 2"))
#: The fifteenth of November 2026, at six in the evening.
EVENING = Instant(1_794_765_600 * SECOND)


class Site(NamedTuple):
    """Where a data directory and its safe lie."""

    data: Path
    safe: Path

    @classmethod
    def in_(cls, folder: Path) -> "Site":
        return cls(folder / "data", folder / "data.safe")

    @property
    def journal(self) -> Path:
        return self.data / JOURNAL

    @property
    def wal(self) -> Path:
        return self.data / f"{JOURNAL}-wal"

    @property
    def snapshot(self) -> Path:
        return self.data / SNAPSHOT

    @property
    def anchor(self) -> Path:
        return self.safe / "anchor"

    def copied(self, folder: Path) -> "Site":
        """Copy both as they lie there now."""
        copy = Site.in_(folder)
        shutil.copytree(self.data, copy.data)
        shutil.copytree(self.safe, copy.safe)
        return copy


class HandClock:
    """A clock that stands until it is moved."""

    def __init__(self, at: Instant) -> None:
        self.at = at

    def now(self) -> Instant:
        return self.at

    def wall(self) -> Instant:
        return self.at

    def move(self, seconds: int) -> None:
        self.at = Instant(self.at + seconds * SECOND)


class Nobody:
    """Nobody listens."""

    def release(self, batch: Batch) -> None:
        """Let it be."""


class VenueOnDisk:
    """One table and two terminals, run again and again on the same data directory."""

    def __init__(self, folder: Path) -> None:
        self.site = Site.in_(folder)
        self.clock = HandClock(EVENING)
        self.begin()
        self._number = 0
        book = rulebook(RULEBOOK)
        self.ask(FoundHouse(Mode.DEMO, book.venue, "UTC"), Tick(Day(20261115)), AdoptRulebook(canonical(book)))
        self.ask(AddTable(TABLE, book.digest, TableSettings()), EnrolPerson(DEALER, ("Dealer",)), EnrolDevice(CONSOLE))
        self.ask(*(EnrolPerson(person, (book.staff.titles_for(Duty.MANAGE)[0],)) for person in MANAGERS))
        for terminal in (T1, T2):
            self.ask(AddTerminal(terminal, (TABLE,), TerminalSettings()), GrantPlayMoney(terminal, Cents(1_000_00)))

    def begin(self) -> Run:
        archive = open_archive(self.site.data, Safe(self.site.safe))
        handover = read_back(archive, read_canonical, SOFTWARE)
        self.run = Run(archive, handover, Ports(self.clock, Nobody()), SOFTWARE)
        return self.run

    def ask(self, *commands: AnyCommand, device: DeviceId = SYSTEM, person: PersonId = PersonId("")) -> Batch:
        """Ask in one batch for what cannot be refused here."""
        self.clock.move(1)
        for command in commands:
            self._number += 1
            key = None if device == SYSTEM else Key(self.run.epoch, self._number)
            assert self.run.submit(Asked(command, device, person, key)) is None
        batch = self.run.step()
        assert all(isinstance(answer.outcome, Accepted) for answer in batch.answers), batch.answers
        return batch

    def deal(self, *commands: AnyCommand) -> None:
        for command in commands:
            self.ask(command, device=CONSOLE, person=DEALER)

    def bet(self, terminal: TerminalId, *bets: tuple[str, int]) -> None:
        number = self.run.house.tables[TABLE].rounds
        self.ask(PlaceBets(terminal, TABLE, number, 1, bets), device=DeviceId(terminal))

    def open_round(self) -> None:
        """Open a round in which both play, and one thinks better of the first bet."""
        self.deal(OpenBets(TABLE))
        self.bet(T1, ("17", 5_00), ("17/20", 10_00))
        self.bet(T2, ("black", 3_00))
        number = self.run.house.tables[TABLE].rounds
        self.ask(ClearBets(T2, TABLE, number, 1), device=DeviceId(T2))
        self.bet(T2, ("red", 20_00))

    def close_round(self, pocket: str = "17") -> None:
        self.deal(CloseBets(TABLE), SpinBall(TABLE))
        self.ask(BallAtRest(TABLE, Pocket(pocket), 5, opposite=True), device=DeviceId(TABLE))

    def play(self, rounds: int = 1, pocket: str = "17") -> None:
        for _ in range(rounds):
            self.open_round()
            self.close_round(pocket)

    def stop(self) -> None:
        self.run.stop()

    def kill(self) -> None:
        """End without a word, as a process does that is killed; what was written stays as it is."""
        kept = self.site.copied(self.site.data.parent / "kept")
        self.run.archive.close()
        for mine, theirs in zip(self.site, kept, strict=True):
            shutil.rmtree(mine)
            theirs.rename(mine)
        kept.data.parent.rmdir()


def small_venue(folder: Path) -> Site:
    """Build a venue that has run twice: three rounds, stopped in good order, then two more and killed in a third."""
    venue = VenueOnDisk(folder)
    venue.play(3)
    venue.stop()
    venue.begin()
    venue.play(2, "20")
    venue.open_round()
    venue.kill()
    return venue.site
