"""Clearwater's malfunctions in the house: of the game in every state of a round, of the wheel, and of a terminal."""

import pytest

from croupier.house.credit.notes import InsertNote
from croupier.house.credit.tickets import Collect, Validation
from croupier.house.declare import Command
from croupier.house.floor.incidents import ClearIncident, IncidentKind, IncidentRaised
from croupier.house.floor.malfunctions import (
    BetsVoided,
    ClearCase,
    MalfunctionRaised,
    RaiseMalfunction,
    ReportDisplay,
    VoidBets,
)
from croupier.house.floor.service import ReportTerminalLost, ReportTerminalReturned
from croupier.house.floor.signatures import Approve
from croupier.house.ids import DeviceId, Number, PersonId, RoundNumber, TableId, TerminalId
from croupier.house.play.betting import BetsReturned, ReturnReason
from croupier.house.rounds.irregularities import CallNoSpin, RoundVoided, Trigger, WheelTrouble
from croupier.house.rounds.opening import OpenBets
from croupier.house.rounds.recovery import HouseRecovered, RaiseSystemMalfunction, Recover
from croupier.house.rounds.results import BallAtRest, ConfirmResult, ReportIgnored
from croupier.house.rounds.spinning import BallLaunched, SpinBall
from croupier.house.settings import TableSettings
from croupier.house.state.records import MalfunctionKind
from croupier.house.state.tables import Phase
from croupier.rules.geometry import Pocket, SpotKey
from croupier.rules.procedure import Reason
from tests.support.house_driver import P1, TABLE, Play, cents, refused

VENUE = "clearwater-etg"
WHEEL = DeviceId(TABLE)
RIGHT = TableId("table 2")
T1, ONE = TerminalId("T1"), Number(1)
SYSTEM_FAULT = RaiseSystemMalfunction(TABLE, "malfunction")
TERMINAL_FAULT = RaiseMalfunction(T1, MalfunctionKind.OPINION, "malfunction")
IN_PLAY = [Phase.OPEN, Phase.OPEN_RUNNING, Phase.CLOSED, Phase.RUNNING, Phase.AT_REST]


def brought_to(phase: Phase) -> Play:
    """Find T1 and T2 with 90 left and 10 on 17 each, and the round in a state of play."""
    play = Play(VENUE, TableSettings(betting_s=15, confirms=phase is Phase.AT_REST))
    play.seats(T1=100, T2=100)
    play.open()
    for seat in ("T1", "T2"):
        play.bet(seat, "10 on 17")
    if phase in (Phase.OPEN_RUNNING, Phase.RUNNING, Phase.AT_REST):
        play.must(BallLaunched(TABLE), WHEEL)
    if phase in (Phase.CLOSED, Phase.RUNNING, Phase.AT_REST):
        play.at(20)
    if phase is Phase.AT_REST:
        play.rest("17")
    assert play.table.phase is phase
    return play


def credits_of(play: Play) -> tuple[float, float]:
    return play.credit("T1"), play.credit("T2")


@pytest.mark.clause("clearwater-etg", "25")
@pytest.mark.parametrize("command", [SYSTEM_FAULT, Recover()], ids=["raised", "restarted"])
@pytest.mark.parametrize("phase", IN_PLAY)
def test_malfunction_of_the_game_voids_its_round(phase: Phase, command: RaiseSystemMalfunction | Recover) -> None:
    """In every state of play all stakes go back, and 17 reported later pays nothing."""
    play = brought_to(phase)
    (voided,) = [each for each in play.must(command) if isinstance(each, RoundVoided)]

    assert (voided.round, voided.reason, voided.clause) == (RoundNumber(1), Reason.MALFUNCTION, "25")
    staff = ("malfunction", Trigger.STAFF)
    assert (voided.words, voided.trigger) == (staff if command is SYSTEM_FAULT else ("", Trigger.INTERRUPTION))
    assert credits_of(play) == (100, 100)
    (ignored,) = play.must(BallAtRest(TABLE, Pocket("17")), WHEEL)
    assert isinstance(ignored, ReportIgnored)
    assert (credits_of(play), play.layout("T1"), play.table.numbers) == ((100, 100), {}, ())
    (again,) = play.must(command)
    assert isinstance(again, IncidentRaised if command is SYSTEM_FAULT else HouseRecovered)
    assert credits_of(play) == (100, 100)
    play.check()


@pytest.mark.clause("clearwater-etg", "25")
@pytest.mark.parametrize("command", [SYSTEM_FAULT, Recover()], ids=["raised", "restarted"])
def test_rounds_that_were_settled_stand(command: RaiseSystemMalfunction | Recover) -> None:
    """A malfunction between two rounds takes nothing back, and the next round plays (C17)."""
    play = Play(VENUE)
    play.seats(T1=100)
    play.round("17", T1="10 on 17")
    assert [each for each in play.must(command) if isinstance(each, RoundVoided)] == []

    assert (play.credit("T1"), play.table.numbers) == (450, ("17",))
    play.check()


