"""Serial devices under the units: they allow what a device needs, and a missing right is reported with its remedy."""

import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import pytest

from croupier.devices.line import SerialSettings, open_channel
from tests.project.test_deploy import DEPLOY, security, settings_of

HOUSES: Final = ("croupier.service", "croupier-standby.service")
#: An account that has no right on this machine but those of its groups.
NOBODY: Final = 65_534
#: A group that owns the line in a test, as dialout does on a host.
LINES: Final = 20
SERIAL: Final = SerialSettings(9_600)
TELEGRAM: Final = b"*X;2;07;17;1;0;120;0\r\n"


@pytest.mark.parametrize("unit", HOUSES)
def test_house_may_open_serial_lines(unit: str) -> None:
    """The units of house and standby show the devices of the host, and allow serial lines alone."""
    found = settings_of(DEPLOY / "systemd" / unit)

    assert "PrivateDevices" not in found
    assert found["DevicePolicy"] == ["closed"]
    assert found["DeviceAllow"] == ["char-ttyS rw", "char-ttyUSB rw", "char-ttyACM rw"]
    assert found["SupplementaryGroups"] == ["dialout"]


@pytest.mark.parametrize("unit", HOUSES)
def test_systemd_reads_the_allowed_devices(unit: str) -> None:
    """Systemd itself reports these serial lines, and the clock that ProtectClock brings, as all special devices."""
    report = {each["json_field"]: each["description"] for each in security(DEPLOY / "systemd" / unit)}
    listed = re.findall(r"char-\w+:\w+", report["DeviceAllow"])

    assert sorted(listed) == ["char-rtc:r", "char-ttyACM:rw", "char-ttyS:rw", "char-ttyUSB:rw"]


def test_page_shows_how_other_devices_are_allowed() -> None:
    """The page on operating names the group of serial lines and the drop-in for a printer on USB."""
    page = DEPLOY.parent.joinpath("docs", "operating.md").read_text("utf-8")

    assert "adduser croupier dialout" in page
    assert "DeviceAllow=/dev/usb/lp0 rw" in page


@contextmanager
def account_in(*groups: int) -> Iterator[None]:
    """Act as an account with these groups; a test that is not run by root keeps its own account."""
    if os.geteuid():
        yield
        return
    before = os.getgroups()
    os.setgroups(groups)
    os.setegid(NOBODY)
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(0)
        os.setgroups(before)


@pytest.fixture
def line() -> Iterator[tuple[int, str]]:
    """A pseudo-terminal with the mode that udev gives to serial lines: its group may read and write it."""
    ours, theirs = os.openpty()
    name = os.ttyname(theirs)
    if os.geteuid() == 0:
        os.chown(name, 0, LINES)
    os.chmod(name, stat.S_IRUSR | stat.S_IWUSR | stat.S_IRGRP | stat.S_IWGRP)  # noqa: PTH101 - a device
    yield ours, name
    os.close(ours)
    os.close(theirs)


def test_group_of_the_line_opens_it(line: tuple[int, str]) -> None:
    """An account without any other right reads a telegram from a line of its supplementary group."""
    wheel, name = line
    with account_in(LINES):
        channel = open_channel(name, SERIAL)
    os.write(wheel, TELEGRAM)

    assert os.read(channel.fileno(), len(TELEGRAM)) == TELEGRAM
    channel.close()


@pytest.mark.parametrize("kind", ["", "file:"], ids=["serial line", "device file"])
def test_line_of_another_group_says_what_to_do(line: tuple[int, str], kind: str) -> None:
    """Without the group the line cannot be opened, and the fault names the group and the setting of the unit."""
    _, name = line
    if os.geteuid():
        os.chmod(name, 0)  # noqa: PTH101 - a device
    with account_in(), pytest.raises(OSError, match=r"permission denied; .*dialout.*\(DeviceAllow\)"):
        open_channel(f"{kind}{name}", SERIAL)
