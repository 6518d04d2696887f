"""Drawers, buy-ins, held wins and credit adjustments."""

from collections.abc import Mapping

from croupier.house import tickets
from croupier.house.base import Decision
from croupier.house.commands.credit import (
    AdjustCredit,
    BuyIn,
    CloseDrawer,
    CountDrawer,
    DropDrawer,
    FillDrawer,
    OpenDrawer,
    PayHeldWin,
    PayPayable,
    RecordTaxForm,
    RedeemTicket,
    ReleaseHeldWin,
)
from croupier.house.events.credit import (
    BoughtIn,
    CreditAdjusted,
    DrawerClosed,
    DrawerCounted,
    DrawerDropped,
    DrawerFilled,
    DrawerOpened,
    HeldWinPaid,
    HeldWinReleased,
    PayablePaid,
    TaxFormRecorded,
    TicketRedeemed,
)
from croupier.house.ids import Context, DrawerId, Number, TerminalId
from croupier.house.permissions import blocked_objection, hold_clause, offline_objection, out_of_service
from croupier.house.settings import TableSettings
from croupier.house.state import Deciders, Evolvers, House
from croupier.house.state.money import Drawer, LedgerAccount, Ticket
from croupier.house.state.tables import HeldWin, Terminal
from croupier.house.texts import name_form_objection
from croupier.house.tickets import (
    desk_clause,
    find_ticket,
    not_taken,
    pay,
    payment_objection,
    ticket_clause,
    undispensed,
    unknown_ticket,
)
from croupier.rules.geometry import Pocket
from croupier.rules.money import Cents, amount_text
from croupier.rules.procedure import CreditIn, Tax, TaxBasis
from croupier.rules.refusal import CitedTopic, ClauseId, Code, Refusal, refuse
from croupier.rules.rulebook import PayoutTable, Rulebook, Stakes


def adjust_credit(house: House, command: AdjustCredit, _context: Context) -> Decision:
    terminal = house.terminals[command.terminal]
    rulebook = house.rulebook_at(terminal)
    clause, words = rulebook.cited_clauses[CitedTopic.CREDIT], command.words.strip()
    if command.amount == 0:
        return refuse(Code.MALFORMED, None, "An adjustment of nothing puts nothing right.")
    if not words:
        return refuse(Code.REASON_NOT_LISTED, clause, "An adjustment needs its reason in words.")
    adjusted = CreditAdjusted(command.terminal, command.amount, clause, words)
    return _not_upwards(rulebook, command) or _too_far_down(rulebook, terminal, command) or (adjusted,)


def credit_adjusted(house: House, event: CreditAdjusted, context: Context) -> None:
    terminal = house.terminals[event.terminal]
    house.ledger.post(event.amount, source=LedgerAccount.ADJUSTMENTS, target=LedgerAccount.CREDIT)
    terminal.credit += event.amount
    if event.amount > 0:
        tickets.begin(house, terminal, context)
        terminal.meters.adjusted_in += event.amount
    else:
        terminal.meters.adjusted_out -= event.amount
        tickets.watch(house, terminal, context)


def _too_far_down(rulebook: Rulebook, terminal: Terminal, command: AdjustCredit) -> Refusal | None:
    if terminal.credit + command.amount >= 0:
        return None
    message = (
        f"There are {amount_text(terminal.credit)} {rulebook.currency} on the meter, which never falls below nothing."
    )
    facts = {"credit": terminal.credit, "amount": command.amount}
    return refuse(Code.CREDIT_SHORT, rulebook.cited_clauses[CitedTopic.CREDIT], message, **facts)


def _not_upwards(rulebook: Rulebook, command: AdjustCredit) -> Refusal | None:
    # 7(d) at Adelaide: only notes and wins add to the meter, so an attendant cannot.
    if command.amount < 0 or rulebook.credit_only is None:
        return None
    return not_taken(rulebook, "Staff add no credits here: only notes and wins do.", amount=command.amount)


