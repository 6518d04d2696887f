"""The shape of a configuration: what an operator has said about a venue, read and found to hold together."""

from dataclasses import dataclass, field
from datetime import time
from enum import StrEnum
from pathlib import Path

from croupier.house.device import DeviceKind
from croupier.house.name import DeviceId, PersonId, TableId, TerminalId
from croupier.house.settings import RECORDS_KEPT, Mode, TableSettings, TerminalSettings
from croupier.rules.rulebook import Rulebook


class Level(StrEnum):
    """The least that is written into the log."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Tls:
    """The files that prove to a browser whom it talks to."""

    certificate: Path
    key: Path


@dataclass(frozen=True, slots=True)
class Listen:
    """Where browsers find the house."""

    host: str = "127.0.0.1"
    port: int = 8080
    #: Origins besides the house's own whose pages may open a door.
    origins: tuple[str, ...] = ()
    #: None where pages are given without TLS.
    tls: Tls | None = None
    #: Where the metrics are told; on the house's own port where there is none.
    metrics_host: str = "127.0.0.1"
    metrics_port: int | None = None


@dataclass(frozen=True, slots=True)
class TableConfig:
    """A table that is to stand in the house."""

    id: TableId
    rulebook: Rulebook
    settings: TableSettings = field(default_factory=TableSettings)
    #: From the launch of a random wheel's ball until it rests, in whole seconds.
    spin_s: int = 9


@dataclass(frozen=True, slots=True)
class TerminalConfig:
    """A terminal that is to stand at one table, or at two."""

    id: TerminalId
    tables: tuple[TableId, ...]
    settings: TerminalSettings = field(default_factory=TerminalSettings)


@dataclass(frozen=True, slots=True)
class Console:
    """A screen of the staff's, and what it is for."""

    id: DeviceId
    role: DeviceKind


@dataclass(frozen=True, slots=True)
class Member:
    """A member of staff."""

    person: PersonId
    titles: tuple[str, ...] = ()
    #: What they sign in with, in a demonstration alone.
    secret: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Approval:
    """A version of the game system that an authority has approved, and its reference for that."""

    version: str
    reference: str


@dataclass(frozen=True, slots=True)
class DoorLimits:
    """How much one door may ask for, and how many doors there may be."""

    commands_per_s: int = 20
    commands_burst: int = 40
    doors_most: int = 12_000


@dataclass(frozen=True, slots=True)
class Players:
    """What screens do for those who play."""

    #: After so many minutes of play a player is reminded of a break; 0 reminds nobody.
    break_minutes: int = 0


@dataclass(frozen=True, slots=True)
class Log:
    """Where the log goes: None is the screen."""

    path: Path | None = None
    level: Level = Level.INFO
    keep_days: int = 30
    #: How large all files of the log may be together, in megabytes.
    keep_mb: int = 200


@dataclass(frozen=True, slots=True)
class Keep:
    """What is kept of backups."""

    #: How many backups; the oldest goes when a new one is there.
    backups: int = 14


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """One venue, as its operator wants it."""

    venue: str
    data: Path
    safe: Path
    mode: Mode = Mode.DEMO
    timezone: str = "UTC"
    day_begins: time = time(6)
    #: How many gaming days a slip or ticket can be redeemed; None where it never lapses.
    ticket_days: int | None = None
    #: How many closed tickets, cases and incidents stay in memory and in snapshots.
    records_kept: int = RECORDS_KEPT
    #: Where heads of the journal are sent; None where there is no witness.
    witness: str | None = None
    listen: Listen = Listen()
    tables: tuple[TableConfig, ...] = ()
    #: The seats of the tables first, and then those that were named one by one.
    terminals: tuple[TerminalConfig, ...] = ()
    consoles: tuple[Console, ...] = ()
    staff: tuple[Member, ...] = ()
    approvals: tuple[Approval, ...] = ()
    players: Players = Players()
    limits: DoorLimits = DoorLimits()
    log: Log = Log()
    keep: Keep = Keep()

    def devices(self) -> tuple[tuple[DeviceId, DeviceKind], ...]:
        """List the terminals and the screens of the staff, each with what it is there for."""
        terminals = ((DeviceId(each.id), DeviceKind.TERMINAL) for each in self.terminals)
        return (*terminals, *((each.id, each.role) for each in self.consoles))
