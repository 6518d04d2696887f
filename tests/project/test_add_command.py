"""Toys of each kind are added to a copy of the tree, in the files that the docs list, and every table derives them."""

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from shutil import copytree, ignore_patterns
from typing import Final

import pytest

from tests.support.wordbook import LANGUAGES

pytestmark = pytest.mark.untraced

ROOT: Final = Path(__file__).parents[2]
#: An edit inserts a text before the anchor; an empty anchor is the end of the file.
Edits = Mapping[str, str]

SUBJECT: Final = '''

@command(Duty.INSPECT, signatures=2)
class ReserveTerminal(TerminalCommand, frozen=True):
    """Reserve a terminal for a player who is away: it takes no bets."""

    words: str


@event("The terminal was reserved. {words}", EventTopic.STAFF, EventTopic.SIGNIFICANT)
class TerminalReserved(TerminalEvent, frozen=True):
    """A terminal was reserved for a player."""

    words: str


@decides(ReserveTerminal)
def reserve_terminal(house: House, command: ReserveTerminal, _context: Context) -> Events:
    terminal = house.terminals[command.terminal]
    if terminal.closed:
        raise _already_closed(house.rulebook_at(terminal), f"Terminal {terminal.id} is out of service already.")
    return (TerminalReserved(command.terminal, command.words),)


@evolves(TerminalReserved)
def terminal_reserved(house: House, event: TerminalReserved, _context: Context) -> None:
    house.terminals[event.terminal].closed = True
'''
TEST: Final = '''\
"""A reserved terminal takes no bets."""

from croupier.house.floor.service import ReserveTerminal, TerminalReserved
from croupier.house.floor.signatures import Approve, ProposalApproved, ProposalMade
from croupier.house.ids import Number, TerminalId
from croupier.protocol import inbound
from croupier.server.events import event_sentence
from tests.support.house_driver import Play, refused

RESERVES = ReserveTerminal(TerminalId("T1"), "Back at nine.")
FRAME = b\'{"t":"ask","id":1,"epoch":1,"command":{"type":"ReserveTerminal","terminal":"T1","words":"Back at nine."}}\'


def test_reserved_terminal_takes_no_bets() -> None:
    """Two people with the duty to inspect reserve a terminal, and then it takes no bets; a dealer may not."""
    play = Play("skycity-adelaide-2003")
    play.seats(T1=100)
    play.open()

    assert refused(play.by("dealer", RESERVES))[0] == "not_authorised"
    (made,) = play.by("inspector", RESERVES)
    assert isinstance(made, ProposalMade)
    approved, reserved = play.by("pit boss", Approve(Number(1)))
    assert isinstance(approved, ProposalApproved)
    assert reserved == TerminalReserved(TerminalId("T1"), "Back at nine.")
    assert refused(play.bet("T1", "5 on 17"))[0] == "terminal_closed"
    assert refused(play.by("inspector", RESERVES))[0] == "already_there"


def test_command_is_decoded() -> None:
    """A console sends the command by its name."""
    message = inbound.decode(FRAME)

    assert isinstance(message, inbound.SendCommand)
    assert message.command == RESERVES


def test_entry_has_its_sentence() -> None:
    """The journal says what happened."""
    reserved = TerminalReserved(TerminalId("T1"), "Back at nine.")

    assert event_sentence(reserved, drawn=False) == "The terminal was reserved. Back at nine."
'''
#: Everything that is written by hand, by file.
FILES: Final[Mapping[str, Edits]] = {
    "src/croupier/house/floor/service.py": {"": SUBJECT},
    "src/croupier/simulation/auditor/permissions.csv": {"": "ReserveTerminal,,inspect,any,2,Duty: blocks terminals\n"},
    "tests/house/floor/test_reservation.py": {"": TEST},
}
#: The tests that compare a table with all commands or all events there are.
WHOLE: Final = (
    "tests/house/floor/test_permissions.py::test_table_names_every_command_and_every_title",
    "tests/house/floor/test_permissions.py::test_table_names_what_takes_two_signatures",
    "tests/house/floor/test_permissions.py::test_command_is_allowed_to_exactly_those_of_the_table[ReserveTerminal]",
    "tests/house/test_replay.py::test_every_command_is_decided_and_granted",
    "tests/house/test_replay.py::test_every_event_is_carried_out",
    "tests/house/test_replay.py::test_every_kind_has_a_tag_of_its_own",
    "tests/server/test_disputes.py::test_every_kind_of_entry_is_about_something",
    "tests/server/test_views.py::test_event_is_published_to_those_it_concerns[TerminalReserved]",
    "tests/protocol/test_wiredoc.py::test_every_command_is_listed",
    "tests/protocol/test_wiretypes.py::test_every_message_part_and_command_has_a_type",
)

