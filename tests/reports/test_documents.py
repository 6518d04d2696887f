"""Documents: what each contains, on roll and sheet, and what it must never contain."""

import re
from collections.abc import Callable
from dataclasses import fields, replace

import pytest

from croupier.house.ids import Day, DrawerId, Instant, Number, PersonId, RoundNumber, TableId, TerminalId
from croupier.house.settings import Mode
from croupier.journal.entry import JournalHead
from croupier.reports.header import DocumentHeader
from croupier.reports.slips import COPY, BuyInPaid, HandPay, Payable, Receipt, Slip, TaxForm, TicketPaid
from croupier.reports.summaries import Expected, Kind, Movement, TableReportRound, TableTotals, over_or_short
from croupier.reports.typesetting import Document
from croupier.rules.money import Cents
from croupier.rules.procedure import CreditOut, TaxBasis
from tests.conftest import venue
from tests.support.sample_documents import (
    DAY_REPORT,
    DOCUMENTS,
    ISSUED_AT,
    RECEIPT,
    SHIFT_REPORT,
    SLIP,
    TABLE_REPORT,
    TAX_FORM,
    AnyDocument,
    on_pdf,
    on_roll,
)

Paper = Callable[[Document], str]
both_papers = pytest.mark.parametrize("paper", [on_pdf, on_roll], ids=["pdf", "roll"])


@pytest.mark.clause("skycity-adelaide-2003", "5.5(a)")
@both_papers
def test_slip_has_all_that_it_is_known_by(paper: Paper) -> None:
    """A slip has venue, value in figures and words, date, 24-hour time, terminal, sequence and its number twice."""
    text = paper(SLIP.layout())

    assert re.sub(" -{3,}", "", text) == (
        "12-3456-7890-1234-5678 "
        "SkyCity Adelaide PAYMENT SLIP "
        "AUD 1,234.50 One thousand two hundred and thirty-four Australian dollars and fifty cents "
        "Date 2026-11-15 Time 21:03:07 Terminal T7 Sequence 17 Validation 12-3456-7890-1234-5678 "
        "Paid at the cashier to the bearer."
    )


@pytest.mark.clause("clearwater-etg", "27")
@both_papers
def test_ticket_has_the_venues_notice(paper: Paper) -> None:
    """A ticket says that terminals take it, how long it is good for, and what the venue's rules say of lost ones."""
    (clause,) = (each for each in venue("clearwater-etg").clauses if each.clause == "27")
    text = paper(replace(SLIP, form=CreditOut.TICKET, last_day=Day(20261214), notice=clause.paraphrase).layout())

    assert " TICKET " in text
    assert "Taken by terminals, and paid at the cashier to the bearer." in text
    assert "Valid through gaming day 2026-12-14" in text
    assert clause.paraphrase in text


@pytest.mark.clause("skycity-adelaide-2003", "5.5(a)")
@pytest.mark.parametrize("document", [SLIP, RECEIPT, TAX_FORM], ids=["slip", "receipt", "tax form"])
@both_papers
def test_duplicate_says_so(document: Slip | Receipt | TaxForm, paper: Paper) -> None:
    """A reprint says above and below its value that it is a duplicate, and which; a first print does not."""
    again = paper(replace(document, duplicate=2).layout())

    assert "DUPLICATE" not in paper(document.layout())
    assert again.count("DUPLICATE 2") == 2
    assert again.replace("DUPLICATE 2 ", "", 1).replace(" DUPLICATE 2", "", 1) == paper(document.layout())


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: type(document).__name__)
@both_papers
def test_demonstration_says_so(document: AnyDocument, paper: Paper) -> None:
    """What a demonstration prints is marked as worth nothing; what a house with real money prints is not."""
    head = replace(document.head, mode=Mode.DEMO)

    assert "DEMO" not in paper(document.layout())
    assert "DEMO - NO VALUE" in paper(replace(document, head=head).layout())


@both_papers
def test_demonstration_marks_a_slip_twice(paper: Paper) -> None:
    """A slip of a demonstration is marked above its value and below it."""
    head = replace(SLIP.head, mode=Mode.DEMO)

    assert paper(replace(SLIP, head=head).layout()).count("DEMO - NO VALUE") == 2


