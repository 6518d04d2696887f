"""Growth: a house with a long history beside a new one, at the same work: a snapshot, a settlement and a start."""

import sys
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter_ns

from tests.support import engine_driver
from tests.support.engine_driver import done, enrolling, provisioning

from benchmarks.clock import race
from croupier import rulebook
from croupier.engine.ports import Accepted, Request
from croupier.engine.run import Run
from croupier.engine.storage import SNAPSHOT, encode_state, open_storage
from croupier.house import AnyCommand
from croupier.house.credit.drawers import OpenDrawer, RedeemTicket
from croupier.house.credit.notes import GrantPlayMoney
from croupier.house.credit.tickets import Collect, ConfirmPrint, Validation
from croupier.house.floor.malfunctions import ClearCase, RaiseMalfunction
from croupier.house.ids import DeviceId, DrawerId, Number, PersonId, TableId, TerminalId
from croupier.house.play.betting import PlaceBets
from croupier.house.rounds.closing import CloseBets
from croupier.house.rounds.opening import OpenBets
from croupier.house.rounds.results import BallAtRest
from croupier.house.settings import Mode, TableSettings, WheelKind
from croupier.house.state.records import MalfunctionKind
from croupier.house.verification import books_digest
from croupier.journal.keystore import KeyStore
from croupier.rules.geometry import Pocket
from croupier.rules.money import Cents

TICKETS, CASES = 200_000, 100_000
RATIO_MAX = 1.2
ROUNDS = 15
TABLE, DRAWER = TableId("table 1"), DrawerId("drawer")
TERMINALS = [TerminalId(f"terminal {number}") for number in range(200)]
DESK, CONSOLE = DeviceId("desk"), DeviceId("console")
CASHIER, BOSS = PersonId("cashier"), PersonId("boss")
#: So many commands in a batch.
BATCH = 900


def start(data: Path) -> Run:
    return engine_driver.start(open_storage(data, KeyStore.default_for(data)))


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


def main(tickets: int, cases: int) -> None:
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
        _report("start", race({which: _starter(folder) for which, folder in folders.items()}, rounds=ROUNDS))


def _raced(runs: dict[str, Run], work: Callable[[Run], object]) -> dict[str, float]:
    return race({which: lambda run=run: work(run) for which, run in runs.items()}, rounds=ROUNDS)  # type: ignore[misc]


def _settled(runs: dict[str, Run]) -> dict[str, float]:
    """Time the result of rounds, in turns."""
    times: dict[str, list[int]] = {which: [] for which in runs}
    for turn in range(ROUNDS):
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
    verdict = "met" if ratio <= RATIO_MAX else "MISSED"
    figures = f"{measured['new']:12,.0f} -> {measured['old']:12,.0f}   {ratio:4.2f} x"
    print(f"  {what:22} {figures}   {RATIO_MAX}: {verdict}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3] or (TICKETS, CASES)))
