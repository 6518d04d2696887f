"""The pages are true: what they show is what happens."""

import doctest
import re
import shlex
import subprocess
import sys
from enum import StrEnum
from pathlib import Path
from textwrap import dedent

import pytest

from croupier.cli.felt import felt_svg
from croupier.cli.main import run
from croupier.house.credit.tickets import TicketState
from croupier.house.state.ledger import LedgerAccount
from croupier.house.state.tables import Phase
from croupier.rules.procedure import Duty, Reason
from croupier.rules.refusal import CitedTopic, Code
from croupier.rules.rulebook import Rulebook

pytestmark = pytest.mark.untraced

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


def shown_commands(page: Path) -> list[tuple[str, str]]:
    """Every command after ``$`` that a page shows, with what it says is printed."""
    found = re.findall(r"^( *)```console\n(.*?)^\1```", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    blocks = [dedent(block) for _, block in found]
    return [
        found for block in blocks for found in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, flags=re.MULTILINE)
    ]


#: A test of its own walks through the tutorial, whose commands run side by side: tests/browser/test_tutorial.py.
SHOWING = [page for page in PAGES if shown_commands(page) and page.name != "tutorial.md"]


def _said(command: str, capsys: pytest.CaptureFixture[str]) -> str:
    """Run a command as a shell would, and give what it prints, or nothing where that goes into a file."""
    line, _, file = command.partition(" > ")
    program, *arguments = shlex.split(line)
    if program == "python":
        done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=True)
        return done.stdout + done.stderr
    assert program == "croupier"
    run(arguments)
    said = capsys.readouterr()
    if file:
        Path(file).write_text(said.out, "utf-8")
    return said.err if file else said.out + said.err


def output_pattern(printed: str) -> str:
    """Read what a page shows: ``…`` stands for the rest of a figure or a line, and alone in a line for any lines."""
    lines = printed.strip("\n").splitlines()
    return "\n".join("(?s:.*)" if line == "…" else re.escape(line).replace("…", ".*") for line in lines)


