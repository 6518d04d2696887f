"""The random wheel: it draws once, in time, knows no bet, and stops where its source fails."""

from collections.abc import Iterator
from contextlib import contextmanager
from random import Random

import msgspec
import pytest

from croupier.devices.random_source import SECURE, Source
from croupier.devices.random_wheel import HOUR, RandomWheel
from croupier.engine.ports import ScheduledWheel
from croupier.house import House
from croupier.house.floor.incidents import ClearIncident, IncidentKind
from croupier.house.ids import SECOND, Instant, Number
from croupier.house.rounds.closing import CloseBets
from croupier.house.rounds.irregularities import CallNoSpin, ResetTerminals, WheelTrouble
from croupier.house.rounds.opening import OpenBets
from croupier.house.rounds.referrals import DecideReferral, ReferralDecision, ReferRound
from croupier.house.rounds.results import BallAtRest, ReportIgnored
from croupier.house.rounds.spinning import BallLaunched, SpinBall
from croupier.house.settings import TableSettings, WheelKind
from croupier.house.state.tables import Phase, RoundStatus
from croupier.rules.geometry import Pocket
from croupier.rules.procedure import Reason
from croupier.rules.rulebook import Rulebook
from tests.conftest import venue
from tests.support.devices import MANAGER, SPIN_S, TIMED, A, B, Floor
from tests.support.engine_driver import done
from tests.support.sample_commands import ADELAIDE, CLEARWATER, MARINA, US


class Locked:
    """Something that nobody may look at."""

    def __getattribute__(self, name: str) -> object:
        raise AssertionError(name)

    def __bool__(self) -> bool:
        raise AssertionError


@contextmanager
def blind(house: House) -> Iterator[None]:
    """Lock away every terminal with its chips, every layout that is sealed, and the books."""
    table = house.tables[A]
    terminals, ledger, sealed = house.terminals, house.ledger, table.round.sealed if table.round else None
    house.terminals = house.ledger = Locked()  # type: ignore[assignment]
    layouts = {} if sealed is None else sealed.layouts
    if sealed is not None:
        sealed.layouts = Locked()  # type: ignore[assignment]
    yield
    house.terminals, house.ledger = terminals, ledger
    if sealed is not None:
        sealed.layouts = layouts


class BlindFloor(Floor):
    """A floor whose wheel is blindfolded."""

    def report(self, wheel: ScheduledWheel) -> None:
        with blind(self.house):
            wheel.due(self.house)
            super().report(wheel)


def seeded() -> Source:
    return Random(5).randbytes  # noqa: S311 - chance that can be had again


def test_wheel_knows_no_bet(rulebook: Rulebook) -> None:
    """The wheel reports the same whatever is staked, with every bet and every terminal locked away from it."""
    floors = [BlindFloor.at(rulebook, source=seeded()) for _ in range(3)]
    for floor, stake in zip(floors, (0, 100, 400), strict=True):
        floor.stake = stake
        floor.until_settled(5)

    assert floors[0].reports == floors[1].reports == floors[2].reports
    assert floors[0].table.meters.turnover < floors[1].table.meters.turnover < floors[2].table.meters.turnover


class Counted:
    """The secure source, which counts the words that it gives."""

    def __init__(self) -> None:
        self.words = 0

    def __call__(self, size: int) -> bytes:
        self.words += 1
        return SECURE(size)


def test_number_is_drawn_once_and_not_before_it_is_reported(rulebook: Rulebook) -> None:
    """Nothing is drawn until the ball has run its time over sealed bets; asked again, the wheel says the same again."""
    source = Counted()
    floor = Floor.at(rulebook, source=source)
    floor.until(Phase.RUNNING)
    examined = source.words
    due = floor.wheel.due(floor.house)
    assert due is not None

    assert floor.wheel.act(floor.house, Instant(due - 1)) is None
    assert source.words == examined
    report = floor.wheel.act(floor.house, due)
    drawn = source.words
    assert isinstance(report, BallAtRest)
    assert drawn > examined
    # Also where the hourly examination has become due meanwhile.
    assert [floor.wheel.act(floor.house, Instant(due + wait)) for wait in (0, SECOND, 2 * HOUR)] == [report] * 3
    assert source.words == drawn


