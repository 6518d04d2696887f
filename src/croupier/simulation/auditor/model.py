"""The auditor's model of a house."""

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Final

from croupier.house.declare import Command, Event
from croupier.house.floor.incidents import IncidentKind
from croupier.house.floor.staff import ActingAppointed, PersonEnrolled, PersonReleased
from croupier.house.ids import (
    Day,
    DeviceId,
    DrawerId,
    Instant,
    Number,
    PersonId,
    PositionId,
    RoundNumber,
    TableId,
    TerminalId,
)
from croupier.house.play.betting import ReturnReason
from croupier.house.settings import LimitSettings, Mode, TableSettings, TerminalSettings, WheelKind
from croupier.rules.geometry import Pocket, SpotKey
from croupier.rules.procedure import Channel, ChannelName, CreditOut, Duty
from croupier.rules.refusal import ClauseId
from croupier.rules.rulebook import Rulebook
from croupier.simulation.auditor.payouts import ModelLimits, ModelPayouts, Stakes

#: The pieces of each chip on each spot.
ModelLayout = dict[SpotKey, dict[str, int]]
#: The invariant of chips.
CHIPS: Final = "I25"


@dataclass(slots=True)
class ModelTicket:
    """One slip or ticket; `state` is the house's name for its state."""

    seat: TerminalId
    form: CreditOut
    amount: int
    digest: str
    day: Day
    by_staff: bool = False
    state: str = "issued"
    lost: bool = False
    #: It may have been paid in a part of the journal that is lost.
    frozen: bool = False
    #: The venue that issued it and its currency, when that is another venue.
    venue: str = ""
    currency: str = ""

    @property
    def payable(self) -> bool:
        return self.state in ("issued", "printed")


@dataclass(slots=True)
class ModelVenue:
    """Another venue: what was transferred to it and received from it, the last transfer that was received, its key."""

    sent: int = 0
    received: int = 0
    sent_count: int = 0
    last_received: int = 0
    key: str = ""


@dataclass(slots=True)
class ModelDrawer:
    """One drawer: its cashier, its float, the payments from it and the money taken into it."""

    cashier: PersonId
    float_: int
    paid_out: int = 0
    taken_in: int = 0
    #: Fills less drops.
    from_vault: int = 0
    counted: int | None = None
    out: bool = True

    @property
    def cash(self) -> int:
        """I6: the float and fills less drops and payments, plus what was taken in; zero once it was handed in."""
        return self.float_ + self.from_vault - self.paid_out + self.taken_in if self.out else 0


@dataclass(slots=True)
class CashDesk:
    """All slips, tickets and cash."""

    tickets: dict[Number, ModelTicket] = field(default_factory=dict)
    numbers: dict[str, Number] = field(default_factory=dict)
    #: Numbers that may be printed although the journal does not have them.
    skipped: int = 0
    venues: dict[str, ModelVenue] = field(default_factory=dict)
    #: When an older copy of the journal was accepted last.
    lost_at: int | None = None
    drawers: dict[DrawerId, ModelDrawer] = field(default_factory=dict)
    #: Money by the house's names of accounts: vault, differences, dispensed, adjustments, play money and notes.
    tally: Counter[str] = field(default_factory=Counter)

    def find(self, digest: str) -> ModelTicket | None:
        number = self.numbers.get(digest)
        return None if number is None else self.tickets[number]

    def worth(self, *states: str) -> int:
        return sum(ticket.amount for ticket in self.tickets.values() if ticket.state in states)

    def hand_out(self, name: DrawerId, cashier: PersonId, float_: int) -> None:
        self.drawers[name] = ModelDrawer(cashier, float_)
        self.tally["vault"] += float_

    def pay(self, name: DrawerId, amount: int) -> None:
        """Pay from a drawer, which makes its last count stale."""
        drawer = self.drawers[name]
        drawer.paid_out += amount
        drawer.counted = None

    def take(self, name: DrawerId, amount: int) -> None:
        """Take money into a drawer, which makes its last count stale."""
        drawer = self.drawers[name]
        drawer.taken_in += amount
        drawer.counted = None

    def hand_in(self, name: DrawerId) -> None:
        """Move the counted cash into the vault, and record the difference."""
        drawer = self.drawers[name]
        assert drawer.counted is not None
        self.tally["vault"] -= drawer.counted
        self.tally["differences"] += drawer.counted - drawer.cash
        drawer.out = False


