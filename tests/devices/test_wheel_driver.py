"""A wheel driver is found by its entry point, chosen in the configuration, and reports its numbers."""

import os
import sys
from importlib import invalidate_caches
from importlib.metadata import version
from pathlib import Path

import pytest
from msgspec.structs import replace

from croupier.config.fields import WHEEL_DRIVERS, installed_drivers
from croupier.devices.recorder import WheelTerms, read_records
from croupier.engine.ports import RecordMark, Request
from croupier.house.floor.incidents import IncidentKind
from croupier.house.ids import DeviceId, TableId
from croupier.house.rounds.closing import CloseBets
from croupier.house.rounds.opening import OpenBets
from croupier.house.rounds.spinning import BallLaunched
from croupier.house.settings import WheelKind
from croupier.house.state.tables import Phase
from croupier.rules.geometry import Pocket
from croupier.rules.procedure import Reason
from croupier.words import blocker_text
from tests.config.test_reader import SMALLEST
from tests.config.test_refusals import wrong
from tests.support.connections import open_house, played
from tests.support.extending import documented
from tests.support.wire.houses import ADELAIDE

TABLE = TableId("A")


@pytest.fixture(autouse=True)
def _installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The driver of the page, installed as a package, and two entry points that cannot be loaded."""
    packages = tmp_path / "packages"
    record = packages / "pipewheel-1.dist-info"
    record.mkdir(parents=True)
    record.joinpath("METADATA").write_text("Metadata-Version: 2.1\nName: pipewheel\nVersion: 1\n")
    entries = "pipe = pipewheel:PipeWheel\nno-class = pipewheel:NoWheel\nno-module = nowheel:PipeWheel\n"
    entries += "raising = raisingwheel:RaisingWheel\n"
    record.joinpath("entry_points.txt").write_text(f"[{WHEEL_DRIVERS}]\n{entries}")
    packages.joinpath("pipewheel.py").write_text(documented("PipeWheel", "devices.md"), "utf-8")
    for module in ("pipewheel", "raisingwheel"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    monkeypatch.syspath_prepend(str(packages))
    invalidate_caches()


def with_driver(address: Path, wheel: str = "sensor") -> str:
    driver = f'id = "A"\nwheel = "{wheel}"\ndriver = "pipe"\ndriver_address = "{address}"'
    return ADELAIDE.replace('id = "A"', driver).replace("warning_s = 5", "warning_s = 0")


def test_driver_of_the_page_reports_a_number(tmp_path: Path) -> None:
    """The house takes the pocket that is written to the pipe, once the line is complete, and no sensor is missed."""
    pipe = tmp_path / "wheel"
    os.mkfifo(pipe)

    async def scenario() -> None:
        async with open_house(tmp_path, with_driver(pipe)) as house:
            assert not house.venue.facts().no_sensor
            for request in (OpenBets(TABLE), CloseBets(TABLE)):
                await house.venue.commit_loop.ask(Request(request))
            await house.venue.commit_loop.ask(Request(BallLaunched(TABLE, opposite=True), DeviceId(TABLE)))
            table = house.venue.run.house.tables[TABLE]
            await house.pass_s(1)
            with pipe.open("wb", buffering=0) as sensor:
                sensor.write(b"1")
                await house.pass_s(1)
                assert table.playing.spin.reported is None
                sensor.write(b"7\n")
                await house.pass_s(1)
            assert table.phase is Phase.AT_REST
            assert table.playing.spin.reported == Pocket("17")

    played(scenario)


def test_driver_of_the_page_reports_silence_and_a_reason(tmp_path: Path) -> None:
    """An irregularity is an incident with its reason, and a wheel that gives no reports suspends the round."""
    pipe = tmp_path / "wheel"
    os.mkfifo(pipe)

    async def scenario() -> None:
        async with open_house(tmp_path, with_driver(pipe)) as house:
            for request in (OpenBets(TABLE), CloseBets(TABLE)):
                await house.venue.commit_loop.ask(Request(request))
            await house.venue.commit_loop.ask(Request(BallLaunched(TABLE, opposite=True), DeviceId(TABLE)))
            with pipe.open("wb", buffering=0) as sensor:
                sensor.write(b"jam\nsilent\n")
                await house.pass_s(1)
            raised = house.venue.run.house.incidents.all.values()
            assert [(each.kind, *each.facts.reasons) for each in raised] == [
                (IncidentKind.WHEEL_TROUBLE, Reason.BALL_NOT_SEATED),
                (IncidentKind.WHEEL_SILENT, Reason.MALFUNCTION),
            ]
            assert house.venue.run.house.tables[TABLE].phase is Phase.SUSPENDED
            assert house.venue.wheels.drivers[TABLE].fault == "the pipe says nothing more"

    played(scenario)


def test_port_has_what_the_configuration_says(tmp_path: Path) -> None:
    """The least time of a spin and what the wheel's signal does reach the port, also after a reload."""
    text = with_driver(tmp_path / "wheel").replace(
        "warning_s = 0", 'warning_s = 0\nspin_min_s = 24\nwheel_signal = "close"'
    )

    async def scenario() -> None:
        async with open_house(tmp_path, text) as house:
            wheels = house.venue.wheels
            assert wheels.ports[TABLE].terms == WheelTerms(24, closes=True)
            wheels.ports[TABLE].terms = WheelTerms()
            wheels.update(house.venue.config)
            assert wheels.ports[TABLE].terms == WheelTerms(24, closes=True)

    played(scenario)


