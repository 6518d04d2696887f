"""The middle of the racetrack: controls lie in the field, apart from each other, and none is smaller than a finger."""

from itertools import combinations
from typing import Any, Final

import pytest

from tests.support.fetched import FETCHED
from tests.support.quick import Quick

Data = dict[str, Any]
Size = tuple[int, int]
SECTORED: Final = {name: felt for name, felt in FETCHED.items() if felt["sectors"]}
FINGER: Final = 44
GAP: Final = 3
LYING: Final = [(980, 176), (570, 150), (1500, 250), (830, 230)]
UPRIGHT: Final = [(374, 540), (374, 600)]


@pytest.fixture(scope="module")
def pure() -> Quick:
    return Quick("racetrack/geometry.js", "racetrack/field.js")


def _track(pure: Quick, size: Size, shape: str, count: int = 38) -> Data:
    track: Data = pure.ask("track", {"count": count, "width": size[0], "height": size[1], "shape": shape})
    return track


def _in_field(pure: Quick, track: Data, box: Data) -> bool:
    corners = [(box["x"] + right, box["y"] + down) for right in (0, box["width"]) for down in (0, box["height"])]
    return all(pure.ask("placeOf", track, corner)["out"] <= -track["band"] / 2 - GAP + 1e-6 for corner in corners)


def _apart(one: Data, other: Data) -> bool:
    beside = one["x"] + one["width"] <= other["x"] + 1e-6 or other["x"] + other["width"] <= one["x"] + 1e-6
    above = one["y"] + one["height"] <= other["y"] + 1e-6 or other["y"] + other["height"] <= one["y"] + 1e-6
    return bool(beside or above)


def _holds_a_finger(box: Data) -> bool:
    return bool(min(box["width"], box["height"]) >= FINGER - 1e-6)


@pytest.mark.parametrize("size", LYING + UPRIGHT)
@pytest.mark.parametrize("name", SECTORED)
def test_sectors_have_a_place_each(pure: Quick, name: str, size: Size) -> None:
    """The controls of sectors and of other calls lie in the field without touching each other, or all in a row."""
    felt = SECTORED[name]
    track = _track(pure, size, "strip", len(felt["wheel"]))
    offer = pure.ask("offerOf", felt)
    found = pure.ask("sectorPlaces", track, "strip", offer)
    if found is None:
        row = pure.ask("rowBox", track)
        controls = len(offer["calls"]) + 2
        room = max(row["width"], row["height"]) if size in LYING else 2 * row["height"]
        assert room >= controls * FINGER + (controls - 1) * 6
        return
    assert ("rest" in found) == bool(offer["others"])
    boxes = [*found["sectors"], *([found["rest"]] if "rest" in found else [])]
    assert all(_in_field(pure, track, box) for box in boxes)
    assert all(_holds_a_finger(box) for box in boxes)
    assert all(_apart(one, other) for one, other in combinations(boxes, 2))


@pytest.mark.parametrize("size", LYING)
@pytest.mark.parametrize("name", SECTORED)
def test_a_sector_is_named_in_its_own_part(pure: Quick, name: str, size: Size) -> None:
    """A control as high as a finger that names a part of the field lies within that part."""
    felt = SECTORED[name]
    track = _track(pure, size, "strip", len(felt["wheel"]))
    offer = pure.ask("offerOf", felt)
    found = pure.ask("sectorPlaces", track, "strip", offer)
    for sector, box in zip(offer["sectors"], found["sectors"], strict=True) if found else ():
        middle = box["y"] + box["height"] / 2
        shape = pure.ask("sectorShape", track, sector["arcs"], GAP)
        corners = [
            (box["x"] + right, middle + down) for right in (0, box["width"]) for down in (-FINGER / 2, FINGER / 2)
        ]
        assert sector["within"] or all(pure.ask("isInside", shape, corner) for corner in corners)


@pytest.mark.parametrize("name", SECTORED)
def test_sectors_are_printed_where_all_fit(pure: Quick, name: str) -> None:
    """Sectors have places of their own at each size; beside more calls and a choice of reach there is no space."""
    felt = SECTORED[name]
    offer = pure.ask("offerOf", felt)
    tracks = {size: _track(pure, size, "strip", len(felt["wheel"])) for size in LYING + UPRIGHT}
    cut = [size for size, track in tracks.items() if pure.ask("sectorPlaces", track, "strip", offer)]
    assert cut == ([] if len(offer["reaches"]) > 1 else [*tracks])


@pytest.mark.parametrize("size", LYING + UPRIGHT)
def test_a_row_of_calls_lies_in_the_field(pure: Quick, size: Size) -> None:
    """Where there are no sectors, one box holds all calls, and it is as deep as a finger."""
    track = _track(pure, size, "strip")
    box = pure.ask("rowBox", track)
    assert _in_field(pure, track, box)
    assert _holds_a_finger(box)


@pytest.mark.parametrize("size", [(1240, 600), (980, 500), (830, 230), (640, 260)])
def test_the_wheel_lies_between_the_calls(pure: Quick, size: Size) -> None:
    """In the view the wheel is in the middle, with calls on both sides of it, in rows or where it is low in pairs."""
    track = _track(pure, size, "view")
    found = pure.ask("viewBoxes", track, 4)
    boxes = [found["well"], *found["sides"]]
    assert all(_in_field(pure, track, box) for box in found["sides"])
    assert all(_apart(one, other) for one, other in combinations(boxes, 2))
    rows = 2 if pure.ask("isLow", found["sides"][0]) else 3
    assert found["sides"][0]["height"] >= rows * FINGER
    assert found["sides"][0]["width"] >= 2 * FINGER
    assert found["well"]["x"] + found["well"]["width"] / 2 == pytest.approx(size[0] / 2)


@pytest.mark.parametrize(
    ("size", "rows", "wheel"),
    [((374, 600), 4, True), ((374, 480), 4, False), ((374, 480), 0, True), ((374, 480), 1, True)],
)
def test_an_upright_view_has_the_wheel_above_the_calls(pure: Quick, size: Size, rows: int, *, wheel: bool) -> None:
    """Upright the wheel lies above the calls if there is room for it; without calls it has the field to itself."""
    track = _track(pure, size, "view")
    found = pure.ask("viewBoxes", track, rows)
    assert (found["well"] is not None) == wheel
    if rows > 0:
        assert found["sides"][0]["height"] >= rows * FINGER
        assert _in_field(pure, track, found["sides"][0])
    if wheel and rows > 0:
        assert _apart(found["well"], found["sides"][0])
