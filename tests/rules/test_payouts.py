"""Payouts of chips: what is collected, returned, left on the layout and paid, in which chips, with the clause."""

from dataclasses import replace
from itertools import permutations

import pytest

from croupier.rules.geometry import Pocket, SegmentGroup, SpotKey, SpotKind
from croupier.rules.limits import Limits, OverMaximum, Range, UnderMinimum
from croupier.rules.money import Cents, amount_text
from croupier.rules.notation import read_chips
from croupier.rules.payouts import (
    RETURNS,
    ChipCount,
    ChipId,
    ChipStakes,
    NoteKind,
    Payment,
    PayoutPlan,
    PayoutTerms,
    Pieces,
    denomination,
    plan_payout,
    value_chip,
    value_chips,
)
from croupier.rules.procedure import ChannelName
from croupier.rules.refusal import CitedChoice, ClauseId, Refusal
from croupier.rules.rulebook import PayoutTable, Rulebook
from tests.conftest import venue
from tests.support.rules_driver import RulesDriver

ADELAIDE, US = "skycity-adelaide-2003", "us-double-zero"
row, us_row = RulesDriver(ADELAIDE).row, RulesDriver(US).row
#: Blue stands for 5, white for 1.
COLOURS = {ChipId("blue"): Cents(5_00), ChipId("white"): Cents(1_00)}
TERMS = PayoutTerms((Cents(5_00), Cents(25_00), Cents(100_00)), COLOURS)
MULTIPLES = replace(TERMS, multiples=True)


def smallest(*denominations: int) -> PayoutTerms:
    """Terms of a float with other value chips, in cents."""
    return replace(TERMS, denominations=tuple(map(Cents, denominations)))


def limits(book: Rulebook, least: int, most: int) -> Limits:
    table = book.channels[ChannelName.TABLE]
    return Limits(table.under_minimum.clause, table.over_maximum.clause, Range(Cents(least), Cents(most)))


def chips(book: Rulebook, slip: str, terms: PayoutTerms) -> dict[SpotKey, Pieces]:
    layout = read_chips(book, slip, terms)
    assert not isinstance(layout, Refusal), layout.message
    return layout


def plan(  # noqa: PLR0913 - what a case may change
    slips: str | list[str],
    pocket: str,
    terms: PayoutTerms = TERMS,
    *,
    book: Rulebook | None = None,
    bounds: tuple[int, int] = (5_00, 100_00),
    rack: Pieces | None = None,
) -> PayoutPlan:
    """Settle the chips of one player, or of several, numbered from 1."""
    book = venue(ADELAIDE) if book is None else book
    all_slips = [slips] if isinstance(slips, str) else slips
    layout = [
        ChipStakes(number, chips(book, slip, terms), limits(book, *bounds))
        for number, slip in enumerate(all_slips, start=1)
    ]
    return plan_payout(PayoutTable(book), Pocket(pocket), layout, terms, rack=rack)


def text(chips: tuple[ChipCount, ...]) -> str:
    """Write pieces as ``7 x 100 + 13 blue``."""
    values = [(count, denomination(chip), chip) for chip, count in chips]
    return " + ".join(
        f"{count} {chip if value is None else f'x {amount_text(value)}'}" for count, value, chip in values
    )


def handed(payment: Payment) -> str:
    return text((*payment.cash, *payment.colours))


def left(found: PayoutPlan, position: int = 1) -> str:
    """Write what stays on the layout."""
    stays = found.positions[position - 1].stays
    return "; ".join(
        f"{text(tuple(ChipCount(*each) for each in pieces.items()))} on {spot}" for spot, pieces in stays.items()
    )


PICTURE = "2 blue on 17; 3 blue on 17/20; 4 blue on 16/17/19/20"


