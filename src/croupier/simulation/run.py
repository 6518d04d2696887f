"""Runs from seeds, to quiescence."""

from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from random import Random
from typing import Final

from croupier.engine.ports import Request, Response
from croupier.engine.run import recover_state
from croupier.engine.storage import Storage, open_storage
from croupier.house.commands import rounds
from croupier.house.ids import SECOND, RoundNumber, TableId
from croupier.house.verification import state_digest
from croupier.journal.checkpoints import MemorySnapshots, Signer, verified_statements
from croupier.journal.disk import JournalCorrupt
from croupier.journal.entry import EMPTY_HEAD
from croupier.journal.keystore import KeyStore, check_anchor
from croupier.journal.stores import Store
from croupier.rulebooks.schema import read_canonical
from croupier.rules.procedure import Duty
from croupier.simulation import players, staff
from croupier.simulation.checker import InvariantChecker, NullChecker
from croupier.simulation.harness import WORDS, Harness, Menu, SimulatedHost, draw_scenario
from croupier.simulation.invariants import InvariantViolation, check_equal, check_not
from croupier.simulation.world import Chance, Client, Network, Reply, SimulatedTime

#: How many steps of one second everybody's last answer may take, a round at a dealer's hands, and one that is referred.
ANSWERED_WITHIN: Final = 70
ENDED_WITHIN: Final = 25
DECIDED_WITHIN: Final = 12


def run_to_quiescence(harness: Harness, go_on: Callable[[], None]) -> None:
    """Wait for the last answers, and then for the last rounds."""
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
    return [waiting.asked for client in harness.clients.values() for waiting in client.waiting.values()]


def _open(harness: Harness, running: dict[TableId, RoundNumber]) -> list[object]:
    """Name the rounds that ran when calm came and run still."""
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
    """Have dealer and wheel do what comes next."""
    players.dealer_step(harness)
    players.wheel_reports(harness)


def _refer(harness: Harness) -> None:
    """Where a round has stuck, those who may put it before whoever decides, who calls it void."""
    for table in harness.house.tables.values():
        harness.by(Duty.DEAL, rounds.ReferRound(table.id, WORDS))
        harness.by(Duty.DECIDE, rounds.DecideReferral(table.id, rounds.ReferralDecision.VOID, WORDS))


COUNTS: Final = ("seeds", "steps", "commands", "crashes", "epochs", "settled", "void", "entries")


@dataclass(slots=True)
class RunTotals:
    """How much was played, and how it was answered."""

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

    def told(self) -> dict[str, object]:
        """Tell it in plain values, for programs."""
        return {**{name: getattr(self, name) for name in COUNTS}, "outcomes": dict(self.outcomes), "head": self.head}


#: How many steps an evening has, at least and at most.
STEPS: Final = (250, 350)
#: How many of a thousand writes go wrong where crashes are rehearsed; and in how many of a thousand steps the power
#: goes, another machine takes over, a snapshot is kept, and the house takes what waits.
TROUBLE: Final = 12
POWER_CUTS: Final = 5
TAKEOVERS: Final = 4
SNAPSHOTS: Final = 15
STEPPED: Final = 850
#: The step by which the power goes where crashes are rehearsed and nothing has crashed before: none of these evenings
#: goes without a crash.
CRASHED_BY: Final = 200
#: In how many of a thousand steps everything stands still, and for how long.
STALLS: Final = 5
STALL: Final = 150 * SECOND
#: How many of a thousand devices connect again at once after a start, and how many letters go to one that is replaced.
CONNECTS: Final = 800
ASTRAY: Final = 400
#: What passes between two steps: mostly little, so that several things fall together.
PAUSES: Final = (0, 0, 1, 1_000, 20_000, 100_000, 500_000, SECOND, 2 * SECOND, 4 * SECOND)
#: How many act in one step.
AT_ONCE: Final = (1, 1, 2, 2, 3)
#: How often the whole state is held against the journal.
WHOLE_EVERY: Final = 100

