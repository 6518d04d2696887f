"""Chips at a live table: players, colours and their values, buy-ins and redemption."""

from typing import Any, Final

import pytest
from msgspec.structs import replace

from croupier.house import AnyCommand
from croupier.house.blockers import Facts, blockers
from croupier.house.credit.drawers import OpenDrawer
from croupier.house.declare import Events
from croupier.house.floor.service import CloseTable, NotifyOfficer
from croupier.house.floor.settings import ChangeSettings
from croupier.house.floor.setup import AddTable
from croupier.house.floor.signatures import Approve, ProposalMade
from croupier.house.ids import DrawerId, Number, PositionId, TableId
from croupier.house.live.floats import (
    CashChips,
    ChipCount,
    ChipsCashed,
    CloseFloat,
    CollectDrop,
    CountFloat,
    CreditFloat,
    DropCollected,
    FillFloat,
    FloatCounted,
    OpenFloat,
    SellChips,
)
from croupier.house.live.notice import notice_digest
from croupier.house.live.seats_and_colours import (
    AcknowledgeNotice,
    AllocateColour,
    ApproveSecondColour,
    BuyChips,
    ColourAllocated,
    ColourRedeemed,
    ColourReturned,
    LeaveTable,
    PlayerSeated,
    RedeemColour,
    ReturnColour,
    SeatPlayer,
    Tender,
)
from croupier.house.rounds.opening import OpenBets
from croupier.house.rounds.results import ConfirmResult
from croupier.house.settings import LimitBounds, LimitSettings, LiveSettings, Recording, TableSettings, WheelKind
from croupier.house.state.ledger import LedgerAccount
from croupier.house.state.live import LiveTable
from croupier.reports.day_projection import Projections
from croupier.rulebooks.schema import read_canonical
from croupier.rules.geometry import COMMON_KINDS, Pocket, SpotKind
from croupier.rules.money import Cents
from croupier.rules.refusal import Refusal
from tests.support.audited import Audited
from tests.support.house_driver import ADELAIDE, CLEARWATER, MARINA, TABLE, US, Play, cents, limits, refused, sound
from tests.support.live_driver import LiveFloor

LIVE: Final = LiveSettings(emblem="anchor", colours=("blue", "green", "white"), pieces=200)
SETTINGS: Final = TableSettings(live=LIVE, confirms=True, limits=limits(5, 100))
P1, P2 = PositionId(1), PositionId(2)
#: Value chips for 500 dollars.
FLOAT: Final[ChipCount] = ((cents(5), 40), (cents(100), 3))
CASH, CHIPS = Tender.CASH, Tender.VALUE_CHIPS
INSIDE_KINDS: Final = (
    SpotKind("straight"),
    SpotKind("split"),
    SpotKind("street"),
    SpotKind("corner"),
    SpotKind("six_line"),
)


class Pit(Audited):
    """A live table with an open float and two players, heard by an auditor."""

    def __init__(self, rulebook_id: str = ADELAIDE, settings: TableSettings = SETTINGS, *, ready: bool = True) -> None:
        super().__init__(rulebook_id, settings)
        order = self.rulebook.staff.order
        self.chief = self.enrol(order[-1], "chief")
        self.inspector = self.rulebook.staff.order[1].lower()
        if ready:
            self.signed(OpenFloat(TABLE, FLOAT, "S1"))
            for label in ("one", "two"):
                self.deal(SeatPlayer(TABLE, label))

    @property
    def live(self) -> LiveTable:
        assert self.table.live is not None
        return self.table.live

    def deal(self, command: AnyCommand, by: str = "") -> Events:
        """Have the dealer, or another person, do something that must be accepted."""
        done = self.by(by or self.dealer, command)
        assert isinstance(done, tuple), done
        return done

    def signed(self, command: AnyCommand, first: str = "", second: str = "") -> Events:
        """Have two people sign a command, by default an inspector and the chief."""
        made = self.by(first or self.inspector, command)
        assert isinstance(made, tuple), made
        (proposal,) = made
        assert isinstance(proposal, ProposalMade)
        done = self.by(second or self.chief, Approve(proposal.proposal))
        assert isinstance(done, tuple), done
        return done[1:]

    def drawer(self, float_: int) -> None:
        """Have the cashier take a drawer."""
        assert isinstance(self.by("cashier", OpenDrawer(DrawerId("D1"), Cents(float_))), tuple)

    def colour(self, name: str = "blue", position: PositionId = P1, value: int | None = None) -> ColourAllocated:
        (allocated,) = self.deal(AllocateColour(TABLE, position, name, None if value is None else cents(value)))
        assert isinstance(allocated, ColourAllocated)
        return allocated

    def refuses(self, command: AnyCommand, by: str = "") -> tuple[str, str | None]:
        return refused(self.by(by or self.dealer, command))

    def balance(self, account: LedgerAccount) -> int:
        return self.house.ledger[account]

    def out(self, colour: str = "blue") -> int | None:
        return self.live.colours[colour].out