@pytest.mark.clause("clearwater-etg", "25")
@pytest.mark.parametrize(("command", "credit"), [(SYSTEM_FAULT, 90), (Recover(), 100)], ids=["raised", "restarted"])
def test_malfunction_of_one_game_leaves_the_other(command: RaiseSystemMalfunction | Recover, credit: int) -> None:
    """Of a terminal's two games the one that failed is void and the other plays on; a restart voids both."""
    play = Play(VENUE, TableSettings(), TableSettings())
    play.seat("T1", cents(100), tables=(TABLE, RIGHT))
    for table in (TABLE, RIGHT):
        play.must(OpenBets(table))
        play.bet("T1", "10 on 17", table)
    play.must(command)

    assert (play.credit("T1"), play.layout("T1")) == (credit, {})
    assert play.layout("T1", RIGHT) == ({"17": 10} if credit == 90 else {})
    play.check()


@pytest.mark.clause("clearwater-etg", "25")
@pytest.mark.parametrize("person", ["attendant", "supervisor", "shift manager"])
def test_staff_raise_a_malfunction_of_the_game(person: str) -> None:
    """Any member of the floor staff voids the round for a malfunction."""
    play = brought_to(Phase.RUNNING)
    play.by(person, SYSTEM_FAULT)

    assert (credits_of(play), play.table.phase) == ((100, 100), Phase.BETWEEN)


@pytest.mark.clause("clearwater-etg", "25")
@pytest.mark.parametrize(
    ("device", "person"), [(T1, ""), ("cashier's console", "cashier"), ("auditor's console", "auditor")]
)
@pytest.mark.parametrize("command", [SYSTEM_FAULT, TERMINAL_FAULT], ids=["game", "terminal"])
def test_players_and_cashiers_raise_no_malfunction(device: str, person: str, command: Command) -> None:
    """Neither a player nor the cage nor an auditor voids anything."""
    play = brought_to(Phase.RUNNING)
    answer = play.ask(command, DeviceId(device), PersonId(person))

    assert refused(answer)[0] in ("not_authorised", "unknown_device")
    assert credits_of(play) == (90, 90)


def cleared(play: Play) -> None:
    """Have every incident seen to."""
    for number, incident in play.house.incidents.all.items():
        if incident.cleared_by is None:
            play.by("attendant", ClearIncident(number))


@pytest.mark.clause("clearwater-etg", "25")
@pytest.mark.parametrize(
    ("command", "device", "person"),
    [(SYSTEM_FAULT, "attendant's console", "attendant"), (WheelTrouble(TABLE, Reason.BALL_OUT_OF_WHEEL), WHEEL, "")],
    ids=["game", "wheel"],
)
def test_game_stays_closed_until_staff_have_cleared_the_fault(
    command: RaiseSystemMalfunction | WheelTrouble, device: str, person: str
) -> None:
    """After a malfunction of the game it is on record, and no round opens before staff have seen to it."""
    play = brought_to(Phase.RUNNING)
    play.must(command, DeviceId(device), PersonId(person))
    assert [each.clause for each in play.house.incidents.all.values()] == ["25"]
    refused(play.ask(OpenBets(TABLE)))
    cleared(play)

    assert isinstance(play.ask(OpenBets(TABLE)), tuple)


@pytest.mark.clause("clearwater-etg", "25")
@pytest.mark.parametrize("phase", IN_PLAY[:-1])
@pytest.mark.parametrize(
    "reason", [Reason.BALL_OUT_OF_WHEEL, Reason.WHEEL_STOPPED, Reason.BALL_BROKEN, Reason.INTERFERENCE]
)
def test_trouble_of_the_wheel_is_a_malfunction(reason: Reason, phase: Phase) -> None:
    """What the wheel reports to have gone wrong voids the round by 25 and is told to staff, whatever it was."""
    play = brought_to(phase)
    voided, reported = play.must(WheelTrouble(TABLE, reason), WHEEL)

    assert isinstance(voided, RoundVoided)
    assert (voided.clause, credits_of(play)) == ("25", (100, 100))
    assert play.house.incidents.all[ONE].kind is IncidentKind.WHEEL_TROUBLE
    assert play.house.incidents.all[ONE].clause == "25"
    assert reported is play.events[-1]
    play.check()


