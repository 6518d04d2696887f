"""Tickets and pots across venues: claims the tickets of others, transfers ours to their claimants, and shares pots.

A ticket of another venue is transferred here before it is paid. The issuer commits the transfer, writes it to the
database, and answers; this venue commits that it has received the ticket, which is from then on paid here as any other.
After a crash at any point the same messages are read or written again, and the journals say what was done. The database
only carries: a venue acts on no message that its sender's pinned key has not signed.
"""

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Annotated, Final, Literal, NamedTuple, TypeVar, TypeVarTuple

import msgspec
import structlog

from croupier.devices.validation import SharedNumbers, ValidationNumbers, digits_of
from croupier.engine.places import JournalPlace, listen_for_claims, open_claims
from croupier.engine.ports import Outcome, Request
from croupier.engine.ticket_index import TicketIndex
from croupier.house import House
from croupier.house.credit.tickets import (
    InsertTicket,
    Ticket,
    TicketState,
    desk_clause,
    find_ticket,
    unknown_ticket,
)
from croupier.house.credit.transfers import ReceiveTicket, SentTransfer, TransferTicket, account_with
from croupier.house.declare import Count, decide_permitted
from croupier.house.floor.incidents import IncidentFacts, IncidentKind, RaiseAlarm
from croupier.house.ids import Context, DeviceId, Number, TerminalId
from croupier.house.rounds.shared_pots import ReceivePotReports, ReceivePotStatement, statement_for, unapplied
from croupier.house.settings import Mode
from croupier.house.state.ledger import PotReport
from croupier.journal.checkpoints import Signer, Verifier
from croupier.journal.claims import (
    READ_MAX,
    ClaimListener,
    ClaimStore,
    Genuine,
    Incoming,
    MessageKind,
    Outgoing,
    PotBody,
    TicketMessage,
    Token,
    TransferBody,
)
from croupier.journal.disk import JournalFault
from croupier.rules.money import Cents
from croupier.rules.refusal import ClauseId, Code, Refusal, refuse
from croupier.rules.texts import is_text

#: How long the bearer of a ticket waits for the answers of other venues.
ANSWER_S: Final = 3.0
#: How often messages are read when none is announced, and how long it takes to try again after a failure.
POLL_S: Final = 0.5
RETRY_S: Final = 1.0
_LISTEN_MS: Final = 200
#: How many tickets are indexed in one step: half a second of a thread.
INDEX_MAX: Final = 2_000
#: How many reports about a pot are in one message: it is read whole, or not.
REPORTS_MAX: Final = 100
#: The numbers of claims: a response is bound to the claim with its number.
_NUMBERS: Final = 2**63
#: The house could not decide yet: the claim is read again.
_LATER: Final = frozenset({Code.BUSY, Code.COMMAND_FAILED})
#: The ticket is not, or not any more, the business of the venue that says so: another one may have it.
_ELSEWHERE: Final = frozenset({Code.TICKET_UNKNOWN, Code.TICKET_TRANSFERRED})
_LOG = structlog.get_logger()
#: Submits a request of the server itself, and waits until its outcome is committed.
Ask = Callable[[Request], Awaitable[Outcome]]
Result = TypeVar("Result")
Values = TypeVarTuple("Values")


#: What a refusal of another venue may contain: no nesting, and no number that a browser would not read exactly.
_Fact = bool | Count | str | list[bool | Count | str | None] | None


class _Claim(msgspec.Struct, frozen=True):
    digest: Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{32}\Z")]
    mode: Mode
    currencies: tuple[str, ...]
    at_terminal: bool


class _Response(msgspec.Struct, frozen=True):
    outcome: Literal["granted", "refused"]
    code: Code = Code.TICKET_UNKNOWN
    clause: ClauseId | None = None
    message: str = ""
    facts: dict[str, _Fact] = {}

    def __post_init__(self) -> None:
        """Refuse texts that a page, a paper or a log would show as something else."""
        if not all(map(is_text, _texts(self.clause, self.message, self.facts))):
            raise ValueError("a text has a control character or a mark that hides or reverses text")


