"""Commands of a player: bets, patterns, copies and the denomination; limits of their own, breaks and calls."""

from enum import StrEnum

from croupier.house.base import BETTING_PHASES, Amount, Count, GameCommand, MachineRole, TerminalCommand, command
from croupier.house.ids import TableId
from croupier.rules.geometry import SpotKey
from croupier.rules.procedure import Duty


# 7(h)i at Adelaide: the player, and no other person or machine, moves chips.
@command(MachineRole.TERMINAL, when=BETTING_PHASES)
class PlaceBets(GameCommand, frozen=True):
    """Add stakes: each on a spot, or as a call whose amount lies on each of its pieces."""

    bets: tuple[tuple[str, Count], ...]


@command(MachineRole.TERMINAL, when=BETTING_PHASES)
class ChangeBet(GameCommand, frozen=True):
    """Set the stake on a spot to an amount."""

    spot: SpotKey
    stake: Amount


@command(MachineRole.TERMINAL, when=BETTING_PHASES)
class RemoveBets(GameCommand, frozen=True):
    """Remove the stakes on some spots."""

    spots: tuple[SpotKey, ...]


@command(MachineRole.TERMINAL, when=BETTING_PHASES)
class MoveBet(GameCommand, frozen=True):
    """Move the stake on one spot to another."""

    source: SpotKey
    target: SpotKey


@command(MachineRole.TERMINAL, when=BETTING_PHASES)
class UndoBet(GameCommand, frozen=True):
    """Undo the last command that changed the chips, back to the opening of betting at most."""


@command(MachineRole.TERMINAL, when=BETTING_PHASES)
class ClearBets(GameCommand, frozen=True):
    """Remove all chips."""


@command(MachineRole.TERMINAL, when=BETTING_PHASES)
class RepeatBets(GameCommand, frozen=True):
    """Place the bets of the last round again."""


@command(MachineRole.TERMINAL, when=BETTING_PHASES)
class DoubleBets(GameCommand, frozen=True):
    """Double the stake on every spot."""


@command(MachineRole.TERMINAL, when=BETTING_PHASES)
class PressNeighbours(GameCommand, frozen=True):
    """Spread the last straight up over its neighbours, or raise them once all are there."""


@command(MachineRole.TERMINAL)
class SavePattern(GameCommand, frozen=True):
    """Save the chips of a game as a pattern, in credits."""

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
    """Cancel a recall: the ghost chips are removed."""


@command(MachineRole.TERMINAL, when=BETTING_PHASES)
class CopyBets(GameCommand, frozen=True):
    """Copy the chips of the other game to this one, spot by spot, where its stake is higher."""

    source: TableId


@command(MachineRole.TERMINAL)
class SetAutoCopy(TerminalCommand, frozen=True):
    """Switch auto copy on or off: at the close, this game's chips are copied to the other."""

    table: TableId
    target: TableId
    on: bool


@command(MachineRole.TERMINAL)
class ChooseDenomination(TerminalCommand, frozen=True):
    """Choose the denomination: the value of one credit."""

    denomination: Amount


class CallReason(StrEnum):
    """What a player calls an attendant about."""

    BET = "bet"
    MONEY = "money"
    SCREEN = "screen"
    OTHER = "other"


@command(MachineRole.TERMINAL)
class CallAttendant(TerminalCommand, frozen=True):
    """Call an attendant to a terminal, or say what an open call is about."""

    reason: CallReason = CallReason.OTHER


@command(MachineRole.TERMINAL)
class WithdrawCall(TerminalCommand, frozen=True):
    """Take back a call for an attendant."""


@command(Duty.INSPECT)
class AnswerCall(TerminalCommand, frozen=True):
    """Answer a player's call for an attendant: the terminal shows that somebody comes."""

    words: str = ""


@command(MachineRole.TERMINAL)
class SetPlayLimits(TerminalCommand, frozen=True):
    """Set the player's own limits of this session: the most to lose, and the minutes to play. They can be tightened."""

    loss: Amount | None = None
    minutes: Count | None = None


@command(MachineRole.TERMINAL)
class TakeBreak(TerminalCommand, frozen=True):
    """Take a break of some minutes: the terminal accepts no bets until it is over."""

    minutes: Count


@command(Duty.INSPECT)
class EndBreak(TerminalCommand, frozen=True):
    """End a break at a terminal, for another player."""
