"""Corrections, invalidated outcomes, no spins, voids and restarts at a table with chips."""

import pytest
from msgspec.structs import replace

from croupier.engine.storage import decode_state, encode_state
from croupier.house import House, evolve
from croupier.house.ids import SYSTEM, Context, PositionId, RoundNumber
from croupier.house.live.arrangements import BarPlayer
from croupier.house.live.chip_settlement import ChipsCorrected, PaymentRounded
from croupier.house.live.floats import CloseFloat, CountFloat, OpenFloat
from croupier.house.live.payment_walk import AmendSeal, CollectLosers, PaySegment, SegmentPaid, SettleOwed
from croupier.house.live.seats_and_colours import AllocateColour, LeaveTable, RedeemColour, ReturnColour, in_hand
from croupier.house.live.supervised import RecordWinner
from croupier.house.play.chip_bets import ClearChips
from croupier.house.rounds.corrections import CorrectionPreview, CorrectResult, InvalidateOutcome, preview_correction
from croupier.house.rounds.irregularities import CallNoSpin, ResetTerminals, SpinVoided
from croupier.house.rounds.opening import OpenBets
from croupier.house.rounds.recovery import (
    HouseRecovered,
    RaiseSystemMalfunction,
    Recover,
    RoundInterrupted,
    TerminalsRefunded,
)
from croupier.house.rounds.referrals import DecideReferral, ReferralDecision, ReferRound
from croupier.house.rounds.results import AttestResult
from croupier.house.rounds.spinning import SpinBall
from croupier.house.settings import Recording
from croupier.house.state.ledger import LedgerAccount
from croupier.house.state.live import ChipMove, ChipMoves
from croupier.house.state.tables import Phase
from croupier.house.verification import ledger_problems, state_digest
from croupier.rulebooks.schema import read_canonical
from croupier.rules.geometry import Pocket, SpotKey
from croupier.rules.procedure import Reason
from croupier.server.events import view_changes
from tests.support.house_driver import ADELAIDE, TABLE, US, Play, cents, refused
from tests.support.live_driver import LiveFloor

ONE = RoundNumber(1)


def settled(pocket: str = "17", rulebook_id: str = ADELAIDE) -> LiveFloor:
    """A round that was settled: blue has 2 on 17 and 1 on red, the second player value chips on black and on 20."""
    floor = LiveFloor(rulebook_id)
    floor.buy(floor.one, 50, "blue")
    floor.open()
    floor.place(floor.one, "blue", {"17": 2, "red": 1})
    floor.place(floor.two, "v100" if rulebook_id == US else "v500", {"black": 2, "20": 1})
    floor.result(pocket)
    return floor


def correct(floor: LiveFloor, pocket: str, number: int = 1) -> ChipsCorrected:
    """Have two people replace the number of a round."""
    command = CorrectResult(TABLE, RoundNumber(number), Pocket(pocket), "The recording shows it.")
    second = "boss" if "boss" in floor.house.staff.people else floor.enrol(floor.rulebook.staff.order[-1], "boss")
    events = floor.signed(command, floor.chief, second)
    return next(event for event in events if isinstance(event, ChipsCorrected))


def accounts(floor: LiveFloor, position: PositionId) -> tuple[int, int, int]:
    """What a position has coming, owes, and has on the layout, in dollars."""
    live = floor.live
    player = live.players.get(position) or live.left[position]
    chips = floor.table.playing.chips
    walk = None if chips is None else chips.walk
    open_ = sum(item.amount for item in walk.items if item.position == position and not item.made) if walk else 0
    game = floor.house.positions.get(position)
    return (player.payable + open_) // 100, player.owed // 100, (game.staked if game else 0) // 100


@pytest.mark.clause(ADELAIDE, "11(e)")
def test_correction_before_the_collection_settles_again() -> None:
    """While all chips lie, another number settles the sealed layouts as if it had come first."""
    floor, plain = settled("17"), settled("20")
    event = correct(floor, "20")
    assert event.anew
    assert dict(event.changes) == {floor.one: -cents(350 + 10), floor.two: cents(175 + 5)}
    assert floor.table.phase is Phase.PAYING
    floor.mark()
    assert floor.live.players == plain.live.players
    assert (floor.walk, floor.live.meters) == (plain.walk, plain.live.meters)
    assert floor.pay_all() == plain.pay_all() == {floor.two: cents(10 + 175)}


def over_the_maximum(rulebook_id: str) -> LiveFloor:
    """Settle 20 on chips over the maximum: blue has twice as many on red as count and ten in the hand, black wins.

    At the US table they are found after the close, as the rules refuse them before.
    """
    floor = LiveFloor(rulebook_id)
    most, value = (20, 5) if rulebook_id == ADELAIDE else (4, 1)
    floor.buy(floor.one, (2 * most + 10) * value, "blue", value)
    floor.buy(floor.two, 50, "green", value)
    floor.open()
    floor.place(floor.two, "green", black=2)
    if rulebook_id == ADELAIDE:
        floor.place(floor.one, "blue", red=2 * most)
        floor.close()
    else:
        floor.close()
        floor.signed(AmendSeal(TABLE, floor.one, ((SpotKey("red"), "blue", 2 * most),), "Seen."))
    floor.result("20")
    assert floor.out() == most + 10
    return floor


