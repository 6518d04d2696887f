"""Interrupted rounds after a start, and accepting an older journal."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Final

import msgspec

from croupier.house.declare import (
    Command,
    Event,
    Events,
    EventTopic,
    MachineRole,
    Part,
    RoundEvent,
    TableCommand,
    command,
    decides,
    event,
    evolves,
)
from croupier.house.floor import permissions
from croupier.house.floor.incidents import IncidentFacts, IncidentKind, incident_raised
from croupier.house.floor.texts import text_objection
from croupier.house.ids import SECOND, SYSTEM, Context, Instant, Number, PersonId, RoundNumber, TableId
from croupier.house.rounds.closing import seats
from croupier.house.rounds.irregularities import (
    RoundSuspended,
    RoundVoided,
    SpinVoided,
    Trigger,
    irregularity_events,
    refund_all,
)
from croupier.house.rounds.multipliers import awaits_multiples
from croupier.house.rounds.settlement import WinHeld, settled
from croupier.house.rounds.spinning import incidents_in
from croupier.house.settings import WheelKind
from croupier.house.state.tables import BallState, Phase, Round, RoundStatus, Table
from croupier.rules.procedure import Duty, Effect, Irregularity, Reason, find_irregularity
from croupier.rules.refusal import CitedTopic, ClauseId, Code, Refusal, Refused, raise_if

if TYPE_CHECKING:
    from croupier.house import House


class RecoveryStatus(StrEnum):
    """The status of a round when the system restarted."""

    #: Bets were not sealed yet.
    OPEN = "open"
    #: Bets were sealed, and no number was on record.
    SEALED = "sealed"
    #: The wheel had reported a number that was not yet confirmed.
    REPORTED = "reported"
    #: A result was declared, and not settled.
    RESULT = "result"
    SETTLED = "settled"
    #: The spin was voided.
    NO_SPIN = "no_spin"
    #: The round was suspended and awaited a decision.
    SUSPENDED = "suspended"
    #: An earlier stop had interrupted it, and it awaited the attestation of two people.
    INTERRUPTED = "interrupted"
    VOID = "void"


class RecoveredRound(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The last round of one table at the restart, and the clause by which it is resolved."""

    table: TableId
    round: RoundNumber
    phase: Phase
    state: RecoveryStatus
    clause: ClauseId | None


