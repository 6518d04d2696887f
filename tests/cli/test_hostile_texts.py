"""Control characters in texts: refused where staff enter them, and escaped on every output."""

import json
import logging
import zipfile
from io import StringIO
from pathlib import Path
from typing import Final

import msgspec
import pytest
import structlog
from click.testing import CliRunner

from croupier.cli.logs import configure_logging
from croupier.cli.main import app
from croupier.cli.output import console
from croupier.config.schema import Log
from croupier.house.credit.drawers import OpenDrawer
from croupier.house.declare import COMMANDS
from croupier.house.floor.incidents import IncidentFacts, IncidentKind, NoteIncident, RaiseAlarm
from croupier.house.floor.service import SendMessage
from croupier.house.floor.setup import AddTable, AddTerminal
from croupier.house.floor.staff import EnrolDevice, EnrolPerson
from croupier.house.floor.texts import text_objection
from croupier.house.ids import DeviceId, DrawerId, PersonId, TableId, TerminalId
from croupier.house.rounds.recovery import AcceptHistory
from croupier.house.settings import TerminalSettings
from croupier.journal.verify import main as verify_bundle
from croupier.reports.rendering import render_escpos, render_pdf
from croupier.reports.typesetting import Document, Text
from croupier.rules.money import Cents
from croupier.rules.refusal import Code
from croupier.rules.texts import escaped, is_text
from croupier.transcripts.format import Action, Transcript, TranscriptLine, write_transcript
from tests.support.house_driver import PROMPT, TABLE, CheckedHouse, Play
from tests.support.sample_commands import sample_commands

#: Erases the screen, ends a line, begins a C1 sequence, reverses text, separates lines, hides text, is half.
HOSTILE: Final = (
    *("\x1b[2J", "a\nb", "a\rb", "a\tb", "\x00", "\x7f", "\x9b31m", "\u202e17", "\u2066x", "\u2028", "\ufeff"),
    *("\udc80", "\U000e0041"),
)


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_of_staff_is_refused(text: str) -> None:
    """A note, a message to terminals and a name with a control character are refused, and nothing is recorded."""
    pit = CheckedHouse()
    before = len(pit.house.incidents.all)
    for command in (NoteIncident(TABLE, text), NoteIncident(text, "fire"), SendMessage((), text)):
        assert pit.refused(command, Code.MALFORMED, by="Dealer").facts == {"why": "text"}
    assert len(pit.house.incidents.all) == before


@pytest.mark.parametrize("name", [*HOSTILE, "", " ", " D", "D ", "x" * 65, "e\u0301"])
def test_every_new_name_has_one_form(name: str) -> None:
    """Drawers, tables, terminals, devices and people have names of one form in every command."""
    pit = CheckedHouse()
    for command in (
        AddTable(TableId(name), pit.rulebook.digest, PROMPT),
        AddTerminal(TerminalId(name), (TABLE,), TerminalSettings()),
        EnrolDevice(DeviceId(name)),
        EnrolPerson(PersonId(name), ("Dealer",)),
    ):
        pit.refused(command, Code.MALFORMED)
    pit.refused(OpenDrawer(DrawerId(name), Cents(0)), Code.MALFORMED, by="Cashier")


def test_person_is_not_named_like_the_house() -> None:
    """The house's own name is no person's."""
    CheckedHouse().refused(EnrolPerson(PersonId("system"), ("Dealer",)), Code.ALREADY_THERE)


def test_history_is_accepted_with_plain_words() -> None:
    """The words with which two managers continue from an older copy are checked too."""
    pit = CheckedHouse()
    people = (PersonId("Shift Manager"), PersonId("other Shift Manager"))
    pit.refused(AcceptHistory(1, people, "disk\x1b[2J"), Code.MALFORMED)


@pytest.mark.parametrize("kind", sorted(each.__name__ for each in COMMANDS))
def test_every_text_of_a_command_is_checked(kind: str) -> None:
    """Whichever field of whichever command has it, the control character is found; without it nothing is."""
    sample = sample_commands(Play("skycity-adelaide-2003"))[kind]
    assert text_objection(sample) is None
    for name in sample.__struct_fields__:
        value = getattr(sample, name)
        if type(value) is str:
            assert text_objection(msgspec.structs.replace(sample, **{name: "a\x1bb"})) is not None
        elif isinstance(value, tuple):
            assert text_objection(msgspec.structs.replace(sample, **{name: ("a\x1bb",)})) is not None


