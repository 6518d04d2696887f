"""Joining: a code that is good for this run, and its drawing, module for module."""

import pytest
import segno
from hypothesis import given
from hypothesis import strategies as st

from croupier.house.ids import SECOND, DeviceId, Instant
from croupier.server.auth.devices import JOIN_ADDRESSES_MAX, QUIET_ZONE, JoinCode, JoinLimits, qr_text, source_of

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


@pytest.mark.parametrize(
    ("peer", "source"),
    [
        ("192.168.1.7", "192.168.1.7"),
        ("::ffff:192.168.1.7", "192.168.1.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("", ""),
    ],
)
def test_source_is_what_one_host_can_send_from(peer: str, source: str) -> None:
    """An IPv4 address is a source by itself, however it is written, and all of an IPv6 network is one."""
    assert source_of(peer) == source


def test_attempts_are_counted_by_source_within_a_minute() -> None:
    """Two attempts a minute are taken from one source; the third is refused until the first is a minute past."""
    limits = JoinLimits(per_minute=2, seats=1, addresses=2)
    tries = [("a", 0), ("a", 10), ("a", 59), ("b", 59), ("a", 60), ("a", 61), ("a", 70)]
    refused = [limits.try_once(peer, Instant(at * SECOND)) is not None for peer, at in tries]

    assert refused == [False, False, True, False, False, True, False]


def test_oldest_source_is_forgotten_first() -> None:
    """Of so many sources is remembered when they tried: the one that has not for the longest is forgotten."""
    limits = JoinLimits(per_minute=1, seats=1, addresses=2)
    now = Instant(0)
    for peer in ("a", "b", "a", "c"):
        limits.try_once(peer, now)

    assert limits.try_once("a", now) is not None
    assert limits.try_once("b", now) is None


def test_seats_are_counted_by_source_while_they_are_taken() -> None:
    """A source has no more seats than it may, of which those that are free again or another's do not count."""
    limits, taken = JoinLimits(per_minute=9, seats=1, addresses=9), {DeviceId("A-1")}
    limits.give(DeviceId("A-1"), "a")

    assert limits.full("a", taken.__contains__) is not None
    assert limits.full("b", taken.__contains__) is None
    limits.give(DeviceId("A-1"), "b")
    assert limits.full("a", taken.__contains__) is None
    assert limits.full("b", lambda _: False) is None


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


def test_sources_are_bounded() -> None:
    """A server remembers as many sources as it says, and no more of them however many try."""
    limits = JoinLimits(per_minute=1, seats=1, addresses=JOIN_ADDRESSES_MAX)
    for number in range(JOIN_ADDRESSES_MAX + 1):
        limits.try_once(str(number), Instant(0))

    assert limits.try_once("1", Instant(0)) is not None
    assert limits.try_once("0", Instant(0)) is None
