"""Refusals, clauses and cited topics."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, Generic, NewType, TypeVar

#: A clause as its document numbers it, byte for byte: "7(h)iii", "3.4.2", "Pay Table Straight".
ClauseId = NewType("ClauseId", str)

Behaviour = TypeVar("Behaviour")
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class CitedChoice(Generic[Behaviour]):
    """A behaviour that a venue's rules choose by name, and the clause that chooses it."""

    choice: Behaviour = field(metadata={"key": "does"})
    clause: ClauseId


class Topic(StrEnum):
    """The subject of a clause."""

    BET_GEOMETRY = "bet-geometry"
    CREDIT_AND_PAYMENT = "credit-and-payment"
    DISPUTE_AND_RECORD = "dispute-and-record"
    IRREGULARITY = "irregularity"
    LIMIT = "limit"
    LIVE_TABLE = "live-table"
    MALFUNCTION_AND_RECOVERY = "malfunction-and-recovery"
    PAYOUT = "payout"
    PHYSICAL_ONLY = "physical-only"
    ROUND_LIFECYCLE = "round-lifecycle"
    SPECIAL_BET = "special-bet"
    STAFF_ROLE = "staff-role"
    TERMINAL_UI = "terminal-ui"


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause: its content, the software's behaviour, and the code that implements it or why none does."""

    clause: ClauseId
    topic: Topic
    paraphrase: str = field(metadata={"key": "says"})
    behaviour: str = field(metadata={"key": "does"})
    code: tuple[str, ...] = ()
    no_code: str = ""
    #: The part of it that the code does not implement yet.
    awaits: str = ""
    tests: tuple[str, ...] = ()


class CitedTopic(StrEnum):
    """The subject of a refusal, if the rulebook has no structured rule for it."""

    #: Placing, moving and taking back chips while betting is open.
    BETS = "bets"
    #: Only the player places them.
    PLAYER = "player"
    BETS_NOT_OPEN = "bets_not_open"
    LATE_BET = "late_bet"
    LATE_REMOVAL = "late_removal"
    #: One round runs to its end before the next begins, step by step.
    ROUND = "round"
    RESULT = "result"
    #: The reset after a no spin.
    RESPIN = "respin"
    #: A spin that was called off, whatever its number.
    NO_SPIN = "no_spin"
    CORRECTION = "correction"
    #: The effect of a malfunction on bets: raised before the close, after it, and without confirming records.
    MALFUNCTION_BEFORE_CLOSE = "malfunction_before_close"
    MALFUNCTION_AFTER_CLOSE = "malfunction_after_close"
    UNCONFIRMED = "unconfirmed"
    #: The effect of an interruption on the whole round, without an outcome and with one.
    INTERRUPTED_NO_OUTCOME = "interrupted_no_outcome"
    INTERRUPTED_OUTCOME = "interrupted_outcome"
    #: A settled round that the terminals may not have shown when the system stopped.
    SETTLED_UNSEEN = "settled_unseen"
    #: The definition of a malfunction.
    FAULT_CREDITS = "fault_credits"
    FAULT_NUMBERS = "fault_numbers"
    FAULT_INTERRUPTED = "fault_interrupted"
    FAULT_OPINION = "fault_opinion"
    #: Which terminals may bet.
    TERMINAL = "terminal"
    CREDIT = "credit"
    CREDIT_IN = "credit_in"
    CREDIT_OUT = "credit_out"
    TICKET = "ticket"
    SETTINGS = "settings"
    CLOSING_DOWN = "closing_down"
    DISPUTE = "dispute"
    #: A dispute that arises from the rules, where that has a clause of its own.
    DISPUTE_FROM_RULES = "dispute_from_rules"
    ADVICE = "advice"
    #: Play with chips: these are topics of a channel that takes chips, and of no other.
    CHIPS = "chips"
    #: Tables that take no chips.
    STAND_ALONE = "stand_alone"
    #: The sets of chips without a value, whose chips are whose, and their value.
    CHIP_SETS = "chip_sets"
    CHIP_OWNER = "chip_owner"
    CHIP_VALUE = "chip_value"
    REDEMPTION = "redemption"
    #: The chips from which a dealer pays.
    FLOAT = "float"
    #: Bets of cash, and bets by word.
    CASH = "cash"
    VERBAL = "verbal"
    #: The marker on the winning number.
    DOLLY = "dolly"
    #: Winning bets that may not be touched yet: those of an outside box, and all others.
    WINNING_SEGMENT = "winning_segment"
    WINNING_BETS = "winning_bets"
    #: A bet is settled by its position on the layout.
    POSITION = "position"


Cites = Mapping[CitedTopic, ClauseId]

