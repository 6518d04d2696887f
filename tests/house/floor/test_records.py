"""Malfunctions on record: lost terminals, the case of each, and what becomes of the bets."""

import pytest

from croupier.house.floor.malfunctions import (
    BetsConfirmed,
    BetsVoided,
    ClearCase,
    ClearLineLoss,
    ConfirmBets,
    LineLossCleared,
    MalfunctionRaised,
    RaiseMalfunction,
    ReportDisplay,
    VoidBets,
)
from croupier.house.floor.service import ReportTerminalLost, ReportTerminalReturned
from croupier.house.floor.setup import AddTable, AddTerminal
from croupier.house.ids import SECOND, Number, RoundNumber, TerminalId
from croupier.house.play.betting import BetsReturned, ReturnReason
from croupier.house.rounds.corrections import CorrectResult, InvalidateOutcome
from croupier.house.settings import TerminalSettings
from croupier.house.state.ledger import LedgerAccount
from croupier.house.state.records import (
    CaseState,
    MalfunctionCase,
    MalfunctionEvidence,
    MalfunctionKind,
    MalfunctionSign,
)
from croupier.house.timers import Tick, due
from croupier.rules.geometry import Pocket, SpotKey
from croupier.rules.money import Cents
from croupier.rules.procedure import Reason
from croupier.rules.refusal import ClauseId, Code, Refusal
from tests.support.house_driver import A2, ADELAIDE, CLEARWATER, MARINA, P1, P2, PROMPT, T1, T2, T3, TABLE, CheckedHouse

ONE = Number(1)
DRIFT = RaiseMalfunction(T1, MalfunctionKind.OPINION, "touch drift")


def case_of(pit: CheckedHouse) -> MalfunctionCase:
    return pit.house.cases.all[ONE]


def at_close(rulebook_id: str = ADELAIDE, stake: int = 10_00) -> CheckedHouse:
    """Find a pit where T1 bought 100 and has sealed bets on 17."""
    pit = CheckedHouse(rulebook_id)
    pit.open(credit=100_00, stake=stake)
    pit.close()
    return pit


def raised(pit: CheckedHouse, by: str = "") -> None:
    pit.done(DRIFT, by)


def test_link_is_lost_and_comes_back() -> None:
    """A terminal is dark from the moment its link goes until it is back, and is lost or back only once."""
    pit = CheckedHouse()
    pit.seconds = 7
    pit.refused(ReportTerminalReturned(T1), Code.ALREADY_THERE, "11(a)iii")
    pit.done(ReportTerminalLost(T1))
    assert (pit.t1.lost_at, pit.house.offline) == (7 * SECOND, {T1})
    pit.refused(ReportTerminalLost(T1), Code.ALREADY_THERE, "11(a)iii")
    pit.done(ReportTerminalReturned(T1))
    assert (pit.t1.lost_at, pit.house.offline) == (None, set())


@pytest.mark.clause("skycity-adelaide-2003", "11(a)")
@pytest.mark.parametrize(
    ("fault", "clause"),
    [
        (MalfunctionKind.CREDITS, "11(a)i"),
        (MalfunctionKind.NUMBERS, "11(a)ii"),
        (MalfunctionKind.INTERRUPTED, "11(a)iii"),
        (MalfunctionKind.OPINION, "11(a)iv"),
    ],
)
def test_malfunction_opens_a_case_and_blocks_the_terminal(fault: MalfunctionKind, clause: str) -> None:
    """A malfunction of any class opens a case that cites the class and blocks the terminal, and no other."""
    pit = CheckedHouse()
    pit.open(credit=20_00)
    pit.done(RaiseMalfunction(T1, fault, "it happened"), "Dealer")
    assert (case_of(pit).terminal, case_of(pit).clause, pit.t1.case, pit.t2.case) == (T1, clause, 1, None)
    pit.refused(pit.placing(T1, ("17", 5_00)), Code.TERMINAL_BLOCKED, clause, on=T1)


