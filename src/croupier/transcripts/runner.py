"""Parses and runs transcripts."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final, NamedTuple, TypeVar

from croupier.house.ids import TableId, TerminalId
from croupier.house.settings import Mode, TableSettings
from croupier.rulebooks.loader import SHIPPED, load_rulebook, read_plain, rulebook_ids
from croupier.rules.money import Cents
from croupier.rules.notation import MalformedError, print_slip
from croupier.rules.refusal import ClauseId, Code, Refusal, Refused, or_raise
from croupier.rules.rulebook import Rulebook
from croupier.transcripts.actions import SLIP, ActionCall, read_action
from croupier.transcripts.actors import ActionContext, Actor, ActorRole, read_actor
from croupier.transcripts.driver import (
    BASES,
    METERS,
    NONE,
    SHOWN,
    RecordingDriver,
    shown_name,
    state_details,
)
from croupier.transcripts.format import (
    FIRST,
    Action,
    Expectation,
    Heading,
    Outcome,
    ParseExpectationError,
    Setting,
    Transcript,
    TranscriptLine,
    pattern,
    place_of,
    read_transcript,
    table_named,
    write_line,
)
from croupier.transcripts.live import PlayerSetting, read_chips, set_player
from croupier.transcripts.settings import SeatSetting, VenueSetting, amount_after, set_seat, set_table, set_venue


@dataclass(slots=True)
class Setup:
    """The headings before the play."""

    venue: VenueSetting = field(default_factory=VenueSetting)
    tables: dict[TableId, TableSettings] = field(default_factory=lambda: {FIRST: TableSettings()})
    seats: dict[TerminalId, SeatSetting] = field(default_factory=dict)
    #: The floats of live tables, and the players with chips at the first table.
    floats: dict[TableId, Cents] = field(default_factory=dict)
    players: dict[str, PlayerSetting] = field(default_factory=dict)

    def head(self, subject: str) -> None:
        """Begin a subject, or raise ParseExpectationError when it cannot be here."""
        if subject.startswith("seat "):
            self.seats[TerminalId(subject)] = SeatSetting()
        elif subject.startswith("player "):
            if self.tables[FIRST].live is None:
                raise ParseExpectationError("a live table above: 'table  recording full'")
            self.players[subject] = PlayerSetting()
        elif subject.startswith("table "):
            if subject != table_named(len(self.tables) + 1):
                raise ParseExpectationError(f"'{table_named(len(self.tables) + 1)}' next")
            self.tables[TableId(subject)] = TableSettings()

    def set(self, subject: str, setting: Setting) -> None:
        """Set a value for a subject, or raise ParseExpectationError with what is expected."""
        if subject == "venue":
            self.venue = set_venue(self.venue, setting)
        elif subject.startswith("player "):
            self.players[subject] = set_player(self.players[subject], setting)
        elif subject.startswith("seat "):
            seat = TerminalId(subject)
            self.seats[seat] = set_seat(self.seats[seat], setting)
            self._check(self.seats[seat])
        else:
            table = FIRST if subject == "table" else TableId(subject)
            if setting.name == "float":
                self.floats[table] = amount_after(setting)
                return
            self.tables[table] = set_table(self.tables[table], setting)

    def _check(self, seat: SeatSetting) -> None:
        if not 1 <= seat.tables <= len(self.tables):
            raise ParseExpectationError(f"no more tables than stand above, {len(self.tables)}")
        if seat.credit and self.venue.mode is Mode.REAL:
            raise ParseExpectationError("no play money where the money is real: let the seat insert notes")

    def floor(self, rulebook: Rulebook) -> RecordingDriver:
        """Build a floor with these settings."""
        venue = self.venue
        floor = RecordingDriver(
            rulebook, *self.tables.values(), mode=venue.mode, ticket_days=venue.ticket_days, day=venue.day
        )
        for name, seat in self.seats.items():
            floor.seat(name, seat.credit, seat.terminal, list(self.tables)[: seat.tables])
        for table, amount in self.floats.items():
            if self.tables[table].live is not None:
                floor.set_up_float(table, amount)
        for player, setting in self.players.items():
            floor.seat_player(player, setting)
        return floor


@dataclass(frozen=True, slots=True)
class ScriptStep:
    """A parsed action: the actor, and the action."""

    act: Action
    actor: Actor
    action: ActionCall


@dataclass(frozen=True, slots=True)
class Script:
    """A transcript ready to be run."""

    rulebook: Rulebook
    setup: Setup
    #: Actions and checks, each with the number of its line, from 0.
    play: tuple[tuple[int, ScriptStep | Outcome], ...]


Value = TypeVar("Value")


def understand(text: str, transcript: Transcript, rulebook: Rulebook) -> Script:
    """Parse every line of a transcript, or raise MalformedError at the first that is unknown."""
    reader = _Reader(text, rulebook)
    play = tuple(reader.play(transcript))
    return Script(rulebook, reader.setup, play)


class _Reader:
    """Parses the lines; every error names the field it is about."""

    def __init__(self, text: str, rulebook: Rulebook) -> None:
        self._text = text
        self._rulebook = rulebook
        self.setup = Setup()
        self._now_ms = 0
        #: Players who are seated during the play.
        self._seated: set[str] = set()

    def play(self, transcript: Transcript) -> Iterator[tuple[int, ScriptStep | Outcome]]:
        for number, line in enumerate(transcript.lines):
            match line.content:
                case Heading():
                    self._heading(line, line.content)
                case Action():
                    yield number, self._step(line, line.content)
                case Outcome():
                    self._check(line, line.content)
                    yield number, line.content

    def _at(self, line: TranscriptLine, place: int, read: Callable[..., Value], *given: object) -> Value:
        """Parse a field, and name it in the error."""
        try:
            return read(*given)
        except ParseExpectationError as error:
            end = line.places[place + 1] if place + 1 < len(line.places) else None
            found = self._text[line.places[place] : end].partition("\n")[0].partition("#")[0].strip()
            raise MalformedError(f"expected {error}, found '{found}'", self._text, line.places[place]) from None

    def _heading(self, line: TranscriptLine, heading: Heading) -> None:
        if heading.subject == "rulebook":
            return
        self._at(line, 0, self.setup.head, heading.subject)
        for place in range(1, len(line.places)):
            self._at(line, place, self._setting, heading, place - 1)

    def _setting(self, heading: Heading, place: int) -> None:
        *before, setting = heading.settings[: place + 1]
        if setting.name in {each.name for each in before}:
            raise ParseExpectationError("each setting once")
        self.setup.set(heading.subject, setting)

    def _step(self, line: TranscriptLine, act: Action) -> ScriptStep:
        self._at(line, 0, self._later, act.at_ms)
        actor = self._at(line, 1, self._actor, act.actor)
        action = self._at(line, 2, self._action, act, actor)
        if isinstance(act.action, str) and act.action.startswith("seats player "):
            self._seated.add(act.action.removeprefix("seats "))
        return ScriptStep(act, actor, action)

    def _later(self, at_ms: int) -> None:
        if at_ms < self._now_ms:
            raise ParseExpectationError("a time that is not before the last")
        self._now_ms = at_ms

    def _actor(self, text: str) -> Actor:
        actor = read_actor(text, self._rulebook)
        if actor.role is ActorRole.SEAT:
            self._seat(text)
        elif actor.role is ActorRole.PLAYER:
            self._player(actor.name)
        elif actor.table not in self.setup.tables:
            raise ParseExpectationError(f"a table that has a heading: {', '.join(self.setup.tables)}")
        return actor

    def _seat(self, text: str) -> None:
        seat, table = place_of(text)
        tables = list(self.setup.tables)
        if seat not in self.setup.seats:
            raise ParseExpectationError(f"a seat that has a heading: {', '.join(self.setup.seats) or 'there is none'}")
        if table not in tables[: self.setup.seats[seat].tables]:
            raise ParseExpectationError("a table that the seat plays at")

    def _player(self, name: str) -> None:
        if self.setup.tables[FIRST].live is None:
            raise ParseExpectationError("a player only at a live table")
        if name not in self.setup.players and name not in self._seated:
            known = ", ".join(self.setup.players) or "there is none"
            raise ParseExpectationError(f"a player who has a heading: {known}")

    def _action(self, act: Action, actor: Actor) -> ActionCall:
        if isinstance(act.action, str):
            return read_action(act.action, actor.role, self._rulebook)
        return ActionCall(SLIP.build, (act.action,))

    def _check(self, line: TranscriptLine, outcome: Outcome) -> None:
        for place, detail in enumerate(outcome.details, start=1):
            self._at(line, place, self._known, outcome.word, detail)
        if (
            outcome.word in ("layout", "carried")
            and outcome.details[0].startswith("player ")
            and outcome.details[1] != "empty"
        ):
            self._at(line, 2, read_chips, outcome.details[1])

    def _known(self, word: str, detail: str) -> None:
        if pattern("SEAT").fullmatch(detail):
            self._seat(detail)
        elif pattern("PLAYER").fullmatch(detail):
            self._player(detail)
        elif pattern("TABLE").fullmatch(detail) and detail not in self.setup.tables:
            raise ParseExpectationError(f"a table that has a heading: {', '.join(self.setup.tables)}")
        elif word == "shows" and shown_name(detail) is None:
            raise ParseExpectationError(f"one of {', '.join(SHOWN)}")
        elif word in _NAMES and " " in detail and detail.partition(" ")[0] not in _NAMES[word]:
            raise ParseExpectationError(f"one of {', '.join(_NAMES[word])}")


_NAMES: Final = {"meters": (*METERS,), "hold": (*BASES, NONE)}


MICROSECONDS_PER_MS = 1000


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A line that does not hold: its number from 1, its text, what it expects, and what was found."""

    line: int
    says: str
    expected: tuple[str, ...]
    found: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TranscriptResult:
    """The result of a transcript: the mismatches, and the text that would hold."""

    rulebook: str
    acts: int
    differences: tuple[Mismatch, ...]
    #: The same file with what was found instead of what was expected, and no other change.
    mended: str

    @property
    def holds(self) -> bool:
        return not self.differences


