"""The commit loop: batches on time whatever the disk does, wheels, idle times, snapshots, and a clean stop."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from croupier.devices.random_wheel import CLOSE_TO_LAUNCH
from croupier.engine.commit_loop import COMMIT_WAIT_MAX_US, QUIET, SOON
from croupier.engine.journal_reader import Scrubber
from croupier.engine.ports import SNAPSHOT_EVERY, AsyncioClock, Request
from croupier.engine.run import Run
from croupier.engine.sequencer import BATCH_MAX, QUEUE_MAX
from croupier.engine.slices import Now
from croupier.house.floor.incidents import IncidentFacts, IncidentKind, RaiseAlarm
from croupier.house.floor.staff import EnrolDevice
from croupier.house.ids import SECOND, Day, DeviceId, Instant, RoundNumber, TableId, TerminalId
from croupier.house.play.betting import ClearBets
from croupier.journal.disk import JournalCorrupt, JournalFault
from croupier.rules.refusal import Code
from tests.support.blocked_disk import BlockedDisk
from tests.support.connections import LONG_S, VENUE, open_house, played
from tests.support.server_harness import PageClient, ServerHarness, server_harness

A = TableId("A")
#: The round of the test's house opens after its pause, and closes by itself.
OPENS_S, CLOSES_S = 5, 30


async def at_open_table(harness: ServerHarness) -> tuple[PageClient, PageClient]:
    """Let two players in, and wait until a round is open."""
    players = await harness.player("A"), await harness.player("A")
    await harness.passes(OPENS_S + 1)
    assert players[0].page.state("A")["phase"] == "open"
    return players


def bet(client: PageClient, spot: str = "17") -> int:
    at = {"terminal": client.device, "table": "A", "round": client.page.state("A")["round"], "spin": 1}
    return client.says("ask", command={"type": "PlaceBets", **at, "bets": [[spot, 500]]})


def test_slow_disk_is_said_at_once(tmp_path: Path) -> None:
    """When the disk takes too long over a batch, what comes is refused as busy at once, and never taken late."""

    async def scenario() -> None:
        async with server_harness(tmp_path, VENUE) as harness:
            one, two = await at_open_table(harness)
            dealer = await harness.staff("dealer", "dealer")
            disk = BlockedDisk(harness.open)
            first = bet(one)
            await disk.begun()
            harness.open.time.at_us += COMMIT_WAIT_MAX_US
            waits = bet(two, "18")
            await two.connection.ping()
            harness.open.time.at_us += 1
            refused = bet(two, "19")
            delta = await two.hears("seat")

            assert (delta["last_cmd"], delta["refused"][0]["id"], delta["refused"][0]["code"]) == (0, refused, "busy")
            refusal = await dealer.asks("SendMessage", terminals=[], words="Good luck.")
            assert refusal is not None
            assert refusal["code"] == "busy"
            assert one.connection.incoming.empty()
            disk.release()
            assert await one.response(first) is None
            assert await two.response(waits) is None
            assert two.page.game("A")["bets"] == {"18": 500}
            assert await two.response(bet(two, "20")) is None

    played(scenario)


@pytest.mark.parametrize("stops", [False, True])
def test_command_that_waits_is_never_said_not_to_be_done(tmp_path: Path, stops: bool) -> None:  # noqa: FBT001 - a case
    """A bet that waits for a slow disk, or for a house that stops, and comes again is done once and told as done."""

    async def scenario() -> None:
        async with server_harness(tmp_path, VENUE) as harness:
            one, two = await at_open_table(harness)
            disk, commit_loop = BlockedDisk(harness.open), harness.open.venue.commit_loop
            bet(one)
            await disk.begun()
            waits = bet(two, "18")
            await two.connection.ping()
            harness.open.time.at_us += COMMIT_WAIT_MAX_US + 1
            stopping = asyncio.ensure_future(commit_loop.stop()) if stops else None
            await asyncio.sleep(0)
            two.number -= 1
            assert bet(two, "18") == waits
            await two.connection.ping()
            assert two.connection.incoming.empty()
            disk.release()

            assert await two.response(waits) is None
            await (stopping or harness.open.rest())
            assert harness.house.terminals[TerminalId(two.device)].games[A].bets == {"18": 500}

    played(scenario)


@pytest.mark.clause("skycity-adelaide-2003", "7(h)iii")
def test_close_comes_on_time_whatever_the_disk_does(tmp_path: Path) -> None:
    """A bet that waited for the disk until betting was over is refused, and the close is the first thing after it."""

    async def scenario() -> None:
        async with server_harness(tmp_path, VENUE) as harness:
            one, two = await at_open_table(harness)
            closes_at = one.page.state("A")["closes_at"]
            await harness.passes((closes_at - harness.open.time.at_us) / SECOND - 1)
            disk = BlockedDisk(harness.open)
            first = bet(one)
            await disk.begun()
            late = bet(two)
            await two.connection.ping()
            harness.open.time.at_us = closes_at
            disk.release()

            assert await one.response(first) is None
            refusal = await two.response(late)
            assert refusal is not None
            assert (refusal["code"], refusal["clause"]) == ("bets_closed", "7(h)iii")
            await harness.check()
            round_ = harness.house.tables[A].playing
            assert round_.closed_at == closes_at
            sealed = {harness.house.positions[each].terminal: bets for each, bets in round_.layouts.items()}
            assert sealed == {one.device: {"17": 500}}
            assert (one.page.game("A")["sealed"], two.page.game("A")["bets"]) == (1, {})

    played(scenario)


def test_wheel_reports_when_it_is_due(tmp_path: Path) -> None:
    """A random wheel launches after the close and rests after its time, to the microsecond, and nobody has to ask."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            await house.pass_s(OPENS_S + CLOSES_S + 20)
            (round_,) = house.venue.run.house.tables[A].past or [house.venue.run.house.tables[A].playing]

            assert round_.closed_at is not None
            assert round_.spin.launched_at == round_.closed_at + CLOSE_TO_LAUNCH
            assert round_.spin.rested_at == round_.spin.launched_at + 8 * SECOND
            assert round_.pocket is not None

    played(scenario)


