"""The page format: a header and compact rows, the hash chain, and the Merkle tree of a checkpoint.

`docs/journal.md` describes the format byte by byte.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Final, Literal, NamedTuple, final, overload

import msgspec

from croupier.house import AnyEvent
from croupier.house.declare import Event
from croupier.house.ids import Context, Day, DeviceId, Instant, PersonId, PositionId, RoundNumber
from croupier.house.play.betting import BetsChanged
from croupier.house.state.tables import BetChange
from croupier.journal.disk import JournalCorrupt, UnknownEntryType
from croupier.journal.entry import REQUEST_DIGEST_BYTES, Cause, Entry, IdempotencyKey, JournalHead, Page
from croupier.rules.geometry import Pocket, SpotKey

#: The first field of every page.
PAGE_FORMAT: Final = 2
#: The first field of every row.
EVENT_TAG: Final = 0
BET_TAG: Final = 1

#: An index into a table of the header.
Index = Annotated[int, msgspec.Meta(ge=0)]
#: The number of an idempotency key, and the digest of the request. The epoch of the key is the page's.
RowCause = tuple[int, Annotated[bytes, msgspec.Meta(min_length=REQUEST_DIGEST_BYTES, max_length=REQUEST_DIGEST_BYTES)]]


class Origin(NamedTuple):
    """What many rows share: the gaming day, the person who signed, and the rulebook's digest, if any."""

    day: Day
    person: PersonId
    rulebook: bytes


class Play(NamedTuple):
    """What many changes of bets share: the round, and how the bets were changed."""

    round: RoundNumber
    how: BetChange


class EventRow(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True, gc=False, tag=EVENT_TAG):
    """An entry. Its event is a map, with its type and version in `type`."""

    #: Its index among the origins.
    origin: Index
    #: Microseconds after the time of the page.
    after: int
    device: DeviceId
    cause: RowCause | None
    event: AnyEvent


@final
class BetRow(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True, gc=False, tag=BET_TAG):
    """An entry with a change of bets: nearly every entry is one."""

    origin: Index
    after: int
    device: DeviceId
    cause: RowCause | None
    #: Its index among the plays.
    play: Index
    #: The betting position.
    position: PositionId
    spots: tuple[SpotKey, ...]
    amounts: tuple[int, ...]
    spread: tuple[Pocket, int] | None


Row = EventRow | BetRow


class PageBody(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """The content of a page: a header, and one row for each entry."""

    format: Literal[2]
    number: int
    epoch: int
    #: The position of the first row.
    first: int
    #: The time of the first row.
    time: Instant
    #: Each item once, in the order in which the rows use them.
    origins: tuple[Origin, ...]
    plays: tuple[Play, ...]
    rows: tuple[Row, ...]


_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(PageBody)
_ROW_DECODER = msgspec.msgpack.Decoder(Row)
#: Decodes the fields of a body, and leaves its rows as they are.
_FIELDS = msgspec.msgpack.Decoder(
    tuple[Literal[2], int, int, int, int, tuple[Origin, ...], tuple[Play, ...], tuple[msgspec.Raw, ...]]
)


#: An entry without its position and epoch: event, context, gaming day, digest of the rulebook, and cause.
DraftRow = tuple[Event, Context, Day, str, RowCause | None]


class PageDraft(Sequence[Entry]):
    """The entries of the next page as they are added. All rows are built together, and an entry when it is read."""

    __slots__ = ("_built", "add", "added", "epoch", "first")

    def __init__(self, first: int, epoch: int) -> None:
        """Begin a page whose first entry has this position."""
        self.first, self.epoch = first, epoch
        self.added: list[DraftRow] = []
        #: Adds the next entry. The key of its cause is of this epoch.
        self.add = self.added.append
        self._built: list[Entry] = []

    @property
    def events(self) -> list[Event]:
        return [row[0] for row in self.added]

    def encode(self, number: int) -> bytes:
        """Encode the body of the page."""
        origins: dict[tuple[Day, PersonId, str], int] = {}
        plays: dict[tuple[RoundNumber, BetChange], int] = {}
        rows: list[tuple[object, ...]] = []
        time = self.added[0][1].now
        here, origin, playing, play = None, 0, None, 0
        for event, context, day, rulebook, cause in self.added:
            shared = day, context.person, rulebook
            if shared != here:
                here, origin = shared, origins.setdefault(shared, len(origins))
            # A tuple is encoded as the row that it is decoded to, and takes less time to build.
            if type(event) is BetsChanged:
                change = event.round, event.how
                if change != playing:
                    playing, play = change, plays.setdefault(change, len(plays))
                spread = None if event.spread_from is None else event.spread
                after, device, position = context.now - time, context.device, event.position
                rows.append((BET_TAG, origin, after, device, cause, play, position, event.spots, event.amounts, spread))
            else:
                rows.append((EVENT_TAG, origin, context.now - time, context.device, cause, event))
        header = [(day, person, bytes.fromhex(rulebook)) for day, person, rulebook in origins]
        return _ENCODER.encode((PAGE_FORMAT, number, self.epoch, self.first, time, header, tuple(plays), rows))

    def _entries(self) -> list[Entry]:
        first, epoch, built = self.first, self.epoch, self._built
        for event, context, day, rulebook, cause in self.added[len(built) :]:
            request = None if cause is None else Cause(IdempotencyKey(epoch, cause[0]), cause[1])
            built.append(Entry(first + len(built), epoch, day, context, rulebook, request, event))
        return built

    def __len__(self) -> int:
        return len(self.added)

    @overload
    def __getitem__(self, index: int) -> Entry: ...
    @overload
    def __getitem__(self, index: slice) -> list[Entry]: ...
    def __getitem__(self, index: int | slice) -> Entry | list[Entry]:
        return self._entries()[index]

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._entries())


