"""How a venue runs a round, its irregularities, and the duty each title has."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from croupier.rules.geometry import SegmentGroup
from croupier.rules.limits import OverMaximum, UnderMinimum
from croupier.rules.money import Cents
from croupier.rules.refusal import CitedChoice, Cites, ClauseId


class Reason(StrEnum):
    """What went wrong, the most telling first: where several hold, the first that the venue knows is recorded."""

    BALL_OUT_OF_WHEEL = "ball_out_of_wheel"
    BALL_BROKEN = "ball_broken"
    BALL_NOT_SEATED = "ball_not_seated"
    WHEEL_NOT_TURNING = "wheel_not_turning"
    WHEEL_STOPPED = "wheel_stopped"
    SAME_DIRECTION = "same_direction"
    FOREIGN_OBJECT = "foreign_object"
    INTERFERENCE = "interference"
    BALL_DROPPED = "ball_dropped"
    TOO_FEW_REVOLUTIONS = "too_few_revolutions"
    #: Called by the dealer before the ball has shown it to be wrong.
    TOO_FEW_ANTICIPATED = "too_few_anticipated"
    #: The ball was seen running, or at rest, while betting was open.
    LAUNCH_BEFORE_CLOSE = "launch_before_close"
    RESULT_BEFORE_CLOSE = "result_before_close"
    SUSPICION = "suspicion"
    MALFUNCTION = "malfunction"
    COMMOTION = "commotion"
    FIRE = "fire"
    RIOT = "riot"
    BRAWL = "brawl"
    ROBBERY = "robbery"
    ACT_OF_GOD = "act_of_god"
    FRAUD_BY_PLAYER = "fraud_by_player"
    FRAUD_BY_DEALER = "fraud_by_dealer"
    NOT_COVERED = "not_covered"


class Effect(StrEnum):
    """The effect of an irregularity on the round."""

    #: The round is void and every stake is returned.
    VOID_ROUND = "void_round"
    #: The round is void if no outcome is established, and concluded if one is.
    CONCLUDE_OR_VOID = "conclude_or_void"
    #: The spin is void: terminals are reset and their stakes returned, chips on a table stay, and the ball is spun
    #: again in the same round.
    RESET_AND_RESPIN = "reset_and_respin"
    #: The spin is void: chips stay with their owners, who may change them, and the ball is spun again.
    KEEP_AND_RESPIN = "keep_and_respin"
    #: The outcome is invalidated, before or after payment, and every stake is returned.
    INVALIDATE = "invalidate"
    #: A person decides.
    REFER = "refer"


@dataclass(frozen=True, slots=True)
class Irregularity:
    """One kind of irregularity: its clause, its effect, and the titles that may announce it."""

    reason: Reason
    clause: ClauseId
    effect: Effect
    #: Titles that may announce it; empty if the system itself does.
    by: tuple[str, ...] = ()
    #: Whether a sensor report is enough while the ball runs; otherwise it only prompts the staff who may announce it.
    sensed: bool = False


@dataclass(frozen=True, slots=True)
class Spin:
    """The observations of a spin, by sensors or by the dealer."""

    opposite: bool
    revolutions: int
    turning_at_launch: bool = True
    turning_throughout: bool = True
    ball_in_wheel: bool = True
    ball_whole: bool = True
    ball_seated: bool = True
    clear_of_objects: bool = True
    untouched: bool = True


def observed_reasons(spin: Spin, *, revolutions_least: int) -> Iterator[Reason]:
    """List all irregularities of a spin, in the order of Reason."""
    sights = (
        (Reason.BALL_OUT_OF_WHEEL, spin.ball_in_wheel),
        (Reason.BALL_BROKEN, spin.ball_whole),
        (Reason.BALL_NOT_SEATED, spin.ball_seated),
        (Reason.WHEEL_NOT_TURNING, spin.turning_at_launch),
        (Reason.WHEEL_STOPPED, spin.turning_throughout),
        (Reason.SAME_DIRECTION, spin.opposite),
        (Reason.FOREIGN_OBJECT, spin.clear_of_objects),
        (Reason.INTERFERENCE, spin.untouched),
        # Without a single revolution the ball was dropped, not spun: the more specific of the two reasons.
        (Reason.BALL_DROPPED, spin.revolutions > 0 or revolutions_least == 0),
        (Reason.TOO_FEW_REVOLUTIONS, spin.revolutions >= revolutions_least),
    )
    return (reason for reason, good in sights if not good)


def find_irregularity(irregularities: tuple[Irregularity, ...], reason: Reason) -> Irregularity:
    """Find the venue's rule for a reason; a reason without a rule falls under "not covered"."""
    known = {irregularity.reason: irregularity for irregularity in irregularities}
    return known.get(reason) or known[Reason.NOT_COVERED]


