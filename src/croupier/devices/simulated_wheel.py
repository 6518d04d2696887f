"""The wheel driver `simulated`: a ball and a rotor by the laws of motion, with telegrams, for demo money only."""

import math
from enum import StrEnum
from random import Random, SystemRandom
from typing import Final, NamedTuple

import msgspec

from croupier.devices.emulator import FAULTS, PERIOD, Game, Step
from croupier.devices.in_rim_reader import InRimReader, WheelState
from croupier.engine.ports import RecordMark, Timer, WheelPort, WheelReport
from croupier.house.ids import SECOND, Instant, TableId
from croupier.house.rounds.results import BallAtRest
from croupier.house.rounds.spinning import BallLaunched
from croupier.rulebooks.loader import load_rulebook
from croupier.rules.geometry import Pocket
from croupier.rules.refusal import Refusal

TURN: Final = 2 * math.pi

# The ball rolls in the track at an angular speed w (radians a second) and slows down by friction and by the air:
# dw/dt = -(ROLLING + DRAG * w**2). Both integrals are known in closed form.
ROLLING: Final = 0.12
DRAG: Final = 0.0075
#: Below this speed gravity along the inclined track exceeds the centripetal force, and the ball leaves the track:
#: sqrt(g * tan(27 degrees) / 0.385 m).
LEAVES_BELOW: Final = 3.6
#: Below this speed the wheel announces no more bets.
CLOSES_BELOW: Final = 6.4
#: The rotor loses a fraction 1/e of its speed in so many seconds.
ROTOR_DECAY_S: Final = 120.0
#: From the track to the rotor, in seconds: with the height of the deflector that the ball hits on its way.
DESCENT_S: Final = (1.0, 2.2)
#: What the ball keeps of its speed on its way down.
DESCENT_SPEED: Final = 0.6
#: The duration of a hop between pockets; and from the last one until the reader has recognised the number.
HOP_S: Final = 0.35
RECOGNITION_S: Final = 6.0

#: The ranges of a launch: the ball at 1.8 to 2 turns a second, the rotor at 14 to 22 turns a minute.
BALL: Final = (11.2, 12.6)
ROTOR: Final = (1.5, 2.3)
#: A weak launch, which leaves the track before its third turn.
WEAK_BALL: Final = (3.7, 4.6)
#: The most hops, and how many pockets the first one crosses at most; each one crosses half as many as the one before.
HOPS_MAX: Final = 5
SCATTER: Final = 12
#: How many telegrams announce that bets may be placed: 6 to 10 seconds.
BETTING_LINES: Final = (12, 20)


class Launch(NamedTuple):
    """The start of a spin: all that decides where the ball comes to rest."""

    #: Angular speeds, in radians a second.
    ball: float
    rotor: float
    #: The angle of pocket 0 ahead of the ball, in the direction of the rotor.
    angle: float
    #: The time of the descent, in seconds.
    descent: float
    #: How many pockets each hop crosses; negative against the rotor.
    hops: tuple[int, ...]
    opposite: bool = True


class Trajectory(NamedTuple):
    """The course of a spin, in seconds from its launch."""

    closes_s: float
    left_track_s: float
    rest_s: float
    #: Radians in the track.
    angle: float
    #: The index of the pocket in the order of the wheel.
    pocket: int


def simulate(launch: Launch, pockets: int) -> Trajectory:
    """Compute the course of a ball and the pocket in which it comes to rest."""
    speed = max(launch.ball, LEAVES_BELOW)
    left_track = _slowing_s(speed, LEAVES_BELOW)
    angle = math.log((ROLLING + DRAG * speed**2) / (ROLLING + DRAG * LEAVES_BELOW**2)) / (2 * DRAG)
    lands = left_track + launch.descent
    ball = angle + DESCENT_SPEED * LEAVES_BELOW * launch.descent
    rotor = launch.rotor * ROTOR_DECAY_S * (1 - math.exp(-lands / ROTOR_DECAY_S))
    # On the rotor, the ball's angle from pocket 0: against the rotor both angles add up.
    relative = (ball + rotor if launch.opposite else ball - rotor) + launch.angle
    landed = int(relative % TURN / TURN * pockets)
    return Trajectory(
        closes_s=_slowing_s(speed, min(speed, CLOSES_BELOW)),
        left_track_s=left_track,
        rest_s=lands + HOP_S * len(launch.hops) + RECOGNITION_S,
        angle=angle,
        pocket=(landed + sum(launch.hops)) % pockets,
    )


def _slowing_s(speed: float, until: float) -> float:
    """Return how long the ball takes to slow down."""
    ratio = math.sqrt(DRAG / ROLLING)
    return (math.atan(speed * ratio) - math.atan(until * ratio)) / math.sqrt(DRAG * ROLLING)


def rotor_speed(launch: Launch, at_s: float) -> int:
    """Return the speed of the rotor in tenths of a revolution per minute, as telegrams state it."""
    return round(launch.rotor * math.exp(-at_s / ROTOR_DECAY_S) / TURN * 600)


class TrackSensor:
    """A sensor at one place of the track. It counts whole revolutions: a part of a turn does not count."""

    def __init__(self, at: float) -> None:
        #: Its angle ahead of the launch.
        self.at = at

    def revolutions(self, angle: float) -> int:
        """Return the revolutions of a ball that ran so far: from one pass of the sensor to the next."""
        return max(0, math.floor((angle - self.at) / TURN))