@pytest.mark.parametrize("document", DOCUMENTS[1:], ids=lambda document: type(document).__name__)
@both_papers
def test_whole_number_is_on_the_slip_alone(document: AnyDocument, paper: Paper) -> None:
    """No other document has a whole number on it, or can be given one."""
    assert "number" not in {field.name for field in fields(document)}
    assert re.search(r"[0-9]{5}", paper(document.layout()).replace("-", "").replace("20261", "")) is None


@pytest.mark.parametrize(
    "wrong",
    [{"number": "12345678901234567"}, {"amount": Cents(0)}, {"form": CreditOut.CURRENCY}],
    ids=["number", "amount", "form"],
)
def test_slip_that_cannot_be_is_a_breach(wrong: dict[str, object]) -> None:
    """There is no slip of another number of digits, of nothing, or of what is handed out as cash."""
    with pytest.raises(AssertionError):
        replace(SLIP, **wrong)  # type: ignore[arg-type]


def test_time_is_the_venues_own() -> None:
    """Times are by the clock on the venue's wall, of 24 hours, whatever the clock of the machine."""
    at = Instant(ISSUED_AT + 3 * 3_600 * 1_000_000)

    assert DocumentHeader("", "Australia/Adelaide", Mode.REAL).moment(at) == "2026-11-16 00:03:07"
    assert DocumentHeader("", "America/Los_Angeles", Mode.REAL).moment(at) == "2026-11-15 05:33:07"
    assert DocumentHeader("", "UTC", Mode.REAL).moment(Instant(0)) == "1970-01-01 00:00:00"


@both_papers
def test_receipt_says_what_was_paid_for_which_slip(paper: Paper) -> None:
    """A receipt has the amount, who paid it from which drawer, and the slip by its sequence and its last digits."""
    text = paper(RECEIPT.layout())

    assert "PAYMENT RECEIPT AUD 137.00 One hundred and thirty-seven Australian dollars" in text
    assert "Date 2026-11-15 Time 21:03:07 Drawer D1 Cashier ann" in text
    assert "Slip or ticket 17, ending in 5678 Issued at terminal T7 Issued 2026-11-15 21:03:07" in text


@both_papers
def test_receipt_shows_how_it_was_counted_out(paper: Paper) -> None:
    """A receipt lists the notes and coins where they were counted out."""
    notes = ((Cents(10_000), 1), (Cents(1_000), 3), (Cents(500), 1), (Cents(100), 2))
    text = re.sub(" -{3,}", "", paper(replace(RECEIPT, notes=notes).layout()))

    assert "Each, AUD Pieces Amount 100.00 1 100.00 10.00 3 30.00 5.00 1 5.00 1.00 2 2.00 7 137.00" in text
    with pytest.raises(AssertionError):
        replace(RECEIPT, notes=notes[1:])


@both_papers
def test_receipt_of_a_hand_pay(paper: Paper) -> None:
    """A receipt for a held win names the win, its tax form and its round."""
    paid = HandPay(Number(3), "A-77", TerminalId("T4"), TableId("R1"), RoundNumber(99))
    text = paper(replace(RECEIPT, subject=paid).layout())

    assert "Held win 3 Tax form A-77 Terminal T4 Table and round R1, 99" in text


@both_papers
def test_receipt_names_the_venue_that_issued_a_ticket(paper: Paper) -> None:
    """A receipt for a ticket of another venue names that venue, and no terminal."""
    paid = TicketPaid(Number(17), "5678", TerminalId(""), ISSUED_AT, "Harbour")
    text = paper(replace(RECEIPT, subject=paid).layout())
    assert "Issued by Harbour" in text
    assert "terminal" not in text


@both_papers
def test_receipt_of_a_buy_in(paper: Paper) -> None:
    """A receipt for money that was taken says so, and names the terminal that was credited."""
    text = paper(replace(RECEIPT, subject=BuyInPaid(TerminalId("T4"))).layout())

    assert "BUY-IN RECEIPT" in text
    assert "Credited to terminal T4" in text


