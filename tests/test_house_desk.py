"""Money at the desk: slips and tickets that are paid, drawers, held wins and adjustments."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from croupier.house import cashier
from croupier.house.commands import AnyCommand
from croupier.house.commands.credit import (
    AdjustCredit,
    BuyIn,
    CloseDrawer,
    ConfirmPrint,
    CountDrawer,
    InsertNote,
    InsertTicket,
    OpenDrawer,
    PayHeldWin,
    RecordTaxForm,
    RedeemTicket,
    ReleaseHeldWin,
    ReportLost,
    ReprintTicket,
    VoidTicket,
)
from croupier.house.events.credit import TicketReportedLost
from croupier.house.events.setup import ProposalMade
from croupier.house.ids import Number
from croupier.house.settings import TableSettings
from croupier.house.state.money import LedgerAccount, TicketState
from croupier.rules.geometry import Pocket, SpotKey
from croupier.rules.money import Cents
from croupier.rules.procedure import TaxBasis
from croupier.rules.refusal import ClauseId, Code, Refusal
from croupier.rules.rulebook import PayoutTable
from tests.conftest import venue
from tests.drawer_shift import CASHIER, DRAWER, FAULT, OTHER, OTHER_CASHIER, T1, T2, Till, redeeming, with_drawer

ADELAIDE, CLEARWATER, MARINA = "skycity-adelaide-2003", "clearwater-etg", "marina-bay-sands-2020"
ONE = Number(1)


@pytest.mark.clause("skycity-adelaide-2003", "7(e)")
def test_cashier_pays_a_slip_once() -> None:
    """The cashier pays 137 for a slip of 137, and says when, where and by whom when it is brought again."""
    drawer_shift = with_drawer(ADELAIDE)
    slip = drawer_shift.dispense(13_700)

    drawer_shift.ask(redeeming(on_paper=13_700))
    assert slip.state is TicketState.REDEEMED
    drawer = drawer_shift.house.drawers[DRAWER]
    assert (drawer.cash, drawer.paid_out) == (86_300, 13_700)
    assert drawer_shift.house.ledger[LedgerAccount.DRAWERS] == -86_300
    drawer_shift.ask(OpenDrawer(OTHER, Cents(50_000)), OTHER_CASHIER)
    again = drawer_shift.refused(redeeming(drawer=OTHER), Code.TICKET_PAID, "7(e)", OTHER_CASHIER)
    assert again.facts == {"paid_at": slip.paid_at, "place": DRAWER, "by": CASHIER}
    assert "already paid, at D1 by cashier" in again.message


@pytest.mark.clause("skycity-adelaide-2003", "7(e)")
def test_altered_or_unknown_slip_is_not_paid() -> None:
    """A slip of 137 that says 173, and a number that was never issued, are refused."""
    drawer_shift = with_drawer(ADELAIDE)
    drawer_shift.dispense(13_700)

    altered = drawer_shift.refused(redeeming(on_paper=17_300), Code.TICKET_ALTERED, "7(e)")
    assert altered.facts == {"on_paper": 17_300, "amount": 13_700}
    drawer_shift.refused(redeeming(sequence=2), Code.TICKET_UNKNOWN, "7(e)")
    assert drawer_shift.house.drawers[DRAWER].cash == 100_000


@pytest.mark.clause("clearwater-etg", "27")
def test_lost_ticket_is_paid_to_whoever_brings_it() -> None:
    """A ticket of 50 that is reported lost is not replaced, and pays 50 once to anyone who brings it."""
    drawer_shift = with_drawer(CLEARWATER)
    ticket = drawer_shift.issue(5_000)

    assert drawer_shift.ask(ReportLost(ONE, "In the car park.")) == (
        TicketReportedLost(ONE, ClauseId("27"), "In the car park."),
    )
    assert (ticket.reported_lost, len(drawer_shift.house.tickets)) == (True, 1)
    drawer_shift.ask(redeeming())
    assert drawer_shift.house.drawers[DRAWER].paid_out == 5_000
    drawer_shift.refused(redeeming(), Code.TICKET_PAID, "27")
    drawer_shift.refused(ReportLost(ONE, "Still lost."), Code.TICKET_PAID, "27")


def test_cashier_voids_and_reprints_nothing() -> None:
    """Whoever pays slips neither voids nor reprints them, and whoever voids them needs a second person."""
    drawer_shift = with_drawer(ADELAIDE)
    slip = drawer_shift.issue(13_700)

    for command in (VoidTicket(ONE, "Mine."), ReprintTicket(ONE, "Mine.")):
        drawer_shift.refused(command, Code.NOT_AUTHORISED, "11(c)", CASHIER)
    answer = drawer_shift.decide(VoidTicket(ONE, "The printer jammed."))
    assert isinstance(answer, tuple)
    assert [type(event) for event in answer] == [ProposalMade]
    assert slip.state is TicketState.ISSUED


def test_drawer_that_cannot_pay() -> None:
    """A slip is paid from an open drawer of one's own that holds enough, which is all that is said."""
    drawer_shift = with_drawer(ADELAIDE, cash=13_699)
    drawer_shift.dispense(13_700)

    short = drawer_shift.refused(redeeming(), Code.DRAWER_SHORT, "7(e)")
    assert short.facts == {"amount": 13_700}
    assert short.message == "There is not enough in drawer D1: 137 are to be paid."
    assert drawer_shift.refused(redeeming(), Code.NOT_AUTHORISED, "7(e)", OTHER_CASHIER).facts == {"cashier": CASHIER}
    drawer_shift.refused(redeeming(sequence=2), Code.NOT_AUTHORISED, "7(e)", OTHER_CASHIER)
    drawer_shift.refused(redeeming(drawer=OTHER), Code.DRAWER_UNKNOWN, "7(e)")
    drawer_shift.ask(CountDrawer(DRAWER, Cents(13_699)))
    drawer_shift.ask(CloseDrawer(DRAWER))
    for person in (CASHIER, OTHER_CASHIER):
        drawer_shift.refused(redeeming(), Code.DRAWER_CLOSED, "7(e)", person)


