"""Partners at a live table: one maximum for all, with what markers bring to a number, and a link found late."""

import random
from collections import Counter
from typing import Any

import pytest

from croupier.house import House, evolve
from croupier.house.declare import Events
from croupier.house.floor.service import NotifyOfficer
from croupier.house.ids import Number, PositionId
from croupier.house.live.arrangements import ArrangeVip
from croupier.house.live.chip_settlement import BetCapped, payout_plan
from croupier.house.live.floats import FillFloat
from croupier.house.live.partners import LinkPlayers, PlayersLinked, PlayersUnlinked, UnlinkPlayers
from croupier.house.live.payment_walk import AmendSeal, LosersCollected
from croupier.house.live.seats_and_colours import RedeemColour, in_hand
from croupier.house.live.supervised import RecordWinner
from croupier.house.play.chip_bets import MoveChips, UndoChips
from croupier.house.rounds.corrections import CorrectResult
from croupier.house.settings import Recording
from croupier.house.state.live import Advice
from croupier.rulebooks.schema import read_canonical
from croupier.rules.geometry import Pocket, SpotKey
from croupier.rules.money import Cents
from croupier.rules.refusal import ClauseId, Code
from croupier.server.views.live import live_state
from tests.support.campaign import portions
from tests.support.house_driver import ADELAIDE, TABLE, cents, limits, refused
from tests.support.live_driver import LiveFloor

CLAUSE = ClauseId("12(e) first")


def opened(**live: Any) -> LiveFloor:  # noqa: ANN401 - any setting
    """An open round of three players."""
    floor = LiveFloor(players=("one", "two", "three"), **live)
    floor.open()
    return floor


def link(floor: LiveFloor, *positions: PositionId) -> PlayersLinked:
    linked, *_ = floor.deal(LinkPlayers(TABLE, positions), floor.inspector)
    assert isinstance(linked, PlayersLinked)
    return linked


def over(spot: str, stake: int, counts: int) -> Advice:
    return Advice(Code.PARTNERSHIP_OVER_MAXIMUM, CLAUSE, SpotKey(spot), cents(stake), cents(counts))


def capped(events: Events) -> list[tuple[int, str, float, float, str]]:
    """List what was capped: position, spot, amounts in dollars, clause."""
    found = (event for event in events if isinstance(event, BetCapped))
    return [(each.position, each.spot, each.stake / 100, each.settled / 100, each.clause) for each in found]


def caps(floor: LiveFloor, pocket: str) -> list[tuple[int, str, float, float, str]]:
    """Settle on a number, and list what was capped: position, spot, amounts in dollars, clause."""
    return capped(floor.result(pocket))


def unpaid(floor: LiveFloor) -> dict[tuple[str, PositionId], int]:
    """List the payments that are not made."""
    return {(item.segment, item.position): item.amount for item in floor.walk.items if not item.made}


def swept(floor: LiveFloor) -> int | None:
    """Collect the losing bets; return their amount."""
    (collected,) = floor.collect()
    assert isinstance(collected, LosersCollected)
    return collected.amount


@pytest.mark.clause(ADELAIDE, "12(e) first")
@pytest.mark.parametrize(
    ("pocket", "capped", "collected", "paid"),
    [
        ("17", (1, "17", 80, 60, CLAUSE), 0, {1: 2_100, 2: 1_400}),
        ("5", (1, "17", 80, 60, CLAUSE), 100, {}),
    ],
)
def test_link_found_after_the_bets_caps_what_is_paid_and_collected(
    pocket: str, capped: tuple[int, str, int, int, str], collected: int, paid: dict[int, int]
) -> None:
    """40 and then 80 on 17 are 100 for partners: the later chips are over, win or lose, and the link advises so."""
    floor = opened()
    one, two, _ = floor.players
    floor.place(two, "v500", {"17": 8})
    floor.place(one, "v500", {"17": 16})
    assert link(floor, one, two).advice == ((one, over("17", 80, 60)),)
    assert isinstance(shown := live_state(floor.house, TABLE).players, dict)
    assert [each.code for player in shown.values() if player for each in player.advice] == ["partnership_over_maximum"]
    assert caps(floor, pocket) == [capped]
    assert floor.player(one).pieces == ({"17": {"v500": 16}} if paid else {})
    if collected:
        assert swept(floor) == cents(collected)
    assert floor.pay_all() == {position: cents(amount) for position, amount in paid.items()}
    floor.check()


