"""The next player within the idle time: money added to an empty terminal is of another session for corrections."""

from collections.abc import Callable

import pytest

from croupier.house.credit.drawers import BuyIn, OpenDrawer
from croupier.house.credit.notes import EscrowNote, GrantPlayMoney, StackNote
from croupier.house.credit.player_limits import SetPlayLimits
from croupier.house.credit.sessions import SessionEnd, SessionEnded
from croupier.house.credit.tickets import Collect, InsertTicket, Validation
from croupier.house.floor.signatures import Approve
from croupier.house.ids import SYSTEM, Context, DeviceId, DrawerId, Number, RoundNumber, TerminalId
from croupier.house.rounds.corrections import CorrectResult, InvalidateOutcome, preview_correction
from croupier.house.state.ledger import LedgerAccount
from croupier.house.state.tables import Terminal
from croupier.rules.geometry import Pocket
from croupier.rules.money import Cents
from croupier.rules.procedure import Reason
from tests.house.credit.test_session_end import ADELAIDE, CLEARWATER, MARINA, STAFF
from tests.support.house_driver import TABLE, Play, cents, refused

T1 = TerminalId("T1")
VENUES = [MARINA, ADELAIDE, CLEARWATER]


def broke(rulebook_id: str, *, won: bool) -> Play:
    """A had 10 on 17 in round 1, which won or lost, and has lost everything by round 2."""
    play = Play(rulebook_id)
    play.enrol(STAFF[rulebook_id][1], "second")
    play.seats(T1=10)
    play.round("17" if won else "16", T1="10 on 17")
    if won:
        # Where a winning stake stays up, it is lost with the next number.
        play.open()
        play.bet("T1", f"{int(play.credit('T1'))} on red")
        play.close_and_spin()
        play.rest("2")
    assert seat(play).credit == seat(play).in_play == 0
    play.at(240)
    return play


def seat(play: Play) -> Terminal:
    return play.house.terminals[T1]


def correct(play: Play, pocket: str) -> None:
    """Have two people correct the number of round 1."""
    title = STAFF[play.rulebook.id][1].lower()
    play.by(title, CorrectResult(TABLE, RoundNumber(1), Pocket(pocket), "The recording shows it."))
    done = play.by("second", Approve(Number(play.house.proposals.made)))
    assert isinstance(done, tuple), done


@pytest.mark.clause(ADELAIDE, "11(e)")
@pytest.mark.clause(MARINA, "6.3")
@pytest.mark.parametrize("rulebook_id", VENUES)
def test_correction_takes_nothing_from_the_next_player(rulebook_id: str) -> None:
    """B sits down four minutes after A lost all: what A was paid too much is a receivable of A's session."""
    play = broke(rulebook_id, won=True)
    play.note(cents(50))
    play.open()
    play.bet("T1", "10 on black")
    correct(play, "16")
    assert (play.credit("T1"), play.layout("T1")) == (40, {"black": 10})
    assert (seat(play).session, seat(play).debts) == (1, {0: cents(360)})
    assert play.house.ledger[LedgerAccount.RECEIVABLES] == -cents(360)
    play.check()


@pytest.mark.clause(ADELAIDE, "11(e)")
@pytest.mark.parametrize("rulebook_id", VENUES)
def test_correction_gives_nothing_to_the_next_player(rulebook_id: str) -> None:
    """A win that A should have had is payable to A's session, and does not raise B's meter."""
    play = broke(rulebook_id, won=False)
    play.note(cents(50))
    command = CorrectResult(TABLE, RoundNumber(1), Pocket("17"), "")
    preview = preview_correction(play.house, command, Context(play.now, SYSTEM))
    assert [each.gone for each in preview.terminals] == [True]
    correct(play, "17")
    assert (play.credit("T1"), seat(play).debts) == (50, {0: -cents(360)})
    play.check()


@pytest.mark.clause(ADELAIDE, "7(h)vi")
@pytest.mark.clause(ADELAIDE, "11(e)")
@pytest.mark.parametrize("opened", [False, True])
def test_winning_stake_that_was_left_up_is_not_the_next_players(opened: bool) -> None:  # noqa: FBT001 - both phases
    """A collects 350 and leaves 10 up on 17; it comes off by a correction, and B's 50 pay nothing of A's debt."""
    play = Play(ADELAIDE)
    play.enrol("Pit Boss", "second")
    play.seats(T1=10)
    play.round("17", T1="10 on 17")
    play.must(Collect(T1, Validation(Number(1), "d" * 64, "1234")), DeviceId(T1))
    assert (seat(play).credit, seat(play).in_play, seat(play).session) == (0, cents(10), 0)
    if opened:
        play.open()
    play.note(cents(50))
    assert (play.credit("T1"), play.layout("T1"), seat(play).session) == (50, {"17": 10}, 1)
    if opened:
        play.bet("T1", "5 on 17")
    correct(play, "16")
    assert (play.credit("T1"), play.layout("T1")) == ((45, {"17": 5}) if opened else (50, {}))
    assert seat(play).debts == {0: cents(350)}
    play.check()


