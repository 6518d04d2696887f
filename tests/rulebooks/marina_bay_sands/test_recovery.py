"""Marina Bay Sands in the house: a system that stops in the middle of a round, and terminals that go dark."""

import pytest

from croupier.house import House
from croupier.house.declare import Event
from croupier.house.floor.service import ReportTerminalLost, ReportTerminalReturned, TerminalLost
from croupier.house.floor.signatures import Approve
from croupier.house.ids import DeviceId, Number, TerminalId
from croupier.house.play.betting import BetsChanged, BetsReturned, PlaceBets, ReturnReason
from croupier.house.rounds.closing import BetsClosing, BetsSealed
from croupier.house.rounds.irregularities import CallNoSpin
from croupier.house.rounds.opening import BetsOpened, OpenBets
from croupier.house.rounds.recovery import RaiseSystemMalfunction, Recover
from croupier.house.rounds.referrals import DecideReferral, ReferralDecision
from croupier.house.rounds.results import AttestResult, BallRested, ConfirmResult
from croupier.house.rounds.settlement import ResultDeclared, RoundSettled
from croupier.house.rounds.spinning import BallLaunched, BallSpun
from croupier.house.settings import TableSettings
from croupier.house.state.tables import BettingState, ResultSource, Round, RoundStatus
from croupier.house.verification import state_digest
from croupier.house.views import terminal_view
from croupier.journal.stores.memory import MemoryJournal
from croupier.rulebooks.schema import read_canonical
from croupier.rules.geometry import Pocket
from croupier.rules.procedure import Reason
from croupier.rules.refusal import Refusal
from croupier.words import message_text
from tests.support.house_driver import P1, P2, TABLE, Play, refused, sound, with_bets

VENUE = "marina-bay-sands-2020"
#: Tables that wait for nobody to attest an outcome.
AT_ONCE = TableSettings(attest_s=0)
CONFIRMS = TableSettings(confirms=True)


def played(*settings: TableSettings, pocket: str = "17", **slips: str) -> Play:
    """Play a round, each seat with 100 less what its slip cost."""
    play = Play(VENUE, *settings)
    play.seats(**dict.fromkeys(slips, 100))
    play.round(pocket, **slips)
    return play


def restarted(play: Play, entries: int) -> Play:
    """Start the system again from the first entries of its journal, as if it had stopped after them."""
    journal = MemoryJournal()
    for entry in list(play.journal.entries())[:entries]:
        journal.append((entry.event,), entry.day, entry.context)
    play.journal, play.house = journal, journal.replay(House.new(read_canonical))
    return play


def stopped_after(play: Play, kind: type[Event]) -> Play:
    """Start the system again as if it had stopped right after the last entry of a kind."""
    places = [entry.position for entry in play.journal.entries() if isinstance(entry.event, kind)]
    return restarted(play, places[-1])


def round_of(play: Play) -> Round:
    assert play.table.round is not None
    return play.table.round


def lose_terminal(play: Play, seat: str) -> None:
    play.must(ReportTerminalLost(TerminalId(seat)))


def back(play: Play, seat: str) -> None:
    play.must(ReportTerminalReturned(TerminalId(seat)))


@pytest.mark.clause("marina-bay-sands-2020", "1.1.4")
@pytest.mark.clause("marina-bay-sands-2020", "5.13.2")
def test_stopped_between_the_result_and_its_settlement() -> None:
    """With 17 on record and nothing settled no round opens after the restart; once it is settled the next does."""
    play = stopped_after(played(T1="10 on 17", T2="10 on red", T3="5 on 20"), ResultDeclared)
    assert (round_of(play).pocket, round_of(play).over) == ("17", False)
    assert refused(play.by("dealer", OpenBets(TABLE))) == ("out_of_turn", "1.1.4")
    play.must(Recover())
    assert round_of(play).status is RoundStatus.SETTLED
    assert [play.credit(seat) for seat in ("T1", "T2", "T3")] == [450, 90, 95]
    assert not isinstance(play.by("dealer", OpenBets(TABLE)), Refusal)
    play.check()


@pytest.mark.clause("marina-bay-sands-2020", "5.13")
@pytest.mark.parametrize("kind", [BetsClosing, BetsSealed, BallSpun])
def test_stopped_between_the_close_and_the_outcome(kind: type[Event]) -> None:
    """The journal gives back a closed round without an outcome; no other opens until 5.13.1 has been applied to it."""
    play = stopped_after(played(AT_ONCE, T1="10 on 17"), kind)
    assert (round_of(play).betting, round_of(play).pocket) == (BettingState.CLOSED, None)
    assert refused(play.by("dealer", OpenBets(TABLE))) == ("out_of_turn", "1.1.4")
    play.must(Recover())
    round_ = round_of(play)
    assert (round_.status, round_.reason, round_.clause) == (RoundStatus.VOID, Reason.MALFUNCTION, "5.13.1")
    assert (round_.number, play.credit("T1")) == (1, 100)
    play.check()


