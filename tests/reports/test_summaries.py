"""Table reports of a real house, with figures computed by hand."""

from fractions import Fraction

import pytest

from croupier.house.floor.disputes import DisputeBasis, OpenDispute
from croupier.house.floor.malfunctions import ConfirmBets, RaiseMalfunction, VoidBets
from croupier.house.floor.signatures import Approve
from croupier.house.ids import SECOND, Day, Number, RoundNumber, TableId
from croupier.house.rounds.corrections import CorrectResult, InvalidateOutcome
from croupier.house.rounds.theory import theory
from croupier.house.state.records import MalfunctionKind
from croupier.house.state.tables import ROUNDS_KEPT
from croupier.reports import round_projection as rounds
from croupier.reports.day_projection import day_report, table_report
from croupier.reports.summaries import TableReport, TableTotals
from croupier.rules.geometry import Pocket
from croupier.rules.procedure import Reason
from croupier.rules.refusal import Code
from tests.support.engine_driver import raised_code
from tests.support.house_driver import (
    ADELAIDE,
    MARINA,
    T1,
    TABLE,
    TODAY,
    TOMORROW,
    CashierDriver,
)
from tests.support.sample_documents import on_roll

ONE = Number(1)


def table_day(play: CashierDriver, day: Day = TODAY) -> TableReport:
    return table_report(play.ledger, TABLE, day, play.now)


def played() -> CashierDriver:
    """Two rounds and a void one at Marina Bay Sands, the second of them corrected."""
    play = CashierDriver(MARINA)
    play.seats(T1=1_000, T2=1_000)
    play.round("17", T1="10 on 17", T2="20 on red")
    play.passes(60)
    play.round("20", T1="5 on 17")
    play.enrol("Pit Manager", "pia")
    assert isinstance(play.by("pit manager", CorrectResult(TABLE, RoundNumber(2), Pocket("17"), "Misread.")), tuple)
    assert isinstance(play.by("pia", Approve(Number(play.house.proposals.made))), tuple)
    play.open()
    play.bet("T1", "7 on 17")
    play.close()
    play.spin()
    play.rest("17", revolutions=1)
    return play


def test_table_has_its_takings_and_its_rounds() -> None:
    """42 were staked, 540 came back for 17 twice, and 7 of a void round: the table has lost 505."""
    paper = table_day(played())

    assert paper.totals == TableTotals(rounds=2, voids=1, turnover=4_200, returned=54_000, refunded=700)
    assert paper.totals.won == -50_500
    assert [(each.round, each.result, each.staked, each.back) for each in paper.rounds] == [
        (1, "17", 3_000, 36_000),
        (2, "17, was 20", 500, 18_000),
        (3, "void", 700, 700),
    ]
    assert [each.over_at for each in paper.rounds] == [0, 60 * SECOND, 60 * SECOND]


def test_table_has_what_the_odds_let_expect() -> None:
    """Of 35.00 at risk on 38 pockets paid as if 36, 1.84 are to be expected, within what chance does to these bets."""
    play = played()
    paper, by_odds = table_day(play), theory(play.table)

    assert paper.expected.won == round(Fraction(3_500 * 2, 38)) == 184
    assert (paper.expected.low, paper.expected.high) == (by_odds.low, by_odds.high)
    assert paper.totals.won < paper.expected.low


def test_each_day_has_its_own_rounds() -> None:
    """A round counts on the day on which it is settled, and both days together are what the meters have counted."""
    play = played()
    play.open()
    play.bet("T2", "30 on red")
    play.close()
    play.next_day()
    running = table_day(play, TOMORROW)
    play.spin()
    play.rest("1")
    before, after = table_day(play), table_day(play, TOMORROW)

    assert (before.totals.turnover, before.totals.won) == (4_200, -50_500)
    assert (running.totals, running.rounds) == (TableTotals(), ())
    assert after.totals == TableTotals(rounds=1, turnover=3_000, returned=6_000)
    assert [each.round for each in before.rounds] == [1, 2, 3]
    assert [each.round for each in after.rounds] == [4]
    assert before.totals.won + after.totals.won == play.table.meters.won
    assert before.expected.won + after.expected.won == theory(play.table).expected


def test_round_that_is_put_right_on_another_day_counts_there() -> None:
    """A correction after the day's end leaves that day as it was; the difference is a line of the day it is made on."""
    play = CashierDriver(MARINA)
    play.seats(T1=1_000)
    play.round("20", T1="5 on 17")
    play.enrol("Pit Manager", "pia")
    play.next_day()
    play.by("pit manager", CorrectResult(TABLE, RoundNumber(1), Pocket("17"), "Misread."))
    play.by("pia", Approve(Number(play.house.proposals.made)))
    before, after = table_day(play), table_day(play, TOMORROW)

    assert [(each.result, each.staked, each.back) for each in before.rounds] == [("20", 500, 0)]
    assert before.totals == TableTotals(rounds=1, turnover=500)
    assert [(each.result, each.staked, each.back) for each in after.rounds] == [("17, was 20", 0, 18_000)]
    assert after.totals == TableTotals(returned=18_000)


