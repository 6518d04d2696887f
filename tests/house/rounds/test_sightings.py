"""Sightings: every combination of what is seen at the launch, at the fall and at rest, at every venue."""

from collections.abc import Iterator
from itertools import product
from typing import Final

import pytest

from croupier.house import AnyCommand
from croupier.house.floor.incidents import IncidentKind
from croupier.house.floor.signatures import Approve
from croupier.house.ids import DeviceId, Number
from croupier.house.rounds.irregularities import CallNoSpin, IrregularitySeen, ResetTerminals, WheelTrouble
from croupier.house.rounds.referrals import DecideReferral, ReferralDecision, ReferRound
from croupier.house.rounds.results import AttestResult, BallAtRest, BallRested, ConfirmResult, ReportIgnored
from croupier.house.rounds.settlement import ResultDeclared
from croupier.house.rounds.spinning import BallFell, BallLaunched, BallLeftTrack, BallSpun
from croupier.house.settings import TableSettings, WheelKind
from croupier.house.state.tables import Moment, Phase, Round, RoundStatus, Sighting
from croupier.rules.geometry import Pocket
from croupier.rules.procedure import Duty, Reason
from croupier.rules.refusal import Refusal
from croupier.transcripts.runner import TranscriptResult, run_round
from croupier.words import incident_text, seen_text
from tests.support.house_driver import TABLE, Play, refused, sound, with_bets
from tests.support.sample_commands import ADELAIDE, CLEARWATER, MARINA, US

P17, WHEEL = Pocket("17"), DeviceId(TABLE)
LEAST: Final = {MARINA: 4, ADELAIDE: 3, CLEARWATER: None, US: 4}
VENUES: Final = tuple(LEAST)
#: Where a sensor's word on a wrong direction or on too few turns ends the spin at once.
ACTS: Final = {MARINA: True, ADELAIDE: False, CLEARWATER: True, US: False}
NO_SPIN: Final = {
    MARINA: {Reason.SAME_DIRECTION: "5.1", Reason.TOO_FEW_REVOLUTIONS: "5.3", Reason.FOREIGN_OBJECT: "5.4"},
    ADELAIDE: {Reason.SAME_DIRECTION: "10(a)", Reason.TOO_FEW_REVOLUTIONS: "9(b)", Reason.FOREIGN_OBJECT: "10(c)"},
    CLEARWATER: dict.fromkeys((Reason.SAME_DIRECTION, Reason.TOO_FEW_REVOLUTIONS, Reason.FOREIGN_OBJECT), "25"),
    US: {
        Reason.SAME_DIRECTION: "Irregularities (1)",
        Reason.TOO_FEW_REVOLUTIONS: "Irregularities (2)",
        Reason.FOREIGN_OBJECT: "Irregularities (3)",
    },
}

#: What sensors may see: the direction at the launch, the turns at the fall, and both at rest.
LAUNCHES: Final = (None, True, False)
FALLS: Final = (None, 2, 9)
RESTS: Final = tuple(product((None, 2, 9), (None, True, False)))


def running(venue: str, **settings: object) -> Play:
    """Bets are sealed over a ball that runs, of which no sensor has seen anything."""
    play = with_bets(venue, TableSettings(**settings), T1="4 on 17")  # type: ignore[arg-type]
    play.close_and_spin()
    return play


def report(play: Play, *commands: AnyCommand) -> None:
    for command in commands:
        play.must(command, WHEEL)


def round_of(play: Play) -> Round:
    assert play.table.round is not None
    return play.table.round


def expected(venue: str, launch: bool | None, fall: int | None, rest: tuple[int | None, bool | None]) -> str:  # noqa: FBT001 - unknown too
    """Say what must become of a number, in words of the rules alone."""
    least = LEAST[venue]
    ways = {way for way in (launch, rest[1]) if way is not None}
    turns = {count for count in (fall, rest[0]) if count is not None}
    few = {count for count in turns if least is not None and count < least}
    if ACTS[venue] and (launch is False or (fall is not None and fall in few)):
        return "void"
    if ways == {False} or (few and few == turns):
        return "void" if ACTS[venue] else "no spin"
    if len(ways) == 2 or len(turns) == 2:
        return "waits"
    unseen = least is not None and not (ways and turns)
    return "waits" if unseen else "paid"


