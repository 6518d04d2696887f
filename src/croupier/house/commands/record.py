"""Commands on records: offline terminals, malfunctions, displays, incidents and disputes."""

from enum import StrEnum

import msgspec

from croupier.house.base import (
    Amount,
    CaseCommand,
    Command,
    DisputeCommand,
    MachineRole,
    TableCommand,
    TerminalCommand,
    command,
)
from croupier.house.commands.rounds import TroubleCause
from croupier.house.ids import Number, PositionId, RoundNumber, TerminalId
from croupier.rules.geometry import Pocket
from croupier.rules.procedure import Duty, Reason
from croupier.rules.refusal import ClauseId


@command(MachineRole.SYSTEM)
class ReportTerminalLost(TerminalCommand, frozen=True):
    """A terminal is offline: its connection was lost."""


@command(MachineRole.SYSTEM)
class ReportTerminalReturned(TerminalCommand, frozen=True):
    """A terminal is online again."""


class MalfunctionKind(StrEnum):
    """What is wrong with a terminal or the game system."""

    #: The credits shown are not what was bet and won.
    CREDITS = "credits"
    #: It shows a number that is not on the layout.
    NUMBERS = "numbers"
    #: It is interrupted, or its display is faulty.
    INTERRUPTED = "interrupted"
    #: Staff think so.
    OPINION = "opinion"


@command(MachineRole.SYSTEM, Duty.DEAL, Duty.INSPECT)
class RaiseMalfunction(TerminalCommand, frozen=True):
    """Open a case about a terminal; the phase in which it is raised decides what happens to its bets."""

    fault: MalfunctionKind
    words: str


@command(MachineRole.SYSTEM, Duty.DEAL, Duty.INSPECT)
class RaiseSystemMalfunction(TableCommand, frozen=True):
    """Open a case about the game system itself: every terminal at the table is affected."""

    words: str


@command(Duty.DEAL)
class ConfirmBets(CaseCommand, frozen=True):
    """The bets of a case are confirmed through the electronic records."""

    digest: str


@command(Duty.DEAL, signatures=2)
class VoidBets(CaseCommand, frozen=True):
    """The bets of a case cannot be confirmed: they are void."""

    words: str


@command(Duty.INSPECT, Duty.MAINTAIN)
class ClearCase(CaseCommand, frozen=True):
    """The terminal of a case works again."""


@command(Duty.INSPECT, Duty.MAINTAIN)
class ClearLineLoss(TableCommand, frozen=True):
    """The terminals of one line loss that are back work again: all its cases in which no bets are in question."""

    #: The first case of the line loss.
    case: Number


@command(MachineRole.TERMINAL)
class ReportDisplay(TerminalCommand, frozen=True):
    """A terminal reports what it shows, for comparison with the record."""

    credit: Amount | None = None
    number: str | None = None
    #: A digest of the spots that it draws.
    layout: str | None = None


@command(MachineRole.SYSTEM)
class ReportBoard(TableCommand, frozen=True):
    """A secondary display reports the number it shows, and of which round; by default of the last one."""

    number: str
    round: RoundNumber | None = None


class IncidentKind(StrEnum):
    """What an incident is about."""

    RESULT_BEFORE_SEAL = "result_before_seal"
    LAUNCH_BEFORE_CLOSE = "launch_before_close"
    NO_WARNING = "no_warning"
    FORCED_CLOSE = "forced_close"
    CANNOT_CLOSE = "cannot_close"
    WHEEL_TROUBLE = "wheel_trouble"
    WHEEL_SILENT = "wheel_silent"
    IMPOSSIBLE_POCKET = "impossible_pocket"
    NUMBER_DIFFERS = "number_differs"
    NUMBER_IGNORED = "number_ignored"
    SIGHTINGS_DIFFER = "sightings_differ"
    BALL_NOT_SEATED = "ball_not_seated"
    DISPLAY_DIFFERS = "display_differs"
    REFERRED = "referred"
    HOLD_EXPIRED = "hold_expired"
    INTERRUPTED = "interrupted"
    MALFUNCTION = "malfunction"
    NOTED = "noted"
    #: Faults of the system itself: a reused idempotency key, a clock that jumped, a rejected snapshot, lost history,
    #: low disk space, and a command whose decision raised an exception.
    KEY_REUSED = "key_reused"
    CLOCK_JUMPED = "clock_jumped"
    SNAPSHOT_IGNORED = "snapshot_ignored"
    SNAPSHOT_FAILED = "snapshot_failed"
    DISK_LOW = "disk_low"
    COMMAND_FAILED = "command_failed"
    HISTORY_LOST = "history_lost"
    #: Wrong passwords have locked a person on a device; the running build differs from the installed one.
    ACCOUNT_LOCKED = "account_locked"
    BUILD_DIFFERS = "software_differs"
    #: Ticket numbers were guessed at a desk, and passwords at a device.
    TICKETS_GUESSED = "tickets_guessed"
    SIGN_INS_GUESSED = "sign_ins_guessed"
    #: A device of a terminal is locked until the incident is cleared; a note in escrow disappeared unseen.
    ACCEPTOR_LOCKED = "acceptor_locked"
    PRINTER_LOCKED = "printer_locked"
    NOTE_UNRESOLVED = "note_unresolved"
    #: Messages between venues about tickets are not what their sender has signed, or cannot be exchanged.
    TICKET_MESSAGES = "ticket_messages"


