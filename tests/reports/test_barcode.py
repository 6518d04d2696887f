"""Barcodes: drawn by the standard, and decoded by a reader that shares no code with the renderer."""

from collections.abc import Callable
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from reportlab.graphics.barcode.common import I2of5

from croupier.devices.validation import LENGTH, ValidationNumbers
from croupier.house.ids import Number, TerminalId
from croupier.house.settings import Mode
from croupier.reports import rendering
from croupier.reports.slips import DIGITS, Slip
from croupier.reports.typesetting import QUIET, bars, widths
from croupier.rules.money import Cents
from croupier.rules.procedure import CreditOut
from tests.support.campaign import many
from tests.support.printer import DOTS, Picture, printout
from tests.support.sample_documents import ADELAIDE, DPI, ISSUED_AT, pages
from tests.support.scanner import scanned

#: What the paper has beside what is printed on, in dots.
MARGIN = 32
NUMBERS = ValidationNumbers(bytes(range(32)))


def slip(sequence: int) -> Slip:
    """A slip as the house would issue it, of any value, some of them duplicates and some of a demonstration."""
    return Slip(
        head=replace(ADELAIDE, mode=tuple(Mode)[sequence % 2]),
        form=(CreditOut.PAYMENT_SLIP, CreditOut.TICKET)[sequence // 2 % 2],
        number=NUMBERS.number(Number(sequence)),
        sequence=Number(sequence),
        amount=Cents(1 + sequence * 7_919 % 99_999_999),
        currency=("AUD", "SGD", "USD")[sequence % 3],
        issued_at=ISSUED_AT,
        terminal=TerminalId("T7"),
        duplicate=sequence // 4 % 3,
    )


def page_picture(document: Slip) -> Picture:
    """The page as a printer of 203 dots an inch sees it."""
    (page,) = pages(document.layout())
    grey = page.render(scale=DPI / 72, grayscale=True).to_numpy()
    return np.asarray(grey.reshape(grey.shape[:2]) < 128)


def roll_picture(document: Slip) -> Picture:
    """The thermal printer's paper, with the margins that it cannot print on."""
    return np.pad(printout(rendering.render_escpos(document.layout())).picture, MARGIN)


def runs(line: Picture) -> list[tuple[bool, int]]:
    """Tell how many dots of one colour come after each other."""
    return [(bool(black), len(list(group))) for black, group in groupby(line.tolist())]


@pytest.mark.parametrize("first", range(0, 100, 10))
def test_every_pair_is_drawn_as_by_another(first: int) -> None:
    """Bars and spaces of every two digits are those of another's drawing of the same code."""
    for pair in range(first, first + 10):
        other: Any = I2of5(f"{pair:02}", checksum=0)
        other.validate()
        other.encode()
        other.decompose()

        assert [width > 1 for width in widths(f"{pair:02}")] == [element.isupper() for element in other.decomposed]


def test_code_of_a_number_fits_the_paper() -> None:
    """Eighteen digits take 171 narrow bars, and leave the clear margins that readers are promised."""
    total = sum(widths("0" * DIGITS))

    assert DIGITS == LENGTH
    assert total == 9 * (6 + 4 * 3) + 4 + 5
    assert DOTS - total * rendering.NARROW >= 2 * QUIET * rendering.NARROW


def test_bars_are_every_other_width() -> None:
    """Bars stand where the widths before them end."""
    assert list(bars("00"))[:3] == [(0, 1), (2, 1), (4, 1)]
    assert sum(width for _, width in bars("0918")) == sum(widths("0918")[::2])


@pytest.mark.parametrize("digits", ["", "123", "12a4", "١٢"])
def test_what_has_no_code_is_a_breach(digits: str) -> None:
    """Digits come in pairs, and nothing else is ever drawn."""
    with pytest.raises(AssertionError):
        widths(digits)


@pytest.mark.parametrize("picture", [page_picture, roll_picture], ids=["pdf", "roll"])
def test_barcode_is_at_the_leading_edge(picture: Callable[[Slip], Picture]) -> None:
    """The first that comes out of the printer is the barcode, of the right bars, clear on either side."""
    paper = picture(slip(1))
    top = int(np.argmax(paper.any(axis=1)))
    (_, left), *code, (_, right) = runs(paper[top + 5])

    assert len(code) == len(widths("0" * DIGITS))
    assert [black for black, _ in code] == [True, False] * (len(code) // 2) + [True]
    assert [round(dots / rendering.NARROW) for _, dots in code] == list(widths(slip(1).number))
    assert min(left, right) >= QUIET * rendering.NARROW
    assert runs(paper[top + 90]) == runs(paper[top + 5])


@pytest.mark.campaign
@pytest.mark.parametrize("picture", [page_picture, roll_picture], ids=["pdf", "roll"])
def test_printed_barcodes_are_read_back(picture: Callable[[Slip], Picture], tmp_path: Path) -> None:
    """An independent reader finds one code on each slip, and it is the slip's number, which the house then knows."""
    slips = [slip(1 + place * 48_271) for place in range(many(day=20, night=200))]
    files = [tmp_path / f"{place:03}.png" for place in range(len(slips))]
    for file, each in zip(files, slips, strict=True):
        Image.fromarray(~picture(each)).save(file)
    read = scanned(files)

    assert read == [f"I2/5:{each.number}" for each in slips]
    for text, each in zip(read, slips, strict=True):
        assert NUMBERS.read(text.removeprefix("I2/5:")) == NUMBERS.validation(each.sequence).digest