def draft_of(first: int, epoch: int, entries: Iterable[Entry]) -> PageDraft:
    """Draft a page of entries."""
    draft = PageDraft(first, epoch)
    for entry in entries:
        cause = entry.cause
        assert entry.position == first + len(draft)
        assert cause is None or cause.key.epoch == epoch
        request = None if cause is None else (cause.key.number, cause.request_digest)
        draft.add((entry.event, entry.context, entry.day, entry.rulebook, request))
    return draft


def encode_body(head: JournalHead, epoch: int, entries: Sequence[Entry]) -> bytes:
    """Encode the entries that follow a head as the body of a page."""
    draft = entries if isinstance(entries, PageDraft) else draft_of(head.position + 1, epoch, entries)
    return draft.encode(head.page + 1)


def decode_body(page: Page) -> PageBody:
    """Decode the body of a page strictly.

    UnknownEntryType when this build does not know its format or the type of an entry, JournalCorrupt when it is not
    encoded in the one way in which it is written.
    """
    try:
        body = _DECODER.decode(page.body)
    except ValueError as error:
        raise _unknown(page, error) from error
    if _ENCODER.encode(body) != page.body:
        raise _not_canonical(page)
    found = (body.number, body.epoch, body.first, body.first + len(body.rows) - 1)
    if found != page[:4] or not body.rows:
        words = "page {} says that it is page {} of epoch {}, with entries {} to {}"
        raise JournalCorrupt(page.first, words.format(page.number, *found))
    _check_rows(page, body)
    return body


def _check_rows(page: Page, body: PageBody) -> None:
    """Verify the rows against the header, which has each item once and in the order in which the rows use them."""
    origins = plays = right = 0
    for row in body.rows:
        wrong = False
        if row.origin >= origins:
            origins += 1
            wrong = not row.origin < origins <= len(body.origins)
        if type(row) is BetRow:
            if row.play >= plays:
                plays += 1
                wrong = wrong or not row.play < plays <= len(body.plays)
            wrong = wrong or len(row.spots) != len(row.amounts)
        else:
            wrong = wrong or type(row.event) is BetsChanged
        if wrong:
            raise JournalCorrupt(page.first + right, f"its row does not fit the header of page {page.number}")
        right += 1  # noqa: SIM113 - enumerate takes longer
    used = [(origins, body.origins), (plays, body.plays)]
    if body.rows[0].after != 0 or any(not count == len(table) == len({*table}) for count, table in used):
        raise JournalCorrupt(page.first, f"the header of page {page.number} does not fit its rows")


def _unknown(page: Page, error: ValueError) -> UnknownEntryType:
    """Name the first row that cannot be decoded; the first of the page when its header cannot be."""
    try:
        rows = _FIELDS.decode(page.body)[-1]
    except ValueError:
        rows = ()
    wrong = next((place for place, row in enumerate(rows) if not _is_known(row)), 0)
    return UnknownEntryType(page.first + wrong, f"its type or version is unknown to this build: {error}")


def _is_known(row: msgspec.Raw) -> bool:
    try:
        _ROW_DECODER.decode(row)
    except ValueError:
        return False
    return True


def _not_canonical(page: Page) -> JournalCorrupt:
    """Name the first row that is not encoded in the one way; the first of the page when its header is not."""
    rows = enumerate(_FIELDS.decode(page.body)[-1])
    wrong = next((place for place, row in rows if _ENCODER.encode(_ROW_DECODER.decode(row)) != bytes(row)), 0)
    return JournalCorrupt(page.first + wrong, f"page {page.number} is not encoded in the one way that is written")


