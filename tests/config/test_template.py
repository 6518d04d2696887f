"""The template and `croupier init`: a configuration to begin with, whose every word is true."""

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from croupier.cli.serve import init_command
from croupier.config.fields import Key, Section
from croupier.config.reader import CONFIG, parse_config, read_config, template
from croupier.config.schema import Config, TableConfig
from croupier.engine.storage import build_id
from croupier.house.ids import TableId
from croupier.house.settings import Mode, TableSettings, WheelKind
from tests.conftest import venue

VERSION = "0.1.0 9f86"
#: A key or a heading that stands behind a #, and not a sentence.
BEHIND = re.compile(r"^#(?=[a-z[])", re.MULTILINE)
#: The section of a table that is live.
LIVE = re.compile(r"^#?\[(?:tables|terminals)\.(?:live|acceptor|printer|sas)\]\n(?:.*\n)*?(?=\n\n)", re.MULTILINE)


def keys(section: Section = CONFIG) -> list[Key]:
    return [*section.keys, *(key for part in section.parts for key in keys(part))]


def uncommented(text: str, *names: str) -> str:
    """A template with these keys taken out from behind their #."""
    return re.sub(rf"^#(?=({'|'.join(names)}) = )", "", text, flags=re.MULTILINE)


@pytest.fixture
def where(tmp_path: Path) -> Path:
    """A place for a configuration, with the files that the examples name."""
    for name in ("certificate.pem", "key.pem"):
        (tmp_path / name).touch()
    return tmp_path / "croupier.toml"


@pytest.mark.parametrize("mode", Mode)
def test_template_can_be_used_as_it_is(mode: Mode, where: Path) -> None:
    """What the template says as it is written is a venue of the mode that was asked for, with one table."""
    config = parse_config(template(mode, VERSION), where=where)

    assert isinstance(config, Config)
    settings = TableSettings(wheel=WheelKind.RANDOM, betting_s=25, pause_s=6) if mode is Mode.DEMO else TableSettings()
    data, key_store = where.with_name("data"), where.with_name("data.keys")
    assert config == Config(
        mode=mode,
        venue="My venue",
        data=data,
        key_store=key_store,
        tables=(TableConfig(TableId("A"), venue("skycity-adelaide-2003"), settings, seats=len(config.terminals)),),
        terminals=config.terminals,
    )
    assert len(config.terminals) == (8 if mode is Mode.DEMO else 0)


@pytest.mark.parametrize("mode", Mode)
def test_every_example_in_the_template_can_be_used(mode: Mode, where: Path) -> None:
    """With every # taken away that a key stands behind, the template is a configuration that holds together."""
    # A driver is installed apart, and neither it nor a live table goes with the random wheel of a demonstration.
    text = LIVE.sub("", BEHIND.sub("", template(mode, VERSION))).replace('\ndriver = "in-rim"\n', "\n")
    # Adelaide's rules fix no words for the opening.
    text = text.replace('\nopen_text = "Bets are open"\n', "\n")
    config = parse_config(text, where=where)

    assert isinstance(config, Config)
    assert config.listen.tls is not None
    assert config.approvals[0].version == VERSION
    assert [len(each) for each in (config.terminals, config.consoles, config.staff)] == [
        9 - 8 * (mode is Mode.REAL),
        1,
        1,
    ]


@pytest.mark.parametrize("mode", Mode)
def test_defaults_in_the_template_are_the_defaults(mode: Mode, where: Path) -> None:
    """Taking the # away from a key that has a default changes nothing."""
    plain = template(mode, VERSION)
    defaults = {key.name for key in keys() if not key.required and key.without == key.written} | {"key_store"}
    said = uncommented(plain, *defaults)

    assert len(re.findall("^[a-z]", said, re.MULTILINE)) > len(re.findall("^[a-z]", plain, re.MULTILINE)) + 20
    # What belongs to a section that stands behind a # itself is left there.
    for name in ("terminals", "consoles", "staff", "approvals"):
        said = re.sub(rf"^#\[\[{name}\]\]\n(?:.*\n)*?(?=\n\n)", "", said, flags=re.MULTILINE)
    said = LIVE.sub("", said)
    assert parse_config(said, where=where) == parse_config(plain, where=where)


@pytest.mark.parametrize("mode", Mode)
def test_template_has_every_key_with_its_meaning(mode: Mode) -> None:
    """Every key stands in the template, with what it means; but a password is left out where the money is real."""
    text = template(mode, VERSION)
    prose = re.sub(r"\n# ", " ", text)
    missing = {key.name for key in keys() if not re.search(rf"^#?{key.name} = ", text, re.MULTILINE)}

    assert missing == ({"password"} if mode is Mode.REAL else set())
    assert [key.name for key in keys() if key.name not in missing and key.setting.description not in prose] == []
    assert max(map(len, text.splitlines())) <= 120


def test_init_writes_a_file_and_never_over_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command writes croupier.toml here, refuses to write over it, and does so only when it is told to."""
    monkeypatch.chdir(tmp_path)
    path, runner = tmp_path / "croupier.toml", CliRunner()

    first = runner.invoke(init_command, standalone_mode=False)
    assert (first.return_value, first.output) == (None, "Wrote croupier.toml for demo money.\n")
    assert path.read_text("utf-8") == template(Mode.DEMO, build_id())

    again = runner.invoke(init_command, ["--real"])
    assert (again.exit_code, again.output) == (2, "Refused. croupier.toml exists: --force overwrites it.\n")
    assert path.read_text("utf-8") == template(Mode.DEMO, build_id())

    forced = runner.invoke(init_command, ["--real", "--force", "--json"])
    assert (forced.exit_code, forced.output) == (0, '{"written": "croupier.toml", "mode": "real"}\n')
    config = read_config(path)
    assert isinstance(config, Config)
    assert config.mode is Mode.REAL


def test_init_says_why_it_cannot_write(tmp_path: Path) -> None:
    """A file that cannot be written is told of, with the reason."""
    answer = CliRunner().invoke(init_command, [str(tmp_path / "nowhere" / "croupier.toml")])

    assert answer.exit_code == 2
    assert "cannot be written: No such file or directory" in " ".join(answer.output.split())