@both_papers
def test_payment_slip_names_who_signed_and_has_lines_to_sign_on(paper: Paper) -> None:
    """The slip for a payable names the player and both who signed, and all three sign on it."""
    who = ("A. Patron", PersonId("pia"))
    text = paper(
        replace(RECEIPT, subject=Payable(Number(7), TerminalId("T4"), TableId("R1"), RoundNumber(9), *who)).layout()
    )

    assert "PAYMENT SLIP" in text
    assert "Slip 7 Terminal T4 Corrected table and round R1, 9 Paid to A. Patron Second signature pia" in text
    assert re.search("Cashier: ann.*Second signature: pia.*Received", text)


def test_receipt_of_nothing_is_a_breach() -> None:
    """There is no receipt for nothing."""
    with pytest.raises(AssertionError):
        replace(RECEIPT, amount=Cents(0))


@pytest.mark.clause("clearwater-etg", "22")
@both_papers
def test_tax_form_has_what_the_rulebook_asks(paper: Paper) -> None:
    """The record has patron, form number, staff, the win on every basis with the one that counts, and the clause."""
    text = paper(TAX_FORM.layout())

    assert "RECORD OF FORM W2-G Form W2-G A-77 Patron José Núñez Recorded 2026-11-15 02:33:07 Recorded by ann" in text
    assert "Required by clause 22 Required from USD 1,200.00" in text
    assert "Date won 2026-11-15 Time won 02:33:07 Held win 3 Terminal T4 Table and round R1, 99" in text
    assert "Net of winning stakes, which counts here USD 1,225.00" in text
    assert "Net of the total bet USD 1,224.00 Gross USD 1,260.00" in text
    assert "TO BE PAID USD 1,260.00 One thousand two hundred and sixty US dollars" in text


@pytest.mark.clause("clearwater-etg", "22")
def test_tax_form_marks_the_operators_basis() -> None:
    """Where the operator goes by another basis, that is the one that counts."""
    text = on_roll(replace(TAX_FORM, basis=TaxBasis.GROSS).layout())

    assert "Net of winning stakes USD 1,225.00" in text
    assert "Gross, which counts here USD 1,260.00" in text


@pytest.mark.parametrize("wrong", [{"patron": ""}, {"form_number": ""}, {"bases": {TaxBasis.GROSS: 1}}], ids=str)
def test_tax_form_without_its_facts_is_a_breach(wrong: dict[str, object]) -> None:
    """There is no record without a patron, a form number or a basis."""
    with pytest.raises(AssertionError):
        replace(TAX_FORM, **wrong)  # type: ignore[arg-type]


@both_papers
def test_table_report_compares_the_win_with_the_odds(paper: Paper) -> None:
    """A table report has the day, the takings with their hold, and what the odds let expect."""
    text = paper(TABLE_REPORT.layout())

    assert "Table R1 Rules skycity-adelaide-2003 Gaming day 2026-11-15 Report made 2026-11-15 21:03:07" in text
    assert "Rounds 90 Void rounds 1 No spins 2 Staked AUD 90,000.00 Refunded AUD 100.00" in text
    assert "Returned AUD 85,000.00 Won by the house AUD 4,900.00 Hold 5.45 %" in text
    assert "Expected by the odds AUD 2,430.00 Within chance from AUD -1,000.00 Within chance to AUD 6,000.00" in text


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (490_000, 490_000, "within that"),
        (490_001, 600_000, "below that"),
        (0, 489_999, "above that"),
    ],
)
def test_table_report_says_where_the_win_lies(low: int, high: int, expected: str) -> None:
    """A win on a bound is within; a cent beyond it is not."""
    report = replace(TABLE_REPORT, expected=Expected(won=300_000, low=low, high=high))

    assert f"The win is {expected}" in on_roll(report.layout())


