"""A line: one WebSocket of a simulated player, on which typed messages come in and go out."""

from collections.abc import Callable
from typing import Final

import msgspec
from picows import WSFrame, WSListener, WSMsgType, WSTransport

from croupier.web import incoming, outgoing

#: Everything that a terminal may be told.
Told = (
    outgoing.Welcome
    | outgoing.Snap
    | outgoing.Table
    | outgoing.Seat
    | outgoing.Pong
    | outgoing.Slip
    | outgoing.Paper
    | outgoing.File
    | outgoing.Games
    | outgoing.Refused
    | outgoing.Bye
)
_DECODER: Final = msgspec.json.Decoder(Told)


class LineLostError(Exception):
    """The line is down, or could not be had; where the house has said why, with its code."""

    def __init__(self, code: str = "") -> None:
        self.code = code
        super().__init__(f"the line is down: {code or 'nobody said why'}")


class Line(WSListener):
    """One connection, from its handshake to its end."""

    transport: WSTransport

    def __init__(self, hear: Callable[[Told], None], ended: Callable[[], None]) -> None:
        self._hear, self._ended = hear, ended
        self.is_up = True

    def say(self, message: incoming.Incoming) -> None:
        if self.is_up:
            self.transport.send(WSMsgType.TEXT, msgspec.json.encode(message))

    def hang_up(self) -> None:
        if self.is_up:
            self.transport.disconnect(graceful=False)

    def on_ws_connected(self, transport: WSTransport) -> None:
        self.transport = transport

    def on_ws_frame(self, transport: WSTransport, frame: WSFrame) -> None:
        if frame.msg_type == WSMsgType.TEXT:
            self._hear(_DECODER.decode(frame.get_payload_as_memoryview()))
        else:
            # A house says nothing else but that it closes.
            transport.disconnect()

    def on_ws_disconnected(self, _transport: WSTransport) -> None:
        self.is_up = False
        self._ended()
