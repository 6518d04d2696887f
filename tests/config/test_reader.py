"""Reading a configuration: what a file says is what the house is to have, exactly."""

from datetime import time
from pathlib import Path

import pytest

from croupier.config.reader import parse_config, read_config
from croupier.config.schema import (
    Approval,
    Config,
    ConnectionLimits,
    ConsoleConfig,
    Level,
    Listen,
    Log,
    Players,
    RetentionConfig,
    StaffConfig,
    TableConfig,
    TerminalConfig,
    Tls,
)
from croupier.house.ids import DeviceId, DeviceKind, PersonId, TableId, TerminalId
from croupier.house.settings import (
    LimitBounds,
    LimitSettings,
    LiveSettings,
    Mode,
    Recording,
    TableSettings,
    TerminalSettings,
    WheelKind,
)
from croupier.rules.geometry import SpotKind
from croupier.rules.money import Cents
from croupier.rules.procedure import TaxBasis
from croupier.rules.refusal import Refusal
from tests.conftest import venue

ADELAIDE = "skycity-adelaide-2003"
SMALLEST = f"""
venue = "V"
[[tables]]
id = "A"
rulebook = "{ADELAIDE}"
"""


def read(text: str, where: Path = Path("/venue/croupier.toml")) -> Config:
    """Read a text that must be sound."""
    config = parse_config(text, where=where)
    assert isinstance(config, Config), config
    return config


def test_smallest_file_has_a_default_for_everything_else() -> None:
    """A name and a table are enough: the rest is as the shape and the house have it."""
    table = TableConfig(TableId("A"), venue(ADELAIDE))
    data, key_store = Path("/venue/data"), Path("/venue/data.keys")

    assert read(SMALLEST) == Config(venue="V", data=data, key_store=key_store, tables=(table,))
    assert table.settings == TableSettings()


def test_everything_can_be_said(tmp_path: Path) -> None:
    """What is said under every key arrives under its name, with its unit."""
    for name in ("c.pem", "k.pem"):
        (tmp_path / name).touch()
    config = read(
        """
        mode = "demo"
        venue = "V"
        timezone = "Australia/Adelaide"
        day_begins = "05:30"
        ticket_days = 30
        blind_counts = false
        visitor_table = "a"
        data = "/var/croupier"
        key_store = "../keys"
        [listen]
        host = "0.0.0.0"
        port = 443
        origins = ["https://tables.example", "http://127.0.0.1:8080", "http://[::1]"]
        tls = { certificate = "c.pem", key = "k.pem" }
        [[tables]]
        id = "A"
        rulebook = "clearwater-etg"
        [[consoles]]
        id = "pit-1"
        role = "pit"
        [[staff]]
        person = "cashier"
        titles = ["Cashier"]
        password = "play money"
        [[approvals]]
        version = "0.1"
        reference = "LGC-1"
        [players]
        break_minutes = 60
        [limits]
        commands_per_s = 1
        commands_burst = 2
        connections_max = 3
        [log]
        path = "log/croupier.log"
        level = "debug"
        [keep]
        backups = 7
        """,
        tmp_path / "croupier.toml",
    )

    assert config == Config(
        mode=Mode.DEMO,
        venue="V",
        timezone="Australia/Adelaide",
        day_begins=time(5, 30),
        ticket_days=30,
        blind_counts=False,
        visitor_table="a",
        data=Path("/var/croupier"),
        key_store=tmp_path / "../keys",
        listen=Listen(
            "0.0.0.0",  # noqa: S104 - as an operator may write it
            443,
            ("https://tables.example", "http://127.0.0.1:8080", "http://[::1]"),
            Tls(tmp_path / "c.pem", tmp_path / "k.pem"),
        ),
        tables=(TableConfig(TableId("A"), venue("clearwater-etg")),),
        consoles=(ConsoleConfig(DeviceId("pit-1"), DeviceKind.PIT),),
        staff=(StaffConfig(PersonId("cashier"), ("Cashier",), "play money"),),
        approvals=(Approval("0.1", "LGC-1"),),
        players=Players(60),
        limits=ConnectionLimits(1, 2, 3),
        log=Log(tmp_path / "log/croupier.log", Level.DEBUG),
        keep=RetentionConfig(7),
    )


def test_table_has_its_settings() -> None:
    """Every setting of a table that the house knows can be said of it, and is handed on as it was said."""
    config = read(
        f"""{SMALLEST}
        wheel = "random"
        spin_s = 12
        confirms = true
        betting_s = 25
        warning_s = 6
        launch_to_close_s = 7
        rest_s = 90
        pause_s = 0
        betting_min_s = 10
        games_per_hour_max = 60
        offline_grace_s = 11
        decision_s = 13
        attest_s = 14
        session_idle_s = 16
        tax_basis = "gross"
        history_shown = 15
        minimum = "2.50"
        """
    )

    assert config.tables[0].spin_s == 12
    assert config.tables[0].settings == TableSettings(
        limits=LimitSettings(LimitBounds(Cents(250))),
        wheel=WheelKind.RANDOM,
        confirms=True,
        betting_s=25,
        warning_s=6,
        launch_to_close_s=7,
        rest_s=90,
        pause_s=0,
        betting_min_s=10,
        games_per_hour_max=60,
        offline_grace_s=11,
        decision_s=13,
        attest_s=14,
        session_idle_s=16,
        tax_basis=TaxBasis.GROSS,
        history_shown=15,
    )


