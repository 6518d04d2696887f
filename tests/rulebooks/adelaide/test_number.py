"""SkyCity Adelaide in the house: a number entered by hand or corrected, the reset after no spin, and idle players."""

import pytest

from croupier.house.credit.tickets import Collect, Validation
from croupier.house.declare import Decision
from croupier.house.floor.incidents import IncidentKind
from croupier.house.floor.malfunctions import RaiseMalfunction
from croupier.house.floor.signatures import Approve, ProposalMade
from croupier.house.ids import DeviceId, Number, RoundNumber, TerminalId
from croupier.house.play.betting import RepeatBets
from croupier.house.rounds.corrections import CorrectResult, ResultCorrected
from croupier.house.rounds.irregularities import CallNoSpin, ResetTerminals, TerminalsReset
from croupier.house.rounds.results import ConfirmResult, EnterResult
from croupier.house.rounds.settlement import ResultDeclared
from croupier.house.rounds.spinning import SpinBall
from croupier.house.settings import TableSettings
from croupier.house.state.records import MalfunctionKind
from croupier.house.state.tables import Phase, ResultSource
from croupier.house.timers import Tick
from croupier.house.views import TerminalView, idle, table_message, terminal_view
from croupier.rules.geometry import Pocket
from croupier.rules.procedure import Reason
from croupier.rules.refusal import ClauseId, Refusal
from tests.support.house_driver import TABLE, Play, refused

VENUE = "skycity-adelaide-2003"
T1 = TerminalId("T1")
ONE = RoundNumber(1)
CORRECTION = CorrectResult(TABLE, ONE, Pocket("17"), "the display showed 16")


def seen(play: Play, seat: str) -> TerminalView:
    """What a terminal shows now."""
    return terminal_view(play.house, TerminalId(seat), TABLE, play.now)


def closed(*settings: TableSettings, **slips: str) -> Play:
    """Find a table where betting is closed over these slips, of terminals with 100 each."""
    play = Play(VENUE, *settings)
    play.seats(**dict.fromkeys(slips, 100))
    play.open()
    for seat, slip in slips.items():
        play.bet(seat, slip)
    play.close()
    return play


def running(**slips: str) -> Play:
    """Find the same table with the ball running."""
    play = closed(**slips)
    play.spin()
    return play


def reset(play: Play, person: str = "dealer") -> Decision:
    """Call no spin and reset the terminals."""
    play.by("dealer", CallNoSpin(TABLE, Reason.FOREIGN_OBJECT, "as seen"))
    return play.by(person, ResetTerminals(TABLE))


@pytest.mark.clause("skycity-adelaide-2003", "11(c)")
@pytest.mark.parametrize("person", ["dealer", "inspector"])
def test_missing_number_is_entered_twice(person: str) -> None:
    """With no number from the wheel 17 entered twice is shown on all terminals and settled, as entered by hand."""
    play = running(T1="10 on 17", T2="10 on red")
    answer = play.by(person, EnterResult(TABLE, Pocket("17"), Pocket("17")))
    assert isinstance(answer, tuple)
    assert answer[0] == ResultDeclared(TABLE, ONE, Pocket("17"), ResultSource.ENTERED)
    assert [(seen(play, seat).highlighted, seen(play, seat).numbers) for seat in ("T1", "T2")] == [("17", ("17",))] * 2
    assert (play.credit("T1"), play.credit("T2")) == (440, 90)
    play.check()


@pytest.mark.clause("skycity-adelaide-2003", "11(c)")
@pytest.mark.parametrize(
    ("first", "again", "code"),
    [
        ("17", "18", "numbers_differ"),
        ("18", "17", "numbers_differ"),
        ("00", "00", "pocket_not_on_wheel"),
        ("37", "37", "pocket_not_on_wheel"),
        ("", "", "pocket_not_on_wheel"),
    ],
)
def test_number_that_is_not_entered(first: str, again: str, code: str) -> None:
    """17 and then 18, or a number that is not on the wheel, is refused and nothing is shown or settled."""
    play = running(T1="10 on 17")
    assert refused(play.by("dealer", EnterResult(TABLE, Pocket(first), Pocket(again))))[0] == code
    assert (play.table.phase, play.credit("T1"), seen(play, "T1").highlighted) == (Phase.RUNNING, 90, None)


