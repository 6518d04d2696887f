"""The picture of a spin: decided by what everybody knows, without leaps, and into the pocket that the house says."""

from itertools import pairwise
from math import cos, hypot, pi, sin
from typing import Any, Final

import pytest

from tests.support.fetched import FETCHED
from tests.support.quick import Quick

pytestmark = pytest.mark.untraced

Look = dict[str, Any]
#: One wheel of each size.
ORDERS: Final = {len(felt["wheel"]): [each["pocket"] for each in felt["wheel"]] for felt in FETCHED.values()}
SEEDS: Final = [f"T/{number}/1" for number in range(1, 25)]
SECOND: Final = 1_000_000
RESTING: Final = {"table": "T", "phase": "open", "round": 8, "spin": 1, "pocket": None, "last": "17"}
RUNNING: Final = {**RESTING, "phase": "running", "launchedAt": SECOND, "now": 4 * SECOND}
NUMBER: Final = {**RUNNING, "phase": "between", "pocket": "17", "numberAt": 9 * SECOND, "now": 9 * SECOND}
#: The longest time from the number to the rest.
LANDS_S: Final = 4.9


@pytest.fixture(scope="module")
def spin() -> Quick:
    return Quick("wheel/ball.js", "wheel/spin.js")


def _look(**reported: object) -> Look:
    return {"launchedAt": None, "numberAt": None, "now": 4 * SECOND, "reduced": False, **RESTING, **reported}


@pytest.mark.parametrize("count", ORDERS)
@pytest.mark.parametrize("known", [0.2, 3.0, 8.0, 40.0])
def test_every_pocket_is_landed_in(spin: Quick, count: int, known: float) -> None:
    """Whatever the seed and whenever the number counts, the ball rests in the middle of its pocket.

    From the track to the rest it takes 1.8 to 2.5 s, with two or three hops.
    """
    paths = spin.ask(
        """(seeds, count, known) => seeds.flatMap((seed) => Array.from({length: count}, (_, place) => {
          const path = pathOf(seed, {place, count, known, rotor: 1});
          const rest = positionOn(path, path.rests, 0);
          return [place, rest.phase, rest.angle, rest.radius, path.rests, path.drop, path.hops.length];
        }))""",
        SEEDS,
        count,
        known,
    )
    for place, phase, angle, radius, rests, drop, _ in paths:
        assert phase == "rests"
        assert (angle / (2 * pi) * count - place + count / 2) % count - count / 2 == pytest.approx(0, abs=1e-6)
        assert radius == pytest.approx(0.272)
        assert drop < rests <= max(1.5, known) + LANDS_S
        assert 1.8 <= rests - drop <= 2.5
    assert {hops for *_, hops in paths} == {2, 3}


def test_run_does_not_reveal_the_number(spin: Quick) -> None:
    """Until it leaves the track the ball is where it would be without a number, whichever it is."""
    differing = spin.ask(
        """(seeds) => seeds.flatMap((seed) => [3, 19, 30].flatMap((place) => {
          const path = pathOf(seed, {place, count: 37, known: 8, rotor: 0});
          return Array.from({length: 80}, (_, step) => (path.drop * step) / 80).filter((time) =>
            Math.abs(positionOn(path, time, 0).angle - running(seed, time).angle) > 1e-9);
        }))""",
        SEEDS,
    )
    assert differing == []


