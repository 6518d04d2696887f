"""Bets with chips: placed, changed and withdrawn by the dealer's record, their limits, markers, and the seal."""

from typing import Any

import pytest
from msgspec.structs import replace

from croupier.house.floor.service import CloseTable, NotifyOfficer
from croupier.house.floor.settings import ChangeRulebook, ChangeSettings
from croupier.house.floor.setup import AdoptRulebook
from croupier.house.ids import DeviceId, PositionId, RoundNumber
from croupier.house.live.arrangements import ArrangeVip, BarPlayer, DesignateMarkers
from croupier.house.live.partners import LinkPlayers
from croupier.house.live.payment_walk import AmendSeal, LateBetReturned, ReturnLate, SealAmended
from croupier.house.live.seats_and_colours import (
    AllocateColour,
    ApproveSecondColour,
    BuyChips,
    LeaveTable,
    RedeemColour,
    ReturnColour,
    Tender,
)
from croupier.house.play.betting import ReturnReason
from croupier.house.play.chip_bets import (
    ChangeChips,
    ChipsChanged,
    ChipsReturned,
    ClearChips,
    Manner,
    MoveChips,
    PlaceChips,
    RemoveChips,
    UndoChips,
)
from croupier.house.rounds.closing import BetsSealed, CloseBets, FinishBetting
from croupier.house.rounds.opening import OpenBets
from croupier.house.rounds.referrals import ReferRound
from croupier.house.rounds.spinning import BallLaunched, SpinBall
from croupier.house.settings import LimitBounds, LimitSettings, Mode, Recording
from croupier.house.state.ledger import LedgerAccount
from croupier.house.state.live import Advice
from croupier.house.state.tables import UNDO_MAX, BetChange, Phase
from croupier.rulebooks.schema import canonical
from croupier.rules.geometry import SpotKey
from croupier.rules.refusal import Code
from tests.conftest import venue
from tests.support.house_driver import ADELAIDE, TABLE, US, Play, cents, limits, refused
from tests.support.live_driver import LiveFloor, live_settings

BLUE, RED = "blue", SpotKey("red")


def opened(rulebook_id: str = ADELAIDE, **live: Any) -> LiveFloor:  # noqa: ANN401 - any setting
    """An open round; the first player has 100 blue chips of the minimum, the second value chips."""
    floor = LiveFloor(rulebook_id, **live)
    least = 1 if rulebook_id == US else 5
    floor.buy(floor.one, 100 * least, BLUE)
    floor.buy(floor.two, 100)
    floor.open()
    return floor


def lies(floor: LiveFloor, position: PositionId | None = None) -> dict[str, dict[str, int]]:
    return dict(floor.player(position or floor.one).pieces)  # type: ignore[arg-type]


@pytest.mark.clause(ADELAIDE, "6(a)")
@pytest.mark.clause(US, "Placement 1")
@pytest.mark.parametrize(("rulebook_id", "chips", "cash"), [(ADELAIDE, "6(a)", "6(l)"), (US, *["Placement 1"] * 2)])
def test_bets_are_chips_on_a_spot(rulebook_id: str, chips: str, cash: str) -> None:
    """Chips on a spot are recorded with their value; cash, no spot, no chips and unknown spots are refused."""
    floor = opened(rulebook_id)

    (event,) = floor.place(floor.one, BLUE, {"17": 2, "17/20": 1})
    assert isinstance(event, ChipsChanged)
    assert event.stakes == dict(zip(event.spots, event.amounts, strict=True))
    least = 100 if rulebook_id == US else 500
    assert (event.spots, event.amounts) == (("17", "17/20"), (2 * least, least))
    assert lies(floor) == {"17": {BLUE: 2}, "17/20": {BLUE: 1}}
    assert floor.balance(LedgerAccount.STAKES) == 3 * least
    assert floor.balance(LedgerAccount.COLOUR_CHIPS) == 97 * least

    assert floor.refuses(floor.placing(floor.one, "cash", red=50)) == ("cash_not_taken", cash)
    assert floor.refuses(PlaceChips(TABLE, floor.one, (), BLUE)) == ("nothing_there", chips)
    assert floor.refuses(floor.placing(floor.one, BLUE, red=0)) == ("stake_not_positive", chips)
    assert floor.refuses(floor.placing(floor.one, BLUE, {"1/36": 1}))[0] == "spot_not_on_layout"
    assert floor.refuses(floor.placing(floor.one, BLUE, {"on": 1}))[0] == "malformed"
    assert floor.refuses(floor.placing(floor.one, BLUE, {"1; 2 on 3": 1}))[0] == "malformed"
    assert floor.refuses(floor.placing(PositionId(99), BLUE, red=1)) == ("unknown_record", chips)


@pytest.mark.clause(ADELAIDE, "6(l)")
def test_cash_buys_chips_and_is_no_bet() -> None:
    """50 dollars of cash on red are refused; a buy-in of 50 gives ten chips of 5, which may lie there."""
    floor = LiveFloor()
    floor.open()
    assert floor.refuses(floor.placing(floor.one, "cash", red=50)) == ("cash_not_taken", "6(l)")
    floor.buy(floor.one, 50, BLUE)
    assert floor.out() == 10
    floor.place(floor.one, BLUE, red=10)


