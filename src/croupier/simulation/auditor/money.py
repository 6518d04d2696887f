"""Money and tickets."""

from datetime import date
from typing import Final

from croupier.house.credit.drawers import (
    BoughtIn,
    BuyIn,
    CloseDrawer,
    CountDrawer,
    DrawerClosed,
    DrawerCounted,
    DrawerDropped,
    DrawerFilled,
    DrawerOpened,
    DropDrawer,
    FillDrawer,
    OpenDrawer,
    PayablePaid,
    PayPayable,
    RedeemTicket,
)
from croupier.house.credit.held_wins import (
    HeldWinPaid,
    HeldWinReleased,
    PayHeldWin,
    RecordTaxForm,
    ReleaseHeldWin,
    TaxFormRecorded,
)
from croupier.house.credit.notes import (
    EscrowNote,
    GrantPlayMoney,
    InsertNote,
    NoteEscrowed,
    NoteReturned,
    NoteStacked,
    PlayMoneyGranted,
    ReturnNote,
    StackNote,
)
from croupier.house.credit.sessions import AdjustCredit, CreditAdjusted, SessionEnd, SessionEnded
from croupier.house.credit.tickets import (
    Collect,
    ConfirmPrint,
    InsertTicket,
    ReleaseTicket,
    ReportLost,
    ReprintTicket,
    TicketIssued,
    TicketPrinted,
    TicketRedeemed,
    TicketReleased,
    TicketReportedLost,
    TicketReprinted,
    TicketVoided,
    VoidTicket,
)
from croupier.house.credit.transfers import (
    PinVenue,
    ReceiveTicket,
    TicketReceived,
    TicketTransferred,
    TransferTicket,
    VenuePinned,
)
from croupier.house.floor.incidents import IncidentCleared, IncidentKind, IncidentRaised
from croupier.house.floor.service import SlotSwitch, TerminalSwitched
from croupier.house.ids import Context, Day, DrawerId, Number, TerminalId
from croupier.house.rounds.recovery import HistoryAccepted
from croupier.house.settings import Mode
from croupier.rules.procedure import CreditIn, CreditOut
from croupier.rules.refusal import Code
from croupier.simulation.auditor.model import Model, ModelTerminal, ModelTicket, ModelVenue
from croupier.simulation.auditor.registry import derives, follows
from croupier.simulation.invariants import ExpectedEvent, check_equal


def _no_note(model: Model, command: InsertNote | EscrowNote, _context: Context) -> set[Code]:
    seat = model.seats[command.terminal]
    takes = CreditIn.NOTES in [each.choice for each in seat.channel.credit_in]
    currency = model.first_table(seat).felt.rulebook.currency
    good = takes and command.currency == currency and command.value in seat.settings.notes
    full = {Code.OUT_OF_TURN} if isinstance(command, InsertNote) and seat.escrow is not None else set()
    return _no_money_in(seat) | full | (set() if good else {Code.NOT_TAKEN_HERE})


def _no_escrow(model: Model, command: EscrowNote, context: Context) -> set[Code]:
    locked = _locked(model, model.seats[command.terminal], IncidentKind.ACCEPTOR_LOCKED)
    dark = {Code.TERMINAL_DARK} if model.seats[command.terminal].dark else set()
    return locked | dark | _no_note(model, command, context)


def _locked(model: Model, seat: ModelTerminal, kind: IncidentKind) -> set[Code]:
    return {Code.TERMINAL_BLOCKED} if (seat.name, kind) in model.locks.values() else set()


@derives(EscrowNote, unless=_no_escrow, breaks="I6")
def _escrow(model: Model, command: EscrowNote, _context: Context) -> list[ExpectedEvent]:
    seat, value = model.seats[command.terminal], command.value
    if seat.escrow == value:
        return []
    before, seat.escrow = seat.escrow, value
    return [*_unseen(seat, before), ExpectedEvent(NoteEscrowed, {"terminal": seat.name, "value": value})]


