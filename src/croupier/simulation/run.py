"""Runs from seeds, to quiescence."""

from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from random import Random
from typing import Final

from structlog.testing import capture_logs

from croupier.engine.run import recover_state
from croupier.engine.storage import Storage, open_storage
from croupier.house.ids import SECOND, DeviceId, RoundNumber, TableId
from croupier.house.rounds.referrals import DecideReferral, ReferralDecision, ReferRound
from croupier.house.state.tables import Table
from croupier.house.verification import state_digest
from croupier.journal.checkpoints import MemorySnapshots, Signer, verified_statements
from croupier.journal.disk import JournalCorrupt
from croupier.journal.entry import EMPTY_HEAD
from croupier.journal.keystore import KeyStore, check_anchor
from croupier.journal.stores import Store
from croupier.rulebooks.schema import read_canonical
from croupier.rules.procedure import Duty
from croupier.simulation import live, players, staff
from croupier.simulation.checker import InvariantChecker, NullChecker
from croupier.simulation.clients import Network
from croupier.simulation.harness import WORDS, Harness, Menu, SimulatedHost, connected_clients
from croupier.simulation.invariants import InvariantViolation, check_equal, check_not
from croupier.simulation.scenarios import draw_scenario
from croupier.simulation.world import Chance, SimulatedTime

#: How many steps of one second all last responses may take, a round that the dealer ends, and one that is referred.
ANSWERED_WITHIN: Final = 70
ENDED_WITHIN: Final = 25
DECIDED_WITHIN: Final = 12
#: How many such steps the disk may take for the last batch.
DURABLE_WITHIN: Final = 5


def run_to_quiescence(harness: Harness, go_on: Callable[[], None]) -> None:
    """Wait for the last responses, and then for the last rounds."""
    for _ in range(ANSWERED_WITHIN):
        if not _waiting(harness):
            break
        go_on()
    check_not("I24", f"{_waiting(harness)} were never answered", when=bool(_waiting(harness)))
    running = {table.id: table.rounds for table in harness.house.tables.values()}
    _until_over(harness, running, ENDED_WITHIN, _play_on, go_on)
    _until_over(harness, running, DECIDED_WITHIN, _refer, go_on)
    left = _open(harness, running)
    check_not("I24", f"rounds did not end: {left}", when=bool(left))


def _waiting(harness: Harness) -> list[object]:
    return [waiting.message for client in harness.clients.values() for waiting in client.waiting.values()]


def _open(harness: Harness, running: dict[TableId, RoundNumber]) -> list[object]:
    """Return the rounds that ran when faults stopped and are still running."""
    tables = (harness.house.tables[name] for name in running)
    return [
        (each.id, each.round)
        for each in tables
        if each.round and not each.round.over and each.rounds == running[each.id]
    ]


def _until_over(
    harness: Harness,
    running: dict[TableId, RoundNumber],
    most: int,
    action: Callable[[Harness], None],
    go_on: Callable[[], None],
) -> None:
    for _ in range(most):
        if not _open(harness, running):
            return
        action(harness)
        go_on()


def _play_on(harness: Harness) -> None:
    """Let dealer and wheel take their next steps."""
    players.deal(harness)
    players.wheel_reports(harness)


def _end_round(harness: Harness, table: Table) -> None:
    """Play a round to its end, and refer it at times: it may not progress otherwise."""
    players.dealer_step(harness, table)
    players.wheel_step(harness, table)
    if harness.chance(20):
        _refer(harness)


def _refer(harness: Harness) -> None:
    """Refer a round that does not progress to a person with the duty to decide, who calls it void."""
    for table in harness.house.tables.values():
        harness.by(Duty.DEAL, ReferRound(table.id, WORDS))
        harness.by(Duty.DECIDE, DecideReferral(table.id, ReferralDecision.VOID, WORDS))


COUNTS: Final = ("seeds", "steps", "commands", "crashes", "epochs", "settled", "void", "entries")