@pytest.mark.parametrize(
    ("terms", "in_chips"),
    [
        row("8(a) A", TERMS, "153 blue"),
        row("8(a) B", replace(TERMS, cash_from=154), "153 blue"),
        row("8(a) D", replace(TERMS, cash_from=153), "7 x 100 + 13 blue"),
    ],
)
@pytest.mark.clause(ADELAIDE, "5.6(a)")
def test_picture_bet_is_pieces_times_odds(terms: PayoutTerms, in_chips: str) -> None:
    """70 + 51 + 32 pieces are 7 stacks and 13; from `cash_from` pieces the stacks are paid in value chips."""
    found = plan(PICTURE, "17", terms)
    [payment] = found.payments
    assert (payment.segment, payment.due, payment.paid, handed(payment)) == ("inside", 765_00, 765_00, in_chips)
    assert [(bet.spot, bet.odds, bet.due) for bet in payment.bets] == [
        ("17", 35, 350_00),
        ("17/20", 17, 255_00),
        ("16/17/19/20", 8, 160_00),
    ]
    assert payment.pieces == (ChipCount(ChipId("blue"), 153),)
    assert payment.pieces[0].stacks == (7, 13)
    assert left(found) == PICTURE
    assert found.collected == 0


@pytest.mark.parametrize(
    ("slip", "pocket", "terms", "collected", "paid", "stays"),
    [
        row(
            "9(e)",
            "25 on red; 10 on 5; 10 on 17; 10 on black",
            "17",
            TERMS,
            35_00,
            360_00,
            "2 x 5 on 17; 2 x 5 on black",
        ),
        row("12(f)", "130 on red", "32", TERMS, 0, 100_00, "1 x 100 + 1 x 25 + 1 x 5 on red"),
        row("12(f)", "26 x 5 on red", "17", TERMS, 100_00, 0, ""),
        row("12(e) second", "2 on 17; 3 on black", "17", smallest(1_00), 0, 73_00, "2 x 1 on 17; 3 x 1 on black"),
        row("6(j)", "5 x 5 on neighbours 0", "15", TERMS, 20_00, 175_00, "1 x 5 on 15"),
        row("6(j)", "25 on neighbours 0", "15", TERMS, 20_00, 175_00, "1 x 5 on 15"),
        row("6(j)", "5 blue on neighbours 0", "15", TERMS, 20_00, 175_00, "1 blue on 15"),
        row("6(j)", "25 on neighbours 0", "19", TERMS, 25_00, 0, ""),
        row("6(j)", "135 x 0.20 on neighbours 0", "15", smallest(20, 1_00), 21_60, 189_00, "27 x 0.20 on 15"),
        row("6(j)", "27 white on neighbours 0", "15", TERMS, 21_00, 189_00, "6 white on 15"),
        row("12(g)", "27 x 1 on neighbours 0", "15", TERMS, 21_00, 190_00, "6 x 1 on 15"),
        row("12(g)", "27 x 1 on neighbours 0", "15", MULTIPLES, 22_00, 185_00, "5 x 1 on 15"),
        row("12(g)", "4 blue on neighbours 0", "15", MULTIPLES, 20_00, 140_00, ""),
        row("12(f)", "90 on 15; 100 on neighbours 0", "15", TERMS, 80_00, 3_500_00, "3 x 25 + 7 x 5 on 15"),
        row("12(g)", "7 x 1 on red", "32", TERMS, 0, 10_00, "7 x 1 on red"),
        row("12(g)", "7 x 1 on red", "32", MULTIPLES, 0, 5_00, "7 x 1 on red"),
        row("12(g)", "7 x 1 on 32/35", "32", TERMS, 0, 120_00, "7 x 1 on 32/35"),
        row("12(g)", "7 x 1 on 32/35", "32", MULTIPLES, 0, 115_00, "7 x 1 on 32/35"),
        row("12(g)", "7 x 1 on 32", "32", TERMS, 0, 245_00, "7 x 1 on 32"),
        row("12(g)", "7 x 1 on 32", "32", MULTIPLES, 0, 245_00, "7 x 1 on 32"),
        row("12(g)", "8 x 1 on red", "32", replace(smallest(2_50), multiples=True), 0, 5_00, "8 x 1 on red"),
        row("12(g)", "7 white on red", "32", MULTIPLES, 0, 7_00, "7 white on red"),
        row("12(g)", "3 x 5 on red", "32", smallest(10_00, 25_00), 0, 20_00, "3 x 5 on red"),
        row("12(g)", "7 x 5 on red", "32", smallest(10_00, 25_00), 0, 35_00, "7 x 5 on red"),
        row("12(g)", "8 x 1 on red", "32", smallest(4_00, 9_00), 0, 8_00, "8 x 1 on red"),
        row("12(g)", "11 x 1 on red", "32", smallest(4_00, 9_00), 0, 12_00, "11 x 1 on red"),
        row("12(g)", "4 x 1 on red", "32", replace(smallest(5_00), multiples=True), 0, 0, "4 x 1 on red"),
        row("12(g)", "39 x 1 on red", "32", replace(smallest(7_00), multiples=True), 0, 35_00, "39 x 1 on red"),
        row("6(j)", "125 x 5 on neighbours 0", "15", TERMS, 400_00, 3_500_00, "20 x 5 on 15"),
        row("6(j)", "100 x 5 on neighbours 0; 1 x 25 on neighbours 0", "15", TERMS, 400_00, 3_500_00, "20 x 5 on 15"),
        row("12(f)", "125 x 5 on neighbours 0", "19", TERMS, 500_00, 0, ""),
        row("6(j)", "3 blue on 17/20", "20", TERMS, 0, 255_00, "3 blue on 17/20"),
        row("6(h)", "25 on neighbours 26", "15", TERMS, 25_00, 0, ""),
        row(
            "8(c)",
            "10 on 0; 10 on 0/1/2/3; 10 on red; 10 on even",
            "0",
            TERMS,
            20_00,
            430_00,
            "2 x 5 on 0; 2 x 5 on 0/1/2/3",
        ),
    ],
)
def test_worked_cases_of_adelaide(  # noqa: PLR0913 - the columns of the table
    *, slip: str, pocket: str, terms: PayoutTerms, collected: int, paid: int, stays: str
) -> None:
    """At a minimum of 5 and a maximum of 100, each slip is collected, paid and left on the layout as worked out."""
    found = plan(slip, pocket, terms)
    assert (found.collected, found.paid, left(found)) == (collected, paid, stays)


