"""The simulated wheel: the motion of ball and rotor, its telegrams, and the games that a table settles on it."""

import math
from collections import Counter
from pathlib import Path

import pytest

from croupier.devices.emulator import PERIOD
from croupier.devices.in_rim_reader import InRimReader, parse_status
from croupier.devices.simulated_wheel import (
    BALL,
    LEAVES_BELOW,
    ROTOR,
    TURN,
    WEAK_BALL,
    Irregular,
    Launch,
    SimulatedSpins,
    SimulatedWheel,
    Spin,
    TrackSensor,
    read_options,
    rotor_speed,
    simulate,
)
from croupier.house.floor.incidents import IncidentKind
from croupier.house.ids import SECOND, Instant
from croupier.house.rounds.results import BallAtRest
from croupier.rules.procedure import Reason
from tests.config.test_reader import SMALLEST
from tests.config.test_refusals import wrong
from tests.devices.test_in_rim import A
from tests.devices.test_serial import CLEARWATER
from tests.support.connections import open_house, played

LAUNCH = Launch(ball=12.0, rotor=2.0, angle=0.0, descent=1.5, hops=(3, -1))


def spins(address: str = "seed=1") -> SimulatedSpins:
    made = read_options(address)
    assert isinstance(made, SimulatedSpins)
    return made


def test_motion_agrees_with_small_steps() -> None:
    """The closed forms of time and angle agree with a numerical integration of the same law of motion."""
    speed, angle, at, step = LAUNCH.ball, 0.0, 0.0, 1e-4
    while speed > LEAVES_BELOW:
        angle += speed * step
        speed -= (0.12 + 0.0075 * speed**2) * step
        at += step

    course = simulate(LAUNCH, 37)
    assert math.isclose(course.left_track_s, at, abs_tol=0.01)
    assert math.isclose(course.angle, angle, abs_tol=0.05)


@pytest.mark.parametrize("pockets", [37, 38])
def test_every_pocket_has_the_same_share_of_angles(pockets: int) -> None:
    """Over a whole turn of the rotor each pocket has an equal share, so that the wheel favours none."""
    angles = [TURN * (part + 0.5) / (20 * pockets) for part in range(20 * pockets)]
    counts = Counter(simulate(LAUNCH._replace(angle=angle), pockets).pocket for angle in angles)

    assert set(counts) == set(range(pockets))
    assert set(counts.values()) <= {19, 20, 21}


def test_direction_and_hops_decide_the_pocket() -> None:
    """A hop shifts the pocket by as many places, and with the rotor the angles subtract."""
    course = simulate(LAUNCH, 37)

    assert simulate(LAUNCH._replace(hops=(3, -1, 5)), 37).pocket == (course.pocket + 5) % 37
    assert simulate(LAUNCH._replace(opposite=False), 37).pocket != course.pocket


def test_spin_lasts_as_long_as_a_real_one() -> None:
    """Launches in their range give 15 to 22 revolutions, 7 to 9 s in the rim, and 14 to 21 s until the number."""
    for launch in (spins().launch() for _ in range(500)):
        course = simulate(launch, 37)
        assert 15 <= course.angle / TURN <= 22
        assert 6.5 <= course.closes_s <= 9
        assert 14 <= course.rest_s - course.closes_s <= 21
        assert course.closes_s < course.left_track_s < course.rest_s
    assert simulate(LAUNCH._replace(ball=1.0), 37).left_track_s == 0
    assert rotor_speed(LAUNCH, 0) == 191
    assert rotor_speed(LAUNCH, 120) == 70
    assert BALL[0] > WEAK_BALL[1] > LEAVES_BELOW
    assert ROTOR[0] > 0


@pytest.mark.clause("marina-bay-sands-2020", "1.1.3")
@pytest.mark.parametrize(
    ("turns", "at", "counted"),
    [(0.4, 0.5, 0), (1.4, 0.5, 0), (1.6, 0.5, 1), (3.0, 0.0, 3), (2.99, 0.0, 2), (3.49, 0.5, 2), (3.5, 0.5, 3)],
)
def test_whole_revolutions_are_counted(turns: float, at: float, counted: int) -> None:
    """A revolution is one full rotation: from one pass of the sensor to the next; parts of turns do not count."""
    assert TrackSensor(at * TURN).revolutions(turns * TURN) == counted


@pytest.mark.clause("marina-bay-sands-2020", "1.1.3")
def test_weak_launch_has_too_few_revolutions() -> None:
    """No weak launch reaches three revolutions, and every other one does."""
    made = spins()
    for _ in range(300):
        assert TrackSensor(0).revolutions(simulate(made.launch(WEAK_BALL), 37).angle) < 3
        assert TrackSensor(TURN).revolutions(simulate(made.launch(), 37).angle) > 3


def reports(spin: Spin) -> list[str]:
    reader, at, found = InRimReader(A, Instant(0)), 0, []
    for step in spin.steps:
        at += step.wait
        found += [type(each.report).__name__ for each in reader.feed(Instant(at), step.data or b"") if each.report]
    return found


