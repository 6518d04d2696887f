"""The auditor follows what a run seldom comes to: held wins, corrections, cases, other rules and other staff."""

from typing import Final

import pytest

from croupier.house import AnyCommand
from croupier.house.credit.drawers import OpenDrawer
from croupier.house.credit.held_wins import PayHeldWin, RecordTaxForm, ReleaseHeldWin
from croupier.house.credit.sessions import AdjustCredit
from croupier.house.credit.tickets import Collect, InsertTicket, ReleaseTicket, Validation
from croupier.house.declare import Event
from croupier.house.floor.malfunctions import BetsConfirmed, ConfirmBets, RaiseMalfunction, VoidBets
from croupier.house.floor.service import CloseTerminal, NotifyOfficer, ReportTerminalLost
from croupier.house.floor.settings import ChangeRulebook
from croupier.house.floor.setup import AdoptRulebook
from croupier.house.floor.signatures import Approve, ProposalMade, Withdraw
from croupier.house.floor.staff import AppointActing, ReleasePerson
from croupier.house.ids import (
    SYSTEM,
    Context,
    DeviceId,
    DrawerId,
    Instant,
    Number,
    PersonId,
    PositionId,
    RoundNumber,
    TableId,
    TerminalId,
)
from croupier.house.live.arrangements import ArrangeVip
from croupier.house.play.betting import BetsChanged, ChangeBet, ClearBets, PlaceBets
from croupier.house.play.patterns import ConfirmRecall
from croupier.house.rounds.closing import BetsClosing, BetsSealed, CloseBets, CloseReason
from croupier.house.rounds.corrections import CorrectResult, InvalidateOutcome, OutcomeInvalidated
from croupier.house.rounds.opening import OpenBets
from croupier.house.rounds.recovery import AcceptHistory
from croupier.house.rounds.results import BallAtRest
from croupier.house.rounds.spinning import SpinBall
from croupier.house.settings import TableSettings, TerminalSettings
from croupier.house.state.records import MalfunctionKind
from croupier.house.state.tables import BetChange
from croupier.house.timers import Tick
from croupier.rulebooks.schema import canonical
from croupier.rules.geometry import Pocket, SpotKey
from croupier.rules.money import Cents
from croupier.rules.procedure import Reason, TaxBasis
from croupier.rules.refusal import ClauseId, Code, Refusal
from croupier.simulation.auditor import Auditor
from croupier.transcripts.driver import TABLE, device_of
from tests.conftest import venue as rulebook_of
from tests.support.audited import Audited, breaks, context_of, sealed, settled
from tests.support.house_driver import cents, refused
from tests.support.random_walk import LIMITS
from tests.support.sample_commands import ADELAIDE, CLEARWATER, MARINA, US, WORDS

pytestmark = pytest.mark.untraced

T1: Final = TerminalId("T1")
D1: Final = DrawerId("D1")


def signed(floor: Audited, title: str, command: AnyCommand) -> tuple[Event, ...]:
    """Have two people of a title sign for something."""
    person, other = title.lower(), f"{title.lower()} 2"
    if PersonId(other) not in floor.house.staff.people:
        floor.enrol(title, other)
    (made,) = floor.must(command, device_of(person), person)
    assert isinstance(made, ProposalMade)
    return floor.must(Approve(made.proposal), device_of(other), other)


def correct(floor: Audited, title: str, pocket: str, number: int = 1) -> None:
    signed(floor, title, CorrectResult(TABLE, RoundNumber(number), Pocket(pocket), WORDS))


def test_held_win_is_paid_by_hand() -> None:
    """A win that needs a form is held, keeps its player from betting, and is paid once the form is recorded."""
    floor = Audited(CLEARWATER)
    floor.seats(T1=100)
    floor.round("17", T1="35 on 17")
    floor.open()
    assert refused(floor.bet("T1", "1 on 17"))[0] == Code.WIN_HELD
    pays, one = PayHeldWin(T1, Number(1), D1), Number(1)
    for command, code in (
        (RecordTaxForm(T1, one, "A. Patron", " "), Code.FORM_MISSING),
        (ReleaseHeldWin(T1, one), Code.FORM_MISSING),
        (ReleaseHeldWin(T1, Number(2)), Code.UNKNOWN_RECORD),
        (pays, Code.FORM_MISSING),
    ):
        floor.by("cashier", OpenDrawer(D1, cents(1300)))
        assert refused(floor.by("cashier", command))[0] == code
    floor.by("cashier", RecordTaxForm(T1, one, "A. Patron", "W-1"))
    floor.must(pays, device_of("cashier"), "cashier")
    assert floor.house.drawers[D1].cash == cents(40)
    assert floor.credit("T1") == 65


