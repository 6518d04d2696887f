"""Needs: all that waits for somebody in the pit, the worst first, each with what can be done about it."""

from collections.abc import Iterator
from functools import partial

from croupier.house.blocker import NO_FACTS, Blocker, Facts, blockers
from croupier.house.command.credit import RecordTaxForm, ReleaseHold
from croupier.house.command.record import Fault, RaiseMalfunction
from croupier.house.command.venue import Approve, ApproveSoftware, ReopenTerminal, SendMessage, Withdraw
from croupier.house.docket import DisputeState
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
    on_suspended,
)
from croupier.web.needdata import Action, Need, NeedKind

#: A need of which nothing is known yet.
_need = partial(
    Need, number=None, table=None, terminal=None, what="", clause=None, since_us=None, due_us=None, amount=None
)
_ORDER = {kind: place for place, kind in enumerate(NeedKind)}
_NEVER = 1 << 63


def needs(house: House, facts: Facts = NO_FACTS) -> list[Need]:
    """List what waits: by kind, then what is due first, then what has waited longest."""
    found = (
        *_rounds(house),
        *_incidents(house),
        *_blocked(house, facts),
        *_cases(house),
        *_proposals(house),
        *_holds(house),
        *_disputes(house),
        *_seats(house),
    )
    return sorted(found, key=lambda each: (_ORDER[each.kind], each.due_us or _NEVER, each.since_us or 0))


def _rounds(house: House) -> Iterator[Need]:
    for table in house.tables.values():
        round_ = table.round
        if round_ is None or round_.over:
            continue
        if round_.status is Status.SUSPENDED:
            says = "The round is suspended until somebody decides it."
            yield _round(table, round_, NeedKind.SUSPENDED, says, actions(house, on_suspended(table, round_)))
        elif round_.interrupted:
            says = "The round was interrupted: two people attest where the ball lay, or the spin is called off."
            yield _round(table, round_, NeedKind.INTERRUPTED, says, actions(house, on_interrupted(table, round_)))


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


def _incidents(house: House) -> Iterator[Need]:
    for each in house.incidents.values():
        if each.cleared_by is None:
            yield _need(
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


def _blocked(house: House, facts: Facts) -> Iterator[Need]:
    for each in blockers(house, facts):
        if each.reason not in _TOLD_OTHERWISE:
            yield _need(
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


def _cases(house: House) -> Iterator[Need]:
    for terminal in house.terminals.values():
        case = None if terminal.case is None else house.cases[terminal.case]
        if case is not None:
            yield _need(
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


def _proposals(house: House) -> Iterator[Need]:
    for each in house.proposals.values():
        if each.expires_at > house.now:
            what = type(each.command).__name__
            offers = (Offer("approve", Approve(each.number)), Offer("withdraw", Withdraw(each.number)))
            yield _need(
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


def _holds(house: House) -> Iterator[Need]:
    for terminal in house.terminals.values():
        for hold in terminal.holds.values():
            rulebook = house.rulebook_at(terminal)
            yield _need(
                kind=NeedKind.HELD_WIN,
                number=hold.number,
                table=hold.table,
                terminal=terminal.id,
                what="recorded" if hold.form_number else "form_missing",
                says=f"A win of round {hold.round} awaits its form.",
                clause=hold_clause(rulebook),
                amount=hold.amount,
                actions=actions(house, _on_hold(terminal, hold)),
            )


def _on_hold(terminal: Terminal, hold: Hold) -> Iterator[Offer]:
    if not hold.form_number:
        yield Offer("record_form", RecordTaxForm(terminal.id, hold.number, "", ""), ("patron", "form_number"))
    else:
        yield Offer("release", ReleaseHold(terminal.id, hold.number))


def _disputes(house: House) -> Iterator[Need]:
    for each in house.disputes.values():
        if each.state is not DisputeState.CLOSED:
            yield _need(
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


def _seats(house: House) -> Iterator[Need]:
    for name in sorted(house.dark):
        terminal = house.terminals[name]
        if terminal.case is None:
            rule = house.rulebook_at(terminal).procedure.terminal_loss
            offer = Offer("malfunction", RaiseMalfunction(name, Fault.INTERRUPTED, ""), ("words",))
            yield _need(
                kind=NeedKind.DARK,
                table=_first(terminal),
                terminal=name,
                what=rule.does.value,
                says="The link to this terminal is gone.",
                clause=rule.clause,
                since_us=terminal.lost_at,
                amount=terminal.credit,
                actions=(*actions(house, (offer,)), *collecting(house, terminal)),
            )
    for terminal in house.terminals.values():
        if terminal.closed and terminal.credit and terminal.case is None and terminal.lost_at is None:
            yield _closed(house, terminal)
    for table in house.tables.values():
        yield from _idle(house, table)


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


def _idle(house: House, table: Table) -> Iterator[Need]:
    figure = table.rulebook.terminal.idle_spins
    for name in filter(lambda each: is_taken(house.terminals[each]), idle(house, table.id)):
        assert figure is not None
        spins = house.terminals[name].games[table.id].idle_spins
        yield _need(
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
