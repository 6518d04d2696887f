"""Retention: what is closed leaves the state, is still told of, and is never paid again."""

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace as replaced
from pathlib import Path
from typing import Final

import apsw
import msgspec
import pytest
from msgspec.structs import replace

from croupier.devices.validation import ValidationNumbers
from croupier.engine.audit import JournalAudit, audit
from croupier.engine.sequencer import RESPONSES_MAX
from croupier.engine.storage import Storage, encode_state
from croupier.engine.ticket_index import StoredTickets, TicketIndex
from croupier.house import AnyCommand, House, apply
from croupier.house.credit.drawers import CountDrawer, OpenDrawer
from croupier.house.credit.tickets import ReportLost, Ticket, TicketState
from croupier.house.floor.incidents import ClearIncident, NoteIncident
from croupier.house.floor.malfunctions import ClearCase, RaiseMalfunction
from croupier.house.floor.setup import CreateHouse
from croupier.house.ids import SYSTEM, Context, DeviceId, DrawerId, Instant, Number, PersonId
from croupier.house.settings import Mode
from croupier.house.state.records import MalfunctionKind
from croupier.house.verification import ledger_problems, state_digest
from croupier.journal.checkpoints import Signer
from croupier.journal.disk import JournalFault
from croupier.protocol.queries import TicketRow
from croupier.reports.drawer_projection import ticket_receipt
from croupier.rulebooks.schema import read_canonical
from croupier.rules.money import Cents
from croupier.rules.refusal import Code, Refusal
from croupier.server.ticket_desk import LookupFailure, TicketLookup
from tests.support.engine_driver import code_of, done, enrolling, memory_storage, raised_code
from tests.support.shift import CASHIER, DESK, DRAWER, T1, Shift, opening, redeeming

KEPT = 5
CONSOLE, BOSS = DeviceId("console"), PersonId("boss")


def on_disk(folder: Path) -> Storage:
    """An archive whose index of closed tickets is a file."""
    storage = memory_storage()
    return storage._replace(tickets=TicketIndex(folder / "tickets.db", storage.signer))


def founded(folder: Path, kept: int = KEPT) -> Shift:
    """A shift in a venue that keeps few closed records."""
    shift = Shift(on_disk(folder))
    commands = opening()
    assert isinstance(commands[0], CreateHouse)
    done(shift.run, replace(commands[0], records_kept=kept), *commands[1:])
    done(shift.run, *enrolling((CONSOLE,), {BOSS: "Pit Boss"}))
    done(shift.run, shift.keyed(OpenDrawer(DRAWER, Cents(10**9)), DESK, CASHIER))
    return shift


def boss(shift: Shift, *commands: AnyCommand) -> None:
    """Have the pit boss do something."""
    done(shift.run, *(shift.keyed(command, CONSOLE, BOSS) for command in commands))


def paid(shift: Shift, count: int) -> None:
    """Issue so many tickets and pay each at the desk."""
    for _ in range(count):
        sequence = shift.house.tickets.next_number
        shift.ticket()
        done(shift.run, shift.keyed(redeeming(sequence), DESK, CASHIER))


def again_paid(shift: Shift, sequence: int) -> Refusal:
    """Ask the desk to pay a ticket once more."""
    (refused,) = shift.ask(shift.keyed(redeeming(sequence), DESK, CASHIER))
    assert isinstance(refused, Refusal)
    return refused


def restarted(shift: Shift, path: Path) -> Shift:
    """Start again with the index in a file."""
    return Shift(shift.storage._replace(tickets=TicketIndex(path, shift.storage.signer)), shift.clock)


def test_closed_tickets_leave_the_state(tmp_path: Path) -> None:
    """Of paid tickets the last few stay in the state; the books are sound, and sequences go on."""
    shift = founded(tmp_path)
    paid(shift, 20)

    assert list(shift.house.tickets.all) == list(range(15, 21))
    assert set(shift.house.tickets.by_digest.values()) == set(shift.house.tickets.all)
    assert (shift.house.tickets.retired_count, shift.house.tickets.next_number) == (14, 21)
    assert list(ledger_problems(shift.house)) == []
    assert state_digest(shift.again().house) == state_digest(shift.house)


