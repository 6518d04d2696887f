"""Drivers of acceptors and printers are found by their entry points and chosen in the configuration."""

import re
import sys
from importlib import invalidate_caches
from pathlib import Path
from typing import Any

import pytest

from croupier.config.fields import ACCEPTOR_DRIVERS, PRINTER_DRIVERS, installed_drivers
from croupier.engine.ports import Accepted, Request
from croupier.house.credit.notes import GrantPlayMoney
from croupier.house.credit.tickets import Collect, TicketState
from croupier.house.floor.incidents import IncidentKind
from croupier.house.ids import DeviceId, Number
from croupier.rules.money import Cents
from tests.config.test_refusals import wrong
from tests.support.connections import open_house, played
from tests.support.extending import documented
from tests.support.money_devices import SEAT, connected, fitted


@pytest.fixture(autouse=True)
def _installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The printer driver of the page, installed as a package, and an acceptor that cannot be loaded."""
    packages = tmp_path / "packages"
    record = packages / "fileprinter-1.dist-info"
    record.mkdir(parents=True)
    record.joinpath("METADATA").write_text("Metadata-Version: 2.1\nName: fileprinter\nVersion: 1\n")
    entries = (
        f"[{PRINTER_DRIVERS}]\nfile = fileprinter:FilePrinter\nraising = raising:Raising\n"
        f"[{ACCEPTOR_DRIVERS}]\nnone = nothing:None\nraising = raising:Raising\n"
    )
    record.joinpath("entry_points.txt").write_text(entries)
    packages.joinpath("fileprinter.py").write_text(documented("FilePrinter", "devices.md"), "utf-8")
    for module in ("fileprinter", "raising"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    monkeypatch.syspath_prepend(str(packages))
    invalidate_caches()


def with_files(folder: Path) -> str:
    text = fitted(folder)
    return text.replace('driver = "escpos"', 'driver = "file"').replace("-printer", "-slips")


@pytest.mark.parametrize("there", [True, False])
def test_printer_of_the_page_prints_a_slip(there: bool, tmp_path: Path) -> None:  # noqa: FBT001 - a parameter
    """A slip is written to its file and is printed then; where its directory is missing, the printer is locked."""
    slips = tmp_path / "A-1-slips"
    if there:
        slips.mkdir()

    async def scenario() -> None:
        async with open_house(tmp_path, with_files(tmp_path)) as house:
            ask = house.venue.commit_loop.ask
            await ask(Request(GrantPlayMoney(SEAT, Cents(1_000))))
            assert isinstance(await ask(Request(Collect(SEAT), DeviceId(SEAT))), Accepted)
            await house.pass_s(1)
            state = house.venue.run.house.tickets.all[Number(1)].state
            kinds = [each.kind for each in house.venue.run.house.incidents.all.values()]
            assert (state, slips.joinpath("1.bin").exists()) == (
                TicketState.PRINTED if there else TicketState.ISSUED,
                there,
            )
            assert kinds == ([] if there else [IncidentKind.PRINTER_LOCKED])

    played(scenario)


#: An acceptor and a printer that raise where their address says so.
RAISING = """
class Raising:
    def __init__(self, terminal, address, *values):
        self.terminal, self.address, self.fault = terminal, address, ""
        self._raises("made")

    def _raises(self, where):
        if self.address == where:
            raise RuntimeError("no rollers")

    def open(self, port):
        self.port = port
        self._raises("open")

    def close(self):
        raise RuntimeError("no rollers")

    def accept(self):
        self._raises("accept")

    def reject(self):
        raise RuntimeError("no rollers")

    def print(self, job, data):
        self._raises("print")
"""
WORDS = "its driver failed: RuntimeError: no rollers"


@pytest.mark.parametrize("where", ["made", "open", "print"])
def test_driver_that_raises_harms_its_own_terminal(where: str, tmp_path: Path) -> None:
    """A driver that raises is a fault of its device, a slip that it did not print locks it, and the house plays on."""
    tmp_path.joinpath("packages", "raising.py").write_text(RAISING)
    text = fitted(tmp_path).replace('"id003"', '"raising"').replace('"escpos"', '"raising"')
    text = re.sub(r'driver_address = ".*"', f'driver_address = "{where}"', text)

    async def scenario() -> None:
        async with open_house(tmp_path, text) as house:
            peripherals = house.venue.peripherals
            broken = where in ("made", "open")
            assert [each.words for each in peripherals.faults()] == ([WORDS] * 2 if broken else [])
            ask = house.venue.commit_loop.ask
            await ask(Request(GrantPlayMoney(SEAT, Cents(1_000))))
            assert isinstance(await ask(Request(Collect(SEAT), DeviceId(SEAT))), Accepted)
            await house.pass_s(1)
            locked = [each.facts.text for each in house.venue.run.house.incidents.all.values()]
            assert locked == [f"slip 1 may not be on paper, {WORDS}"]

    played(scenario)


def test_acceptor_that_raises_is_locked(tmp_path: Path) -> None:
    """An acceptor whose driver raises at a decision is locked: it may hold a note, which staff must see to."""
    tmp_path.joinpath("packages", "raising.py").write_text(RAISING)
    text = re.sub(r'driver_address = ".*acceptor"', 'driver_address = "accept"', fitted(tmp_path))

    async def scenario() -> None:
        async with open_house(tmp_path, text.replace('"id003"', '"raising"')) as house:
            await connected(house)
            driver: Any = house.venue.peripherals.acceptors[SEAT]
            driver.port.escrow_note(Cents(2_000))
            await house.pass_s(1)
            (incident,) = house.venue.run.house.incidents.all.values()
            assert (incident.kind, incident.facts.text) == (IncidentKind.ACCEPTOR_LOCKED, WORDS)
            assert house.venue.run.house.terminals[SEAT].escrow == 2_000

    played(scenario)


def test_installed_drivers_are_listed() -> None:
    """The lists have the drivers that come with Croupier and those of other packages."""
    assert [each.name for each in installed_drivers(PRINTER_DRIVERS)] == ["escpos", "file", "raising"]
    assert [each.name for each in installed_drivers(ACCEPTOR_DRIVERS)] == ["id003", "none", "raising"]


def test_driver_that_is_not_there_is_refused(tmp_path: Path) -> None:
    """A driver that is not installed, or cannot be loaded, is a problem of the file, and so is a missing address."""
    text = fitted(tmp_path).replace('"escpos"', '"escpoz"').replace('"id003"', '"none"')
    assert wrong(text) == [
        ("tables[A].acceptor.driver", "the acceptor driver 'none' cannot be loaded: No module named 'nothing'"),
        ("tables[A].printer.driver", "no printer driver 'escpoz' is installed; did you mean escpos?"),
    ]
    lines = '[tables.printer]\ndriver = "escpos"\n'
    without = fitted(tmp_path).split("[tables.printer]")[0] + lines
    assert [key for key, _ in wrong(without)] == ["tables[A].printer.driver_address"]