def _unseen(seat: ModelTerminal, value: int | None) -> list[ExpectedEvent]:
    """Return what is recorded of a note in escrow whose return was not seen."""
    if value is None:
        return []
    says = {"kind": IncidentKind.NOTE_UNRESOLVED, "subject": seat.name}
    return [_returned(seat, value), ExpectedEvent(IncidentRaised, says)]


def _returned(seat: ModelTerminal, value: int) -> ExpectedEvent:
    return ExpectedEvent(NoteReturned, {"terminal": seat.name, "value": value})


def _no_stacking(model: Model, command: StackNote, _context: Context) -> set[Code]:
    return {Code.NOTHING_THERE} if model.seats[command.terminal].escrow is None else set()


@derives(StackNote, unless=_no_stacking, breaks="I6")
def _stack(model: Model, command: StackNote, _context: Context) -> list[ExpectedEvent]:
    seat = model.seats[command.terminal]
    value, seat.escrow = seat.escrow, None
    assert value is not None
    return _credited(seat, value)


@derives(ReturnNote, breaks="I6")
def _return_note(model: Model, command: ReturnNote, _context: Context) -> list[ExpectedEvent]:
    seat = model.seats[command.terminal]
    value, seat.escrow = seat.escrow, None
    return [_returned(seat, value)] if command.seen and value is not None else _unseen(seat, value)


@follows(IncidentRaised)
def _lock(model: Model, event: IncidentRaised, _context: Context) -> None:
    if event.kind in (IncidentKind.ACCEPTOR_LOCKED, IncidentKind.PRINTER_LOCKED):
        model.locks[event.incident] = TerminalId(event.subject), event.kind


@follows(TerminalSwitched)
def _switched(model: Model, event: TerminalSwitched, _context: Context) -> None:
    seat = model.seats[event.terminal]
    if event.switch is SlotSwitch.PLAY:
        seat.play_off = not event.on
    else:
        seat.notes_off = not event.on


@follows(IncidentCleared)
def _unlock(model: Model, event: IncidentCleared, _context: Context) -> None:
    model.locks.pop(event.incident, None)


def out_of_service(seat: ModelTerminal) -> set[Code]:
    closed = {Code.TERMINAL_CLOSED} if seat.closed or seat.play_off else set()
    return closed | _blocked(seat)


def _no_money_in(seat: ModelTerminal) -> set[Code]:
    off = {Code.TERMINAL_CLOSED} if seat.notes_off else set()
    return out_of_service(seat) | off


def _blocked(seat: ModelTerminal) -> set[Code]:
    return set() if seat.case is None else {Code.TERMINAL_BLOCKED}


@derives(InsertNote, unless=_no_note, breaks="I6")
def _note(model: Model, command: InsertNote, _context: Context) -> list[ExpectedEvent]:
    return _credited(model.seats[command.terminal], command.value)


def _credited(seat: ModelTerminal, value: int) -> list[ExpectedEvent]:
    before = _renewed(seat)
    seat.credit += value
    seat.notes[value] += 1
    return [*before, ExpectedEvent(NoteStacked, {"terminal": seat.name, "value": value})]


def _renewed(seat: ModelTerminal) -> list[ExpectedEvent]:
    """Money that is added to a terminal with a session and without money is of another session.

    Winning stakes that were left up are no reason against it; stakes that are carried to the next spin are one.
    """
    if any(game.carried for game in seat.games.values()):
        return []
    placed = any(
        stake > game.stayed.get(spot, 0) for game in seat.games.values() for spot, stake in game.stakes.items()
    )
    if not seat.playing or seat.credit or seat.holds or seat.case is not None or placed:
        return []
    says = {"terminal": seat.name, "session": seat.session, "reason": SessionEnd.NEW_MONEY}
    seat.session += 1
    return [ExpectedEvent(SessionEnded, says)]


def _no_grant(model: Model, command: GrantPlayMoney, _context: Context) -> set[Code]:
    codes = set() if model.mode is Mode.DEMO else {Code.DEMO_ONLY}
    return codes | (set() if command.amount > 0 else {Code.STAKE_NOT_POSITIVE})