@pytest.mark.clause("clearwater-etg", "25")
@pytest.mark.parametrize(("turning", "opposite"), [(False, None), (None, False), (False, False)])
def test_bad_launch_is_a_malfunction(turning: bool | None, opposite: bool | None) -> None:  # noqa: FBT001
    """A ball launched onto a wheel that stands still, or with its turning, voids the round."""
    play = brought_to(Phase.OPEN)
    events = play.must(BallLaunched(TABLE, opposite, turning), WHEEL)

    assert [each.clause for each in events if isinstance(each, RoundVoided)] == ["25"]
    assert credits_of(play) == (100, 100)
    play.check()


@pytest.mark.clause("clearwater-etg", "25")
@pytest.mark.parametrize("phase", [Phase.OPEN, Phase.OPEN_RUNNING])
def test_number_before_no_more_bets_is_a_malfunction(phase: Phase) -> None:
    """A number that the detector reports while bets are open voids the round and counts for nothing."""
    play = brought_to(phase)
    play.rest("17")

    assert (credits_of(play), play.table.numbers, play.table.phase) == ((100, 100), (), Phase.BETWEEN)
    assert play.house.incidents.all[ONE].kind is IncidentKind.RESULT_BEFORE_SEAL
    play.check()


@pytest.mark.clause("clearwater-etg", "25")
def test_ball_that_does_not_come_to_rest_is_a_malfunction() -> None:
    """120 seconds after the launch without a number the round is void; at 119 it still runs."""
    play = brought_to(Phase.OPEN)
    play.must(BallLaunched(TABLE), WHEEL)
    play.at(119)
    assert play.table.phase is Phase.RUNNING
    play.at(121)

    assert (credits_of(play), play.table.phase) == ((100, 100), Phase.BETWEEN)
    assert play.house.incidents.all[ONE].kind is IncidentKind.BALL_NOT_SEATED
    play.check()


@pytest.mark.clause("clearwater-etg", "25")
def test_ball_that_is_never_launched_is_a_malfunction() -> None:
    """A round whose betting the timer closed without a launch does not hang: its stakes go back."""
    play = brought_to(Phase.CLOSED)
    play.at(15 + 121)

    assert (credits_of(play), play.table.phase) == ((100, 100), Phase.BETWEEN)


@pytest.mark.clause("clearwater-etg", "25")
@pytest.mark.parametrize("reason", [Reason.MALFUNCTION, Reason.NOT_COVERED])
def test_attendant_calls_a_malfunction(reason: Reason) -> None:
    """An attendant who calls the spin off for a malfunction voids the round."""
    play = brought_to(Phase.RUNNING)
    (voided,) = play.must(CallNoSpin(TABLE, reason, "smoke"), DeviceId("attendant's console"), PersonId("attendant"))

    assert isinstance(voided, RoundVoided)
    assert (voided.clause, voided.words, credits_of(play)) == ("25", "smoke", (100, 100))


@pytest.mark.clause("clearwater-etg", "25")
@pytest.mark.parametrize("reason", [Reason.TOO_FEW_REVOLUTIONS, Reason.FIRE, Reason.FRAUD_BY_PLAYER])
def test_spin_is_not_called_off_for_what_the_rules_do_not_list(reason: Reason) -> None:
    """Reasons of other venues are none here."""
    play = brought_to(Phase.RUNNING)

    assert refused(play.by("attendant", CallNoSpin(TABLE, reason, "why"))) == ("reason_not_listed", "25")
    assert credits_of(play) == (90, 90)


@pytest.mark.clause("clearwater-etg", "25")
@pytest.mark.parametrize("phase", IN_PLAY[:-1])
def test_malfunction_of_a_terminal_voids_its_plays_alone(phase: Phase) -> None:
    """Until a number is seen the terminal's 10 go back and its 17 pays nothing; the other terminal wins 350."""
    play = brought_to(phase)
    raised, back = play.must(TERMINAL_FAULT)

    assert isinstance(raised, MalfunctionRaised)
    assert (raised.clause, raised.words, play.credit("T1")) == ("25", "malfunction", 100)
    if phase in (Phase.OPEN, Phase.OPEN_RUNNING):
        assert back == BetsReturned(P1, RoundNumber(1), ReturnReason.MALFUNCTION, raised.clause, (SpotKey("17"),))
    else:
        assert back == BetsVoided(ONE, raised.clause, "malfunction")
    finish(play)
    assert credits_of(play) == (100, 450)
    play.check()


@pytest.mark.clause("clearwater-etg", "25")
def test_play_is_not_voided_by_one_word_once_the_number_is_seen() -> None:
    """A terminal that fails when 17 is known has its 10 in question, and two people void them."""
    play = brought_to(Phase.AT_REST)
    (raised,) = play.must(TERMINAL_FAULT)
    assert isinstance(raised, MalfunctionRaised)
    assert (raised.questioned, play.credit("T1")) == (((TABLE, RoundNumber(1)),), 90)
    finish(play)
    play.enrol("Attendant", "attendant 2")
    play.by("attendant", VoidBets(ONE, "the screen was dark"))
    assert play.credit("T1") == 90
    play.by("attendant 2", Approve(ONE))
    assert credits_of(play) == (100, 450)
    play.check()