def test_too_much_that_waits_is_refused(tmp_path: Path) -> None:
    """When as many wait as may, whoever comes is told that the house is busy, and everybody else has their turn."""

    async def scenario() -> None:
        async with server_harness(tmp_path, VENUE) as harness:
            one, _ = await at_open_table(harness)
            disk, commit_loop = BlockedDisk(harness.open), harness.open.venue.commit_loop
            bet(one)
            await disk.begun()
            crowd = Request(ClearBets(TerminalId("nowhere"), A, RoundNumber(1), 1), DeviceId("A-2"))
            for _ in range(QUEUE_MAX):
                assert commit_loop.submit(crowd) is None
            refused = bet(one, "18")
            delta = await one.hears("seat")

            assert [(each["id"], each["code"]) for each in delta["refused"]] == [(refused, "busy")]
            disk.release()
            await harness.open.rest()
            assert harness.open.venue.run.sequencer.queued == 0
            assert harness.open.venue.commit_loop.figures.queued == 0

    played(scenario)


def test_quiet_moment_is_used_to_prove_the_journal(tmp_path: Path) -> None:
    """When nothing is asked for, the journal is proven again bit by bit, and a page that is wrong ends the house."""

    class Wrong(Scrubber):
        """Finds something at its first step."""

        def scrub(self, day: Day, now: Now) -> bool:
            raise JournalCorrupt(now(), f"it is wrong on {day}")

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            run, commit_loop = house.venue.run, house.venue.commit_loop
            assert run.scrubber.verified_on < run.house.day
            await house.pass_s(20 * QUIET / SECOND)
            assert run.scrubber.verified_on == run.house.day
            run.scrubber = Wrong(run.storage.store, run.storage.signer.verifier)
            while house.time.ring_next(house.time.at_us + QUIET) and house.venue.commit_loop.at_rest.is_set():
                pass
            with pytest.raises(JournalCorrupt, match="it is wrong"):
                await asyncio.wait_for(asyncio.shield(commit_loop.failed), LONG_S)

    played(scenario)


def books_signed(run: Run) -> list[int]:
    """Return the positions of the checkpoints with a digest of the books, the last first."""
    statements = [each.statement() for each in run.storage.store.checkpoints()]
    return [each.position for each in statements if each.books]


