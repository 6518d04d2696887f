"""Recordings of wheels through the driver into a house of each venue, checked by a reader of telegrams of its own.

The checker reads the lines themselves and shares no code with the driver: what it finds is what the wheel has said.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

import pytest
from msgspec.structs import replace

from croupier.cli.wheel import read_recording
from croupier.devices.in_rim_reader import InRimReader, Observation, WheelState
from croupier.engine.ports import RecordMark, WheelReport
from croupier.house.floor.incidents import ClearIncident, IncidentKind, IncidentRaised
from croupier.house.ids import SECOND, DeviceId, Instant, RoundNumber
from croupier.house.rounds.closing import CloseBets
from croupier.house.rounds.irregularities import WheelTrouble
from croupier.house.rounds.opening import OpenBets
from croupier.house.rounds.referrals import DecideReferral, ReferralDecision, ReferRound
from croupier.house.rounds.results import BallAtRest, ConfirmResult
from croupier.house.rounds.spinning import BallLaunched
from croupier.house.settings import TableSettings
from croupier.house.state.tables import BallState, Phase, RoundStatus
from croupier.rules.geometry import Pocket
from croupier.rules.procedure import CloseRule
from tests.support.campaign import many, portions
from tests.support.house_driver import ADELAIDE, CLEARWATER, MARINA, TABLE, US, Play

VENUES: Final = (MARINA, ADELAIDE, CLEARWATER, US)
FOLDER: Final = Path(__file__).parents[3] / "shared" / "data" / "wheel"
SIX, TIMED = FOLDER / "ss2-six-games.log", FOLDER / "ss2-timed.log"
present: Final = pytest.mark.skipif(not TIMED.exists(), reason="the recordings are not part of the project")
WHEEL: Final = DeviceId(TABLE)

#: A line as the wheel has sent it, and when, in seconds.
Line = tuple[float, str]


# The checker. It knows the format of telegrams from its description, and nothing of the driver.


@dataclass
class SaidGame:
    """What a wheel said of one game: when it launched, each number with its time, and whether nothing was odd."""

    launched: float
    count: str
    numbers: list[tuple[float, str]] = field(default_factory=list)
    #: The line of each number: several lines may have one time.
    places: list[int] = field(default_factory=list)
    odd: bool = False

    def state(self, at: float, win: str, place: int) -> None:
        self.numbers.append((at, win.strip()))
        self.places.append(place)


_SAID: Final = re.compile(r"\*X;(\d);(\d\d\d);(..);(.);(\d+);\d")


def said(lines: Iterable[Line]) -> list[SaidGame]:
    """Read the games from the lines: a game begins where state 3 follows state 2, and its numbers follow.

    One status of another state between them may be damaged: what the wheel says of that game is odd.
    """
    games, state, older, heard, before = list[SaidGame](), "", "", 0.0, (0.0, "")
    count_before = ""
    for place, (at, line) in enumerate(lines):
        game = games[-1] if games else None
        doubled, before = (at - before[0] < 0.2 and line == before[1]), (at, line)
        found = _SAID.fullmatch(line)
        if found is None:
            if re.fullmatch(r"[ \d]\d", line) and game is not None and not doubled:
                game.state(at, line, place)
            continue
        now, count, win, warning, speed = found.groups()
        silent, heard, warned = at - heard >= 3, at, warning != "0" or not int(speed)
        if game is not None:
            game.odd = game.odd or silent or (now in "345" and warned)
        if doubled:
            continue
        if now == "3" and (state == "2" or (older == "2" and state in "14567")):
            games.append(SaidGame(at, count, odd=warned or silent or state != "2" or count != count_before))
        elif game is not None and state != now and state + now not in ("34", "45", "52"):
            game.odd = True
        if games and now in "345":
            games[-1].odd = games[-1].odd or count != games[-1].count
        if now == "5" and game is not None:
            game.state(at, win, place)
        older, state, count_before = state, now, count
    return games


# The venue: staff who confirm a number that nothing was reported about, and have every other round voided.


class PaidRound(NamedTuple):
    """A settled round: when its spin could begin, when and at which line it was settled, and its number.

    All times are the wheel's.
    """

    since: float
    settled: float
    place: int
    pocket: str


class Followed:
    """A house that plays by a wheel's recording."""

    def __init__(self, rulebook: str) -> None:
        self.play = Play(rulebook, TableSettings(warning_s=0))
        self.play.seats(T1=1_000_000)
        self.start = self.play.now
        self.paid: list[PaidRound] = []
        #: When each incident was raised, but for those of staff.
        self.incidents: list[float] = []
        self._settled = RoundNumber(0)
        #: When the running round was opened, how many incidents were before it, and how many events are noted.
        self._since, self._before, self._noted = 0.0, 0, 0
        #: The line that is being played.
        self._place = 0

    def run(self, lines: Iterable[Line], reader: InRimReader) -> None:
        """Play by what the driver reports of these lines."""
        for self._place, (at, line) in enumerate(lines):
            now = Instant(round(at * SECOND))
            self.play.advance(max(self.play.now, self.start + now))
            for seen in reader.feed(now, line.encode() + b"\r\n"):
                report = seen.report
                if report is not None:
                    self._staff(at, reader.state)
                    self.play.must(replace(report, table=TABLE), WHEEL)
                if isinstance(report, BallLaunched) and self.play.table.phase is Phase.OPEN_RUNNING:
                    self.play.ask(CloseBets(TABLE))
            self._note(at)
            self._staff(at, reader.state)
        self.play.check()

    def _note(self, at: float) -> None:
        """Note incidents and payments."""
        happened = self.play.events[self._noted :]
        self._noted += len(happened)
        raised = [each for each in happened if isinstance(each, IncidentRaised)]
        self.incidents += [at for each in raised if each.kind is not IncidentKind.REFERRED]
        round_ = self.play.table.round
        if round_ is not None and round_.status is RoundStatus.SETTLED and round_.number > self._settled:
            assert round_.pocket is not None
            self._settled = round_.number
            self.paid.append(PaidRound(self._since, at, self._place, round_.pocket))

    def _staff(self, at: float, state: WheelState | None) -> None:
        """Do what staff do: confirm a number in order, void a round with an incident, and open the next in state 2."""
        self._note(at)
        play, round_ = self.play, self.play.table.round
        running = round_ is not None and not round_.over
        doubtful = len(self.incidents) > self._before
        if running and round_ is not None and not doubtful and round_.spin.reported is not None:
            assert isinstance(play.by(play.dealer, ConfirmResult(TABLE, round_.spin.reported)), tuple)
        elif running and doubtful and state is not WheelState.BALL_IN_RIM and state is not WheelState.NO_MORE_BETS:
            self._void()
        self._note(at)
        if (play.table.round is None or play.table.round.over) and state is WheelState.PLACE_BETS:
            self._open(at)

    def _void(self) -> None:
        play, decider = self.play, self.play.rulebook.staff.order[-1].lower()
        if play.table.phase is not Phase.SUSPENDED:
            assert isinstance(play.by(play.dealer, ReferRound(TABLE, "incident")), tuple)
        assert isinstance(play.by(decider, DecideReferral(TABLE, ReferralDecision.VOID, "incident")), tuple)

    def _open(self, at: float) -> None:
        play = self.play
        for number, incident in list(play.house.incidents.all.items()):
            if incident.cleared_by is None:
                play.by(play.dealer, ClearIncident(number))
        play.must(OpenBets(TABLE))
        play.bet("T1", "1 on 17; 1 on 0")
        self._since, self._before = at, len(self.incidents)
        if play.rulebook.procedure.closes.choice in (CloseRule.BEFORE_SPIN, CloseRule.BEFORE_OR_DURING_SPIN):
            play.must(CloseBets(TABLE))


