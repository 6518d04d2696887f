"""The commands of wheels: emulate one on a pseudo-terminal, and replay a recording."""

import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import chain, dropwhile, islice, repeat
from pathlib import Path
from select import select
from typing import Final, NamedTuple

import click
import msgspec
from rich.console import Group, RenderableType
from rich.text import Text

from croupier.cli.group import json_option
from croupier.cli.output import console, exit_refused, give, plain_table
from croupier.cli.rules import open_rulebook
from croupier.devices.emulator import FAULTS, PERIOD, WHEEL, Game, PseudoTerminal, Step, drawn, games, normal
from croupier.devices.in_rim_reader import InRimReader, Observation, WheelState, parse_status
from croupier.devices.recorder import STARTED, Record, is_log, is_stripped, pad_digit, read_log, read_records
from croupier.engine.ports import RecordMark, seconds
from croupier.house.ids import SECOND, Instant, TableId
from croupier.house.rounds.irregularities import WheelTrouble
from croupier.house.rounds.results import BallAtRest
from croupier.house.rounds.spinning import BallLaunched, SignalNoMoreBets
from croupier.rules.procedure import Effect, Reason, find_irregularity
from croupier.rules.refusal import Code, Refusal
from croupier.rules.rulebook import Rulebook


@click.group("wheel")
@json_option
def wheel_group() -> None:
    """Emulate a wheel on a serial line, and replay what one has sent."""


@wheel_group.command("emulate")
@click.argument("link", metavar="LINK", type=click.Path(path_type=Path), required=False)
@click.option("--games", "count", type=click.IntRange(min=1), help="How many games; without end by default.")
@click.option("--fault", "faults", multiple=True, type=click.Choice(sorted(FAULTS)), help="A fault for the next game.")
@click.option("--list", "listed", is_flag=True, help="List the faults.")
@click.option("--rate", type=click.IntRange(1, 1000), default=1, help="How many times as fast as a real wheel.")
@click.option("--by-hand", is_flag=True, help="Launch a ball for each line of standard input, and be idle meanwhile.")
@json_option
def emulate_command(  # noqa: PLR0913, PLR0917 - click passes each option
    link: Path | None,
    count: int | None,
    faults: tuple[str, ...],
    listed: bool,  # noqa: FBT001 - click's flag
    rate: int,
    by_hand: bool,  # noqa: FBT001 - click's flag
) -> None:
    """Play games of a wheel on a pseudo-terminal, to which LINK leads: `driver_address` of the driver in-rim.

    Each --fault spoils one game; normal games follow. With --by-hand a line with a number chooses the number of the
    next game, an empty line has it drawn, and the end of the input ends it. Ctrl-C ends it too.
    """
    if listed:
        described = {name: each.description for name, each in FAULTS.items()}
        give({"faults": described}, lambda: _table(("", ""), described.items()))
        return
    if link is None:
        raise click.UsageError("Missing argument 'LINK'.")
    line = PseudoTerminal(link)
    try:
        line.plug()
    except OSError as error:
        exit_refused(Refusal(Code.SETTING_IMPOSSIBLE, None, f"Cannot emulate a wheel at {link}: {error.strerror}."))
    console().print(f"A wheel is at {link}. Stop with Ctrl-C.")
    try:
        played = _by_hand(line, rate) if by_hand else games()
        for game, fault in islice(zip(played, chain(faults, repeat("")), strict=False), count):
            console().print(f"Game {game.spin}: {game.win}{f', {fault}' if fault else ''}")
            steps = FAULTS[fault].play(game) if fault else normal(game)
            # By hand the wheel was idle until now: the launch follows at once.
            _play(line, _from_launch(game, steps) if by_hand else steps, rate)
    except KeyboardInterrupt:
        console().print("Stopped.")
    finally:
        line.unplug()


def _by_hand(line: PseudoTerminal, rate: int) -> Iterator[Game]:
    """Return a game for each line of standard input, and send the telegrams of an idle wheel until there is one."""
    game = Game(1, "", drawn())
    console().print("Enter launches the ball; a number before it chooses where it will rest.")
    while True:
        while not select([sys.stdin], [], [], seconds(PERIOD) / rate)[0]:
            line.send(game.status(WheelState.PLACE_BETS))
        if not (words := sys.stdin.readline()):
            return
        game = game._replace(win=words.strip()) if words.strip() in WHEEL else game
        yield game
        game = game.following(drawn())


def _from_launch(game: Game, steps: Sequence[Step]) -> list[Step]:
    idle = game.status(WheelState.PLACE_BETS)
    return list(dropwhile(lambda step: step.data == idle, steps))


