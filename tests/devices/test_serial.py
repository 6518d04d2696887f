"""The driver in-rim on a real pseudo-terminal: every fault of the emulator, its recording, and whole rounds."""

import asyncio
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import pytest
from msgspec.structs import replace

from croupier.cli.wheel import replayed
from croupier.devices.emulator import FAULTS, Game, PseudoTerminal, Step, normal
from croupier.devices.in_rim_reader import SerialWheel
from croupier.devices.recorder import RETRY, FlightRecorder, Record, TablePort, WheelTerms, read_records
from croupier.engine.ports import RecordMark, Request, WheelReport
from croupier.house.floor.incidents import IncidentKind
from croupier.house.ids import SECOND, Instant, TableId
from croupier.house.rounds.opening import OpenBets
from croupier.house.rounds.results import BallAtRest
from croupier.house.rounds.spinning import BallLaunched, SignalNoMoreBets
from croupier.house.state.tables import Phase, RoundStatus
from croupier.rules.geometry import Pocket
from croupier.rules.procedure import Reason
from croupier.rules.refusal import Code, Refusal, refuse
from tests.devices.test_in_rim import CLOSE, EXPECTED, FIRST, LAUNCH, QUIET, A, bare
from tests.support.connections import LONG_S, VENUE, HandTime, TestHouse, open_house, played

BUSY: Final = refuse(Code.BUSY, None, "Full.")


class Engine:
    """An engine's queue that takes every command, or none."""

    def __init__(self, folder: Path) -> None:
        self.clock, self.reports, self.full = HandTime(), list[WheelReport](), False
        self.recorder = FlightRecorder(folder, A)
        self.port = TablePort(A, self.clock, self.submit, self.recorder)

    def submit(self, request: Request) -> Refusal | None:
        if self.full:
            return BUSY
        assert isinstance(request.command, WheelReport)
        self.reports.append(request.command)
        return None

    def pass_us(self, span: int) -> None:
        """Let time pass, with every timer in its time."""
        until = self.clock.at_us + span
        while self.clock.ring_next(until):
            pass
        self.clock.at_us = until


async def turns(count: int = 5) -> None:
    """Let the event loop read what is there."""
    for _ in range(count):
        await asyncio.sleep(0)


async def passed(line: PseudoTerminal, data: bytes, recorder: FlightRecorder) -> None:
    """Send bytes, and wait until they are recorded: the kernel passes them on in its own time."""
    before = recorder.path.stat().st_size
    line.send(data)
    async with asyncio.timeout(LONG_S):
        while recorder.path.stat().st_size == before:  # noqa: ASYNC110 - the kernel signals no event
            await asyncio.sleep(0)
    await turns()


async def sent(engine: Engine, line: PseudoTerminal, steps: Iterable[Step]) -> None:
    """Have a wheel do what its steps say, in the time of the engine. Replugged, it is found after a second."""
    for step in steps:
        engine.pass_us(step.wait)
        if step.data is None:
            line.unplug()
            await turns()
            line.plug()
            engine.pass_us(SECOND)
        elif step.data:
            await passed(line, step.data, engine.recorder)


@pytest.mark.parametrize("name", FAULTS)
def test_fault_on_a_real_line_leads_to_its_reports(name: str, tmp_path: Path) -> None:
    """Each fault of the emulator on a pseudo-terminal gives its reports, and its recording gives the same again."""

    async def scenario() -> None:
        engine, line = Engine(tmp_path), PseudoTerminal(tmp_path / "wheel")
        line.plug()
        wheel = SerialWheel(A, str(line.link))
        wheel.open(engine.port)
        await sent(engine, line, [*FIRST.lines(2, 1), *FAULTS[name].play(FIRST)])
        shown = next((each.pocket for each in EXPECTED[name] if isinstance(each, BallAtRest)), FIRST.win)
        await sent(engine, line, Game(FIRST.spin + 1, shown, "5").lines(2, 4))
        wheel.close()
        line.unplug()

        assert list(map(bare, engine.reports)) == EXPECTED[name]
        again = replayed(engine.recorder.path.read_bytes(), A)
        assert [each.report for each in again if each.report is not None] == engine.reports

    played(scenario)


