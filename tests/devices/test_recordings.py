"""Long recordings of wheels: thousands of games, with all that lines and programs do to them, replayed."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from time import process_time
from typing import Final

import pytest

from croupier.cli.main import run
from croupier.cli.wheel import Replay
from croupier.devices.in_rim_reader import SPINS, Observation
from croupier.house.rounds.irregularities import WheelTrouble
from tests.support.campaign import many

SINGLE: Final = tuple(map(str, range(37)))
DOUBLE: Final = ("00", *SINGLE)


@dataclass
class Recorded:
    """A wheel that is recorded: each line with its time in seconds, and the numbers that a reader must find."""

    chance: Random
    pockets: tuple[str, ...] = SINGLE
    lines: list[tuple[float, str]] = field(default_factory=list)
    numbers: list[str] = field(default_factory=list)
    spin: int = 1
    win: str = "  "
    direction: int = 0
    now: float = 0.0

    def status(self, state: int, *, warning: int = 0, speed: int | None = None) -> None:
        """Add a telegram half a second after the one before it."""
        self.now += 0.5 + self.chance.uniform(-0.01, 0.01)
        turning = self.chance.randint(140, 180) if speed is None else speed
        self.lines.append(
            (self.now, f"*X;{state};{self.spin:03};{self.win:>2};{warning:X};{turning:03};{self.direction}")
        )

    def off(self) -> None:
        """Switch it off, leave it so for a while, and switch it on."""
        self.lines.append((self.now, "*P OK"))
        for _ in range(self.chance.randint(5, 400)):
            self.status(6, speed=0)
        self.lines.append((self.now, "*P OK"))
        for _ in range(self.chance.randint(10, 20)):
            self.status(1)

    def idle(self) -> None:
        for _ in range(self.chance.randint(100, 1000)):
            self.status(2)

    def bets(self) -> None:
        """Slow down, turn the other way, and launch; warnings before the ball runs are the wheel's own affair."""
        for _ in range(self.chance.randint(6, 12)):
            self.status(2)
        for speed in (120, 60, 10, 0, 0, 0):
            self.status(2, speed=speed)
        self.direction = 1 - self.direction
        if self.chance.random() < 0.05:
            for warning in (2, 2, 2, 8, 8, 8, 8, 8, 8, 8):
                self.status(2, warning=warning)

    def spun(self) -> None:
        for _ in range(self.chance.randint(5, 16)):
            self.status(3)
        for _ in range(self.chance.randint(34, 70)):
            self.status(4, warning=int(self.chance.random() < 0.02))

    def ended(self) -> None:
        self.win = self.chance.choice(self.pockets)
        self.numbers.append(self.win)
        self.lines.append((self.now + 0.2, f"{self.win:>2}"))
        for _ in range(self.chance.randint(2, 10)):
            self.status(5)
        self.spin = self.spin % SPINS + 1

    def game(self) -> None:
        self.bets()
        self.spun()
        self.ended()


def normal(count: int, seed: int, pockets: tuple[str, ...] = SINGLE) -> Recorded:
    """Play games in which nothing goes wrong, with pauses, and the wheel switched off and on."""
    wheel = Recorded(Random(seed), pockets)  # noqa: S311 - to be had again
    wheel.off()
    for _ in range(count):
        if wheel.chance.random() < 0.02:
            wheel.idle()
        if wheel.chance.random() < 0.02:
            wheel.off()
        wheel.game()
    wheel.status(2)
    return wheel


def plain(wheel: Recorded, end: str = "\r\n") -> bytes:
    return "".join(line + end for _, line in wheel.lines).encode()


def damaged(wheel: Recorded) -> bytes:
    """Write lines with other line ends, twice, cut, with noise between them, and with answers to commands."""
    chance, parts = wheel.chance, list[bytes]()
    for _, line in wheel.lines:
        end = chance.choice((b"\r\n", b"\n", b"\r", b"\r\r\n"))
        match chance.randrange(40):
            case 0:
                parts.append(line[: chance.randrange(1, 8)].encode() if line.startswith("*X") else b"")
            case 1:
                parts.append(chance.randbytes(chance.randrange(1, 90)).replace(b"*", b"") + b"\r\n")
            case 2:
                parts.append(line.encode() + end if line.startswith("*") else b"")
            case 3:
                parts.append(
                    chance.choice((b"*u OK", b"*o BUSY", b"*P NO", b"*T s 14.0 17.50000", b"*O 6 1 60 1158")) + end
                )
        parts.append(line.encode() + end)
    return b"".join(parts)