@pytest.mark.clause("skycity-adelaide-2003", "11(a)iv")
def test_inspector_thinks_that_the_touch_drifts() -> None:
    """An Inspector's opinion with its words opens a case and blocks the terminal, once."""
    pit = CheckedHouse()
    raised(pit, "Inspector")
    assert (case_of(pit).fault, case_of(pit).words, pit.t1.case) == (MalfunctionKind.OPINION, "touch drift", 1)
    pit.refused(DRIFT, Code.ALREADY_THERE, "11(a)iv", by="Inspector")
    pit.done(ClearCase(ONE), "Inspector")
    assert (pit.t1.case, case_of(pit).cleared) == (None, True)
    pit.refused(ClearCase(ONE), Code.ALREADY_THERE, "11(a)iv", by="Inspector")


@pytest.mark.clause("skycity-adelaide-2003", "11(a)i")
def test_credits_that_are_not_on_the_meter() -> None:
    """After 100 in, 10 staked and 350 won the meter shows 440, and a display of 800 is a malfunction that locks it."""
    pit = at_close()
    pit.rest("17")
    assert (pit.t1.credit, pit.t1.in_play) == (440_00, 10_00)
    assert pit.done(ReportDisplay(T1, credit=Cents(440_00)), on=T1) == ()
    pit.done(ReportDisplay(T1, credit=Cents(800_00)), on=T1)
    assert (case_of(pit).fault, case_of(pit).clause, pit.t1.case) == (MalfunctionKind.CREDITS, "11(a)i", 1)
    assert case_of(pit).evidence == MalfunctionEvidence(MalfunctionSign.CREDIT_DIFFERS, Cents(800_00), Cents(440_00))
    assert pit.done(ReportDisplay(T1, credit=Cents(800_00)), on=T1) == ()
    assert len(pit.house.cases.all) == 1


@pytest.mark.clause("skycity-adelaide-2003", "11(a)ii")
@pytest.mark.parametrize(
    ("number", "fault"), [("36", None), ("0", None), ("37", MalfunctionKind.NUMBERS), ("00", MalfunctionKind.NUMBERS)]
)
def test_number_that_is_not_on_the_layout(number: str, fault: MalfunctionKind | None) -> None:
    """A terminal that shows 37 or 00 malfunctions, and one that shows a number from 0 to 36 does not."""
    pit = CheckedHouse()
    pit.done(ReportDisplay(T1, number=number), on=T1)
    assert [(case.fault, case.clause) for case in pit.house.cases.all.values()] == (
        [(fault, "11(a)ii")] if fault else []
    )


@pytest.mark.clause("skycity-adelaide-2003", "11(a)iii")
def test_terminal_that_is_dark_for_too_long() -> None:
    """A link lost for 5 seconds is a malfunction from that moment, and one that comes back in time is none."""
    pit = CheckedHouse()
    pit.seconds = 10
    assert due(pit.house) is None
    pit.done(ReportTerminalLost(T2))
    pit.done(ReportTerminalLost(T1))
    assert due(pit.house) == 15 * SECOND
    pit.done(ReportTerminalReturned(T2))
    pit.seconds = 20
    pit.done(Tick())
    assert (case_of(pit).clause, case_of(pit).raised_at) == ("11(a)iii", 20 * SECOND)
    assert due(pit.house) is None
    pit.refused(ClearCase(ONE), Code.TERMINAL_DARK, "11(a)iii", by="Inspector")


@pytest.mark.parametrize("rulebook_id", [MARINA, CLEARWATER])
def test_dark_terminal_is_no_malfunction_elsewhere(rulebook_id: str) -> None:
    """Where the rules judge a dark terminal at the close alone, no patience runs out."""
    pit = CheckedHouse(rulebook_id)
    pit.done(ReportTerminalLost(T1))
    assert due(pit.house) is None


