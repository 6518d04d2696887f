"""The reference of the rulebooks is current."""

from dataclasses import fields

from croupier.rules.geometry import Kind
from croupier.rules.rulebook import Rulebook
from tests.support.rulebookdoc import BEGINS, PAGE, current, reference


def test_page_is_current() -> None:
    """The page has what `python -m tests.support.rulebookdoc --write` would write."""
    page = PAGE.read_text("utf-8")

    assert page == current(page)
    assert page.count(BEGINS) == 1


def test_reference_has_every_key_with_its_type_and_an_example() -> None:
    """Each key at the top of a rulebook and of a kind of bet is listed with its type; plain ones have examples."""
    listed = reference()
    keys = [each.metadata.get("key", each.name) for each in fields(Rulebook)]
    for key in (each for each in keys if each not in ("digest", "clauses", "kinds")):
        assert listed.count(f"\n| `{key}` | ") == 1, key
    for key in (each.name for each in fields(Kind) if each.name != "id"):
        assert f"\n| `*.{key}` | " in listed, key
    assert '| `paytable.prices.*.pays` | a number, or a fraction such as `"6/5"` | required | `35` |' in listed
    assert "| `channels.*.credit_in[].does` | one of `notes`, " in listed
