"""Tickets across venues: claims the tickets of others that are presented here, and transfers ours to their claimants.

A ticket of another venue is transferred here before it is paid. The issuer commits the transfer, writes it to the
database, and answers; this venue commits that it has received the ticket, which is from then on paid here as any other.
After a crash at any point the same messages are read or written again, and the journals say what was done.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from hmac import compare_digest
from typing import Final, Literal, NamedTuple, TypeVar, TypeVarTuple

import msgspec
import structlog

from croupier.devices.validation import SharedNumbers, ValidationNumbers, digits_of
from croupier.engine.places import JournalPlace, listen_for_claims, open_claims
from croupier.engine.ports import Outcome, Request
from croupier.engine.ticket_index import TicketIndex
from croupier.house.commands.credit import InsertTicket, ReceiveTicket, TransferTicket
from croupier.house.ids import Context, DeviceId, Instant, TerminalId
from croupier.house.settings import Mode
from croupier.house.state import House
from croupier.house.state.money import SentTransfer, Ticket, TicketState
from croupier.house.tickets import desk_clause, find_ticket, insert_ticket, unknown_ticket
from croupier.house.transfers import account_with
from croupier.journal.claims import (
    READ_MAX,
    ClaimListener,
    ClaimMessage,
    ClaimResponse,
    ClaimStore,
    Incoming,
    Outgoing,
    TransferMessage,
)
from croupier.journal.disk import JournalFault
from croupier.rules.money import Cents
from croupier.rules.procedure import CreditOut
from croupier.rules.refusal import ClauseId, Code, Refusal, refuse

#: How long the bearer of a ticket waits for the answers of other venues.
ANSWER_S: Final = 3.0
#: How often messages are read when none is announced, and how long it takes to try a lost database again.
POLL_S: Final = 0.5
RETRY_S: Final = 1.0
_LISTEN_MS: Final = 200
#: The house could not decide yet: the claim is read again.
_LATER: Final = frozenset({Code.BUSY, Code.COMMAND_FAILED})
#: The ticket is not, or not any more, the business of the venue that says so: another one may have it.
_ELSEWHERE: Final = frozenset({Code.TICKET_UNKNOWN, Code.TICKET_TRANSFERRED})
_LOG = structlog.get_logger()
#: Submits a request of the server itself, and waits until its outcome is committed.
Ask = Callable[[Request], Awaitable[Outcome]]
Result = TypeVar("Result")
Values = TypeVarTuple("Values")


class _Claim(msgspec.Struct, frozen=True):
    mode: Mode
    currencies: tuple[str, ...]
    at_terminal: bool


class _Transfer(msgspec.Struct, frozen=True):
    previous: int
    token: str
    last_four: str
    form: CreditOut
    amount: Cents
    currency: str
    issued_at: Instant
    at: Instant


class _Response(msgspec.Struct, frozen=True):
    outcome: Literal["granted", "refused"]
    code: Code = Code.TICKET_UNKNOWN
    clause: ClauseId | None = None
    message: str = ""
    facts: dict[str, object] = {}


@dataclass(slots=True, eq=False)
class _Waiter:
    """The bearer of a ticket that was claimed, and the answers so far."""

    digest: str
    body: str
    ends_at: float
    result: "asyncio.Future[Refusal | None]"
    #: The venues that have not answered, and those that have transferred the ticket.
    silent: set[str]
    granted: set[str] = field(default_factory=set)
    refusals: list[Refusal] = field(default_factory=list)
    is_sent: bool = False


class Links(NamedTuple):
    """How the messages are reached: opened again after a fault."""

    store: Callable[[], ClaimStore]
    listener: Callable[[], ClaimListener]

    @classmethod
    def of(cls, place: JournalPlace) -> "Links":
        return cls(lambda: open_claims(place), lambda: listen_for_claims(place))


class TicketExchange:
    """Exchanges tickets with other venues of the operator, on two threads of its own."""

    def __init__(  # noqa: PLR0913, PLR0917 - it joins two venues
        self,
        house: House,
        ask: Ask,
        numbers: ValidationNumbers,
        shared: SharedNumbers,
        links: Links,
        venues: Iterable[str],
        closed: TicketIndex | None = None,
    ) -> None:
        self.house, self._ask, self._numbers, self._shared, self._links = house, ask, numbers, shared, links
        self.venues, self._closed = tuple(venues), closed
        self._waiting: dict[str, _Waiter] = {}
        self._withdrawn: set[str] = set()
        self._responses: list[ClaimResponse] = []
        #: The last transfer to each venue that is in the database; those that the journal lists may be there already.
        self._written: dict[str, int] = {}
        self._wake = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self._threads = ThreadPoolExecutor(2, "ticket-exchange")
        self._store: ClaimStore | None = None
        self._listener: ClaimListener | None = None

    # Presenting a ticket here.

    def is_elsewhere(self, number: str) -> bool:
        """Return whether a number may be that of a ticket that another venue has to pay."""
        digest = self._numbers.digest(number)
        ticket = None if digest is None else self._find(digest)
        return digest is not None and (ticket is None or ticket.state is TicketState.TRANSFERRED)

    def _find(self, digest: str) -> Ticket | None:
        return find_ticket(self.house, digest) or (None if self._closed is None else self._closed.by_digest(digest))

    async def present(self, number: str, terminal: TerminalId | None = None) -> Refusal | None:
        """Claim a ticket from the other venues: None once it can be paid here, or why it cannot."""
        digits, digest = digits_of(number), self._numbers.digest(number)
        assert digits is not None
        assert digest is not None
        objection = None if terminal is None else self._not_taken(terminal, digest)
        if objection is not None:
            return objection
        token = self._shared.token(digits)
        if token not in self._waiting:
            loop = asyncio.get_running_loop()
            body = msgspec.json.encode(self._claim(terminal)).decode()
            result: asyncio.Future[Refusal | None] = loop.create_future()
            self._waiting[token] = _Waiter(digest, body, loop.time() + ANSWER_S, result, set(self.venues))
            self._wake.set()
        return await asyncio.shield(self._waiting[token].result)

    def _not_taken(self, terminal: TerminalId, digest: str) -> Refusal | None:
        """Refuse what the terminal would refuse of a ticket of this house too, before any other venue is asked."""
        context = Context(self.house.now, DeviceId(terminal))
        decided = insert_ticket(self.house, InsertTicket(terminal, digest), context)
        return decided if isinstance(decided, Refusal) and decided.code not in _ELSEWHERE else None

    def _claim(self, terminal: TerminalId | None) -> _Claim:
        house = self.house
        assert house.mode is not None
        books = (
            [table.rulebook for table in house.tables.values()]
            if terminal is None
            else [house.rulebook_at(house.terminals[terminal])]
        )
        return _Claim(house.mode, tuple(dict.fromkeys(book.currency for book in books)), terminal is not None)

    def present_then(self, number: str, terminal: TerminalId, then: Callable[[Refusal | None], object]) -> None:
        """Claim a ticket that a terminal was given, and call a function with the result."""
        self._begin(self._present(number, terminal, then))

    async def _present(self, number: str, terminal: TerminalId, then: Callable[[Refusal | None], object]) -> None:
        then(await self.present(number, terminal))

    # Exchanging messages.

    def begin(self) -> None:
        """Begin to exchange messages."""
        self._begin(self._run())
        self._begin(self._listen())

    def _begin(self, work: Coroutine[object, object, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        """Stop. A claim that waits gets no answer: its ticket may be received by the next start."""
        tasks = tuple(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._threads.shutdown()
        self._disconnect()
        if self._listener is not None:
            self._listener.close()

    async def _run(self) -> None:
        while True:
            self._wake.clear()
            try:
                await self.step()
            except JournalFault as fault:
                _LOG.warning("ticket_exchange_failed", words=str(fault))
                self._expire()
                await asyncio.sleep(RETRY_S)
            else:
                with suppress(TimeoutError):
                    async with asyncio.timeout(POLL_S):
                        await self._wake.wait()

    async def step(self) -> None:
        """Write the messages that are due, read those of others, and act on them; JournalFault if that fails."""
        outgoing = self._outgoing()
        received = {venue: account_with(self.house, venue).last_received for venue in self.venues}
        try:
            incoming = await self._in_thread(self._send_and_receive, outgoing, received)
        except JournalFault:
            # The next connection forgets the claims of this one.
            for waiter in self._waiting.values():
                waiter.is_sent = False
            raise
        self._sent(outgoing)
        await self._handle(incoming)

    async def _listen(self) -> None:
        while True:
            try:
                if await self._in_thread(self._wait):
                    self._wake.set()
            except JournalFault as fault:
                _LOG.warning("ticket_listener_failed", words=str(fault))
                await asyncio.sleep(RETRY_S)

    def _wait(self) -> bool:
        """Wait for a message, on a thread."""
        if self._listener is None:
            self._listener = self._links.listener()
        try:
            return self._listener.wait(_LISTEN_MS)
        except JournalFault:
            self._listener.close()
            self._listener = None
            raise

    async def _in_thread(self, do: Callable[[*Values], Result], *values: *Values) -> Result:
        return await asyncio.get_running_loop().run_in_executor(self._threads, do, *values)

    def _send_and_receive(self, outgoing: Outgoing, received: Mapping[str, int]) -> Incoming:
        """Write and read messages, on a thread; a lost connection is opened again."""
        try:
            if self._store is None:
                self._store = self._links.store()
            return self._store.send_and_receive(outgoing, received)
        except JournalFault:
            self._disconnect()
            raise

    def _disconnect(self) -> None:
        if self._store is not None:
            self._store.close()
            self._store = None

    def _outgoing(self) -> Outgoing:
        claims = [
            ClaimMessage(venue, token, each.body, self._mac_of_claim(self.house.venue, venue, token, each.body))
            for token, each in self._waiting.items()
            if not each.is_sent
            for venue in sorted(each.silent)
        ]
        transfers = [
            self._transfer(venue, sent)
            for venue in self.venues
            for sent in account_with(self.house, venue).recent
            if sent.number > self._written.get(venue, 0)
        ]
        responses, self._responses = tuple(self._responses), []
        return Outgoing(tuple(claims), tuple(self._withdrawn), responses, tuple(transfers))

    def _transfer(self, venue: str, sent: SentTransfer) -> TransferMessage:
        """Describe a transfer, from the record of the ticket; one that has left the state is in the index."""
        house, index, sequence = self.house, self._closed, sent.sequence
        ticket = house.tickets.get(sequence) or house.retired.get(sequence)
        ticket = ticket or (None if index is None else index.by_sequence(sequence))
        assert ticket is not None
        assert ticket.paid_at is not None
        currency, amount = self.house.rulebook_of(ticket).currency, Cents(ticket.amount)
        what = (ticket.token, ticket.last_four, ticket.form, amount, currency, ticket.issued_at, ticket.paid_at)
        body = msgspec.json.encode(_Transfer(sent.previous, *what)).decode()
        return TransferMessage(
            venue, sent.number, body, self._mac_of_transfer(self.house.venue, venue, sent.number, body)
        )

    def _mac_of_claim(self, claimant: str, issuer: str, token: str, body: str) -> bytes:
        return self._shared.mac("claim", claimant, issuer, token, body)

    def _mac_of_transfer(self, issuer: str, claimant: str, number: int, body: str) -> bytes:
        return self._shared.mac("transfer", issuer, claimant, str(number), body)

    def _sent(self, outgoing: Outgoing) -> None:
        """Note what is in the database now."""
        for claim in outgoing.claims:
            self._waiting[claim.token].is_sent = True
        self._withdrawn.difference_update(outgoing.withdrawn)
        for each in outgoing.transfers:
            self._written[each.venue] = each.number

    async def _handle(self, incoming: Incoming) -> None:
        """Receive transfers in order, read answers, and answer claims."""
        await asyncio.gather(*(self._receive(each) for each in incoming.transfers))
        for response in incoming.responses:
            self._responded(response)
        self._expire()
        await asyncio.gather(*(self._respond(each) for each in incoming.claims))
        if self._responses or self._withdrawn or READ_MAX in (len(incoming.claims), len(incoming.transfers)):
            self._wake.set()

    async def _receive(self, message: TransferMessage) -> None:
        mac = self._mac_of_transfer(message.venue, self.house.venue, message.number, message.body)
        if not compare_digest(message.mac, mac):
            _LOG.error("transfer_not_authentic", venue=message.venue, number=message.number)
            return
        each = _decoded(message.body, _Transfer, message.venue)
        if each is None:
            return
        digest = self._numbers.digest(self._shared.number(each.token))
        assert digest is not None
        command = ReceiveTicket(
            message.venue,
            message.number,
            each.previous,
            digest,
            each.last_four,
            each.form,
            each.amount,
            each.currency,
            each.issued_at,
            each.at,
        )
        outcome = await self._ask(Request(command))
        if isinstance(outcome, Refusal):
            # It is read again: nothing was received, nor will be from this venue until it is.
            _LOG.error("transfer_refused", venue=message.venue, number=message.number, words=outcome.message)

    async def _respond(self, message: ClaimMessage) -> None:
        """Answer a claim: transfer the ticket, or say why not."""
        mac = self._mac_of_claim(message.venue, self.house.venue, message.token, message.body)
        if not compare_digest(message.mac, mac) or message.venue not in self.venues:
            _LOG.error("claim_not_authentic", venue=message.venue)
            return
        digest = self._numbers.digest(self._shared.number(message.token))
        assert digest is not None
        response = _Response("refused")
        if self._find(digest) is not None:
            claim = _decoded(message.body, _Claim, message.venue)
            if claim is None:
                return
            outcome = await self._ask(Request(TransferTicket(digest, message.venue, message.token, *_fields(claim))))
            if isinstance(outcome, Refusal) and outcome.code in _LATER:
                return
            response = _response_of(outcome, message.venue)
        self._responses.append(ClaimResponse(message.venue, message.token, msgspec.json.encode(response).decode()))

    def _responded(self, message: ClaimResponse) -> None:
        waiter = self._waiting.get(message.token)
        if waiter is None or message.venue not in waiter.silent:
            return
        response = _decoded(message.response, _Response, message.venue)
        if response is None:
            return
        waiter.silent.discard(message.venue)
        if response.outcome == "granted":
            waiter.granted.add(message.venue)
        elif response.message:
            says, facts = f"{message.venue}: {response.message}", {**response.facts, "issuer": message.venue}
            waiter.refusals.append(Refusal(response.code, response.clause, says, facts))

    def _expire(self) -> None:
        """Give the bearers of tickets their results, as far as they are known or it is too late."""
        now = asyncio.get_running_loop().time()
        for token, waiter in tuple(self._waiting.items()):
            done, result = self._result(waiter, now)
            if done:
                del self._waiting[token]
                self._withdrawn.add(token)
                waiter.result.set_result(result)

    def _result(self, waiter: _Waiter, now: float) -> tuple[bool, Refusal | None]:
        """Return whether a claim is done, and why the ticket is not paid here."""
        ticket = find_ticket(self.house, waiter.digest)
        if ticket is not None and ticket.payable:
            return True, None
        final = [each for each in waiter.refusals if each.code not in _ELSEWHERE]
        if final:
            return True, final[0]
        waits = sorted(waiter.silent | waiter.granted)
        if not waits:
            return True, next(iter(waiter.refusals), None) or unknown_ticket(desk_clause(self.house))
        message = f"No answer came from {' or '.join(waits)}: nothing was done, please try again in a moment."
        silent = refuse(Code.VENUE_SILENT, desk_clause(self.house), message, venues=tuple(waits))
        return now >= waiter.ends_at, silent


def _decoded(body: str, kind: type[Result], venue: str) -> Result | None:
    """Decode a message; None for one that a venue with other software may have written."""
    try:
        return msgspec.json.decode(body, type=kind)
    except msgspec.DecodeError as error:
        _LOG.error("ticket_message_invalid", venue=venue, words=str(error))
        return None


def _fields(claim: _Claim) -> tuple[Mode, tuple[str, ...], bool]:
    return claim.mode, claim.currencies, claim.at_terminal


def _response_of(outcome: Outcome, claimant: str) -> _Response:
    """Build the answer: a ticket that was transferred to the same venue before is granted once more."""
    if not isinstance(outcome, Refusal):
        return _Response("granted")
    if outcome.code is Code.TICKET_TRANSFERRED and outcome.facts["venue"] == claimant:
        return _Response("granted")
    facts = msgspec.to_builtins(dict(outcome.facts), str_keys=True)
    return _Response("refused", outcome.code, outcome.clause, outcome.message, facts)
