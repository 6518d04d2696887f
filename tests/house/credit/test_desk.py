"""Money at the desk: slips and tickets that are paid, drawers, held wins and adjustments."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from croupier.house import AnyCommand
from croupier.house.credit import held_wins
from croupier.house.credit.drawers import (
    BuyIn,
    CloseDrawer,
    CountDrawer,
    DrawerClosed,
    DrawerDropped,
    DrawerFilled,
    DropDrawer,
    FillDrawer,
    OpenDrawer,
    RedeemTicket,
)
from croupier.house.credit.held_wins import PayHeldWin, RecordTaxForm, ReleaseHeldWin
from croupier.house.credit.notes import InsertNote
from croupier.house.credit.sessions import AdjustCredit
from croupier.house.credit.tickets import (
    ConfirmPrint,
    InsertTicket,
    ReportLost,
    ReprintTicket,
    TicketReportedLost,
    TicketState,
    VoidTicket,
)
from croupier.house.floor.incidents import IncidentFacts, IncidentKind, IncidentRaised
from croupier.house.floor.signatures import Approve, ProposalMade
from croupier.house.ids import Number
from croupier.house.settings import TableSettings
from croupier.house.state.ledger import LedgerAccount
from croupier.rules.geometry import Pocket, SpotKey
from croupier.rules.money import Cents, amount_text
from croupier.rules.procedure import TaxBasis
from croupier.rules.refusal import ClauseId, Code, Refusal
from croupier.rules.rulebook import PayoutTable
from tests.conftest import venue
from tests.support.cashier_desk import (
    CASHIER,
    DRAWER,
    FAULT,
    INSPECTOR,
    OTHER,
    OTHER_CASHIER,
    OTHER_INSPECTOR,
    T1,
    T2,
    CashierDesk,
    redeeming,
    with_drawer,
)

ADELAIDE, CLEARWATER, MARINA = "skycity-adelaide-2003", "clearwater-etg", "marina-bay-sands-2020"
ONE = Number(1)


@pytest.mark.clause("skycity-adelaide-2003", "7(e)")
def test_cashier_pays_a_slip_once() -> None:
    """The cashier pays 137 for a slip of 137, and says when, where and by whom when it is brought again."""
    desk = with_drawer(ADELAIDE)
    slip = desk.dispense(13_700)

    desk.ask(redeeming(on_paper=13_700))
    assert slip.state is TicketState.REDEEMED
    drawer = desk.house.drawers[DRAWER]
    assert (drawer.cash, drawer.paid_out) == (86_300, 13_700)
    assert desk.house.ledger[LedgerAccount.DRAWERS] == -86_300
    desk.ask(OpenDrawer(OTHER, Cents(50_000)), OTHER_CASHIER)
    again = desk.refused(redeeming(drawer=OTHER), Code.TICKET_PAID, "7(e)", OTHER_CASHIER)
    assert again.facts == {"paid_at": slip.paid_at, "place": DRAWER, "by": CASHIER}
    assert "already paid, at D1 by cashier" in again.message


@pytest.mark.clause("skycity-adelaide-2003", "7(e)")
def test_altered_or_unknown_slip_is_not_paid() -> None:
    """A slip of 137 that says 173, and a number that was never issued, are refused."""
    desk = with_drawer(ADELAIDE)
    desk.dispense(13_700)

    altered = desk.refused(redeeming(on_paper=17_300), Code.TICKET_ALTERED, "7(e)")
    assert altered.facts == {"on_paper": 17_300, "amount": 13_700}
    desk.refused(redeeming(sequence=2), Code.TICKET_UNKNOWN, "7(e)")
    assert desk.house.drawers[DRAWER].cash == 100_000


@pytest.mark.clause("clearwater-etg", "27")
def test_lost_ticket_is_paid_to_whoever_brings_it() -> None:
    """A ticket of 50 that is reported lost is not replaced, and pays 50 once to anyone who brings it."""
    desk = with_drawer(CLEARWATER)
    ticket = desk.issue(5_000)

    assert desk.ask(ReportLost(ONE, "In the car park.")) == (
        TicketReportedLost(ONE, ClauseId("27"), "In the car park."),
    )
    assert (ticket.reported_lost, len(desk.house.tickets.all)) == (True, 1)
    desk.ask(redeeming())
    assert desk.house.drawers[DRAWER].paid_out == 5_000
    desk.refused(redeeming(), Code.TICKET_PAID, "27")
    desk.refused(ReportLost(ONE, "Still lost."), Code.TICKET_PAID, "27")


def test_cashier_voids_and_reprints_nothing() -> None:
    """Whoever pays slips neither voids nor reprints them, and whoever voids them needs a second person."""
    desk = with_drawer(ADELAIDE)
    slip = desk.issue(13_700)

    for command in (VoidTicket(ONE, "Mine."), ReprintTicket(ONE, "Mine.")):
        desk.refused(command, Code.NOT_AUTHORISED, "11(c)", CASHIER)
    answer = desk.decide(VoidTicket(ONE, "The printer jammed."))
    assert isinstance(answer, tuple)
    assert [type(event) for event in answer] == [ProposalMade]
    assert slip.state is TicketState.ISSUED


def test_drawer_that_cannot_pay() -> None:
    """A slip is paid from an open drawer of one's own that holds enough, which is all that is said."""
    desk = with_drawer(ADELAIDE, cash=13_699)
    desk.dispense(13_700)

    short = desk.refused(redeeming(), Code.DRAWER_SHORT, "7(e)")
    assert short.facts == {"amount": 13_700}
    assert short.message == "There is not enough in drawer D1: 137 are to be paid."
    assert desk.refused(redeeming(), Code.NOT_AUTHORISED, "7(e)", OTHER_CASHIER).facts == {"cashier": CASHIER}
    desk.refused(redeeming(sequence=2), Code.NOT_AUTHORISED, "7(e)", OTHER_CASHIER)
    desk.refused(redeeming(drawer=OTHER), Code.DRAWER_UNKNOWN, "7(e)")
    desk.ask(CountDrawer(DRAWER, Cents(13_699)))
    desk.ask(CloseDrawer(DRAWER))
    for person in (CASHIER, OTHER_CASHIER):
        desk.refused(redeeming(), Code.DRAWER_CLOSED, "7(e)", person)


