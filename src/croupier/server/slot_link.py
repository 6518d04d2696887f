"""The link of a terminal to a slot system: what the host reads and switches, and tickets that it authorises."""

from collections import deque
from collections.abc import Callable
from datetime import UTC, datetime
from fractions import Fraction
from typing import Final
from zoneinfo import ZoneInfo

from croupier.config.schema import SasConfig
from croupier.devices import sas
from croupier.devices.line import Line, SerialSettings
from croupier.devices.recorder import FlightRecorder
from croupier.devices.sas import (
    TICKETS_KEPT,
    GameInformation,
    IssuedTicket,
    MarkedReader,
    Redemption,
    RedemptionStatus,
    SasException,
    Slave,
    Switch,
)
from croupier.engine.ports import Outcome, RecordMark, Timer
from croupier.house.credit.tickets import DISPENSED, InsertTicket, Ticket, TicketState, desk_clause
from croupier.house.floor.service import SlotSwitch, SwitchTerminal
from croupier.house.ids import SECOND, Instant, TerminalId
from croupier.rules.geometry import STRAIGHT
from croupier.rules.refusal import Code, Refusal, refuse
from croupier.server.peripherals import DeviceDesk, Peripherals

#: Space parity: the ninth bit of the host shows as a parity error, which the port marks.
SERIAL: Final = SerialSettings(19_200, "S")
#: How long a ticket in escrow waits for the slot system.
AUTHORISED_WITHIN: Final = 10 * SECOND
#: A terminal that was not polled for so long sends its address, and again after so long until it is polled.
SILENCE: Final = 5 * SECOND
CHIRP_EVERY: Final = SECOND // 5


class SlotLink(DeviceDesk):
    """The link of a terminal to a slot system: a slave that shows committed state, and whose switches are durable."""

    def __init__(self, desk: Peripherals, terminal: TerminalId, recorder: FlightRecorder, config: SasConfig) -> None:
        super().__init__(desk, terminal, recorder)
        self.slave = Slave(config.address, self)
        self.redeems = config.redemption
        self._reader = MarkedReader()
        #: What the host has switched and is not durable yet, in its order: play or notes, on or off.
        self._switching: dict[SlotSwitch, deque[bool]] = {part: deque() for part in SlotSwitch}
        self._redemption = self._last_redemption()
        #: The ticket in escrow: its amount and digest, and what is reported to its acceptor.
        self._presented: tuple[int, str, Callable[[Outcome], None]] | None = None
        self._timer: Timer | None = None
        self._line = Line(config.driver_address, SERIAL, self._received, lambda _, data: b"%d bytes" % len(data))
        #: When it was last polled; long ago before that.
        self._polled_at = Instant(-SILENCE)
        self._chirps: Timer | None = None
        self._line.open(self)
        self._chirp()

    @property
    def fault(self) -> str:
        return self._line.fault

    def close(self) -> None:
        super().close()
        for timer in (self._timer, self._chirps):
            if timer is not None:
                timer.cancel()
        self._line.close()

    def _chirp(self) -> None:
        """Send the address while the host does not poll: a host finds the terminal by it after a start."""
        now = self.clock.now()
        if now >= self._polled_at + SILENCE:
            self._line.signal(self.slave.address)
        self._chirps = self.clock.at(Instant(now + CHIRP_EVERY), self._chirp)

    def raise_(self, exception: SasException) -> None:
        self.slave.raise_(exception)

    def _received(self, data: bytes) -> None:
        response = self.slave.feed(self._reader.feed(data))
        if response:
            self._polled_at = self.clock.now()
            self._line.send(self, response)

    def _last_redemption(self) -> Redemption:
        """Find the ticket that this terminal redeemed last: a host may ask for it after a restart."""
        # The whole number of a ticket of another venue is not known here any more.
        tickets = self._desk.house.tickets.all.values()
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
        off = terminal.play_off if part is SlotSwitch.PLAY else terminal.notes_off
        return not self._switching[part] and off is not on

    def switch(self, switch: Switch) -> None:
        part, on = _SWITCHED[switch]
        waiting = self._switching[part]
        if not waiting or waiting[-1] is not on:
            # Commands are decided in their order, so that the last one stays.
            waiting.append(on)
            self._submit(SwitchTerminal(self._terminal, part, on=on), lambda _: self._switched(part))

    def _switched(self, part: SlotSwitch) -> None:
        self._switching[part].popleft()

    def local_time(self) -> str:
        return self._local(self.clock.wall())

    def _local(self, instant: Instant) -> str:
        """Write the date and the time of the venue as MMDDYYYYHHMMSS."""
        zone = UTC if self._desk.house.setup.timezone == "UTC" else ZoneInfo(self._desk.house.setup.timezone)
        return f"{datetime.fromtimestamp(instant // SECOND, zone):%m%d%Y%H%M%S}"

    def set_time(self, text: str) -> None:
        """Note the time of the host: the house goes by the clock of its own machine."""
        self.record(RecordMark.NOTE, f"the host has {text}".encode())

    def identity(self) -> bytes:
        return self._terminal.encode("ascii", "replace")

    def tickets(self) -> list[IssuedTicket]:
        house = self._desk.house
        return [
            self._issued(each)
            for each in house.tickets.all.values()
            if each.terminal == self._terminal and each.state is not TicketState.ISSUED and each.form not in DISPENSED
        ][-TICKETS_KEPT:]

    def _issued(self, ticket: Ticket) -> IssuedTicket:
        at = self._local(ticket.issued_at)
        number, days = self._desk.numbers.number(ticket.sequence), self._desk.house.setup.ticket_days
        return IssuedTicket(ticket.sequence, number, ticket.amount, at[:8], at[8:], days or 9999)

    def games(self) -> list[GameInformation]:
        """List the tables of the terminal, each with its own rules and limits."""
        found = list[GameInformation]()
        for game in self._desk.house.terminals[self._terminal].games.values():
            rulebook, limits = game.seat.table.rulebook, game.effective_limits
            price = rulebook.prices.get(STRAIGHT) or next(iter(rulebook.prices.values()))
            bet_max = min(limits.total_most, max(most for _, most in limits.bounds.values()))
            return_ = round(Fraction(Fraction(10_000 * price.gross) / len(rulebook.wheel.order)))
            found.append(GameInformation(bet_max, rulebook.digest[:6].upper(), return_))
        return found

    # Redemption.

    def present(self, number: str, amount: int, digest: str, then: Callable[[Outcome], None]) -> None:
        """Offer a ticket in escrow to the host, and wait for its authorisation for a while."""
        self._presented = amount, digest, then
        self._redemption = Redemption(RedemptionStatus.WAITING, number)
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
        self._redemption = self._redemption._replace(status=RedemptionStatus.PENDING, amount=amount)
        if amount == known:
            self._submit(InsertTicket(self._terminal, digest), lambda outcome: self._redeemed(outcome, then))
        else:
            self._refuse(Code.TICKET_ALTERED, "The slot system has another amount for this ticket.", then)
            self._redemption = self._redemption._replace(status=RedemptionStatus.AMOUNT_DIFFERS)

    def _time_out(self) -> None:
        self.reject(RedemptionStatus.TIMED_OUT)

    def reject(self, status: RedemptionStatus) -> None:
        """Return the ticket in escrow; one whose redemption has begun is not stopped any more."""
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