@pytest.mark.clause(ADELAIDE, "6(f)")
@pytest.mark.clause(US, "Placement 2")
@pytest.mark.parametrize(("rulebook_id", "clause"), [(ADELAIDE, "6(f)"), (US, "Placement 2")])
def test_only_own_chips_of_this_table_are_bets(rulebook_id: str, clause: str) -> None:
    """Another player's colour, a colour of no player, of another set, and a value chip of no float are refused."""
    floor = opened(rulebook_id)
    for chip in (BLUE, "green", "purple", "v700"):
        assert floor.refuses(floor.placing(floor.two, chip, red=1)) == ("chips_of_another_table", clause)
    assert floor.refuses(ChangeChips(TABLE, floor.two, RED, BLUE, 1)) == ("chips_of_another_table", clause)
    floor.place(floor.two, "v100", red=2 if rulebook_id == US else 7)


@pytest.mark.clause(ADELAIDE, "6(a)")
def test_no_more_chips_than_the_player_has() -> None:
    """Of a colour no more pieces are bet than the player has; value chips come from anywhere."""
    floor = opened()
    floor.place(floor.one, BLUE, red=60)
    assert floor.refuses(floor.placing(floor.one, BLUE, black=41)) == ("chips_short", "6(a)")
    floor.place(floor.one, BLUE, black=40)
    assert floor.refuses(RedeemColour(TABLE, floor.one, BLUE, 1)) == ("chips_short", "6(f)")
    floor.place(floor.two, "v10000", black=1)
    floor.place(floor.two, "v10000", red=1)


@pytest.mark.clause(ADELAIDE, "6(b) verbal bets")
def test_verbal_bet_needs_chips_and_time() -> None:
    """A verbal bet with its chips before the close is taken; without chips, or after the close, it is refused."""
    floor = opened()
    said = PlaceChips(TABLE, floor.one, (("5/8", 2),), BLUE, Manner.VERBAL)
    (event,) = floor.deal(said)
    assert isinstance(event, ChipsChanged)
    assert (event.manner, event.amounts) == (Manner.VERBAL, (cents(10),))
    bare = PlaceChips(TABLE, floor.one, (("5/8", 2),), BLUE, Manner.VERBAL, chips_down=False)
    assert floor.refuses(bare) == ("verbal_without_chips", "6(b) verbal bets")
    floor.close()
    assert floor.refuses(said) == ("bets_closed", "6(i)")


@pytest.mark.clause(ADELAIDE, "6(g)")
@pytest.mark.clause(US, "Placement 3")
@pytest.mark.parametrize("rulebook_id", [ADELAIDE, US])
def test_player_is_responsible_for_an_assisted_bet(rulebook_id: str) -> None:
    """A bet that the dealer placed on 8 for the player loses on 9, whatever was meant; the record says assisted."""
    floor = opened(rulebook_id)
    (event,) = floor.deal(PlaceChips(TABLE, floor.one, (("8", 1),), BLUE, Manner.ASSISTED))
    assert isinstance(event, ChipsChanged)
    assert event.manner is Manner.ASSISTED
    floor.result("9")
    assert floor.pay_all() == {}
    assert lies(floor) == {}


@pytest.mark.clause(ADELAIDE, "6(i)")
@pytest.mark.clause(US, "Irregularities (4)")
@pytest.mark.parametrize(("rulebook_id", "clause"), [(ADELAIDE, "6(i)"), (US, "Irregularities (4)")])
def test_bets_move_only_until_no_more_bets(rulebook_id: str, clause: str) -> None:
    """Chips are placed, changed, moved and withdrawn while betting is open, and not after it, nor before it."""
    floor = LiveFloor(rulebook_id)
    floor.buy(floor.one, 100, BLUE)
    changes = (
        floor.placing(floor.one, BLUE, red=1),
        ChangeChips(TABLE, floor.one, RED, BLUE, 2),
        MoveChips(TABLE, floor.one, RED, SpotKey("black")),
        UndoChips(TABLE, floor.one),
        ClearChips(TABLE, floor.one),
    )
    not_open = "6(i)" if rulebook_id == ADELAIDE else "Placement 1"
    for change in changes:
        assert floor.refuses(change) == ("bets_not_open", not_open)
    floor.open()
    for change in changes:
        floor.deal(change)
    floor.place(floor.one, BLUE, red=1)
    floor.close()
    for late in (*changes, floor.removing(floor.one, "red")):
        assert floor.refuses(late) == ("bets_closed", clause)


def test_bets_are_closed_at_the_deadline_even_if_its_tick_is_late() -> None:
    """A chip recorded after the end of the betting time is refused."""
    floor = LiveFloor(settings=replace(live_settings(), betting_s=20))
    floor.buy(floor.one, 100, BLUE)
    floor.open()
    floor.now = floor.now + 21_000_000  # type: ignore[assignment]
    assert floor.refuses(floor.placing(floor.one, BLUE, red=1)) == ("bets_closed", "6(i)")


def test_chips_name_their_spin_and_wait_while_the_round_is_suspended() -> None:
    """A command for another round is refused, one that names none is not, and a suspended round takes no chips."""
    floor = opened()
    number = floor.table.playing.number
    wrong = replace(floor.placing(floor.one, BLUE, red=1), round=RoundNumber(number + 1), spin=1)
    assert floor.refuses(wrong) == ("wrong_round", "6(i)")
    floor.deal(replace(wrong, round=number))
    floor.deal(ReferRound(TABLE, "A doubt."))
    assert floor.refuses(floor.placing(floor.one, BLUE, red=1))[0] == "round_suspended"


