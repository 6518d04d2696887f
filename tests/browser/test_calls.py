"""Calls: every bet that is more than one chip, from the racetrack, the sheet of specials and the Neighbors button."""

from typing import Any

import pytest

from tests.support.browser.houses import felt_of
from tests.support.browser.shared_house import Plain


def laid(way: dict[str, Any]) -> dict[str, int]:
    """What a way of saying a call lays on each spot, with chips of one unit."""
    return {spot: chips * 100 for spot, chips in way["pieces"]}


def test_every_call_of_the_racetrack(plain: Plain) -> None:
    """At Marina Bay Sands each call of the racetrack lays the chips that it showed before."""
    seat = plain("M")
    calls = [call for call in felt_of("M")["calls"] if call["takes"] == "nothing"]

    assert {call["name"] for call in calls} >= {"voisins", "tiers", "orphelins"}
    for call in calls:
        there = seat.game.locator(f'.racebox [data-call="{call["name"]}"]')
        there.hover()
        seat.screen.settle()
        assert seat.ghosts() == laid(call["ways"][0])
        there.click()
        seat.screen.settle()
        assert seat.bets() == seat.stakes() == laid(call["ways"][0])
        seat.act("clear")


@pytest.mark.parametrize("pocket", ["0", "17", "26"])
def test_number_of_the_racetrack_with_its_neighbours(plain: Plain, pocket: str) -> None:
    """A number of the racetrack is laid with two neighbours on either side, as Marina Bay Sands has it."""
    seat = plain("M")
    ways = {way["of"]: way for call in felt_of("M")["calls"] if call["name"] == "neighbours" for way in call["ways"]}

    seat.touch_pocket(pocket)

    assert len(seat.bets()) == 5
    assert seat.bets() == seat.stakes() == laid(ways[pocket])


def test_wheel_view_lays_what_the_racetrack_does(plain: Plain) -> None:
    """In the wheel view a number is laid with its neighbours too, and a call by its button."""
    seat = plain("M")
    ways = {way["said"]: way for call in felt_of("M")["calls"] for way in call["ways"]}
    with seat.other_views() as views:
        assert next(views) == "wheel"
        seat.touch_pocket("17")
        assert seat.bets() == laid(ways["neighbours 17"])
        seat.act("clear")
        seat.game.locator('[data-call="tiers"]:visible').click()
        seat.settle()
        assert seat.bets() == laid(ways["tiers"])


def test_racetrack_of_a_phone_stands_upright(plain_phone: Plain) -> None:
    """On a phone the racetrack has a tab of its own, and every number of it is where it is drawn."""
    seat = plain_phone("A")
    pockets = [str(pocket) for pocket in range(37)]
    seat.page.locator('[data-tab="racetrack"]').click()
    seat.settle()
    for pocket in pockets:
        seat.touch_pocket(pocket)

    assert seat.bets() == dict.fromkeys(pockets, 100)
    seat.page.locator('[data-tab="table"]').click()


@pytest.mark.parametrize("table", ["A", "U"])
def test_racetrack_without_calls_lays_numbers(plain: Plain, table: str) -> None:
    """Where a venue's terminals know no neighbours, a number of the racetrack is that number alone."""
    seat = plain(table)

    seat.touch_pocket("17")

    assert seat.bets() == seat.stakes() == {"17": 100}


@pytest.mark.clause("clearwater-etg", "23")
def test_every_special_bet(plain: Plain) -> None:
    """Each special bet of Clearwater, with every digit of Final and some numbers of Complete, lays what it showed."""
    seat = plain("C")
    seat.act("special")
    for call in felt_of("C")["calls"]:
        if call["name"] == "neighbours":
            continue
        for way in call["ways"] if len(call["ways"]) <= 10 else call["ways"][::9]:
            button = seat.special(call["label"], way["of"])
            button.focus()
            seat.settle()
            assert seat.ghosts() == laid(way), way["said"]
            seat.page.keyboard.press("Enter")
            seat.settle()
            assert seat.bets() == laid(way), way["said"]
            seat.screen.server.clear(seat.device, "C")
    seat.close()


@pytest.mark.clause("clearwater-etg", "24")
def test_neighbors_button_grows(plain: Plain) -> None:
    """The button says what its next press does: two on each side of the last number, three, four, and then raises."""
    seat = plain("C")
    button = seat.page.locator('[data-act="neighbours"]')
    order = [pocket["pocket"] for pocket in felt_of("C")["wheel"]]
    at = order.index("17")

    def around(reach: int) -> set[str]:
        return {order[(at + step) % len(order)] for step in range(-reach, reach + 1)}

    assert button.is_disabled()
    seat.tap("17")
    for reach in (2, 3, 4):
        assert str(reach) in button.inner_text()
        seat.act("neighbours")
        assert seat.bets() == seat.stakes() == dict.fromkeys(around(reach), 100)
    seat.act("neighbours")
    assert seat.bets() == seat.stakes() == dict.fromkeys(around(4), 200)


def test_neighbours_are_ringed_when_they_are_asked_for(plain: Plain) -> None:
    """A bet on a number rings nothing; pointing at the button rings its neighbours, and so does pressing it."""
    seat = plain("C")
    rings = seat.felt.locator(".felt-ringed")
    button = seat.page.locator('.actions [data-act="neighbours"]')
    seat.tap("17")
    assert rings.count() == 0
    button.hover()
    seat.settle()
    assert rings.count() == 5
    seat.page.mouse.move(0, 0)
    seat.settle()
    assert rings.count() == 0

    button.click()
    seat.settle()
    seat.page.mouse.move(0, 0)
    seat.settle()
    assert rings.count() == 3