def test_alarm_of_the_system_is_recorded_with_any_words() -> None:
    """The message of a fault may have any characters: the incident is recorded all the same."""
    pit = CheckedHouse()
    pit.done(RaiseAlarm(IncidentKind.COMMAND_FAILED, "A", IncidentFacts("a\x1b[2J\nb")))
    assert any(each.facts.text == "a\x1b[2J\nb" for each in pit.house.incidents.all.values())


@pytest.mark.parametrize(
    "text",
    ["Grüße", "\u0646\u0635", "\u06af\u0644\u200c\u0647\u0627", "桌 1", "a\u200fb", "👩\u200d💻", 'a "b" <c> #d'],
)
def test_text_of_any_script_is_allowed(text: str) -> None:
    """The joiners and marks that scripts need are no control characters."""
    assert is_text(text)
    assert escaped(text) == text
    CheckedHouse().done(NoteIncident(TABLE, text), by="Dealer")


# Outputs.


@pytest.mark.parametrize("text", HOSTILE)
def test_terminal_is_shown_escaped_text(text: str) -> None:
    """No text reaches a terminal as a control sequence: neither by itself nor in a table."""
    shown = console()
    shown.file = StringIO()
    shown.print(f"a{text}b")
    assert is_text(shown.file.getvalue().replace("\n", ""))


@pytest.mark.parametrize("command", [["round"], ["check"], ["audit", "--data"], ["felt"]], ids=" ".join)
def test_command_with_a_hostile_path_prints_no_control_sequence(command: list[str]) -> None:
    """The name of a file is printed escaped in a refusal."""
    result = CliRunner().invoke(app, [*command, "\x1b[31m\u202ex"])
    assert result.exit_code == 2
    assert r"\x1b[31m\u202ex" in result.output
    assert is_text(result.output.replace("\n", ""))


def test_verifier_prints_names_of_a_bundle_escaped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The members of a foreign bundle are named without their control characters."""
    with zipfile.ZipFile(tmp_path / "bundle.zip", "w") as bundle:
        bundle.writestr("\x1b[2J", b"")
    assert verify_bundle([str(tmp_path / "bundle.zip")]) == 1
    printed = capsys.readouterr().out
    assert r"\x1b[2J" in printed
    assert is_text(printed.replace("\n", ""))


@pytest.mark.parametrize("text", HOSTILE)
def test_log_line_stays_one_line(tmp_path: Path, text: str) -> None:
    """A text in the log is escaped: its line is one line of JSON with the text in it."""
    root = logging.getLogger()
    before = root.handlers[:], root.level
    try:
        configure_logging(Log(tmp_path / "log"))
        logging.getLogger("test").warning("words %s", text)
        for handler in root.handlers:
            handler.close()
    finally:
        root.handlers[:], root.level = before
        structlog.reset_defaults()
    content = (tmp_path / "log").read_bytes()
    assert content.count(b"\n") == 1
    assert is_text(content.decode("ascii").rstrip("\n"))
    assert json.loads(content)["event"] == f"words {text}"


@pytest.mark.parametrize("text", HOSTILE)
def test_paper_has_no_command_of_a_text(text: str) -> None:
    """What is sent to a printer or written as PDF for a hostile text is what its harmless counterpart gives."""
    hostile, plain = (Document("Slip", (Text(words),), roll=True) for words in (f"a{text}b", f"a{_harmless(text)}b"))
    assert render_escpos(hostile) == render_escpos(plain)
    assert render_pdf(hostile) == render_pdf(plain)


def _harmless(text: str) -> str:
    """Replace each control character as the printer does: white space by a space, others by a question mark."""
    return "".join(each if is_text(each) else " " if each.isspace() else "?" for each in text)


@pytest.mark.parametrize("text", [each for each in HOSTILE if not each.isspace()])
def test_round_file_has_escaped_text(text: str) -> None:
    """A text in a .round file, as words or as a comment, has no control character."""
    words = " ".join(f"notes a{text}b".split())
    lines = (TranscriptLine(Action(0, "dealer", words, ()), None), TranscriptLine(None, f"a{text}b"))
    assert is_text(write_transcript(Transcript(lines)).replace("\n", "", 2))