@pytest.mark.clause(ADELAIDE, "12(e) first")
def test_later_chips_are_over_the_maximum_entry_by_entry() -> None:
    """50, the partner's 90 and 10 more are 50 and 50; what was taken back again was the last."""
    floor = opened()
    one, two, _ = floor.players
    floor.place(one, "v500", red=10)
    floor.place(two, "v500", red=20)
    floor.place(one, "v500", red=4)
    floor.deal(floor.removing(two, "red"))
    floor.place(two, "v500", red=18)
    floor.place(one, "v500", red=2)
    link(floor, one, two)
    assert caps(floor, "5") == [(1, "red", 80, 70, CLAUSE), (2, "red", 90, 30, CLAUSE)]
    assert floor.pay_all() == {one: cents(70), two: cents(30)}


@pytest.mark.clause(ADELAIDE, "12(e) first")
@pytest.mark.clause(ADELAIDE, "12(f)")
def test_partners_have_maxima_of_their_own_too() -> None:
    """130 on black is 100 by 12(f), and leaves nothing for the partner by 12(e); the chips that won stay."""
    floor = opened()
    one, two, three = floor.players
    floor.place(one, "v500", black=26)
    floor.place(two, "v500", black=2)
    floor.place(three, "v500", black=2)
    link(floor, one, two)
    assert caps(floor, "17") == [(1, "black", 130, 100, "12(f)"), (2, "black", 10, 0, CLAUSE)]
    assert floor.player(two).pieces == {"black": {"v500": 2}}
    assert floor.pay_all() == {one: cents(100), three: cents(10)}


@pytest.mark.clause(ADELAIDE, "12(e) first")
@pytest.mark.clause(ADELAIDE, "6(j)")
@pytest.mark.parametrize(
    ("pocket", "capped", "collected", "paid"),
    [
        ("15", [(2, "15", 60, 10, CLAUSE)], 240, {1: 3_150, 2: 350}),
        ("26", [], 330, {2: 2_100}),
        ("19", [], 390, {}),
    ],
)
def test_markers_count_on_the_number_that_they_come_to(
    pocket: str, capped: list[tuple[int, str, int, int, str]], collected: int, paid: dict[int, int]
) -> None:
    """90 on 15 and a partner's 300 on neighbours 0 are 150 on 15; on another number each is its own."""
    floor = opened()
    one, two, _ = floor.players
    floor.place(one, "v500", {"15": 18})
    floor.place(two, "v500", {"neighbours 0": 60})
    assert link(floor, one, two).advice == ((two, over("15", 60, 10)),)
    assert caps(floor, pocket) == capped
    assert swept(floor) == cents(collected)
    assert floor.pay_all() == {position: cents(amount) for position, amount in paid.items()}


@pytest.mark.clause(ADELAIDE, "12(e) first")
def test_markers_of_partners_on_one_number_have_one_maximum() -> None:
    """300 and 400 under one button are 500 for partners, whether they win or lose."""
    for pocket, paid in (("15", {1: 2_100, 2: 1_400}), ("19", {})):
        floor = opened()
        one, two, _ = floor.players
        floor.place(one, "v500", {"neighbours 0": 60})
        floor.place(two, "v500", {"neighbours 0": 80})
        link(floor, one, two)
        assert caps(floor, pocket) == [(2, "neighbours 0", 400, 200, CLAUSE)]
        assert floor.pay_all() == {position: cents(amount) for position, amount in paid.items()}
        floor.check()


@pytest.mark.clause(ADELAIDE, "12(e) first")
def test_partner_with_an_arrangement_sets_the_maximum_of_both() -> None:
    """With a personal maximum of 500, partners have 500 together, and the other 100 of them at most."""
    floor = LiveFloor(players=("one", "two"))
    one, two = floor.players
    floor.deal(NotifyOfficer(TABLE, "An arrangement."), floor.chief)
    floor.at(300)
    floor.deal(ArrangeVip(TABLE, (one,), "Signed.", straight_only=False, limits=limits(5, 500)), floor.chief)
    link(floor, one, two)
    floor.open()
    floor.place(one, "v10000", red=4)
    floor.place(two, "v10000", red=1)
    assert refused(floor.by(floor.dealer, floor.placing(one, "v500", red=1)))[0] == "partnership_over_maximum"
    floor.deal(UnlinkPlayers(TABLE, Number(1)), floor.inspector)
    floor.place(one, "v500", red=1)
    link(floor, one, two)
    assert caps(floor, "1") == [(1, "red", 405, 400, CLAUSE)]


