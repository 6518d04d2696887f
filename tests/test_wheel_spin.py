"""The picture of a spin: it lands where the house says, as fast as it ran, never backwards, and never too early."""

from itertools import pairwise
from typing import Any, Final

import pytest

from tests.fetched import FETCHED
from tests.quick import Quick

pytestmark = pytest.mark.untraced

Look = dict[str, Any]
SIZES: Final = sorted({len(felt["wheel"]) for felt in FETCHED.values()})
#: From a launch that was seen to a ball that has run for a minute, at uneven moments.
MOMENTS: Final = [place * 1237 % 60_000 for place in range(50)]
DURATIONS: Final = [1, 900, 2400, 6000]
RESTING: Final = {"phase": "open", "round": 8, "spin": 1, "pocket": None, "last": "17"}
RUNNING: Final = {**RESTING, "phase": "running", "launchedAt": 1_000_000, "now": 4_000_000}


@pytest.fixture(scope="module")
def spin() -> Quick:
    return Quick("wheel/spin.js")


def _look(**reported: object) -> Look:
    return {"launchedAt": None, "now": 4_000_000, "reduced": False, **RESTING, **reported}


@pytest.mark.parametrize("count", SIZES)
def test_every_pocket_is_landed_in(spin: Quick, count: int) -> None:
    """From wherever the ball runs, it comes to rest in the middle of the pocket, after 2/3 of a turn at least."""
    plans = spin.ask(
        """(count, moments, durations) => moments.flatMap((ms) => durations.flatMap((wanted) =>
          Array.from({length: count}, (_, index) => {
            const from = running(ms);
            return [from, pocketAngle(index, count), landing(from, pocketAngle(index, count), wanted)];
          })))""",
        count,
        MOMENTS,
        DURATIONS,
    )
    assert len(plans) == count * len(MOMENTS) * len(DURATIONS)
    for start, pocket, plan in plans:
        assert abs((plan["to"] - pocket + 180) % 360 - 180) < 1e-6
        assert plan["from"] == start["angle"]
        assert plan["to"] - plan["from"] <= -240 + 1e-6
        # Slowed down evenly, it sets out at twice its mean speed: that is the speed at which it ran.
        assert 2 * (plan["to"] - plan["from"]) / plan["ms"] * 1000 == pytest.approx(start["speed"])


def test_a_landing_takes_about_as_long_as_it_should(spin: Quick) -> None:
    """From a ball that has run for a while, a landing takes between one and a half and four seconds."""
    times = spin.ask(
        """(count, moments) => moments.flatMap((ms) => Array.from({length: count}, (_, index) =>
          landing(running(ms), pocketAngle(index, count)).ms))""",
        max(SIZES),
        [ms for ms in MOMENTS if ms > 7000],
    )
    assert min(times) > 1490
    assert max(times) < 4000


def test_the_ball_only_slows_down(spin: Quick) -> None:
    """The ball runs against the wheel without a leap, slower and slower, and then evenly for as long as it takes."""
    path = spin.ask("() => Array.from({length: 3000}, (_, place) => running(place * 5))")
    for one, other in pairwise(path):
        went = (other["angle"] - one["angle"]) / 0.005
        assert went < 0
        assert went == pytest.approx((one["speed"] + other["speed"]) / 2, rel=1e-6)
        assert other["speed"] >= one["speed"]
    assert path[-1]["speed"] == path[-2]["speed"]


def _middle(curve: str) -> float:
    """How far a curve that a browser eases by has come after half of its time."""
    x1, y1, x2, y2 = (float(part) for part in curve.removeprefix("cubic-bezier(").removesuffix(")").split(","))
    # With these two its time passes evenly.
    assert (x1, x2) == pytest.approx((1 / 3, 2 / 3))
    return 3 / 8 * y1 + 3 / 8 * y2 + 1 / 8


def test_a_landing_is_slowed_down_evenly(spin: Quick) -> None:
    """After half of its time a ball that is slowed down evenly to rest has gone three quarters of its way."""
    assert _middle(spin.ask("() => STOPPING")) == pytest.approx(0.75)


def test_the_run_is_the_one_that_is_reckoned_with(spin: Quick) -> None:
    """What the browser is given to run by puts the ball where it is reckoned to be, at every moment."""
    run = spin.ask("() => RUN")
    slowing, even, last = run["steps"]
    slow = even["offset"] * run["ms"]
    start, half, slowed, end = spin.ask("(times) => times.map(running)", [0, slow / 2, slow, run["ms"]])
    assert [slowing["angle"], even["angle"], last["angle"]] == pytest.approx(
        [start["angle"], slowed["angle"], end["angle"]]
    )
    assert _middle(slowing["easing"]) == pytest.approx(half["angle"] / slowed["angle"])
    assert even["easing"] == "linear"
    assert run["ms"] > 15 * 60_000


def test_a_run_of_any_length_is_within_the_run(spin: Quick) -> None:
    """However long the ball has run, there is a time of its run at which it is at the same angle, as fast."""
    moments = [*MOMENTS, 10**6, 10**8]
    pairs = spin.ask("(moments) => moments.map((ms) => [running(ms), running(withinRun(ms)), withinRun(ms)])", moments)
    for there, here, ms in pairs:
        assert abs((there["angle"] - here["angle"] + 180) % 360 - 180) < 1e-4
        assert there["speed"] == pytest.approx(here["speed"])
        assert ms < 10_000