def test_each_spin_has_a_number_of_its_own() -> None:
    """After a spin that was called off in time, the next spin of the same round is launched and drawn for itself."""
    floor = Floor.at(venue(ADELAIDE)).until(Phase.RUNNING)
    floor.by_pit(CallNoSpin(A, Reason.FOREIGN_OBJECT, "as seen"))
    assert floor.wheel.due(floor.house) == floor.wheel.watch.due
    floor.by_pit(ResetTerminals(A))
    floor.until_settled(1)

    assert (floor.table.rounds, floor.round.spin.number) == (1, 2)
    assert [type(each) for each in floor.reports] == [BallLaunched, BallLaunched, BallAtRest]


def drawn(floor: Floor) -> BallAtRest:
    """Go on to the end of a spin, and give what the wheel is about to report."""
    due = floor.until(Phase.RUNNING).wheel.due(floor.house)
    assert due is not None
    floor.clock.at = due
    report = floor.wheel.act(floor.house, due)
    assert isinstance(report, BallAtRest)
    return report


def ignored(floor: Floor) -> list[Pocket]:
    return [entry.event.pocket for entry in floor.outbox.entries if isinstance(entry.event, ReportIgnored)]


def test_number_of_a_spin_that_was_called_off_is_nobodys() -> None:
    """A number that was drawn as its spin was called off is on record as ignored, and the next spin has its own."""
    floor = Floor.at(venue(US))
    late = drawn(floor)
    floor.by_pit(CallNoSpin(A, Reason.NOT_COVERED, "as seen"))
    floor.by_wheel(late)
    assert ignored(floor) == [late.pocket]
    floor.until_settled(1)

    assert (floor.table.rounds, floor.round.spin.number) == (1, 2)


def test_report_that_comes_twice_counts_once(rulebook: Rulebook) -> None:
    """A report that is taken again, at once or when the next round is open, is ignored and voids nothing."""
    floor = Floor.at(rulebook)
    report = drawn(floor)
    for phase in (Phase.RUNNING, Phase.BETWEEN, Phase.OPEN):
        floor.until(phase)
        floor.by_wheel(report)

    assert ignored(floor) == [report.pocket] * 2
    assert (floor.table.rounds, floor.table.phase, floor.house.incidents.all) == (2, Phase.OPEN, {})


def test_wheel_waits_while_a_round_is_suspended(rulebook: Rulebook) -> None:
    """While somebody decides a doubt the wheel neither launches nor draws."""
    floor = Floor.at(rulebook).until(Phase.RUNNING)
    floor.by_pit(ReferRound(A, "A player objects."))
    floor.clock.pass_s(60)

    assert floor.wheel.act(floor.house, floor.clock.now()) is None
    assert floor.wheel.due(floor.house) == floor.wheel.watch.due


def test_ball_at_rest_is_left_alone() -> None:
    """A number that was drawn while the round was suspended counts when it goes on, and none is drawn in its place."""
    floor = Floor.at(venue(MARINA))
    report = drawn(floor)
    floor.by_pit(ReferRound(A, "A player objects."))
    floor.by_wheel(report)
    floor.by_pit(DecideReferral(A, ReferralDecision.GO_ON, "There was nothing."), MANAGER)
    assert (floor.table.phase, floor.round.pocket) == (Phase.BETWEEN, report.pocket)

    assert floor.wheel.act(floor.house, Instant(floor.clock.at + 60 * SECOND)) is None


@pytest.mark.parametrize(
    ("rulebook_id", "spins_first"), [(MARINA, False), (ADELAIDE, False), (CLEARWATER, True), (US, True)]
)
def test_dealer_may_set_the_pace(rulebook_id: str, spins_first: bool) -> None:  # noqa: FBT001 - a column
    """Without timers a dealer opens, closes and, where the ball runs first, spins; the wheel does the rest."""
    floor = Floor.at(venue(rulebook_id), settings=TableSettings(wheel=WheelKind.RANDOM, warning_s=0))
    floor.report(floor.wheel)
    floor.by_pit(OpenBets(A))
    floor.clock.pass_s(30)
    floor.report(floor.wheel)
    assert floor.reports == []
    if spins_first:
        floor.by_pit(SpinBall(A))
    if floor.round.closes_at is None:
        floor.by_pit(CloseBets(A))
    floor.until_settled(1)

    assert floor.house.incidents.all == {}
    assert [type(each) for each in floor.reports] == [BallLaunched] * (not spins_first) + [BallAtRest]


