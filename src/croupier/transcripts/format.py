"""The .round grammar, read and written."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Final, assert_never

from croupier.house.ids import TableId, TerminalId
from croupier.rules.notation import MalformedError, NotationBet, parse_slip, print_slip
from croupier.rules.texts import escaped

#: A terminal at one of its tables.
Place = tuple[TerminalId, TableId]


def table_named(number: object) -> TableId:
    return TableId(f"table {number}")


def seat_named(number: object) -> TerminalId:
    return TerminalId(f"seat {number}")


FIRST: Final = table_named(1)


def seat_text(terminal: TerminalId, table: TableId) -> str:
    """Return the name of a seat in a transcript: without its table if that is the first."""
    return terminal if table == FIRST else f"{terminal} at {table}"


def place_of(seat: str) -> Place:
    """Return the terminal of a seat, and its table."""
    terminal, _, table = seat.partition(" at ")
    return TerminalId(terminal), TableId(table or FIRST)


class ParseExpectationError(Exception):
    """A part of a line is unknown; the message says what is expected in its place."""


@dataclass(frozen=True, slots=True)
class Setting:
    """A value that a heading sets: ``minimum 5``."""

    name: str
    value: str

    def __str__(self) -> str:
        return f"{self.name} {self.value}"


@dataclass(frozen=True, slots=True)
class Heading:
    """A line before the play: the rulebook, the venue, a table or a seat, with its settings."""

    subject: str
    settings: tuple[Setting, ...]


@dataclass(frozen=True, slots=True)
class Expectation:
    """An expected effect of a line: ``refused bets_closed 7(h)iii``, ``void 5.1``, ``returned seat 1 3 11``."""

    word: str
    detail: str

    def __str__(self) -> str:
        return f"{self.word} {self.detail}"

    @property
    def clause(self) -> str | None:
        """The clause that it cites, if it cites one."""
        form = _EXPECTED[self.word]
        match = pattern(form).fullmatch(str(self))
        cited = match.groups()[-1] if match is not None and form.endswith("CLAUSE") else "-"
        return None if cited == "-" else cited


@dataclass(frozen=True, slots=True)
class Action:
    """An action of an actor at a time; a seat's action is a slip if it is written like one."""

    at_ms: int
    actor: str
    action: tuple[NotationBet, ...] | str
    #: All notable effects that are expected, in order; no other may occur.
    expects: tuple[Expectation, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """A check of the state at its line: ``pays seat 1 345 credit 830``, ``house -295``."""

    word: str
    details: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TranscriptLine:
    """One line of the file: its content, if any, and its comment, if any."""

    content: Heading | Action | Outcome | None = None
    comment: str | None = None
    #: The column of each of its fields in the text that it was parsed from.
    places: tuple[int, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class Transcript:
    """A round as a file: every line, comments and blanks included, so that writing it back loses nothing."""

    lines: tuple[TranscriptLine, ...]

    @property
    def rulebook(self) -> str:
        """The id of the rulebook, which the first heading names."""
        return next(self.headings()).settings[0].value

    def headings(self) -> Iterator[Heading]:
        return (line.content for line in self.lines if isinstance(line.content, Heading))

    def acts(self) -> Iterator[Action]:
        return (line.content for line in self.lines if isinstance(line.content, Action))

    def outcomes(self) -> Iterator[Outcome]:
        return (line.content for line in self.lines if isinstance(line.content, Outcome))


DAY_MS: Final = 24 * 60 * 60 * 1000

_COUNT: Final = "[1-9][0-9]*"
_AMOUNT: Final = r"[0-9]{1,12}(?:\.[0-9]{1,2})?"
_NAME: Final = "[a-z]+(?:[_-][a-z]+)*"

#: The patterns of words in capitals, in a form such as "returned SEAT AMOUNT CLAUSE".
PLACEHOLDERS: Final[Mapping[str, str]] = {
    "AMOUNT": _AMOUNT,
    # A clause may contain spaces; a dash means that no rule applies.
    "CLAUSE": r"\S.*",
    "CODE": "[a-z]+(?:_[a-z]+)*",
    "LAYOUT": r"empty|.* on .*",
    "N": _COUNT,
    "NAME": _NAME,
    "NUMBERS": "none|[0-9]{1,3}(?: [0-9]{1,3})*",
    "POCKET": "[0-9]{1,3}",
    "PLAYER": f"player {_COUNT}",
    "SEAT": f"seat {_COUNT}(?: at table {_COUNT})?",
    "SPOT": "[a-z0-9/-]+(?: [0-9]+)?",
    "SIGNED": f"-?{_AMOUNT}",
    "TABLE": f"table {_COUNT}",
    "WHO": f"seat {_COUNT}(?: at table {_COUNT})?|player {_COUNT}",
    "WORDS": r"\S.*",
}

#: All notable effects, in the form in which a line expects them.
EXPECTATIONS: Final = (
    "refused CODE CLAUSE",
    "void CLAUSE",
    "no-spin CLAUSE",
    "suspended CLAUSE",
    "invalidated CLAUSE",
    "corrected POCKET to POCKET CLAUSE",
    "returned WHO AMOUNT CLAUSE",
    "incident NAME CLAUSE",
    "case N CLAUSE",
    "confirmed N CLAUSE",
    "voided N CLAUSE",
    "held SEAT AMOUNT CLAUSE",
    "proposed N",
    "copied SEAT AMOUNT",
    "not copied SEAT CODE CLAUSE",
    "ignored POCKET",
    "over PLAYER SPOT AMOUNT CLAUSE",
    "under PLAYER SPOT AMOUNT CLAUSE",
    "late PLAYER AMOUNT CLAUSE",
    "advised PLAYER CLAUSE",
    "capped PLAYER AMOUNT CLAUSE",
    "rounded PLAYER AMOUNT to AMOUNT CLAUSE",
    "noted PLAYER CLAUSE",
    "barred PLAYER CLAUSE",
    "refunded CLAUSE",
    "released AMOUNT CLAUSE",
)

#: The checks between actions: the fields after the word, in brackets when one may be left out, with dots when there may
#: be several.
OUTCOMES: Final[Mapping[str, tuple[str, ...]]] = {
    "pays": ("SEAT", "AMOUNT", "[credit AMOUNT]"),
    "credit": ("SEAT", "AMOUNT"),
    "owes": ("WHO", "AMOUNT"),
    "payable": ("WHO", "AMOUNT"),
    "layout": ("WHO", "LAYOUT"),
    "carried": ("WHO", "LAYOUT"),
    "house": ("SIGNED",),
    "pot": ("AMOUNT", "reserve SIGNED"),
    "history": ("[TABLE]", "NUMBERS"),
    "round": ("[TABLE]", "NAME", "spin N"),
    "shows": ("SEAT", "WORDS…"),
    "meters": ("SEAT", "NAME AMOUNT…"),
    "hold": ("N", "none|NAME AMOUNT…"),
    "slip": ("N", "NAME", "[AMOUNT]"),
    "drawer": ("WORDS", "none|AMOUNT"),
    "dispute": ("N", "NAME"),
    "idle": ("none|SEAT…",),
    "collected": ("none|unknown|AMOUNT",),
    "due": ("PLAYER", "AMOUNT as WORDS|AMOUNT"),
    "paid": ("PLAYER", "AMOUNT"),
    "out": ("WORDS",),
    "float": ("none|unknown|AMOUNT",),
    "drop": ("AMOUNT",),
    "walk": ("NAME",),
}

_CAPITALS: Final = re.compile("[A-Z]+")


def compiled(form: str, placeholders: Mapping[str, str]) -> re.Pattern[str]:
    """Compile a form to a pattern: its words in capitals are placeholders, and each is a group."""
    return re.compile(_CAPITALS.sub(lambda name: f"({placeholders[name.group()]})", form))


@cache
def pattern(form: str) -> re.Pattern[str]:
    return compiled(form, PLACEHOLDERS)


def _word(form: str) -> str:
    return _CAPITALS.split(form)[0].strip()


_EXPECTED: Final = {_word(form): form for form in EXPECTATIONS}

_TIME: Final = re.compile(r"([01][0-9]|2[0-3]):([0-5][0-9]):([0-5][0-9])(?:\.([0-9]{3}))?")
_FIELD: Final = re.compile(r"\S+(?: \S+)*")
_SUBJECT: Final = re.compile(f"rulebook|venue|table(?: (?!1$){_COUNT})?|(?:seat|player) {_COUNT}")
_SEAT: Final = re.compile(PLACEHOLDERS["SEAT"])
_ACTOR: Final = re.compile(f"[a-z]+(?: [a-z]+)*(?: {_COUNT})?(?: at table {_COUNT})?")
_NAMED: Final = re.compile(r"(?P<name>[a-z]+(?:[ -][a-z]+)*) (?P<value>\S+)")


def read_transcript(text: str) -> Transcript:
    """Parse a .round file, or raise MalformedError at the first fault."""
    reader = _Reader(text)
    lines = tuple(reader.lines())
    first = next((line.content for line in lines if line.content is not None), None)
    if not isinstance(first, Heading) or first.subject != "rulebook":
        raise MalformedError("a round begins with 'rulebook' and its id", text, reader.begins_at or 0)
    return Transcript(lines)


def write_transcript(transcript: Transcript) -> str:
    """Write a transcript as a .round file, with aligned columns."""
    return "".join(f"{write_line(line)}\n" for line in transcript.lines)


@dataclass(frozen=True, slots=True)
class _Field:
    text: str
    at: int


class _Reader:
    """Parses line by line; two spaces or a tab separate fields, so that a field may contain single spaces."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.begins_at: int | None = None
        self._headed: set[str] = set()
        self._playing = False

    def lines(self) -> Iterator[TranscriptLine]:
        at = 0
        for line in self._text.removesuffix("\n").split("\n"):
            says, mark, comment = line.partition("#")
            fields = [_Field(match.group(), at + match.start()) for match in _FIELD.finditer(says)]
            if fields and self.begins_at is None:
                self.begins_at = fields[0].at
            content = self._content(fields) if fields else None
            yield TranscriptLine(content, comment.strip() if mark else None, tuple(each.at for each in fields))
            at += len(line) + 1

    def _wrong(self, expected: str, found: _Field) -> MalformedError:
        return MalformedError(f"expected {expected}, found '{found.text}'", self._text, found.at)

    def _content(self, fields: list[_Field]) -> Heading | Action | Outcome:
        head, *rest = fields
        read: Callable[[_Field, list[_Field]], Heading | Action | Outcome]
        if _TIME.fullmatch(head.text):
            read = self._act
        elif _SUBJECT.fullmatch(head.text):
            read = self._heading
        elif head.text in OUTCOMES:
            read = self._outcome
        else:
            headings = "'rulebook', 'venue', 'table', 'seat' or 'player' with its number"
            expected = f"a time, {headings} or one of {', '.join(OUTCOMES)}"
            raise self._wrong(f"{expected}, two spaces before what follows", head)
        return read(head, rest)

    def _heading(self, head: _Field, rest: list[_Field]) -> Heading:
        if head.text in self._headed:
            raise self._wrong(f"one '{head.text}' to a round", head)
        if self._playing:
            raise self._wrong("every heading before the play", head)
        self._headed.add(head.text)
        if head.text == "rulebook":
            if len(rest) != 1 or " " in rest[0].text:
                raise self._wrong("one id after 'rulebook'", rest[0] if rest else head)
            return Heading(head.text, (Setting("id", rest[0].text),))
        return Heading(head.text, tuple(self._setting(each) for each in rest))

    def _setting(self, found: _Field) -> Setting:
        match = _NAMED.fullmatch(found.text)
        if match is None:
            raise self._wrong("a setting such as 'minimum 5'", found)
        return Setting(match["name"], match["value"])

    def _act(self, head: _Field, rest: list[_Field]) -> Action:
        self._playing = True
        if len(rest) < 2:  # noqa: PLR2004 - an actor and an action
            raise self._wrong("an actor and an action after the time, two spaces apart", (rest or [head])[-1])
        actor, action, *expected = rest
        if not _ACTOR.fullmatch(actor.text):
            raise self._wrong("an actor such as 'dealer' or 'seat 1'", actor)
        expects = tuple(self._expectation(each) for each in expected)
        return Action(_milliseconds(head.text), actor.text, self._action(actor, action), expects)

    def _action(self, actor: _Field, action: _Field) -> tuple[NotationBet, ...] | str:
        if not _SEAT.fullmatch(actor.text) or not (action.text[0].isdigit() or " on " in action.text):
            return action.text
        return self._slip(action)

    def _slip(self, found: _Field) -> tuple[NotationBet, ...]:
        try:
            return parse_slip(found.text)
        except MalformedError as error:
            raise MalformedError(error.message, self._text, found.at + error.at) from error

    def _expectation(self, found: _Field) -> Expectation:
        word = next((word for word in _EXPECTED if found.text.startswith(f"{word} ")), None)
        if word is None:
            raise self._wrong(f"one of {', '.join(_EXPECTED)}, and what it is about", found)
        if not pattern(_EXPECTED[word]).fullmatch(found.text):
            raise self._wrong(f"'{_EXPECTED[word]}'", found)
        return Expectation(word, found.text.removeprefix(f"{word} "))

    def _outcome(self, head: _Field, rest: list[_Field]) -> Outcome:
        self._playing = True
        forms, left = OUTCOMES[head.text], list(rest)
        for form in forms:
            taken = self._taken(form, left)
            if not taken and not form.startswith("["):
                raise self._wrong(f"'{head.text} {' '.join(forms)}'", left[0] if left else (rest or [head])[-1])
            del left[:taken]
        if left:
            raise self._wrong("nothing more", left[0])
        seated = not rest[0].text.startswith("player ") if rest else False
        if head.text in ("layout", "carried") and rest[-1].text != "empty" and seated:
            slip = print_slip(self._slip(rest[-1]))
            return Outcome(head.text, (*(each.text for each in rest[:-1]), slip))
        return Outcome(head.text, tuple(each.text for each in rest))

    @staticmethod
    def _taken(form: str, left: list[_Field]) -> int:
        """Return how many of the remaining fields match a form."""
        matcher = pattern(form.strip("[]…"))
        most = len(left) if form.endswith("…") else 1
        misfits = (place for place, each in enumerate(left[:most]) if not matcher.fullmatch(each.text))
        return next(misfits, min(most, len(left)))


def _milliseconds(time: str) -> int:
    match = _TIME.fullmatch(time)
    assert match is not None
    hours, minutes, seconds, thousandths = (int(part or 0) for part in match.groups())
    return ((hours * 60 + minutes) * 60 + seconds) * 1000 + thousandths


def _clock(at_ms: int) -> str:
    assert 0 <= at_ms < DAY_MS
    seconds, thousandths = divmod(at_ms, 1000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:02d}:{minutes:02d}:{seconds:02d}" + (f".{thousandths:03d}" if thousandths else "")


def write_line(line: TranscriptLine) -> str:
    """Write one line as it is in a file, without its line end."""
    content = "  ".join(_padded(_fields(line.content))) if line.content is not None else ""
    comment = "" if line.comment is None else f"# {line.comment}".rstrip()
    return escaped("  ".join(part for part in (content, comment) if part))


def _fields(says: Heading | Action | Outcome) -> list[str]:
    match says:
        case Heading(subject, settings) if subject == "rulebook":
            return [subject, settings[0].value]
        case Heading(subject, settings):
            return [subject, *(str(setting) for setting in settings)]
        case Outcome(word, details):
            return [word, *details]
        case Action(at_ms, actor, action, expects):
            written = action if isinstance(action, str) else print_slip(action)
            return [_clock(at_ms), actor, written, *map(str, expects)]
        case _:
            assert_never(says)


#: The first column contains a time, the second an actor or a seat: wide enough for either.
_WIDTHS: Final = (8, 7)


def _padded(fields: list[str]) -> Iterator[str]:
    for place, each in enumerate(fields):
        assert _FIELD.fullmatch(each)
        assert "#" not in each
        last = place == len(fields) - 1
        yield each if last or place >= len(_WIDTHS) else each.ljust(_WIDTHS[place])


def comment(words: str) -> TranscriptLine:
    """Write any words as a comment line."""
    return TranscriptLine(None, "  ".join(" ".join(part.split()) for part in words.split("  ")))
