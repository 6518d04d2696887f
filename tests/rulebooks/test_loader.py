"""The loader: venues by id and by path, their digests, and what is said of files that do not make a rulebook."""

import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from datetime import date, timedelta
from enum import StrEnum
from pathlib import Path

import pytest

from croupier.rulebooks.loader import load_rulebook, rulebook_ids
from croupier.rulebooks.schema import Problem, digest
from croupier.rules.geometry import Pocket
from croupier.rules.refusal import Code, Refusal
from croupier.rules.rulebook import Rulebook
from tests.conftest import DOCUMENTS, venue
from tests.support.copies import (
    ADELAIDE,
    CLAUSES,
    CLEARWATER,
    KINDS,
    LAYOUTS,
    MARINA,
    RULEBOOK,
    SHIPPED,
    TESTS,
    US,
    WHEELS,
    Edit,
    complaints,
    copied,
    loaded,
)

#: The code of the clause Placement 3.
WALKED = 'code = ["house/play/chip_bets.py", "house/live/payment_walk.py"]'


@pytest.mark.parametrize(
    ("rulebook_id", "version", "effective", "pockets", "spots"),
    [
        (CLEARWATER, "1", None, 38, 161),
        (MARINA, "2", date(2020, 3, 18), 38, 159),
        (ADELAIDE, "2003", date(2003, 5, 20), 37, 157),
        (US, "1", None, 38, 161),
    ],
)
def test_venue_is_what_its_document_says(
    rulebook_id: str, version: str, effective: date | None, pockets: int, spots: int
) -> None:
    """Each venue loads under its own id with its version, its date, its pockets, its spots and all its clauses."""
    rulebook = venue(rulebook_id)
    assert (rulebook.id, rulebook.version, rulebook.effective) == (rulebook_id, version, effective)
    assert (len(rulebook.pockets), len(rulebook.spots)) == (pockets, spots)
    assert len(rulebook.clauses) == (SHIPPED / rulebook_id / CLAUSES).read_text("utf-8").count('\n["')


def test_four_venues_are_shipped() -> None:
    """Four rulebooks are shipped, and are listed in the order of their names."""
    assert DOCUMENTS == (CLEARWATER, MARINA, ADELAIDE, US)


def test_digest_is_stable(rulebook: Rulebook, tmp_path: Path) -> None:
    """A digest is 64 small hexadecimal figures, the same at each load and wherever the folder lies."""
    assert len(rulebook.digest) == 64
    assert set(rulebook.digest) <= set("0123456789abcdef")
    assert loaded(SHIPPED / rulebook.id).digest == rulebook.digest
    assert loaded(copied(tmp_path, rulebook.id)).digest == rulebook.digest


def test_digests_distinguish_venues() -> None:
    """No two venues have one digest."""
    assert len({venue(rulebook_id).digest for rulebook_id in DOCUMENTS}) == 4


def other(value: object) -> object:
    """Give another value of the same type."""
    match value:
        case StrEnum():
            return next(member for member in type(value) if member is not value)
        case bool():
            return not value
        case int():
            return value + 1
        case date():
            return value + timedelta(days=1)
        case _:
            return f"{value}."


def changes(value: object) -> Iterator[object]:
    """Change a part of a rulebook in every smallest way: each value in turn, and each table by one line less."""
    if isinstance(value, tuple):
        for place, item in enumerate(value):
            yield from ((*value[:place], changed, *value[place + 1 :]) for changed in changes(item))
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield {name: value[name] for name in value if name != key}
            yield from ({**value, key: changed} for changed in changes(item))
    elif is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            if field.name not in ("digest", "clauses"):
                yield from (replace(value, **{field.name: one}) for one in changes(getattr(value, field.name)))
    elif value is not None:
        yield other(value)


def test_digest_changes_with_any_rule(rulebook: Rulebook) -> None:
    """A change to any single value of the rules gives a digest of its own."""
    played = replace(rulebook, clauses=())
    assert digest(played) == rulebook.digest
    found = [digest(changed) for changed in changes(played) if isinstance(changed, Rulebook)]
    assert len(found) > 250
    assert len({rulebook.digest, *found}) == 1 + len(found)


