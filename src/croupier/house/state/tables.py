"""Tables, rounds, terminals and positions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Final

import msgspec

from croupier.house.ids import (
    Day,
    Instant,
    Number,
    PersonId,
    PositionId,
    RoundNumber,
    TableId,
    TerminalId,
)
from croupier.house.settings import EffectiveLimits, LimitSettings, TableSettings, TerminalSettings
from croupier.house.state.ledger import TableMeters, TerminalMeters
from croupier.house.state.live import LiveTable, RoundChips, Walk
from croupier.rules.geometry import Pocket, SpotKey
from croupier.rules.multipliers import NO_MULTIPLES, Multiples
from croupier.rules.procedure import Channel, Profile, Reason
from croupier.rules.progressive import PotAtStake
from croupier.rules.refusal import ClauseId
from croupier.rules.rulebook import PayoutTable, Rulebook, Stakes


class Moment(StrEnum):
    """The moment of a sensor sighting."""

    LAUNCH = "launch"
    FALL = "fall"
    REST = "rest"
    TROUBLE = "trouble"


@dataclass(frozen=True, slots=True)
class Sighting:
    """A sensor sighting at one moment of a spin; None for what the sensors did not see."""

    moment: Moment
    opposite: bool | None = None
    turning: bool | None = None
    revolutions: int | None = None
    #: An irregularity that the wheel reported.
    reason: Reason | None = None


class BettingState(StrEnum):
    """Whether bets may be placed."""

    OPEN = "open"
    LAST_CALL = "last_call"
    CLOSED = "closed"


class BallState(StrEnum):
    """The state of the ball."""

    IDLE = "idle"
    SPINNING = "spinning"
    AT_REST = "at_rest"


class RoundStatus(StrEnum):
    """What becomes of the round."""

    ACTIVE = "active"
    SUSPENDED = "suspended"
    SETTLED = "settled"
    VOID = "void"


@dataclass(slots=True)
class Result:
    """The number that counts for a round, and what was paid on it."""

    pocket: Pocket
    source: ResultSource
    #: When the number came to count: after a confirmation, later than the ball came to rest.
    number_at: Instant
    #: Each position's return, once the round is settled.
    paid: dict[PositionId, int] = field(default_factory=dict)
    #: The stakes of each position that were carried to this spin.
    carried: dict[PositionId, Stakes] = field(default_factory=dict)
    #: The positions whose bets were confirmed after the settlement: of what it would have carried, the rulebook says
    #: how much was returned at once.
    late: list[PositionId] = field(default_factory=list)
    #: The positions whose carried stakes were released after this round.
    released: list[PositionId] = field(default_factory=list)

    def copy(self) -> Result:
        """Copy the record, so that later changes to the round do not affect it."""
        carried = {position: dict(stakes) for position, stakes in self.carried.items()}
        return replace(self, paid=dict(self.paid), carried=carried, late=[*self.late], released=[*self.released])


@dataclass(slots=True)
class Sealed:
    """The bets of a round, once betting is sealed."""

    #: The final layouts of terminals.
    layouts: dict[PositionId, Stakes]
    digest: str
    #: The session of each position's terminal when its bets were sealed.
    sessions: dict[PositionId, int]
    #: The chips of players at a live table; None at another table, and after the chips of a void round are free again.
    chips: RoundChips | None = None
    #: None until the number counts.
    result: Result | None = None
    #: The multiples that were drawn for the spin; None until then, and where nothing is drawn.
    multiples: dict[Pocket, int] | None = None
    #: The pot that bets of this round win; None if there is no bet on one.
    pot: PotAtStake | None = None

    def copy(self) -> Sealed:
        """Copy the record, so that later changes to the round do not affect it."""
        result = None if self.result is None else self.result.copy()
        # Bets that stay up for another spin are changed where they are.
        layouts = {position: dict(stakes) for position, stakes in self.layouts.items()}
        sessions, chips = dict(self.sessions), deepcopy(self.chips)
        return replace(self, layouts=layouts, sessions=sessions, chips=chips, result=result)


@dataclass(slots=True)
class RunningSpin:
    """The running spin of a round, and what was seen of it."""

    number: int = 1
    launched_at: Instant | None = None
    rested_at: Instant | None = None
    #: The launch, as the driver has named it: numbers of other launches do not count.
    launch: int | None = None
    #: All sensor sightings, in the order of the reports; of a spin that was called off until the next begins.
    sightings: list[Sighting] = field(default_factory=list)
    #: A number that awaits the dealer's confirmation.
    reported: Pocket | None = None
    #: Staff were told that the ball should have come to rest.
    prompted: bool = False
    #: The system was interrupted while the ball may have been running.
    interrupted: bool = False

    def see(self, sighting: Sighting) -> None:
        """Record a sighting, unless it is empty."""
        if sighting != Sighting(sighting.moment):
            self.sightings.append(sighting)


@dataclass(frozen=True, slots=True)
class Suspension:
    """What a suspended round waits for."""

    #: When the round becomes void unless staff decide, or a held round is referred.
    decide_by: Instant | None = None
    #: When it was suspended only to consider a no spin.
    held_at: Instant | None = None
    #: The person who referred it, if any.
    referred_by: PersonId | None = None


@dataclass(frozen=True, slots=True)
class Ruling:
    """The clause under which a spin was last suspended, called off or invalidated, and the irregularity if known."""

    clause: ClauseId
    reason: Reason | None = None


@dataclass(slots=True)
class Round:
    """One round of play."""

    number: RoundNumber
    rulebook: str
    opened_at: Instant
    spin: RunningSpin = field(default_factory=RunningSpin)
    betting: BettingState = BettingState.OPEN
    ball: BallState = BallState.IDLE
    status: RoundStatus = RoundStatus.ACTIVE
    closes_at: Instant | None = None
    launches_at: Instant | None = None
    #: When players were warned that betting closes soon.
    warned_at: Instant | None = None
    closed_at: Instant | None = None
    #: None until betting is sealed, and when it is open again for another spin.
    sealed: Sealed | None = None
    #: A no spin after which terminals await their reset.
    no_spin: bool = False
    #: While its status is suspended.
    suspension: Suspension | None = None
    ruling: Ruling | None = None
    #: Numbers that stood before they were corrected.
    corrected: list[Pocket] = field(default_factory=list)
    invalidated: bool = False

    def suspend(self, suspension: Suspension, ruling: Ruling) -> None:
        self.status, self.suspension, self.ruling = RoundStatus.SUSPENDED, suspension, ruling

    def become(self, status: RoundStatus) -> None:
        """Go on, or end; a suspension is over."""
        self.status, self.suspension = status, None

    @property
    def layouts(self) -> Mapping[PositionId, Stakes]:
        """The sealed layouts of terminals; none until betting is sealed."""
        return {} if self.sealed is None else self.sealed.layouts

    @property
    def digest(self) -> str:
        """The digest of the seal; empty until betting is sealed."""
        return "" if self.sealed is None else self.sealed.digest

    @property
    def sealed_bets(self) -> Sealed:
        """The sealed bets; only for code that cannot run before the seal."""
        assert self.sealed is not None
        return self.sealed

    @property
    def declared(self) -> Result:
        """The result; only for code that cannot run before a number counts."""
        assert self.result is not None
        return self.result

    @property
    def chips(self) -> RoundChips | None:
        return None if self.sealed is None else self.sealed.chips

    @property
    def walk(self) -> Walk | None:
        """The collection and payment of chips; None until they are settled."""
        return None if self.chips is None else self.chips.walk

    @property
    def result(self) -> Result | None:
        return None if self.sealed is None else self.sealed.result

    @property
    def pocket(self) -> Pocket | None:
        """The number that counts."""
        return None if self.result is None else self.result.pocket

    @property
    def multiples(self) -> Multiples:
        """The multiples that were drawn for the spin."""
        return NO_MULTIPLES if self.sealed is None else self.sealed.multiples or NO_MULTIPLES

    @property
    def is_seen(self) -> bool:
        """Whether its number or its multiples are known: to call the round off then would favour a side."""
        return bool(self.pocket or self.spin.reported or self.multiples)

    @property
    def paid(self) -> Mapping[PositionId, int]:
        """Each position's return; none until the round is settled."""
        return {} if self.result is None else self.result.paid

    def copy(self) -> Round:
        """Copy the record, so that later changes to the round do not affect it."""
        sealed = None if self.sealed is None else self.sealed.copy()
        spin = replace(self.spin, sightings=list(self.spin.sightings))
        return replace(self, sealed=sealed, spin=spin, corrected=list(self.corrected))

    @property
    def over(self) -> bool:
        return self.status in (RoundStatus.SETTLED, RoundStatus.VOID)

    @property
    def is_held(self) -> bool:
        """Whether the dealer considers a no spin, and the timers stand still."""
        return self.suspension is not None and self.suspension.held_at is not None

    @property
    def reason(self) -> Reason | None:
        return None if self.ruling is None else self.ruling.reason

    @property
    def clause(self) -> ClauseId | None:
        return None if self.ruling is None else self.ruling.clause

    @property
    def decide_by(self) -> Instant | None:
        """When a suspended round becomes void unless staff decide, or a held round is referred."""
        return None if self.suspension is None else self.suspension.decide_by

    @property
    def phase(self) -> Phase:
        return phase_of(self)


