"""The notation and its amounts: what is read, what is printed, and where a finger points when neither can be."""

import re

import pytest

from croupier.rules.calls import CallSelection
from croupier.rules.geometry import SpotKey
from croupier.rules.money import Cents, amount_text, cents_of
from croupier.rules.notation import (
    ChipBet,
    MalformedError,
    NotationBet,
    parse_call,
    parse_chips,
    parse_slip,
    print_slip,
    read_chips,
)
from croupier.rules.payouts import ChipCount, ChipId, PayoutTerms
from croupier.rules.refusal import Code, Refusal
from croupier.rules.rulebook import Rulebook
from tests.conftest import OUTSIDE, venue

TARGET = "a number, an outside bet or a call"
AMOUNT = "an amount above 0 with at most two decimals"
POCKET = "a number from 0, 00, 000, 1 to 40"
REACH = "how many neighbours on each side, 1 to 99"
SEPARATOR = "';' before the next bet"

SPOTS = [
    ("17", "17"),
    ("0", "0"),
    ("00", "00"),
    ("36", "36"),
    ("17/20", "17/20"),
    ("20/17", "17/20"),
    ("3/0/2", "0/2/3"),
    ("00/0", "0/00"),
    ("1/00", "00/1"),
    ("2/3/1/00/0", "0/00/1/2/3"),
    ("29/28/26/25", "25/26/28/29"),
    ("6/5/4/3/2/1", "1/2/3/4/5/6"),
    ("36/1", "1/36"),
    ("10/9/8/7/6/5/4", "4/5/6/7/8/9/10"),
    ("17 / 20", "17/20"),
    ("column 1", "column 1"),
    ("COLUMN\t3", "column 3"),
    ("Dozen 2", "dozen 2"),
    ("rED", "red"),
    ("high", "high"),
]

CALLS = [
    ("voisins", CallSelection("voisins")),
    ("Voisins du Zero", CallSelection("voisins-du-zero")),
    ("voisins-du-zero", CallSelection("voisins-du-zero")),
    ("big   SERIES", CallSelection("big-series")),
    ("0-spiel", CallSelection("0-spiel")),
    ("zero spiel", CallSelection("zero-spiel")),
    ("red snake", CallSelection("red-snake")),
    ("Red-Snake", CallSelection("red-snake")),
    ("neighbours 22", CallSelection("neighbours", "22")),
    ("neighbours 00 by 2", CallSelection("neighbours", "00", 2)),
    ("Neighbors 0 BY 99", CallSelection("neighbors", "0", 99)),
    ("neighbours by 4", CallSelection("neighbours", "", 4)),
    ("finale 5", CallSelection("finale", "5")),
    ("complete 36", CallSelection("complete", "36")),
    ("courtesy line", CallSelection("courtesy-line")),
    ("column-1", CallSelection("column-1")),
    ("end", CallSelection("end")),
]

