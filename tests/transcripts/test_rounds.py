"""Rounds: every shipped .round file holds, and the runner sees what does not and points at what it does not know."""

import re
from pathlib import Path

import pytest
from msgspec.structs import astuple

from croupier.house.settings import Mode, TableSettings, WheelKind
from croupier.rules.geometry import SpotKind
from croupier.rules.refusal import ClauseId, Refusal
from croupier.rules.rulebook import Rulebook
from croupier.transcripts.actions import ACTIONS
from croupier.transcripts.driver import SHOWN
from croupier.transcripts.format import EXPECTATIONS, OUTCOMES, Setting, read_transcript
from croupier.transcripts.live_actions import LIVE_ROWS
from croupier.transcripts.runner import Mismatch, TranscriptResult, cites, run_round
from croupier.transcripts.settings import SeatSetting, VenueSetting, set_seat, set_table, set_venue
from tests.conftest import venue

ROOT = Path(__file__).parents[2]
SHIPPED = ROOT / "src" / "croupier" / "rulebooks"
FILES = sorted(SHIPPED.glob("*/rounds/*.round"))
PAGE = (ROOT / "docs" / "notation.md").read_text("utf-8").partition("\n## Rounds\n")[2]


def headed_by(path: Path) -> tuple[ClauseId, ...]:
    """List the clauses that a shipped round is about: its first comment begins with them, before a colon."""
    transcript = read_transcript(path.read_text("utf-8"))
    head, colon, _ = next(line.comment for line in transcript.lines if line.comment is not None).partition(":")
    return tuple(ClauseId(clause) for clause in head.split(", ")) if colon else ()


def _marked(path: Path) -> object:
    """One shipped round as a case, marked with the clauses that its first comment names."""
    rulebook = path.parent.parent.name
    clauses = headed_by(path)
    marks = [pytest.mark.clause(rulebook, clause) for clause in clauses]
    return pytest.param(path, marks=marks, id=f"{rulebook}/{path.stem}")


def _played(text: str) -> TranscriptResult:
    played = run_round(text)
    assert isinstance(played, TranscriptResult), played
    return played


@pytest.mark.parametrize("path", [_marked(path) for path in FILES])
def test_example_round_holds(path: Path) -> None:
    """A shipped round, played against the house, goes as it says."""
    assert _played(path.read_text("utf-8")).differences == ()


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.parent.name}/{path.stem}")
def test_example_round_names_its_clauses(path: Path) -> None:
    """A shipped round begins with one to three clauses of its own rulebook."""
    known = {clause.clause for clause in venue(path.parent.parent.name).clauses}
    clauses = headed_by(path)

    assert 1 <= len(clauses) <= 3
    assert set(clauses) <= known


def test_every_irregularity_has_a_round(rulebook: Rulebook) -> None:
    """For every irregularity of a rulebook there is a round that cites its clause."""
    files = (SHIPPED / rulebook.id / "rounds").glob("*.round")
    cited = {clause for file in files for clause in cites(read_transcript(file.read_text("utf-8")), rulebook)}

    assert {irregularity.clause for irregularity in rulebook.irregularities} <= cited


def test_round_in_the_page_holds() -> None:
    """The round that the page on the notation shows goes as it says."""
    example = PAGE.split("```")[1].lstrip("\n")

    assert _played(example).differences == ()


def test_page_lists_every_form() -> None:
    """The page on the notation lists every action, every expectation and every outcome, and no others."""
    reported = set(re.findall(r"`([^`\n]+)`", PAGE))
    actions = {row.form for row in ACTIONS}
    outcomes = {f"{word} {' '.join(forms)}".replace("|", "\\|") for word, forms in OUTCOMES.items()}
    listed = set(re.findall(r"^\| `([a-z-]+(?: [a-z]+)? [A-Z\[n][^`]*)` \|", PAGE, flags=re.MULTILINE))

    assert actions | outcomes | set(EXPECTATIONS) <= reported
    assert listed == outcomes | set(EXPECTATIONS)


