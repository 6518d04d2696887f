"""Multipliers: the draw, the exact return over all draws, and what a slip is paid by one of them."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, permutations, product
from random import Random

import pytest

from croupier import settle
from croupier.devices.random_source import WORDS_MAX, SourceFault, words
from croupier.rulebooks.schema import canonical, read_canonical
from croupier.rulebooks.validation import validate
from croupier.rules.geometry import STRAIGHT, Pocket, SpotKey
from croupier.rules.multipliers import Multiple, Multipliers, NumberCount, below
from croupier.rules.notation import read_multiples
from croupier.rules.pricing import exposure_of, highest_multiples, settle_bets, spot_edge
from croupier.rules.proofs import DrawRecord, Party, Spin, commitment, drawn_multiples, drawn_pocket
from croupier.rules.refusal import ClauseId, Refusal, Refused
from croupier.rules.rulebook import PayoutTable, Rulebook
from tests.conftest import venue
from tests.support.campaign import many

GAME = "generic-multiplier"
SPIN = Spin("A", 12, 1)
SECRET, SHARE = "5e" * 32, "a1" * 32


def with_multipliers(book: Rulebook, **changes: object) -> Rulebook:
    drawn = book.paytable.multipliers
    assert drawn is not None
    return replace(book, paytable=replace(book.paytable, multipliers=replace(drawn, **changes)))  # type: ignore[arg-type]


def test_return_of_a_straight_up_is_that_of_every_draw() -> None:
    """Over all sets of numbers that can be drawn, a straight up returns 36/37, as the rules text states."""
    book = venue(GAME)
    drawn = book.paytable.multipliers
    assert drawn is not None
    counts = {3: Fraction(1, 4), 4: Fraction(1, 2), 5: Fraction(1, 4)}
    pays = {60: 50, 100: 32, 150: 11, 250: 5, 500: 2}
    assert sum(pays.values()) == 100
    mean = Fraction(0)
    for count, share in counts.items():
        sets = list(combinations(range(37), count))
        # Of a set with number 17, each multiple in turn: 1 + multiple come back; of another, 1 + 27.
        gross = sum(
            sum(weight * (pay + 1) for pay, weight in pays.items()) if 17 in numbers else 100 * 28 for numbers in sets
        )
        mean += share * Fraction(gross, 100 * len(sets))
    assert mean / 37 == Fraction(36, 37)
    for spot in book.spots.values():
        assert spot_edge(spot, book.paytable, book.wheel) == Fraction(1, 37) == 1 - mean / 37
    assert "36/37" in next(clause.paraphrase for clause in book.clauses if clause.clause == "4.3")


def random_game(dice: Random) -> Rulebook:
    """Make a rulebook with a random base price and small random tables of counts and multiples."""
    book = venue(GAME)
    order = book.wheel.order[:3]
    counts = tuple(NumberCount(each, dice.randint(1, 9)) for each in sorted(dice.sample((1, 2, 3), dice.randint(1, 3))))
    pays = sorted(dice.sample(range(1, 90), dice.randint(1, 3)))
    multiples = tuple(Multiple(each, dice.randint(1, 9)) for each in pays)
    price = replace(book.paytable.prices[STRAIGHT], pays=dice.randint(1, 29))
    prices = {**book.paytable.prices, STRAIGHT: price}
    drawn = Multipliers(ClauseId("4.4"), counts, multiples)
    paytable = replace(book.paytable, prices=prices, multipliers=drawn)
    return replace(book, wheel=replace(book.wheel, order=order), paytable=paytable)


def every_draw(drawn: Multipliers, order: tuple[Pocket, ...]) -> Iterator[tuple[Fraction, dict[Pocket, int]]]:
    """List every draw with its probability: how many, which numbers in which order, and the multiple of each."""
    of_counts = sum(each.weight for each in drawn.counts)
    of_multiples = sum(each.weight for each in drawn.multiples)
    for count in drawn.counts:
        ways = list(permutations(order, count.numbers))
        for numbers, multiples in product(ways, product(drawn.multiples, repeat=count.numbers)):
            share = Fraction(count.weight, of_counts * len(ways))
            for each in multiples:
                share *= Fraction(each.weight, of_multiples)
            yield share, {number: each.pays for number, each in zip(numbers, multiples, strict=True)}


def test_edge_of_random_games_is_that_of_every_draw_and_pocket() -> None:
    """For any base price and any tables, the edge of a straight up is the enumeration of all draws and all pockets."""
    for seed in range(many(day=25, night=250)):
        book = random_game(Random(seed))  # noqa: S311 - it must be the same every time
        drawn, order = book.paytable.multipliers, book.wheel.order
        assert drawn is not None
        base = book.paytable.prices[STRAIGHT].pays
        back, shares = Fraction(0), Fraction(0)
        for share, multiples in every_draw(drawn, order):
            shares += share
            back += share * (1 + multiples.get(order[1], base)) / len(order)
        assert shares == 1
        assert spot_edge(book.spots[f"{order[1]}"], book.paytable, book.wheel) == 1 - back, seed  # type: ignore[index]


def test_round_pays_by_its_draw_and_by_nothing_else() -> None:
    """With any draw, a table of payouts pays each straight up by it, and every other bet as without it."""
    book = venue(GAME)
    plain, drawn = PayoutTable(book), book.paytable.multipliers
    assert drawn is not None
    for seed in range(many(day=40, night=400)):
        dice = Random(seed)  # noqa: S311 - it must be the same every time
        multiples = drawn.drawn(book.wheel.order, iter(dice.randbytes(4_096)))
        felt = plain.drawn(multiples)
        stakes = {spot: dice.randint(1, 900) for spot in dice.sample(sorted(book.spots), 8)}
        stakes |= {dice.choice([spot for spot, pocket in plain.straights.items() if pocket in multiples]): 10}
        straights = {spot: stake for spot, stake in stakes.items() if spot in plain.straights}
        others = {spot: stake for spot, stake in stakes.items() if spot not in straights}
        expected = [
            straights.get(SpotKey(pocket), 0) * (1 + multiples.get(pocket, 27)) + plain.returned(others, pocket)
            for pocket in book.pockets
        ]
        assert felt.returns(stakes) == expected, seed
        assert [felt.returned(stakes, pocket) for pocket in book.pockets] == expected
        assert [felt.returned_and_winning(stakes, pocket)[0] for pocket in book.pockets] == expected
        assert felt.is_plain
        assert plain.returned({next(iter(plain.straights)): 1}, next(iter(plain.straights.values()))) == 28


def test_draw_takes_any_allowed_numbers_and_no_others() -> None:
    """Drawn numbers differ, are on the wheel, and have multiples of the table; and all of these occur."""
    book = venue(GAME)
    drawn = book.paytable.multipliers
    assert drawn is not None
    numbers, pays, counts = Counter[str](), Counter[int](), Counter[int]()
    source = iter(Random(1).randbytes(400_000))  # noqa: S311 - it must be the same every time
    for _ in range(4_000):
        found = drawn.drawn(book.wheel.order, source)
        assert drawn.allows(found, book.wheel.order)
        numbers.update(found.keys())
        pays.update(found.values())
        counts[len(found)] += 1
    # Each number is drawn 4 times in 37: 432 of 4,000, with a standard deviation of 20.
    assert len(numbers) == 37
    assert all(330 < each < 535 for each in numbers.values())
    assert set(pays) == {60, 100, 150, 250, 500}
    assert 7_500 < pays[60] < 8_500
    assert 900 < counts[3] < 1_100
    assert not drawn.allows({Pocket("17"): 60}, book.wheel.order)
    assert not drawn.allows({Pocket(each): 61 for each in ("1", "2", "3")}, book.wheel.order)
    assert not drawn.allows({Pocket(each): 60 for each in ("1", "2", "00")}, book.wheel.order)


@pytest.mark.parametrize("count", [1, 2, 3, 37, 38, 255, 256])
def test_every_byte_gives_each_number_equally_often(count: int) -> None:
    """Over all values of one byte, each number below a count comes as often as any other, and the rest are rejected."""
    found = Counter[int]()
    for byte in range(256):
        try:
            found[below(count, iter([byte]))] += 1
        except RuntimeError:
            # Rejected: another byte is asked for, and there is none.
            continue
        except StopIteration:
            continue
    assert set(found) == set(range(count))
    assert set(found.values()) == {256 // count}


@pytest.mark.parametrize("count", [257, 300, 1_000, 65_535, 65_536])
def test_every_pair_of_bytes_gives_each_number_equally_often(count: int) -> None:
    """Over all values of two bytes, each number below a higher count comes as often as any other."""
    found = Counter[int]()
    for high, low in product(range(256), repeat=2):
        try:
            found[below(count, iter([high, low]))] += 1
        except StopIteration:
            continue
    assert set(found) == set(range(count))
    assert set(found.values()) == {65_536 // count}


def test_source_without_usable_bytes_ends_the_draw() -> None:
    """A source that gives only rejected bytes is a fault, and no endless draw."""
    with pytest.raises(SourceFault, match=str(WORDS_MAX)):
        below(37, words(lambda count: b"\xff" * count))


def test_multiples_follow_from_secret_and_shares() -> None:
    """The same secret and shares give the same multiples, another part gives others, and the pocket is independent."""
    book = venue(GAME)
    drawn = book.paytable.multipliers
    assert drawn is not None
    order = book.wheel.order
    found = drawn_multiples(drawn, order, SPIN, SECRET, {3: SHARE})
    assert found == drawn_multiples(drawn, order, SPIN, SECRET, {3: SHARE})
    others: tuple[tuple[Spin, str, dict[int, str]], ...] = (
        (SPIN, SECRET, {}),
        (SPIN, SHARE, {3: SHARE}),
        (Spin("A", 12, 2), SECRET, {3: SHARE}),
        (SPIN, SECRET, {4: SHARE}),
    )
    assert all(drawn_multiples(drawn, order, *other) != found for other in others)
    record = DrawRecord(
        order=order,
        spin=SPIN,
        commitment=commitment(SPIN, Party.HOUSE, SECRET),
        secret=SECRET,
        committed={3: commitment(SPIN, Party.PLAYER, SHARE)},
        revealed={3: SHARE},
        pocket=drawn_pocket(order, SPIN, SECRET, {3: SHARE}),
        multipliers=drawn,
        multiples=found,
    )
    assert list(record.problems()) == []
    first = next(iter(found))
    for changed in ({**found, first: 60 if found[first] != 60 else 100}, {}):
        assert any("multiples that follow" in says for says in replace(record, multiples=changed).problems())


def test_slip_is_settled_with_drawn_numbers() -> None:
    """A slip is paid the multiple on a drawn number, the base price on another, with their clauses."""
    book = venue(GAME)
    drawn = "17 x100, 23 x60, 0 x500"
    read = read_multiples(book, drawn)
    bets = settle(book, "5 on 17; 5 on 18; 1 on 17/20", result="17")
    assert not isinstance(bets, Refusal)
    assert [(each.returned, each.clause) for each in bets.bets] == [(14_000, "4.3"), (0, "4.3"), (1_800, "4")]
    again = settle_bets((each.bet for each in bets.bets), book.paytable, Pocket("17"), read)
    assert [(each.returned, each.clause) for each in again.bets] == [(50_500, "4.4"), (0, "4.3"), (1_800, "4")]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("17", "malformed"),
        ("17 x100", "malformed"),
        ("17 x1, 18 x60, 19 x60", "malformed"),
        ("37 x60", "pocket_not_on_wheel"),
    ],
)
def test_draw_that_cannot_be_is_refused(text: str, code: str) -> None:
    """A draw that the rules do not give is not settled."""
    with pytest.raises(Refused) as refused:
        read_multiples(venue(GAME), text)
    assert refused.value.refusal.code == code


def test_rules_without_multipliers_take_no_draw() -> None:
    """Where nothing is drawn, a settlement with a draw is refused."""
    with pytest.raises(Refused):
        read_multiples(venue("us-double-zero"), "17 x60")


def test_exposure_is_that_of_the_highest_multiple() -> None:
    """The worst case on each pocket is the highest multiple there, of a straight up and of no other bet."""
    book = venue(GAME)
    settled = settle(book, "5 on 17; 1 on red", result="17")
    assert not isinstance(settled, Refusal)
    bets = tuple(each.bet for each in settled.bets)
    worst = exposure_of(bets, book.paytable, book.wheel, highest_multiples(book.paytable, book.wheel))
    assert worst.returns[Pocket("17")] == 500 * 501
    assert worst.returns[Pocket("1")] == 200
    assert worst.best == 500 * 501
    assert exposure_of(bets, book.paytable, book.wheel).best == 500 * 28


MULTIPLES = tuple(Multiple(pays, 1) for pays in (60, 100))


@pytest.mark.parametrize(
    ("changes", "key", "says"),
    [
        ({"counts": ()}, "paytable.multipliers.counts", "growing list"),
        ({"counts": (NumberCount(0, 1),)}, "paytable.multipliers.counts", "above 0"),
        ({"counts": (NumberCount(38, 1),)}, "paytable.multipliers.counts", "so many numbers"),
        ({"counts": (NumberCount(3, 0),)}, "paytable.multipliers.counts", "each weight is 1 or more"),
        ({"counts": (NumberCount(3, 10**6 + 1),)}, "paytable.multipliers.counts", "at most"),
        ({"multiples": MULTIPLES[::-1]}, "paytable.multipliers.multiples", "growing list"),
        ({"multiples": (Multiple(100_001, 1),)}, "paytable.multipliers.multiples", "at most"),
        ({"multiples": (Multiple(400, 1),)}, "paytable.prices.straight.pays", "a loss to the house"),
    ],
)
def test_tables_that_cannot_be_drawn_from_are_complaints(changes: dict[str, object], key: str, says: str) -> None:
    """A table of counts or multiples that is no table, or gives money away, is named with its key."""
    found = list(validate(with_multipliers(venue(GAME), **changes)))
    assert any(at == key and says in problem for at, problem in found), found


def test_multipliers_need_a_close_before_the_spin_and_a_plain_price() -> None:
    """The draw is between the close and the spin, and takes the place of a whole price."""
    book = venue(GAME)
    european = venue("generic-european")
    assert any("before_spin" in says for _, says in validate(replace(book, procedure=european.procedure)))
    straight = replace(book.paytable.prices[STRAIGHT], pays=Fraction(55, 2))
    prices = {**book.paytable.prices, STRAIGHT: straight}
    curved = replace(book, paytable=replace(book.paytable, prices=prices))
    assert any("whole odds" in says for _, says in validate(curved))


def test_multipliers_are_in_the_canonical_text() -> None:
    """A rulebook with multipliers is whole in the journal."""
    book = venue(GAME)
    assert read_canonical(canonical(book)).paytable.multipliers == book.paytable.multipliers