@pytest.mark.clause(CLEARWATER, "16.a")
def test_launch_that_was_missed_is_made_up_for() -> None:
    """Where the system stood still over launch and close, the ball is launched late and the round is settled."""
    floor = Floor.at(venue(CLEARWATER)).until(Phase.OPEN)
    floor.clock.pass_s(60)
    done(floor.run)
    assert floor.table.phase is Phase.CLOSED
    floor.until_settled(1)

    assert floor.house.incidents.all == {}


def test_wheel_of_a_table_that_is_not_there_is_silent() -> None:
    """A wheel for a table that was not added, or whose numbers come from elsewhere, wants nothing and says nothing."""
    floor = Floor.at(venue(MARINA), settings=msgspec.structs.replace(TIMED, wheel=WheelKind.SENSOR))
    for wheel in (RandomWheel(A, SPIN_S), RandomWheel(B, SPIN_S)):
        assert wheel.due(floor.house) is None
        assert wheel.act(floor.house, floor.clock.now()) is None


class Failing:
    """A source that is good until it is not."""

    def __init__(self, *, good: bool = True) -> None:
        self.good = good

    def __call__(self, size: int) -> bytes:
        return SECURE(size) if self.good else b"\xff" * size


def troubles(floor: Floor) -> list[IncidentKind]:
    return [incident.kind for incident in floor.house.incidents.all.values()]


def test_table_with_a_bad_source_gets_no_number(rulebook: Rulebook) -> None:
    """A source that fails at the start is told of at once, and no ball is launched and no number comes."""
    floor = Floor.at(rulebook, source=Failing(good=False))
    floor.for_s(300)

    assert set(floor.reports) == {WheelTrouble(A, Reason.MALFUNCTION)}
    assert troubles(floor)[0] is IncidentKind.WHEEL_TROUBLE
    # Before the first round, and once in every round since.
    assert len(floor.reports) == troubles(floor).count(IncidentKind.WHEEL_TROUBLE) == floor.table.rounds + 1
    assert floor.table.numbers == ()
    assert floor.wheel.watch.ailment.startswith("the source gave 128 words")


def test_source_that_fails_during_the_run_ends_it(rulebook: Rulebook) -> None:
    """What the hourly examination finds is told of at once, and no number comes from then on."""
    source = Failing()
    floor = Floor.at(rulebook, settings=msgspec.structs.replace(TIMED, pause_s=3_600), source=source).until_settled(1)
    at_start = floor.wheel.watch.at
    source.good = False
    floor.for_s(3_595)
    assert troubles(floor) == [IncidentKind.WHEEL_TROUBLE]
    assert floor.wheel.watch.at == floor.house.incidents.all[Number(1)].at == at_start + HOUR
    floor.for_s(200)

    assert len(floor.table.numbers) == 1
    assert troubles(floor).count(IncidentKind.WHEEL_TROUBLE) == floor.table.rounds


def test_source_that_fails_at_the_draw_gives_no_number(rulebook: Rulebook) -> None:
    """Where the source fails between two examinations, the spin gets no number and staff are notified once."""
    source = Failing()
    floor = Floor.at(rulebook, source=source).until(Phase.RUNNING)
    source.good = False
    floor.for_s(60)

    assert floor.reports[-1] == WheelTrouble(A, Reason.MALFUNCTION)
    assert troubles(floor).count(IncidentKind.WHEEL_TROUBLE) == floor.reports.count(floor.reports[-1])
    assert floor.table.numbers == ()


@pytest.mark.clause(CLEARWATER, "25")
def test_cleared_trouble_comes_back_until_a_restart() -> None:
    """Clearing the incident does not mend the source: the next round is void too, until a start finds it good."""
    source = Failing(good=False)
    floor = Floor.at(venue(CLEARWATER), source=source)
    floor.for_s(300)
    assert floor.table.rounds == 0
    floor.by_pit(ClearIncident(Number(1)))
    source.good = True
    floor.for_s(300)
    assert (floor.round.status, troubles(floor)) == (RoundStatus.VOID, [IncidentKind.WHEEL_TROUBLE] * 2)
    floor.by_pit(ClearIncident(Number(2)))

    assert floor.again().until_settled(3).table.rounds > 3
