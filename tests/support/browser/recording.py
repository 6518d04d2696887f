"""A recording: a round with a win, frame by frame on a clock that is moved by hand, written as WebM."""

import struct
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

from playwright.sync_api import Browser, Page, ViewportSize

from tests.support.browser.harness import BrowserHarness, browser_harness
from tests.support.browser.houses import TABLES, house_of
from tests.support.browser.screenshot import PAST
from tests.support.browser.seat import Seat

#: The file.
RECORDING: Final = Path("round.webm")
FRAMES_PER_S: Final = 12
LENGTH_S: Final = 20
SIZE: Final = ViewportSize(width=1280, height=800)
#: How wide and high the recording is.
SHOWN: Final = (960, 600)
#: When betting closes, when the ball is launched, and when its number counts, in seconds of the recording.
CLOSES_S, LAUNCH_S, NUMBER_S = 5.5, 6.0, 8.5
AWAY_S: Final = 4.6
#: Which chip is laid where, and when.
BETS: Final = ((0.6, 25, "17"), (1.4, 25, "17/20"), (2.2, 100, "red"), (3.0, 25, "dozen 2"), (3.8, 10, "26/29"))
WINS: Final = "17"
#: Animations of the browser follow the clock of the recording too.
_ANIMATE: Final = """(ms) => {
  for (const one of document.getAnimations()) {
    if (one.playState === "running") one.pause();
    const end = one.effect.getComputedTiming().endTime;
    const next = Number(one.currentTime ?? 0) + ms;
    if (next >= end) one.finish();
    else one.currentTime = next;
  }
}"""
#: Makes an encoder of VP8, which lives until its page is closed.
_BEGIN: Final = """([width, height, rate]) => {
  const chunks = [];
  const encoder = new VideoEncoder({
    output: (chunk) => {
      const bytes = new Uint8Array(chunk.byteLength);
      chunk.copyTo(bytes);
      chunks.push([btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")), chunk.type === "key"]);
    },
    error: (fault) => { window.fault = String(fault); },
  });
  encoder.configure({ codec: "vp8", width, height, bitrate: 1_000_000, framerate: rate });
  const canvas = new OffscreenCanvas(width, height);
  const draw = canvas.getContext("2d");
  draw.imageSmoothingQuality = "high";
  let count = 0;
  window.encode = async (jpeg) => {
    const bytes = Uint8Array.from(atob(jpeg), (letter) => letter.charCodeAt(0));
    const picture = await createImageBitmap(new Blob([bytes], { type: "image/jpeg" }));
    draw.drawImage(picture, 0, 0, width, height);
    const frame = new VideoFrame(canvas, { timestamp: Math.round((count * 1e6) / rate) });
    encoder.encode(frame, { keyFrame: count % (rate * 5) === 0 });
    frame.close();
    count += 1;
  };
  window.taken = async () => {
    await encoder.flush();
    if (window.fault) throw new Error(window.fault);
    return chunks.splice(0);
  };
}"""


class Encoded(NamedTuple):
    """One encoded frame."""

    data: bytes
    key: bool


def played(harness: BrowserHarness) -> Iterator[bytes]:
    """Play a round, and give a picture of every frame."""
    table = "M"
    for pocket in PAST[-8:]:
        harness.reach(table, "open")
        harness.spin(table, str(pocket))
    seat = harness.seat(table, credit=200_000, reduced_motion="no-preference", viewport=SIZE)
    # The scene of a spin is loaded a moment after the page.
    harness.pass_s(30 - CLOSES_S)
    chips = {at: _lays(seat, chip, spot) for at, chip, spot in BETS}
    due: dict[float, Callable[[], None]] = {
        **chips,
        # The pointer leaves the felt.
        AWAY_S: lambda: seat.page.mouse.move(0, 0),
        LAUNCH_S: lambda: harness.launch(table),
        NUMBER_S: lambda: harness.land(table, WINS),
    }
    for frame in range(FRAMES_PER_S * LENGTH_S):
        for at in [each for each in due if each <= frame / FRAMES_PER_S]:
            due.pop(at)()
        harness.pass_s(1 / FRAMES_PER_S)
        seat.page.evaluate(_ANIMATE, 1000 / FRAMES_PER_S)
        yield seat.page.screenshot(type="jpeg", quality=92, animations="allow")


def _lays(seat: Seat, chip: int, spot: str) -> Callable[[], None]:
    def lay() -> None:
        seat.choose(chip)
        seat.tap(spot)

    return lay


def encoded(page: Page, frames: Iterator[bytes]) -> Iterator[Encoded]:
    """Encode pictures in a browser, one at a time."""
    page.evaluate(_BEGIN, [*SHOWN, FRAMES_PER_S])
    for frame in frames:
        page.evaluate("(jpeg) => window.encode(jpeg)", b64encode(frame).decode())
    for data, key in page.evaluate("() => window.taken()"):
        yield Encoded(b64decode(data), key)


# WebM: elements of an id, a length and content.


def _element(name: int, *content: bytes) -> bytes:
    body = b"".join(content)
    return name.to_bytes((name.bit_length() + 7) // 8, "big") + (len(body) | 1 << 56).to_bytes(8, "big") + body


def _whole(name: int, value: int) -> bytes:
    return _element(name, value.to_bytes(8, "big"))


def webm(frames: list[Encoded]) -> bytes:
    """Write encoded frames as a file: a cluster begins at every frame that stands by itself."""
    header = _element(
        0x1A45DFA3, _whole(0x4286, 1), _whole(0x42F7, 1), _whole(0x42F2, 4), _whole(0x42F3, 8),
        _element(0x4282, b"webm"), _whole(0x4287, 2), _whole(0x4285, 2),
    )  # fmt: skip
    length = _element(0x4489, struct.pack(">d", 1000 * len(frames) / FRAMES_PER_S))
    info = _element(
        0x1549A966, _whole(0x2AD7B1, 1_000_000), length, _element(0x4D80, b"croupier"), _element(0x5741, b"croupier")
    )
    video = _element(0xE0, _whole(0xB0, SHOWN[0]), _whole(0xBA, SHOWN[1]))
    track = _element(0xAE, _whole(0xD7, 1), _whole(0x73C5, 1), _whole(0x83, 1), _element(0x86, b"V_VP8"), video)
    clusters: list[list[bytes]] = []
    begins = 0
    for place, frame in enumerate(frames):
        at = round(1000 * place / FRAMES_PER_S)
        if frame.key:
            begins = at
            clusters.append([_whole(0xE7, at)])
        head = b"\x81" + struct.pack(">hB", at - begins, 0x80 if frame.key else 0)
        clusters[-1].append(_element(0xA3, head, frame.data))
    return header + _element(
        0x18538067, info, _element(0x1654AE6B, track), *(_element(0x1F43B675, *each) for each in clusters)
    )


def record(browser: Browser, folder: Path) -> Path:
    """Play the round and write its recording into a folder."""
    text = house_of(TABLES["M"]).replace("Test house", "Croupier").replace("pause_s = 6", "pause_s = 14")
    path = folder / RECORDING
    with TemporaryDirectory() as house, browser_harness(browser, Path(house), text) as harness:
        # A browser encodes for pages of this machine, or with TLS.
        page = browser.new_page()
        page.goto(f"{harness.house.url}lobby.json")
        path.write_bytes(webm(list(encoded(page, played(harness)))))
        page.close()
    return path