@dataclass(slots=True, eq=False)
class _Waiter:
    """The bearer of a ticket that was claimed, and the answers so far."""

    digest: str
    #: The claim, which is the same to each venue.
    number: int
    body: str
    result: "asyncio.Future[Refusal | None]"
    timer: asyncio.TimerHandle
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


class SharedKeys(NamedTuple):
    """The keys of a venue that shares tickets: its own signing key, and the one that encrypts numbers."""

    signer: Signer
    numbers: SharedNumbers


class TicketExchange:
    """Exchanges tickets with other venues of the operator, on two threads of its own."""

    def __init__(  # noqa: PLR0913, PLR0917 - it joins two venues
        self,
        house: House,
        ask: Ask,
        numbers: ValidationNumbers,
        keys: SharedKeys,
        links: Links,
        venues: Iterable[str],
        closed: TicketIndex | None = None,
    ) -> None:
        self.house, self._ask, self._numbers, self._links = house, ask, numbers, links
        self._signer, self._shared = keys
        self.venues, self._closed = tuple(venues), closed
        self._waiting: dict[int, _Waiter] = {}
        self._withdrawn: set[int] = set()
        self._responses: list[TicketMessage] = []
        #: The last transfer to each venue that is in the database; those that the journal lists may be there already.
        self._written: dict[str, int] = {}
        #: What is wrong with whom, each of which is reported once.
        self._reported: set[tuple[str, str]] = set()
        #: The tickets of this venue by the digest of their claims, each with its token; and those that have none yet.
        self._claimed: dict[str, tuple[Number, Token]] = {}
        self._unindexed, self._next = list(house.tickets.all), house.tickets.next_number
        self._wake = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self._threads = ThreadPoolExecutor(2, "ticket-exchange")
        #: What was last said about pots that venues share, as it is in the database.
        self._pots: tuple[TicketMessage, ...] = ()
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
        """Claim a ticket from the other venues: None once it can be paid here, or why it cannot.

        There is a result in time, also when the database hangs or the exchange has failed.
        """
        digits, digest = digits_of(number), self._numbers.digest(number)
        assert digits is not None
        assert digest is not None
        objection = None if terminal is None else self._not_taken(terminal, digest)
        if objection is not None:
            return objection
        waiter = next((each for each in self._waiting.values() if each.digest == digest), None)
        if waiter is None:
            loop = asyncio.get_running_loop()
            shown = self._shared.claim(self._shared.token(digits))
            body = msgspec.json.encode(self._claim(shown, terminal)).decode()
            claim = secrets.randbelow(_NUMBERS - 1) + 1
            timer = loop.call_later(ANSWER_S, self._time_out, claim)
            waiter = _Waiter(digest, claim, body, loop.create_future(), timer, set(self.venues))
            self._waiting[claim] = waiter
            self._wake.set()
        return await asyncio.shield(waiter.result)

    def _not_taken(self, terminal: TerminalId, digest: str) -> Refusal | None:
        """Refuse what the terminal would refuse of a ticket of this house too, before any other venue is asked."""
        context = Context(self.house.now, DeviceId(terminal))
        decided = decide_permitted(self.house, InsertTicket(terminal, digest), context)
        return decided if isinstance(decided, Refusal) and decided.code not in _ELSEWHERE else None

    def _claim(self, digest: str, terminal: TerminalId | None) -> _Claim:
        house = self.house
        assert house.setup.mode is not None
        books = (
            [table.rulebook for table in house.tables.values()]
            if terminal is None
            else [house.rulebook_at(house.terminals[terminal])]
        )
        currencies = tuple(dict.fromkeys(book.currency for book in books))
        return _Claim(digest, house.setup.mode, currencies, terminal is not None)

    def present_then(self, number: str, terminal: TerminalId, then: Callable[[Refusal | None], object]) -> None:
        """Claim a ticket that a terminal was given, and call a function with the result."""
        self._begin(self._present(number, terminal, then))

    async def _present(self, number: str, terminal: TerminalId, then: Callable[[Refusal | None], object]) -> None:
        then(await self.present(number, terminal))

    # Exchanging messages.

    def begin(self) -> None:
        """Begin to exchange messages."""
        self._begin(self._repeat("ticket_exchange_failed", self._step_and_wait))
        self._begin(self._repeat("ticket_listener_failed", self._listen))

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

    async def _repeat(self, failed: str, work: Callable[[], Awaitable[None]]) -> None:
        """Repeat a piece of work for as long as the venue runs; after a failure, which is reported, a moment later."""
        while True:
            try:
                await work()
            except JournalFault as fault:
                _LOG.warning(failed, words=str(fault))
                await asyncio.sleep(RETRY_S)
            except Exception as error:  # noqa: BLE001 - nothing that another venue writes may end the exchange
                _LOG.exception(failed, words=f"{type(error).__name__}: {error}")
                await self._report(", ".join(self.venues), f"the exchange failed and was restarted: {error}")
                await asyncio.sleep(RETRY_S)

    async def _step_and_wait(self) -> None:
        self._wake.clear()
        await self.step()
        with suppress(TimeoutError):
            async with asyncio.timeout(POLL_S):
                await self._wake.wait()

    async def step(self) -> None:
        """Write the messages that are due, read those of others, and act on them; JournalFault if that fails."""
        outgoing = self._outgoing()
        received = {venue: account_with(self.house, venue).last_received for venue in self.venues}
        try:
            incoming = await self._in_thread(self._send_and_receive, outgoing, received, self._signed())
        except JournalFault:
            # The next connection forgets the claims of this one, and what it has said about pots.
            for waiter in self._waiting.values():
                waiter.is_sent = False
            self._pots = ()
            raise
        self._sent(outgoing)
        await self._compare(outgoing, incoming)
        await self._index()
        await self._handle(incoming)

    async def _listen(self) -> None:
        if await self._in_thread(self._wait):
            self._wake.set()

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

    def _signed(self) -> Genuine:
        """Say of a message whether it is signed with the pinned key of its sender."""
        keys = {venue: account_with(self.house, venue).key for venue in self.venues}
        verifiers = {venue: Verifier.of_text(key) for venue, key in keys.items() if key}
        return lambda message: message.sender in verifiers and message.is_signed_by(verifiers[message.sender])

    def _send_and_receive(self, outgoing: Outgoing, received: Mapping[str, int], genuine: Genuine) -> Incoming:
        """Write and read messages, on a thread; a lost connection is opened again."""
        try:
            if self._store is None:
                self._store = self._links.store()
            return self._store.send_and_receive(outgoing, received, genuine)
        except JournalFault:
            self._disconnect()
            raise

    def _disconnect(self) -> None:
        if self._store is not None:
            self._store.close()
            self._store = None

    def _outgoing(self) -> Outgoing:
        claims = [
            self._message(MessageKind.CLAIM, venue, number, each.body)
            for number, each in self._waiting.items()
            if not each.is_sent
            for venue in sorted(each.silent)
        ]
        transfers = [
            self._transfer(venue, sent)
            for venue in self.venues
            for sent in account_with(self.house, venue).recent
            if sent.number > self._written.get(venue, 0)
        ]
        responses, self._responses = self._responses, []
        said = self._pot_messages()
        pots = () if {each[:-1] for each in said} <= {each[:-1] for each in self._pots} else said
        signed = (each.signed(self._signer) for each in pots)
        return Outgoing((*claims, *responses, *transfers, *signed), tuple(self._withdrawn), tuple(self._waiting))

    def _pot_messages(self) -> tuple[TicketMessage, ...]:
        """Say of each shared pot to its keeper what was added and won here, or to the others what it is."""
        house, said = self.house, list[TicketMessage]()
        for rulebook, pot in house.pots.items():
            if pot.share is None:
                continue
            rules = next(digest for digest, book in reversed(house.rulebooks.items()) if book.id == rulebook)
            reports = tuple(unapplied(pot.share, pot.share.stated.applied.number))[:REPORTS_MAX]
            bodies = {pot.share.keeper: PotBody(rules, reports)} if reports else {}
            if pot.share.is_kept:
                bodies = {venue: PotBody(rules, (), statement_for(house, rulebook, venue)) for venue in self.venues}
            for venue, body in bodies.items():
                words = msgspec.json.encode(body).decode()
                said.append(TicketMessage(MessageKind.POT, house.setup.venue, venue, body.number, words))
        return tuple(said)

    def _message(self, kind: MessageKind, venue: str, number: int, body: str) -> TicketMessage:
        return TicketMessage(kind, self.house.setup.venue, venue, number, body).signed(self._signer)

    def _transfer(self, venue: str, sent: SentTransfer) -> TicketMessage:
        """Describe a transfer, from the record of the ticket; one that has left the state is in the index."""
        house, index, sequence = self.house, self._closed, sent.sequence
        ticket = house.tickets.all.get(sequence) or house.tickets.retired.get(sequence)
        ticket = ticket or (None if index is None else index.by_sequence(sequence))
        assert ticket is not None
        assert ticket.paid_at is not None
        currency, amount = self.house.rulebook_of(ticket).currency, Cents(ticket.amount)
        what = (ticket.token, ticket.last_four, ticket.form, amount, currency, ticket.issued_at, ticket.paid_at)
        body = msgspec.json.encode(TransferBody(sent.previous, *what)).decode()
        return self._message(MessageKind.TRANSFER, venue, sent.number, body)

    def _sent(self, outgoing: Outgoing) -> None:
        """Note what is in the database now."""
        for claim in outgoing.of(MessageKind.CLAIM):
            if claim.number in self._waiting:
                self._waiting[claim.number].is_sent = True
        self._withdrawn.difference_update(outgoing.withdrawn)
        self._pots = tuple(outgoing.of(MessageKind.POT)) or self._pots
        for each in outgoing.of(MessageKind.TRANSFER):
            self._written[each.recipient] = each.number

    async def _compare(self, outgoing: Outgoing, incoming: Incoming) -> None:
        """Compare the transfers that were written with what the database has under their numbers.

        A foreign row there has no effect: both are read, and only one is signed. Another number for the transfer would
        be wrong, since a row that was replaced after it was received would then be received twice.
        """
        for each in set(incoming.stored) - set(outgoing.messages):
            _LOG.error("ticket_row_foreign", venue=each.recipient, number=each.number)
            await self._report(each.recipient, "the database has foreign rows under the numbers of transfers")

    async def _report(self, venue: str, words: str) -> None:
        """Raise an incident, once for each thing that is wrong."""
        if (venue, words) in self._reported:
            return
        self._reported.add((venue, words))
        _LOG.error("ticket_messages", venue=venue, words=words)
        await self._ask(Request(RaiseAlarm(IncidentKind.TICKET_MESSAGES, venue, IncidentFacts(words))))

    async def _handle(self, incoming: Incoming) -> None:
        """Receive transfers in order, read answers, and answer claims."""
        for sender, kind in sorted(incoming.foreign):
            await self._report(sender, f"a {kind} is not signed with the key of {sender}")
        transfers = [each for each in incoming.messages if each.kind is MessageKind.TRANSFER]
        claims = [each for each in incoming.messages if each.kind is MessageKind.CLAIM]
        received = await asyncio.gather(*(self._receive_from(venue, transfers) for venue in self.venues))
        for each in incoming.messages:
            if each.kind is MessageKind.RESPONSE:
                self._responded(each)
        self._finish()
        await asyncio.gather(*(self._hear_of_pot(each) for each in incoming.messages if each.kind is MessageKind.POT))
        await asyncio.gather(*map(self._respond, claims))
        if self._responses or self._withdrawn or READ_MAX in received:
            self._wake.set()

    async def _receive_from(self, venue: str, transfers: Iterable[TicketMessage]) -> int:
        """Receive the transfers of a venue, and return how many were; all that is refused is one incident.

        One that is refused is read again, and those after it wait for it. So the others are tried after the first one:
        a venue whose transfers are refused takes one command each time they are read.
        """
        decoded = [
            (each, body) for each in transfers if each.sender == venue and (body := _decoded(each, TransferBody))
        ]
        for batch in (decoded[:1], decoded[1:]):
            outcomes = await asyncio.gather(*(self._receive(each, body) for each, body in batch))
            codes = {each.code for each in outcomes if isinstance(each, Refusal)}
            if codes and codes.isdisjoint(_LATER):
                await self._report(venue, "its transfers are refused")
            if codes:
                return 0
        return len(decoded)

    async def _receive(self, message: TicketMessage, each: TransferBody) -> Outcome:
        digest = self._numbers.digest(self._shared.number(each.token))
        assert digest is not None
        command = ReceiveTicket(
            message.sender,
            message.number,
            each.previous,
            digest,
            each.last_four,
            each.form,
            each.amount,
            each.currency,
            each.issued_at,
            each.at,
            message.body,
            message.signature.hex(),
            each.token,
        )
        outcome = await self._ask(Request(command))
        if isinstance(outcome, Refusal):
            _LOG.error("transfer_refused", venue=message.sender, number=message.number, words=outcome.message)
        return outcome

    async def _hear_of_pot(self, message: TicketMessage) -> None:
        """Take reports and statements about shared pots that are newer than those before."""
        house, body = self.house, _decoded(message, PotBody)
        book = None if body is None else house.rulebooks.get(body.rules)
        share = None if book is None or book.id not in house.pots else house.pots[book.id].share
        if body is None or not (body.reports or body.statement) or message.number != body.number:
            await self._report(message.sender, "what it says about a pot cannot be read")
            return
        command: ReceivePotReports | ReceivePotStatement
        signed = (message.body, message.signature.hex())
        if body.statement is None:
            last = 0 if share is None else share.applied.get(message.sender, PotReport()).number
            command = ReceivePotReports(message.sender, body.rules, body.reports, *signed)
        else:
            last = 0 if share is None else share.stated.number
            command = ReceivePotStatement(message.sender, body.rules, body.statement, *signed)
        if body.number <= last:
            return
        outcome = await self._ask(Request(command))
        if isinstance(outcome, Refusal) and outcome.code not in _LATER:
            await self._report(message.sender, f"what it says about a pot is refused: {outcome.message}")
            return
        self._wake.set()

    async def _index(self) -> None:
        """Compute the digests by which tickets of this venue are claimed: those of the state, then each new one."""
        house = self.house
        self._unindexed += map(Number, range(self._next, house.tickets.next_number))
        self._next = house.tickets.next_number
        due, self._unindexed = self._unindexed[:INDEX_MAX], self._unindexed[INDEX_MAX:]
        tickets = [house.tickets.all[sequence] for sequence in due if sequence in house.tickets.all]
        # A ticket that was received before tokens were recorded is paid here or at its issuer.
        own = [(each.sequence, each.token) for each in tickets if each.token or not each.venue]
        self._claimed |= await self._in_thread(self._digests, own)
        if len(self._claimed) > 2 * (len(house.tickets.all) + INDEX_MAX):
            self._claimed = {each: of for each, of in self._claimed.items() if of[0] in house.tickets.all}
        if self._unindexed:
            self._wake.set()

    def _digests(self, tickets: Iterable[tuple[Number, str]]) -> dict[str, tuple[Number, Token]]:
        """Compute digests, on a thread. A ticket of this venue has no token before it is transferred."""
        tokens = [(of, token or self._shared.token(self._numbers.number(of))) for of, token in tickets]
        return {self._shared.claim(token): (of, token) for of, token in tokens}

    async def _respond(self, message: TicketMessage) -> None:
        """Answer a claim: transfer the ticket, or say why not."""
        claim = _decoded(message, _Claim)
        if claim is None:
            return
        response, known = _Response("refused"), self._claimed.get(claim.digest)
        if known is None and self._unindexed:
            return
        if known is not None:
            token = known[1]
            digest = self._numbers.digest(self._shared.number(token))
            assert digest is not None
            what = (token, claim.mode, claim.currencies, claim.at_terminal)
            outcome = await self._ask(Request(TransferTicket(digest, message.sender, *what)))
            if isinstance(outcome, Refusal) and outcome.code in _LATER:
                return
            response = _response_of(outcome, message.sender)
        body = msgspec.json.encode(response).decode()
        self._responses.append(self._message(MessageKind.RESPONSE, message.sender, message.number, body))

    def _responded(self, message: TicketMessage) -> None:
        waiter = self._waiting.get(message.number)
        if waiter is None or message.sender not in waiter.silent:
            return
        response = _decoded(message, _Response)
        if response is None:
            return
        waiter.silent.discard(message.sender)
        if response.outcome == "granted":
            waiter.granted.add(message.sender)
        elif response.message:
            says, facts = f"{message.sender}: {response.message}", {**response.facts, "issuer": message.sender}
            waiter.refusals.append(Refusal(response.code, response.clause, says, facts))

    def _finish(self) -> None:
        """Give the bearers of tickets their results, as far as they are known."""
        for waiter in tuple(self._waiting.values()):
            ticket = find_ticket(self.house, waiter.digest)
            final = [each for each in waiter.refusals if each.code not in _ELSEWHERE]
            if ticket is not None and ticket.payable:
                self._end(waiter, None)
            elif final:
                self._end(waiter, final[0])
            elif not (waiter.silent or waiter.granted):
                self._end(waiter, next(iter(waiter.refusals), None) or unknown_ticket(desk_clause(self.house)))

    def _time_out(self, claim: int) -> None:
        """Refuse a ticket when it is too late, and name the venues that were waited for."""
        waiter = self._waiting[claim]
        waits = sorted(waiter.silent | waiter.granted)
        message = f"No answer came from {' or '.join(waits)}: nothing was done, please try again in a moment."
        self._end(waiter, refuse(Code.VENUE_SILENT, desk_clause(self.house), message, venues=tuple(waits)))

    def _end(self, waiter: _Waiter, result: Refusal | None) -> None:
        del self._waiting[waiter.number]
        waiter.timer.cancel()
        self._withdrawn.add(waiter.number)
        waiter.result.set_result(result)


def _texts(*values: object) -> Iterator[str]:
    """List the texts in values, lists and tables."""
    for each in values:
        if isinstance(each, str):
            yield each
        elif isinstance(each, list):
            yield from _texts(*each)
        elif isinstance(each, dict):
            yield from _texts(*each, *each.values())


def _decoded(message: TicketMessage, kind: type[Result]) -> Result | None:
    """Decode a message; None for one that a venue with other software may have written."""
    try:
        return msgspec.json.decode(message.body, type=kind)
    except (msgspec.DecodeError, RecursionError) as error:
        _LOG.error("ticket_message_invalid", venue=message.sender, words=str(error))
        return None


def _response_of(outcome: Outcome, claimant: str) -> _Response:
    """Build the answer: a ticket that was transferred to the same venue before is granted once more."""
    if not isinstance(outcome, Refusal):
        return _Response("granted")
    if outcome.code is Code.TICKET_TRANSFERRED and outcome.facts["venue"] == claimant:
        return _Response("granted")
    facts = msgspec.to_builtins(dict(outcome.facts), str_keys=True)
    return _Response("refused", outcome.code, outcome.clause, outcome.message, facts)
