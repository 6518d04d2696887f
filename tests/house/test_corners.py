"""Corners of the house that a round seldom comes to, each with what must hold there."""

from dataclasses import replace

import pytest

from croupier.house import House, decide
from croupier.house.credit.notes import GrantPlayMoney
from croupier.house.declare import Command
from croupier.house.floor.malfunctions import RaiseMalfunction, ReportDisplay, VoidBets
from croupier.house.floor.service import CloseTable
from croupier.house.floor.setup import PrintRules, RulesPrinted
from croupier.house.floor.signatures import Approve
from croupier.house.ids import SECOND, SYSTEM, Context, Day, DeviceId, Instant, Number, RoundNumber, TableId, TerminalId
from croupier.house.play.betting import ChangeBet, MoveBet, PlaceBets, UndoBet
from croupier.house.rounds.closing import BetsClosing, BetsSealed, CloseBets, FinishBetting
from croupier.house.rounds.corrections import CorrectResult
from croupier.house.rounds.opening import BetsOpened, OpenBets
from croupier.house.rounds.recovery import RaiseSystemMalfunction, Recover
from croupier.house.rounds.results import AttestResult, BallAtRest, ConfirmResult, ReportIgnored
from croupier.house.rounds.spinning import BallLaunched, BallLeftTrack, SpinBall
from croupier.house.settings import LimitBounds, LimitSettings, TableSettings, WheelKind
from croupier.house.state.records import CaseState, MalfunctionKind
from croupier.house.state.tables import STEPS_RECALLED, Phase
from croupier.house.timers import DayEnded, Tick, due
from croupier.house.verification import state_digest
from croupier.house.views import terminal_view
from croupier.rulebooks.schema import canonical, read_canonical
from croupier.rules.geometry import Pocket, SpotKey
from croupier.rules.money import Cents
from croupier.rules.procedure import ChannelName, WinningStake
from croupier.rules.refusal import CitedChoice
from croupier.transcripts.driver import HouseDriver
from tests.conftest import venue
from tests.support.house_driver import TABLE, Play, cents, refused

ADELAIDE, CLEARWATER, MARINA = "skycity-adelaide-2003", "clearwater-etg", "marina-bay-sands-2020"
T1 = TerminalId("T1")
TABLES = (TABLE, TableId("table 2"))


def open_at(rulebook_id: str, *settings: TableSettings) -> Play:
    play = Play(rulebook_id, *settings)
    play.seats(T1=100)
    play.open()
    return play


def test_what_no_grant_names_is_refused() -> None:
    """A command that the table of authority does not list is refused, whoever asks."""
    play = Play(ADELAIDE)
    answer = decide(play.house, Command(), Context(play.now, SYSTEM))
    assert refused(answer) == ("not_authorised", None)


def test_stake_is_changed_only_on_the_layout_and_to_something_else() -> None:
    """Changing what lies on no spot is refused, and a change to what lies there already changes nothing."""
    play = open_at(ADELAIDE)
    assert refused(play.touch("T1", ChangeBet, SpotKey("00"), cents(5)))[0] == "spot_not_on_layout"
    assert refused(play.touch("T1", MoveBet, SpotKey("17"), SpotKey("00")))[0] == "spot_not_on_layout"
    play.bet("T1", "5 on 17")
    assert play.touch("T1", ChangeBet, SpotKey("17"), cents(5)) == ()
    assert play.layout("T1") == {"17": 5}


def test_one_bet_is_one_bet() -> None:
    """Two bets in the place of one, and a text that is no bet, are malformed and place nothing."""
    play = open_at(ADELAIDE)
    for on in ("17; 5 on red", "17 on", ""):
        answer = play.ask(PlaceBets(*play.game("T1"), ((on, 500),)), DeviceId("T1"))
        assert refused(answer) == ("malformed", None)
    assert refused(play.ask(PlaceBets(*play.game("T1"), ()), DeviceId("T1"))) == ("nothing_there", "7(f)")
    assert play.layout("T1") == {}


@pytest.mark.parametrize(
    ("most", "credit", "code"), [(None, 10_00, "credit_short"), (cents(10), 20_00, "total_over_maximum")]
)
def test_one_cent_too_much_is_refused(most: Cents | None, credit: int, code: str) -> None:
    """One cent more than the credit, or than the limit on all bets together, is refused where a credit is one cent."""
    play = Play(ADELAIDE, TableSettings(limits=LimitSettings(total=LimitBounds(most=most))))
    play.seat("T1", Cents(credit))
    play.open()
    assert isinstance(play.bet("T1", "10 on 17"), tuple)
    assert refused(play.bet("T1", "0.01 on 18"))[0] == code
    assert play.layout("T1") == {"17": 10}


