"""What is true at Clearwater of every copy, every recalled pattern and every pair of opposite bets."""

from collections import Counter

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from croupier.house.ids import DeviceId, TableId, TerminalId
from croupier.house.play.betting import ClearBets, PlaceBets
from croupier.house.play.copying import CopyBets, SetAutoCopy
from croupier.house.play.patterns import ConfirmRecall, RecallPattern, SavePattern, reduced
from croupier.house.rounds.closing import CloseBets
from croupier.house.rounds.opening import OpenBets
from croupier.house.rounds.spinning import SpinBall
from croupier.house.settings import LimitBounds, LimitSettings, TableSettings, TerminalSettings
from croupier.rules.geometry import SpotKey
from croupier.rules.money import Cents
from croupier.rules.pricing import Bet, exposure_of
from croupier.rules.refusal import Code, Refusal
from tests.support.house_driver import TABLE, Play, cents, refused, sound

pytestmark = pytest.mark.property

VENUE = "clearwater-etg"
LEFT, RIGHT = TABLE, TableId("table 2")
T1 = TerminalId("T1")
SPOTS = [SpotKey(spot) for spot in ("red", "black", "odd", "17", "20", "0/00", "dozen 1", "dozen 2", "1/2/4/5", "00")]
LAYOUTS = st.dictionaries(st.sampled_from(SPOTS), st.integers(1, 40), max_size=6)
#: The most on a spot and in all, in dollars, of the game that is copied to; None where there is no such limit.
MOSTS = st.none() | st.integers(10, 120)


def copying(
    left: dict[SpotKey, int], right: dict[SpotKey, int], credit: int, most: tuple[int | None, int | None]
) -> Play:
    """Find layouts on both games of T1, as far as they are allowed, and so much credit beside them."""
    spot, total = (None if each is None else cents(each) for each in most)
    right_limits = LimitSettings(LimitBounds(most=spot), total=LimitBounds(most=total))
    play = Play(VENUE, TableSettings(), TableSettings(limits=right_limits))
    staked = sum(left.values()) + sum(right.values())
    play.seat("T1", 100 * (credit + staked), tables=(LEFT, RIGHT))
    for table, layout in ((LEFT, left), (RIGHT, right)):
        play.must(OpenBets(table))
        for key, stake in layout.items():
            play.bet("T1", f"{stake} on {key}", table)
    return play


@pytest.mark.clause("clearwater-etg", "12.b")
@pytest.mark.clause("clearwater-etg", "12.c")
@given(left=LAYOUTS, right=LAYOUTS, credit=st.integers(0, 80), most=st.tuples(MOSTS, MOSTS))
def test_copy_takes_the_larger_stake_or_changes_nothing(
    left: dict[SpotKey, int], right: dict[SpotKey, int], credit: int, most: tuple[int | None, int | None]
) -> None:
    """A copy never lowers a stake, never stacks and never overdraws, and a second one changes nothing."""
    play = copying(left, right, credit, most)
    source, target, meter = play.layout("T1", LEFT), play.layout("T1", RIGHT), play.credit("T1")
    answer = play.touch("T1", CopyBets, LEFT, table=RIGHT)

    larger = {spot: max(source.get(spot, 0), target.get(spot, 0)) for spot in source | target}
    cost = sum(larger.values()) - sum(target.values())
    after = play.layout("T1", RIGHT)
    assert after == (target if isinstance(answer, Refusal) else larger)
    assert play.credit("T1") == meter - (0 if isinstance(answer, Refusal) else cost)
    assert play.layout("T1", LEFT) == source
    if cost > meter:
        assert isinstance(answer, Refusal)
    again = play.touch("T1", CopyBets, LEFT, table=RIGHT)
    assert again == (answer if isinstance(answer, Refusal) else ())
    assert play.layout("T1", RIGHT) == after
    sound(play.house)


@pytest.mark.clause("clearwater-etg", "12.b")
@given(left=LAYOUTS, right=LAYOUTS, credit=st.integers(0, 80), most=st.tuples(MOSTS, MOSTS))
def test_auto_copy_does_at_the_close_what_the_arrow_does(
    left: dict[SpotKey, int], right: dict[SpotKey, int], credit: int, most: tuple[int | None, int | None]
) -> None:
    """At the close of a game auto copy leaves the other as a press of the arrow would have left it."""
    by_hand, by_itself = (copying(left, right, credit, most) for _ in range(2))
    by_hand.touch("T1", CopyBets, LEFT, table=RIGHT)
    by_itself.must(SetAutoCopy(T1, LEFT, RIGHT, on=True), DeviceId(T1))
    by_itself.by("attendant", SpinBall(LEFT))
    by_itself.must(CloseBets(LEFT))

    assert by_itself.layout("T1", RIGHT) == by_hand.layout("T1", RIGHT)
    assert by_itself.credit("T1") == by_hand.credit("T1")
    sound(by_itself.house)


