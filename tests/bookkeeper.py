"""A bookkeeper: a venue played by hand with a cashier's desk, and the ledger of its journal."""

from typing import Final

from croupier.devices.validation import KEY_BYTES, ValidationNumbers
from croupier.house.commands.credit import (
    BuyIn,
    CloseDrawer,
    Collect,
    ConfirmPrint,
    CountDrawer,
    EndSession,
    InsertNote,
    OpenDrawer,
    PayHeldWin,
    PayPayable,
    RecordTaxForm,
    RedeemTicket,
)
from croupier.house.commands.rounds import CorrectResult, Tick
from croupier.house.commands.setup import Approve
from croupier.house.ids import SECOND, Day, DeviceId, DrawerId, Instant, Number, RoundNumber, TerminalId
from croupier.house.state.money import Ticket, TicketState
from croupier.reports.day_projection import Projections
from croupier.rulebooks.schema import read_canonical
from croupier.rules.geometry import Pocket
from croupier.rules.money import Cents
from croupier.rules.procedure import CreditOut
from croupier.transcripts.driver import device_of
from tests.play import TABLE, Play

ADELAIDE, CLEARWATER, MARINA = "skycity-adelaide-2003", "clearwater-etg", "marina-bay-sands-2020"
TODAY, TOMORROW = Day(20261115), Day(20261116)
DRAWER, T1 = DrawerId("D1"), TerminalId("T1")
CASHIER: Final = "cashier"
NUMBERS: Final = ValidationNumbers(bytes(range(KEY_BYTES)))


class Bookkeeper(Play):
    """A venue with money that moves over its counter."""

    def passes(self, seconds: int) -> None:
        self.now = Instant(self.now + seconds * SECOND)

    def note(self, value: int, seat: str = "T1") -> None:
        """Put a note into a terminal."""
        self.must(InsertNote(TerminalId(seat), self.rulebook.currency, Cents(value)), DeviceId(seat))

    def collect(self, seat: str = "T1", form: CreditOut | None = None) -> Ticket:
        """Collect all credits of a terminal."""
        sequence = self.house.next_ticket
        self.must(Collect(TerminalId(seat), NUMBERS.validation(sequence), form), DeviceId(seat))
        return self.house.tickets[sequence]

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
        self.done(CloseDrawer(DRAWER))

    def next_day(self, day: Day = TOMORROW) -> None:
        self.must(Tick(day))

    @property
    def ledger(self) -> Projections:
        """The ledger of all that has happened so far."""
        ledger = Projections(read_canonical)
        for entry in self.journal.entries():
            assert not ledger.apply(entry)
        return ledger


def busy_desk() -> Bookkeeper:
    """A desk at Marina Bay Sands: a float of 1000, a slip of 50 paid, and credits sold for 100."""
    play = Bookkeeper(MARINA)
    play.seats(T1=0)
    play.drawer()
    play.note(5_000)
    play.passes(60)
    play.pay(play.collect())
    play.passes(60)
    play.done(BuyIn(T1, DRAWER, Cents(10_000)))
    return play


def owed_to_a_session() -> Bookkeeper:
    """T1 lost its 10 on 16 and left; the number was 17, so that 360 are payable to that session."""
    play = Bookkeeper(MARINA)
    play.enrol("Pit Manager", "second")
    play.seats(T1=10)
    play.drawer()
    play.round("16", T1="10 on 17")
    play.must(EndSession(T1), device_of("pit supervisor"), "pit supervisor")
    play.must(CorrectResult(TABLE, RoundNumber(1), Pocket("17"), "misread"), device_of("pit manager"), "pit manager")
    play.must(Approve(Number(1)), device_of("second"), "second")
    return play


def pay_payable(play: Bookkeeper) -> None:
    """The cashier and the pit supervisor sign, and the cashier pays."""
    play.done(PayPayable(T1, 0, DRAWER, Cents(36_000), "Pat Patron"))
    play.must(Approve(Number(2)), device_of("pit supervisor"), "pit supervisor")
