"""The wheel driver `in-rim`: status telegrams on a serial line become reports."""

import re
from collections.abc import Iterator
from enum import IntEnum
from typing import Final, NamedTuple

from croupier.devices.line import Line, SerialSettings
from croupier.engine.ports import RecordMark, Timer, WheelPort, WheelReport
from croupier.house.commands.rounds import BallAtRest, BallLaunched, BallLeftTrack, WheelTrouble
from croupier.house.ids import SECOND, Instant, TableId
from croupier.rules.geometry import Pocket
from croupier.rules.procedure import Reason


class WheelState(IntEnum):
    """The states of the wheel, by the digit in its telegrams."""

    STARTING = 1
    PLACE_BETS = 2
    BALL_IN_RIM = 3
    NO_MORE_BETS = 4
    WINNING_NUMBER = 5
    CLOSED = 6
    BALL_NOT_IN_TRACK = 7


class Status(NamedTuple):
    """One status telegram."""

    state: WheelState
    spin: int
    #: The last number: not a result before state 5. None before the first one.
    win: Pocket | None
    warnings: int
    #: The speed of the rotor, in tenths of a revolution per minute.
    speed: int


class Observation(NamedTuple):
    """What a telegram, or its absence, has shown: a new state, a report for the house, or both."""

    at: Instant
    #: None when the wheel is silent.
    state: WheelState | None
    report: WheelReport | None = None
    #: Why an irregularity is reported; empty for other reports.
    why: str = ""


#: A telegram comes every half second. After six that are missing the wheel is silent.
SILENCE: Final = 3 * SECOND
#: After a silence, a telegram that follows another one sooner than this comes from a buffer.
FRESH: Final = SECOND // 5
#: A stream without such a pause that lasts so long is current: no buffer of a line holds as much.
STREAM: Final = 10 * SECOND
#: Spins are counted from 1 to this, and then from 1 again.
SPINS: Final = 256
#: A longer line is noise.
LINE_MAX: Final = 64
SERIAL: Final = SerialSettings(9600)
#: The note in a recording when the driver is started: nothing is known of the wheel.
STARTED: Final = b"started"

_STATUS: Final = re.compile(rb"\*X;([1-7]);(\d{3});(  | \d|[1-9]\d|00);([0-9A-Fa-f]);(\d{3,4});[01]")
_RESULT: Final = re.compile(rb" \d|[1-9]\d|00")
_LINE_END: Final = re.compile(rb"[\r\n]+")

_S = WheelState
#: The normal order. Any other edge counts when a second telegram confirms it.
_NEXT: Final = {
    (_S.CLOSED, _S.STARTING),
    (_S.STARTING, _S.PLACE_BETS),
    (_S.PLACE_BETS, _S.BALL_IN_RIM),
    (_S.BALL_IN_RIM, _S.NO_MORE_BETS),
    (_S.NO_MORE_BETS, _S.WINNING_NUMBER),
    (_S.WINNING_NUMBER, _S.PLACE_BETS),
}
#: States in which the ball runs, and those in which an edge out of order is a malfunction.
_RUNNING: Final = (_S.BALL_IN_RIM, _S.NO_MORE_BETS)
_PLAYING: Final = (_S.PLACE_BETS, *_RUNNING, _S.WINNING_NUMBER)
#: States to which a wheel that is not spinning may go at any time.
_QUIET: Final = (_S.STARTING, _S.CLOSED)


_FAULTS: Final = {_S.CLOSED: "it is closed", _S.BALL_NOT_IN_TRACK: "the ball is not in the track"}


class WarningRule(NamedTuple):
    """A bit of the warning digit: the states in which it counts, how long it is ignored, and what it means."""

    bit: int
    states: tuple[WheelState, ...]
    patience: int
    reason: Reason
    words: str


#: A ball that runs with the rotor is reported as a launch.
_WITH_ROTOR: Final = 2
#: A fault of a sensor or a motor.
_MACHINE: Final = 4
WARNINGS: Final = (
    WarningRule(1, _RUNNING, 5 * SECOND, Reason.BALL_OUT_OF_WHEEL, "no ball for 5 seconds"),
    WarningRule(_WITH_ROTOR, _RUNNING, 0, Reason.SAME_DIRECTION, "the ball runs with the rotor"),
    WarningRule(_MACHINE, tuple(_S), 0, Reason.MALFUNCTION, "a fault of a sensor or a motor"),
    WarningRule(8, (_S.BALL_IN_RIM,), 3 * SECOND, Reason.TOO_FEW_REVOLUTIONS, "the launch failed for 3 seconds"),
)