class Irregular(StrEnum):
    """How a simulated spin goes wrong, besides a weak launch: faults of the emulator, by their names."""

    WITH_ROTOR = "launched-with-rotor"
    BALL_OUT = "ball-not-in-track"
    ROTOR_STOPS = "rotor-stops"
    LAUNCH_FAILED = "launch-failed"


class WheelOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The settings in the address of the driver, such as `wheel=clearwater-etg irregular=0.02 seed=7`."""

    #: The rulebook whose wheel it is.
    wheel: str = "skycity-adelaide-2003"
    #: The share of spins that go wrong.
    irregular: float = 0.0
    #: For the same spins again; without a seed they come from the system's secure source.
    seed: int | None = None


class Spin(NamedTuple):
    """One game of the simulated wheel: its telegrams, and what the sensor of the track has seen."""

    steps: list[Step]
    opposite: bool
    revolutions: int | None


class SimulatedSpins:
    """Makes one spin after another."""

    def __init__(self, order: tuple[Pocket, ...], options: WheelOptions) -> None:
        self.order, self._irregular = order, options.irregular
        self._random = SystemRandom() if options.seed is None else Random(options.seed)  # noqa: S311 - for demo money
        self._game = Game(0, "", "")

    def launch(self, ball: tuple[float, float] = BALL) -> Launch:
        """Draw a launch. The angle of the rotor has no preferred value, so each pocket has the same probability."""
        draw = self._random
        hops = range(draw.randint(1, HOPS_MAX))
        return Launch(
            ball=draw.uniform(*ball),
            rotor=draw.uniform(*ROTOR),
            angle=draw.uniform(0, TURN),
            descent=draw.uniform(*DESCENT_S),
            hops=tuple(draw.randint(-(SCATTER >> hop), SCATTER >> hop) for hop in hops),
        )

    def spin(self) -> Spin:
        """Return the next game."""
        if self._random.random() >= self._irregular:
            return self._played(self.launch())
        fault = self._random.choice((None, *Irregular))
        return self._played(self.launch(WEAK_BALL)) if fault is None else self._failed(fault)

    def _played(self, launch: Launch) -> Spin:
        course = simulate(launch, len(self.order))
        self._game = game = self._game.following(self.order[course.pocket])
        betting = self._random.randint(*BETTING_LINES)
        steps = [Step(PERIOD, game.status(WheelState.PLACE_BETS, speed=rotor_speed(launch, 0)))] * betting
        # A state is stated at least twice, as a real wheel does.
        for state, begins, ends in (
            (WheelState.BALL_IN_RIM, 0.0, course.closes_s),
            (WheelState.NO_MORE_BETS, course.closes_s, course.rest_s),
        ):
            lines = max(2, round((ends - begins) * SECOND / PERIOD))
            times = (begins + line * PERIOD / SECOND for line in range(lines))
            steps += [Step(PERIOD, game.status(state, speed=rotor_speed(launch, at))) for at in times]
        steps += [game.result, *game.lines(WheelState.WINNING_NUMBER)]
        sensor = TrackSensor(self._random.uniform(0, TURN))
        return Spin(steps, launch.opposite, sensor.revolutions(course.angle))

    def _failed(self, fault: Irregular) -> Spin:
        self._game = self._game.following(self._random.choice(self.order))
        return Spin(FAULTS[fault].play(self._game), opposite=fault is not Irregular.WITH_ROTOR, revolutions=None)


def read_options(address: str) -> SimulatedSpins | str:
    """Read the address of the driver; text says what is wrong with it."""
    pairs = [part.partition("=")[::2] for part in address.split()]
    try:
        options = msgspec.convert(dict(pairs), WheelOptions, strict=False)
    except msgspec.ValidationError as error:
        return f"the address is not valid: {error}"
    rulebook = load_rulebook(options.wheel)
    if isinstance(rulebook, Refusal):
        return rulebook.message
    return SimulatedSpins(rulebook.wheel.order, options)


class SimulatedWheel:
    """The wheel driver `simulated`: it plays games without a device."""

    demo_only = True

    def __init__(self, table: TableId, address: str) -> None:
        self.table = table
        self._spins = read_options(address)
        self._spin = Spin([], opposite=True, revolutions=None)
        self._timer: Timer | None = None
        self._reader = InRimReader(table, Instant(0))

    @property
    def fault(self) -> str:
        return self._spins if isinstance(self._spins, str) else self._reader.fault

    def open(self, port: WheelPort) -> None:
        self._reader = InRimReader(self.table, port.clock.now())
        if not isinstance(self._spins, str):
            self._next(port, self._spins)

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def _next(self, port: WheelPort, spins: SimulatedSpins) -> None:
        if not self._spin.steps:
            self._spin = spins.spin()
        step = self._spin.steps.pop(0)
        due = Instant(port.clock.now() + step.wait)
        self._timer = port.clock.at(due, lambda: self._send(port, spins, step.data or b""))

    def _send(self, port: WheelPort, spins: SimulatedSpins, data: bytes) -> None:
        port.record(RecordMark.RECEIVED, data)
        for observation in self._reader.feed(port.clock.now(), data):
            if observation.report is not None:
                port.report(self._seen(observation.report))
        self._next(port, spins)

    def _seen(self, report: WheelReport) -> WheelReport:
        """Add what the sensor of the track has seen, which no telegram states."""
        spin = self._spin
        if isinstance(report, BallLaunched):
            return msgspec.structs.replace(report, opposite=spin.opposite)
        if isinstance(report, BallAtRest):
            return msgspec.structs.replace(report, opposite=spin.opposite, revolutions=spin.revolutions)
        return report
