"""The end of a session: nothing of one player's passes to the next, and corrections find the session they belong to."""

import pytest

from croupier.house import AnyCommand
from croupier.house.credit import sessions
from croupier.house.credit.drawers import OpenDrawer, PayablePaid, PayPayable
from croupier.house.credit.held_wins import PayHeldWin, RecordTaxForm
from croupier.house.credit.notes import GrantPlayMoney
from croupier.house.credit.sessions import AdjustCredit, EndSession, Session, SessionEnd, SessionEnded, session_figures
from croupier.house.credit.tickets import Collect, Validation
from croupier.house.floor.malfunctions import ClearCase, RaiseMalfunction
from croupier.house.floor.signatures import Approve, Withdraw
from croupier.house.ids import SECOND, SYSTEM, Context, DeviceId, DrawerId, Number, RoundNumber, TableId, TerminalId
from croupier.house.play.betting import ClearBets, RepeatBets, UndoBet
from croupier.house.play.patterns import RecallPattern, SavePattern
from croupier.house.rounds.corrections import CorrectResult, InvalidateOutcome, preview_correction
from croupier.house.settings import TableSettings
from croupier.house.state.ledger import LedgerAccount
from croupier.house.state.records import MalfunctionKind
from croupier.house.state.tables import Terminal
from croupier.house.timers import Tick, due
from croupier.house.verification import state_digest
from croupier.house.views import idle
from croupier.rules.geometry import Pocket
from croupier.rules.money import Cents
from croupier.rules.procedure import Reason
from croupier.rules.refusal import CitedTopic
from croupier.transcripts.driver import device_of
from tests.support.house_driver import TABLE, Play, cents, refused

ADELAIDE, MARINA, CLEARWATER = "skycity-adelaide-2003", "marina-bay-sands-2020", "clearwater-etg"
T1, T2 = TerminalId("T1"), TerminalId("T2")
DRAWER = DrawerId("cashier")
#: By venue: who ends sessions, and two who correct numbers.
STAFF = {
    ADELAIDE: ("inspector", "Pit Boss"),
    MARINA: ("pit supervisor", "Pit Manager"),
    CLEARWATER: ("attendant", "Supervisor"),
}


def lost(rulebook_id: str, *settings: TableSettings) -> Play:
    """T1 has staked its 10 on 17 in round 1, and lost them on 16."""
    play = Play(rulebook_id, *settings)
    play.enrol(STAFF[rulebook_id][1], "second")
    play.seats(T1=10, T2=100)
    play.at(1)
    play.round("16", T1="10 on 17")
    return play


def seat(play: Play, name: TerminalId = T1) -> Terminal:
    return play.house.terminals[name]


def end(play: Play) -> None:
    """Staff end the session at T1."""
    assert isinstance(play.by(STAFF[play.rulebook.id][0], EndSession(T1)), tuple)


def sit(play: Play, amount: int = 100) -> None:
    """Another player puts money in at T1."""
    play.must(GrantPlayMoney(T1, cents(amount)))


def twice(play: Play, command: AnyCommand, first: str | None = None, second: str = "second") -> None:
    """Two people sign."""
    made = play.must(command, device_of(first or _corrects(play)), first or _corrects(play))
    play.must(Approve(getattr(made[0], "proposal")), device_of(second), second)  # noqa: B009 - one kind of event has it


def _corrects(play: Play) -> str:
    return STAFF[play.rulebook.id][1].lower()


def correct(play: Play, pocket: str, round_: int = 1, table: TableId = TABLE) -> None:
    twice(play, CorrectResult(table, RoundNumber(round_), Pocket(pocket), f"the ball lay in {pocket}"))


@pytest.mark.parametrize("rulebook_id", STAFF)
def test_staff_end_a_session_with_nothing_left(rulebook_id: str) -> None:
    """A player who lost all has gone: staff end the session, and the next money begins another with no figures."""
    play = lost(rulebook_id)
    assert session_figures(play.house, seat(play))[1:] == (1_000, 0, -1_000, 1)
    (ended,) = play.must(EndSession(T1), device_of(STAFF[rulebook_id][0]), STAFF[rulebook_id][0])

    assert ended == SessionEnded(T1, 0, SessionEnd.STAFF)
    assert session_figures(play.house, seat(play)) == Session(None, 0, 0, 0, 0)
    sit(play)
    assert session_figures(play.house, seat(play)) == Session(play.now, 10_000, 0, 0, 0)
    assert seat(play).session == 1
    play.check()


