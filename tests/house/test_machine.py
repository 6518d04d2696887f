"""The house as a machine: whatever players, dealers, wheels, clocks and staff do, in any order, it keeps its word."""

from collections.abc import Mapping
from datetime import date, timedelta

import msgspec
import pytest
from hypothesis import Phase as Phases
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule, run_state_machine_as_test

from croupier.house.credit.drawers import BuyIn, CloseDrawer, CountDrawer, OpenDrawer, RedeemTicket
from croupier.house.credit.held_wins import PayHeldWin, RecordTaxForm, ReleaseHeldWin
from croupier.house.credit.notes import InsertNote
from croupier.house.credit.sessions import AdjustCredit
from croupier.house.credit.tickets import Collect, ConfirmPrint, InsertTicket, ReprintTicket, Validation, VoidTicket
from croupier.house.declare import COMMANDS
from croupier.house.floor.malfunctions import ClearCase, ConfirmBets, RaiseMalfunction, ReportDisplay, VoidBets
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
from croupier.house.floor.signatures import Approve
from croupier.house.floor.staff import EnrolPerson
from croupier.house.ids import SECOND, Day, DrawerId, Instant, Number, PersonId, RoundNumber, TerminalId
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
from croupier.house.play.copying import CopyBets, SetAutoCopy
from croupier.house.play.patterns import CancelRecall, ConfirmRecall, RecallPattern, SavePattern
from croupier.house.rounds.closing import CloseBets, FinishBetting
from croupier.house.rounds.corrections import CorrectResult, InvalidateOutcome
from croupier.house.rounds.irregularities import CallNoSpin, ResetTerminals, WheelTrouble
from croupier.house.rounds.opening import OpenBets
from croupier.house.rounds.recovery import HouseRecovered, RaiseSystemMalfunction, Recover
from croupier.house.rounds.referrals import DecideReferral, ReferralDecision, ReferRound
from croupier.house.rounds.results import AttestResult, BallAtRest, ConfirmResult, EnterResult
from croupier.house.rounds.spinning import BallLaunched, BallLeftTrack, SpinBall
from croupier.house.state.records import MalfunctionKind
from croupier.house.state.tables import Phase
from croupier.house.timers import Tick
from croupier.rules.geometry import Pocket, SpotKey
from croupier.rules.money import Cents
from croupier.rules.procedure import CreditOut, Duty, Reason
from tests.support.house_driver import limits
from tests.support.machine import SEATS, Machine
from tests.support.sample_commands import ADELAIDE, CLEARWATER, MARINA, US, WORDS, actors, sample_commands

seats = st.sampled_from(SEATS)
#: The first table or the second, where the venue has two games to a terminal.
tables = st.integers(0, 1)
spots = st.sampled_from(["17", "18", "0", "red", "black", "1/2", "0/1/2"]).map(SpotKey)
bets = st.sampled_from(["17", "17", "18", "0", "red", "black", "1/2", "0/1/2", "neighbours 22", "00", "1/5"])
amounts = st.sampled_from([100, 100, 200, 300, 400, 50, 500, 3_500, 10_000])
slips = st.lists(st.tuples(bets, amounts), min_size=1, max_size=3).map(tuple)
pockets = st.sampled_from(["17", "17", "17", "18", "0", "1", "2", "00", "37"]).map(Pocket)
turns = st.sampled_from([9, 9, 9, None, 2, 0])
sights = st.sampled_from([True, True, True, None, False])
records = st.integers(1, 3).map(Number)
cashiers = st.sampled_from(["cashier", "cashier 2"])
#: What is called off most often.
COMMON = (Reason.FOREIGN_OBJECT, Reason.FOREIGN_OBJECT, Reason.SUSPICION, Reason.MALFUNCTION, Reason.NOT_COVERED) * 5
BUTTONS = (UndoBet, UndoBet, ClearBets, RepeatBets, DoubleBets, PressNeighbours)
Slip = tuple[tuple[str, int], ...]
BETTING = (Phase.OPEN, Phase.OPEN_RUNNING, Phase.LAST_CALL)


def betting(machine: Machine) -> bool:
    return any(table.phase in BETTING for table in machine.house.tables.values())


def running(machine: Machine) -> bool:
    return any(table.phase is not Phase.BETWEEN for table in machine.house.tables.values())


def played(machine: Machine) -> bool:
    return any(table.rounds > 0 for table in machine.house.tables.values())


def latest(numbered: Mapping[Number, object], back: int) -> Number:
    """Name one of the last records there are, or one that is not there."""
    return Number(max(numbered, default=0) - back % 3)


