"""Proof: the chain and the signatures under it, read together."""

from collections.abc import Iterable, Iterator

from croupier.journal.chain import Sheet, follow
from croupier.journal.checkpoint import Checkpoint, Statement
from croupier.journal.fault import Damaged
from croupier.journal.page import BEGINNING, Mark, Page
from croupier.journal.signature import Signer, Verifier
from croupier.journal.store import Store


def proven(store: Store, verifier: Verifier, since: Mark = BEGINNING) -> Iterator[Sheet]:
    """Read on from a mark, and hold every checkpoint on the way against the chain."""
    waiting = [said for said in signed(store, verifier, since) if said.position > since.position]
    yield from held(store.pages(since.page), since, waiting)


def held(pages: Iterable[Page], since: Mark, waiting: list[Statement]) -> Iterator[Sheet]:
    """Read pages that go on from a mark, and hold what these checkpoints say, the last first, against the chain."""
    last = since
    for sheet in follow(pages, since):
        last = sheet.page.mark
        while waiting and waiting[-1].page <= last.page:
            said = waiting.pop()
            if said.mark != last:
                raise Damaged(said.position, f"checkpoint {said.number} was signed over another journal")
        yield sheet
    if waiting:
        raise Damaged(last.position + 1, f"the journal ends before checkpoint {waiting[-1].number}")


def of_this_venue(signer: Signer, page: Page) -> None:
    """Hold a page against its imprint: Damaged where somebody without the venue's key has written it."""
    if not signer.recognises(page.imprint, page.imprinted):
        raise Damaged(page.first, f"page {page.number} was not written by whoever holds the venue's key")


def last_signed(store: Store, verifier: Verifier, before: Mark) -> Mark:
    """Find the last place at or before a mark that a checkpoint vouches for, or the beginning."""
    said = list(signed(store, verifier, before))
    return said[-1].mark if said and said[-1].position <= before.position else BEGINNING


def stated(checkpoint: Checkpoint, since: Mark) -> Statement:
    """Read what a checkpoint says; Damaged where it is nothing."""
    try:
        return checkpoint.statement()
    except ValueError as error:
        raise Damaged(since.position + 1, f"a checkpoint cannot be read: {error}") from error


def vouched(checkpoint: Checkpoint, verifier: Verifier, since: Mark) -> Statement:
    """Read what a checkpoint says, and hold it against the venue's signature."""
    said = stated(checkpoint, since)
    if not checkpoint.holds(verifier):
        raise Damaged(said.position, f"the signature of checkpoint {said.number} is not the venue's")
    return said


def signed(store: Store, verifier: Verifier, since: Mark) -> Iterator[Statement]:
    """Read the checkpoints from the last back to the one at or before a mark; Damaged where one is missing or false."""
    after: Statement | None = None
    for each in store.checkpoints():
        said = vouched(each, verifier, since)
        if after is not None and (said.number + 1, said.position <= after.position) != (after.number, True):
            raise Damaged(said.position, f"checkpoint {after.number} does not follow checkpoint {said.number}")
        yield said
        if said.position <= since.position and since != BEGINNING:
            return
        after = said
    if after is not None and after.number != 1:
        raise Damaged(1, f"the checkpoints before number {after.number} are missing")
