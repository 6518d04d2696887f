"""Clearwater, clause by clause: the numbers that each clause of its rules comes to."""

import shutil
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import pytest

import croupier.rulebooks
from croupier.rulebooks.loader import load_rulebook
from croupier.rules.geometry import COMMON_KINDS, Colour, Pocket, SpotKind
from croupier.rules.limits import Limits, Range, RiskCheck, limit_objections
from croupier.rules.money import Cents
from croupier.rules.notation import read_pocket
from croupier.rules.pricing import exposure_of, spot_edge
from croupier.rules.procedure import CloseRule, Effect, MessageKind, Spin, TaxBasis, assess_spin
from croupier.rules.refusal import ClauseId, Code, Refusal, Refused
from croupier.rules.rulebook import Rulebook
from tests.conftest import venue
from tests.support.rules_driver import RulesDriver

VENUE = "clearwater-etg"
RULES = RulesDriver(VENUE)
row, placed, settled, called = RULES.row, RULES.placed, RULES.settled, RULES.called
EDGE = Fraction(1, 19)  # 38 pockets, paid as if 36
CREDIT = Cents(100)


@pytest.mark.clause("clearwater-etg", "1")
def test_wheel_has_38_pockets() -> None:
    """The wheel has 38 different pockets: 36 numbers, one zero and one double zero."""
    wheel = venue(VENUE).wheel
    order = wheel.order
    assert len(order) == len(set(order)) == 38
    assert set(order) == {"0", "00", *map(str, range(1, 37))}


@pytest.mark.clause("clearwater-etg", "1")
def test_wheel_of_37_pockets_is_refused(tmp_path: Path) -> None:
    """Clearwater's rules with a wheel of 37 pockets are no consistent rulebook."""
    folder = shutil.copytree(Path(croupier.rulebooks.__file__).parent / VENUE, tmp_path / VENUE)
    assert isinstance(load_rulebook(str(folder)), Rulebook)
    other = shutil.copytree(folder, tmp_path / "other")
    rules = other / "rulebook.toml"
    rules.write_text(rules.read_text("utf-8").replace('wheel = "american"', 'wheel = "european"'), "utf-8")
    refusal = load_rulebook(str(other))
    assert isinstance(refusal, Refusal)
    assert refusal.code is Code.RULEBOOK_INCONSISTENT


@pytest.mark.clause("clearwater-etg", "2")
def test_numbers_are_staggered_in_alternating_colours() -> None:
    """No two pockets side by side share a colour, and the numbers are not in order."""
    wheel = venue(VENUE).wheel
    order = wheel.order
    assert all(wheel.colour(one) is not wheel.colour(next_to_it) for one, next_to_it in pairwise((*order, order[0])))
    assert {pocket for pocket in order if wheel.colour(pocket) is Colour.GREEN} == {"0", "00"}
    assert order != venue(VENUE).pockets


@pytest.mark.parametrize("text", ["37", "000", "red", ""])
@pytest.mark.clause("clearwater-etg", "3")
def test_ball_falls_into_one_of_the_38_pockets(text: str) -> None:
    """00 is a result and 37 is not."""
    assert read_pocket(venue(VENUE), "00") == "00"
    with pytest.raises(Refused) as raised:
        read_pocket(venue(VENUE), text)
    assert raised.value.refusal.code is Code.POCKET_NOT_ON_WHEEL


def risk_of(slip: str) -> tuple[int, int, Refusal | None]:
    """Give the margin of the best outcome above the total bet, the least margin, and the objection if any."""
    risk, bets = venue(VENUE).risk, placed(slip)
    assert isinstance(risk, RiskCheck)
    exposure = exposure_of(bets, venue(VENUE).paytable, venue(VENUE).wheel)
    threshold = risk.threshold(exposure.staked, credit=CREDIT)
    return exposure.best - exposure.staked, threshold, risk.objection(exposure, credit=CREDIT)


def straights(count: int) -> str:
    return "; ".join(f"1 on {number}" for number in range(1, count + 1))


