"""A witness: plays a floor, and after every command verifies the invariants of the house."""

from collections import Counter
from collections.abc import Iterator
from typing import Any, ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant

from croupier.house import AnyCommand, House
from croupier.house.credit.drawers import BoughtIn, PayablePaid
from croupier.house.credit.held_wins import HeldWinPaid, RecordTaxForm, ReleaseHeldWin
from croupier.house.credit.notes import GrantPlayMoney, NoteStacked, PlayMoneyGranted
from croupier.house.credit.sessions import CreditAdjusted
from croupier.house.credit.tickets import TicketIssued, TicketRedeemed, TicketsExpired, TicketVoided
from croupier.house.declare import Decision, Event, RoundEvent
from croupier.house.floor.malfunctions import BetsConfirmed, ClearCase, VoidBets
from croupier.house.floor.service import ReportTerminalReturned
from croupier.house.floor.signatures import Approve, ProposalMade
from croupier.house.ids import SYSTEM, DeviceId, Instant, Number, RoundNumber, TableId, TerminalId
from croupier.house.play.betting import BetsChanged
from croupier.house.rounds.closing import BetsClosing, BetsSealed
from croupier.house.rounds.corrections import OutcomeInvalidated, ResultCorrected
from croupier.house.rounds.irregularities import RoundVoided, SpinVoided, TerminalsReset
from croupier.house.rounds.opening import BetsOpened, OpenBets
from croupier.house.rounds.settlement import ResultDeclared, RoundSettled
from croupier.house.settings import TableSettings, TerminalSettings, WheelKind
from croupier.house.state.ledger import LedgerAccount
from croupier.house.state.tables import Phase, Round, RoundStatus, Table, Terminal
from croupier.house.timers import Tick, due, timers_of
from croupier.house.verification import state_digest
from croupier.rulebooks.schema import read_canonical
from croupier.rules.geometry import SpotKey
from croupier.rules.money import Cents
from croupier.rules.procedure import Duty, Effect, WinningStake
from croupier.rules.refusal import Refusal
from croupier.rules.rulebook import Stakes
from croupier.transcripts.driver import device_of
from tests.support.house_driver import Play, cents, limits, sound
from tests.support.oracle import legal_bets
from tests.support.sample_commands import ADELAIDE, CLEARWATER, MARINA, US

#: What a round never comes to at a venue: without a warning there is no last call, and where a no spin voids the
#: round or opens bets again at once nobody waits for a reset. At Marina Bay Sands no ball runs while bets are open. In
#: these walks there are no chips, which a dealer would pay by hand.
UNREACHABLE = {
    MARINA: {Phase.OPEN_RUNNING, Phase.LAST_CALL, Phase.NO_SPIN, Phase.PAYING},
    ADELAIDE: {Phase.PAYING},
    CLEARWATER: {Phase.LAST_CALL, Phase.NO_SPIN, Phase.PAYING},
    US: {Phase.LAST_CALL, Phase.NO_SPIN, Phase.PAYING},
}
SEATS = (TerminalId("T1"), TerminalId("T2"))
#: How many commands pass between two readings of the whole journal.
REPLAY_EVERY = 40
#: How many ticks one stretch of time may take before the clock counts as stuck.
TICKS_MAX = 200

#: In which states of a spin an event has its place, and to which it leads.
STAGES: dict[type[Event], tuple[frozenset[str], str]] = {
    BetsOpened: (frozenset({"over"}), "open"),
    BetsClosing: (frozenset({"open"}), "closing"),
    BetsSealed: (frozenset({"closing"}), "sealed"),
    ResultDeclared: (frozenset({"sealed"}), "declared"),
    RoundSettled: (frozenset({"declared"}), "over"),
    RoundVoided: (frozenset({"open", "closing", "sealed", "no spin"}), "over"),
    TerminalsReset: (frozenset({"no spin"}), "open"),
}

#: What ends a spin.
ENDS = (ResultDeclared, RoundSettled, RoundVoided, SpinVoided)


class Before:
    """What must be known of the house before a command, to tell what it moved."""

    def __init__(self, house: House) -> None:
        self.wealth = {terminal.id: wealth(house, terminal) for terminal in house.terminals.values()}
        self.holds = {n: hold.amount for terminal in house.terminals.values() for n, hold in terminal.holds.items()}
        self.suspense = {case.number: case.suspense for case in house.cases.all.values()}
        self.paid = {
            (table.id, round_.number): dict(round_.paid)
            for table in house.tables.values()
            for round_ in (*table.past, *([table.round] if table.round else []))
        }
        #: Tables whose round waits for somebody's decision.
        self.referred = {
            table.id
            for table in house.tables.values()
            if table.round and table.round.status is RoundStatus.SUSPENDED and table.round.decide_by is None
        }
        self.over = {table.id: table.round is None or table.round.over for table in house.tables.values()}