RETURNS = [
    pytest.param(ADELAIDE, "9(e)", marks=pytest.mark.clause(ADELAIDE, "12(f)")),
    pytest.param(US, "Rotation (4)", marks=pytest.mark.clause(US, "Rotation (4)")),
]


@pytest.mark.parametrize(("rulebook_id", "clause"), RETURNS)
@pytest.mark.parametrize("collects", [False, True])
@pytest.mark.parametrize("number", ["1", ""])
def test_chips_that_went_back_are_not_redeemed_before_all_is_paid(
    rulebook_id: str, clause: str, number: str, *, collects: bool
) -> None:
    """Another number, or a spin that does not count, takes chips over the maximum from the hand: they are there."""
    floor = over_the_maximum(rulebook_id)
    if collects:
        floor.collect()
    redeem = RedeemColour(TABLE, floor.one, "blue", floor.out() or 0)
    assert floor.refuses(redeem) == ("not_all_paid", clause)
    if number:
        assert correct(floor, number).anew
    else:
        floor.deal(CallNoSpin(TABLE, Reason.FOREIGN_OBJECT, "as seen"))
    blue, most = floor.live.colours["blue"], 20 if rulebook_id == ADELAIDE else 4
    # By the rules of the US table they go back with a win too.
    left = 10 + (most if number and rulebook_id == US else 0)
    assert (blue.booked, in_hand(floor.live, "blue")) == (left * blue.value, left)


@pytest.mark.parametrize(("rulebook_id", "clause"), RETURNS)
def test_chips_that_went_back_are_redeemed_after_the_payment(rulebook_id: str, clause: str) -> None:
    """Once all is paid they are the player's: a correction pays or claims the difference."""
    floor = over_the_maximum(rulebook_id)
    redeem = RedeemColour(TABLE, floor.one, "blue", floor.out() or 0)
    floor.collect()
    assert floor.refuses(redeem) == ("not_all_paid", clause)
    floor.pay("black")
    floor.deal(redeem)
    assert not correct(floor, "1").anew
    blue = floor.live.colours["blue"]
    most = 20 if rulebook_id == ADELAIDE else 4
    # The pieces that were collected lie on red again, and win.
    assert (blue.out, blue.booked, floor.player(floor.one).payable) == (most, 0, most * blue.value)
    correct(floor, "20")
    assert (blue.out, blue.booked, accounts(floor, floor.one)) == (0, 0, (0, 0, 0))


def test_debt_is_not_settled_in_chips_of_a_round_that_is_paid() -> None:
    """A debt of an earlier round is taken in value chips while chips that went back may be taken again."""
    floor = LiveFloor()
    floor.buy(floor.one, 500, "blue")
    floor.open()
    floor.place(floor.one, "blue", {"17": 1})
    floor.result("17")
    floor.pay_all()
    correct(floor, "20")
    floor.open()
    floor.place(floor.one, "blue", red=40)
    floor.result("2")
    owe = SettleOwed(TABLE, floor.one, "blue", 1)
    assert floor.refuses(owe) == ("not_all_paid", "9(e)")
    floor.deal(SettleOwed(TABLE, floor.one, "v500", 1))
    floor.mark()
    floor.collect()
    floor.deal(owe)


@pytest.mark.clause(ADELAIDE, "11(e)")
def test_correction_after_the_collection_gives_and_takes() -> None:
    """After payment the win of 350 and the stake that stayed are taken back; a bet that was swept is paid."""
    floor = settled("17")
    floor.pay_all()
    event = correct(floor, "20")
    assert not event.anew
    # The 10 on 17 stayed on the layout and are collected; the rest is a debt.
    assert accounts(floor, floor.one) == (0, 350, 0)
    # Black won both times; the 5 on 20 were swept, are put back and win 175.
    assert accounts(floor, floor.two) == (175, 0, 15)
    assert event.lifted == (ChipMove(floor.one, SpotKey("17"), "blue", 2),)
    assert event.restored == (ChipMove(floor.two, SpotKey("20"), "v500", 1),)
    assert floor.table.phase is Phase.BETWEEN
    assert floor.pay("correction").payments[0].value == cents(175)
    assert floor.refuses(PaySegment(TABLE, ONE, "correction")) == ("nothing_there", "9(e)")
    floor.open()


@pytest.mark.clause(ADELAIDE, "11(e)")
def test_correction_during_the_payment_takes_what_is_not_paid() -> None:
    """A win that is not paid yet is taken from its payment, and what is added is paid before the next round."""
    floor = settled("17")
    floor.collect()
    floor.pay("black")
    correct(floor, "20")
    assert accounts(floor, floor.one) == (0, 0, 0)
    assert accounts(floor, floor.two) == (175, 0, 15)
    assert floor.table.phase is Phase.PAYING
    floor.mark()
    assert floor.refuses(PaySegment(TABLE, ONE, "inside")) == ("nothing_there", "9(e)")
    assert floor.pay("correction", floor.two).payments[0].value == cents(175)
    assert floor.walk.over


