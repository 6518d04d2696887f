"""The cashier's drawers: opening, fills and drops, counts, payments and buy-ins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from msgspec.structs import replace

from croupier.house.credit import sessions
from croupier.house.credit.sessions import forms_clause
from croupier.house.credit.tickets import (
    TicketRedeemed,
    desk_clause,
    find_ticket,
    pay,
    payment_objection,
    ticket_clause,
    undispensed,
    unknown_ticket,
)
from croupier.house.declare import (
    Command,
    Decision,
    Event,
    Events,
    EventTopic,
    TerminalCommand,
    TerminalEvent,
    command,
    decides,
    event,
    evolves,
)
from croupier.house.floor.incidents import IncidentFacts, IncidentKind, incident_raised
from croupier.house.floor.permissions import hold_clause, offline_objection, out_of_service
from croupier.house.floor.texts import name_form_objection
from croupier.house.ids import Context, DrawerId, Instant, Number, PersonId, TerminalId
from croupier.house.state.ledger import LedgerAccount
from croupier.rules.money import Cents, amount_text
from croupier.rules.procedure import CreditIn, Duty
from croupier.rules.refusal import CitedTopic, ClauseId, Code, Refused, raise_if
from croupier.rules.rulebook import Rulebook

if TYPE_CHECKING:
    from croupier.house import House


@dataclass(slots=True)
class Drawer:
    """A cashier's drawer: its float, and the cash in and out."""

    id: DrawerId
    cashier: PersonId
    float_: int
    opened_at: Instant
    cash: int
    paid_out: int = 0
    taken_in: int = 0
    #: Cash from the vault and to it during the shift.
    filled: int = 0
    dropped: int = 0
    #: The currency of its cash, named when it was opened or set by the first movement: a house may have several.
    currency: str = ""
    #: The last blind count, and the expected amount.
    counted: int | None = None
    expected: int | None = None
    closed: bool = False


@command(Duty.CASH)
class OpenDrawer(Command, frozen=True):
    """A cashier takes a drawer with a float.

    A drawer has one currency. Without one here, its first movement sets it.
    """

    drawer: DrawerId
    float_: Cents
    currency: str = ""


@event("Drawer {drawer} was taken out.", EventTopic.MONEY)
class DrawerOpened(Event, frozen=True, omit_defaults=True):
    """A cashier opened a drawer with a float."""

    drawer: DrawerId
    float_: Cents
    #: Empty until the first movement, where the cashier did not name it.
    currency: str = ""


@decides(OpenDrawer)
def open_drawer(house: House, command: OpenDrawer, _context: Context) -> Events:
    """Open a drawer; a closed drawer may be opened again."""
    if command.float_ < 0:
        raise Refused(Code.MALFORMED, None, "A float is nothing or more.", amount=command.float_)
    drawer = house.drawers.get(command.drawer)
    if drawer is not None and not drawer.closed:
        message = f"Drawer {drawer.id} is out already, with {drawer.cashier}."
        raise Refused(Code.ALREADY_THERE, None, message, cashier=drawer.cashier)
    known = sorted({table.rulebook.currency for table in house.tables.values()})
    if command.currency and command.currency not in known:
        message = f"No table here plays in {command.currency}: drawers hold {', '.join(known)}."
        raise Refused(Code.MALFORMED, None, message, currency=command.currency)
    raise_if(name_form_objection(command.drawer))
    return (DrawerOpened(command.drawer, command.float_, command.currency),)


@evolves(DrawerOpened)
def drawer_opened(house: House, event: DrawerOpened, context: Context) -> None:
    drawer = Drawer(event.drawer, context.person, event.float_, context.now, cash=event.float_)
    drawer.currency = event.currency
    house.drawers[event.drawer] = drawer
    house.ledger.post(event.float_, source=LedgerAccount.DRAWERS, target=LedgerAccount.VAULT)


@command(Duty.CASH)
class BuyIn(TerminalCommand, frozen=True):
    """Take cash into a drawer, for credits on a terminal."""

    drawer: DrawerId
    amount: Cents


@event("{amount} were bought in at drawer {drawer}.", EventTopic.MONEY)
class BoughtIn(TerminalEvent, frozen=True):
    """Cash paid into a drawer became credit."""

    drawer: DrawerId
    amount: Cents