@pytest.mark.parametrize(("counted", "difference"), [(86_300, 0), (86_000, -300), (86_500, 200)])
def test_drawer_is_counted_and_handed_in(counted: int, difference: int) -> None:
    """What a blind count finds missing or too much is booked and an incident when the drawer is handed in."""
    desk = with_drawer(ADELAIDE)
    desk.dispense(13_700)
    desk.refused(CloseDrawer(DRAWER), Code.OUT_OF_TURN, "7(e)")
    desk.ask(CountDrawer(DRAWER, Cents(100_000)))
    desk.ask(redeeming())
    # The count is older than the payment.
    desk.refused(CloseDrawer(DRAWER), Code.OUT_OF_TURN, "7(e)")

    desk.ask(CountDrawer(DRAWER, Cents(counted)), OTHER_CASHIER)
    drawer = desk.house.drawers[DRAWER]
    assert (drawer.counted, drawer.expected) == (counted, 86_300)
    closed, *incidents = desk.ask(CloseDrawer(DRAWER), OTHER_CASHIER)
    assert closed == DrawerClosed(DRAWER)
    facts = IncidentFacts(f"{amount_text(difference)} AUD", people=(CASHIER, OTHER_INSPECTOR))
    raised = IncidentRaised(Number(1), IncidentKind.DRAWER_DIFFERS, DRAWER, ClauseId("7(e)"), facts)
    assert incidents == ([raised] if difference else [])
    assert (drawer.cash, drawer.closed) == (0, True)
    assert desk.house.ledger[LedgerAccount.DIFFERENCES] == difference
    assert desk.house.ledger[LedgerAccount.VAULT] == 100_000 - counted
    assert desk.house.ledger[LedgerAccount.DRAWERS] == 0


