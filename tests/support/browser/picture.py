"""Pictures: what a piece of a screen looks like, as far as a number can tell it."""

from base64 import b64decode, b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from playwright.sync_api import Browser

from tests.support.browser.screen import Place, Screen

#: Half the side of the square that is looked at, in px.
_AROUND: Final = 22
#: Decodes a picture: its width, its height, and every point of it.
_DECODE: Final = """async (png) => {
  const drawn = await createImageBitmap(await (await fetch(`data:image/png;base64,${png}`)).blob());
  const canvas = new OffscreenCanvas(drawn.width, drawn.height).getContext("2d");
  canvas.drawImage(drawn, 0, 0);
  const { data } = canvas.getImageData(0, 0, drawn.width, drawn.height);
  let points = "";
  for (let at = 0; at < data.length; at += 32768) points += String.fromCharCode(...data.subarray(at, at + 32768));
  return [drawn.width, drawn.height, btoa(points)];
}"""
#: How much each colour adds to how light a point is.
_LIGHT: Final = (0.2126, 0.7152, 0.0722)


def pixels_of(browser: Browser, png: bytes) -> NDArray[np.uint8]:
    """Decode a picture into height, width and three colours: a browser knows how."""
    with browser.new_page() as blank:
        width, height, points = blank.evaluate(_DECODE, b64encode(png).decode())
    return np.frombuffer(b64decode(points), np.uint8).reshape(height, width, 4)[..., :3]


class Picture(NamedTuple):
    """A screen at one moment."""

    pixels: NDArray[np.uint8]

    def luminance(self, place: Place) -> float:
        """How light it is around a place, from 0 to 255: the median, which the figures printed there do not move."""
        across, down = map(round, place)
        around = self.pixels[down - _AROUND : down + _AROUND, across - _AROUND : across + _AROUND]
        return float(np.median(around @ np.array(_LIGHT)))


@contextmanager
def seen_with(screen: Screen, deficiency: str) -> Iterator[Picture]:
    """Look at a screen as somebody does who sees colours otherwise, or not at all."""
    session, browser = screen.page.context.new_cdp_session(screen.page), screen.page.context.browser
    assert browser is not None
    session.send("Emulation.setEmulatedVisionDeficiency", {"type": deficiency})
    yield Picture(pixels_of(browser, screen.page.screenshot()))
    session.send("Emulation.setEmulatedVisionDeficiency", {"type": "none"})
    session.detach()