@both_papers
def test_table_report_lists_rounds(paper: Paper) -> None:
    """Where rounds are listed, each has its time, its result and its money, and they are added up."""
    rounds = (
        TableReportRound(RoundNumber(1), ISSUED_AT, "17", 1_000, 3_600),
        TableReportRound(RoundNumber(2), ISSUED_AT, "void", 500, 500),
    )
    text = re.sub(" -{3,}", "", paper(replace(TABLE_REPORT, rounds=rounds).layout()))

    assert "Round Over Result Staked Given back Won 1 21:03:07 17 10.00 36.00 -26.00" in text
    assert "2 21:03:07 void 5.00 5.00 0.00 Total 15.00 41.00 -26.00" in text
    # The takings of this day are 90,000 staked and 85,100 given back.
    assert "do not add up to the takings" in text
    assert "Staked in no round listed AUD 89,985.00 Given back in no round listed AUD 85,059.00" in text


def test_table_report_that_lists_no_rounds_says_why() -> None:
    """A table without a round says so, and so does one whose rounds are not all kept."""
    assert "ROUNDS None was over." in on_roll(replace(TABLE_REPORT, totals=TableTotals()).layout())
    assert "The rounds are not listed" in on_roll(replace(TABLE_REPORT, listed=False).layout())


@both_papers
def test_shift_report_goes_from_float_to_difference(paper: Paper) -> None:
    """A shift report has the float, what went in and out, what was expected and counted, and the difference."""
    text = re.sub(" -{3,}", "", paper(SHIFT_REPORT.layout()))

    assert "Drawer D1 Cashier ann Gaming day 2026-11-15 Opened 2026-11-14 18:33:07 Counted 2026-11-15 02:33:07" in text
    assert "Opening float USD 10,000.00 Slips and tickets paid (1) USD -137.00" in text
    assert "Wins paid by hand (1) USD -1,260.00 Buy-ins taken (1) USD 50.00" in text
    assert "Expected USD 8,653.00 Counted USD 8,650.00 Difference USD 3.00 short" in text
    assert "02:33:07 Ticket 17 -137.00 02:33:07 Held win 3 -1,260.00 02:33:07 Terminal T7 50.00 Total -1,347.00" in text


@both_papers
@pytest.mark.parametrize("report", ["shift", "day"])
def test_report_prints_the_head_of_the_journal(paper: Paper, report: str) -> None:
    """A report says how far the journal had come, with its digest, so that whoever keeps it is a witness."""
    mark = JournalHead(4_802, 311, 7, bytes(range(32)))
    made = replace(SHIFT_REPORT, journal=mark) if report == "shift" else replace(DAY_REPORT, journal=mark)
    head = mark.digest.hex()

    assert f"Journal entry 4802, page 311, epoch 7 Head {head[:32]} {head[32:]}" in paper(made.layout())


def test_shift_without_payments_lists_none() -> None:
    """A drawer from which nothing was paid has no list of payments."""
    idle = replace(SHIFT_REPORT, movements=(), expected=1_000_000, counted=1_000_000)

    assert "EVERY PAYMENT" not in on_roll(idle.layout())
    assert "Difference none" in on_roll(idle.layout())


@pytest.mark.parametrize(("cents", "expected"), [(0, "none"), (-5, "AUD 0.05 short"), (5, "AUD 0.05 over")])
def test_difference_is_in_words(cents: int, expected: str) -> None:
    """What a count found is said in words, not by a sign."""
    assert over_or_short(cents, "AUD") == expected


@pytest.mark.parametrize("change", [1, -1])
def test_shift_report_that_does_not_add_up_is_a_breach(change: int) -> None:
    """What the books expect is the float with every payment, to the cent."""
    with pytest.raises(AssertionError):
        replace(SHIFT_REPORT, expected=SHIFT_REPORT.expected + change)
    with pytest.raises(AssertionError):
        replace(SHIFT_REPORT, movements=(*SHIFT_REPORT.movements, Movement(ISSUED_AT, Kind.TICKET, "Ticket 18", 1)))


def test_day_report_has_tables_with_totals() -> None:
    """A day report has every table's takings and hold in a row, and the house's below."""
    text = on_pdf(DAY_REPORT.layout())

    assert "Gaming day 2026-11-15 Closed 2026-11-15 21:03:07 Won by the house AUD 4,900.00 Hold 5.45 %" in text
    assert "Table Rounds Void No spins Staked Refunded Returned Won Hold" in text
    assert "R1 90 1 2 90,000.00 100.00 85,000.00 4,900.00 5.45 % R2 0 0 0 0.00 0.00 0.00 0.00 -" in text
    assert "Total 90 1 2 90,000.00 100.00 85,000.00 4,900.00 5.45 %" in text