@pytest.mark.clause("skycity-adelaide-2003", "5.7(a)")
@pytest.mark.parametrize(
    ("rulebook_id", "clause"), [(ADELAIDE, "5.7(a)"), (CLEARWATER, "3"), (MARINA, "1.1.1"), (US, "Placement 1")]
)
def test_stand_alone_table_takes_no_chips(rulebook_id: str, clause: str) -> None:
    """At a table without chips no player is seated, no float is opened and no colour goes back."""
    play = Pit(rulebook_id, TableSettings(), ready=False)
    clause = clause if rulebook_id in (ADELAIDE, US) else play.rulebook.cited_clauses["terminal"]  # type: ignore[index]
    commands: tuple[AnyCommand, ...] = (
        SeatPlayer(TABLE),
        LeaveTable(TABLE, P1),
        ReturnColour(TABLE, "blue", 200),
        OpenFloat(TABLE, FLOAT, "S1"),
    )
    for command in commands:
        assert play.refuses(command) == ("chips_not_taken", clause)
    for command in (CountFloat(TABLE, FLOAT), AcknowledgeNotice(TABLE, ""), CollectDrop(TABLE, Cents(0))):
        assert play.refuses(command, play.chief) == ("chips_not_taken", clause)


def test_players_have_numbers_of_their_own() -> None:
    """Players and terminals are numbered together, no number is used again, and an unknown one is refused."""
    pit = Pit()
    pit.seats(T1=100)
    assert pit.house.terminals["T1"].games[TABLE].id == 3  # type: ignore[index]
    pit.deal(LeaveTable(TABLE, P2))
    assert pit.deal(SeatPlayer(TABLE)) == (PlayerSeated(TABLE, PositionId(4), ""),)
    assert [*pit.live.players] == [1, 4]
    assert pit.refuses(LeaveTable(TABLE, P2)) == ("unknown_record", "6(a)")
    sound(pit.house)


@pytest.mark.clause("skycity-adelaide-2003", "6(c)")
def test_set_belongs_to_one_table() -> None:
    """A second table cannot have the emblem of the first, and may have another."""
    pit = Pit()
    digest = pit.rulebook.digest
    assert refused(pit.ask(AddTable(TableId("B"), digest, SETTINGS))) == ("set_in_use", "6(c)")
    star = replace(SETTINGS, live=replace(LIVE, emblem="star"))
    assert isinstance(pit.ask(AddTable(TableId("B"), digest, star)), tuple)
    assert isinstance(pit.ask(AddTable(TableId("C"), digest, TableSettings())), tuple)


@pytest.mark.clause("us-double-zero", "Placement 2")
@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"value_colours": ("red", "blue")}, "colour_like_value_chip"),
        ({"value_colours": ("blue/house",)}, None),
        ({"colours": ("blue/star", "blue/anchor")}, None),
        ({"colours": ("blue", "blue")}, "setting_impossible"),
        ({"colours": ()}, "setting_impossible"),
        ({"emblem": " "}, "setting_impossible"),
        ({"denominations": ()}, "setting_impossible"),
        ({"denominations": (Cents(0),)}, "setting_impossible"),
        ({"denominations": (Cents(1_000_03), Cents(1_000_33))}, "setting_impossible"),
        ({"denominations": (Cents(1_000_00), Cents(1_000_33))}, None),
    ],
)
def test_colour_differs_from_value_chips_and_other_colours(change: dict[str, Any], code: str | None) -> None:
    """A colour is no value chip's and stands once; the same colour with another design is another."""
    play = Play(US)
    settings = TableSettings(live=replace(LIVE, **change), confirms=True)
    answer = play.ask(AddTable(TableId("B"), play.rulebook.digest, settings))
    if code is None:
        assert isinstance(answer, tuple)
    else:
        assert refused(answer) == (code, "Rotation (4)" if "denominations" in change else "Placement 2")


def test_first_colour_that_stands_twice_is_named() -> None:
    """Of two colours that stand twice, the refusal names the one that is listed first, in its words and its facts."""
    play = Play(ADELAIDE)
    settings = replace(SETTINGS, live=replace(LIVE, colours=("blue", "green", "green", "blue")))
    answer = play.ask(AddTable(TableId("B"), play.rulebook.digest, settings))
    assert isinstance(answer, Refusal)
    assert answer.facts == {"setting": "live.colours", "colour": "blue"}
    assert answer.message.startswith("blue is listed twice")