@pytest.mark.parametrize(
    "edit",
    [
        (CLAUSES, "unnamed US double-zero", "nameless US double-zero"),
        (CLAUSES, 'topic = "dispute-and-record"', 'topic = "limit"'),
        (CLAUSES, WALKED, 'no_code = "physical"'),
        (
            CLAUSES,
            '["Header"]',
            '["Unheard of"]\ntopic = "limit"\nsays = "x"\ndoes = "y"\nno_code = "none"\n\n["Header"]',
        ),
        (RULEBOOK, "# A US double-zero", "# The US double-zero"),
        (RULEBOOK, 'id = "us-double-zero"\n', 'id    =    "us-double-zero"\n'),
        (RULEBOOK, 'version = "1"\ncurrency = "USD"\n', 'currency = "USD"\nversion = "1"\n'),
        (WHEELS, "# Wheels", "# All wheels"),
    ],
)
def test_digest_is_blind_to_commentary(edit: Edit, tmp_path: Path) -> None:
    """What is said about the clauses, and how the files are laid out, is no part of the digest."""
    assert loaded(copied(tmp_path, US, edit)).digest == venue(US).digest


@pytest.mark.parametrize(
    "edit",
    [
        (RULEBOOK, "pays = 35", "pays = 34"),
        (RULEBOOK, "most = 400", "most = 500"),
        (RULEBOOK, 'version = "1"', 'version = "2"'),
        (RULEBOOK, 'version = "1"', 'version = "1"\neffective = 2026-01-01'),
        (RULEBOOK, '"Pay Table Straight"', '"Pay Table Split"'),
        (RULEBOOK, '["No More Bets", "NO MORE BETS"]', '["NO MORE BETS", "No More Bets"]'),
        (WHEELS, '"0", "28", "9", "26"', '"0", "26", "9", "28"'),
        (LAYOUTS, 'label = "1st 12", area = { along = [0, 16]', 'label = "First", area = { along = [0, 16]'),
    ],
)
def test_digest_follows_the_files(edit: Edit, tmp_path: Path) -> None:
    """A rule changed in a file changes the digest of the rulebook that is read from it."""
    place = ADELAIDE if edit[0] == LAYOUTS else US
    assert loaded(copied(tmp_path, place, edit)).digest != venue(place).digest


