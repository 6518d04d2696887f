"""Live tables that cannot be held up: restarts, payments of nothing, evidence, and colours of a later round."""

import pytest

from croupier.house.floor.disputes import DisputeBasis, OpenDispute
from croupier.house.floor.service import NotifyOfficer
from croupier.house.ids import Number, RoundNumber
from croupier.house.live.arrangements import ArrangeVip
from croupier.house.live.chip_settlement import PaymentRounded
from croupier.house.live.payment_walk import AmendSeal
from croupier.house.live.seats_and_colours import AllocateColour, ReturnColour
from croupier.house.live.supervised import FinishPaying, RecordWinner, WinnerRecorded
from croupier.house.rounds.corrections import CorrectResult
from croupier.house.rounds.opening import OpenBets
from croupier.house.rounds.recovery import Recover
from croupier.house.settings import Recording
from croupier.house.state.tables import Phase
from croupier.rules.geometry import Pocket, SpotKey
from croupier.words import explain_briefly, recovery_reports
from tests.support.house_driver import ADELAIDE, TABLE, cents, limits
from tests.support.live_driver import LiveFloor

ONE = RoundNumber(1)


@pytest.mark.clause(ADELAIDE, "11(b)i")
def test_restart_explains_that_terminals_were_refunded() -> None:
    """A start during open bets says that terminals have their stakes back, and that betting with chips goes on."""
    floor = LiveFloor(terminals={"T1": 100})
    floor.open()
    floor.place(floor.one, "v500", red=2)
    floor.bet("T1", "5 on red")
    events = floor.must(Recover())
    report = recovery_reports(events)[TABLE]

    assert (report.action, report.clause) == ("refunded", "11(b)i")
    assert report.done == "every stake at a terminal went back, chips stay on the layout, and betting goes on"
    (line,) = explain_briefly(events, {TABLE: ADELAIDE})
    assert line.endswith("and betting goes on [11(b)i]")


@pytest.mark.clause(ADELAIDE, "12(g)")
def test_payment_rounded_down_to_nothing_is_no_payment() -> None:
    """Smallest chip 5, a notice, minimum 5: 1 on black wins nothing, is logged, and holds up no other round."""
    floor = LiveFloor(players=("one",), multiples=True, denominations=(cents(5), cents(25)), circulating=(cents(1),))
    floor.open()
    floor.place(floor.one, "v100", black=1)
    events = floor.result("17")
    (rounded,) = [event for event in events if isinstance(event, PaymentRounded)]

    assert (rounded.due, rounded.paid, rounded.clause) == (cents(1), 0, "12(g)")
    assert floor.table.phase is Phase.BETWEEN
    floor.check_notice()
    floor.deal(OpenBets(TABLE))


def test_evidence_of_a_dispute_keeps_its_chips() -> None:
    """What the dealer collects and pays after a dispute was opened does not change what the dispute has on record."""
    floor = LiveFloor(players=("one",))
    floor.open()
    floor.place(floor.one, "v500", {"17": 1, "red": 1})
    floor.result("17")
    disputed = OpenDispute(TABLE, ONE, None, DisputeBasis.NOT_COVERED, "The dolly was moved.")
    floor.deal(disputed, floor.inspector)
    floor.pay_all()
    evidence = floor.house.disputes[Number(1)].evidence

    assert evidence is not None
    assert evidence.chips is not None
    assert evidence.chips.walk is not None
    assert not evidence.chips.walk.collected
    assert [item.made for item in evidence.chips.walk.items] == [False]
    assert floor.walk.over


