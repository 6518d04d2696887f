"""The typeface of the pages: Manrope, reduced to Latin when the package is built."""

import hashlib
import io
import logging
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Final

#: The letters and marks of the pages in Latin script, and the signs of amounts, numbers and names of bets.
_LATIN: Final = (
    *range(0x20, 0x7F),
    *range(0xA0, 0x180),
    *map(ord, "\u2011\u2013\u2014\u2018\u2019\u201c\u201d\u2022\u2026\u20ac\u2122\u2190\u2191\u2192\u2193\u2212"),
)
_SOURCE: Final = Path(__file__)


@cache
def latin_font() -> bytes:
    """Return the reduced font, as it was built; from a source that was not built it is made, in 0.25 s of CPU."""
    try:
        return _built_file(_SOURCE.parent).read_bytes()
    except FileNotFoundError:
        return reduced_font()


def build_font(directory: Path) -> None:
    """Write the reduced font into a directory, in place of any other."""
    for path in directory.glob("manrope-*.woff2"):
        path.unlink()
    _built_file(directory).write_bytes(reduced_font())


def font_digest() -> str:
    """Digest what the reduced font is made of: the whole font, and how it is reduced."""
    return hashlib.sha256(_whole_font() + _SOURCE.read_bytes()).hexdigest()


def reduced_font() -> bytes:
    """Reduce Manrope, with all its weights and figures of one width, to Latin: 26 KB.

    Chinese and Arabic are written in the fonts of the system.
    """
    # A process that serves a built font does not need the library.
    from fontTools.subset import Options, Subsetter  # noqa: PLC0415
    from fontTools.ttLib import TTFont  # noqa: PLC0415

    # It reports every step and the names of all glyphs.
    logging.getLogger("fontTools.subset").setLevel(logging.WARNING)
    font = TTFont(io.BytesIO(_whole_font()), recalcTimestamp=False)
    subsetter = Subsetter(Options(layout_features=["kern", "ccmp", "locl", "tnum"], hinting=False))
    subsetter.populate(unicodes=_LATIN)
    subsetter.subset(font)
    font.flavor = "woff2"
    reduced = io.BytesIO()
    font.save(reduced)
    return reduced.getvalue()


def _built_file(directory: Path) -> Path:
    """The name has what it is made of: a font that was built of something else is not found."""
    return directory / f"manrope-{font_digest()[:12]}.woff2"


def _whole_font() -> bytes:
    return files("font_manrope").joinpath("files", "Manrope-VariableFont_wght.ttf").read_bytes()
