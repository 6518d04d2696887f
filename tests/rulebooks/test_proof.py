"""The proof: one small change to a venue's folder for everything that can be wrong with one, and what is said of it."""

from pathlib import Path

import pytest

from croupier.rulebooks.schema import Problem
from croupier.rules.geometry import SpotKind
from croupier.rules.procedure import ChannelName
from croupier.rules.refusal import CHIP_TOPICS, CitedTopic
from tests.support.copies import (
    ADELAIDE,
    CLAUSES,
    CLEARWATER,
    LAYOUTS,
    MARINA,
    RULEBOOK,
    SHIPPED,
    TESTS,
    US,
    Edit,
    complaints,
    copied,
    loaded,
)

OTHERS = '["Cashier", "Technician", "Auditor"]'


def block(place: str, start: str) -> str:
    """Find a paragraph of a venue's rulebook by how it starts."""
    text = (SHIPPED / place / RULEBOOK).read_text("utf-8")
    begin = text.index(start)
    return text[begin : text.index("\n\n", begin)]


TABLE = block(US, "[channels.table]")
SLUG = "must be small letters and figures joined by hyphens, at most 64 in all"
GROW = "must grow, from 1 to at most 18"
REACH = "must be from 1 to 18, the least first"
MARKER = "a marker button has two numbers on either side"
PIECES = "pieces are listed for the kind 'pieces', and for no other"
LAUNCH = "goes with betting that closes after_launch, and with no other"
WARNING = "goes with a warning by message, and with no other"
BOUNDS = "the least must not be below 0 nor above the most, and the most not below 1"
SPOT_LIMIT = "spot = { least = 100, most = 400 }"
TIME = "a date and time"
NO_CLAUSE = "is not a clause of this document"
NAME = "is not a name in the notation"
PAYOUT = "must hold each of these once: even_chances, dozens, columns, inside"
CODE = "name the code that keeps it, or in no_code why there is none: one of them"

KINDS = "straight, split, street, corner, five, six_line, column, dozen, red, black, odd, even, low, high"