def test_ticket_that_left_the_state_is_reported_as_paid(tmp_path: Path) -> None:
    """An old ticket is refused as paid, with the time and the place, and a number never issued as unknown."""
    shift = founded(tmp_path)
    paid(shift, 1)
    recent = again_paid(shift, 1)
    paid(shift, 19)
    assert 1 not in shift.house.tickets.all

    old = again_paid(shift, 1)
    assert old.code is Code.TICKET_PAID
    assert (old.message, old.facts, old.clause) == (recent.message, recent.facts, recent.clause)
    assert again_paid(shift, 99).code is Code.TICKET_UNKNOWN
    assert code_of(shift.ask(shift.keyed(ReportLost(Number(1), "lost"), DESK, CASHIER))[0]) is Code.TICKET_PAID
    assert code_of(shift.ask(shift.keyed(ReportLost(Number(99), "lost"), DESK, CASHIER))[0]) is Code.UNKNOWN_RECORD
    assert code_of(shift.ask(shift.keyed(CountDrawer(DrawerId("none"), Cents(0)), DESK, CASHIER))[0]) is not None
    drawer = shift.house.drawers[next(iter(shift.house.drawers))]
    assert drawer.paid_out == 20 * 10_000


@pytest.mark.parametrize("stopped", [False, True])
def test_index_holds_after_a_start(tmp_path: Path, *, stopped: bool) -> None:
    """After a crash and after a stop the old tickets are told as before, each once."""
    shift = founded(tmp_path)
    paid(shift, 12)
    shift.run.take_snapshot()
    paid(shift, 8)
    if stopped:
        shift.run.take_snapshot()
    later = shift.again()

    assert later.recovered.snapshot_rejected == ""
    assert (later.recovered.replayed == 0) is stopped
    assert [again_paid(later, each).code for each in range(1, 21)] == [Code.TICKET_PAID] * 20
    later.storage.close()


def test_lost_index_is_rebuilt_from_the_journal(tmp_path: Path) -> None:
    """An index that is missing, or damaged, has the whole journal read, and is then complete."""
    shift = founded(tmp_path)
    paid(shift, 20)
    shift.run.take_snapshot()
    for number, damage in enumerate((None, b"no database at all" * 400)):
        path = tmp_path / f"other-{number}.db"
        if damage is not None:
            path.write_bytes(damage)
        later = restarted(shift, path)
        assert later.recovered.snapshot_rejected == "the index of closed tickets is incomplete"
        assert again_paid(later, 3).code is Code.TICKET_PAID


def test_damaged_index_says_nothing(tmp_path: Path) -> None:
    """Where the index is damaged while a house runs, an old ticket is refused as unknown, and nothing else fails."""
    shift = founded(tmp_path)
    paid(shift, 20)
    assert again_paid(shift, 1).code is Code.TICKET_PAID
    other = apsw.Connection(str(tmp_path / "tickets.db"))
    other.execute("DROP TABLE ticket")
    other.close()

    assert again_paid(shift, 1).code is Code.TICKET_UNKNOWN


def test_house_goes_on_without_its_index(tmp_path: Path) -> None:
    """An index that cannot be written stops nobody: tickets are paid once all the same, and a start rebuilds it."""
    shift = founded(tmp_path)
    paid(shift, 20)
    other = apsw.Connection(str(tmp_path / "tickets.db"))
    other.execute("DROP TABLE ticket")
    other.close()
    paid(shift, 10)
    shift.run.take_snapshot()
    assert again_paid(shift, 30).code is Code.TICKET_PAID
    later = Shift(
        shift.storage._replace(tickets=TicketIndex(tmp_path / "tickets.db", shift.storage.signer)), shift.clock
    )

    assert later.recovered.snapshot_rejected == "the index of closed tickets is incomplete"
    assert [again_paid(later, each).code for each in range(1, 31)] == [Code.TICKET_PAID] * 30


