"""Drivers of a house in tests: a venue in memory, with a method for each action of players, staff and wheels."""

from typing import Final

from croupier.devices.validation import KEY_BYTES, ValidationNumbers
from croupier.house import AnyCommand, House
from croupier.house.credit.drawers import BuyIn, CloseDrawer, CountDrawer, OpenDrawer, PayPayable, RedeemTicket
from croupier.house.credit.held_wins import PayHeldWin, RecordTaxForm
from croupier.house.credit.notes import InsertNote
from croupier.house.credit.sessions import EndSession
from croupier.house.credit.tickets import Collect, ConfirmPrint, Ticket, TicketState
from croupier.house.declare import Decision, Event, Events
from croupier.house.floor.setup import ApproveBuild, ReportBuild
from croupier.house.floor.signatures import Approve, ProposalMade
from croupier.house.floor.staff import EnrolDevice, EnrolPerson
from croupier.house.ids import (
    SECOND,
    SYSTEM,
    Day,
    DeviceId,
    DrawerId,
    Instant,
    Number,
    PersonId,
    PositionId,
    RoundNumber,
    TableId,
    TerminalId,
)
from croupier.house.play.betting import PlaceBets, RemoveBets
from croupier.house.rounds.closing import CloseBets
from croupier.house.rounds.corrections import CorrectResult
from croupier.house.rounds.opening import OpenBets
from croupier.house.rounds.recovery import HouseRecovered, Recover
from croupier.house.rounds.results import BallAtRest
from croupier.house.rounds.spinning import BallLaunched, SpinBall
from croupier.house.settings import LimitBounds, LimitSettings, Mode, TableSettings
from croupier.house.state.ledger import LedgerAccount
from croupier.house.state.live import LiveTable
from croupier.house.state.tables import Phase
from croupier.house.timers import Tick
from croupier.house.verification import ledger_problems, state_digest
from croupier.house.views import SpotLimits, kind_limits
from croupier.reports.day_projection import Projections
from croupier.rulebooks.schema import read_canonical
from croupier.rules.geometry import Pocket, SpotKey
from croupier.rules.money import Cents, cents_of
from croupier.rules.notation import parse_slip
from croupier.rules.procedure import CloseRule, CreditOut, Duty
from croupier.rules.refusal import Code, Refusal
from croupier.rules.rulebook import Rulebook
from croupier.transcripts.driver import TABLE, HouseDriver, device_of
from tests.conftest import venue

ADELAIDE, CLEARWATER = "skycity-adelaide-2003", "clearwater-etg"
MARINA, US = "marina-bay-sands-2020", "us-double-zero"
TODAY, TOMORROW = Day(20261115), Day(20261116)
A2, T1, T2, T3 = TableId("A2"), TerminalId("T1"), TerminalId("T2"), TerminalId("T3")
#: The positions of terminals T1 to T3, if each was added with one game.
P1, P2, P3 = PositionId(1), PositionId(2), PositionId(3)
CONSOLE, DESK, DRAWER = DeviceId("console"), DeviceId("desk"), DrawerId("D1")
CASHIER: Final = "cashier"
NUMBERS: Final = ValidationNumbers(bytes(range(KEY_BYTES)))
#: No warning before the close: CloseBets closes betting at once.
PROMPT = TableSettings(warning_s=0)


def cents(amount: str | int) -> Cents:
    """Read an amount as people write it: 5 is five dollars."""
    found = cents_of(str(amount))
    assert found is not None
    return found


def limits(least: int | None = None, most: int | None = None) -> LimitSettings:
    """Limits on a spot, in dollars."""
    return LimitSettings(LimitBounds(None if least is None else cents(least), None if most is None else cents(most)))


def spot_limits(house: House, terminal: TerminalId, table: TableId) -> dict[SpotKey, SpotLimits]:
    """The limits of every spot at a terminal, with its greatest win."""
    playing, effective = house.tables[table], house.terminals[terminal].games[table].effective_limits
    kinds = kind_limits(playing.rulebook, effective, net=playing.settings.net_win)
    return {spot: kinds[each.kind] for spot, each in playing.rulebook.spots.items()}


