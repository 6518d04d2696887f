"""Pending items and what can be done about them."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from heapq import nsmallest
from typing import Final, NamedTuple

from msgspec import to_builtins
from msgspec.structs import replace

from croupier.house import House
from croupier.house.blockers import NO_FACTS, PAPER, Blocker, Facts, blockers
from croupier.house.credit.held_wins import RecordTaxForm, ReleaseHeldWin
from croupier.house.credit.player_limits import AnswerCall
from croupier.house.credit.tickets import Collect
from croupier.house.declare import COMMANDS, Command, TableCommand
from croupier.house.floor.disputes import (
    AdviseComplainant,
    CloseDispute,
    DecideDispute,
    Dispute,
    DisputeState,
    RecordReview,
    RequestReview,
)
from croupier.house.floor.incidents import ClearIncident, Incident, IncidentKind
from croupier.house.floor.malfunctions import (
    ClearCase,
    ClearLineLoss,
    ConfirmBets,
    RaiseMalfunction,
    VoidBets,
    uncleared,
)
from croupier.house.floor.permissions import hold_clause, rulebooks_of, titles_for
from croupier.house.floor.service import ReopenTerminal, SendMessage
from croupier.house.floor.setup import ApproveBuild
from croupier.house.floor.signatures import Approve, Proposal, Withdraw, needs_second_signature
from croupier.house.floor.staff import UnlockAccount
from croupier.house.ids import Number, PersonId, TableId, TerminalId
from croupier.house.rounds.corrections import CorrectResult
from croupier.house.rounds.irregularities import CallNoSpin
from croupier.house.rounds.referrals import DecideReferral, ReferralDecision, ReferRound, decision_objection
from croupier.house.rounds.results import AttestResult, EnterResult, ObservedSpin, dealt
from croupier.house.settings import WheelKind
from croupier.house.state.records import CaseState, MalfunctionCase, MalfunctionKind
from croupier.house.state.tables import AttendantCall, CallReason, HeldWin, Round, RoundStatus, Table, Terminal
from croupier.house.views import idle, is_taken
from croupier.protocol.staff import AvailableAction, PendingItem, PendingKind
from croupier.rules.geometry import Pocket
from croupier.rules.procedure import Duty, Effect, Reason
from croupier.rules.refusal import CitedTopic, Code
from croupier.server.views.table import SUSPENDED
from croupier.words import blocker_text, case_text, incident_text, remedy_text

#: So many terminals of one table or line loss are listed at the pit as one.
TOGETHER_MIN: Final = 5

NONE = Pocket("")


class OfferedAction(NamedTuple):
    """A command by its label, and its fields that are to be filled in."""

    label: str
    command: Command
    asks: tuple[str, ...] = ()


def actions(house: House, offers: Iterable[OfferedAction]) -> tuple[AvailableAction, ...]:
    """Convert offers to their wire form; those that are not available now are omitted."""
    return tuple(_action(house, offer) for offer in offers if _in_time(house, offer.command))


def _in_time(house: House, command: Command) -> bool:
    return (
        not isinstance(command, TableCommand)
        or house.tables[command.table].phase in COMMANDS[type(command)].permission.phases
    )


def _action(house: House, offer: OfferedAction) -> AvailableAction:
    command = offer.command
    return AvailableAction(
        label=offer.label,
        command=command,
        asks=offer.asks,
        titles=titles_for(rulebooks_of(house, command), COMMANDS[type(command)].permission.duties),
        dual=needs_second_signature(house, command),
    )


def collecting(house: House, terminal: Terminal) -> tuple[AvailableAction, ...]:
    """Offer to collect for a player when the terminal cannot, which has a message of its own."""
    case = None if terminal.case is None else house.cases.all[terminal.case]
    questioned = case is not None and case.questioned and case.state is CaseState.OPEN
    if questioned or terminal.holds or not terminal.credit:
        return ()
    (action,) = actions(house, (OfferedAction("collect_for", Collect(terminal.id)),))
    return (replace(action, command={"t": "collect_for", "terminal": terminal.id}),)


def on_suspended(table: Table, round_: Round) -> Iterator[OfferedAction]:
    """Offer every decision that the state allows; one person cannot replace the number that the wheel reported."""
    drawn = table.settings.wheel is WheelKind.RANDOM
    if round_.spin.interrupted and not drawn:
        yield _attest(table, round_)
    for verdict in (ReferralDecision.GO_ON, ReferralDecision.SETTLE, ReferralDecision.VOID):
        command = DecideReferral(table.id, verdict, "", round=round_.number, spin=round_.spin.number)
        unknown = verdict is ReferralDecision.SETTLE and round_.spin.reported is None
        if decision_objection(table, round_, command, table.rulebook.clause) is None and not (unknown and drawn):
            yield OfferedAction(verdict.value, command, ("pocket", "words") if unknown else ("words",))
    if round_.decide_by is not None:
        yield from _no_spin(table, round_)


def on_interrupted(table: Table, round_: Round) -> Iterator[OfferedAction]:
    """Two people attest the number, or the spin is called off."""
    yield _attest(table, round_)
    yield from _no_spin(table, round_)


def on_incident(house: House, incident: Incident) -> Iterator[OfferedAction]:
    """Offer the remedies at the table of an incident, and to clear the incident."""
    table = house.tables.get(TableId(incident.subject))
    if table is not None and table.round is not None:
        yield from _mends(table, table.round, incident.kind)
    if incident.kind is IncidentKind.ACCOUNT_LOCKED and PersonId(incident.subject) in house.staff.people:
        yield OfferedAction("unlock", UnlockAccount(PersonId(incident.subject)))
    yield OfferedAction("clear", ClearIncident(incident.number))


#: Faults of a wheel or of the game itself.
_TROUBLES = (
    IncidentKind.WHEEL_TROUBLE,
    IncidentKind.WHEEL_SILENT,
    IncidentKind.BALL_NOT_SEATED,
    IncidentKind.IMPOSSIBLE_POCKET,
    IncidentKind.NUMBER_DIFFERS,
    IncidentKind.SIGHTINGS_DIFFER,
)


def _mends(table: Table, round_: Round, kind: IncidentKind) -> Iterator[OfferedAction]:
    if kind not in _TROUBLES or round_.status not in (RoundStatus.ACTIVE, RoundStatus.SETTLED):
        return
    number = round_.number
    if round_.status is RoundStatus.SETTLED:
        if kind is IncidentKind.NUMBER_DIFFERS and not round_.invalidated:
            yield OfferedAction("correct", CorrectResult(table.id, number, NONE, ""), ("pocket", "words"))
        return
    sound = ObservedSpin.of(round_).judged(table) is None and not round_.spin.interrupted
    if sound and dealt(table) and round_.spin.reported is None:
        yield OfferedAction(
            "enter", EnterResult(table.id, NONE, NONE, round=number, spin=round_.spin.number), ("pocket", "again")
        )
    if sound and round_.spin.reported is not None and table.settings.wheel is not WheelKind.RANDOM:
        yield _attest(table, round_)
    yield from _no_spin(table, round_)
    yield OfferedAction("refer", ReferRound(table.id, ""), ("words",))


def _attest(table: Table, round_: Round) -> OfferedAction:
    command = AttestResult(table.id, NONE, "", round=round_.number, spin=round_.spin.number)
    return OfferedAction("attest", command, ("pocket", "words"))


def _no_spin(table: Table, round_: Round) -> tuple[OfferedAction, ...]:
    """Call the spin off, for a reason that the venue lists."""
    listed = any(each.by and each.effect is not Effect.INVALIDATE for each in table.rulebook.irregularities)
    command = CallNoSpin(table.id, Reason.NOT_COVERED, round=round_.number, spin=round_.spin.number)
    return (OfferedAction("no_spin", command, ("reason", "words")),) if listed else ()


def on_case(house: House, case: MalfunctionCase) -> Iterator[OfferedAction]:
    """Confirm or void bets that are in question; then, once its link is back, return the terminal to service."""
    if case.state is CaseState.OPEN and case.questioned:
        yield OfferedAction("confirm_bets", ConfirmBets(case.number, case.rounds[0].digest))
        yield OfferedAction("void_bets", VoidBets(case.number, ""), ("words",))
    elif case.terminal not in house.offline:
        yield OfferedAction("clear_case", ClearCase(case.number))


def on_line_loss(house: House, table: TableId, cases: Iterable[MalfunctionCase]) -> Iterator[OfferedAction]:
    """Return the terminals of a line loss to service, once any of their links is back."""
    ready = next((case for case in cases if uncleared(house, case) is None), None)
    if ready is not None and ready.line_loss is not None:
        yield OfferedAction("clear_line_loss", ClearLineLoss(table, ready.line_loss))


def on_dispute(house: House, dispute: Dispute) -> Iterator[OfferedAction]:
    """Offer the next steps of a dispute by the venue's rules."""
    duties, number = house.tables[dispute.opened.table].rulebook.staff.duties, dispute.opened.dispute
    advises = Duty.OFFICIATE in duties and dispute.advised_at is None
    match dispute.state:
        case DisputeState.OPEN:
            yield OfferedAction("decide", DecideDispute(number, ""), ("decision",))
        case DisputeState.UNDER_REVIEW:
            yield OfferedAction("record_review", RecordReview(number, ""), ("outcome",))
        case _:
            if dispute.state is DisputeState.FINAL and Duty.REVIEW in duties:
                yield OfferedAction("request_review", RequestReview(number, by_house=False))
            yield OfferedAction("close_resolved", CloseDispute(number, resolved=True))
            if not advises:
                yield OfferedAction("close_unresolved", CloseDispute(number, resolved=False))
    if advises:
        yield OfferedAction("advise", AdviseComplainant(number))


