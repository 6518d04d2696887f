"""Permissions by the auditor's own table, second signatures, signatories and the order of the journal."""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from croupier.house.credit.drawers import (
    BoughtIn,
    DrawerClosed,
    DrawerCounted,
    DrawerDropped,
    DrawerFilled,
    DrawerOpened,
    PayablePaid,
)
from croupier.house.credit.held_wins import HeldWinPaid, HeldWinReleased, TaxFormRecorded
from croupier.house.credit.notes import NoteEscrowed, NoteReturned, NoteStacked
from croupier.house.credit.sessions import CreditAdjusted, SessionEnd, SessionEnded
from croupier.house.credit.tickets import (
    ReleaseTicket,
    ReportLost,
    ReprintTicket,
    TicketIssued,
    TicketPrinted,
    TicketRedeemed,
    TicketReleased,
    TicketReportedLost,
    TicketReprinted,
    TicketVoided,
    VoidTicket,
)
from croupier.house.declare import (
    COMMANDS,
    Command,
    Event,
    GameCommand,
    RoundEvent,
    TableCommand,
    TableEvent,
    TerminalCommand,
    TerminalEvent,
)
from croupier.house.floor.disputes import DisputeDecided, ReviewRecorded
from croupier.house.floor.incidents import IncidentCleared
from croupier.house.floor.malfunctions import (
    BetsConfirmed,
    CaseCleared,
    ClearCase,
    ConfirmBets,
    LineLossCleared,
    VoidBets,
)
from croupier.house.floor.service import OfficerNotified, TableClosed, TableReopened, TerminalClosed, TerminalReopened
from croupier.house.floor.settings import RulebookChanged, SettingsChanged
from croupier.house.floor.setup import (
    AddTable,
    AddTerminal,
    BuildApproved,
    CreateHouse,
    RulebookAdopted,
    TableAdded,
    TerminalAdded,
)
from croupier.house.floor.signatures import Approve, ProposalApproved, ProposalMade, ProposalWithdrawn, Withdraw
from croupier.house.floor.staff import AccountUnlocked, ActingAppointed, DeviceEnrolled, DeviceReleased, PersonEnrolled
from croupier.house.ids import SYSTEM, Context, DeviceId, Instant, Number, PersonId, PositionId, TableId, TerminalId
from croupier.house.live.arrangements import (
    ArrangementEnded,
    ChipsAdjusted,
    InfringementNoted,
    MarkersDesignated,
    PlayerAdmitted,
    PlayerBarred,
    VipArranged,
)
from croupier.house.live.chip_settlement import ChipsSettled
from croupier.house.live.floats import (
    ChipsCashed,
    ChipsSold,
    DropCollected,
    FloatClosed,
    FloatCounted,
    FloatCredited,
    FloatFilled,
    FloatOpened,
    GapClosed,
    GapDeclared,
)
from croupier.house.live.partners import PlayersLinked, PlayersUnlinked
from croupier.house.live.payment_walk import (
    AmendSeal,
    DollyPlaced,
    LateBetReturned,
    LosersCollected,
    OwedSettled,
    SealAmended,
    SegmentPaid,
)
from croupier.house.live.seats_and_colours import (
    ChipsBought,
    ColourAllocated,
    ColourRedeemed,
    ColourReturned,
    NoticeAcknowledged,
    PlayerLeft,
    PlayerSeated,
    ReturnColour,
    SecondColourApproved,
)
from croupier.house.live.supervised import PayingFinished, WinnerRecorded
from croupier.house.play.betting import BetsChanged, BetsReturned, ReturnReason
from croupier.house.play.chip_bets import ChipsChanged
from croupier.house.rounds.closing import BetsClosing, BetsSealed
from croupier.house.rounds.corrections import InvalidateOutcome, OutcomeInvalidated, ResultCorrected
from croupier.house.rounds.irregularities import RoundVoided, SpinVoided, TerminalsReset
from croupier.house.rounds.opening import BetsOpened
from croupier.house.rounds.referrals import HoldReleased, ReferralDecided, RoundHeld
from croupier.house.rounds.settlement import ResultDeclared, RoundSettled
from croupier.house.state.tables import BetChange, Phase, ResultSource
from croupier.rulebooks.schema import read_canonical
from croupier.rules.geometry import Pocket
from croupier.rules.procedure import Duty, Effect
from croupier.rules.refusal import Code
from croupier.rules.rulebook import Rulebook
from croupier.simulation.auditor.model import Model, ModelProposal, ModelStaff
from croupier.simulation.auditor.registry import derives
from croupier.simulation.invariants import ExpectedEvent, InvariantViolation, check_equal, check_not, match

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
    rows = {}
    for line in csv.DictReader(text.splitlines()):
        duties = frozenset(map(Duty, line["duties"].split()))
        phases = frozenset(Phase) if line["phases"] == _PHASES_ANY else frozenset(map(Phase, line["phases"].split()))
        signatures = int(line["signatures"])
        rows[kinds[line["command"]]] = PermissionRow(line["machine"], duties, phases, signatures, line["source"])
    return rows