def test_index_whose_pages_are_damaged_is_rebuilt(tmp_path: Path) -> None:
    """An index that opens and cannot be read is begun anew at a start, and filled from the journal."""
    shift = founded(tmp_path)
    paid(shift, 20)
    shift.run.take_snapshot()
    assert shift.storage.tickets is not None
    shift.storage.tickets.close()
    path = tmp_path / "tickets.db"
    pages = path.read_bytes()
    path.write_bytes(pages[:4_096] + b"\xff" * (len(pages) - 4_096))
    later = restarted(shift, path)

    assert later.recovered.snapshot_rejected == "the index of closed tickets is incomplete"
    assert [again_paid(later, each).code for each in range(1, 21)] == [Code.TICKET_PAID] * 20


def _forged(body: bytes) -> bytes:
    """A paid ticket that is payable again."""
    ticket = msgspec.msgpack.decode(body, type=Ticket)
    ticket.state = TicketState.PRINTED
    return msgspec.msgpack.encode(ticket)


#: How the holder of the data directory may change the row of a ticket; the last one has the venue's key too.
TAMPERS: Final[dict[str, Callable[[bytes, Signer], tuple[str, tuple[object, ...]]]]] = {
    "payable again": lambda body, _: ("UPDATE ticket SET body = ? WHERE sequence = 3", (_forged(body),)),
    "not decodable": lambda _, __: ("UPDATE ticket SET body = ? WHERE sequence = 3", (b"?",)),
    "another place": lambda _, __: ("UPDATE ticket SET retirement = 900 WHERE sequence = 3", ()),
    "another number": lambda _, __: ("UPDATE ticket SET sequence = 3 WHERE sequence = 4", ()),
    "deleted": lambda _, __: ("DELETE FROM ticket WHERE sequence = 3", ()),
    "not decodable, with a MAC": lambda _, signer: (
        "UPDATE ticket SET body = ?, mac = ? WHERE sequence = 3",
        (b"?", signer.mac(b"croupier ticket index 1\n3 ?")),
    ),
    "payable again, with a MAC": lambda body, signer: (
        "UPDATE ticket SET body = ?, mac = ? WHERE sequence = 3",
        (_forged(body), signer.mac(b"croupier ticket index 1\n3 " + _forged(body))),
    ),
}


def tampered(shift: Shift, folder: Path, tamper: str) -> None:
    """Change the row of the third ticket."""
    other = apsw.Connection(str(folder / "tickets.db"))
    body = other.execute("SELECT body FROM ticket WHERE sequence = 3").get
    other.execute(*TAMPERS[tamper](body, shift.storage.signer))
    other.close()


@pytest.mark.parametrize("tamper", TAMPERS)
def test_changed_row_is_not_shown_and_is_rebuilt(tmp_path: Path, tamper: str) -> None:
    """A row that the venue has not written so is never shown, as payment refuses it; the next start rebuilds it."""
    shift = founded(tmp_path)
    paid(shift, 20)
    shift.run.take_snapshot()
    tampered(shift, tmp_path, tamper)
    index = shift.storage.tickets
    assert index is not None
    for found in (index.by_sequence(Number(3)), index.by_sequence(Number(4))):
        assert found is None or found.state is TicketState.REDEEMED
    changed = 4 if tamper == "another number" else 3
    expected = {changed: Code.TICKET_UNKNOWN, 7 - changed: Code.TICKET_PAID}
    assert {each: again_paid(shift, each).code for each in (3, 4)} == expected
    later = Shift(
        shift.storage._replace(tickets=TicketIndex(tmp_path / "tickets.db", shift.storage.signer)), shift.clock
    )
    assert later.recovered.snapshot_rejected == "the index of closed tickets is incomplete"
    assert [again_paid(later, each).code for each in range(1, 21)] == [Code.TICKET_PAID] * 20


