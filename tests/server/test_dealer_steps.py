"""The dealer's steps: at every venue and wheel exactly one is next, and what is offered the house would do."""

from collections.abc import Callable

import msgspec
import pytest

from croupier.house import AnyCommand, decide
from croupier.house.declare import Event
from croupier.house.floor.incidents import IncidentFacts, IncidentKind, RaiseAlarm
from croupier.house.floor.service import CloseTable, NotifyOfficer
from croupier.house.floor.settings import ChangeSettings
from croupier.house.floor.signatures import Approve
from croupier.house.ids import SECOND, Context, DeviceId, DeviceKind, Instant, Number, PersonId, RoundNumber
from croupier.house.rounds.closing import CloseBets
from croupier.house.rounds.irregularities import CallNoSpin, IrregularitySeen
from croupier.house.rounds.referrals import ReferRound
from croupier.house.rounds.results import BallAtRest, BallRested
from croupier.house.rounds.spinning import BallFell, BallLaunched, BallLeftTrack, BallSpun
from croupier.house.settings import LimitBounds, LimitSettings, TableSettings, WheelKind
from croupier.house.state.tables import Phase, StepName
from croupier.house.views import below_minimum
from croupier.protocol.staff import FloorTable, SightingRow, StepActor, StepRow
from croupier.rules.geometry import Pocket
from croupier.rules.money import Cents
from croupier.rules.procedure import Reason
from croupier.rules.refusal import ClauseId
from croupier.server.events import event_sentence
from croupier.server.views.floor import floor
from croupier.server.views.table import safe_to_spin, steps
from croupier.transcripts.driver import device_of
from tests.support.house_driver import TABLE, Play
from tests.support.sample_commands import ADELAIDE, CLEARWATER, MARINA, ORDER, US

SETTINGS = {
    "by hand": TableSettings(),
    "confirmed": TableSettings(confirms=True),
    "typed": TableSettings(wheel=WheelKind.KEYPAD),
    "timed": TableSettings(betting_s=20, pause_s=5, warning_s=5),
    "drawn": TableSettings(wheel=WheelKind.RANDOM, betting_s=20),
    "no warning": TableSettings(warning_s=0),
}


def named(floor: Play) -> list[str]:
    """The steps in their order, the next in capitals, each with who takes it."""
    rows = steps(floor.house, floor.table)
    assert sum(row.next for row in rows) == 1
    return [f"{row.step.upper() if row.next else row.step}:{row.by}" for row in rows]


def next_of(floor: Play) -> StepRow:
    return next(row for row in steps(floor.house, floor.table) if row.next)


def filled(row: StepRow) -> AnyCommand:
    """What is offered, with what it asks for filled in."""
    assert isinstance(row.command, msgspec.Struct)
    return msgspec.structs.replace(row.command, **dict.fromkeys(row.asks, Pocket("17")))  # type: ignore[return-value]


def offered_is_taken(floor: Play) -> None:
    """Assert that the house would do all that is offered."""
    context = Context(floor.now, device_of(floor.dealer), PersonId(floor.dealer))
    for row in steps(floor.house, floor.table):
        if row.command is not None:
            answer = decide(floor.house, filled(row), context)
            assert isinstance(answer, tuple), (row.step, answer)


def go_on(floor: Play) -> None:
    """Do what is next, by whoever does it."""
    row, wheel = next_of(floor), DeviceId(TABLE)
    if row.by is StepActor.DEALER or row.step is StepName.OPEN:
        done = floor.by(floor.dealer, filled(row))
    elif row.step is StepName.SPIN:
        done = floor.ask(BallLaunched(TABLE, opposite=True, turning=True), wheel)
    elif row.step is StepName.NUMBER:
        done = floor.ask(BallAtRest(TABLE, Pocket("17"), revolutions=9, opposite=True), wheel)
    else:
        assert row.by is StepActor.AUTO
        assert row.due_us is not None
        floor.advance(row.due_us + 1)
        return
    assert isinstance(done, tuple), done


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("rulebook_id", ORDER)
def test_whoever_does_what_is_next_plays_a_round(rulebook_id: str, settings: str) -> None:
    """Doing what is next, step by step, settles a round at every venue; and all that is offered would be done."""
    floor = Play(rulebook_id, SETTINGS[settings])
    floor.seats(T1=100, T2=100)
    shown = [named(floor)]
    floor.by(floor.dealer, filled(next_of(floor)))
    floor.bet("T1", "5 on 17")
    while floor.table.phase is not Phase.BETWEEN:
        offered_is_taken(floor)
        before = next_of(floor).step
        go_on(floor)
        shown.append(named(floor))
        assert next_of(floor).step is not before
        assert len(shown) < 10

    assert floor.table.playing.pocket == "17"
    assert floor.table.meters.rounds == 1


