"""Buy-ins: cash over the counter that becomes credits on a terminal, where the rules have it so."""

from croupier.house import session
from croupier.house.answer import Deciders, Decision, Evolvers, refuse
from croupier.house.books import Account
from croupier.house.cashier import anothers, not_out, other_currency
from croupier.house.command.credit import BuyIn
from croupier.house.event.credit import BoughtIn
from croupier.house.notes import not_taken
from croupier.house.service import dark, out_of_service
from croupier.house.stamp import Stamp
from croupier.house.state import House
from croupier.house.terminal import Terminal
from croupier.rules.matter import Matter
from croupier.rules.money import Cents, amount_text
from croupier.rules.procedure import CreditIn
from croupier.rules.refusal import Code, Refusal


def buy_in(house: House, command: BuyIn, stamp: Stamp) -> Decision:
    """Take cash for credits; as with a note, a win that is held does not stand in its way."""
    terminal = house.terminals[command.terminal]
    rulebook = house.rulebook_at(terminal)
    return (
        anothers(house, command.drawer, stamp)
        or out_of_service(house, terminal, rulebook)
        # Credits are put on no screen that does not show them.
        or dark(terminal, rulebook)
        or _not_sold(house, terminal, command.amount)
        or not_out(house, command.drawer)
        or other_currency(house, house.drawers[command.drawer], terminal)
        or (BoughtIn(command.terminal, command.drawer, command.amount),)
    )


def bought_in(house: House, event: BoughtIn, stamp: Stamp) -> None:
    """Put cash into a drawer, whose last count is then out of date, and the same in credits on a terminal."""
    terminal, drawer = house.terminals[event.terminal], house.drawers[event.drawer]
    session.begin(house, terminal, stamp)
    house.books.move(event.amount, source=Account.DRAWERS, target=Account.CREDIT)
    drawer.currency = house.rulebook_at(terminal).currency
    drawer.cash += event.amount
    drawer.taken_in += event.amount
    drawer.counted = drawer.expected = None
    terminal.credit += event.amount
    terminal.meters.bought_in += event.amount


def _not_sold(house: House, terminal: Terminal, amount: Cents) -> Refusal | None:
    """Say that credits are not sold in such an amount, or that the rules do not let a cashier sell them."""
    rulebook, unit = house.rulebook_at(terminal), terminal.denomination
    clause = rulebook.cites[Matter.CREDIT_IN]
    if amount <= 0:
        return refuse(Code.STAKE_NOT_POSITIVE, clause, "Credits are bought for more than nothing.", amount=amount)
    if amount % unit:
        says = f"{amount_text(amount)} is not a whole number of credits of {amount_text(unit)}."
        return refuse(Code.NOT_WHOLE_CREDITS, clause, says, stake=amount, credit=unit)
    if any(ruling.does is CreditIn.CASHIER for ruling in terminal.channel.credit_in):
        return None
    return not_taken(rulebook, "The cashier does not sell credits here.")


DECIDERS: Deciders = {BuyIn: buy_in}
EVOLVERS: Evolvers = {BoughtIn: bought_in}
