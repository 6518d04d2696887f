"""Odd frames: WebSocket framing and HTTP requests as no browser writes them, and what may be heard of them at most."""

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from croupier.server.listener import FRAME_BYTES_MAX
from tests.support.fuzz.messages import Fuzzer

CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10
#: How a length is written: in the second byte, in two more, or in eight more.
_SHORT, _MEDIUM, _LONG = 0, 126, 127
_BYTES: Final = {_MEDIUM: 2, _LONG: 8}


class Head(NamedTuple):
    """The head of a frame, as it is or is not allowed to be."""

    opcode: int = TEXT
    fin: bool = True
    reserved: int = 0
    masked: bool = True
    #: None for the form that the length takes.
    form: int | None = None
    #: None for the length that the payload has.
    length: int | None = None


#: As a browser writes it.
USUAL: Final = Head()


def written(payload: bytes, head: Head = USUAL, mask: bytes = bytes(4)) -> bytes:
    """Write a frame, whatever its head says."""
    length = len(payload) if head.length is None else head.length
    form = (_SHORT if length < _MEDIUM else _MEDIUM if length < 2**16 else _LONG) if head.form is None else head.form
    first = head.fin << 7 | head.reserved << 4 | head.opcode
    said = (length & 0x7F) if form == _SHORT else form
    more = b"" if form == _SHORT else (length % 2 ** (8 * _BYTES[form])).to_bytes(_BYTES[form])
    body = bytes(byte ^ mask[at % 4] for at, byte in enumerate(payload)) if any(mask) and head.masked else payload
    return bytes((first, head.masked << 7 | said)) + more + (mask if head.masked else b"") + body


def incoming(stream: bytes) -> Iterator[bytes]:
    """Read a client's bytes by the letter: give each whole text up to where the line must be ended."""
    at = 0
    while len(stream) >= at + 2:
        first, second = stream[at], stream[at + 1]
        opcode, size, begin = first & 15, second & 127, at + 2
        if opcode not in (TEXT, PING, PONG) or not first & 128 or first & 112 or not second & 128:
            return
        if size >= _MEDIUM:
            form = _BYTES[size]
            size, begin = int.from_bytes(stream[begin : begin + form]), begin + form
            if opcode != TEXT or not (126 if form == 2 else 2**16) <= size:
                return
        if size > FRAME_BYTES_MAX or len(stream) < begin + 4 + size:
            return
        mask, body = stream[begin : begin + 4], stream[begin + 4 : begin + 4 + size]
        at = begin + 4 + size
        if opcode == TEXT:
            yield bytes(byte ^ mask[place % 4] for place, byte in enumerate(body)) if any(mask) else body


# What somebody may do to a frame.


def whole(fuzz: Fuzzer) -> bytes:
    return written(fuzz.payload(), mask=_mask(fuzz))


def _mask(fuzz: Fuzzer) -> bytes:
    return bytes(4) if fuzz.chance() < 0.7 else fuzz.rng.randbytes(4)


def _odd_head(fuzz: Fuzzer) -> bytes:
    head = Head(
        opcode=fuzz.any_of((TEXT, TEXT, *range(16))),
        fin=fuzz.chance() < 0.8,
        reserved=fuzz.any_of((0, 0, 0, *range(8))),
        masked=fuzz.chance() < 0.9,
    )
    return written(fuzz.payload(), head, _mask(fuzz))


def _odd_length(fuzz: Fuzzer) -> bytes:
    payload = fuzz.payload()
    own = len(payload)
    form = fuzz.any_of((_SHORT, _MEDIUM, _LONG, None))
    others = (0, 125, 126, 127, 2**16 - 1, 2**16, 2**31, 2**63 - 1, 2**63, 2**64 - 1)
    length = fuzz.any_of((own, own - 1, own + 1, *others))
    return written(payload, Head(form=form, length=max(0, length)))


def _large(fuzz: Fuzzer) -> bytes:
    """A message that is one at heart, blown up to about the most that is taken or well beyond it."""
    payload, size = fuzz.payload(), FRAME_BYTES_MAX + fuzz.any_of((-1, 0, 1, 2, 100, 60_000, 70_000))
    return written(payload + b" " * max(0, size - len(payload)))


def _fragments(fuzz: Fuzzer) -> bytes:
    payload, size = fuzz.payload(), 1 + int(fuzz.chance() * 40)
    parts = [payload[at : at + size] for at in range(0, len(payload), size)] or [b""]
    opcodes = [TEXT, *[CONTINUATION] * (len(parts) - 1)]
    ends = [*[False] * (len(parts) - 1), True]
    frames = [written(part, Head(opcode, fin)) for part, opcode, fin in zip(parts, opcodes, ends, strict=True)]
    if fuzz.chance() < 0.5:
        frames.insert(int(fuzz.chance() * len(frames)), _control(fuzz))
    return b"".join(frames)