@pytest.mark.parametrize(
    ("rulebook_id", "settings", "wanted"),
    [
        (MARINA, "by hand", "OPEN:dealer close:dealer spin:dealer number:wheel confirm:auto settle:auto"),
        (MARINA, "typed", "OPEN:dealer close:dealer spin:dealer number:dealer settle:auto"),
        (
            ADELAIDE,
            "confirmed",
            "OPEN:dealer warn:dealer close:auto spin:dealer number:wheel confirm:dealer settle:auto",
        ),
        (ADELAIDE, "no warning", "OPEN:dealer close:dealer spin:dealer number:wheel confirm:auto settle:auto"),
        (ADELAIDE, "drawn", "OPEN:dealer warn:auto close:auto spin:wheel number:wheel settle:auto"),
        (CLEARWATER, "timed", "OPEN:auto spin:wheel close:auto number:wheel settle:auto"),
        (CLEARWATER, "confirmed", "OPEN:dealer spin:wheel close:auto number:wheel confirm:dealer settle:auto"),
        (CLEARWATER, "typed", "OPEN:dealer spin:dealer close:auto number:dealer settle:auto"),
        (US, "by hand", "OPEN:dealer spin:dealer close:dealer number:wheel confirm:auto settle:auto"),
    ],
)
def test_steps_are_in_the_order_of_the_rules(rulebook_id: str, settings: str, wanted: str) -> None:
    """Betting closes before the spin, during it, or by itself after the launch, as the venue has it."""
    floor = Play(rulebook_id, SETTINGS[settings])
    floor.seats(T1=100)

    assert named(floor) == wanted.split()


@pytest.mark.clause("skycity-adelaide-2003", "9(c)")
def test_dealer_may_spin_before_the_close() -> None:
    """At Adelaide the spin is offered while bets are open, and once the ball runs the close comes after it."""
    floor = Play(ADELAIDE)
    floor.seats(T1=100)
    floor.open()
    offered = {row.step for row in steps(floor.house, floor.table) if row.command is not None}
    assert offered == {StepName.WARN, StepName.SPIN}
    floor.spin()

    assert named(floor)[:4] == ["open:dealer", "spin:dealer", "WARN:dealer", "close:auto"]
    go_on(floor)
    go_on(floor)
    rows = {row.step: row for row in steps(floor.house, floor.table)}
    assert rows[StepName.SPIN].at_us == 0
    assert rows[StepName.WARN].at_us == 0
    assert rows[StepName.CLOSE].at_us == 5 * SECOND
    assert list(rows)[:4] == [StepName.OPEN, StepName.SPIN, StepName.WARN, StepName.CLOSE]


@pytest.mark.parametrize(
    ("rulebook_id", "said"),
    [
        (MARINA, ("Place your bets, please", "No more bets")),
        (ADELAIDE, ("", "NO MORE BETS")),
        (CLEARWATER, ("", "No more bets")),
        (US, ("", "No More Bets")),
    ],
)
def test_announcements_are_as_the_rules_word_them(rulebook_id: str, said: tuple[str, str]) -> None:
    """Opening and close are announced in the venue's own words, with the clause on each step."""
    floor = Play(rulebook_id)
    rows = {row.step: row for row in steps(floor.house, floor.table)}

    assert (rows[StepName.OPEN].says, rows[StepName.CLOSE].says) == said
    assert rows[StepName.CLOSE].clause == floor.rulebook.procedure.closes.clause
    assert all(row.clause for row in rows.values())


@pytest.mark.clause("skycity-adelaide-2003", "11(d)")
def test_after_a_no_spin_terminals_are_reset_first() -> None:
    """A spin that was called off leaves one thing to do, the reset, after which the round begins anew."""
    floor = Play(ADELAIDE)
    floor.seats(T1=100)
    floor.open()
    floor.close()
    floor.spin()
    floor.by(floor.dealer, CallNoSpin(TABLE, Reason.FOREIGN_OBJECT, "as seen"))

    row = next_of(floor)
    assert (row.step, row.by, row.says, row.clause) == (StepName.RESET, StepActor.DEALER, "No Spin", "11(d)")
    assert not safe_to_spin(floor.table)
    go_on(floor)
    assert next_of(floor).step is StepName.WARN
    assert steps(floor.house, floor.table)[1].at_us is None


