"""The process of a house is killed at every step of a note, a slip and a ticket: credit, box and paper reconcile."""

import asyncio
import os
import socket
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from signal import SIGKILL, SIGTERM
from typing import Final

import pytest

from croupier.client.connection import ServerAddress
from croupier.devices.escpos import EmulatedPrinter
from croupier.devices.id003 import EmulatedAcceptor, Status
from croupier.devices.validation import ValidationNumbers, open_key
from croupier.engine.places import JOURNAL
from croupier.engine.replay import apply_entry
from croupier.house import House
from croupier.house.credit.tickets import TicketState
from croupier.house.ids import Number
from croupier.journal.entry import EMPTY_HEAD
from croupier.journal.keystore import KeyStore
from croupier.journal.pages import verify_chain
from croupier.journal.stores.sqlite import SqliteStore
from croupier.rulebooks.schema import read_canonical
from tests.support.campaign import many
from tests.support.connections import LONG_S, Client, played
from tests.support.money_devices import CLEARWATER, SEAT, fitted, plugged
from tests.support.sas_host import LinkedHost, authorisation, decimal
from tests.support.serving import Serving, processes

pytestmark = pytest.mark.campaign

TWENTY: Final = 2


class Trap:
    """Kills a process when a device is sent something for the n-th time since it was set."""

    def __init__(self, feed: Callable[[bytes], bytes]) -> None:
        self._feed = feed
        self.pid = self.left = self.count = 0

    def set(self, pid: int, after: int) -> None:
        self.pid, self.left = pid, after

    def feed(self, data: bytes) -> bytes:
        self.sent()
        return self._feed(data)

    def sent(self) -> None:
        self.count += 1
        if self.left:
            self.left -= 1
            if self.left == 0:
                os.kill(self.pid, SIGKILL)


async def until(is_so: Callable[[], bool]) -> None:
    """Wait for another process: the devices say nothing when they are done."""
    async with asyncio.timeout(LONG_S):
        while not is_so():  # noqa: ASYNC110 - a device has no event
            await asyncio.sleep(0.02)


def replayed(folder: Path) -> House:
    """Read the journal of a house that has stopped."""
    house, store = House.new(read_canonical), SqliteStore(folder / "data" / JOURNAL, writing=False)
    for page in verify_chain(store.pages(), EMPTY_HEAD):
        for entry in page.entries:
            apply_entry(house, entry)
    store.close()
    return house


class Killed:
    """A house in a process of its own, with both devices on pseudo-terminals."""

    def __init__(self, folder: Path, start: Callable[..., Serving]) -> None:
        self.folder, self._start = folder, start
        self.acceptor, self.printer = EmulatedAcceptor(), EmulatedPrinter()
        self.notes, self.slips = Trap(self.acceptor.feed), Trap(self.printer.feed)
        self.config = folder / "croupier.toml"
        self.config.write_text(fitted(folder))

    async def serve(self) -> Serving:
        serving = self._start(self.config, measured=False)
        opened = await asyncio.to_thread(serving.opened)
        assert opened, await asyncio.to_thread(serving.ended)
        return serving

    async def idle(self) -> None:
        await until(lambda: self.acceptor.status is Status.IDLE and not self.acceptor.held)
        # Two more polls: the house may have something to say about it.
        seen = self.notes.count + 3
        await until(lambda: self.notes.count >= seen)

    async def sit(self, serving: Serving) -> Client:
        """Connect the terminal: without its screen it takes no money."""
        self.player = await Client.connected(ServerAddress("127.0.0.1", serving.port))
        await self.player.sit()
        return self.player

    async def insert(self) -> None:
        await self.idle()
        assert self.acceptor.insert_note(TWENTY)

    async def cash_out(self, serving: Serving) -> None:
        """Insert a note and have it come out as a slip or ticket."""
        player = await self.sit(serving)
        await self.insert()
        await self.idle()
        player.say("cash_out", id=next(player.numbers), epoch=player.epoch)


@pytest.mark.parametrize("step", range(1, 1 + many(day=4, night=20)))
def test_credit_is_what_the_box_has_after_a_kill(step: int, tmp_path: Path) -> None:
    """Killed at a step of the acceptance of a note, the house credits after its restart what is in the box."""

    async def scenario() -> None:
        with processes() as start:
            killed = Killed(tmp_path, start)
            with plugged(tmp_path / "A-1-acceptor", killed.notes), plugged(tmp_path / "A-1-printer", killed.slips):
                serving = await killed.serve()
                await killed.sit(serving)
                await killed.insert()
                # By day four steps over the whole course, by night every one.
                killed.notes.set(serving.pid, step * (5 if many(day=1, night=0) else 1))
                await asyncio.to_thread(serving.ended)
                again = await killed.serve()
                await killed.idle()
                assert (await asyncio.to_thread(again.stopped, SIGTERM)).code == 0
        house = replayed(tmp_path)
        assert house.terminals[SEAT].credit == 2_000 * len(killed.acceptor.box)
        assert len(killed.acceptor.box) + len(killed.acceptor.returned) == 1
        assert house.terminals[SEAT].escrow is None

    played(scenario)


