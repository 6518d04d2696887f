"""The journal: a committed batch beside a bare insert, an audit, a replay, a start; and a house with a long history."""

import sys
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter_ns

import apsw
from tests.support import engine_driver
from tests.support.engine_driver import done, enrolling, provisioning

from benchmarks.machine import race
from benchmarks.systems import journal_figures
from croupier import rulebook
from croupier.engine.ports import SNAPSHOT_EVERY, Accepted, Request
from croupier.engine.run import Run
from croupier.engine.storage import SNAPSHOT, encode_state, open_storage
from croupier.house import AnyCommand
from croupier.house.credit.drawers import OpenDrawer, RedeemTicket
from croupier.house.credit.notes import GrantPlayMoney
from croupier.house.credit.tickets import Collect, ConfirmPrint, Validation
from croupier.house.floor.malfunctions import ClearCase, RaiseMalfunction
from croupier.house.ids import DeviceId, DrawerId, Number, PersonId, RoundNumber, TableId, TerminalId
from croupier.house.play.betting import ClearBets, PlaceBets
from croupier.house.rounds.closing import CloseBets
from croupier.house.rounds.opening import OpenBets
from croupier.house.rounds.results import BallAtRest
from croupier.house.settings import Mode, TableSettings, WheelKind
from croupier.house.state.records import MalfunctionKind
from croupier.house.verification import books_digest
from croupier.journal.checkpoints import Signer
from croupier.journal.entry import EMPTY_HEAD, Entry, IdempotencyKey, Page
from croupier.journal.keystore import AnchorRecord, KeyStore, MemoryAnchor
from croupier.journal.pages import page_after, verify_chain
from croupier.journal.stores import Store
from croupier.journal.stores.sqlite import SqliteStore
from croupier.journal.writer import PendingEntry, Writer
from croupier.rules.geometry import Pocket, SpotKey
from croupier.rules.money import Cents

ENTRIES = 1_000_000
BATCHES = (100, 1_000)
ROUNDS = 60
INSERT_RATIO_MAX = 1.5
#: Bets replayed and entries audited in a second of processor time, on a machine that does nothing else.
REPLAYED_MIN = 350_000
AUDITED_MIN = 200_000
START_MOST_S = 2
SECOND_NS = 1_000_000_000


class Bare:
    """SQLite with the same settings and nothing else."""

    def __init__(self, path: Path) -> None:
        self._connection = apsw.Connection(str(path))
        for name, value in {"locking_mode": "exclusive", "journal_mode": "wal", "synchronous": "FULL"}.items():
            self._connection.pragma(name, value)
        self._connection.execute("CREATE TABLE page (number INTEGER PRIMARY KEY, lines BLOB NOT NULL) STRICT")
        self._number = 0

    def insert(self, lines: bytes) -> None:
        self._number += 1
        self._connection.execute("INSERT INTO page VALUES (?, ?)", (self._number, lines))


def drafts_of(store: Store) -> list[PendingEntry]:
    """Read committed bets, as many as the largest batch has."""
    pages = list(verify_chain(store.pages(), EMPTY_HEAD))[2:]
    entries = [entry for page in pages for entry in page.entries][: BATCHES[-1]]
    return [PendingEntry(entry.day, entry.context, entry.rulebook, entry.cause, entry.event) for entry in entries]


def batched(folder: Path, drafts: list[PendingEntry]) -> None:
    """Time a commit to store and anchor, and with the encoding of each entry, in turns with the bare insert."""
    safe, now = KeyStore.default_for(folder / f"commit-{len(drafts)}"), drafts[0].context.now
    safe.provision()
    bare = Bare(folder / f"bare-{len(drafts)}.db")
    writer = Writer(SqliteStore(folder / f"commit-{len(drafts)}.db"), AnchorRecord(), safe.anchor(), Signer.new())
    encoder = Writer(SqliteStore(folder / f"encode-{len(drafts)}.db"), AnchorRecord(), MemoryAnchor(), Signer.new())
    first, pages = _pages(drafts), _pages(drafts)
    measured = race(
        {
            "bare": lambda: bare.insert(next(first).body),
            "commit": lambda: writer.commit(next(pages), now),
            "build and commit": lambda: encoder.write(drafts, now),
        },
        rounds=ROUNDS,
    )
    ratio, whole = measured["commit"] / measured["bare"], measured["build and commit"] / measured["bare"]
    verdict = "met" if ratio <= INSERT_RATIO_MAX else "MISSED"
    print(
        f"  {len(drafts):5,} entries committed in {measured['commit']:6,.0f} us, {ratio:4.2f} x the bare insert   "
        f"{INSERT_RATIO_MAX}: {verdict}   ({whole:4.2f} x with every entry encoded and hashed)"
    )


