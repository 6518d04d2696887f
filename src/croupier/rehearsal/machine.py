"""The machine that the house runs on: it starts, dies, starts again, and may not know that another has taken over."""

from collections.abc import Callable

from croupier.engine.archive import Archive
from croupier.engine.asked import Answer, Asked, Batch
from croupier.engine.handover import Handover, read_back
from croupier.engine.port import Ports
from croupier.engine.run import Run
from croupier.house.answer import Decision
from croupier.house.command.any import AnyCommand
from croupier.house.stamp import Stamp
from croupier.house.state import House
from croupier.journal.fault import JournalFault
from croupier.journal.signature import Signer
from croupier.rehearsal.clock import HandClock, Time, gaming_day
from croupier.rehearsal.critic import Critic, Decided
from croupier.rehearsal.disk import Chance, Disk, DiskAnchor, DiskSnapshots, Killed
from croupier.rulebooks.canonical import read_canonical

#: Takes an answer on its way, with the epoch of whoever gave it.
Post = Callable[[Answer, int], None]


class Process:
    """One start of the system, and what it has decided since it last wrote."""

    run: Run

    def __init__(self, machine: "Machine") -> None:
        self._machine = machine
        self.decided: list[Decided] = []
        self.alive = True

    def begin(self, handover: Handover) -> None:
        machine = self._machine
        ports = Ports(
            HandClock(machine.time, handover.house.now),
            self,
            gaming_day if machine.by_calendar else None,
            lambda: machine.room,
            self.witness,
        )
        self.run = Run(machine.archive, handover, ports)

    def witness(self, command: AnyCommand, stamp: Stamp, decision: Decision) -> None:
        self.decided.append((command, stamp, decision))

    def release(self, batch: Batch) -> None:
        self._machine.critic.told(batch)
        for answer in batch.answers:
            self._machine.post(answer, self.run.epoch)


class Machine:
    """A disk, and the process that writes on it."""

    process: Process

    def __init__(
        self, time: Time, chance: Chance, post: Post, critic: type[Critic] = Critic, *, by_calendar: bool
    ) -> None:
        self.time, self.post, self.by_calendar = time, post, by_calendar
        self.disk, self.anchor, self.slot = Disk(chance), DiskAnchor(chance), DiskSnapshots(chance)
        self.archive = Archive(self.disk, self.anchor, self.slot, Signer.new())
        self.critic = critic(self.disk)
        #: Whether the disk has room.
        self.room = True
        self.crashes = 0
        #: A process that goes on after another has taken over, until it finds out.
        self.stale: Process | None = None
        self._start()

    @property
    def house(self) -> House:
        return self.process.run.house

    def submit(self, asked: Asked, *, to_stale: bool = False) -> None:
        process = self.stale if to_stale and self.stale is not None else self.process
        refusal = process.run.submit(asked)
        assert refusal is None

    def step(self) -> None:
        """Do what is due and take what waits; whoever cannot write any more is replaced by a new start."""
        if not self._attempt(self.process, self.process.run.step):
            self.crash()

    def take_snapshot(self) -> None:
        """Keep a snapshot."""
        if not self._attempt(self.process, self.process.run.take_snapshot):
            self.crash()

    def step_stale(self) -> None:
        """Let a process that was replaced go on: it may say no, and it may not write."""
        if self.stale is not None:
            try:
                self.stale.run.step()
            except (Killed, JournalFault):
                self.stale = None

    def crash(self) -> None:
        """The process is gone; another starts from what the disk has kept."""
        self.crashes += 1
        self.anchor.crash()
        self.slot.crash()
        self._start()

    def take_over(self, *, in_the_act: bool) -> None:
        """Start another while this one still runs, and perhaps writes after its journal was read back."""
        old = self.process
        self._start(self.step if in_the_act else None)
        self.stale = old if old.alive else None

    def _start(self, meanwhile: Callable[[], None] | None = None) -> None:
        handover = read_back(self.archive, read_canonical)
        if meanwhile is not None:
            meanwhile()
        process = Process(self)
        if self._attempt(process, lambda: process.begin(handover)):
            self.process = process
        else:
            self.crash()

    def _attempt(self, process: Process, deed: Callable[[], object]) -> bool:
        """Do something that may write a page; what was decided counts where that page was kept."""
        pages = len(self.disk.kept)
        try:
            deed()
        except (Killed, JournalFault):
            process.alive = False
        if process.alive or len(self.disk.kept) > pages:
            self.critic.heard(process.decided)
        process.decided.clear()
        return process.alive