@pytest.mark.parametrize("change", [{"wheel": WheelKind.RANDOM}, {"confirms": False}])
def test_dealer_confirms_every_number_of_a_live_table(change: dict[str, Any]) -> None:
    """A live table has no random wheel, and its dealer confirms what the wheel reports."""
    play = Play(ADELAIDE)
    answer = play.ask(AddTable(TableId("B"), play.rulebook.digest, replace(SETTINGS, **change)))
    assert refused(answer) == ("setting_impossible", "11(c)")


def test_rules_without_chips_have_no_live_table() -> None:
    """Where bets are placed on terminals alone, no table is live."""
    play = Play(CLEARWATER)
    answer = play.ask(AddTable(TableId("B"), play.rulebook.digest, replace(SETTINGS, limits=limits())))
    assert refused(answer)[0] == "chips_not_taken"


@pytest.mark.parametrize(
    ("live", "taken"), [(None, False), (replace(LIVE, pieces=100), False), (replace(LIVE, multiples=True), True)]
)
def test_set_and_recording_of_a_table_are_fixed(live: LiveSettings | None, taken: bool) -> None:  # noqa: FBT001
    """A table's kind, chips and recording do not change later; what its notice requires may."""
    pit = Pit()
    answer = pit.by(pit.chief, ChangeSettings(TABLE, replace(SETTINGS, live=live), "new"))
    assert taken is isinstance(answer, tuple)
    assert taken or refused(answer) == ("setting_impossible", "6(c)")


@pytest.mark.clause("skycity-adelaide-2003", "6(d)")
@pytest.mark.parametrize(("value", "worth", "marker"), [(None, 5, False), (5, 5, False), (25, 25, True)])
def test_value_of_a_colour(value: int | None, worth: int, marker: bool) -> None:  # noqa: FBT001
    """A colour is worth the table minimum unless its player declares more, which a marker shows."""
    pit = Pit()
    assert pit.colour(value=value) == ColourAllocated(TABLE, P1, "blue", cents(worth), marker)
    assert (pit.live.colours["blue"].value, pit.live.players[P1].colours) == (cents(worth), ["blue"])


@pytest.mark.clause("skycity-adelaide-2003", "6(d)")
def test_value_is_declared_once_and_not_below_the_minimum() -> None:
    """A second value for one colour is refused, and so are a value under the minimum and an unknown colour."""
    pit = Pit()
    assert pit.refuses(AllocateColour(TABLE, P1, "blue", cents(4))) == ("value_under_minimum", "6(d)")
    assert pit.refuses(AllocateColour(TABLE, P1, "black")) == ("unknown_record", "6(c)")
    pit.colour(value=10)
    assert pit.refuses(AllocateColour(TABLE, P1, "blue", cents(20))) == ("value_declared", "6(d)")
    assert pit.refuses(AllocateColour(TABLE, PositionId(9), "blue")) == ("unknown_record", "6(a)")


def test_value_is_declared_where_the_table_has_no_minimum() -> None:
    """Without a table minimum a player declares the value of a chip, which a marker shows."""
    pit = Pit(settings=TableSettings(live=LIVE, confirms=True))
    assert pit.refuses(AllocateColour(TABLE, P1, "blue")) == ("value_under_minimum", "6(d)")
    assert pit.colour(value=1).marker


@pytest.mark.clause("skycity-adelaide-2003", "6(d)")
def test_table_minimum_is_the_lowest_of_the_kinds() -> None:
    """Where inside and outside bets have their own minima, a colour is worth the lower one unless it declares more."""
    kinds = tuple((kind, LimitBounds(cents(2 if kind in INSIDE_KINDS else 10))) for kind in COMMON_KINDS)
    pit = Pit(settings=replace(SETTINGS, limits=LimitSettings(kinds=kinds)))
    assert pit.refuses(AllocateColour(TABLE, P1, "blue", cents(1))) == ("value_under_minimum", "6(d)")
    assert pit.colour() == ColourAllocated(TABLE, P1, "blue", cents(2), marker=False)
    assert pit.colour("green", P2, 3) == ColourAllocated(TABLE, P2, "green", cents(3), marker=True)


