"""Buy-ins: cash over the counter becomes credits where the rules have it so, and nowhere else."""

from dataclasses import replace

import pytest

from croupier.house.commands.credit import (
    BuyIn,
    CloseDrawer,
    Collect,
    ConfirmPrint,
    CountDrawer,
    OpenDrawer,
    Validation,
)
from croupier.house.commands.record import ReportTerminalLost
from croupier.house.events.credit import BoughtIn
from croupier.house.ids import DrawerId, Number, TerminalId
from croupier.house.settings import Mode, TerminalSettings
from croupier.house.state.money import LedgerAccount
from croupier.house.tickets import session_of
from croupier.rules.money import Cents
from croupier.rules.procedure import CreditIn
from croupier.rules.refusal import CitedChoice, CitedTopic, ClauseId, Code
from tests.till import CASHIER, DRAWER, FAULT, INSPECTOR, OTHER, OTHER_CASHIER, T1, T2, Till, redeeming, with_drawer

MARINA = "marina-bay-sands-2020"


def buying(amount: int, *, drawer: DrawerId = DRAWER, terminal: TerminalId = T1) -> BuyIn:
    return BuyIn(terminal, drawer, Cents(amount))


@pytest.mark.clause("marina-bay-sands-2020", "1.1.1")
def test_cash_over_the_counter_becomes_credit() -> None:
    """A hundred go into the cashier's drawer and come onto one terminal, in books, meters and session alike."""
    till = with_drawer(MARINA, cash=50_000)

    assert till.ask(buying(10_000)) == (BoughtIn(T1, DRAWER, Cents(10_000)),)

    drawer = till.house.drawers[DRAWER]
    assert (drawer.cash, drawer.taken_in, drawer.paid_out, drawer.currency) == (60_000, 10_000, 0, "SGD")
    assert (till.t1.credit, till.t1.meters.bought_in, till.t1.meters.put_in, till.t2.credit) == (
        10_000,
        10_000,
        10_000,
        0,
    )
    assert (till.house.books[LedgerAccount.DRAWERS], till.house.books[LedgerAccount.CREDIT]) == (-60_000, 10_000)
    session = session_of(till.house, till.t1)
    assert (session.since is not None, session.put_in, session.net) == (True, 10_000, 0)


def test_what_was_bought_in_is_paid_out_again() -> None:
    """Credits that were bought in are collected and redeemed like any others, and the drawer is back where it was."""
    till = with_drawer(MARINA, cash=0)
    till.ask(buying(10_000))
    till.ask(Collect(T1, Validation(Number(1), "digest 1", "0001")))
    till.ask(ConfirmPrint(T1, Number(1)))
    till.ask(redeeming())

    drawer = till.house.drawers[DRAWER]
    assert (drawer.cash, drawer.taken_in, drawer.paid_out) == (0, 10_000, 10_000)


def test_count_before_a_buy_in_is_out_of_date() -> None:
    """A drawer that took cash since it was counted is counted again, against what is in it by then."""
    till = with_drawer(MARINA, cash=50_000)
    till.ask(CountDrawer(DRAWER, Cents(50_000)))
    till.ask(buying(10_000))
    till.refused(CloseDrawer(DRAWER), Code.OUT_OF_TURN, "1.1.1")

    (counted,) = till.ask(CountDrawer(DRAWER, Cents(60_000)))
    assert getattr(counted, "expected", None) == 60_000
    till.ask(CloseDrawer(DRAWER))
    assert till.house.books[LedgerAccount.DIFFERENCES] == 0


def test_cash_goes_into_ones_own_drawer_that_is_out() -> None:
    """No cash is taken into a drawer that is not there, was handed in, or is somebody else's."""
    till = with_drawer(MARINA, cash=0)
    till.refused(buying(10_000, drawer=OTHER), Code.DRAWER_UNKNOWN, "1.1.1")
    till.refused(buying(10_000), Code.NOT_AUTHORISED, "1.1.1", OTHER_CASHIER)
    till.refused(buying(10_000), Code.NOT_AUTHORISED, "6.2", INSPECTOR)

    till.ask(CountDrawer(DRAWER, Cents(0)))
    till.ask(CloseDrawer(DRAWER))
    till.refused(buying(10_000), Code.DRAWER_CLOSED, "1.1.1")


def test_drawer_takes_one_currency() -> None:
    """Where a drawer has another currency in it than the terminal counts in, another drawer is taken."""
    till = with_drawer(MARINA)
    till.house.drawers[DRAWER].currency = "AUD"
    refusal = till.refused(buying(10_000), Code.NOT_PAID_HERE, "1.1.1")
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
    till = Till(MARINA, settings=TerminalSettings(denominations=(Cents(100),)))
    till.ask(OpenDrawer(DRAWER, Cents(0)), CASHIER)

    assert till.refused(buying(amount), code, "1.1.1").facts[fact] == amount


def test_terminal_must_be_there_and_show_what_it_is_given() -> None:
    """No credits come onto a terminal that is unknown, dark, blocked or out of service; a held win is no hindrance."""
    till = with_drawer(MARINA)
    till.refused(buying(10_000, terminal=TerminalId("T9")), Code.UNKNOWN_TERMINAL, "1.1.1")
    till.ask(ReportTerminalLost(T2))
    till.refused(buying(10_000, terminal=T2), Code.TERMINAL_DARK, "5.14.2")
    till.hold(126_000)
    till.ask(buying(10_000))
    till.block()
    till.refused(buying(10_000), Code.TERMINAL_BLOCKED, FAULT)
    till.t1.closed = True
    till.refused(buying(10_000), Code.TERMINAL_CLOSED, till.rulebook.cites[CitedTopic.CLOSING_DOWN])


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
    till = Till(rulebook, mode=Mode.DEMO if rulebook == "us-double-zero" else Mode.REAL)
    till.ask(OpenDrawer(DRAWER, Cents(0)), CASHIER)
    refusal = till.refused(buying(10_000), Code.NOT_TAKEN_HERE, clause)
    assert refusal.says == "The cashier does not sell credits here."
    assert (till.t1.credit, till.house.drawers[DRAWER].cash) == (0, 0)


def test_any_venue_may_have_it() -> None:
    """It is the rulebook's word alone: with one line more in its data, another venue's cashier sells credits."""
    till = with_drawer("clearwater-etg", cash=0)
    sold = CitedChoice(CreditIn.CASHIER, ClauseId("6"))
    till.t1.channel = replace(till.t1.channel, credit_in=(*till.t1.channel.credit_in, sold))
    till.ask(buying(10_000))
    assert till.t1.credit == 10_000