@pytest.mark.parametrize(
    ("slip", "margin", "threshold", "code"),
    [
        row("13", "10 on red", 10_00, 1_00, None),
        row("13", "10 on red; 10 on black", 0, 2_00, Code.TOO_LITTLE_RISK),
        row("13.b", "10 on red; 30 on black", 20_00, 4_00, None),
        row("13.b", "10 on red; 10 on 17", 340_00, 2_00, None),
        row("13", "100 on red; 95 on black", 5_00, 20_00, Code.TOO_LITTLE_RISK),
        row("13", "100 on red; 81 on black", 19_00, 19_00, None),
        row("13", "100 on red; 82 on black", 18_00, 19_00, Code.TOO_LITTLE_RISK),
        row("13", "10 on dozen 1; 10 on dozen 2; 10 on dozen 3", 0, 3_00, Code.TOO_LITTLE_RISK),
        row("13", "10 on dozen 1; 10 on dozen 2", 10_00, 2_00, None),
        row("13", straights(32), 4_00, 4_00, None),
        row("13", straights(33), 3_00, 4_00, Code.TOO_LITTLE_RISK),
        row("13", "10 on red; 10 on black; 1 on 0", 15_00, 3_00, None),
        row("13.c", "10 on red; 5 on 7; 10 on black", 175_00, 3_00, None),
        row("13.c", "10 on red; 10 on black", 0, 2_00, Code.TOO_LITTLE_RISK),
        row("13.c", "10 on red; 9 on black", 1_00, 2_00, Code.TOO_LITTLE_RISK),
    ],
)
def test_opposite_bets(slip: str, margin: int, threshold: int, code: Code | None) -> None:
    """Bets are allowed when the best outcome is above the total bet by a tenth of it, and by one credit at least."""
    found, least, refusal = risk_of(slip)
    assert (found, least) == (margin, threshold)
    assert (refusal and refusal.code) == code


@pytest.mark.clause("clearwater-etg", "13.a")
@pytest.mark.clause("clearwater-etg", "13.c")
def test_words_on_too_little_risk() -> None:
    """A wager with too little risk is told "Bet not allowed"; bets that stand get the warning, to the letter."""
    risk, (_, _, refusal) = venue(VENUE).risk, risk_of("10 on red; 10 on black")
    assert risk is not None
    assert refusal is not None
    assert (refusal.code, refusal.clause) == (Code.TOO_LITTLE_RISK, "13.a")
    assert refusal.facts["message"] == "Bet not allowed"
    assert (risk.warning, risk.warning_clause) == ("Bets not valid \N{EN DASH} too little risk!", "13.c")


SPOT_LIMITS = Limits(
    ClauseId("14.d"),
    ClauseId("14.e"),
    kinds={
        SpotKind("straight"): Range(Cents(1_00), Cents(100_00)),
        SpotKind("split"): Range(most=Cents(200_00)),
        SpotKind("red"): Range(least=Cents(5_00)),
    },
)
TOTAL_LIMITS = Limits(ClauseId("14.c"), ClauseId("14.b"), total=Range(Cents(10_00), Cents(200_00)))


@pytest.mark.parametrize(
    ("slip", "limits", "codes"),
    [
        row("10", "95 on 17; 10 on 17", SPOT_LIMITS, [Code.STAKE_OVER_MAXIMUM]),
        row("10", "95 on 17; 5 on 17", SPOT_LIMITS, []),
        row("14.b", "195 on red; 10 on 17", TOTAL_LIMITS, [Code.TOTAL_OVER_MAXIMUM]),
        row("14.b", "195 on red; 5 on 17", TOTAL_LIMITS, []),
        row("14.c", "5 on red", TOTAL_LIMITS, [Code.TOTAL_UNDER_MINIMUM]),
        row("14.c", "10 on red", TOTAL_LIMITS, []),
        row("14.d", "3 on red; 1 on 17", SPOT_LIMITS, [Code.STAKE_UNDER_MINIMUM]),
        row("14.d", "5 on red; 1 on 17", SPOT_LIMITS, []),
        row("14.e", "200 on 17/20", SPOT_LIMITS, []),
        row("14.e", "201 on 17/20", SPOT_LIMITS, [Code.STAKE_OVER_MAXIMUM]),
    ],
)
def test_bet_limits(slip: str, limits: Limits, codes: list[Code]) -> None:
    """Each bet has the least and most of its kind, and all bets together theirs."""
    assert [refusal.code for refusal in limit_objections(placed(slip), limits)] == codes


def test_highest_win_of_a_bet() -> None:
    """With 50 allowed on five numbers the highest win is 350, with 100 on a straight it is 3600."""
    prices = venue(VENUE).paytable.prices
    assert (50 * prices[SpotKind("five")].gross, 100 * prices[SpotKind("straight")].gross) == (350, 3600)


@pytest.mark.clause("clearwater-etg", "18")
def test_six_even_money_bets() -> None:
    """Six kinds pay even money: red, black, odd, even, low and high."""
    even = {kind for kind, price in venue(VENUE).paytable.prices.items() if price.pays == 1}
    assert even == {
        SpotKind("red"),
        SpotKind("black"),
        SpotKind("odd"),
        SpotKind("even"),
        SpotKind("low"),
        SpotKind("high"),
    }


