"""Events of a live table: players, colours, chips, bets and payments, the float, the drop box and the notice."""

import msgspec

from croupier.house.base import Event, EventTopic, PlayerEvent, RoundEvent, TableEvent, event
from croupier.house.commands.live import ChipBets, ChipCount, ChipPieces, Manner, SpotPieces, Tender
from croupier.house.events.play import BetChange, ReturnReason
from croupier.house.ids import DrawerId, PositionId, RoundNumber
from croupier.rules.geometry import Pocket, SpotKey
from croupier.rules.money import Cents
from croupier.rules.refusal import ClauseId, Code
from croupier.rules.rulebook import Stakes


@event("A player was seated at position {position}.", EventTopic.BETS)
class PlayerSeated(PlayerEvent, frozen=True):
    """A player with chips has a betting position; the label is how staff refer to the player."""

    label: str


@event("The player at position {position} left.", EventTopic.BETS)
class PlayerLeft(PlayerEvent, frozen=True):
    """A player left; the number of the position is not used again."""


@event("{colour} was allocated to position {position} at {value} a chip.", EventTopic.BETS)
class ColourAllocated(PlayerEvent, frozen=True):
    """A colour was allocated to a player, with its value, and whether a marker at the table shows the value."""

    colour: str
    value: Cents
    marker: bool


@event("A second colour was approved for position {position}. {words}", EventTopic.STAFF, EventTopic.SIGNIFICANT)
class SecondColourApproved(PlayerEvent, frozen=True):
    """One more colour was approved for a player, for one allocation."""

    words: str


@event("Position {position} bought chips for {amount} ({tender}).", EventTopic.MONEY)
class ChipsBought(PlayerEvent, frozen=True):
    """Chips were sold to a player: pieces of a colour, or value chips."""

    tender: Tender
    amount: Cents
    colour: str | None
    #: 0 for value chips.
    pieces: int


@event("{pieces} chips of {colour} were redeemed for {amount}.", EventTopic.MONEY)
class ColourRedeemed(PlayerEvent, frozen=True):
    """Chips of a player's colour were exchanged for value chips."""

    colour: str
    pieces: int
    amount: Cents


@event("{colour} was taken back; chips missing: {missing}.", EventTopic.MONEY)
class ColourReturned(TableEvent, frozen=True):
    """A colour was taken back: the chips in the rack, the missing chips, and the value that is written off."""

    colour: str
    counted: int
    missing: int
    amount: int


@event("The float was opened with {amount}, slip {slip}.", EventTopic.MONEY)
class FloatOpened(TableEvent, frozen=True):
    """The float of a table was opened."""

    chips: ChipCount
    amount: Cents
    slip: str


@event("The float was filled with {amount}, slip {slip}.", EventTopic.MONEY)
class FloatFilled(TableEvent, frozen=True):
    """Chips were added to a float."""

    chips: ChipCount
    amount: Cents
    slip: str


@event("{amount} of the float went back to the chip bank, slip {slip}.", EventTopic.MONEY)
class FloatCredited(TableEvent, frozen=True):
    """Chips of a float were returned to the chip bank."""

    chips: ChipCount
    amount: Cents
    slip: str


@event("Play with chips is not on record from here on: {words}", EventTopic.MONEY, EventTopic.SIGNIFICANT)
class GapDeclared(TableEvent, frozen=True):
    """Play with chips went on without a record; chips on the layout by the record are with their players again."""

    words: str


@event("A count closed the gap in the record. {words}", EventTopic.MONEY, EventTopic.SIGNIFICANT)
class GapClosed(TableEvent, frozen=True):
    """Rack and tray were counted after unrecorded play; with the numbers that are known, and what the house has won."""

    racks: ChipPieces
    counted: Cents
    numbers: tuple[Pocket, ...]
    won: int
    words: str


@event("The float was counted.", EventTopic.MONEY)
class FloatCounted(TableEvent, frozen=True):
    """A float was counted; the expected amount is unknown where not every payment is recorded."""

    counted: Cents
    expected: int | None


