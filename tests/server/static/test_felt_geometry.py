"""The felt's geometry: every spot of every felt has a place that a finger, a mouse and the arrow keys find."""

import json
import re
from functools import cache
from typing import Any, Final

import pytest

from croupier.rulebooks.loader import load_rulebook
from croupier.rules.rulebook import Rulebook
from croupier.server.views.felt import felts_of
from tests.conftest import DOCUMENTS
from tests.support.quick import Quick

pytestmark = pytest.mark.untraced

#: Cells of the reference screens in pixels, along the table and across it.
LAYOUTS: Final = {
    "1280": {"cell": {"along": 70, "across": 84}, "orientation": "landscape"},
    "two games": {"cell": {"along": 44, "across": 66}, "orientation": "landscape"},
    "phone": {"cell": {"along": 41, "across": 80}, "orientation": "portrait"},
}
#: The rulebook of our own on the French layout, whose dozens have boxes on both sides.
FRENCH: Final = "generic-european-partage"
#: No zone is smaller than this, either way.
ZONE_LEAST_PX: Final = 16
DRAWN: Final = ("cells", "boxes", "spots", "aliases")


@cache
def _geometry() -> Quick:
    return Quick("felt/geometry.js", "felt/keyboard.js", "felt/outline.js")


def _felts() -> dict[str, Any]:
    """Give every felt that there is, each drawing once: models of terminals differ in more than that."""
    found: dict[str, Any] = {}
    for name in (*DOCUMENTS, FRENCH):
        rulebook = load_rulebook(name)
        assert isinstance(rulebook, Rulebook)
        for felt in felts_of(rulebook):
            data = json.loads(felt.body)
            drawn = {part: data[part] for part in DRAWN}
            if drawn not in found.values():
                found[f"{name} {data['profile'] or ''}".strip()] = drawn
    return found


FELTS: Final = _felts()
every_felt = pytest.mark.parametrize("felt", FELTS)
#: Those with their boxes on one side of the numbers, and the zero at the end.
every_plain_felt = pytest.mark.parametrize("felt", [felt for felt in FELTS if felt != FRENCH])
every_layout = pytest.mark.parametrize("layout", LAYOUTS)
either_hand = pytest.mark.parametrize("mirrored", [False, True], ids=["right", "left"])


def _laid(layout: str, *, mirrored: bool) -> dict[str, Any]:
    return {**LAYOUTS[layout], "mirrored": mirrored}


@every_felt
@every_layout
@either_hand
def test_every_anchor_hits_itself(felt: str, layout: str, *, mirrored: bool) -> None:
    """Where the chip of a spot or of an alias lies, that spot is meant, and no other."""
    missed = _geometry().ask(
        """(data, laid) => {
          const table = projection(data, laid);
          const hit = hitTester(data, table);
          const hits = ({ anchor }, spot, alias) => {
            const { x, y } = table.point(...anchor);
            const place = hit(x, y);
            return place?.spot === spot && place.alias === alias && place.x === x && place.y === y;
          };
          return [
            ...data.spots.filter((spot) => !hits(spot, spot.key, false)).map((spot) => spot.key),
            ...data.aliases.filter((alias) => !hits(alias, alias.spot, true)).map((alias) => alias.name),
          ];
        }""",
        FELTS[felt],
        _laid(layout, mirrored=mirrored),
    )

    assert missed == []


@every_layout
@either_hand
def test_second_box_of_a_spot_is_meant_as_a_whole(layout: str, *, mirrored: bool) -> None:
    """A second place with a box of its own is hit all over that box, up to its outline, and is drawn with it."""
    data = FELTS[FRENCH]
    missed, drawn = _geometry().ask(
        """(data, laid) => {
          const table = projection(data, laid);
          const hit = hitTester(data, table);
          const missed = data.aliases.flatMap((alias) => {
            const { x, y, width, height } = table.area(alias);
            const parts = [0.05, 0.5, 0.95].flatMap((right) => [0.05, 0.5, 0.95].map((down) => [right, down]));
            return parts
              .map(([right, down]) => hit(x + right * width, y + down * height))
              .filter((place) => place?.spot !== alias.spot || !place.alias)
              .map((place) => [alias.name, place]);
          });
          return [missed, areasOf(data).map(([key]) => key)];
        }""",
        data,
        _laid(layout, mirrored=mirrored),
    )
    names = {alias["name"] for alias in data["aliases"]}

    assert missed == []
    assert names == {"premier-12", "moyen-12", "dernier-12"}
    assert names <= set(drawn)