@pytest.mark.parametrize(
    ("slip", "terms", "net"),
    [
        row("6(j)", "25 on neighbours 0", TERMS, 155_00),
        row("6(j)", "135 x 0.20 on neighbours 0", smallest(20, 1_00), 167_40),
        row("6(j)", "25 on neighbours 26", TERMS, -25_00),
        row("12(a)", "500 on neighbours 0", TERMS, 3_100_00),
        row("5.6(a)", "5 red2 on 15", replace(TERMS, colours={ChipId("red2"): Cents(2_00)}), 350_00),
    ],
)
def test_player_is_up_or_down_by(slip: str, terms: PayoutTerms, net: int) -> None:
    """On 15 the payment less the collection is what the player is up: of a total S on its neighbours, 31 S / 5."""
    found = plan(slip, "15", terms)
    assert found.paid - found.collected == net


@pytest.mark.parametrize(
    ("book", "pocket", "winners", "gross"),
    [
        (ADELAIDE, "0", 7, 123),
        (ADELAIDE, "17", 17, 180),
        (ADELAIDE, "2", 17, 189),
        (ADELAIDE, "36", 11, 111),
        (US, "0", 7, 121),
        (US, "00", 7, 121),
        (US, "17", 17, 180),
        (US, "2", 19, 217),
        (US, "36", 11, 111),
    ],
)
def test_one_piece_on_every_spot(book: str, pocket: str, winners: int, gross: int) -> None:
    """With one piece on every spot of a felt, the known number of them win, and bring back the known pieces."""
    rulebook = venue(book)
    slip = "; ".join(f"1 white on {spot}" for spot in rulebook.spots)
    found = plan(slip, pocket, smallest(1_00), book=rulebook, bounds=(1_00, 4_00))
    assert len(found.positions[0].stays) == sum(len(payment.bets) for payment in found.payments) == winners
    assert (found.paid, found.collected) == ((gross - winners) * 1_00, (len(rulebook.spots) - winners) * 1_00)