def open_drawer(house: House, command: OpenDrawer, _context: Context) -> Decision:
    """Open a drawer; a closed drawer may be opened again."""
    if command.float_ < 0:
        return refuse(Code.MALFORMED, None, "A float is nothing or more.", amount=command.float_)
    drawer = house.drawers.get(command.drawer)
    if drawer is not None and not drawer.closed:
        message = f"Drawer {drawer.id} is out already, with {drawer.cashier}."
        return refuse(Code.ALREADY_THERE, None, message, cashier=drawer.cashier)
    return name_form_objection(command.drawer) or (DrawerOpened(command.drawer, command.float_),)


def drawer_opened(house: House, event: DrawerOpened, context: Context) -> None:
    house.drawers[event.drawer] = Drawer(event.drawer, context.person, event.float_, context.now, cash=event.float_)
    house.ledger.post(event.float_, source=LedgerAccount.DRAWERS, target=LedgerAccount.VAULT)


def fill_drawer(house: House, command: FillDrawer, _context: Context) -> Decision:
    return _vault_objection(house, command) or (DrawerFilled(command.drawer, command.amount),)


def drawer_filled(house: House, event: DrawerFilled, _context: Context) -> None:
    house.drawers[event.drawer].filled += event.amount
    _from_vault(house, event.drawer, event.amount)


def drop_drawer(house: House, command: DropDrawer, _context: Context) -> Decision:
    """Take cash to the vault; as with a payment, a refusal does not reveal the drawer's contents."""
    return (
        _vault_objection(house, command)
        or drawer_short(house, command.drawer, command.amount)
        or (DrawerDropped(command.drawer, command.amount),)
    )


def drawer_dropped(house: House, event: DrawerDropped, _context: Context) -> None:
    house.drawers[event.drawer].dropped += event.amount
    _from_vault(house, event.drawer, -event.amount)


def _vault_objection(house: House, command: FillDrawer | DropDrawer) -> Refusal | None:
    """Refuse a movement between the vault and a drawer."""
    if command.amount <= 0:
        message = "A movement between the vault and a drawer has an amount."
        return refuse(Code.MALFORMED, None, message, amount=command.amount)
    return drawer_closed_objection(house, command.drawer)


def _from_vault(house: House, name: DrawerId, amount: int) -> None:
    """Move cash from the vault to a drawer, and invalidate the drawer's last count; a negative amount goes back."""
    drawer = house.drawers[name]
    drawer.cash += amount
    drawer.counted = drawer.expected = None
    house.ledger.post(amount, source=LedgerAccount.DRAWERS, target=LedgerAccount.VAULT)


def redeem_ticket(house: House, command: RedeemTicket, context: Context) -> Decision:
    """Pay a ticket that the house issued, once, to its bearer."""
    refusal = other_cashiers_drawer(house, command.drawer, context)
    ticket = find_ticket(house, command.digest)
    if ticket is None:
        return refusal or unknown_ticket(desk_clause(house))
    return (
        refusal
        or payment_objection(house, ticket)
        or undispensed(house, ticket)
        or _altered(house, ticket, command)
        or cannot_pay(house, command.drawer, house.rulebook_of(ticket), ticket.amount)
        or (TicketRedeemed(ticket.sequence, place=command.drawer, at_terminal=False),)
    )


def ticket_redeemed(house: House, event: TicketRedeemed, context: Context) -> None:
    """Pay a ticket where it was presented: as credit at a terminal, or as cash from a drawer."""
    ticket = house.tickets[event.sequence]
    pay(house, ticket, event.place, context)
    if not event.at_terminal:
        pay_out(house, DrawerId(event.place), house.rulebook_of(ticket), ticket.amount, owed=LedgerAccount.TICKETS)
        return
    terminal = house.terminals[TerminalId(event.place)]
    tickets.begin(house, terminal, context)
    house.ledger.post(ticket.amount, source=LedgerAccount.TICKETS, target=LedgerAccount.CREDIT)
    terminal.credit += ticket.amount
    terminal.meters.tickets_in += ticket.amount


