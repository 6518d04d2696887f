"""Two venues that share tickets, killed again and again, with a hostile third writer: each ticket is paid once.

Each venue is a process under its own role. The third writer has a role of the same database and the shared key, and
forges messages past the policies too, as an owner could; it has no signing key of another venue.
"""

import asyncio
import os
import sys
import time
from collections import Counter
from contextlib import closing, suppress
from pathlib import Path
from random import Random
from subprocess import Popen
from threading import Event, Thread
from typing import Final

import msgspec
import psycopg
import pytest
from psycopg import sql

from croupier.devices.validation import ValidationNumbers, open_key
from croupier.engine.audit import audit
from croupier.engine.journal_reader import JournalReader
from croupier.engine.places import open_store
from croupier.engine.ports import Accepted, Request
from croupier.house.credit.notes import InsertNote
from croupier.house.credit.tickets import Collect, TicketIssued, TicketRedeemed, TicketState
from croupier.house.credit.transfers import TicketReceived
from croupier.house.ids import DeviceId
from croupier.journal.checkpoints import Signer, Verifier
from croupier.journal.claims import MessageKind, TicketMessage
from croupier.journal.keystore import KeyStore, newest_record
from croupier.journal.stores.database import connect, prepare, role_of
from croupier.rulebooks.schema import read_canonical
from croupier.rules.refusal import Code, Refusal
from tests.campaigns.test_tickets_across_venues import write
from tests.server.test_ticket_exchange import body_of, claim_of
from tests.support.campaign import many
from tests.support.database import new_venue
from tests.support.linked_venues import T1, TWENTY, LinkedVenue

KILLS: Final = many(day=6, night=200)
#: How long a venue runs at most before it is killed, in seconds; one in so many is killed while it starts.
LIFE_S: Final = 1.0
STARTING: Final = 5
#: How many tickets are in circulation at each venue, and how many bearers present some at once.
CIRCULATING: Final = 12
BEARERS: Final = 6
ELSEWHERE: Final = 0.9
#: How often the third writer writes, in seconds.
HOSTILE_S: Final = 0.1
#: How long the venues may take to pay what is left, in seconds.
QUIET_S: Final = many(day=120, night=900)


class Worker:
    """A venue in a process of its own, which goes on where the one before was killed."""

    def __init__(self, folder: Path, address: str, name: str, partner: str) -> None:
        self.folder, self.name, self.partner = folder, name, partner
        self.linked = LinkedVenue(folder / name, address, name, (partner,))
        self.random, self.paid = Random(f"{name} {os.getpid()}"), set[str]()  # noqa: S311 - it decides no result

    async def run(self) -> None:
        linked, folder = self.linked, self.folder
        write(folder / f"{self.name}.key", linked.signer.verifier.text)
        while not (folder / f"{self.partner}.key").exists():  # noqa: ASYNC110 - another process
            await asyncio.sleep(0.01)
        key = msgspec.json.decode((folder / f"{self.partner}.key").read_bytes(), type=str)
        if self.partner not in linked.house.venue_accounts:
            linked.pin(self.partner, Verifier.of_text(key))
        linked.link().begin()
        write(folder / f"{self.name}.ready", os.getpid())
        async with asyncio.TaskGroup() as bearers:
            for _ in range(BEARERS):
                bearers.create_task(self._bear())
        write(folder / f"{self.name}.done", len(self.paid))
        while not (folder / f"{self.partner}.done").exists():  # noqa: ASYNC110 - another process
            await asyncio.sleep(0.05)
        await linked.stop()

    async def _issue(self) -> None:
        """Have a player insert a note and collect; the same for a note that another bearer has inserted."""
        for each in (InsertNote(T1, "USD", TWENTY), Collect(T1)):
            await self.linked.ask(Request(each, DeviceId(T1)))

    def _own(self, *, finishing: bool) -> list[str]:
        """The tickets of this venue that can be paid; at the end also those that another may not have paid yet."""
        tickets = [each for each in self.linked.house.tickets.all.values() if not each.venue]
        left = [each for each in tickets if each.payable or (finishing and each.state is TicketState.TRANSFERRED)]
        return [self.linked.numbers.number(each.sequence) for each in left]

    def _theirs(self) -> list[str]:
        """The tickets of the partner that this venue does not know to be paid."""
        file = self.folder / f"{self.partner}.issued"
        listed = msgspec.json.decode(file.read_bytes(), type=list[str]) if file.exists() else []
        return [number for number in listed if number not in self.paid]

    async def _bear(self) -> None:
        """Present tickets at this venue; once no more are issued, until none is left."""
        finishing = False
        while (theirs := self._theirs()) or not finishing or not (self.folder / f"{self.partner}.last").exists():
            finishing = (self.folder / "finish").exists()
            own = self._own(finishing=finishing)
            write(self.folder / f"{self.name}.issued", own)
            if finishing:
                write(self.folder / f"{self.name}.last", len(own))
            elif len(own) < CIRCULATING:
                await self._issue()
            if not theirs:
                await asyncio.sleep(0.02)
                continue
            # Most are brought to the venue that has not issued them.
            number = self.random.choice(theirs if self.random.random() < ELSEWHERE else own or theirs)
            outcome = await self.linked.redeem(number)
            if isinstance(outcome, Accepted) or outcome.code is Code.TICKET_PAID:
                self.paid.add(number)
            else:
                assert isinstance(outcome, Refusal)
                assert outcome.code in (Code.VENUE_SILENT, Code.TICKET_TRANSFERRED, Code.TICKET_UNKNOWN, Code.BUSY)
                await asyncio.sleep(0.02)


