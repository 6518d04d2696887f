"""The acceptor driver `id003`: a note acceptor on a serial line, the protocol's frames, and an emulated one."""

from collections import deque
from collections.abc import Callable, Iterator
from enum import IntEnum
from typing import Final, NamedTuple

from croupier.devices.line import Line, SerialSettings, crc16
from croupier.engine.ports import AcceptorPort, RecordMark, Timer
from croupier.house.ids import SECOND, Instant, TerminalId
from croupier.rules.money import Cents

SYNC: Final = 0xFC
#: The shortest and the longest frame: start, length, command and CRC; and the longest data, which is a ticket.
FRAME_MIN, FRAME_MAX = 5, 64


class Status(IntEnum):
    """The states of an acceptor."""

    IDLE = 0x11
    ACCEPTING = 0x12
    ESCROW = 0x13
    STACKING = 0x14
    VEND_VALID = 0x15
    STACKED = 0x16
    REJECTING = 0x17
    RETURNING = 0x18
    HOLDING = 0x19
    INHIBITED = 0x1A
    INITIALISE = 0x1B
    POWER_UP = 0x40
    #: Power up with a note in the acceptor, which a reset returns; and with one in the stacker.
    POWER_UP_ACCEPTOR = 0x41
    POWER_UP_STACKER = 0x42
    FULL = 0x43
    OPEN = 0x44
    JAM_ACCEPTOR = 0x45
    JAM_STACKER = 0x46
    PAUSE = 0x47
    CHEATED = 0x48
    FAILURE = 0x49


class Operation(IntEnum):
    """What the controller sends."""

    POLL = 0x11
    RESET = 0x40
    STACK = 0x41
    RETURN = 0x43
    ACK = 0x50
    ENABLE = 0xC0
    SECURITY = 0xC1
    INHIBIT = 0xC3
    DIRECTION = 0xC4
    OPTIONS = 0xC5
    BARCODE = 0xC6
    BARCODE_INHIBIT = 0xC7


#: The settings after a reset: every note and direction, eighteen digits in Interleaved 2 of 5, and not inhibited.
SETTINGS: Final = (
    (Operation.ENABLE, b"\x00\x00"),
    (Operation.SECURITY, b"\x00\x00"),
    (Operation.DIRECTION, b"\x00"),
    (Operation.OPTIONS, b"\x00\x00"),
    (Operation.BARCODE, b"\x01\x12"),
    (Operation.BARCODE_INHIBIT, b"\x00"),
    (Operation.INHIBIT, b"\x00"),
)
#: The escrow data of the first of eight denominations, and of a ticket, which is followed by its digits.
DENOMINATION, DENOMINATIONS, TICKET = 0x61, 8, 0x6F
TICKET_DIGITS: Final = 18

_HELD: Final = {
    Status.FULL: "its box is full",
    Status.OPEN: "its box is open or missing",
    Status.PAUSE: "a second note was inserted",
    Status.INHIBITED: "it is inhibited",
}
#: Faults that staff must see to.
_LOCKING: Final = {
    Status.JAM_ACCEPTOR: "a note is jammed in the acceptor",
    Status.JAM_STACKER: "a note is jammed in the stacker",
    Status.CHEATED: "a note was pulled or the acceptor was tampered with",
    Status.FAILURE: "the acceptor has a failure",
}


def frame(code: int, data: bytes = b"") -> bytes:
    """Build a frame."""
    head = bytes((SYNC, FRAME_MIN + len(data), code)) + data
    return head + crc16(head)


class Frame(NamedTuple):
    """A frame whose CRC is right."""

    code: int
    data: bytes


class FrameReader:
    """Finds frames in bytes as they come; what is no frame is skipped a byte at a time."""

    def __init__(self) -> None:
        self._unread = b""

    def feed(self, data: bytes) -> Iterator[Frame]:
        self._unread += data
        while (start := self._unread.find(SYNC)) >= 0:
            found = self._unread[start:]
            length = found[1] if len(found) > 1 else FRAME_MIN
            if not FRAME_MIN <= length <= FRAME_MAX:
                self._unread = found[1:]
            elif len(found) < length:
                self._unread = found
                return
            elif crc16(found[: length - 2]) != found[length - 2 : length]:
                self._unread = found[1:]
            else:
                self._unread = found[length:]
                yield Frame(found[2], found[3 : length - 2])
        self._unread = b""

    def cut(self) -> None:
        """Drop an incomplete frame: no response follows any more."""
        self._unread = b""


