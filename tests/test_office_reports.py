"""Reports from a real house, with figures reckoned by hand: a table's day and the house's day."""

from fractions import Fraction

import pytest

from croupier.house.command.credit import InsertTicket
from croupier.house.command.record import Basis, ConfirmBets, Fault, OpenDispute, RaiseMalfunction, VoidBets
from croupier.house.command.round import CorrectResult, InvalidateOutcome, Tick
from croupier.house.command.venue import Approve
from croupier.house.event.round import DayEnded
from croupier.house.name import SECOND, Day, DeviceId, Number, PersonId, RoundNumber, TableId
from croupier.house.table import ROUNDS_KEPT
from croupier.house.theory import theory
from croupier.office import rounds
from croupier.office.ledger import Ledger
from croupier.office.report import day_report, table_report
from croupier.paper.dayreport import DayReport, DrawerDay, Tally, Unclaimed
from croupier.paper.tablereport import TableReport
from croupier.paper.takings import Takings
from croupier.rulebooks.canonical import read_canonical
from croupier.rules.irregularity import Reason
from croupier.rules.pocket import Pocket
from croupier.rules.procedure import CreditOut
from croupier.rules.refusal import Code, Refusal
from tests.bookkeeper import (
    ADELAIDE,
    CLEARWATER,
    DRAWER,
    MARINA,
    NUMBERS,
    T1,
    TODAY,
    TOMORROW,
    Bookkeeper,
    busy_desk,
)
from tests.play import TABLE

ONE = Number(1)


def code_of(found: object) -> Code:
    assert isinstance(found, Refusal), found
    return found.code


def table_day(play: Bookkeeper, day: Day = TODAY) -> TableReport:
    found = table_report(play.ledger, TABLE, day, play.now)
    assert isinstance(found, TableReport), found
    return found


def house_day(play: Bookkeeper, day: Day = TODAY) -> DayReport:
    found = day_report(play.ledger, day, None, play.now)
    assert isinstance(found, DayReport), found
    return found


# A table's day.


def played() -> Bookkeeper:
    """Two rounds and a void one at Marina Bay Sands, the second of them corrected."""
    play = Bookkeeper(MARINA)
    play.seats(T1=1_000, T2=1_000)
    play.round("17", T1="10 on 17", T2="20 on red")
    play.passes(60)
    play.round("20", T1="5 on 17")
    play.enrol("Pit Manager", "pia")
    assert isinstance(play.by("pit manager", CorrectResult(TABLE, RoundNumber(2), Pocket("17"), "Misread.")), tuple)
    assert isinstance(play.by("pia", Approve(Number(play.house.proposed))), tuple)
    play.open()
    play.bet("T1", "7 on 17")
    play.close()
    play.spin()
    play.rest("17", revolutions=1)
    return play


def test_table_has_its_takings_and_its_rounds() -> None:
    """42 were staked, 540 came back for 17 twice, and 7 of a void round: the table has lost 505."""
    paper = table_day(played())

    assert paper.takings == Takings(rounds=2, voids=1, turnover=4_200, returned=54_000, refunded=700)
    assert paper.takings.won == -50_500
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
    assert paper.takings.won < paper.expected.low


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

    assert (before.takings.turnover, before.takings.won) == (4_200, -50_500)
    assert (running.takings, running.rounds) == (Takings(), ())
    assert after.takings == Takings(rounds=1, turnover=3_000, returned=6_000)
    assert [each.round for each in before.rounds] == [1, 2, 3]
    assert [each.round for each in after.rounds] == [4]
    assert before.takings.won + after.takings.won == play.table.meters.won
    assert before.expected.won + after.expected.won == theory(play.table).expected