@pytest.mark.clause("skycity-adelaide-2003", "12(b)i")
def test_outcome_that_is_taken_back_on_another_day_is_taken_off_there() -> None:
    """What a day's bets let expect is taken off the day on which their outcome is taken back, and leaves no spread."""
    play = CashierDriver(ADELAIDE)
    play.seats(T1=1_000)
    play.round("20", T1="5 on 17")
    play.next_day()
    play.enrol("Shift Manager", "shirin")
    play.by("shift manager", InvalidateOutcome(TABLE, RoundNumber(1), Reason.FIRE, "Fire in the kitchen."))
    play.by("shirin", Approve(ONE))
    before, after = table_day(play), table_day(play, TOMORROW)

    assert [(each.result, each.staked, each.back) for each in after.rounds] == [("void", 0, 500)]
    assert before.expected.won + after.expected.won == 0
    assert after.expected.low == after.expected.won == after.expected.high


def test_dispute_moves_nothing_in_its_round() -> None:
    """A dispute on another day than its round's is no line of that day, whether the round is kept or not."""
    play = CashierDriver(MARINA)
    play.seats(T1=1_000)
    for _ in range(ROUNDS_KEPT + 2):
        play.round("20", T1="5 on 17")
    play.next_day()
    for number in (1, ROUNDS_KEPT + 2):
        dispute = OpenDispute(TABLE, RoundNumber(number), T1, DisputeBasis.NOT_COVERED, "It was 17.")
        assert isinstance(play.by("gaming shift manager", dispute), tuple)

    assert len(table_day(play).rounds) == ROUNDS_KEPT + 2
    assert table_day(play, TOMORROW).rounds == ()


@pytest.mark.clause("skycity-adelaide-2003", "11(b)ii")
@pytest.mark.parametrize(("confirmed", "back"), [(True, 36_000), (False, 1_000)])
def test_bets_in_question_are_put_right_in_their_round(*, confirmed: bool, back: int) -> None:
    """What a case brings back later is in the line of the round that it was about."""
    play = CashierDriver(ADELAIDE)
    play.seats(T1=100, T2=100)
    play.open()
    play.bet("T1", "10 on 17")
    play.bet("T2", "10 on 20")
    play.close()
    play.by("dealer", RaiseMalfunction(T1, MalfunctionKind.OPINION, "It flickers."))
    play.spin()
    play.rest("17")
    assert [(each.staked, each.back) for each in table_day(play).rounds] == [(2_000, 0)]
    digest = play.table.playing.digest
    play.by("dealer", ConfirmBets(ONE, digest) if confirmed else VoidBets(ONE, "No record."))
    if not confirmed:
        play.by("inspector", Approve(ONE))

    assert [(each.staked, each.back) for each in table_day(play).rounds] == [(2_000, back)]


@pytest.mark.clause("skycity-adelaide-2003", "11(b)ii")
def test_bets_in_question_are_put_right_long_after_their_round() -> None:
    """A case keeps its round: what it brings back is in that round's line also when its table keeps it no longer."""
    play = CashierDriver(ADELAIDE)
    play.seats(T1=100, T2=10_000)
    play.open()
    play.bet("T1", "10 on 17")
    play.close()
    play.by("dealer", RaiseMalfunction(T1, MalfunctionKind.OPINION, "It flickers."))
    play.spin()
    play.rest("17")
    digest = play.table.playing.digest
    for _ in range(ROUNDS_KEPT + 2):
        play.round("20", T2="5 on 17")
    assert play.table.find_round(RoundNumber(1)) is None
    assert isinstance(play.by("dealer", ConfirmBets(ONE, digest)), tuple)
    paper = table_day(play)

    assert (paper.rounds[0].round, paper.rounds[0].staked, paper.rounds[0].back) == (1, 1_000, 36_000)
    assert sum(each.back for each in paper.rounds) == paper.totals.returned
    assert "do not add up" not in on_roll(paper.layout())


def test_rounds_that_are_not_all_kept_are_not_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A day of which the first rounds are kept no longer has its takings and no list; the next day has its own."""
    monkeypatch.setattr(rounds, "LINES_MAX", 2)
    play = played()
    play.next_day()
    play.round("5", T1="1 on 5")
    first, second = table_day(play), table_day(play, TOMORROW)

    assert (first.totals.rounds, first.rounds, first.listed) == (2, (), False)
    assert [each.round for each in second.rounds] == [4]
    assert second.listed


def test_unknown_day_and_table_are_refused() -> None:
    """A day that is not on record and a table that is not there have no report."""
    play = played()

    assert raised_code(table_report, play.ledger, TABLE, TOMORROW, play.now) is Code.UNKNOWN_RECORD
    assert raised_code(table_report, play.ledger, TableId("X"), TODAY, play.now) is Code.UNKNOWN_TABLE
    assert raised_code(day_report, play.ledger, TOMORROW, None, play.now) is Code.UNKNOWN_RECORD
    assert raised_code(day_report, play.ledger, TODAY, "AUD", play.now) is Code.MALFORMED
