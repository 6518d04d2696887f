"""Buy-ins: cash over the counter becomes credits where the rules have it so, and nowhere else."""

from dataclasses import replace

import pytest

from croupier.house.credit.drawers import BoughtIn, BuyIn, CloseDrawer, CountDrawer, OpenDrawer
from croupier.house.credit.sessions import session_figures
from croupier.house.credit.tickets import Collect, ConfirmPrint, Validation
from croupier.house.floor.service import ReportTerminalLost
from croupier.house.ids import DrawerId, Number, TerminalId
from croupier.house.settings import Mode, TerminalSettings
from croupier.house.state.ledger import LedgerAccount
from croupier.rules.money import Cents
from croupier.rules.procedure import CreditIn
from croupier.rules.refusal import CitedChoice, CitedTopic, ClauseId, Code
from tests.support.cashier_desk import (
    CASHIER,
    DRAWER,
    FAULT,
    INSPECTOR,
    OTHER,
    OTHER_CASHIER,
    T1,
    T2,
    CashierDesk,
    redeeming,
    with_drawer,
)

MARINA = "marina-bay-sands-2020"


def buying(amount: int, *, drawer: DrawerId = DRAWER, terminal: TerminalId = T1) -> BuyIn:
    return BuyIn(terminal, drawer, Cents(amount))


@pytest.mark.clause("marina-bay-sands-2020", "1.1.1")
def test_cash_over_the_counter_becomes_credit() -> None:
    """A hundred go into the cashier's drawer and come onto one terminal, in books, meters and session alike."""
    drawer_shift = with_drawer(MARINA, cash=50_000)

    assert drawer_shift.ask(buying(10_000)) == (BoughtIn(T1, DRAWER, Cents(10_000)),)

    drawer = drawer_shift.house.drawers[DRAWER]
    assert (drawer.cash, drawer.taken_in, drawer.paid_out, drawer.currency) == (60_000, 10_000, 0, "SGD")
    assert (
        drawer_shift.t1.credit,
        drawer_shift.t1.meters.bought_in,
        drawer_shift.t1.meters.put_in,
        drawer_shift.t2.credit,
    ) == (
        10_000,
        10_000,
        10_000,
        0,
    )
    assert (drawer_shift.house.ledger[LedgerAccount.DRAWERS], drawer_shift.house.ledger[LedgerAccount.CREDIT]) == (
        -60_000,
        10_000,
    )
    session = session_figures(drawer_shift.house, drawer_shift.t1)
    assert (session.since is not None, session.put_in, session.net) == (True, 10_000, 0)


def test_what_was_bought_in_is_paid_out_again() -> None:
    """Credits that were bought in are collected and redeemed like any others, and the drawer is back where it was."""
    drawer_shift = with_drawer(MARINA, cash=0)
    drawer_shift.ask(buying(10_000))
    drawer_shift.ask(Collect(T1, Validation(Number(1), "digest 1", "0001")))
    drawer_shift.ask(ConfirmPrint(T1, Number(1)))
    drawer_shift.ask(redeeming())

    drawer = drawer_shift.house.drawers[DRAWER]
    assert (drawer.cash, drawer.taken_in, drawer.paid_out) == (0, 10_000, 10_000)


def test_count_before_a_buy_in_is_out_of_date() -> None:
    """A drawer that took cash since it was counted is counted again, against what is in it by then."""
    drawer_shift = with_drawer(MARINA, cash=50_000)
    drawer_shift.ask(CountDrawer(DRAWER, Cents(50_000)))
    drawer_shift.ask(buying(10_000))
    drawer_shift.refused(CloseDrawer(DRAWER), Code.OUT_OF_TURN, "1.1.1")

    (counted,) = drawer_shift.ask(CountDrawer(DRAWER, Cents(60_000)))
    assert getattr(counted, "expected", None) == 60_000
    drawer_shift.ask(CloseDrawer(DRAWER))
    assert drawer_shift.house.ledger[LedgerAccount.DIFFERENCES] == 0