def test_partners_without_a_maximum_have_none() -> None:
    """A partner whose arrangement has no maximum leaves the partnership none."""
    floor = LiveFloor(players=("one", "two"))
    one, two = floor.players
    floor.deal(NotifyOfficer(TABLE, "An arrangement."), floor.chief)
    floor.at(300)
    floor.deal(ArrangeVip(TABLE, (one,), "Signed.", straight_only=False, limits=limits(5)), floor.chief)
    link(floor, one, two)
    floor.open()
    floor.place(one, "v10000", red=9)
    floor.place(two, "v500", red=1)
    assert caps(floor, "1") == []


@pytest.mark.clause(ADELAIDE, "12(e) first")
def test_partners_of_a_round_are_those_of_its_settlement() -> None:
    """A link after the close caps the round, an amended seal counts, and a correction settles by the same partners."""
    floor = opened()
    one, two, _ = floor.players
    floor.place(one, "v500", {"17": 16, "5": 16})
    floor.place(two, "v500", {"17": 2, "5": 8})
    floor.close()
    floor.signed(AmendSeal(TABLE, two, ((SpotKey("17"), "v500", 8),), "Seen."))
    link(floor, one, two)
    assert sorted(caps(floor, "17")) == [(2, "17", 40, 20, CLAUSE), (2, "5", 40, 20, CLAUSE)]
    assert floor.pay_all() == {one: cents(2_800), two: cents(700)}
    floor.deal(UnlinkPlayers(TABLE, Number(1)), floor.inspector)
    floor.signed(CorrectResult(TABLE, floor.table.playing.number, Pocket("5"), "Seen."), "pit boss", floor.chief)
    # 17: paid 700, 40 stayed, 20 of 5 went back. 5: 700 due, 40 stay, 20 of 17 go back: nothing changes.
    # The chips on 17 are lifted and 20 are put back on 5, so that the 20 that go back are paid.
    assert (floor.player(two).payable, floor.player(two).owed, floor.player(two).pieces) == (
        cents(20),
        0,
        {"5": {"v500": 4}},
    )
    floor.check()


def test_chips_that_a_partnership_returns_are_not_redeemed_before_all_is_paid() -> None:
    """If the partnership ends while the round is paid, chips over its maximum are collected after all."""
    floor = opened()
    one, two, three = floor.players
    floor.buy(two, 100, "blue")
    floor.place(one, "v500", red=16)
    floor.place(two, "blue", red=8)
    floor.place(three, "v500", black=2)
    floor.deal(LinkPlayers(TABLE, (one, two)), floor.inspector)
    floor.result("20")
    floor.collect()
    assert (floor.out(), in_hand(floor.live, "blue")) == (16, 16)
    assert floor.refuses(RedeemColour(TABLE, two, "blue", 16)) == ("not_all_paid", "9(e)")
    floor.deal(UnlinkPlayers(TABLE, Number(1)), floor.inspector)
    assert (floor.out(), floor.live.colours["blue"].booked) == (12, cents(60))
    floor.pay_all()
    floor.deal(RedeemColour(TABLE, two, "blue", 12))


