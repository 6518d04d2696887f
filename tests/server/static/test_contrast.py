"""Every pair of colours that carries a meaning can be told apart, by the figures of the theme itself."""

import re
from functools import cache

import pytest

from tests.support.quick import STATIC

pytestmark = pytest.mark.untraced

#: WCAG 2.2: text (1.4.3), and large text or what is drawn (1.4.11).
TEXT = 4.5
DRAWN = 3.0
#: Figures on chips are small, and lie on a picture.
CHIP = 9.0
FELT = ("--felt-1", "--felt-2", "--felt-3")
ROOM = ("--room", "--panel", "--panel-2")
#: What is written or drawn in a colour, on which colours, and how clearly it must stand out. A gradient has both ends.
PAIRS = (
    ("--ink", ROOM, TEXT),
    ("--ink-2", ROOM, TEXT),
    # What cannot be pressed now is exempt by 1.4.3, and is still readable.
    ("--ink-3", ROOM, TEXT),
    ("--line", FELT, TEXT),
    ("--on-cell", ("--red-1", "--red-2", "--black-1", "--black-2", "--green-1", "--green-2"), TEXT),
    ("--line", ("--red-1", "--red-2", "--black-1", "--black-2", "--green-1", "--green-2"), DRAWN),
    ("--on-gold", ("--gold", "--gold-1", "--gold-2"), TEXT),
    ("--gold", ROOM, TEXT),
    ("--gold", FELT, DRAWN),
    ("--ok", ROOM, TEXT),
    ("--warn", ROOM, TEXT),
    ("--stop", ROOM, TEXT),
    ("--stop-ink", ROOM, TEXT),
    ("--min", ("--tag",), TEXT),
    ("--max", ("--tag",), TEXT),
    ("--win", ("--tag",), TEXT),
    ("--focus", (*ROOM, *FELT), DRAWN),
    ("--brass-2", ("--wood-1", "--wood-2"), DRAWN),
)


@cache
def tokens() -> dict[str, str]:
    """The colours of the theme by their names."""
    return dict(re.findall(r"(--[\w-]+):\s*(#[0-9a-f]{6});", (STATIC / "theme" / "tokens.css").read_text("utf-8")))


def luminance(colour: str) -> float:
    """How light a colour is, from 0 to 1 (WCAG 2.2, relative luminance)."""
    parts = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """How far two colours are apart, from 1 to 21, whichever is the lighter."""
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize(
    ("front", "back", "least"),
    [(front, back, least) for front, backs, least in PAIRS for back in backs],
)
def test_pair_stands_out(front: str, back: str, least: float) -> None:
    """What is written is 4.5 times as light or dark as what it stands on, what is drawn three times."""
    colours = tokens()

    assert contrast(colours[front], colours[back]) >= least


def faces() -> dict[str, dict[str, str]]:
    """The colours of every chip by their names."""
    chips = next(path for path in STATIC.rglob("chips.js") if "const COLOURS" in path.read_text("utf-8"))
    found = re.findall(r"^  (\w+): \{ (body: .*) \},$", chips.read_text("utf-8"), flags=re.MULTILINE)
    return {name: dict(re.findall(r'(\w+): "(#[0-9a-f]{6})"', colours)) for name, colours in found}


def test_figures_on_every_chip_stand_out() -> None:
    """The amount on a chip is far from the colour of its face, whatever its value."""
    found = faces()

    assert len(found) >= len(["ivory", "teal", "blue", "green", "orange", "black", "purple", "gold", "red"])
    assert {name for name, chip in found.items() if contrast(chip["ink"], chip["plate"]) < CHIP} == set()


def test_no_chip_but_one_below_the_minimum_is_red() -> None:
    """Red is for a stake below its minimum alone: no value has a chip whose body is nearly as red."""
    red = {name for name, chip in faces().items() if is_red(chip["body"])}

    assert red == {"red"}


def is_red(colour: str) -> bool:
    red, green, blue = (int(colour[place : place + 2], 16) for place in (1, 3, 5))
    return red > 2 * max(green, blue)


@pytest.mark.parametrize(
    ("one", "other", "figure"),
    [
        ("#000000", "#ffffff", 21.0),
        ("#ffffff", "#ffffff", 1.0),
        ("#777777", "#ffffff", 4.48),
        ("#11914a", "#ffffff", 4.06),
    ],
)
def test_contrast_is_reckoned_as_the_guidelines_do(one: str, other: str, figure: float) -> None:
    """Known pairs have their known contrast; the last is the green that was too light for a zero."""
    assert round(contrast(one, other), 2) == figure


def test_colours_are_tokens() -> None:
    """A style sheet writes a colour only where it names it; everything else uses the name."""
    written = re.compile(r"#[0-9a-fA-F]{3,8}\b")
    named = re.compile(r"\s*--[\w-]+:")
    # The page of an operator has no other sheet.
    sheets = [sheet for sheet in (STATIC / "theme").glob("*.css") if sheet.name != "operator.css"]
    lines = [(sheet.name, line) for sheet in sheets for line in sheet.read_text("utf-8").splitlines()]
    assert [(name, line) for name, line in lines if written.search(line) and not named.match(line)] == []