#: A pending item with default fields.
_need = partial(
    PendingItem,
    number=None,
    table=None,
    terminal=None,
    what="",
    facts={},
    clause=None,
    since_us=None,
    due_us=None,
    amount=None,
    count=1,
)
_ORDER = {kind: place for place, kind in enumerate(PendingKind)}
_NEVER = 1 << 63


class Waiting(NamedTuple):
    """A pending item: its place in the list, and the function that builds its row."""

    place: tuple[int, int, int]
    build: Callable[[], PendingItem]


def _waiting(
    kind: PendingKind, build: Callable[[], PendingItem], since: int | None = None, due: int | None = None
) -> Waiting:
    return Waiting((_ORDER[kind], due or _NEVER, since or 0), build)


def first_needs(house: House, most: int, facts: Facts = NO_FACTS) -> tuple[tuple[PendingItem, ...], int]:
    """List the first pending items, and return how many more there are: those are not built.

    Their order is by kind, then the earliest due, then the longest waiting.
    """
    found = list(_found(house, facts))
    first = nsmallest(most, found, key=_place)
    return tuple(each.build() for each in first), len(found) - len(first)


def _place(waiting: Waiting) -> tuple[int, int, int]:
    return waiting.place


def _found(house: House, facts: Facts) -> Iterator[Waiting]:
    yield from _rounds(house)
    yield from _incidents(house)
    yield from _blocked(house, facts)
    yield from _cases(house)
    yield from _devices(facts)
    yield from _proposals(house)
    yield from _holds(house)
    yield from _calls(house)
    yield from _disputes(house)
    yield from _seats(house)