class Play(HouseDriver):
    """A floor of one venue, with seats by name; amounts are dollars, times are seconds since the start."""

    def __init__(
        self, rulebook: str | Rulebook, *settings: TableSettings, mode: Mode = Mode.DEMO, **more: object
    ) -> None:
        book = venue(rulebook) if isinstance(rulebook, str) else rulebook
        super().__init__(book, *settings, mode=mode, **more)  # type: ignore[arg-type]

    @property
    def dealer(self) -> str:
        """Who runs the game here: the lowest title."""
        return self.rulebook.staff.order[0].lower()

    def seats(self, **credits_: int) -> None:
        """Add terminals with so many dollars each, by name."""
        for name, credit in credits_.items():
            self.seat(name, cents(credit))

    def at(self, seconds: float) -> None:
        """Let the clock run on to so many seconds, with every tick that falls due before."""
        self.advance(round(seconds * SECOND))

    def note(self, value: int, seat: str = "T1") -> None:
        """Insert a note at a terminal."""
        self.must(InsertNote(TerminalId(seat), self.rulebook.currency, Cents(value)), DeviceId(seat))

    def open(self) -> tuple[Event, ...]:
        return self.must(OpenBets(TABLE))

    def bet(self, seat: str, slip: str, table: TableId = TABLE) -> Decision:
        """Place a slip at a terminal, in the notation."""
        bets = tuple((str(wager.on), int(wager.amount)) for wager in parse_slip(slip))
        return self.ask(PlaceBets(*self.game(seat, table), bets), DeviceId(seat))

    def remove(self, seat: str, *spots: str) -> Decision:
        return self.ask(RemoveBets(*self.game(seat), tuple(SpotKey(spot) for spot in spots)), DeviceId(seat))

    def game(self, seat: str, table: TableId = TABLE) -> tuple[TerminalId, TableId, RoundNumber, int]:
        """Give what every player's command begins with: terminal, table, round and spin."""
        round_ = self.house.tables[table].round
        number, spin = (RoundNumber(0), 1) if round_ is None else (round_.number, round_.spin.number)
        return TerminalId(seat), table, number, spin

    def touch(self, seat: str, command: type, *more: object, table: TableId = TABLE) -> Decision:
        """Send a player's command by its kind, with what it takes beyond the game."""
        return self.ask(command(*self.game(seat, table), *more), DeviceId(seat))

    def close(self) -> None:
        """Close betting as the venue does, whatever that takes: the ball set going first, or the warning run out."""
        if self.table.rulebook.procedure.closes.choice in ("after_launch", "during_spin"):
            self.by(self.dealer, SpinBall(TABLE))
        self.must(CloseBets(TABLE))
        if self.table.phase is Phase.LAST_CALL:
            assert self.table.round is not None
            assert self.table.round.closes_at is not None
            self.advance(self.table.round.closes_at + 1)

    def spin(self) -> Decision:
        return self.by(self.dealer, SpinBall(TABLE))

    def close_and_spin(self) -> None:
        """Close betting, and launch the ball unless it is running already."""
        self.close()
        if self.table.phase is Phase.CLOSED:
            self.spin()

    def rest(self, pocket: str, revolutions: int | None = 9, *, opposite: bool | None = True) -> Decision:
        """The wheel reports where the ball came to rest, and what it saw of the spin."""
        return self.ask(BallAtRest(TABLE, Pocket(pocket), revolutions, opposite), DeviceId(TABLE))

    def round(self, pocket: str, **slips: str) -> None:
        """Play a whole round: open, the slips by seat, close, spin, and the ball at rest."""
        self.open()
        for seat, slip in slips.items():
            placed = self.bet(seat, slip)
            assert isinstance(placed, tuple), placed
        self.close_and_spin()
        settled = self.rest(pocket)
        assert isinstance(settled, tuple), settled

    def recover(self) -> tuple[Event, ...]:
        """Recover as after a restart, and give what was done beside saying what was found."""
        found, *done = self.must(Recover())
        assert isinstance(found, HouseRecovered)
        return tuple(done)

    def recover_again(self) -> None:
        """Assert that recovering once more does nothing and changes nothing."""
        before = state_digest(self.house)
        assert self.recover() == ()
        assert state_digest(self.house) == before

    def credit(self, seat: str) -> float:
        """The meter in dollars."""
        return self.house.terminals[TerminalId(seat)].credit / 100

    def layout(self, seat: str, table: TableId = TABLE) -> dict[str, float]:
        """What lies on each spot, in dollars."""
        game = self.house.terminals[TerminalId(seat)].games[table]
        return {str(spot): stake / 100 for spot, stake in game.bets.items()}

    def check(self) -> None:
        """Assert that the books are sound and that replaying the journal gives the same house."""
        sound(self.house)
        assert state_digest(self.journal.replay(House.new(read_canonical))) == state_digest(self.house)


