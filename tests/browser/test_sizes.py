"""Consoles of staff on tablets and phones: each fits its screen, and is usable by everybody once signed in."""

from collections.abc import Iterator
from typing import Final

import pytest
from playwright.sync_api import ViewportSize

from tests.support.browser.actors import FLOOR
from tests.support.browser.console import Console
from tests.support.browser.looks import violations
from tests.support.browser.shared_house import Opens

pytestmark = pytest.mark.untraced

#: The widths at which each console is used, and a height for each.
WIDTHS: Final = {390: 844, 820: 1180, 1280: 800}
PHONES: Final = ("dealer", "pit", "cashier", "auditor")
KINDS: Final = {"dealer": "Ines", "pit": "Ada", "cashier": "Lena", "auditor": "Noor"}


def sizes(kind: str) -> Iterator[ViewportSize]:
    """Every screen on which a console of this kind is used."""
    for width, height in WIDTHS.items():
        if kind in PHONES or width > min(WIDTHS):
            yield ViewportSize(width=width, height=height)


def wider_than_its_screen(console: Console) -> bool:
    """Tell whether a page has to be scrolled sideways."""
    return bool(console.page.evaluate("() => document.documentElement.scrollWidth > innerWidth"))


@pytest.mark.parametrize("kind", KINDS)
def test_console_fits_tablets_and_phones(opens: Opens, kind: str) -> None:
    """At every width a console of staff has all its parts on the screen, and no rule of accessibility is broken."""
    harness = opens(FLOOR)
    harness.reach("A", "open")
    console = harness.staff(kind, KINDS[kind])

    for size in sizes(kind):
        console.page.set_viewport_size(size)
        console.settle()
        assert not wider_than_its_screen(console), size
        assert violations(console.screen) == [], size


def test_phone_of_the_dealer_has_the_next_step_under_the_thumb(opens: Opens) -> None:
    """On a phone one large button takes the step that is next, and the call says how long it is until then."""
    harness = opens(FLOOR)
    dealer = harness.staff("dealer", "Ines", "#table=A")
    dealer.page.set_viewport_size(ViewportSize(width=390, height=844))
    harness.reach("A", "open")
    dealer.settle()

    main = dealer.page.locator(".aside .primary")
    assert main.is_visible()
    assert main.inner_text() != ""
    assert dealer.page.locator(".call h2").inner_text() != ""


def test_phone_of_the_pit_has_three_views(opens: Opens) -> None:
    """On a phone the pit shows what needs action or the tables, and the journal in a drawer over them."""
    harness = opens(FLOOR)
    pit = harness.staff("pit", "Ada")
    pit.page.set_viewport_size(ViewportSize(width=390, height=844))
    pit.settle()
    bar = pit.page.locator(".tab-bar")

    for tab, part in (("Tables", ".floor"), ("Needs action", ".needs")):
        bar.get_by_role("button", name=tab).click()
        pit.settle()
        assert [one for one in (".floor", ".needs") if pit.page.locator(one).first.is_visible()] == [part]
    bar.get_by_role("button", name="Journal").click()
    pit.settle()
    assert pit.dialog.get_by_role("group", name="Which entries").is_visible()


def test_phone_of_the_cashier_has_one_column(opens: Opens) -> None:
    """On a phone and on a tablet upright every part of the cashier's desk has the whole width, the scanner first."""
    harness = opens(FLOOR)
    cashier = harness.staff("cashier", "Lena")
    for width, height in ((390, 844), (820, 1180)):
        cashier.page.set_viewport_size(ViewportSize(width=width, height=height))
        cashier.settle()
        boxes = [part.bounding_box() for part in cashier.page.locator(".inside > .card").all()]
        assert [round(box["width"]) for box in boxes if box] == [width - 24] * len(boxes)
        scanner = cashier.page.locator(".scan").bounding_box()
        assert scanner is not None
        assert scanner["y"] == min(box["y"] for box in boxes if box)


def test_console_speaks_the_language_that_is_chosen(opens: Opens) -> None:
    """A language chosen in the menu is used at once, in the middle of a round, and the person stays signed in."""
    harness = opens(FLOOR)
    dealer = harness.staff("dealer", "Ines", "#table=A")
    harness.reach("A", "open")
    dealer.page.get_by_role("button", name="Menu").click()
    dealer.page.get_by_role("button", name="Español").click()
    dealer.page.locator(".steps li").first.wait_for()

    assert dealer.page.locator("html").get_attribute("lang") == "es"
    assert "Tirada nula" in dealer.page.locator(".aside").inner_text()
    assert "Ines" in dealer.page.locator(".console-header .who").inner_text()


def test_numbers_stand_as_on_the_felt_in_every_language(opens: Opens) -> None:
    """The number pad of the dealer has zero at the left and 36 at the right, also on a page from right to left."""
    dealer = opens(FLOOR).staff("dealer", "Ines", "#table=A")
    dealer.page.get_by_role("button", name="Menu").click()
    dealer.page.get_by_role("button", name="العربية").click()
    dealer.page.locator(".pad label").first.wait_for()
    assert dealer.page.locator("html").get_attribute("dir") == "rtl"
    numbers = ("0", "3", "36")
    found = {number: dealer.page.locator(f".pad label:has(input[value='{number}'])") for number in numbers}
    places = [box["x"] for number in numbers if (box := found[number].bounding_box())]
    assert places == sorted(places)
    assert len(set(places)) == len(numbers)