def verified(rulebook: str, lines: list[Line], reader: InRimReader | None = None) -> Followed:
    """Play by a recording, and verify what was paid and what was not against what the wheel said."""
    games = said(lines)
    followed = Watched(rulebook, {game.launched for game in games})
    followed.run(lines, reader or InRimReader(TABLE, Instant(round(lines[0][0] * SECOND))))
    for paid in followed.paid:
        mine = [game for game in games if paid.since <= game.launched <= paid.settled]
        assert len(mine) == 1, (rulebook, "a round was paid that had no launch, or several", paid, mine)
        stated = [win for (_, win), place in zip(mine[0].numbers, mine[0].places, strict=True) if place <= paid.place]
        assert set(stated) == {paid.pocket}, (rulebook, "paid a number that the wheel did not state", paid, mine)
        assert len(stated) > 1 or _next_game_states(lines, mine[0], paid), (rulebook, "one statement", paid, mine)
        assert mine[0].numbers[0][0] - mine[0].launched >= 15, (rulebook, "paid a short spin", paid, mine)
    for game, after in zip(games, [*games[1:], None], strict=True):
        if not game.numbers or not followed.ready.get(game.launched):
            continue
        until = lines[-1][0] + 1 if after is None else after.launched
        was_paid = any(game.launched <= paid.settled <= until for paid in followed.paid)
        raised = any(game.launched <= at <= until for at in followed.incidents)
        complete = until - game.numbers[0][0] > 3
        assert was_paid or raised or not complete, (rulebook, "a number was dropped without an incident", game)
        if not game.odd and complete and len({win for _, win in game.numbers}) == 1 and len(game.numbers) > 1:
            short = game.numbers[0][0] - game.launched < 15
            assert was_paid is not short, (rulebook, "a valid number was not paid", game)
    return followed


