"""Money: what notes, tickets, drawers, adjustments and held wins do, and all that stands against each."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from croupier.house.command import credit
from croupier.house.command.base import Command
from croupier.house.event import credit as told
from croupier.house.name import DrawerId
from croupier.house.settings import Mode
from croupier.house.stamp import Stamp
from croupier.rehearsal.auditor.deed import Told
from croupier.rehearsal.auditor.model import Model
from croupier.rehearsal.auditor.seat import Seat
from croupier.rules.procedure import CreditIn
from croupier.rules.refusal import Code


def _no_note(model: Model, command: credit.InsertNote, _stamp: Stamp) -> set[Code]:
    seat = model.seats[command.terminal]
    takes = CreditIn.NOTES in [each.does for each in seat.channel.credit_in]
    currency = model.first_table(seat).felt.rulebook.currency
    good = takes and command.currency == currency and command.value in seat.settings.notes
    return out_of_service(seat) | (set() if good else {Code.NOT_TAKEN_HERE})


def out_of_service(seat: Seat) -> set[Code]:
    closed = {Code.TERMINAL_CLOSED} if seat.closed else set()
    return closed | _blocked(seat)


def _blocked(seat: Seat) -> set[Code]:
    return set() if seat.case is None else {Code.TERMINAL_BLOCKED}


def _note(model: Model, command: credit.InsertNote, _stamp: Stamp) -> list[Told]:
    seat, value = model.seats[command.terminal], command.value
    seat.credit += value
    seat.notes[value] += 1
    return [Told(told.NoteStacked, {"terminal": seat.name, "value": value})]


def _no_grant(model: Model, command: credit.GrantPlayMoney, _stamp: Stamp) -> set[Code]:
    codes = set() if model.mode is Mode.DEMO else {Code.DEMO_ONLY}
    return codes | (set() if command.amount > 0 else {Code.STAKE_NOT_POSITIVE})


def _grant(model: Model, command: credit.GrantPlayMoney, _stamp: Stamp) -> list[Told]:
    seat = model.seats[command.terminal]
    seat.credit += command.amount
    seat.meters["granted"] += command.amount
    return [Told(told.PlayMoneyGranted, {"terminal": seat.name, "amount": command.amount})]


def _no_adjustment(model: Model, command: credit.AdjustCredit, _stamp: Stamp) -> set[Code]:
    seat = model.seats[command.terminal]
    codes = set() if command.amount else {Code.MALFORMED}
    codes |= set() if command.words.strip() else {Code.REASON_NOT_LISTED}
    if command.amount > 0 and model.first_table(seat).felt.rulebook.credit_only is not None:
        codes.add(Code.NOT_TAKEN_HERE)
    return codes | ({Code.CREDIT_SHORT} if seat.credit + command.amount < 0 else set())


def _adjust(model: Model, command: credit.AdjustCredit, _stamp: Stamp) -> list[Told]:
    seat, amount = model.seats[command.terminal], command.amount
    seat.credit += amount
    seat.meters["adjusted_in" if amount > 0 else "adjusted_out"] += abs(amount)
    return [Told(told.CreditAdjusted, {"terminal": seat.name, "amount": amount})]


def _no_opening(model: Model, command: credit.OpenDrawer, _stamp: Stamp) -> set[Code]:
    drawer = model.desk.drawers.get(command.drawer)
    codes = {Code.MALFORMED} if command.float_ < 0 else set()
    return codes | ({Code.ALREADY_THERE} if drawer is not None and drawer.out else set())


def _open(model: Model, command: credit.OpenDrawer, stamp: Stamp) -> list[Told]:
    model.desk.hand_out(command.drawer, stamp.person, command.float_)
    return [Told(told.DrawerOpened, {"drawer": command.drawer, "float_": command.float_})]


def not_out(model: Model, name: DrawerId) -> set[Code]:
    drawer = model.desk.drawers.get(name)
    if drawer is None:
        return {Code.DRAWER_UNKNOWN}
    return set() if drawer.out else {Code.DRAWER_CLOSED}


def cannot_pay(model: Model, name: DrawerId, amount: int, stamp: Stamp) -> set[Code]:
    """Say why somebody cannot pay an amount from a drawer: it is another's, not there, or holds too little."""
    codes = not_out(model, name)
    if codes:
        return codes
    drawer = model.desk.drawers[name]
    codes = set() if drawer.cashier == stamp.person else {Code.NOT_AUTHORISED}
    return codes | ({Code.DRAWER_SHORT} if drawer.cash < amount else set())


def _no_buy_in(model: Model, command: credit.BuyIn, stamp: Stamp) -> set[Code]:
    seat = model.seats[command.terminal]
    codes = cannot_pay(model, command.drawer, 0, stamp) | out_of_service(seat)
    codes |= {Code.TERMINAL_DARK} if seat.dark else set()
    codes |= set() if command.amount > 0 else {Code.STAKE_NOT_POSITIVE}
    codes |= {Code.NOT_WHOLE_CREDITS} if command.amount % seat.unit else set()
    sold = CreditIn.CASHIER in [each.does for each in seat.channel.credit_in]
    return codes | (set() if sold else {Code.NOT_TAKEN_HERE})


def _buy_in(model: Model, command: credit.BuyIn, _stamp: Stamp) -> list[Told]:
    seat, amount = model.seats[command.terminal], command.amount
    model.desk.take(command.drawer, amount)
    seat.credit += amount
    seat.meters["bought_in"] += amount
    return [Told(told.BoughtIn, {"terminal": seat.name, "drawer": command.drawer, "amount": amount})]