@dataclass(frozen=True, slots=True)
class RoundRecovery:
    """One table's round that was running when the system stopped."""

    house: House
    table: Table
    context: Context
    trigger: Trigger
    #: The text that staff entered.
    words: str = ""
    #: The number of incidents that the same response raises before this one.
    after: int = 0
    #: The number of wins that the same response holds before those of this round.
    holds_before: int = 0

    def events(self) -> Events:
        round_ = self.table.round
        if round_ is None or round_.over or round_.phase is Phase.NO_SPIN or round_.spin.interrupted:
            return ()
        if round_.phase is Phase.SUSPENDED:
            return self._suspended(round_)
        if round_.pocket is not None:
            return settled(self.house, self.table, round_, round_.pocket, holds_before=self.holds_before)
        return self._without_result(round_)

    def _suspended(self, round_: Round) -> Events:
        """The referral stays with the person who decides it, unless the rules leave nothing to decide after a stop.

        If no number was seen, one person alone cannot state one.
        """
        unseen = round_.sealed is not None and round_.spin.reported is None
        if self._undecidable(round_, unseen=unseen):
            # A signed malfunction report must not take a referral away from the person who decides it.
            return () if self.context.person else self._without_result(round_)
        return self._attestable(round_) if unseen else ()

    def _undecidable(self, round_: Round, *, unseen: bool) -> bool:
        """Check whether the round can only be void: a random wheel may have drawn, or the rules void it unattested."""
        settings = self.table.settings
        if unseen and (settings.wheel is WheelKind.RANDOM or awaits_multiples(self.table)):
            return True
        rule = next((each for each in self.table.rulebook.irregularities if each.reason is Reason.MALFUNCTION), None)
        if rule is None or round_.sealed is None or rule.effect is Effect.VOID_ROUND:
            return rule is not None
        return unseen and rule.effect is not Effect.REFER and settings.attest_s == 0

    def _without_result(self, round_: Round) -> Events:
        rules = {each.reason: each for each in self.table.rulebook.irregularities}
        rule = rules.get(Reason.MALFUNCTION)
        if awaits_multiples(self.table):
            # What may have been drawn is not on record, and a number that came before the draw does not count.
            return (self._void(round_, CitedTopic.INTERRUPTED_NO_OUTCOME),)
        if self.table.live is not None:
            return self._with_chips(round_, rule)
        if round_.sealed is not None and self.table.settings.wheel is WheelKind.RANDOM:
            # A random wheel may have drawn already, and never draws twice for one round.
            return (self._void(round_, CitedTopic.UNCONFIRMED),)
        if rule is None:
            return self._without_malfunction_rule(round_, rules[Reason.NOT_COVERED])
        if round_.sealed is None or rule.effect is Effect.VOID_ROUND:
            return (self._void(round_, CitedTopic.INTERRUPTED_NO_OUTCOME),)
        return self._sealed(round_, rule)

    def _with_chips(self, round_: Round, rule: Irregularity | None) -> Events:
        """Chips stand where they lie; before the close, terminals follow the rule on malfunctions."""
        if round_.sealed is not None:
            # Two people attest where the ball lay, or the spin is called off.
            return () if round_.spin.reported is not None else self._attestable(round_)
        if rule is None or not any(seats(self.house, self.table)):
            return ()
        clause = self.table.rulebook.cited_clauses[CitedTopic.INTERRUPTED_NO_OUTCOME]
        return (TerminalsRefunded(self.table.id, round_.number, Reason.MALFUNCTION, clause, self.words, self.trigger),)

    def _without_malfunction_rule(self, round_: Round, rule: Irregularity) -> Events:
        """Without a rule on malfunctions, chips stay with their owners, and a spin that was under way does not count.

        A spin whose betting time expired during the stop does not count either: betting did not close before it.
        """
        late = round_.closes_at is not None and round_.closes_at <= self.context.now
        idle = round_.ball is BallState.IDLE and round_.sealed is None and not late
        if idle or round_.spin.reported is not None:
            return ()
        return (irregularity_events(self.table, rule, self.context, self.trigger, self.words),)

    def _sealed(self, round_: Round, rule: Irregularity) -> Events:
        """Resolve a round with sealed bets and no number on record."""
        settings = self.table.settings
        if round_.spin.reported is not None:
            # The ball was at rest and the wheel reported the number: only the dealer's confirmation is missing.
            return ()
        if rule.effect is Effect.REFER:
            return self._attestable(round_)
        if settings.attest_s == 0:
            return (self._void(round_, CitedTopic.INTERRUPTED_NO_OUTCOME),)
        until = Instant(self.context.now + settings.attest_s * SECOND)
        suspended = RoundSuspended(
            self.table.id, round_.number, rule.reason, rule.clause, self.words, until, self.trigger
        )
        return (*self._attestable(round_), suspended)

    def _attestable(self, round_: Round) -> Events:
        clause, kind = self.table.rulebook.cited_clauses[CitedTopic.INTERRUPTED_OUTCOME], IncidentKind.INTERRUPTED
        facts = IncidentFacts(self.words)
        incident = incident_raised(self.house, kind, self.table.id, clause, facts, after=self.after)
        return RoundInterrupted(self.table.id, round_.number, clause), incident

    def _void(self, round_: Round, topic: CitedTopic) -> RoundVoided:
        clause = self.table.rulebook.cited_clauses[topic]
        return RoundVoided(self.table.id, round_.number, Reason.MALFUNCTION, clause, self.words, self.trigger)


@command(MachineRole.SYSTEM, Duty.DEAL, Duty.INSPECT)
class RaiseSystemMalfunction(TableCommand, frozen=True):
    """Open a case about the game system itself: every terminal at the table is affected."""

    words: str


@decides(RaiseSystemMalfunction)
def raise_system_malfunction(house: House, command: RaiseSystemMalfunction, context: Context) -> Events:
    table = house.tables[command.table]
    clause = find_irregularity(table.rulebook.irregularities, Reason.MALFUNCTION).clause
    if not command.words.strip():
        # It may void a round whose number is known.
        raise Refused(Code.REASON_NOT_LISTED, clause, "Say what is wrong with the system.")
    incident = incident_raised(house, IncidentKind.MALFUNCTION, table.id, clause, IncidentFacts(command.words))
    return (incident, *RoundRecovery(house, table, context, Trigger.STAFF, command.words, after=1).events())