US_WRONG = [
    ('id = "us-double-zero"', 'id = "US"', "id", SLUG),
    ('id = "us-double-zero"', 'id = "us--double"', "id", SLUG),
    ('id = "us-double-zero"', f'id = "{"u" * 65}"', "id", SLUG),
    ('example = "1 on', 'example = "5 on', "example", "cannot be played: 5 on 17 is over the maximum of 4."),
    ('example = "1 on', 'example = "1 in', "example", "cannot be played: Expected 'on' after the amount, found 'in'."),
    ('currency = "USD"', 'currency = "dollars"', "currency", "must be three capital letters"),
    ("pays = 17", "pays = 17, win_most = 1699", "paytable.prices.split.win_most", "is less than the least stake wins"),
    ("five = {", "fife = {", "paytable.prices.fife", f"'fife' is none of {KINDS}"),
    ("pays = 35", "pays = 0", "paytable.prices.straight.pays", "must be above 0, to one"),
    ("pays = 35", "pays = -35", "paytable.prices.straight.pays", "must be above 0, to one"),
    ("pays = 17", "pays = 19", "paytable.prices.split.pays", "19 to 1 on 2 numbers is a loss to the house"),
    ('"Red", pays = 1', '"Red", pays = 2', "paytable.prices.red.pays", "2 to 1 on 18 numbers is a loss to the house"),
    ('name = "courtesy-line"', 'name = "red"', "aliases[0].name", f"'red' {NAME}"),
    ('name = "courtesy-line"', 'name = "dozen"', "aliases[0].name", f"'dozen' {NAME}"),
    ('name = "courtesy-line"', 'name = "by"', "aliases[0].name", f"'by' {NAME}"),
    ('name = "courtesy-line"', 'name = "17"', "aliases[0].name", f"'17' {NAME}"),
    ('name = "courtesy-line"', 'name = "1-2"', "aliases[0].name", f"'1-2' {NAME}"),
    ('name = "courtesy-line"', 'name = "courtesy line"', "aliases[0].name", f"'courtesy line' {NAME}"),
    ('name = "courtesy-line"', 'name = "Courtesy"', "aliases[0].name", f"'Courtesy' {NAME}"),
    ('spot = "0/00"', 'spot = "0/3"', "aliases[0].spot", "0/3 cannot be bet here"),
    ('spot = "0/00"', 'spot = "00/0"', "aliases[0].spot", "00/0 cannot be bet here"),
    (TABLE, "[channels]", "channels", "there must be a way to bet"),
    ("closed = {", "open = {", "messages.closed", "the words for the close of betting are missing"),
    ('"not_at_all"', '"message"', "messages.finish_betting", WARNING),
    ("no_spin = {", "finish_betting = {", "messages.finish_betting", WARNING),
    ('texts = ["No Spin"]', "texts = []", "messages.no_spin.texts", "must hold at least one text"),
    ('"during_spin"', '"after_launch"', "procedure.launch_to_close", LAUNCH),
    ("revolutions = {", "launch_to_close = {", "procedure.launch_to_close", LAUNCH),
    ('others = ["Cashier",', 'others = ["Cashier", "Dealer",', "staff", "the title 'Dealer' stands twice"),
    (
        '"Dealer", "Supervisor"]\nothers = [',
        ']\nothers = ["Dealer", "Supervisor", ',
        "staff.order",
        "somebody must run the game",
    ),
    ('"foreign_object"', '"same_direction"', "irregularities", "'same_direction' stands twice"),
    ('"not_covered"', '"fire"', "irregularities", "'not_covered' is missing: something will happen that no rule names"),
    ('by = ["Supervisor"]', 'by = ["Bishop"]', "irregularities[3].by", "'Bishop' is not a title of this venue"),
    ("least = 100", "least = -1", "limits.spot", BOUNDS),
    ("most = 400", "most = 99", "limits.spot", BOUNDS),
    (SPOT_LIMIT, "spot = { most = -1 }", "limits.spot", BOUNDS),
    (SPOT_LIMIT, "total = { least = 5, most = 4 }", "limits.total", BOUNDS),
    (SPOT_LIMIT, "kinds = { red = { least = 5, most = 4 } }", "limits.kinds.red", BOUNDS),
    ("figure = 4", "figure = 0", "procedure.revolutions.figure", "must be above 0"),
    ('wheel_clause = "Rotation (3)"', 'wheel_clause = "header"', "wheel_clause", f"'header' {NO_CLAUSE}"),
    ('"Types 1"', '"Types 99"', "paytable.prices.straight.placement", f"'Types 99' {NO_CLAUSE}"),
    ('\nclause = "Types 2"', '\nclause = "Types"', "aliases[0].clause", f"'Types' {NO_CLAUSE}"),
    (SPOT_LIMIT, f'{SPOT_LIMIT}\ntotal_over_clause = "x"', "limits.total_over_clause", f"'x' {NO_CLAUSE}"),
    (
        '"stay", clause = "Rot',
        '"return", clause = "Rot',
        "channels.table.winning_stake.does",
        "must be stay: chips that win lie there until their player takes them",
    ),
    (
        '"stay", clause = "Rot',
        '"stay", clause = "rot',
        "channels.table.winning_stake.clause",
        f"'rotation (4)' {NO_CLAUSE}",
    ),
    ("along = [31, 33]", "along = [33, 31]", "aliases[0].area", "must be an area of the felt, away from the numbers"),
    ("across = [-4, 0]", "across = [-4, 1]", "aliases[0].area", "must be an area of the felt, away from the numbers"),
    ("along = [31, 33]", "along = [331, 333]", "aliases[0].area", "must be an area of the felt, away from the numbers"),
    (SPOT_LIMIT, "spot = { least = 0, most = 0 }", "limits.spot", BOUNDS),
    ('"dozens", "columns"', '"dozens"', "payout.order", PAYOUT),
    ('"dozens", "columns"', '"dozens", "dozens"', "payout.order", PAYOUT),
    ('"Irregularities (2)"', '"2"', "irregularities[1].clause", f"'2' {NO_CLAUSE}"),
]