#: How far a spot's zone reaches through its anchor, both ways. Mostly half the least on either side is enough to know.
_ZONES: Final = """(data, laid, least) => {
  const table = projection(data, laid);
  const hit = hitTester(data, table);
  const reach = (x, y, [dx, dy], is) => {
    if (is(hit(x + (dx * least) / 2, y + (dy * least) / 2))) return least / 2;
    let far = 0;
    while (far < least && is(hit(x + dx * (far + 0.25), y + dy * (far + 0.25)))) far += 0.25;
    return far;
  };
  const across = (x, y, [dx, dy], is) => {
    const [one, other] = [reach(x, y, [dx, dy], is), reach(x, y, [-dx, -dy], is)];
    if (one + other >= least || Math.max(one, other) < least / 2) return one + other;
    let [far, way] = one > other ? [one, 1] : [other, -1];
    while (far < least && is(hit(x + way * dx * (far + 0.25), y + way * dy * (far + 0.25)))) far += 0.25;
    return far + Math.min(one, other);
  };
  const small = [];
  const places = [...data.spots.map((spot) => [spot.key, false, spot]), ...data.aliases.map((a) => [a.spot, true, a])];
  for (const [key, alias, { anchor }] of places) {
    const { x, y } = table.point(...anchor);
    const is = (place) => place?.spot === key && place.alias === alias;
    const zone = [across(x, y, [1, 0], is), across(x, y, [0, 1], is)];
    if (Math.min(...zone) < least) small.push([key, alias, ...zone]);
  }
  return small;
}"""


@every_felt
@every_layout
def test_every_zone_is_large_enough_to_touch(felt: str, layout: str) -> None:
    """Around the chip of every spot and alias there are sixteen pixels that mean it, in width and in height."""
    assert _geometry().ask(_ZONES, FELTS[felt], _laid(layout, mirrored=False), ZONE_LEAST_PX) == []


@every_plain_felt
@every_layout
def test_beside_the_print_nothing_is_meant(felt: str, layout: str) -> None:
    """A little beside the print the nearest spot is meant; further off none is, so that one can cancel."""
    near, far = _geometry().ask(
        """(data, laid) => {
          const table = projection(data, laid);
          const hit = hitTester(data, table);
          const around = (by) => [[-by, 90], [table.width + by, 90], [200, -by], [200, table.height + by]];
          return [12, 20].map((by) => around(by).map(([x, y]) => hit(x, y) !== null));
        }""",
        FELTS[felt],
        _laid(layout, mirrored=False),
    )

    assert near == [True] * 4
    assert far == [False] * 4


#: Rooms in pixels, and the cells that a single zero's felt has there: as large as fits, but never stretched too far.
ROOMS: Final = [
    (934, 354, "landscape", 67.2, 79.0),
    (560, 330, "landscape", 40.3, 72.5),
    (1900, 354, "landscape", 127.4, 79.0),
    (934, 900, "landscape", 67.2, 94.1),
    (366, 480, "portrait", 34.7, 86.3),
    (366, 1200, "portrait", 86.3, 86.3),
    (760, 480, "portrait", 34.7, 93.6),
]


@pytest.mark.parametrize(("width", "height", "orientation", "along", "across"), ROOMS)
def test_cells_fill_the_room(*, width: int, height: int, orientation: str, along: float, across: float) -> None:
    """A table is as large as its room, with cells that are neither flat nor thin."""
    room = {"width": width, "height": height, "orientation": orientation}
    cell, drawn = _geometry().ask(
        """(data, room) => {
          const cell = cellIn(data, room);
          const { width, height } = projection(data, { ...room, cell });
          return [cell, { width, height }];
        }""",
        FELTS["skycity-adelaide-2003 terminal"],
        room,
    )

    assert (round(cell["along"], 1), round(cell["across"], 1)) == (along, across)
    assert drawn["width"] <= width + 0.001
    assert drawn["height"] <= height + 0.001


@every_felt
@every_layout
@either_hand
def test_projection_goes_there_and_back(felt: str, layout: str, *, mirrored: bool) -> None:
    """A point in quarter cells, in the numbers and in the strips around them, comes back from its pixels."""
    astray = _geometry().ask(
        """(data, laid) => {
          const table = projection(data, laid);
          const near = (one, other) => Math.abs(one - other) < 1e-9;
          return data.spots.flatMap(({ key, anchor, core }) =>
            [anchor, [core[0], core[2]], [core[1], core[3]]].filter(([along, across]) => {
              const { x, y } = table.point(along, across);
              const [a, b] = table.units(x, y);
              const inside = x > -1e-9 && y > -1e-9 && x < table.width + 1e-9 && y < table.height + 1e-9;
              return !(inside && near(a, along) && near(b, across));
            }).map((point) => [key, point]),
          );
        }""",
        FELTS[felt],
        _laid(layout, mirrored=mirrored),
    )

    assert astray == []


@every_layout
def test_mirrored_table_is_the_same_from_the_other_side(layout: str) -> None:
    """For the left hand everything lies as far from the right edge as it lay from the left."""
    answer = _geometry().ask(
        """(data, one, other) => {
          const [right, left] = [projection(data, one), projection(data, other)];
          return data.spots.every(({ anchor }) => {
            const [p, q] = [right.point(...anchor), left.point(...anchor)];
            return Math.abs(p.x + q.x - right.width) < 1e-9 && p.y === q.y;
          });
        }""",
        next(iter(FELTS.values())),
        _laid(layout, mirrored=False),
        _laid(layout, mirrored=True),
    )

    assert answer is True