BASE = """\
rulebook  skycity-adelaide-2003  # 7(h)iii: nothing after no more bets
# a remark
table     minimum 5  warning 0
seat 1    credit 100

09:15:00  dealer   opens bets
09:15:07  seat 1   10 on 17  # in time
09:15:20  dealer   no more bets
09:15:21  seat 1   10 on 18  refused bets_closed 7(h)iii  # late
09:15:24  dealer   spins
09:15:41  wheel    17

pays      seat 1   350  credit 440  # the stake stays
layout    seat 1   10 on 17
house     -350
"""

#: A change to the round above, and what is then said of it.
DIFFERENCES = [
    ("refused bets_closed 7(h)iii", "refused bets_closed 7(g)", 9, "refused bets_closed 7(h)iii"),
    ("10 on 17  # in time", "10 on 17  void 5.1", 7, ""),
    ("10 on 18  refused bets_closed 7(h)iii", "10 on 18", 9, "refused bets_closed 7(h)iii"),
    ("10 on 17  # in time", "1 on 17; 9 on 17", 0, ""),
    ("350  credit 440", "360  credit 440", 13, "pays  seat 1  350  credit 440"),
    ("350  credit 440", "350  credit 450", 13, "pays  seat 1  350  credit 440"),
    ("10 on 17\nhouse", "empty\nhouse", 14, "layout  seat 1  10 on 17"),
    ("10 on 17\nhouse", "4 on 17; 6 on 17\nhouse", 0, ""),
    ("-350", "350", 15, "house  -350"),
]


@pytest.mark.parametrize(("old", "new", "line", "found"), DIFFERENCES)
def test_wrong_expectation_is_shown_where_it_stands(old: str, new: str, line: int, found: str) -> None:
    """A line that does not go as it says is shown with what it expects and what was found; all others hold."""
    assert old in BASE
    text = BASE.replace(old, new)
    differences = _played(text).differences

    assert [each.line for each in differences] == ([line] if line else [])
    assert [each.found for each in differences] == ([(found,) if found else ()] if line else [])
    assert [each.says for each in differences] == ([text.splitlines()[line - 1]] if line else [])


def test_order_of_what_follows_counts() -> None:
    """What follows from a line is listed in the order in which it happens."""
    start = "rulebook  marina-bay-sands-2020\n09:00:00  dealer  opens bets\n09:00:10  dealer  no more bets\n"
    right = f"{start}09:00:12  wheel  launches the ball with the wheel  void 5.1  incident wheel-trouble 5.1\n"
    wrong = f"{start}09:00:12  wheel  launches the ball with the wheel  incident wheel-trouble 5.1  void 5.1\n"

    assert _played(right).holds
    assert _played(wrong).differences == (
        Mismatch(
            4,
            "09:00:12  wheel  launches the ball with the wheel  incident wheel-trouble 5.1  void 5.1",
            ("incident wheel-trouble 5.1", "void 5.1"),
            ("void 5.1", "incident wheel-trouble 5.1"),
        ),
    )


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_mended_round_holds_and_keeps_all_else(ending: str) -> None:
    """Mending a round changes the lines that differ and no others, comments and line ends included."""
    text = BASE.replace("350  credit 440", "1  credit 2").replace("7(h)iii  # late", "7(g)  # late")
    text = text.replace("09:15:24  dealer   spins", "09:15:24\tdealer\tspins").replace("\n", ending)
    wanted = BASE.replace("09:15:24  dealer   spins", "09:15:24\tdealer\tspins").replace("\n", ending)

    assert _played(text).mended == wanted
    assert _played(wanted).mended == wanted
    assert _played(wanted).holds


@pytest.mark.untraced
@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.parent.name}/{path.stem}")
def test_example_stripped_bare_is_mended(path: Path) -> None:
    """A round without its expectations differs where they were, and once mended it holds."""
    text = path.read_text("utf-8")
    expected = "|".join(form.partition(" ")[0] for form in EXPECTATIONS)
    bare = re.sub(rf"^(\d\d:\S+  .*?)(?:  (?:{expected}) [^#\n]*?)+(?=  #|$)", r"\1", text, flags=re.MULTILINE)
    mended = _played(bare).mended

    assert _played(mended).holds
    assert [line.comment for line in read_transcript(mended).lines] == [
        line.comment for line in read_transcript(text).lines
    ]