ADELAIDE_WRONG = [
    ('id = "terminal"', 'id = "V I P"', "profiles[1].id", SLUG),
    ("six_line = {", "five = {", "paytable.prices.five", "this layout has no such bet"),
    ("least = 2, most = 2", "least = 2, most = 3", "calls[0].reach", MARKER),
    ("least = 2, most = 2", "least = 1, most = 1", "calls[0].reach", MARKER),
    ("minimum = { figure = 5", "minimum = { figure = 0", "calls[0].minimum.figure", "must be above 0"),
    (
        'minimum = { figure = 5, clause = "12(a)" }',
        "",
        "calls[0].minimum",
        "goes with the kind 'marker', and with no other",
    ),
    ('rounding = "12(g)"', 'rounding = "12(z)"', "payout.rounding", f"'12(z)' {NO_CLAUSE}"),
    ('id = "terminal"', 'id = "table"', "profiles", "the id 'table' stands twice"),
    ("calls = {}", 'calls = { tiers = "Tiers" }', "profiles[1].calls", "'tiers' is not a call of this rulebook"),
    (block(ADELAIDE, "[channels.terminal]"), "", "profiles[1].channel", "the rulebook has no channel 'terminal'"),
    ("finish_betting = {", "open = {", "messages.finish_betting", WARNING),
    ("idle_spins = { figure = 3", "idle_spins = { figure = 0", "terminal.idle_spins.figure", "must be above 0"),
    ('pocket = "0"', 'pocket = "17"', "paytable.zeros[0].pocket", "there is no zero 17 on this wheel"),
    ('pocket = "0"', 'pocket = "00"', "paytable.zeros[0].pocket", "there is no zero 00 on this wheel"),
]

CLEARWATER_WRONG = [
    ('name = "red-snake"', 'name = "complete"', "calls[3].name", "the name 'complete' stands twice"),
    ('aliases = ["neighbors"]', 'aliases = ["finals"]', "calls[5].aliases", "the name 'finals' stands twice"),
    ('"9/12"', '"9/13"', "calls[0].pieces", "9/13 cannot be bet here, or is written in another order"),
    ('"9/12"', '"12/9"', "calls[0].pieces", "12/9 cannot be bet here, or is written in another order"),
    ('kind = "complete"', 'kind = "pieces"', "calls[3].pieces", PIECES),
    ('clause = "23.e"', 'clause = "23.e"\npieces = ["1"]', "calls[4].pieces", PIECES),
    (
        'clause = "23.d"',
        'clause = "23.d"\nreach = { least = 0, most = 1 }',
        "calls[3].reach",
        "only neighbours have a reach",
    ),
    ("least = 2, most = 4", "least = 0, most = 4", "calls[5].reach", REACH),
    ("least = 2, most = 4", "least = 4, most = 2", "calls[5].reach", REACH),
    ("least = 2, most = 4", "least = 2, most = 19", "calls[5].reach", REACH),
    ("[2, 3, 4]", "[]", "neighbours_button.reach", GROW),
    ("[2, 3, 4]", "[2, 2]", "neighbours_button.reach", GROW),
    ("[2, 3, 4]", "[3, 2]", "neighbours_button.reach", GROW),
    ("[2, 3, 4]", "[0, 1]", "neighbours_button.reach", GROW),
    ("[2, 3, 4]", "[2, 19]", "neighbours_button.reach", GROW),
    ("percent = 10", "percent = -1", "risk.percent", "must be from 0 to 100"),
    ("percent = 10", "percent = 101", "risk.percent", "must be from 0 to 100"),
    ("threshold = 120000", "threshold = 0", "tax.threshold", "must be above 0"),
    (
        "launch_to_close = { figure = 5",
        "launch_to_close = { figure = 0",
        "procedure.launch_to_close.figure",
        "must be above 0",
    ),
    ("games = { figure = 2", "games = { figure = 0", "terminal.games.figure", "must be above 0"),
    ("patterns = { figure = 3", "patterns = { figure = -3", "terminal.patterns.figure", "must be above 0"),
]

CLOSINGS = "before_spin, before_or_during_spin, after_launch, during_spin"

ODDS = 'expected a number or a fraction such as "6/5"'