@pytest.mark.parametrize("tamper", TAMPERS)
def test_audit_compares_the_index_with_the_journal(tmp_path: Path, tamper: str) -> None:
    """An audit that reads the index names the row that differs; one in a running house corrects it."""
    shift = founded(tmp_path)
    paid(shift, 20)
    path, signer, store = tmp_path / "tickets.db", shift.storage.signer, shift.storage.store
    shift.run.take_snapshot()

    def audited(signer: Signer | None) -> None:
        with closing(StoredTickets(path, signer)) as tickets:
            audit(store, shift.storage.signer.verifier, shift.house.read_rulebook, compare=tickets.check)

    audited(signer)
    audited(None)
    tampered(shift, tmp_path, tamper)
    with pytest.raises(JournalFault, match=r"row [34] of tickets.db is not what the journal says: delete it"):
        audited(signer)
    if "MAC" not in tamper:
        with pytest.raises(JournalFault, match="is not what the journal says"):
            audited(None)
    index, differing = shift.storage.tickets, list[int]()
    assert index is not None
    whole = JournalAudit(
        store,
        signer.verifier,
        shift.house.read_rulebook,
        signer,
        lambda tickets, last: differing.append(index.repair(tickets, last)),
    )
    whole.run()
    assert sum(differing) == 1
    assert [again_paid(shift, each).code for each in range(1, 21)] == [Code.TICKET_PAID] * 20
    (tmp_path / "none").mkdir()
    StoredTickets(tmp_path / "none" / "tickets.db", signer).check(shift.house.tickets.all.values(), 1)


def test_unreadable_index_is_a_finding_of_an_audit(tmp_path: Path) -> None:
    """An index that cannot be read as one is reported, with what to do about it; a running house counts its rows."""
    shift = founded(tmp_path)
    paid(shift, 20)
    path, index = tmp_path / "tickets.db", shift.storage.tickets
    assert index is not None
    other = apsw.Connection(str(path))
    other.execute("DROP TABLE ticket")
    other.close()
    tickets = list(shift.house.tickets.all.values())
    assert index.repair(tickets, len(tickets)) == len(tickets)
    with closing(StoredTickets(path, None)) as stored, pytest.raises(JournalFault, match=r"cannot be read: delete it"):
        stored.check(tickets, len(tickets))


@pytest.mark.parametrize(
    "change",
    [
        "PRAGMA user_version = 0",
        "CREATE TRIGGER more AFTER INSERT ON ticket BEGIN DELETE FROM ticket; END",
        "DROP INDEX by_digest",
        "CREATE TABLE more (id INTEGER)",
        "ALTER TABLE ticket ADD COLUMN more TEXT",
    ],
)
def test_index_of_another_version_or_shape_is_rebuilt(tmp_path: Path, change: str) -> None:
    """An index that an earlier version has written, without MACs, or that was changed, is not used."""
    shift = founded(tmp_path)
    paid(shift, 20)
    shift.run.take_snapshot()
    other = apsw.Connection(str(tmp_path / "tickets.db"))
    other.execute(change)
    other.close()
    later = Shift(
        shift.storage._replace(tickets=TicketIndex(tmp_path / "tickets.db", shift.storage.signer)), shift.clock
    )
    assert later.recovered.snapshot_rejected == "the index of closed tickets is incomplete"
    assert again_paid(later, 3).code is Code.TICKET_PAID


def test_ticket_that_leaves_the_state_in_a_batch_is_reported_in_it(tmp_path: Path) -> None:
    """In the batch in which a ticket leaves the state it is refused as paid, by its number and by its sequence."""
    shift = founded(tmp_path)
    paid(shift, KEPT)
    sequence = shift.house.tickets.next_number
    shift.ticket()
    *_, again, lost = shift.ask(
        shift.keyed(redeeming(sequence), DESK, CASHIER),
        shift.keyed(redeeming(1), DESK, CASHIER),
        shift.keyed(ReportLost(Number(1), "lost"), DESK, CASHIER),
    )

    assert [code_of(again), code_of(lost)] == [Code.TICKET_PAID] * 2


def test_index_that_is_no_database_at_all_is_refused_once(tmp_path: Path) -> None:
    """Where no index can be made the fault is SQLite's own."""
    (tmp_path / "tickets.db").mkdir()
    with pytest.raises((apsw.Error, OSError)):
        TicketIndex(tmp_path / "tickets.db", Signer.new())


