"""Corrections and the chips on the felt: what stayed up by a wrong number comes off, and nothing else does."""

import pytest

from croupier.house.credit.tickets import Collect, Validation
from croupier.house.floor.signatures import Approve
from croupier.house.ids import DeviceId, Number, RoundNumber, TerminalId
from croupier.house.rounds.corrections import CorrectResult, InvalidateOutcome
from croupier.house.rounds.irregularities import CallNoSpin, ResetTerminals
from croupier.rules.geometry import Pocket
from croupier.rules.procedure import Reason
from croupier.transcripts.driver import device_of
from croupier.words import message_text
from tests.support.house_driver import TABLE, Play

ADELAIDE = "skycity-adelaide-2003"
MARINA = "marina-bay-sands-2020"
CLEARWATER = "clearwater-etg"


def settled(rulebook_id: str) -> Play:
    """A round of 10 on 16 at T1 and 10 on 17 at T2, settled on 16."""
    play = Play(rulebook_id)
    play.seats(T1=100, T2=100)
    play.round("16", T1="10 on 16", T2="10 on 17")
    return play


def correct(play: Play, title: str) -> None:
    """Two people put 17 in the place of 16 in round 1."""
    play.enrol(title, "second")
    play.by(title.lower(), CorrectResult(TABLE, RoundNumber(1), Pocket("17"), "the ball lay in 17"))
    assert isinstance(play.by("second", Approve(Number(1))), tuple)


@pytest.mark.clause(ADELAIDE, "11(e)")
def test_stake_that_stayed_up_by_a_wrong_number_is_lost() -> None:
    """Shown 16 and truly 17: T1 loses 350 of winnings and its stake, T2 gets 350 and its stake, and no chip lies."""
    play = settled(ADELAIDE)
    assert (play.credit("T1"), play.layout("T1")) == (440, {"16": 10})
    correct(play, "Pit Boss")
    assert (play.credit("T1"), play.layout("T1")) == (90, {})
    assert (play.credit("T2"), play.layout("T2")) == (450, {})
    play.check()


@pytest.mark.clause(ADELAIDE, "11(e)")
@pytest.mark.clause(ADELAIDE, "7(h)vi")
def test_stake_that_wins_by_both_numbers_stays_up() -> None:
    """Shown 16 and truly 17: 10 on 16/17 has won by both and lies on, 10 on even comes off; a fire returns both."""
    for invalidated in (False, True):
        play = Play(ADELAIDE)
        play.seats(T1=100)
        play.round("16", T1="10 on 16/17; 10 on even")
        assert (play.credit("T1"), play.layout("T1")) == (80 + 170 + 10, {"16/17": 10, "even": 10})
        if invalidated:
            play.enrol("Shift Manager", "second")
            play.by("shift manager", InvalidateOutcome(TABLE, RoundNumber(1), Reason.FIRE, "Fire."))
            play.by("second", Approve(Number(1)))
            assert (play.credit("T1"), play.layout("T1")) == (100, {})
        else:
            correct(play, "Pit Boss")
            assert (play.credit("T1"), play.layout("T1")) == (80 + 170, {"16/17": 10})
        play.check()


@pytest.mark.clause(ADELAIDE, "11(e)")
def test_chips_that_the_player_added_stay() -> None:
    """Of 15 on 16 when the next round is open the 10 that stayed up come off, and the 5 that were added lie on."""
    play = settled(ADELAIDE)
    play.open()
    play.bet("T1", "5 on 16; 5 on red")
    correct(play, "Pit Boss")
    assert (play.credit("T1"), play.layout("T1")) == (80, {"16": 5, "red": 5})
    play.check()


@pytest.mark.clause(ADELAIDE, "11(e)")
def test_chips_in_the_next_spin_are_left_alone() -> None:
    """Once the stake that stayed up is sealed in the next spin it is played there, and only money is corrected."""
    play = settled(ADELAIDE)
    play.open()
    play.close()
    correct(play, "Pit Boss")
    assert (play.credit("T1"), play.layout("T1")) == (80, {"16": 10})
    play.check()


