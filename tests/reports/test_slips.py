"""Slips and receipts of a real house: slips for the holder of their number, and receipts for payments."""

import re

import pytest

from croupier.house.credit.tickets import ConfirmPrint, ReprintTicket, Ticket
from croupier.house.floor.signatures import Approve
from croupier.house.ids import Day, DeviceId, Number
from croupier.reports.drawer_projection import slip, ticket_receipt
from croupier.reports.header import FRESH
from croupier.reports.slips import Slip, grouped
from croupier.rules.procedure import CreditOut
from croupier.rules.refusal import Code
from tests.support.engine_driver import raised_code
from tests.support.house_driver import ADELAIDE, CLEARWATER, DRAWER, NUMBERS, T1, CashierDriver
from tests.support.sample_documents import on_pdf, on_roll

ONE, TWO = Number(1), Number(2)


def desk(venue: str = ADELAIDE, **more: object) -> CashierDriver:
    """A desk with a drawer, and a terminal with a note of fifty in it."""
    play = CashierDriver(venue, **more)  # type: ignore[arg-type]
    play.seats(T1=0)
    play.note(5_000)
    play.drawer()
    return play


def on_paper(play: CashierDriver, ticket: Ticket) -> Slip:
    return slip(play.house, ticket.sequence, NUMBERS.number(ticket.sequence), NUMBERS)


@pytest.mark.clause("skycity-adelaide-2003", "5.5(a)")
def test_slip_is_worth_the_credits_that_were_displayed() -> None:
    """A terminal that shows 50.00 gives a slip of 50.00 with its own number, terminal, time and sequence."""
    play = desk()
    play.passes(7)
    paper = on_paper(play, play.collect())

    assert (paper.amount, paper.currency, paper.sequence, paper.terminal) == (5_000, "AUD", 1, T1)
    assert (paper.form, paper.issued_at, paper.duplicate) == (CreditOut.PAYMENT_SLIP, play.now, 0)
    text = on_roll(paper.layout())
    assert "AUD 50.00 Fifty Australian dollars" in text
    assert text.count(grouped(NUMBERS.number(ONE))) == 2


@pytest.mark.clause("clearwater-etg", "27")
def test_ticket_says_who_bears_its_loss_and_how_long_it_is_good() -> None:
    """A ticket says that the casino is not responsible for it, and the last gaming day on which it is paid."""
    play = desk(CLEARWATER, ticket_days=30)
    paper = on_paper(play, play.collect())

    assert (paper.form, paper.currency, paper.last_day) == (CreditOut.TICKET, "USD", Day(20261214))
    text = re.sub(r"\s+", " ", on_pdf(paper.layout()))
    assert "The casino is not responsible for lost or stolen tickets [27]." in text


def test_slip_without_days_does_not_lapse() -> None:
    """Where slips do not lapse, none says until when it is paid, and no slip bears a ticket's notice."""
    play = desk()
    paper = on_paper(play, play.collect())

    assert (paper.last_day, paper.notice) == (None, "")


def test_slip_is_for_whoever_holds_its_number() -> None:
    """A number that is misread, another slip's, or nobody's puts nothing on paper."""
    play = desk()
    play.collect()
    play.note(2_000)
    play.collect()
    first = NUMBERS.number(ONE)

    assert raised_code(slip, play.house, ONE, "1" * 18, NUMBERS) is Code.TICKET_MISREAD
    assert raised_code(slip, play.house, TWO, first, NUMBERS) is Code.TICKET_UNKNOWN
    assert raised_code(slip, play.house, Number(3), NUMBERS.number(Number(3)), NUMBERS) is Code.TICKET_UNKNOWN
    assert isinstance(slip(play.house, ONE, grouped(first), NUMBERS), Slip)


@pytest.mark.clause("skycity-adelaide-2003", "7(e)")
def test_paid_slip_is_not_printed_again() -> None:
    """A slip that was paid is on no paper any more."""
    play = desk()
    ticket = play.collect()
    play.pay(ticket)

    assert raised_code(slip, play.house, ONE, NUMBERS.number(ONE), NUMBERS) is Code.TICKET_PAID


def test_second_paper_takes_two_people_and_says_so() -> None:
    """Once the paper is out there is no other, until two people have signed for a duplicate, which says so."""
    play = desk()
    ticket = play.collect()
    play.must(ConfirmPrint(T1, ONE), DeviceId(T1))
    assert raised_code(slip, play.house, ONE, NUMBERS.number(ONE), NUMBERS) is Code.OUT_OF_TURN
    play.enrol("Inspector", "ines")
    play.by("inspector", ReprintTicket(ONE, "It is torn."))
    play.by("ines", Approve(Number(play.house.proposals.made)))
    paper = on_paper(play, ticket)

    assert paper.duplicate == 1
    assert on_roll(paper.layout()).count("DUPLICATE 1") == 2


@pytest.mark.clause("skycity-adelaide-2003", "7(e)")
def test_receipt_names_what_was_paid_for_which_slip() -> None:
    """A receipt has the slip by its last digits, the drawer, the cashier, and when it was paid."""
    play = desk()
    ticket = play.collect()
    assert raised_code(ticket_receipt, play.house, ONE, play.now) is Code.OUT_OF_TURN
    play.passes(60)
    play.pay(ticket)
    paper = ticket_receipt(play.house, ONE, play.now)

    assert (paper.amount, paper.currency, paper.drawer, paper.cashier, paper.at) == (
        5_000,
        "AUD",
        DRAWER,
        "cashier",
        play.now,
    )
    assert f"Slip or ticket 1, ending in {NUMBERS.number(ONE)[-4:]}" in on_roll(paper.layout())
    assert NUMBERS.number(ONE) not in on_roll(paper.layout()).replace("-", "")


@pytest.mark.parametrize(("after", "copies"), [(0, 0), (FRESH, 0), (FRESH + 1, 1)])
def test_receipt_that_is_requested_later_is_a_copy(after: int, copies: int) -> None:
    """A receipt comes with its payment; whoever asks for it more than a minute later is given a copy that says so."""
    play = desk()
    play.pay(play.collect())
    paper = ticket_receipt(play.house, ONE, type(play.now)(play.now + after))

    assert paper.duplicate == copies


def test_there_is_a_receipt_for_what_a_cashier_paid_alone() -> None:
    """What came out of a terminal or went into one, and what was never issued, has no receipt."""
    play = desk(CLEARWATER)
    play.collect(form=CreditOut.CURRENCY)

    assert raised_code(ticket_receipt, play.house, ONE, play.now) is Code.OUT_OF_TURN
    assert raised_code(ticket_receipt, play.house, TWO, play.now) is Code.UNKNOWN_RECORD