@pytest.mark.parametrize(("counted", "difference"), [(86_300, 0), (86_000, -300), (86_500, 200)])
def test_drawer_is_counted_and_handed_in(counted: int, difference: int) -> None:
    """What a blind count finds missing or too much is booked when the drawer is handed in."""
    drawer_shift = with_drawer(ADELAIDE)
    drawer_shift.dispense(13_700)
    drawer_shift.refused(CloseDrawer(DRAWER), Code.OUT_OF_TURN, "7(e)")
    drawer_shift.ask(CountDrawer(DRAWER, Cents(100_000)))
    drawer_shift.ask(redeeming())
    # The count is older than the payment.
    drawer_shift.refused(CloseDrawer(DRAWER), Code.OUT_OF_TURN, "7(e)")

    drawer_shift.ask(CountDrawer(DRAWER, Cents(counted)), OTHER_CASHIER)
    drawer = drawer_shift.house.drawers[DRAWER]
    assert (drawer.counted, drawer.expected) == (counted, 86_300)
    drawer_shift.ask(CloseDrawer(DRAWER), OTHER_CASHIER)
    assert (drawer.cash, drawer.closed) == (0, True)
    assert drawer_shift.house.ledger[LedgerAccount.DIFFERENCES] == difference
    assert drawer_shift.house.ledger[LedgerAccount.VAULT] == 100_000 - counted
    assert drawer_shift.house.ledger[LedgerAccount.DRAWERS] == 0


def test_drawer_is_out_once() -> None:
    """A drawer that is out is not handed out again until it was handed in."""
    drawer_shift = with_drawer(ADELAIDE)
    assert drawer_shift.refused(OpenDrawer(DRAWER, Cents(0)), Code.ALREADY_THERE, None, OTHER_CASHIER).facts == {
        "cashier": CASHIER
    }
    drawer_shift.ask(CountDrawer(DRAWER, Cents(100_000)))
    drawer_shift.ask(CloseDrawer(DRAWER))

    drawer_shift.ask(OpenDrawer(DRAWER, Cents(0)), OTHER_CASHIER)
    assert drawer_shift.house.drawers[DRAWER].cashier == OTHER_CASHIER


