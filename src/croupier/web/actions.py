"""Actions: what can be done about something, as commands that the house would take, and who may ask for them."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from msgspec.structs import replace

from croupier.house.authority import rulebooks_of
from croupier.house.command.base import AtTable, Command
from croupier.house.command.credit import Collect
from croupier.house.command.record import (
    AdviseComplainant,
    ClearCase,
    ClearIncident,
    ClearLineLoss,
    CloseDispute,
    ConfirmBets,
    DecideDispute,
    IncidentKind,
    RecordReview,
    RequestReview,
    VoidBets,
)
from croupier.house.command.round import (
    AttestResult,
    CallNoSpin,
    CorrectResult,
    DecideReferral,
    EnterResult,
    ReferRound,
    Verdict,
)
from croupier.house.command.venue import UnlockAccount
from croupier.house.docket import Case, CaseState, Dispute, DisputeState, Incident
from croupier.house.grant import AUTHORITY
from croupier.house.malfunction import uncleared
from croupier.house.name import PersonId, TableId
from croupier.house.proposal import needs_second
from croupier.house.referral import cannot
from croupier.house.result import Sight, dealt
from croupier.house.settings import WheelKind
from croupier.house.state import House
from croupier.house.table import Round, Status, Table
from croupier.house.terminal import Terminal
from croupier.rules.irregularity import Effect, Reason
from croupier.rules.pocket import Pocket
from croupier.rules.staff import Duty
from croupier.web.needdata import Action

NONE = Pocket("")


class Offer(NamedTuple):
    """A command by the name of what it does, and what of it is to be filled in."""

    label: str
    command: Command
    asks: tuple[str, ...] = ()


def actions(house: House, offers: Iterable[Offer]) -> tuple[Action, ...]:
    """Put offers as a page sends them; those whose time it is not are left out."""
    return tuple(_action(house, offer) for offer in offers if _in_time(house, offer.command))


def _in_time(house: House, command: Command) -> bool:
    return not isinstance(command, AtTable) or house.tables[command.table].phase in AUTHORITY[type(command)].phases


def _action(house: House, offer: Offer) -> Action:
    command, books = offer.command, rulebooks_of(house, offer.command)
    duties = AUTHORITY[type(command)].duties
    titles = (title for duty in duties for book in books for title in book.staff.titles_for(duty))
    return Action(
        label=offer.label,
        command=command,
        asks=offer.asks,
        titles=tuple(dict.fromkeys(titles)),
        dual=needs_second(house, command),
    )


def collecting(house: House, terminal: Terminal) -> tuple[Action, ...]:
    """Offer to collect for a player where the terminal cannot, which has a message of its own."""
    case = None if terminal.case is None else house.cases[terminal.case]
    questioned = case is not None and case.questioned and case.state is CaseState.OPEN
    if questioned or terminal.holds or not terminal.credit:
        return ()
    (action,) = actions(house, (Offer("collect_for", Collect(terminal.id)),))
    return (replace(action, command={"t": "collect_for", "terminal": terminal.id}),)


def on_suspended(table: Table, round_: Round) -> Iterator[Offer]:
    """Decide it in every way that its state allows; what the wheel reported is not for one person to replace."""
    drawn = table.settings.wheel is WheelKind.RANDOM
    if round_.interrupted and not drawn:
        yield _attest(table, round_)
    for verdict in (Verdict.GO_ON, Verdict.SETTLE, Verdict.VOID):
        command = DecideReferral(table.id, verdict, "", round=round_.number, spin=round_.spin)
        unknown = verdict is Verdict.SETTLE and round_.reported is None
        if cannot(table, round_, command, table.rulebook.clause) is None and not (unknown and drawn):
            yield Offer(verdict.value, command, ("pocket", "words") if unknown else ("words",))
    if round_.decide_by is not None:
        yield from _no_spin(table, round_)


def on_interrupted(table: Table, round_: Round) -> Iterator[Offer]:
    """Two people attest the number, or the spin is called off."""
    yield _attest(table, round_)
    yield from _no_spin(table, round_)


def on_incident(house: House, incident: Incident) -> Iterator[Offer]:
    """Mend what can be mended at the table that it is about; and see to it."""
    table = house.tables.get(TableId(incident.subject))
    if table is not None and table.round is not None:
        yield from _mends(table, table.round, incident.kind)
    if incident.kind is IncidentKind.ACCOUNT_LOCKED and PersonId(incident.subject) in house.people:
        yield Offer("unlock", UnlockAccount(PersonId(incident.subject)))
    yield Offer("clear", ClearIncident(incident.number))


#: What a wheel or the game itself has met with.
_TROUBLES = (
    IncidentKind.WHEEL_TROUBLE,
    IncidentKind.BALL_NOT_SEATED,
    IncidentKind.IMPOSSIBLE_POCKET,
    IncidentKind.NUMBER_DIFFERS,
    IncidentKind.SIGHTINGS_DIFFER,
)


def _mends(table: Table, round_: Round, kind: IncidentKind) -> Iterator[Offer]:
    if kind not in _TROUBLES or round_.status not in (Status.ACTIVE, Status.SETTLED):
        return
    number = round_.number
    if round_.status is Status.SETTLED:
        if kind is IncidentKind.NUMBER_DIFFERS and not round_.invalidated:
            yield Offer("correct", CorrectResult(table.id, number, NONE, ""), ("pocket", "words"))
        return
    sound = Sight.of(round_).judged(table) is None and not round_.interrupted
    if sound and dealt(table) and round_.reported is None:
        yield Offer("enter", EnterResult(table.id, NONE, NONE, round=number, spin=round_.spin), ("pocket", "again"))
    if sound and round_.reported is not None and table.settings.wheel is not WheelKind.RANDOM:
        yield _attest(table, round_)
    yield from _no_spin(table, round_)
    yield Offer("refer", ReferRound(table.id, ""), ("words",))


def _attest(table: Table, round_: Round) -> Offer:
    command = AttestResult(table.id, NONE, "", round=round_.number, spin=round_.spin)
    return Offer("attest", command, ("pocket", "words"))


def _no_spin(table: Table, round_: Round) -> tuple[Offer, ...]:
    """Call the spin off, for a reason that the venue lists."""
    listed = any(each.by and each.effect is not Effect.INVALIDATE for each in table.rulebook.irregularities)
    command = CallNoSpin(table.id, Reason.NOT_COVERED, round=round_.number, spin=round_.spin)
    return (Offer("no_spin", command, ("reason", "words")),) if listed else ()


def on_case(house: House, case: Case) -> Iterator[Offer]:
    """Confirm or void bets that are in question; then, once its link is there, put the terminal back."""
    if case.state is CaseState.OPEN and case.questioned:
        yield Offer("confirm_bets", ConfirmBets(case.number, case.rounds[0].digest))
        yield Offer("void_bets", VoidBets(case.number, ""), ("words",))
    elif case.terminal not in house.dark:
        yield Offer("clear_case", ClearCase(case.number))


def on_line_loss(house: House, table: TableId, cases: Iterable[Case]) -> Iterator[Offer]:
    """Put the terminals of a line loss back, once any of their links is there."""
    ready = next((case for case in cases if uncleared(house, case) is None), None)
    if ready is not None and ready.line_loss is not None:
        yield Offer("clear_line_loss", ClearLineLoss(table, ready.line_loss))


def on_dispute(house: House, dispute: Dispute) -> Iterator[Offer]:
    """Take a dispute on, as far as the venue's rules have it."""
    duties, number = house.tables[dispute.table].rulebook.staff.duties, dispute.number
    advises = Duty.OFFICIATE in duties and dispute.advised_at is None
    match dispute.state:
        case DisputeState.OPEN:
            yield Offer("decide", DecideDispute(number, ""), ("decision",))
        case DisputeState.UNDER_REVIEW:
            yield Offer("record_review", RecordReview(number, ""), ("outcome",))
        case _:
            if dispute.state is DisputeState.FINAL and Duty.REVIEW in duties:
                yield Offer("request_review", RequestReview(number, by_house=False))
            yield Offer("close_resolved", CloseDispute(number, resolved=True))
            if not advises:
                yield Offer("close_unresolved", CloseDispute(number, resolved=False))
    if advises:
        yield Offer("advise", AdviseComplainant(number))
