"""The start: a house on a data directory, proven, read back and recovered, with room kept back for bad days."""

from collections.abc import Callable
from pathlib import Path

from croupier.engine.archive import EXCHANGE, RESTORING, open_archive
from croupier.engine.clock import SystemClock
from croupier.engine.handover import Check, Override, go_on, read_back
from croupier.engine.port import Outbox, Ports
from croupier.engine.run import Run
from croupier.house.state import House
from croupier.journal.reserve import Reserve
from croupier.journal.safe import Safe
from croupier.rulebooks.canonical import read_canonical

#: Makes the world for a house that was read back, and is told whether the disk has room. What it raises stops the
#: start before anything is written.
Equip = Callable[[House, Callable[[], bool]], Ports]


def start(data: Path, safe: Safe, outbox: Outbox, older: Override | None = None) -> Run:
    """Start the house by this machine's clock, with nobody at its doors."""
    return equipped(data, safe, lambda house, room: Ports(SystemClock(house.now), outbox, has_room=room), older)


def equipped(data: Path, safe: Safe, equip: Equip, older: Override | None = None, check: Check = go_on) -> Run:
    """Start the house; JournalFault where its journal is not what was written, and then no entry was added to it."""
    # Before anything is opened: what it gives up on a full disk, the recovery can be written with.
    reserve = Reserve(data)
    archive = open_archive(data, safe)
    try:
        handover = read_back(archive, read_canonical, older, check)
        check()
        run = Run(archive, handover, equip(handover.house, reserve.has_room))
    except BaseException:
        archive.close()
        raise
    # A restore that was cut short when its journal was in place is complete with the first start on that.
    data.joinpath(RESTORING, EXCHANGE).unlink(missing_ok=True)
    return run
