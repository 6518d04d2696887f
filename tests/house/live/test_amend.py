"""Sealed layouts that are amended, and players who are barred: who may add a chip, and when."""

import pytest
from msgspec.structs import replace

from croupier.house.floor.signatures import Approve, ProposalMade
from croupier.house.ids import SECOND
from croupier.house.live.arrangements import BarPlayer, NoteInfringement
from croupier.house.live.payment_walk import AmendSeal, SealAmended
from croupier.house.live.supervised import FinishPaying, RecordWinner
from croupier.house.play.betting import ReturnReason
from croupier.house.play.chip_bets import ChangeChips, ChipsReturned, ClearChips, MoveChips, UndoChips
from croupier.house.rounds.closing import CloseBets
from croupier.house.rounds.irregularities import CallNoSpin, ResetTerminals
from croupier.house.rounds.recovery import Recover
from croupier.house.rounds.referrals import DecideReferral, ReferralDecision, ReferRound
from croupier.house.rounds.spinning import SpinBall
from croupier.house.settings import Recording, WheelKind
from croupier.rules.geometry import SpotKey
from croupier.rules.procedure import InfringementKind, Reason
from croupier.rules.refusal import Refusal
from tests.house.live.test_bets import BLUE, RED, lies, opened
from tests.support.house_driver import ADELAIDE, TABLE, US, cents, refused
from tests.support.live_driver import LiveFloor, live_settings


@pytest.mark.clause(ADELAIDE, "12(d)")
@pytest.mark.clause(ADELAIDE, "12(l)")
@pytest.mark.parametrize(("kind", "clause"), [(None, "12(d)"), (InfringementKind.DEVICE, "12(l)")])
def test_every_change_of_a_barred_player_that_adds_a_chip_is_refused(
    kind: InfringementKind | None, clause: str
) -> None:
    """A barred player places, raises, moves and brings back nothing, and nothing is amended; chips are withdrawn."""
    floor = opened()
    floor.place(floor.one, BLUE, {"17": 2, "20": 2, "red": 2})
    floor.deal(ChangeChips(TABLE, floor.one, SpotKey("20"), BLUE, 1))
    floor.at(100)
    if kind is None:
        floor.deal(BarPlayer(TABLE, floor.one, "Touched chips again."), floor.inspector)
    else:
        floor.deal(NoteInfringement(TABLE, floor.one, kind))
    barred = ("player_barred", clause)
    for command in (
        floor.placing(floor.one, BLUE, {"17": 1}),
        ChangeChips(TABLE, floor.one, SpotKey("17"), BLUE, 3),
        ChangeChips(TABLE, floor.one, SpotKey("17"), "v500", 1),
        MoveChips(TABLE, floor.one, SpotKey("17"), RED),
        UndoChips(TABLE, floor.one),
    ):
        assert floor.refuses(command) == barred, command
    assert lies(floor) == {"17": {BLUE: 2}, "20": {BLUE: 1}, "red": {BLUE: 2}}
    floor.deal(ChangeChips(TABLE, floor.one, SpotKey("17"), BLUE, 1))
    floor.deal(floor.removing(floor.one, "20"))
    # Bringing back what was just withdrawn is a new bet.
    assert floor.refuses(UndoChips(TABLE, floor.one)) == barred
    floor.at(110)
    floor.close()
    more, less = (AmendSeal(TABLE, floor.one, ((RED, BLUE, count),), "Seen.") for count in (3, 1))
    assert floor.refuses(more, floor.inspector) == barred
    floor.signed(less)
    assert lies(floor) == {"17": {BLUE: 1}, "red": {BLUE: 1}}


@pytest.mark.clause(ADELAIDE, "12(d)")
def test_chips_of_a_barred_player_do_not_stay_for_the_next_spin() -> None:
    """What lay before the bar is played; a winning chip that stayed up is a future bet, and goes back at the close."""
    floor = opened()
    floor.place(floor.one, BLUE, {"17": 2})
    floor.place(floor.two, "v500", {"17": 1})
    floor.at(100)
    floor.deal(BarPlayer(TABLE, floor.one, "Touched chips again."), floor.inspector)
    floor.result("17")
    assert floor.pay_all()[floor.one] == cents(350)
    floor.at(200)
    floor.open()
    floor.deal(SpinBall(TABLE))
    _, back, _ = floor.deal(CloseBets(TABLE))
    assert isinstance(back, ChipsReturned)
    assert (back.position, back.why, back.clause) == (floor.one, ReturnReason.BARRED, "12(d)")
    assert (lies(floor), lies(floor, floor.two)) == ({}, {"17": {"v500": 1}})


