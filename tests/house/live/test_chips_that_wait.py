"""Chips in prison and between the two spins of a bet: random games of players, against a model of the rules."""

from dataclasses import replace
from random import Random
from typing import Final

import pytest

from croupier.house.ids import SYSTEM, Context, PositionId, RoundNumber
from croupier.house.live.carried_chips import ReleaseChips
from croupier.house.live.floats import DeclareGap
from croupier.house.live.payment_walk import PaySegment
from croupier.house.live.seats_and_colours import LeaveTable, RedeemColour, ReturnColour
from croupier.house.play.chip_bets import ClearChips, RemoveChips
from croupier.house.rounds.corrections import CorrectResult, preview_correction
from croupier.house.rounds.irregularities import CallNoSpin
from croupier.house.settings import LimitSettings, Recording, effective_limits
from croupier.house.state.ledger import LedgerAccount
from croupier.house.state.tables import Phase
from croupier.rulebooks.schema import canonical, read_canonical
from croupier.rules.geometry import Pocket, SpotKey, SpotKind
from croupier.rules.limits import Range
from croupier.rules.money import Cents
from croupier.rules.payouts import ChipId, ChipStakes, PayoutTerms, plan_payout
from croupier.rules.pricing import Release, ZeroEffect, ZeroRule
from croupier.rules.procedure import ChannelName, Reason
from croupier.rules.refusal import Refused
from croupier.rules.rulebook import PayoutTable, Rulebook
from croupier.server.views.live import walk_state
from tests.conftest import venue
from tests.support.campaign import portions
from tests.support.carried import CLAUSE, ODDS, Purse, french
from tests.support.house_driver import ADELAIDE, TABLE
from tests.support.live_driver import LiveFloor, live_settings

#: Half of a chip of five dollars is a sum of these.
DENOMINATIONS: Final = tuple(map(Cents, (50, 100, 500, 2_500)))
#: The effect of zero on even chances, and the kinds that win in two spins only.
FORMS: Final = (
    *((effect, ()) for effect in ZeroEffect if effect not in (ZeroEffect.LOSE, ZeroEffect.SURRENDER)),
    (ZeroEffect.EN_PRISON_REPEATED, ("dozen",)),
    (ZeroEffect.LA_PARTAGE, ("red", "black")),
)
SPOTS: Final = (*ODDS,)
NUMBERS: Final = ("0", "0", "1", "2", "17", "20", "32")
P1, RED = PositionId(1), SpotKey("red")


class Game(LiveFloor):
    """A live table whose rules carry stakes, with two players and the model of each."""

    def __init__(self, effect: ZeroEffect, twice: tuple[str, ...] = (), *, release: Release = Release.HALF) -> None:
        book = french(effect, twice=twice, release=release)
        super().__init__(book, denominations=DENOMINATIONS)
        self.boss = self.enrol("Shift Manager", "boss")
        spots = frozenset(spot for spot in SPOTS if spot.split(" ")[0] in twice)
        self.purses = {position: Purse(effect.value, spots) for position in self.players}
        for position, colour in zip(self.players, ("blue", "green"), strict=True):
            self.buy(position, 2_000, colour, 5)

    def begin(self, bets: dict[PositionId, dict[str, int]]) -> None:
        """Open a round unless it is, take up what stayed, and place pieces."""
        if self.table.phase is not Phase.OPEN:
            self.open()
        self.clear()
        for position, pieces in bets.items():
            if pieces:
                self.place(position, self.player(position).colours[0], pieces)
        for position, purse in self.purses.items():
            purse.rounds.append(({spot: 500 * n for spot, n in bets.get(position, {}).items()}, None))

    def clear(self) -> None:
        for position in self.players:
            if self.player(position).pieces:
                self.deal(ClearChips(TABLE, position))

    def number(self, number: str) -> None:
        self.result(number)
        self.said(self.table.rounds, number)

    def said(self, round_: int, number: str) -> None:
        for purse in self.purses.values():
            purse.rounds[round_ - 1] = (purse.rounds[round_ - 1][0], number)

    def whole(self, number: str, *bets: dict[str, int]) -> None:
        """Play a whole round."""
        self.begin(dict(zip(self.players, bets, strict=False)))
        self.number(number)
        self.pay_all()
        self.compare()

    def correct(self, round_: int, number: str) -> None:
        """Correct a number; the preview promises what then happens."""
        command = CorrectResult(TABLE, RoundNumber(round_), Pocket(number), "Seen.")
        before = self.balance(LedgerAccount.HOUSE)
        preview = preview_correction(self.house, command, Context(self.now, SYSTEM))
        self.signed(command, "pit boss", self.boss)
        assert self.balance(LedgerAccount.HOUSE) - before == preview.house
        self.said(round_, number)

    def compare(self) -> None:
        """What waits, and what the house has won, are as the model has them."""
        won = 0
        for position, purse in self.purses.items():
            total, waits = purse.play()
            won += total
            assert self.house.positions[position].carried == waits, (position, purse)
        assert self.balance(LedgerAccount.HOUSE) + self.balance(LedgerAccount.IMPRISONED) == -won, self.purses