#: How many numbers a table remembers.
HISTORY_KEPT = 100


#: For each spot the turns in which chips were added to it, with their value.
ModelEntries = dict[SpotKey, list[tuple[int, int]]]


@dataclass(slots=True)
class ModelChips:
    """The chips of a round: what was sealed, and what is collected and paid."""

    sealed: dict[PositionId, ModelLayout]
    values: dict[str, int]
    #: The settings of the table and the limits of players by arrangement, when betting was sealed.
    settings: TableSettings
    limits: dict[PositionId, LimitSettings]
    #: What earlier rounds carried to this spin.
    carried: dict[PositionId, ModelLayout] = field(default_factory=dict)
    pocket: Pocket | None = None
    #: The multiples that were drawn.
    multiples: dict[Pocket, int] = field(default_factory=dict)
    #: The number that the dolly marks.
    marked: Pocket | None = None
    paying: bool = False
    collected: bool = False
    swept: bool = False
    #: They were collected by a number that was corrected.
    rearranged: bool = False
    made: bool = False
    #: What was handed over, by segment and position, and whether a correction came after payments.
    paid: Counter[tuple[str, PositionId]] = field(default_factory=Counter)
    corrected: bool = False
    finished: bool = True
    #: The open payments, by segment and position.
    items: dict[tuple[str, PositionId], int] = field(default_factory=dict)
    #: What payments were above what was due, or below: by segment and position.
    rounded: Counter[tuple[str, PositionId]] = field(default_factory=Counter)
    #: The pieces of each colour at the dealer, and partners by group, when the round was settled first.
    rack: dict[str, int] = field(default_factory=dict)
    groups: dict[Number, set[PositionId]] = field(default_factory=dict)
    #: In which turns the stakes of each player came onto each spot.
    placed: dict[PositionId, ModelEntries] = field(default_factory=dict)

    @property
    def over(self) -> bool:
        return self.collected and self.finished and not self.items


@dataclass(slots=True)
class ModelPot:
    """The pot of a progressive bet, its reserve, and how often it was won."""

    amount: int
    reserve: int
    wins: int = 0
    #: The venue that keeps it, if several share it, and whether that is this one.
    keeper: str = ""
    kept: bool = True
    #: By venue: the number of its last report, and what it has added to the pot and in all, and was paid.
    applied: dict[str, tuple[int, int, int, int]] = field(default_factory=dict)
    #: The same of this venue; and of its wins: number, addition so far, wins before, what was played for, and change.
    own: tuple[int, int, int, int] = (0, 0, 0, 0)
    turns: list[tuple[int, int, int, int, int]] = field(default_factory=list)
    #: The last statement of its keeper, and whether it is due here by that, at so many wins.
    stated: int = 0
    due_stated: tuple[bool, int] = (False, 0)
    #: The venue at which it must be won: None while it need not be, empty for this one.
    due_at: str | None = None

    @property
    def due_here(self) -> bool:
        if not self.keeper:
            return True
        return self.due_at == "" if self.kept else self.due_stated == (True, self.wins)