@dataclass(slots=True)
class RunTotals:
    """How much was simulated, and the responses by kind."""

    seeds: int = 0
    steps: int = 0
    commands: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    crashes: int = 0
    epochs: int = 0
    settled: int = 0
    void: int = 0
    entries: int = 0
    #: The digest of the last journal.
    head: str = ""

    def add(self, other: "RunTotals") -> None:
        for name in COUNTS:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.outcomes += other.outcomes
        self.head = other.head

    def report(self) -> dict[str, object]:
        """Return it as plain values, for programs."""
        return {**{name: getattr(self, name) for name in COUNTS}, "outcomes": dict(self.outcomes), "head": self.head}


#: How many steps a run has, at least and at most.
STEPS: Final = (250, 350)
#: How many of a thousand writes fail in runs with crashes; and in how many of a thousand steps the power fails, and
#: another process takes over.
TROUBLE: Final = 12
POWER_CUTS: Final = 5
TAKEOVERS: Final = 4
#: The step by which the power fails in a run with crashes if nothing has crashed before: each of these runs has a
#: crash.
CRASHED_BY: Final = 200
#: In how many of a thousand steps everything stalls, and for how long.
STALLS: Final = 5
STALL: Final = 150 * SECOND
#: How many of a thousand devices connect again at once after a start.
CONNECTS: Final = 800
#: The time between two steps: mostly short, so that several events coincide.
PAUSES: Final = (0, 0, 1, 1_000, 20_000, 100_000, 500_000, SECOND, 2 * SECOND, 4 * SECOND)
#: How many actors act in one step.
AT_ONCE: Final = (1, 1, 2, 2, 3)
#: The run of one seed in so many is repeated.
REPEATED_EVERY: Final = 2
#: How often the whole state is verified against the journal.
WHOLE_EVERY: Final = 100

ACTORS: Final[Menu] = {
    players.act: 50,
    lambda harness: harness.do_one_of(players.DEALER_ACTIONS): 24,
    lambda harness: harness.do_one_of(players.WHEEL_ACTIONS): 14,
    lambda harness: harness.do_one_of(staff.CASHIER_ACTIONS): 5,
    lambda harness: harness.do_one_of(staff.PIT_ACTIONS): 9,
    lambda harness: harness.do_one_of(staff.ATTACKER_ACTIONS): 7,
}


#: Who acts at a venue with a live table: its dealer and its players with chips have most to do.
LIVE_ACTORS: Final[Menu] = {
    **ACTORS,
    players.act: 25,
    lambda harness: harness.do_one_of(live.LIVE_ACTIONS): 110,
    players.deal: 60,
}


