"""Written rounds: a round as the journal has it, written as a .round file that can be played again."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Final

from msgspec.structs import replace as with_fields

from croupier.engine.replay import carry_out
from croupier.house.books import Account
from croupier.house.event.base import Event
from croupier.house.event.play import BetsChanged, Edit
from croupier.house.event.record import TerminalLost, TerminalReturned
from croupier.house.event.round import BetsOpened, DayBegan
from croupier.house.event.venue import (
    DeviceEnrolled,
    HouseRecovered,
    PersonEnrolled,
    RulebookAdopted,
    SoftwareApproved,
    SoftwareReported,
)
from croupier.house.name import Instant, PersonId, RoundNumber, TableId, TerminalId
from croupier.house.stamp import Stamp
from croupier.house.state import House, Reader
from croupier.house.table import Table
from croupier.house.timer import due
from croupier.journal.entry import Entry
from croupier.rounds.account import Deeds, Moment, slip_of, told
from croupier.rounds.cast import Part
from croupier.rounds.naming import Pages, renamed
from croupier.rounds.opening import headings
from croupier.rounds.watch import Glance, glance, notable, payments
from croupier.rules.money import amount_text
from croupier.rules.notation import parse_slip
from croupier.rules.transcript import DAY_MS, Act, Expectation, Line, Outcome, Transcript

MICROSECONDS_PER_MS: Final = 1_000
HOUR_MS: Final = 60 * 60 * 1_000
#: What a round that stands by itself cannot do: chips that were copied are placed, and told of as placed.
_COPIES: Final = ("copied", "not copied")


def write_round(
    pages: Pages, reader: Reader, names: Mapping[str, str], table: TableId, number: RoundNumber
) -> Transcript | None:
    """Write one round of a table, with the names that a round gives; None where there was no such round."""
    house, pen = House(reader), None
    for entries in _commands(pages):
        opened = next((each for each in entries if _opens(each.event, table)), None)
        if pen is not None and opened is not None:
            break
        if pen is not None:
            pen.take(entries)
            continue
        for entry in entries:
            carry_out(house, entry)
        if opened is not None and house.tables[table].rounds == number:
            pen = _Pen(house, house.tables[table], names, opened.stamp)
    return None if pen is None else pen.transcript()


def _opens(event: Event, table: TableId) -> bool:
    return isinstance(event, BetsOpened) and event.table == table


def _commands(pages: Pages) -> Iterator[list[Entry]]:
    """Part the entries by the commands that they came from; a player's give one event each."""
    for page in pages:
        for _, together in groupby(page, key=lambda each: (each.stamp, each.cause)):
            entries = list(together)
            yield from ([each] for each in entries) if isinstance(entries[0].event, BetsChanged) else [entries]


#: What nobody does at a table: it is not told of.
_ELSEWHERE: Final = (DeviceEnrolled, PersonEnrolled, RulebookAdopted)
#: What the clock never does.
_ASKED: Final = (HouseRecovered, DayBegan, TerminalLost, TerminalReturned, SoftwareReported, SoftwareApproved)


