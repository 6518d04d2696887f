"""An older copy: a house in Adelaide with slips that are out, in a directory or in memory, put back to what it was."""

import shutil
from pathlib import Path

from croupier.engine.ports import Outcome, Request
from croupier.engine.run import RollbackOverride, Run
from croupier.engine.storage import Storage, open_storage
from croupier.house import AnyCommand
from croupier.house.credit.drawers import OpenDrawer, RedeemTicket
from croupier.house.credit.notes import InsertNote
from croupier.house.credit.tickets import Collect, ConfirmPrint, Validation
from croupier.house.floor.setup import CreateHouse
from croupier.house.ids import SYSTEM, DeviceId, DrawerId, Number, PersonId, TableId, TerminalId
from croupier.house.settings import Mode
from croupier.journal.entry import IdempotencyKey
from croupier.journal.keystore import AnchorRecord, KeyStore, MemoryAnchor
from croupier.journal.stores.memory import MemoryStore
from croupier.rules.money import Cents
from croupier.rules.refusal import Code
from tests.conftest import venue
from tests.support import engine_driver
from tests.support.engine_driver import ask, code_of, enrolling, memory_storage, provisioning, stand

ADELAIDE, T1, TABLE, DRAWER = "skycity-adelaide-2003", TerminalId("T1"), TableId("table 1"), DrawerId("D1")
ONE, TWO, THREE = map(Number, (1, 2, 3))
FIRST, SECOND = BOTH = PersonId("manager 1"), PersonId("manager 2")
WORDS, TEN = "The disk failed.", Cents(1_000)
CASHIER, INSPECTORS = PersonId("cashier"), (PersonId("inspector 1"), PersonId("inspector 2"))
PEOPLE = {CASHIER: "Cashier", **dict.fromkeys(INSPECTORS, "Inspector"), **dict.fromkeys(BOTH, "Shift Manager")}
DESK, PIT = DeviceId("desk"), DeviceId("pit")
OLDER = RollbackOverride(BOTH, WORDS)


def start(storage: Storage, older: RollbackOverride | None = None) -> Run:
    return engine_driver.start(storage, standing=stand(storage, older=older))


def requested(
    run: Run, command: AnyCommand, device: DeviceId = SYSTEM, person: str = "", key: IdempotencyKey | None = None
) -> Outcome:
    (outcome,) = ask(run, Request(command, device, PersonId(person), key))
    return outcome


def done(run: Run, command: AnyCommand, device: DeviceId = SYSTEM, person: str = "") -> None:
    engine_driver.done(run, Request(command, device, PersonId(person)))


def refused(
    run: Run, command: AnyCommand, device: DeviceId, person: str = "", key: IdempotencyKey | None = None
) -> Code:
    return code_of(requested(run, command, device, person, key))


def set_up(run: Run) -> None:
    """A house in Adelaide with one terminal, its people and a drawer, and two slips that are out."""
    rulebook = venue(ADELAIDE)
    found = CreateHouse(Mode.REAL, rulebook.venue, "Australia/Adelaide")
    for command in (*provisioning(rulebook, TABLE, (T1,), house=found), *enrolling((DESK, PIT), PEOPLE)):
        done(run, command)
    done(run, OpenDrawer(DRAWER, Cents(100_000)), DESK, CASHIER)
    issue(run)
    issue(run)


def issue(run: Run) -> Number:
    """Put a note into the terminal, and take it out as a slip."""
    number = run.house.tickets.next_number
    done(run, InsertNote(T1, "AUD", TEN), DeviceId(T1))
    done(run, Collect(T1, Validation(number, f"digest {number}", f"{number:04d}")), DeviceId(T1))
    done(run, ConfirmPrint(T1, number), DeviceId(T1))
    return number


def paying(number: int) -> RedeemTicket:
    return RedeemTicket(DRAWER, f"digest {number}")


def opened(data: Path) -> Storage:
    return open_storage(data, KeyStore.default_for(data))


def rolled_back(tmp_path: Path) -> tuple[Path, AnchorRecord]:
    """A data directory from before a slip was paid and another issued, and what was anchored after that."""
    data, copy = tmp_path / "data", tmp_path / "copy"
    run = start(opened(data))
    set_up(run)
    run.stop()
    shutil.copytree(data, copy)
    run = start(opened(data))
    done(run, paying(1), DESK, CASHIER)
    assert issue(run) == THREE
    anchored = run.storage.anchor.read()
    run.stop()
    shutil.rmtree(data)
    shutil.copytree(copy, data)
    return data, anchored


def in_memory() -> Storage:
    """A house that has had one run, in memory."""
    storage = memory_storage()
    run = start(storage)
    set_up(run)
    run.take_snapshot()
    return storage


def copied(storage: Storage, *, pages: int | None = None, checkpoints: int | None = None) -> Storage:
    """The same journal up to some page and checkpoint, in a store of its own with the same anchor."""
    old, copy = storage.store, MemoryStore()
    assert isinstance(old, MemoryStore)
    copy.fence_row, copy.stored, copy.signed = old.fence_row, old.stored[:pages], old.signed[:checkpoints]
    return storage._replace(store=copy)


def anchored_as(storage: Storage, anchored: AnchorRecord) -> Storage:
    """The same, with an anchor of its own."""
    anchor = MemoryAnchor()
    anchor.write(anchored)
    return storage._replace(anchor=anchor)