def test_dealer_records_chips_and_nobody_else() -> None:
    """A cashier may not record chips, and a stand-alone table takes none."""
    floor = opened()
    assert floor.refuses(floor.placing(floor.one, BLUE, red=1), "cashier")[0] == "not_authorised"
    play = Play(ADELAIDE)
    play.seats(T1=100)
    play.open()
    placed = PlaceChips(TABLE, PositionId(1), (("red", 1),), BLUE)
    assert refused(play.by(play.dealer, placed)) == ("chips_not_taken", "5.7(a)")
    assert isinstance(play.bet("T1", "5 on red"), tuple)


def test_chips_are_changed_piece_by_piece() -> None:
    """The pieces on a spot are set, moved, withdrawn, cleared and restored, with their money."""
    floor = opened()
    floor.place(floor.one, BLUE, {"17": 2})
    floor.deal(ChangeChips(TABLE, floor.one, SpotKey("17"), BLUE, 5))
    assert floor.deal(ChangeChips(TABLE, floor.one, SpotKey("17"), BLUE, 5)) == ()
    floor.place(floor.one, "v100", {"17": 3})
    assert lies(floor) == {"17": {BLUE: 5, "v100": 3}}
    floor.deal(ChangeChips(TABLE, floor.one, SpotKey("17"), BLUE, 0))
    assert lies(floor) == {"17": {"v100": 3}}
    floor.deal(UndoChips(TABLE, floor.one))
    floor.place(floor.one, BLUE, black=1)
    floor.deal(MoveChips(TABLE, floor.one, SpotKey("17"), SpotKey("black")))
    assert lies(floor) == {"black": {BLUE: 6, "v100": 3}}
    floor.deal(floor.removing(floor.one, "black"))
    assert (lies(floor), floor.balance(LedgerAccount.STAKES)) == ({}, 0)
    floor.deal(UndoChips(TABLE, floor.one))
    floor.deal(ClearChips(TABLE, floor.one))
    while floor.player(floor.one).undo:
        floor.deal(UndoChips(TABLE, floor.one))
    assert (lies(floor), floor.balance(LedgerAccount.STAKES)) == ({}, 0)


def test_what_is_not_there_is_not_changed() -> None:
    """Empty spots, unknown spots, negative numbers and nothing to undo are refused by the clause on bets."""
    floor = opened()
    one = floor.one
    nothing = ("nothing_there", "6(a)")
    assert floor.refuses(UndoChips(TABLE, one)) == nothing
    assert floor.refuses(ClearChips(TABLE, one)) == nothing
    assert floor.refuses(floor.removing(one, "red")) == nothing
    assert floor.refuses(RemoveChips(TABLE, one, ())) == nothing
    assert floor.refuses(MoveChips(TABLE, one, RED, SpotKey("black"))) == nothing
    floor.place(one, BLUE, red=1)
    assert floor.refuses(MoveChips(TABLE, one, RED, RED)) == nothing
    assert floor.refuses(MoveChips(TABLE, one, RED, SpotKey("1/36")))[0] == "spot_not_on_layout"
    assert floor.refuses(ChangeChips(TABLE, one, SpotKey("1/36"), BLUE, 1))[0] == "spot_not_on_layout"
    assert floor.refuses(ChangeChips(TABLE, one, RED, BLUE, -1)) == ("malformed", None)
    french = LiveFloor("generic-european")
    french.open()
    assert french.refuses(ChangeChips(TABLE, french.one, SpotKey("jeu-zero"), "v500", 1)) == ("malformed", None)
    for command in (
        floor.placing(PositionId(9), BLUE, red=1),
        ChangeChips(TABLE, PositionId(9), RED, BLUE, 1),
        floor.removing(PositionId(9), "red"),
        MoveChips(TABLE, PositionId(9), RED, RED),
        UndoChips(TABLE, PositionId(9)),
        ClearChips(TABLE, PositionId(9)),
    ):
        assert floor.refuses(command) == ("unknown_record", "6(a)")


def test_undo_is_bounded_and_checks_the_chips() -> None:
    """The oldest changes are dropped, and chips that were redeemed since are not put back."""
    floor = LiveFloor()
    floor.buy(floor.one, 5, BLUE)
    floor.open()
    floor.place(floor.one, BLUE, red=1)
    floor.deal(floor.removing(floor.one, "red"))
    floor.deal(RedeemColour(TABLE, floor.one, BLUE, 1))
    assert floor.refuses(UndoChips(TABLE, floor.one)) == ("chips_short", "6(a)")
    for pieces in range(1, UNDO_MAX + 2):
        floor.house.positions[floor.two]
        floor.by(floor.dealer, ChangeChips(TABLE, floor.two, RED, "v100", 5 + pieces % 2))
    assert len(floor.player(floor.two).undo) == len(floor.house.positions[floor.two].undo) == UNDO_MAX


