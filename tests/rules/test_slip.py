"""Slips against the venues: every refusal with its clause and facts, which one comes first, and what bets are read."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import product

import pytest

from croupier.rules.calls import GAME_CALLS, CallSelection
from croupier.rules.geometry import SpotKey, SpotKind
from croupier.rules.limits import Limits, Range
from croupier.rules.money import Cents
from croupier.rules.notation import NotationBet, expand_call, read_pocket, read_slip, slip_bets
from croupier.rules.pricing import Bet, stacks, staked
from croupier.rules.refusal import ClauseId, Code, Refusal, Refused, first_of
from croupier.rules.rulebook import Expansion, Rulebook, find_spot
from tests.conftest import venue

ADELAIDE, CLEARWATER = "skycity-adelaide-2003", "clearwater-etg"
MARINA, US = "marina-bay-sands-2020", "us-double-zero"

CLEARWATER_CALLS = ("red-splits", "black-splits", "red-snake", "complete", "finale", "neighbours")
MARINA_CALLS = ("voisins", "tiers", "orphelins", "zero-spiel", "neighbours", "finale")
RAPID_SELECT_CALLS = ("zero-spiel", "voisins", "orphelins", "tiers", "neighbours")
SEVEN = "1/2/3/4/5/6/7"
BY_NAME = "numbers are written in figures, outside bets and calls by name"
NAMED = "columns, dozens and even chances go by their names"

Row = tuple[str, str, Code, str, Mapping[str, object]]

REFUSED: list[Row] = [
    (ADELAIDE, "5 on voisins", Code.CALL_NOT_OFFERED, "6(a)", {"call": "voisins", "offered": ("neighbours",)}),
    (CLEARWATER, "5 on tiers", Code.CALL_NOT_OFFERED, "23", {"call": "tiers", "offered": CLEARWATER_CALLS}),
    (MARINA, "5 on red snake", Code.CALL_NOT_OFFERED, "3.5", {"call": "red-snake", "offered": MARINA_CALLS}),
    (US, "1 on neighbours 22", Code.CALL_NOT_OFFERED, "Placement 1", {"call": "neighbours 22", "offered": ()}),
    (ADELAIDE, "5 on neighbours", Code.CALL_ARGUMENT, "5.1(a)", {"call": "neighbours"}),
    (ADELAIDE, "5 on neighbors 00", Code.CALL_ARGUMENT, "5.1(a)", {"call": "neighbors 00"}),
    (CLEARWATER, "5 on complete", Code.CALL_ARGUMENT, "23.d", {"call": "complete"}),
    (CLEARWATER, "5 on finals", Code.CALL_ARGUMENT, "23.e", {"call": "finals"}),
    (CLEARWATER, "5 on finale 10", Code.CALL_ARGUMENT, "23.e", {"call": "finale 10"}),
    (CLEARWATER, "5 on finale 00", Code.CALL_ARGUMENT, "23.e", {"call": "finale 00"}),
    (CLEARWATER, "5 on neighbours", Code.CALL_ARGUMENT, "24", {"call": "neighbours"}),
    (CLEARWATER, "5 on red-snake 5", Code.CALL_ARGUMENT, "23.c", {"call": "red-snake 5"}),
    (MARINA, "5 on big series 1", Code.CALL_ARGUMENT, "App. B (Big/Grand Series)", {"call": "big-series 1"}),
    (MARINA, "5 on finale", Code.CALL_ARGUMENT, "App. H (Finales table)", {"call": "finale"}),
    (ADELAIDE, "5 on neighbours 22 by 3", Code.NEIGHBOURS_REACH, "5.1(a)", {"reach": 3, "least": 2, "most": 2}),
    (CLEARWATER, "5 on neighbours 7 by 1", Code.NEIGHBOURS_REACH, "24", {"reach": 1, "least": 2, "most": 4}),
    (CLEARWATER, "5 on neighbours 7 by 5", Code.NEIGHBOURS_REACH, "24", {"reach": 5, "least": 2, "most": 4}),
    (
        MARINA,
        "5 on neighbours 00 by 1",
        Code.NEIGHBOURS_REACH,
        "App. F/G (Neighbours)",
        {"reach": 1, "least": 2, "most": 2},
    ),
    (MARINA, "5 on tiers by 2", Code.NEIGHBOURS_REACH, "App. C (Small Series)", {"reach": 2, "least": 0, "most": 0}),
    (ADELAIDE, "5 on 0/1/2/3/4", Code.KIND_NOT_PRICED, "8(a)", {"spot": "0/1/2/3/4"}),
    (CLEARWATER, f"5 on {SEVEN}", Code.KIND_NOT_PRICED, "21", {"spot": SEVEN}),
    (MARINA, "5 on 0/00/1/2/3", Code.KIND_NOT_PRICED, "4.1", {"spot": "0/00/1/2/3"}),
    (US, f"5 on {SEVEN}", Code.KIND_NOT_PRICED, "Rotation (4)", {"spot": SEVEN}),
    (ADELAIDE, "5 on 00", Code.SPOT_NOT_ON_LAYOUT, "3 (Diagram 3)", {"spot": "00"}),
    (ADELAIDE, "5 on 36/1", Code.SPOT_NOT_ON_LAYOUT, "3 (Diagram 3)", {"spot": "1/36"}),
    (CLEARWATER, "5 on 0/3", Code.SPOT_NOT_ON_LAYOUT, "9", {"spot": "0/3"}),
    (MARINA, "5 on 00/2", Code.SPOT_NOT_ON_LAYOUT, "3.4.2", {"spot": "00/2"}),
    (MARINA, "5 on 0/00/1", Code.SPOT_NOT_ON_LAYOUT, "3.4.4", {"spot": "0/00/1"}),
    (MARINA, "5 on 0/00/1/2", Code.SPOT_NOT_ON_LAYOUT, "3.4.3", {"spot": "0/00/1/2"}),
    (MARINA, "5 on 0/00/1/2/3/4", Code.SPOT_NOT_ON_LAYOUT, "3.4.5", {"spot": "0/00/1/2/3/4"}),
    (US, "2 on 3/4", Code.SPOT_NOT_ON_LAYOUT, "Types 2", {"spot": "3/4"}),
    (US, "2 on 1/2/4", Code.SPOT_NOT_ON_LAYOUT, "Types 3", {"spot": "1/2/4"}),
    (US, "2 on 0/1/2/3", Code.SPOT_NOT_ON_LAYOUT, "Types 4", {"spot": "0/1/2/3"}),
    (US, "2 on 1/2/3/4/5", Code.SPOT_NOT_ON_LAYOUT, "Types 5", {"spot": "1/2/3/4/5"}),
    (US, "2 on 1/2/3/4/5/7", Code.SPOT_NOT_ON_LAYOUT, "Types 6", {"spot": "1/2/3/4/5/7"}),
    (ADELAIDE, "5.01 on neighbours 22", Code.MARKER_TOTAL_INDIVISIBLE, "6(j)", {"total": 501, "multiple": 5}),
    (US, "0.99 on red", Code.STAKE_UNDER_MINIMUM, "Placement 5", {"spot": "red", "stake": 99, "minimum": 100}),
    (US, "4.01 on 17", Code.STAKE_OVER_MAXIMUM, "Placement 5", {"spot": "17", "stake": 401, "maximum": 400}),
]

WORDS = [
    (US, "1 on twenty", f"There is no spot or call 'twenty': {BY_NAME}."),
    (ADELAIDE, "5 on voisins", "SkyCity Adelaide does not offer 'voisins'; it offers neighbours."),
    (US, "1 on tiers", "US double-zero table does not offer 'tiers'; it offers no calls."),
    (ADELAIDE, "5 on neighbours", "'neighbours' takes a number of this wheel after its name, not nothing."),
    (CLEARWATER, "5 on final 00", "'finale' takes one digit after its name, not 00."),
    (MARINA, "5 on orphans 5", "'orphelins' takes nothing after its name, not 5."),
    (MARINA, "5 on neighbours 5 by 3", "'neighbours' reaches 2 on each side here, not 3."),
    (CLEARWATER, "5 on neighbours 5 by 9", "'neighbours' reaches 2 to 4 on each side here, not 9."),
    (ADELAIDE, "5 on 0/1/2/3/4", "No bet on 5 numbers is priced here, so 0/1/2/3/4 cannot be bet."),
    (US, f"5 on {SEVEN}", f"No bet covers 7 numbers by listing them: {NAMED}."),
    (ADELAIDE, "5 on 0/00", "There is no 00 on this layout, so 0/00 cannot be bet."),
    (MARINA, "5 on 00/2", "00/2 is no Split on this layout: the numbers do not meet there."),
    (ADELAIDE, "0.04 on neighbours 0", "A marker bet of 0.04 has no fifth in whole cents: bet a multiple of 0.05."),
    (US, "0.50 on red", "0.50 on red is under the minimum of 1."),
    (US, "5 on red", "5 on red is over the maximum of 4."),
    (US, "5 on", "Expected a number, an outside bet or a call, found the end."),
    (US, "5 € on red", "'€' has no place in a slip."),
]

#: All that can be wrong with one slip, in the order in which it is told; mending takes them away from the top.
WRONGS = [
    ("5 on 99", Code.MALFORMED),
    (None, Code.UNKNOWN_PROFILE),
    ("5 on twenty", Code.UNKNOWN_SPOT),
    ("5 on voisins", Code.CALL_NOT_OFFERED),
    ("5 on neighbours by 3", Code.CALL_ARGUMENT),
    ("5 on neighbours 22 by 3", Code.NEIGHBOURS_REACH),
    ("5 on 0/1/2/3/4", Code.KIND_NOT_PRICED),
    ("5 on 1/36", Code.SPOT_NOT_ON_LAYOUT),
    ("5.01 on neighbours 22", Code.MARKER_TOTAL_INDIVISIBLE),
    ("0.99 on black", Code.STAKE_UNDER_MINIMUM),
    ("500 on even", Code.STAKE_OVER_MAXIMUM),
    ("100 on high; 100 on low; 100 on odd", Code.TOTAL_OVER_MAXIMUM),
]


def narrow() -> Rulebook:
    """Adelaide with limits of its own, so that one slip can break every rule there is."""
    spot, total = Range(Cents(100), Cents(10_000)), Range(Cents(2_000), Cents(25_000))
    under, over, first = ClauseId("12(e) second"), ClauseId("12(f)"), ClauseId("12(e) first")
    limits = Limits(under, over, spot, {}, total, total_under_clause=first, total_over_clause=first)
    return replace(venue(ADELAIDE), limits=limits)


def refused(answer: object) -> Refusal:
    """Give back the refusal that an answer must be."""
    assert isinstance(answer, Refusal)
    return answer


@pytest.mark.parametrize(("place", "text", "code", "clause", "facts"), REFUSED)
def test_refusal_cites_its_clause_and_facts(
    place: str, text: str, code: Code, clause: str, facts: Mapping[str, object]
) -> None:
    """Each refusal of a slip carries its code, the venue's own clause and the facts behind it."""
    refusal = refused(read_slip(venue(place), text))
    assert (refusal.code, refusal.clause, refusal.facts) == (code, clause, facts)


