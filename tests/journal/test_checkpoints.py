"""Checkpoints, the writer that signs them, the store that fences, and the venue's key."""

import hashlib
from collections.abc import Callable

import pytest
from cryptography.hazmat.primitives import serialization as form
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key

from croupier.engine.journal_reader import JournalReader
from croupier.house.ids import Day, Instant
from croupier.journal.checkpoints import (
    CHECKPOINT_PREFIX,
    Checkpoint,
    Signer,
    Statement,
    Verifier,
    checkpoint,
    last_checkpoint,
    verified_statements,
    verify_checkpoint,
)
from croupier.journal.disk import Fenced, JournalCorrupt, JournalFault
from croupier.journal.entry import EMPTY_HEAD, Entry, JournalHead
from croupier.journal.keystore import AnchorRecord, MemoryAnchor
from croupier.journal.pages import MerkleTree, draft_of, merkle_tree
from croupier.journal.stores.memory import MemoryJournal, MemoryStore
from croupier.journal.writer import CHECKPOINT_EVERY, PendingEntry, Writer
from tests.journal.test_chain import LAUNCH, NOW, journal


def test_checkpoint_says_where_and_is_signed() -> None:
    """A checkpoint has its number, the mark and the time, under a signature that only the venue can make."""
    signer, mark = Signer.new(), journal()[1].journal_head
    made = checkpoint(signer, 3, mark, merkle_tree([bytes(32)]), Instant(99))

    assert made.statement() == Statement(
        3, 5, 2, 1, mark.digest.hex(), 1, hashlib.sha256(bytes(33)).hexdigest(), Instant(99)
    )
    assert made.statement().journal_head == mark
    assert made.verify(signer.verifier)
    assert not made.verify(Signer.new().verifier)
    assert not Checkpoint(made.body.replace(b'"number":3', b'"number":4'), made.signature).verify(signer.verifier)
    assert not Checkpoint(made.body, made.signature[:-1]).verify(signer.verifier)
    assert signer.verifier.accepts(made.signature, CHECKPOINT_PREFIX + made.body)
    assert not signer.verifier.accepts(made.signature, made.body)


class Signed:
    """A journal of eight entries with a checkpoint after every page, and its venue's key."""

    def __init__(self) -> None:
        self.store, self.signer = MemoryStore(), Signer.new()
        self.store.stored = [page._replace(mac=self.signer.mac(page.mac_message)) for page in journal()]
        self.store.signed = [
            self.over(number, page.journal_head) for number, page in enumerate(self.store.stored, start=1)
        ]

    def over(self, number: int, mark: JournalHead) -> Checkpoint:
        return checkpoint(self.signer, number, mark, self.tree(number), Instant(number))

    def tree(self, number: int) -> MerkleTree:
        return merkle_tree([self.store.stored[number - 1].head])

    def read(self, since: JournalHead = EMPTY_HEAD) -> list[int]:
        reader = JournalReader.after_checkpoint(self.store, self.signer.verifier, since, self.signer)
        return [verified_page.page.number for verified_page in reader]

    def last_signed(self, before: JournalHead) -> JournalHead:
        found = last_checkpoint(self.store.checkpoints(), self.signer.verifier, before)
        return EMPTY_HEAD if found is None else found.journal_head

    def damage(self, since: JournalHead = EMPTY_HEAD) -> int:
        with pytest.raises(JournalCorrupt) as caught:
            self.read(since)
        return caught.value.position


def test_proven_journal_is_read() -> None:
    """A journal whose checkpoints all hold is read from the beginning, and from every mark."""
    book = Signed()

    assert book.read() == [1, 2, 3, 4]
    for page in book.store.stored:
        assert book.read(page.journal_head) == [1, 2, 3, 4][page.number :]
        assert book.last_signed(page.journal_head) == page.journal_head


def test_journal_without_checkpoints_is_read() -> None:
    """A journal under which nobody has signed yet is read; nothing vouches for any of it."""
    book = Signed()
    book.store.signed = []

    assert book.read() == [1, 2, 3, 4]
    assert book.last_signed(book.store.stored[2].journal_head) == EMPTY_HEAD


def test_last_signed_is_at_or_before_the_mark() -> None:
    """Between two checkpoints it is the earlier that vouches; before the first it is none."""
    book = Signed()
    marks = [page.journal_head for page in book.store.stored]
    book.store.signed = [book.over(1, marks[1]), book.over(2, marks[3])]

    assert [book.last_signed(mark) for mark in marks] == [EMPTY_HEAD, marks[1], marks[1], marks[3]]
    assert book.last_signed(EMPTY_HEAD) == EMPTY_HEAD


def _without(number: int) -> Callable[[Signed], None]:
    def take(book: Signed) -> None:
        del book.store.signed[number - 1]

    return take


def _false(book: Signed) -> None:
    book.store.signed[2] = checkpoint(Signer.new(), 3, book.store.stored[2].journal_head, book.tree(3), Instant(3))


