"""The settings of a configuration file: one declaration per key."""

from dataclasses import MISSING, dataclass, field
from datetime import time
from enum import Enum, StrEnum
from pathlib import Path
from typing import Annotated, Final

import msgspec

from croupier.config.fields import (
    ACCEPTOR_DRIVERS,
    BOUNDS,
    BROKER,
    FILE,
    JOURNAL,
    NAME,
    ORIGIN,
    PASSWORD,
    PRINTER_DRIVERS,
    WHEEL_DRIVERS,
    WITNESS,
    ZONE,
    Excluded,
    FieldFlag,
    Key,
    Section,
    driver_of,
    list_of,
)
from croupier.engine.places import JournalPlace
from croupier.engine.ports import OpenAcceptor, OpenPrinter, OpenWheel
from croupier.house.ids import DeviceId, DeviceKind, PersonId, TableId, TerminalId
from croupier.house.settings import (
    HOUR,
    RECORDS_KEPT,
    SPIN_MIN_S,
    LimitBounds,
    LimitSettings,
    Mode,
    Setting,
    TableSettings,
    TerminalSettings,
)
from croupier.rules.geometry import COMMON_KINDS, EVEN_MONEY, SpotKind
from croupier.rules.money import Cents
from croupier.rules.rulebook import Rulebook


class Applied(Enum):
    """When a value of the file takes effect. A key without this mark takes effect at a start and at a reload."""

    #: It identifies the venue. The first entry of the journal fixes it, and a different value prevents a start.
    IDENTITY = "identity"
    #: The first entry of the journal fixes it, and a different value is reported and ignored.
    CREATION = "creation"
    #: At a start only.
    START = "start"