def _rounds(house: House) -> Iterator[Waiting]:
    for table in house.tables.values():
        round_ = table.round
        if round_ is None or round_.over:
            continue
        if round_.status is RoundStatus.SUSPENDED:
            kind, says = PendingKind.SUSPENDED, SUSPENDED
            offers = on_suspended(table, round_)
        elif round_.spin.interrupted:
            kind = PendingKind.INTERRUPTED
            says = "The round was interrupted: two people attest where the ball lay, or the spin is called off."
            offers = on_interrupted(table, round_)
        else:
            continue
        need = _round(table, round_, kind, says, actions(house, offers))
        yield _waiting(kind, partial(_same, need), since=need.since_us, due=need.due_us)


def _same(need: PendingItem) -> PendingItem:
    """There are few of these: they are built at once."""
    return need


def _round(table: Table, round_: Round, kind: PendingKind, says: str, can: tuple[AvailableAction, ...]) -> PendingItem:
    return _need(
        kind=kind,
        number=round_.number,
        table=table.id,
        what="" if round_.reason is None else round_.reason.value,
        says=says,
        clause=round_.clause,
        since_us=round_.closed_at or round_.opened_at,
        due_us=round_.decide_by,
        amount=sum(sum(stakes.values()) for stakes in round_.layouts.values()),
        actions=can,
    )


