"""Golden journals: what each released version has written, kept as text, to be read by every later one.

`python -m tests.support.golden` writes those of the version at hand, before its release; after that they never change.
"""

from base64 import b64decode, b64encode
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path

import msgspec

from croupier.engine.audit import audit
from croupier.engine.storage import Storage
from croupier.house.ids import DeviceId, Instant, RoundNumber
from croupier.house.play.betting import ClearBets
from croupier.house.rounds.closing import CloseBets
from croupier.house.rounds.opening import OpenBets
from croupier.house.rounds.results import BallAtRest
from croupier.house.rounds.spinning import BallLaunched
from croupier.journal.checkpoints import Checkpoint, Signer
from croupier.journal.entry import Entry, Fence, Page
from croupier.journal.stores.memory import MemoryStore
from croupier.journal.writer import PendingEntry, Writer
from croupier.rulebooks.schema import read_canonical
from croupier.rules.geometry import Pocket
from tests.support.engine_driver import memory_storage
from tests.support.shift import CASHIER, DESK, T1, T2, TABLE, Shift, redeeming
from tests.support.transcript_runs import ROUNDS, entries_of

VERSION = version("croupier")
FOLDER = Path(__file__).parents[1] / "journal" / "golden"


class GoldenPage(msgspec.Struct, frozen=True):
    """A page, with its body in base64."""

    number: int
    epoch: int
    first: int
    last: int
    head: str
    body: str
    mac: str

    @classmethod
    def of(cls, page: Page) -> "GoldenPage":
        return cls(*page[:4], page.head.hex(), b64encode(page.body).decode(), page.mac.hex())

    @property
    def page(self) -> Page:
        head, mac = bytes.fromhex(self.head), bytes.fromhex(self.mac)
        return Page(self.number, self.epoch, self.first, self.last, head, b64decode(self.body), mac)


class GoldenJournal(msgspec.Struct, frozen=True):
    """A journal, its checkpoints from the first on, and the digests that reading it must give."""

    name: str
    head: str
    state: str
    pages: list[GoldenPage]
    #: What each checkpoint says, and its signature in hexadecimal.
    checkpoints: list[tuple[str, str]]

    @classmethod
    def of(cls, name: str, store: MemoryStore, signer: Signer) -> "GoldenJournal":
        found = audit(store, signer.verifier, read_canonical)
        signed = [(each.body.decode(), each.signature.hex()) for each in store.signed]
        return cls(name, found.head, found.state, [GoldenPage.of(page) for page in store.stored], signed)

    @property
    def store(self) -> MemoryStore:
        store = MemoryStore()
        store.stored = [each.page for each in self.pages]
        store.fence_row = Fence(store.stored[-1].epoch)
        store.signed = [Checkpoint(body.encode(), bytes.fromhex(signature)) for body, signature in self.checkpoints]
        return store


class Golden(msgspec.Struct, frozen=True):
    """All that one version has left, under one key."""

    version: str
    public_key: str
    journals: list[GoldenJournal]


def read_golden(path: Path) -> Golden:
    return msgspec.json.decode(path.read_bytes(), type=Golden)


def written_again(entries: Iterable[Entry], signer: Signer) -> MemoryStore:
    """Write the entries of a run as a journal, one to a page, and sign it."""
    store, storage = MemoryStore(), memory_storage()
    writer = Writer(store, storage.anchor.read(), storage.anchor, signer)
    now = Instant(0)
    for entry in entries:
        now = entry.context.now
        writer.write([PendingEntry(entry.day, entry.context, entry.rulebook, entry.cause, entry.event)], now)
    writer.sign(now)
    return store


def shift_with_everything(storage: Storage) -> None:
    """Two runs of the engine: a ticket that is paid, a round that wins, a stop, and a round that is cut short."""
    shift = Shift.founded(storage=storage)
    shift.drawer()
    shift.ticket()
    shift.ask(shift.keyed(redeeming(1), DESK, CASHIER), shift.note(T1), shift.note(T2), OpenBets(TABLE))
    shift.ask(shift.bet("17", 500), shift.bet("0/1/2/3", 700, T2), shift.bet("red", 10**9))
    shift.clock.pass_s(20)
    shift.ask(CloseBets(TABLE))
    wheel = DeviceId(TABLE)
    shift.ask(shift.keyed(BallLaunched(TABLE, opposite=True), wheel))
    shift.clock.pass_s(30)
    shift.ask(shift.keyed(BallAtRest(TABLE, Pocket("17"), 9, opposite=True), wheel))
    shift.run.stop()
    later = shift.again()
    later.ask(OpenBets(TABLE))
    later.ask(later.bet("red", 1_000), later.keyed(ClearBets(T1, TABLE, RoundNumber(2), 1), T1), later.bet("18", 600))
    later.again()


def variety(path: Path) -> tuple[int, str]:
    """Rank a round by how many kinds of event it has."""
    return len({type(entry.event) for entry in entries_of(path)}), path.name


def golden() -> Golden:
    """Write the golden journals of the version at hand: the engine's, and the most varied round of every venue."""
    storage = memory_storage()
    shift_with_everything(storage)
    assert isinstance(storage.store, MemoryStore)
    journals = [GoldenJournal.of("two runs of the engine", storage.store, storage.signer)]
    for folder in sorted({path.parent for path in ROUNDS}):
        path = max((path for path in ROUNDS if path.parent == folder), key=variety)
        store = written_again(entries_of(path), storage.signer)
        journals.append(GoldenJournal.of(f"{folder.parent.name}/{path.stem}", store, storage.signer))
    return Golden(VERSION, storage.signer.verifier.pem.decode(), journals)


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    text = msgspec.json.format(msgspec.json.encode(golden()), indent=1)
    (FOLDER / f"{VERSION}.json").write_bytes(text + b"\n")