@pytest.mark.parametrize(("place", "text", "says"), WORDS)
def test_refusal_is_said_in_plain_words(place: str, text: str, says: str) -> None:
    """A refusal gives the player the reason in a plain sentence."""
    assert refused(read_slip(venue(place), text)).message == says


def test_call_without_a_reach_is_not_said_to_reach_nothing() -> None:
    """A call that has no neighbours is told so, not that it reaches 0 on each side."""
    refusal = refused(read_slip(venue(MARINA), "5 on tiers by 2"))
    assert refusal.code is Code.NEIGHBOURS_REACH
    assert "reaches 0" not in refusal.message


def test_malformed_slip_has_no_clause() -> None:
    """A slip that cannot be read is refused with its text and the place in it, and no clause is blamed."""
    refusal = refused(read_slip(venue(US), "1 on red; 1 on"))
    facts = {"text": "1 on red; 1 on", "at": 14}
    assert (refusal.code, refusal.clause, refusal.facts) == (Code.MALFORMED, None, facts)


@pytest.mark.parametrize("mended", range(len(WRONGS)))
def test_first_wrong_thing_is_reported_first(mended: int) -> None:
    """Where several things are wrong the first by precedence is told, however late it stands in the slip."""
    left = WRONGS[mended:]
    slip = "; ".join(text for text, _ in reversed(left) if text is not None)
    profile = "cellar" if (None, Code.UNKNOWN_PROFILE) in left else "table"
    assert refused(read_slip(narrow(), slip, profile)).code is left[0][1]


