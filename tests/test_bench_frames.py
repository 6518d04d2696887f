"""Frames of the load client: another implementation reads them, and what a server sends is taken apart as it comes."""

import socket
from collections.abc import Iterator

import pytest
from benchmarks.machine import BenchFault, Cores, Server, running

from croupier.client.blocking import (
    CLOSE,
    DIGITS,
    FIRST,
    PING,
    PONG,
    TEXT,
    BlockingConnection,
    No,
    blank,
    frames,
    masked,
    unmasked,
    upgrade,
)

#: Around every bound of the length's form, and one whose length has a percent sign in it.
SIZES = (0, 1, 125, 126, 0x125, 65_535, 65_536, 100_000)


@pytest.fixture(scope="module")
def echo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """An echo by picows."""
    log = tmp_path_factory.mktemp("echo") / "log"
    with running("benchmarks.echo", output=log, cores=Cores.here()) as server:
        yield server


@pytest.mark.parametrize("size", SIZES)
def test_picows_gives_a_frame_back(echo: Server, size: int) -> None:
    """What is written here under a mask of zeros, picows reads, and what it writes is read here."""
    payload = bytes(ord("a") + place % 26 for place in range(size))
    with socket.create_connection(echo.address) as line:
        line.sendall(upgrade(*echo.address, "/wire"))
        came = b""
        while b"\r\n\r\n" not in came:
            came += line.recv(4096)
        line.sendall(masked(payload))
        answer = came.partition(b"\r\n\r\n")[2]
        while not list(frames(answer)):
            answer += line.recv(65_536)

    assert b" 101 " in came.splitlines()[0]
    assert list(frames(answer)) == [(TEXT, payload, len(answer))]
    assert answer == unmasked(payload)


@pytest.mark.parametrize("size", SIZES[2:])
def test_blank_is_filled_in(size: int) -> None:
    """A prepared frame with a number filled in is the frame of that text, whatever its length."""
    padding = b"x" * (size - DIGITS)

    assert blank(padding + b"%d") % (FIRST + 7) == masked(padding + b"%d" % (FIRST + 7))


@pytest.mark.parametrize("cut", range(len(unmasked(b"y" * 130))))
def test_part_of_a_frame_is_none(cut: int) -> None:
    """Of a frame that has not come whole nothing is given, and the whole one before it is."""
    short, long = unmasked(b"x"), unmasked(b"y" * 130)

    assert list(frames(short + long[:cut])) == [(TEXT, b"x", len(short))]


@pytest.fixture
def ends() -> Iterator[tuple[BlockingConnection, socket.socket]]:
    """A line, and the server's end of it."""
    line = BlockingConnection(0, "A-1", "last_cmd")
    near, far = _pair()
    line.close()
    line.hold(near)
    yield line, far
    line.close()
    far.close()


def _pair() -> tuple[socket.socket, socket.socket]:
    """Two ends of a connection, as TCP has them."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        near = socket.create_connection(listener.getsockname())
        far, _ = listener.accept()
    return near, far


def seat(last: int, rest: str = "") -> bytes:
    return unmasked(b'{"t":"seat","v":1,"last_cmd":%d%b}' % (last, rest.encode()))


@pytest.mark.parametrize(
    ("data", "answered"),
    [
        (seat(FIRST + 3), FIRST + 3),
        (
            seat(
                FIRST + 3, ',"set":{"credit":1,"games":{"A":{"stakes":{"17":100},"staked":100}},"x":"' + "y" * 90 + '"}'
            ),
            FIRST + 3,
        ),
        (seat(FIRST + 3) + seat(FIRST + 4), FIRST + 4),
        (unmasked(b'{"t":"table","tv":1}') + seat(FIRST + 5), FIRST + 5),
        (seat(FIRST + 5) + unmasked(b'{"t":"table","tv":1}'), FIRST + 5),
        (unmasked(b'{"t":"table","tv":1}'), 0),
        (seat(7), 7),
        (seat(7, ',"set":{"credit":123456789}'), 7),
        (unmasked(b"", PONG), 0),
    ],
)
def test_highest_answer_is_heard(ends: tuple[BlockingConnection, socket.socket], data: bytes, answered: int) -> None:
    """The highest command that is answered is found in what came, one frame or several, and nothing where none is."""
    assert ends[0].heard(data) == answered


def test_answer_in_pieces_is_heard_once_it_is_whole(ends: tuple[BlockingConnection, socket.socket]) -> None:
    """An answer that comes in two pieces is heard with the second, and the next one as usual."""
    line, frame = ends[0], seat(FIRST + 1)

    for cut in range(1, len(frame)):
        assert (line.heard(frame[:cut]), line.heard(frame[cut:]), line.rest) == (0, FIRST + 1, b"")
    assert line.heard(seat(FIRST + 2)) == FIRST + 2


def test_refusals_are_kept(ends: tuple[BlockingConnection, socket.socket]) -> None:
    """A command that was refused is noted with its code, also where none before it is answered yet."""
    line = ends[0]
    refused = f',"refused":[{{"id":{FIRST + 2},"code":"busy","says":"no"}}]'

    assert line.heard(seat(FIRST, refused)) == FIRST
    assert (line.turned_down, line.refused) == ([FIRST + 2], [No(FIRST + 2, "busy")])


def test_sign_of_life_is_answered(ends: tuple[BlockingConnection, socket.socket]) -> None:
    """A ping is answered with what it carried."""
    line, far = ends

    assert line.heard(unmasked(b"still there", PING) + seat(FIRST + 1)) == FIRST + 1
    assert far.recv(100) == masked(b"still there", PONG)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "hung up on A-1"),
        (unmasked(b"\x03\xe8enough", CLOSE), "closed the line of A-1: enough"),
        (
            unmasked(b'{"t":"bye","refusal":{"code":"evicted","says":"Another window."}}'),
            "bye: evicted: Another window.",
        ),
        (unmasked(b'{"t":"refused","refusal":{"code":"malformed","says":"What?"}}'), "refused: malformed: What?"),
    ],
)
def test_end_of_a_line_is_a_fault(ends: tuple[BlockingConnection, socket.socket], data: bytes, words: str) -> None:
    """A server that hangs up, closes or turns somebody away ends the measurement, and its words are passed on."""
    with pytest.raises(BenchFault, match=words):
        ends[0].heard(data)