@dataclass(slots=True)
class Draw:
    """The draw of a spin that can be proven: commitments and what was revealed of them, as hexadecimal digits."""

    round: RoundNumber
    spin: int
    commitment: str
    committed: dict[PositionId, str] = field(default_factory=dict)
    revealed: dict[PositionId, str] = field(default_factory=dict)
    secret: str = ""

    @property
    def withheld(self) -> tuple[PositionId, ...]:
        return tuple(position for position in self.committed if position not in self.revealed)


@dataclass(slots=True)
class Equipment:
    """The wheel head and the ball of a table, as staff have recorded them. An empty name is none."""

    head: str = ""
    head_inspected: Day | None = None
    maintained_at: Instant | None = None
    ball: str = ""
    ball_inspected: Day | None = None


@dataclass(slots=True)
class Arrangement:
    """A written arrangement with players, until the last of them leaves or it is ended."""

    positions: list[PositionId]
    straight_only: bool
    #: Limits of their own, which replace the table's.
    limits: LimitSettings | None
    #: Players who bet straight up only may place marker bets too.
    markers: bool
    words: str


#: The number of past rounds that a table stores in full, for corrections and disputes.
ROUNDS_KEPT = 10


class Phase(StrEnum):
    """The three fields of a round as one value, by which permissions are declared."""

    BETWEEN = "between"
    OPEN = "open"
    OPEN_RUNNING = "open_running"
    LAST_CALL = "last_call"
    CLOSED = "closed"
    RUNNING = "running"
    AT_REST = "at_rest"
    NO_SPIN = "no_spin"
    SUSPENDED = "suspended"
    #: The number counts, terminals are settled, and the dealer collects and pays chips.
    PAYING = "paying"