#: What is not known, the first wrong words, and what is said of them.
UNKNOWN = [
    ("venue  colour blue", "colour", "expected one of the settings day, mode, ticket days, found 'colour blue'"),
    ("venue  mode maybe", "mode", "expected one of real, demo after 'mode', found 'mode maybe'"),
    ("venue  day 2026-02-31", "day", "expected a day such as 2020-03-17 after 'day'"),
    ("table  colour 5", "colour", "expected one of the settings betting, warning"),
    ("table  betting soon", "betting", "expected a whole number after 'betting'"),
    ("table  minimum lots", "minimum", "expected an amount after 'minimum'"),
    ("table  confirms perhaps", "confirms", "expected 'yes' or 'no' after 'confirms'"),
    ("table  wheel oval", "wheel", "expected one of sensor, keypad, random after 'wheel'"),
    ("table  minimum 5  minimum 6", "minimum 6", "expected each setting once"),
    ("table 3", "table 3", "expected 'table 2' next"),
    ("seat 1  colour 5", "colour", "expected one of the settings credit, chips, tables, denomination"),
    ("seat 1  tables 2", "tables", "expected no more tables than stand above, 1"),
    ("venue  mode real\nseat 1  credit 5", "credit", "expected no play money where the money is real"),
    (
        "seat 1\n09:00:00  fool  waits",
        "fool",
        "expected an actor: a seat or a player with its number, 'wheel', 'system' or one of",
    ),
    ("seat 1\n09:00:00  seat  undo", "seat  undo", "expected an actor"),
    ("seat 1\n09:00:00  wheel at table 2  17", "wheel", "expected an actor"),
    ("seat 1\n09:00:00  system 2  waits", "system", "expected an actor"),
    ("seat 1\n09:00:00  seat 2  undo", "seat 2", "expected a seat that has a heading: seat 1"),
    ("table\n09:00:00  seat 2  undo", "seat 2", "expected a seat that has a heading: there is none"),
    ("seat 1\n09:00:00  seat 1 at table 2  undo", "seat 1 at", "expected a table that the seat plays at"),
    ("seat 1\n09:00:00  dealer at table 2  spins", "dealer", "expected a table that has a heading: table 1"),
    ("seat 1\n09:00:00  wheel 2  17", "wheel 2", "expected a table that has a heading: table 1"),
    ("seat 1\n09:00:00  seat 1  dances", "dances", "expected an action such as"),
    ("seat 1\n09:00:00  seat 1  removes voisins", "removes", "expected a spot, found 'removes voisins'"),
    ("seat 1\n09:00:00  seat 1  removes 1/1", "removes", "expected a spot, found 'removes 1/1'"),
    ("seat 1\n09:00:00  wheel  stops", "stops", "expected an action such as"),
    ("seat 1\n09:00:00  wheel  trouble with words", "trouble", "expected an action such as 'trouble REASON'"),
    ("seat 1\n09:00:00  system  sleeps", "sleeps", "expected an action such as"),
    ("seat 1\n09:00:00  dealer  opens bet", "opens bet", "expected an action such as 'opens bets'"),
    ("seat 1\n09:00:00  dealer  acts as king from 10:00:00 to 11:00:00", "acts", "expected a title of this venue"),
    ("seat 1\n09:00:00  dealer  disputes round 1 under 99(z) words", "disputes", "expected a clause of this rulebook"),
    ("seat 1\n09:00:00  dealer  limits colour 5", "limits", "expected one of the settings betting"),
    ("seat 1\n09:00:00  dealer  malfunction seat 1 sulks", "malfunction", "expected an action such as"),
    (
        "seat 1\n09:00:01  system  waits\n09:00:00  system  waits",
        "09:00:00",
        "expected a time that is not before the last",
    ),
    ("seat 1\nshows  seat 1  mood good  # so", "mood", "expected one of says, seconds"),
    ("seat 1\nmeters  seat 1  miles 5", "miles", "expected one of turnover, returned"),
    ("seat 1\nhold  1  miles 5", "miles", "expected one of net_of_winning_stakes"),
    ("seat 1\ncredit  seat 2  5", "seat 2", "expected a seat that has a heading: seat 1"),
    ("seat 1\nhistory  table 2  none", "table 2", "expected a table that has a heading: table 1"),
]


