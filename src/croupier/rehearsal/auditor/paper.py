"""Paper: what slips and tickets do from collecting to paying, and all that stands against each step."""

from collections.abc import Mapping
from datetime import date
from typing import Final

from croupier.house.command import credit
from croupier.house.command.base import Command
from croupier.house.event import credit as told
from croupier.house.event.venue import HistoryAccepted
from croupier.house.name import Day, Number
from croupier.house.stamp import Stamp
from croupier.rehearsal.auditor.deed import Told
from croupier.rehearsal.auditor.desk import Ticket
from croupier.rehearsal.auditor.finding import agree
from croupier.rehearsal.auditor.model import Model
from croupier.rehearsal.auditor.money import Deed, Objection, cannot_pay, out_of_service
from croupier.rehearsal.auditor.seat import Seat
from croupier.rules.procedure import CreditIn, CreditOut
from croupier.rules.refusal import Code

#: What a terminal pays out by itself.
DISPENSED: Final = (CreditOut.CURRENCY, CreditOut.CHIPS)
#: How many numbers are passed over beside those of entries that are known to be lost.
_SPARE: Final = 20_000
_SPENT: Final = {"redeemed": Code.TICKET_PAID, "void": Code.TICKET_VOID, "expired": Code.TICKET_EXPIRED}


def _no_collecting(model: Model, command: credit.Collect, stamp: Stamp) -> set[Code]:
    seat, valid = model.seats[command.terminal], command.validation
    assert valid is not None
    codes = _withheld(model, seat, stamp)
    codes |= {Code.WIN_HELD} if seat.holds else set()
    codes |= set() if _form(seat, command) in [each.does for each in seat.channel.credit_out] else {Code.NOT_PAID_HERE}
    codes |= set() if seat.credit else {Code.NOTHING_TO_COLLECT}
    fresh = (
        valid.sequence == len(model.desk.tickets) + model.desk.skipped + 1 and valid.digest not in model.desk.numbers
    )
    return codes | (set() if fresh else {Code.VALIDATION_STALE})


def _withheld(model: Model, seat: Seat, stamp: Stamp) -> set[Code]:
    """A player collects unless the terminal is blocked; staff only where it is, and not while bets are in question."""
    case = None if seat.case is None else model.cases[seat.case]
    in_question = case is not None and case.questioned and case.state == "open"
    if case is not None and (not stamp.person or in_question):
        return {Code.TERMINAL_BLOCKED}
    in_service = case is None and not seat.closed and not seat.dark
    return {Code.NOT_AUTHORISED} if stamp.person and in_service else set()


def _form(seat: Seat, command: credit.Collect) -> CreditOut:
    return command.form or seat.channel.credit_out[0].does


def _collect(model: Model, command: credit.Collect, stamp: Stamp) -> list[Told]:
    seat, valid, desk = model.seats[command.terminal], command.validation, model.desk
    assert valid is not None
    form, amount = _form(seat, command), seat.credit
    ticket = Ticket(seat.name, form, amount, valid.digest, model.day)
    ticket.by_staff = bool(stamp.person)
    desk.tickets[valid.sequence], desk.numbers[valid.digest] = ticket, valid.sequence
    if form in DISPENSED:
        ticket.state = "redeemed"
        desk.tally["dispensed"] += amount
    seat.credit = 0
    seat.meters["tickets_out"] += amount
    if not seat.in_play:
        seat.leave()
    says = {"terminal": seat.name, "sequence": valid.sequence, "form": form, "amount": amount, "day": model.day}
    return [Told(told.TicketIssued, {**says, "digest": valid.digest})]


def _no_print(model: Model, command: credit.ConfirmPrint, _stamp: Stamp) -> set[Code]:
    ticket = model.desk.tickets.get(command.sequence)
    if ticket is None or ticket.seat != command.terminal:
        return {Code.UNKNOWN_RECORD}
    return set() if ticket.state == "issued" else {Code.OUT_OF_TURN}


def _print(model: Model, command: credit.ConfirmPrint, _stamp: Stamp) -> list[Told]:
    model.desk.tickets[command.sequence].state = "printed"
    return [Told(told.TicketPrinted, {"terminal": command.terminal, "sequence": command.sequence})]


def _spent(ticket: Ticket) -> set[Code]:
    return set() if ticket.payable else {_SPENT[ticket.state]}


def _unpayable(ticket: Ticket) -> set[Code]:
    return {Code.TICKET_FROZEN} if ticket.payable and ticket.frozen else _spent(ticket)


def _no_reprint(model: Model, command: credit.ReprintTicket, _stamp: Stamp) -> set[Code]:
    ticket = model.desk.tickets.get(command.sequence)
    if ticket is None:
        return {Code.UNKNOWN_RECORD}
    lost = {Code.OUT_OF_TURN} if ticket.payable and ticket.lost else set()
    return _unpayable(ticket) | lost


def _reprint(model: Model, command: credit.ReprintTicket, _stamp: Stamp) -> list[Told]:
    model.desk.tickets[command.sequence].state = "printed"
    return [Told(told.TicketReprinted, {"sequence": command.sequence})]


def _no_voiding(model: Model, command: credit.VoidTicket, _stamp: Stamp) -> set[Code]:
    ticket = model.desk.tickets.get(command.sequence)
    if ticket is None:
        return {Code.UNKNOWN_RECORD}
    return {Code.OUT_OF_TURN} if ticket.state == "printed" else _unpayable(ticket)


