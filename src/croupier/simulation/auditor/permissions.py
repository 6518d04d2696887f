"""Permissions by the auditor's own table, and second signatures."""

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from croupier.house.base import Command, Event, GameCommand, Phase, TableCommand, TerminalCommand
from croupier.house.commands import COMMANDS, credit, record, rounds, setup
from croupier.house.events.setup import ProposalApproved, ProposalMade, ProposalWithdrawn
from croupier.house.ids import SYSTEM, Context, DeviceId, Instant, Number, TableId, TerminalId
from croupier.rules.procedure import Duty
from croupier.rules.refusal import Code
from croupier.rules.rulebook import Rulebook
from croupier.simulation.auditor.model import Model, ModelProposal
from croupier.simulation.invariants import ExpectedEvent, check_equal, match

#: A terminal for itself, a table's wheel, and the house's own device; all other commands need a person's duty.
TERMINAL, WHEEL, SYSTEM_CLOCK = "terminal", "wheel", "system"
_PHASES_ANY: Final = "any"


class PermissionRow(NamedTuple):
    """Who may send a command by the venues' documents, in which phases, and how many must sign it."""

    machine: str
    duties: frozenset[Duty]
    phases: frozenset[Phase]
    signatures: int
    #: The clauses behind it by venue, and why: parts divided by semicolons.
    source: str


def _read_table() -> dict[type[Command], PermissionRow]:
    kinds = {kind.__name__: kind for kind in COMMANDS}
    text = Path(__file__).with_name("permissions.csv").read_text("utf-8")
    return {kinds[line["command"]]: _row(line) for line in csv.DictReader(text.splitlines())}


def _row(line: dict[str, str]) -> PermissionRow:
    phases = frozenset(Phase) if line["phases"] == _PHASES_ANY else frozenset(map(Phase, line["phases"].split()))
    return PermissionRow(
        line["machine"], frozenset(map(Duty, line["duties"].split())), phases, int(line["signatures"]), line["source"]
    )


#: The auditor's own table of permissions. It repeats the declarations of the commands on purpose: it was written from
#: the venues' documents and not from the declarations, so that a wrong declaration is detected as a difference.
PERMISSION_ROWS: Final = _read_table()


def barred(model: Model, command: Command, context: Context) -> set[Code]:
    """Return why this device and person may not send this command at all; empty when they may."""
    if model.mode is None and not isinstance(command, setup.CreateHouse):
        return {Code.HOUSE_NOT_FOUNDED}
    if context.device not in model.staff.devices and context.device != SYSTEM:
        return {Code.UNKNOWN_DEVICE}
    return _nowhere(model, command) or _nobody(model, command, context)


def _nowhere(model: Model, command: Command) -> set[Code]:
    if isinstance(command, setup.AddTable | setup.AddTerminal):
        return set()
    if isinstance(command, TerminalCommand) and command.terminal not in model.seats:
        return {Code.UNKNOWN_TERMINAL}
    if isinstance(command, GameCommand):
        return set() if command.table in model.seats[command.terminal].games else {Code.UNKNOWN_TABLE}
    if isinstance(command, TableCommand) and command.table not in model.tables:
        return {Code.UNKNOWN_TABLE}
    return set()


def _nobody(model: Model, command: Command, context: Context) -> set[Code]:
    """A machine acts for itself and unsigned; a person signs, and needs one of the duties by the table's rules."""
    row = PERMISSION_ROWS[type(command)]
    if not context.person:
        machine = machine_of(command, context)
        return set() if machine and machine == row.machine else {Code.NOT_AUTHORISED}
    if context.person not in model.staff.people:
        return {Code.UNKNOWN_PERSON}
    books = rulebooks_of(model, command)
    has = any(model.staff.holds(context.person, duty, book, context.now) for book in books for duty in row.duties)
    return set() if has else {Code.NOT_AUTHORISED}


def machine_of(command: Command, context: Context) -> str:
    """Return the sender of an unsigned command: the house itself, the terminal or wheel it is about, or neither."""
    if context.device == SYSTEM:
        return SYSTEM_CLOCK
    if isinstance(command, TerminalCommand):
        return TERMINAL if context.device == DeviceId(command.terminal) else ""
    if isinstance(command, TableCommand):
        return WHEEL if context.device == DeviceId(command.table) else ""
    return ""


