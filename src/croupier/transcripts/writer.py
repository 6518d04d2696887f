"""Writes a round of a journal as a transcript."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from msgspec.structs import replace as with_fields

from croupier.engine.replay import apply_entry
from croupier.house import House, RulebookReader
from croupier.house.credit.drawers import DrawerOpened
from croupier.house.credit.notes import NoteStacked, PlayMoneyGranted
from croupier.house.credit.tickets import TicketIssued
from croupier.house.declare import Event, PlayerEvent, PositionEvent
from croupier.house.floor.disputes import DisputeOpened
from croupier.house.floor.incidents import IncidentRaised
from croupier.house.floor.malfunctions import MalfunctionRaised
from croupier.house.floor.service import TerminalClosed, TerminalLost, TerminalReturned
from croupier.house.floor.setup import BuildApproved, BuildReported, RulebookAdopted
from croupier.house.floor.signatures import ProposalMade
from croupier.house.floor.staff import AccountUnlocked, DeviceEnrolled, DeviceReleased, PersonEnrolled
from croupier.house.ids import SECOND, Context, Instant, PersonId, RoundNumber, TableId, TerminalId
from croupier.house.live.partners import PlayersLinked
from croupier.house.live.seats_and_colours import records_bets
from croupier.house.play.betting import BetsChanged
from croupier.house.play.chip_bets import flat
from croupier.house.rounds.closing import BetsClosing
from croupier.house.rounds.corrections import OutcomeInvalidated, ResultCorrected
from croupier.house.rounds.opening import BetsOpened
from croupier.house.rounds.recovery import HouseRecovered
from croupier.house.rounds.settlement import RoundSettled, WinHeld
from croupier.house.state.ledger import LedgerAccount
from croupier.house.state.live import Layout
from croupier.house.state.tables import BetChange, Table
from croupier.house.timers import DayBegan, due
from croupier.journal.entry import Entry
from croupier.rulebooks.schema import read_canonical
from croupier.rules.money import amount_text
from croupier.rules.notation import parse_slip, print_slip
from croupier.rules.refusal import Refusal
from croupier.transcripts.actions import GOES_OFFLINE, OPENS_BETS, WAITS, bets_of, readable, write_actions
from croupier.transcripts.actors import ActorRole
from croupier.transcripts.driver import StateBefore, glance, notable_events, payments
from croupier.transcripts.format import (
    DAY_MS,
    Action,
    Expectation,
    Outcome,
    Transcript,
    TranscriptLine,
    comment,
    write_transcript,
)
from croupier.transcripts.live import bets_of_chips, live_layout, player_named, player_numbers, print_chips, walk_of
from croupier.transcripts.live_actions import of_player
from croupier.transcripts.preamble import (
    BEFORE_SEATS,
    Pages,
    RecordNumbers,
    WriteContext,
    brought_along,
    commands,
    floor_names,
    headings,
    naming,
    notices,
    renamed,
    richer,
    seat_heading,
)
from croupier.transcripts.runner import run_round

MICROSECONDS_PER_MS: Final = 1_000
HOUR_MS: Final = 60 * 60 * 1_000
#: How long a pause may be, and how much of a longer one is written.
SILENCE: Final = 12 * 60 * 60 * SECOND
HOUR: Final = 60 * 60 * SECOND


class TranscriptClock:
    """Converts times of the journal to times of the transcript."""

    def __init__(self, now: Instant) -> None:
        self._midnight = now // MICROSECONDS_PER_MS // DAY_MS * DAY_MS
        self._behind = self._before = 0
        self._late_at: Instant | None = None
        self._shown = 0

    def stand_still(self, now: Instant, late: int) -> None:
        """Stop for as long as something was late; delays at the same instant are counted once."""
        if self._late_at != now:
            self._late_at, self._before = now, self._behind
        self._behind = self._before + late

    def pass_over(self, now: Instant) -> bool:
        """Omit most of a long pause; return whether there was one."""
        silent = (self._ms(now) - self._shown) * MICROSECONDS_PER_MS
        if silent <= SILENCE:
            return False
        self._behind += silent - HOUR
        return True

    def _ms(self, now: Instant) -> int:
        return (now - self._behind) // MICROSECONDS_PER_MS - self._midnight

    def show(self, now: Instant, *, after: int = 0) -> int:
        """Format a time, at least so much after the last."""
        self._shown = max(self._ms(now), self._shown + after)
        return self._shown


def within_a_day(lines: Sequence[TranscriptLine]) -> Iterator[TranscriptLine]:
    """Count the hours from the first when a round passes midnight; later lines become comments."""
    times = [line.content.at_ms for line in lines if isinstance(line.content, Action)]
    begins = times[0] // HOUR_MS * HOUR_MS if times[-1] >= DAY_MS else 0
    if begins:
        yield comment(f"past midnight: hours are counted from {begins // HOUR_MS:02d}:00")
    for line in lines:
        if isinstance(line.content, Action):
            act = replace(line.content, at_ms=line.content.at_ms - begins)
            late = act.at_ms >= DAY_MS
            yield comment(f"a day later  {act.actor}  {act.action}") if late else replace(line, content=act)
        else:
            yield line


#: From this delay on, a late clock is written as a stopped one.
LATE: Final = 5 * SECOND
#: Effects that a transcript of one round cannot have: copied chips are written as placed.
_COPIES: Final = ("copied", "not copied")


def write_round(
    pages: Pages, reader: RulebookReader, names: Mapping[str, str], table: TableId, number: RoundNumber
) -> Transcript | None:
    """Write one round of a table, with the names of a transcript; None when there was no such round."""
    house, pen = House.new(reader), None
    for entries in commands(pages):
        opens = (each for each in entries if isinstance(each.event, BetsOpened) and each.event.table == table)
        opened = next(opens, None)
        if pen is not None and opened is not None:
            break
        if pen is not None:
            pen.take(entries)
            continue
        for entry in entries:
            apply_entry(house, entry)
        if opened is not None and house.tables[table].rounds == number:
            pen = _TranscriptWriter(house, house.tables[table], names, opened.context)
    return None if pen is None else _tried(pen.transcript(), pen.depends_on)


def _tried(written: Transcript, depends_on: Sequence[str]) -> Transcript:
    """Run the transcript, and if it does not hold by itself, state at its head what it depends on."""
    played = run_round(write_transcript(written))
    if isinstance(played, Refusal):
        return Transcript((comment(f"This round cannot be set up by itself: {played.message}"), *written.lines))
    if played.holds:
        return written
    # The comment itself is the first line.
    differs = f"line {played.differences[0].line + 1} is the first that differs"
    return Transcript((comment(f"This round leans on {'; '.join(depends_on)}: {differs}"), *written.lines))


#: Not done at a table: omitted.
_ELSEWHERE: Final = (AccountUnlocked, DeviceEnrolled, DeviceReleased, PersonEnrolled, RulebookAdopted)
#: Events that the clock never causes: they were requested.
_REQUESTED: Final = (
    HouseRecovered,
    DayBegan,
    TerminalLost,
    TerminalReturned,
    BuildReported,
    BuildApproved,
    IncidentRaised,
    PlayMoneyGranted,
)
#: The records that a transcript counts, by the event that creates them.
_COUNTED: Final[Mapping[type[Event], str]] = {
    IncidentRaised: "incident",
    WinHeld: "hold",
    MalfunctionRaised: "case",
    ProposalMade: "proposal",
    DisputeOpened: "dispute",
    TicketIssued: "sequence",
    PlayersLinked: "group",
}


#: Later than any due instant.
NEVER: Final = 1 << 63


def _due(house: House) -> int:
    at = due(house)
    return NEVER if at is None else at


class _Before(NamedTuple):
    """The house before a command: stakes and credits, the games' win, and due instants."""

    seen: StateBefore
    credit: Mapping[TerminalId, int]
    won: int
    due: int


