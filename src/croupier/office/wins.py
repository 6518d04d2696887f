"""Held wins: what a tax form's record and the receipt for a hand pay say of them, also once they are paid."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from croupier.house.answer import refuse
from croupier.house.event.credit import HoldPaid, TaxFormRecorded
from croupier.house.event.round import OutcomeInvalidated, ResultCorrected
from croupier.house.name import DrawerId, Instant, Number, PersonId, TerminalId
from croupier.house.service import hold_clause
from croupier.house.stamp import Stamp
from croupier.house.state import House
from croupier.house.table import Round, Table
from croupier.house.terminal import Hold
from croupier.journal.entry import Entry
from croupier.office.chapter import Chapter
from croupier.office.rounds import concerned
from croupier.office.stationery import copies, currency_at, letterhead, no_record
from croupier.paper.receipt import HandPay, Receipt
from croupier.paper.taxform import TakenBack, TaxForm
from croupier.rules.money import Cents
from croupier.rules.procedure import Tax, TaxBasis
from croupier.rules.refusal import Code, Refusal

#: What puts a round right that is over.
_PUT_RIGHT: Final = (ResultCorrected, OutcomeInvalidated)


class Rule(NamedTuple):
    """What a win was held by, in the rules and settings that its round was played by."""

    tax: Tax
    basis: TaxBasis
    currency: str


class Recorded(NamedTuple):
    """A form as it was recorded: when, by whom, and for what."""

    at: Instant
    person: PersonId
    patron: str
    form_number: str
    amount: int
    bases: Mapping[TaxBasis, int]


class Paid(NamedTuple):
    """When a win was paid by hand, by whom, and from which drawer."""

    at: Instant
    person: PersonId
    drawer: DrawerId


@dataclass(slots=True)
class Win:
    """A win that was held, from the moment that it was won."""

    hold: Hold
    terminal: TerminalId
    won_at: Instant
    rule: Rule
    recorded: Recorded | None = None
    #: What was taken back since the form was recorded, when that was last done.
    taken: TakenBack | None = None
    paid: Paid | None = None

    def record(self, stamp: Stamp) -> None:
        """Write down what a form was recorded for: what becomes of the win later does not change it."""
        hold, self.taken = self.hold, None
        bases = {basis: hold.bases[basis.value] for basis in TaxBasis}
        self.recorded = Recorded(stamp.now, stamp.person, hold.patron, hold.form_number, hold.amount, bases)

    def take_back(self, amount: int, now: Instant) -> None:
        """Note what its round brought less since the form was recorded."""
        if self.recorded is not None:
            before = 0 if self.taken is None else self.taken.amount
            self.taken = TakenBack(now, Cents(min(before + amount, self.recorded.amount)))


class Wins(Chapter):
    """Every win that was ever held, by its number."""

    def __init__(self) -> None:
        self.known: dict[Number, Win] = {}
        #: What the round that an entry puts right had brought each terminal.
        self._brought: dict[TerminalId, int] = {}

    def before(self, house: House, entry: Entry) -> None:
        if isinstance(entry.event, _PUT_RIGHT):
            ((_, round_),) = concerned(house, entry)
            assert round_ is not None
            self._brought = dict(round_.paid)

    def after(self, house: House, entry: Entry) -> None:
        event, stamp = entry.event, entry.stamp
        if house.held > len(self.known):
            self._find(house, entry)
        match event:
            case TaxFormRecorded():
                self.known[event.hold].record(stamp)
            case HoldPaid():
                self.known[event.hold].paid = Paid(stamp.now, stamp.person, event.drawer)
            case ResultCorrected() | OutcomeInvalidated():
                self._take_back(house, entry)

    def _find(self, house: House, entry: Entry) -> None:
        """Find the wins that are held since this entry; they are numbered through."""
        rounds = dict(concerned(house, entry))
        for terminal in house.terminals.values():
            for number in terminal.holds.keys() - self.known.keys():
                hold = terminal.holds[number]
                rule = _rule(house, house.tables[hold.table], rounds[hold.table])
                self.known[number] = Win(hold, terminal.id, entry.stamp.now, rule)

    def _take_back(self, house: House, entry: Entry) -> None:
        """Note with every recorded win of a round that is put right what the round brings less by now."""
        ((table, round_),) = concerned(house, entry)
        assert round_ is not None
        less = {name: brought - round_.paid[name] for name, brought in self._brought.items()}
        for win in self.known.values():
            here = (win.hold.table, win.hold.round) == (table, round_.number)
            if here and less.get(win.terminal, 0) > 0:
                win.take_back(less[win.terminal], entry.stamp.now)

    def form(self, house: House, number: Number, now: Instant) -> TaxForm | Refusal:
        """Put the record of a tax form on paper, where the rules ask for one and it is recorded."""
        win = self.known.get(number)
        if win is None:
            return no_held_win(number)
        recorded, rule = win.recorded, win.rule
        if recorded is None:
            says = f"No form is recorded for held win {number} yet."
            return refuse(Code.FORM_MISSING, rule.tax.clause, says, hold=number)
        return TaxForm(
            head=letterhead(house),
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
            taken=win.taken,
            duplicate=copies(recorded.at, now),
        )

    def receipt(self, house: House, number: Number, now: Instant) -> Receipt | Refusal:
        """Put on paper that a held win was paid by hand."""
        win = self.known.get(number)
        if win is None:
            return no_held_win(number)
        if win.paid is None:
            clause = hold_clause(house.rulebook_at(house.terminals[win.terminal]))
            return refuse(Code.OUT_OF_TURN, clause, f"Held win {number} was not paid by hand.", hold=number)
        hold = win.hold
        return Receipt(
            head=letterhead(house),
            subject=HandPay(number, hold.form_number, win.terminal, hold.table, hold.round),
            amount=Cents(hold.amount),
            currency=currency_at(house, win.terminal),
            at=win.paid.at,
            drawer=win.paid.drawer,
            cashier=win.paid.person,
            duplicate=copies(win.paid.at, now),
        )


def _rule(house: House, table: Table, round_: Round | None) -> Rule:
    """Name what held a win: the rules of its round, on the basis that its table goes by."""
    assert round_ is not None
    rulebook = house.rulebooks[round_.rulebook]
    assert rulebook.tax is not None
    return Rule(rulebook.tax, table.settings.tax_basis or rulebook.tax.basis, rulebook.currency)


def no_held_win(number: Number) -> Refusal:
    return no_record(f"There is no held win {number}.", hold=number)