def _no_count(model: Model, command: credit.CountDrawer, _stamp: Stamp) -> set[Code]:
    return not_out(model, command.drawer) | ({Code.MALFORMED} if command.counted < 0 else set())


def _count(model: Model, command: credit.CountDrawer, _stamp: Stamp) -> list[Told]:
    drawer = model.desk.drawers[command.drawer]
    drawer.counted = command.counted
    says = {"drawer": command.drawer, "counted": command.counted, "expected": drawer.cash}
    return [Told(told.DrawerCounted, says)]


def _no_closing(model: Model, command: credit.CloseDrawer, _stamp: Stamp) -> set[Code]:
    codes = not_out(model, command.drawer)
    return codes or (set() if model.desk.drawers[command.drawer].counted is not None else {Code.OUT_OF_TURN})


def _close(model: Model, command: credit.CloseDrawer, _stamp: Stamp) -> list[Told]:
    model.desk.hand_in(command.drawer)
    return [Told(told.DrawerClosed, {"drawer": command.drawer})]


def _no_form(model: Model, command: credit.RecordTaxForm, _stamp: Stamp) -> set[Code]:
    if command.hold not in model.seats[command.terminal].holds:
        return {Code.UNKNOWN_RECORD}
    return set() if command.patron.strip() and command.form_number.strip() else {Code.FORM_MISSING}


def _form(model: Model, command: credit.RecordTaxForm, _stamp: Stamp) -> list[Told]:
    model.seats[command.terminal].holds[command.hold].form = True
    return [Told(told.TaxFormRecorded, {"terminal": command.terminal, "hold": command.hold})]


def _no_release(model: Model, command: credit.ReleaseHold, _stamp: Stamp) -> set[Code]:
    hold = model.seats[command.terminal].holds.get(command.hold)
    if hold is None:
        return {Code.UNKNOWN_RECORD}
    return set() if hold.form else {Code.FORM_MISSING}


def _release(model: Model, command: credit.ReleaseHold, _stamp: Stamp) -> list[Told]:
    seat = model.seats[command.terminal]
    seat.credit += seat.holds.pop(command.hold).amount
    return [Told(told.HoldReleased, {"terminal": seat.name, "hold": command.hold})]


def _no_hand_pay(model: Model, command: credit.PayHold, stamp: Stamp) -> set[Code]:
    seat = model.seats[command.terminal]
    hold = seat.holds.get(command.hold)
    amount = 0 if hold is None else hold.amount
    codes = cannot_pay(model, command.drawer, amount, stamp)
    if hold is None:
        return codes | {Code.UNKNOWN_RECORD}
    return codes | _blocked(seat) | (set() if hold.form else {Code.FORM_MISSING})


def _hand_pay(model: Model, command: credit.PayHold, _stamp: Stamp) -> list[Told]:
    seat = model.seats[command.terminal]
    amount = seat.holds.pop(command.hold).amount
    model.desk.pay(command.drawer, amount)
    seat.meters["hand_pays"] += amount
    says = {"terminal": seat.name, "hold": command.hold, "drawer": command.drawer}
    return [Told(told.HoldPaid, says)]


def _no_payable(model: Model, command: credit.PayPayable, stamp: Stamp) -> set[Code]:
    """Say why a payable cannot be paid; the cashier of the drawer signs first, and another person second."""
    amount = -model.seats[command.terminal].debts[command.session]
    codes = cannot_pay(model, command.drawer, amount, stamp)
    drawer = model.desk.drawers.get(command.drawer)
    first = [each.person for each in model.staff.proposals.values() if each.command == command]
    codes -= {Code.NOT_AUTHORISED} if drawer is not None and drawer.cashier in first else set()
    if amount <= 0:
        return codes | {Code.UNKNOWN_RECORD}
    codes |= set() if command.patron.strip() else {Code.REASON_NOT_LISTED}
    tax = model.first_table(model.seats[command.terminal]).felt.rulebook.tax
    codes |= {Code.FORM_MISSING} if tax and amount >= tax.threshold and not command.form_number.strip() else set()
    return codes | (set() if command.amount == amount else {Code.RECORD_DIFFERS})


def _pay_payable(model: Model, command: credit.PayPayable, _stamp: Stamp) -> list[Told]:
    seat = model.seats[command.terminal]
    amount = -seat.debts.pop(command.session)
    model.desk.pay(command.drawer, amount)
    seat.meters["payables_paid"] += amount
    says = {"terminal": seat.name, "session": command.session, "drawer": command.drawer, "amount": amount}
    return [Told(told.PayablePaid, says)]


Objection = Callable[[Model, Any, Stamp], set[Code]]
Deed = Callable[[Model, Any, Stamp], list[Told]]

#: For each command, what stands against it and what it does.
MONEY: Final[Mapping[type[Command], tuple[Objection, Deed]]] = {
    credit.InsertNote: (_no_note, _note),
    credit.GrantPlayMoney: (_no_grant, _grant),
    credit.AdjustCredit: (_no_adjustment, _adjust),
    credit.OpenDrawer: (_no_opening, _open),
    credit.BuyIn: (_no_buy_in, _buy_in),
    credit.CountDrawer: (_no_count, _count),
    credit.CloseDrawer: (_no_closing, _close),
    credit.RecordTaxForm: (_no_form, _form),
    credit.ReleaseHold: (_no_release, _release),
    credit.PayHold: (_no_hand_pay, _hand_pay),
    credit.PayPayable: (_no_payable, _pay_payable),
}
