"""What a random wheel drew: no words name it before it counts, and nobody finds it out by asking."""

from typing import Final

from croupier.house.floor.incidents import IncidentKind, IncidentRaised
from croupier.house.ids import DeviceId
from croupier.house.rounds.irregularities import Trigger
from croupier.house.rounds.referrals import DecideReferral, ReferralDecided, ReferralDecision, ReferRound
from croupier.house.rounds.results import BallAtRest, BallRested, ConfirmResult, IgnoredReason, ReportIgnored
from croupier.house.rounds.settlement import ResultDeclared, RoundSettled
from croupier.house.settings import TableSettings, WheelKind
from croupier.house.state.tables import ResultSource, RoundStatus
from croupier.rules.geometry import Pocket
from croupier.words import incident_text
from tests.support.house_driver import TABLE, Play, refused

ADELAIDE: Final = "skycity-adelaide-2003"
RANDOM: Final = TableSettings(wheel=WheelKind.RANDOM)


def running() -> Play:
    """Bets are sealed, and the wheel is about to draw."""
    play = Play(ADELAIDE, RANDOM)
    play.open()
    play.close()
    play.spin()
    return play


def drawn(number: str) -> Play:
    """A round of a random wheel that was referred before the wheel reported a number."""
    play = running()
    play.by("dealer", ReferRound(TABLE, "a doubt"))
    play.rest(number, None, opposite=None)
    assert play.table.playing.spin.reported == number
    return play


def test_alarm_does_not_name_what_a_random_wheel_drew() -> None:
    """Another number than the one that was drawn and does not count yet is on record, and no words name either."""
    play = drawn("29")
    ignored, alarm = play.must(BallAtRest(TABLE, Pocket("31")), DeviceId(TABLE))
    assert ignored == ReportIgnored(TABLE, Pocket("31"), IgnoredReason.ANOTHER_REPORTED)
    assert isinstance(alarm, IncidentRaised)
    assert (alarm.kind, incident_text(alarm)) == (
        IncidentKind.NUMBER_DIFFERS,
        "The wheel reports another number than before.",
    )
    play.by("shift manager", DecideReferral(TABLE, ReferralDecision.SETTLE, "so be it"))
    play.rest("31", None, opposite=None)
    assert [incident_text(each) for each in play.house.incidents.all.values()][-1] == "The wheel reports 31 after 29."


def test_alarm_before_the_seal_does_not_name_what_a_random_wheel_drew() -> None:
    """A number that a random wheel reports for a referred round with open bets is not in the words of the alarm."""
    play = Play(ADELAIDE, RANDOM)
    play.open()
    play.by("dealer", ReferRound(TABLE, "a doubt"))
    play.rest("29", None, opposite=None)
    assert [incident_text(each) for each in play.house.incidents.all.values()][-1] == (
        "The wheel reported a number before bets were sealed."
    )


def test_spin_that_went_wrong_does_not_reveal_what_a_random_wheel_drew() -> None:
    """What is held against a spin of a random wheel names no number."""
    play = running()
    rested, consequence = play.must(BallAtRest(TABLE, Pocket("29"), None, opposite=False), DeviceId(TABLE))
    assert isinstance(rested, BallRested)
    assert getattr(consequence, "trigger", None) is Trigger.WHEEL
    assert "29" not in str(consequence)


def test_no_query_reveals_what_a_random_wheel_drew() -> None:
    """A decision on a number is refused alike whether it was drawn or not, and a refusal does not say what was."""
    play = drawn("29")
    for pocket in ("29", "31"):
        decision = DecideReferral(TABLE, ReferralDecision.SETTLE, "", Pocket(pocket))
        assert refused(play.by("shift manager", decision)) == ("out_of_turn", "12(i)")
        assert refused(play.by("dealer", ConfirmResult(TABLE, Pocket(pocket)))) == ("round_suspended", "12(i)")


def test_number_drawn_during_a_referral_is_declared_when_the_round_goes_on() -> None:
    """Once the referral lets the round go on, the number that was drawn meanwhile is declared and settled, once."""
    play = drawn("29")
    answer = play.by("shift manager", DecideReferral(TABLE, ReferralDecision.GO_ON, "it may go on"))
    assert isinstance(answer, tuple)
    decided, declared, settled = answer
    assert isinstance(decided, ReferralDecided)
    assert isinstance(declared, ResultDeclared)
    assert (declared.pocket, declared.source) == ("29", ResultSource.RANDOM)
    assert isinstance(settled, RoundSettled)
    assert (play.table.playing.status, play.table.numbers) == (RoundStatus.SETTLED, ("29",))
    assert play.must(BallAtRest(TABLE, Pocket("29")), DeviceId(TABLE)) == (
        ReportIgnored(TABLE, Pocket("29"), IgnoredReason.NO_ROUND),
    )


def test_referral_does_not_let_an_invalid_draw_go_on() -> None:
    """A draw against which a sensor spoke is not declared by letting the round go on: it can only be void."""
    play = running()
    play.by("dealer", ReferRound(TABLE, "a doubt"))
    play.rest("29", None, opposite=False)
    for verdict in (ReferralDecision.GO_ON, ReferralDecision.SETTLE):
        assert refused(play.by("shift manager", DecideReferral(TABLE, verdict, "on"))) == ("out_of_turn", "12(i)")
    play.by("shift manager", DecideReferral(TABLE, ReferralDecision.VOID, "void"))
    assert play.table.playing.status is RoundStatus.VOID
