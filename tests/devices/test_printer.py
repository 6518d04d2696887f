"""Ticket printers over a pseudo-terminal: a slip counts as dispensed when the printer has confirmed it, and once."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final

import pytest

from croupier.devices.emulator import PseudoTerminal
from croupier.devices.escpos import (
    JOB_MAX,
    ONLINE,
    SPOILED,
    STATUS_EVERY,
    STATUSES,
    EmulatedPrinter,
    EscPosPrinter,
    ResponseReader,
    fault_of,
    slip_text,
)
from croupier.devices.id003 import EmulatedAcceptor
from croupier.devices.recorder import FlightRecorder
from croupier.devices.validation import ValidationNumbers
from croupier.engine.ports import Accepted, Outcome, Request
from croupier.house import AnyCommand, House
from croupier.house.credit.drawers import OpenDrawer, RedeemTicket
from croupier.house.credit.notes import GrantPlayMoney
from croupier.house.credit.tickets import Collect, ConfirmPrint, ReprintTicket, Ticket, TicketState, VoidTicket
from croupier.house.floor.incidents import ClearIncident, IncidentKind, Peripheral
from croupier.house.floor.signatures import Approve
from croupier.house.floor.staff import EnrolDevice
from croupier.house.ids import SECOND, DeviceId, DrawerId, Number, PersonId, TerminalId
from croupier.reports.slips import grouped
from croupier.rulebooks.schema import read_canonical
from croupier.rules.money import Cents
from croupier.rules.procedure import CreditOut
from croupier.rules.refusal import Code, Refusal, refuse
from croupier.server.connection import ConnectedDevices
from croupier.server.peripherals import Peripherals, PrinterDesk
from croupier.server.slot_link import SlotLink
from croupier.server.ticket_desk import TicketLookup
from tests.support.connections import HandTime, configured, open_house, played, refused_in, until
from tests.support.money_devices import ADELAIDE, CLEARWATER, SEAT, Fitted, connected, fitted, plugged

ONE, AT = Number(1), DeviceId(SEAT)
DESKS: Final = (DeviceId("desk 1"), DeviceId("desk 2"))


class Printing(Fitted):
    """A house whose seat has a printer, and people who act at two desks."""

    printer_line: PseudoTerminal

    @property
    def printer_driver(self) -> EscPosPrinter:
        driver = self.house.venue.peripherals.printers[SEAT]
        assert isinstance(driver, EscPosPrinter)
        return driver

    @property
    def ticket(self) -> Ticket:
        return self.house.venue.run.house.tickets.all[ONE]

    async def ask(self, command: AnyCommand, device: DeviceId = AT, person: str = "") -> Outcome:
        outcome = await self.house.venue.commit_loop.ask(Request(command, device, PersonId(person)))
        await self.house.rest()
        return outcome

    async def by_two(self, command: AnyCommand) -> Outcome:
        """Have two people sign for a command at two desks."""
        assert isinstance(await self.ask(command, DESKS[0], "inspector"), Accepted)
        proposal = max(self.house.venue.run.house.proposals.all)
        return await self.ask(Approve(proposal), DESKS[1], "pit boss")

    def send_from_printer(self, data: bytes) -> None:
        self.printer_line.send(data)

    async def works(self) -> None:
        await until(lambda: self.printer_driver.fault == "")

    async def collect(self) -> Outcome:
        """Put money on the meter, and cash it out."""
        await self.house.venue.commit_loop.ask(Request(GrantPlayMoney(SEAT, Cents(2_500))))
        return await self.ask(Collect(SEAT))

    async def cleared(self) -> None:
        for each in self.open_incidents():
            assert isinstance(await self.ask(ClearIncident(each.number), DESKS[0], "inspector"), Accepted)

    async def redeemed(self) -> Outcome:
        """Bring the slip to the cashier."""
        number = self.house.venue.peripherals.numbers.read(self.number)
        drawer = DrawerId("D1")
        await self.ask(OpenDrawer(drawer, Cents(100_000)), DESKS[0], "cashier")
        return await self.ask(RedeemTicket(drawer, number), DESKS[0], "cashier")

    @property
    def number(self) -> str:
        return self.house.venue.peripherals.numbers.number(ONE)


def with_printer(
    folder: Path, printer: EmulatedPrinter, do: Callable[[Printing], Awaitable[None]], rulebook: str = ADELAIDE
) -> None:
    """Open a house with a printer, and do something in it."""

    async def scenario() -> None:
        acceptor = EmulatedAcceptor()
        with plugged(folder / "A-1-acceptor", acceptor), plugged(folder / "A-1-printer", printer) as line:
            async with open_house(folder, fitted(folder, rulebook)) as house:
                for desk in DESKS:
                    await house.venue.commit_loop.ask(Request(EnrolDevice(desk)))
                fit = Printing(house, acceptor, printer)
                fit.printer_line = line
                await do(fit)

    played(scenario)


@pytest.mark.clause("skycity-adelaide-2003", "5.5(a)")
@pytest.mark.clause("skycity-adelaide-2003", "7(e)")
def test_slip_is_printed_and_paid_once(tmp_path: Path) -> None:
    """5.5(a), 7(e): a slip for the displayed credits is dispensed by the terminal, and the cashier pays it once."""
    printer = EmulatedPrinter()

    async def scenario(fit: Printing) -> None:
        player = await fit.house.client()
        await player.sit()
        await fit.works()
        assert isinstance(await fit.collect(), Accepted)
        await until(lambda: fit.ticket.state is TicketState.PRINTED)
        (slip,) = printer.slips
        assert slip.count(grouped(fit.number).encode()) == 2
        assert b"25.00" in slip
        assert isinstance(await fit.redeemed(), Accepted)
        again = await fit.redeemed()
        assert isinstance(again, Refusal)
        assert again.code == "ticket_paid"
        recording = tmp_path.joinpath("data/devices/A-1.printer.log").read_bytes()
        assert fit.number[-8:].encode() not in recording
        assert not [said for said in player.drain() if said["t"] == "slip"]

    with_printer(tmp_path, printer, scenario)


@pytest.mark.clause("skycity-adelaide-2003", "7(e)")
@pytest.mark.parametrize("fault", SPOILED)
def test_slip_that_was_not_confirmed_is_not_paid_as_dispensed(fault: str, tmp_path: Path) -> None:
    """7(e): after each fault of the printer the slip waits for staff, whose duplicate is marked and paid once."""
    printer = EmulatedPrinter()

    async def scenario(fit: Printing) -> None:
        await fit.works()
        printer.fault = fault
        await fit.collect()
        await fit.house.pass_s((JOB_MAX + STATUS_EVERY) / SECOND)
        assert fit.incidents() == [IncidentKind.PRINTER_LOCKED]
        assert fit.ticket.state is TicketState.ISSUED
        refused = await fit.redeemed()
        assert isinstance(refused, Refusal)
        assert (refused.code, refused.clause) == ("ticket_not_dispensed", "7(e)")
        blocked = await fit.collect()
        assert isinstance(blocked, Refusal)
        assert (blocked.code, blocked.clause) == ("terminal_blocked", "7(e)")
        restored = printer.restore()
        if restored:
            fit.send_from_printer(restored)
        await fit.house.pass_s(3 * STATUS_EVERY / SECOND)
        await fit.works()
        assert len(printer.slips) == (fault == "unconfirmed")
        assert isinstance(await fit.by_two(ReprintTicket(ONE, fault)), Accepted)
        await until(lambda: len(printer.slips) == 1 + (fault == "unconfirmed"))
        assert b"DUPLICATE" in printer.slips[-1]
        assert isinstance(await fit.redeemed(), Accepted)
        await fit.cleared()
        assert isinstance(await fit.collect(), Accepted)

    with_printer(tmp_path, printer, scenario)


def test_slip_waits_for_paper(tmp_path: Path) -> None:
    """A printer without paper is a fault that staff see; the slip is printed once when there is paper again."""
    printer = EmulatedPrinter()
    printer.set_status(STATUSES["paper-out"])

    async def scenario(fit: Printing) -> None:
        await until(lambda: fit.printer_driver.fault == "it is out of paper")
        await fit.collect()
        await fit.house.pass_s(4)
        assert fit.house.venue.facts().peripherals[-1] == (SEAT, Peripheral.PRINTER, "it is out of paper")
        assert (printer.slips, printer.spoiled, fit.ticket.state) == ([], [], TicketState.ISSUED)
        fit.send_from_printer(printer.restore())
        await until(lambda: fit.ticket.state is TicketState.PRINTED)
        assert len(printer.slips) == 1
        assert fit.incidents() == []
        fit.send_from_printer(printer.set_status(STATUSES["near-end"]))
        await until(lambda: fit.printer_driver.nearly_out)
        assert fit.printer_driver.fault == ""

    with_printer(tmp_path, printer, scenario)


@pytest.mark.clause("skycity-adelaide-2003", "7(e)")
@pytest.mark.parametrize("status", ["paper-out", "cover"])
def test_player_cannot_collect_while_the_printer_cannot_print(status: str, tmp_path: Path) -> None:
    """7(e): the player keeps the credits and is referred to staff, who collect; with paper the player collects."""
    printer = EmulatedPrinter()
    printer.set_status(STATUSES[status])

    async def scenario(fit: Printing) -> None:
        await until(lambda: fit.printer_driver.fault not in ("", "it has not reported its status"))
        player = await connected(fit.house)
        await fit.house.venue.commit_loop.ask(Request(GrantPlayMoney(SEAT, Cents(2_500))))
        for _ in range(2):
            number = next(player.numbers)
            player.say("cash_out", id=number, epoch=player.epoch)
            refusal = refused_in(await player.answered(number))[number]
            assert (refusal["code"], refusal["clause"]) == ("terminal_blocked", "7(e)")
            assert refusal["facts"]["why"] == "printer"
        assert (fit.terminal.credit, fit.house.venue.run.house.tickets.all) == (2_500, {})
        (incident,) = fit.open_incidents()
        assert incident.kind is IncidentKind.PRINTER_LOCKED
        assert incident.facts.text == f"a player wants to collect, and {fit.printer_driver.fault}"
        if status == "paper-out":
            fit.send_from_printer(printer.restore())
            await fit.works()
            await fit.cleared()
            player.say("cash_out", id=next(player.numbers), epoch=player.epoch)
            await until(lambda: len(printer.slips) == 1)
            await until(lambda: fit.ticket.state is TicketState.PRINTED)
        else:
            assert isinstance(await fit.ask(Collect(SEAT), DESKS[0], "inspector"), Accepted)
            assert fit.ticket.collected_by == "inspector"
        assert fit.terminal.credit == 0

    with_printer(tmp_path, printer, scenario)


def test_player_without_credits_calls_no_staff(tmp_path: Path) -> None:
    """Collecting nothing, and currency that needs no paper, lock no printer."""
    printer = EmulatedPrinter()
    printer.set_status(STATUSES["paper-out"])

    async def scenario(fit: Printing) -> None:
        await until(lambda: fit.printer_driver.fault == "it is out of paper")
        player = await connected(fit.house)
        number = next(player.numbers)
        player.say("cash_out", id=number, epoch=player.epoch)
        assert refused_in(await player.answered(number))[number]["code"] == "nothing_to_collect"
        assert fit.incidents() == []

    with_printer(tmp_path, printer, scenario)


def test_paper_that_is_nearly_at_its_end_is_shown(tmp_path: Path) -> None:
    """Dealer and pit see that a printer is nearly out of paper while it prints, and no more once it has a new roll."""
    printer = EmulatedPrinter()

    async def scenario(fit: Printing) -> None:
        await fit.works()
        dealer = await fit.house.signed_in("inspector", "dealer", fit.house.codes["inspector"])
        pit = await fit.house.signed_in("pit boss", "pit", fit.house.codes["pit boss"])
        fit.send_from_printer(printer.set_status(STATUSES["near-end"]))
        await until(lambda: fit.printer_driver.nearly_out)
        await fit.house.pass_s(2)
        row = {"terminal": "A-1", "tables": ["A"], "device": "paper", "words": "it is nearly at its end"}
        await dealer.hear("floor", lambda said: row in said["set"].get("devices", []))
        shown = await pit.hear("floor", lambda said: row in said["set"].get("devices", []))
        (need,) = [each for each in shown["set"]["needs"] if each["what"] == "paper"]
        assert (need["terminal"], need["says"]) == ("A-1", "The printer is nearly out of paper.")
        assert isinstance(await fit.collect(), Accepted)
        await until(lambda: fit.ticket.state is TicketState.PRINTED)
        fit.send_from_printer(printer.restore())
        await until(lambda: not fit.printer_driver.nearly_out)
        await fit.house.pass_s(2)
        await dealer.hear("floor", lambda said: row not in said["set"].get("devices", [row]))

    with_printer(tmp_path, printer, scenario)


@pytest.mark.clause("skycity-adelaide-2003", "7(e)")
@pytest.mark.parametrize("printed", [False, True])
def test_slip_that_was_issued_before_a_restart_waits_for_staff(printed: bool, tmp_path: Path) -> None:  # noqa: FBT001 - a parameter
    """7(e): a slip without a confirmation before a restart is not printed by itself; two people put its value back."""
    printer = EmulatedPrinter()
    if not printed:
        printer.set_status(STATUSES["cover"])

    async def issue(fit: Printing) -> None:
        await until(lambda: (fit.printer_driver.fault == "") == printed)
        printer.fault = "unconfirmed" if printed else ""
        await fit.collect()
        await until(lambda: len(printer.slips) == printed)

    async def resolve(fit: Printing) -> None:
        await fit.house.pass_s(1)
        (incident,) = fit.open_incidents()
        assert (incident.kind, incident.clause) == (IncidentKind.PRINTER_LOCKED, "7(e)")
        assert "slip 1 may not be on paper" in incident.facts.text
        assert (len(printer.slips), fit.terminal.credit) == (int(printed), 0)
        assert isinstance(await fit.by_two(VoidTicket(ONE, "not dispensed")), Accepted)
        refused = await fit.redeemed()
        assert isinstance(refused, Refusal)
        assert (refused.code, fit.terminal.credit) == ("ticket_void", 2_500)

    with_printer(tmp_path, printer, issue)
    printer.restore()
    with_printer(tmp_path, printer, resolve)


def test_credits_that_the_terminal_dispenses_need_no_paper(tmp_path: Path) -> None:
    """20.a: currency that the terminal pays out itself has no paper, and its printer prints none (Clearwater)."""
    printer = EmulatedPrinter()

    async def scenario(fit: Printing) -> None:
        await fit.works()
        await fit.house.venue.commit_loop.ask(Request(GrantPlayMoney(SEAT, Cents(2_500))))
        assert isinstance(await fit.ask(Collect(SEAT, form=CreditOut.CURRENCY)), Accepted)
        await fit.house.pass_s(3)
        assert (printer.slips, printer.spoiled, fit.incidents()) == ([], [], [])

    with_printer(tmp_path, printer, scenario, CLEARWATER)


def test_confirmation_of_another_job_is_ignored(tmp_path: Path) -> None:
    """A process id that is not of the job on its way confirms nothing."""
    printer = EmulatedPrinter()

    async def scenario(fit: Printing) -> None:
        await fit.works()
        printer.fault = "unconfirmed"
        await fit.collect()
        await until(lambda: len(printer.slips) == 1)
        fit.send_from_printer(b"\x37\x229999\x00" + ONLINE)
        await fit.house.pass_s(1)
        assert fit.ticket.state is TicketState.ISSUED

    with_printer(tmp_path, printer, scenario)


def test_report_is_submitted_until_it_is_decided(tmp_path: Path) -> None:
    """A report that finds no room is submitted again, in its order, and its answer comes once."""

    async def scenario() -> None:
        time, requests, busy = HandTime(), list[AnyCommand](), [True, True, False, False]

        async def ask(request: Request) -> Outcome:
            requests.append(request.command)
            return refuse(Code.BUSY, None, "Full.") if busy.pop(0) else Accepted(1, 1)

        numbers = ValidationNumbers(bytes(32))
        desk = Peripherals(
            *(House.new(read_canonical), time, ask, print, print, ConnectedDevices(), numbers, TicketLookup(numbers)),
            starts=1,
            open_link=SlotLink,
            changed=print,
        )
        desk.update(configured(tmp_path, fitted(tmp_path)))
        assert desk.printers == {}
        port = PrinterDesk(desk, SEAT, FlightRecorder(tmp_path, "x", directory="devices"))
        port.printed(1)
        port.printed(2)
        for wanted in (1, 2, 4):
            await until(lambda wanted=wanted: len(requests) == wanted)  # type: ignore[misc]
            time.at_us += SECOND
            time.ring_next(time.at_us)
        assert requests == [ConfirmPrint(SEAT, Number(1))] * 3 + [ConfirmPrint(SEAT, Number(2))]
        port.close()

    played(scenario)


def test_printer_that_does_not_respond_is_a_fault(tmp_path: Path) -> None:
    """A printer that is switched off is a fault after some seconds, and works again when it is switched on."""
    printer = EmulatedPrinter()

    async def scenario(fit: Printing) -> None:
        await fit.works()
        printer.powered = False
        await fit.house.pass_s(8)
        assert fit.printer_driver.fault == "it does not respond"
        printer.restore()
        await fit.house.pass_s(2)
        await fit.works()

    with_printer(tmp_path, printer, scenario)


def test_responses_are_found_among_noise() -> None:
    """Statuses and process ids come whole out of pieces and noise."""
    reader, done = ResponseReader(), b"\x37\x220012\x00"
    stream = b"\xff" + ONLINE + b"\x10\xff" + done + b"\x00" + ONLINE[:2]

    assert [each for byte in stream for each in reader.feed(bytes((byte,)))] == [ONLINE, done]
    reader.cut()
    assert list(reader.feed(ONLINE)) == [ONLINE]


@pytest.mark.parametrize(
    ("status", "fault"),
    [(ONLINE, ""), (b"\x10\x20\0\0", "error"), (b"\x10\x04\0\0", "jammed"), (b"\x18\0\0\0", "offline"),
     *((STATUSES[name], words) for name, words in (("jam", "cutter"), ("cover", "cover"), ("paper-out", "paper")))],
)  # fmt: skip
def test_status_says_why_nothing_is_printed(status: bytes, fault: str) -> None:
    """Each bit of the status has its words for staff."""
    assert fault in fault_of(status)
    assert bool(fault) == bool(fault_of(status))


def test_driver_that_is_not_open_prints_nothing() -> None:
    """A printer before its opening has no fault, and can be closed."""
    driver = EscPosPrinter(TerminalId("T1"), "/missing")
    driver.print(1, b"x")
    assert driver.fault == ""
    driver.close()


def test_text_of_a_slip_is_without_pictures_and_commands() -> None:
    """The letters of a slip are its lines as printed: not the bytes of its barcode, nor of commands between them."""
    slip = b"\x1b@\x1bt\x10\x1d!\x11AUD 5.00\n\x1d!\x00\x1dv0\x00\x01\x00\x03\x00ABC12-3456\n\x96\n\x1dVB\x00"

    assert slip_text(slip) == "AUD 5.00\n12-3456\n\u2013\n"
