"""The tutorial, walked through as it is written: its commands, its pages and its buttons in their order."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest
from playwright.sync_api import Browser, Locator, Page
from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from tests.project.test_docs import output_pattern, shown_commands

pytestmark = pytest.mark.untraced

ROOT: Final = Path(__file__).parent.parent.parent
TUTORIAL: Final = ROOT / "docs" / "tutorial.md"
PORT: Final = "8443"
#: How long anything that a reader waits for may take; a spin of the emulated wheel takes 26 s.
PATIENCE_S: Final = 60
#: A command that does not end: a newcomer leaves it in its terminal.
ENDLESS: Final = re.compile(r"croupier serve|croupier \w+ emulate ")
#: The button that has a label in the topmost dialog, or in the page: its first line, its name, or its beginning.
FIND: Final = """(label) => {
  const dialogs = [...document.querySelectorAll("dialog[open]")];
  const inside = [...(dialogs.at(-1) ?? document).querySelectorAll("button")];
  const buttons = inside.filter((one) => one.checkVisibility() && !one.disabled);
  const begins = (one) => one.innerText.trim().split("\\n")[0].trim();
  return buttons.find((one) => begins(one) === label || one.getAttribute("aria-label") === label)
    ?? buttons.find((one) => begins(one).startsWith(label)) ?? null;
}"""
PLACES: Final = """(options) => Object.fromEntries(options.map((one) => {
  const { left, top, width, height } = one.getBoundingClientRect();
  return [one.dataset.spot, [left + width / 2, top + height / 2]];
}))"""
#: The name that a screen reader says for a sign that the page shows.
MINUS: Final = "\N{MINUS SIGN}"
SIGNS: Final = {MINUS: "Take one off"}
TOUCHES: Final = ("17", "17", "17/20", "red", "red", "red", "red", "red")
FLOAT: Final = {"v10000": "20", "v2500": "40", "v500": "100", "v100": "100"}
LEFT: Final = {"v10000": "19", "v2500": "39", "v500": "99", "v100": "98"}


class Newcomer:
    """Runs the commands of the tutorial in their order, and presses its buttons."""

    def __init__(self, folder: Path, browser: Browser) -> None:
        self.commands = iter(shown_commands(TUTORIAL))
        self.folder, self.home, self.browser = ROOT, folder, browser
        self.environment = {**os.environ, "HOME": str(folder), "COLUMNS": "100", "PYTHONUNBUFFERED": "1"}
        self.environment["PATH"] = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = str(free.getsockname()[1])
        self.running: dict[str, subprocess.Popen[bytes]] = {}
        self.printed: dict[str, Path] = {}
        self.keys: dict[str, str] = {}
        self.codes: dict[str, str] = {}
        self.pressed = set[str]()

    # Commands.

    def run(self, count: int) -> str:
        """Run the next commands of the page, and compare what each prints with what the page shows."""
        said = ""
        for _ in range(count):
            command, expected = next(self.commands)
            if command.startswith("cd "):
                self.folder = Path(command.removeprefix("cd ").replace("~", str(self.home)))
                continue
            said = self._start(command, expected) if ENDLESS.match(command) else self._done(command)
            self._compare(command, expected, said)
        return said

    def _done(self, command: str) -> str:
        done = subprocess.run(
            ["/bin/bash", "-c", command],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
        assert done.returncode == 0, (command, done.stderr)
        return done.stdout + done.stderr

    def _start(self, command: str, expected: str) -> str:
        name = "-".join(command.removesuffix(" &").split()[1:4]).replace("/", "-")
        path = self.printed[name] = self.home / f"{name}.log"
        with path.open("wb") as output:
            self.running[name] = subprocess.Popen(
                command.removesuffix(" &").split(),
                cwd=self.folder,
                env=self.environment,
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        lines = len(expected.strip().splitlines())
        self.until(lambda: path.read_text("utf-8").count("\n") >= lines, command)
        return path.read_text("utf-8")

    def _compare(self, command: str, expected: str, said: str) -> None:
        shown = "\n".join(line.rstrip() for line in said.strip("\n").splitlines()).replace(self.port, PORT)
        assert re.fullmatch(output_pattern(expected), shown), f"{command}\n{shown}"

    def launch(self, words: str) -> None:
        line = self.running["wheel-emulate-devices-wheel-L1"].stdin
        assert line is not None
        line.write(f"{words}\n".encode())
        line.flush()

    def stop(self, name: str) -> None:
        """Press Ctrl-C in the terminal of a command."""
        self.running[name].send_signal(signal.SIGINT)
        assert self.running[name].wait(PATIENCE_S) == 0

    def until(self, holds: Any, what: object) -> None:  # noqa: ANN401 - a function, or a lambda
        end = time.monotonic() + PATIENCE_S
        while not holds():
            assert time.monotonic() < end, what
            time.sleep(0.05)

    # Pages.

    def open(self, device: str, path: str) -> Page:
        """Open the page of a device with its name and key."""
        context = self.browser.new_context(ignore_https_errors=True, viewport={"width": 1280, "height": 900})
        page = context.new_page()
        page.goto(f"https://127.0.0.1:{self.port}/{path}")
        page.locator("input[name=device]").fill(device)
        page.locator("input[name=key]").fill(self.keys[device])
        self.press(page, "Come in")
        return page

    def press(self, page: Page, *labels: str) -> None:
        for label in labels:
            self.pressed.add(label)
            end = time.monotonic() + PATIENCE_S
            while not self._clicked(page, SIGNS.get(label, label)):
                assert time.monotonic() < end, f"no button {label}: {page.inner_text('body')[-1500:]}"
                page.wait_for_timeout(50)
            page.wait_for_timeout(100)

    def _clicked(self, page: Page, label: str) -> bool:
        """Click a button if it is there; a page may replace it at that moment."""
        found = page.evaluate_handle(FIND, label).as_element()
        if found is None:
            return False
        try:
            found.click(timeout=2_000)
        except PlaywrightError:
            return False
        return True

    def sign_in(self, page: Page, person: str) -> None:
        """Sign in with the code the first time, and choose a password; afterwards with the password."""
        page.locator("input[name=person]:visible").fill(person)
        code = self.codes.pop(person, None)
        page.locator("input[name=secret]:visible").fill(code or self.password(person))
        self.press(page, "Sign in")
        if code is not None:
            page.locator("input[name=again]:visible").fill(self.password(person))
            page.locator("input[name=secret]:visible").fill(self.password(person))
            self.press(page, "Set password")
        page.locator("input[name=secret]:visible").wait_for(state="hidden")

    def password(self, person: str) -> str:
        return f"the trial of the {person}"

    def sign(self, page: Page, person: str) -> None:
        page.locator("dialog[open] input[type=password]").fill(self.password(person))
        self.press(page, "Sign")
        page.locator("dialog[open] input[type=password]").wait_for(state="hidden")

    def sign_out(self, page: Page) -> None:
        self.press(page, "Menu", "Language and sign out", "Sign out")

    def second(self, page: Page, person: str, says: str) -> None:
        self.press(page, "Review and sign…")
        self.sees(page, says)
        self.press(page, "Sign it too")
        self.sign(page, person)

    def touch(self, page: Page, *spots: str) -> None:
        places = page.locator("[role=option][data-spot]").evaluate_all(PLACES)
        for spot in spots:
            page.mouse.click(*places[spot])
            page.wait_for_timeout(300)

    def fill(self, page: Page, fields: dict[str, str]) -> None:
        for name, value in fields.items():
            page.locator(f"dialog[open] input[name='{name}']").fill(value)

    def sees(self, page: Page, words: str) -> None:
        self._waits(page, page.get_by_text(words).first, words)

    def has_credit(self, page: Page, amount: str) -> None:
        """Wait for a credit: an amount may be elsewhere on the page, as the notes are that a terminal takes."""
        meter = page.locator("[data-meter=credit] dd", has_text=re.compile(rf"^{re.escape(amount)}$"))
        self._waits(page, meter, f"credit of {amount}")

    def _waits(self, page: Page, found: Locator, words: str) -> None:
        try:
            found.wait_for(timeout=PATIENCE_S * 1000)
        except PlaywrightTimeout:
            pytest.fail(f"no {words} on the page: {page.inner_text('body')[-1500:]}")


@contextmanager
def newcomer(folder: Path, browser: Browser) -> Iterator[Newcomer]:
    found = Newcomer(folder, browser)
    try:
        yield found
    finally:
        for process in found.running.values():
            process.terminate()
            process.communicate(timeout=PATIENCE_S)


def test_tutorial_is_walked_through(tmp_path: Path, browser: Browser) -> None:
    """A venue with real money is set up, opens, plays with chips and credits, closes and is audited, as written."""
    with newcomer(tmp_path, browser) as walk:
        _set_up(walk)
        pages = _enrol(walk)
        _open_the_day(walk, pages)
        _play(walk, pages)
        _close_the_day(walk, pages)
        _count_the_float(walk, pages)
        walk.run(2)
        walk.stop("serve")
        walk.run(2)

        assert next(walk.commands, None) is None
        assert walk.pressed == _buttons()


def _shown(found: Locator) -> bool:
    return any(each.is_visible() for each in found.all())


class Pages(NamedTuple):
    """The pages of the devices that the tutorial enrols."""

    table: Page
    pit: Page
    cashier: Page
    terminal: Page


def _set_up(walk: Newcomer) -> None:
    """2. Prepare the directory. 3. Start the wheel and the server."""
    walk.run(5)
    config = walk.folder / "croupier.toml"
    config.write_text(config.read_text("utf-8").replace(f"port = {PORT}", f"port = {walk.port}"), "utf-8")
    walk.run(1)
    codes = walk.run(1)
    walk.codes = dict(re.findall(r"^  (.+?)  +(\S{4}-\S{4}-\S{4})$", codes, flags=re.MULTILINE))
    assert set(walk.codes) == {"dealer", "inspector", "pit boss", "shift manager", "cashier", "auditor"}


def _enrol(walk: Newcomer) -> Pages:
    """4. Enrol the devices."""
    for _ in range(5):
        key, device = re.findall(r"^([\w-]{43})\nThis is the only key of (\S+),", walk.run(1))[0]
        walk.keys[device] = key
    table = walk.open("table-L1", "live_table#table=L1")
    pages = Pages(table, walk.open("pit-1", "pit"), walk.open("cashier-1", "cashier"), walk.open("L1-1", "terminal"))
    walk.sees(walk.open("S1-1", "terminal"), "Terminal S1-1")
    walk.sign_in(pages.table, "inspector")
    walk.sign_in(pages.pit, "pit boss")
    walk.sign_in(pages.cashier, "cashier")
    return pages


def _open_the_day(walk: Newcomer, pages: Pages) -> None:
    """5. Open the day."""
    table, pit, cashier, _ = pages
    walk.press(table, "Open the float…")
    walk.fill(table, {**FLOAT, "slip": "F-1"})
    walk.press(table, "Open the float")
    walk.sign(table, "inspector")
    walk.second(pit, "pit boss", "= A$3,600")
    walk.press(table, "It is shown")
    walk.press(cashier, "Take a drawer…")
    walk.fill(cashier, {"drawer": "D1", "float_": "500"})
    walk.press(cashier, "Take it")
    walk.sign_out(table)
    walk.sign_in(table, "dealer")
    assert "cannot play" not in walk.run(1)


def _play(walk: Newcomer, pages: Pages) -> None:
    """6. Play a round."""
    table, terminal = pages.table, pages.terminal
    walk.press(table, "Chips", "Seat 1", "Blue", "Notes, to the box", "+ $25", "+ $25", "Hand out 50 pieces, $50")
    walk.run(2)
    walk.has_credit(terminal, "$50")
    walk.press(table, "Open betting", "Blue")
    walk.touch(table, *TOUCHES)
    walk.sees(table, "8 = $8")
    walk.press(terminal, "5")
    walk.touch(terminal, "17", "black")
    walk.has_credit(terminal, "$40")
    walk.press(table, "Finish Betting")
    table.locator("text=No More Bets").first.wait_for()
    walk.launch("17")
    walk.press(table, "Place the dolly on 17", "Collected: start paying", "Paid $87: all done")
    walk.has_credit(terminal, "$220")


def _close_the_day(walk: Newcomer, pages: Pages) -> None:
    """7. Close the day, but for the float."""
    table, pit, cashier, terminal = pages
    walk.press(table, "Open betting", MINUS)
    walk.touch(table, "17", "17", "17/20")
    walk.sees(table, "0 = $0")
    walk.press(table, "Chips", "Redeem", "All 132", "Redeem: pay $132")
    walk.press(table, "Chips", "Redeem", "Take the colour back")
    walk.sign(table, "dealer")
    walk.press(table, "Chips", "Redeem", "The player leaves")
    walk.press(terminal, "Clear", "Collect", "Collect")
    slip = walk.printed["printer-emulate-devices-printer-L1-1"]
    walk.until(lambda: "bearer" in slip.read_text("utf-8"), "the slip")
    (number,) = re.findall(r"Validation +([\d-]+)", slip.read_text("utf-8"))
    cashier.get_by_label("Number of a slip or ticket").fill(number)
    walk.press(cashier, "Look up", "Pay A$230 from D1", "Count…")
    walk.fill(cashier, {"100": "2", "50": "1", "20": "1"})
    walk.press(cashier, "This is the count", "Hand in…", "Hand in A$270")
    signed = pit.get_by_text("Hand-in of drawer D1 with A$270")
    _sign_if_asked(walk, cashier, "cashier", signed)
    walk.press(pit, "Review and sign…", "Sign it too")
    _sign_if_asked(walk, pit, "pit boss", cashier.get_by_text("D1 is handed in"))
    walk.press(table, "Finish Betting")
    table.locator("text=No More Bets").first.wait_for()
    walk.launch("")
    walk.press(table, "Place the dolly on")
    walk.sees(table, "Open betting")


def _count_the_float(walk: Newcomer, pages: Pages) -> None:
    """7. Close the day: the inspector counts the float, and two people close it."""
    table = pages.table
    walk.sign_out(table)
    walk.sign_in(table, "inspector")
    walk.press(table, "Chips", "Float", "Count")
    walk.fill(table, LEFT)
    walk.press(table, "Count", "Chips", "Float", "Close the float", "Close the float")
    walk.sign(table, "inspector")
    walk.press(pages.pit, "Review and sign…", "Sign it too")
    _sign_if_asked(walk, pages.pit, "pit boss", table.get_by_text("The float is closed"))
    walk.sees(table, "The float is closed")


def _sign_if_asked(walk: Newcomer, page: Page, person: str, done: Locator) -> None:
    """Enter the password; while the last signature is fresh it is not asked for again."""
    asked = page.locator("dialog[open] input[type=password]")
    walk.until(lambda: _shown(asked) or _shown(done), f"the signature of {person}")
    if _shown(asked):
        walk.sign(page, person)
    walk.until(lambda: _shown(done), f"what {person} has signed")


def _buttons() -> set[str]:
    """The buttons that the page names, in italics."""
    text = re.sub(r"^ *```.*?^ *```", "", TUTORIAL.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    return {" ".join(words.split()) for words in re.findall(r"(?<!\*)\*([^*]+)\*(?!\*)", text)}