@event("The float was closed.", EventTopic.MONEY)
class FloatClosed(TableEvent, frozen=True):
    """A counted float was returned to the chip bank; with the amount that the books had."""

    counted: Cents
    booked: int


@event("The drop box was emptied.", EventTopic.MONEY)
class DropCollected(TableEvent, frozen=True):
    """The cash of a drop box was counted and taken to the vault."""

    counted: Cents
    expected: int


@event("Value chips for {amount} were cashed at drawer {drawer}.", EventTopic.MONEY)
class ChipsCashed(Event, frozen=True):
    """Value chips were paid in cash from a drawer."""

    drawer: DrawerId
    amount: Cents


@event("Value chips for {amount} were sold at drawer {drawer}.", EventTopic.MONEY)
class ChipsSold(Event, frozen=True):
    """Value chips were sold for cash."""

    drawer: DrawerId
    amount: Cents


@event("The notice at the table was checked.", EventTopic.STAFF)
class NoticeAcknowledged(TableEvent, frozen=True):
    """A notice at a table shows what its digest stands for."""

    digest: str


class Advice(msgspec.Struct, frozen=True, gc=False):
    """What the dealer tells a player about a bet that lies outside the limits and is recorded as it lies."""

    #: The code that refuses such a bet where the rules refuse it: under the minimum, over the maximum, or over the
    #: maximum of partners.
    code: Code
    clause: ClauseId
    spot: SpotKey
    stake: int
    limit: int


@event("Chips of position {position}: {how}, so that there lie {stakes}.", EventTopic.BETS)
class ChipsChanged(PlayerEvent, frozen=True):
    """Chips of a player were placed, moved or removed: the new stake and the new pieces on each changed spot."""

    round: RoundNumber
    how: BetChange
    spots: tuple[SpotKey, ...]
    #: As many as there are spots, in their order, in cents.
    amounts: tuple[int, ...]
    #: Every chip on these spots, in the order of placement.
    pieces: SpotPieces
    manner: Manner = Manner.PLACED
    advice: tuple[Advice, ...] = ()

    @property
    def stakes(self) -> Stakes:
        """What lies on each spot that was touched."""
        return dict(zip(self.spots, self.amounts, strict=True))


@event("Chips of position {position} went back unplayed from {spots}: {why}.", EventTopic.BETS)
class ChipsReturned(PlayerEvent, frozen=True):
    """Chips of a player were returned without being played; with the reason and its clause."""

    round: RoundNumber
    why: ReturnReason
    clause: ClauseId
    spots: tuple[SpotKey, ...]


@event("A late bet of {amount} went back to position {position}; the spin stands.", EventTopic.BETS)
class LateBetReturned(PlayerEvent, frozen=True):
    """Chips that were placed after the close were returned at once."""

    round: RoundNumber
    chip: str
    bets: ChipBets
    amount: Cents
    clause: ClauseId


@event(
    "The sealed chips of position {position} were amended: {stakes}. {words} {sighting}",
    EventTopic.BETS,
    EventTopic.STAFF,
    EventTopic.SIGNIFICANT,
)
class SealAmended(PlayerEvent, frozen=True, omit_defaults=True):
    """The sealed layout of a player was corrected by what lies there; with the digest of all layouts."""

    round: RoundNumber
    spin: int
    spots: tuple[SpotKey, ...]
    amounts: tuple[int, ...]
    pieces: SpotPieces
    #: The total stake of all positions.
    staked: int
    digest: str
    words: str
    #: How it is known that the chips lay there, and the number that the wheel had reported by then.
    sighting: str = ""
    reported: Pocket | None = None

    @property
    def stakes(self) -> Stakes:
        """What lies on each spot that was amended."""
        return dict(zip(self.spots, self.amounts, strict=True))