BAD_SLIPS = [
    ("", 0, f"expected {AMOUNT}, found the end"),
    ("   ", 3, f"expected {AMOUNT}, found the end"),
    ("on red", 0, f"expected {AMOUNT}, found 'on'"),
    ("0 on red", 0, f"expected {AMOUNT}, found '0'"),
    ("0.00 on red", 0, f"expected {AMOUNT}, found '0.00'"),
    ("5. on red", 0, f"expected {AMOUNT}, found '5.'"),
    ("5.123 on red", 0, f"expected {AMOUNT}, found '5.123'"),
    (".5 on red", 0, "'.' has no place in a slip"),
    ("-5 on red", 0, "'-' has no place in a slip"),
    ("$5 on red", 0, "'$' has no place in a slip"),
    ("1.5on red", 0, "'1' has no place in a slip"),
    ("5,50 on red", 1, "',' has no place in a slip"),
    ("1e3 on red", 0, f"expected {AMOUNT}, found '1e3'"),
    ("\u0665 on red", 0, "'\u0665' has no place in a slip"),
    ("5", 1, "expected 'on' after the amount, found the end"),
    ("5 red", 2, "expected 'on' after the amount, found 'red'"),
    ("5 17", 2, "expected 'on' after the amount, found '17'"),
    ("5 ; 5 on red", 2, "expected 'on' after the amount, found ';'"),
    ("5 on", 4, f"expected {TARGET}, found the end"),
    ("5 on  ", 6, f"expected {TARGET}, found the end"),
    ("5 on ; 5 on red", 5, f"expected {TARGET}, found ';'"),
    ("5 on on", 5, f"expected {TARGET}, found 'on'"),
    ("5 on BY 2", 5, f"expected {TARGET}, found 'BY'"),
    ("5 on /17", 5, f"expected {TARGET}, found '/'"),
    ("5 on 41", 5, f"expected {POCKET}, found '41'"),
    ("5 on 017", 5, f"expected {POCKET}, found '017'"),
    ("5 on 0000", 5, f"expected {POCKET}, found '0000'"),
    ("5 on 17.5", 5, f"expected {POCKET}, found '17.5'"),
    ("5 on 17/", 8, f"expected {POCKET}, found the end"),
    ("5 on 17//20", 8, f"expected {POCKET}, found '/'"),
    ("5 on 17/red", 8, f"expected {POCKET}, found 'red'"),
    ("5 on 17/41", 8, f"expected {POCKET}, found '41'"),
    ("5 on 17/17", 8, "expected each number once, found '17'"),
    ("5 on 1/2/3/1", 11, "expected each number once, found '1'"),
    ("5 on 17-20", 7, "'-' has no place in a slip"),
    ("5 on 17+20", 7, "'+' has no place in a slip"),
    ("5 on red-", 8, "'-' has no place in a slip"),
    ("5 on 5--a", 6, "'-' has no place in a slip"),
    ("5 on column", 11, "expected 1, 2 or 3 after 'column', found the end"),
    ("5 on column 0", 12, "expected 1, 2 or 3 after 'column', found '0'"),
    ("5 on Dozen 4", 11, "expected 1, 2 or 3 after 'dozen', found '4'"),
    ("5 on dozen by 2", 11, "expected 1, 2 or 3 after 'dozen', found 'by'"),
    ("5 on red 17", 9, f"expected {SEPARATOR}, found '17'"),
    ("5 on red by 2", 9, f"expected {SEPARATOR}, found 'by'"),
    ("5 on 17 20", 8, f"expected {SEPARATOR}, found '20'"),
    ("5 on 17 end", 8, f"expected {SEPARATOR}, found 'end'"),
    ("5 on neighbours 41", 16, f"expected {POCKET}, found '41'"),
    ("5 on neighbours 22 23", 19, f"expected {SEPARATOR}, found '23'"),
    ("5 on neighbours 22/23", 18, f"expected {SEPARATOR}, found '/'"),
    ("5 on neighbours 22 by", 21, f"expected {REACH}, found the end"),
    ("5 on neighbours 22 by 0", 22, f"expected {REACH}, found '0'"),
    ("5 on neighbours 22 by 02", 22, f"expected {REACH}, found '02'"),
    ("5 on neighbours 22 by 100", 22, f"expected {REACH}, found '100'"),
    ("5 on neighbours 22 by two", 22, f"expected {REACH}, found 'two'"),
    ("5 on neighbours 22 by 2 by 2", 24, f"expected {SEPARATOR}, found 'by'"),
    ("5 on red;", 9, f"expected {AMOUNT}, found the end"),
    ("5 on red;;5 on black", 9, f"expected {AMOUNT}, found ';'"),
    ("; 5 on red", 0, f"expected {AMOUNT}, found ';'"),
    ("5 on red 5 on black", 9, f"expected {SEPARATOR}, found '5'"),
    ("5 on red; 0 on black", 10, f"expected {AMOUNT}, found '0'"),
    ("5 on red; 5 on 99", 15, f"expected {POCKET}, found '99'"),
]

