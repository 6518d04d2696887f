"""What demo bots do in a round: within the limits and the credit, each by its strategy."""

import dataclasses
from collections.abc import Iterator
from random import Random
from typing import Final

import msgspec
import pytest
from msgspec.structs import replace

from croupier.client.bots import (
    STRATEGIES,
    BotAction,
    BotRound,
    Caller,
    Careful,
    Casher,
    Numbers,
    PatternSaver,
    Sleeper,
    Splashy,
    Strategy,
)
from croupier.client.session import CollectRequest, Game, InsertNoteRequest, InsertTicketRequest, View
from croupier.house.ids import RoundNumber, TableId
from croupier.house.play.betting import ClearBets, DoubleBets, PlaceBets, RepeatBets, UndoBet
from croupier.house.play.patterns import ConfirmRecall, RecallPattern, SavePattern
from croupier.protocol.inbound import Practice
from croupier.protocol.outbound import SlipPrinted
from croupier.protocol.terminal import FeltSpec, Fixture, KindLimits
from croupier.rules.geometry import COMMON_KINDS, Pocket, SpotKey, SpotKind
from croupier.rules.money import Cents
from croupier.rules.procedure import CreditOut
from croupier.rules.rulebook import Rulebook
from croupier.server.views.felt import felt_data
from tests.conftest import venue

A: Final = TableId("A")
B: Final = TableId("B")


def felt(rulebook: Rulebook) -> FeltSpec:
    return msgspec.json.decode(felt_data(rulebook).body, type=FeltSpec)


def bot_round(
    name: str = "marina-bay-sands-2020", *, least: int = 500, most: int | None = 50_000, credit: int = 100_000
) -> BotRound:
    """A seat with credit, at which every kind of bet has the same limits."""
    spec = felt(venue(name))
    fixture = Fixture(
        terminal="A-1",
        currency="SGD",
        felt="",
        practice=False,
        denominations=(100,),
        chips=(1, 5, 10),
        notes=(1_000, 10_000),
        tickets=spec.tickets,
        table_ids=(A,),
        break_minutes=0,
    )
    game = Game(limits={kind: KindLimits(kind, least, most, None) for kind in COMMON_KINDS})
    view = View(fixture, credit=credit, denomination=100, in_service=True, games={A: game})
    random = Random(7)  # noqa: S311 - it must be the same every time
    return BotRound(view, spec, random, A, RoundNumber(3), 1)


def game(turn: BotRound) -> Game:
    return turn.view.games[A]


def lay(turn: BotRound, **chips: int) -> None:
    """Have chips lie there."""
    game(turn).chips = {SpotKey(spot): stake for spot, stake in chips.items()}
    game(turn).staked = sum(chips.values())


def done(strategy: Strategy, turn: BotRound) -> list[BotAction]:
    """Do everything, each bet as it is taken by the house."""
    actions = []
    for action in strategy.actions(turn):
        actions.append(action)
        taken = game(turn)
        if isinstance(action, PlaceBets):
            for spot, stake in action.bets:
                taken.chips[SpotKey(spot)] = taken.chips.get(SpotKey(spot), 0) + stake
                taken.staked += stake
                turn.view.credit -= stake
        elif isinstance(action, ClearBets):
            turn.view.credit += taken.staked
            taken.chips, taken.staked = {}, 0
    return actions


def bets(actions: list[BotAction]) -> dict[str, int]:
    return dict(bet for action in actions if isinstance(action, PlaceBets) for bet in action.bets)


def kinds(actions: list[BotAction]) -> list[str]:
    return [type(action).__name__ for action in actions]


# Limits and means.


@pytest.mark.parametrize(
    ("least", "most", "chips", "stake"),
    [
        (500, 50_000, 1, 500),
        (500, 50_000, 3, 1_500),
        (501, 50_000, 1, 1_000),
        (600, 50_000, 1, 1_000),
        (1_150, 50_000, 1, 1_200),
        (0, 50_000, 1, 100),
        (500, 1_250, 3, 1_200),
        (500, None, 9, 4_500),
        (550, 580, 1, None),
    ],
)
def test_stake_is_of_whole_chips_within_the_limits(least: int, most: int | None, chips: int, stake: int | None) -> None:
    """The smallest chip that the least takes is put down so many times, up to the most; nothing where none fits."""
    turn = bot_round(least=least, most=most)
    placed = list(turn.place(turn.felt.spots[:1], chips))

    assert bets([*placed]) == ({} if stake is None else {turn.felt.spots[0].key: stake})


