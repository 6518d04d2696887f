"""Frames of the client: another implementation reads them, and the load client parses what a server sends."""

import socket
from collections.abc import Iterator

import pytest
from benchmarks.frames import CLOSE, FINAL, PING, PONG, TEXT, client_frame, server_frame, server_frames, upgrade_request
from benchmarks.load_client import DIGITS, FIRST, LoadConnection, RefusedCommand, frame_template
from benchmarks.machine import BenchmarkError, Cores, Server, running

#: Around every bound of the encoded length, and one whose length has a percent sign in it.
SIZES = (0, 1, 125, 126, 0x125, 65_535, 65_536, 100_000)


@pytest.fixture(scope="module")
def echo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """An echo server on picows."""
    log = tmp_path_factory.mktemp("echo") / "log"
    with running("benchmarks.peers", "echo", output=log, cores=Cores.here()) as server:
        yield server


@pytest.mark.parametrize("size", SIZES)
def test_picows_echoes_a_frame(echo: Server, size: int) -> None:
    """Picows reads the frames that are built here with a mask of zeros, and its own are parsed here."""
    payload = bytes(ord("a") + place % 26 for place in range(size))
    with socket.create_connection(echo.address) as connection:
        connection.sendall(upgrade_request("{}:{}".format(*echo.address), None))
        head = b""
        while b"\r\n\r\n" not in head:
            head += connection.recv(4096)
        connection.sendall(client_frame(payload))
        echoed = head.partition(b"\r\n\r\n")[2]
        while not list(server_frames(echoed)):
            echoed += connection.recv(65_536)

    assert b" 101 " in head.splitlines()[0]
    assert list(server_frames(echoed)) == [(FINAL | TEXT, payload, len(echoed))]
    assert echoed == server_frame(payload)


@pytest.mark.parametrize("size", SIZES[2:])
def test_template_is_filled_in(size: int) -> None:
    """A template with an id filled in is the frame of that text, whatever its length."""
    padding = b"x" * (size - DIGITS)

    assert frame_template(padding + b"%d") % (FIRST + 7) == client_frame(padding + b"%d" % (FIRST + 7))


@pytest.mark.parametrize("cut", range(len(server_frame(b"y" * 130))))
def test_part_of_a_frame_is_none(cut: int) -> None:
    """A frame of which a part is missing is not parsed, and the whole one before it is."""
    short, long = server_frame(b"x"), server_frame(b"y" * 130)

    assert list(server_frames(short + long[:cut])) == [(FINAL | TEXT, b"x", len(short))]


@pytest.fixture
def ends() -> Iterator[tuple[LoadConnection, socket.socket]]:
    """A connection, and the server's end of it."""
    connection = LoadConnection(0, "A-1", "last_cmd")
    near, far = _pair()
    connection.close()
    connection.attach(near)
    yield connection, far
    connection.close()
    far.close()


def _pair() -> tuple[socket.socket, socket.socket]:
    """Two ends of a connection, as TCP has them."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        near = socket.create_connection(listener.getsockname())
        far, _ = listener.accept()
    return near, far


def seat(last: int, rest: str = "") -> bytes:
    return server_frame(b'{"t":"seat","v":1,"last_cmd":%d%b}' % (last, rest.encode()))


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
        (server_frame(b'{"t":"table","tv":1}') + seat(FIRST + 5), FIRST + 5),
        (seat(FIRST + 5) + server_frame(b'{"t":"table","tv":1}'), FIRST + 5),
        (server_frame(b'{"t":"table","tv":1}'), 0),
        (seat(7), 7),
        (seat(7, ',"set":{"credit":123456789}'), 7),
        (server_frame(b"", PONG), 0),
    ],
)
def test_highest_answered_id_is_found(ends: tuple[LoadConnection, socket.socket], data: bytes, answered: int) -> None:
    """The highest id that is answered is found in one frame or several; 0 if there is none."""
    assert ends[0].highest_answered(data) == answered


def test_response_in_parts_is_read_once_it_is_whole(ends: tuple[LoadConnection, socket.socket]) -> None:
    """A response that arrives in two parts is read with the second, and the next one as usual."""
    read, frame = ends[0].highest_answered, seat(FIRST + 1)

    for cut in range(1, len(frame)):
        assert (read(frame[:cut]), read(frame[cut:]), ends[0].rest) == (0, FIRST + 1, b"")
    assert read(seat(FIRST + 2)) == FIRST + 2


def test_refusals_are_noted(ends: tuple[LoadConnection, socket.socket]) -> None:
    """A refused command is noted with its code, even if none before it is answered yet."""
    connection = ends[0]
    refused = f',"refused":[{{"id":{FIRST + 2},"code":"busy","says":"no"}}]'

    assert connection.highest_answered(seat(FIRST, refused)) == FIRST
    assert (connection.refused_ids, connection.refused) == ([FIRST + 2], [RefusedCommand(FIRST + 2, "busy")])


def test_ping_is_answered(ends: tuple[LoadConnection, socket.socket]) -> None:
    """A ping is answered with its own payload."""
    connection, far = ends

    assert connection.highest_answered(server_frame(b"still there", PING) + seat(FIRST + 1)) == FIRST + 1
    assert far.recv(100) == client_frame(b"still there", PONG)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "closed the connection of A-1"),
        (server_frame(b"\x03\xe8enough", CLOSE), "closed the connection of A-1: enough"),
        (
            server_frame(b'{"t":"bye","refusal":{"code":"evicted","says":"Another window."}}'),
            "bye: evicted: Another window.",
        ),
        (server_frame(b'{"t":"refused","refusal":{"code":"malformed","says":"What?"}}'), "refused: malformed: What?"),
    ],
)
def test_end_of_a_connection_is_an_error(ends: tuple[LoadConnection, socket.socket], data: bytes, words: str) -> None:
    """A server that closes a connection or turns a client away ends the measurement, and its reason is passed on."""
    with pytest.raises(BenchmarkError, match=words):
        ends[0].highest_answered(data)