def test_folder_anywhere_is_a_rulebook(rulebook: Rulebook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A venue's folder copied anywhere loads by its path, absolute or relative, under the same rules."""
    folder = copied(tmp_path / "some where", rulebook.id)
    assert load_rulebook(str(folder)) == rulebook
    assert load_rulebook(f"{folder}/") == rulebook
    monkeypatch.chdir(tmp_path)
    assert load_rulebook(f"./some where/{rulebook.id}") == rulebook


def test_shipped_rulebook_comes_before_the_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An id names the shipped rulebook even where the working directory has a folder of that name."""
    copied(tmp_path, US, (RULEBOOK, "pays = 35", "pays = 34"))
    monkeypatch.chdir(tmp_path)
    assert load_rulebook(US) == venue(US)


def test_changed_folder_is_read_anew(tmp_path: Path) -> None:
    """A folder that was changed between two loads gives the rules as they now stand, sound or not."""
    folder = copied(tmp_path, US)
    first = load_rulebook(str(folder))
    assert first == venue(US)
    copied(tmp_path / "other", US, (RULEBOOK, "pays = 35", "pays = 34"))
    shutil.copy(tmp_path / "other" / US / RULEBOOK, folder / RULEBOOK)
    second = load_rulebook(str(folder))
    assert isinstance(second, Rulebook)
    assert second.digest != venue(US).digest


def test_rulebook_cannot_be_changed(rulebook: Rulebook) -> None:
    """A rulebook is shared by all who ask for it, and none of them can change a price, a word or a spot in it."""
    for mapping in (rulebook.paytable.prices, rulebook.messages, rulebook.channels, rulebook.spots):
        with pytest.raises((TypeError, AttributeError)):
            mapping.clear()  # type: ignore[union-attr]
    assert {rulebook: 1}[venue(rulebook.id)] == 1
    assert repr(rulebook) == f"<Rulebook {rulebook.id} {rulebook.digest[:8]}>"


def test_own_wheel_is_found_in_the_folder(tmp_path: Path) -> None:
    """A wheel described in the rulebook's own folder is used, and neighbours are those of that wheel."""
    folder = copied(tmp_path, ADELAIDE, (RULEBOOK, 'wheel = "european"', 'wheel = "mirrored"'))
    order = [venue(ADELAIDE).wheel.order[0], *reversed(venue(ADELAIDE).wheel.order[1:])]
    text = f"[mirrored]\norder = {[str(pocket) for pocket in order]}\n"
    text += "provenance = 'seen in a mirror'\nconfirmed = true\nalternating = true\n"
    (folder / WHEELS).write_text(text, "utf-8")
    wheel = loaded(folder).wheel
    assert wheel.id == "mirrored"
    assert wheel.neighbours(Pocket("0"), each_side=1) == ("32", "0", "26")


def test_own_layout_takes_precedence_over_the_shipped_one(tmp_path: Path) -> None:
    """A layout in the rulebook's own folder is used in place of a shipped one of that name."""
    folder = copied(tmp_path, ADELAIDE, (LAYOUTS, 'label = "1st 12"', 'label = "First"'))
    labels = {str(box.bet): box.label for box in loaded(folder).layout.boxes}
    assert (labels["dozen 1"], labels["dozen 2"]) == ("First", "2nd 12")


def test_tests_are_joined_to_their_clauses(tmp_path: Path) -> None:
    """The tests named in a folder for a clause stand with that clause, and change no digest."""
    folder = copied(tmp_path, US)
    (folder / TESTS).write_text('Header = ["tests/rulebooks/test_loader.py::test_tests"]', "utf-8")
    rulebook = loaded(folder)
    tests = {clause.clause: clause.tests for clause in rulebook.clauses if clause.tests}
    assert tests == {"Header": ("tests/rulebooks/test_loader.py::test_tests",)}
    assert rulebook.digest == venue(US).digest


@pytest.mark.parametrize(
    "reference",
    ["", "nowhere", "us-double-zer", "US-DOUBLE-ZERO", "a\x00b", "x" * 5_000, "\ud800", __file__, f"{US}/.."],
)
def test_unknown_rulebook_is_refused(reference: str) -> None:
    """What is neither a venue's id nor a folder is refused, and the venues there are are named."""
    says = (
        f"There is no rulebook {reference!r}: give a folder that holds rulebook.toml, or one of "
        "clearwater-etg, marina-bay-sands-2020, skycity-adelaide-2003, us-double-zero, "
        "generic-american, generic-european, generic-european-partage, generic-european-prison, generic-multiplier, "
        "generic-progressive, generic-triple-zero, generic-two-in-a-row."
    )
    facts = {"rulebook": reference, "known": rulebook_ids()}
    assert load_rulebook(reference) == Refusal(Code.UNKNOWN_RULEBOOK, None, says, facts)


@pytest.mark.parametrize(
    ("edits", "count"),
    [
        ([(RULEBOOK, "pays = 35", "pays = 0")], "1 complaint"),
        ([(RULEBOOK, "pays = 35", "pays = 0"), (CLAUSES, WALKED, "")], "2 complaints"),
    ],
)
def test_inconsistent_rulebook_is_refused(edits: list[Edit], count: str, tmp_path: Path) -> None:
    """A folder that does not make a rulebook is refused with every complaint by file, key and words."""
    folder = copied(tmp_path, US, *edits)
    answer = load_rulebook(str(folder))
    assert isinstance(answer, Refusal)
    assert (answer.code, answer.clause) == (Code.RULEBOOK_INCONSISTENT, None)
    assert answer.message == f"The rulebook in {folder} is not consistent: {count}."
    reported = complaints(folder)
    assert answer.facts == {"rulebook": str(folder), "complaints": reported}
    assert f"{len(reported)} " in count
    assert str(complaints(folder)[0]) == "rulebook.toml: paytable.prices.straight.pays: must be above 0, to one"


@pytest.mark.parametrize("file", [RULEBOOK, CLAUSES])
def test_missing_file_is_named(file: str, tmp_path: Path) -> None:
    """A rulebook's missing file is the one thing complained of."""
    folder = copied(tmp_path, US)
    (folder / TESTS).write_text('Header = ["tests/rulebooks/test_loader.py::test_tests"]', "utf-8")
    (folder / file).unlink()
    assert complaints(folder) == (Problem(file, "", "cannot be read: No such file or directory"),)


@pytest.mark.parametrize("file", [RULEBOOK, CLAUSES, WHEELS, LAYOUTS, TESTS])
def test_what_is_no_plain_file_is_complained_of(file: str, tmp_path: Path) -> None:
    """A pipe, a folder or a link to itself in the place of a file is complained of, and keeps nobody waiting."""
    for kind in ("pipe", "folder", "loop"):
        folder = copied(tmp_path / kind, US)
        path = folder / file
        path.unlink(missing_ok=True)
        match kind:
            case "pipe":
                os.mkfifo(path)
            case "folder":
                path.mkdir()
            case _:
                path.symlink_to(path)
        (reported,) = complaints(folder)
        assert (reported.file, reported.key) == (file, "")
        assert reported.says.startswith("cannot be read: ")


def test_empty_folder_lacks_both_files(tmp_path: Path) -> None:
    """Of a folder with nothing in it both files are missed, and nothing is said of what they would hold."""
    says = "cannot be read: No such file or directory"
    assert complaints(tmp_path) == (Problem(RULEBOOK, "", says), Problem(CLAUSES, "", says))


@pytest.mark.parametrize("file", [RULEBOOK, CLAUSES, WHEELS, LAYOUTS, TESTS])
@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"a = ", "is not TOML: Invalid value (at end of document)"),
        (b"a = 1\na = 2\n", "is not TOML: Cannot overwrite a value (at line 2, column 6)"),
        (b"a = '\xff'", "is not UTF-8 text: byte 5"),
        ("a = 1".encode("utf-16"), "is not UTF-8 text: byte 0"),
        (b"a = " + b"[" * 50_000, "is not TOML: maximum recursion depth exceeded"),
        (b"a = " + b"9" * 5_000, "is not TOML: Exceeds the limit (4300 digits)"),
        (b".".join([b"a"] * 5_000) + b" = 1", "is not TOML: it is nested more than 20 deep"),
        (b"#" * 4_000_001, "cannot be read: larger than 4 MB"),
    ],
    ids=["unfinished", "twice", "latin", "utf-16", "deep", "huge", "dotted", "long"],
)
def test_broken_file_is_named_and_nothing_else(file: str, content: bytes, says: str, tmp_path: Path) -> None:
    """A file that is not TOML in UTF-8 is the one thing complained of, with the place where it breaks."""
    folder = copied(tmp_path, US)
    (folder / file).write_bytes(content)
    (complaint,) = complaints(folder)
    assert (complaint.file, complaint.key) == (file, "")
    assert complaint.says.startswith(says)