#: The auditor's own table of permissions. It repeats the declarations of the commands on purpose: it was written from
#: the venues' documents and not from the declarations, so that a wrong declaration is detected as a difference.
PERMISSION_ROWS: Final = _read_table()


def barred(model: Model, command: Command, context: Context) -> set[Code]:
    """Return why this device and person may not send this command at all; empty when they may."""
    if model.mode is None and not isinstance(command, CreateHouse):
        return {Code.HOUSE_NOT_FOUNDED}
    if context.device not in model.staff.devices and context.device != SYSTEM:
        return {Code.UNKNOWN_DEVICE}
    return _nowhere(model, command) or _nobody(model, command, context)


def _nowhere(model: Model, command: Command) -> set[Code]:
    if isinstance(command, AddTable | AddTerminal):
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
    if isinstance(command, ConfirmBets | VoidBets | ClearCase):
        return model.cases[command.case].seat if command.case in model.cases else nobody
    if isinstance(command, ReprintTicket | VoidTicket | ReleaseTicket | ReportLost):
        tickets = model.desk.tickets
        return tickets[command.sequence].seat if command.sequence in tickets else nobody
    return nobody


#: The second signature is good for two minutes.
_GOOD_FOR: Final = 120_000_000


def takes_two(model: Model, command: Command, context: Context) -> bool:
    """Return whether a person's command needs a second signature; one may do if no number is known, nothing missing."""
    if not context.person or PERMISSION_ROWS[type(command)].signatures == 1:
        return False
    if isinstance(command, InvalidateOutcome):
        played = model.tables[command.table].rounds.get(command.round)
        return played is not None and (played.status == "settled" or bool(played.pocket or played.reported))
    if isinstance(command, VoidBets):
        case = model.cases.get(command.case)
        played_in = [] if case is None else [model.tables[name].rounds[number] for name, number in case.questioned]
        return case is not None and (
            case.suspense.total() > 0 or any(each.pocket or each.reported for each in played_in)
        )
    if isinstance(command, ReturnColour):
        at = model.tables[command.table].live
        colour = None if at is None else at.colours.get(command.colour)
        return colour is not None and command.counted < colour.pieces
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


def unsigned(model: Model, command: Approve, context: Context) -> set[Code]:
    """Return why a second signature does not count, for any proposal."""
    proposal = model.staff.proposals.get(command.proposal)
    if proposal is None:
        return {Code.UNKNOWN_RECORD}
    first = Context(context.now, proposal.device, proposal.person)
    codes = barred(model, proposal.command, context) | barred(model, proposal.command, first)
    codes |= {Code.SAME_PERSON} if context.person == proposal.person else set()
    codes |= {Code.SAME_DEVICE} if context.device == proposal.device else set()
    if isinstance(proposal.command, AmendSeal) and not _amendable(model, proposal.command, (first, context)):
        codes |= {Code.NOT_AUTHORISED}
    return codes | ({Code.PROPOSAL_EXPIRED} if context.now >= proposal.expires_at else set())


def _amendable(model: Model, command: AmendSeal, signed: tuple[Context, Context]) -> bool:
    """6(i), 6(j): an inspector signs; and with the number in view, a pit boss beside an inspector."""
    table = model.tables[command.table]
    book, staff = table.felt.rulebook, model.staff
    inspects, corrects = (
        [each for each in signed if staff.holds(each.person, duty, book, each.now)]
        for duty in (Duty.INSPECT, Duty.CORRECT)
    )
    if not table.number_in_view:
        return bool(inspects)
    return any(one.person != other.person for one in inspects for other in corrects)


