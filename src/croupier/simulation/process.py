"""One start of the server on a simulated loop: run, commit loop, publisher and router as a venue has them."""

import asyncio
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from contextvars import Context as ContextVars
from contextvars import copy_context
from functools import partial
from heapq import heappop, heappush
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import msgspec

from croupier.app import Environment, build_router
from croupier.config.provisioning import VenueWheels, facts
from croupier.engine.commit_loop import CommitLoop
from croupier.engine.follower import RecoveredState
from croupier.engine.metrics import Metrics
from croupier.engine.ports import BatchFeed, BatchOutput, Feed, Ports, Request
from croupier.engine.run import Run
from croupier.house import AnyCommand
from croupier.house.declare import Decision, Event
from croupier.house.ids import SECOND, Context
from croupier.journal.disk import JournalFault
from croupier.server.auth.credentials import Credentials, CredentialStore
from croupier.server.auth.sessions import Argon2Hasher
from croupier.server.connection import RateLimit
from croupier.server.publisher import TableFrame
from croupier.server.router import Router
from croupier.simulation.world import Killed, SimulatedClock, SimulatedTime, gaming_day

if TYPE_CHECKING:
    from croupier.simulation.checker import Decided
    from croupier.simulation.harness import SimulatedHost

T = TypeVar("T")
#: After how many entries a snapshot is due: often enough that most restarts begin with one.
SNAPSHOT_EVERY: Final = 30
#: The commit interval and the rate limit of a venue by default.
COMMIT_INTERVAL: Final = SECOND // 500
PACE: Final = RateLimit(per_s=50, at_once=100)


class Call(asyncio.Handle):
    """A callback of a loop. The harness sees the exceptions that it raises."""

    def __init__(
        self, callback: Callable[..., object], args: tuple[Any, ...], loop: "SimulatedLoop", context: ContextVars | None
    ) -> None:
        context = context or copy_context()
        super().__init__(callback, args, loop, context)
        self._do = partial(context.run, callback, *args)

    def run(self) -> None:
        if not self.cancelled():
            self._do()


class SimulatedLoop(asyncio.AbstractEventLoop):
    """An event loop on simulated time. The harness runs it, and it runs only callbacks that are due."""

    def __init__(self, time: SimulatedTime) -> None:
        self._time = time
        self._ready: deque[Call] = deque()
        self._timers: list[tuple[int, int, Call]] = []
        self._numbers = count()
        self._tasks: dict[asyncio.Task[Any], Any] = {}
        #: Runs the thread work of coroutines.
        self.threads = SimulatedExecutor()

    def run(self) -> None:
        """Run the ready callbacks and the timers that are due, until there are none."""
        with self.running():
            while self._ready or self._is_due():
                while self._is_due():
                    self._ready.append(heappop(self._timers)[2])
                self._ready.popleft().run()

    @contextmanager
    def running(self) -> Iterator[None]:
        """Be the running loop within a block."""
        asyncio._set_running_loop(self)  # noqa: SLF001 - as event loop implementations do
        try:
            yield
        finally:
            asyncio._set_running_loop(None)  # noqa: SLF001 - as above

    def _is_due(self) -> bool:
        return bool(self._timers) and self._timers[0][0] <= self._time.elapsed

    def at(self, elapsed: int, callback: Callable[[], object]) -> Call:
        call = Call(callback, (), self, None)
        heappush(self._timers, (elapsed, next(self._numbers), call))
        return call

    # The methods that asyncio calls on a loop.

    def call_soon(self, callback: Callable[..., object], *args: object, context: ContextVars | None = None) -> Call:
        self._ready.append(Call(callback, args, self, context))
        return self._ready[-1]

    call_soon_threadsafe = call_soon

    def call_later(self, delay: float, callback: Callable[..., object], *args: object, **_: object) -> Any:  # noqa: ANN401 - as asyncio has it
        return self.at(self._time.elapsed + round(delay * SECOND), partial(callback, *args))

    def time(self) -> float:
        return self._time.elapsed / SECOND

    def create_future(self) -> "asyncio.Future[Any]":
        return asyncio.Future(loop=self)

    def create_task(self, coro: Any, **more: Any) -> "asyncio.Task[Any]":  # noqa: ANN401 - as asyncio has it
        task = asyncio.Task(coro, loop=self, **more)
        self._tasks[task] = coro
        task.add_done_callback(self._tasks.pop)
        return task

    def close(self) -> None:
        """Drop the running tasks: their process has ended."""
        for coroutine in self._tasks.values():
            coroutine.close()
        self._tasks.clear()

    def run_in_executor(self, executor: Executor | None, func: Callable[..., T], *args: Any) -> "asyncio.Future[T]":  # type: ignore[override]  # noqa: ANN401 - as asyncio has it
        return asyncio.wrap_future((executor or self.threads).submit(func, *args), loop=self)

    def get_debug(self) -> bool:
        return False

    def is_closed(self) -> bool:
        return False

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        """Ignore the tasks of a process that has died: asyncio reports exceptions here that no task waits for."""