def test_removal_cannot_be_taken_back_without_the_credits() -> None:
    """10 that were taken off one game and staked in the other are not there to be put back."""
    play = Play(CLEARWATER, TableSettings(), TableSettings())
    right = TableId("table 2")
    play.seat("T1", cents(10), tables=(TABLE, right))
    play.open()
    play.must(OpenBets(right))
    play.bet("T1", "10 on 17")
    play.remove("T1", "17")
    play.bet("T1", "10 on 17", right)
    assert refused(play.touch("T1", UndoBet)) == ("credit_short", "10")
    play.check()


def test_same_number_again_is_ignored_while_it_awaits_the_dealer() -> None:
    """A wheel that repeats 17 while the dealer has not confirmed it is put on record, and nothing more."""
    play = open_at(MARINA, TableSettings(confirms=True))
    play.close()
    play.spin()
    play.rest("17")
    assert play.must(BallLaunched(TABLE, opposite=True), DeviceId(TABLE)) == ()
    again = play.rest("17")
    assert isinstance(again, tuple)
    assert isinstance(again[0], ReportIgnored)
    assert refused(play.by("dealer", ConfirmResult(TABLE, Pocket("37")))) == ("numbers_differ", "3.8")


def test_ball_is_not_spun_twice() -> None:
    """A second Spin while the ball runs, in the last call too, is out of turn."""
    play = open_at(ADELAIDE)
    play.spin()
    play.by("dealer", FinishBetting(TABLE))
    assert refused(play.by("dealer", SpinBall(TABLE))) == ("out_of_turn", "9(f)")


def test_long_game_is_recalled_from_its_last_steps() -> None:
    """Of more than fifty steps the last fifty are recalled, and they lead from where they begin to what was sealed."""
    play = open_at(MARINA)
    play.must(GrantPlayMoney(T1, Cents(10_000)))
    for number in range(STEPS_RECALLED + 10):
        play.bet("T1", f"1 on {number % 3 + 1}")
    play.remove("T1", "1")
    play.close()
    play.spin()
    play.rest("2")
    (game,) = play.house.terminals[T1].recall
    layout = dict(game.at_start)
    for step in game.steps:
        layout.update(zip(step.spots, step.after, strict=True))
    assert len(game.steps) == STEPS_RECALLED
    assert {spot: stake for spot, stake in layout.items() if stake} == game.sealed
    play.check()


def test_net_win_counts_the_half_that_comes_back() -> None:
    """What a spin returned beyond its stakes has the half of a bet that a zero gives back."""
    play = Play("generic-european-partage")
    play.seats(T1=100)
    play.round("0", T1="10 on 0; 10 on red")
    game = play.house.terminals[T1].games[TABLE]
    assert (game.won, game.net) == (350_00, 345_00)
    play.check()


def test_correction_of_an_older_round_leaves_the_screen_alone() -> None:
    """Where another round was settled since, a correction changes the older record and not the win that is shown."""
    play = Play(MARINA)
    play.seats(T1=100, T2=100)
    play.round("17", T1="10 on 17", T2="10 on red")
    play.round("18", T1="10 on 18")
    play.enrol("Pit Manager", "second")
    play.by("pit manager", CorrectResult(TABLE, RoundNumber(1), Pocket("20"), "it lay in 20"))
    play.by("second", Approve(Number(1)))
    assert terminal_view(play.house, T1, TABLE, play.now).won == 350_00
    assert play.house.terminals[T1].games[TABLE].net == 350_00
    assert [record.returned for record in play.house.terminals[T1].recall] == [0, 360_00]
    play.check()


@pytest.mark.clause(CLEARWATER, "22")
def test_correction_takes_from_the_hold_first() -> None:
    """Of a held win of 1980 that is truly 180 the 1800 come from the hold, and the rest needs no form any more."""
    play = Play(CLEARWATER)
    play.seats(T1=100)
    play.round("17", T1="50 on 17; 10 on 17/20")
    assert play.house.terminals[T1].held_total == 1980_00
    play.enrol("Supervisor", "second")
    play.by("supervisor", CorrectResult(TABLE, RoundNumber(1), Pocket("20"), "it lay in 20"))
    play.by("second", Approve(Number(1)))
    assert (play.credit("T1"), play.house.terminals[T1].holds) == (40 + 180, {})
    assert play.house.terminals[T1].messages[-1].credit_after == 220_00
    play.check()


