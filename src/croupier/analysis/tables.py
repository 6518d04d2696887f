"""Tables for analysis: rounds, bets, payments, meters, drawers and incidents of a journal as Parquet files."""

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, chain, groupby, islice
from operator import attrgetter
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from croupier.engine.journal_reader import JournalReader
from croupier.engine.replay import Projection, Replay, apply_page, gc_paused
from croupier.house import House, RulebookReader
from croupier.house.credit.drawers import DrawerClosed
from croupier.house.floor.incidents import IncidentCleared, IncidentRaised
from croupier.house.ids import Day, PositionId, RoundNumber, TableId
from croupier.house.state.ledger import TableMeters
from croupier.house.state.tables import Round
from croupier.house.timers import DayBegan
from croupier.journal.disk import sync_directory, write_atomic
from croupier.journal.entry import Entry
from croupier.journal.pages import BetRow, PageBody, VerifiedPage
from croupier.reports.day_projection import CashFlowKind, CashFlowTotals, DayProjection, read_meters
from croupier.reports.drawer_projection import DrawerProjection, currency_of
from croupier.reports.round_projection import HeldWinProjection, concerned
from croupier.reports.summaries import Kind
from croupier.words import incident_text

#: Instants are UTC, with microseconds.
_INSTANT: Final = pa.timestamp("us", tz="UTC")
_WORD: Final = pa.dictionary(pa.int32(), pa.string())
#: Each has the venue and the position of its entry too, and the gaming day as its partition.
_OF_EVERY_TABLE: Final = (("venue", _WORD), ("position", pa.int64()), ("at", _INSTANT))
SCHEMAS: Final[dict[str, pa.Schema]] = {
    name: pa.schema([*_OF_EVERY_TABLE, *columns])
    for name, columns in {
        "rounds": (
            ("table", _WORD), ("rulebook", _WORD), ("currency", _WORD), ("round", pa.int64()), ("status", _WORD),
            ("result", _WORD), ("staked", pa.int64()), ("returned", pa.int64()), ("refunded", pa.int64()),
        ),
        "bets": (
            ("table", _WORD), ("terminal", _WORD), ("round", pa.int64()), ("how", _WORD),
            ("spots", pa.list_(_WORD)), ("amounts", pa.list_(pa.int64())),
        ),
        "payments": (
            ("kind", _WORD), ("currency", _WORD), ("amount", pa.int64()), ("device", _WORD), ("person", _WORD),
        ),
        "meters": (
            ("table", _WORD), ("currency", _WORD), ("rounds", pa.int64()), ("voids", pa.int64()),
            ("no_spins", pa.int64()), ("turnover", pa.int64()), ("returned", pa.int64()), ("refunded", pa.int64()),
        ),
        "drawers": (
            ("drawer", _WORD), ("cashier", _WORD), ("currency", _WORD), ("opened_at", _INSTANT), ("float", pa.int64()),
            ("filled", pa.int64()), ("dropped", pa.int64()), ("taken_in", pa.int64()), ("paid_out", pa.int64()),
            ("expected", pa.int64()), ("counted", pa.int64()),
        ),
        "incidents": (
            ("event", _WORD), ("incident", pa.int64()), ("kind", _WORD), ("subject", _WORD), ("clause", _WORD),
            ("text", pa.string()),
        ),
    }.items()
}  # fmt: skip
#: A file is written after so many rows of a table and day, and at the end.
ROWS_PER_GROUP: Final = 500_000
#: The file of a table on a day without rows.
EMPTY: Final = "empty.parquet"
#: Records how far a directory was written.
STATE: Final = "export.json"


