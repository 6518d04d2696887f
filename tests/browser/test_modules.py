"""The pages in a real browser: connection and consoles pass the checks in tests/browser/modules."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import SimpleQueue

import msgspec
import pytest
from playwright.sync_api import Browser

from croupier.server.http import SAFE, HttpResponse
from croupier.server.views.felt import felt_data
from tests.support.site import Fetched
from tests.support.wire.samples import FELT, REPORTED
from tests.support.wire.staff import FLOOR

pytestmark = pytest.mark.untraced

CHECKS = Path(__file__).parent / "modules"
PAGE = (
    '<!doctype html><html lang="en"><title>Checks</title><link rel="icon" href="data:,">'
    '<script type="module" src="checks/checks.js?v={}"></script>'
)
VENUE = Fetched("skycity-adelaide-2003")
OUTCOMES: SimpleQueue[bytes] = SimpleQueue()
#: How long a browser may take to run every check, in seconds.
PATIENCE = 60


def samples() -> bytes:
    """Every message to a client, by its kind, with an existing felt."""
    reported: dict[str, object] = {str(each.__struct_config__.tag): each for each in REPORTED}
    written = msgspec.json.encode({**reported, "floors": FLOOR})
    return written.replace(FELT.encode(), felt_data(VENUE.book).hash.encode())


def respond(target: str) -> HttpResponse:
    """Serve the checks beside the site itself, under the same policy."""
    path = target.partition("?")[0]
    if path == "/checks":
        type_, body = "text/html", PAGE.format(VENUE.site.assets.version).encode()
    elif path == "/checks/samples.json":
        type_, body = "application/json", samples()
    elif path.startswith("/checks/"):
        type_, body = "text/javascript", (CHECKS / Path(path).name).read_bytes()
    else:
        return VENUE.get(target)
    return HttpResponse(200, (("Content-Type", type_), *SAFE), body)


class Desk(BaseHTTPRequestHandler):
    """Answers a request by the site."""

    def do_GET(self) -> None:
        response = respond(self.path)
        self.send_response(response.status)
        for name, value in response.headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(response.body)))
        self.end_headers()
        self.wfile.write(response.body)

    def do_POST(self) -> None:
        """Take what came of the checks."""
        OUTCOMES.put(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(204)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as the server names it
        """Say nothing."""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Where the site and its checks are served."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Desk) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture(scope="module")
def outcome(browser: Browser, address: str) -> dict[str, dict[str, str]]:
    """What came of every check, by its group."""
    with browser.new_page() as page:
        page.goto(f"{address}checks")
        outcome: dict[str, dict[str, str]] = json.loads(OUTCOMES.get(timeout=PATIENCE))
    return outcome


@pytest.mark.parametrize(
    ("group", "least"),
    [("words", 7), ("connection", 7), ("sign-on", 4), ("console", 10), ("page", 1)],
)
def test_checks_pass_in_a_browser(outcome: dict[str, dict[str, str]], group: str, least: int) -> None:
    """All checks of a group pass, and none of them was left out."""
    assert {name: said for name, said in outcome[group].items() if said != "passed"} == {}
    assert len(outcome[group]) >= least
