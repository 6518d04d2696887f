"""Paperwork: documents for whoever may have them, drawn in their own time beside the house's turns."""

import asyncio
from dataclasses import dataclass, field, replace
from typing import assert_never

from croupier.devices.validation import Numbers
from croupier.house.answer import refuse
from croupier.house.device import DeviceKind
from croupier.house.name import Day, DrawerId, Instant, Number, PersonId, TableId, TerminalId
from croupier.house.state import House
from croupier.office.counter import slip, ticket_receipt
from croupier.office.ledger import Ledger
from croupier.office.report import day_report, table_report
from croupier.office.tills import Shift, buy_in_receipt, payment_slip, report
from croupier.paper.dayreport import DayReport
from croupier.paper.receipt import Receipt
from croupier.paper.shiftreport import ShiftReport
from croupier.rules.refusal import Code, Refusal
from croupier.web import outgoing, paperdata
from croupier.web.conductor import Conductor
from croupier.web.copies import Copies
from croupier.web.door import Door
from croupier.web.drawing import OnPaper, drawn
from croupier.web.limits import LEDGER_AT_ONCE
from croupier.web.paperdata import Form
from croupier.web.reader import Reader, reader_at
from croupier.web.reading import Reading, read_through


@dataclass(slots=True)
class Paperwork:
    """Puts documents together: of the present from the house, and of the past from the ledger."""

    conductor: Conductor
    numbers: Numbers
    _copies: Copies = field(default_factory=Copies)
    _ledger: Ledger | None = None
    _one_at_a_time: asyncio.Lock = field(default_factory=asyncio.Lock)
    #: One document is drawn at a time: several threads that draw leave the house's turns no time.
    _pen: asyncio.Lock = field(default_factory=asyncio.Lock)

    def present(self, door: Door, wanted: paperdata.Present) -> OnPaper | Refusal:
        """Put a document together from the house, where all that is in memory is kept."""
        house, now = self.conductor.run.house, self.conductor.time.now()
        match wanted:
            case paperdata.SlipOrTicket():
                return _here(house, door, wanted) or slip(house, Number(wanted.sequence), wanted.number, self.numbers)
            case paperdata.TicketReceipt():
                sequence, index = Number(wanted.sequence), self.conductor.run.archive.tickets
                closed = None if index is None else index.by_sequence(sequence)
                return _own(self._reader(door), ticket_receipt(house, sequence, now, closed))
            case _:
                assert_never(wanted)

    async def past(self, door: Door, wanted: paperdata.Past) -> OnPaper | Refusal:
        """Put a document together from the ledger, once that is up to date."""
        async with self._one_at_a_time:
            ledger = await self._up_to_date()
            if isinstance(ledger, Refusal):
                return ledger
            reader = self._reader(door)
            told = _told(ledger, reader, wanted, self.conductor.time.now())
            if isinstance(told, DayReport | ShiftReport):
                told = replace(told, journal=self.conductor.run.writer.mark)
            return _own(reader, told)

    async def drawn(self, door: Door, paper: OnPaper, form: Form, q: int) -> outgoing.Message | Refusal | None:
        """Have a document drawn on a thread of its own, after those before it; nobody draws for whoever has left."""
        async with self._pen:
            if not door.is_open:
                return None
            marked = self._copies.marked(self.conductor.run.house, paper, form)
            return marked if isinstance(marked, Refusal) else await asyncio.to_thread(drawn, marked, form, q)

    def _reader(self, door: Door) -> Reader:
        return reader_at(self.conductor.run.house, door, self.conductor.time.now())

    async def _up_to_date(self) -> Ledger | Refusal:
        """Have the ledger read on to the end of the journal, a little between two turns each time.

        How far it has come is not lost where that takes too long; but one that has failed is not gone on with.
        """
        run = self.conductor.run
        ledger, self._ledger = self._ledger or Ledger(run.house.read_rulebook), None
        reading = Reading(run.archive.store, ledger.take, ledger.position + 1, backwards=False, at_once=LEDGER_AT_ONCE)
        refusal = await read_through(self.conductor, reading.step)
        self._ledger = ledger
        if refusal is not None or ledger.position == reading.head:
            return refusal or ledger
        says = f"The past is being read: {ledger.position} of {reading.head} entries so far. Ask again."
        return refuse(Code.BUSY, None, says, read=ledger.position, entries=reading.head)


