"""One declaration per setting."""

from dataclasses import dataclass, field
from datetime import time
from enum import StrEnum
from pathlib import Path
from typing import Final

from croupier.config.fields import (
    AMOUNT,
    BOUNDS,
    FILE,
    NAME,
    ORIGIN,
    PATH,
    REQUIRED,
    RULEBOOK,
    SECRET,
    TEXT,
    TIME,
    WITNESS,
    YES,
    ZONE,
    Field,
    Section,
    list_of,
    one_of,
    whole,
)
from croupier.house.ids import DeviceId, DeviceKind, PersonId, TableId, TerminalId
from croupier.house.settings import RECORDS_KEPT, Mode, TableSettings, TerminalSettings, WheelKind
from croupier.house.setup import FIGURES, HOUR
from croupier.rules.geometry import NUMBERS, OUTSIDE, SpotKind
from croupier.rules.procedure import TaxBasis
from croupier.rules.rulebook import Rulebook


class Level(StrEnum):
    """The least that is written into the log."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Tls:
    """The files that prove to a browser whom it talks to."""

    certificate: Path
    key: Path


@dataclass(frozen=True, slots=True)
class Listen:
    """Where browsers find the house."""

    host: str = "127.0.0.1"
    port: int = 8080
    #: Origins besides the house's own whose pages may open a door.
    origins: tuple[str, ...] = ()
    #: None where pages are given without TLS.
    tls: Tls | None = None
    #: Where the metrics are told; on the house's own port where there is none.
    metrics_host: str = "127.0.0.1"
    metrics_port: int | None = None


@dataclass(frozen=True, slots=True)
class TableConfig:
    """A table that is to stand in the house."""

    id: TableId
    rulebook: Rulebook
    settings: TableSettings = field(default_factory=TableSettings)
    #: From the launch of a random wheel's ball until it rests, in whole seconds.
    spin_s: int = 9


@dataclass(frozen=True, slots=True)
class TerminalConfig:
    """A terminal that is to stand at one table, or at two."""

    id: TerminalId
    tables: tuple[TableId, ...]
    settings: TerminalSettings = field(default_factory=TerminalSettings)


@dataclass(frozen=True, slots=True)
class ConsoleConfig:
    """A screen of the staff's, and what it is for."""

    id: DeviceId
    role: DeviceKind


@dataclass(frozen=True, slots=True)
class StaffConfig:
    """A member of staff."""

    person: PersonId
    titles: tuple[str, ...] = ()
    #: What they sign in with, in a demonstration alone.
    secret: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Approval:
    """A version of the game system that an authority has approved, and its reference for that."""

    version: str
    reference: str


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """How much one door may ask for, and how many doors there may be."""

    commands_per_s: int = 20
    commands_burst: int = 40
    doors_most: int = 12_000


@dataclass(frozen=True, slots=True)
class Players:
    """What screens do for those who play."""

    #: After so many minutes of play a player is reminded of a break; 0 reminds nobody.
    break_minutes: int = 0


@dataclass(frozen=True, slots=True)
class Log:
    """Where the log goes: None is the screen."""

    path: Path | None = None
    level: Level = Level.INFO
    keep_days: int = 30
    #: How large all files of the log may be together, in megabytes.
    keep_mb: int = 200


@dataclass(frozen=True, slots=True)
class RetentionConfig:
    """What is kept of backups."""

    #: How many backups; the oldest goes when a new one is there.
    backups: int = 14


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """One venue, as its operator wants it."""

    venue: str
    data: Path
    safe: Path
    mode: Mode = Mode.DEMO
    timezone: str = "UTC"
    day_begins: time = time(6)
    #: How many gaming days a slip or ticket can be redeemed; None where it never lapses.
    ticket_days: int | None = None
    #: How many closed tickets, cases and incidents stay in memory and in snapshots.
    records_kept: int = RECORDS_KEPT
    #: Where heads of the journal are sent; None where there is no witness.
    witness: str | None = None
    listen: Listen = Listen()
    tables: tuple[TableConfig, ...] = ()
    #: The seats of the tables first, and then those that were named one by one.
    terminals: tuple[TerminalConfig, ...] = ()
    consoles: tuple[ConsoleConfig, ...] = ()
    staff: tuple[StaffConfig, ...] = ()
    approvals: tuple[Approval, ...] = ()
    players: Players = Players()
    limits: ConnectionLimits = ConnectionLimits()
    log: Log = Log()
    keep: RetentionConfig = RetentionConfig()

    def devices(self) -> tuple[tuple[DeviceId, DeviceKind], ...]:
        """List the terminals and the screens of the staff, each with what it is there for."""
        terminals = ((DeviceId(each.id), DeviceKind.TERMINAL) for each in self.terminals)
        return (*terminals, *((each.id, each.role) for each in self.consoles))