MISSHAPEN = [
    ('id = "us-double-zero"\n', "", "id", "missing"),
    ("pays = 35, ", "", "paytable.prices.straight.pays", "missing"),
    ('id = "us', 'colour = "green"\nid = "us', "", "no such key: colour"),
    ('id = "us', 'b = 1\na = 2\nid = "us', "", "no such key: a, b"),
    ('id = "us', 'digest = "0"\nid = "us', "", "no such key: digest"),
    ('id = "us', 'clauses = []\nid = "us', "", "no such key: clauses"),
    ("most = 400", "most = 400, mean = 250", "limits.spot", "no such key: mean"),
    ("pays = 35", 'pays = "35"', "paytable.prices.straight.pays", f"{ODDS}, found '35'"),
    (
        'version = "1"',
        'version = "1"\neffective = 2003-05-20T00:00:00',
        "effective",
        "expected a date, found a date and time",
    ),
    ("pays = 35", 'pays = "1/0"', "paytable.prices.straight.pays", f"{ODDS}, found '1/0'"),
    ("pays = 35", "pays = nan", "paytable.prices.straight.pays", f"{ODDS}, found NaN"),
    ("pays = 35", "pays = 1e-9", "paytable.prices.straight.pays", "is beyond what can be counted here"),
    ("pays = 35", "pays = true", "paytable.prices.straight.pays", f"{ODDS}, found True"),
    ("least = 100", 'least = "100"', "limits.spot.least", "expected a whole number, found '100'"),
    ('title = "Roulette"', "title = 5", "title", "expected text, found 5"),
    ('title = "Roulette"', 'title = " "', "title", "must not be empty"),
    ('id = "us-double-zero"', 'id = ""', "id", "must not be empty"),
    ('\nclause = "Header"', "\nclause = 5", "clause", "expected text, found 5"),
    ('version = "1"', "version = 1", "version", "expected text, found 1"),
    ('version = "1"', 'version = "1"\neffective = "2003"', "effective", "expected a date, found '2003'"),
    ('"during_spin"', '"later"', "procedure.closes.does", f"'later' is none of {CLOSINGS}"),
    ('"during_spin"', '"is not @ all"', "procedure.closes.does", f"'is not @ all' is none of {CLOSINGS}"),
    ('"during_spin"', "5", "procedure.closes.does", "expected text, found 5"),
    (TABLE, TABLE.replace("s.table", "s.cellar"), "channels.cellar", "'cellar' is none of terminal, table"),
    (SPOT_LIMIT, "spot = 7", "limits.spot", "expected a table"),
    (SPOT_LIMIT, 'spot = "least"', "limits.spot", "expected a table"),
    (SPOT_LIMIT, "kinds = 7", "limits.kinds", "expected a table"),
    (SPOT_LIMIT, "kinds = { red = 7 }", "limits.kinds.red", "expected a table"),
    ("[staff]", "[[staff]]", "staff", "expected a table"),
    ("[messages]", "[[messages]]", "messages", "expected a table"),
    ('order = ["Dealer", "Supervisor"]', "order = 5", "staff.order", "expected a list, found 5"),
    ('order = ["Dealer", "Supervisor"]', 'order = "Dealer"', "staff.order", "expected a list, found 'Dealer'"),
    (f"others = {OTHERS}", "others = {}", "staff.others", "expected a list, found a table"),
    (f"others = {OTHERS}", "others = [5]", "staff.others[0]", "expected text, found 5"),
    ("along = [31, 33]", "along = [31]", "aliases[0].area.along", "expected 2 values, found 1"),
    ("along = [31, 33]", "along = [31, 32, 33]", "aliases[0].area.along", "expected 2 values, found 3"),
    ("along = [31, 33]", "along = 31", "aliases[0].area.along", "expected a list, found 31"),
    ("along = [31, 33]", 'along = [31, "33"]', "aliases[0].area.along[1]", "expected a whole number, found '33'"),
]

#: The right side of the edges above: each change makes other rules, and sound ones.
SOUND = [
    (US, "pays = 17", "pays = 18"),
    (US, "pays = 35", "pays = 1"),
    (US, "pays = 35", "pays = 34.5"),
    (US, "pays = 35", 'pays = "1/2"'),
    (US, "most = 400", "most = 401"),
    (US, "least = 100", "least = 0"),
    (US, SPOT_LIMIT, "total = { least = 700, most = 700 }"),
    (US, "figure = 4", "figure = 1"),
    (US, 'name = "courtesy-line"', 'name = "2nd-place"'),
    (US, 'id = "us-double-zero"', 'id = "2"'),
    (CLEARWATER, "least = 2, most = 4", "least = 1, most = 18"),
    (CLEARWATER, "[2, 3, 4]", "[1, 18]"),
    (CLEARWATER, "[2, 3, 4]", "[18]"),
    (CLEARWATER, "percent = 10", "percent = 0"),
    (CLEARWATER, "percent = 10", "percent = 100"),
    (CLEARWATER, "threshold = 120000", "threshold = 1"),
    (ADELAIDE, "calls = {}", 'calls = { neighbours = "Neighbours" }'),
]


