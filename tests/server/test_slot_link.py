"""The slot-system link of a terminal in a whole house, polled by an independent host over a network socket."""

import asyncio
import socket
from collections.abc import Awaitable, Callable
from datetime import datetime
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo

import pytest

from croupier.devices.escpos import EmulatedPrinter
from croupier.devices.id003 import EmulatedAcceptor, Status
from croupier.devices.sas import RedemptionStatus
from croupier.engine.ports import Request
from croupier.house.credit.tickets import Collect
from croupier.house.floor.incidents import Peripheral
from croupier.house.floor.service import ReportLockUp
from croupier.house.ids import SECOND, DeviceId, Number, TableId, TerminalId
from croupier.house.rounds.irregularities import WheelTrouble
from croupier.house.state.tables import Phase, RoundStatus
from croupier.rules.procedure import Reason
from croupier.server.slot_link import AUTHORISED_WITHIN, SlotLink
from tests.support.connections import LONG_S, open_house, played, refused_in, until
from tests.support.money_devices import ADELAIDE, CLEARWATER, SEAT, Fitted, connected, fitted, plugged
from tests.support.sas_host import LinkedHost, authorisation, checksum, decimal

TWENTY: Final = 2
A: Final = TableId("A")


class Linked(Fitted):
    """A house whose seat is linked to a slot system."""

    host: LinkedHost

    async def polls(self, send: Callable[[], object]) -> object:
        """Have the host poll in its thread, while the house goes on."""
        return await asyncio.to_thread(send)

    async def exceptions(self) -> list[int]:
        """Take all exceptions that wait."""
        self.host.exceptions.clear()
        for _ in range(30):
            await self.polls(self.host.cycle)
        return list(self.host.exceptions)

    async def idle(self) -> None:
        await self.poll_until(lambda: self.acceptor.status is Status.IDLE and not self.acceptor.held)
        await self.poll(3)


def with_link(
    folder: Path,
    do: Callable[[Linked], Awaitable[None]],
    rulebook: str = ADELAIDE,
    acceptor: EmulatedAcceptor | None = None,
    zone: str = "UTC",
) -> None:
    """Open a house with a slot system, and do something in it."""

    async def scenario() -> None:
        held, printer = acceptor or EmulatedAcceptor(), EmulatedPrinter()
        with (
            socket.create_server(("127.0.0.1", 0)) as server,
            plugged(folder / "A-1-acceptor", held),
            plugged(folder / "A-1-printer", printer),
        ):
            server.settimeout(LONG_S)
            text = fitted(folder, rulebook, slot_system=server.getsockname()[1])
            text = text.replace('data = "data"', f'data = "data"\ntimezone = "{zone}"')
            text = text.replace('wheel = "random"', 'wheel = "random"\nbetting_s = 30\nspin_s = 4\npause_s = 3')
            async with open_house(folder, text) as house:
                fit = Linked(house, held, printer)
                fit.host = LinkedHost(server)
                fit.player = await connected(house)
                await do(fit)
                fit.host.hang_up()

    played(scenario)


def test_slot_system_reads_meters_and_exceptions(tmp_path: Path) -> None:
    """Notes, credits, tickets and their exceptions reach the slot system as the house has them."""

    async def scenario(fit: Linked) -> None:
        fit.acceptor.insert_note(TWENTY)
        await fit.idle()
        fit.acceptor.insert_note(TWENTY)
        await fit.idle()
        assert await fit.polls(lambda: fit.host.meter(0x1A)) == 2_000
        assert await fit.polls(lambda: fit.host.meter(0x20)) == 20
        assert await fit.polls(lambda: fit.host.meter(0x35)) == 1
        assert await fit.polls(lambda: fit.host.meter(0x11)) == 0
        assert await fit.exceptions() == [0x17, 0x4A]
        await fit.house.venue.commit_loop.ask(Request(Collect(SEAT), DeviceId(SEAT)))
        await until(lambda: bool(fit.printer.slips))
        await fit.house.pass_s(1)
        assert await fit.exceptions() == [0x3D]
        ticket = await fit.polls(lambda: fit.host.long(0x4D, b"\x00", 31))
        assert isinstance(ticket, bytes)
        assert ticket[24:25].hex() + ticket[9:17].hex() == fit.house.venue.peripherals.numbers.number(Number(1))
        assert decimal(ticket[17:22]) == 2_000
        assert await fit.polls(lambda: fit.host.plain(0x54, 7)) == b"\x06602A-1"
        clock = await fit.polls(lambda: fit.host.plain(0x7E, 7))
        assert isinstance(clock, bytes)
        assert clock.hex().startswith("11152026")
        assert await fit.polls(lambda: fit.host.order(0x7F, clock))
        lock = ReportLockUp(SEAT, Peripheral.ACCEPTOR, "jam")
        await fit.house.venue.commit_loop.ask(Request(lock, DeviceId(SEAT)))
        assert await fit.exceptions() == [0x28]
        fit.host.hang_up()
        link = fit.house.venue.peripherals.links[SEAT]
        assert isinstance(link, SlotLink)
        await until(lambda: link.fault.endswith("was closed"))
        faults = fit.house.venue.peripherals.faults()
        assert [(each.terminal, each.device) for each in faults] == [(SEAT, "slot system link")]

    with_link(tmp_path, scenario)


