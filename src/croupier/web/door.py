"""A door: one WebSocket, what comes through it checked and counted, what goes out never piled up."""

from typing import Final, Protocol

import msgspec
from picows import WSCloseCode, WSFrame, WSListener, WSMsgType, WSTransport

from croupier.access.record import DeviceKind
from croupier.access.signin import Badge
from croupier.house.answer import refuse
from croupier.house.name import SECOND, DeviceId, Instant, PersonId
from croupier.rules.refusal import Code, Refusal
from croupier.web import incoming, outgoing
from croupier.web.incoming import Incoming
from croupier.web.limits import EXCESS_MOST, NONSENSE_MOST, SEND_MOST
from croupier.web.timekeeper import Timekeeper

_TEXT: Final = WSMsgType.TEXT
_CONTROL: Final = (WSMsgType.PING, WSMsgType.PONG)


class Pace(msgspec.Struct, frozen=True):
    """How many commands a door may send a second on the average, and how many at once."""

    per_s: int
    at_once: int


class Porter(Protocol):
    """Looks after the doors: hears what comes through them, and when they open, shut, fall behind and catch up."""

    time: Timekeeper
    pace: Pace

    def opened(self, door: "Door") -> None: ...
    def heard(self, door: "Door", message: Incoming) -> None: ...
    def too_fast(self, door: "Door", message: Incoming, refusal: Refusal) -> None: ...
    def caught_up(self, door: "Door") -> None: ...
    def fell_behind(self, door: "Door") -> None: ...
    def gone(self, door: "Door") -> None: ...


class Door(WSListener):
    """One connection, from its handshake to its end."""

    transport: WSTransport
    #: None until it has said hello.
    kind: DeviceKind | None = None

    def __init__(self, porter: Porter) -> None:
        self._porter = porter
        self.device = DeviceId("")
        self.person = PersonId("")
        self.badge = Badge("", self.device)
        #: The count of deltas that this door was sent, and the last command of its device that was answered.
        self.version = 0
        self.last_cmd = 0
        self.behind_since: Instant | None = None
        self.silent = 0
        self.opened_at = porter.time.now()
        self._left, self._filled_at, self._excess, self._nonsense = porter.pace.at_once, self.opened_at, 0, 0
        self._shut = self._unread = False

    @property
    def on_host(self) -> bool:
        """Whether whoever is at this door sits at the machine itself."""
        peer = self.transport.underlying_transport.get_extra_info("peername")
        return bool(peer) and str(peer[0]).removeprefix("::ffff:") in ("127.0.0.1", "::1")

    def send(self, message: msgspec.Struct) -> None:
        self.pass_on(outgoing.encode(message))

    def pass_on(self, frame: bytes) -> None:
        """Send a message that is written already, unless this door is behind: then a snapshot follows in its time."""
        if self.behind_since is None and not self._shut:
            self.transport.send(_TEXT, frame)

    def shut(self, refusal: Refusal, code: WSCloseCode = WSCloseCode.POLICY_VIOLATION) -> None:
        """Say why, and end it."""
        if self._shut:
            return
        self.send(outgoing.Bye(refusal=outgoing.no(refusal)))
        self._end(code)

    def _end(self, code: WSCloseCode) -> None:
        self._shut = True
        self.transport.send_close(code)
        self.transport.disconnect(graceful=self.behind_since is None)

    def on_ws_connected(self, transport: WSTransport) -> None:
        self.transport = transport
        transport.underlying_transport.set_write_buffer_limits(high=SEND_MOST)
        self._porter.opened(self)

    def on_ws_frame(self, _transport: WSTransport, frame: WSFrame) -> None:
        if self._shut:
            return
        self.silent = 0
        if frame.msg_type != _TEXT or not frame.fin or frame.rsv1 or frame.rsv2 or frame.rsv3:
            self._odd(frame)
            return
        try:
            message = incoming.decode(frame.get_payload_as_memoryview())
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            self._no_message(error)
            return
        self._left -= 1
        if self._left < 0 and not self._in_pace():
            self._press(message)
            return
        self._porter.heard(self, message)

    def _odd(self, frame: WSFrame) -> None:
        """End it on anything but a whole text; a close is answered, and signs of life are taken as such."""
        if frame.msg_type in _CONTROL:
            return
        close = frame.msg_type == WSMsgType.CLOSE
        self._end(WSCloseCode.OK if close else WSCloseCode.UNSUPPORTED_DATA)

    def _no_message(self, error: msgspec.DecodeError | UnicodeDecodeError) -> None:
        self._nonsense += 1
        refusal = refuse(Code.MALFORMED, None, f"That is no message: {_plain(error)}.")
        if self._nonsense > NONSENSE_MOST:
            self.shut(refusal)
        else:
            self.send(outgoing.Refused(refusal=outgoing.no(refusal)))

    def _in_pace(self) -> bool:
        """Count what may be sent since it was last counted; tell whether that is enough for one more."""
        now, pace = self._porter.time.now(), self._porter.pace
        earned = (now - self._filled_at) * pace.per_s // SECOND
        if earned > 0:
            self._filled_at = now
            self._left = min(self._left + earned, pace.at_once - 1)
        return self._left >= 0

    def _press(self, message: Incoming) -> None:
        """Refuse what comes too fast; and where it goes on, read nothing more until the pace is kept again."""
        self._left = -1
        self._excess += 1
        refusal = refuse(Code.TOO_FAST, None, "That was too fast: nothing was done, go on in a moment.")
        if self._excess > EXCESS_MOST:
            self.shut(refusal)
            return
        self._porter.too_fast(self, message, refusal)
        if not self._unread:
            self._unread = True
            self.transport.underlying_transport.pause_reading()
            self._porter.time.at(Instant(self._porter.time.now() + SECOND), self._read_on)

    def _read_on(self) -> None:
        self._unread, self._excess = False, 0
        if not self._shut:
            self.transport.underlying_transport.resume_reading()

    def pause_writing(self) -> None:
        self.behind_since = self._porter.time.now()
        self._porter.fell_behind(self)

    def resume_writing(self) -> None:
        self.behind_since = None
        if not self._shut:
            self._porter.caught_up(self)

    def on_ws_disconnected(self, _transport: WSTransport) -> None:
        self._shut = True
        self._porter.gone(self)


def _plain(error: msgspec.DecodeError | UnicodeDecodeError) -> str:
    return str(error) if isinstance(error, msgspec.DecodeError) else "it is not UTF-8"