@pytest.mark.parametrize(
    ("credit", "total_most", "staked", "placed"),
    [(1_500, None, 0, 3), (1_499, None, 0, 2), (499, None, 0, 0), (9_000, 1_000, 0, 2), (9_000, 1_000, 800, 0)],
)
def test_chips_go_as_far_as_the_means(credit: int, total_most: int | None, staked: int, placed: int) -> None:
    """Nothing is put beyond the credit and the most in all."""
    turn = bot_round(credit=credit)
    game(turn).total_most, game(turn).staked = total_most, staked

    assert len(bets([*turn.place(turn.felt.spots[:3])])) == placed


def test_spot_that_is_full_takes_no_more() -> None:
    """What lies on a spot counts towards its most, for a chip and for doubling."""
    turn = bot_round(most=900)
    lay(turn, **{"17": 500})
    one = [spot for spot in turn.felt.spots if spot.key in ("17", "18")]

    assert set(bets([*turn.place(one)])) == {"18"}
    assert list(turn.double()) == []


@pytest.mark.parametrize(("staked", "credit", "doubles"), [(500, 500, True), (500, 499, False), (0, 500, False)])
def test_doubling_needs_as_much_again(staked: int, credit: int, *, doubles: bool) -> None:
    """Chips are doubled where there are some and the credit is enough."""
    turn = bot_round(credit=credit)
    if staked:
        lay(turn, **{"17": staked})

    assert kinds([*turn.double()]) == ["DoubleBets"] * doubles


@pytest.mark.parametrize(
    ("total_least", "staked", "credit", "most", "added"),
    [
        (1_000, 600, 9_000, 50_000, {"17": 400}),
        (1_050, 600, 9_000, 50_000, {"17": 500}),
        (1_000, 1_000, 9_000, 50_000, {}),
        (1_000, 600, 300, 50_000, {}),
        (1_000, 600, 9_000, 800, {}),
        (1_000, 0, 9_000, 50_000, {}),
        (None, 600, 9_000, 50_000, {}),
    ],
)
def test_least_in_all_is_filled_up(
    total_least: int | None, staked: int, credit: int, most: int, added: dict[str, int]
) -> None:
    """What is missing to the least in all is added where it can be, and nothing where nothing lies."""
    turn = bot_round(credit=credit, most=most)
    game(turn).total_least = total_least
    if staked:
        lay(turn, **{"17": staked})

    assert bets([*turn.reach_minimum()]) == added


@pytest.mark.parametrize(("credit", "notes"), [(2_000, 0), (1_999, 1), (0, 8)])
def test_money_is_put_in_where_little_is_left(credit: int, notes: int) -> None:
    """With less than four of the dearest bets notes are put in, one after the other, until there is enough."""
    turn = bot_round(credit=credit)
    actions = []
    for action in turn.buy_in():
        actions.append(action)
        turn.view.credit += 10_000 if credit else 0

    assert actions == [InsertNoteRequest(Cents(10_000))] * notes


def test_ticket_in_the_hand_is_put_in_first() -> None:
    """Where tickets are taken the player comes back with the last one; chips and slips are taken elsewhere."""
    turn = bot_round("clearwater-etg", credit=0)
    slip = SlipPrinted(
        sequence=1, form="ticket", number="1", amount=1, currency="USD", issued_at_us=0, venue="", terminal="A-1"
    )
    others = [
        replace(slip, number=number, form=form.value)
        for number, form in (("3", CreditOut.CHIPS), ("4", CreditOut.PAYMENT_SLIP))
    ]
    for each in (slip, replace(slip, number="2"), *others):
        turn.view.apply_slip(each)

    assert [each.number for each in turn.view.slips] == ["1", "2", "4"]
    assert next(turn.buy_in()) == InsertTicketRequest("2")
    assert isinstance(next(turn.buy_in()), InsertNoteRequest)


def test_practice_seat_is_given_play_money() -> None:
    """Where no notes are taken, credits that are worth nothing are asked for once."""
    turn = bot_round(credit=0)
    assert turn.view.fixture is not None
    turn.view.fixture = replace(turn.view.fixture, practice=True)

    assert list(turn.buy_in()) == [Practice()]


@pytest.mark.parametrize(("credit", "most", "called"), [(2_500, 500, True), (2_499, 500, False), (2_500, 499, False)])
def test_call_is_made_with_the_least_on_every_piece(credit: int, most: int, *, called: bool) -> None:
    """A call is made where every piece takes the least and the credit is enough for all of them."""
    turn = bot_round(credit=credit, most=most)
    call = next(each for each in turn.felt.calls if each.name == "neighbours")

    assert bets([*turn.call(call.ways[0])]) == ({call.ways[0].said: 500} if called else {})


# Strategies.