def chain_digest(head: bytes, body: bytes) -> bytes:
    """Chain a page to the digest before it."""
    digest = hashlib.sha256(head)
    digest.update(body)
    return digest.digest()


def page_after(head: JournalHead, epoch: int, entries: Sequence[Entry]) -> Page:
    """Build the page of entries that follows a head."""
    body = encode_body(head, epoch, entries)
    first = head.position + 1
    return Page(head.page + 1, epoch, first, head.position + len(entries), chain_digest(head.digest, body), body)


class VerifiedPage:
    """A page that was verified against the chain and decoded. Its entries are built when they are used."""

    __slots__ = ("_entries", "body", "page")

    def __init__(self, page: Page, body: PageBody) -> None:
        self.page, self.body = page, body
        self._entries: list[Entry] | None = None

    @property
    def entries(self) -> list[Entry]:
        if self._entries is None:
            self._entries = [*_build_entries(self.body, self.body.rows)]
        return self._entries

    def entries_without_bets(self) -> list[Entry]:
        """Return the entries that are no change of bets: those that most readers look for, and far fewer."""
        rows = self.body.rows
        return [*_build_entries(self.body, (None if isinstance(row, BetRow) else row for row in rows))]


def _build_entries(body: PageBody, rows: Iterable[Row | None]) -> Iterator[Entry]:
    """Build the entries of the rows of a page; None leaves one out."""
    epoch, time, plays = body.epoch, body.time, body.plays
    origins = [(each.day, each.person, each.rulebook.hex()) for each in body.origins]
    for position, row in enumerate(rows, start=body.first):
        if row is None:
            continue
        day, person, rulebook = origins[row.origin]
        cause = None if row.cause is None else Cause(IdempotencyKey(epoch, row.cause[0]), row.cause[1])
        event = bets_changed(row, *plays[row.play]) if isinstance(row, BetRow) else row.event
        context = Context(Instant(time + row.after), row.device, person)
        yield Entry(position, epoch, day, context, rulebook, cause, event)


def bets_changed(row: BetRow, round_: RoundNumber, how: BetChange) -> BetsChanged:
    """Build the event of a bet row."""
    if row.spread is None:
        return BetsChanged(row.position, round_, how, row.spots, row.amounts)
    return BetsChanged(row.position, round_, how, row.spots, row.amounts, *row.spread)


def verify_chain(pages: Iterable[Page], since: JournalHead) -> Iterator[VerifiedPage]:
    """Verify pages that follow a head, in order."""
    for page in pages:
        yield verify_page(page, since)
        since = page.journal_head


def verify_page(page: Page, since: JournalHead) -> VerifiedPage:
    """Verify and decode the page that follows a head; JournalCorrupt names the first entry that can be wrong."""
    first = since.position + 1
    if (page.number, page.first) != (since.page + 1, first):
        raise JournalCorrupt(
            first, f"page {page.number} with entry {page.first} is in the place of page {since.page + 1}"
        )
    if page.epoch < since.epoch:
        raise JournalCorrupt(first, f"epoch {page.epoch} comes after epoch {since.epoch}")
    if chain_digest(since.digest, page.body) != page.head:
        raise JournalCorrupt(first, f"page {page.number} differs from what was written, or is not in its place")
    return VerifiedPage(page, decode_body(page))


class MerkleTree:
    """The Merkle tree over the digests of pages, as RFC 9162 defines it, built page by page."""

    def __init__(self) -> None:
        self.size = 0
        #: The roots of complete subtrees, the largest first.
        self._peaks: list[bytes] = []

    def add(self, digest: bytes) -> None:
        node, size = _leaf(digest), self.size
        while size & 1:
            node, size = _node(self._peaks.pop(), node), size >> 1
        self._peaks.append(node)
        self.size += 1

    @property
    def root(self) -> bytes:
        if not self._peaks:
            return hashlib.sha256(b"").digest()
        *larger, root = self._peaks
        for peak in reversed(larger):
            root = _node(peak, root)
        return root


def merkle_tree(digests: Iterable[bytes]) -> MerkleTree:
    """Build the tree over the digests of pages."""
    tree = MerkleTree()
    for digest in digests:
        tree.add(digest)
    return tree


def merkle_path(digests: Sequence[bytes], index: int) -> list[bytes]:
    """Return the nodes that lead from one page to the root, the lowest first."""
    if len(digests) == 1:
        return []
    left = 1 << (len(digests) - 1).bit_length() - 1
    if index < left:
        return [*merkle_path(digests[:left], index), merkle_tree(digests[left:]).root]
    return [*merkle_path(digests[left:], index - left), merkle_tree(digests[:left]).root]


def _leaf(digest: bytes) -> bytes:
    return hashlib.sha256(b"\0" + digest).digest()


def _node(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\1" + left + right).digest()