def _incidents(house: House) -> Iterator[Waiting]:
    for each in house.incidents.all.values():
        if each.cleared_by is None:
            yield _waiting(PendingKind.INCIDENT, partial(_incident, house, each), since=each.at)


def _incident(house: House, each: Incident) -> PendingItem:
    return _need(
        kind=PendingKind.INCIDENT,
        number=each.number,
        table=each.subject if each.subject in house.tables else None,
        terminal=each.subject if each.subject in house.terminals else None,
        what=each.kind.value,
        says=incident_text(each),
        facts=incident_facts(each),
        clause=each.clause,
        since_us=each.at,
        actions=actions(house, on_incident(house, each)),
    )


def incident_facts(each: Incident) -> dict[str, object]:
    """Return what a page needs to word an incident: its subject, and the facts that are known of it."""
    return {"subject": each.subject, **to_builtins(each.facts)}


#: Blockers that have a pending item of their own, or were decided at the pit.
_SHOWN_ELSEWHERE = (Code.ROUND_SUSPENDED, "round_interrupted", Code.OUT_OF_TURN, Code.TABLE_CLOSED, Code.TOO_SOON)


def _blocked(house: House, facts: Facts) -> Iterator[Waiting]:
    for each in blockers(house, facts):
        # The case of a terminal has a pending item of its own.
        if each.reason not in _SHOWN_ELSEWHERE and not each.terminal:
            yield _waiting(PendingKind.BLOCKED, partial(_blocked_by, house, each))


def _blocked_by(house: House, each: Blocker) -> PendingItem:
    return _need(
        kind=PendingKind.BLOCKED,
        table=each.table,
        what=each.reason,
        says=f"{blocker_text(each)} {remedy_text(each)}",
        facts=each.facts,
        clause=each.clause,
        actions=actions(house, _on_blocked(house, each)),
    )


def _on_blocked(house: House, blocker: Blocker) -> Iterator[OfferedAction]:
    if blocker.reason == Code.SOFTWARE_NOT_APPROVED and house.setup.build:
        yield OfferedAction("approve_software", ApproveBuild(house.setup.build, ""), ("reference",))


def _devices(facts: Facts) -> Iterator[Waiting]:
    for each in facts.peripherals:
        broken = f"The {each.device} does not work: {each.words}."
        what, says = each.device, "The printer is nearly out of paper." if each.device == PAPER else broken
        named = {"terminal": each.terminal, "what": what, "says": says, "facts": {"words": each.words}}
        item = partial(_need, kind=PendingKind.DEVICE, actions=(), **named)
        yield _waiting(PendingKind.DEVICE, item)


def _cases(house: House) -> Iterator[Waiting]:
    """List the cases of terminals: those of one line loss as one, unless their bets wait for a decision."""
    losses: dict[tuple[str, Number], list[MalfunctionCase]] = {}
    for terminal in house.terminals.values():
        case = None if terminal.case is None else house.cases.all[terminal.case]
        if case is None:
            continue
        if case.line_loss is None or (case.questioned and case.state is CaseState.OPEN):
            yield _waiting(PendingKind.CASE, partial(_case, house, case), since=case.raised_at)
        else:
            losses.setdefault((terminal.first_table, case.line_loss), []).append(case)
    for (table, _), cases in losses.items():
        if len(cases) < TOGETHER_MIN:
            for each in cases:
                yield _waiting(PendingKind.CASE, partial(_case, house, each), since=each.raised_at)
        else:
            yield _waiting(
                PendingKind.CASE, partial(_line_loss, house, TableId(table), cases), since=cases[0].raised_at
            )


