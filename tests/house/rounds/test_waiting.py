"""Tables that wait: a step of a person that takes too long is a blocker, with its clause and remedy."""

import pytest

from croupier.house.blockers import (
    LONG_PAUSE,
    LONG_STEP_MAX,
    STEP_MAX,
    Blocker,
    Facts,
    awaited,
    blockers,
    clause_of,
)
from croupier.house.floor.malfunctions import RaiseMalfunction
from croupier.house.ids import SECOND, Instant, Number
from croupier.house.rounds.closing import CloseBets
from croupier.house.rounds.irregularities import CallNoSpin, ResetTerminals
from croupier.house.rounds.results import ConfirmResult
from croupier.house.settings import TableSettings, WheelKind
from croupier.house.state.records import MalfunctionEvidence, MalfunctionKind, MalfunctionSign
from croupier.house.state.tables import Phase, RoundStatus, StepName
from croupier.rules.geometry import Pocket
from croupier.rules.procedure import Reason
from croupier.words import BlockerText, blocker_text, remedy_text, say
from tests.support.house_driver import T1, TABLE, Play
from tests.support.live_driver import LiveFloor
from tests.support.sample_commands import ADELAIDE, CLEARWATER, MARINA, US

#: A dealer does everything here, and the wheel has sensors.
BY_HAND = TableSettings(wheel=WheelKind.SENSOR, warning_s=0)


def open_play(rulebook: str, settings: TableSettings = BY_HAND) -> Play:
    play = Play(rulebook, settings)
    play.seats(T1=100)
    return play


def found_after(play: Play, wait: int) -> list[Blocker]:
    """The blockers when the clock has run on so far, and nothing has happened."""
    return blockers(play.house, Facts(now=Instant(play.house.now + wait)))


def waits_only_after(play: Play, wait: int, step: StepName) -> Blocker:
    """Assert that the table waits for a step, is no blocker just before the time is over, and is one from then on."""
    assert found_after(play, wait - 1) == []
    (found,) = found_after(play, wait)
    assert found == found_after(play, 100 * wait)[0]
    assert (found.table, found.reason, found.facts) == (TABLE, f"awaiting_{step}", {"step": step.value})
    assert found.clause == clause_of(play.rulebook, step)
    assert say(f"step.{step}").lower() in BlockerText.of(found).line.lower()
    assert "refer the round to the pit" in remedy_text(found)
    return found


@pytest.mark.parametrize("rulebook", [ADELAIDE, MARINA, US])
def test_number_that_nobody_confirms(rulebook: str) -> None:
    """A ball at rest whose number the dealer has not confirmed for half a minute keeps its table."""
    play = open_play(rulebook)
    play.open()
    play.close_and_spin()
    play.rest("17", None, opposite=None)
    assert play.table.phase is Phase.AT_REST

    waits_only_after(play, STEP_MAX, StepName.CONFIRM)
    play.by(play.dealer, ConfirmResult(TABLE, Pocket("17")))
    assert found_after(play, LONG_PAUSE - 1) == []


@pytest.mark.parametrize("rulebook", [ADELAIDE, MARINA])
def test_ball_that_nobody_spins(rulebook: str) -> None:
    """A table whose betting is closed waits for the dealer to spin the ball."""
    play = open_play(rulebook)
    play.open()
    play.must(CloseBets(TABLE))
    assert play.table.phase is Phase.CLOSED

    waits_only_after(play, STEP_MAX, StepName.SPIN)


def test_number_that_nobody_names() -> None:
    """A table whose ball has not come to rest in time waits for the dealer's number at once."""
    play = open_play(ADELAIDE, TableSettings(wheel=WheelKind.KEYPAD, warning_s=0))
    play.open()
    play.close_and_spin()
    assert found_after(play, 0) == []
    play.at(play.house.now / SECOND + play.table.settings.rest_s + 1)
    (found,) = found_after(play, 0)

    assert (found.reason, found.clause) == ("awaiting_number", clause_of(play.rulebook, StepName.NUMBER))


def test_terminals_that_nobody_resets() -> None:
    """After a no spin a table waits for the reset of its terminals, and says so at once."""
    play = open_play(ADELAIDE)
    play.open()
    play.close_and_spin()
    play.by(play.dealer, CallNoSpin(TABLE, Reason.BALL_OUT_OF_WHEEL, "as seen"))
    assert play.table.phase is Phase.NO_SPIN
    (found,) = found_after(play, 0)

    assert (found.reason, found.clause) == ("awaiting_reset", clause_of(play.rulebook, StepName.RESET))
    assert "reset the terminals" in blocker_text(found)
    play.by(play.dealer, ResetTerminals(TABLE))
    assert found_after(play, 0) == []


@pytest.mark.parametrize(
    ("rulebook", "first"),
    [
        (ADELAIDE, StepName.CLOSE),
        (CLEARWATER, StepName.SPIN),
        (MARINA, StepName.CLOSE),
        (US, StepName.SPIN),
    ],
)
def test_betting_that_nobody_ends(rulebook: str, first: StepName) -> None:
    """Betting without a timer stays open for minutes; then the table waits for its close, or for the spin before it."""
    play = open_play(rulebook)
    play.open()

    waits_only_after(play, LONG_STEP_MAX, first)


@pytest.mark.parametrize("rulebook", [ADELAIDE, US])
def test_betting_that_nobody_closes_while_the_ball_runs(rulebook: str) -> None:
    """Where the dealer closes betting over a running ball, the table waits for that."""
    play = open_play(rulebook)
    play.open()
    play.spin()
    assert play.table.phase is Phase.OPEN_RUNNING

    waits_only_after(play, STEP_MAX, StepName.CLOSE)