def _pages(drafts: list[PendingEntry]) -> Iterator[Page]:
    """Build pages of the same entries beforehand."""
    pages: list[Page] = []
    for _ in range(ROUNDS):
        mark = pages[-1].journal_head if pages else EMPTY_HEAD
        entries = [Entry(place, 1, *draft) for place, draft in enumerate(drafts, start=mark.position + 1)]
        pages.append(page_after(mark, 1, entries))
    return iter(pages)


def read_back(data: Path) -> None:
    """Read a journal back from its first entry, as a start without a snapshot and an audit do."""
    found = journal_figures(data, KeyStore.default_for(data))
    print(f"  {found.bets:9,} bets of {found.bytes_per_bet:.1f} bytes; one turn of a plain loop {found.loop_ns:.0f} ns")
    for what, rate, least in (
        ("replayed", found.replayed_per_s, REPLAYED_MIN),
        ("audited", found.audited_per_s, AUDITED_MIN),
    ):
        verdict = "met" if rate >= least else "MISSED"
        print(f"  {what:9}{rate:9,.0f} in a second of processor time   {least:,}: {verdict}")


def started(data: Path) -> None:
    """Start from the last snapshot."""
    begin = perf_counter_ns()
    run = start(data)
    took = perf_counter_ns() - begin
    verdict = "met" if took <= START_MOST_S * SECOND_NS else "MISSED"
    entries, tail = run.writer.head.position, run.writer.head.position - run.snapshot_position
    what = f"{entries:9,} entries, {tail:6,} of them after the snapshot"
    print(f"  {what}: started in {took / SECOND_NS:5.2f} s   {START_MOST_S} s: {verdict}")
    run.storage.close()


TABLE = TableId("table 1")
TERMINALS = [TerminalId(f"terminal {number}") for number in range(200)]
SPOTS = 50
#: Commands of each terminal in a round.
BETS_PER_ROUND = 25


def start(data: Path) -> Run:
    """Start the engine on a data directory."""
    return engine_driver.start(open_storage(data, KeyStore.default_for(data)))


def provision(data: Path) -> Run:
    """Start a new venue with 200 terminals at a random wheel."""
    run, book = start(data), rulebook("skycity-adelaide-2003")
    settings = TableSettings(wheel=WheelKind.RANDOM, warning_s=0)
    done(
        run,
        *provisioning(book, TABLE, TERMINALS, settings),
        *(GrantPlayMoney(name, Cents(10**12)) for name in TERMINALS),
    )
    return run


def play(run: Run, entries: int) -> None:
    """Play rounds until the journal has so many entries."""
    spots = list(islice(rulebook("skycity-adelaide-2003").spots, SPOTS))
    while run.writer.head.position < entries:
        done(run, OpenBets(TABLE))
        number = run.house.tables[TABLE].rounds
        for index in range(BETS_PER_ROUND):
            key = IdempotencyKey(run.epoch, number * BETS_PER_ROUND + index)
            for command in _commands(index, number, spots):
                run.submit(Request(command, DeviceId(command.terminal), key=key))
            run.step()
        done(run, CloseBets(TABLE))
        done(run, Request(BallAtRest(TABLE, Pocket("17")), DeviceId(TABLE)))


def _commands(index: int, number: RoundNumber, spots: list[SpotKey]) -> Iterator[PlaceBets | ClearBets]:
    for place, name in enumerate(TERMINALS):
        if index == 0 and place % 5 == 0:
            yield ClearBets(name, TABLE, number, 1)
        else:
            yield PlaceBets(name, TABLE, number, 1, ((spots[(index * 7 + place) % SPOTS], 100),))


