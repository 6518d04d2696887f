"""The command line about staff and devices: what it shows once, what it never shows, and how it says no."""

import json
from pathlib import Path
from typing import Any

import click
import pytest

from croupier.cli.operations import staff_group
from croupier.cli.output import accepted
from croupier.config.reader import read_config
from croupier.house.ids import DeviceId, DeviceKind, Instant, PersonId
from croupier.journal.keystore import KeyStore
from croupier.server.auth.credentials import Attempt, CredentialStore, PasswordOrigin, StaffCredential, Tries
from croupier.server.auth.sessions import Argon2Hasher, CredentialVerifier, PasswordChangeRequired, read_code
from tests.support.maintenance import StubMaintenance, running

ANNA, T1 = PersonId("anna"), DeviceId("T1")
LOCKED = StaffCredential("$hash", PasswordOrigin.CHOSEN, 3, {DeviceId("pit-1"): Tries(3, 1)})


CONFIG = """\
venue = "The corner"
data = "data"
[[tables]]
id = "A"
rulebook = "us-double-zero"
seats = 2
[[consoles]]
id = "pit-1"
role = "pit"
"""


class Host:
    """A host with a house that was started once, and somebody at its command line."""

    def __init__(self, path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys
        self.data = path / "data"
        self.safe = KeyStore.default_for(self.data)
        self.safe.provision()
        self.register = CredentialStore.within(self.safe)

    def say(self, *words: str) -> tuple[int, str]:
        """Give a command, and get its exit code and what a person reads."""
        arguments = [*words, "--data", str(self.data)]
        code = staff_group.main(arguments, prog_name="croupier staff", standalone_mode=False)
        read = self._capsys.readouterr()
        return code or 0, read.out + read.err

    def ask(self, *words: str) -> tuple[int, Any]:
        """Give a command, and get its exit code and its answer in JSON."""
        code, answer = self.say(*words, "--json")
        return code, json.loads(answer)


@pytest.fixture
def host(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Host:
    return Host(tmp_path, capsys)


def test_code_is_shown_once_and_is_good(host: Host) -> None:
    """A code that was issued on the command line is a person's to choose a secret with, and is kept nowhere."""
    code, answer = host.ask("code", "anna")

    assert (code, answer["name"], answer["new"]) == (0, "anna", True)
    assert isinstance(
        CredentialVerifier(host.register, Argon2Hasher()).attempt("anna", answer["code"], T1, Instant(1)),
        PasswordChangeRequired,
    )
    files = [path.read_text("utf-8") for path in host.safe.path.iterdir()]
    assert not any(answer["code"] in text or read_code(answer["code"]) in text for text in files)


def test_code_in_words(host: Host) -> None:
    """The code stands on a line by itself, and what becomes of an older secret is said."""
    host.register.enter({ANNA: StaffCredential("$hash", PasswordOrigin.CHOSEN)})
    code, text = host.say("code", "anna")
    shown, words = text.split("\n", maxsplit=1)

    assert (code, len(shown)) == (0, 14)
    assert " ".join(words.split()) == (
        "The previous password of anna is no longer valid. "
        "The code is valid once, to choose a password, if anna is enrolled as staff."
    )


def test_locked_account_is_unlocked(host: Host) -> None:
    """An account that is locked is unlocked, once."""
    host.register.enter({ANNA: LOCKED})

    assert host.ask("unlock", "anna") == (0, {"name": "anna", "locked": False})
    code, answer = host.ask("unlock", "anna")
    assert (code, answer["refusal"]["code"]) == (2, "already_there")
    assert host.say("unlock", "boris") == (2, "Refused. boris has no account here.\n")


def test_unlocking_in_words(host: Host) -> None:
    """The command prints that the person can sign in again."""
    host.register.enter({ANNA: LOCKED})

    assert host.say("unlock", "anna") == (0, "anna can sign in again.\n")


def test_person_is_released(host: Host) -> None:
    """A person who has left has no account, and that is said."""
    host.register.enter({ANNA: StaffCredential("$hash", PasswordOrigin.CHOSEN)})

    assert host.say("release", "anna") == (0, "The account of anna is removed.\n")
    code, answer = host.ask("release", "anna")
    assert (code, answer["refusal"]["code"]) == (2, "unknown_person")


def test_list_shows_who_is_there_and_no_hash(host: Host) -> None:
    """The list has names, kinds and locks, for people and for programs, and no hash and no digest."""
    host.register.enter({ANNA: LOCKED, PersonId("boris"): StaffCredential("$hash", PasswordOrigin.CODE)})
    host.register.enrol({T1: DeviceKind.TERMINAL})
    host.register.count_failure(Attempt(PersonId("nobody"), DeviceId("pit-1"), Instant(1)))
    digest = host.register.load().devices[T1].digest

    code, answer = host.ask("list")
    assert (code, answer) == (
        0,
        {
            "people": [
                {"name": "anna", "locked": True, "failures": 3, "secret": "chosen", "throttled": {"pit-1": 3}},
                {"name": "boris", "locked": False, "failures": 0, "secret": "code", "throttled": {}},
            ],
            "devices": [{"device": "T1", "kind": "terminal"}],
            "turned_away": 1,
        },
    )
    code, text = host.say("list")
    assert [" ".join(line.split()) for line in text.splitlines()] == [
        "anna has chosen a password locked on pit-1",
        "boris has a one-time code",
        "T1 terminal",
        "People: 2. Devices: 1. Attempts under unknown names: 1.",
    ]
    assert "$hash" not in text
    assert digest not in text


@pytest.mark.parametrize("kind", [None, *DeviceKind])
def test_device_is_enrolled(host: Host, kind: DeviceKind | None) -> None:
    """A device gets a key of its kind, which is shown once and is good until the next."""
    words = ("enrol-device", "T1") if kind is None else ("enrol-device", "T1", "--kind", kind.value)
    code, answer = host.ask(*words)

    assert (code, answer["device"], answer["kind"]) == (0, "T1", kind or "terminal")
    assert host.register.verify_device_key(T1, answer["key"])
    code, text = host.say(*words)
    assert code == 0
    assert host.register.verify_device_key(T1, text.splitlines()[0])
    assert not host.register.verify_device_key(T1, answer["key"])


UNKNOWN_KIND = [
    # Device, the kind that is asked for, the answer: the kind, or the code of the refusal.
    ("T1", None, "terminal"),
    ("pit-1", None, "pit"),
    ("pit-1", "pit", "pit"),
    ("pit-1", "terminal", "setting_impossible"),
    ("added-at-the-pit", "cashier", "cashier"),
    ("added-at-the-pit", None, "terminal"),
    ("T9", None, "unknown_device"),
    ("T9", "pit", "unknown_device"),
]


@pytest.mark.parametrize(("device", "kind", "answer"), UNKNOWN_KIND)
def test_running_house_says_which_devices_it_has(host: Host, device: str, kind: str | None, answer: str) -> None:
    """A device that the running house does not have, or has for something else, is given no key."""
    with running(host.safe, StubMaintenance):
        code, reported = host.ask("enrol-device", device, *([] if kind is None else ["--kind", kind]))

    assert reported.get("kind", reported.get("refusal", {}).get("code")) == answer
    assert (code == 0) == ("key" in reported) == (DeviceId(device) in host.register.load().devices)


@pytest.mark.parametrize(
    ("device", "answer"), [("A-1", "terminal"), ("pit-1", "pit"), ("A-9", "unknown_device"), ("A", "unknown_device")]
)
def test_configuration_says_which_devices_there_are(
    host: Host, tmp_path: Path, capsys: pytest.CaptureFixture[str], device: str, answer: str
) -> None:
    """Where no house runs, the configuration says where the register is and which devices there are."""
    config = tmp_path / "croupier.toml"
    config.write_text(CONFIG, "utf-8")
    staff_group.main(["enrol-device", device, "--config", str(config), "--json"], "croupier", standalone_mode=False)
    reported = json.loads(capsys.readouterr().out)

    assert reported.get("kind", reported.get("refusal", {}).get("code")) == answer
    assert ("key" in reported) == (DeviceId(device) in host.register.load().devices)


def test_devices_of_the_configuration_are_enrolled_at_once(
    host: Host, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One command gives a key to each device of the configuration that has none, and with --again to all."""
    config = tmp_path / "croupier.toml"
    config.write_text(CONFIG, "utf-8")
    first = host.register.enrol({DeviceId("pit-1"): DeviceKind.PIT})
    assert isinstance(first, dict)

    def enrolled(*words: str) -> dict[str, Any]:
        words = ("enrol-devices", *words, "--config", str(config), "--json")
        staff_group.main(list(words), "croupier", standalone_mode=False)
        answer: dict[str, Any] = json.loads(capsys.readouterr().out)
        return answer

    listed = {device: kind.value for device, kind in accepted(read_config(config)).devices()}
    answer = enrolled()
    assert answer["left"] == 1
    assert {row["device"]: row["kind"] for row in answer["devices"]} | {"pit-1": "pit"} == listed
    for row in answer["devices"]:
        assert host.register.verify_device_key(DeviceId(row["device"]), row["key"])
    assert host.register.verify_device_key(DeviceId("pit-1"), first[DeviceId("pit-1")])

    assert enrolled() == {"devices": [], "left": len(listed)}
    again = enrolled("--again")
    assert (len(again["devices"]), again["left"]) == (len(listed), 0)
    assert not host.register.verify_device_key(DeviceId("pit-1"), first[DeviceId("pit-1")])


def test_several_devices_are_enrolled_by_name(host: Host) -> None:
    """Devices that are named get keys with their kinds, in lines that a script can read; one unknown stops them all."""
    with running(host.safe, StubMaintenance):
        code, refused = host.ask("enrol-devices", "T1", "T9")
        assert (code, refused["refusal"]["code"], host.register.load().devices) == (2, "unknown_device", {})
        code, text = host.say("enrol-devices", "T1", "pit-1")
    *lines, counted = text.splitlines()
    assert (code, counted) == (0, "Keys issued: 2.")
    for line, (device, kind) in zip(lines, (("T1", "terminal"), ("pit-1", "pit")), strict=True):
        shown, of, key = line.split()
        assert (shown, of) == (device, kind)
        assert host.register.verify_device_key(DeviceId(device), key)
    assert host.say("enrol-devices", "T1")[1] == "Keys issued: 0. 1 had one already: --again replaces theirs.\n"
    with pytest.raises(click.UsageError, match="'--config'"):
        host.ask("enrol-devices")


def test_device_is_released(host: Host) -> None:
    """A device that is released is not enrolled any more, and not there to be released again."""
    host.register.enrol({T1: DeviceKind.TERMINAL})

    assert host.say("release-device", "T1") == (0, "T1 is no longer enrolled.\n")
    code, answer = host.ask("release-device", "T1")
    assert (code, answer["refusal"]["code"]) == (2, "unknown_device")


@pytest.mark.parametrize("command", ["unlock", "release", "enrol-device", "release-device"])
@pytest.mark.parametrize("name", ["", "a\x1b[2Jb", "\udcff"])
def test_what_is_no_name_is_refused(host: Host, command: str, name: str) -> None:
    """What cannot be a name is refused in words that can be printed."""
    code, text = host.say(command, name)

    assert code == 2
    assert text.startswith("Refused. A name has 1 to 64 printable letters")
    assert host.ask(command, name)[1]["refusal"]["code"] == "malformed"


def test_house_s_own_name_is_refused(host: Host) -> None:
    """No device is enrolled under the name of the house itself."""
    code, answer = host.ask("enrol-device", "system")

    assert (code, answer["refusal"]["code"]) == (2, "already_there")


def test_house_without_a_safe_is_refused(host: Host, tmp_path: Path) -> None:
    """Where there is no safe nothing is made: it may be a slip of the pen."""
    code, answer = host.ask("list", "--key-store", str(tmp_path / "none"))

    assert (code, answer["refusal"]["code"]) == (2, "nothing_there")
    assert answer["refusal"]["facts"] == {"file": str(tmp_path / "none")}
    assert {path.name for path in tmp_path.iterdir()} == {"data.keys"}


def test_safe_may_be_elsewhere(host: Host, tmp_path: Path) -> None:
    """A safe that is named is the one that is used."""
    other = KeyStore(tmp_path / "elsewhere")
    other.provision()
    CredentialStore.within(other).enter({ANNA: StaffCredential("$hash", PasswordOrigin.CHOSEN)})

    assert [each["name"] for each in host.ask("list", "--key-store", str(other.path))[1]["people"]] == ["anna"]


def test_open_safe_is_refused(host: Host) -> None:
    """In a safe that others can look into nothing is kept."""
    host.safe.path.chmod(0o755)
    code, answer = host.ask("list")

    assert (code, answer["refusal"]["code"]) == (2, "setting_impossible")


def test_damaged_register_is_refused_and_left(host: Host) -> None:
    """A damaged register is named, and is not replaced."""
    path = host.safe.path / "register.json"
    path.write_bytes(b"garbage")
    code, text = host.say("unlock", "anna")

    assert code == 2
    assert "data.keys cannot be used: the credential store is damaged" in " ".join(text.split())
    assert path.read_bytes() == b"garbage"


def test_safe_that_is_no_directory_is_refused(host: Host, tmp_path: Path) -> None:
    """A path that leads through a file is refused, in the system's words."""
    (tmp_path / "file").write_text("")
    code, text = host.say("list", "--key-store", str(tmp_path / "file" / "safe"))

    assert code == 2
    assert "Not a directory" in text