def outcome(play: Play) -> str:
    """Say what became of the round: a number that is paid, one that waits, a spin that is off, or a void round."""
    round_ = round_of(play)
    if round_.status is RoundStatus.VOID:
        return "void"
    if round_.status is RoundStatus.SETTLED:
        return "paid"
    if round_.no_spin or round_.spin.number == 2:
        return "no spin"
    assert (round_.phase, round_.spin.reported) == (Phase.AT_REST, P17)
    return "waits"


def cases() -> Iterator[object]:
    for venue, launch, fall, rest in product(VENUES, LAUNCHES, FALLS, RESTS):
        yield pytest.param(venue, launch, fall, rest, id=f"{venue}-{launch}-{fall}-{rest[0]}-{rest[1]}")


@pytest.mark.untraced
@pytest.mark.clause("skycity-adelaide-2003", "9(b)")
@pytest.mark.clause("skycity-adelaide-2003", "10(a)")
@pytest.mark.clause("us-double-zero", "Irregularities (1)")
@pytest.mark.clause("us-double-zero", "Irregularities (2)")
@pytest.mark.clause("marina-bay-sands-2020", "5.1")
@pytest.mark.clause("marina-bay-sands-2020", "5.3")
@pytest.mark.parametrize(("venue", "launch", "fall", "rest"), list(cases()))
def test_what_was_seen_stands(
    venue: str,
    launch: bool | None,  # noqa: FBT001 - unknown too
    fall: int | None,
    rest: tuple[int | None, bool | None],
) -> None:
    """A number is paid at once only where no sighting is irregular and none contradicts another."""
    play = running(venue)
    report(play, BallLaunched(TABLE, launch, turning=True), BallLeftTrack(TABLE, fall), BallAtRest(TABLE, P17, *rest))

    became = outcome(play)
    assert became == expected(venue, launch, fall, rest)
    assert play.credit("T1") == {"paid": 240 if venue in (MARINA, CLEARWATER) else 236, "void": 100}.get(became, 96)
    sound(play.house)
    if became in ("waits", "paid"):
        seen = [Sighting(Moment.LAUNCH, launch, turning=True)]
        seen += [] if fall is None else [Sighting(Moment.FALL, revolutions=fall)]
        seen += [] if rest == (None, None) else [Sighting(Moment.REST, rest[1], revolutions=rest[0])]
        assert round_of(play).spin.sightings == seen
    if became == "waits":
        play.by(play.dealer, ConfirmResult(TABLE, P17))
        assert outcome(play) == "paid"
        play.check()


#: What was seen first, what is then reported at rest, and the irregularity that the dealer may call.
CONTRADICTIONS: Final = [
    ((BallLaunched(TABLE, opposite=True),), BallAtRest(TABLE, P17, 9, opposite=False), Reason.SAME_DIRECTION),
    ((BallLeftTrack(TABLE, 9),), BallAtRest(TABLE, P17, 3, opposite=True), Reason.TOO_FEW_REVOLUTIONS),
    ((BallLeftTrack(TABLE, 5),), BallAtRest(TABLE, P17, 9, opposite=True), Reason.TOO_FEW_REVOLUTIONS),
]


@pytest.mark.parametrize("venue", VENUES)
@pytest.mark.parametrize(("before", "rest", "reason"), CONTRADICTIONS)
def test_dealer_calls_no_spin_on_a_contradiction(
    venue: str, before: tuple[AnyCommand, ...], rest: BallAtRest, reason: Reason
) -> None:
    """A contradiction is told to staff under the clause on it, and the dealer may call the spin off by that clause."""
    play = running(venue)
    report(play, *before, rest)
    clause = NO_SPIN[venue][reason]
    (shown,) = play.house.incidents.all.values()
    assert (shown.kind, shown.clause) == (IncidentKind.SIGHTINGS_DIFFER, clause)
    assert outcome(play) == "waits"

    called = Reason.MALFUNCTION if venue == CLEARWATER else reason
    play.by(play.dealer, CallNoSpin(TABLE, called, "as seen"))
    assert (round_of(play).reason, round_of(play).clause) == (called, clause)
    assert play.credit("T1") + sum(play.layout("T1").values()) == 100
    play.check()


