"""The contract of a store, rule by rule, for every store of the journal."""

from collections.abc import Callable, Iterator
from importlib.util import module_from_spec, spec_from_file_location
from itertools import chain, islice
from pathlib import Path

import pytest

from croupier.house.ids import SYSTEM, Context, Day, Instant
from croupier.house.rounds.recovery import HouseRecovered
from croupier.journal.checkpoints import Checkpoint, Signer, checkpoint
from croupier.journal.disk import Fenced, JournalFault
from croupier.journal.entry import EMPTY_HEAD, Entry, Fence, JournalHead, Page
from croupier.journal.pages import MerkleTree, page_after, verify_chain
from croupier.journal.stores import Store
from croupier.journal.stores.memory import MemoryStore
from croupier.journal.stores.postgresql import PostgresStore
from croupier.journal.stores.sqlite import SqliteStore
from tests.support.database import new_venue
from tests.support.extending import documented

SIGNER = Signer.new()
Opener = Callable[[], Store]


def _memory(_directory: Path) -> Opener:
    store = MemoryStore()
    return lambda: store


def _sqlite(directory: Path) -> Opener:
    return lambda: SqliteStore(directory / "journal.db")


def _documented(directory: Path) -> Opener:
    """Open the example store of docs/extending.md."""
    source = directory / "directory.py"
    source.write_text(documented("DirectoryStore"), "utf-8")
    spec = spec_from_file_location("directory", source)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return lambda: module.DirectoryStore(directory / "journal")


def _postgresql(address: str) -> Opener:
    venue = new_venue()
    return lambda: PostgresStore(address, venue)


#: Every kind of store in a directory, by what makes an opener of it: opened again, it must be the same store.
KINDS: dict[str, Callable[[Path], Opener]] = {"memory": _memory, "sqlite": _sqlite, "documented": _documented}


class Keeper:
    """Has a store open, and can have it opened again."""

    def __init__(self, opener: Opener) -> None:
        self._opener = opener
        self.store = opener()

    def reopen(self) -> Store:
        self.store.close()
        self.store = self._opener()
        return self.store


def opener(kind: str, request: pytest.FixtureRequest, directory: Path) -> Opener:
    """Make an opener of an empty store of a kind."""
    if kind == "postgresql":
        return _postgresql(request.getfixturevalue("database"))
    return KINDS[kind](directory)


@pytest.fixture(params=[*KINDS, "postgresql"])
def keeper(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Keeper]:
    """Each kind of store in turn, empty."""
    keeper = Keeper(opener(request.param, request, tmp_path))
    yield keeper
    keeper.store.close()


@pytest.fixture
def store(keeper: Keeper) -> Store:
    return keeper.store


def pages(epoch: int, since: JournalHead = EMPTY_HEAD, entries: int = 2) -> Iterator[Page]:
    """Build pages that follow a journal head."""
    while True:
        first = since.position + 1
        contexts = (Context(Instant(position), SYSTEM) for position in range(first, first + entries))
        page = page_after(
            since,
            epoch,
            [
                Entry(position, epoch, Day(20261115), context, "", None, HouseRecovered(()))
                for position, context in enumerate(contexts, start=first)
            ],
        )
        yield page
        since = page.journal_head


def some(count: int, epoch: int = 1, since: JournalHead = EMPTY_HEAD) -> list[Page]:
    return list(islice(pages(epoch, since), count))


def signed(number: int, epoch: int = 1) -> Checkpoint:
    return checkpoint(SIGNER, number, JournalHead(number, number, epoch, bytes(32)), MerkleTree(), Instant(number))


def filled(store: Store, count: int) -> list[Page]:
    """Begin epoch 1 and have so many pages kept."""
    assert store.fence() == 1
    written = some(count)
    for page in written:
        store.append(page)
    return written


def test_c1_empty_store_has_nothing(store: Store) -> None:
    """C1: a store in which nothing was written has no page and no checkpoint."""
    assert list(store.pages()) == []
    assert store.page(1) is None
    assert store.last() is None
    assert list(store.checkpoints()) == []