def test_cash_goes_into_ones_own_drawer_that_is_out() -> None:
    """No cash is taken into a drawer that is not there, was handed in, or is somebody else's."""
    drawer_shift = with_drawer(MARINA, cash=0)
    drawer_shift.refused(buying(10_000, drawer=OTHER), Code.DRAWER_UNKNOWN, "1.1.1")
    drawer_shift.refused(buying(10_000), Code.NOT_AUTHORISED, "1.1.1", OTHER_CASHIER)
    drawer_shift.refused(buying(10_000), Code.NOT_AUTHORISED, "6.2", INSPECTOR)

    drawer_shift.ask(CountDrawer(DRAWER, Cents(0)))
    drawer_shift.ask(CloseDrawer(DRAWER))
    drawer_shift.refused(buying(10_000), Code.DRAWER_CLOSED, "1.1.1")


def test_drawer_takes_one_currency() -> None:
    """Where a drawer has another currency in it than the terminal counts in, another drawer is taken."""
    drawer_shift = with_drawer(MARINA)
    drawer_shift.house.drawers[DRAWER].currency = "AUD"
    refusal = drawer_shift.refused(buying(10_000), Code.NOT_PAID_HERE, "1.1.1")
    assert refusal.facts == {"currency": "SGD", "drawer": "AUD"}


@pytest.mark.parametrize(
    ("amount", "code", "fact"),
    [
        (0, Code.STAKE_NOT_POSITIVE, "amount"),
        (-100, Code.STAKE_NOT_POSITIVE, "amount"),
        (150, Code.NOT_WHOLE_CREDITS, "stake"),
    ],
)
def test_amount_is_whole_credits_and_more_than_nothing(amount: int, code: Code, fact: str) -> None:
    """Credits are bought in whole ones of the terminal's denomination, and for more than nothing."""
    drawer_shift = CashierDesk(MARINA, settings=TerminalSettings(denominations=(Cents(100),)))
    drawer_shift.ask(OpenDrawer(DRAWER, Cents(0)), CASHIER)

    assert drawer_shift.refused(buying(amount), code, "1.1.1").facts[fact] == amount


def test_terminal_must_be_there_and_show_what_it_is_given() -> None:
    """No credits come onto a terminal that is unknown, dark, blocked or out of service; a held win is no hindrance."""
    drawer_shift = with_drawer(MARINA)
    drawer_shift.refused(buying(10_000, terminal=TerminalId("T9")), Code.UNKNOWN_TERMINAL, "1.1.1")
    drawer_shift.ask(ReportTerminalLost(T2))
    drawer_shift.refused(buying(10_000, terminal=T2), Code.TERMINAL_DARK, "5.14.2")
    drawer_shift.hold(126_000)
    drawer_shift.ask(buying(10_000))
    drawer_shift.block()
    drawer_shift.refused(buying(10_000), Code.TERMINAL_BLOCKED, FAULT)
    drawer_shift.t1.closed = True
    drawer_shift.refused(
        buying(10_000), Code.TERMINAL_CLOSED, drawer_shift.rulebook.cited_clauses[CitedTopic.CLOSING_DOWN]
    )


@pytest.mark.parametrize(
    ("rulebook", "clause"),
    [
        pytest.param("skycity-adelaide-2003", "7(d)", marks=pytest.mark.clause("skycity-adelaide-2003", "7(d)")),
        pytest.param("clearwater-etg", "6", marks=pytest.mark.clause("clearwater-etg", "6")),
        ("us-double-zero", "Placement 1"),
    ],
)
def test_where_the_rules_name_other_ways_alone(rulebook: str, clause: str) -> None:
    """Adelaide's meter takes notes and wins, Clearwater's what is inserted, and the US table chips: all cite it."""
    drawer_shift = CashierDesk(rulebook, mode=Mode.DEMO if rulebook == "us-double-zero" else Mode.REAL)
    drawer_shift.ask(OpenDrawer(DRAWER, Cents(0)), CASHIER)
    refusal = drawer_shift.refused(buying(10_000), Code.NOT_TAKEN_HERE, clause)
    assert refusal.message == "The cashier does not sell credits here."
    assert (drawer_shift.t1.credit, drawer_shift.house.drawers[DRAWER].cash) == (0, 0)


def test_any_venue_may_have_it() -> None:
    """It is the rulebook's word alone: with one line more in its data, another venue's cashier sells credits."""
    drawer_shift = with_drawer("clearwater-etg", cash=0)
    sold = CitedChoice(CreditIn.CASHIER, ClauseId("6"))
    drawer_shift.t1.channel = replace(drawer_shift.t1.channel, credit_in=(*drawer_shift.t1.channel.credit_in, sold))
    drawer_shift.ask(buying(10_000))
    assert drawer_shift.t1.credit == 10_000
