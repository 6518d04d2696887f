"""A house with one table, two terminals, a cashier's desk and its staff; its balances are checked after every step."""

from collections.abc import Iterable
from itertools import count

from croupier.house import AnyCommand, House, decide, evolve
from croupier.house.credit.drawers import OpenDrawer, RedeemTicket
from croupier.house.credit.notes import InsertNote
from croupier.house.credit.tickets import Collect, ConfirmPrint, Ticket, TicketState, Validation
from croupier.house.declare import COMMANDS, Decision, Events, MachineRole, TerminalCommand
from croupier.house.floor.setup import AddTable, AddTerminal, AdoptRulebook, CreateHouse
from croupier.house.floor.signatures import Approve, ProposalMade
from croupier.house.floor.staff import EnrolDevice, EnrolPerson
from croupier.house.ids import (
    SYSTEM,
    Context,
    Day,
    DeviceId,
    DrawerId,
    Instant,
    Number,
    PersonId,
    RoundNumber,
    TableId,
    TerminalId,
)
from croupier.house.settings import Mode, TableSettings, TerminalSettings
from croupier.house.state.ledger import LedgerAccount
from croupier.house.state.records import MalfunctionCase, MalfunctionKind
from croupier.house.state.tables import HeldWin
from croupier.house.timers import Tick
from croupier.rulebooks.schema import canonical, read_canonical
from croupier.rules.money import Cents
from croupier.rules.procedure import CreditOut, Duty
from croupier.rules.refusal import ClauseId, Code, Refusal
from tests.conftest import venue

R1, T1, T2 = TableId("R1"), TerminalId("T1"), TerminalId("T2")
TODAY = Day(20261115)
#: The clause of the malfunction that blocks a terminal.
FAULT = ClauseId("11(a)iv")
#: Two cashiers, and two people who may put meters right and see to printers.
CASHIER, OTHER_CASHIER, INSPECTOR, OTHER_INSPECTOR = map(
    PersonId, ("cashier", "other cashier", "inspector", "other inspector")
)
DUTIES = {CASHIER: Duty.CASH, OTHER_CASHIER: Duty.CASH, INSPECTOR: Duty.CORRECT, OTHER_INSPECTOR: Duty.CORRECT}
DRAWER, OTHER = DrawerId("D1"), DrawerId("D2")
DESK, PIT = DeviceId("desk"), DeviceId("pit")


