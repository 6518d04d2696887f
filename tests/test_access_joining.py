"""Joining: a code that is good for this run, and its drawing, module for module."""

import pytest
import segno
from hypothesis import given
from hypothesis import strategies as st

from croupier.access.joining import QUIET_ZONE, JoinCode, qr_text

URL = f"http://192.168.100.200:8080/join/A#{'x' * 22}"
#: Light modules are drawn: upper and lower half of a letter, light or not.
HALVES = {"█": (0, 0), "▀": (0, 1), "▄": (1, 0), " ": (1, 1)}


def test_code_admits_itself_alone() -> None:
    """A code of one run is good in that run, and not in the next."""
    code, next_one = JoinCode(), JoinCode()

    assert code.admits(code.text)
    assert not code.admits(next_one.text)
    assert len(code.text) == 22


@pytest.mark.property
@given(st.text())
def test_any_text_may_be_shown(shown: str) -> None:
    """Whatever is shown for a code is turned away, and nothing fails."""
    assert not JoinCode().admits(shown)


def modules(text: str) -> list[list[int]]:
    """Take a drawing apart into its modules, 1 for a dark one."""
    rows = [[HALVES[letter] for letter in line] for line in text.splitlines()]
    return [[pair[half] for pair in row] for row in rows for half in (0, 1)]


@pytest.mark.parametrize("url", ["http://a/", URL, "https://casino.example/" + "y" * 200])
def test_drawing_is_the_code_with_its_margin(url: str) -> None:
    """The drawing has every module of the code in its place, dark for dark, within a light margin of four."""
    code = segno.make_qr(url, error="m")
    size = len(code.matrix)
    drawn = modules(qr_text(url))
    within = slice(QUIET_ZONE, QUIET_ZONE + size)

    assert [row[within] for row in drawn[within]] == [list(row) for row in code.matrix]
    assert {len(row) for row in drawn} == {size + 2 * QUIET_ZONE}
    margins = [*drawn[:QUIET_ZONE], *drawn[within.stop : within.stop + QUIET_ZONE]]
    margins += [row[:QUIET_ZONE] + row[within.stop :] for row in drawn[within]]
    assert {module for row in margins for module in row} == {0}


def test_drawing_fits_on_a_small_terminal() -> None:
    """The address of a table is drawn within 80 letters and 24 lines."""
    lines = qr_text(URL).splitlines()

    assert len(lines) <= 24
    assert max(map(len, lines)) <= 80