@command(MachineRole.SYSTEM)
class Recover(Command, frozen=True):
    """The system has restarted: decide every interrupted round by its rulebook."""


@event("The system restarted.", EventTopic.STAFF, EventTopic.INCIDENT, EventTopic.SIGNIFICANT)
class HouseRecovered(Event, frozen=True):
    """The system restarted: the state of each last round; the actions follow as events of the same decision."""

    found: tuple[RecoveredRound, ...]


@decides(Recover)
def recover(house: House, _command: Recover, context: Context) -> Events:
    """Report the status of every table's last round, and resolve the running rounds before another may open.

    The command is idempotent: a second run only repeats the report.
    """
    seen: list[RecoveredRound] = []
    done: Events = ()
    for table in house.tables.values():
        if table.round is not None:
            after, holds_before = incidents_in(done), sum(isinstance(event, WinHeld) for event in done)
            recovery = RoundRecovery(
                house, table, context, Trigger.INTERRUPTION, after=after, holds_before=holds_before
            )
            events = recovery.events()
            seen.append(recovered_round(table, table.round, events))
            done += events
    return (HouseRecovered(tuple(seen)), *done)


def recovered_round(table: Table, round_: Round, done: Events) -> RecoveredRound:
    """Report the recovery status of a table's last round, with the clause of the action or of leaving it unchanged."""
    state = recovery_status(round_)
    topic = _CITED_TOPICS.get(state)
    # A void or suspended round has a clause of its own.
    left = round_.clause if topic is None else table.rulebook.cited_clauses[topic]
    return RecoveredRound(table.id, round_.number, round_.phase, state, _decided(done) or left)


def recovery_status(round_: Round) -> RecoveryStatus:
    if round_.over:
        if round_.status is RoundStatus.SETTLED:
            return RecoveryStatus.SETTLED
        # A round is void because its spin was called off, or for another reason.
        taken_back = round_.invalidated or round_.reason in (Reason.MALFUNCTION, Reason.NOT_COVERED)
        return RecoveryStatus.VOID if taken_back else RecoveryStatus.NO_SPIN
    if round_.phase is Phase.NO_SPIN:
        return RecoveryStatus.NO_SPIN
    if round_.spin.interrupted:
        return RecoveryStatus.INTERRUPTED
    return RecoveryStatus.SUSPENDED if round_.phase is Phase.SUSPENDED else _running(round_)


def _running(round_: Round) -> RecoveryStatus:
    if round_.sealed is None:
        return RecoveryStatus.OPEN
    if round_.pocket is not None:
        return RecoveryStatus.RESULT
    return RecoveryStatus.SEALED if round_.spin.reported is None else RecoveryStatus.REPORTED


def _decided(done: Events) -> ClauseId | None:
    return next(
        (
            event.clause
            for event in done
            if isinstance(event, RoundVoided | SpinVoided | RoundInterrupted | TerminalsRefunded)
        ),
        None,
    )


_CITED_TOPICS: Final = {
    RecoveryStatus.OPEN: CitedTopic.INTERRUPTED_NO_OUTCOME,
    RecoveryStatus.REPORTED: CitedTopic.INTERRUPTED_OUTCOME,
    RecoveryStatus.RESULT: CitedTopic.INTERRUPTED_OUTCOME,
    RecoveryStatus.INTERRUPTED: CitedTopic.INTERRUPTED_OUTCOME,
    RecoveryStatus.SETTLED: CitedTopic.SETTLED_UNSEEN,
    RecoveryStatus.NO_SPIN: CitedTopic.NO_SPIN,
}


@evolves(HouseRecovered)
def house_recovered(_house: House, _event: HouseRecovered, _context: Context) -> None:
    """Change no state: separate events record the actions taken."""


@command(MachineRole.SYSTEM)
class AcceptHistory(Command, frozen=True):
    """Continue from an older copy of the journal, on the authority of two people."""

    #: How many entries are known to be missing.
    lost: int
    people: tuple[PersonId, PersonId]
    words: str