@decides(BuyIn)
def buy_in(house: House, command: BuyIn, context: Context) -> Events:
    """Sell credits for cash; as with a note, a held win does not prevent it."""
    terminal = house.terminals[command.terminal]
    rulebook = house.rulebook_at(terminal)
    require_cashier(house, command.drawer, context)
    # Credits are not added to a terminal that cannot show them.
    raise_if(out_of_service(house, terminal, rulebook) or offline_objection(terminal, rulebook))
    clause, amount, unit = rulebook.cited_clauses[CitedTopic.CREDIT_IN], command.amount, terminal.denomination
    if amount <= 0:
        raise Refused(Code.STAKE_NOT_POSITIVE, clause, "Credits are bought for more than nothing.", amount=amount)
    if amount % unit:
        message = f"{amount_text(amount)} is not a whole number of credits of {amount_text(unit)}."
        raise Refused(Code.NOT_WHOLE_CREDITS, clause, message, stake=amount, credit=unit)
    if all(ruling.choice is not CreditIn.CASHIER for ruling in terminal.channel.credit_in):
        raise Refused(Code.NOT_TAKEN_HERE, forms_clause(rulebook), "The cashier does not sell credits here.")
    require_currency(find_open(house, command.drawer), rulebook)
    return (*sessions.renewed(terminal), BoughtIn(command.terminal, command.drawer, amount))


def require_cashier(house: House, name: DrawerId, *signed: Context) -> None:
    """Require that the cashier of an open drawer is one of those who signed: each cashier uses their own drawer."""
    drawer = house.drawers.get(name)
    if drawer is None or drawer.closed or any(drawer.cashier == each.person for each in signed):
        return
    message = f"Drawer {name} is with {drawer.cashier}, and nobody else pays from it or takes anything into it."
    raise Refused(Code.NOT_AUTHORISED, _paying_clause(house), message, cashier=drawer.cashier)


def _paying_clause(house: House) -> ClauseId:
    """Name the payout clause of the first adopted rulebook: a drawer belongs to no table."""
    return next(iter(house.rulebooks.values())).cited_clauses[CitedTopic.CREDIT_OUT]


def require_currency(drawer: Drawer, rulebook: Rulebook) -> None:
    """Refuse a drawer whose currency differs from that of the rules."""
    if drawer.currency not in ("", rulebook.currency):
        message = (
            f"Drawer {drawer.id} pays in {drawer.currency}, and this is in {rulebook.currency}: take another drawer."
        )
        currencies = {"currency": rulebook.currency, "drawer": drawer.currency}
        raise Refused(Code.NOT_PAID_HERE, rulebook.cited_clauses[CitedTopic.CREDIT_OUT], message, **currencies)


def find_open(house: House, name: DrawerId) -> Drawer:
    """Find a drawer; refuse one that does not exist or was handed in."""
    drawer = house.drawers.get(name)
    if drawer is None:
        raise Refused(Code.DRAWER_UNKNOWN, _paying_clause(house), f"There is no drawer {name}.", drawer=name)
    if drawer.closed:
        raise Refused(Code.DRAWER_CLOSED, _paying_clause(house), f"Drawer {name} has been handed in.", drawer=name)
    return drawer


@evolves(BoughtIn)
def bought_in(house: House, event: BoughtIn, context: Context) -> None:
    """Add cash to a drawer, invalidate the drawer's last count, and add the same amount in credits to a terminal."""
    terminal, drawer = house.terminals[event.terminal], house.drawers[event.drawer]
    sessions.begin(house, terminal, context)
    house.ledger.post(event.amount, source=LedgerAccount.DRAWERS, target=LedgerAccount.CREDIT)
    drawer.currency = house.rulebook_at(terminal).currency
    drawer.cash += event.amount
    drawer.taken_in += event.amount
    drawer.counted = drawer.expected = None
    terminal.credit += event.amount
    terminal.meters.bought_in += event.amount


@command(Duty.CASH, messages=("redeem",))
class RedeemTicket(Command, frozen=True):
    """Pay a slip or ticket from a drawer; the amount printed on it is given for comparison."""

    drawer: DrawerId
    digest: str
    amount_on_paper: Cents | None = None