@pytest.mark.clause(MARINA, "6.3")
def test_bets_of_the_next_round_are_no_part_of_a_correction() -> None:
    """Where winning stakes come back, what lies on 16 when the next round is open was placed for it, and stays."""
    play = settled(MARINA)
    play.open()
    play.bet("T1", "10 on 16")
    correct(play, "Pit Manager")
    assert (play.credit("T1"), play.layout("T1")) == (80, {"16": 10})
    play.check()


@pytest.mark.clause(ADELAIDE, "12(b)")
def test_stake_goes_back_when_an_outcome_is_taken_back() -> None:
    """An outcome that two people take back after payment leaves T1 with its 100 and no chip on the felt."""
    play = settled(ADELAIDE)
    play.enrol("Shift Manager", "second")
    play.by("shift manager", InvalidateOutcome(TABLE, RoundNumber(1), Reason.FIRE, "alarm"))
    play.by("second", Approve(Number(1)))
    assert (play.credit("T1"), play.layout("T1"), play.credit("T2")) == (100, {}, 100)
    assert [message_text(message) for message in play.house.terminals[TerminalId("T1")].messages] == [
        "Round 1 does not count: your stakes are returned. Your bets: 360 → 10. Credit: 440 → 100 [12(b)i]."
    ]
    play.check()


@pytest.mark.clause(ADELAIDE, "11(e)")
def test_chips_laid_after_a_reset_are_the_players_own() -> None:
    """Stakes that stayed up go back with a no spin and its reset: no correction takes what lies there then."""
    play = settled(ADELAIDE)
    play.open()
    play.by(play.dealer, CallNoSpin(TABLE, Reason.FOREIGN_OBJECT, "as seen"))
    play.must(ResetTerminals(TABLE), device_of(play.dealer), play.dealer)
    play.bet("T1", "10 on 16")
    correct(play, "Pit Boss")

    assert play.layout("T1") == {"16": 10}
    play.check()


@pytest.mark.clause(CLEARWATER, "22")
def test_message_of_a_correction_counts_no_win_that_is_held() -> None:
    """A corrected win that waits for its form is not credit; taken back by the next correction, credit is as before."""
    play = Play(CLEARWATER)
    play.seats(T1=100)
    play.round("18", T1="35 on 17")
    play.enrol("Shift Manager", "second")
    for number, pocket in enumerate(("17", "18"), 1):
        play.by("shift manager", CorrectResult(TABLE, RoundNumber(1), Pocket(pocket), "the ball lay there"))
        play.must(Approve(Number(number)), device_of("second"), "second")

    assert [message_text(message) for message in play.house.terminals[TerminalId("T1")].messages] == [
        "Round 1 was corrected by the house: 18 → 17. Your bets: 0 → 1260. Credit: 65 → 65 [4].",
        "Round 1 was corrected by the house: 17 → 18. Your bets: 1260 → 0. Credit: 65 → 65 [4].",
    ]
    play.check()


@pytest.mark.clause(CLEARWATER, "22")
def test_win_that_goes_on_account_holds_nothing_at_the_terminal() -> None:
    """A player who has gone is owed the corrected win, and whoever sits there now is not kept waiting for its form."""
    play = Play(CLEARWATER)
    play.seats(T1=100)
    play.round("18", T1="35 on 17")
    play.must(Collect(TerminalId("T1"), Validation(Number(1), "digest 1", "0001")), DeviceId("T1"))
    play.enrol("Shift Manager", "second")
    play.by("shift manager", CorrectResult(TABLE, RoundNumber(1), Pocket("17"), "the ball lay in 17"))
    play.must(Approve(Number(1)), device_of("second"), "second")

    assert play.house.terminals[TerminalId("T1")].holds == {}
    assert play.house.terminals[TerminalId("T1")].owes == -126_000
    play.check()