@pytest.mark.parametrize(("pieces", "back", "taken", "sum_"), [(4, 2, 2, 1_000), (5, 2, 3, 1_250), (1, 0, 1, 250)])
def test_walk_says_what_goes_back_of_a_halved_bet(pieces: int, back: int, taken: int, sum_: int) -> None:
    """Of a bet of which half is lost the walk has the whole pieces that go back, those taken, and the sum."""
    game = Game(ZeroEffect.LA_PARTAGE)
    game.begin({P1: {"red": pieces}})
    game.result("0")

    walk = walk_state(game.house, TABLE)

    assert walk is not None
    [row] = [each for each in walk.positions if each.position == P1]
    assert row.returned == {RED: {"blue": back} if back else {}}
    assert (row.collected, walk.amount) == ((("blue", taken),), sum_)


@pytest.mark.campaign
@pytest.mark.parametrize(("effect", "twice"), FORMS, ids=str)
@pytest.mark.parametrize("seeds", portions(day=6, night=1_000, size=100), ids=str)
def test_chips_have_what_a_model_of_the_rules_gives(seeds: range, effect: ZeroEffect, twice: tuple[str, ...]) -> None:
    """Whatever numbers come and are corrected, before, between and after payments, chips wait by the rules."""
    for seed in seeds:
        chance, game = Random(f"{effect} {twice} {seed}"), Game(effect, twice)  # noqa: S311 - repeatable
        for number in range(1, 7):
            game.open()
            if number > 1 and chance.random() < 0.3:
                game.correct(number - 1, _other(game, chance, number - 1))
            game.begin(
                {each: {spot: chance.randint(1, 5) for spot in chance.sample(SPOTS, 2)} for each in game.players}
            )
            game.close()
            if number > 2 and chance.random() < 0.2:
                game.correct(number - 2, _other(game, chance, number - 2))
            game.number(chance.choice(NUMBERS))
            if chance.random() < 0.3:
                if chance.random() < 0.5 and not game.walk.collected:
                    game.collect()
                game.correct(number, _other(game, chance, number))
            game.pay_all()
            game.compare()
            if chance.random() < 0.3:
                chosen = chance.randint(max(1, number - 2), number)
                game.correct(chosen, _other(game, chance, chosen))
                game.compare()
            _pay_corrections(game)


def _other(game: Game, chance: Random, round_: int) -> str:
    found = game.table.find_round(RoundNumber(round_))
    assert found is not None
    return chance.choice([each for each in NUMBERS if each != found.pocket])


def _pay_corrections(game: Game) -> None:
    for position in game.players:
        if game.player(position).payable:
            game.mark()
            game.deal(PaySegment(TABLE, game.table.rounds, "correction", position))


def test_chips_in_prison_are_not_touched() -> None:
    """Chips in prison are not taken back, moved, redeemed or cleared, and a bet beside them is a bet of its own."""
    game = Game(ZeroEffect.EN_PRISON)
    game.whole("0", {"red": 3})
    assert game.player(P1).carried == {"red": {"blue": 3}}
    game.open()
    assert game.refuses(RemoveChips(TABLE, P1, (RED,)))[0] == "nothing_there"
    assert game.refuses(ClearChips(TABLE, P1))[0] == "nothing_there"
    game.place(P1, "blue", red=2)
    game.deal(ClearChips(TABLE, P1))
    assert (game.player(P1).pieces, game.player(P1).carried) == ({}, {"red": {"blue": 3}})
    assert game.refuses(RedeemColour(TABLE, P1, "blue", 400))[0] == "chips_short"
    assert game.refuses(ReturnColour(TABLE, "blue", 1_000)) == ("chips_outstanding", "1")
    assert game.refuses(LeaveTable(TABLE, P1)) == ("chips_outstanding", "1")
    assert game.refuses(game.placing(P1, "blue", red=398))[0] == "chips_short"


