"""Arrangements with single players: made in writing before play, after notice, and kept by the terminal."""

import pytest

from croupier.house.commands.credit import Collect, EndSession, GrantPlayMoney, Validation
from croupier.house.commands.play import MoveBet, RepeatBets
from croupier.house.commands.setup import ArrangeVip, EndArrangement, NotifyOfficer
from croupier.house.events.setup import ArrangementEnded
from croupier.house.ids import DeviceId, Instant, Number, TerminalId
from croupier.house.views import notice
from croupier.rules.geometry import SpotKey
from croupier.rules.money import Cents
from croupier.rules.refusal import Refusal
from croupier.transcripts.driver import device_of
from tests.house_driver import TABLE, Play, refused

ADELAIDE = "skycity-adelaide-2003"
T1 = TerminalId("T1")
SIGNED = ArrangeVip(T1, "signed by both on 15 November")


def arranged(**credits_: int) -> Play:
    """T1 under an arrangement of which the Inspectorate was notified at 0 s, made at 300 s."""
    play = Play(ADELAIDE)
    play.seats(**credits_)
    play.by("shift manager", NotifyOfficer("T1", "the Inspectorate was told"))
    play.at(300)
    assert isinstance(play.by("shift manager", SIGNED), tuple)
    return play


@pytest.mark.clause(ADELAIDE, "8(a)")
def test_arrangement_needs_notice_and_comes_before_play() -> None:
    """Without notice to the Inspectorate an arrangement is refused; with it it holds, but not after the first spin."""
    play = Play(ADELAIDE)
    play.seats(T1=1000, T2=100)
    assert refused(play.by("shift manager", SIGNED)) == ("not_notified", "8(a)")
    play.by("shift manager", NotifyOfficer("T1", "the Inspectorate was told"))
    assert refused(play.by("shift manager", ArrangeVip(T1, " "))) == ("reason_not_listed", "8(a)")
    assert refused(play.by("dealer", SIGNED))[0] == "not_authorised"
    play.round("17", T1="5 on 17", T2="5 on red")
    assert refused(play.by("shift manager", SIGNED)) == ("out_of_turn", "8(a)")
    assert play.house.terminals[T1].straight_only is False


@pytest.mark.clause(ADELAIDE, "8(a)i")
def test_restricted_player_bets_straight_up_only() -> None:
    """500 on 17 are taken, 500 on Red and on the split 17/20 are refused, and the notice has one row."""
    play = arranged(T1=2000, T2=2000)
    play.open()
    assert isinstance(play.bet("T1", "500 on 17"), tuple)
    assert refused(play.bet("T1", "500 on red")) == ("kind_not_priced", "8(a)i")
    assert refused(play.bet("T1", "500 on 17/20")) == ("kind_not_priced", "8(a)i")
    assert refused(play.touch("T1", MoveBet, SpotKey("17"), SpotKey("red"))) == ("kind_not_priced", "8(a)i")
    assert notice(play.house, T1, TABLE) == (("straight up", 35),)
    assert isinstance(play.bet("T2", "500 on red"), tuple)
    assert len(notice(play.house, TerminalId("T2"), TABLE)) == 13
    play.check()


@pytest.mark.clause(ADELAIDE, "8(a)i")
def test_arrangement_ends_with_the_player() -> None:
    """When the credits are collected the arrangement is over, and the next player bets as anybody does."""
    play = arranged(T1=100)
    play.round("18", T1="10 on 17")
    play.ask(Collect(T1, Validation(Number(1), "digest", "1234")), DeviceId("T1"))
    play.must(GrantPlayMoney(T1, Cents(100_00)))
    play.open()
    assert refused(play.touch("T1", RepeatBets))[0] == "nothing_there"
    assert isinstance(play.bet("T1", "10 on red"), tuple)


@pytest.mark.clause(ADELAIDE, "8(a)")
def test_arrangement_is_not_made_in_the_instant_of_its_notice() -> None:
    """The notice comes first: an arrangement stamped with the same microsecond is refused, and the next one holds."""
    play = Play(ADELAIDE)
    play.seats(T1=100)
    play.by("shift manager", NotifyOfficer("T1", "the Inspectorate was told"))
    assert refused(play.by("shift manager", SIGNED)) == ("not_notified", "8(a)")
    play.now = Instant(play.now + 1)
    assert isinstance(play.by("shift manager", SIGNED), tuple)


@pytest.mark.clause(ADELAIDE, "8(a)")
def test_arrangement_with_the_next_player_is_made_before_their_play() -> None:
    """The last player's games do not count: once that session has ended, a new arrangement is before play."""
    play = Play(ADELAIDE)
    play.seats(T1=10)
    play.round("18", T1="10 on 17")
    play.by("shift manager", NotifyOfficer("T1", "the Inspectorate was told"))
    play.at(20)
    answer = play.by("shift manager", SIGNED)
    assert refused(answer) == ("out_of_turn", "8(a)")
    assert isinstance(answer, Refusal)
    assert "end the session" in answer.message
    play.must(EndSession(T1), device_of("inspector"), "inspector")
    assert isinstance(play.by("shift manager", SIGNED), tuple)
    play.must(GrantPlayMoney(T1, Cents(100_00)))
    play.open()
    assert refused(play.bet("T1", "10 on red"))[0] == "kind_not_priced"


@pytest.mark.clause(ADELAIDE, "8(a)i")
def test_arrangement_is_ended_outside_a_game() -> None:
    """A manager ends an arrangement in words, with no chips in play; then the player bets as others do."""
    play = arranged(T1=100)
    ends = EndArrangement(T1, "The group has left.")
    assert refused(play.by("inspector", ends))[0] == "not_authorised"
    assert refused(play.by("shift manager", EndArrangement(T1, " "))) == ("reason_not_listed", "8(a)")
    play.open()
    play.bet("T1", "10 on 17")
    assert refused(play.by("shift manager", ends)) == ("out_of_turn", "8(a)")
    play.remove("T1", "17")
    assert play.must(ends, device_of("shift manager"), "shift manager") == (ArrangementEnded(T1, ends.words),)
    assert refused(play.by("shift manager", ends)) == ("nothing_there", "8(a)")
    assert isinstance(play.bet("T1", "10 on red"), tuple)
    assert len(notice(play.house, T1, TABLE)) == 13
    play.check()


@pytest.mark.clause("marina-bay-sands-2020", "3.3")
def test_rules_without_arrangements_have_none() -> None:
    """Where the rules do not speak of single players nobody makes arrangements with them."""
    play = Play("marina-bay-sands-2020")
    play.seats(T1=100)
    assert refused(play.by("gaming shift manager", SIGNED)) == ("setting_impossible", "3.3")
    ends = EndArrangement(T1, "There was none.")
    assert refused(play.by("gaming shift manager", ends)) == ("nothing_there", "3.3")