def approve(model: Model, command: Approve, context: Context, events: Sequence[Event]) -> Command:
    """Two signatures: the approval comes first, and the events of the proposed command follow."""
    proposal = model.staff.proposals.pop(command.proposal)
    first = {"proposer": proposal.person, "proposer_device": proposal.device}
    second = {"approver": context.person, "approver_device": context.device}
    match("I19", events[:1], [ExpectedEvent(ProposalApproved, {"proposal": command.proposal, **first, **second})])
    return proposal.command


def _not_withdrawn(model: Model, command: Withdraw, context: Context) -> set[Code]:
    proposal = model.staff.proposals.get(command.proposal)
    if proposal is None:
        return {Code.UNKNOWN_RECORD}
    return set() if context.person == proposal.person else {Code.NOT_AUTHORISED}


@derives(Withdraw, unless=_not_withdrawn, breaks="I2")
def _withdraw(model: Model, command: Withdraw, _context: Context) -> list[ExpectedEvent]:
    del model.staff.proposals[command.proposal]
    return [ExpectedEvent(ProposalWithdrawn, {"proposal": command.proposal})]


_ANY_PIT: Final = (Duty.DEAL, Duty.INSPECT, Duty.CORRECT, Duty.DECIDE, Duty.MANAGE)
#: The duties of which the signing person must have one, by the event of the entry.
_SIGNED: Final[Mapping[type[Event], tuple[Duty, ...]]] = {
    TicketReprinted: (Duty.INSPECT,),
    TicketVoided: (Duty.INSPECT,),
    TicketReleased: (Duty.INSPECT,),
    TicketReportedLost: (Duty.CASH, Duty.INSPECT),
    DrawerOpened: (Duty.CASH,),
    BoughtIn: (Duty.CASH,),
    DrawerFilled: (Duty.CASH, Duty.INSPECT),
    DrawerDropped: (Duty.CASH, Duty.INSPECT),
    DrawerCounted: (Duty.CASH,),
    DrawerClosed: (Duty.CASH, Duty.INSPECT),
    TaxFormRecorded: (Duty.CASH, Duty.INSPECT),
    HeldWinReleased: (Duty.CASH, Duty.INSPECT),
    HeldWinPaid: (Duty.CASH,),
    CreditAdjusted: (Duty.CORRECT,),
    PayablePaid: (Duty.CASH, Duty.INSPECT),
    TerminalsReset: (Duty.DEAL,),
    RoundHeld: (Duty.DEAL,),
    HoldReleased: (Duty.DEAL,),
    ReferralDecided: (Duty.DECIDE,),
    ResultCorrected: (Duty.CORRECT,),
    OutcomeInvalidated: (Duty.DECIDE,),
    SettingsChanged: (Duty.MANAGE,),
    RulebookChanged: (Duty.MANAGE,),
    OfficerNotified: (Duty.MANAGE, Duty.OFFICIATE),
    TableClosed: (Duty.MANAGE,),
    TableReopened: (Duty.MANAGE,),
    DeviceReleased: (Duty.MANAGE, Duty.MAINTAIN),
    TerminalClosed: (Duty.INSPECT, Duty.MAINTAIN),
    TerminalReopened: (Duty.INSPECT, Duty.MAINTAIN),
    AccountUnlocked: (Duty.INSPECT, Duty.DECIDE, Duty.MANAGE),
    ActingAppointed: (Duty.MANAGE,),
    VipArranged: (Duty.MANAGE,),
    ArrangementEnded: (Duty.MANAGE,),
    ProposalApproved: _ANY_PIT,
    ProposalWithdrawn: (*_ANY_PIT, Duty.CASH),
    **dict.fromkeys(
        (
            *(PlayerSeated, PlayerLeft, ColourAllocated),
            *(ChipsBought, ColourRedeemed, ColourReturned),
            *(ChipsChanged, LateBetReturned, LosersCollected),
            *(SegmentPaid, WinnerRecorded, PayingFinished),
            *(OwedSettled, DollyPlaced),
        ),
        (Duty.DEAL,),
    ),
    SealAmended: (Duty.DEAL, Duty.INSPECT),
    SecondColourApproved: (Duty.OFFICIATE,),
    **dict.fromkeys(
        (
            *(PlayersLinked, PlayersUnlinked),
            *(MarkersDesignated, PlayerAdmitted),
        ),
        (Duty.INSPECT,),
    ),
    **dict.fromkeys((InfringementNoted, PlayerBarred), (Duty.DEAL,)),
    ChipsAdjusted: (Duty.CORRECT,),
    **dict.fromkeys(
        (FloatOpened, FloatFilled, FloatCredited),
        (Duty.DEAL, Duty.INSPECT, Duty.CASH),
    ),
    **dict.fromkeys(
        (
            *(FloatCounted, FloatClosed, NoticeAcknowledged),
            *(GapDeclared, GapClosed),
        ),
        (Duty.INSPECT,),
    ),
    DropCollected: (Duty.CASH, Duty.INSPECT),
    ChipsCashed: (Duty.CASH, Duty.INSPECT),
    ChipsSold: (Duty.CASH,),
    BetsConfirmed: (Duty.DEAL,),
    CaseCleared: (Duty.INSPECT, Duty.MAINTAIN),
    LineLossCleared: (Duty.INSPECT, Duty.MAINTAIN),
    IncidentCleared: (Duty.DEAL, Duty.INSPECT),
    DisputeDecided: (Duty.DECIDE,),
    ReviewRecorded: (Duty.REVIEW,),
}
#: The duties for a result, by its source; results of a sensor and a random source are not signed.
_SAID: Final = {
    ResultSource.DEALER: (Duty.DEAL,),
    ResultSource.ENTERED: (Duty.DEAL,),
    ResultSource.ATTESTED: (Duty.INSPECT, Duty.CORRECT),
    ResultSource.DECIDED: (Duty.DECIDE,),
}
#: Events that always need two signatures, and those that need two when a person requests them.
_TWICE: Final = (
    *(
        TicketReprinted,
        TicketVoided,
        TicketReleased,
        CreditAdjusted,
        ResultCorrected,
    ),
    *(
        SettingsChanged,
        RulebookChanged,
        DeviceReleased,
        AccountUnlocked,
    ),
    PayablePaid,
    GapClosed,
    *(FloatFilled, FloatCredited),
    *(FloatClosed, DropCollected, ChipsAdjusted),
    SealAmended,
)
_TWICE_BY_PEOPLE: Final = (
    *(
        PersonEnrolled,
        DeviceEnrolled,
        TableAdded,
        TerminalAdded,
        BuildApproved,
    ),
    FloatOpened,
)
#: Events of live tables that a configuration may cause without a person.
_CONFIGURED: Final = (FloatOpened, NoticeAcknowledged)
#: Events that only the terminal itself may cause.
_OWN: Final = (
    *(NoteEscrowed, NoteReturned, NoteStacked),
    TicketPrinted,
)


