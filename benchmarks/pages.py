"""The player terminal in a browser: its load over slow networks, a tap until its chip is seen, and its frames."""

import asyncio
import gzip
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import cycle, islice, pairwise
from math import sin
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from time import monotonic, sleep, thread_time
from typing import Any, Final, NamedTuple

from playwright.sync_api import Browser, CDPSession, Page, Response, ViewportSize
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


def delivery() -> None:
    path = find_browser()
    if path is None:
        sys.exit("No browser is here: apt-get install chromium-headless-shell")
    print(f"A terminal until its felt can be touched, cold cache, median of {LOADS}")
    with chromium(path, TRUSTING) as browser:
        for network in NETWORKS:
            _report_loads(network, _loaded(browser, network))


def _report_loads(network: Network, loads: list["Load"]) -> None:
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
    #: The CPU time of the page's delivery thread. On a busy machine the page takes longer, and this does not.
    page_cpu_s: float


def _loaded(browser: Browser, network: Network) -> list[Load]:
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


#: How often a page is loaded.
WEIGHED: Final = 5
TAPS: Final = 20
CHIPS: Final = 200
TAP_GOALS: Final = {"tap to chip, frames": 1, "page gzipped, KB": 120}

#: Taps a spot, and tells how many frames were drawn before its chip is there.
_TAP: Final = """(spot) => new Promise((done) => {
  const option = document.querySelector(`.felt [role=option][data-spot="${spot}"]`).getBoundingClientRect();
  const at = { clientX: option.x + option.width / 2, clientY: option.y + option.height / 2, bubbles: true,
               pointerId: 1, isPrimary: true, pointerType: "mouse", button: 0, buttons: 1 };
  const target = document.elementFromPoint(at.clientX, at.clientY);
  const sum = () => document.querySelector(`.cloth .stack[data-spot="${spot}"]`)?.textContent ?? "";
  requestAnimationFrame(() => {
    const before = sum();
    target.dispatchEvent(new PointerEvent("pointerdown", at));
    target.dispatchEvent(new PointerEvent("pointerup", { ...at, buttons: 0 }));
    let frames = 0;
    const look = () => {
      frames += 1;
      if (sum() !== before || frames > 60) done(frames);
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
})"""


def taps() -> None:
    path = find_browser()
    if path is None:
        sys.exit("No browser is here: apt-get install chromium-headless-shell")
    with (
        TemporaryDirectory() as folder,
        chromium(path) as browser,
        server_thread(Path(folder), house_of(PLAIN["U"])) as house,
    ):
        house.pass_s(7)
        figures = {**_loads(browser, house), **_taps(browser, house)}
    print("The terminal at 1280 x 800, drawn in software")
    for name, figure in figures.items():
        goal = TAP_GOALS.get(name)
        verdict = "" if goal is None else f"   goal {goal}: {'met' if figure <= goal else 'MISSED'}"
        print(f"  {name:34}{figure:10.1f}{verdict}")


def _note_responses(page: Page, into: list[Response]) -> None:
    """Note every file that comes."""

    def note(response: Response) -> None:
        into.append(response)

    page.on("response", note)


def _loads(browser: Browser, house: ServerThread) -> dict[str, float]:
    """Open the page anew several times, with nothing kept from before."""
    times, bodies = [], dict[str, bytes]()
    for _ in range(WEIGHED):
        context = browser.new_context(viewport=SIZE)
        page = context.new_page()
        fetched: list[Response] = []
        _note_responses(page, fetched)
        page.goto(f"{house.url}terminal#table=U")
        page.locator(".felt [role=option]").first.wait_for(state="attached")
        times.append(page.evaluate("() => new Promise((done) => requestAnimationFrame(() => done(performance.now())))"))
        page.wait_for_load_state("networkidle")
        bodies |= {response.url.partition("?")[0]: response.body() for response in fetched}
        context.close()
    heavy = {address: len(gzip.compress(body)) for address, body in bodies.items()}
    felt = sum(size for address, size in heavy.items() if "/felt/" in address and "/static/" not in address)
    return {
        "load to a drawn felt, ms": median(times),
        "files": len(heavy),
        "page gzipped, KB": (sum(heavy.values()) - felt) / 1024,
        "felt of the venue gzipped, KB": felt / 1024,
    }