@pytest.mark.parametrize(
    ("slip", "pocket", "paid"),
    [
        row("8(a) A", "2 blue on 0", "0", 350_00),
        row("8(a) B", "2 blue on 0/3", "3", 170_00),
        row("8(a) C", "2 blue on 0/1/2", "0", 110_00),
        row("8(a) D", "2 blue on 0/1/2/3", "2", 80_00),
        row("8(a) E", "2 blue on 31/32/33/34/35/36", "36", 50_00),
        row("8(a) F", "2 blue on column 3", "36", 20_00),
        row("8(a) G", "2 blue on dozen 3", "25", 20_00),
        row("8(a) H", "2 blue on red", "36", 10_00),
        row("8(a) I", "2 blue on black", "35", 10_00),
        row("8(a) J", "2 blue on odd", "1", 10_00),
        row("8(a) K", "2 blue on even", "2", 10_00),
        row("8(a) L", "2 blue on low", "18", 10_00),
        row("8(a) M", "2 blue on high", "19", 10_00),
    ],
)
def test_every_line_of_adelaide_pays_chips(slip: str, pocket: str, paid: int) -> None:
    """Two pieces of 5 are paid what their line of the notice says, in their colour."""
    [payment] = plan(slip, pocket).payments
    assert (payment.paid, handed(payment)) == (paid, f"{paid // 5_00} blue")


@pytest.mark.parametrize(
    ("slip", "pocket", "collected", "paid", "back"),
    [
        us_row(
            "Rotation (4)",
            "4 white on 17; 2 white on 0/00; 2 white on courtesy-line; 3 white on red",
            "17",
            7_00,
            140_00,
            0,
        ),
        us_row("Types 2", "2 white on 0/00; 2 white on courtesy-line", "00", 0, 68_00, 0),
        us_row("Placement 5", "6 white on 17", "17", 0, 140_00, 2_00),
        us_row("Placement 5", "6 white on 17", "18", 4_00, 0, 2_00),
        us_row("Pay Table First Five Numbers", "4 white on 0/00/1/2/3", "1", 0, 24_00, 0),
        us_row("Types 5", "4 white on 0/00/1/2/3", "4", 4_00, 0, 0),
    ],
)
def test_worked_cases_of_the_us_table(slip: str, pocket: str, collected: int, paid: int, back: int) -> None:
    """From 1 to 4 a wager is settled; what lies above is returned, win or lose."""
    found = plan(slip, pocket, smallest(1_00), book=venue(US), bounds=(1_00, 4_00))
    returned = sum(TERMS.amount(pieces) for pieces in found.positions[0].returned.values())
    assert (found.collected, found.paid, returned) == (collected, paid, back)


@pytest.mark.clause(US, "Placement 5")
@pytest.mark.parametrize("pocket", ["17", "18"])
def test_under_the_minimum_at_the_us_table_is_returned(pocket: str) -> None:
    """A wager of half a dollar that is found after the close goes back whole, whatever the number."""
    found = plan("1 x 0.50 on 17", pocket, smallest(1_00), book=venue(US), bounds=(1_00, 4_00))
    [result] = found.positions
    assert (found.collected, found.paid, result.stays) == (0, 0, {})
    assert result.returned == {"17": {value_chip(50): 1}}
    assert [(note.kind, note.before, note.after, note.clause) for note in result.notes] == [
        (NoteKind.RETURNED, 50, 0, "Placement 5")
    ]


