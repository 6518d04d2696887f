"""Opening betting: what prevents it, and what a new round begins with."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from croupier.house.declare import (
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
from croupier.house.floor import equipment
from croupier.house.floor.incidents import Incident, IncidentKind
from croupier.house.floor.settings import apply_pending_settings, pending_settings
from croupier.house.ids import Context, Instant, RoundNumber
from croupier.house.live import seats_and_colours
from croupier.house.play.betting import BetsReturned, ReturnReason
from croupier.house.play.chip_bets import begin_chips
from croupier.house.play.stakes import begin_anew
from croupier.house.rounds.closing import next_opening, seats, timetable
from croupier.house.rounds.settlement import released
from croupier.house.settings import Mode
from croupier.house.state.tables import ROUNDS_KEPT, Phase, Round, Table
from croupier.house.state.timer_heap import TimerKind
from croupier.rules.procedure import Duty, Effect, Reason, find_irregularity
from croupier.rules.refusal import CitedTopic, Code, Refusal, raise_if, refuse

if TYPE_CHECKING:
    from croupier.house import House


@command(MachineRole.SYSTEM, Duty.DEAL, when={Phase.BETWEEN, Phase.PAYING})
class OpenBets(TableCommand, frozen=True):
    """Begin a round: bets may be placed."""


@event(
    "Betting opened for round {round}.",
    EventTopic.ROUND,
    touches=(Part.TABLE, Part.TERMS, Part.TERMINALS),
    reschedules=(TimerKind.SESSION, TimerKind.OFFLINE),
)
class BetsOpened(RoundEvent, frozen=True):
    """Bets may be placed; the table's rulebook and settings of this round are fixed."""

    rulebook: str
    #: When betting closes by timer, and when the ball is due to be launched; None without a timer.
    closes_at: Instant | None
    launches_at: Instant | None


@decides(OpenBets)
def open_bets(house: House, command: OpenBets, context: Context) -> Events:
    table = house.tables[command.table]
    raise_if(opening_objection(house, table, context.now))
    rulebook, settings = pending_settings(house, table)
    number = RoundNumber(table.rounds + 1)
    closes_at, launches_at = timetable(rulebook, settings, context.now)
    return (*_new_terms(house, table), BetsOpened(table.id, number, rulebook.digest, closes_at, launches_at))


def opening_objection(house: House, table: Table, now: Instant) -> Refusal | None:
    """Refuse to open a round on this table now."""
    return next(opening_objections(house, table, now), None)


def opening_objections(house: House, table: Table, now: Instant) -> Iterator[Refusal]:
    """List every reason why a round may not open on this table now, by precedence."""
    rulebook, _ = pending_settings(house, table)
    approval_required = house.setup.mode is Mode.REAL or house.setup.approved_builds
    if rulebook.approval is not None and approval_required and house.setup.build not in house.setup.approved_builds:
        message = f"Software version not approved: {house.setup.build or 'unknown'}."
        yield refuse(Code.SOFTWARE_NOT_APPROVED, rulebook.approval, message, version=house.setup.build)
    known = house.day or house.setup.mode is Mode.REAL
    if rulebook.effective is not None and known and house.day < int(rulebook.effective.strftime("%Y%m%d")):
        message = f"These rules are in force from {rulebook.effective.isoformat()}."
        yield refuse(Code.NOT_IN_FORCE, rulebook.clause, message)
    if table.closed:
        yield refuse(Code.TABLE_CLOSED, rulebook.cited_clauses[CitedTopic.CLOSING_DOWN], "The table is closed.")
    yield from equipment.opening_objections(house, table)
    yield from seats_and_colours.opening_objections(house, table)
    fault = _uncleared(house, table)
    if fault is not None:
        message = "Staff have not cleared the malfunction of this game yet."
        yield refuse(Code.OUT_OF_TURN, fault.clause, message, incident=fault.number)
    if now < next_opening(table):
        yield refuse(
            Code.TOO_SOON, rulebook.cited_clauses[CitedTopic.ROUND], "The last round began too short a time ago."
        )


#: Faults of the game itself.
_FAULTS = (
    IncidentKind.MALFUNCTION,
    IncidentKind.WHEEL_TROUBLE,
    IncidentKind.WHEEL_SILENT,
    IncidentKind.BALL_NOT_SEATED,
    IncidentKind.RESULT_BEFORE_SEAL,
)


def _uncleared(house: House, table: Table) -> Incident | None:
    """25: if a malfunction voids all plays, no round opens until staff clear the malfunction (Clearwater)."""
    if find_irregularity(table.rulebook.irregularities, Reason.MALFUNCTION).effect is not Effect.VOID_ROUND:
        return None
    for each in house.incidents.all.values():
        if each.subject == table.id and each.kind in _FAULTS and each.cleared_by is None:
            return each
    return None


def _new_terms(house: House, table: Table) -> Events:
    """Return winning stakes that stayed up if other limits or rules apply from this round.

    Carried stakes are released before other rules apply.
    """
    rulebook, settings = pending_settings(house, table)
    if rulebook.digest == table.rulebook.digest and settings.limits == table.settings.limits:
        return ()
    clause = table.rulebook.cited_clauses[CitedTopic.SETTINGS]
    over = released(house, table) if rulebook.digest != table.rulebook.digest else ()
    return over + tuple(
        BetsReturned(seat.game.id, table.rounds, ReturnReason.NEW_TERMS, clause, tuple(seat.game.bets))
        for seat in seats(house, table)
    )


@evolves(BetsOpened)
def bets_opened(house: House, event: BetsOpened, context: Context) -> None:
    table = house.tables[event.table]
    apply_pending_settings(house, table)
    if table.round is not None:
        table.past.append(table.round)
        del table.past[:-ROUNDS_KEPT]
        if table.round.walk is not None:
            # The dealer goes on with the layout as it is.
            table.round.walk.moves = None
    table.round = Round(event.round, event.rulebook, context.now)
    table.round.closes_at, table.round.launches_at = event.closes_at, event.launches_at
    for position in table.positions:
        begin_anew(house.positions[position])
    begin_chips(house, table)
