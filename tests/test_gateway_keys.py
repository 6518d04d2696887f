"""The keys of the link: an authority of one house, the certificates that it issues, and the commands for them."""

import stat
from contextlib import suppress
from pathlib import Path
from time import monotonic
from urllib.error import HTTPError
from urllib.request import urlopen

import msgspec
import pytest
from click.testing import CliRunner

from croupier.cli.main import app
from croupier.rules.refusal import Code, Refusal
from croupier.server.link.keys import LinkKeyError, LinkKeys, gateway_context, write_bundle
from tests.connections import LONG_S
from tests.serving import Serving, ServingGateway, processes

VENUE = """
venue = "Behind gateways"
data = "data"
gateways.socket = "link.sock"

[[tables]]
id = "A"
rulebook = "skycity-adelaide-2003"
wheel = "random"
"""


def enrolled(path: Path, name: str = "left") -> bytes:
    bundle = LinkKeys(path).enrol(name)
    assert isinstance(bundle, bytes)
    return bundle


def test_enrolled_gateways_are_listed_until_they_are_released(tmp_path: Path) -> None:
    """Each has a certificate of its own; enrolling again replaces it, and releasing removes it."""
    keys = LinkKeys(tmp_path)
    assert keys.gateways() == {}
    enrolled(tmp_path, "right")
    enrolled(tmp_path)
    first = keys.gateways()
    assert sorted(first.values()) == ["left", "right"]
    enrolled(tmp_path)
    assert sorted(keys.gateways().values()) == ["left", "right"]
    assert len(keys.gateways().keys() & first.keys()) == 1
    assert keys.release("left") is None
    assert list(keys.gateways().values()) == ["right"]
    refusal = keys.release("left")
    assert isinstance(refusal, Refusal)
    assert refusal.code is Code.UNKNOWN_DEVICE


@pytest.mark.parametrize("name", ["", "-x", "a/b", "..", "A", "a" * 64])
def test_name_is_one_of_a_file_and_a_host(tmp_path: Path, name: str) -> None:
    """A name goes into a path and a certificate."""
    refusal = LinkKeys(tmp_path).enrol(name)
    assert isinstance(refusal, Refusal)
    assert refusal.code is Code.MALFORMED


def test_keys_are_for_their_owner_alone(tmp_path: Path) -> None:
    """No file with a key is readable by another user, and none is overwritten."""
    write_bundle(tmp_path / "left.pem", enrolled(tmp_path))
    with pytest.raises(FileExistsError):
        write_bundle(tmp_path / "left.pem", b"")
    for name in ("left.pem", "link-authority.pem", "link-house.pem"):
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600


def test_keys_that_cannot_be_read_or_written_are_a_fault(tmp_path: Path) -> None:
    """The fault names what is wrong, whichever file it is."""
    keys = LinkKeys(tmp_path)
    with pytest.raises(LinkKeyError, match="cannot be written"):
        LinkKeys(tmp_path / "nowhere").provision()
    enrolled(tmp_path)
    (tmp_path / "link-authority.pem").write_text("nonsense")
    with pytest.raises(LinkKeyError, match="authority"):
        keys.enrol("right")
    (tmp_path / "gateways" / "left.pem").write_text("nonsense")
    with pytest.raises(LinkKeyError, match="certificates"):
        keys.gateways()
    write_bundle(tmp_path / "key.pem", b"nonsense")
    for path in (tmp_path / "key.pem", tmp_path / "nowhere.pem"):
        with pytest.raises(LinkKeyError, match="not a key"):
            gateway_context(path)


@pytest.mark.parametrize("mode", [0o600, 0o400, 0o640])
def test_key_of_its_owner_and_its_group_is_used(tmp_path: Path, mode: int) -> None:
    """A key file may be readable by its owner and its group."""
    for path in (tmp_path / "left.pem", tmp_path / "link-house.pem"):
        _with_mode(path, mode)
    gateway_context(tmp_path / "left.pem")
    LinkKeys(tmp_path).house_context()


@pytest.mark.parametrize("mode", [0o660, 0o620, 0o604, 0o602, 0o644])
def test_key_that_other_users_can_read_or_change_is_refused(tmp_path: Path, mode: int) -> None:
    """No gateway and no house starts with a key that the group can change, or that other users can read."""
    for path in (tmp_path / "left.pem", tmp_path / "link-house.pem"):
        _with_mode(path, mode)
    with pytest.raises(LinkKeyError, match="give it mode 600"):
        gateway_context(tmp_path / "left.pem")
    with pytest.raises(LinkKeyError, match="give it mode 600"):
        LinkKeys(tmp_path).house_context()


