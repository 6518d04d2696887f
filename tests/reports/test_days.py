"""Day reports of a real house, with figures computed by hand."""

from copy import copy
from dataclasses import replace

from croupier.house.credit.held_wins import ReleaseHeldWin
from croupier.house.credit.notes import GrantPlayMoney
from croupier.house.credit.sessions import AdjustCredit
from croupier.house.credit.tickets import InsertTicket, VoidTicket
from croupier.house.floor.signatures import Approve
from croupier.house.ids import Day, DeviceId, Number, PersonId, RoundNumber, TableId
from croupier.house.rounds.corrections import CorrectResult
from croupier.house.timers import DayEnded, Tick
from croupier.reports.day_projection import Projections, day_report
from croupier.reports.drawer_projection import currency_of
from croupier.reports.summaries import Cashflow, CountedAmount, DayReport, DrawerDay, TableTotals, Unclaimed
from croupier.rulebooks.schema import read_canonical
from croupier.rules.geometry import Pocket
from croupier.rules.money import Cents
from croupier.rules.procedure import CreditOut
from croupier.transcripts.driver import device_of
from tests.house.credit.test_transfers import receive, transfer
from tests.support.house_driver import (
    CLEARWATER,
    DRAWER,
    MARINA,
    NUMBERS,
    T1,
    TABLE,
    TODAY,
    TOMORROW,
    CashierDriver,
    busy_desk,
    owed_to_a_session,
    pay_payable,
)

ONE, TWO = Number(1), Number(2)


def house_day(play: CashierDriver, day: Day = TODAY) -> DayReport:
    return day_report(play.ledger, day, None, play.now)


def test_day_has_money_drawers_and_tables() -> None:
    """A day counts notes, buy-ins, slips issued and paid, and lists drawers that were handed in and every table."""
    play = busy_desk()
    play.note(2_000)
    play.round("17", T1="20 on red")
    play.collect()
    play.count(104_700)
    play.hand_in()
    paper = house_day(play)

    assert paper.tables == ((TABLE, TableTotals(rounds=1, turnover=2_000)),)
    flow = paper.flow
    assert (flow.notes_in, flow.buy_ins, flow.tickets_in) == (
        CountedAmount(2, 7_000),
        CountedAmount(1, 10_000),
        CountedAmount(),
    )
    assert (flow.tickets_issued, flow.tickets_paid, flow.hand_pays) == (
        CountedAmount(2, 15_000),
        CountedAmount(1, 5_000),
        CountedAmount(),
    )
    assert (flow.tickets_out, flow.held, flow.dispensed) == (CountedAmount(1, 10_000), CountedAmount(), CountedAmount())
    assert paper.still_out == ()
    assert paper.drawers == (
        DrawerDay(
            drawer=DRAWER,
            cashier=PersonId("cashier"),
            float_=100_000,
            filled=0,
            dropped=0,
            taken_in=10_000,
            paid_out=5_000,
            expected=105_000,
            counted=104_700,
        ),
    )
    assert (paper.closed_at, paper.made_at, paper.currency) == (None, play.now, "SGD")


def test_day_counts_held_wins_and_tickets_at_terminals() -> None:
    """Tickets that terminals took, wins held and paid by hand, and what terminals dispensed are told apart."""
    play = CashierDriver(CLEARWATER)
    play.seats(T1=1_000, T2=0)
    play.drawer(500_000)
    play.round("17", T1="35 on 17")
    play.record()
    assert house_day(play).flow.held == CountedAmount(1, 126_000)
    play.pay_by_hand()
    ticket = play.collect()
    play.must(InsertTicket(play.house.terminals[T1].id, ticket.digest), DeviceId(T1))
    play.collect(form=CreditOut.CURRENCY)
    flow = house_day(play).flow

    assert (flow.held, flow.hand_pays) == (CountedAmount(), CountedAmount(1, 126_000))
    assert (flow.tickets_issued, flow.tickets_in, flow.dispensed) == (
        CountedAmount(1, 96_500),
        CountedAmount(1, 96_500),
        CountedAmount(1, 96_500),
    )
    assert ticket.last_four == NUMBERS.number(ticket.sequence)[-4:]


def test_day_counts_what_corrections_left_to_settle() -> None:
    """A payable is owed in the report until it is paid, and a win that an ended session lost again is owed by it."""
    play = owed_to_a_session()
    flow = house_day(play).flow
    assert (flow.payables, flow.receivables, flow.payables_paid) == (
        CountedAmount(1, 36_000),
        CountedAmount(),
        CountedAmount(),
    )
    pay_payable(play)
    flow = house_day(play).flow
    assert (flow.payables, flow.receivables, flow.payables_paid) == (
        CountedAmount(),
        CountedAmount(),
        CountedAmount(1, 36_000),
    )
    command = CorrectResult(TABLE, RoundNumber(1), Pocket("16"), "it was 16 after all")
    play.must(command, device_of("pit manager"), "pit manager")
    play.must(Approve(Number(3)), device_of("second"), "second")
    assert house_day(play).flow.receivables == CountedAmount(1, 36_000)


def adds_up(flow: Cashflow) -> bool:
    """Tell whether slips that were out before or issued are all paid, taken, void, lapsed or still out."""
    gone = (flow.tickets_paid, flow.tickets_in, flow.tickets_voided, flow.tickets_lapsed, flow.tickets_out)
    came = (flow.tickets_before, flow.tickets_issued)
    return (sum(each.count for each in came), sum(each.amount for each in came)) == (
        sum(each.count for each in gone),
        sum(each.amount for each in gone),
    )


