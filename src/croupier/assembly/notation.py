"""Notation: a round of a house that is open, written as a .round file from the entries of its journal."""

from croupier.house.name import RoundNumber, TableId
from croupier.journal.entry import Entry
from croupier.rounds.naming import naming, survey
from croupier.rounds.written import write_round
from croupier.rulebooks.canonical import read_canonical
from croupier.rules.transcript import write_transcript


def round_text(pages: list[list[Entry]], table: TableId, number: RoundNumber) -> str:
    """Write a round that the journal has."""
    written = write_round(pages, read_canonical, naming(survey(pages), table), table, number)
    assert written is not None
    return write_transcript(written)
