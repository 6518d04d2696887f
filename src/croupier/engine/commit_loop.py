"""The conductor: gives the house its turns on a loop, has each kept on a clerk's thread, and then told."""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from functools import partial
from typing import Final, NamedTuple

from croupier.engine.metrics import Metrics
from croupier.engine.ports import SNAPSHOT_EVERY, Batch, LoopClock, Request, Timer, WheelDriver
from croupier.engine.run import Run
from croupier.house.base import BettingState
from croupier.house.commands.record import RaiseAlarm
from croupier.house.ids import SECOND, DeviceId, Instant
from croupier.house.state.tables import Table
from croupier.journal.disk import JournalFault
from croupier.rules.refusal import Code, Refusal, refuse

_BUSY: Final = refuse(Code.BUSY, None, "Too much waits to be read: try again in a moment.")


#: How long the disk may take over one batch before what comes is refused as busy.
COMMIT_WAIT_MAX_US: Final = SECOND // 4


#: How much else may wait to be done with the journal between two turns: a backup, a patrol.
JOURNAL_JOBS_MAX: Final = 8


#: A snapshot that is due waits until betting is closed everywhere, but for no more than so many times the entries
#: after which it is due: copying the state takes some 10 ms.
SNAPSHOT_WAIT_MAX: Final = 4
#: So many entries those are in a venue.
SNAPSHOT_AT_LAST: Final = SNAPSHOT_WAIT_MAX * SNAPSHOT_EVERY
#: After so long without a turn the journal is proven a little further.
QUIET: Final = 2 * SECOND
#: What is due so soon is waited for.
SOON: Final = SECOND // 20
_HELD_UP: Final = refuse(Code.BUSY, None, "The house is held up: nothing was done, try again.")


@dataclass(slots=True)
class JournalJob:
    """Something to be done with the journal between two turns, and what comes of it."""

    do: Callable[[], object]
    #: None where nobody waits for it.
    done: "asyncio.Future[object] | None" = None

    def tell(self, result: object, error: BaseException | None) -> None:
        """Tell whoever waits for it, unless they have gone."""
        if self.done is None or self.done.done():
            return
        if error is None:
            self.done.set_result(result)
        else:
            self.done.set_exception(error)


class Threads(NamedTuple):
    """Where the commit loop has its slow work done."""

    #: Commits batches and runs journal jobs, one at a time.
    writer: Executor
    #: Encodes and writes snapshots while batches go on being committed.
    snapshots: Executor

    def shutdown(self) -> None:
        """Wait for both."""
        self.writer.shutdown()
        self.snapshots.shutdown()