class ExportState(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How far a directory of tables was written."""

    venue: str
    #: The last entry whose rows are in the tables, and the digest of the chain there.
    position: int
    head: str


class ExportConflictError(Exception):
    """A directory has the tables of another journal."""


class ExportedTables(NamedTuple):
    """What one export has added to a directory."""

    first: int
    last: int
    rows: dict[str, int]


class Rows:
    """The new rows of one table, by gaming day."""

    def __init__(self, table: str, out: Path) -> None:
        self.table, self._out, self.schema = table, out, SCHEMAS[table]
        self._days: dict[Day, list[tuple[Any, ...]]] = {}
        self.written = 0

    def add(self, day: Day, *values: object) -> None:
        rows = self._days.setdefault(day, [])
        rows.append(values)
        if len(rows) >= ROWS_PER_GROUP:
            self.write(day)

    def write(self, day: Day) -> None:
        """Write the rows of a day to a file of its own."""
        rows = self._days.pop(day)
        columns = zip(*rows, strict=True)
        arrays = [pa.array(list(values), field.type) for values, field in zip(columns, self.schema, strict=True)]
        self.write_table(day, pa.Table.from_arrays(arrays, schema=self.schema), rows[0][1], rows[-1][1])

    def write_table(self, day: Day, table: pa.Table, first: int, last: int) -> None:
        self._write_file(self._folder(day) / f"entries-{first:012}-{last:012}.parquet", table)
        self.written += table.num_rows

    def fill(self, days: Iterable[Day]) -> None:
        """Write a file without rows for each day that has none: a query needs a file for the columns."""
        for day in days:
            folder = self._folder(day)
            if not any(folder.glob("*.parquet")):
                self._write_file(folder / EMPTY, self.schema.empty_table())

    def _folder(self, day: Day) -> Path:
        return self._out / self.table / f"day={day}"

    @staticmethod
    def _write_file(path: Path, table: pa.Table) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        # A file that is written again after an interruption has the same rows.
        fresh = path.with_suffix(".new")
        pq.write_table(table, fresh, compression="zstd")
        fresh.replace(path)
        sync_directory(path.parent)

    def flush(self) -> None:
        for day in list(self._days):
            self.write(day)


class Codes(dict[str, int]):
    """Numbers words in the order in which they are first looked up."""

    def __missing__(self, word: str) -> int:
        code = self[word] = len(self)
        return code

    def column(self, codes: "array[int]") -> pa.DictionaryArray:
        """Build a column of words from their numbers."""
        return pa.DictionaryArray.from_arrays(_column(codes, pa.int32()), pa.array(list(self), pa.string()))


def _column(values: "array[int]", type_: pa.DataType) -> pa.Array:
    """Use an array of machine integers as a column, without a copy."""
    return pa.Array.from_buffers(type_, len(values), [None, pa.py_buffer(values)])


class BetColumns:
    """Rows of bets in columns, until they are written."""

    def __init__(self) -> None:
        self.positions, self.at, self.rounds = array("q"), array("q"), array("q")
        self.places, self.amounts = array("q"), array("q")
        self.hows, self.how = Codes(), array("i")
        #: Where the spots of each row end.
        self.ends, self.spots, self.spot = array("i", [0]), Codes(), array("i")

    def add(self, body: PageBody, positions: Iterable[int], rows: Sequence[BetRow]) -> None:
        """Add some rows of a page, column by column: each takes a fraction of a microsecond."""
        after, played, places, spots, amounts = zip(*map(_FIELDS, rows), strict=True)
        rounds, hows = [play.round for play in body.plays], [self.hows[play.how] for play in body.plays]
        self.positions.extend(positions)
        self.at.extend(map(body.time.__add__, after))
        self.rounds.extend(map(rounds.__getitem__, played))
        self.how.extend(map(hows.__getitem__, played))
        self.places.extend(places)
        self.spot.extend(map(self.spots.__getitem__, chain.from_iterable(spots)))
        self.amounts.extend(chain.from_iterable(amounts))
        self.ends.extend(islice(accumulate(map(len, spots), initial=self.ends[-1]), 1, None))

    def table(self, house: House, venue: str, schema: pa.Schema) -> pa.Table:
        places = _column(self.places, pa.int64()).dictionary_encode()
        known = [house.positions[PositionId(place)] for place in places.dictionary.to_pylist()]
        ends = _column(self.ends, pa.int32())
        columns = [
            Codes({venue: 0}).column(array("i", bytes(4 * len(self.positions)))),
            _column(self.positions, pa.int64()),
            _column(self.at, _INSTANT),
            pa.array([each.table for each in known]).take(places.indices).dictionary_encode(),
            pa.array([each.terminal for each in known]).take(places.indices).dictionary_encode(),
            _column(self.rounds, pa.int64()),
            self.hows.column(self.how),
            pa.ListArray.from_arrays(ends, self.spots.column(self.spot)),
            pa.ListArray.from_arrays(ends, _column(self.amounts, pa.int64())),
        ]
        return pa.Table.from_arrays(columns, schema=schema)


_FIELDS: Final = attrgetter("after", "play", "position", "spots", "amounts")


class BetRows(Rows):
    """The rows of bets: nearly every entry of a journal is one."""

    def __init__(self, out: Path) -> None:
        super().__init__("bets", out)
        self._day, self._columns = Day(0), BetColumns()

    def add_page(self, house: House, venue: str, body: PageBody, *, only_bets: bool) -> None:
        """Add the bets of a page."""
        days = {origin.day for origin in body.origins}
        if only_bets and len(days) == 1:
            self._add(house, venue, days.pop(), body, range(body.first, body.first + len(body.rows)), body.rows)
            return
        numbered = [pair for pair in enumerate(body.rows, start=body.first) if type(pair[1]) is BetRow]
        for day, pairs in groupby(numbered, lambda pair: body.origins[pair[1].origin].day):
            self._add(house, venue, day, body, *zip(*pairs, strict=True))

    def _add(  # noqa: PLR0913, PLR0917 - all that the rows follow from
        self, house: House, venue: str, day: Day, body: PageBody, positions: Iterable[int], rows: Sequence[Any]
    ) -> None:
        if day != self._day or len(self._columns.positions) >= ROWS_PER_GROUP:
            self.finish(house, venue)
            self._day = day
        self._columns.add(body, positions, rows)

    def finish(self, house: House, venue: str) -> None:
        """Write what is left."""
        columns, self._columns = self._columns, BetColumns()
        if columns.positions:
            table = columns.table(house, venue, self.schema)
            self.write_table(self._day, table, columns.positions[0], columns.positions[-1])


class RecordedFlow(CashFlowTotals):
    """The cash flow of a day, which records each amount as a payment."""

    __slots__ = ("_recorder",)

    def __init__(self, recorder: "TableExport") -> None:
        super().__init__()
        self._recorder = recorder

    def add(self, currency: str, flow: CashFlowKind, amount: int) -> None:
        super().add(currency, flow, amount)
        self._recorder.add_payment(flow.value, currency, amount)


class TableExport(Projection):
    """Replays a journal, and adds the rows after the last export to the tables in a directory."""

    def __init__(self, out: Path, venue: str, reader: RulebookReader, since: int = 0) -> None:
        self._venue, self._since = venue, since
        self._rows = {name: Rows(name, out) for name in SCHEMAS if name != "bets"}
        self._bets = BetRows(out)
        wins = HeldWinProjection()
        self._drawers = DrawerProjection(wins)
        self._days = DayProjection(self._drawers)
        self._replay = Replay(House.new(reader), (wins, self._drawers, self._days, self))
        #: What each round that is not over has moved: staked, returned and refunded.
        self._running: dict[tuple[TableId, RoundNumber], Counter[str]] = {}
        self._before: dict[TableId, Counter[str]] = {}
        self._over: set[tuple[TableId, RoundNumber]] = set()
        self._entry: Entry | None = None

    def read(self, verified_page: VerifiedPage) -> None:
        """Apply the next page, and add its rows."""
        replay = self._replay
        only_bets = {*map(type, verified_page.body.rows)} == {BetRow}
        if only_bets:
            apply_page(replay.house, verified_page)
            replay.position = verified_page.page.last
        else:
            for entry in verified_page.entries:
                self._entry = entry
                replay.apply(entry)
        if verified_page.page.first > self._since:
            self._bets.add_page(replay.house, self._venue, verified_page.body, only_bets=only_bets)

    def finish(self) -> dict[str, int]:
        """Write what is left, and return how many rows were written of each table."""
        self._bets.finish(self._replay.house, self._venue)
        for rows in self._rows.values():
            rows.flush()
        for rows in (*self._rows.values(), self._bets):
            rows.fill(self._days.known)
        return {name: self._rows.get(name, self._bets).written for name in SCHEMAS}

    def _add(self, table: str, entry: Entry, *values: object, day: Day | None = None) -> None:
        if entry.position > self._since:
            on = entry.day if day is None else day
            self._rows[table].add(on, self._venue, entry.position, entry.context.now, *values)

    def before_entry(self, house: House, entry: Entry) -> None:
        found = list(concerned(house, entry))
        self._before = {table: _moved(house.tables[table].meters) for table, _ in found}
        self._over = {(table, round_.number) for table, round_ in found if round_ is not None and round_.over}
        if isinstance(entry.event, DayBegan) and house.day in self._days.known:
            self._add_meters(house, entry)

    def after_entry(self, house: House, entry: Entry) -> None:
        match entry.event:
            case DayBegan(day=day):
                self._days.known[day].flow = RecordedFlow(self)
            case DrawerClosed(drawer=drawer):
                shift = self._drawers.last(drawer)
                assert shift.count is not None
                counted, expected, _ = shift.count
                vault = (shift.float_, shift.total(Kind.FILL), shift.total(Kind.DROP))
                cash = (*vault, shift.taken_in, shift.paid_out, expected, counted)
                who = (drawer, shift.cashier, currency_of(house, shift), shift.opened_at)
                self._add("drawers", entry, *who, *cash, day=house.day)
            case IncidentRaised() as raised:
                about = (raised.incident, raised.kind.value, raised.subject, raised.clause, incident_text(raised))
                self._add("incidents", entry, "raised", *about, day=house.day)
            case IncidentCleared() as cleared:
                self._add("incidents", entry, "cleared", cleared.incident, None, None, None, None, day=house.day)
        # A round that has left the state moves no money.
        for table, round_ in [(table, round_) for table, round_ in concerned(house, entry) if round_ is not None]:
            self._add_round(house, entry, table, round_)

    def _add_round(self, house: House, entry: Entry, table: TableId, round_: Round) -> None:
        """Add a round when it is over; what a correction moves later is a row of its own."""
        key, meters = (table, round_.number), house.tables[table].meters
        moved = _moved(meters)
        moved.subtract(self._before[table])
        if not round_.over:
            self._running.setdefault(key, Counter()).update(moved)
            return
        corrected = key in self._over
        if corrected and not any(moved.values()):
            return
        moved.update(self._running.pop(key, Counter()))
        status = "corrected" if corrected else round_.status.value
        rulebook = house.tables[table].rulebook
        result = None if round_.pocket is None else str(round_.pocket)
        what = (table, rulebook.id, rulebook.currency, round_.number, status, result)
        self._add("rounds", entry, *what, moved["staked"], moved["returned"], moved["refunded"], day=house.day)

    def _add_meters(self, house: House, entry: Entry) -> None:
        """Add what the tables' meters have counted on the day that ends."""
        opening, closing = self._days.known[house.day].opening, read_meters(house)
        for table, last in closing.items():
            first = opening.get(table, TableMeters())
            names = ("rounds", "voids", "no_spins", "turnover", "returned", "refunded")
            counted = (getattr(last, name) - getattr(first, name) for name in names)
            self._add("meters", entry, table, house.tables[table].rulebook.currency, *counted, day=house.day)

    def add_payment(self, kind: str, currency: str, amount: int) -> None:
        """Add a movement of money other than by play."""
        entry = self._entry
        assert entry is not None
        who = (entry.context.device, entry.context.person or None)
        self._add("payments", entry, kind, currency, amount, *who, day=self._replay.house.day)


def _moved(meters: TableMeters) -> Counter[str]:
    return Counter(staked=meters.turnover, returned=meters.returned, refunded=meters.refunded)


def export_tables(journal: JournalReader, out: Path, reader: RulebookReader) -> ExportedTables:
    """Add what a journal has since the last export to the tables in a directory, and record how far that is."""
    pages = iter(journal)
    first_page = next(pages, None)
    venue = _venue(first_page)
    found = read_state(out)
    if found is not None and found.venue != venue:
        raise ExportConflictError(f"{out} has the tables of {found.venue}, and this journal is of {venue}")
    since = 0 if found is None else found.position
    export = TableExport(out, venue, reader, since)
    with gc_paused():
        for verified_page in _chained(first_page, pages):
            export.read(verified_page)
            if found is not None and verified_page.page.last == since and verified_page.page.head.hex() != found.head:
                raise ExportConflictError(f"{out} has the tables of another journal of {venue}")
    rows = export.finish()
    if found is not None and journal.head.position < since:
        raise ExportConflictError(f"{out} has entries up to {since}, and this journal ends at {journal.head.position}")
    out.mkdir(parents=True, exist_ok=True)
    state = ExportState(venue, journal.head.position, journal.head.digest.hex())
    write_atomic(out / STATE, msgspec.json.format(msgspec.json.encode(state)) + b"\n")
    return ExportedTables(since + 1, journal.head.position, rows)


def _venue(first_page: VerifiedPage | None) -> str:
    """Read the venue's name from the first entry of its journal."""
    event = None if first_page is None else first_page.entries[0].event
    return str(getattr(event, "venue", ""))


def _chained(first_page: VerifiedPage | None, pages: Iterator[VerifiedPage]) -> Iterator[VerifiedPage]:
    if first_page is not None:
        yield first_page
    yield from pages


def read_state(out: Path) -> ExportState | None:
    """Read how far a directory was written; None for a new one."""
    try:
        return msgspec.json.decode(out.joinpath(STATE).read_bytes(), type=ExportState)
    except FileNotFoundError:
        return None
    except (ValueError, RecursionError) as error:
        raise ExportConflictError(f"{out / STATE} cannot be read: {error}") from error
