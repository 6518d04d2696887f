"""Invariant checker: follows the journal, the responses and the views."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from croupier.client.session import View
from croupier.engine.ports import Accepted, BatchOutput, Outcome, Response
from croupier.engine.replay import apply_entry
from croupier.engine.sequencer import RESPONSES_MAX, request_digest
from croupier.house import AnyCommand, House
from croupier.house.declare import Decision
from croupier.house.ids import Context, DeviceId, TerminalId
from croupier.house.rounds.irregularities import RoundVoided
from croupier.house.rounds.recovery import HouseRecovered
from croupier.house.rounds.settlement import RoundSettled
from croupier.house.settings import WheelKind
from croupier.house.state.tables import Table
from croupier.house.verification import state_digest
from croupier.house.views import terminal_view
from croupier.journal.entry import Cause, Entry, IdempotencyKey, Page
from croupier.journal.pages import VerifiedPage, decode_body
from croupier.journal.stores.memory import MemoryStore
from croupier.rulebooks.schema import read_canonical
from croupier.rules.procedure import Reason
from croupier.rules.refusal import Code, Refusal
from croupier.simulation.auditor import Auditor
from croupier.simulation.invariants import InvariantViolation, check_equal, check_not

#: Broken by a start that does not resolve an interrupted round.
RECOVERY = "recovery"


def recovered(house: House, first: Entry) -> None:
    """Verify the first page of a start: recovery comes before any other entry."""
    said = isinstance(first.event, HouseRecovered)
    check_not(RECOVERY, f"entry {first.position} is the first of a start and says {first.event}", when=not said)
    for table in house.tables.values():
        wrong = _undecided(house, table)
        check_not(RECOVERY, f"after a start {table.id} has a round that {wrong}", when=bool(wrong))


def _undecided(house: House, table: Table) -> str:
    """Return what should have been void: open bets on terminals, or a number that a random wheel may have drawn."""
    round_ = table.round
    knows = any(each.reason is Reason.MALFUNCTION for each in table.rulebook.irregularities)
    if round_ is None or round_.over or round_.no_spin:
        return ""
    if round_.sealed is None:
        # Chips stay on the layout of a live table, and its betting continues.
        stands = table.live is not None and not any(
            house.terminals[each].games[table.id].bets for each in table.terminals
        )
        return "takes bets as if nothing had been" if knows and not stands else ""
    drawn = table.settings.wheel is WheelKind.RANDOM and round_.spin.reported is None
    return "may have been drawn for already" if drawn else ""


#: The device of a request, and its idempotency key.
Asking = tuple[DeviceId, IdempotencyKey]


class Trace(NamedTuple):
    """The entries of one idempotency key in the journal: the request digest, and the first and last entry."""

    digest: bytes
    first: int
    last: int


class JournalFollower:
    """Reads each page once, and verifies it against the page before."""

    def __init__(self, store: MemoryStore) -> None:
        self._store = store
        self._pages = self._epoch = self.position = 0
        self._head = bytes(32)
        self.traces: dict[Asking, Trace] = {}
        #: The state that replaying the journal gives.
        self.house = House.new(read_canonical)

    def go_on(self) -> Iterator[Entry]:
        """Read the pages that were added since the last call."""
        for page in self._store.stored[self._pages :]:
            check_equal("I12", "the number of a page", page.number, self._pages + 1)
            check_not(
                "I12", f"page {page.number} of epoch {page.epoch} after {self._epoch}", when=page.epoch < self._epoch
            )
            begins = self._pages > 0 and page.epoch > self._epoch
            self._pages, self._epoch = page.number, page.epoch
            entries = list(self._entries(page))
            starts = isinstance(entries[0].event, HouseRecovered)
            check_not("I12", f"a second start in epoch {page.epoch}", when=starts and not begins)
            if begins:
                recovered(self.house, entries[0])
            yield from entries

    def _entries(self, page: Page) -> Iterator[Entry]:
        self._head = hashlib.sha256(self._head + page.body).digest()
        what = f"the digest of page {page.number}, from entry {page.first}"
        check_equal("I13", what, page.head.hex(), self._head.hex())
        check_equal("I12", f"the first entry of page {page.number}", page.first, self.position + 1)
        for entry in VerifiedPage(page, decode_body(page)).entries:
            self.position += 1
            check_equal("I12", "the place of an entry", (entry.position, entry.epoch), (self.position, page.epoch))
            if entry.cause is not None:
                self._trace(entry, entry.cause)
            apply_entry(self.house, entry)
            yield entry
        check_equal("I13", f"the end of page {page.number}", page.last, self.position)

    def _trace(self, entry: Entry, cause: Cause) -> None:
        """One key has one trace: consecutive entries, from one request."""
        here = (entry.context.device, cause.key)
        before = self.traces.get(here, Trace(cause.request_digest, entry.position, entry.position - 1))
        check_equal(
            "I11",
            f"what entry {entry.position} of {here} goes on from",
            (cause.request_digest, entry.position - 1),
            before[::2],
        )
        self.traces[here] = Trace(cause.request_digest, before.first, entry.position)

    def hold(self, live: House) -> None:
        """Verify every terminal's view against the view that the replayed state gives."""
        for name, terminal in live.terminals.items():
            for table in terminal.games:
                view = terminal_view(live, name, table, live.now)
                check_equal("I22", f"what {name} shows", view, terminal_view(self.house, name, table, live.now))

    def hold_whole(self, live: House) -> None:
        """Verify the whole state against the replayed state."""
        check_equal("I14", f"the state after entry {self.position}", state_digest(live), state_digest(self.house))