def test_books_are_signed_though_the_house_never_rests(tmp_path: Path) -> None:
    """After so many entries the books are signed at the head between two batches; never on a full disk."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            alarm = Request(RaiseAlarm(IncidentKind.NOTED, "system", IncidentFacts("It is late.")))
            run = house.venue.run
            roomy, run.ports = run.ports, replace(run.ports, has_room=lambda: False)
            run.books_signed_to = run.writer.head.position - SNAPSHOT_EVERY
            house.venue.commit_loop.submit(alarm)
            await house.rest()
            assert books_signed(run) == []

            run.ports, first = roomy, run.writer.head.position
            for _ in range(2 * BATCH_MAX):
                assert house.venue.commit_loop.submit(alarm) is None
            await house.rest()
            assert books_signed(run) == [run.books_signed_to] == [first + BATCH_MAX]

    played(scenario)


def test_stop_waits_for_what_is_under_way(tmp_path: Path) -> None:
    """A house that is stopped keeps and answers what it has taken, and refuses what comes then as busy."""

    async def scenario() -> None:
        async with server_harness(tmp_path, VENUE) as harness:
            one, two = await at_open_table(harness)
            disk, commit_loop = BlockedDisk(harness.open), harness.open.venue.commit_loop
            first = bet(one)
            await disk.begun()
            second = bet(two)
            await two.connection.ping()
            stopping = asyncio.ensure_future(commit_loop.stop())
            await asyncio.sleep(0)
            late = bet(two, "18")
            delta = await two.hears("seat")
            assert [(each["id"], each["code"]) for each in delta["refused"]] == [(late, "busy")]
            assert not stopping.done()

            disk.release()
            await asyncio.wait_for(stopping, LONG_S)
            assert await one.response(first) is None
            assert await two.response(second) is None
            busy = commit_loop.submit(Request(EnrolDevice(DeviceId("another"))))
            assert busy is not None
            assert busy.code is Code.BUSY
            with pytest.raises(asyncio.QueueFull):
                await commit_loop.job(lambda: None)

    played(scenario)


def test_answer_that_nobody_waits_for_any_more_is_dropped(tmp_path: Path) -> None:
    """Whoever gave up waiting inside for an answer hurts nobody, and what was asked is done."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            disk = BlockedDisk(house)
            asking = asyncio.ensure_future(house.venue.commit_loop.ask(Request(EnrolDevice(DeviceId("another")))))
            await disk.begun()
            asking.cancel()
            disk.release()
            await house.rest()
            await house.pass_s(1)
            assert DeviceId("another") in house.venue.run.house.staff.devices
            assert not house.venue.commit_loop.failed.done()

    played(scenario)


def test_fault_while_stopping_ends_the_wait(tmp_path: Path) -> None:
    """A house whose disk fails while it is stopped does not wait for ever."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            disk, commit_loop = BlockedDisk(house), house.venue.commit_loop
            commit_loop.submit(Request(EnrolDevice(DeviceId("another"))))
            await disk.begun()
            stopping = asyncio.ensure_future(commit_loop.stop())
            disk.lose()
            await asyncio.wait_for(stopping, LONG_S)
            assert isinstance(commit_loop.failed.exception(), JournalFault)

    played(scenario)


def test_alarm_of_the_real_clock_rings() -> None:
    """An alarm on the machine's own clock rings when its time has come, at once where that is past."""

    async def scenario() -> None:
        time, rung = AsyncioClock(Instant(0)), asyncio.Event()
        time.at(time.now(), rung.set)
        called_off = time.at(time.now(), lambda: pytest.fail("it was called off"))
        called_off.cancel()
        await asyncio.wait_for(rung.wait(), LONG_S)

    played(scenario)


def test_alarm_that_rings_too_early_is_set_again(tmp_path: Path) -> None:
    """Just before something is due nothing else is begun: an early alarm only waits on."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            commit_loop, time = house.venue.commit_loop, house.time
            due = commit_loop.run.due()
            assert due is not None
            await house.pass_s((due - time.at_us - SOON // 2) / SECOND)
            rung = [alarm for at, _, alarm in time.alarms if at == due]
            for alarm in rung:
                alarm.ring()
            assert rung
            assert commit_loop.at_rest.is_set()
            await house.pass_s(SOON / SECOND)
            assert commit_loop.run.house.tables[TableId("A")].rounds == 1

    played(scenario)


@pytest.mark.parametrize("rulebook", ["us-double-zero", "skycity-adelaide-2003", "clearwater-etg"])
@pytest.mark.parametrize("late_s", [1, 60])
def test_turn_that_is_late_lets_the_wheel_report_first(tmp_path: Path, rulebook: str, late_s: int) -> None:
    """After a machine has stood still over the launch and the close, the ball runs and the round is settled."""
    text = VENUE.partition("[[staff]]")[0].replace("skycity-adelaide-2003", rulebook)

    async def scenario() -> None:
        async with open_house(tmp_path, text) as house:
            await house.pass_s(OPENS_S + 1)
            table = house.venue.run.house.tables[A]
            await house.leap(CLOSES_S + late_s)
            await house.pass_s(CLOSES_S)

            assert table.rounds > 1
            assert table.past[0].pocket is not None
            # What could not be said in time, as Adelaide's rules ask, staff are notified of.
            reported = {each.kind for each in house.venue.run.house.incidents.all.values()}
            assert reported <= {IncidentKind.NO_WARNING}

    played(scenario)
