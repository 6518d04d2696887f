"""The keys of gateways: the identities at the broker, the files of the broker, and the commands for them."""

import stat
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Final
from urllib.error import HTTPError
from urllib.request import urlopen

import msgspec
import pytest
from click.testing import CliRunner

from croupier.cli.main import app
from croupier.rules.refusal import Code, Refusal
from croupier.server.gateways.broker_files import broker_files
from croupier.server.gateways.keys import GatewayKeyError, GatewayKeys, Identity, write_key
from tests.support.broker import BrokerProcess, broker
from tests.support.connections import LONG_S
from tests.support.serving import Serving, ServingGateway, processes

VENUE: Final = """
venue = "Behind gateways"
data = "data"
gateways.brokers = ["{broker}"]

[[tables]]
id = "A"
rulebook = "skycity-adelaide-2003"
wheel = "random"
"""


def enrolled(path: Path, name: str = "left") -> bytes:
    bundle = GatewayKeys(path).enrol(name)
    assert isinstance(bundle, bytes)
    return bundle


def test_enrolled_gateways_are_listed_until_they_are_released(tmp_path: Path) -> None:
    """Each has a key of its own; enrolling again replaces it, and releasing removes it."""
    keys = GatewayKeys(tmp_path)
    assert keys.gateways() == {}
    enrolled(tmp_path, "right")
    enrolled(tmp_path)
    first = keys.gateways()
    assert list(first) == ["left", "right"]
    assert len({each.key for each in first.values()}) == 2
    enrolled(tmp_path)
    again = keys.gateways()
    assert [again[name] == first[name] for name in ("left", "right")] == [False, True]
    assert keys.release("left") is None
    assert list(keys.gateways()) == ["right"]
    refusal = keys.release("left")
    assert isinstance(refusal, Refusal)
    assert refusal.code is Code.UNKNOWN_DEVICE


@pytest.mark.parametrize("name", ["", "-x", "a/b", "..", "A", "a" * 64])
def test_name_is_one_of_a_file_and_a_subject(tmp_path: Path, name: str) -> None:
    """A name goes into a path and a subject."""
    refusal = GatewayKeys(tmp_path).enrol(name)
    assert isinstance(refusal, Refusal)
    assert refusal.code is Code.MALFORMED


def test_keys_are_for_their_owner_alone(tmp_path: Path) -> None:
    """No file with a key is readable by another user, and none is overwritten."""
    write_key(tmp_path / "left.json", enrolled(tmp_path))
    with pytest.raises(FileExistsError):
        write_key(tmp_path / "left.json", b"")
    for name in ("left.json", "broker-authority.pem", "broker-house.json"):
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600


def test_broker_has_no_key_of_a_house_or_gateway(tmp_path: Path) -> None:
    """The files of a broker have its own certificate and public keys: no seed, and not the key of the authority."""
    seeds = [msgspec.json.decode(enrolled(tmp_path, name), type=Identity).seed for name in ("left", "right")]
    seeds.append(GatewayKeys(tmp_path).house().seed)
    files = b"".join(broker_files(GatewayKeys(tmp_path), tmp_path, "127.0.0.1:4222").values())
    assert [seed for seed in seeds if seed.encode() in files] == []
    authority = (tmp_path / "broker-authority.pem").read_bytes()
    private = authority[: authority.index(b"-----BEGIN CERTIFICATE")]
    assert b"PRIVATE KEY" in private
    assert private not in files
    assert files.count(b"PRIVATE KEY-----") == 2  # its beginning and its end: the broker's own


def test_new_authority_has_nothing_of_the_old_one(tmp_path: Path) -> None:
    """After the files of the house are deleted no key file, subject or authority of before is used again."""
    keys = GatewayKeys(tmp_path)
    before = msgspec.json.decode(enrolled(tmp_path), type=Identity)
    for name in ("broker-house.json", "broker-authority.pem"):
        (tmp_path / name).unlink()
    after = msgspec.json.decode(enrolled(tmp_path), type=Identity)
    assert before.name == after.name
    for field in ("realm", "seed", "authority"):
        assert getattr(before, field) != getattr(after, field)
    configuration = broker_files(keys, tmp_path, "127.0.0.1:4222")["nats.conf"].decode()
    assert before.realm not in configuration
    assert after.realm in configuration


def test_keys_that_cannot_be_read_or_written_are_a_fault(tmp_path: Path) -> None:
    """The fault names what is wrong, whichever file it is."""
    keys = GatewayKeys(tmp_path)
    with pytest.raises(GatewayKeyError, match="cannot be written"):
        GatewayKeys(tmp_path / "nowhere").house()
    enrolled(tmp_path)
    (tmp_path / "broker-authority.pem").write_text("nonsense")
    with pytest.raises(GatewayKeyError, match="authority"):
        broker_files(keys, tmp_path, "127.0.0.1:4222")
    (tmp_path / "gateways" / "left.json").write_text("nonsense")
    with pytest.raises(GatewayKeyError, match="keys of the gateways"):
        keys.gateways()
    write_key(tmp_path / "key.json", b"nonsense")
    for path in (tmp_path / "key.json", tmp_path / "nowhere.json"):
        with pytest.raises(GatewayKeyError, match="not a key"):
            Identity.read(path)


@pytest.mark.parametrize("mode", [0o600, 0o400, 0o640])
def test_key_of_its_owner_and_its_group_is_used(tmp_path: Path, mode: int) -> None:
    """A key file may be readable by its owner and its group."""
    for path in (tmp_path / "left.json", tmp_path / "broker-house.json"):
        _with_mode(path, mode)
    Identity.read(tmp_path / "left.json")
    GatewayKeys(tmp_path).house()


