"""Adding a command takes three files: a toy one is added to a copy of the tree, and every table derives it."""

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from shutil import copytree, ignore_patterns
from typing import Final

import pytest

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
    """A copy of the tree with the toy command, and its generated pages written anew."""
    tree = tmp_path_factory.mktemp("tree")
    left_out = ignore_patterns("browser", "golden", "screens", "felts")
    for folder in ("src", "tests", "docs", "benchmarks"):
        copytree(ROOT / folder, tree / folder, ignore=left_out)
    (tree / "pyproject.toml").write_bytes((ROOT / "pyproject.toml").read_bytes())
    for name, edits in FILES.items():
        path = tree / name
        path.write_text(edited(path.read_text("utf-8") if path.exists() else "", edits), "utf-8")
    for page in ("wiredoc", "wireschema", "wiretypes"):
        run(tree, f"tests.support.{page}", "--write")
    return tree


def test_command_is_added_in_three_files(tree: Path) -> None:
    """With three files written, the command is decided, refused, decoded, journaled, listed and audited."""
    assert len(FILES) == 3

    run(tree, "pytest", "-q", "-p", "no:cacheprovider", "tests/house/floor/test_reservation.py", *WHOLE)


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