def test_drawer_is_filled_and_dropped_by_two_people() -> None:
    """A fill and a drop move cash between vault and drawer once its cashier and another person have signed."""
    desk = with_drawer(ADELAIDE)
    drawer = desk.house.drawers[DRAWER]
    first = desk.decide(FillDrawer(DRAWER, Cents(50_000)))
    assert isinstance(first, tuple)
    assert [type(event) for event in first] == [ProposalMade]
    desk.ask(CountDrawer(DRAWER, Cents(100_000)))

    assert desk.ask(FillDrawer(DRAWER, Cents(50_000))) == (DrawerFilled(DRAWER, Cents(50_000)),)
    assert (drawer.cash, drawer.filled, drawer.counted) == (150_000, 50_000, None)
    assert desk.ask(DropDrawer(DRAWER, Cents(120_000))) == (DrawerDropped(DRAWER, Cents(120_000)),)
    assert (drawer.cash, drawer.dropped) == (30_000, 120_000)
    assert desk.house.ledger[LedgerAccount.DRAWERS] == -30_000
    assert desk.house.ledger[LedgerAccount.VAULT] == 30_000


def test_hand_in_takes_the_signature_of_who_receives_it() -> None:
    """A cashier alone hands nothing in, another cashier does not sign for it, and both sign for one count."""
    desk = with_drawer(ADELAIDE)
    drawer = desk.house.drawers[DRAWER]
    desk.ask(CountDrawer(DRAWER, Cents(90_000)))
    assert [type(event) for event in desk.propose(CloseDrawer(DRAWER))] == [ProposalMade]
    assert (drawer.closed, drawer.cash) == (False, 100_000)
    desk.refused(Approve(ONE), Code.NOT_AUTHORISED, "11(c)", OTHER_CASHIER)
    desk.ask(CountDrawer(DRAWER, Cents(100_000)))
    other = desk.refused(Approve(ONE), Code.RECORD_DIFFERS, "7(e)", OTHER_INSPECTOR)
    assert other.facts == {"amount": 100_000}
    assert other.message == "1000 are counted now, and 900 were signed for."
    assert desk.ask(CloseDrawer(DRAWER)) == (DrawerClosed(DRAWER),)
    desk.ask(OpenDrawer(DRAWER, Cents(0)))
    desk.refused(Approve(ONE), Code.OUT_OF_TURN, "7(e)", OTHER_INSPECTOR)


@pytest.mark.parametrize("kind", [FillDrawer, DropDrawer])
def test_vault_moves_nothing_without_an_amount_or_the_cashier(kind: type[FillDrawer] | type[DropDrawer]) -> None:
    """A movement has an amount and an open drawer, and the cashier who has the drawer signs it."""
    desk = with_drawer(ADELAIDE)

    desk.refused(kind(DRAWER, Cents(0)), Code.MALFORMED, None)
    desk.refused(kind(OTHER, Cents(100)), Code.DRAWER_UNKNOWN, "7(e)")
    desk.refused(kind(DRAWER, Cents(100)), Code.NOT_AUTHORISED, "7(e)", OTHER_CASHIER)
    desk.refused(kind(DRAWER, Cents(100)), Code.NOT_AUTHORISED, "7(e)", INSPECTOR)
    desk.ask(CountDrawer(DRAWER, Cents(100_000)))
    desk.ask(CloseDrawer(DRAWER))
    desk.refused(kind(DRAWER, Cents(100)), Code.DRAWER_CLOSED, "7(e)")