@pytest.mark.clause("skycity-adelaide-2003", "11(b)")
@pytest.mark.parametrize(
    ("closed", "returned", "questioned"), [(False, ["11(b)i"], ()), (True, [], ((TABLE, RoundNumber(1)),))]
)
def test_moment_of_raising_decides(
    *, closed: bool, returned: list[str], questioned: tuple[tuple[str, int], ...]
) -> None:
    """Raised before the close the bets go back by 11(b)i; raised at it or later they are in question."""
    pit = CheckedHouse()
    pit.open(credit=100_00, stake=10_00)
    if closed:
        pit.close()
    case, *others = pit.done(DRIFT, "Dealer")
    assert isinstance(case, MalfunctionRaised)
    assert case.questioned == questioned
    assert [event.clause for event in others if isinstance(event, BetsReturned)] == returned
    if not closed:
        pit.refused(ConfirmBets(ONE, ""), Code.NOTHING_THERE, "11(a)iv", by="Dealer")
        pit.refused(VoidBets(ONE, "no record"), Code.NOTHING_THERE, "11(a)iv", by="Dealer")


@pytest.mark.clause("skycity-adelaide-2003", "11(b)i")
def test_bets_before_the_close_are_void() -> None:
    """T1's 25 go back three seconds before the close and it is not in the spin; T2's 10 are played."""
    pit = CheckedHouse()
    pit.open(credit=100_00, stake=25_00)
    pit.note(20_00, T2)
    pit.done(pit.placing(T2, ("17", 10_00)), on=T2)
    raised(pit, "Dealer")
    assert (pit.t1.credit, pit.t1.in_play) == (100_00, 0)
    pit.close()
    assert pit.table.playing.layouts == {P2: {"17": 10_00}}
    pit.rest("17")
    assert (pit.t1.credit, pit.t2.credit, pit.table.playing.paid) == (100_00, 360_00, {P2: 360_00})


def test_chips_that_stayed_up_go_back_too() -> None:
    """A winning stake that lies on the layout between rounds goes back when its terminal malfunctions."""
    pit = at_close()
    pit.rest("17")
    events = pit.done(DRIFT, "Dealer")
    assert events[1] == BetsReturned(P1, RoundNumber(1), ReturnReason.MALFUNCTION, ClauseId("11(b)i"), (SpotKey("17"),))
    assert (pit.t1.credit, pit.t1.in_play, case_of(pit).questioned) == (450_00, 0, ())


@pytest.mark.clause("skycity-adelaide-2003", "11(b)ii")
def test_bets_are_confirmed_after_the_settlement() -> None:
    """With 10 on 17 on record and 17 the outcome, a terminal that was dark at the close gets 350 and its stake."""
    pit = CheckedHouse()
    pit.open(credit=100_00, stake=10_00)
    pit.done(ReportTerminalLost(T1))
    pit.seconds = 4
    pit.close()
    pit.seconds = 6
    pit.done(Tick())
    pit.rest("17")
    assert (pit.t1.credit, case_of(pit).suspense, pit.house.ledger[LedgerAccount.SUSPENSE]) == (90_00, 10_00, 10_00)
    pit.refused(ConfirmBets(ONE, "0" * 64), Code.RECORD_DIFFERS, "11(b)iii", by="Dealer")
    confirmed = pit.done(ConfirmBets(ONE, pit.table.playing.digest), "Dealer")
    assert confirmed == (BetsConfirmed(ONE, ClauseId("11(b)ii"), ((TABLE, RoundNumber(1), Cents(360_00)),)),)
    assert (pit.t1.credit, pit.t1.meters.returned, pit.table.meters.returned) == (450_00, 360_00, 360_00)
    assert (case_of(pit).state, case_of(pit).suspense, case_of(pit).returned) == (CaseState.CONFIRMED, 0, 360_00)
    assert (pit.table.playing.paid, pit.t1.recall[-1].returned) == ({P1: 360_00}, 360_00)
    pit.refused(ConfirmBets(ONE, pit.table.playing.digest), Code.ALREADY_THERE, "11(a)iii", by="Dealer")
    pit.done(ReportTerminalReturned(T1))
    pit.done(ClearCase(ONE), "Inspector")


