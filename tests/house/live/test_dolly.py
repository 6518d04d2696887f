"""The dolly, or crown: at a table with chips on its layout none is collected or paid before it marks the number."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from croupier.house.declare import Events
from croupier.house.ids import DeviceId, RoundNumber
from croupier.house.live.payment_walk import CollectLosers, DollyPlaced, PaySegment, PlaceDolly
from croupier.house.live.supervised import FinishPaying, RecordWinner
from croupier.house.rounds.corrections import CorrectResult, InvalidateOutcome
from croupier.house.rounds.recovery import Recover
from croupier.house.rounds.referrals import DecideReferral, ReferralDecision, ReferRound
from croupier.house.rounds.results import AttestResult, BallAtRest, ConfirmResult, EnterResult
from croupier.house.settings import Recording, WheelKind
from croupier.house.state.tables import Phase
from croupier.rules.geometry import Pocket
from croupier.rules.procedure import Reason
from tests.support.house_driver import ADELAIDE, TABLE, US, Play, cents, refused
from tests.support.live_driver import LiveFloor, live_settings

ONE, SEVENTEEN = RoundNumber(1), Pocket("17")
CLAUSES = {ADELAIDE: "9(d)", US: "Rotation (3)"}


def confirmed(floor: LiveFloor) -> Events:
    floor.rest("17", 5)
    return floor.deal(ConfirmResult(TABLE, SEVENTEEN))


def entered(floor: LiveFloor) -> Events:
    return floor.deal(EnterResult(TABLE, SEVENTEEN, SEVENTEEN))


def attested(floor: "Wheel") -> Events:
    floor.must(Recover())
    return floor.signed(AttestResult(TABLE, SEVENTEEN, "Both saw it."), floor.chief, floor.second)


def decided(floor: LiveFloor) -> Events:
    floor.rest("17", 5)
    floor.deal(ReferRound(TABLE, "A doubt."))
    return floor.deal(DecideReferral(TABLE, ReferralDecision.SETTLE, "It lay there.", SEVENTEEN), floor.chief)


class Wheel(LiveFloor):
    """A mixed table: one player with chips, and a terminal at the same wheel."""

    def __init__(self, rulebook_id: str, recording: Recording = Recording.FULL) -> None:
        super().__init__(rulebook_id, terminals={"T1": 100}, players=("one",), recording=recording)
        self.second = self.enrol(self.rulebook.staff.order[-1], "boss")
        self.open()
        self.bet("T1", "4 on black" if rulebook_id == US else "10 on black")
        if recording is Recording.FULL:
            self.place(self.one, "v100" if rulebook_id == US else "v500", {"17": 2, "20": 1, "red": 1})
        self.close()

    def nothing_before(self, pocket: str) -> None:
        """Assert that chips are neither collected nor paid, until the dolly is on the number and on no other."""
        none = ("dolly_not_placed", CLAUSES[self.rulebook.id])
        if self.table.phase is Phase.PAYING:
            assert self.refuses(CollectLosers(TABLE, ONE)) == none
        for segment in ("inside", "black", "correction"):
            assert self.refuses(PaySegment(TABLE, ONE, segment)) == none
        wrong = PlaceDolly(TABLE, ONE, Pocket("36"))
        assert self.refuses(wrong) == ("numbers_differ", CLAUSES[self.rulebook.id])
        assert self.refuses(replace(wrong, round=RoundNumber(9)))[0] == "wrong_round"
        right = PlaceDolly(TABLE, ONE, Pocket(pocket))
        assert self.deal(right) == (DollyPlaced(TABLE, ONE, Pocket(pocket)),)
        assert self.refuses(right) == ("already_there", CLAUSES[self.rulebook.id])


@pytest.mark.clause(ADELAIDE, "9(d)")
@pytest.mark.clause(US, "Rotation (3)")
@pytest.mark.clause(US, "Rotation (4)")
@pytest.mark.parametrize("rulebook_id", CLAUSES)
@pytest.mark.parametrize("number", [confirmed, entered, attested, decided])
def test_no_chip_moves_before_the_dolly(rulebook_id: str, number: Callable[[Wheel], Events]) -> None:
    """However the number came, chips wait for the dolly on it, and the terminal at the same wheel does not."""
    floor = Wheel(rulebook_id)
    staked = 4 if rulebook_id == US else 10
    assert floor.credit("T1") == 100 - staked
    assert not any(isinstance(event, DollyPlaced) for event in number(floor))
    # The winning stake stays.
    assert floor.credit("T1") == 100
    assert floor.table.phase is Phase.PAYING
    floor.nothing_before("17")
    floor.deal(CollectLosers(TABLE, ONE))
    assert floor.pay_all() == {floor.one: cents(70 if rulebook_id == US else 350)}


@pytest.mark.clause(ADELAIDE, "9(d)")
@pytest.mark.clause(US, "Rotation (3)")
@pytest.mark.parametrize(("rulebook_id", "clause"), list(CLAUSES.items()))
def test_confirmation_with_the_dolly_marks_the_number(rulebook_id: str, clause: str) -> None:
    """A confirmation that names the dolly records it, and one that names another number is refused."""
    floor = Wheel(rulebook_id)
    floor.rest("17", 5)
    assert floor.refuses(ConfirmResult(TABLE, SEVENTEEN, Pocket("20"))) == ("numbers_differ", clause)
    assert floor.deal(ConfirmResult(TABLE, SEVENTEEN, SEVENTEEN))[-1] == DollyPlaced(TABLE, ONE, SEVENTEEN)
    floor.deal(CollectLosers(TABLE, ONE))


@pytest.mark.clause(ADELAIDE, "9(d)")
@pytest.mark.clause(US, "Rotation (3)")
@pytest.mark.parametrize("rulebook_id", CLAUSES)
@pytest.mark.parametrize("done", ["settled", "collected", "paid"])
def test_corrected_number_is_marked_anew(rulebook_id: str, done: str) -> None:
    """After a correction the dolly is placed on the corrected number before chips are collected or paid."""
    floor = Wheel(rulebook_id)
    confirmed(floor)
    if done == "collected":
        floor.collect()
    if done == "paid":
        floor.pay_all()
    floor.signed(CorrectResult(TABLE, ONE, Pocket("20"), "The recording shows it."), floor.chief, floor.second)
    floor.nothing_before("20")


@pytest.mark.clause(ADELAIDE, "9(d)")
def test_supervised_table_marks_the_number_too() -> None:
    """Where only winners are recorded, none is recorded, and paying does not end, before the dolly is placed."""
    floor = Wheel(ADELAIDE, recording=Recording.SUPERVISED)
    confirmed(floor)
    winner = RecordWinner(TABLE, floor.one, ONE, (("17", 1),), "v500")
    assert floor.refuses(winner) == floor.refuses(FinishPaying(TABLE, ONE)) == ("dolly_not_placed", "9(d)")
    floor.nothing_before("17")
    floor.collect()
    floor.deal(winner)
    assert floor.pay("inside").payments[0].value == cents(175)
    floor.deal(FinishPaying(TABLE, ONE))


@pytest.mark.clause(ADELAIDE, "9(d)")
def test_no_dolly_without_a_number_or_without_chips() -> None:
    """An outcome that does not count marks nothing; neither does a live table without chips, or a stand-alone one."""
    floor = Wheel(ADELAIDE)
    confirmed(floor)
    floor.collect()
    floor.signed(InvalidateOutcome(TABLE, ONE, Reason.FIRE, "Fire."), floor.chief, floor.second)
    assert floor.refuses(PlaceDolly(TABLE, ONE, SEVENTEEN)) == ("numbers_differ", "9(d)")
    assert floor.pay("correction").payments[0].value == cents(10)

    empty = LiveFloor(terminals={"T1": 100})
    empty.open()
    empty.bet("T1", "10 on black")
    assert not any(isinstance(event, DollyPlaced) for event in empty.result("17"))
    assert empty.refuses(PlaceDolly(TABLE, ONE, SEVENTEEN)) == ("wrong_round", "9(d)")
    assert empty.credit("T1") == 100
    empty.open()

    play = Play(ADELAIDE, replace(live_settings(), live=None, wheel=WheelKind.SENSOR, confirms=False))
    play.seats(T1=100)
    play.open()
    play.bet("T1", "10 on black")
    play.close_and_spin()
    play.ask(BallAtRest(TABLE, SEVENTEEN, 9, opposite=True), DeviceId(TABLE))
    assert (play.table.phase, play.credit("T1")) == (Phase.BETWEEN, 100)
    assert refused(play.by(play.dealer, PlaceDolly(TABLE, ONE, SEVENTEEN)))[0] == "wrong_round"