@pytest.mark.parametrize("strategy", dict.fromkeys(STRATEGIES))
def test_everybody_keeps_to_limits_and_means(rulebook: Rulebook, strategy: type[Strategy]) -> None:
    """Whatever the strategy and the venue, no spot exceeds its maximum and no stake the credit."""
    turn, somebody = bot_round(rulebook.id, most=1_000, credit=12_000), strategy()
    for _ in range(60):
        done(somebody, turn)

        assert turn.view.credit >= 0
        spots = {spot.key: turn.chips.get(spot.key, 0) for spot in turn.felt.spots}
        assert max(spots.values()) <= 1_000


def each_turn(strategy: Strategy, turn: BotRound, turns: int) -> Iterator[list[str]]:
    for _ in range(turns):
        yield kinds(done(strategy, turn))


def test_careful_player_lets_nothing_lie() -> None:
    """What lies there is taken back before an even chance is bet on."""
    turn = bot_round()
    lay(turn, red=500)

    assert next(each_turn(Careful(), turn, 1))[:2] == ["ClearBets", "PlaceBets"]
    assert (
        sum(spot.kind in (SpotKind("dozen"), SpotKind("column")) for spot in turn.felt.spots if spot.key in turn.chips)
        <= 1
    )


def test_splashy_player_takes_back_and_doubles() -> None:
    """Over some turns there are many chips, some taken back and some doubled."""
    turn, splashy = bot_round(credit=10_000_000, most=None), Splashy()
    seen = [kind for each in each_turn(splashy, turn, 30) for kind in each]

    assert seen.count("PlaceBets") >= 90
    assert {UndoBet.__name__, DoubleBets.__name__} <= set(seen)


def test_numbers_are_played_again() -> None:
    """The same numbers are repeated, and put anew where nothing came of that."""
    turn, numbers = bot_round(), Numbers()
    first = bets(done(numbers, turn))
    again = kinds(done(numbers, turn))
    lay(turn)
    third = done(numbers, turn)

    assert (len(first), again, isinstance(third[0], RepeatBets), bets(third)) == (3, [], True, first)


def test_numbers_are_played_at_each_table() -> None:
    """At another table of the same terminal, where nothing was bet, nothing is repeated: numbers are chosen there."""
    turn, numbers = bot_round(), Numbers()
    done(numbers, turn)
    turn.view.games[B] = Game(limits=game(turn).limits)
    other = list(numbers.actions(dataclasses.replace(turn, table=B)))

    assert [type(action) for action in other] == [PlaceBets]
    assert len(bets(other)) == 3


def test_caller_without_calls_bets_on_neighbours() -> None:
    """Where no call is offered, five numbers that lie together in the wheel are bet on."""
    turn = bot_round("skycity-adelaide-2003")
    order = [each.pocket for each in turn.felt.wheel]
    placed = sorted(order.index(Pocket(spot)) for spot in bets(done(Caller(), turn)))

    assert len(placed) == 5
    assert (
        sum((later - sooner) % len(order) == 1 for sooner, later in zip(placed, [*placed[1:], placed[0]], strict=True))
        == 4
    )


def test_pattern_is_saved_once_and_recalled() -> None:
    """A pattern is saved where there is a place for one, and recalled and confirmed from then on."""
    turn, saver = bot_round("clearwater-etg"), PatternSaver()
    assert kinds(done(saver, turn)) == ["PlaceBets", SavePattern.__name__]
    turn.view.patterns = {"1": {}}
    assert kinds(done(saver, turn)) == ["ClearBets", RecallPattern.__name__]
    game(turn).ghosts = {turn.felt.spots[0].key: 500}

    assert kinds(done(saver, turn)) == [RecallPattern.__name__, ConfirmRecall.__name__]


@pytest.mark.parametrize(("name", "credit"), [("marina-bay-sands-2020", 100_000), ("clearwater-etg", 400)])
def test_nothing_is_saved_where_nothing_can_be(name: str, credit: int) -> None:
    """Where there is no place for a pattern, or nothing lies there, none is saved."""
    assert SavePattern.__name__ not in kinds(done(PatternSaver(), bot_round(name, credit=credit)))


def test_sleeper_sits_three_spins_out() -> None:
    """After a spin that was bet on, three are not, and then one is again."""
    turn = bot_round()
    placed = ["PlaceBets" in each for each in each_turn(Sleeper(), turn, 9)]

    assert placed == [True, False, False, False] * 2 + [True]


def test_casher_takes_everything_and_comes_back() -> None:
    """Every sixth turn the chips are taken back and the credits collected, where there are any."""
    turn, casher = bot_round(), Casher()
    turns = list(each_turn(casher, turn, 11))
    assert turns[5] == ["ClearBets", CollectRequest.__name__]
    lay(turn)
    turn.view.credit = 0

    assert done(casher, turn) == []