def test_spin_that_does_not_count_leaves_chips_in_prison() -> None:
    """After a no spin the chips wait for the next one, also if it was called before the first payment."""
    game = Game(ZeroEffect.EN_PRISON)
    game.whole("0", {"red": 3})
    game.begin({})
    game.close()
    game.deal(CallNoSpin(TABLE, Reason.TOO_FEW_REVOLUTIONS))
    assert game.player(P1).carried == {"red": {"blue": 3}}


@pytest.mark.parametrize(("release", "returned", "house"), [(Release.HALF, 750, 750), (Release.WHOLE, 1_500, 0)])
def test_player_who_leaves_gives_chips_up(release: Release, returned: int, house: int) -> None:
    """Half or all of what waits goes back in whole pieces, the part of one is paid, and then the colour is returned."""
    game = Game(ZeroEffect.EN_PRISON, release=release)
    game.whole("0", {"red": 3})
    (event,) = game.deal(ReleaseChips(TABLE, P1))
    assert (event.carried, event.returned) == (1_500, returned)  # type: ignore[attr-defined]
    assert (game.balance(LedgerAccount.IMPRISONED), game.balance(LedgerAccount.HOUSE)) == (0, house)
    assert game.refuses(ReleaseChips(TABLE, P1))[0] == "nothing_there"
    _pay_corrections(game)
    left = game.out() or 0
    game.deal(RedeemColour(TABLE, P1, "blue", left))
    game.deal(ReturnColour(TABLE, "blue", 1_000))
    game.deal(LeaveTable(TABLE, P1))


def test_correction_pays_a_player_who_left_what_was_given_up() -> None:
    """A player who has left has of a number corrected to zero what leaving returns, as a payment by name."""
    game = Game(ZeroEffect.EN_PRISON)
    game.whole("2", {"red": 2})
    game.deal(RedeemColour(TABLE, P1, "blue", 398))
    game.deal(ReturnColour(TABLE, "blue", 1_000))
    game.deal(LeaveTable(TABLE, P1))
    game.signed(CorrectResult(TABLE, RoundNumber(1), Pocket("0"), "Seen."), "pit boss", game.boss)
    assert game.live.left[P1].payable == 500
    assert game.balance(LedgerAccount.IMPRISONED) == 0


def test_round_is_not_corrected_while_a_later_one_is_paid() -> None:
    """What an earlier round carries changes a later one: its number is corrected when that is paid."""
    game = Game(ZeroEffect.EN_PRISON)
    game.whole("0", {"red": 2})
    game.begin({P1: {"dozen 1": 1}})
    game.number("2")
    correct = CorrectResult(TABLE, RoundNumber(1), Pocket("2"), "Seen.")
    assert game.refuses(correct, "pit boss")[0] == "not_all_paid"
    assert game.refuses(RedeemColour(TABLE, P1, "blue", 1))[0] == "not_all_paid"
    game.pay_all()
    game.correct(1, "2")
    game.compare()


def test_gap_hands_chips_in_prison_back() -> None:
    """While play is not on record, no chip waits: a count finds what became of it."""
    game = Game(ZeroEffect.EN_PRISON)
    game.whole("0", {"red": 2})
    game.deal(DeclareGap(TABLE, "The tablet was off."), game.inspector)
    assert (game.player(P1).carried, game.balance(LedgerAccount.IMPRISONED)) == ({}, 0)


def test_live_table_of_such_rules_records_every_bet() -> None:
    """A table that records winning bets only cannot know which chips wait: such settings are refused."""
    book: Rulebook = french(ZeroEffect.EN_PRISON)
    with pytest.raises(Refused, match="setting_impossible"):
        LiveFloor(book, live_settings(book, recording=Recording.SUPERVISED))