@pytest.mark.clause("skycity-adelaide-2003", "11(c)")
@pytest.mark.parametrize("person", ["cashier", "technician", "authorised officer"])
def test_number_is_not_for_others_to_enter(person: str) -> None:
    """Only the dealer or a higher position enters a number."""
    play = running(T1="10 on 17")
    answer = play.by(person, EnterResult(TABLE, Pocket("17"), Pocket("17")))
    assert refused(answer) == ("not_authorised", "11(c)")
    assert play.credit("T1") == 90


@pytest.mark.clause("skycity-adelaide-2003", "11(c)")
def test_number_is_entered_only_where_none_was_displayed() -> None:
    """A number that the wheel has reported is confirmed and not entered, and another is refused."""
    play = closed(TableSettings(confirms=True), T1="10 on 17")
    assert refused(play.by("dealer", EnterResult(TABLE, Pocket("17"), Pocket("17"))))[0] == "out_of_turn"
    play.spin()
    play.rest("16")
    assert refused(play.by("dealer", EnterResult(TABLE, Pocket("17"), Pocket("17")))) == ("out_of_turn", "11(c)")
    assert refused(play.by("dealer", ConfirmResult(TABLE, Pocket("17")))) == ("numbers_differ", "11(c)")
    assert not isinstance(play.by("dealer", ConfirmResult(TABLE, Pocket("16"))), Refusal)
    assert play.credit("T1") == 90
    play.check()


@pytest.mark.clause("skycity-adelaide-2003", "11(a)ii")
@pytest.mark.clause("skycity-adelaide-2003", "11(c)")
@pytest.mark.parametrize("number", ["37", "00"])
def test_number_that_is_not_on_the_layout_is_not_displayed(number: str) -> None:
    """A result of 37 or 00 is not shown and is raised under 11(a)ii; the number is then entered by hand."""
    play = running(T1="10 on 17")
    play.rest(number)
    assert [(each.kind, each.clause) for each in play.house.incidents.all.values()] == [
        (IncidentKind.IMPOSSIBLE_POCKET, "11(a)ii")
    ]
    assert (seen(play, "T1").highlighted, seen(play, "T1").numbers, play.credit("T1")) == (None, (), 90)
    play.by("dealer", EnterResult(TABLE, Pocket("17"), Pocket("17")))
    assert play.credit("T1") == 440
    play.check()


@pytest.mark.clause("skycity-adelaide-2003", "11(d)")
@pytest.mark.parametrize("person", ["dealer", "inspector"])
def test_reset_gives_stakes_back_and_play_goes_on_in_the_round(person: str) -> None:
    """After No Spin the reset gives 25 back and opens spin 2 of the same round, where one touch bets them again."""
    play = running(T1="15 on 17; 10 on red")
    answer = reset(play, person)
    assert answer == (TerminalsReset(TABLE, ONE, 2, ClauseId("11(d)"), None, None),)
    shown = seen(play, "T1")
    assert (shown.credit, shown.staked, shown.phase, shown.round, shown.spin) == (100_00, 0, Phase.OPEN, 1, 2)
    play.touch("T1", RepeatBets)
    assert (play.credit("T1"), play.layout("T1")) == (75, {"17": 15, "red": 10})
    play.close()
    play.spin()
    play.rest("17")
    assert (play.credit("T1"), play.layout("T1"), play.table.rounds) == (75 + 525, {"17": 15}, 1)
    play.check()