@pytest.mark.clause(ADELAIDE, "12(e) first")
@pytest.mark.parametrize("collected", [False, True])
def test_link_found_before_the_first_payment_caps_the_round(collected: bool) -> None:  # noqa: FBT001 - both orders
    """80 and 40 on red and on 5, found to be of partners after 18: 20 of red are not paid, and 20 of 5 go back."""
    floor = opened()
    one, two, three = floor.players
    floor.place(one, "v500", {"red": 16, "5": 16})
    floor.place(two, "v500", {"red": 8, "5": 8})
    floor.place(three, "v500", {"red": 2, "5": 2})
    assert caps(floor, "18") == []
    if collected:
        assert swept(floor) == cents(130)
        assert floor.pay("red", three).payments[0].value == cents(10)
    tray = floor.live.float_.booked  # type: ignore[union-attr]
    events = floor.deal(LinkPlayers(TABLE, (one, two)), floor.inspector)
    linked = events[0]
    assert isinstance(linked, PlayersLinked)
    assert linked.advice == ((two, over("red", 40, 20)), (two, over("5", 40, 20)))
    assert linked.round == floor.table.playing.number
    assert sorted(capped(events)) == [(two, "5", 40, 20, CLAUSE), (two, "red", 40, 20, CLAUSE)]
    if collected:
        assert floor.live.float_.booked == tray - cents(20)  # type: ignore[union-attr]
    else:
        assert swept(floor) == cents(110)
    assert floor.player(two).pieces == {"red": {"v500": 8}}
    paid = floor.pay_all()
    assert paid == {one: cents(80), two: cents(20), **({} if collected else {three: cents(10)})}
    floor.check()
    # The number is corrected by the same partners.
    floor.signed(CorrectResult(TABLE, floor.table.playing.number, Pocket("5"), "Seen."), "pit boss", floor.chief)
    plan = payout_plan(floor.house, floor.table, floor.table.playing, floor.chips, Pocket("5"))
    assert {each.position: each.paid for each in plan.payments if each.segment == "inside"} == {
        one: cents(2_800),
        two: cents(700),
        three: cents(350),
    }
    floor.check()


@pytest.mark.clause(ADELAIDE, "12(e) first")
@pytest.mark.clause(ADELAIDE, "6(j)")
def test_link_found_before_the_first_payment_counts_markers() -> None:
    """300 and 400 under one button, linked after 15: 200 of the later count, 40 lie on 15, and 200 go back."""
    floor = opened()
    one, two, _ = floor.players
    floor.place(one, "v500", {"neighbours 0": 60})
    floor.place(two, "v500", {"neighbours 0": 80, "red": 1})
    floor.result("15")
    assert floor.player(two).pieces == {"15": {"v500": 16}}
    assert swept(floor) == cents(240 + 320 + 5)
    floor.deal(LinkPlayers(TABLE, (one, two)), floor.inspector)
    assert floor.player(two).pieces == {"15": {"v500": 8}}
    assert floor.house.positions[two].stayed == {"15": cents(40)}
    floor.check()
    # A link by mistake is undone until the first payment.
    floor.deal(UnlinkPlayers(TABLE, Number(1)), floor.inspector)
    assert floor.player(two).pieces == {"15": {"v500": 16}}
    link(floor, one, two)
    assert floor.pay_all() == {one: cents(2_100), two: cents(1_400)}
    floor.check()


@pytest.mark.clause(ADELAIDE, "12(e) first")
@pytest.mark.parametrize(("first", "paid", "left", "owed"), [(0, 80, 20, 0), (1, 40, 80, 20)], ids=["80", "40"])
def test_link_between_payments_caps_what_is_not_paid(first: int, paid: int, left: int, owed: int) -> None:
    """80 and 40 on red, of which one was paid: what was placed last counts for 20 unless it was paid for 40."""
    floor = opened()
    one, two, three = floor.players
    floor.place(one, "v500", red=16)
    floor.place(two, "v500", red=8)
    floor.place(three, "v500", black=1)
    assert caps(floor, "18") == []
    floor.collect()
    assert floor.pay("red", floor.players[first]).payments[0].value == cents(paid)
    linked = link(floor, one, two)
    assert (linked.advice, linked.round) == (((two, over("red", 40, 20)),), floor.table.playing.number)
    assert floor.pay_all() == {floor.players[1 - first]: cents(left)}
    assert link_again(floor, one, two) is None
    floor.check()
    # 17 is black: what was in fact paid is taken back, and 20 of the 40 that lie on red are over the maximum.
    floor.signed(CorrectResult(TABLE, floor.table.playing.number, Pocket("17"), "Seen."), "pit boss", floor.chief)
    assert (floor.player(one).owed, floor.player(two).owed) == (cents(80), cents(owed))
    assert floor.player(three).payable == cents(5)
    floor.check()