@pytest.mark.clause("us-double-zero", "Placement 2")
def test_us_colour_may_be_worth_less_than_the_minimum_wager() -> None:
    """The US document has a minimum wager and none for a chip: two chips of 0.50 are a wager of 1, one is none."""
    floor = LiveFloor(US)
    floor.deal(AllocateColour(TABLE, floor.one, "blue", Cents(50)))
    floor.deal(BuyChips(TABLE, floor.one, CASH, cents(10), "blue"))
    assert floor.refuses(AllocateColour(TABLE, floor.two, "green", Cents(0))) == ("malformed", None)
    floor.open()
    assert floor.refuses(floor.placing(floor.one, "blue", {"17": 1})) == ("stake_under_minimum", "Placement 5")
    floor.place(floor.one, "blue", {"17": 2})
    floor.result("17")
    assert floor.pay_all() == {floor.one: cents(35)}


@pytest.mark.clause("us-double-zero", "Placement 2")
@pytest.mark.clause("skycity-adelaide-2003", "6(f)")
@pytest.mark.parametrize(("rulebook_id", "clause"), [(ADELAIDE, "6(f)"), (US, "Placement 2")])
def test_colour_has_one_player(rulebook_id: str, clause: str) -> None:
    """A colour that one player has is refused to another, who can neither buy nor redeem it."""
    pit = Pit(rulebook_id, replace(SETTINGS, limits=limits()) if rulebook_id == US else SETTINGS)
    pit.colour()
    assert pit.refuses(AllocateColour(TABLE, P2, "blue")) == ("colour_taken", clause)
    assert pit.refuses(BuyChips(TABLE, P2, CASH, cents(10), "blue")) == ("chips_of_another_table", clause)
    assert pit.refuses(RedeemColour(TABLE, P2, "blue", 1)) == ("chips_of_another_table", clause)
    assert pit.refuses(RedeemColour(TABLE, P2, "purple", 1)) == ("chips_of_another_table", clause)


@pytest.mark.clause("skycity-adelaide-2003", "6(e)")
def test_second_colour_takes_an_officer_and_one_value() -> None:
    """A second colour is refused without an approval, is worth what the first is, and the approval serves once."""
    pit = Pit()
    pit.colour(value=5)
    officer, approval = "authorised officer", ApproveSecondColour(TABLE, P1, "two stacks")
    assert pit.refuses(AllocateColour(TABLE, P1, "green")) == ("colour_not_approved", "6(e)")
    assert pit.refuses(approval) == ("not_authorised", "6(e)")
    assert pit.refuses(ApproveSecondColour(TABLE, P1, " "), officer) == ("reason_not_listed", "6(e)")
    assert pit.refuses(ApproveSecondColour(TABLE, PositionId(9), "x"), officer) == ("unknown_record", "6(a)")
    assert isinstance(pit.by(officer, approval), tuple)
    assert pit.refuses(approval, officer) == ("already_there", "6(e)")
    assert pit.refuses(AllocateColour(TABLE, P1, "green", cents(10))) == ("values_differ", "6(e)")
    assert pit.colour("green").value == cents(5)
    assert pit.refuses(AllocateColour(TABLE, P1, "white")) == ("colour_not_approved", "6(e)")
    sound(pit.house)


@pytest.mark.clause("skycity-adelaide-2003", "6(e)")
def test_second_colour_takes_the_value_of_the_first() -> None:
    """A second colour without a declared value is worth what the first is, and not the table minimum."""
    pit = Pit()
    pit.colour(value=25)
    pit.deal(ApproveSecondColour(TABLE, P1, "two stacks"), "authorised officer")
    assert pit.colour("green") == ColourAllocated(TABLE, P1, "green", cents(25), marker=True)


def test_second_colour_is_free_where_no_rule_restricts_it() -> None:
    """Where the document names no officer a player may have two colours, of two values."""
    pit = Pit(US, replace(SETTINGS, limits=limits()))
    pit.colour("blue", value=1)
    assert pit.colour("green", value=2).value == cents(2)


@pytest.mark.clause("skycity-adelaide-2003", "6(l)")
def test_cash_buys_chips() -> None:
    """50 in cash become 10 chips of 5, and the cash is in the drop box; 20 more become value chips of the float."""
    pit = Pit()
    pit.colour()
    pit.deal(BuyChips(TABLE, P1, CASH, cents(50), "blue"))
    assert (pit.out(), pit.live.drop, pit.balance(LedgerAccount.COLOUR_CHIPS)) == (10, cents(50), cents(50))
    pit.deal(BuyChips(TABLE, P2, CASH, cents(20)))
    assert pit.live.float_ is not None
    assert (pit.live.float_.booked, pit.live.drop) == (cents(480), cents(70))
    assert (pit.balance(LedgerAccount.FLOATS), pit.balance(LedgerAccount.VALUE_CHIPS)) == (-cents(480), cents(500))
    assert pit.balance(LedgerAccount.DROP) == -cents(70)
    sound(pit.house)