@pytest.mark.parametrize("page", SHOWING, ids=lambda page: page.name)
def test_commands_print_what_the_page_shows(
    page: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The commands of a page, one after the other in one folder, print what the page shows."""
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "src").symlink_to(ROOT / "src")
    for command, printed in shown_commands(page):
        shown = "\n".join(line.rstrip() for line in _said(command, capsys).strip("\n").splitlines())

        assert re.fullmatch(output_pattern(printed), shown), f"{command}\n{shown}"


def test_pages_show_commands() -> None:
    """There are commands in the pages to be checked."""
    assert sum(len(shown_commands(page)) for page in PAGES) > 15


@pytest.mark.parametrize("page", ["commands.md", "house.md"])
def test_python_examples_run(page: str) -> None:
    """The Python shown in a page does what it shows."""
    failed, tried = doctest.testfile(str(ROOT / "docs" / page), module_relative=False)

    assert tried > 0
    assert failed == 0


@pytest.mark.parametrize("words", [Phase, LedgerAccount, TicketState, Duty], ids=lambda words: words.__name__)
def test_house_page_lists_every_word(words: type[StrEnum]) -> None:
    """The page on the house has a line for every phase, account, state of a ticket and duty, and no others."""
    page = (ROOT / "docs" / "house.md").read_text("utf-8")
    tables = [set(re.findall(r"^\| `([a-z_]+)` \|", table, flags=re.MULTILINE)) for table in page.split("\n\n")]

    assert set(words) in tables


def test_house_page_names_whose_duty_is_what(rulebook: Rulebook) -> None:
    """The page on the house names the title that each duty falls to at each venue."""
    page = (ROOT / "docs" / "house.md").read_text("utf-8")
    place = ["marina-bay-sands-2020", "skycity-adelaide-2003", "clearwater-etg", "us-double-zero"].index(rulebook.id)
    rows = [line.strip("| ").split(" | ") for line in page.split("\n| Duty |")[1].split("\n\n")[0].splitlines()[2:]]

    reported = {row[0].strip("`"): row[1 + place] for row in rows if row[1 + place].istitle()}
    assert reported == {duty.value: ruling.choice for duty, ruling in rulebook.staff.duties.items()}


@pytest.mark.parametrize("words", [Reason, CitedTopic], ids=lambda words: words.__name__)
def test_rulebooks_page_lists_every_word(words: type[StrEnum]) -> None:
    """The page on rulebooks lists every reason and every matter in order, in a table that is read downwards."""
    page = (ROOT / "docs" / "rulebooks.md").read_text("utf-8")
    tables = [[row.split("|")[1:-1] for row in part.splitlines() if "`" in row] for part in page.split("\n\n")]
    listed = [[cell.strip(" `") for column in zip(*rows, strict=False) for cell in column] for rows in tables]

    assert [word.value for word in words] in [[cell for cell in cells if cell] for cells in listed]


def test_every_refusal_code_is_in_the_notation_page() -> None:
    """The page on the notation lists every code of refusal, in order of precedence."""
    page = (ROOT / "docs" / "notation.md").read_text("utf-8")

    assert re.findall(r"^\| `([a-z_]+)` \|", page, flags=re.MULTILINE) == [code.value for code in Code]


def test_felt_pictures_are_current(rulebook: Rulebook) -> None:
    """The pictures of the felts in docs are what the command draws today."""
    picture = ROOT / "docs" / "felts" / f"{rulebook.id}.svg"

    assert picture.read_text("utf-8") == felt_svg(rulebook)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    """Every link from a page to a file of the project leads to one."""
    presence = re.findall(r"\]\((?!https?:|#)([^)#]+)", page.read_text("utf-8"))

    assert [link for link in presence if not (page.parent / link).exists()] == []


def headings(page: Path) -> set[str]:
    """The fragments of links to a page: of its headings, and the ids that it sets itself."""
    text = page.read_text("utf-8")
    prose = re.sub(r"^ *```.*?^ *```", "", text, flags=re.MULTILINE | re.DOTALL)
    words = (
        re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", title).lower() for title in re.findall(r"^#+ (.*)$", prose, re.MULTILINE)
    )
    return {re.sub(r"[^\w\- ]", "", title).replace(" ", "-") for title in words} | {*re.findall(r'id="([^"]+)"', text)}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_headings(page: Path) -> None:
    """Every link from a page to a part of a page leads to one that is there."""
    links = re.findall(r"\]\((?!https?:)([^)#]*)#([^)]+)\)", page.read_text("utf-8"))
    targets = [(page.parent / path if path else page, part) for path, part in links]

    assert [(path, part) for path, part in targets if path.suffix == ".md" and part not in headings(path)] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_modules_are_named_as_they_are(page: Path) -> None:
    """Every module of a package of croupier that a page names by its path is there."""
    packages = "|".join(each.name for each in (ROOT / "src/croupier").iterdir() if each.is_dir())
    named = re.findall(rf"`((?:{packages})/[\w/]+\.py)`", page.read_text("utf-8"))

    assert [path for path in named if "SUBJECT" not in path and not (ROOT / "src/croupier" / path).exists()] == []


def test_pages_that_files_name_exist() -> None:
    """Every page of docs that code, settings, units or scripts name is there."""
    folders = ("src", "tests", "benchmarks", "deploy", "scripts")
    files = [ROOT / "pyproject.toml", *(each for folder in folders for each in (ROOT / folder).rglob("*"))]
    texts = {
        each: each.read_bytes() for each in files if each.is_file() and each.suffix not in {".pyc", ".webm", ".png"}
    }
    named = {(each, page) for each, text in texts.items() for page in re.findall(rb"docs/[\w/-]+\.md", text)}

    assert {str(each): page for each, page in named if not (ROOT / page.decode()).exists()} == {}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_paths_name_files(page: Path) -> None:
    """Every path of the project that a page names is that of a file or a directory."""
    paths = re.findall(r"(?<![\w/.-])(?:src|tests|docs|scripts|benchmarks)/[\w./-]*\w", page.read_text("utf-8"))

    assert [path for path in paths if "/ID." not in path and not (ROOT / path).exists()] == []
