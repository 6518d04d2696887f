"""The auditor agrees with a house that keeps its word, and names the invariant that a false one breaks."""

from collections.abc import Callable
from typing import Final

import msgspec
import pytest

from croupier.house import AnyCommand, decide
from croupier.house.credit.drawers import OpenDrawer, RedeemTicket
from croupier.house.credit.notes import NoteStacked
from croupier.house.credit.sessions import AdjustCredit, CreditAdjusted
from croupier.house.credit.tickets import Collect, TicketRedeemed, Validation
from croupier.house.declare import Decision, Events
from croupier.house.floor.signatures import Approve, ProposalApproved, ProposalMade
from croupier.house.ids import Context, DeviceId, DrawerId, Number, RoundNumber, TerminalId
from croupier.house.play.betting import BetsChanged, BetsReturned, PlaceBets
from croupier.house.rounds.closing import CloseBets
from croupier.house.rounds.irregularities import CallNoSpin
from croupier.house.rounds.opening import BetsOpened, OpenBets
from croupier.house.rounds.results import BallAtRest
from croupier.house.rounds.settlement import ResultDeclared, RoundSettled
from croupier.house.settings import TableSettings
from croupier.house.state.tables import BetChange, ResultSource
from croupier.house.timers import Tick
from croupier.rules.geometry import Pocket, SpotKey
from croupier.rules.money import Cents
from croupier.rules.procedure import Reason
from croupier.rules.refusal import Code, Refusal
from croupier.simulation.auditor import NOT_DERIVED, Auditor
from croupier.simulation.auditor.registry import DERIVED
from croupier.transcripts.driver import TABLE, device_of
from tests.conftest import DOCUMENTS
from tests.support.audited import WHEEL, Audited, breaks, context_of, sealed, settled
from tests.support.house_driver import cents
from tests.support.random_walk import LIMITS, RandomWalk
from tests.support.sample_commands import ADELAIDE, CLEARWATER, MARINA

pytestmark = pytest.mark.untraced

T1: Final = TerminalId("T1")
SEEDS: Final = range(8)
STEPS: Final = 100


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("rulebook_id", DOCUMENTS)
def test_auditor_agrees_with_every_answer_of_a_run(rulebook_id: str, seed: int) -> None:
    """Whatever everybody does by the dice, the auditor works out the same answers, states and entries."""
    walk = RandomWalk(rulebook_id, seed)

    walk.play(STEPS)

    assert len(walk.floor.received) > STEPS


def test_auditor_that_hears_it_all_again_agrees() -> None:
    """A new auditor that hears the same commands with their answers holds the house to the same picture."""
    walk = RandomWalk(ADELAIDE, 99)
    walk.play(STEPS)
    again = Auditor()

    for command, context, answer in walk.floor.received:
        again.on_decision(command, context, answer)

    again.compare(walk.house)


def test_no_command_is_both_derived_and_followed() -> None:
    """A command whose effect the auditor derives is not listed as one whose events it follows."""
    assert DERIVED.keys().isdisjoint(NOT_DERIVED)


# False answers.


def falsely(floor: Audited, command: AnyCommand, context: Context, answer: Decision) -> Callable[[], object]:
    """Give the auditor an answer that the house did not give."""
    return lambda: floor.auditor.on_decision(command, context, answer)


def placing(floor: Audited, slip: tuple[tuple[str, int], ...]) -> tuple[AnyCommand, Context]:
    return PlaceBets(*floor.game("T1"), slip), context_of(floor, DeviceId(T1))


def changed(floor: Audited, *stakes: tuple[str, int]) -> BetsChanged:
    terminal, table, number, _ = floor.game("T1")
    position = floor.house.terminals[terminal].games[table].id
    spots, amounts = zip(*stakes, strict=True)
    return BetsChanged(position, number, BetChange.PLACE, tuple(map(SpotKey, spots)), amounts)


def test_bet_after_the_close_is_found() -> None:
    """A bet that is taken after no more bets breaks the order of a round."""
    floor = sealed()
    breaks("I9", falsely(floor, *placing(floor, (("17", 500),)), (changed(floor, ("17", 1000)),)))


def test_bet_beyond_the_credits_is_found() -> None:
    """A bet that costs more than is on the meter is found, and so is a false shortage."""
    floor = Audited(MARINA)
    floor.seats(T1=10)
    floor.open()
    breaks("I2", falsely(floor, *placing(floor, (("17", 1001),)), (changed(floor, ("17", 1001)),)))
    breaks("I2", falsely(floor, *placing(floor, (("17", 1000),)), Refusal(Code.CREDIT_SHORT, None, "No.")))


def test_refusal_for_another_reason_is_found() -> None:
    """A refusal must give the reason that there is."""
    floor = Audited(MARINA)
    floor.seats(T1=10)
    floor.open()
    breaks("I9", falsely(floor, *placing(floor, (("17", 1001),)), Refusal(Code.BETS_CLOSED, None, "No.")))


