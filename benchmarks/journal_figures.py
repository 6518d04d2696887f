"""What a load leaves on the disk: the size of the journal, and how fast it is replayed and audited."""

import gc
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import Final

from croupier.engine.audit import audit
from croupier.engine.places import open_store
from croupier.engine.run import recover_state
from croupier.engine.storage import Storage, open_storage
from croupier.journal.checkpoints import MemorySnapshots
from croupier.journal.keystore import KeyStore
from croupier.journal.pages import BetRow, decode_body
from croupier.rulebooks.schema import read_canonical

#: How many iterations of a plain loop are timed beside a replay.
LOOPS: Final = 200_000


@dataclass(frozen=True, slots=True)
class JournalFigures:
    """The journal of one load, without its snapshot."""

    bets: int
    #: Body, digest and MAC of the pages with bets, for each bet.
    bytes_per_bet: float
    #: Bets replayed and entries audited in a second of processor time.
    replayed_per_s: float
    audited_per_s: float
    #: One iteration of a plain Python loop, timed beside them: it tells how fast this machine was.
    loop_ns: float


def journal_figures(data: Path, key_store: KeyStore) -> JournalFigures:
    """Measure the journal of a data directory whose server has stopped."""
    bets, size = stored_bets(data)
    loop_ns = 1e9 * _cpu_s(_loop) / LOOPS
    with closing(open_storage(data, key_store)) as opened:
        storage = opened._replace(snapshots=MemorySnapshots(), tickets=None)
        replay_s = _cpu_s(lambda: recover_state(storage, read_canonical))
        audit_s = _cpu_s(lambda: _audit(storage))
        last = storage.store.last()
    entries = 0 if last is None else last.last
    loop_ns = min(loop_ns, 1e9 * _cpu_s(_loop) / LOOPS)
    return JournalFigures(bets, size / max(1, bets), bets / replay_s, entries / audit_s, loop_ns)


def stored_bets(data: Path) -> tuple[int, int]:
    """Count the bets on the disk, and the bytes of their pages."""
    bets = size = 0
    with closing(open_store(data, writing=False)) as store:
        for page in store.pages():
            found = sum(type(row) is BetRow for row in decode_body(page).rows)
            bets += found
            size += len(page.body) + len(page.head) + len(page.mac) if found else 0
    return bets, size


def _audit(storage: Storage) -> object:
    return audit(storage.store, storage.signer.verifier, read_canonical, storage.anchor.read(), storage.signer)


def _cpu_s(work: Callable[[], object]) -> float:
    """Return the processor time of some work, without garbage of the work before it."""
    gc.collect()
    begin = process_time()
    work()
    return process_time() - begin


def _loop() -> int:
    """Run a loop of plain Python: a dictionary, a few integers."""
    found: dict[int, int] = {}
    total = 0
    for number in range(LOOPS):
        found[number & 255] = total
        total += found[number & 255] & 7
    return total