BAD_CALLS = [
    ("", 0, f"expected {TARGET}, found the end"),
    (";", 0, f"expected {TARGET}, found ';'"),
    ("/", 0, f"expected {TARGET}, found '/'"),
    ("voisins;", 7, "expected nothing more, found ';'"),
    ("voisins; tiers", 7, "expected nothing more, found ';'"),
    ("neighbours 22 23", 14, "expected nothing more, found '23'"),
    ("neighbours 22 end", 14, "expected nothing more, found 'end'"),
    ("5 on voisins; 5 on tiers", 12, "expected nothing more, found ';'"),
    ("neighbours 22 by 0", 17, f"expected {REACH}, found '0'"),
    ("neighbours 41", 11, f"expected {POCKET}, found '41'"),
    ("column", 6, "expected 1, 2 or 3 after 'column', found the end"),
    ("17", 2, "expected 'on' after the amount, found the end"),
    ("0 on voisins", 0, f"expected {AMOUNT}, found '0'"),
    ("red", 0, "red is a spot, not a call"),
    ("dozen 2", 0, "dozen 2 is a spot, not a call"),
    ("5 on red", 5, "red is a spot, not a call"),
    (" 5 on 20/17", 6, "17/20 is a spot, not a call"),
    ("?", 0, "'?' has no place in a slip"),
]

AMOUNTS_READ = [
    ("1", 100),
    ("0", 0),
    ("0.5", 50),
    ("0.05", 5),
    ("5.50", 550),
    ("005", 500),
    ("999999999999.99", 99_999_999_999_999),
    ("1000000000000", None),
    ("5.", None),
    (".5", None),
    ("5.001", None),
    ("-5", None),
    ("+5", None),
    ("1_000", None),
    ("1e3", None),
    (" 5", None),
    ("5\n", None),
    ("\u0665", None),
    ("", None),
]

AMOUNTS_PRINTED = [
    (0, "0"),
    (1, "0.01"),
    (50, "0.50"),
    (500, "5"),
    (505, "5.05"),
    (-1, "-0.01"),
    (-29_500, "-295"),
    (10**20, "1000000000000000000"),
]

PRINTED = [
    ("5 on 17;10 on 20/17", "5 on 17; 10 on 17/20"),
    ("  05.5 ON Neighbors 22 BY 2  ", "5.50 on neighbors 22 by 2"),
    ("0.05 on 3/0/2 ;\n1.00 on Column 1", "0.05 on 0/2/3; 1 on column 1"),
    ("5 on big series\u00a0; 5 on BIG-SERIES", "5 on big-series; 5 on big-series"),
    ("1 on neighbours by 3", "1 on neighbours by 3"),
    ("999999999999.99 on 00/0", "999999999999.99 on 0/00"),
]


@pytest.mark.parametrize(("text", "cents"), AMOUNTS_READ)
def test_amount_is_read_exactly(text: str, cents: int | None) -> None:
    """An amount is whole cents with at most two decimals in plain figures, and nothing else is one."""
    assert cents_of(text) == cents


@pytest.mark.parametrize(("cents", "text"), AMOUNTS_PRINTED)
def test_amount_is_printed_with_no_decimals_or_two(cents: int, text: str) -> None:
    """An amount shows its cents where it has any, and its sign where it is below nothing."""
    assert amount_text(cents) == text


@pytest.mark.parametrize(("text", "key"), SPOTS)
def test_spot_is_read_in_any_order_and_case(text: str, key: str) -> None:
    """A spot goes by one name however its numbers are ordered, spaced or capitalised."""
    assert parse_slip(f"5 on {text}") == (NotationBet(Cents(500), SpotKey(key)),)


@pytest.mark.parametrize("key", OUTSIDE)
def test_every_outside_bet_goes_by_its_own_name(key: SpotKey) -> None:
    """Every outside bet's name is read as that bet."""
    assert parse_slip(f"1 on {key}") == (NotationBet(Cents(100), key),)


