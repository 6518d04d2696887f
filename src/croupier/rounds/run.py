"""Running a round: played against the house line by line, and what each line expects held against what happened."""

from dataclasses import dataclass, replace

from croupier.rounds.cast import Scene
from croupier.rounds.found import found
from croupier.rounds.script import Script, Step, understand
from croupier.rounds.watch import RefusedError, WatchedFloor
from croupier.rulebooks.loader import load_rulebook
from croupier.rules.notation import MalformedError, print_slip
from croupier.rules.refusal import Refusal
from croupier.rules.slip import malformed
from croupier.rules.transcript import Act, Expectation, Line, Outcome, Transcript, read_transcript, write_line

MICROSECONDS_PER_MS = 1000


@dataclass(frozen=True, slots=True)
class Difference:
    """A line that does not hold: its number from 1, as it stands, what it expects, and what was found."""

    line: int
    says: str
    expected: tuple[str, ...]
    found: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Played:
    """A round that was played: what differs, and the text that would hold."""

    rulebook: str
    acts: int
    differences: tuple[Difference, ...]
    #: The same file with what was found in the place of what was expected, and nothing else changed.
    mended: str

    @property
    def holds(self) -> bool:
        return not self.differences


def run_round(text: str) -> Played | Refusal:
    """Play a .round file's text and check it, or refuse one that cannot be read, or whose setup cannot be."""
    try:
        transcript = read_transcript(text)
        rulebook = load_rulebook(transcript.rulebook)
        if isinstance(rulebook, Refusal):
            return rulebook
        script = understand(text, transcript, rulebook)
        return _Run(text, transcript, script).played()
    except MalformedError as error:
        return malformed(error)
    except RefusedError as error:
        return error.refusal


class _Run:
    """One play of a script."""

    def __init__(self, text: str, transcript: Transcript, script: Script) -> None:
        self._transcript = transcript
        self._script = script
        self._floor: WatchedFloor = script.setup.floor(script.rulebook)
        self._raw = text.split("\n")
        self._differences: list[Difference] = []

    def played(self) -> Played:
        self._floor.take_notable()
        for number, what in self._script.play:
            line = self._transcript.lines[number]
            if isinstance(what, Step):
                assert isinstance(line.says, Act)
                self._compare_act(number, line, line.says, self._perform(what))
            else:
                self._compare_outcome(number, line, what, found(self._floor, what))
        acts = sum(isinstance(what, Step) for _, what in self._script.play)
        return Played(self._script.rulebook.id, acts, tuple(self._differences), "\n".join(self._raw))

    def _perform(self, step: Step) -> tuple[Expectation, ...]:
        self._floor.advance(step.act.at_ms * MICROSECONDS_PER_MS)
        deed = step.act.deed
        words = deed if isinstance(deed, str) else print_slip(deed)
        step.deed.perform(Scene(self._floor, step.actor, words))
        return self._floor.take_notable()

    def _compare_act(self, number: int, line: Line, act: Act, happened: tuple[Expectation, ...]) -> None:
        if happened != act.expects:
            mended = replace(line, says=replace(act, expects=happened))
            self._differ(number, mended, tuple(map(str, act.expects)), tuple(map(str, happened)))

    def _compare_outcome(self, number: int, line: Line, wanted: Outcome, true: Outcome) -> None:
        if true != wanted:
            mended = replace(line, says=true)
            self._differ(number, mended, (_text(wanted),), (_text(true),))

    def _differ(self, number: int, mended: Line, expected: tuple[str, ...], happened: tuple[str, ...]) -> None:
        raw = self._raw[number]
        self._differences.append(Difference(number + 1, raw.strip(), expected, happened))
        self._raw[number] = write_line(mended) + ("\r" if raw.endswith("\r") else "")


def _text(outcome: Outcome) -> str:
    return "  ".join((outcome.word, *outcome.details))
