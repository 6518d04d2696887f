"""The critic: looks on at every step, and holds it against all that must be true."""

from collections.abc import Iterable

from croupier.engine.asked import Batch
from croupier.house.answer import Decision
from croupier.house.command.any import AnyCommand
from croupier.house.event.round import RoundSettled, RoundVoided
from croupier.house.stamp import Stamp
from croupier.house.state import House
from croupier.journal.memory import MemoryStore
from croupier.rehearsal.answers import Answers
from croupier.rehearsal.auditor import Auditor
from croupier.rehearsal.reading import Reading

Decided = tuple[AnyCommand, Stamp, Decision]


class Critic:
    """Hears what was decided and kept, reads the journal along, and remembers every answer."""

    def __init__(self, store: MemoryStore) -> None:
        self.reading = Reading(store)
        self.answers = Answers()
        self.settled = self.void = self.commands = 0
        self._auditor = Auditor()

    def told(self, batch: Batch) -> None:
        """Take down answers as they leave the house."""
        for answer in batch.answers:
            self.answers.note(answer)

    def heard(self, decided: Iterable[Decided]) -> None:
        """Hold decisions that were kept against what they should be."""
        for command, stamp, decision in decided:
            self.commands += 1
            self._auditor.hear(command, stamp, decision)

    def review(self, house: House) -> None:
        """Hold the house and its journal against each other and against what they should be."""
        position = self.reading.position
        for entry in self.reading.go_on():
            self._auditor.entry(entry.position, entry.epoch, entry.stamp, entry.event)
            self.settled += isinstance(entry.event, RoundSettled)
            self.void += isinstance(entry.event, RoundVoided)
        self.answers.hold(self.reading)
        # Where nothing was written, what was wrong by then is found after the next entry.
        if self.reading.position > position:
            self._auditor.compare(house)
            self.reading.hold(house)

    def review_whole(self, house: House) -> None:
        """Hold the whole state against what the journal gives."""
        self.reading.hold_whole(house)


class Bystander(Critic):
    """Looks on and says nothing: for an evening that is only played to be the same again."""

    def told(self, batch: Batch) -> None:
        """Let it pass."""

    def heard(self, decided: Iterable[Decided]) -> None:
        """Let it pass."""

    def review(self, house: House) -> None:
        """Let it pass."""

    def review_whole(self, house: House) -> None:
        """Let it pass."""