class CheckedHouse(Play):
    """A house with one table, two terminals and two people of every title, verified after every command."""

    def __init__(self, rulebook_id: str = ADELAIDE, *, mode: Mode = Mode.REAL) -> None:
        super().__init__(rulebook_id, PROMPT, mode=mode)
        self.must(ApproveBuild("h0", "LGC-2003-1"))
        self.must(ReportBuild("h0"))
        self.t1, self.t2 = self.seat(T1), self.seat(T2)
        for device in (CONSOLE, DESK):
            self.must(EnrolDevice(device))

    def enrol(self, title: str, person: str | None = None) -> PersonId:
        """Enrol two people with a title, who share the consoles of the house; without a name, the title is the name."""
        name = PersonId(person or title)
        for each in (name, f"other {name}"):
            self.must(EnrolPerson(PersonId(each), (title,)))
        return name

    @property
    def seconds(self) -> int:
        """The time since the start, in seconds."""
        return self.now // SECOND

    @seconds.setter
    def seconds(self, seconds: int) -> None:
        self.now = Instant(seconds * SECOND)

    def ask(self, command: AnyCommand, device: DeviceId = SYSTEM, person: PersonId | str = "") -> Decision:
        answer = super().ask(command, device, person)
        balanced(self.house)
        return answer

    def send(self, command: AnyCommand, by: str = "", on: str = "") -> Decision:
        """Submit a command: of a person on the console, of a device, or of the house itself."""
        return self.ask(command, DeviceId(on or (CONSOLE if by else SYSTEM)), by)

    def done(self, command: AnyCommand, by: str = "", on: str = "") -> Events:
        """Submit a command that must be accepted."""
        answer = self.send(command, by, on)
        assert isinstance(answer, tuple), answer
        return answer

    def signed(self, command: AnyCommand, title: str) -> Events:
        """Submit a command that takes the signatures of two people of one title."""
        made = self.done(command, title)[0]
        assert isinstance(made, ProposalMade)
        return self.done(Approve(made.proposal), f"other {title}", DESK)[1:]

    def refused(
        self, command: AnyCommand, code: Code, clause: str | None = None, by: str = "", on: str = ""
    ) -> Refusal:
        """Submit a command that must be refused with a code and a clause."""
        answer = self.send(command, by, on)
        assert isinstance(answer, Refusal), answer
        assert (answer.code, answer.clause) == (code, clause)
        assert answer.message
        return answer

    def placing(self, terminal: TerminalId, *bets: tuple[str, int]) -> PlaceBets:
        return PlaceBets(*self.game(terminal), bets)

    def open(self, *, credit: int = 0, stake: int = 0) -> Events:
        """Open a round; T1 buys credits and puts some on 17."""
        if credit:
            self.note(credit)
        opened = super().open()
        if stake:
            self.done(self.placing(T1, ("17", stake)), on=T1)
        return opened

    def close(self) -> None:
        """Close betting, with the ball launched when the rules require it."""
        closes = self.rulebook.procedure.closes.choice
        if closes in (CloseRule.AFTER_LAUNCH, CloseRule.DURING_SPIN):
            self.done(BallLaunched(TABLE, opposite=True), on=TABLE)
        self.done(CloseBets(TABLE))
        if closes in (CloseRule.BEFORE_SPIN, CloseRule.BEFORE_OR_DURING_SPIN):
            self.done(BallLaunched(TABLE, opposite=True), on=TABLE)

    def rest(self, pocket: str, revolutions: int | None = 5, *, opposite: bool | None = True) -> Events:
        """Report the ball at rest after a valid spin."""
        answer = super().rest(pocket, revolutions, opposite=opposite)
        assert isinstance(answer, tuple), answer
        return answer