def test_total_under_its_minimum_is_reported_last() -> None:
    """A stake outside the limits is told before a total that is too small."""
    assert refused(read_slip(narrow(), "5 on odd; 0.99 on red")).code is Code.STAKE_UNDER_MINIMUM
    assert refused(read_slip(narrow(), "5 on odd; 5 on red")).code is Code.TOTAL_UNDER_MINIMUM


def test_mended_slip_is_taken() -> None:
    """With everything mended the slip is taken whole."""
    bets = read_slip(narrow(), "100 on high; 100 on low; 50 on neighbours 22", "table")
    assert not isinstance(bets, Refusal)
    assert staked(bets) == 25_000


def test_total_cites_its_own_clause() -> None:
    """A total outside its bounds cites the clause on totals, and the limits' own where there is none."""
    refusal = refused(read_slip(narrow(), "5 on red"))
    assert (refusal.clause, refusal.message) == ("12(e) first", "5 in all is under the minimum total of 20.")
    assert refusal.facts == {"total": 500, "minimum": 2_000}
    plain = Limits(ClauseId("12(e) second"), ClauseId("12(f)"), total=Range(None, Cents(400)))
    refusal = refused(read_slip(replace(venue(ADELAIDE), limits=plain), "5 on red"))
    assert (refusal.clause, refusal.message) == ("12(f)", "5 in all is over the maximum total of 4.")
    assert refusal.facts == {"total": 500, "maximum": 400}