class Level(StrEnum):
    """The lowest level that is logged."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Tls:
    """Serve pages over TLS. Without this section they are served in plain text."""

    certificate: Annotated[
        Path, Setting(description="The certificate, with its chain, in PEM.", example='"certificate.pem"'), FILE
    ]
    key: Annotated[Path, Setting(description="Its private key, in PEM.", example='"key.pem"'), FILE]


@dataclass(frozen=True, slots=True)
class Listen:
    """The addresses that the server listens on."""

    host: Annotated[str, Setting(description="The address to listen on. 0.0.0.0 is every address of this machine.")] = (
        "127.0.0.1"
    )
    port: Annotated[
        int, Setting(description="The port to listen on. 0 lets the system choose one.", maximum=65_535)
    ] = 8080
    origins: Annotated[
        tuple[str, ...],
        Setting(description="Origins other than the server's own whose pages may open a connection."),
        list_of(ORIGIN),
    ] = ()
    tls: Tls | None = None
    metrics_host: Annotated[
        str, Setting(description="The address of the metrics server, if `metrics_port` is set.")
    ] = "127.0.0.1"
    metrics_port: Annotated[
        int | None,
        Setting(
            description="A separate port for `/metrics` and `/health`. `/metrics` is then not on the main port.",
            maximum=65_535,
            example="9100",
            unset="on the main port",
        ),
    ] = None


@dataclass(frozen=True, slots=True)
class Gateways:
    """The broker between the server and its gateways (docs/gateways.md). Without `brokers` there are none."""

    brokers: Annotated[
        tuple[str, ...],
        Setting(
            description="The addresses of the NATS servers: one, or those of a cluster. Plain text is for a broker on "
            "the same machine."
        ),
        list_of(BROKER),
    ] = ()
    addresses: Annotated[
        tuple[str, ...],
        Setting(
            description="The origins at which clients reach the gateways. Every page has them all, and connects to the "
            "next one when one does not answer. Their pages may open a connection at each other."
        ),
        list_of(ORIGIN),
    ] = ()


@dataclass(frozen=True, slots=True)
class SharedTickets:
    """Tickets and pots that venues of one operator share (docs/postgresql.md). Without these keys they do not."""

    key: Annotated[
        Path | None,
        Setting(
            description="The key that encrypts the numbers of tickets between the venues: a file of 32 random bytes, "
            "the same at each of them, which no other user of the machine can read.",
            example='"operator.key"',
            unset="none",
        ),
    ] = None
    venues: Annotated[
        tuple[str, ...],
        Setting(
            description="The other venues in the same database whose tickets are paid here, and which may pay tickets "
            "of this one. Each must name this venue too, and has its key pinned here (`croupier partner`)."
        ),
        list_of(NAME),
    ] = ()
    pots: Annotated[
        tuple[str, ...],
        Setting(
            description="The rulebooks whose pots these venues share, the same at each. Where a pot is not kept, "
            "it must be shared before a round has played for it."
        ),
        list_of(NAME),
    ] = ()
    keeper: Annotated[
        str | None,
        Setting(
            description="The venue that keeps the pots: this one, or one of `venues`.",
            example='"Harbour"',
            unset="none",
        ),
    ] = None


#: The bets on half of the numbers have one name together.
TOGETHER: Final = "even_money"

_KIND_LIMITS: Final = Setting(
    description="The lowest and the highest stake on such a bet. even_money stands for red, black, odd, even, low and "
    "high; a key for one of these takes precedence. A kind that the rulebook of the venue defines goes by its id.",
    example="{ maximum = 250 }",
    unset="as on a spot",
)
_KINDS: Final = Section(
    "kinds",
    "Limits for kinds of bets, in the venue's currency. A bound that is not given is that on a spot.",
    tuple(Key(kind, BOUNDS, _KIND_LIMITS, MISSING) for kind in (*COMMON_KINDS, TOGETHER)),
    others=BOUNDS,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The limits of a table or a terminal, as the file has them."""

    minimum: Annotated[
        Cents | None,
        Setting(description="The lowest stake on a spot, in the venue's currency.", example="5", unset="no limit"),
    ] = None
    maximum: Annotated[
        Cents | None,
        Setting(description="The highest stake on a spot, in the venue's currency.", example="500", unset="no limit"),
    ] = None
    total_minimum: Annotated[
        Cents | None,
        Setting(
            description="The lowest total stake on one game, in the venue's currency.", example="5", unset="no limit"
        ),
    ] = None
    total_maximum: Annotated[
        Cents | None,
        Setting(
            description="The highest total stake on one game, in the venue's currency.",
            example="5000",
            unset="no limit",
        ),
    ] = None
    kinds: Annotated[dict[str, LimitBounds], _KINDS] = field(default_factory=dict)

    def settings(self) -> LimitSettings:
        """Convert to the house's form; a kind keeps the bound of a spot that it has none of its own for."""
        spot, kinds = LimitBounds(self.minimum, self.maximum), dict[SpotKind, LimitBounds]()
        # A key for one kind takes precedence over that for all even chances.
        for name, bounds in sorted(self.kinds.items(), key=lambda each: each[0] != TOGETHER):
            own = {bound: value for bound, value in msgspec.structs.asdict(bounds).items() if value is not None}
            for kind in EVEN_MONEY if name == TOGETHER else (SpotKind(name),):
                kinds[kind] = msgspec.structs.replace(kinds.get(kind, spot), **own)
        total = LimitBounds(self.total_minimum, self.total_maximum)
        ordered = [*(kind for kind in COMMON_KINDS if kind in kinds), *sorted(kinds.keys() - set(COMMON_KINDS))]
        return LimitSettings(spot, tuple((kind, kinds[kind]) for kind in ordered), total)


_ADDRESS: Final = (
    "What the driver opens: a serial port such as /dev/ttyUSB0, `file:` and a device file, or `tcp:`, an IP address, a "
    "colon and a port. {terminal} stands for the id of the terminal."
)


@dataclass(frozen=True, slots=True)
class AcceptorConfig:
    """The note acceptor of a terminal, or of each seat of a table. Without this section there is none."""

    driver: Annotated[
        OpenAcceptor,
        Setting(
            description="The driver: an entry point of the group `croupier.acceptors`, which `croupier verify` lists.",
            example='"id003"',
        ),
        driver_of(ACCEPTOR_DRIVERS),
    ]
    driver_address: Annotated[str, Setting(description=_ADDRESS, example='"/dev/serial/{terminal}-acceptor"')]
    values: Annotated[
        tuple[Cents, ...],
        Setting(
            description="The values of its denominations in their order, in the venue's currency.",
            example="[5, 10, 20, 50, 100]",
            unset="the notes that the terminal accepts",
        ),
    ] = ()


