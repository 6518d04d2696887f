"""What goes on record: lost terminals, malfunctions, displays, incidents and disputes."""

from enum import StrEnum

from croupier.house.base import Amount, Command, MachineRole, TableCommand, TerminalCommand, command
from croupier.house.ids import Number, RoundNumber, TerminalId
from croupier.rules.procedure import Duty
from croupier.rules.refusal import ClauseId


@command(MachineRole.SYSTEM)
class ReportTerminalLost(TerminalCommand, frozen=True):
    """The link to a terminal is gone."""


@command(MachineRole.SYSTEM)
class ReportTerminalReturned(TerminalCommand, frozen=True):
    """The link to a terminal is back."""


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
    """Open a case about a terminal; the moment it is raised decides what becomes of its bets."""

    fault: MalfunctionKind
    words: str


@command(MachineRole.SYSTEM, Duty.DEAL, Duty.INSPECT)
class RaiseSystemMalfunction(TableCommand, frozen=True):
    """Open a case about the game system itself: every terminal at the table is affected."""

    words: str


@command(Duty.DEAL)
class ConfirmBets(Command, frozen=True):
    """The bets of a case are confirmed through the electronic records."""

    case: Number
    digest: str


@command(Duty.DEAL, signatures=2)
class VoidBets(Command, frozen=True):
    """The bets of a case cannot be confirmed: they are void."""

    case: Number
    words: str


@command(Duty.INSPECT, Duty.MAINTAIN)
class ClearCase(Command, frozen=True):
    """The terminal of a case works again."""

    case: Number


@command(Duty.INSPECT, Duty.MAINTAIN)
class ClearLineLoss(TableCommand, frozen=True):
    """The terminals of one line loss that are back work again: all its cases in which no bets are in question."""

    #: The first case of the line loss.
    case: Number


@command(MachineRole.TERMINAL)
class ReportDisplay(TerminalCommand, frozen=True):
    """A terminal reports what it shows, to be held against the record."""

    credit: Amount | None = None
    number: str | None = None
    #: A digest of the spots that it draws.
    layout: str | None = None


@command(MachineRole.SYSTEM)
class ReportBoard(TableCommand, frozen=True):
    """A secondary display reports the number it shows."""

    number: str


class IncidentKind(StrEnum):
    """What staff are told of."""

    RESULT_BEFORE_SEAL = "result_before_seal"
    LAUNCH_BEFORE_CLOSE = "launch_before_close"
    NO_WARNING = "no_warning"
    FORCED_CLOSE = "forced_close"
    CANNOT_CLOSE = "cannot_close"
    WHEEL_TROUBLE = "wheel_trouble"
    IMPOSSIBLE_POCKET = "impossible_pocket"
    NUMBER_DIFFERS = "number_differs"
    SIGHTINGS_DIFFER = "sightings_differ"
    BALL_NOT_SEATED = "ball_not_seated"
    DISPLAY_DIFFERS = "display_differs"
    REFERRED = "referred"
    INTERRUPTED = "interrupted"
    MALFUNCTION = "malfunction"
    NOTED = "noted"
    #: What the system itself met with: one key for two commands, a clock that leapt, a snapshot or a past that is
    #: not what the record says, too little room to write, and a command that it could not work out.
    KEY_REUSED = "key_reused"
    CLOCK_JUMPED = "clock_jumped"
    SNAPSHOT_IGNORED = "snapshot_ignored"
    SNAPSHOT_FAILED = "snapshot_failed"
    DISK_LOW = "disk_low"
    COMMAND_FAILED = "command_failed"
    HISTORY_LOST = "history_lost"
    #: Wrong passwords have throttled somebody on a device; the software is not what was installed.
    ACCOUNT_LOCKED = "account_locked"
    BUILD_DIFFERS = "software_differs"
    #: Numbers of tickets were tried out at a desk, and passwords at a device.
    TICKETS_GUESSED = "tickets_guessed"
    SIGN_INS_GUESSED = "sign_ins_guessed"


@command(Duty.DEAL, Duty.INSPECT, Duty.CASH, Duty.MAINTAIN)
class NoteIncident(Command, frozen=True):
    """Staff note something that happened."""

    subject: str
    words: str


@command(MachineRole.SYSTEM)
class RaiseAlarm(Command, frozen=True):
    """The system tells staff of something that it met with itself."""

    kind: IncidentKind
    subject: str
    words: str


@command(Duty.DEAL, Duty.INSPECT)
class ClearIncident(Command, frozen=True):
    """Somebody has seen to an incident."""

    incident: Number


class DisputeBasis(StrEnum):
    """What a dispute stands on."""

    NOT_COVERED = "not_covered"
    FROM_RULES = "from_rules"


@command(Duty.INSPECT, Duty.DECIDE)
class OpenDispute(TableCommand, frozen=True):
    """A patron disputes a round: its record is frozen."""

    round: RoundNumber
    terminal: TerminalId | None
    basis: DisputeBasis
    words: str
    #: The rule in question, where the dispute arises from one.
    rule: ClauseId | None = None
    #: The version of the memorandum on disputes that is in force, where the venue has one.
    memorandum: str = ""


@command(Duty.DECIDE)
class DecideDispute(Command, frozen=True):
    """The house decides a dispute."""

    dispute: Number
    decision: str


@command(Duty.INSPECT, Duty.DECIDE, Duty.OFFICIATE)
class AdviseComplainant(Command, frozen=True):
    """The complainant is told of the right to consult an Authorised Officer."""

    dispute: Number


@command(Duty.INSPECT, Duty.DECIDE)
class RequestReview(Command, frozen=True):
    """The player or the house asks for a review."""

    dispute: Number
    by_house: bool


@command(Duty.REVIEW)
class RecordReview(Command, frozen=True):
    """The reviewer's outcome."""

    dispute: Number
    outcome: str


@command(Duty.DECIDE)
class CloseDispute(Command, frozen=True):
    """Close a dispute, resolved or not."""

    dispute: Number
    resolved: bool
