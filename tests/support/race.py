"""A race on the real sequencer: round after round of bets against the close, in batches, with a disk that may fail."""

from collections.abc import Iterable
from random import Random
from typing import NamedTuple

from croupier.engine.ports import BatchOutput, Outcome, Ports, Request
from croupier.engine.storage import Storage
from croupier.house import AnyCommand
from croupier.house.credit.notes import GrantPlayMoney
from croupier.house.floor.incidents import ClearIncident
from croupier.house.ids import DeviceId, Number, PersonId, RoundNumber, TableId, TerminalId
from croupier.house.play.betting import BetsChanged, ChangeBet, ClearBets, PlaceBets, RemoveBets
from croupier.house.rounds.closing import BetsClosing, BetsSealed, CloseBets
from croupier.house.rounds.opening import OpenBets
from croupier.house.rounds.referrals import DecideReferral, ReferralDecision, ReferRound
from croupier.house.rounds.results import BallAtRest
from croupier.house.rounds.spinning import BallLaunched, SpinBall
from croupier.house.settings import TableSettings
from croupier.house.state.tables import Phase, RoundStatus, Table
from croupier.journal.checkpoints import Signer
from croupier.journal.disk import JournalFault
from croupier.journal.entry import Entry, IdempotencyKey
from croupier.journal.pages import verify_chain
from croupier.rules.geometry import Pocket, SpotKey
from croupier.rules.money import Cents
from croupier.rules.procedure import CloseRule
from croupier.rules.refusal import Refusal
from croupier.simulation.world import Chance, DiskAnchor, DiskSnapshots, FailingStore, Killed
from tests.conftest import venue
from tests.support.engine_driver import HandClock, done, enrolling, entries_of, provisioning, start

TABLE, SEATS = TableId("R1"), (TerminalId("T1"), TerminalId("T2"))
DEALER, CHIEF, CONSOLE, OFFICE = PersonId("dealer"), PersonId("chief"), DeviceId("console"), DeviceId("office")
RED, SEVENTEEN = SpotKey("red"), SpotKey("17")
BETTING_S = 30
#: In how many scripts the disk fails once; and where it does not.
CRASHES_IN, NEVER = 100, 1_000
#: How many rounds pass between two snapshots.
PICTURED_EVERY = 125
#: Nobody bets on it, so no stake stays up and no layout outlives its round.
ZERO = Pocket("0")
#: More than anybody loses here.
CREDIT = Cents(10**9)

#: What brings the close, as each venue has it, and out of turn.
CLOSES = {
    closes: tuple(each.split() for each in ways)
    for closes, ways in {
        CloseRule.BEFORE_SPIN: ("close launch rest", "tick launch rest", "launch close rest", "close rest launch"),
        CloseRule.BEFORE_OR_DURING_SPIN: (
            "close tick launch rest",
            "launch close tick rest",
            "close close launch rest",
        ),
        CloseRule.AFTER_LAUNCH: ("launch tick rest", "launch close rest", "tick tick rest", "rest launch tick"),
        CloseRule.DURING_SPIN: ("launch close rest", "spin tick rest", "close spin close rest", "spin rest close"),
    }.items()
}
BY_HOUSE = frozenset({"close", "launch", "rest", "spin", "tick"})
EDITS = tuple(f"{seat} {edit}" for seat in (0, 1) for edit in ("17", "17", "red", "change", "remove", "clear"))


class Script(NamedTuple):
    """One order of things: what is done when, after which of them a batch ends, and from where on the disk fails."""

    steps: tuple[str, ...]
    #: A bit for each step.
    ends: int
    fails_from: int


def script(rng: Random, closes: CloseRule) -> Script:
    """Merge some edits of two players into a close, in any order; two come first, so that something is closed."""
    closing = rng.choice(CLOSES[closes])
    edits = rng.choices(EDITS, k=rng.choice((3, 4, 5, 6)))
    places = rng.sample(range(2, len(closing) + len(edits)), len(closing))
    steps = list(edits)
    for place, step in zip(sorted(places), closing, strict=True):
        steps.insert(place, step)
    ends = rng.getrandbits(len(steps)) & rng.getrandbits(len(steps))
    crashes = rng.randrange(CRASHES_IN) == 0
    return Script(tuple(steps), ends, rng.randrange(len(steps)) if crashes else NEVER)


