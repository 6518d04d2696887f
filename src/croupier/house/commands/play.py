"""What a player asks of a terminal: bets, patterns, copies and the credit's unit."""

from croupier.house.base import BETTING_PHASES, Amount, Count, GameCommand, MachineRole, TerminalCommand, command
from croupier.house.ids import TableId
from croupier.rules.geometry import SpotKey


# 7(h)i at Adelaide: the player, and no other person or machine, moves chips.
@command(MachineRole.TERMINAL, when=BETTING_PHASES)
class PlaceBets(GameCommand, frozen=True):
    """Add stakes: each on a spot, or as a call whose amount lies on each of its pieces."""

    bets: tuple[tuple[str, Count], ...]


@command(MachineRole.TERMINAL, when=BETTING_PHASES)
class ChangeBet(GameCommand, frozen=True):
    """Make what lies on a spot a given amount."""

    spot: SpotKey
    stake: Amount


@command(MachineRole.TERMINAL, when=BETTING_PHASES)
class RemoveBets(GameCommand, frozen=True):
    """Take all that lies on some spots."""

    spots: tuple[SpotKey, ...]


@command(MachineRole.TERMINAL, when=BETTING_PHASES)
class MoveBet(GameCommand, frozen=True):
    """Move all that lies on one spot to another."""

    source: SpotKey
    target: SpotKey


@command(MachineRole.TERMINAL, when=BETTING_PHASES)
class UndoBet(GameCommand, frozen=True):
    """Take back the last command that changed the chips; at most back to where betting opened."""


@command(MachineRole.TERMINAL, when=BETTING_PHASES)
class ClearBets(GameCommand, frozen=True):
    """Take all chips back."""


@command(MachineRole.TERMINAL, when=BETTING_PHASES)
class RepeatBets(GameCommand, frozen=True):
    """Bring the layout back to what it was in the last round."""


@command(MachineRole.TERMINAL, when=BETTING_PHASES)
class DoubleBets(GameCommand, frozen=True):
    """Put as much again on every spot."""


@command(MachineRole.TERMINAL, when=BETTING_PHASES)
class PressNeighbours(GameCommand, frozen=True):
    """Spread the last straight up over its neighbours, or raise them once all are there."""


@command(MachineRole.TERMINAL)
class SavePattern(GameCommand, frozen=True):
    """Keep the chips of a game as a pattern, in credits."""

    slot: Count
    override: bool = False


@command(MachineRole.TERMINAL, when=BETTING_PHASES)
class RecallPattern(GameCommand, frozen=True):
    """Show a saved pattern as ghost chips, reduced to what the credits allow."""

    slot: Count


@command(MachineRole.TERMINAL, when=BETTING_PHASES)
class ConfirmRecall(GameCommand, frozen=True):
    """Place the ghost chips."""


@command(MachineRole.TERMINAL)
class CancelRecall(GameCommand, frozen=True):
    """Let the ghost chips go."""


@command(MachineRole.TERMINAL, when=BETTING_PHASES)
class CopyBets(GameCommand, frozen=True):
    """Copy the chips of the other game to this one, spot by spot, where they are more than what lies here."""

    source: TableId


@command(MachineRole.TERMINAL)
class SetAutoCopy(TerminalCommand, frozen=True):
    """Switch on or off that this game's chips are copied to the other at its close."""

    table: TableId
    target: TableId
    on: bool


@command(MachineRole.TERMINAL)
class ChooseDenomination(TerminalCommand, frozen=True):
    """Choose what one credit is worth."""

    denomination: Amount