def test_slot_system_switches_play_and_notes_off(tmp_path: Path) -> None:
    """A terminal that is switched off takes no bets and no notes, also after a restart, until it is switched on."""
    acceptor = EmulatedAcceptor()

    async def off(fit: Linked) -> None:
        assert await fit.polls(lambda: fit.host.order(0x07))
        assert fit.terminal.notes_off
        await fit.idle()
        acceptor.insert_note(TWENTY)
        await fit.idle()
        assert (fit.terminal.credit, len(acceptor.returned)) == (0, 1)
        assert await fit.polls(lambda: fit.host.order(0x01))
        assert fit.terminal.play_off

    async def on(fit: Linked) -> None:
        player = fit.player
        await fit.house.pass_s(4)
        number = fit.house.venue.run.house.tables[A].rounds
        player.say("practice")
        await player.hear("seat", lambda said: said["set"].get("credit", 0) > 0)
        refused = await player.answered(player.bet("17", 200, number))
        assert [each["code"] for each in refused_in(refused).values()] == ["terminal_closed"]
        assert await fit.polls(lambda: fit.host.order(0x02))
        assert await fit.polls(lambda: fit.host.order(0x06))
        assert (await player.answered(player.bet("17", 200, number)))["set"]["games"]["A"]["stakes"] == {"17": 200}
        await fit.house.pass_s(45)
        assert (await fit.exceptions())[-2:] == [0x7E, 0x7F]
        assert await fit.polls(lambda: fit.host.meter(0x11)) == 200
        assert await fit.polls(lambda: fit.host.meter(0x15)) == 1
        won = int(fit.terminal.meters.returned > 0)
        assert await fit.polls(lambda: fit.host.meter(0x16)) == won
        assert await fit.polls(lambda: fit.host.meter(0x17)) == 1 - won
        machine = await fit.polls(lambda: fit.host.plain(0x1C, 32))
        assert isinstance(machine, bytes)
        assert [decimal(machine[at : at + 4]) for at in range(0, 32, 4)] == [
            *(200, fit.terminal.meters.returned, 0, 0, 1, won, 0),
            fit.house.venue.run.epoch,
        ]
        assert fit.house.venue.run.epoch == 2

    with_link(tmp_path, off, acceptor=acceptor)
    with_link(tmp_path, on, acceptor=acceptor)


def test_last_of_several_switches_stays(tmp_path: Path) -> None:
    """Polls that switch off and on in one burst, before anything is durable, end in the last one."""

    async def scenario(fit: Linked) -> None:
        link = fit.house.venue.peripherals.links[SEAT]
        assert isinstance(link, SlotLink)
        for first, last in ((0x01, 0x02), (0x07, 0x06), (0x02, 0x01), (0x06, 0x07)):
            for command in (first, last, first, last, last):
                # In one burst, before the event loop has run: only the first of them can be so already.
                body = bytes((1, command))
                units = [(byte, place == 0) for place, byte in enumerate(body + checksum(body))]
                said = link.slave.feed(units)
                assert said in (b"\x01", b"\x01\x00")
            assert said == b"\x01\x00"
            assert await fit.polls(lambda: fit.host.order(last))  # noqa: B023 - awaited here
            part = fit.terminal.play_off if last in (0x01, 0x02) else fit.terminal.notes_off
            assert part is (last in (0x01, 0x07))
            await fit.house.rest()
            assert part is (fit.terminal.play_off if last in (0x01, 0x02) else fit.terminal.notes_off)

    with_link(tmp_path, scenario)


