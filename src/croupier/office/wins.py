"""Held wins: what a tax form's record and the receipt for a hand pay say of them, also once they are paid."""

from dataclasses import dataclass
from typing import NamedTuple

from croupier.house.answer import refuse
from croupier.house.event.credit import HoldPaid, TaxFormRecorded
from croupier.house.name import DrawerId, Instant, Number, PersonId, TerminalId
from croupier.house.service import hold_clause
from croupier.house.state import House
from croupier.house.terminal import Hold
from croupier.journal.entry import Entry
from croupier.office.chapter import Chapter
from croupier.office.stationery import copies, currency_at, letterhead, no_record
from croupier.paper.receipt import HandPay, Receipt
from croupier.paper.taxform import TaxForm
from croupier.rules.money import Cents
from croupier.rules.procedure import TaxBasis
from croupier.rules.refusal import Code, Refusal


class Recorded(NamedTuple):
    """When a form was recorded, and by whom."""

    at: Instant
    person: PersonId


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
    recorded: Recorded | None = None
    paid: Paid | None = None


class Wins(Chapter):
    """Every win that was ever held, by its number."""

    def __init__(self) -> None:
        self.known: dict[Number, Win] = {}

    def after(self, house: House, entry: Entry) -> None:
        event, stamp = entry.event, entry.stamp
        if house.held > len(self.known):
            self._find(house, stamp.now)
        if isinstance(event, TaxFormRecorded):
            self.known[event.hold].recorded = Recorded(stamp.now, stamp.person)
        elif isinstance(event, HoldPaid):
            self.known[event.hold].paid = Paid(stamp.now, stamp.person, event.drawer)

    def _find(self, house: House, now: Instant) -> None:
        """Find the wins that are held since this entry; they are numbered through."""
        for terminal in house.terminals.values():
            for number in terminal.holds.keys() - self.known.keys():
                self.known[number] = Win(terminal.holds[number], terminal.id, now)

    def form(self, house: House, number: Number, now: Instant) -> TaxForm | Refusal:
        """Put the record of a tax form on paper, where the rules ask for one and it is recorded."""
        win = self.known.get(number)
        if win is None:
            return no_held_win(number)
        rulebook, settings = house.rulebook_at(house.terminals[win.terminal]), house.tables[win.hold.table].settings
        if rulebook.tax is None:
            return no_record(f"The rules at terminal {win.terminal} ask for no tax form.", hold=number)
        if win.recorded is None:
            says = f"No form is recorded for held win {number} yet."
            return refuse(Code.FORM_MISSING, hold_clause(rulebook), says, hold=number)
        hold = win.hold
        return TaxForm(
            head=letterhead(house),
            tax=rulebook.tax,
            basis=settings.tax_basis or rulebook.tax.basis,
            form_number=hold.form_number,
            patron=hold.patron,
            hold=number,
            terminal=win.terminal,
            table=hold.table,
            round=hold.round,
            won_at=win.won_at,
            amount=Cents(hold.amount),
            bases={basis: hold.bases[basis.value] for basis in TaxBasis},
            currency=rulebook.currency,
            recorded_at=win.recorded.at,
            recorded_by=win.recorded.person,
            duplicate=copies(win.recorded.at, now),
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


def no_held_win(number: Number) -> Refusal:
    return no_record(f"There is no held win {number}.", hold=number)
