"""The link of a terminal to a slot system: what the host reads and switches, and tickets that it authorises."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final
from zoneinfo import ZoneInfo

from croupier.config.schema import SasConfig
from croupier.devices import sas
from croupier.devices.line import Line, SerialSettings
from croupier.devices.recorder import FlightRecorder
from croupier.devices.sas import (
    TICKETS_KEPT,
    IssuedTicket,
    MarkedReader,
    Redemption,
    RedemptionStatus,
    SasException,
    Slave,
    Switch,
)
from croupier.engine.ports import Outcome, RecordMark, Timer
from croupier.house.commands.credit import InsertTicket
from croupier.house.commands.record import SlotSwitch, SwitchTerminal
from croupier.house.ids import SECOND, Instant, TerminalId
from croupier.house.state.money import Ticket, TicketState
from croupier.house.tickets import DISPENSED, desk_clause
from croupier.rules.refusal import Code, Refusal, refuse
from croupier.server.peripherals import DeviceDesk, Peripherals

#: Space parity: the ninth bit of the host shows as a parity error, which the port marks.
SERIAL: Final = SerialSettings(19_200, "S")
#: How long a ticket in escrow waits for the slot system.
AUTHORISED_WITHIN: Final = 10 * SECOND


class SlotLink(DeviceDesk):
    """The link of a terminal to a slot system: a slave that shows committed state, and whose switches are durable."""

    def __init__(self, desk: Peripherals, terminal: TerminalId, recorder: FlightRecorder, config: SasConfig) -> None:
        super().__init__(desk, terminal, recorder)
        self.slave = Slave(config.address, self)
        self.redeems = config.redemption
        self._reader, self._switching = MarkedReader(), set[Switch]()
        self._redemption = self._last_redemption()
        #: The ticket in escrow: its amount and digest, and what is reported to its acceptor.
        self._presented: tuple[int, str, Callable[[Outcome], None]] | None = None
        self._timer: Timer | None = None
        self._line = Line(config.driver_address, SERIAL, self._received, lambda _, data: b"%d bytes" % len(data))
        self._line.open(self)

    @property
    def fault(self) -> str:
        return self._line.fault

    def close(self) -> None:
        super().close()
        if self._timer is not None:
            self._timer.cancel()
        self._line.close()

    def raise_(self, exception: SasException) -> None:
        self.slave.raise_(exception)

    def _received(self, data: bytes) -> None:
        response = self.slave.feed(self._reader.feed(data))
        if response:
            self._line.send(self, response)

    def _last_redemption(self) -> Redemption:
        """Find the ticket that this terminal redeemed last: a host may ask for it after a restart."""
        # The whole number of a ticket of another venue is not known here any more.
        tickets = self._desk.house.tickets.values()
        paid = [each for each in tickets if each.paid_place == self._terminal and not each.venue]
        found = max(paid, key=lambda each: each.paid_at or 0, default=None)
        if found is None:
            return Redemption(RedemptionStatus.NO_TICKET)
        return Redemption(RedemptionStatus.COMPLETE, self._desk.numbers.number(found.sequence), found.amount)

    # What the slave shows.

    def meter(self, code: int) -> int:
        terminal = self._desk.house.terminals[self._terminal]
        meters = terminal.meters
        notes = sum(value * count for value, count in meters.notes.items())
        found = {
            sas.COIN_IN: meters.turnover - meters.refunded,
            sas.COIN_OUT: meters.returned,
            sas.JACKPOT: meters.hand_pays,
            sas.CANCELLED: meters.tickets_out,
            sas.GAMES: meters.games,
            sas.GAMES_WON: meters.games_won,
            sas.GAMES_LOST: meters.games - meters.games_won,
            # No sensor reports that the cabinet was opened.
            sas.OPENED: 0,
            sas.RESETS: self._desk.starts,
            sas.BILLS: notes,
            sas.NOTES_WHOLE: notes // 100,
            sas.CREDITS: terminal.credit,
            sas.TICKETS_IN: meters.tickets_in,
            sas.TICKETS_OUT: meters.tickets_out,
            sas.DROP: notes + meters.tickets_in,
        }
        return found[code] if code in found else meters.notes[code - sas.NOTES]

    def is_switched(self, switch: Switch) -> bool:
        terminal = self._desk.house.terminals[self._terminal]
        part, on = _SWITCHED[switch]
        return (terminal.play_off if part is SlotSwitch.PLAY else terminal.notes_off) is not on

    def switch(self, switch: Switch) -> None:
        if switch not in self._switching:
            self._switching.add(switch)
            part, on = _SWITCHED[switch]
            self._submit(SwitchTerminal(self._terminal, part, on=on), lambda _: self._switching.discard(switch))

    def local_time(self) -> str:
        zone = UTC if self._desk.house.timezone == "UTC" else ZoneInfo(self._desk.house.timezone)
        return f"{datetime.fromtimestamp(self.clock.wall() // SECOND, zone):%m%d%Y%H%M%S}"

    def set_time(self, text: str) -> None:
        """Note the time of the host: the house goes by the clock of its own machine."""
        self.record(RecordMark.NOTE, f"the host has {text}".encode())

    def identity(self) -> bytes:
        return self._terminal.encode("ascii", "replace")

    def tickets(self) -> list[IssuedTicket]:
        house = self._desk.house
        return [
            self._issued(each)
            for each in house.tickets.values()
            if each.terminal == self._terminal and each.state is not TicketState.ISSUED and each.form not in DISPENSED
        ][-TICKETS_KEPT:]

    def _issued(self, ticket: Ticket) -> IssuedTicket:
        at = datetime.fromtimestamp(ticket.issued_at // SECOND, UTC)
        number, days = self._desk.numbers.number(ticket.sequence), self._desk.house.ticket_days
        return IssuedTicket(ticket.sequence, number, ticket.amount, f"{at:%m%d%Y}", f"{at:%H%M%S}", days or 9999)

    # Redemption.

    def present(self, number: str, amount: int, digest: str, then: Callable[[Outcome], None]) -> None:
        """Offer a ticket in escrow to the host, and wait for its authorisation for a while."""
        self._presented = amount, digest, then
        self._redemption = Redemption(RedemptionStatus.PENDING, number)
        self.slave.raise_(SasException.TICKET_INSERTED)
        self._timer = self.clock.at(Instant(self.clock.now() + AUTHORISED_WITHIN), self._time_out)

    def redemption(self) -> Redemption:
        return self._redemption

    def redeem(self, amount: int) -> None:
        """Redeem the ticket in escrow, for the amount that host and house agree on; once, however often it is asked."""
        presented = self._take()
        if presented is None:
            return
        known, digest, then = presented
        if amount == known:
            self._submit(InsertTicket(self._terminal, digest), lambda outcome: self._redeemed(outcome, then))
        else:
            self._refuse(Code.TICKET_ALTERED, "The slot system has another amount for this ticket.", then)
            self._redemption = self._redemption._replace(status=RedemptionStatus.AMOUNT_DIFFERS)

    def reject(self) -> None:
        """Return the ticket in escrow; one whose redemption has begun is not stopped any more."""
        self._return(RedemptionStatus.REJECTED_BY_HOST)

    def _time_out(self) -> None:
        self._return(RedemptionStatus.TIMED_OUT)

    def _return(self, status: RedemptionStatus) -> None:
        presented = self._take()
        if presented is None:
            return
        self._refuse(Code.NOT_TAKEN_HERE, "The slot system does not take this ticket.", presented[-1])
        self._redemption = self._redemption._replace(status=status)

    def _take(self) -> tuple[int, str, Callable[[Outcome], None]] | None:
        """Take the ticket in escrow, which does not wait any more; None when there is none."""
        presented, self._presented = self._presented, None
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        return presented

    def _refuse(self, code: Code, words: str, then: Callable[[Outcome], None]) -> None:
        self._redeemed(refuse(code, desk_clause(self._desk.house), words), then)

    def _redeemed(self, outcome: Outcome, then: Callable[[Outcome], None]) -> None:
        refused = isinstance(outcome, Refusal)
        status = RedemptionStatus.REJECTED_BY_MACHINE if refused else RedemptionStatus.COMPLETE
        self._redemption = self._redemption._replace(
            status=status, amount=0 if refused else self._last_redemption().amount
        )
        self.slave.raise_(SasException.TICKET_COMPLETE)
        then(outcome)


_SWITCHED: Final = {
    Switch.SHUT_DOWN: (SlotSwitch.PLAY, False),
    Switch.START_UP: (SlotSwitch.PLAY, True),
    Switch.DISABLE_NOTES: (SlotSwitch.NOTES, False),
    Switch.ENABLE_NOTES: (SlotSwitch.NOTES, True),
}