@derives(GrantPlayMoney, unless=_no_grant, breaks="I6")
def _grant_play_money(model: Model, command: GrantPlayMoney, _context: Context) -> list[ExpectedEvent]:
    seat = model.seats[command.terminal]
    before = _renewed(seat)
    seat.credit += command.amount
    seat.meters["granted"] += command.amount
    return [*before, ExpectedEvent(PlayMoneyGranted, {"terminal": seat.name, "amount": command.amount})]


def _no_adjustment(model: Model, command: AdjustCredit, _context: Context) -> set[Code]:
    seat = model.seats[command.terminal]
    codes = set() if command.amount else {Code.MALFORMED}
    codes |= set() if command.words.strip() else {Code.REASON_NOT_LISTED}
    if command.amount > 0 and model.first_table(seat).felt.rulebook.credit_only is not None:
        codes.add(Code.NOT_TAKEN_HERE)
    return codes | ({Code.CREDIT_SHORT} if seat.credit + command.amount < 0 else set())


@derives(AdjustCredit, unless=_no_adjustment, breaks="I6")
def _adjust(model: Model, command: AdjustCredit, _context: Context) -> list[ExpectedEvent]:
    seat, amount = model.seats[command.terminal], command.amount
    seat.credit += amount
    seat.meters["adjusted_in" if amount > 0 else "adjusted_out"] += abs(amount)
    return [ExpectedEvent(CreditAdjusted, {"terminal": seat.name, "amount": amount})]


def _no_opening(model: Model, command: OpenDrawer, _context: Context) -> set[Code]:
    drawer = model.desk.drawers.get(command.drawer)
    currencies = {"", *(table.felt.rulebook.currency for table in model.tables.values())}
    wrong = command.float_ < 0 or command.currency not in currencies
    codes = {Code.MALFORMED} if wrong else set()
    return codes | ({Code.ALREADY_THERE} if drawer is not None and drawer.out else set())


@derives(OpenDrawer, unless=_no_opening, breaks="I6")
def _open(model: Model, command: OpenDrawer, context: Context) -> list[ExpectedEvent]:
    model.desk.hand_out(command.drawer, context.person, command.float_)
    fields = {"drawer": command.drawer, "float_": command.float_, "currency": command.currency}
    return [ExpectedEvent(DrawerOpened, fields)]


def not_out(model: Model, name: DrawerId) -> set[Code]:
    drawer = model.desk.drawers.get(name)
    if drawer is None:
        return {Code.DRAWER_UNKNOWN}
    return set() if drawer.out else {Code.DRAWER_CLOSED}


def cannot_pay(model: Model, name: DrawerId, amount: int, context: Context) -> set[Code]:
    """Return why an amount cannot be paid from a drawer: another cashier has it, it is unknown or short."""
    codes = not_out(model, name)
    if codes:
        return codes
    drawer = model.desk.drawers[name]
    codes = set() if drawer.cashier == context.person else {Code.NOT_AUTHORISED}
    return codes | ({Code.DRAWER_SHORT} if drawer.cash < amount else set())


def _no_buy_in(model: Model, command: BuyIn, context: Context) -> set[Code]:
    seat = model.seats[command.terminal]
    codes = cannot_pay(model, command.drawer, 0, context) | out_of_service(seat)
    codes |= {Code.TERMINAL_DARK} if seat.dark else set()
    codes |= set() if command.amount > 0 else {Code.STAKE_NOT_POSITIVE}
    codes |= {Code.NOT_WHOLE_CREDITS} if command.amount % seat.unit else set()
    sold = CreditIn.CASHIER in [each.choice for each in seat.channel.credit_in]
    return codes | (set() if sold else {Code.NOT_TAKEN_HERE})


@derives(BuyIn, unless=_no_buy_in, breaks="I6")
def _buy_in(model: Model, command: BuyIn, _context: Context) -> list[ExpectedEvent]:
    seat, amount = model.seats[command.terminal], command.amount
    before = _renewed(seat)
    model.desk.take(command.drawer, amount)
    seat.credit += amount
    seat.meters["bought_in"] += amount
    says = {"terminal": seat.name, "drawer": command.drawer, "amount": amount}
    return [*before, ExpectedEvent(BoughtIn, says)]


