"""The operations page: its commands exist, its messages match the source, and its figures are measured."""

import re
import shlex
import tomllib
from collections.abc import Sequence
from pathlib import Path

import click
import pytest

from croupier.cli.main import app
from croupier.engine.metrics import Metrics, MetricsCollector, exposition
from croupier.house import House
from croupier.rulebooks.schema import read_canonical

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "operating.md").read_text("utf-8")
#: A block with what it is written in, and a span of words within a line or over its end.
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)
PROSE = re.sub(r"^```.*?^```", "", PAGE, flags=re.MULTILINE | re.DOTALL)
SPANS = [" ".join(span.split()) for span in re.findall(r"`([^`]+)`", PROSE)]


def _requested(line: str) -> tuple[str, ...]:
    """Find what is asked of croupier in a line of a shell or a unit; nothing where it is named for another reason."""
    words = shlex.split(line.removeprefix("ExecStart="), comments=True)
    # A user or a container may have the same name.
    words = [] if words and words[0] in ("adduser", "install", "podman") else words
    last = max((at for at, word in enumerate(words) if Path(word).name == "croupier"), default=len(words))
    rest = tuple(words[last + 1 :])
    return rest if rest and rest[0][0].isalpha() else ()


def _commands() -> list[tuple[str, ...]]:
    blocks = [block.replace("\\\n", "") for kind, block in BLOCKS if kind in ("sh", "ini", "console")]
    lines = [line for block in blocks for line in block.splitlines()]
    shown = [line.removeprefix("$ ") for line in lines if re.match(r"[$/a-z]|ExecStart=", line)]
    return sorted(
        {
            requested
            for line in (*shown, *(span for span in SPANS if span.startswith("croupier ")))
            if (requested := _requested(line))
        }
    )


def _parse(arguments: Sequence[str]) -> None:
    """Have the command line read a command, and do nothing about it; UsageError where it cannot."""
    name, *arguments = arguments
    command = app.load(name)
    while isinstance(command, click.Group):
        name, *arguments = arguments
        command = command.commands[name]
    # A span of the page may name a command and leave the rest to the reader.
    if arguments:
        command.make_context(command.name, list(arguments))


@pytest.mark.parametrize("arguments", _commands(), ids=" ".join)
def test_command_of_the_page_can_be_given(arguments: tuple[str, ...]) -> None:
    """Every croupier command line on the page is one that the command line reads."""
    _parse(arguments)


def test_page_shows_commands() -> None:
    """There are commands on the page to be checked, in blocks, in units and in between, and each is found whole."""
    commands = _commands()

    assert len(commands) > 15
    assert {each[0] for each in commands} == {
        *("audit", "backup", "export", "init", "recover", "reload", "restore", "serve", "simulate", "staff", "status"),
        *("day", "verify"),
    }
    assert ("serve", "--config", "/etc/croupier/croupier.toml") in commands
    assert ("staff", "code", "NAME", "--data", "DIR") in commands
    assert any(each[:1] == ("restore",) and each[-1] == "The disk failed at 21:40." for each in commands)


@pytest.mark.parametrize(
    "words",
    [("restore", "x", "--to", "y"), ("audit", "a", "b"), ("backup", "--to", "x", "y"), ("audit", "--keys", "x")],
)
def test_command_that_is_none_is_found(words: tuple[str, ...]) -> None:
    """A command line with another option, too much or too little would be found."""
    with pytest.raises(click.UsageError):
        _parse(words)


def _messages() -> list[str]:
    table = PAGE.split("| Message |")[1].split("\n\n")[0]
    return re.findall(r"^\| `([^`]+)` \|", table, flags=re.MULTILINE)


@pytest.mark.parametrize("message", _messages())
def test_message_of_the_page_is_ours(message: str) -> None:
    """Every message in the table on refused starts is one that the software has; … stands for what differs."""
    sources = (path.read_text("utf-8") for path in (ROOT / "src" / "croupier").rglob("*.py"))
    form = re.compile(".*".join(map(re.escape, message.split("…"))))

    assert any(form.search(source) for source in sources)


def test_figures_of_the_page_are_reported() -> None:
    """Every figure that the page has somebody watch is one that the house tells."""
    reported = exposition(MetricsCollector(Metrics(), House.new(read_canonical))).decode()
    named = re.findall(r"`croupier_(\w+?)(?:_total)?[`{]", PAGE)

    assert len(named) > 5
    assert [name for name in named if f"# TYPE croupier_{name}" not in reported] == []


def test_configuration_of_the_page_is_toml() -> None:
    """What the page shows of a configuration can be read."""
    shown = [tomllib.loads(block) for kind, block in BLOCKS if kind == "toml"]

    assert [list(each) for each in shown] == [["listen"]]


def test_unit_is_hardened() -> None:
    """The unit runs the house as a user of its own, without rights, on a disk that is closed but for its own places."""
    unit = next(block for kind, block in BLOCKS if kind == "ini" and "croupier serve" in block).splitlines()

    assert {
        "User=croupier",
        "NoNewPrivileges=yes",
        "ProtectSystem=strict",
        "ProtectHome=yes",
        "PrivateTmp=yes",
        "CapabilityBoundingSet=",
        "StateDirectory=croupier croupier-keys",
        "StateDirectoryMode=0700",
        "UMask=0077",
        "Restart=on-failure",
        "RestartPreventExitStatus=2",
    } <= set(unit)


def test_headings_that_are_linked_to_are_there() -> None:
    """Every link within the page leads to a heading of it."""
    headings = re.findall(r"^#+ (.+)$", PAGE, flags=re.MULTILINE)
    anchors = {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}

    assert set(re.findall(r"\]\(#([^)]+)\)", PAGE)) <= anchors
