"""Printing: the same facts give the same bytes, everything fits its paper, and no text becomes a command."""

import hashlib
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from croupier.house.ids import RoundNumber, TableId, TerminalId
from croupier.reports import rendering
from croupier.reports.summaries import TableReportRound
from croupier.reports.typesetting import (
    CODE_PAGE,
    GLYPHS,
    RULE,
    Align,
    Block,
    Document,
    Grid,
    LabelledValue,
    SectionHeading,
    Text,
    TextStyle,
    printable,
    wrapped,
)
from croupier.rules.money import Cents
from tests.support.campaign import many
from tests.support.printer import printout
from tests.support.sample_documents import (
    ADELAIDE,
    DOCUMENTS,
    ISSUED_AT,
    SHIFT_REPORT,
    SLIP,
    TABLE_REPORT,
    AnyDocument,
    on_pdf,
    on_roll,
    pages,
)

ROOT = Path(__file__).parents[2]
#: Prints every document on either paper, and tells the digest of it all.
PRINT_ALL = """
import hashlib
from croupier.reports.rendering import render_escpos, render_pdf
from tests.support.sample_documents import DOCUMENTS
layouts = [document.layout() for document in DOCUMENTS]
print(hashlib.sha256(b"".join(render(each) for render in (render_pdf, render_escpos) for each in layouts)).hexdigest())
"""