@pytest.mark.clause(ADELAIDE, "12(e) second")
@pytest.mark.clause(ADELAIDE, "12(f)")
@pytest.mark.clause(ADELAIDE, "12(g)")
def test_notes_cite_their_clauses() -> None:
    """A bet under the minimum, one over the maximum and a rounded payment are noted with amounts and clause."""
    found = plan("2 x 1 on 17; 130 on red; 7 x 1 on black", "17")
    assert [(note.kind, note.spot, note.before, note.after, note.clause) for note in found.positions[0].notes] == [
        (NoteKind.UNDER_MINIMUM, "17", 2_00, 2_00, "12(e) second"),
        (NoteKind.CAPPED, "red", 130_00, 100_00, "12(f)"),
        (NoteKind.ROUNDED, "black", 7_00, 10_00, "12(g)"),
    ]


@pytest.mark.clause(ADELAIDE, "12(g)")
@pytest.mark.clause(ADELAIDE, "12(i)")
@pytest.mark.parametrize(
    ("slip", "terms", "due", "choices"),
    [
        ("1 x 5 on red", smallest(10_00), 5_00, ["1 x 10"]),
        ("3 x 5 on red", smallest(10_00, 25_00), 15_00, ["1 x 10", "2 x 10"]),
        ("3 x 5 on red; 1 x 5 on 32/35", smallest(10_00), 85_00, ["8 x 10", "9 x 10"]),
        ("8 x 1 on red", smallest(3_00), 8_00, ["2 x 3", "3 x 3"]),
        ("19 x 1 on red", smallest(7_00), 19_00, ["2 x 7", "3 x 7"]),
    ],
)
def test_bet_without_a_lower_multiple_is_neither_rounded_up_nor_down(
    slip: str, terms: PayoutTerms, due: int, choices: list[str]
) -> None:
    """Under a notice a bet in multiples, or without a multiple that chips make, is undecided between two amounts."""
    payment = plan(slip, "32", replace(terms, multiples=True)).payments[-1]
    assert payment.undecided is not None
    assert (payment.due, payment.paid, handed(payment), payment.rounding) == (due, due, "", None)
    assert (payment.undecided.clause, [text(each) for each in payment.undecided.choices]) == ("12(i)", choices)


@pytest.mark.clause(US, "Rotation (4)")
def test_us_amount_that_the_float_cannot_pay_is_undecided() -> None:
    """The US document rounds nothing: what the float cannot pay is for the supervisor, and a payable sum is paid."""
    for terms in (smallest(5_00), replace(smallest(5_00), multiples=True)):
        found = plan("3 x 1 on red", "1", terms, book=venue(US), bounds=(1_00, 4_00))
        [payment] = found.payments
        assert payment.undecided is not None
        assert (payment.paid, payment.undecided.clause, found.positions[0].notes) == (3_00, "Rotation (4)", ())
        assert [text(each) for each in payment.undecided.choices] == ["1 x 5"]
        [whole] = plan("3 x 1 on 1/2; 2 x 1 on 1/4", "1", terms, book=venue(US), bounds=(1_00, 4_00)).payments
        assert (whole.paid, handed(whole), whole.undecided) == (85_00, "17 x 5", None)


def test_notice_without_a_minimum_rounds_nothing() -> None:
    """Under a notice at a table without a minimum there is no multiple to round down to."""
    book = venue(ADELAIDE)
    stakes = ChipStakes(1, chips(book, "7 x 1 on red", MULTIPLES), Limits(ClauseId("7(h)v"), ClauseId("7(h)v")))
    [payment] = plan_payout(PayoutTable(book), Pocket("1"), [stakes], MULTIPLES).payments
    assert payment.undecided is not None
    assert (payment.paid, payment.undecided.clause) == (7_00, "12(i)")