@every_felt
def test_arrow_keys_reach_every_spot(felt: str) -> None:
    """From the first spot the four arrows lead to every other."""
    unreached = _geometry().ask(
        """(data) => {
          const laid = { orientation: "landscape", mirrored: false };
          const ways = ["ArrowRight", "ArrowLeft", "ArrowUp", "ArrowDown"].map((key) => direction(key, laid));
          const name = ({ spot, along, across }) => `${spot.key} ${along} ${across}`;
          const first = cursorAt(data.spots[0]);
          const [seen, found, todo] = [new Set([name(first)]), new Set(), [first]];
          while (todo.length > 0) {
            const walker = todo.pop();
            found.add(walker.spot.key);
            for (const next of ways.map((way) => step(data.spots, walker, way))) {
              if (!seen.has(name(next))) todo.push(next);
              seen.add(name(next));
            }
          }
          return data.spots.map(({ key }) => key).filter((key) => !found.has(key));
        }""",
        FELTS[felt],
    )

    assert unreached == []


#: Walks over the single zero's felt that are worth a look: where from, which keys, where to.
WALKS: Final = {
    "17": [("Right", "17/20"), ("Right Right", "20"), ("Up", "17/18"), ("Down", "16/17"), ("Right Up", "17/18/20/21")],
    "1/2/3": [("Down", "dozen 1"), ("Down Up", "1/2/3"), ("Down Down", "low"), ("Up", "1"), ("Left", "0/1/2/3")],
    "0": [("Right", "0/2"), ("Left", "0"), ("Up", "0")],
    "36": [("Right", "column 3"), ("Right Left", "36"), ("Up", "36")],
    "high": [("Left", "odd"), ("Down", "high"), ("Up", "dozen 3")],
}


@pytest.mark.parametrize(
    ("start", "keys", "end"), [(start, keys, end) for start, walks in WALKS.items() for keys, end in walks]
)
def test_arrow_keys_walk_as_the_eye_does(start: str, keys: str, end: str) -> None:
    """Each arrow goes to the next spot that way, keeps to its line, and stays where there is none."""
    at = _geometry().ask(
        """(data, start, keys) => {
          const laid = { orientation: "landscape", mirrored: false };
          let walker = cursorAt(data.spots.find(({ key }) => key === start));
          for (const key of keys) walker = step(data.spots, walker, direction(`Arrow${key}`, laid));
          return walker.spot.key;
        }""",
        FELTS["skycity-adelaide-2003 terminal"],
        start,
        keys.split(),
    )

    assert at == end


@every_layout
@either_hand
def test_arrow_goes_the_way_it_points(layout: str, *, mirrored: bool) -> None:
    """However the table lies, a step with an arrow is a step to that side of the screen; other keys are none."""
    wrong, other = _geometry().ask(
        """(data, laid) => {
          const table = projection(data, laid);
          const middle = ({ core }) => table.point((core[0] + core[1]) / 2, (core[2] + core[3]) / 2);
          const sides = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
          const wrong = data.spots.flatMap((spot) =>
            Object.entries(sides).filter(([key, [dx, dy]]) => {
              const next = step(data.spots, cursorAt(spot), direction(key, table)).spot;
              const [from, to] = [middle(spot), middle(next)];
              return next !== spot && (to.x - from.x) * dx + (to.y - from.y) * dy <= 0;
            }),
          );
          return [wrong, direction("Enter", table)];
        }""",
        FELTS["us-double-zero"],
        _laid(layout, mirrored=mirrored),
    )

    assert wrong == []
    assert other is None


@every_plain_felt
@every_layout
def test_outlines_are_sharp_inside_and_round_outside(felt: str, layout: str) -> None:
    """Every cell and box has an outline on whole pixels; only the corners that nothing else touches are rounded."""
    data = FELTS[felt]
    paths = _geometry().ask(
        "(data, laid) => Object.fromEntries(outlines(data, projection(data, laid)))",
        data,
        _laid(layout, mirrored=False),
    )
    rounded = {key: path.count("Q") for key, path in paths.items() if "Q" in path}
    zeros = [cell["pocket"] for cell in data["cells"] if cell["colour"] == "green"]

    assert set(paths) == {cell["pocket"] for cell in data["cells"]} | {box["bet"] for box in data["boxes"]}
    assert {key: count for key, count in rounded.items() if key not in zeros} == {
        "column 1": 1,
        "column 3": 1,
        "low": 1,
        "high": 1,
    }
    assert sum(rounded.get(zero, 0) for zero in zeros) == 2
    assert all(re.fullmatch(r"M\d+ \d+L\d+ \d+L\d+ \d+L\d+ \d+Z", paths[key]) for key in paths.keys() - rounded.keys())