class Step(IntEnum):
    """How far the house is with what the acceptor holds."""

    #: Nothing is known of it, as after a start.
    UNKNOWN = 0
    NOTHING = 1
    #: Reported in escrow; then decided.
    REPORTED = 2
    ACCEPTED = 3
    REJECTED = 4
    #: Reported as stacked; then credited.
    STACKED = 5
    CREDITED = 6


class Controller:
    """The controller's side of ID003, with no clock and no line of its own: one frame for each status of the acceptor.

    A note in escrow, a note that is stacked and a fault count when two statuses in a row state them: a frame that was
    changed on the line and has the right CRC by chance does not move money.
    """

    def __init__(self, values: tuple[Cents, ...], port: AcceptorPort) -> None:
        self._values, self._port = values, port
        self.step = Step.UNKNOWN
        #: Why it takes nothing now; empty while it works.
        self.fault = ""
        self._last: Frame | None = None
        self._settings: deque[tuple[Operation, bytes]] = deque()
        self._locked: Status | None = None
        #: Whether the last status said that it holds nothing, and whether it reported a return since it held something.
        self._empty = self._returned = False

    def accept(self) -> None:
        if self.step is Step.REPORTED:
            self.step = Step.ACCEPTED

    def reject(self) -> None:
        if self.step is Step.REPORTED:
            self.step = Step.REJECTED

    def acknowledge(self) -> None:
        if self.step is Step.STACKED:
            self.step = Step.CREDITED

    def poll(self) -> bytes:
        """Return the frame that is sent when no other is due."""
        return frame(Operation.POLL)

    def receive(self, received: Frame) -> bytes | None:
        """Act on a frame of the acceptor, and return the frame that answers it; None when the next poll does."""
        if self._settings and received.code == self._settings[0][0]:
            self._settings.popleft()
            return self._next_setting()
        if received.code not in _STATUSES:
            return None
        again, self._last = received == self._last, received
        status = Status(received.code)
        self.fault = _HELD.get(status, "") or _LOCKING.get(status, "")
        if status is not Status.INITIALISE:
            self._settings.clear()
        self._returned = status in _RETURNING or (self._returned and status in _EMPTY)
        empty, self._empty = self._empty, status in _EMPTY
        if empty and self._empty:
            self._gone(seen=self._returned or self.step is Step.REJECTED)
        if status not in _LOCKING:
            self._locked = None
        elif again and self._locked is not status:
            self._locked = status
            self._port.lock_up(self.fault)
        return self._status(status, received.data, again=again)

    def _status(self, status: Status, data: bytes, *, again: bool) -> bytes | None:  # noqa: PLR0911 - one for each
        match status:
            case Status.ESCROW:
                return self._escrow(data) if again else None
            case Status.VEND_VALID:
                return self._stacked(Operation.ACK) if again else None
            case Status.POWER_UP_STACKER:
                return self._stacked(Operation.RESET) if again else None
            case Status.HOLDING:
                return self._decided()
            case Status.POWER_UP_ACCEPTOR | Status.POWER_UP if again:
                self._gone(seen=status is Status.POWER_UP_ACCEPTOR)
                return frame(Operation.RESET)
            case Status.INITIALISE:
                if not self._settings:
                    self._settings.extend(SETTINGS)
                return self._next_setting()
            case _:
                return None

    def _escrow(self, data: bytes) -> bytes | None:
        if self.step in (Step.UNKNOWN, Step.NOTHING, Step.CREDITED):
            self.step = Step.REPORTED
            self._report(data)
        return self._decided()

    def _decided(self) -> bytes | None:
        """Stack or return what is held, once it is decided; what a controller before this one held is returned."""
        match self.step:
            case Step.ACCEPTED:
                return frame(Operation.STACK)
            case Step.REJECTED | Step.UNKNOWN:
                return frame(Operation.RETURN)
            case _:
                return None

    def _report(self, data: bytes) -> None:
        kind = data[0] if data else 0
        place, digits = kind - DENOMINATION, data[1:]
        if len(data) == 1 and 0 <= place < min(len(self._values), DENOMINATIONS):
            self._port.escrow_note(self._values[place])
        elif kind == TICKET and len(digits) == TICKET_DIGITS and digits.isdigit():
            self._port.escrow_ticket(digits.decode("ascii"))
        else:
            self.reject()

    def _stacked(self, operation: Operation) -> bytes | None:
        """Report it once, and confirm it to the acceptor once it is credit: the acceptor repeats it until then."""
        if self.step not in (Step.STACKED, Step.CREDITED):
            self.step = Step.STACKED
            self._port.stacked()
        return frame(operation) if self.step is Step.CREDITED else None

    def _gone(self, *, seen: bool) -> None:
        """The acceptor holds nothing; what became credit is not reported again."""
        if self.step not in (Step.NOTHING, Step.STACKED, Step.CREDITED):
            self._port.returned(seen=seen)
        if self.step is not Step.STACKED:
            self.step = Step.NOTHING

    def _next_setting(self) -> bytes | None:
        return frame(*self._settings[0]) if self._settings else None