def test_telegrams_are_those_of_a_real_wheel() -> None:
    """Each game has launch, close and number; statuses come every half second and state the rotor's speed."""
    made = spins()
    for _ in range(20):
        spin = made.spin()
        assert reports(spin) == ["BallLaunched", "SignalNoMoreBets", "BallAtRest"]
        statuses = [status for step in spin.steps if (status := parse_status((step.data or b"").strip())) is not None]
        assert len(statuses) == len(spin.steps) - 1
        assert 12 <= sum(status.state == 2 for status in statuses) <= 20
        assert {step.wait for step in spin.steps} == {0, PERIOD}
        assert 30 * SECOND <= sum(step.wait for step in spin.steps) <= 45 * SECOND
        assert spin.opposite
        assert spin.revolutions is not None
        assert spin.revolutions >= 15


def test_every_irregularity_comes() -> None:
    """With a rate of one every game goes wrong, in each of the ways; with none no game does."""
    made = spins("irregular=1 seed=3")
    games = [made.spin() for _ in range(60)]
    weak = [spin for spin in games if spin.revolutions is not None]

    assert weak
    assert all(spin.revolutions is not None and spin.revolutions < 3 for spin in weak)
    assert any(not spin.opposite for spin in games)
    assert len({tuple(spin.steps[-1].data or b"") for spin in games}) > 1
    assert all(Irregular(each) for each in Irregular)
    assert spins("irregular=0.5 seed=4").spin() == spins("irregular=0.5 seed=4").spin()
    assert spins("").order[:3] == ("0", "32", "15")


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("rate=1", "the address is not valid: Object contains unknown field `rate`"),
        ("irregular=often", "the address is not valid: Expected `float`, got `str` - at `$.irregular`"),
        ("wheel=monaco", "monaco"),
    ],
)
def test_invalid_address_is_a_fault(address: str, says: str) -> None:
    """A wheel with an invalid address names the fault, and reports nothing."""
    wheel = SimulatedWheel(A, address)

    assert says in wheel.fault
    wheel.close()


@pytest.mark.parametrize("rulebook", ["clearwater-etg", "skycity-adelaide-2003", "us-double-zero"])
def test_table_is_run_by_the_simulated_wheel(tmp_path: Path, rulebook: str) -> None:
    """Rounds open, close and settle on the simulated wheel alone: its sensors see direction and revolutions."""
    text = CLEARWATER.replace('"in-rim"', '"simulated"').replace('"clearwater-etg"', f'"{rulebook}"')

    async def scenario() -> None:
        async with open_house(tmp_path, text.replace("WHEEL", f"wheel={rulebook} seed=5")) as house:
            await house.pass_s(120)
            table = house.venue.run.house.tables[A]
            assert len(table.numbers) >= 3
            assert set(table.numbers) <= set(table.rulebook.wheel.order)
            assert house.venue.wheels.drivers[A].fault == ""
            # Invalid addresses are reported as the fault of any driver.
            house.venue.wheels.attach(SimulatedWheel(A, "wheel=monaco"))
            assert "monaco" in house.venue.wheels.drivers[A].fault

    played(scenario)


@pytest.mark.clause("skycity-adelaide-2003", "9(b)")
def test_irregular_spins_are_not_settled(tmp_path: Path) -> None:
    """9(b): a table whose simulated spins all go wrong settles none; a weak launch is a no spin."""
    text = CLEARWATER.replace('"in-rim"', '"simulated"').replace("clearwater-etg", "skycity-adelaide-2003")
    text = text.replace("WHEEL", "irregular=1 seed=2")

    async def scenario() -> None:
        async with open_house(tmp_path, text) as house:
            await house.pass_s(90)
            table = house.venue.run.house.tables[A]
            assert not table.numbers
            assert (table.playing.no_spin, table.playing.reason) == (True, Reason.TOO_FEW_REVOLUTIONS)
            assert table.playing.clause == "9(b)"
            assert IncidentKind.WHEEL_TROUBLE in {each.kind for each in house.venue.run.house.incidents.all.values()}

    played(scenario)


def test_real_money_refuses_the_simulated_wheel() -> None:
    """The driver is refused for real money."""
    says = "is for demo money only: it plays games without a wheel"

    assert ("tables[A].driver", says) in wrong(f'mode = "real"\n{SMALLEST}driver = "simulated"\n')


def test_recording_of_a_simulated_game_gives_its_number() -> None:
    """The bytes of a game alone, parsed again, give the number of the trajectory."""
    made = spins("seed=9")
    spin, at, reader = made.spin(), 0, InRimReader(A, Instant(0))
    found = []
    for step in spin.steps:
        at += step.wait
        found += [each.report for each in reader.feed(Instant(at), step.data or b"")]

    (number,) = [report.pocket for report in found if isinstance(report, BallAtRest)]
    assert number in made.order