@pytest.mark.parametrize(("old", "new", "key", "says"), US_WRONG)
def test_wrong_us_table_is_complained_of(old: str, new: str, key: str, says: str, tmp_path: Path) -> None:
    """Each change to the US table's rules is answered with one complaint, by key and in words."""
    assert complaints(copied(tmp_path, US, (RULEBOOK, old, new))) == (Problem(RULEBOOK, key, says),)


REDEMPTION = "channels.table.cites.redemption"
NO_CHANNEL = "goes with a channel 'table', and with no other"


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (
            ('\nclause = "Header"', '\nclause = "Footer"'),
            (("clause", f"'Footer' {NO_CLAUSE}"), (REDEMPTION, f"'Footer' {NO_CLAUSE}")),
        ),
        ((block(US, "[payout]"), ""), (("payout", NO_CHANNEL), (REDEMPTION, "name the nearest clause"))),
    ],
)
def test_clause_of_redemptions_is_complained_of(
    change: tuple[str, str], found: tuple[tuple[str, str], ...], tmp_path: Path
) -> None:
    """The US table cites its document for redemptions: what is wrong there is wrong of this topic too."""
    expected = tuple(Problem(RULEBOOK, *each) for each in found)

    assert complaints(copied(tmp_path, US, (RULEBOOK, *change))) == expected


@pytest.mark.parametrize(("old", "new", "key", "says"), ADELAIDE_WRONG)
def test_wrong_adelaide_is_complained_of(old: str, new: str, key: str, says: str, tmp_path: Path) -> None:
    """Each change to Adelaide's rules is answered with one complaint, by key and in words."""
    assert complaints(copied(tmp_path, ADELAIDE, (RULEBOOK, old, new))) == (Problem(RULEBOOK, key, says),)


@pytest.mark.parametrize(("old", "new", "key", "says"), CLEARWATER_WRONG)
def test_wrong_clearwater_is_complained_of(old: str, new: str, key: str, says: str, tmp_path: Path) -> None:
    """Each change to Clearwater's rules is answered with one complaint, by key and in words."""
    assert complaints(copied(tmp_path, CLEARWATER, (RULEBOOK, old, new))) == (Problem(RULEBOOK, key, says),)


@pytest.mark.parametrize(("old", "new", "key", "says"), MISSHAPEN)
def test_misshapen_rulebook_is_complained_of(old: str, new: str, key: str, says: str, tmp_path: Path) -> None:
    """A value of the wrong shape, a key too many or too few, is answered with one complaint, by key and in words."""
    assert complaints(copied(tmp_path, US, (RULEBOOK, old, new))) == (Problem(RULEBOOK, key, says),)


@pytest.mark.parametrize("figure", ["9223372036854775808", "9" * 400, "0x" + "f" * 4_000], ids=len)
def test_figure_too_large_to_pay_is_complained_of(figure: str, tmp_path: Path) -> None:
    """A whole number that 64 bits do not hold is no amount and no odds."""
    (reported,) = complaints(copied(tmp_path, US, (RULEBOOK, "most = 400", f"most = {figure}")))
    assert (reported.file, reported.key) == (RULEBOOK, "limits.spot.most")


def test_every_misshapen_value_is_reported_at_once(tmp_path: Path) -> None:
    """A rulebook with many misshapen values is told them all."""
    edits: list[Edit] = [
        (RULEBOOK, "pays = 35", "pays = false"),
        (RULEBOOK, 'id = "us', 'ix = "us'),
        (CLAUSES, "topic", "t"),
    ]
    reported = {(each.file, each.key) for each in complaints(copied(tmp_path, US, *edits))}
    expected = {(RULEBOOK, "paytable.prices.straight.pays"), (RULEBOOK, "id"), (RULEBOOK, "")}
    assert reported == expected | {(CLAUSES, "Header.topic"), (CLAUSES, "Header")}