_STATUSES: Final = frozenset(Status)
_RETURNING: Final = (Status.REJECTING, Status.RETURNING)
#: With two of these in a row the acceptor has nothing of what it held before.
_EMPTY: Final = (Status.IDLE, Status.ACCEPTING, Status.INHIBITED, *_RETURNING)


SERIAL: Final = SerialSettings(9600, "E")
#: How often the acceptor is asked for its status, and after how many polls without a response it is silent.
POLL_EVERY: Final = SECOND // 5
SILENT_AFTER: Final = 10
_DIGITS: Final = bytes.maketrans(b"0123456789", b"#" * 10)


def _masked(_mark: RecordMark, data: bytes) -> bytes:
    """Record no digit: the number of a ticket is in no record."""
    return data.translate(_DIGITS)


class Id003Acceptor:
    """Polls the acceptor, and pushes what it reports. Bytes go to the flight recorder both ways."""

    def __init__(self, terminal: TerminalId, address: str, values: tuple[Cents, ...]) -> None:
        self.terminal, self._address, self._values = terminal, address, values
        self._line: Line | None = None
        self._controller: Controller | None = None
        self._reader = FrameReader()
        self._timer: Timer | None = None
        #: Polls since the last response.
        self.unanswered = 0
        #: What is sent in place of the next poll.
        self._next: bytes | None = None

    @property
    def fault(self) -> str:
        if self._line is None or self._controller is None:
            return ""
        silent = "it does not respond" if self.unanswered > SILENT_AFTER else ""
        return self._line.fault or silent or self._controller.fault

    def open(self, port: AcceptorPort) -> None:
        self._controller = Controller(self._values, port)
        self._line = Line(self._address, SERIAL, self._received, _masked)
        self._line.open(port)
        self._tick(port, self._line, self._controller)

    def close(self) -> None:
        if self._timer is not None and self._line is not None:
            self._timer.cancel()
            self._line.close()

    def accept(self) -> None:
        assert self._controller is not None
        self._controller.accept()

    def reject(self) -> None:
        assert self._controller is not None
        self._controller.reject()

    def acknowledge(self) -> None:
        assert self._controller is not None
        self._controller.acknowledge()

    def _tick(self, port: AcceptorPort, line: Line, controller: Controller) -> None:
        self._reader.cut()
        self.unanswered += 1
        line.send(port, self._next or controller.poll())
        self._next = None
        due = Instant(port.clock.now() + POLL_EVERY)
        self._timer = port.clock.at(due, lambda: self._tick(port, line, controller))

    def _received(self, data: bytes) -> None:
        assert self._controller is not None
        for each in self._reader.feed(data):
            self.unanswered = 0
            self._next = self._controller.receive(each)


_SETTINGS: Final = frozenset(operation for operation, _ in SETTINGS)
#: What follows by itself with the next poll.
_FOLLOWING: Final = {
    Status.ACCEPTING: Status.ESCROW,
    Status.STACKED: Status.IDLE,
    Status.RETURNING: Status.IDLE,
    Status.REJECTING: Status.IDLE,
    Status.CHEATED: Status.IDLE,
    Status.INITIALISE: Status.IDLE,
}