def logged(wheel: Recorded) -> bytes:
    """Write the log of a program: date and time, its own lines, and numbers without the space before a digit."""
    began, chance = datetime(2026, 11, 17, 20, 30, tzinfo=UTC), wheel.chance

    def at(seconds: float) -> str:
        return f"[{began + timedelta(seconds=seconds):%Y-%m-%d %H:%M:%S.%f}"[:-3] + "]"

    def lines() -> Iterator[str]:
        yield f"{at(0)} WebSocket >>> Connected to the recorder"
        for seconds, line in wheel.lines:
            if chance.random() < 0.1:
                yield f"{at(seconds)} Receive >>> Detected *X;2 message with warning_flag: 2"
                yield f"{at(seconds)} Send <<< *u 1"
                yield f"{at(seconds)} ERROR >>> Assertion Error: *X;5;003;17;0;150;0"
            yield f"{at(seconds)} Receive >>> {line.strip()}"

    return "\n".join(lines()).encode()


@pytest.mark.parametrize(
    "write",
    [plain, damaged, logged, lambda wheel: plain(wheel, "\n")],
    ids=["plain", "damaged", "logged", "line feeds"],
)
@pytest.mark.parametrize("pockets", [SINGLE, DOUBLE], ids=["single zero", "double zero"])
def test_long_recording_gives_every_number_and_no_alarm(
    write: Callable[[Recorded], bytes], pockets: tuple[str, ...]
) -> None:
    """Normal games give each number once and in order, with no alarm, however their lines were written."""
    wheel = normal(many(day=120, night=2_000), 7, pockets)
    replay = Replay(write(wheel))

    assert replay.numbers == wheel.numbers
    assert [(each.at, each.why) for each in replay.alarms] == []
    assert [game.number for game in replay.games] == wheel.numbers
    assert all(game.closed is not None and game.alarms == () for game in replay.games)


def _with_rotor(wheel: Recorded) -> None:
    wheel.bets()
    for _ in range(8):
        wheel.status(3, warning=2)
    for _ in range(40):
        wheel.status(4)
    wheel.ended()


def _launch_fails(wheel: Recorded) -> None:
    wheel.bets()
    for _ in range(9):
        wheel.status(3, warning=8)


def _ball_is_lost(wheel: Recorded) -> None:
    wheel.bets()
    wheel.spun()
    for _ in range(14):
        wheel.status(4, warning=1)
    for _ in range(20):
        wheel.status(7, warning=1)
    wheel.off()


def _sensor_fails(wheel: Recorded) -> None:
    """The rotor runs away, stands still, and the wheel closes with a fault that stays until it is switched off."""
    wheel.bets()
    for _ in range(5):
        wheel.status(3)
    for speed in (157, 253, 349, 443, 533, 629, 731, 827, 925):
        wheel.status(4, speed=speed)
    for warning in (*[0] * 12, *[4] * 40):
        wheel.status(4, warning=warning, speed=0)
    for _ in range(30):
        wheel.status(6, warning=4, speed=0)
    wheel.off()


def _state_is_missing(wheel: Recorded) -> None:
    wheel.bets()
    for _ in range(6):
        wheel.status(3)
    wheel.ended()


def _number_is_missing(wheel: Recorded) -> None:
    """The recording has no telegram of state 5: the next game begins."""
    wheel.bets()
    wheel.spun()
    wheel.win, wheel.spin = wheel.chance.choice(wheel.pockets), wheel.spin % SPINS + 1


def _closed(wheel: Recorded) -> None:
    wheel.bets()
    wheel.spun()
    wheel.off()


#: Games that go wrong, with the reasons of their alarms.
WRONG: Final[dict[Callable[[Recorded], None], list[str]]] = {
    _with_rotor: ["same_direction"],
    _launch_fails: ["too_few_revolutions"],
    _ball_is_lost: ["ball_out_of_wheel"],
    _sensor_fails: ["wheel_stopped", "malfunction"],
    _state_is_missing: ["malfunction"],
    _number_is_missing: ["malfunction"],
    _closed: ["malfunction"],
}


def test_irregular_games_have_their_alarms_alone() -> None:
    """Among normal games each kind of irregular one has its alarms, and those before and after it have none."""
    wheel = Recorded(Random(3))  # noqa: S311 - to be had again
    expected = list[tuple[str | None, list[str]]]()
    for _ in range(many(day=100, night=5_000)):
        wheel.game()
        expected.append((wheel.win, []))
        play = wheel.chance.choice(list(WRONG))
        known = len(wheel.numbers)
        play(wheel)
        expected.append((wheel.win if len(wheel.numbers) > known else None, WRONG[play]))
    wheel.game()
    replay = Replay(plain(wheel))
    reasons = iter(_reason(each) for each in replay.alarms)

    assert replay.numbers == wheel.numbers
    assert [(game.number, [next(reasons) for _ in game.alarms]) for game in replay.games] == [
        *expected,
        (wheel.win, []),
    ]


