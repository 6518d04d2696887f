"""Samples of documents over the wire: how each is asked for, and every part that one is made of."""

from typing import Final

from croupier.paper.block import Align, Look
from croupier.paper.interleaved import bars, widths
from croupier.web import paperdata

NUMBER: Final = "344530222951541680"
SLIP: Final = paperdata.SlipOrTicket(17, NUMBER)
BLOCKS: Final = (
    paperdata.BarcodeBlock("34", sum(widths("34")), tuple(bars("34"))),
    paperdata.TextBlock("SkyCity Adelaide", Look.BOLD, Align.CENTRE),
    paperdata.GapBlock(),
    paperdata.PairBlock("Terminal", "A-1", Look.PLAIN),
    paperdata.RuleBlock(),
    paperdata.HeadingBlock("Tables"),
    paperdata.GridBlock(("Table", "Won"), (("A", "12.00"),), ("Total", "12.00")),
    paperdata.SignatureBlock("Received"),
)
PAPER_PARTS: Final = (
    SLIP,
    paperdata.TicketReceipt(17),
    paperdata.HoldReceipt(1),
    paperdata.BuyInReceipt("D1"),
    paperdata.PaymentSlip("A-2", 3),
    paperdata.TaxFormRecord(1),
    paperdata.ShiftReport("D1"),
    paperdata.TableReport("A", 20261115),
    paperdata.DayReport(20261115, "AUD"),
    *BLOCKS,
)
