"""Sample documents: one of each kind as a venue prints it, and the text expected on it."""

from collections.abc import Iterator
from typing import Any, Final

import pypdfium2

from croupier.house.ids import SECOND, Day, DrawerId, Instant, Number, PersonId, RoundNumber, TableId, TerminalId
from croupier.house.settings import Mode
from croupier.reports import rendering
from croupier.reports.header import DocumentHeader
from croupier.reports.slips import Receipt, Slip, TaxForm, TicketPaid
from croupier.reports.summaries import (
    Cashflow,
    CountedAmount,
    DayReport,
    DrawerDay,
    Expected,
    Kind,
    Movement,
    ShiftReport,
    TableReport,
    TableTotals,
    Unclaimed,
)
from croupier.reports.typesetting import Document
from croupier.rules.money import Cents
from croupier.rules.procedure import CreditOut, Tax, TaxBasis
from croupier.rules.refusal import ClauseId
from tests.support.printer import printout

AnyDocument = Slip | Receipt | TaxForm | TableReport | ShiftReport | DayReport

ADELAIDE: Final = DocumentHeader("SkyCity Adelaide", "Australia/Adelaide", Mode.REAL)
CLEARWATER: Final = DocumentHeader("Clearwater Casino", "America/Los_Angeles", Mode.REAL)
#: 21:03:07 on 15 November 2026 at Adelaide.
ISSUED_AT: Final = Instant(1_794_738_787 * SECOND)
DAY: Final = Day(20261115)
#: The dots of a thermal printer, by which pages are drawn.
DPI: Final = 203

SLIP: Final = Slip(
    head=ADELAIDE,
    form=CreditOut.PAYMENT_SLIP,
    number="123456789012345678",
    sequence=Number(17),
    amount=Cents(123_450),
    currency="AUD",
    issued_at=ISSUED_AT,
    terminal=TerminalId("T7"),
)
RECEIPT: Final = Receipt(
    head=ADELAIDE,
    subject=TicketPaid(Number(17), "5678", TerminalId("T7"), ISSUED_AT),
    amount=Cents(13_700),
    currency="AUD",
    at=ISSUED_AT,
    drawer=DrawerId("D1"),
    cashier=PersonId("ann"),
)
TAX_FORM: Final = TaxForm(
    head=CLEARWATER,
    tax=Tax("W2-G", Cents(120_000), TaxBasis.NET_OF_WINNING_STAKES, ClauseId("22")),
    basis=TaxBasis.NET_OF_WINNING_STAKES,
    form_number="A-77",
    patron="José Núñez",
    hold=Number(3),
    terminal=TerminalId("T4"),
    table=TableId("R1"),
    round=RoundNumber(99),
    won_at=ISSUED_AT,
    amount=Cents(126_000),
    bases={
        TaxBasis.NET_OF_WINNING_STAKES: 122_500,
        TaxBasis.NET_OF_TOTAL_BET: 122_400,
        TaxBasis.GROSS: 126_000,
    },
    currency="USD",
    recorded_at=ISSUED_AT,
    recorded_by=PersonId("ann"),
)
#: 100 of 90,000 went back, so 4,900 of 89,900 were won.
TAKINGS: Final = TableTotals(rounds=90, voids=1, no_spins=2, turnover=9_000_000, returned=8_500_000, refunded=10_000)
TABLE_REPORT: Final = TableReport(
    head=ADELAIDE,
    table=TableId("R1"),
    rulebook="skycity-adelaide-2003",
    currency="AUD",
    day=DAY,
    made_at=ISSUED_AT,
    totals=TAKINGS,
    expected=Expected(won=243_000, low=-100_000, high=600_000),
)
SHIFT_REPORT: Final = ShiftReport(
    head=CLEARWATER,
    drawer=DrawerId("D1"),
    cashier=PersonId("ann"),
    currency="USD",
    day=DAY,
    opened_at=Instant(ISSUED_AT - 8 * 3_600 * SECOND),
    counted_at=ISSUED_AT,
    float_=1_000_000,
    movements=(
        Movement(ISSUED_AT, Kind.TICKET, "Ticket 17", 13_700),
        Movement(ISSUED_AT, Kind.HAND_PAY, "Held win 3", 126_000),
        Movement(ISSUED_AT, Kind.BUY_IN, "Terminal T7", 5_000),
    ),
    expected=865_300,
    counted=865_000,
)
DAY_REPORT: Final = DayReport(
    head=ADELAIDE,
    currency="AUD",
    day=DAY,
    made_at=ISSUED_AT,
    closed_at=ISSUED_AT,
    tables=((TableId("R1"), TAKINGS), (TableId("R2"), TableTotals())),
    flow=Cashflow(
        notes_in=CountedAmount(100, 500_000),
        tickets_before=CountedAmount(5, 8_550),
        tickets_issued=CountedAmount(12, 90_000),
        tickets_paid=CountedAmount(10, 80_000),
        tickets_in=CountedAmount(1, 3_000),
        tickets_voided=CountedAmount(1, 1_000),
        tickets_lapsed=CountedAmount(2, 3_550),
        tickets_received=CountedAmount(2, 4_000),
        tickets_transferred=CountedAmount(2, 4_000),
        tickets_out=CountedAmount(3, 11_000),
        held=CountedAmount(1, 126_000),
    ),
    drawers=(
        DrawerDay(
            drawer=DrawerId("D1"),
            cashier=PersonId("ann"),
            float_=1_000_000,
            filled=50_000,
            dropped=20_000,
            taken_in=5_000,
            paid_out=139_700,
            expected=895_300,
            counted=895_000,
        ),
    ),
    unclaimed=(
        Unclaimed(sequence=Number(3), last_four="1234", terminal=TerminalId("T1"), day=Day(20261015), amount=1_000),
        Unclaimed(sequence=Number(5), last_four="9876", terminal=TerminalId("T2"), day=Day(20261016), amount=2_550),
    ),
)
DOCUMENTS: Final[tuple[AnyDocument, ...]] = (SLIP, RECEIPT, TAX_FORM, TABLE_REPORT, SHIFT_REPORT, DAY_REPORT)


def pages(layout: Document, sheet: rendering.PageSize = rendering.PageSize.A4) -> Iterator[Any]:
    """Print a document as PDF and open its pages in another's reader."""
    return iter(pypdfium2.PdfDocument(rendering.render_pdf(layout, sheet)))


def on_pdf(layout: Document) -> str:
    """Read all words off a PDF."""
    return " ".join(page.get_textpage().get_text_range() for page in pages(layout)).replace("\r\n", " ")


def on_roll(layout: Document) -> str:
    """Read all words off the thermal printer's paper."""
    return " ".join(" ".join(printout(rendering.render_escpos(layout)).lines).split())
