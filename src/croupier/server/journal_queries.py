"""Journal search, round replay, redaction."""

import asyncio
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from msgspec.structs import replace

from croupier.engine.commit_loop import CommitLoop, read_through
from croupier.engine.journal_reader import PAGES_MAX, EntryConsumer, EntryScan, JournalReader
from croupier.engine.redaction import not_declared, undeclared_draw
from croupier.house import House
from croupier.house.declare import EVENTS, Event, PositionEvent, RoundEvent
from croupier.house.floor.malfunctions import BetsConfirmed, BetsVoided, CaseCleared, LineLossCleared, MalfunctionRaised
from croupier.house.ids import RoundNumber, TableId
from croupier.house.play.betting import BetsChanged, BetsReturned
from croupier.house.rounds.corrections import ResultCorrected
from croupier.house.rounds.opening import BetsOpened
from croupier.house.rounds.results import BallRested
from croupier.house.rounds.settlement import ResultDeclared
from croupier.house.settings import WheelKind
from croupier.house.state.tables import Position, Round, Table
from croupier.journal.entry import Entry
from croupier.journal.pages import VerifiedPage
from croupier.protocol import inbound, outbound
from croupier.protocol.outbound import project
from croupier.protocol.queries import JournalRow, ReplaySeat, ReplayStep
from croupier.rules.geometry import Pocket
from croupier.rules.refusal import Code, Refused
from croupier.rules.rulebook import Stakes
from croupier.server.events import EVENTS_BY_TOPIC, event_sentence

#: How many entries of the journal are sent at once.
ROWS_MAX: Final = 100
#: How many steps of one round are sent at once.
STEPS_MAX: Final = 1_000
#: Up to how many entries a journal may have for a round of it to be written as notation while the house is open.
NOTATION_MAX: Final = 50_000


class EntryFilter:
    """Collects the entries that match a query, up to ROWS_MAX."""

    def __init__(self, house: House, query: inbound.QueryJournal) -> None:
        self._house, self._query, self.found = house, query, list[Entry]()
        self._kinds = frozenset(EVENTS) if query.about is None else EVENTS_BY_TOPIC[query.about]

    @property
    def wants_bets(self) -> bool:
        """Whether a change of bets can match."""
        return BetsChanged in self._kinds and self._query.kind in (None, BetsChanged.__name__)

    def consume(self, entry: Entry) -> bool:
        if self._matches(entry):
            self.found.append(entry)
        return len(self.found) >= ROWS_MAX

    def _matches(self, entry: Entry) -> bool:
        query, event = self._query, entry.event
        terminal, table = _place(self._house, event)
        return type(event) in self._kinds and all(
            expected is None or expected == actual
            for expected, actual in (
                (query.table, table),
                (query.terminal, terminal),
                (query.person, entry.context.person),
                (query.kind, type(event).__name__),
            )
        )


def page_of(house: House, message: inbound.QueryJournal, scan: EntryScan, found: list[Entry]) -> outbound.JournalResult:
    """Build the result of a query, the newest entry first."""
    rows = [row(house, entry) for entry in found]
    return project(
        outbound.JournalResult,
        scan,
        q=message.q,
        rows=tuple(rows if scan.backwards else reversed(rows)),
        more=not scan.ended,
    )


def row(house: House, entry: Entry) -> JournalRow:
    event, context = entry.event, entry.context
    return JournalRow(
        position=entry.position,
        at_us=context.now,
        day=entry.day,
        kind=type(event).__name__,
        words=words_of(house, event),
        clause=getattr(event, "clause", None),
        person=context.person,
        device=context.device,
        table=_place(house, event)[1],
        terminal=next(_terminals(house, event), None),
        round=getattr(event, "round", None),
    )


def words_of(house: House, event: Event) -> str:
    """Return an event's sentence, without a number that does not count yet."""
    table = house.tables.get(TableId(_place(house, event)[1] or ""))
    return event_sentence(event, drawn=table is not None and table.settings.wheel is WheelKind.RANDOM)


def _place(house: House, event: Event) -> tuple[str | None, str | None]:
    """Return the terminal and the table that an event names, by its position if it has one."""
    named = house.positions[event.position] if isinstance(event, PositionEvent) else event
    return getattr(named, "terminal", None), getattr(named, "table", None)


def _terminals(house: House, event: Event) -> Iterator[str]:
    """List the terminals that an event is about: its own, or those of its cases."""
    own, _ = _place(house, event)
    if own is not None:
        yield own
    elif isinstance(event, LineLossCleared):
        yield from (house.cases.all[each].terminal for each in event.cases if each in house.cases.all)
    elif isinstance(event, BetsConfirmed | BetsVoided | CaseCleared) and event.case in house.cases.all:
        yield house.cases.all[event.case].terminal


