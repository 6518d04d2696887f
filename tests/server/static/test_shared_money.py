"""Amounts as pages write and read them, without a browser."""

from typing import Any

import pytest

from tests.support.quick import Quick

Data = dict[str, Any]

#: In the place of the browser's own way with numbers: it tells what it was asked for.
INTL = """() => {
  globalThis.Intl = { NumberFormat: class {
    constructor(locale, asked) { this.asked = asked; this.locale = locale; }
    format(n) { return `${this.asked.currency ?? ""}${n.toFixed(this.asked.minimumFractionDigits ?? 1)}`; }
  } };
}"""

money = Quick("shared/money.js")
money.ask(INTL)


@pytest.mark.parametrize(
    ("cents", "words"), [(123_400, "AUD1234"), (1_250, "AUD12.50"), (0, "AUD0"), (-500, "AUD-5"), (1, "AUD0.01")]
)
def test_amount_carries_its_currency(cents: int, words: str) -> None:
    """An amount is written with its currency, and with cents only where there are any."""
    assert money.ask("money", cents, "AUD", "en-AU") == words


def test_amount_is_written_as_the_player_has_chosen() -> None:
    """The same cents are money or credits, with the unit of either."""
    asks = """() => ["currency", "credits"].map((units) => new MoneyFormat(
        { currency: "USD", denomination: 25, units, credits: (figures) => `${figures} credits` }).amount(2_500))"""

    assert money.ask(asks) == ["USD25", "100.0 credits"]


def test_two_tables_write_in_their_own_currencies() -> None:
    """A format made for one table does not change what another writes."""
    asks = """() => {
        const [sydney, vegas] = ["AUD", "USD"].map((currency) => new MoneyFormat({ currency }));
        return [sydney, vegas, sydney].map((format) => format.amount(2_500));
    }"""

    assert money.ask(asks) == ["AUD25", "USD25", "AUD25"]


def test_part_of_a_credit_is_never_rounded() -> None:
    """Credits of five dollars or of a hundred are written to the cent."""
    asks = """() => [500, 10_000].map((denomination) =>
        new MoneyFormat({ currency: "USD", units: "credits", denomination }).amount(1_234))"""
    fake = INTL.replace(
        "n.toFixed(this.asked.minimumFractionDigits ?? 1)", "n.toFixed(this.asked.maximumFractionDigits)"
    )
    exact = Quick("shared/money.js")
    exact.ask(fake)

    assert exact.ask(asks) == ["2.4680", "0.1234"]


@pytest.mark.parametrize(
    ("chosen", "differs"),
    [
        ({"units": "credits"}, True),
        ({"denomination": 25}, True),
        ({"locale": "fr"}, True),
        ({"units": "currency"}, False),
    ],
)
def test_manner_decides_when_amounts_are_written_anew(chosen: Data, differs: bool) -> None:  # noqa: FBT001 - a row
    """Another unit, denomination or language changes every amount that is written already."""
    key = "(options) => new MoneyFormat({ currency: 'USD', ...options }).key"

    assert (money.ask(key, chosen) != money.ask(key, {})) is differs


@pytest.mark.parametrize(
    ("cents", "words"),
    [
        *((100, "1"), (50, "0.5"), (250, "2.5"), (99_900, "999"), (100_000, "1k"), (150_000, "1.5k")),
        *((123_400, "1.2k+"), (12_340_000, "123k+"), (100_000_000, "1m"), (125, "1.25"), (1_225, "12.2+")),
        *((5, "0.05"), (1, "0.01"), (25, "0.25"), (115, "1.15"), (10_050, "100+")),
    ],
)
def test_chip_has_room_for_three_figures(cents: int, words: str) -> None:
    """A chip's face has the amount shortly, and says where there is more."""
    assert money.ask("(cents) => new MoneyFormat({ currency: 'USD' }).chip(cents)", cents) == words


@pytest.mark.parametrize(
    ("text", "cents"),
    [
        *(("5", 500), ("0.5", 50), ("12.50", 1250), (" 7,25 ", 725), ("0.29", 29), ("999999999999", 99999999999900)),
        *(("1.234", None), ("", None), ("-1", None), ("1e3", None), ("1.", None), ("1000000000000", None)),
    ],
)
def test_amount_is_read_exactly_or_not_at_all(text: str, cents: int | None) -> None:
    """What a person types is an amount to the cent, or none."""
    assert money.ask("centsOf", text) == cents