@pytest.mark.clause(ADELAIDE, "11(e)")
@pytest.mark.parametrize(("rulebook", "chip"), [(ADELAIDE, "v500"), (US, "v100")])
def test_correction_after_the_collection_lists_what_moves(rulebook: str, chip: str) -> None:
    """Between collection and payment, what the true number alone leaves is put back; a bet that wins by both stays."""
    floor = settled("17", rulebook)
    assert (correct(floor, "20").restored, floor.walk.moves) == ((), None)
    correct(floor, "17")
    floor.mark()
    floor.collect()
    event = correct(floor, "20")
    assert event.anew
    lifted, restored = ChipMove(floor.one, SpotKey("17"), "blue", 2), ChipMove(floor.two, SpotKey("20"), chip, 1)
    assert (event.lifted, event.restored) == ((lifted,), (restored,))
    assert floor.walk.moves == ChipMoves((lifted,), (restored,))
    # A second correction before the dealer acts adds to the first: back at 17 nothing moves, at 1 more is lifted.
    assert correct(floor, "17").lifted == (restored,)
    assert floor.walk.moves == ChipMoves((), ())
    correct(floor, "1")
    black = ChipMove(floor.two, SpotKey("black"), chip, 2)
    assert floor.walk.moves == ChipMoves((lifted, black), (ChipMove(floor.one, SpotKey("red"), "blue", 1),))
    floor.mark()
    floor.collect()
    assert floor.walk.moves is None


@pytest.mark.clause(ADELAIDE, "11(e)")
def test_correction_after_a_payment_lists_what_moves_until_the_next() -> None:
    """While chips are paid, the walk has what a correction moves until the dealer pays again."""
    floor = settled("17")
    floor.collect()
    floor.pay("black")
    event = correct(floor, "20")
    assert floor.walk.moves == ChipMoves(event.lifted, event.restored)
    floor.mark()
    floor.pay("correction")
    assert floor.walk.moves is None
    correct(floor, "17")
    assert floor.walk.moves == ChipMoves(event.restored, event.lifted)
    second = floor.enrol("Shift Manager", "other")
    floor.signed(InvalidateOutcome(TABLE, ONE, Reason.FIRE, "Fire."), floor.chief, second)
    assert floor.walk.moves is None


def test_correction_there_and_back_restores_what_is_due() -> None:
    """Corrected to another number and back, each player has what the first number gave."""
    floor = settled("17")
    floor.pay_all()
    correct(floor, "20")
    correct(floor, "17")
    payable, owed, up = accounts(floor, floor.one)
    assert payable - owed + up == 10
    payable, owed, up = accounts(floor, floor.two)
    assert payable - owed + up == 10


def test_debt_is_paid_before_anything_is_given() -> None:
    """What a later correction adds first clears the debt of an earlier one; chips settle the rest."""
    floor = settled("17")
    floor.pay_all()
    correct(floor, "20")
    one = floor.one
    owe = SettleOwed(TABLE, one, "blue", 10)
    assert floor.refuses(replace(owe, pieces=71)) == ("payment_differs", "11(e)")
    assert floor.refuses(replace(owe, chip="green")) == ("chips_of_another_table", "6(f)")
    assert floor.refuses(replace(owe, position=floor.two)) == ("nothing_there", "11(e)")
    assert floor.refuses(replace(owe, position=PositionId(9))) == ("nothing_there", "11(e)")
    floor.deal(owe)
    floor.deal(replace(owe, chip="v10000", pieces=1))
    assert accounts(floor, one) == (0, 200, 0)
    floor.deal(RedeemColour(TABLE, one, "blue", 60))
    assert floor.refuses(replace(owe, pieces=20)) == ("chips_short", "6(a)")
    assert floor.out() == 7
    floor.deal(replace(owe, chip="v10000", pieces=2))
    assert accounts(floor, one) == (0, 0, 0)


def test_account_of_a_player_who_left_is_kept() -> None:
    """A player who left after a correction still owes, or is still paid; the record ends when it is settled."""
    floor = settled("17")
    floor.pay_all()
    correct(floor, "20")
    one, two = floor.players
    floor.deal(RedeemColour(TABLE, one, "blue", 77))
    floor.deal(ReturnColour(TABLE, "blue", 1_000))
    floor.deal(LeaveTable(TABLE, one))
    floor.deal(floor.removing(two, "black", "20"))
    floor.deal(LeaveTable(TABLE, two))
    assert {*floor.live.left} == {one, two}
    floor.pay("correction", two)
    floor.deal(SettleOwed(TABLE, one, "v10000", 3))
    floor.deal(SettleOwed(TABLE, one, "v500", 10))
    assert floor.live.left == {}
    # A correction of that round still finds them.
    correct(floor, "17")
    assert accounts(floor, one) == (360, 0, 0)
    assert accounts(floor, two) == (0, 180, 0)
    correct(floor, "20")
    assert floor.live.left == {}


def test_stakes_of_another_spin_are_not_lifted() -> None:
    """Once a winning stake is sealed in the next spin, a correction leaves it there and books a debt."""
    floor = settled("17")
    floor.pay_all()
    floor.open()
    floor.deal(SpinBall(TABLE))
    floor.close()
    correct(floor, "20")
    assert accounts(floor, floor.one) == (0, 360, 10)


def test_stayed_value_chips_are_lifted_into_the_float() -> None:
    """Value chips that stayed up by a wrong number go into the float; a piece larger than the rest stays."""
    floor = LiveFloor(players=("one", "two"))
    floor.open()
    floor.place(floor.one, "v500", {"17": 2})
    floor.result("17")
    floor.pay_all()
    float_ = floor.live.float_
    assert float_ is not None
    before = float_.booked
    correct(floor, "20")
    assert float_.booked - before == cents(10)
    assert accounts(floor, floor.one) == (0, 350, 0)


