"""The auditor finds a state that differs from what was asked, and a journal that is out of order."""

from collections.abc import Callable
from typing import Final

import pytest

from croupier.house import House
from croupier.house.credit.drawers import DrawerOpened, OpenDrawer
from croupier.house.credit.notes import NoteStacked
from croupier.house.credit.sessions import AdjustCredit, CreditAdjusted
from croupier.house.credit.tickets import Collect, TicketRedeemed, TicketState, Validation
from croupier.house.declare import Event
from croupier.house.floor.signatures import ProposalApproved, ProposalMade
from croupier.house.floor.staff import PersonEnrolled
from croupier.house.ids import (
    SYSTEM,
    Context,
    Day,
    DeviceId,
    DrawerId,
    Instant,
    Number,
    PersonId,
    RoundNumber,
    TerminalId,
)
from croupier.house.play.betting import BetsChanged, BetsReturned, ReturnReason
from croupier.house.rounds.irregularities import CallNoSpin
from croupier.house.rounds.opening import BetsOpened
from croupier.house.rounds.settlement import ResultDeclared, RoundSettled
from croupier.house.state.ledger import LedgerAccount
from croupier.house.state.tables import ResultSource
from croupier.house.timers import DayEnded
from croupier.rules.geometry import Pocket
from croupier.rules.procedure import Reason
from croupier.rules.refusal import CitedTopic
from croupier.simulation.auditor import Auditor
from croupier.transcripts.driver import TABLE, device_of
from tests.support.audited import WHEEL, Audited, breaks, context_of, sealed, settled
from tests.support.house_driver import P1, cents
from tests.support.sample_commands import ADELAIDE, CLEARWATER, MARINA

T1: Final = TerminalId("T1")


def seen(floor: Audited) -> Callable[[], object]:
    return lambda: floor.auditor.compare(floor.house)


def test_stake_lost_at_a_void_is_found() -> None:
    """After a void every account is what it was before the round's first stake."""
    floor = sealed()
    floor.by(floor.dealer, CallNoSpin(TABLE, Reason.FOREIGN_OBJECT, "as seen"))
    floor.house.terminals[T1].credit -= 500
    breaks("I4", seen(floor))


def _book(account: LedgerAccount, other: LedgerAccount) -> Callable[[House], None]:
    """Book a cent where it does not belong."""
    return lambda house: house.ledger.post(1, source=other, target=account)


def _one_sided(house: House) -> None:
    house.ledger.balances[LedgerAccount.HOUSE] += 1


def _below_nothing(house: House) -> None:
    house.terminals[T1].credit = -1


def _meter(house: House) -> None:
    house.terminals[T1].meters.turnover += 1


def _table_meter(house: House) -> None:
    house.tables[TABLE].meters.rounds += 1


def _paid(house: House) -> None:
    result = house.tables[TABLE].playing.result
    assert result is not None
    result.paid[P1] += 1


def _history(house: House) -> None:
    house.tables[TABLE].history.clear()


def _phase(house: House) -> None:
    house.tables[TABLE].closed = True


def _ticket(house: House) -> None:
    house.tickets.all[Number(1)].state = TicketState.PRINTED


def _drawer(house: House) -> None:
    house.drawers[DrawerId("D1")].cash += 1


@pytest.mark.parametrize(
    ("falsify", "invariant"),
    [
        (_one_sided, "I1"),
        (_below_nothing, "I2"),
        (_book(LedgerAccount.CREDIT, LedgerAccount.HOUSE), "I2"),
        (_book(LedgerAccount.TICKETS, LedgerAccount.UNCLAIMED), "I5"),
        (_book(LedgerAccount.DRAWERS, LedgerAccount.VAULT), "I6"),
        (_paid, "I3"),
        (_ticket, "I5"),
        (_drawer, "I6"),
        (_phase, "I9"),
        (_history, "I10"),
        (_meter, "I21"),
        (_table_meter, "I21"),
    ],
)
def test_false_state_is_found(falsify: Callable[[House], None], invariant: str) -> None:
    """A state that differs in one thing from what was asked and answered breaks the invariant of that thing."""
    floor = settled(CLEARWATER, "17")
    floor.must(Collect(T1, Validation(Number(1), "digest", "1234")), DeviceId(T1))
    floor.by("cashier", OpenDrawer(DrawerId("D1"), cents(9)))
    floor.auditor.compare(floor.house)

    falsify(floor.house)

    breaks(invariant, seen(floor))


# A false journal.


def read(floor: Audited) -> tuple[Auditor, int]:
    """Let a new auditor read the journal of a floor; tell how many entries it has."""
    auditor, position = Auditor(), 0
    for _, context, answer in floor.received:
        for event in answer if isinstance(answer, tuple) else ():
            position += 1
            auditor.entry(position, 1, context, event)
    return auditor, position


def false_entry(invariant: str, floor: Audited, *events: Event, context: Context | None = None) -> None:
    """Assert that the last of some entries, written after those of a floor, is found false."""
    auditor, position = read(floor)
    signed = context or context_of(floor)
    for place, event in enumerate(events[:-1], start=1):
        auditor.entry(position + place, 1, signed, event)
    breaks(invariant, lambda: auditor.entry(position + len(events), 1, signed, events[-1]))


