"""Random variants: their odds and settlements are those of an enumeration, and every run and every crash holds."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from math import comb
from random import Random
from typing import Final

import pytest

from croupier.cli.main import run
from croupier.engine.ports import Request, Response
from croupier.house.ids import DeviceId, TableId
from croupier.house.rounds.closing import CloseBets
from croupier.journal.entry import IdempotencyKey
from croupier.rulebooks.schema import canonical
from croupier.rules.geometry import STRAIGHT, Pocket, Spot, SpotKey
from croupier.rules.notation import settle_slip
from croupier.rules.pricing import Settlement, spot_edge
from croupier.rules.progressive import PotAtStake
from croupier.rules.refusal import Code, Refusal
from croupier.rules.rulebook import PayoutTable, Rulebook
from croupier.simulation import run as runs
from croupier.simulation.auditor.payouts import ModelPayouts, Stakes
from croupier.simulation.checker import ResponseLog
from croupier.simulation.invariants import InvariantViolation
from croupier.simulation.run import RunTotals, SimulationRun, simulate_many
from croupier.simulation.scenarios import random_variant
from tests.rules.test_progressive import enumerated
from tests.support.campaign import many, portions

pytestmark = [pytest.mark.campaign, pytest.mark.untraced]

#: What a zero does with a unit that was placed for its spin and with one that was carried to it: what comes back, and
#: what goes on.
_EFFECTS: Final[Mapping[str, tuple[tuple[int | Fraction, int], tuple[int | Fraction, int]]]] = {
    "lose": ((0, 0), (0, 0)),
    "la_partage": ((Fraction(1, 2), 0), (Fraction(1, 2), 0)),
    "surrender": ((Fraction(1, 2), 0), (Fraction(1, 2), 0)),
    "en_prison": ((0, 1), (0, 0)),
    "en_prison_repeated": ((0, 1), (0, 1)),
    "en_prison_half": ((0, 1), (Fraction(1, 2), 0)),
    "en_prison_free": ((0, 1), (1, 0)),
}


def stream(seed: str) -> Random:
    return Random(seed)  # noqa: S311 - it must be reproducible


def numbers_of(book: Rulebook, spot: Spot) -> set[str]:
    """Read the numbers of a bet from its name, or from the box of its kind."""
    boxes = {bet: numbers for kind in book.kinds for bet, numbers in kind.boxes.items()}
    return set(boxes[spot.key] if spot.key in boxes else spot.key.split("/"))


def enumerated_edge(book: Rulebook, spot: Spot) -> Fraction:
    """Go through every number of the wheel for the spin of a unit, and for each spin to which it is carried."""
    order, paytable, rules = book.wheel.order, book.paytable, book.paytable.progressive
    if rules is not None and spot.kind == rules.kind:
        adds, covered = int(rules.stake * Fraction(rules.contributes)), len(numbers_of(book, spot))
        return 1 - enumerated(
            covered, len(order), adds=adds, seed=rules.seed, must=rules.must_hit_by, stake=rules.stake
        )
    price, wins = paytable.prices[spot.kind], numbers_of(book, spot)
    gross = 1 + Fraction(price.pays)
    if paytable.multipliers is not None and spot.kind == STRAIGHT:
        counts, multiples = paytable.multipliers.counts, paytable.multipliers.multiples
        # The draws of so many numbers in which this one is, of all such draws.
        ways = (
            each.weight * share(comb(len(order) - 1, each.numbers - 1), comb(len(order), each.numbers))
            for each in counts
        )
        drawn = sum(ways, Fraction(0)) * share(1, sum(each.weight for each in counts))
        mean = share(sum(each.weight * each.pays for each in multiples), sum(each.weight for each in multiples))
        gross = drawn * (1 + mean) + (1 - drawn) * gross

    def fate(pocket: Pocket, *, later: bool) -> tuple[Fraction, Fraction]:
        if pocket in wins and price.twice:
            return (gross, Fraction(0)) if later else (Fraction(0), Fraction(1))
        if pocket in wins:
            return (Fraction(1) if later else gross), Fraction(0)
        for zero in paytable.zeros:
            if zero.pocket == pocket and spot.kind in (zero.kinds or (spot.kind,)):
                back, on = _EFFECTS[zero.does.value][later]
                return Fraction(back), Fraction(on)
        return Fraction(0), Fraction(0)

    placed, carried = ([fate(pocket, later=later) for pocket in order] for later in (False, True))
    # A carried unit is worth what comes back of it and what it is worth again where it is carried again.
    again = len(order) - sum((on for _, on in carried), Fraction(0))
    worth = sum((back for back, _ in carried), Fraction(0)) * share(again.denominator, again.numerator)
    return 1 - sum((back + on * worth for back, on in placed), Fraction(0)) * share(1, len(order))


def share(part: int, whole: int) -> Fraction:
    return Fraction(part, whole)


def drawn_stakes(rng: Random, spots: list[SpotKey]) -> Stakes:
    return {spot: rng.randrange(1, 6_000) for spot in rng.sample(spots, rng.randrange(1, min(9, len(spots) + 1)))}


def states_of_a_round(rng: Random, book: Rulebook, stakes: Stakes) -> Iterator[tuple[PayoutTable, ModelPayouts]]:
    """Give the payouts of the house and of the auditor: plain, after a draw, for pots below and at their end."""
    felt, model = PayoutTable(book), ModelPayouts(book)
    yield felt, model
    drawn, rules = book.paytable.multipliers, book.paytable.progressive
    if drawn is not None:
        multiples = drawn.drawn(book.wheel.order, iter(lambda: rng.randrange(256), None))
        yield felt.drawn(multiples), model.drawn(multiples)
    staked = 0 if felt.progressive is None else stakes.get(felt.progressive, 0)
    if rules is not None and staked:
        for whole in (rules.seed + rng.randrange(rules.must_hit_by - rules.seed), rules.must_hit_by + 77):
            staked += rng.randrange(3_000)
            pot = PotAtStake(min(whole, rules.must_hit_by), whole, staked, 0, whole >= rules.must_hit_by)
            yield felt.playing_for(pot), model.playing_for((pot.amount, staked), on_all=pot.due)


@pytest.mark.parametrize("seeds", portions(day=8, night=1_000, size=20), ids=lambda seeds: f"{seeds.start}")
def test_odds_and_settlement_are_those_of_an_enumeration(seeds: range) -> None:
    """Every bet has the edge of an enumeration, and every number settles stakes as the auditor's model does."""
    for seed in seeds:
        rng = stream(f"variant {seed}")
        book = random_variant(rng)
        spots = list(book.spots)
        assert {key: (spot.kind, spot.covers) for key, spot in book.spots.items()} == {
            key: (kind, ModelPayouts(book).covers[key]) for key, kind in ModelPayouts(book).kinds.items()
        }
        for spot in book.spots.values():
            assert spot_edge(spot, book.paytable, book.wheel) == enumerated_edge(book, spot), (seed, spot)
        for _ in range(5):
            stakes = drawn_stakes(rng, spots)
            pot = PayoutTable(book).progressive
            carried = {} if book.paytable.carried is None else drawn_stakes(rng, [key for key in spots if key != pot])
            for felt, model in states_of_a_round(rng, book, stakes):
                for pocket in book.wheel.order:
                    returned, after = felt.carry(stakes, carried, pocket)
                    found = (felt.returned(stakes, pocket) + returned, after)
                    assert found == model.settles(stakes, carried, pocket), (seed, pocket, stakes, carried)
                    assert felt.returns(stakes)[book.pockets.index(pocket)] == model.brings(stakes, pocket), seed


