"""What Croupier is compared with: an echo server on the same libraries, and a bare write to every socket."""

import argparse
import os
import select
import socket
from base64 import b64encode
from collections.abc import Iterator
from hashlib import sha1
from typing import Final

import uvloop
from picows import WSFrame, WSListener, WSMsgType, WSTransport, WSUpgradeRequest, ws_create_server

from benchmarks.frames import FINAL, TEXT, server_frame

#: As many connections may wait to be accepted as the kernel allows.
BACKLOG: Final = 4096


class Echo(WSListener):
    """Returns every text."""

    def on_ws_frame(self, transport: WSTransport, frame: WSFrame) -> None:
        if frame.msg_type == WSMsgType.TEXT:
            transport.send(WSMsgType.TEXT, frame.get_payload_as_memoryview())


def _listener(_request: WSUpgradeRequest) -> WSListener:
    return Echo()


async def serve_echo() -> None:
    """Print the address, and echo until the process is stopped."""
    server = await ws_create_server(_listener, "127.0.0.1", 0, backlog=BACKLOG)
    host, port = server.sockets[0].getsockname()
    print(f"{host}:{port}", flush=True)
    await server.serve_forever()


#: RFC 6455: the constant from which a server computes its handshake key.
_GUID: Final = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
_MOST: Final = 1 << 16


def message(size: int) -> bytes:
    """Build a message of a size."""
    return b'{"t":"table"' + b" " * (size - 13) + b"}"


def serve_bare_write(size: int) -> None:
    """Accept every connection, and write to all of them whenever one sends anything."""
    frame = server_frame(message(size))
    listener = socket.create_server(("127.0.0.1", 0), backlog=BACKLOG)
    print("{}:{}".format(*listener.getsockname()), flush=True)
    connections: dict[int, socket.socket] = {}
    for fd in _senders(listener, connections):
        assert fd in connections
        for other in connections:
            os.write(other, frame)


def _senders(listener: socket.socket, connections: dict[int, socket.socket]) -> Iterator[int]:
    """Accept connections, and yield the descriptor of each that sends something."""
    poll, pending = select.epoll(), {}
    poll.register(listener.fileno(), select.EPOLLIN)
    while True:
        for fd, _ in poll.poll():
            if fd == listener.fileno():
                accepted, _ = listener.accept()
                pending[accepted.fileno()] = accepted
                poll.register(accepted.fileno(), select.EPOLLIN)
                continue
            data = _received(pending.get(fd) or connections[fd])
            if not data:
                _close(poll, fd, pending, connections)
            elif fd in pending:
                os.write(fd, _upgraded(data))
                connections[fd] = pending.pop(fd)
            elif data[0] == FINAL | TEXT:
                yield fd


def _received(connection: socket.socket) -> bytes:
    """Read from a connection; empty if it was reset."""
    try:
        return connection.recv(_MOST)
    except ConnectionResetError:
        return b""


def _close(poll: select.epoll, fd: int, *groups: dict[int, socket.socket]) -> None:
    poll.unregister(fd)
    for group in groups:
        closed = group.pop(fd, None)
        if closed is not None:
            closed.close()


def _upgraded(request: bytes) -> bytes:
    key = next(line.partition(b":")[2].strip() for line in request.split(b"\r\n") if b"ebSocket-Key" in line)
    proof = b64encode(sha1(key + _GUID, usedforsecurity=False).digest())
    return (
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Accept: " + proof + b"\r\n\r\n"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("peer", choices=["echo", "write"])
    parser.add_argument("size", type=int, nargs="?", default=0, help="of a message to write")
    arguments = parser.parse_args()
    if arguments.peer == "echo":
        uvloop.run(serve_echo())
    else:
        serve_bare_write(arguments.size)