class Watched(Followed):
    """A house of which is noted whether a round without a ball was there at each launch."""

    def __init__(self, rulebook: str, launches: set[float]) -> None:
        super().__init__(rulebook)
        self._launches = launches
        self.ready: dict[float, bool] = {}

    def run(self, lines: Iterable[Line], reader: InRimReader) -> None:
        def watched() -> Iterator[Line]:
            for at, line in lines:
                if at in self._launches and at not in self.ready:
                    round_ = self.play.table.round
                    self.ready[at] = round_ is not None and not round_.over and round_.ball is BallState.IDLE
                yield at, line

        super().run(watched(), reader)


def _next_game_states(lines: list[Line], game: SaidGame, paid: PaidRound) -> bool:
    """Return whether a status of the next game repeats the number of this one."""
    following = f"*X;2;{int(game.count) % 256 + 1:03};{paid.pocket:>2};"
    return any(game.launched < at <= paid.settled and line.startswith(following) for at, line in lines)


# Recordings.


def read_lines(path: Path) -> list[Line]:
    """Read a recording of these two forms: with a time and an arrow before each line, or without."""
    lines, at = list[Line](), 0.0
    for line in path.read_text().splitlines():
        found = re.fullmatch(r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}) < (.*)", line)
        if found is not None:
            at, text = datetime.fromisoformat(found[1] + "+00:00").timestamp(), found[2]
            lines.append((at, f"{text:>2}"))
        elif not line.startswith("20"):
            at += 0.5 if line.startswith("*X") else 0.0
            lines.append((at, line))
    return lines


@present
@pytest.mark.parametrize("rulebook", VENUES)
def test_six_real_games_are_paid(rulebook: str) -> None:
    """A real recording of six games pays its six numbers at every venue, and raises no incident."""
    followed = verified(rulebook, read_lines(SIX))

    assert [paid.pocket for paid in followed.paid] == ["27", "16", "6", "3", "10", "0"]
    assert followed.incidents == []


@present
@pytest.mark.parametrize("rulebook", VENUES)
def test_hour_of_a_real_wheel_is_paid(rulebook: str) -> None:
    """A real recording of 49 games pays each number whose launch it has; its gaps of 4 to 30 s are incidents."""
    lines = read_lines(TIMED)
    followed = verified(rulebook, lines)
    games = said(lines)

    assert [paid.pocket for paid in followed.paid] == [game.numbers[0][1] for game in games]
    assert len(games) == 47
    gaps = [at for (before, _), (at, _) in pairwise(lines) if at - before >= 3]
    assert followed.incidents == gaps