@dataclass(slots=True)
class ModelRound:
    """One round; its states have the house's names."""

    number: RoundNumber
    felt: ModelPayouts
    opened_at: Instant = Instant(0)
    closed_at: Instant = Instant(0)
    spin: int = 1
    betting: str = "open"
    ball: str = "idle"
    status: str = "active"
    no_spin: bool = False
    closes_at: Instant | None = None
    held_at: Instant | None = None
    sealed: dict[PositionId, Stakes] | None = None
    #: The multiples that were drawn for the spin, if they were.
    multiples: dict[Pocket, int] | None = None
    #: The pot that it plays for, the number of wins before, and what it has added to the pot and the reserve and won.
    pot: int | None = None
    pot_wins: int = 0
    pot_moved: tuple[int, int, int] = (0, 0, 0)
    #: Whether it wins the pot on every number.
    pot_due: bool = False
    #: The session of each position's terminal when its bets were sealed.
    sessions: dict[PositionId, int] = field(default_factory=dict)
    reported: Pocket | None = None
    #: What sensors saw of the running spin.
    ways: set[bool] = field(default_factory=set)
    turns: set[int] = field(default_factory=set)
    troubled: bool = False
    #: The ball may lie in a compartment without a report: it is overdue, or the system was interrupted.
    unseen: bool = False
    pocket: Pocket | None = None
    paid: dict[PositionId, int] = field(default_factory=dict)
    invalidated: bool = False
    #: What was carried to this spin; the positions whose bets were confirmed after it was settled, and those whose
    #: carried stakes were released after it.
    carried: dict[PositionId, Stakes] = field(default_factory=dict)
    late: set[PositionId] = field(default_factory=set)
    released: set[PositionId] = field(default_factory=set)
    #: None at a stand-alone table, and before the seal.
    chips: ModelChips | None = None

    @property
    def over(self) -> bool:
        return self.status in ("settled", "void")

    @property
    def phase(self) -> str:
        if self.over:
            return "paying" if self.chips is not None and self.chips.paying and not self.chips.over else "between"
        if self.status == "suspended":
            return "suspended"
        if self.betting == "open":
            return "open" if self.ball == "idle" else "open_running"
        if self.betting == "last_call":
            return "last_call"
        if self.no_spin:
            return "no_spin"
        return {"idle": "closed", "spinning": "running", "at_rest": "at_rest"}[self.ball]


@dataclass(slots=True)
class ModelColour:
    """One colour of a live table's chips."""

    pieces: int
    position: PositionId | None = None
    value: int = 0
    #: What was sold less what was redeemed.
    out: int = 0


@dataclass(slots=True)
class ModelLive:
    """The players with chips, the colours, the float and the drop box of a live table."""

    full: bool
    colours: dict[str, ModelColour]
    players: dict[PositionId, set[str]] = field(default_factory=dict)
    #: Players who may be allocated one more colour.
    approved: set[PositionId] = field(default_factory=set)
    #: Limits of single players by arrangement.
    limits: dict[PositionId, LimitSettings] = field(default_factory=dict)
    #: Partners by the number of their group, and players who may use marker buttons.
    groups: dict[Number, set[PositionId]] = field(default_factory=dict)
    groups_made: int = 0
    designated: set[PositionId] = field(default_factory=set)
    #: Infringements that count, and the clause under which the bets of a player are refused.
    infringements: Counter[PositionId] = field(default_factory=Counter)
    barred: dict[PositionId, ClauseId] = field(default_factory=dict)
    barred_at: dict[PositionId, Instant] = field(default_factory=dict)
    #: The value chips in the tray; None while the float is closed.
    tray: int | None = None
    drop: int = 0
    #: Play is missing in the record.
    gap: bool = False
    #: The value chips of the float, and further ones that players may bring.
    smallest: tuple[int, ...] = (1,)
    circulating: tuple[int, ...] = ()
    #: What lies on the layout, and the stakes that stayed up after the last round.
    layouts: dict[PositionId, ModelLayout] = field(default_factory=dict)
    #: What waits there for the next spin: in prison, or between two spins.
    carried: dict[PositionId, ModelLayout] = field(default_factory=dict)
    stayed: dict[PositionId, Stakes] = field(default_factory=dict)
    placed: dict[PositionId, ModelEntries] = field(default_factory=dict)
    turn: int = 0
    labels: dict[PositionId, str] = field(default_factory=dict)
    #: Players who were advised of the minimum, and those who must be.
    advised: set[PositionId] = field(default_factory=set)
    advising: set[PositionId] = field(default_factory=set)
    #: Debts and dues after corrections, and all that is to be paid.
    owed: Counter[PositionId] = field(default_factory=Counter)
    owing: dict[PositionId, int] = field(default_factory=dict)
    #: The round of each player that was corrected last.
    corrected: dict[PositionId, RoundNumber] = field(default_factory=dict)
    payable: int = 0

    @property
    def values(self) -> dict[str, int]:
        """The value of each colour that a player has."""
        return {name: colour.value for name, colour in self.colours.items() if colour.position is not None}


