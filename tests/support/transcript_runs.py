"""Transcript runs: shipped rounds played to their end, and what they leave in a journal, read again entry by entry."""

from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from croupier.house import House, evolve
from croupier.journal.entry import Entry
from croupier.rulebooks.schema import read_canonical
from croupier.rules.notation import print_slip
from croupier.transcripts.actors import ActionContext
from croupier.transcripts.driver import RecordingDriver
from croupier.transcripts.format import read_transcript
from croupier.transcripts.runner import ScriptStep, understand
from tests.conftest import venue
from tests.support.copies import SHIPPED

ROUNDS = sorted(SHIPPED.glob("*/rounds/*.round"))


@cache
def entries_of(path: Path) -> tuple[Entry, ...]:
    """Play a shipped round, and give the journal that it leaves."""
    return tuple(played(path.read_text("utf-8")).journal.entries())


def played(text: str) -> RecordingDriver:
    """Play a round's text to its end, whatever it expects."""
    transcript = read_transcript(text)
    rulebook = venue(transcript.rulebook)
    script = understand(text, transcript, rulebook)
    floor = script.setup.floor(rulebook)
    for _, step in script.play:
        if isinstance(step, ScriptStep):
            floor.advance(step.act.at_ms * 1_000)
            action = step.act.action
            words = action if isinstance(action, str) else print_slip(action)
            step.action.perform(ActionContext(floor, step.actor, words))
    return floor


def walked(entries: Iterable[Entry]) -> Iterator[tuple[Entry, House]]:
    """Carry entries out one by one, and give the house after each: the same house, as it goes."""
    house = House.new(read_canonical)
    for entry in entries:
        evolve(house, entry.event, entry.context)
        yield entry, house


def read_on(house: House, entries: Iterable[Entry]) -> House:
    """Apply the rest of the entries to a house."""
    for entry in entries:
        evolve(house, entry.event, entry.context)
    return house
