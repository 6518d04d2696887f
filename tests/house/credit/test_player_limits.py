"""A player's own limits, breaks and calls for an attendant."""

import pytest

from croupier.house.credit.player_limits import (
    AnswerCall,
    AttendantCalled,
    CallAnswered,
    CallAttendant,
    CallWithdrawn,
    EndBreak,
    PlayLimitsSet,
    PlayPaused,
    PlayResumed,
    SetPlayLimits,
    TakeBreak,
    WithdrawCall,
)
from croupier.house.credit.tickets import Collect, Validation, last_day
from croupier.house.ids import SECOND, Day, DeviceId, Instant, Number
from croupier.house.play.betting import BetsReturned, ClearBets, ReturnReason, UndoBet
from croupier.house.state.tables import CallReason, PauseReason, SeatMessageKind, Terminal
from croupier.house.timers import due, timers_of
from croupier.protocol.staff import PendingKind
from croupier.rules.refusal import Refusal
from croupier.server.events import event_sentence
from croupier.words import message_text
from tests.support.house_driver import ADELAIDE, MARINA, T1, Play, cents, refused
from tests.support.offers import pending_items

SEAT = DeviceId("T1")


@pytest.fixture
def play() -> Play:
    """A table with one seat of 100."""
    play = Play(MARINA)
    play.seats(T1=100)
    return play


def seat(play: Play) -> Terminal:
    return play.house.terminals[T1]


def leave(play: Play) -> None:
    """The player takes all credits as a slip: the session ends."""
    number = play.house.tickets.next_number
    play.must(Collect(T1, Validation(number, f"digest {number}", "1234"), None), SEAT)


def test_loss_limit_counts_stakes_as_lost(play: Play) -> None:
    """A bet is refused if with all stakes lost the session would lose more than the limit; wins give room again."""
    assert play.ask(SetPlayLimits(T1, cents(50)), SEAT) == (PlayLimitsSet(T1, cents(50), None),)
    play.open()
    assert isinstance(play.bet("T1", "25 on 17; 20 on red"), tuple)
    refusal = play.bet("T1", "25 on 20")
    assert isinstance(refusal, Refusal)
    assert (refusal.code, refusal.facts) == ("own_limit", {"limit": 5_000, "left": 500})
    play.close_and_spin()
    play.rest("17")

    assert seat(play).at_risk < 0
    play.open()
    assert isinstance(play.bet("T1", "100 on red"), tuple)
    play.check()


def test_undo_cannot_pass_the_loss_limit(play: Play) -> None:
    """What is undone counts as a bet: a limit that was set meanwhile refuses it."""
    play.open()
    play.bet("T1", "25 on 17")
    play.touch("T1", ClearBets)
    play.ask(SetPlayLimits(T1, cents(10)), SEAT)
    assert refused(play.touch("T1", UndoBet)) == ("own_limit", None)


def test_limits_are_only_tightened(play: Play) -> None:
    """Within a session no limit becomes looser; the next session begins without limits."""
    play.must(SetPlayLimits(T1, cents(50), 30), SEAT)
    for looser in (SetPlayLimits(T1, cents(60), 30), SetPlayLimits(T1, None, 30), SetPlayLimits(T1, cents(50), 31)):
        assert refused(play.ask(looser, SEAT)) == ("setting_impossible", None)
    assert play.ask(SetPlayLimits(T1, cents(50), 30), SEAT) == ()
    assert isinstance(play.ask(SetPlayLimits(T1, cents(40), 20), SEAT), tuple)
    for minutes in (0, 1_441):
        assert refused(play.ask(SetPlayLimits(T1, cents(40), minutes), SEAT))[0] == "setting_impossible"

    leave(play)
    assert (seat(play).loss_limit, seat(play).time_limit) == (None, None)
    play.check()


def test_time_limit_pauses_play_until_the_session_ends(play: Play) -> None:
    """When the player's own time is over, chips in no spin go back and no bet is taken until the session ends."""
    play.must(SetPlayLimits(T1, None, 1), SEAT)
    play.open()
    play.bet("T1", "25 on 17")
    began = seat(play).session_since
    assert began is not None
    assert timers_of(play.house) == play.house.timers
    play.at(began / SECOND + 59)
    assert seat(play).pause is None
    play.at(began / SECOND + 61)

    assert (seat(play).pause, seat(play).in_play) == (PauseReason.TIME, 0)
    refusal = play.bet("T1", "25 on 17")
    assert isinstance(refusal, Refusal)
    assert (refusal.code, refusal.facts) == ("play_paused", {"why": "time"})
    leave(play)
    assert seat(play).pause is None
    play.check()