@pytest.mark.parametrize(("text", "called"), CALLS)
def test_call_is_read_with_its_number_and_reach(text: str, called: CallSelection) -> None:
    """A call's words make one name, with the number and the reach after it, in a slip and on its own."""
    assert parse_slip(f"5 on {text}") == (NotationBet(Cents(500), called),)
    assert parse_call(f"5 on {text}") == NotationBet(Cents(500), called)


@pytest.mark.parametrize(("text", "called"), CALLS)
def test_call_stands_alone(text: str, called: CallSelection) -> None:
    """A call without an amount is read as the same call."""
    assert parse_call(text) == called


@pytest.mark.parametrize(("text", "at", "says"), BAD_SLIPS)
def test_malformed_slip_is_pointed_at(text: str, at: int, says: str) -> None:
    """A malformed slip is refused at its first wrong character, in words that name what was expected there."""
    with pytest.raises(MalformedError) as caught:
        parse_slip(text)
    assert (caught.value.at, caught.value.message, caught.value.text) == (at, says, text)
    assert str(caught.value) == f"{says} (character {at + 1})"


@pytest.mark.parametrize(("text", "at", "says"), BAD_CALLS)
def test_malformed_call_is_pointed_at(text: str, at: int, says: str) -> None:
    """What is not one call and nothing more is refused at its first wrong character."""
    with pytest.raises(MalformedError) as caught:
        parse_call(text)
    assert (caught.value.at, caught.value.message, caught.value.text) == (at, says, text)


def test_amount_too_long_names_the_greatest_length() -> None:
    """An amount of thirteen figures is refused in words that say how many figures there may be."""
    with pytest.raises(MalformedError) as caught:
        parse_slip("1000000000000 on red")
    assert caught.value.at == 0
    assert "twelve figures" in caught.value.message


@pytest.mark.parametrize("stray", ["\x00", "\x1b", "\x7f", "\ud800", "\u202e"])
def test_stray_control_character_is_named_not_shown(stray: str) -> None:
    """A character that a screen cannot show, or would obey, is named by its number in the complaint."""
    with pytest.raises(MalformedError) as caught:
        parse_slip(f"5 on {stray}red")
    assert caught.value.at == 5
    assert caught.value.message.isprintable()


@pytest.mark.parametrize(("text", "printed"), PRINTED)
def test_slip_is_printed_in_one_way(text: str, printed: str) -> None:
    """A slip prints in small letters with its numbers in order, and reads back as the same slip."""
    assert print_slip(parse_slip(text)) == printed
    assert parse_slip(printed) == parse_slip(text)


def test_every_name_of_a_venue_can_be_said(rulebook: Rulebook) -> None:
    """Every spot, call and alias of a venue goes by its own name in the notation."""
    for key in rulebook.spots:
        assert parse_slip(f"1 on {key}") == (NotationBet(Cents(100), key),)
    for name in (*rulebook.call_names, *rulebook.spot_aliases):
        assert parse_call(name) == CallSelection(name)


ADELAIDE, US = "skycity-adelaide-2003", "us-double-zero"
CHIPS = PayoutTerms((Cents(5_00), Cents(25_00)), {ChipId("blue"): Cents(5_00), ChipId("white"): Cents(1_00)})


@pytest.mark.parametrize(
    ("text", "chips", "on"),
    [
        ("2 blue on 17", ChipCount(ChipId("blue"), 2), "17"),
        ("2 BLUE on 20/17", ChipCount(ChipId("blue"), 2), "17/20"),
        ("3 x 5 on red", ChipCount(ChipId("v500"), 3), "red"),
        ("3 X 0.50 on red", ChipCount(ChipId("v50"), 3), "red"),
        ("25 on column 1", Cents(25_00), "column 1"),
        ("0.50 on 0", Cents(50), "0"),
        ("5 sky-blue on neighbours 0", ChipCount(ChipId("sky-blue"), 5), CallSelection("neighbours", "0")),
    ],
)
def test_chips_are_read(text: str, chips: ChipCount | Cents, on: SpotKey | CallSelection) -> None:
    """A bet of chips is pieces of a colour, pieces of a value chip, or an amount, and is read as it is printed."""
    [read] = parse_chips(text)
    assert read == ChipBet(chips, on)
    assert parse_chips(str(read)) == (read,)
    assert parse_chips(f"{text}; {text}") == (read, read)


