"""What staff are told of the floor, beyond what everybody sees of its tables."""

import msgspec
from msgspec import UNSET, UnsetType

from croupier.house.name import TableId


class SeatRow(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A seat as staff see it."""

    terminal: str
    credit: int
    staked: int
    dark: bool
    closed: bool
    case: int | None
    held: int
    idle: int


class Takings(msgspec.Struct, frozen=True, gc=False):
    """What a table has taken since it was set up, for those who answer for it."""

    turnover: int
    #: What the house has won; below nothing where it has lost.
    won: int
    rounds: int


class FloorTable(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A table as staff see it, beyond what everybody does."""

    #: A number that awaits the dealer's word.
    reported: str | None
    staked: int
    seats: tuple[SeatRow, ...]
    takings: Takings | None


class IncidentRow(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """Something for staff to see to."""

    incident: int
    kind: str
    subject: str
    clause: str | None
    words: str
    at_us: int


class ProposalRow(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A first signature that waits for the second."""

    proposal: int
    command: object
    person: str
    device: str
    expires_at_us: int


class DrawerRow(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A drawer and who has it; never what should be in it, as it is counted blind."""

    drawer: str
    person: str
    counted: int | None


class FloorState(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """What staff see beyond the tables. In a delta what is missing has not changed."""

    tables: dict[TableId, FloorTable] | UnsetType = UNSET
    incidents: tuple[IncidentRow, ...] | UnsetType = UNSET
    proposals: tuple[ProposalRow, ...] | UnsetType = UNSET
    drawers: tuple[DrawerRow, ...] | UnsetType = UNSET