def _case(house: House, case: MalfunctionCase) -> PendingItem:
    terminal = house.terminals[case.terminal]
    return _need(
        kind=PendingKind.CASE,
        number=case.number,
        table=terminal.first_table,
        terminal=terminal.id,
        what=case.fault.value,
        says=case_text(case),
        facts={"text": case.words} if case.evidence is None else to_builtins(case.evidence),
        clause=case.clause,
        since_us=case.raised_at,
        amount=case.suspense,
        actions=(*actions(house, on_case(house, case)), *collecting(house, terminal)),
    )


def _line_loss(house: House, table: TableId, cases: list[MalfunctionCase]) -> PendingItem:
    back = sum(case.terminal not in house.offline for case in cases)
    return _need(
        kind=PendingKind.CASE,
        number=cases[0].line_loss,
        table=table,
        what=cases[0].fault.value,
        says=f"{len(cases)} terminals have lost their links together; {back} of them are back.",
        facts={"n": len(cases), "back": back},
        clause=cases[0].clause,
        since_us=cases[0].raised_at,
        amount=sum(case.suspense for case in cases),
        count=len(cases),
        actions=actions(house, on_line_loss(house, table, cases)),
    )


def _proposals(house: House) -> Iterator[Waiting]:
    for each in house.proposals.all.values():
        if each.expires_at > house.now:
            yield _waiting(PendingKind.PROPOSAL, partial(_proposal, house, each), due=each.expires_at)


def _proposal(house: House, each: Proposal) -> PendingItem:
    what = type(each.command).__name__
    offers = (OfferedAction("approve", Approve(each.number)), OfferedAction("withdraw", Withdraw(each.number)))
    return _need(
        kind=PendingKind.PROPOSAL,
        number=each.number,
        what=what,
        says=f"{each.person} has signed “{_plain(what)}” at {each.device}: another person must sign it too.",
        due_us=each.expires_at,
        actions=actions(house, offers),
    )


def _plain(name: str) -> str:
    """Convert the name of a command to words: CorrectResult is "correct result"."""
    return "".join(f" {each.lower()}" if each.isupper() else each for each in name).strip()


def _holds(house: House) -> Iterator[Waiting]:
    for terminal in house.terminals.values():
        for hold in terminal.holds.values():
            yield _waiting(PendingKind.HELD_WIN, partial(_hold, house, terminal, hold))


def _hold(house: House, terminal: Terminal, hold: HeldWin) -> PendingItem:
    return _need(
        kind=PendingKind.HELD_WIN,
        number=hold.number,
        table=hold.table,
        terminal=terminal.id,
        what="recorded" if hold.form_number else "form_missing",
        says=f"A win of round {hold.round} awaits its form.",
        facts={"round": hold.round},
        clause=hold_clause(house.rulebook_at(terminal)),
        amount=hold.amount,
        actions=actions(house, _on_hold(terminal, hold)),
    )


def _on_hold(terminal: Terminal, hold: HeldWin) -> Iterator[OfferedAction]:
    if not hold.form_number:
        yield OfferedAction("record_form", RecordTaxForm(terminal.id, hold.number, "", ""), ("patron", "form_number"))
    else:
        yield OfferedAction("release", ReleaseHeldWin(terminal.id, hold.number))


def _calls(house: House) -> Iterator[Waiting]:
    for terminal in house.terminals.values():
        if terminal.call is not None:
            yield _waiting(PendingKind.CALL, partial(_call, house, terminal, terminal.call), since=terminal.call.at)


def _call(house: House, terminal: Terminal, call: AttendantCall) -> PendingItem:
    """Build the item of a player's call; its money is what the player has at the terminal."""
    return _need(
        kind=PendingKind.CALL,
        table=terminal.first_table,
        terminal=terminal.id,
        what=call.reason.value,
        says=_CALLED[call.reason],
        since_us=call.at,
        amount=terminal.credit + terminal.in_play + terminal.held_total,
        actions=actions(house, (OfferedAction("answer", AnswerCall(terminal.id)),)),
    )


_CALLED = {
    CallReason.BET: "The player asks about a bet or a result.",
    CallReason.MONEY: "The player asks about money or a slip.",
    CallReason.SCREEN: "Something is wrong with the screen or the seat.",
    CallReason.OTHER: "The player asks for an attendant.",
}