#: The topics that a channel with chips cites, and a rulebook as a whole does not.
CHIP_TOPICS: Final = (
    CitedTopic.CHIPS,
    CitedTopic.STAND_ALONE,
    CitedTopic.CHIP_SETS,
    CitedTopic.CHIP_OWNER,
    CitedTopic.CHIP_VALUE,
    CitedTopic.REDEMPTION,
    CitedTopic.FLOAT,
    CitedTopic.CASH,
    CitedTopic.VERBAL,
    CitedTopic.DOLLY,
    CitedTopic.WINNING_SEGMENT,
    CitedTopic.WINNING_BETS,
    CitedTopic.POSITION,
)


class Code(StrEnum):
    """The reason for a refusal, in order of precedence: if several apply, the first is given."""

    MALFORMED = "malformed"
    UNKNOWN_RULEBOOK = "unknown_rulebook"
    RULEBOOK_INCONSISTENT = "rulebook_inconsistent"
    UNKNOWN_PROFILE = "unknown_profile"
    # Refusals by the system before a command reaches the house, including when it cannot reach it.
    KEY_STALE = "key_stale"
    KEY_REUSED = "key_reused"
    EPOCH_AHEAD = "epoch_ahead"
    BUSY = "busy"
    DISK_LOW = "disk_low"
    COMMAND_FAILED = "command_failed"
    VIEW_FAILED = "view_failed"
    TOO_LONG = "too_long"
    # The sender and the subject.
    DEFAULT_CREDENTIALS = "default_credentials"
    HOUSE_NOT_FOUNDED = "house_not_founded"
    PROTOCOL_MISMATCH = "protocol_mismatch"
    UNKNOWN_DEVICE = "unknown_device"
    TOO_FAST = "too_fast"
    EVICTED = "evicted"
    SILENT = "silent"
    SIGN_IN_REFUSED = "sign_in_refused"
    SIGNED_OUT = "signed_out"
    STEP_UP_NEEDED = "step_up_needed"
    UNKNOWN_TERMINAL = "unknown_terminal"
    UNKNOWN_TABLE = "unknown_table"
    UNKNOWN_PERSON = "unknown_person"
    NOT_AUTHORISED = "not_authorised"
    SAME_PERSON = "same_person"
    SAME_DEVICE = "same_device"
    UNKNOWN_RECORD = "unknown_record"
    PROPOSAL_EXPIRED = "proposal_expired"
    DEMO_ONLY = "demo_only"
    # Whether the command is possible now.
    ALREADY_THERE = "already_there"
    SETTING_IMPOSSIBLE = "setting_impossible"
    SOFTWARE_NOT_APPROVED = "software_not_approved"
    NOT_IN_FORCE = "not_in_force"
    TABLE_CLOSED = "table_closed"
    TERMINAL_CLOSED = "terminal_closed"
    TERMINAL_BLOCKED = "terminal_blocked"
    TERMINAL_DARK = "terminal_dark"
    WIN_HELD = "win_held"
    PLAY_PAUSED = "play_paused"
    PLAYER_BARRED = "player_barred"
    WRONG_ROUND = "wrong_round"
    BETS_NOT_OPEN = "bets_not_open"
    BETS_CLOSED = "bets_closed"
    ROUND_SUSPENDED = "round_suspended"
    CLOSE_BEFORE_SPIN = "close_before_spin"
    SPIN_BEFORE_CLOSE = "spin_before_close"
    OUT_OF_TURN = "out_of_turn"
    TOO_SOON = "too_soon"
    NOTICE_NOT_SHOWN = "notice_not_shown"
    FLOAT_NOT_OPEN = "float_not_open"
    GAP_OPEN = "gap_open"
    EQUIPMENT_NOT_INSPECTED = "equipment_not_inspected"
    # What the wheel head or the ball of a table is not.
    WHEEL_HEAD_DIFFERS = "wheel_head_differs"
    WHEEL_HEAD_IN_USE = "wheel_head_in_use"
    BALL_NOT_ALLOWED = "ball_not_allowed"
    # What a decision, a record or a paper lacks.
    REASON_NOT_LISTED = "reason_not_listed"
    CAUSE_AFTER_REST = "cause_after_rest"
    NUMBERS_DIFFER = "numbers_differ"
    NOT_NOTIFIED = "not_notified"
    NOT_ADVISED = "not_advised"
    RECORD_DIFFERS = "record_differs"
    FORM_MISSING = "form_missing"
    # Whether the bet exists on this layout.
    POCKET_NOT_ON_WHEEL = "pocket_not_on_wheel"
    UNKNOWN_SPOT = "unknown_spot"
    CALL_NOT_OFFERED = "call_not_offered"
    CALL_ARGUMENT = "call_argument"
    NEIGHBOURS_REACH = "neighbours_reach"
    KIND_NOT_PRICED = "kind_not_priced"
    SPOT_NOT_ON_LAYOUT = "spot_not_on_layout"
    NOTHING_THERE = "nothing_there"
    SLOT_TAKEN = "slot_taken"
    # Whether the bet is within the limits and the credit.
    STAKE_NOT_POSITIVE = "stake_not_positive"
    NOT_WHOLE_CREDITS = "not_whole_credits"
    MARKER_TOTAL_INDIVISIBLE = "marker_total_indivisible"
    MARKER_NOT_DESIGNATED = "marker_not_designated"
    MARKER_UNDER_MINIMUM = "marker_under_minimum"
    MARKER_BETS_PER_NUMBER = "marker_bets_per_number"
    MARKER_BETS_PER_SPIN = "marker_bets_per_spin"
    STAKE_UNDER_MINIMUM = "stake_under_minimum"
    STAKE_OVER_MAXIMUM = "stake_over_maximum"
    PARTNERSHIP_OVER_MAXIMUM = "partnership_over_maximum"
    TOTAL_UNDER_MINIMUM = "total_under_minimum"
    TOTAL_OVER_MAXIMUM = "total_over_maximum"
    CREDIT_SHORT = "credit_short"
    OWN_LIMIT = "own_limit"
    TOO_LITTLE_RISK = "too_little_risk"
    # Money in and out.
    NOT_TAKEN_HERE = "not_taken_here"
    NOT_PAID_HERE = "not_paid_here"
    NOTHING_TO_COLLECT = "nothing_to_collect"
    VALIDATION_STALE = "validation_stale"
    TICKET_MISREAD = "ticket_misread"
    TICKET_UNKNOWN = "ticket_unknown"
    TICKET_PAID = "ticket_paid"
    TICKET_VOID = "ticket_void"
    TICKET_EXPIRED = "ticket_expired"
    TICKET_FROZEN = "ticket_frozen"
    TICKET_NOT_DISPENSED = "ticket_not_dispensed"
    TICKET_ALTERED = "ticket_altered"
    TICKET_TRANSFERRED = "ticket_transferred"
    TICKET_REQUESTED = "ticket_requested"
    VENUE_SILENT = "venue_silent"
    DRAWER_UNKNOWN = "drawer_unknown"
    DRAWER_CLOSED = "drawer_closed"
    DRAWER_SHORT = "drawer_short"
    # Chips at a live table.
    CHIPS_NOT_TAKEN = "chips_not_taken"
    SET_IN_USE = "set_in_use"
    COLOUR_LIKE_VALUE_CHIP = "colour_like_value_chip"
    MARKER_BUTTON_WRONG = "marker_button_wrong"
    CHIPS_OF_ANOTHER_TABLE = "chips_of_another_table"
    COLOUR_TAKEN = "colour_taken"
    VALUE_DECLARED = "value_declared"
    VALUE_UNDER_MINIMUM = "value_under_minimum"
    COLOUR_NOT_APPROVED = "colour_not_approved"
    VALUES_DIFFER = "values_differ"
    NOT_WHOLE_CHIPS = "not_whole_chips"
    CHIPS_SHORT = "chips_short"
    CHIPS_OUTSTANDING = "chips_outstanding"
    FLOAT_SHORT = "float_short"
    CASH_NOT_TAKEN = "cash_not_taken"
    VERBAL_WITHOUT_CHIPS = "verbal_without_chips"
    BETS_NOT_RECORDED = "bets_not_recorded"
    NOT_SETTLED_YET = "not_settled_yet"
    DOLLY_NOT_PLACED = "dolly_not_placed"
    COLLECT_FIRST = "collect_first"
    NOT_ALL_PAID = "not_all_paid"
    PAYMENT_DIFFERS = "payment_differs"
    PAYMENT_UNDECIDED = "payment_undecided"