def finish(play: Play) -> None:
    """Bring a round to its end with 17."""
    if play.table.phase is Phase.AT_REST:
        play.by("attendant", ConfirmResult(TABLE, Pocket("17")))
        return
    if play.table.phase in (Phase.OPEN, Phase.CLOSED):
        play.by("attendant", SpinBall(TABLE))
    play.at(30)
    play.rest("17")


@pytest.mark.clause("clearwater-etg", "25")
@pytest.mark.parametrize("person", ["attendant", "technician"])
def test_terminal_is_blocked_until_staff_have_cleared_it(person: str) -> None:
    """A terminal with a malfunction takes neither bets nor money and pays none out, until staff clear its case."""
    play = brought_to(Phase.OPEN)
    play.must(TERMINAL_FAULT)
    collect = Collect(T1, Validation(ONE, "digest 1", "0001"))
    note = InsertNote(T1, "USD", cents(20))

    assert refused(play.bet("T1", "5 on 17")) == ("terminal_blocked", "25")
    for command in (collect, note):
        assert refused(play.ask(command, DeviceId(T1))) == ("terminal_blocked", "25")
    assert refused(play.by("cashier", ClearCase(ONE)))[0] == "not_authorised"
    assert refused(play.ask(TERMINAL_FAULT)) == ("already_there", "25")
    play.by(person, ClearCase(ONE))
    assert isinstance(play.bet("T1", "5 on 17"), tuple)
    play.check()


@pytest.mark.clause("clearwater-etg", "25")
def test_terminal_that_is_dark_at_the_close_does_not_take_part() -> None:
    """A terminal whose link is gone at no more bets gets its 10 back, and the other plays."""
    play = brought_to(Phase.OPEN)
    play.must(ReportTerminalLost(T1))
    finish(play)

    returns = [(each.position, each.why, each.clause) for each in play.events if isinstance(each, BetsReturned)]
    assert returns == [(P1, ReturnReason.OFFLINE_AT_CLOSE, "25")]
    assert credits_of(play) == (100, 450)
    play.check()


@pytest.mark.clause("clearwater-etg", "25")
def test_terminal_that_is_back_before_the_close_plays() -> None:
    """A link that was gone for a while leaves the bets of the terminal as they lay."""
    play = brought_to(Phase.OPEN)
    play.must(ReportTerminalLost(T1))
    assert refused(play.bet("T1", "5 on 20")) == ("terminal_dark", "25")
    play.must(ReportTerminalReturned(T1))
    finish(play)

    assert credits_of(play) == (450, 450)
    play.check()


@pytest.mark.clause("clearwater-etg", "25")
def test_terminal_that_goes_dark_after_the_close_is_paid() -> None:
    """Bets that were sealed with the link up are played, and what they win is on the meter when it is back."""
    play = brought_to(Phase.RUNNING)
    play.must(ReportTerminalLost(T1))
    finish(play)
    play.must(ReportTerminalReturned(T1))

    assert credits_of(play) == (450, 450)
    play.check()


@pytest.mark.clause("clearwater-etg", "25")
@pytest.mark.parametrize(("shown", "cases"), [(90, 0), (91, 1), (0, 1)])
def test_terminal_that_shows_other_credits_than_its_meter_has_malfunctioned(shown: int, cases: int) -> None:
    """A terminal with 90 on its meter that shows 91 has a case and its 10 go back, and one that shows 90 has none."""
    play = brought_to(Phase.RUNNING)
    play.must(ReportDisplay(T1, credit=cents(shown)), DeviceId(T1))

    assert [each.clause for each in play.house.cases.all.values()] == ["25"] * cases
    assert play.credit("T1") == 90 + 10 * cases
    play.check()


@pytest.mark.clause("clearwater-etg", "4")
@pytest.mark.clause("clearwater-etg", "25")
@pytest.mark.parametrize("number", ["20", "37", "00"])
def test_terminal_that_shows_another_number_than_the_detector_has_malfunctioned(number: str) -> None:
    """With 17 detected a terminal that shows 20 has a case, and the round that was settled stands (C1)."""
    play = brought_to(Phase.RUNNING)
    play.rest("17")
    assert play.must(ReportDisplay(T1, number="17"), DeviceId(T1)) == ()
    raised = play.must(ReportDisplay(T1, number=number), DeviceId(T1))

    assert [type(each) for each in raised] == [MalfunctionRaised]
    assert play.house.cases.all[ONE].clause == "25"
    assert credits_of(play) == (450, 450)