class CashierDriver(Play):
    """A venue with money that moves over its counter."""

    def passes(self, seconds: int) -> None:
        self.now = Instant(self.now + seconds * SECOND)

    def collect(self, seat: str = "T1", form: CreditOut | None = None) -> Ticket:
        """Collect all credits of a terminal."""
        sequence = self.house.tickets.next_number
        self.must(Collect(TerminalId(seat), NUMBERS.validation(sequence), form), DeviceId(seat))
        return self.house.tickets.all[sequence]

    def done(self, *commands: object) -> None:
        """Have the cashier do something that cannot be refused."""
        for command in commands:
            answer = self.by(CASHIER, command)  # type: ignore[arg-type]
            assert isinstance(answer, tuple), answer

    def drawer(self, float_: int = 100_000) -> None:
        self.done(OpenDrawer(DRAWER, Cents(float_)))

    def pay(self, ticket: Ticket) -> None:
        """Have a slip or ticket come out, and pay it at the desk."""
        if ticket.state is TicketState.ISSUED:
            self.must(ConfirmPrint(ticket.terminal, ticket.sequence), DeviceId(ticket.terminal))
        self.done(RedeemTicket(DRAWER, ticket.digest))

    def pay_by_hand(self, hold: int = 1) -> None:
        self.done(PayHeldWin(T1, Number(hold), DRAWER))

    def record(self, hold: int = 1, form: str = "W2-G 4711") -> None:
        """Record the form of a held win."""
        self.done(RecordTaxForm(T1, Number(hold), "Pat Patron", form))

    def count(self, counted: int) -> None:
        self.done(CountDrawer(DRAWER, Cents(counted)))

    def hand_in(self) -> None:
        """Hand the drawer in, and have an inspector sign too."""
        self.done(CloseDrawer(DRAWER))
        inspector = self.rulebook.staff.titles_for(Duty.INSPECT)[0].lower()
        self.must(Approve(Number(self.house.proposals.made)), device_of(inspector), inspector)

    def next_day(self, day: Day = TOMORROW) -> None:
        self.must(Tick(day))

    @property
    def ledger(self) -> Projections:
        """The ledger of all that has happened so far."""
        ledger = Projections(read_canonical)
        for entry in self.journal.entries():
            assert not ledger.apply(entry)
        return ledger


def busy_desk() -> CashierDriver:
    """A desk at Marina Bay Sands: a float of 1000, a slip of 50 paid, and credits sold for 100."""
    play = CashierDriver(MARINA)
    play.seats(T1=0)
    play.drawer()
    play.note(5_000)
    play.passes(60)
    play.pay(play.collect())
    play.passes(60)
    play.done(BuyIn(T1, DRAWER, Cents(10_000)))
    return play


def owed_to_a_session() -> CashierDriver:
    """T1 lost its 10 on 16 and left; the number was 17, so that 360 are payable to that session."""
    play = CashierDriver(MARINA)
    play.enrol("Pit Manager", "second")
    play.seats(T1=10)
    play.drawer()
    play.round("16", T1="10 on 17")
    play.must(EndSession(T1), device_of("pit supervisor"), "pit supervisor")
    play.must(CorrectResult(TABLE, RoundNumber(1), Pocket("17"), "misread"), device_of("pit manager"), "pit manager")
    play.must(Approve(Number(1)), device_of("second"), "second")
    return play


def pay_payable(play: CashierDriver) -> None:
    """The cashier and the pit supervisor sign, and the cashier pays."""
    play.done(PayPayable(T1, 0, DRAWER, Cents(36_000), "Pat Patron"))
    play.must(Approve(Number(2)), device_of("pit supervisor"), "pit supervisor")


def open_betting(rulebook_id: str, *settings: TableSettings, **credits_: int) -> Play:
    """Return a house where betting is open, with so many dollars on each terminal."""
    play = Play(rulebook_id, *settings)
    play.seats(**credits_)
    play.open()
    return play


def with_bets(rulebook_id: str, *settings: TableSettings, **slips: str) -> Play:
    """Return a house where betting is open and slips are placed, on terminals that had 100 dollars each."""
    play = open_betting(rulebook_id, *settings, **dict.fromkeys(slips, 100))
    for seat, slip in slips.items():
        assert not slip or isinstance(play.bet(seat, slip), tuple)
    return play


def with_note(rulebook_id: str, dollars: int) -> Play:
    """Return a house for real money with an approved build, a note inserted at T1, and betting open."""
    play = Play(rulebook_id, mode=Mode.REAL)
    play.must(ApproveBuild("h1", "LGC-2003-17"))
    play.must(ReportBuild("h1"))
    play.seat(T1)
    play.note(cents(dollars))
    play.open()
    return play


def refused(answer: Decision) -> tuple[str, str | None]:
    """The code and clause of an answer that must be a refusal."""
    assert isinstance(answer, Refusal), answer
    return str(answer.code), answer.clause


def sound(house: House) -> None:
    """Assert every invariant of the ledger, by the tests' own computation and by the house's."""
    balanced(house)
    assert list(ledger_problems(house)) == []