def count_drawer(house: House, command: CountDrawer, _context: Context) -> Decision:
    """Compare a blind count with the ledger; any cashier may count, because the drawer's own cashier may have left."""
    if command.counted < 0:
        return refuse(Code.MALFORMED, None, "A count is nothing or more.", amount=command.counted)
    refusal = drawer_closed_objection(house, command.drawer)
    if refusal is not None:
        return refusal
    return (DrawerCounted(command.drawer, command.counted, Cents(house.drawers[command.drawer].cash)),)


def drawer_counted(house: House, event: DrawerCounted, _context: Context) -> None:
    drawer = house.drawers[event.drawer]
    drawer.counted, drawer.expected = event.counted, event.expected


def close_drawer(house: House, command: CloseDrawer, _context: Context) -> Decision:
    """Close a drawer that was counted and has paid nothing since."""
    refusal = drawer_closed_objection(house, command.drawer)
    if refusal is not None:
        return refusal
    if house.drawers[command.drawer].counted is None:
        return refuse(Code.OUT_OF_TURN, _paying_clause(house), f"Drawer {command.drawer} is to be counted first.")
    return (DrawerClosed(command.drawer),)


def drawer_closed(house: House, event: DrawerClosed, _context: Context) -> None:
    """Move the counted cash to the vault, and post the shortage or surplus."""
    drawer = house.drawers[event.drawer]
    assert drawer.counted is not None
    house.ledger.post(drawer.counted, source=LedgerAccount.VAULT, target=LedgerAccount.DRAWERS)
    house.ledger.post(drawer.cash - drawer.counted, source=LedgerAccount.DIFFERENCES, target=LedgerAccount.DRAWERS)
    drawer.cash, drawer.closed = 0, True


def other_cashiers_drawer(house: House, name: DrawerId, context: Context) -> Refusal | None:
    """Refuse a drawer that belongs to another cashier: each cashier uses their own."""
    drawer = house.drawers.get(name)
    if drawer is None or drawer.closed or drawer.cashier == context.person:
        return None
    message = f"Drawer {name} is with {drawer.cashier}, and nobody else pays from it or takes anything into it."
    return refuse(Code.NOT_AUTHORISED, _paying_clause(house), message, cashier=drawer.cashier)


def cashier_signs(house: House, name: DrawerId, *signed: Context) -> Refusal | None:
    """Refuse unless the drawer's cashier is one of those who signed; the cashier signs first, and another second."""
    refusals = [other_cashiers_drawer(house, name, each) for each in signed]
    return refusals[0] if all(refusals) else None


def cannot_pay(house: House, name: DrawerId, rulebook: Rulebook, amount: int) -> Refusal | None:
    """Refuse to pay an amount that is owed by these rules if the drawer cannot pay it.

    The refusal does not reveal the drawer's contents: the drawer is counted blind.
    """
    refusal = drawer_closed_objection(house, name) or other_currency(house.drawers[name], rulebook)
    return refusal or drawer_short(house, name, amount)


def drawer_short(house: House, name: DrawerId, amount: int) -> Refusal | None:
    """Refuse an amount that an open drawer does not hold."""
    if house.drawers[name].cash >= amount:
        return None
    message = f"There is not enough in drawer {name}: {amount_text(amount)} are to be paid."
    return refuse(Code.DRAWER_SHORT, _paying_clause(house), message, amount=amount)


def other_currency(drawer: Drawer, rulebook: Rulebook) -> Refusal | None:
    """Refuse a drawer whose currency differs from that of the rules."""
    if drawer.currency in ("", rulebook.currency):
        return None
    message = f"Drawer {drawer.id} pays in {drawer.currency}, and this is in {rulebook.currency}: take another drawer."
    currencies = {"currency": rulebook.currency, "drawer": drawer.currency}
    return refuse(Code.NOT_PAID_HERE, rulebook.cited_clauses[CitedTopic.CREDIT_OUT], message, **currencies)