def test_terminal_that_is_not_polled_sends_its_address(tmp_path: Path) -> None:
    """After a start, and after five seconds without a poll, the address comes every 200 ms until the host polls."""

    async def scenario(fit: Linked) -> None:
        await fit.polls(fit.host.general)
        await fit.house.pass_s(1)
        assert set(fit.host.found) == {1}
        fit.host.found.clear()
        await fit.house.pass_s(3)
        await fit.polls(fit.host.general)
        assert fit.host.found == []
        await fit.house.pass_s(7)
        await fit.polls(fit.host.general)
        assert 5 <= len(fit.host.found) <= 15
        recording = tmp_path.joinpath("data/devices/A-1.sas.log").read_text()
        # One response for each poll, and no address.
        assert len([line for line in recording.splitlines() if " > " in line]) == 3

    with_link(tmp_path, scenario)


def test_game_has_the_rules_of_its_table(tmp_path: Path) -> None:
    """The configuration of a game follows from the rulebook: its return on a straight up bet, and its own name."""

    async def scenario(fit: Linked) -> None:
        machine = await fit.polls(lambda: fit.host.plain(0x1F, 20))
        book = fit.house.venue.run.house.rulebook_at(fit.terminal)
        assert len(book.wheel.order) == 38
        # 36 / 38 = 94.74 %.
        assert machine == b"RL000\x01\xff\x00\x00\x00" + book.digest[:6].upper().encode() + b"9474"

    with_link(tmp_path, scenario, CLEARWATER)