ANY_PHASE: Final = frozenset(Phase)


#: A round runs and its number does not count yet.
ROUND_PHASES: Final = ANY_PHASE - {Phase.BETWEEN, Phase.PAYING}


class DerivedOfTable:
    """What follows from a table's rulebook and settings."""

    if not TYPE_CHECKING:
        __slots__ = ("effective_limits", "payouts", "rulebook")
    rulebook: Rulebook
    payouts: PayoutTable
    effective_limits: EffectiveLimits


@dataclass(slots=True)
class Table(DerivedOfTable):
    """One table and its rounds."""

    id: TableId
    #: The digest of its rulebook.
    plays_by: str
    settings: TableSettings
    round: Round | None = None
    #: The terminals that play here, in the order in which they were added.
    terminals: list[TerminalId] = field(default_factory=list)
    #: The betting positions of these terminals, in the order in which they were added. Those of players with chips
    #: are the keys of `live.players`.
    positions: list[PositionId] = field(default_factory=list)
    #: Its last rounds, the oldest first.
    past: list[Round] = field(default_factory=list)
    #: Results of valid spins with their rounds, the newest first.
    history: list[tuple[RoundNumber, Pocket]] = field(default_factory=list)
    #: When the last round ended, or when the table was set up or reopened.
    over_at: Instant = Instant(0)
    #: Changes that take effect from the next round.
    next_settings: TableSettings | None = None
    next_rulebook: str | None = None
    closed: bool = False
    #: Written arrangements with players by number, and how many were made.
    arrangements: dict[Number, Arrangement] = field(default_factory=dict)
    arrangements_made: int = 0
    #: The ball of a spin that was called off may still be running: its number is ignored.
    loose_ball: bool = False
    #: The wheel's own counter of the last reported spin.
    spin_id: int | None = None
    #: The first case of the last line loss here, and when the last of its terminals went offline.
    line_loss: Number | None = None
    line_lost_at: Instant = Instant(0)
    meters: TableMeters = field(default_factory=TableMeters)
    equipment: Equipment = field(default_factory=Equipment)
    #: The last draw that can be proven, and the positions that withheld a share.
    draw: Draw | None = None
    withheld: list[PositionId] = field(default_factory=list)
    #: None at a stand-alone table.
    live: LiveTable | None = None

    @property
    def playing(self) -> Round:
        """The current or last round; only for code that cannot run before the first round."""
        assert self.round is not None
        return self.round

    @property
    def phase(self) -> Phase:
        return Phase.BETWEEN if self.round is None else self.round.phase

    @property
    def rounds(self) -> RoundNumber:
        return RoundNumber(0) if self.round is None else self.round.number

    def is_current(self, number: RoundNumber | None, spin: int | None) -> bool:
        """Check whether these are the current round and spin; None is any."""
        current = 1 if self.round is None else self.round.spin.number
        return number in (None, self.rounds) and spin in (None, current)

    def is_unannounced(self, number: RoundNumber) -> bool:
        """Check whether a round runs, and its number does not count yet."""
        return number == self.rounds and self.phase in ROUND_PHASES

    @property
    def numbers(self) -> tuple[Pocket, ...]:
        """The numbers of past spins, the newest first."""
        return tuple(pocket for _, pocket in self.history)

    def settled_since(self, number: int) -> Iterator[Round]:
        """Iterate over the settled rounds from one on, as far as they are stored."""
        for round_ in (*self.past, *(() if self.round is None else (self.round,))):
            if round_.number >= number and round_.status is RoundStatus.SETTLED:
                yield round_

    def find_round(self, number: RoundNumber) -> Round | None:
        """Find a round that is running or stored."""
        if self.round is not None and self.round.number == number:
            return self.round
        return next((past for past in self.past if past.number == number), None)

    def named_round(self, number: RoundNumber) -> Round:
        """Return a round that is running or stored; only for one that an event names."""
        found = self.find_round(number)
        assert found is not None
        return found


