"""A live table: its players with chips, its colours, its float and its drop box."""

from dataclasses import dataclass, field

from croupier.house.ids import PositionId


@dataclass(slots=True)
class ChipFunding:
    """A player who bets with chips."""

    #: How staff refer to the player; empty if the owner is not recorded.
    label: str = ""
    #: The colours of the player, in the order of allocation.
    colours: list[str] = field(default_factory=list)
    #: One more colour may be allocated.
    second_colour_approved: bool = False


@dataclass(slots=True)
class Colour:
    """The chips of one colour of a table's set. They have a value only while a player has the colour."""

    pieces_in_set: int
    position: PositionId | None = None
    value: int = 0
    #: The pieces with the player or on the layout; None if not every bet is recorded.
    out: int | None = 0
    #: The value of the pieces that were bought and not redeemed, which the ledger has as chips in players' hands.
    booked: int = 0


@dataclass(slots=True)
class Float:
    """The value chips in a table's tray."""

    opened: int = 0
    fills: int = 0
    credits: int = 0
    #: The amount by the recorded movements.
    booked: int = 0
    #: The last blind count; None after a movement.
    counted: int | None = None


@dataclass(slots=True)
class LiveTable:
    """What a table has for players with chips."""

    players: dict[PositionId, ChipFunding] = field(default_factory=dict)
    colours: dict[str, Colour] = field(default_factory=dict)
    #: None while it is closed.
    float_: Float | None = None
    #: The cash in the drop box.
    drop: int = 0
    #: The digest of the notice that staff have checked.
    notice: str = ""
    #: What counts have added to the house's win: differences at a table that does not record every bet.
    counted_win: int = 0