def test_recording_over_a_restart_gives_the_same_reports(tmp_path: Path) -> None:
    """A driver that is started again in a spin reports its number without a launch; replayed it does the same."""

    async def scenario() -> None:
        engine, line = Engine(tmp_path), PseudoTerminal(tmp_path / "wheel")
        line.plug()
        for steps in (
            [*FIRST.lines(2), *FIRST.lines(3), *FIRST.lines(4, 3)],
            [*FIRST.lines(4), FIRST.result, *FIRST.lines(5), *normal(Game(8, "17", "5"))],
        ):
            wheel = SerialWheel(A, str(line.link))
            wheel.open(engine.port)
            await sent(engine, line, steps)
            wheel.close()
            engine.pass_us(20 * SECOND)
        line.unplug()
        first = BallAtRest(A, Pocket("17"), spin_id=7)
        expected = [LAUNCH, CLOSE, first, LAUNCH, CLOSE, BallAtRest(A, Pocket("5"), spin_id=8)]
        assert list(map(bare, engine.reports)) == expected
        seen, unseen, *last = (each.launch for each in engine.reports if isinstance(each, BallLaunched | BallAtRest))
        assert len({seen, unseen, *last}) == 3
        assert last[0] == last[1]
        again = replayed(engine.recorder.path.read_bytes(), A)
        assert [each.report for each in again if each.report is not None] == engine.reports

    played(scenario)


def test_line_that_is_not_there_is_tried_again(tmp_path: Path) -> None:
    """A line that cannot be opened is a fault; after 3 seconds the silence is reported; plugged in, it is read."""

    async def scenario() -> None:
        engine, line = Engine(tmp_path), PseudoTerminal(tmp_path / "wheel")
        wheel = SerialWheel(A, str(line.link))
        assert wheel.fault == ""
        wheel.open(engine.port)
        assert "cannot be opened" in wheel.fault
        engine.pass_us(4 * SECOND)
        assert list(map(bare, engine.reports)) == [QUIET]
        line.plug()
        engine.pass_us(SECOND)
        assert wheel.fault == "no telegram for 3 seconds"
        await sent(engine, line, [*FIRST.lines(2, 3), *FIRST.lines(3, 1)])
        assert (wheel.fault, list(map(bare, engine.reports))) == ("", [QUIET, LAUNCH])
        line.unplug()
        await turns()
        assert "was closed" in wheel.fault
        wheel.close()
        engine.pass_us(9 * SECOND)
        assert list(map(bare, engine.reports)) == [QUIET, LAUNCH]

    played(scenario)


def test_report_waits_while_the_queue_is_full(tmp_path: Path) -> None:
    """Reports that the engine refuses are pushed again in their order; a port that is closed drops them."""
    engine = Engine(tmp_path)
    engine.full = True
    launch, rest = BallLaunched(A), BallAtRest(A, Pocket("1"), took_ms=20_000)
    engine.port.report(launch)
    engine.port.report(rest)
    engine.pass_us(2 * RETRY)
    assert engine.reports == []
    engine.full = False
    engine.pass_us(RETRY)
    assert engine.reports == [launch, rest]
    engine.full = True
    engine.port.report(launch)
    engine.port.close()
    engine.full = False
    engine.pass_us(RETRY)
    assert engine.reports == [launch, rest]
    Engine(tmp_path).port.close()


def test_port_adds_what_the_venue_has_chosen(tmp_path: Path) -> None:
    """A number gets the least time, and its own since the launch unless the driver states it; a signal what it does."""
    engine = Engine(tmp_path)
    engine.port.terms = WheelTerms(spin_min_s=24, closes=True)
    rest = BallAtRest(A, Pocket("1"))
    engine.port.report(rest)
    engine.port.report(BallLaunched(A))
    engine.pass_us(2 * SECOND)
    engine.port.report(SignalNoMoreBets(A))
    engine.port.report(rest)
    engine.port.report(BallLaunched(A))
    engine.port.report(replace(rest, took_ms=26_500))

    unseen, _, signal, timed, _, stated = engine.reports
    assert signal == SignalNoMoreBets(A, closes=True)
    assert unseen == replace(rest, least_ms=24_000)
    assert timed == replace(rest, took_ms=2_000, least_ms=24_000)
    assert stated == replace(rest, took_ms=26_500, least_ms=24_000)


def test_recording_is_bounded(tmp_path: Path) -> None:
    """The oldest of the files is replaced, each is within its size, and every byte comes back as it was."""
    recorder = FlightRecorder(tmp_path, TableId("A/1"), files=3, size=200)
    every = bytes(range(256))
    for at in range(40):
        recorder.write(Record(Instant(at), Instant(at + 1), RecordMark.SENT, b"%d" % at))
    names = sorted(path.name for path in (tmp_path / "wheels").iterdir())
    assert names == ["A%2F1.1.log", "A%2F1.2.log", "A%2F1.log"]
    assert all(path.stat().st_size <= 200 for path in (tmp_path / "wheels").iterdir())
    lines = [line for number in (2, 1) for line in recorder.rotated(number).read_bytes().splitlines()]
    kept = [each.at for each in read_records([*lines, *recorder.path.read_bytes().splitlines()])]
    assert kept == list(range(40 - len(kept), 40))

    record = Record(Instant(1), Instant(2), RecordMark.RECEIVED, every)
    assert list(read_records([record.line()])) == [record]