def _play(line: PseudoTerminal, steps: Sequence[Step], rate: int) -> None:
    for step in steps:
        time.sleep(seconds(step.wait) / rate)
        if step.data is None:
            line.unplug()
            line.plug()
        else:
            line.send(step.data)


@wheel_group.command("replay")
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@click.option("--rulebook", metavar="RULEBOOK", help="Add what the venue's rules do about each alarm, and the clause.")
@click.option("--games", "listed", is_flag=True, help="List every game with its times.")
@click.option("--reports", is_flag=True, help="List every report with its time.")
@json_option
def replay_command(file: Path, rulebook: str | None, listed: bool, reports: bool) -> None:  # noqa: FBT001 - click's flags
    """Play a recording through the driver in-rim, and print the games, the numbers and the alarms.

    FILE is a recording of the flight recorder, a log with a date and a time before each line, or the bytes of a wheel
    as they came, for which half a second passes with each telegram.
    """
    venue = None if rulebook is None else open_rulebook(rulebook)
    try:
        content = file.read_bytes()
    except OSError as error:
        exit_refused(Refusal(Code.NOTHING_THERE, None, f"{file} cannot be read: {error.strerror}."))
    replay = Replay(content)
    data = {
        "lines": {"telegrams": replay.telegrams, "unknown": replay.noise},
        "edges": [None if each.state is None else int(each.state) for each in replay.observations],
        "games": [game._asdict() for game in replay.games],
        "numbers": replay.numbers,
        "without_launch": replay.unlaunched,
        "alarms": [
            {"at": each.at, **msgspec.to_builtins(each.report), "why": each.why, **ruled_by(venue, each)}
            for each in replay.alarms
        ],
        "reports": [{"at": each.at, **msgspec.to_builtins(each.report)} for each in replay.found],
    }
    if venue is not None:
        data["not_on_the_wheel"] = replay.not_on(venue)
    give(data, lambda: _replayed(replay, venue, games=listed, reports=reports))


class GameSeen(NamedTuple):
    """A game of a recording: its instants, and its number if it has one."""

    launched: Instant
    closed: Instant | None = None
    rested: Instant | None = None
    number: str | None = None
    spin: int | None = None
    alarms: tuple[str, ...] = ()


class Replay:
    """What the driver in-rim observes in a recording."""

    def __init__(self, content: bytes) -> None:
        records = read_recording(content)
        reader = InRimReader(_TABLE, records[0].at if records else Instant(0))
        self.observations = list(observed(records, reader))
        self.found = [each for each in self.observations if each.report is not None]
        self.telegrams, self.noise = reader.telegrams, reader.noise
        launches = {each.report.launch for each in self.found if isinstance(each.report, BallLaunched)}
        rested = [each.report for each in self.found if isinstance(each.report, BallAtRest)]
        self.numbers = [each.pocket for each in rested if each.launch in launches]
        #: Numbers of spins whose launch is not in the recording: no round counts them by itself.
        self.unlaunched = [each.pocket for each in rested if each.launch not in launches]
        self.alarms = [each for each in self.found if each.why]
        self.games = list(_games(self.found))
        #: From the times of observations to the wall clock; None for bytes without times.
        self.since = Instant(records[0].wall - records[0].at) if records and records[0].wall else None
        self.start = self.observations[0].at if self.observations else Instant(0)

    def not_on(self, venue: Rulebook) -> list[str]:
        """List the numbers that are on no pocket of a venue's wheel: the house refuses them."""
        return sorted({each for each in self.numbers if each not in venue.wheel.order})

    def when(self, at: Instant) -> str:
        """Write an instant: date and time, or seconds since the first telegram."""
        if self.since is None:
            return f"{seconds(at - self.start):.1f} s"
        return f"{datetime.fromtimestamp((at + self.since) // SECOND, UTC):%Y-%m-%d %H:%M:%S}"


def _games(found: Iterable[Observation]) -> Iterator[GameSeen]:
    game: GameSeen | None = None
    for at, _, report, why in found:
        if isinstance(report, BallLaunched) and (game is None or not why or game.closed or game.alarms):
            yield from filter(None, (game,))
            game = GameSeen(at)
        if game is None:
            continue
        if why:
            game = game._replace(alarms=(*game.alarms, why))
        if isinstance(report, SignalNoMoreBets):
            game = game._replace(closed=at)
        elif isinstance(report, BallAtRest) and report.took_ms is not None:
            yield game._replace(rested=at, number=report.pocket, spin=report.spin_id)
            game = None
    yield from filter(None, (game,))