#: Irregularities that a sensor may report while the ball runs.
TROUBLES: Final = (Reason.FOREIGN_OBJECT, Reason.WHEEL_STOPPED, Reason.INTERFERENCE, Reason.BALL_BROKEN)


@pytest.mark.clause("skycity-adelaide-2003", "10(c)")
@pytest.mark.clause("us-double-zero", "Irregularities (3)")
@pytest.mark.clause("marina-bay-sands-2020", "5.4")
@pytest.mark.clause("clearwater-etg", "25")
@pytest.mark.parametrize("reason", TROUBLES)
@pytest.mark.parametrize("venue", VENUES)
def test_irregularity_before_rest_makes_the_number_wait(venue: str, reason: Reason) -> None:
    """What a sensor reports before rest voids the round where its word is enough; elsewhere the number waits."""
    play = running(venue)
    answer = play.must(WheelTrouble(TABLE, reason), WHEEL)
    if any(each.reason is reason and each.sensed for each in play.rulebook.irregularities) or venue == CLEARWATER:
        assert outcome(play) == "void"
        return
    assert [each.reason for each in answer if isinstance(each, IrregularitySeen)] == [reason]
    report(play, BallAtRest(TABLE, P17, 9, opposite=True))
    assert outcome(play) == "waits"
    assert round_of(play).spin.sightings[0] == Sighting(Moment.TROUBLE, reason=reason)

    play.by(play.dealer, ConfirmResult(TABLE, P17))
    assert (outcome(play), play.credit("T1")) == ("paid", 240 if venue == MARINA else 236)
    play.check()


@pytest.mark.clause("skycity-adelaide-2003", "10(c)")
@pytest.mark.clause("us-double-zero", "Irregularities (3)")
@pytest.mark.parametrize("venue", [ADELAIDE, US])
def test_dealer_calls_no_spin_for_an_object_that_was_seen(venue: str) -> None:
    """An object seen before rest is no spin by the venue's clause, also once the number is reported."""
    play = running(venue)
    report(play, WheelTrouble(TABLE, Reason.FOREIGN_OBJECT), BallAtRest(TABLE, P17, 9, opposite=True))
    play.by(play.dealer, CallNoSpin(TABLE, Reason.FOREIGN_OBJECT, "as seen"))
    assert (outcome(play), round_of(play).clause) == ("no spin", NO_SPIN[venue][Reason.FOREIGN_OBJECT])


@pytest.mark.parametrize("venue", [MARINA, ADELAIDE, US])
def test_object_before_the_launch_makes_the_number_wait(venue: str) -> None:
    """An object that is seen before the ball runs is in the wheel before rest too."""
    play = Play(venue)
    play.open()
    report(play, WheelTrouble(TABLE, Reason.FOREIGN_OBJECT))
    play.close()
    if play.table.phase is Phase.CLOSED:
        play.spin()
    report(play, BallAtRest(TABLE, P17, 9, opposite=True))
    assert outcome(play) == "waits"


@pytest.mark.clause("marina-bay-sands-2020", "5.4")
def test_object_after_rest_changes_nothing() -> None:
    """An object that is seen once the ball rests is told to staff, and is no sighting of the spin."""
    play = running(MARINA, confirms=True)
    report(play, BallAtRest(TABLE, P17, 9, opposite=True), WheelTrouble(TABLE, Reason.FOREIGN_OBJECT))
    assert [each.moment for each in round_of(play).spin.sightings] == [Moment.REST]
    assert [each.kind for each in play.house.incidents.all.values()] == [IncidentKind.WHEEL_TROUBLE]


