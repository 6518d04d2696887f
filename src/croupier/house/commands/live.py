"""Commands of a live table: players, colours, chips, bets and payments, the float, the drop box and the notice."""

from enum import StrEnum

from croupier.house.base import (
    BETTING_PHASES,
    SEALED_PHASES,
    ChipCommand,
    Command,
    MachineRole,
    Phase,
    PlayerCommand,
    TableCommand,
    command,
)
from croupier.house.ids import DrawerId, PositionId, RoundNumber
from croupier.rules.geometry import Pocket, SpotKey
from croupier.rules.money import Cents
from croupier.rules.procedure import Duty


class Tender(StrEnum):
    """What a player gives for chips."""

    CASH = "cash"
    #: Chips marked with their value.
    VALUE_CHIPS = "value_chips"


#: How many chips of each denomination.
ChipCount = tuple[tuple[Cents, int], ...]

#: Pieces of each chip: a colour ("blue"), or a value chip ("v500").
ChipPieces = tuple[tuple[str, int], ...]

#: Pieces of one chip on each spot of the layout or of the block ("17/20", "neighbours 17").
ChipBets = tuple[tuple[str, int], ...]

#: The pieces of each chip on a spot: the spot, the chip, and how many.
SpotPieces = tuple[tuple[SpotKey, str, int], ...]


class Manner(StrEnum):
    """How chips came to lie on the layout."""

    PLACED = "placed"
    #: Placed by the dealer for the player, who is responsible for their position.
    ASSISTED = "assisted"
    #: Announced by the player, with chips, and in time for the dealer to place them.
    VERBAL = "verbal"


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


@command(MachineRole.SYSTEM, Duty.DEAL, Duty.INSPECT, Duty.CASH, signatures=2)
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


@command(Duty.INSPECT, when=(Phase.BETWEEN, Phase.OPEN, Phase.OPEN_RUNNING, Phase.LAST_CALL))
class DeclareGap(TableCommand, frozen=True):
    """Declare that play with chips went on without a record: what lies on the layout by the record no longer counts."""

    words: str


@command(Duty.INSPECT, signatures=2)
class CloseGap(TableCommand, frozen=True):
    """Close a gap in the record by a count: the rack of each player's colour, and the value chips in the tray.

    The difference from the record is what the unrecorded play has won. Chips on the layout are then entered as bets.
    """

    racks: ChipPieces
    chips: ChipCount
    #: The numbers of the unrecorded spins, as far as they are known.
    numbers: tuple[Pocket, ...]
    words: str


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


@command(MachineRole.SYSTEM, Duty.INSPECT)
class AcknowledgeNotice(TableCommand, frozen=True):
    """Confirm that the notice at a table shows the limits and odds of its next round, by the notice's digest."""

    digest: str


# A terminal's chips are moved by its player only, and those on a table's layout are recorded by its dealer. The
# commands differ in who may send them; the bets are the same.
@command(Duty.DEAL, when=BETTING_PHASES)
class PlaceChips(ChipCommand, frozen=True):
    """Record that a player added pieces of one chip: each on a spot of the layout, or of the block for markers."""

    bets: ChipBets
    chip: str
    manner: Manner = Manner.PLACED
    #: For a verbal bet: whether the chips for it lie on the table.
    chips_down: bool = True


@command(Duty.DEAL, when=BETTING_PHASES)
class ChangeChips(ChipCommand, frozen=True):
    """Set the number of pieces of one chip on a spot."""

    spot: SpotKey
    chip: str
    pieces: int


# 12(c), 12(d) at Adelaide: a winning bet may be taken once its segment, or all, is paid.
@command(Duty.DEAL, when={*BETTING_PHASES, Phase.PAYING, Phase.BETWEEN})
class RemoveChips(ChipCommand, frozen=True):
    """Record that a player withdrew all pieces from some spots."""

    spots: tuple[SpotKey, ...]


@command(Duty.DEAL, when=BETTING_PHASES)
class MoveChips(ChipCommand, frozen=True):
    """Move all pieces of a player on one spot to another."""

    source: SpotKey
    target: SpotKey


@command(Duty.DEAL, when=BETTING_PHASES)
class UndoChips(ChipCommand, frozen=True):
    """Undo the last change of a player's chips, back to the opening of betting at most."""


@command(Duty.DEAL, when=BETTING_PHASES)
class ClearChips(ChipCommand, frozen=True):
    """Record that a player withdrew all chips."""


@command(Duty.DEAL, when=SEALED_PHASES)
class ReturnLate(PlayerCommand, frozen=True):
    """Record that chips placed after the close went back at once; the spin stands."""

    bets: ChipBets
    chip: str


# 6(i), 6(j) at Adelaide: nothing is placed after the close, and a bet is settled by its position when the ball rests.
@command(Duty.DEAL, Duty.INSPECT, Duty.CORRECT, when=SEALED_PHASES, signatures=2)
class AmendSeal(PlayerCommand, frozen=True, omit_defaults=True):
    """Correct the sealed layout of a player by what lies there: the pieces of each named chip on each named spot.

    One of the two who sign has the duty to inspect. Once the number can be seen, the other has the duty to correct.
    """

    pieces: SpotPieces
    words: str
    #: Who saw the chips there before the close, or which recording shows them; required once the number can be seen.
    sighting: str = ""
    #: The round and spin that is meant; the first signature sets them.
    round: RoundNumber | None = None
    spin: int | None = None


@command(Duty.DEAL, when={Phase.PAYING, Phase.BETWEEN})
class PlaceDolly(TableCommand, frozen=True):
    """Record that the dealer placed the dolly, or crown, on the number of a round: chips are collected and paid then.

    A confirmation that names the dolly records it too. After a correction it is placed on the corrected number.
    """

    round: RoundNumber
    pocket: Pocket


@command(Duty.DEAL, when={Phase.PAYING})
class CollectLosers(TableCommand, frozen=True):
    """Record that the dealer collected all losing bets of a round."""

    round: RoundNumber


@command(Duty.DEAL)
class PaySegment(TableCommand, frozen=True):
    """Record that the dealer paid a segment of the layout, to all its winners or to one.

    A segment is an outside box by its spot, "inside", "returns" for change, or "correction" for what a correction of
    the number has added.
    """

    round: RoundNumber
    segment: str
    position: PositionId | None = None
    #: Other chips of the same value than those proposed, for one position.
    handed: ChipPieces = ()


@command(Duty.DEAL, when={Phase.PAYING})
class RecordWinner(PlayerCommand, frozen=True):
    """Record a winning bet at a table that does not record all bets: pieces of one chip on each spot."""

    round: RoundNumber
    bets: ChipBets
    chip: str


@command(Duty.DEAL, when={Phase.PAYING})
class FinishPaying(TableCommand, frozen=True):
    """Record that every winning bet is paid, at a table that does not record all bets."""

    round: RoundNumber


@command(Duty.DEAL)
class SettleOwed(PlayerCommand, frozen=True):
    """Take chips of a player for a debt that a correction has caused."""

    chip: str
    pieces: int
