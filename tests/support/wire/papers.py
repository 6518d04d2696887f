"""Samples of documents over the wire: how each is asked for, and every part that one is made of."""

from typing import Final

from croupier.protocol import queries
from croupier.reports.typesetting import Align, TextStyle, bars, widths

NUMBER: Final = "344530222951541680"
SLIP: Final = queries.SlipOrTicket(17, NUMBER)
BLOCKS: Final = (
    queries.BarcodeBlock("34", sum(widths("34")), tuple(bars("34"))),
    queries.TextBlock("SkyCity Adelaide", TextStyle.BOLD, Align.CENTRE),
    queries.GapBlock(),
    queries.PairBlock("Terminal", "A-1", TextStyle.PLAIN),
    queries.RuleBlock(),
    queries.HeadingBlock("Tables"),
    queries.GridBlock(("Table", "Won"), (("A", "12.00"),), ("Total", "12.00")),
    queries.SignatureBlock("Received"),
)
PAPER_PARTS: Final = (
    SLIP,
    queries.TicketReceipt(17),
    queries.HoldReceipt(1),
    queries.BuyInReceipt("D1"),
    queries.PaymentSlip("A-2", 3),
    queries.TaxFormRecord(1),
    queries.ShiftReportRequest("D1"),
    queries.TableReportRequest("A", 20261115),
    queries.DayReportRequest(20261115, "AUD"),
    queries.DisputeEvidence(1),
    queries.RulesCopyRequest("A"),
    *BLOCKS,
)