def test_correction_pays_colours_exactly() -> None:
    """An amount that value chips cannot make is paid with pieces of the player's colour, or rounded up without it."""
    floor = LiveFloor(players=("one", "two"), denominations=(cents(10), cents(100)))
    floor.buy(floor.one, 50, "blue")
    floor.open()
    floor.place(floor.one, "blue", {"20": 1})
    floor.result("17")
    floor.pay_all()
    correct(floor, "20")
    (payment,) = floor.pay("correction").payments
    assert payment.chips == (("blue", 1), ("v10000", 1), ("v1000", 7))
    correct(floor, "19")
    correct(floor, "20")
    assert accounts(floor, floor.one) == (0, 0, 5)
    floor.open()
    floor.place(floor.one, "blue", {"odd": 1})
    floor.result("17")
    floor.pay_all()
    assert floor.out() == 11


def test_correction_without_own_colour_is_rounded_up() -> None:
    """If the colour was taken back, what value chips cannot make is paid as the next higher amount."""
    floor = LiveFloor(players=("one", "two"), denominations=(cents(10), cents(100)))
    floor.buy(floor.one, 55, "blue")
    floor.open()
    floor.place(floor.one, "blue", {"even": 3})
    floor.result("17")
    floor.pay_all()
    floor.deal(RedeemColour(TABLE, floor.one, "blue", 8))
    floor.deal(ReturnColour(TABLE, "blue", 1_000))
    correct(floor, "20")
    assert floor.pay("correction").payments[0].value == cents(30)

    again = LiveFloor(players=("one", "two"), denominations=(cents(10), cents(100)))
    again.buy(again.one, 55, "blue")
    again.open()
    again.place(again.one, "blue", {"1/2/3": 1})
    again.result("17")
    again.pay_all()
    again.deal(RedeemColour(TABLE, again.one, "blue", 10))
    again.deal(ReturnColour(TABLE, "blue", 1_000))
    correct(again, "2")
    assert again.pay("correction").payments[0].value == cents(60)
    assert again.live.meters.rounding == 0


@pytest.mark.clause(ADELAIDE, "12(g)")
@pytest.mark.clause(ADELAIDE, "12(b)")
def test_stake_that_goes_back_is_not_rounded() -> None:
    """Without an outcome 15 are due that chips of 10 do not make: no clause rounds a stake, an inspector decides."""
    floor = LiveFloor(players=("one",), denominations=(cents(10), cents(100)), circulating=(cents(5),))
    floor.open()
    floor.place(floor.one, "v500", {"even": 3})
    floor.result("17")
    floor.collect()
    second = floor.enrol("Shift Manager", "other")
    floor.signed(InvalidateOutcome(TABLE, ONE, Reason.FIRE, "Fire in the pit."), floor.chief, second)

    due = PaySegment(TABLE, ONE, "correction", floor.one)
    assert floor.refuses(due) == ("payment_undecided", "12(i)")
    floor.deal(replace(due, handed=(("v1000", 2),)), floor.inspector)
    assert accounts(floor, floor.one) == (0, 0, 0)
    assert floor.live.meters.rounding == cents(5)


@pytest.mark.clause(ADELAIDE, "12(b)")
@pytest.mark.clause(ADELAIDE, "12(b)i")
def test_invalidated_outcome_takes_back_winnings_and_returns_stakes() -> None:
    """After payment 350 become owed, less collected stakes, and the 10 stay; before it, all chips lie as they lay."""
    floor = settled("17")
    floor.pay_all()
    second = floor.enrol("Shift Manager", "other")
    command = InvalidateOutcome(TABLE, ONE, Reason.FIRE, "Fire in the pit.")
    floor.signed(command, floor.chief, second)
    assert accounts(floor, floor.one) == (0, 345, 10)
    assert accounts(floor, floor.two) == (0, 5, 10)

    early = settled("17")
    second = early.enrol("Shift Manager", "other")
    early.signed(command, early.chief, second)
    assert early.table.phase is Phase.BETWEEN
    assert accounts(early, early.one) == (0, 0, 15)
    assert accounts(early, early.two) == (0, 0, 15)
    assert early.balance(LedgerAccount.HOUSE) == 0
    early.open()


@pytest.mark.clause(ADELAIDE, "12(b)")
def test_running_round_is_invalidated_without_touching_chips() -> None:
    """Before the number, an invalidated round returns terminals' stakes, and chips stay."""
    floor = LiveFloor(terminals={"T1": 100})
    floor.open()
    floor.bet("T1", "10 on red")
    floor.place(floor.one, "v500", red=2)
    floor.close()
    floor.deal(InvalidateOutcome(TABLE, ONE, Reason.FIRE, "Fire."), floor.chief)
    assert floor.house.terminals["T1"].credit == cents(100)  # type: ignore[index]
    assert accounts(floor, floor.one) == (0, 0, 10)
    floor.open()


@pytest.mark.clause(ADELAIDE, "10(f)")
@pytest.mark.clause(ADELAIDE, "11(d)")
def test_no_spin_leaves_chips_and_resets_terminals() -> None:
    """After a no spin terminals get their stakes back, and chips stay on the layout and may be changed."""
    floor = LiveFloor(terminals={"T1": 100})
    floor.open()
    floor.bet("T1", "10 on red")
    floor.place(floor.one, "v500", red=2)
    floor.close()
    floor.deal(CallNoSpin(TABLE, Reason.FOREIGN_OBJECT, "as seen"))
    floor.deal(ResetTerminals(TABLE))
    assert floor.house.terminals["T1"].credit == cents(100)  # type: ignore[index]
    assert accounts(floor, floor.one) == (0, 0, 10)
    assert floor.live.meters.refunded == cents(10)
    floor.place(floor.one, "v500", black=1)
    floor.deal(floor.removing(floor.one, "red"))