@pytest.mark.clause(CLEARWATER, "22")
def test_win_that_still_needs_a_form_stays_held() -> None:
    """A held win that is truly another one above the threshold stays held, by the bases of the true number."""
    play = Play(CLEARWATER)
    play.seats(T1=200)
    play.round("17", T1="60 on 17; 40 on 18")
    play.enrol("Supervisor", "second")
    play.by("supervisor", CorrectResult(TABLE, RoundNumber(1), Pocket("18"), "it lay in 18"))
    play.by("second", Approve(Number(1)))
    (hold,) = play.house.terminals[T1].holds.values()
    assert (hold.amount, hold.bases["net_of_winning_stakes"], play.credit("T1")) == (1440_00, 1400_00, 100)
    play.check()


def test_day_that_is_no_date_is_malformed() -> None:
    """A gaming day must be a day of the calendar; one that is not changes nothing."""
    play = Play(MARINA)
    assert refused(play.ask(Tick(Day(20261399)))) == ("malformed", None)
    assert play.house.day == 20261115


def test_end_of_the_day_is_due_and_waits_for_its_name() -> None:
    """A gaming day that ends is told once, whoever knows the next one's name, and keeps no other timer waiting."""
    play = Play(MARINA, TableSettings(betting_s=30))
    play.must(Tick(Day(20261116), Instant(10 * SECOND)))
    play.open()
    play.at(40)
    assert [type(event) for event in play.events[-4:]] == [BetsOpened, DayEnded, BetsClosing, BetsSealed]
    assert (play.table.phase, play.house.day, due(play.house)) == (Phase.CLOSED, 20261116, None)


@pytest.mark.clause(ADELAIDE, "12(m)")
def test_copy_of_the_rules_is_on_record() -> None:
    """A copy that the cashier prints is on record, with the rules it was made from."""
    play = Play(ADELAIDE)
    answer = play.by("cashier", PrintRules(TABLE, sold=True))
    assert (answer, play.house.setup.copies) == ((RulesPrinted(TABLE, play.rulebook.digest, sold=True),), 1)


@pytest.mark.clause(ADELAIDE, "7(b)")
def test_terminal_that_draws_another_layout_is_out_of_service() -> None:
    """A terminal with a layout of 156 spots for 157 is blocked, and one that draws the layout of the rules is not."""
    play = open_at(ADELAIDE)
    assert len(play.table.payouts.spots) == 157
    assert play.ask(ReportDisplay(T1, layout=play.table.payouts.digest), DeviceId("T1")) == ()
    play.ask(ReportDisplay(T1, layout="0" * 64), DeviceId("T1"))
    assert refused(play.bet("T1", "5 on 17"))[0] == "terminal_blocked"


@pytest.mark.clause(CLEARWATER, "7")
def test_bet_is_the_same_in_either_view() -> None:
    """5 on 22 lies on 22 whichever way the fields are drawn; on the wheel 5 and 34 lie beside it."""
    play = open_at(CLEARWATER)
    play.bet("T1", "5 on 22")
    assert terminal_view(play.house, T1, TABLE, play.now).bets == (("22", 5_00),)
    assert play.rulebook.wheel.neighbours(Pocket("22"), each_side=1) == ("5", "22", "34")


def test_stakes_that_stay_up_count_in_the_risk_check() -> None:
    """Where rules have both, a winning stake that stayed up is part of what the risk check weighs."""
    book = venue(CLEARWATER)
    terminal = book.channels[ChannelName.TERMINAL]
    stays = replace(terminal, winning_stake=CitedChoice(WinningStake.STAY, terminal.winning_stake.clause))
    floor = HouseDriver(read_canonical(canonical(replace(book, channels={ChannelName.TERMINAL: stays}))))
    floor.seat("T1", 100_00)
    for pocket in ("18", "18"):
        floor.must(OpenBets(TABLE))
        number = floor.table.rounds
        answer = floor.ask(PlaceBets(T1, TABLE, number, 1, (("red", 10_00),)), DeviceId("T1"))
        assert isinstance(answer, tuple)
        floor.must(BallLaunched(TABLE, opposite=True), DeviceId(TABLE))
        floor.must(CloseBets(TABLE))
        floor.must(BallAtRest(TABLE, Pocket(pocket)), DeviceId(TABLE))
    floor.must(OpenBets(TABLE))
    answer = floor.ask(PlaceBets(T1, TABLE, floor.table.rounds, 1, (("black", 20_00),)), DeviceId("T1"))
    assert refused(answer) == ("too_little_risk", "13.a")
    assert state_digest(floor.journal.replay(House.new(read_canonical))) == state_digest(floor.house)