def assess_spin(spin: Spin, irregularities: tuple[Irregularity, ...], *, revolutions_least: int) -> Irregularity | None:
    """Find the irregularity of a spin by the venue's rules; a reason without a rule falls under "not covered"."""
    known = {irregularity.reason: irregularity for irregularity in irregularities}
    seen = tuple(observed_reasons(spin, revolutions_least=revolutions_least))
    if not seen:
        return None
    return next((known[reason] for reason in seen if reason in known), known[Reason.NOT_COVERED])


class CloseRule(StrEnum):
    """When betting closes, relative to the spin."""

    BEFORE_SPIN = "before_spin"
    BEFORE_OR_DURING_SPIN = "before_or_during_spin"
    AFTER_LAUNCH = "after_launch"
    DURING_SPIN = "during_spin"


class WarningKind(StrEnum):
    """How players are warned that betting is about to close."""

    NOT_AT_ALL = "not_at_all"
    MESSAGE = "message"
    TIMER = "timer"


class ResultAuthority(StrEnum):
    """The authority for the result."""

    COMPARTMENT = "compartment"
    COMPARTMENT_THEN_STAFF = "compartment_then_staff"
    TERMINAL = "terminal"


class WinningStake(StrEnum):
    """The treatment of a winning bet's own stake."""

    RETURN = "return"
    STAY = "stay"


class TerminalLoss(StrEnum):
    """The treatment of the bets of a terminal that lost its link."""

    #: Offline at the close, the terminal does not take part: its bets are returned. Offline after it, they stand.
    RELEASE_AT_CLOSE = "release_at_close"
    #: Offline for longer than the table's limit, the terminal has malfunctioned; the time of the case decides.
    MALFUNCTION = "malfunction"
    #: Its bets stand whenever it went offline.
    STAND = "stand"


class ChannelName(StrEnum):
    """How a bet reaches the house: credits on a terminal, or chips on a table."""

    TERMINAL = "terminal"
    TABLE = "table"


class CreditIn(StrEnum):
    """What buys credits or chips."""

    NOTES = "notes"
    TICKETS = "tickets"
    CHIPS = "chips"
    #: Cash at the cashier's desk: the credits are added to a terminal that the cashier names.
    CASHIER = "cashier"


class CreditOut(StrEnum):
    """What credits or chips are cashed out as."""

    PAYMENT_SLIP = "payment_slip"
    TICKET = "ticket"
    CURRENCY = "currency"
    CHIPS = "chips"


class TaxBasis(StrEnum):
    """What is held against the tax threshold."""

    NET_OF_WINNING_STAKES = "net_of_winning_stakes"
    NET_OF_TOTAL_BET = "net_of_total_bet"
    GROSS = "gross"


class MessageKind(StrEnum):
    """The moments for which the rules fix the words."""

    OPEN = "open"
    FINISH_BETTING = "finish_betting"
    CLOSED = "closed"
    #: The dealer's own call, if its words differ from the screen's.
    CLOSED_CALL = "closed_call"
    NO_SPIN = "no_spin"


@dataclass(frozen=True, slots=True)
class CitedNumber:
    """A number that the rules fix, and the clause that fixes it."""

    value: int = field(metadata={"key": "figure"})
    clause: ClauseId


@dataclass(frozen=True, slots=True)
class Procedure:
    """How a round runs."""

    closes: CitedChoice[CloseRule]
    warning: CitedChoice[WarningKind]
    authority: CitedChoice[ResultAuthority]
    terminal_loss: CitedChoice[TerminalLoss]
    #: The clause under which bets of a terminal that went offline after the close stand.
    accepted_stands: ClauseId
    #: The minimum revolutions of the ball in a valid spin; None if the wheel launches the ball itself.
    revolutions: CitedNumber | None = None
    #: Seconds from launch to close, if betting closes that way.
    launch_to_close: CitedNumber | None = None


@dataclass(frozen=True, slots=True)
class PayoutRules:
    """How winning chips are paid at a table."""

    #: The clause that has losing bets collected before winning bets are paid.
    clause: ClauseId
    #: The order in which the groups are paid.
    order: tuple[SegmentGroup, ...]
    #: The clause on amounts that the float cannot pay in full, if there is one.
    rounding: ClauseId | None = None
    #: The clause on what no other covers: by it a person decides an amount that the float cannot pay. None: `clause`.
    uncovered: ClauseId | None = None


class InfringementKind(StrEnum):
    """What a player with chips must not do."""

    #: An even chance, dozen or column was touched before its segment was settled.
    TOUCHED_OUTSIDE = "touched_outside"
    #: Another bet was touched before all winning bets were settled.
    TOUCHED = "touched"
    #: A device that predicts or affects outcomes.
    DEVICE = "device"
    #: A bet that is not against the house.
    SIDE_BET = "side_bet"


class InfringementEffect(StrEnum):
    """The effect of an infringement on its player."""

    #: It is recorded.
    RECORD = "record"
    #: It counts: from a number that the table sets, the dealer may refuse the player's bets.
    COUNT = "count"
    #: The player's bets are refused at once.
    BAR = "bar"


