"""The cashier: drawers of cash, and the slips and tickets that are paid from them.

Cash in a drawer is the house's own, so the account of the drawers stands below nothing by what is in them, as the
account of the notes does: a float moves from DRAWERS to VAULT, a ticket that is paid moves from TICKETS to DRAWERS, and
a buy-in from DRAWERS to CREDIT.
"""

from croupier.house import session
from croupier.house.answer import Deciders, Decision, Evolvers, refuse
from croupier.house.books import Account
from croupier.house.command.credit import CloseDrawer, CountDrawer, OpenDrawer, PayPayable, RedeemTicket
from croupier.house.desk import Drawer, Ticket
from croupier.house.event.credit import DrawerClosed, DrawerCounted, DrawerOpened, PayablePaid, TicketRedeemed
from croupier.house.name import DrawerId, Number, TerminalId
from croupier.house.service import hold_clause
from croupier.house.stamp import Stamp
from croupier.house.state import House
from croupier.house.terminal import Terminal
from croupier.house.tickets import desk_clause, find_ticket, pay, ticket_clause, undispensed, unknown_ticket, unpayable
from croupier.rules.clause import ClauseId
from croupier.rules.matter import Matter
from croupier.rules.money import Cents, amount_text
from croupier.rules.refusal import Code, Refusal
from croupier.rules.rulebook import Rulebook


def open_drawer(house: House, command: OpenDrawer, _stamp: Stamp) -> Decision:
    """Hand out a drawer; one that was handed in may go out again."""
    if command.float_ < 0:
        return refuse(Code.MALFORMED, None, "A float is nothing or more.", amount=command.float_)
    drawer = house.drawers.get(command.drawer)
    if drawer is not None and not drawer.closed:
        says = f"Drawer {drawer.id} is out already, with {drawer.cashier}."
        return refuse(Code.ALREADY_THERE, None, says, cashier=drawer.cashier)
    return (DrawerOpened(command.drawer, command.float_),)


def drawer_opened(house: House, event: DrawerOpened, stamp: Stamp) -> None:
    house.drawers[event.drawer] = Drawer(event.drawer, stamp.person, event.float_, stamp.now, cash=event.float_)
    house.books.move(event.float_, source=Account.DRAWERS, target=Account.VAULT)


def redeem_ticket(house: House, command: RedeemTicket, stamp: Stamp) -> Decision:
    """Pay what the house issued, once, to whoever brings the paper."""
    refusal = anothers(house, command.drawer, stamp)
    ticket = find_ticket(house, command.digest)
    if ticket is None:
        return refusal or unknown_ticket(desk_clause(house))
    return (
        refusal
        or unpayable(house, ticket)
        or undispensed(house, ticket)
        or _altered(house, ticket, command)
        or cannot_pay(house, command.drawer, house.terminals[ticket.terminal], ticket.amount)
        or (TicketRedeemed(ticket.sequence, place=command.drawer, at_terminal=False),)
    )


def ticket_redeemed(house: House, event: TicketRedeemed, stamp: Stamp) -> None:
    """Pay a ticket where it was brought: as credit at a terminal, or as cash from a drawer."""
    ticket = house.tickets[event.sequence]
    pay(house, ticket, event.place, stamp)
    if not event.at_terminal:
        issuer = house.terminals[ticket.terminal]
        pay_out(house, DrawerId(event.place), issuer, ticket.amount, owed=Account.TICKETS)
        return
    terminal = house.terminals[TerminalId(event.place)]
    session.begin(house, terminal, stamp)
    house.books.move(ticket.amount, source=Account.TICKETS, target=Account.CREDIT)
    terminal.credit += ticket.amount
    terminal.meters.tickets_in += ticket.amount


def count_drawer(house: House, command: CountDrawer, _stamp: Stamp) -> Decision:
    """Set a blind count beside the books; anybody at the desk may count, as its cashier may have gone."""
    if command.counted < 0:
        return refuse(Code.MALFORMED, None, "A count is nothing or more.", amount=command.counted)
    refusal = not_out(house, command.drawer)
    if refusal is not None:
        return refusal
    return (DrawerCounted(command.drawer, command.counted, Cents(house.drawers[command.drawer].cash)),)