def test_round_that_is_put_right_on_another_day_counts_there() -> None:
    """A correction after the day's end leaves that day as it was; the difference is a line of the day it is made on."""
    play = Bookkeeper(MARINA)
    play.seats(T1=1_000)
    play.round("20", T1="5 on 17")
    play.enrol("Pit Manager", "pia")
    play.next_day()
    play.by("pit manager", CorrectResult(TABLE, RoundNumber(1), Pocket("17"), "Misread."))
    play.by("pia", Approve(Number(play.house.proposed)))
    before, after = table_day(play), table_day(play, TOMORROW)

    assert [(each.result, each.staked, each.back) for each in before.rounds] == [("20", 500, 0)]
    assert before.takings == Takings(rounds=1, turnover=500)
    assert [(each.result, each.staked, each.back) for each in after.rounds] == [("17, was 20", 0, 18_000)]
    assert after.takings == Takings(returned=18_000)


@pytest.mark.clause("skycity-adelaide-2003", "12(b)i")
def test_outcome_that_is_taken_back_on_another_day_is_taken_off_there() -> None:
    """What a day's bets let expect is taken off the day on which their outcome is taken back, and leaves no spread."""
    play = Bookkeeper(ADELAIDE)
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
    play = Bookkeeper(MARINA)
    play.seats(T1=1_000)
    for _ in range(ROUNDS_KEPT + 2):
        play.round("20", T1="5 on 17")
    play.next_day()
    for number in (1, ROUNDS_KEPT + 2):
        dispute = OpenDispute(TABLE, RoundNumber(number), T1, Basis.NOT_COVERED, "It was 17.")
        assert isinstance(play.by("gaming shift manager", dispute), tuple)

    assert len(table_day(play).rounds) == ROUNDS_KEPT + 2
    assert table_day(play, TOMORROW).rounds == ()


@pytest.mark.clause("skycity-adelaide-2003", "11(b)ii")
@pytest.mark.parametrize(("confirmed", "back"), [(True, 36_000), (False, 1_000)])
def test_bets_in_question_are_put_right_in_their_round(*, confirmed: bool, back: int) -> None:
    """What a case brings back later is in the line of the round that it was about."""
    play = Bookkeeper(ADELAIDE)
    play.seats(T1=100, T2=100)
    play.open()
    play.bet("T1", "10 on 17")
    play.bet("T2", "10 on 20")
    play.close()
    play.by("dealer", RaiseMalfunction(T1, Fault.OPINION, "It flickers."))
    play.spin()
    play.rest("17")
    assert [(each.staked, each.back) for each in table_day(play).rounds] == [(2_000, 0)]
    digest = play.table.playing.digest
    play.by("dealer", ConfirmBets(ONE, digest) if confirmed else VoidBets(ONE, "No record."))
    if not confirmed:
        play.by("inspector", Approve(ONE))

    assert [(each.staked, each.back) for each in table_day(play).rounds] == [(2_000, back)]


