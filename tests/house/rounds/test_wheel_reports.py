"""Which reports of a wheel count for a round: by their launch, their time and their agreement, at all four venues."""

from typing import Final

import pytest

from croupier.house.declare import Events
from croupier.house.floor.incidents import Incident, IncidentKind, IncidentRaised, TroubleCause
from croupier.house.ids import DeviceId, RoundNumber
from croupier.house.rounds.closing import BetsClosing, CloseBets, CloseReason, FinishCalled
from croupier.house.rounds.irregularities import WheelTrouble
from croupier.house.rounds.results import BallAtRest, ConfirmResult, IgnoredReason, ReportIgnored
from croupier.house.rounds.spinning import BallLaunched, NoMoreBetsSignalled, SignalNoMoreBets
from croupier.house.settings import TableSettings, WheelKind
from croupier.house.state.tables import Phase, RoundStatus
from croupier.rules.geometry import Pocket
from croupier.rules.procedure import Reason
from tests.support.house_driver import ADELAIDE, CLEARWATER, MARINA, PROMPT, TABLE, US, Play

VENUES: Final = (MARINA, ADELAIDE, CLEARWATER, US)
DEALT: Final = (MARINA, ADELAIDE, US)
#: The clause of each venue under which a malfunction of the wheel is dealt with.
CLAUSES: Final = {MARINA: "5.13", ADELAIDE: "11(b)", CLEARWATER: "25", US: "Rotation (3)"}
WHEEL: Final = DeviceId(TABLE)
SEVENTEEN, FIVE = Pocket("17"), Pocket("5")


def sealed(rulebook: str, *, launch: int | None = None) -> Play:
    """Find a round with 1 on 17 at T1 whose bets are sealed, and whose ball was launched if a launch is given."""
    play = Play(rulebook, TableSettings(warning_s=0, betting_s=60 if rulebook == CLEARWATER else None))
    play.seats(T1=100)
    begun(play, launch)
    return play


def begun(play: Play, launch: int | None) -> None:
    """Begin a round: open, bet, close and launch in the order of the venue."""
    play.open()
    play.bet("T1", "1 on 17")
    if play.rulebook.id == US and launch is not None:
        play.must(launched(launch), WHEEL)
        play.must(CloseBets(TABLE))
        return
    if play.rulebook.id == CLEARWATER:
        if launch is not None:
            play.must(launched(launch), WHEEL)
        play.advance(play.now + 61_000_000)
    elif play.rulebook.id != US:
        play.must(CloseBets(TABLE))
    if launch is not None and play.rulebook.id != CLEARWATER:
        play.must(launched(launch), WHEEL)


def launched(launch: int) -> BallLaunched:
    return BallLaunched(TABLE, turning=True, launch=launch)


def rest(pocket: Pocket, launch: int | None, *, took_ms: int | None = 26_500, spin_id: int = 1) -> BallAtRest:
    return BallAtRest(TABLE, pocket, spin_id=spin_id, launch=launch, took_ms=took_ms)


def troubles(play: Play) -> list[Incident]:
    return [each for each in play.house.incidents.all.values() if each.kind is IncidentKind.WHEEL_TROUBLE]


def waits_or_void(play: Play, cause: TroubleCause) -> None:
    """The round is not settled: it is void where a malfunction voids it, and else its number waits for the dealer."""
    round_ = play.table.playing
    clause = CLAUSES[play.rulebook.id]
    (incident,) = troubles(play)
    assert (incident.facts.cause, incident.clause, incident.facts.reasons) == (cause, clause, (Reason.MALFUNCTION,))
    if play.rulebook.id == CLEARWATER:
        assert (round_.status, round_.clause, play.credit("T1")) == (RoundStatus.VOID, "25", 100)
    else:
        assert (round_.status, round_.pocket, play.credit("T1")) == (RoundStatus.ACTIVE, None, 99)
    play.check()


@pytest.mark.parametrize("rulebook", VENUES)
def test_number_counts_though_the_count_of_the_wheel_began_again(rulebook: str) -> None:
    """Three spins that all carry the count 1, with launches of their own, are three numbers, and nothing is ignored."""
    play = sealed(rulebook, launch=1_000)
    for launch in (1_000, 2_000, 3_000):
        if launch > 1_000:
            begun(play, launch)
        play.must(rest(FIVE, launch), WHEEL)
        if rulebook != CLEARWATER:
            assert not isinstance(play.by(play.dealer, ConfirmResult(TABLE, FIVE)), ReportIgnored)
        assert play.table.playing.pocket == "5"
    assert play.table.numbers == ("5", "5", "5")
    assert play.house.incidents.all == {}
    play.check()