def _reordered(book: Signed) -> None:
    marks = [page.journal_head for page in book.store.stored]
    book.store.signed[1], book.store.signed[2] = book.over(2, marks[2]), book.over(3, marks[1])


def _twice(book: Signed) -> None:
    book.store.signed.insert(2, book.store.signed[1])


def _unreadable(book: Signed) -> None:
    book.store.signed[1] = Checkpoint(b"{}", book.signer.sign(CHECKPOINT_PREFIX + b"{}"))


def _another_head(book: Signed) -> None:
    book.store.signed[2] = book.over(3, book.store.stored[2].journal_head._replace(digest=bytes(32)))


def _within_a_page(book: Signed) -> None:
    book.store.signed[1] = book.over(2, book.store.stored[1].journal_head._replace(position=4))


def _another_epoch(book: Signed) -> None:
    book.store.signed[2] = book.over(3, book.store.stored[2].journal_head._replace(epoch=9))


def _another_root(book: Signed) -> None:
    mark, tree = book.store.stored[2].journal_head, merkle_tree([bytes(32)])
    book.store.signed[2] = checkpoint(book.signer, 3, mark, tree, Instant(3))


def _another_size(book: Signed) -> None:
    """Two pages say that they are one, by the node above them."""
    mark, tree = book.store.stored[2].journal_head, merkle_tree(page.head for page in book.store.stored[1:3])
    book.store.signed[2] = checkpoint(book.signer, 3, mark, tree, Instant(3))


def _cut(book: Signed) -> None:
    del book.store.stored[2:]


def _cut_all(book: Signed) -> None:
    book.store.stored = []


@pytest.mark.parametrize(
    ("change", "backwards", "on_the_way"),
    [
        (_without(1), 1, 1),
        (_without(2), 2, 2),
        (_without(3), 5, 5),
        (_false, 6, 6),
        (_reordered, 6, 6),
        (_another_root, 6, 6),
        (_another_size, 6, 6),
        (_twice, 5, 5),
        (_unreadable, 1, 3),
        (_another_head, 6, 6),
        (_within_a_page, 4, 4),
        (_another_epoch, 6, 6),
        (_cut, 6, 6),
        (_cut_all, 1, 1),
    ],
)
def test_false_proof_is_found(change: Callable[[Signed], None], backwards: int, on_the_way: int) -> None:
    """A checkpoint that is missing, false, moved, unreadable, of another journal or beyond the end is damage.

    It is found when the checkpoints are first read from the last one back, and when they are read with their pages.
    """
    book = Signed()
    change(book)

    assert book.damage() == backwards
    with pytest.raises(JournalCorrupt) as caught:
        JournalReader(book.store, book.signer.verifier).read_all()
    assert caught.value.position == on_the_way


def test_checkpoint_before_the_mark_is_not_held_against_the_pages() -> None:
    """From a mark on only what follows is proven: what the mark stands for was proven before."""
    book = Signed()
    book.store.signed[0] = checkpoint(Signer.new(), 1, book.store.stored[0].journal_head, book.tree(1), Instant(1))

    assert book.read(book.store.stored[1].journal_head) == [3, 4]


def test_signature_is_read_until_the_mark() -> None:
    """Checkpoints are read from the last back to the one at the mark, and no further."""
    book = Signed()
    since = book.store.stored[1].journal_head
    statements = verified_statements(book.store.checkpoints(), book.signer.verifier, since)
    numbers = [statement.number for statement in statements]

    assert numbers == [4, 3, 2]


def drafts(count: int) -> list[PendingEntry]:
    return [PendingEntry(Day(1), NOW, "", None, LAUNCH)] * count


def test_writer_signs_before_too_much_stands_unsigned() -> None:
    """After so many entries the writer signs by itself, at the end of the page that fills them up."""
    store, anchor, signer = MemoryStore(), MemoryAnchor(), Signer.new()
    writer = Writer(store, AnchorRecord(), anchor, signer)
    writer.write(drafts(CHECKPOINT_EVERY - 1), Instant(1))
    assert store.signed == []

    writer.write(drafts(2), Instant(7))

    (made,) = store.signed
    assert made.statement().journal_head == writer.head
    assert made.statement().at == 7
    assert anchor.record == AnchorRecord(writer.head, 1)


def test_writer_writes_nothing_for_nothing() -> None:
    """No drafts make no page."""
    store = MemoryStore()
    writer = Writer(store, AnchorRecord(), MemoryAnchor(), Signer.new())

    assert writer.write([], Instant(1)) == []
    assert store.stored == []


@pytest.mark.parametrize("places", [(1, 2), (3, 4), (2, 4)])
def test_entries_out_of_their_places_are_a_breach(places: tuple[int, int]) -> None:
    """Entries that do not follow the journal head, one after the other, make no page."""
    writer = Writer(MemoryStore(), AnchorRecord(), MemoryAnchor(), Signer.new())
    writer.write(drafts(1), Instant(1))
    entries = [Entry(place, writer.epoch, Day(1), NOW, "", None, LAUNCH) for place in places]

    with pytest.raises(AssertionError):
        writer.build_page(draft_of(places[0], writer.epoch, entries))