def test_live_table_has_its_chips() -> None:
    """A table with a section on chips is live; what the section does not say is the default."""
    config = read(
        f"""{SMALLEST}
        confirms = true
        [tables.live]
        recording = "supervised"
        emblem = "anchor"
        colours = ["blue/star", "green"]
        denominations = ["2.50", 5]
        marker_unit = 25
        """
    )
    assert config.tables[0].settings.live == LiveSettings(
        recording=Recording.SUPERVISED,
        emblem="anchor",
        colours=("blue/star", "green"),
        denominations=(Cents(250), Cents(500)),
        marker_unit=Cents(2_500),
    )
    assert read(SMALLEST).tables[0].settings.live is None


def test_every_setting_of_the_house_has_a_key() -> None:
    """There is no setting of a table or a terminal that a file could not set."""
    table = f"{SMALLEST}\nseats = 1\n"
    keys = set(TableSettings.__struct_fields__) - {"limits", "live"}
    live = set(LiveSettings.__struct_fields__)
    seat = set(TerminalSettings.__struct_fields__) - {"limits"}
    wrong = parse_config(
        table
        + "".join(f"{key} = {{}}\n" for key in sorted(keys))
        + "".join(f"seat.{key} = {{}}\n" for key in seat)
        + "".join(f"live.{key} = {{}}\n" for key in live),
        where=Path("f"),
    )

    assert isinstance(wrong, Refusal)
    complaints = wrong.facts["complaints"]
    assert isinstance(complaints, tuple)
    assert all(each.says.startswith("expected") for each in complaints)
    assert len(complaints) == len(keys) + len(seat) + len(live)


@pytest.mark.parametrize(
    ("written", "cents"),
    [
        ("5", 500),
        ("5.0", 500),
        ("0.5", 50),
        ("2.50", 250),
        ("1_000.05", 100_005),
        ('"5"', 500),
        ('"0.50"', 50),
        ("0.29", 29),
        ("4.35", 435),
        ("999999999.99", 99_999_999_999),
    ],
)
def test_amount_is_exact(written: str, cents: int) -> None:
    """An amount is read to the cent, as text, as a whole number or as a decimal, and never as a float."""
    limits = read(f"{SMALLEST}maximum = {written}").tables[0].settings.limits

    assert limits == LimitSettings(LimitBounds(None, Cents(cents)))


def test_kinds_have_limits_of_their_own() -> None:
    """A kind keeps the spot's bound where it has none of its own, and one kind counts before all even chances."""
    limits = (
        read(
            f"""{SMALLEST}
            minimum = 5
            maximum = 100
            total_minimum = 10
            total_maximum = 1000
            kinds.red = {{ minimum = 50 }}
            kinds.straight = {{ maximum = "20" }}
            kinds.even_money = {{ minimum = 25, maximum = 500 }}
            """
        )
        .tables[0]
        .settings.limits
    )

    even = LimitBounds(Cents(2_500), Cents(50_000))
    kinds = {
        SpotKind("straight"): LimitBounds(Cents(500), Cents(2_000)),
        SpotKind("red"): LimitBounds(Cents(5_000), Cents(50_000)),
    }
    kinds |= dict.fromkeys(
        (SpotKind("black"), SpotKind("odd"), SpotKind("even"), SpotKind("low"), SpotKind("high")), even
    )
    assert limits.spot == LimitBounds(Cents(500), Cents(10_000))
    assert limits.total == LimitBounds(Cents(1_000), Cents(100_000))
    assert dict(limits.kinds) == kinds


def test_seats_are_terminals_of_their_table() -> None:
    """Seats are so many terminals, named after the table, that all offer the same; others are named one by one."""
    config = read(
        """
        venue = "V"
        [[tables]]
        id = "A"
        rulebook = "clearwater-etg"
        seats = 2
        seat = { denominations = ["0.50", 1], chips = [1, 5], notes = [] }
        [[tables]]
        id = "B"
        rulebook = "clearwater-etg"
        [[terminals]]
        id = "T"
        tables = ["A", "B"]
        maximum = 5
        [[terminals]]
        id = "U"
        tables = ["B"]
        kinds = {}
        """
    )

    seat = TerminalSettings(denominations=(Cents(50), Cents(100)), chips=(1, 5), notes=())
    own = TerminalSettings(limits=LimitSettings(LimitBounds(None, Cents(500))))
    a, b = TableId("A"), TableId("B")
    assert config.terminals == (
        TerminalConfig(TerminalId("A-1"), (a,), seat),
        TerminalConfig(TerminalId("A-2"), (a,), seat),
        TerminalConfig(TerminalId("T"), (a, b), own),
        TerminalConfig(TerminalId("U"), (b,)),
    )


def test_file_is_read_where_it_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file is read from the disk, with or without a mark at its beginning, and its paths are found beside it."""
    (tmp_path / "house").mkdir()
    (tmp_path / "house" / "croupier.toml").write_text(SMALLEST, "utf-8-sig")
    monkeypatch.chdir(tmp_path)

    config = read_config(Path("house/croupier.toml"))
    assert isinstance(config, Config)
    assert (config.data, config.key_store) == (tmp_path / "house/data", tmp_path / "house/data.keys")


def test_rulebook_may_be_a_folder_beside_the_file(tmp_path: Path) -> None:
    """A venue's own rulebook is found by a path that is relative to the file."""
    rulebooks = Path(__file__).parents[2] / "src/croupier/rulebooks"
    (tmp_path / "rules").symlink_to(rulebooks / ADELAIDE)

    config = read(SMALLEST.replace(ADELAIDE, "rules"), tmp_path / "croupier.toml")
    assert config.tables[0].rulebook == venue(ADELAIDE)


def test_password_is_not_shown() -> None:
    """A configuration that is printed, as in a log, shows no password."""
    config = read(f'{SMALLEST}[[staff]]\nperson = "dealer"\npassword = "play money"')

    assert config.staff[0].password == "play money"  # noqa: S105 - of a demonstration
    assert "play money" not in repr(config)
