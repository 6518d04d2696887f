"""The commit loop: builds batches on the event loop, commits each on the writer thread, and then publishes it."""

import asyncio
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from functools import partial
from threading import Thread
from typing import Any, Final, TypeVar

from croupier.engine.metrics import Metrics
from croupier.engine.ports import (
    Batch,
    LoopClock,
    Outcome,
    Request,
    ScheduledWheel,
    Timer,
    seconds,
)
from croupier.engine.run import Run
from croupier.engine.sequencer import BATCH_MAX
from croupier.engine.slices import sliced
from croupier.house.floor.incidents import RaiseAlarm
from croupier.house.ids import SECOND, DeviceId, Instant
from croupier.journal.disk import JournalFault
from croupier.rules.refusal import Code, Refusal, Refused, refuse

T = TypeVar("T")
_BUSY: Final = refuse(Code.BUSY, None, "Too much waits to be read: try again in a moment.")


#: How long the disk may take to commit one batch before new commands are refused as busy.
COMMIT_WAIT_MAX_US: Final = SECOND // 4


#: How many journal jobs may be queued between two batches: a backup, a scrub.
JOURNAL_JOBS_MAX: Final = 8


#: After so long without a batch, the scrubber verifies the next part of the journal.
QUIET: Final = 2 * SECOND
#: No scrub starts when a batch is due within this time.
SOON: Final = SECOND // 20
_HELD_UP: Final = refuse(Code.BUSY, None, "The house is held up: nothing was done, try again.")


@dataclass(slots=True)
class JournalJob:
    """A function that reads or writes the journal between two batches, and the future for its result."""

    do: Callable[[], object]
    #: None when no caller waits for the result.
    done: "asyncio.Future[object] | None" = None

    def complete(self, result: object, error: BaseException | None) -> None:
        """Pass the result to the waiting caller, unless the caller has cancelled."""
        if self.done is None or self.done.done():
            return
        if error is None:
            self.done.set_result(result)
        else:
            self.done.set_exception(error)