def test_the_ball_jumps_three_times(spin: Quick) -> None:
    """On its way from the track into the pocket the ball jumps three times, lower each time."""
    hops = spin.ask("() => HOPS")
    radii = [hop["radius"] for hop in hops]
    tops = [high for low, high, after in zip(radii, radii[1:], radii[2:], strict=False) if low < high > after]
    assert len(tops) == 3
    assert tops == sorted(tops, reverse=True)
    assert [hop["offset"] for hop in hops] == sorted(hop["offset"] for hop in hops)
    assert (hops[0]["offset"], hops[-1]["offset"]) == (0, 1)
    assert (radii[0], radii[-1]) == (spin.ask("() => TRACK"), spin.ask("() => POCKET"))


AWAY: Final = {"does": "away", "of": "", "pocket": None}
RUNS: Final = {"does": "runs", "of": "8/1", "pocket": None}
LANDS: Final = {"does": "lands", "of": "8/1", "pocket": "4"}
LIES: Final = {"does": "rests", "of": "8/1", "pocket": "17"}


@pytest.mark.parametrize(
    ("was", "reported", "does", "pocket"),
    [
        pytest.param(AWAY, {}, "rests", "17", id="before a spin it lies in the number before"),
        pytest.param(AWAY, {"last": None}, "away", None, id="before the first number it is nowhere"),
        pytest.param(LIES, RUNNING, "runs", None, id="it is launched"),
        pytest.param(AWAY, RUNNING, "runs", None, id="a page that comes late sees it running"),
        pytest.param(RUNS, RUNNING, "runs", None, id="it runs on"),
        pytest.param(LIES, {"phase": "open_running"}, "runs", None, id="bets are still taken while it runs"),
        pytest.param(LIES, {"phase": "last_call"}, "rests", "17", id="a last call before the launch"),
        pytest.param(LIES, {"phase": "last_call", "launchedAt": 1}, "runs", None, id="a last call after the launch"),
        pytest.param(LIES, {"phase": "closed"}, "rests", "17", id="betting is closed before the launch"),
        pytest.param(RUNS, {"phase": "at_rest", "launchedAt": 1}, "runs", None, id="it rests but no number counts"),
        pytest.param(RUNS, {"phase": "between", "pocket": "4"}, "lands", "4", id="the number is known"),
        pytest.param(RUNS, {"phase": "between", "pocket": "4", "reduced": True}, "rests", "4", id="without motion"),
        pytest.param(RUNS, {"phase": "between", "pocket": "4", "round": 9}, "rests", "4", id="of a spin not seen"),
        pytest.param(AWAY, {"phase": "between", "pocket": "4"}, "rests", "4", id="a number without a spin"),
        pytest.param(LANDS, {"phase": "between", "pocket": "4"}, "lands", "4", id="it lands on"),
        pytest.param(LANDS, {"round": 9, "last": "4"}, "lands", "4", id="it lands on into the next round"),
        pytest.param(LANDS, {"round": 9, "last": "5"}, "rests", "5", id="the number was another"),
        pytest.param(LANDS, {"phase": "between", "pocket": "5"}, "rests", "5", id="the number was corrected"),
        pytest.param(LANDS, {"phase": "between", "pocket": "4", "reduced": True}, "rests", "4", id="motion is put off"),
        pytest.param(RUNS, {"phase": "no_spin", "launchedAt": 1}, "away", None, id="no spin"),
        pytest.param(RUNS, {"phase": "suspended", "launchedAt": 1}, "away", None, id="suspended"),
        pytest.param(RUNS, {**RUNNING, "spin": 2}, "runs", None, id="spun again"),
        pytest.param(RUNS, {"phase": "between", "launchedAt": 1}, "rests", "17", id="a void round"),
    ],
)
def test_what_the_ball_does(spin: Quick, was: Look, reported: Look, does: str, pocket: str | None) -> None:
    """What the ball does follows from what it did and what the house has said; it lands on nothing else."""
    found = spin.ask("next", was, _look(**reported))
    assert (found["does"], found["pocket"]) == (does, pocket)


def test_a_ball_that_is_spun_again_starts_anew(spin: Quick) -> None:
    """A second spin of a round is another run of the ball."""
    assert spin.ask("next", RUNS, _look(**{**RUNNING, "spin": 2}))["of"] == "8/2"


@pytest.mark.parametrize(
    ("launched", "now", "since"),
    [(1_000_000, 4_500_000, 3500), (None, 4_500_000, 0), (1_000_000, None, 0), (2_000_000, 1_000_000, 0)],
)
def test_how_long_the_ball_has_run(spin: Quick, launched: int | None, now: int | None, since: int) -> None:
    """The time since the launch is by the house's clock; where it is not known, the ball starts now."""
    assert spin.ask("sinceLaunch", _look(launchedAt=launched, now=now)) == since


@pytest.mark.parametrize("phase", ["open", "open_running", "last_call", "closed", "running", "at_rest", "no_spin"])
def test_nothing_is_shown_before_the_house_has_said_it(spin: Quick, phase: str) -> None:
    """Without a number the ball never begins to land, whatever it did before."""
    for was in (AWAY, RUNS, {**RUNS, "of": "7/1"}, LIES):
        found = spin.ask("next", was, _look(phase=phase, launchedAt=1))
        assert found["does"] != "lands"