class _Pen:
    """Writes a round down from the moment after bets were opened."""

    def __init__(self, house: House, table: Table, names: Mapping[str, str], stamp: Stamp) -> None:
        self._house, self._table, self._names = house, table, names
        self._people: dict[PersonId, str] = {}
        self._midnight = stamp.now // MICROSECONDS_PER_MS // DAY_MS * DAY_MS
        self._lines = list(headings(house, table, names))
        self._before = {
            "round": self._table.rounds - 1,
            "case": len(house.cases),
            "incident": len(house.incidents),
            "proposal": house.proposed,
            "dispute": len(house.disputes),
            "hold": house.held,
            "sequence": house.next_ticket - 1,
        }
        self._won = house.books[Account.HOUSE]
        self._paid: dict[tuple[TerminalId, TableId], int] = {}
        #: What came by the clock since the last line, and how far that had come.
        self._since: list[Expectation] = []
        self._ticked_ms: int | None = None
        #: Whether money of these seats moved at other tables.
        self._apart = False
        self._open(stamp)

    def _open(self, stamp: Stamp) -> None:
        at_ms = self._ms(stamp.now)
        seats = [self._house.terminals[name] for name in self._table.terminals]
        for seat in seats:
            # One that has been dark for too long is told of as out of service.
            if seat.lost_at is not None and seat.case is None:
                self._act(max(0, self._ms(seat.lost_at)), self._name(seat.id), ("goes dark",))
        self._act(at_ms, self._actor(stamp)[1], ("opens bets",))
        for seat in seats:
            stayed = seat.games[self._table.id].bets
            if stayed:
                self._act(at_ms, self._name(seat.id), (slip_of(stayed.items()),))
        self._played = {seat.id for seat in seats if seat.games[self._table.id].bets}

    def take(self, entries: Sequence[Entry]) -> None:
        """Write what one command gave, where it concerns this table."""
        stamp, events = entries[0].stamp, [each.event for each in entries]
        before, moment = glance(self._house), self._moment(stamp)
        part, actor = self._actor(stamp)
        at = due(self._house)
        ticked = part is Part.SYSTEM and at is not None and at <= stamp.now and not isinstance(events[0], _ASKED)
        for entry in entries:
            carry_out(self._house, entry)
        concerned = [each for each in events if self._concerns(each)]
        self._apart = self._apart or any(hasattr(each, "table") for each in events if each not in concerned)
        if not concerned:
            return
        self._paid |= payments(self._house, concerned, before)
        self._copies(concerned, before, min(stamp.now, at or stamp.now))
        found = self._notable(concerned, before)
        renames = [renamed(each, self._names) for each in concerned]
        if ticked:
            self._since += found
            self._ticked_ms = self._ms(stamp.now)
        elif isinstance(events[0], TerminalLost | TerminalReturned):
            dark = isinstance(events[0], TerminalLost)
            self._act(
                self._ms(stamp.now), self._name(events[0].terminal), ("goes dark" if dark else "comes back",), found
            )
        else:
            self._tell(self._ms(stamp.now), actor, told(renames, part, moment), found, concerned)

    def _moment(self, stamp: Stamp) -> Moment:
        seat = self._house.terminals.get(TerminalId(stamp.device))
        laid = dict(seat.games[self._table.id].bets) if seat is not None and self._table.id in seat.games else {}
        return Moment(laid, replace(self._table.playing), self._before)

    def _concerns(self, event: Event) -> bool:
        """Tell whether an event is of this table, of one of its seats, or of the house as a whole."""
        here = {self._table.id, *self._table.terminals}
        places = [getattr(event, name, None) for name in ("table", "terminal", "target", "subject")]
        known = {*self._house.tables, *self._house.terminals}
        return all(place in here for place in places if place in known) and not isinstance(event, _ELSEWHERE)

    def _notable(self, events: Sequence[Event], before: Glance) -> list[Expectation]:
        said = notable(self._house, (self._counted(each) for each in events), before, self._seat)
        return [each for each in said if each.word not in _COPIES]

    def _counted(self, event: Event) -> Event:
        """Count cases and proposals as a round by itself does, from 1."""
        fields = [each for each in ("case", "proposal") if hasattr(event, each)]
        return with_fields(event, **{each: getattr(event, each) - self._before[each] for each in fields})

    def _copies(self, events: Sequence[Event], before: Glance, at: Instant) -> None:
        """Write chips that were copied at the close as placed just before it."""
        for event in events:
            if isinstance(event, BetsChanged):
                self._played.add(event.terminal)
                if event.how is Edit.AUTO_COPY:
                    laid = before.laid[event.terminal, event.table]
                    added = ((spot, amount - laid.get(spot, 0)) for spot, amount in event.stakes)
                    self._act(self._ms(at), self._name(event.terminal), (slip_of(added),))

    def _tell(
        self, at_ms: int, actor: str, deeds: Deeds | None, found: list[Expectation], events: Sequence[Event]
    ) -> None:
        if deeds is not None:
            self._act(at_ms, actor, deeds, found)
            return
        words = ", ".join([*(type(each).__name__ for each in events), *map(str, found)])
        self._lines.append(Line(None, f"not told  {actor}  {words}"))

    def _act(self, at_ms: int, actor: str, deeds: Deeds, found: Sequence[Expectation] = ()) -> None:
        """Write a line for each deed, after whatever the clock did before; what follows stands on the last."""
        if self._ticked_ms is not None:
            at_ms = max(at_ms, self._ticked_ms + 1)
        for deed in deeds:
            expects = (*self._since, *(found if deed == deeds[-1] else ()))
            slip = parse_slip(deed) if deed[0].isdigit() and " on " in deed else deed
            self._lines.append(Line(Act(at_ms, actor, slip, expects)))
            self._since = []
        self._ticked_ms = None

    def _seat(self, terminal: TerminalId, table: TableId) -> str:
        """Name a seat: that it is at this table goes without saying."""
        here = table == self._table.id
        return self._name(terminal) if here else f"{self._name(terminal)} at {self._name(table)}"

    def _name(self, own: str) -> str:
        return self._names.get(own, own)

    def _ms(self, now: Instant) -> int:
        return now // MICROSECONDS_PER_MS - self._midnight

    def _actor(self, stamp: Stamp) -> tuple[Part, str]:
        if stamp.person:
            return Part.STAFF, self._person(stamp.person)
        device = str(stamp.device)
        if device == self._table.id:
            return Part.WHEEL, "wheel"
        return (Part.SEAT, self._name(device)) if device in {*self._house.terminals} else (Part.SYSTEM, "system")

    def _person(self, person: PersonId) -> str:
        """Name somebody by title, and with a number where that is taken; who is named so already keeps it."""
        if person not in self._people:
            title = self._house.people[person].titles[0].lower()
            numbered = (title, *(f"{title} {number}" for number in range(2, len(self._house.people) + 2)))
            names = (person, *numbered) if person in numbered else numbered
            self._people[person] = next(each for each in names if each not in self._people.values())
        return self._people[person]

    def transcript(self) -> Transcript:
        """End with what was paid and what is left."""
        if self._ticked_ms is not None:
            self._act(self._ticked_ms + 1, "system", ("waits",))
        self._lines += [Line(), *(Line(each) for each in self._outcomes())]
        if self._apart:
            self._lines.append(Line(None, "what happened at other tables meanwhile is left out"))
        return Transcript(tuple(_within_a_day(self._lines)))

    def _outcomes(self) -> Iterator[Outcome]:
        for seat in (each for each in self._table.terminals if each in self._played):
            left = amount_text(self._house.terminals[seat].credit)
            if (seat, self._table.id) in self._paid:
                credit = () if self._apart else (f"credit {left}",)
                yield Outcome("pays", (self._name(seat), amount_text(self._paid[seat, self._table.id]), *credit))
            elif not self._apart:
                yield Outcome("credit", (self._name(seat), left))
        if not self._apart:
            yield Outcome("house", (amount_text(self._house.books[Account.HOUSE] - self._won),))


def _within_a_day(lines: Sequence[Line]) -> Iterator[Line]:
    """Count the hours from the first where a round goes past midnight; what is later still is told in a comment."""
    times = [line.says.at_ms for line in lines if isinstance(line.says, Act)]
    begins = times[0] // HOUR_MS * HOUR_MS if times[-1] >= DAY_MS else 0
    if begins:
        yield Line(None, f"past midnight: hours are counted from {begins // HOUR_MS:02d}:00")
    for line in lines:
        if isinstance(line.says, Act):
            act = replace(line.says, at_ms=line.says.at_ms - begins)
            late = act.at_ms >= DAY_MS
            yield Line(None, f"a day later  {act.actor}  {act.deed}") if late else replace(line, says=act)
        else:
            yield line