@pytest.mark.clause("skycity-adelaide-2003", "10(a)")
def test_spin_that_a_sensor_saw_go_wrong_is_called_off() -> None:
    """Where the rules leave it to the dealer to announce, that is what is next, with the reason that was seen."""
    floor = Play(ADELAIDE)
    floor.open()
    floor.by(floor.dealer, CloseBets(TABLE))
    floor.ask(BallLaunched(TABLE, opposite=False, turning=True), DeviceId(TABLE))

    row = next_of(floor)
    assert (row.step, row.clause) == (StepName.NO_SPIN, "10(a)")
    assert filled(row) == CallNoSpin(TABLE, Reason.SAME_DIRECTION, round=floor.table.rounds, spin=1)
    offered_is_taken(floor)


def test_suspended_round_waits_for_the_pit() -> None:
    """A round that is referred, or suspended for a time, is the pit's to decide, and nothing else is offered."""
    floor = Play(MARINA, TableSettings(decision_s=60))
    floor.open()
    floor.ask(BallLaunched(TABLE, opposite=True, turning=True), DeviceId(TABLE))

    row = next_of(floor)
    assert (row.step, row.by, row.clause, row.due_us) == (StepName.DECIDE, StepActor.PIT, "3.7", 60 * SECOND)
    assert [each.command for each in steps(floor.house, floor.table)] == [None] * 7


def test_interrupted_round_is_attested() -> None:
    """After an interruption with the ball running, two people attest where it lay."""
    floor = Play(ADELAIDE)
    floor.open()
    floor.by(floor.dealer, CloseBets(TABLE))
    floor.spin()
    floor.recover()

    row = next_of(floor)
    assert (row.step, row.by, row.clause) == (StepName.ATTEST, StepActor.PIT, "11(b)ii")


def test_reported_number_is_the_one_to_confirm() -> None:
    """A number that a sensor reported is in the command that confirms it; before that one may be entered twice."""
    floor = Play(MARINA, TableSettings(confirms=True))
    floor.open()
    floor.by(floor.dealer, CloseBets(TABLE))
    assert safe_to_spin(floor.table)
    floor.spin()
    assert not safe_to_spin(floor.table)
    assert next_of(floor).asks == ("pocket", "again")
    floor.rest("29")

    row = next_of(floor)
    assert (row.step, row.by, row.asks) == (StepName.CONFIRM, StepActor.DEALER, ())
    assert msgspec.to_builtins(row.command)["pocket"] == "29"
    number = next(each for each in steps(floor.house, floor.table) if each.step is StepName.NUMBER)
    assert number.at_us is not None
    assert number.command is None


def test_drawn_number_is_not_published_before_it_counts() -> None:
    """What a random wheel drew for a round that is referred leaves no mark on the steps."""
    floor = Play(ADELAIDE, TableSettings(wheel=WheelKind.RANDOM))
    floor.open()
    floor.by(floor.dealer, CloseBets(TABLE))
    floor.ask(BallLaunched(TABLE), DeviceId(TABLE))
    floor.by(floor.dealer, ReferRound(TABLE, "Somebody shouted."))
    before = steps(floor.house, floor.table)
    floor.ask(BallAtRest(TABLE, Pocket("29")), DeviceId(TABLE))

    assert floor.table.playing.spin.reported == "29"
    assert steps(floor.house, floor.table) == before


def closed(floor: Play) -> None:
    floor.by("shift manager", NotifyOfficer(TABLE, "It closes."))
    floor.now = Instant(SECOND)
    floor.by("shift manager", CloseTable(TABLE, "The felt is worn."))


def faulty(floor: Play) -> None:
    floor.must(RaiseAlarm(IncidentKind.MALFUNCTION, TABLE, IncidentFacts("It hangs.")))


@pytest.mark.parametrize(
    ("rulebook_id", "spoil", "clause"),
    [(ADELAIDE, closed, "12(h)"), (CLEARWATER, faulty, None)],
    ids=["closed", "fault"],
)
def test_step_that_cannot_be_taken_says_why(
    rulebook_id: str, spoil: Callable[[Play], None], clause: str | None
) -> None:
    """A round that may not begin yet is not offered, and the step says what it waits for."""
    floor = Play(rulebook_id)
    spoil(floor)

    row = next_of(floor)
    assert (row.step, row.command) == (StepName.OPEN, None)
    assert row.waits is not None
    assert row.waits.clause == clause