def test_correction_takes_from_a_held_win() -> None:
    """What a correction takes back comes from the held win first; what needs no form any more is held no longer."""
    floor = Audited(CLEARWATER)
    floor.seats(T1=200)
    floor.round("17", T1="35 on 17; 80 on 20/21; 36 on 20")
    correct(floor, "Supervisor", "20")
    assert floor.house.terminals[T1].held_total == cents(80 * 18 + 36 * 36)
    correct(floor, "Supervisor", "17")
    assert floor.house.terminals[T1].held_total == cents(35 * 36)
    correct(floor, "Supervisor", "19")
    assert floor.house.terminals[T1].held_total == 0
    assert floor.credit("T1") == 49


def test_correction_of_what_was_collected_is_owed() -> None:
    """What a player has collected before a correction is owed, and given back before anything else is."""
    floor = settled(MARINA, "17")
    floor.must(Collect(T1, Validation(Number(1), "digest", "1234")), DeviceId(T1))
    correct(floor, "Pit Manager", "18")
    assert floor.house.terminals[T1].owes == cents(180)
    correct(floor, "Pit Manager", "17")
    assert floor.house.terminals[T1].owes == 0


def test_correction_of_what_was_staked_again_is_owed_in_part() -> None:
    """A player who is still there gives back what is on the meter, owes the rest, and is paid the rest first."""
    floor = settled(MARINA, "17")
    floor.open()
    floor.bet("T1", "200 on 18")
    correct(floor, "Pit Manager", "18")
    assert (floor.credit("T1"), floor.house.terminals[T1].owes) == (0, cents(105))
    correct(floor, "Pit Manager", "17")
    assert (floor.credit("T1"), floor.house.terminals[T1].owes) == (75, 0)


@pytest.mark.parametrize(("basis", "held"), [(TaxBasis.GROSS, 1224), (TaxBasis.NET_OF_TOTAL_BET, 0), (None, 0)])
def test_tax_basis_is_the_table_s(basis: TaxBasis | None, held: int) -> None:
    """Whether 34 on 17 needs a form depends on what the venue counts."""
    floor = Audited(CLEARWATER, TableSettings(tax_basis=basis))
    floor.seats(T1=100)
    floor.round("17", T1="34 on 17")
    assert floor.house.terminals[T1].held_total == cents(held)


@pytest.mark.parametrize(("taken_back", "credit_after"), [(False, 275), (True, 100)])
def test_confirmed_bets_are_settled_by_the_record(credit_after: int, *, taken_back: bool) -> None:
    """Bets in question are set aside at the settlement, and settled by the record; by the stakes if none counts."""
    floor = sealed(ADELAIDE)
    floor.by("dealer", RaiseMalfunction(T1, MalfunctionKind.OPINION, WORDS))
    floor.rest("17")
    assert floor.credit("T1") == 95
    if taken_back:
        signed(floor, "Shift Manager", InvalidateOutcome(TABLE, RoundNumber(1), Reason.FIRE, WORDS))
    floor.by("dealer", ConfirmBets(Number(1), floor.table.playing.digest))
    assert floor.credit("T1") == credit_after
    event = BetsConfirmed(Number(1), ClauseId("11(b)ii"))
    context = context_of(floor, device_of("dealer"), "dealer")
    command = ConfirmBets(Number(1), "")
    breaks("I10", lambda: floor.auditor.on_decision(command, context, (event,)))


def test_bets_confirmed_before_the_result_are_settled_with_the_rest() -> None:
    """Bets that are confirmed while the ball runs are settled in their turn, and do not stay up at a blocked seat."""
    floor = sealed(ADELAIDE)
    floor.by("dealer", RaiseMalfunction(T1, MalfunctionKind.OPINION, WORDS))
    floor.by("dealer", ConfirmBets(Number(1), floor.table.playing.digest))
    floor.rest("17")
    assert floor.credit("T1") == 275
    assert floor.layout("T1") == {}


def test_each_game_s_win_is_held_for_itself() -> None:
    """Two games are two wins: a correction in one takes from its own, and the other is released by its form."""
    floor, other = Audited(CLEARWATER, TableSettings(), TableSettings()), TableId("table 2")
    floor.seat("T1", cents(100), tables=(TABLE, other))
    for table in (TABLE, other):
        floor.must(OpenBets(table))
        floor.bet("T1", "35 on 17", table)
    for table in (TABLE, other):
        floor.by("attendant", SpinBall(table))
        floor.must(CloseBets(table))
        floor.ask(BallAtRest(table, Pocket("17")), DeviceId(table))
    assert floor.house.terminals[T1].held_total == cents(2 * 35 * 36)
    correct(floor, "Supervisor", "18")
    floor.by("cashier", RecordTaxForm(T1, Number(2), "A. Patron", "W-1"))
    floor.must(ReleaseHeldWin(T1, Number(2)), device_of("cashier"), "cashier")
    assert floor.credit("T1") == 30 + 35 * 36