def _no_count(model: Model, command: CountDrawer, _context: Context) -> set[Code]:
    return not_out(model, command.drawer) | ({Code.MALFORMED} if command.counted < 0 else set())


@derives(CountDrawer, unless=_no_count, breaks="I6")
def _count(model: Model, command: CountDrawer, _context: Context) -> list[ExpectedEvent]:
    drawer = model.desk.drawers[command.drawer]
    drawer.counted = command.counted
    says = {"drawer": command.drawer, "counted": command.counted, "expected": drawer.cash}
    return [ExpectedEvent(DrawerCounted, says)]


def _no_closing(model: Model, command: CloseDrawer, _context: Context) -> set[Code]:
    codes = not_out(model, command.drawer)
    if codes:
        return codes
    counted = model.desk.drawers[command.drawer].counted
    if counted is None:
        return {Code.OUT_OF_TURN}
    return set() if command.counted in (None, counted) else {Code.RECORD_DIFFERS}


@derives(CloseDrawer, unless=_no_closing, breaks="I6")
def _close(model: Model, command: CloseDrawer, _context: Context) -> list[ExpectedEvent]:
    drawer = model.desk.drawers[command.drawer]
    says = {"kind": IncidentKind.DRAWER_DIFFERS, "subject": command.drawer}
    incident = [ExpectedEvent(IncidentRaised, says)] if drawer.counted != drawer.cash else []
    model.desk.hand_in(command.drawer)
    return [ExpectedEvent(DrawerClosed, {"drawer": command.drawer}), *incident]


def _no_form(model: Model, command: RecordTaxForm, _context: Context) -> set[Code]:
    if command.hold not in model.seats[command.terminal].holds:
        return {Code.UNKNOWN_RECORD}
    return set() if command.patron.strip() and command.form_number.strip() else {Code.FORM_MISSING}


@derives(RecordTaxForm, unless=_no_form, breaks="I6")
def _tax_form(model: Model, command: RecordTaxForm, _context: Context) -> list[ExpectedEvent]:
    model.seats[command.terminal].holds[command.hold].form = True
    return [ExpectedEvent(TaxFormRecorded, {"terminal": command.terminal, "hold": command.hold})]


def _no_release(model: Model, command: ReleaseHeldWin, _context: Context) -> set[Code]:
    hold = model.seats[command.terminal].holds.get(command.hold)
    if hold is None:
        return {Code.UNKNOWN_RECORD}
    return set() if hold.form else {Code.FORM_MISSING}


@derives(ReleaseHeldWin, unless=_no_release, breaks="I6")
def _release(model: Model, command: ReleaseHeldWin, _context: Context) -> list[ExpectedEvent]:
    seat = model.seats[command.terminal]
    seat.credit += seat.holds.pop(command.hold).amount
    return [ExpectedEvent(HeldWinReleased, {"terminal": seat.name, "hold": command.hold})]


def _no_hand_pay(model: Model, command: PayHeldWin, context: Context) -> set[Code]:
    seat = model.seats[command.terminal]
    hold = seat.holds.get(command.hold)
    amount = 0 if hold is None else hold.amount
    codes = cannot_pay(model, command.drawer, amount, context)
    if hold is None:
        return codes | {Code.UNKNOWN_RECORD}
    return codes | _blocked(seat) | (set() if hold.form else {Code.FORM_MISSING})


@derives(PayHeldWin, unless=_no_hand_pay, breaks="I6")
def _hand_pay(model: Model, command: PayHeldWin, _context: Context) -> list[ExpectedEvent]:
    seat = model.seats[command.terminal]
    amount = seat.holds.pop(command.hold).amount
    model.desk.pay(command.drawer, amount)
    seat.meters["hand_pays"] += amount
    says = {"terminal": seat.name, "hold": command.hold, "drawer": command.drawer}
    return [ExpectedEvent(HeldWinPaid, says)]


