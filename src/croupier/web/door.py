"""A door: one WebSocket, what comes through it checked and counted, what goes out never piled up."""

from typing import Final, Protocol

import msgspec
from picows import WSCloseCode, WSFrame, WSListener, WSMsgType, WSTransport

from croupier.access.record import Device
from croupier.access.signin import Badge
from croupier.house.answer import refuse
from croupier.house.device import DeviceKind
from croupier.house.name import SECOND, DeviceId, Instant, PersonId
from croupier.rules.refusal import Code, Refusal
from croupier.web import incoming, outgoing
from croupier.web.incoming import Incoming, Sketch
from croupier.web.limits import EXCESS_MOST, NONSENSE_MOST, SEND_MOST
from croupier.web.timekeeper import Timekeeper

_TEXT: Final = WSMsgType.TEXT


class Pace(msgspec.Struct, frozen=True):
    """How many messages a door may send a second on the average, and how many at once."""

    per_s: int
    at_once: int


class Porter(Protocol):
    """Looks after the doors: hears what comes through them, and when they open, catch up, shut and are no more."""

    time: Timekeeper
    pace: Pace

    def opened(self, door: "Door") -> None: ...
    def heard(self, door: "Door", message: Incoming) -> None: ...
    def misread(self, door: "Door", sketch: Sketch, refusal: Refusal) -> None: ...
    def too_fast(self, door: "Door", message: Incoming | None, refusal: Refusal) -> None: ...
    def caught_up(self, door: "Door") -> None: ...
    def gone(self, door: "Door", refusal: Refusal | None) -> None:
        """Hear that a door is shut, and why where we shut it: nothing comes through it from here on."""

    def closed(self, door: "Door") -> None:
        """Hear that its line has ended too."""