@pytest.mark.parametrize("seed", ["1", "2"])
def test_same_facts_give_the_same_bytes(seed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process, at another moment, in another time zone and with other hashes prints the same bytes."""
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    layouts = [document.layout() for document in DOCUMENTS]
    here = b"".join(render(each) for render in (rendering.render_pdf, rendering.render_escpos) for each in layouts)
    environment = {**os.environ, "PYTHONHASHSEED": seed, "TZ": "Asia/Tokyo", "LC_ALL": "C"}
    there = subprocess.run(
        [sys.executable, "-c", PRINT_ALL], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    ).stdout.strip()

    assert there == hashlib.sha256(here).hexdigest()


def test_other_facts_give_other_bytes() -> None:
    """A cent more is another slip on either paper."""
    other = replace(SLIP, amount=Cents(SLIP.amount + 1)).layout()

    assert rendering.render_pdf(other) != rendering.render_pdf(SLIP.layout())
    assert rendering.render_escpos(other) != rendering.render_escpos(SLIP.layout())


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: type(document).__name__)
def test_roll_is_cut_once_at_the_end(document: AnyDocument) -> None:
    """The thermal printer knows every command, starts afresh, and cuts once, after the last line."""
    data = rendering.render_escpos(document.layout())
    paper = printout(data)

    assert data.startswith(b"\x1b@")
    assert paper.cuts == [len(paper.strips)]


def test_banner_is_black_from_edge_to_edge() -> None:
    """A mark is white on black across the whole paper, on the roll and on the page."""
    layout = Document("", (Text("DUPLICATE 1", TextStyle.BANNER),), roll=True)
    band = printout(rendering.render_escpos(layout)).picture[:48]
    (page,) = pages(layout)
    shown = page.render(scale=4, grayscale=True).to_numpy()

    assert band[:, :24].all()
    assert band[:, -24:].all()
    assert 0.5 < band.mean() < 1
    assert (shown < 128).mean() > 0.3
    assert "DUPLICATE 1" in on_pdf(layout)


@pytest.mark.parametrize(
    ("sheet", "size"),
    [(rendering.PageSize.A4, (595, 842)), (rendering.PageSize.LETTER, (612, 792))],
    ids=["A4", "letter"],
)
def test_reports_are_on_sheets_of_the_office(sheet: rendering.PageSize, size: tuple[int, int]) -> None:
    """What is filed is on the sheets that the venue's office uses."""
    (page,) = pages(SHIFT_REPORT.layout(), sheet)

    assert tuple(map(round, page.get_size())) == size


def test_slip_is_on_a_roll_of_80_mm() -> None:
    """What is handed over is as wide as the thermal printer's roll, and as long as it needs to be."""
    (short,), (long,) = pages(SLIP.layout()), pages(replace(SLIP, notice="lost " * 100).layout())

    assert short.get_width() == pytest.approx(80 * 72 / 25.4, abs=0.1)
    assert long.get_width() == short.get_width()
    assert long.get_height() > short.get_height()


def test_long_report_goes_on_with_its_heads() -> None:
    """Every page of a long report begins with the heads of its grid and ends with its number, and no round is lost."""
    rounds = tuple(TableReportRound(RoundNumber(number), ISSUED_AT, "17", 1_000, 970) for number in range(1_001, 1_151))
    shown = [page.get_textpage().get_text_range() for page in pages(replace(TABLE_REPORT, rounds=rounds).layout())]

    assert len(shown) == 4
    for place, text in enumerate(shown, 1):
        assert text.startswith("SkyCity" if place == 1 else "Round Over Result Staked Given back Won")
        assert text.rstrip().endswith(f"Table report R1, 2026-11-15, page {place} of {len(shown)}")
    for round_ in rounds:
        assert " ".join(shown).count(f"{round_.round} 21:03:07") == 1


@pytest.mark.parametrize("before", range(50, 64))
def test_heading_stays_with_what_it_heads(before: int) -> None:
    """Wherever a page ends, a heading is on the page of the line below it."""
    lines = tuple(Text(f"line {place}") for place in range(before))
    blocks: tuple[Block, ...] = (*lines, SectionHeading("Takings"), LabelledValue("Rounds", "90"), RULE)
    shown = [page.get_textpage().get_text_range() for page in pages(Document("", blocks, roll=False))]

    assert [("TAKINGS" in text) for text in shown] == [("Rounds" in text) for text in shown]
    assert sum(text.count("line ") for text in shown) == before


def test_bottom_of_a_page_is_kept_free() -> None:
    """Nothing but the foot is printed in the margins of a sheet."""
    layout = Document("", tuple(Text("M" * 20) for _ in range(500)), roll=False)
    for page in pages(layout):
        shown = page.render(scale=1, grayscale=True).to_numpy()
        dark = np.flatnonzero((shown.reshape(shown.shape[:2]) < 200).any(axis=1))
        inked = [row for row in dark.tolist() if not 805 <= row <= 825]

        assert min(inked) >= 50
        assert max(inked) <= 842 - 50


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("José Núñez", "José Núñez"),
        ("Jose\u0301", "José"),
        ("Łukasz Đuro Ħ ș", "Lukasz Duro H s"),
        ("q\u0303", "q"),
        ("ﬁ №", "fi No"),
        ("a\tb\u00a0c\nd", "a b c d"),
        ("王", "?"),
        ("\x1b@\x00", "?@?"),
        ("€ ‰ “”", "€ ‰ “”"),
        ("", ""),
    ],
)
def test_text_is_written_with_what_printers_have(text: str, expected: str) -> None:
    """What printers lack is written as the nearest that they have, and a letter is never left away unseen."""
    assert printable(text) == expected


@pytest.mark.property
def test_no_character_at_all_becomes_a_command() -> None:
    """Each character there is, or by day each of the common ones, is written with glyphs that the code page has."""
    assert all(GLYPHS.issuperset(printable(chr(code))) for code in range(many(day=0x3000, night=0x110000)))
    assert all(len(glyph.encode(CODE_PAGE)) == 1 and glyph.encode(CODE_PAGE) >= b" " for glyph in GLYPHS)


@pytest.mark.parametrize("paper", [on_pdf, on_roll], ids=["pdf", "roll"])
def test_every_glyph_can_be_read_again(paper: Callable[[Document], str]) -> None:
    """Each glyph is on the paper as what it is."""
    reported = paper(Document("", tuple(Text(f"A{glyph}Z") for glyph in sorted(GLYPHS)), roll=True))

    assert reported == " ".join(f"A{glyph}Z" for glyph in sorted(GLYPHS))


@pytest.mark.property
@given(name=st.text())
def test_no_name_harms_a_report(name: str) -> None:
    """Whatever a table is called, its report is printed, with its foot."""
    assert "page 1 of 1" in on_pdf(replace(TABLE_REPORT, table=TableId(name)).layout())