def test_byte_order_mark_is_taken(tmp_path: Path) -> None:
    """A file that begins with a byte order mark, as some editors write it, is read like any other."""
    folder = copied(tmp_path, US)
    (folder / RULEBOOK).write_text((folder / RULEBOOK).read_text("utf-8"), "utf-8-sig")
    assert loaded(folder) == venue(US)


def test_folder_in_place_of_a_file_is_named(tmp_path: Path) -> None:
    """A folder where a file should be cannot be read, and is said to be one."""
    folder = copied(tmp_path, US)
    (folder / CLAUSES).unlink()
    (folder / CLAUSES).mkdir()
    assert complaints(folder) == (Problem(CLAUSES, "", "cannot be read: Is a directory"),)


WHEELS_KNOWN = "european, american, european-double-zero, american-triple-zero"
LAYOUTS_KNOWN = "single-zero, side-by-side-zeros, stacked-zeros, three-zeros, french"


@pytest.mark.parametrize(
    ("edit", "complaint"),
    [
        (('wheel = "american"', 'wheel = "african"'), ("wheel", f"'african' is none of {WHEELS_KNOWN}")),
        (('wheel = "american"', "wheel = 5"), ("wheel", f"5 is none of {WHEELS_KNOWN}")),
        (('wheel = "american"', "wheel = []"), ("wheel", f"a list is none of {WHEELS_KNOWN}")),
        (('wheel = "american"\n', ""), ("wheel", f"missing: one of {WHEELS_KNOWN}")),
        (('layout = "side-by-side-zeros"', 'layout = "round"'), ("layout", f"'round' is none of {LAYOUTS_KNOWN}")),
        (('layout = "side-by-side-zeros"\n', ""), ("layout", f"missing: one of {LAYOUTS_KNOWN}")),
    ],
)
def test_wheel_and_layout_are_fetched_by_name(
    edit: tuple[str, str], complaint: tuple[str, str], tmp_path: Path
) -> None:
    """A wheel or layout that is not known, or not named, is complained of with the names that are."""
    assert complaints(copied(tmp_path, US, (RULEBOOK, *edit))) == (Problem(RULEBOOK, *complaint),)