def test_drawer_commands_that_make_no_sense() -> None:
    """Floats and counts are not below nothing, and a drawer that is not out is neither counted nor handed in."""
    drawer_shift = with_drawer(ADELAIDE)

    drawer_shift.refused(OpenDrawer(OTHER, Cents(-1)), Code.MALFORMED, None)
    drawer_shift.refused(CountDrawer(DRAWER, Cents(-1)), Code.MALFORMED, None)
    drawer_shift.refused(CountDrawer(OTHER, Cents(1)), Code.DRAWER_UNKNOWN, "7(e)")
    drawer_shift.refused(CloseDrawer(OTHER), Code.DRAWER_UNKNOWN, "7(e)")


@pytest.mark.clause("clearwater-etg", "22")
@pytest.mark.parametrize(
    ("units", "gross", "net_of_total_bet", "net_of_winning_stakes"),
    [
        ({"17": 34}, 1_224, 1_190, 1_190),
        ({"17": 35}, 1_260, 1_225, 1_225),
        ({"17": 34, "black": 10}, 1_244, 1_200, 1_200),
        ({"17": 34, "black": 10, "red": 1}, 1_244, 1_199, 1_200),
        ({"17": 30, "17/20": 10}, 1_260, 1_220, 1_220),
        ({"17": 35, "red": 100}, 1_260, 1_125, 1_225),
    ],
    ids=str,
)
def test_form_is_due_from_1200(
    units: dict[str, int], gross: int, net_of_total_bet: int, net_of_winning_stakes: int
) -> None:
    """On 17 a form is due when the net sum of all wins is 1,200 or more, or as the operator's basis has it."""
    rulebook = venue(CLEARWATER)
    stakes = {SpotKey(spot): stake * 100 for spot, stake in units.items()}
    expected = {"gross": gross, "net_of_total_bet": net_of_total_bet, "net_of_winning_stakes": net_of_winning_stakes}

    counted = cashier.bases(stakes, PayoutTable(rulebook), Pocket("17"))
    assert counted == {basis: amount * 100 for basis, amount in expected.items()}
    assert cashier.form_due(rulebook.tax, TableSettings(), counted) == (net_of_winning_stakes >= 1_200)
    for basis in TaxBasis:
        assert cashier.form_due(rulebook.tax, TableSettings(tax_basis=basis), counted) == (expected[basis] >= 1_200)
    assert not cashier.form_due(venue(ADELAIDE).tax, TableSettings(), counted)


@pytest.mark.clause("clearwater-etg", "22")
def test_held_win_is_released_once_its_form_is_recorded() -> None:
    """A held win of 1,260 keeps credits from being collected until its form is recorded and it is credited."""
    drawer_shift = Till(CLEARWATER)
    drawer_shift.win(500)
    hold = drawer_shift.hold(126_000)
    assert drawer_shift.refused(drawer_shift.collecting(), Code.WIN_HELD, "22").facts == {"held": 126_000}
    assert drawer_shift.refused(ReleaseHeldWin(T1, hold), Code.FORM_MISSING, "22").facts == {"form": "W2-G"}

    drawer_shift.ask(RecordTaxForm(T1, hold, " Pat Patron ", "W2-G 4711"))
    assert (drawer_shift.t1.holds[hold].patron, drawer_shift.t1.holds[hold].form_number) == ("Pat Patron", "W2-G 4711")
    drawer_shift.ask(ReleaseHeldWin(T1, hold))
    assert (drawer_shift.t1.credit, drawer_shift.t1.holds) == (126_500, {})
    drawer_shift.ask(drawer_shift.collecting())


