"""What one person cannot do alone, and what a player's leaving leaves behind."""

import pytest

from croupier.house.credit.notes import GrantPlayMoney
from croupier.house.credit.tickets import Collect, Validation
from croupier.house.floor.incidents import IncidentKind
from croupier.house.floor.malfunctions import ConfirmBets, RaiseMalfunction, VoidBets
from croupier.house.floor.service import ReportTerminalLost
from croupier.house.floor.setup import AdoptRulebook
from croupier.house.floor.signatures import Approve, ProposalMade
from croupier.house.floor.staff import AppointActing, EnrolPerson
from croupier.house.ids import SECOND, DeviceId, Instant, Number, PersonId, RoundNumber, TableId, TerminalId
from croupier.house.play.betting import ChooseDenomination, ClearBets, RepeatBets, UndoBet
from croupier.house.play.copying import SetAutoCopy
from croupier.house.rounds.closing import CloseBets, FinishBetting
from croupier.house.rounds.corrections import CorrectResult, InvalidateOutcome
from croupier.house.rounds.irregularities import CallNoSpin
from croupier.house.rounds.recovery import RaiseSystemMalfunction, Recover
from croupier.house.rounds.referrals import DecideReferral, ReferralDecision, ReferRound
from croupier.house.rounds.results import AttestResult, ConfirmResult, EnterResult
from croupier.house.rounds.spinning import BallLaunched, BallLeftTrack
from croupier.house.settings import Mode, TableSettings, TerminalSettings, WheelKind
from croupier.house.state.records import MalfunctionKind
from croupier.house.state.tables import Phase, RoundStatus
from croupier.rulebooks.schema import canonical
from croupier.rules.geometry import Pocket
from croupier.rules.money import Cents
from croupier.rules.procedure import Reason
from croupier.rules.refusal import Code
from tests.conftest import venue
from tests.support.house_driver import TABLE, Play, cents, refused

ADELAIDE, CLEARWATER, MARINA = "skycity-adelaide-2003", "clearwater-etg", "marina-bay-sands-2020"
T1, ONE = TerminalId("T1"), Number(1)
P17, P20 = Pocket("17"), Pocket("20")


def running(rulebook_id: str, *settings: TableSettings) -> Play:
    """10 on 17 at T1, sealed, and the ball running."""
    play = Play(rulebook_id, *settings)
    play.seats(T1=100)
    play.open()
    play.bet("T1", "10 on 17")
    play.close()
    if play.table.phase is Phase.CLOSED:
        play.spin()
    return play


def test_attestation_of_one_spin_is_not_signed_for_another() -> None:
    """What an inspector attests of round 1 cannot be approved when round 2 is running."""
    play = running(ADELAIDE, TableSettings(confirms=True))
    play.enrol("Inspector", "second")
    play.rest("20")
    assert isinstance(play.by("inspector", AttestResult(TABLE, P17, "I saw it")), tuple)
    play.by("dealer", ConfirmResult(TABLE, P20))
    play.open()
    play.close()
    play.spin()
    play.rest("5")
    assert refused(play.by("second", Approve(ONE)))[0] == "wrong_round"
    assert play.table.phase is Phase.AT_REST


def test_step_that_names_its_round_is_good_for_no_other() -> None:
    """A number entered for round 1 that arrives in round 2 is refused; one that names round 2 is taken."""
    play = running(ADELAIDE)
    late = EnterResult(TABLE, P17, P17, round=RoundNumber(2))
    assert refused(play.by("dealer", late)) == ("wrong_round", "9(f)")
    assert refused(play.by("dealer", EnterResult(TABLE, P17, P17, spin=2)))[0] == "wrong_round"
    assert isinstance(play.by("dealer", EnterResult(TABLE, P17, P17, round=RoundNumber(1), spin=1)), tuple)