#: The bets on half of the numbers have one name together.
EVEN_MONEY: Final = "even_money"
EVEN_MONEY_KINDS: Final = tuple(kind for kind, numbers in OUTSIDE.values() if len(numbers) * 2 == len(NUMBERS))

_AMOUNTS: Final = list_of(AMOUNT, 'amounts such as [5, "0.50"]')
_NO_LIMIT: Final = "no limit"
#: More credits than any chip stands for.
CREDITS_MAX: Final = 10**9

TLS: Final = Section(
    "tls",
    "Give pages over TLS. Without this section they are given in plain text.",
    (
        Field("certificate", FILE, "The certificate, with its chain, in PEM.", '"certificate.pem"', REQUIRED),
        Field("key", FILE, "Its private key, in PEM.", '"key.pem"', REQUIRED),
    ),
)

LISTEN: Final = Section(
    "listen",
    "Where browsers find the house.",
    (
        Field("host", TEXT, "The address to listen on. 0.0.0.0 is every address of this machine.", '"127.0.0.1"'),
        Field("port", whole(most=65_535), "The port. 0 lets the system choose one.", "8080"),
        Field(
            "origins",
            list_of(ORIGIN, "origins such as https://tables.example"),
            "Origins besides the house's own whose pages may open a door.",
            "[]",
        ),
        Field("metrics_host", TEXT, "The address to tell the metrics at, where they have a port.", '"127.0.0.1"'),
        Field(
            "metrics_port",
            whole(most=65_535),
            "A port for `/metrics` and `/health` alone. `/metrics` is then not on the house's own port.",
            "9100",
            "on the house's own port",
        ),
    ),
    (TLS,),
)

_LIMITS: Final = (
    Field("minimum", AMOUNT, "The least on a spot, in the venue's currency.", "5", _NO_LIMIT),
    Field("maximum", AMOUNT, "The most on a spot, in the venue's currency.", "500", _NO_LIMIT),
    Field("total_minimum", AMOUNT, "The least in all on one game, in the venue's currency.", "5", _NO_LIMIT),
    Field("total_maximum", AMOUNT, "The most in all on one game, in the venue's currency.", "5000", _NO_LIMIT),
)

_KINDS: Final = (
    *(
        Field(kind, BOUNDS, "The least and the most on such a bet.", "{ maximum = 250 }", "as on a spot")
        for kind in SpotKind
    ),
    Field(EVEN_MONEY, BOUNDS, "The same on red, black, odd, even, low and high.", "{ maximum = 5000 }", "as on a spot"),
)

KINDS: Final = Section(
    "kinds",
    "Limits of their own for kinds of bets, in the venue's currency. A bound that is left out is that on a spot.",
    _KINDS,
)

_OFFER: Final = (
    Field("profile", NAME, "The model, where the rulebook knows several.", '"terminal"', "the usual one"),
    Field(
        "denominations",
        _AMOUNTS,
        "What one credit may be worth, in the venue's currency. The first is chosen at the start.",
        '["0.01"]',
    ),
    Field(
        "chips",
        list_of(whole(most=CREDITS_MAX), "whole numbers"),
        "The chips on the tray, in credits.",
        "[100, 500, 1000, 2500, 10000]",
    ),
    Field("notes", _AMOUNTS, "The notes that are taken, in the venue's currency.", "[5, 10, 20, 50, 100]"),
)