#: An event that no command of its own leads to, a refusal with a code of its own, and a setting that both depend on.
CLEANING: Final = """    if any(table.settings.cleans for table in tables):
        if "cleaning" not in command.words:
            clause = house.rulebook_at(terminal).cited_clauses[CitedTopic.CLOSING_DOWN]
            raise Refused(Code.CLEANING_UNSAID, clause, "Say what needs cleaning.")
        return (TerminalClosed(terminal.id, command.words), CleaningDue(terminal.id))
"""
CLOSES: Final = "    return (TerminalClosed(terminal.id, command.words), *_chips_back(house, tables, [terminal.id]))\n"
EVENT: Final = '''

@event("Terminal {terminal} is to be cleaned.", EventTopic.STAFF)
class CleaningDue(TerminalEvent, frozen=True):
    """A terminal is to be cleaned."""


@evolves(CleaningDue)
def cleaning_due(_house: House, _event: CleaningDue, _context: Context) -> None:
    """Change nothing: the journal has it."""
'''
SETTING: Final = """    cleans: Annotated[
        bool, Setting(description="Whether a terminal is cleaned when it is taken out of service.")
    ] = False
"""
CLEANING_TEST: Final = '''\
"""A terminal is cleaned when it is taken out of service."""

from croupier.house.floor.service import CleaningDue, CloseTerminal, TerminalClosed
from croupier.house.ids import TerminalId
from croupier.house.settings import TableSettings
from tests.support.house_driver import Play, refused

T1 = TerminalId("T1")


def test_terminal_is_cleaned() -> None:
    """Where the table is set so, the reason names the cleaning, which is then due."""
    play = Play("generic-european", TableSettings(cleans=True))
    play.seats(T1=100)

    assert refused(play.by("inspector", CloseTerminal(T1, "Dust.")))[0] == "cleaning_unsaid"
    closed = play.by("inspector", CloseTerminal(T1, "For cleaning."))
    assert closed == (TerminalClosed(T1, "For cleaning."), CleaningDue(T1))
'''
SERVICE: Final = "src/croupier/house/floor/service.py"
CLEANED: Final[Mapping[str, Edits]] = {"tests/house/floor/test_cleaning.py": {"": CLEANING_TEST}}
#: What is written by hand for each, by file; the texts of one line go before the one that follows in order.
OTHERS: Final[Mapping[str, Mapping[str, Edits]]] = {
    "An event": {SERVICE: {CLOSES: CLEANING, "": EVENT}, **CLEANED},
    "A refusal with a code of its own": {
        SERVICE: {CLOSES: CLEANING},
        "src/croupier/rules/refusal.py": {
            '    TERMINAL_CLOSED = "terminal_closed"\n': '    CLEANING_UNSAID = "cleaning_unsaid"\n'
        },
        **{
            f"src/croupier/server/static/words/{language}.json": {
                '  "refusal.credit_short":': '  "refusal.cleaning_unsaid": "Say what needs cleaning.",\n'
            }
            for language in LANGUAGES
        },
        "docs/notation.md": {"| `terminal_closed` |": "| `cleaning_unsaid` | nobody said what needs cleaning |\n"},
        **CLEANED,
    },
    "A setting of a table or terminal": {
        SERVICE: {CLOSES: CLEANING},
        "src/croupier/house/settings.py": {"    attest_s: Annotated[\n": SETTING},
        **CLEANED,
    },
}
#: The tests that compare a table with all events, codes or settings there are.
ALL_OTHERS: Final = (
    "tests/house/test_replay.py::test_every_event_is_carried_out",
    "tests/house/test_replay.py::test_every_kind_has_a_tag_of_its_own",
    "tests/server/test_views.py::test_event_is_published_to_those_it_concerns[CleaningDue]",
    "tests/server/test_disputes.py::test_every_kind_of_entry_is_about_something",
    "tests/server/static/test_words.py::test_every_refusal_has_words",
    "tests/project/test_docs.py::test_every_refusal_code_is_in_the_notation_page",
    "tests/config/test_reader.py::test_every_setting_of_the_house_has_a_key",
    "tests/config/test_docs.py",
    "tests/protocol/test_wireschema.py::test_document_is_current",
    "tests/protocol/test_wiretypes.py::test_types_are_current",
)


