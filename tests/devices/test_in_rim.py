"""The in-rim reader: telegrams become reports, on edges, once, and never of a number that was not sent."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random
from typing import Final

import pytest
from msgspec.structs import replace

from croupier.cli.wheel import replayed
from croupier.devices.emulator import FAULTS, Game, Step, games, normal
from croupier.devices.in_rim_reader import LINE_MAX, SILENCE, SPINS, InRimReader, Observation, WheelState, parse_status
from croupier.engine.ports import WheelReport
from croupier.house.floor.incidents import TroubleCause
from croupier.house.ids import SECOND, Instant, TableId
from croupier.house.rounds.irregularities import WheelTrouble
from croupier.house.rounds.results import BallAtRest
from croupier.house.rounds.spinning import BallLaunched, SignalNoMoreBets
from croupier.rules.geometry import Pocket
from croupier.rules.procedure import Reason
from tests.support.campaign import portions

A: Final = TableId("A")
#: A recording of six games on a single-zero wheel.
RECORDING: Final = Path(__file__).parents[3] / "shared" / "data" / "wheel" / "ss2-six-games.log"


def fed(steps: Iterable[Step], reader: InRimReader | None = None) -> Iterator[Observation]:
    """Feed what an emulated wheel sends to a reader, from the first telegram of a normal game on."""
    reader = reader or InRimReader(A, Instant(0))
    now = reader._received_at  # noqa: SLF001 - where the last steps ended
    for step in steps:
        now = Instant(now + step.wait)
        if step.data is None:
            reader.cut()
        else:
            yield from reader.feed(now, step.data)


def sent(steps: Iterable[Step]) -> list[WheelReport]:
    """All reports, with the launches that they name."""
    return [observation.report for observation in fed(steps) if observation.report is not None]


def reports(steps: Iterable[Step]) -> list[WheelReport]:
    """All reports, without launches, times and causes."""
    return list(map(bare, sent(steps)))


def bare(report: WheelReport) -> WheelReport:
    if isinstance(report, WheelTrouble):
        return WheelTrouble(A, report.reason, silent=report.silent)
    if isinstance(report, BallAtRest):
        return replace(report, launch=None, took_ms=None)
    return replace(report, launch=None) if isinstance(report, BallLaunched) else report


FIRST: Final = Game(7, "32", "17")
LAUNCH, CLOSE = BallLaunched(A, turning=True), SignalNoMoreBets(A)
REST = BallAtRest(A, Pocket("17"), spin_id=7)


def trouble(reason: Reason, *, silent: bool = False) -> WheelTrouble:
    return WheelTrouble(A, reason, silent=silent)


BROKEN, QUIET = trouble(Reason.MALFUNCTION), trouble(Reason.MALFUNCTION, silent=True)
GONE, FEW = trouble(Reason.BALL_OUT_OF_WHEEL), trouble(Reason.TOO_FEW_REVOLUTIONS)
WITH = BallLaunched(A, opposite=False)

#: What each fault of the emulator leads to in its game.
EXPECTED: Final[dict[str, list[WheelReport]]] = {
    "ball-lost": [LAUNCH, CLOSE, GONE],
    "ball-missed-briefly": [LAUNCH, CLOSE, REST],
    "ball-not-in-track": [LAUNCH, CLOSE, GONE],
    "closed-in-spin": [LAUNCH, CLOSE, BROKEN],
    "cut-line": [LAUNCH, CLOSE, REST],
    "duplicates": [LAUNCH, CLOSE, REST],
    "foreign-number": [LAUNCH, CLOSE, BallAtRest(A, Pocket("37"), spin_id=7)],
    "launch-failed": [LAUNCH, FEW],
    "launch-retried": [LAUNCH, CLOSE, REST],
    "launched-with-rotor": [BallLaunched(A, opposite=False, turning=True), CLOSE, REST],
    "no-number": [LAUNCH, CLOSE, BROKEN],
    "no-result-line": [LAUNCH, CLOSE, REST],
    "noise": [LAUNCH, CLOSE, REST],
    "number-changes": [LAUNCH, CLOSE, REST, BROKEN],
    "one-status": [LAUNCH, CLOSE, REST],
    "result-repeated": [LAUNCH, CLOSE, REST],
    "rotor-still-at-launch": [BallLaunched(A, turning=False), trouble(Reason.WHEEL_STOPPED), CLOSE, REST],
    "rotor-stops": [LAUNCH, CLOSE, trouble(Reason.WHEEL_STOPPED), REST],
    "sensor-fault": [LAUNCH, CLOSE, BROKEN],
    "silence": [LAUNCH, QUIET, REST],
    "stale-backlog": [LAUNCH, CLOSE, QUIET],
    "state-left-out": [LAUNCH, BROKEN, REST],
    "two-numbers": [LAUNCH, CLOSE, BROKEN, REST],
    "unplugged": [LAUNCH, CLOSE, REST],
    "with-rotor": [LAUNCH, WITH, CLOSE, REST],
}


def test_every_fault_has_its_reports() -> None:
    """The table of expectations names every fault that the emulator can play."""
    assert list(EXPECTED) == sorted(FAULTS)


@pytest.mark.parametrize("name", FAULTS)
def test_fault_leads_to_its_reports(name: str) -> None:
    """A fault in one game leads to what is expected of it and nothing else, and the game after it is normal."""
    shown = next((each.pocket for each in EXPECTED[name] if isinstance(each, BallAtRest)), FIRST.win)
    after = Game(FIRST.spin + 1, shown, "5")
    steps = [*FIRST.lines(2, 1), *FAULTS[name].play(FIRST), *after.lines(2, 4), *normal(after)]

    assert reports(steps) == [*EXPECTED[name], LAUNCH, CLOSE, BallAtRest(A, Pocket("5"), spin_id=after.spin)]


def test_games_have_their_edges_and_results() -> None:
    """Normal games go through states 2, 3, 4 and 5, each with one launch, one close and one number, past spin 256."""
    numbers = iter(["0", "36", "7", "7", "12"])
    first = Game(SPINS - 2, "", "")
    played = [game for game, _ in zip(games(lambda: next(numbers), first), range(4), strict=False)]
    observations = list(fed(step for game in played for step in normal(game)))

    assert [observation.state for observation in observations] == [WheelState(each) for each in (2, 3, 4, 5)] * 4
    assert [bare(each.report) for each in observations if isinstance(each.report, BallAtRest)] == [
        BallAtRest(A, Pocket(win), spin_id=spin) for spin, win in ((254, "0"), (255, "36"), (256, "7"), (1, "7"))
    ]


@pytest.mark.skipif(not RECORDING.exists(), reason="the recording is not part of the project")
def test_recording_gives_six_games() -> None:
    """A recording of six games gives their edges and their numbers, and no alarm."""
    observations = list(replayed(RECORDING.read_bytes()))
    found = [observation.report for observation in observations if observation.report is not None]

    assert [observation.state for observation in observations] == [1, *[2, 3, 4, 5] * 6, 2, 6]
    assert [each.pocket for each in found if isinstance(each, BallAtRest)] == ["27", "16", "6", "3", "10", "0"]
    assert [each.spin_id for each in found if isinstance(each, BallAtRest)] == [11, 12, 13, 14, 15, 16]
    assert [each for each in found if isinstance(each, WheelTrouble)] == []


@pytest.mark.parametrize(
    "line",
    [
        b"*X;8;011;34;0;154;0",
        b"*X;2;011;34;0;154",
        b"*X;2;094",
        b"*X;2;11;34;0;154;0",
        b"*X;2;011;04;0;154;0",
        b"*X;2;011;34;G;154;0",
        b"*X;2;011;34;0;154;2",
        b"*X;2;011;34;0;154;0 ",
        b"*P OK",
        b"",
    ],
)
def test_other_line_is_no_status(line: bytes) -> None:
    """A line that is cut, or has a field that no wheel sends, is no status."""
    assert parse_status(line) is None


def test_status_behind_a_cut_line_is_read() -> None:
    """A whole status that follows a cut line without an end of line between them is read."""
    assert parse_status(b"*X;2;0*X;5;011;00;F;1540;1") == (5, 11, Pocket("00"), 15, 1540)
    assert parse_status(b"*X;5;011;  ;0;000;1") == (5, 11, None, 0, 0)


def test_silence_is_reported_once_and_ends_with_a_fresh_telegram() -> None:
    """A silence is reported when it has lasted 3 seconds, also from the start; after it a first state is no edge."""
    reader = InRimReader(A, Instant(0))
    assert reader.due == SILENCE
    assert reader.advance(Instant(SILENCE - 1)) == []
    quiet = WheelTrouble(A, Reason.MALFUNCTION, silent=True, cause=TroubleCause.NO_TELEGRAM)
    assert reader.advance(Instant(SILENCE)) == [Observation(Instant(SILENCE), None, quiet, "no telegram for 3 seconds")]
    assert reader.advance(Instant(9 * SECOND)) == []
    assert reader.fault == "no telegram for 3 seconds"

    observations = [
        observation
        for tenth in range(200, 220, 5)
        for observation in reader.feed(Instant(tenth * SECOND // 10), FIRST.status(3))
    ]
    assert observations == [Observation(Instant(20_500_000), WheelState.BALL_IN_RIM)]
    assert reader.fault == ""


def test_fast_stream_after_a_silence_is_read_once_it_lasts() -> None:
    """Telegrams that come faster than a wheel sends them are old ones from a buffer, unless they last ten seconds."""
    reader = InRimReader(A, Instant(0))
    began = 60 * SECOND
    assert [each.report and bare(each.report) for each in reader.feed(Instant(began), FIRST.status(2))] == [QUIET]
    for tenth in range(1, 100):
        assert reader.feed(Instant(began + tenth * SECOND // 10), FIRST.status(2)) == []
    assert reader.fault == "no telegram for 3 seconds"
    now = Instant(began + 10 * SECOND)
    assert reader.feed(now, FIRST.status(2)) == [Observation(now, WheelState.PLACE_BETS)]
    assert reader.fault == ""


def test_spin_whose_launch_was_not_seen_names_a_launch_of_its_own() -> None:
    """A reader that begins during a spin reports its number alone, with a launch that no report has named."""
    steps = [*FIRST.lines(3, 3), *FIRST.lines(4), FIRST.result, *FIRST.lines(5), *normal(FIRST.following("4"))]
    found = sent(steps)

    assert list(map(bare, found)) == [REST, LAUNCH, CLOSE, BallAtRest(A, Pocket("4"), spin_id=8)]
    unseen, launch, _, rest = found
    assert isinstance(unseen, BallAtRest)
    assert isinstance(launch, BallLaunched)
    assert isinstance(rest, BallAtRest)
    assert (unseen.took_ms, rest.took_ms, rest.launch) == (None, 25_000, launch.launch)
    assert unseen.launch not in (None, launch.launch)


def test_count_that_begins_again_is_another_spin() -> None:
    """Three games with the wheel switched off between them carry the count 1 and name three launches."""
    once = [*FIRST._replace(spin=1).lines(1, 4), *normal(FIRST._replace(spin=1)), *FIRST._replace(spin=1).lines(6, 4)]
    found = sent(once * 3)

    numbers = [each for each in found if isinstance(each, BallAtRest)]
    assert [(each.pocket, each.spin_id) for each in numbers] == [("17", 1)] * 3
    assert [each.launch for each in numbers] == [each.launch for each in found if isinstance(each, BallLaunched)]
    assert len({each.launch for each in numbers}) == 3
    assert [each for each in found if isinstance(each, WheelTrouble)] == []


DOUBLED: Final = [Step(0, b"17\r\n17\r\n"), *FIRST._replace(win="22").lines(5)]


def test_doubled_line_is_one_statement() -> None:
    """17 twice in one read and then 22 in state 5 is a contradiction: 22 follows it, and 17 is never reported."""
    found = sent([*FIRST.lines(2), *FIRST.lines(3), *FIRST.lines(4), *DOUBLED])
    launch, _, trouble_, rest = found

    assert isinstance(launch, BallLaunched)
    cause = TroubleCause.NUMBERS_DIFFER
    assert trouble_ == WheelTrouble(
        A, Reason.MALFUNCTION, cause=cause, pocket=Pocket("22"), expected=Pocket("17"), launch=launch.launch
    )
    assert rest == BallAtRest(A, Pocket("22"), spin_id=7, launch=launch.launch, took_ms=25_500)


def test_second_line_of_the_result_states_nothing_more() -> None:
    """The wheel sends the line of its result once: the same line a second later confirms nothing."""
    running = [*FIRST.lines(2), *FIRST.lines(3), *FIRST.lines(4)]
    line = FIRST.win.encode() + b"\r\n"

    assert reports([*running, Step(0, line), Step(SECOND, line)]) == [LAUNCH, CLOSE]


def test_doubled_status_confirms_nothing() -> None:
    """A status out of order that comes twice at once changes nothing, and one in state 5 is one statement."""
    twice = [Step(1, FIRST.status(6) * 2), Step(1, FIRST.status(5) * 2)]
    running = [*FIRST.lines(2), *FIRST.lines(3), *FIRST.lines(4)]

    assert reports([*running, *twice]) == [LAUNCH, CLOSE]
    assert reports([*running, *twice, *FIRST.lines(4), *_end(FIRST)]) == [LAUNCH, CLOSE, REST]


def test_numbers_that_go_to_and_fro_are_one_contradiction() -> None:
    """A wheel that states 17, 22, 17 and 22 reports one contradiction, and no number until two in a row agree."""
    other = FIRST._replace(win="22")
    steps = [*FIRST.lines(2), *FIRST.lines(3), *FIRST.lines(4), *(FIRST.lines(5, 1) + other.lines(5, 1)) * 2]

    assert reports(steps) == [LAUNCH, CLOSE, BROKEN]
    assert reports([*steps, *other.lines(5, 1)]) == [LAUNCH, CLOSE, BROKEN, replace(REST, pocket="22")]


def test_result_line_that_the_status_contradicts_is_not_forgotten() -> None:
    """A line of the result, one more status in state 4, and another number in state 5 are a contradiction."""
    steps = [*FIRST.lines(2), *FIRST.lines(3), *FIRST.lines(4), *DOUBLED[:1], *FIRST.lines(4, 1), *DOUBLED[1:]]

    assert reports(steps) == [LAUNCH, CLOSE, BROKEN, replace(REST, pocket="22")]


def test_count_that_changes_before_the_number_is_a_malfunction() -> None:
    """State 5 with another count, twice, is a malfunction, after which the number is reported."""
    other = FIRST._replace(spin=9)
    steps = [*FIRST.lines(2), *FIRST.lines(3), *FIRST.lines(4), *other.lines(5, 3)]
    found = sent(steps)

    assert list(map(bare, found)) == [LAUNCH, CLOSE, BROKEN, replace(REST, spin_id=9)]
    assert isinstance(found[2], WheelTrouble)
    assert found[2].cause is TroubleCause.COUNT_CHANGED


def test_contradiction_after_the_result_names_its_launch() -> None:
    """A wheel that shows another number after its result reports both numbers, and the launch of that spin."""
    found = sent(FAULTS["number-changes"].play(FIRST))
    launch = found[0]

    assert isinstance(launch, BallLaunched)
    cause = TroubleCause.NUMBER_CHANGED
    assert found[-1] == WheelTrouble(
        A, Reason.MALFUNCTION, cause=cause, pocket=Pocket("32"), expected=Pocket("17"), launch=launch.launch
    )


def test_wheel_that_was_switched_on_contradicts_nothing() -> None:
    """A wheel that shows no number after its power-up, or an older one, does not contradict its last result."""
    blank = FIRST._replace(spin=1, last="", win="")
    for on in ([*blank.lines(6, 3), *blank.lines(1, 3)], []):
        steps = [*normal(FIRST), *on, *blank.lines(2, 4)]
        assert reports(steps) == [LAUNCH, CLOSE, REST]
    older = FIRST._replace(spin=1, last="9")
    assert reports([*normal(FIRST), *older.lines(1, 3), *older.lines(2, 4)]) == [LAUNCH, CLOSE, REST]


def test_ball_with_the_rotor_of_an_unseen_launch_is_no_launch() -> None:
    """A warning of a spin whose launch was not seen is an irregularity, and names no launch."""
    assert reports(FIRST.lines(3, 3, 2)) == [trouble(Reason.SAME_DIRECTION)]


def test_two_games_in_one_read_name_two_launches() -> None:
    """Whole games that come in one read took no time, and have launches of their own."""
    both = b"".join(step.data or b"" for game in (FIRST, FIRST.following("4")) for step in normal(game))
    found = sent([Step(1, both)])
    numbers = [each for each in found if isinstance(each, BallAtRest)]

    assert [each.took_ms for each in numbers] == [0, 0]
    assert len({each.launch for each in numbers}) == 2


def test_single_telegram_out_of_order_is_ignored() -> None:
    """One status with another state or spin among those of a spin changes nothing."""
    wrong = [Step(1, FIRST.status(state)) for state in (1, 2, 6, 7)]
    wrong += [Step(1, FIRST.status(5)), Step(1, FIRST._replace(spin=9).status(5))]
    steps = [*FIRST.lines(2), *FIRST.lines(3)]
    steps += [each for step in wrong for each in (step, *FIRST.lines(4, 2))]

    assert reports([*steps, FIRST.result, *FIRST.lines(5)]) == [LAUNCH, CLOSE, REST]


def test_telegrams_of_another_spin_are_no_part_of_this_one() -> None:
    """After a launch, old telegrams of the spin before it neither close nor end the new spin."""
    after = FIRST.following("4")
    old = [*FIRST.lines(4, 1), *FIRST.lines(5, 1), Step(1, after.status(2))]
    steps = [*FIRST.lines(2), *FIRST.lines(3), *FIRST.lines(4), *_end(FIRST), *after.lines(2), *after.lines(3, 1)]

    assert reports([*steps, *old, *after.lines(3), *after.lines(4), *_end(after)]) == [
        LAUNCH,
        CLOSE,
        REST,
        LAUNCH,
        CLOSE,
        BallAtRest(A, Pocket("4"), spin_id=8),
    ]


def _end(game: Game) -> list[Step]:
    return [game.result, *game.lines(5)]


def test_wheel_that_has_no_number_yet_states_none() -> None:
    """A status in state 5 without a number is no statement of it."""
    blank = FIRST._replace(win="")
    steps = [*FIRST.lines(2), *FIRST.lines(3), *FIRST.lines(4), *blank.lines(5), *FIRST.following("1").lines(2)]

    assert reports(steps) == [LAUNCH, CLOSE, BROKEN]


def test_warning_that_stays_is_reported_once() -> None:
    """A fault of the machine is reported when it appears, and again after it was gone, but not with every telegram."""
    steps = [*FIRST.lines(2, 3, 4), *FIRST.lines(2, 1), *FIRST.lines(2, 3, 4)]

    assert reports(steps) == [BROKEN, BROKEN]


@pytest.mark.parametrize(
    ("states", "alarms"),
    [((6, 1, 2), 0), ((2, 6), 0), ((2, 1), 0), ((1, 6), 0), ((2, 7), 1), ((2, 4), 1), ((5, 3), 1), ((1, 3), 0)],
)
def test_edge_outside_a_spin(states: tuple[int, ...], alarms: int) -> None:
    """A wheel is switched on and off without an alarm; a game that leaves out a state is a malfunction."""
    steps = [step for state in states for step in FIRST.lines(state, 3)]

    assert [each for each in reports(steps) if isinstance(each, WheelTrouble)] == [BROKEN] * alarms


def test_closed_wheel_is_a_fault() -> None:
    """A wheel that is closed, or has no ball in its track, says so as long as it is."""
    reader = InRimReader(A, Instant(0))
    faults = []
    for state in (6, 1, 7, 1):
        list(fed(FIRST.lines(state, 2), reader))
        faults.append(reader.fault)

    assert faults == ["it is closed", "", "the ball is not in the track", ""]


def test_noise_is_bounded_and_counted() -> None:
    """Bytes without an end of line take no memory, and lines that are no telegram are counted."""
    reader = InRimReader(A, Instant(0))
    for _ in range(100):
        assert reader.feed(Instant(1), bytes(1000)) == []
    assert len(reader._partial) == LINE_MAX  # noqa: SLF001 - what it keeps
    reader.feed(Instant(1), b"\r\n*P OK\r\n*X;2;094\r\n")
    assert reader.noise == 2


def mutated(random: Random, stream: bytes) -> bytes:
    """Change, drop, repeat or move some bytes."""
    data = bytearray(stream)
    for _ in range(random.randint(1, 8)):
        at, size = random.randrange(len(data)), random.choice((1, 1, 1, 2, 20, 200))
        match random.randrange(5):
            case 0:
                data[at] = random.randrange(256)
            case 1:
                del data[at : at + size]
            case 2:
                data[at:at] = data[at : at + size]
            case 3:
                data[at:at] = random.randbytes(size)
            case _:
                data[at] ^= 1 << random.randrange(8)
    return bytes(data)


#: How much time passes before a piece beyond that of its bytes: mostly none, at times a stall or a silence.
STALLS: Final = (*[0] * 200, SECOND // 3, SECOND, 4 * SECOND, 120 * SECOND)


def ran(stream: bytes, random: Random) -> list[WheelReport]:
    """Feed a stream in pieces, at the pace of its telegrams or at once, with stalls."""
    reader, at, now, found = InRimReader(A, Instant(0)), 0, 0, []
    pace = random.choice((1, 1, 1, 0))
    while at < len(stream):
        size = random.choice((5, 21, 40, 63))
        now += pace * size * (SECOND // 2) // 21 + random.choice(STALLS)
        found += [each.report for each in reader.feed(Instant(now), stream[at : at + size]) if each.report is not None]
        at += size
    return found


@pytest.mark.campaign
@pytest.mark.parametrize("seeds", portions(day=4_000, night=200_000, size=10_000), ids=str)
def test_mutated_stream_gives_no_other_number(seeds: range) -> None:
    """Whatever becomes of a stream on the line, no number counts that was not sent, none twice, none early.

    A number counts if its launch was reported, and no irregularity after that.
    """
    random = Random(seeds.start)  # noqa: S311 - chance that can be had again
    second = FIRST.following("4")
    plain = [FIRST, second, second.following("30")]
    stream = b"".join(step.data or b"" for game in plain for step in normal(game))
    wins = {game.spin: game.win for game in plain}
    for number in seeds:
        found = ran(mutated(random, stream), random)
        results = [each for each in found if isinstance(each, BallAtRest)]
        counted = [each for each in results if each in counting(found)]
        assert all(wins.get(each.spin_id or 0) == each.pocket for each in counted), number
        assert len({each.spin_id for each in counted}) == len(counted), number
        assert len({each.launch for each in results}) == len(results), number


def counting(found: list[WheelReport]) -> Iterator[BallAtRest]:
    """Find the numbers whose launch was reported, and no irregularity after that."""
    launch: int | None = None
    for each in found:
        if isinstance(each, BallLaunched):
            launch = each.launch if each.opposite is None else None
        elif isinstance(each, WheelTrouble):
            launch = None
        elif isinstance(each, BallAtRest) and launch is not None:
            assert each.launch == launch
            yield each