def _figure(name: str, unit: str, means: str, written: str, without: str = "") -> Field:
    """A figure of a table's settings, within the bounds that the house holds it to."""
    least, most = FIGURES[name]
    return Field(name, whole(unit, least=least, most=most), means, written, without)


SEAT: Final = Section("seat", "What every seat of this table offers.", _OFFER)

TABLE: Final = Section(
    "tables",
    "A table. What is set here holds when the table is added. From then on it is changed at the pit console, with two "
    "signatures.",
    (
        Field("id", NAME, "What the table goes by.", '"A"', REQUIRED),
        Field("rulebook", RULEBOOK, "The rules it plays by.", '"skycity-adelaide-2003"', REQUIRED),
        Field(
            "seats",
            whole("seats", most=1_000),
            'How many terminals stand at this table alone. Those of table A go by "A-1", "A-2" and so on.',
            "0",
        ),
        Field(
            "wheel",
            one_of(WheelKind),
            "Where its numbers come from: sensors at the wheel, the dealer's keypad, or a random source. No driver for "
            "a sensor comes with Croupier: without one, a dealer who spins the ball enters every number, and a wheel "
            "that launches its own ball needs keypad or random.",
            '"sensor"',
        ),
        Field(
            "spin_s", whole("seconds", least=1, most=HOUR), "From a random wheel's launch until its ball rests.", "9"
        ),
        Field("confirms", YES, "Whether a dealer confirms what the wheel reports before it is settled.", "false"),
        _figure("betting_s", "seconds", "From the opening to no more bets.", "25", "a dealer closes"),
        _figure("warning_s", "seconds", "From the warning to no more bets, where the rules have a warning.", "5"),
        _figure(
            "launch_to_close_s",
            "seconds",
            "From the launch to no more bets, where the rules have a figure for that.",
            "5",
            "the rulebook's own figure",
        ),
        _figure("rest_s", "seconds", "From the launch until the ball counts as not seated.", "120"),
        _figure("pause_s", "seconds", "From a settled round to the next opening.", "6", "a dealer opens"),
        _figure("betting_least_s", "seconds", "The least time between opening and close.", "0"),
        _figure("games_per_hour_most", "games", "The most games that an hour may hold.", "60", _NO_LIMIT),
        _figure(
            "patience_s",
            "seconds",
            "How long a terminal may be dark before that is a malfunction, where the rules read it so.",
            "5",
        ),
        _figure(
            "decision_s",
            "seconds",
            "How long a launch that was seen too early waits for a decision before the round is void.",
            "60",
        ),
        _figure(
            "attest_s",
            "seconds",
            "How long an interrupted round waits for two people to attest where the ball lay; 0 voids it at once.",
            "300",
        ),
        _figure(
            "session_idle_s",
            "seconds",
            "How long a session goes on with no credits, stakes or held wins before it ends and the next money begins "
            "another.",
            "600",
        ),
        Field(
            "tax_basis",
            one_of(TaxBasis),
            "What is held against the tax threshold, where the rules have one.",
            '"net_of_winning_stakes"',
            "the rulebook's own",
        ),
        _figure("history_shown", "numbers", "How many numbers of past spins are shown.", "20"),
        *_LIMITS,
    ),
    (KINDS, SEAT),
    many=True,
    required=True,
)

TERMINAL: Final = Section(
    "terminals",
    "A terminal beyond the seats of a table: one that plays two games, or that differs from the others. Where it has "
    "limits of its own, they hold in place of the table's.",
    (
        Field("id", NAME, "What the terminal goes by.", '"T1"', REQUIRED),
        Field("tables", list_of(NAME, "tables' ids"), "The table it plays at, or two.", '["A"]', REQUIRED),
        *_OFFER,
        *_LIMITS,
    ),
    (KINDS,),
    many=True,
)

CONSOLE: Final = Section(
    "consoles",
    "A screen of the staff's. Two signatures are given on two of them.",
    (
        Field("id", NAME, "What the console goes by.", '"pit-1"', REQUIRED),
        Field("role", one_of(DeviceKind, but=DeviceKind.TERMINAL), "What it is for.", '"pit"', REQUIRED),
    ),
    many=True,
)