def parse_status(line: bytes) -> Status | None:
    """Parse a status telegram; None for any other line. Bytes before it, as of a line that was cut, are ignored."""
    found = _STATUS.fullmatch(line, max(0, line.rfind(b"*X")))
    if found is None:
        return None
    state, spin, win, warnings, speed = found.groups()
    pocket = _pocket(win)
    return Status(WheelState(int(state)), int(spin), pocket, int(warnings, 16), int(speed))


def _pocket(text: bytes) -> Pocket | None:
    stripped = text.decode("ascii").strip()
    return Pocket(stripped) if stripped else None


class InRimReader:
    """Follows the telegrams of one wheel. The same bytes at the same times give the same reports.

    It acts on edges. A number counts when the launch of its spin was seen, and when two telegrams state it: the line of
    the result, a status in state 5, or the next game's status. Telegrams carry no revolutions and no direction of the
    ball, so these stay unknown.
    """

    def __init__(self, table: TableId, now: Instant) -> None:
        self.table = table
        #: Why there are no reports; empty while there are.
        self.fault = ""
        self.state: WheelState | None = None
        #: How many telegrams came, and how many lines that are none of a known form.
        self.telegrams = self.noise = 0
        self._partial = b""
        #: When the last status came, or the reader began.
        self._received_at = now
        self._silent = False
        #: When the first status after a silence came.
        self._resumed_at = now
        #: The state of one telegram that is out of order, until the next one.
        self._unconfirmed: WheelState | None = None
        #: The wheel's number of the spin whose launch was seen; None when no ball is known to run.
        self._spin: int | None = None
        #: The spin in the last telegram: two that agree decide, so that a wrong digit at the launch does not last.
        self._last_spin = 0
        self._statements: list[Pocket] = []
        #: Since when each warning is shown, and those that were reported.
        self._warned: dict[int, Instant] = {}
        self._reported: set[int] = set()
        self._stopped = 0
        #: Whether an irregularity of this spin was reported.
        self._troubled = False
        #: The number of the last spin, and how many telegrams in a row contradict it.
        self._result: Pocket | None = None
        self._contradicted = 0

    @property
    def due(self) -> Instant | None:
        """When `advance` has to be called if nothing comes; None during a silence."""
        return None if self._silent else Instant(self._received_at + SILENCE)

    @property
    def _next_spin(self) -> int | None:
        return None if self._spin is None else self._spin % SPINS + 1

    def feed(self, at: Instant, data: bytes) -> list[Observation]:
        """Read bytes that came at an instant."""
        observations = self.advance(at)
        *lines, partial = _LINE_END.split(self._partial + data)
        self._partial = partial[-LINE_MAX:]
        for line in lines:
            observations += self._line(at, line)
        return observations

    def advance(self, at: Instant) -> list[Observation]:
        """Let time pass: report a silence once."""
        due = self.due
        if due is None or at < due:
            return []
        self._silent, self.fault = True, f"no telegram for {SILENCE // SECOND} seconds"
        self._forget()
        return [Observation(due, None, self._trouble(Reason.MALFUNCTION, silent=True), self.fault)]

    def cut(self) -> None:
        """Drop an incomplete line: the device was unplugged."""
        self._partial = b""

    def begin(self, now: Instant) -> None:
        """Begin anew: the driver was started."""
        self.cut()
        self._forget()
        self._received_at, self._silent, self.fault = now, False, ""

    def _forget(self) -> None:
        """Know nothing of the wheel: the next telegram is a beginning, and no edge."""
        self.state = self._unconfirmed = self._result = None
        self._end_spin()
        self._reported.clear()

    def _end_spin(self) -> None:
        self._spin = None
        self._statements, self._warned, self._stopped, self._troubled = [], {}, 0, False
        # A fault of the machine lasts beyond the spin.
        self._reported &= {_MACHINE}

    def _trouble(self, reason: Reason, *, silent: bool = False) -> WheelTrouble:
        self._troubled = self._spin is not None
        return WheelTrouble(self.table, reason, silent=silent)

    def _line(self, at: Instant, line: bytes) -> Iterator[Observation]:
        status = parse_status(line)
        if status is not None:
            self.telegrams += 1
            if self._is_fresh(at):
                yield from self._status(at, status)
        elif _RESULT.fullmatch(line) and self._spin is not None:
            yield from self._stated(at, _pocket(line))
        elif line and (line.startswith(b"*X") or not line.startswith(b"*")):
            self.noise += 1

    def _is_fresh(self, at: Instant) -> bool:
        """Record a status, and decide whether it is current: after a silence a buffer may hold old ones."""
        since, self._received_at = at - self._received_at, at
        if since >= SILENCE:
            self._resumed_at = at
        elif self._silent and (since >= FRESH or at - self._resumed_at >= STREAM):
            self._silent, self.fault = False, ""
        return not self._silent

    def _status(self, at: Instant, status: Status) -> Iterator[Observation]:
        if self._spin is not None and status.state is _S.WINNING_NUMBER:
            if status.spin == self._spin:
                yield from self._stated(at, status.win)
        elif self._statements and status.state is _S.PLACE_BETS and status.spin == self._next_spin:
            # The next game has begun: its telegrams repeat the number.
            yield from self._stated(at, status.win)
            yield from self._edge(at, status)
        else:
            self._statements = []
            yield from self._edge(at, status)
        if self._spin is not None and status.state in _RUNNING and status.spin == self._last_spin:
            self._spin = status.spin
        self._last_spin = status.spin
        yield from self._warnings(at, status)
        yield from self._rotor(at, status)
        yield from self._contradiction(at, status)

    def _stated(self, at: Instant, win: Pocket | None) -> Iterator[Observation]:
        """Take one statement of the number: two that agree are the result, two that differ are a malfunction."""
        if win is None:
            return
        self._statements.append(win)
        if len(self._statements) < 2:  # noqa: PLR2004 - a statement and its confirmation
            return
        agreed, spin = len(set(self._statements)) == 1, self._spin
        if agreed and self.state is not _S.NO_MORE_BETS:
            # A state was left out: the number is reported, and the dealer decides.
            yield Observation(at, self.state, self._trouble(Reason.MALFUNCTION), "a number without state 4")
        stated = " and ".join(self._statements)
        self._end_spin()
        self.state, self._unconfirmed, self._contradicted = _S.WINNING_NUMBER, None, 0
        self._result = win if agreed else None
        if agreed:
            yield Observation(at, _S.WINNING_NUMBER, BallAtRest(self.table, win, spin_id=spin))
        else:
            why = f"two telegrams state {stated}"
            yield Observation(at, _S.WINNING_NUMBER, self._trouble(Reason.MALFUNCTION), why)

    def _edge(self, at: Instant, status: Status) -> Iterator[Observation]:
        before, state = self.state, status.state
        if state is before:
            self._unconfirmed = None
            return
        in_order = before is None or ((before, state) in _NEXT and self._spin in (None, status.spin))
        if not in_order and self._unconfirmed is not state:
            self._unconfirmed = state
            return
        self.state, self._unconfirmed = state, None
        report = self._entered(before, status)
        yield Observation(at, state, report, _why(before, status) if _is_alarm(report) else "")

    def _entered(self, before: WheelState | None, status: Status) -> WheelReport | None:
        """Return the report of an edge."""
        state = status.state
        self.fault = _FAULTS.get(state, "")
        if before is None:
            return None
        if (before, state) in _NEXT:
            return self._in_order(status)
        running, known = self._spin is not None, self._troubled
        self._end_spin()
        if running and known:
            # The wheel gives up a spin that was reported as irregular.
            return None
        if state is _S.BALL_NOT_IN_TRACK:
            return self._trouble(Reason.BALL_OUT_OF_WHEEL if running else Reason.MALFUNCTION)
        return self._trouble(Reason.MALFUNCTION) if running or _is_out_of_order(before, state) else None

    def _in_order(self, status: Status) -> WheelReport | None:
        if status.state is _S.BALL_IN_RIM:
            self._end_spin()
            self._spin, self._result = status.spin, None
            return self._launch(status)
        if status.state is _S.NO_MORE_BETS and self._spin is not None:
            # Betting ends now at the latest, whatever staff do: the ball is about to leave the track.
            return BallLeftTrack(self.table)
        return None

    def _launch(self, status: Status) -> BallLaunched:
        opposite = False if status.warnings & _WITH_ROTOR else None
        self._reported |= {status.warnings & _WITH_ROTOR}
        self._troubled = opposite is False
        return BallLaunched(self.table, opposite=opposite, turning=status.speed > 0)

    def _warnings(self, at: Instant, status: Status) -> Iterator[Observation]:
        for each in WARNINGS:
            shown = status.warnings & each.bit and status.state in each.states and status.state is self.state
            if not shown:
                self._warned.pop(each.bit, None)
                if not status.warnings & _MACHINE:
                    self._reported.discard(_MACHINE)
            elif at - self._warned.setdefault(each.bit, at) >= each.patience and each.bit not in self._reported:
                self._reported.add(each.bit)
                yield Observation(at, self.state, self._warning(each), each.words)

    def _warning(self, warning: WarningRule) -> WheelReport:
        if warning.bit == _WITH_ROTOR:
            self._troubled = True
            return BallLaunched(self.table, opposite=False)
        return self._trouble(warning.reason)

    def _rotor(self, at: Instant, status: Status) -> Iterator[Observation]:
        """Report a rotor that stands still in two telegrams of a spin."""
        still = self._spin is not None and status.state is self.state and status.speed == 0
        self._stopped = self._stopped + 1 if still else 0
        if self._stopped == 2:  # noqa: PLR2004 - a telegram and its confirmation
            yield Observation(at, self.state, self._trouble(Reason.WHEEL_STOPPED), "the rotor stands still")

    def _contradiction(self, at: Instant, status: Status) -> Iterator[Observation]:
        """Report a wheel that shows another number after its result, in two telegrams in a row."""
        after = status.state in (_S.WINNING_NUMBER, _S.PLACE_BETS)
        differs = self._result is not None and after and status.win != self._result
        self._contradicted = self._contradicted + 1 if differs else 0
        if self._contradicted == 2:  # noqa: PLR2004 - a telegram and its confirmation
            why = f"the number {self._result} was reported, and the wheel shows {status.win or 'none'}"
            yield Observation(at, self.state, self._trouble(Reason.MALFUNCTION), why)


