"""A screen: one page of the house in the browser, with its console watched and its time in the test's hand."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import BrowserContext, CDPSession, ConsoleMessage, Locator, Page

from tests.support.browser import coverage
from tests.support.browser.server_thread import ServerThread

#: A point of a page, in px from its left and from its top.
Place = tuple[float, float]
_HAND: Final = Path(__file__).with_name("hand.js").read_text("utf-8")
#: What a browser itself says of a line that was cut, in a test that cuts it.
_CUT: Final = re.compile(
    r"WebSocket connection to .* failed|ERR_CONNECTION|ERR_EMPTY_RESPONSE|ERR_SOCKET"
    # The browser could not look whether there is a new service worker.
    r"|error occurred when fetching the script"
)


class Console:
    """What a page complains of: a test in which it does fails."""

    def __init__(self, page: Page) -> None:
        self.complaints: list[str] = []
        #: Whether the test has cut its line, of which a browser may complain.
        self.may_be_cut = False
        page.on("console", self._received)
        page.on("pageerror", lambda fault: self.complaints.append(f"{fault.name}: {fault.message}\n{fault.stack}"))

    def _received(self, message: ConsoleMessage) -> None:
        if message.type == "error" and not (self.may_be_cut and _CUT.search(message.text)):
            self.complaints.append(f"{message.text} ({message.location.get('url')})")


#: How long a page may take: a busy machine takes seconds, and a test that passes does not wait for it.
PATIENCE_MS: Final = 60_000


@dataclass
class Screen:
    """A page, and the house behind it."""

    page: Page
    server: ServerThread
    #: Where its address begins: the house itself, or a line to it.
    url: str
    console: Console
    #: Whether nothing comes through, so that nothing is waited for.
    is_held: bool = False
    _input: CDPSession | None = None
    _watch: CDPSession | None = None

    def go(self, address: str) -> None:
        self.page.goto(self.url + address)
        self.page.wait_for_function("() => stage.is_in")
        self.settle()

    @property
    def device(self) -> str:
        """Under which name the house knows it."""
        return str(self.page.evaluate("() => stage.device"))

    def pass_s(self, seconds: float) -> None:
        """Let time pass on this page alone; what it says meanwhile is answered, where anything comes through."""
        answered = "" if self.is_held else ".then(stage.heard)"
        self.page.evaluate(f"(ms) => stage.pass(ms){answered}", seconds * 1000)

    def settle(self) -> bool:
        """Wait until what was asked is answered, and what was answered is drawn; tell whether there is a line."""
        if self.is_held:
            self.page.evaluate("stage.drawn()")
            return False
        self.page.evaluate("stage.heard()")
        self.server.rest()
        return bool(self.page.evaluate("stage.settled()"))

    def end(self) -> None:
        """Write what ran on the page, where that is measured."""
        if not self.page.is_closed():
            coverage.write(self._watch)

    def wait_until_down(self) -> None:
        """Wait until the page has noticed that its line is cut."""
        self.page.wait_for_function("() => stage.is_down")

    def click(self, place: Place) -> None:
        """Click somewhere, without a way there: a pointer that is moved waits for every frame."""
        across, down = place
        mouse = {"x": across, "y": down, "button": "left", "clickCount": 1}
        self._input = self._input or self.page.context.new_cdp_session(self.page)
        self._input.send("Input.dispatchMouseEvent", {"type": "mousePressed", **mouse})
        self._input.send("Input.dispatchMouseEvent", {"type": "mouseReleased", **mouse})

    # What is on it.

    def button(self, name: str | re.Pattern[str], *, exact: bool = True) -> Locator:
        return self.page.get_by_role("button", name=name, exact=exact)

    def press(self, name: str | re.Pattern[str]) -> None:
        """Press a button, and wait for what comes of it."""
        self.button(name).click()
        self.settle()

    def ask(self, script: str, *given: Any) -> Any:  # noqa: ANN401 - whatever the page has
        """Ask the page itself something."""
        return self.page.evaluate(script, *given)


def screen_in(context: BrowserContext, server: ServerThread, url: str | None = None) -> Screen:
    """Open a page whose time is in the test's hand."""
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.add_init_script(_HAND.replace("{begins_ms}", str(server.now_us // 1000)))
    return Screen(page, server, url or server.url, Console(page), _watch=coverage.watched(page))
