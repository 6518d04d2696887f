"""Needs: all that waits for somebody in the pit, the worst first, each with what can be done about it."""

from collections.abc import Callable, Iterator
from functools import partial
from heapq import nsmallest
from typing import NamedTuple

from croupier.house.blocker import NO_FACTS, Blocker, Facts, blockers
from croupier.house.command.credit import RecordTaxForm, ReleaseHold
from croupier.house.command.record import Fault, RaiseMalfunction
from croupier.house.command.venue import Approve, ApproveSoftware, ReopenTerminal, SendMessage, Withdraw
from croupier.house.docket import Case, CaseState, Dispute, DisputeState, Incident, Proposal
from croupier.house.name import Number, TableId, TerminalId
from croupier.house.service import hold_clause
from croupier.house.state import House
from croupier.house.table import Round, Status, Table
from croupier.house.terminal import Hold, Terminal
from croupier.house.views import idle, is_taken
from croupier.rules.matter import Matter
from croupier.rules.refusal import Code
from croupier.web.actions import (
    Offer,
    actions,
    collecting,
    on_case,
    on_dispute,
    on_incident,
    on_interrupted,
    on_line_loss,
    on_suspended,
)
from croupier.web.limits import TOGETHER_LEAST
from croupier.web.needdata import Action, Need, NeedKind

#: A need of which nothing is known yet.
_need = partial(
    Need, number=None, table=None, terminal=None, what="", clause=None, since_us=None, due_us=None, amount=None, count=1
)
_ORDER = {kind: place for place, kind in enumerate(NeedKind)}
_NEVER = 1 << 63


class Waiting(NamedTuple):
    """Something that waits: its place in the list, and what draws it up for those who see it."""

    place: tuple[int, int, int]
    draw_up: Callable[[], Need]


def _waiting(kind: NeedKind, draw_up: Callable[[], Need], since: int | None = None, due: int | None = None) -> Waiting:
    return Waiting((_ORDER[kind], due or _NEVER, since or 0), draw_up)


def needs(house: House, facts: Facts = NO_FACTS) -> list[Need]:
    """List what waits: by kind, then what is due first, then what has waited longest."""
    return [each.draw_up() for each in sorted(_found(house, facts), key=_place)]


def first_needs(house: House, most: int, facts: Facts = NO_FACTS) -> tuple[tuple[Need, ...], int]:
    """List the first of what waits, and tell how many more there are: those are not drawn up."""
    found = list(_found(house, facts))
    first = nsmallest(most, found, key=_place)
    return tuple(each.draw_up() for each in first), len(found) - len(first)


def _place(waiting: Waiting) -> tuple[int, int, int]:
    return waiting.place


def _found(house: House, facts: Facts) -> Iterator[Waiting]:
    yield from _rounds(house)
    yield from _incidents(house)
    yield from _blocked(house, facts)
    yield from _cases(house)
    yield from _proposals(house)
    yield from _holds(house)
    yield from _disputes(house)
    yield from _seats(house)


def _rounds(house: House) -> Iterator[Waiting]:
    for table in house.tables.values():
        round_ = table.round
        if round_ is None or round_.over:
            continue
        if round_.status is Status.SUSPENDED:
            kind, says = NeedKind.SUSPENDED, "The round is suspended until somebody decides it."
            offers = on_suspended(table, round_)
        elif round_.interrupted:
            kind = NeedKind.INTERRUPTED
            says = "The round was interrupted: two people attest where the ball lay, or the spin is called off."
            offers = on_interrupted(table, round_)
        else:
            continue
        need = _round(table, round_, kind, says, actions(house, offers))
        yield _waiting(kind, partial(_same, need), since=need.since_us, due=need.due_us)


def _same(need: Need) -> Need:
    """Of these there are few: they are drawn up at once."""
    return need


def _round(table: Table, round_: Round, kind: NeedKind, says: str, can: tuple[Action, ...]) -> Need:
    return _need(
        kind=kind,
        number=round_.number,
        table=table.id,
        what="" if round_.reason is None else round_.reason.value,
        says=says,
        clause=round_.clause,
        since_us=round_.closed_at or round_.opened_at,
        due_us=round_.decide_by,
        amount=sum(sum(stakes.values()) for stakes in (round_.sealed or {}).values()),
        actions=can,
    )


def _incidents(house: House) -> Iterator[Waiting]:
    for each in house.incidents.values():
        if each.cleared_by is None:
            yield _waiting(NeedKind.INCIDENT, partial(_incident, house, each), since=each.at)


