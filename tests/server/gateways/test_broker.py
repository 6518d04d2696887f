"""The broker between a house and its gateways: who may publish and receive what, and what is refused."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import nkeys
import pytest
from nats.aio.client import Client as BrokerClient
from nats.errors import Error as BrokerError
from nats.errors import NoServersError

from croupier.server.gateways import broker as broker_module
from croupier.server.gateways.broker import Broker
from croupier.server.gateways.keys import BROKER_CONFIGURATION, BROKER_NAME, GatewayKeys, Identity, write_key
from croupier.server.gateways.messages import ENCODE, Beat, UpBatch
from croupier.server.gateways.process import GatewayOptions, RunningGateway
from tests.support.broker import BrokerProcess
from tests.support.connections import LONG_S, VENUE, TestHouse, gateways_of, open_house, played, until

NAMES = ("left", "right")


@pytest.fixture
def keys(tmp_path: Path) -> GatewayKeys:
    path = tmp_path / "data.keys"
    path.mkdir(mode=0o700)
    return GatewayKeys(path)


@pytest.fixture
def server(tmp_path: Path, keys: GatewayKeys) -> Iterator[BrokerProcess]:
    """A broker as the command configures it, for a house with two gateways."""
    for name in NAMES:
        content = keys.enrol(name, local=True)
        assert isinstance(content, bytes)
        write_key(tmp_path / f"{name}.json", content)
    for name, content in keys.broker_files(tmp_path, "127.0.0.1:4222").items():
        (tmp_path / name).write_bytes(content)
    process = BrokerProcess(tmp_path / BROKER_CONFIGURATION)
    yield process
    process.stop()


def identity(folder: Path, name: str = "left") -> Identity:
    return Identity.read(folder / f"{name}.json")


def address(server: BrokerProcess) -> str:
    return server.address.replace("nats://", "tls://")


@asynccontextmanager
async def signed_in(server: BrokerProcess, who: Identity, errors: list[str]) -> AsyncIterator[BrokerClient]:
    """Sign in with the key of a gateway, and collect what the broker objects to."""

    async def note(error: Exception) -> None:
        errors.append(str(error))

    client = BrokerClient()
    await client.connect(
        address(server),
        error_cb=note,
        allow_reconnect=False,
        tls=who.tls(),
        tls_hostname=BROKER_NAME,
        nkeys_seed_str=who.seed,
    )
    try:
        yield client
    finally:
        with suppress(TimeoutError):
            await asyncio.wait_for(client.close(), 1)


@asynccontextmanager
async def opened(server: BrokerProcess, folder: Path) -> AsyncIterator[TestHouse]:
    async with open_house(folder, f'{VENUE}\n[gateways]\nbrokers = ["{address(server)}"]\n') as house:
        yield house


def test_gateway_publishes_and_receives_its_own_subjects_alone(tmp_path: Path, server: BrokerProcess) -> None:
    """With the key of one gateway no one speaks for another, for the house, or listens to what is not for it."""
    errors = list[str]()
    left, right = identity(tmp_path), identity(tmp_path, "right")
    not_published = (
        right.up,
        left.down,
        right.down,
        left.beacon,
        left.cast("1"),
        left.cast("pages"),
        "other.up.left",
        "x",
    )
    not_received = (left.up, right.up, right.down, f"{left.realm}.up.*", f"{left.realm}.down.*", f"{left.realm}.>", ">")

    async def scenario() -> None:
        async with signed_in(server, left, errors) as client:
            for subject in not_published:
                await client.publish(subject, b"forged")
            for subject in not_received:
                await client.subscribe(subject)
            await client.publish(left.up, b"its own")
            for subject in (left.down, left.beacon, left.cast("1"), left.cast("pages")):
                await client.subscribe(subject)
            await client.flush()
            await until(lambda: len(errors) == len(not_published) + len(not_received))

    played(scenario)
    refused = "\n".join(errors).lower()
    for subject in not_published:
        assert f'permissions violation for publish to "{subject}"'.lower() in refused
    for subject in not_received:
        assert f'permissions violation for subscription to "{subject}"'.lower() in refused


def test_broker_admits_no_one_without_a_key(tmp_path: Path, server: BrokerProcess) -> None:
    """No key, a key that was not enrolled, and one that was released are refused, and so is plain text."""

    async def scenario() -> None:
        who = identity(tmp_path)
        stranger = nkeys.encode_seed(bytes(32), nkeys.PREFIX_BYTE_USER).decode()
        for seed in (None, stranger):
            client = BrokerClient()
            with pytest.raises((BrokerError, OSError)):
                await client.connect(
                    address(server),
                    allow_reconnect=False,
                    tls=who.tls(),
                    tls_hostname=BROKER_NAME,
                    nkeys_seed_str=seed,
                )
        with pytest.raises((BrokerError, OSError, TimeoutError)):
            await asyncio.wait_for(
                BrokerClient().connect(server.address, allow_reconnect=False, nkeys_seed_str=who.seed), LONG_S
            )

    played(scenario)


class Recorder:
    """A user of a connection that notes what happens to it."""

    def __init__(self) -> None:
        self.happened: list[str] = []

    async def on_connected(self, broker: Broker) -> None:
        self.happened.append("connected")
        await broker.subscribe(broker.identity.down)

    def on_message(self, _subject: str, payload: bytes) -> None:
        self.happened.append(payload.decode())

    def on_no_responders(self, _subject: str) -> None:
        self.happened.append("no responders")

    def on_overrun(self, subject: str) -> None:
        self.happened.append(f"overrun {subject}")

    def on_lost(self) -> None:
        self.happened.append("lost")


@asynccontextmanager
async def running(broker: Broker, user: Recorder) -> AsyncIterator[None]:
    task = asyncio.ensure_future(broker.run(user))
    try:
        yield
    finally:
        await broker.close()
        await asyncio.wait_for(task, LONG_S)


def test_broker_without_tls_is_refused(tmp_path: Path, keys: GatewayKeys) -> None:
    """Where the address says TLS nothing is published in plain text, whatever the other side says."""
    content = keys.enrol("left")
    assert isinstance(content, bytes)
    write_key(tmp_path / "left.json", content)
    plain = BrokerProcess()
    user = Recorder()

    async def scenario() -> None:
        broker = Broker([address(plain)], identity(tmp_path), retry_s=0)
        async with running(broker, user):
            await until(lambda: "lost" in user.happened)
            broker.publish("secret", b"x")
            assert not broker.is_connected

    try:
        played(scenario)
    finally:
        plain.stop()
    assert "connected" not in user.happened


def test_broker_of_another_authority_is_refused(tmp_path: Path, server: BrokerProcess) -> None:
    """A broker whose certificate is of another house is not spoken to."""
    other = tmp_path / "other"
    other.mkdir(mode=0o700)
    content = GatewayKeys(other).enrol("left")
    assert isinstance(content, bytes)
    write_key(other / "left.json", content)
    user = Recorder()

    async def scenario() -> None:
        async with running(Broker([address(server)], identity(other), retry_s=0), user):
            client = BrokerClient()
            with pytest.raises((OSError, BrokerError, NoServersError)):
                await client.connect(
                    address(server), allow_reconnect=False, tls=identity(other).tls(), tls_hostname=BROKER_NAME
                )

    played(scenario)
    assert "connected" not in user.happened


def test_connection_goes_on_at_the_next_server(tmp_path: Path, server: BrokerProcess) -> None:
    """A server that is not there is passed over, and one that is restarted is found again."""
    user = Recorder()

    async def scenario() -> None:
        who = identity(tmp_path)
        broker = Broker(["tls://127.0.0.1:1", address(server)], who, retry_s=0)
        async with running(broker, user):
            await until(lambda: broker.is_connected)
            server.stop()
            await until(lambda: "lost" in user.happened)
            server.start()
            await until(lambda: user.happened.count("connected") == 2)
            broker.drop("as a test wants it")
            await until(lambda: user.happened.count("connected") == 3)

    played(scenario)


def test_what_waits_too_long_ends_the_connection(
    tmp_path: Path, server: BrokerProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When more waits to be sent than the bound, it is dropped, and everything begins anew."""
    monkeypatch.setattr(broker_module, "OUTBOX_BYTES_MAX", 1_000)
    user = Recorder()

    async def scenario() -> None:
        broker = Broker([address(server)], identity(tmp_path), retry_s=0)
        async with running(broker, user):
            await until(lambda: broker.is_connected)
            for _ in range(3):
                broker.publish(broker.identity.up, bytes(500))
            await until(lambda: user.happened.count("connected") == 2)

    played(scenario)