@pytest.mark.clause(ADELAIDE, "12(d)")
def test_bar_after_the_close_leaves_a_bet_that_was_there() -> None:
    """A chip that lay there before the close, and was not recorded, counts if its player was barred later."""
    floor = opened()
    floor.at(100)
    floor.close()
    floor.at(105)
    floor.deal(BarPlayer(TABLE, floor.one, "Touched chips again."), floor.inspector)
    floor.signed(AmendSeal(TABLE, floor.one, ((RED, BLUE, 1),), "Seen."))
    assert lies(floor) == {"red": {BLUE: 1}}


def amending(floor: LiveFloor, first: str, second: str, sighting: str = "") -> tuple[str, str | None] | SealAmended:
    """Have two people enter 20 on 17 that was not recorded; return the refusal, or what was recorded."""
    command = AmendSeal(TABLE, floor.one, ((SpotKey("17"), BLUE, 4),), "Found.", sighting)
    made = floor.by(first, command)
    if isinstance(made, Refusal):
        return refused(made)
    (proposed,) = made
    assert isinstance(proposed, ProposalMade)
    done = floor.by(second, Approve(proposed.proposal))
    if isinstance(done, Refusal):
        return refused(done)
    _, amended = done
    assert isinstance(amended, SealAmended)
    return amended


@pytest.mark.clause(ADELAIDE, "12(a)")
@pytest.mark.clause(ADELAIDE, "6(j)")
def test_amended_marker_bet_is_one_by_its_own_rules() -> None:
    """A marker bet of 20 is not found on the block: its chips go back; 25, or 50 of two kinds, are amended."""
    floor = opened()
    one, marker = floor.one, SpotKey("neighbours 0")
    floor.place(one, "v500", {"17": 1})
    floor.close()
    few, mixed, none = (
        AmendSeal(TABLE, one, tuple((marker, chip, count) for chip, count in pieces), "Seen.")
        for pieces in ((("v500", 4),), (("v500", 5), (BLUE, 5)), (("v500", 0),))
    )
    assert floor.refuses(few, floor.inspector) == ("marker_under_minimum", "12(a)")
    floor.signed(mixed)
    assert lies(floor) == {"17": {"v500": 1}, marker: {"v500": 5, BLUE: 5}}
    floor.signed(AmendSeal(TABLE, one, ((marker, BLUE, 0),), "Seen."))
    assert lies(floor) == {"17": {"v500": 1}, marker: {"v500": 5}}
    assert floor.refuses(few, floor.inspector) == ("marker_under_minimum", "12(a)")
    floor.signed(none)
    assert lies(floor) == {"17": {"v500": 1}}


@pytest.mark.clause(ADELAIDE, "12(d)")
@pytest.mark.clause(ADELAIDE, "12(l)")
@pytest.mark.parametrize(("kind", "clause"), [(None, "12(d)"), (InfringementKind.DEVICE, "12(l)")])
def test_no_winner_of_a_barred_player_is_recorded(kind: InfringementKind | None, clause: str) -> None:
    """Where winners are recorded, a bar counts from the next round: bets that lay before it are paid."""
    floor = LiveFloor(recording=Recording.SUPERVISED)
    one = floor.one
    floor.open()
    floor.at(100)
    if kind is None:
        floor.deal(BarPlayer(TABLE, one, "Touched chips again."), floor.inspector)
    else:
        floor.deal(NoteInfringement(TABLE, one, kind))
    for paid in (True, False):
        floor.result("17")
        floor.collect()
        number = floor.table.playing.number
        winner = RecordWinner(TABLE, one, number, (("17", 1),), "v500")
        if paid:
            floor.deal(winner)
            assert floor.pay("inside").payments[0].value == cents(175)
        else:
            assert floor.refuses(winner) == ("player_barred", clause)
            floor.deal(RecordWinner(TABLE, floor.two, number, (("17", 1),), "v500"))
            floor.pay("inside")
        floor.deal(FinishPaying(TABLE, number))
        floor.at(200)
        floor.open()


