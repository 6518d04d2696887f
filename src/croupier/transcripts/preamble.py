"""Names and headings of a written transcript."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any, Final, NamedTuple

import msgspec

from croupier.house import AnyEvent, House
from croupier.house.credit.notes import PlayMoneyGranted
from croupier.house.declare import Event
from croupier.house.floor.incidents import IncidentKind, IncidentRaised
from croupier.house.floor.malfunctions import MalfunctionRaised
from croupier.house.floor.service import TerminalLost, TerminalReturned
from croupier.house.floor.setup import TableAdded, TerminalAdded
from croupier.house.ids import SYSTEM, Instant, PositionId, TableId, TerminalId
from croupier.house.play.betting import BetsChanged, BetsReturned, ReturnReason
from croupier.house.play.chip_bets import ChipsChanged
from croupier.house.rounds.opening import BetsOpened
from croupier.house.rounds.recovery import HouseRecovered
from croupier.house.settings import Mode
from croupier.house.state.live import Layout
from croupier.house.state.tables import Round, Table, Terminal
from croupier.house.timers import DayBegan
from croupier.journal.entry import Entry
from croupier.rulebooks.loader import load_rulebook
from croupier.rules.money import amount_text, cents_of
from croupier.rules.procedure import Duty
from croupier.rules.refusal import Refusal
from croupier.rules.rulebook import Rulebook, Stakes
from croupier.transcripts.format import Heading, Setting, TranscriptLine, comment, seat_named, table_named
from croupier.transcripts.live import float_before, player_headings, player_named, players_before
from croupier.transcripts.settings import can_be_written, seat_settings, table_settings, venue_settings

#: Entries by page: the entries of one command are never on two pages.
Pages = Iterable[Sequence[Entry]]

#: The fields of events and commands that contain such a name.
_HOLD: Final = {"table", "terminal", "target", "source", "subject", "place"}
_SEAT: Final = re.compile("seat [1-9][0-9]*")


@dataclass(frozen=True, slots=True)
class FloorNames:
    """The tables and terminals of a venue, in the order in which they were added."""

    tables: list[TableId] = field(default_factory=list)
    terminals: list[TerminalId] = field(default_factory=list)


#: The first events of the house's own actions: they separate several actions of one instant.
_BEGINS: Final = (HouseRecovered, DayBegan, TerminalLost, TerminalReturned, MalfunctionRaised, PlayMoneyGranted)
#: Alarms that the system itself raises.
_ALARMS: Final = (
    IncidentKind.KEY_REUSED,
    IncidentKind.CLOCK_JUMPED,
    IncidentKind.SNAPSHOT_IGNORED,
    IncidentKind.SNAPSHOT_FAILED,
    IncidentKind.DISK_LOW,
    IncidentKind.COMMAND_FAILED,
    IncidentKind.HISTORY_LOST,
)


def commands(pages: Pages) -> Iterator[list[Entry]]:
    """Group entries by the commands that they came from; a player's command gives one event."""
    for page in pages:
        for _, together in groupby(page, key=lambda each: (each.context, each.cause)):
            entries: list[Entry] = []
            for entry in together:
                if entries and _begins(entry.event, entries[-1].event, own=entry.context.device == SYSTEM):
                    yield entries
                    entries = []
                entries.append(entry)
            yield entries


def _begins(event: Event, last: Event, *, own: bool) -> bool:
    """Return whether an event begins another command, although it has the context of the one before."""
    if own:
        # Chips that are against the new limits or rules of a round are returned before it is opened.
        opens = isinstance(event, BetsOpened) and not _is_of_opening(last)
        clears = _is_of_opening(event) and not _is_of_opening(last)
        alarm = _is_alarm(event) or _is_alarm(last) or _is_malfunction(event)
        return opens or clears or alarm or isinstance(event, _BEGINS)
    return type(event) is type(last) and isinstance(event, BetsChanged | ChipsChanged)


def _is_of_opening(event: Event) -> bool:
    return isinstance(event, BetsReturned) and event.why is ReturnReason.NEW_TERMS


