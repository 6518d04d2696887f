"""A random walk without an engine: a house that gets commands directly, at random, with an auditor beside it.

The simulation's actors ask through the server, and for what there is. Here they ask for what there is not as well, on
devices of strangers and of unknown tables, tickets and cases, and go on from older copies, at every venue in turn.
"""

from datetime import date, timedelta
from random import Random
from typing import Any, Final

import msgspec

from croupier.house import AnyCommand
from croupier.house.credit.drawers import BuyIn, CloseDrawer, CountDrawer, OpenDrawer, RedeemTicket
from croupier.house.credit.held_wins import PayHeldWin, RecordTaxForm, ReleaseHeldWin
from croupier.house.credit.notes import GrantPlayMoney, InsertNote
from croupier.house.credit.sessions import AdjustCredit
from croupier.house.credit.tickets import (
    Collect,
    ConfirmPrint,
    InsertTicket,
    ReleaseTicket,
    ReportLost,
    ReprintTicket,
    Validation,
    VoidTicket,
)
from croupier.house.declare import Decision
from croupier.house.floor.incidents import ClearIncident
from croupier.house.floor.malfunctions import ClearCase, ConfirmBets, RaiseMalfunction, VoidBets
from croupier.house.floor.service import (
    CloseTable,
    CloseTerminal,
    NotifyOfficer,
    ReopenTable,
    ReopenTerminal,
    ReportTerminalLost,
    ReportTerminalReturned,
)
from croupier.house.floor.settings import ChangeSettings
from croupier.house.floor.signatures import Approve, ProposalMade, Withdraw
from croupier.house.ids import SECOND, Day, DeviceId, DrawerId, Instant, Number, PersonId, RoundNumber, TerminalId
from croupier.house.live.arrangements import ArrangeVip
from croupier.house.play.betting import (
    ChangeBet,
    ChooseDenomination,
    ClearBets,
    DoubleBets,
    MoveBet,
    PlaceBets,
    PressNeighbours,
    RemoveBets,
    RepeatBets,
    UndoBet,
)
from croupier.house.play.patterns import SavePattern
from croupier.house.rounds.closing import CloseBets
from croupier.house.rounds.corrections import CorrectResult, InvalidateOutcome
from croupier.house.rounds.irregularities import CallNoSpin, ResetTerminals, WheelTrouble
from croupier.house.rounds.opening import OpenBets
from croupier.house.rounds.recovery import AcceptHistory, RaiseSystemMalfunction, Recover
from croupier.house.rounds.referrals import DecideReferral, ReferralDecision, ReferRound
from croupier.house.rounds.results import AttestResult, BallAtRest, ConfirmResult, EnterResult
from croupier.house.rounds.spinning import BallLaunched, BallLeftTrack, SpinBall
from croupier.house.settings import LimitBounds, LimitSettings, TableSettings, TerminalSettings, WheelKind
from croupier.house.state.records import MalfunctionKind
from croupier.house.state.tables import Phase, Table
from croupier.house.timers import Tick, due
from croupier.rules.geometry import Pocket, SpotKey, SpotKind
from croupier.rules.money import Cents
from croupier.rules.procedure import CreditOut, Duty, Reason
from croupier.transcripts.driver import device_of
from tests.support.audited import Audited
from tests.support.house_driver import cents
from tests.support.sample_commands import CLEARWATER, US, WORDS

SPOTS: Final = ("17", "18", "0", "red", "black", "1/2", "0/1/2", "dozen 1", "column 3")
BETS: Final = (
    *(*SPOTS, "00", "1/5", "5/4", "37", "neighbours 22", "neighbours 22 by 3", "neighbours 5 by 9", "voisins"),
    *(
        "big series",
        "finale 7",
        "finale 11",
        "complete 2",
        "complete 2 by 2",
        "neighbours 22 by 2",
        "red-snake",
        "courtesy-line",
    ),
    *("voisins 3", ""),
)
AMOUNTS: Final = (100, 100, 200, 300, 400, 50, 500, 3_500, 10_000, 0, -100, 125)
BUTTONS: Final = (UndoBet, UndoBet, ClearBets, RepeatBets, DoubleBets)
POCKETS: Final = tuple(map(Pocket, ("17", "17", "17", "18", "0", "1", "2")))
_RED: Final = (SpotKind("red"), LimitBounds(Cents(300), Cents(9_000)))
LIMITS: Final = LimitSettings(LimitBounds(Cents(100), Cents(5_000)), (_RED,), LimitBounds(Cents(200), Cents(20_000)))