def test_next_player_inherits_nothing() -> None:
    """Patterns, the bets to repeat, what could be undone and winning figures are the last player's alone."""
    play = lost(CLEARWATER)
    sit(play, 20)
    play.open()
    play.bet("T1", "5 on 17")
    play.touch("T1", SavePattern, 1)
    play.touch("T1", ClearBets)
    play.ask(AdjustCredit(T1, -2_000, "paid out by hand"), device_of("supervisor"), "supervisor")
    play.must(Approve(Number(1)), device_of("second"), "second")
    end(play)
    sit(play)

    for command, more in ((RepeatBets, ()), (UndoBet, ()), (RecallPattern, (1,))):
        assert refused(play.touch("T1", command, *more))[0] == "nothing_there"
    game = seat(play).games[TABLE]
    assert (len(game.steps), game.stayed, game.won, game.idle_spins) == (0, {}, 0, 0)
    play.check()


@pytest.mark.parametrize("rulebook_id", STAFF)
def test_session_with_something_left_goes_on(rulebook_id: str) -> None:
    """While credits or stakes are the player's, nobody ends the session; nor where there is none."""
    play = lost(rulebook_id)
    supervisor = STAFF[rulebook_id][0]
    sit(play, 10)
    assert refused(play.by(supervisor, EndSession(T1)))[0] == "out_of_turn"
    play.open()
    play.bet("T1", "10 on 17")
    assert refused(play.by(supervisor, EndSession(T1)))[0] == "out_of_turn"
    play.close()
    assert refused(play.by(supervisor, EndSession(T1)))[0] == "out_of_turn"
    play.spin()
    play.rest("16")
    end(play)
    assert refused(play.by(supervisor, EndSession(T1)))[0] == "nothing_there"
    play.check()


def test_session_with_a_case_goes_on() -> None:
    """While a malfunction is not cleared, neither staff nor the clock ends the session; after that its time runs."""
    play = lost(ADELAIDE)
    play.by("dealer", RaiseMalfunction(T1, MalfunctionKind.OPINION, "touch drift"))
    assert refused(play.by("inspector", EndSession(T1))) == ("terminal_blocked", "11(a)iv")
    play.at(2_000)
    assert seat(play).session == 0
    play.by("inspector", ClearCase(Number(1)))
    play.at(2_599)
    assert seat(play).session == 0
    play.at(2_601)
    assert seat(play).session == 1
    play.check()


def test_session_with_a_held_win_goes_on() -> None:
    """A win that awaits its form is the player's: the session ends only once it has been paid by hand."""
    play = Play(CLEARWATER)
    play.seats(T1=35)
    play.round("17", T1="35 on 17")
    assert refused(play.by("attendant", EndSession(T1))) == ("win_held", "22")
    play.by("cashier", OpenDrawer(DRAWER, cents(5_000)))
    play.by("cashier", RecordTaxForm(T1, Number(1), "A. Patron", "W-1"))
    assert due(play.house) is None
    play.must(PayHeldWin(T1, Number(1), DRAWER), device_of("cashier"), "cashier")
    assert due(play.house) == 600 * SECOND
    end(play)
    play.check()


@pytest.mark.parametrize("rulebook_id", STAFF)
def test_session_ends_after_its_idle_time(rulebook_id: str) -> None:
    """Ten minutes after the last chip was lost, and not before, the session ends by itself."""
    play = lost(rulebook_id)
    emptied = play.now
    assert due(play.house) == emptied + 600 * SECOND
    play.advance(emptied + 600 * SECOND)
    assert seat(play).session == 0
    assert play.must(Tick()) == (SessionEnded(T1, 0, SessionEnd.IDLE),)
    assert due(play.house) is None
    play.check()