@pytest.mark.parametrize("venue", VENUES)
def test_object_seen_during_a_referral_stands_when_the_round_goes_on(venue: str) -> None:
    """What is seen while nobody may act is kept: once the round goes on, its number waits for the dealer."""
    play = running(venue)
    play.by(play.dealer, ReferRound(TABLE, "a doubt"))
    report(play, WheelTrouble(TABLE, Reason.FOREIGN_OBJECT))
    decider = play.rulebook.staff.order[-1].lower()
    play.by(decider, DecideReferral(TABLE, ReferralDecision.GO_ON, "it may go on"))
    report(play, BallAtRest(TABLE, P17, 9, opposite=True))
    assert outcome(play) == "waits"


@pytest.mark.parametrize("venue", [ADELAIDE, US])
def test_rotor_that_stood_still_at_the_launch_makes_the_number_wait(venue: str) -> None:
    """Where no clause names a rotor that stands still, the number waits for the dealer all the same."""
    play = running(venue)
    report(play, BallLaunched(TABLE, opposite=True, turning=False), BallAtRest(TABLE, P17, 9, opposite=True))
    assert outcome(play) == "waits"
    (launch, _) = round_of(play).spin.sightings
    assert (launch.moment, seen_text(launch)) == (Moment.LAUNCH, "against the rotor, rotor not turning")


@pytest.mark.parametrize("first", [True, False])
def test_second_launch_that_says_something_else_is_kept(first: bool) -> None:  # noqa: FBT001 - a table of two
    """Two launch reports that contradict each other both stand, and a third that repeats one adds nothing."""
    play = running(ADELAIDE)
    report(play, BallLaunched(TABLE, first), BallLaunched(TABLE, not first))
    assert play.must(BallLaunched(TABLE, first), WHEEL) == ()
    assert [each.opposite for each in round_of(play).spin.sightings] == [first, not first]
    report(play, BallAtRest(TABLE, P17, 9))
    assert outcome(play) == "waits"
    assert play.must(BallLaunched(TABLE, first), WHEEL) == ()


def test_second_launch_may_add_that_the_rotor_stood_still() -> None:
    """A launch report that adds what the first did not say is kept."""
    play = running(ADELAIDE)
    report(play, BallLaunched(TABLE, opposite=True), BallLaunched(TABLE, opposite=True, turning=False))
    assert [(each.opposite, each.turning) for each in round_of(play).spin.sightings] == [(True, None), (True, False)]


@pytest.mark.parametrize(
    ("again", "became"),
    [
        (BallAtRest(TABLE, P17, 9, opposite=False), "waits"),
        (BallAtRest(TABLE, P17, 2, opposite=True), "waits"),
        (BallAtRest(TABLE, P17, 9, opposite=True), "waits"),
    ],
)
def test_second_report_of_a_waiting_number_is_kept_where_it_differs(again: BallAtRest, became: str) -> None:
    """While the dealer's word is missing, a second report adds what it contradicts; the same again is ignored."""
    play = running(ADELAIDE, confirms=True)
    report(play, BallAtRest(TABLE, P17, 9, opposite=True))
    (answer, *shown) = play.must(again, WHEEL)
    same = (again.revolutions, again.opposite) == (9, True)
    assert isinstance(answer, ReportIgnored if same else BallRested)
    assert len(shown) == (not same)
    assert len(round_of(play).spin.sightings) == (1 if same else 2)
    assert outcome(play) == became


def test_second_report_may_show_that_the_spin_does_not_count() -> None:
    """A number that waits unseen is no spin once the wheel adds that the ball made two turns."""
    play = running(ADELAIDE)
    report(play, BallAtRest(TABLE, P17), BallAtRest(TABLE, P17, 2, opposite=True))
    assert (outcome(play), round_of(play).clause) == ("no spin", "9(b)")