@pytest.mark.clause("skycity-adelaide-2003", "11(d)")
def test_ball_is_spun_again_only_after_the_reset() -> None:
    """Between No Spin and the reset no ball is spun and no bet is taken, and the reset comes once."""
    play = running(T1="10 on 17")
    assert refused(play.by("dealer", ResetTerminals(TABLE))) == ("out_of_turn", "9(f)")
    play.by("dealer", CallNoSpin(TABLE, Reason.FOREIGN_OBJECT, "as seen"))
    assert refused(play.by("dealer", SpinBall(TABLE))) == ("out_of_turn", "9(f)")
    assert refused(play.bet("T1", "5 on 17")) == ("bets_closed", "7(h)iii")
    assert refused(play.by("cashier", ResetTerminals(TABLE))) == ("not_authorised", "11(c)")
    assert not isinstance(play.by("dealer", ResetTerminals(TABLE)), Refusal)
    assert refused(play.by("dealer", ResetTerminals(TABLE))) == ("out_of_turn", "9(f)")
    play.check()


@pytest.mark.clause("skycity-adelaide-2003", "11(d)")
def test_reset_gives_betting_its_whole_time_again() -> None:
    """On a table with thirty seconds of betting spin 2 has thirty of its own, with the warning before their end."""
    play = closed(TableSettings(betting_s=30), T1="10 on 17")
    play.at(50)
    reset(play)
    play.at(74)
    assert (table_message(play.table), seen(play, "T1").seconds_left) == ("", 6)
    play.at(75)
    play.must(Tick())
    assert table_message(play.table) == "Finish Betting"
    play.at(80.1)
    assert table_message(play.table) == "No More Bets"
    assert not play.house.incidents.all


@pytest.mark.clause("skycity-adelaide-2003", "11(d)")
def test_terminal_in_question_is_reset_with_the_others() -> None:
    """A case raised after the close does not hold its stake when the spin is void: spin 2 is settled without it."""
    play = running(T1="10 on 17", T2="10 on 17")
    play.by("dealer", RaiseMalfunction(T1, MalfunctionKind.OPINION, "touch drift"))
    reset(play)
    assert (play.credit("T1"), play.credit("T2")) == (100, 100)
    play.touch("T2", RepeatBets)
    play.close()
    play.spin()
    play.rest("17")
    assert (play.credit("T1"), play.layout("T1"), play.credit("T2")) == (100, {}, 440)
    play.check()


def corrected(*people: str, **slips: str) -> Play:
    """Settle a round on 16 and have people sign that it was 17, the first proposing and the other approving."""
    play = running(**slips)
    play.rest("16")
    for title in ("Pit Boss", "Shift Manager"):
        play.enrol(title, f"{title.lower()} 2")
    assert isinstance(play.must(CORRECTION, DeviceId(f"{people[0]}'s console"), people[0])[0], ProposalMade)
    for person in people[1:]:
        assert not isinstance(play.by(person, Approve(Number(1))), Refusal)
    return play


BOSSES = ("pit boss", "pit boss 2")


@pytest.mark.clause("skycity-adelaide-2003", "11(e)")
@pytest.mark.parametrize("people", [BOSSES, ("pit boss", "shift manager"), ("shift manager", "shift manager 2")])
def test_wrong_number_is_corrected_by_two_who_may(people: tuple[str, str]) -> None:
    """Shown 16 and truly 17: 10 on 16 loses its 350 and its stake, 10 on 17 gains 350 and its stake."""
    play = corrected(*people, T1="10 on 16", T2="10 on 17")
    worth = [play.credit(seat) + sum(play.layout(seat).values()) for seat in ("T1", "T2")]
    assert worth == [90, 450]
    assert play.table.round is not None
    assert (play.table.round.corrected, play.table.round.pocket, play.table.numbers) == (["16"], "17", ("17",))
    (event,) = (each for each in play.events if isinstance(each, ResultCorrected))
    assert (event.was, event.pocket, event.clause) == ("16", "17", "11(e)")
    play.check()