@pytest.mark.parametrize(
    ("text", "wanted", "at"),
    [
        ("0 blue on 17", "a whole number of pieces, 1 to 9999", 0),
        ("1.5 blue on 17", "a whole number of pieces, 1 to 9999", 0),
        ("10000 blue on 17", "a whole number of pieces, 1 to 9999", 0),
        ("2 blue 17", "'on' after the chips", 7),
        ("2 v500 on 17", "the name of a colour, or 'x' and the value of a chip", 2),
        ("2 x on 17", AMOUNT, 4),
        ("2 x 5 17", "'on' after the amount", 6),
        ("blue on 17", AMOUNT, 0),
        ("2", "'on' after the amount", 1),
        ("2 blue on 17 3 blue on 18", SEPARATOR, 13),
        ("2 blue on", TARGET, 9),
    ],
)
def test_wrong_chips_are_pointed_at(text: str, wanted: str, at: int) -> None:
    """What is no bet of chips is malformed, with what is expected and where."""
    with pytest.raises(MalformedError, match=f"^expected {re.escape(wanted)}, found") as error:
        parse_chips(text)
    assert error.value.at == at


@pytest.mark.parametrize(
    ("book", "slip", "layout"),
    [
        (ADELAIDE, "2 blue on 17; 1 blue on 17", {"17": {"blue": 3}}),
        (ADELAIDE, "1 white on 17; 30 on 17", {"17": {"white": 1, "v2500": 1, "v500": 1}}),
        (ADELAIDE, "5 blue on neighbors 17", {"neighbours 17": {"blue": 5}}),
        (ADELAIDE, "5 blue on neighbours 17 by 2", {"neighbours 17": {"blue": 5}}),
        (ADELAIDE, "30 on neighbours 17", {"neighbours 17": {"v2500": 1, "v500": 1}}),
        (US, "2 white on courtesy-line; 1 white on 0/00", {"0/00": {"white": 3}}),
    ],
)
def test_chips_lie_on_spots_and_on_the_block(book: str, slip: str, layout: dict[str, dict[str, int]]) -> None:
    """Chips are added up by spot and chip; a marker bet lies on the block, an alias on its spot."""
    assert read_chips(venue(book), slip, CHIPS) == layout


def test_call_of_pieces_spreads_its_chips() -> None:
    """Where a call names spots, each of its pieces gets the chips: twice where it names a spot twice."""
    layout = read_chips(venue("marina-bay-sands-2020"), "2 blue on voisins", CHIPS)
    assert not isinstance(layout, Refusal)
    assert (layout[SpotKey("0/2/3")], layout[SpotKey("4/7")]) == ({"blue": 4}, {"blue": 2})


@pytest.mark.parametrize(
    ("slip", "code", "clause"),
    [
        ("2 in 17", Code.MALFORMED, None),
        ("2 pink on 17", Code.MALFORMED, None),
        ("7 on 17", Code.MALFORMED, None),
        ("2 blue on 1/5", Code.SPOT_NOT_ON_LAYOUT, "3 (Diagram 3)"),
        ("2 blue on tiers", Code.CALL_NOT_OFFERED, "6(a)"),
        ("2 blue on neighbours", Code.CALL_ARGUMENT, "5.1(a)"),
        ("1 x 0.01 on neighbours 0", Code.MARKER_TOTAL_INDIVISIBLE, "6(j)"),
        ("2 pink on 17; 2 blue on 1/5", Code.MALFORMED, None),
    ],
)
def test_chips_that_cannot_lie_there_are_refused(slip: str, code: Code, clause: str | None) -> None:
    """A slip of chips is refused for its form, its chips, its spot or its call, with the clause."""
    refusal = read_chips(venue(ADELAIDE), slip, CHIPS)
    assert isinstance(refusal, Refusal)
    assert (refusal.code, refusal.clause) == (code, clause)
