"""WebSocket frames as a load client needs them: written once and then filled in, and taken apart as they come."""

from collections.abc import Iterator
from typing import Final

TEXT: Final = 0x81  # a whole text frame
CLOSE: Final = 0x88
PING: Final = 0x89
PONG: Final = 0x8A
_MASKED: Final = 0x80
#: A mask of zeros is a mask: the payload under it is the payload.
_MASK: Final = bytes(4)
_SHORT_MOST: Final = 125
_MEDIUM: Final = 126
_MEDIUM_MOST: Final = 0xFFFF
_LONG: Final = 127

#: Commands are numbered from here, so that every number has as many digits and every frame one length.
FIRST: Final = 10_000_000
DIGITS: Final = 8


def masked(payload: bytes, kind: int = TEXT) -> bytes:
    """Write a frame as a client sends it."""
    return _head(kind, len(payload)) + payload


def blank(payload: bytes) -> bytes:
    """Write a frame with the command's number left open, to be filled in with ``frame % number``."""
    # A byte of the length may happen to be a percent sign.
    return _head(TEXT, len(payload % FIRST)).replace(b"%", b"%%") + payload


def unmasked(payload: bytes, kind: int = TEXT) -> bytes:
    """Write a frame as a server sends it."""
    return _head(kind, len(payload), masked=False) + payload


def _head(kind: int, size: int, *, masked: bool = True) -> bytes:
    bit, mask = (_MASKED, _MASK) if masked else (0, b"")
    if size <= _SHORT_MOST:
        return bytes((kind, bit | size)) + mask
    if size <= _MEDIUM_MOST:
        return bytes((kind, bit | _MEDIUM)) + size.to_bytes(2, "big") + mask
    return bytes((kind, bit | _LONG)) + size.to_bytes(8, "big") + mask


def frames(data: bytes) -> Iterator[tuple[int, bytes, int]]:
    """Take a server's bytes apart: each whole frame's kind and payload, and where the next begins."""
    at = 0
    while (bounds := _bounds(data, at)) is not None:
        begin, end = bounds
        yield data[at], data[begin:end], end
        at = end


def _bounds(data: bytes, at: int) -> tuple[int, int] | None:
    """Tell where the payload of the frame lies that begins here, or None where it has not come whole."""
    if len(data) < at + 2:
        return None
    size, begin = data[at + 1], at + 2
    if size >= _MEDIUM:
        width = 2 if size == _MEDIUM else 8
        size, begin = int.from_bytes(data[begin : begin + width], "big"), begin + width
    return (begin, begin + size) if len(data) >= begin + size else None


def upgrade(host: str, port: int, path: str) -> bytes:
    """Write the request that begins a WebSocket, as a page of the house itself sends it."""
    lines = (
        f"GET {path} HTTP/1.1",
        f"Host: {host}:{port}",
        f"Origin: http://{host}:{port}",
        "Upgrade: websocket",
        "Connection: Upgrade",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    )
    return "\r\n".join((*lines, "", "")).encode()
