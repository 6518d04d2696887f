"""A wheel driver is found by its entry point, chosen in the configuration, and reports its numbers."""

import os
import sys
from importlib import invalidate_caches
from pathlib import Path

import pytest

from croupier.config.fields import WHEEL_DRIVERS
from croupier.config.provisioning import wheels
from croupier.config.schema import Config
from croupier.devices.random_wheel import RandomWheel
from croupier.engine.ports import Request
from croupier.house.base import Phase
from croupier.house.commands.rounds import BallLaunched, CloseBets, OpenBets
from croupier.house.ids import DeviceId, TableId
from croupier.rules.geometry import Pocket
from tests.connections import open_house, played
from tests.extending import documented
from tests.test_config import SMALLEST
from tests.test_config_refusals import wrong
from tests.wirehouses import ADELAIDE

TABLE = TableId("A")


@pytest.fixture(autouse=True)
def _installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The driver of the page, installed as a package, and two entry points that cannot be loaded."""
    packages = tmp_path / "packages"
    record = packages / "pipewheel-1.dist-info"
    record.mkdir(parents=True)
    record.joinpath("METADATA").write_text("Metadata-Version: 2.1\nName: pipewheel\nVersion: 1\n")
    entries = "pipe = pipewheel:PipeWheel\nno-class = pipewheel:NoWheel\nno-module = nowheel:PipeWheel\n"
    record.joinpath("entry_points.txt").write_text(f"[{WHEEL_DRIVERS}]\n{entries}")
    packages.joinpath("pipewheel.py").write_text(documented("PipeWheel"), "utf-8")
    monkeypatch.delitem(sys.modules, "pipewheel", raising=False)
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
                await house.venue.router.device_auth.ask(Request(request))
            await house.venue.router.device_auth.ask(Request(BallLaunched(TABLE, opposite=True), DeviceId(TABLE)))
            table = house.venue.run.house.tables[TABLE]
            await house.pass_s(1)
            with pipe.open("wb", buffering=0) as sensor:
                sensor.write(b"1")
                await house.pass_s(1)
                assert table.playing.reported is None
                sensor.write(b"7\n")
                await house.pass_s(1)
            assert table.phase is Phase.AT_REST
            assert table.playing.reported == Pocket("17")

    played(scenario)


def test_driver_stays_while_the_wheel_has_sensors(tmp_path: Path) -> None:
    """A driver is opened once; a table whose wheel is random by now has a random wheel in its place."""

    async def scenario() -> None:
        async with open_house(tmp_path, with_driver(tmp_path / "wheel")) as house:
            venue = house.venue
            (driver,) = venue.wheels
            venue.wheels.update(venue.config)
            assert list(venue.wheels) == [driver]
            assert isinstance(venue.config, Config)

        async with open_house(tmp_path / "random", ADELAIDE.replace('id = "A"', 'id = "A"\nwheel = "random"')) as house:
            (wheel,) = wheels(venue.config, house.venue.run.house, [driver])
            assert isinstance(wheel, RandomWheel)

    (tmp_path / "random").mkdir()
    played(scenario)


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