def _incident(house: House, each: Incident) -> Need:
    return _need(
        kind=NeedKind.INCIDENT,
        number=each.number,
        table=each.subject if each.subject in house.tables else None,
        terminal=each.subject if each.subject in house.terminals else None,
        what=each.kind.value,
        says=each.words,
        clause=each.clause,
        since_us=each.at,
        actions=actions(house, on_incident(house, each)),
    )


#: What has a need of its own, or was decided by somebody at the pit.
_TOLD_OTHERWISE = (Code.ROUND_SUSPENDED, "round_interrupted", Code.OUT_OF_TURN, Code.TABLE_CLOSED, Code.TOO_SOON)


def _blocked(house: House, facts: Facts) -> Iterator[Waiting]:
    for each in blockers(house, facts):
        if each.reason not in _TOLD_OTHERWISE:
            yield _waiting(NeedKind.BLOCKED, partial(_blocked_by, house, each))


def _blocked_by(house: House, each: Blocker) -> Need:
    return _need(
        kind=NeedKind.BLOCKED,
        table=each.table,
        what=each.reason,
        says=f"{each.says} {each.remedy}",
        clause=each.clause,
        actions=actions(house, _on_blocked(house, each)),
    )


def _on_blocked(house: House, blocker: Blocker) -> Iterator[Offer]:
    if blocker.reason == Code.SOFTWARE_NOT_APPROVED and house.running:
        yield Offer("approve_software", ApproveSoftware(house.running, ""), ("reference",))


def _cases(house: House) -> Iterator[Waiting]:
    """List the cases of terminals: those of one line loss as one, unless their bets wait for somebody's word."""
    losses: dict[tuple[str, Number], list[Case]] = {}
    for terminal in house.terminals.values():
        case = None if terminal.case is None else house.cases[terminal.case]
        if case is None:
            continue
        if case.line_loss is None or (case.questioned and case.state is CaseState.OPEN):
            yield _waiting(NeedKind.CASE, partial(_case, house, case), since=case.raised_at)
        else:
            losses.setdefault((_first(terminal), case.line_loss), []).append(case)
    for (table, _), cases in losses.items():
        if len(cases) < TOGETHER_LEAST:
            for each in cases:
                yield _waiting(NeedKind.CASE, partial(_case, house, each), since=each.raised_at)
        else:
            yield _waiting(NeedKind.CASE, partial(_line_loss, house, TableId(table), cases), since=cases[0].raised_at)


def _case(house: House, case: Case) -> Need:
    terminal = house.terminals[case.terminal]
    return _need(
        kind=NeedKind.CASE,
        number=case.number,
        table=_first(terminal),
        terminal=terminal.id,
        what=case.fault.value,
        says=case.words,
        clause=case.clause,
        since_us=case.raised_at,
        amount=case.suspense,
        actions=(*actions(house, on_case(house, case)), *collecting(house, terminal)),
    )


def _line_loss(house: House, table: TableId, cases: list[Case]) -> Need:
    back = sum(case.terminal not in house.dark for case in cases)
    return _need(
        kind=NeedKind.CASE,
        number=cases[0].line_loss,
        table=table,
        what=cases[0].fault.value,
        says=f"{len(cases)} terminals have lost their links together; {back} of them are back.",
        clause=cases[0].clause,
        since_us=cases[0].raised_at,
        amount=sum(case.suspense for case in cases),
        count=len(cases),
        actions=actions(house, on_line_loss(house, table, cases)),
    )


def _proposals(house: House) -> Iterator[Waiting]:
    for each in house.proposals.values():
        if each.expires_at > house.now:
            yield _waiting(NeedKind.PROPOSAL, partial(_proposal, house, each), due=each.expires_at)


def _proposal(house: House, each: Proposal) -> Need:
    what = type(each.command).__name__
    offers = (Offer("approve", Approve(each.number)), Offer("withdraw", Withdraw(each.number)))
    return _need(
        kind=NeedKind.PROPOSAL,
        number=each.number,
        what=what,
        says=f"{each.person} has signed “{_plain(what)}” at {each.device}: somebody else must sign it too.",
        due_us=each.expires_at,
        actions=actions(house, offers),
    )


def _plain(name: str) -> str:
    """Write the name of a command as words: CorrectResult is "correct result"."""
    return "".join(f" {each.lower()}" if each.isupper() else each for each in name).strip()


def _holds(house: House) -> Iterator[Waiting]:
    for terminal in house.terminals.values():
        for hold in terminal.holds.values():
            yield _waiting(NeedKind.HELD_WIN, partial(_hold, house, terminal, hold))