@pytest.mark.clause(ADELAIDE, "12(e) second")
@pytest.mark.clause(ADELAIDE, "12(f)")
@pytest.mark.clause(ADELAIDE, "6(k)")
@pytest.mark.clause(ADELAIDE, "6(n)")
def test_bets_outside_the_limits_lie_with_advice() -> None:
    """At Adelaide chips are recorded as they lie, with advice of 3 under 5 and of 130 over 100; 7 is a bet."""
    floor = LiveFloor(terminals={"T1": 500})
    floor.open()
    (under,) = floor.place(floor.two, "v100", red=3)
    (over,) = floor.place(floor.two, "v500", black=26)
    (right,) = floor.place(floor.two, "v100", odd=7)
    events = [event for event in (under, over, right) if isinstance(event, ChipsChanged)]
    assert [event.advice for event in events] == [
        (Advice(Code.STAKE_UNDER_MINIMUM, "12(e) second", RED, 300, 500),),  # type: ignore[arg-type]
        (Advice(Code.STAKE_OVER_MAXIMUM, "12(f)", SpotKey("black"), 13_000, 10_000),),  # type: ignore[arg-type]
        (),
    ]
    # 7(h)v: a terminal at the same table refuses both.
    assert refused(floor.bet("T1", "3 on red")) == ("stake_under_minimum", "7(h)v")
    assert refused(floor.bet("T1", "130 on black")) == ("stake_over_maximum", "7(h)v")


@pytest.mark.clause(US, "Placement 5")
@pytest.mark.clause(US, "Types 2")
def test_us_table_refuses_bets_outside_the_limits() -> None:
    """0.50 is refused, 4 on ten spots are taken, one more is not; the courtesy line and 0/00 are one bet."""
    floor = opened(US, denominations=(cents("0.50"), cents(1)))
    one, two = floor.players
    assert floor.refuses(floor.placing(two, "v50", red=1)) == ("stake_under_minimum", "Placement 5")
    floor.place(one, BLUE, {str(number): 4 for number in range(1, 11)})
    assert floor.refuses(floor.placing(one, BLUE, {"1": 1})) == ("stake_over_maximum", "Placement 5")
    floor.place(two, "v100", {"courtesy-line": 2})
    floor.place(two, "v100", {"0/00": 2})
    assert lies(floor, two) == {"0/00": {"v100": 4}}
    assert floor.refuses(floor.placing(two, "v100", {"courtesy-line": 1})) == ("stake_over_maximum", "Placement 5")
    # A withdrawal is none: the rest may not be under the minimum.
    floor.place(two, "v50", odd=2)
    assert floor.refuses(ChangeChips(TABLE, two, SpotKey("odd"), "v50", 1)) == ("stake_under_minimum", "Placement 5")


@pytest.mark.clause(US, "Types 2")
def test_courtesy_line_has_its_name_in_every_action() -> None:
    """Chips on the courtesy line are changed, moved, amended, returned late and removed under that name."""
    floor = opened(US)
    two, line, split = floor.two, SpotKey("courtesy-line"), SpotKey("0/00")
    floor.place(two, "v100", {line: 2})
    floor.deal(ChangeChips(TABLE, two, line, "v100", 3))
    floor.deal(MoveChips(TABLE, two, line, SpotKey("17")))
    assert lies(floor, two) == {"17": {"v100": 3}}
    floor.deal(MoveChips(TABLE, two, SpotKey("17"), line))
    assert floor.refuses(MoveChips(TABLE, two, split, line)) == ("nothing_there", "Placement 1")
    floor.deal(floor.removing(two, "courtesy line"))
    assert floor.refuses(floor.removing(two, line)) == ("nothing_there", "Placement 1")
    floor.place(two, "v100", {line: 1})
    floor.close()
    (late,) = floor.deal(ReturnLate(TABLE, two, ((line, 1),), "v100"))
    assert isinstance(late, LateBetReturned)
    floor.signed(AmendSeal(TABLE, two, ((line, "v100", 4),), "Seen."))
    assert lies(floor, two) == {"0/00": {"v100": 4}}
    floor.result("00")
    assert floor.pay_all() == {two: cents(68)}
    floor.deal(floor.removing(two, line))
    assert lies(floor, two) == {}


def test_total_of_a_player_is_limited() -> None:
    """Where the operator limits the total of a player, chips beyond it are refused."""
    settings = replace(live_settings(), limits=LimitSettings(total=LimitBounds(None, cents(20))))
    floor = LiveFloor(settings=settings)
    floor.open()
    floor.place(floor.one, "v500", red=4)
    assert floor.refuses(floor.placing(floor.one, "v500", black=1))[0] == "total_over_maximum"


@pytest.mark.clause(ADELAIDE, "12(e) first")
def test_partners_have_one_maximum() -> None:
    """Partners with 80 and 40 on 17: 20 of the 40 are refused, and the refusal names the room left."""
    floor = LiveFloor(players=("one", "two", "three"))
    one, two, three = floor.players
    floor.deal(LinkPlayers(TABLE, (one, two)), floor.inspector)
    floor.open()
    floor.place(one, "v500", {"17": 16})
    answer = floor.by(floor.dealer, floor.placing(two, "v500", {"17": 8}))
    assert refused(answer) == ("partnership_over_maximum", "12(e) first")
    assert answer.facts == {"spot": "17", "room": cents(20)}  # type: ignore[union-attr]
    floor.place(two, "v500", {"17": 4})
    # The fifth of a marker bet counts on each of its numbers.
    marker = floor.by(floor.dealer, floor.placing(two, "v500", {"neighbours 17": 5}))
    assert refused(marker) == ("partnership_over_maximum", "12(e) first")
    assert marker.facts == {"spot": "neighbours 17", "room": 0}  # type: ignore[union-attr]
    floor.place(two, "v500", {"neighbours 0": 5})
    floor.place(three, "v500", {"17": 8})