class _TranscriptWriter:
    """Writes a round from the moment after bets were opened."""

    def __init__(self, house: House, table: Table, names: Mapping[str, str], context: Context) -> None:
        self._house, self._table, self._names = house, table, names
        self._people: dict[PersonId, str] = {}
        #: The players with chips, numbered as they are seated.
        self._players = player_numbers(table)
        self._lines, self._seated = list(headings(house, table, names)), len(table.terminals)
        #: What the transcript depends on that is outside it.
        self.depends_on = ["what was before it or elsewhere", *brought_along(house, table, names)]
        self._numbers = RecordNumbers()
        self._numbers.add("round", table.rounds)
        #: Drawers opened and seats closed in this round, and seats that are offline in it.
        self._opened: set[tuple[str, str]] = set()
        self._offline: set[TerminalId] = set()
        self._loose_before = table.loose_ball
        self._won = house.ledger[LedgerAccount.HOUSE]
        self._paid: dict[tuple[TerminalId, TableId], int] = {}
        #: The effects of the clock since the last line, and when.
        self._since: list[Expectation] = []
        self._ticked_at: Instant | None = None
        self._clock = TranscriptClock(context.now)
        #: The money that each seat received in ways that are not in the transcript.
        self._left_out: defaultdict[TerminalId, int] = defaultdict(int)
        self._open(context)

    def _open(self, context: Context) -> None:
        seats = [self._house.terminals[name] for name in self._table.terminals]
        games = {seat.id: seat.games[self._table.id] for seat in seats}
        self._played = {seat for seat, game in games.items() if game.bets or game.carried}
        before, after = list(notices(self._house, self._table, self._names)), []
        for seat in seats:
            bets = seat.games[self._table.id].bets
            if bets or seat.credit:
                self._opened.add(("session", self._name(seat.id)))
            if bets:
                after.append((self._name(seat.id), print_slip(bets_of(bets.items()))))
            # A seat with a case, perhaps because it is offline, was out of service.
            if seat.lost_at is not None and seat.case is None:
                self._offline.add(seat.id)
                lost = self._name(seat.id), GOES_OFFLINE
                # Chips that stayed up are written as placed, before the seat goes offline.
                after.append(lost) if bets else before.append((seat.lost_at, *lost))
        for position, number in self._players.items():
            layout = live_layout(self._table, position)
            after += [(player_named(number), print_chips((bet,))) for bet in bets_of_chips(flat(layout))]
        for at, who, action in sorted(before):
            self._act(at, who, (action,))
        self._act(context.now, self._actor(context)[1], (OPENS_BETS,))
        for who, action in after:
            self._act(context.now, who, (action,))

    def take(self, entries: Sequence[Entry]) -> None:
        """Write the events of one command, if they concern this table."""
        context, events = entries[0].context, [each.event for each in entries]
        before = self._look()
        role, actor = self._actor(context)
        ticked = role is ActorRole.SYSTEM and before.due <= context.now and not isinstance(events[0], _REQUESTED)
        if isinstance(events[0], MalfunctionRaised) and role is ActorRole.SEAT:
            # The journal does not record what the screen showed.
            role, actor = ActorRole.SYSTEM, "system"
        if role is ActorRole.STAFF and isinstance(events[0], PlayerEvent) and self._concerns(events[0]):
            self._players.setdefault(events[0].position, len(self._players) + 1)
            if of_player(events[0]):
                role, actor = ActorRole.PLAYER, player_named(self._players[events[0].position])
        state = self._write_context(context, actor)
        done_by = self._carry_out(entries)
        self._seat_newcomers()
        elsewhere = role is ActorRole.SEAT and TerminalId(context.device) not in self._table.terminals
        concerned = [each for each in events if not elsewhere and self._concerns(each)]
        actions = () if ticked or not concerned else self._actions(concerned, role, state)
        written = bool(concerned) and (ticked or bool(actions))
        if not written or len(concerned) < len(events):
            self._leave_out(before, whole=not written)
        # Once the wheel has reported a ball from before, none is loose.
        self._loose_before = self._loose_before and self._table.loose_ball
        if written:
            if ticked or isinstance(events[0], HouseRecovered):
                self._keep_time(context.now, done_by if ticked else before.due, LATE if ticked else 0)
            if self._clock.pass_over(context.now):
                self._lines.append(comment("a long time passes, of which one hour is written"))
            self._write(concerned, before, actor, actions, context.now)
        elif concerned:
            self._skip(concerned, before, actor)

    def _look(self) -> _Before:
        house = self._house
        credit = {name: terminal.credit for name, terminal in house.terminals.items()}
        return _Before(glance(house), credit, house.ledger[LedgerAccount.HOUSE], _due(house))

    def _carry_out(self, entries: Sequence[Entry]) -> int:
        """Apply entries; return by when the last event that concerns this table was due."""
        now, closes_at = entries[0].context.now, self._table.playing.closes_at
        dues = [min(now, _due(self._house))]
        for entry in entries:
            if self._concerns(entry.event):
                dues += [_due(self._house)]
            if isinstance(entry.event, BetsClosing) and closes_at is not None:
                dues += [closes_at]
            apply_entry(self._house, entry)
        return max(each for each in dues if each <= now)

    def _seat_newcomers(self) -> None:
        """Add a seat that was added during the round to its beginning."""
        for name in self._table.terminals[self._seated :]:
            head = seat_heading(self._house.terminals[name], self._table, self._names)
            self._lines.insert(BEFORE_SEATS + self._seated, head)
            self._seated += 1

    def _keep_time(self, now: Instant, due_at: int, most: int) -> None:
        """Stop the transcript's clock when the journal's was late: nothing may become due that was not done."""
        late = now - due_at
        if late > most:
            self._clock.stand_still(now, late)
            self.depends_on.append("a clock that was late")
            self._lines.append(comment(f"the clock stood still for {late // SECOND} s"))

    def _write_context(self, context: Context, actor: str) -> WriteContext:
        seat = self._house.terminals.get(TerminalId(context.device))
        laid = dict(seat.games[self._table.id].bets) if seat is not None and self._table.id in seat.games else {}
        loose = self._table.loose_ball and not self._loose_before
        return WriteContext(
            laid,
            self._table.playing.copy(),
            self._numbers,
            loose,
            actor,
            self._opened,
            self._pieces(actor),
            self._players,
            self._table.live is not None,
        )

    def _pieces(self, actor: str) -> Layout:
        """Return the chips of the player who acts."""
        position = next((each for each, number in self._players.items() if player_named(number) == actor), None)
        live = self._table.live
        player = None if live is None or position is None else live.players.get(position)
        return {} if player is None else {spot: dict(pieces) for spot, pieces in player.pieces.items()}

    def _concerns(self, event: Event) -> bool:
        """Return whether an event is of this table, of one of its seats, or of the house as a whole."""
        here = {self._table.id, *self._table.terminals}
        subjects: list[object] = [event]
        if isinstance(event, ProposalMade):
            subjects.append(event.command)
        elif isinstance(event, PositionEvent):
            subjects.append(self._house.positions[event.position])
        fields = ("table", "terminal", "target", "subject")
        places = [getattr(each, name, None) for each in subjects for name in fields]
        known = {*self._house.tables, *self._house.terminals}
        return all(place in here for place in places if place in known) and not isinstance(event, _ELSEWHERE)

    def _actions(self, events: Sequence[Event], role: ActorRole, context: WriteContext) -> tuple[str, ...]:
        """Return the actions for events; empty when no action can express them, or they depend on earlier records."""
        match events[0]:
            case TerminalLost(terminal=seat) | TerminalReturned(terminal=seat):
                if not (self._goes_offline(seat) if isinstance(events[0], TerminalLost) else seat in self._offline):
                    return ()
                role, context = ActorRole.SEAT, context._replace(actor=self._name(seat))
        actions = write_actions([renamed(each, self._names) for each in events], role, context)
        fits = all(readable(context.actor, each, self._table.rulebook) for each in actions)
        return actions if fits else ()

    def _goes_offline(self, seat: TerminalId) -> bool:
        """Return whether a seat goes offline in the transcript: one with an earlier case is out of service there."""
        case = self._house.terminals[seat].case
        if case is None or self._numbers.has("case", case):
            self._offline.add(seat)
        return seat in self._offline

    def _leave_out(self, before: _Before, *, whole: bool) -> None:
        """Mark an omission that moved money: a seat that gained has it from the start."""
        for seat in self._table.terminals:
            credit = self._house.terminals[seat].credit
            gained = credit - before.credit.get(seat, credit)
            if gained:
                self._left_out[seat] += max(0, gained)
        if whole:
            self._won += self._house.ledger[LedgerAccount.HOUSE] - before.won

    def _skip(self, events: Sequence[Event], before: _Before, actor: str) -> None:
        """Write an action without a notation as a comment; its payments count."""
        self._paid |= payments(self._house, (each for each in events if isinstance(each, RoundSettled)), before.seen)
        found = self._notable(events, before.seen)
        words = ", ".join([*(type(each).__name__ for each in events), *map(str, found)])
        self._lines.append(comment(f"not written  {actor}  {words}"))

    def _write(
        self, events: Sequence[Event], before: _Before, actor: str, actions: tuple[str, ...], now: Instant
    ) -> None:
        """Write an action and its effects, or save the effects of the clock for the next line."""
        self._count(events, actor)
        self._paid |= payments(self._house, events, before.seen)
        self._copies(events, before.seen, now if actions else Instant(before.due))
        found = self._notable(events, before.seen)
        if actions:
            link = events[0].terminal if isinstance(events[0], TerminalLost | TerminalReturned) else None
            self._act(now, actor if link is None else self._name(link), actions, found)
        else:
            self._since += found
            self._ticked_at = now

    def _count(self, events: Sequence[Event], actor: str) -> None:
        """Record what the transcript can refer to from now on."""
        for event in events:
            if type(event) in _COUNTED:
                field = _COUNTED[type(event)]
                self._numbers.add(field, getattr(event, field))
            elif isinstance(event, DrawerOpened):
                self._opened.add((event.drawer, actor))
            elif isinstance(event, TerminalClosed):
                self._opened.add(("closed", self._name(event.terminal)))
            elif isinstance(event, NoteStacked):
                self._opened.add(("session", self._name(event.terminal)))
            elif isinstance(event, ResultCorrected | OutcomeInvalidated):
                self._opened |= {("payable", each) for each in self._payable_to()}
            elif isinstance(event, TerminalReturned):
                self._offline.discard(event.terminal)

    def _payable_to(self) -> Iterator[str]:
        """Return the seats with a payable for this round, and for no other; and the players with chips."""
        here = self._table.id, self._table.rounds
        for seat in map(self._house.terminals.__getitem__, self._table.terminals):
            if seat.payable and [(each.table, each.round) for each in seat.causes.values()] == [here]:
                yield self._name(seat.id)
        yield from map(player_named, self._players.values())

    def _notable(self, events: Sequence[Event], before: StateBefore) -> list[Expectation]:
        players = {position: player_named(number) for position, number in self._players.items()}
        before = before._replace(players=players)
        said = notable_events((self._counted(each) for each in events), before, self._seat)
        return [each for each in said if each.word not in _COPIES]

    def _counted(self, event: Event) -> Event:
        """Count cases and proposals as a transcript does, from 1."""
        fields = [each for each in ("case", "proposal") if hasattr(event, each)]
        return with_fields(event, **{each: self._numbers.known(each, getattr(event, each)) for each in fields})

    def _copies(self, events: Sequence[Event], before: StateBefore, at: Instant) -> None:
        """Write chips that were copied at the close as placed just before it."""
        for event in events:
            if isinstance(event, BetsChanged):
                terminal, table = before.places[event.position]
                self._played.add(terminal)
                if event.how is BetChange.AUTO_COPY:
                    laid = before.laid[terminal, table]
                    added = ((spot, amount - laid.get(spot, 0)) for spot, amount in event.stakes.items())
                    self._act(at, self._name(terminal), (print_slip(bets_of(added)),))

    def _act(self, at: Instant, actor: str, actions: tuple[str, ...], found: Sequence[Expectation] = ()) -> None:
        """Write a line for each action, after the clock's effects; the action's effects are on the last line."""
        if self._ticked_at is not None:
            self._clock.show(self._ticked_at)
        at_ms = self._clock.show(at, after=0 if self._ticked_at is None else 1)
        for place, action in enumerate(actions, start=1):
            expects = (*self._since, *(found if place == len(actions) else ()))
            slip = action[0].isdigit() and " on " in action and actor.startswith("seat ")
            self._lines.append(TranscriptLine(Action(at_ms, actor, parse_slip(action) if slip else action, expects)))
            self._since = []
        self._ticked_at = None

    def _seat(self, terminal: TerminalId, table: TableId) -> str:
        """Return the name of a seat, without its table if that is this one."""
        here = table == self._table.id
        return self._name(terminal) if here else f"{self._name(terminal)} at {self._name(table)}"

    def _name(self, own: str) -> str:
        return self._names.get(own, own)

    def _actor(self, context: Context) -> tuple[ActorRole, str]:
        if context.person:
            return ActorRole.STAFF, self._person(context.person)
        device = str(context.device)
        if device == self._table.id:
            return ActorRole.WHEEL, "wheel"
        return (
            (ActorRole.SEAT, self._name(device)) if device in {*self._house.terminals} else (ActorRole.SYSTEM, "system")
        )

    def _person(self, person: PersonId) -> str:
        """Name a person by title, with a number if that name is taken; an assigned name stays."""
        if person not in self._people:
            title = self._house.staff.people[person].titles[0].lower()
            numbered = (title, *(f"{title} {number}" for number in range(2, len(self._house.staff.people) + 2)))
            names = (person, *numbered) if person in numbered else numbered
            self._people[person] = next(each for each in names if each not in self._people.values())
        return self._people[person]

    def transcript(self) -> Transcript:
        """End with the payments and the final state."""
        if self._ticked_at is not None:
            self._act(self._ticked_at, "system", (WAITS,))
        self._lines += [TranscriptLine(), *(TranscriptLine(each) for each in self._outcomes())]
        if self._left_out:
            self._lines.append(comment("what happened at other tables meanwhile, or has no words, is left out"))
        lines = (
            richer(line, {self._name(seat): more for seat, more in self._left_out.items()}) for line in self._lines
        )
        return Transcript(tuple(within_a_day(list(lines))))

    def _outcomes(self) -> Iterator[Outcome]:
        for seat in (each for each in self._table.terminals if each in self._played):
            left = amount_text(self._house.terminals[seat].credit)
            if (seat, self._table.id) in self._paid:
                credit = () if seat in self._left_out else (f"credit {left}",)
                yield Outcome("pays", (self._name(seat), amount_text(self._paid[seat, self._table.id]), *credit))
            elif seat not in self._left_out:
                yield Outcome("credit", (self._name(seat), left))
        yield from self._chip_outcomes()
        yield Outcome("house", (amount_text(self._house.ledger[LedgerAccount.HOUSE] - self._won),))

    def _chip_outcomes(self) -> Iterator[Outcome]:
        """State what was paid to each player with chips, and their chips."""
        live, walk = self._table.live, walk_of(self._table)
        if live is None or not records_bets(self._table.settings):
            return
        for position, number in self._players.items():
            if walk is not None and position in live.players:
                paid = sum(item.amount for item in walk.items if item.position == position and item.made)
                yield Outcome("paid", (player_named(number), amount_text(paid)))
        for name, colour in live.colours.items():
            if colour.position in self._players and colour.out is not None:
                yield Outcome("out", (f"{name} {colour.out}",))


def round_text(pages: list[list[Entry]], table: TableId, number: RoundNumber) -> str:
    """Write a round that is in the journal."""
    written = write_round(pages, read_canonical, naming(floor_names(pages), table), table, number)
    assert written is not None
    return write_transcript(written)