def _is_out_of_order(before: WheelState, state: WheelState) -> bool:
    return before in _PLAYING and state not in _QUIET


def _is_alarm(report: WheelReport | None) -> bool:
    """Return whether a report is an irregularity: trouble, or a launch with the rotor."""
    return isinstance(report, WheelTrouble) or (isinstance(report, BallLaunched) and report.opposite is False)


def _why(before: WheelState | None, status: Status) -> str:
    if status.state is _S.BALL_IN_RIM:
        return "the ball runs with the rotor"
    after = "" if before is None else f" after {before.value}"
    return f"state {status.state.value}{after} in spin {status.spin}"


class SerialWheel:
    """Pushes what the wheel sends, and sends nothing itself: the wheel runs its games on its own.

    A line that is unplugged is opened again once it is back. Bytes go to the flight recorder before they are parsed.
    """

    def __init__(self, table: TableId, address: str) -> None:
        self.table = table
        self._line = Line(address, SERIAL, self._received, lambda _, data: data)
        self._port: WheelPort | None = None
        self._reader = InRimReader(table, Instant(0))
        #: Finds a silence.
        self._timer: Timer | None = None

    @property
    def fault(self) -> str:
        return self._line.fault or self._reader.fault

    def open(self, port: WheelPort) -> None:
        self._port, self._reader = port, InRimReader(self.table, port.clock.now())
        self._line.opened = self._reader.cut
        port.record(RecordMark.NOTE, STARTED)
        self._line.open(port)
        self._watch(port)

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._line.close()

    def _received(self, data: bytes) -> None:
        assert self._port is not None
        self._push(self._port, self._reader.feed(self._port.clock.now(), data))

    def _push(self, port: WheelPort, observations: list[Observation]) -> None:
        for observation in observations:
            if observation.report is not None:
                port.report(observation.report)
        self._watch(port)

    def _watch(self, port: WheelPort) -> None:
        """Set the timer that finds a silence, unless it is set."""
        due = self._reader.due
        if due is not None and self._timer is None:
            self._timer = port.clock.at(due, lambda: self._ring(port))

    def _ring(self, port: WheelPort) -> None:
        self._timer = None
        self._push(port, self._reader.advance(port.clock.now()))