@pytest.mark.clause(ADELAIDE, "11(d)")
@pytest.mark.clause(ADELAIDE, "12(d)")
def test_chips_of_a_player_barred_before_a_no_spin_go_back() -> None:
    """To a player who was barred before a no spin, play that continues after it is future: the chips go back."""
    floor = LiveFloor()
    floor.open()
    floor.place(floor.one, "v500", red=2)
    floor.at(1)
    floor.deal(BarPlayer(TABLE, floor.one, "Touched chips again."), floor.inspector)
    floor.close()
    assert accounts(floor, floor.one) == (0, 0, 10)
    floor.deal(CallNoSpin(TABLE, Reason.FOREIGN_OBJECT, "as seen"))
    floor.deal(ResetTerminals(TABLE))
    floor.close()
    assert accounts(floor, floor.one) == (0, 0, 0)


@pytest.mark.clause(US, "Irregularities (1)")
@pytest.mark.clause(US, "Irregularities (2)")
@pytest.mark.parametrize("reason", [Reason.SAME_DIRECTION, Reason.TOO_FEW_REVOLUTIONS])
def test_us_no_spin_leaves_chips(reason: Reason) -> None:
    """At the US table a no spin changes no chip: the same chips lie for the next spin, and may be changed."""
    floor = LiveFloor(US)
    floor.open()
    floor.place(floor.one, "v100", red=4)
    floor.close()
    floor.deal(CallNoSpin(TABLE, reason, "as seen"))
    assert floor.table.phase is Phase.OPEN
    assert accounts(floor, floor.one) == (0, 0, 4)
    floor.deal(floor.removing(floor.one, "red"))


@pytest.mark.clause(US, "Irregularities (3)")
def test_us_no_spin_until_the_first_payment() -> None:
    """An object that entered before the ball was at rest undoes the spin until a bet is paid, and not after that."""
    floor = settled("17", US)
    floor.collect()
    (event,) = floor.deal(CallNoSpin(TABLE, Reason.FOREIGN_OBJECT, "as seen"))
    assert isinstance(event, SpinVoided)
    assert floor.table.phase is Phase.OPEN
    assert (accounts(floor, floor.one), accounts(floor, floor.two)) == ((0, 0, 3), (0, 0, 3))
    assert floor.balance(LedgerAccount.HOUSE) == 0
    floor.result("17")
    floor.collect()
    floor.pay("black")
    assert floor.refuses(CallNoSpin(TABLE, Reason.FOREIGN_OBJECT, "as seen"))[0] == "out_of_turn"


def test_no_spin_is_too_late_once_a_terminal_was_settled() -> None:
    """At a mixed table the settlement of a terminal ends the time for a no spin."""
    floor = LiveFloor(terminals={"T1": 100})
    floor.open()
    floor.bet("T1", "10 on red")
    floor.place(floor.one, "v500", red=2)
    floor.result("1")
    assert floor.refuses(CallNoSpin(TABLE, Reason.FOREIGN_OBJECT, "as seen"))[0] == "out_of_turn"


@pytest.mark.clause(ADELAIDE, "11(b)i")
def test_malfunction_before_the_close_refunds_terminals_only() -> None:
    """A malfunction of the system returns terminals' stakes, which their screens show; the round goes on for chips."""
    floor = LiveFloor(terminals={"T1": 100})
    floor.open()
    floor.bet("T1", "10 on red")
    floor.place(floor.one, "v500", red=2)
    events = floor.deal(RaiseSystemMalfunction(TABLE, "The screens are frozen."), floor.inspector)
    (refunded,) = [event for event in events if isinstance(event, TerminalsRefunded)]
    assert (refunded.clause, floor.table.phase) == ("11(b)i", Phase.OPEN)
    assert "T1" in view_changes(floor.house, events).seats
    assert floor.house.terminals["T1"].credit == cents(100)  # type: ignore[index]
    assert accounts(floor, floor.one) == (0, 0, 10)
    floor.result("1")
    assert floor.pay_all() == {floor.one: cents(10)}


@pytest.mark.clause(ADELAIDE, "11(b)i")
@pytest.mark.clause(ADELAIDE, "11(b)ii")
@pytest.mark.parametrize("rulebook_id", [ADELAIDE, US])
def test_restart_leaves_chips_where_they_lie(rulebook_id: str) -> None:
    """After a stop open betting goes on; a sealed round without a number waits for two people, or no spin."""
    floor = LiveFloor(rulebook_id, terminals={"T1": 100})
    floor.open()
    floor.place(floor.one, "v100", red=4)
    assert [type(event) for event in floor.must(Recover())] == [HouseRecovered]
    floor.bet("T1", "5 on red" if rulebook_id == ADELAIDE else "4 on red")
    refunded = [event for event in floor.must(Recover()) if isinstance(event, TerminalsRefunded)]
    assert len(refunded) == (rulebook_id == ADELAIDE)
    assert floor.table.phase is Phase.OPEN
    floor.close()
    assert any(isinstance(event, RoundInterrupted) for event in floor.must(Recover()))
    assert accounts(floor, floor.one) == (0, 0, 4)
    second = floor.enrol(floor.rulebook.staff.order[-1], "boss")
    floor.signed(AttestResult(TABLE, Pocket("1"), "Both saw it."), floor.chief, second)
    assert floor.pay_all() == {floor.one: cents(4)}


