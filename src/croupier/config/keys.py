"""The keys: everything that can be said in a configuration, what each takes, what it means, and its default."""

from typing import Final

from croupier.config.form import (
    AMOUNT,
    BOUNDS,
    FILE,
    NAME,
    ORIGIN,
    PATH,
    RULEBOOK,
    SECRET,
    TEXT,
    TIME,
    WITNESS,
    YES,
    ZONE,
    list_of,
    one_of,
    whole,
)
from croupier.config.section import REQUIRED, Key, Section
from croupier.config.shape import Level
from croupier.house.device import DeviceKind
from croupier.house.settings import Mode, WheelKind
from croupier.house.vetting import FIGURES, HOUR
from croupier.rules.pocket import NUMBERS
from croupier.rules.procedure import TaxBasis
from croupier.rules.spot import OUTSIDE, Kind

#: The bets on half of the numbers have one name together.
EVEN_MONEY: Final = "even_money"
EVEN_MONEY_KINDS: Final = tuple(kind for kind, numbers in OUTSIDE.values() if len(numbers) * 2 == len(NUMBERS))

_AMOUNTS: Final = list_of(AMOUNT, 'amounts such as [5, "0.50"]')
_NO_LIMIT: Final = "no limit"
#: More credits than any chip stands for.
CREDITS_MOST: Final = 10**9

TLS: Final = Section(
    "tls",
    "Give pages over TLS. Without this section they are given in plain text.",
    (
        Key("certificate", FILE, "The certificate, with its chain, in PEM.", '"certificate.pem"', REQUIRED),
        Key("key", FILE, "Its private key, in PEM.", '"key.pem"', REQUIRED),
    ),
)