def run_round(text: str) -> TranscriptResult | Refusal:
    """Run a .round file's text and check it, or refuse one that cannot be parsed or has an invalid setup."""
    try:
        return _run(text)
    except Refused as refused:
        return refused.refusal


def _run(text: str) -> TranscriptResult:
    transcript = read_transcript(text)
    script = understand(text, transcript, or_raise(load_rulebook(transcript.rulebook)))
    return _Run(text, transcript, script).played()


class _Run:
    """One run of a script."""

    def __init__(self, text: str, transcript: Transcript, script: Script) -> None:
        self._transcript = transcript
        self._script = script
        self._floor: RecordingDriver = script.setup.floor(script.rulebook)
        self._raw = text.split("\n")
        self._differences: list[Mismatch] = []

    def played(self) -> TranscriptResult:
        self._floor.take_notable()
        for number, what in self._script.play:
            line = self._transcript.lines[number]
            if isinstance(what, ScriptStep):
                assert isinstance(line.content, Action)
                expected, happened = line.content.expects, self._perform(what)
                if happened != expected:
                    mended = replace(line, content=replace(line.content, expects=happened))
                    self._differ(number, mended, tuple(map(str, expected)), tuple(map(str, happened)))
            elif (found := state_details(self._floor, what)) != what:
                self._differ(number, replace(line, content=found), (_text(what),), (_text(found),))
        acts = sum(isinstance(what, ScriptStep) for _, what in self._script.play)
        return TranscriptResult(self._script.rulebook.id, acts, tuple(self._differences), "\n".join(self._raw))

    def _perform(self, step: ScriptStep) -> tuple[Expectation, ...]:
        self._floor.advance(step.act.at_ms * MICROSECONDS_PER_MS)
        action = step.act.action
        words = action if isinstance(action, str) else print_slip(action)
        step.action.perform(ActionContext(self._floor, step.actor, words))
        return self._floor.take_notable()

    def _differ(
        self, number: int, mended: TranscriptLine, expected: tuple[str, ...], happened: tuple[str, ...]
    ) -> None:
        raw = self._raw[number]
        self._differences.append(Mismatch(number + 1, raw.strip(), expected, happened))
        self._raw[number] = write_line(mended) + ("\r" if raw.endswith("\r") else "")