def test_idle_time_is_a_setting() -> None:
    """A table may give a session another idle time, or none: then only staff end it."""
    play = lost(MARINA, TableSettings(session_idle_s=30))
    assert due(play.house) == play.now + 30 * SECOND
    never = lost(MARINA, TableSettings(session_idle_s=None))
    assert due(never.house) is None
    end(never)


def test_money_stops_the_idle_time() -> None:
    """A player who adds money after losing all keeps bets and figures; corrections count it to a new session."""
    play = lost(MARINA)
    play.at(500)
    sit(play, 20)
    assert due(play.house) is None
    play.at(1_000)
    assert (seat(play).session, seat(play).session_games) == (1, 1)
    play.open()
    assert isinstance(play.touch("T1", RepeatBets), tuple)
    play.check()


def test_sessions_of_many_terminals_end_a_hundred_at_a_time() -> None:
    """Of 150 players who lost all in one spin, one tick ends 100 sessions and the next 50."""
    play = Play(MARINA)
    names = [f"S{each}" for each in range(150)]
    play.seats(**dict.fromkeys(names, 1))
    play.round("16", **dict.fromkeys(names, "1 on 17"))
    play.advance(play.now + 600 * SECOND)

    assert [len(play.must(Tick())) for _ in range(3)] == [sessions.ENDED_AT_ONCE, 50, 0]
    play.check()


def test_each_terminal_has_its_own_idle_time() -> None:
    """Who lost all a minute later has a minute longer; a terminal that was never used has no session to end."""
    play = Play(MARINA)
    play.seats(T1=10, T2=10, T3=0)
    play.round("16", T1="10 on 17")
    play.at(60)
    play.round("16", T2="10 on 17")
    play.at(601)
    assert [seat(play, each).session for each in (T1, T2, TerminalId("T3"))] == [1, 0, 0]
    play.at(661)
    assert [seat(play, each).session for each in (T1, T2, TerminalId("T3"))] == [1, 1, 0]
    play.check()


def test_chips_at_either_game_keep_a_session() -> None:
    """Where a terminal plays two games, chips in one of them are the player's while the other has none."""
    right = TableId("table 2")
    play = Play(CLEARWATER, TableSettings(), TableSettings())
    play.seat("T1", cents(20), tables=(TABLE, right))
    play.open()
    play.bet("T1", "10 on 17")
    play.ask(Collect(T1, Validation(Number(1), "digest 1", "0001")), DeviceId("T1"))
    assert refused(play.by("attendant", EndSession(T1)))[0] == "out_of_turn"
    play.close()
    play.rest("16")
    end(play)
    assert seat(play).session == 1
    play.check()


@pytest.mark.clause(ADELAIDE, "11(e)")
@pytest.mark.clause(MARINA, "6.3")
@pytest.mark.parametrize("rulebook_id", STAFF)
def test_win_of_an_earlier_session_is_payable_to_it(rulebook_id: str) -> None:
    """T1 lost on 16, left, and 17 was true: the 360 are owed to that session, and the next player gets none of it."""
    play = lost(rulebook_id)
    end(play)
    sit(play)
    correct(play, "17")

    assert (play.credit("T1"), seat(play).debts, seat(play).payable) == (100, {0: -36_000}, 36_000)
    assert (play.house.ledger[LedgerAccount.PAYABLES], play.house.ledger[LedgerAccount.RECEIVABLES]) == (36_000, 0)
    assert session_figures(play.house, seat(play))[1:] == (10_000, 0, 0, 0)
    assert seat(play).games[TABLE].won == 0
    play.check()


