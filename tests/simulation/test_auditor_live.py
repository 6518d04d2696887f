"""The auditor names what a false answer about chips, colours and floats breaks."""

from typing import Final

import pytest

from croupier.house import AnyCommand
from croupier.house.declare import Event
from croupier.house.floor.signatures import Approve, ProposalMade
from croupier.house.ids import PositionId
from croupier.house.live.arrangements import BarPlayer
from croupier.house.live.floats import OpenFloat
from croupier.house.live.seats_and_colours import (
    AllocateColour,
    BuyChips,
    ChipsBought,
    ColourAllocated,
    ColourRedeemed,
    LeaveTable,
    PlayerLeft,
    RedeemColour,
    SeatPlayer,
    Tender,
)
from croupier.house.live.supervised import RecordWinner, WinnerRecorded
from croupier.house.play.chip_bets import ChipsChanged
from croupier.house.settings import LiveSettings, Recording, TableSettings
from croupier.house.state.tables import BetChange
from croupier.rules.geometry import SpotKey
from croupier.rules.money import Cents
from croupier.transcripts.driver import TABLE, device_of
from tests.support.audited import Audited, breaks, context_of
from tests.support.house_driver import cents, limits
from tests.support.live_driver import LiveFloor
from tests.support.sample_commands import ADELAIDE

pytestmark = pytest.mark.untraced

CHIPS: Final = LiveSettings(emblem="anchor", colours=("blue", "green"), pieces=200)
SETTINGS: Final = TableSettings(live=CHIPS, confirms=True, limits=limits(5, 100))
ONE, TWO = PositionId(1), PositionId(2)
CASH: Final = Tender.CASH


@pytest.fixture
def floor() -> Audited:
    """A live table with an open float; the first of two players has 20 blue chips of 5 dollars."""
    floor = Audited(ADELAIDE, SETTINGS)
    first, second = floor.rulebook.staff.order[1].lower(), "chief"
    floor.enrol(floor.rulebook.staff.order[-1], second)
    (made,) = floor.must(OpenFloat(TABLE, ((cents(5), 100),), "S1"), device_of(first), first)
    assert isinstance(made, ProposalMade)
    floor.must(Approve(made.proposal), device_of(second), second)
    for command in (
        SeatPlayer(TABLE, "one"),
        SeatPlayer(TABLE, "two"),
        AllocateColour(TABLE, ONE, "blue"),
        BuyChips(TABLE, ONE, CASH, cents(100), "blue"),
    ):
        floor.must(command, device_of(floor.dealer), floor.dealer)
    return floor


@pytest.mark.parametrize(
    ("command", "event"),
    [
        (AllocateColour(TABLE, TWO, "blue"), ColourAllocated(TABLE, TWO, "blue", cents(5), marker=False)),
        (AllocateColour(TABLE, ONE, "green"), ColourAllocated(TABLE, ONE, "green", cents(5), marker=False)),
        (RedeemColour(TABLE, ONE, "blue", 21), ColourRedeemed(TABLE, ONE, "blue", 21, cents(105))),
        (RedeemColour(TABLE, ONE, "blue", 10), ColourRedeemed(TABLE, ONE, "blue", 10, cents(55))),
        (RedeemColour(TABLE, TWO, "blue", 10), ColourRedeemed(TABLE, TWO, "blue", 10, cents(50))),
        (
            BuyChips(TABLE, ONE, CASH, cents(905), "blue"),
            ChipsBought(TABLE, ONE, CASH, cents(905), "blue", 181),
        ),
        (BuyChips(TABLE, TWO, CASH, cents(505)), ChipsBought(TABLE, TWO, CASH, cents(505), None, 0)),
        (LeaveTable(TABLE, ONE), PlayerLeft(TABLE, ONE)),
    ],
    ids=[
        *("a colour of another player", "a second colour that is not approved", "more chips than are out"),
        *("another value", "chips of another player", "more chips than the set has", "more than the float has"),
        "a player who leaves with a colour",
    ],
)
def test_false_answer_about_chips_is_found(floor: Audited, command: AnyCommand, event: Event) -> None:
    """Chips that a player cannot have, or are worth something else, break the invariant of chips."""
    context = context_of(floor, device_of(floor.dealer), floor.dealer)

    breaks("I25", lambda: floor.auditor.on_decision(command, context, (event,)))