def test_restart_with_a_reported_number_waits_for_the_confirmation() -> None:
    """A number that the wheel reported before the stop is still confirmed by the dealer."""
    floor = LiveFloor()
    floor.open()
    floor.place(floor.one, "v500", red=2)
    floor.close()
    floor.rest("1", 5)
    floor.must(Recover())
    assert floor.table.phase is Phase.AT_REST


def test_decision_to_void_leaves_chips() -> None:
    """A referred round that is decided void refunds terminals; chips stay on the layout for the next round."""
    floor = LiveFloor()
    floor.open()
    floor.place(floor.one, "v500", red=2)
    floor.close()
    floor.deal(ReferRound(TABLE, "A doubt."))
    floor.must(Recover())
    floor.deal(DecideReferral(TABLE, ReferralDecision.VOID, "No number."), floor.chief)
    assert floor.table.phase is Phase.BETWEEN
    assert accounts(floor, floor.one) == (0, 0, 10)
    floor.open()
    floor.result("1")
    assert floor.pay_all() == {floor.one: cents(10)}


def test_crash_after_any_event_of_a_walk_restores_it() -> None:
    """A house that is replayed from the journal, or read from a snapshot, is the same after every entry of a walk."""
    floor = settled("17")
    floor.collect()
    floor.pay("inside")
    floor.pay("black")
    correct(floor, "20")
    floor.pay("correction")
    house = House.new(read_canonical)
    for entry in floor.journal.entries():
        evolve(house, entry.event, entry.context)
        decoded, _ = decode_state(encode_state(house))
        assert state_digest(decoded) == state_digest(house)
        assert list(ledger_problems(decoded)) == []
        house = decoded
    assert state_digest(house) == state_digest(floor.house)


def test_supervised_correction_reverses_recorded_payments() -> None:
    """Where only winners are recorded, another number takes their payments back, and pays what it gives them."""
    floor = LiveFloor(recording=Recording.SUPERVISED)
    floor.open()
    floor.result("17")
    floor.collect()
    floor.deal(RecordWinner(TABLE, floor.one, ONE, (("17", 1), ("odd", 2)), "v500"))
    floor.pay("inside")
    assert accounts(floor, floor.one) == (10, 0, 0)
    correct(floor, "19")
    assert accounts(floor, floor.one) == (0, 165, 0)
    second = floor.enrol("Shift Manager", "other")
    floor.signed(InvalidateOutcome(TABLE, ONE, Reason.FIRE, "Fire."), floor.chief, second)
    assert accounts(floor, floor.one) == (0, 175, 0)


def _preview(floor: LiveFloor, command: CorrectResult | InvalidateOutcome) -> CorrectionPreview:
    """Preview a correction, which changes nothing."""
    before = state_digest(floor.house)
    preview = preview_correction(floor.house, command, Context(floor.now, SYSTEM))
    assert state_digest(floor.house) == before
    return preview