def _is_malfunction(event: Event) -> bool:
    return isinstance(event, IncidentRaised) and event.kind is IncidentKind.MALFUNCTION


def _is_alarm(event: Event) -> bool:
    return isinstance(event, IncidentRaised) and event.kind in _ALARMS


def floor_names(pages: Pages) -> FloorNames:
    """Find every table and terminal in a journal."""
    plan = FloorNames()
    for page in pages:
        for entry in page:
            match entry.event:
                case TableAdded(table=table):
                    plan.tables.append(table)
                case TerminalAdded(terminal=terminal):
                    plan.terminals.append(terminal)
    return plan


def naming(plan: FloorNames, table: TableId) -> Mapping[str, str]:
    """Name one table the first, the others after it, and every terminal a seat; existing names of this form stay."""
    tables = [table, *(each for each in plan.tables if each != table)]
    names: dict[str, str] = {each: table_named(number) for number, each in enumerate(tables, start=1)}
    if not all(_SEAT.fullmatch(each) for each in plan.terminals):
        names |= {each: seat_named(number) for number, each in enumerate(plan.terminals, start=1)}
    return {name: given for name, given in names.items() if name != given}


class RecordBeforeTranscriptError(Exception):
    """The subject is not in the transcript: it is from before it, or from another table."""


class RecordNumbers:
    """The numbered records of a transcript: it counts its own from 1, whatever the journal's numbers are."""

    def __init__(self) -> None:
        self._numbers: defaultdict[str, dict[int, int]] = defaultdict(dict)

    def add(self, field: str, number: int) -> None:
        """Count one more record."""
        self._numbers[field].setdefault(number, len(self._numbers[field]) + 1)

    def nth(self, field: str, number: int) -> int:
        """Return the number of a record in the transcript, or raise RecordBeforeTranscriptError when it has none."""
        if not self.has(field, number):
            raise RecordBeforeTranscriptError
        return self._numbers[field][number]

    def has(self, field: str, number: int) -> bool:
        """Return whether the transcript has a record."""
        return number in self._numbers[field]

    def known(self, field: str, number: int) -> int:
        """Return the number of a record in the transcript; the journal's own when it has none."""
        return self._numbers[field].get(number, number)


class WriteContext(NamedTuple):
    """The state before the events that are written as an action."""

    #: The bets of the seat that acts.
    laid: Stakes
    round: Round | None
    numbers: RecordNumbers
    #: Whether the ball of a spin that was called off in this round may still be running.
    loose: bool
    actor: str
    #: The records that this transcript has opened: drawers with their owners, and by seat closures, sessions and
    #: payables.
    open: set[tuple[str, str]]
    #: The chips of the player who acts, the numbers of the players, and whether players bet with chips here.
    pieces: Layout
    players: Mapping[PositionId, int]
    chips: bool

    def player(self, position: PositionId) -> int:
        """Return the number of a player in the transcript."""
        return self.players[position]

    def nth(self, field: str, number: int) -> int:
        return self.numbers.nth(field, number)

    def must_be_open(self, what: str, whose: str) -> None:
        """Raise RecordBeforeTranscriptError unless this transcript opened, or closed, something."""
        if (what, whose) not in self.open:
            raise RecordBeforeTranscriptError


def renamed(event: Event, names: Mapping[str, str]) -> Event:
    """Return an event with the names of the transcript in it."""
    given: Event = msgspec.convert(_walk(msgspec.to_builtins(event), names), AnyEvent) if names else event
    return given


def _walk(value: Any, names: Mapping[str, str]) -> Any:  # noqa: ANN401 - what JSON may hold
    """Replace the names in an event and, if it proposes a command, in that."""
    if not isinstance(value, dict):
        return value
    return {
        key: names.get(each, each) if key in _HOLD and isinstance(each, str) else _walk(each, names)
        for key, each in value.items()
    }


#: How many headings precede those of the seats.
BEFORE_SEATS: Final = 3


