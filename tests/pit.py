"""A pit: a house with a table, two terminals and two people of every title, whose books are checked at every step."""

from croupier.house.base import Events
from croupier.house.commands import AnyCommand
from croupier.house.commands.credit import InsertNote
from croupier.house.commands.play import PlaceBets
from croupier.house.commands.rounds import BallAtRest, BallLaunched, CloseBets, OpenBets, Tick
from croupier.house.commands.setup import (
    AddTable,
    AddTerminal,
    AdoptRulebook,
    Approve,
    ApproveBuild,
    CreateHouse,
    EnrolDevice,
    EnrolPerson,
    ReportBuild,
)
from croupier.house.dispatch import apply
from croupier.house.events.setup import ProposalMade
from croupier.house.ids import SECOND, SYSTEM, Context, Day, DeviceId, Instant, PersonId, TableId, TerminalId
from croupier.house.settings import Mode, TableSettings, TerminalSettings
from croupier.house.state import House
from croupier.house.state.money import LedgerAccount
from croupier.house.state.tables import Round, Terminal
from croupier.rulebooks.schema import canonical, read_canonical
from croupier.rules.geometry import Pocket
from croupier.rules.money import Cents
from croupier.rules.procedure import CloseRule
from croupier.rules.refusal import Code, Refusal
from tests.conftest import venue

ADELAIDE, CLEARWATER = "skycity-adelaide-2003", "clearwater-etg"
MARINA, US = "marina-bay-sands-2020", "us-double-zero"
A1, A2 = TableId("A1"), TableId("A2")
T1, T2, T3 = TerminalId("T1"), TerminalId("T2"), TerminalId("T3")
CONSOLE, DESK = DeviceId("console"), DeviceId("desk")
#: No warning before the close, so that whoever closes betting does so at once.
PROMPT = TableSettings(warning_s=0)


class Pit:
    """A house where things are asked for at a time of its own, in seconds."""

    def __init__(self, rulebook_id: str = ADELAIDE, *, mode: Mode = Mode.REAL) -> None:
        self.rulebook = venue(rulebook_id)
        self.house = House(read_canonical)
        self.now = 0
        self.ask(CreateHouse(mode, self.rulebook.venue, "UTC"))
        self.ask(Tick(Day(20261115)))
        self.ask(ApproveBuild("h0", "LGC-2003-1"))
        self.ask(ReportBuild("h0"))
        self.ask(AdoptRulebook(canonical(self.rulebook)))
        self.ask(AddTable(A1, self.rulebook.digest, PROMPT))
        for terminal in (T1, T2):
            self.ask(AddTerminal(terminal, (A1,), TerminalSettings()))
        for device in (CONSOLE, DESK):
            self.ask(EnrolDevice(device))
        for title in (*self.rulebook.staff.order, *self.rulebook.staff.others):
            self.ask(EnrolPerson(PersonId(title), (title,)))
            self.ask(EnrolPerson(PersonId(f"other {title}"), (title,)))
        self.t1, self.t2 = self.house.terminals[T1], self.house.terminals[T2]
        self.table = self.house.tables[A1]

    def context(self, by: str = "", on: str = "") -> Context:
        device = DeviceId(on or (CONSOLE if by else SYSTEM))
        return Context(Instant(self.now * SECOND), device, PersonId(by))

    def ask(self, command: AnyCommand, by: str = "", on: str = "") -> Events:
        """Have a command carried out: by a person on the console, by a device, or by the house itself."""
        answer = apply(self.house, command, self.context(by, on))
        assert isinstance(answer, tuple), answer
        self.audit()
        return answer

    def signed(self, command: AnyCommand, title: str) -> Events:
        """Have a command carried out that takes two people of one title."""
        made = self.ask(command, title)[0]
        assert isinstance(made, ProposalMade)
        return self.ask(Approve(made.proposal), f"other {title}", DESK)[1:]

    def refused(
        self, command: AnyCommand, code: Code, clause: str | None = None, by: str = "", on: str = ""
    ) -> Refusal:
        """Be refused for a reason, by a clause."""
        answer = apply(self.house, command, self.context(by, on))
        assert isinstance(answer, Refusal), answer
        assert (answer.code, answer.clause) == (code, clause)
        assert answer.message
        return answer

    def note(self, terminal: TerminalId, value: int) -> None:
        self.ask(InsertNote(terminal, self.rulebook.currency, Cents(value)), on=terminal)

    def placing(self, terminal: TerminalId, *bets: tuple[str, int]) -> PlaceBets:
        round_ = self.round
        return PlaceBets(terminal, A1, round_.number, round_.spin, bets)

    def bet(self, terminal: TerminalId, spot: str, stake: int) -> None:
        self.ask(self.placing(terminal, (spot, stake)), on=terminal)

    def open(self, *, credit: int = 0, stake: int = 0) -> None:
        """Open a round; T1 buys credits and puts some on 17."""
        if credit:
            self.note(T1, credit)
        self.ask(OpenBets(A1))
        if stake:
            self.bet(T1, "17", stake)

    def close(self) -> None:
        """Close betting, with the ball running where the rules have it so."""
        closes = self.rulebook.procedure.closes.choice
        if closes in (CloseRule.AFTER_LAUNCH, CloseRule.DURING_SPIN):
            self.ask(BallLaunched(A1, opposite=True), on=A1)
        self.ask(CloseBets(A1))
        if closes in (CloseRule.BEFORE_SPIN, CloseRule.BEFORE_OR_DURING_SPIN):
            self.ask(BallLaunched(A1, opposite=True), on=A1)

    def rest(self, pocket: str) -> Events:
        """Let the ball come to rest after a spin that holds."""
        return self.ask(BallAtRest(A1, Pocket(pocket), revolutions=5, opposite=True), on=A1)

    @property
    def round(self) -> Round:
        assert self.table.round is not None
        return self.table.round

    def audit(self) -> None:
        """Verify the books, and every terminal's meters, with the state that they mirror."""
        house, terminals = self.house, list(self.house.terminals.values())
        ledger = house.ledger
        assert sum(ledger.balances.values()) == 0
        assert ledger[LedgerAccount.CREDIT] == sum(each.credit for each in terminals)
        assert ledger[LedgerAccount.STAKES] == sum(each.in_play for each in terminals)
        assert ledger[LedgerAccount.SUSPENSE] == sum(case.suspense for case in house.cases.values())
        for each in terminals:
            assert each.credit >= 0
            assert each.meters.balance() == each.credit + self._unsealed(each) + each.held_total - each.owes

    def _unsealed(self, terminal: Terminal) -> int:
        tables = ((self.house.tables[game.table].round, game) for game in terminal.games.values())
        return sum(game.staked for round_, game in tables if round_ is None or round_.over or round_.sealed is None)