def _no_payable(model: Model, command: PayPayable, context: Context) -> set[Code]:
    """Return why a payable cannot be paid; the cashier of the drawer signs first, and another person second."""
    amount = -model.seats[command.terminal].debts[command.session]
    codes = cannot_pay(model, command.drawer, amount, context)
    if amount <= 0:
        return codes | {Code.UNKNOWN_RECORD}
    codes |= set() if command.patron.strip() else {Code.REASON_NOT_LISTED}
    tax = model.first_table(model.seats[command.terminal]).felt.rulebook.tax
    codes |= {Code.FORM_MISSING} if tax and amount >= tax.threshold and not command.form_number.strip() else set()
    return codes | (set() if command.amount == amount else {Code.RECORD_DIFFERS})


def _no_vault(model: Model, command: FillDrawer | DropDrawer, context: Context) -> set[Code]:
    """Return why cash cannot go between the vault and a drawer; only a drop needs it in the drawer."""
    codes = {Code.MALFORMED} if command.amount <= 0 else set()
    needed = command.amount if isinstance(command, DropDrawer) else 0
    return codes | cannot_pay(model, command.drawer, needed, context)


def _move_vault(model: Model, name: DrawerId, amount: int) -> None:
    """Bring money from the vault to a drawer, or a negative amount back; its last count is stale."""
    drawer = model.desk.drawers[name]
    drawer.from_vault += amount
    drawer.counted = None
    model.desk.tally["vault"] += amount


@derives(FillDrawer, unless=_no_vault, breaks="I6")
def _fill(model: Model, command: FillDrawer, _context: Context) -> list[ExpectedEvent]:
    _move_vault(model, command.drawer, command.amount)
    says = {"drawer": command.drawer, "amount": command.amount}
    return [ExpectedEvent(DrawerFilled, says)]


@derives(DropDrawer, unless=_no_vault, breaks="I6")
def _drop(model: Model, command: DropDrawer, _context: Context) -> list[ExpectedEvent]:
    _move_vault(model, command.drawer, -command.amount)
    says = {"drawer": command.drawer, "amount": command.amount}
    return [ExpectedEvent(DrawerDropped, says)]


@derives(PayPayable, unless=_no_payable, breaks="I6")
def _pay_payable(model: Model, command: PayPayable, _context: Context) -> list[ExpectedEvent]:
    seat = model.seats[command.terminal]
    amount = -seat.debts.pop(command.session)
    model.desk.pay(command.drawer, amount)
    seat.meters["payables_paid"] += amount
    says = {"terminal": seat.name, "session": command.session, "drawer": command.drawer, "amount": amount}
    # The money of an earlier session is none of this one's.
    seat.taken_out_before += amount
    return [ExpectedEvent(PayablePaid, says)]


#: Forms of credit that a terminal pays out by itself.
DISPENSED: Final = (CreditOut.CURRENCY, CreditOut.CHIPS)
#: How many numbers are skipped in addition to those of entries that are known to be lost.
_SPARE: Final = 20_000
_SPENT: Final = {
    "redeemed": Code.TICKET_PAID,
    "void": Code.TICKET_VOID,
    "expired": Code.TICKET_EXPIRED,
    "transferred": Code.TICKET_TRANSFERRED,
}
#: How far the clocks of two venues may differ, in microseconds.
_CLOCKS_DIFFER: Final = 3_600_000_000


def _no_collecting(model: Model, command: Collect, context: Context) -> set[Code]:
    seat, valid = model.seats[command.terminal], command.validation
    assert valid is not None
    codes = _withheld(model, seat, context)
    codes |= {Code.WIN_HELD} if seat.holds else set()
    codes |= (
        set()
        if _ticket_form(seat, command) in [each.choice for each in seat.channel.credit_out]
        else {Code.NOT_PAID_HERE}
    )
    codes |= set() if seat.credit else {Code.NOTHING_TO_COLLECT}
    fresh = (
        valid.sequence == len(model.desk.tickets) + model.desk.skipped + 1 and valid.digest not in model.desk.numbers
    )
    return codes | (set() if fresh else {Code.VALIDATION_STALE})


