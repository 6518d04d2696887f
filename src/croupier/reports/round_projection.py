"""Projection of rounds and held wins."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from croupier.engine.replay import Projection
from croupier.house import House
from croupier.house.credit.held_wins import HeldWinPaid, TaxFormRecorded
from croupier.house.declare import RoundEvent
from croupier.house.floor.malfunctions import BetsConfirmed, BetsVoided
from croupier.house.floor.permissions import hold_clause
from croupier.house.ids import (
    Context,
    Day,
    DrawerId,
    Instant,
    Number,
    PersonId,
    PositionId,
    RoundNumber,
    TableId,
    TerminalId,
)
from croupier.house.rounds.corrections import OutcomeInvalidated, ResultCorrected
from croupier.house.rounds.settlement import CarriedReleased, WinHeld, last_settled
from croupier.house.state.ledger import TableMeters
from croupier.house.state.tables import HeldWin, Round, RoundStatus
from croupier.journal.entry import Entry
from croupier.reports.header import copies, currency_at, document_header, no_record
from croupier.reports.slips import HandPay, Receipt, TaxForm, TaxReversal
from croupier.reports.summaries import TableReportRound
from croupier.rules.money import Cents
from croupier.rules.procedure import Tax, TaxBasis
from croupier.rules.refusal import Code, Refused

#: How many rounds of each table are listed at most: more than two days, with a round every forty seconds.
LINES_MAX: Final = 5_000


@dataclass(slots=True)
class RoundTotals:
    """One round on one day, as its table's meters count it."""

    round: RoundNumber
    staked: int = 0
    back: int = 0
    result: str = ""
    #: When it was over, or was first corrected on that day.
    at: Instant = Instant(0)

    def add(self, staked: int, back: int) -> None:
        self.staked += staked
        self.back += back


class RoundProjection(Projection):
    """The last rounds of every table.

    A correction on the round's own day changes its line. A correction on a later day is a line of that day, as it is in
    the totals of that day.
    """

    def __init__(self) -> None:
        self._running: dict[tuple[TableId, RoundNumber], RoundTotals] = {}
        self._over: dict[TableId, dict[tuple[Day, RoundNumber], RoundTotals]] = {}
        self._counted: dict[TableId, tuple[int, int]] = {}

    def before_entry(self, house: House, entry: Entry) -> None:
        self._counted = {table: _counted(house.tables[table].meters) for table, _ in concerned(house, entry)}

    def after_entry(self, house: House, entry: Entry) -> None:
        for name, round_ in concerned(house, entry):
            if round_ is None:
                # The round has left the state: a dispute about it moves no money.
                continue
            (staked, back), (was_staked, was_back) = _counted(house.tables[name].meters), self._counted[name]
            moved = staked - was_staked, back - was_back
            if round_.over:
                self._note(name, round_, moved, (house.day, entry.context.now))
            else:
                self._running.setdefault((name, round_.number), RoundTotals(round_.number)).add(*moved)

    def _note(self, table: TableId, round_: Round, moved: tuple[int, int], when: tuple[Day, Instant]) -> None:
        """Record the totals of a round that is over, or what a correction changed."""
        lines, (day, now) = self._over.setdefault(table, {}), when
        line = lines.get((day, round_.number))
        if line is None:
            line = self._running.pop((table, round_.number), None) or (
                RoundTotals(round_.number) if any(moved) else None
            )
            if line is None:
                return
            line.at = now
            lines[day, round_.number] = line
        line.add(*moved)
        line.result = _result(round_)
        if len(lines) > LINES_MAX:
            del lines[next(iter(lines))]

    def on(self, table: TableId, day: Day) -> tuple[TableReportRound, ...]:
        """List the rounds of a table on a day; none unless all of them are still listed."""
        return tuple(
            TableReportRound(line.round, line.at, line.result, line.staked, line.back)
            for (on, _), line in self._over.get(table, {}).items()
            if on == day and self.are_listed(table, day)
        )

    def are_listed(self, table: TableId, day: Day) -> bool:
        """Return whether all rounds of a table on a day are still listed."""
        first_day, first = next(iter(self._over.get(table, {})), (day, RoundNumber(1)))
        return first == 1 or first_day < day


def concerned(house: House, entry: Entry) -> Iterable[tuple[TableId, Round | None]]:
    """Find the rounds that an entry is about, each with its table; an open case keeps its rounds."""
    match entry.event:
        case RoundEvent() as event:
            return ((event.table, house.tables[event.table].find_round(event.round)),)
        case BetsConfirmed() | BetsVoided() as event:
            case = house.cases.all[event.case]
            return tuple((table, round_) for (table, _), round_ in zip(case.questioned, case.rounds, strict=True))
        case CarriedReleased() as event:
            # No spin follows the last one that counted: what comes back of its stakes belongs to it.
            return ((event.table, last_settled(house.tables[event.table])),)
        case _:
            return ()


def _counted(meters: TableMeters) -> tuple[int, int]:
    return meters.turnover, meters.returned + meters.refunded


def _result(round_: Round) -> str:
    """Return the result, with the results before its corrections."""
    if round_.status is RoundStatus.VOID or round_.invalidated:
        return "void"
    assert round_.pocket is not None
    was = f", was {', '.join(round_.corrected)}" if round_.corrected else ""
    return f"{round_.pocket}{was}"


#: Events that correct a round that is over.
_PUT_RIGHT: Final = (ResultCorrected, OutcomeInvalidated)


