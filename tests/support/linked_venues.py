"""Venues of one operator in one database: each with its engine and its exchange of tickets, and without a server."""

import asyncio
from collections.abc import Mapping
from itertools import count
from pathlib import Path
from typing import Final

from croupier.devices.validation import KEY_BYTES, SharedNumbers, ValidationNumbers, open_key
from croupier.engine.places import JournalPlace, settle_place
from croupier.engine.ports import Accepted, BatchOutput, Outcome, Ports, Request
from croupier.engine.storage import open_storage
from croupier.house import AnyCommand, House
from croupier.house.credit.drawers import OpenDrawer, RedeemTicket
from croupier.house.credit.notes import InsertNote
from croupier.house.credit.tickets import Collect, ConfirmPrint, InsertTicket, Ticket, find_ticket
from croupier.house.credit.transfers import PinVenue
from croupier.house.floor.setup import ApproveBuild, CreateHouse, ReportBuild
from croupier.house.floor.staff import EnrolDevice, EnrolPerson
from croupier.house.ids import DeviceId, DrawerId, Number, PersonId, TableId, TerminalId
from croupier.house.settings import Mode, TableSettings
from croupier.house.verification import ledger_problems
from croupier.journal.checkpoints import Signer, Verifier
from croupier.journal.claims import ClaimStore, Genuine, Incoming, Outgoing
from croupier.journal.disk import JournalFault
from croupier.journal.keystore import KeyStore
from croupier.rules.money import Cents
from croupier.rules.refusal import Refusal
from croupier.server.ticket_exchange import Links, SharedKeys, TicketExchange
from tests.conftest import venue
from tests.support.engine_driver import SOFTWARE, HandClock, provisioning, stand, start

CLEARWATER: Final = "clearwater-etg"
TABLE, T1, T2 = TableId("table 1"), TerminalId("T1"), TerminalId("T2")
DESK, CASHIER, DRAWER = DeviceId("desk"), PersonId("cashier"), DrawerId("D1")
TWENTY: Final = Cents(2_000)
FLOAT: Final = Cents(10**9)
SHARED: Final = SharedNumbers(bytes(reversed(range(KEY_BYTES))))
#: More records than any test closes: an auditor compares them all.
ALL_RECORDS: Final = 1_000_000


class BrokenStore:
    """A store of messages that writes and reads, and then loses its connection if that is wanted."""

    def __init__(self, store: ClaimStore, linked: "LinkedVenue") -> None:
        self._store, self._linked = store, linked

    def send_and_receive(self, outgoing: Outgoing, received: Mapping[str, int], genuine: Genuine) -> Incoming:
        found = self._store.send_and_receive(outgoing, received, genuine)
        if self._linked.loses_connection:
            self._linked.loses_connection = False
            raise JournalFault("the connection was lost after the commit")
        return found

    def close(self) -> None:
        self._store.close()