def _withheld(model: Model, seat: ModelTerminal, context: Context) -> set[Code]:
    """A player collects unless the terminal is blocked; staff only when it is, and not while bets are in question."""
    case = None if seat.case is None else model.cases[seat.case]
    in_question = case is not None and case.questioned and case.state == "open"
    locked = _locked(model, seat, IncidentKind.PRINTER_LOCKED)
    if case is not None and (not context.person or in_question):
        return {Code.TERMINAL_BLOCKED}
    if not context.person:
        return locked
    in_service = case is None and not (seat.closed or seat.dark or locked)
    return {Code.NOT_AUTHORISED} if in_service else set()


def _ticket_form(seat: ModelTerminal, command: Collect) -> CreditOut:
    return command.form or seat.channel.credit_out[0].choice


@derives(Collect, unless=_no_collecting, breaks="I5")
def _collect(model: Model, command: Collect, context: Context) -> list[ExpectedEvent]:
    seat, valid, desk = model.seats[command.terminal], command.validation, model.desk
    assert valid is not None
    form, amount = _ticket_form(seat, command), seat.credit
    ticket = ModelTicket(seat.name, form, amount, valid.digest, model.day)
    ticket.by_staff = bool(context.person)
    desk.tickets[valid.sequence], desk.numbers[valid.digest] = ticket, valid.sequence
    if form in DISPENSED:
        ticket.state = "redeemed"
        desk.tally["dispensed"] += amount
    seat.credit = 0
    seat.meters["tickets_out"] += amount
    if not seat.in_play:
        seat.leave()
    says = {"terminal": seat.name, "sequence": valid.sequence, "form": form, "amount": amount, "day": model.day}
    return [ExpectedEvent(TicketIssued, {**says, "digest": valid.digest})]


def _no_print(model: Model, command: ConfirmPrint, _context: Context) -> set[Code]:
    ticket = model.desk.tickets.get(command.sequence)
    if ticket is None or ticket.seat != command.terminal:
        return {Code.UNKNOWN_RECORD}
    return set() if ticket.state == "issued" else {Code.OUT_OF_TURN}


@derives(ConfirmPrint, unless=_no_print, breaks="I5")
def _print(model: Model, command: ConfirmPrint, _context: Context) -> list[ExpectedEvent]:
    model.desk.tickets[command.sequence].state = "printed"
    return [ExpectedEvent(TicketPrinted, {"terminal": command.terminal, "sequence": command.sequence})]


def _spent(ticket: ModelTicket) -> set[Code]:
    return set() if ticket.payable else {_SPENT[ticket.state]}


def _unpayable(ticket: ModelTicket) -> set[Code]:
    return {Code.TICKET_FROZEN} if ticket.payable and ticket.frozen else _spent(ticket)


def _no_reprint(model: Model, command: ReprintTicket, _context: Context) -> set[Code]:
    ticket = model.desk.tickets.get(command.sequence)
    if ticket is None:
        return {Code.UNKNOWN_RECORD}
    lost = {Code.OUT_OF_TURN} if ticket.payable and (ticket.lost or ticket.venue) else set()
    return _unpayable(ticket) | lost


@derives(ReprintTicket, unless=_no_reprint, breaks="I5")
def _reprint(model: Model, command: ReprintTicket, _context: Context) -> list[ExpectedEvent]:
    model.desk.tickets[command.sequence].state = "printed"
    return [ExpectedEvent(TicketReprinted, {"sequence": command.sequence})]


def _no_voiding(model: Model, command: VoidTicket, _context: Context) -> set[Code]:
    ticket = model.desk.tickets.get(command.sequence)
    if ticket is None:
        return {Code.UNKNOWN_RECORD}
    return {Code.OUT_OF_TURN} if ticket.state == "printed" else _unpayable(ticket)


@derives(VoidTicket, unless=_no_voiding, breaks="I5")
def _void(model: Model, command: VoidTicket, _context: Context) -> list[ExpectedEvent]:
    ticket = model.desk.tickets[command.sequence]
    seat = model.seats[ticket.seat]
    ticket.state = "void"
    seat.credit += ticket.amount
    seat.meters["tickets_back"] += ticket.amount
    return [ExpectedEvent(TicketVoided, {"sequence": command.sequence})]


