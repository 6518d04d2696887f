"""The notation and its amounts: what is read, what is printed, and where a finger points when neither can be."""

import pytest

from croupier.rules.calls import CallSelection
from croupier.rules.geometry import OUTSIDE, SpotKey
from croupier.rules.money import Cents, amount_text, cents_of
from croupier.rules.notation import MalformedError, NotationBet, parse_call, parse_slip, print_slip
from croupier.rules.rulebook import Rulebook

TARGET = "a number, an outside bet or a call"
AMOUNT = "an amount above 0 with at most two decimals"
POCKET = "a number from 0, 00, 1 to 36"
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
    ("5 on 37", 5, f"expected {POCKET}, found '37'"),
    ("5 on 017", 5, f"expected {POCKET}, found '017'"),
    ("5 on 000", 5, f"expected {POCKET}, found '000'"),
    ("5 on 17.5", 5, f"expected {POCKET}, found '17.5'"),
    ("5 on 17/", 8, f"expected {POCKET}, found the end"),
    ("5 on 17//20", 8, f"expected {POCKET}, found '/'"),
    ("5 on 17/red", 8, f"expected {POCKET}, found 'red'"),
    ("5 on 17/37", 8, f"expected {POCKET}, found '37'"),
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
    ("5 on neighbours 37", 16, f"expected {POCKET}, found '37'"),
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
    ("neighbours 37", 11, f"expected {POCKET}, found '37'"),
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
