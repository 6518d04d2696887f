"""Blockers: the reasons why a table or a terminal cannot play, each with its clause and what removes it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from croupier.house.ids import SECOND, Instant, TableId, TerminalId
from croupier.house.rounds.closing import next_opening
from croupier.house.rounds.opening import opening_objection, opening_objections
from croupier.house.rounds.results import dealt
from croupier.house.settings import Mode
from croupier.house.state.tables import Phase, Round, RoundStatus, StepName, Table
from croupier.rules.procedure import ChannelName, CloseRule, Duty
from croupier.rules.refusal import CitedTopic, ClauseId, Code
from croupier.rules.rulebook import Rulebook

if TYPE_CHECKING:
    from croupier.house import House


#: A pause between two games that is shorter than this is not a blocker.
LONG_PAUSE: Final = 60 * SECOND
#: A step of the dealer that takes longer than this is a blocker: a spin, a close, the confirmation of a number.
STEP_MAX: Final = 30 * SECOND
#: Betting without a timer, and the payment of chips, may take this long.
LONG_STEP_MAX: Final = 300 * SECOND


class Blocker(msgspec.Struct, frozen=True, gc=False):
    """One reason why a table cannot play, or one of its terminals."""

    table: TableId
    #: A refusal's code, or a code of its own if no command is refused.
    reason: str
    clause: ClauseId | None
    #: What its text and its remedy name.
    facts: Mapping[str, object] = {}
    #: The terminal that cannot play; empty if it is the table.
    terminal: TerminalId = TerminalId("")
    #: The text of the refusal, or of the case; empty if the words have it.
    says: str = ""


class PeripheralFault(NamedTuple):
    """A device of a terminal that does not work."""

    terminal: TerminalId
    #: What it is: "acceptor", "printer", "slot system link", or "paper" that a printer has little of.
    device: str
    words: str


#: The paper of a printer that still prints.
PAPER: Final = "paper"


class Facts(NamedTuple):
    """Facts known to the engine and the devices that are not in the house state."""

    disk_low: bool = False
    #: Tables whose wheel has sensors but no attached driver.
    no_sensor: frozenset[TableId] = frozenset()
    #: The fault of a table's random source.
    unhealthy: Mapping[TableId, str] = MappingProxyType({})
    #: Why the driver of a table's wheel reports nothing.
    wheel_faults: Mapping[TableId, str] = MappingProxyType({})
    #: The acceptors, printers and links to slot systems that do not work.
    peripherals: tuple[PeripheralFault, ...] = ()
    #: Whether the expected cash of a drawer is hidden from the desk.
    blind_counts: bool = True
    #: The time of the clock: that of the house is the time of its last event.
    now: Instant = Instant(0)


NO_FACTS: Final = Facts()


def blockers(house: House, facts: Facts = NO_FACTS) -> list[Blocker]:
    """List the blockers of all tables and terminals now."""
    tables = house.tables.values()
    return [
        each for table in tables for each in (*table_blockers(house, table, facts), *terminal_blockers(house, table))
    ]


def table_blockers(house: House, table: Table, facts: Facts = NO_FACTS) -> Iterator[Blocker]:
    """List the blockers of one table now."""
    now = max(house.now, facts.now)
    yield from _refused(house, table, now)
    yield from _stopped(table)
    yield from _unstaffed(house, table)
    yield from _awaited(house, table, now)
    yield from _wheel(table, facts)
    if facts.disk_low:
        yield Blocker(table.id, Code.DISK_LOW, None)


def terminal_blockers(house: House, table: Table) -> Iterator[Blocker]:
    """List the terminals that a case keeps from playing, each at its first table."""
    for name in table.terminals:
        terminal = house.terminals[name]
        if terminal.case is None or terminal.first_table != table.id:
            continue
        case = house.cases.all[terminal.case]
        found = {} if case.evidence is None else msgspec.to_builtins(case.evidence)
        named = {"terminal": name, "case": case.number, **found}
        yield Blocker(table.id, "terminal_case", case.clause, named, name, case.words)


def _refused(house: House, table: Table, now: Instant) -> Iterator[Blocker]:
    """List the reasons why no round may open."""
    for refusal in opening_objections(house, table, now):
        if not _passes(house, table, refusal.code, now):
            named = {"version": house.setup.build, "table": table.id, **refusal.facts}
            yield Blocker(table.id, refusal.code, refusal.clause, named, says=refusal.message)


def _passes(house: House, table: Table, code: Code, now: Instant) -> bool:
    """Check whether a refusal ends by itself within moments."""
    match code:
        case Code.TOO_SOON:
            running = table.round is not None and not table.round.over
            return running or next_opening(table) - now <= LONG_PAUSE
        case Code.NOT_IN_FORCE:
            # The first gaming day begins with the first tick after the start.
            return not house.day
        case Code.NOT_ALL_PAID:
            # The dealer is paying: a step of every round.
            return True
        case _:
            return False


def _stopped(table: Table) -> Iterator[Blocker]:
    """Report a round that awaits a decision."""
    round_ = table.round
    if round_ is None or round_.over:
        return
    if round_.status is RoundStatus.SUSPENDED:
        yield Blocker(table.id, Code.ROUND_SUSPENDED, round_.clause, {"round": round_.number})
    elif round_.spin.interrupted:
        yield Blocker(table.id, "round_interrupted", round_.clause, {"round": round_.number})


class Awaited(NamedTuple):
    """The step that a table waits for, and from when on that is a blocker."""

    step: StepName
    blocks_at: Instant


def awaited(house: House, table: Table) -> Awaited | None:
    """Find the step of a person that the table waits for; None if a timer or the wheel takes the next one."""
    round_ = table.round
    if round_ is not None and not round_.over:
        return None if round_.status is RoundStatus.SUSPENDED or round_.spin.interrupted else _awaited_in(table, round_)
    if round_ is not None and round_.phase is Phase.PAYING:
        since = table.over_at if round_.result is None else round_.result.number_at
        return Awaited(StepName.SETTLE, Instant(since + LONG_STEP_MAX))
    if table.settings.pause_s is not None or not _has_players(house, table):
        return None
    if opening_objection(house, table, next_opening(table)) is not None:
        return None
    return Awaited(StepName.OPEN, Instant(max(table.over_at, next_opening(table)) + LONG_PAUSE))


def _awaited_in(table: Table, round_: Round) -> Awaited | None:
    """Find the step within a round. A step that is overdue by a timer already, and a reset, are blockers at once."""
    since, wait = round_.opened_at, STEP_MAX
    match round_.phase:
        case Phase.OPEN if round_.closes_at is None:
            first = table.rulebook.procedure.closes.choice in (CloseRule.DURING_SPIN, CloseRule.AFTER_LAUNCH)
            step, wait = StepName.SPIN if first else StepName.CLOSE, LONG_STEP_MAX
        case Phase.OPEN_RUNNING if round_.closes_at is None:
            step, since = StepName.CLOSE, round_.spin.launched_at or since
        case Phase.CLOSED | Phase.RUNNING if round_.spin.prompted:
            step, wait = StepName.NUMBER, 0
        case Phase.CLOSED if dealt(table):
            step, since = StepName.SPIN, round_.closed_at or since
        case Phase.AT_REST:
            step, since = StepName.CONFIRM, round_.spin.rested_at or since
        case Phase.NO_SPIN:
            step, wait = StepName.RESET, 0
        case _:
            return None
    return Awaited(step, Instant(since + wait))


def _has_players(house: House, table: Table) -> bool:
    """Check whether a player waits at a table: with credit at a terminal, or with chips."""
    chips = table.live is not None and bool(table.live.players)
    return chips or any(house.terminals[name].credit > 0 for name in table.terminals)


def _awaited(house: House, table: Table, now: Instant) -> Iterator[Blocker]:
    """Report a table that waits for the dealer for too long."""
    found = awaited(house, table)
    if found is None or now < found.blocks_at:
        return
    clause = clause_of(table.rulebook, found.step)
    yield Blocker(table.id, f"awaiting_{found.step}", clause, {"step": found.step.value})


def clause_of(rulebook: Rulebook, step: StepName) -> ClauseId:
    """Return the clause behind a step."""
    procedure, cites = rulebook.procedure, rulebook.cited_clauses
    match step:
        case StepName.WARN:
            return procedure.warning.clause
        case StepName.CLOSE:
            return procedure.closes.clause
        case StepName.SPIN:
            turns = procedure.revolutions or procedure.launch_to_close
            return procedure.closes.clause if turns is None else turns.clause
        case StepName.NUMBER:
            return procedure.authority.clause
        case _:
            return cites[_CITED_TOPICS[step]]


_CITED_TOPICS: Final = {
    StepName.OPEN: CitedTopic.BETS_NOT_OPEN,
    StepName.CONFIRM: CitedTopic.RESULT,
    StepName.SETTLE: CitedTopic.ROUND,
    StepName.NO_SPIN: CitedTopic.NO_SPIN,
    StepName.RESET: CitedTopic.RESPIN,
    StepName.ATTEST: CitedTopic.INTERRUPTED_OUTCOME,
    StepName.DECIDE: CitedTopic.ROUND,
}


def _unstaffed(house: House, table: Table) -> Iterator[Blocker]:
    """Report a table without terminals for players, or without staff to open its rounds."""
    # If the rules have chips and no terminals, terminals are for demonstrations only.
    by_terminal = house.setup.mode is Mode.DEMO or ChannelName.TERMINAL in table.rulebook.channels
    if by_terminal and not table.terminals and table.live is None:
        yield Blocker(table.id, "no_terminals", None, {"table": table.id})
    titles = table.rulebook.staff.titles_for(Duty.DEAL)
    held = {title for person in house.staff.people.values() for title in person.titles_at(house.now)}
    if table.settings.pause_s is None and held.isdisjoint(titles):
        yield Blocker(table.id, "no_dealer", table.rulebook.staff.clause, {"title": titles[0]})


def _wheel(table: Table, facts: Facts) -> Iterator[Blocker]:
    """Report a table that cannot get a number. If the rules count revolutions, a dealer may enter the number."""
    clause = table.rulebook.wheel_clause
    if table.id in facts.no_sensor and table.rulebook.procedure.revolutions is None:
        yield Blocker(table.id, "no_sensor", clause)
    if fault := facts.wheel_faults.get(table.id):
        yield Blocker(table.id, "wheel_fault", clause, {"fault": fault})
    if ailment := facts.unhealthy.get(table.id):
        yield Blocker(table.id, "random_source_failed", clause, {"fault": ailment})
