"""What a terminal does by itself and keeps: repeated bets, and the slips of a browser."""

from typing import Any

import pytest

from croupier.reports.typesetting import bars
from tests.support.quick import Quick

pytestmark = pytest.mark.untraced

repeat = Quick("terminal/auto_repeat.js")
slips = Quick("terminal/slip_store.js")
MOMENT = {"round": 8, "isOpen": True, "hasBets": False, "isRefused": False}
SLIP = {
    "number": "123456789012345678",
    "sequence": 3,
    "form": "ticket",
    "amount": 500,
    "currency": "USD",
    "issued_at_us": 7,
    "venue": "Test house",
    "terminal": "T1",
}
#: A store of a browser, as far as slips need it.
STORE = """const held = {};
const store = {getItem: (name) => held[name] ?? null, setItem: (name, text) => {held[name] = text;}};"""


def _played(*moments: dict[str, Any], rounds: int = 2) -> list[bool]:
    """Return in which of the moments bets are repeated."""
    found: list[bool] = repeat.ask(
        """(rounds, moments) => {
          let known = started(rounds, 7);
          return moments.map((moment) => {
            const [now, repeats] = next(known, moment);
            known = now;
            return repeats;
          });
        }""",
        rounds,
        [{**MOMENT, **moment} for moment in moments],
    )
    return found


def test_bets_are_repeated_once_in_each_round() -> None:
    """Bets are repeated when a round is open, once in each, until the rounds are over."""
    moments: tuple[dict[str, Any], ...] = ({}, {}, {"round": 9, "isOpen": False}, {"round": 9}, {"round": 10})

    assert _played(*moments) == [True, False, False, True, False]


def test_round_with_bets_counts() -> None:
    """A round in which chips lie already is played as it is, and counts."""
    assert _played({"hasBets": True}, {"round": 9}, {"round": 10}) == [False, True, False]


def test_refusal_stops_the_repeats() -> None:
    """Once something is refused nothing is repeated any more."""
    assert _played({"isRefused": True}, {"round": 9}) == [False, False]
    assert repeat.ask("() => next(stopped(), {round: 1, isOpen: true, hasBets: false, isRefused: false})[1]") is False


def test_slips_stay_until_they_are_removed() -> None:
    """A slip is kept once, the newest first, and whatever else is in the store is no slip."""
    other = {**SLIP, "number": "2" * 18}
    kept = slips.ask(
        f"""(one, other) => {{{STORE}
          keepSlip(store, one); keepSlip(store, other); keepSlip(store, {{...one, duplicate: 1}});
          const all = keptSlips(store).map(({{number}}) => number);
          removeSlip(store, one.number);
          const rest = keptSlips(store).map(({{number}}) => number);
          store.setItem("croupier:slips", "{{");
          return [all, rest, keptSlips(store)];
        }}""",
        SLIP,
        other,
    )
    assert kept == [[SLIP["number"], other["number"]], [other["number"]], []]


def test_barcode_is_that_of_the_printer() -> None:
    """The barcode of the page has the bars of the printed slip."""
    number = str(SLIP["number"])
    drawn = Quick("terminal/barcode.js").ask("barsOf", number)

    assert [tuple(bar) for bar in drawn] == [(at, width) for at, width in bars(number)]