def test_slips_of_a_day_add_up() -> None:
    """What was out and what was issued is paid, taken by a terminal, void, lapsed or still out, on every day."""
    play = CashierDriver(CLEARWATER, ticket_days=1)
    play.seats(T1=1_000)
    play.drawer(500_000)
    play.enrol("Supervisor", "second")
    play.must(InsertTicket(T1, play.collect().digest), DeviceId(T1))
    play.collect()
    assert isinstance(play.by("supervisor", VoidTicket(TWO, "The printer jammed.")), tuple)
    assert isinstance(play.by("second", Approve(Number(play.house.proposals.made))), tuple)
    play.pay(play.collect())
    play.note(2_000)
    play.collect()
    play.next_day()
    play.note(2_000)
    play.collect()
    before, after = house_day(play).flow, house_day(play, TOMORROW).flow

    assert (before.tickets_issued, before.tickets_in) == (CountedAmount(4, 302_000), CountedAmount(1, 100_000))
    assert (before.tickets_voided, before.tickets_paid) == (CountedAmount(1, 100_000), CountedAmount(1, 100_000))
    assert (before.tickets_lapsed, before.tickets_out) == (CountedAmount(), CountedAmount(1, 2_000))
    assert (after.tickets_before, after.tickets_lapsed) == (CountedAmount(1, 2_000), CountedAmount(1, 2_000))
    assert (after.tickets_issued, after.tickets_out) == (CountedAmount(1, 2_000), CountedAmount(1, 2_000))
    assert adds_up(before)
    assert adds_up(after)


def test_credits_that_came_otherwise_are_reported() -> None:
    """Play money, meters that two put right and wins that became credit are in the report of their day."""
    play = CashierDriver(CLEARWATER)
    play.seats(T1=1_000)
    play.enrol("Supervisor", "second")
    play.must(GrantPlayMoney(T1, Cents(5_000)))
    assert isinstance(play.by("supervisor", AdjustCredit(T1, -300, "A chip was read twice.")), tuple)
    play.by("second", Approve(Number(play.house.proposals.made)))
    play.round("17", T1="35 on 17")
    play.record()
    play.done(ReleaseHeldWin(T1, ONE))
    flow = house_day(play).flow

    assert (flow.granted.count, flow.adjusted, flow.released) == (2, CountedAmount(1, -300), CountedAmount(1, 126_000))


def test_drawer_that_never_moved_is_in_one_currency() -> None:
    """A drawer from which nothing was paid is listed under the first currency of the house, and under no other."""
    play = CashierDriver(MARINA)
    play.drawer(20_000)
    found = play.ledger.drawer_shifts.last(DRAWER)
    assert (found.currency, currency_of(play.house, found)) == ("", "SGD")
    play.count(20_000)
    play.hand_in()
    ledger = play.ledger
    other = copy(ledger.house.tables[TABLE])
    other.rulebook = replace(other.rulebook, currency="USD")
    ledger.house.tables[TableId("other")] = other
    found_in = {each: day_report(ledger, TODAY, each, play.now) for each in ("SGD", "USD")}

    assert [len(each.drawers) for each in found_in.values()] == [1, 0]


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
        CountedAmount(1, 10_000),
        CountedAmount(1, 5_000),
    )
    assert (after.closed_at, after.flow.tickets_out, after.flow.tickets_paid) == (
        None,
        CountedAmount(),
        CountedAmount(1, 10_000),
    )
    assert (before.drawers, after.drawers) == ((), ())
    assert before.still_out == after.still_out == ((DRAWER, "cashier"),)
    play.count(95_000)
    play.hand_in()
    before, after = house_day(play), house_day(play, TOMORROW)
    assert (before.drawers, before.still_out) == ((), ((DRAWER, "cashier"),))
    assert ([each.paid_out for each in after.drawers], after.still_out) == ([15_000], ())


def test_day_that_ends_by_itself_ends_then() -> None:
    """A day that ends at its hour is closed from that hour on, whenever the next begins."""
    play = CashierDriver(MARINA)
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
    play = CashierDriver(MARINA, ticket_days=1)
    play.seats(T1=0)
    play.note(5_000)
    ticket = play.collect()
    play.next_day()
    before, after = house_day(play), house_day(play, TOMORROW)

    assert (before.unclaimed, before.flow.tickets_out) == ((), CountedAmount(1, 5_000))
    assert after.unclaimed == (
        Unclaimed(sequence=ONE, last_four=ticket.last_four, terminal=T1, day=TODAY, amount=5_000),
    )
    assert after.flow.tickets_out == CountedAmount()


def test_what_came_before_the_first_day_is_in_no_report() -> None:
    """Until a gaming day begins there is none to count anything on."""
    play = CashierDriver(MARINA)
    provisioning, *_ = play.journal.entries()
    ledger = Projections(read_canonical)
    ledger.apply(provisioning)

    assert ledger.days.known == {}
    assert play.ledger.days.known.keys() == {TODAY}


def test_day_counts_tickets_of_other_venues() -> None:
    """A day counts the tickets that other venues have transferred here, and those that were transferred to them."""
    play = busy_desk()
    for number in (1, 2):
        assert isinstance(receive(play, number, number - 1), tuple)
    assert isinstance(transfer(play, "theirs 1"), tuple)
    flow = house_day(play).flow
    assert flow.tickets_received == CountedAmount(2, 4_000)
    assert flow.tickets_transferred == CountedAmount(1, 2_000)
