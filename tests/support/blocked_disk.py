"""A disk that blocks: batches wait for it until it is released, or fail on it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from threading import Event

from croupier.engine.commit_loop import COMMIT_WAIT_MAX_US, JOURNAL_JOBS_MAX
from croupier.journal.disk import JournalFault
from croupier.journal.entry import Page
from tests.support.connections import LONG_S, Client, TestHouse, held_up, until


class BlockedDisk:
    """In the place of a house's own disk, which it still has behind it."""

    def __init__(self, house: TestHouse) -> None:
        store = house.venue.run.storage.store
        self._append = store.append
        self._begun, self._free, self._lost = Event(), Event(), False
        store.append = self._wait  # type: ignore[method-assign]

    def _wait(self, page: Page) -> None:
        """Commit a page on the writer thread, once the disk is released."""
        self._begun.set()
        assert self._free.wait(LONG_S)
        if self._lost:
            raise JournalFault("the disk is gone")
        self._append(page)

    async def begun(self) -> None:
        """Wait until a batch waits for the disk."""
        assert await asyncio.to_thread(self._begun.wait, LONG_S)

    def release(self) -> None:
        """Have what waits kept, and what comes after it."""
        self._free.set()

    def lose(self) -> None:
        """Have what waits lost."""
        self._lost = True
        self._free.set()


@asynccontextmanager
async def slow_commit(house: TestHouse, client: Client) -> AsyncIterator[None]:
    """Block the writer thread with a batch of a client, for longer than a command may wait for a commit."""
    with held_up(house.venue.writer):
        client.say("practice")
        # A batch may wait for more commands before it is committed.
        await until(lambda: house.venue.commit_loop._writing_since is not None)  # noqa: SLF001 - no public flag
        house.time.at_us += COMMIT_WAIT_MAX_US + 1
        yield


@asynccontextmanager
async def full_job_queue(house: TestHouse) -> AsyncIterator[None]:
    """Fill the queue of journal jobs while the writer thread is blocked; afterwards let all of them finish."""
    commit_loop = house.venue.commit_loop
    with held_up(house.venue.writer):
        waiting = [asyncio.ensure_future(commit_loop.job(lambda: True)) for _ in range(JOURNAL_JOBS_MAX)]
        # One of them runs on the writer thread.
        await until(lambda: len(commit_loop._jobs) == JOURNAL_JOBS_MAX - 1)  # noqa: SLF001 - no public count
        waiting.append(asyncio.ensure_future(commit_loop.job(lambda: True)))
        await until(lambda: len(commit_loop._jobs) == JOURNAL_JOBS_MAX)  # noqa: SLF001
        yield
    await asyncio.gather(*waiting)