class ThirdWriter:
    """Forges what it can, as a role of the database and past the policies, until it is stopped."""

    def __init__(self, address: str, names: tuple[str, str, str]) -> None:
        self._address, self._names, self._stopped = address, names, Event()
        self.forged = self.refused = 0
        self._signer, self._random = Signer.new(), Random(3)  # noqa: S311 - it decides no result
        self.failed: Exception | None = None
        self._thread = Thread(target=self._run)
        self._thread.start()

    def stop(self) -> None:
        self._stopped.set()
        self._thread.join()

    def _run(self) -> None:
        as_role = self._address.replace("owner@", f"{role_of(self._names[2])}@")
        try:
            with connect(self._address, "hostile") as owner, connect(as_role, "hostile") as role:
                while not self._stopped.wait(HOSTILE_S):
                    self._forge(owner)
                    self._write(role)
        except Exception as error:  # noqa: BLE001 - the test reports it
            self.failed = error

    def _forge(self, owner: psycopg.Connection[tuple[object, ...]]) -> None:
        """Insert a message that neither venue has signed, or one that a venue has, under another number or name."""
        sender, recipient = self._random.sample(self._names[:2], 2)
        query = "SELECT kind, sender, recipient, number, body, signature FROM croupier.ticket_message"
        genuine = owner.execute(f"{query} ORDER BY random() LIMIT 1").fetchone()
        last = f"{query} WHERE kind = 'transfer' AND sender = %s AND recipient = %s ORDER BY number DESC LIMIT 1"
        found = owner.execute(last, (sender, recipient)).fetchone()
        number = 1 + (int(str(found[3])) if found else 0)
        token = f"{self._random.randrange(10**18):018}"
        message = TicketMessage(MessageKind.TRANSFER, sender, recipient, number, body_of(token, previous=number - 1))
        forgeries = [
            message.signed(self._signer),
            message._replace(signature=bytes(64)),
            TicketMessage(MessageKind.CLAIM, sender, recipient, number, claim_of(token)).signed(self._signer),
        ]
        if genuine is not None:
            copied = TicketMessage(MessageKind(genuine[0]), *genuine[1:])  # type: ignore[arg-type]
            refusal = '{"outcome":"refused","code":"ticket_void","message":"Void."}'
            forgeries += [
                copied._replace(number=copied.number % 2**62 + 1),
                copied._replace(sender=copied.recipient, recipient=copied.sender),
                copied._replace(body=copied.body.replace("2000", "9900"), number=copied.number),
                TicketMessage(MessageKind.RESPONSE, copied.recipient, copied.sender, copied.number, refusal),
            ]
        insert = "INSERT INTO croupier.ticket_message (kind, sender, recipient, number, body, signature)"
        chosen = self._random.choice(forgeries)
        done = owner.execute(f"{insert} VALUES (%s, %s, %s, %s, %s, %s) ON CONFLICT DO NOTHING", chosen)
        self.forged += done.rowcount

    def _write(self, role: psycopg.Connection[tuple[object, ...]]) -> None:
        """Try to stop a venue, as a role of another one."""
        statement = self._random.choice(
            (
                "INSERT INTO croupier.page SELECT 1 + random()::int, 1, 1, 1, 1, sha256(''), '', ''",
                "UPDATE croupier.venue SET epoch = 99 WHERE role <> current_user",
                "UPDATE croupier.lease SET ends = '-infinity' WHERE venue <> (SELECT id FROM croupier.venue)",
                "DELETE FROM croupier.ticket_message",
                "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE usename <> current_user",
            )
        )
        try:
            self.refused += role.execute(statement).rowcount == 0
        except psycopg.errors.InsufficientPrivilege:
            self.refused += 1


