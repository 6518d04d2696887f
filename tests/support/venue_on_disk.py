"""A venue on disk: a real data directory with its safe, made by runs with a clock that is moved by hand."""

import shutil
from pathlib import Path
from typing import NamedTuple

from croupier import rulebook
from croupier.engine.places import JOURNAL
from croupier.engine.ports import Accepted, BatchOutput, Ports, Request
from croupier.engine.run import Run
from croupier.engine.storage import SNAPSHOT, build_id, open_storage
from croupier.house import AnyCommand
from croupier.house.credit.notes import GrantPlayMoney
from croupier.house.ids import SECOND, SYSTEM, DeviceId, PersonId, TableId, TerminalId
from croupier.house.play.betting import ClearBets, PlaceBets
from croupier.house.rounds.closing import CloseBets
from croupier.house.rounds.opening import OpenBets
from croupier.house.rounds.results import BallAtRest
from croupier.house.rounds.spinning import SpinBall
from croupier.journal.entry import IdempotencyKey
from croupier.journal.keystore import KeyStore
from croupier.rules.geometry import Pocket
from croupier.rules.money import Cents
from croupier.rules.procedure import Duty
from tests.support.engine_driver import HandClock, NullOutbox, enrolling, provisioning, start

SOFTWARE = build_id()
RULEBOOK = "marina-bay-sands-2020"
TABLE = TableId("roulette 7")
T1, T2 = TerminalId("terminal 71"), TerminalId("terminal 72")
DEALER, CONSOLE = PersonId("dealer 14"), DeviceId("console 7")
MANAGERS = (PersonId("manager 1"), PersonId("manager 2"))
#: 15 November 2025, 18:00 UTC: always more than a day ago for a command that reads the clock of the machine.
CLOCK_START = 1_763_229_600 * SECOND


class Site(NamedTuple):
    """Where a data directory and its safe lie."""

    data: Path
    safe: Path

    @classmethod
    def in_(cls, folder: Path) -> "Site":
        return cls(folder / "data", folder / "data.keys")

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


class VenueOnDisk:
    """One table and two terminals, run again and again on the same data directory."""

    def __init__(self, folder: Path) -> None:
        self.site = Site.in_(folder)
        self.clock = HandClock(CLOCK_START)
        self.begin()
        self._number = 0
        book = rulebook(RULEBOOK)
        self.ask(*provisioning(book, TABLE, (T1, T2)))
        self.ask(*enrolling((CONSOLE,), {DEALER: "Dealer"}))
        self.ask(*enrolling((), dict.fromkeys(MANAGERS, book.staff.titles_for(Duty.MANAGE)[0])))
        for terminal in (T1, T2):
            self.ask(GrantPlayMoney(terminal, Cents(1_000_00)))

    def begin(self) -> Run:
        storage = open_storage(self.site.data, KeyStore(self.site.safe))
        self.run = start(storage, Ports(self.clock, NullOutbox()))
        return self.run

    def ask(self, *commands: AnyCommand, device: DeviceId = SYSTEM, person: PersonId = PersonId("")) -> BatchOutput:
        """Ask in one batch for what cannot be refused here."""
        self.clock.pass_s(1)
        for command in commands:
            self._number += 1
            key = None if device == SYSTEM else IdempotencyKey(self.run.epoch, self._number)
            assert self.run.submit(Request(command, device, person, key)) is None
        batch = self.run.step()
        assert all(isinstance(answer.outcome, Accepted) for answer in batch.responses), batch.responses
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
        self.run.storage.close()
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