def test_c2_epochs_rise_by_one(keeper: Keeper) -> None:
    """C2: the first epoch is 1 and each is one more than the last, also after the store was opened again."""
    assert [keeper.store.fence(), keeper.store.fence()] == [1, 2]
    assert keeper.reopen().fence() == 3


def test_c3_epoch_is_above_what_is_known(store: Store) -> None:
    """C3: an epoch begins after the one that is given, and never before the store's own."""
    assert store.fence(7) == 8
    assert store.fence(3) == 8
    assert store.fence(8) == 9


def test_c3_fence_is_read_with_its_mac(keeper: Keeper) -> None:
    """C3: the fence is read as it was written, also after the store was opened again; at first there is none."""
    assert keeper.store.fenced() == Fence(0, b"")
    keeper.store.fence(4, SIGNER.fence_mac)

    assert keeper.store.fenced() == keeper.reopen().fenced() == Fence(5, SIGNER.fence_mac(5))


def test_c4_pages_are_read_as_they_were_written(store: Store) -> None:
    """C4: pages are read in the order of their numbers, each byte for byte, and so is one page, and the last."""
    written = filled(store, 5)

    assert list(store.pages()) == written
    assert [store.page(number) for number in range(7)] == [None, *written, None]
    assert store.last() == written[-1]
    assert [len(page.entries) for page in verify_chain(store.pages(), EMPTY_HEAD)] == [2] * 5


@pytest.mark.parametrize("after", range(7))
def test_c5_pages_are_read_after_a_number(store: Store, after: int) -> None:
    """C5: pages are read from the one after a number on; after the last there are none."""
    written = filled(store, 5)

    assert list(store.pages(after)) == written[after:]


def test_c6_page_of_an_older_epoch_is_fenced(store: Store) -> None:
    """C6: a page of an older epoch is fenced, and nothing is kept."""
    written = filled(store, 2)
    store.fence()

    with pytest.raises(Fenced):
        store.append(some(1, 1, written[-1].journal_head)[0])
    assert list(store.pages()) == written


@pytest.mark.parametrize("epoch", [2, 99])
def test_c7_page_of_an_epoch_to_come_is_fenced(store: Store, epoch: int) -> None:
    """C7: a page of an epoch that has not begun is fenced, and nothing is kept."""
    store.fence()

    with pytest.raises(Fenced):
        store.append(some(1, epoch)[0])
    assert store.last() is None


def test_c8_nothing_is_kept_before_an_epoch_began(store: Store) -> None:
    """C8: a store in which no epoch has begun keeps nothing."""
    with pytest.raises(Fenced):
        store.append(some(1)[0])
    with pytest.raises(Fenced):
        store.sign(signed(1))
    assert store.last() is None
    assert list(store.checkpoints()) == []


def test_c9_fence_outlasts_the_store(keeper: Keeper) -> None:
    """C9: who was shut out stays shut out when the store is opened again."""
    written = filled(keeper.store, 1)
    keeper.store.fence()
    store = keeper.reopen()

    with pytest.raises(Fenced):
        store.append(some(1, 1, written[-1].journal_head)[0])
    store.append(some(1, 2, written[-1].journal_head)[0])


@pytest.mark.parametrize("missed", [1, 2, 100])
def test_c10_gap_is_refused(store: Store, missed: int) -> None:
    """C10: a page that is not the next is refused, and nothing is kept."""
    written = filled(store, 1)

    with pytest.raises(Fenced):
        store.append(some(missed + 2)[-1])
    assert list(store.pages()) == written


@pytest.mark.parametrize("number", [1, 2, 3])
def test_c11_page_is_written_once(store: Store, number: int) -> None:
    """C11: a page that is there is not written again, neither as it was nor otherwise."""
    written = filled(store, 3)

    with pytest.raises(Fenced):
        store.append(written[number - 1])
    with pytest.raises(Fenced):
        store.append(written[number - 1]._replace(body=b"something else"))
    assert list(store.pages()) == written


@pytest.mark.parametrize("number", [0, -1])
def test_c12_pages_are_counted_from_one(store: Store, number: int) -> None:
    """C12: no page stands before the first."""
    store.fence()

    with pytest.raises(Fenced):
        store.append(some(1)[0]._replace(number=number))
    assert store.last() is None


