"""An emulated wheel: telegrams of normal games and of every fault, on a pseudo-terminal."""

import os
import pty
import tty
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from croupier.devices.in_rim_reader import SPINS, WheelState
from croupier.devices.random_source import draw
from croupier.house.ids import SECOND

#: A status comes every half second.
PERIOD: Final = SECOND // 2
#: How many telegrams a normal game has in each state: 7, 7.5, 18 and 1 seconds.
LINES: Final = {2: 14, 3: 15, 4: 36, 5: 2}


class Step(NamedTuple):
    """What the wheel does next: it waits, and then sends bytes. None unplugs it."""

    wait: int
    data: bytes | None


class Game(NamedTuple):
    """One game: the wheel's number of the spin, the number before it, and its own number."""

    spin: int
    last: str
    win: str

    def status(self, state: int, warning: int = 0, speed: int = 150) -> bytes:
        win = self.win if state == WheelState.WINNING_NUMBER else self.last
        return f"*X;{state};{self.spin:03};{win:>2};{warning:X};{speed:03};{self.spin % 2}\r\n".encode()

    @property
    def result(self) -> Step:
        return Step(0, f"{self.win:>2}\r\n".encode())

    def lines(self, state: int, count: int | None = None, warning: int = 0, speed: int = 150) -> list[Step]:
        return [Step(PERIOD, self.status(state, warning, speed))] * (LINES[state] if count is None else count)

    def following(self, win: str) -> "Game":
        return Game(self.spin % SPINS + 1, self.win, win)


def normal(game: Game) -> list[Step]:
    """Return the telegrams of a game without a fault."""
    return [*game.lines(2), *game.lines(3), *game.lines(4), game.result, *game.lines(5)]


def _until_rest(game: Game) -> list[Step]:
    return [*game.lines(2), *game.lines(3), *game.lines(4)]


def _ended(game: Game) -> list[Step]:
    return [game.result, *game.lines(5)]


def _cut_line(game: Game) -> list[Step]:
    first, second, third, *others = normal(game)
    assert second.data is not None
    assert third.data is not None
    # Half of a line, and the next one right behind it; then a line that ends early.
    return [first, second._replace(data=second.data[:8]), third, Step(PERIOD, second.data[:8] + b"\r\n"), *others]


def _noise(game: Game) -> list[Step]:
    noise = Step(0, bytes(range(128, 256)) + b"\r\n\x00\xff")
    return [each for step in normal(game) for each in (noise, Step(step.wait, b"\r\n" + (step.data or b"")))]


def _duplicates(game: Game) -> list[Step]:
    return [Step(step.wait, (step.data or b"") * 2) for step in normal(game)]


def _stale_backlog(game: Game) -> list[Step]:
    """Two minutes of silence in the spin, then what was sent meanwhile at once; then the next game is under way."""
    after = game.following(game.last)
    stale = [Step(0, step.data) for step in (*game.lines(4, 20), *_ended(game), *normal(after)[:-2])]
    live = after.following(game.last)
    return [*game.lines(2), *game.lines(3), *game.lines(4, 16), Step(120 * SECOND, b""), *stale, *live.lines(2)]


def _silence(game: Game) -> list[Step]:
    return [*game.lines(2), *game.lines(3), Step(4 * SECOND, b""), *game.lines(4), *_ended(game)]


def _unplugged(game: Game) -> list[Step]:
    return [*game.lines(2), *game.lines(3), *game.lines(4, 4), Step(0, None), *game.lines(4, 30), *_ended(game)]


def _launch_retried(game: Game) -> list[Step]:
    return [*game.lines(2), *game.lines(3, 5, 8), *game.lines(3), *game.lines(4), *_ended(game)]


def _launch_failed(game: Game) -> list[Step]:
    return [*game.lines(2), *game.lines(3, 9, 8), *game.lines(2)]


def _with_rotor(game: Game) -> list[Step]:
    return [*game.lines(2), *game.lines(3, 3), *game.lines(3, 12, 2), *game.lines(4), *_ended(game)]


def _launched_with_rotor(game: Game) -> list[Step]:
    return [*game.lines(2), *game.lines(3, 15, 2), *game.lines(4), *_ended(game)]


def _ball_missed_briefly(game: Game) -> list[Step]:
    return [*game.lines(2), *game.lines(3), *game.lines(4, 9, 1), *game.lines(4), *_ended(game)]


def _ball_lost(game: Game) -> list[Step]:
    return [*game.lines(2), *game.lines(3), *game.lines(4, 14, 1), *game.lines(7, 4)]


def _ball_not_in_track(game: Game) -> list[Step]:
    return [*_until_rest(game), *game.lines(7, 4)]


def _sensor_fault(game: Game) -> list[Step]:
    return [*_until_rest(game), *game.lines(4, 2, 4), *game.lines(6, 4, 4)]


def _closed_in_spin(game: Game) -> list[Step]:
    return [*_until_rest(game), *game.lines(6, 4)]