def test_rounds_that_are_not_all_kept_are_not_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A day of which the first rounds are kept no longer has its takings and no list; the next day has its own."""
    monkeypatch.setattr(rounds, "LINES_MOST", 2)
    play = played()
    play.next_day()
    play.round("5", T1="1 on 5")
    first, second = table_day(play), table_day(play, TOMORROW)

    assert (first.takings.rounds, first.rounds) == (2, ())
    assert [each.round for each in second.rounds] == [4]


def test_unknown_day_and_table_are_refused() -> None:
    """A day that is not on record and a table that is not there have no report."""
    play = played()

    assert code_of(table_report(play.ledger, TABLE, TOMORROW, play.now)) is Code.UNKNOWN_RECORD
    assert code_of(table_report(play.ledger, TableId("X"), TODAY, play.now)) is Code.UNKNOWN_TABLE
    assert code_of(day_report(play.ledger, TOMORROW, None, play.now)) is Code.UNKNOWN_RECORD
    assert code_of(day_report(play.ledger, TODAY, "AUD", play.now)) is Code.MALFORMED


# The house's day.


def test_day_has_money_drawers_and_tables() -> None:
    """A day counts notes, buy-ins, slips issued and paid, and lists drawers that were handed in and every table."""
    play = busy_desk()
    play.note(2_000)
    play.round("17", T1="20 on red")
    play.collect()
    play.count(104_700)
    play.hand_in()
    paper = house_day(play)

    assert paper.tables == ((TABLE, Takings(rounds=1, turnover=2_000)),)
    flow = paper.flow
    assert (flow.notes_in, flow.buy_ins, flow.tickets_in) == (Tally(2, 7_000), Tally(1, 10_000), Tally())
    assert (flow.tickets_issued, flow.tickets_paid, flow.hand_pays) == (Tally(2, 15_000), Tally(1, 5_000), Tally())
    assert (flow.tickets_out, flow.held, flow.dispensed) == (Tally(1, 10_000), Tally(), Tally())
    assert paper.drawers == (
        DrawerDay(drawer=DRAWER, cashier=PersonId("cashier"), paid_out=5_000, expected=105_000, counted=104_700),
    )
    assert (paper.closed_at, paper.made_at, paper.currency) == (None, play.now, "SGD")


def test_day_counts_held_wins_and_tickets_at_terminals() -> None:
    """Tickets that terminals took, wins held and paid by hand, and what terminals dispensed are told apart."""
    play = Bookkeeper(CLEARWATER)
    play.seats(T1=1_000, T2=0)
    play.drawer(500_000)
    play.round("17", T1="35 on 17")
    play.record()
    assert house_day(play).flow.held == Tally(1, 126_000)
    play.pay_by_hand()
    ticket = play.collect()
    play.must(InsertTicket(play.house.terminals[T1].id, ticket.digest), DeviceId(T1))
    play.collect(form=CreditOut.CURRENCY)
    flow = house_day(play).flow

    assert (flow.held, flow.hand_pays) == (Tally(), Tally(1, 126_000))
    assert (flow.tickets_issued, flow.tickets_in, flow.dispensed) == (
        Tally(1, 96_500),
        Tally(1, 96_500),
        Tally(1, 96_500),
    )
    assert ticket.last_four == NUMBERS.number(ticket.sequence)[-4:]


def test_day_that_is_over_stays_as_it_was() -> None:
    """What is paid on the next day is still owed in the report of the day before, which ends when that begins."""
    play = busy_desk()
    ticket = play.collect()
    play.passes(3_600)
    play.next_day()
    closed_at = play.now
    play.pay(ticket)
    before, after = house_day(play), house_day(play, TOMORROW)

    assert (before.closed_at, before.flow.tickets_out, before.flow.tickets_paid) == (
        closed_at,
        Tally(1, 10_000),
        Tally(1, 5_000),
    )
    assert (after.closed_at, after.flow.tickets_out, after.flow.tickets_paid) == (None, Tally(), Tally(1, 10_000))
    assert (before.drawers, after.drawers) == ((), ())


def test_day_that_ends_by_itself_ends_then() -> None:
    """A day that ends at its hour is closed from that hour on, whenever the next begins."""
    play = Bookkeeper(MARINA)
    play.must(Tick(TOMORROW, day_ends_at=type(play.now)(1_000_000)))
    play.passes(2)
    assert play.must(Tick()) == (DayEnded(TOMORROW),)
    ended = play.now
    assert house_day(play, TOMORROW).closed_at == ended
    play.passes(60)
    play.next_day(Day(20261117))

    assert house_day(play, TOMORROW).closed_at == ended


def test_day_lists_what_nobody_claimed() -> None:
    """A slip that lapses with the day that begins is in that day's report, and was owed in the one before."""
    play = Bookkeeper(MARINA, ticket_days=1)
    play.seats(T1=0)
    play.note(5_000)
    ticket = play.collect()
    play.next_day()
    before, after = house_day(play), house_day(play, TOMORROW)

    assert (before.unclaimed, before.flow.tickets_out) == ((), Tally(1, 5_000))
    assert after.unclaimed == (
        Unclaimed(sequence=ONE, last_four=ticket.last_four, terminal=T1, day=TODAY, amount=5_000),
    )
    assert after.flow.tickets_out == Tally()


def test_what_came_before_the_first_day_is_in_no_report() -> None:
    """Until a gaming day begins there is none to count anything on."""
    play = Bookkeeper(MARINA)
    founding, *_ = play.journal.entries()
    ledger = Ledger(read_canonical)
    ledger.take(founding)

    assert ledger.days.known == {}
    assert play.ledger.days.known.keys() == {TODAY}
