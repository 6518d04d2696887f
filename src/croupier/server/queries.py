"""Queries of staff and who may send them."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final, NamedTuple

from croupier.house import House
from croupier.house.floor.disputes import Dispute, DisputeState
from croupier.house.floor.incidents import IncidentFacts, IncidentKind, RaiseAlarm
from croupier.house.floor.permissions import holds_title, rulebooks_in_use, titles_for
from croupier.house.ids import Context, DeviceKind, Instant, PersonId, RoundNumber, TableId, TerminalId
from croupier.house.rounds import corrections
from croupier.house.rounds.corrections import CorrectResult, InvalidateOutcome
from croupier.house.state.tables import Round
from croupier.protocol import inbound, outbound, queries
from croupier.protocol.inbound import Query
from croupier.protocol.outbound import project
from croupier.protocol.queries import (
    DisputeRow,
    Document,
    FrozenPayment,
    FrozenRound,
    Past,
    Present,
    SignedAction,
    SlipOrTicket,
)
from croupier.reports.evidence import disputed_position, record_digest
from croupier.rules.geometry import Pocket
from croupier.rules.procedure import Duty, Reason
from croupier.rules.refusal import Code, Refusal, Refused, raise_if
from croupier.server.auth.staff import READ, StaffSignIn
from croupier.server.connection import BackgroundTasks, Connection, refusing
from croupier.server.documents import DocumentService
from croupier.server.exports import EvidenceExports
from croupier.server.journal_queries import JournalQueries
from croupier.server.publisher import Publisher
from croupier.server.ticket_desk import WRONG_NUMBER, LookupFailure, TicketLookup
from croupier.server.views.actions import actions, on_dispute
from croupier.server.views.seat import self_audit

#: How many disputes are sent at once.
DISPUTES_MAX: Final = 50
#: How many people are listed, and how many consoles, desks and boards.
PEOPLE_MAX: Final = 500
DEVICES_MAX: Final = 500


def disputes_page(house: House, query: inbound.QueryDisputes) -> outbound.DisputesResult:
    # They are numbered from 1 without gaps.
    newest = len(house.disputes) if query.before is None else min(len(house.disputes), query.before - 1)
    numbers = sorted(house.disputes)[max(0, newest - DISPUTES_MAX) : newest]
    rows = tuple(_row(house, house.disputes[number]) for number in reversed(numbers))
    return outbound.DisputesResult(q=query.q, disputes=rows, more=newest > DISPUTES_MAX)


def _row(house: House, dispute: Dispute) -> DisputeRow:
    return project(
        DisputeRow,
        dispute.opened,
        basis=dispute.opened.basis.value,
        state=dispute.state.value,
        opened=SignedAction(dispute.opened_by, dispute.opened_at),
        evidence=None if dispute.evidence is None else _frozen(house, dispute, dispute.evidence),
        decision=dispute.decision,
        decided=_action(dispute.decided_by, dispute.decided_at),
        advised=_action(dispute.advised_by, dispute.advised_at),
        review=_action(dispute.review_by, dispute.review_at),
        review_by_house=dispute.review_by_house,
        outcome=dispute.outcome,
        reviewed=_action(dispute.reviewed_by, dispute.reviewed_at),
        resolved=dispute.resolved,
        closed=_action(dispute.closed_by, dispute.closed_at),
        actions=() if dispute.state is DisputeState.CLOSED else actions(house, on_dispute(house, dispute)),
    )


def _action(person: PersonId, at: Instant | None) -> SignedAction | None:
    return None if at is None else SignedAction(person, at)


def _frozen(house: House, dispute: Dispute, round_: Round) -> FrozenRound:
    sealed, own = round_.layouts, disputed_position(house, dispute)
    chips = round_.chips
    mine = chips.sealed.get(own) if chips is not None and own is not None else None
    walk = round_.walk
    return FrozenRound(
        rulebook=house.rulebooks[round_.rulebook].id,
        opened_at_us=round_.opened_at,
        status="invalidated" if round_.invalidated else round_.status.value,
        pocket=None if round_.invalidated else round_.pocket,
        corrected=tuple(round_.corrected),
        reason="" if round_.reason is None else round_.reason.value,
        clause=round_.clause,
        seats=len(sealed),
        staked=sum(sum(stakes.values()) for stakes in sealed.values()),
        returned=sum(round_.paid.values()),
        stakes={} if own is None else sealed.get(own, {}),
        paid=None if own is None else round_.paid.get(own),
        players=None if chips is None else len(chips.sealed),
        pieces={} if mine is None else mine.pieces,
        payments=tuple(
            project(FrozenPayment, item) for item in (() if walk is None else walk.items) if item.position == own
        ),
        sealed=round_.digest,
        digest=record_digest(round_),
    )


class QueryPermission(NamedTuple):
    """The kinds of device on which a query is allowed, and the duties that allow it: one of them is enough."""

    connections: frozenset[DeviceKind]
    duties: frozenset[Duty]


_PIT, _AUDITOR, _CASHIER = DeviceKind.PIT, DeviceKind.AUDITOR, DeviceKind.CASHIER
_COUNTER: Final = frozenset({Duty.CASH, Duty.DECIDE, Duty.MANAGE})
_OFFICES: Final = frozenset({_CASHIER, _PIT, _AUDITOR})
#: The permission of each query, and of each document. A query that is not listed is refused.
RIGHTS: Final[Mapping[type[Query | Document], QueryPermission]] = {
    inbound.QueryPreview: QueryPermission(frozenset({_PIT}), frozenset({Duty.CORRECT, Duty.DECIDE})),
    inbound.QueryReplay: QueryPermission(frozenset({_PIT, _AUDITOR}), READ | {Duty.INSPECT, Duty.CORRECT}),
    inbound.Bundle: QueryPermission(frozenset({_PIT, _AUDITOR}), READ),
    # Whole entries, with the personal data in them.
    inbound.Export: QueryPermission(frozenset({_AUDITOR}), frozenset({Duty.AUDIT, Duty.OFFICIATE, Duty.REVIEW})),
    inbound.Verify: QueryPermission(frozenset({_PIT, _AUDITOR}), READ),
    inbound.QueryDisputes: QueryPermission(frozenset({_PIT, _AUDITOR}), READ | {Duty.INSPECT}),
    inbound.QueryJournal: QueryPermission(frozenset({_PIT, _AUDITOR}), READ),
    inbound.QueryTicket: QueryPermission(frozenset({_CASHIER}), frozenset({Duty.CASH})),
    inbound.QueryMeters: QueryPermission(frozenset({_PIT, _AUDITOR}), READ | {Duty.MAINTAIN}),
    # A slip is for the bearer of its number: no response contains one.
    SlipOrTicket: QueryPermission(frozenset({DeviceKind.TERMINAL, _CASHIER, _PIT}), _COUNTER | {Duty.INSPECT}),
    queries.TicketReceipt: QueryPermission(_OFFICES, _COUNTER | READ),
    queries.HoldReceipt: QueryPermission(_OFFICES, _COUNTER | READ),
    queries.BuyInReceipt: QueryPermission(_OFFICES, _COUNTER | READ),
    # With the name of a patron.
    queries.PaymentSlip: QueryPermission(frozenset({_CASHIER, _PIT}), _COUNTER),
    queries.TaxFormRecord: QueryPermission(frozenset({_CASHIER, _PIT}), _COUNTER),
    queries.ShiftReportRequest: QueryPermission(_OFFICES, _COUNTER | READ),
    queries.TableReportRequest: QueryPermission(frozenset({_PIT, _AUDITOR}), READ),
    queries.DisputeEvidence: QueryPermission(frozenset({_PIT, _AUDITOR}), READ | {Duty.INSPECT}),
    queries.RulesCopyRequest: QueryPermission(frozenset({_CASHIER, _PIT}), _COUNTER | {Duty.INSPECT}),
    queries.DayReportRequest: QueryPermission(_OFFICES, _COUNTER | READ),
    inbound.QueryStaff: QueryPermission(
        frozenset({_PIT}), frozenset({Duty.INSPECT, Duty.CORRECT, Duty.DECIDE, Duty.MANAGE})
    ),
}
#: Finds the response to a query that takes a while; None when its connection has closed meanwhile.
Find = Callable[[], Awaitable[outbound.OutboundMessage | None]]


@dataclass(slots=True)
class QueryHandler:
    """Responds to queries, from committed state alone."""

    publisher: Publisher
    staff_auth: StaffSignIn
    background_tasks: BackgroundTasks
    look_ups: TicketLookup
    journal_queries: JournalQueries
    evidence: EvidenceExports
    documents: DocumentService

    @property
    def house(self) -> House:
        return self.publisher.run.house

    def handle(self, connection: Connection, query: Query) -> None:
        """Respond to a query, or refuse it; the journal is read in the background."""
        with refusing(connection, query.q):
            self._require_right(connection, query)
            match query:
                case inbound.QueryJournal():
                    self._begin(connection, query, partial(self.journal_queries.journal, query))
                case inbound.QueryReplay():
                    self._begin(connection, query, partial(self.journal_queries.replay, query))
                case inbound.Bundle() | inbound.Export() | inbound.Verify():
                    self._begin(connection, query, partial(self.evidence.respond, query, lambda: connection.is_open))
                case inbound.QueryDocument(document=wanted) if isinstance(wanted, Past):
                    self._begin(connection, query, partial(self._past, connection, query, wanted))
                case inbound.QueryTicket() if self.look_ups.is_elsewhere(
                    connection.device, query.number, self.publisher.time.now()
                ):
                    self._begin(connection, query, partial(self._claim, connection, query))
                case _:
                    self.publisher.after_commit(connection, partial(self._respond, query))

    def _begin(self, connection: Connection, query: Query, find: Find) -> None:
        self.background_tasks.begin(connection, self._respond_later(connection, query, find), query.q)

    async def _respond_later(self, connection: Connection, query: Query, find: Find) -> None:
        """Respond once it is found: the connection may be closed by then, and its person no longer permitted."""
        found, refusal = None, None
        try:
            found = await find()
        except Refused as refused:
            refusal = refused.refusal
        # A person who was signed in on a closed connection may not even be enrolled any more.
        if connection.is_open:
            with refusing(connection, query.q):
                self._require_right(connection, query)
                raise_if(refusal)
                if found is not None:
                    connection.send(found)
        await self.evidence.stop_on_fault()

    def _require_right(self, connection: Connection, query: Query) -> None:
        """Refuse a query that is not for this kind of device, or for none of its person's titles."""
        right = RIGHTS[type(query.document) if isinstance(query, inbound.QueryDocument) else type(query)]
        if connection.device_kind not in right.connections:
            raise Refused(Code.NOT_AUTHORISED, None, "That query is not possible on this device.")
        if connection.device_kind is DeviceKind.TERMINAL:
            # A terminal has no sign-in.
            return
        person = self.staff_auth.present(connection)
        titles = sorted(titles_for(rulebooks_in_use(self.house), right.duties))
        if not holds_title(self.house, person, titles, self.publisher.time.now()):
            message = f"That query is for {' or '.join(titles)}."
            raise Refused(Code.NOT_AUTHORISED, None, message, titles=tuple(titles))

    def _respond(self, query: Query, connection: Connection) -> None:
        with refusing(connection, query.q):
            if isinstance(query, inbound.QueryDocument):
                self._at_hand(query, connection)
            else:
                connection.send(self._result(query, connection))

    def _at_hand(self, query: inbound.QueryDocument, connection: Connection) -> None:
        """Build a document of the present, and render it in the background."""
        wanted = query.document
        assert isinstance(wanted, Present)
        if isinstance(wanted, SlipOrTicket):
            self.find(connection, wanted.number)
        paper = self.documents.present(connection, wanted)
        self._begin(connection, query, partial(self.documents.render, connection, paper, query.form, query.q))

    async def _past(
        self, connection: Connection, query: inbound.QueryDocument, wanted: Past
    ) -> outbound.OutboundMessage | None:
        """Build a document of the past, once the projections are up to date, and render it."""
        paper = await self.documents.past(connection, wanted)
        return await self.documents.render(connection, paper, query.form, query.q)

    def _result(self, query: Query, connection: Connection) -> outbound.OutboundMessage:
        match query:
            case inbound.QueryPreview():
                return self._preview(query, connection)
            case inbound.QueryTicket():
                return self._look_up(query, connection)
            case inbound.QueryDisputes():
                return disputes_page(self.house, query)
            case inbound.QueryMeters():
                if query.terminal not in self.house.terminals:
                    raise Refused(Code.UNKNOWN_TERMINAL, None, f"There is no terminal {query.terminal} in this house.")
                return self_audit(self.house, TerminalId(query.terminal), query.q)
            case _:
                return self._staff(query)

    def _preview(self, query: inbound.QueryPreview, connection: Connection) -> outbound.PreviewResult:
        if query.table not in self.house.tables:
            raise Refused(Code.UNKNOWN_TABLE, None, f"There is no table {query.table}.", table=query.table)
        wanted = _correction(query)
        if wanted is None:
            raise Refused(Code.MALFORMED, None, "Name either another number, or a reason to take the outcome back.")
        tried = corrections.preview_correction(
            self.house, wanted, Context(self.publisher.time.now(), connection.device, connection.person)
        )
        seats = tuple(map(_preview, tried.terminals))
        return project(
            outbound.PreviewResult,
            tried,
            q=query.q,
            table=query.table,
            round=query.round,
            seats=seats,
            chips=tuple(map(_chip_preview, tried.chips)),
        )

    def _look_up(
        self, query: inbound.QueryTicket, connection: Connection, claimed: Refusal | None = None
    ) -> outbound.TicketResult:
        return outbound.TicketResult(q=query.q, ticket=self.find(connection, query.number, claimed))

    async def _claim(self, connection: Connection, query: inbound.QueryTicket) -> outbound.TicketResult | None:
        """Ask the other venues for a ticket, and look it up again; the connection may be closed by then."""
        assert self.look_ups.ticket_exchange is not None
        refusal = await self.look_ups.ticket_exchange.present(query.number)
        if not connection.is_open:
            return None
        if refusal is not None and refusal.code not in WRONG_NUMBER:
            raise Refused.by(refusal)
        return self._look_up(query, connection, refusal)

    def find(self, connection: Connection, number: str, claimed: Refusal | None = None) -> queries.TicketRow:
        """Find a slip or ticket by its number; wrong guesses lock the lookups of the device and raise an alarm."""
        found = self.look_ups.find(self.house, connection.device, number, self.publisher.time.now(), claimed)
        if not isinstance(found, LookupFailure):
            return found
        if found.locks:
            facts = IncidentFacts(people=(connection.person,) if connection.person else ())
            self.journal_queries.commit_loop.alarm(RaiseAlarm(IncidentKind.TICKETS_GUESSED, connection.device, facts))
        raise Refused.by(found.refusal)

    def _staff(self, query: Query) -> outbound.StaffResult:
        house, now = self.house, self.publisher.time.now()
        people = sorted(house.staff.people.values(), key=lambda each: each.id)
        at = {connection.person: connection.device for connection in self.publisher.consoles.values()}
        rows = tuple(
            queries.PersonRow(
                person=each.id,
                titles=each.titles,
                acting=tuple(
                    (post.title, post.ends_at) for post in each.acting if post.begins_at <= now < post.ends_at
                ),
                devices=(at[each.id],) if each.id in at else (),
            )
            for each in people[:PEOPLE_MAX]
        )
        devices = tuple(sorted(house.staff.devices - set(house.terminals) - set(house.tables)))[:DEVICES_MAX]
        return outbound.StaffResult(q=query.q, people=rows, more=max(0, len(people) - PEOPLE_MAX), devices=devices)


def _correction(query: inbound.QueryPreview) -> CorrectResult | InvalidateOutcome | None:
    """Return the command to preview; None when the query is ambiguous."""
    table, number = TableId(query.table), RoundNumber(query.round)
    match query.pocket, query.reason:
        case str() as pocket, None:
            return CorrectResult(table, number, Pocket(pocket), "")
        case None, Reason() as reason:
            return InvalidateOutcome(table, number, reason, "")
        case _:
            return None


def _preview(each: corrections.TerminalPreview) -> queries.TerminalPreviewRow:
    before, after = queries.TerminalMoneyRow(**each.before._asdict()), queries.TerminalMoneyRow(**each.after._asdict())
    return project(queries.TerminalPreviewRow, each, before=before, after=after)


def _chip_preview(each: corrections.ChipPreview) -> queries.ChipPreviewRow:
    before, after = queries.ChipMoneyRow(**each.before._asdict()), queries.ChipMoneyRow(**each.after._asdict())
    return project(queries.ChipPreviewRow, each, before=before, after=after)
