"""Transcripts: a round written down as a dealer would record it, read from a .round file and written back."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, assert_never

from croupier.rules.money import cents_of
from croupier.rules.notation import MalformedError, Wager, parse_slip, print_slip


@dataclass(frozen=True, slots=True)
class Setting:
    """A value that a heading sets: ``minimum 5``."""

    name: str
    value: str

    def __str__(self) -> str:
        return f"{self.name} {self.value}"


@dataclass(frozen=True, slots=True)
class Heading:
    """What stands before the play: the rulebook, the table, a seat, and what is set for it."""

    subject: str
    settings: tuple[Setting, ...]


@dataclass(frozen=True, slots=True)
class Expectation:
    """What should follow from a line: ``refused bets_closed 7(h)iii``, ``void 5.1``."""

    word: str
    detail: str

    def __str__(self) -> str:
        return f"{self.word} {self.detail}"


@dataclass(frozen=True, slots=True)
class Act:
    """Somebody did something at a time; a seat's deed is a slip where it is written like one."""

    at_ms: int
    actor: str
    deed: tuple[Wager, ...] | str
    expects: Expectation | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What is true when the play is over: ``pays seat 1 345 credit 830``, ``house -295``."""

    word: str
    details: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the file: what it says, if anything, and its comment, if any."""

    says: Heading | Act | Outcome | None = None
    comment: str | None = None


@dataclass(frozen=True, slots=True)
class Transcript:
    """A round as a file: every line, comments and blanks included, so that writing it back loses nothing."""

    lines: tuple[Line, ...]

    @property
    def rulebook(self) -> str:
        """The id of the rulebook, which the first heading names."""
        return next(self.headings()).settings[0].value

    def headings(self) -> Iterator[Heading]:
        return (line.says for line in self.lines if isinstance(line.says, Heading))

    def acts(self) -> Iterator[Act]:
        return (line.says for line in self.lines if isinstance(line.says, Act))

    def outcomes(self) -> Iterator[Outcome]:
        return (line.says for line in self.lines if isinstance(line.says, Outcome))


EXPECTATIONS: Final = ("refused", "void")
DAY_MS: Final = 24 * 60 * 60 * 1000
OUTCOMES: Final = ("pays", "house", "history", "shows")

_TIME: Final = re.compile(r"([01][0-9]|2[0-3]):([0-5][0-9]):([0-5][0-9])(?:\.([0-9]{3}))?")
_FIELD: Final = re.compile(r"\S+(?: \S+)*")
_SEAT: Final = re.compile(r"seat [1-9][0-9]*")
_ACTOR: Final = re.compile(r"[a-z]+(?: [a-z]+)*(?: [1-9][0-9]*)?")
_REFUSED: Final = re.compile(r"[a-z]+(?:_[a-z]+)* \S.*")
_NAMED: Final = re.compile(r"(?P<name>[a-z]+(?: [a-z]+)*) (?P<value>\S+)")


def read_transcript(text: str) -> Transcript:
    """Read a .round file, or raise MalformedError at the first thing that is not one."""
    reader = _Reader(text)
    lines = tuple(reader.lines())
    first = next((line.says for line in lines if line.says is not None), None)
    if not isinstance(first, Heading) or first.subject != "rulebook":
        raise MalformedError("a round begins with 'rulebook' and its id", text, reader.begins_at or 0)
    return Transcript(lines)


def write_transcript(transcript: Transcript) -> str:
    """Write a transcript as a .round file, its columns in line."""
    return "".join(f"{_written(line)}\n" for line in transcript.lines)


@dataclass(frozen=True, slots=True)
class _Field:
    text: str
    at: int