def test_break_returns_chips_and_ends_by_itself(play: Play) -> None:
    """A break returns the chips in no spin, refuses bets until it ends, and can only be made longer."""
    play.open()
    play.bet("T1", "25 on 17")
    until = Instant(play.now + 15 * 60 * SECOND)
    paused, back = play.must(TakeBreak(T1, 15), SEAT)
    assert paused == PlayPaused(T1, PauseReason.BREAK, until)
    assert isinstance(back, BetsReturned)
    assert back.why is ReturnReason.PAUSED
    refusal = play.bet("T1", "25 on 17")
    assert isinstance(refusal, Refusal)
    assert refusal.facts == {"until": until, "why": "break"}
    assert refused(play.ask(TakeBreak(T1, 10), SEAT)) == ("already_there", None)
    assert refused(play.ask(TakeBreak(T1, 0), SEAT)) == ("setting_impossible", None)
    assert due(play.house) is not None

    play.at(until / SECOND + 1)
    assert seat(play).pause is None
    play.check()


def test_break_lasts_beyond_the_session_unless_staff_end_it(play: Play) -> None:
    """Who collects during a break leaves the seat shut; staff open it for another player."""
    supervisor = "pit supervisor"
    assert refused(play.by(supervisor, EndBreak(T1))) == ("nothing_there", None)
    play.must(TakeBreak(T1, 60), SEAT)
    leave(play)
    assert seat(play).pause is PauseReason.BREAK
    assert play.by(supervisor, EndBreak(T1)) == (PlayResumed(T1),)
    assert seat(play).pause is None
    play.check()


def test_sealed_stakes_are_played_in_a_break_and_do_not_stay_up() -> None:
    """A break leaves sealed bets in their spin; where winning stakes stay up, those of the break come back."""
    play = Play(ADELAIDE)
    play.seats(T1=100)
    play.open()
    play.bet("T1", "10 on 17")
    play.spin()
    play.close()
    play.must(TakeBreak(T1, 15), SEAT)
    assert seat(play).in_play == 1_000
    play.rest("17")

    assert (seat(play).in_play, seat(play).credit) == (0, 9_000 + 36_000)
    play.check()


def test_call_reaches_the_pit_and_is_answered(play: Play) -> None:
    """A call is a pending item with the player's money, keeps its place when it is specified, and ends by an answer."""
    assert play.ask(CallAttendant(T1), SEAT) == (AttendantCalled(T1, CallReason.OTHER),)
    since = play.now
    play.at(5)
    play.must(CallAttendant(T1, CallReason.MONEY), SEAT)
    assert refused(play.ask(CallAttendant(T1, CallReason.MONEY), SEAT)) == ("already_there", None)
    (item,) = [each for each in pending_items(play.house) if each.kind is PendingKind.CALL]
    assert (item.terminal, item.what, item.since_us, item.amount) == ("T1", "money", since, 10_000)
    assert [action.label for action in item.actions] == ["answer"]

    assert play.by("pit supervisor", AnswerCall(T1)) == (CallAnswered(T1, ""),)
    message = seat(play).messages[-1]
    assert (message.kind, message_text(message)) == (SeatMessageKind.ANSWERED, "An attendant is on the way.")
    assert refused(play.by("pit supervisor", AnswerCall(T1))) == ("nothing_there", None)
    assert not [each for each in pending_items(play.house) if each.kind is PendingKind.CALL]
    play.check()


def test_journal_words_limits_and_their_absence() -> None:
    """The journal has amounts of limits in the currency's units, and says where there is none."""
    event = PlayLimitsSet(T1, cents(50), None)
    assert event_sentence(event, drawn=False) == "The player's own limits: loss 50, minutes none."


def test_slip_has_a_last_day_where_slips_expire(play: Play) -> None:
    """The day of issue is the first on which a slip is paid; without a limit there is no last day."""
    leave(play)
    ticket = play.house.tickets.all[Number(1)]
    assert last_day(play.house, ticket) is None
    play.house.setup.ticket_days, ticket.day = 30, Day(20261118)
    assert last_day(play.house, ticket) == Day(20261217)


def test_call_can_be_taken_back(play: Play) -> None:
    """A player may take a call back while it is not answered."""
    assert refused(play.ask(WithdrawCall(T1), SEAT)) == ("nothing_there", None)
    play.must(CallAttendant(T1, CallReason.SCREEN), SEAT)
    assert play.ask(WithdrawCall(T1), SEAT) == (CallWithdrawn(T1),)
    assert seat(play).call is None