class RoundEntries:
    """Collects the entries of one round, from the last back to its opening, with the first STEPS_MAX bet changes."""

    def __init__(self, house: House, query: inbound.QueryReplay) -> None:
        self._house, self._table, self._round, self._terminal = house, query.table, query.round, query.terminal
        self.steps, self.chips = deque[Entry](), deque[Entry](maxlen=STEPS_MAX)
        self.left_out = 0
        #: Whether its opening was found.
        self.whole = False

    def consume(self, entry: Entry) -> bool:
        event = entry.event
        if isinstance(event, BetsChanged | BetsReturned):
            terminal, table = _place(self._house, event)
            if (table, event.round) == (self._table, self._round) and self._terminal in (None, terminal):
                self.left_out += len(self.chips) == STEPS_MAX
                self.chips.appendleft(entry)
        elif isinstance(event, MalfunctionRaised):
            if (TableId(self._table), RoundNumber(self._round)) in event.questioned:
                self.steps.appendleft(entry)
        elif isinstance(event, RoundEvent) and (event.table, event.round) == (self._table, self._round):
            self.steps.appendleft(entry)
            self.whole = isinstance(event, BetsOpened)
        return self.whole

    def entries(self) -> list[Entry]:
        """Return what was found, in order."""
        return sorted((*self.steps, *self.chips), key=lambda each: each.position)


def replay_round(house: House, message: inbound.QueryReplay, found: RoundEntries) -> outbound.ReplayResult:
    """Build the replay of a round; the notation is added later, when it is requested."""
    table = house.tables[TableId(message.table)]
    round_ = table.find_round(RoundNumber(message.round))
    assert round_ is not None
    return outbound.ReplayResult(
        q=message.q,
        table=table.id,
        round=round_.number,
        rulebook=house.rulebooks[round_.rulebook].id,
        opened_at_us=round_.opened_at,
        pocket=None if round_.invalidated else round_.pocket,
        corrected=tuple(round_.corrected),
        status="invalidated" if round_.invalidated else round_.status.value,
        reason="" if round_.reason is None else round_.reason.value,
        clause=round_.clause,
        seats=tuple(_seats(house, table, round_, message.terminal)),
        steps=tuple(_step(house, entry) for entry in found.entries()),
        left_out=found.left_out,
        notation=None,
        no_notation="",
    )


def _seats(house: House, table: Table, round_: Round, only: str | None) -> list[ReplaySeat]:
    positions = map(house.positions.__getitem__, round_.layouts)
    return [_seat(house, table, round_, each) for each in positions if only in (None, each.terminal)]


def _seat(house: House, table: Table, round_: Round, position: Position) -> ReplaySeat:
    terminal = house.terminals[position.terminal]
    stakes, felt = round_.layouts[position.id], house.felt_of(round_)
    counts = round_.pocket is not None and not round_.invalidated
    won = felt.winning(stakes, round_.pocket) if counts and round_.pocket is not None else {}
    began = next((each for each in terminal.recall if (each.table, each.round) == (table.id, round_.number)), None)
    return ReplaySeat(
        terminal=terminal.id,
        at_start={} if began is None else began.at_start,
        sealed=stakes,
        staked=sum(stakes.values()),
        returned=round_.paid.get(position.id),
        winners={spot: felt.back(spot, stake) for spot, stake in won.items()},
    )


def _step(house: House, entry: Entry) -> ReplayStep:
    event, context = entry.event, entry.context
    return ReplayStep(
        position=entry.position,
        at_us=context.now,
        kind=type(event).__name__,
        words=words_of(house, event),
        clause=getattr(event, "clause", None),
        person=context.person,
        device=context.device,
        terminal=_place(house, event)[0],
        stakes=_stakes(entry),
        pocket=_pocket(house, entry),
    )


def _stakes(entry: Entry) -> Stakes:
    match entry.event:
        case BetsChanged() as changed:
            return changed.stakes
        case BetsReturned() as returned:
            return dict.fromkeys(returned.spots, 0)
        case _:
            return {}


def _pocket(house: House, entry: Entry) -> Pocket | None:
    """Return the number of a step; a random wheel's number only once it counts."""
    match entry.event:
        case BallRested() as rested:
            drawn = house.tables[rested.table].settings.wheel is WheelKind.RANDOM
            return None if drawn else rested.pocket
        case ResultDeclared() | ResultCorrected() as declared:
            return declared.pocket
        case _:
            return None