@dataclass(frozen=True, slots=True)
class Refusal:
    """A refusal and its reason. It has no clause only if no rule applies: for an invalid text, file or name."""

    code: Code
    clause: ClauseId | None
    message: str
    facts: Mapping[str, object] = field(default_factory=dict)


class Refused(Exception):  # noqa: N818 - a refusal is no error: it is the answer
    """Raised by a function that cannot go on, and caught once: by `decide`, or where a query is answered."""

    def __init__(self, code: Code, clause: ClauseId | None, message: str, /, **facts: object) -> None:
        self.refusal = Refusal(code, clause, message, facts)
        super().__init__(self.refusal)

    @classmethod
    def by(cls, refusal: Refusal) -> "Refused":
        """Make the exception that carries a refusal which is there already."""
        return cls(refusal.code, refusal.clause, refusal.message, **refusal.facts)


def raise_if(refusal: Refusal | None) -> None:
    """Raise a refusal that was found, if one was."""
    if refusal is not None:
        raise Refused.by(refusal)


def or_raise(found: Value | Refusal) -> Value:
    """Return what was found, or raise the refusal that was found instead of it."""
    if isinstance(found, Refusal):
        raise Refused.by(found)
    return found


def first_of(objections: Iterable[Refusal]) -> Refusal | None:
    """Choose the refusal to return: the first by the precedence of codes, then by order."""
    return min(objections, key=lambda refusal: _PRECEDENCE[refusal.code], default=None)


_PRECEDENCE = {code: place for place, code in enumerate(Code)}


def refuse(code: Code, clause: ClauseId | None, message: str, **facts: object) -> Refusal:
    return Refusal(code, clause, message, facts)