class WriterThread(Executor):
    """One thread, which runs functions in the order in which they are submitted.

    A pipe wakes it. Writing to a pipe releases the interpreter's lock, which the thread takes at once; woken through a
    queue it would find the lock taken, and sleep once more.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._submitted: deque[tuple[Future[Any], Callable[[], Any]]] = deque()
        #: Started with the first function.
        self._thread: Thread | None = None
        self._awaited = self._wakes = -1
        self._is_shut = False

    def submit(self, fn: Callable[..., T], /, *args: Any, **more: Any) -> Future[T]:  # noqa: ANN401 - as Executor has it
        if self._is_shut:
            raise RuntimeError("this thread was shut down")
        if self._thread is None:
            self._awaited, self._wakes = os.pipe()
            self._thread = Thread(target=self._run, name=self._name, daemon=True)
            self._thread.start()
        future: Future[T] = Future()
        self._submitted.append((future, partial(fn, *args, **more) if args or more else fn))
        os.write(self._wakes, b"\n")
        return future

    def _run(self) -> None:
        """Run one function for each byte in the pipe, until it is closed."""
        while os.read(self._awaited, 1):
            future, do = self._submitted.popleft()
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(do())
            except BaseException as error:  # noqa: BLE001 - passed to the caller that waits for it
                future.set_exception(error)

    def shutdown(self, *_: object, **__: object) -> None:
        """End the thread once it has run all that was submitted; nothing can be submitted from now on."""
        thread, self._thread, self._is_shut = self._thread, None, True
        if thread is not None:
            os.close(self._wakes)
            thread.join()
            os.close(self._awaited)


class Cadence:
    """How long a batch waits for more commands. A commit has a fixed cost, and small batches pay it for each command.

    A batch after a pause runs at once. While batches follow each other the interval between their beginnings grows, up
    to a maximum. After a batch half of the interval is left for reading: clients that were just answered send their
    next commands meanwhile, and a busy loop would otherwise commit the first few of them alone. A batch that is large,
    and as large as the last one, waits no longer: all clients that were just answered have sent their next command.
    """

    #: The growth of the interval with each batch, in microseconds. Event loops have timers of whole milliseconds.
    STEP: Final = SECOND // 1_000
    #: So many commands share the fixed cost of a commit.
    LARGE: Final = 100

    def __init__(self, maximum: int) -> None:
        self._maximum, self._interval = maximum, 0
        #: When the last batch began, by the event loop's clock, and when it was published.
        self._began: int | None = None
        self._ended = 0
        #: With so many queued commands a batch need not wait.
        self.enough = self.LARGE

    def began(self, now: int, queued: int = 0) -> None:
        """Record the beginning of a batch, and how many commands were queued then."""
        self._began = self._ended = now
        self.enough = max(self.LARGE, min(queued, BATCH_MAX))

    def ended(self, now: int) -> None:
        """Record that a batch is published."""
        self._ended = now

    def wait(self, now: int) -> int:
        """Return how long the next batch waits, in microseconds."""
        if self._began is None:
            return 0
        since = now - self._ended
        idle = since >= 2 * self._maximum
        self._interval = 0 if idle else min(self._maximum, self._interval + self.STEP)
        return max(0, self._began + self._interval - now, self._interval // 2 - since)


class CommitLoop:
    """Drives one run. Any exception ends it: nothing more is published, and the process must be restarted."""

    def __init__(
        self, run: Run, time: LoopClock, writer: Executor, wheels: Iterable[ScheduledWheel], figures: Metrics
    ) -> None:
        self.run, self.time, self.figures = run, time, figures
        self._cadence = Cadence(run.ports.commit_interval)
        #: The wheels that follow the house, as they are at each batch. Drivers push their reports instead.
        self.wheels = wheels
        #: Commits batches and runs journal jobs, one at a time.
        self._writer = writer
        self._loop = asyncio.get_running_loop()
        #: Its exception is the fault that ended the loop.
        self.failed: asyncio.Future[bool] = self._loop.create_future()
        #: Set while no batch and no journal job is running or scheduled.
        self.at_rest = asyncio.Event()
        self.at_rest.set()
        self._resting = True
        self._jobs: deque[JournalJob] = deque()
        #: The timer of a batch that waits for more commands.
        self._delayed: asyncio.TimerHandle | None = None
        #: When the writer thread began its current work; None while it is idle. No batch is built meanwhile.
        self._writing_since: Instant | None = None
        #: The timer of the next due instant. It may ring earlier: then it is set again.
        self._alarm: Timer | None = None
        self._alarm_at = Instant(0)
        self._last_batch_at = time.now()
        self._stopping = False
        #: The outcomes that are waited for, by the identity of their request.
        self.outcomes: dict[int, asyncio.Future[Outcome]] = {}
        #: Alarms that were refused as the queue was full.
        self._unsent: deque[RaiseAlarm] = deque()

    def begin(self) -> None:
        """Run the first batch, unless a command has scheduled one already."""
        if self._resting:
            self._wake()

    def submit(self, request: Request) -> Refusal | None:
        """Queue a command for the next batch, or refuse it: the queue is full, or the disk is slow."""
        if self._stopping:
            # After a fault no response is sent: only the next start knows what was committed. A command that was
            # received before gets its response from the current batch or from the next start.
            return None if self.failed.done() or self.run.sequencer.is_known(request) else _HELD_UP
        since, sequencer = self._writing_since, self.run.sequencer
        # Only commands from outside are refused while the disk is slow: the house's own commands stay queued.
        if (
            since is not None
            and request.key is not None
            and self.time.now() - since > COMMIT_WAIT_MAX_US
            and not sequencer.is_known(request)
        ):
            return _HELD_UP
        refusal = sequencer.submit(request)
        if self._resting or (self._delayed is not None and sequencer.queued >= self._cadence.enough):
            self._wake()
        return refusal

    def submit_all(self, requests: list[Request]) -> list[tuple[Request, Refusal]]:
        """Queue commands from outside that arrived together; return those that are refused."""
        since = self._writing_since
        held_up = since is not None and self.time.now() - since > COMMIT_WAIT_MAX_US
        if self._stopping or held_up or not self.run.sequencer.submit_all(requests):
            return [(each, refusal) for each in requests if (refusal := self.submit(each)) is not None]
        if self._resting or (self._delayed is not None and self.run.sequencer.queued >= self._cadence.enough):
            self._wake()
        return []

    async def ask(self, request: Request) -> Outcome:
        """Submit a request of the server itself, and wait until its outcome is committed and published."""
        refusal = self.submit(request)
        if refusal is not None:
            return refusal
        outcome: asyncio.Future[Outcome] = self._loop.create_future()
        self.outcomes[id(request)] = outcome
        return await outcome

    def alarm(self, alarm: RaiseAlarm) -> None:
        """Raise an alarm that must not be lost; when the queue is full, with the next call of `resend_alarms`."""
        self._unsent.append(alarm)
        self.resend_alarms()

    def resend_alarms(self) -> None:
        """Submit the alarms that were refused before."""
        while self._unsent and self.submit(Request(self._unsent[0])) is None:
            self._unsent.popleft()

    async def job(self, do: Callable[[], object]) -> object:
        """Run a function on the journal, on the writer thread, between two batches."""
        if self._stopping or len(self._jobs) >= JOURNAL_JOBS_MAX:
            raise asyncio.QueueFull
        done = self._loop.create_future()
        self._jobs.append(JournalJob(do, done))
        if self._resting:
            self._wake()
        return await done

    async def stop(self) -> None:
        """Accept no more commands from outside, and wait for the work in progress."""
        self._stopping = True
        if self._alarm is not None:
            self._alarm.cancel()
        rest: asyncio.Future[bool] = asyncio.ensure_future(self.at_rest.wait())
        await asyncio.wait((rest, self.failed), return_when=asyncio.FIRST_COMPLETED)
        rest.cancel()

    def _wake(self) -> None:
        """Schedule a batch, after the messages that arrived together with this command are read."""
        self.at_rest.clear()
        self._resting = False
        if self._delayed is not None:
            self._delayed.cancel()
            self._delayed = None
        wait = 0 if self.run.sequencer.queued >= self._cadence.enough else self._cadence.wait(self._loop_now())
        if wait > 0:
            self._delayed = self._loop.call_later(seconds(wait), self._guarded, self._run_batch)
        else:
            self._loop.call_soon(self._guarded, self._run_batch)

    def _loop_now(self) -> int:
        return int(self._loop.time() * SECOND)

    def _guarded(self, do: Callable[[], None]) -> None:
        if self.failed.done():
            return
        try:
            do()
        except BaseException as error:  # noqa: BLE001 - the process's guard: a state that may not be committed ends here
            self.fail(error)

    def fail(self, error: BaseException) -> None:
        """End the loop: nothing more is committed or published."""
        if self.failed.done():
            return
        self._stopping = True
        self.failed.set_exception(error)
        for job in self._jobs:
            job.complete(None, error)

    def _run_batch(self) -> None:
        self._delayed = None
        self._cadence.began(self._loop_now(), self.run.sequencer.queued)
        self._run_slices(sliced(self._build(), self.time.now))

    def _run_slices(self, slices: Iterator[None]) -> None:
        """Run work for one slice, and the rest of it in the next iterations of the event loop."""
        for _ in slices:
            self._loop.call_soon(self._guarded, partial(self._run_slices, slices))
            return

    def _build(self) -> Iterator[None]:
        """Build a batch, and have it committed."""
        batch = yield from self.run.sequencer.building(tuple(self._reports()))
        self._last_batch_at = batch.now
        self.figures.queued = self.run.sequencer.queued
        if batch.page is None:
            self._run_slices(sliced(self._publish(batch), self.time.now))
            return
        self._on_writer_thread(partial(self.run.sequencer.commit, batch), partial(self._committed, batch))

    def _on_writer_thread(self, do: Callable[[], object], then: Callable[["Future[object]"], None]) -> None:
        """Run a function on the writer thread, and continue with its result on the event loop."""
        self._writing_since = self.time.now()
        done = self._writer.submit(do)
        done.add_done_callback(lambda done: self._loop.call_soon_threadsafe(self._guarded, partial(then, done)))

    def _committed(self, batch: Batch, kept: "Future[object]") -> None:
        kept.result()
        self.figures.committed(len(batch.output.entries), self._back())
        self._run_slices(sliced(self._publish(batch), self.time.now))

    def _back(self) -> int:
        """Record that the writer thread is idle; return how long it was busy."""
        assert self._writing_since is not None
        took, self._writing_since = self.time.now() - self._writing_since, None
        return took

    def _publish(self, batch: Batch) -> Iterator[None]:
        """Publish a committed batch, and continue with queued work."""
        yield from self.run.sequencer.publishing(batch)
        for response in batch.output.responses if self.outcomes else ():
            waiting = self.outcomes.pop(id(response.request), None)
            if waiting is not None and not waiting.done():
                waiting.set_result(response.outcome)
        self._cadence.ended(self._loop_now())
        self._rest()

    def _rest(self) -> None:
        """Continue with queued work, or set the timer for the next due instant."""
        if self.run.is_checkpoint_due():
            # Before any other job and any batch: the digest is that of this head.
            self._jobs.appendleft(JournalJob(partial(self.run.sign_books, self.run.digest_books())))
        if self._jobs:
            self._run_next_job()
        elif self.run.sequencer.queued or self._is_due(due := self._due()):
            self._wake()
        else:
            self.at_rest.set()
            self._resting = True
            self._set_alarm(due)

    def _reports(self) -> Iterator[Request]:
        """Ask every wheel that is due for its report."""
        now = self.time.now()
        for wheel in self.wheels:
            due = wheel.due(self.run.house)
            command = wheel.act(self.run.house, now) if due is not None and due <= now else None
            if command is not None:
                yield Request(command, DeviceId(wheel.table))

    def _due(self) -> Instant | None:
        """Return when the house or a wheel next needs a batch."""
        instants = (self.run.due(), *(wheel.due(self.run.house) for wheel in self.wheels))
        return min((at for at in instants if at is not None), default=None)

    def _is_wanted(self) -> bool:
        """Return whether a batch should run now."""
        return bool(self.run.sequencer.queued) or self._is_due(self._due())

    def _is_due(self, due: Instant | None) -> bool:
        return due is not None and due <= self.time.now()

    def _set_alarm(self, due: Instant | None) -> None:
        """Set the timer for the next due instant, or for a scrub."""
        quiet = Instant(self._last_batch_at + QUIET)
        self._ring_at(quiet if due is None else min(due, quiet))

    def _ring_at(self, at: Instant) -> None:
        """Set the timer, unless it rings before. Under load it is set far less often than batches end."""
        if self._stopping or (self._alarm is not None and self._alarm_at <= at):
            return
        if self._alarm is not None:
            self._alarm.cancel()
        self._alarm, self._alarm_at = self.time.at(at, partial(self._guarded, self._ring)), at

    def _ring(self) -> None:
        """Run the batch that is due; when none is, scrub the next part of the journal."""
        self._alarm = None
        if not self._resting:
            # The timer is set again after the batch.
            return
        due, now, quiet = self._due(), self.time.now(), Instant(self._last_batch_at + QUIET)
        if self._is_due(due):
            self._wake()
        elif due is not None and due < max(quiet, now + SOON):
            # A scrub must not delay a batch that is due this soon.
            self._ring_at(due)
        elif now < quiet:
            # There were batches since the timer was set.
            self._ring_at(quiet)
        else:
            self._jobs.append(JournalJob(self.run.scrub))
            self._wake()

    def _run_next_job(self) -> None:
        job = self._jobs.popleft()
        self._on_writer_thread(job.do, partial(self._ran, job))

    def _ran(self, job: JournalJob, done: "Future[object]") -> None:
        self._back()
        error = done.exception()
        job.complete(None if error else done.result(), error)
        if error is not None and (job.done is None or isinstance(error, JournalFault)):
            raise error
        if self._is_wanted():
            # Journal jobs and batches alternate: a batch waits for at most one job.
            self._wake()
        else:
            self._rest()


async def read_through(commit_loop: CommitLoop, step: Callable[[], object]) -> None:
    """Run a bounded step between two batches, again and again, until it returns that it is done."""
    try:
        while not await commit_loop.job(step):
            pass
    except asyncio.QueueFull:
        raise Refused.by(_BUSY) from None