DAY_ENDED: Final = DayEnded(Day(20261115))


def test_gap_and_older_epoch_are_found() -> None:
    """Positions run on from one without a gap, and epochs never back."""
    auditor, position = read(settled())
    context = Context(Instant(10**9), SYSTEM)
    breaks("I12", lambda: auditor.entry(position + 2, 1, context, DAY_ENDED))
    breaks("I12", lambda: auditor.entry(position + 1, 0, context, DAY_ENDED))
    breaks("I12", lambda: Auditor().entry(2, 1, context, DAY_ENDED))


def test_time_that_goes_back_is_found() -> None:
    """No entry is older than the one before it."""
    floor = Audited(MARINA)
    floor.at(5)
    floor.seats(T1=10)
    false_entry("I20", floor, DAY_ENDED, context=Context(Instant(0), SYSTEM))


def test_chips_that_move_after_the_seal_are_found() -> None:
    """Once bets are sealed no chip is placed and none goes back unplayed."""
    floor = sealed()
    placed = next(event for event in floor.events if isinstance(event, BetsChanged))
    false_entry("I9", floor, placed, context=context_of(floor, DeviceId(T1)))
    clause = floor.rulebook.procedure.closes.clause
    for why in (ReturnReason.MALFUNCTION, ReturnReason.OFFLINE_AT_CLOSE):
        false_entry("I9", floor, BetsReturned(P1, RoundNumber(1), why, clause, ()))


def test_steps_out_of_order_are_found() -> None:
    """A result follows the seal, a settlement the result, and a round the end of the one before it."""
    floor = Audited(MARINA)
    floor.open()
    here = (TABLE, RoundNumber(1))
    result = ResultDeclared(*here, Pocket("17"), ResultSource.SENSOR)
    paid = RoundSettled(*here, 0, 0, "")
    false_entry("I9", floor, result)
    false_entry("I9", floor, paid)
    false_entry("I9", floor, BetsOpened(TABLE, RoundNumber(2), floor.rulebook.digest, None, None))
    false_entry("I10", sealed(), result, result)
    false_entry("I10", sealed(), result, paid, paid)
    false_entry("I10", sealed(), result, paid, result)


def test_result_after_no_spin_is_found() -> None:
    """What was called off never has a result, nor a settlement."""
    result = ResultDeclared(TABLE, RoundNumber(1), Pocket("17"), ResultSource.SENSOR)
    for rulebook_id in (MARINA, ADELAIDE):
        floor = sealed(rulebook_id)
        floor.by(floor.dealer, CallNoSpin(TABLE, Reason.FOREIGN_OBJECT, "as seen"))
        false_entry("I23", floor, result)
        false_entry("I23", floor, RoundSettled(TABLE, RoundNumber(1), 0, 0, ""))


def test_random_number_out_of_range_is_found() -> None:
    """A number that is not on the wheel is nobody's."""
    for source in (ResultSource.RANDOM, ResultSource.SENSOR):
        false_entry("I17", sealed(), ResultDeclared(TABLE, RoundNumber(1), Pocket("37"), source))


def test_entry_without_the_duty_is_found() -> None:
    """A privileged entry carries the word of somebody with the duty, and a terminal's its own and nobody's."""
    floor = settled()
    dealer = context_of(floor, device_of("dealer"), "dealer")
    opened = DrawerOpened(DrawerId("D1"), cents(10))
    paid = TicketRedeemed(Number(1), "D1", at_terminal=False)
    for event in (opened, paid):
        false_entry("I19", floor, event, context=dealer)
        false_entry("I19", floor, event)
    false_entry("I19", floor, NoteStacked(T1, cents(5)), context=context_of(floor, DeviceId("T2")))
    entered = ResultDeclared(TABLE, RoundNumber(1), Pocket("17"), ResultSource.ENTERED)
    false_entry("I19", sealed(), entered, context=context_of(floor, WHEEL))


def test_second_signature_that_is_none_is_found() -> None:
    """What takes two people names two who signed on two devices, the first of them as recorded."""
    floor = settled()
    (clause,) = {floor.rulebook.cited_clauses[CitedTopic.CREDIT]}
    boss = context_of(floor, device_of("pit manager"), "pit manager")
    other = (PersonId("gaming shift manager"), device_of("gaming shift manager"))
    adjusted = CreditAdjusted(T1, 100, clause, "It was short.")
    command = AdjustCredit(T1, 100, "It was short.")
    made = ProposalMade(Number(1), command, Instant(10**9))
    one = (boss.person, boss.device)
    false_entry("I19", floor, adjusted, context=boss)
    false_entry("I19", floor, made, ProposalApproved(Number(1), *one, *one), adjusted, context=boss)
    false_entry("I19", floor, made, ProposalApproved(Number(1), *other, *one), adjusted, context=boss)
    enrolled = PersonEnrolled(PersonId("a friend"), ("Pit Manager",))
    manager = Context(boss.now, other[1], other[0])
    false_entry("I19", floor, enrolled, context=manager)
