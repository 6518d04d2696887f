"""Delivery of the pages: a terminal until its felt can be touched, over slow networks; requests, bytes and CPU."""

import asyncio
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import monotonic, sleep, thread_time
from typing import Final, NamedTuple

from playwright.sync_api import Browser, CDPSession, ViewportSize
from tests.support.browser.chromium import chromium, find_browser
from tests.support.browser.houses import PLAIN, house_of
from tests.support.browser.server_thread import ServerThread, server_thread
from tests.support.certificate import self_signed

LOADS: Final = 7
SIZE: Final = ViewportSize(width=1280, height=800)
TLS: Final = 'listen.tls = { certificate = "certificate.pem", key = "key.pem" }\n'
#: The browser trusts the certificate at once. Where a test allows an error of it, the browser connects twice.
TRUSTING: Final = "--ignore-certificate-errors"
#: The initial congestion window of TCP, ten segments; it doubles each round trip.
WINDOW_BYTES: Final = 10 * 1_460
GOALS: Final = {"requests": 6, "compressed, KB": 100, "server CPU, ms": 10}


class Network(NamedTuple):
    """A network between a browser and the server, and the goal over it."""

    round_trip_s: float
    tls: bool
    goal_s: float

    def __str__(self) -> str:
        return f"{self.round_trip_s * 1000:.0f} ms{', TLS' if self.tls else ''}"


NETWORKS: Final = (
    Network(0, tls=False, goal_s=0.5),
    Network(0.04, tls=True, goal_s=1.2),
    Network(0.15, tls=True, goal_s=2.5),
)


def main() -> None:
    path = find_browser()
    if path is None:
        sys.exit("No browser is here: apt-get install chromium")
    print(f"A terminal until its felt can be touched, cold cache, median of {LOADS}")
    with chromium(path, TRUSTING) as browser:
        for network in NETWORKS:
            _report(network, _measured(browser, network))


def _report(network: Network, loads: list["Load"]) -> None:
    ready = median(load.ready_s for load in loads)
    print(f"  {network!s:14}{ready:8.2f} s   goal {network.goal_s}: {'met' if ready <= network.goal_s else 'MISSED'}")
    figures = {
        "requests": max(load.requests for load in loads),
        "compressed, KB": max(load.received for load in loads) / 1000,
        "server CPU, ms": median(load.cpu_s for load in loads) * 1000,
    }
    print(f"    {'page CPU, ms':20}{median(load.page_cpu_s for load in loads) * 1000:8.1f}")
    for name, figure in figures.items():
        print(f"    {name:20}{figure:8.1f}   goal {GOALS[name]}: {'met' if figure <= GOALS[name] else 'MISSED'}")


class Load(NamedTuple):
    """One load of the page, with an empty cache, up to the felt."""

    ready_s: float
    #: Until the felt is there, with the WebSocket. The manifest and the service worker come later.
    requests: int
    #: The bytes of all responses as they are sent, with their headers.
    received: float
    cpu_s: float
    #: The CPU time of the page's main thread. On a busy machine the page takes longer, and this does not.
    page_cpu_s: float


def _measured(browser: Browser, network: Network) -> list[Load]:
    with TemporaryDirectory() as folder:
        self_signed(Path(folder))
        text = (TLS if network.tls else "") + house_of(PLAIN["U"])
        with server_thread(Path(folder), text) as house, _delayed(house, network) as url:
            house.pass_s(7)
            idle = _idle(house)
            return [_load(browser, house, url, idle) for _ in range(LOADS)]


@contextmanager
def _delayed(house: ServerThread, network: Network) -> Iterator[str]:
    """Put a delay between the browser and the server; give the address of the pages."""
    proxy = DelayingProxy(house.open.venue.port, network.round_trip_s)
    thread = threading.Thread(target=proxy.run, name="proxy")
    thread.start()
    proxy.listens.wait()
    origin = f"{'https' if network.tls else 'http'}://localhost:{proxy.port}"
    house.open.venue.server.origins.add(origin)
    yield f"{origin}/"
    proxy.stop()
    thread.join()


