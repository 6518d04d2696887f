"""Commands about players with chips: partnerships, marker buttons, arrangements, infringements and adjustments."""

from croupier.house.base import PlayerCommand, TableCommand, command
from croupier.house.ids import Number, PositionId
from croupier.house.settings import LimitSettings
from croupier.rules.procedure import Duty, InfringementKind


@command(Duty.INSPECT)
class LinkPlayers(TableCommand, frozen=True):
    """Note that players bet as partners: a maximum then applies to all of them together."""

    positions: tuple[PositionId, ...]


@command(Duty.INSPECT)
class UnlinkPlayers(TableCommand, frozen=True):
    """End a partnership."""

    group: Number


@command(Duty.INSPECT)
class DesignateMarkers(PlayerCommand, frozen=True):
    """Permit a player to use marker buttons at a table that permits them to some players only, or withdraw that."""

    on: bool


@command(Duty.MANAGE)
class ArrangeVip(TableCommand, frozen=True):
    """Record a written arrangement with players, at terminals or with chips, before their first bet."""

    positions: tuple[PositionId, ...]
    #: Who signed it, and when.
    words: str
    straight_only: bool = True
    #: Limits of their own, if any.
    limits: LimitSettings | None = None
    #: Players who bet straight up only may place marker bets too.
    markers: bool = False


@command(Duty.MANAGE)
class EndArrangement(TableCommand, frozen=True):
    """End a written arrangement with players."""

    arrangement: Number
    words: str


@command(Duty.DEAL)
class NoteInfringement(PlayerCommand, frozen=True):
    """Note that a player has done what the rules forbid."""

    kind: InfringementKind


@command(Duty.DEAL, Duty.INSPECT)
class BarPlayer(PlayerCommand, frozen=True):
    """Refuse further bets of a player; a dealer may after repeated infringements."""

    words: str


@command(Duty.INSPECT)
class AdmitPlayer(PlayerCommand, frozen=True):
    """Take bets of a player again."""


@command(Duty.CORRECT, signatures=2)
class AdjustChips(PlayerCommand, frozen=True):
    """Pay value chips from the float to a player after a dispute, or take them back."""

    amount: int
    words: str