@pytest.mark.clause("marina-bay-sands-2020", "5.13")
def test_stopped_after_any_entry() -> None:
    """Wherever the journal of a round ends, recovery voids it before the result and settles it after, and only once."""
    whole = played(AT_ONCE, T1="10 on 17", T2="25 on red; 5 on 17/20")
    entries = list(whole.journal.entries())
    opened = next(entry.position for entry in entries if isinstance(entry.event, BetsOpened))
    declared = next(entry.position for entry in entries if isinstance(entry.event, ResultDeclared))
    for last in range(len(entries), opened - 1, -1):
        play = restarted(whole, last)
        play.must(Recover())
        concluded = last >= declared
        assert round_of(play).status is (RoundStatus.SETTLED if concluded else RoundStatus.VOID)
        assert (play.credit("T1"), play.credit("T2")) == ((450, 160) if concluded else (100, 100))
        before = state_digest(play.house)
        play.recover_again()
        assert state_digest(play.house) == before
        play.check()


@pytest.mark.clause("marina-bay-sands-2020", "5.13.1")
@pytest.mark.parametrize("kind", [BetsOpened, BetsChanged, BetsSealed, BallSpun])
def test_no_outcome_at_the_interruption(kind: type[Event]) -> None:
    """Without an outcome the round is void: 10 and 25 are back, no number is kept, and a later one is ignored."""
    play = stopped_after(played(AT_ONCE, T1="10 on 17", T2="25 on red"), kind)
    play.must(Recover())
    play.rest("17")
    assert (round_of(play).status, round_of(play).clause) == (RoundStatus.VOID, "5.13.1")
    assert (play.credit("T1"), play.credit("T2"), play.table.numbers) == (100, 100, ())
    play.check()


@pytest.mark.clause("marina-bay-sands-2020", "5.13.2")
def test_outcome_at_the_interruption() -> None:
    """With 17 on record 10 on 17 bring 360 after the restart, once: a second restart pays nothing more."""
    play = stopped_after(played(T1="10 on 17"), ResultDeclared)
    assert play.credit("T1") == 90
    play.must(Recover())
    assert play.credit("T1") == 450
    stopped_after(play, RoundSettled)
    play.recover_again()
    assert (play.credit("T1"), play.table.numbers) == (450, ("17",))
    play.check()


@pytest.mark.clause("marina-bay-sands-2020", "5.13.2")
def test_number_reported_and_not_yet_confirmed() -> None:
    """A ball that lay in 17 by the wheel's word before the interruption is settled once the dealer confirms it."""
    play = Play(VENUE, CONFIRMS)
    play.seats(T1=100)
    play.round("17", T1="10 on 17")
    stopped_after(play, BallRested)
    play.recover_again()
    assert refused(play.by("dealer", ConfirmResult(TABLE, Pocket("20"))))[0] == "numbers_differ"
    play.by("dealer", ConfirmResult(TABLE, Pocket("17")))
    assert (round_of(play).status, play.credit("T1")) == (RoundStatus.SETTLED, 450)
    play.check()


def interrupted() -> Play:
    """Find a system that stopped while the ball ran and waits by default, 300 s for two people; 10 on 17 at T1."""
    play = stopped_after(played(T1="10 on 17"), BallSpun)
    play.must(Recover())
    assert round_of(play).status is RoundStatus.SUSPENDED
    return play


@pytest.mark.clause("marina-bay-sands-2020", "5.13.2")
def test_two_people_attest_where_the_ball_lay() -> None:
    """Two of the pit who saw the ball in 17 before the interruption conclude the round: 360 once."""
    play = interrupted()
    attested = AttestResult(TABLE, Pocket("17"), "seen in 17 as the lights went out")
    assert refused(play.by("dealer", attested))[0] == "not_authorised"
    play.by("pit supervisor", attested)
    assert (round_of(play).status, play.credit("T1")) == (RoundStatus.SUSPENDED, 90)
    assert refused(play.by("pit supervisor", Approve(Number(1))))[0] == "same_person"
    play.by("pit manager", Approve(Number(1)))
    result = round_of(play).result
    assert result is not None
    assert (result.source, play.credit("T1")) == (ResultSource.ATTESTED, 450)
    play.recover_again()
    play.check()


@pytest.mark.clause("marina-bay-sands-2020", "5.13.1")
def test_nobody_attests_in_time() -> None:
    """A number that the wheel reports only after the interruption is no outcome: in the end the round is void."""
    play = interrupted()
    play.rest("17")
    assert play.credit("T1") == 90
    play.at(300.1)
    assert (round_of(play).status, play.credit("T1"), play.table.numbers) == (RoundStatus.VOID, 100, ())
    play.check()