async def _cpu() -> float:
    """Return the CPU time of the thread in which this runs."""
    return thread_time()


def _idle(house: ServerThread) -> float:
    """Return the CPU time that the server takes in a second without a page."""
    before, begun = house.run(_cpu()), monotonic()
    sleep(1)
    return (house.run(_cpu()) - before) / (monotonic() - begun)


def _load(browser: Browser, house: ServerThread, url: str, idle: float) -> Load:
    context = browser.new_context(viewport=SIZE, service_workers="block")
    page = context.new_page()
    session = context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    traffic = Traffic(session)
    before, begun = house.run(_cpu()), monotonic()
    page.goto(f"{url}terminal#table=U", wait_until="commit")
    page.locator(".felt [role=option]").first.wait_for(state="attached")
    ready_ms = page.evaluate("() => new Promise((done) => requestAnimationFrame(() => done(performance.now())))")
    cpu = house.run(_cpu()) - before - idle * (monotonic() - begun)
    metrics = {each["name"]: each["value"] for each in session.send("Performance.getMetrics")["metrics"]}
    requests = traffic.requests
    page.wait_for_load_state("networkidle")
    context.close()
    return Load(ready_ms / 1000, requests, traffic.received, cpu, metrics["TaskDuration"])


class Traffic:
    """Counts what a page asks for, and how many bytes come."""

    def __init__(self, session: CDPSession) -> None:
        self.requests, self.received = 0, 0.0
        session.on("Network.requestWillBeSent", self._request)
        session.on("Network.webSocketCreated", self._request)
        session.on("Network.loadingFinished", self._finished)
        session.send("Network.enable")

    def _request(self, event: dict[str, object]) -> None:
        request = event.get("request")
        if not (isinstance(request, dict) and str(request["url"]).startswith("data:")):
            self.requests += 1

    def _finished(self, event: dict[str, float]) -> None:
        self.received += event["encodedDataLength"]


class DelayingProxy:
    """Forwards a port with the delay of a network: a round trip to connect, half of one each way, and slow start."""

    def __init__(self, target: int, round_trip_s: float) -> None:
        self._target, self._round_trip_s = target, round_trip_s
        self.port, self.listens = 0, threading.Event()
        self._connections: set[asyncio.Task[None]] = set()

    def run(self) -> None:
        asyncio.run(self._serve())

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._stopped.set)

    async def _serve(self) -> None:
        self._loop, self._stopped = asyncio.get_running_loop(), asyncio.Event()
        server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.port = int(server.sockets[0].getsockname()[1])
        self.listens.set()
        await self._stopped.wait()
        server.close()
        for each in tuple(self._connections):
            each.cancel()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            await asyncio.sleep(self._round_trip_s)
            upstream, to_server = await asyncio.open_connection("127.0.0.1", self._target)
            await asyncio.gather(self._forward(reader, to_server), self._forward(upstream, writer))
        except (OSError, asyncio.CancelledError):
            writer.transport.abort()
        finally:
            self._connections.discard(task)

    async def _forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Forward each piece half a round trip after it came, and no more than the window in a round trip."""
        pieces: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()
        sender = asyncio.create_task(self._send(pieces, writer))
        while piece := await reader.read(WINDOW_BYTES):
            pieces.put_nowait((self._loop.time() + self._round_trip_s / 2, piece))
        pieces.put_nowait((self._loop.time() + self._round_trip_s / 2, b""))
        await sender

    async def _send(self, pieces: "asyncio.Queue[tuple[float, bytes]]", writer: asyncio.StreamWriter) -> None:
        window, left = WINDOW_BYTES, WINDOW_BYTES
        while True:
            due, piece = await pieces.get()
            await asyncio.sleep(due - self._loop.time())
            if not piece:
                break
            if len(piece) > left and self._round_trip_s:
                await asyncio.sleep(self._round_trip_s)
                window *= 2
                left = window
            left -= len(piece)
            writer.write(piece)
            await writer.drain()
        writer.close()


if __name__ == "__main__":
    main()
