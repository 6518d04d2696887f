"""Start-up checks: each condition that stops a house from opening, alone and all together."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from croupier.house.ids import PersonId
from croupier.operations.integrity import DirectoryMode, StartupChecks, startup_problems
from croupier.rules.refusal import Code

ME, SOMEBODY = 1_000, 1_001
DATA, SAFE = DirectoryMode(Path("/data"), ME, 0o700), DirectoryMode(Path("/safe"), ME, 0o700)
SOUND = StartupChecks(data=DATA, key_store=SAFE, user=ME)


def said(premises: StartupChecks) -> list[tuple[Code, str]]:
    return [(each.code, each.message) for each in startup_problems(premises)]


@pytest.mark.parametrize(
    "premises",
    [
        SOUND,
        replace(SOUND, data=None, key_store=None),
        replace(SOUND, data=replace(DATA, mode=0o755)),
        replace(SOUND, data=replace(DATA, owner=0), key_store=replace(SAFE, owner=0)),
        replace(SOUND, configured=(PersonId("anna"),), demo=True),
    ],
    ids=["sound", "nothing there yet", "others read the data", "root's", "a demonstration"],
)
def test_sound_premises(premises: StartupChecks) -> None:
    """Nothing is said against a house that is its owner's alone, new or not, nor against a demonstration's secrets."""
    assert said(premises) == []


@pytest.mark.parametrize("optimize", [1, 2])
def test_asserts_must_not_be_left_out(optimize: int) -> None:
    """Python that leaves out asserts opens no house."""
    says = "Python runs with -O, which disables assertions: start it without."

    assert said(replace(SOUND, optimize=optimize)) == [(Code.SETTING_IMPOSSIBLE, says)]


@pytest.mark.parametrize("mode", [0o720, 0o702, 0o770, 0o777, 0o722, 0o1777])
def test_data_that_others_can_change(mode: int) -> None:
    """A data directory in which the group or anybody can write opens no house."""
    says = "Other users of this machine can change what is in /data: give it mode 700."

    assert said(replace(SOUND, data=replace(DATA, mode=mode))) == [(Code.SETTING_IMPOSSIBLE, says)]


@pytest.mark.parametrize("mode", [0o701, 0o704, 0o740, 0o710, 0o755, 0o777])
def test_safe_that_others_can_look_into(mode: int) -> None:
    """A safe that anybody else can so much as enter opens no house."""
    says = "Other users of this machine can read or change what is in /safe: give it mode 700."

    assert said(replace(SOUND, key_store=replace(SAFE, mode=mode))) == [(Code.SETTING_IMPOSSIBLE, says)]


@pytest.mark.parametrize("name", ["data", "key_store"])
def test_directory_of_somebody_else(name: str) -> None:
    """A directory that belongs to another user opens no house."""
    theirs = DirectoryMode(Path(f"/{name}"), SOMEBODY, 0o700)
    premises = replace(SOUND, data=theirs) if name == "data" else replace(SOUND, key_store=theirs)

    assert said(premises) == [(Code.SETTING_IMPOSSIBLE, f"/{name} belongs to another user of this machine.")]


def test_secrets_of_a_configuration_are_for_demonstrations() -> None:
    """With real money nobody has a secret that stands in a file, and those who do are named."""
    objection = startup_problems(replace(SOUND, configured=(PersonId("anna"), PersonId("boris"))))[0]

    assert objection.code is Code.DEFAULT_CREDENTIALS
    assert objection.message.endswith("issue a one-time code to anna, boris.")
    assert objection.facts == {"people": ("anna", "boris")}


def test_all_that_is_wrong_is_said() -> None:
    """Whatever is wrong is said at once, so that it can be put right at once."""
    wrong = StartupChecks(
        data=DirectoryMode(Path("/data"), SOMEBODY, 0o777),
        key_store=DirectoryMode(Path("/safe"), SOMEBODY, 0o777),
        configured=(PersonId("anna"),),
        user=ME,
        optimize=2,
    )

    assert len(said(wrong)) == 6


def test_premises_are_found(tmp_path: Path) -> None:
    """What is looked at is the directories as they are, and the process that we are."""
    data, safe = tmp_path / "data", tmp_path / "safe"
    data.mkdir()
    data.chmod(0o750)
    found = StartupChecks.found(data, safe, configured=(), demo=True)

    assert found == StartupChecks(
        data=DirectoryMode(data, os.geteuid(), 0o750), key_store=None, demo=True, user=os.geteuid(), optimize=0
    )


def test_python_that_leaves_out_asserts_is_found(tmp_path: Path) -> None:
    """A process that was started with -O says so of itself."""
    code = (
        "import sys; from pathlib import Path\n"
        "from croupier.operations.integrity import StartupChecks, startup_problems\n"
        "found = StartupChecks.found(Path(sys.argv[1]), Path(sys.argv[1]), configured=(), demo=True)\n"
        "print([each.facts for each in startup_problems(found)])"
    )
    answer = subprocess.run(
        [sys.executable, "-O", "-c", code, str(tmp_path)], check=True, capture_output=True, text=True, timeout=60
    )

    assert answer.stdout == "[{'optimize': 1}]\n"
