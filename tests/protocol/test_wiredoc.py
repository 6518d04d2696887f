"""The page on the wire is true: it is what the messages say."""

import re
from typing import get_args

import msgspec
import pytest

from croupier.house.declare import COMMANDS, MachineRole
from croupier.house.ids import DeviceKind
from croupier.protocol import inbound
from croupier.server.assets import TRAINER
from tests.support.wire.samples import REPORTED, SAID
from tests.support.wiredoc import PAGE, example, page, summary, without_sample

#: The messages that `server/ticket_desk.py` translates into commands.
MONEY_MESSAGES = (
    inbound.Note,
    inbound.TicketIn,
    inbound.CashOut,
    inbound.CollectFor,
    inbound.Redeem,
    inbound.Practice,
)


def test_page_is_current() -> None:
    """The page is what the messages give today; `python -m tests.support.wiredoc --write` makes it so."""
    assert PAGE.read_text("utf-8") == page()


def test_every_message_has_an_example() -> None:
    """No message and no part of one is without its example."""
    assert without_sample() == set()


@pytest.mark.parametrize("sample", SAID, ids=lambda sample: type(sample).__name__)
def test_example_is_taken_in(sample: msgspec.Struct) -> None:
    """Each inbound sample of a page is parsed as the message it shows."""
    assert inbound.decode(example(sample).encode()) == sample


@pytest.mark.parametrize("sample", REPORTED, ids=lambda sample: type(sample).__name__)
def test_example_is_read_back(sample: msgspec.Struct) -> None:
    """Each outbound sample of a page can be read back as that message."""
    assert msgspec.json.decode(example(sample), type=type(sample)) is not None


def test_every_command_is_listed() -> None:
    """The page has a line for every command that may be asked for."""
    text = page()

    for command in get_args(inbound.TerminalCommand | inbound.StaffCommand):
        assert f"| `{command.__name__}` | {summary(command)} |" in text


def test_tables_are_whole() -> None:
    """Every row of a table is one line and has the cells of its heading, so that a reader sees one table."""
    text = re.sub(r"^```.*?^```", "", page(), flags=re.MULTILINE | re.DOTALL)
    blocks = [[line for line in block.splitlines() if line.strip()] for block in text.split("\n\n")]
    tables = [block for block in blocks if block and any(line.startswith("|") for line in block)]

    assert len(tables) > 100
    assert [block[0] for block in tables if not all(re.fullmatch(r"\|.*\|", line) for line in block)] == []
    assert [block[0] for block in tables if not re.fullmatch(r"\|(---\|)+", block[1])] == []


def test_remark_over_two_lines_is_whole() -> None:
    """A remark that goes over lines in the source is whole in the page, and begins with a capital letter."""
    assert "the one that came last. None before there are two spins for each pocket. |" in page()
    types = r"(?:…\]|text|number|boolean|null)(?:; may be left out)?"
    remarks = re.findall(rf"^\| `\w+` \| [^|]*?{types}\. ([^|]+) \|$", page(), flags=re.MULTILINE)
    assert len(remarks) > 100
    assert [remark for remark in remarks if remark[0].islower()] == []


def test_limits_are_public() -> None:
    """No private name of the code is listed as a limit."""
    assert re.findall(r"`_\w+`", page().split("## Limits\n")[1]) == []


def test_every_page_is_listed() -> None:
    """The page has the address of every page that the server has."""
    listed = set(re.findall(r"`/(\w+)`", page().split("## HTTP\n")[1].split("\n## ")[0]))

    assert {*map(str, DeviceKind), TRAINER} <= listed


@pytest.mark.parametrize(
    ("command", "row"),
    [
        ("PlaceBets", "terminal | open, open running, last call | 1"),
        ("OpenBets", "system, deal | between, paying | 1"),
        ("PayPayable", "cash, inspect | any | 2"),
    ],
)
def test_command_is_listed_with_its_permission(command: str, row: str) -> None:
    """The page says who may send a command, in which phases of the round, and how many sign it."""
    (line,) = (line for line in page().splitlines() if line.startswith(f"| `{command}` | "))

    assert f" | {row} | " in line


def test_command_is_sent_as_it_is_or_by_its_messages() -> None:
    """A command that names messages is carried by those of the wire alone; one of a driver or a machine by none."""
    sent = set(get_args(inbound.TerminalCommand | inbound.StaffCommand))

    for kind, declared in COMMANDS.items():
        players_or_staff = declared.permission.duties or MachineRole.TERMINAL in declared.permission.machines
        reported = declared.messages or declared.by_driver
        assert (kind in sent) == bool(players_or_staff and not reported), kind
    carried = {tag for declared in COMMANDS.values() for tag in declared.messages}
    assert carried == {each.__struct_config__.tag for each in MONEY_MESSAGES}