#: Refusals that say nothing about the request: its key was used for another request, or it must be sent again.
NO_WORD: Final = (Code.KEY_REUSED, Code.EPOCH_AHEAD, Code.BUSY)
#: Refusals for a temporary reason: the same request may be accepted later.
AGAIN: Final = (Code.BUSY, Code.TOO_FAST)


@dataclass(slots=True)
class LoggedResponse:
    """The response to one request under one key, and how many keys of its device had a response by then."""

    outcome: Outcome
    digest: bytes
    turn: int


@dataclass(slots=True)
class ResponseLog:
    """The log of all responses."""

    responses: dict[Asking, LoggedResponse] = field(default_factory=dict)
    outcomes: Counter[str] = field(default_factory=Counter)
    _turns: Counter[DeviceId] = field(default_factory=Counter)
    #: Keys under which another client has sent a different request.
    altered: set[Asking] = field(default_factory=set)
    #: Refused by the server before the house has decided.
    refused_early: dict[Asking, str] = field(default_factory=dict)
    #: Responses that were sent and are not yet verified against the journal.
    _new: list[Asking] = field(default_factory=list)

    def note(self, answer: Response) -> None:
        """Record a response as it is sent, and verify it against earlier responses to the same key."""
        request, outcome = answer.request, answer.outcome
        word = outcome.code.value if isinstance(outcome, Refusal) else "accepted"
        self.outcomes[word] += 1
        check_not("guard", f"{request.command} could not be worked out", when=word == Code.COMMAND_FAILED)
        if request.key is None or word in NO_WORD:
            return
        here = (request.device, request.key)
        before = self.responses.get(here)
        if before is None:
            self._turns[request.device] += 1
            self.responses[here] = LoggedResponse(outcome, request_digest(request), self._turns[request.device])
            self._new.append(here)
        else:
            self._agree(here, before, outcome, request_digest(request))

    def _agree(self, here: Asking, before: LoggedResponse, outcome: Outcome, digest: bytes) -> None:
        """The same key has the same response, or none any more when nothing was done or the cache has dropped it."""
        if not (_stale(outcome) or _stale(before.outcome)):
            check_equal("I11", f"the answer to {here}", (outcome, digest), (before.outcome, before.digest))
            return
        recent = self._turns[here[0]] - before.turn < RESPONSES_MAX
        contradicted = _done(outcome) or (_done(before.outcome) and recent)
        check_not("I11", f"{here} was {before.outcome} and is {outcome}", when=contradicted)

    def on_answer(self, here: Asking, code: str) -> None:
        """Verify the response that a client has received: its acceptance or refusal is the one that was published."""
        response = self.responses.get(here)
        if here in self.altered:
            return
        if not code:
            accepted = response is not None and isinstance(response.outcome, Accepted)
            check_not("I7", f"{here} was acknowledged, and is {response}", when=not accepted)
        elif response is None:
            if code not in AGAIN:
                self.refused_early[here] = code
        elif code not in NO_WORD and code != Code.KEY_STALE:
            found = response.outcome.code.value if isinstance(response.outcome, Refusal) else "accepted"
            # A process that was replaced may still refuse what its successor has found stale: neither did it.
            differs = found not in (code, Code.KEY_STALE)
            check_not("I11", f"{here} was refused as {code}, and published as {found}", when=differs)

    def hold(self, reading: JournalFollower) -> None:
        """Verify the responses since the last call against the journal."""
        for here in self._new:
            self._hold(here, reading.traces.get(here))
        self._new.clear()

    def hold_all(self, reading: JournalFollower) -> None:
        """Verify every response of the run against the journal."""
        for here in self.responses:
            self._hold(here, reading.traces.get(here))
        for here, code in self.refused_early.items():
            done = here in reading.traces and here not in self.altered
            check_not("I8", f"{here} was refused as {code}, and is in the journal", when=done)

    def _hold(self, here: Asking, trace: Trace | None) -> None:
        response = self.responses[here]
        match response.outcome:
            case Refusal() if trace is not None:
                raise InvariantViolation(
                    "I8", f"{here} was refused as {response.outcome.code}, and entry {trace.first} came of it"
                )
            case Accepted(first, last) if _done(response.outcome):
                check_equal(
                    "I7", f"what is kept of {here}, which was accepted", trace, Trace(response.digest, first, last)
                )
            case Accepted():
                check_equal("I7", f"what is kept of {here}, of which nothing came", trace, None)