@pytest.mark.clause("skycity-adelaide-2003", "7(c)vi")
@pytest.mark.clause("skycity-adelaide-2003", "11(e)")
def test_terminals_show_what_they_won_by_the_true_number() -> None:
    """After the correction T1 shows that it won nothing for the spin, and T2 that it won 350."""
    play = corrected(*BOSSES, T1="10 on 16", T2="10 on 17")
    assert [(seen(play, seat).highlighted, seen(play, seat).won) for seat in ("T1", "T2")] == [
        ("17", 0),
        ("17", 350_00),
    ]


@pytest.mark.clause("skycity-adelaide-2003", "11(e)")
@pytest.mark.parametrize("person", ["dealer", "inspector", "cashier", "authorised officer"])
def test_number_is_not_for_others_to_correct(person: str) -> None:
    """A dealer, an inspector or anybody else neither proposes nor approves a correction."""
    play = running(T1="10 on 16")
    play.rest("16")
    assert refused(play.by(person, CORRECTION)) == ("not_authorised", "11(e)")
    play.by("pit boss", CORRECTION)
    assert refused(play.by(person, Approve(Number(1))))[0] == "not_authorised"
    assert (play.credit("T1"), play.table.numbers) == (440, ("16",))


@pytest.mark.clause("skycity-adelaide-2003", "11(e)")
def test_one_pit_boss_corrects_nothing_alone() -> None:
    """One signature changes nothing, and the same person's second one is refused."""
    play = corrected("pit boss", T1="10 on 16")
    assert refused(play.by("pit boss", Approve(Number(1)))) == ("same_person", "11(e)")
    assert (play.credit("T1"), play.table.numbers) == (440, ("16",))
    play.check()


@pytest.mark.clause("skycity-adelaide-2003", "11(e)")
def test_correction_after_the_credits_were_collected() -> None:
    """Where the win went out on a slip the meter does not fall below nothing, and what is missing is owed."""
    play = running(T1="10 on 16")
    play.rest("16")
    play.ask(Collect(T1, Validation(Number(1), "digest", "1234")), DeviceId("T1"))
    play.enrol("Pit Boss", "pit boss 2")
    play.by("pit boss", CORRECTION)
    play.by("pit boss 2", Approve(Number(1)))
    terminal = play.house.terminals[T1]
    assert (terminal.credit, terminal.owes - terminal.in_play) == (0, 350_00)
    play.check()


@pytest.mark.clause("skycity-adelaide-2003", "11(f)")
def test_player_who_sits_out_three_spins_is_named() -> None:
    """After the third spin without a bet the terminal is named, and a bet in the fourth takes it off the list."""
    play = Play(VENUE)
    play.seats(T1=100, T2=100)
    named = []
    for _ in range(3):
        play.round("5", T2="5 on 17")
        named.append(idle(play.house, TABLE))
    assert named == [(), (), ("T1",)]
    play.round("5", T1="5 on 17")
    assert (idle(play.house, TABLE), play.house.terminals[T1].games[TABLE].idle_spins) == ((), 0)


@pytest.mark.clause("skycity-adelaide-2003", "11(f)")
def test_no_spin_is_not_counted_as_idle() -> None:
    """Two spins and a No Spin without a bet name nobody, and credits are never paid out by themselves."""
    play = Play(VENUE)
    play.seats(T1=100)
    play.round("5")
    play.round("5")
    play.open()
    play.close()
    play.spin()
    reset(play)
    assert idle(play.house, TABLE) == ()
    play.close()
    play.spin()
    play.rest("5")
    assert (idle(play.house, TABLE), play.credit("T1")) == (("T1",), 100)


@pytest.mark.clause("skycity-adelaide-2003", "11(f)")
def test_winning_bet_that_is_left_up_is_a_bet() -> None:
    """A stake that stays up is bet in every spin, so that its player is not idle."""
    play = Play(VENUE)
    play.seats(T1=100)
    play.round("17", T1="10 on 17")
    for _ in range(3):
        play.round("17")
    assert idle(play.house, TABLE) == ()