@pytest.mark.clause(ADELAIDE, "12(a)")
@pytest.mark.clause(ADELAIDE, "6(a)")
def test_marker_bets_have_limits_of_their_own() -> None:
    """20 under a marker are refused, 25 taken; the third on 17 in a spin is refused, and the fifth on the block."""
    floor = LiveFloor(players=("one", "two", "three"), markers_per_number=2, markers_per_spin=4)
    one, two, three = floor.players
    floor.open()
    assert floor.refuses(floor.placing(one, "v500", {"neighbours 17": 4})) == ("marker_under_minimum", "12(a)")
    floor.place(one, "v500", {"neighbours 17": 5})
    floor.place(one, "v500", {"neighbours 17": 1})
    floor.place(two, "v500", {"neighbors 17": 5})
    assert lies(floor, two) == {"neighbours 17": {"v500": 5}}
    third = floor.placing(three, "v500", {"neighbours 17": 5})
    assert floor.refuses(third) == ("marker_bets_per_number", "12(a)")
    floor.place(three, "v500", {"neighbours 18": 5})
    floor.place(three, "v500", {"neighbours 19": 5})
    assert floor.refuses(floor.placing(two, "v500", {"neighbours 20": 5})) == ("marker_bets_per_spin", "12(a)")
    floor.place(two, "v2500", {"neighbours 17": 1})
    assert lies(floor, two) == {"neighbours 17": {"v500": 5, "v2500": 1}}


@pytest.mark.clause(ADELAIDE, "6(j)")
@pytest.mark.clause(ADELAIDE, "12(a)")
def test_marker_bet_of_two_kinds_of_chips_is_one_bet() -> None:
    """15 in blue and 10 in value chips under one button are a bet of 25; 15 and 5 are none, nor are chips of others."""
    floor = opened()
    button, five = SpotKey("neighbours 17"), "v500"
    bet = PlaceChips(TABLE, floor.one, ((button, 3),), BLUE)

    assert floor.refuses(replace(bet, beside=((button, five, 1),))) == ("marker_under_minimum", "12(a)")
    assert floor.refuses(replace(bet, beside=((button, five, 0),))) == ("stake_not_positive", "6(a)")
    assert floor.refuses(replace(bet, beside=((button, "green", 2),))) == ("chips_of_another_table", "6(f)")
    (event,) = floor.deal(replace(bet, beside=((button, five, 2), (SpotKey("17"), five, 1))))
    assert isinstance(event, ChipsChanged)
    assert event.stakes == {button: 2_500, "17": 500}
    assert lies(floor) == {button: {BLUE: 3, five: 2}, "17": {five: 1}}
    floor.deal(UndoChips(TABLE, floor.one))
    assert lies(floor) == {}


@pytest.mark.clause(ADELAIDE, "12(a)")
def test_marker_bet_is_not_lowered_under_its_minimum() -> None:
    """30 under a marker are lowered to 25, not to 20 or 5, and are withdrawn whole."""
    floor = LiveFloor()
    floor.open()
    one, marker = floor.one, SpotKey("neighbours 0")
    floor.place(one, "v500", {marker: 6})
    for pieces in (4, 1):
        assert floor.refuses(ChangeChips(TABLE, one, marker, "v500", pieces)) == ("marker_under_minimum", "12(a)")
    floor.deal(ChangeChips(TABLE, one, marker, "v500", 5))
    assert lies(floor) == {marker: {"v500": 5}}
    floor.deal(ChangeChips(TABLE, one, marker, "v500", 0))
    assert lies(floor) == {}


@pytest.mark.clause(ADELAIDE, "12(a)")
def test_marker_bet_may_be_lowered_without_designation() -> None:
    """A player who may use marker buttons no longer lowers a marker bet, and does not raise it."""
    floor = LiveFloor(designated_only=True)
    one, marker = floor.one, SpotKey("neighbours 0")
    floor.deal(DesignateMarkers(TABLE, one, on=True), floor.inspector)
    floor.open()
    floor.place(one, "v500", {marker: 6})
    floor.deal(DesignateMarkers(TABLE, one, on=False), floor.inspector)
    assert floor.refuses(floor.placing(one, "v500", {marker: 1})) == ("marker_not_designated", "12(a)")
    floor.deal(ChangeChips(TABLE, one, marker, "v500", 5))


@pytest.mark.clause(ADELAIDE, "12(a)")
def test_undo_makes_no_marker_bet_too_many() -> None:
    """A marker bet that was withdrawn is not brought back when another player has the only one of its number."""
    floor = LiveFloor(markers_per_number=1)
    floor.open()
    floor.place(floor.one, "v500", {"neighbours 17": 5})
    floor.deal(floor.removing(floor.one, "neighbours 17"))
    floor.place(floor.two, "v500", {"neighbours 17": 5})
    assert floor.refuses(UndoChips(TABLE, floor.one)) == ("marker_bets_per_number", "12(a)")
    assert lies(floor) == {}