def _taps(browser: Browser, house: ServerThread) -> dict[str, float]:
    """Fill the felt, and tap."""
    context = browser.new_context(viewport=SIZE)
    page = context.new_page()
    page.goto(f"{house.url}terminal#table=U")
    page.locator(".felt [role=option]").first.wait_for(state="attached")
    house.gift(_device(page), 1_000_000)
    _lay(page, house)
    taps: list[int] = [page.evaluate(_TAP, str(number)) for number in range(1, TAPS + 1)]
    context.close()
    return {"chips on the felt": CHIPS, "tap to chip, frames": median(taps)}


def _device(page: Page) -> str:
    kept: dict[str, Any] = page.evaluate("() => JSON.parse(localStorage.getItem('croupier:terminal'))")
    return str(kept["device"])


def _lay(page: Page, house: ServerThread) -> None:
    """Lay a chip on every spot, and second ones until there are enough, and wait until all are seen."""
    device = _device(page)
    spots = page.locator(".felt [role=option]").evaluate_all("(all) => all.map(({ dataset }) => dataset.spot)")
    bets = [(spot, 100) for spot in spots] + [(spot, 100) for spot in spots[: CHIPS - len(spots)]]
    house.lay(device, "U", bets)
    page.wait_for_function(f"() => document.querySelectorAll('.cloth .stack').length >= {len(spots)}")


SIZES: Final = (ViewportSize(width=1280, height=800), ViewportSize(width=1920, height=1080))
TABLE: Final = "M"
POCKET: Final = "17"
#: Faster than a person presses.
CHIPS_PER_S: Final = 10
HOVER_S: Final = 8
#: How long the ball runs before its number counts, and how long landing, return of the wheel and payment take.
RUNS_S, SETTLES_S = 6.0, 12.0
GOAL_MS: Final = 20
#: How often the clock of the house is moved on.
TICK_S: Final = 0.05
MOVES_PER_S: Final = 60
TRACED: Final = (
    "devtools.timeline",
    "disabled-by-default-devtools.timeline",
    "disabled-by-default-devtools.timeline.frame",
)
#: Records the time of every animation frame.
_RECORD: Final = """() => {
  window.frames_seen = [];
  const step = (now) => { window.frames_seen.push(now); window.frame_request = requestAnimationFrame(step); };
  window.frame_request = requestAnimationFrame(step);
}"""
_RECORDED: Final = "() => { cancelAnimationFrame(window.frame_request); return window.frames_seen; }"
#: Where a press means each spot.
_SPOTS: Final = """() => [...document.querySelectorAll(".felt [role=option]")].map((option) => {
  const { x, y, width, height } = option.getBoundingClientRect();
  return [option.dataset.spot, x + width / 2, y + height / 2];
})"""


class Frames(NamedTuple):
    """The intervals between frames in one scene, in milliseconds."""

    #: Between animation frames of the page: its frames thread.
    page: list[float]
    #: Between frames that the compositor drew.
    drawn: list[float]
    #: What the frames thread took longest for: the name of each event, and its longest duration in ms.
    longest: dict[str, float]


def frames() -> None:
    path = find_browser()
    if path is None:
        sys.exit("No browser is here: apt-get install chromium-headless-shell")
    print("The terminal drawn in software: intervals between frames, in ms")
    print(f"  {'':32}{'frames':>8}{'p50':>8}{'p95':>8}{'p99':>8}{'most':>8}{'drawn p95':>12}")
    with chromium(path) as browser:
        for size in SIZES:
            for name, frames in _scenes(browser, size):
                _report_frames(f"{size['width']} x {size['height']}, {name}", frames)


def _report_frames(name: str, frames: Frames) -> None:
    p50, p95, p99 = (quantiles(frames.page, n=100)[cut - 1] for cut in (50, 95, 99))
    drawn = quantiles(frames.drawn, n=100)[94]
    verdict = "met" if p95 <= GOAL_MS else "MISSED"
    figures = f"{len(frames.page):8}{p50:8.1f}{p95:8.1f}{p99:8.1f}{max(frames.page):8.1f}{drawn:12.1f}"
    print(f"  {name:32}{figures}   p95 goal {GOAL_MS}: {verdict}")
    slowest = sorted(frames.longest.items(), key=lambda each: -each[1])[:4]
    print("    longest events: " + ", ".join(f"{event} {took:.0f} ms" for event, took in slowest))