@pytest.mark.parametrize("line", [b"", b"1 2 ? x", b"1 2 < \\x1", b"1 2 < \\u2014", b"x", b"1 2 < \xff"])
def test_damaged_record_is_skipped(line: bytes) -> None:
    """A line of a recording that was cut or changed is skipped, and the others are read."""
    whole = Record(Instant(1), Instant(2), RecordMark.NOTE, b"opened")

    assert list(read_records([line, whole.line()])) == [whole]


def test_disk_that_cannot_be_written_ends_the_recording(tmp_path: Path) -> None:
    """A recording that cannot be written stops with its reason, and nothing is raised."""
    tmp_path.joinpath("wheels").write_text("in the way")
    recorder = FlightRecorder(tmp_path, A)
    for _ in range(2):
        recorder.write(Record(Instant(1), Instant(2), RecordMark.NOTE, b"x"))

    assert "File exists" in recorder.fault


CLEARWATER: Final = """
venue = "Test house"
data = "data"
listen.port = 0
[[tables]]
id = "A"
rulebook = "clearwater-etg"
seats = 1
betting_s = 12
pause_s = 1
rest_s = 60
minimum = 1
maximum = 100
driver = "in-rim"
driver_address = "WHEEL"
"""


async def turned(house: TestHouse, line: PseudoTerminal, steps: Iterable[Step]) -> None:
    for step in steps:
        await house.pass_s(step.wait / SECOND)
        assert step.data is not None
        await passed(line, step.data, house.venue.wheels.ports[A].recorder)
        await house.rest()


def test_round_is_played_by_the_wheel_and_recorded(tmp_path: Path) -> None:
    """A table with a launcher plays rounds on the wheel's numbers alone; the recording names its rounds."""

    async def scenario() -> None:
        line = PseudoTerminal(tmp_path / "wheel")
        line.plug()
        async with open_house(tmp_path, CLEARWATER.replace("WHEEL", str(line.link))) as house:
            table = house.venue.run.house.tables[A]
            await turned(house, line, [*FIRST.lines(2, 4), *normal(FIRST), *normal(FIRST.following("4"))])
            assert table.numbers == (Pocket("4"), Pocket("17"))
            assert not house.venue.run.house.incidents.all
            recording = house.venue.wheels.ports[A].recorder.path.read_bytes()
        line.unplug()
        records = list(read_records(recording.splitlines()))
        assert [each.data for each in records if each.mark is RecordMark.NOTE][:4] == [
            b"started",
            b"opened",
            b"round 1",
            b"round 2",
        ]
        numbers = [each.report.pocket for each in replayed(recording) if isinstance(each.report, BallAtRest)]
        assert numbers == ["17", "4"]

    played(scenario)


def test_silence_voids_where_a_malfunction_does(tmp_path: Path) -> None:
    """25: a wheel that falls silent during a spin voids the round, and none opens until staff clear it (Clearwater)."""

    async def scenario() -> None:
        line = PseudoTerminal(tmp_path / "wheel")
        line.plug()
        async with open_house(tmp_path, CLEARWATER.replace("WHEEL", str(line.link))) as house:
            table = house.venue.run.house.tables[A]
            await turned(house, line, [*FIRST.lines(2), *FIRST.lines(3)])
            await house.pass_s(30)
            assert (table.rounds, table.playing.status) == (1, RoundStatus.VOID)
            assert (table.playing.reason, table.playing.clause) == (Reason.MALFUNCTION, "25")
            assert [each.kind for each in house.venue.run.house.incidents.all.values()] == [IncidentKind.WHEEL_SILENT]
        line.unplug()

    played(scenario)


def test_silent_wheel_suspends_the_rounds_of_a_dealer(tmp_path: Path) -> None:
    """Where the rules refer a malfunction, a round is suspended while the wheel is silent, and the next one too."""
    text = VENUE.replace('wheel = "random"', f'driver = "in-rim"\ndriver_address = "{tmp_path}/none"')
    text = text.replace("pause_s = 5\n", "")

    async def scenario() -> None:
        async with open_house(tmp_path, text) as house:
            await house.pass_s(4)
            await house.venue.commit_loop.ask(Request(OpenBets(A)))
            await house.rest()
            table = house.venue.run.house.tables[A]
            assert table.phase is Phase.SUSPENDED
            assert (table.playing.reason, table.playing.clause) == (Reason.MALFUNCTION, "11(b)")

    played(scenario)