@pytest.mark.clause("clearwater-etg", "22")
def test_held_win_is_paid_by_hand() -> None:
    """A held win is paid from a drawer once its form is recorded, and is then a hand pay."""
    drawer_shift = with_drawer(CLEARWATER, cash=126_000)
    hold = drawer_shift.hold(126_000)
    drawer_shift.refused(PayHeldWin(T1, hold, DRAWER), Code.FORM_MISSING, "22")
    drawer_shift.ask(RecordTaxForm(T1, hold, "Pat Patron", "4711"))
    drawer_shift.refused(PayHeldWin(T1, hold, OTHER), Code.DRAWER_UNKNOWN, "20.a")
    drawer_shift.refused(PayHeldWin(T1, hold, DRAWER), Code.NOT_AUTHORISED, "20.a", OTHER_CASHIER)

    drawer_shift.ask(PayHeldWin(T1, hold, DRAWER))
    assert (drawer_shift.t1.credit, drawer_shift.t1.held_total, drawer_shift.t1.meters.hand_pays) == (0, 0, 126_000)
    assert drawer_shift.house.drawers[DRAWER].cash == 0


def test_held_win_of_a_blocked_terminal_is_not_paid() -> None:
    """While a malfunction is looked into no held win leaves the terminal."""
    drawer_shift = with_drawer(CLEARWATER, cash=126_000)
    hold = drawer_shift.hold(126_000)
    drawer_shift.block()

    drawer_shift.refused(PayHeldWin(T1, hold, DRAWER), Code.TERMINAL_BLOCKED, FAULT)


@pytest.mark.parametrize(("patron", "form_number"), [("", "4711"), ("Pat", ""), (" ", "4711"), ("Pat", "\t")])
def test_form_has_a_patron_and_a_number(patron: str, form_number: str) -> None:
    """A form without the patron's name or its own number is no form."""
    drawer_shift = Till(CLEARWATER)
    drawer_shift.refused(RecordTaxForm(T1, drawer_shift.hold(126_000), patron, form_number), Code.FORM_MISSING, "22")


def test_hold_that_is_not_there() -> None:
    """Nothing can be done about a held win that there is not."""
    drawer_shift = Till(CLEARWATER)
    for command in (RecordTaxForm(T1, ONE, "Pat", "4711"), ReleaseHeldWin(T1, ONE), PayHeldWin(T1, ONE, DRAWER)):
        assert drawer_shift.refused(command, Code.UNKNOWN_RECORD, "22").facts == {"hold": 1}


def test_hold_outlives_the_rules_that_held_it() -> None:
    """Where the table's rules no longer hold wins, one that is held still wants its form, by the clause on paying."""
    drawer_shift = Till(CLEARWATER)
    hold = drawer_shift.hold(126_000)
    table = next(iter(drawer_shift.house.tables.values()))
    table.rulebook = replace(drawer_shift.rulebook, tax=None)

    drawer_shift.refused(drawer_shift.collecting(), Code.WIN_HELD, "20.a")
    drawer_shift.refused(ReleaseHeldWin(T1, hold), Code.FORM_MISSING, "20.a")


def test_meter_is_adjusted_up_and_down() -> None:
    """Two people may put a meter right in either direction, down to nothing."""
    drawer_shift = Till(CLEARWATER)
    drawer_shift.ask(AdjustCredit(T1, 1_000, "A note was stacked and not credited."))
    drawer_shift.ask(AdjustCredit(T1, -1_000, "It was credited after all."))

    assert (drawer_shift.t1.credit, drawer_shift.t1.meters.adjusted_in, drawer_shift.t1.meters.adjusted_out) == (
        0,
        1_000,
        1_000,
    )
    short = drawer_shift.refused(AdjustCredit(T1, -1, "A cent too many."), Code.CREDIT_SHORT, "10")
    assert short.facts == {"credit": 0, "amount": -1}


def test_adjustment_needs_an_amount_and_a_reason() -> None:
    """An adjustment of nothing, or without words, is refused."""
    drawer_shift = Till(CLEARWATER)
    drawer_shift.refused(AdjustCredit(T1, 0, "For nothing."), Code.MALFORMED, None)
    drawer_shift.refused(AdjustCredit(T1, 100, " "), Code.REASON_NOT_LISTED, "10")


@pytest.mark.clause("skycity-adelaide-2003", "7(d)")
def test_staff_add_no_credits() -> None:
    """At Adelaide an attendant adds nothing to a meter, and may still take off what should not be there."""
    drawer_shift = Till(ADELAIDE)
    drawer_shift.win(5_000)

    drawer_shift.refused(AdjustCredit(T1, 100, "Goodwill."), Code.NOT_TAKEN_HERE, "7(d)")
    drawer_shift.ask(AdjustCredit(T1, -5_000, "The win was posted twice."))
    assert drawer_shift.t1.credit == 0


