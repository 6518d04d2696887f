"""The audit: a journal read from its first entry, with every digest, signature, account and meter held against it."""

from collections.abc import Iterator
from typing import Final

import msgspec

from croupier.engine.replay import carry_out, uncollected
from croupier.house.fingerprint import fingerprint
from croupier.house.soundness import unsound
from croupier.house.state import House, Reader
from croupier.journal.anchor import Anchored, check_anchor, check_fence
from croupier.journal.chain import Sheet, follow
from croupier.journal.entry import Entry
from croupier.journal.fault import Damaged
from croupier.journal.page import BEGINNING
from croupier.journal.proof import of_this_venue, proven, signed
from croupier.journal.signature import Signer, Verifier
from croupier.journal.store import Store

#: The books are looked at after so many entries at the latest, and at the end.
BOOKS_EVERY: Final = 5_000


class Findings(msgspec.Struct, frozen=True):
    """What an audit found: the journal is whole, its books are sound, and this is what it gives."""

    entries: int
    pages: int
    epochs: int
    checkpoints: int
    #: The last entry that stands under a signature.
    signed_to: int
    #: The digest of the chain, and of the state that it gives.
    head: str
    state: str


def audit(
    store: Store,
    verifier: Verifier,
    reader: Reader,
    anchored: Anchored | None = None,
    signer: Signer | None = None,
) -> Findings:
    """Read everything; Damaged names the first entry that is wrong.

    Without an anchor an older copy passes, and without the venue's key what stands under no signature may be anybody's.
    """
    if anchored is not None:
        check_anchor(store, anchored)
    check_fence(store, anchored, signer)
    house, last = House(reader), BEGINNING
    with uncollected():
        for sheet in sound_sheets(store, verifier, house):
            last = sheet.page.mark
            if signer is not None:
                of_this_venue(signer, sheet.page)
    said = list(signed(store, verifier, BEGINNING))
    return Findings(
        entries=last.position,
        pages=last.page,
        epochs=last.epoch,
        checkpoints=len(said),
        signed_to=said[0].position if said else 0,
        head=last.head.hex(),
        state=fingerprint(house),
    )


def sound_sheets(store: Store, verifier: Verifier, house: House) -> Iterator[Sheet]:
    """Read pages that are proven, carried out on a fresh house, and leave its books sound."""
    looked_at = 0
    sheet = None
    for sheet in proven(store, verifier):
        for entry in sheet.entries:
            carry_out(house, entry)
        if sheet.page.last - looked_at >= BOOKS_EVERY:
            _look(store, house, looked_at)
            looked_at = sheet.page.last
        yield sheet
    if sheet is not None:
        _look(store, house, looked_at)


def _look(store: Store, house: House, since: int) -> None:
    """Look at the books; where they are not sound, find the entry after which they were not."""
    if any(unsound(house)):
        again = House(house.read_rulebook)
        entries = (entry for sheet in follow(store.pages(), BEGINNING) for entry in sheet.entries)
        raise next(breach for entry in entries if (breach := _breach(again, entry)) and entry.position > since)


def _breach(house: House, entry: Entry) -> Damaged | None:
    """Carry an entry out, and say what is wrong after it."""
    carry_out(house, entry)
    wrong = next(unsound(house), None)
    return None if wrong is None else Damaged(entry.position, f"after it {wrong}")