@pytest.mark.parametrize("rulebook", VENUES)
def test_number_of_another_launch_is_an_incident_and_waits(rulebook: str) -> None:
    """While a round waits for its number, one of another launch is ignored with an incident, and what follows waits."""
    play = sealed(rulebook, launch=2_000)
    ignored = play.must(rest(SEVENTEEN, 1_000), WHEEL)

    assert ignored[0] == ReportIgnored(TABLE, SEVENTEEN, IgnoredReason.ANOTHER_SPIN)
    waits_or_void(play, TroubleCause.NOT_OF_THIS_SPIN)
    assert troubles(play)[0].facts.pocket == "17"
    play.must(rest(FIVE, 2_000), WHEEL)
    assert play.table.numbers == ()
    if rulebook != CLEARWATER:
        assert (play.table.phase, play.table.playing.spin.reported) == (Phase.AT_REST, "5")


@pytest.mark.parametrize("rulebook", [MARINA, ADELAIDE, CLEARWATER])
def test_number_without_a_launch_in_the_round_does_not_count(rulebook: str) -> None:
    """A ball that was launched before the round opened states no number of it: an incident, and the number waits."""
    play = sealed(rulebook)
    ignored = play.must(rest(SEVENTEEN, 1_000), WHEEL)

    assert ignored[0] == ReportIgnored(TABLE, SEVENTEEN, IgnoredReason.NO_BALL)
    waits_or_void(play, TroubleCause.NOT_OF_THIS_SPIN)


@pytest.mark.parametrize("rulebook", VENUES)
def test_number_of_an_earlier_ball_while_bets_are_open_is_ignored(rulebook: str) -> None:
    """While bets are open, the number of a ball from before is ignored with one incident, and the round goes on."""
    play = Play(rulebook, PROMPT)
    play.seats(T1=100)
    play.open()
    for launch in (1, 2, 3):
        play.must(rest(SEVENTEEN, launch), WHEEL)

    assert [each.kind for each in play.house.incidents.all.values()] == [IncidentKind.NUMBER_IGNORED]
    assert play.table.phase is Phase.OPEN


@pytest.mark.parametrize("rulebook", VENUES)
def test_count_that_is_repeated_waits_for_staff(rulebook: str) -> None:
    """Where a driver names no launch, the count of the last number after a new launch does not count by itself."""
    play = sealed(rulebook, launch=1_000)
    play.must(rest(FIVE, 1_000), WHEEL)
    if rulebook != CLEARWATER:
        play.by(play.dealer, ConfirmResult(TABLE, FIVE))
    play.open()
    play.bet("T1", "1 on 17")
    play.close()
    if rulebook in {MARINA, ADELAIDE}:
        play.must(BallLaunched(TABLE, opposite=True), WHEEL)
    before = play.credit("T1")
    play.must(BallAtRest(TABLE, SEVENTEEN, revolutions=9, opposite=True, spin_id=1), WHEEL)

    assert [each.facts.cause for each in troubles(play)] == [TroubleCause.COUNT_REPEATED]
    if rulebook == CLEARWATER:
        assert (play.table.playing.status, play.credit("T1")) == (RoundStatus.VOID, before + 1)
    else:
        assert (play.table.phase, play.table.playing.spin.reported) == (Phase.AT_REST, "17")
    play.check()


@pytest.mark.parametrize("rulebook", VENUES)
def test_repeated_number_is_ignored_until_the_launch(rulebook: str) -> None:
    """A driver that names no launch may repeat its last number between spins: it is ignored, and settles nothing."""
    play = sealed(rulebook, launch=1_000)
    play.must(rest(FIVE, 1_000), WHEEL)
    if rulebook != CLEARWATER:
        play.by(play.dealer, ConfirmResult(TABLE, FIVE))
    play.open()
    repeated = BallAtRest(TABLE, FIVE, spin_id=1)

    assert play.must(repeated, WHEEL) == (ReportIgnored(TABLE, FIVE, IgnoredReason.SPIN_COUNTED),)
    assert play.house.incidents.all == {}


@pytest.mark.parametrize("rulebook", DEALT)
def test_another_number_of_a_counted_spin_is_an_incident(rulebook: str) -> None:
    """While a number waits for the dealer, another one with the same count is a contradiction, and not a repeat."""
    play = sealed(rulebook, launch=None if rulebook != US else 1)
    if rulebook != US:
        play.must(BallLaunched(TABLE), WHEEL)
    play.must(BallAtRest(TABLE, FIVE, spin_id=1), WHEEL)
    play.must(BallAtRest(TABLE, SEVENTEEN, spin_id=1), WHEEL)

    assert [each.kind for each in play.house.incidents.all.values()] == [IncidentKind.NUMBER_DIFFERS]