def test_coming_round_is_shown_by_the_settings_to_come() -> None:
    """Settings that take effect from the next round are those by which its steps are shown."""
    floor = Play(ADELAIDE)
    floor.seats(T1=100)
    manager, other = "shift manager", floor.enrol("Shift Manager", "another")
    command = ChangeSettings(TABLE, TableSettings(betting_s=20, pause_s=5), "Quicker.")
    floor.by(manager, command)
    floor.by(other, Approve(Number(1)))

    assert named(floor)[:3] == ["OPEN:auto", "warn:auto", "close:auto"]
    assert next_of(floor).due_us == 5 * SECOND


@pytest.mark.clause("clearwater-etg", "14.c")
def test_chips_below_a_minimum_are_marked() -> None:
    """A seat is marked where a spot is under its minimum, and where all its bets together are."""
    limits = LimitSettings(LimitBounds(least=Cents(200)), total=LimitBounds(least=Cents(1_000)))
    floor = Play(CLEARWATER, TableSettings(limits=limits))
    floor.seats(T1=100)
    floor.open()
    terminal = next(iter(floor.house.terminals.values()))
    seat = terminal.games[TABLE].seat
    marked = [below_minimum(seat)]
    for slip in ("3 on 17", "8 on 18", "1 on 19"):
        floor.bet("T1", slip)
        marked.append(below_minimum(seat))

    assert marked == [False, True, False, True]


def test_ball_that_left_the_track_closes_the_order() -> None:
    """A close that was forced without its warning shows the warning as passed, at no time."""
    floor = Play(ADELAIDE)
    floor.seats(T1=100)
    floor.open()
    floor.spin()
    floor.ask(BallLeftTrack(TABLE, revolutions=9), DeviceId(TABLE))

    rows = {row.step: row for row in steps(floor.house, floor.table)}
    assert (rows[StepName.WARN].at_us, rows[StepName.WARN].next) == (None, False)
    assert rows[StepName.NUMBER].next


@pytest.mark.clause("clearwater-etg", "25")
def test_doubtful_number_is_confirmed_where_none_is_otherwise() -> None:
    """At an automatic wheel the attendant is led to confirm a number only where its sensors contradict each other."""
    table = Play(CLEARWATER)
    table.open()
    table.ask(BallLaunched(TABLE, opposite=True, turning=True), DeviceId(TABLE))
    table.must(CloseBets(TABLE))
    assert "confirm:auto" not in named(table)
    assert _dealers(table).doubtful is False
    table.rest("17", None, opposite=False)

    assert named(table)[-2:] == ["CONFIRM:dealer", "settle:auto"]
    offered_is_taken(table)
    shown = _dealers(table)
    assert (shown.reported, shown.doubtful) == ("17", True)
    launch = SightingRow(moment="launch", opposite=True, turning=True)
    assert shown.seen == (launch, SightingRow(moment="rest", opposite=False))
    table.by(table.dealer, filled(next_of(table)))
    assert _dealers(table).doubtful is False
    pit = floor(table.house, DeviceKind.PIT, (TABLE,))
    assert pit is not None
    assert isinstance(pit.tables, dict)
    (past,) = pit.tables[TABLE].rounds or ()
    assert past.seen == shown.seen


def _dealers(table: Play) -> FloorTable:
    state = floor(table.house, DeviceKind.DEALER, (TABLE,))
    assert state is not None
    assert isinstance(state.tables, dict)
    return state.tables[TABLE]


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (
            BallSpun(TABLE, RoundNumber(1), opposite=False, turning=True),
            "The ball was spun: with the rotor, rotor turning.",
        ),
        (BallSpun(TABLE, RoundNumber(1), opposite=None), "The ball was spun."),
        (BallFell(TABLE, RoundNumber(1), 3), "The ball left the track: 3 revolutions."),
        (
            IrregularitySeen(TABLE, RoundNumber(1), Reason.FOREIGN_OBJECT, ClauseId("10(c)")),
            "The wheel reported an irregularity of the spin: foreign object.",
        ),
        (
            BallRested(TABLE, RoundNumber(1), Pocket("17"), 9, opposite=True),
            "The wheel reported 17: 9 revolutions, against the rotor.",
        ),
    ],
)
def test_journal_says_what_was_seen(event: Event, words: str) -> None:
    """The record of a round says in words what each sensor saw."""
    assert event_sentence(event, drawn=False) == words
