"""WebSocket frames without I/O, by RFC 6455, as load clients and raw connections build and parse them."""

from collections.abc import Iterator
from typing import Final

from croupier.protocol.inbound import WEBSOCKET_PATH

CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10
FINAL: Final = 0x80
_MASKED: Final = 0x80
#: A mask of zeros is a mask: it leaves the payload as it is.
ZERO_MASK: Final = bytes(4)
_SHORT_MAX: Final = 125
MEDIUM: Final = 126
_MEDIUM_MAX: Final = 0xFFFF
_LONG: Final = 127
_KEY: Final = "dGhlIHNhbXBsZSBub25jZQ=="


def client_frame(payload: bytes, opcode: int = TEXT) -> bytes:
    """Build a frame as a client sends it."""
    return frame_head(FINAL | opcode, len(payload)) + payload


def server_frame(payload: bytes, opcode: int = TEXT) -> bytes:
    """Build a frame as a server sends it."""
    return frame_head(FINAL | opcode, len(payload), mask=b"") + payload


def frame_head(first: int, size: int, mask: bytes = ZERO_MASK) -> bytes:
    """Build the head of a frame: its first byte, the length of its payload, and its mask, empty at a server."""
    bit = _MASKED if mask else 0
    if size <= _SHORT_MAX:
        return bytes((first, bit | size)) + mask
    if size <= _MEDIUM_MAX:
        return bytes((first, bit | MEDIUM)) + size.to_bytes(2, "big") + mask
    return bytes((first, bit | _LONG)) + size.to_bytes(8, "big") + mask


def server_frames(data: bytes) -> Iterator[tuple[int, bytes, int]]:
    """Parse the bytes of a server: the first byte and the payload of each whole frame, and where the next begins."""
    at = 0
    while (bounds := _payload_bounds(data, at)) is not None:
        begin, end = bounds
        yield data[at], data[begin:end], end
        at = end


def _payload_bounds(data: bytes, at: int) -> tuple[int, int] | None:
    """Locate the payload of the frame that begins here; None until all of it has arrived."""
    if len(data) < at + 2:
        return None
    size, begin = data[at + 1], at + 2
    if size >= MEDIUM:
        width = 2 if size == MEDIUM else 8
        size, begin = int.from_bytes(data[begin : begin + width], "big"), begin + width
    return (begin, begin + size) if len(data) >= begin + size else None


def upgrade_request(authority: str, origin: str | None, *headers: str, path: str = WEBSOCKET_PATH) -> bytes:
    """Build the HTTP request that begins a WebSocket."""
    lines = (
        f"GET {path} HTTP/1.1",
        f"Host: {authority}",
        *([] if origin is None else [f"Origin: {origin}"]),
        "Upgrade: websocket",
        "Connection: Upgrade",
        "Sec-WebSocket-Version: 13",
        f"Sec-WebSocket-Key: {_KEY}",
        *headers,
    )
    return "\r\n".join((*lines, "", "")).encode("latin-1")
