"""What a player asks of a terminal: bets, patterns, copies and the credit's unit."""

from croupier.house.base import Amount, Count, GameCommand, TerminalCommand
from croupier.house.ids import TableId
from croupier.rules.geometry import SpotKey


class PlaceBets(GameCommand, frozen=True):
    """Add stakes: each on a spot, or as a call whose amount lies on each of its pieces."""

    bets: tuple[tuple[str, Count], ...]


class ChangeBet(GameCommand, frozen=True):
    """Make what lies on a spot a given amount."""

    spot: SpotKey
    stake: Amount


class RemoveBets(GameCommand, frozen=True):
    """Take all that lies on some spots."""

    spots: tuple[SpotKey, ...]


class MoveBet(GameCommand, frozen=True):
    """Move all that lies on one spot to another."""

    source: SpotKey
    target: SpotKey


class UndoBet(GameCommand, frozen=True):
    """Take back the last command that changed the chips; at most back to where betting opened."""


class ClearBets(GameCommand, frozen=True):
    """Take all chips back."""


class RepeatBets(GameCommand, frozen=True):
    """Bring the layout back to what it was in the last round."""


class DoubleBets(GameCommand, frozen=True):
    """Put as much again on every spot."""


class PressNeighbours(GameCommand, frozen=True):
    """Spread the last straight up over its neighbours, or raise them once all are there."""


class SavePattern(GameCommand, frozen=True):
    """Keep the chips of a game as a pattern, in credits."""

    slot: Count
    override: bool = False


class RecallPattern(GameCommand, frozen=True):
    """Show a saved pattern as ghost chips, reduced to what the credits allow."""

    slot: Count


class ConfirmRecall(GameCommand, frozen=True):
    """Place the ghost chips."""


class CancelRecall(GameCommand, frozen=True):
    """Let the ghost chips go."""


class CopyBets(GameCommand, frozen=True):
    """Copy the chips of the other game to this one, spot by spot, where they are more than what lies here."""

    source: TableId


class SetAutoCopy(TerminalCommand, frozen=True):
    """Switch on or off that this game's chips are copied to the other at its close."""

    table: TableId
    target: TableId
    on: bool


class ChooseDenomination(TerminalCommand, frozen=True):
    """Choose what one credit is worth."""

    denomination: Amount
