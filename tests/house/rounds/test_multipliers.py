"""Rounds with multipliers: the draw between the seal and the spin, its proof, and a stop at every step."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import islice

import pytest

from croupier.cli.prove import FoundDraw, draw_record, find_draw
from croupier.devices.random_wheel import CLOSE_TO_DRAW, DRAW_TO_LAUNCH, RandomWheel, SourceMonitor
from croupier.house.floor.signatures import Approve, ProposalMade
from croupier.house.ids import SECOND, Instant, RoundNumber, TerminalId
from croupier.house.rounds.closing import CloseBets
from croupier.house.rounds.corrections import CorrectResult
from croupier.house.rounds.draws import AbandonDraw, CommitDraw, CommitShare, RevealShare, drawn_spin
from croupier.house.rounds.irregularities import CallNoSpin, ResetTerminals, RoundVoided, SpinVoided, WheelTrouble
from croupier.house.rounds.multipliers import DrawMultiples, MultiplesDrawn
from croupier.house.rounds.opening import OpenBets
from croupier.house.rounds.recovery import Recover, RoundInterrupted
from croupier.house.rounds.results import BallAtRest, BallRested, ConfirmResult, EnterResult
from croupier.house.rounds.settlement import ResultDeclared, RoundSettled
from croupier.house.rounds.spinning import BallLaunched, SpinBall
from croupier.house.settings import TableSettings, WheelKind
from croupier.house.state.tables import Phase
from croupier.protocol.outbound import DrawState
from croupier.rules.geometry import Pocket
from croupier.rules.procedure import Reason
from croupier.rules.proofs import DrawRecord, Party, commitment, drawn_multiples, drawn_pocket
from croupier.server.events import event_sentence
from croupier.server.views.floor import exposure
from croupier.server.views.table import draw_state, table_view
from croupier.transcripts.driver import TABLE
from tests.house.rounds.test_draws import OTHER, SECRET, SHARE, WHEEL, Bytes, Floor, by_house, by_player, code_of
from tests.support.house_driver import P1

GAME = "generic-multiplier"
PROVEN = TableSettings(wheel=WheelKind.RANDOM, provable=True, warning_s=0)
RANDOM = TableSettings(wheel=WheelKind.RANDOM, warning_s=0)
SENSOR = TableSettings(warning_s=0)
KEYPAD = TableSettings(wheel=WheelKind.KEYPAD, warning_s=0)
DRAWN = {Pocket("17"): 250, Pocket("0"): 60, Pocket("5"): 100}
ANOTHER = {Pocket("18"): 60, Pocket("0"): 60, Pocket("5"): 100}
DRAW = DrawMultiples(TABLE, DRAWN)


def sealed(settings: TableSettings = SENSOR) -> Floor:
    """Bets on 17, 18 and red are sealed at a table whose multiples are not drawn yet."""
    floor = Floor(GAME, settings)
    floor.open()
    floor.bet("T1", "5 on 17; 5 on 18; 10 on red")
    floor.must(CloseBets(TABLE))
    assert floor.table.phase is Phase.CLOSED
    return floor


def test_drawn_number_pays_its_multiple() -> None:
    """The straight up on a drawn number is paid its multiple, and the journal says what was drawn."""
    floor = sealed()
    (drawn,) = floor.must(DRAW, WHEEL)
    assert isinstance(drawn, MultiplesDrawn)
    assert event_sentence(drawn, drawn=False) == "The multiples were drawn: 17 x250, 0 x60, 5 x100."
    assert drawn.clause == "4.4"
    floor.must(BallLaunched(TABLE, opposite=True, turning=True), WHEEL)
    events = floor.must(BallAtRest(TABLE, Pocket("17"), 5, opposite=True), WHEEL)
    assert [type(each) for each in events] == [ResultDeclared, RoundSettled]
    assert floor.table.playing.paid == {P1: 500 * 251}


@pytest.mark.parametrize(
    ("multiples", "code"),
    [
        ({Pocket("17"): 250}, "malformed"),
        ({**DRAWN, Pocket("17"): 251}, "malformed"),
        ({**DRAWN, Pocket("00"): 60}, "malformed"),
    ],
)
def test_draw_that_the_rules_do_not_have_is_refused(multiples: dict[Pocket, int], code: str) -> None:
    """A source that reports another count, multiple or number than the rules have draws nothing."""
    assert code_of(sealed().wheel(DrawMultiples(TABLE, multiples))) == code


def test_multiples_are_drawn_once_and_in_their_turn() -> None:
    """Multiples are drawn for sealed bets alone, once, by the house's source alone, and where the rules have them."""
    floor = Floor(GAME, SENSOR)
    floor.open()
    assert code_of(floor.wheel(DRAW)) == "out_of_turn"
    floor = sealed()
    assert code_of(floor.by("dealer", DRAW)) == "not_authorised"
    floor.must(DRAW, WHEEL)
    assert code_of(floor.wheel(DrawMultiples(TABLE, ANOTHER))) == "already_there"
    floor.must(BallLaunched(TABLE, opposite=True, turning=True), WHEEL)
    assert code_of(floor.wheel(DrawMultiples(TABLE, ANOTHER))) == "out_of_turn"
    plain = Floor("generic-european", SENSOR)
    plain.open()
    plain.must(CloseBets(TABLE))
    assert code_of(plain.wheel(DRAW)) == "setting_impossible"