@decides(RedeemTicket)
def redeem_ticket(house: House, command: RedeemTicket, context: Context) -> Decision:
    """Pay a ticket that the house issued, once, to its bearer."""
    require_cashier(house, command.drawer, context)
    ticket = find_ticket(house, command.digest)
    if ticket is None:
        return unknown_ticket(desk_clause(house))
    raise_if(payment_objection(house, ticket) or undispensed(house, ticket))
    rulebook, on_paper = house.rulebook_of(ticket), command.amount_on_paper
    # The record is authoritative: a paper that differs is not paid.
    if on_paper is not None and on_paper != ticket.amount:
        message = (
            f"The paper says {amount_text(on_paper)} {rulebook.currency}, and it was issued for "
            f"{amount_text(ticket.amount)} {rulebook.currency}: please call a supervisor."
        )
        facts = {"on_paper": on_paper, "amount": ticket.amount}
        raise Refused(Code.TICKET_ALTERED, ticket_clause(house, ticket), message, **facts)
    check_payment(house, command.drawer, rulebook, ticket.amount)
    return (TicketRedeemed(ticket.sequence, place=command.drawer, at_terminal=False),)


def check_payment(house: House, name: DrawerId, rulebook: Rulebook, amount: int) -> None:
    """Require an open drawer that can pay an amount that is owed by these rules."""
    drawer = find_open(house, name)
    require_currency(drawer, rulebook)
    require_cash(house, drawer, amount)


def require_cash(house: House, drawer: Drawer, amount: int) -> None:
    """Refuse an amount that a drawer does not hold, without revealing its contents: a drawer is counted blind."""
    if drawer.cash < amount:
        message = f"There is not enough in drawer {drawer.id}: {amount_text(amount)} are to be paid."
        raise Refused(Code.DRAWER_SHORT, _paying_clause(house), message, amount=amount)


# As with a payable: the cashier of the drawer signs first, and another person second.
@command(Duty.CASH, Duty.INSPECT, signatures=2)
class FillDrawer(Command, frozen=True):
    """Bring cash from the vault to a drawer. The cashier of the drawer signs first."""

    drawer: DrawerId
    amount: Cents

    def require_signers(self, house: House, *signed: Context) -> None:
        require_cashier(house, self.drawer, *signed)


@event("Drawer {drawer} was filled with {amount}.", EventTopic.MONEY, EventTopic.SIGNIFICANT)
class DrawerFilled(Event, frozen=True):
    """Cash was brought from the vault to a drawer."""

    drawer: DrawerId
    amount: Cents


@decides(FillDrawer)
def fill_drawer(house: House, command: FillDrawer, _context: Context) -> Events:
    _find_for_vault(house, command)
    return (DrawerFilled(command.drawer, command.amount),)


def _find_for_vault(house: House, command: FillDrawer | DropDrawer) -> Drawer:
    """Find the open drawer of a movement between it and the vault."""
    if command.amount <= 0:
        message = "A movement between the vault and a drawer has an amount."
        raise Refused(Code.MALFORMED, None, message, amount=command.amount)
    return find_open(house, command.drawer)


@evolves(DrawerFilled)
def drawer_filled(house: House, event: DrawerFilled, _context: Context) -> None:
    house.drawers[event.drawer].filled += event.amount
    _from_vault(house, event.drawer, event.amount)


def _from_vault(house: House, name: DrawerId, amount: int) -> None:
    """Move cash from the vault to a drawer, and invalidate the drawer's last count; a negative amount goes back."""
    drawer = house.drawers[name]
    drawer.cash += amount
    drawer.counted = drawer.expected = None
    house.ledger.post(amount, source=LedgerAccount.DRAWERS, target=LedgerAccount.VAULT)


@command(Duty.CASH, Duty.INSPECT, signatures=2)
class DropDrawer(Command, frozen=True):
    """Take cash from a drawer to the vault. The cashier of the drawer signs first."""

    drawer: DrawerId
    amount: Cents

    def require_signers(self, house: House, *signed: Context) -> None:
        require_cashier(house, self.drawer, *signed)


@event("{amount} were dropped from drawer {drawer} to the vault.", EventTopic.MONEY, EventTopic.SIGNIFICANT)
class DrawerDropped(Event, frozen=True):
    """Cash was taken from a drawer to the vault."""

    drawer: DrawerId
    amount: Cents


@decides(DropDrawer)
def drop_drawer(house: House, command: DropDrawer, _context: Context) -> Events:
    """Take cash to the vault; as with a payment, a refusal does not reveal the drawer's contents."""
    require_cash(house, _find_for_vault(house, command), command.amount)
    return (DrawerDropped(command.drawer, command.amount),)