def test_gap_in_a_log_ends_a_game_without_its_number() -> None:
    """A program that was stopped leaves a gap: one alarm, and a number whose launch is in the gap has none."""
    wheel = normal(40, 5)
    chance = Random(6)  # noqa: S311 - to be had again
    launches = [
        at
        for (_, before), (at, line) in zip(wheel.lines, wheel.lines[1:], strict=False)
        if line[:4] > before[:4] == "*X;2"
    ]
    gaps = [(at - 4, at + 4) for at in chance.sample(launches[3:-3], 5)]
    wheel.lines = [(at, line) for at, line in wheel.lines if not any(begin < at < end for begin, end in gaps)]
    replay = Replay(logged(wheel))

    assert [each.why for each in replay.alarms] == ["no telegram for 3 seconds"] * 5
    assert (len(replay.numbers), len(replay.unlaunched)) == (len(wheel.numbers) - 5, 5)


BEGAN: Final = datetime(2026, 11, 17, 23, 58, 30, tzinfo=UTC)


def _dated(form: str, way: str = "", cut: int = 0) -> Callable[[datetime, str], str]:
    """Return how a program writes a line at a time: its form of the time, and what it puts before the telegram."""

    def write(at: datetime, line: str) -> str:
        written = f"{at:{form}}"
        return f"{written[:-cut] if cut else written}{way}{line.strip()}"

    return write


#: Forms of logs, by their name: each writes a line of the wheel at its time.
FORMS: Final[dict[str, Callable[[datetime, str], str]]] = {
    "arrow": _dated("%Y-%m-%d %H:%M:%S.%f", " < "),
    "brackets": _dated("[%Y-%m-%d %H:%M:%S.%f]", " Receive >>> "),
    "iso": _dated("%Y-%m-%dT%H:%M:%S.%f+00:00", " RX: "),
    "zulu": _dated("%Y-%m-%dT%H:%M:%S.%fZ", "\t"),
    "python": _dated("%Y-%m-%d %H:%M:%S,%f", " DEBUG serial ", cut=0),
    "slashes": _dated("%Y/%m/%d %H:%M:%S.%f", " [COM3] "),
    "day first": _dated("%d.%m.%Y %H:%M:%S.%f", ": "),
    "time of day": _dated("%H:%M:%S.%f", " <- "),
    "colon": _dated("[%H:%M:%S:%f]", " "),
    "seconds": lambda at, line: f"{at.timestamp():.3f} {line.strip()}",
    "milliseconds": lambda at, line: f"{round(at.timestamp() * 1000)};{line.strip()}",
    "bytes": lambda at, line: f"{at:%Y-%m-%d %H:%M:%S.%f} recv b'{line.strip()}\\r\\n'",
    "table": lambda at, line: f'"{at:%Y-%m-%d %H:%M:%S.%f}","in","{line.strip()}"',
    "arrow to the right": _dated("%Y-%m-%d %H:%M:%S.%f", " >>> "),
}


def _write(form: Callable[[datetime, str], str], wheel: Recorded) -> bytes:
    return "\n".join(form(BEGAN + timedelta(seconds=at), line) for at, line in wheel.lines).encode()


@pytest.mark.parametrize("name", FORMS)
def test_log_of_another_program_gives_every_number(name: str) -> None:
    """Whatever form a program gives to times, ways and single digits, over midnight, its log gives each number once."""
    wheel = normal(8, 11)
    assert any(len(number) == 1 for number in wheel.numbers)
    replay = Replay(_write(FORMS[name], wheel))

    assert (replay.numbers, replay.alarms) == (wheel.numbers, [])
    assert replay.noise == 0


@pytest.mark.parametrize("name", FORMS)
def test_logs_of_several_days_in_one_file(name: str) -> None:
    """Logs one after another, the older one last, give the numbers of both, and no game goes over into the other."""
    first, second = normal(3, 12), normal(3, 13)
    first.bets()
    first.status(3)
    older = [(at - 30 * 3600, line) for at, line in second.lines]
    form = FORMS[name]
    lines = [form(BEGAN + timedelta(seconds=at), line) for at, line in (*first.lines, *older)]
    replay = Replay("\n".join(lines).encode())

    assert replay.numbers == first.numbers + second.numbers
    assert [game.number for game in replay.games] == [*first.numbers, None, *second.numbers]