@pytest.mark.property
@given(venue=st.text(), notice=st.text(), terminal=st.text())
def test_no_text_that_somebody_enters_harms_a_paper(venue: str, notice: str, terminal: str) -> None:
    """Whatever a venue or a terminal is called, the slip is printed whole: its value, its number twice, one cut."""
    head = replace(ADELAIDE, venue=venue)
    layout = replace(SLIP, head=head, notice=notice, terminal=TerminalId(terminal)).layout()
    paper = printout(rendering.render_escpos(layout))

    assert paper.cuts == [len(paper.strips)]
    for text in (on_roll(layout), on_pdf(layout)):
        assert text.count("12-3456-7890-1234-5678") >= 2
        assert "AUD 1,234.50" in text


@pytest.mark.property
@given(words=st.text(st.characters(codec="ascii", exclude_categories=["C"])), look=st.sampled_from(TextStyle))
def test_no_letter_is_lost_in_breaking_lines(words: str, look: TextStyle) -> None:
    """Lines hold every letter in order, and each fits the roll, on either printer."""
    for face in (rendering.FACE, rendering.ROLL.face):
        lines = wrapped(words, look, face)

        assert "".join(lines).replace(" ", "") == "".join(words.split())
        assert all(face.measure(line, look) <= face.width for line in lines)
        assert all(lines) or lines == [""]


def test_pair_that_is_too_wide_takes_more_lines() -> None:
    """A value that does not fit beside its label stands below it, at the right edge, and goes on as long as it must."""
    layout = Document("", (LabelledValue("Patron", "Anna " * 12), LabelledValue("L" * 60, "x")), roll=True)
    lines = printout(rendering.render_escpos(layout)).lines

    assert [line.lstrip() for line in lines] == [
        "Patron",
        " ".join(["Anna"] * 9),
        " ".join(["Anna"] * 3),
        "L" * 48,
        "L" * 12,
        "x",
    ]
    assert [len(line) for line in lines] == [6, 48, 48, 48, 12, 48]


def test_text_stands_at_its_given_place() -> None:
    """A line stands at the left, in the middle or at the right."""
    blocks = tuple(Text("middle", align=align) for align in Align)
    lines = printout(rendering.render_escpos(Document("", blocks, roll=True))).lines

    assert lines == ["middle", " " * 21 + "middle", " " * 42 + "middle"]


def test_grid_is_in_columns_where_they_fit() -> None:
    """The first column stands on the left, the others end at their edges, and the last at the paper's."""
    grid = Grid(("Table", "Won", "Hold"), (("R1", "4,900.00", "5.45 %"), ("R2", "0.00", "-")), ("", "4,900.00", "5 %"))
    lines = printout(rendering.render_escpos(Document("", (grid,), roll=True))).lines

    assert lines == [
        "Table                   Won                 Hold",
        "-" * 48,
        "R1                 4,900.00               5.45 %",
        "R2                     0.00                    -",
        "-" * 48,
        "                   4,900.00                  5 %",
    ]


def test_grid_that_is_too_wide_becomes_parts() -> None:
    """Where columns do not fit beside each other, each row is a part with its heads as labels, empty cells left out."""
    grid = Grid(("Drawer", "Cashier", "Paid"), (("D1", "a" * 40, "1.00"),), ("Total", "", "1.00"))
    lines = printout(rendering.render_escpos(Document("", (grid,), roll=True))).lines

    assert lines == [
        "-" * 48,
        "D1",
        f"Cashier {'a' * 40}",
        f"Paid{'1.00':>44}",
        "-" * 48,
        "Total",
        f"Paid{'1.00':>44}",
    ]


@pytest.mark.parametrize(
    ("heads", "rows", "total"),
    [(("One",), (), ("",)), (("One", "Two"), (("1",),), ("", "")), (("One", "Two"), (), ("",))],
    ids=["column", "row", "total"],
)
def test_grid_that_is_no_grid_is_a_breach(
    heads: tuple[str, ...], rows: tuple[tuple[str, ...], ...], total: tuple[str, ...]
) -> None:
    """A grid has two columns or more, and every row and the total have as many cells."""
    with pytest.raises(AssertionError):
        Grid(heads, rows, total)
