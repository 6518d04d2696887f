"""Looks that no layout tells: motion for those who want none, colours for those who see few; and what checks looks."""

import pytest
from playwright.sync_api import Browser

from tests.support.browser.houses import MARINA, house_of
from tests.support.browser.looks import FINGER, LAYOUT
from tests.support.browser.picture import seen_with
from tests.support.browser.shared_house import Opens, Plain

RUNNING = """() => document.getAnimations().filter(({ playState }) => playState === "running")
  .map(({ effect, transitionProperty, animationName }) =>
    `${effect.target.className} ${transitionProperty ?? animationName}`)"""
#: By so much, of 255, the ground of a red cell and of a black one must differ for everybody.
DIFFERS_MIN = 10


def test_nothing_moves_where_no_motion_is_wanted(opens: Opens) -> None:
    """With reduced motion nothing on the screen is moving once the number is there, and the win is there at once."""
    harness = opens(house_of(MARINA))
    seat = harness.seat("M", reduced_motion="reduce")
    seat.tap("17")
    harness.spin("M", "17")

    assert seat.meter("win") == 17_500
    assert seat.screen.ask(RUNNING) == []


@pytest.mark.parametrize("deficiency", ["none", "protanopia", "deuteranopia", "tritanopia", "achromatopsia"])
def test_red_and_black_are_distinguished(plain: Plain, deficiency: str) -> None:
    """However somebody sees colours, red cells are lighter than black ones."""
    seat = plain("M")
    with seen_with(seat.screen, deficiency) as picture:
        light = {spot: picture.luminance(place) for spot, place in seat.places().items()}

    for red, black in (("1", "2"), ("12", "11"), ("36", "35")):
        assert light[red] - light[black] > DIFFERS_MIN


BUTTON = '<button style="width:60px;height:60px;{}">A</button>'
FELT = '<div class="cloth" style="width:50px;padding:20px">{}</div>'
STACK = '<i class="stack" data-spot="17" style="margin:-30px">1</i>'


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (BUTTON.format(""), ""),
        (BUTTON.format("position:fixed;left:-20px"), "outside"),
        ('<div style="height:3000px">Long</div>', "the page is"),
        (BUTTON.format("height:20px"), "small"),
        ('<p style="width:30px;overflow:hidden;white-space:nowrap">Far too many words</p>', "clipped"),
        ('<p style="width:20px;overflow-wrap:anywhere">Winning numbers</p>', "broken words"),
        (BUTTON.format("") + BUTTON.format("margin:-9px"), "overlap"),
        (FELT.format(STACK), "off the felt"),
    ],
)
def test_check_of_the_layout_finds_what_is_wrong(browser: Browser, body: str, found: str) -> None:
    """The check that every layout is put to finds each kind of fault, and none where there is none."""
    with browser.new_page() as page:
        page.set_content(f"<!doctype html><body style='margin:0'>{body}")
        said = page.evaluate(LAYOUT, {"least": FINGER})

    assert [line for line in said if found and found in line] or (said == [] and not found)
