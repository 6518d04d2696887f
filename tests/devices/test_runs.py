"""Runs with random wheels: every venue by itself, in the order of its rules, and on after a cut in any phase."""

import msgspec
import pytest

from croupier.devices.random_wheel import CLOSE_TO_REST, RandomWheel
from croupier.house.ids import SECOND, Instant
from croupier.house.rounds.closing import BetsClosing
from croupier.house.rounds.settlement import ResultDeclared
from croupier.house.rounds.spinning import BallSpun
from croupier.house.state.tables import Phase, RoundStatus
from croupier.house.state.tables import ResultSource as Origin
from croupier.rules.rulebook import Rulebook
from tests.conftest import venue
from tests.support.devices import TIMED, A, B, Floor, instant_of, names
from tests.support.engine_driver import done
from tests.support.sample_commands import ADELAIDE, CLEARWATER, MARINA, US

#: The steps of a round, in the order that each venue's rules have.
STEPS = {
    MARINA: "BetsOpened BetsClosing BetsSealed BallSpun ResultDeclared RoundSettled",
    ADELAIDE: "BetsOpened FinishCalled BetsClosing BetsSealed BallSpun ResultDeclared RoundSettled",
    CLEARWATER: "BetsOpened LaunchCalled BallSpun BetsClosing BetsSealed ResultDeclared RoundSettled",
    US: "BetsOpened BallSpun BetsClosing BetsSealed ResultDeclared RoundSettled",
}


@pytest.mark.parametrize("rulebook_id", STEPS)
def test_venue_runs_by_itself(rulebook_id: str) -> None:
    """Rounds open, close, spin and settle by clock and wheel, each in the order of the rules, and nobody is called."""
    floor = Floor.at(venue(rulebook_id)).until_settled(30)

    assert [names(round_) for round_ in floor.rounds()] == [STEPS[rulebook_id].split()] * 30
    assert floor.house.incidents.all == {}
    assert floor.table.meters.turnover > 0
    assert {past.result.source for past in floor.table.past if past.result is not None} == {Origin.RANDOM}
    assert floor.table.spin_id == 30


@pytest.mark.parametrize(
    ("rulebook_id", "launched_s", "rested_s"), [(MARINA, 1, 13), (ADELAIDE, 1, 13), (CLEARWATER, -5, 7), (US, -5, 7)]
)
def test_ball_runs_for_its_time(rulebook_id: str, launched_s: int, rested_s: int) -> None:
    """Seen from the close, the ball is launched and comes to rest when the venue's rules and the setting say."""
    floor = Floor.at(venue(rulebook_id)).until_settled(3)

    for round_ in floor.rounds():
        closed_at = instant_of(round_, BetsClosing)
        assert instant_of(round_, BallSpun) - closed_at == launched_s * SECOND
        assert instant_of(round_, ResultDeclared) - closed_at == rested_s * SECOND


@pytest.mark.parametrize("rulebook_id", STEPS)
def test_short_spin_ends_after_the_close(rulebook_id: str) -> None:
    """However short a spin is set, the ball rests no sooner than two seconds after the close."""
    floor = Floor.at(venue(rulebook_id))
    floor.wheels = [RandomWheel(A, 1)]
    floor.until_settled(2)

    for round_ in floor.rounds():
        assert instant_of(round_, ResultDeclared) == instant_of(round_, BetsClosing) + CLOSE_TO_REST


@pytest.mark.clause(CLEARWATER, "16.a")
def test_two_tables_run_at_once() -> None:
    """Two tables of one terminal run beside each other, and each has its own numbers."""
    floor = Floor.at(venue(CLEARWATER), B).until_settled(25)

    assert floor.house.incidents.all == {}
    for table in (A, B):
        assert [names(round_) for round_ in floor.rounds(table)[:25]] == [STEPS[CLEARWATER].split()] * 25
    assert floor.house.tables[A].numbers[:25] != floor.house.tables[B].numbers[:25]


@pytest.mark.clause(US, "Rotation (2)")
def test_short_betting_time_launches_at_the_opening() -> None:
    """Where betting is shorter than the ball's run before the close, the ball is launched as bets open."""
    floor = Floor.at(venue(US), settings=msgspec.structs.replace(TIMED, betting_s=3)).until_settled(2)

    for round_ in floor.rounds():
        assert instant_of(round_, BallSpun) == round_[0].at
    assert floor.house.incidents.all == {}


@pytest.mark.untraced
@pytest.mark.parametrize("steps", range(9))
@pytest.mark.parametrize("outage_s", [0, 2])
def test_cut_in_any_phase_is_gone_on_from(rulebook: Rulebook, steps: int, outage_s: int) -> None:
    """Whenever the power fails the next rounds come by themselves; over sealed bets, the one that ran is void.

    That is so also where its number was drawn and not kept: none is drawn twice for a round.
    """
    floor = Floor.at(rulebook).until_settled(1)
    for _ in range(steps):
        floor.step()
    sealed, number = floor.table.phase in (Phase.CLOSED, Phase.RUNNING), floor.table.rounds
    floor.wheel.act(floor.house, Instant(floor.clock.now() + 60 * SECOND))
    after = floor.again(outage_s)
    found = after.table.find_round(number)
    assert found is not None
    assert not sealed or found.status is RoundStatus.VOID
    after.until_settled(floor.settled() + 2)

    assert after.house.incidents.all == {}
    assert (number in [each for each, _ in after.table.history]) != (found.status is RoundStatus.VOID)


@pytest.mark.clause(US, "Rotation (2)")
def test_outage_beyond_the_betting_time_ends_the_spin_at_the_us_table() -> None:
    """The timer may not close over an idle ball there: a spin whose time ran out in an outage does not count."""
    floor = Floor.at(venue(US)).until(Phase.OPEN)
    after = floor.again(60)
    done(after.run)

    assert after.table.phase is not Phase.SUSPENDED
    assert after.house.incidents.all == {}
