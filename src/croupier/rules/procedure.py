"""Procedure: how a venue runs a round, each step chosen by name with the clause that chooses it."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from croupier.rules.clause import ClauseId, Ruling
from croupier.rules.limits import OverMaximum, UnderMinimum
from croupier.rules.money import Cents


class Closing(StrEnum):
    """When betting closes, relative to the spin."""

    BEFORE_SPIN = "before_spin"
    BEFORE_OR_DURING_SPIN = "before_or_during_spin"
    AFTER_LAUNCH = "after_launch"
    DURING_SPIN = "during_spin"


class Warned(StrEnum):
    """How players are warned that betting is about to close."""

    NOT_AT_ALL = "not_at_all"
    MESSAGE = "message"
    TIMER = "timer"


class Authority(StrEnum):
    """Whose word the result is."""

    COMPARTMENT = "compartment"
    COMPARTMENT_THEN_STAFF = "compartment_then_staff"
    TERMINAL = "terminal"


class WinningStake(StrEnum):
    """What becomes of a winning bet's own stake."""

    RETURN = "return"
    STAY = "stay"


class TerminalLoss(StrEnum):
    """What becomes of the bets of a terminal whose link is gone."""

    #: Dark at the close, it has not taken part: its bets go back. Dark after it, they stand.
    RELEASE_AT_CLOSE = "release_at_close"
    #: Dark for longer than a table's patience, it has malfunctioned, and the moment that is raised decides.
    MALFUNCTION = "malfunction"
    #: Its bets stand whenever it went dark.
    STAND = "stand"


class ChannelName(StrEnum):
    """The ways a bet reaches the house: credits on a terminal, or chips on a table."""

    TERMINAL = "terminal"
    TABLE = "table"


class CreditIn(StrEnum):
    """What buys credits or chips."""

    NOTES = "notes"
    TICKETS = "tickets"
    CHIPS = "chips"
    #: Cash over the counter: the credits come onto a terminal that the cashier names.
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


class Occasion(StrEnum):
    """The moments for which the rules fix the words."""

    OPEN = "open"
    FINISH_BETTING = "finish_betting"
    CLOSED = "closed"
    #: The dealer's own call, where it is worded otherwise than the screen.
    CLOSED_CALL = "closed_call"
    NO_SPIN = "no_spin"


@dataclass(frozen=True, slots=True)
class Figure:
    """A number that the rules fix, and the clause that fixes it."""

    figure: int
    clause: ClauseId


@dataclass(frozen=True, slots=True)
class Procedure:
    """How a round runs."""

    closes: Ruling[Closing]
    warning: Ruling[Warned]
    authority: Ruling[Authority]
    terminal_loss: Ruling[TerminalLoss]
    #: The clause under which bets of a terminal that went dark after the close stand.
    accepted_stands: ClauseId
    #: The fewest turns of the ball that make a spin; missing where the wheel launches it by itself.
    revolutions: Figure | None = None
    #: Seconds from launch to close, where betting closes that way.
    launch_to_close: Figure | None = None


@dataclass(frozen=True, slots=True)
class Channel:
    """One way to bet at a venue: what happens there outside the limits and to winning stakes, and how money moves."""

    clause: ClauseId
    under_minimum: Ruling[UnderMinimum]
    over_maximum: Ruling[OverMaximum]
    winning_stake: Ruling[WinningStake]
    #: What money comes in as here, and what it goes out as.
    credit_in: tuple[Ruling[CreditIn], ...]
    credit_out: tuple[Ruling[CreditOut], ...]
    #: The clause on where bets stand here, where it is another than the paytable's.
    placement: ClauseId | None = None
    #: The clauses on the least and the most of all bets together, where the rules have them.
    total_minimum: ClauseId | None = None
    total_maximum: ClauseId | None = None


@dataclass(frozen=True, slots=True)
class Profile:
    """A place to bet that offers some of the calls: a terminal model, or the table itself."""

    id: str
    label: str
    channel: ChannelName
    clause: ClauseId
    #: The calls on offer, each with the words on its button.
    calls: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Tax:
    """A win from which a tax form is due."""

    form: str
    threshold: Cents
    basis: TaxBasis
    clause: ClauseId


@dataclass(frozen=True, slots=True)
class Terminal:
    """What a venue's terminals can do beyond placing bets."""

    games: Figure | None = None
    patterns: Figure | None = None
    idle_spins: Figure | None = None
    #: The clauses on saving over a pattern, on reducing one to the credits, and on copying within them.
    overrides: ClauseId | None = None
    reduces: ClauseId | None = None
    copies: ClauseId | None = None


@dataclass(frozen=True, slots=True)
class Message:
    """The words that the rules allow for a moment, the usual one first."""

    texts: tuple[str, ...]
    clause: ClauseId


Messages = Mapping[Occasion, Message]