@pytest.mark.clause(MARINA, "6.1")
def test_whoever_refers_does_not_decide() -> None:
    """A Gaming Shift Manager who referred a round may void it, and cannot alone settle it on a number."""
    play = running(MARINA)
    play.by("gaming shift manager", ReferRound(TABLE, "a doubt"))
    decision = DecideReferral(TABLE, ReferralDecision.SETTLE, "so be it", P17)
    assert refused(play.by("gaming shift manager", decision)) == ("same_person", "6.1")
    assert isinstance(play.by("gaming shift manager", DecideReferral(TABLE, ReferralDecision.VOID, "so be it")), tuple)
    assert (play.table.playing.status, play.credit("T1")) == (RoundStatus.VOID, 100)


@pytest.mark.clause(MARINA, "6.1")
def test_decision_does_not_go_against_the_wheel() -> None:
    """With 20 reported nobody alone decides on 17, nor on any number after a spin that was seen to go wrong."""
    play = running(MARINA, TableSettings(confirms=True))
    play.rest("20")
    play.by("dealer", ReferRound(TABLE, "a doubt"))
    decision = DecideReferral(TABLE, ReferralDecision.SETTLE, "so be it", P17)
    assert refused(play.by("gaming shift manager", decision)) == ("out_of_turn", "6.1")
    other = running(MARINA)
    other.by("dealer", ReferRound(TABLE, "a doubt"))
    other.ask(BallLeftTrack(TABLE, 1), DeviceId(TABLE))
    assert refused(other.by("gaming shift manager", decision)) == ("out_of_turn", "6.1")


def test_number_that_was_decided_is_held_against_the_wheel() -> None:
    """A wheel that reports 20 after 17 was decided on has staff told that the numbers differ."""
    play = running(MARINA)
    play.by("dealer", ReferRound(TABLE, "a doubt"))
    play.by("gaming shift manager", DecideReferral(TABLE, ReferralDecision.SETTLE, "so be it", P17))
    play.rest("20")
    assert [each.kind for each in play.house.incidents.all.values()][-1] is IncidentKind.NUMBER_DIFFERS


def test_nobody_makes_a_second_signer_alone() -> None:
    """A manager's new colleague waits for another manager's signature, and nobody appoints themselves."""
    play = Play(ADELAIDE)
    (made,) = play.by("shift manager", EnrolPerson(PersonId("puppet"), ("Shift Manager",)))  # type: ignore[misc]
    assert isinstance(made, ProposalMade)
    assert "puppet" not in play.house.staff.people
    (made,) = play.by("shift manager", AppointActing(PersonId("dealer"), "Shift Manager", Instant(0), Instant(SECOND)))  # type: ignore[misc]
    assert isinstance(made, ProposalMade)
    assert play.house.staff.people[PersonId("dealer")].acting == []
    appointing = AppointActing(PersonId("shift manager"), "Cashier", Instant(0), Instant(SECOND))
    assert refused(play.by("shift manager", appointing)) == ("same_person", "11(e)")


@pytest.mark.clause(ADELAIDE, "11(b)iii")
def test_nobody_voids_bets_alone_once_the_number_is_seen() -> None:
    """With 2 reported and awaiting the dealer, bets of a case are void by two signatures and not by one."""
    play = Play(ADELAIDE, TableSettings(confirms=True))
    play.seats(T1=1000)
    play.open()
    play.bet("T1", "100 on red")
    play.close()
    play.spin()
    play.rest("2")
    play.by("dealer", RaiseMalfunction(T1, MalfunctionKind.OPINION, "touch drift"))
    assert isinstance(play.by("dealer", VoidBets(ONE, "no record")), tuple)
    assert play.credit("T1") == 900


def test_nobody_invalidates_an_outcome_alone_once_the_number_is_seen() -> None:
    """With 2 reported and awaiting the dealer, one manager only proposes to give the stakes back."""
    play = Play(ADELAIDE, TableSettings(confirms=True))
    play.seats(T1=1000)
    play.open()
    play.bet("T1", "100 on red")
    play.close()
    play.spin()
    play.rest("2")
    (made,) = play.by("shift manager", InvalidateOutcome(TABLE, RoundNumber(1), Reason.FIRE, "Fire."))  # type: ignore[misc]
    assert isinstance(made, ProposalMade)
    assert play.credit("T1") == 900


