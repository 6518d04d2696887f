"""The commands by which two venues exchange their keys: both sides see one fingerprint, and no key is pinned unseen."""

from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from croupier.cli.partner import partner_group
from croupier.journal.checkpoints import Signer
from croupier.journal.keystore import KeyStore
from tests.conftest import Ask


@pytest.fixture
def card(tmp_path: Path, ask: Ask) -> Path:
    """The file that Harbour gives to others."""
    file = tmp_path / "harbour.json"
    code, _ = ask("partner", "show", "--data", tmp_path / "harbour", "--venue", "Harbour", "--out", file)
    assert code == 0
    return file


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """The data directory of Riverside, which has its keys."""
    KeyStore.default_for(tmp_path / "riverside").provision()
    return tmp_path / "riverside"


def fingerprint_of(ask: Ask, folder: Path) -> str:
    """What Harbour reads to others."""
    shown = ask("partner", "show", "--data", folder / "harbour", "--venue", "Harbour")[1]
    assert len(shown["fingerprint"].split()) == 16
    return str(shown["fingerprint"])


def test_key_is_pinned_by_its_fingerprint(tmp_path: Path, ask: Ask, card: Path, data: Path) -> None:
    """The key of a venue is pinned with the fingerprint that its own command shows, and listed with it."""
    fingerprint = fingerprint_of(ask, tmp_path)
    code, pinned = ask("partner", "pin", card, "--data", data, "--fingerprint", fingerprint.upper())
    assert (code, pinned["venue"], pinned["fingerprint"]) == (0, "Harbour", fingerprint)
    assert ask("partner", "list", "--data", data)[1] == {"partners": [pinned]}
    assert KeyStore.default_for(data).partners() == {"Harbour": pinned["key"]}


def test_other_fingerprint_is_refused(ask: Ask, card: Path, data: Path) -> None:
    """A key whose fingerprint is not the one that was read out is not pinned; nor is one without a fingerprint."""
    code, refused = ask("partner", "pin", card, "--data", data, "--fingerprint", "ab" * 32)
    assert (code, refused["refusal"]["code"]) == (2, "not_authorised")
    assert ask("partner", "pin", card, "--data", data)[0] == 2
    assert ask("partner", "list", "--data", data)[1] == {"partners": []}


def test_person_compares_fingerprints(tmp_path: Path, ask: Ask, card: Path, data: Path) -> None:
    """Without a fingerprint the command shows it and asks, and pins the key only after a yes."""
    for answer, pinned in (("n\n", 0), ("y\n", 1)):
        done = CliRunner().invoke(partner_group, ["pin", str(card), "--data", str(data)], input=answer)
        assert fingerprint_of(ask, tmp_path) in done.output
        assert len(KeyStore.default_for(data).partners()) == pinned


def test_pinned_key_is_replaced_on_purpose(tmp_path: Path, ask: Ask, card: Path, data: Path) -> None:
    """Another key of the same venue is refused, unless it is to be replaced."""
    KeyStore.default_for(data).pin("Harbour", Signer.new().verifier)
    arguments = ("partner", "pin", card, "--data", data, "--fingerprint", fingerprint_of(ask, tmp_path))
    code, refused = ask(*arguments)
    assert (code, refused["refusal"]["code"]) == (2, "already_there")
    assert ask(*arguments, "--replace")[0] == 0


def test_own_key_is_not_that_of_a_partner(ask: Ask, tmp_path: Path, card: Path) -> None:
    """A venue does not pin its own key."""
    code, refused = ask("partner", "pin", card, "--data", tmp_path / "harbour", "--fingerprint", "")
    assert (code, refused["refusal"]["code"]) == (2, "setting_impossible")


@pytest.mark.parametrize("content", ["{}", '{"venue":"Harbour","key":"ab"}', "?"])
def test_file_that_is_no_key_is_refused(ask: Ask, tmp_path: Path, data: Path, content: str) -> None:
    """A file without a venue and its key is refused."""
    file = tmp_path / "other.json"
    file.write_text(content)
    code, refused = ask("partner", "pin", file, "--data", data, "--fingerprint", "")
    assert (code, refused["refusal"]["code"]) == (2, "command_failed")


def test_venue_needs_its_name(ask: Ask, tmp_path: Path) -> None:
    """A venue whose name neither its data nor an option says shows no key."""
    assert ask("partner", "show", "--data", tmp_path / "harbour")[0] == 2


def test_pins_that_cannot_be_read_are_reported(ask: Ask, data: Path) -> None:
    """Pinned keys that were damaged are not listed."""
    KeyStore.default_for(data).path.joinpath("partners.json").write_text('{"Harbour":"ab"}')
    assert ask("partner", "list", "--data", data)[1]["refusal"]["code"] == "command_failed"


@pytest.mark.parametrize("name", ["\x1b[2JHarbour", "Har\nbour", "", " ", "\u202eruobraH"])
def test_card_with_a_name_that_is_none_is_refused(card: Path, data: Path, name: str) -> None:
    """A file whose venue has no proper name is refused before anything of it is shown."""
    card.write_bytes(msgspec.json.encode(msgspec.json.decode(card.read_bytes()) | {"venue": name}))
    done = CliRunner().invoke(partner_group, ["pin", str(card), "--data", str(data)], input="y\n")
    assert (done.exit_code, "names no venue" in done.output) == (2, True)
    assert "\x1b" not in done.output
    assert KeyStore.default_for(data).partners() == {}


def test_fingerprint_is_shown_whole(tmp_path: Path, ask: Ask, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a screen of 80 columns a fingerprint is not cropped, where it is shown and where it is listed."""
    monkeypatch.setenv("COLUMNS", "80")
    fingerprint, name = fingerprint_of(ask, tmp_path), "The Harbour Casino and Hotel"
    shows = ["show", "--data", str(tmp_path / "harbour"), "--venue", name]
    KeyStore.default_for(data).pin(name, KeyStore.default_for(tmp_path / "harbour").verifier())
    for arguments in (shows, ["list", "--data", str(data)]):
        assert f"{name}: {fingerprint}" in CliRunner().invoke(partner_group, arguments).output
