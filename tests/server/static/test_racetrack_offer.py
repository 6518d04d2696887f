"""What a racetrack offers: the venue's calls where it has any, its neighbours, and numbers alone where it has none."""

from typing import Any

import pytest

from tests.support.fetched import FETCHED
from tests.support.quick import Quick

Data = dict[str, Any]


@pytest.fixture(scope="module")
def pure() -> Quick:
    return Quick("racetrack/field.js")


@pytest.mark.parametrize(
    ("name", "reaches", "sectors", "others"),
    [
        ("us-double-zero", [0], [], []),
        ("skycity-adelaide-2003", [0], [], []),
        (
            "clearwater-etg",
            [0, 2, 3, 4],
            [],
            ["red-splits", "black-splits", "red-snake", "complete", "finale"],
        ),
        (
            "marina-bay-sands-2020",
            [2],
            [("voisins", False), ("tiers", False), ("orphelins", False), ("zero-spiel", True)],
            ["finale"],
        ),
    ],
)
def test_what_a_venue_offers(
    pure: Quick, name: str, reaches: list[int], sectors: list[tuple[str, bool]], others: list[str]
) -> None:
    """Sectors are where the felt says so, other calls are listed, and a choice of reach has the number alone too."""
    offer = pure.ask("offerOf", FETCHED[f"{name}-0"])
    assert (offer["beside"] is not None) == (reaches != [0])
    assert offer["reaches"] == reaches
    assert [(sector["call"]["name"], sector["within"]) for sector in offer["sectors"]] == sectors
    assert [call["name"] for call in offer["others"]] == others


@pytest.mark.parametrize(
    ("name", "reach"), [("clearwater-etg", 2), ("clearwater-etg", 4), ("marina-bay-sands-2020", 2)]
)
def test_a_touch_is_the_call_of_that_reach(pure: Quick, name: str, reach: int) -> None:
    """A touch of a pocket is the venue's own call for it, and covers so many pockets on each side of it."""
    felt = FETCHED[f"{name}-0"]
    order = [each["pocket"] for each in felt["wheel"]]
    touched = pure.ask(
        """(felt, reach) => {
          const offer = offerOf(felt);
          const ways = offer.order.map((pocket) => betOf(offer, pocket, reach));
          return ways.map((way) => [way, [...covered(offer, way.pieces)]]);
        }""",
        felt,
        reach,
    )
    offered = next(call["ways"] for call in felt["calls"] if call["kind"] == "neighbours")
    for index, (way, pockets) in enumerate(touched):
        assert way in offered
        assert way["of"] == order[index]
        assert set(pockets) == {order[(index + step) % len(order)] for step in range(-reach, reach + 1)}


@pytest.mark.parametrize(("name", "reach"), [("us-double-zero", 0), ("us-double-zero", 2), ("clearwater-etg", 0)])
def test_a_number_alone_is_straight_up(pure: Quick, name: str, reach: int) -> None:
    """Without a call for it, a touch of a pocket is one chip straight up."""
    way = pure.ask("(felt, pocket, reach) => betOf(offerOf(felt), pocket, reach)", FETCHED[f"{name}-0"], "17", reach)
    assert way == {"said": "17", "of": "17", "chips": 1, "pieces": [["17", 1]], "reach": 0}


@pytest.mark.parametrize(
    ("name", "wanted", "given"),
    [
        ("clearwater-etg", 3, 3),
        ("clearwater-etg", 9, 4),
        ("clearwater-etg", 0, 0),
        ("marina-bay-sands-2020", 4, 2),
        ("us-double-zero", 2, 0),
    ],
)
def test_the_nearest_reach_is_offered(pure: Quick, name: str, wanted: int, given: int) -> None:
    """A reach that was chosen at another venue becomes the nearest one that there is here."""
    assert pure.ask("(felt, wanted) => reachNear(offerOf(felt), wanted)", FETCHED[f"{name}-0"], wanted) == given


def test_a_call_of_splits_covers_their_numbers(pure: Quick) -> None:
    """The pockets under a call are those of all spots that it names."""
    felt = FETCHED["clearwater-etg-0"]
    call = next(call for call in felt["calls"] if call["name"] == "red-splits")
    found = pure.ask("(felt, pieces) => [...covered(offerOf(felt), pieces)]", felt, call["ways"][0]["pieces"])
    assert set(found) == {"9", "12", "16", "18", "19", "21", "27", "30"}
    assert pure.ask("(felt) => felt.calls.filter(isPlain).map(({name}) => name)", felt) == [
        "red-splits",
        "black-splits",
        "red-snake",
    ]