def test_no_spin_and_no_number_counts_before_the_draw() -> None:
    """Before the draw a dealer spins no ball, and a number that a wheel reports is ignored."""
    floor = sealed(KEYPAD)
    assert code_of(floor.by("dealer", SpinBall(TABLE))) == "out_of_turn"
    assert code_of(floor.by("dealer", ConfirmResult(TABLE, Pocket("17")))) == "out_of_turn"
    floor.must(DRAW, WHEEL)
    assert isinstance(floor.by("dealer", SpinBall(TABLE)), tuple)
    settled = floor.by("dealer", ConfirmResult(TABLE, Pocket("17")))
    assert isinstance(settled, tuple)
    assert floor.table.playing.paid == {P1: 500 * 251}


def test_number_that_is_entered_by_hand_pays_the_multiple() -> None:
    """A number that was not displayed is entered by hand, and paid by the draw."""
    floor = sealed()
    floor.must(DRAW, WHEEL)
    floor.by("dealer", SpinBall(TABLE))
    entered = floor.by("dealer", EnterResult(TABLE, Pocket("17"), Pocket("17")))
    assert isinstance(entered, tuple)
    assert floor.table.playing.paid == {P1: 500 * 251}


def test_correction_keeps_the_multiples() -> None:
    """A corrected number is paid by the multiples of its spin, to it and from it, whatever was drawn since."""
    floor = sealed()
    floor.must(DRAW, WHEEL)
    floor.must(BallLaunched(TABLE, opposite=True, turning=True), WHEEL)
    floor.must(BallAtRest(TABLE, Pocket("18"), 5, opposite=True), WHEEL)
    assert floor.table.playing.paid == {P1: 500 * 28 + 2_000}
    floor.must(OpenBets(TABLE))
    floor.must(CloseBets(TABLE))
    floor.must(DrawMultiples(TABLE, ANOTHER), WHEEL)
    for pocket, paid in (("17", 500 * 251), ("18", 500 * 28 + 2_000), ("1", 2_000), ("17", 500 * 251)):
        proposed = floor.by("pit boss", CorrectResult(TABLE, RoundNumber(1), Pocket(pocket), "Read again."))
        assert isinstance(proposed, tuple)
        (made,) = proposed
        assert isinstance(made, ProposalMade)
        assert isinstance(floor.by("shift manager", Approve(made.proposal)), tuple)
        assert floor.table.named_round(RoundNumber(1)).paid == {P1: paid}


def test_no_spin_ends_the_draw() -> None:
    """After a no spin the round has another draw: the multiples of the spin that does not count are gone."""
    floor = sealed()
    floor.must(DRAW, WHEEL)
    floor.by("dealer", SpinBall(TABLE))
    (voided,) = floor.by("dealer", CallNoSpin(TABLE, Reason.FOREIGN_OBJECT, "a coin"))  # type: ignore[misc]
    assert isinstance(voided, SpinVoided)
    floor.by("dealer", ResetTerminals(TABLE))
    assert not floor.table.playing.multiples
    floor.bet("T1", "5 on 17")
    floor.must(CloseBets(TABLE))
    assert code_of(floor.by("dealer", SpinBall(TABLE))) == "out_of_turn"
    floor.must(DrawMultiples(TABLE, ANOTHER), WHEEL)
    assert floor.table.playing.multiples == ANOTHER