def wealth(house: House, terminal: Terminal) -> int:
    """Count all that is a player's at one terminal: credits, chips, wins that are held and stakes in question."""
    suspense = sum(case.suspense for case in house.cases.all.values() if case.terminal == terminal.id)
    return terminal.credit + terminal.in_play + terminal.held_total + suspense - terminal.owes


def sealed(table: Table) -> int:
    """Count the stakes that are sealed at a table and not settled yet."""
    running = table.round if table.round and not table.round.over else None
    return sum(sum(stakes.values()) for stakes in (running.layouts if running else {}).values())


class Witness:
    """A floor of which every answer is held against what must be true."""

    def __init__(self, floor: Play) -> None:
        self.floor = floor
        self.house = floor.house
        self.print = state_digest(floor.house)
        self.stages = dict.fromkeys(floor.house.tables, "over")
        #: Winning stakes that stay up after a round.
        self.stayed: dict[tuple[TableId, TerminalId], Stakes] = {}
        #: How often each ticket was paid, voided or lapsed.
        self.ended: Counter[Number] = Counter()
        self.answers: Counter[str] = Counter()

    def ask(self, command: AnyCommand, device: DeviceId = SYSTEM, person: str = "") -> Decision:
        """Ask, and see that a refusal changes nothing and that what is done is right."""
        before = Before(self.house)
        answer = self.floor.ask(command, device, person)
        was, self.print = self.print, state_digest(self.house)
        if isinstance(answer, Refusal):
            self.answers[str(answer.code)] += 1
            assert self.print == was, (command, answer)
        else:
            self.answers[type(command).__name__] += 1
            self._see(command, answer, before)
            if any(device == DeviceId(table) for table in before.referred):
                # 6.1: nothing that a wheel reports settles or voids what was put before somebody to decide.
                assert not any(isinstance(event, ENDS) for event in answer), (command, answer)
        self.verify()
        return answer

    def by(self, person: str, command: AnyCommand) -> Decision:
        """Ask as a member of staff, at their console."""
        return self.ask(command, device_of(person), person)

    def run_clock(self, now: int) -> None:
        """Let time pass, with every tick that falls due; only a gaming day that is over waits for somebody else."""
        for _ in range(TICKS_MAX):
            at = due(self.house)
            if at is None or at > now:
                break
            self.floor.now = max(self.floor.now, at)
            if self.ask(Tick()) == ():
                assert at == self.house.day_ends_at, at
                break
        else:
            raise AssertionError("the clock is stuck")
        self.floor.now = Instant(max(self.floor.now, now))

    def replay(self) -> None:
        """Read the journal again: it gives the same house."""
        assert [entry.event for entry in self.floor.journal.entries()] == self.floor.events
        assert state_digest(self.floor.journal.replay(House.new(read_canonical))) == self.print

    def _see(self, command: AnyCommand, events: tuple[Event, ...], before: Before) -> None:
        moved: Counter[TerminalId] = Counter()
        for event in events:
            self._stage(event, before)
            self._tickets(event)
            for name, amount in self._moves(event, before):
                moved[name] += amount
        for name, terminal in self.house.terminals.items():
            assert wealth(self.house, terminal) == before.wealth.get(name, 0) + moved[name], (command, events)

    def _stage(self, event: Event, before: Before) -> None:
        """Every step of a spin has its place: closing before the seal, the seal before the result, and so on."""
        if isinstance(event, BetsChanged):
            assert self.stages[self.house.positions[event.position].table] == "open", event
        if not isinstance(event, RoundEvent):
            return
        stage = self.stages.get(event.table, "over")
        if isinstance(event, SpinVoided):
            assert stage in ("open", "closing", "sealed"), event
            self.stages[event.table] = "open" if event.effect is Effect.KEEP_AND_RESPIN else "no spin"
        elif isinstance(event, OutcomeInvalidated):
            running = self.house.tables[event.table].rounds == event.round and not before.over[event.table]
            self.stages[event.table] = "over" if running else stage
        elif type(event) in STAGES:
            places, self.stages[event.table] = STAGES[type(event)]
            assert stage in places, (stage, event)
        if isinstance(event, BetsSealed):
            self._within_limits(event.table)

    def _within_limits(self, name: TableId) -> None:
        """No layout is sealed that breaks a limit: the operator's, or the document's own at the US table."""
        table = self.house.tables[name]
        bounds = table.settings.limits.spot
        least, most = (100, 400) if table.rulebook.id == US else (bounds.least or 1, bounds.most or 10**9)
        layouts = table.round.layouts if table.round else {}
        assert all(least <= stake <= most for stakes in layouts.values() for stake in stakes.values()), layouts

    def _tickets(self, event: Event) -> None:
        match event:
            case TicketRedeemed(sequence=sequence) | TicketVoided(sequence=sequence):
                self.ended[sequence] += 1
            case TicketsExpired(sequences=sequences):
                self.ended.update(sequences)

    def _moves(self, event: Event, before: Before) -> Iterator[tuple[TerminalId, int]]:
        """Tell what an event may move into or out of terminals; all other events move nothing."""
        tickets = self.house.tickets.all
        match event:
            case NoteStacked(value=amount) | PlayMoneyGranted(amount=amount) | BoughtIn(amount=amount):
                yield event.terminal, amount
            case TicketIssued(terminal=terminal, amount=amount) | PayablePaid(terminal=terminal, amount=amount):
                yield terminal, -amount
            case TicketRedeemed(sequence=sequence, place=place, at_terminal=True):
                yield TerminalId(place), tickets[sequence].amount
            case TicketVoided(sequence=sequence):
                yield tickets[sequence].terminal, tickets[sequence].amount
            case CreditAdjusted(terminal=terminal, amount=change):
                yield terminal, change
            case HeldWinPaid(terminal=terminal, hold=hold):
                yield terminal, -before.holds[hold]
            case RoundSettled(table=table, round=number):
                yield from self._settled(table, number)
            case ResultCorrected(table=table, round=number) | OutcomeInvalidated(table=table, round=number):
                yield from self._repaid(table, number, before)
            case BetsConfirmed(case=case):
                yield from self._confirmed(case, before)

    def _round(self, table: TableId, number: RoundNumber) -> Round:
        found = self.house.tables[table].find_round(number)
        assert found is not None
        return found

    def _settled(self, table: TableId, number: RoundNumber) -> Iterator[tuple[TerminalId, int]]:
        """Each terminal that sealed bets gets what they bring by the venue's document, unless they are in question."""
        round_ = self._round(table, number)
        assert round_.sealed is not None
        self.stayed = {here: stakes for here, stakes in self.stayed.items() if here[0] != table}
        for position, stakes in round_.layouts.items():
            name = self.house.positions[position].terminal
            stays = self.house.terminals[name].channel.winning_stake.choice is WinningStake.STAY
            self.stayed[table, name] = {s: n for s, n in stakes.items() if self._gross(s, round_)} if stays else {}
            if position in round_.paid:
                assert round_.paid[position] == self._brings(stakes, round_)
                yield name, round_.paid[position] - sum(stakes.values())
            else:
                self.stayed[table, name] = {}
                assert any((table, number) in case.questioned for case in self.house.cases.all.values())

    def _repaid(self, table: TableId, number: RoundNumber, before: Before) -> Iterator[tuple[TerminalId, int]]:
        """A correction or an invalid outcome posts to every terminal the difference, and no more."""
        round_ = self._round(table, number)
        for position, was in before.paid[table, number].items():
            assert round_.sealed is not None
            stakes, name = round_.layouts[position], self.house.positions[position].terminal
            yield name, (sum(stakes.values()) if round_.invalidated else self._brings(stakes, round_)) - was

    def _confirmed(self, number: Number, before: Before) -> Iterator[tuple[TerminalId, int]]:
        """Bets that are confirmed bring what the record says, for the stakes that were set aside."""
        case = self.house.cases.all[number]
        yield case.terminal, case.returned - before.suspense[number]
        due_by_record = 0
        for table, round_number in case.questioned:
            round_ = self._round(table, round_number)
            position = self.house.terminals[case.terminal].games[table].id
            stakes = round_.layouts.get(position, {})
            if round_.status is RoundStatus.SETTLED:
                due_by_record += sum(stakes.values()) if round_.invalidated else self._brings(stakes, round_)
        assert case.returned == due_by_record

    def _gross(self, spot: SpotKey, round_: Round) -> int:
        rulebook = self.house.rulebooks[round_.rulebook]
        numbers = frozenset(map(str, rulebook.spots[spot].numbers))
        assert round_.pocket is not None
        return legal_bets(rulebook.id)[numbers].gross(round_.pocket)

    def _brings(self, stakes: Stakes, round_: Round) -> int:
        return sum(stake * self._gross(spot, round_) for spot, stake in stakes.items())

    def verify(self) -> None:
        """Verify every invariant of the house."""
        house = self.house
        sound(house)
        drawers = sum(drawer.cash for drawer in house.drawers.values() if not drawer.closed)
        assert -house.ledger[LedgerAccount.DRAWERS] == drawers
        assert all(times == 1 for times in self.ended.values())
        ended = {number for number, ticket in house.tickets.all.items() if not ticket.payable}
        assert set(self.ended) <= ended
        won = sum(table.meters.won - sealed(table) for table in house.tables.values())
        assert house.ledger[LedgerAccount.HOUSE] == won - house.ledger[LedgerAccount.SUSPENSE]
        for table in house.tables.values():
            assert table.phase not in UNREACHABLE[table.rulebook.id]
            assert (self.stages.get(table.id, "over") == "over") == (table.phase is Phase.BETWEEN)
            if table.round is not None and table.round.over:
                self._nothing_left(table.id, table.round)

    def _nothing_left(self, table: TableId, round_: Round) -> None:
        """No stake outlives its round, but a winning one where the rules leave it up."""
        for name in self.house.tables[table].terminals:
            stayed = self.stayed.get((table, name), {}) if round_.status is RoundStatus.SETTLED else {}
            assert self.house.terminals[name].games[table].bets in ({}, stayed)