@pytest.mark.parametrize("paid", [-1, 0, 1, 2])
@pytest.mark.clause("skycity-adelaide-2003", "11(e)")
def test_preview_of_a_correction_shows_chips(paid: int) -> None:
    """The preview of a correction agrees with the correction, for every player with chips and for the house."""
    floor = settled()
    for step in range(paid + 1):
        floor.collect() if step == 0 else floor.pay(next(each.segment for each in floor.walk.items if not each.made))
    before, house = {each: accounts(floor, each) for each in floor.players}, floor.balance(LedgerAccount.HOUSE)
    preview = _preview(floor, CorrectResult(TABLE, ONE, Pocket("20"), ""))
    correct(floor, "20")
    assert preview.house == floor.balance(LedgerAccount.HOUSE) - house
    assert [each.position for each in preview.chips] == floor.players
    for each in preview.chips:
        assert (
            tuple(money // 100 for money in (each.before.unpaid, each.before.owed, each.before.up)) == before[each[0]]
        )
        after = (each.after.unpaid, each.after.owed, each.after.up)
        assert tuple(money // 100 for money in after) == accounts(floor, each.position)
        assert not each.gone
    # Blue loses its 350 and 10; the second player's 5 on 20 win 175, and 10 on black stay and win 10.
    assert [(each.staked, each.paid, each.due) for each in preview.chips] == [
        (1_500, 36_000, 0),
        (1_500, 2_000, 20_000),
    ]
    assert [each.label for each in preview.chips] == ["one", "two"]


def test_preview_names_players_who_left() -> None:
    """A player who has left the table has a row in the preview, and owes what was paid too much."""
    floor = settled()
    floor.pay_all()
    floor.deal(OpenBets(TABLE))
    floor.deal(ClearChips(TABLE, floor.two))
    floor.deal(LeaveTable(TABLE, floor.two))
    preview = _preview(floor, CorrectResult(TABLE, ONE, Pocket("1"), ""))
    *_, two = preview.chips
    assert (two.gone, two.label, two.before, two.after) == (True, "", (0, 0, 0), (0, 0, 2_000))
    correct(floor, "1")
    assert accounts(floor, floor.two) == (0, 20, 0)
    again = _preview(floor, CorrectResult(TABLE, ONE, Pocket("17"), ""))
    assert (again.chips[1].gone, again.chips[1].before, again.chips[1].after) == (True, (0, 0, 2_000), (0, 0, 0))


def test_preview_of_a_mixed_table() -> None:
    """A preview at a mixed table shows terminals and chips; in a running round chips stay, and are not listed."""
    floor = LiveFloor(terminals={"T1": 100})
    floor.open()
    floor.bet("T1", "10 on red")
    floor.place(floor.one, "v500", red=2)
    floor.close()
    running = _preview(floor, InvalidateOutcome(TABLE, ONE, Reason.FIRE, ""))
    assert [each.terminal for each in running.terminals] == ["T1"]
    assert (running.chips, running.house) == ((), 0)
    floor.result("1")
    preview = _preview(floor, CorrectResult(TABLE, ONE, Pocket("2"), ""))
    assert [each.terminal for each in preview.terminals] == ["T1"]
    assert [(each.paid, each.due) for each in preview.chips] == [(2_000, 0)]
    assert preview.house == 2_000 + 2_000
    # Without a number the stakes are due.
    invalid = _preview(floor, InvalidateOutcome(TABLE, ONE, Reason.FIRE, ""))
    assert [(each.paid, each.due) for each in invalid.chips] == [(2_000, 1_000)]


def test_round_without_chips_has_no_walk() -> None:
    """A live table on which no chips lie is settled at once, and a correction changes no chips."""
    floor = LiveFloor(terminals={"T1": 100})
    floor.open()
    floor.bet("T1", "10 on red")
    floor.result("1")
    assert floor.table.phase is Phase.BETWEEN
    second = floor.enrol("Shift Manager", "boss")
    floor.signed(CorrectResult(TABLE, ONE, Pocket("2"), "As seen."), floor.chief, second)
    assert floor.refuses(CollectLosers(TABLE, ONE))[0] == "out_of_turn"


@pytest.mark.parametrize("handed", [(), (("blue", 2), ("v1000", 1))])
def test_correction_that_no_own_colour_makes_exact_is_rounded_up(handed: tuple[tuple[str, int], ...]) -> None:
    """With blue at 20 and a smallest chip of 10, 45 due by a correction are paid as 50, once the float is open.

    They are paid in the chips that the house proposes, or in others. The next round is open, so that the stake is not
    put back.
    """
    floor = LiveFloor(players=("one",), denominations=(cents(10), cents(100)), circulating=(cents(5),))
    floor.buy(floor.one, 100, "blue", 20)
    floor.open()
    floor.place(floor.one, "v500", {"1/2/4/5": 1})
    floor.result("17")
    floor.pay_all()
    floor.open()
    correct(floor, "2")
    assert accounts(floor, floor.one) == (45, 0, 0)
    floor.result("17")
    floor.deal(RedeemColour(TABLE, floor.one, "blue", 5))
    floor.deal(ReturnColour(TABLE, "blue", 1_000))
    floor.deal(CountFloat(TABLE, ((cents(10), 1),)), floor.inspector)
    floor.signed(CloseFloat(TABLE), floor.inspector, floor.chief)
    floor.mark()
    assert floor.refuses(PaySegment(TABLE, ONE, "correction")) == ("float_not_open", "9(e)")
    floor.signed(OpenFloat(TABLE, ((cents(10), 100),), "S2"))
    floor.deal(AllocateColour(TABLE, floor.one, "blue", cents(20)))
    pay = PaySegment(TABLE, ONE, "correction", floor.one, handed)
    assert floor.refuses(replace(pay, handed=(("blue", 3),))) == ("payment_differs", "8(a)")
    paid, rounded = floor.deal(pay)
    assert isinstance(paid, SegmentPaid)
    assert isinstance(rounded, PaymentRounded)
    assert (paid.payments[0].value, rounded.due, rounded.clause) == (cents(50), cents(45), "12(g)")
    assert floor.live.meters.rounding == cents(5)


@pytest.mark.clause(US, "Rotation (4)")
def test_us_correction_that_chips_do_not_make_is_for_the_supervisor() -> None:
    """33 due by a correction from chips of 5 are no amount for the dealer: the supervisor decides, and may pay 35."""
    floor = LiveFloor(US, players=("one",), denominations=(cents(5),), circulating=(cents(1),))
    floor.open()
    floor.place(floor.one, "v100", {"1/2/3": 3})
    floor.result("17")
    floor.pay_all()
    correct(floor, "2")
    floor.mark()
    assert (floor.player(floor.one).payable, floor.house.positions[floor.one].staked) == (cents(33), cents(3))
    assert floor.refuses(PaySegment(TABLE, ONE, "correction")) == ("payment_undecided", "Rotation (4)")
    handed = PaySegment(TABLE, ONE, "correction", floor.one, (("v500", 7),))
    assert floor.refuses(handed) == ("payment_undecided", "Rotation (4)")
    # It is paid while the next round is open, too.
    floor.open()
    _, rounded = floor.deal(replace(handed, round=floor.table.playing.number), floor.chief)
    assert isinstance(rounded, PaymentRounded)
    assert (rounded.due, rounded.paid, rounded.clause) == (cents(33), cents(35), "Rotation (4)")


def decided(pieces: int, paid: int, **bets: int) -> LiveFloor:
    """A round on 18 under a notice, of which the inspector decided the payment of red in chips of 10."""
    floor = LiveFloor(players=("one",), denominations=(cents(10),), circulating=(cents(5),), multiples=True)
    floor.open()
    floor.place(floor.one, "v500", {"red": pieces, **bets})
    floor.result("18")
    if not floor.walk.collected:
        floor.collect()
    floor.deal(PaySegment(TABLE, ONE, "red", floor.one, (("v1000", paid // 10),)), floor.inspector)
    return floor


@pytest.mark.clause(ADELAIDE, "12(i)")
@pytest.mark.clause(ADELAIDE, "11(e)")
@pytest.mark.parametrize(("pieces", "paid"), [(1, 10), (3, 10), (3, 20)])
def test_correction_takes_back_what_the_inspector_had_paid(pieces: int, paid: int) -> None:
    """A payment that an inspector decided is owed as it was paid, and the house has won the stake."""
    floor = decided(pieces, paid)
    assert [(item.amount, item.made) for item in floor.walk.items] == [(cents(paid), True)]
    correct(floor, "17")
    assert accounts(floor, floor.one) == (0, paid, 0)
    assert floor.balance(LedgerAccount.HOUSE) == cents(5 * pieces)
    assert floor.live.meters.won == cents(5 * pieces)
    floor.check()
    # What was taken back is not taken back again: by red, the 15 or 5 and the stake are due once more.
    correct(floor, "18")
    assert floor.balance(LedgerAccount.HOUSE) == -cents(5 * pieces)
    floor.check()


@pytest.mark.clause(ADELAIDE, "12(i)")
def test_correction_that_gives_the_same_payment_keeps_the_decision() -> None:
    """15 on red were paid as 10 by decision: they are by another red number too, and only the corner is taken back."""
    floor = decided(3, 10, **{"17/18/20/21": 1})
    floor.pay("inside")
    correct(floor, "12")
    assert accounts(floor, floor.one) == (0, 40, 15)
    correct(floor, "17")
    assert accounts(floor, floor.one)[1:] == (10, 5)
    assert floor.balance(LedgerAccount.HOUSE) == -cents(40 - 15)
    floor.check()


@pytest.mark.clause(ADELAIDE, "12(i)")
def test_invalidation_takes_back_what_the_inspector_had_paid() -> None:
    """An outcome without a number leaves the player the stake: what was paid is owed, and the house has won nothing."""
    floor = decided(1, 10)
    second = floor.enrol("Shift Manager", "other")
    floor.signed(InvalidateOutcome(TABLE, ONE, Reason.FIRE, "Fire in the pit."), floor.chief, second)
    assert accounts(floor, floor.one)[1] == 10
    assert floor.balance(LedgerAccount.HOUSE) == 0
    floor.check()


@pytest.mark.clause(US, "Rotation (4)")
@pytest.mark.parametrize(("pocket", "owed"), [("3", 0), ("17", 35)])
def test_rounded_payment_of_a_correction_counts_in_the_next(pocket: str, owed: int) -> None:
    """35 that a supervisor paid for 33 are owed if the bet loses after all, and stay paid if it wins as before."""
    floor = LiveFloor(US, players=("one",), denominations=(cents(5),), circulating=(cents(1),))
    floor.open()
    floor.place(floor.one, "v100", {"1/2/3": 3})
    floor.result("17")
    floor.pay_all()
    correct(floor, "2")
    floor.mark()
    floor.deal(PaySegment(TABLE, ONE, "correction", floor.one, (("v500", 7),)), floor.chief)
    correct(floor, pocket)
    assert accounts(floor, floor.one)[:2] == (0, owed)
    floor.check()


def test_stand_alone_table_has_no_debts_in_chips() -> None:
    """At a table without chips no debt is settled in chips."""
    play = Play(ADELAIDE)
    assert refused(play.by(play.dealer, SettleOwed(TABLE, PositionId(1), "v500", 1))) == ("chips_not_taken", "5.7(a)")


def test_no_spin_is_too_late_after_a_correction() -> None:
    """A round whose number was corrected after a payment is not undone by a no spin."""
    floor = settled("17")
    floor.collect()
    floor.pay("black")
    correct(floor, "20")
    assert floor.refuses(CallNoSpin(TABLE, Reason.FOREIGN_OBJECT, "as seen"))[0] == "out_of_turn"


def test_invalidated_round_pays_what_is_due_and_no_winners() -> None:
    """While chips are paid an outcome is invalidated: payments of segments end, and collected stakes are paid back."""
    floor = settled("17")
    floor.collect()
    floor.pay("black")
    second = floor.enrol("Shift Manager", "other")
    command = InvalidateOutcome(TABLE, ONE, Reason.FIRE, "Fire.")
    floor.signed(command, floor.chief, second)
    assert floor.refuses(PaySegment(TABLE, ONE, "inside")) == ("nothing_there", "9(e)")
    # Of the first player 5 on red were collected; the second had 10 for black, and 5 on 20 were collected.
    assert floor.pay("correction").payments[0].value == cents(5)
    assert accounts(floor, floor.two) == (0, 5, 10)

    supervised = LiveFloor(recording=Recording.SUPERVISED)
    supervised.open()
    supervised.result("17")
    supervised.collect()
    supervised.signed(command, supervised.chief, supervised.enrol("Shift Manager", "other"))
    winner = RecordWinner(TABLE, supervised.one, ONE, (("17", 1),), "v500")
    assert supervised.refuses(winner) == ("out_of_turn", "12(b)i")