@pytest.mark.clause(ADELAIDE, "9(e)")
def test_payments_go_by_segments_then_players() -> None:
    """Each winning box is a segment in the rulebook's order; the bets around the number follow, player by player."""
    slips = [
        "1 blue on 17; 1 blue on column 2; 1 blue on black; 1 blue on red",
        "5 white on 17/20; 5 white on black; 5 white on dozen 2; 5 white on odd; 5 white on low",
    ]
    found = plan(slips, "17")
    assert [(payment.segment, payment.position) for payment in found.payments] == [
        ("black", 1),
        ("black", 2),
        ("odd", 2),
        ("low", 2),
        ("dozen 2", 2),
        ("column 2", 1),
        ("inside", 1),
        ("inside", 2),
    ]
    assert found.segments == ("black", "odd", "low", "dozen 2", "column 2", "inside")
    assert (found.collected, found.positions[0].collected_pieces) == (5_00, {"blue": 1})
    book = venue(ADELAIDE)
    assert book.payout is not None
    turned = replace(book, payout=replace(book.payout, order=tuple(reversed(SegmentGroup))))
    assert plan(slips, "17", book=turned).segments == ("inside", "column 2", "dozen 2", "black", "odd", "low")
    assert plan(slips, "17", book=turned).paid == found.paid
    assert plan(slips, "17", book=turned).digest != found.digest


@pytest.mark.parametrize(
    ("slip", "pocket", "in_rack", "cash_from", "expected"),
    [
        ("3 blue on 17", "17", 105, None, "105 blue"),
        ("3 blue on 17", "17", 104, None, "5 x 100 + 5 blue"),
        ("3 blue on 17", "17", 5, None, "5 x 100 + 5 blue"),
        ("3 blue on 17", "17", 4, None, "5 x 100 + 1 x 25"),
        ("3 blue on 17; 100 blue on 5", "17", 5, None, "105 blue"),
        ("3 blue on 17", "17", None, 100, "5 x 100 + 5 blue"),
        ("1 blue on 17/20", "17", None, 10, "17 blue"),
        ("1 white on 17", "17", None, 20, "4 x 5 + 15 white"),
    ],
)
def test_stacks_are_paid_in_value_chips(
    slip: str, pocket: str, in_rack: int | None, cash_from: int | None, expected: str
) -> None:
    """Whole stacks are value chips from a number of pieces, or if the rack lacks pieces after the collection."""
    rack = None if in_rack is None else {ChipId("blue"): in_rack}
    [payment] = plan(slip, pocket, replace(TERMS, cash_from=cash_from), rack=rack, bounds=(1_00, 500_00)).payments
    assert (handed(payment), payment.rounding) == (expected, None)


def test_rack_is_shared_by_segments() -> None:
    """Pieces paid in one segment are gone from the rack in the next."""
    found = plan("20 blue on red; 1 blue on 32", "32", rack={ChipId("blue"): 40})
    assert [handed(payment) for payment in found.payments] == ["20 blue", "1 x 100 + 15 blue"]


@pytest.mark.clause(ADELAIDE, "12(g)")
@pytest.mark.parametrize(("terms", "paid", "chips"), [(TERMS, 10_00, "2 x 5"), (MULTIPLES, 5_00, "1 x 5")])
def test_payment_from_an_empty_rack_is_rounded(terms: PayoutTerms, paid: int, chips: str) -> None:
    """Pieces that the rack lacks are paid as the float can pay them: up, or down to a multiple under a notice."""
    found = plan("7 white on red", "32", terms, rack={ChipId("white"): 0})
    [payment] = found.payments
    assert (payment.due, payment.paid, payment.rounding, handed(payment)) == (7_00, paid, "12(g)", chips)
    assert [(note.kind, note.after) for note in found.positions[0].notes] == [(NoteKind.ROUNDED, paid)]


@pytest.mark.clause(ADELAIDE, "12(g)")
@pytest.mark.parametrize(("pieces", "paid"), [(0, 420_00), (1, 417_00), (2, 419_00), (3, 416_00), (4, 416_00)])
def test_few_pieces_go_to_the_bets_that_need_them(pieces: int, paid: int) -> None:
    """Of pieces of 2, a payment of 350 needs none, 34 two and 32 one: the order of entry changes nothing."""
    terms = replace(TERMS, colours={ChipId("pink"): Cents(2_00)})
    for slips in permutations(("5 pink on 17", "2 pink on 14/15/17/18", "1 pink on 17/18")):
        found = plan("; ".join(slips), "17", terms, bounds=(2_00, 20_00), rack={ChipId("pink"): pieces})
        [payment] = found.payments
        assert (payment.due, payment.paid) == (416_00, paid)
        assert sum(count for _, count in payment.colours) <= pieces