def test_closed_terminal_gives_chips_back() -> None:
    """A terminal that goes out of service during a round takes no more chips, and keeps nobody from taking them."""
    floor = Audited(MARINA)
    floor.seats(T1=100)
    floor.open()
    floor.bet("T1", "5 on 17")
    floor.by("technician", CloseTerminal(T1, WORDS))
    assert refused(floor.bet("T1", "5 on 17"))[0] == Code.TERMINAL_CLOSED
    floor.remove("T1", "17")
    assert floor.credit("T1") == 100


def test_rules_change_with_the_next_round() -> None:
    """A table that changes its rulebook gives chips back and takes bets by the new rules."""
    floor = Audited(CLEARWATER)
    floor.seats(T1=100)
    us = rulebook_of(US)
    floor.must(AdoptRulebook(canonical(us)))
    floor.round("18", T1="10 on 17")
    signed(floor, "Shift Manager", ChangeRulebook(TABLE, us.digest, WORDS))
    floor.open()
    assert refused(floor.bet("T1", "10 on 17"))[0] == Code.STAKE_OVER_MAXIMUM
    assert isinstance(floor.bet("T1", "4 on courtesy-line"), tuple)


def test_leaver_has_not_signed() -> None:
    """Whoever is gone has signed nothing, and whoever acts in a position may sign while that lasts."""
    floor = Audited(CLEARWATER)
    floor.seats(T1=100)
    acts = AppointActing(PersonId("attendant"), "Supervisor", Instant(0), Instant(10**6))
    (made,) = floor.must(acts, device_of("shift manager"), "shift manager")
    assert isinstance(made, ProposalMade)
    floor.enrol("Shift Manager", "second")
    floor.must(Approve(made.proposal), device_of("second"), "second")
    adjusts = AdjustCredit(T1, 100, WORDS)
    (made,) = floor.must(adjusts, device_of("attendant"), "attendant")
    assert isinstance(made, ProposalMade)
    floor.must(ReleasePerson(PersonId("attendant")))
    for command in (Approve(made.proposal), Withdraw(made.proposal)):
        assert refused(floor.by("supervisor", command))[0] == Code.UNKNOWN_RECORD


def test_tickets_go_back_in_at_a_terminal() -> None:
    """A ticket becomes credit at a terminal that takes tickets, once."""
    floor = Audited(CLEARWATER)
    floor.seats(T1=100, T2=1)
    floor.must(Collect(T1, Validation(Number(1), "digest", "1234")), DeviceId(T1))
    put_in = InsertTicket(TerminalId("T2"), "digest")
    floor.must(put_in, DeviceId("T2"))
    assert floor.credit("T2") == 101
    assert refused(floor.ask(put_in, DeviceId("T2")))[0] == Code.TICKET_PAID
    other = InsertTicket(TerminalId("T2"), "another")
    assert refused(floor.ask(other, DeviceId("T2")))[0] == Code.TICKET_UNKNOWN


def test_frozen_ticket_is_released_by_two() -> None:
    """A ticket that may be paid in a lost part of the journal is paid once two people have released it."""
    floor = Audited(CLEARWATER)
    floor.seats(T1=100)
    floor.enrol("Shift Manager", "shift manager 2")
    floor.must(Collect(T1, Validation(Number(1), "digest", "1234")), DeviceId(T1))
    people = (PersonId("shift manager"), PersonId("shift manager 2"))
    floor.must(AcceptHistory(3, people, WORDS))
    put_in = InsertTicket(T1, "digest")
    assert refused(floor.ask(put_in, DeviceId(T1)))[0] == Code.TICKET_FROZEN
    signed(floor, "Attendant", ReleaseTicket(Number(1), WORDS))
    floor.must(put_in, DeviceId(T1))


def test_terminal_model_offers_some_calls() -> None:
    """A terminal offers the calls on its buttons, and no others."""
    floor = Audited(MARINA)
    floor.seat("T1", cents(100), TerminalSettings(profile="rapid-select-single-game"))
    floor.open()
    assert isinstance(floor.bet("T1", "1 on voisins; 1 on neighbours 22"), tuple)
    assert refused(floor.bet("T1", "1 on finale 7"))[0] == Code.CALL_NOT_OFFERED
    floor.must(ReportTerminalLost(T1))
    floor.close()
    assert floor.credit("T1") == 100