class LinkedVenue:
    """A venue with two terminals and a cashier, which pays the tickets of its partners and they pay its own."""

    def __init__(  # noqa: PLR0913 - each has a default
        self,
        folder: Path,
        address: str,
        name: str,
        partners: tuple[str, ...],
        *,
        rulebook: str = CLEARWATER,
        mode: Mode = Mode.REAL,
        ticket_days: int | None = None,
        records_kept: int = ALL_RECORDS,
    ) -> None:
        self.name, self._folder, self._place, self._partners = name, folder, JournalPlace(address, name), partners
        self._house = CreateHouse(mode, name, "UTC", ticket_days, records_kept)
        self._rulebook, self.clock = venue(rulebook), HandClock()
        self.loses_connection = False
        self._numbers_of_keys = count(1)
        self.start()

    def start(self) -> None:
        """Start on what is committed."""
        data = self._folder / "data"
        settle_place(data, self._place)
        keys = KeyStore.default_for(data)
        self.storage = open_storage(data, keys)
        self.numbers = ValidationNumbers(open_key(keys))
        self._awaited: dict[int, asyncio.Future[Outcome]] = {}
        self._is_due = False
        recovered = stand(self.storage)
        self.clock.at = max(self.clock.at, recovered.house.now)
        self.run = start(self.storage, Ports(self.clock, self, validates=self.numbers.validation), standing=recovered)
        if self.house.setup.mode is None:
            self._provision()

    def _provision(self) -> None:
        self.done(
            *provisioning(self._rulebook, TABLE, (T1, T2), TableSettings(warning_s=0), self._house),
            ApproveBuild(SOFTWARE, "1"),
            ReportBuild(SOFTWARE),
            EnrolDevice(DESK),
            EnrolPerson(CASHIER, ("Cashier",)),
        )
        self.done(Request(OpenDrawer(DRAWER, FLOAT), DESK, CASHIER))

    def link(self) -> TicketExchange:
        """Make the exchange of tickets, on the running event loop."""
        links = Links.of(self._place)
        broken = Links(lambda: BrokenStore(links.store(), self), links.listener)
        self.exchange = TicketExchange(
            self.house,
            self.ask,
            self.numbers,
            SharedKeys(self.storage.signer, SHARED),
            broken,
            self._partners,
            self.storage.tickets,
        )
        return self.exchange

    @property
    def place(self) -> JournalPlace:
        return self._place

    @property
    def signer(self) -> Signer:
        return self.storage.signer

    def pin(self, venue: str, key: Verifier) -> None:
        """Accept tickets that another venue has signed with this key."""
        self.done(PinVenue(venue, key.text))

    @property
    def house(self) -> House:
        return self.run.house

    def publish(self, batch: BatchOutput) -> None:
        for answer in batch.responses:
            waiting = self._awaited.pop(id(answer.request), None)
            if waiting is not None and not waiting.done():
                waiting.set_result(answer.outcome)

    def done(self, *wanted: Request | AnyCommand) -> None:
        """Have commands accepted in one batch."""
        for each in wanted:
            assert self.run.submit(each if isinstance(each, Request) else Request(each)) is None
        outcomes = [answer.outcome for answer in self.run.step().responses]
        assert all(isinstance(each, Accepted) for each in outcomes), outcomes

    async def ask(self, request: Request) -> Outcome:
        """Submit a request, and wait for its outcome; requests that come together are committed together."""
        refusal = self.run.submit(request)
        if refusal is not None:
            return refusal
        self._awaited[id(request)] = waiting = asyncio.get_running_loop().create_future()
        if not self._is_due:
            self._is_due = True
            asyncio.get_running_loop().call_soon(self._step)
        outcome: Outcome = await waiting
        return outcome

    def _step(self) -> None:
        self._is_due = False
        self.run.step()

    def issue(self, value: Cents = TWENTY) -> str:
        """Have a player insert a note and collect it; return the number of the ticket."""
        note = InsertNote(T1, self._rulebook.currency, value)
        self.done(Request(note, DeviceId(T1)), Request(Collect(T1), DeviceId(T1)))
        sequence = Number(self.house.tickets.next_number - 1)
        self.done(Request(ConfirmPrint(T1, sequence), DeviceId(T1)))
        return self.numbers.number(sequence)

    def issue_many(self, count: int, at_once: int = 100) -> list[str]:
        """Issue tickets, some in each batch; return their numbers."""
        seat, numbers = DeviceId(T1), list[str]()
        while len(numbers) < count:
            first = self.house.tickets.next_number
            last = first + min(at_once, count - len(numbers))
            commands = [
                command
                for sequence in range(first, last)
                for command in (
                    InsertNote(T1, self._rulebook.currency, TWENTY),
                    Collect(T1),
                    ConfirmPrint(T1, Number(sequence)),
                )
            ]
            self.done(*(Request(each, seat) for each in commands))
            numbers += [self.numbers.number(Number(sequence)) for sequence in range(first, last)]
        return numbers

    def ticket(self, number: str) -> Ticket | None:
        digest = self.numbers.digest(number)
        assert digest is not None
        return find_ticket(self.house, digest)

    async def pay(self, number: str) -> Outcome:
        """Have the cashier pay a ticket that is here."""
        digest = self.numbers.digest(number)
        assert digest is not None
        return await self.ask(Request(RedeemTicket(DRAWER, digest), DESK, CASHIER))

    async def insert(self, number: str) -> Outcome:
        """Have a terminal take a ticket that is here."""
        digest = self.numbers.digest(number)
        assert digest is not None
        return await self.ask(Request(InsertTicket(T2, digest), DeviceId(T2)))

    async def redeem(self, number: str) -> Outcome:
        """Have the cashier redeem a ticket of this venue or of another."""
        if self.exchange.is_elsewhere(number):
            refusal = await self.exchange.present(number)
            if isinstance(refusal, Refusal):
                return refusal
        return await self.pay(number)

    async def crash(self) -> None:
        """Lose everything that is not committed, and start again."""
        await self.exchange.close()
        self.storage.close()
        self.start()
        self.link()

    @property
    def paid_out(self) -> int:
        return self.house.drawers[DRAWER].paid_out

    async def stop(self) -> None:
        await self.exchange.close()
        assert list(ledger_problems(self.house)) == []
        self.run.stop()