def test_bet_outside_the_limits_is_found() -> None:
    """A stake under the minimum, over the maximum, or with too little risk breaks the limits."""
    floor = Audited(MARINA, TableSettings(limits=LIMITS))
    floor.seats(T1=500)
    floor.open()
    for stake in (50, 5_001):
        breaks("I18", falsely(floor, *placing(floor, (("17", stake),)), (changed(floor, ("17", stake)),)))
    floor = Audited(CLEARWATER)
    floor.seats(T1=500)
    floor.open()
    hedge = ("red", 1000), ("black", 1000)
    breaks("I18", falsely(floor, *placing(floor, hedge), (changed(floor, *hedge),)))


def test_chips_that_were_not_requested_are_found() -> None:
    """A bet must change the chips that it names by what it says."""
    floor = Audited(MARINA)
    floor.seats(T1=500)
    floor.open()
    breaks("I2", falsely(floor, *placing(floor, (("17", 500),)), (changed(floor, ("18", 500)),)))


def test_bet_that_moves_nothing_is_found() -> None:
    """A bet that is taken must be told."""
    floor = Audited(MARINA)
    floor.seats(T1=500)
    floor.open()
    breaks("I2", falsely(floor, *placing(floor, (("17", 500),)), ()))


def rested(floor: Audited, pocket: str) -> tuple[AnyCommand, Context, Events]:
    """Give what the wheel reports, with what the house would answer."""
    command = BallAtRest(TABLE, Pocket(pocket), 9, opposite=True)
    context = context_of(floor, WHEEL)
    answer = decide(floor.house, command, context)
    assert isinstance(answer, tuple)
    return command, context, answer


@pytest.mark.parametrize("rulebook_id", [MARINA, ADELAIDE, CLEARWATER])
def test_payout_one_cent_off_is_found(rulebook_id: str) -> None:
    """What comes back is stake times odds plus one for every winning spot, to the cent."""
    floor = sealed(rulebook_id, T1="5 on 17; 3 on 17/20; 2 on black", T2="9 on red")
    command, context, (*before, paid) = rested(floor, "17")
    assert isinstance(paid, RoundSettled)
    assert paid.returned == cents(5 * 36 + 3 * 18 + 2 * 2)
    false = msgspec.structs.replace(paid, returned=Cents(paid.returned + 1))
    breaks("I3", falsely(floor, command, context, (*before, false)))


def test_other_number_than_the_wheel_s_is_found() -> None:
    """The number that is declared is the one that was reported."""
    floor = sealed()
    command, context, (result, paid) = rested(floor, "17")
    assert isinstance(result, ResultDeclared)
    breaks("I10", falsely(floor, command, context, (msgspec.structs.replace(result, pocket=Pocket("18")), paid)))


def test_result_before_the_seal_is_found() -> None:
    """No number counts while bets could still be placed."""
    floor = Audited(MARINA)
    floor.seats(T1=10)
    floor.open()
    result = ResultDeclared(TABLE, RoundNumber(1), Pocket("17"), ResultSource.SENSOR)
    command = BallAtRest(TABLE, Pocket("17"))
    breaks("I9", falsely(floor, command, context_of(floor, WHEEL), (result,)))
    breaks("I9", lambda: floor.auditor.entry(floor.written + 1, 1, context_of(floor, WHEEL), result))


def test_second_settlement_is_found() -> None:
    """A round has one result and one settlement."""
    floor = settled()
    result, paid = floor.events[-2:]
    command, context = BallAtRest(TABLE, Pocket("18")), context_of(floor, WHEEL)
    for event in (result, paid):
        breaks("I10", falsely(floor, command, context, (event,)))
        breaks("I10", lambda event=event: floor.auditor.entry(floor.written + 1, 1, context, event))  # type: ignore[misc]
        floor.written += 1


def test_settlement_after_no_spin_is_found() -> None:
    """What was called off is never settled."""
    floor = sealed()
    command, context, events = rested(floor, "17")
    floor.by(floor.dealer, CallNoSpin(TABLE, Reason.FOREIGN_OBJECT, "as seen"))
    breaks("I10", falsely(floor, command, context, events))
    breaks("I23", lambda: floor.auditor.entry(floor.written + 1, 1, context, events[0]))
    floor = sealed(ADELAIDE)
    command, context, events = rested(floor, "17")
    floor.by(floor.dealer, CallNoSpin(TABLE, Reason.FOREIGN_OBJECT, "as seen"))
    breaks("I23", falsely(floor, command, context, events))