def test_stake_changed_to_nothing_is_taken_back() -> None:
    """A stake that is changed to nothing goes back to the meter."""
    play = open_at(ADELAIDE)
    play.bet("T1", "5 on 17")
    assert isinstance(play.touch("T1", ChangeBet, SpotKey("17"), cents(0)), tuple)
    assert (play.layout("T1"), play.credit("T1")) == ({}, 100)


def test_number_that_is_typed_must_be_on_the_wheel() -> None:
    """Where the dealer types the numbers, 37 is refused and 17 is the result."""
    play = open_at(ADELAIDE, TableSettings(wheel=WheelKind.KEYPAD))
    play.close()
    play.spin()
    assert refused(play.by("dealer", ConfirmResult(TABLE, Pocket("37")))) == ("pocket_not_on_wheel", "1 (Diagram 1)")
    assert isinstance(play.by("dealer", ConfirmResult(TABLE, Pocket("17"))), tuple)


def test_attestation_has_words_and_a_valid_spin() -> None:
    """A number is attested with words to it, and never for a spin that was seen to go wrong."""
    play = open_at(MARINA, TableSettings(attest_s=60))
    play.close()
    play.spin()
    play.must(Recover())
    assert refused(play.by("pit manager", AttestResult(TABLE, Pocket("17"), " "))) == ("reason_not_listed", "5.13.2")
    play.must(BallLeftTrack(TABLE, 1), DeviceId(TABLE))
    assert refused(play.by("pit manager", AttestResult(TABLE, Pocket("17"), "seen"))) == ("out_of_turn", "5.3")


def test_warning_is_for_venues_that_have_one() -> None:
    """Finish Betting is out of turn where the rules know no warning."""
    play = open_at(MARINA)
    assert refused(play.by("dealer", FinishBetting(TABLE))) == ("out_of_turn", "3.2")


def test_table_that_may_not_open_is_not_due() -> None:
    """A table that opens by itself does not while it is closed, and nothing is due for it."""
    play = Play(MARINA, TableSettings(pause_s=5))
    assert due(play.house) == 5 * SECOND
    play.by("gaming shift manager", CloseTable(TABLE, "for the night"))
    assert due(play.house) is None
    play.at(60)
    assert play.table.rounds == 0


@pytest.mark.clause("clearwater-etg", "25")
def test_each_table_counts_the_stakes_that_its_own_round_gave_back() -> None:
    """Of 5 at one table and 7 at the other, void after both were settled without them, each table refunds its own."""
    play = Play(CLEARWATER, TableSettings(confirms=True), TableSettings(confirms=True))
    play.seat("T1", cents(100), tables=TABLES)
    for table, slip in zip(TABLES, ("5 on 17", "7 on 17"), strict=True):
        play.must(OpenBets(table))
        play.bet("T1", slip, table)
        play.must(BallLaunched(table), DeviceId(table))
    play.at(60)
    for table in TABLES:
        play.must(BallAtRest(table, Pocket("17"), 9, opposite=True), DeviceId(table))
    play.must(RaiseMalfunction(T1, MalfunctionKind.OPINION, "malfunction"))
    for table in TABLES:
        play.by("attendant", ConfirmResult(table, Pocket("17")))
    play.enrol("Attendant", "attendant 2")
    play.by("attendant", VoidBets(Number(1), "the screen was dark"))
    play.by("attendant 2", Approve(Number(1)))

    assert play.credit("T1") == 100
    assert [play.house.tables[table].meters.refunded for table in TABLES] == [500, 700]
    play.check()


@pytest.mark.clause("clearwater-etg", "25")
def test_bets_of_a_case_whose_round_was_void_have_gone_back_already() -> None:
    """Voiding the bets of a case gives nothing back twice where their round was void in the meantime."""
    play = Play(CLEARWATER, TableSettings(confirms=True))
    play.seats(T1=100)
    play.open()
    play.bet("T1", "10 on 17")
    play.close()
    play.rest("17")
    play.must(RaiseMalfunction(T1, MalfunctionKind.OPINION, "malfunction"))
    play.must(RaiseSystemMalfunction(TABLE, "and the game"))
    assert play.credit("T1") == 100
    play.enrol("Attendant", "attendant 2")
    play.by("attendant", VoidBets(Number(1), "the screen was dark"))
    play.by("attendant 2", Approve(Number(1)))

    assert (play.credit("T1"), play.house.cases.all[Number(1)].state) == (100, CaseState.VOIDED)
    play.check()