class EmulatedAcceptor:
    """Takes one note or ticket at a time. It repeats a vend valid until it is acknowledged, also after a power loss."""

    def __init__(self) -> None:
        self.status = Status.POWER_UP
        #: What is in the acceptor, as its escrow data; empty when nothing is.
        self.held = b""
        #: What went into the box, and what came back, as escrow data.
        self.box: list[bytes] = []
        self.returned: list[bytes] = []
        #: The fault that happens when the note is to be stacked.
        self.fault = ""
        #: Whether it gives no responses.
        self.silent = False
        #: What the controller sent last.
        self.last = 0
        self._reader = FrameReader()
        self._repeats = 0

    def insert(self, data: bytes) -> bool:
        """Insert a note or a ticket; return whether it was drawn in."""
        if self.status is not Status.IDLE:
            return False
        self.status, self.held = Status.ACCEPTING, data
        return True

    def insert_note(self, place: int) -> bool:
        return self.insert(bytes((DENOMINATION + place,)))

    def insert_ticket(self, number: str) -> bool:
        return self.insert(bytes((TICKET,)) + number.encode("ascii"))

    def lose_power(self) -> None:
        """Lose power, and come back: what is behind the lever is in the stacker, all else is in the acceptor."""
        if self.status in (Status.VEND_VALID, Status.POWER_UP_STACKER):
            self.status = Status.POWER_UP_STACKER
        else:
            self.status = Status.POWER_UP_ACCEPTOR if self.held else Status.POWER_UP

    def clear(self) -> None:
        """Have staff clear a jam: what was jammed comes out."""
        self.fault = ""
        self._give_back()
        self.status = Status.POWER_UP

    def feed(self, data: bytes) -> bytes:
        """Read what the controller sends, and return the responses."""
        responses = b"".join(map(self._respond, self._reader.feed(data)))
        return b"" if self.silent else responses

    def _respond(self, received: Frame) -> bytes:
        self.last = received.code
        if received.code == Operation.POLL:
            return self._poll()
        if received.code in _SETTINGS:
            return frame(received.code, received.data)
        if received.code == Operation.ACK:
            self._acknowledged()
            return b""
        self._operate(received.code)
        return frame(Operation.ACK)

    def _poll(self) -> bytes:
        """Give the status, each twice, and go on by itself where nothing is asked of the controller."""
        response = frame(self.status, self.held if self.status is Status.ESCROW else b"")
        self._repeats += 1
        if self._repeats > 1:
            self._go_on()
        return response

    def _go_on(self) -> None:
        self._repeats = 0
        if self.status is Status.STACKING:
            self._stack()
        elif self.status in _FOLLOWING:
            if self.status is not Status.ACCEPTING:
                self.held = b""
            self.status = _FOLLOWING[self.status]

    def _stack(self) -> None:
        spoil = FAULTS.get(self.fault)
        if spoil is None:
            self.box.append(self.held)
            self.status, self.held = Status.VEND_VALID, b""
        else:
            self.fault = ""
            spoil.happens(self)

    def _acknowledged(self) -> None:
        if self.status is Status.VEND_VALID:
            self._enter(Status.STACKED)

    def _operate(self, operation: int) -> None:
        if operation == Operation.STACK and self.status in (Status.ESCROW, Status.HOLDING):
            self._enter(Status.STACKING)
        elif operation == Operation.RETURN and self.status in (Status.ESCROW, Status.HOLDING):
            self._give_back()
            self._enter(Status.RETURNING)
        elif operation == Operation.RESET and self.status in _RESETS:
            self._give_back()
            self._enter(Status.INITIALISE)

    def _enter(self, status: Status) -> None:
        self.status, self._repeats = status, 0

    def _give_back(self) -> None:
        if self.held:
            self.returned.append(self.held)
        self.held = b""

    def cheat(self) -> None:
        """Have the note pulled out on a string before it is behind the lever."""
        self._give_back()
        self._enter(Status.CHEATED)

    def come_back(self) -> None:
        """Have the note come back by itself."""
        self._give_back()
        self._enter(Status.REJECTING)


_RESETS: Final = (Status.POWER_UP, Status.POWER_UP_ACCEPTOR, Status.POWER_UP_STACKER)


class AcceptorFault(NamedTuple):
    """A fault that happens instead of stacking a note."""

    description: str
    happens: Callable[[EmulatedAcceptor], None]


def _into(status: Status) -> Callable[[EmulatedAcceptor], None]:
    def happens(acceptor: EmulatedAcceptor) -> None:
        acceptor.status = status

    return happens


FAULTS: Final = {
    "cheat": AcceptorFault("the note is pulled out on a string", EmulatedAcceptor.cheat),
    "failure": AcceptorFault("a motor fails with the note inside", _into(Status.FAILURE)),
    "full": AcceptorFault("the box is full", _into(Status.FULL)),
    "jam": AcceptorFault("the note is jammed in the acceptor", _into(Status.JAM_ACCEPTOR)),
    "jam-stacker": AcceptorFault("the note is jammed in the stacker", _into(Status.JAM_STACKER)),
    "power": AcceptorFault("power is lost before the note is behind the lever", EmulatedAcceptor.lose_power),
    "rejected": AcceptorFault("the note comes back by itself", EmulatedAcceptor.come_back),
}
