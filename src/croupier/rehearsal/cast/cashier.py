"""Cashiers: drawers, slips and tickets brought to one desk or to two at once, and wins that await their form."""

from typing import Final

from croupier.house.command import credit, venue
from croupier.house.name import DrawerId
from croupier.rehearsal.playbill import console_of
from croupier.rehearsal.stage import WORDS, Menu, Stage
from croupier.rules.money import Cents
from croupier.rules.staff import Duty


def open_drawer(stage: Stage) -> None:
    cashier = stage.any(stage.bill.staff(Duty.CASH))
    float_ = Cents(stage.any((0, 5_000, 500_000, 500_000)))
    stage.ask(console_of(cashier), credit.OpenDrawer(DrawerId(cashier), float_), cashier)


def buy_in(stage: Stage) -> None:
    """Sell credits to a seat, mostly from a drawer that is out."""
    cashier = stage.any(stage.bill.staff(Duty.CASH))
    amount = Cents(stage.any((1_000, 10_000, 10_000, 1, 0)))
    stage.ask(console_of(cashier), credit.BuyIn(stage.any(stage.bill.seats), DrawerId(cashier), amount), cashier)


def redeem(stage: Stage) -> None:
    """Pay a ticket; often the other desk is asked to pay it at the same moment."""
    tickets = list(stage.house.tickets.values())[-4:]
    payable = [ticket for ticket in tickets if ticket.payable]
    if not tickets:
        return
    ticket = stage.any(payable if payable and stage.chance(80) else tickets)
    for cashier in stage.bill.staff(Duty.CASH):
        drawer = stage.house.drawers.get(DrawerId(cashier))
        out = drawer is not None and not drawer.closed
        if stage.chance(70 if out else 10):
            paper = stage.any((None, Cents(ticket.amount), Cents(ticket.amount), Cents(ticket.amount + 1)))
            command = credit.RedeemTicket(DrawerId(cashier), ticket.digest, paper)
            stage.ask(console_of(cashier), command, cashier)


def count_and_close(stage: Stage) -> None:
    cashier = stage.any(stage.bill.staff(Duty.CASH))
    drawer = stage.house.drawers.get(DrawerId(cashier))
    counted = Cents((drawer.cash if drawer else 0) + stage.any((0, 0, 100)))
    ready = drawer is not None and drawer.counted is not None
    command = credit.CloseDrawer(DrawerId(cashier)) if ready else credit.CountDrawer(DrawerId(cashier), counted)
    stage.ask(console_of(cashier), command, cashier)


def see_to_hold(stage: Stage) -> None:
    """Record the form of a win that is held, and pay it to the meter or by hand."""
    held = [(name, hold) for name, terminal in stage.house.terminals.items() for hold in terminal.holds]
    if not held:
        return
    seat, hold = stage.any(held)
    cashier = stage.any(stage.bill.staff(Duty.CASH))
    command = stage.one_of(
        credit.RecordTaxForm(seat, hold, "A. Patron", "W-1"),
        credit.ReleaseHold(seat, hold),
        credit.PayHold(seat, hold, DrawerId(cashier)),
    )
    stage.ask(console_of(cashier), command, cashier)


def pay_payable(stage: Stage) -> None:
    """Ask to pay what a correction brought a player whose session had ended, now and then wrongly; or sign it."""
    for proposal in stage.house.proposals.values():
        if isinstance(proposal.command, credit.PayPayable):
            stage.by(Duty.INSPECT, venue.Approve(proposal.number))
            return
    owed = [
        (name, session, -debt) for name, each in stage.house.terminals.items() for session, debt in each.debts.items()
    ]
    if not owed:
        return
    seat, session, amount = stage.any([each for each in owed if each[2] > 0] or owed)
    cashier = stage.any(stage.bill.staff(Duty.CASH))
    signed = Cents(amount + stage.any((0, 0, 0, 100)))
    command = credit.PayPayable(seat, session, DrawerId(cashier), signed, WORDS, "7")
    stage.ask(console_of(cashier), command, cashier)


MENU: Final[Menu] = {open_drawer: 3, buy_in: 2, redeem: 10, count_and_close: 2, see_to_hold: 6, pay_payable: 15}
