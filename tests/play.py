"""A venue played by hand in tests: a floor with short words for what players, dealers and wheels do."""

from croupier.house.base import Decision, Event, Phase
from croupier.house.commands.play import PlaceBets, RemoveBets
from croupier.house.commands.rounds import BallAtRest, CloseBets, OpenBets, Recover, SpinBall
from croupier.house.events.setup import HouseRecovered
from croupier.house.ids import SECOND, SYSTEM, DeviceId, RoundNumber, TableId, TerminalId
from croupier.house.settings import LimitBounds, LimitSettings, Mode, TableSettings
from croupier.house.state import House
from croupier.house.state.money import LedgerAccount, TicketState
from croupier.house.verification import ledger_problems, state_digest
from croupier.rulebooks.schema import read_canonical
from croupier.rules.geometry import Pocket, SpotKey
from croupier.rules.money import Cents, cents_of
from croupier.rules.notation import parse_slip
from croupier.rules.refusal import Refusal
from croupier.transcripts.driver import TABLE, HouseDriver
from tests.conftest import venue


def cents(amount: str | int) -> Cents:
    """Read an amount as people write it: 5 is five dollars."""
    found = cents_of(str(amount))
    assert found is not None
    return found


def limits(least: int | None = None, most: int | None = None) -> LimitSettings:
    """Limits on a spot, in dollars."""
    return LimitSettings(LimitBounds(None if least is None else cents(least), None if most is None else cents(most)))


class Play(HouseDriver):
    """A floor of one venue, with seats by name; amounts are dollars, times are seconds since the start."""

    def __init__(self, rulebook_id: str, *settings: TableSettings, mode: Mode = Mode.DEMO, **more: object) -> None:
        super().__init__(venue(rulebook_id), *settings, mode=mode, **more)  # type: ignore[arg-type]

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
        number, spin = (RoundNumber(0), 1) if round_ is None else (round_.number, round_.spin)
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

    def rest(self, pocket: str, revolutions: int | None = 9, *, opposite: bool | None = True) -> Decision:
        """The wheel reports where the ball came to rest, and what it saw of the spin."""
        return self.ask(BallAtRest(TABLE, Pocket(pocket), revolutions, opposite), DeviceId(TABLE))

    def round(self, pocket: str, **slips: str) -> None:
        """Play a whole round: open, the slips by seat, close, spin, and the ball at rest."""
        self.open()
        for seat, slip in slips.items():
            placed = self.bet(seat, slip)
            assert isinstance(placed, tuple), placed
        self.close()
        if self.table.phase is Phase.CLOSED:
            self.spin()
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
        assert state_digest(self.journal.replay(House(read_canonical))) == state_digest(self.house)


def refused(answer: Decision) -> tuple[str, str | None]:
    """The code and clause of an answer that must be a refusal."""
    assert isinstance(answer, Refusal), answer
    return str(answer.code), answer.clause


def sound(house: House) -> None:
    """Assert every invariant of the books: they balance, they mirror what they stand for, and nothing is below zero."""
    ledger = house.ledger
    terminals = list(house.terminals.values())

    assert sum(ledger.balances.values()) == 0
    assert ledger[LedgerAccount.CREDIT] == sum(terminal.credit for terminal in terminals)
    assert ledger[LedgerAccount.STAKES] == sum(terminal.in_play for terminal in terminals)
    assert ledger[LedgerAccount.HELD] == sum(terminal.held_total for terminal in terminals)
    assert ledger[LedgerAccount.SUSPENSE] == sum(case.suspense for case in house.cases.values())
    assert ledger[LedgerAccount.TICKETS] == sum(ticket.amount for ticket in house.tickets.values() if ticket.payable)
    expired = sum(ticket.amount for ticket in house.tickets.values() if ticket.state is TicketState.EXPIRED)
    assert ledger[LedgerAccount.UNCLAIMED] == expired
    debts = [debt for terminal in terminals for debt in terminal.debts.values()]
    assert -ledger[LedgerAccount.RECEIVABLES] == sum(debt for debt in debts if debt > 0)
    assert -ledger[LedgerAccount.PAYABLES] == sum(debt for debt in debts if debt < 0)
    assert list(ledger_problems(house)) == []
    sealed = sum(
        sum(sum(stakes.values()) for stakes in table.round.sealed.values())
        for table in house.tables.values()
        if table.round is not None and not table.round.over and table.round.sealed is not None
    )
    won = sum(table.meters.won for table in house.tables.values())
    assert ledger[LedgerAccount.HOUSE] == won - sealed - ledger[LedgerAccount.SUSPENSE]
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


__all__ = ["SYSTEM", "TABLE", "Play", "cents", "limits", "refused", "sound"]