def test_ticket_has_the_time_of_the_venue(tmp_path: Path) -> None:
    """A ticket is reported with the date and time that its paper and the clock of the link have, which are local."""

    async def scenario(fit: Linked) -> None:
        await inserted(fit)
        ticket = await fit.polls(lambda: fit.host.long(0x4D, b"\x01", 31))
        assert isinstance(ticket, bytes)
        issued = fit.house.venue.run.house.tickets.all[Number(1)].issued_at
        local = datetime.fromtimestamp(issued // SECOND, ZoneInfo("Australia/Adelaide"))
        assert ticket[2:9].hex() == f"{local:%m%d%Y%H%M%S}"

    with_link(tmp_path, scenario, CLEARWATER, zone="Australia/Adelaide")


@pytest.mark.parametrize("code", [0x01, 0x02])
def test_promotional_ticket_never_becomes_credit(code: int, tmp_path: Path) -> None:
    """A ticket that the slot system calls restricted or promotional goes back: nothing of it can be cashed."""
    acceptor = EmulatedAcceptor()

    async def scenario(fit: Linked) -> None:
        number = await inserted(fit)
        first = await fit.polls(lambda: fit.host.long(0x71, authorisation(number, 2_000, code)))
        assert isinstance(first, bytes)
        assert first[1] == RedemptionStatus.REJECTED_BY_MACHINE
        await fit.idle()
        assert (await fit.exceptions())[-1] == 0x68
        assert await fit.polls(lambda: fit.host.long(0x71, authorisation(number, 2_000, code))) == first
        assert (fit.terminal.credit, len(acceptor.box), len(acceptor.returned)) == (0, 1, 1)
        assert fit.house.venue.run.house.tickets.all[Number(1)].payable

    with_link(tmp_path, scenario, CLEARWATER, acceptor)


async def inserted(fit: Linked) -> str:
    """Cash a note out as a ticket, insert the ticket, and wait until the host sees it; return its number."""
    await fit.idle()
    fit.acceptor.insert_note(TWENTY)
    await fit.idle()
    await fit.house.venue.commit_loop.ask(Request(Collect(SEAT), DeviceId(SEAT)))
    await until(lambda: bool(fit.printer.slips))
    number = fit.house.venue.peripherals.numbers.number(Number(1))
    assert fit.acceptor.insert_ticket(number)
    await fit.poll(5)
    assert (await fit.exceptions())[-1] == 0x67
    shown = await fit.polls(lambda: fit.host.plain(0x70, 17))
    assert isinstance(shown, bytes)
    assert shown[8:].hex() == number
    return number


@pytest.mark.clause("clearwater-etg", "6")
def test_ticket_is_redeemed_with_the_slot_system(tmp_path: Path) -> None:
    """6: a ticket becomes credit once when the slot system has authorised it, and it says so when it comes again."""
    acceptor = EmulatedAcceptor()

    async def redeem(fit: Linked) -> None:
        number = await inserted(fit)
        for _ in range(2):
            await fit.polls(lambda: fit.host.long(0x71, authorisation(number)))
        await fit.idle()
        assert (await fit.exceptions())[-1] == 0x68
        await complete(fit)
        assert (fit.terminal.credit, len(acceptor.box), acceptor.returned) == (2_000, 2, [])
        await fit.poll(5 * AUTHORISED_WITHIN // SECOND + 2)
        await complete(fit)

    async def complete(fit: Linked) -> None:
        done = await fit.polls(lambda: fit.host.long(0x71, b"\x01\xff"))
        assert isinstance(done, bytes)
        assert (done[1], decimal(done[2:7])) == (0, 2_000)

    async def again(fit: Linked) -> None:
        await complete(fit)
        await fit.idle()
        assert fit.acceptor.insert_ticket(fit.house.venue.peripherals.numbers.number(Number(1)))
        await fit.idle()
        assert 0x67 not in await fit.exceptions()
        await complete(fit)
        assert (fit.terminal.credit, len(acceptor.box), len(acceptor.returned)) == (2_000, 2, 1)

    with_link(tmp_path, redeem, CLEARWATER, acceptor)
    with_link(tmp_path, again, CLEARWATER, acceptor)


@pytest.mark.parametrize("why", ["amount", "host", "silence", "machine"])
def test_ticket_that_is_not_agreed_on_goes_back(why: str, tmp_path: Path) -> None:
    """A ticket with another amount, that the host or the house rejects, or that it does not answer for, is returned."""
    acceptor = EmulatedAcceptor()

    async def scenario(fit: Linked) -> None:
        number = await inserted(fit)
        if why == "machine":
            assert await fit.polls(lambda: fit.host.order(0x07))
        poll = authorisation(number, 1_999 if why == "amount" else 2_000, 0x80 if why == "host" else 0)
        if why == "silence":
            await fit.poll(5 * AUTHORISED_WITHIN // SECOND + 2)
        else:
            await fit.polls(lambda: fit.host.long(0x71, poll))
        await fit.idle()
        assert (await fit.exceptions())[-1] == 0x68
        status = await fit.polls(lambda: fit.host.long(0x71, b"\x01\xff"))
        assert isinstance(status, bytes)
        assert status[1] == {"amount": 0x86, "host": 0x80, "silence": 0x88, "machine": 0x87}[why]
        assert (fit.terminal.credit, len(acceptor.box), len(acceptor.returned)) == (0, 1, 1)
        assert fit.house.venue.run.house.tickets.all[Number(1)].payable

    with_link(tmp_path, scenario, CLEARWATER, acceptor)


def test_redemption_that_has_begun_is_not_rejected_any_more(tmp_path: Path) -> None:
    """A rejection between the authorisation and its commit changes nothing, and one without a ticket does nothing."""
    acceptor = EmulatedAcceptor()

    async def scenario(fit: Linked) -> None:
        link = fit.house.venue.peripherals.links[SEAT]
        assert isinstance(link, SlotLink)
        link.reject(RedemptionStatus.REJECTED_BY_HOST)
        assert link.redemption().status is RedemptionStatus.NO_TICKET
        await inserted(fit)
        link.redeem(2_000)
        link.redeem(2_000)
        link.reject(RedemptionStatus.REJECTED_BY_HOST)
        assert link.redemption().status is RedemptionStatus.PENDING
        await fit.idle()
        assert link.redemption()[::2] == (RedemptionStatus.COMPLETE, 2_000)
        assert (fit.terminal.credit, acceptor.returned) == (2_000, [])

    with_link(tmp_path, scenario, CLEARWATER, acceptor)


def test_each_ticket_waits_for_its_own_time(tmp_path: Path) -> None:
    """A ticket that is inserted soon after another one was redeemed still waits ten seconds for its authorisation."""
    acceptor = EmulatedAcceptor()

    async def scenario(fit: Linked) -> None:
        number = await inserted(fit)
        await fit.polls(lambda: fit.host.long(0x71, authorisation(number)))
        await fit.idle()
        await fit.house.pass_s(4)
        await fit.house.venue.commit_loop.ask(Request(Collect(SEAT), DeviceId(SEAT)))
        await until(lambda: len(fit.printer.slips) == 2)
        assert acceptor.insert_ticket(fit.house.venue.peripherals.numbers.number(Number(2)))
        await fit.poll(5)
        link = fit.house.venue.peripherals.links[SEAT]
        assert isinstance(link, SlotLink)
        begun = fit.house.time.at_us
        while link.redemption().status is RedemptionStatus.WAITING:
            await fit.poll()
        assert link.redemption().status is RedemptionStatus.TIMED_OUT
        assert fit.house.time.at_us - begun > 8 * SECOND

    with_link(tmp_path, scenario, CLEARWATER, acceptor)


def test_ticket_in_escrow_is_payable_after_a_stop(tmp_path: Path) -> None:
    """A house that stops while a ticket waits for the slot system redeems nothing: the ticket is payable afterwards."""
    acceptor = EmulatedAcceptor()

    async def stop(fit: Linked) -> None:
        await inserted(fit)

    async def start(fit: Linked) -> None:
        assert fit.house.venue.run.house.tickets.all[Number(1)].payable
        assert fit.terminal.credit == 0

    with_link(tmp_path, stop, CLEARWATER, acceptor)
    with_link(tmp_path, start, CLEARWATER, acceptor)


#: Two tables; one seat is linked to a slot system.
TWO_TABLES: Final = """
venue = "Test house"
data = "data"
listen.port = 0
TABLES
[[terminals]]
id = "T"
tables = ["A"]
[terminals.sas]
driver_address = "tcp:127.0.0.1:{port}"
"""
TABLE: Final = """[[tables]]
id = "{id}"
rulebook = "clearwater-etg"
seats = 1
wheel = "random"
minimum = 1
maximum = 100
betting_s = 10
spin_s = 4
pause_s = 3
"""


def test_slot_system_gets_exceptions_of_its_own_terminal(tmp_path: Path) -> None:
    """Games at another table, a round without its bets, and faults of a terminal without a link raise no exception."""

    async def scenario() -> None:
        with socket.create_server(("127.0.0.1", 0)) as server:
            server.settimeout(LONG_S)
            tables = "".join(TABLE.format(id=each) for each in "AB")
            text = TWO_TABLES.replace("TABLES", tables).format(port=server.getsockname()[1])
            async with open_house(tmp_path, text) as house:
                host = LinkedHost(server)
                link = house.venue.peripherals.links[TerminalId("T")]
                assert isinstance(link, SlotLink)
                before = link.slave.waiting
                for table in "AB":
                    player = await house.client()
                    await player.sit(table)
                    assert player.device == f"{table}-1"
                    player.say("practice")
                    await player.hear("seat", lambda said: said["set"].get("credit", 0) > 0)
                    await house.pass_s(4)
                    player.bet("17", 200, house.venue.run.house.tables[TableId(table)].rounds, table)
                lock = ReportLockUp(TerminalId("A-1"), Peripheral.PRINTER, "jam")
                await house.venue.commit_loop.ask(Request(lock, DeviceId("A-1")))
                await house.pass_s(60)
                assert all(each.meters.turnover > 0 for each in house.venue.run.house.tables.values())
                first = house.venue.run.house.tables[A]
                while first.phase is not Phase.OPEN:
                    await house.pass_s(1)
                fault = Request(WheelTrouble(A, Reason.MALFUNCTION), DeviceId(A))
                await house.venue.commit_loop.ask(fault)
                assert first.playing.status is RoundStatus.VOID
                assert link.slave.waiting == before
                # Closed again when the house stops.
                house.venue.peripherals.close()
                host.hang_up()

    played(scenario)