def test_numbers_that_a_program_counts_are_no_results() -> None:
    """Digits at the end of a program's own lines, and commands to the wheel, are no telegrams of the wheel."""
    wheel = normal(2, 14)
    lines = list[str]()
    for at, line in wheel.lines:
        time = f"{BEGAN + timedelta(seconds=at):%Y-%m-%d %H:%M:%S.%f}"
        lines += [f"{time} Receive >>> {line.strip()}", f"{time} retry 3", f"{time} Send <<< 7", f"{time} took: 17"]
    replay = Replay("\n".join(lines).encode())

    assert (replay.numbers, replay.alarms) == (wheel.numbers, [])


def test_lone_digit_is_padded_where_spaces_were_stripped() -> None:
    """Without times a lone digit is a result if the file has none with its space; else it is a cut line."""
    wheel = normal(6, 11)
    stripped = "\n".join(line.strip() for _, line in wheel.lines).encode()
    replay = Replay(stripped)
    assert (replay.numbers, replay.alarms, replay.noise) == (wheel.numbers, [], 0)

    assert Replay(b"2026-11-17 23:58:30 < *X;2;011;34;0;154;0\n7\n").noise == 0
    assert Replay(plain(wheel) + b" 7\r\n7\r\n").noise == 1


@pytest.mark.parametrize("line", ["2026-13-45 20:30:00 *X;2;011;34;0;154;0", "99:99:99 *X;2;011;34;0;154;0"])
def test_time_that_is_none_is_no_time(line: str) -> None:
    """A line with a time that no clock shows is a line without a time, and what it says is read."""
    assert Replay(line.encode()).telegrams == 1


def test_clock_that_is_set_back_gives_no_alarm() -> None:
    """A log whose clock is set back by an hour, or has lines without a time, gives the same numbers."""
    wheel = normal(4, 8)
    half = len(wheel.lines) // 2
    wheel.lines = [(at if place < half else at - 3600, line) for place, (at, line) in enumerate(wheel.lines)]
    lines = logged(wheel).splitlines()
    lines.insert(half, b"Traceback (most recent call last):")
    replay = Replay(b"\r\n".join(lines))

    assert (replay.numbers, replay.alarms) == (wheel.numbers, [])


def test_newcomer_reads_what_happened(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command prints games, numbers and alarms with their times, and the effects that a rulebook has on them."""
    monkeypatch.setenv("COLUMNS", "160")
    wheel = Recorded(Random(2), ("00",))  # noqa: S311 - to be had again
    wheel.game()
    for play in WRONG:
        play(wheel)
    file = tmp_path / "wheel.log"
    file.write_bytes(logged(wheel))
    assert run(["wheel", "replay", str(file), "--games", "--reports", "--rulebook", "skycity-adelaide-2003"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "Games: 8 launched, 3 with a number. Numbers: 00, 00, 00. Alarms: 8:" in text
    assert "same_direction: the ball runs with the rotor no spin, stakes are returned 10(a)" in text
    assert "ball_out_of_wheel: no ball for 5 seconds staff decide 10(" in text
    assert text.endswith("Not on the wheel of SkyCity Adelaide: 00.")
    assert run(["wheel", "replay", str(file), "--json", "--rulebook", "clearwater-etg"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["not_on_the_wheel"] == []
    assert {each["clause"] for each in found["alarms"]} == {"25"}
    assert [len(game["alarms"]) for game in found["games"]] == [0, 1, 1, 1, 2, 1, 1, 1]


def test_tens_of_thousands_of_lines_take_seconds() -> None:
    """A recording of more than 30,000 lines is replayed in less than five seconds of CPU time."""
    content = logged(normal(300, 9))
    assert content.count(b"\n") > 30_000
    begin = process_time()
    assert len(Replay(content).numbers) == 300
    assert process_time() - begin < 5


def test_hostile_line_holds_up_nothing() -> None:
    """A line of a log without end takes no time without end, and what follows it is read."""
    begin = process_time()
    replay = Replay(b"[2026-11-18 20:30:00.500] *A" + b" " * 200_000 + b"x\n" + logged(normal(2, 3)))
    assert len(replay.numbers) == 2
    assert process_time() - begin < 5


def test_time_that_no_date_shows_is_damage(tmp_path: Path) -> None:
    """A recording with a time after the year 9999 is replayed without a traceback."""
    file = tmp_path / "wheel.rec"
    file.write_bytes(
        b"1000 999999999999999999 < *X;2;011;34;0;154;0\\r\\n\n" + b"2000 1000000000000000 < *P OK\\r\\n\n"
    )
    assert run(["wheel", "replay", str(file), "--games", "--reports"]) == 0


def _reason(alarm: Observation) -> str:
    return alarm.report.reason if isinstance(alarm.report, WheelTrouble) else "same_direction"
