"""Journal jobs: they run between two batches, one at a time, and answer their requester."""

import asyncio
from functools import partial
from pathlib import Path
from threading import Event, get_ident

import pytest

from croupier.engine.commit_loop import COMMIT_WAIT_MAX_US, JOURNAL_JOBS_MAX
from croupier.engine.ports import Request
from croupier.house.floor.staff import EnrolDevice
from croupier.house.ids import DeviceId
from croupier.journal.disk import JournalFault
from croupier.journal.entry import IdempotencyKey
from croupier.rules.refusal import Code
from tests.support.connections import LONG_S, TestHouse, open_house, played


class Long:
    """A job that takes until it is released."""

    def __init__(self) -> None:
        self._begun, self._free = Event(), Event()

    def __call__(self) -> int:
        self._begun.set()
        assert self._free.wait(LONG_S)
        return get_ident()

    async def begun(self) -> None:
        assert await asyncio.to_thread(self._begun.wait, LONG_S)

    def release(self) -> None:
        self._free.set()


def enrolling(house: TestHouse, name: str) -> Request:
    requested = Request(EnrolDevice(DeviceId(name)))
    assert house.venue.commit_loop.submit(requested) is None
    return requested


def test_job_is_run_on_the_writer_thread_between_batches(tmp_path: Path) -> None:
    """A job has the journal to itself: requests wait meanwhile, and are refused after too long."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            commit_loop, job = house.venue.commit_loop, Long()
            waiting = asyncio.ensure_future(commit_loop.job(job))
            await job.begun()
            enrolling(house, "one")
            house.time.ring_next(house.time.at_us + COMMIT_WAIT_MAX_US + 1)
            house.time.at_us += COMMIT_WAIT_MAX_US + 1
            busy = commit_loop.submit(Request(EnrolDevice(DeviceId("two")), key=IdempotencyKey(1, 1)))
            assert busy is not None
            assert busy.code is Code.BUSY
            assert DeviceId("one") not in house.venue.run.house.staff.devices

            job.release()
            assert await asyncio.wait_for(waiting, LONG_S) != get_ident()
            await house.rest()
            assert DeviceId("one") in house.venue.run.house.staff.devices
            enrolling(house, "three")

    played(scenario)


def test_so_many_jobs_may_wait(tmp_path: Path) -> None:
    """As many jobs wait as may, in their order; one more is refused at once."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            commit_loop, first, done = house.venue.commit_loop, Long(), list[int]()
            running = [asyncio.ensure_future(commit_loop.job(first))]
            await first.begun()
            waits = [partial(done.append, number) for number in range(JOURNAL_JOBS_MAX)]
            running += [asyncio.ensure_future(commit_loop.job(do)) for do in waits]
            await asyncio.sleep(0)
            with pytest.raises(asyncio.QueueFull):
                await commit_loop.job(lambda: done.append(99))
            first.release()
            await asyncio.wait_for(asyncio.gather(*running), LONG_S)
            assert done == list(range(JOURNAL_JOBS_MAX))

    played(scenario)


def test_jobs_alternate_with_batches(tmp_path: Path) -> None:
    """A waiting batch runs before the next job, however many jobs wait."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            commit_loop, first, devices = house.venue.commit_loop, Long(), house.venue.run.house.staff.devices
            running = [asyncio.ensure_future(commit_loop.job(do)) for do in (first, lambda: DeviceId("one") in devices)]
            await first.begun()
            enrolling(house, "one")
            first.release()
            assert (await asyncio.wait_for(asyncio.gather(*running), LONG_S))[1] is True

    played(scenario)


def test_job_that_fails_is_reported_to_its_requester(tmp_path: Path) -> None:
    """The fault of a job is reported to its requester, and the house goes on."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            with pytest.raises(ZeroDivisionError):
                await house.venue.commit_loop.job(lambda: 1 // 0)
            enrolling(house, "one")
            await house.rest()
            assert DeviceId("one") in house.venue.run.house.staff.devices

    played(scenario)


def test_job_whose_requester_has_gone_is_run_to_its_end(tmp_path: Path) -> None:
    """A job whose requester has gone, successful or failed, has no effect on others."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            for job, ends in ((Long(), lambda: None), (Long(), lambda: 1 // 0)):
                waiting = asyncio.ensure_future(house.venue.commit_loop.job(lambda: (job(), ends())))  # noqa: B023
                await job.begun()
                waiting.cancel()
                await asyncio.sleep(0)
                job.release()
                await house.rest()
            enrolling(house, "one")
            await house.rest()
            assert DeviceId("one") in house.venue.run.house.staff.devices

    played(scenario)


def test_journal_that_fails_a_job_ends_the_house(tmp_path: Path) -> None:
    """A fault of the journal ends the house, whoever met with it; those who wait behind are told so too."""

    def fails() -> None:
        raise JournalFault("it cannot be read")

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            commit_loop, first = house.venue.commit_loop, Long()
            running = [asyncio.ensure_future(commit_loop.job(do)) for do in (first, fails, lambda: None)]
            await first.begun()
            first.release()
            ended = await asyncio.wait_for(asyncio.gather(*running, return_exceptions=True), LONG_S)

            assert [type(each) for each in ended] == [int, JournalFault, JournalFault]
            assert isinstance(commit_loop.failed.exception(), JournalFault)
            assert commit_loop.submit(Request(EnrolDevice(DeviceId("one")))) is None
            with pytest.raises(asyncio.QueueFull):
                await commit_loop.job(lambda: None)

    played(scenario)
