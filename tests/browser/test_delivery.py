"""Delivery in the browser: pages joined and apart are the same, and a page that was opened starts without a network."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, Route

from croupier.house.ids import DeviceKind
from croupier.server.assets import FONT, SHEETS, Modules, own_assets
from tests.support.browser.houses import EVERY, PLAIN, house_of
from tests.support.browser.proxy import Proxy
from tests.support.browser.seat import Seat
from tests.support.browser.shared_house import Opens
from tests.support.modules import MODULES, name_of

#: Every module that can be imported: a service worker is none.
NAMES = [name_of(path) for path in MODULES if name_of(path) != "shared/service_worker.js"]
#: What two forms of a module export: the kind of each name, and what plain values are.
COMPARE = """async (paths) => {
  // A bundle that has deferred modules also exports what they share with it.
  const own = (module) => Object.keys(module).filter((name) => !name.startsWith("$")).sort();
  const shape = (module) => Object.fromEntries(own(module).map((name) => {
    const value = module[name];
    return [name, typeof value === "function" ? [value.name, value.length] : JSON.stringify(value) ?? String(value)];
  }));
  const found = {};
  for (const path of paths) {
    const [apart, joined] = await Promise.all([import(`/static/${path}`), import(`/joined/${path}`)]);
    found[path] = [shape(apart), shape(joined)];
  }
  return found;
}"""
#: A page's markup without what names its own device.
MARKUP = """(device) => {
  const main = document.querySelector("main").cloneNode(true);
  return main.outerHTML.replaceAll(device, "DEVICE");
}"""
#: How wide each figure of a meter is.
FIGURE_WIDTHS = """() => {
  const meter = document.querySelector(".meters dd");
  const [node, range] = [document.createElement("span"), document.createRange()];
  meter.append(node);
  const widths = [..."0123456789"].map((figure) => {
    node.textContent = figure.repeat(20);
    range.selectNodeContents(node);
    return range.getBoundingClientRect().width / 20;
  });
  node.remove();
  return widths;
}"""
#: How long a lost connection takes to be told, and to be tried again.
LOST_S = 1
#: How long a page takes to have itself stored.
STORED_S = 3
AGAIN_S = 6
REQUESTS_MOST = 6
BYTES_MOST = 130_000
LATIN = ("en", "fr", "ms")


def test_every_module_exports_the_same_in_a_bundle(opens: Opens) -> None:
    """Joined with all that it imports, a module exports the names, functions and values that it exports apart."""
    harness = opens(house_of(PLAIN["U"]))
    sources = {name_of(path): path.read_text("utf-8") for path in MODULES}
    modules, version = Modules(sources), own_assets().version

    def joined(route: Route) -> None:
        path = route.request.url.partition(f"/joined/{version}/")[2]
        # A bundle lies in the root: here it does not, but no module asks for its address when it is evaluated.
        route.fulfill(body=modules.bundle(path), content_type="text/javascript")

    page = harness.context().new_page()
    page.route("**/joined/**", joined)
    # Here no module finds its page, so that none starts.
    page.goto(f"{harness.house.url}lobby.json")
    found = page.evaluate(COMPARE, [f"{version}/{name}" for name in NAMES])

    assert {path for path, (apart, in_bundle) in found.items() if apart != in_bundle} == set()
    assert sum(len(apart) for apart, _ in found.values()) > 300


@pytest.mark.parametrize("kind", DeviceKind)
def test_page_loads_few_files(opens: Opens, kind: DeviceKind) -> None:
    """A page loads one script and one style sheet; with ?modules it loads every module apart."""
    harness = opens(EVERY)

    def files(address: str) -> list[str]:
        page = harness.context().new_page()
        fetched: list[str] = []
        page.on("request", lambda request: fetched.append(request.url))
        page.goto(harness.house.url + address, wait_until="networkidle")
        return [re.sub(r".*/static/\w+/", "", url) for url in fetched if "/static/" in url]

    joined, apart = files(kind.value), files(f"{kind.value}?modules")

    assert sorted(joined) == sorted([f"{kind.value}.js", FONT, SHEETS[kind]])
    assert f"{kind.value}/{kind.value}.js" in apart
    assert len(apart) > 10


@pytest.mark.parametrize(
    "address",
    ["", *(kind.value for kind in DeviceKind), "trainer", *(f"{page}#table=A" for page in ("terminal", "board"))],
)
def test_page_is_small(opens: Opens, address: str) -> None:
    """A page is ready after at most 6 requests and 130 KB, compressed and with all headers."""
    harness = opens(EVERY)
    harness.reach("A", "open")
    context = harness.context()
    page = context.new_page()
    session = context.new_cdp_session(page)
    asked: set[str] = set()
    received: dict[str, float] = {}

    def note(event: dict[str, Any]) -> None:
        if not event.get("request", {}).get("url", "").startswith("data:"):
            asked.add(event["requestId"])

    session.on("Network.requestWillBeSent", note)
    session.on("Network.webSocketCreated", note)
    session.on("Network.loadingFinished", lambda each: received.update({each["requestId"]: each["encodedDataLength"]}))
    session.send("Network.enable")
    page.goto(harness.house.url + address, wait_until="networkidle")

    assert 3 <= len(asked) <= REQUESTS_MOST
    assert 3_000 < sum(received.values()) < BYTES_MOST


@pytest.mark.parametrize("lang", [*LATIN, "zh-Hans", "ar"])
def test_text_is_in_our_type(opens: Opens, lang: str) -> None:
    """Latin is written in Manrope, with figures of one width; Chinese and Arabic in a font of the system."""
    harness = opens(house_of(PLAIN["U"]))
    seat = harness.seat("U", lang=lang)
    seat.page.evaluate("() => document.fonts.ready")
    session = seat.page.context.new_cdp_session(seat.page)
    session.send("DOM.enable")
    session.send("CSS.enable")
    root = session.send("DOM.getDocument")["root"]["nodeId"]

    def fonts(selector: str) -> set[str]:
        node = session.send("DOM.querySelector", {"nodeId": root, "selector": selector})["nodeId"]
        return {
            each["familyName"].split()[0]
            for each in session.send("CSS.getPlatformFontsForNode", {"nodeId": node})["fonts"]
        }

    assert fonts(".meters dd") == {"Manrope"}
    assert (fonts("[data-act=undo] span") == {"Manrope"}) is (lang in LATIN)
    widths = seat.page.evaluate(FIGURE_WIDTHS)
    assert len(widths) == 10
    assert max(widths) - min(widths) < 0.01


def test_terminal_connects_before_its_script(opens: Opens) -> None:
    """The document of a terminal opens the WebSocket, and its script uses that one and opens no other."""
    harness = opens(house_of(PLAIN["U"]))
    harness.reach("U", "open")
    page = harness.context().new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    sockets: list[str] = []
    page.on("websocket", lambda socket: sockets.append(socket.url))
    before: list[int] = []

    def late(route: Route) -> None:
        # The script comes when the document has connected.
        page.wait_for_function("() => globalThis.earlySocket.readyState === 1")
        before.append(len(sockets))
        route.continue_()

    page.route("**/terminal.js", late)
    page.goto(f"{harness.house.url}terminal#table=U&lang=en")
    page.locator(".felt [role=option]").first.wait_for(state="attached")

    assert before == [1]
    assert len(sockets) == 1
    assert sum("/felt/" in url for url in asked) == 1


def test_terminal_runs_the_same_joined_and_apart(opens: Opens) -> None:
    """A terminal of joined modules shows and does what one of modules apart does: the same chips, the same markup."""
    harness = opens(house_of(PLAIN["U"]))
    harness.reach("U", "open")
    shown = []
    for address in ("terminal#table=U&lang=en", "terminal?modules#table=U&lang=en"):
        screen = harness.screen(address)
        harness.house.gift(screen.device, 100_000)
        screen.settle()
        Seat(screen, "U").tap("17")
        assert harness.house.bets(screen.device, "U") == {"17": 100}
        shown.append(screen.ask(MARKUP, screen.device))

    assert shown[0] == shown[1]


def test_terminal_starts_without_a_network(opens: Opens) -> None:
    """A terminal that was opened once starts while the network is down, says that it reconnects, and then plays."""
    harness = opens(house_of(PLAIN["U"]))
    harness.reach("U", "open")
    line = harness.line()
    context = harness.context(service_workers="allow")
    screen = harness.screen("terminal#table=U&lang=en", context, line)
    page = screen.page
    screen.pass_s(STORED_S)
    _wait_for_worker(page)
    screen.console.may_be_cut = True
    harness.house.run(line.cut())
    page.reload()
    screen.pass_s(LOST_S)

    page.locator(".overlay").get_by_text("Connecting", exact=False).wait_for()
    harness.house.run(Proxy.mend(line))
    screen.pass_s(AGAIN_S)
    page.wait_for_function("() => stage.is_in")
    assert screen.settle()
    page.locator(".felt [role=option]").first.wait_for(state="attached")


def _wait_for_worker(page: Page) -> None:
    """Wait until the service worker has stored the page and controls it."""
    page.evaluate("() => navigator.serviceWorker.ready")
    page.wait_for_function("() => navigator.serviceWorker.controller !== null")
    assert page.evaluate("() => caches.match(new URL('terminal', location)).then(Boolean)")