def test_drop_of_more_than_the_drawer_holds() -> None:
    """More than a drawer holds is not dropped, which the second signature alone finds: it is counted blind."""
    desk = with_drawer(ADELAIDE, cash=13_699)
    for number, amount in enumerate((13_699, 13_700, 99_999_900), 1):
        assert [type(event) for event in desk.propose(DropDrawer(DRAWER, Cents(amount)))] == [ProposalMade]
        if amount > 13_699:
            short = desk.refused(Approve(Number(number)), Code.DRAWER_SHORT, "7(e)", OTHER_INSPECTOR)
            assert short.facts == {"amount": amount}


@pytest.mark.parametrize("kind", [FillDrawer, DropDrawer])
def test_equal_proposal_of_the_cashier_signs_no_other(kind: type[FillDrawer] | type[DropDrawer]) -> None:
    """While the cashier's proposal is open, two other people move nothing with an equal proposal of their own."""
    desk = with_drawer(ADELAIDE)
    move = kind(DRAWER, Cents(50_000))
    desk.propose(move)
    desk.refused(move, Code.NOT_AUTHORISED, "7(e)", OTHER_INSPECTOR)

    drawer = desk.house.drawers[DRAWER]
    assert (drawer.cash, drawer.filled, drawer.dropped) == (100_000, 0, 0)
    desk.ask(Approve(ONE), OTHER_INSPECTOR)
    assert drawer.filled + drawer.dropped == 50_000


def test_proposal_for_a_drawer_that_changed_hands() -> None:
    """A proposal of the cashier who had the drawer needs the signature of the cashier who has it now."""
    desk = with_drawer(ADELAIDE)
    desk.propose(FillDrawer(DRAWER, Cents(50_000)))
    desk.ask(CountDrawer(DRAWER, Cents(100_000)))
    desk.ask(CloseDrawer(DRAWER))
    desk.ask(OpenDrawer(DRAWER, Cents(0)), OTHER_CASHIER)

    refusal = desk.refused(Approve(ONE), Code.NOT_AUTHORISED, "7(e)", OTHER_INSPECTOR)
    assert refusal.facts == {"cashier": OTHER_CASHIER}


def test_drawer_is_out_once() -> None:
    """A drawer that is out is not handed out again until it was handed in."""
    desk = with_drawer(ADELAIDE)
    assert desk.refused(OpenDrawer(DRAWER, Cents(0)), Code.ALREADY_THERE, None, OTHER_CASHIER).facts == {
        "cashier": CASHIER
    }
    desk.ask(CountDrawer(DRAWER, Cents(100_000)))
    desk.ask(CloseDrawer(DRAWER))

    desk.ask(OpenDrawer(DRAWER, Cents(0)), OTHER_CASHIER)
    assert desk.house.drawers[DRAWER].cashier == OTHER_CASHIER


def test_drawer_commands_that_make_no_sense() -> None:
    """Floats and counts are not below nothing, and a drawer that is not out is neither counted nor handed in."""
    desk = with_drawer(ADELAIDE)

    desk.refused(OpenDrawer(OTHER, Cents(-1)), Code.MALFORMED, None)
    desk.refused(CountDrawer(DRAWER, Cents(-1)), Code.MALFORMED, None)
    desk.refused(CountDrawer(OTHER, Cents(1)), Code.DRAWER_UNKNOWN, "7(e)")
    desk.refused(CloseDrawer(OTHER), Code.DRAWER_UNKNOWN, "7(e)")


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

    counted = held_wins.bases(stakes, PayoutTable(rulebook), Pocket("17"))
    assert counted == {basis: amount * 100 for basis, amount in expected.items()}
    assert held_wins.form_due(rulebook.tax, TableSettings(), counted) == (net_of_winning_stakes >= 1_200)
    for basis in TaxBasis:
        assert held_wins.form_due(rulebook.tax, TableSettings(tax_basis=basis), counted) == (expected[basis] >= 1_200)
    assert not held_wins.form_due(venue(ADELAIDE).tax, TableSettings(), counted)