def _disputes(house: House) -> Iterator[Waiting]:
    for each in house.disputes.values():
        if each.state is not DisputeState.CLOSED:
            yield _waiting(PendingKind.DISPUTE, partial(_dispute, house, each), since=each.opened_at)


def _dispute(house: House, each: Dispute) -> PendingItem:
    return _need(
        kind=PendingKind.DISPUTE,
        number=each.opened.dispute,
        table=each.opened.table,
        terminal=each.opened.terminal,
        what=each.state.value,
        says=f"{each.opened.player}: {each.opened.words}" if each.opened.player else each.opened.words,
        facts={"text": each.opened.words, "player": each.opened.player},
        clause=each.opened.clause,
        since_us=each.opened_at,
        actions=actions(house, on_dispute(house, each)),
    )


def _seats(house: House) -> Iterator[Waiting]:
    lost: dict[str, list[Terminal]] = {}
    for terminal in map(house.terminals.__getitem__, sorted(house.offline)):
        if terminal.case is None:
            lost.setdefault(terminal.first_table, []).append(terminal)
    for table, terminals in lost.items():
        if len(terminals) < TOGETHER_MIN:
            for each in terminals:
                yield _waiting(PendingKind.DARK, partial(_offline, house, each), since=each.lost_at)
        else:
            since = min(each.lost_at or 0 for each in terminals)
            yield _waiting(PendingKind.DARK, partial(_offline_at, house, table, terminals, since), since=since)
    for terminal in house.terminals.values():
        if terminal.closed and terminal.credit and terminal.case is None and terminal.lost_at is None:
            yield _waiting(PendingKind.CREDIT_LEFT, partial(_closed, house, terminal))
    for table_ in house.tables.values():
        yield from _idle(house, table_)


def _offline(house: House, terminal: Terminal) -> PendingItem:
    rule = house.rulebook_at(terminal).procedure.terminal_loss
    offer = OfferedAction("malfunction", RaiseMalfunction(terminal.id, MalfunctionKind.INTERRUPTED, ""), ("words",))
    return _need(
        kind=PendingKind.DARK,
        table=terminal.first_table,
        terminal=terminal.id,
        what=rule.choice.value,
        says="The link to this terminal is gone.",
        clause=rule.clause,
        since_us=terminal.lost_at,
        amount=terminal.credit,
        actions=(*actions(house, (offer,)), *collecting(house, terminal)),
    )


def _offline_at(house: House, table: str, terminals: list[Terminal], since: int) -> PendingItem:
    """Build one item for many offline terminals of one table; the actions for each are at the table."""
    rule = house.rulebook_at(terminals[0]).procedure.terminal_loss
    return _need(
        kind=PendingKind.DARK,
        table=table,
        what=rule.choice.value,
        says=f"The links to {len(terminals)} terminals of this table are gone.",
        clause=rule.clause,
        since_us=since,
        amount=sum(each.credit for each in terminals),
        count=len(terminals),
        actions=(),
    )


def _closed(house: House, terminal: Terminal) -> PendingItem:
    offer = OfferedAction("reopen", ReopenTerminal(terminal.id))
    return _need(
        kind=PendingKind.CREDIT_LEFT,
        table=terminal.first_table,
        terminal=terminal.id,
        says="This terminal is out of service with credits on it.",
        clause=house.rulebook_at(terminal).cited_clauses[CitedTopic.CREDIT_OUT],
        amount=terminal.credit,
        actions=(*actions(house, (offer,)), *collecting(house, terminal)),
    )


def _idle(house: House, table: Table) -> Iterator[Waiting]:
    for name in filter(lambda each: is_taken(house.terminals[each]), idle(house, table.id)):
        yield _waiting(PendingKind.IDLE, partial(_idle_at, house, table, name))


def _idle_at(house: House, table: Table, name: TerminalId) -> PendingItem:
    figure = table.rulebook.terminal.idle_spins
    assert figure is not None
    spins = house.terminals[name].games[table.id].idle_spins
    return _need(
        kind=PendingKind.IDLE,
        number=spins,
        table=table.id,
        terminal=name,
        says=f"No bet was placed here for {spins} spins.",
        clause=figure.clause,
        actions=actions(house, (OfferedAction("message", SendMessage((name,), ""), ("words",)),)),
    )