def test_drawn_multiples_are_called_off_in_words_alone() -> None:
    """Who has seen the multiples knows whose stakes are worth less now, and says what was irregular about the spin."""
    floor = sealed()
    floor.must(DRAW, WHEEL)
    assert code_of(floor.by("dealer", CallNoSpin(TABLE, Reason.FOREIGN_OBJECT, " "))) == "reason_not_listed"
    floor.by("dealer", CallNoSpin(TABLE, Reason.FOREIGN_OBJECT, "a coin"))
    assert floor.table.phase is Phase.NO_SPIN


def test_ball_that_runs_before_the_draw_cannot_count() -> None:
    """A launch before the draw suspends the round, nothing is drawn any more, and the spin can only be void."""
    floor = sealed()
    events = floor.must(BallLaunched(TABLE, opposite=True, turning=True), WHEEL)
    assert floor.table.phase is Phase.SUSPENDED
    assert [type(each).__name__ for each in events] == ["RoundSuspended", "IncidentRaised", "BallSpun"]
    assert code_of(floor.wheel(DRAW)) == "round_suspended"


#: A round, step by step; and what a stop after so many of the steps leaves of it.
STEPS = ("open", "bet", "seal", "draw", "spin", "number")
STOPPED = {
    "open": "void",
    "bet": "void",
    "seal": "void",
    "draw": "interrupted",
    "spin": "interrupted",
    "number": "settled",
}


@pytest.mark.parametrize("last", STEPS)
@pytest.mark.parametrize("settings", [SENSOR, KEYPAD, RANDOM], ids=["sensor", "keypad", "random"])
def test_stop_after_each_step(settings: TableSettings, last: str) -> None:
    """After a stop nothing is drawn again: before the draw the round is void or open, after it the multiples stand."""
    floor = Floor(GAME, settings)
    does: dict[str, Callable[[], object]] = {
        "open": floor.open,
        "bet": lambda: floor.bet("T1", "5 on 17; 10 on red"),
        "seal": lambda: floor.must(CloseBets(TABLE)),
        "draw": lambda: floor.must(DRAW, WHEEL),
        "spin": lambda: floor.must(BallLaunched(TABLE, opposite=True, turning=True), WHEEL),
        "number": lambda: floor.must(BallAtRest(TABLE, Pocket("17"), 5, opposite=True), WHEEL),
    }
    for step in STEPS[: STEPS.index(last) + 1]:
        does[step]()
    floor.check()
    drawn, credit = floor.table.playing.multiples, floor.house.terminals[SEAT].credit
    events = floor.must(Recover())
    round_ = floor.table.playing
    assert round_.multiples == drawn
    found = {RoundVoided: "void", RoundInterrupted: "interrupted"}
    state = next((found[type(each)] for each in events if type(each) in found), round_.status.value)
    # A random wheel may have drawn the number, and never draws twice for one round. A keypad reports no number.
    assert state == ("void" if settings is RANDOM and last != "number" else STOPPED[last])
    if state == "void":
        assert floor.house.terminals[SEAT].credit == 10_000
        assert code_of(floor.wheel(DRAW)) == "out_of_turn"
    elif last in ("draw", "spin"):
        assert code_of(floor.wheel(DrawMultiples(TABLE, ANOTHER))) in ("already_there", "out_of_turn")
        assert floor.house.terminals[SEAT].credit == credit
    floor.check()


SEAT = TerminalId("T1")


def test_wheel_of_the_house_draws_multiples_and_then_the_number() -> None:
    """A random wheel draws the multiples after the seal, waits until players have seen them, and then spins."""
    floor = sealed(RANDOM)
    wheel = RandomWheel(TABLE, 9, SourceMonitor(Bytes(), at=Instant(0)))
    closed = floor.now
    seen = list(islice(acts(floor, wheel), 3))
    assert [name for name, _ in seen] == ["DrawMultiples", "BallLaunched", "BallAtRest"]
    assert seen[0][1] == closed + CLOSE_TO_DRAW
    assert seen[1][1] == closed + CLOSE_TO_DRAW + DRAW_TO_LAUNCH
    assert len(floor.table.playing.multiples) in (3, 4, 5)


