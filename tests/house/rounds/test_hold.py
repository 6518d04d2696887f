"""Rounds that are held while the dealer considers a no spin."""

from typing import Final

import pytest

from croupier.house.floor.incidents import IncidentKind
from croupier.house.ids import SECOND
from croupier.house.rounds.irregularities import CallNoSpin, SpinVoided
from croupier.house.rounds.referrals import (
    DecideReferral,
    HoldReleased,
    HoldRound,
    ReferralDecision,
    ReferRound,
    ReleaseHold,
    RoundHeld,
)
from croupier.house.rounds.settlement import ResultDeclared, RoundSettled
from croupier.house.settings import TableSettings, WheelKind
from croupier.house.state.tables import Phase, RoundStatus, StepName
from croupier.rules.procedure import Reason
from croupier.server.views.table import steps
from croupier.words import incident_text
from tests.support.house_driver import TABLE, Play, refused

ADELAIDE: Final = "skycity-adelaide-2003"
#: The wheel draws by itself, betting closes after 20 seconds, and a held round waits for 30.
AUTOMATIC: Final = TableSettings(wheel=WheelKind.RANDOM, betting_s=20, decision_s=30, pause_s=5)


def automatic() -> Play:
    play = Play(ADELAIDE, AUTOMATIC)
    play.open()
    return play


def running() -> Play:
    """Bets are sealed, and the wheel is about to draw."""
    play = automatic()
    play.close()
    play.spin()
    return play


@pytest.mark.clause("skycity-adelaide-2003", "10(a)")
def test_no_number_counts_while_a_round_is_held() -> None:
    """A number that the wheel draws during a hold is neither declared nor paid, and the no spin returns the stakes."""
    play = running()
    held = play.by("dealer", HoldRound(TABLE))
    assert isinstance(held, tuple)
    (event,) = held
    assert isinstance(event, RoundHeld)
    assert (event.round, event.clause, event.until) == (1, "12(i)", play.now + 30 * SECOND)
    assert (play.table.phase, play.table.playing.is_held) == (Phase.SUSPENDED, True)
    (step,) = [row for row in steps(play.house, play.table) if row.next]
    assert (step.step, step.due_us, type(step.command)) == (StepName.NO_SPIN, event.until, ReleaseHold)
    play.rest("29", None, opposite=None)
    assert (play.table.playing.pocket, play.table.numbers) == (None, ())

    play.by("dealer", CallNoSpin(TABLE, Reason.FOREIGN_OBJECT, "as seen"))
    assert play.table.playing.status is RoundStatus.VOID
    assert play.table.numbers == ()


def test_held_spin_is_called_off_for_its_reason() -> None:
    """The reason that is picked during a hold ends the spin, and the round is not suspended any more."""
    play = Play(ADELAIDE, TableSettings())
    play.open()
    play.spin()
    play.by("dealer", HoldRound(TABLE))

    answer = play.by("dealer", CallNoSpin(TABLE, Reason.SAME_DIRECTION, "as seen"))
    assert isinstance(answer, tuple)
    assert isinstance(answer[0], SpinVoided)
    assert (play.table.phase, play.table.playing.decide_by) == (Phase.NO_SPIN, None)


def test_betting_time_does_not_run_during_a_hold() -> None:
    """A round that was held for ten seconds closes ten seconds later."""
    play = automatic()
    closes_at = play.table.playing.closes_at
    assert closes_at is not None
    play.at(5)
    play.by("dealer", HoldRound(TABLE))
    play.at(15)

    answer = play.by("dealer", ReleaseHold(TABLE))
    assert isinstance(answer, tuple)
    assert isinstance(answer[0], HoldReleased)
    assert (play.table.phase, play.table.playing.closes_at) == (Phase.OPEN, closes_at + 10 * SECOND)
    assert (play.table.playing.clause, play.table.playing.suspension) == (None, None)


def test_number_drawn_during_a_hold_counts_once_it_is_released() -> None:
    """The dealer who held a round by mistake releases it, and the number that was drawn is declared and settled."""
    play = running()
    play.by("dealer", HoldRound(TABLE))
    play.rest("29", None, opposite=None)

    answer = play.by("dealer", ReleaseHold(TABLE))
    assert isinstance(answer, tuple)
    assert [type(event) for event in answer] == [HoldReleased, ResultDeclared, RoundSettled]
    assert play.table.numbers == ("29",)


def test_hold_that_expires_is_referred() -> None:
    """A hold without a decision neither pays nor voids: the pit decides the round, and the dealer does not."""
    play = running()
    play.by("dealer", HoldRound(TABLE))
    play.rest("29", None, opposite=None)
    play.advance(play.now + 30 * SECOND + 1)

    assert (play.table.phase, play.table.playing.is_held, play.table.playing.decide_by) == (
        Phase.SUSPENDED,
        False,
        None,
    )
    incident = list(play.house.incidents.all.values())[-1]
    assert incident.kind is IncidentKind.HOLD_EXPIRED
    assert incident_text(incident) == "A hold of 30 seconds expired without a decision."
    assert refused(play.by("dealer", ReleaseHold(TABLE)))[0] == "round_suspended"
    play.by("shift manager", DecideReferral(TABLE, ReferralDecision.GO_ON, "it was nothing"))
    assert play.table.numbers == ("29",)


def test_hold_is_for_a_running_round_alone() -> None:
    """A round is held once, while it is played; a referral is not released by the dealer."""
    play = automatic()
    play.by("dealer", HoldRound(TABLE))
    assert refused(play.by("dealer", HoldRound(TABLE)))[0] == "round_suspended"
    play.by("dealer", ReleaseHold(TABLE))
    assert refused(play.by("dealer", ReleaseHold(TABLE)))[0] == "out_of_turn"
    play.by("dealer", ReferRound(TABLE, "a doubt"))
    assert refused(play.by("dealer", ReleaseHold(TABLE)))[0] == "round_suspended"
    play.by("shift manager", DecideReferral(TABLE, ReferralDecision.VOID, "void"))
    assert refused(play.by("dealer", HoldRound(TABLE)))[0] == "out_of_turn"


def test_ball_that_ran_over_open_bets_leaves_nothing_to_release() -> None:
    """A number that the wheel reports over open bets during a hold does not count, and the hold is not released."""
    play = automatic()
    play.by("dealer", HoldRound(TABLE))
    play.rest("29", None, opposite=None)
    assert refused(play.by("dealer", ReleaseHold(TABLE))) == ("out_of_turn", "12(i)")


def test_restart_leaves_no_hold_over_a_draw() -> None:
    """After a stop a held round whose wheel may have drawn is void: it is never drawn again."""
    play = running()
    play.by("dealer", HoldRound(TABLE))
    play.recover()
    assert play.table.playing.status is RoundStatus.VOID