def _control(fuzz: Fuzzer) -> bytes:
    opcode = fuzz.any_of((PING, PONG, CLOSE))
    size = fuzz.any_of((0, 1, 2, 3, 125, 126, 4_000))
    code = fuzz.any_of((0, 999, 1000, 1004, 1005, 1006, 1015, 1016, 2999, 3000, 4999, 5000, 65535)).to_bytes(2)
    payload = (code + fuzz.any_of((b"bye", b"\xff\xfe", b"\xed\xa0\x80")) * size)[:size]
    return written(payload, Head(opcode, fin=fuzz.chance() < 0.9)) * fuzz.any_of((1, 1, 1, 2, 50))


def _mangled(fuzz: Fuzzer) -> bytes:
    return fuzz.mangled(whole(fuzz))


def _garbage(fuzz: Fuzzer) -> bytes:
    return fuzz.rng.randbytes(int(fuzz.chance() * 64))


def _cut_off(fuzz: Fuzzer) -> bytes:
    frame = whole(fuzz)
    return frame[: int(fuzz.chance() * len(frame))]


_OTHERS: Final = (_odd_head, _odd_length, _large, _fragments, _control, _mangled, _garbage, _cut_off)
ODD: Final[tuple[Callable[[Fuzzer], bytes], ...]] = (whole, whole, whole, *_OTHERS)


def stream(fuzz: Fuzzer, frames: int) -> list[bytes]:
    """Make what is said over a line that was opened rightly: whole frames, odd ones, and whole ones after them."""
    return [fuzz.any_of(ODD)(fuzz) for _ in range(frames)]


# Requests.

_TARGETS: Final = (
    *(b"/wire", b"/wire", b"/wire?x=1", b"/wire/", b"/WIRE", b"//wire", b"/", b"/terminal", b"/health", b"*"),
    *(b"/static/../server.py", b"/static/%2e%2e/%2e%2e/server.py", b"/static/app.js", b"/static/\xff", b"/felt/0.json"),
    *(b"/rules/skycity-adelaide-2003", b"/rules/<script>alert(1)</script>", b"/history/A.json", b"/metrics"),
    *(b"http://127.0.0.1/wire", b"/%", b"/%ff", b"/%zz?%zz=%zz", b"/?" + b"a=1&" * 40, b"/" + b"x" * 3_000, b""),
    *(b"/x y", b"/history/%00.json", b"/history/../A.json"),
)
_LINES: Final = (
    *(b"Host: 127.0.0.1", b"Host: evil.example", b"Upgrade: websocket", b"Upgrade: h2c", b"Upgrade: \xff", b"Upgrade:"),
    *(b"Connection: Upgrade", b"Connection: keep-alive, Upgrade", b"Connection: close", b"Connection: \xff"),
    *(b"Sec-WebSocket-Version: 13", b"Sec-WebSocket-Version: 99", b"Sec-WebSocket-Version: \xff"),
    *(b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", b"Sec-WebSocket-Key: AAAA", b"Sec-WebSocket-Key: \xc3\xa9"),
    *(b"Sec-WebSocket-Extensions: permessage-deflate", b"Sec-WebSocket-Protocol: a, b", b"Origin: http://evil.example"),
    *(b"Origin: null", b"Origin: \xff", b"Cookie: " + b"c" * 4_000, b"If-None-Match: \xff", b'If-None-Match: "x"'),
    *(b"Content-Length: 0", b"Content-Length: 9", b"Content-Length: \xff", b"Transfer-Encoding: chunked", b" folded"),
    *(b"X:" * 900, b":", b"", b"Sec-WebSocket-Version:"),
    *(b"\xff: x", b"no colon", b"X: \x00", b"X: a\rb", b"X: a\nb", b"<script>alert(1)</script>: x"),
)
_VERSIONS: Final = (b"HTTP/1.1", b"HTTP/1.1", b"HTTP/1.1", b"HTTP/1.0", b"HTTP/2", b"http/1.1", b"\xff", b"")
_METHODS: Final = (b"GET", b"GET", b"GET", b"POST", b"OPTIONS", b"get", b"", b"\x16\x03\x01", b"GET GET")


def request(fuzz: Fuzzer, right: bytes) -> bytes:
    """Make a request: the right one, changed; or one of odd parts."""
    if fuzz.chance() < 0.4:
        return fuzz.mangled(right)
    lines = right.rstrip(b"\r\n").split(b"\r\n")
    if fuzz.chance() < 0.5:
        lines[0] = b" ".join((fuzz.any_of(_METHODS), fuzz.any_of(_TARGETS), fuzz.any_of(_VERSIONS)))
    for _ in range(int(fuzz.chance() * 4)):
        at = 1 + int(fuzz.chance() * (len(lines) - 1))
        lines[at : at + int(fuzz.chance() * 2)] = [fuzz.any_of(_LINES)] * fuzz.any_of((1, 1, 1, 2, 130))
    return fuzz.any_of((b"\r\n", b"\r\n", b"\r\n", b"\n")).join((*lines, b"", b""))
