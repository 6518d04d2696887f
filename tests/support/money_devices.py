"""Emulated acceptors and printers on real pseudo-terminals, and a house that has them."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Protocol

from croupier.devices.emulator import PseudoTerminal
from croupier.devices.escpos import EmulatedPrinter
from croupier.devices.id003 import POLL_EVERY, EmulatedAcceptor, Id003Acceptor, Operation
from croupier.house.floor.incidents import Incident, IncidentKind
from croupier.house.ids import SECOND, DeviceId, DeviceKind, TerminalId
from croupier.house.state.tables import Terminal
from tests.support.connections import Client, TestHouse, until

SEAT: Final = TerminalId("A-1")
#: A demonstration with one seat, which has an acceptor and a printer; its notes are of 5 to 50.
FITTED: Final = """
venue = "Test house"
data = "data"
listen.port = 0
limits = {{ commands_per_s = 1_000, commands_burst = 1_000 }}
{mode}

[[tables]]
id = "A"
rulebook = "{rulebook}"
seats = 1
wheel = "random"
minimum = 1
maximum = 100
[tables.seat]
notes = [10, 20, 50]
[tables.acceptor]
driver = "id003"
driver_address = "{folder}/{{terminal}}-acceptor"
values = [5, 10, 20, 50]
[tables.printer]
driver = "escpos"
driver_address = "{folder}/{{terminal}}-printer"
"""
ADELAIDE, CLEARWATER = "skycity-adelaide-2003", "clearwater-etg"
STAFF: Final = {
    ADELAIDE: ("Inspector", "Pit Boss"),
    CLEARWATER: ("Attendant", "Supervisor"),
}


#: A slot system on this machine, which authorises tickets.
SLOT_SYSTEM: Final = """[tables.sas]
driver_address = "tcp:127.0.0.1:{port}"
redemption = true
"""


def fitted(folder: Path, rulebook: str = ADELAIDE, mode: str = "", slot_system: int = 0) -> str:
    """Write the configuration of a house whose seat has both devices, and a slot system on a port if there is one."""
    people = "".join(
        f'[[staff]]\nperson = "{title.lower()}"\ntitles = ["{title}"]\n' for title in (*STAFF[rulebook], "Cashier")
    )
    sas = SLOT_SYSTEM.format(port=slot_system) if slot_system else ""
    return FITTED.format(folder=folder, rulebook=rulebook, mode=mode) + sas + people


class Emulated(Protocol):
    """A device that reads bytes and responds."""

    def feed(self, data: bytes) -> bytes: ...


@contextmanager
def plugged(link: Path, device: Emulated) -> Iterator[PseudoTerminal]:
    """Have a device respond on a pseudo-terminal, on the event loop that is running."""
    line = PseudoTerminal(link)
    line.plug()
    responds(line, device)
    try:
        yield line
    finally:
        asyncio.get_running_loop().remove_reader(line.fileno())
        line.unplug()


def responds(line: PseudoTerminal, device: Emulated) -> None:
    """Have a device read a line that is plugged, and write its responses there, on the event loop that is running."""

    def respond() -> None:
        response = device.feed(line.receive())
        if response:
            line.send(response)

    asyncio.get_running_loop().add_reader(line.fileno(), respond)


async def connected(house: TestHouse) -> Client:
    """Connect the terminal that has the devices, with a new key."""
    keys = house.venue.verifier.credential_store.enrol({DeviceId(SEAT): DeviceKind.TERMINAL})
    assert isinstance(keys, dict)
    client = await house.client()
    await client.return_(SEAT, keys[DeviceId(SEAT)])
    return client


class Fitted:
    """A house that is open, with the devices of its seat."""

    #: The terminal, once it is connected.
    player: Client

    def __init__(self, house: TestHouse, acceptor: EmulatedAcceptor, printer: EmulatedPrinter) -> None:
        self.house, self.acceptor, self.printer = house, acceptor, printer

    @property
    def terminal(self) -> Terminal:
        return self.house.venue.run.house.terminals[SEAT]

    @property
    def driver(self) -> Id003Acceptor:
        driver = self.house.venue.peripherals.acceptors[SEAT]
        assert isinstance(driver, Id003Acceptor)
        return driver

    async def poll(self, times: int = 1) -> None:
        """Let the acceptor be polled, and the house do what follows from it."""
        for _ in range(times):
            await self.house.pass_s(POLL_EVERY / SECOND)
            if not self.acceptor.silent and not self.driver.fault.endswith("opened"):
                # An acknowledgement has no response.
                await until(lambda: self.driver.unanswered == 0 or self.acceptor.last == Operation.ACK)
            await self.house.rest()

    async def poll_until(self, is_so: Callable[[], bool], most: int = 60) -> None:
        for _ in range(most):
            if is_so():
                return
            await self.poll()
        raise AssertionError((self.acceptor.status, self.driver.fault, self.terminal.escrow, self.terminal.credit))

    def incidents(self) -> list[IncidentKind]:
        return [each.kind for each in self.open_incidents()]

    def open_incidents(self) -> list[Incident]:
        return [each for each in self.house.venue.run.house.incidents.all.values() if each.cleared_by is None]