@pytest.mark.parametrize("crash", [False, True], ids=["without crashes", "with crashes"])
def test_every_variant_holds(*, crash: bool) -> None:
    """Whatever the wheel, the bets, the zeros and the bonuses are, every step of a run holds and the books balance."""
    tally = simulate_many(range(many(day=4, night=1_000) // 2), crash=crash, variants=True)
    assert tally.settled > tally.seeds


class CrashingRun(SimulationRun):
    """A run by random rules in which the power fails after one step, and at no other."""

    def __init__(self, seed: int, at: int) -> None:
        super().__init__(seed, crash=False, variants=True)
        self._at = at

    def _fail(self) -> None:
        if self.step == self._at:
            self.machine.crash()


def bonus_seeds() -> list[int]:
    """Find the first seeds whose rules have a draw, a pot, and bets on two spins in a row, one of each."""
    wanted = ("multipliers", "progressive", "twice")
    found = dict[str, int]()
    for seed in range(1_000):
        paytable = SimulationRun(seed, crash=False, variants=True).scenario.rulebook.paytable
        has = {"twice": any(price.twice for price in paytable.prices.values())}
        for bonus in wanted:
            if has.get(bonus, getattr(paytable, bonus, None)):
                found.setdefault(bonus, seed)
        if len(found) == len(wanted):
            return [found[bonus] for bonus in wanted]
    raise AssertionError(found)


def test_crash_at_every_step_of_a_bonus_round_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a crash at any step of rounds with a draw, a pot and two spins in a row, the journal and books agree."""
    steps = 80
    monkeypatch.setattr(runs, "STEPS", (steps, steps))
    total = RunTotals()
    for seed in bonus_seeds():
        for at in range(1, steps + 1, many(day=40, night=1)):
            total.add(CrashingRun(seed, at).play())
    assert total.crashes == total.seeds
    assert total.settled > total.seeds


def test_variant_is_a_rulebook() -> None:
    """The same seed draws the same rules, and a slip is settled by them."""
    book = random_variant(stream("5"))
    assert canonical(book) == canonical(random_variant(stream("5")))
    assert canonical(book) != canonical(random_variant(stream("6")))
    settled = settle_slip(replace(book, limits=None), "5 on 17", result="17")
    assert isinstance(settled, Settlement)


def test_variants_have_no_live_table(capsys: pytest.CaptureFixture[str]) -> None:
    """Random rules are for terminals: a live table beside them is refused by name."""
    assert run(["simulate", "--variants", "--live"]) == 2
    assert "--live is played by the rules of a venue" in capsys.readouterr().err


def test_replaced_process_may_refuse_what_is_stale() -> None:
    """A refusal by a process that was replaced does not contradict a stale key, and an acceptance does."""
    log, request = ResponseLog(), Request(CloseBets(TableId("1")), DeviceId("console"), key=IdempotencyKey(1, 1))
    here = (request.device, IdempotencyKey(1, 1))
    log.note(Response(request, Refusal(Code.KEY_STALE, None, "")))
    log.on_answer(here, Code.OUT_OF_TURN)
    with pytest.raises(InvariantViolation):
        log.on_answer(here, "")
    other = Request(request.command, request.device, key=IdempotencyKey(1, 2))
    log.note(Response(other, Refusal(Code.BETS_CLOSED, None, "")))
    with pytest.raises(InvariantViolation):
        log.on_answer((request.device, IdempotencyKey(1, 2)), Code.OUT_OF_TURN)
