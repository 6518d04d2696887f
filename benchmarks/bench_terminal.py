"""The player terminal in a browser: a tap until its chip is seen, the page's weight and its load."""

import gzip
import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, Final

from playwright.sync_api import Browser, Page, Response, ViewportSize
from tests.support.browser.chromium import chromium, find_browser
from tests.support.browser.houses import PLAIN, house_of
from tests.support.browser.server_thread import ServerThread, server_thread

SIZE: Final = ViewportSize(width=1280, height=800)
#: How often a page is loaded.
LOADS: Final = 5
TAPS: Final = 20
CHIPS: Final = 200
GOALS: Final = {"tap to chip, frames": 1, "page gzipped, KB": 120}

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


def main() -> None:
    path = find_browser()
    if path is None:
        sys.exit("No browser is here: apt-get install chromium")
    with (
        TemporaryDirectory() as folder,
        chromium(path) as browser,
        server_thread(Path(folder), house_of(PLAIN["U"])) as house,
    ):
        house.pass_s(7)
        figures = {**_loads(browser, house), **_taps(browser, house)}
    print("The terminal at 1280 x 800, drawn in software")
    for name, figure in figures.items():
        goal = GOALS.get(name)
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
    for _ in range(LOADS):
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


if __name__ == "__main__":
    main()
