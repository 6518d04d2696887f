"""The racetrack's shape: every pocket is found where it is drawn, all are equally long, and sectors meet at borders."""

from itertools import pairwise
from math import dist, isclose
from typing import Any, Final

import pytest

from tests.support.fetched import FETCHED
from tests.support.quick import Quick

pytestmark = pytest.mark.untraced

Data = dict[str, Any]
COUNTS: Final = sorted({len(felt["wheel"]) for felt in FETCHED.values()})
SECTORED: Final = [name for name, felt in FETCHED.items() if felt["sectors"]]
#: One game, two games, a wheel view, a large screen, a telephone upright and lying, a circle.
SIZES: Final = [
    ("strip", 980, 176),
    ("strip", 570, 150),
    ("view", 1240, 600),
    ("strip", 1500, 250),
    ("strip", 374, 540),
    ("view", 374, 560),
    ("view", 830, 300),
    ("strip", 400, 400),
]
GAP: Final = 3

every_track = pytest.mark.parametrize("size", SIZES, ids=lambda size: "{}-{}x{}".format(*size))
every_count = pytest.mark.parametrize("count", COUNTS)


@pytest.fixture(scope="module")
def pure() -> Quick:
    return Quick("racetrack/geometry.js", "racetrack/field.js")


def _track(pure: Quick, count: int, size: tuple[str, int, int]) -> Data:
    shape, width, height = size
    track: Data = pure.ask("track", {"count": count, "width": width, "height": height, "shape": shape})
    return track


@every_track
@every_count
def test_every_pocket_is_found_where_it_is_drawn(pure: Quick, count: int, size: tuple[str, int, int]) -> None:
    """The middle of a pocket, its number beside a chip, its chip and its corners all belong to the pocket itself."""
    track = _track(pure, count, size)
    found = pure.ask(
        """(track) => Array.from({length: track.count}, (_, index) => {
          const inner = [-0.49, 0, 0.49].flatMap((on) => [-0.49, 0, 0.49].map((out) =>
            pointAt(track, (index + on) * track.step, out * track.band)));
          return [centroid(outline(track, index)), ...inner].map((point) => pocketAt(track, point));
        })""",
        track,
    )
    assert found == [[index] * 10 for index in range(count)]


@every_track
@every_count
def test_pockets_are_equally_long(pure: Quick, count: int, size: tuple[str, int, int]) -> None:
    """Along the middle line all pockets are equally long, and together they are all of it."""
    track = _track(pure, count, size)
    pieces = 60
    points = pure.ask(
        "(track, n) => Array.from({length: n + 1}, (_, place) => pointAt(track, place / n * track.length, 0))",
        track,
        count * pieces,
    )
    lengths = [
        sum(dist(points[place], points[place + 1]) for place in range(index * pieces, (index + 1) * pieces))
        for index in range(count)
    ]
    assert max(lengths) - min(lengths) < 0.001 * track["step"]
    assert isclose(sum(lengths), track["length"], rel_tol=1e-4)
    assert dist(points[0], points[-1]) < 1e-6


@every_track
@every_count
def test_a_place_is_found_again(pure: Quick, count: int, size: tuple[str, int, int]) -> None:
    """A place on the track, laid out in the drawing, is found again at that place."""
    track = _track(pure, count, size)
    places = [(track["length"] * place / 500, track["band"] * (place % 11 - 5) / 10) for place in range(500)]
    again = pure.ask(
        "(track, places) => places.map(([along, out]) => placeOf(track, pointAt(track, along, out)))", track, places
    )
    for (along, out), found in zip(places, again, strict=True):
        apart = abs(found["along"] - along)
        assert isclose(found["out"], out, abs_tol=1e-6)
        assert min(apart, track["length"] - apart) < 1e-6


@every_track
@every_count
def test_the_first_pocket_lies_at_the_end_and_the_rest_go_clockwise(
    pure: Quick, count: int, size: tuple[str, int, int]
) -> None:
    """The first pocket lies in the middle of the right end, or of the top; the next one lies clockwise from it."""
    track = _track(pure, count, size)
    first, second = pure.ask("(track) => [0, 1].map((index) => pointAt(track, index * track.step, 0))", track)
    end = track["frame"] + track["band"] / 2
    if track["upright"]:
        assert first == pytest.approx([track["width"] / 2, end])
        assert second[0] > first[0]
    else:
        assert first == pytest.approx([track["width"] - end, track["height"] / 2])
        assert second[1] > first[1]


@every_track
@every_count
def test_the_track_stays_in_its_frame(pure: Quick, count: int, size: tuple[str, int, int]) -> None:
    """Every pocket is drawn inside the frame, and none of them is thinner than a finger can aim at."""
    track = _track(pure, count, size)
    outlines = pure.ask("(track) => Array.from({length: track.count}, (_, index) => outline(track, index))", track)
    for outline in outlines:
        for x, y in outline:
            assert track["frame"] - 1e-6 <= x <= track["width"] - track["frame"] + 1e-6
            assert track["frame"] - 1e-6 <= y <= track["height"] - track["frame"] + 1e-6
    assert track["band"] <= 1.7 * track["step"] + 1e-6
    assert min(track["band"], track["step"]) >= 16


