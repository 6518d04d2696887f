"""Tax: wins that are held until their form is recorded, and what is held against the threshold."""

from collections.abc import Mapping

from croupier.house import session
from croupier.house.answer import Deciders, Decision, Evolvers, refuse
from croupier.house.books import Account
from croupier.house.cashier import anothers, cannot_pay, pay_out
from croupier.house.command.credit import PayHold, RecordTaxForm, ReleaseHold
from croupier.house.event.credit import HoldPaid, HoldReleased, TaxFormRecorded
from croupier.house.felt import Felt, Stakes
from croupier.house.service import blocked, hold_clause
from croupier.house.settings import TableSettings
from croupier.house.stamp import Stamp
from croupier.house.state import House
from croupier.house.terminal import Hold, Terminal
from croupier.rules.money import Cents
from croupier.rules.pocket import Pocket
from croupier.rules.procedure import TaxBasis
from croupier.rules.refusal import Code, Refusal
from croupier.rules.rulebook import Rulebook


def bases(stakes: Stakes, felt: Felt, pocket: Pocket) -> dict[str, int]:
    """Count one game's win on every basis; all are recorded, whichever the venue goes by."""
    gross = felt.returned(stakes, pocket)
    return {
        # 22 at Clearwater: the net sum of all wins; a losing stake is no win and takes nothing off it.
        TaxBasis.NET_OF_WINNING_STAKES.value: gross - sum(felt.winning(stakes, pocket).values()),
        TaxBasis.NET_OF_TOTAL_BET.value: gross - sum(stakes.values()),
        TaxBasis.GROSS.value: gross,
    }


def due(rulebook: Rulebook, settings: TableSettings, counted: Mapping[str, int]) -> bool:
    """Tell whether a win needs a form: it reaches the threshold on the venue's basis."""
    if rulebook.tax is None:
        return False
    basis = settings.tax_basis or rulebook.tax.basis
    return counted[basis.value] >= rulebook.tax.threshold


def record_tax_form(house: House, command: RecordTaxForm, _stamp: Stamp) -> Decision:
    """Record a form, or record it again where it was misspelt."""
    terminal = house.terminals[command.terminal]
    if command.hold not in terminal.holds:
        return _no_such(house, terminal, command)
    patron, form_number = command.patron.strip(), command.form_number.strip()
    if not (patron and form_number):
        return _form_missing(house, terminal)
    return (TaxFormRecorded(command.terminal, command.hold, patron, form_number),)


def tax_form_recorded(house: House, event: TaxFormRecorded, _stamp: Stamp) -> None:
    hold = house.terminals[event.terminal].holds[event.hold]
    hold.patron, hold.form_number = event.patron, event.form_number


def release_hold(house: House, command: ReleaseHold, _stamp: Stamp) -> Decision:
    terminal = house.terminals[command.terminal]
    hold = terminal.holds.get(command.hold)
    if hold is None:
        return _no_such(house, terminal, command)
    if not _recorded(hold):
        return _form_missing(house, terminal)
    return (HoldReleased(command.terminal, command.hold),)


def hold_released(house: House, event: HoldReleased, _stamp: Stamp) -> None:
    terminal = house.terminals[event.terminal]
    hold = terminal.holds.pop(event.hold)
    house.books.move(hold.amount, source=Account.HELD, target=Account.CREDIT)
    terminal.credit += hold.amount


def pay_hold(house: House, command: PayHold, stamp: Stamp) -> Decision:
    """Pay a held win by hand; like collecting, it takes nothing off a terminal that is blocked."""
    terminal = house.terminals[command.terminal]
    hold = terminal.holds.get(command.hold)
    refusal = anothers(house, command.drawer, stamp)
    if hold is None:
        return refusal or _no_such(house, terminal, command)
    refusal = refusal or blocked(house, terminal)
    if not _recorded(hold):
        return refusal or _form_missing(house, terminal)
    paid = HoldPaid(command.terminal, command.hold, command.drawer, Cents(hold.amount))
    return refusal or cannot_pay(house, command.drawer, terminal, hold.amount) or (paid,)


def hold_paid(house: House, event: HoldPaid, stamp: Stamp) -> None:
    terminal = house.terminals[event.terminal]
    hold = terminal.holds.pop(event.hold)
    assert event.amount in (None, hold.amount)
    pay_out(house, event.drawer, terminal, hold.amount, owed=Account.HELD)
    terminal.meters.hand_pays += hold.amount
    session.watch(house, terminal, stamp)


def _recorded(hold: Hold) -> bool:
    return bool(hold.patron and hold.form_number)


def _no_such(house: House, terminal: Terminal, command: RecordTaxForm | ReleaseHold | PayHold) -> Refusal:
    clause = hold_clause(house.rulebook_at(terminal))
    says = f"Terminal {terminal.id} has no held win {command.hold}."
    return refuse(Code.UNKNOWN_RECORD, clause, says, hold=command.hold)


def _form_missing(house: House, terminal: Terminal) -> Refusal:
    rulebook = house.rulebook_at(terminal)
    form = rulebook.tax.form if rulebook.tax else "tax"
    says = f"The {form} form comes first, with the patron's name and its number."
    return refuse(Code.FORM_MISSING, hold_clause(rulebook), says, form=form)


DECIDERS: Deciders = {RecordTaxForm: record_tax_form, ReleaseHold: release_hold, PayHold: pay_hold}
EVOLVERS: Evolvers = {TaxFormRecorded: tax_form_recorded, HoldReleased: hold_released, HoldPaid: hold_paid}
