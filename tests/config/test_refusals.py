"""A configuration that cannot be used is refused: by file, key and reason, and with all of it at once."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from croupier.config.reader import parse_config, read_config
from croupier.config.schema import Config
from croupier.rulebooks.schema import Problem
from croupier.rules.geometry import COMMON_KINDS
from croupier.rules.refusal import Code, Refusal
from tests.config.test_reader import ADELAIDE, SMALLEST

FILE = Path("/venue/croupier.toml")


def refused(text: str, where: Path = FILE) -> Refusal:
    refusal = parse_config(text, where=where)
    assert isinstance(refusal, Refusal)
    return refusal


def complaints(refusal: Refusal) -> list[tuple[str, str]]:
    """Everything that a refusal complains of, by key."""
    found = refusal.facts["complaints"]
    assert isinstance(found, tuple)
    assert all(isinstance(each, Problem) and each.file == refusal.facts["file"] for each in found)
    return [(each.key, each.says) for each in found]


def wrong(text: str, where: Path = FILE) -> list[tuple[str, str]]:
    return complaints(refused(text, where))


TABLE = f'[[tables]]\nid = "A"\nrulebook = "{ADELAIDE}"\n'
CLEARWATER = '[[tables]]\nid = "{}"\nrulebook = "clearwater-etg"\n'
US = '[[tables]]\nid = "U"\nrulebook = "us-double-zero"\n'
REAL = 'mode = "real"\n'
LIVE = 'confirms = true\n[tables.live]\nemblem = "star"\n'
SEATS = SMALLEST + "seats = 3\n"
CONSOLE = SMALLEST + '[[consoles]]\nid = "{}"\nrole = "{}"'


@pytest.mark.parametrize(
    ("text", "key", "says"),
    [
        # At the top.
        (TABLE, "venue", "required: a name of at most 40 characters"),
        ('venue = "V"', "tables", "required: at least one section [[tables]]"),
        ('venue = "V"\ntables = []', "tables", "required: at least one section [[tables]]"),
        ('venu = "V"\n' + SMALLEST, "venu", "unknown key; did you mean venue?"),
        ("qqq = 1\n" + SMALLEST, "qqq", "unknown key"),
        ('"a\\nb" = 1\n' + SMALLEST, "'a\\nb'", "unknown key"),
        ('mode = "reel"\n' + SMALLEST, "mode", "expected one of real, demo, found 'reel'; did you mean real?"),
        ("mode = true\n" + SMALLEST, "mode", "expected one of real, demo, found true"),
        ('venue = " "\n' + TABLE, "venue", "must not be empty"),
        ('venue = "V "\n' + TABLE, "venue", "expected a name of at most 40 characters, found 'V '"),
        ("venue = 5\n" + TABLE, "venue", "expected text, found 5"),
        (
            'timezone = "Australia/Adelade"\n' + SMALLEST,
            "timezone",
            "'Australia/Adelade' is not a timezone that this machine has; did you mean Australia/Adelaide?",
        ),
        (
            'timezone = "Europe"\n' + SMALLEST,
            "timezone",
            None,
        ),
        ("timezone = 10.0\n" + SMALLEST, "timezone", "expected text, found 10.0"),
        ('day_begins = "6"\n' + SMALLEST, "day_begins", 'expected a time of day such as "06:00", found \'6\''),
        ('day_begins = "24:00"\n' + SMALLEST, "day_begins", 'expected a time of day such as "06:00", found \'24:00\''),
        ("day_begins = 06:00:00\n" + SMALLEST, "day_begins", 'expected a time of day such as "06:00", found 06:00:00'),
        ("ticket_days = 0\n" + SMALLEST, "ticket_days", "expected a whole number of gaming days, 1 to 999999, found 0"),
        (
            "ticket_days = 1_000_000\n" + SMALLEST,
            "ticket_days",
            "expected a whole number of gaming days, 1 to 999999, found 1000000",
        ),
        ('data = "a\\u0000b"\n' + SMALLEST, "data", "must have no control characters, on one line"),
        ('data = "a\\u00a0b"\n' + SMALLEST, "data", "expected a path, found 'a\\xa0b'"),
        ('data = "s/data"\nkey_store = "s"\n' + SMALLEST, "key_store", None),
        ('key_store = "data/safe"\n' + SMALLEST, "key_store", None),
        ('key_store = "../venue/data"\n' + SMALLEST, "key_store", None),
        # Where browsers find the house.
        ("listen = 5\n" + SMALLEST, "listen", "expected a table, found 5"),
        ("listen.port = 65_536\n" + SMALLEST, "listen.port", "expected a whole number, 0 to 65535, found 65536"),
        ("listen.port = true\n" + SMALLEST, "listen.port", "expected a whole number, 0 to 65535, found true"),
        ('listen.origins = "https://a"\n' + SMALLEST, "listen.origins", None),
        (
            'listen.origins = ["https://a/"]\n' + SMALLEST,
            "listen.origins",
            "expected an origin such as https://tables.example, found 'https://a/'",
        ),
        # Tables.
        ('tables = 5\nvenue = "V"', "tables", "expected sections [[tables]], found 5"),
        ('tables = [5]\nvenue = "V"', "tables[#1]", "expected a table, found 5"),
        ('venue = "V"\n[[tables]]\nid = "A"', "tables[A].rulebook", None),
        (SMALLEST.replace('id = "A"', ""), "tables[#1].id", "required: a name of at most 40 characters"),
        (
            'venue = "V"\n[[tables]]\nid = "A"\nrulebook = "skycity"',
            "tables[A].rulebook",
            "there is no rulebook and no directory 'skycity'",
        ),
        (
            'venue = "V"\n[[tables]]\nid = "A"\nrulebook = "skycity-adelaide"',
            "tables[A].rulebook",
            "there is no rulebook and no directory 'skycity-adelaide'; did you mean skycity-adelaide-2003?",
        ),
        (SMALLEST + TABLE, "tables[A]", "Something here goes by the name A already."),
        (SMALLEST.replace('"A"', '"system"'), "tables[system]", "Something here goes by the name system already."),
        (SMALLEST + "betting = 5", "tables[A].betting", "unknown key; did you mean betting_s?"),
        (
            SMALLEST + "betting_s = 0",
            "tables[A].betting_s",
            "expected a whole number of seconds, 1 to 3600, found 0",
        ),
        (SMALLEST + "betting_s = 2.5", "tables[A].betting_s", None),
        (SMALLEST + 'confirms = "yes"', "tables[A].confirms", "expected true or false, found 'yes'"),
        (SMALLEST + "minimum = 5.005", "tables[A].minimum", 'expected an amount such as 5 or "0.50", found 5.005'),
        (SMALLEST + "minimum = 1e3", "tables[A].minimum", 'expected an amount such as 5 or "0.50", found 1E+3'),
        (SMALLEST + "minimum = inf", "tables[A].minimum", 'expected an amount such as 5 or "0.50", found Infinity'),
        (SMALLEST + "minimum = -5", "tables[A].minimum", 'expected an amount such as 5 or "0.50", found -5'),
        (SMALLEST + "minimum = true", "tables[A].minimum", 'expected an amount such as 5 or "0.50", found true'),
        (SMALLEST + "minimum = []", "tables[A].minimum", 'expected an amount such as 5 or "0.50", found a list'),
        (
            SMALLEST + "minimum = 5\nmaximum = 4",
            "tables[A].maximum",
            "The limits on spot are 500 to 400 cents: no stake is within them. [7(c)i]",
        ),
        (
            SMALLEST + "maximum = 1_000_000_001",
            "tables[A].maximum",
            "The limits on spot go beyond 1000000000, the largest amount. [7(c)i]",
        ),
        (
            SMALLEST + "total_minimum = 1_000_000_001",
            "tables[A].total_minimum",
            "The limits on total go beyond 1000000000, the largest amount. [7(c)i]",
        ),
        (
            SMALLEST + "kinds.red = { minimum = 2, maximum = 1 }",
            "tables[A].kinds",
            "The limits on red are 200 to 100 cents: no stake is within them. [7(c)i]",
        ),
        (SMALLEST + "kinds.red = {}", "tables[A].kinds.red", None),
        (SMALLEST + "kinds.red = { least = 5 }", "tables[A].kinds.red", None),
        (SMALLEST + 'kinds.red = { minimum = "x" }', "tables[A].kinds.red", None),
        (SMALLEST + "kinds.rouge = 5", "tables[A].kinds.rouge", None),
        (
            SMALLEST + "kinds.rouge = { minimum = 5 }",
            "tables[A].kinds",
            f"There is no kind of bet 'rouge' here; there is {', '.join(COMMON_KINDS)}. [7(c)i]",
        ),
        (SMALLEST + "confirms = true\n[tables.live]", "tables[A].live.emblem", "required: text"),
        (
            SMALLEST + '[tables.live]\nemblem = "star"',
            "tables[A].confirms",
            "confirms is false, and at a live table the dealer confirms each number: set it to true. [11(c)]",
        ),
        (
            SMALLEST + 'wheel = "random"\n' + LIVE,
            "tables[A].wheel",
            'wheel is "random", and at a live table a dealer spins the ball: choose "sensor" or "keypad". [11(c)]',
        ),
        (
            SMALLEST + LIVE + "colours = []",
            "tables[A].live.colours",
            "The list is empty: a set of chips has at least one colour. [6(c)]",
        ),
        (
            SMALLEST + LIVE + 'colours = ["blue", "red", "blue"]',
            "tables[A].live.colours",
            "blue is listed twice: a set of chips has each colour once. [6(c)]",
        ),
        (
            SMALLEST + LIVE + 'colours = ["blue"]\nvalue_colours = ["blue"]',
            "tables[A].live.colours",
            "blue is the colour of a value chip: a player's chips must differ from it. [6(c)]",
        ),
        (
            SMALLEST + LIVE + 'marker_buttons = ["99"]',
            "tables[A].live.marker_buttons",
            "The button 99 is wrong: 99 has no marker button here. [5.2(a)]",
        ),
        (
            SMALLEST + LIVE + "denominations = []",
            "tables[A].live.denominations",
            "The list is empty: a float has value chips of at least one value. [9(e)]",
        ),
        (
            SMALLEST + LIVE + "denominations = [5, 0]",
            "tables[A].live.denominations",
            "A value chip of 0 cannot be: it has a value of 0.01 to 1000000000. [9(e)]",
        ),
        (
            SMALLEST + LIVE + "circulating = [7, 7]",
            "tables[A].live.circulating",
            "7 is listed twice: each value is there once. [9(e)]",
        ),
        (
            SMALLEST + LIVE + "pieces = 0",
            "tables[A].live.pieces",
            "expected a whole number of chips, 1 to 100000, found 0",
        ),
        (SMALLEST + LIVE + "bogus = 3", "tables[A].live.bogus", "unknown key"),
        (
            SMALLEST + LIVE + TABLE.replace('"A"', '"B"') + LIVE,
            "tables[B].live.emblem",
            "The set with the emblem star is in use at table A. [6(c)]",
        ),
        (
            SMALLEST + 'wheel = "random"\nspin_s = 120',
            "tables[A].spin_s",
            "must be less than rest_s, 120: from then on the ball counts as not seated",
        ),
        (SMALLEST + "float_pieces = 5", "tables[A].float_pieces", "is for a live table with demo money only"),
        # Seats and terminals.
        (SEATS + "seat.chips = [0]", "tables[A].seats", None),
        (SEATS + 'seat.profile = "x"', "tables[A].seats", None),
        (SEATS + 'seat.profile = "table"', "tables[A].seats", "Live Game Table is not a terminal. [6(a)]"),
        (SEATS + "seat.denominations = []", "tables[A].seats", "A credit must be worth something. [7(c)i]"),
        (
            SEATS + "seat.notes = [1_000_000_001]",
            "tables[A].seats",
            "No denomination, chip or note may be above 100000000000 cents or credits. [7(c)i]",
        ),
        (
            SMALLEST + '[[terminals]]\nid = "T"\ntables = ["A"]\nmaximum = 1_000_000_001',
            "terminals[T].maximum",
            "The limits on spot go beyond 1000000000, the largest amount. [7(c)i]",
        ),
        (
            SMALLEST + '[[terminals]]\nid = "T"',
            "terminals[T].tables",
            "required: a list of names of at most 40 characters",
        ),
        (SMALLEST + '[[terminals]]\nid = "T"\ntables = []', "terminals[T].tables", "at least one table is required"),
        (SMALLEST + '[[terminals]]\nid = "T"\ntables = ["C"]', "terminals[T].tables", "there is no table C"),
        (SMALLEST + '[[terminals]]\nid = "T"\ntables = ["A", "A"]', "terminals[T]", None),
        (
            SMALLEST + 'seats = 1\n[[terminals]]\nid = "A-1"\ntables = ["A"]',
            "terminals[A-1]",
            "Something here goes by the name A-1 already.",
        ),
        (
            SMALLEST + CLEARWATER.format("B") + '[[terminals]]\nid = "T"\ntables = ["B", "A"]',
            "terminals[T]",
            "All games of a terminal are played by one rulebook. [12]",
        ),
        # Consoles, people and approvals.
        (CONSOLE.format("A", "pit"), "consoles[A]", "Something here goes by the name A already."),
        (CONSOLE.format("P", "pitt"), "consoles[P].role", None),
        (CONSOLE.format("P", "terminal"), "consoles[P].role", None),
        (
            SMALLEST + '[[staff]]\nperson = "p"\ntitles = ["Deeler"]',
            "staff[p].titles",
            "no rulebook in use defines the title Deeler; did you mean Dealer?",
        ),
        (SMALLEST + '[[staff]]\nperson = "p"\n[[staff]]\nperson = "p"', "staff[p]", "appears 2 times"),
        (SMALLEST + '[[staff]]\nperson = "p"\npassword = 1234', "staff[p].password", "expected text that is not empty"),
        (SMALLEST + '[[staff]]\nperson = "p"\npassword = ""', "staff[p].password", "expected text that is not empty"),
        (
            SMALLEST + 2 * '[[approvals]]\nversion = "1"\nreference = "r"\n',
            "approvals[1]",
            "appears 2 times",
        ),
        (
            'journal = "mysql://db/croupier"\n' + SMALLEST,
            "journal",
            "expected an address such as postgresql://house@db.example/croupier, found 'mysql://db/croupier'",
        ),
        (
            'journal = "postgresql://house:secret@db/croupier"\n' + SMALLEST,
            "journal",
            "must have no password: use a password file (PGPASSFILE), a certificate or peer sign-in",
        ),
        (
            'journal = "postgresql://house@db/croupier?password=secret"\n' + SMALLEST,
            "journal",
            "must have no password: use a password file (PGPASSFILE), a certificate or peer sign-in",
        ),
        # Real money.
        (
            REAL + SMALLEST + '[[staff]]\nperson = "p"\npassword = "play money"',
            "staff[p].password",
            "a password is allowed in demo mode only: with real money each person chooses their own",
        ),
        (
            REAL + 'venue = "V"\n' + US + "seats = 2",
            "tables[U].seats",
            "US double-zero table is played with chips: terminals are for demonstration alone. [Placement 1]",
        ),
        (
            REAL + SMALLEST + US,
            "tables[U].rulebook",
            "This house counts in AUD, and US double-zero table in USD.",
        ),
        (
            REAL + SMALLEST + US + '[[staff]]\nperson = "p"\ntitles = ["Supervisor"]',
            "tables[U].rulebook",
            "This house counts in AUD, and US double-zero table in USD.",
        ),
    ],
)  # fmt: skip
def test_one_thing_that_is_wrong_is_complained_of_once(text: str, key: str, says: str | None) -> None:
    """What is wrong is told by its key and with the reason, and nothing follows from it that is not wrong itself."""
    ((found, words),) = wrong(text)

    assert found == key
    assert says is None or words == says


@pytest.mark.parametrize(
    ("key", "unit", "minimum", "maximum"),
    [
        ("betting_s", "seconds", 1, 3600),
        ("warning_s", "seconds", 0, 3600),
        ("launch_to_close_s", "seconds", 1, 3600),
        ("rest_s", "seconds", 0, 3600),
        ("pause_s", "seconds", 0, 3600),
        ("betting_min_s", "seconds", 0, 3600),
        ("spin_s", "seconds", 1, 3600),
        ("float_pieces", "chips", 0, 10_000),
        ("games_per_hour_max", "games", 1, 3600),
        ("offline_grace_s", "seconds", 0, 86400),
        ("decision_s", "seconds", 0, 86400),
        ("attest_s", "seconds", 0, 86400),
        ("history_shown", "numbers", 1, 100),
        ("seats", "seats", 0, 1000),
    ],
)
def test_number_of_a_table_is_within_its_bounds(key: str, unit: str, minimum: int, maximum: int) -> None:
    """Each number of a table is refused one below and one above its bounds, with the bounds."""
    for number in (minimum - 1, maximum + 1):
        words = f"expected a whole number of {unit}, {minimum} to {maximum}, found {number}"
        assert wrong(f"{SMALLEST}{key} = {number}") == [(f"tables[A].{key}", words)]


def test_default_credentials_have_a_code_of_their_own() -> None:
    """A password in a file for real money is refused under the code for that, whatever else is wrong."""
    text = f'{REAL}{SMALLEST}betting_s = 0\n[[staff]]\nperson = "p"\npassword = "play money"'

    assert refused(text).code is Code.DEFAULT_CREDENTIALS
    assert refused(text.replace(REAL, "")).code is Code.SETTING_IMPOSSIBLE


def test_a_mistyped_password_is_not_shown() -> None:
    """A password that is not text is reported without being shown."""
    assert "1234" not in str(refused(f'{SMALLEST}[[staff]]\nperson = "p"\npassword = 1234'))


def test_everything_that_is_wrong_is_reported_at_once() -> None:
    """One reading finds what is wrong in every part of a file, whatever is wrong in the others."""
    text = """
        venu = "V"
        timezone = "Mars"
        [listen]
        port = "http"
        [[tables]]
        id = "A"
        rulebook = "nowhere"
        betting_s = "long"
        seats = 2
        [[tables]]
        id = "B"
        rulebook = "clearwater-etg"
        betting_s = 0
        history_shown = 0
        [[tables]]
        rulebook = 5
        [[terminals]]
        id = "B"
        tables = ["A", "C"]
        [[staff]]
        person = "p"
        titles = ["May be known to A's rulebook"]
        [players]
        break_minutes = 1441
        [keep]
        backups = 0
        """

    assert {key for key, _ in wrong(text)} == {
        "venu",
        "venue",
        "timezone",
        "listen.port",
        "tables[A].rulebook",
        "tables[A].betting_s",
        "tables[B].betting_s",
        "tables[B].history_shown",
        "tables[#3].id",
        "tables[#3].rulebook",
        "terminals[B]",
        "terminals[B].tables",
        "players.break_minutes",
        "keep.backups",
    }


def test_files_of_tls_must_be_there(tmp_path: Path) -> None:
    """A certificate that is not there is complained of when the file is read, and not when a browser comes."""
    (tmp_path / "key.pem").touch()
    text = f'[listen.tls]\ncertificate = "certificate.pem"\nkey = "key.pem"\n{SMALLEST}'.replace('venue = "V"', "")

    assert wrong(f'venue = "V"\n{text}', tmp_path / "f") == [
        ("listen.tls.certificate", f"{tmp_path}/certificate.pem cannot be read: No such file or directory")
    ]


@pytest.mark.parametrize(
    ("data", "why"),
    [
        ("circle", "Too many levels of symbolic links"),
        ("a" * 300, "File name too long"),
        ("file/data", "Not a directory"),
    ],
)
def test_path_that_leads_nowhere_is_complained_of(tmp_path: Path, data: str, why: str) -> None:
    """Links that lead in a circle, names that no disk takes and files are no place for a journal."""
    (tmp_path / "circle").symlink_to("circle")
    (tmp_path / "file").touch()

    complaint = ("data", f"{tmp_path}/{data} cannot be used: {why}")
    assert wrong(f'data = "{data}"\n{SMALLEST}', tmp_path / "f") == [complaint]


def test_path_may_be_there_already(tmp_path: Path) -> None:
    """A data directory that is there is used."""
    (tmp_path / "there").mkdir()

    assert isinstance(parse_config(f'data = "there"\n{SMALLEST}', where=tmp_path / "f"), Config)


def test_rulebook_that_is_not_consistent_is_complained_of_in_full(tmp_path: Path) -> None:
    """A rulebook of one's own that does not hold together is refused with all that is wrong with it."""
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / "rulebook.toml").write_text("nonsense")

    ((key, says),) = wrong(SMALLEST.replace(ADELAIDE, "rules"), tmp_path / "croupier.toml")
    assert key == "tables[A].rulebook"
    assert says.startswith("is not consistent: rulebook.toml: is not TOML")
    assert "; clauses.toml: cannot be read" in says


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"venue = ", "is not TOML: Invalid value (at end of document)"),
        (b"venue = '\xff'", "is not UTF-8 text: byte 9"),
        (b"a = 1e9999999999999999999", "has a number that is out of range"),
        (b"a = " + b"9" * 5_000, None),
        (b"a = " + b"[" * 5_000, None),
        (None, "cannot be read: No such file or directory"),
    ],
)
def test_file_that_cannot_be_read_is_refused(tmp_path: Path, content: bytes | None, says: str | None) -> None:
    """What is not there, not text or not TOML is refused as malformed."""
    path = tmp_path / "croupier.toml"
    if content is not None:
        path.write_bytes(content)

    refusal = read_config(path)
    assert isinstance(refusal, Refusal)
    ((key, words),) = complaints(refusal)
    assert (refusal.code, key) == (Code.MALFORMED, "")
    assert says is None or words == says


def test_refusal_is_for_programs_too() -> None:
    """A refusal can be written as JSON, with every complaint by file, key and reason."""
    written = json.loads(json.dumps(asdict(refused("x = 1"))))

    assert written["message"] == "The configuration in /venue/croupier.toml cannot be used: 3 problems."
    assert written["facts"]["complaints"][0] == {"file": str(FILE), "key": "x", "says": "unknown key"}


_WORDS = st.sampled_from(["5", "-1", "2.5", '"A"', "[]", "{}", "true", "1979-05-27", '["A"]', '"x\\u0000"', "nan"])
_KEYS = st.sampled_from(
    [
        "mode",
        "venue",
        "data",
        "key_store",
        "listen",
        "listen.tls",
        "tables",
        "terminals",
        "staff",
        "keep",
        "log.path",
        "zz",
    ]
)


@pytest.mark.property
@given(st.dictionaries(_KEYS, _WORDS, max_size=6))
def test_nonsense_is_refused_and_never_raises(values: dict[str, str]) -> None:
    """Whatever stands under the keys, a file is read or refused, and nothing is raised."""
    text = "\n".join(f"{key} = {word}" for key, word in values.items())

    assert isinstance(parse_config(text, where=FILE), Config | Refusal)