CAST: Final[Menu] = {
    players.act: 50,
    lambda harness: harness.do_one_of(players.DEALER_ACTIONS): 24,
    lambda harness: harness.do_one_of(players.WHEEL_ACTIONS): 14,
    lambda harness: harness.do_one_of(staff.CASHIER_ACTIONS): 5,
    lambda harness: harness.do_one_of(staff.PIT_ACTIONS): 9,
    lambda harness: harness.do_one_of(staff.SABOTEUR_ACTIONS): 7,
}


class SimulationRun:
    """A whole house, played from a seed."""

    def __init__(self, seed: int, *, crash: bool, checker: type[InvariantChecker] = InvariantChecker) -> None:
        # Two evenings of one seed, with crashes and without, are two different evenings.
        self.rng = rng = Random(2 * seed + crash)  # noqa: S311 - it must be the same every time
        self.step = self._met = 0
        self._crash = crash
        self._chance = Chance(rng, 0)
        self.time = SimulatedTime()
        self.network = Network(rng, self.time)
        self.bill = draw_scenario(rng)
        self.machine = SimulatedHost(self.time, self._chance, self._post, checker, by_calendar=self.bill.by_calendar)
        self.clients = {device: Client(device, self.network, self.time) for device in self.bill.devices()}
        self.harness = Harness(rng, self.bill, self.machine, self.network, self.time, self.clients)

    def _post(self, answer: Response, epoch: int) -> None:
        if answer.request.key is not None:
            self.network.send(Reply(answer, epoch))

    def play(self) -> RunTotals:
        """Play it to the end; whatever is not as it must be is a Finding."""
        self.perform()
        self._read_again()
        return self._tally()

    @property
    def head(self) -> str:
        """The digest of the journal that it has left so far."""
        return self.machine.disk.stored[-1].head.hex()

    def perform(self) -> None:
        """Let everybody act, until all has come to an end."""
        self._chance.per_mille = TROUBLE if self._crash else 0
        self._found()
        for _ in range(self.rng.randint(*STEPS)):
            self.step += 1
            self.time.go_by(STALL if self._happens(STALLS) else self.rng.choice(PAUSES))
            for _ in range(self.rng.choice(AT_ONCE)):
                self.harness.do_one_of(CAST)
            self._misfortune()
            self._carry_on()
        self._calm_down()
        run_to_quiescence(self.harness, self.settle_down)

    def _found(self) -> None:
        """Set the house up in one batch, as often as it takes for that to be kept."""
        while self.machine.house.mode is None:
            for asked in (*map(Request, self.bill.provisioning()), *self.bill.buying_in()):
                self.machine.submit(asked)
            self.machine.step()
        self.machine.checker.review(self.machine.house)

    def _misfortune(self) -> None:
        """Now and then keep a snapshot; and where crashes are rehearsed, cut the power or start a second machine."""
        if self._happens(SNAPSHOTS):
            self.machine.take_snapshot()
        if self._crash and (self._happens(POWER_CUTS) or self._without_crash()):
            self.machine.crash()
        if self._crash and self._happens(TAKEOVERS):
            self.machine.take_over(in_the_act=self._happens(500))

    def _without_crash(self) -> bool:
        return self.step >= CRASHED_BY and not self.machine.crashes

    def _happens(self, per_mille: int) -> bool:
        return self.rng.randrange(1_000) < per_mille

    def _carry_on(self) -> None:
        """Deliver what has arrived, mostly let the house take a step, and look at everything."""
        for client in self.clients.values():
            client.ask_again()
        self._deliver()
        if self._happens(STEPPED):
            self.machine.step()
        self.machine.step_stale()
        self._greet()
        self.machine.checker.review(self.machine.house)
        if self.step % WHOLE_EVERY == 0:
            self.machine.checker.review_whole(self.machine.house)

    def _greet(self) -> None:
        """After a start most devices connect again, and learn of its epoch; the others do when they are answered."""
        epoch = self.machine.process.run.epoch
        if epoch == self._met:
            return
        self._met = epoch
        for client in self.clients.values():
            if self._happens(CONNECTS):
                client.meet(epoch)

    def _deliver(self) -> None:
        for letter in self.network.arrived():
            if isinstance(letter, Request):
                self.machine.submit(letter, to_stale=self._happens(ASTRAY))
            elif letter.answer.request.device in self.clients:
                self.clients[letter.answer.request.device].hear(letter)

    def _calm_down(self) -> None:
        """From here on nothing goes wrong any more."""
        self._chance.per_mille, self.network.quiescent, self.machine.stale = 0, True, None
        self.machine.room = True

    def settle_down(self) -> None:
        """Let some time go by in which everything arrives."""
        self.step += 1
        self.time.go_by(SECOND)
        self._carry_on()

    def _read_again(self) -> None:
        """Read the journal from the beginning and from the last snapshot: both give the house as it is."""
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

    def _tally(self) -> RunTotals:
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