def test_bets_confirmed_before_the_result_are_settled_with_the_others() -> None:
    """Bets that are confirmed while the ball runs are paid with everybody's; unconfirmed ones hold up the clearing."""
    pit = at_close()
    raised(pit, "Dealer")
    pit.refused(ClearCase(ONE), Code.OUT_OF_TURN, "11(b)ii", by="Inspector")
    pit.done(ConfirmBets(ONE, pit.table.playing.digest), "Dealer")
    assert (pit.t1.credit, pit.t1.in_play) == (90_00, 10_00)
    pit.rest("17")
    assert (pit.t1.credit, pit.t1.in_play, case_of(pit).returned) == (450_00, 0, 0)
    pit.done(ClearCase(ONE), "Inspector")


def test_bets_are_confirmed_by_the_number_that_stands() -> None:
    """A number corrected while bets were in question is the one they are paid by, and a later correction counts too."""
    pit = at_close()
    raised(pit)
    pit.rest("16")
    pit.signed(CorrectResult(TABLE, RoundNumber(1), Pocket("17"), "misread"), "Pit Boss")
    pit.done(ConfirmBets(ONE, pit.table.playing.digest), "Dealer")
    assert (pit.t1.credit, case_of(pit).returned) == (450_00, 360_00)
    pit.signed(CorrectResult(TABLE, RoundNumber(1), Pocket("16"), "it was 16"), "Pit Boss")
    assert pit.t1.credit == 90_00


def test_bets_confirmed_in_an_outcome_that_was_taken_back() -> None:
    """Where the outcome was invalidated meanwhile, confirmed bets bring their stakes, and no other game changes."""
    pit = at_close()
    pit.rest("18")
    pit.open(stake=20_00)
    pit.close()
    raised(pit)
    pit.rest("17")
    pit.signed(InvalidateOutcome(TABLE, RoundNumber(2), Reason.FIRE, "alarm"), "Shift Manager")
    pit.done(ConfirmBets(ONE, pit.table.playing.digest), "Dealer")
    assert (pit.t1.credit, [game.returned for game in pit.t1.recall]) == (90_00, [0, 20_00])


@pytest.mark.clause("skycity-adelaide-2003", "11(b)iii")
@pytest.mark.parametrize("settled", [False, True])
def test_bets_that_the_records_do_not_bear_out_are_void(*, settled: bool) -> None:
    """Where the record differs the 10 that were staked go back and no win is paid, before and after the settlement."""
    pit = at_close()
    raised(pit)
    if settled:
        pit.rest("17")
    pit.refused(ConfirmBets(ONE, "torn"), Code.RECORD_DIFFERS, "11(b)iii", by="Dealer")
    pit.refused(VoidBets(ONE, " "), Code.REASON_NOT_LISTED, "11(b)iii", by="Dealer")
    void = VoidBets(ONE, "the record is torn")
    if settled:
        pit.signed(void, "Dealer")
    else:
        pit.done(void, "Dealer")
    assert (pit.t1.credit, pit.t1.meters.refunded, case_of(pit).state) == (100_00, 10_00, CaseState.VOIDED)
    if not settled:
        pit.rest("17")
    assert (pit.t1.credit, pit.t1.in_play, pit.table.playing.paid) == (100_00, 0, {})
    pit.refused(VoidBets(ONE, "again"), Code.ALREADY_THERE, "11(a)iv", by="Dealer")


@pytest.mark.parametrize("command", [ConfirmBets(ONE, ""), VoidBets(ONE, "why"), ClearCase(ONE)])
def test_case_must_exist(command: ConfirmBets | VoidBets | ClearCase) -> None:
    """Nothing is done about a case that was never opened."""
    CheckedHouse().refused(command, Code.UNKNOWN_RECORD, by="Inspector")