def test_value_chips_buy_a_colour() -> None:
    """Value chips that a player gives for a colour go into the float."""
    pit = Pit()
    pit.colour()
    pit.deal(BuyChips(TABLE, P1, CASH, cents(100)))
    pit.deal(BuyChips(TABLE, P1, CHIPS, cents(100), "blue"))
    assert pit.live.float_ is not None
    assert (pit.out(), pit.live.float_.booked, pit.live.drop) == (20, cents(500), cents(100))
    sound(pit.house)


@pytest.mark.clause("us-double-zero", "Placement 2")
def test_colour_is_bought_for_value_chips_that_there_are() -> None:
    """For value chips of 1 and 5 a player gets chips of 0.50 for 2, and not for 1.50; for cash also for 1.50."""
    floor = LiveFloor(US, denominations=(cents(5), cents(25)), circulating=(cents(1),))
    floor.deal(AllocateColour(TABLE, floor.one, "blue", Cents(50)))
    odd = BuyChips(TABLE, floor.one, CHIPS, Cents(150), "blue")
    assert floor.refuses(odd) == ("not_whole_chips", "Placement 2")
    floor.deal(BuyChips(TABLE, floor.one, CHIPS, cents(2), "blue"))
    floor.deal(BuyChips(TABLE, floor.one, CASH, Cents(150), "blue"))
    assert (floor.out(), floor.live.drop) == (7, 150)


def test_chips_that_cannot_be_bought() -> None:
    """No purchase is of nothing, of part of a chip, of value chips for value chips, beyond the float or the rack."""
    pit = Pit()
    pit.colour()
    buys = [
        (BuyChips(TABLE, P1, CASH, Cents(0), "blue"), ("value_under_minimum", "6(a)")),
        (BuyChips(TABLE, P1, CHIPS, cents(5)), ("malformed", None)),
        (BuyChips(TABLE, P1, CASH, cents(12), "blue"), ("not_whole_chips", "6(d)")),
        (BuyChips(TABLE, P1, CASH, Cents(50)), ("not_whole_chips", "6(d)")),
        (BuyChips(TABLE, P1, CASH, cents(501)), ("float_short", "9(e)")),
        (BuyChips(TABLE, P1, CASH, cents(1_005), "blue"), ("chips_short", "6(c)")),
        (BuyChips(TABLE, PositionId(9), CASH, cents(5)), ("unknown_record", "6(a)")),
    ]
    for command, expected in buys:
        assert pit.refuses(command) == expected
    pit.deal(BuyChips(TABLE, P1, CASH, cents(1_000), "blue"))
    assert pit.refuses(BuyChips(TABLE, P1, CASH, cents(5), "blue")) == ("chips_short", "6(c)")


@pytest.mark.clause("skycity-adelaide-2003", "6(f)")
def test_colour_is_redeemed_at_its_table_for_value_chips() -> None:
    """Of 100 chips of 5 the table redeems 40 for 200 in value chips, which a cashier pays, who takes no colour."""
    pit = Pit()
    pit.colour()
    pit.deal(BuyChips(TABLE, P1, CASH, cents(500), "blue"))
    pit.deal(RedeemColour(TABLE, P1, "blue", 40))
    assert pit.live.float_ is not None
    assert (pit.out(), pit.live.float_.booked, pit.balance(LedgerAccount.COLOUR_CHIPS)) == (60, cents(300), cents(300))
    assert pit.refuses(RedeemColour(TABLE, P1, "blue", 61)) == ("chips_short", "6(f)")
    assert pit.refuses(RedeemColour(TABLE, P1, "blue", 0)) == ("malformed", None)
    assert pit.refuses(RedeemColour(TABLE, PositionId(9), "blue", 1)) == ("unknown_record", "6(a)")
    pit.drawer(cents(1_000))
    assert pit.refuses(CashChips(DrawerId("D1"), cents(200), "anchor"), "cashier") == ("chips_of_another_table", "6(f)")
    pit.signed(CashChips(DrawerId("D1"), cents(200)), "cashier", pit.inspector)
    assert (pit.house.drawers[DrawerId("D1")].cash, pit.balance(LedgerAccount.VALUE_CHIPS)) == (cents(800), cents(300))
    pit.deal(RedeemColour(TABLE, P1, "blue", 60))
    assert pit.balance(LedgerAccount.COLOUR_CHIPS) == 0
    pit.deal(BuyChips(TABLE, P1, CASH, cents(5), "blue"))
    assert pit.refuses(RedeemColour(TABLE, P1, "blue", 1)) == ("float_short", "9(e)")
    sound(pit.house)