@dataclass(slots=True)
class ModelTable:
    """One table."""

    name: TableId
    felt: ModelPayouts
    settings: TableSettings
    #: The rules and settings that take effect from the next round.
    next_felt: ModelPayouts | None = None
    #: The positions of each arrangement with players.
    arrangements: dict[Number, tuple[PositionId, ...]] = field(default_factory=dict)
    next_settings: TableSettings | None = None
    rounds: dict[RoundNumber, ModelRound] = field(default_factory=dict)
    round: ModelRound | None = None
    seats: list[TerminalId] = field(default_factory=list)
    #: Numbers with their rounds, the newest first.
    history: list[tuple[RoundNumber, Pocket]] = field(default_factory=list)
    closed: bool = False
    meters: Counter[str] = field(default_factory=Counter)
    #: None at a stand-alone table.
    live: ModelLive | None = None

    @property
    def phase(self) -> str:
        return "between" if self.round is None else self.round.phase

    @property
    def number_in_view(self) -> bool:
        """Whether the number can be seen: while the ball runs, only where no sensor reports its rest."""
        if self.round is None or self.round.ball != "spinning":
            return self.round is not None and self.round.ball == "at_rest"
        return self.round.unseen or self.settings.wheel is WheelKind.KEYPAD

    @property
    def number(self) -> RoundNumber:
        return RoundNumber(0) if self.round is None else self.round.number

    @property
    def unsealed(self) -> bool:
        """Return whether the chips on this table are not sealed in a spin."""
        return self.round is None or self.round.over or self.round.sealed is None

    def new_terms(self) -> bool:
        """Return whether limits or rules change with the next round."""
        other_limits = self.next_settings is not None and self.next_settings.limits != self.settings.limits
        return other_limits or (self.next_felt is not None and self.next_felt is not self.felt)


@dataclass(slots=True)
class ModelGame:
    """The chips of one seat at one table."""

    bounds: ModelLimits
    #: The limits by the player's arrangement, if it has any.
    own: LimitSettings | None = field(default=None, kw_only=True)
    #: Its number as a betting position.
    position: PositionId
    stakes: Stakes = field(default_factory=dict)
    #: The stakes on the changed spots before each command of this betting period.
    undo: list[Stakes] = field(default_factory=list)
    #: Winning stakes left up by the last round, until they are sealed again.
    stayed: Stakes = field(default_factory=dict)
    #: The bets of the last round.
    previous: Stakes = field(default_factory=dict)
    #: What is in prison, or between two spins.
    carried: Stakes = field(default_factory=dict)

    @property
    def staked(self) -> int:
        return sum(self.stakes.values())


@dataclass(slots=True)
class ModelHeldWin:
    """A win that awaits its form."""

    table: TableId
    round: RoundNumber
    amount: int
    form: bool = False