class Signatories:
    """The staff as the journal records it, and whether the right people signed."""

    def __init__(self) -> None:
        self._staff = ModelStaff()
        self._rulebooks: dict[str, Rulebook] = {}
        self._tables: dict[TableId, Rulebook] = {}
        self._terminals: dict[TerminalId, TableId] = {}
        #: The terminal and the table of each betting position.
        self.positions: dict[PositionId, tuple[TerminalId, TableId]] = {}
        self._tickets: dict[Number, TerminalId] = {}
        self._proposed: dict[Number, tuple[PersonId, DeviceId]] = {}
        self._settled: set[tuple[TableId, int]] = set()
        self._approved: tuple[Context, ProposalApproved] | None = None

    def entry(self, context: Context, event: Event) -> None:
        """Verify the signatures of an entry (I19)."""
        configured = isinstance(event, _CONFIGURED) and context.device == SYSTEM and not context.person
        duties = () if configured else self._duties(event)
        if duties:
            holds = any(
                self._staff.holds(context.person, duty, book, context.now)
                for book in self._rulebooks_of(event)
                for duty in duties
            )
            check_not("I19", f"{event} is signed {context}, and is for {duties}", when=not holds)
        terminal = self._own_terminal(event)
        if terminal is not None:
            own = context.device == DeviceId(terminal) and not context.person
            check_not("I19", f"{event} is signed {context}", when=not own)
        if self._twice(context, event):
            self._two(context, event)
        self._approved = (context, event) if isinstance(event, ProposalApproved) else None
        self._learn(context, event)

    def _own_terminal(self, event: Event) -> TerminalId | None:
        """Return the terminal of an event that only this terminal may cause."""
        if isinstance(event, BetsChanged) and event.how is not BetChange.AUTO_COPY:
            return self.positions[event.position][0]
        return event.terminal if isinstance(event, _OWN) else None

    def on_wheel(self, table: TableId, pocket: Pocket) -> bool:
        return table not in self._tables or pocket in self._tables[table].wheel.order

    def _duties(self, event: Event) -> tuple[Duty, ...]:
        if isinstance(event, ResultDeclared):
            return _SAID.get(event.source, ())
        if isinstance(event, TicketRedeemed):
            return () if event.at_terminal else (Duty.CASH,)
        if isinstance(event, SessionEnded):
            return (Duty.INSPECT,) if event.reason is SessionEnd.STAFF else ()
        return _SIGNED.get(type(event), ())

    def _rulebooks_of(self, event: Event) -> list[Rulebook]:
        """Return the rulebooks by which a person may sign: that of the event's table, or any."""
        if isinstance(event, TableEvent) and event.table in self._tables:
            return [self._tables[event.table]]
        if isinstance(event, TicketVoided | TicketReprinted | TicketReleased) and event.sequence in self._tickets:
            return [self._tables[self._terminals[self._tickets[event.sequence]]]]
        if isinstance(event, TerminalEvent) and event.terminal in self._terminals:
            return [self._tables[self._terminals[event.terminal]]]
        return list(self._tables.values())

    def _twice(self, context: Context, event: Event) -> bool:
        if isinstance(event, OutcomeInvalidated):
            return (event.table, event.round) in self._settled
        if isinstance(event, ColourReturned):
            return event.missing > 0
        attested = isinstance(event, ResultDeclared) and event.source is ResultSource.ATTESTED
        return attested or isinstance(event, _TWICE) or (bool(context.person) and isinstance(event, _TWICE_BY_PEOPLE))

    def _two(self, context: Context, event: Event) -> None:
        """The entry before names both signatories: different people, on different devices, as recorded."""
        if self._approved is None or self._approved[0] != context:
            raise InvariantViolation("I19", f"{event} has no second signature")
        signed = self._approved[1]
        first = (signed.proposer, signed.proposer_device)
        second = (signed.approver, signed.approver_device)
        alone = signed.proposer == signed.approver or signed.proposer_device == signed.approver_device
        true = second == (context.person, context.device) and self._proposed.get(signed.proposal) == first
        check_not("I19", f"{event} is signed by {first} and {second}", when=alone or not true)

    def _learn(self, context: Context, event: Event) -> None:
        match event:
            case RulebookAdopted():
                self._rulebooks[event.digest] = read_canonical(event.canonical)
            case TableAdded() | BetsOpened():
                self._tables[event.table] = self._rulebooks[event.rulebook]
            case TerminalAdded():
                self._terminals[event.terminal] = event.tables[0]
                for number, table in zip(event.positions, event.tables, strict=True):
                    check_not("I12", f"position {number} is used again", when=number in self.positions)
                    self.positions[number] = (event.terminal, table)
            case TicketIssued():
                self._tickets[event.sequence] = event.terminal
            case ProposalMade():
                self._proposed[event.proposal] = (context.person, context.device)
            case RoundSettled():
                self._settled.add((event.table, event.round))
            case SpinVoided():
                # A spin may be called off until the first chips of its round are paid.
                self._settled.discard((event.table, event.round))
            case _:
                self._staff.learn(event)


