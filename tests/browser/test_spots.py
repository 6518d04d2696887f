"""Every spot of every venue, touched where it is drawn and held against the house's own books."""

from collections.abc import Iterator, Sequence

import pytest

from croupier import rulebook
from tests.support.browser.houses import BOOKS, PLAIN, felt_of, house_of
from tests.support.browser.screen import Place
from tests.support.browser.seat import Seat
from tests.support.browser.shared_house import Opens, Plain
from tests.support.campaign import many

#: In so many parts all spots are laid: each has some numbers, so that at Clearwater enough can be won.
PARTS = 9
#: Those of each pair that are touched last, as no venue likes both at once.
OTHERS = ("black", "even", "high", "column 3", "dozen 3")


def batches(table: str) -> Iterator[Sequence[str]]:
    """All spots of a venue, some at a time, those that go against each other apart."""
    spots = [spot for spot in rulebook(BOOKS[table]).spots if spot not in OTHERS]
    for first in range(PARTS):
        yield spots[first::PARTS]
    yield OTHERS


@pytest.mark.clause("marina-bay-sands-2020", "3.4")
@pytest.mark.parametrize("table", BOOKS)
def test_every_spot_is_where_it_is_drawn(plain: Plain, table: str) -> None:
    """A click at the anchor of a spot lays one chip there and nowhere else, on the screen and in the house's books."""
    seat = plain(table)

    for spots in batches(table):
        seat.tap(*spots)

        assert seat.bets() == dict.fromkeys(spots, 100)
        assert seat.stakes() == dict.fromkeys(spots, 100)
        seat.act("clear")
        assert seat.bets() == {}


@pytest.mark.parametrize("table", "UM"[: many(day=1, night=2)])
def test_every_spot_is_reachable_on_a_phone(plain_phone: Plain, table: str) -> None:
    """On a phone too, where the zeros make the head of the felt tightest."""
    seat = plain_phone(table)

    for spots in batches(table):
        seat.tap(*spots)

        assert seat.bets() == dict.fromkeys(spots, 100)
        seat.act("clear")


def test_felt_for_the_left_hand(opens: Opens) -> None:
    """Mirrored for the left hand the felt is touched where it is drawn, too."""
    seat = opens(house_of(PLAIN["U"])).seat("U")
    before = seat.places()
    seat.open("settings").get_by_text("Left hand", exact=True).click()
    seat.close()
    after = seat.places()
    assert (before["1"][0] < before["34"][0]) is not (after["1"][0] < after["34"][0])

    spots = [spot for spot in rulebook(BOOKS["U"]).spots if spot.startswith("0")]
    seat.tap(*spots)
    assert seat.bets() == seat.stakes() == dict.fromkeys(spots, 100)


@pytest.mark.parametrize("table", BOOKS)
def test_felt_names_every_spot_of_the_rules(plain: Plain, table: str) -> None:
    """What can be touched is what the venue's rules offer, each by its full name and odds."""
    seat = plain(table)
    book = rulebook(BOOKS[table])
    aliases = {alias.name for alias in book.aliases}

    names = seat.felt.locator("[role=option]").evaluate_all("(all) => all.map((el) => el.getAttribute('aria-label'))")

    assert set(seat.places()) - aliases == set(book.spots)
    assert all(" to 1" in name for name in names)


@pytest.mark.clause("us-double-zero", "Types 2")
def test_courtesy_line_stands_for_its_split(plain: Plain) -> None:
    """A chip at the courtesy line is a chip on the split of the zeros."""
    seat = plain("U")
    [alias] = rulebook("us-double-zero").aliases

    seat.page.mouse.click(*_place(seat, "courtesy-line"))
    seat.settle()

    assert seat.bets() == seat.stakes() == {alias.spot: 100}


def _place(seat: Seat, name: str) -> Place:
    """Where an alias lies: as far from two numbers as the felt's data have it."""
    felt = felt_of("U")
    anchors = {spot["key"]: spot["anchor"] for spot in felt["spots"]}
    [wanted] = [alias["anchor"] for alias in felt["aliases"] if alias["name"] == name]
    low, high = seat.places()["1"], seat.places()["36"]
    parts = [(wanted[axis] - anchors["1"][axis]) / (anchors["36"][axis] - anchors["1"][axis]) for axis in (0, 1)]
    return low[0] + parts[0] * (high[0] - low[0]), low[1] + parts[1] * (high[1] - low[1])