def test_driver_stays_while_the_wheel_has_sensors(tmp_path: Path) -> None:
    """A driver is opened once; a table whose wheel is random by now has a random wheel in its place."""

    async def scenario() -> None:
        async with open_house(tmp_path, with_driver(tmp_path / "wheel")) as house:
            wheels = house.venue.wheels
            driver = wheels.drivers[TABLE]
            wheels.update(house.venue.config)
            assert wheels.drivers == {TABLE: driver}
            assert not wheels.random

            table = house.venue.run.house.tables[TABLE]
            table.settings = replace(table.settings, wheel=WheelKind.RANDOM)
            wheels.update(house.venue.config)
            assert not wheels.drivers
            assert [wheel.table for wheel in wheels.random] == [TABLE]

    played(scenario)


def test_driver_without_its_device_suspends_each_round(tmp_path: Path) -> None:
    """While the driver has a fault the table is blocked, and a round that opens is suspended at once."""

    async def scenario() -> None:
        async with open_house(tmp_path, with_driver(tmp_path / "missing")) as house:
            (blocked,) = [each for each in house.venue.blockers() if each.reason == "wheel_fault"]
            assert "No such file or directory" in blocker_text(blocked)
            await house.venue.commit_loop.ask(Request(OpenBets(TABLE)))
            await house.rest()
            table = house.venue.run.house.tables[TABLE]
            assert table.phase is Phase.SUSPENDED
            assert [each.kind for each in house.venue.run.house.incidents.all.values()] == [IncidentKind.WHEEL_SILENT]
            recording = (house.venue.config.data / "wheels" / "A.log").read_bytes()
            assert [(each.mark, each.data) for each in read_records([recording])] == [(RecordMark.NOTE, b"round 1")]

    played(scenario)


#: A driver that raises where its address says so.
RAISING = """
class RaisingWheel:
    def __init__(self, table, address):
        self.table, self.address = table, address
        if address == "made":
            raise RuntimeError("no gears")

    @property
    def fault(self):
        if self.address == "fault":
            raise RuntimeError("no gears")
        return ""

    def open(self, port):
        if self.address == "open":
            raise RuntimeError("no gears")

    def close(self):
        raise RuntimeError("no gears")
"""


@pytest.mark.parametrize("where", ["made", "open", "fault"])
def test_driver_that_raises_harms_its_own_table(where: str, tmp_path: Path) -> None:
    """A driver that raises is a fault of its table with the words of the error; the house opens, and others play."""
    tmp_path.joinpath("packages", "raisingwheel.py").write_text(RAISING)
    pipe = tmp_path / "wheel"
    os.mkfifo(pipe)
    second = with_driver(pipe).replace('id = "A"', 'id = "B"')
    table = second[second.index("[[tables]]") : second.index("[[", second.index("[[tables]]") + 2)]
    text = with_driver(Path(where)).replace('driver = "pipe"', 'driver = "raising"') + table

    async def scenario() -> None:
        async with open_house(tmp_path, text) as house:
            faults = house.venue.facts().wheel_faults
            assert faults == {TABLE: "its driver failed: RuntimeError: no gears"}
            for name in ("A", "B"):
                await house.venue.commit_loop.ask(Request(OpenBets(TableId(name))))
            await house.rest()
            tables = house.venue.run.house.tables
            assert [tables[TableId(name)].phase for name in ("A", "B")] == [Phase.SUSPENDED, Phase.OPEN]

    played(scenario)


def test_installed_drivers_are_listed() -> None:
    """The list has the drivers that come with Croupier and those of other packages, each with its version."""
    found = {each.name: (each.package, each.version) for each in installed_drivers()}

    assert found["pipe"] == ("pipewheel", "1")
    assert found["in-rim"] == found["simulated"] == ("croupier", version("croupier"))


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("pipes", "no wheel driver 'pipes' is installed; did you mean pipe?"),
        ("no-class", "the wheel driver 'no-class' cannot be loaded: module 'pipewheel' has no attribute 'NoWheel'"),
        ("no-module", "the wheel driver 'no-module' cannot be loaded: No module named 'nowheel'"),
    ],
)
def test_driver_that_is_not_there_is_refused(name: str, says: str) -> None:
    """A driver that is not installed, or cannot be loaded, is a problem of the file."""
    assert wrong(f'{SMALLEST}driver = "{name}"\n') == [("tables[A].driver", says)]


@pytest.mark.parametrize("wheel", ["keypad", "random"])
def test_driver_is_for_a_wheel_with_sensors(wheel: str) -> None:
    """A driver at a wheel without sensors is a problem of the file."""
    says = f'goes with wheel = "sensor" only, and the wheel here is {wheel}'

    assert wrong(f'{SMALLEST}wheel = "{wheel}"\ndriver = "pipe"\n') == [("tables[A].driver", says)]
