"""Events of a live table: players, colours, chips, the float, the drop box and the notice."""

from croupier.house.base import Event, EventTopic, PlayerEvent, TableEvent, event
from croupier.house.commands.live import ChipCount, Tender
from croupier.house.ids import DrawerId
from croupier.rules.money import Cents


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