@dataclass(frozen=True, slots=True)
class PrinterConfig:
    """The printer of a terminal, or of each seat of a table. Without this section its page prints."""

    driver: Annotated[
        OpenPrinter,
        Setting(
            description="The driver: an entry point of the group `croupier.printers`, which `croupier verify` lists.",
            example='"escpos"',
        ),
        driver_of(PRINTER_DRIVERS),
    ]
    driver_address: Annotated[str, Setting(description=_ADDRESS, example='"file:/dev/usb/{terminal}-printer"')]


@dataclass(frozen=True, slots=True)
class SasConfig:
    """The link of a terminal, or of each seat of a table, to a slot system (SAS 6.02). Without it there is none."""

    driver_address: Annotated[str, Setting(description=_ADDRESS, example='"tcp:192.0.2.9:5001"')]
    address: Annotated[int, Setting(description="The address of the machine on the link.", minimum=1, maximum=127)] = 1
    redemption: Annotated[
        bool, Setting(description="Whether the slot system authorises tickets before the house redeems them.")
    ] = False


class WheelSignal(StrEnum):
    """What a wheel's own announcement of no more bets does."""

    RECORD = "record"
    CLOSE = "close"


@dataclass(frozen=True, slots=True)
class TableConfig:
    """A table.

    These values apply when the table is added. After that they are changed at the pit console, with two signatures.
    """

    id: Annotated[TableId, Setting(description="The id of the table.", example='"A"')]
    rulebook: Annotated[
        Rulebook, Setting(description="The rulebook that the table plays by.", example='"skycity-adelaide-2003"')
    ]
    settings: Annotated[TableSettings, FieldFlag.FLAT] = field(default_factory=TableSettings)
    driver: Annotated[
        OpenWheel | None,
        Setting(
            description="The driver of a wheel with sensors: an entry point of the group `croupier.wheels`, which "
            "`croupier verify` lists. `in-rim` reads status telegrams from a serial line. It is opened at a start, or "
            "with the first round after a reload.",
            example='"in-rim"',
            unset="no driver",
        ),
        driver_of(WHEEL_DRIVERS),
    ] = None
    driver_address: Annotated[
        str,
        Setting(
            description="What the driver reads: a serial port, a file or an address, as the driver expects it.",
            example='"/dev/ttyUSB0"',
            unset="empty",
        ),
    ] = ""
    spin_min_s: Annotated[
        int,
        Setting(
            description="The least time from launch to rest that is accepted of a wheel with a driver. After a shorter "
            "spin the number waits for the dealer, or the round is void where the rules void a malfunction. 0 accepts "
            "any time.",
            unit="seconds",
            maximum=HOUR,
        ),
    ] = SPIN_MIN_S
    wheel_signal: Annotated[
        WheelSignal,
        Setting(
            description="What the wheel's own announcement of no more bets does: it is recorded, or it closes betting "
            "as the dealer does, after the warning where players are warned."
        ),
    ] = WheelSignal.RECORD
    spin_s: Annotated[
        int,
        Setting(
            description="The time from a random wheel's launch until its ball rests. It must be less than `rest_s`.",
            unit="seconds",
            minimum=1,
            maximum=HOUR,
        ),
    ] = 9
    float_pieces: Annotated[
        int,
        Setting(
            description="The number of chips of each denomination with which a live table opens its float by itself, "
            "for demo money. With 0, and with real money, two people open it.",
            unit="chips",
            maximum=10_000,
        ),
    ] = 0
    seats: Annotated[
        int,
        Setting(
            description='The number of terminals at this table alone. Those of table A have the ids "A-1", "A-2", ….',
            unit="seats",
            maximum=1_000,
        ),
    ] = 0
    seat: Annotated[TerminalSettings, Excluded(("limits",), "What each seat of this table offers.")] = field(
        default_factory=TerminalSettings
    )
    acceptor: AcceptorConfig | None = None
    printer: PrinterConfig | None = None
    sas: SasConfig | None = None