SOME_TERMINAL = st.sampled_from([T1, T2])
SOME_NUMBER = st.integers(1, 4).map(Number)
SOME_CENTS = st.integers(0, 20_000).map(Cents)
SOME_DIGEST = st.integers(1, 4).map("digest {}".format)
SOME_DRAWER = st.sampled_from([DRAWER, OTHER])
SOME_COMMAND: st.SearchStrategy[AnyCommand | None] = st.one_of(
    st.none(),
    st.builds(InsertNote, SOME_TERMINAL, st.just("USD"), st.sampled_from([Cents(500), Cents(10_000)])),
    st.builds(InsertTicket, SOME_TERMINAL, SOME_DIGEST),
    st.builds(ConfirmPrint, SOME_TERMINAL, SOME_NUMBER),
    st.builds(ReprintTicket, SOME_NUMBER, st.just("Jam.")),
    st.builds(VoidTicket, SOME_NUMBER, st.just("Jam.")),
    st.builds(OpenDrawer, SOME_DRAWER, SOME_CENTS),
    st.builds(RedeemTicket, SOME_DRAWER, SOME_DIGEST),
    st.builds(BuyIn, SOME_TERMINAL, SOME_DRAWER, SOME_CENTS),
    st.builds(CountDrawer, SOME_DRAWER, SOME_CENTS),
    st.builds(CloseDrawer, SOME_DRAWER),
    st.builds(AdjustCredit, SOME_TERMINAL, st.integers(-20_000, 20_000), st.just("Put right.")),
)


@pytest.mark.property
@given(st.sampled_from([CLEARWATER, MARINA]), st.lists(SOME_COMMAND, max_size=40))
def test_books_agree_whatever_is_asked(rulebook: str, commands: list[AnyCommand | None]) -> None:
    """Whatever is asked in whatever order, the books agree with meters, tickets and drawers after every step."""
    drawer_shift = Till(rulebook)
    for command in commands:
        asked = command or drawer_shift.collecting()
        if not isinstance(drawer_shift.decide(asked), Refusal):
            drawer_shift.ask(asked)


@pytest.mark.clause("skycity-adelaide-2003", "7(e)")
@pytest.mark.parametrize("rulebook_id", [ADELAIDE, MARINA])
def test_slip_that_was_not_dispensed_is_not_paid(rulebook_id: str) -> None:
    """A slip without its print is not paid; once two people have it printed again, it is paid once."""
    drawer_shift = with_drawer(rulebook_id)
    slip = drawer_shift.issue(13_700)
    clause = {ADELAIDE: "7(e)", MARINA: "1.1.1"}[rulebook_id]
    refusal = drawer_shift.refused(redeeming(), Code.TICKET_NOT_DISPENSED, clause)
    assert refusal.facts == {"sequence": ONE}
    assert (slip.state, drawer_shift.house.drawers[DRAWER].paid_out) == (TicketState.ISSUED, 0)

    drawer_shift.ask(ReprintTicket(ONE, "The printer jammed."))
    drawer_shift.ask(redeeming())
    assert (slip.state, drawer_shift.house.drawers[DRAWER].paid_out) == (TicketState.REDEEMED, 13_700)
    drawer_shift.refused(redeeming(), Code.TICKET_PAID, clause)


@pytest.mark.clause("skycity-adelaide-2003", "7(e)")
def test_slip_that_was_not_dispensed_goes_back_to_its_meter() -> None:
    """The value of a slip that never came out goes back to the meter, and then the slip is void at the cashier's."""
    drawer_shift = with_drawer(ADELAIDE)
    drawer_shift.issue(13_700)
    drawer_shift.ask(VoidTicket(ONE, "The printer jammed."))
    assert drawer_shift.t1.credit == 13_700
    drawer_shift.refused(redeeming(), Code.TICKET_VOID, "7(e)")