@pytest.mark.clause("clearwater-etg", "25")
def test_malfunction_voids_pays_and_plays() -> None:
    """With a fault between the close and the result the 10 go back at once and the 350 of the result are not paid."""
    pit = at_close(CLEARWATER)
    case, voided = pit.done(RaiseMalfunction(T1, MalfunctionKind.OPINION, "malfunction"), "Attendant")
    assert isinstance(case, MalfunctionRaised)
    assert voided == BetsVoided(ONE, ClauseId("25"), "malfunction")
    assert (pit.t1.credit, pit.t1.meters.refunded) == (100_00, 10_00)
    pit.rest("17")
    assert (pit.t1.credit, case_of(pit).words, case_of(pit).state) == (100_00, "malfunction", CaseState.VOIDED)
    pit.done(ClearCase(ONE), "Technician")
    assert pit.t1.case is None


def test_two_games_of_one_terminal_are_judged_each_by_its_round() -> None:
    """Of a terminal's two games the sealed one is void and the open one's chips go back."""
    pit = CheckedHouse(CLEARWATER)
    pit.done(AddTable(A2, pit.rulebook.digest, PROMPT))
    pit.done(AddTerminal(T3, (A2, TABLE), TerminalSettings()))
    pit.note(50_00, T3)
    pit.open()
    pit.done(pit.placing(T3, ("17", 10_00)), on=T3)
    pit.close()
    pit.done(RaiseMalfunction(T3, MalfunctionKind.OPINION, "smoke"), "Attendant")
    assert (case_of(pit).questioned, pit.house.terminals[T3].credit) == (((TABLE, 1),), 50_00)


@pytest.mark.clause("marina-bay-sands-2020", "5.14")
@pytest.mark.clause("marina-bay-sands-2020", "5.14.1")
def test_sealed_bets_of_a_failed_terminal_stand() -> None:
    """A terminal that fails after the close plays on: its 10 on red bring 20 on 1, and the others settle at once."""
    pit = CheckedHouse(MARINA)
    pit.open(credit=100_00)
    pit.done(pit.placing(T1, ("red", 10_00)), on=T1)
    pit.close()
    pit.done(ReportTerminalLost(T1))
    assert len(pit.done(DRIFT, "Pit Supervisor")) == 1
    pit.rest("1")
    assert (pit.t1.credit, pit.t1.meters.returned, case_of(pit).questioned) == (110_00, 20_00, ())


@pytest.mark.clause("marina-bay-sands-2020", "5.14.2")
@pytest.mark.parametrize(("returns", "credit"), [(False, 100_00), (True, 110_00)])
def test_terminal_that_is_dark_at_the_close(*, returns: bool, credit: int) -> None:
    """Still dark at the close a terminal has not taken part and has its 10 back; back before it, it wins 10."""
    pit = CheckedHouse(MARINA)
    pit.open(credit=100_00)
    pit.done(pit.placing(T1, ("red", 10_00)), on=T1)
    pit.done(ReportTerminalLost(T1))
    if returns:
        pit.done(ReportTerminalReturned(T1))
    pit.close()
    pit.rest("1")
    assert pit.t1.credit == credit


def line_lost(pit: CheckedHouse, count: int) -> list[TerminalId]:
    """Have terminals lose their links together, and malfunction together."""
    names = [TerminalId(f"N{each:03}") for each in range(count)]
    for name in names:
        pit.done(AddTerminal(name, (TABLE,), TerminalSettings()))
    for name in names:
        pit.done(ReportTerminalLost(name))
    pit.seconds += 5
    raise_all(pit)
    return names


def numbers(*cases: int) -> tuple[Number, ...]:
    return tuple(map(Number, cases))


def raise_all(pit: CheckedHouse) -> None:
    while (at := due(pit.house)) is not None and at <= pit.now:
        pit.done(Tick())