@pytest.mark.parametrize(
    ("rulebook_id", "call", "pieces"),
    [
        (MARINA, "voisins", 10),
        (MARINA, "Big Series", 10),
        (MARINA, "voisins 3", 0),
        (MARINA, "neighbours 0", 5),
        (MARINA, "neighbours 22 by 3", 0),
        (CLEARWATER, "finale 0", 5),
        (CLEARWATER, "finale 11", 0),
        (CLEARWATER, "complete 2", 11),
        (CLEARWATER, "complete 2 by 2", 0),
        (CLEARWATER, "complete", 0),
        (CLEARWATER, "red-snake", 12),
        (CLEARWATER, "neighbours 22 by 4", 9),
        (CLEARWATER, "neighbours 22 by far", 0),
        (ADELAIDE, "neighbours 22", 0),
        (US, "courtesy-line", 1),
        (US, "2/0", 1),
        (US, "0/3", 0),
    ],
)
def test_call_is_taken_apart(rulebook_id: str, call: str, pieces: int) -> None:
    """A call costs a chip for each of its pieces, and what is no call here is refused."""
    floor = Audited(rulebook_id)
    floor.seats(T1=100)
    floor.open()
    floor.touch("T1", PlaceBets, ((call, 100),))
    assert floor.credit("T1") == 100 - pieces


def test_bets_that_the_record_does_not_bear_out_are_void() -> None:
    """Stakes that were set aside at the settlement go back, on the word of two people."""
    floor = sealed(ADELAIDE)
    floor.by("dealer", RaiseMalfunction(T1, MalfunctionKind.OPINION, WORDS))
    floor.rest("17")
    signed(floor, "Dealer", VoidBets(Number(1), WORDS))
    assert floor.credit("T1") == 100


def test_warned_layout_goes_back() -> None:
    """Chips that risk too little after a removal go back at the close, and one that is made nothing is removed."""
    floor = Audited(CLEARWATER)
    floor.seats(T1=100)
    floor.open()
    floor.bet("T1", "10 on red; 1 on 7")
    floor.bet("T1", "10 on black")
    floor.must(ChangeBet(*floor.game("T1"), SpotKey("7"), Cents(0)), DeviceId(T1))
    floor.close()
    assert floor.credit("T1") == 100


def test_player_by_arrangement_bets_straight_up() -> None:
    """Whoever has agreed to straight ups is refused all else, until the credits are collected."""
    floor = Audited(ADELAIDE)
    floor.seats(T1=100)
    floor.by("shift manager", NotifyOfficer(T1, WORDS))
    floor.at(1)
    game = floor.house.terminals[T1].games[TABLE]
    floor.by("shift manager", ArrangeVip(TABLE, (game.id,), WORDS))
    floor.open()
    assert refused(floor.bet("T1", "5 on red"))[0] == Code.KIND_NOT_PRICED
    assert isinstance(floor.bet("T1", "5 on 17"), tuple)
    assert refused(floor.bet("T1", "5 on neighbours 22"))[0] == Code.CALL_NOT_OFFERED


def test_layout_reported_beyond_the_limits_is_found_at_the_seal() -> None:
    """Chips that are taken as told are held to the limits when they are sealed."""
    for stakes in ((("17", 5_001),), tuple((str(number), 5_000) for number in range(1, 6))):
        floor = Audited(CLEARWATER, TableSettings(limits=LIMITS))
        floor.seats(T1=500)
        floor.open()
        game = floor.game("T1")
        spots, amounts = zip(*stakes, strict=True)
        reported = BetsChanged(PositionId(1), game[2], BetChange.RECALL, spots, amounts)
        floor.auditor.on_decision(ConfirmRecall(*game), context_of(floor, DeviceId(T1)), (reported,))
        here = (TABLE, RoundNumber(1))
        closed = BetsClosing(*here, CloseReason.TIMER, ClauseId("8")), BetsSealed(*here, 1, 1, 0, "")
        breaks("I18", lambda floor=floor, closed=closed: floor.auditor.on_decision(Tick(), context_of(floor), closed))  # type: ignore[misc]


def test_what_is_not_there_is_found() -> None:
    """Nothing is asked of a house that is not founded, of a table that is not there, or of a round that never was."""
    context = Context(Instant(0), SYSTEM)
    Auditor().on_decision(Tick(), context, Refusal(Code.HOUSE_NOT_FOUNDED, None, "No."))
    floor = settled(ADELAIDE)
    assert refused(floor.ask(OpenBets(TableId("table 9"))))[0] == Code.UNKNOWN_TABLE
    elsewhere = ClearBets(T1, TableId("table 9"), RoundNumber(1), 1)
    assert refused(floor.ask(elsewhere, DeviceId(T1)))[0] == Code.UNKNOWN_TABLE
    number, manager = RoundNumber(7), context_of(floor, device_of("shift manager"), "shift manager")
    event = OutcomeInvalidated(TABLE, number, Reason.FIRE, ClauseId("12(b)"), WORDS, PersonId(""))
    command = InvalidateOutcome(TABLE, number, Reason.FIRE, WORDS)
    breaks("I10", lambda: floor.auditor.on_decision(command, manager, (event,)))
