"""Scenario, simulated host and what actors can do."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Final, TypeVar

import msgspec

from croupier.devices.validation import KEY_BYTES, ValidationNumbers
from croupier.engine.follower import Follower, StateDiffersError
from croupier.engine.ports import Request
from croupier.engine.run import recover_state
from croupier.engine.storage import Storage
from croupier.house import AnyCommand, House
from croupier.house.credit.notes import GrantPlayMoney, InsertNote
from croupier.house.floor.setup import AddTable, AddTerminal, AdoptRulebook, ApproveBuild, CreateHouse, ReportBuild
from croupier.house.floor.staff import EnrolDevice, EnrolPerson
from croupier.house.ids import Day, DeviceId, DeviceKind, PersonId, RoundNumber, TableId, TerminalId
from croupier.house.live.floats import OpenFloat
from croupier.house.settings import (
    LimitBounds,
    LimitSettings,
    LiveSettings,
    Mode,
    Recording,
    TableSettings,
    TerminalSettings,
    WheelKind,
)
from croupier.house.state.tables import Round, Table
from croupier.house.timers import Tick
from croupier.journal.checkpoints import Signer
from croupier.journal.disk import JournalFault
from croupier.journal.entry import IdempotencyKey
from croupier.protocol.inbound import KeyedMessage
from croupier.rulebooks.loader import is_own, load_rulebook, rulebook_ids
from croupier.rulebooks.schema import canonical, read_canonical
from croupier.rules.geometry import EVEN_MONEY, Pocket, SpotKey
from croupier.rules.limits import UnderMinimum
from croupier.rules.money import Cents
from croupier.rules.pricing import PRISONS, CarriedRules, Release, ZeroEffect, ZeroRule
from croupier.rules.procedure import ChannelName, Duty
from croupier.rules.refusal import CitedChoice, Refusal
from croupier.rules.rulebook import Rulebook
from croupier.server.auth.sessions import CredentialVerifier
from croupier.server.views.floor import DUTIES
from croupier.simulation.checker import InvariantChecker
from croupier.simulation.clients import DOUBLED, Client, Identity, Network, message_of, password_of
from croupier.simulation.invariants import check_not
from croupier.simulation.process import PlainHasher, Process, SimulatedCredentials
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


#: The colours of the chips of a live table.
COLOURS: Final = ("blue", "green", "yellow")
#: Value chips in a float: some with which every amount can be paid, and some that need rounding.
DENOMINATIONS: Final = (
    (Cents(100), Cents(500), Cents(2_500), Cents(10_000)),
    (Cents(500), Cents(2_500), Cents(10_000)),
)
#: The chips of each value in a float, and in a fill.
FLOAT: Final = 200
#: One run in so many has a live table, where the rules have one.
LIVE_EVERY: Final = 3
#: One run in so many has connected consoles.
CONSOLES_EVERY: Final = 8
TODAY: Final = Day(20261115)
VERSION: Final = "simulated"
#: All records of a run: the invariant checker verifies every record against its own.
RECORDS_KEPT: Final = 1_000_000
#: One credit, the least chip and notes at every terminal.
OFFERS: Final = TerminalSettings(denominations=(Cents(1), Cents(50)))


@dataclass(frozen=True, slots=True)
class Scenario:
    """The venue, the people and the settings of one run."""

    rulebook: Rulebook
    mode: Mode
    tables: tuple[TableId, ...]
    seats: tuple[TerminalId, ...]
    settings: TableSettings
    ticket_days: int | None
    #: Whether gaming days follow the clock, or are named by hand.
    by_calendar: bool
    #: Whether staff work at connected consoles. Console views cost more than everything else together, so in most runs
    #: the commands of staff are submitted to the commit loop.
    has_consoles: bool
    #: The settings of a live table, if there is one: it is the last of the tables.
    live: TableSettings | None = None
    #: Whether terminals are at the wheel of the live table too.
    is_mixed: bool = False

    @property
    def people(self) -> tuple[tuple[PersonId, str], ...]:
        """Two people of every title."""
        staff = self.rulebook.staff
        return tuple(
            (PersonId(f"{title.lower()} {n}"), title) for title in (*staff.order, *staff.others) for n in (1, 2)
        )

    def staff(self, duty: Duty) -> list[PersonId]:
        """Return the people who have a duty, the lowest title first; empty when no title has it at this venue."""
        titles = self.rulebook.staff.titles_for(duty)
        return [person for title in titles for person, has in self.people if has == title]

    @property
    def spots(self) -> tuple[SpotKey, ...]:
        return tuple(self.rulebook.spots)

    @property
    def pot_spots(self) -> tuple[SpotKey, ...]:
        """The bet that wins a pot, where there is one."""
        rules = self.rulebook.paytable.progressive
        spots = self.rulebook.spots.items()
        return tuple(key for key, spot in spots if rules is not None and spot.kind == rules.kind)

    def devices(self) -> list[DeviceId]:
        """List the devices that connect: terminals, and in some runs consoles."""
        people = self.people if self.has_consoles else ()
        return [*map(DeviceId, self.seats), *(console_of(person) for person, _ in people)]

    def kind_of(self, person: PersonId | None) -> DeviceKind:
        """Return the kind of console at which a person works; a terminal for None."""
        if person is None:
            return DeviceKind.TERMINAL
        title, staff = dict(self.people)[person], self.rulebook.staff
        kinds = (kind for kind, duties in DUTIES.items() if any(title in staff.titles_for(duty) for duty in duties))
        return next(kinds, DeviceKind.PIT)

    def provisioning(self) -> list[AnyCommand]:
        """Return the commands that set the house up, in order."""
        book = self.rulebook
        return [
            CreateHouse(self.mode, book.venue, "UTC", self.ticket_days, RECORDS_KEPT),
            *([] if self.by_calendar else [Tick(TODAY)]),
            AdoptRulebook(canonical(book)),
            *(AddTable(table, book.digest, self.settings_of(table)) for table in self.tables),
            *(AddTerminal(seat, self._tables_of(seat), OFFERS) for seat in self.seats),
            *self._float(),
            *(EnrolPerson(person, (title,)) for person, title in self.people),
            *(EnrolDevice(console_of(person)) for person, _ in self.people),
            ApproveBuild(VERSION, "letter"),
            ReportBuild(VERSION),
        ]

    def _float(self) -> list[AnyCommand]:
        """Open the float of the live table, as a configuration may; otherwise staff do."""
        if self.live is None or self.live.live is None or self.by_calendar:
            return []
        chips = tuple((value, FLOAT) for value in self.live.live.denominations)
        return [OpenFloat(self.tables[-1], chips, "S1")]

    def buying_in(self) -> list[Request]:
        """Return the commands that put some money on every meter: notes, or play money."""
        note = OFFERS.notes[-1]
        if self.mode is Mode.DEMO:
            return [Request(GrantPlayMoney(seat, Cents(5 * note))) for seat in self.seats]
        return [Request(InsertNote(seat, self.rulebook.currency, note), DeviceId(seat)) for seat in self.seats * 5]

    def _tables_of(self, seat: TerminalId) -> tuple[TableId, ...]:
        """The last seat plays at one table, and the others at as many as there are; at a live one if it is mixed."""
        if self.live is not None:
            return self.tables[-1:] if self.is_mixed else self.tables[:1]
        return self.tables[:1] if seat == self.seats[-1] else self.tables

    def settings_of(self, table: TableId) -> TableSettings:
        """Return the settings of a table when it is added."""
        return self.live if self.live is not None and table == self.tables[-1] else self.settings


def console_of(person: PersonId) -> DeviceId:
    """Return the console of a person."""
    return DeviceId(f"{person}'s console")


def draw_scenario(rng: Random, *, live: bool = False) -> Scenario:
    """Choose a venue and its settings; with a live table, one whose rules have it."""
    books = [book for book in map(load_rulebook, rulebook_ids()) if isinstance(book, Rulebook)]
    able = [book for book in books if not live or ChannelName.TABLE in book.channels]
    # A run in three is played by rules of our own. That takes no draw of the stream: a seed is the same run otherwise.
    fork = Random(repr(rng.getstate()))  # noqa: S311 - it must be the same for one seed
    rulebook = rng.choice([book for book in able if not is_own(book.id)])
    if fork.randrange(3) == 0:
        rulebook = fork.choice([book for book in able if is_own(book.id)])
    games = rulebook.terminal.games
    tables = tuple(TableId(f"table {number}") for number in range(1, 1 + (games.value if games else 1)))
    # A venue without terminals of its own can only be demonstrated.
    real = ChannelName.TERMINAL in rulebook.channels and rng.randrange(2)
    scenario = Scenario(
        rulebook,
        Mode.REAL if real else Mode.DEMO,
        tables,
        tuple(TerminalId(f"seat {number}") for number in (1, 2, 3)),
        _settings(rng),
        rng.choice([None, 1]),
        bool(rng.randrange(2)),
        rng.randrange(CONSOLES_EVERY) == 0,
    )
    if ChannelName.TABLE in rulebook.channels and (live or rng.randrange(LIVE_EVERY) == 0):
        return _with_live_table(rng, scenario)
    return replace(scenario, rulebook=random_zeros(fork, rulebook)) if is_own(rulebook.id) else scenario


def random_zeros(rng: Random, rulebook: Rulebook) -> Rulebook:
    """Change in half of the runs what zeros do with bets, and which bets win only in two spins in a row."""
    if rng.randrange(2):
        return rulebook
    paytable = rulebook.paytable
    pot = None if paytable.progressive is None else paytable.progressive.kind
    twice = frozenset(kind for kind in paytable.prices if rng.randrange(6) == 0 and kind != pot)
    even = tuple(kind for kind in EVEN_MONEY if kind in paytable.prices and kind not in twice)
    zeros = tuple(
        ZeroRule(zero, paytable.clause, even, rng.choice([*ZeroEffect])) for zero in rulebook.wheel.zeros if even
    )
    prices = {kind: replace(price, twice=kind in twice) for kind, price in paytable.prices.items()}
    release = CitedChoice(rng.choice([*Release]), paytable.clause)
    carried = CarriedRules(paytable.clause, release) if twice or any(zero.does in PRISONS for zero in zeros) else None
    changed = replace(paytable, prices=prices, zeros=(*zeros, *paytable.zeros), carried=carried)
    return read_canonical(canonical(replace(rulebook, paytable=changed)))


def _with_live_table(rng: Random, scenario: Scenario) -> Scenario:
    """Add a live table: in half of the runs terminals are at its wheel, in the others at a table of their own."""
    mixed, table = bool(rng.randrange(2)), TableId("live table")
    settings = msgspec.structs.replace(
        scenario.settings,
        live=_live_settings(rng, scenario.rulebook),
        limits=_chip_limits(scenario.rulebook),
        wheel=rng.choice([WheelKind.SENSOR, WheelKind.KEYPAD]),
        confirms=True,
        # A dealer opens each round.
        pause_s=None,
    )
    tables = (table,) if mixed else (*scenario.tables[:1], table)
    # The consoles of a simulated person are of one kind, and few people at a live table have one duty.
    return replace(scenario, tables=tables, live=settings, is_mixed=mixed, has_consoles=False)


def _settings(rng: Random) -> TableSettings:
    bounded = LimitSettings(LimitBounds(Cents(100), Cents(5_000)), total=LimitBounds(None, Cents(20_000)))
    return TableSettings(
        wheel=rng.choice(list(WheelKind)),
        confirms=bool(rng.randrange(2)),
        betting_s=rng.choice([None, 10, 20]),
        limits=rng.choice([LimitSettings(), bounded]),
        pause_s=rng.choice([None, 2]),
        warning_s=rng.choice([0, 3]),
        attest_s=rng.choice([0, 20]),
        offline_grace_s=3,
        session_idle_s=20,
        decision_s=10,
        rest_s=30,
    )


def _live_settings(rng: Random, rulebook: Rulebook) -> LiveSettings:
    """Choose the settings of play with chips."""
    # Where markers are for designated players, or few, most players meet a refusal.
    bounded = rng.randrange(4) == 0
    return LiveSettings(
        recording=Recording.SUPERVISED if rng.randrange(4) == 0 else Recording.FULL,
        denominations=rng.choice(DENOMINATIONS),
        circulating=(Cents(100),),
        emblem="anchor",
        colours=COLOURS,
        pieces=rng.choice((60, 300, 1_000)),
        multiples=rulebook.channels[ChannelName.TABLE].notice is not None and rng.randrange(3) == 0,
        markers_per_number=2 if bounded else None,
        markers_per_spin=4 if bounded else None,
        designated_only=bounded,
        cash_from=rng.choice((None, 40)),
    )


def _chip_limits(rulebook: Rulebook) -> LimitSettings:
    """Choose limits: where a bet under the minimum is honoured once, one that value chips can be under."""
    honoured = rulebook.channels[ChannelName.TABLE].under_minimum.choice is UnderMinimum.HONOUR_ONCE
    return LimitSettings(LimitBounds(Cents(200), Cents(2_000)) if honoured else LimitBounds(Cents(100), Cents(400)))


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
            return self.any(rulebook.wheel.zeros)
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
