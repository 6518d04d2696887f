"""Connections to a fuzzed server: the far end of one without a socket, fast enough for millions of frames."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, cast

import msgspec
from picows import WSCloseCode, WSMsgType, WSTransport
from picows.picows import _make_test_ws_frame

from croupier.house.credit.drawers import RedeemTicket
from croupier.house.credit.notes import GrantPlayMoney, InsertNote
from croupier.house.credit.tickets import Collect, InsertTicket
from croupier.house.floor.setup import AddTerminal
from croupier.house.floor.staff import EnrolDevice
from croupier.house.ids import DeviceKind
from croupier.protocol import inbound, outbound
from croupier.protocol.inbound import PROTOCOL
from croupier.server.connection import WebSocketConnection
from croupier.server.router import Router

#: An address of this machine, and one for documents, which nobody has.
HOST, FAR = "127.0.0.1", "192.0.2.7"
#: The tags of every message that goes out.
TAGS: Final = frozenset(
    each.__struct_config__.tag for each in outbound.OutboundMessage.__subclasses__() if each.__struct_config__.tag
)
#: What a wish that is not in the house's own words becomes there.
BECOMES: Final = {
    inbound.Note: InsertNote,
    inbound.TicketIn: InsertTicket,
    inbound.CashOut: Collect,
    inbound.CollectFor: Collect,
    inbound.Redeem: RedeemTicket,
}


@dataclass(frozen=True, slots=True)
class Part:
    """Who comes: as what, from where, in whose name, and what the house may do by itself for them."""

    kind: DeviceKind | None = None
    device: str = ""
    person: str = ""
    peer: str = FAR
    brings: tuple[type, ...] = ()


def _console(kind: DeviceKind, number: int, person: str = "") -> Part:
    return Part(kind, f"{kind}-{number}", person)


def _player(device: str, *brings: type) -> Part:
    return Part(DeviceKind.TERMINAL, device, brings=(GrantPlayMoney, *brings))


PARTS: Final = {
    "stranger": Part(),
    "neighbour": Part(peer=HOST, brings=(AddTerminal, EnrolDevice, GrantPlayMoney)),
    "board": _console(DeviceKind.BOARD, 1),
    "dealer, not signed in": _console(DeviceKind.DEALER, 2),
    "pit, not signed in": _console(DeviceKind.PIT, 3),
    "cashier, not signed in": _console(DeviceKind.CASHIER, 2),
    "auditor, not signed in": _console(DeviceKind.AUDITOR, 2),
    "player at Adelaide": _player("A-2"),
    "player at Marina Bay Sands": _player("M-1"),
    "player at the US table": _player("U-1"),
    "player at Clearwater": _player("CD-1"),
    "player on a raw line": _player("A-3", AddTerminal, EnrolDevice),
    "dealer": _console(DeviceKind.DEALER, 1, "dealer"),
    "manager": _console(DeviceKind.PIT, 1, "manager"),
    "relief manager": _console(DeviceKind.PIT, 2, "relief manager"),
    "inspector": _console(DeviceKind.PIT, 4, "inspector"),
    "cashier": _console(DeviceKind.CASHIER, 1, "cashier"),
    "auditor": _console(DeviceKind.AUDITOR, 1, "auditor"),
}
PLAYERS: Final = tuple(name for name in PARTS if name.startswith("player at"))
STAFF: Final = tuple(name for name, part in PARTS.items() if part.person)


class Answers:
    """What a line was sent, read as a page reads it: nothing unknown, no delta missed, every command answered."""

    def __init__(self) -> None:
        #: The numbers of commands that wait for an answer.
        self.waiting: list[int] = []
        self._version = 0

    def oddities(self, sent: list[bytes], *, is_seat: bool, is_open: bool) -> Iterator[str]:
        """Say what is odd about what was sent since the last time."""
        reported = [msgspec.json.decode(frame) for frame in sent]
        yield from (f"no connection is sent a {each['t']}" for each in reported if each["t"] not in TAGS)
        for each in reported:
            # A snapshot begins anew, whatever was missed before it.
            if "v" in each and each["t"] != "snap" and each["v"] != self._version + 1:
                yield f"after {self._version} comes {each}"
            self._version = each.get("v", self._version)
        if is_open:
            yield from self._unanswered(reported, is_seat=is_seat)
        self.waiting.clear()

    def _unanswered(self, reported: list[Any], *, is_seat: bool) -> Iterator[str]:
        if is_seat:
            seats = [each for each in reported if each["t"] in ("seat", "snap")]
            refused = {no["id"] for each in seats for no in each.get("refused", ())}
            last = max((each["last_cmd"] for each in seats), default=0)
            lost = [number for number in self.waiting if number not in refused and number > last]
        else:
            acked = Counter(each["id"] for each in reported if each["t"] == "ack")
            lost = sorted((Counter(self.waiting) - acked).elements())
        if lost:
            yield f"commands {lost[:5]} were never answered"


class Line:
    """The far end of a connection, without a socket: it stores what it is sent."""

    def __init__(self, router: Router, peer: str) -> None:
        self.sent: list[bytes] = []
        self.answers = Answers()
        self.is_open, self.is_close_frame_sent, self.has_hung_up = True, False, False
        self.code: WSCloseCode | None = None
        self._peer = peer
        #: A real one has a transport beneath it.
        self.underlying_transport = self
        self._transport = cast("WSTransport", self)
        self.connection = WebSocketConnection(router)
        self.connection.on_ws_connected(self._transport)

    def say(self, kind: str, **more: object) -> None:
        stated = {"protocol": PROTOCOL} if kind == "hello" else {}
        self.feed(msgspec.json.encode({"t": kind, **stated, **more}))

    def feed(self, payload: bytes) -> None:
        """Pass a whole text to the connection."""
        frame = _make_test_ws_frame(WSMsgType.TEXT, payload, fin=True, rsv1=False)
        self.connection.on_ws_frame(self._transport, frame)

    def hang_up(self) -> None:
        """Tell the connection that it has ended, as the event loop does after a disconnect."""
        self.is_open, self.has_hung_up = False, True
        self.connection.on_ws_disconnected(self._transport)

    def oddities(self) -> Iterator[str]:
        """Say what is odd about what came over it since the last time."""
        sent, self.sent = self.sent, []
        yield from self.answers.oddities(
            sent, is_seat=self.connection.device_kind is DeviceKind.TERMINAL, is_open=self.is_open
        )
        if self.code is WSCloseCode.INTERNAL_ERROR:
            yield "the connection was closed for an internal error"
        is_permitted = self.code is WSCloseCode.POLICY_VIOLATION and self.connection.behind_since is None
        if is_permitted and sent and not sent[-1].startswith(b'{"t":"bye"'):
            yield f"the last message of a closed connection was {sent[-1]!r}"

    # What a connection does with its transport.

    def send(self, _kind: WSMsgType, frame: bytes) -> None:
        self.sent.append(frame)

    def send_pong(self, _payload: bytes) -> None:
        """Let it be."""

    def send_close(self, code: WSCloseCode) -> None:
        self.code, self.is_close_frame_sent = code, True

    def disconnect(self, *, graceful: bool = True) -> None:
        del graceful
        self.is_open = False

    def get_extra_info(self, _name: str) -> tuple[str, int]:
        return self._peer, 1

    def set_write_buffer_limits(self, *, high: int) -> None:
        assert high > 0

    def pause_reading(self) -> None:
        """Go on all the same: much may be on its way already."""

    def resume_reading(self) -> None:
        """Let it be."""