@pytest.mark.clause("skycity-adelaide-2003", "6(f)")
def test_sum_that_value_chips_do_not_make_is_not_redeemed() -> None:
    """Of chips of 7 the table redeems 5 for 35, and not 3 for 21, which chips of 5 and more do not make."""
    pit = Pit(settings=replace(SETTINGS, live=replace(LIVE, denominations=(cents(5), cents(100)))))
    pit.colour(value=7)
    pit.deal(BuyChips(TABLE, P1, CASH, cents(56), "blue"))
    assert pit.refuses(RedeemColour(TABLE, P1, "blue", 3)) == ("not_whole_chips", "6(f)")
    (redeemed,) = pit.deal(RedeemColour(TABLE, P1, "blue", 5))
    assert redeemed == ColourRedeemed(TABLE, P1, "blue", 5, cents(35))
    assert pit.out() == 3
    sound(pit.house)


@pytest.mark.clause("skycity-adelaide-2003", "6(f)")
@pytest.mark.clause("skycity-adelaide-2003", "12(h)")
def test_nothing_closes_while_a_colour_is_out() -> None:
    """A player with a colour does not leave, and neither the table nor its float is closed before it is back."""
    pit = Pit()
    pit.colour()
    pit.deal(BuyChips(TABLE, P1, CASH, cents(10), "blue"))
    pit.by("shift manager", NotifyOfficer(TABLE, "told"))
    pit.at(1)
    close, out = CloseTable(TABLE, "late"), ("chips_outstanding", "6(f)")
    pit.by(pit.inspector, CountFloat(TABLE, FLOAT))
    assert pit.refuses(LeaveTable(TABLE, P1)) == out
    assert pit.refuses(close, "shift manager") == out
    assert pit.refuses(CloseFloat(TABLE), pit.inspector) == out
    pit.deal(RedeemColour(TABLE, P1, "blue", 2))
    assert pit.deal(ReturnColour(TABLE, "blue", 200)) == (ColourReturned(TABLE, "blue", 200, 0, 0),)
    pit.deal(LeaveTable(TABLE, P1))
    assert isinstance(pit.by("shift manager", close), tuple)
    assert pit.refuses(SeatPlayer(TABLE)) == ("table_closed", "12(h)")
    sound(pit.house)


def test_missing_chips_take_two_signatures_and_are_written_off() -> None:
    """Three chips that a player took away are signed for by two, worth 15 unclaimed, and gone from the set."""
    pit = Pit()
    pit.colour()
    pit.deal(BuyChips(TABLE, P1, CASH, cents(50), "blue"))
    pit.deal(RedeemColour(TABLE, P1, "blue", 7))
    assert pit.signed(ReturnColour(TABLE, "blue", 197)) == (ColourReturned(TABLE, "blue", 197, 3, cents(15)),)
    assert (pit.balance(LedgerAccount.COLOUR_CHIPS), pit.balance(LedgerAccount.UNCLAIMED)) == (0, cents(15))
    assert (pit.live.colours["blue"].pieces_in_set, pit.live.players[P1].colours) == (197, [])
    assert pit.refuses(ReturnColour(TABLE, "blue", 197)) == ("nothing_there", "6(f)")
    assert pit.refuses(ReturnColour(TABLE, "grey", 197)) == ("unknown_record", "6(c)")
    pit.colour()
    assert pit.refuses(ReturnColour(TABLE, "blue", 198)) == ("record_differs", "6(f)")
    sound(pit.house)


@pytest.mark.clause("skycity-adelaide-2003", "8(b)")
def test_live_table_opens_under_its_notice_and_with_a_float() -> None:
    """No round opens before the float is open and staff have checked the notice, and again after new limits."""
    pit = Pit(ready=False)
    assert refused(pit.ask(OpenBets(TABLE))) == ("notice_not_shown", "8(b)")
    notice = AcknowledgeNotice(TABLE, notice_digest(pit.house, pit.table))
    assert pit.refuses(AcknowledgeNotice(TABLE, "0" * 64), pit.inspector) == ("record_differs", "8(b)")
    pit.by(pit.inspector, notice)
    assert refused(pit.ask(OpenBets(TABLE))) == ("float_not_open", "9(e)")
    pit.signed(OpenFloat(TABLE, FLOAT, "S1"))
    pit.open()
    pit.close()
    pit.spin()
    pit.rest("17")
    pit.deal(ConfirmResult(TABLE, Pocket("17")))
    pit.signed(ChangeSettings(TABLE, replace(SETTINGS, limits=limits(10, 100)), "higher"), "shift manager")
    assert refused(pit.ask(OpenBets(TABLE))) == ("notice_not_shown", "8(b)")
    sound(pit.house)