# By night it takes some minutes: two processes start a hundred times each.
@pytest.mark.timeout(3_600)
@pytest.mark.campaign
def test_each_ticket_is_paid_once_whatever_is_killed_and_forged(database: str, tmp_path: Path) -> None:
    """After kills of two venues, under forged messages, every ticket was paid once, and each receipt is signed."""
    name = role_of(new_venue())
    names = (new_venue(), new_venue(), new_venue())
    with connect(database, "test") as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    address = database.replace("/postgres?", f"/{name}?")
    prepare(address, {each: role_of(each) for each in names})
    paid = run_and_kill(tmp_path, address, names)
    assert set(paid.values()) == {1}
    assert len(paid) >= CIRCULATING


def run_and_kill(folder: Path, address: str, names: tuple[str, str, str]) -> Counter[str]:
    """Run the venues, kill them, let them finish, and count how often each ticket was paid."""
    random, hostile = Random(KILLS), ThirdWriter(address, names)  # noqa: S311 - it decides no result
    running = {name: begun(folder, address, name, other) for name, other in (names[:2], names[1::-1])}
    try:
        for _ in range(KILLS):
            victim = random.choice(names[:2])
            if random.randrange(STARTING):
                wait_for_both(folder, running)
            time.sleep(random.uniform(0, LIFE_S))
            assert running[victim].poll() is None, victim
            running[victim].kill()
            running[victim].wait()
            running[victim] = begun(folder, address, victim, names[1 - names.index(victim)])
        write(folder / "finish", True)  # noqa: FBT003 - the content of a file
        assert [each.wait(QUIET_S) for each in running.values()] == [0, 0]
    finally:
        hostile.stop()
        for each in running.values():
            with suppress(ProcessLookupError):
                each.kill()
    assert hostile.failed is None
    assert min(hostile.forged, hostile.refused) > KILLS
    return counted(folder, names[:2])


def wait_for_both(folder: Path, running: "dict[str, Popen[bytes]]") -> None:
    """Wait until both venues exchange tickets."""
    for name, process in running.items():
        ready, until = folder / f"{name}.ready", time.monotonic() + QUIET_S
        while not ready.exists() or msgspec.json.decode(ready.read_bytes()) != process.pid:
            assert time.monotonic() < until
            assert process.poll() is None
            time.sleep(0.01)


def begun(folder: Path, address: str, name: str, partner: str) -> "Popen[bytes]":
    as_role = address.replace("owner@", f"{role_of(name)}@")
    return Popen(
        [sys.executable, "-m", "tests.campaigns.test_tickets_under_kills", str(folder), as_role, name, partner]
    )


def counted(folder: Path, names: tuple[str, ...]) -> Counter[str]:
    """Audit both journals, compare their accounts, and count the payments of each number that was issued."""
    keys = {name: KeyStore.default_for(folder / name / "data") for name in names}
    numbers = {name: ValidationNumbers(open_key(each)) for name, each in keys.items()}
    events = {}
    for name, each in keys.items():
        with closing(open_store(folder / name / "data", writing=False)) as store:
            report = audit(store, each.verifier(), read_canonical, newest_record(each.anchor_records()), each.signer())
            assert report.entries == report.signed_to
            events[name] = [entry.event for page in JournalReader(store) for entry in page.entries]
    issued = {
        numbers[name].number(event.sequence): 0
        for name in names
        for event in events[name]
        if isinstance(event, TicketIssued)
    }
    paid = Counter(issued)
    for name in names:
        of_digest = {numbers[name].digest(number): number for number in issued}
        here = dict[int, str]()
        for event in events[name]:
            if isinstance(event, TicketIssued):
                here[event.sequence] = numbers[name].number(event.sequence)
            elif isinstance(event, TicketReceived):
                here[event.sequence] = of_digest[event.digest]
            elif isinstance(event, TicketRedeemed):
                paid[here[event.sequence]] += 1
    received = [sum(isinstance(event, TicketReceived) for event in events[name]) for name in names]
    assert min(received) > 0
    print(f"{KILLS} kills, {len(paid)} tickets, {sum(received)} transfers")
    return paid


def main() -> None:
    folder, address, name, partner = sys.argv[1:]
    asyncio.run(Worker(Path(folder), address, name, partner).run())


if __name__ == "__main__":
    main()