def taken(data: Path) -> Path | None:
    """Name what is there already where a keepsake is to be."""
    return next((path for path in (data, KeyStore.default_for(data).path) if path.exists()), None)


def export_run(storage: Storage, data: Path) -> None:
    """Write down all that is in an evening's store, right or wrong, with its anchor and under its own key.

    Its snapshot is not kept: it is of no version that was ever released.
    """
    safe = KeyStore.default_for(data)
    safe.provision(storage.signer)
    with closing(open_storage(data, safe)) as kept:
        _copy(storage.store, kept.store, storage.signer)
        kept.anchor.write(storage.anchor.read())
        kept.anchor.sync()


def _copy(source: Store, target: Store, signer: Signer) -> None:
    """Copy pages and checkpoints epoch by epoch: a store takes them in no other order."""
    signed = list(source.checkpoints())[::-1]
    for epoch, pages in groupby(source.pages(), lambda page: page.epoch):
        target.fence(epoch - 1, signer.fence_mac)
        for page in pages:
            target.append(page)
        for each in signed:
            if each.statement().epoch == epoch:
                target.sign(each)


#: Takes what an evening has left, whatever came of it.
Heir = Callable[[Storage], None]


class SimulationFailure(Exception):  # noqa: N818 - the house's word
    """One evening went wrong: which, at which step, what was broken, and how to see it again."""

    def __init__(self, evening: SimulationRun, seed: int, error: Exception, *, crash: bool) -> None:
        self.seed, self.crash, self.step = seed, crash, evening.step
        self.invariant = invariant_of(error)
        self.words = error.words if isinstance(error, InvariantViolation) else str(error)
        self.command = f"croupier rehearse --seed {seed}{' --crash' if crash else ''}"
        super().__init__(f"step {self.step}: {self.invariant}: {self.words}\n{self.command}")


def invariant_of(error: Exception) -> str:
    """Name the invariant that is broken, or the kind of fault where the house could not go on at all."""
    if isinstance(error, InvariantViolation):
        return error.invariant
    return "I13" if isinstance(error, JournalCorrupt) else type(error).__name__


def simulate(seed: int, *, crash: bool, heir: Heir = lambda _storage: None) -> RunTotals:
    """Play one evening; Failure where it shows something that must not be."""
    evening = SimulationRun(seed, crash=crash)
    try:
        tally = evening.play()
        again = SimulationRun(seed, crash=crash, checker=NullChecker)
        again.perform()
        check_equal("I15", "the journal of the same seed", again.head, evening.head)
    except Exception as error:
        # Whatever it was, the seed that shows it is what is wanted.
        raise SimulationFailure(evening, seed, error, crash=crash) from error
    finally:
        heir(evening.machine.storage)
    return tally


def simulate_many(
    seeds: Iterable[int],
    *,
    crash: bool,
    progress: Callable[[RunTotals], None] = lambda _tally: None,
    heir: Heir = lambda _storage: None,
) -> RunTotals:
    """Play many evenings and add up what came of them."""
    total = RunTotals()
    for seed in seeds:
        total.add(simulate(seed, crash=crash, heir=heir))
        progress(total)
    return total