@pytest.mark.campaign
@pytest.mark.clause(ADELAIDE, "12(e) first")
@pytest.mark.parametrize("seeds", portions(day=15, night=3_000, size=300), ids=str)
def test_links_between_payments_keep_the_books(seeds: range) -> None:
    """Players are linked and unlinked between collection, payments and a correction: nothing due is lost or doubled.

    The auditor follows every event; at the end each player was paid at least what is due by the last partnership.
    """
    for seed in seeds:
        chance = random.Random(seed)  # noqa: S311 - repeatable
        floor = opened()
        floor.signed(FillFloat(TABLE, ((cents(5), 100_000),), "S2"))
        floor.buy(floor.players[0], 500, "blue")
        for _ in range(chance.randint(2, 7)):
            position = chance.choice(floor.players)
            chip = chance.choice(("v500", "v2500", "blue" if position == floor.players[0] else "v500"))
            spots = chance.sample(("17", "17/20", "red", "black", "odd", "neighbours 17", "neighbours 0"), 2)
            floor.place(position, chip, {spot: 5 * chance.randint(1, 3) for spot in spots})
        floor.result("17")
        got: Counter[tuple[str, PositionId]] = Counter()
        for _ in range(9):
            _some_step(floor, chance, got)
        _pay_rest(floor, got)
        plan = payout_plan(floor.house, floor.table, floor.table.playing, floor.chips, Pocket("17"))
        for each in plan.payments:
            assert got[each.segment, PositionId(each.position)] >= each.paid, seed
        number = floor.table.playing.number
        floor.signed(CorrectResult(TABLE, number, Pocket("20"), "Seen."), "pit boss", floor.chief)
        floor.check()


def _some_step(floor: LiveFloor, chance: random.Random, got: Counter[tuple[str, PositionId]]) -> None:
    """Collect, pay one payment, link two players, or end a partnership."""
    if floor.walk.over:
        return
    step = chance.choice(("collect", "pay", "link", "unlink"))
    open_ = [*unpaid(floor)]
    if step == "collect" and not floor.walk.collected:
        floor.collect()
    elif step == "pay" and floor.walk.collected and open_:
        _paid(floor, chance.choice(open_), got)
    elif step == "link":
        # Players who are linked already are refused.
        floor.by(floor.inspector, LinkPlayers(TABLE, tuple(chance.sample(floor.players, 2))))
    elif step == "unlink":
        floor.by(floor.inspector, UnlinkPlayers(TABLE, Number(floor.live.groups_made)))


def _paid(floor: LiveFloor, which: tuple[str, PositionId], got: Counter[tuple[str, PositionId]]) -> None:
    segment, position = which
    got[which] += sum(each.value for each in floor.pay(segment, position).payments)


def _pay_rest(floor: LiveFloor, got: Counter[tuple[str, PositionId]]) -> None:
    if not floor.walk.collected:
        floor.collect()
    while open_ := [*unpaid(floor)]:
        _paid(floor, open_[0], got)


@pytest.mark.clause(ADELAIDE, "12(e) first")
def test_link_may_leave_nothing_to_pay() -> None:
    """100 on red were paid, and 40 of a partner count for nothing: the round is over, and the next one opens."""
    floor = opened()
    one, two, _ = floor.players
    floor.place(one, "v500", red=20)
    floor.place(two, "v500", red=8)
    assert caps(floor, "18") == []
    floor.pay("red", one)
    link(floor, one, two)
    assert floor.walk.over
    assert floor.player(two).pieces == {"red": {"v500": 8}}
    floor.open()
    floor.check()


@pytest.mark.clause(ADELAIDE, "12(e) first")
def test_end_of_a_partnership_between_payments_pays_the_rest() -> None:
    """20 of 40 on red were paid: without the partnership 20 more are due, and with it nothing but what was paid."""
    floor = opened()
    one, two, _ = floor.players
    floor.place(one, "v500", red=16)
    floor.place(two, "v500", red=8)
    link(floor, one, two)
    assert caps(floor, "18") == [(two, "red", 40, 20, CLAUSE)]
    assert floor.pay("red", two).payments[0].value == cents(20)
    unlinked, *_ = floor.deal(UnlinkPlayers(TABLE, Number(1)), floor.inspector)
    assert isinstance(unlinked, PlayersUnlinked)
    assert unlinked.round == floor.table.playing.number
    assert unpaid(floor) == {("red", one): cents(80), ("red", two): cents(20)}
    link(floor, one, two)
    assert unpaid(floor) == {("red", one): cents(80)}
    floor.deal(UnlinkPlayers(TABLE, Number(2)), floor.inspector)
    assert floor.pay_all() == {one: cents(80), two: cents(20)}
    floor.check()