@pytest.mark.parametrize("count", ORDERS)
def test_ball_moves_without_a_leap(spin: Quick, count: int) -> None:
    """From the launch to the rest no step of 1/240 s is longer than a ball can go."""
    ways = spin.ask(
        """(seeds, count, rotor) => seeds.map((seed, number) => {
          const path = pathOf(seed, {place: number % count, count, known: 6, rotor: 0});
          return Array.from({length: Math.ceil(path.rests * 240) + 24}, (_, step) => {
            const {angle, radius, height} = positionOn(path, step / 240, (rotor * step) / 240);
            return [angle, radius, height];
          });
        })""",
        SEEDS[:12],
        count,
        2 * pi / 8,
    )
    for way in ways:
        points = [(radius * sin(angle), radius * cos(angle)) for angle, radius, _ in way]
        steps = [hypot(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(points)]
        # On the track at 11.6 rad/s it goes 0.021 of the wheel's width.
        assert max(steps) < 0.023
        assert max(abs(b[2] - a[2]) for a, b in pairwise(way)) < 0.01


def test_ball_only_slows_down_on_the_track(spin: Quick) -> None:
    """It runs slower and slower, and then evenly for as long as its number takes."""
    for seed in SEEDS[:6]:
        path = spin.ask("(seed) => Array.from({length: 1200}, (_, step) => running(seed, step / 40))", seed)
        for one, other in pairwise(path):
            assert other["angle"] < one["angle"]
            assert other["speed"] <= one["speed"] + 1e-9
        assert path[-1]["speed"] == pytest.approx(path[-2]["speed"])


def test_spins_differ_by_round(spin: Quick) -> None:
    """Every round has a spin of its own, and the same round the same spin."""
    launches = spin.ask("(seeds) => seeds.map((seed) => JSON.stringify(launchOf(seed)))", SEEDS)

    assert len(set(launches)) == len(SEEDS)
    assert launches == spin.ask("(seeds) => seeds.map((seed) => JSON.stringify(launchOf(seed)))", SEEDS)


def test_sounds_are_in_the_order_of_the_way(spin: Quick) -> None:
    """A deflector, then the hops, then the pocket are heard, each when the ball is there."""
    for seed in SEEDS:
        path = spin.ask("(seed) => pathOf(seed, {place: 5, count: 37, known: 7, rotor: 2})", seed)
        times = [sound["at"] for sound in path["sounds"]]

        assert [sound["is"] for sound in path["sounds"]] == ["deflector", *["hop"] * len(path["hops"]), "pocket"]
        assert times == sorted(times)
        assert path["drop"] < times[0]
        assert times[-1] == path["settles"] < path["rests"]


AWAY: Final = {"does": "away", "of": "", "pocket": None, "launchedAt": 0, "path": None}
ORDER: Final = ORDERS[37]


def _next(spin: Quick, was: Look, look: Look) -> Look:
    found: Look = spin.ask("(was, look, order) => next(was, look, order)", was, look, ORDER)
    return found


def test_ball_runs_from_its_launch(spin: Quick) -> None:
    """A launched ball runs, also while bets are open or closed; one that was not launched lies where it lay."""
    runs = _next(spin, AWAY, _look(**RUNNING))
    assert (runs["does"], runs["of"], runs["launchedAt"]) == ("runs", "T/8/1", SECOND)
    assert _next(spin, runs, _look(**{**RUNNING, "phase": "closed"})) == runs
    assert _next(spin, AWAY, _look(phase="open_running"))["does"] == "runs"
    assert _next(spin, AWAY, _look(phase="closed"))["does"] == "rests"
    assert _next(spin, AWAY, _look(phase="closed", last=None))["does"] == "away"
    assert _next(spin, runs, _look(phase="no_spin"))["does"] == "away"


def test_ball_lands_by_the_clock_of_the_house(spin: Quick) -> None:
    """Every screen lands the ball at the same time; one that opens later shows the same moment, or the rest."""
    runs = _next(spin, AWAY, _look(**RUNNING))
    lands = _next(spin, runs, _look(**NUMBER))
    assert (lands["does"], lands["pocket"]) == ("lands", "17")
    assert _next(spin, AWAY, _look(**NUMBER))["path"] == lands["path"]
    end = SECOND + int(lands["path"]["rests"] * SECOND)
    assert _next(spin, lands, _look(**{**NUMBER, "now": end - 1_000})) == lands
    assert _next(spin, lands, _look(**{**NUMBER, "now": end + 1_000}))["does"] == "rests"
    assert _next(spin, AWAY, _look(**{**NUMBER, "now": end + 1_000}))["does"] == "rests"


def test_landing_goes_on_into_the_next_round(spin: Quick) -> None:
    """A landing runs to its end when the next round opens meanwhile, unless its ball is launched too."""
    lands = _next(spin, _next(spin, AWAY, _look(**RUNNING)), _look(**NUMBER))
    opened = {**RESTING, "round": 9, "last": "17", "now": 9 * SECOND + 1}
    assert _next(spin, lands, _look(**opened)) == lands
    assert _next(spin, lands, _look(**{**opened, "now": 30 * SECOND}))["does"] == "rests"
    assert _next(spin, lands, _look(**{**opened, "phase": "open_running"}))["does"] == "runs"


def test_ball_rests_at_once_where_nothing_moves(spin: Quick) -> None:
    """With reduced motion, without times and after a correction the ball lies in its pocket."""
    rests = _next(spin, AWAY, _look(**{**NUMBER, "reduced": True}))
    assert (rests["does"], rests["pocket"]) == ("rests", "17")
    for missing in ("launchedAt", "numberAt", "now"):
        assert _next(spin, AWAY, _look(**{**NUMBER, missing: None}))["does"] == "rests"
    assert _next(spin, rests, _look(**{**NUMBER, "pocket": "20"}))["does"] == "rests"


def test_view_of_a_table_is_enough(spin: Quick) -> None:
    """What the wheel shows comes from the public view alone, whatever it leaves out."""
    assert spin.ask("lookOf", {"table": "T", "phase": "open", "round": 1, "spin": 1}) == {
        "table": "T",
        "phase": "open",
        "round": 1,
        "spin": 1,
        "pocket": None,
        "last": None,
        "launchedAt": None,
        "numberAt": None,
        "random": False,
    }