#: Writes a round as notation, from all entries of a journal by page.
Notes = Callable[[list[list[Entry]], TableId, RoundNumber], str]

_LONG: Final = "The journal is too long to be read through while the house is open: `croupier replay` does so."


@dataclass(slots=True)
class JournalQueries:
    """Queries of the journal, read in slices of time between two batches."""

    commit_loop: CommitLoop
    write_notation: Notes
    #: A notation needs the whole journal in memory and a thread: only one runs at a time.
    _one_at_a_time: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def journal(self, query: inbound.QueryJournal) -> outbound.JournalResult:
        """Find entries after a position, or the last ones before a position, or the last ones of all."""
        matching, backwards = EntryFilter(self.commit_loop.run.house, query), query.after is None
        start = query.before and query.before - 1 if query.after is None else query.after + 1
        scan = self.scan(matching.consume, start, backwards=backwards, bets=matching.wants_bets)
        await self.read(scan.step)
        return page_of(self.commit_loop.run.house, query, scan, matching.found)

    async def replay(self, query: inbound.QueryReplay) -> outbound.ReplayResult:
        """Replay a round, with its notation when that is requested."""
        entries = RoundEntries(self.commit_loop.run.house, query)
        self._require_kept(query)
        await self.read(self.scan(entries.consume).step)
        # The round may have left the state meanwhile.
        self._require_kept(query)
        if not entries.whole:
            raise Refused(Code.TOO_LONG, None, _LONG, round=query.round)
        result = replay_round(self.commit_loop.run.house, query, entries)
        text, why = await self.notation(query.table, query.round) if query.notation else (None, "")
        return replace(result, notation=text, no_notation=why)

    def _require_kept(self, query: inbound.QueryReplay) -> None:
        """Refuse a round that has left the state, or whose bets may still change."""
        table, number = TableId(query.table), RoundNumber(query.round)
        self.require_played(table, number)
        if self.commit_loop.run.house.tables[table].find_round(number) is None:
            message = f"Round {number} is not kept here: only the journal has it."
            raise Refused(Code.UNKNOWN_RECORD, None, message, round=number)

    def require_played(self, name: TableId, number: RoundNumber) -> None:
        """Refuse a round that was not played yet, or whose bets may still change."""
        table = self.commit_loop.run.house.tables.get(name)
        if table is None:
            raise Refused(Code.UNKNOWN_TABLE, None, f"There is no table {name}.", table=name)
        if number > table.rounds:
            message = f"Table {name} has played no round {number}."
            raise Refused(Code.UNKNOWN_RECORD, None, message, round=number)
        found = table.find_round(number)
        if found is not None and found.sealed is None and not found.over:
            raise Refused(Code.OUT_OF_TURN, None, "The bets of this round are not sealed yet.", round=number)

    def scan(
        self, consume: EntryConsumer, start: int | None = None, *, backwards: bool = True, bets: bool = True
    ) -> EntryScan:
        return EntryScan(self.commit_loop.run.storage.store, consume, self.commit_loop.time.now, start, backwards, bets)

    async def read(self, step: Callable[[], object]) -> None:
        """Run steps between two batches until one returns that it is done."""
        await read_through(self.commit_loop, step)

    async def notation(self, table: str, number: int) -> tuple[str | None, str]:
        """Write a round as notation, or return why not. It reads the whole journal."""
        async with self._one_at_a_time:
            return await self._notation(TableId(table), RoundNumber(number))

    async def _notation(self, table: TableId, number: RoundNumber) -> tuple[str | None, str]:
        if self.commit_loop.run.writer.head.position > NOTATION_MAX:
            return None, _LONG
        pages: list[list[Entry]] = []
        reader = JournalReader(self.commit_loop.run.storage.store)
        try:
            await self.read(lambda: reader.step(partial(_collect, pages), self.commit_loop.time.now))
        except Refused as refused:
            return None, refused.refusal.message
        if len(pages) >= PAGES_MAX:
            return None, _LONG
        # It contains nothing of any later round, nor of any other table.
        drawn = undeclared_draw(self.commit_loop.run.house, table)
        if drawn is not None and drawn.number == number:
            return None, not_declared(table, drawn).refusal.message
        return await asyncio.to_thread(self.write_notation, pages, table, number), ""


def _collect(pages: list[list[Entry]], verified_page: VerifiedPage) -> bool:
    """Collect the entries of a page; return whether there are too many pages."""
    pages.append(verified_page.entries)
    return len(pages) >= PAGES_MAX
