"""Properties searched for a counter-example: settlement, calls, the notation and exposure."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from croupier.rules.calls import CallBet, CallKind, CallSelection, every_call
from croupier.rules.geometry import POCKETS, Pocket, SpotKey, inside_key
from croupier.rules.money import Cents, amount_text, cents_of
from croupier.rules.notation import (
    MalformedError,
    NotationBet,
    expand_call,
    parse_call,
    parse_slip,
    print_slip,
    read_slip,
)
from croupier.rules.pricing import Bet, Settlement, exposure_of, settle_bets, staked
from croupier.rules.refusal import Code, Refusal, Refused
from croupier.rules.rulebook import Expansion, Rulebook, find_profile
from tests.conftest import DOCUMENTS, OUTSIDE, venue

pytestmark = pytest.mark.untraced

VENUES = tuple(venue(rulebook_id) for rulebook_id in DOCUMENTS)
#: The most that the notation can write: twelve figures before the point and two after it.
AMOUNT_MAX = 10**14 - 1

Placed = tuple[Rulebook, tuple[Bet, ...]]

venues = st.sampled_from(VENUES)
amounts = st.integers(1, AMOUNT_MAX).map(Cents)


@st.composite
def bets_at(draw: st.DrawFn, rulebook: Rulebook, stake_most: int = AMOUNT_MAX) -> tuple[Bet, ...]:
    """Draw some bets on the spots of a venue, often several on one spot."""
    spots = st.sampled_from(list(rulebook.spots.values()))
    stakes = st.integers(1, stake_most).map(Cents)
    return tuple(draw(st.lists(st.builds(Bet, spots, stakes), max_size=12)))


@st.composite
def placed(draw: st.DrawFn, stake_most: int = AMOUNT_MAX) -> Placed:
    """Draw a venue and some bets on its layout."""
    rulebook = draw(venues)
    return rulebook, draw(bets_at(rulebook, stake_most))


def settle(table: Placed, pocket: Pocket) -> Settlement:
    rulebook, bets = table
    return settle_bets(bets, rulebook.paytable, pocket)


@pytest.mark.property
@given(placed(), st.integers(2, 1_000), st.data())
def test_settlement_is_linear_in_the_stakes(table: Placed, times: int, data: st.DataObject) -> None:
    """Stakes raised so many times over bring back so many times as much, bet by bet, for the same reasons."""
    rulebook, bets = table
    pocket = data.draw(st.sampled_from(rulebook.pockets))
    once = settle(table, pocket)
    raised = settle((rulebook, tuple(replace(bet, stake=Cents(times * bet.stake)) for bet in bets)), pocket)
    assert (raised.staked, raised.returned, raised.net) == (
        times * once.staked,
        times * once.returned,
        times * once.net,
    )
    assert [each.clause for each in raised.bets] == [each.clause for each in once.bets]


@pytest.mark.property
@given(venues, st.data())
def test_slips_settle_together_as_they_settle_apart(rulebook: Rulebook, data: st.DataObject) -> None:
    """Two slips in one bring back what they bring back one by one."""
    one, other = data.draw(bets_at(rulebook)), data.draw(bets_at(rulebook))
    pocket = data.draw(st.sampled_from(rulebook.pockets))
    together = settle((rulebook, one + other), pocket)
    apart = settle((rulebook, one), pocket), settle((rulebook, other), pocket)
    assert together.bets == apart[0].bets + apart[1].bets
    assert together.returned == apart[0].returned + apart[1].returned
    assert together.net == apart[0].net + apart[1].net


@pytest.mark.property
@given(placed(), st.data())
def test_settlement_is_blind_to_order(table: Placed, data: st.DataObject) -> None:
    """Bets bring back the same, each of them and all together, in whatever order they were placed."""
    rulebook, bets = table
    pocket = data.draw(st.sampled_from(rulebook.pockets))
    shuffled = tuple(data.draw(st.permutations(bets)))
    here, there = settle(table, pocket), settle((rulebook, shuffled), pocket)
    assert Counter(here.bets) == Counter(there.bets)
    assert here.returned == there.returned


@pytest.mark.property
@given(placed())
def test_exposure_agrees_with_settling_on_each_pocket(table: Placed) -> None:
    """What exposure foretells for a pocket is what settling there brings back; best and worst are its bounds."""
    rulebook, bets = table
    exposure = exposure_of(bets, rulebook.paytable, rulebook.wheel)
    returns = {pocket: settle(table, pocket).returned for pocket in rulebook.pockets}
    assert exposure.returns == returns
    assert exposure.staked == staked(bets)
    assert (exposure.best, exposure.worst) == (max(returns.values()), min(returns.values()))
    assert set(exposure.where(exposure.best)) == {pocket for pocket in returns if returns[pocket] == exposure.best}


def conserved(rulebook: Rulebook, call: CallBet, called: CallSelection, amount: int) -> None:
    """Take a call apart: every piece is whole, and together they cost what was said."""
    marker = call.kind is CallKind.MARKER
    said = Cents(5 * amount if marker else amount)
    expansion = expand_call(rulebook, f"{amount_text(said)} on {called}")
    assert isinstance(expansion, Expansion)
    assert expansion.cost == sum(bet.stake for bet in expansion.bets)
    assert expansion.cost == (said if marker else expansion.chips * amount)
    assert all(bet.stake > 0 and bet.stake % amount == 0 for bet in expansion.bets)


EVERY_CALL = [(book, call, called) for book in VENUES for call in book.calls for called in every_call(call, book.wheel)]


@pytest.mark.property
@given(st.sampled_from(EVERY_CALL), st.integers(1, AMOUNT_MAX // 5))
def test_call_conserves_its_cost(said: tuple[Rulebook, CallBet, CallSelection], amount: int) -> None:
    """A call costs its chips times the amount, or its total under a marker, and not a cent is lost."""
    conserved(*said, amount)


@pytest.mark.property
@pytest.mark.parametrize("amount", [1, 100, AMOUNT_MAX // 5])
def test_every_call_conserves_its_cost(amount: int) -> None:
    """Every call of every venue, with every number and reach, conserves its cost from a cent to the most there is."""
    for said in EVERY_CALL:
        conserved(*said, amount)


names = st.from_regex(r"([0-9]{1,3}-){0,2}[0-9]{0,2}[a-z][a-z0-9]{0,8}(-[a-z0-9]{1,5}){0,3}", fullmatch=True)
numbers = st.just("") | st.sampled_from(POCKETS)
inside = st.lists(st.sampled_from(POCKETS), min_size=1, max_size=38, unique=True).map(inside_key)
outside = st.sampled_from([*OUTSIDE])
calls = st.builds(
    CallSelection,
    names.filter(lambda name: name not in ("column", "dozen", *OUTSIDE)),
    numbers,
    st.none() | st.integers(1, 99),
)
wagers: st.SearchStrategy[NotationBet] = st.builds(NotationBet, amounts, inside | outside | calls)
slips = st.lists(wagers, min_size=1, max_size=6).map(tuple)


@pytest.mark.property
@given(slips)
def test_notation_comes_round(slip: tuple[NotationBet, ...]) -> None:
    """What is printed is read back as what it was, and printed again in the same words."""
    text = print_slip(slip)
    assert parse_slip(text) == slip
    assert print_slip(parse_slip(text)) == text


@pytest.mark.property
@given(calls, amounts)
def test_call_comes_round(called: CallSelection, amount: Cents) -> None:
    """A call printed on its own, or with an amount, is read back as what it was."""
    assert parse_call(str(called)) == called
    assert parse_call(str(NotationBet(amount, called))) == NotationBet(amount, called)


@pytest.mark.property
@given(amounts)
def test_amount_comes_round(amount: Cents) -> None:
    """An amount printed is read back to the cent."""
    assert cents_of(amount_text(amount)) == amount


# Whatever is typed: any characters at all, surrogates and nulls among them; figures of other scripts; words of the
# notation in any order; and good slips with a piece cut out, put in or put elsewhere.
anything = st.text(st.characters(exclude_categories=()))
figures = st.text(st.characters(categories=("Nd", "Nl", "No")), min_size=1) | st.integers(0, 10**400).map(str)
words = st.sampled_from(
    ["5", "0.05", "on", "by", "17", "00", "/", ";", "column", "red", "neighbours", "finale", "courtesy", "line", "end"]
)
soup = st.builds(
    lambda pieces, space: space.join(pieces), st.lists(words | figures, max_size=12), st.sampled_from(["", " ", "\n"])
)


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """Draw a good slip and spoil it: put something in place of a stretch of it."""
    text = print_slip(draw(slips))
    start = draw(st.integers(0, len(text)))
    end = draw(st.integers(start, min(len(text), start + 8)))
    return text[:start] + draw(st.just("") | words | figures | anything) + text[end:]


@st.composite
def respelt(draw: st.DrawFn) -> tuple[str, tuple[NotationBet, ...]]:
    """Draw a slip and write it with other spaces and capitals, and noughts before its amounts."""
    slip = draw(slips)
    pieces = [f"{'0' * draw(st.integers(0, 1))}{wager}" if wager.amount < 10**13 else str(wager) for wager in slip]
    text = ";".join(pieces).replace("/", " / ").replace(";", " ; ")
    tokens = [token.upper() if draw(st.booleans()) else token for token in text.split(" ")]
    return "".join(token + draw(st.sampled_from([" ", "  ", "\t", "\n", "\u2003"])) for token in tokens), slip


texts = anything | figures | soup | mutated()

LONG = [
    "9" * 5_000 + " on red",
    "5." + "0" * 5_000 + " on red",
    "5 on " + "9" * 5_000,
    "5 on neighbours 22 by " + "9" * 5_000,
    "5 on neighbours " + "2" * 5_000,
    "5 on " + "a" * 20_000,
    "5 on " + "a-" * 10_000,
    "5 on " + "1-" * 10_000,
    "5 on " + "a " * 10_000,
    "5 on " + "1/" * 10_000,
    "1 on red;" * 2_000,
    "1 on red" + ";1 on red" * 2_000,
    " " * 20_000,
    "\x00" * 20_000,
]


def complaint(parse: Callable[[str], object], text: str) -> MalformedError | None:
    """Read a text, and give back what is said against it."""
    try:
        parse(text)
    except MalformedError as error:
        return error
    return None


def pointed(text: str) -> None:
    """Read a text as a slip and as a call: each is read, or complains of a place in the text."""
    for error in (complaint(parse_slip, text), complaint(parse_call, text)):
        if error is not None:
            assert 0 <= error.at <= len(text)
            assert error.text == text
            assert error.message


def answered(rulebook: Rulebook, text: str, profile: str | None) -> None:
    """Hand a text in as a slip and as a call: each is taken or refused, and a refusal has its code and words."""
    for answer in (read_slip(rulebook, text, profile), expand_call(rulebook, text, profile)):
        if isinstance(answer, Refusal):
            assert answer.message
            assert (answer.clause is None) == (answer.code in (Code.MALFORMED, Code.UNKNOWN_PROFILE, Code.UNKNOWN_SPOT))
        else:
            assert all(bet.stake > 0 for bet in (answer.bets if isinstance(answer, Expansion) else answer))


@pytest.mark.property
@given(texts)
def test_no_text_breaks_the_reader(text: str) -> None:
    """Whatever is written is read, or refused as malformed at a place within it; nothing else happens."""
    pointed(text)


@pytest.mark.property
@given(venues, texts, st.none() | st.sampled_from(["table", "terminal", "rapid-select-single-game"]) | anything)
def test_no_text_breaks_a_venue(rulebook: Rulebook, text: str, profile: str | None) -> None:
    """Whatever is handed in, at whatever terminal, is taken or refused; nothing is raised."""
    answered(rulebook, text, profile)


@pytest.mark.property
@pytest.mark.parametrize("text", LONG, ids=range(len(LONG)))
def test_long_text_breaks_nothing(text: str) -> None:
    """Texts of many thousand characters are read or refused like any other."""
    pointed(text)
    for rulebook in VENUES:
        answered(rulebook, text, None)


@pytest.mark.property
@given(respelt())
def test_slip_is_the_same_however_it_is_spelt(spelt: tuple[str, tuple[NotationBet, ...]]) -> None:
    """Capitals, spaces and leading noughts make no difference to what a slip says."""
    text, slip = spelt
    assert parse_slip(text) == slip


@pytest.mark.property
@given(venues, st.none() | anything)
def test_profile_is_found_or_refused(rulebook: Rulebook, wanted: str | None) -> None:
    """A profile is the venue's own, or refused; without one there is no restriction."""
    known = {profile.id: profile for profile in rulebook.profiles}
    if wanted is None:
        assert find_profile(rulebook, wanted) is None
    elif wanted in known:
        assert find_profile(rulebook, wanted) == known[wanted]
    else:
        with pytest.raises(Refused) as raised:
            find_profile(rulebook, wanted)
        assert raised.value.refusal.code is Code.UNKNOWN_PROFILE


@pytest.mark.property
@given(venues, st.data())
def test_numbers_are_read_in_any_order(rulebook: Rulebook, data: st.DataObject) -> None:
    """An inside bet is the same spot in whatever order its numbers are written."""
    spot = data.draw(st.sampled_from([spot for spot in rulebook.spots.values() if spot.key not in OUTSIDE]))
    written = "/".join(data.draw(st.permutations(spot.numbers)))
    assert parse_slip(f"1 on {written}") == (NotationBet(Cents(100), SpotKey(spot.key)),)