@pytest.mark.clause(ADELAIDE, "12(g)")
def test_own_colour_and_float_make_an_amount_together() -> None:
    """A bet of colour and value chips is paid exactly if some pieces and some value chips make it."""
    terms = replace(smallest(7_00), colours={ChipId("blue"): Cents(6_00)})
    [payment] = plan("2 blue on red; 2 x 4 on red", "32", terms).payments
    assert (payment.paid, handed(payment)) == (20_00, "2 x 7 + 1 blue")


def test_stacks_whose_value_the_float_cannot_pay_stay_in_colour() -> None:
    """With chips of 50 and pieces of 1, value chips replace stacks by fives: 10 of the 12 stacks."""
    [payment] = plan("7 white on 17", "17", replace(smallest(50_00), cash_from=20)).payments
    assert handed(payment) == "4 x 50 + 45 white"


@pytest.mark.clause(ADELAIDE, "12(f)")
def test_part_of_a_piece_over_the_maximum_is_change() -> None:
    """Of four pieces of 30 that lose at a maximum of 100, 100 is collected and 20 is paid back in value chips."""
    terms = replace(TERMS, colours={ChipId("gold"): Cents(30_00)})
    found = plan(["4 gold on red", "4 gold on black"], "17", terms)
    loser, winner = found.positions
    assert (loser.collected, loser.collected_pieces, loser.returned) == (100_00, {"gold": 4}, {"red": {}})
    [change, payment] = found.payments
    assert (change.segment, change.position, change.due, handed(change)) == (RETURNS, 1, 20_00, "4 x 5")
    assert (payment.position, payment.paid, handed(payment)) == (2, 100_00, "1 x 100")
    assert winner.stays == {"black": {"gold": 4}}
    [small] = plan("4 gold on red", "17", replace(terms, denominations=(Cents(25_00),))).payments
    assert small.undecided is not None
    assert (small.due, small.paid, small.undecided.clause) == (20_00, 20_00, "12(i)")
    assert [text(each) for each in small.undecided.choices] == ["1 x 25"]


def test_last_pieces_go_back_first() -> None:
    """Of blue below white on a losing spot, the excess goes back in white, then in blue."""
    found = plan("18 blue on red; 15 white on red", "17")
    assert found.positions[0].returned == {"red": {"white": 5}}
    assert found.positions[0].collected_pieces == {"blue": 18, "white": 10}
    further = plan("20 blue on red; 3 white on red; 1 x 25 on red", "17")
    assert further.positions[0].returned == {"red": {"v2500": 1, "white": 3}}


def test_colours_and_value_chips_of_one_bet() -> None:
    """A bet of 2 blue and 7 in ones pays blue in blue, and rounds what is due in value chips."""
    [payment] = plan("2 blue on red; 7 x 1 on red", "32").payments
    assert (payment.due, payment.paid, handed(payment)) == (17_00, 20_00, "2 x 5 + 2 blue")


def test_direct_bet_and_marker_bet_of_one_colour_are_paid_together() -> None:
    """Two blue on 15 and a fifth of five blue on the block pay three times 35 pieces."""
    found = plan("2 blue on 15; 5 blue on neighbours 0; 5 blue on neighbours 26", "15")
    [payment] = found.payments
    assert (handed(payment), left(found), found.collected) == ("105 blue", "3 blue on 15", 45_00)
    assert [(line.settled, line.pieces) for line in payment.bets[0].lines] == [(10_00, 70), (5_00, 35)]


