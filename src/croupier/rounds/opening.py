"""Openings: what stands before the play of a written round, taken from a house in which bets were just opened."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from croupier.house.name import Instant
from croupier.house.settings import Mode
from croupier.house.state import House
from croupier.house.table import Table
from croupier.house.terminal import Terminal
from croupier.rounds.account import comment
from croupier.rounds.heading import seat_settings, table_settings, told_whole, venue_settings
from croupier.rulebooks.loader import load_rulebook
from croupier.rules.money import amount_text, cents_of
from croupier.rules.refusal import Refusal
from croupier.rules.rulebook import Rulebook
from croupier.rules.staff import Duty
from croupier.rules.transcript import Heading, Line, Setting

#: How many headings stand before those of the seats.
BEFORE_SEATS: Final = 3


def headings(house: House, table: Table, names: Mapping[str, str]) -> Iterator[Line]:
    """Write the rulebook, the venue, a table and its seats; what cannot be said stands in comments."""
    about = comment(f"round {table.rounds} of {table.id}")
    yield replace(about, says=Heading("rulebook", (Setting("id", table.rulebook.id),)))
    yield Line(Heading("venue", tuple(venue_settings(house))))
    yield Line(Heading("table", tuple(table_settings(table.settings))))
    for name in table.terminals:
        yield seat_heading(house.terminals[name], table, names)
    for words in (*_about_house(house, table), *brought_along(house, table, names)):
        yield Line(None, words)
    yield Line()


def seat_heading(seat: Terminal, table: Table, names: Mapping[str, str]) -> Line:
    """Write a seat, with what its player has."""
    credit, given = seat.credit + seat.games[table.id].staked, names.get(seat.id, seat.id)
    called = Line() if given == seat.id else comment(seat.id)
    return replace(called, says=Heading(given, tuple(seat_settings(seat, credit))))


def brought_along(house: House, table: Table, names: Mapping[str, str]) -> Iterator[str]:
    """Say what was so before the round, and cannot be said in it."""
    yield from _about_rules(table.rulebook)
    for name in table.terminals:
        for words in _about_seat(house.terminals[name]):
            yield f"{names.get(name, name)} {words}"


def notices(house: House, table: Table, names: Mapping[str, str]) -> Iterator[tuple[Instant, str, str]]:
    """Say when an Authorised Officer was notified of a closing that may come: by whoever manages."""
    manager = table.rulebook.staff.titles_for(Duty.MANAGE)[0].lower()
    for place in (table.id, *table.terminals):
        if place in house.notified:
            subject = "table" if place == table.id else names.get(place, place)
            yield house.notified[place], manager, f"notifies officer of {subject}"


def richer(line: Line, more: Mapping[str, int]) -> Line:
    """Let a seat have from the start what came to it later in ways that the round does not tell."""
    if not isinstance(line.says, Heading) or not more.get(line.says.subject):
        return line
    settings = {each.name: each.value for each in line.says.settings}
    credit = (cents_of(settings.pop("credit", "0")) or 0) + more[line.says.subject]
    given = (Setting("credit", amount_text(credit)), *(Setting(*each) for each in settings.items()))
    return replace(line, says=replace(line.says, settings=given))


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
    if seat.debts:
        yield "had a correction to settle"
    if seat.straight_only:
        yield "played straight up only"