class CashierDesk:
    """A house where each command is sent by a device or person with the permission for it."""

    def __init__(
        self,
        rulebook_id: str,
        *,
        mode: Mode = Mode.REAL,
        settings: TerminalSettings | None = None,
        ticket_days: int | None = None,
    ) -> None:
        self.rulebook = venue(rulebook_id)
        self.house = House.new(read_canonical)
        self._clock = count(1_000)
        self.ask(CreateHouse(mode, self.rulebook.venue, "UTC", ticket_days))
        self.ask(AdoptRulebook(canonical(self.rulebook)))
        self.ask(AddTable(R1, self.rulebook.digest, TableSettings()))
        for terminal in (T1, T2):
            self.ask(AddTerminal(terminal, (R1,), settings or TerminalSettings()))
        for device in (DESK, PIT):
            self.ask(EnrolDevice(device))
        for person, duty in DUTIES.items():
            self.ask(EnrolPerson(person, (self.rulebook.staff.duties[duty].choice,)))
        self.ask(Tick(TODAY))
        self.t1, self.t2 = (self.house.terminals[name] for name in (T1, T2))

    def propose(self, command: AnyCommand, person: PersonId | None = None) -> Events:
        """Have a command carried out, or proposed where it needs a second signature."""
        context = self._context(command, person)
        answer = self.decide(command, context)
        assert isinstance(answer, tuple), answer
        for event in answer:
            evolve(self.house, event, context)
            self.audit()
        return answer

    def ask(self, command: AnyCommand, person: PersonId | None = None) -> Events:
        """Have a command carried out, with its second signature where it needs one."""
        answer = self.propose(command, person)
        if answer and isinstance(answer[0], ProposalMade):
            return self.ask(Approve(answer[0].proposal), OTHER_INSPECTOR)[1:]
        return answer

    def refused(self, command: AnyCommand, code: Code, clause: str | None, person: PersonId | None = None) -> Refusal:
        refusal = self.decide(command, self._context(command, person))
        assert isinstance(refusal, Refusal), refusal
        assert (refusal.code, refusal.clause) == (code, clause)
        assert refusal.message.endswith(".")
        return refusal

    def decide(self, command: AnyCommand, context: Context | None = None) -> Decision:
        """Decide a command, which must change nothing."""
        before = self._reported()
        answer = decide(self.house, command, context or self._context(command))
        assert self._reported() == before
        return answer

    def _reported(self) -> str:
        house = self.house
        return repr((house.ledger.balances, house.terminals, house.tickets.all, house.tickets.by_digest, house.drawers))

    def _context(self, command: AnyCommand, person: PersonId | None = None) -> Context:
        """Sign for a command: as the person who is named, or as the first who may ask for it."""
        now, grant = Instant(next(self._clock)), COMMANDS[type(command)].permission
        if person is not None:
            return Context(now, PIT if person == OTHER_INSPECTOR else DESK, person)
        if MachineRole.SYSTEM in grant.machines:
            return Context(now, SYSTEM)
        if isinstance(command, TerminalCommand) and MachineRole.TERMINAL in grant.machines:
            return Context(now, DeviceId(command.terminal))
        return Context(now, DESK, CASHIER if Duty.CASH in grant.duties else INSPECTOR)

    def audit(self) -> None:
        """Check that all accounts are nil together, and that each mirrors what it is the account of."""
        ledger, out, drawers = self.house.ledger, self.house.tickets.all.values(), self.house.drawers.values()
        terminals = self.house.terminals.values()
        meters = [terminal.meters for terminal in terminals]
        assert sum(ledger.balances.values()) == 0
        assert ledger[LedgerAccount.CREDIT] == sum(terminal.credit for terminal in terminals)
        assert ledger[LedgerAccount.STAKES] == sum(terminal.in_play for terminal in terminals)
        assert ledger[LedgerAccount.HELD] == sum(terminal.held_total for terminal in terminals)
        assert ledger[LedgerAccount.TICKETS] == worth(out, TicketState.ISSUED, TicketState.PRINTED)
        assert ledger[LedgerAccount.UNCLAIMED] == worth(out, TicketState.EXPIRED)
        assert ledger[LedgerAccount.DRAWERS] == -sum(drawer.cash for drawer in drawers)
        assert ledger[LedgerAccount.NOTES] == -sum(
            value * pieces for each in meters for value, pieces in each.notes.items()
        )
        # I5: what was issued is redeemed, void, unclaimed or still out.
        assert sum(each.tickets_out for each in meters) == worth(out, *TicketState)
        assert sum(each.tickets_back for each in meters) == worth(out, TicketState.VOID)
        # I6: a drawer holds its float and fills less drops and what was paid from it, and what was taken into it.
        for drawer in (each for each in drawers if not each.closed):
            vault = drawer.float_ + drawer.filled - drawer.dropped
            assert drawer.cash == vault - drawer.paid_out + drawer.taken_in >= 0
        # I2: a terminal's meters say what is on it.
        for terminal in terminals:
            assert terminal.credit >= 0
            assert terminal.meters.balance() == terminal.credit + terminal.in_play + terminal.held_total - terminal.owes

    def stake(self, amount: int) -> None:
        """Put credits of the first terminal on its layout."""
        self.house.ledger.post(amount, source=LedgerAccount.CREDIT, target=LedgerAccount.STAKES)
        self.t1.credit -= amount
        self.t1.games[R1].staked += amount
        self.audit()

    def win(self, amount: int) -> None:
        """Pay a win to the first terminal's meter."""
        self.house.ledger.post(amount, source=LedgerAccount.HOUSE, target=LedgerAccount.CREDIT)
        self.t1.credit += amount
        self.t1.meters.returned += amount
        self.audit()

    def hold(self, amount: int) -> Number:
        """Hold a win of the first terminal for its form."""
        self.house.held_wins += 1
        number = Number(self.house.held_wins)
        self.t1.holds[number] = HeldWin(number, R1, RoundNumber(1), amount, {})
        self.house.ledger.post(amount, source=LedgerAccount.HOUSE, target=LedgerAccount.HELD)
        self.t1.meters.returned += amount
        self.audit()
        return number

    def block(self) -> None:
        """Open a case that blocks the first terminal."""
        case = MalfunctionCase(Number(1), T1, MalfunctionKind.OPINION, FAULT, "It flickers.", Instant(1), ())
        self.house.cases.all[case.number] = case
        self.t1.case = case.number

    def issue(self, amount: int) -> Ticket:
        """Win an amount on the first terminal and collect it."""
        self.win(amount)
        self.ask(self.collecting())
        return self.house.tickets.all[Number(len(self.house.tickets.all))]

    def dispense(self, amount: int) -> Ticket:
        """Win an amount on the first terminal, collect it, and have the terminal print the paper."""
        ticket = self.issue(amount)
        self.ask(ConfirmPrint(T1, ticket.sequence))
        return ticket

    def collecting(self, form: CreditOut | None = None) -> Collect:
        sequence = self.house.tickets.next_number
        return Collect(T1, Validation(sequence, f"digest {sequence}", f"{sequence:04d}"), form)


def worth(some: Iterable[Ticket], *states: TicketState) -> int:
    return sum(ticket.amount for ticket in some if ticket.state in states)


def note(units: int, currency: str = "AUD") -> InsertNote:
    return InsertNote(T1, currency, Cents(units * 100))


def redeeming(sequence: int = 1, on_paper: int | None = None, drawer: DrawerId = DRAWER) -> RedeemTicket:
    return RedeemTicket(drawer, f"digest {sequence}", None if on_paper is None else Cents(on_paper))


def with_drawer(rulebook_id: str, cash: int = 100_000, ticket_days: int | None = None) -> CashierDesk:
    """A till with a drawer that is out with the cashier."""
    desk = CashierDesk(rulebook_id, ticket_days=ticket_days)
    desk.ask(OpenDrawer(DRAWER, Cents(cash)), CASHIER)
    return desk