@pytest.mark.clause(ADELAIDE, "6(i)")
@pytest.mark.clause(ADELAIDE, "6(j)")
@pytest.mark.clause(US, "Irregularities (4)")
@pytest.mark.clause(US, "Placement 4")
@pytest.mark.parametrize(("rulebook_id", "clause"), [(ADELAIDE, "6(j)"), (US, "Placement 4")])
@pytest.mark.parametrize("seen", ["running", "overdue", "interrupted", "keypad", "at rest"])
def test_who_amends_a_sealed_layout(rulebook_id: str, clause: str, seen: str) -> None:
    """While the ball runs an inspector signs; once its number can be seen, one who inspects and one who corrects.

    Of every pair of titles, in both orders, those and no others amend, and then only with a sighting.
    """
    wheel = WheelKind.KEYPAD if seen == "keypad" else WheelKind.SENSOR
    floor = LiveFloor(rulebook_id, replace(live_settings(rulebook_id), wheel=wheel))
    floor.buy(floor.one, 500, BLUE)
    order = floor.rulebook.staff.order
    people = {title: [floor.enrol(title, f"{title} {n}") for n in (1, 2)] for title in order}
    for first in order:
        for second in order:
            floor.open()
            floor.close()
            if seen == "overdue":
                floor.at(floor.now // SECOND + 1_000)
                assert floor.table.playing.spin.prompted
            elif seen == "interrupted":
                floor.must(Recover())
            elif seen == "at rest":
                floor.rest("17", 5)
            one, two = people[first][0], people[second][1]
            titles = (first, second)
            may = {
                # By the titles that the documents name: the Inspector; the Pit Boss or the Shift Manager.
                ADELAIDE: any(title != "Dealer" for title in titles)
                if seen == "running"
                else "Dealer" not in titles and any(title != "Inspector" for title in titles),
                US: any(title == "Supervisor" for title in titles)
                if seen == "running"
                else titles == ("Supervisor", "Supervisor"),
            }[rulebook_id]
            sighted = amending(floor, one, two) if seen == "running" else None
            if seen != "running" and may:
                assert amending(floor, one, two) == ("reason_not_listed", clause)
            amended = sighted or amending(floor, one, two, sighting="Camera 4 shows the chips before the call.")
            if not may:
                assert amended == ("not_authorised", clause), titles
            else:
                assert isinstance(amended, SealAmended), (titles, amended)
                assert (amended.words, amended.reported) == ("Found.", "17" if seen == "at rest" else None)
                assert bool(amended.sighting) is (seen != "running")
            floor.deal(CallNoSpin(TABLE, Reason.FOREIGN_OBJECT, "as seen"))
            if rulebook_id == ADELAIDE:
                floor.deal(ResetTerminals(TABLE))
            floor.deal(ClearChips(TABLE, floor.one)) if may else None
            floor.deal(ReferRound(TABLE, "Again."))
            floor.deal(DecideReferral(TABLE, ReferralDecision.VOID, "Again."), floor.chief)


@pytest.mark.parametrize("seen", ["overdue", "interrupted", "keypad"])
def test_late_second_signature_is_refused_for_its_title_first(seen: str) -> None:
    """Once the number may be in view, a dealer does not amend with an inspector, whether or not the time is over."""
    wheel = WheelKind.KEYPAD if seen == "keypad" else WheelKind.SENSOR
    floor = LiveFloor(ADELAIDE, replace(live_settings(), wheel=wheel))
    floor.buy(floor.one, 500, BLUE)
    floor.open()
    floor.close()
    amend = AmendSeal(TABLE, floor.one, ((SpotKey("17"), BLUE, 4),), "Found.", "Camera 4 shows it.")
    (made,) = floor.deal(amend, floor.inspector)
    assert isinstance(made, ProposalMade)
    if seen == "interrupted":
        floor.must(Recover())
    floor.at(floor.now // SECOND + 1_000)
    assert floor.refuses(Approve(made.proposal)) == ("not_authorised", "6(j)")


def test_amendment_of_one_spin_is_not_signed_for_another() -> None:
    """A first signature before a no spin does not amend the layout of the next spin."""
    floor = opened(US)
    floor.close()
    amend = AmendSeal(TABLE, floor.one, ((SpotKey("17"), BLUE, 4),), "Found.")
    (made,) = floor.deal(amend, floor.inspector)
    assert isinstance(made, ProposalMade)
    floor.deal(CallNoSpin(TABLE, Reason.SAME_DIRECTION, "as seen"))
    floor.close()
    assert refused(floor.by(floor.chief, Approve(made.proposal)))[0] == "wrong_round"