def test_seal_of_chips_that_should_go_back_is_found() -> None:
    """Chips under the minimum go back at the close, and nothing else does."""
    floor = Audited(CLEARWATER, TableSettings(limits=LIMITS))
    floor.seats(T1=100)
    floor.open()
    floor.bet("T1", "0.50 on 17; 5 on 18")
    floor.spin()
    command, context = CloseBets(TABLE), context_of(floor)
    closing, back, seal = decide(floor.house, command, context)  # type: ignore[misc]
    assert isinstance(back, BetsReturned)
    more = msgspec.structs.replace(back, spots=("17", "18"))
    breaks("I18", falsely(floor, command, context, (closing, seal)))
    floor = Audited(CLEARWATER, TableSettings(limits=LIMITS))
    floor.seats(T1=100)
    floor.open()
    floor.bet("T1", "0.50 on 17; 5 on 18")
    floor.spin()
    breaks("I18", falsely(floor, command, context, (closing, more, seal)))


def test_event_that_nobody_requested_is_found() -> None:
    """A tick stacks no note, and deals no chips."""
    floor = Audited(MARINA)
    floor.seats(T1=10)
    floor.open()
    for event in (NoteStacked(T1, Cents(500)), changed(floor, ("17", 100))):
        breaks("I8", falsely(floor, Tick(), context_of(floor), (event,)))


def test_ticket_paid_twice_is_found() -> None:
    """A ticket is paid once, whoever brings it where."""
    floor = Audited(CLEARWATER)
    floor.seats(T1=10)
    floor.must(Collect(T1, Validation(Number(1), "digest", "1234")), DeviceId(T1))
    drawer = DrawerId("D1")
    floor.by("cashier", OpenDrawer(drawer, cents(100)))
    command = RedeemTicket(drawer, "digest")
    (paid,) = floor.must(command, device_of("cashier"), "cashier")
    breaks("I5", falsely(floor, command, context_of(floor, device_of("cashier"), "cashier"), (paid,)))
    other = Refusal(Code.TICKET_VOID, None, "No.")
    breaks("I5", falsely(floor, command, context_of(floor, device_of("cashier"), "cashier"), other))


def test_drawer_that_pays_more_than_it_holds_is_found() -> None:
    """A drawer pays no more than its float less what was paid from it."""
    floor = Audited(CLEARWATER)
    floor.seats(T1=10)
    floor.must(Collect(T1, Validation(Number(1), "digest", "1234")), DeviceId(T1))
    drawer = DrawerId("D1")
    floor.by("cashier", OpenDrawer(drawer, cents(9)))
    paid = TicketRedeemed(Number(1), drawer, at_terminal=False)
    context = context_of(floor, device_of("cashier"), "cashier")
    breaks("I6", falsely(floor, RedeemTicket(drawer, "digest"), context, (paid,)))


def test_lapse_that_is_not_reported_is_found() -> None:
    """Tickets lapse with the gaming day, and are told to."""
    floor = Audited(CLEARWATER, ticket_days=1)
    floor.seats(T1=10)
    floor.must(Collect(T1, Validation(Number(1), "digest", "1234")), DeviceId(T1))
    command = Tick(20261116)  # type: ignore[arg-type]
    began, _ = decide(floor.house, command, context_of(floor))  # type: ignore[misc]
    breaks("I5", falsely(floor, command, context_of(floor), (began,)))


def test_signature_of_one_person_is_found() -> None:
    """What takes two people is not done by one, nor by one who signs twice."""
    floor = Audited(CLEARWATER)
    floor.seats(T1=10)
    command = AdjustCredit(T1, 100, "It was short.")
    boss = context_of(floor, device_of("supervisor"), "supervisor")
    adjusted = CreditAdjusted(T1, 100, "9", "It was short.")  # type: ignore[arg-type]
    breaks("I19", falsely(floor, command, boss, (adjusted,)))
    (made,) = floor.must(command, boss.device, boss.person)
    assert isinstance(made, ProposalMade)
    signed = ProposalApproved(made.proposal, boss.person, boss.device, boss.person, boss.device)
    breaks("I19", falsely(floor, Approve(made.proposal), boss, (signed, adjusted)))


def test_command_of_somebody_without_the_duty_is_found() -> None:
    """A cashier opens no table, and a wheel no drawer."""
    floor = Audited(MARINA)
    floor.seats(T1=10)
    cashier = context_of(floor, device_of("cashier"), "cashier")
    opened = BetsOpened(TABLE, RoundNumber(1), floor.rulebook.digest, None, None)
    breaks("I19", falsely(floor, OpenBets(TABLE), cashier, (opened,)))


def test_unrequested_answer_changes_nothing() -> None:
    """A system that is busy has decided nothing."""
    floor = Audited(MARINA)
    floor.seats(T1=10)
    floor.open()
    floor.auditor.on_decision(*placing(floor, (("17", 100),)), Refusal(Code.BUSY, None, "Not now."))
    floor.auditor.compare(floor.house)
