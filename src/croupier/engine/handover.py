"""The handover: the house as the journal gives it, proven and read back at a start."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from croupier.engine.archive import Archive
from croupier.engine.keys import Keys
from croupier.engine.replay import carry_out, uncollected
from croupier.engine.state import StateError, decode_state, schema
from croupier.engine.ticketindex import TicketIndex
from croupier.house.command.venue import AcceptHistory
from croupier.house.name import PersonId
from croupier.house.state import House, Reader
from croupier.journal.anchor import check_anchor, check_fence
from croupier.journal.fault import Breach, NothingLost, RolledBack
from croupier.journal.page import BEGINNING, Mark
from croupier.journal.proof import last_signed, of_this_venue, proven
from croupier.journal.snapshot import SnapshotError, unseal


@dataclass(slots=True)
class Handover:
    """A house as it was left, the keys it has answered, and where its journal ends."""

    house: House
    keys: Keys
    mark: Mark = BEGINNING
    #: How many entries were carried out, beyond what a snapshot gave.
    replayed: int = 0
    #: Why a snapshot that is there was left aside.
    ignored: str = ""
    #: What two people accept, where the journal is an older copy.
    accepts: AcceptHistory | None = None


#: Called now and then while a house is read back: what it raises stops the start before anything is written.
Check = Callable[[], None]


class Override(NamedTuple):
    """Two people who have the house go on from an older copy of its journal, and why."""

    people: tuple[PersonId, PersonId]
    words: str


def go_on() -> None:
    """Let a start go on: there is nobody who could stop it."""


def read_back(archive: Archive, reader: Reader, older: Override | None = None, check: Check = go_on) -> Handover:
    """Prove and read what was kept; JournalFault where it is not what was written, and then nobody may go on.

    From a journal that is whole and merely ends too early, two people may: whether these two, the house says. The check
    is called for every page that is read.
    """
    lost = _lost(archive, older)
    check_fence(archive.store, archive.anchor.read(), archive.signer)
    with uncollected():
        handover = _read(archive, reader, check)
    handover.accepts = None if older is None else AcceptHistory(lost, *older)
    return handover


def _lost(archive: Archive, older: Override | None) -> int:
    """Tell how many entries are missing from an older copy that somebody wants to go on from."""
    try:
        check_anchor(archive.store, archive.anchor.read())
    except RolledBack as fault:
        if older is None or not fault.lost:
            raise
        return fault.lost
    last = archive.store.last()
    if older is not None and last is not None and archive.anchor.read().mark.position < last.last:
        # The anchor is itself an older copy, and cannot say what came after the journal's end.
        return 1
    if older is not None:
        raise NothingLost("nothing is lost: this is the journal that was last written, and it needs nobody's word")
    return 0


def _read(archive: Archive, reader: Reader, check: Check) -> Handover:
    try:
        return _go_on(archive, _from_snapshot(archive, reader), check)
    except (SnapshotError, StateError, Breach) as error:
        # A snapshot that nothing can be carried out on is no reason to doubt the journal.
        return _go_on(archive, _from_nothing(archive, reader, str(error)), check)


def _go_on(archive: Archive, handover: Handover, check: Check) -> Handover:
    """Prove the journal from the last signature before what is known, and carry out what came after that."""
    verifier, known = archive.signer.verifier, handover.mark
    for sheet in proven(archive.store, verifier, last_signed(archive.store, verifier, known)):
        check()
        handover.mark = sheet.page.mark
        of_this_venue(archive.signer, sheet.page)
        if sheet.page.number > known.page:
            for entry in sheet.entries:
                carry_out(handover.house, entry)
                handover.keys.learn(entry)
            handover.replayed += len(sheet.entries)
            store_retired(archive.tickets, handover.house)
            handover.house.retired.clear()
    return handover


def store_retired(tickets: TicketIndex | None, house: House) -> None:
    """Store what has left the state in the index of closed tickets."""
    if tickets is not None and house.retired:
        tickets.add(house.retired.values(), house.tickets_retired)


def _from_nothing(archive: Archive, reader: Reader, ignored: str = "") -> Handover:
    """Begin before the first entry."""
    if archive.tickets is not None:
        archive.tickets.cut(0)
    return Handover(House(reader), Keys(), ignored=ignored)


def _from_snapshot(archive: Archive, reader: Reader) -> Handover:
    """Take what the last snapshot gives, where there is one and it is of this journal."""
    kept = archive.snapshots.load()
    if kept is None:
        return _from_nothing(archive, reader)
    snapshot = unseal(kept, archive.signer.verifier, schema())
    page = archive.store.page(snapshot.mark.page)
    if page is None or page.mark != snapshot.mark:
        raise SnapshotError("it is of another journal")
    house, keys = decode_state(snapshot.state)
    house.read_rulebook = reader
    if archive.tickets is not None and not archive.tickets.cut(house.tickets_retired):
        raise SnapshotError("the index of closed tickets is incomplete")
    return Handover(house, keys, snapshot.mark)