@pytest.mark.parametrize(("place", "old", "new"), SOUND)
def test_rules_on_the_edge_are_sound(place: str, old: str, new: str, tmp_path: Path) -> None:
    """Rules that go to the very edge of what is consistent are taken, and are other rules than the venue's."""
    assert loaded(copied(tmp_path, place, (RULEBOOK, old, new))).digest != loaded(SHIPPED / place).digest


#: The code of the clause Placement 3.
CODE_OF_IT = 'code = ["house/play/chip_bets.py", "house/live/payment_walk.py"]'


@pytest.mark.parametrize("code", ["", f'no_code = "physical"\n{CODE_OF_IT}'])
def test_clause_is_kept_by_code_or_says_why_not(code: str, tmp_path: Path) -> None:
    """A clause names the code that keeps it or the reason why there is none, and not both."""
    folder = copied(tmp_path, US, (CLAUSES, CODE_OF_IT, code))
    assert complaints(folder) == (Problem(CLAUSES, "Placement 3.code", CODE),)


def test_what_a_clause_awaits_goes_with_its_code(tmp_path: Path) -> None:
    """What the code does not do yet is said only where there is code."""
    folder = copied(tmp_path, US, (CLAUSES, CODE_OF_IT, 'awaits = "terminals"\nno_code = "physical"'))
    says = "goes with code: say it in no_code where there is none"
    assert complaints(folder) == (Problem(CLAUSES, "Placement 3.awaits", says),)


def test_clause_that_is_gone_is_missed_wherever_it_is_cited(tmp_path: Path) -> None:
    """A clause taken out of the matrix is complained of at every place that cites it."""
    folder = copied(tmp_path, US, (CLAUSES, '["Placement 5"]', '["Placement 6"]'))
    (folder / TESTS).unlink(missing_ok=True)
    keys = ["channels.table.under_minimum.clause", "channels.table.over_maximum.clause"]
    keys += ["staff.duties.manage.clause", "cites.settings", "limits.under_clause", "limits.over_clause"]
    assert complaints(folder) == tuple(Problem(RULEBOOK, key, f"'Placement 5' {NO_CLAUSE}") for key in keys)


@pytest.mark.parametrize(
    ("old", "new", "key", "says"),
    [
        (
            'deal = { does = "Dealer"',
            'deal = { does = "Croupier"',
            "staff.duties.deal",
            "'Croupier' is not a title of this venue",
        ),
        (
            'correct = { does = "Supervisor", clause = "Rotation (3)" }\n',
            "",
            "staff.duties.correct",
            "somebody must have this duty",
        ),
        ("[cites]\n", '[cites]\nfloat = "Rotation (4)"\n', "cites.float", "belongs to a channel with chips"),
    ],
)
def test_duty_and_topic_must_be_somebodys(old: str, new: str, key: str, says: str, tmp_path: Path) -> None:
    """A duty falls to a title of the venue, the needful ones to somebody, and every matter has its clause."""
    assert complaints(copied(tmp_path, US, (RULEBOOK, old, new))) == (Problem(RULEBOOK, key, says),)


def test_topics_without_a_clause_cite_the_nearest_part_of_the_rulebook(tmp_path: Path) -> None:
    """Without [cites], each refusal has the clause of the part of the rules that is nearest to it."""
    folder = copied(
        tmp_path, US, (RULEBOOK, block(US, "[cites]"), ""), (RULEBOOK, block(US, "[channels.table.cites]"), "")
    )
    rulebook = loaded(folder)
    cites, table = rulebook.cited_clauses, rulebook.channels[ChannelName.TABLE]
    assert rulebook.payout is not None
    assert set(cites) == set(CitedTopic) - set(CHIP_TOPICS)
    assert (cites[CitedTopic.LATE_BET], cites[CitedTopic.BETS]) == ("Rotation (2)", rulebook.paytable.clause)
    assert set(table.cites) == set(CHIP_TOPICS)
    assert (table.cites[CitedTopic.CHIPS], table.cites[CitedTopic.FLOAT]) == (table.clause, rulebook.payout.clause)