@pytest.mark.parametrize("part", ["append", "sign"])
def test_writer_that_has_failed_writes_no_more(monkeypatch: pytest.MonkeyPatch, part: str) -> None:
    """After any failure, of a page or a signature, a writer writes nothing: only reading tells what was kept."""
    store = MemoryStore()
    writer = Writer(store, AnchorRecord(), MemoryAnchor(), Signer.new())
    writer.write(drafts(1), Instant(1))

    def failing(_what: object) -> None:
        raise OSError("no")

    with monkeypatch.context() as within:
        within.setattr(store, part, failing)
        with pytest.raises(OSError, match="no"):
            writer.write(drafts(1), Instant(1)) if part == "append" else writer.sign(Instant(1))

    with pytest.raises(JournalFault, match="failed before"):
        writer.write(drafts(1), Instant(1))
    with pytest.raises(JournalFault, match="failed before"):
        writer.sign(Instant(1))
    assert (len(store.stored), len(store.signed)) == (1, 0)


def test_writer_s_epoch_is_above_all_there_have_been() -> None:
    """A fence that stands before what was written, or before what the anchor knows of, is moved on beyond both."""
    last = journal()[3].journal_head
    anchor = MemoryAnchor()
    assert Writer(MemoryStore(), AnchorRecord(last), anchor, Signer.new()).epoch == last.epoch + 1

    anchor.write(AnchorRecord(last._replace(epoch=9)))
    assert Writer(MemoryStore(), AnchorRecord(last), anchor, Signer.new()).epoch == 10


def test_store_takes_the_next_number_of_its_epoch_alone() -> None:
    """A page or a checkpoint of an earlier epoch, a number that is there, or one too high, is fenced off."""
    store, signer = MemoryStore(), Signer.new()
    assert (store.last(), store.page(1), store.page(0)) == (None, None, None)
    first, second, *_ = journal()
    store.fence()
    store.append(first)
    store.sign(checkpoint(signer, 1, first.journal_head, MerkleTree(), Instant(1)))

    for page in (first, second._replace(number=3), second._replace(epoch=2)):
        with pytest.raises(Fenced):
            store.append(page)
    for number, mark in ((1, first.journal_head), (3, first.journal_head), (2, first.journal_head._replace(epoch=2))):
        with pytest.raises(Fenced):
            store.sign(checkpoint(signer, number, mark, MerkleTree(), Instant(1)))
    assert (store.last(), store.page(1), store.page(2)) == (first, first, None)


def test_journal_by_hand_is_a_journal() -> None:
    """What a floor writes by hand is read, entry by entry, and counted as any journal is."""
    hand = MemoryJournal()
    hand.append([LAUNCH, LAUNCH], Day(1), NOW)
    hand.append([], Day(1), NOW)
    hand.append([LAUNCH], Day(2), NOW)

    assert [(each.position, each.day) for each in hand.entries()] == [(1, 1), (2, 1), (3, 2)]
    assert (hand.position, len(hand.store.stored)) == (3, 2)
    assert hand.head == hand.store.stored[-1].head


@pytest.mark.parametrize("pem", [b"", b"no key", Signer.new().verifier.pem.replace(b"A", b"?")])
def test_key_that_cannot_be_read_is_a_fault(pem: bytes) -> None:
    """What is no key is refused in the journal's own words."""
    for kind in (Signer, Verifier):
        with pytest.raises(JournalFault, match="a key cannot be read"):
            kind.read(pem)


def test_key_of_another_kind_is_a_fault() -> None:
    """Only Ed25519 keys sign and vouch here."""
    key = generate_private_key(SECP256R1())
    private = key.private_bytes(form.Encoding.PEM, form.PrivateFormat.PKCS8, form.NoEncryption())
    public = key.public_key().public_bytes(form.Encoding.PEM, form.PublicFormat.SubjectPublicKeyInfo)

    with pytest.raises(JournalFault, match="not an Ed25519 key"):
        Signer.read(private)
    with pytest.raises(JournalFault, match="not an Ed25519 key"):
        Verifier.read(public)


def test_key_is_read_back_as_it_was() -> None:
    """A key that was written is the same key when it is read."""
    signer = Signer.new()
    again = Signer.read(signer.pem)

    assert Verifier.read(signer.verifier.pem).accepts(again.sign(b"words"), b"words")
    assert (again.pem, again.verifier.pem) == (signer.pem, signer.verifier.pem)


def test_checkpoint_of_an_older_version_is_refused_in_words() -> None:
    """A checkpoint that version 0.2 has signed names the version that reads it, in a file and in a database."""
    signer = Signer.new()
    made = checkpoint(signer, 1, JournalHead(1, 1, 1, bytes(32)), MerkleTree(), Instant(1))
    older = Checkpoint(made.body, signer.sign(b"croupier checkpoint 2\n" + made.body))

    with pytest.raises(JournalFault, match=r"written by version 0\.2 or older"):
        verify_checkpoint(older, signer.verifier, EMPTY_HEAD)