#: In which stages of a spin an event has its place, and to which it leads.
_STAGES: Final[Mapping[type[Event], tuple[tuple[str, ...], str]]] = {
    BetsOpened: (("new", "settled", "void", "paying"), "open"),
    BetsClosing: (("open",), "closing"),
    BetsSealed: (("closing",), "sealed"),
    ResultDeclared: (("sealed",), "declared"),
    RoundSettled: (("declared",), "settled"),
    RoundVoided: (("open", "closing", "sealed", "declared", "no spin"), "void"),
    ChipsSettled: (("settled",), "paying"),
    SpinVoided: (("open", "closing", "sealed", "declared", "paying"), "no spin"),
    TerminalsReset: (("no spin",), "open"),
}
#: Stages after a round, in which winning chips may be withdrawn.
_OVER: Final = ("settled", "paying", "void")
#: Why chips may be returned before the close too.
_BEFORE_THE_CLOSE: Final = (
    *(ReturnReason.MALFUNCTION, ReturnReason.NEW_TERMS, ReturnReason.OUT_OF_SERVICE, ReturnReason.PAUSED),
)
#: After what no number may count or pay any more.
_CALLED_OFF: Final = ("no spin", "void")
_OUTCOMES: Final = (ResultDeclared, RoundSettled)


@dataclass(slots=True)
class _Spin:
    """The stage of a table's last round."""

    round: int = 0
    stage: str = "new"
    drawn: bool = False


