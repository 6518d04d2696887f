"""The outside log: every answer that left the house, which outlasts every crash and is held against the journal."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Final

from croupier.engine.asked import Accepted, Answer, Outcome
from croupier.engine.keys import ANSWERS_KEPT, digest_of
from croupier.house.name import DeviceId
from croupier.rehearsal.auditor.finding import Finding, agree, never
from croupier.rehearsal.reading import Asking, Reading, Trace
from croupier.rules.refusal import Code, Refusal

#: What says nothing of what was asked under a key: it was asked for something else before, or is to be asked again.
NO_WORD: Final = (Code.KEY_REUSED, Code.EPOCH_AHEAD, Code.BUSY)


@dataclass(slots=True)
class Told:
    """What was answered to one question under one key, and how many keys of its device had been answered by then."""

    outcome: Outcome
    asked: str
    turn: int


@dataclass(slots=True)
class Answers:
    """The log."""

    told: dict[Asking, Told] = field(default_factory=dict)
    outcomes: Counter[str] = field(default_factory=Counter)
    _turns: Counter[DeviceId] = field(default_factory=Counter)
    #: Told and not yet held against the journal.
    _new: list[Asking] = field(default_factory=list)

    def note(self, answer: Answer) -> None:
        """Take down an answer as it leaves, and hold it against what the same key was answered before."""
        asked, outcome = answer.asked, answer.outcome
        word = outcome.code.value if isinstance(outcome, Refusal) else "accepted"
        self.outcomes[word] += 1
        never("guard", f"{asked.command} could not be worked out", when=word == Code.COMMAND_FAILED)
        if asked.key is None or word in NO_WORD:
            return
        here = (asked.device, asked.key)
        before = self.told.get(here)
        if before is None:
            self._turns[asked.device] += 1
            self.told[here] = Told(outcome, digest_of(asked), self._turns[asked.device])
            self._new.append(here)
        else:
            self._agree(here, before, outcome, digest_of(asked))

    def _agree(self, here: Asking, before: Told, outcome: Outcome, asked: str) -> None:
        """The same key has the same answer, or none any more: where nothing was done, or long ago."""
        if not (_stale(outcome) or _stale(before.outcome)):
            agree("I11", f"the answer to {here}", (outcome, asked), (before.outcome, before.asked))
            return
        recent = self._turns[here[0]] - before.turn < ANSWERS_KEPT
        contradicted = _done(outcome) or (_done(before.outcome) and recent)
        never("I11", f"{here} was {before.outcome} and is {outcome}", when=contradicted)

    def hold(self, reading: Reading) -> None:
        """Hold answers that were given since the last time against the journal."""
        for here in self._new:
            self._hold(here, reading.traces.get(here))
        self._new.clear()

    def hold_all(self, reading: Reading) -> None:
        """Hold every answer that was ever given against the journal."""
        for here in self.told:
            self._hold(here, reading.traces.get(here))

    def _hold(self, here: Asking, trace: Trace | None) -> None:
        told = self.told[here]
        match told.outcome:
            case Refusal() if trace is not None:
                raise Finding("I8", f"{here} was refused as {told.outcome.code}, and entry {trace.first} came of it")
            case Accepted(first, last) if _done(told.outcome):
                agree("I7", f"what is kept of {here}, which was accepted", trace, Trace(told.asked, first, last))
            case Accepted():
                agree("I7", f"what is kept of {here}, of which nothing came", trace, None)


def _stale(outcome: Outcome) -> bool:
    return isinstance(outcome, Refusal) and outcome.code is Code.KEY_STALE


def _done(outcome: Outcome) -> bool:
    """Tell whether anything came of what was asked."""
    return isinstance(outcome, Accepted) and outcome.last >= outcome.first