@dataclass(frozen=True, slots=True)
class TerminalConfig:
    """A terminal other than the seats of a table: one with two games, or one that differs from the others.

    If it has limits of its own, they replace the table's limits.
    """

    id: Annotated[TerminalId, Setting(description="The id of the terminal.", example='"T1"')]
    tables: Annotated[tuple[TableId, ...], Setting(description="The ids of its tables: one, or two.", example='["A"]')]
    settings: Annotated[TerminalSettings, FieldFlag.FLAT] = field(default_factory=TerminalSettings)
    acceptor: AcceptorConfig | None = None
    printer: PrinterConfig | None = None
    sas: SasConfig | None = None


@dataclass(frozen=True, slots=True)
class ConsoleConfig:
    """A staff console. Two signatures are given on two consoles."""

    id: Annotated[DeviceId, Setting(description="The id of the console.", example='"pit-1"')]
    role: Annotated[
        DeviceKind, Setting(description="The kind of console.", example='"pit"'), Excluded((DeviceKind.TERMINAL,))
    ]


@dataclass(frozen=True, slots=True)
class StaffConfig:
    """A member of staff. A person who is removed from the file stays enrolled until released at the pit console."""

    person: Annotated[PersonId, Setting(description="The name with which the person signs in.", example='"dealer"')]
    titles: Annotated[
        tuple[str, ...],
        Setting(description="Titles, as the rulebooks in use define them.", example='["Dealer"]', unset="none"),
    ] = ()
    password: Annotated[
        str | None,
        Setting(
            description="The person's password, in demo mode only. With real money the file is refused.",
            example='"change me"',
            unset="a one-time code is issued",
        ),
        PASSWORD,
    ] = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Approval:
    """A build of Croupier that an authority has approved, if the rules require approval."""

    version: Annotated[
        str, Setting(description="The build id: the version and the digest of the code.", example='"0.3.0 9f86d081…"')
    ]
    reference: Annotated[str, Setting(description="The authority's reference.", example='"reference"')]


@dataclass(frozen=True, slots=True)
class Players:
    """Services for players on their screens."""

    break_minutes: Annotated[
        int,
        Setting(
            description="The interval of play after which a player is reminded to take a break. 0 switches it off.",
            unit="minutes",
            maximum=24 * 60,
        ),
    ] = 0


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """Rate limits of each connection, the number of connections, and the commit interval."""

    commands_per_s: Annotated[
        int, Setting(description="Commands per second, sustained.", unit="commands", minimum=1)
    ] = 20
    commands_burst: Annotated[
        int, Setting(description="Commands at once, after a pause.", unit="commands", minimum=1)
    ] = 40
    connections_max: Annotated[
        int, Setting(description="Connections that are open at the same time.", unit="connections", minimum=1)
    ] = 12_000
    commit_interval_ms: Annotated[
        int,
        Setting(
            description="The maximum interval between two commits under load. A command that follows a pause is "
            "committed at once. 0 switches it off.",
            unit="milliseconds",
            maximum=100,
        ),
    ] = 2


@dataclass(frozen=True, slots=True)
class Log:
    """The log of the server, for its operator. The record of play is the journal."""

    path: Annotated[
        Path | None, Setting(description="The log file.", example='"croupier.log"', unset="standard error")
    ] = None
    level: Annotated[Level, Setting(description="The lowest level that is logged.")] = Level.INFO


