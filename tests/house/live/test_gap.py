"""Gaps in the record of a live table: play that went on unrecorded, and the count that closes it."""

from croupier.house.blockers import blockers
from croupier.house.live.floats import CloseFloat, CloseGap, CountFloat, DeclareGap, GapClosed
from croupier.house.live.seats_and_colours import ReturnColour
from croupier.house.rounds.opening import OpenBets
from croupier.house.settings import Recording
from croupier.house.state.ledger import LedgerAccount
from croupier.rules.geometry import Pocket
from croupier.words import remedy_text
from tests.support.house_driver import TABLE, cents
from tests.support.live_driver import FLOAT, LiveFloor


def gap(blue: int, tray: int, *numbers: str) -> CloseGap:
    """Close a gap with so many blue chips in the rack, and an amount in the tray."""
    return CloseGap(TABLE, (("blue", blue),), ((cents(1), tray),), tuple(map(Pocket, numbers)), "Counted.")


def test_gap_in_the_record_is_closed_by_a_count() -> None:
    """What was won without a record is the difference of rack and tray, and until they are counted nothing is bet."""
    floor = LiveFloor()
    floor.buy(floor.one, 100, "blue")
    floor.open()
    floor.place(floor.one, "blue", {"17": 4})
    floor.place(floor.two, "v500", red=2)
    house, tray = floor.balance(LedgerAccount.HOUSE), 9_000
    floor.deal(DeclareGap(TABLE, "The tablet was off for three spins."), floor.inspector)
    assert (floor.out(), floor.player(floor.one).pieces, floor.house.positions[floor.one].bets) == (20, {}, {})
    assert floor.balance(LedgerAccount.STAKES) == 0
    assert floor.refuses(floor.placing(floor.one, "blue", {"17": 1})) == ("gap_open", "9(e)")
    assert floor.refuses(ReturnColour(TABLE, "blue", 980)) == ("gap_open", "9(e)")
    # A buy-in meanwhile is recorded as ever.
    floor.buy(floor.one, 50, "blue")
    # 15 blue went to the rack, and 40 dollars of value chips into the tray.
    (closed,) = floor.signed(gap(1_000 - 30 + 15, tray + 40, "5", "0"))
    assert isinstance(closed, GapClosed)
    assert (closed.won, floor.out(), floor.live.gap) == (15 * 500 + 40_00, 15, None)
    assert floor.balance(LedgerAccount.HOUSE) - house == closed.won
    # What lies on the layout is entered, and play goes on.
    floor.place(floor.one, "blue", {"17": 1})
    floor.result("17")
    assert floor.pay_all() == {floor.one: 175_00}


def test_rack_of_a_gap_holds_from_no_piece_to_the_whole_set() -> None:
    """A count finds a rack empty or full, as after a player took every piece or brought all back, and no more."""
    for rack, out in ((0, 1_000), (1_000, 0)):
        floor = LiveFloor()
        floor.buy(floor.one, 100, "blue")
        floor.deal(DeclareGap(TABLE, "The tablet was off."), floor.inspector)
        for beyond in (-1, 1_001):
            assert floor.refuses(gap(beyond, 9_000), floor.inspector) == ("record_differs", "9(e)")
        floor.signed(gap(rack, 9_000))
        assert floor.out() == out


def test_gap_needs_its_facts() -> None:
    """A gap is declared once, with words, at a table that records bets, and closed by a count of every colour out."""
    floor = LiveFloor()
    floor.buy(floor.one, 100, "blue")
    assert floor.refuses(gap(980, 9_000), floor.inspector) == ("nothing_there", "9(e)")
    assert floor.refuses(DeclareGap(TABLE, " "), floor.inspector) == ("reason_not_listed", "9(e)")
    floor.deal(DeclareGap(TABLE, "The tablet was off."), floor.inspector)
    assert floor.refuses(DeclareGap(TABLE, "Again."), floor.inspector) == ("already_there", "9(e)")
    floor.check_notice()
    assert floor.refuses(OpenBets(TABLE)) == ("gap_open", "9(e)")
    [blocker] = [each for each in blockers(floor.house) if each.reason == "gap_open"]
    assert remedy_text(blocker).endswith("two people count rack and tray, and close the gap.")
    assert floor.refuses(gap(1_001, 9_000), floor.inspector) == ("record_differs", "9(e)")
    none = CloseGap(TABLE, (), ((cents(1), 9_000),), (), "")
    assert floor.refuses(none, floor.inspector) == ("record_differs", "9(e)")
    twice = CloseGap(TABLE, (("blue", 980), ("blue", 980)), ((cents(1), 9_000),), (), "")
    assert floor.refuses(twice, floor.inspector) == ("record_differs", "9(e)")
    assert floor.refuses(gap(980, 9_000, "37"), floor.inspector)[0] == "pocket_not_on_wheel"
    strange = CloseGap(TABLE, (("blue", 980),), ((cents(3), 1),), (), "")
    assert floor.refuses(strange, floor.inspector)[0] == "setting_impossible"
    floor.deal(CountFloat(TABLE, ((cents(1), 9_000),)), floor.inspector)
    assert floor.refuses(CloseFloat(TABLE), floor.inspector) == ("gap_open", "9(e)")
    floor.signed(gap(980, 9_000))
    assert floor.out() == 20
    supervised = LiveFloor(recording=Recording.SUPERVISED)
    assert supervised.refuses(DeclareGap(TABLE, "Off."), supervised.inspector) == ("out_of_turn", "9(e)")
    shut = LiveFloor()
    shut.deal(CountFloat(TABLE, FLOAT), shut.inspector)
    shut.signed(CloseFloat(TABLE))
    for command in (DeclareGap(TABLE, "Off."), gap(1_000, 0)):
        assert shut.refuses(command, shut.inspector)[0] == "float_not_open"