def rulebooks_of(model: Model, command: Command) -> list[Rulebook]:
    """Return the rulebooks by which staff may send a command: those of its tables, or all that are in use."""
    table = _table_of(model, command)
    if table is not None:
        return [model.tables[table].felt.rulebook]
    in_use = [each.felt for each in model.tables.values()] or list(model.felts.values())
    return [felt.rulebook for felt in in_use]


def _table_of(model: Model, command: Command) -> TableId | None:
    if isinstance(command, GameCommand | TableCommand):
        return command.table if command.table in model.tables else None
    seat = model.seats.get(_seat_of(model, command))
    return None if seat is None else model.first_table(seat).name


def _seat_of(model: Model, command: Command) -> TerminalId:
    nobody = TerminalId("")
    if isinstance(command, TerminalCommand):
        return command.terminal
    if isinstance(command, record.ConfirmBets | record.VoidBets | record.ClearCase):
        return model.cases[command.case].seat if command.case in model.cases else nobody
    if isinstance(command, credit.ReprintTicket | credit.VoidTicket | credit.ReleaseTicket | credit.ReportLost):
        tickets = model.desk.tickets
        return tickets[command.sequence].seat if command.sequence in tickets else nobody
    return nobody


#: The second signature is good for two minutes.
_GOOD_FOR: Final = 120_000_000


def takes_two(model: Model, command: Command, context: Context) -> bool:
    """Return whether a person's command needs a second signature; one voids what is not paid or settled."""
    if not context.person or PERMISSION_ROWS[type(command)].signatures == 1:
        return False
    if isinstance(command, rounds.InvalidateOutcome):
        played = model.tables[command.table].rounds.get(command.round)
        return played is not None and played.status == "settled"
    if isinstance(command, record.VoidBets):
        case = model.cases.get(command.case)
        played_in = [] if case is None else [model.tables[name].rounds[number] for name, number in case.questioned]
        return case is not None and (
            case.suspense.total() > 0 or any(each.pocket or each.reported for each in played_in)
        )
    return True


def propose(model: Model, command: Command, context: Context, events: Sequence[Event]) -> None:
    """A first signature must be reported as a proposal, and change nothing else."""
    number = Number(model.staff.proposed + 1)
    expires_at = Instant(context.now + _GOOD_FOR)
    match("I19", events, [ExpectedEvent(ProposalMade, {"proposal": number, "expires_at": expires_at})])
    made = events[0]
    assert isinstance(made, ProposalMade)
    check_equal("I19", f"{made} proposes a", type(made.command), type(command))
    staff = model.staff
    staff.proposed += 1
    # Every new proposal drops the expired ones.
    staff.proposals = {each: live for each, live in staff.proposals.items() if live.expires_at > context.now}
    staff.proposals[number] = ModelProposal(made.command, context.person, context.device, expires_at)


def unsigned(model: Model, command: setup.Approve, context: Context) -> set[Code]:
    """Return why a second signature does not count, for any proposal."""
    proposal = model.staff.proposals.get(command.proposal)
    if proposal is None:
        return {Code.UNKNOWN_RECORD}
    first = Context(context.now, proposal.device, proposal.person)
    codes = barred(model, proposal.command, context) | barred(model, proposal.command, first)
    codes |= {Code.SAME_PERSON} if context.person == proposal.person else set()
    codes |= {Code.SAME_DEVICE} if context.device == proposal.device else set()
    return codes | ({Code.PROPOSAL_EXPIRED} if context.now >= proposal.expires_at else set())


def approve(model: Model, command: setup.Approve, context: Context, events: Sequence[Event]) -> Command:
    """Two signatures: the approval comes first, and the events of the proposed command follow."""
    proposal = model.staff.proposals.pop(command.proposal)
    first = {"proposer": proposal.person, "proposer_device": proposal.device}
    second = {"approver": context.person, "approver_device": context.device}
    match("I19", events[:1], [ExpectedEvent(ProposalApproved, {"proposal": command.proposal, **first, **second})])
    return proposal.command


def not_withdrawn(model: Model, command: setup.Withdraw, context: Context) -> set[Code]:
    proposal = model.staff.proposals.get(command.proposal)
    if proposal is None:
        return {Code.UNKNOWN_RECORD}
    return set() if context.person == proposal.person else {Code.NOT_AUTHORISED}


def withdraw(model: Model, command: setup.Withdraw, _context: Context) -> list[ExpectedEvent]:
    del model.staff.proposals[command.proposal]
    return [ExpectedEvent(ProposalWithdrawn, {"proposal": command.proposal})]