def pay_out(house: House, name: DrawerId, rulebook: Rulebook, amount: int, *, owed: LedgerAccount) -> None:
    """Pay an amount owed from a drawer, and invalidate the drawer's last count."""
    drawer = house.drawers[name]
    drawer.currency = rulebook.currency
    house.ledger.post(amount, source=owed, target=LedgerAccount.DRAWERS)
    drawer.cash -= amount
    drawer.paid_out += amount
    drawer.counted = drawer.expected = None


def drawer_closed_objection(house: House, name: DrawerId) -> Refusal | None:
    """Refuse a drawer that does not exist or is not open."""
    drawer = house.drawers.get(name)
    if drawer is None:
        return refuse(Code.DRAWER_UNKNOWN, _paying_clause(house), f"There is no drawer {name}.", drawer=name)
    if drawer.closed:
        return refuse(Code.DRAWER_CLOSED, _paying_clause(house), f"Drawer {name} has been handed in.", drawer=name)
    return None


def _altered(house: House, ticket: Ticket, command: RedeemTicket) -> Refusal | None:
    """Compare the paper with the record, which is authoritative; refuse payment if they differ."""
    on_paper = command.amount_on_paper
    if on_paper is None or on_paper == ticket.amount:
        return None
    currency = house.rulebook_of(ticket).currency
    message = (
        f"The paper says {amount_text(on_paper)} {currency}, and it was issued for {amount_text(ticket.amount)} "
        f"{currency}: please call a supervisor."
    )
    facts = {"on_paper": on_paper, "amount": ticket.amount}
    return refuse(Code.TICKET_ALTERED, ticket_clause(house, ticket), message, **facts)


def _paying_clause(house: House) -> ClauseId:
    """Name the payout clause of the first adopted rulebook: a drawer belongs to no table."""
    return next(iter(house.rulebooks.values())).cited_clauses[CitedTopic.CREDIT_OUT]


def pay_payable(house: House, command: PayPayable, _context: Context) -> Decision:
    """Pay the payable of an ended session; the current player's credits are not affected."""
    terminal = house.terminals[command.terminal]
    clause = house.rulebook_at(terminal).cited_clauses[CitedTopic.CORRECTION]
    amount = Cents(-terminal.debts.get(command.session, 0))
    if amount <= 0:
        message = f"Nothing is payable to session {command.session} of terminal {terminal.id}."
        return refuse(Code.UNKNOWN_RECORD, clause, message, session=command.session)
    if not command.patron.strip():
        return refuse(Code.REASON_NOT_LISTED, clause, "Say whom it is paid to.")
    if command.amount != amount:
        message = f"{amount_text(amount)} are payable now, and {amount_text(command.amount)} were signed for."
        return refuse(Code.RECORD_DIFFERS, clause, message, amount=amount)
    rulebook, number = house.rulebook_at(terminal), command.form_number.strip()
    form = payable_form(rulebook, amount)
    if form and not number:
        message = f"The {form} form comes first, with the patron's name and its number."
        return refuse(Code.FORM_MISSING, hold_clause(rulebook), message, form=form)
    slip = Number(house.payables_paid + 1)
    paid = PayablePaid(terminal.id, command.session, slip, command.drawer, amount, clause, command.patron, number)
    return cannot_pay(house, command.drawer, rulebook, amount) or (paid,)


def payable_form(rulebook: Rulebook, amount: int) -> str:
    """Name the tax form that a payable requires, or return an empty string.

    The whole amount counts, including any stakes: an extra form does less harm than a missing form.
    """
    return rulebook.tax.form if rulebook.tax is not None and amount >= rulebook.tax.threshold else ""


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