class CommitLoop:
    """Drives one run. Any exception ends it: nothing more is published, and only a new start goes on."""

    def __init__(
        self, run: Run, time: LoopClock, threads: Threads, wheels: Iterable[WheelDriver], figures: Metrics
    ) -> None:
        self.run, self.time, self.figures = run, time, figures
        #: The wheels that report by themselves, as they are at each batch.
        self.wheels = wheels
        self._threads = threads
        self._loop = asyncio.get_running_loop()
        #: Ends with what went wrong.
        self.failed: asyncio.Future[bool] = self._loop.create_future()
        #: Set while no turn or errand is under way or about to be.
        self.at_rest = asyncio.Event()
        self.at_rest.set()
        self._jobs: deque[JournalJob] = deque()
        #: Since when the clerk is at work: nothing is taken meanwhile.
        self._clerk_since: Instant | None = None
        self._alarm: Timer | None = None
        self._turned_at = time.now()
        self._stopping = False
        self._snapshot: Future[RaiseAlarm | None] | None = None

    def begin(self) -> None:
        """Take the first turn, unless something was asked for already."""
        if self.at_rest.is_set():
            self._wake()

    def submit(self, asked: Request) -> Refusal | None:
        """Let a command wait for the next turn, or say that it cannot: too much waits, or the disk is slow."""
        since = self._clerk_since
        # Patience is for those outside: what the house asks of itself waits for its turn.
        held_up = since is not None and asked.key is not None and self.time.now() - since > COMMIT_WAIT_MAX_US
        if self._stopping:
            # After a fault nobody is told anything: only a new start knows what was kept. And of what came before the
            # answer is on its way, or the next start gives it.
            return None if self.failed.done() or self.run.sequencer.is_known(asked) else _HELD_UP
        if held_up and not self.run.sequencer.is_known(asked):
            return _HELD_UP
        refusal = self.run.sequencer.submit(asked)
        if self.at_rest.is_set():
            self._wake()
        return refusal

    async def job(self, do: Callable[[], object]) -> object:
        """Have something done with the journal on the clerk's thread, between two turns."""
        if self._stopping or len(self._jobs) >= JOURNAL_JOBS_MAX:
            raise asyncio.QueueFull
        done = self._loop.create_future()
        self._jobs.append(JournalJob(do, done))
        if self.at_rest.is_set():
            self._wake()
        return await done

    async def stop(self) -> None:
        """Take no more from outside, and wait for what is under way."""
        self._stopping = True
        if self._alarm is not None:
            self._alarm.cancel()
        rest: asyncio.Future[bool] = asyncio.ensure_future(self.at_rest.wait())
        await asyncio.wait((rest, self.failed), return_when=asyncio.FIRST_COMPLETED)
        rest.cancel()
        await self.saved()

    async def saved(self) -> None:
        """Wait for a snapshot that is being written."""
        if self._snapshot is not None:
            await asyncio.wait((asyncio.wrap_future(self._snapshot),))

    def _wake(self) -> None:
        """Take a turn once what has arrived with this command was read too."""
        self.at_rest.clear()
        if self._alarm is not None:
            self._alarm.cancel()
        self._loop.call_soon(self._guarded, self._run_batch)

    def _guarded(self, do: Callable[[], None]) -> None:
        if self.failed.done():
            return
        try:
            do()
        except BaseException as error:  # noqa: BLE001 - the process's door: a state that may not be kept ends here
            self._stopping = True
            self.failed.set_exception(error)
            for job in self._jobs:
                job.tell(None, error)

    def _run_batch(self) -> None:
        turn = self.run.sequencer.build_batch(tuple(self._reports()))
        self._turned_at = turn.now
        self.figures.queued = self.run.sequencer.queued
        if turn.page is None:
            self._publish(turn)
            return
        self._on_writer_thread(partial(self.run.sequencer.commit, turn), partial(self._committed, turn))

    def _on_writer_thread(self, do: Callable[[], object], then: Callable[["Future[object]"], None]) -> None:
        """Have something done on the clerk's thread, and go on with it here."""
        self._clerk_since = self.time.now()
        done = self._threads.writer.submit(do)
        done.add_done_callback(lambda done: self._loop.call_soon_threadsafe(self._guarded, partial(then, done)))

    def _committed(self, turn: Batch, kept: "Future[object]") -> None:
        kept.result()
        self.figures.committed(len(turn.output.entries), self._back())
        self._publish(turn)

    def _back(self) -> int:
        """Note that the clerk is back; tell how long it took."""
        assert self._clerk_since is not None
        took, self._clerk_since = self.time.now() - self._clerk_since, None
        return took

    def _publish(self, turn: Batch) -> None:
        self.run.sequencer.publish(turn)
        self._rest()

    def _rest(self) -> None:
        """Go on with what waits, or set the alarm for what is due."""
        self._save()
        if self._jobs:
            self._run_errand()
        elif self._is_wanted():
            self._wake()
        else:
            self.at_rest.set()
            self._set_alarm()

    def _reports(self) -> Iterator[Request]:
        """Let every wheel report what is due."""
        now = self.time.now()
        for wheel in self.wheels:
            due = wheel.due(self.run.house)
            command = wheel.act(self.run.house, now) if due is not None and due <= now else None
            if command is not None:
                yield Request(command, DeviceId(wheel.table))

    def _due(self) -> Instant | None:
        """Tell when the house or a wheel next wants a turn."""
        instants = (self.run.due(), *(wheel.due(self.run.house) for wheel in self.wheels))
        return min((at for at in instants if at is not None), default=None)

    def _is_due(self) -> bool:
        due = self._due()
        return due is not None and due <= self.time.now()

    def _is_wanted(self) -> bool:
        """Tell whether a turn should be taken now."""
        return bool(self.run.sequencer.queued) or self._is_due()

    def _set_alarm(self) -> None:
        quiet, due = Instant(self._turned_at + QUIET), self._due()
        at = quiet if due is None else min(due, quiet)
        self._alarm = None if self._stopping else self.time.at(at, partial(self._guarded, self._ring))

    def _ring(self) -> None:
        """Take the turn that is due; or use a quiet moment to prove the journal a little further."""
        due, now = self._due(), self.time.now()
        if due is not None and now < due < now + SOON:
            # Nothing else is begun just before it.
            self._alarm = self.time.at(due, partial(self._guarded, self._ring))
            return
        if due is None or due > now:
            self._jobs.append(JournalJob(self.run.scrub))
        self._wake()

    def _run_errand(self) -> None:
        job = self._jobs.popleft()
        self._on_writer_thread(job.do, partial(self._ran, job))

    def _ran(self, job: JournalJob, done: "Future[object]") -> None:
        self._back()
        error = done.exception()
        job.tell(None if error else done.result(), error)
        if error is not None and (job.done is None or isinstance(error, JournalFault)):
            raise error
        if self._is_wanted():
            # Errands take turns with the house: none of them holds it up for longer than it takes itself.
            self._wake()
        else:
            self._rest()

    def _save(self) -> None:
        """Begin a snapshot that is due once nobody bets; or at last while they do."""
        unsaved, due = self.run.entries_since_snapshot, self.run.ports.snapshot_every
        if self._snapshot is not None or unsaved < due or not self.run.ports.has_room():
            return
        if unsaved >= SNAPSHOT_WAIT_MAX * due or not any(map(_betting, self.run.house.tables.values())):
            self._jobs.append(JournalJob(self.run.sign))
            self._snapshot = self._threads.snapshots.submit(self.run.draft_snapshot().write)
            self._snapshot.add_done_callback(
                lambda done: self._loop.call_soon_threadsafe(self._guarded, partial(self._saved, done))
            )

    def _saved(self, done: Future[RaiseAlarm | None]) -> None:
        """Tell staff where a snapshot could not be written."""
        self._snapshot, failed = None, done.result()
        if failed is not None:
            self.submit(Request(failed))


def _betting(table: Table) -> bool:
    return table.round is not None and not table.round.over and table.round.betting is not BettingState.CLOSED


async def read_through(commit_loop: CommitLoop, step: Callable[[], object]) -> Refusal | None:
    """Read until a step says that it is enough, a little between two turns each time."""
    try:
        while not await commit_loop.job(step):
            pass
    except asyncio.QueueFull:
        return _BUSY
    return None