class _Reader:
    """Reads line by line; fields stand two spaces or a tab apart, so that a field may hold single spaces."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.begins_at: int | None = None
        self._headed: set[str] = set()

    def lines(self) -> Iterator[Line]:
        at = 0
        for line in self._text.removesuffix("\n").split("\n"):
            says, mark, comment = line.partition("#")
            fields = [_Field(match.group(), at + match.start()) for match in _FIELD.finditer(says)]
            if fields and self.begins_at is None:
                self.begins_at = fields[0].at
            yield Line(self._content(fields) if fields else None, comment.strip() if mark else None)
            at += len(line) + 1

    def _wrong(self, wanted: str, field: _Field) -> MalformedError:
        return MalformedError(f"expected {wanted}, found '{field.text}'", self._text, field.at)

    def _content(self, fields: list[_Field]) -> Heading | Act | Outcome:
        head, *rest = fields
        read: Callable[[_Field, list[_Field]], Heading | Act | Outcome]
        if _TIME.fullmatch(head.text):
            read = self._act
        elif head.text in ("rulebook", "table") or _SEAT.fullmatch(head.text):
            read = self._heading
        elif head.text in OUTCOMES:
            read = self._outcome
        else:
            wanted = f"a time, 'rulebook', 'table', 'seat' with its number or one of {', '.join(OUTCOMES)}"
            raise self._wrong(f"{wanted}, two spaces before what follows", head)
        return read(head, rest)

    def _heading(self, head: _Field, rest: list[_Field]) -> Heading:
        if head.text in self._headed:
            raise self._wrong(f"one '{head.text}' to a round", head)
        self._headed.add(head.text)
        if head.text == "rulebook":
            if len(rest) != 1 or " " in rest[0].text:
                raise self._wrong("one id after 'rulebook'", rest[0] if rest else head)
            return Heading(head.text, (Setting("id", rest[0].text),))
        return Heading(head.text, tuple(self._setting(field) for field in rest))

    def _setting(self, field: _Field) -> Setting:
        match = _NAMED.fullmatch(field.text)
        if match is None:
            raise self._wrong("a setting such as 'minimum 5'", field)
        return Setting(match["name"], match["value"])

    def _act(self, head: _Field, rest: list[_Field]) -> Act:
        if not 2 <= len(rest) <= 3:  # noqa: PLR2004 - actor, deed and perhaps what is expected
            raise self._wrong("an actor and a deed after the time, two spaces apart", (rest or [head])[-1])
        actor, deed, *expected = rest
        if not _ACTOR.fullmatch(actor.text):
            raise self._wrong("an actor such as 'dealer' or 'seat 1'", actor)
        expects = self._expectation(expected[0]) if expected else None
        return Act(_milliseconds(head.text), actor.text, self._deed(actor, deed), expects)

    def _deed(self, actor: _Field, deed: _Field) -> tuple[Wager, ...] | str:
        if not _SEAT.fullmatch(actor.text) or not (deed.text[0].isdigit() or " on " in deed.text):
            return deed.text
        try:
            return parse_slip(deed.text)
        except MalformedError as error:
            raise MalformedError(error.says, self._text, deed.at + error.at) from error

    def _expectation(self, field: _Field) -> Expectation:
        word, _, detail = field.text.partition(" ")
        if word not in EXPECTATIONS or not detail:
            raise self._wrong("'refused CODE CLAUSE' or 'void CLAUSE'", field)
        if word == "refused" and not _REFUSED.fullmatch(detail):
            raise self._wrong("'refused' with its code and its clause", field)
        return Expectation(word, detail)

    def _outcome(self, head: _Field, rest: list[_Field]) -> Outcome:
        if not rest:
            raise self._wrong(f"something after '{head.text}'", head)
        if head.text == "pays":
            self._pays(rest)
        if head.text == "house" and (len(rest) > 1 or cents_of(rest[0].text.removeprefix("-")) is None):
            raise self._wrong("one amount, below nothing where the house lost", rest[-1])
        return Outcome(head.text, tuple(field.text for field in rest))

    def _pays(self, rest: list[_Field]) -> None:
        if not _SEAT.fullmatch(rest[0].text):
            raise self._wrong("a seat after 'pays'", rest[0])
        if len(rest) == 1 or cents_of(rest[1].text) is None:
            raise self._wrong("an amount after the seat", rest[-1])


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


def _written(line: Line) -> str:
    content = "  ".join(_padded(_fields(line.says))) if line.says is not None else ""
    comment = "" if line.comment is None else f"# {line.comment}".rstrip()
    return "  ".join(part for part in (content, comment) if part)


def _fields(says: Heading | Act | Outcome) -> list[str]:
    match says:
        case Heading(subject, settings) if subject == "rulebook":
            return [subject, settings[0].value]
        case Heading(subject, settings):
            return [subject, *(str(setting) for setting in settings)]
        case Outcome(word, details):
            return [word, *details]
        case Act(at_ms, actor, deed, expects):
            written = deed if isinstance(deed, str) else print_slip(deed)
            return [_clock(at_ms), actor, written, *([str(expects)] if expects else [])]
        case _:
            assert_never(says)


#: The first column holds a time, the second an actor or a seat: wide enough for either.
_WIDTHS: Final = (8, 7)


def _padded(fields: list[str]) -> Iterator[str]:
    for place, field in enumerate(fields):
        assert _FIELD.fullmatch(field)
        assert "#" not in field
        last = place == len(fields) - 1
        yield field if last or place >= len(_WIDTHS) else field.ljust(_WIDTHS[place])
