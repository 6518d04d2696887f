"""The note acceptors and printers of terminals: their ports, and what the house replies."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Final, Protocol

import structlog

from croupier.config.schema import Config, SasConfig, TerminalConfig
from croupier.devices.guard import closed, failure_of, fault_of, made, opened
from croupier.devices.recorder import PERIPHERALS, FlightRecorder, Record
from croupier.devices.sas import NOTE_EXCEPTIONS, SasException
from croupier.devices.validation import ValidationNumbers
from croupier.engine.ports import AcceptorDriver, LoopClock, Outcome, PrinterDriver, RecordMark, Request, Timer
from croupier.house import AnyCommand, House
from croupier.house.blockers import PAPER, PeripheralFault
from croupier.house.credit.notes import EscrowNote, NoteStacked, ReturnNote, StackNote
from croupier.house.credit.tickets import DISPENSED, ConfirmPrint, InsertTicket, Ticket, TicketPrinted, TicketState
from croupier.house.declare import Event, RoundEvent
from croupier.house.floor.incidents import IncidentFacts, IncidentKind, IncidentRaised, Peripheral, RaiseAlarm
from croupier.house.floor.permissions import offline_refusal
from croupier.house.floor.service import ReportLockUp
from croupier.house.ids import SECOND, DeviceId, Instant, Number, TerminalId
from croupier.house.rounds.closing import BetsSealed
from croupier.house.rounds.irregularities import RoundVoided
from croupier.house.rounds.settlement import RoundSettled
from croupier.reports.drawer_projection import slip
from croupier.reports.rendering import render_escpos
from croupier.rules.money import Cents
from croupier.rules.refusal import Code, Refusal, Refused
from croupier.rules.rulebook import Rulebook
from croupier.server.connection import ConnectedDevices, send_refusal
from croupier.server.ticket_desk import WRONG_NUMBER, LookupFailure, TicketLookup

_LOG = structlog.get_logger()
#: After a refusal for want of room, a report is submitted again.
RETRY: Final = SECOND // 20
#: How often staff are shown what works.
LOOK_EVERY: Final = SECOND
#: Refusals that mean that nothing was decided.
_NOT_DECIDED: Final = (Code.BUSY, Code.DISK_LOW)
#: Submits a request, and waits until its outcome is committed.
Ask = Callable[[Request], Awaitable[Outcome]]


class TerminalLink(Protocol):
    """The link of a terminal to a slot system."""

    #: Whether the slot system authorises tickets.
    redeems: bool

    @property
    def fault(self) -> str:
        """Why the slot system cannot poll; empty while it can."""
        ...

    def raise_(self, exception: SasException) -> None:
        """Queue an exception for the slot system."""
        ...

    def present(self, number: str, amount: int, digest: str, then: Callable[[Outcome], None]) -> None:
        """Offer a ticket in escrow to the slot system, and call a function with the outcome."""
        ...

    def close(self) -> None: ...


OpenLink = Callable[["Peripherals", TerminalId, FlightRecorder, SasConfig], TerminalLink]


@dataclass(slots=True)
class Peripherals:
    """The acceptors and printers of a venue: each has a driver, a port and a recording."""

    house: House
    time: LoopClock
    ask: Ask
    alarm: Callable[[RaiseAlarm], object]
    #: Submits a request before any that follows it.
    submit: Callable[[Request], object]
    devices: ConnectedDevices
    numbers: ValidationNumbers
    look_ups: TicketLookup
    #: How often the house was started: the power resets that a slot system reads.
    starts: int
    #: Opens the link of a terminal to a slot system.
    open_link: "OpenLink"
    #: Called when a device has begun to work, or does not work any more.
    changed: Callable[[], None]
    acceptors: dict[TerminalId, AcceptorDriver] = field(default_factory=dict)
    printers: dict[TerminalId, PrinterDriver] = field(default_factory=dict)
    links: dict[TerminalId, "TerminalLink"] = field(default_factory=dict)
    _sas: dict[TerminalId, SasConfig] = field(default_factory=dict)
    _ports: list["DeviceDesk"] = field(default_factory=list)
    #: The ports of printers.
    _slips: dict[TerminalId, "PrinterDesk"] = field(default_factory=dict)
    _faults: tuple[PeripheralFault, ...] = ()
    _watch: Timer | None = None
    _data: Path | None = None

    def update(self, config: Config) -> None:
        """Add the devices that the configuration names and that are not there yet."""
        for each in config.terminals:
            terminal = self.house.terminals.get(each.id)
            if terminal is not None:
                self._attach(each, tuple(map(Cents, terminal.settings.notes)))

    def _attach(self, config: TerminalConfig, notes: tuple[Cents, ...]) -> None:
        acceptor, printer, terminal = config.acceptor, config.printer, config.id
        if acceptor is not None and terminal not in self.acceptors:
            address, values = _address(acceptor.driver_address, terminal), acceptor.values or notes
            self.acceptors[terminal] = made(partial(acceptor.driver, terminal, address, values), terminal)
            self._open_acceptor(terminal)
        if printer is not None and terminal not in self.printers:
            address = _address(printer.driver_address, terminal)
            self.printers[terminal] = made(partial(printer.driver, terminal, address), terminal)
            self._open_printer(terminal)
        if config.sas is not None and terminal not in self._sas:
            self._sas[terminal] = config.sas
            self._open_link(terminal)

    def open(self, data: Path) -> None:
        """Open every device, and from now on each one that is attached."""
        self._data = data
        for terminal in self.acceptors:
            self._open_acceptor(terminal)
        for terminal in self.printers:
            self._open_printer(terminal)
        for terminal in self._sas:
            self._open_link(terminal)
        self._look()

    def _look(self) -> None:
        """Compare what works with what worked a second ago."""
        before, self._faults = self._faults, self.faults()
        if before != self._faults:
            self.changed()
        self._watch = self.time.at(Instant(self.time.now() + LOOK_EVERY), self._look)

    def close(self) -> None:
        """Close every device."""
        self._data = None
        if self._watch is not None:
            self._watch.cancel()
            self._watch = None
        for driver in (*self.acceptors.values(), *self.printers.values()):
            closed(driver)
        for link in self.links.values():
            link.close()
        for port in self._ports:
            port.close()

    def _open_acceptor(self, terminal: TerminalId) -> None:
        if self._data is not None:
            port = AcceptorDesk(self, terminal, self._recorder(terminal, Peripheral.ACCEPTOR))
            self._ports.append(port)
            self.acceptors[terminal] = opened(self.acceptors[terminal], terminal, port)

    def _open_printer(self, terminal: TerminalId) -> None:
        if self._data is not None:
            port = PrinterDesk(self, terminal, self._recorder(terminal, Peripheral.PRINTER))
            self._ports.append(port)
            self._slips[terminal] = port
            self.printers[terminal] = opened(self.printers[terminal], terminal, port)
            port.find_unconfirmed()

    def _open_link(self, terminal: TerminalId) -> None:
        if self._data is not None:
            config = self._sas[terminal]
            known = replace(config, driver_address=_address(config.driver_address, terminal))
            self.links[terminal] = self.open_link(self, terminal, self._recorder(terminal, "sas"), known)

    def _recorder(self, terminal: TerminalId, device: str) -> FlightRecorder:
        assert self._data is not None
        return FlightRecorder(self._data, f"{terminal}.{device}", directory=PERIPHERALS)

    def on_event(self, event: Event) -> None:
        """Queue exceptions for the slot systems of the terminals that an event is about."""
        if not self.links:
            return
        for terminal, exception in self._exceptions(event):
            link = self.links.get(terminal)
            if link is not None:
                link.raise_(exception)

    def _exceptions(self, event: Event) -> Iterator[tuple[TerminalId, SasException]]:
        if isinstance(event, NoteStacked):
            yield event.terminal, NOTE_EXCEPTIONS.get(event.value, SasException.BILL_ACCEPTED)
        elif isinstance(event, TicketPrinted):
            yield event.terminal, SasException.TICKET_PRINTED
        elif isinstance(event, IncidentRaised) and event.kind in _TILTS:
            yield TerminalId(event.subject), _TILTS[event.kind]
        elif isinstance(event, RoundEvent) and type(event) in _GAMES:
            round_ = self.house.tables[event.table].find_round(event.round)
            layouts = {} if round_ is None else round_.layouts
            for terminal in self.links:
                game = self.house.terminals[terminal].games.get(event.table)
                if game is not None and game.id in layouts:
                    yield terminal, _GAMES[type(event)]

    def call_staff(self, terminal: TerminalId) -> None:
        """Lock a printer that cannot print before its player collects: the house refuses, and staff collect instead.

        What the printer lacks ends by itself, and nobody would see the slip that waits for it.
        """
        printer = self.printers.get(terminal)
        known = self.house.terminals.get(terminal)
        if printer is None or known is None or known.channel.credit_out[0].choice in DISPENSED or not known.credit:
            return
        if fault := fault_of(printer):
            words = f"a player wants to collect, and {fault}"
            self.submit(Request(ReportLockUp(terminal, Peripheral.PRINTER, words), DeviceId(terminal)))

    def print_slip(self, ticket: Ticket) -> bool:
        """Print a slip or ticket at the printer of its terminal; return whether there is one."""
        printer = self.printers.get(ticket.terminal)
        if printer is None or self._data is None:
            return False
        try:
            document = slip(self.house, ticket.sequence, self.numbers.number(ticket.sequence), self.numbers)
        except Refused:
            # It was paid, voided or printed meanwhile.
            return True
        job, data = ticket.sequence, render_escpos(document.layout())
        failure = failure_of(lambda: printer.print(job, data))
        if failure:
            self._slips[ticket.terminal].failed(job, failure)
        return True

    def faults(self) -> tuple[PeripheralFault, ...]:
        """List the devices that do not work."""
        acceptors = ((name, Peripheral.ACCEPTOR.value, fault_of(each)) for name, each in self.acceptors.items())
        printers = tuple((name, Peripheral.PRINTER.value, fault_of(each)) for name, each in self.printers.items())
        links = ((terminal, "slot system link", link.fault) for terminal, link in self.links.items())
        # A driver need not know how much paper is left.
        low = (name for name, _, fault in printers if not fault and getattr(self.printers[name], "nearly_out", False))
        paper = ((name, PAPER, "it is nearly at its end") for name in low)
        return tuple(PeripheralFault(*each) for each in sorted((*acceptors, *printers, *links, *paper)) if each[-1])


_PAYABLE: Final = (TicketState.ISSUED, TicketState.PRINTED)
_TILTS: Final = {
    IncidentKind.ACCEPTOR_LOCKED: SasException.BILL_JAM,
    IncidentKind.PRINTER_LOCKED: SasException.PRINTER_ERROR,
}
_GAMES: Final[Mapping[type[Event], SasException]] = {
    BetsSealed: SasException.GAME_STARTED,
    RoundSettled: SasException.GAME_ENDED,
    RoundVoided: SasException.GAME_ENDED,
}


def _address(address: str, terminal: TerminalId) -> str:
    return address.replace("{terminal}", terminal)


class DeviceDesk:
    """Submits the commands of one device in their order, each once the one before it is committed."""

    def __init__(self, desk: Peripherals, terminal: TerminalId, recorder: FlightRecorder) -> None:
        self._desk, self._terminal, self._recorder = desk, terminal, recorder
        self._queue: asyncio.Queue[tuple[AnyCommand, Callable[[Outcome], None] | None]] = asyncio.Queue()
        self._worker: asyncio.Task[None] = asyncio.get_running_loop().create_task(self._work())

    @property
    def clock(self) -> LoopClock:
        return self._desk.time

    def record(self, mark: RecordMark, data: bytes) -> None:
        self._recorder.write(Record(self.clock.now(), self.clock.wall(), mark, data))

    def close(self) -> None:
        """Drop what the engine has not taken."""
        self._worker.cancel()

    def _submit(self, command: AnyCommand, then: Callable[[Outcome], None] | None = None) -> None:
        """Submit a command until it is decided, and then call a function with its outcome."""
        self._queue.put_nowait((command, then))

    async def _work(self) -> None:
        while True:
            command, then = await self._queue.get()
            outcome = await self._decided(command)
            self.record(RecordMark.NOTE, _noted(command, outcome))
            if then is not None:
                then(outcome)

    async def _decided(self, command: AnyCommand) -> Outcome:
        while True:
            outcome = await self._desk.ask(Request(command, DeviceId(self._terminal)))
            if not (isinstance(outcome, Refusal) and outcome.code in _NOT_DECIDED):
                return outcome
            await self._rest()

    async def _rest(self) -> None:
        rested = asyncio.Event()
        self.clock.at(Instant(self.clock.now() + RETRY), rested.set)
        await rested.wait()

    def _lock(self, peripheral: Peripheral, words: str) -> None:
        _LOG.warning("device_locked", terminal=self._terminal, device=peripheral.value, words=words)
        self._submit(ReportLockUp(self._terminal, peripheral, words))


def _noted(command: AnyCommand, outcome: Outcome) -> bytes:
    """Note a decision in the recording; the digest of a ticket is left out."""
    decided = f"refused {outcome.code}" if isinstance(outcome, Refusal) else f"entry {outcome.first}"
    return f"{type(command).__name__}: {decided}".encode("ascii", "backslashreplace")


class AcceptorDesk(DeviceDesk):
    """The port of a note acceptor: notes and tickets become credit once, or go back with the clause."""

    @property
    def _driver(self) -> AcceptorDriver:
        return self._desk.acceptors[self._terminal]

    @property
    def _rulebook(self) -> Rulebook:
        return self._desk.house.rulebook_at(self._desk.house.terminals[self._terminal])

    def _is_seen(self) -> bool:
        """Check that the player sees what becomes of the money; without its screen a terminal takes none.

        The house knows of a terminal that was lost, and not of one that has not connected since the start.
        """
        if self._terminal in self._desk.devices.seats:
            return True
        self._decide(offline_refusal(self._rulebook))
        return False

    def escrow_note(self, value: Cents) -> None:
        if self._is_seen():
            self._submit(EscrowNote(self._terminal, self._rulebook.currency, value), self._decide)

    def escrow_ticket(self, number: str) -> None:
        """Redeem a ticket while it is in escrow: should it come back, it is paid already."""
        if not self._is_seen():
            return
        look_ups, device = self._desk.look_ups, DeviceId(self._terminal)
        if look_ups.is_elsewhere(device, number, self.clock.now()):
            assert look_ups.ticket_exchange is not None
            look_ups.ticket_exchange.present_then(
                number, self._terminal, lambda refusal: self._presented(number, refusal)
            )
        else:
            self._presented(number, None)

    def _presented(self, number: str, refusal: Refusal | None) -> None:
        """Redeem a ticket in escrow, of this venue or one that another has transferred; an unknown one is refused."""
        desk, device = self._desk, DeviceId(self._terminal)
        found = (
            desk.look_ups.find(desk.house, device, number, self.clock.now(), refusal)
            if refusal is None or refusal.code in WRONG_NUMBER
            else LookupFailure(refusal)
        )
        digest = desk.numbers.digest(number)
        if isinstance(found, LookupFailure) or digest is None:
            assert isinstance(found, LookupFailure)
            if found.locks:
                desk.alarm(RaiseAlarm(IncidentKind.TICKETS_GUESSED, device, IncidentFacts()))
            self._decide(found.refusal)
        elif (link := desk.links.get(self._terminal)) is not None and link.redeems and found.status in _PAYABLE:
            # One that was paid is not offered again: the slot system would take the refusal for its outcome.
            link.present(number, found.amount, digest, self._decide)
        else:
            self._submit(InsertTicket(self._terminal, digest), self._decide)

    def stacked(self) -> None:
        # Refused, it was credit before: the acceptor gets a response in either case, and goes on.
        self._submit(StackNote(self._terminal), lambda _: self._has(self._driver.acknowledge))

    def returned(self, *, seen: bool) -> None:
        self._submit(ReturnNote(self._terminal, seen=seen))

    def lock_up(self, words: str) -> None:
        self._lock(Peripheral.ACCEPTOR, words)

    def _decide(self, outcome: Outcome) -> None:
        if isinstance(outcome, Refusal):
            self._has(self._driver.reject)
            connection = self._desk.devices.seats.get(self._terminal)
            if connection is not None:
                send_refusal(connection, outcome)
        else:
            self._has(self._driver.accept)

    def _has(self, do: Callable[[], None]) -> None:
        """Have the driver do something; one that raises is locked, since its device may hold a note."""
        if failure := failure_of(do):
            self.lock_up(failure)


class PrinterDesk(DeviceDesk):
    """The port of a printer: a slip counts as dispensed when the printer has confirmed it."""

    def printed(self, job: int) -> None:
        self._submit(ConfirmPrint(self._terminal, Number(job)))

    def failed(self, job: int, words: str) -> None:
        self._lock(Peripheral.PRINTER, f"slip {job} may not be on paper, {words}")

    def find_unconfirmed(self) -> None:
        """Have staff see to slips that were issued before a restart, and may be on paper or not (7(e) at Adelaide)."""
        unconfirmed = [
            ticket.sequence
            for ticket in self._desk.house.tickets.all.values()
            if ticket.terminal == self._terminal and ticket.state is TicketState.ISSUED and not ticket.collected_by
        ]
        if unconfirmed:
            named = ", ".join(map(str, unconfirmed))
            self._lock(Peripheral.PRINTER, f"slip {named} may not be on paper, the system was restarted")