@pytest.mark.clause(ADELAIDE, "12(a)")
def test_moved_marker_bet_counts_once() -> None:
    """The only marker bet of a spin may be moved and brought back; two at once are one too many."""
    floor = LiveFloor(markers_per_spin=1)
    one = floor.one
    floor.open()
    two = floor.placing(one, "v500", {"neighbours 17": 5, "neighbours 0": 5})
    assert floor.refuses(two) == ("marker_bets_per_spin", "12(a)")
    floor.place(one, "v500", {"neighbours 17": 5})
    floor.deal(MoveChips(TABLE, one, SpotKey("neighbours 17"), SpotKey("neighbours 20")))
    assert lies(floor) == {"neighbours 20": {"v500": 5}}
    floor.deal(UndoChips(TABLE, one))
    assert lies(floor) == {"neighbours 17": {"v500": 5}}


@pytest.mark.clause(ADELAIDE, "12(e) second")
@pytest.mark.clause(ADELAIDE, "12(f)")
def test_undo_and_removal_have_the_advice_of_what_lies() -> None:
    """A bet under the minimum or over the maximum that is brought back has its advice again, a removal none."""
    floor = LiveFloor()
    floor.open()
    floor.place(floor.two, "v100", {"red": 3, "17": 130})
    (removed,) = floor.deal(ClearChips(TABLE, floor.two))
    (back,) = floor.deal(UndoChips(TABLE, floor.two))
    assert isinstance(removed, ChipsChanged)
    assert isinstance(back, ChipsChanged)
    assert removed.advice == ()
    assert {(each.code, each.spot) for each in back.advice} == {
        (Code.STAKE_UNDER_MINIMUM, RED),
        (Code.STAKE_OVER_MAXIMUM, SpotKey("17")),
    }


@pytest.mark.clause(ADELAIDE, "12(a)")
def test_marker_buttons_may_be_for_designated_players() -> None:
    """Where markers are for designated players, another player's marker bet is refused; a unit replaces the minimum."""
    floor = LiveFloor(designated_only=True, marker_unit=cents(10))
    floor.open()
    bet = {"neighbours 0": 2}
    assert floor.refuses(floor.placing(floor.one, "v500", bet)) == ("marker_not_designated", "12(a)")
    floor.deal(DesignateMarkers(TABLE, floor.one, on=True), floor.inspector)
    floor.place(floor.one, "v500", bet)
    assert floor.refuses(floor.placing(floor.one, "v500", {"orphelins": 1}))[0] == "call_not_offered"


def test_restricted_and_barred_players() -> None:
    """A player by arrangement bets straight up only; a barred player's bets are refused by the clause that bars."""
    floor = LiveFloor()
    floor.deal(NotifyOfficer(TABLE, "An arrangement."), floor.chief)
    floor.at(300)
    floor.deal(ArrangeVip(TABLE, (floor.one,), "Signed by both."), floor.chief)
    floor.open()
    assert floor.refuses(floor.placing(floor.one, "v500", red=1)) == ("kind_not_priced", "8(a)i")
    assert floor.refuses(floor.placing(floor.one, "v500", {"neighbours 17": 5})) == ("kind_not_priced", "8(a)i")
    floor.place(floor.one, "v500", {"17": 1})
    floor.deal(BarPlayer(TABLE, floor.one, "Touched chips again."), floor.inspector)
    assert floor.refuses(floor.placing(floor.one, "v500", {"17": 1})) == ("player_barred", "12(d)")


@pytest.mark.clause(ADELAIDE, "9(f)")
@pytest.mark.clause(ADELAIDE, "7(a)")
def test_one_close_and_one_seal_for_chips_and_terminals() -> None:
    """A mixed table seals chips and terminals in one entry; Finish Betting is for terminals."""
    settings = replace(live_settings(), warning_s=5)
    floor = LiveFloor(settings=settings, terminals={"T1": 100})
    floor.buy(floor.one, 100, BLUE)
    floor.open()
    floor.bet("T1", "10 on red")
    floor.place(floor.one, BLUE, {"17": 2})
    floor.deal(SpinBall(TABLE))
    floor.deal(FinishBetting(TABLE))
    assert floor.table.phase is Phase.LAST_CALL
    floor.place(floor.one, BLUE, red=1)
    (_, seal) = floor.deal(CloseBets(TABLE))
    assert isinstance(seal, BetsSealed)
    assert (seal.positions, seal.staked) == (2, cents(25))
    assert (floor.table.meters.turnover, floor.live.meters.turnover) == (cents(10), cents(15))

    alone = LiveFloor(settings=settings)
    alone.open()
    assert alone.refuses(FinishBetting(TABLE)) == ("out_of_turn", "7(h)ii")


