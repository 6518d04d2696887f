"""Wins that are held for a tax form: when one is due, the form, and the payment."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import TYPE_CHECKING

from croupier.house.credit import sessions
from croupier.house.credit.drawers import check_payment, pay_out, require_cashier
from croupier.house.declare import (
    Events,
    EventTopic,
    TerminalCommand,
    TerminalEvent,
    command,
    decides,
    event,
    evolves,
)
from croupier.house.floor.permissions import blocked_objection, hold_clause
from croupier.house.ids import Context, DrawerId, Number
from croupier.house.settings import TableSettings
from croupier.house.state.ledger import LedgerAccount
from croupier.house.state.tables import HeldWin
from croupier.rules.geometry import Pocket
from croupier.rules.money import Cents
from croupier.rules.procedure import Duty, Tax, TaxBasis
from croupier.rules.refusal import Code, Refused, raise_if
from croupier.rules.rulebook import PayoutTable, Rulebook, Stakes

if TYPE_CHECKING:
    from croupier.house import House


class HoldCause(StrEnum):
    """What credited a win that is held."""

    SETTLEMENT = "settlement"
    CORRECTION = "correction"
    #: Bets that were in question were confirmed.
    CONFIRMATION = "confirmation"


@command(Duty.CASH, Duty.INSPECT)
class RecordTaxForm(TerminalCommand, frozen=True):
    """Record the form that a held win needs."""

    hold: Number
    patron: str
    form_number: str


@event("The form of held win {hold} was recorded.", EventTopic.MONEY, EventTopic.SIGNIFICANT)
class TaxFormRecorded(TerminalEvent, frozen=True):
    """The tax form of a held win was recorded."""

    hold: Number
    patron: str
    form_number: str


@decides(RecordTaxForm)
def record_tax_form(house: House, command: RecordTaxForm, _context: Context) -> Events:
    """Record a form, or replace a form that has an error."""
    _find(house, command)
    patron, form_number = command.patron.strip(), command.form_number.strip()
    _require_form(house.rulebook_at(house.terminals[command.terminal]), patron, form_number)
    return (TaxFormRecorded(command.terminal, command.hold, patron, form_number),)


def _find(house: House, command: RecordTaxForm | ReleaseHeldWin | PayHeldWin) -> HeldWin:
    terminal = house.terminals[command.terminal]
    hold = terminal.holds.get(command.hold)
    if hold is None:
        message = f"Terminal {terminal.id} has no held win {command.hold}."
        raise Refused(Code.UNKNOWN_RECORD, hold_clause(house.rulebook_at(terminal)), message, hold=command.hold)
    return hold


def _require_form(rulebook: Rulebook, patron: str, form_number: str) -> None:
    if not (patron and form_number):
        form = rulebook.tax.form if rulebook.tax else "tax"
        message = f"The {form} form comes first, with the patron's name and its number."
        raise Refused(Code.FORM_MISSING, hold_clause(rulebook), message, form=form)


@evolves(TaxFormRecorded)
def tax_form_recorded(house: House, event: TaxFormRecorded, _context: Context) -> None:
    hold = house.terminals[event.terminal].holds[event.hold]
    hold.patron, hold.form_number = event.patron, event.form_number


@command(Duty.CASH, Duty.INSPECT)
class ReleaseHeldWin(TerminalCommand, frozen=True):
    """Pay a held win to the credit meter, once its form is recorded."""

    hold: Number


@event("Held win {hold} of {amount} became credit.", EventTopic.MONEY, EventTopic.SIGNIFICANT)
class HeldWinReleased(TerminalEvent, frozen=True):
    """A held win became credit."""

    hold: Number
    amount: Cents


@decides(ReleaseHeldWin)
def release_hold(house: House, command: ReleaseHeldWin, _context: Context) -> Events:
    hold = _find(house, command)
    _require_form(house.rulebook_at(house.terminals[command.terminal]), hold.patron, hold.form_number)
    return (HeldWinReleased(command.terminal, command.hold, Cents(hold.amount)),)


@evolves(HeldWinReleased)
def hold_released(house: House, event: HeldWinReleased, _context: Context) -> None:
    terminal = house.terminals[event.terminal]
    hold = terminal.holds.pop(event.hold)
    assert event.amount == hold.amount
    house.ledger.post(event.amount, source=LedgerAccount.HELD, target=LedgerAccount.CREDIT)
    terminal.credit += event.amount


@command(Duty.CASH)
class PayHeldWin(TerminalCommand, frozen=True):
    """Pay a held win by hand from a drawer, once its form is recorded."""

    hold: Number
    drawer: DrawerId


@event("Held win {hold} of {amount} was paid by hand from drawer {drawer}.", EventTopic.MONEY, EventTopic.SIGNIFICANT)
class HeldWinPaid(TerminalEvent, frozen=True):
    """A held win was paid by hand."""

    hold: Number
    drawer: DrawerId
    amount: Cents


@decides(PayHeldWin)
def pay_hold(house: House, command: PayHeldWin, context: Context) -> Events:
    """Pay a held win by hand; like collecting, this is refused at a blocked terminal."""
    terminal = house.terminals[command.terminal]
    rulebook = house.rulebook_at(terminal)
    require_cashier(house, command.drawer, context)
    hold = _find(house, command)
    raise_if(blocked_objection(house, terminal))
    _require_form(rulebook, hold.patron, hold.form_number)
    check_payment(house, command.drawer, rulebook, hold.amount)
    return (HeldWinPaid(command.terminal, command.hold, command.drawer, Cents(hold.amount)),)


@evolves(HeldWinPaid)
def hold_paid(house: House, event: HeldWinPaid, context: Context) -> None:
    terminal = house.terminals[event.terminal]
    hold = terminal.holds.pop(event.hold)
    assert event.amount == hold.amount
    pay_out(house, event.drawer, house.rulebook_at(terminal), event.amount, owed=LedgerAccount.HELD)
    terminal.meters.hand_pays += event.amount
    sessions.watch(house, terminal, context)


#: The amount of a win by each basis.
WinBases = tuple[tuple[TaxBasis, int], ...]


def bases(stakes: Stakes, felt: PayoutTable, pocket: Pocket, carried: Stakes | None = None) -> dict[TaxBasis, int]:
    """Compute one game's win on every basis; all are recorded, whichever basis the venue uses."""
    staked, gross = sum(stakes.values()), felt.returned(stakes, pocket)
    if carried:
        staked, gross = staked + sum(carried.values()), gross + felt.resolve(carried, pocket)[0]
    return {
        # 22 at Clearwater: the net sum of all wins; a losing stake is not deducted.
        TaxBasis.NET_OF_WINNING_STAKES: gross
        - sum(felt.winning(stakes, pocket).values())
        - felt.given_back(stakes, pocket, carried),
        TaxBasis.NET_OF_TOTAL_BET: gross - staked,
        TaxBasis.GROSS: gross,
    }


def tax_basis(tax: Tax, settings: TableSettings) -> TaxBasis:
    """Name the basis on which a win is compared with the tax threshold: the table's own, or the rulebook's."""
    return settings.tax_basis or tax.basis


def form_due(tax: Tax | None, settings: TableSettings, counted: Mapping[TaxBasis, int]) -> bool:
    """Check whether a win requires a form: it reaches the threshold on the venue's basis."""
    return tax is not None and counted[tax_basis(tax, settings)] >= tax.threshold
