"""A wheel that gives no reports: the round is suspended or void as the rulebook says, and nothing is paid."""

import pytest

from croupier.house.floor.incidents import IncidentKind
from croupier.house.ids import DeviceId
from croupier.house.rounds.irregularities import WheelTrouble
from croupier.house.rounds.referrals import DecideReferral, ReferralDecision
from croupier.house.rounds.results import BallAtRest
from croupier.house.rounds.spinning import BallLaunched
from croupier.house.state.tables import Phase, RoundStatus
from croupier.rules.geometry import Pocket
from croupier.rules.procedure import Reason
from tests.support.house_driver import ADELAIDE, CLEARWATER, MARINA, PROMPT, TABLE, US, Play

SILENT = WheelTrouble(TABLE, Reason.MALFUNCTION, silent=True)
WHEEL = DeviceId(TABLE)


def spinning(rulebook: str) -> Play:
    """Find a round with 10 on 17 at T1, sealed, and its ball running."""
    play = Play(rulebook, PROMPT)
    play.seats(T1=100)
    play.open()
    play.bet("T1", "1 on 17")
    play.close()
    play.ask(BallLaunched(TABLE, opposite=True), WHEEL)
    assert play.table.phase is Phase.RUNNING
    return play


def kinds(play: Play) -> list[IncidentKind]:
    return [each.kind for each in play.house.incidents.all.values()]


@pytest.mark.parametrize(("rulebook", "clause"), [(ADELAIDE, "11(b)"), (MARINA, "5.13"), (US, "Rotation (3)")], ids=str)
def test_silence_suspends_the_round(rulebook: str, clause: str) -> None:
    """A running round is suspended under the venue's clause, a number that comes meanwhile is for staff to decide."""
    play = spinning(rulebook)
    play.must(SILENT, WHEEL)
    assert (play.table.phase, play.table.playing.clause) == (Phase.SUSPENDED, clause)
    play.must(BallAtRest(TABLE, Pocket("17"), revolutions=9, opposite=True), WHEEL)
    assert (play.table.phase, play.table.playing.pocket) == (Phase.SUSPENDED, None)
    play.must(SILENT, WHEEL)

    assert kinds(play) == [IncidentKind.WHEEL_SILENT] * 2
    decider = play.rulebook.staff.order[-1].lower()
    play.by(decider, DecideReferral(TABLE, ReferralDecision.VOID, "No line."))
    assert (play.table.playing.status, play.credit("T1")) == (RoundStatus.VOID, 100)
    play.check()


@pytest.mark.clause("clearwater-etg", "25")
def test_silence_is_a_malfunction() -> None:
    """25: a wheel without a line voids the round, and every stake goes back."""
    play = spinning(CLEARWATER)
    play.must(SILENT, WHEEL)

    assert (play.table.playing.status, play.table.playing.clause, play.credit("T1")) == (RoundStatus.VOID, "25", 100)
    assert kinds(play) == [IncidentKind.WHEEL_SILENT]


def test_silence_after_the_number_changes_nothing() -> None:
    """A number that awaits its dealer is not affected by a wheel that falls silent after it."""
    play = spinning(ADELAIDE)
    play.must(BallAtRest(TABLE, Pocket("17")), WHEEL)
    play.must(SILENT, WHEEL)

    assert (play.table.phase, play.table.playing.spin.reported) == (Phase.AT_REST, "17")


def test_silence_between_rounds_is_an_incident() -> None:
    """Without a round there is nothing to suspend, and an incident is raised."""
    play = Play(ADELAIDE)
    play.must(SILENT, WHEEL)

    assert kinds(play) == [IncidentKind.WHEEL_SILENT]