@event(
    "The house went on from an older copy: {lost} entries are missing. {words}",
    EventTopic.STAFF,
    EventTopic.INCIDENT,
    EventTopic.SIGNIFICANT,
)
class HistoryAccepted(Event, frozen=True):
    """The house continued from an older copy of its journal: tickets that the lost part may have paid are frozen."""

    #: How many entries are known to be missing.
    lost: int
    people: tuple[PersonId, PersonId]
    words: str
    #: The slips and tickets that were payable by the copy.
    frozen: tuple[Number, ...]
    #: How many ticket numbers are never issued, as the lost part may have issued them.
    skipped: int


#: After a power failure the count of lost entries may itself be too low, by fewer tickets than this.
SPARE: Final = 20_000


@decides(AcceptHistory)
def accept_history(house: House, command: AcceptHistory, context: Context) -> Events:
    """Freeze every ticket that the copy shows as payable: the lost part of the journal may have paid it."""
    if command.lost < 1:
        raise Refused(Code.MALFORMED, None, "Nothing is lost: there is nothing to accept.", lost=command.lost)
    raise_if(text_objection(command))
    clause = next((book.staff.clause for book in permissions.rulebooks_of(house, command)), None)
    for person in command.people:
        if person not in house.staff.people:
            raise Refused(Code.UNKNOWN_PERSON, None, f"{person} is not enrolled here.", person=person)
    for person in command.people:
        if not permissions.has_duty(house, command, Duty.MANAGE, Context(context.now, context.device, person)):
            message = f"{person} does not manage this house, and it takes two who do."
            raise Refused(Code.NOT_AUTHORISED, clause, message, person=person)
    if len(set(command.people)) == 1:
        raise Refused(Code.SAME_PERSON, clause, "Another person must give the second word.")
    frozen = tuple(ticket.sequence for ticket in house.tickets.all.values() if ticket.payable)
    facts = IncidentFacts(command.words, people=command.people, lost=command.lost)
    return (
        # One entry issues at most one ticket.
        HistoryAccepted(command.lost, command.people, command.words, frozen, command.lost + SPARE),
        incident_raised(house, IncidentKind.HISTORY_LOST, "system", None, facts),
    )


@evolves(HistoryAccepted)
def history_accepted(house: House, event: HistoryAccepted, context: Context) -> None:
    """Freeze the listed tickets, and never reissue a sequence number that may already be printed."""
    for ticket in map(house.tickets.all.__getitem__, event.frozen):
        ticket.frozen = True
    house.tickets.skipped += event.skipped
    house.history_accepted_at = context.now


@event(
    "The terminals got their stakes back: {reason} ({trigger}). The round goes on for chips. {words}",
    EventTopic.ROUND,
    EventTopic.INCIDENT,
    EventTopic.SIGNIFICANT,
    touches=(Part.TABLE, Part.TERMINALS),
)
class TerminalsRefunded(RoundEvent, frozen=True):
    """The stakes of terminals were returned at a table with chips, whose bets stand."""

    reason: Reason
    clause: ClauseId
    #: The explanation that staff entered.
    words: str = ""
    trigger: Trigger = Trigger.STAFF


@evolves(TerminalsRefunded)
def terminals_refunded(house: House, event: TerminalsRefunded, _context: Context) -> None:
    table = house.tables[event.table]
    refund_all(house, table, table.playing, event.clause)


@event("Round {round} was interrupted after the seal.", EventTopic.ROUND, EventTopic.INCIDENT, EventTopic.SIGNIFICANT)
class RoundInterrupted(RoundEvent, frozen=True):
    """The system stopped after the seal: two people attest where the ball lay, or the spin is voided."""

    clause: ClauseId


@evolves(RoundInterrupted)
def round_interrupted(house: House, event: RoundInterrupted, _context: Context) -> None:
    round_ = house.tables[event.table].playing
    round_.spin.interrupted = True


def with_people_who_may(house: House, command: AcceptHistory, refusal: Refusal, now: Instant) -> Refusal:
    """Add to a refusal the people who may accept an older copy, according to that copy."""
    may = tuple(
        person
        for person in house.staff.people
        if permissions.has_duty(house, command, Duty.MANAGE, Context(now, SYSTEM, person))
    )
    who = f"these may, two together: {', '.join(may)}" if may else "there is nobody who may"
    return replace(refusal, message=f"{refusal.message} By this copy {who}.", facts={**refusal.facts, "may": may})