def test_what_is_not_handled_in_time_is_reported(
    tmp_path: Path, server: BrokerProcess, keys: GatewayKeys, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Messages beyond the bound are dropped, and their user is told of which subject."""
    monkeypatch.setattr(broker_module, "PENDING_BYTES_MAX", 1_000)
    user = Recorder()

    async def scenario() -> None:
        who, errors = identity(tmp_path), list[str]()
        broker = Broker([address(server)], who, retry_s=0)
        async with running(broker, user), signed_in(server, keys.house(), errors) as house:
            await until(lambda: broker.is_connected)
            await house.publish(who.down, bytes(2_000))
            await house.flush()
            await until(lambda: f"overrun {who.down}" in user.happened)
            assert broker.is_connected

    played(scenario)


def test_flood_of_one_gateway_harms_no_other(tmp_path: Path, server: BrokerProcess) -> None:
    """Invalid batches without end cost one gateway its session; players at another play on."""

    async def scenario() -> None:
        errors, who = list[str](), identity(tmp_path)
        async with opened(server, tmp_path) as house, signed_in(server, who, errors) as flood:
            options = GatewayOptions((address(server),), tmp_path / "right.json", port=0)
            house.gateway = right = await RunningGateway.open(options, house.time)
            serving = asyncio.ensure_future(right.gateway.run())
            await until(lambda: right.gateway.is_linked)
            player = await house.seated()
            for number in range(2_000):
                batch = ENCODE(UpBatch(1, number, [Beat(number)]))
                await flood.publish(who.up, batch if number % 2 else b"\xc1")
            await flood.flush()
            assert (await player.ping())["t"] == "pong"
            assert set(gateways_of(house.venue).sessions) == {"right"}
            assert errors == []
            await house.stop()
            await right.close()
            await serving

    played(scenario)