def _void(model: Model, command: credit.VoidTicket, _stamp: Stamp) -> list[Told]:
    ticket = model.desk.tickets[command.sequence]
    seat = model.seats[ticket.seat]
    ticket.state = "void"
    seat.credit += ticket.amount
    seat.meters["tickets_back"] += ticket.amount
    return [Told(told.TicketVoided, {"sequence": command.sequence})]


def _no_thaw(model: Model, command: credit.ReleaseTicket, _stamp: Stamp) -> set[Code]:
    ticket = model.desk.tickets.get(command.sequence)
    if ticket is None:
        return {Code.UNKNOWN_RECORD}
    return _spent(ticket) or (set() if ticket.frozen else {Code.OUT_OF_TURN})


def _thaw(model: Model, command: credit.ReleaseTicket, _stamp: Stamp) -> list[Told]:
    model.desk.tickets[command.sequence].frozen = False
    return [Told(told.TicketReleased, {"sequence": command.sequence})]


def history_accepted(model: Model, event: HistoryAccepted, _stamp: Stamp) -> None:
    """Freeze what may have been paid in the lost part, and pass over every number that may have been issued in it."""
    payable = {number for number, ticket in model.desk.tickets.items() if ticket.payable}
    agree("I5", f"{event} freezes", set(event.frozen), payable)
    for number in payable:
        model.desk.tickets[number].frozen = True
    model.desk.skipped += event.lost + _SPARE


def _no_loss(model: Model, command: credit.ReportLost, _stamp: Stamp) -> set[Code]:
    ticket = model.desk.tickets.get(command.sequence)
    return {Code.UNKNOWN_RECORD} if ticket is None else _spent(ticket)


def _lose(model: Model, command: credit.ReportLost, _stamp: Stamp) -> list[Told]:
    model.desk.tickets[command.sequence].lost = True
    return [Told(told.TicketReportedLost, {"sequence": command.sequence})]


def _no_ticket_in(model: Model, command: credit.InsertTicket, _stamp: Stamp) -> set[Code]:
    seat, ticket = model.seats[command.terminal], model.desk.find(command.digest)
    codes = out_of_service(seat)
    if CreditIn.TICKETS not in [each.does for each in seat.channel.credit_in]:
        return codes | {Code.NOT_TAKEN_HERE}
    if ticket is None:
        return codes | {Code.TICKET_UNKNOWN}
    for_cashier = {Code.NOT_TAKEN_HERE} if ticket.form is CreditOut.PAYMENT_SLIP else set()
    return codes | for_cashier | _unpayable(ticket)


def _ticket_in(model: Model, command: credit.InsertTicket, _stamp: Stamp) -> list[Told]:
    seat, number = model.seats[command.terminal], model.desk.numbers[command.digest]
    ticket = model.desk.tickets[number]
    ticket.state = "redeemed"
    seat.credit += ticket.amount
    seat.meters["tickets_in"] += ticket.amount
    return [Told(told.TicketRedeemed, {"sequence": number, "place": seat.name, "at_terminal": True})]


def _no_redeeming(model: Model, command: credit.RedeemTicket, stamp: Stamp) -> set[Code]:
    ticket = model.desk.find(command.digest)
    codes = cannot_pay(model, command.drawer, 0 if ticket is None else ticket.amount, stamp)
    if ticket is None:
        return codes | {Code.TICKET_UNKNOWN}
    altered = command.amount_on_paper not in (None, ticket.amount)
    return codes | _unpayable(ticket) | _undispensed(ticket) | ({Code.TICKET_ALTERED} if altered else set())


def _undispensed(ticket: Ticket) -> set[Code]:
    """A slip that neither its terminal confirmed to have printed nor staff collected is not paid."""
    issued = ticket.form is CreditOut.PAYMENT_SLIP and ticket.state == "issued" and not ticket.by_staff
    return {Code.TICKET_NOT_DISPENSED} if issued else set()


def _redeem(model: Model, command: credit.RedeemTicket, _stamp: Stamp) -> list[Told]:
    number = model.desk.numbers[command.digest]
    ticket = model.desk.tickets[number]
    ticket.state = "redeemed"
    model.desk.pay(command.drawer, ticket.amount)
    return [Told(told.TicketRedeemed, {"sequence": number, "place": command.drawer, "at_terminal": False})]


def lapsed(model: Model, day: Day) -> set[Number]:
    """Name the tickets that lapse as a gaming day begins: the day of issue is the first of their days."""
    if model.ticket_days is None:
        return set()
    began = date.fromisoformat(str(day)).toordinal()
    return {
        number
        for number, ticket in model.desk.tickets.items()
        if ticket.payable
        and ticket.day
        and began - date.fromisoformat(str(ticket.day)).toordinal() >= model.ticket_days
    }


PAPER: Final[Mapping[type[Command], tuple[Objection, Deed]]] = {
    credit.Collect: (_no_collecting, _collect),
    credit.ConfirmPrint: (_no_print, _print),
    credit.ReprintTicket: (_no_reprint, _reprint),
    credit.VoidTicket: (_no_voiding, _void),
    credit.ReleaseTicket: (_no_thaw, _thaw),
    credit.ReportLost: (_no_loss, _lose),
    credit.InsertTicket: (_no_ticket_in, _ticket_in),
    credit.RedeemTicket: (_no_redeeming, _redeem),
}