@pytest.mark.clause(ADELAIDE, "12(e) first")
@pytest.mark.clause(ADELAIDE, "12(f)")
def test_change_for_a_piece_is_given_once() -> None:
    """A chip of 100 behind 80 of a partner counts for 20 and gives 80 of change, which an end of the link leaves."""
    floor = opened()
    one, two, three = floor.players
    floor.place(one, "v500", red=16)
    floor.place(two, "v10000", red=1)
    floor.place(three, "v500", black=1)
    floor.result("17")
    assert swept(floor) == cents(180)
    link(floor, one, two)
    assert floor.pay("returns", two).payments[0].value == cents(80)
    floor.deal(UnlinkPlayers(TABLE, Number(1)), floor.inspector)
    assert unpaid(floor) == {("black", three): cents(5)}
    link(floor, one, two)
    assert floor.pay_all() == {three: cents(5)}
    floor.check()


def link_again(floor: LiveFloor, *positions: PositionId) -> int | None:
    """End the last partnership and link the players once more; return the round that this settles again."""
    floor.deal(UnlinkPlayers(TABLE, Number(floor.live.groups_made)), floor.inspector)
    return link(floor, *positions).round


@pytest.mark.clause(ADELAIDE, "12(e) first")
def test_link_after_a_correction_of_payments_counts_from_the_next_round() -> None:
    """Once a correction has changed payments that were made, what is due of the round is no longer settled again."""
    floor = opened()
    one, two, three = floor.players
    floor.place(one, "v500", {"5": 16})
    floor.place(two, "v500", {"5": 8})
    floor.place(three, "v500", red=1, even=1)
    floor.result("18")
    floor.collect()
    floor.pay("red")
    floor.signed(CorrectResult(TABLE, floor.table.playing.number, Pocket("5"), "Seen."), "pit boss", floor.chief)
    assert not floor.walk.over
    assert link(floor, one, two).round is None
    floor.check()


@pytest.mark.clause(ADELAIDE, "12(e) first")
def test_order_of_entries_is_replayed() -> None:
    """A house that reads the journal has the same order of chips among partners."""
    floor = opened()
    one, two, _ = floor.players
    floor.place(two, "v500", {"17": 8, "red": 1})
    floor.place(one, "v500", {"17": 16})
    floor.place(two, "v500", {"17": 1})
    link(floor, one, two)
    floor.result("17")
    house = House.new(read_canonical)
    for entry in floor.journal.entries():
        evolve(house, entry.event, entry.context)
    live = house.tables[TABLE].live
    assert live is not None
    assert {each: player.entered for each, player in live.players.items()} == {
        each: player.entered for each, player in floor.live.players.items()
    }
    assert live.turns == floor.live.turns
    assert floor.player(two).entered["17"] == [(1, cents(40)), (3, cents(5))]  # type: ignore[index]
    chips = house.tables[TABLE].playing.chips
    assert chips is not None
    assert floor.table.playing.chips == chips


@pytest.mark.clause(ADELAIDE, "11(e)")
@pytest.mark.clause(ADELAIDE, "12(e) first")
def test_bets_that_a_correction_puts_back_keep_their_order() -> None:
    """Swept chips that go back to their spot lie there as before: those of the partner who was first still count."""
    floor = opened()
    one, two, _ = floor.players
    floor.place(two, "v500", {"20": 4})
    floor.place(two, "v100", {"20": 20})
    floor.place(one, "v500", {"20": 16})
    floor.result("17")
    floor.collect()
    command = CorrectResult(TABLE, floor.table.playing.number, Pocket("20"), "The recording shows it.")
    floor.signed(command, floor.chief, floor.enrol("Shift Manager", "other"))
    floor.pay("correction")
    floor.open()
    assert link(floor, one, two).advice == ((one, over("20", 80, 60)),)
    assert caps(floor, "20") == [(1, "20", 80, 60, CLAUSE)]


