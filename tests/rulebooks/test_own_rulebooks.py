"""The rulebooks of our own: their edges, and their bets against an enumeration that reads the felt by itself."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import product
from random import Random

import msgspec
import pytest

from croupier.house.ids import DeviceId, RoundNumber, TerminalId
from croupier.house.play.betting import PlaceBets
from croupier.house.rounds.opening import OpenBets
from croupier.house.settings import LimitBounds, LimitSettings, LiveSettings, TableSettings
from croupier.protocol.terminal import FeltSpec
from croupier.rulebooks.schema import canonical, read_canonical
from croupier.rulebooks.validation import validate
from croupier.rules.geometry import (
    Area,
    Cell,
    Geometry,
    Kind,
    Layout,
    OutsideBox,
    Pocket,
    SegmentGroup,
    Shape,
    SpotKey,
    SpotKind,
    Wheel,
)
from croupier.rules.money import Cents
from croupier.rules.pricing import CarriedRules, Paytable, Price, Release, Step, ZeroEffect, ZeroRule, spot_edge
from croupier.rules.refusal import CitedChoice, ClauseId
from croupier.rules.rulebook import PayoutTable, Rulebook
from croupier.server.views.felt import felt_data
from croupier.server.views.live import notice_state
from croupier.simulation.auditor.payouts import ModelPayouts
from croupier.transcripts.driver import TABLE, HouseDriver
from croupier.transcripts.runner import play_file
from tests.conftest import OWN, venue
from tests.support.campaign import many
from tests.support.copies import SHIPPED

EVEN = ("red", "black", "odd", "even", "low", "high")

#: The published edges: of the kinds that are named, and of all others.
EDGES = {
    "generic-european": ({}, Fraction(1, 37)),
    "generic-european-partage": (dict.fromkeys(EVEN, Fraction(1, 74)), Fraction(1, 37)),
    # All draws together are enumerated in tests/rules/test_multipliers.py.
    "generic-multiplier": ({}, Fraction(1, 37)),
    "generic-european-prison": (dict.fromkeys(EVEN, Fraction(19, 1369)), Fraction(1, 37)),
    "generic-two-in-a-row": (dict.fromkeys(("red_twice", "black_twice"), Fraction(73, 1369)), Fraction(1, 37)),
    # Of a pot the exact return is enumerated in tests/rules/test_progressive.py.
    "generic-progressive": ({}, Fraction(1, 37)),
    "generic-american": ({"five": Fraction(3, 38)}, Fraction(2, 38)),
    "generic-triple-zero": ({}, Fraction(3, 39)),
}


def test_every_rulebook_of_our_own_has_published_edges() -> None:
    """No rulebook of our own is left out here, and each says that it is no venue's."""
    assert set(OWN) == set(EDGES)
    for name in OWN:
        assert "rules of Croupier, not of a venue" in venue(name).title


@pytest.mark.parametrize("name", OWN)
def test_edges_are_those_that_are_published(name: str) -> None:
    """Each kind of bet has its published edge, by the formula and by settling one unit on every pocket."""
    book = venue(name)
    special, usual = EDGES[name]
    felt = PayoutTable(book)
    for spot in book.spots.values():
        if book.paytable.progressive is not None and spot.kind == book.paytable.progressive.kind:
            continue
        edge = spot_edge(spot, book.paytable, book.wheel)
        assert edge == special.get(spot.kind, usual), spot
        if spot.kind == "straight" and book.paytable.multipliers is not None:
            continue
        # Two units, so that half of them is whole; what one spin carries, the next decides.
        back = Fraction(0)
        for pocket in book.pockets:
            back += felt.returned({spot.key: 2}, pocket)
            carried = felt.carried({spot.key: 2}, pocket)
            back += Fraction(sum(felt.resolve(carried, each)[0] for each in book.pockets if carried), len(book.pockets))
        assert edge == 1 - back / (2 * len(book.pockets))


@pytest.mark.parametrize("name", OWN)
def test_rounds_of_our_own_rulebooks_hold(name: str) -> None:
    """Each example round of a rulebook of our own plays as it is written."""
    for path in sorted((SHIPPED / name / "rounds").iterdir()):
        result = play_file(path)
        assert getattr(result, "holds", result) is True, path


@pytest.mark.parametrize("name", OWN)
def test_rulebook_is_the_same_from_its_canonical_text(name: str) -> None:
    """A rulebook of our own, with what it takes from another, is whole in the journal."""
    book = venue(name)
    again = read_canonical(canonical(book))
    assert replace(again, clauses=book.clauses) == book
    assert again.digest == book.digest
    assert felt_data(again) == felt_data(book)