def balanced(house: House) -> None:
    """Assert that the accounts balance, that each equals the sum it stands for, and that nothing is below zero."""
    ledger = house.ledger
    terminals = list(house.terminals.values())

    assert sum(ledger.balances.values()) == 0
    assert ledger[LedgerAccount.CREDIT] == sum(terminal.credit for terminal in terminals)
    lives = [table.live for table in house.tables.values() if table.live is not None]
    laid = [_laid(live) for live in lives]
    in_play = ledger[LedgerAccount.STAKES] + ledger[LedgerAccount.IMPRISONED]
    assert in_play == sum(terminal.in_play for terminal in terminals) + sum(map(sum, laid))
    assert ledger[LedgerAccount.HELD] == sum(terminal.held_total for terminal in terminals)
    assert ledger[LedgerAccount.SUSPENSE] == sum(case.suspense for case in house.cases.all.values())
    assert ledger[LedgerAccount.TICKETS] == sum(
        ticket.amount for ticket in house.tickets.all.values() if ticket.payable
    )
    expired = sum(ticket.amount for ticket in house.tickets.all.values() if ticket.state is TicketState.EXPIRED)
    assert ledger[LedgerAccount.UNCLAIMED] == expired + house.chips.unclaimed
    debts = [debt for terminal in terminals for debt in terminal.debts.values()]
    accounts = [each for live in lives for each in (*live.players.values(), *live.left.values())]
    owed = sum(account.owed for account in accounts)
    assert -ledger[LedgerAccount.RECEIVABLES] == sum(debt for debt in debts if debt > 0) + owed
    assert -ledger[LedgerAccount.PAYABLES] == sum(debt for debt in debts if debt < 0)
    sealed = sum(
        sum(sum(stakes.values()) for stakes in table.round.layouts.values())
        for table in house.tables.values()
        if table.round is not None and not table.round.over and table.round.sealed is not None
    )
    won = sum(table.meters.won - table.meters.contributed for table in house.tables.values())
    counted = sum(live.counted_win + live.meters.won for live in lives)
    assert ledger[LedgerAccount.HOUSE] == won - sealed - ledger[LedgerAccount.SUSPENSE] + counted
    # A table that records every bet has as many chips of a colour out as their value says.
    full = [each for live in lives for each in live.colours.values() if each.out is not None]
    assert all(0 <= (each.out or 0) <= each.pieces_in_set for each in full)
    assert all(each.booked >= 0 for each in full)
    if all(each.out is not None for live in lives for each in live.colours.values()):
        out = sum(each.value * (each.out or 0) for each in full)
        assert ledger[LedgerAccount.COLOUR_CHIPS] + sum(colours for colours, _ in laid) == out
    chips = [table.round.chips for table in house.tables.values() if table.round is not None]
    walks = [each.walk for each in chips if each is not None and each.walk is not None]
    unpaid = sum(item.amount for walk in walks for item in walk.items if not item.made)
    assert ledger[LedgerAccount.CHIPS_PAYABLE] == unpaid + sum(account.payable for account in accounts)
    for terminal in terminals:
        assert terminal.credit >= 0
        unsealed = 0
        for game in terminal.games.values():
            assert game.staked == sum(game.bets.values())
            assert all(stake > 0 for stake in game.bets.values())
            round_ = house.tables[game.table].round
            if round_ is None or round_.over or round_.sealed is None:
                unsealed += game.staked
        assert terminal.meters.balance() == terminal.credit + unsealed + terminal.held_total - terminal.owes


def _laid(live: LiveTable) -> tuple[int, int]:
    """Add up the colours and the value chips on a layout, with those that wait."""
    colours = values = 0
    for player in live.players.values():
        for pieces in (*player.pieces.values(), *player.carried.values()):
            for chip, count in pieces.items():
                if chip in live.colours:
                    colours += count * live.colours[chip].value
                else:
                    values += count * int(chip.removeprefix("v"))
    return colours, values


__all__ = [
    "A2",
    "ADELAIDE",
    "CASHIER",
    "CLEARWATER",
    "CONSOLE",
    "DESK",
    "DRAWER",
    "MARINA",
    "NUMBERS",
    "P1",
    "P2",
    "P3",
    "PROMPT",
    "SYSTEM",
    "T1",
    "T2",
    "T3",
    "TABLE",
    "TODAY",
    "TOMORROW",
    "US",
    "CashierDriver",
    "CheckedHouse",
    "Play",
    "balanced",
    "busy_desk",
    "cents",
    "limits",
    "open_betting",
    "owed_to_a_session",
    "pay_payable",
    "refused",
    "sound",
    "with_bets",
    "with_note",
]