def _with_mode(path: Path, mode: int) -> None:
    bundle = enrolled(path.parent)
    if not path.exists():
        write_bundle(path, bundle)
    path.chmod(mode)


def ran(*arguments: str) -> tuple[int, dict[str, object]]:
    result = CliRunner().invoke(app, ["gateway", *arguments, "--json"])
    return result.exit_code, msgspec.json.decode(result.stdout) if result.stdout else {}


def test_gateways_are_managed_on_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A key file is written once; gateways are listed and released."""
    monkeypatch.chdir(tmp_path)
    data = ("--data", str(tmp_path / "data"))
    assert ran("enrol", "left", *data)[0] == 2
    (tmp_path / "data.keys").mkdir(mode=0o700)
    assert ran("list", *data) == (0, {"running": False, "gateways": []})
    assert ran("enrol", "left", *data) == (0, {"gateway": "left", "file": "left.pem"})
    assert ran("enrol", "left", *data)[0] == 2
    assert ran("enrol", "left", "--out", str(tmp_path / "nowhere" / "left.pem"), *data)[0] == 2
    assert ran("enrol", "Left", *data)[0] == 2
    assert ran("list", *data) == (0, {"running": False, "gateways": [{"gateway": "left", "linked": False}]})
    assert CliRunner().invoke(app, ["gateway", "list", *data]).stdout == "left: unknown, no server runs.\n"
    assert ran("release", "left", *data) == (0, {"gateway": "left", "released": True})
    assert ran("release", "left", *data)[0] == 2
    (tmp_path / "data.keys" / "gateways" / "left.pem").write_text("nonsense")
    assert ran("list", *data)[0] == 2


@pytest.mark.parametrize(
    "arguments",
    [
        ("--house", "nowhere", "--key", "left.pem"),
        ("--house", "unix:link.sock", "--key", "left.pem", "--certificate", "c.pem"),
        ("--house", "unix:link.sock", "--key", "nowhere.pem"),
        ("--house", "unix:link.sock", "--key", "left.pem", "--host", "203.0.113.1"),
    ],
)
def test_gateway_that_cannot_start_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    """An address, a certificate or a key that cannot be used is refused at the start."""
    monkeypatch.chdir(tmp_path)
    write_bundle(tmp_path / "left.pem", enrolled(tmp_path))
    assert CliRunner().invoke(app, ["gateway", "serve", "--port", "0", *arguments]).exit_code == 2


def wait_until_linked(gateway: Serving) -> None:
    """Ask for its health until it is linked to the house."""
    end = monotonic() + LONG_S
    while monotonic() < end:
        with suppress(HTTPError):
            assert gateway.health() == {"ok": True, "connections": 0}
            return
    pytest.fail("the gateway is not linked")


def test_gateway_serves_until_it_is_stopped_or_released(tmp_path: Path) -> None:
    """Its process links to the house, ends in good order, and with the house's words once it is not admitted."""
    config = tmp_path / "croupier.toml"
    config.write_text(VENUE, "utf-8")
    with processes() as start:
        house: Serving = start(config)
        assert house.opened(), house.ended()
        keys = LinkKeys(tmp_path / "data.keys")
        bundle = keys.enrol("left")
        assert isinstance(bundle, bytes)
        write_bundle(tmp_path / "left.pem", bundle)
        address = f"unix:{tmp_path / 'link.sock'}"
        gateway = start(address, tmp_path / "left.pem", "--metrics-port", "0", kind=ServingGateway)
        assert gateway.opened(), gateway.ended()
        wait_until_linked(gateway)
        data = ("--data", str(tmp_path / "data"))
        listed = CliRunner().invoke(app, ["gateway", "list", *data]).stdout
        assert listed == "left: linked for less than a minute from this machine, connections 0.\n"
        status = CliRunner().invoke(app, ["status", str(tmp_path / "data")]).stdout
        assert "Gateways: left (0 connections)." in status
        code, said = ran("list", *data)
        assert (code, said["running"]) == (0, True)
        with pytest.raises(HTTPError, match="404"):
            urlopen(f"http://127.0.0.1:{gateway.port}/metrics")
        assert gateway.stopped().code == 0
        assert CliRunner().invoke(app, ["gateway", "list", *data]).stdout == "left: not linked.\n"
        assert keys.release("left") is None
        gateway = start(address, tmp_path / "left.pem", kind=ServingGateway)
        ended = gateway.ended()
        assert (ended.code, "not enrolled" in ended.err) == (2, True)
        assert house.stopped().code == 0