@pytest.mark.parametrize("venue", VENUES)
@pytest.mark.parametrize("verdict", ReferralDecision)
def test_doubtful_draw_of_a_random_wheel_is_referred(venue: str, verdict: ReferralDecision) -> None:
    """Nobody confirms a number that nobody may know: contradictory reports of a random wheel are for a referral."""
    play = running(venue, wheel=WheelKind.RANDOM)
    report(play, BallLaunched(TABLE, opposite=True), BallAtRest(TABLE, P17, None, opposite=False))
    assert (play.table.phase, round_of(play).spin.reported) == (Phase.SUSPENDED, P17)
    assert not any("17" in incident_text(each) for each in play.house.incidents.all.values())

    play.by(play.rulebook.staff.order[-1].lower(), DecideReferral(TABLE, verdict, "looked into"))
    assert outcome(play) == ("void" if verdict is ReferralDecision.VOID else "paid")
    play.check()


def test_random_wheel_that_reports_trouble_before_its_draw_is_referred() -> None:
    """A draw after a malfunction that the wheel reported itself is for a referral, and nothing contradicts it."""
    play = running(ADELAIDE, wheel=WheelKind.RANDOM)
    report(play, WheelTrouble(TABLE, Reason.MALFUNCTION), BallAtRest(TABLE, P17))
    assert play.table.phase is Phase.SUSPENDED
    assert [each.kind for each in play.house.incidents.all.values()] == [IncidentKind.WHEEL_TROUBLE]


def test_two_people_attest_another_number_after_a_contradiction() -> None:
    """A dealer cannot replace a doubtful number by another one alone."""
    play = running(MARINA)
    report(play, BallLaunched(TABLE, opposite=True), BallAtRest(TABLE, P17, 9, opposite=False))
    assert refused(play.by("dealer", ConfirmResult(TABLE, Pocket("18")))) == ("numbers_differ", "3.8")
    assert outcome(play) == "waits"


@pytest.mark.parametrize("venue", VENUES)
@pytest.mark.parametrize("agrees", [True, False])
def test_sensor_and_dealer_must_agree(venue: str, *, agrees: bool) -> None:
    """Where wheel and dealer have different numbers nothing is paid: they agree, or two others attest the number."""
    play = running(venue, confirms=True)
    dealer, corrector = (play.rulebook.staff.titles_for(duty)[0] for duty in (Duty.DEAL, Duty.CORRECT))
    play.enrol(corrector, "second")
    play.rest("16", 5, opposite=True)
    assert refused(play.by(dealer.lower(), ConfirmResult(TABLE, P17)))[0] == "numbers_differ"
    assert (play.table.phase, play.credit("T1")) == (Phase.AT_REST, 96)
    if agrees:
        assert isinstance(play.by(dealer.lower(), ConfirmResult(TABLE, Pocket("16"))), tuple)
    else:
        assert isinstance(play.by(corrector.lower(), AttestResult(TABLE, P17, "the ball lies in 17")), tuple)
        assert (play.table.phase, play.credit("T1")) == (Phase.AT_REST, 96)
        assert isinstance(play.by("second", Approve(Number(1))), tuple)
    assert play.table.numbers == ((Pocket("16"),) if agrees else (P17,))
    assert play.credit("T1") + sum(play.layout("T1").values()) == (96 if agrees else 96 + 4 * 36)
    play.check()


def test_every_sighting_is_in_the_events() -> None:
    """The journal holds each sighting as its sensor reported it."""
    play = running(ADELAIDE)
    report(
        play,
        BallLaunched(TABLE, opposite=False, turning=True),
        BallLeftTrack(TABLE, 2),
        WheelTrouble(TABLE, Reason.FOREIGN_OBJECT),
        BallAtRest(TABLE, P17, 9, opposite=True),
    )
    spun = [each for each in play.events if isinstance(each, BallSpun)][-1]
    (fell,) = (each for each in play.events if isinstance(each, BallFell))
    (trouble,) = (each for each in play.events if isinstance(each, IrregularitySeen))
    (rested,) = (each for each in play.events if isinstance(each, BallRested))
    assert (spun.opposite, spun.turning, fell.revolutions) == (False, True, 2)
    assert (trouble.reason, trouble.clause) == (Reason.FOREIGN_OBJECT, "10(c)")
    assert (rested.revolutions, rested.opposite) == (9, True)
    assert [(each.moment, each.reason, seen_text(each)) for each in round_of(play).spin.sightings] == [
        (Moment.LAUNCH, None, "with the rotor, rotor turning"),
        (Moment.FALL, None, "2 revolutions"),
        (Moment.TROUBLE, Reason.FOREIGN_OBJECT, ""),
        (Moment.REST, None, "9 revolutions, against the rotor"),
    ]