@pytest.mark.clause(ADELAIDE, "12(e) second")
def test_bets_under_the_minimum_go_back_once_advised() -> None:
    """2 on 17 and 3 on black pay 70 and 3 on 17, and the owner is advised once; then such bets return at the close."""
    floor = LiveFloor()
    floor.open()
    floor.place(floor.one, "v100", {"17": 2, "black": 3})
    events = floor.result("17")
    assert sum(type(event).__name__ == "OwnerAdvised" for event in events) == 1
    assert floor.pay_all() == {floor.one: cents(73)}
    assert floor.player(floor.one).advised_at is not None
    floor.open()
    floor.deal(ClearChips(TABLE, floor.one))
    floor.place(floor.one, "v100", {"17": 2, "red": 3, "odd": 5, "neighbours 1": 25})
    floor.place(floor.two, "v100", {"17": 2})
    floor.deal(SpinBall(TABLE))
    back = [event for event in floor.deal(CloseBets(TABLE)) if isinstance(event, ChipsReturned)]
    assert [(event.position, event.spots, event.why, event.clause) for event in back] == [
        (floor.one, ("17", "red"), ReturnReason.UNDER_MINIMUM, "12(e) second")
    ]
    assert lies(floor) == {"odd": {"v100": 5}, "neighbours 1": {"v100": 25}}
    assert back[0].table == TABLE
    # Chips found later under the minimum are not added to the seal of an advised player.
    found = AmendSeal(TABLE, floor.one, ((SpotKey("17"), "v100", 2),), "Seen on the recording.")
    assert floor.refuses(found, floor.inspector) == ("stake_under_minimum", "12(e) second")
    floor.signed(replace(found, pieces=((SpotKey("17"), "v100", 5), (SpotKey("odd"), "v100", 0))))
    assert lies(floor) == {"17": {"v100": 5}, "neighbours 1": {"v100": 25}}


def test_owner_who_is_not_recorded_is_not_advised() -> None:
    """Chips without an owner on record under the minimum are settled, and nobody is advised."""
    floor = LiveFloor(players=("",))
    floor.open()
    floor.place(floor.one, "v100", red=3)
    floor.result("1")
    floor.pay_all()
    assert floor.player(floor.one).advised_at is None


@pytest.mark.clause(US, "Irregularities (4)")
def test_late_bet_goes_back_and_the_spin_stands() -> None:
    """Two white chips after no more bets go back at once; the 4 blue on 17 in time pay 140."""
    floor = opened(US)
    floor.buy(floor.two, 20, "white")
    floor.place(floor.one, BLUE, {"17": 4})
    late = ReturnLate(TABLE, floor.two, (("17", 2),), "white")
    assert floor.refuses(late)[0] == "out_of_turn"
    floor.close()
    (event,) = floor.deal(late)
    assert isinstance(event, LateBetReturned)
    assert (event.amount, event.clause) == (cents(2), "Irregularities (4)")
    assert lies(floor, floor.two) == {}
    floor.result("17")
    assert floor.pay_all() == {floor.one: cents(140)}


def test_late_bets_are_read_as_other_bets() -> None:
    """A late bet of another's chips, of no spot, of no piece or of nobody is refused."""
    floor = opened()
    floor.close()
    assert floor.refuses(ReturnLate(TABLE, floor.two, (("17", 2),), BLUE)) == ("chips_of_another_table", "6(f)")
    assert floor.refuses(ReturnLate(TABLE, floor.one, (("1/36", 2),), BLUE))[0] == "spot_not_on_layout"
    assert floor.refuses(ReturnLate(TABLE, floor.one, (("17", 0),), BLUE)) == ("stake_not_positive", "6(a)")
    assert floor.refuses(ReturnLate(TABLE, floor.one, (), BLUE)) == ("nothing_there", "6(a)")
    assert floor.refuses(ReturnLate(TABLE, PositionId(9), (("17", 2),), BLUE)) == ("unknown_record", "6(a)")
    (event,) = floor.deal(ReturnLate(TABLE, floor.one, (("17", 2), ("17", 1), ("red", 1)), BLUE))
    assert isinstance(event, LateBetReturned)
    assert (event.amount, event.clause) == (cents(20), "6(i)")


@pytest.mark.clause(ADELAIDE, "6(j)")
@pytest.mark.clause(US, "Placement 4")
def test_seal_is_amended_by_what_lies_there() -> None:
    """Two people may enter a chip that was not recorded, and remove one that was recorded and is not there."""
    floor = opened()
    floor.place(floor.one, BLUE, {"17": 2, "red": 1})
    floor.close()
    before = floor.table.playing.digest
    amend = AmendSeal(TABLE, floor.one, ((SpotKey("17"), BLUE, 3), (RED, BLUE, 0), (SpotKey("5"), "v500", 1)), "Seen.")
    (amended,) = floor.signed(amend)
    assert isinstance(amended, SealAmended)
    assert amended.stakes == {"17": cents(15), "red": 0, "5": cents(5)}
    assert lies(floor) == {"17": {BLUE: 3}, "5": {"v500": 1}}
    assert floor.table.playing.digest != before
    assert floor.live.meters.turnover == cents(20)
    nothing = (SpotKey("17"), BLUE, 0), (SpotKey("5"), "v500", 0)
    floor.signed(replace(amend, pieces=nothing))
    assert floor.table.playing.chips is not None
    assert floor.table.playing.chips.sealed == {}
    wrong: list[tuple[Any, tuple[str, str | None]]] = [
        (replace(amend, words=" "), ("reason_not_listed", "6(a)")),
        (replace(amend, pieces=nothing), ("nothing_there", "6(a)")),
        (replace(amend, pieces=((RED, "green", 1),)), ("chips_of_another_table", "6(f)")),
        (replace(amend, pieces=((RED, BLUE, -1),)), ("malformed", None)),
        (replace(amend, pieces=((RED, BLUE, 101),)), ("chips_short", "6(a)")),
        (replace(amend, position=PositionId(9)), ("unknown_record", "6(a)")),
    ]
    for command, refusal in wrong:
        assert floor.refuses(command, floor.inspector) == refusal
    off = replace(amend, pieces=((SpotKey("1/36"), BLUE, 1),))
    assert floor.refuses(off, floor.inspector)[0] == "spot_not_on_layout"