def _journal(entries: int) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        data = folder / "data"
        run = provision(data)
        play(run, 2 * BATCHES[-1])
        drafts = drafts_of(run.storage.store)
        print(f"A committed batch beside a bare insert of the same bytes, median of {ROUNDS} in turns")
        for size in BATCHES:
            batched(folder, drafts[:size])
        print("A start from the last snapshot, with nearly as many entries after it as there can be")
        for length in (entries // 10, entries):
            play(run, length)
            play(run, run.snapshot_position + SNAPSHOT_EVERY - 6_000)
            run.storage.close()
            started(data)
            run = start(data)
        run.stop()
        print("The whole journal")
        read_back(data)


TICKETS, CASES = 200_000, 100_000
GROWTH_RATIO_MAX = 1.2
GROWTH_ROUNDS = 15
DRAWER = DrawerId("drawer")
DESK, CONSOLE = DeviceId("desk"), DeviceId("console")
CASHIER, BOSS = PersonId("cashier"), PersonId("boss")
#: So many commands in a batch.
BATCH = 900


def found(data: Path) -> Run:
    """Found a venue whose cashier has a drawer that is never short."""
    run, book = start(data), rulebook("skycity-adelaide-2003")
    done(run, *provisioning(book, TABLE, TERMINALS, TableSettings(wheel=WheelKind.RANDOM, warning_s=0)))
    assert run.house.setup.mode is Mode.DEMO
    done(run, *enrolling((DESK, CONSOLE), {CASHIER: "Cashier", BOSS: "Pit Boss"}))
    done(run, Request(OpenDrawer(DRAWER, Cents(10**10)), DESK, CASHIER))
    done(run, *(GrantPlayMoney(name, Cents(10**8)) for name in TERMINALS))
    return run


def age(run: Run, tickets: int, cases: int) -> None:
    """Pay so many tickets, and clear so many cases."""
    first = TERMINALS[0]
    commands: list[Request] = []

    def submit(command: AnyCommand, device: str, person: str = "") -> None:
        commands.append(Request(command, DeviceId(device), PersonId(person)))
        if len(commands) >= BATCH:
            flush()

    def flush() -> None:
        for request in commands:
            run.submit(request)
        commands.clear()
        while run.sequencer.queued:
            outcomes = [each.outcome for each in run.step().responses]
            refused = next((each for each in outcomes if not isinstance(each, Accepted)), None)
            assert refused is None, refused

    # What is on the meter goes out with the first, and one cent with each after it.
    for sequence in range(run.house.tickets.next_number, run.house.tickets.next_number + tickets):
        submit(GrantPlayMoney(first, Cents(1)), "system")
        submit(Collect(first, Validation(Number(sequence), f"{sequence:064x}", f"{sequence % 10_000:04d}")), first)
        submit(ConfirmPrint(first, Number(sequence)), first)
        submit(RedeemTicket(DRAWER, f"{sequence:064x}"), DESK, CASHIER)
    for number in range(1, cases + 1):
        submit(RaiseMalfunction(first, MalfunctionKind.OPINION, "touch drift"), CONSOLE, BOSS)
        submit(ClearCase(Number(number)), CONSOLE, BOSS)
    flush()


def settle(run: Run) -> None:
    """Play one round on every terminal, and settle it."""
    spots = list(islice(rulebook("skycity-adelaide-2003").spots, 50))
    done(run, OpenBets(TABLE))
    number = run.house.tables[TABLE].rounds
    for place, name in enumerate(TERMINALS[1:]):
        run.submit(Request(PlaceBets(name, TABLE, number, 1, ((spots[place % 50], 100),)), DeviceId(name)))
    run.step()
    done(run, CloseBets(TABLE))


def _growth(tickets: int, cases: int) -> None:
    with TemporaryDirectory() as name:
        folders = {"new": Path(name) / "new", "old": Path(name) / "old"}
        runs = {which: found(folder) for which, folder in folders.items()}
        age(runs["old"], tickets, cases)
        print(f"A house that has paid {tickets:,} tickets and cleared {cases:,} cases, beside a new one; medians in us")
        _report("digest of the books", _raced(runs, lambda run: books_digest(run.house)))
        _report("encode a snapshot", _raced(runs, lambda run: encode_state(run.house, run.sequencer.idempotency)))
        _report("settle 199 terminals", _settled(runs))
        for run in runs.values():
            run.stop()
        sizes = {which: (folder / SNAPSHOT).stat().st_size for which, folder in folders.items()}
        _report("snapshot (bytes)", {which: float(size) for which, size in sizes.items()})
        _report("start", race({which: _starter(folder) for which, folder in folders.items()}, rounds=GROWTH_ROUNDS))


def _raced(runs: dict[str, Run], work: Callable[[Run], object]) -> dict[str, float]:
    return race({which: lambda run=run: work(run) for which, run in runs.items()}, rounds=GROWTH_ROUNDS)  # type: ignore[misc]


def _settled(runs: dict[str, Run]) -> dict[str, float]:
    """Time the result of rounds, in turns."""
    times: dict[str, list[int]] = {which: [] for which in runs}
    for turn in range(GROWTH_ROUNDS):
        for which in list(runs) if turn % 2 else reversed(list(runs)):
            settle(runs[which])
            begin = perf_counter_ns()
            done(runs[which], Request(BallAtRest(TABLE, Pocket("17")), DeviceId(TABLE)))
            times[which].append(perf_counter_ns() - begin)
    return {which: sorted(taken)[len(taken) // 2] / 1000 for which, taken in times.items()}


def _starter(folder: Path) -> Callable[[], object]:
    def started() -> None:
        # What a start writes is taken back by the next one's snapshot: no stop, so that only a start is timed.
        start(folder).storage.close()

    return started


def _report(what: str, measured: dict[str, float]) -> None:
    ratio = measured["old"] / measured["new"]
    verdict = "met" if ratio <= GROWTH_RATIO_MAX else "MISSED"
    figures = f"{measured['new']:12,.0f} -> {measured['old']:12,.0f}   {ratio:4.2f} x"
    print(f"  {what:22} {figures}   {GROWTH_RATIO_MAX}: {verdict}")


if __name__ == "__main__":
    _journal(*map(int, sys.argv[1:2] or (ENTRIES,)))
    _growth(TICKETS, CASES)
