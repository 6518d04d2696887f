"""Refusals at live tables: the clause that the document has for the step, and words that say what is wrong."""

from typing import Final

import pytest

from croupier.house import AnyCommand
from croupier.house.ids import RoundNumber
from croupier.house.live.arrangements import NoteInfringement
from croupier.house.live.payment_walk import AmendSeal, CollectLosers, PaySegment, PlaceDolly, SegmentPaid
from croupier.house.live.seats_and_colours import LeaveTable, RedeemColour
from croupier.house.rounds.corrections import InvalidateOutcome
from croupier.house.rounds.irregularities import CallNoSpin
from croupier.house.rounds.opening import OpenBets
from croupier.house.rounds.spinning import SpinBall
from croupier.rules.geometry import Pocket, SpotKey
from croupier.rules.procedure import InfringementKind, Reason
from croupier.rules.refusal import Refusal
from tests.support.house_driver import ADELAIDE, TABLE, US, cents
from tests.support.live_driver import LiveFloor

ONE: Final = RoundNumber(1)
#: The clauses on the number and its marker, the order of steps, a no spin, and the position of a bet.
CLAUSES: Final = {
    ADELAIDE: ("9(d)", "9(e)", "10(f)", "6(j)"),
    US: ("Rotation (3)", "Rotation (4)", "Irregularities (1)", "Placement 4"),
}


def answer(floor: LiveFloor, command: AnyCommand, by: str = "") -> tuple[str, str | None, str]:
    refusal = floor.by(by or floor.dealer, command)
    assert isinstance(refusal, Refusal), refusal
    return refusal.code.value, refusal.clause, refusal.message


@pytest.mark.clause(ADELAIDE, "9(d)")
@pytest.mark.clause(US, "Rotation (3)")
@pytest.mark.parametrize("rulebook_id", [ADELAIDE, US])
def test_chips_wait_for_the_announcement(rulebook_id: str) -> None:
    """Before the number is announced nothing is collected, paid or marked: the clause on the announcement says so."""
    number, order, _, _ = CLAUSES[rulebook_id]
    floor = LiveFloor(rulebook_id)
    floor.open()
    floor.place(floor.one, "v100", red=1)
    floor.close()
    assert answer(floor, SpinBall(TABLE)) == ("out_of_turn", order, "Cannot spin ball while the ball runs.")
    collects, pays = CollectLosers(TABLE, ONE), PaySegment(TABLE, ONE, "red")
    dolly = PlaceDolly(TABLE, ONE, Pocket("1"))
    assert answer(floor, collects) == ("out_of_turn", number, "Cannot collect losers while the ball runs.")
    assert answer(floor, dolly) == ("out_of_turn", number, "Cannot place the dolly while the ball runs.")
    assert answer(floor, pays) == ("wrong_round", number, "The number of round 1 is not announced yet.")
    other = PaySegment(TABLE, RoundNumber(7), "red")
    assert answer(floor, other) == ("wrong_round", order, "Round 7 has no chips to collect or to pay.")
    assert answer(floor, OpenBets(TABLE))[:2] == ("out_of_turn", order)


@pytest.mark.clause(ADELAIDE, "6(j)")
@pytest.mark.clause(ADELAIDE, "10(f)")
@pytest.mark.clause(US, "Placement 4")
@pytest.mark.parametrize("rulebook_id", [ADELAIDE, US])
def test_steps_after_the_payment_cite_their_own_clauses(rulebook_id: str) -> None:
    """After the payment no spin is called and no sealed bet amended; chips on the layout keep their player."""
    _, _, no_spin, position = CLAUSES[rulebook_id]
    floor = LiveFloor(rulebook_id)
    floor.open()
    floor.place(floor.one, "v100", red=1)
    floor.result("1")
    amend = AmendSeal(TABLE, floor.one, ((SpotKey("red"), "v100", 2),), "Seen.")
    paying = "Cannot amend the sealed bets while chips are collected and paid."
    assert answer(floor, amend) == ("out_of_turn", position, paying)
    floor.pay_all()
    assert answer(floor, CallNoSpin(TABLE, Reason.FOREIGN_OBJECT, "as seen"))[:2] == ("out_of_turn", no_spin)
    assert answer(floor, amend) == ("out_of_turn", position, "Cannot amend the sealed bets between rounds.")
    assert answer(floor, LeaveTable(TABLE, floor.one))[:2] == ("chips_outstanding", position)


@pytest.mark.clause(ADELAIDE, "6(f)")
def test_too_many_chips_for_redemption_cite_the_redemption() -> None:
    """Chips that the player does not have are refused by the clause on redemption."""
    floor = LiveFloor(ADELAIDE)
    floor.buy(floor.one, 100, "blue")
    assert answer(floor, RedeemColour(TABLE, floor.one, "blue", 999))[:2] == ("chips_short", "6(f)")


def test_rules_without_a_clause_say_so() -> None:
    """The US document names no infringement and lets staff invalidate nothing; Adelaide lists its reasons."""
    floor = LiveFloor(US)
    noted = NoteInfringement(TABLE, floor.one, InfringementKind.TOUCHED)
    says = "These rules have no clause on players who touch a bet before all are settled."
    assert answer(floor, noted) == ("reason_not_listed", None, says)
    for rulebook_id, says in (
        (US, "These rules do not let staff invalidate an outcome."),
        (ADELAIDE, "An outcome is invalidated only for: commotion, fire, riot, brawl, robbery, act of god, "),
    ):
        floor = LiveFloor(rulebook_id)
        floor.open()
        code, _, message = answer(floor, InvalidateOutcome(TABLE, ONE, Reason.FOREIGN_OBJECT, "x"), floor.chief)
        assert (code, message.startswith(says)) == ("reason_not_listed", True)


@pytest.mark.clause(ADELAIDE, "8(a)")
@pytest.mark.clause(ADELAIDE, "12(i)")
@pytest.mark.parametrize(
    ("rulebook_id", "chip", "says"),
    [
        (ADELAIDE, "v500", "The chips at hand do not make 5: the Inspector decides whether 10 is paid."),
        (US, "v100", "The chips at hand do not make 1: the Supervisor decides whether 10 is paid."),
    ],
)
def test_undecided_payment_names_the_title_and_the_payable_amounts(rulebook_id: str, chip: str, says: str) -> None:
    """A winning bet is paid: where the chips at hand make no lower amount, the higher one is the only choice."""
    smallest, takes = cents(10), cents(5 if rulebook_id == ADELAIDE else 1)
    multiples = rulebook_id == ADELAIDE
    floor = LiveFloor(rulebook_id, denominations=(smallest,), circulating=(takes,), multiples=multiples)
    floor.open()
    floor.place(floor.one, chip, red=1)
    floor.result("1")
    assert answer(floor, PaySegment(TABLE, ONE, "red"))[2] == says
    assert answer(floor, PaySegment(TABLE, ONE, "red"), floor.chief)[2] == says
    paid, _ = floor.deal(PaySegment(TABLE, ONE, "red", floor.one, (("v1000", 1),)), floor.chief)
    assert isinstance(paid, SegmentPaid)