def test_among_equals_the_first_written_is_reported() -> None:
    """Of two refusals with one code, the one written first is given; of none, none."""
    assert refused(read_slip(venue(US), "5 on 17; 6 on red")).facts["spot"] == "17"
    assert first_of([]) is None


def test_slip_is_taken_whole_or_not_at_all() -> None:
    """One bad bet among good ones refuses the slip; an empty list of wagers stakes nothing."""
    assert refused(read_slip(venue(US), "1 on red; 1 on 0/3; 1 on black")).code is Code.SPOT_NOT_ON_LAYOUT
    assert slip_bets(venue(US), []) == ()


@pytest.mark.clause(US, "Placement 5")
@pytest.mark.parametrize(
    ("slip", "code"),
    [
        ("0.99 on {}", Code.STAKE_UNDER_MINIMUM),
        ("1 on {}", None),
        ("4 on {}", None),
        ("4.01 on {}", Code.STAKE_OVER_MAXIMUM),
        ("0.50 on {0}; 0.49 on {0}", Code.STAKE_UNDER_MINIMUM),
        ("0.50 on {0}; 0.50 on {0}", None),
        ("2 on {0}; 2 on {0}", None),
        ("2 on {0}; 2.01 on {0}", Code.STAKE_OVER_MAXIMUM),
        ("1 on {0}; 1 on {0}; 1 on {0}; 1 on {0}; 0.01 on {0}", Code.STAKE_OVER_MAXIMUM),
    ],
)
def test_one_to_four_dollars_on_every_spot(slip: str, code: Code | None) -> None:
    """At the US table every spot takes $1 to $4, and all that a slip lays on one spot is counted together."""
    us = venue(US)
    for key in us.spots:
        answer = read_slip(us, slip.format(key))
        assert (answer.code if isinstance(answer, Refusal) else None) == code