@pytest.mark.parametrize(("lines", "at", "says"), UNKNOWN)
def test_what_is_not_known_is_pointed_at(lines: str, at: str, says: str) -> None:
    """Nothing unknown is passed over: a setting, an actor, an action or a screen part is malformed."""
    text = f"rulebook  skycity-adelaide-2003\n{lines}\n"
    refusal = run_round(text)

    assert isinstance(refusal, Refusal)
    assert refusal.code.value == "malformed"
    assert refusal.message.lower().startswith(says.lower())
    assert refusal.facts["at"] == text.rindex(at)


def test_round_of_an_unknown_rulebook_is_refused() -> None:
    """A round that names no known rulebook is refused."""
    refusal = run_round("rulebook  none-such\n")

    assert isinstance(refusal, Refusal)
    assert refusal.code.value == "unknown_rulebook"


@pytest.mark.parametrize(
    ("lines", "code"),
    [
        ("table  minimum 10  maximum 5", "setting_impossible"),
        ("table  oval minimum 5", "setting_impossible"),
        ("seat 1  profile none-such", "unknown_profile"),
        ("seat 1  credit 5\nvenue  mode real", "demo_only"),
    ],
)
def test_setup_that_cannot_be_is_refused(lines: str, code: str) -> None:
    """Settings that the house does not take are refused as the house refuses them."""
    refusal = run_round(f"rulebook  skycity-adelaide-2003\n{lines}\n")

    assert isinstance(refusal, Refusal)
    assert refusal.code.value == code


SAMPLES = {
    "AMOUNT": "5",
    "CHIPS": "2 blue on 17; 1 x 5 on red",
    "CITED": "6(j) words",
    "COLOUR": "blue",
    "CURRENCY": "USD",
    "DATE": "2026-11-16",
    "DOUBT": "the server",
    "DRAWN": "17 x250, 0 x60",
    "FAULT": "opinion",
    "MEANS": "payment slip",
    "N": "1",
    "PIECES": "3 blue and 2 x 5",
    "PLACE": "neighbours 17",
    "POCKET": "17",
    "REASON": "act of god",
    "SEGMENT": "dozen 2",
    "SETTINGS": "minimum 10, even-money maximum 500",
    "SIGNED": "-5",
    "SLIP": "5 on 17; 10 on red",
    "SPOT": "17",
    "TIME": "10:00:00",
    "TIMES": "4",
    "TITLE": "pit boss",
    "WORD": "h1",
    "WORDS": "in so many words",
}
ACTORS = {"player": "player 1", "seat": "seat 1", "wheel": "wheel", "system": "system", "staff": "shift manager"}


LIVE_FORMS = {form for _, form, *_ in LIVE_ROWS} | {row.form for row in ACTIONS if "player N" in row.form}


@pytest.mark.parametrize(
    "phase", ["", "09:00:01  dealer  opens bets\n", "09:00:01  dealer  opens bets\n09:00:02  dealer  no more bets\n"]
)
@pytest.mark.parametrize(("role", "form"), [(row.role, row.form) for row in ACTIONS])
def test_every_action_is_put_to_the_house(role: str, form: str, phase: str) -> None:
    """Every action that the page lists is understood, and answered by the house at any stage of a round."""
    action = re.sub("[A-Z]+", lambda placeholder: SAMPLES[placeholder.group()], form)
    live = "  recording full  float 500  minimum 5" if form in LIVE_FORMS else ""
    player = "player 1  colour blue  buys 50\n" if live else ""
    heads = f"rulebook  skycity-adelaide-2003\ntable  warning 0{live}\nseat 1  credit 100\n{player}"
    played = _played(f"{heads}{phase}09:00:05  {ACTORS[role]}  {action}\n")

    assert played.acts == 1 + phase.count("\n")
    assert _played(played.mended).holds


