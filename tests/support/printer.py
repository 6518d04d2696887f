"""A thermal printer: reads ESC/POS bytes as its manual has them, and gives the paper as a picture and as lines."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Final

import numpy as np
from PIL import Image, ImageDraw, ImageFont

DOTS: Final = 576
CELL: Final = (12, 24)
Picture = np.ndarray[tuple[int, int], np.dtype[np.bool_]]


@dataclass(slots=True)
class Printer:
    """A printer that knows the commands below; with any other it is at its end."""

    strips: list[Picture] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    cuts: list[int] = field(default_factory=list)
    page: int | None = None
    bold: bool = False
    wide: int = 1
    high: int = 1
    reverse: bool = False

    @property
    def picture(self) -> Picture:
        """The paper, black where it is true."""
        return np.concatenate(self.strips)

    def feed(self, data: bytes) -> None:
        stream = iter(data)
        line = bytearray()
        for byte in stream:
            match byte:
                case 0x1B:
                    assert not line
                    self._escape(stream)
                case 0x1D:
                    assert not line
                    self._group(stream)
                case 0x0A:
                    self._line(line.decode(f"cp{self.page}"))
                    line.clear()
                case _:
                    assert byte >= 0x20, f"no command: {byte:02x}"
                    line.append(byte)
        assert not line, "a line that was never printed"

    def _escape(self, stream: Iterator[int]) -> None:
        match chr(next(stream)):
            case "@":
                self.page, self.bold, self.wide, self.high, self.reverse = 437, False, 1, 1, False
            case "t":
                self.page = {0: 437, 16: 1252}[next(stream)]
            case "E":
                self.bold = bool(next(stream) & 1)
            case other:
                raise AssertionError(f"no command: ESC {other!r}")

    def _group(self, stream: Iterator[int]) -> None:
        match chr(next(stream)):
            case "!":
                size = next(stream)
                self.wide, self.high = (size >> 4) + 1, (size & 7) + 1
            case "B":
                self.reverse = bool(next(stream) & 1)
            case "v":
                self._raster(stream)
            case "V":
                # Function B: feed to the knife and n more, cut but for one point.
                assert next(stream) == 66
                self.strips.append(np.zeros((120 + next(stream), DOTS), bool))
                self.cuts.append(len(self.strips))
            case other:
                raise AssertionError(f"no command: GS {other!r}")

    def _raster(self, stream: Iterator[int]) -> None:
        assert (next(stream), next(stream)) == (ord("0"), 0)
        across, down = (next(stream) + 256 * next(stream) for _ in range(2))
        dots = np.array([next(stream) for _ in range(across * down)], np.uint8).reshape(down, across)
        assert across * 8 == DOTS
        self.strips.append(np.unpackbits(dots, axis=1).astype(bool))

    def _line(self, text: str) -> None:
        """Set a line in the printer's own font, for which any will do here."""
        assert len(text) * self.wide * CELL[0] <= DOTS, f"wider than the paper: {text}"
        strip = np.zeros((CELL[1] * self.high + 6, DOTS), bool)
        for place, letter in enumerate(text):
            drawn = _glyph(letter, bold=self.bold) ^ self.reverse
            drawn = drawn.repeat(self.high, axis=0).repeat(self.wide, axis=1)
            at = place * self.wide * CELL[0]
            strip[: drawn.shape[0], at : at + drawn.shape[1]] = drawn
        self.strips.append(strip)
        self.lines.append(text)


@cache
def _glyph(letter: str, *, bold: bool) -> Picture:
    image = Image.new("L", CELL)
    font = ImageFont.load_default(18)
    ImageDraw.Draw(image).text((CELL[0] / 2, 18), letter, 255, font, anchor="ms", stroke_width=0.4 if bold else 0)
    return np.asarray(image) > 100


def printout(data: bytes) -> Printer:
    """Print some bytes on a printer of their own."""
    printer = Printer()
    printer.feed(data)
    return printer
