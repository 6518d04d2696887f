"""Stationery: what every document of a house begins with, and what it is in where nothing else says so."""

from typing import Final

from croupier.house.answer import refuse
from croupier.house.name import SECOND, Instant, TerminalId
from croupier.house.state import House
from croupier.paper.letterhead import Letterhead
from croupier.rules.refusal import Code, Refusal

#: A receipt comes with its payment. Whoever asks for it later than this is given a copy, which says so.
FRESH: Final = 60 * SECOND


def letterhead(house: House) -> Letterhead:
    assert house.mode is not None
    return Letterhead(house.venue, house.timezone, house.mode)


def currency_at(house: House, terminal: TerminalId) -> str:
    return house.rulebook_at(house.terminals[terminal]).currency


def currencies(house: House) -> tuple[str, ...]:
    """Name what the house counts in: a demonstration may have several."""
    return tuple(dict.fromkeys(table.rulebook.currency for table in house.tables.values()))


def copies(at: Instant, now: Instant) -> int:
    """Tell how often something that belongs to a moment was printed before, as far as anybody can know."""
    return int(now - at > FRESH)


def no_record(says: str, **facts: object) -> Refusal:
    return refuse(Code.UNKNOWN_RECORD, None, says, **facts)