class RandomWalk:
    """A venue with its people, each of whom does something by the dice, right or wrong."""

    def __init__(self, rulebook_id: str, seed: int) -> None:
        self.dice = Random(seed)  # noqa: S311 - play, not secrets
        games = 2 if rulebook_id == CLEARWATER else 1
        self.settings = self._settings()
        self.floor = Audited(rulebook_id, *([self.settings] * games), ticket_days=1)
        self.house = self.floor.house
        for title in (*self.floor.rulebook.staff.order, "Cashier"):
            self.floor.enrol(title, f"{title.lower()} 2")
        offers = TerminalSettings(denominations=(Cents(1), Cents(50)))
        own = TerminalSettings(limits=LIMITS)
        self.seats = tuple(map(TerminalId, ("T1", "T2", "T3")))
        self.floor.seat("T1", cents(300), offers, tables=tuple(self.house.tables))
        self.floor.seat("T2", cents(60))
        self.floor.seat("T3", cents(200), own)

    def _settings(self) -> TableSettings:
        roll = self.dice.choice
        return TableSettings(
            wheel=roll(list(WheelKind)),
            confirms=roll([True, False]),
            betting_s=roll([None, 20]),
            warning_s=roll([0, 5]),
            pause_s=roll([None, 2]),
            attest_s=roll([0, 20]),
            limits=roll([LIMITS, LimitSettings()]),
            offline_grace_s=3,
            session_idle_s=20,
            decision_s=10,
            rest_s=30,
        )

    def play(self, steps: int) -> None:
        """Let so many things happen."""
        often = (self.go_on, self.go_on, self.go_on, self.bet, self.bet, self.bet, self.touch)
        seldom = (self.wait, self.collect, self.redeem, self.paper, self.mend, self.wheel, self.number)
        rare = (self.no_spin, self.refer, self.correct, self.invalidate, self.interrupt, self.link, self.fail)
        money = (self.adjust, self.hold, self.buy_in)
        office = (self.case, self.manage, *money, self.trespass, self.day, self.close, self.forget)
        for _ in range(steps):
            self.dice.choice((*often * 6, *seldom * 2, *rare, *office))()

    # Who asks.

    @property
    def table(self) -> Table:
        return self.dice.choice(list(self.house.tables.values()))

    @property
    def seat(self) -> TerminalId:
        return self.dice.choice(self.seats)

    def chance(self, percent: int) -> bool:
        return self.dice.randrange(100) < percent

    def player(self, seat: TerminalId, command: AnyCommand) -> Decision:
        return self.floor.ask(command, DeviceId(seat))

    def staff(self, duty: Duty, command: AnyCommand) -> None:
        """Have somebody ask, and mostly somebody else sign, after the same person and the same device have tried."""
        person = self.floor.rulebook.staff.titles_for(duty)[0].lower()
        answer = self.floor.by(person, command)
        if isinstance(answer, tuple) and answer and isinstance(answer[0], ProposalMade) and self.chance(90):
            proposal = answer[0].proposal
            self.floor.by(person, Approve(proposal))
            self.floor.ask(Approve(proposal), device_of(person), f"{person} 2")
            if self.chance(10):
                self.floor.by(f"{person} 2", Withdraw(proposal))
                self.floor.by(person, Withdraw(proposal))
            if self.chance(5):
                self.run_clock(self.floor.now + 120 * SECOND)
            self.floor.by(f"{person} 2", Approve(proposal))

    # What they do.

    def go_on(self) -> None:
        """Do what comes next at a table that runs as it should."""
        table = self.table
        machine = self.floor.rulebook.id in (CLEARWATER, US)
        if table.phase in (Phase.OPEN, Phase.OPEN_RUNNING, Phase.LAST_CALL):
            self.bet_a_while(table)
        match table.phase:
            case Phase.BETWEEN:
                self.floor.ask(OpenBets(table.id))
            case Phase.OPEN if machine:
                self.floor.ask(BallLaunched(table.id, opposite=True, turning=True), DeviceId(table.id))
            case Phase.LAST_CALL:
                self.run_clock(table.playing.closes_at or 0)
            case Phase.RUNNING:
                pocket = self.dice.choice(POCKETS)
                self.floor.ask(BallAtRest(table.id, pocket, 9, opposite=True), DeviceId(table.id))
            case Phase.SUSPENDED:
                self.staff(Duty.DECIDE, DecideReferral(table.id, ReferralDecision.GO_ON, WORDS))
            case _:
                self.deal(table)

    def deal(self, table: Table) -> None:
        """Do what is the dealer's to do next."""
        number = table.playing.spin.reported or POCKETS[0]
        next_: dict[Phase, AnyCommand] = {
            Phase.CLOSED: SpinBall(table.id),
            Phase.AT_REST: ConfirmResult(table.id, number),
            Phase.NO_SPIN: ResetTerminals(table.id),
        }
        self.staff(Duty.DEAL, next_.get(table.phase, CloseBets(table.id)))

    def game(self, seat: TerminalId, table: Table) -> tuple[TerminalId, Any, RoundNumber, int]:
        """Name the game, one time in twenty in the round before."""
        name, at, number, spin = self.floor.game(seat, table.id)
        return name, at, RoundNumber(number - self.chance(5)), spin

    def bet(self) -> None:
        slip = tuple((self.dice.choice(BETS), self.dice.choice(AMOUNTS)) for _ in range(self.dice.randint(1, 3)))
        if self.chance(70):
            slip = ((self.dice.choice(SPOTS), self.dice.choice(AMOUNTS[:8])),)
        seat = self.seat
        self.player(seat, PlaceBets(*self.game(seat, self.table), slip))

    def bet_a_while(self, table: Table) -> None:
        """Put right what keeps players from betting, and let everybody bet."""
        for seat in self.seats:
            if self.chance(70):
                self.mend(seat)
            if table.id in self.house.terminals[seat].games:
                spot, amount = self.dice.choice(SPOTS), self.dice.choice(AMOUNTS[:8])
                self.player(seat, PlaceBets(*self.floor.game(seat, table.id), ((spot, amount),)))
            self.touch()

    def touch(self) -> None:
        """Change, move, take back, repeat or double what lies there."""
        seat, spot, other = self.seat, SpotKey(self.dice.choice(SPOTS)), SpotKey(self.dice.choice((*SPOTS, "1/5")))
        game = self.game(seat, self.table)
        commands: tuple[AnyCommand, ...] = (
            ChangeBet(*game, other, Cents(self.dice.choice(AMOUNTS))),
            MoveBet(*game, spot, other),
            RemoveBets(*game, (spot,)),
            *(button(*game) for button in BUTTONS),
            PressNeighbours(*game),
            SavePattern(*game, 1),
            ChooseDenomination(seat, Cents(self.dice.choice((1, 50, 7)))),
        )
        self.player(seat, self.dice.choice(commands))

    def run_clock(self, now: int) -> None:
        """Let time pass, with every tick that falls due."""
        while (at := due(self.house)) is not None and at <= now:
            self.floor.now = max(self.floor.now, at)
            if self.floor.ask(Tick()) == ():
                break
        self.floor.now = Instant(max(self.floor.now, now))

    def wait(self) -> None:
        """Let time pass, one time in five without a tick."""
        now = self.floor.now + self.dice.choice((0, 1, 3, 10, 40, 130)) * SECOND
        if self.chance(20):
            self.floor.now = Instant(now)
        self.run_clock(now)

    def collect(self) -> None:
        seat, number = self.seat, self.house.tickets.next_number
        form = self.dice.choice((None, None, *CreditOut))
        command = Collect(seat, Validation(number, f"digest {number}", "1234"), form)
        if self.chance(20):
            self.staff(Duty.INSPECT, command)
        self.player(seat, command)
        self.player(seat, InsertNote(seat, self.floor.rulebook.currency, Cents(self.dice.choice((2_000, 3)))))
        self.player(seat, ConfirmPrint(seat, Number(number - self.dice.randint(0, 1))))

    @property
    def ticket(self) -> Number:
        return self.dice.choice((*list(self.house.tickets.all)[-4:], Number(99)))

    def redeem(self) -> None:
        """Bring a ticket to a cashier and to a terminal, and count the drawer."""
        cashier, cash = self.dice.choice(("cashier", "cashier 2")), self.dice.choice((0, 90_000, -1))
        drawer, by, seat = DrawerId(self.dice.choice((cashier, "cashier"))), self.floor.by, self.seat
        by(cashier, OpenDrawer(drawer, Cents(cash)))
        said = self.dice.choice((None, None, Cents(1)))
        self.player(seat, InsertTicket(seat, f"digest {self.ticket}"))
        by(cashier, RedeemTicket(drawer, f"digest {self.ticket}", said))
        by(cashier, RedeemTicket(DrawerId("nobody's"), f"digest {self.ticket}"))
        if self.chance(50):
            by(cashier, CountDrawer(drawer, Cents(self.dice.choice((cash, 5)))))
            by(cashier, CloseDrawer(drawer))
            by(
                self.floor.rulebook.staff.titles_for(Duty.INSPECT)[0].lower(),
                Approve(Number(self.house.proposals.made)),
            )

    def paper(self) -> None:
        kinds = (ReprintTicket, VoidTicket, VoidTicket, ReportLost, ReleaseTicket)
        self.staff(Duty.INSPECT, self.dice.choice(kinds)(self.ticket, WORDS))

    def mend(self, seat: TerminalId | None = None) -> None:
        """Bring a terminal back into play, with something on its meter, and see to what staff were told of."""
        seat = seat or self.seat
        terminal = self.house.terminals[seat]
        if terminal.lost_at is not None:
            self.floor.ask(ReportTerminalReturned(seat))
        if terminal.case is not None:
            self.staff(Duty.DEAL, VoidBets(terminal.case, WORDS))
            self.staff(Duty.MAINTAIN, ClearCase(terminal.case))
        for hold in tuple(terminal.holds):
            self.staff(Duty.CASH, RecordTaxForm(seat, hold, "A. Patron", "W-1"))
            self.staff(Duty.CASH, ReleaseHeldWin(seat, hold))
        self.staff(Duty.INSPECT, ReopenTerminal(seat))
        self.floor.ask(GrantPlayMoney(seat, Cents(self.dice.choice((5_000, 0)))))
        for incident in self.house.incidents.all.values():
            if incident.cleared_by is None:
                self.staff(Duty.DEAL, ClearIncident(incident.number))

    def wheel(self) -> None:
        table, seen = self.table.id, self.dice.choice((9, 9, None, 2, 0))
        commands: tuple[AnyCommand, ...] = (
            BallLaunched(table, opposite=self.dice.choice((True, None, False)), turning=seen != 0),
            BallLeftTrack(table, seen),
            BallAtRest(table, self.dice.choice(POCKETS), seen, self.dice.choice((True, None, False))),
            WheelTrouble(table, self.dice.choice(list(Reason))),
        )
        self.floor.ask(self.dice.choice(commands), DeviceId(table))

    def number(self) -> None:
        """A dealer enters a number, or two people attest it."""
        table, pocket = self.table.id, self.dice.choice(POCKETS)
        if self.chance(50):
            self.staff(Duty.DEAL, EnterResult(table, pocket, pocket))
        else:
            self.staff(Duty.INSPECT, AttestResult(table, pocket, WORDS))

    def no_spin(self) -> None:
        reason = self.dice.choice((Reason.FOREIGN_OBJECT, Reason.SUSPICION, Reason.MALFUNCTION, Reason.NOT_COVERED))
        self.staff(Duty.DECIDE, CallNoSpin(self.table.id, reason, WORDS))

    def refer(self) -> None:
        table, verdict = self.table, self.dice.choice(list(ReferralDecision))
        self.staff(Duty.DEAL, ReferRound(table.id, WORDS))
        pocket = self.dice.choice((None, POCKETS[0]))
        self.staff(Duty.DECIDE, DecideReferral(table.id, verdict, WORDS, pocket))

    def correct(self) -> None:
        table = self.table
        number = RoundNumber(table.rounds - self.dice.randint(0, 2))
        self.staff(Duty.CORRECT, CorrectResult(table.id, number, self.dice.choice(POCKETS), WORDS))

    def invalidate(self) -> None:
        table = self.table
        number = RoundNumber(table.rounds - self.dice.randint(0, 2))
        self.staff(Duty.DECIDE, InvalidateOutcome(table.id, number, Reason.FIRE, WORDS))

    def interrupt(self) -> None:
        self.floor.ask(self.dice.choice((Recover(), RaiseSystemMalfunction(self.table.id, WORDS))))

    def link(self) -> None:
        self.floor.ask(self.dice.choice((ReportTerminalLost, ReportTerminalReturned))(self.seat))

    def fail(self) -> None:
        self.staff(Duty.DEAL, RaiseMalfunction(self.seat, MalfunctionKind.OPINION, WORDS))

    def case(self) -> None:
        """Confirm the bets of a case by the record, or void them."""
        number = Number(max(1, len(self.house.cases.all) - self.dice.randint(0, 1)))
        case = self.house.cases.all.get(number)
        confirms = ConfirmBets(number, case.rounds[0].digest if case is not None and case.rounds else "none")
        self.staff(Duty.DEAL, self.dice.choice((confirms, confirms, VoidBets(number, WORDS))))

    def manage(self) -> None:
        """Change limits, or close and reopen a table, after notice where the rules ask for it."""
        table = self.table.id
        changed = msgspec.structs.replace(self.settings, limits=self.dice.choice((LIMITS, LimitSettings())))
        if self.chance(50):
            self.staff(Duty.MANAGE, ChangeSettings(table, changed, WORDS))
            return
        self.staff(Duty.MANAGE, NotifyOfficer(table, WORDS))
        self.run_clock(self.floor.now + 1)
        self.staff(Duty.MANAGE, CloseTable(table, WORDS))
        self.staff(Duty.MANAGE, ReopenTable(table))

    def close(self) -> None:
        """Take a terminal out of service, or bind its player to straight ups."""
        seat = self.seat
        self.staff(Duty.MANAGE, NotifyOfficer(seat, WORDS))
        self.run_clock(self.floor.now + 1)
        self.staff(Duty.MANAGE, self.dice.choice((CloseTerminal, self._arranges))(seat, WORDS))

    def _arranges(self, seat: TerminalId, words: str) -> ArrangeVip:
        games = self.house.terminals[seat].games
        game = games.get(self.table.id) or next(iter(games.values()))
        return ArrangeVip(self.table.id, (game.id,), words)

    def adjust(self) -> None:
        amount = self.dice.choice((100, -100, -100_000, 0))
        self.staff(Duty.CORRECT, AdjustCredit(self.seat, amount, self.dice.choice((WORDS, " "))))

    def hold(self) -> None:
        """See to a win that is held, as it should be done or not."""
        seat, cashier = self.seat, self.dice.choice(("cashier", "cashier 2"))
        number = next(iter(self.house.terminals[seat].holds), Number(99))
        form = self.dice.choice(("W-1", "W-1", " "))
        self.floor.by("cashier", RecordTaxForm(seat, number, "A. Patron", form))
        pays = PayHeldWin(seat, number, DrawerId("cashier"))
        self.floor.by(cashier, self.dice.choice((pays, pays, ReleaseHeldWin(seat, number))))

    def buy_in(self) -> None:
        """Bring cash to a cashier, whose drawer is out or not."""
        cashier, amount = self.dice.choice(("cashier", "cashier 2")), Cents(self.dice.choice((1_000, 5_000, 1, 0)))
        self.floor.by(cashier, BuyIn(self.seat, DrawerId("cashier"), amount))

    def trespass(self) -> None:
        """Somebody asks for what is not theirs, or of what is not there."""
        seat, table = self.seat, self.table
        who = self.dice.choice(("technician", "auditor", "nobody", "dealer", ""))
        commands: tuple[AnyCommand, ...] = (
            ClearBets(*self.floor.game(seat, table.id)),
            OpenDrawer(DrawerId("cashier"), Cents(100)),
            OpenBets(table.id),
            CloseTable(table.id, WORDS),
            InsertNote(TerminalId("T9"), "AUD", Cents(500)),
            SpinBall(self.floor.table.id),
        )
        device = self.dice.choice((device_of("auditor"), DeviceId("a stranger"), DeviceId("T1")))
        self.floor.ask(self.dice.choice(commands), device, who)

    def day(self) -> None:
        tomorrow = date.fromisoformat(str(self.house.day)) + timedelta(days=1)
        self.floor.ask(Tick(Day(int(f"{tomorrow:%Y%m%d}")), Instant(self.floor.now + 3_600 * SECOND)))

    def forget(self) -> None:
        """Two people go on from an older copy of the journal, one time in five."""
        manager = self.floor.rulebook.staff.titles_for(Duty.MANAGE)[0].lower()
        people = (PersonId(manager), PersonId(f"{manager} 2"))
        if self.chance(20):
            self.floor.ask(AcceptHistory(self.dice.choice((0, 3)), people, WORDS))