@both_papers
def test_day_report_has_money_and_drawers(paper: Paper) -> None:
    """A day report counts what came in, what went out and what is owed, and lists the drawers with differences."""
    text = paper(DAY_REPORT.layout())

    assert "IN Notes (100) AUD 5,000.00 Buy-ins (0) AUD 0.00 Credit meters put right (0) AUD 0.00 SLIPS" in text
    assert (
        "Not redeemed when the day began (5) AUD 85.50 Issued (12) AUD 900.00 "
        "Received from other venues (2) AUD 40.00 Paid at the desk (10) AUD 800.00" in text
    )
    assert (
        "Taken by terminals (1) AUD 30.00 Void, and back at their terminals (1) AUD 10.00 "
        "Transferred to other venues (2) AUD 40.00 Lapsed (2) AUD 35.50" in text
    )
    assert "Not redeemed yet (3) AUD 110.00" in text
    assert "Wins paid by hand (0) AUD 0.00 Wins released to the credit meter (0) AUD 0.00" in text
    assert "Wins that await a tax form (1) AUD 1,260.00 Dispensed by terminals (0) AUD 0.00" in text
    assert text.count("AUD 3.00 short") == 2


@both_papers
def test_day_report_lists_unclaimed_slips(paper: Paper) -> None:
    """A day report lists slips that lapsed, by sequence and last digits, and what they come to."""
    text = re.sub(" -{3,}", "", paper(DAY_REPORT.layout()))

    assert "Sequence Ends in Terminal Gaming day AUD 3 1234 T1 2026-10-15 10.00 5 9876 T2 2026-10-16 25.50" in text
    assert "Total (2) 35.50" in text


def test_quiet_day_says_that_there_was_nothing() -> None:
    """Where no drawer was handed in and nothing lapsed, the report says so rather than nothing."""
    text = on_roll(replace(DAY_REPORT, drawers=(), unclaimed=()).layout())

    assert "No drawer was handed in." in text
    assert "None has lapsed." in text


def test_demonstration_names_its_play_money() -> None:
    """Play money is in the report of a demonstration; in a real house there is none to be told."""
    demo = replace(DAY_REPORT, head=replace(DAY_REPORT.head, mode=Mode.DEMO))

    assert "Play money granted (0) AUD 0.00" in on_roll(demo.layout())
    assert "Play money" not in on_roll(DAY_REPORT.layout())


def test_day_report_names_drawers_that_are_out() -> None:
    """A drawer that is not handed in is named with its cashier, and no sum of it is told."""
    text = on_roll(replace(DAY_REPORT, drawers=(), still_out=((DrawerId("D7"), PersonId("bob")),)).layout())

    assert "Drawer D7 is not handed in on this day: it is out, with bob." in text


def test_drawer_that_does_not_add_up_is_a_breach() -> None:
    """What a drawer should hold is its float with what was taken in, less what was paid out."""
    with pytest.raises(AssertionError):
        replace(DAY_REPORT.drawers[0], taken_in=0)


@both_papers
def test_slip_that_is_out_already_is_shown_as_a_copy(paper: Paper) -> None:
    """What is only looked at says so at both ends."""
    assert paper(SLIP.layout()).count(COPY) == 0
    assert paper(replace(SLIP, copy=True).layout()).count(COPY) == 2


def test_day_that_is_not_over_says_so() -> None:
    """A report on a day that is still running says so, and when it was made."""
    text = on_pdf(replace(DAY_REPORT, closed_at=None).layout())

    assert "Gaming day 2026-11-15 Not closed yet; report made 2026-11-15 21:03:07" in text


def test_only_what_is_handed_over_is_narrow() -> None:
    """Everything that is handed over the counter is on the narrow roll, and what is filed on sheets."""
    narrow = {type(document) for document in DOCUMENTS if document.layout().roll}

    assert narrow == {Slip, Receipt}