class SimulatedExecutor(Executor):
    """A thread whose work runs when the harness lets it."""

    def __init__(self) -> None:
        self._jobs: deque[tuple[Future[Any], Callable[[], object]]] = deque()

    def submit(self, fn: Callable[..., T], /, *args: Any, **more: Any) -> Future[T]:  # noqa: ANN401 - as Executor has it
        future: Future[T] = Future()
        self._jobs.append((future, partial(fn, *args, **more)))
        return future

    @property
    def has_work(self) -> bool:
        return bool(self._jobs)

    def run_next(self) -> None:
        """Run the oldest job; Killed when the process dies in it."""
        future, do = self._jobs.popleft()
        try:
            result = do()
        except Killed:
            raise
        except Exception as error:  # noqa: BLE001 - passed to the caller that waits for it
            future.set_exception(error)
        else:
            future.set_result(result)


class SimulatedCredentials(CredentialStore):
    """A credential store in memory."""

    def __init__(self) -> None:
        super().__init__(Path("credentials"))
        self._held = Credentials()

    def load(self) -> Credentials:
        return self._held

    @contextmanager
    def _changing(self) -> Iterator[Credentials]:
        held = msgspec.convert(msgspec.to_builtins(self._held), Credentials)
        yield held
        self._held = held


class PlainHasher(Argon2Hasher):
    """Compares passwords in plain text: the simulation does not need the cost of a hash."""

    def hash_secret(self, secret: str) -> str:
        return secret

    def matches(self, kept: str, secret: str) -> bool:
        return kept == secret

    def is_outdated(self, kept: str) -> bool:
        return not kept


class Process:
    """One start of the server, and the decisions since it last published."""

    run: Run
    router: Router

    def __init__(self, machine: "SimulatedHost") -> None:
        self._machine = machine
        self.loop = SimulatedLoop(machine.time)  # type: ignore[abstract]
        self._writer = SimulatedExecutor()
        self.decided: list[Decided] = []
        self.alive = True
        #: Whether another process has taken over: the decisions of this one are never committed.
        self.is_stale = False
        self._published = 0

    def begin(self, recovered: RecoveredState) -> None:
        """Start a run, provision a new house, and open the router."""
        machine = self._machine
        time = SimulatedClock(machine.time, recovered.house.now, self.loop)
        batches = BatchFeed()
        batches.subscribe(self._on_batch)
        ports = Ports(
            time,
            batches,
            gaming_day if machine.by_calendar else None,
            lambda: machine.room,
            self._witness,
            machine.numbers.validation,
            SNAPSHOT_EVERY,
            COMMIT_INTERVAL,
        )
        self.run = Run(machine.storage, recovered, ports)
        if self.run.house.setup.mode is None:
            for request in machine.provisioning:
                self.run.submit(request)
            self.run.step()
        known = partial(facts, self.run, VenueWheels(self.run.house), time)
        environment = Environment(self.loop.threads, machine.verifier, machine.numbers, known, PACE)
        with self.loop.running():
            commit_loop = CommitLoop(self.run, time, self._writer, (), Metrics())
            self.router = build_router(commit_loop, batches, Feed[Event](), Feed[TableFrame](), environment)
            self.router.begin()
            self.router.commit_loop.begin()

    def _witness(self, command: AnyCommand, context: Context, decision: Decision) -> None:
        self.decided.append((command, context, decision))

    def _on_batch(self, batch: BatchOutput) -> None:
        if not self.is_stale:
            self._machine.checker.on_request(self.decided)
        self.decided.clear()
        if batch.entries:
            self._published = batch.entries[-1].position
        self._machine.checker.on_response(batch)

    def submit(self, request: Request) -> None:
        """Submit a request of a device or the house itself, without a connection."""
        self.router.commit_loop.submit(request)

    def advance(self, slow: Callable[[], bool]) -> None:
        """Run the loop and the threads' work until nothing is left to do, or the disk is slow."""
        while self.alive:
            if not self._run_loop():
                return
            if self.loop.threads.has_work:
                self.loop.threads.run_next()
                continue
            if not self._writer.has_work or slow():
                return
            try:
                self._writer.run_next()
            except Killed:
                self.alive = False

    def _run_loop(self) -> bool:
        """Run the loop; return whether its commit loop has not failed."""
        self.loop.run()
        failed = self.router.commit_loop.failed
        if failed.done():
            self.alive = False
            error = failed.exception()
            if error is not None and not isinstance(error, Killed | JournalFault):
                raise error
        return self.alive

    def died(self) -> None:
        """Count the decisions of a batch that was committed and never published."""
        (last,) = self._machine.disk.stored[-1:]
        if last.epoch == self.run.epoch and last.last > self._published:
            self._machine.checker.on_request(self.decided)
        self.decided.clear()
        self.stop()

    def stop(self) -> None:
        """End it at once."""
        self.alive = False
        self.loop.close()
