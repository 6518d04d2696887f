"""Openings: what stands before the play of a written round, taken from a house in which bets were just opened."""

from collections.abc import Iterator, Mapping

from croupier.house.settings import Mode
from croupier.house.state import House
from croupier.house.table import Table
from croupier.house.terminal import Terminal
from croupier.rounds.heading import seat_settings, table_settings, told_whole, venue_settings
from croupier.rulebooks.loader import load_rulebook
from croupier.rules.refusal import Refusal
from croupier.rules.rulebook import Rulebook
from croupier.rules.transcript import Heading, Line, Setting


def headings(house: House, table: Table, names: Mapping[str, str]) -> Iterator[Line]:
    """Write the rulebook, the venue, a table and its seats; what cannot be said stands in comments."""
    about = f"round {table.rounds} of {table.id}"
    yield Line(Heading("rulebook", (Setting("id", table.rulebook.id),)), about)
    yield Line(Heading("venue", tuple(venue_settings(house))))
    yield Line(Heading("table", tuple(table_settings(table.settings))))
    for name in table.terminals:
        seat = house.terminals[name]
        credit = seat.credit + seat.games[table.id].staked
        given = names.get(name, name)
        yield Line(Heading(given, tuple(seat_settings(seat, credit))), None if given == name else name)
    for words in (*_about_house(house, table), *_about_rules(table.rulebook)):
        yield Line(None, words)
    for name in table.terminals:
        for words in _about_seat(house.terminals[name]):
            yield Line(None, f"{names.get(name, name)} {words}")
    yield Line()


def _about_house(house: House, table: Table) -> Iterator[str]:
    if house.mode is Mode.REAL:
        yield "the money was real"
    if not told_whole(table.settings):
        yield "the table sets limits that a heading cannot say"


def _about_rules(rulebook: Rulebook) -> Iterator[str]:
    """Say where the rulebook that goes by this id now is another than the round was played by."""
    now = load_rulebook(rulebook.id)
    if isinstance(now, Refusal) or now.digest != rulebook.digest:
        yield f"the rulebook of this round has the digest {rulebook.digest}"


def _about_seat(seat: Terminal) -> Iterator[str]:
    """Say what a seat brings with it that a heading cannot say."""
    if seat.settings.limits is not None:
        yield "has limits of its own"
    if seat.closed or seat.case is not None:
        yield "was out of service"
    if seat.owes:
        yield "had a correction to settle"
    if seat.straight_only:
        yield "played straight up only"