def test_colour_allocated_after_the_close_has_no_bet() -> None:
    """A colour that a player has since NO MORE BETS, or with another value, has neither won nor been overlooked."""
    floor = LiveFloor(recording=Recording.SUPERVISED)
    floor.buy(floor.one, 100, "blue")
    floor.open()
    floor.result("17")
    floor.deal(AllocateColour(TABLE, floor.two, "green"))
    floor.collect()
    late = RecordWinner(TABLE, floor.two, ONE, (("17", 1),), "green")
    assert floor.refuses(late) == ("bets_closed", "6(i)")
    floor.deal(RecordWinner(TABLE, floor.one, ONE, (("17", 1),), "blue"))
    floor.deal(RecordWinner(TABLE, floor.two, ONE, (("17", 1),), "v500"))
    floor.pay("inside")
    floor.deal(FinishPaying(TABLE, ONE))

    floor = LiveFloor()
    floor.buy(floor.one, 100, "blue")
    floor.open()
    floor.close()
    floor.deal(AllocateColour(TABLE, floor.two, "green"))
    seen = ((SpotKey("17"), "green", 1),)
    assert floor.refuses(AmendSeal(TABLE, floor.two, seen, "Seen."), floor.inspector) == ("bets_closed", "6(i)")
    floor.deal(ReturnColour(TABLE, "green", 1_000))
    floor.deal(AllocateColour(TABLE, floor.two, "green", cents(25)))
    assert floor.refuses(AmendSeal(TABLE, floor.two, seen, "Seen."), floor.inspector)[0] == "bets_closed"


@pytest.mark.clause(ADELAIDE, "6(k)")
def test_recorded_winner_is_paid_within_the_limits_of_an_arrangement() -> None:
    """Maximum 100, by arrangement 200: at a table that does not record all bets, 150 on 17 are paid in full."""
    floor = LiveFloor(recording=Recording.SUPERVISED, players=("one",))
    floor.deal(NotifyOfficer(TABLE, "Mr V plays tonight."), floor.chief)
    floor.at(5)
    arranged = ArrangeVip(TABLE, (floor.one,), "Signed by Mr V.", straight_only=False, limits=limits(5, 200))
    floor.deal(arranged, floor.chief)
    floor.open()
    floor.result("17")
    floor.collect()
    floor.deal(RecordWinner(TABLE, floor.one, ONE, (("17", 6),), "v2500"))
    (payment,) = floor.pay("inside").payments

    assert payment.value == cents(150 * 35)


def test_winner_recorded_after_a_correction_is_due_by_the_new_number() -> None:
    """What was paid on the wrong number neither adds to nor lowers what a bet found later is due."""
    floor = LiveFloor(recording=Recording.SUPERVISED)
    floor.open()
    floor.result("1")
    floor.collect()
    floor.deal(RecordWinner(TABLE, floor.one, ONE, (("1", 1),), "v500"))
    floor.deal(RecordWinner(TABLE, floor.two, ONE, (("red", 1),), "v500"))
    floor.pay("inside")
    floor.signed(CorrectResult(TABLE, ONE, Pocket("17"), "Seen."), floor.chief, floor.enrol("Shift Manager", "boss"))
    floor.mark()
    (recorded,) = floor.deal(RecordWinner(TABLE, floor.one, ONE, (("17", 2),), "v500"))
    assert isinstance(recorded, WinnerRecorded)
    assert recorded.due == (("inside", cents(350)),)
    assert floor.pay("inside").payments[0].value == cents(350)
    assert floor.player(floor.one).owed == cents(175)


def test_correction_takes_stakes_as_they_lie_on_the_layout() -> None:
    """A correction lifts all stakes that lose by the true number, in whatever order they were placed."""
    left = []
    for spots in (("red", "odd"), ("odd", "red")):
        floor = LiveFloor(players=("one",))
        floor.open()
        for spot in spots:
            floor.place(floor.one, "v10000", {spot: 3})
        floor.result("1")
        floor.pay_all()
        floor.signed(CorrectResult(TABLE, ONE, Pocket("2"), "Seen."), floor.chief, floor.enrol("Shift Manager", "boss"))
        left.append(floor.player(floor.one).pieces)

    assert left == [{}] * 2