@pytest.mark.clause(ADELAIDE, "11(e)")
@pytest.mark.clause(MARINA, "6.3")
@pytest.mark.parametrize("rulebook_id", STAFF)
def test_win_taken_from_an_earlier_session_is_its_receivable(rulebook_id: str) -> None:
    """T1 won by a wrong number, lost it all and left: what it owes is not taken from the next player's wins."""
    play = Play(rulebook_id, TableSettings())
    play.enrol(STAFF[rulebook_id][1], "second")
    play.seats(T1=10)
    play.round("17", T1="10 on 17")
    play.open()
    if play.layout("T1"):
        play.remove("T1", "17")
    play.bet("T1", "360 on 20")
    play.close()
    play.spin()
    play.rest("16")
    end(play)
    sit(play)
    correct(play, "16")
    assert (play.credit("T1"), seat(play).debts) == (100, {0: 36_000})
    assert (play.house.ledger[LedgerAccount.RECEIVABLES], play.house.ledger[LedgerAccount.PAYABLES]) == (-36_000, 0)

    play.round("17", T1="10 on 17")
    won = play.credit("T1") + seat(play).in_play / 100
    assert (won, seat(play).debts) == (450, {0: 36_000})
    correct(play, "17")
    assert (play.credit("T1") + seat(play).in_play / 100, seat(play).debts) == (450, {})
    play.check()


@pytest.mark.clause(ADELAIDE, "12(b)")
def test_stake_of_an_outcome_taken_back_is_payable_to_its_session() -> None:
    """Two people take the outcome back after T1 lost and left: its stake of 10 is owed to that session."""
    play = lost(ADELAIDE)
    play.enrol("Shift Manager", "another")
    end(play)
    sit(play)
    twice(play, InvalidateOutcome(TABLE, RoundNumber(1), Reason.FIRE, "alarm"), "shift manager", "another")

    assert (play.credit("T1"), seat(play).debts) == (100, {0: -1_000})
    play.check()


@pytest.mark.clause(ADELAIDE, "11(e)")
def test_chips_of_the_next_player_are_not_lifted() -> None:
    """A stake stayed up by a wrong number and was taken back: what the next player lays there stays theirs."""
    play = Play(ADELAIDE)
    play.enrol("Pit Boss", "second")
    play.seats(T1=10)
    play.round("17", T1="10 on 17")
    play.open()
    play.remove("T1", "17")
    play.ask(Collect(T1, Validation(Number(1), "digest 1", "0001")), DeviceId("T1"))
    sit(play)
    play.bet("T1", "10 on 17")
    correct(play, "20")

    assert (play.credit("T1"), play.layout("T1"), seat(play).debts) == (90, {"17": 10}, {0: 36_000})
    play.check()


@pytest.mark.clause(MARINA, "6.3")
def test_debt_of_this_session_is_paid_off_before_credit_is_given() -> None:
    """A correction in favour of a player who owes 299 pays the debt first, and the meter gets the rest."""
    play = Play(MARINA)
    play.enrol("Pit Manager", "second")
    play.seats(T1=500)
    play.round("17", T1="10 on 17")
    play.round("16", T1="700 on 20; 110 on 5; 20 on red")
    sit(play, 1)
    correct(play, "1")
    terminal = seat(play)
    assert (play.credit("T1"), terminal.debts, terminal.session) == (0, {0: 29_900}, 0)
    assert play.house.ledger[LedgerAccount.RECEIVABLES] == -29_900

    correct(play, "5", round_=2)
    given = 110 * 36
    assert (play.credit("T1"), terminal.debts) == (given - 299, {})
    assert (play.house.ledger[LedgerAccount.RECEIVABLES], play.house.ledger[LedgerAccount.PAYABLES]) == (0, 0)
    play.check()


@pytest.mark.clause(MARINA, "6.3")
def test_debt_is_paid_off_in_part() -> None:
    """Of a debt of 360 a correction worth 40 leaves 320, and the meter gets nothing of it."""
    play = Play(MARINA)
    play.enrol("Pit Manager", "second")
    play.seats(T1=30)
    play.round("17", T1="10 on 17")
    play.round("2", T1="20 on red; 360 on 20")
    correct(play, "3")
    assert (play.credit("T1"), seat(play).debts) == (0, {0: 36_000})
    correct(play, "1", round_=2)
    assert (play.credit("T1"), seat(play).debts) == (0, {0: 32_000})
    play.check()


def owed(rulebook_id: str = MARINA) -> Play:
    """360 are payable to the first session of T1, another player sits there, and the cashier has a drawer."""
    play = lost(rulebook_id)
    end(play)
    sit(play)
    correct(play, "17")
    play.by("cashier", OpenDrawer(DRAWER, cents(1_000)))
    return play