def buy_in(house: House, command: BuyIn, context: Context) -> Decision:
    """Sell credits for cash; as with a note, a held win does not prevent it."""
    terminal = house.terminals[command.terminal]
    rulebook = house.rulebook_at(terminal)
    return (
        other_cashiers_drawer(house, command.drawer, context)
        or out_of_service(house, terminal, rulebook)
        # Credits are not added to a terminal that cannot show them.
        or offline_objection(terminal, rulebook)
        or _not_sold(house, terminal, command.amount)
        or drawer_closed_objection(house, command.drawer)
        or other_currency(house.drawers[command.drawer], house.rulebook_at(terminal))
        or (*tickets.renewed(terminal), BoughtIn(command.terminal, command.drawer, command.amount))
    )


def bought_in(house: House, event: BoughtIn, context: Context) -> None:
    """Add cash to a drawer, invalidate the drawer's last count, and add the same amount in credits to a terminal."""
    terminal, drawer = house.terminals[event.terminal], house.drawers[event.drawer]
    tickets.begin(house, terminal, context)
    house.ledger.post(event.amount, source=LedgerAccount.DRAWERS, target=LedgerAccount.CREDIT)
    drawer.currency = house.rulebook_at(terminal).currency
    drawer.cash += event.amount
    drawer.taken_in += event.amount
    drawer.counted = drawer.expected = None
    terminal.credit += event.amount
    terminal.meters.bought_in += event.amount


def _not_sold(house: House, terminal: Terminal, amount: Cents) -> Refusal | None:
    """Refuse an amount that is not sold, or a sale that the rules do not permit to a cashier."""
    rulebook, unit = house.rulebook_at(terminal), terminal.denomination
    clause = rulebook.cited_clauses[CitedTopic.CREDIT_IN]
    if amount <= 0:
        return refuse(Code.STAKE_NOT_POSITIVE, clause, "Credits are bought for more than nothing.", amount=amount)
    if amount % unit:
        message = f"{amount_text(amount)} is not a whole number of credits of {amount_text(unit)}."
        return refuse(Code.NOT_WHOLE_CREDITS, clause, message, stake=amount, credit=unit)
    if any(ruling.choice is CreditIn.CASHIER for ruling in terminal.channel.credit_in):
        return None
    return not_taken(rulebook, "The cashier does not sell credits here.")


def bases(stakes: Stakes, felt: PayoutTable, pocket: Pocket) -> dict[TaxBasis, int]:
    """Compute one game's win on every basis; all are recorded, whichever basis the venue uses."""
    gross = felt.returned(stakes, pocket)
    return {
        # 22 at Clearwater: the net sum of all wins; a losing stake is not deducted.
        TaxBasis.NET_OF_WINNING_STAKES: gross - sum(felt.winning(stakes, pocket).values()),
        TaxBasis.NET_OF_TOTAL_BET: gross - sum(stakes.values()),
        TaxBasis.GROSS: gross,
    }


def tax_basis(tax: Tax, settings: TableSettings) -> TaxBasis:
    """Name the basis on which a win is compared with the tax threshold: the table's own, or the rulebook's."""
    return settings.tax_basis or tax.basis


def form_due(tax: Tax | None, settings: TableSettings, counted: Mapping[TaxBasis, int]) -> bool:
    """Check whether a win requires a form: it reaches the threshold on the venue's basis."""
    return tax is not None and counted[tax_basis(tax, settings)] >= tax.threshold


def record_tax_form(house: House, command: RecordTaxForm, _context: Context) -> Decision:
    """Record a form, or replace a form that has an error."""
    terminal = house.terminals[command.terminal]
    if command.hold not in terminal.holds:
        return _no_such(house, terminal, command)
    patron, form_number = command.patron.strip(), command.form_number.strip()
    if not (patron and form_number):
        return _form_missing(house, terminal)
    return (TaxFormRecorded(command.terminal, command.hold, patron, form_number),)


def tax_form_recorded(house: House, event: TaxFormRecorded, _context: Context) -> None:
    hold = house.terminals[event.terminal].holds[event.hold]
    hold.patron, hold.form_number = event.patron, event.form_number