# Many of these and of the game records outlive their command, so the garbage collector does not traverse them:
# that took up to 0.1 s at a time. As arrays they have the same state digest as tuples.
class NeighboursPress(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The state of the Neighbors button: the number, the chip, and the number of presses."""

    pocket: Pocket
    chip: int
    presses: int = 0


class BetStep(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One change of the chips: when, how, and what lay on each spot that was touched, before and after it."""

    at: Instant
    how: BetChange
    spots: tuple[SpotKey, ...]
    before: tuple[int, ...]
    after: tuple[int, ...]
    #: The auto-copied stakes and the button before it, which undo restores too.
    auto_copied: Stakes
    spread: NeighboursPress | None


STEPS_RECALLED = 50
#: The number of changes in one round that can be undone: a dealer may leave a round open without a time limit.
UNDO_MAX = 100


class DerivedOfPosition:
    """What follows from the rest of the state."""

    if not TYPE_CHECKING:
        __slots__ = ("best", "effective_limits", "seat")
    effective_limits: EffectiveLimits
    #: The highest of its returns.
    best: int
    seat: GameAtTerminal


@dataclass(slots=True)
class Position(DerivedOfPosition):
    """A betting position: the stakes of a terminal, or of a player with chips, in one table's rounds.

    Betting, limits, undo, the seal and the steps of a round are the same for both; `Terminal` has the credit that pays
    for the stakes, `ChipFunding` the pieces that they consist of.
    """

    id: PositionId
    #: Empty for a player with chips.
    terminal: TerminalId
    table: TableId
    bets: Stakes = field(default_factory=dict)
    staked: int = 0
    #: The return of these stakes on each pocket, maintained if the rules have a risk check.
    returns: list[int] = field(default_factory=list)
    #: The changes that can be undone, and the last changes in this round. Both are cleared and never replaced, so that
    #: they stay in the garbage collector's oldest generation.
    undo: list[BetStep] = field(default_factory=list)
    steps: list[BetStep] = field(default_factory=list)
    #: Winning stakes of the last round that stayed up, until they are sealed in another.
    stayed: Stakes = field(default_factory=dict)
    #: Stakes of earlier rounds that are carried to the next spin: in prison, or of a bet on two spins in a row. They
    #: are not among its bets, and nothing but a spin, a correction or a release changes them.
    carried: Stakes = field(default_factory=dict)
    #: The bets of the last round, for repeating.
    previous: Stakes = field(default_factory=dict)
    spread: NeighboursPress | None = None
    auto_copy_to: TableId | None = None
    #: The part of each stake that came by auto copy, which is not copied again.
    auto_copied: Stakes = field(default_factory=dict)
    #: Credits won in the last spin, without winning stakes.
    won: int = 0
    #: What the last spin returned beyond all that was staked on it; 0 if it was less.
    net: int = 0
    idle_spins: int = 0
    #: The player's arrangement, and whether it restricts the player to straight up bets.
    arrangement: Number | None = None
    straight_only: bool = False

    def __post_init__(self) -> None:
        self.best = max(self.returns, default=0)

    @property
    def carried_total(self) -> int:
        return sum(self.carried.values()) if self.carried else 0

    def join(self, terminal: Terminal, table: Table) -> None:
        """Join the position with the terminal and the table that it belongs to."""
        self.seat = GameAtTerminal(terminal, self, table)
        terminal.games[table.id] = self


@dataclass(frozen=True, slots=True)
class Ghost:
    """A recalled pattern that is displayed but not placed."""

    table: TableId
    slot: int
    stakes: tuple[tuple[SpotKey, int], ...]


@dataclass(slots=True)
class HeldWin:
    """A win that awaits its tax form, with its amount on every basis."""

    number: Number
    table: TableId
    round: RoundNumber
    amount: int
    bases: dict[str, int]
    patron: str = ""
    form_number: str = ""


class SeatMessageKind(StrEnum):
    """The subject of a message to a seat."""

    #: A text that staff entered.
    TEXT = "text"
    #: Chips were returned to the meter unplayed.
    RETURNED = "returned"
    #: A round was settled while the terminal was offline.
    SETTLED = "settled"
    #: Nothing was copied to the other game at the close.
    NOT_COPIED = "not_copied"
    #: Staff answered the call for an attendant.
    ANSWERED = "answered"
    #: The number of a settled round was corrected.
    CORRECTED = "corrected"
    #: The outcome of a settled round does not count.
    INVALIDATED = "invalidated"


class SeatMessage(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A message for a seat's screen."""

    kind: SeatMessageKind
    clause: ClauseId | None = None
    text: str = ""
    #: The money that came back; after a correction, by the number that counts now.
    amount: int = 0
    round: RoundNumber | None = None
    pocket: Pocket | None = None
    #: A correction: the number before it, the return by that number, and the credit before and after.
    was: Pocket | None = None
    paid_before: int = 0
    credit_before: int = 0
    credit_after: int = 0


class AttendantCall(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A player's call for an attendant that is not answered."""

    reason: CallReason
    at: Instant


class Cause(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The last correction that changed a session's receivable or payable."""

    table: TableId
    round: RoundNumber
    at: Instant


class GameRecord(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One game in a terminal's recall, with the data to replay it step by step."""

    table: TableId
    round: RoundNumber
    steps: tuple[BetStep, ...]
    sealed: Stakes
    pocket: Pocket | None
    staked: int
    returned: int
    credit: int
    #: The stakes that were carried to this spin, and those that it carried on.
    carried: Stakes | None = None
    carried_on: Stakes | None = None

    @property
    def at_start(self) -> Stakes:
        """What lay on the layout before the steps; few records are ever shown, so it is not stored."""
        return layout_before(self.sealed, self.steps)


#: Regulators require the latest game and the nine before it, with up to fifty steps each.
GAMES_RECALLED = 10


#: How many messages a seat's screen has at most.
MESSAGES_SHOWN = 20


class DerivedOfTerminal:
    """What follows from a terminal's settings, the rulebook of its tables and the positions."""

    if not TYPE_CHECKING:
        __slots__ = ("channel", "games", "profile")
    channel: Channel
    profile: Profile | None
    #: Its position at each of its tables.
    games: dict[TableId, Position]


@dataclass(slots=True)
class Terminal(DerivedOfTerminal):
    """One terminal: its money, games and session."""

    id: TerminalId
    settings: TerminalSettings
    denomination: int
    credit: int = 0
    #: The value of the note that the acceptor may stack; None when none is in escrow.
    escrow: int | None = None
    #: Whether the slot system has switched play off, and notes and tickets.
    play_off: bool = False
    notes_off: bool = False
    #: The number of the player's session, from 0; and each session's debt to the house after a correction (a
    #: receivable), negative if the house owes it (a payable), with the correction that caused it.
    session: int = 0
    debts: dict[int, int] = field(default_factory=dict)
    causes: dict[int, Cause] = field(default_factory=dict)
    patterns: dict[int, dict[SpotKey, int]] = field(default_factory=dict)
    ghost: Ghost | None = None
    holds: dict[Number, HeldWin] = field(default_factory=dict)
    #: When the link was lost, while it is down.
    lost_at: Instant | None = None
    #: The open case that blocks it.
    case: Number | None = None
    closed: bool = False
    #: When this session's first money was added, and the meters' totals in and out before that.
    session_since: Instant | None = None
    session_in: int = 0
    session_out: int = 0
    #: The number of games played in this session.
    session_games: int = 0
    #: The limits that the player has set for this session: the most to lose, and the minutes to play.
    loss_limit: int | None = None
    time_limit: int | None = None
    #: Why the player does not bet now, and until when; no instant if that lasts until the session ends.
    pause: PauseReason | None = None
    pause_until: Instant | None = None
    call: AttendantCall | None = None
    messages: list[SeatMessage] = field(default_factory=list)
    #: Its last games, the oldest first.
    recall: list[GameRecord] = field(default_factory=list)
    meters: TerminalMeters = field(default_factory=TerminalMeters)

    def __post_init__(self) -> None:
        self.games = {}

    @property
    def first_table(self) -> TableId:
        """Its first table, whose rulebook all its games share."""
        return next(iter(self.games))

    def show(self, message: SeatMessage) -> None:
        """Add a message to its screen."""
        self.messages.append(message)
        del self.messages[:-MESSAGES_SHOWN]

    @property
    def owes(self) -> int:
        """The net debt to the house of this terminal's players."""
        return sum(self.debts.values())

    @property
    def receivable(self) -> int:
        """The debts of this terminal's sessions to the house after corrections."""
        return sum(debt for debt in self.debts.values() if debt > 0)

    @property
    def payable(self) -> int:
        """The house's debts to ended sessions of this terminal after corrections."""
        return -sum(debt for debt in self.debts.values() if debt < 0)

    @property
    def held_total(self) -> int:
        return sum(hold.amount for hold in self.holds.values())

    @property
    def in_play(self) -> int:
        return sum(game.staked + game.carried_total for game in self.games.values())

    @property
    def at_risk(self) -> int:
        """The loss of this session if all stakes in play are lost."""
        put_in, taken_out = self.meters.put_in - self.session_in, self.meters.taken_out - self.session_out
        return put_in - taken_out - self.credit - self.held_total + self.debts.get(self.session, 0)


@dataclass(frozen=True, slots=True, eq=False)
class GameAtTerminal:
    """A terminal at one of its games."""

    terminal: Terminal
    game: Position
    table: Table


class CallReason(StrEnum):
    """What a player calls an attendant about."""

    BET = "bet"
    MONEY = "money"
    SCREEN = "screen"
    OTHER = "other"


class BetChange(StrEnum):
    """The kind of a change of bets."""

    PLACE = "place"
    CHANGE = "change"
    REMOVE = "remove"
    MOVE = "move"
    UNDO = "undo"
    CLEAR = "clear"
    REPEAT = "repeat"
    DOUBLE = "double"
    NEIGHBOURS = "neighbours"
    RECALL = "recall"
    COPY = "copy"
    AUTO_COPY = "auto_copy"
    #: The house returned chips that were not played.
    RETURN = "return"


class PauseReason(StrEnum):
    """Why a terminal accepts no bets of its player."""

    BREAK = "break"
    #: The time that the player had set is over: until the session ends.
    TIME = "time"


class ResultSource(StrEnum):
    """The source of a result."""

    SENSOR = "sensor"
    DEALER = "dealer"
    RANDOM = "random"
    ENTERED = "entered"
    ATTESTED = "attested"
    DECIDED = "decided"


class StepName(StrEnum):
    """A step of a round, or a condition that must be met before the next."""

    OPEN = "open"
    WARN = "warn"
    CLOSE = "close"
    SPIN = "spin"
    NUMBER = "number"
    CONFIRM = "confirm"
    SETTLE = "settle"
    #: A condition that blocks the next steps.
    NO_SPIN = "no_spin"
    RESET = "reset"
    ATTEST = "attest"
    DECIDE = "decide"


_ACTIVE, _OPEN, _IDLE, _BETTING = RoundStatus.ACTIVE, BettingState.OPEN, BallState.IDLE, Phase.OPEN
_CLOSED_PHASES = {BallState.IDLE: Phase.CLOSED, BallState.SPINNING: Phase.RUNNING, BallState.AT_REST: Phase.AT_REST}


def phase_of(round_: Round) -> Phase:
    """Combine the fields of a round to its phase."""
    if round_.status is not _ACTIVE:
        if round_.status is RoundStatus.SUSPENDED:
            return Phase.SUSPENDED
        return Phase.PAYING if is_paying(round_) else Phase.BETWEEN
    if round_.betting is _OPEN:
        return _BETTING if round_.ball is _IDLE else Phase.OPEN_RUNNING
    if round_.betting is BettingState.LAST_CALL:
        return Phase.LAST_CALL
    if round_.no_spin:
        return Phase.NO_SPIN
    return _CLOSED_PHASES[round_.ball]


def is_paying(round_: Round) -> bool:
    """Check whether the dealer still collects or pays chips of a settled round."""
    return round_.walk is not None and not round_.walk.over


def layout_before(stakes: Stakes, steps: Sequence[BetStep]) -> Stakes:
    """Compute what lay on a layout before the steps that led to these stakes."""
    layout = dict(stakes)
    for step in reversed(steps):
        layout.update(zip(step.spots, step.before, strict=True))
    return {spot: stake for spot, stake in layout.items() if stake}


BETTING_PHASES: Final = frozenset({Phase.OPEN, Phase.OPEN_RUNNING, Phase.LAST_CALL})
SEALED_PHASES: Final = frozenset({Phase.CLOSED, Phase.RUNNING, Phase.AT_REST})