@present
def test_real_recording_is_read_as_the_checker_reads_it() -> None:
    """The log of another program gives the driver the same lines at the same times as it gives the checker."""
    records = read_recording(TIMED.read_bytes())
    read = [
        (round(each.at / SECOND, 3), each.data.rstrip(b"\n").decode())
        for each in records
        if each.mark is RecordMark.RECEIVED
    ]

    assert read == [(round(at, 3), line) for at, line in read_lines(TIMED)]


@dataclass
class Wheel:
    """A wheel that is made up: normal games, and all that may go wrong with telegrams, power and spins."""

    chance: Random
    lines: list[Line] = field(default_factory=list)
    now: float = 0.0
    count: int = 1
    win: str = ""
    #: How often a line is doubled.
    doubles: float = 0.0

    def send(self, line: str) -> None:
        for _ in range(2 if self.chance.random() < self.doubles else 1):
            self.lines.append((self.now, line))

    def status(self, state: int, count: int = 1, warning: int = 0, pace: float = 0.5) -> None:
        for _ in range(count):
            self.now = round(self.now + pace, 3)
            speed = self.chance.randint(140, 200)
            self.send(f"*X;{state};{self.count:03};{self.win:>2};{warning:X};{speed:03};0")

    def result(self, win: str) -> None:
        self.send(f"{win:>2}")

    def draw(self) -> str:
        return str(self.chance.randrange(37))

    def advance(self) -> None:
        self.count = self.count % 256 + 1

    def normal(self) -> None:
        self.status(2, self.chance.randint(12, 20))
        self.status(3, self.chance.randint(4, 10))
        self.status(4, self.chance.randint(40, 56))
        self.ended(self.draw())

    def ended(self, win: str) -> None:
        self.result(win)
        self.win = win
        self.status(5, self.chance.randint(2, 8))
        self.advance()

    def powered(self) -> None:
        """Switch it off and on: it counts from 1 again, and may have forgotten its number."""
        if self.chance.random() < 0.7:
            self.status(6, self.chance.randint(2, 12))
        self.count, self.win = 1, self.chance.choice(("", self.win, self.draw()))
        self.status(1, self.chance.randint(2, 12))

    def powered_in_spin(self) -> None:
        self.status(2, 12)
        self.status(3, 6)
        self.status(4, self.chance.randint(1, 40))
        self.powered()

    def short(self) -> None:
        """End a spin sooner than a ball can."""
        self.status(2, 12)
        self.status(3, self.chance.randint(1, 4))
        self.status(4, self.chance.randint(1, 24))
        self.ended(self.draw())

    def at_once(self) -> None:
        """Send a whole game in one read."""
        self.status(2, 12)
        self.status(3, 6, pace=0)
        self.status(4, 40, pace=0)
        self.result(win := self.draw())
        self.win = win
        self.status(5, 4, pace=0)
        self.advance()

    def contradictory(self) -> None:
        self.status(2, 12)
        self.status(3, 6)
        self.status(4, 44)
        for _ in range(self.chance.randint(1, 2)):
            self.result(self.draw())
        self.win = self.draw()
        self.status(5, self.chance.randint(1, 3))
        self.win = self.chance.choice((self.win, self.draw()))
        self.status(5, self.chance.randint(1, 3))
        self.advance()

    def disordered(self) -> None:
        """Go through states in any order."""
        for _ in range(self.chance.randint(2, 8)):
            state = self.chance.randint(1, 7)
            if state == 5 and self.chance.random() < 0.5:
                self.win = self.draw()
                self.result(self.win)
            self.status(state, self.chance.choice((1, 2, 3, 30, 50)))
            self.count = self.chance.choice((self.count, self.count, self.count % 256 + 1))

    def silent(self) -> None:
        self.status(2, 12)
        if self.chance.random() < 0.5:
            self.now += self.chance.uniform(3, 90)
        self.status(3, 6)
        if self.chance.random() < 0.5:
            self.now += self.chance.uniform(3, 90)
        self.status(4, 44)
        self.ended(self.draw())

    def sparse(self) -> None:
        """Leave out the line of the result, or all statuses of state 5 but one."""
        self.status(2, 14)
        self.status(3, 6)
        self.status(4, 44)
        win = self.draw()
        if self.chance.random() < 0.5:
            self.result(win)
        self.win = win
        self.status(5, self.chance.randint(0, 2))
        self.advance()

    def relaunched(self) -> None:
        """Launch again before the first ball has a number."""
        self.status(2, 12)
        self.status(3, 4)
        self.status(4, self.chance.randint(1, 30))
        self.normal()