class Order:
    """Reads a journal entry by entry."""

    def __init__(self) -> None:
        self._position = 0
        self._epoch = 0
        self._now = Instant(0)
        self._spins: dict[TableId, _Spin] = {}
        self._signatories = Signatories()

    def entry(self, position: int, epoch: int, context: Context, event: Event) -> None:
        """Verify one entry against those before it."""
        check_not("I12", f"entry {position} follows {self._position}", when=position != self._position + 1)
        check_not("I12", f"epoch {epoch} follows {self._epoch}", when=epoch < self._epoch)
        check_not("I20", f"{context.now} follows {self._now} at entry {position}", when=context.now < self._now)
        self._position, self._epoch, self._now = position, epoch, context.now
        self._signatories.entry(context, event)
        self._bets(event)
        if isinstance(event, RoundEvent):
            self._step(event)

    def _spin(self, table: TableId) -> _Spin:
        return self._spins.setdefault(table, _Spin())

    def _bets(self, event: Event) -> None:
        """I9: chips move only before the seal; unplayed stakes are returned before the seal or after the round."""
        if isinstance(event, BetsChanged):
            spin = self._spin(self._signatories.positions[event.position][1])
            wrong = spin.stage != "open" or spin.round != event.round
            check_not("I9", f"{event} while round {spin.round} is {spin.stage}", when=wrong)
        elif isinstance(event, BetsReturned):
            stage = self._spin(self._signatories.positions[event.position][1]).stage
            wrong = stage in ("sealed", "declared") if event.why in _BEFORE_THE_CLOSE else stage != "closing"
            check_not("I9", f"{event} while the round is {stage}", when=wrong)
        elif isinstance(event, ChipsChanged):
            spin = self._spin(event.table)
            taken = event.how in (BetChange.REMOVE, BetChange.CLEAR)
            wrong = spin.round != event.round or (spin.stage != "open" and not (taken and spin.stage in _OVER))
            check_not("I9", f"{event} while round {spin.round} is {spin.stage}", when=wrong)

    def _step(self, event: RoundEvent) -> None:
        spin = self._spin(event.table)
        if isinstance(event, OutcomeInvalidated):
            if event.round == spin.round and spin.stage not in ("settled", "paying"):
                spin.stage = "void"
            return
        if type(event) not in _STAGES:
            return
        before, after = _STAGES[type(event)]
        follows = event.round == spin.round + isinstance(event, BetsOpened)
        if spin.stage not in before or not follows:
            raise InvariantViolation(_broken(spin, event), f"{event} while round {spin.round} is {spin.stage}")
        self._draw(spin, event)
        spin.round, spin.stage = event.round, after
        if isinstance(event, SpinVoided) and event.effect is Effect.KEEP_AND_RESPIN:
            spin.stage = "open"

    def _draw(self, spin: _Spin, event: RoundEvent) -> None:
        """I17: a random source draws once for a spin."""
        if isinstance(event, ResultDeclared):
            drawn = event.source is ResultSource.RANDOM
            check_not("I17", f"{event} is drawn a second time", when=drawn and spin.drawn)
            check_not(
                "I17", f"{event} is not on the wheel", when=not self._signatories.on_wheel(event.table, event.pocket)
            )
            spin.drawn = spin.drawn or drawn
        elif isinstance(event, BetsOpened | SpinVoided):
            spin.drawn = False


def _broken(spin: _Spin, event: RoundEvent) -> str:
    """Name what a step out of its place breaks."""
    if isinstance(event, _OUTCOMES) and spin.stage in _CALLED_OFF:
        return "I23"
    again = isinstance(event, ResultDeclared) and spin.stage == "declared"
    return "I10" if again or (isinstance(event, _OUTCOMES) and spin.stage == "settled") else "I9"