def test_under_minimum_returns_where_the_maximum_caps() -> None:
    """A venue that returns bets under the minimum and caps those above it does both."""
    book = venue(ADELAIDE)
    table = book.channels[ChannelName.TABLE]
    refusing = replace(table, under_minimum=CitedChoice(UnderMinimum.REFUSE, ClauseId("12(e) second")))
    mixed = replace(book, channels={**book.channels, ChannelName.TABLE: refusing})
    found = plan("2 white on red; 130 on black", "32", book=mixed)
    assert (found.positions[0].returned, found.positions[0].stays) == (
        {"red": {"white": 2}, "black": {"v500": 1, "v2500": 1}},
        {},
    )
    assert table.over_maximum.choice is OverMaximum.CAP


def test_limits_of_a_kind_apply() -> None:
    """A bet is settled up to the maximum of its own kind."""
    book = venue(ADELAIDE)
    bounds = replace(limits(book, 5_00, 100_00), kinds={SpotKind("red"): Range(Cents(5_00), Cents(500_00))})
    stakes = ChipStakes(1, chips(book, "200 on red; 200 on odd", TERMS), bounds)
    found = plan_payout(PayoutTable(book), Pocket("1"), [stakes], TERMS)
    assert [payment.paid for payment in found.payments] == [200_00, 100_00]


def test_value_chips_are_the_largest_first() -> None:
    """An amount is paid in the largest chips that fit, of those in multiples of the smallest."""
    assert text(value_chips(140_00, (Cents(5_00), Cents(25_00), Cents(100_00)))) == "1 x 100 + 1 x 25 + 3 x 5"
    assert text(value_chips(4_00, (Cents(1_00), Cents(2_50)))) == "4 x 1"
    assert value_chips(0, (Cents(1_00),)) == ()
    with pytest.raises(AssertionError):
        value_chips(7_00, (Cents(5_00),))


def test_chips_have_values() -> None:
    """A value chip names its value in cents, a colour none; a colour without a value has none."""
    assert (denomination(value_chip(2_50)), denomination(ChipId("blue")), denomination(ChipId("v0"))) == (
        250,
        None,
        None,
    )
    with pytest.raises(AssertionError):
        TERMS.value(ChipId("pink"))


def test_venue_without_chips_pays_none() -> None:
    """A rulebook without rules for payouts cannot be asked for one."""
    with pytest.raises(AssertionError):
        plan_payout(PayoutTable(venue("clearwater-etg")), Pocket("1"), [], TERMS)


def test_block_spots_stand_beside_the_layout() -> None:
    """The block has a place for each number, with five numbers in wheel order; the layout keeps its 157 spots."""
    book = venue(ADELAIDE)
    felt = PayoutTable(book)
    assert (len(book.blocks), len(book.spots), book.blocks.keys() & book.spots.keys()) == (37, 157, set())
    assert book.blocks[SpotKey("neighbours 17")].numbers == ("2", "25", "17", "34", "6")
    assert felt.blocks == book.blocks
    assert all(not venue(other).blocks for other in (US, "clearwater-etg", "marina-bay-sands-2020"))


@pytest.mark.clause(ADELAIDE, "6(j)")
def test_marker_bet_returns_what_five_straights_return() -> None:
    """On every pocket a marker bet of 25 returns what 5 on each of its numbers returns: 180 or nothing."""
    book = venue(ADELAIDE)
    felt = PayoutTable(book)
    for key, block in book.blocks.items():
        marker, straights = {key: 25_00}, {SpotKey(number): 5_00 for number in block.numbers}
        assert felt.returns(marker) == felt.returns(straights)
        for pocket in book.pockets:
            expected = 180_00 if pocket in block.numbers else 0
            assert felt.returned(marker, pocket) == felt.returned(straights, pocket) == expected
            assert felt.winning(marker, pocket) == felt.winning(straights, pocket)
    both = {SpotKey("neighbours 0"): 25_00, SpotKey("15"): 5_00, SpotKey("red"): 10_00}
    assert felt.winning(both, Pocket("15")) == {"15": 10_00}
    assert felt.returned(both, Pocket("32")) == 180_00 + 20_00