@pytest.mark.clause("clearwater-etg", "22")
def test_held_win_is_released_once_its_form_is_recorded() -> None:
    """A held win of 1,260 keeps credits from being collected until its form is recorded and it is credited."""
    desk = CashierDesk(CLEARWATER)
    desk.win(500)
    hold = desk.hold(126_000)
    assert desk.refused(desk.collecting(), Code.WIN_HELD, "22").facts == {"held": 126_000}
    assert desk.refused(ReleaseHeldWin(T1, hold), Code.FORM_MISSING, "22").facts == {"form": "W2-G"}

    desk.ask(RecordTaxForm(T1, hold, " Pat Patron ", "W2-G 4711"))
    assert (desk.t1.holds[hold].patron, desk.t1.holds[hold].form_number) == ("Pat Patron", "W2-G 4711")
    desk.ask(ReleaseHeldWin(T1, hold))
    assert (desk.t1.credit, desk.t1.holds) == (126_500, {})
    desk.ask(desk.collecting())


@pytest.mark.clause("clearwater-etg", "22")
def test_held_win_is_paid_by_hand() -> None:
    """A held win is paid from a drawer once its form is recorded, and is then a hand pay."""
    desk = with_drawer(CLEARWATER, cash=126_000)
    hold = desk.hold(126_000)
    desk.refused(PayHeldWin(T1, hold, DRAWER), Code.FORM_MISSING, "22")
    desk.ask(RecordTaxForm(T1, hold, "Pat Patron", "4711"))
    desk.refused(PayHeldWin(T1, hold, OTHER), Code.DRAWER_UNKNOWN, "20.a")
    desk.refused(PayHeldWin(T1, hold, DRAWER), Code.NOT_AUTHORISED, "20.a", OTHER_CASHIER)

    desk.ask(PayHeldWin(T1, hold, DRAWER))
    assert (desk.t1.credit, desk.t1.held_total, desk.t1.meters.hand_pays) == (0, 0, 126_000)
    assert desk.house.drawers[DRAWER].cash == 0


def test_held_win_of_a_blocked_terminal_is_not_paid() -> None:
    """While a malfunction is looked into no held win leaves the terminal."""
    desk = with_drawer(CLEARWATER, cash=126_000)
    hold = desk.hold(126_000)
    desk.block()

    desk.refused(PayHeldWin(T1, hold, DRAWER), Code.TERMINAL_BLOCKED, FAULT)


@pytest.mark.parametrize(("patron", "form_number"), [("", "4711"), ("Pat", ""), (" ", "4711"), ("Pat", " ")])
def test_form_has_a_patron_and_a_number(patron: str, form_number: str) -> None:
    """A form without the patron's name or its own number is no form."""
    desk = CashierDesk(CLEARWATER)
    desk.refused(RecordTaxForm(T1, desk.hold(126_000), patron, form_number), Code.FORM_MISSING, "22")


def test_form_with_a_control_character_is_malformed() -> None:
    """A name or number that no text may be is malformed, before it is asked whether there is one."""
    desk = CashierDesk(CLEARWATER)
    hold = desk.hold(126_000)
    for patron, form_number in (("Pat", "\t"), ("\t", "4711")):
        desk.refused(RecordTaxForm(T1, hold, patron, form_number), Code.MALFORMED, None)


def test_hold_that_is_not_there() -> None:
    """Nothing can be done about a held win that there is not."""
    desk = CashierDesk(CLEARWATER)
    for command in (RecordTaxForm(T1, ONE, "Pat", "4711"), ReleaseHeldWin(T1, ONE), PayHeldWin(T1, ONE, DRAWER)):
        assert desk.refused(command, Code.UNKNOWN_RECORD, "22").facts == {"hold": 1}


def test_hold_outlives_the_rules_that_held_it() -> None:
    """Where the table's rules no longer hold wins, one that is held still wants its form, by the clause on paying."""
    desk = CashierDesk(CLEARWATER)
    hold = desk.hold(126_000)
    table = next(iter(desk.house.tables.values()))
    table.rulebook = replace(desk.rulebook, tax=None)

    desk.refused(desk.collecting(), Code.WIN_HELD, "20.a")
    desk.refused(ReleaseHeldWin(T1, hold), Code.FORM_MISSING, "20.a")