NOTHING = [
    ("pays      seat 1   1  credit 1", "pays      seat 1   0  credit 5"),
    ("layout    seat 1   1 on 17", "layout    seat 1   empty"),
    ("owes      seat 1   1", "owes      seat 1   0"),
    ("house     1", "house     0"),
    ("history   1", "history   none"),
    ("round     open     spin 2", "round     between  spin 1"),
    ("meters    seat 1   turnover 1  games 1  granted 1", "meters    seat 1   turnover 0  games 0  granted 5"),
    ("hold      1        gross 5", "hold      1        none"),
    ("slip      1        issued  5", "slip      1        none"),
    ("drawer    cashier  5", "drawer    cashier  none"),
    ("dispute   1        open", "dispute   1        none"),
    ("idle      seat 1", "idle      none"),
    ("collected  5", "collected  none"),
    ("float     5", "float     none"),
    *[
        (f"shows     seat 1   {part} x", f"shows     seat 1   {part} {shown}")
        for part, shown in {
            **dict.fromkeys(SHOWN, "none"),
            **dict.fromkeys(("residual", "staked", "won", "held"), "0"),
            "credit": "5",
            "credits": "500",
            "service": "in",
        }.items()
    ],
]


@pytest.mark.parametrize(("said", "found"), NOTHING)
def test_nothing_there_is_none(said: str, found: str) -> None:
    """Before anything has happened, what is asked for is found as nothing, none or empty."""
    heads = "rulebook  clearwater-etg\nseat 1    credit 5\n"

    assert _played(f"{heads}{said}\n").mended == f"{heads}{found}\n"
    assert _played(f"{heads}{found}\n").holds


def _setting(text: str) -> Setting:
    name, _, value = text.rpartition(" ")
    return Setting(name, value)


def test_settings_are_set() -> None:
    """Settings of the venue and of seats are read into what the house takes."""
    venue_set = VenueSetting()
    for text in ("day 2020-03-17", "mode real", "ticket days 90"):
        venue_set = set_venue(venue_set, _setting(text))
    seat = SeatSetting()
    for text in (
        "credit 12.50",
        "tables 2",
        "denomination 0.50/1",
        "profile terminal",
        "notes 5/10",
        "chip values 1/5",
    ):
        seat = set_seat(seat, _setting(text))

    assert (venue_set.day, venue_set.mode, venue_set.ticket_days) == (20_200_317, Mode.REAL, 90)
    assert (seat.credit, seat.tables, seat.terminal.denominations) == (1250, 2, (50, 100))
    assert (seat.terminal.profile, seat.terminal.notes, seat.terminal.chips) == ("terminal", (500, 1000), (1, 5))


def test_table_settings_are_set() -> None:
    """Settings of a table are read, and a kind's own bound keeps the table's other one."""
    table = TableSettings()
    for text in ("minimum 5", "maximum 100", "minimum total 10", "maximum total 500", "betting 30", "confirms yes"):
        table = set_table(table, _setting(text))
    for text in ("six-line maximum 50", "even-money minimum 10", "even-money maximum 200", "wheel random"):
        table = set_table(table, _setting(text))
    kinds = dict(table.limits.kinds)

    assert (table.betting_s, table.confirms, table.wheel) == (30, True, WheelKind.RANDOM)
    assert astuple(table.limits.spot) == (500, 10_000)
    assert astuple(table.limits.total) == (1000, 50_000)
    assert astuple(kinds[SpotKind("six_line")]) == (500, 5000)
    assert {astuple(kinds[kind]) for kind in (SpotKind("red"), SpotKind("high"))} == {(1000, 20_000)}
    assert len(kinds) == 7