PAYS = PayPayable(T1, 0, DRAWER, Cents(36_000), "A. Patron, by passport")


@pytest.mark.clause(ADELAIDE, "11(e)")
@pytest.mark.clause(MARINA, "6.3")
@pytest.mark.parametrize("rulebook_id", STAFF)
def test_cashier_pays_a_payable_with_a_second_signature(rulebook_id: str) -> None:
    """The cashier signs and pays 360 from the drawer once somebody from the pit has signed too, and only once."""
    play, supervisor = owed(rulebook_id), STAFF[rulebook_id][0]
    since, proposal = seat(play).session_since, Number(play.house.proposals.made + 1)
    play.must(PAYS, device_of("cashier"), "cashier")
    assert play.house.drawers[DRAWER].cash == 100_000
    _, paid = play.must(Approve(proposal), device_of(supervisor), supervisor)

    clause = play.rulebook.cited_clauses[CitedTopic.CORRECTION]
    assert paid == PayablePaid(T1, 0, Number(1), DRAWER, Cents(36_000), clause, "A. Patron, by passport")
    assert (play.house.drawers[DRAWER].cash, seat(play).debts, seat(play).causes) == (64_000, {}, {})
    assert (seat(play).meters.payables_paid, play.house.ledger[LedgerAccount.PAYABLES]) == (36_000, 0)
    # The next slip has another number.
    assert play.house.payables_paid == 1
    assert session_figures(play.house, seat(play)) == Session(since, 10_000, 0, 0, 0)
    assert refused(play.by("cashier", PAYS))[0] == "unknown_record"
    play.check()


def test_payable_is_for_the_cashier_of_the_drawer_to_pay() -> None:
    """Neither a cashier without that drawer nor the pit alone pays it; a second cashier does not sign it."""
    play = owed()
    play.enrol("Cashier", "other cashier")
    for person in ("other cashier", "pit supervisor"):
        assert refused(play.by(person, PAYS))[0] == "not_authorised"
    play.must(PAYS, device_of("cashier"), "cashier")
    assert refused(play.by("other cashier", Approve(Number(2))))[0] == "not_authorised"
    assert refused(play.by("dealer", Approve(Number(2))))[0] == "not_authorised"
    play.must(Withdraw(Number(2)), device_of("cashier"), "cashier")
    assert refused(play.by("pit supervisor", Approve(Number(2))))[0] == "unknown_record"
    play.check()


WRONG = [
    (PayPayable(T1, 1, DRAWER, Cents(36_000), "A. Patron"), "unknown_record"),
    (PayPayable(T1, 0, DRAWER, Cents(36_000), " "), "reason_not_listed"),
    (PayPayable(T1, 0, DRAWER, Cents(36_100), "A. Patron"), "record_differs"),
    (PayPayable(T1, 0, DrawerId("D9"), Cents(36_000), "A. Patron"), "drawer_unknown"),
]


@pytest.mark.parametrize(("command", "code"), WRONG)
def test_payable_is_paid_as_it_stands(command: PayPayable, code: str) -> None:
    """Another session, another amount, no name or no drawer: nothing is paid."""
    play = owed()
    assert refused(play.by("cashier", command))[0] == code
    play.check()


def test_payable_larger_than_the_drawer_is_not_paid() -> None:
    """Where the drawer holds too little, another is needed."""
    play = lost(MARINA)
    end(play)
    correct(play, "17")
    play.by("cashier", OpenDrawer(DRAWER, cents(359)))
    play.must(PAYS, device_of("cashier"), "cashier")
    assert refused(play.by("pit supervisor", Approve(Number(2)))) == ("drawer_short", "1.1.1")


def test_equal_proposal_of_the_cashier_pays_no_payable_of_others() -> None:
    """While the cashier's proposal is open, two other people cannot pay with an equal proposal of their own."""
    play = owed()
    play.must(PAYS, device_of("cashier"), "cashier")
    assert refused(play.by("pit supervisor", PAYS))[0] == "not_authorised"


