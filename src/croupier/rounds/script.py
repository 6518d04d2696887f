"""Scripts: a round whose every line is understood, ready to be played; what is not known is pointed at."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, TypeVar

from croupier.rounds import office, pit, player
from croupier.rounds.cast import Actor, Part, read_actor
from croupier.rounds.deed import Deed, Deeds, read_deed
from croupier.rounds.found import BASES, METERS, NONE, SHOWN, shown_name
from croupier.rounds.place import place_of
from croupier.rounds.setup import Setup
from croupier.rounds.wanted import WantedError
from croupier.rules.notation import MalformedError
from croupier.rules.rulebook import Rulebook
from croupier.rules.transcript import Act, Heading, Line, Outcome, Transcript, pattern

DEEDS: Final[dict[Part, Deeds]] = {
    Part.SEAT: player.DEEDS,
    Part.WHEEL: pit.WHEEL,
    Part.SYSTEM: pit.SYSTEM,
    Part.STAFF: {**pit.STAFF, **office.STAFF},
}


@dataclass(frozen=True, slots=True)
class Step:
    """An act that was understood: who, and what."""

    act: Act
    actor: Actor
    deed: Deed


@dataclass(frozen=True, slots=True)
class Script:
    """A round ready to be played."""

    rulebook: Rulebook
    setup: Setup
    #: What is done or checked, each with the number of its line, from 0.
    play: tuple[tuple[int, Step | Outcome], ...]


Value = TypeVar("Value")


def understand(text: str, transcript: Transcript, rulebook: Rulebook) -> Script:
    """Understand every line of a round that was read, or raise MalformedError at the first that says nothing known."""
    reader = _Reader(text, rulebook)
    play = tuple(reader.play(transcript))
    return Script(rulebook, reader.setup, play)


class _Reader:
    """Goes through the lines; every complaint points at the field it is about."""

    def __init__(self, text: str, rulebook: Rulebook) -> None:
        self._text = text
        self._rulebook = rulebook
        self.setup = Setup()
        self._now_ms = 0

    def play(self, transcript: Transcript) -> Iterator[tuple[int, Step | Outcome]]:
        for number, line in enumerate(transcript.lines):
            match line.says:
                case Heading():
                    self._heading(line, line.says)
                case Act():
                    yield number, self._step(line, line.says)
                case Outcome():
                    self._check(line, line.says)
                    yield number, line.says

    def _at(self, line: Line, place: int, read: Callable[..., Value], *given: object) -> Value:
        """Read a field, and point at it where it cannot be understood."""
        try:
            return read(*given)
        except WantedError as error:
            end = line.places[place + 1] if place + 1 < len(line.places) else None
            found = self._text[line.places[place] : end].partition("\n")[0].partition("#")[0].strip()
            raise MalformedError(f"expected {error}, found '{found}'", self._text, line.places[place]) from None

    def _heading(self, line: Line, heading: Heading) -> None:
        if heading.subject == "rulebook":
            return
        self._at(line, 0, self.setup.head, heading.subject)
        for place in range(1, len(line.places)):
            self._at(line, place, self._setting, heading, place - 1)

    def _setting(self, heading: Heading, place: int) -> None:
        *before, setting = heading.settings[: place + 1]
        if setting.name in {each.name for each in before}:
            raise WantedError("each setting once")
        self.setup.set(heading.subject, setting)

    def _step(self, line: Line, act: Act) -> Step:
        self._at(line, 0, self._later, act.at_ms)
        actor = self._at(line, 1, self._actor, act.actor)
        deed = self._at(line, 2, self._deed, act, actor)
        return Step(act, actor, deed)

    def _later(self, at_ms: int) -> None:
        if at_ms < self._now_ms:
            raise WantedError("a time that is not before the last")
        self._now_ms = at_ms

    def _actor(self, text: str) -> Actor:
        actor = read_actor(text, self._rulebook)
        if actor.part is Part.SEAT:
            self._seat(text)
        elif actor.table not in self.setup.tables:
            raise WantedError(f"a table that has a heading: {', '.join(self.setup.tables)}")
        return actor

    def _seat(self, text: str) -> None:
        seat, table = place_of(text)
        tables = list(self.setup.tables)
        if seat not in self.setup.seats:
            raise WantedError(f"a seat that has a heading: {', '.join(self.setup.seats) or 'there is none'}")
        if table not in tables[: self.setup.seats[seat].tables]:
            raise WantedError("a table that the seat plays at")

    def _deed(self, act: Act, actor: Actor) -> Deed:
        if isinstance(act.deed, str):
            return read_deed(act.deed, DEEDS[actor.part], self._rulebook)
        return Deed(player.place, (act.deed,))

    def _check(self, line: Line, outcome: Outcome) -> None:
        for place, detail in enumerate(outcome.details, start=1):
            self._at(line, place, self._known, outcome.word, detail)

    def _known(self, word: str, detail: str) -> None:
        if pattern("SEAT").fullmatch(detail):
            self._seat(detail)
        elif pattern("TABLE").fullmatch(detail) and detail not in self.setup.tables:
            raise WantedError(f"a table that has a heading: {', '.join(self.setup.tables)}")
        elif word == "shows" and shown_name(detail) is None:
            raise WantedError(f"one of {', '.join(SHOWN)}")
        elif word in _NAMES and " " in detail and detail.partition(" ")[0] not in _NAMES[word]:
            raise WantedError(f"one of {', '.join(_NAMES[word])}")


_NAMES: Final = {"meters": (*METERS,), "hold": (*BASES, NONE)}