@pytest.mark.parametrize("rulebook", VENUES)
@pytest.mark.parametrize("took_ms", [0, 1_500, 14_999])
def test_short_spin_waits_for_the_dealer_or_is_void(rulebook: str, took_ms: int) -> None:
    """A number that comes sooner after the launch than any spin takes does not count by itself."""
    play = sealed(rulebook, launch=1_000)
    play.must(rest(SEVENTEEN, 1_000, took_ms=took_ms), WHEEL)

    waits_or_void(play, TroubleCause.SHORT_SPIN)
    assert (troubles(play)[0].facts.pocket, troubles(play)[0].facts.seconds) == ("17", took_ms // 1_000)
    if rulebook != CLEARWATER:
        assert play.table.playing.spin.reported == "17"
        play.by(play.dealer, ConfirmResult(TABLE, SEVENTEEN))
        assert play.table.numbers == ("17",)


def test_spin_of_the_least_time_counts() -> None:
    """A spin of exactly the least time is paid where the wheel's number counts alone."""
    play = sealed(CLEARWATER, launch=1_000)
    play.must(rest(SEVENTEEN, 1_000, took_ms=15_000), WHEEL)

    assert (play.table.numbers, play.credit("T1")) == (("17",), 135)


def test_short_spin_with_contradictory_sightings_raises_two_incidents() -> None:
    """A short spin whose sensors contradict each other raises an incident for each, with numbers of their own."""
    play = sealed(ADELAIDE, launch=1_000)
    play.must(BallLaunched(TABLE, opposite=True, launch=1_000), WHEEL)
    play.must(BallAtRest(TABLE, SEVENTEEN, revolutions=9, opposite=False, launch=1_000, took_ms=10), WHEEL)

    kinds = {number: each.kind for number, each in play.house.incidents.all.items()}
    assert kinds == {1: IncidentKind.WHEEL_TROUBLE, 2: IncidentKind.SIGHTINGS_DIFFER}


@pytest.mark.parametrize("rulebook", VENUES)
def test_second_launch_before_the_number_is_no_spin_of_the_round(rulebook: str) -> None:
    """A ball that is launched again before the number has one incident, however often, and no number of it is paid."""
    play = sealed(rulebook, launch=1_000)
    for launch in range(2_000, 16_000, 1_000):
        play.must(launched(launch), WHEEL)
        play.must(rest(SEVENTEEN, launch), WHEEL)

    assert play.table.numbers == ()
    causes = [each.facts.cause for each in troubles(play)]
    both = [TroubleCause.LAUNCHED_AGAIN, TroubleCause.NOT_OF_THIS_SPIN]
    assert causes == (both[:1] if rulebook == CLEARWATER else both)
    play.check()


@pytest.mark.parametrize("rulebook", DEALT)
def test_wheel_that_plays_on_beside_a_waiting_table_is_one_incident(rulebook: str) -> None:
    """Fourteen games of the wheel beside a number that waits for its dealer raise one incident; the number stays."""
    play = sealed(rulebook, launch=1_000)
    play.must(rest(FIVE, 1_000), WHEEL)
    for launch in range(2_000, 16_000, 1_000):
        play.must(launched(launch), WHEEL)
        play.must(SignalNoMoreBets(TABLE), WHEEL)
        play.must(rest(Pocket(str(launch // 1_000)), launch), WHEEL)

    (incident,) = play.house.incidents.all.values()
    assert (incident.kind, incident.facts.pocket) == (IncidentKind.NUMBER_IGNORED, "2")
    assert play.table.playing.spin.reported == "5"
    play.by(play.dealer, ConfirmResult(TABLE, FIVE))
    assert play.table.numbers == ("5",)


@pytest.mark.parametrize("named", [True, False], ids=["launches named", "no launches named"])
@pytest.mark.parametrize("rulebook", VENUES)
def test_wheel_that_plays_on_after_the_round_raises_one_incident_at_most(rulebook: str, *, named: bool) -> None:
    """Games after a settled round are another spin's where launches are named, and else one contradiction."""
    play = sealed(rulebook, launch=1_000)
    play.must(rest(FIVE, 1_000), WHEEL)
    if rulebook != CLEARWATER:
        play.by(play.dealer, ConfirmResult(TABLE, FIVE))
    for launch in range(2_000, 16_000, 1_000):
        play.must(rest(SEVENTEEN, launch if named else None, spin_id=launch), WHEEL)

    expected = [] if named else [IncidentKind.NUMBER_DIFFERS]
    assert [each.kind for each in play.house.incidents.all.values()] == expected
    assert play.table.numbers == ("5",)


@pytest.mark.parametrize("rulebook", VENUES)
def test_malfunction_of_an_earlier_spin_leaves_the_next_round_alone(rulebook: str) -> None:
    """A contradiction that shows after the next round has opened is an incident of the settled round."""
    play = sealed(rulebook, launch=1_000)
    play.must(rest(SEVENTEEN, 1_000), WHEEL)
    if rulebook != CLEARWATER:
        play.by(play.dealer, ConfirmResult(TABLE, SEVENTEEN))
    play.open()
    cause = TroubleCause.NUMBER_CHANGED
    changed = WheelTrouble(
        TABLE, Reason.MALFUNCTION, cause=cause, pocket=Pocket("22"), expected=SEVENTEEN, launch=1_000
    )
    (raised,) = play.must(changed, WHEEL)

    assert isinstance(raised, IncidentRaised)
    assert (raised.clause, raised.facts.round, raised.facts.cause) == (CLAUSES[rulebook], 1, cause)
    assert (raised.facts.pocket, raised.facts.expected) == ("22", "17")
    assert (play.table.rounds, play.table.phase, play.table.playing.spin.sightings) == (2, Phase.OPEN, [])
    play.must(WheelTrouble(TABLE, Reason.MALFUNCTION, launch=99), WHEEL)
    assert play.table.phase is Phase.OPEN


@pytest.mark.parametrize("rulebook", VENUES)
def test_malfunction_of_the_running_spin_names_no_other_round(rulebook: str) -> None:
    """A malfunction of the round's own spin ends it, or has its number wait, with the cause for staff."""
    play = sealed(rulebook, launch=1_000)
    play.must(WheelTrouble(TABLE, Reason.MALFUNCTION, cause=TroubleCause.OUT_OF_ORDER, launch=1_000), WHEEL)

    waits_or_void(play, TroubleCause.OUT_OF_ORDER)
    assert troubles(play)[0].facts.round is None


def signalled(rulebook: str, settings: TableSettings, *, closes: bool, at_s: int = 8) -> Events:
    """Have a wheel announce no more bets while the ball runs over open bets."""
    play = Play(rulebook, settings)
    play.seats(T1=100)
    play.open()
    play.at(5)
    play.must(launched(1_000), WHEEL)
    play.at(at_s)
    return play.must(SignalNoMoreBets(TABLE, closes=closes), WHEEL)


@pytest.mark.parametrize("rulebook", [ADELAIDE, CLEARWATER, US])
def test_signal_of_the_wheel_is_recorded(rulebook: str) -> None:
    """The wheel's own no more bets is recorded, closes nothing and raises no incident, unless the venue chooses so."""
    assert signalled(rulebook, TableSettings(), closes=False) == (NoMoreBetsSignalled(TABLE, RoundNumber(1)),)


@pytest.mark.clause("skycity-adelaide-2003", "7(h)ii")
def test_signal_of_the_wheel_closes_after_the_warning() -> None:
    """Where the venue chooses that it closes betting, players are warned first (7(h)ii), and then it closes."""
    recorded, finish = signalled(ADELAIDE, TableSettings(), closes=True)

    assert isinstance(recorded, NoMoreBetsSignalled)
    assert isinstance(finish, FinishCalled)


@pytest.mark.parametrize(("rulebook", "clause"), [(CLEARWATER, "16.a"), (US, "Rotation (2)"), (ADELAIDE, "9(c)")])
def test_signal_of_the_wheel_closes_at_once_without_a_warning(rulebook: str, clause: str) -> None:
    """Where no warning is due, the chosen signal closes betting under the clause of the close, with no incident."""
    _, closing, *more = signalled(rulebook, PROMPT, closes=True)

    assert isinstance(closing, BetsClosing)
    assert (closing.why, closing.clause) == (CloseReason.WHEEL_SIGNAL, clause)
    assert not any(isinstance(each, IncidentRaised) for each in more)


def test_signal_before_the_least_betting_time_is_recorded_only() -> None:
    """A signal before the minimum betting time closes nothing."""
    assert len(signalled(US, TableSettings(warning_s=0, betting_min_s=20), closes=True)) == 1


def test_signal_without_a_running_ball_is_nothing() -> None:
    """Without a round, before a launch, and after a random wheel's close there is nothing to record."""
    play = Play(ADELAIDE, PROMPT)
    assert play.must(SignalNoMoreBets(TABLE, closes=True), WHEEL) == ()
    play.open()
    assert play.must(SignalNoMoreBets(TABLE, closes=True), WHEEL) == ()


def test_random_wheel_knows_no_launches() -> None:
    """What a random wheel draws is its own, whatever its time: no launch and no least time are asked of it."""
    play = Play(CLEARWATER, TableSettings(wheel=WheelKind.RANDOM))
    play.seats(T1=100)
    play.open()
    play.bet("T1", "1 on 17")
    play.close()
    play.must(BallAtRest(TABLE, FIVE, spin_id=1, took_ms=0), WHEEL)
    assert play.table.numbers == ("5",)
    play.open()
    play.close()
    assert play.must(BallAtRest(TABLE, FIVE, spin_id=1), WHEEL) == (
        ReportIgnored(TABLE, FIVE, IgnoredReason.SPIN_COUNTED),
    )
    assert play.house.incidents.all == {}