class SimulationRun:
    """A whole venue, run from a seed."""

    def __init__(
        self,
        seed: int,
        *,
        crash: bool,
        live_table: bool = False,
        variants: bool = False,
        checker: type[InvariantChecker] = InvariantChecker,
    ) -> None:
        # The runs of one seed with crashes and without are two different runs.
        self.rng = rng = Random(2 * seed + crash)  # noqa: S311 - it must be reproducible
        self.step = self._met = 0
        self._crash = crash
        self._chance = Chance(rng, 0)
        self.time = SimulatedTime()
        self.network = Network(rng, self.time)
        self.scenario = draw_scenario(rng, live=live_table, variants=variants)
        self._actors = ACTORS if self.scenario.live is None else LIVE_ACTORS
        self._chance.per_mille = TROUBLE if crash else 0
        self.machine = SimulatedHost(self.scenario, self.time, self._chance, checker)
        self.clients = connected_clients(self.scenario, self.machine, self.network, self.time)
        self.harness = Harness(rng, self.scenario, self.machine, self.network, self.time, self.clients)

    def play(self) -> RunTotals:
        """Run to the end; InvariantViolation when an invariant does not hold."""
        self.perform()
        self._read_again()
        return self._totals()

    @property
    def head(self) -> str:
        """The digest of the journal so far."""
        return self.machine.disk.stored[-1].head.hex()

    def perform(self) -> None:
        """Let all actors act for the steps of the run, and then run to quiescence."""
        self._review()
        try:
            with capture_logs():
                self._perform()
        finally:
            self.machine.stop()

    def _perform(self) -> None:
        for _ in range(self.rng.randint(*STEPS)):
            self.step += 1
            self.time.go_by(STALL if self._happens(STALLS) else self.rng.choice(PAUSES))
            for _ in range(self.rng.choice(AT_ONCE)):
                self.harness.do_one_of(self._actors)
            self._fail()
            self._carry_on()
        # From now on nothing fails.
        self._chance.per_mille, self.network.quiescent = 0, True
        self.machine.settle()
        run_to_quiescence(self.harness, self.settle)
        if self.scenario.live is not None:
            live.close_day(self.harness, _end_round, self.settle)
        self.finish()

    def finish(self) -> None:
        """Wait until the last batch is durable: its decisions are in memory before, and are answered after it."""
        for _ in range(DURABLE_WITHIN):
            self.settle()
            if self.machine.process.run.sequencer.consistent:
                return
        raise InvariantViolation("I24", "the last batch did not become durable")

    def _fail(self) -> None:
        """In a run with crashes, now and then cut the power or start a second process."""
        overdue = self.step >= CRASHED_BY and not self.machine.crashes
        if self._crash and (self._happens(POWER_CUTS) or overdue):
            self.machine.crash()
        if self._crash and self._happens(TAKEOVERS):
            self.machine.take_over(in_the_act=self._happens(500))

    def _happens(self, per_mille: int) -> bool:
        return self.rng.randrange(1_000) < per_mille

    def _carry_on(self) -> None:
        """Deliver what has arrived, let the process run, and check all invariants."""
        self._greet()
        for client in self.clients.values():
            client.keep_up(self.machine.process)
        self.network.deliver()
        self.machine.step()
        self.machine.step_stale()
        self._greet()
        self._review()

    def _greet(self) -> None:
        """After a start most devices connect at once; the others do when they notice."""
        process = self.machine.process
        if process.run.epoch == self._met:
            return
        self._met = process.run.epoch
        for client in self.clients.values():
            link = client.link
            if link is not None and link.process is self.machine.stale:
                client.stale_link = link
            elif link is not None:
                link.drop()
            if self._happens(CONNECTS):
                client.connect(process)

    def _review(self) -> None:
        """Verify the journal, the house, and the views of terminals that have received all messages."""
        machine = self.machine
        whole = machine.process.run.sequencer.consistent
        machine.checker.review(machine.house, whole=whole)
        if whole and self.step % WHOLE_EVERY == 0:
            machine.checker.review_whole(machine.house)
        for name in self.scenario.seats:
            client = self.clients[DeviceId(name)]
            link = client.link
            if link is not None and link.is_current and link.process is self.machine.process:
                self.machine.checker.on_view(name, client.state)

    def settle(self) -> None:
        """Let some time pass in which all messages arrive."""
        self.step += 1
        self.time.go_by(SECOND)
        self._carry_on()

    def _read_again(self) -> None:
        """Replay the journal from the beginning and from the last snapshot: both give the current state."""
        machine = self.machine
        machine.checker.answers.hold_all(machine.checker.reading)
        check_anchor(machine.disk, machine.anchor.read())
        verified = sum(
            1 for _ in verified_statements(machine.disk.checkpoints(), machine.storage.signer.verifier, EMPTY_HEAD)
        )
        check_equal("I13", "checkpoints that verify", verified, len(machine.disk.signed))
        live = state_digest(machine.house)
        for slot in (MemorySnapshots(), machine.slot):
            storage = Storage(machine.disk, machine.anchor, slot, machine.storage.signer)
            check_equal("I14", "the state read back", state_digest(recover_state(storage, read_canonical).house), live)

    def _totals(self) -> RunTotals:
        checker, disk = self.machine.checker, self.machine.disk
        return RunTotals(
            seeds=1,
            steps=self.step,
            commands=checker.commands,
            outcomes=checker.answers.outcomes,
            crashes=self.machine.crashes,
            epochs=disk.epoch,
            settled=checker.settled,
            void=checker.void,
            entries=checker.reading.position,
            head=self.head,
        )