@pytest.mark.clause("marina-bay-sands-2020", "5.13.1")
def test_void_after_waiting_cites_the_clause_on_no_outcome() -> None:
    """A round that nobody could attest is void under the same clause as one that nobody was waited for."""
    play = interrupted()
    play.at(300.1)
    assert (round_of(play).status, round_of(play).clause) == (RoundStatus.VOID, "5.13.1")


@pytest.mark.clause("marina-bay-sands-2020", "5.13.2")
@pytest.mark.parametrize("reported", [False, True])
def test_one_person_does_not_conclude_an_interrupted_round(reported: bool) -> None:  # noqa: FBT001 - a case
    """The Gaming Shift Manager's word alone does not settle, nor with a number that came after the interruption."""
    play = interrupted()
    if reported:
        play.rest("17")
    play.by("gaming shift manager", DecideReferral(TABLE, ReferralDecision.SETTLE, "I saw it", Pocket("17")))
    assert round_of(play).status is not RoundStatus.SETTLED


@pytest.mark.clause("marina-bay-sands-2020", "5.13")
@pytest.mark.parametrize("spun", [False, True])
def test_system_malfunction_raised_by_the_dealer(spun: bool) -> None:  # noqa: FBT001 - a case of the table
    """A malfunction of the wheel or the game system voids a round without an outcome while the house runs on."""
    play = Play(VENUE, AT_ONCE)
    play.seats(T1=100, T2=100)
    play.open()
    play.bet("T1", "10 on 17")
    play.close()
    if spun:
        play.spin()
    play.by("dealer", RaiseSystemMalfunction(TABLE, "the wheel has lost its power"))
    assert (round_of(play).status, round_of(play).clause, play.credit("T1")) == (RoundStatus.VOID, "5.13.1", 100)
    play.check()


@pytest.mark.clause("marina-bay-sands-2020", "5.15")
def test_no_spin_between_the_result_and_its_settlement() -> None:
    """Until 17 is settled no spin voids the round, and then 17 is neither in the history nor highlighted."""
    play = stopped_after(played(T1="10 on 17"), ResultDeclared)
    play.by("dealer", CallNoSpin(TABLE, Reason.SUSPICION, "as seen"))
    assert (round_of(play).status, play.credit("T1")) == (RoundStatus.VOID, 100)
    view = terminal_view(play.house, TerminalId("T1"), TABLE, play.now)
    assert (view.message, view.highlighted, view.numbers) == ("no spin", None, ())


def sealed(**slips: str) -> Play:
    """Find a table where betting is closed over these slips, each seat with 100 less what its slip cost."""
    play = with_bets(VENUE, AT_ONCE, **slips)
    play.close()
    return play


@pytest.mark.clause("marina-bay-sands-2020", "5.14")
@pytest.mark.parametrize("lost", [("T2",), ("T1", "T2", "T3")])
def test_round_goes_on_without_terminals(lost: tuple[str, ...]) -> None:
    """Terminals that go dark after the close, one or all, stop nothing: every one is settled on 1."""
    play = sealed(T1="10 on red", T2="10 on red", T3="10 on black")
    for seat in lost:
        lose_terminal(play, seat)
    play.spin()
    play.rest("1")
    assert round_of(play).status is RoundStatus.SETTLED
    assert [play.credit(seat) for seat in ("T1", "T2", "T3")] == [110, 110, 90]
    for seat in lost:
        back(play, seat)
    view = terminal_view(play.house, TerminalId("T2"), TABLE, play.now)
    assert (view.credit, view.won, view.highlighted, view.numbers) == (110_00, 10_00, "1", ("1",))
    play.check()


@pytest.mark.clause("marina-bay-sands-2020", "5.14.1")
def test_dark_after_the_close() -> None:
    """10 on Red accepted at the close win though T2 is dark: on 1 its meter stands 20 higher when it is back."""
    play = sealed(T2="10 on red")
    lose_terminal(play, "T2")
    assert play.credit("T2") == 90
    play.spin()
    play.rest("1")
    back(play, "T2")
    view = terminal_view(play.house, TerminalId("T2"), TABLE, play.now)
    assert (view.credit, view.highlighted, view.won) == (110_00, "1", 10_00)
    (record,) = play.house.terminals[TerminalId("T2")].recall
    assert (record.pocket, record.staked, record.returned) == ("1", 10_00, 20_00)
    play.check()


