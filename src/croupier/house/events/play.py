"""Events of a terminal: chips, patterns, copies and the denomination; limits of a player, breaks and calls."""

from enum import StrEnum

from croupier.house.base import EventTopic, PositionEvent, TerminalEvent, event
from croupier.house.commands.play import CallReason
from croupier.house.ids import Instant, RoundNumber, TableId
from croupier.rules.geometry import Pocket, SpotKey
from croupier.rules.money import Cents
from croupier.rules.refusal import ClauseId
from croupier.rules.rulebook import Stakes


class BetChange(StrEnum):
    """The kind of a change of bets."""

    PLACE = "place"
    CHANGE = "change"
    REMOVE = "remove"
    MOVE = "move"
    UNDO = "undo"
    CLEAR = "clear"
    REPEAT = "repeat"
    DOUBLE = "double"
    NEIGHBOURS = "neighbours"
    RECALL = "recall"
    COPY = "copy"
    AUTO_COPY = "auto_copy"
    #: The house returned chips that were not played.
    RETURN = "return"


@event("Chips: {how}, so that there lie {stakes}.", EventTopic.BETS)
class BetsChanged(PositionEvent, frozen=True):
    """Chips of a position were placed, moved or removed: the new stake on each changed spot.

    It is flat, and the garbage collector does not track it: nearly all entries of a journal are of this type.
    """

    round: RoundNumber
    how: BetChange
    spots: tuple[SpotKey, ...]
    #: As many as there are spots, in their order.
    amounts: tuple[int, ...]
    #: For the Neighbors button: the number it spreads from and the chip it adds.
    spread_from: Pocket | None = None
    spread_chip: int = 0

    @property
    def spread(self) -> tuple[Pocket, int] | None:
        """What the Neighbors button begins with, if this change sets it."""
        return None if self.spread_from is None else (self.spread_from, self.spread_chip)

    @property
    def stakes(self) -> Stakes:
        """What lies on each spot that was touched."""
        return dict(zip(self.spots, self.amounts, strict=True))


class ReturnReason(StrEnum):
    """Why chips were returned to their player without being played."""

    OFFLINE_AT_CLOSE = "dark_at_close"
    TOO_LITTLE_RISK = "too_little_risk"
    UNDER_MINIMUM = "under_minimum"
    UNDER_TOTAL = "under_total"
    MALFUNCTION = "malfunction"
    NEW_TERMS = "new_terms"
    OUT_OF_SERVICE = "out_of_service"
    #: The player takes a break, or the player's own time is over.
    PAUSED = "paused"
    #: The player was barred before the round.
    BARRED = "barred"


@event("Chips went back unplayed from {spots}: {why}.", EventTopic.BETS)
class BetsReturned(PositionEvent, frozen=True):
    """Chips of a position were returned to its player without being played; with the reason and its clause."""

    round: RoundNumber
    why: ReturnReason
    clause: ClauseId
    spots: tuple[SpotKey, ...]


@event("Nothing was copied from {source} to {target}: {code}.", EventTopic.BETS)
class AutoCopyRefused(TerminalEvent, frozen=True):
    """The automatic copy at the close was refused."""

    source: TableId
    target: TableId
    code: str
    clause: ClauseId | None


@event("The chips were saved as pattern {slot}.", EventTopic.BETS)
class PatternSaved(TerminalEvent, frozen=True):
    """The chips of a game were saved as a pattern, in credits."""

    slot: int
    pattern: tuple[tuple[SpotKey, int], ...]


@event("Pattern {slot} is shown.", EventTopic.BETS)
class PatternRecalled(TerminalEvent, frozen=True):
    """A pattern was recalled as ghost chips; it is not staked yet."""

    table: TableId
    slot: int
    ghosts: tuple[tuple[SpotKey, int], ...]


@event("The pattern is shown no longer.", EventTopic.BETS)
class RecallCancelled(TerminalEvent, frozen=True):
    """A recall was cancelled: its ghost chips were removed."""


@event("Auto copy to {target} is on: {on}.", EventTopic.BETS)
class AutoCopySet(TerminalEvent, frozen=True):
    """Auto copy was switched on or off."""

    table: TableId
    target: TableId
    on: bool


@event("One credit is worth {denomination}.", EventTopic.BETS)
class DenominationChosen(TerminalEvent, frozen=True):
    """The denomination was chosen: the value of one credit."""

    denomination: Cents


@event("An attendant was called: {reason}.", EventTopic.STAFF)
class AttendantCalled(TerminalEvent, frozen=True):
    """A player called an attendant, or said what the call is about."""

    reason: CallReason


@event("The call for an attendant was taken back.", EventTopic.STAFF)
class CallWithdrawn(TerminalEvent, frozen=True):
    """A player took back a call for an attendant."""


@event("The call for an attendant was answered. {words}", EventTopic.STAFF)
class CallAnswered(TerminalEvent, frozen=True):
    """Staff answered a call for an attendant."""

    words: str


@event("The player's own limits: loss {loss}, minutes {minutes}.", EventTopic.BETS)
class PlayLimitsSet(TerminalEvent, frozen=True):
    """A player set limits of their own for this session; None for no limit."""

    loss: Cents | None
    minutes: int | None


class PauseReason(StrEnum):
    """Why a terminal accepts no bets of its player."""

    BREAK = "break"
    #: The time that the player had set is over: until the session ends.
    TIME = "time"


@event("Play is paused: {why}.", EventTopic.BETS)
class PlayPaused(TerminalEvent, frozen=True):
    """A player takes a break, or the player's own time is over."""

    why: PauseReason
    until: Instant | None = None


@event("Play may go on.", EventTopic.BETS)
class PlayResumed(TerminalEvent, frozen=True):
    """A break is over, or staff ended it."""
