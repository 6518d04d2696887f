"""All commands: the unions derived from the declarations."""

from typing import TYPE_CHECKING, Final

from croupier.house.base import COMMANDS, Command, union
from croupier.house.commands import credit, live, liveplayers, play, record, rounds, setup

__all__ = [
    "COMMANDS",
    "DUAL_CONTROL",
    "AnyCommand",
    "DualControlCommand",
    "credit",
    "live",
    "liveplayers",
    "play",
    "record",
    "rounds",
    "setup",
]

#: Commands that two different people on two devices must sign.
DUAL_CONTROL: Final = frozenset(kind for kind, declared in COMMANDS.items() if declared.signatures == 2)  # noqa: PLR2004

if TYPE_CHECKING:
    AnyCommand = Command
    DualControlCommand = Command
else:
    AnyCommand = union(COMMANDS)
    DualControlCommand = union(kind for kind in COMMANDS if kind in DUAL_CONTROL)