@evolves(DrawerDropped)
def drawer_dropped(house: House, event: DrawerDropped, _context: Context) -> None:
    house.drawers[event.drawer].dropped += event.amount
    _from_vault(house, event.drawer, -event.amount)


@command(Duty.CASH)
class CountDrawer(Command, frozen=True):
    """Count a drawer blind: the expected amount is not shown."""

    drawer: DrawerId
    counted: Cents


@event("Drawer {drawer} was counted.", EventTopic.MONEY)
class DrawerCounted(Event, frozen=True):
    """A drawer was counted blind; with the expected amount."""

    drawer: DrawerId
    counted: Cents
    expected: Cents


@decides(CountDrawer)
def count_drawer(house: House, command: CountDrawer, _context: Context) -> Events:
    """Compare a blind count with the ledger; any cashier may count, because the drawer's own cashier may have left."""
    if command.counted < 0:
        raise Refused(Code.MALFORMED, None, "A count is nothing or more.", amount=command.counted)
    return (DrawerCounted(command.drawer, command.counted, Cents(find_open(house, command.drawer).cash)),)


@evolves(DrawerCounted)
def drawer_counted(house: House, event: DrawerCounted, _context: Context) -> None:
    drawer = house.drawers[event.drawer]
    drawer.counted, drawer.expected = event.counted, event.expected


# One person alone could say of any sum that it went back to the vault.
@command(Duty.CASH, Duty.INSPECT, signatures=2)
class CloseDrawer(Command, frozen=True, omit_defaults=True):
    """Hand a counted drawer in. The person who receives the cash signs too."""

    drawer: DrawerId
    #: What both sign for; the first signature fixes it.
    counted: Cents | None = None

    def as_proposed(self, house: House) -> CloseDrawer:
        """What was counted for one signature must not be signed for another count."""
        return replace(self, counted=house.drawers[self.drawer].counted)


@event("Drawer {drawer} was handed in.", EventTopic.MONEY, EventTopic.SIGNIFICANT)
class DrawerClosed(Event, frozen=True):
    """A drawer was handed in, and its over or short was booked."""

    drawer: DrawerId


@decides(CloseDrawer)
def close_drawer(house: House, command: CloseDrawer, context: Context) -> Events:
    """Close a drawer that was counted and has paid nothing since; a difference is an incident."""
    drawer, clause = find_open(house, command.drawer), _paying_clause(house)
    if drawer.counted is None:
        raise Refused(Code.OUT_OF_TURN, clause, f"Drawer {command.drawer} is to be counted first.")
    if command.counted not in (None, drawer.counted):
        message = f"{amount_text(drawer.counted)} are counted now, and {amount_text(command.counted)} were signed for."
        raise Refused(Code.RECORD_DIFFERS, clause, message, amount=drawer.counted)
    closed = DrawerClosed(command.drawer)
    if drawer.counted == drawer.cash:
        return (closed,)
    difference = f"{amount_text(drawer.counted - drawer.cash)} {drawer.currency}".strip()
    facts = IncidentFacts(difference, people=tuple(dict.fromkeys((drawer.cashier, context.person))))
    return closed, incident_raised(house, IncidentKind.DRAWER_DIFFERS, command.drawer, clause, facts)


@evolves(DrawerClosed)
def drawer_closed(house: House, event: DrawerClosed, _context: Context) -> None:
    """Move the counted cash to the vault, and post the shortage or surplus."""
    drawer = house.drawers[event.drawer]
    assert drawer.counted is not None
    house.ledger.post(drawer.counted, source=LedgerAccount.VAULT, target=LedgerAccount.DRAWERS)
    house.ledger.post(drawer.cash - drawer.counted, source=LedgerAccount.DIFFERENCES, target=LedgerAccount.DRAWERS)
    drawer.cash, drawer.closed = 0, True


# The cashier signs first, and a person with the duty to inspect second.
@command(Duty.CASH, Duty.INSPECT, signatures=2)
class PayPayable(TerminalCommand, frozen=True):
    """Pay what a correction owes a player whose session has ended, by a slip, from a drawer."""

    session: int
    drawer: DrawerId
    #: What both sign for: another correction may have changed it by the second signature.
    amount: Cents
    #: The person who is paid.
    patron: str
    #: The number of the tax form, where the amount takes one.
    form_number: str = ""

    def require_signers(self, house: House, *signed: Context) -> None:
        require_cashier(house, self.drawer, *signed)