ACTS: Final = (
    *[Wheel.normal] * 6,
    Wheel.powered,
    Wheel.powered_in_spin,
    Wheel.short,
    Wheel.at_once,
    Wheel.contradictory,
    Wheel.disordered,
    Wheel.silent,
    Wheel.sparse,
    Wheel.relaunched,
)


def made(seed: int) -> list[Line]:
    """Make a recording."""
    chance = Random(seed)  # noqa: S311 - to be had again
    wheel = Wheel(chance, doubles=chance.choice((0, 0, 0.05, 0.5, 1)))
    for _ in range(12):
        chance.choice(ACTS)(wheel)
    wheel.normal()
    wheel.status(2, 10)
    return wheel.lines


@pytest.mark.campaign
@pytest.mark.parametrize("seeds", portions(day=40, night=8_000, size=200), ids=str)
@pytest.mark.parametrize("rulebook", VENUES)
def test_no_other_number_is_paid_and_none_is_dropped_in_silence(rulebook: str, seeds: range) -> None:
    """With power cycles, doubled lines, short spins and any order of states, what is paid was stated for that spin."""
    paid = sum(len(verified(rulebook, made(seed)).paid) for seed in seeds)

    assert paid > 3 * len(seeds)


@pytest.mark.campaign
@pytest.mark.parametrize("rulebook", VENUES)
def test_long_recording_is_paid(rulebook: str) -> None:
    """A wheel of normal games with power cycles, of tens of thousands of lines by night, pays every number."""
    wheel = Wheel(Random(5), doubles=0.02)  # noqa: S311 - to be had again
    count = many(day=30, night=600)
    for game in range(count):
        if game % 7 == 6:
            wheel.powered()
        wheel.normal()
    wheel.status(2, 4)
    followed = verified(rulebook, wheel.lines)

    assert (len(followed.paid), followed.incidents) == (count, [])


@pytest.mark.parametrize(("at_launch", "in_spin"), [(1, 0), (0, 1)])
@pytest.mark.parametrize("rulebook", VENUES)
def test_number_of_a_spin_whose_count_changes_waits_for_staff(rulebook: str, at_launch: int, in_spin: int) -> None:
    """If the wheel counts on at the launch or while the ball runs, staff are called, and the number is not paid."""
    wheel = Wheel(Random(7))  # noqa: S311 - to be had again
    wheel.status(2, 12)
    wheel.count += at_launch
    wheel.status(3, 6)
    wheel.count += in_spin
    wheel.status(4, 44)
    wheel.ended("17")
    wheel.status(2, 4)
    followed = verified(rulebook, wheel.lines)

    assert (followed.paid, len(followed.incidents)) == ([], 1)


