"""A driver of live tables in tests: a dealer, players with chips, and an auditor who hears every answer."""

from typing import Any, Final

from croupier.house import AnyCommand
from croupier.house.declare import Event, Events
from croupier.house.floor.signatures import Approve, ProposalMade
from croupier.house.ids import PositionId
from croupier.house.live.chip_settlement import ChipsSettled
from croupier.house.live.floats import ChipCount, OpenFloat
from croupier.house.live.notice import notice_digest
from croupier.house.live.payment_walk import CollectLosers, PaySegment, PlaceDolly, SegmentPaid
from croupier.house.live.seats_and_colours import AcknowledgeNotice, AllocateColour, BuyChips, SeatPlayer, Tender
from croupier.house.play.chip_bets import Manner, PlaceChips, RemoveChips
from croupier.house.rounds.closing import CloseBets
from croupier.house.rounds.opening import OpenBets
from croupier.house.rounds.results import ConfirmResult
from croupier.house.rounds.spinning import SpinBall
from croupier.house.settings import LiveSettings, Mode, TableSettings
from croupier.house.state.ledger import LedgerAccount
from croupier.house.state.live import ChipFunding, LiveTable, RoundChips, Walk
from croupier.house.state.tables import Phase
from croupier.rules.geometry import Pocket, SpotKey
from croupier.rules.money import Cents
from croupier.rules.procedure import ChannelName
from croupier.rules.rulebook import Rulebook
from tests.support.audited import Audited
from tests.support.house_driver import ADELAIDE, TABLE, US, cents, limits, refused, sound

COLOURS: Final = ("blue", "green", "white")
#: Value chips for 9,000 dollars.
FLOAT: Final[ChipCount] = ((cents(1), 500), (cents(5), 400), (cents(25), 100), (cents(100), 40))
DENOMINATIONS: Final = tuple(value for value, _ in FLOAT)


def live_settings(rulebook: str | Rulebook = ADELAIDE, **live: Any) -> TableSettings:  # noqa: ANN401 - any setting
    """Settings of a live table: 5 to 100 dollars at Adelaide, 1 to 4 at the US table."""
    bounds = limits(1, 4) if rulebook == US else limits(5, 100)
    given: dict[str, Any] = {"emblem": "anchor", "colours": COLOURS, "denominations": DENOMINATIONS, "pieces": 1_000}
    return TableSettings(live=LiveSettings(**{**given, **live}), confirms=True, limits=bounds, warning_s=0)