@pytest.mark.parametrize("rulebook_id", [ADELAIDE, MARINA])
def test_known_number_is_called_off_in_words_alone(rulebook_id: str) -> None:
    """Once the wheel has reported, the dealer who calls no spin says what happened; before that a reason is enough."""
    for reported in (False, True):
        play = Play(rulebook_id, TableSettings(confirms=True))
        play.seats(T1=1000)
        play.open()
        play.bet("T1", "100 on red")
        play.close()
        play.spin()
        if reported:
            play.rest("2")
            for words in ("", "  "):
                code, _ = refused(play.by("dealer", CallNoSpin(TABLE, Reason.FOREIGN_OBJECT, words)))
                assert code == Code.REASON_NOT_LISTED
        words = "a coin fell in" if reported else ""
        (called,) = play.by("dealer", CallNoSpin(TABLE, Reason.FOREIGN_OBJECT, words))  # type: ignore[misc]
        assert called.words == words  # type: ignore[union-attr]


def test_known_number_is_void_by_a_malfunction_in_words_alone() -> None:
    """Where a malfunction voids the round, an attendant who has seen the number says what is wrong with the system."""
    play = running(CLEARWATER, TableSettings(confirms=True))
    play.rest("20")
    for words in ("", "  "):
        assert refused(play.by("attendant", RaiseSystemMalfunction(TABLE, words)))[0] == Code.REASON_NOT_LISTED
    assert play.table.phase is Phase.AT_REST
    play.by("attendant", RaiseSystemMalfunction(TABLE, "the displays are dark"))
    assert (play.table.playing.status, play.credit("T1")) == (RoundStatus.VOID, 100)


def test_random_wheel_draws_only_once() -> None:
    """A no spin after a random wheel has drawn voids the round, for whatever reason: it is not drawn again."""
    play = Play(MARINA, TableSettings(wheel=WheelKind.RANDOM))
    play.seats(T1=100)
    play.open()
    play.bet("T1", "10 on 17")
    play.must(BallLaunched(TABLE), DeviceId(TABLE))
    play.rest("20", None, opposite=None)
    play.by("gaming shift manager", CallNoSpin(TABLE, Reason.NOT_COVERED, "as seen"))
    assert (play.table.playing.status, play.credit("T1")) == (RoundStatus.VOID, 100)


@pytest.mark.clause(CLEARWATER, "19.a")
def test_other_denomination_forgets_stakes_in_the_old_one() -> None:
    """Where one credit becomes a dollar, half dollars can be neither put back nor repeated."""
    play = Play(CLEARWATER)
    play.seat("T1", cents(100), TerminalSettings(denominations=(Cents(1), Cents(100))))
    play.open()
    play.bet("T1", "5 on red; 0.50 on 17")
    play.touch("T1", ClearBets)
    assert isinstance(play.ask(ChooseDenomination(T1, Cents(100)), DeviceId("T1")), tuple)
    assert refused(play.touch("T1", UndoBet))[0] == "nothing_there"
    assert refused(play.touch("T1", RepeatBets))[0] == "nothing_there"


@pytest.mark.clause(CLEARWATER, "22")
def test_every_hold_of_a_round_is_taken_back() -> None:
    """A win corrected upwards and then away leaves no hold of it, and nobody owes what is still held."""
    play = Play(CLEARWATER)
    play.seats(T1=95)
    play.enrol("Supervisor", "second")
    play.round("17", T1="35 on 17; 60 on 20")
    for number, pocket in ((1, "20"), (2, "3")):
        play.by("supervisor", CorrectResult(TABLE, RoundNumber(1), Pocket(pocket), "seen"))
        play.by("second", Approve(Number(number)))
    terminal = play.house.terminals[T1]
    assert (terminal.holds, terminal.owes, terminal.credit) == ({}, 0, 0)
    play.check()