def test_document_without_a_notice_needs_none() -> None:
    """Where the document requires no notice at the table, a round opens without one."""
    pit = Pit(US, replace(SETTINGS, limits=limits()))
    assert [each.reason for each in blockers(pit.house, Facts())] == []
    assert isinstance(pit.ask(OpenBets(TABLE)), tuple)


def test_float_is_filled_credited_counted_and_closed() -> None:
    """Every movement of the float is in the ledger; a count that is 5 short closes it with a difference of 5."""
    pit = Pit()
    fives, hundred = ((cents(5), 2),), ((cents(100), 1),)
    pit.signed(FillFloat(TABLE, hundred, "F1"))
    pit.signed(CreditFloat(TABLE, fives, "C1"))
    float_ = pit.live.float_
    assert float_ is not None
    assert (float_.opened, float_.fills, float_.credits, float_.booked) == (*map(cents, (500, 100, 10, 590)),)
    assert pit.refuses(CloseFloat(TABLE), pit.inspector) == ("out_of_turn", "9(e)")
    (counted,) = pit.deal(CountFloat(TABLE, ((cents(5), 117),)), pit.inspector)
    assert counted == FloatCounted(TABLE, cents(585), cents(590))
    pit.signed(CloseFloat(TABLE))
    assert [pit.balance(each) for each in (LedgerAccount.FLOATS, LedgerAccount.VALUE_CHIPS)] == [0, cents(5)]
    assert (pit.balance(LedgerAccount.DIFFERENCES), pit.live.float_) == (-cents(5), None)
    for command in (FillFloat(TABLE, fives, "F2"), CreditFloat(TABLE, fives, "C2")):
        assert pit.refuses(command, pit.inspector) == ("float_not_open", "9(e)")
    for closed in (CountFloat(TABLE, fives), CloseFloat(TABLE)):
        assert pit.refuses(closed, pit.inspector) == ("float_not_open", "9(e)")
    pit.colour()
    assert pit.refuses(BuyChips(TABLE, P1, CASH, cents(5), "blue")) == ("float_not_open", "9(e)")
    assert pit.refuses(RedeemColour(TABLE, P1, "blue", 1)) == ("float_not_open", "9(e)")
    sound(pit.house)


def test_movements_of_a_float_that_are_refused() -> None:
    """A float is opened once, with chips that it has, a slip, and no more goes back than is there."""
    pit = Pit()
    five = cents(5)
    moves: list[tuple[AnyCommand, tuple[str, str | None]]] = [
        (OpenFloat(TABLE, FLOAT, "S2"), ("already_there", "9(e)")),
        (OpenFloat(TABLE, ((Cents(7), 1),), "S2"), ("setting_impossible", "9(e)")),
        (FillFloat(TABLE, ((five, -1),), "S2"), ("malformed", None)),
        (FillFloat(TABLE, ((five, 1),), " "), ("reason_not_listed", "9(e)")),
        (FillFloat(TABLE, (), "S2"), ("reason_not_listed", "9(e)")),
        (CreditFloat(TABLE, (), "S2"), ("reason_not_listed", "9(e)")),
        (CountFloat(TABLE, ((Cents(7), 1),)), ("setting_impossible", "9(e)")),
    ]
    for command, expected in moves:
        assert pit.refuses(command, pit.inspector) == expected


def test_credit_of_more_than_the_float_has() -> None:
    """More than a float has does not go back, which the second signature alone finds: it is counted blind."""
    pit = Pit()
    for pieces in (100, 101):
        answer = pit.by(pit.inspector, CreditFloat(TABLE, ((cents(5), pieces),), "S2"))
        assert isinstance(answer, tuple)
        assert [type(event) for event in answer] == [ProposalMade]
    assert pit.refuses(Approve(Number(pit.house.proposals.made)), pit.chief) == ("float_short", "9(e)")


def test_drop_is_collected_and_counted() -> None:
    """Of 70 in cash the box has 65 when it is counted: 65 go to the vault, and 5 are a difference."""
    pit = Pit()
    pit.deal(BuyChips(TABLE, P1, CASH, cents(70)))
    assert pit.refuses(CollectDrop(TABLE, Cents(-1)), pit.inspector) == ("malformed", None)
    done = pit.signed(CollectDrop(TABLE, cents(65)), "cashier", pit.chief)
    assert done == (DropCollected(TABLE, cents(65), cents(70)),)
    assert [pit.balance(each) for each in (LedgerAccount.DROP, LedgerAccount.VAULT)] == [0, -cents(65)]
    assert (pit.balance(LedgerAccount.DIFFERENCES), pit.live.drop) == (-cents(5), 0)
    sound(pit.house)