@pytest.mark.parametrize("pocket", ["0", "00"])
@pytest.mark.parametrize("slip", ["10 on even; 10 on red; 10 on low", "10 on odd; 10 on black; 10 on high"])
@pytest.mark.clause("clearwater-etg", "18.a")
def test_even_money_bets_lose_on_a_zero(slip: str, pocket: str) -> None:
    """On 0 and on 00 every even money bet loses its whole stake, under the clause that says so."""
    settlement = settled(slip, pocket)
    assert (settlement.returned, settlement.net) == (0, -30_00)
    assert {each.clause for each in settlement.bets} == {"18.a"}


@pytest.mark.clause("clearwater-etg", "21")
def test_eleven_lines() -> None:
    """The notice has eleven lines; all keep a nineteenth for the house, but five numbers 3 in 38."""
    paytable, wheel = venue(VENUE).paytable, venue(VENUE).wheel
    assert {price.clause for price in paytable.prices.values()} == {f"21.{letter}" for letter in "abcdefghijk"}
    edges = {spot.kind: spot_edge(spot, paytable, wheel) for spot in venue(VENUE).spots.values()}
    assert edges == {kind: EDGE for kind in COMMON_KINDS if kind != SpotKind("five")} | {
        SpotKind("five"): Fraction(3, 38)
    }


@pytest.mark.parametrize(
    ("slip", "pocket", "winnings"),
    [
        row("21.a", "10 on 00", "00", 350_00),
        row("21.b", "10 on 0/00", "00", 170_00),
        row("21.c", "10 on 0/00/2", "0", 110_00),
        row("21.d", "10 on 1/2/4/5", "4", 80_00),
        row("21.e", "10 on 0/00/1/2/3", "3", 60_00),
        row("21.f", "10 on 1/2/3/4/5/6", "6", 50_00),
        row("21.g", "10 on column 2", "35", 20_00),
        row("21.h", "10 on dozen 3", "36", 20_00),
        row("21.i", "10 on black", "17", 10_00),
        row("21.i", "10 on red", "18", 10_00),
        row("21.j", "10 on even", "36", 10_00),
        row("21.j", "10 on odd", "35", 10_00),
        row("21.k", "10 on high", "19", 10_00),
        row("21.k", "10 on low", "18", 10_00),
    ],
)
def test_payout_line(slip: str, pocket: str, winnings: int) -> None:
    """Ten staked wins what the line pays, and comes back with it."""
    assert (settled(slip, pocket).net, settled(slip, pocket).returned) == (winnings, winnings + 10_00)


@pytest.mark.parametrize("pocket", ["0", "00"])
@pytest.mark.parametrize(
    "slip", [row("21.g", "10 on column 2"), row("21.h", "10 on dozen 3"), row("21.j", "10 on even")]
)
def test_outside_bets_lose_on_a_zero(slip: str, pocket: str) -> None:
    """Columns, dozens and Even do not hold the zeros and lose on them."""
    assert settled(slip, pocket).net == -10_00


def test_tax_form_from_1200_of_net_wins() -> None:
    """A form is due from 1,200 dollars of wins, each less its own stake: 35 on a number is over, 34 is under."""
    tax = venue(VENUE).tax
    assert tax is not None
    assert (tax.threshold, tax.basis) == (1_200_00, TaxBasis.NET_OF_WINNING_STAKES)
    nets = [settled(slip, "17").net for slip in ("34 on 17", "35 on 17", "34 on 17; 10 on black")]
    assert nets == [1_190_00, 1_225_00, 1_200_00]


@pytest.mark.clause("clearwater-etg", "23")
def test_five_special_bets() -> None:
    """The special bets are Red Splits, Black Splits, Red Snake, Complete and Final."""
    labels = [call.label for call in venue(VENUE).calls if call.clause.startswith("23.")]
    assert labels == ["Red Splits", "Black Splits", "Red Snake", "Complete", "Final"]