def edited(text: str, edits: Edits) -> str:
    for anchor, more in edits.items():
        assert not anchor or text.count(anchor) == 1, anchor
        text = text.replace(anchor, more + anchor) if anchor else text + more
    return text


def run(tree: Path, *arguments: str) -> None:
    """Run a module of the copy, by its own sources."""
    environment = {**os.environ, "PYTHONPATH": str(tree / "src")}
    command = [sys.executable, "-m", *arguments]
    done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the tree with the toys, and its generated pages written anew."""
    tree = tmp_path_factory.mktemp("tree")
    left_out = ignore_patterns("browser", "golden", "screens", "felts")
    for folder in ("src", "tests", "docs", "benchmarks"):
        copytree(ROOT / folder, tree / folder, ignore=left_out)
    (tree / "pyproject.toml").write_bytes((ROOT / "pyproject.toml").read_bytes())
    others: dict[str, Edits] = {}
    for files in OTHERS.values():
        others |= {name: {**others.get(name, {}), **edits} for name, edits in files.items()}
    for name, edits in (*FILES.items(), *others.items()):
        path = tree / name
        path.write_text(edited(path.read_text("utf-8") if path.exists() else "", edits), "utf-8")
    for page in ("wiredoc", "wireschema", "wiretypes", "configdoc"):
        run(tree, f"tests.support.{page}", "--write")
    return tree


def test_command_is_added_in_three_files(tree: Path) -> None:
    """With three files written, the command is decided, refused, decoded, journaled, listed and audited."""
    assert len(FILES) == 3

    run(tree, "pytest", "-q", "-p", "no:cacheprovider", "tests/house/floor/test_reservation.py", *WHOLE)


def test_event_refusal_and_setting_are_added(tree: Path) -> None:
    """With their files written, an event, a refusal and a setting are returned, worded, listed and read."""
    run(tree, "pytest", "-q", "-p", "no:cacheprovider", *CLEANED, *ALL_OTHERS)


def test_extending_lists_what_else_is_added() -> None:
    """docs/extending.md has a row for each kind that is added here, with the files that are edited in src and docs."""
    page = (ROOT / "docs" / "extending.md").read_text("utf-8")

    for kind, files in OTHERS.items():
        (row,) = re.findall(rf"^\| {kind} \|.*$", page, flags=re.MULTILINE)
        places = {name.removeprefix("src/croupier/").removeprefix("docs/") for name in files} - {*CLEANED}
        named = {name: "words of each language" if name.startswith("server/static/words/") else name for name in places}
        named["house/floor/service.py"] = "subject"
        assert [name for name in places if named[name] not in row] == []


def test_pages_and_types_derive_the_command(tree: Path) -> None:
    """The wire page lists the command with its permission, and the pages have its type."""
    page = (tree / "docs/wire.md").read_text("utf-8")
    types = (tree / "src/croupier/server/static/shared/types/commands.js").read_text("utf-8")

    (row,) = re.findall(r"^\| `ReserveTerminal` .*$", page, flags=re.MULTILINE)
    assert "| inspect | any | 2 | `terminal` text, `words` text |" in row
    assert '{type: "ReserveTerminal", terminal: string, words: string}' in types


def test_contributing_names_the_files() -> None:
    """CONTRIBUTING.md lists the places of a new command: the files that are edited here, by their kind."""
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    section = text.partition("## Add a command\n")[2].partition("\n## ")[0]

    assert len(re.findall(r"^\d\. ", section, flags=re.MULTILINE)) == len(FILES)
    for place in ("house/PACKAGE/SUBJECT.py", "auditor/permissions.csv", "tests/"):
        assert place in section