@pytest.mark.clause(US, "Types 2")
@pytest.mark.parametrize("name", ["courtesy-line", "Courtesy Line", "courtesy  line"])
def test_courtesy_line_is_the_split_of_both_zeros(name: str) -> None:
    """A bet on the courtesy line is the bet on 0/00: one spot, one limit."""
    us = venue(US)
    assert read_slip(us, f"2 on {name}") == read_slip(us, "2 on 0/00")
    bets = read_slip(us, f"2 on {name}; 2 on 00/0")
    assert not isinstance(bets, Refusal)
    assert stacks(bets) == {us.spots[SpotKey("0/00")]: 400}
    refusal = refused(read_slip(us, f"2 on {name}; 2.01 on 0/00"))
    assert (refusal.code, refusal.facts["spot"]) == (Code.STAKE_OVER_MAXIMUM, "0/00")


@pytest.mark.parametrize("place", [ADELAIDE, CLEARWATER, MARINA, US])
@pytest.mark.parametrize("name", ["twenty", "twenty 5", "seventeen by 2", "rouge", "first dozen"])
def test_unknown_name_is_an_unknown_spot(place: str, name: str) -> None:
    """A name that is neither a spot nor a call of the game is refused as an unknown spot, by no clause."""
    for answer in (read_slip(venue(place), f"1 on {name}"), expand_call(venue(place), name)):
        refusal = refused(answer)
        assert (refusal.code, refusal.clause) == (Code.UNKNOWN_SPOT, None)


def test_names_of_every_venue_are_known() -> None:
    """Each call that one of the rulebooks offers is known as a call at the others."""
    named = {name for place in (ADELAIDE, CLEARWATER, MARINA, US) for name in venue(place).call_names}
    assert named <= GAME_CALLS
    for place, name in product((ADELAIDE, CLEARWATER, MARINA, US), named):
        answer = read_slip(venue(place), f"1 on {name} 5")
        assert not isinstance(answer, Refusal) or answer.code is not Code.UNKNOWN_SPOT


@pytest.mark.parametrize(
    ("place", "text", "profile", "clause", "offered"),
    [
        (ADELAIDE, "neighbours 22", "terminal", "6(n)", ()),
        (ADELAIDE, "voisins", "table", "6(a)", ("neighbours",)),
        (MARINA, "finale 5", "rapid-select-single-game", "App. I (heading)", RAPID_SELECT_CALLS),
    ],
)
def test_profile_offers_only_its_calls(
    place: str, text: str, profile: str, clause: str, offered: tuple[str, ...]
) -> None:
    """A call that a terminal or table does not offer is refused by the clause on that terminal or table."""
    for answer in (read_slip(venue(place), f"5 on {text}", profile), expand_call(venue(place), text, profile)):
        refusal = refused(answer)
        assert (refusal.code, refusal.clause) == (Code.CALL_NOT_OFFERED, clause)
        assert refusal.facts == {"call": text, "offered": offered}


@pytest.mark.clause(ADELAIDE, "4 (Diagram 4)")
@pytest.mark.parametrize(
    ("profile", "clause"), [("terminal", "4 (Diagram 4)"), ("table", "3 (Diagram 3)"), (None, "3 (Diagram 3)")]
)
def test_terminal_cites_its_own_layout(profile: str | None, clause: str) -> None:
    """A spot that is not on the layout is refused by the terminal's diagram on a terminal, by the table's elsewhere."""
    refusal = refused(read_slip(venue(ADELAIDE), "5 on 0/00", profile))
    assert (refusal.code, refusal.clause) == (Code.SPOT_NOT_ON_LAYOUT, clause)