def drawer_counted(house: House, event: DrawerCounted, _stamp: Stamp) -> None:
    drawer = house.drawers[event.drawer]
    drawer.counted, drawer.expected = event.counted, event.expected


def close_drawer(house: House, command: CloseDrawer, _stamp: Stamp) -> Decision:
    """Take a drawer in, once it was counted and nothing has been paid from it since."""
    refusal = not_out(house, command.drawer)
    if refusal is not None:
        return refusal
    if house.drawers[command.drawer].counted is None:
        return refuse(Code.OUT_OF_TURN, _paying_clause(house), f"Drawer {command.drawer} is to be counted first.")
    return (DrawerClosed(command.drawer),)


def drawer_closed(house: House, event: DrawerClosed, _stamp: Stamp) -> None:
    """Put into the vault what was counted, and book what is missing or too much."""
    drawer = house.drawers[event.drawer]
    assert drawer.counted is not None
    house.books.move(drawer.counted, source=Account.VAULT, target=Account.DRAWERS)
    house.books.move(drawer.cash - drawer.counted, source=Account.DIFFERENCES, target=Account.DRAWERS)
    drawer.cash, drawer.closed = 0, True


def anothers(house: House, name: DrawerId, stamp: Stamp) -> Refusal | None:
    """Say that a drawer is somebody else's: each cashier has their own."""
    drawer = house.drawers.get(name)
    if drawer is None or drawer.closed or drawer.cashier == stamp.person:
        return None
    says = f"Drawer {name} is with {drawer.cashier}, and nobody else pays from it or takes anything into it."
    return refuse(Code.NOT_AUTHORISED, _paying_clause(house), says, cashier=drawer.cashier)


def cannot_pay(house: House, name: DrawerId, issuer: Terminal, amount: int) -> Refusal | None:
    """Say why an amount that a terminal has issued cannot be paid from a drawer.

    How much is in the drawer is not said: it is counted blind.
    """
    refusal = not_out(house, name) or other_currency(house, house.drawers[name], issuer)
    if refusal is not None:
        return refusal
    if house.drawers[name].cash >= amount:
        return None
    says = f"There is not enough in drawer {name}: {amount_text(amount)} are to be paid."
    return refuse(Code.DRAWER_SHORT, _paying_clause(house), says, amount=amount)


def other_currency(house: House, drawer: Drawer, issuer: Terminal) -> Refusal | None:
    """Say that a drawer has another currency in it than the rules at a terminal count in."""
    rulebook = house.rulebook_at(issuer)
    if drawer.currency in ("", rulebook.currency):
        return None
    says = f"Drawer {drawer.id} pays in {drawer.currency}, and this is in {rulebook.currency}: take another drawer."
    currencies = {"currency": rulebook.currency, "drawer": drawer.currency}
    return refuse(Code.NOT_PAID_HERE, rulebook.cites[Matter.CREDIT_OUT], says, **currencies)


def pay_out(house: House, name: DrawerId, issuer: Terminal, amount: int, *, owed: Account) -> None:
    """Pay what the house owed from a drawer, whose last count is then out of date."""
    drawer = house.drawers[name]
    drawer.currency = house.rulebook_at(issuer).currency
    house.books.move(amount, source=owed, target=Account.DRAWERS)
    drawer.cash -= amount
    drawer.paid_out += amount
    drawer.counted = drawer.expected = None


def not_out(house: House, name: DrawerId) -> Refusal | None:
    """Say that a drawer is not there, or not out."""
    drawer = house.drawers.get(name)
    if drawer is None:
        return refuse(Code.DRAWER_UNKNOWN, _paying_clause(house), f"There is no drawer {name}.", drawer=name)
    if drawer.closed:
        return refuse(Code.DRAWER_CLOSED, _paying_clause(house), f"Drawer {name} has been handed in.", drawer=name)
    return None