def release_hold(house: House, command: ReleaseHeldWin, _context: Context) -> Decision:
    terminal = house.terminals[command.terminal]
    hold = terminal.holds.get(command.hold)
    if hold is None:
        return _no_such(house, terminal, command)
    if not _recorded(hold):
        return _form_missing(house, terminal)
    return (HeldWinReleased(command.terminal, command.hold, Cents(hold.amount)),)


def hold_released(house: House, event: HeldWinReleased, _context: Context) -> None:
    terminal = house.terminals[event.terminal]
    hold = terminal.holds.pop(event.hold)
    assert event.amount == hold.amount
    house.ledger.post(event.amount, source=LedgerAccount.HELD, target=LedgerAccount.CREDIT)
    terminal.credit += event.amount


def pay_hold(house: House, command: PayHeldWin, context: Context) -> Decision:
    """Pay a held win by hand; like collecting, this is refused at a blocked terminal."""
    terminal = house.terminals[command.terminal]
    hold = terminal.holds.get(command.hold)
    refusal = other_cashiers_drawer(house, command.drawer, context)
    if hold is None:
        return refusal or _no_such(house, terminal, command)
    refusal = refusal or blocked_objection(house, terminal)
    if not _recorded(hold):
        return refusal or _form_missing(house, terminal)
    paid = HeldWinPaid(command.terminal, command.hold, command.drawer, Cents(hold.amount))
    return refusal or cannot_pay(house, command.drawer, house.rulebook_at(terminal), hold.amount) or (paid,)


def hold_paid(house: House, event: HeldWinPaid, context: Context) -> None:
    terminal = house.terminals[event.terminal]
    hold = terminal.holds.pop(event.hold)
    assert event.amount == hold.amount
    pay_out(house, event.drawer, house.rulebook_at(terminal), event.amount, owed=LedgerAccount.HELD)
    terminal.meters.hand_pays += event.amount
    tickets.watch(house, terminal, context)


def _recorded(hold: HeldWin) -> bool:
    return bool(hold.patron and hold.form_number)


def _no_such(house: House, terminal: Terminal, command: RecordTaxForm | ReleaseHeldWin | PayHeldWin) -> Refusal:
    clause = hold_clause(house.rulebook_at(terminal))
    message = f"Terminal {terminal.id} has no held win {command.hold}."
    return refuse(Code.UNKNOWN_RECORD, clause, message, hold=command.hold)


def _form_missing(house: House, terminal: Terminal) -> Refusal:
    rulebook = house.rulebook_at(terminal)
    form = rulebook.tax.form if rulebook.tax else "tax"
    message = f"The {form} form comes first, with the patron's name and its number."
    return refuse(Code.FORM_MISSING, hold_clause(rulebook), message, form=form)


DECIDERS: Deciders = {
    AdjustCredit: adjust_credit,
    OpenDrawer: open_drawer,
    PayPayable: pay_payable,
    RedeemTicket: redeem_ticket,
    FillDrawer: fill_drawer,
    DropDrawer: drop_drawer,
    CountDrawer: count_drawer,
    CloseDrawer: close_drawer,
    BuyIn: buy_in,
    RecordTaxForm: record_tax_form,
    ReleaseHeldWin: release_hold,
    PayHeldWin: pay_hold,
}


EVOLVERS: Evolvers = {
    CreditAdjusted: credit_adjusted,
    DrawerOpened: drawer_opened,
    TicketRedeemed: ticket_redeemed,
    PayablePaid: payable_paid,
    DrawerFilled: drawer_filled,
    DrawerDropped: drawer_dropped,
    DrawerCounted: drawer_counted,
    DrawerClosed: drawer_closed,
    BoughtIn: bought_in,
    TaxFormRecorded: tax_form_recorded,
    HeldWinReleased: hold_released,
    HeldWinPaid: hold_paid,
}