@pytest.mark.clause(MARINA, "3.5")
@pytest.mark.clause(MARINA, "App. I (heading)")
def test_rapid_select_terminal_offers_its_five_calls() -> None:
    """The Rapid Select terminal takes its five short cuts, by any of their names, and spots as anywhere."""
    for text in ("zero spiel", "grand series", "orphans", "tiers", "neighbours 22"):
        assert isinstance(expand_call(venue(MARINA), text, "rapid-select-single-game"), Expansion)
    assert isinstance(read_slip(venue(MARINA), "5 on 17; 5 on tiers", "rapid-select-single-game"), tuple)
    assert isinstance(expand_call(venue(MARINA), "finale 5"), Expansion)


@pytest.mark.parametrize(
    ("place", "known"),
    [(ADELAIDE, ("table", "terminal")), (CLEARWATER, ()), (MARINA, ("rapid-select-single-game",)), (US, ())],
)
def test_unknown_profile_is_refused(place: str, known: tuple[str, ...]) -> None:
    """A profile that a venue does not have is refused, and those it has are named."""
    for answer in (read_slip(venue(place), "1 on red", "cellar"), expand_call(venue(place), "finale 5", "cellar")):
        refusal = refused(answer)
        assert (refusal.code, refusal.clause) == (Code.UNKNOWN_PROFILE, None)
        assert refusal.facts == {"profile": "cellar", "known": known}
        assert refusal.message == f"There is no profile 'cellar' here; there is {', '.join(known) or 'none'}."


def test_call_with_an_amount_keeps_to_the_limits() -> None:
    """A call taken apart with an amount is held to the document's limits; without one it is only taken apart."""
    clearwater = replace(venue(CLEARWATER), limits=venue(US).limits)
    assert refused(expand_call(clearwater, "5 on red-splits")).code is Code.STAKE_OVER_MAXIMUM
    assert isinstance(expand_call(clearwater, "4 on red-splits"), Expansion)
    assert isinstance(expand_call(clearwater, "red-splits"), Expansion)


@pytest.mark.clause(ADELAIDE, "12(a)")
def test_fifths_of_a_marker_bet_have_no_minimum_of_their_own() -> None:
    """A marker bet's minimum is on its total: its fifths are held to the spot's maximum alone, with what lies there."""
    limits = Limits(ClauseId("6(k)"), ClauseId("12(f)"), Range(Cents(500), Cents(1_000)))
    adelaide = replace(venue(ADELAIDE), limits=limits)
    assert not isinstance(read_slip(adelaide, "10 on neighbours 0; 5 on 0"), Refusal)
    assert refused(read_slip(adelaide, "10 on neighbours 0; 3 on 0")).code is Code.STAKE_UNDER_MINIMUM
    assert refused(read_slip(adelaide, "30 on neighbours 0; 5 on 0")).facts == {
        "spot": "0",
        "stake": 1_100,
        "maximum": 1_000,
    }


