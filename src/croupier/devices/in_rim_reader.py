"""The wheel driver `in-rim`: status telegrams on a serial line become reports."""

import re
from collections.abc import Iterator
from enum import IntEnum
from typing import Final, NamedTuple

from croupier.devices.line import Line, SerialSettings
from croupier.devices.recorder import STARTED
from croupier.engine.ports import RecordMark, Timer, WheelPort, WheelReport
from croupier.house.floor.incidents import TroubleCause
from croupier.house.ids import SECOND, Instant, TableId
from croupier.house.rounds.irregularities import WheelTrouble
from croupier.house.rounds.results import BallAtRest
from croupier.house.rounds.spinning import BallLaunched, SignalNoMoreBets
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
#: A line that repeats the line before it sooner than this is the same telegram, doubled: a wheel takes half a second.
DOUBLED: Final = SECOND // 5
#: A stream without such a pause that lasts so long is current: no buffer of a line holds as much.
STREAM: Final = 10 * SECOND
#: Spins are counted from 1 to this, and then from 1 again.
SPINS: Final = 256
#: A longer line is noise.
LINE_MAX: Final = 64
SERIAL: Final = SerialSettings(9600)

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
    cause: TroubleCause | None = None


#: A ball that runs with the rotor is reported as a launch.
_WITH_ROTOR: Final = 2
#: A fault of a sensor or a motor.
_MACHINE: Final = 4
WARNINGS: Final = (
    WarningRule(1, _RUNNING, 5 * SECOND, Reason.BALL_OUT_OF_WHEEL, "no ball for 5 seconds", cause=TroubleCause.NO_BALL),
    WarningRule(_WITH_ROTOR, _RUNNING, 0, Reason.SAME_DIRECTION, "the ball runs with the rotor"),
    WarningRule(
        _MACHINE, tuple(_S), 0, Reason.MALFUNCTION, "a fault of a sensor or a motor", cause=TroubleCause.MACHINE
    ),
    WarningRule(
        8,
        (_S.BALL_IN_RIM,),
        3 * SECOND,
        Reason.TOO_FEW_REVOLUTIONS,
        "the launch failed for 3 seconds",
        cause=TroubleCause.LAUNCH_FAILED,
    ),
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


class Source(IntEnum):
    """Where a telegram states the number of a spin."""

    #: The line of the result: the wheel sends it once.
    RESULT = 0
    #: A status in state 5.
    STATUS = 1
    #: A status of the next game, which repeats the last number.
    NEXT_GAME = 2


class Statement(NamedTuple):
    """A number that a telegram states for the running spin."""

    at: Instant
    source: Source
    win: Pocket


class RunningSpin:
    """A spin that a reader follows, from its launch to its number."""

    def __init__(self, launch: int, count: int, launched_at: Instant | None, confirmed_count: int | None) -> None:
        #: Identifies the spin: the instant at which it began for the reader, made unique.
        self.launch = launch
        #: The wheel's own count of the spin.
        self.count = count
        #: The count that two telegrams in a row have had, in state 2 or since: it does not change in a spin.
        self.confirmed_count = confirmed_count
        #: None if the launch was not seen.
        self.launched_at = launched_at
        self.statements: list[Statement] = []
        #: Another count in the last status of state 5: one that the next status confirms is the wheel's count now.
        self.other_count: int | None = None
        #: Whether an irregularity of this spin was reported, and whether its numbers differed.
        self.troubled = self.differed = False

    @property
    def next_count(self) -> int:
        return self.count % SPINS + 1


class InRimReader:
    """Follows the telegrams of one wheel. The same bytes at the same times give the same reports.

    It acts on edges, and on no line that only doubles the one before it. A spin is identified by its launch: the edge
    from state 2 to 3, with its time. The wheel's count of spins begins again after each power-up, so it identifies none
    by itself. A number is reported when two telegrams of the wheel's own cycle state it: the line of the result, a
    status in state 5, the next status in state 5, or a status of the next game. The number of a spin whose launch was
    not seen is reported with a launch that no report has named, so that the house does not count it. Telegrams carry no
    revolutions and no direction of the ball, so these stay unknown.
    """

    def __init__(self, table: TableId, now: Instant) -> None:
        self.table = table
        #: Why there are no reports; empty while there are.
        self.fault = ""
        self.state: WheelState | None = None
        #: How many telegrams came, how many lines that are none of a known form, and how many only doubled another.
        self.telegrams = self.noise = self.doubled = 0
        self._partial = b""
        #: The last line, and when it came.
        self._line_before, self._line_at = b"", now
        #: When the last status came, or the reader began.
        self._received_at = now
        self._silent = False
        #: When the first status after a silence came.
        self._resumed_at = now
        #: The state of one telegram that is out of order, until the next one.
        self._unconfirmed: WheelState | None = None
        #: None when no ball is known to run.
        self._spin: RunningSpin | None = None
        #: What identifies the last spin.
        self._last_launch = 0
        #: The count in the last telegram: two that agree decide, so that a wrong digit at the launch does not last.
        self._last_count = 0
        #: The count that two telegrams in a row had in state 2, before the launch.
        self._confirmed_count: int | None = None
        #: Since when each warning is shown, and those that were reported.
        self._warned: dict[int, Instant] = {}
        self._reported: set[int] = set()
        self._stopped = 0
        #: The number of the last spin and its launch, and how many telegrams in a row contradict it.
        self._result: Pocket | None = None
        self._result_launch: int | None = None
        self._contradicted = 0

    @property
    def due(self) -> Instant | None:
        """When `advance` has to be called if nothing comes; None during a silence."""
        return None if self._silent else Instant(self._received_at + SILENCE)

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
        report = self._trouble(Reason.MALFUNCTION, TroubleCause.NO_TELEGRAM, silent=True)
        self._forget()
        return [Observation(due, None, report, self.fault)]

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
        self.state = self._unconfirmed = self._result = self._confirmed_count = None
        self._end_spin()
        self._reported.clear()

    def _begin_spin(self, at: Instant, count: int, *, seen: bool) -> None:
        self._end_spin()
        self._last_launch = max(at, self._last_launch + 1)
        self._spin = RunningSpin(
            self._last_launch, count, at if seen else None, self._confirmed_count if seen else None
        )
        self._result = None

    def _end_spin(self) -> None:
        self._spin = None
        self._warned, self._stopped = {}, 0
        # A fault of the machine lasts beyond the spin.
        self._reported &= {_MACHINE}

    def _trouble(
        self,
        reason: Reason,
        cause: TroubleCause | None,
        *,
        silent: bool = False,
        numbers: tuple[Pocket | None, Pocket | None] = (None, None),
    ) -> WheelTrouble:
        """Make the report of an irregularity; `numbers` are the one that the wheel states now, and the one before."""
        # A silence and a fault of the machine concern the round that runs now, and others their spin.
        concerned = None if silent or cause is TroubleCause.MACHINE else self._spin
        if self._spin is not None:
            self._spin.troubled = True
        launch = None if concerned is None else concerned.launch
        return WheelTrouble(self.table, reason, silent, cause, *numbers, launch)

    def _line(self, at: Instant, line: bytes) -> Iterator[Observation]:
        if not line:
            return
        doubled = line == self._line_before and at - self._line_at < DOUBLED
        if not doubled:
            self._line_before, self._line_at = line, at
        status = parse_status(line)
        if status is not None:
            self.telegrams += 1
            fresh = self._is_fresh(at)
            if doubled:
                self.doubled += 1
            elif fresh:
                yield from self._status(at, status)
        elif _RESULT.fullmatch(line):
            win = _pocket(line)
            if self._spin is not None and not doubled:
                yield from self._stated(at, Source.RESULT, win)
        elif line.startswith(b"*X") or not line.startswith(b"*"):
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
        spin = self._spin
        if spin is not None and status.state is _S.WINNING_NUMBER:
            yield from self._rests(at, spin, status)
        elif spin is not None and spin.statements and _repeats(spin, status):
            # The next game has begun: its telegrams repeat the number.
            yield from self._stated(at, Source.NEXT_GAME, status.win)
            yield from self._edge(at, status)
        else:
            if spin is not None and status.state in _RUNNING:
                # The ball still runs: a status in state 5 before this one was damaged.
                spin.statements = [each for each in spin.statements if each.source is Source.RESULT]
            yield from self._edge(at, status)
        if status.spin == self._last_count:
            yield from self._count_confirmed(at, status)
        self._last_count = status.spin
        yield from self._warnings(at, status)
        yield from self._rotor(at, status)
        yield from self._contradiction(at, status)

    def _count_confirmed(self, at: Instant, status: Status) -> Iterator[Observation]:
        """Take the count of two telegrams in a row; in a spin, another one than before is a malfunction."""
        spin = self._spin
        if status.state is _S.PLACE_BETS:
            self._confirmed_count = status.spin
        elif spin is not None and status.state in _RUNNING:
            before, spin.count, spin.confirmed_count = spin.confirmed_count, status.spin, status.spin
            if before not in (None, status.spin):
                why = f"the count of spins changed from {before} to {status.spin} in a spin"
                yield Observation(at, self.state, self._trouble(Reason.MALFUNCTION, TroubleCause.COUNT_CHANGED), why)

    def _rests(self, at: Instant, spin: RunningSpin, status: Status) -> Iterator[Observation]:
        """Read a status in state 5. One with another count than the spin's states its number only if it is repeated."""
        if status.spin != spin.count:
            if spin.other_count != status.spin:
                spin.other_count = status.spin
                return
            spin.count = status.spin
            why = f"the count of spins is {status.spin} in state 5"
            yield Observation(at, self.state, self._trouble(Reason.MALFUNCTION, TroubleCause.COUNT_CHANGED), why)
        yield from self._stated(at, Source.STATUS, status.win)

    def _stated(self, at: Instant, source: Source, win: Pocket | None) -> Iterator[Observation]:
        """Take one statement of the number: two that agree are the result, and two that differ a malfunction."""
        spin = self._spin
        assert spin is not None
        if win is None:
            return
        stated, statement = spin.statements, Statement(at, source, win)
        if stated and stated[0].win != win:
            # The number that the wheel states from now on is reported, and waits for staff.
            spin.statements = [statement]
            if not spin.differed:
                spin.differed = True
                report = self._trouble(Reason.MALFUNCTION, TroubleCause.NUMBERS_DIFFER, numbers=(win, stated[0].win))
                yield Observation(at, self.state, report, f"two telegrams state {stated[0].win} and {win}")
        elif source is not Source.RESULT or all(each.source is not source for each in stated):
            # The wheel sends the line of the result once: a second one states nothing more.
            stated.append(statement)
            if len(stated) > 1:
                yield from self._result_of(spin)

    def _result_of(self, spin: RunningSpin) -> Iterator[Observation]:
        first, last = spin.statements[0], spin.statements[-1]
        if self.state is not _S.NO_MORE_BETS:
            # A state was left out: the number is reported, and the dealer decides.
            report = self._trouble(Reason.MALFUNCTION, TroubleCause.STATE_LEFT_OUT)
            yield Observation(last.at, self.state, report, "a number without state 4")
        self._end_spin()
        self.state, self._unconfirmed, self._contradicted = _S.WINNING_NUMBER, None, 0
        self._result, self._result_launch = last.win, spin.launch
        took = None if spin.launched_at is None else (first.at - spin.launched_at) // 1_000
        rest = BallAtRest(self.table, last.win, spin_id=spin.count, launch=spin.launch, took_ms=took)
        yield Observation(last.at, _S.WINNING_NUMBER, rest)

    def _edge(self, at: Instant, status: Status) -> Iterator[Observation]:
        before, state = self.state, status.state
        if state is before:
            self._unconfirmed = None
            return
        counted = self._spin is None or self._spin.count == status.spin
        in_order = before is None or ((before, state) in _NEXT and counted)
        if not in_order and self._unconfirmed is not state:
            self._unconfirmed = state
            return
        self.state, self._unconfirmed = state, None
        report = self._entered(at, before, status)
        if state in _QUIET:
            # The wheel was switched off or on: it may have forgotten its last number.
            self._result = None
        yield Observation(at, state, report, _why(before, status, report))

    def _entered(self, at: Instant, before: WheelState | None, status: Status) -> WheelReport | None:
        """Return the report of an edge."""
        state = status.state
        self.fault = _FAULTS.get(state, "")
        if before is not None and (before, state) in _NEXT:
            return self._in_order(at, status)
        report = None if before is None else self._out_of_order(before, state)
        self._end_spin()
        if state in _RUNNING:
            # A ball runs whose launch was not seen.
            self._begin_spin(at, status.spin, seen=False)
        return report

    def _out_of_order(self, before: WheelState, state: WheelState) -> WheelTrouble | None:
        running = self._spin is not None
        if self._spin is not None and self._spin.troubled:
            # The wheel gives up a spin that was reported as irregular.
            return None
        if state is _S.BALL_NOT_IN_TRACK:
            reason = Reason.BALL_OUT_OF_WHEEL if running else Reason.MALFUNCTION
            return self._trouble(reason, TroubleCause.BALL_NOT_IN_TRACK)
        if not running and not (before in _PLAYING and state not in _QUIET):
            return None
        cause = TroubleCause.CLOSED if state is _S.CLOSED else TroubleCause.OUT_OF_ORDER
        return self._trouble(Reason.MALFUNCTION, cause)

    def _in_order(self, at: Instant, status: Status) -> WheelReport | None:
        if status.state is _S.BALL_IN_RIM:
            self._begin_spin(at, status.spin, seen=True)
            return self._launch(status)
        launched = self._spin is not None and self._spin.launched_at is not None
        return SignalNoMoreBets(self.table) if launched and status.state is _S.NO_MORE_BETS else None

    def _launch(self, status: Status) -> BallLaunched:
        assert self._spin is not None
        opposite = False if status.warnings & _WITH_ROTOR else None
        self._reported |= {status.warnings & _WITH_ROTOR}
        self._spin.troubled = opposite is False
        return BallLaunched(self.table, opposite, status.speed > 0, self._spin.launch)

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
        report, spin = self._trouble(warning.reason, warning.cause), self._spin
        if warning.bit == _WITH_ROTOR and spin is not None and spin.launched_at is not None:
            return BallLaunched(self.table, opposite=False, launch=spin.launch)
        return report

    def _rotor(self, at: Instant, status: Status) -> Iterator[Observation]:
        """Report a rotor that stands still in two telegrams of a spin."""
        still = self._spin is not None and status.state is self.state and status.speed == 0
        self._stopped = self._stopped + 1 if still else 0
        if self._stopped == 2:  # noqa: PLR2004 - a telegram and its confirmation
            report = self._trouble(Reason.WHEEL_STOPPED, TroubleCause.ROTOR_STOPPED)
            yield Observation(at, self.state, report, "the rotor stands still")

    def _contradiction(self, at: Instant, status: Status) -> Iterator[Observation]:
        """Report a wheel that shows another number after its result, in two telegrams in a row."""
        after = status.state in (_S.WINNING_NUMBER, _S.PLACE_BETS)
        differs = self._result is not None and after and status.win not in (None, self._result)
        self._contradicted = self._contradicted + 1 if differs else 0
        if self._contradicted == 2:  # noqa: PLR2004 - a telegram and its confirmation
            why = f"the number {self._result} was reported, and the wheel shows {status.win}"
            numbers = (status.win, self._result)
            cause, launch = TroubleCause.NUMBER_CHANGED, self._result_launch
            report = WheelTrouble(self.table, Reason.MALFUNCTION, False, cause, *numbers, launch)  # noqa: FBT003 - not silent
            yield Observation(at, self.state, report, why)


def _repeats(spin: RunningSpin, status: Status) -> bool:
    """Return whether a status is of the game after a spin, and repeats its number."""
    return status.state is _S.PLACE_BETS and status.spin == spin.next_count


def _why(before: WheelState | None, status: Status, report: WheelReport | None) -> str:
    """Say why a report of an edge is an irregularity; empty if it is none."""
    if isinstance(report, BallLaunched) and report.opposite is False:
        return "the ball runs with the rotor"
    if not isinstance(report, WheelTrouble):
        return ""
    assert before is not None
    return f"state {status.state.value} after {before.value} in spin {status.spin}"


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
