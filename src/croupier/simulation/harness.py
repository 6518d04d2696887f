"""Scenario, simulated host and what actors can do."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Final, TypeVar

from croupier.devices.validation import KEY_BYTES, ValidationNumbers
from croupier.engine.follower import Follower, StateDiffersError
from croupier.engine.ports import Request
from croupier.engine.run import recover_state
from croupier.engine.storage import Storage
from croupier.house import AnyCommand, House
from croupier.house.ids import DeviceId, PersonId, RoundNumber, TableId, TerminalId
from croupier.house.state.tables import Round, Table
from croupier.journal.checkpoints import Signer
from croupier.journal.disk import JournalFault
from croupier.journal.entry import IdempotencyKey
from croupier.protocol.inbound import KeyedMessage
from croupier.rulebooks.schema import read_canonical
from croupier.rules.geometry import Pocket
from croupier.rules.procedure import Duty
from croupier.rules.refusal import Refusal
from croupier.server.auth.sessions import CredentialVerifier
from croupier.simulation.checker import InvariantChecker
from croupier.simulation.clients import DOUBLED, Client, Identity, Network, message_of, password_of
from croupier.simulation.invariants import check_not
from croupier.simulation.process import PlainHasher, Process, SimulatedCredentials
from croupier.simulation.scenarios import Scenario, console_of
from croupier.simulation.world import Chance, DiskAnchor, DiskSnapshots, FailingStore, Killed, SimulatedTime

#: How many of a hundred reports of a driver are lost, and how many requests are also sent to a replaced process.
LOST: Final = 4
ASTRAY: Final = 40
#: How many of a thousand jobs on a thread do not finish in the step in which they began.
SLOW: Final = 100


class SimulatedHost:
    """A disk, the process that writes on it, and the one that follows it and writes snapshots."""

    process: Process

    def __init__(
        self,
        scenario: "Scenario",
        time: SimulatedTime,
        chance: Chance,
        checker: type[InvariantChecker] = InvariantChecker,
    ) -> None:
        self.time, self.by_calendar, self._rng = time, scenario.by_calendar, chance.rng
        self._chance = chance
        self.provisioning = (*map(Request, scenario.provisioning()), *scenario.buying_in())
        self.disk, self.anchor, self.slot = FailingStore(chance), DiskAnchor(chance), DiskSnapshots(chance)
        self.storage = Storage(self.disk, self.anchor, self.slot, Signer.new())
        self.checker = checker(self.disk)
        #: Files beside the journal: a crash does not change them.
        self.numbers = ValidationNumbers(bytes(KEY_BYTES))
        self.verifier = CredentialVerifier(SimulatedCredentials(), PlainHasher())
        self.verifier.configure({person: password_of(person) for person, _ in scenario.people})
        #: Whether the disk has room, and whether it is never slow.
        self.room, self.quiescent = True, False
        self.crashes = 0
        #: The snapshot process; None while it is dead.
        self.follower: Follower | None = None
        #: A process that still runs after another has taken over, until the fence stops it.
        self.stale: Process | None = None
        self._start()

    @property
    def house(self) -> House:
        return self.process.run.house

    def submit(self, request: Request) -> None:
        """Submit a request of a driver or of the house itself."""
        if self.process.alive:
            self.process.submit(request)

    def step(self) -> None:
        """Let the process run; one that cannot write any more is replaced by a new start."""
        self.process.advance(self._slow)
        if not self.process.alive:
            self.crash()
        self.follow()

    def follow(self) -> None:
        """Let the snapshot process look for pages, or begin anew; it may be killed at any page and while it writes."""
        signer = self.storage.signer
        try:
            if self.follower is None:
                self.follower = Follower.of_journal(self.disk, self.slot, signer.verifier, read_canonical)
            self.follower.follow(signer.sign_snapshot, self._risk_follower)
        except Killed:
            self.follower = None
        except StateDiffersError as fault:
            check_not("I14", f"{fault}", when=True)

    def _risk_follower(self) -> None:
        if self._chance.strikes():
            raise Killed("while it followed the journal")

    def _slow(self) -> bool:
        return not self.quiescent and self._rng.randrange(1_000) < SLOW

    def step_stale(self) -> None:
        """Let a replaced process run on: it may refuse commands, and may not write."""
        if self.stale is not None:
            self.stale.advance(self._slow)
            if not self.stale.alive:
                self._stop_stale()

    def settle(self) -> None:
        """From now on the disk has room and is fast, and no other process runs."""
        self.room = self.quiescent = True
        self._stop_stale()

    def stop(self) -> None:
        """End its processes."""
        self._stop_stale()
        self.process.stop()

    def _stop_stale(self) -> None:
        if self.stale is not None:
            self.stale.stop()
        self.stale = None

    def crash(self) -> None:
        """Kill the process, and start another from what is durable on the disk."""
        self.process.died()
        self.crashes += 1
        self.anchor.crash()
        self.slot.crash()
        self._start()

    def take_over(self, *, in_the_act: bool) -> None:
        """Start another process while this one still runs, and may write after its journal was read."""
        old = self.process
        self._start(self._last_act if in_the_act else None)
        if old.alive and old is not self.process:
            self._stop_stale()
            old.is_stale, self.stale = True, old

    def _last_act(self) -> None:
        self.process.advance(self._slow)
        if not self.process.alive:
            self.process.died()

    def _start(self, meanwhile: Callable[[], None] | None = None) -> None:
        recovered = recover_state(self.storage, read_canonical)
        if meanwhile is not None:
            meanwhile()
        process, pages = Process(self), len(self.disk.stored)
        try:
            process.begin(recovered)
        except (Killed, JournalFault):
            if len(self.disk.stored) > pages:
                self.checker.on_request(process.decided)
            self._restart()
        else:
            self.process = process

    def _restart(self) -> None:
        self.crashes += 1
        self.anchor.crash()
        self.slot.crash()
        self._start()


Value = TypeVar("Value")
#: An action, and how often it is chosen.
Menu = Mapping[Callable[["Harness"], None], int]

#: The text wherever a command needs one.
WORDS: Final = "as simulated"


@dataclass(slots=True)
class Harness:
    """The house, its network and all devices, as the next actor sees them."""

    rng: Random
    scenario: Scenario
    machine: SimulatedHost
    network: Network
    time: SimulatedTime
    clients: dict[DeviceId, Client]
    #: The numbers drawn by random wheels: once for a round.
    drawn: dict[tuple[TableId, RoundNumber], Pocket] = field(default_factory=dict)
    #: How many commands drivers have submitted for each device.
    driven: dict[DeviceId, int] = field(default_factory=dict)
    #: The messages sent over the network, for the replay attacker.
    overheard: list[tuple[Client, KeyedMessage]] = field(default_factory=list)

    @property
    def house(self) -> House:
        return self.machine.house

    def any(self, values: Sequence[Value]) -> Value:
        return self.rng.choice(values)

    def one_of(self, *commands: AnyCommand) -> AnyCommand:
        return self.any(commands)

    def chance(self, percent: int) -> bool:
        return self.rng.randrange(100) < percent

    def do_one_of(self, menu: Menu) -> None:
        """Choose an action from a menu, and do it."""
        (action,) = self.rng.choices(list(menu), list(menu.values()))
        action(self)

    def table(self) -> Table:
        """Choose a table: mostly the live one, if there is one."""
        live = self.scenario.live is not None and self.chance(60)
        return self.house.tables[self.scenario.tables[-1] if live else self.any(self.scenario.tables)]

    def seat(self) -> TerminalId:
        return self.any(self.scenario.seats)

    def pocket(self) -> Pocket:
        """Draw where the ball comes to rest: often a number that players like to bet on, or a zero if it imprisons."""
        rulebook = self.scenario.rulebook
        if rulebook.paytable.carried is not None and self.chance(30):
            return self.any(rulebook.wheel.zeros or rulebook.pockets)
        return Pocket("17") if self.chance(25) else self.any(rulebook.pockets)

    def past_round(self, table: Table) -> Round | None:
        """Pick the running round, or one of the last."""
        rounds = [*table.past, table.round][-3:]
        return self.any(rounds) if rounds else None

    def ask(self, device: str, command: AnyCommand, person: PersonId = PersonId("")) -> None:
        """Send a command as its device does: over its connection, or by its driver."""
        client = self.clients.get(DeviceId(device))
        message = message_of(command, self.house, self.machine.numbers.number)
        if client is None or message is None or (person != client.person and not client.is_terminal):
            self.drive(device, command, person)
            return
        sent = client.ask(message)
        if sent is not None:
            self.overheard.append((client, sent))
            if self.chance(ASTRAY):
                client.send_copy(sent, to_stale=True)

    def drive(self, device: str, command: AnyCommand, person: PersonId = PersonId("")) -> None:
        """Let a device's driver submit a command; it may arrive late, twice or not at all."""
        request = Request(command, DeviceId(device), person, self._next_key(DeviceId(device)))
        for _ in range(0 if self.network.happens(LOST) else 2 if self.network.happens(DOUBLED) else 1):
            self.network.send(lambda: self.machine.submit(request))

    def _next_key(self, device: DeviceId) -> IdempotencyKey | None:
        """Return the next key of a device; None when its client counts its own."""
        if device in self.clients:
            return None
        self.driven[device] = self.driven.get(device, 0) + 1
        return IdempotencyKey(self.machine.process.run.epoch, self.driven[device])

    def by(self, duty: Duty, command: AnyCommand) -> None:
        """Send a command as one of the people who have the duty, mostly of the lowest title, at their own console."""
        staff = self.scenario.staff(duty)
        if staff:
            person = self.any(staff[:2] if self.chance(80) else staff)
            self.ask(console_of(person), command, person)

    def system(self, command: AnyCommand) -> None:
        """Submit a command of the house itself: without a network and without a key."""
        self.machine.submit(Request(command))


def connected_clients(
    scenario: Scenario, machine: SimulatedHost, network: Network, time: SimulatedTime
) -> dict[DeviceId, Client]:
    """Enrol the terminals and all consoles, and create a client for each."""
    people = {console_of(person): person for person, _ in scenario.people}
    kinds = {device: scenario.kind_of(people.get(device)) for device in scenario.devices()}
    keys = machine.verifier.credential_store.enrol(kinds)
    assert not isinstance(keys, Refusal)
    identities = (Identity(device, kinds[device], people.get(device, PersonId("")), keys[device]) for device in kinds)
    return {each.device: Client(each, network, time, machine.checker.on_answer) for each in identities}