class LiveFloor(Audited):
    """A live table with an open float and some players; amounts are dollars."""

    def __init__(  # noqa: PLR0913 - all that a floor may have
        self,
        rulebook: str | Rulebook = ADELAIDE,
        settings: TableSettings | None = None,
        *,
        more: tuple[TableSettings, ...] = (),
        players: tuple[str, ...] = ("one", "two"),
        terminals: dict[str, int] | None = None,
        mode: Mode = Mode.DEMO,
        **live: Any,  # noqa: ANN401 - any setting
    ) -> None:
        super().__init__(rulebook, settings or live_settings(rulebook, **live), *more, mode=mode)
        self.chief = self.enrol(self.rulebook.staff.order[-1], "chief")
        self.inspector = self.rulebook.staff.order[1].lower()
        self.seats(**(terminals or {}))
        chips = tuple((value, count) for value, count in FLOAT if value in self.denominations)
        self.signed(OpenFloat(TABLE, chips or ((self.denominations[0], 1_000),), "S1"))
        self.players = [self.join(label) for label in players]

    @property
    def denominations(self) -> tuple[Cents, ...]:
        assert self.table.settings.live is not None
        return self.table.settings.live.denominations

    @property
    def live(self) -> LiveTable:
        assert self.table.live is not None
        return self.table.live

    @property
    def one(self) -> PositionId:
        return self.players[0]

    @property
    def two(self) -> PositionId:
        return self.players[1]

    @property
    def chips(self) -> RoundChips:
        """The chips of the round."""
        chips = self.table.playing.chips
        assert chips is not None
        return chips

    @property
    def walk(self) -> Walk:
        walk = self.table.playing.walk
        assert walk is not None
        return walk

    def deal(self, command: AnyCommand, by: str = "") -> Events:
        """Have the dealer, or another person, do something that must be accepted."""
        done = self.by(by or self.dealer, command)
        assert isinstance(done, tuple), done
        sound(self.house)
        return done

    def signed(self, command: AnyCommand, first: str = "", second: str = "") -> Events:
        """Have two people sign a command, by default an inspector and the chief."""
        (made,) = self.deal(command, first or self.inspector)
        assert isinstance(made, ProposalMade)
        return self.deal(Approve(made.proposal), second or self.chief)[1:]

    def refuses(self, command: AnyCommand, by: str = "") -> tuple[str, str | None]:
        return refused(self.by(by or self.dealer, command))

    def join(self, label: str = "") -> PositionId:
        """Seat a player."""
        self.deal(SeatPlayer(TABLE, label))
        return PositionId(self.house.positions_added)

    def player(self, position: PositionId) -> ChipFunding:
        return self.live.players[position]

    def buy(self, position: PositionId, amount: int, colour: str | None = None, value: int | None = None) -> None:
        """Sell chips for cash: of a colour, which is allocated first, or value chips."""
        if colour is not None and self.live.colours[colour].position is None:
            self.deal(AllocateColour(TABLE, position, colour, None if value is None else cents(value)))
        self.deal(BuyChips(TABLE, position, Tender.CASH, cents(amount), colour))

    def open(self) -> tuple[Event, ...]:
        """Check the notice, and open a round."""
        self.check_notice()
        return self.deal(OpenBets(TABLE))

    def check_notice(self) -> None:
        """Have an inspector check the notice of the next round, where the rules have one."""
        if self.rulebook.channels[ChannelName.TABLE].notice is not None:
            self.deal(AcknowledgeNotice(TABLE, notice_digest(self.house, self.table)), self.inspector)

    def place(self, position: PositionId, chip: str, bets: dict[str, int] | None = None, **spots: int) -> Events:
        """Record pieces of one chip on some spots."""
        return self.deal(self.placing(position, chip, bets, **spots))

    def placing(self, position: PositionId, chip: str, bets: dict[str, int] | None = None, **spots: int) -> PlaceChips:
        return PlaceChips(TABLE, position, tuple({**(bets or {}), **spots}.items()), chip, Manner.PLACED)

    def removing(self, position: PositionId, *spots: str) -> RemoveChips:
        return RemoveChips(TABLE, position, tuple(map(SpotKey, spots)))

    def close(self) -> None:
        """Call no more bets while the ball runs."""
        if self.table.playing.spin.launched_at is None:
            self.deal(SpinBall(TABLE))
        self.deal(CloseBets(TABLE))
        assert self.table.phase is Phase.RUNNING

    def result(self, pocket: str) -> Events:
        """Close, and have the number confirmed and marked."""
        if self.table.phase is not Phase.RUNNING:
            self.close()
        self.rest(pocket, 5)
        return self.deal(ConfirmResult(TABLE, Pocket(pocket), Pocket(pocket)))

    def mark(self) -> None:
        """Place the dolly on the number of the last round, unless it is there."""
        walk = self.table.playing.walk
        if walk is not None and walk.pocket is not None and walk.pocket != walk.marked:
            self.deal(PlaceDolly(TABLE, self.table.playing.number, walk.pocket))

    def collect(self) -> Events:
        self.mark()
        return self.deal(CollectLosers(TABLE, self.table.playing.number))

    def pay(self, segment: str, position: PositionId | None = None, *handed: tuple[str, int]) -> SegmentPaid:
        """Pay a segment of the last round."""
        self.mark()
        (paid,) = self.deal(PaySegment(TABLE, self.table.playing.number, segment, position, handed))
        assert isinstance(paid, SegmentPaid)
        return paid

    def pay_all(self) -> dict[PositionId, int]:
        """Collect and pay whatever is open; return what each position got, in cents."""
        if not self.walk.collected:
            self.collect()
        got: dict[PositionId, int] = {}
        while not self.walk.over:
            item = next(item for item in self.walk.items if not item.made)
            for payment in self.pay(item.segment).payments:
                got[payment.position] = got.get(payment.position, 0) + payment.value
        return got

    def balance(self, account: LedgerAccount) -> int:
        return self.house.ledger[account]

    def out(self, colour: str = "blue") -> int | None:
        return self.live.colours[colour].out


def settled_of(events: Events) -> ChipsSettled:
    """Find the settlement of chips among events."""
    return next(event for event in events if isinstance(event, ChipsSettled))