class Race:
    """One house, at which scripts are run as rounds that follow each other."""

    def __init__(self, rulebook_id: str, rng: Random) -> None:
        self.rng, self.clock = rng, HandClock()
        self.chance = Chance(rng, 0)
        self.disk = FailingStore(self.chance)
        self.storage = Storage(self.disk, DiskAnchor(self.chance), DiskSnapshots(self.chance), Signer.new())
        self.rulebook = venue(rulebook_id)
        self.number = self.crashes = self.seen_to = 0
        self.answers: dict[IdempotencyKey, Outcome] = {}
        self._start()
        self._found()

    def publish(self, batch: BatchOutput) -> None:
        """Take answers as they leave, which is all that a player ever learns."""
        for answer in batch.responses:
            requested, outcome = answer.request, answer.outcome
            if requested.key is not None:
                before = self.answers.setdefault(requested.key, outcome)
                assert before == outcome

    def _start(self) -> None:
        self.run_ = start(self.storage, Ports(self.clock, self))

    def _found(self) -> None:
        book = self.rulebook
        people = {DEALER: book.staff.order[0], CHIEF: book.staff.order[-1]}
        done(
            self.run_,
            *provisioning(book, TABLE, SEATS, TableSettings(betting_s=BETTING_S, warning_s=0)),
            *(GrantPlayMoney(seat, CREDIT) for seat in SEATS),
            *enrolling((CONSOLE, OFFICE), people),
        )
        self.run_.take_snapshot()

    @property
    def table(self) -> Table:
        return self.run_.house.tables[TABLE]

    def play(self, script: Script) -> tuple[int, bool]:
        """Play one script as a round; tell how many edits were taken, and whether bets were sealed."""
        self._open()
        self.crashed = False
        pages, game = len(self.disk.stored), (self.table.rounds, self.table.playing.spin.number)
        edits: dict[Request, str] = {}
        for at, step in enumerate(script.steps):
            if step in BY_HOUSE:
                self._close(step)
            else:
                edits[self._edit(step, *game)] = step
            if script.ends >> at & 1:
                self._step(fails=script.fails_from <= at)
        self._step(fails=script.fails_from <= len(script.steps))
        self._ask_again(edits)
        entries = [
            entry
            for page in verify_chain(self.disk.pages(pages), self.disk.stored[pages - 1].journal_head)
            for entry in page.entries
        ]
        taken = self._verify(entries, {requested.key: step for requested, step in edits.items() if requested.key})
        return taken, any(isinstance(entry.event, BetsSealed) for entry in entries)

    def _open(self) -> None:
        """Bring the last round to its end where it has none, see to what was reported, and open the next."""
        rounds = self.table.rounds
        if rounds % PICTURED_EVERY == 0:
            self.run_.take_snapshot()
        if self.table.phase is not Phase.BETWEEN:
            self._by(DEALER, CONSOLE, ReferRound(TABLE, "the race is run"))
            self._by(CHIEF, OFFICE, DecideReferral(TABLE, ReferralDecision.VOID, "the race is run"))
        self._clear()
        self._by(DEALER, CONSOLE, OpenBets(TABLE))
        self.run_.step()
        assert self.table.rounds == rounds + 1
        self.before = {seat: self._worth(seat) for seat in SEATS}

    def _clear(self) -> None:
        """25: where a malfunction voids all plays, staff see to it before another begins (Clearwater)."""
        if self.rulebook.procedure.closes.choice is CloseRule.AFTER_LAUNCH:
            for incident in range(self.seen_to + 1, len(self.run_.house.incidents.all) + 1):
                self._by(DEALER, CONSOLE, ClearIncident(Number(incident)))
            self.seen_to = len(self.run_.house.incidents.all)

    def _worth(self, seat: TerminalId) -> int:
        terminal = self.run_.house.terminals[seat]
        return terminal.credit + terminal.in_play

    def _by(self, person: PersonId, device: DeviceId, command: AnyCommand) -> None:
        self.run_.submit(Request(command, device, person))

    def _edit(self, step: str, round_: RoundNumber, spin: int) -> Request:
        seat, edit = SEATS[int(step[0])], step[2:]
        game = seat, TABLE, round_, spin
        command: AnyCommand
        match edit:
            case "change":
                command = ChangeBet(*game, RED, Cents(200))
            case "remove":
                command = RemoveBets(*game, (SEVENTEEN,))
            case "clear":
                command = ClearBets(*game)
            case spot:
                command = PlaceBets(*game, ((spot, 100),))
        self.number += 1
        requested = Request(command, DeviceId(seat), PersonId(""), IdempotencyKey(self.run_.epoch, self.number))
        self.run_.submit(requested)
        if self.rng.randrange(10) == 0:
            # Asked twice, it is done once.
            self.run_.submit(requested)
        return requested

    def _close(self, step: str) -> None:
        match step:
            case "close":
                self._by(DEALER, CONSOLE, CloseBets(TABLE))
            case "spin":
                self._by(DEALER, CONSOLE, SpinBall(TABLE))
            case "launch":
                self.run_.submit(Request(BallLaunched(TABLE, opposite=True, turning=True), DeviceId(TABLE)))
            case "rest":
                self.run_.submit(Request(BallAtRest(TABLE, ZERO, 9, opposite=True), DeviceId(TABLE)))
            case "tick":
                closes_at, now = self.table.playing.closes_at, self.clock.now()
                self.clock.at += 0 if closes_at is None else max(0, closes_at - now)

    def _step(self, *, fails: bool) -> None:
        """Have a batch taken; where the disk is to fail, it does if anything is written, and another start follows."""
        self.clock.at += 1
        self.chance.per_mille = 1_000 if fails and not self.crashed else 0
        try:
            self.run_.step()
            alive = True
        except (Killed, JournalFault):
            alive = False
        self.chance.per_mille = 0
        if not alive:
            self.crashed = True
            self.crashes += 1
            self._start()

    def _ask_again(self, edits: Iterable[Request]) -> None:
        """Ask again, under its key, for whatever a crash has left unanswered."""
        lost = [requested for requested in edits if requested.key not in self.answers]
        for requested in lost:
            self.run_.submit(requested)
        if lost:
            self.run_.step()

    def _verify(self, entries: list[Entry], edits: dict[IdempotencyKey, str]) -> int:
        """Nothing came after the close, what was acknowledged is all in the seal, and what was refused is nowhere."""
        layouts: dict[TerminalId, dict[str, int]] = {seat: {} for seat in SEATS}
        traces: dict[IdempotencyKey, tuple[int, int]] = {}
        closed = False
        for entry in entries:
            if isinstance(entry.event, BetsChanged):
                assert not closed
                assert entry.cause is not None
                traces[entry.cause.key] = entry.position, entry.position
                lay(layouts[self.run_.house.positions[entry.event.position].terminal], edits[entry.cause.key])
            closed = closed or isinstance(entry.event, BetsClosing)
        for key in edits:
            reported = self.answers[key]
            changed = not isinstance(reported, Refusal) and reported.last >= reported.first
            assert (entries_of(reported) if changed else None) == traces.get(key)
        round_ = self.table.playing
        if round_.sealed is not None:
            sealed = {self.run_.house.positions[each].terminal: stakes for each, stakes in round_.layouts.items()}
            assert sealed == {seat: stakes for seat, stakes in layouts.items() if stakes}
        for seat, stakes in layouts.items():
            lost = sum(stakes.values()) if round_.status is RoundStatus.SETTLED else 0
            assert self._worth(seat) == self.before[seat] - lost
        return len(traces)


def lay(layout: dict[str, int], step: str) -> None:
    """Do to a layout kept by hand what an edit that was taken does."""
    match step[2:]:
        case "change":
            layout["red"] = 200
        case "remove":
            del layout["17"]
        case "clear":
            layout.clear()
        case spot:
            layout[spot] = layout.get(spot, 0) + 100