class Machine(RuleBasedStateMachine):
    """A venue with its tables, terminals and people, of which everything is asked before a witness."""

    rulebook_id: ClassVar[str]

    @initialize(
        wheel=st.sampled_from(WheelKind),
        confirms=st.booleans(),
        timed=st.booleans(),
        bounded=st.booleans(),
        pause_s=st.sampled_from([None, 2]),
        warning_s=st.sampled_from([0, 5]),
        attest_s=st.sampled_from([0, 20]),
    )
    def found(self, *, wheel: WheelKind, confirms: bool, timed: bool, bounded: bool, **seconds: Any) -> None:  # noqa: ANN401 - settings by name
        """Found the house: its tables, its terminals, and two people of every title."""
        self.settings = TableSettings(
            wheel=wheel,
            confirms=confirms,
            betting_s=20 if timed else None,
            limits=limits(1, 50) if bounded else limits(),
            offline_grace_s=3,
            session_idle_s=20,
            decision_s=10,
            rest_s=30,
            **seconds,
        )
        games = 2 if self.rulebook_id == CLEARWATER else 1
        floor = Play(self.rulebook_id, *([self.settings] * games), ticket_days=1)
        for title in (*floor.rulebook.staff.order, "Cashier"):
            floor.enrol(title, f"{title.lower()} 2")
        self.floor, self.house = floor, floor.house
        offers = TerminalSettings(denominations=(Cents(1), Cents(50)))
        floor.seat(SEATS[0], cents(200), offers, tables=tuple(self.house.tables))
        floor.seat(SEATS[1], cents(50), offers)
        self.witness = Witness(floor)
        for table in self.house.tables:
            self.witness.ask(OpenBets(table))

    def teardown(self) -> None:
        if hasattr(self, "witness"):
            self.witness.replay()

    @invariant()
    def replays(self) -> None:
        """Now and then the journal is read again."""
        if hasattr(self, "witness") and self.witness.answers.total() % REPLAY_EVERY == REPLAY_EVERY - 1:
            self.witness.replay()

    @invariant()
    def timers_follow_from_the_state(self) -> None:
        """The timers are those that are worked out from the state."""
        if hasattr(self, "witness"):
            assert sorted(self.house.timers.pending()) == sorted(timers_of(self.house).pending())

    def table(self, place: int) -> Table:
        return list(self.house.tables.values())[place % len(self.house.tables)]

    def player(self, seat: TerminalId, command: AnyCommand) -> None:
        self.witness.ask(command, DeviceId(seat))

    def wheel(self, table: Table, command: AnyCommand) -> None:
        self.witness.ask(command, DeviceId(table.id))

    def staff(self, duty: Duty, command: AnyCommand, *, second: bool = True) -> None:
        """Have somebody of the lowest title for a duty ask, and another of that title sign where it takes two."""
        person = self.floor.rulebook.staff.titles_for(duty)[0].lower()
        answer = self.witness.by(person, command)
        if second and isinstance(answer, tuple) and answer and isinstance(answer[0], ProposalMade):
            self.witness.by(f"{person} 2", Approve(answer[0].proposal))

    def game(self, seat: TerminalId, place: int) -> tuple[TerminalId, TableId, RoundNumber, int]:
        return self.floor.game(seat, self.table(place).id)

    def mend(self, seat: TerminalId) -> None:
        """Bring a terminal back into play: its link, its case, its held wins, and something on the meter."""
        terminal = self.house.terminals[seat]
        if terminal.lost_at is not None:
            self.witness.ask(ReportTerminalReturned(seat))
        if terminal.case is not None:
            self.staff(Duty.DEAL, VoidBets(terminal.case, "to go on"))
            self.staff(Duty.MAINTAIN, ClearCase(terminal.case))
        for hold in tuple(terminal.holds):
            self.staff(Duty.CASH, RecordTaxForm(seat, hold, "A. Patron", "W-1"))
            self.staff(Duty.CASH, ReleaseHeldWin(seat, hold))
        if terminal.credit < cents(50):
            self.witness.ask(GrantPlayMoney(seat, cents(100)))