def test_meter_is_adjusted_up_and_down() -> None:
    """Two people may put a meter right in either direction, down to nothing."""
    desk = CashierDesk(CLEARWATER)
    desk.ask(AdjustCredit(T1, 1_000, "A note was stacked and not credited."))
    desk.ask(AdjustCredit(T1, -1_000, "It was credited after all."))

    assert (desk.t1.credit, desk.t1.meters.adjusted_in, desk.t1.meters.adjusted_out) == (
        0,
        1_000,
        1_000,
    )
    short = desk.refused(AdjustCredit(T1, -1, "A cent too many."), Code.CREDIT_SHORT, "10")
    assert short.facts == {"credit": 0, "amount": -1, "cost": 1}


def test_adjustment_needs_an_amount_and_a_reason() -> None:
    """An adjustment of nothing, or without words, is refused."""
    desk = CashierDesk(CLEARWATER)
    desk.refused(AdjustCredit(T1, 0, "For nothing."), Code.MALFORMED, None)
    desk.refused(AdjustCredit(T1, 100, " "), Code.REASON_NOT_LISTED, "10")


@pytest.mark.clause("skycity-adelaide-2003", "7(d)")
def test_staff_add_no_credits() -> None:
    """At Adelaide an attendant adds nothing to a meter, and may still take off what should not be there."""
    desk = CashierDesk(ADELAIDE)
    desk.win(5_000)

    desk.refused(AdjustCredit(T1, 100, "Goodwill."), Code.NOT_TAKEN_HERE, "7(d)")
    desk.ask(AdjustCredit(T1, -5_000, "The win was posted twice."))
    assert desk.t1.credit == 0


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
def test_books_agree_whatever_is_requested(rulebook: str, commands: list[AnyCommand | None]) -> None:
    """Whatever is asked in whatever order, the books agree with meters, tickets and drawers after every step."""
    desk = CashierDesk(rulebook)
    for command in commands:
        requested = command or desk.collecting()
        if not isinstance(desk.decide(requested), Refusal):
            desk.ask(requested)


@pytest.mark.clause("skycity-adelaide-2003", "7(e)")
@pytest.mark.parametrize("rulebook_id", [ADELAIDE, MARINA])
def test_slip_that_was_not_dispensed_is_not_paid(rulebook_id: str) -> None:
    """A slip without its print is not paid; once two people have it printed again, it is paid once."""
    desk = with_drawer(rulebook_id)
    slip = desk.issue(13_700)
    clause = {ADELAIDE: "7(e)", MARINA: "1.1.1"}[rulebook_id]
    refusal = desk.refused(redeeming(), Code.TICKET_NOT_DISPENSED, clause)
    assert refusal.facts == {"sequence": ONE}
    assert (slip.state, desk.house.drawers[DRAWER].paid_out) == (TicketState.ISSUED, 0)

    desk.ask(ReprintTicket(ONE, "The printer jammed."))
    desk.ask(redeeming())
    assert (slip.state, desk.house.drawers[DRAWER].paid_out) == (TicketState.REDEEMED, 13_700)
    desk.refused(redeeming(), Code.TICKET_PAID, clause)


@pytest.mark.clause("skycity-adelaide-2003", "7(e)")
def test_slip_that_was_not_dispensed_goes_back_to_its_meter() -> None:
    """The value of a slip that never came out goes back to the meter, and then the slip is void at the cashier's."""
    desk = with_drawer(ADELAIDE)
    desk.issue(13_700)
    desk.ask(VoidTicket(ONE, "The printer jammed."))
    assert desk.t1.credit == 13_700
    desk.refused(redeeming(), Code.TICKET_VOID, "7(e)")