def test_closed_incidents_and_cases_leave_the_state(tmp_path: Path) -> None:
    """Of cleared incidents and cases the last few stay; open ones stay for as long as they are open."""
    shift = founded(tmp_path)
    boss(shift, NoteIncident("system", "open for ever"))
    for number in range(2, 22):
        boss(shift, NoteIncident("system", "seen to"), ClearIncident(Number(number)))
    for number in range(1, 21):
        boss(shift, RaiseMalfunction(T1, MalfunctionKind.OPINION, "drift"), ClearCase(Number(number)))

    assert list(shift.house.incidents.all) == [1, *range(16, 22)]
    assert list(shift.house.cases.all) == list(range(15, 21))
    assert (shift.house.incidents.raised, shift.house.cases.raised) == (21, 20)
    assert shift.house.cases.open == {}
    (gone,) = shift.ask(shift.keyed(ClearCase(Number(1)), CONSOLE, BOSS))
    assert code_of(gone) is Code.UNKNOWN_RECORD
    assert state_digest(shift.again().house) == state_digest(shift.house)


def test_snapshot_does_not_grow_with_history(tmp_path: Path) -> None:
    """A house with five times the closed records of another has a snapshot of the same size, and walks as many."""
    sizes, walked = [], []
    # Both fill the cache of responses, which is bounded by itself. Larger numbers take a few bytes more.
    for count in (RESPONSES_MAX, 5 * RESPONSES_MAX):
        folder = tmp_path / str(count)
        folder.mkdir()
        shift = founded(folder)
        paid(shift, count)
        for _ in range(count):
            number = Number(shift.house.cases.raised + 1)
            boss(shift, RaiseMalfunction(T1, MalfunctionKind.OPINION, "drift"), ClearCase(number))
        sizes.append(len(encode_state(shift.house, shift.run.sequencer.idempotency)))
        walked.append(len(shift.house.tickets.all) + len(shift.house.cases.all) + len(shift.house.cases.open))

    assert sizes[1] <= 1.05 * sizes[0]
    assert walked[0] == walked[1]


def test_ticket_that_is_payable_again_stays(tmp_path: Path) -> None:
    """Only what is closed leaves the state, whatever the queue of closed tickets says."""
    shift = founded(tmp_path)
    paid(shift, KEPT)
    first = shift.house.tickets.all[Number(1)]
    first.state = TicketState.PRINTED
    paid(shift, 5)

    assert shift.house.tickets.all[Number(1)] is first


def test_desk_looks_up_a_ticket_that_left_the_state(tmp_path: Path) -> None:
    """A desk that looks an old number up is told what became of the ticket, and is offered nothing."""
    shift, numbers = founded(tmp_path), ValidationNumbers(bytes(32))
    index = shift.storage.tickets
    assert index is not None
    digest = numbers.read(numbers.number(Number(1)))
    assert isinstance(digest, str)
    assert index.by_digest(digest) is None
    shift.ticket()
    old = replaced(
        shift.house.tickets.all.pop(Number(1)), digest=digest, state=TicketState.REDEEMED, paid_at=Instant(7)
    )
    index.add([old], 1)

    found = TicketLookup(numbers, index).find(shift.house, DESK, numbers.number(Number(1)), Instant(0))

    assert isinstance(found, TicketRow)
    assert (found.status, found.paid_at_us, found.actions) == ("redeemed", 7, ())
    assert found.why_not is not None
    assert raised_code(ticket_receipt, shift.house, Number(1), Instant(9)) is Code.UNKNOWN_RECORD
    assert (
        ticket_receipt(shift.house, Number(1), Instant(9), replaced(old, paid_by=CASHIER, paid_place=DRAWER)).drawer
        == DRAWER
    )
    unknown = TicketLookup(numbers).find(shift.house, DESK, numbers.number(Number(1)), Instant(0))
    assert isinstance(unknown, LookupFailure)


def test_house_without_an_index_pays_nothing_twice() -> None:
    """Where no index is kept an old number is unknown, which is refused all the same."""
    shift = Shift()
    commands = opening()
    assert isinstance(commands[0], CreateHouse)
    done(shift.run, replace(commands[0], records_kept=1), *commands[1:])
    shift.drawer()
    paid(shift, 5)

    assert again_paid(shift, 1).code is Code.TICKET_UNKNOWN


def test_records_kept_are_one_at_least() -> None:
    """A house cannot be founded to keep no closed record."""
    house = House.new(read_canonical)
    refused = apply(house, CreateHouse(Mode.REAL, "Ours", "UTC", records_kept=0), Context(house.now, SYSTEM))
    assert isinstance(refused, Refusal)
    assert refused.code is Code.SETTING_IMPOSSIBLE
