"""The player terminal in a browser: frames under load, a tap until its chip is seen, the page's weight and its load."""

import gzip
import sys
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from typing import Any, Final

from playwright.sync_api import Browser, Page, Response, ViewportSize
from tests.stage.chromium import chromium, find_browser
from tests.stage.houses import PLAIN, house_of
from tests.stage.server_thread import ServerThread, server_thread

SIZE: Final = ViewportSize(width=1280, height=800)
#: How long frames are watched, in ms, and how often a page is loaded.
WATCHED_MS: Final = 10_000
LOADS: Final = 5
TAPS: Final = 20
CHIPS: Final = 200
GOALS: Final = {"frame p95, ms": 35, "tap to chip, frames": 1, "page gzipped, KB": 120}

#: Sweeps the pointer over the whole felt while the wheel turns, and tells how long every frame took, in ms,
#: and how many bets were named on the way.
_SWEEP: Final = """(forMs) => new Promise((done) => {
  const cloth = document.querySelector(".felt .cloth");
  const { left, top, width, height } = cloth.getBoundingClientRect();
  const frames = [];
  const named = new Set();
  let [begun, before] = [null, null];
  const step = (now) => {
    begun ??= now;
    if (before !== null) frames.push(now - before);
    before = now;
    const turn = (now - begun) / 1000;
    const at = { clientX: left + width * (0.5 + 0.48 * Math.sin(turn * 1.7)),
                 clientY: top + height * (0.5 + 0.48 * Math.sin(turn * 2.3)) };
    const more = { bubbles: true, pointerId: 1, isPrimary: true, pointerType: "mouse" };
    const under = document.elementFromPoint(at.clientX, at.clientY);
    under?.dispatchEvent(new PointerEvent("pointermove", { ...at, ...more }));
    named.add(document.querySelector(".felt .tip")?.textContent);
    if (now - begun < forMs) requestAnimationFrame(step);
    else done([frames, named.size]);
  };
  requestAnimationFrame(step);
})"""
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
        figures = {**_loads(browser, house), **_frames(browser, house)}
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


def _frames(browser: Browser, house: ServerThread) -> dict[str, float]:
    """Fill the felt, set the ball going, and watch."""
    context = browser.new_context(viewport=SIZE)
    page = context.new_page()
    page.goto(f"{house.url}terminal#table=U")
    page.locator(".felt [role=option]").first.wait_for(state="attached")
    house.gift(_device(page), 1_000_000)
    _lay(page, house)
    taps: list[int] = [page.evaluate(_TAP, str(number)) for number in range(1, TAPS + 1)]
    house.launch("U")
    frames, named = page.evaluate(_SWEEP, WATCHED_MS)
    context.close()
    cuts = quantiles(frames, n=100)
    return {
        "chips on the felt": CHIPS,
        "bets named by the sweep": named,
        "frame p50, ms": median(frames),
        "frame p95, ms": cuts[94],
        "frame p99, ms": cuts[98],
        "tap to chip, frames": median(taps),
    }


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