def existing(data: Path) -> Path | None:
    """Return the first path that exists already where a run is to be exported; None when the target is free."""
    return next((path for path in (data, KeyStore.default_for(data).path) if path.exists()), None)


def export_run(storage: Storage, data: Path) -> None:
    """Write the whole store of a run to disk, right or wrong, with its anchor and under its own key.

    Its snapshot is not exported: it belongs to no released version.
    """
    key_store = KeyStore.default_for(data)
    key_store.provision(storage.signer)
    with closing(open_storage(data, key_store)) as kept:
        _copy(storage.store, kept.store, storage.signer)
        kept.anchor.write(storage.anchor.read())
        kept.anchor.sync()


def _copy(source: Store, target: Store, signer: Signer) -> None:
    """Copy pages and checkpoints epoch by epoch: a store accepts them in no other order."""
    signed = list(source.checkpoints())[::-1]
    for epoch, pages in groupby(source.pages(), lambda page: page.epoch):
        target.fence(epoch - 1, signer.fence_mac)
        for page in pages:
            target.append(page)
        for each in signed:
            if each.statement().epoch == epoch:
                target.sign(each)


#: Receives the storage of a run when it has ended, with or without a failure.
JournalSink = Callable[[Storage], None]


class SimulationFailure(Exception):  # noqa: N818 - it is a finding, not an error of the program
    """A run has failed: its seed, the step, the invariant that it violates, and the command that repeats it."""

    def __init__(  # noqa: PLR0913 - all that repeats the run
        self,
        run_: SimulationRun,
        seed: int,
        error: Exception,
        *,
        crash: bool,
        live_table: bool = False,
        variants: bool = False,
    ) -> None:
        self.seed, self.crash, self.step = seed, crash, run_.step
        self.invariant = invariant_of(error)
        self.words = error.words if isinstance(error, InvariantViolation) else str(error)
        options = {"--crash": crash, "--live": live_table, "--variants": variants}
        self.command = " ".join([f"croupier simulate --seed {seed}", *(name for name, on in options.items() if on)])
        super().__init__(f"step {self.step}: {self.invariant}: {self.words}\n{self.command}")


def invariant_of(error: Exception) -> str:
    """Return the broken invariant, or the type of the fault when the house could not continue at all."""
    if isinstance(error, InvariantViolation):
        return error.invariant
    return "I13" if isinstance(error, JournalCorrupt) else type(error).__name__


def simulate(
    seed: int,
    *,
    crash: bool,
    live_table: bool = False,
    variants: bool = False,
    keep_journal: JournalSink = lambda _storage: None,
) -> RunTotals:
    """Run one seed; SimulationFailure when it violates an invariant."""
    run_ = SimulationRun(seed, crash=crash, live_table=live_table, variants=variants)
    try:
        totals = run_.play()
        if seed % REPEATED_EVERY == 0:
            again = SimulationRun(seed, crash=crash, live_table=live_table, variants=variants, checker=NullChecker)
            again.perform()
            check_equal("I15", "the journal of the same seed", again.head, run_.head)
    except Exception as error:
        # Report the seed for any exception.
        options = {"crash": crash, "live_table": live_table, "variants": variants}
        raise SimulationFailure(run_, seed, error, **options) from error
    finally:
        keep_journal(run_.machine.storage)
    return totals


def simulate_many(  # noqa: PLR0913 - each has a default
    seeds: Iterable[int],
    *,
    crash: bool,
    live_table: bool = False,
    variants: bool = False,
    progress: Callable[[RunTotals], None] = lambda _totals: None,
    keep_journal: JournalSink = lambda _storage: None,
) -> RunTotals:
    """Run many seeds and add up their totals."""
    total = RunTotals()
    for seed in seeds:
        options = {"crash": crash, "live_table": live_table, "variants": variants}
        total.add(simulate(seed, **options, keep_journal=keep_journal))
        progress(total)
    return total