class Door(WSListener):
    """One connection, from its handshake to its end."""

    # Every command comes past here: without slots Python takes three times as long over what a listener holds.
    __slots__ = (
        *("transport", "kind", "enrolled", "is_open", "greeted", "device", "person", "badge", "version", "last_cmd"),
        *("behind_since", "silent", "opened_at", "native"),
        *("_porter", "_left", "_filled_at", "_excess", "_nonsense", "_unread", "_missed"),
    )
    transport: WSTransport
    #: What its device is for: None until it was let in.
    kind: DeviceKind | None
    #: What the register held of its device when it was let in.
    enrolled: Device | None

    def __init__(self, porter: Porter, *, native: bool = False) -> None:
        #: Whether its request named no origin: then it is no browser's.
        self.native = native
        self._porter, self.kind, self.enrolled = porter, None, None
        #: Whether something may still come of it. Whoever has waited for anything asks this first.
        self.is_open = True
        #: Whether it has said hello; what it is told then may take a while.
        self.greeted = False
        self.device = DeviceId("")
        self.person = PersonId("")
        self.badge = Badge("", self.device)
        #: The count of deltas that this door was sent, and the last command of its device that was answered.
        self.version = 0
        self.last_cmd = 0
        self.behind_since: Instant | None = None
        #: How often it was looked after since it was last heard; once it is shut, since then.
        self.silent = 0
        self.opened_at = porter.time.now()
        self._left, self._filled_at, self._excess, self._nonsense = porter.pace.at_once, self.opened_at, 0, 0
        self._unread = self._missed = False

    @property
    def peer(self) -> str:
        """The address at the other end; empty where there is none any more."""
        peer = self.transport.underlying_transport.get_extra_info("peername")
        return str(peer[0]) if peer else ""

    def send(self, message: msgspec.Struct) -> None:
        self.pass_on(outgoing.encode(message))

    def pass_on(self, frame: bytes) -> None:
        """Send a message that is written already, unless this door is behind: then a snapshot follows in its time."""
        if self.behind_since is not None:
            self._missed = True
        elif self.is_open:
            self.transport.send(_TEXT, frame)

    def shut(self, refusal: Refusal, code: WSCloseCode = WSCloseCode.POLICY_VIOLATION) -> None:
        """Say why, and end it."""
        if self.is_open:
            self.send(outgoing.Bye(refusal=outgoing.no(refusal)))
            self._end(code, refusal)

    def cut_off(self) -> None:
        """End the line of a door that is shut and whose other side does not take what it was sent last."""
        self.transport.disconnect(graceful=False)

    def _end(self, code: WSCloseCode, refusal: Refusal | None = None) -> None:
        self.is_open, self.silent = False, 0
        self.transport.send_close(code)
        self.transport.disconnect(graceful=self.behind_since is None)
        self._porter.gone(self, refusal)

    def on_ws_connected(self, transport: WSTransport) -> None:
        self.transport = transport
        transport.underlying_transport.set_write_buffer_limits(high=SEND_MOST)
        self._porter.opened(self)

    def on_ws_disconnected(self, _transport: WSTransport) -> None:
        if self.is_open:
            self.is_open = False
            self._porter.gone(self, None)
        self._porter.closed(self)

    # What comes in.

    def on_ws_frame(self, transport: WSTransport, frame: WSFrame) -> None:
        if not self.is_open or transport.is_close_frame_sent:
            # The parser may have ended the line by itself, and still pass on what comes over it: that was not said.
            return
        self.silent = 0
        if frame.msg_type != _TEXT or not frame.fin or frame.rsv1 or frame.rsv2 or frame.rsv3:
            self._odd(frame)
            return
        try:
            message = incoming.decode(frame.get_payload_as_memoryview())
        except UnicodeDecodeError:
            self._end(WSCloseCode.INVALID_TEXT)
        except (msgspec.DecodeError, RecursionError) as error:
            self._no_message(frame, error)
        else:
            self._left -= 1
            if self._left >= 0 or self._in_pace():
                self._porter.heard(self, message)
            else:
                self._press(message)

    def _odd(self, frame: WSFrame) -> None:
        """End it on anything but a whole text; a close is answered, and a sign of life as well."""
        if frame.rsv1 or frame.rsv2 or frame.rsv3:
            self._end(WSCloseCode.PROTOCOL_ERROR)
        elif frame.msg_type == WSMsgType.CLOSE:
            self._end(WSCloseCode.OK)
        elif frame.msg_type in (WSMsgType.PING, WSMsgType.PONG):
            self._sign_of_life(frame)
        else:
            self._end(WSCloseCode.UNSUPPORTED_DATA)

    def _sign_of_life(self, frame: WSFrame) -> None:
        """Answer a ping, which counts like any message: whoever does not read must not be able to pile up answers."""
        self._left -= 1
        if self._left < 0 and not self._in_pace():
            self._press(None)
        elif frame.msg_type == WSMsgType.PING and self.behind_since is None:
            self.transport.send_pong(frame.get_payload_as_bytes())

    def _no_message(self, frame: WSFrame, error: Exception) -> None:
        self._nonsense += 1
        refusal = refuse(Code.MALFORMED, None, f"That is no message: {error}.")
        if self._nonsense > NONSENSE_MOST:
            self.shut(refusal)
        else:
            self._porter.misread(self, incoming.sketch(frame.get_payload_as_memoryview()), refusal)

    # How fast it may come.

    def _in_pace(self) -> bool:
        """Count what may be sent since it was last counted; tell whether that is enough for one more."""
        now, pace = self._porter.time.now(), self._porter.pace
        earned = (now - self._filled_at) * pace.per_s // SECOND
        if earned > 0:
            self._filled_at = now
            self._left = min(self._left + earned, pace.at_once - 1)
        return self._left >= 0

    def _press(self, message: Incoming | None) -> None:
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
        if self.is_open:
            self.transport.underlying_transport.resume_reading()

    # How fast it is read.

    def pause_writing(self) -> None:
        self.behind_since, self._missed = self._porter.time.now(), False

    def resume_writing(self) -> None:
        """Go on where it was; with a snapshot, if there was something to tell meanwhile."""
        self.behind_since = None
        if self._missed and self.is_open:
            self._porter.caught_up(self)