def test_declared_number_says_what_was_seen_at_rest() -> None:
    """A number that is paid at once carries what the wheel saw; the next spin of the round begins without sightings."""
    play = running(ADELAIDE)
    report(play, BallLaunched(TABLE, opposite=False))
    play.by("dealer", CallNoSpin(TABLE, Reason.SAME_DIRECTION, "as seen"))
    assert round_of(play).spin.sightings
    play.by("dealer", ResetTerminals(TABLE))
    play.close()
    play.spin()
    assert round_of(play).spin.sightings == []
    answer = play.must(BallAtRest(TABLE, P17, 9, opposite=True), WHEEL)
    (declared,) = (each for each in answer if isinstance(each, ResultDeclared))
    assert (declared.revolutions, declared.opposite) == (9, True)


def test_dealer_cannot_confirm_a_spin_that_all_sensors_saw_go_wrong() -> None:
    """Where every sighting agrees that the spin was invalid, a word does not make it good."""
    play = running(ADELAIDE, confirms=True)
    play.by("dealer", ReferRound(TABLE, "a doubt"))
    report(play, BallLaunched(TABLE, opposite=False), BallAtRest(TABLE, P17, 9, opposite=False))
    play.by("shift manager", DecideReferral(TABLE, ReferralDecision.GO_ON, "on"))
    refusal = play.by("dealer", ConfirmResult(TABLE, P17))
    assert isinstance(refusal, Refusal)
    assert refusal.clause == "10(a)"


CALLED_OFF: Final = """\
rulebook  marina-bay-sands-2020
seat 1    credit 100

20:00:00  dealer   opens bets
20:00:05  seat 1   10 on 17
20:00:20  dealer   no more bets
20:00:26  wheel    launches the ball with the wheel  void 5.1  incident wheel-trouble 5.1
20:00:27  dealer   opens bets
20:00:28  seat 1   10 on 17
{late}
20:00:35  seat 1   5 on red
20:00:50  dealer   no more bets
20:00:56  wheel    launches the ball
20:01:20  wheel    17 after 9 revolutions
pays      seat 1   360  credit 445
"""


@pytest.mark.parametrize(
    "late",
    [
        "20:00:30  wheel    trouble ball out of wheel  incident wheel-trouble 5.6",
        "20:00:30  wheel    ball leaves the track after 2 revolutions",
        "20:00:30  wheel    ball leaves the track after 9 revolutions",
    ],
)
def test_ball_whose_spin_was_called_off_is_no_part_of_the_next(late: str) -> None:
    """Whatever becomes of a ball that still runs, the next round takes bets, and its clean spin counts at once."""
    played = run_round(CALLED_OFF.format(late=late))

    assert isinstance(played, TranscriptResult)
    assert played.holds, played


def test_ball_called_off_in_the_round_is_no_part_of_its_next_spin() -> None:
    """At the US table the fall of the ball that was called off neither closes betting nor contradicts the next spin."""
    played = run_round(RESPUN)

    assert isinstance(played, TranscriptResult)
    assert played.holds, played


RESPUN: Final = """\
rulebook  us-double-zero
seat 1    chips 20

18:00:00  dealer   opens bets
18:00:05  seat 1   4 on 17
18:00:14  wheel    launches the ball
18:00:20  dealer   no more bets
18:00:24  dealer   no spin foreign object  no-spin Irregularities (3)
18:00:26  wheel    ball leaves the track after 2 revolutions
18:00:27  seat 1   1 on red
18:00:28  wheel    5 after 2 revolutions  ignored 5
18:00:44  wheel    launches the ball
18:00:50  dealer   no more bets
18:01:00  wheel    17 after 9 revolutions
pays      seat 1   140
"""