def test_c13_refused_page_leaves_the_store_as_it_was(store: Store) -> None:
    """C13: after a page was refused, the next one is kept."""
    first, second, third = some(3)
    store.fence()
    store.append(first)
    with pytest.raises(Fenced):
        store.append(third)
    store.append(second)

    assert list(store.pages()) == [first, second]


def test_c14_checkpoints_are_read_from_the_last(store: Store) -> None:
    """C14: checkpoints are read from the last to the first, or each after its number, byte for byte."""
    store.fence()
    written = [signed(number) for number in range(1, 4)]
    for each in written:
        store.sign(each)

    assert list(store.checkpoints()) == written[::-1]
    assert [store.next_checkpoint(after) for after in range(4)] == [*written, None]


@pytest.mark.parametrize("refused", [signed(1), signed(3), signed(0), signed(2, epoch=2), signed(2, epoch=0)])
def test_c15_checkpoint_keeps_the_order_and_the_fence(store: Store, refused: Checkpoint) -> None:
    """C15: a checkpoint that is there already, leaves a gap or is of another epoch is refused, and nothing is kept."""
    store.fence()
    store.sign(signed(1))

    with pytest.raises(Fenced):
        store.sign(refused)
    assert list(store.checkpoints()) == [signed(1)]


def test_c16_checkpoint_of_an_older_epoch_is_fenced(store: Store) -> None:
    """C16: who was shut out signs nothing more."""
    store.fence()
    store.fence()

    with pytest.raises(Fenced):
        store.sign(signed(1))
    assert list(store.checkpoints()) == []


def test_c17_what_is_read_is_not_disturbed_by_what_is_written(store: Store) -> None:
    """C17: pages are kept while others are read, and what was there when the reading began is read in order."""
    written = filled(store, 3)
    reading, signatures = store.pages(), store.checkpoints()
    first = next(reading)
    more = some(2, 1, written[-1].journal_head)
    for page in more:
        store.append(page)
    store.sign(signed(1))

    assert [first, *reading][:3] == written
    assert list(signatures) in ([], [signed(1)])
    assert list(store.pages()) == written + more


def test_c18_readers_do_not_disturb_each_other(store: Store) -> None:
    """C18: two who read at once read the same."""
    written = filled(store, 3)
    one, other = store.pages(), store.pages()

    assert list(chain.from_iterable(zip(one, other, strict=True))) == [page for page in written for _ in range(2)]


def test_c19_opened_again_it_is_the_same(keeper: Keeper) -> None:
    """C19: what was kept is there, byte for byte, when the store is opened again."""
    written = filled(keeper.store, 3)
    keeper.store.sign(signed(1))
    store = keeper.reopen()

    assert list(store.pages()) == written
    assert list(store.checkpoints()) == [signed(1)]


def test_c20_epochs_follow_each_other(keeper: Keeper) -> None:
    """C20: each epoch goes on where the one before ended."""
    written = filled(keeper.store, 2)
    for epoch in range(2, 5):
        store = keeper.reopen()
        assert store.fence() == epoch
        written += some(1, epoch, written[-1].journal_head)
        store.append(written[-1])

    assert list(keeper.reopen().pages()) == written


def test_c21_large_page_is_kept_whole(keeper: Keeper) -> None:
    """C21: a page of ten thousand entries is kept and read whole."""
    keeper.store.fence()
    large = next(pages(1, entries=10_000))
    keeper.store.append(large)

    assert keeper.reopen().last() == large


def test_c22_what_a_store_refuses_is_a_fault(store: Store) -> None:
    """C22: whatever a store cannot do is a fault of the journal."""
    with pytest.raises(JournalFault):
        store.append(some(1)[0])


def test_c23_every_kind_keeps_the_same_bytes(request: pytest.FixtureRequest, tmp_path: Path) -> None:
    """C23: the same writes give the same bytes in every kind of store."""
    stores = [opener(kind, request, tmp_path)() for kind in (*KINDS, "postgresql")]
    for store in stores:
        filled(store, 4)
        store.sign(signed(1))
    kept = [(list(store.pages()), list(store.checkpoints())) for store in stores]
    for store in stores:
        store.close()

    assert kept == [kept[0]] * len(stores)