# Random variants: any wheel, any layout, any paytable, any zero rule.

CLAUSE = ClauseId("1")
ZEROS = (("0",), ("0", "00"), ("0", "00", "000"))


def random_variant(dice: Random) -> Rulebook:
    """Make a rulebook of random pockets, rows, prices and zero rules from the generic one."""
    zeros = dice.choice(ZEROS)
    width = dice.randint(3, 4)
    rows = dice.randint(6, 9 if width == 4 else 12)
    numbers = [str(number) for number in range(1, rows * width + 1)]
    order = [*zeros, *numbers]
    dice.shuffle(order)
    red = tuple(map(Pocket, dice.sample(numbers, len(numbers) // 2)))
    start = order.index("0")
    clockwise = tuple(map(Pocket, order[start:] + order[:start]))
    wheel = Wheel("random", clockwise, "Random.", confirmed=False, alternating=False, red=red)
    snake = tuple(map(Pocket, dice.sample(numbers, dice.randint(2, len(numbers) // 2))))
    boxes = (
        OutsideBox(SpotKey("red"), "Red", Area((0, 8), (-8, -4))),
        OutsideBox(SpotKey("snake"), "Snake", Area((8, 16), (-8, -4))),
    )
    cells = tuple(
        Cell(Pocket(zero), Area((-4 * place, 4 - 4 * place), (0, 4 * width))) for place, zero in enumerate(zeros, 1)
    )
    grid = tuple(tuple(map(Pocket, numbers[row * width : row * width + width])) for row in range(rows))
    kinds = (
        Kind(SpotKind("straight"), "straight", shapes=(Shape(Geometry.CELL, 1),)),
        Kind(SpotKind("split"), "split", shapes=(Shape(Geometry.EDGE, 2),)),
        Kind(SpotKind("row"), "row", shapes=(Shape(Geometry.ROW, width),)),
        Kind(SpotKind("corner"), "corner", shapes=(Shape(Geometry.POINT, 4),)),
        Kind(SpotKind("trio"), "trio", shapes=(Shape(Geometry.POINT, 3, zero=True),)),
        Kind(SpotKind("two_rows"), "two rows", shapes=(Shape(Geometry.ROWS, 2 * width),)),
        Kind(SpotKind("red"), "red", boxes={SpotKey("red"): red}, segment=SegmentGroup.EVEN_CHANCES),
        Kind(SpotKind("snake"), "snake", boxes={SpotKey("snake"): snake}, segment=SegmentGroup.DOZENS),
    )
    prices = {kind.id: random_price(dice) for kind in kinds}
    effects = [dice.choice([*ZeroEffect]) for _ in zeros]
    rules = tuple(
        ZeroRule(Pocket(zero), CLAUSE, (SpotKind("red"),) if dice.random() < 0.5 else (), effect)
        for zero, effect in zip(zeros, effects, strict=True)
    )
    paytable = Paytable(CLAUSE, prices, rules)
    layout = Layout("random", grid, cells, boxes)
    book = venue("generic-european")
    return replace(book, wheel=wheel, layout=layout, kinds=kinds, paytable=paytable, calls=(), digest="")


def random_price(dice: Random) -> Price:
    odds: list[int | Fraction] = [1, 2, 8, 17, Fraction(6, 5), Fraction(1, 2), Fraction(95, 100)]
    pays = dice.choice(odds)
    steps = (Step(Cents(dice.randint(1, 500)), Fraction(dice.randint(1, 40), 3)),) if dice.random() < 0.3 else ()
    most = Cents(dice.randint(1, 9_999)) if dice.random() < 0.3 else None
    return Price("bet", pays, CLAUSE, CLAUSE, steps=steps, win_most=most, twice=dice.random() < 0.2)


def brought(book: Rulebook, spot: SpotKey, stake: int, pocket: Pocket) -> int:
    """Settle one stake cent by cent: an independent reading of the price, the step, the cap and the zero."""
    kind = next(kind for kind in book.kinds if kind.id == book.spots[spot].kind)
    numbers = kind.boxes[spot] if spot in kind.boxes else spot.split("/")
    price = book.paytable.prices[kind.id]
    if pocket in numbers:
        over = [step.over for step in price.steps]
        odds = [Fraction(price.pays), *(Fraction(step.pays) for step in price.steps)]
        won = sum((odds[sum(cent >= each for each in over)] for cent in range(stake)), Fraction(0))
        whole = won.numerator // won.denominator
        return stake + (whole if price.win_most is None or whole < price.win_most else price.win_most)
    for rule in book.paytable.zeros:
        if rule.pocket == pocket and (rule.kinds == () or kind.id in rule.kinds):
            return (stake - stake % 2) // 2 if rule.does in ("la_partage", "surrender") else 0
    return 0


def goes_on(book: Rulebook, spot: SpotKey, stake: int, pocket: Pocket) -> int:
    """Return what a spin carries to the next one: a win of the first of two spins, or a stake in prison."""
    kind = next(kind for kind in book.kinds if kind.id == book.spots[spot].kind)
    if pocket in (kind.boxes[spot] if spot in kind.boxes else spot.split("/")):
        return stake if book.paytable.prices[kind.id].twice else 0
    effects = [r.does for r in book.paytable.zeros if r.pocket == pocket and (not r.kinds or kind.id in r.kinds)]
    return stake if effects and effects[0].startswith("en_prison") else 0


def then(book: Rulebook, spot: SpotKey, stake: int, pocket: Pocket) -> tuple[int, int]:
    """Settle a stake that was carried to its spin: what comes back, and what is carried again."""
    kind = next(kind for kind in book.kinds if kind.id == book.spots[spot].kind)
    if pocket in (kind.boxes[spot] if spot in kind.boxes else spot.split("/")):
        return (brought(book, spot, stake, pocket), 0) if book.paytable.prices[kind.id].twice else (stake, 0)
    effects = [r.does for r in book.paytable.zeros if r.pocket == pocket and (not r.kinds or kind.id in r.kinds)]
    return {
        "la_partage": (stake // 2, 0),
        "surrender": (stake // 2, 0),
        "en_prison_half": (stake // 2, 0),
        "en_prison_free": (stake, 0),
        "en_prison_repeated": (0, stake),
    }.get(effects[0] if effects else "lose", (0, 0))


def random_stakes(dice: Random, felt: PayoutTable) -> Mapping[SpotKey, int]:
    return {SpotKey(spot): dice.randint(1, 700) for spot in dice.sample(sorted(felt.spots), 6)}


def variants() -> Iterator[int]:
    yield from range(many(day=100, night=1_000))


def test_random_variants_settle_as_an_enumeration_does() -> None:
    """On every pocket of any variant, the table, the returns, the auditor and an enumeration by cents agree."""
    for seed in variants():
        dice = Random(seed)  # noqa: S311 - it must be the same every time
        book = random_variant(dice)
        felt, model = PayoutTable(book), ModelPayouts(book)
        stakes = dict(random_stakes(dice, felt))
        expected = [sum(brought(book, *each, pocket) for each in stakes.items()) for pocket in book.pockets]
        assert felt.returns(stakes) == expected, seed
        assert felt.best(stakes) == max(expected), seed
        for pocket, returned in zip(book.pockets, expected, strict=True):
            paid = sum(0 if goes_on(book, *each, pocket) else brought(book, *each, pocket) for each in stakes.items())
            assert felt.returned(stakes, pocket) == paid, (seed, pocket)
            carried = {spot: stake for spot, stake in stakes.items() if goes_on(book, spot, stake, pocket)}
            assert felt.carried(stakes, pocket) == carried, (seed, pocket)
            after = {spot: then(book, spot, stake, pocket) for spot, stake in stakes.items()}
            again = {spot: stake for spot, (_, stake) in after.items() if stake}
            assert felt.resolve(stakes, pocket) == (sum(back for back, _ in after.values()), again), (seed, pocket)
            winning = sum(felt.winning(stakes, pocket).values())
            assert felt.returned_and_winning(stakes, pocket) == (paid, winning)
            if not felt.carries:
                assert model.brings(stakes, pocket) == returned, (seed, pocket)
            assert felt.given_back(stakes, pocket) == model.given_back(stakes, pocket)


def test_random_variants_have_the_edge_of_an_enumeration() -> None:
    """The edge of each spot of any variant is that of a stake within the first step and the cap, on every pocket."""
    for seed in variants():
        book = random_variant(Random(seed))  # noqa: S311 - it must be the same every time
        prices = {kind: replace(price, steps=(), win_most=None) for kind, price in book.paytable.prices.items()}
        plain = replace(book, paytable=replace(book.paytable, prices=prices))
        # A stake that halves, fifths and hundredths of it are whole cents of.
        for key, spot in plain.spots.items():
            assert spot_edge(spot, plain.paytable, plain.wheel) == 1 - mean_return(plain, key) / 200, (seed, key)


def mean_return(book: Rulebook, spot: SpotKey, stake: int = 200) -> Fraction:
    """Compute the mean return of a stake by its chain of spins: placed, carried, and over.

    Of a carried stake that is carried again with probability p, 1 / (1 - p) spins are expected.
    """
    pockets = len(book.pockets)
    first = [
        (0, stake) if goes_on(book, spot, stake, pocket) else (brought(book, spot, stake, pocket), 0)
        for pocket in book.pockets
    ]
    later = [then(book, spot, stake, pocket) for pocket in book.pockets]
    stays = Fraction(sum(bool(again) for _, again in later), pockets)
    one = Fraction(sum(back for back, _ in later), pockets)
    carried = Fraction(sum(bool(again) for _, again in first), pockets)
    return Fraction(sum(back for back, _ in first), pockets) + carried * one / (1 - stays)


@pytest.mark.parametrize(
    ("effect", "edge"),
    [
        (ZeroEffect.EN_PRISON, Fraction(19, 1369)),
        (ZeroEffect.EN_PRISON_REPEATED, Fraction(1, 74)),
        (ZeroEffect.EN_PRISON_HALF, Fraction(1, 74)),
        (ZeroEffect.EN_PRISON_FREE, Fraction(18, 1369)),
    ],
)
def test_forms_of_en_prison_have_their_published_edges(effect: ZeroEffect, edge: Fraction) -> None:
    """An even chance has the edge of its form of en prison, and so it has if every sequence of spins is played."""
    book = with_zeros(effect)
    assert spot_edge(book.spots[SpotKey("red")], book.paytable, book.wheel) == edge
    assert mean_return(book, SpotKey("red")) == 200 * (1 - edge)
    sequences = list(product(book.pockets, repeat=3))
    felt, red = PayoutTable(book), SpotKey("red")
    back, left = map(sum, zip(*(play(felt, red, 2, spins) for spins in sequences), strict=True))
    worth = {ZeroEffect.EN_PRISON: Fraction(18, 37), ZeroEffect.EN_PRISON_FREE: Fraction(19, 37)}
    # What is still in prison after three spins is worth what the next spins return of it.
    assert 1 - (back + left * worth.get(effect, Fraction(1, 2))) / (2 * len(sequences)) == edge


def play(felt: PayoutTable, spot: SpotKey, stake: int, spins: Iterable[Pocket]) -> tuple[int, int]:
    """Play one stake through spins: what came back, and what is carried after the last."""
    first, *others = spins
    returned, carried = felt.returned({spot: stake}, first), felt.carried({spot: stake}, first)
    for pocket in others:
        more, carried = felt.resolve(carried, pocket)
        returned += more
    return returned, sum(carried.values())


def with_zeros(effect: ZeroEffect, *, twice: Iterable[str] = (), pays: int = 3) -> Rulebook:
    """Change what zero does with even chances at the generic table, and let some kinds win in two spins only."""
    book = venue("generic-european-partage")
    zeros = tuple(replace(zero, does=effect) if zero.kinds else zero for zero in book.paytable.zeros)
    prices = {
        kind: replace(price, twice=True, pays=pays) if kind in twice else price for kind, price in book.prices.items()
    }
    carried = CarriedRules(CLAUSE, CitedChoice(Release.HALF, CLAUSE))
    return replace(book, paytable=replace(book.paytable, zeros=zeros, prices=prices, carried=carried), digest="")


def test_bet_on_two_spins_returns_what_both_of_them_win() -> None:
    """A bet on two spins in a row has the edge of all pairs of pockets, of which those that win twice are paid."""
    book = with_zeros(ZeroEffect.LOSE, twice=("dozen",), pays=8)
    spot, felt = SpotKey("dozen 2"), PayoutTable(book)
    pairs = [play(felt, spot, 10, spins) for spins in product(book.pockets, repeat=2)]
    assert sum(back > 0 for back, _ in pairs) == 12 * 12
    assert {back for back, _ in pairs} == {0, 90}
    edge = 1 - Fraction(sum(back for back, _ in pairs), 10 * len(pairs))
    assert spot_edge(book.spots[spot], book.paytable, book.wheel) == edge == 1 - Fraction(9 * 12 * 12, 37 * 37)


def test_rules_of_carried_stakes_go_with_stakes_that_are_carried() -> None:
    """A rulebook says what becomes of stakes that outlive their round if it has some, and otherwise does not."""
    prison = with_zeros(ZeroEffect.EN_PRISON)
    without = replace(prison, paytable=replace(prison.paytable, carried=None))
    spare = replace(with_zeros(ZeroEffect.LA_PARTAGE))
    twice = with_zeros(ZeroEffect.EN_PRISON, twice=("red",))
    assert "goes with" not in dict(validate(prison)).get("paytable.carried", "")
    outlives = "stakes that outlive their round: in prison, or of a bet on two spins"
    assert dict(validate(without))["paytable.carried"] == f"missing, and there are {outlives}"
    assert dict(validate(spare))["paytable.carried"] == f"goes with {outlives}"
    assert "paytable.zeros[0].does" in dict(validate(twice))


def test_felt_says_of_which_bets_half_comes_back() -> None:
    """A page learns with the felt on which zero half of which bets is returned, if on any."""
    partage = msgspec.json.decode(felt_data(venue("generic-european-partage")).body, type=FeltSpec)
    plain = msgspec.json.decode(felt_data(venue("generic-european")).body, type=FeltSpec)
    assert partage.halved == {"0": EVEN}
    assert plain.halved == {}


def test_risk_is_checked_by_prices_that_are_no_whole_numbers() -> None:
    """The highest return that the risk check compares follows each change, whatever the prices and the zero rules."""
    book = venue("clearwater-etg")
    prices = {kind: replace(price, pays=Fraction(price.pays) - Fraction(1, 3)) for kind, price in book.prices.items()}
    zeros = (ZeroRule(Pocket("0"), CLAUSE, (), ZeroEffect.SURRENDER), *book.paytable.zeros)
    changed = replace(book, paytable=replace(book.paytable, prices=prices, zeros=zeros))
    play = HouseDriver(read_canonical(canonical(changed)))
    terminal = TerminalId("T1")
    play.seat(terminal, 1_000_000)
    play.must(OpenBets(TABLE))
    game = play.house.terminals[terminal].games[TABLE]
    felt = play.house.tables[TABLE].payouts
    for spot, stake in (("17", 500), ("17/20", 300), ("17", 100), ("0", 700)):
        play.must(PlaceBets(terminal, TABLE, RoundNumber(1), 1, ((SpotKey(spot), stake),)), DeviceId(terminal))
        assert game.returns == felt.returns(game.bets)
        assert game.best == max(game.returns) == felt.best(game.bets)
    refused = play.ask(PlaceBets(terminal, TABLE, RoundNumber(1), 1, ((SpotKey("red"), 90_000),)), DeviceId(terminal))
    # Red pays 2 to 3: were it 0, half of it would come back.
    assert isinstance(refused, tuple) == (felt.best({**game.bets, SpotKey("red"): 90_000}) >= 1.1 * 91_600)


def test_range_of_a_table_with_limits_of_kinds_only() -> None:
    """The range that is shown first is the widest of the kinds, and no sentence on multiples has an amount."""
    kinds = (
        (SpotKind("straight"), LimitBounds(Cents(500), Cents(8_000))),
        (SpotKind("red"), LimitBounds(Cents(2_000), Cents(200_000))),
    )
    for settings, least, stated in (
        (LimitSettings(kinds=kinds), 500, False),
        (LimitSettings(LimitBounds(Cents(1_000), Cents(50_000)), kinds=kinds), 1_000, True),
    ):
        table = TableSettings(limits=settings, live=LiveSettings(emblem="anchor"), confirms=True)
        play = HouseDriver(venue("generic-european"), table)
        notice = notice_state(play.house, TABLE)
        assert notice.least == least
        assert (notice.multiples is not None) is stated
        assert any("multiples" in each.rule for each in notice.rules) is stated


@pytest.mark.parametrize(
    ("name", "rule"), [("generic-european", ("zero", "4.1")), ("generic-european-partage", ("zero-half", "4.2"))]
)
def test_notice_says_what_zero_does(name: str, rule: tuple[str, str]) -> None:
    """The notice at a live table says by its clause that half comes back on zero, where it does."""
    play = HouseDriver(venue(name), TableSettings(live=LiveSettings(emblem="anchor"), confirms=True))
    stated = notice_state(play.house, TABLE)
    assert [(each.rule, each.clause) for each in stated.rules if each.rule.startswith("zero")] == [rule]
