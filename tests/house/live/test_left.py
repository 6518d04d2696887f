"""A player with chips who left: what a correction leaves is the named player's, until it is settled."""

import pytest
from msgspec.structs import replace

from croupier.house.ids import RoundNumber
from croupier.house.live.floats import CloseFloat, CountFloat
from croupier.house.live.payment_walk import PaySegment, SettleOwed
from croupier.house.live.seats_and_colours import LeaveTable, RedeemColour, ReturnColour, find_float
from tests.house.live.test_corrections import correct, settled
from tests.support.house_driver import ADELAIDE, TABLE, cents
from tests.support.live_driver import LiveFloor

ONE = RoundNumber(1)


def gone() -> LiveFloor:
    """A round on 17 after which both players left: blue won 350, and the other had 5 on 20 swept."""
    floor = settled("17")
    floor.pay_all()
    floor.deal(floor.removing(floor.one, "17"))
    floor.deal(floor.removing(floor.two, "black"))
    floor.deal(RedeemColour(TABLE, floor.one, "blue", 79))
    floor.deal(ReturnColour(TABLE, "blue", 1_000))
    for position in floor.players:
        floor.deal(LeaveTable(TABLE, position))
    assert floor.live.left == {}
    return floor


@pytest.mark.clause(ADELAIDE, "11(e)")
def test_debt_and_payable_name_the_player_and_the_colour() -> None:
    """After both have left, a correction leaves a debt of one with blue, and a payable of two, by their names."""
    floor = gone()
    correct(floor, "20")
    one, two = (floor.live.left[position] for position in floor.players)
    assert (one.label, one.corrected_in, one.corrected, one.payable, one.owed) == ("one", ("blue",), ONE, 0, cents(360))
    assert (two.label, two.corrected_in, two.corrected, two.payable, two.owed) == ("two", (), ONE, cents(180), 0)


@pytest.mark.clause(ADELAIDE, "11(e)")
def test_payment_at_the_table_pays_no_player_who_left() -> None:
    """Paying corrections at the table does not mark as paid what the absent player did not take; by name it does."""
    floor = gone()
    correct(floor, "20")
    floor.mark()
    everyone = PaySegment(TABLE, ONE, "correction")
    assert floor.refuses(everyone) == ("nothing_there", "9(e)")
    assert floor.live.left[floor.two].payable == cents(180)
    (paid,) = floor.deal(replace(everyone, position=floor.two))
    assert [(each.position, each.value) for each in paid.payments] == [(floor.two, cents(180))]  # type: ignore[attr-defined]
    assert floor.two not in floor.live.left


@pytest.mark.clause(ADELAIDE, "11(e)")
def test_debt_of_a_player_who_left_is_settled_in_value_chips() -> None:
    """The player who left pays in value chips, in parts, and the record ends with the last of them."""
    floor = gone()
    correct(floor, "20")
    owe = SettleOwed(TABLE, floor.one, "v10000", 3)
    assert floor.refuses(replace(owe, pieces=4)) == ("payment_differs", "11(e)")
    assert floor.refuses(replace(owe, chip="blue", pieces=1)) == ("chips_of_another_table", "6(f)")
    floor.deal(owe)
    floor.deal(replace(owe, chip="v500", pieces=12))
    assert floor.one not in floor.live.left


def test_debt_is_not_settled_into_a_closed_float() -> None:
    """Chips for a debt are taken when the float is open, and refused after it was counted and closed."""
    floor = gone()
    correct(floor, "20")
    floor.pay("correction", floor.two)
    floor.deal(CountFloat(TABLE, ((cents(1), find_float(floor.table).booked // 100),)), floor.inspector)
    floor.signed(CloseFloat(TABLE))
    assert floor.refuses(SettleOwed(TABLE, floor.one, "v10000", 3)) == ("float_not_open", "9(e)")