@pytest.mark.parametrize("mode", [0o660, 0o620, 0o604, 0o602, 0o644])
def test_key_that_other_users_can_read_or_change_is_refused(tmp_path: Path, mode: int) -> None:
    """No gateway and no house starts with a key that the group can change, or that other users can read."""
    for path in (tmp_path / "left.json", tmp_path / "broker-house.json"):
        _with_mode(path, mode)
    with pytest.raises(GatewayKeyError, match="give it mode 600"):
        Identity.read(tmp_path / "left.json")
    with pytest.raises(GatewayKeyError, match="give it mode 600"):
        GatewayKeys(tmp_path).house()


def _with_mode(path: Path, mode: int) -> None:
    bundle = enrolled(path.parent)
    if not path.exists():
        write_key(path, bundle)
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
    assert ran("enrol", "left", *data) == (0, {"gateway": "left", "file": "left.json"})
    assert ran("enrol", "left", *data)[0] == 2
    assert ran("enrol", "left", "--out", str(tmp_path / "nowhere" / "left.json"), *data)[0] == 2
    assert ran("enrol", "Left", *data)[0] == 2
    assert ran("list", *data) == (0, {"running": False, "gateways": [{"gateway": "left", "linked": False}]})
    assert CliRunner().invoke(app, ["gateway", "list", *data]).stdout == "left: unknown, no server runs.\n"
    assert ran("release", "left", *data) == (0, {"gateway": "left", "released": True})
    assert ran("release", "left", *data)[0] == 2
    (tmp_path / "data.keys" / "gateways" / "left.json").write_text("nonsense")
    assert ran("list", *data)[0] == 2


@pytest.mark.parametrize(
    "arguments",
    [
        ("--broker", "nowhere", "--key", "left.json"),
        ("--broker", "nats://192.0.2.1:4222", "--key", "left.json"),
        ("--broker", "nats://127.0.0.1:4222", "--key", "left.json", "--certificate", "c.pem"),
        ("--broker", "nats://127.0.0.1:4222", "--key", "nowhere.json"),
        ("--broker", "nats://127.0.0.1:4222", "--key", "left.json", "--host", "203.0.113.1"),
    ],
)
def test_gateway_that_cannot_start_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    """An address, a certificate or a key that cannot be used is refused at the start."""
    monkeypatch.chdir(tmp_path)
    write_key(tmp_path / "left.json", enrolled(tmp_path))
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
    """Its process finds the house at the broker, ends in good order, and with the house's words once it is released."""
    config = tmp_path / "croupier.toml"
    config.write_text(VENUE.format(broker=broker()), "utf-8")
    with processes() as start:
        house: Serving = start(config)
        assert house.opened(), house.ended()
        keys = GatewayKeys(tmp_path / "data.keys")
        write_key(tmp_path / "left.json", enrolled(tmp_path / "data.keys"))
        gateway = start(broker(), tmp_path / "left.json", "--metrics-port", "0", kind=ServingGateway)
        assert gateway.opened(), gateway.ended()
        wait_until_linked(gateway)
        data = ("--data", str(tmp_path / "data"))
        listed = CliRunner().invoke(app, ["gateway", "list", *data]).stdout
        assert listed == "left: linked for less than a minute, connections 0.\n"
        status = CliRunner().invoke(app, ["status", "--data", str(tmp_path / "data")]).stdout
        assert "Gateways: left (0 connections)." in status
        code, said = ran("list", *data)
        assert (code, said["running"]) == (0, True)
        with pytest.raises(HTTPError, match="404"):
            urlopen(f"http://127.0.0.1:{gateway.port}/metrics")
        assert gateway.stopped().code == 0
        assert CliRunner().invoke(app, ["gateway", "list", *data]).stdout == "left: not linked.\n"
        gateway = start(broker(), tmp_path / "left.json", kind=ServingGateway)
        assert gateway.opened(), gateway.ended()
        wait_until_linked(gateway)
        assert keys.release("left") is None
        ended = gateway.ended()
        assert (ended.code, "was released" in ended.err) == (2, True)
        assert house.stopped().code == 0


def test_broker_admits_those_that_are_enrolled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the files that the command writes, house and gateway meet over TLS at a broker that admits no one else."""
    config, files = tmp_path / "croupier.toml", tmp_path / "broker"
    monkeypatch.chdir(tmp_path)
    data = ("--data", str(tmp_path / "data"))
    (tmp_path / "data.keys").mkdir(mode=0o700)
    write_key(tmp_path / "left.json", enrolled(tmp_path / "data.keys"))
    assert ran("broker", "broker", *data) == (0, {"file": "broker/nats.conf"})
    server = BrokerProcess(files / "nats.conf")
    address = server.address.replace("nats://", "tls://")
    config.write_text(VENUE.format(broker=address), "utf-8")
    try:
        with processes() as start:
            house: Serving = start(config)
            assert house.opened(), house.ended()
            gateway = start(address, tmp_path / "left.json", kind=ServingGateway)
            assert gateway.opened(), gateway.ended()
            wait_until_linked(gateway)
            server.stop()
            server.start()
            wait_until_linked(gateway)
            assert gateway.stopped().code == 0
            assert house.stopped().code == 0
    finally:
        server.stop()
    (tmp_path / "file").write_text("")
    assert ran("broker", "file", *data)[0] == 2
    assert ran("broker", "nowhere/broker", *data)[0] == 2