def test_colour_for_value_chips_that_there_are_not_is_found(floor: Audited) -> None:
    """A colour that is bought for an amount that no value chips make breaks the invariant of chips."""
    context, price = context_of(floor, device_of(floor.dealer), floor.dealer), Cents(750)
    floor.must(AllocateColour(TABLE, TWO, "green", price), device_of(floor.dealer), floor.dealer)
    command = BuyChips(TABLE, TWO, Tender.VALUE_CHIPS, price, "green")
    event = ChipsBought(TABLE, TWO, Tender.VALUE_CHIPS, price, "green", 1)

    breaks("I25", lambda: floor.auditor.on_decision(command, context, (event,)))


def test_chips_that_no_entry_gives_are_found(floor: Audited) -> None:
    """A house that has more chips of a colour out than it sold is found."""
    table = floor.table.live
    assert table is not None
    table.colours["blue"].out = 21

    breaks("I25", lambda: floor.auditor.compare(floor.house))


@pytest.mark.parametrize(
    ("spots", "pieces"),
    [(("neighbours 17",), 4), (("neighbours 0",), 5), (("neighbours 17", "neighbours 20"), 5)],
    ids=["under the minimum", "a second on a number", "more than a spin has"],
)
def test_marker_bet_outside_its_limits_is_found(spots: tuple[str, ...], pieces: int) -> None:
    """A change that leaves a marker bet under its minimum, or one too many, is found."""
    floor = LiveFloor(markers_per_number=1, markers_per_spin=2)
    floor.open()
    floor.place(floor.two, "v500", {"neighbours 0": 5})
    bets = dict.fromkeys(spots, pieces)
    lie, amounts = tuple((SpotKey(spot), "v500", pieces) for spot in bets), tuple(cents(5 * pieces) for _ in bets)
    event = ChipsChanged(
        TABLE, floor.one, floor.table.playing.number, BetChange.PLACE, tuple(map(SpotKey, bets)), amounts, lie
    )
    context = context_of(floor, device_of(floor.dealer), floor.dealer)

    breaks("I18", lambda: floor.auditor.on_decision(floor.placing(floor.one, "v500", bets), context, (event,)))


def test_winner_of_a_barred_player_is_found() -> None:
    """A winner recorded of a player who was barred before the round opened is found."""
    floor = LiveFloor(recording=Recording.SUPERVISED)
    floor.deal(BarPlayer(TABLE, floor.one, "Touched chips again."), floor.inspector)
    floor.open()
    floor.result("17")
    floor.collect()
    number = floor.table.playing.number
    command = RecordWinner(TABLE, floor.one, number, (("17", 1),), "v500")
    event = WinnerRecorded(TABLE, floor.one, number, "v500", command.bets, (("inside", cents(175)),))
    context = context_of(floor, device_of(floor.dealer), floor.dealer)

    breaks("I18", lambda: floor.auditor.on_decision(command, context, (event,)))


def test_chips_that_are_not_in_the_hand_are_found() -> None:
    """Chips of a colour that lie on the layout, or went back from a round that is not paid, are not handed over."""
    floor = LiveFloor()
    floor.buy(floor.one, 200, "blue")
    floor.open()
    floor.place(floor.one, "blue", red=30)
    command = RedeemColour(TABLE, floor.one, "blue", 11)
    context = context_of(floor, device_of(floor.dealer), floor.dealer)
    lies = ColourRedeemed(TABLE, floor.one, "blue", 11, cents(55))
    breaks("I25", lambda: floor.auditor.on_decision(command, context, (lies,)))

    paying = LiveFloor()
    paying.buy(paying.one, 200, "blue")
    paying.open()
    paying.place(paying.one, "blue", red=30)
    paying.result("20")
    context = context_of(paying, device_of(paying.dealer), paying.dealer)
    breaks("I25", lambda: paying.auditor.on_decision(command, context, (lies,)))