@pytest.mark.clause("skycity-adelaide-2003", "11(a)iii")
def test_line_loss_is_cleared_with_one_signature() -> None:
    """One command clears the cases of all terminals that lost their links together and are back, and no other."""
    pit = CheckedHouse()
    pit.done(RaiseMalfunction(T1, MalfunctionKind.OPINION, "It flickers."), "Inspector")
    names = line_lost(pit, 6)
    loss = pit.house.cases.all[Number(2)].line_loss
    assert loss == 2
    assert [case.line_loss for case in pit.house.cases.all.values()] == [None, *[loss] * 6]
    # The first of its cases is named.
    assert pit.refused(ClearLineLoss(TABLE, loss), Code.TERMINAL_DARK, "11(a)iii", by="Inspector").facts == {"case": 2}
    for name in names[:4]:
        pit.done(ReportTerminalReturned(name))
    refusal = pit.send(ClearLineLoss(TABLE, loss), "Dealer")
    assert isinstance(refusal, Refusal)
    assert refusal.code is Code.NOT_AUTHORISED

    assert pit.done(ClearLineLoss(TABLE, loss), "Inspector") == (LineLossCleared(TABLE, loss, numbers(2, 3, 4, 5)),)
    assert [each for each in names if pit.house.terminals[each].case is None] == names[:4]
    assert pit.t1.case == 1
    pit.refused(ClearLineLoss(TABLE, loss), Code.TERMINAL_DARK, "11(a)iii", by="Inspector")
    for name in names[4:]:
        pit.done(ReportTerminalReturned(name))
    pit.done(ClearLineLoss(TABLE, loss), "Technician")
    assert [case.cleared for case in pit.house.cases.all.values()] == [False, *[True] * 6]
    pit.refused(ClearLineLoss(TABLE, loss), Code.UNKNOWN_RECORD, None, by="Inspector")


def test_line_loss_with_bets_in_question_is_cleared_after_them() -> None:
    """Cases whose sealed bets wait for somebody's word stay when the others of their line loss are cleared."""
    pit = at_close()
    pit.done(ReportTerminalLost(T1))
    names = line_lost(pit, 2)
    for name in (T1, *names):
        pit.done(ReportTerminalReturned(name))
    assert pit.done(ClearLineLoss(TABLE, ONE), "Inspector") == (LineLossCleared(TABLE, ONE, numbers(1, 2)),)
    pit.refused(ClearLineLoss(TABLE, ONE), Code.OUT_OF_TURN, "11(b)ii", by="Inspector")
    pit.done(ConfirmBets(Number(3), pit.table.playing.digest), "Dealer")
    pit.done(ClearLineLoss(TABLE, ONE), "Inspector")
    assert pit.t1.case is None


@pytest.mark.parametrize(("apart", "same"), [(10, True), (11, False)])
def test_links_lost_long_after_another_are_another_line_loss(*, apart: int, same: bool) -> None:
    """Links lost within ten seconds of the last are of one line loss; after eleven seconds another begins."""
    pit = CheckedHouse()
    pit.done(ReportTerminalLost(T1))
    pit.seconds = 5
    raise_all(pit)
    pit.seconds = apart
    pit.done(ReportTerminalLost(T2))
    pit.seconds += 5
    raise_all(pit)
    assert [case.line_loss for case in pit.house.cases.all.values()] == [1, 1 if same else 2]


def test_line_loss_is_of_one_table() -> None:
    """Terminals of another table that lose their links at the same time have a line loss of their own."""
    pit = CheckedHouse()
    pit.done(AddTable(A2, pit.rulebook.digest, PROMPT))
    pit.done(AddTerminal(T3, (A2,), TerminalSettings()))
    for name in (T1, T2, T3):
        pit.done(ReportTerminalLost(name))
    pit.seconds = 5
    raise_all(pit)
    for name in (T1, T2, T3):
        pit.done(ReportTerminalReturned(name))
    assert pit.done(ClearLineLoss(TABLE, ONE), "Inspector") == (LineLossCleared(TABLE, ONE, numbers(1, 2)),)
    assert pit.done(ClearLineLoss(A2, Number(3)), "Inspector") == (LineLossCleared(A2, Number(3), numbers(3)),)
