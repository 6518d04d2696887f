"""SAS, the slot-system link: the slave's side of the protocol, with no clock, no line and no house of its own."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import IntEnum
from typing import Final, NamedTuple, Protocol

from croupier.devices.line import crc16

#: What the address of a general poll has besides.
GENERAL: Final = 0x80
#: The marks of a byte with the ninth bit, as a serial port reports parity errors: FF 00 byte. FF FF is a plain FF.
MARK: Final = 0xFF
#: Exceptions that wait for the host; more are dropped, the oldest first, and the host is notified.
EXCEPTIONS_MAX: Final = 20
#: No poll is longer.
POLL_MAX: Final = 64
VERSION: Final = b"602"


class SasException(IntEnum):
    """What a general poll is answered with."""

    NOTHING = 0x00
    POWER_APPLIED = 0x17
    GENERAL_TILT = 0x20
    BILL_JAM = 0x28
    TICKET_PRINTED = 0x3D
    BILL_1_ACCEPTED = 0x47
    BILL_5_ACCEPTED = 0x48
    BILL_10_ACCEPTED = 0x49
    BILL_20_ACCEPTED = 0x4A
    BILL_50_ACCEPTED = 0x4B
    BILL_100_ACCEPTED = 0x4C
    BILL_2_ACCEPTED = 0x4D
    BILL_500_ACCEPTED = 0x4E
    #: A note of any other value.
    BILL_ACCEPTED = 0x4F
    BILL_200_ACCEPTED = 0x50
    PRINTER_ERROR = 0x60
    TICKET_INSERTED = 0x67
    TICKET_COMPLETE = 0x68
    BUFFER_OVERFLOW = 0x70
    GAME_STARTED = 0x7E
    GAME_ENDED = 0x7F


#: The exception of a note by its value in cents.
NOTE_EXCEPTIONS: Final[Mapping[int, SasException]] = {
    100: SasException.BILL_1_ACCEPTED,
    200: SasException.BILL_2_ACCEPTED,
    500: SasException.BILL_5_ACCEPTED,
    1_000: SasException.BILL_10_ACCEPTED,
    2_000: SasException.BILL_20_ACCEPTED,
    5_000: SasException.BILL_50_ACCEPTED,
    10_000: SasException.BILL_100_ACCEPTED,
    20_000: SasException.BILL_200_ACCEPTED,
    50_000: SasException.BILL_500_ACCEPTED,
}


class RedemptionStatus(IntEnum):
    """The status of a redemption, in the response to a redeem ticket poll."""

    COMPLETE = 0x00
    #: In escrow: the host has not decided yet.
    WAITING = 0x20
    #: Authorised by the host, and not durable yet.
    PENDING = 0x40
    REJECTED_BY_HOST = 0x80
    NUMBER_DIFFERS = 0x81
    UNKNOWN_FUNCTION = 0x82
    INVALID_AMOUNT = 0x83
    AMOUNT_DIFFERS = 0x86
    REJECTED_BY_MACHINE = 0x87
    TIMED_OUT = 0x88
    NOT_NOW = 0xC0
    NO_TICKET = 0xFF


class TransferCode(IntEnum):
    """What the host says of a ticket in a redeem ticket poll; from 80 on it rejects the ticket."""

    CASHABLE = 0x00
    RESTRICTED_PROMOTIONAL = 0x01
    NONRESTRICTED_PROMOTIONAL = 0x02
    REJECTED = 0x80
    STATUS_REQUEST = 0xFF


#: Tickets that are not the house's own cash: it has no credits that cannot be cashed, so it takes none of them.
PROMOTIONAL: Final = (TransferCode.RESTRICTED_PROMOTIONAL, TransferCode.NONRESTRICTED_PROMOTIONAL)
#: The data of a redeem ticket poll: length, transfer code, amount, parsing code, and nine bytes of the number.
REDEEM_LENGTH: Final = 17
#: The parsing code of a number in BCD.
PARSED_AS_BCD: Final = 0


class Redemption(NamedTuple):
    """The ticket that was last inserted, and what became of it."""

    status: RedemptionStatus
    number: str = ""
    amount: int = 0


class IssuedTicket(NamedTuple):
    """A slip or ticket as enhanced validation reports it."""

    sequence: int
    #: Eighteen digits: the system id and the sixteen of the validation number.
    number: str
    amount: int
    #: MMDDYYYY and HHMMSS.
    date: str
    time: str
    #: In days; 9999 without end.
    expires: int


class GameInformation(NamedTuple):
    """A game as its configuration is sent: roulette at one table."""

    #: In credits of one cent.
    bet_max: int
    #: Six characters that name the rules.
    paytable: str
    #: The theoretical return of a straight up bet, in hundredths of a percent.
    return_: int


class Switch(IntEnum):
    """What a host switches, by the long poll that does it."""

    SHUT_DOWN = 0x01
    START_UP = 0x02
    ENABLE_NOTES = 0x06
    DISABLE_NOTES = 0x07


class Machine(Protocol):
    """The terminal as the host sees it: committed state alone."""

    def meter(self, code: int) -> int:
        """Return a meter by its code; meters of money are in cents."""
        ...

    def is_switched(self, switch: Switch) -> bool:
        """Return whether this is so, durably."""
        ...

    def switch(self, switch: Switch) -> None:
        """Begin to make it so."""
        ...

    def local_time(self) -> str:
        """Return the date and the time as MMDDYYYYHHMMSS."""
        ...

    def set_time(self, text: str) -> None:
        """Note the time that the host states."""
        ...

    def identity(self) -> bytes:
        """Return the serial number, in ASCII."""
        ...

    def tickets(self) -> list[IssuedTicket]:
        """Return the last tickets, the oldest first."""
        ...

    def redemption(self) -> Redemption:
        """Return the ticket in escrow, or the last one."""
        ...

    def redeem(self, amount: int) -> None:
        """Begin to redeem the ticket in escrow, as the host has authorised it."""
        ...

    def reject(self, status: RedemptionStatus) -> None:
        """Return the ticket in escrow for a reason, unless its redemption has begun."""
        ...

    def games(self) -> list[GameInformation]:
        """Return the games of the terminal in their order: the first one has the number 1."""
        ...


def bcd(value: int, size: int) -> bytes:
    """Write a number in BCD, the most significant digit first; a meter rolls over at its size."""
    return bytes.fromhex(f"{value % 100**size:0{2 * size}d}")


def from_bcd(data: bytes) -> int | None:
    """Read a number in BCD; None when a digit is none."""
    text = data.hex()
    return int(text) if text.isdigit() else None


#: Meters by their codes: those of the long polls that send one, and of the extended meters.
COIN_IN, COIN_OUT, JACKPOT, CANCELLED, GAMES, GAMES_WON, GAMES_LOST = 0x00, 0x01, 0x02, 0x04, 0x05, 0x06, 0x07
BILLS, CREDITS, TICKETS_IN, TICKETS_OUT = 0x0B, 0x0C, 0x0D, 0x0E
DROP: Final = 0x24
#: How often the cabinet was opened, and power resets; they have no codes of their own.
OPENED, RESETS = 0x0F01, 0x0F02
#: The value of all notes in whole units of the currency.
NOTES_WHOLE: Final = 0x0F00
#: The number of notes of a value in cents is at this code and the value.
NOTES: Final = 0x10000
#: How many notes of each value, by long poll.
NOTE_POLLS: Final = {
    0x31: 100, 0x32: 200, 0x33: 500, 0x34: 1_000, 0x35: 2_000, 0x36: 5_000, 0x37: 10_000, 0x38: 50_000, 0x39: 100_000,
    0x3A: 20_000,
}  # fmt: skip
#: The meters of each long poll that sends several, or one.
METER_POLLS: Final[Mapping[int, tuple[int, ...]]] = {
    0x0F: (CANCELLED, COIN_IN, COIN_OUT, DROP, JACKPOT, GAMES),
    0x10: (CANCELLED,),
    0x11: (COIN_IN,),
    0x12: (COIN_OUT,),
    0x13: (DROP,),
    0x14: (JACKPOT,),
    0x15: (GAMES,),
    0x16: (GAMES_WON,),
    0x17: (GAMES_LOST,),
    0x19: (COIN_IN, COIN_OUT, DROP, JACKPOT, GAMES),
    0x1A: (CREDITS,),
    0x1C: (COIN_IN, COIN_OUT, DROP, JACKPOT, GAMES, GAMES_WON, OPENED, RESETS),
    0x20: (NOTES_WHOLE,),
    **{poll: (NOTES + value,) for poll, value in NOTE_POLLS.items()},
}
#: Meters that the polls for selected meters send, with their sizes in bytes.
SELECTABLE: Final = {
    COIN_IN: 4, COIN_OUT: 4, JACKPOT: 4, CANCELLED: 4, GAMES: 4, GAMES_WON: 4, GAMES_LOST: 4, BILLS: 4, CREDITS: 4,
    TICKETS_IN: 5, TICKETS_OUT: 5,
}  # fmt: skip
#: Long polls without data and without a CRC.
PLAIN: Final = frozenset({*METER_POLLS, 0x18, 0x1F, 0x51, 0x54, 0x55, 0x56, 0x70, 0x7E})
#: The lengths of those with data: address, command, data and CRC. Others state their length in the third byte.
LENGTHS: Final[Mapping[int, int]] = {**{int(each): 4 for each in Switch}, 0x4C: 10, 0x4D: 5, 0x52: 6, 0x53: 6, 0x7F: 11}
PLAIN_LENGTH: Final = 2
COUNTED: Final = frozenset({0x2F, 0x6F, 0x71})
#: How many meters one poll may select.
SELECTED_MAX, EXTENDED_MAX = 10, 12
#: How many tickets a host can read, and the function by which it reads the next one without taking it.
TICKETS_KEPT, LOOK_AHEAD = 31, 0xFF


class MarkedReader:
    """Separates bytes from their marks: yields each byte, and whether it had the ninth bit."""

    def __init__(self) -> None:
        self._unread = b""

    def feed(self, data: bytes) -> Iterator[tuple[int, bool]]:
        self._unread += data
        while self._unread:
            byte, rest = self._unread[0], self._unread[1:]
            if byte != MARK:
                self._unread = rest
                yield byte, False
            elif not rest or (rest[0] == 0 and len(rest) == 1):
                return
            elif rest[0] == 0:
                self._unread = rest[2:]
                yield rest[1], True
            else:
                # FF FF is a plain FF; before any other byte the second one was lost.
                self._unread = rest[1:] if rest[0] == MARK else rest
                yield MARK, False


def marked(data: bytes) -> bytes:
    """Write what a host sends: its first byte has the ninth bit."""
    return bytes((MARK, 0, data[0])) + data[1:].replace(bytes((MARK,)), bytes((MARK, MARK)))


class Slave:
    """Answers the polls of one address.

    An exception and a ticket leave their queues when the host has sent another poll: a poll that is repeated gets the
    same response again. A switch is acknowledged when it is durable, and a busy response is given until then.
    """

    def __init__(self, address: int, machine: Machine) -> None:
        self.address, self._machine = address, machine
        self._poll = b""
        self._exceptions: deque[int] = deque((SasException.POWER_APPLIED,))
        #: The last poll, its response, and what is done once the host has it.
        self._last, self._response = b"", b""
        self._confirmed: Callable[[], None] | None = None
        #: The identity and first sequence of secure enhanced validation, as the host has set them.
        self._validation = bytes(6)
        #: The sequence of the last ticket that the host has read.
        self._read = 0
        #: The games that were played before.
        self._games = machine.meter(GAMES)
        #: The data of the last poll by which the host has decided about a ticket.
        self._decision = b""
        #: The long polls besides meters and switches, called with their data without the CRC.
        self._polls: Mapping[int, Callable[[bytes], bytes]] = {
            0x18: self._since_power_up,
            0x1F: self._information,
            0x2F: self._selected_meters,
            0x4C: self._validation_id,
            0x4D: self._validation_information,
            0x51: self._game_count,
            0x52: self._game_meters,
            0x53: self._game_configuration,
            0x54: self._version,
            0x55: self._selected,
            0x56: self._enabled,
            0x6F: self._extended_meters,
            0x70: self._ticket_in_escrow,
            0x71: self._redeem,
            0x7E: self._clock,
            0x7F: self._set_clock,
        }

    @property
    def refusal(self) -> bytes:
        """The response to a poll that is not valid."""
        return bytes((self.address | GENERAL,))

    @property
    def waiting(self) -> int:
        """How many exceptions wait."""
        return len(self._exceptions)

    def raise_(self, exception: SasException) -> None:
        """Queue an exception; when too many wait, the newest gives way to a notice of it."""
        if len(self._exceptions) < EXCEPTIONS_MAX:
            self._exceptions.append(exception)
        elif self._exceptions[-1] != SasException.BUFFER_OVERFLOW:
            self._exceptions[-1] = SasException.BUFFER_OVERFLOW

    def feed(self, received: Iterable[tuple[int, bool]]) -> bytes:
        """Read bytes of the line, each with its mark; return the response to the last whole poll."""
        response = b""
        for byte, wakes in received:
            if wakes:
                self._poll = bytes((byte,))
                if byte & ~GENERAL != self.address:
                    # Another machine is polled: this one's last response was received.
                    self._confirm()
                    self._last = b""
            elif self._poll:
                self._poll += bytes((byte,))
            if self._poll and (whole := self._whole()):
                response = self._respond(whole)
        return response

    def _whole(self) -> bytes:
        """Return the poll for this address that is complete now, or nothing."""
        poll = self._poll
        general = poll[0] == GENERAL | self.address
        if not general and poll[0] == self.address and len(poll) < _length(poll):
            return b""
        self._poll = b""
        if general:
            return poll
        checked = len(poll) == PLAIN_LENGTH or crc16(poll[:-2]) == poll[-2:]
        return poll if poll[0] == self.address and checked else b""

    def _respond(self, poll: bytes) -> bytes:
        if poll == self._last and self._confirmed is not None:
            # Repeated: the host did not receive what leaves its queue once it did.
            return self._response
        self._confirm()
        self._last, self._response = poll, b""
        if len(poll) == 1:
            self._response = self._general()
        elif poll[1] in _KNOWN:
            self._response = self._long(poll[1], poll[2:-2])
        return self._response

    def _confirm(self) -> None:
        if self._confirmed is not None:
            self._confirmed()
            self._confirmed = None

    def _general(self) -> bytes:
        if not self._exceptions:
            return bytes((SasException.NOTHING,))
        self._confirmed = self._next_exception
        return bytes((self._exceptions[0],))

    def _next_exception(self) -> None:
        self._exceptions.popleft()

    def _long(self, command: int, data: bytes) -> bytes:
        if command in METER_POLLS:
            return self._send(command, b"".join(bcd(self._machine.meter(each), 4) for each in METER_POLLS[command]))
        if command in _SWITCHES:
            return self._switch(Switch(command))
        return self._polls[command](data)

    def _send(self, command: int, data: bytes) -> bytes:
        head = bytes((self.address, command)) + data
        return head + crc16(head)

    def _switch(self, switch: Switch) -> bytes:
        if self._machine.is_switched(switch):
            return bytes((self.address,))
        self._machine.switch(switch)
        return bytes((self.address, 0))

    def _since_power_up(self, _data: bytes) -> bytes:
        # A terminal has no cabinet that was closed: all games count since then.
        games = self._machine.meter(GAMES)
        return self._send(0x18, bcd(games - self._games, 2) + bcd(games, 2))

    def _information(self, _data: bytes) -> bytes:
        return self._send(0x1F, _configuration(self._machine.games()[0]))

    def _game_count(self, _data: bytes) -> bytes:
        return self._send(0x51, bcd(len(self._machine.games()), 2))

    def _version(self, _data: bytes) -> bytes:
        body = VERSION + self._machine.identity()[:40]
        return self._send(0x54, bytes((len(body),)) + body)

    def _selected(self, _data: bytes) -> bytes:
        # All games of a terminal are played at once: with several of them none is selected.
        return self._send(0x55, bcd(1 if len(self._machine.games()) == 1 else 0, 2))

    def _enabled(self, _data: bytes) -> bytes:
        count = 0 if self._machine.is_switched(Switch.SHUT_DOWN) else len(self._machine.games())
        games = b"".join(bcd(number, 2) for number in range(1, count + 1))
        return self._send(0x56, bytes((1 + len(games), count)) + games)

    def _has_meters(self, game: bytes) -> bool:
        """Check whether meters of a game are known: of the whole terminal, and of the only game that it has."""
        return from_bcd(game) == 0 or (from_bcd(game) == 1 and len(self._machine.games()) == 1)

    def _game_meters(self, data: bytes) -> bytes:
        meters = b"".join(bcd(self._machine.meter(each), 4) for each in (COIN_IN, COIN_OUT, JACKPOT, GAMES))
        return self._send(0x52, data + meters) if self._has_meters(data) else b""

    def _game_configuration(self, data: bytes) -> bytes:
        number, games = from_bcd(data), self._machine.games()
        if number is None or number > len(games):
            return b""
        return self._send(0x53, data + _configuration(games[max(number, 1) - 1]))

    def _selected_meters(self, data: bytes) -> bytes:
        game, codes = data[1:3], data[3:]
        if not 1 <= len(codes) <= SELECTED_MAX or not self._has_meters(game):
            return self.refusal
        known = [code for code in codes if code in SELECTABLE]
        body = game + b"".join(bytes((code,)) + bcd(self._machine.meter(code), SELECTABLE[code]) for code in known)
        return self._send(0x2F, bytes((len(body),)) + body)

    def _extended_meters(self, data: bytes) -> bytes:
        game, codes = data[1:3], data[3:]
        if len(codes) % 2 or not 1 <= len(codes) // 2 <= EXTENDED_MAX or not self._has_meters(game):
            return self.refusal
        body = game
        for at in range(0, len(codes), 2):
            code = int.from_bytes(codes[at : at + 2], "little")
            size = SELECTABLE.get(code, 0)
            body += codes[at : at + 2] + bytes((size,)) + (bcd(self._machine.meter(code), size) if size else b"")
        return self._send(0x6F, bytes((len(body),)) + body)

    def _validation_id(self, data: bytes) -> bytes:
        if data[:3] != bytes(3):
            self._validation = data
        return self._send(0x4C, self._validation)

    def _validation_information(self, data: bytes) -> bytes:
        tickets, function = self._machine.tickets()[-TICKETS_KEPT:], data[0]
        if TICKETS_KEPT < function < LOOK_AHEAD:
            return self.refusal
        if function in (0x00, LOOK_AHEAD):
            found = next((each for each in tickets if each.sequence > self._read), None)
            if found is not None and function == 0:
                self._confirmed = lambda: self._was_read(found.sequence)
        else:
            found = next((each for each in tickets if _index(each) == function), None)
        return self._send(0x4D, bytes(31) if found is None else _validation(found))

    def _was_read(self, sequence: int) -> None:
        self._read = max(self._read, sequence)

    def _ticket_in_escrow(self, _data: bytes) -> bytes:
        found = self._machine.redemption()
        if found.status not in _IN_ESCROW:
            return self._send(0x70, b"\x01\xff")
        return self._send(0x70, b"\x10\x00" + bcd(0, 5) + bytes((PARSED_AS_BCD,)) + bytes.fromhex(found.number))

    def _redeem(self, data: bytes) -> bytes:
        code, found = data[1:2], self._machine.redemption()
        if not code:
            return self.refusal
        if code[0] != TransferCode.STATUS_REQUEST and not self._is_repeated(data, found):
            if found.status is not RedemptionStatus.WAITING:
                return self._send(0x71, bytes((1, RedemptionStatus.NOT_NOW)))
            if code[0] < TransferCode.REJECTED and len(data) < REDEEM_LENGTH:
                return self.refusal
            self._decision = data
            self._decide(found, data)
            found = self._machine.redemption()
        if found.status is RedemptionStatus.NO_TICKET:
            return self._send(0x71, bytes((1, found.status)))
        said = bytes((found.status,)) + bcd(found.amount, 5) + bytes((PARSED_AS_BCD,)) + bytes.fromhex(found.number)
        return self._send(0x71, bytes((len(said),)) + said)

    def _is_repeated(self, data: bytes, found: Redemption) -> bool:
        """Check whether the host repeats its decision: the response is the status, as for the first time."""
        if found.status is RedemptionStatus.WAITING:
            return False
        done = bytes((TransferCode.CASHABLE,)) + bcd(found.amount, 5) + b"\x00" + bytes.fromhex(found.number)
        # After a restart only a redemption that was completed is known.
        return data == self._decision or (found.status is RedemptionStatus.COMPLETE and data[1:REDEEM_LENGTH] == done)

    def _decide(self, found: Redemption, data: bytes) -> None:
        """Begin what the host has decided about the ticket in escrow."""
        code, amount, number = data[1], from_bcd(data[2:7]), data[8:REDEEM_LENGTH].hex()
        if code >= TransferCode.REJECTED:
            self._machine.reject(RedemptionStatus.REJECTED_BY_HOST)
        elif code in PROMOTIONAL:
            self._machine.reject(RedemptionStatus.REJECTED_BY_MACHINE)
        elif code != TransferCode.CASHABLE:
            self._machine.reject(RedemptionStatus.UNKNOWN_FUNCTION)
        elif data[7] != PARSED_AS_BCD or number != found.number:
            self._machine.reject(RedemptionStatus.NUMBER_DIFFERS)
        elif not amount:
            self._machine.reject(RedemptionStatus.INVALID_AMOUNT)
        else:
            self._machine.redeem(amount)

    def _clock(self, _data: bytes) -> bytes:
        return self._send(0x7E, bytes.fromhex(self._machine.local_time()))

    def _set_clock(self, data: bytes) -> bytes:
        if from_bcd(data) is None:
            return self.refusal
        self._machine.set_time(data.hex())
        return bytes((self.address,))


_SWITCHES: Final = frozenset(Switch)
#: While a ticket is in the acceptor.
_IN_ESCROW: Final = (RedemptionStatus.WAITING, RedemptionStatus.PENDING)
_KNOWN: Final = PLAIN | COUNTED | LENGTHS.keys()


def _length(poll: bytes) -> int:
    """Return how long a poll will be, as far as it can be known; a poll that is unknown is never whole."""
    if len(poll) < PLAIN_LENGTH or poll[1] in PLAIN:
        return PLAIN_LENGTH
    if poll[1] in COUNTED:
        # The third byte is the number of those between it and the CRC.
        return 5 + poll[2] if len(poll) > PLAIN_LENGTH else POLL_MAX
    return LENGTHS.get(poll[1], PLAIN_LENGTH - 1)


def _configuration(game: GameInformation) -> bytes:
    """Write a game: roulette, one cent for a credit, no progressive and no options; FF where a bet may be higher."""
    bet_max = min(max(game.bet_max, 1), 0xFF)
    text = f"{game.paytable:0<6.6}{game.return_:04d}".encode("ascii", "replace")
    return b"RL000" + bytes((0x01, bet_max, 0x00, 0x00, 0x00)) + text


def _index(ticket: IssuedTicket) -> int:
    return (ticket.sequence - 1) % TICKETS_KEPT + 1


def _validation(ticket: IssuedTicket) -> bytes:
    """Write a cashable ticket from a cash out."""
    return (
        bytes((0, _index(ticket)))
        + bytes.fromhex(ticket.date + ticket.time + ticket.number[2:])
        + bcd(ticket.amount, 5)
        + (ticket.sequence % 10_000).to_bytes(2, "little")
        + bytes.fromhex(ticket.number[:2])
        + bcd(ticket.expires, 4)
        + bytes(2)
    )