@pytest.mark.clause(CLEARWATER, "12.b")
def test_auto_copy_ends_with_the_player() -> None:
    """A switch that one player set copies nothing for the next."""
    right = TableId("table 2")
    play = Play(CLEARWATER, TableSettings(), TableSettings())
    play.seat("T1", cents(100), tables=(TABLE, right))
    play.ask(SetAutoCopy(T1, TABLE, right, on=True), DeviceId("T1"))
    play.ask(Collect(T1, Validation(ONE, "digest", "1234")), DeviceId("T1"))
    assert play.house.terminals[T1].games[TABLE].auto_copy_to is None


@pytest.mark.clause(ADELAIDE, "7(e)")
def test_staff_collect_only_where_the_terminal_cannot() -> None:
    """An inspector collects nothing from a terminal in service, and the 100 of one that never comes back."""
    play = Play(ADELAIDE)
    play.seats(T1=100)
    collecting = Collect(T1, Validation(ONE, "digest", "1234"))
    assert refused(play.by("inspector", collecting)) == ("not_authorised", "7(e)")
    play.must(ReportTerminalLost(T1))
    play.at(10)
    assert play.house.terminals[T1].case is not None
    assert isinstance(play.by("inspector", collecting), tuple)
    assert (play.credit("T1"), play.house.tickets.all[ONE].amount) == (0, 100_00)
    play.check()


def test_bets_in_question_keep_the_credits_where_they_are() -> None:
    """While bets of its case wait for a word, nobody collects from a terminal."""
    play = running(ADELAIDE)
    play.by("dealer", RaiseMalfunction(T1, MalfunctionKind.OPINION, "touch drift"))
    assert refused(play.by("inspector", Collect(T1, Validation(ONE, "digest", "1234"))))[0] == "terminal_blocked"


@pytest.mark.clause(ADELAIDE, "7(h)iii")
def test_late_close_opens_no_time_to_bet() -> None:
    """When the timer has run out a dealer's close closes at once, without another five seconds of warning."""
    play = Play(ADELAIDE, TableSettings(betting_s=30))
    play.seats(T1=100)
    play.open()
    play.now = Instant(31 * SECOND)
    assert refused(play.bet("T1", "5 on 17"))[0] == "bets_closed"
    play.by("dealer", CloseBets(TABLE))
    assert play.table.phase is Phase.CLOSED


def test_warning_keeps_the_least_betting_time() -> None:
    """A warning in the fifth second of twenty leaves betting open until the twentieth."""
    play = Play(ADELAIDE, TableSettings(betting_min_s=20))
    play.seats(T1=100)
    play.open()
    play.at(5)
    play.by("dealer", FinishBetting(TABLE))
    assert play.table.playing.closes_at == 20 * SECOND


@pytest.mark.clause(ADELAIDE, "7(h)i")
def test_nobody_moves_chips_for_a_player() -> None:
    """A dealer, and another terminal, that would place chips on T1 are refused by 7(h)i."""
    play = Play(ADELAIDE)
    play.seats(T1=100, T2=100)
    play.open()
    command = ClearBets(*play.game("T1"))
    assert refused(play.by("dealer", command)) == ("not_authorised", "7(h)i")
    assert refused(play.ask(command, DeviceId("T2"))) == ("not_authorised", "7(h)i")