def _text(outcome: Outcome) -> str:
    return "  ".join((outcome.word, *outcome.details))


SUFFIX: Final = ".round"
ROUNDS: Final = "rounds"


class Example(NamedTuple):
    """An example transcript of a rulebook: its file, its content, and its text."""

    name: str
    text: str
    transcript: Transcript


def named_files(paths: Iterable[Path]) -> Iterator[Path | Refusal]:
    """Yield the named files, and the transcripts in named folders."""
    for path in paths:
        if not path.is_dir():
            yield path
            continue
        inside = sorted(path.rglob(f"*{SUFFIX}"))
        message = f"There are no {SUFFIX} files in {path}."
        yield from inside or (Refusal(Code.NOTHING_THERE, None, message, {"file": str(path)}),)


def play_file(path: Path) -> TranscriptResult | Refusal:
    """Run a file and check it, or refuse it by its name and, if known, by the line."""
    try:
        return _run(_read(path))
    except Refused as refused:
        return _located(refused.refusal, path)


def _read(path: Traversable) -> str:
    """Read a file as bytes first, so that line ends do not change."""
    try:
        return read_plain(path).decode("utf-8")
    except OSError as error:
        raise Refused(Code.MALFORMED, None, f"It cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise Refused(Code.MALFORMED, None, f"It is not UTF-8 text: byte {error.start}.") from error


def update_file(path: Path, played: TranscriptResult) -> Refusal | None:
    """Write what was found instead of what was expected; nothing when the file holds."""
    if played.holds:
        return None
    try:
        path.write_bytes(played.mended.encode("utf-8"))
    except OSError as error:
        return _located(Refusal(Code.MALFORMED, None, f"It cannot be written: {error.strerror}."), path)
    return None


def _located(refusal: Refusal, path: Traversable) -> Refusal:
    """Add the file to a refusal, and show only the line if the refusal is about one."""
    text, at = refusal.facts.get("text"), refusal.facts.get("at")
    if not isinstance(text, str) or not isinstance(at, int):
        return replace(refusal, message=f"{path}: {refusal.message}", facts={**refusal.facts, "file": str(path)})
    before = text[:at]
    line, begins = before.count("\n") + 1, before.rfind("\n") + 1
    shown = text[begins:].partition("\n")[0]
    facts = {"file": str(path), "line": line, "text": shown, "at": at - begins}
    return replace(refusal, message=f"{path}:{line}: {refusal.message}", facts=facts)


def examples(reference: str) -> tuple[Example, ...] | Refusal:
    """Return the example transcripts of a rulebook, by its id or its folder, or refuse one that cannot be read."""
    folder = SHIPPED.joinpath(reference) if reference in rulebook_ids() else Path(reference)
    rounds = folder.joinpath(ROUNDS)
    if not rounds.is_dir():
        return ()
    files = sorted((entry for entry in rounds.iterdir() if entry.name.endswith(SUFFIX)), key=lambda entry: entry.name)
    found = []
    for file in files:
        try:
            text = _read(file)
            found.append(Example(file.name, text, read_transcript(text)))
        except Refused as refused:
            return _located(refused.refusal, file)
    return tuple(found)


def cites(transcript: Transcript, rulebook: Rulebook) -> frozenset[ClauseId]:
    """Return every clause that a transcript cites: at the head of a comment, or in what a line expects."""
    known = {clause.clause for clause in rulebook.clauses}
    comments = (clause for line in transcript.lines if line.comment for clause in _listed(line.comment))
    expected = (ClauseId(each.clause) for act in transcript.acts() for each in act.expects if each.clause)
    return frozenset({*comments, *expected} & known)


def _listed(comment: str) -> tuple[ClauseId, ...]:
    """Parse the clauses before a comment's colon: ``7(h)iii, 7(g): nothing after no more bets``."""
    head, colon, _ = comment.partition(":")
    return tuple(ClauseId(clause) for clause in head.split(", ")) if colon else ()


def citing(rulebook: Rulebook, clause: ClauseId, rounds: Iterable[Example]) -> tuple[Example, ...]:
    """Return the transcripts that cite a clause."""
    return tuple(each for each in rounds if clause in cites(each.transcript, rulebook))