def _told(ledger: Ledger, reader: Reader, wanted: paperdata.Past, now: Instant) -> OnPaper | Refusal:
    """Put a document of the past together."""
    told: OnPaper | Refusal
    house = ledger.house
    match wanted:
        case paperdata.HoldReceipt():
            told = ledger.wins.receipt(house, Number(wanted.hold), now)
        case paperdata.TaxFormRecord():
            told = ledger.wins.form(house, Number(wanted.hold), now)
        case paperdata.BuyInReceipt():
            bought = ledger.tills.find_buy_in(DrawerId(wanted.drawer), wanted.position)
            told = bought if isinstance(bought, Refusal) else buy_in_receipt(house, *bought, now)
        case paperdata.PaymentSlip():
            paid = ledger.tills.find_payable(TerminalId(wanted.terminal), wanted.session)
            told = paid if isinstance(paid, Refusal) else payment_slip(house, paid, now)
        case paperdata.ShiftReport():
            shift = ledger.tills.find(DrawerId(wanted.drawer), wanted.position)
            told = shift if isinstance(shift, Refusal) else _shift_report(house, shift, reader)
        case paperdata.TableReport():
            told = table_report(ledger, TableId(wanted.table), Day(wanted.day or house.day), now)
        case paperdata.DayReport():
            day = Day(wanted.day or house.day)
            told = _too_soon(ledger, reader, day) or day_report(ledger, day, wanted.currency, now)
        case _:
            assert_never(wanted)
    return told


def _shift_report(house: House, shift: Shift, reader: Reader) -> OnPaper | Refusal:
    """Somebody else's drawer is somebody else's, whether it was counted or not."""
    return _not_own(reader, shift.cashier) or report(house, shift, reader.person)


def _too_soon(ledger: Ledger, reader: Reader, day: Day) -> Refusal | None:
    """Keep a day's sums from cashiers, and from whoever has a drawer out, until none of its drawers is to be counted.

    A count is blind, and what was paid and taken on a day tells what its drawers should hold.
    """
    found = ledger.days.known.get(day)
    out = tuple(shift for shift in ledger.tills.out_after(day) if not shift.closed)
    concerned = reader.own_alone or any(reader.person in shift.hands for shift in out)
    if found is None or not concerned or (found.closed_at is not None and not out):
        return None
    says = "A day is told here once it is over and all its drawers are handed in: they are counted blind."
    return refuse(Code.OUT_OF_TURN, None, says, day=day, drawers=tuple(shift.drawer for shift in out))


def _here(house: House, door: Door, wanted: paperdata.SlipOrTicket) -> Refusal | None:
    """Say that a terminal prints its own slips and tickets alone."""
    ticket = house.tickets.get(Number(wanted.sequence))
    if door.kind is not DeviceKind.TERMINAL or ticket is None or ticket.terminal == TerminalId(door.device):
        return None
    return refuse(Code.NOT_AUTHORISED, None, "A terminal prints what it has issued itself.")


def _own(reader: Reader, paper: OnPaper | Refusal) -> OnPaper | Refusal:
    """Keep receipts of other people's drawers from cashiers."""
    return _not_own(reader, paper.cashier) or paper if isinstance(paper, Receipt) else paper


def _not_own(reader: Reader, cashier: PersonId) -> Refusal | None:
    if not reader.own_alone or cashier == reader.person:
        return None
    return refuse(Code.NOT_AUTHORISED, None, "A cashier has the paper of their own drawer alone.")