@pytest.mark.clause(ADELAIDE, "11(e)")
def test_next_player_pays_nothing_for_the_last() -> None:
    """A correction after the winner has collected and gone is owed by that player, and not taken from the next."""
    play = Play(ADELAIDE)
    play.seats(T1=10)
    play.enrol("Pit Boss", "second")
    play.round("17", T1="10 on 17")
    play.open()
    play.remove("T1", "17")
    play.ask(Collect(T1, Validation(ONE, "digest", "1234")), DeviceId("T1"))
    play.must(GrantPlayMoney(T1, Cents(200_00)))
    play.by("pit boss", CorrectResult(TABLE, RoundNumber(1), P20, "it lay in 20"))
    play.by("second", Approve(ONE))
    terminal = play.house.terminals[T1]
    assert (terminal.credit, terminal.debts) == (200_00, {0: 360_00})
    play.by("pit boss", CorrectResult(TABLE, RoundNumber(1), P17, "it lay in 17 after all"))
    play.by("second", Approve(Number(2)))
    assert (terminal.credit, terminal.owes) == (200_00, 0)
    play.check()


@pytest.mark.clause(ADELAIDE, "11(b)ii")
def test_record_of_a_case_is_kept_as_long_as_the_case() -> None:
    """Eleven rounds later the bets of a case are still confirmed by their record, and 17 pays its 350."""
    play = Play(ADELAIDE)
    play.seats(T1=1000, T2=1000)
    play.open()
    play.bet("T1", "10 on 17")
    play.close()
    play.by("dealer", RaiseMalfunction(T1, MalfunctionKind.OPINION, "touch drift"))
    digest = play.table.playing.digest
    play.spin()
    play.rest("17")
    for _ in range(11):
        play.round("2", T2="10 on 5")
    assert isinstance(play.by("dealer", ConfirmBets(ONE, digest)), tuple)
    assert play.credit("T1") == 1350
    play.check()


def test_signature_of_somebody_demoted_does_not_count() -> None:
    """A correction that a Pit Boss proposed cannot be approved once the Pit Boss is a Dealer."""
    play = Play(ADELAIDE)
    play.seats(T1=100)
    play.enrol("Pit Boss", "second")
    play.round("17", T1="10 on 17")
    play.by("pit boss", CorrectResult(TABLE, RoundNumber(1), P20, "it lay in 20"))
    play.must(EnrolPerson(PersonId("pit boss"), ("Dealer",)))
    assert refused(play.by("second", Approve(ONE)))[0] == "not_authorised"


def test_interruption_of_a_referred_round_makes_no_number_one_persons() -> None:
    """A round that was referred when the system stopped can be void, and no single word settles it or lets it go on."""
    play = running(MARINA, TableSettings(attest_s=300))
    play.by("dealer", ReferRound(TABLE, "a doubt"))
    play.must(Recover())
    for verdict in (ReferralDecision.SETTLE, ReferralDecision.GO_ON):
        decision = DecideReferral(TABLE, verdict, "so be it", P17)
        assert refused(play.by("gaming shift manager", decision)) == ("out_of_turn", "6.1")
    play.recover_again()
    play.by("gaming shift manager", DecideReferral(TABLE, ReferralDecision.VOID, "so be it"))
    assert play.credit("T1") == 100


def test_real_house_counts_in_one_currency() -> None:
    """A house for real money takes no rulebook of another currency, and a demonstration does."""
    for mode in Mode:
        play = Play(ADELAIDE, mode=mode)
        answer = play.ask(AdoptRulebook(canonical(venue(MARINA))))
        assert isinstance(answer, tuple) is (mode is Mode.DEMO)


@pytest.mark.clause(MARINA, "3.7")
def test_betting_does_not_go_on_once_the_ball_has_run() -> None:
    """A round that was referred with bets open, and whose ball has run since, can only be void."""
    play = Play(MARINA)
    play.seats(T1=100)
    play.open()
    play.bet("T1", "10 on 17")
    play.by("dealer", ReferRound(TABLE, "a doubt"))
    play.must(BallLaunched(TABLE, opposite=True), DeviceId(TABLE))
    go_on = DecideReferral(TABLE, ReferralDecision.GO_ON, "so be it")
    assert refused(play.by("gaming shift manager", go_on)) == ("out_of_turn", "6.1")
    play.by("gaming shift manager", DecideReferral(TABLE, ReferralDecision.VOID, "so be it"))
    assert play.credit("T1") == 100
