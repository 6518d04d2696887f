"""The start: a house on a data directory, proven, read back and recovered, with room kept back for bad days."""

from pathlib import Path

from croupier.engine.archive import Archive, open_archive
from croupier.engine.clock import SystemClock
from croupier.engine.handover import Override, read_back
from croupier.engine.port import Outbox, Ports
from croupier.engine.run import Run
from croupier.engine.software import software
from croupier.journal.reserve import Reserve
from croupier.journal.safe import Safe
from croupier.rulebooks.canonical import read_canonical


def start(data: Path, safe: Safe, outbox: Outbox, older: Override | None = None) -> Run:
    """Start the house; JournalFault where its journal is not what was written, and then no entry was added to it."""
    # Before anything is opened: what it gives up on a full disk, the recovery can be written with.
    reserve = Reserve(data)
    archive = open_archive(data, safe)
    try:
        return _run(archive, reserve, outbox, older)
    except BaseException:
        archive.close()
        raise


def _run(archive: Archive, reserve: Reserve, outbox: Outbox, older: Override | None) -> Run:
    handover = read_back(archive, read_canonical, software(), older)
    clock = SystemClock(handover.house.now)
    return Run(archive, handover, Ports(clock, outbox, has_room=reserve.has_room), software())
