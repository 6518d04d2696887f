"""The types that the pages are checked by are those of the messages."""

import re
from pathlib import Path
from typing import get_args

import pytest

from croupier.protocol import inbound, outbound, queries, staff, terminal
from croupier.server.views import table
from tests.support.wiredoc import structs
from tests.support.wiretypes import TYPES, pages


@pytest.mark.parametrize("path", pages(), ids=lambda path: path.name)
def test_types_are_current(path: Path) -> None:
    """The types are what the messages give today; `python -m tests.support.wiretypes --write` makes them so."""
    assert path.read_text("utf-8") == pages()[path]


def test_every_message_part_and_command_has_a_type() -> None:
    """No message, no part of one and no command is without its type."""
    text = "\n".join(pages().values()).replace("\n *   ", " ")
    types = set(re.findall(r"@typedef \{.*\} (\w+)", text))
    spoken = [each for each in get_args(inbound.Incoming) if isinstance(each, type)]
    reported = [each for each in structs(outbound) if issubclass(each, outbound.OutboundMessage)]
    parts = [each for module in (terminal, staff, queries, table) for each in structs(module)]
    commands = get_args(inbound.TerminalCommand | inbound.StaffCommand)

    assert {each.__name__ for each in (*spoken, *reported, *parts, *commands)} <= types
    assert {"OutboundMessage", "InboundMessage"} <= types


def test_types_are_for_reading_alone() -> None:
    """Nothing of the types is run: a page that loads them gets an empty module."""
    for text in pages().values():
        code = re.sub(r"^/\*.*?\*/$|^//.*?$", "", text, flags=re.DOTALL | re.MULTILINE)
        assert code.strip() == "export {};"


def test_what_may_be_missing_is_marked() -> None:
    """A delta's fields may be missing, a snapshot's fixture too; what every message has is not marked so."""
    text = (TYPES / "wire.js").read_text("utf-8").replace("\n *   ", " ")

    assert '{t: "seat", v: number, last_cmd: number, set?: SeatState, refused?: RefusalBody[]}' in text
    assert '{t: "pong", c: number, now_us: number}' in text
    assert "limits?: KindLimits[]" in text
    assert 'command: import("./commands.js").TerminalCommand' in text