def _stale(outcome: Outcome) -> bool:
    return isinstance(outcome, Refusal) and outcome.code is Code.KEY_STALE


def _done(outcome: Outcome) -> bool:
    """Return whether the request has changed anything."""
    return isinstance(outcome, Accepted) and outcome.last >= outcome.first


Decided = tuple[AnyCommand, Context, Decision]


class InvariantChecker:
    """Receives committed decisions, follows the journal, and records every response."""

    def __init__(self, store: MemoryStore) -> None:
        self.reading = JournalFollower(store)
        self.answers = ResponseLog()
        self.settled = self.void = self.commands = 0
        #: The position at which the house was last compared.
        self._compared = 0
        self._auditor = Auditor()

    def on_response(self, batch: BatchOutput) -> None:
        """Record responses as the house publishes them."""
        for answer in batch.responses:
            self.answers.note(answer)

    def on_answer(self, device: DeviceId, key: IdempotencyKey, code: str) -> None:
        """Verify the response that a client has received against the published one; the code is empty if accepted."""
        self.answers.on_answer((device, key), code)

    def on_alteration(self, device: DeviceId, key: IdempotencyKey) -> None:
        """Record that another client sends a different request under a device's key."""
        self.answers.altered.add((device, key))

    def on_view(self, device: TerminalId, state: View) -> None:
        """Verify a client's view of its terminal against the replayed state."""
        terminal = self.reading.house.terminals[device]
        chips = {table: state.games[table].chips for table in terminal.games}
        shown = (state.credit, state.held, chips)
        bets = {table: dict(each.bets) for table, each in terminal.games.items()}
        check_equal("I22", f"what the client of {device} shows", shown, (terminal.credit, terminal.held_total, bets))

    def on_request(self, decided: Iterable[Decided]) -> None:
        """Verify committed decisions against the auditor's model."""
        for command, context, decision in decided:
            self.commands += 1
            self._auditor.on_decision(command, context, decision)

    def review(self, house: House, *, whole: bool) -> None:
        """Verify the journal, and verify the house against it when no batch is in progress."""
        for entry in self.reading.go_on():
            self._auditor.entry(entry.position, entry.epoch, entry.context, entry.event)
            self.settled += isinstance(entry.event, RoundSettled)
            self.void += isinstance(entry.event, RoundVoided)
        self.answers.hold(self.reading)
        # When nothing was written, a fault in the state is detected after the next entry.
        if whole and self.reading.position > self._compared:
            self._compared = self.reading.position
            self._auditor.compare(house)
            self.reading.hold(house)

    def review_whole(self, house: House) -> None:
        """Verify the whole state against the replayed state."""
        self.reading.hold_whole(house)


class NullChecker(InvariantChecker):
    """Checks nothing: for a run that is only replayed."""

    def on_answer(self, device: DeviceId, key: IdempotencyKey, code: str) -> None:
        """Check nothing."""

    def on_view(self, device: TerminalId, state: View) -> None:
        """Check nothing."""

    def on_response(self, batch: BatchOutput) -> None:
        """Check nothing."""

    def on_request(self, decided: Iterable[Decided]) -> None:
        """Check nothing."""

    def review(self, house: House, *, whole: bool) -> None:
        """Check nothing."""

    def review_whole(self, house: House) -> None:
        """Check nothing."""
