"""Statements of the pages that no example shows are compared with the code and the data."""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from importlib.metadata import entry_points
from pathlib import Path
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

import click
import pytest

from croupier.cli.main import app, run
from croupier.config.reader import read_config
from croupier.config.schema import Config
from croupier.devices.in_rim_reader import SerialWheel
from croupier.house.settings import Mode
from croupier.journal.stores.sqlite import SqliteStore
from croupier.rules.procedure import InfringementKind
from croupier.rules.rulebook import Rulebook
from tests.conftest import DOCUMENTS

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md")])


def _text(name: str) -> str:
    return (DOCS / name).read_text("utf-8")


def _prose(page: Path) -> str:
    """Return a page without its blocks of code."""
    return re.sub(r"^ *```.*?^ *```", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_tables_are_whole(page: Path) -> None:
    """Every table of a page has a heading, a rule under it, and as many cells in each row as in the heading."""
    for block in re.split(r"\n\s*\n", _prose(page)):
        rows = [line for line in block.splitlines() if line.startswith("|")]
        if rows:
            assert len(rows) > 1, rows
            assert re.fullmatch(r"\|( ?:?-+:? ?\|)+", rows[1]), rows[0]
            assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {rows[1].count("|")}, rows[0]


def _anchors(page: Path) -> set[str]:
    """List the anchors of a page: its headings, as GitHub names them, and its own."""
    text = page.read_text("utf-8")
    headings = re.findall(r"^#+ (.+)$", _prose(page), flags=re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings} | set(
        re.findall(r'<a id="([^"]+)"', text)
    )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_headings(page: Path) -> None:
    """Every link to a part of a page leads to a heading or an anchor of that page."""
    links = re.findall(r"\]\((?!https?:)([^)#]*)#([^)]+)\)", page.read_text("utf-8"))
    targets = [((page.parent / name) if name else page, anchor) for name, anchor in links]

    assert [(name.name, anchor) for name, anchor in targets if anchor not in _anchors(name)] == []


# The README, the index and the list of commands.

README = (ROOT / "README.md").read_text("utf-8")
README_LINES_MAX = 149


def test_readme_is_short() -> None:
    """The README has fewer than 150 lines: the command table, the notation and lists of pages are in docs."""
    assert len(README.splitlines()) <= README_LINES_MAX


def test_claims_of_the_readme_have_a_proof() -> None:
    """Each of the five reasons names the tests that show it, or a measured figure."""
    reasons = re.split(r"^- ", README.split("## Why it is different\n")[1].split("\n\n")[0], flags=re.MULTILINE)[1:]

    assert len(reasons) == 5
    proofs = [re.split(r"Proof:\s", reason)[1] for reason in reasons]
    assert all(re.search(r"\(tests/[\w/]+/test_\w+\.py\)|\(docs/performance\.md#\w+\)", proof) for proof in proofs)


def test_figures_of_the_readme_are_measured() -> None:
    """Rates and times of the README are those of the page with the figures, and follow from each other."""
    (rates,) = re.findall(r"commits ([\d,]+) to ([\d,]+) durable bets a second", README)
    (times,) = re.findall(r"at ([\d.]+) to ([\d.]+) µs", README)

    figures = _text("performance.md")
    assert f"At {times[0]} to {times[1]} µs of processor time for a bet" in figures
    assert f"{rates[0]} to {rates[1]} durable bets a second" in figures
    for rate, time in zip(rates, reversed(times), strict=True):
        assert int(rate.replace(",", "")) == pytest.approx(1_000_000 / float(time), rel=0.01)
        assert re.search(rf"^\| .*\b{time}\b.*\|$", figures, flags=re.MULTILINE)


def test_clauses_of_the_readme_are_counted() -> None:
    """The README has the number of clauses of all documents, and of those with code and tests."""
    folders = [each.parent for each in (ROOT / "src").rglob("clauses.toml") if each.parent.name in DOCUMENTS]
    clauses = {(folder, name): clause for folder in folders for name, clause in _toml(folder / "clauses.toml").items()}
    tests = {(folder, name) for folder in folders for name, found in _toml(folder / "tests.toml").items() if found}
    whole = [key for key, clause in clauses.items() if "code" in clause and key in tests]

    assert f"The {len(clauses)} clauses of four venues' documents" in README
    assert f"{len(whole)} have code and tests" in README


def _toml(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text("utf-8"))


def test_index_has_every_page() -> None:
    """Every page of docs is in the index, and every reader has pages."""
    index = DOCS / "README.md"
    listed = {(DOCS / link).resolve() for link in re.findall(r"\]\(([^)#]+\.md)", index.read_text("utf-8"))}

    assert {page.resolve() for page in DOCS.rglob("*.md")} - listed == {index.resolve()}
    parts = index.read_text("utf-8").split("\n## ")[1:]
    assert len(parts) == 7
    assert [part.splitlines()[0] for part in parts if "\n- [" not in part] == []


def test_commands_page_lists_every_command() -> None:
    """The page on the command line has every command, and names no other."""
    listed = re.findall(r"`croupier (\w+)|`(printer|rng) ", _text("commands.md").split("## Commands\n")[1])

    assert {first or second for first, second in listed} == set(app.list_commands(click.Context(app)))


def _messages() -> Iterator[str]:
    """List the English messages of the screens of staff that are more than a value."""
    words = ROOT / "src" / "croupier" / "server" / "static" / "words"
    for file in (words / "en.json", words / "staff" / "en.json", words / "live" / "en.json"):
        texts = json.loads(file.read_text("utf-8")).values()
        yield from (text for text in texts if re.search(r"[A-Z]|[a-z]{4}", re.sub(r"\{[^}]*\}", "", text)))


@pytest.mark.parametrize("page", ["sign-in", "dealer", "live-table", "pit", "cashier", "auditor"])
def test_manual_of_staff_has_the_words_of_the_screen(page: str) -> None:
    """What a page for staff sets in italics is on the screen: a label, a button, a sentence or the first of several."""
    shown = [re.sub(r"\\\{[^}]*\\\}", "[^.]+", re.escape(text)) for text in _messages()]
    whole, first = (re.compile("|".join(texts)) for texts in (shown, [text.partition(r"\.\ ")[0] for text in shown]))
    said = [" ".join(each.split()) for each in re.findall(r"(?<!\*)\*([^*]+)\*(?!\*)", _text(f"{page}.md"))]

    assert said
    assert [
        each
        for each in said
        if not (first.fullmatch(each.removesuffix(". …")) if each.endswith(". …") else whole.fullmatch(each))
    ] == []


def test_figures_are_in_one_page() -> None:
    """No page but the one on performance has figures of benchmarks: processor time, percentiles or rates."""
    figure = re.compile(r"\d ?µs\b|\bp99\b.*\d ms|[\d,]{5,} (bets|responses) a second|processor time.*\d (ms|s)\b")
    manuals = [page for page in DOCS.glob("*.md") if page.name not in ("performance.md", "journal.md", "scaling.md")]

    assert [(page.name, line) for page in manuals for line in _prose(page).splitlines() if figure.search(line)] == []


# Rulebooks and readings.


def _parts(kind: Any) -> Iterator[type]:  # noqa: ANN401 - any type
    """List the dataclasses that a type is made of."""
    if isinstance(kind, type) and is_dataclass(kind):
        yield kind
    elif isinstance(kind, UnionType) or get_origin(kind) is not None:
        for each in get_args(kind):
            yield from _parts(each)


def _toml_keys(value: object, *, named: bool = False) -> Iterator[str]:
    """List the keys of TOML data that the format names; those of a table of names are left out."""
    if isinstance(value, Mapping):
        for key, each in value.items():
            if not named:
                yield key
            yield from _toml_keys(each, named=key in ("prices", "calls", "duties", "cites", "messages"))
    elif isinstance(value, list):
        for each in value:
            yield from _toml_keys(each)


def test_rulebooks_page_describes_every_key() -> None:
    """Every key that a shipped rulebook has, and every optional part of a rulebook, is on the page on rulebooks."""
    page = _text("rulebooks.md")
    shipped = [tomllib.loads(each.read_text("utf-8")) for each in (ROOT / "src").rglob("rulebook.toml")]
    keys = {key for each in shipped for key in _toml_keys(each)}
    rules = {part for hint in get_type_hints(Rulebook).values() for part in _parts(hint)}
    optional = {each.name for part in rules for each in fields(part) if get_type_hints(part)[each.name] == (str | None)}

    assert len(shipped) == 12
    assert sorted(key for key in keys | optional | set(InfringementKind) if not re.search(rf"\b{key}\b", page)) == []


def test_readings_have_a_status_and_name_modules() -> None:
    """Each reading says where it is implemented, and each module that it names exists."""
    readings = re.split(r'^<a id="[A-E]\d+"></a>', _text("readings.md").split("## Between")[0], flags=re.MULTILINE)[1:]

    assert len(readings) > 70
    assert [each.splitlines()[0] for each in readings if not re.search(r"\*In\s+the\s+(code|data)\*", each)] == []
    modules = {name for each in readings for name in re.findall(r"`([a-z_]+/[a-z_]+\.py)`", each)}
    assert [name for name in sorted(modules) if not (ROOT / "src" / "croupier" / name).exists()] == []


# Extending: the venue.


def test_steps_of_a_new_venue_work(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The copied rulebook with the edits of the page is consistent, and plays the round that the page shows."""
    section = _text("extending.md").split("## Add a venue\n")[1].split("\n## ")[0]
    source, target = re.findall(r"^ +cp -r (\S+) (\S+)$", section, flags=re.MULTILINE)[0]
    edits = re.findall(r"^   ```toml\n(.*?)^   ```$", section, flags=re.MULTILINE | re.DOTALL)[0]
    (round_,) = re.findall(r"^       (rulebook .*?)(?=^\S)", section, flags=re.MULTILINE | re.DOTALL)
    venue = tmp_path / target
    venue.joinpath("rounds").mkdir(parents=True)
    for name in ("rulebook.toml", "clauses.toml"):
        venue.joinpath(name).write_text((ROOT / source / name).read_text("utf-8"), "utf-8")
    rules = venue / "rulebook.toml"
    text = rules.read_text("utf-8")
    top, limits = edits.split("   [limits]\n")
    for begins, part in (("", top), ("\n[limits]\n", limits)):
        for key, value in re.findall(r"^   (\w+) = (.*?)(?: +#.*)?$", part, flags=re.MULTILINE):
            before, at, after = text.partition(begins) if begins else ("", "", text)
            after, found = re.subn(rf"^{key} = .*$", f"{key} = {value}", after, count=1, flags=re.MULTILINE)
            assert found == 1
            text = before + at + after
    rules.write_text(text, "utf-8")
    lines = "\n".join(line.removeprefix("       ") for line in round_.splitlines())
    venue.joinpath("rounds", "placement-5.round").write_text(lines, "utf-8")
    monkeypatch.chdir(tmp_path)

    assert run(["check", target]) == 0
    assert run(["round", target]) == 0
    assert "1 round holds." in capsys.readouterr().out


# The configuration of the tutorial.


def test_configuration_of_the_tutorial_is_read(tmp_path: Path) -> None:
    """The configuration that ships with the tutorial has live table, terminals, wheel, TLS and staff."""
    path = tmp_path / "croupier.toml"
    path.write_text((ROOT / "deploy" / "examples" / "venue" / "croupier.toml").read_text("utf-8"), "utf-8")
    for name in ("venue.pem", "venue.key"):
        (tmp_path / name).touch()
    config = read_config(path)

    assert isinstance(config, Config), config
    assert (config.mode, config.listen.tls is not None) == (Mode.REAL, True)
    live, alone = config.tables
    assert (live.settings.live is not None, live.seats, live.driver) == (True, 1, SerialWheel)
    assert (alone.settings.live, alone.seats) == (None, 1)
    titles = {title for person in config.staff for title in person.titles}
    assert titles == {"Dealer", "Inspector", "Pit Boss", "Shift Manager", "Cashier", "Auditor"}


# Operating.


@pytest.mark.parametrize("group", ["croupier.wheels", "croupier.acceptors", "croupier.printers"])
def test_operating_page_names_the_drivers(group: str) -> None:
    """Every driver of a device that comes with Croupier, other than an emulation, is on the operating page."""
    ours = [each.name for each in entry_points(group=group) if each.value.startswith("croupier.")]

    assert ours
    assert [name for name in ours if f"`{name}`" not in _text("operating.md") and name != "simulated"] == []


def test_size_of_an_entry_is_as_the_page_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A journal with about one entry on a page takes for each what the operating page says, within a third."""
    (said,) = re.findall(r"alone on its page about (\d+)\.", _text("operating.md"))
    monkeypatch.chdir(tmp_path)
    assert run(["simulate", "--seed", "2", "--export", "data"]) == 0
    store = SqliteStore(tmp_path / "data" / "journal.db")
    last = store.last()
    store.close()

    assert last is not None
    assert (tmp_path / "data" / "journal.db").stat().st_size / last.last == pytest.approx(int(said), rel=1 / 3)