@pytest.mark.parametrize("step", range(1, 1 + many(day=2, night=8)))
def test_slip_and_paper_reconcile_after_a_kill(step: int, tmp_path: Path) -> None:
    """Killed at a step of a print, no slip is printed twice, and one that is not confirmed waits for staff."""

    async def scenario() -> None:
        with processes() as start:
            killed = Killed(tmp_path, start)
            with plugged(tmp_path / "A-1-acceptor", killed.notes), plugged(tmp_path / "A-1-printer", killed.slips):
                serving = await killed.serve()
                await killed.cash_out(serving)
                killed.slips.set(serving.pid, step)
                await asyncio.to_thread(serving.ended)
                again = await killed.serve()
                await killed.idle()
                assert (await asyncio.to_thread(again.stopped, SIGTERM)).code == 0
        house, printed = replayed(tmp_path), len(killed.printer.slips)
        ticket = house.tickets.all.get(Number(1))
        assert house.terminals[SEAT].credit + (0 if ticket is None else ticket.amount) == 2_000
        assert printed <= 1
        locked = [each.facts.text for each in house.incidents.all.values() if each.kind == "printer_locked"]
        if ticket is None:
            assert (printed, locked) == (0, [])
        elif ticket.state is TicketState.PRINTED:
            assert (printed, locked) == (1, [])
        else:
            assert (ticket.state, len(locked)) == (TicketState.ISSUED, 1)

    played(scenario)


class SlotSystem:
    """Authorises every ticket that it is shown, for as long as there is a machine."""

    def __init__(self, server: socket.socket) -> None:
        server.settimeout(LONG_S)
        self.host, self.trap = LinkedHost(server), Trap(lambda _: b"")
        self.host.sent = self.trap.sent
        self._is_over = False

    async def polls(self, pid: int, after: int = 0) -> None:
        """Poll until the line is lost or nothing more is asked; the trap is set when a ticket is there."""
        self._is_over = False
        while not self._is_over:
            try:
                await asyncio.to_thread(self._poll, pid, after)
            except OSError:
                self.host.hang_up()
                return
            await asyncio.sleep(0.02)

    def end(self) -> None:
        self._is_over = True

    def close(self) -> None:
        self.host.hang_up()

    def _poll(self, pid: int, after: int) -> None:
        host = self.host
        shown = host.plain(0x70, 17)
        if shown is None:
            # No ticket is there; this takes the exceptions.
            host.cycle()
            return
        if after and not self.trap.left:
            self.trap.set(pid, after)
        host.long(0x71, authorisation(shown[8:].hex()))
        while (host.long(0x71, b"\x01\xff") or b"\x01\x40")[1] == PENDING and not self._is_over:
            pass
        host.cycle()

    def redeemed(self) -> int:
        """Ask what was redeemed last; 0 if nothing was."""
        found = self.host.must(lambda: self.host.long(0x71, b"\x01\xff"))
        return decimal(found[2:7]) if found[1] == COMPLETE else 0


COMPLETE, PENDING = 0x00, 0x40
#: Which line sends something when the process is killed, and after how many of its messages.
BY_DAY: Final = [("acceptor", 5), ("host", 2)]
BY_NIGHT: Final = [("acceptor", step) for step in range(1, 17)] + [("host", step) for step in range(1, 13)]


@pytest.mark.clause("clearwater-etg", "6")
@pytest.mark.parametrize(("line", "step"), BY_NIGHT if many(day=0, night=1) else BY_DAY)
def test_ticket_and_credit_reconcile_after_a_kill(line: str, step: int, tmp_path: Path) -> None:
    """6: killed at a step of a redemption, a ticket is credit once or still payable, and the slot system is told so."""

    async def scenario() -> None:
        with (
            processes() as start,
            socket.create_server(("127.0.0.1", 0)) as server,
            closing(SlotSystem(server)) as slots,
        ):
            killed = Killed(tmp_path, start)
            killed.config.write_text(fitted(tmp_path, CLEARWATER, slot_system=server.getsockname()[1]))
            with plugged(tmp_path / "A-1-acceptor", killed.notes), plugged(tmp_path / "A-1-printer", killed.slips):
                serving = await killed.serve()
                await killed.cash_out(serving)
                await until(lambda: bool(killed.printer.slips))
                await killed.idle()
                numbers = ValidationNumbers(open_key(KeyStore(tmp_path / "data.keys"), make=False))
                assert killed.acceptor.insert_ticket(numbers.number(Number(1)))
                if line == "acceptor":
                    killed.notes.set(serving.pid, step)
                await slots.polls(serving.pid, step if line == "host" else 0)
                await asyncio.to_thread(serving.ended)
                again = await killed.serve()
                polling = asyncio.create_task(slots.polls(again.pid))
                await killed.idle()
                slots.end()
                await polling
                redeemed = await asyncio.to_thread(slots.redeemed)
                assert (await asyncio.to_thread(again.stopped, SIGTERM)).code == 0
        house = replayed(tmp_path)
        terminal, ticket = house.terminals[SEAT], house.tickets.all[Number(1)]
        credited = 2_000 if ticket.state is TicketState.REDEEMED else 0
        assert ticket.payable is not bool(credited)
        assert (terminal.credit, terminal.meters.tickets_in, redeemed) == (credited,) * 3
        # A ticket that comes back may be credit already; one in the box is.
        assert len(killed.acceptor.box) + len(killed.acceptor.returned) == 2
        assert len(killed.acceptor.box) == 1 or credited

    played(scenario)