def _rotor_stops(game: Game) -> list[Step]:
    return [*_until_rest(game), *game.lines(4, 6, speed=0), *_ended(game)]


def _rotor_still_at_launch(game: Game) -> list[Step]:
    return [*game.lines(2), *game.lines(3, speed=0), *game.lines(4), *_ended(game)]


def _foreign_number(game: Game) -> list[Step]:
    return normal(game._replace(win="37"))


def _two_numbers(game: Game) -> list[Step]:
    return [*_until_rest(game), game._replace(win=game.last).result, *game.lines(5)]


def _no_result_line(game: Game) -> list[Step]:
    return [*_until_rest(game), *game.lines(5)]


def _one_status(game: Game) -> list[Step]:
    return [*_until_rest(game), *game.lines(5, 1)]


def _no_number(game: Game) -> list[Step]:
    return _until_rest(game)


def _number_changes(game: Game) -> list[Step]:
    return [*normal(game), *game._replace(win=game.last).lines(5, 4)]


def _result_repeated(game: Game) -> list[Step]:
    return [*normal(game), game.result, *game.lines(5), game.result]


def _state_left_out(game: Game) -> list[Step]:
    return [*game.lines(2), *game.lines(3), *_ended(game)]


class Fault(NamedTuple):
    """A fault that the emulator can play in a game."""

    description: str
    play: Callable[[Game], list[Step]]


FAULTS: Final[Mapping[str, Fault]] = {
    "ball-lost": Fault("no ball for 7 seconds, then the state ball not in track", _ball_lost),
    "ball-missed-briefly": Fault("no ball for 4 seconds, which is ignored", _ball_missed_briefly),
    "ball-not-in-track": Fault("the state ball not in track during a spin", _ball_not_in_track),
    "closed-in-spin": Fault("the state closed during a spin", _closed_in_spin),
    "cut-line": Fault("lines that lack their second half", _cut_line),
    "duplicates": Fault("every line twice", _duplicates),
    "foreign-number": Fault("a number that is on no wheel", _foreign_number),
    "launch-failed": Fault("the launch fails for longer than 3 seconds", _launch_failed),
    "launch-retried": Fault("the launch fails for 2 seconds, which is ignored", _launch_retried),
    "launched-with-rotor": Fault("the ball runs with the rotor from its launch", _launched_with_rotor),
    "no-number": Fault("the next game begins without a number", _no_number),
    "no-result-line": Fault("the line of the result is missing", _no_result_line),
    "noise": Fault("bytes that are no text, before every line", _noise),
    "number-changes": Fault("another number after the result", _number_changes),
    "one-status": Fault("the number in one telegram, and in those of the next game", _one_status),
    "result-repeated": Fault("the result again after it was reported", _result_repeated),
    "rotor-still-at-launch": Fault("the rotor stands still at the launch", _rotor_still_at_launch),
    "rotor-stops": Fault("the rotor stops while the ball runs", _rotor_stops),
    "sensor-fault": Fault("a fault of a sensor or a motor, then the state closed", _sensor_fault),
    "silence": Fault("no telegram for 4 seconds during a spin", _silence),
    "stale-backlog": Fault("two minutes of silence, then old telegrams at once", _stale_backlog),
    "state-left-out": Fault("a number without the state no more bets", _state_left_out),
    "two-numbers": Fault("the line of the result and the status differ", _two_numbers),
    "unplugged": Fault("the line is lost during a spin, and back within a second", _unplugged),
    "with-rotor": Fault("the ball runs with the rotor, seen after its launch", _with_rotor),
}


READ_MAX: Final = 4096


class PseudoTerminal:
    """The wheel's end of a serial line: a link in the file system leads to the reader's end, also after a replug."""

    def __init__(self, link: Path) -> None:
        self.link = link
        self._master = self._slave = -1

    def plug(self) -> None:
        self._master, self._slave = pty.openpty()
        tty.setraw(self._slave)
        self.link.unlink(missing_ok=True)
        self.link.symlink_to(os.ttyname(self._slave))

    def unplug(self) -> None:
        self.link.unlink()
        os.close(self._slave)
        os.close(self._master)

    def send(self, data: bytes) -> None:
        os.write(self._master, data)

    def fileno(self) -> int:
        return self._master

    def receive(self) -> bytes:
        """Read what the other end has sent; empty when it has closed the line."""
        try:
            return os.read(self._master, READ_MAX)
        except OSError:
            return b""


#: Draws the number of a game.
Draw = Callable[[], str]
WHEEL: Final = tuple(map(str, range(37)))


def drawn() -> str:
    return draw(WHEEL)


def games(draw_number: Draw = drawn, first: Game = Game(1, "", "0")) -> Iterator[Game]:  # noqa: B008 - it is frozen
    """Return one game after another."""
    game = first._replace(win=draw_number())
    while True:
        yield game
        game = game.following(draw_number())