MEMBER: Final = Section(
    "staff",
    "A member of staff. Whoever is taken out of this file stays enrolled until they are released at the pit console.",
    (
        Field("person", NAME, "What the person signs with.", '"dealer"', REQUIRED),
        Field("titles", list_of(TEXT, "titles"), "Titles as the rulebooks in use name them.", '["Dealer"]', "none"),
        Field(
            "secret",
            SECRET,
            "What the person signs in with, in a demonstration alone: with real money the file is refused for it.",
            '"change me"',
            "none",
        ),
    ),
    many=True,
)

APPROVAL: Final = Section(
    "approvals",
    "A version of Croupier that an authority has approved, where the rules ask for it.",
    (
        Field("version", TEXT, "The version and the digest of its code.", '"0.1.0 9f86d081…"', REQUIRED),
        Field("reference", TEXT, "The authority's reference.", '"reference"', REQUIRED),
    ),
    many=True,
)

PLAYERS: Final = Section(
    "players",
    "What screens do for those who play.",
    (
        Field(
            "break_minutes",
            whole("minutes", most=24 * 60),
            "After how many minutes of play a player is reminded of a break, and again each time. 0 reminds nobody.",
            "0",
        ),
    ),
)

LIMITS: Final = Section(
    "limits",
    "How much one door, a terminal or a console, may ask for, and how many doors there may be.",
    (
        Field("commands_per_s", whole("commands", least=1), "Commands in a second, over a longer time.", "20"),
        Field("commands_burst", whole("commands", least=1), "Commands at once, after a pause.", "40"),
        Field("doors_most", whole("doors", least=1), "Connections that are open at one time.", "12000"),
    ),
)

LOG: Final = Section(
    "log",
    "The log, which is for whoever runs the machine. The record of play is the journal.",
    (
        Field("path", PATH, "The file to write to.", '"croupier.log"', "the screen"),
        Field("level", one_of(Level), "The least that is written.", '"info"'),
        Field("keep_days", whole("days", least=1), "How long a file of the log is kept.", "30"),
        Field("keep_mb", whole("megabytes", least=8), "How large all files of the log together may be.", "200"),
    ),
)

KEEP: Final = Section(
    "keep",
    "What is kept of backups. The journal itself is kept for ever: nothing here deletes one.",
    (Field("backups", whole("backups", least=1), "How many backups stand on a shelf, where nobody says.", "14"),),
)

CONFIG: Final = Section(
    "",
    "The venue.",
    (
        Field(
            "mode",
            one_of(Mode),
            "Whether the money is real. Fixed in the journal's first entry: demo and real money never mix.",
            '"demo"',
        ),
        Field("venue", NAME, "The venue's name. Fixed in the journal's first entry.", '"My venue"', REQUIRED),
        Field("timezone", ZONE, "Where its gaming days are counted. Fixed in the journal's first entry.", '"UTC"'),
        Field("day_begins", TIME, "When a gaming day begins, by the clock on the wall there.", '"06:00"'),
        Field(
            "ticket_days",
            whole("gaming days", least=1),
            "How long a slip or ticket can be redeemed. Fixed in the journal's first entry.",
            "30",
            "for ever",
        ),
        Field(
            "records_kept",
            whole("records", least=1),
            "How many closed tickets, cases and incidents stay in memory. Fixed in the journal's first entry.",
            "100",
        ),
        Field("data", PATH, "The directory of the journal.", '"data"'),
        Field(
            "safe",
            PATH,
            "The directory of the keys, and of the anchor that finds an older copy. Best on another disk.",
            '"data.safe"',
            "beside the data, with .safe after its name",
        ),
        Field(
            "witness",
            WITNESS,
            "Where signed heads of the journal are sent, off this host: appended to a file, or posted to an address.",
            '"file:///mnt/witness/heads.jsonl"',
            "nowhere",
        ),
    ),
    (LISTEN, TABLE, TERMINAL, CONSOLE, MEMBER, APPROVAL, PLAYERS, LIMITS, LOG, KEEP),
    required=True,
)