@dataclass(frozen=True, slots=True)
class Channel:
    """One way to bet at a venue: its treatment of bets outside the limits and of winning stakes, and its money."""

    clause: ClauseId
    under_minimum: CitedChoice[UnderMinimum]
    over_maximum: CitedChoice[OverMaximum]
    winning_stake: CitedChoice[WinningStake]
    #: The accepted forms of money, and the forms of payment.
    credit_in: tuple[CitedChoice[CreditIn], ...]
    credit_out: tuple[CitedChoice[CreditOut], ...]
    #: The clause on the position of bets here, if it differs from the paytable's.
    placement: ClauseId | None = None
    #: The clauses on the minimum and maximum of all bets together, if the rules have them.
    total_minimum: ClauseId | None = None
    total_maximum: ClauseId | None = None
    #: The clause that restricts a player to one colour of chips, and the clause on the notice at a table, if any.
    second_colour: ClauseId | None = None
    notice: ClauseId | None = None
    #: The clause by which a chip without a marked value is worth the table minimum at least, if there is one.
    least_value: ClauseId | None = None
    #: The clause on partnerships that would exceed a maximum, and the clause on the rims of marker buttons, if any.
    partnership: ClauseId | None = None
    marker_buttons: ClauseId | None = None
    #: What players must not do, and the clause under which bets of a player are refused after repeated infringements.
    infringements: Mapping[InfringementKind, CitedChoice[InfringementEffect]] = field(default_factory=dict)
    barring: ClauseId | None = None
    #: The nearest clause for each topic of play with chips, if chips are taken.
    cites: Cites = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Profile:
    """A place to bet that offers some of the calls: a terminal model, or the table itself."""

    id: str
    label: str
    channel: ChannelName
    clause: ClauseId
    #: The calls on offer, each with the label of its button.
    calls: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Tax:
    """The win from which a tax form is required."""

    form: str
    threshold: Cents
    basis: TaxBasis
    clause: ClauseId


@dataclass(frozen=True, slots=True)
class TerminalRules:
    """The features of a venue's terminals beyond placing bets."""

    games: CitedNumber | None = None
    patterns: CitedNumber | None = None
    idle_spins: CitedNumber | None = None
    #: The clauses on overwriting a pattern, on reducing one to the credits, and on copying within them.
    overrides: ClauseId | None = None
    reduces: ClauseId | None = None
    copies: ClauseId | None = None
    #: The clause that lets a dozen's box show its first and last number instead of its name.
    dozen_ranges: ClauseId | None = None


@dataclass(frozen=True, slots=True)
class VenueMessage:
    """The words that the rules permit for a moment, the usual one first."""

    texts: tuple[str, ...]
    clause: ClauseId


Messages = Mapping[MessageKind, VenueMessage]


class Duty(StrEnum):
    """The duties of staff, independent of the venue's titles."""

    #: Opens and closes betting, spins, announces, enters a missing number, resets terminals, refers a doubt.
    DEAL = "deal"
    #: Supervises terminals: blocks and clears them, handles printers and cases.
    INSPECT = "inspect"
    #: Corrects a wrong number.
    CORRECT = "correct"
    #: Decides what is referred or disputed, and invalidates an outcome.
    DECIDE = "decide"
    #: Sets up tables, limits, rulebooks and staff.
    MANAGE = "manage"
    #: Pays slips, tickets and hand pays from a drawer.
    CASH = "cash"
    #: Adds and repairs devices.
    MAINTAIN = "maintain"
    #: Reads everything and changes nothing.
    AUDIT = "audit"
    #: Receives notice of closings, and advises complainants.
    OFFICIATE = "officiate"
    #: Reviews the house's decision in a dispute.
    REVIEW = "review"


@dataclass(frozen=True, slots=True)
class BallRule:
    """What the rules require of a ball: wholly non-metallic, with a diameter within these, in micrometres."""

    least: int
    most: int
    clause: ClauseId


@dataclass(frozen=True, slots=True)
class EquipmentRules:
    """What the rules require of the equipment of a table."""

    #: The clause on the pockets of a wheel head and their order.
    wheel: ClauseId
    ball: BallRule | None = None


@dataclass(frozen=True, slots=True)
class Staff:
    """Titles as the rules name them, the lowest first, people outside that order, and the title for each duty."""

    order: tuple[str, ...]
    others: tuple[str, ...]
    clause: ClauseId
    #: The lowest title with a duty; a missing duty belongs to no title at this venue.
    duties: Mapping[Duty, CitedChoice[str]]

    def may(self, title: str, *, for_title: str) -> bool:
        """Check whether a title may act as another: it is the same, or ranks above it."""
        if title == for_title:
            return True
        if title in self.order and for_title in self.order:
            return self.order.index(title) > self.order.index(for_title)
        return False

    def titles_for(self, duty: Duty) -> tuple[str, ...]:
        """List the titles with a duty, the lowest first; empty if no title has it here."""
        ruling = self.duties.get(duty)
        if ruling is None:
            return ()
        return tuple(title for title in (*self.order, *self.others) if self.may(title, for_title=ruling.choice))
