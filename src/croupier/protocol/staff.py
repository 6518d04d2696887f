"""State and messages for staff consoles."""

from collections.abc import Mapping
from enum import StrEnum

import msgspec
from msgspec import UNSET, UnsetType

from croupier.house.ids import TableId
from croupier.house.state.tables import StepName
from croupier.protocol.terminal import Cited, KindLimits
from croupier.rules.geometry import Pocket


class PendingKind(StrEnum):
    """The kind of a pending item, the most urgent first."""

    SUSPENDED = "suspended"
    INTERRUPTED = "interrupted"
    INCIDENT = "incident"
    #: A table that cannot play, for any other reason.
    BLOCKED = "blocked"
    CASE = "case"
    #: A note acceptor, a printer or a link to a slot system that does not work.
    DEVICE = "device"
    PROPOSAL = "proposal"
    HELD_WIN = "held_win"
    #: A player who calls an attendant.
    CALL = "call"
    DISPUTE = "dispute"
    DARK = "dark"
    #: A terminal out of service with credits on it.
    CREDIT_LEFT = "credit_left"
    IDLE = "idle"


class AvailableAction(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """An available action: the command to send."""

    #: The id of its text on the pages.
    label: str
    #: The command for an `ask` message; or a whole message, which has a `t`.
    command: object
    #: The fields of the command that are to be filled in.
    asks: tuple[str, ...]
    #: The titles that may send it, by the rules at that table.
    titles: tuple[str, ...]
    #: Whether a second person must sign it.
    dual: bool


class PendingItem(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A pending item: something that staff must deal with."""

    kind: PendingKind
    #: Its number within its kind, or the number of its round.
    number: int | None
    table: str | None
    terminal: str | None
    #: The kind of incident, case or command, as one word.
    what: str
    #: In English; a page words it by kind and facts.
    says: str
    facts: Mapping[str, object]
    clause: str | None
    since_us: int | None
    #: Its deadline, by the server's time.
    due_us: int | None
    amount: int | None
    #: The number of affected terminals: several if they lost their connections together.
    count: int
    actions: tuple[AvailableAction, ...]


class StepActor(StrEnum):
    """Who takes a step."""

    DEALER = "dealer"
    #: The house itself, by a timer or as soon as possible.
    AUTO = "auto"
    WHEEL = "wheel"
    PIT = "pit"


class StepRow(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A step of the running round or, between rounds, of the next one."""

    step: StepName
    words: str
    #: The announcement that the rules prescribe with it; empty where they prescribe none.
    says: str
    clause: str
    by: StepActor
    #: When the step was taken, and when the house takes it by timer, in house time.
    at_us: int | None
    due_us: int | None
    #: True for exactly one step.
    next: bool
    #: The command that the dealer may send now; also where the step is not next, or is automatic.
    command: object | None
    #: The fields of the command that are to be filled in.
    asks: tuple[str, ...]
    #: Why it cannot be taken yet.
    waits: Cited | None


class SeatRow(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A seat as staff see it."""

    terminal: str
    credit: int
    staked: int
    #: Chips under a minimum, which go back at the close or are refused.
    below: bool
    dark: bool
    #: When the connection was lost, in house time.
    lost_at_us: int | None
    closed: bool
    case: int | None
    held: int
    #: Valid spins without a bet, and whether the count has reached the limit of the rules.
    idle: int
    idle_long: bool
    #: Whether a session has begun and no credits are left on the terminal: staff may end it.
    spent: bool
    #: Whether the player is restricted to straight up bets.
    straight_only: bool
    #: Its betting position at this table, and the number of the player's arrangement, if there is one.
    position: int
    arrangement: int | None


class TableWin(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """The win of a table since it was added, for its managers."""

    turnover: int
    #: The win of the house, including sealed stakes that are not settled; negative for a loss.
    won: int
    rounds: int
    #: The stakes of settled rounds, and the win from them.
    played: int
    held: int
    #: The expected win, its confidence band, and how both are computed.
    expected: int
    low: int
    high: int
    method: str


class ExposureRow(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """The exposure of a table: the return of all its chips for each pocket."""

    staked: int
    returns: dict[Pocket, int]
    #: The highest possible payment, stakes included, and its pockets.
    most: int
    worst: tuple[Pocket, ...]


class LimitsRow(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """The limits of a table; null where there is no bound."""

    spot_least: int | None
    spot_most: int | None
    total_least: int | None
    total_most: int | None
    kinds: tuple[KindLimits, ...]


class LimitsInForce(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """The rulebook and settings of a table."""

    rulebook: str
    digest: str
    #: All of its settings, as `ChangeSettings` takes them.
    settings: object
    limits: LimitsRow


class RulebookRow(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """An adopted rulebook, and the titles that may send each command by it."""

    rulebook: str
    #: The digest by which `ChangeRulebook` names it.
    digest: str
    version: str
    currency: str
    #: By the name of a command: the titles that may send it.
    titles: dict[str, tuple[str, ...]]


class TableTerms(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """The rulebook and settings of a table now, and from the next round if they change."""

    now: LimitsInForce
    next: LimitsInForce | None


class HoldRow(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A held win, for the staff who record its form and pay it."""

    terminal: str
    hold: int
    table: str
    round: int
    amount: int
    currency: str
    #: The amount of the win by each basis, and the basis that the venue uses.
    bases: dict[str, int]
    basis: str
    form: str
    clause: str
    #: Whether the form is recorded: then it can be paid or released.
    recorded: bool


class DebtRow(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """The debt that a correction left between the house and one session of a terminal, or a player with chips."""

    #: Empty for a player with chips, who is paid, or pays, in chips at the table.
    terminal: str
    session: int
    #: Whether that session has ended: then the debt does not concern the current player.
    ended: bool
    #: The receivable of the house and its payable: one of them is 0.
    receivable: int
    payable: int
    currency: str
    #: The tax form that the payable requires; empty if none.
    form: str
    #: The correction that left it: of which round, when, and the clause on corrections.
    table: str
    round: int
    at_us: int
    clause: str
    #: The player with chips: the position, how staff refer to the player, and the colours in that round.
    position: int | None = None
    label: str = ""
    colours: tuple[str, ...] = ()


class SightingRow(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """A sensor report of one moment of a spin; a field is left out where the sensors did not see it."""

    #: "launch", "fall", "rest" or "trouble".
    moment: str
    revolutions: int | None = None
    #: Whether the ball turned against the rotor, and whether the rotor turned.
    opposite: bool | None = None
    turning: bool | None = None
    #: An irregularity that the wheel reported.
    reason: str | None = None


class RoundRow(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A finished round that is retained: its result, and the numbers before its corrections."""

    round: int
    status: str
    pocket: str | None
    corrected: tuple[str, ...]
    reason: str
    clause: str | None
    #: Sensor reports of its last spin, in order of arrival.
    seen: tuple[SightingRow, ...]


class BlockerRow(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A reason why a table cannot play, and the setting or the action that ends it."""

    reason: str
    clause: str | None
    #: In English; a page words them by reason and facts.
    says: str
    remedy: str
    facts: Mapping[str, object]


class EquipmentRow(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """The wheel head and the ball of a table; an empty name is none."""

    head: str
    ball: str
    #: The gaming days of their last inspections, and when the head was last worked on.
    head_inspected: int | None
    ball_inspected: int | None
    maintained_us: int | None
    #: The pockets that a head must have, in their order, and the diameters of a ball in micrometres, if there are any.
    order: tuple[str, ...]
    ball_least: int | None
    ball_most: int | None


class FloorTable(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """The staff view of a table, in addition to the public view."""

    #: Why the table cannot play now.
    blocked: tuple[BlockerRow, ...]
    #: A number that the dealer has not confirmed yet.
    reported: str | None
    #: Sensor reports of the running spin, and whether they are contradictory or irregular: then the dealer decides.
    seen: tuple[SightingRow, ...]
    doubtful: bool
    #: Whether the seal is durable and the ball is idle.
    safe_to_spin: bool
    #: The round step by step, at the dealer's console alone.
    steps: tuple[StepRow, ...] | None
    staked: int
    #: In a delta the rows that have changed.
    seats: tuple[SeatRow, ...]
    #: These for the pit and the auditor alone; rounds that are over, the newest first.
    takings: TableWin | None
    exposure: ExposureRow | None
    rounds: tuple[RoundRow, ...] | None
    #: None where the numbers are drawn.
    equipment: EquipmentRow | None = None


class IncidentRow(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """An open incident."""

    incident: int
    kind: str
    subject: str
    clause: str | None
    #: In English; a page words it by kind and facts.
    words: str
    facts: Mapping[str, object]
    at_us: int


class ProposalRow(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A proposal: a first signature that awaits the second."""

    proposal: int
    command: object
    person: str
    device: str
    expires_at_us: int


class DrawerRow(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A drawer and its cashier; where drawers are counted blind, without what reveals the expected amount."""

    drawer: str
    person: str
    #: What it was opened with.
    float_: int
    opened_at_us: int
    #: Cash from the vault and to it since.
    filled: int
    dropped: int
    #: Cash paid and taken since, and the cash now; None where drawers are counted blind.
    paid_out: int | None
    taken_in: int | None
    cash: int | None
    counted: int | None
    #: Empty until cash has moved, where the house has several.
    currency: str


class DeviceRow(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A note acceptor, a printer or a link to a slot system that does not work."""

    terminal: str
    #: The tables of its terminal.
    tables: tuple[str, ...]
    device: str
    words: str


class FloorState(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """The staff view of the floor besides the tables. A field that a delta leaves out has not changed."""

    tables: dict[TableId, FloorTable] | UnsetType = UNSET
    incidents: tuple[IncidentRow, ...] | UnsetType = UNSET
    #: How many more there are.
    incidents_more: int | UnsetType = UNSET
    proposals: tuple[ProposalRow, ...] | UnsetType = UNSET
    #: The devices that do not work.
    devices: tuple[DeviceRow, ...] | UnsetType = UNSET
    drawers: tuple[DrawerRow, ...] | UnsetType = UNSET
    #: All tables, where one of them has changed.
    terms: dict[TableId, TableTerms] | UnsetType = UNSET
    #: In a snapshot for the pit alone: none is adopted while the house is open.
    rulebooks: tuple[RulebookRow, ...] | UnsetType = UNSET
    #: The oldest of each terminal first, and how many more there are.
    holds: tuple[HoldRow, ...] | UnsetType = UNSET
    holds_more: int | UnsetType = UNSET
    #: Payables first, the oldest first, and how many more there are.
    debts: tuple[DebtRow, ...] | UnsetType = UNSET
    debts_more: int | UnsetType = UNSET
    #: The worst first, and how many more there are; at the pit alone.
    needs: tuple[PendingItem, ...] | UnsetType = UNSET
    needs_more: int | UnsetType = UNSET