class TaxRule(NamedTuple):
    """The tax rule by which a win was held, from the rulebook and settings of its round."""

    tax: Tax
    basis: TaxBasis
    currency: str


class TaxFormEntry(NamedTuple):
    """A tax form as it was recorded: when, by whom, and for what."""

    at: Instant
    person: PersonId
    patron: str
    form_number: str
    amount: int
    bases: Mapping[TaxBasis, int]


class HandPayEntry(NamedTuple):
    """When a win was paid by hand, by whom, and from which drawer."""

    at: Instant
    person: PersonId
    drawer: DrawerId


@dataclass(slots=True)
class HeldWinRecord:
    """A held win, from when it was won."""

    hold: HeldWin
    terminal: TerminalId
    won_at: Instant
    rule: TaxRule
    recorded: TaxFormEntry | None = None
    #: What was reversed since the form was recorded, and when last.
    reversal: TaxReversal | None = None
    paid: HandPayEntry | None = None

    def record(self, context: Context) -> None:
        """Record a tax form: later changes of the win do not change it."""
        hold, self.reversal = self.hold, None
        bases = {basis: hold.bases[basis.value] for basis in TaxBasis}
        self.recorded = TaxFormEntry(context.now, context.person, hold.patron, hold.form_number, hold.amount, bases)

    def reverse(self, amount: int, now: Instant) -> None:
        """Record by how much its round's return fell since the form was recorded."""
        if self.recorded is not None:
            before = 0 if self.reversal is None else self.reversal.amount
            self.reversal = TaxReversal(now, Cents(min(before + amount, self.recorded.amount)))


class HeldWinProjection(Projection):
    """Every held win, by its number."""

    def __init__(self) -> None:
        self.known: dict[Number, HeldWinRecord] = {}
        #: The return of each position in a round before an entry corrects it.
        self._brought: dict[PositionId, int] = {}

    def before_entry(self, house: House, entry: Entry) -> None:
        if isinstance(entry.event, _PUT_RIGHT):
            ((_, round_),) = concerned(house, entry)
            assert round_ is not None
            self._brought = dict(round_.paid)

    def after_entry(self, house: House, entry: Entry) -> None:
        event, context = entry.event, entry.context
        match event:
            case WinHeld():
                self.known[event.hold] = _held_win(house, event, context)
            case TaxFormRecorded():
                self.known[event.hold].record(context)
            case HeldWinPaid():
                self.known[event.hold].paid = HandPayEntry(context.now, context.person, event.drawer)
            case ResultCorrected() | OutcomeInvalidated():
                self._take_back(house, entry)

    def _take_back(self, house: House, entry: Entry) -> None:
        """Record for every held win of a corrected round by how much its return fell."""
        ((table, round_),) = concerned(house, entry)
        assert round_ is not None
        less = {house.positions[each].terminal: brought - round_.paid[each] for each, brought in self._brought.items()}
        for win in self.known.values():
            here = (win.hold.table, win.hold.round) == (table, round_.number)
            if here and less.get(win.terminal, 0) > 0:
                win.reverse(less[win.terminal], entry.context.now)

    def _find(self, number: Number) -> HeldWinRecord:
        if number not in self.known:
            raise no_record(f"There is no held win {number}.", hold=number)
        return self.known[number]

    def form(self, house: House, number: Number, now: Instant) -> TaxForm:
        """Build the record of a tax form."""
        win = self._find(number)
        recorded, rule = win.recorded, win.rule
        if recorded is None:
            message = f"No form is recorded for held win {number} yet."
            raise Refused(Code.FORM_MISSING, rule.tax.clause, message, hold=number)
        return TaxForm(
            head=document_header(house),
            tax=rule.tax,
            basis=rule.basis,
            form_number=recorded.form_number,
            patron=recorded.patron,
            hold=number,
            terminal=win.terminal,
            table=win.hold.table,
            round=win.hold.round,
            won_at=win.won_at,
            amount=Cents(recorded.amount),
            bases=recorded.bases,
            currency=rule.currency,
            recorded_at=recorded.at,
            recorded_by=recorded.person,
            reversal=win.reversal,
            duplicate=copies(recorded.at, now),
        )

    def receipt(self, house: House, number: Number, now: Instant) -> Receipt:
        """Build the receipt of a held win that was paid by hand."""
        win = self._find(number)
        if win.paid is None:
            clause = hold_clause(house.rulebook_at(house.terminals[win.terminal]))
            raise Refused(Code.OUT_OF_TURN, clause, f"Held win {number} was not paid by hand.", hold=number)
        hold = win.hold
        return Receipt(
            head=document_header(house),
            subject=HandPay(number, hold.form_number, win.terminal, hold.table, hold.round),
            amount=Cents(hold.amount),
            currency=currency_at(house, win.terminal),
            at=win.paid.at,
            drawer=win.paid.drawer,
            cashier=win.paid.person,
            duplicate=copies(win.paid.at, now),
        )


def _held_win(house: House, event: WinHeld, context: Context) -> HeldWinRecord:
    """Record a held win under the rules of its round, on the basis that its table went by."""
    hold = house.terminals[event.terminal].holds[event.hold]
    rulebook = house.rulebooks[event.rulebook]
    assert rulebook.tax is not None
    rule = TaxRule(rulebook.tax, event.basis, rulebook.currency)
    return HeldWinRecord(hold, event.terminal, context.now, rule)
