"""Commands of a live table: players, colours, chips, the float, the drop box and the notice."""

from enum import StrEnum

from croupier.house.base import Command, Phase, PlayerCommand, TableCommand, command
from croupier.house.ids import DrawerId
from croupier.rules.money import Cents
from croupier.rules.procedure import Duty


class Tender(StrEnum):
    """What a player gives for chips."""

    CASH = "cash"
    #: Chips marked with their value.
    VALUE_CHIPS = "value_chips"


#: How many chips of each denomination.
ChipCount = tuple[tuple[Cents, int], ...]


@command(Duty.DEAL)
class SeatPlayer(TableCommand, frozen=True):
    """Note that a player plays with chips at a live table; the label is how staff refer to the player."""

    label: str = ""


@command(Duty.DEAL)
class LeaveTable(PlayerCommand, frozen=True):
    """Note that a player has left a live table."""


@command(Duty.DEAL)
class AllocateColour(PlayerCommand, frozen=True):
    """Allocate a colour of the table's chips to a player, who declares the value of each chip."""

    colour: str
    #: The table minimum, if no other value is declared.
    value: Cents | None = None


@command(Duty.OFFICIATE)
class ApproveSecondColour(PlayerCommand, frozen=True):
    """Approve that a player is allocated one more colour."""

    words: str


@command(Duty.DEAL)
class BuyChips(PlayerCommand, frozen=True):
    """Sell chips to a player for cash or value chips: of the named colour, otherwise value chips."""

    tender: Tender
    amount: Cents
    colour: str | None = None


@command(Duty.DEAL)
class RedeemColour(PlayerCommand, frozen=True):
    """Exchange chips of a player's colour for value chips."""

    colour: str
    pieces: int


@command(Duty.DEAL, signatures=2)
class ReturnColour(TableCommand, frozen=True):
    """Take a colour back from its player, with its chips in the rack counted; two people sign if some are missing."""

    colour: str
    counted: int


@command(Duty.DEAL, Duty.INSPECT, Duty.CASH, signatures=2)
class OpenFloat(TableCommand, frozen=True):
    """Open the float of a live table, by a numbered slip."""

    chips: ChipCount
    slip: str


@command(Duty.DEAL, Duty.INSPECT, Duty.CASH, signatures=2)
class FillFloat(TableCommand, frozen=True):
    """Add chips from the chip bank to a float, by a numbered slip."""

    chips: ChipCount
    slip: str


@command(Duty.DEAL, Duty.INSPECT, Duty.CASH, signatures=2)
class CreditFloat(TableCommand, frozen=True):
    """Return chips from a float to the chip bank, by a numbered slip."""

    chips: ChipCount
    slip: str


@command(Duty.INSPECT, when=(Phase.BETWEEN,))
class CountFloat(TableCommand, frozen=True):
    """Count a float blind: the expected amount is not shown."""

    chips: ChipCount


@command(Duty.INSPECT, when=(Phase.BETWEEN,), signatures=2)
class CloseFloat(TableCommand, frozen=True):
    """Return a counted float to the chip bank."""


# The cashier signs first, and a person with the duty to inspect second.
@command(Duty.CASH, Duty.INSPECT, signatures=2)
class CollectDrop(TableCommand, frozen=True):
    """Empty the drop box of a table, and count the cash in it."""

    counted: Cents


@command(Duty.CASH)
class CashChips(Command, frozen=True):
    """Pay cash from a drawer for value chips."""

    drawer: DrawerId
    amount: Cents
    #: The emblem of chips without a value, if such are presented: only their table redeems them.
    emblem: str = ""


@command(Duty.CASH)
class SellChips(Command, frozen=True):
    """Sell value chips for cash, which goes into a drawer."""

    drawer: DrawerId
    amount: Cents


@command(Duty.INSPECT)
class AcknowledgeNotice(TableCommand, frozen=True):
    """Confirm that the notice at a table shows the limits and odds of its next round, by the notice's digest."""

    digest: str
