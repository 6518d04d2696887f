"""Paperwork: documents for whoever may have them, drawn in their own time beside the house's turns."""

import asyncio
from dataclasses import dataclass, field
from typing import Final, assert_never

from croupier.devices.validation import Numbers
from croupier.house.answer import refuse
from croupier.house.device import DeviceKind
from croupier.house.name import Day, DrawerId, Instant, Number, PersonId, TableId, TerminalId
from croupier.house.state import House
from croupier.office.counter import slip, ticket_receipt
from croupier.office.ledger import Ledger
from croupier.office.report import day_report, table_report
from croupier.office.tills import Shift, buy_in_receipt, report
from croupier.paper.receipt import Receipt
from croupier.rules.refusal import Code, Refusal
from croupier.web import paperdata
from croupier.web.conductor import Conductor
from croupier.web.door import Door
from croupier.web.drawing import OnPaper
from croupier.web.limits import LEDGER_AT_ONCE
from croupier.web.reading import Reading

_BUSY: Final = refuse(Code.BUSY, None, "Too much waits to be read: try again in a moment.")


@dataclass(slots=True)
class Paperwork:
    """Puts documents together: of the present from the house, and of the past from the ledger."""

    conductor: Conductor
    numbers: Numbers
    _ledger: Ledger | None = None
    _one_at_a_time: asyncio.Lock = field(default_factory=asyncio.Lock)

    def present(self, door: Door, wanted: paperdata.Present) -> OnPaper | Refusal:
        """Put a document together from the house, where all that is in memory is kept."""
        house, now = self.conductor.run.house, self.conductor.time.now()
        match wanted:
            case paperdata.SlipOrTicket():
                return _here(house, door, wanted) or slip(house, Number(wanted.sequence), wanted.number, self.numbers)
            case paperdata.TicketReceipt():
                return _own(door, ticket_receipt(house, Number(wanted.sequence), now))
            case _:
                assert_never(wanted)

    async def past(self, door: Door, wanted: paperdata.Past) -> OnPaper | Refusal:
        """Put a document together from the ledger, once that is up to date."""
        async with self._one_at_a_time:
            ledger = await self._up_to_date()
            if isinstance(ledger, Refusal):
                return ledger
            return _own(door, _told(ledger, door, wanted, self.conductor.time.now()))

    async def _up_to_date(self) -> Ledger | Refusal:
        """Have the ledger read on to the end of the journal, a little between two turns each time.

        How far it has come is not lost where that takes too long; but one that has failed is not gone on with.
        """
        run = self.conductor.run
        ledger, self._ledger = self._ledger or Ledger(run.house.read_rulebook), None
        reading = Reading(run.archive.store, ledger.take, ledger.position + 1, backwards=False, at_once=LEDGER_AT_ONCE)
        try:
            while not await self.conductor.errand(reading.step):
                pass
        except asyncio.QueueFull:
            self._ledger = ledger
            return _BUSY
        self._ledger = ledger
        if ledger.position == reading.head:
            return ledger
        says = f"The past is being read: {ledger.position} of {reading.head} entries so far. Ask again."
        return refuse(Code.BUSY, None, says, read=ledger.position, entries=reading.head)


def _told(ledger: Ledger, door: Door, wanted: paperdata.Past, now: Instant) -> OnPaper | Refusal:
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
        case paperdata.ShiftReport():
            shift = ledger.tills.find(DrawerId(wanted.drawer), wanted.position)
            told = shift if isinstance(shift, Refusal) else _shift_report(house, shift, door)
        case paperdata.TableReport():
            told = table_report(ledger, TableId(wanted.table), Day(wanted.day or house.day), now)
        case paperdata.DayReport():
            told = day_report(ledger, Day(wanted.day or house.day), wanted.currency, now)
        case _:
            assert_never(wanted)
    return told


def _shift_report(house: House, shift: Shift, door: Door) -> OnPaper | Refusal:
    """Somebody else's drawer is somebody else's, whether it was counted or not."""
    return _not_own(door, shift.cashier) or report(house, shift, own=door.kind is DeviceKind.CASHIER)


def _here(house: House, door: Door, wanted: paperdata.SlipOrTicket) -> Refusal | None:
    """Say that a terminal prints its own slips and tickets alone."""
    ticket = house.tickets.get(Number(wanted.sequence))
    if door.kind is not DeviceKind.TERMINAL or ticket is None or ticket.terminal == TerminalId(door.device):
        return None
    return refuse(Code.NOT_AUTHORISED, None, "A terminal prints what it has issued itself.")


def _own(door: Door, paper: OnPaper | Refusal) -> OnPaper | Refusal:
    """Keep receipts of other people's drawers from whoever stands at the desk."""
    return _not_own(door, paper.cashier) or paper if isinstance(paper, Receipt) else paper


def _not_own(door: Door, cashier: PersonId) -> Refusal | None:
    if door.kind is not DeviceKind.CASHIER or cashier == door.person:
        return None
    return refuse(Code.NOT_AUTHORISED, None, "At the desk everybody has the paper of their own drawer.")