def test_cashier_sells_and_cashes_value_chips() -> None:
    """Value chips are sold and cashed from the cashier's own open drawer, in its currency and within its cash."""
    pit = Pit()
    drawer = DrawerId("D1")
    assert pit.refuses(SellChips(drawer, cents(5)), "cashier") == ("drawer_unknown", "7(e)")
    pit.drawer(cents(100))
    assert isinstance(pit.by("cashier", SellChips(drawer, cents(50))), tuple)
    pit.signed(CashChips(drawer, cents(20)), "cashier", pit.inspector)
    held = pit.house.drawers[drawer]
    assert (held.cash, held.taken_in, held.paid_out, held.currency) == (cents(130), cents(50), cents(20), "AUD")
    assert pit.balance(LedgerAccount.VALUE_CHIPS) == cents(530)
    ledger = Projections(read_canonical)
    assert not any(map(ledger.apply, pit.journal.entries()))
    shift = ledger.drawer_shifts.last(drawer)
    assert (shift.taken_in, shift.paid_out, shift.currency) == (cents(50), cents(20), "AUD")
    assert [(moved.kind.value, moved.change) for moved in shift.movements] == [
        ("Chips sold", cents(50)),
        ("Chips cashed", -cents(20)),
    ]
    assert pit.refuses(SellChips(drawer, Cents(0)), "cashier") == ("malformed", None)
    pit.enrol("Cashier", "another")
    assert pit.refuses(SellChips(drawer, cents(5)), "another") == ("not_authorised", "7(e)")
    held.currency = "USD"
    assert pit.refuses(SellChips(drawer, cents(5)), "cashier")[0] == "not_paid_here"


def test_cashier_alone_cashes_no_value_chips() -> None:
    """Nobody says alone that cash of a drawer was paid for chips, nor finds by it what the drawer holds."""
    pit = Pit()
    drawer = DrawerId("D1")
    pit.drawer(cents(100))
    (much,) = pit.deal(CashChips(drawer, cents(101)), "cashier")
    (little,) = pit.deal(CashChips(drawer, cents(100)), "cashier")
    assert isinstance(much, ProposalMade)
    assert isinstance(little, ProposalMade)
    assert pit.house.drawers[drawer].cash == cents(100)
    pit.enrol("Cashier", "another")
    assert pit.refuses(Approve(little.proposal), "another")[0] == "not_authorised"
    assert pit.refuses(CashChips(drawer, cents(1)), "another") == ("not_authorised", "7(e)")
    assert pit.refuses(Approve(much.proposal), pit.inspector) == ("drawer_short", "7(e)")
    assert pit.deal(Approve(little.proposal), pit.inspector)[1:] == (ChipsCashed(drawer, cents(100)),)


def test_house_without_live_tables_deals_in_no_chips() -> None:
    """Where no table takes chips, the cashier neither sells nor cashes any."""
    play = Pit(ADELAIDE, TableSettings(), ready=False)
    for command in (SellChips(DrawerId("D1"), cents(5)), CashChips(DrawerId("D1"), cents(5))):
        assert play.refuses(command, "cashier") == ("chips_not_taken", None)


def test_supervised_table_books_its_win_at_counts() -> None:
    """Where bets are not recorded, what is out or expected is unknown, and a difference of a count is the game's."""
    pit = Pit(settings=replace(SETTINGS, live=replace(LIVE, recording=Recording.SUPERVISED)))
    pit.colour()
    pit.deal(BuyChips(TABLE, P1, CASH, cents(50), "blue"))
    pit.deal(RedeemColour(TABLE, P1, "blue", 12))
    assert (pit.out(), pit.balance(LedgerAccount.COLOUR_CHIPS)) == (None, -cents(10))
    pit.deal(ReturnColour(TABLE, "blue", 200))
    assert (pit.balance(LedgerAccount.COLOUR_CHIPS), pit.balance(LedgerAccount.HOUSE)) == (0, -cents(10))
    (counted,) = pit.deal(CountFloat(TABLE, ((cents(5), 90),)), pit.inspector)
    assert counted == FloatCounted(TABLE, cents(450), None)
    pit.signed(CloseFloat(TABLE))
    assert (pit.balance(LedgerAccount.HOUSE), pit.balance(LedgerAccount.FLOATS)) == (0, 0)
    assert (pit.live.counted_win, pit.balance(LedgerAccount.DROP)) == (0, -cents(50))
    sound(pit.house)