@pytest.mark.parametrize(
    ("slip", "cost", "pockets", "gross"),
    [
        row("23.a", "5 on red-splits", 20_00, "9 12 16 18 19 21 27 30", 90_00),
        row("23.b", "1 on black-splits", 7_00, "10 11 28 29", 36_00),
        row("23.b", "1 on black-splits", 7_00, "8 13 17 20 26 31", 18_00),
        row("23.c", "1 on red-snake", 12_00, "1 5 9 12 14 16 19 23 27 30 32 34", 36_00),
        row("23.c", "1 on red-snake", 12_00, "3 7 18 21 25 36 0 00", 0),
        row("23.d", "1 on complete 17", 9_00, "17", 144_00),
        row("23.d", "1 on complete 2", 11_00, "2", 180_00),
        row("23.e", "2 on final 5", 8_00, "5 15 25 35", 72_00),
    ],
)
def test_special_bet(slip: str, cost: int, pockets: str, gross: int) -> None:
    """A special bet puts chips of one value on all its places and brings back so much on these pockets."""
    assert sum(bet.stake for bet in placed(slip)) == cost
    assert {settled(slip, pocket).returned for pocket in pockets.split()} == {gross}


@pytest.mark.parametrize(
    ("pocket", "pieces"),
    [
        ("0", "0 0/00 0/1 0/2 0/00/2 0/1/2"),
        ("00", "00 00/2 00/3 0/00 00/2/3 0/00/2"),
        ("1", "1 0/1 1/2 1/4 1/2/4/5 0/1/2"),
        ("2", "2 00/2 0/2 1/2 2/3 2/5 1/2/4/5 2/3/5/6 00/2/3 0/00/2 0/1/2"),
        ("3", "3 00/3 2/3 3/6 2/3/5/6 00/2/3"),
        ("17", "17 14/17 16/17 17/18 17/20 13/14/16/17 14/15/17/18 16/17/19/20 17/18/20/21"),
        ("34", "34 31/34 34/35 31/32/34/35"),
        ("36", "36 33/36 35/36 32/33/35/36"),
    ],
)
@pytest.mark.clause("clearwater-etg", "23.d")
def test_complete(pocket: str, pieces: str) -> None:
    """Complete is the straight and all splits and corners of a number, with the trios of the zeros beside them."""
    assert {bet.spot.key: bet.stake for bet in called(f"complete {pocket}").bets} == dict.fromkeys(pieces.split(), 100)


@pytest.mark.clause("clearwater-etg", "23.e")
def test_finals() -> None:
    """Finals 0 to 9 are 5, 4, 4, 4, 4, 4, 4, 3, 3 and 3 chips; Final 0 has both zeros."""
    assert [called(f"final {digit}").chips for digit in range(10)] == [5, 4, 4, 4, 4, 4, 4, 3, 3, 3]
    assert {bet.spot.key for bet in called("final 0").bets} == {"0", "00", "10", "20", "30"}


@pytest.mark.parametrize(
    ("presses", "numbers", "chips", "total"),
    [
        (0, "22", 1, 5),
        (1, "17 5 22 34 15", 1, 25),
        (2, "32 17 5 22 34 15 3", 1, 35),
        (3, "20 32 17 5 22 34 15 3 24", 1, 45),
        (4, "20 32 17 5 22 34 15 3 24", 2, 90),
        (5, "20 32 17 5 22 34 15 3 24", 3, 135),
    ],
)
@pytest.mark.clause("clearwater-etg", "24")
def test_neighbors_button(presses: int, numbers: str, chips: int, total: int) -> None:
    """With a chip of 5 on 22 the button adds two on each side, then one more, up to four; then it raises all nine."""
    button = venue(VENUE).neighbours_button
    assert button is not None
    pressed = button.press(venue(VENUE).wheel, Pocket("22"), times=presses)
    assert pressed == dict.fromkeys(numbers.split(), chips)
    assert 5 * sum(pressed.values()) == total


@pytest.mark.parametrize(
    "spin",
    [
        Spin(opposite=False, revolutions=9),
        Spin(opposite=True, revolutions=9, ball_seated=False),
        Spin(opposite=True, revolutions=9, untouched=False),
    ],
)
@pytest.mark.clause("clearwater-etg", "25")
def test_spin_that_went_wrong_is_a_malfunction(spin: Spin) -> None:
    """The wheel is a machine: a spin that went wrong voids the round."""
    found = assess_spin(spin, venue(VENUE).irregularities, revolutions_least=0)
    assert found is not None
    assert (found.clause, found.effect) == ("25", Effect.VOID_ROUND)


@pytest.mark.clause("clearwater-etg", "16.a")
def test_close_comes_after_the_launch() -> None:
    """Betting closes a few seconds after the launch, five where the venue sets nothing else, with "No more bets"."""
    procedure = venue(VENUE).procedure
    assert procedure.closes.choice is CloseRule.AFTER_LAUNCH
    assert procedure.launch_to_close is not None
    assert procedure.launch_to_close.value == 5
    assert venue(VENUE).messages[MessageKind.CLOSED].texts == ("No more bets",)