@dataclass(slots=True)
class ModelTerminal:
    """One terminal."""

    name: TerminalId
    settings: TerminalSettings
    channel: Channel
    #: The calls on its buttons; None when it offers all calls of the venue.
    calls: Collection[str] | None
    games: dict[TableId, ModelGame]
    #: What one credit is worth.
    unit: int
    credit: int = 0
    #: The value of the note that the acceptor may stack.
    escrow: int | None = None
    #: Whether the slot system has switched play off, and notes.
    play_off: bool = False
    notes_off: bool = False
    #: The number of the player's session, and what each session owes; when negative, the house owes the session.
    session: int = 0
    debts: Counter[int] = field(default_factory=Counter)
    #: The total put in when the last session ended, and since when this session has had nothing left.
    put_in_before: int = 0
    spent_at: Instant | None = None
    holds: dict[Number, ModelHeldWin] = field(default_factory=dict)
    dark: bool = False
    case: Number | None = None
    closed: bool = False
    straight_only: bool = False
    #: The player's own limit of losses, whether play is paused by a break or by the player's own time, and the total
    #: taken out when the last session ended.
    loss_limit: int | None = None
    pause: str | None = None
    taken_out_before: int = 0
    #: By the names of the house's meters; notes by their value.
    meters: Counter[str] = field(default_factory=Counter)
    notes: Counter[int] = field(default_factory=Counter)

    @property
    def in_play(self) -> int:
        return sum(game.staked for game in self.games.values()) + self.carried

    @property
    def carried(self) -> int:
        return sum(sum(game.carried.values()) for game in self.games.values())

    @property
    def amount_held(self) -> int:
        return sum(hold.amount for hold in self.holds.values())

    @property
    def owes(self) -> int:
        return sum(self.debts.values())

    @property
    def receivable(self) -> int:
        return sum(max(0, debt) for debt in self.debts.values())

    @property
    def payable(self) -> int:
        return self.receivable - self.owes

    @property
    def playing(self) -> bool:
        """Whether money has come in since the last session ended."""
        return self._put_in > self.put_in_before

    @property
    def spent(self) -> bool:
        return not (self.credit or self.in_play or self.holds) and self.case is None

    @property
    def _put_in(self) -> int:
        names = ("bought_in", "tickets_in", "tickets_back", "adjusted_in", "granted")
        return sum(value * count for value, count in self.notes.items()) + sum(self.meters[each] for each in names)

    @property
    def _taken_out(self) -> int:
        return sum(self.meters[each] for each in ("tickets_out", "hand_pays", "payables_paid", "adjusted_out"))

    @property
    def at_risk(self) -> int:
        """What the session loses if every stake in play is lost."""
        moved = self._put_in - self.put_in_before - (self._taken_out - self.taken_out_before)
        return moved - self.credit - self.amount_held + self.debts[self.session]

    def watch(self, now: Instant) -> None:
        """Record since when a session has had nothing left."""
        if not (self.playing and self.spent):
            self.spent_at = None
        elif self.spent_at is None:
            self.spent_at = now

    def leave(self) -> None:
        """End the session: bets saved for this player are not passed on to the next one."""
        self.session += 1
        self.straight_only = False
        self.put_in_before, self.spent_at = self._put_in, None
        self.taken_out_before, self.loss_limit = self._taken_out, None
        self.pause = None if self.pause == "time" else self.pause
        for game in self.games.values():
            game.previous, game.stayed, game.undo = {}, {}, []
            game.own = None

    def lay(self, table: TableId, stakes: Stakes) -> Stakes:
        """Set the stakes on these spots, paid from or returned to credit; return the stakes before."""
        on = self.games[table].stakes
        before = {spot: on.get(spot, 0) for spot in stakes}
        for spot, stake in stakes.items():
            self.credit -= stake - before[spot]
            on[spot] = stake
            if stake == 0:
                del on[spot]
        return before

    def take_back(self, table: TableId, spots: Collection[SpotKey]) -> int:
        """Return the stakes on some spots to credit; return their sum."""
        before = self.lay(table, dict.fromkeys(spots, 0))
        return sum(before.values())


def channel_of(rulebook: Rulebook) -> Channel:
    """Choose how terminals bet here: in their own way, or as at the table in a demonstration."""
    channels = rulebook.channels
    return channels[ChannelName.TERMINAL if ChannelName.TERMINAL in channels else ChannelName.TABLE]


def calls_of(rulebook: Rulebook, model: str | None) -> Collection[str] | None:
    """Return the calls of a terminal model; at venues with dealt tables, the default is the model for terminals."""
    for profile in rulebook.profiles:
        if profile.id == model:
            return tuple(profile.calls)
        by_hand = ChannelName.TABLE in rulebook.channels
        if model is None and by_hand and profile.channel is ChannelName.TERMINAL:
            return tuple(profile.calls)
    return None


@dataclass(slots=True)
class ModelPerson:
    """A member of staff: titles for good, and titles from one instant to another."""

    titles: tuple[str, ...]
    acting: list[tuple[str, Instant, Instant]] = field(default_factory=list)

    def titles_at(self, now: Instant) -> Iterator[str]:
        yield from self.titles
        yield from (title for title, begins, ends in self.acting if begins <= now < ends)


@dataclass(frozen=True, slots=True)
class ModelProposal:
    """A first signature."""

    command: Command
    person: PersonId
    device: DeviceId
    expires_at: Instant


@dataclass(slots=True)
class ModelStaff:
    """All staff and devices."""

    devices: set[DeviceId] = field(default_factory=set)
    people: dict[PersonId, ModelPerson] = field(default_factory=dict)
    proposals: dict[Number, ModelProposal] = field(default_factory=dict)
    proposed: int = 0

    def learn(self, event: Event) -> None:
        """Apply enrolments, releases and acting appointments; proposals of a released person are dropped."""
        match event:
            case PersonEnrolled():
                self.people.setdefault(event.person, ModelPerson(())).titles = event.titles
            case PersonReleased():
                del self.people[event.person]
                self.proposals = {
                    number: each for number, each in self.proposals.items() if each.person != event.person
                }
            case ActingAppointed():
                self.people[event.person].acting.append((event.title, event.begins_at, event.ends_at))

    def holds(self, person: PersonId, duty: Duty, rulebook: Rulebook, now: Instant) -> bool:
        """Return whether a person has a duty: by the title it is assigned to, or by a higher title."""
        ruling = rulebook.staff.duties.get(duty)
        if ruling is None or person not in self.people:
            return False
        order, wanted = rulebook.staff.order, ruling.choice
        above = order[order.index(wanted) :] if wanted in order else (wanted,)
        return any(title in above for title in self.people[person].titles_at(now))