LISTEN: Final = Section(
    "listen",
    "Where browsers find the house.",
    (
        Key("host", TEXT, "The address to listen on. 0.0.0.0 is every address of this machine.", '"127.0.0.1"'),
        Key("port", whole(most=65_535), "The port. 0 lets the system choose one.", "8080"),
        Key(
            "origins",
            list_of(ORIGIN, "origins such as https://tables.example"),
            "Origins besides the house's own whose pages may open a door.",
            "[]",
        ),
        Key("metrics_host", TEXT, "The address to tell the metrics at, where they have a port.", '"127.0.0.1"'),
        Key(
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
    Key("minimum", AMOUNT, "The least on a spot, in the venue's currency.", "5", _NO_LIMIT),
    Key("maximum", AMOUNT, "The most on a spot, in the venue's currency.", "500", _NO_LIMIT),
    Key("total_minimum", AMOUNT, "The least in all on one game, in the venue's currency.", "5", _NO_LIMIT),
    Key("total_maximum", AMOUNT, "The most in all on one game, in the venue's currency.", "5000", _NO_LIMIT),
)

_KINDS: Final = (
    *(Key(kind, BOUNDS, "The least and the most on such a bet.", "{ maximum = 250 }", "as on a spot") for kind in Kind),
    Key(EVEN_MONEY, BOUNDS, "The same on red, black, odd, even, low and high.", "{ maximum = 5000 }", "as on a spot"),
)

KINDS: Final = Section(
    "kinds",
    "Limits of their own for kinds of bets, in the venue's currency. A bound that is left out is that on a spot.",
    _KINDS,
)

_OFFER: Final = (
    Key("profile", NAME, "The model, where the rulebook knows several.", '"terminal"', "the usual one"),
    Key(
        "denominations",
        _AMOUNTS,
        "What one credit may be worth, in the venue's currency. The first is chosen at the start.",
        '["0.01"]',
    ),
    Key(
        "chips",
        list_of(whole(most=CREDITS_MOST), "whole numbers"),
        "The chips on the tray, in credits.",
        "[100, 500, 1000, 2500, 10000]",
    ),
    Key("notes", _AMOUNTS, "The notes that are taken, in the venue's currency.", "[5, 10, 20, 50, 100]"),
)


def _figure(name: str, unit: str, means: str, written: str, without: str = "") -> Key:
    """A figure of a table's settings, within the bounds that the house holds it to."""
    least, most = FIGURES[name]
    return Key(name, whole(unit, least=least, most=most), means, written, without)


SEAT: Final = Section("seat", "What every seat of this table offers.", _OFFER)

TABLE: Final = Section(
    "tables",
    "A table. What is set here holds when the table is added. From then on it is changed at the pit console, with two "
    "signatures.",
    (
        Key("id", NAME, "What the table goes by.", '"A"', REQUIRED),
        Key("rulebook", RULEBOOK, "The rules it plays by.", '"skycity-adelaide-2003"', REQUIRED),
        Key(
            "seats",
            whole("seats", most=1_000),
            'How many terminals stand at this table alone. Those of table A go by "A-1", "A-2" and so on.',
            "0",
        ),
        Key(
            "wheel",
            one_of(WheelKind),
            "Where its numbers come from: sensors at the wheel, the dealer's keypad, or a random source. No driver for "
            "a sensor comes with Croupier: without one, a dealer who spins the ball enters every number, and a wheel "
            "that launches its own ball needs keypad or random.",
            '"sensor"',
        ),
        Key("spin_s", whole("seconds", least=1, most=HOUR), "From a random wheel's launch until its ball rests.", "9"),
        Key("confirms", YES, "Whether a dealer confirms what the wheel reports before it is settled.", "false"),
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
        Key(
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
        Key("id", NAME, "What the terminal goes by.", '"T1"', REQUIRED),
        Key("tables", list_of(NAME, "tables' ids"), "The table it plays at, or two.", '["A"]', REQUIRED),
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
        Key("id", NAME, "What the console goes by.", '"pit-1"', REQUIRED),
        Key("role", one_of(DeviceKind, but=DeviceKind.TERMINAL), "What it is for.", '"pit"', REQUIRED),
    ),
    many=True,
)

MEMBER: Final = Section(
    "staff",
    "A member of staff. Whoever is taken out of this file stays enrolled until they are released at the pit console.",
    (
        Key("person", NAME, "What the person signs with.", '"dealer"', REQUIRED),
        Key("titles", list_of(TEXT, "titles"), "Titles as the rulebooks in use name them.", '["Dealer"]', "none"),
        Key(
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
        Key("version", TEXT, "The version and the digest of its code.", '"0.1.0 9f86d081…"', REQUIRED),
        Key("reference", TEXT, "The authority's reference.", '"reference"', REQUIRED),
    ),
    many=True,
)

PLAYERS: Final = Section(
    "players",
    "What screens do for those who play.",
    (
        Key(
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
        Key("commands_per_s", whole("commands", least=1), "Commands in a second, over a longer time.", "20"),
        Key("commands_burst", whole("commands", least=1), "Commands at once, after a pause.", "40"),
        Key("doors_most", whole("doors", least=1), "Doors that are open at one time.", "12000"),
    ),
)

LOG: Final = Section(
    "log",
    "The log, which is for whoever runs the machine. The record of play is the journal.",
    (
        Key("path", PATH, "The file to write to.", '"croupier.log"', "the screen"),
        Key("level", one_of(Level), "The least that is written.", '"info"'),
        Key("keep_days", whole("days", least=1), "How long a file of the log is kept.", "30"),
        Key("keep_mb", whole("megabytes", least=8), "How large all files of the log together may be.", "200"),
    ),
)

KEEP: Final = Section(
    "keep",
    "What is kept of backups. The journal itself is kept for ever: nothing here deletes one.",
    (Key("backups", whole("backups", least=1), "How many backups stand on a shelf, where nobody says.", "14"),),
)

CONFIG: Final = Section(
    "",
    "The venue.",
    (
        Key(
            "mode",
            one_of(Mode),
            "Whether the money is real. Fixed in the journal's first entry: demo and real money never mix.",
            '"demo"',
        ),
        Key("venue", NAME, "The venue's name. Fixed in the journal's first entry.", '"My venue"', REQUIRED),
        Key("timezone", ZONE, "Where its gaming days are counted. Fixed in the journal's first entry.", '"UTC"'),
        Key("day_begins", TIME, "When a gaming day begins, by the clock on the wall there.", '"06:00"'),
        Key(
            "ticket_days",
            whole("gaming days", least=1),
            "How long a slip or ticket can be redeemed. Fixed in the journal's first entry.",
            "30",
            "for ever",
        ),
        Key(
            "records_kept",
            whole("records", least=1),
            "How many closed tickets, cases and incidents stay in memory. Fixed in the journal's first entry.",
            "100",
        ),
        Key("data", PATH, "The directory of the journal.", '"data"'),
        Key(
            "safe",
            PATH,
            "The directory of the keys, and of the anchor that finds an older copy. Best on another disk.",
            '"data.safe"',
            "beside the data, with .safe after its name",
        ),
        Key(
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