@dataclass(frozen=True, slots=True)
class RetentionConfig:
    """Retention of backups. The journal is never deleted."""

    backups: Annotated[
        int,
        Setting(
            description="The number of backups in a backup directory, unless `croupier backup --keep` is given.",
            unit="backups",
            minimum=1,
        ),
    ] = 14


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """The venue."""

    mode: Annotated[
        Mode,
        Setting(
            description="Whether the money is real. Fixed in the journal's first entry: demo and real money never mix."
        ),
        Applied.IDENTITY,
    ] = Mode.DEMO
    venue: Annotated[
        str,
        Setting(description="The venue's name. Fixed in the journal's first entry.", example='"My venue"'),
        NAME,
        Applied.IDENTITY,
    ]
    timezone: Annotated[
        str,
        Setting(
            description="The timezone of its gaming days, and of times on screens and on paper. "
            "Fixed in the journal's first entry."
        ),
        ZONE,
        Applied.IDENTITY,
    ] = "UTC"
    day_begins: Annotated[time, Setting(description="The local time at which a gaming day begins."), Applied.START] = (
        time(6)
    )
    ticket_days: Annotated[
        int | None,
        Setting(
            description="How long a slip or ticket can be redeemed. Fixed in the journal's first entry.",
            unit="gaming days",
            minimum=1,
            example="30",
            unset="no limit",
        ),
        Applied.CREATION,
    ] = None
    blind_counts: Annotated[
        bool,
        Setting(
            description="Whether a cashier counts a drawer without seeing what it should hold; otherwise the cashier's "
            "page shows the cash of the drawer."
        ),
        Applied.START,
    ] = True
    visitor_table: Annotated[
        str | None,
        Setting(
            description="In a demonstration: the table that a visitor deals at a dealer's console of the host, as the "
            "person visitor, without a password. A visitor at the host also enters the consoles as the people who have "
            "not chosen a password.",
            example='"practice"',
            unset="no table",
        ),
        NAME,
        Applied.START,
    ] = None
    records_kept: Annotated[
        int,
        Setting(
            description="How many closed tickets, cases and incidents stay in memory and in snapshots. Fixed in the "
            "journal's first entry.",
            unit="records",
            minimum=1,
        ),
        Applied.CREATION,
    ] = RECORDS_KEPT
    data: Annotated[
        Path,
        Setting(
            description="The data directory, which holds the snapshot, and the journal unless it is in a database."
        ),
        Applied.START,
    ] = Path("data")
    journal: Annotated[
        str | None,
        Setting(
            description="The PostgreSQL database that holds the journal, under the venue's name (docs/postgresql.md).",
            example='"postgresql://house@db.example/croupier"',
            unset="in the data directory, in SQLite",
        ),
        JOURNAL,
        Applied.START,
    ] = None
    key_store: Annotated[
        Path,
        Setting(
            description="The directory of the keys, and of the anchor that detects an older copy of the journal. It "
            "should be on another disk.",
            example='"data.keys"',
            unset="the data directory's name, with .keys after it",
        ),
        Applied.START,
    ]
    witness: Annotated[
        str | None,
        Setting(
            description="Where signed journal heads are sent, off this host: a file to append to, or an address to "
            "post to.",
            example='"file:///mnt/witness/heads.jsonl"',
            unset="nowhere",
        ),
        WITNESS,
    ] = None
    listen: Annotated[Listen, Applied.START] = Listen()
    gateways: Annotated[Gateways, Applied.START] = Gateways()
    shared_tickets: Annotated[SharedTickets, Applied.START] = SharedTickets()
    tables: Annotated[tuple[TableConfig, ...], FieldFlag.REQUIRED] = ()
    #: The seats of the tables come first, and then the terminals of the file.
    terminals: tuple[TerminalConfig, ...] = ()
    consoles: tuple[ConsoleConfig, ...] = ()
    staff: tuple[StaffConfig, ...] = ()
    approvals: tuple[Approval, ...] = ()
    players: Annotated[Players, Applied.START] = Players()
    limits: Annotated[ConnectionLimits, Applied.START] = ConnectionLimits()
    log: Annotated[Log, Applied.START] = Log()
    keep: RetentionConfig = RetentionConfig()

    @property
    def place(self) -> JournalPlace | None:
        """Where the journal is; None when it is in the data directory."""
        return None if self.journal is None else JournalPlace(self.journal, self.venue)

    def devices(self) -> tuple[tuple[DeviceId, DeviceKind], ...]:
        """List the terminals and the consoles, each with its kind."""
        terminals = ((DeviceId(each.id), DeviceKind.TERMINAL) for each in self.terminals)
        return (*terminals, *((each.id, each.role) for each in self.consoles))