@pytest.mark.parametrize("settings", [SENSOR, KEYPAD], ids=["sensor", "keypad"])
def test_source_of_the_house_draws_at_a_wheel_of_a_dealer(settings: TableSettings) -> None:
    """At a table whose ball a dealer spins, the house draws the multiples, and neither spins nor names a number."""
    floor = sealed(settings)
    wheel = RandomWheel(TABLE, 9, SourceMonitor(Bytes(), at=Instant(0)))
    seen = list(islice(acts(floor, wheel), 3))
    assert [name for name, _ in seen] == ["DrawMultiples"]
    assert floor.table.phase is Phase.CLOSED


def test_report_that_was_lost_is_repeated_and_not_drawn_again() -> None:
    """If the report of a draw was not recorded, the source reports the same draw again."""
    floor = sealed()
    wheel = RandomWheel(TABLE, 9, SourceMonitor(Bytes(), at=Instant(0)))
    floor.at(9)
    first = wheel.act(floor.house, floor.now)
    assert isinstance(first, DrawMultiples)
    assert wheel.act(floor.house, floor.now) == first
    floor.must(first, WHEEL)
    assert wheel.act(floor.house, floor.now) is None


def test_source_that_fails_draws_nothing() -> None:
    """A source that gives no usable bytes is reported, and the bets stay sealed without multiples."""
    floor = sealed()
    wheel = RandomWheel(TABLE, 9, SourceMonitor(lambda count: b"\xff" * count, at=Instant(0)))
    floor.at(9)
    assert wheel.act(floor.house, floor.now) == WheelTrouble(TABLE, Reason.MALFUNCTION)
    assert wheel.watch.ailment
    assert not floor.table.playing.multiples


def acts(floor: Floor, wheel: RandomWheel) -> Iterator[tuple[str, Instant]]:
    """Let a wheel act whenever it is due, within a minute; name what it reports, and when."""
    until = floor.now + 60 * SECOND
    while (due := wheel.due(floor.house)) is not None and due < until:
        floor.advance(max(due, floor.now))
        command = wheel.act(floor.house, floor.now)
        if command is not None:
            floor.wheel(command)
            yield type(command).__name__, floor.now


def proven(secret: str = SECRET) -> tuple[Floor, dict[Pocket, int]]:
    """A round whose draw is proven is sealed with the share of a player; and the multiples that follow."""
    floor = Floor(GAME, PROVEN)
    floor.open()
    floor.must(CommitDraw(TABLE, by_house(secret, drawn_spin(floor.table))), WHEEL)
    floor.commits("T1", SHARE)
    floor.bet("T1", "5 on 17")
    floor.must(CloseBets(TABLE))
    floor.touch("T1", RevealShare, SHARE)
    drawn = floor.rulebook.paytable.multipliers
    assert drawn is not None
    shares = {P1: SHARE}
    return floor, drawn_multiples(drawn, floor.rulebook.wheel.order, drawn_spin(floor.table), secret, shares)


def spun(floor: Floor, secret: str = SECRET) -> object:
    floor.must(BallLaunched(TABLE), WHEEL)
    pocket = drawn_pocket(floor.rulebook.wheel.order, drawn_spin(floor.table), secret, {P1: SHARE})
    return floor.wheel(BallAtRest(TABLE, pocket, secret=secret))


def test_multiples_are_proven_with_the_number() -> None:
    """Multiples that follow from the committed secret and the shares are proven by record and by journal."""
    floor, multiples = proven()
    floor.must(DrawMultiples(TABLE, multiples), WHEEL)
    events = spun(floor)
    assert isinstance(events, tuple)
    assert [type(each).__name__ for each in events][:2] == ["DrawProven", "ResultDeclared"]
    state = draw_state(floor.table)
    assert state is not None
    assert state.multiples == multiples == table_view(floor.house, TABLE, "", None).multiples
    record = draw_record(state)
    assert isinstance(record, DrawRecord)
    assert list(record.problems()) == []
    found = find_draw(list(enumerate(floor.events)), TABLE, RoundNumber(1))
    assert isinstance(found, FoundDraw)
    assert found.state == state
    assert list(found.problems(10_000)) == []
    forged = DrawState(**{**{name: getattr(state, name) for name in state.__struct_fields__}, "multiples": {}})
    other = draw_record(forged)
    assert isinstance(other, DrawRecord)
    assert any("multiples that follow" in says for says in other.problems())