class Peripheral(StrEnum):
    """A device of a terminal that moves money."""

    ACCEPTOR = "acceptor"
    PRINTER = "printer"


@command(MachineRole.TERMINAL, by_driver=True)
class ReportLockUp(TerminalCommand, frozen=True):
    """A device of a terminal needs staff: it stays locked until they clear the incident."""

    peripheral: Peripheral
    words: str


class SlotSwitch(StrEnum):
    """What a slot system switches off and on at a terminal."""

    PLAY = "play"
    NOTES = "notes"


@command(MachineRole.TERMINAL, by_driver=True)
class SwitchTerminal(TerminalCommand, frozen=True):
    """The slot system switches play or notes off or on at a terminal."""

    switch: SlotSwitch
    on: bool


class IncidentFacts(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, gc=False):
    """What is known of an incident; `wording` makes the sentence that is shown. Each kind has its own facts."""

    #: What staff wrote, or the message of the fault behind it.
    text: str = ""
    #: A number that was reported or shown, and the one that it differs from; none that may not be known yet.
    pocket: Pocket | None = None
    expected: Pocket | None = None
    #: Irregularities, or what sensors contradict each other about; and what was observed behind them.
    reasons: tuple[Reason, ...] = ()
    cause: TroubleCause | None = None
    #: The round to which a report belongs, if another one is running or none.
    round: RoundNumber | None = None
    seconds: int | None = None
    #: Seconds before a jump of the clock.
    before: int | None = None
    device: str = ""
    people: tuple[str, ...] = ()
    #: Entries that are lost.
    lost: int = 0
    #: The kind of command that failed, and of its error.
    command: str = ""
    error: str = ""
    files: tuple[str, ...] = ()


@command(Duty.DEAL, Duty.INSPECT, Duty.CASH, Duty.MAINTAIN)
class NoteIncident(Command, frozen=True):
    """Record an incident that staff observed."""

    subject: str
    words: str


@command(MachineRole.SYSTEM)
class RaiseAlarm(Command, frozen=True):
    """The system raises an alarm about itself."""

    kind: IncidentKind
    subject: str
    facts: IncidentFacts = IncidentFacts()


@command(Duty.DEAL, Duty.INSPECT)
class ClearIncident(Command, frozen=True):
    """Clear an incident that has been dealt with."""

    incident: Number


class DisputeBasis(StrEnum):
    """What a dispute is based on."""

    NOT_COVERED = "not_covered"
    FROM_RULES = "from_rules"


@command(Duty.DEAL, Duty.INSPECT, Duty.DECIDE)
class OpenDispute(TableCommand, frozen=True):
    """A patron disputes a round: its record is frozen. The dealer to whom it is said may open the dispute."""

    round: RoundNumber
    terminal: TerminalId | None
    basis: DisputeBasis
    words: str
    #: The rule in question, where the dispute arises from one.
    rule: ClauseId | None = None
    #: The version of the memorandum on disputes that is in force, where the venue has one.
    memorandum: str = ""
    #: The player with chips whose bets are disputed, instead of a terminal.
    position: PositionId | None = None


@command(Duty.DECIDE)
class DecideDispute(DisputeCommand, frozen=True):
    """The house decides a dispute."""

    decision: str


@command(Duty.INSPECT, Duty.DECIDE, Duty.OFFICIATE)
class AdviseComplainant(DisputeCommand, frozen=True):
    """Record that the complainant was advised of the right to consult an Authorised Officer."""


@command(Duty.INSPECT, Duty.DECIDE)
class RequestReview(DisputeCommand, frozen=True):
    """The player or the house requests a review."""

    by_house: bool


@command(Duty.REVIEW)
class RecordReview(DisputeCommand, frozen=True):
    """Record the outcome of a review."""

    outcome: str


@command(Duty.DECIDE)
class CloseDispute(DisputeCommand, frozen=True):
    """Close a dispute, resolved or not."""

    resolved: bool
