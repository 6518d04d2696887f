"""The echo server: picows and uvloop return every text, without decoding, validation or a commit."""

import uvloop
from picows import WSFrame, WSListener, WSMsgType, WSTransport, WSUpgradeRequest, ws_create_server

#: As many connections may wait to be accepted as the kernel allows.
BACKLOG = 4096


class Echo(WSListener):
    """Returns every text."""

    def on_ws_frame(self, transport: WSTransport, frame: WSFrame) -> None:
        if frame.msg_type == WSMsgType.TEXT:
            transport.send(WSMsgType.TEXT, frame.get_payload_as_memoryview())


def _listener(_request: WSUpgradeRequest) -> WSListener:
    return Echo()


async def serve() -> None:
    """Print the address, and echo until the process is stopped."""
    server = await ws_create_server(_listener, "127.0.0.1", 0, backlog=BACKLOG)
    host, port = server.sockets[0].getsockname()
    print(f"{host}:{port}", flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    uvloop.run(serve())