def test_clauses_that_the_document_lacks_are_named_once(tmp_path: Path) -> None:
    """With otherwise_clause, a key that must name a clause may be left out; without it, each is complained of."""
    edits = [(RULEBOOK, 'wheel_clause = "Rotation (3)"\n', ""), (RULEBOOK, ', placement = "Types 1"', "")]
    folder = copied(tmp_path, US, *edits)
    assert [each.key for each in complaints(folder)] == ["wheel_clause", "paytable.prices.straight.placement"]
    text = (folder / RULEBOOK).read_text("utf-8")
    (folder / RULEBOOK).write_text(f'otherwise_clause = "Header"\n{text}', "utf-8")
    rulebook = loaded(folder)
    assert rulebook.wheel_clause == rulebook.paytable.prices[SpotKind("straight")].placement == "Header"


def test_example_must_pass_the_risk_check(tmp_path: Path) -> None:
    """A slip that the venue's risk check would refuse is no example of one."""
    folder = copied(tmp_path, CLEARWATER, (RULEBOOK, 'example = "', 'example = "10 on red; 10 on black" #'))
    (reported,) = complaints(folder)
    assert reported.key == "example"
    assert reported.says.startswith("cannot be played: Bet not allowed")


@pytest.mark.parametrize("kind", ["straight", "split"])
def test_call_whose_pieces_have_no_price_is_complained_of(kind: str, tmp_path: Path) -> None:
    """A call that would put chips where no bet is priced is no call, whatever its kind."""
    line = block(MARINA, f"{kind} = {{").split("\n", 1)[0]
    reported = complaints(copied(tmp_path, MARINA, (RULEBOOK, f"{line}\n", "")))
    named = [] if kind == "split" else ["calls[4].", "calls[5]."]
    assert all(any(each.key.startswith(call) for each in reported) for call in ["calls[0].", "calls[3].", *named])


def test_rulebook_without_a_price_has_nothing_to_bet_on(tmp_path: Path) -> None:
    """A rulebook must price at least one kind of bet."""
    prices = block(US, "[paytable.prices]")
    folder = copied(tmp_path, US, (RULEBOOK, prices, "[paytable.prices]"), (RULEBOOK, block(US, "[[aliases]]"), ""))
    assert [each.key for each in complaints(folder)] == ["paytable.prices"]


def test_marker_with_another_reach_gets_its_own_rule(tmp_path: Path) -> None:
    """A marker's reach is held to what a marker button has, and to that alone."""
    folder = copied(tmp_path, ADELAIDE, (RULEBOOK, "least = 2, most = 2", "least = 3, most = 2"))
    assert complaints(folder) == (Problem(RULEBOOK, "calls[0].reach", MARKER),)


def test_everything_wrong_is_reported_at_once(tmp_path: Path) -> None:
    """A rulebook with many faults is told them all, in the order of its parts."""
    edits: list[Edit] = [
        (RULEBOOK, 'id = "us-double-zero"', 'id = "US"'),
        (RULEBOOK, "pays = 35", "pays = 0"),
        (RULEBOOK, 'spot = "0/00"', 'spot = "1/36"'),
        (RULEBOOK, "closed = {", "open = {"),
        (RULEBOOK, 'others = ["Cashier",', 'others = ["Cashier", "Dealer",'),
        (RULEBOOK, "most = 400", "most = 9"),
        (RULEBOOK, 'wheel_clause = "Rotation (3)"', 'wheel_clause = "None"'),
        (CLAUSES, CODE_OF_IT, ""),
    ]
    keys = ["id", "paytable.prices.straight.pays", "aliases[0].spot", "messages.closed", "staff", "limits.spot"]
    reported = complaints(copied(tmp_path, US, *edits))
    assert [each.key for each in reported] == [*keys, "wheel_clause", "Placement 3.code"]
    assert {each.file for each in reported} == {RULEBOOK, CLAUSES}


def test_faults_of_the_felt_do_not_hide_the_others(tmp_path: Path) -> None:
    """Where the felt is wrong, prices and calls wait for it; everything else is told at once."""
    edits: list[Edit] = [
        (LAYOUTS, 'bet = "red"', 'bet = "black"'),
        (RULEBOOK, "pays = 35", "pays = 0"),
        (RULEBOOK, "figure = 3", "figure = 0"),
    ]
    reported = complaints(copied(tmp_path, ADELAIDE, *edits))
    assert [each.key for each in reported] == ["single-zero.boxes", "procedure.revolutions.figure"]