def headings(house: House, table: Table, names: Mapping[str, str]) -> Iterator[TranscriptLine]:
    """Write the rulebook, the venue, a table and its seats; what has no notation is written as comments."""
    about = comment(f"round {table.rounds} of {table.id}")
    yield replace(about, content=Heading("rulebook", (Setting("id", table.rulebook.id),)))
    yield TranscriptLine(Heading("venue", tuple(venue_settings(house))))
    yield TranscriptLine(Heading("table", (*table_settings(table.settings), *_float(table))))
    for name in table.terminals:
        yield seat_heading(house.terminals[name], table, names)
    for heading in player_headings(table):
        yield TranscriptLine(heading)
    for words in (*_about_house(house, table), *brought_along(house, table, names)):
        yield TranscriptLine(None, words)
    yield TranscriptLine()


def _float(table: Table) -> Iterator[Setting]:
    """Write the float of a live table that is open."""
    amount = float_before(table)
    if amount is not None:
        yield Setting("float", amount_text(amount))


def seat_heading(seat: Terminal, table: Table, names: Mapping[str, str]) -> TranscriptLine:
    """Write a seat, with its player's credit."""
    credit, given = seat.credit + seat.games[table.id].staked, names.get(seat.id, seat.id)
    called = TranscriptLine() if given == seat.id else comment(seat.id)
    return replace(called, content=Heading(given, tuple(seat_settings(seat, credit))))


def brought_along(house: House, table: Table, names: Mapping[str, str]) -> Iterator[str]:
    """Describe the state before the round that has no notation."""
    yield from _about_rules(table.rulebook)
    progressive, pot = table.rulebook.paytable.progressive, house.pots.get(table.rulebook.id)
    if progressive is not None and pot is not None and pot.amount != progressive.seed:
        yield f"the pot had {amount_text(pot.amount)}"
    for name in table.terminals:
        for words in _about_seat(house.terminals[name], table):
            yield f"{names.get(name, name)} {words}"
    if table.live is not None and table.live.float_ is not None and table.live.float_.booked != float_before(table):
        yield f"the float had {amount_text(table.live.float_.booked)}: the heading has the next amount that chips make"
    for number, words in players_before(house, table):
        yield f"{player_named(number)} {words}"


def notices(house: House, table: Table, names: Mapping[str, str]) -> Iterator[tuple[Instant, str, str]]:
    """Write when an Authorised Officer was notified of a possible closing, by a person with the duty to manage."""
    manager = table.rulebook.staff.titles_for(Duty.MANAGE)[0].lower()
    for place in (table.id, *table.terminals):
        if place in house.notified:
            subject = "table" if place == table.id else names.get(place, place)
            yield house.notified[place], manager, f"notifies officer of {subject}"


def richer(line: TranscriptLine, more: Mapping[str, int]) -> TranscriptLine:
    """Add to a seat's initial credit what it received later in ways that the transcript does not contain."""
    if not isinstance(line.content, Heading) or not more.get(line.content.subject):
        return line
    settings = {each.name: each.value for each in line.content.settings}
    credit = (cents_of(settings.pop("credit", "0")) or 0) + more[line.content.subject]
    given = (Setting("credit", amount_text(credit)), *(Setting(*each) for each in settings.items()))
    return replace(line, content=replace(line.content, settings=given))


def _about_house(house: House, table: Table) -> Iterator[str]:
    if house.setup.mode is Mode.REAL:
        yield "the money was real"
    if not can_be_written(table.settings):
        yield "the table sets limits that a heading cannot say"


def _about_rules(rulebook: Rulebook) -> Iterator[str]:
    """Note when the rulebook that has this id now is not the one that the round was played by."""
    now = load_rulebook(rulebook.id)
    if isinstance(now, Refusal) or now.digest != rulebook.digest:
        yield f"the rulebook of this round has the digest {rulebook.digest}"


def _about_seat(seat: Terminal, table: Table) -> Iterator[str]:
    """Describe the state of a seat that a heading cannot express."""
    if seat.settings.limits is not None:
        yield "has limits of its own"
    if seat.closed or seat.case is not None:
        yield "was out of service"
    if seat.debts:
        yield "had a correction to settle"
    if seat.games[table.id].carried:
        yield "had stakes from an earlier spin"
    if any(game.arrangement is not None for game in seat.games.values()):
        yield "played by an arrangement"