#: Recordings by hand: what the wheel does, the numbers that are paid, and whether staff get an incident.
BY_HAND: Final = {
    "the count begins anew after power": ("spin =17 off 1*4 spin =22 off 1*3 spin =22 2*4", "17 22 22", True),
    "the same count three times": ("spin =17 first spin =17 first spin =17 2*4", "17 17 17", False),
    "power is lost in the track": ("spin =17 spin off 1*6 spin =5 2*4", "17 5", True),
    "power is lost after one statement": ("spin win:17 5*1 off win: 1*4 spin =9 2*4", "9", True),
    "power is lost after two statements": ("spin line:17 win:17 5*1 off win: 1*4 spin =9 2*4", "17 9", True),
    "one line doubled and then power lost": ("spin line:17 line:17 off win: 1*4 spin =9 2*4", "9", True),
    "one line doubled and another number": ("spin line:17 line:17 win:22 5*4 next spin =3 2*4", "3", True),
    "the next game repeats the number": ("spin line:17 win:17 next spin =4 2*4", "17 4", False),
    "no line of the result": ("spin win:17 5*3 next 2*4", "17", False),
    "a spin of ten seconds": ("2*14 3*4 4*16 =17 spin =3 2*4", "3", True),
    "a silence in the track": ("2*14 3*6 4*10 off:40:keep 4*10 =17 spin =3 2*4", "3", True),
    "no launch": ("2*14 4*44 =17 spin =3 2*4", "3", True),
    "connected in the track": ("4*20 =17 spin =3 2*4", "3", False),
    "an alarm of the wheel": ("2*14 3*6 4*30 4*14! =17 spin =3 2*4", "3", True),
    "a number that no wheel has": ("spin =47 spin =3 2*4", "3", True),
    "the ball was removed": ("spin 7*6 2*4 next spin =3 2*4", "3", True),
    "the count goes round": ("count:255 spin =1 spin =2 spin =3 2*4", "1 2 3", False),
}


def by_hand(script: str) -> list[Line]:
    """Make a recording: `4*44` is a state and how often, `=17` a number with its line, `off` a loss of power."""
    wheel = Wheel(Random(3))  # noqa: S311 - to be had again
    for token in script.replace("spin", "2*14 3*6 4*44").split():
        word, _, value = token.partition(":")
        if "*" in token:
            state, times = token.removesuffix("!").split("*")
            wheel.status(int(state), int(times), warning=token.endswith("!"))
        elif token.startswith("="):
            wheel.result(token[1:])
            wheel.win = token[1:]
            wheel.status(5, 4)
            wheel.advance()
        elif word == "line":
            wheel.result(value)
        elif word == "win":
            wheel.win = value
        elif word == "next":
            wheel.advance()
        elif word in {"first", "count"}:
            wheel.count = int(value or 1)
        else:
            seconds, _, kept = value.partition(":")
            wheel.now += float(seconds or 8)
            wheel.count = wheel.count if kept else 1
    return wheel.lines


@pytest.mark.parametrize("case", BY_HAND)
@pytest.mark.parametrize("rulebook", VENUES)
def test_recording_by_hand(rulebook: str, case: str) -> None:
    """Each of these recordings pays the numbers that two telegrams of their spin have stated, and no other."""
    script, paid, incident = BY_HAND[case]
    lines = by_hand(script)
    followed = Watched(rulebook, {game.launched for game in said(lines)})
    followed.run(lines, InRimReader(TABLE, Instant(0)))

    assert " ".join(each.pocket for each in followed.paid) == paid
    assert bool(followed.incidents) is incident


class LyingReader(InRimReader):
    """A driver with a defect: it changes or drops numbers, hides short spins, or what it observes."""

    def __init__(self, defect: str) -> None:
        super().__init__(TABLE, Instant(0))
        self._defect = defect

    def feed(self, at: Instant, data: bytes) -> list[Observation]:
        return [each._replace(report=self._changed(each.report)) for each in super().feed(at, data)]

    def _changed(self, report: WheelReport | None) -> WheelReport | None:
        if isinstance(report, WheelTrouble) and self._defect == "several|not state":
            return None
        if not isinstance(report, BallAtRest):
            return report
        match self._defect:
            case "not paid":
                return None
            case "not state":
                return replace(report, pocket=Pocket(str((int(report.pocket) + 1) % 37)))
            case "short":
                return replace(report, took_ms=None)
        return replace(report, launch=None)


@pytest.mark.parametrize("defect", ["not paid", "not state", "short", "several|not state"])
def test_checker_notices_a_driver_with_a_defect(defect: str) -> None:
    """Numbers that are changed or dropped, short spins, and numbers of other launches fail the checker."""

    def all_verified() -> None:
        for seed in range(40):
            verified(CLEARWATER, made(seed), LyingReader(defect))

    with pytest.raises(AssertionError, match=defect):
        all_verified()
