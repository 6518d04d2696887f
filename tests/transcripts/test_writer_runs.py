"""Written runs: every round of simulated runs is written back, can be read, and nearly every one holds."""

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import pytest

from croupier.house.rounds.opening import BetsOpened
from croupier.house.rounds.settlement import RoundSettled
from croupier.journal.entry import EMPTY_HEAD, Entry
from croupier.journal.pages import verify_chain
from croupier.rulebooks.schema import read_canonical
from croupier.rules.refusal import Refusal
from croupier.simulation.run import SimulationRun
from croupier.transcripts.format import read_transcript, write_transcript
from croupier.transcripts.preamble import floor_names, naming
from croupier.transcripts.runner import TranscriptResult, run_round
from croupier.transcripts.writer import write_round
from tests.conftest import DOCUMENTS
from tests.support.transcript_runs import played

pytestmark = pytest.mark.untraced

SEEDS = range(6)
#: The least share of rounds that hold when they are played by themselves.
SHARE = 0.94


class Reported(NamedTuple):
    """A round of a simulated run, as it is written from the journal."""

    about: str
    text: str
    answer: TranscriptResult | Refusal
    settled: tuple[tuple[int, int], ...]

    @property
    def holds(self) -> bool:
        return isinstance(self.answer, TranscriptResult) and self.answer.holds


@cache
def every_round() -> tuple[Reported, ...]:
    """Write every round of every table of the runs, with crashes and without."""
    return tuple(
        reported for seed in SEEDS for crash in (False, True) for reported in _written_rounds(seed, crash=crash)
    )


def _written_rounds(seed: int, *, crash: bool) -> Iterator[Reported]:
    simulation_run = SimulationRun(seed, crash=crash)
    simulation_run.perform()
    pages = [page.entries for page in verify_chain(simulation_run.machine.disk.pages(), EMPTY_HEAD)]
    plan, events = floor_names(pages), [entry.event for page in pages for entry in page]
    for opened in (each for each in events if isinstance(each, BetsOpened)):
        written = write_round(pages, read_canonical, naming(plan, opened.table), opened.table, opened.round)
        assert written is not None
        about = f"seed {seed}, crash {crash}: round {opened.round} of {opened.table}"
        text = write_transcript(written)
        yield Reported(about, text, run_round(text), _settled(pages, opened))


def _settled(pages: list[list[Entry]], opened: BetsOpened) -> tuple[tuple[int, int], ...]:
    settled = (entry.event for page in pages for entry in page if isinstance(entry.event, RoundSettled))
    here = (opened.table, opened.round)
    return tuple((each.staked, each.returned) for each in settled if (each.table, each.round) == here)


def test_every_round_of_a_run_can_be_read() -> None:
    """Whatever happened, each round is written, and what is written is a round that can be read and played."""
    for reported in every_round():
        assert isinstance(reported.answer, TranscriptResult), f"{reported.about}\n{reported.text}\n{reported.answer}"


def test_every_venue_is_among_the_runs() -> None:
    """The rounds are of the venues of all four documents, so that none is written badly unseen."""
    assert {read_transcript(reported.text).rulebook for reported in every_round()} >= set(DOCUMENTS)


def test_nearly_every_round_of_a_run_holds_with_the_same_payments() -> None:
    """Played by themselves nearly all rounds hold, and stake and bring back what they did that run."""
    holding = [reported for reported in every_round() if reported.holds]

    assert len(holding) >= SHARE * len(every_round())
    for reported in holding:
        again = [each for each in played(reported.text).events if isinstance(each, RoundSettled)]
        assert tuple((each.staked, each.returned) for each in again) == reported.settled, (
            f"{reported.about}\n{reported.text}"
        )


def test_round_that_does_not_hold_says_on_what_it_leans() -> None:
    """A round that cannot hold by itself begins with a comment that says so, and no other does."""
    for reported in every_round():
        assert reported.text.startswith("# This round leans on ") == (not reported.holds), (
            f"{reported.about}\n{reported.text}"
        )