@pytest.mark.clause(ADELAIDE, "6(j)")
@pytest.mark.parametrize("cents", range(1, 31))
def test_marker_bet_is_a_multiple_of_five_cents(cents: int) -> None:
    """A marker bet is taken exactly when its total has a fifth in whole cents, and each number gets that fifth."""
    adelaide = venue(ADELAIDE)
    wagers = [NotationBet(Cents(cents), CallSelection("neighbours", "22"))]
    if cents % 5:
        with pytest.raises(Refused) as raised:
            slip_bets(adelaide, wagers)
        assert raised.value.refusal.code is Code.MARKER_TOTAL_INDIVISIBLE
    else:
        answer = slip_bets(adelaide, wagers)
        spots = (adelaide.spots[SpotKey(key)] for key in ("31", "9", "22", "18", "29"))
        assert answer == tuple(Bet(spot, Cents(cents // 5), "neighbours 22", under_marker=True) for spot in spots)


@pytest.mark.parametrize(
    ("place", "text", "call", "chips", "cost"),
    [
        (ADELAIDE, "neighbors 22", "neighbours 22", 5, 500),
        (ADELAIDE, "0.25 on neighbours 0 by 2", "neighbours 0 by 2", 5, 25),
        (CLEARWATER, "neighbours 22", "neighbours 22", 5, 500),
        (CLEARWATER, "2 on neighbors 22 by 4", "neighbours 22 by 4", 9, 1_800),
        (CLEARWATER, "finals 0", "finale 0", 5, 500),
        (CLEARWATER, "complete 17", "complete 17", 9, 900),
        (CLEARWATER, "0.50 on red-snake", "red-snake", 12, 600),
        (MARINA, "Grand Series", "voisins", 10, 1_000),
        (MARINA, "3 on 0-spiel", "zero-spiel", 5, 1_500),
    ],
)
def test_call_is_taken_apart(place: str, text: str, call: str, chips: int, cost: int) -> None:
    """A call, by any of its names and with or without an amount, tells its own name, its chips and its cost."""
    expansion = expand_call(venue(place), text)
    assert isinstance(expansion, Expansion)
    assert (expansion.call, expansion.chips, expansion.cost) == (call, chips, cost)
    assert {bet.call for bet in expansion.bets} == {call}


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("neighbours 22 ; ", Code.MALFORMED),
        ("red", Code.MALFORMED),
        ("voisins 5 by 9", Code.CALL_NOT_OFFERED),
        ("neighbours 00 by 9", Code.CALL_ARGUMENT),
        ("0.01 on neighbours 22 by 9", Code.NEIGHBOURS_REACH),
        ("0.01 on neighbours 22", Code.MARKER_TOTAL_INDIVISIBLE),
    ],
)
def test_call_that_cannot_be_taken_apart_is_refused(text: str, code: Code) -> None:
    """A call on its own is refused as it would be in a slip, the first wrong thing first."""
    assert refused(expand_call(venue(ADELAIDE), text)).code is code


@pytest.mark.parametrize("key", ["column 1", "dozen 2", "red"])
def test_outside_bet_without_a_price_is_not_priced(key: str) -> None:
    """An outside bet that a venue does not price is refused as such, by the paytable's clause."""
    us = venue(US)
    unpriced = {SpotKind("column"), SpotKind("dozen"), SpotKind("red")}
    prices = {kind: price for kind, price in us.paytable.prices.items() if kind not in unpriced}
    with pytest.raises(Refused) as raised:
        find_spot(replace(us, paytable=replace(us.paytable, prices=prices)), SpotKey(key))
    refusal = raised.value.refusal
    assert (refusal.code, refusal.clause) == (Code.KIND_NOT_PRICED, "Rotation (4)")
    assert refusal.message == f"No price is set for {key} here, so it cannot be bet."


@pytest.mark.parametrize(
    ("place", "text", "clause", "zeros"),
    [
        (ADELAIDE, "00", "1 (Diagram 1)", "0"),
        (ADELAIDE, "37", "1 (Diagram 1)", "0"),
        (CLEARWATER, "000", "1", "0, 00"),
        (MARINA, "red", "3.8", "0, 00"),
        (US, "", "Rotation (3)", "0, 00"),
        (US, "017", "Rotation (3)", "0, 00"),
        (US, "-1", "Rotation (3)", "0, 00"),
        (US, " 17", "Rotation (3)", "0, 00"),
        (US, "1\x00", "Rotation (3)", "0, 00"),
    ],
)
def test_what_is_not_a_pocket_is_no_result(place: str, text: str, clause: str, zeros: str) -> None:
    """A result that is not a pocket of the venue's wheel, to the letter, is refused and the wheel is described."""
    says = f"{text!r} is not a pocket of this wheel, which has {zeros}, 1 to 36."
    expected = Refusal(Code.POCKET_NOT_ON_WHEEL, ClauseId(clause), says, {"pocket": text})
    with pytest.raises(Refused) as raised:
        read_pocket(venue(place), text)
    assert raised.value.refusal == expected


def test_every_pocket_is_a_result(rulebook: Rulebook) -> None:
    """Every pocket of a venue's wheel, as it is printed, is read as a result."""
    assert tuple(read_pocket(rulebook, pocket) for pocket in rulebook.wheel.order) == rulebook.wheel.order