@pytest.mark.clause("clearwater-etg", "13.a")
@given(chips=st.lists(st.tuples(st.sampled_from(SPOTS), st.integers(1, 40)), min_size=1, max_size=9))
def test_chip_is_refused_exactly_where_the_whole_layout_has_too_little_risk(chips: list[tuple[SpotKey, int]]) -> None:
    """Chip by chip, the house says what the rules say of all that would then lie there, in the same words."""
    play = Play(VENUE)
    play.seat("T1", cents(1_000), TerminalSettings(denominations=(cents(1),)))
    play.open()
    book, lies = play.rulebook, Counter[SpotKey]()
    assert book.risk is not None
    for spot, stake in chips:
        wanted = lies + Counter({spot: cents(stake)})
        bets = [Bet(book.spots[each], Cents(amount)) for each, amount in wanted.items()]
        refusal = book.risk.objection(exposure_of(bets, book.paytable, book.wheel), credit=cents(1))
        answer = play.bet("T1", f"{stake} on {spot}")
        assert (answer if isinstance(answer, Refusal) else None) == refusal
        lies = lies if refusal else wanted


PATTERNS = st.dictionaries(st.sampled_from(SPOTS), st.integers(1, 30), min_size=1, max_size=6)
CHIPS = st.lists(st.sampled_from([1, 2, 5, 10, 25, 100]), min_size=1, max_size=4, unique=True).map(tuple)


@pytest.mark.clause("clearwater-etg", "19.e")
@given(pattern=PATTERNS, times=st.integers(1, 10), chips=CHIPS, available=st.integers(0, 2_000))
def test_reduced_pattern_keeps_its_proportions_and_fits(
    pattern: dict[SpotKey, int], times: int, chips: tuple[int, ...], available: int
) -> None:
    """A pattern is placed as it is where the credits suffice, and else in the same proportions with a smaller chip."""
    pattern = {spot: stake * times for spot, stake in pattern.items()}
    found, total = reduced(pattern, available, chips), sum(pattern.values())

    if found is None:
        assert total > available
        return
    placed = sum(found.values())
    assert (set(found), placed <= available) == (set(pattern), True)
    assert all(found[spot] * total == pattern[spot] * placed for spot in pattern)
    assert (placed == total) == (total <= available)


@pytest.mark.clause("clearwater-etg", "19.d")
@pytest.mark.clause("clearwater-etg", "19.e")
@given(pattern=PATTERNS, times=st.integers(1, 5), chips=CHIPS, spare=st.integers(0, 400))
def test_recalled_pattern_costs_what_its_ghosts_show(
    pattern: dict[SpotKey, int], times: int, chips: tuple[int, ...], spare: int
) -> None:
    """Ghost chips are within the credits and cost nothing; confirmed, they are added whole or not at all."""
    play = Play(VENUE)
    total = sum(pattern.values()) * times
    play.seat("T1", cents(total + spare), TerminalSettings(denominations=(cents(1),), chips=chips))
    play.open()
    slip = "; ".join(f"{stake * times} on {spot}" for spot, stake in pattern.items())
    assume(isinstance(play.bet("T1", slip), tuple))
    play.touch("T1", SavePattern, 1)
    recalled = play.touch("T1", RecallPattern, 1)
    assert play.credit("T1") == spare
    if isinstance(recalled, Refusal):
        assert refused(recalled) == (Code.CREDIT_SHORT, "19.e")
        return

    before, ghost = play.layout("T1"), play.house.terminals[T1].ghost
    assert ghost is not None
    cost = sum(stake for _, stake in ghost.stakes) / 100
    assert 0 < cost <= spare
    confirmed = play.touch("T1", ConfirmRecall)
    if isinstance(confirmed, Refusal):
        assert (play.layout("T1"), play.credit("T1")) == (before, spare)
    else:
        assert play.layout("T1") == {spot: before[spot] + stake / 100 for spot, stake in ghost.stakes}
        assert play.credit("T1") == spare - cost
    sound(play.house)


OPPOSITES = [("red", "black"), ("odd", "even"), ("low", "high")]


@pytest.mark.clause("clearwater-etg", "13")
@pytest.mark.clause("clearwater-etg", "13.a")
@given(
    amount=st.integers(1, 1_000_000),
    pair=st.sampled_from(OPPOSITES),
    denomination=st.sampled_from([1, 5, 25, 50, 100, 500]),
    turned=st.booleans(),
)
def test_equal_opposite_bets_are_never_allowed(
    *, amount: int, pair: tuple[str, str], denomination: int, turned: bool
) -> None:
    """Red and black of the same amount, like odd and even or low and high, are refused whatever the amount."""
    first, second = reversed(pair) if turned else pair
    stake = amount * denomination
    play = Play(VENUE)
    play.seat("T1", 4 * stake, TerminalSettings(denominations=(Cents(denomination),)))
    play.open()
    play.touch("T1", PlaceBets, ((first, stake),))
    answer = play.touch("T1", PlaceBets, ((second, stake),))

    assert refused(answer) == (Code.TOO_LITTLE_RISK, "13.a")
    assert play.house.terminals[T1].credit == 3 * stake
    play.touch("T1", ClearBets)
    assert refused(play.touch("T1", PlaceBets, ((second, stake), (first, stake)))) == (Code.TOO_LITTLE_RISK, "13.a")
    sound(play.house)