def test_clause_is_a_table(tmp_path: Path) -> None:
    """A clause that is not a table is complained of by its name."""
    folder = copied(tmp_path, US, (CLAUSES, '["Header"]', 'Footer = 5\n["Header"]'))
    assert complaints(folder) == (Problem(CLAUSES, "Footer", "expected a table"),)


def test_tests_of_a_clause_are_a_list(tmp_path: Path) -> None:
    """A misfit in the list of tests is complained of in that file."""
    folder = copied(tmp_path, US)
    (folder / TESTS).write_text("Header = 5", "utf-8")
    assert complaints(folder) == (Problem(TESTS, "Header", "expected a list, found 5"),)


def test_tests_of_an_unknown_clause_are_complained_of(tmp_path: Path) -> None:
    """Tests named for a clause that the document does not have are complained of."""
    folder = copied(tmp_path, US)
    (folder / TESTS).write_text("Footer = []", "utf-8")
    assert complaints(folder) == (Problem(TESTS, "Footer", "is not a clause of this document"),)


#: The files beside the rulebook, misshapen: what is told is told of them, by the names they use.
MISSHAPEN_BESIDE = [
    ((WHEELS, "confirmed = true", "confirmed = 1"), ("european.confirmed", "expected true or false, found 1")),
    ((WHEELS, "confirmed = true", 'confirmed = "no"'), ("european.confirmed", "expected true or false, found 'no'")),
    ((WHEELS, 'order = [\n  "0"', "order = [\n  0"), ("european.order[0]", "expected text, found 0")),
    ((WHEELS, "alternating = true\n", ""), ("european.alternating", "missing")),
    ((WHEELS, "[european]", "european = 5\n[roman]"), ("european", "expected a table")),
    ((LAYOUTS, 'pocket = "0"', "pocket = 0"), ("single-zero.zeros[0].pocket", "expected text, found 0")),
    ((LAYOUTS, '["1", "2", "3"]', '"123"'), ("single-zero.rows[0]", "expected a list, found '123'")),
    ((LAYOUTS, "rows = [", "lines = 12\nrows = ["), ("single-zero", "no such key: lines")),
    ((LAYOUTS, "[single-zero]", "single-zero = []\n[other]"), ("single-zero", "expected a table")),
    ((CLAUSES, 'says = "', 'say = "'), ("Header", "no such key: say")),
    ((CLAUSES, "does = ", "does = 5 # "), ("Header.does", "expected text, found 5")),
    ((WHEELS, "confirmed = true", 'id = "roman"\nconfirmed = true'), ("european", "no such key: id")),
    ((CLAUSES, 'says = "', 'clause = "Footer"\nsays = "'), ("Header", "no such key: clause")),
    ((CLAUSES, 'says = "', 'tests = []\nsays = "'), ("Header", "no such key: tests")),
    ((CLAUSES, WALKED, 'code = "physical"'), ("Placement 3.code", "expected a list, found 'physical'")),
]


@pytest.mark.parametrize(("edit", "reported"), MISSHAPEN_BESIDE)
def test_misshapen_file_is_complained_of_by_its_name(edit: Edit, reported: tuple[str, str], tmp_path: Path) -> None:
    """What is misshapen in the files beside the rulebook is complained of there, by the keys of that file."""
    place = ADELAIDE if edit[0] in (WHEELS, LAYOUTS) else US
    assert Problem(edit[0], *reported) in complaints(copied(tmp_path, place, edit))


_UNSEEN = "has a control character, a line break, or a mark that hides or reverses text"


@pytest.mark.parametrize(
    ("edit", "key"),
    [
        ((RULEBOOK, 'venue = "', 'venue = "\\u001b[2J'), "venue"),
        ((RULEBOOK, 'label = "straight up"', 'label = "straight \\u202epu"'), "paytable.prices.straight.label"),
        ((RULEBOOK, 'aliases = ["', 'aliases = ["\\u2066'), "calls[0].aliases[0]"),
        ((CLAUSES, 'says = "', 'says = "\\u0007'), "1.says"),
        ((CLAUSES, 'topic = "', '"\\u009b" = "'), "1.\x9b"),
        ((KINDS, 'fr = "trio"', 'fr = "tr\\nio"'), "trio.names.fr"),
    ],
)
def test_text_that_would_look_like_another_is_complained_of(edit: Edit, key: str, tmp_path: Path) -> None:
    """No text of a rulebook can control a terminal or a printer, or is read other than it is written."""
    assert Problem(edit[0], key, _UNSEEN) in complaints(copied(tmp_path, "generic-european", edit))