def _hold(house: House, terminal: Terminal, hold: Hold) -> Need:
    return _need(
        kind=NeedKind.HELD_WIN,
        number=hold.number,
        table=hold.table,
        terminal=terminal.id,
        what="recorded" if hold.form_number else "form_missing",
        says=f"A win of round {hold.round} awaits its form.",
        clause=hold_clause(house.rulebook_at(terminal)),
        amount=hold.amount,
        actions=actions(house, _on_hold(terminal, hold)),
    )


def _on_hold(terminal: Terminal, hold: Hold) -> Iterator[Offer]:
    if not hold.form_number:
        yield Offer("record_form", RecordTaxForm(terminal.id, hold.number, "", ""), ("patron", "form_number"))
    else:
        yield Offer("release", ReleaseHold(terminal.id, hold.number))


def _disputes(house: House) -> Iterator[Waiting]:
    for each in house.disputes.values():
        if each.state is not DisputeState.CLOSED:
            yield _waiting(NeedKind.DISPUTE, partial(_dispute, house, each), since=each.opened_at)


def _dispute(house: House, each: Dispute) -> Need:
    return _need(
        kind=NeedKind.DISPUTE,
        number=each.number,
        table=each.table,
        terminal=each.terminal,
        what=each.state.value,
        says=each.words,
        clause=each.clause,
        since_us=each.opened_at,
        actions=actions(house, on_dispute(house, each)),
    )


def _seats(house: House) -> Iterator[Waiting]:
    lost: dict[str, list[Terminal]] = {}
    for terminal in map(house.terminals.__getitem__, sorted(house.dark)):
        if terminal.case is None:
            lost.setdefault(_first(terminal), []).append(terminal)
    for table, terminals in lost.items():
        if len(terminals) < TOGETHER_LEAST:
            for each in terminals:
                yield _waiting(NeedKind.DARK, partial(_offline, house, each), since=each.lost_at)
        else:
            since = min(each.lost_at or 0 for each in terminals)
            yield _waiting(NeedKind.DARK, partial(_offline_at, house, table, terminals, since), since=since)
    for terminal in house.terminals.values():
        if terminal.closed and terminal.credit and terminal.case is None and terminal.lost_at is None:
            yield _waiting(NeedKind.CREDIT_LEFT, partial(_closed, house, terminal))
    for table_ in house.tables.values():
        yield from _idle(house, table_)


def _offline(house: House, terminal: Terminal) -> Need:
    rule = house.rulebook_at(terminal).procedure.terminal_loss
    offer = Offer("malfunction", RaiseMalfunction(terminal.id, Fault.INTERRUPTED, ""), ("words",))
    return _need(
        kind=NeedKind.DARK,
        table=_first(terminal),
        terminal=terminal.id,
        what=rule.does.value,
        says="The link to this terminal is gone.",
        clause=rule.clause,
        since_us=terminal.lost_at,
        amount=terminal.credit,
        actions=(*actions(house, (offer,)), *collecting(house, terminal)),
    )


def _offline_at(house: House, table: str, terminals: list[Terminal], since: int) -> Need:
    """Draw many offline terminals of one table up as one; what can be done about each is at the table."""
    rule = house.rulebook_at(terminals[0]).procedure.terminal_loss
    return _need(
        kind=NeedKind.DARK,
        table=table,
        what=rule.does.value,
        says=f"The links to {len(terminals)} terminals of this table are gone.",
        clause=rule.clause,
        since_us=since,
        amount=sum(each.credit for each in terminals),
        count=len(terminals),
        actions=(),
    )


def _closed(house: House, terminal: Terminal) -> Need:
    offer = Offer("reopen", ReopenTerminal(terminal.id))
    return _need(
        kind=NeedKind.CREDIT_LEFT,
        table=_first(terminal),
        terminal=terminal.id,
        says="This terminal is out of service with credits on it.",
        clause=house.rulebook_at(terminal).cites[Matter.CREDIT_OUT],
        amount=terminal.credit,
        actions=(*actions(house, (offer,)), *collecting(house, terminal)),
    )


def _idle(house: House, table: Table) -> Iterator[Waiting]:
    for name in filter(lambda each: is_taken(house.terminals[each]), idle(house, table.id)):
        yield _waiting(NeedKind.IDLE, partial(_idle_at, house, table, name))


def _idle_at(house: House, table: Table, name: TerminalId) -> Need:
    figure = table.rulebook.terminal.idle_spins
    assert figure is not None
    spins = house.terminals[name].games[table.id].idle_spins
    return _need(
        kind=NeedKind.IDLE,
        number=spins,
        table=table.id,
        terminal=name,
        says=f"No bet was placed here for {spins} spins.",
        clause=figure.clause,
        actions=actions(house, (Offer("message", SendMessage((name,), ""), ("words",)),)),
    )


def _first(terminal: Terminal) -> str:
    return next(iter(terminal.games))