def _scenes(browser: Browser, size: ViewportSize) -> Iterator[tuple[str, Frames]]:
    with TemporaryDirectory() as folder, server_thread(Path(folder), house_of(PLAIN[TABLE])) as house:
        house.pass_s(7)
        context = browser.new_context(viewport=size)
        page = context.new_page()
        session = context.new_cdp_session(page)
        with _running(house):
            page.goto(f"{house.url}terminal#table={TABLE}")
            page.locator(".felt [role=option]").first.wait_for(state="attached")
            house.gift(_device(page), 10_000_000)
            # The deferred scripts and the service worker are loaded two seconds after the page has connected.
            page.wait_for_timeout(5_000)
            yield "hovering", _recorded(page, session, lambda: _hover(page))
            yield f"placing {CHIPS} chips", _recorded(page, session, lambda: _place(page))
            yield "spin", _recorded(page, session, lambda: _spin(page, house))
        context.close()


@contextmanager
def _running(house: ServerThread) -> Iterator[None]:
    """Have the clock of the house go on as the real one does."""
    stop = threading.Event()

    def run() -> None:
        then = monotonic()
        while not stop.wait(TICK_S):
            now = monotonic()
            house.pass_s(now - then)
            then = now

    thread = threading.Thread(target=run, name="clock")
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def _recorded(page: Page, session: CDPSession, scene: Callable[[], None]) -> Frames:
    """Play a scene while its frames are recorded."""
    events: list[dict[str, Any]] = []
    session.on("Tracing.dataCollected", lambda data: events.extend(data["value"]))
    session.send("Tracing.start", {"categories": ",".join(TRACED), "transferMode": "ReportEvents"})
    page.evaluate(_RECORD)
    scene()
    seen: list[float] = page.evaluate(_RECORDED)
    _end_tracing(session, page)
    drawn = sorted(event["ts"] / 1000 for event in events if event["name"] == "DrawFrame")
    longest: dict[str, float] = {}
    for event in events:
        if event.get("ph") == "X" and event["name"] not in WRAPPERS:
            longest[event["name"]] = max(longest.get(event["name"], 0), event.get("dur", 0) / 1000)
    return Frames([b - a for a, b in pairwise(seen)], [b - a for a, b in pairwise(drawn)], longest)


#: Events that contain others.
WRAPPERS: Final = ("RunTask", "TaskDuration", "ThreadControllerImpl::RunTask")


def _end_tracing(session: CDPSession, page: Page) -> None:
    done: list[object] = []
    session.on("Tracing.tracingComplete", lambda event: done.append(event))  # noqa: PLW0108 - it takes no built-in
    session.send("Tracing.end")
    while not done:
        page.wait_for_timeout(50)


def _hover(page: Page) -> None:
    """Move the mouse over the whole felt."""
    area = page.locator(".felt .cloth").bounding_box()
    assert area is not None
    begun = monotonic()
    while (at := monotonic() - begun) < HOVER_S:
        x = area["x"] + area["width"] * (0.5 + 0.48 * sin(at * 1.7))
        y = area["y"] + area["height"] * (0.5 + 0.48 * sin(at * 2.3))
        page.mouse.move(x, y)
        page.wait_for_timeout(1000 / MOVES_PER_S)


def _place(page: Page) -> None:
    """Press spots until there are enough chips."""
    begun = monotonic()
    for place, (_, x, y) in enumerate(islice(cycle(page.evaluate(_SPOTS)), CHIPS), 1):
        page.mouse.click(x, y)
        page.wait_for_timeout(max(0, begun + place / CHIPS_PER_S - monotonic()) * 1000)


def _spin(page: Page, house: ServerThread) -> None:
    """Close betting, and play the spin until it is paid."""
    if not house.launches_first(TABLE):
        house.pass_s(3_000)
    house.launch(TABLE)
    page.wait_for_timeout(RUNS_S * 1000)
    house.land(TABLE, POCKET)
    page.wait_for_timeout(SETTLES_S * 1000)


if __name__ == "__main__":
    delivery()
    taps()
    frames()