def test_second_signature_does_not_pay_what_was_corrected_away() -> None:
    """The number was 16 after all: what the cashier had signed for is not payable any more."""
    play = owed()
    play.must(PAYS, device_of("cashier"), "cashier")
    correct(play, "16")
    assert refused(play.by("pit supervisor", Approve(Number(2))))[0] == "unknown_record"
    assert seat(play).debts == {}
    play.check()


def test_payable_that_was_paid_is_owed_back_when_it_is_corrected_away() -> None:
    """360 were paid, and the number was 16 after all: that session owes them, and nobody else does."""
    play = owed()
    twice(play, PAYS, "cashier", "pit supervisor")
    correct(play, "16")
    assert (seat(play).debts, play.credit("T1")) == ({0: 36_000}, 100)
    assert (play.house.ledger[LedgerAccount.RECEIVABLES], play.house.ledger[LedgerAccount.PAYABLES]) == (-36_000, 0)
    play.check()


def test_trial_of_a_correction_leaves_idle_times_and_payables_alone() -> None:
    """A preview at the second game of a terminal changes nothing of the house."""
    right = TableId("table 2")
    play = Play(CLEARWATER, TableSettings(), TableSettings())
    play.enrol("Supervisor", "second")
    play.seat("T1", cents(10), tables=(right, TABLE))
    play.round("16", T1="10 on 17")
    before, waiting = state_digest(play.house), due(play.house)
    trial = preview_correction(
        play.house, CorrectResult(TABLE, RoundNumber(1), Pocket("17"), ""), Context(play.now, SYSTEM)
    )
    assert (trial.terminals[0].after.credit, trial.terminals[0].gone) == (36_000, False)
    assert (state_digest(play.house), due(play.house)) == (before, waiting)

    correct(play, "17")
    assert (play.credit("T1"), due(play.house)) == (360, None)
    play.check()


@pytest.mark.clause(ADELAIDE, "11(f)")
def test_idle_spins_are_counted_from_when_the_player_sat_down() -> None:
    """Four spins before a player's money came in are not that player's to have sat out; three after it are."""
    play = Play(ADELAIDE)
    play.seats(T1=0, T2=1_000)
    for _ in range(4):
        play.round("5", T2="5 on 17")
    sit(play)
    assert (idle(play.house, TABLE), seat(play).games[TABLE].idle_spins) == ((), 0)
    play.round("5", T2="5 on 17")
    assert seat(play).games[TABLE].idle_spins == 1
    play.round("5", T2="5 on 17")
    assert idle(play.house, TABLE) == ()
    play.round("5", T2="5 on 17")
    assert idle(play.house, TABLE) == ("T1",)


@pytest.mark.clause(ADELAIDE, "11(f)")
def test_spin_after_whose_close_a_player_sat_down_is_not_counted() -> None:
    """Money that comes in while the ball runs begins a session with no spin to bet on yet."""
    play = Play(ADELAIDE)
    play.seats(T1=0)
    play.open()
    play.close()
    sit(play)
    play.spin()
    play.rest("5")
    assert seat(play).games[TABLE].idle_spins == 0


@pytest.mark.clause(ADELAIDE, "11(f)")
def test_idle_count_ends_with_the_session() -> None:
    """A player sat out three spins and left: the next one has sat out none."""
    play = Play(ADELAIDE)
    play.seats(T1=10)
    for _ in range(3):
        play.round("5")
    assert idle(play.house, TABLE) == ("T1",)
    play.ask(Collect(T1, Validation(Number(1), "digest 1", "0001")), DeviceId("T1"))
    sit(play)
    assert idle(play.house, TABLE) == ()


@pytest.mark.clause(ADELAIDE, "11(f)")
def test_bet_on_the_layout_ends_the_alert_at_once() -> None:
    """A chip on the layout takes the terminal off the list before the spin; taken back, it is on it again."""
    play = Play(ADELAIDE)
    play.seats(T1=10)
    for _ in range(3):
        play.round("5")
    play.open()
    assert idle(play.house, TABLE) == ("T1",)
    play.bet("T1", "5 on 17")
    assert idle(play.house, TABLE) == ()
    play.remove("T1", "17")
    assert idle(play.house, TABLE) == ("T1",)