def _no_ticket_release(model: Model, command: ReleaseTicket, _context: Context) -> set[Code]:
    ticket = model.desk.tickets.get(command.sequence)
    if ticket is None:
        return {Code.UNKNOWN_RECORD}
    return _spent(ticket) or (set() if ticket.frozen else {Code.OUT_OF_TURN})


@derives(ReleaseTicket, unless=_no_ticket_release, breaks="I5")
def _release_ticket(model: Model, command: ReleaseTicket, _context: Context) -> list[ExpectedEvent]:
    model.desk.tickets[command.sequence].frozen = False
    return [ExpectedEvent(TicketReleased, {"sequence": command.sequence})]


@follows(HistoryAccepted)
def _history_accepted(model: Model, event: HistoryAccepted, context: Context) -> None:
    """Freeze tickets that may have been paid in the lost part, and skip all numbers that may have been issued in it."""
    payable = {number for number, ticket in model.desk.tickets.items() if ticket.payable}
    check_equal("I5", f"{event} freezes", set(event.frozen), payable)
    for number in payable:
        model.desk.tickets[number].frozen = True
    check_equal("I5", f"{event} skips", event.skipped, event.lost + _SPARE)
    model.desk.skipped += event.skipped
    model.desk.lost_at = context.now


def _no_loss(model: Model, command: ReportLost, _context: Context) -> set[Code]:
    ticket = model.desk.tickets.get(command.sequence)
    return {Code.UNKNOWN_RECORD} if ticket is None else _spent(ticket)


@derives(ReportLost, unless=_no_loss, breaks="I5")
def _lose(model: Model, command: ReportLost, _context: Context) -> list[ExpectedEvent]:
    model.desk.tickets[command.sequence].lost = True
    return [ExpectedEvent(TicketReportedLost, {"sequence": command.sequence})]


def _no_ticket_in(model: Model, command: InsertTicket, _context: Context) -> set[Code]:
    seat, ticket = model.seats[command.terminal], model.desk.find(command.digest)
    codes = _no_money_in(seat)
    if CreditIn.TICKETS not in [each.choice for each in seat.channel.credit_in]:
        return codes | {Code.NOT_TAKEN_HERE}
    if ticket is None:
        return codes | {Code.TICKET_UNKNOWN}
    for_cashier = {Code.NOT_TAKEN_HERE} if ticket.form is CreditOut.PAYMENT_SLIP else set()
    return codes | for_cashier | _unpayable(ticket)


@derives(InsertTicket, unless=_no_ticket_in, breaks="I5")
def _ticket_in(model: Model, command: InsertTicket, _context: Context) -> list[ExpectedEvent]:
    seat, number = model.seats[command.terminal], model.desk.numbers[command.digest]
    ticket = model.desk.tickets[number]
    before = _renewed(seat)
    ticket.state = "redeemed"
    seat.credit += ticket.amount
    seat.meters["tickets_in"] += ticket.amount
    says = {"sequence": number, "place": seat.name, "at_terminal": True}
    return [*before, ExpectedEvent(TicketRedeemed, says)]


def _no_redeeming(model: Model, command: RedeemTicket, context: Context) -> set[Code]:
    ticket = model.desk.find(command.digest)
    codes = cannot_pay(model, command.drawer, 0 if ticket is None else ticket.amount, context)
    if ticket is None:
        return codes | {Code.TICKET_UNKNOWN}
    altered = command.amount_on_paper not in (None, ticket.amount)
    return codes | _unpayable(ticket) | _undispensed(ticket) | ({Code.TICKET_ALTERED} if altered else set())


def _undispensed(ticket: ModelTicket) -> set[Code]:
    """A slip that neither its terminal confirmed to have printed nor staff collected is not paid."""
    issued = ticket.form is CreditOut.PAYMENT_SLIP and ticket.state == "issued" and not ticket.by_staff
    return {Code.TICKET_NOT_DISPENSED} if issued else set()