@event(
    "{amount} were paid from drawer {drawer} to the player of session {session} by slip {slip}.",
    EventTopic.MONEY,
    EventTopic.SIGNIFICANT,
)
class PayablePaid(TerminalEvent, frozen=True):
    """A payable, which a correction left after the end of a session, was paid against a slip."""

    session: int
    slip: Number
    drawer: DrawerId
    amount: Cents
    clause: ClauseId
    patron: str
    #: The number of the tax form, if the amount requires one.
    form_number: str = ""


@decides(PayPayable)
def pay_payable(house: House, command: PayPayable, _context: Context) -> Events:
    """Pay the payable of an ended session; the current player's credits are not affected."""
    terminal = house.terminals[command.terminal]
    rulebook = house.rulebook_at(terminal)
    clause = rulebook.cited_clauses[CitedTopic.CORRECTION]
    amount = Cents(-terminal.debts.get(command.session, 0))
    if amount <= 0:
        message = f"Nothing is payable to session {command.session} of terminal {terminal.id}."
        raise Refused(Code.UNKNOWN_RECORD, clause, message, session=command.session)
    if not command.patron.strip():
        raise Refused(Code.REASON_NOT_LISTED, clause, "Say whom it is paid to.")
    if command.amount != amount:
        message = f"{amount_text(amount)} are payable now, and {amount_text(command.amount)} were signed for."
        raise Refused(Code.RECORD_DIFFERS, clause, message, amount=amount)
    form, number = payable_form(rulebook, amount), command.form_number.strip()
    if form and not number:
        message = f"The {form} form comes first, with the patron's name and its number."
        raise Refused(Code.FORM_MISSING, hold_clause(rulebook), message, form=form)
    check_payment(house, command.drawer, rulebook, amount)
    slip = Number(house.payables_paid + 1)
    return (PayablePaid(terminal.id, command.session, slip, command.drawer, amount, clause, command.patron, number),)


def payable_form(rulebook: Rulebook, amount: int) -> str:
    """Name the tax form that a payable requires, or return an empty string.

    The whole amount counts, including any stakes: an extra form does less harm than a missing form.
    """
    return rulebook.tax.form if rulebook.tax is not None and amount >= rulebook.tax.threshold else ""


@evolves(PayablePaid)
def payable_paid(house: House, event: PayablePaid, _context: Context) -> None:
    terminal = house.terminals[event.terminal]
    owed = terminal.debts.pop(event.session)
    assert owed == -event.amount
    del terminal.causes[event.session]
    pay_out(house, event.drawer, house.rulebook_at(terminal), event.amount, owed=LedgerAccount.PAYABLES)
    house.payables_paid += 1
    terminal.meters.payables_paid += event.amount
    # A payment to an earlier session does not count in the figures of this one.
    terminal.session_out += event.amount


def pay_out(house: House, name: DrawerId, rulebook: Rulebook, amount: int, *, owed: LedgerAccount) -> None:
    """Pay an amount owed from a drawer, and invalidate the drawer's last count."""
    drawer = house.drawers[name]
    drawer.currency = rulebook.currency
    house.ledger.post(amount, source=owed, target=LedgerAccount.DRAWERS)
    drawer.cash -= amount
    drawer.paid_out += amount
    drawer.counted = drawer.expected = None


@evolves(TicketRedeemed)
def ticket_redeemed(house: House, event: TicketRedeemed, context: Context) -> None:
    """Pay a ticket where it was presented: as credit at a terminal, or as cash from a drawer."""
    ticket = house.tickets.all[event.sequence]
    pay(house, ticket, event.place, context)
    if not event.at_terminal:
        pay_out(house, DrawerId(event.place), house.rulebook_of(ticket), ticket.amount, owed=LedgerAccount.TICKETS)
        return
    terminal = house.terminals[TerminalId(event.place)]
    sessions.begin(house, terminal, context)
    house.ledger.post(ticket.amount, source=LedgerAccount.TICKETS, target=LedgerAccount.CREDIT)
    terminal.credit += ticket.amount
    terminal.meters.tickets_in += ticket.amount