@dataclass(slots=True)
class ModelCase:
    """A malfunction: the seat, the sealed bets in question, and stakes set aside for them by table."""

    seat: TerminalId
    questioned: tuple[tuple[TableId, RoundNumber], ...]
    state: str = "open"
    cleared: bool = False
    suspense: Counter[TableId] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class ExpectedReturn:
    """Chips of a position that must go back unplayed, and why."""

    position: PositionId
    why: ReturnReason
    spots: frozenset[SpotKey]


@dataclass(frozen=True, slots=True)
class ExpectedHold:
    """A win that must be held."""

    seat: TerminalId
    number: Number
    table: TableId
    round: RoundNumber
    amount: int


@dataclass(frozen=True, slots=True)
class ExpectedRevision:
    """What a correction must leave of a held win."""

    seat: TerminalId
    number: Number
    amount: int
    held: bool


@dataclass(slots=True)
class Model:
    """The state that the house should have, derived from the commands."""

    mode: Mode | None = None
    ticket_days: int | None = None
    day: Day = Day(0)
    felts: dict[str, ModelPayouts] = field(default_factory=dict)
    tables: dict[TableId, ModelTable] = field(default_factory=dict)
    seats: dict[TerminalId, ModelTerminal] = field(default_factory=dict)
    #: The terminal and the table of each betting position.
    positions: dict[PositionId, tuple[TerminalId, TableId]] = field(default_factory=dict)
    #: How many positions there were: of terminals, and of players with chips.
    positions_added: int = 0
    desk: CashDesk = field(default_factory=CashDesk)
    #: The value chips outside the chip bank, and colour chips that were never brought back.
    value_chips: int = 0
    chips_unclaimed: int = 0
    #: The value chips that were paid to players as adjustments.
    chips_adjusted: int = 0
    staff: ModelStaff = field(default_factory=ModelStaff)
    cases: dict[Number, ModelCase] = field(default_factory=dict)
    #: The name of the venue.
    venue: str = ""
    #: The pots of progressive bets, by rulebook.
    pots: dict[str, ModelPot] = field(default_factory=dict)
    #: The terminal and the kind of each incident that locks a device.
    locks: dict[Number, tuple[TerminalId, IncidentKind]] = field(default_factory=dict)
    #: How many wins were ever held.
    held: int = 0
    #: What the games have won.
    won: int = 0
    #: What the response must still contain: returned chips, held wins, lapsed tickets.
    returns: set[ExpectedReturn] = field(default_factory=set)
    lapsing: set[Number] = field(default_factory=set)
    holding: set[ExpectedHold] = field(default_factory=set)
    revising: set[ExpectedRevision] = field(default_factory=set)

    def games(self, table: ModelTable) -> Iterator[tuple[ModelTerminal, ModelGame]]:
        """Go through the seats at a table."""
        for name in table.seats:
            seat = self.seats[name]
            yield seat, seat.games[table.name]

    def game(self, position: PositionId) -> tuple[ModelTerminal, ModelGame]:
        """Return the seat and the chips of a betting position."""
        terminal, table = self.positions[position]
        return self.seats[terminal], self.seats[terminal].games[table]

    def first_table(self, seat: ModelTerminal) -> ModelTable:
        """Return the table whose rules apply to a seat."""
        return self.tables[next(iter(seat.games))]

    def in_question(self, table: ModelTable, round_: ModelRound, seat: TerminalId) -> ModelCase | None:
        """Find the open case about bets that a seat has sealed in a round."""
        for case in self.cases.values():
            if case.state == "open" and case.seat == seat and (table.name, round_.number) in case.questioned:
                return case
        return None