#: What the rules do about an irregularity that sensors may report; staff decide about others.
_EFFECTS: Final = {
    Effect.VOID_ROUND: "the round is void",
    Effect.CONCLUDE_OR_VOID: "concluded or void",
    Effect.RESET_AND_RESPIN: "no spin, stakes are returned",
    Effect.KEEP_AND_RESPIN: "no spin, stakes stay",
    Effect.INVALIDATE: "the outcome is invalid",
    Effect.REFER: "referred to staff",
}


def ruled_by(venue: Rulebook | None, alarm: Observation) -> dict[str, str]:
    """Return what a venue's rules do about an alarm, and the clause."""
    if venue is None:
        return {}
    rule = find_irregularity(venue.irregularities, _reason(alarm))
    # A launch shows by itself that the spin is not valid; other reports count where the rules say so.
    decided = rule.sensed or isinstance(alarm.report, BallLaunched)
    return {"effect": _EFFECTS[rule.effect] if decided else "staff decide", "clause": rule.clause}


def _reason(alarm: Observation) -> Reason:
    return alarm.report.reason if isinstance(alarm.report, WheelTrouble) else Reason.SAME_DIRECTION


def _replayed(replay: Replay, venue: Rulebook | None, *, games: bool, reports: bool) -> RenderableType:
    parts: list[RenderableType] = []
    if reports:
        parts.append(_table(("time", "report"), [(replay.when(each.at), _worded(each)) for each in replay.found]))
    if games:
        columns = ("launched", "closed after", "rested after", "spin", "number", "alarm")
        parts.append(_table(columns, [_game_row(replay, game) for game in replay.games]))
    numbered = sum(game.number is not None for game in replay.games)
    parts += [
        Text(f"Lines: {replay.telegrams:,} telegrams, {replay.noise:,} unknown."),
        Text(f"Games: {len(replay.games):,} launched, {numbered:,} with a number."),
        Text(f"Numbers: {', '.join(replay.numbers) or 'none'}."),
        *([Text(f"Without a launch: {', '.join(replay.unlaunched)}.")] if replay.unlaunched else ()),
        Text(f"Alarms: {len(replay.alarms):,}{':' if replay.alarms else '.'}"),
    ]
    rows = [(replay.when(each.at), _worded(each), *ruled_by(venue, each).values()) for each in replay.alarms]
    if rows:
        parts.append(_table([""] * len(rows[0]), rows))
    if venue is not None and (foreign := replay.not_on(venue)):
        parts.append(Text(f"Not on the wheel of {venue.venue}: {', '.join(foreign)}."))
    return Group(*parts)


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> RenderableType:
    table = plain_table(*columns)
    for row in rows:
        table.add_row(*row)
    return table


def _game_row(replay: Replay, game: GameSeen) -> tuple[str, ...]:
    after = ["" if at is None else f"{seconds(at - game.launched):.1f} s" for at in (game.closed, game.rested)]
    spin = "" if game.spin is None else str(game.spin)
    return replay.when(game.launched), *after, spin, game.number or "none", ", ".join(game.alarms)


def _worded(observation: Observation) -> str:
    """Describe a report."""
    report = observation.report
    if observation.why:
        return f"{_reason(observation).value}: {observation.why}"
    if isinstance(report, BallAtRest):
        return f"the number {report.pocket}, spin {report.spin_id}"
    if isinstance(report, BallLaunched):
        return "the ball is launched" if report.turning else "the ball is launched, and the rotor stands still"
    return "no more bets"


_TABLE: Final = TableId("replayed")


def replayed(content: bytes, table: TableId = _TABLE) -> Iterator[Observation]:
    """Parse a recording again, with the times at which its bytes came."""
    records = read_recording(content)
    yield from observed(records, InRimReader(table, records[0].at if records else Instant(0)))


def observed(records: Iterable[Record], reader: InRimReader) -> Iterator[Observation]:
    """Feed records to a reader."""
    for record in records:
        if record.mark is RecordMark.RECEIVED:
            yield from reader.feed(record.at, record.data)
        elif record.data == b"opened":
            reader.cut()
        elif record.data == STARTED:
            reader.begin(record.at)


def read_recording(content: bytes) -> list[Record]:
    """Read a recording of the flight recorder, a log of a program, or the bytes of a wheel as they came."""
    lines = content.splitlines()
    return list(read_records(lines)) or list(read_log(lines) if is_log(lines) else _paced(content))


def _paced(content: bytes) -> Iterator[Record]:
    """Give each status of a file without times half a second."""
    at, stripped = 0, is_stripped(content.splitlines())
    for line in content.splitlines(keepends=True):
        bare = line.strip(b"\r\n")
        at += SECOND // 2 if parse_status(bare) else 0
        data = pad_digit(bare) + b"\n" if stripped else line
        yield Record(Instant(at), Instant(0), RecordMark.RECEIVED, data)