@pytest.mark.clause(ADELAIDE, "12(e) first")
def test_undo_brings_partners_not_over_their_maximum() -> None:
    """60 on 17 that were withdrawn are not brought back beside 60 of a partner; the refusal names 40 of room."""
    floor = opened()
    one, two, _ = floor.players
    link(floor, one, two)
    floor.place(one, "v500", {"17": 12})
    floor.deal(floor.removing(one, "17"))
    floor.place(two, "v500", {"17": 12})
    answer = floor.by(floor.dealer, UndoChips(TABLE, one))
    assert refused(answer) == ("partnership_over_maximum", CLAUSE)
    assert answer.facts == {"spot": "17", "room": cents(40)}  # type: ignore[union-attr]


@pytest.mark.clause(ADELAIDE, "12(e) first")
@pytest.mark.parametrize(
    ("theirs", "own", "target"),
    [(14, ("neighbours 0", 20), "neighbours 4"), (12, ("15", 8), "neighbours 0"), (16, ("neighbours 0", 20), "15")],
    ids=["from marker to marker", "from the number to its marker", "from a marker to its number"],
)
def test_moved_bet_of_a_partner_counts_once(theirs: int, own: tuple[str, int], target: str) -> None:
    """What a partner moves leaves room where it lay: on 15 only what lies there after the move counts."""
    floor = opened()
    one, two, _ = floor.players
    link(floor, one, two)
    floor.place(one, "v500", {"15": theirs})
    source, pieces = own
    floor.place(two, "v500", {source: pieces})
    answer = floor.by(floor.dealer, MoveChips(TABLE, two, SpotKey(source), SpotKey(target)))
    if target == "15":
        # 80 of the partner leave room for 20 of the 100.
        assert refused(answer) == ("partnership_over_maximum", CLAUSE)
        assert answer.facts == {"spot": "15", "room": cents(20)}  # type: ignore[union-attr]
    else:
        assert isinstance(answer, tuple)
        assert floor.player(two).pieces == {target: {"v500": pieces}}


@pytest.mark.clause(ADELAIDE, "12(e) first")
def test_partners_over_their_maximum_may_bet_less() -> None:
    """Of partners found with 100 and 40 on 15, one moves 40 to a marker with 8 on 15: less than before."""
    floor = opened()
    one, two, _ = floor.players
    floor.place(one, "v500", {"15": 20})
    floor.place(two, "v500", {"15": 8})
    link(floor, one, two)
    floor.deal(MoveChips(TABLE, two, SpotKey("15"), SpotKey("neighbours 0")))
    assert floor.player(two).pieces == {"neighbours 0": {"v500": 8}}


@pytest.mark.clause(ADELAIDE, "12(e) first")
def test_partners_at_a_supervised_table_have_one_maximum() -> None:
    """Where winners are recorded when they are paid, the bet of the partner that is recorded later is capped."""
    floor = opened(recording=Recording.SUPERVISED)
    one, two, _ = floor.players
    link(floor, one, two)
    floor.result("17")
    floor.collect()
    number = floor.table.playing.number
    floor.deal(RecordWinner(TABLE, two, number, (("17", 16),), "v500"))
    events = floor.deal(RecordWinner(TABLE, one, number, (("17", 8),), "v500"))
    assert BetCapped(TABLE, one, number, SpotKey("17"), cents(40), cents(20), CLAUSE) in events
    assert {each.position: each.value for each in floor.pay("inside").payments} == {one: cents(700), two: cents(2_800)}


@pytest.mark.clause(ADELAIDE, "12(e) first")
def test_partner_adds_not_one_cent_over_the_maximum() -> None:
    """Where there are chips of one cent, one of them beside 100 of a partner is refused like any other."""
    floor = opened(denominations=(Cents(1), cents(5)))
    one, two, _ = floor.players
    link(floor, one, two)
    floor.place(one, "v500", {"17": 20})
    assert floor.refuses(floor.placing(two, "v1", {"17": 1})) == ("partnership_over_maximum", CLAUSE)