@pytest.mark.parametrize("rulebook", [ADELAIDE, CLEARWATER, MARINA, US])
def test_betting_with_a_timer_waits_for_no_dealer(rulebook: str) -> None:
    """What a timer ends is no blocker."""
    play = open_play(rulebook, TableSettings(wheel=WheelKind.SENSOR, betting_s=600, warning_s=10))
    play.open()

    assert found_after(play, 2 * LONG_STEP_MAX) == []


@pytest.mark.parametrize("rulebook", [ADELAIDE, CLEARWATER, MARINA, US])
def test_round_that_nobody_opens(rulebook: str) -> None:
    """A table at which a player has credit waits for the dealer to open a round; an empty one waits for nobody."""
    play = open_play(rulebook)
    waits_only_after(play, LONG_PAUSE, StepName.OPEN)
    play.house.terminals[T1].credit = 0
    assert found_after(play, LONG_PAUSE) == []
    play.house.terminals[T1].credit = 1
    play.table.closed = True
    assert [each.reason for each in found_after(play, LONG_PAUSE)] == ["table_closed"]
    automatic = open_play(rulebook, TableSettings(wheel=WheelKind.RANDOM, betting_s=10, pause_s=1))
    assert awaited(automatic.house, automatic.table) is None


@pytest.mark.parametrize("change", ["suspended", "interrupted"])
def test_round_that_awaits_a_decision_is_named_once(change: str) -> None:
    """A round that the pit decides does not also wait for the dealer."""
    play = open_play(MARINA)
    play.open()
    play.must(CloseBets(TABLE))
    if change == "suspended":
        play.table.playing.status = RoundStatus.SUSPENDED
    else:
        play.table.playing.spin.interrupted = True

    assert [each.reason for each in found_after(play, 2 * STEP_MAX)] == [f"round_{change}"]


@pytest.mark.parametrize("rulebook", [ADELAIDE, CLEARWATER, MARINA, US])
def test_wheel_that_takes_the_next_step_is_not_awaited(rulebook: str) -> None:
    """While the ball runs, and where a machine launches it, no dealer is awaited: the time to rest is a timer."""
    play = open_play(rulebook)
    play.open()
    play.close_and_spin()

    assert awaited(play.house, play.table) is None


def test_terminal_with_a_case() -> None:
    """A terminal that a case keeps from playing is a blocker of its own until the case is cleared."""
    play = open_play(ADELAIDE)
    play.seats(T2=100)
    play.by(play.dealer, RaiseMalfunction(T1, MalfunctionKind.OPINION, "The screen is black."))
    (found,) = found_after(play, 0)
    (case,) = play.house.cases.all.values()

    assert (found.table, found.terminal, found.reason, found.clause) == (TABLE, T1, "terminal_case", case.clause)
    assert BlockerText.of(found).line.startswith("Terminal T1 cannot play: The screen is black.")
    assert f"case {case.number}" in remedy_text(found)
    assert found.facts == {"terminal": T1, "case": case.number}


def test_terminal_with_a_case_that_the_house_has_found() -> None:
    """The blocker of a terminal whose malfunction the house detected says by which sign, in words."""
    play = open_play(ADELAIDE)
    evidence = MalfunctionEvidence(MalfunctionSign.LINK_LOST)
    play.by(play.dealer, RaiseMalfunction(T1, MalfunctionKind.OPINION, "lost"))
    play.house.cases.all[Number(1)].evidence = evidence
    (found,) = found_after(play, 0)

    assert found.facts == {"terminal": T1, "case": 1, "sign": "link_lost"}
    assert blocker_text(found) == "The link has been gone for too long."


def test_chips_that_nobody_pays() -> None:
    """A dealer may collect and pay chips for minutes; then the table waits for that, and not for the next round."""
    floor = LiveFloor(US)
    floor.buy(floor.one, 50, "blue")
    waiting = Instant(floor.house.now + LONG_PAUSE)
    assert [each.reason for each in blockers(floor.house, Facts(now=waiting))] == ["awaiting_open"]
    floor.open()
    floor.place(floor.one, "blue", {"17": 1})
    floor.result("17")
    assert floor.table.phase is Phase.PAYING
    result = floor.table.playing.result
    assert result is not None
    number_at = result.number_at

    assert blockers(floor.house, Facts(now=Instant(number_at + LONG_STEP_MAX - 1))) == []
    (found,) = blockers(floor.house, Facts(now=Instant(number_at + LONG_STEP_MAX)))
    assert (found.reason, found.clause) == ("awaiting_settle", clause_of(floor.table.rulebook, StepName.SETTLE))


@pytest.mark.parametrize(
    ("rulebook", "clause"),
    [(ADELAIDE, "9(b)"), (CLEARWATER, "16.a"), (MARINA, "3.6"), (US, "Rotation (1)"), ("generic-american", "8")],
)
def test_spin_that_is_awaited_cites_the_rule_on_spins(rulebook: str, clause: str) -> None:
    """The clause of a spin is that on its revolutions or its duration, where the rules ask for them."""
    assert clause_of(Play(rulebook).rulebook, StepName.SPIN) == clause


@pytest.mark.parametrize("rulebook", [ADELAIDE, CLEARWATER, MARINA, US])
def test_every_step_has_a_clause_and_words(rulebook: str) -> None:
    """Each step has words and a clause of the venue's document."""
    book = Play(rulebook).rulebook
    cited = {step: clause_of(book, step) for step in StepName}

    assert all(say(f"step.{step}") for step in StepName)
    assert set(cited.values()) <= {each.clause for each in book.clauses}