class HouseMachine(Machine):
    """One venue, at which anything may be asked at any time, and mostly is when it makes sense."""

    # The round.

    @rule(place=tables, pocket=pockets)
    def go_on(self, place: int, pocket: Pocket) -> None:
        """Do what comes next at a table that runs as it should."""
        table = self.table(place)
        match table.phase:
            case Phase.BETWEEN:
                self.witness.ask(OpenBets(table.id))
            case Phase.OPEN if self.rulebook_id in (CLEARWATER, US):
                self.wheel(table, BallLaunched(table.id, opposite=True, turning=True))
            case Phase.OPEN | Phase.OPEN_RUNNING:
                self.staff(Duty.DEAL, CloseBets(table.id))
            case Phase.LAST_CALL:
                assert table.round is not None
                self.witness.run_clock(table.round.closes_at or 0)
            case Phase.CLOSED:
                self.staff(Duty.DEAL, SpinBall(table.id))
            case Phase.RUNNING:
                self.wheel(table, BallAtRest(table.id, pocket, 9, opposite=True))
            case Phase.AT_REST:
                assert table.round is not None
                self.staff(Duty.DEAL, ConfirmResult(table.id, table.round.spin.reported or pocket))
            case Phase.NO_SPIN:
                self.staff(Duty.DEAL, ResetTerminals(table.id))
            case Phase.SUSPENDED:
                self.staff(Duty.DECIDE, DecideReferral(table.id, ReferralDecision.GO_ON, WORDS))

    @rule(place=tables, pocket=pockets, one=slips, other=slips, steps=st.integers(0, 5))
    def play_a_while(self, place: int, pocket: Pocket, one: Slip, other: Slip, steps: int) -> None:
        """Put right what keeps players from betting, let both bet, and go on for some steps, often to the end."""
        for _ in range(6):
            if self.table(place).phase not in BETTING:
                self.go_on(place, Pocket("17"))
        for seat, slip in zip(SEATS, (one, other), strict=True):
            self.mend(seat)
            self.player(seat, PlaceBets(*self.game(seat, place), slip))
        for _ in range(steps):
            self.go_on(place, pocket)

    @precondition(running)
    @rule(place=tables, kind=st.sampled_from([FinishBetting, CloseBets, SpinBall]))
    def deal(self, place: int, kind: type) -> None:
        self.staff(Duty.DEAL, kind(self.table(place).id))

    @precondition(running)
    @rule(place=tables, pocket=pockets, seen=turns, opposite=sights)
    def report_rest(self, place: int, pocket: Pocket, seen: int | None, *, opposite: bool | None) -> None:
        table = self.table(place)
        self.wheel(table, BallAtRest(table.id, pocket, seen, opposite))

    @precondition(running)
    @rule(place=tables, seen=turns, opposite=sights, reason=st.none() | st.sampled_from(Reason))
    def report_spin(self, place: int, seen: int | None, reason: Reason | None, *, opposite: bool | None) -> None:
        """The wheel reports a launch and the ball leaving the track, or something that went wrong."""
        table = self.table(place)
        if reason is not None:
            self.wheel(table, WheelTrouble(table.id, reason))
            return
        self.wheel(table, BallLaunched(table.id, opposite, turning=seen != 0))
        if seen is not None:
            self.wheel(table, BallLeftTrack(table.id, seen))

    @precondition(running)
    @rule(place=tables, pocket=pockets, again=pockets, how=st.sampled_from("cea"))
    def name_number(self, place: int, pocket: Pocket, again: Pocket, how: str) -> None:
        """A dealer confirms or enters a number, or two people attest it."""
        table = self.table(place).id
        match how:
            case "c":
                self.staff(Duty.DEAL, ConfirmResult(table, pocket))
            case "e":
                self.staff(Duty.DEAL, EnterResult(table, pocket, again))
            case _:
                self.staff(Duty.INSPECT, AttestResult(table, pocket, WORDS))

    @precondition(running)
    @rule(place=tables, reason=st.sampled_from([*COMMON, *Reason]), before_rest=st.booleans())
    def call_no_spin(self, place: int, reason: Reason, *, before_rest: bool) -> None:
        self.staff(Duty.DECIDE, CallNoSpin(self.table(place).id, reason, WORDS, before_rest))

    @precondition(running)
    @rule(place=tables, verdict=st.none() | st.sampled_from(ReferralDecision), pocket=st.none() | pockets)
    def refer_or_decide(self, place: int, verdict: ReferralDecision | None, pocket: Pocket | None) -> None:
        table = self.table(place)
        if verdict is None or table.phase is not Phase.SUSPENDED:
            self.staff(Duty.DEAL, ReferRound(table.id, WORDS))
        if verdict is not None:
            self.staff(Duty.DECIDE, DecideReferral(table.id, verdict, WORDS, pocket))

    @precondition(played)
    @rule(place=tables, back=st.integers(0, 2), pocket=pockets, second=st.booleans())
    def correct(self, place: int, back: int, pocket: Pocket, *, second: bool) -> None:
        table = self.table(place)
        command = CorrectResult(table.id, RoundNumber(table.rounds - back), pocket, WORDS)
        self.staff(Duty.CORRECT, command, second=second)

    @precondition(played)
    @rule(place=tables, back=st.integers(0, 2), reason=st.sampled_from([Reason.FIRE, Reason.FIRE, Reason.SUSPICION]))
    def invalidate(self, place: int, back: int, reason: Reason) -> None:
        table = self.table(place)
        command = InvalidateOutcome(table.id, RoundNumber(table.rounds - back), reason, WORDS, PersonId("somebody"))
        self.staff(Duty.DECIDE, command)

    # Players.

    @precondition(betting)
    @rule(seat=seats, place=tables, slip=slips, late=st.integers(0, 9))
    def place_bets(self, seat: TerminalId, place: int, slip: Slip, late: int) -> None:
        """Place bets, one time in ten for the round before."""
        terminal, table, number, spin = self.game(seat, place)
        self.player(seat, PlaceBets(terminal, table, RoundNumber(number - late // 9), spin, slip))

    @precondition(betting)
    @rule(seat=seats, place=tables, one=spots, stake=amounts)
    def change_bet(self, seat: TerminalId, place: int, one: SpotKey, stake: int) -> None:
        self.player(seat, ChangeBet(*self.game(seat, place), one, Cents(stake)))

    @precondition(betting)
    @rule(seat=seats, place=tables, one=spots, other=st.none() | spots)
    def move_bet(self, seat: TerminalId, place: int, one: SpotKey, other: SpotKey | None) -> None:
        """Move what lies on a spot to another, or back to the meter."""
        game = self.game(seat, place)
        command = RemoveBets(*game, (one,)) if other is None else MoveBet(*game, one, other)
        self.player(seat, command)

    @precondition(betting)
    @rule(seat=seats, place=tables, kind=st.sampled_from(BUTTONS))
    def press_button(self, seat: TerminalId, place: int, kind: type) -> None:
        self.player(seat, kind(*self.game(seat, place)))

    @precondition(lambda self: self.rulebook_id == CLEARWATER)
    @rule(seat=seats, place=tables, slot=st.integers(1, 4), confirms=st.booleans())
    def use_pattern(self, seat: TerminalId, place: int, slot: int, *, confirms: bool) -> None:
        """Save the chips, recall them as ghosts, and place those or let them go."""
        game = self.game(seat, place)
        self.player(seat, SavePattern(*game, slot, override=confirms))
        self.player(seat, RecallPattern(*game, slot))
        self.player(seat, (ConfirmRecall if confirms else CancelRecall)(*game))

    @precondition(lambda self: self.rulebook_id == CLEARWATER)
    @rule(seat=seats, place=tables, auto=st.booleans(), on=st.booleans(), unit=st.sampled_from([1, 50, 7]))
    def copy_bets(self, seat: TerminalId, place: int, unit: int, *, auto: bool, on: bool) -> None:
        """Copy to the other game by arrow or at the close, and choose what a credit is worth."""
        other = self.table(place + 1).id
        self.player(seat, ChooseDenomination(seat, Cents(unit)))
        if auto:
            self.player(seat, SetAutoCopy(seat, self.table(place).id, other, on))
        else:
            self.player(seat, CopyBets(*self.game(seat, place), other))

    # The clock, and what stops.

    @rule(seconds=st.sampled_from([0, 1, 3, 10, 40]), micro=st.integers(0, 1))
    def pass_time(self, seconds: int, micro: int) -> None:
        self.witness.run_clock(self.floor.now + seconds * SECOND + micro)

    @rule(place=tables, whole=st.booleans())
    def interrupt(self, place: int, *, whole: bool) -> None:
        """The system stops and comes back; coming back twice changes nothing more."""
        if whole:
            self.witness.ask(Recover())
            again = self.witness.ask(Recover())
            assert isinstance(again, tuple)
            assert [type(event) for event in again] == [HouseRecovered]
        else:
            self.witness.ask(RaiseSystemMalfunction(self.table(place).id, WORDS))

    @rule(seat=seats, back=st.booleans())
    def lose_or_return(self, seat: TerminalId, *, back: bool) -> None:
        self.witness.ask(ReportTerminalReturned(seat) if back else ReportTerminalLost(seat))

    @rule(seat=seats, fault=st.sampled_from(MalfunctionKind), shown=st.booleans())
    def malfunction(self, seat: TerminalId, fault: MalfunctionKind, *, shown: bool) -> None:
        """Staff raise a malfunction, or the terminal shows a number that is not on the wheel."""
        if shown:
            self.player(seat, ReportDisplay(seat, Cents(self.house.terminals[seat].credit), "37"))
        else:
            self.staff(Duty.DEAL, RaiseMalfunction(seat, fault, WORDS))

    @precondition(lambda self: self.house.cases.all)
    @rule(number=records, confirmed=st.booleans(), clear=st.booleans())
    def see_to_case(self, number: Number, *, confirmed: bool, clear: bool) -> None:
        """Confirm the bets of a case by the record of the round they were sealed in, or void them; then clear it."""
        case = latest(self.house.cases.all, number)
        questioned = self.house.cases.all[case].questioned if case in self.house.cases.all else ()
        sealed = (self.house.tables[table].find_round(played) for table, played in questioned)
        digest = next((round_.digest for round_ in sealed if round_ is not None), "no record")
        self.staff(Duty.DEAL, ConfirmBets(case, digest) if confirmed else VoidBets(case, WORDS))
        if clear:
            self.staff(Duty.MAINTAIN, ClearCase(case))

    @precondition(lambda self: self.rulebook_id == ADELAIDE)
    @rule(pocket=pockets, slip=slips, confirmed=st.booleans(), before=st.booleans())
    def question_bets(self, pocket: Pocket, slip: Slip, *, confirmed: bool, before: bool) -> None:
        """A terminal fails between the close and the result; its bets are seen to before that or after it."""
        self.play_a_while(0, pocket, slip, slip, 2)
        self.staff(Duty.DEAL, RaiseMalfunction(SEATS[0], MalfunctionKind.OPINION, WORDS))
        if before:
            self.see_to_case(Number(0), confirmed=confirmed, clear=True)
        for _ in range(3):
            self.go_on(0, pocket)
        self.see_to_case(Number(0), confirmed=confirmed, clear=True)

    # Money and the office.

    @rule(seat=seats, form=st.sampled_from([None, None, *CreditOut]), printed=st.booleans(), note=st.booleans())
    def collect(self, seat: TerminalId, form: CreditOut | None, *, printed: bool, note: bool) -> None:
        """Collect what is on the meter, and put in a note."""
        number = self.house.tickets.next_number
        self.player(seat, Collect(seat, Validation(number, f"digest {number}", "1234"), form))
        if note:
            self.player(seat, InsertNote(seat, self.floor.rulebook.currency, Cents(10_000)))
        if printed:
            self.player(seat, ConfirmPrint(seat, number))

    @precondition(betting)
    @rule(seat=seats, place=tables)
    def collect_before_undo(self, seat: TerminalId, place: int) -> None:
        """Take chips back, collect them, and ask for them back on the layout."""
        number, game = self.house.tickets.next_number, self.game(seat, place)
        self.player(seat, ClearBets(*game))
        self.player(seat, Collect(seat, Validation(number, f"digest {number}", "1234")))
        self.player(seat, UndoBet(*game))

    @precondition(lambda self: self.house.tickets.all)
    @rule(seat=seats, number=records, cashier=cashiers, cash=st.sampled_from([0, 5_000, 2_000_000]))
    def redeem(self, seat: TerminalId, number: Number, cashier: str, cash: int) -> None:
        """Bring a ticket to two cashiers and to a terminal: it is paid once."""
        drawer, number = DrawerId(cashier), latest(self.house.tickets.all, number)
        self.witness.by(cashier, OpenDrawer(drawer, Cents(cash)))
        for each in ("cashier", "cashier 2"):
            self.witness.by(each, RedeemTicket(drawer, f"digest {number}"))
        self.player(seat, InsertTicket(seat, f"digest {number}"))
        self.witness.by(cashier, CountDrawer(drawer, Cents(cash)))
        self.witness.by(cashier, CloseDrawer(drawer))
        self.staff(Duty.INSPECT, Approve(Number(self.house.proposals.made)))

    @precondition(lambda self: self.house.tickets.all)
    @rule(number=records, second=st.booleans(), kind=st.sampled_from([ReprintTicket, VoidTicket]))
    def see_to_ticket(self, number: Number, kind: type, *, second: bool) -> None:
        self.staff(Duty.INSPECT, kind(latest(self.house.tickets.all, number), WORDS), second=second)

    @precondition(lambda self: any(terminal.holds for terminal in self.house.terminals.values()))
    @rule(seat=seats, number=records, by_hand=st.booleans(), form=st.booleans())
    def pay_hold(self, seat: TerminalId, number: Number, *, by_hand: bool, form: bool) -> None:
        """Record the form of a win that is held, and pay it from a drawer or to the meter."""
        number = latest(self.house.terminals[seat].holds, number)
        if form:
            self.staff(Duty.CASH, RecordTaxForm(seat, number, "A. Patron", "W-1"))
        if by_hand:
            self.staff(Duty.CASH, OpenDrawer(DrawerId("cashier"), Cents(1_000_000)))
            self.staff(Duty.CASH, PayHeldWin(seat, number, DrawerId("cashier")))
        else:
            self.staff(Duty.CASH, ReleaseHeldWin(seat, number))

    @rule(place=tables, what=st.sampled_from("dsltap"), seat=seats, number=records)
    def manage(self, place: int, what: str, seat: TerminalId, number: Number) -> None:
        """Begin a day, change limits, close and reopen a table or a terminal, adjust a meter, sell credits, sign."""
        table, today = self.table(place).id, date.fromisoformat(str(self.house.day))
        changed = msgspec.structs.replace(self.settings, limits=limits(1, 20))
        match what:
            case "d":
                tomorrow = Day(int(f"{today + timedelta(days=1):%Y%m%d}"))
                self.witness.ask(Tick(tomorrow, Instant(self.floor.now + number * SECOND)))
            case "s":
                self.staff(Duty.MANAGE, ChangeSettings(table, changed, WORDS))
            case "l" | "t":
                self.staff(Duty.MANAGE, NotifyOfficer(table if what == "l" else seat, WORDS))
                self.witness.run_clock(self.floor.now + 1)
                closed = CloseTable(table, WORDS) if what == "l" else CloseTerminal(seat, WORDS)
                self.staff(Duty.MANAGE, closed)
                self.staff(Duty.MANAGE, ReopenTable(table) if what == "l" else ReopenTerminal(seat))
            case "a":
                self.staff(Duty.CORRECT, AdjustCredit(seat, 100 - 200 * place, WORDS))
                self.staff(Duty.CASH, BuyIn(seat, DrawerId("cashier"), Cents(5_000 * place)))
            case _:
                self.staff(Duty.CORRECT, Approve(number))

    @rule(name=st.sampled_from([kind.__name__ for kind in COMMANDS]), who=st.integers(0, 60))
    def ask_anything(self, name: str, who: int) -> None:
        """Anybody asks for anything, whether or not it is theirs to ask and whatever the round does."""
        everybody = list(actors(self.rulebook_id))
        actor = everybody[who % len(everybody)]
        self.witness.ask(sample_commands(self.floor)[name], actor.device, actor.person)

    def teardown(self) -> None:
        """Once all is put right, every round can be brought to an end and every credit collected: nothing is stuck."""
        if hasattr(self, "witness"):
            self.witness.ask(EnrolPerson(PersonId("dealer"), self.floor.rulebook.staff.order[:1]))
            for table in self.house.tables.values():
                self.staff(Duty.DEAL, ReferRound(table.id, WORDS))
                self.staff(Duty.DECIDE, DecideReferral(table.id, ReferralDecision.VOID, WORDS))
                assert table.phase is Phase.BETWEEN
            for seat in SEATS:
                self.mend(seat)
                self.collect(seat, None, printed=True, note=False)
                assert self.house.terminals[seat].credit == 0
        super().teardown()


class Marina(HouseMachine):
    """Bets close before the spin, and what goes wrong voids the round."""

    rulebook_id = MARINA


class Adelaide(HouseMachine):
    """A warning before the close, re-spins, winning stakes that stay up, and cases about terminals."""

    rulebook_id = ADELAIDE


class Clearwater(HouseMachine):
    """An automatic wheel, two games to a terminal, tickets, and wins that are held."""

    rulebook_id = CLEARWATER


class Us(HouseMachine):
    """A dealer's table with terminals for demonstration: bets close while the ball runs."""

    rulebook_id = US


@pytest.mark.property
@pytest.mark.parametrize("machine", [Marina, Adelaide, Clearwater, Us], ids=lambda machine: machine.rulebook_id)
def test_house_keeps_its_word_whatever_is_requested(machine: type[HouseMachine]) -> None:
    """After any commands in any order the books balance, no stake is lost or late, and the journal tells it all."""
    phases = (Phases.explicit, Phases.reuse, Phases.generate, Phases.shrink)
    searched = settings(max_examples=settings().max_examples // 4, stateful_step_count=40, phases=phases)
    run_state_machine_as_test(machine, settings=searched)