def test_multiples_that_do_not_follow_pay_nothing() -> None:
    """If the multiples of a proven draw do not follow from the secret, its number is a malfunction."""
    floor, multiples = proven()
    drawn = DRAWN if multiples != DRAWN else ANOTHER
    floor.must(DrawMultiples(TABLE, drawn), WHEEL)
    events = spun(floor)
    assert isinstance(events, tuple)
    assert not any(isinstance(each, ResultDeclared | BallRested) for each in events)
    assert floor.table.playing.pocket is None


def test_wheel_proves_multiples_and_number_from_one_secret() -> None:
    """A random wheel takes multiples and number from its committed secret, with all shares before the multiples."""
    floor = Floor(GAME, PROVEN)
    wheel = RandomWheel(TABLE, 9, SourceMonitor(Bytes(), at=Instant(0)))
    floor.open()
    assert [name for name, _ in islice(acts(floor, wheel), 1)] == ["CommitDraw"]
    floor.commits("T1", SHARE)
    floor.must(CloseBets(TABLE))
    floor.touch("T1", RevealShare, SHARE)
    assert [name for name, _ in islice(acts(floor, wheel), 3)] == ["DrawMultiples", "BallLaunched", "BallAtRest"]
    state = draw_state(floor.table)
    assert state is not None
    record = draw_record(state)
    assert isinstance(record, DrawRecord)
    assert list(record.problems()) == []


def test_share_that_is_withheld_ends_the_spin_before_the_multiples() -> None:
    """A player who does not reveal a share before the multiples are due learns none of them, and adds none again."""
    floor = Floor(GAME, PROVEN)
    wheel = RandomWheel(TABLE, 9, SourceMonitor(Bytes(), at=Instant(0)))
    floor.open()
    list(islice(acts(floor, wheel), 1))
    floor.commits("T1", SHARE)
    floor.must(CloseBets(TABLE))
    assert [name for name, _ in islice(acts(floor, wheel), 1)] == ["AbandonDraw"]
    assert not floor.table.playing.multiples
    assert P1 in floor.table.withheld


def test_draw_is_not_abandoned_before_it_is_due() -> None:
    """Where no multiples are drawn, a share may be revealed until the ball is due: the draw is not abandoned before."""
    floor = Floor("generic-european", TableSettings(wheel=WheelKind.RANDOM, provable=True, warning_s=0))
    floor.open()
    floor.must(CommitDraw(TABLE, by_house(SECRET, drawn_spin(floor.table))), WHEEL)
    floor.touch("T1", CommitShare, by_player(OTHER, drawn_spin(floor.table)))
    floor.must(CloseBets(TABLE))
    assert code_of(floor.wheel(AbandonDraw(TABLE))) == "out_of_turn"


def test_commitment_is_of_one_spin() -> None:
    """A secret that is committed to for a spin proves no multiples of another."""
    spin = drawn_spin(sealed().table)
    assert commitment(spin, Party.HOUSE, SECRET) != commitment(spin._replace(spin=2), Party.HOUSE, SECRET)


def test_exposure_is_the_worst_case() -> None:
    """Before the draw the house stands to lose the highest multiple on each number, after it what was drawn."""
    floor = sealed()
    before = exposure(floor.house, floor.table)
    assert before.returns[Pocket("17")] == 500 * 501
    assert before.returns[Pocket("1")] == 2_000
    floor.must(DRAW, WHEEL)
    after = exposure(floor.house, floor.table)
    assert after.returns[Pocket("17")] == 500 * 251
    assert after.returns[Pocket("18")] == 500 * 28 + 2_000


def test_theoretical_win_is_that_of_the_draw() -> None:
    """The expected win of a settled round is that by the odds of its draw, exactly."""
    floor = sealed()
    floor.must(DRAW, WHEEL)
    floor.must(BallLaunched(TABLE, opposite=True, turning=True), WHEEL)
    floor.must(BallAtRest(TABLE, Pocket("1"), 5, opposite=True), WHEEL)
    meters = floor.table.meters
    returns = 500 * 251 + 500 * 28 + 18 * 2_000
    assert Fraction(meters.brings[37], 37) == Fraction(returns, 37)