@pytest.mark.clause(ADELAIDE, "11(e)")
def test_chips_placed_after_a_win_are_of_their_player() -> None:
    """A who puts all credits on the layout beside a stake that stayed up is adjusted on the meter after more money."""
    play = Play(ADELAIDE)
    play.enrol("Pit Boss", "second")
    play.seats(T1=10)
    play.round("1", T1="10 on red")
    play.open()
    play.bet("T1", "10 on red")
    play.note(cents(50))
    assert (play.credit("T1"), play.layout("T1"), seat(play).session) == (50, {"red": 20}, 0)
    correct(play, "2")
    assert (play.credit("T1"), play.layout("T1")) == (40, {"red": 10})
    play.check()


@pytest.mark.clause(ADELAIDE, "12(b)i")
def test_invalidated_outcome_returns_stakes_to_their_own_session() -> None:
    """The stake of A's round is payable to A, and B's money stays."""
    play = broke(ADELAIDE, won=False)
    play.enrol("Shift Manager", "third")
    play.note(cents(50))
    play.by("shift manager", InvalidateOutcome(TABLE, RoundNumber(1), Reason.FIRE, "Fire."))
    play.by("third", Approve(Number(play.house.proposals.made)))
    assert (play.credit("T1"), seat(play).debts) == (50, {0: -cents(10)})


def note(play: Play) -> object:
    play.note(cents(50))
    return None


def escrow(play: Play) -> object:
    play.must(EscrowNote(T1, play.rulebook.currency, cents(50)), DeviceId(T1))
    return play.must(StackNote(T1), DeviceId(T1))


def grant(play: Play) -> object:
    return play.must(GrantPlayMoney(T1, cents(50)))


def buy(play: Play) -> object:
    play.by("cashier", OpenDrawer(DrawerId("cashier"), cents(100)))
    return play.by("cashier", BuyIn(T1, DrawerId("cashier"), cents(50)))


def ticket(play: Play) -> object:
    play.seats(T2=50)
    valid = Validation(Number(1), "d" * 64, "1234")
    play.must(Collect(TerminalId("T2"), valid), DeviceId("T2"))
    return play.must(InsertTicket(T1, "d" * 64), DeviceId(T1))


@pytest.mark.parametrize(
    ("rulebook_id", "way"),
    [(ADELAIDE, note), (ADELAIDE, escrow), (MARINA, grant), (MARINA, buy), (CLEARWATER, note), (CLEARWATER, ticket)],
)
def test_every_way_in_begins_another_session(rulebook_id: str, way: Callable[[Play], object]) -> None:
    """A note, a note from escrow, play money, a buy-in and a ticket are of a new session where nothing was left."""
    play = broke(rulebook_id, won=False)
    way(play)
    ended = [each.event for each in play.journal.entries() if isinstance(each.event, SessionEnded)]
    assert ended == [SessionEnded(T1, 0, SessionEnd.NEW_MONEY)]
    assert (seat(play).session, play.credit("T1")) == (1, 50)
    # More money is of the same session.
    way(play) if way in (note, escrow, grant) else None
    assert seat(play).session == 1
    play.check()


@pytest.mark.parametrize("rulebook_id", VENUES)
def test_money_beside_credit_or_chips_is_of_the_same_session(rulebook_id: str) -> None:
    """A player who adds money with credit left, or with chips on the layout, is adjusted on the meter."""
    play = Play(rulebook_id)
    play.enrol(STAFF[rulebook_id][1], "second")
    play.seats(T1=10)
    play.open()
    play.bet("T1", "10 on 17")
    play.note(cents(20))
    play.close_and_spin()
    play.rest("16")
    play.note(cents(20))
    assert seat(play).session == 0
    correct(play, "17")
    assert play.credit("T1") == 40 + 360


@pytest.mark.parametrize("rulebook_id", VENUES)
def test_own_limit_goes_on_with_new_money(rulebook_id: str) -> None:
    """A player cannot escape a limit of losses by adding money to an empty meter."""
    play = Play(rulebook_id)
    play.seats(T1=50)
    play.must(SetPlayLimits(T1, loss=Cents(5_000), minutes=None), DeviceId(T1))
    play.round("16", T1="50 on 17")
    play.note(cents(50))
    play.open()
    assert refused(play.bet("T1", "10 on 17"))[0] == "own_limit"