@pytest.mark.clause("marina-bay-sands-2020", "5.14.1")
def test_terminal_that_was_offline_is_sent_the_outcome() -> None:
    """A terminal that was dark during the result shows a message with the outcome, 34, when it is back."""
    play = sealed(T2="10 on red")
    lose_terminal(play, "T2")
    play.spin()
    play.rest("34")
    play.open()
    back(play, "T2")
    messages = terminal_view(play.house, TerminalId("T2"), TABLE, play.now).messages
    assert any("34" in message_text(message) for message in messages)


def dark_while_open() -> Play:
    """Find a table where T2 went dark with 10 on Red before the close, and T1 has 10 on Red as well."""
    play = Play(VENUE, AT_ONCE)
    play.seats(T1=100, T2=100)
    play.open()
    play.bet("T1", "10 on red")
    play.bet("T2", "10 on red")
    lose_terminal(play, "T2")
    return play


@pytest.mark.clause("marina-bay-sands-2020", "5.14.2")
def test_dark_before_the_close_and_still_at_it() -> None:
    """T2 is not in the round: 10 are back at the close, and Red on 1 wins T1 10 and T2 nothing."""
    play = dark_while_open()
    play.close()
    returned = next(event for event in play.events if isinstance(event, BetsReturned))
    assert (returned.position, returned.why, returned.clause) == (P2, ReturnReason.OFFLINE_AT_CLOSE, "5.14.2")
    assert round_of(play).layouts == {P1: {"red": 10_00}}
    assert (play.credit("T2"), play.layout("T2")) == (100, {})
    play.spin()
    play.rest("1")
    back(play, "T2")
    assert (play.credit("T1"), play.credit("T2")) == (110, 100)
    assert terminal_view(play.house, TerminalId("T2"), TABLE, play.now).won == 0
    play.check()


@pytest.mark.clause("marina-bay-sands-2020", "5.14.2")
def test_dark_before_the_close_and_back_in_time() -> None:
    """T2 is back before the close with 10 on Red still shown: they are committed, and win 10 on 1."""
    play = dark_while_open()
    back(play, "T2")
    assert dict(terminal_view(play.house, TerminalId("T2"), TABLE, play.now).bets) == {"red": 10_00}
    play.close()
    play.spin()
    play.rest("1")
    assert (play.credit("T1"), play.credit("T2")) == (110, 110)
    play.check()


@pytest.mark.clause("marina-bay-sands-2020", "5.14.2")
def test_dark_terminal_places_nothing() -> None:
    """A bet that arrives from a terminal whose link is gone is refused; when it is back it is taken."""
    play = dark_while_open()
    assert refused(play.touch("T2", PlaceBets, (("17", 5_00),))) == ("terminal_dark", "5.14.2")
    assert (play.layout("T2"), play.credit("T2")) == ({"red": 10}, 90)
    back(play, "T2")
    assert not isinstance(play.touch("T2", PlaceBets, (("17", 5_00),)), Refusal)
    play.check()


@pytest.mark.clause("marina-bay-sands-2020", "5.14.2")
def test_dark_when_bets_are_frozen_by_an_early_launch() -> None:
    """A terminal that is dark when a launch freezes bets takes no part in the round, like at any close."""
    play = dark_while_open()
    play.must(BallLaunched(TABLE, opposite=True, turning=True), DeviceId(TABLE))
    assert (round_of(play).layouts, play.credit("T2")) == ({P1: {"red": 10_00}}, 100)
    play.check()


@pytest.mark.clause("marina-bay-sands-2020", "5.14")
@pytest.mark.parametrize("kind", [TerminalLost, BallSpun, ResultDeclared])
def test_system_and_terminal_fail_together(kind: type[Event]) -> None:
    """5.13 decides the round first, and a dark terminal goes with it: void gives 10 back, a result pays 20."""
    play = sealed(T1="10 on red", T2="10 on red")
    lose_terminal(play, "T2")
    play.spin()
    play.rest("1")
    stopped_after(play, kind)
    assert play.house.offline == {"T2"}
    play.must(Recover())
    won = 110 if kind is ResultDeclared else 100
    assert (play.credit("T1"), play.credit("T2")) == (won, won)
    play.check()


@pytest.mark.clause("marina-bay-sands-2020", "5.14")
def test_link_is_lost_once_and_comes_back_once() -> None:
    """A terminal that is dark cannot go dark, nor one that is lit come back; neither moves anything."""
    play = dark_while_open()
    assert refused(play.ask(ReportTerminalLost(TerminalId("T2"))))[0] == "already_there"
    assert refused(play.ask(ReportTerminalReturned(TerminalId("T1"))))[0] == "already_there"
    assert refused(play.ask(ReportTerminalLost(TerminalId("T9"))))[0] == "unknown_terminal"
    assert isinstance(play.by("dealer", ReportTerminalLost(TerminalId("T1"))), Refusal)
    sound(play.house)
