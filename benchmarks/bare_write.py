"""The bare write: one prepared frame to every socket with os.write and nothing else. No broadcast can be quicker."""

import argparse
import os
import select
import socket
from base64 import b64encode
from collections.abc import Iterator
from hashlib import sha1
from typing import Final

from croupier.client.blocking import TEXT, unmasked

#: RFC 6455: what a server's proof of the handshake is made with.
_GUID: Final = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
BACKLOG: Final = 4096
_MOST: Final = 1 << 16


def message(size: int) -> bytes:
    """A message of a size, as everybody gets it."""
    return b'{"t":"table"' + b" " * (size - 13) + b"}"


def serve(size: int) -> None:
    """Let everybody in, and write to all of them whenever anybody says anything."""
    frame = unmasked(message(size))
    listener = socket.create_server(("127.0.0.1", 0), backlog=BACKLOG)
    print("{}:{}".format(*listener.getsockname()), flush=True)
    inside: dict[int, socket.socket] = {}
    for fd in _spoken(listener, inside):
        assert fd in inside
        for other in inside:
            os.write(other, frame)


def _spoken(listener: socket.socket, inside: dict[int, socket.socket]) -> Iterator[int]:
    """Keep the door, and give whoever of those inside says something."""
    poll, coming = select.epoll(), {}
    poll.register(listener.fileno(), select.EPOLLIN)
    while True:
        for fd, _ in poll.poll():
            if fd == listener.fileno():
                newcomer, _ = listener.accept()
                coming[newcomer.fileno()] = newcomer
                poll.register(newcomer.fileno(), select.EPOLLIN)
                continue
            data = _heard(coming.get(fd) or inside[fd])
            if not data:
                _leave(poll, fd, coming, inside)
            elif fd in coming:
                os.write(fd, _accepted(data))
                inside[fd] = coming.pop(fd)
            elif data[0] == TEXT:
                yield fd


def _heard(line: socket.socket) -> bytes:
    """Read what came; nothing where the line was cut off."""
    try:
        return line.recv(_MOST)
    except ConnectionResetError:
        return b""


def _leave(poll: select.epoll, fd: int, *rooms: dict[int, socket.socket]) -> None:
    poll.unregister(fd)
    for room in rooms:
        gone = room.pop(fd, None)
        if gone is not None:
            gone.close()


def _accepted(request: bytes) -> bytes:
    key = next(line.partition(b":")[2].strip() for line in request.split(b"\r\n") if b"ebSocket-Key" in line)
    proof = b64encode(sha1(key + _GUID, usedforsecurity=False).digest())
    return (
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Accept: " + proof + b"\r\n\r\n"
    )


if __name__ == "__main__":
    arguments = argparse.ArgumentParser()
    arguments.add_argument("size", type=int)
    serve(arguments.parse_args().size)