def test_supervised_table_records_no_bets() -> None:
    """A table that records winners only refuses bets, and seals no chips."""
    floor = LiveFloor(recording=Recording.SUPERVISED)
    floor.open()
    assert floor.refuses(floor.placing(floor.one, "v500", red=1)) == ("bets_not_recorded", "6(a)")


@pytest.mark.clause(ADELAIDE, "6(f)")
@pytest.mark.clause(ADELAIDE, "12(h)")
def test_chips_on_the_layout_hold_player_colour_and_table() -> None:
    """With chips on the layout a player cannot leave, a colour is not taken back, and the table is not closed."""
    floor = opened()
    floor.place(floor.one, BLUE, red=1)
    floor.place(floor.two, "v500", red=1)
    assert floor.refuses(LeaveTable(TABLE, floor.two)) == ("chips_outstanding", "6(j)")
    assert floor.refuses(ReturnColour(TABLE, BLUE, 1_000)) == ("chips_outstanding", "6(f)")
    floor.deal(NotifyOfficer(TABLE, "Tonight."), floor.chief)
    floor.now = floor.now + 1  # type: ignore[assignment]
    assert floor.refuses(CloseTable(TABLE, "The night is over."), floor.chief) == ("chips_outstanding", "6(f)")
    floor.deal(ClearChips(TABLE, floor.two))
    floor.deal(LeaveTable(TABLE, floor.two))
    assert floor.two not in floor.house.positions


@pytest.mark.clause(ADELAIDE, "6(e)")
def test_both_colours_of_a_player_count_together() -> None:
    """Two colours of one player on one spot are one bet for the limits."""
    floor = opened()
    floor.deal(ApproveSecondColour(TABLE, floor.one, "A large stack."), floor.enrol("Authorised Officer", "officer"))
    floor.deal(AllocateColour(TABLE, floor.one, "green"))
    floor.deal(BuyChips(TABLE, floor.one, Tender.CASH, cents(100), "green"))
    floor.place(floor.one, BLUE, {"17": 12})
    (event,) = floor.place(floor.one, "green", {"17": 12})
    assert isinstance(event, ChipsChanged)
    assert [(each.code, each.stake) for each in event.advice] == [(Code.STAKE_OVER_MAXIMUM, cents(120))]


def test_new_limits_leave_chips_on_the_layout() -> None:
    """Other limits from the next round return no chips; they apply at the next close."""
    floor = opened()
    floor.place(floor.one, BLUE, red=1)
    floor.result("1")
    floor.pay_all()
    settings = replace(floor.table.settings, limits=limits(10, 200))
    floor.signed(ChangeSettings(TABLE, settings, "A busy night."), floor.chief, floor.enrol("Shift Manager", "other"))
    floor.open()
    assert lies(floor) == {"red": {BLUE: 1}}
    assert floor.house.positions[floor.one].effective_limits.limits.spot.least == cents(10)


def test_other_rules_wait_for_the_chips_on_the_layout() -> None:
    """A table does not open under another rulebook while chips lie on the layout of the old one."""
    floor = opened()
    floor.place(floor.one, BLUE, red=1)
    floor.result("1")
    floor.pay_all()
    other = canonical(venue(ADELAIDE)).replace('"version":"2003"', '"version":"2004"')
    assert other != canonical(venue(ADELAIDE))
    floor.must(AdoptRulebook(other))
    digest = next(each for each in floor.house.rulebooks if each != floor.rulebook.digest)
    floor.signed(ChangeRulebook(TABLE, digest, "As approved."), floor.chief, floor.enrol("Shift Manager", "other"))
    floor.check_notice()
    assert floor.refuses(OpenBets(TABLE)) == ("chips_outstanding", "6(f)")
    floor.deal(floor.removing(floor.one, "red"))
    floor.open()


@pytest.mark.clause(US, "Placement 1")
def test_us_table_takes_chips_for_real_money() -> None:
    """A live US table plays for real money with chips; terminals there are still for demonstrations."""
    floor = LiveFloor(US, mode=Mode.REAL)
    floor.buy(floor.one, 20, BLUE)
    floor.open()
    floor.place(floor.one, BLUE, {"17": 4})
    floor.result("17")
    assert floor.pay_all() == {floor.one: cents(140)}


def test_wheel_launch_does_not_end_bets_with_chips() -> None:
    """Chips are recorded while the ball runs and no more bets was not called."""
    floor = opened()
    floor.ask(BallLaunched(TABLE, opposite=True), DeviceId(TABLE))
    (event,) = floor.place(floor.one, BLUE, red=1)
    assert isinstance(event, ChipsChanged)
    assert event.how is BetChange.PLACE


def test_advised_player_with_enough_on_every_spot_gets_nothing_back() -> None:
    """Only bets under the minimum go back to a player who was advised."""
    floor = LiveFloor()
    floor.open()
    floor.place(floor.one, "v100", red=3)
    floor.result("2")
    floor.pay_all()
    floor.open()
    floor.place(floor.one, "v100", red=5)
    floor.close()
    assert lies(floor) == {"red": {"v100": 5}}
