"""The exact return of a progressive bet, against an enumeration of the rounds of a pot."""

from dataclasses import replace
from fractions import Fraction

import pytest

from croupier.rulebooks.validation import validate
from croupier.rules.geometry import Pocket, SpotKind
from croupier.rules.limits import Limits, Range
from croupier.rules.money import Cents
from croupier.rules.notation import read_slip, settle_slip
from croupier.rules.pricing import Settlement, exposure_of, highest_pot, spot_edge
from croupier.rules.progressive import Progressive, long_run_return
from croupier.rules.refusal import ClauseId, Code, Refusal
from croupier.rules.rulebook import Rulebook
from tests.conftest import venue

CLAUSE = ClauseId("4.3")


def enumerated(  # noqa: PLR0913 - a pot in full
    covered: int, pockets: int, *, adds: int, seed: int, must: int, stake: int
) -> Fraction:
    """Follow one pot round by round, from the first after a win to the last that there can be."""
    wins, alive, rounds, won = Fraction(covered, pockets), Fraction(1), Fraction(0), Fraction(0)
    pot = min(seed + adds, must)
    while pot < must:
        rounds += alive
        won += alive * wins * (pot + stake)
        alive *= 1 - wins
        pot = min(pot + adds, must)
    return (won + alive * (must + stake)) / (stake * (rounds + alive))


@pytest.mark.parametrize("must", [5_100, 5_200, 5_250, 5_251, 5_500, 7_777, 15_000])
@pytest.mark.parametrize(("covered", "pockets"), [(1, 37), (3, 24), (20, 38)])
def test_return_is_that_of_an_enumeration(covered: int, pockets: int, must: int) -> None:
    """The return in closed form is, to the last digit, that of a pot that is followed round by round."""
    rules = Progressive(CLAUSE, SpotKind("pot"), Fraction(1, 2), 0, Cents(5_000), Cents(must), Cents(500))
    expected = enumerated(covered, pockets, adds=250, seed=5_000, must=must, stake=500)
    assert long_run_return(rules, covered, pockets) == expected


def test_stated_return_of_our_own_rulebook() -> None:
    """The pot of generic-progressive returns what its odds state, and its own notes round."""
    book = venue("generic-progressive")
    spot = next(spot for spot in book.spots.values() if spot.kind == "pot")
    returned = 1 - spot_edge(spot, book.paytable, book.wheel)
    assert returned == enumerated(1, 37, adds=250, seed=5_000, must=15_000, stake=500)
    assert round(returned * 10_000) == 9_465


def broken(**changes: object) -> Rulebook:
    book = venue("generic-progressive")
    assert book.paytable.progressive is not None
    rules = replace(book.paytable.progressive, **changes)  # type: ignore[arg-type]
    return replace(book, paytable=replace(book.paytable, progressive=rules))


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"kind": SpotKind("dozen")}, "paytable.progressive.kind"),
        ({"kind": SpotKind("trio_of_primes")}, "paytable.progressive.kind"),
        ({"contributes": 0}, "paytable.progressive.contributes"),
        ({"contributes": Fraction(3, 4)}, "paytable.progressive.contributes"),
        ({"must_hit_by": Cents(5_000)}, "paytable.progressive.must_hit_by"),
        ({"seed": Cents(0)}, "paytable.progressive.must_hit_by"),
        ({"stake": Cents(400)}, "paytable.progressive.stake"),
        ({"stake": Cents(0)}, "paytable.progressive.contributes"),
        ({"seed": Cents(9_000)}, "paytable.prices.pot"),
    ],
)
def test_pot_that_cannot_be_played_for_is_reported(changes: dict[str, object], key: str) -> None:
    """A pot without a bet of its own, one that does not grow, and one that gives money away are named by their key."""
    assert key in [found for found, _ in validate(broken(**changes))]


def test_price_of_a_pot_is_the_pot() -> None:
    """A pot has no odds, steps, caps or second spin beside it, and no zero that returns a part of its stake."""
    book = venue("generic-progressive")
    price = book.prices[SpotKind("pot")]
    for changes in ({"pays": 35}, {"win_most": Cents(1_000)}, {"twice": True}):
        prices = {**book.paytable.prices, SpotKind("pot"): replace(price, **changes)}
        found = [key for key, _ in validate(replace(book, paytable=replace(book.paytable, prices=prices)))]
        assert {"paytable.prices.pot.pays", "paytable.progressive.kind"} & set(found)


def test_pot_is_for_credits() -> None:
    """A rulebook with a pot and chips on the table is refused, and so is one whose limits lack the least stake."""
    book, table = venue("generic-progressive"), venue("generic-european")
    found = dict(validate(replace(book, channels=table.channels, payout=table.payout)))
    assert "channels.table" in found["paytable.progressive"]
    limits = Limits(CLAUSE, CLAUSE, Range(None, None))
    assert "paytable.progressive.stake" in dict(validate(replace(book, limits=limits)))


@pytest.mark.parametrize(
    ("slip", "result", "pot", "returned"),
    [
        ("5 on pot; 1 on 0", "0", "80", [8_500, 3_600]),
        ("5 on pot; 1 on 0", "3", "80", [0, 0]),
        # A pot that is due is won on any number, and is no more than the amount at which it is due.
        ("5 on pot; 1 on 0", "3", "150", [15_500, 0]),
        ("5 on pot", "3", "149.99", [0]),
        ("5 on pot", "3", "200", [15_500]),
        # Bets share it by their stakes, in whole cents.
        ("5 on pot; 10 on pot", "0", "50", [500 + 1_666, 1_000 + 3_333]),
        ("1 on 0", "0", "80", [3_600]),
    ],
)
def test_slip_is_settled_for_a_pot(slip: str, result: str, pot: str, returned: list[int]) -> None:
    """A slip that alone plays for a pot wins it by its number, or by any where it is due, and gets its stake back."""
    settled = settle_slip(venue("generic-progressive"), slip, result=result, pot=pot)
    assert isinstance(settled, Settlement)
    assert [each.returned for each in settled.bets] == returned
    assert [each.won for each in settled.bets] == [each > 0 for each in returned]
    assert all(each.pays == 35 or each.clause == CLAUSE for each in settled.bets)


@pytest.mark.parametrize(
    ("book", "pot"), [("generic-european", "80"), ("generic-progressive", "49"), ("generic-progressive", "x")]
)
def test_pot_that_there_cannot_be_is_refused(book: str, pot: str) -> None:
    """Rules without a pot, less than the seed and what is no amount are refused."""
    refusal = settle_slip(venue(book), "5 on 0", result="0", pot=pot)
    assert isinstance(refusal, Refusal)
    assert refusal.code == Code.MALFORMED


def test_exposure_is_that_of_the_highest_pot() -> None:
    """The worst case of a bet on the pot is the amount at which it must be won, on every number, shared by stakes."""
    book = venue("generic-progressive")
    bets = read_slip(book, "5 on pot; 10 on pot; 1 on 0")
    assert not isinstance(bets, Refusal)
    pot = highest_pot(book.paytable, bets)
    exposed = exposure_of(bets, book.paytable, book.wheel, pot=pot)
    assert exposed.worst == 15_000 + 1_500
    assert exposed.best == exposed.returns[Pocket("0")] == 15_000 + 1_500 + 3_600
    assert highest_pot(book.paytable, bets[2:]) is None