def test_bet_over_the_maximum_waits_up_to_it() -> None:
    """Of a bet over the maximum what counts waits in whole pieces, and the excess goes back."""
    game = Game(ZeroEffect.EN_PRISON)
    game.begin({P1: {"red": 25}})
    game.number("0")
    assert (game.player(P1).carried, game.player(P1).pieces) == ({"red": {"blue": 20}}, {})
    assert game.out() == 400


def test_marker_bet_waits_under_its_button() -> None:
    """Where zero imprisons numbers too, a marker bet waits whole, and a number of it that wins frees a fifth."""
    table = venue(ADELAIDE)
    zeros = (ZeroRule(Pocket("0"), CLAUSE, (), ZeroEffect.EN_PRISON_HALF),)
    carried = french(ZeroEffect.EN_PRISON).paytable.carried
    book = replace(table, paytable=replace(table.paytable, zeros=zeros, carried=carried), digest="")
    felt, terms = PayoutTable(read_canonical(canonical(book))), PayoutTerms(DENOMINATIONS, {})
    pieces = {SpotKey("neighbours 17"): {ChipId("v500"): 10}}
    limits = effective_limits(book, book.channels[ChannelName.TABLE], LimitSettings()).limits
    (first,) = plan_payout(felt, Pocket("0"), [ChipStakes(1, pieces, limits)], terms).positions
    assert (first.carried, first.collected) == (pieces, 0)
    waits = [ChipStakes(1, {}, limits, carried=pieces)]
    found = {each: plan_payout(felt, Pocket(each), waits, terms).positions[0] for each in ("25", "3", "0")}
    assert {each: (plan.collected, plan.returned) for each, plan in found.items()} == {
        "25": (40_00, {"neighbours 17": {"v500": 2}}),
        "3": (50_00, {}),
        "0": (25_00, {"neighbours 17": {"v500": 5}}),
    }


def test_halves_under_a_notice_are_one_amount() -> None:
    """Under a notice the parts of chips of all halves are rounded down together, by the highest minimum of the bets."""
    table = venue(ADELAIDE)
    zeros = (ZeroRule(Pocket("0"), CLAUSE, (), ZeroEffect.LA_PARTAGE),)
    book = replace(table, paytable=replace(table.paytable, zeros=zeros), digest="")
    felt = PayoutTable(read_canonical(canonical(book)))
    terms = PayoutTerms((Cents(500),), {ChipId("blue"): Cents(500)}, multiples=True)
    ranges = {SpotKind("red"): Range(Cents(1_000), None), SpotKind("even"): Range(Cents(500), None)}
    limits = replace(effective_limits(book, book.channels[ChannelName.TABLE], LimitSettings()).limits, kinds=ranges)
    bets = {SpotKey(spot): {ChipId("blue"): 3} for spot in ("even", "red", "odd")}
    plan = plan_payout(felt, Pocket("0"), [ChipStakes(1, bets, limits)], terms)
    # Of each bet of 15 whole chips of 5 go back and 2.50 is due; 7.50 of 45 is under a multiple of 10.
    assert [(each.due, each.paid) for each in plan.payments] == [(7_50, 0)]
    (note,) = plan.positions[0].notes
    assert (note.spot, note.before, note.after) == ("red", 7_50, 0)


def test_marker_bet_is_halved() -> None:
    """Where zero returns half of bets on numbers, it does so of a marker bet that does not cover it."""
    table = venue(ADELAIDE)
    zeros = (ZeroRule(Pocket("0"), CLAUSE, (), ZeroEffect.LA_PARTAGE),)
    book = replace(table, paytable=replace(table.paytable, zeros=zeros), digest="")
    felt, terms = PayoutTable(read_canonical(canonical(book))), PayoutTerms(DENOMINATIONS, {})
    limits = effective_limits(book, book.channels[ChannelName.TABLE], LimitSettings()).limits
    stakes = ChipStakes(1, {SpotKey("neighbours 17"): {ChipId("v500"): 10}}, limits)
    (plan,) = plan_payout(felt, Pocket("0"), [stakes], terms).positions
    assert (plan.collected, plan.returned) == (25_00, {"neighbours 17": {"v500": 5}})
