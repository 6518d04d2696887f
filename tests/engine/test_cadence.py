"""The cadence of commits under load, and the watchdog of the event loop's pauses."""

import asyncio
import time
from pathlib import Path

import pytest

from croupier.engine.commit_loop import Cadence
from croupier.engine.metrics import Metrics, PauseWatchdog
from croupier.engine.ports import Request
from croupier.engine.sequencer import BATCH_MAX
from croupier.house.ids import SECOND
from croupier.house.timers import Tick
from tests.support.connections import VENUE, open_house, played

MAXIMUM = 2_000
LONG_S = 60
PAUSE_S = 0.05


def test_first_batch_and_batch_after_a_pause_run_at_once() -> None:
    """A command that nobody else follows waits for nothing."""
    cadence = Cadence(MAXIMUM)
    assert cadence.wait(1_000_000) == 0
    for at in (1_000_000, 1_000_000 + 3 * MAXIMUM, 2_000_000):
        cadence.began(at)
        assert cadence.wait(at + 3 * MAXIMUM) == 0


def test_interval_grows_to_its_maximum_while_batches_follow_each_other() -> None:
    """Back-to-back batches begin one step apart, then two, and never more than the maximum; a pause ends it."""
    cadence, now, intervals = Cadence(MAXIMUM), 5_000_000, []
    for _ in range(4):
        cadence.began(now)
        wait = cadence.wait(now)
        intervals.append(wait)
        now += wait
    assert intervals == [1_000, 2_000, 2_000, 2_000]
    cadence.began(now)
    assert cadence.wait(now + 1_500) == 500
    assert cadence.wait(now + 3 * MAXIMUM) == 0
    assert cadence.wait(now) == 1_000


def test_half_of_the_interval_is_left_for_reading_after_a_long_batch() -> None:
    """A batch that took longer than the interval is followed by a wait, however long it took; a pause ends it."""
    cadence, now = Cadence(MAXIMUM), 5_000_000
    for wait in (500, 1_000, 1_000):
        cadence.began(now)
        now += 10 * MAXIMUM
        cadence.ended(now)
        assert cadence.wait(now) == wait
    assert cadence.wait(now + 300) == MAXIMUM // 2 - 300
    assert cadence.wait(now + 2 * MAXIMUM) == 0


def test_large_batch_waits_until_it_is_as_large_as_the_last() -> None:
    """A few commands wait for the interval; many wait until there are as many as in the last batch, if it was large."""
    cadence = Cadence(MAXIMUM)
    assert cadence.enough == Cadence.LARGE
    for queued, enough in ((3, Cadence.LARGE), (Cadence.LARGE + 40, Cadence.LARGE + 40), (10**6, BATCH_MAX)):
        cadence.began(5_000_000, queued)
        assert cadence.enough == enough


@pytest.mark.parametrize("together", [False, True])
def test_large_batch_begins_before_its_timer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, together: bool
) -> None:
    """Commands that make a batch large are decided at once, though the interval between batches is not over."""
    monkeypatch.setattr(Cadence, "STEP", 2 * LONG_S * SECOND)

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            loop = house.venue.commit_loop
            monkeypatch.setattr(loop, "_cadence", cadence := Cadence(2 * LONG_S * SECOND))
            cadence.began(int(asyncio.get_running_loop().time() * SECOND))
            requests = [Request(Tick()) for _ in range(Cadence.LARGE)]
            loop.submit(requests.pop())
            if together:
                assert loop.submit_all(requests) == []
            else:
                for request in requests:
                    loop.submit(request)
            await asyncio.wait_for(loop.at_rest.wait(), LONG_S)
            assert loop.run.sequencer.queued == 0

    played(scenario)


def test_interval_of_zero_never_waits() -> None:
    """Where the interval is switched off, every batch runs at once."""
    cadence = Cadence(0)
    cadence.began(3_000)
    assert cadence.wait(3_000) == cadence.wait(3_100) == 0


def test_configured_interval_reaches_the_commit_loop(tmp_path: Path) -> None:
    """The setting of the configuration is what the engine runs with."""

    async def scenario() -> None:
        configured = VENUE.replace("limits = { ", "limits = { commit_interval_ms = 7, ", 1)
        async with open_house(tmp_path, configured) as house:
            assert house.venue.run.ports.commit_interval == 7_000

    played(scenario)


def test_watchdog_measures_a_pause_of_the_event_loop() -> None:
    """A step that blocks the loop is measured, up to the watchdog's interval; nothing is measured after the stop."""

    async def scenario() -> None:
        metrics = Metrics()
        watchdog = PauseWatchdog(metrics)
        watchdog.stop()
        watchdog.begin()
        # Not asyncio.sleep: the loop itself has to be busy.
        time.sleep(PAUSE_S)  # noqa: ASYNC251 - as above
        for _ in range(2):
            await asyncio.sleep(0)
        watchdog.stop()
        count = sum(metrics.pauses.counts)
        assert metrics.longest_pause >= PAUSE_S * SECOND - 2 * watchdog.EVERY
        await asyncio.sleep(3 * watchdog.EVERY / SECOND)
        assert sum(metrics.pauses.counts) == count

    asyncio.run(scenario())