@event("The chips of round {round} were settled: {collected} to collect, {payable} to pay.", EventTopic.ROUND)
class ChipsSettled(RoundEvent, frozen=True):
    """The chips of a round were settled: the total to collect, the total to pay, and a digest of every amount."""

    pocket: Pocket
    collected: int
    payable: int
    digest: str


@event("Position {position} was advised of the minimum.", EventTopic.BETS)
class OwnerAdvised(PlayerEvent, frozen=True):
    """A player's bet under the minimum was settled, once; such bets are returned from now on."""

    round: RoundNumber
    clause: ClauseId


@event("The bet of position {position} on {spot} was settled as {settled} of {stake}.", EventTopic.BETS)
class BetCapped(PlayerEvent, frozen=True):
    """Only a part of a bet was settled: the part up to the maximum, or nothing of a bet that the rules refuse."""

    round: RoundNumber
    spot: SpotKey
    stake: int
    settled: int
    clause: ClauseId


@event("The payment of {due} to position {position} for {spot} was rounded to {paid}.", EventTopic.MONEY)
class PaymentRounded(PlayerEvent, frozen=True):
    """An amount that the float cannot pay was rounded."""

    round: RoundNumber
    spot: SpotKey
    due: int
    paid: int
    clause: ClauseId


@event("The dolly was placed on {pocket}.", EventTopic.ROUND)
class DollyPlaced(RoundEvent, frozen=True):
    """The dealer placed the dolly, or crown, on the number: chips may be collected and paid."""

    pocket: Pocket


@event("The losing bets of round {round} were collected.", EventTopic.ROUND, EventTopic.MONEY)
class LosersCollected(RoundEvent, frozen=True):
    """The dealer collected all losing bets: their amount (None if not all bets are recorded) and their chips."""

    amount: int | None
    chips: ChipPieces


class ChipPayment(msgspec.Struct, frozen=True, gc=False):
    """A payment to one position: the chips that were handed over, and their value."""

    position: PositionId
    chips: ChipPieces
    value: int


@event("The segment {segment} of round {round} was paid.", EventTopic.ROUND, EventTopic.MONEY)
class SegmentPaid(RoundEvent, frozen=True):
    """The dealer paid winners of a segment."""

    segment: str
    payments: tuple[ChipPayment, ...]


@event("A winning bet of position {position} was recorded: {due} are due.", EventTopic.BETS, EventTopic.MONEY)
class WinnerRecorded(PlayerEvent, frozen=True):
    """A winning bet at a table that does not record all bets."""

    round: RoundNumber
    chip: str
    bets: ChipBets
    #: The payment of each segment.
    due: tuple[tuple[str, int], ...]


@event("All winning bets of round {round} were paid.", EventTopic.ROUND)
class PayingFinished(RoundEvent, frozen=True):
    """The dealer paid all winners at a table that does not record all bets."""


class ChipMove(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """Pieces of one chip that are lifted from a spot, or put back on it."""

    position: PositionId
    spot: SpotKey
    chip: str
    count: int


@event("The chips of round {round} were settled anew.", EventTopic.ROUND, EventTopic.INCIDENT, EventTopic.SIGNIFICANT)
class ChipsCorrected(RoundEvent, frozen=True, omit_defaults=True):
    """After a correction or an invalidated outcome: the difference for each position, negative if it owes it."""

    #: None if no number counts.
    pocket: Pocket | None
    changes: tuple[tuple[PositionId, int], ...]
    #: Whether nothing had been paid yet: then the sealed layouts are settled again.
    anew: bool
    #: Once losing bets were collected, the chips that won by the wrong number only and are lifted from the layout, and
    #: those that win by the true number only and are put back on it.
    lifted: tuple[ChipMove, ...] = ()
    restored: tuple[ChipMove, ...] = ()


@event("Position {position} settled {amount} of its debt.", EventTopic.MONEY)
class OwedSettled(PlayerEvent, frozen=True):
    """A player paid a debt that a correction had caused, in chips."""

    chip: str
    pieces: int
    amount: Cents