@derives(RedeemTicket, unless=_no_redeeming, breaks="I5")
def _redeem(model: Model, command: RedeemTicket, _context: Context) -> list[ExpectedEvent]:
    number = model.desk.numbers[command.digest]
    ticket = model.desk.tickets[number]
    ticket.state = "redeemed"
    model.desk.pay(command.drawer, ticket.amount)
    return [ExpectedEvent(TicketRedeemed, {"sequence": number, "place": command.drawer, "at_terminal": False})]


def _no_transfer(model: Model, command: TransferTicket, _context: Context) -> set[Code]:
    ticket = model.desk.find(command.digest)
    if ticket is None:
        return {Code.TICKET_UNKNOWN}
    currency = ticket.currency or model.first_table(model.seats[ticket.seat]).felt.rulebook.currency
    for_cashier = command.at_terminal and ticket.form is CreditOut.PAYMENT_SLIP
    elsewhere = command.mode is not model.mode or currency not in command.currencies
    refused = {Code.NOT_TAKEN_HERE} if for_cashier or elsewhere else set()
    return refused | _unpayable(ticket) | _undispensed(ticket)


@derives(TransferTicket, unless=_no_transfer, breaks="I5")
def _transfer(model: Model, command: TransferTicket, _context: Context) -> list[ExpectedEvent]:
    desk = model.desk
    number, venue = desk.numbers[command.digest], desk.venues.setdefault(command.venue, ModelVenue())
    ticket = desk.tickets[number]
    ticket.state = "transferred"
    venue.sent += ticket.amount
    venue.sent_count += 1
    says = {"sequence": number, "venue": command.venue, "transfer": venue.sent_count + desk.skipped}
    return [ExpectedEvent(TicketTransferred, says)]


def _no_receipt(model: Model, command: ReceiveTicket, _context: Context) -> set[Code]:
    last, known = model.desk.venues.get(command.venue, ModelVenue()).last_received, model.desk.find(command.digest)
    currencies = [table.felt.rulebook.currency for table in model.tables.values()]
    again = command.transfer <= last or (known is not None and known.state != "transferred")
    codes = {Code.ALREADY_THERE} if again else set()
    codes |= {Code.OUT_OF_TURN} if command.previous > last else set()
    return codes | (set() if command.currency in currencies else {Code.NOT_TAKEN_HERE})


@derives(ReceiveTicket, unless=_no_receipt, breaks="I5")
def _receive(model: Model, command: ReceiveTicket, _context: Context) -> list[ExpectedEvent]:
    desk = model.desk
    number, venue = Number(len(desk.tickets) + desk.skipped + 1), desk.venues.setdefault(command.venue, ModelVenue())
    ticket = ModelTicket(TerminalId(""), command.form, command.amount, command.digest, Day(0), state="printed")
    ticket.venue, ticket.currency = command.venue, command.currency
    ticket.frozen = desk.lost_at is not None and command.at <= desk.lost_at + _CLOCKS_DIFFER
    desk.tickets[number], desk.numbers[command.digest] = ticket, number
    venue.received += command.amount
    venue.last_received = command.transfer
    says = {"sequence": number, "venue": command.venue, "transfer": command.transfer, "digest": command.digest}
    says |= {"body": command.body, "signature": command.signature}
    return [ExpectedEvent(TicketReceived, {**says, "amount": command.amount, "frozen": ticket.frozen})]


def _no_pin(model: Model, command: PinVenue, _context: Context) -> set[Code]:
    pinned = model.desk.venues.get(command.venue, ModelVenue()).key
    return {Code.ALREADY_THERE} if pinned == command.key else set()


@derives(PinVenue, unless=_no_pin, breaks="I5")
def _pin(model: Model, command: PinVenue, _context: Context) -> list[ExpectedEvent]:
    model.desk.venues.setdefault(command.venue, ModelVenue()).key = command.key
    return [ExpectedEvent(VenuePinned, {"venue": command.venue, "key": command.key})]


def lapsed(model: Model, day: Day) -> set[Number]:
    """Return the tickets that lapse as a gaming day begins: the day of issue is the first of their days."""
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