def _altered(house: House, ticket: Ticket, command: RedeemTicket) -> Refusal | None:
    """Compare the paper with the record, which is what counts; nothing is paid on paper that differs."""
    on_paper = command.amount_on_paper
    if on_paper is None or on_paper == ticket.amount:
        return None
    currency = house.rulebook_at(house.terminals[ticket.terminal]).currency
    says = (
        f"The paper says {amount_text(on_paper)} {currency}, and it was issued for {amount_text(ticket.amount)} "
        f"{currency}: please call a supervisor."
    )
    facts = {"on_paper": on_paper, "amount": ticket.amount}
    return refuse(Code.TICKET_ALTERED, ticket_clause(house, ticket), says, **facts)


def _paying_clause(house: House) -> ClauseId:
    """Name the clause on paying out, of the first rulebook that the house adopted: a drawer is at no table."""
    return next(iter(house.rulebooks.values())).cites[Matter.CREDIT_OUT]


def pay_payable(house: House, command: PayPayable, stamp: Stamp) -> Decision:
    """Pay what a correction brought a player whose session had ended; never what the player who sits there now has."""
    terminal = house.terminals[command.terminal]
    clause = house.rulebook_at(terminal).cites[Matter.CORRECTION]
    amount = Cents(-terminal.debts.get(command.session, 0))
    if amount <= 0:
        says = f"Nothing is payable to session {command.session} of terminal {terminal.id}."
        return refuse(Code.UNKNOWN_RECORD, clause, says, session=command.session)
    if not command.patron.strip():
        return refuse(Code.REASON_NOT_LISTED, clause, "Say whom it is paid to.")
    if command.amount != amount:
        says = f"{amount_text(amount)} are payable now, and {amount_text(command.amount)} were signed for."
        return refuse(Code.RECORD_DIFFERS, clause, says, amount=amount)
    rulebook, number = house.rulebook_at(terminal), command.form_number.strip()
    form = payable_form(rulebook, amount)
    if form and not number:
        says = f"The {form} form comes first, with the patron's name and its number."
        return refuse(Code.FORM_MISSING, hold_clause(rulebook), says, form=form)
    slip = Number(house.payables_paid + 1)
    paid = PayablePaid(terminal.id, command.session, slip, command.drawer, amount, clause, command.patron, number)
    return _signed_by_another(house, command, stamp) or cannot_pay(house, command.drawer, terminal, amount) or (paid,)


def payable_form(rulebook: Rulebook, amount: int) -> str:
    """Name the tax form that a payable takes, or nothing.

    The whole amount counts, whatever of it was staked: a form too many does less harm than a form too few.
    """
    return rulebook.tax.form if rulebook.tax is not None and amount >= rulebook.tax.threshold else ""


def _signed_by_another(house: House, command: PayPayable, stamp: Stamp) -> Refusal | None:
    """Say that the drawer is with neither of those who sign: its cashier signs first, and another person second."""
    first = (each.person for each in house.proposals.values() if each.command == command)
    drawer = house.drawers.get(command.drawer)
    if drawer is not None and drawer.cashier in first:
        return None
    return anothers(house, command.drawer, stamp)


def payable_paid(house: House, event: PayablePaid, _stamp: Stamp) -> None:
    terminal = house.terminals[event.terminal]
    owed = terminal.debts.pop(event.session)
    assert owed == -event.amount
    del terminal.causes[event.session]
    pay_out(house, event.drawer, terminal, event.amount, owed=Account.PAYABLES)
    house.payables_paid += 1
    terminal.meters.payables_paid += event.amount
    # What an earlier session is paid is no part of this one's figures.
    terminal.session_out += event.amount


DECIDERS: Deciders = {
    OpenDrawer: open_drawer,
    PayPayable: pay_payable,
    RedeemTicket: redeem_ticket,
    CountDrawer: count_drawer,
    CloseDrawer: close_drawer,
}
EVOLVERS: Evolvers = {
    DrawerOpened: drawer_opened,
    TicketRedeemed: ticket_redeemed,
    PayablePaid: payable_paid,
    DrawerCounted: drawer_counted,
    DrawerClosed: drawer_closed,
}