@pytest.mark.parametrize(("width", "height"), [(0, 0), (980, 0), (0, 176), (50, 50)])
def test_there_is_no_track_without_room(pure: Quick, width: int, height: int) -> None:
    """Before a page is laid out there is no track, rather than one that is turned inside out."""
    assert pure.ask("track", {"count": 38, "width": width, "height": height, "shape": "strip"}) is None


@every_track
@every_count
def test_beside_the_band_there_is_no_pocket(pure: Quick, count: int, size: tuple[str, int, int]) -> None:
    """The middle, the rail and what lies beyond it belong to no pocket."""
    track = _track(pure, count, size)
    for point in ([track["width"] / 2, track["height"] / 2], [-1, -1], [0, 0]):
        assert pure.ask("pocketAt", track, point) is None
    rail = track["band"] / 2 + 1
    assert pure.ask("(track, out) => pocketAt(track, pointAt(track, 0, out))", track, rail) is None
    assert pure.ask("(track, out) => pocketAt(track, pointAt(track, 0, out), 2)", track, rail) == 0


@every_track
@pytest.mark.parametrize("name", SECTORED)
def test_sectors_meet_at_the_borders_of_pockets(pure: Quick, name: str, size: tuple[str, int, int]) -> None:
    """Inside the band every pocket of a sector has its own part of the field beside it, and no other sector has."""
    felt = FETCHED[name]
    track = _track(pure, len(felt["wheel"]), size)
    offer = pure.ask("offerOf", felt)
    whole = [sector for sector in offer["sectors"] if not sector["within"]]
    within_voisins = {sector["call"]["name"] for sector in offer["sectors"] if sector["within"]}
    assert {sector["call"]["name"] for sector in whole} == {"voisins", "tiers", "orphelins"}
    owners = pure.ask(
        """(track, whole, gap) => Array.from({length: track.count}, (_, index) => {
          const beside = pointAt(track, index * track.step, -track.band / 2 - gap - 2);
          return whole.filter(({arcs}) => isInside(sectorShape(track, arcs, gap), beside)).map(({call}) => call.name);
        })""",
        track,
        whole,
        GAP,
    )
    for sector in felt["sectors"]:
        for place, pocket in enumerate(sector["pockets"]):
            index = (sector["first"] + place) % len(felt["wheel"])
            assert felt["wheel"][index]["pocket"] == pocket
            assert owners[index] == ["voisins" if sector["call"] in within_voisins else sector["call"]]


@pytest.mark.parametrize("name", SECTORED)
def test_sectors_leave_nothing_of_the_field_out(pure: Quick, name: str) -> None:
    """The parts of the field lie side by side without a gap: every point of its middle line is in one of them."""
    felt = FETCHED[name]
    track = _track(pure, len(felt["wheel"]), ("strip", 980, 176))
    spans = sorted(
        pure.ask("(track, arcs, gap) => span(track, sectorShape(track, arcs, gap), 0)", track, sector["arcs"], GAP)
        for sector in pure.ask("offerOf", felt)["sectors"]
        if not sector["within"]
    )
    edge = track["frame"] + track["band"] + GAP
    assert spans[0][0] == pytest.approx(edge, abs=0.5)
    assert spans[-1][1] == pytest.approx(track["width"] - edge, abs=0.5)
    for (_, end), (begin, _) in pairwise(spans):
        assert end == pytest.approx(begin)


@every_track
@pytest.mark.parametrize("name", SECTORED)
def test_a_sector_has_room_for_its_name(pure: Quick, name: str, size: tuple[str, int, int]) -> None:
    """A box as high as a control fits into every part of the field, wide enough to be touched and read."""
    felt = FETCHED[name]
    track = _track(pure, len(felt["wheel"]), size)
    for sector in pure.ask("offerOf", felt)["sectors"]:
        begin, end = pure.ask(
            "(track, arcs, gap) => span(track, sectorShape(track, arcs, gap), 44)", track, sector["arcs"], GAP
        )
        assert sector["within"] or end - begin >= 44


@every_track
@every_count
@pytest.mark.parametrize("across", [0.3, 0.64, 0.9])
def test_a_box_lies_in_the_field(pure: Quick, count: int, size: tuple[str, int, int], across: float) -> None:
    """A box for controls touches the edge of the field with its corners and lies on no pocket."""
    track = _track(pure, count, size)
    box = pure.ask("boxOf", track, across, GAP)
    for x in (box["x"], box["x"] + box["width"]):
        for y in (box["y"], box["y"] + box["height"]):
            place = pure.ask("placeOf", track, [x, y])
            assert place["out"] == pytest.approx(-track["band"] / 2 - GAP)
