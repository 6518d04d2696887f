"""Answers: what upkeep did and found, as values that also go through the control socket."""

from typing import Literal

import msgspec

from croupier.house.blocker import Blocker
from croupier.house.name import Day, Instant


class Answer(msgspec.Struct, frozen=True, tag_field="answer", tag=str.lower):
    """What comes of asking for upkeep."""


class BackedUp(Answer, frozen=True):
    """A backup was made, proven and signed."""

    path: str
    made_at: Instant
    software: str
    #: The last entry that is in it, the epoch that wrote it, and the digest of all up to it.
    position: int
    epoch: int
    head: str
    #: Older backups that were removed for it; and why none could be, where one should have been.
    removed: tuple[str, ...] = ()
    crowded: str = ""


class Verified(Answer, frozen=True):
    """Every file of the software, and of all that it stands on, is what was installed."""

    distributions: int
    files: int


class Unverified(Answer, frozen=True):
    """There is nothing that the software could be held against."""

    why: str


class Difference(msgspec.Struct, frozen=True):
    """One file that is not as it was installed."""

    how: Literal["changed", "missing", "added"]
    file: str
    distribution: str


class Differs(Answer, frozen=True):
    """The software is not what was installed."""

    files: tuple[Difference, ...]


Verdict = Verified | Unverified | Differs


class Reloaded(Answer, frozen=True):
    """The settings were read again; what came of it, a line each."""

    lines: tuple[str, ...] = ()


class TableStatus(msgspec.Struct, frozen=True):
    """How a table is doing: its round, and why it cannot play."""

    table: str
    rulebook: str
    phase: str
    #: The round that is running, or the last.
    round: int
    running: bool
    terminals: int
    blocked: tuple[Blocker, ...] = ()


class LastBackup(msgspec.Struct, frozen=True):
    """The last backup that is known of."""

    path: str
    made_at: Instant
    position: int


class Status(Answer, frozen=True):
    """How a system that runs is doing."""

    software: str
    epoch: int
    #: The last entry that was kept.
    position: int
    day: Day
    #: What somebody should know or see to, a line each.
    remarks: tuple[str, ...] = ()
    mode: str = ""
    #: When the house was asked, and since when it has been open.
    now: Instant = Instant(0)
    open_since: Instant = Instant(0)
    tables: tuple[TableStatus, ...] = ()
    #: Connections by the kind of device.
    connections: dict[str, int] = {}
    #: Incidents that wait for somebody, in words, the newest first; and how many more there are.
    incidents: tuple[str, ...] = ()
    incidents_more: int = 0
    backup: LastBackup | None = None
    #: The last entry that stands under a signature, and the last in a snapshot.
    signed: int = 0
    snapshot: int = 0
    #: How much of the journal the scrubber has proven: the last gaming day on which it reached the end.
    proven_on: Day = Day(0)
    #: Free bytes, by what is kept on the disk.
    disk_free: dict[str, int] = {}


class Exported(Answer, frozen=True):
    """A part of the journal was exported to a file, from entry first to last; the client fetches it."""

    path: str
    first: int
    last: int
    checkpoints: int


class DeviceFound(Answer, frozen=True):
    """Whether the house has a device, and what that is there for where the configuration says so."""

    known: bool
    kind: str = ""


class Declined(Answer, frozen=True):
    """It was not done, and why."""

    says: str


AnyAnswer = BackedUp | Verified | Unverified | Differs | Reloaded | Status | Exported | DeviceFound | Declined
