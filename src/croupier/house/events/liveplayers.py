"""Events of players with chips: partnerships, marker buttons, arrangements, infringements and adjustments."""

from croupier.house.base import EventTopic, PlayerEvent, TableEvent, event
from croupier.house.events.live import Advice
from croupier.house.ids import Number, PositionId
from croupier.house.settings import LimitSettings
from croupier.rules.procedure import InfringementKind
from croupier.rules.refusal import ClauseId


@event("Players were linked as partners, group {group}.", EventTopic.STAFF, EventTopic.BETS)
class PlayersLinked(TableEvent, frozen=True):
    """Players bet as partners; former groups of these players are part of this one."""

    group: Number
    positions: tuple[PositionId, ...]
    #: Their bets that are over the maximum together: what lies there, and what counts of it.
    advice: tuple[tuple[PositionId, Advice], ...] = ()


@event("Group {group} of partners ended.", EventTopic.STAFF, EventTopic.BETS)
class PlayersUnlinked(TableEvent, frozen=True):
    """A partnership ended."""

    group: Number


@event("The player at position {position} may use marker buttons: {on}.", EventTopic.STAFF)
class MarkersDesignated(PlayerEvent, frozen=True):
    """A player may use marker buttons where only some players may, or no longer."""

    on: bool


@event("Arrangement {arrangement} was made with players. {words}", EventTopic.STAFF, EventTopic.SIGNIFICANT)
class VipArranged(TableEvent, frozen=True):
    """A written arrangement with players: straight up bets only, limits of their own, or both."""

    arrangement: Number
    positions: tuple[PositionId, ...]
    words: str
    straight_only: bool
    limits: LimitSettings | None
    markers: bool


@event("Arrangement {arrangement} ended. {words}", EventTopic.STAFF, EventTopic.SIGNIFICANT)
class ArrangementEnded(TableEvent, frozen=True):
    """An arrangement with players ended."""

    arrangement: Number
    words: str


@event(
    "Infringement of the player at position {position}: {kind} ({clause}).",
    EventTopic.STAFF,
    EventTopic.INCIDENT,
    EventTopic.SIGNIFICANT,
)
class InfringementNoted(PlayerEvent, frozen=True):
    """A player has done what the rules forbid; with the number of infringements that count."""

    kind: InfringementKind
    clause: ClauseId
    count: int


@event(
    "Bets of the player at position {position} are refused ({clause}). {words}",
    EventTopic.STAFF,
    EventTopic.SIGNIFICANT,
)
class PlayerBarred(PlayerEvent, frozen=True):
    """Further bets of a player are refused."""

    clause: ClauseId
    words: str


@event("Bets of the player at position {position} are taken again.", EventTopic.STAFF, EventTopic.SIGNIFICANT)
class PlayerAdmitted(PlayerEvent, frozen=True):
    """Bets of a player are taken again, and the infringements start from zero."""


@event("Chips for {amount} adjusted at position {position}. {words}", EventTopic.MONEY, EventTopic.SIGNIFICANT)
class ChipsAdjusted(PlayerEvent, frozen=True):
    """Value chips were paid from the float to a player, or taken back if the amount is negative."""

    amount: int
    clause: ClauseId
    words: str
