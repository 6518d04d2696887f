"""The broker between a house and its gateways: who may publish and receive what, and what is refused."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import nkeys
import pytest
from nats.aio.client import Client as BrokerClient
from nats.errors import Error as BrokerError
from nats.errors import FlushTimeoutError, NoServersError, OutboundBufferLimitError
from structlog.testing import capture_logs

from croupier.server.gateways import broker as broker_module
from croupier.server.gateways.broker import CONNECT_S, Broker
from croupier.server.gateways.broker_files import BROKER_CONFIGURATION, PAYLOAD_BYTES_MAX, broker_files
from croupier.server.gateways.keys import BROKER_NAME, GatewayKeys, Identity, write_key
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
    for name, content in broker_files(keys, tmp_path, "127.0.0.1:4222").items():
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
        await broker.subscribe(broker.identity.down)
        # From now on the broker delivers what is published.
        self.happened.append("connected")

    def on_message(self, _subject: str, payload: bytes) -> Iterable[None]:
        self.happened.append(payload.decode())
        return ()

    def on_no_responders(self, _subject: str) -> None:
        self.happened.append("no responders")

    def on_overrun(self, subject: str) -> None:
        self.happened.append(f"overrun {subject}")

    def on_lost(self) -> None:
        self.happened.append("lost")


class BusyRecorder(Recorder):
    """A user that is not done with its first message yet."""

    is_busy = True

    def on_message(self, subject: str, payload: bytes) -> Iterable[None]:
        while self.is_busy:
            yield
        super().on_message(subject, payload)


class FailingRecorder(Recorder):
    """A user that fails at a message, at once or later."""

    def on_message(self, _subject: str, payload: bytes) -> Iterable[None]:
        if payload == b"later":
            yield
        raise ValueError(payload.decode())


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
    """A server that is not there is passed over, and one that is restarted is found again; each is logged once."""
    user = Recorder()

    async def scenario() -> None:
        who = identity(tmp_path)
        broker = Broker(["tls://127.0.0.1:1", address(server)], who, retry_s=0)
        with capture_logs() as logs:
            async with running(broker, user):
                await until(lambda: "connected" in user.happened)
                server.stop()
                await until(lambda: "lost" in user.happened)
                # Attempts enough to be logged again and again.
                for _ in range(200):
                    await asyncio.sleep(0.001)
                server.start()
                await until(lambda: user.happened.count("connected") == 2)
                broker.drop("as a test wants it")
                await until(lambda: user.happened.count("connected") == 3)
        first, *others = [each for each in logs if each["event"] == "broker_unreachable"]
        assert first["server"] == "tls://127.0.0.1:1"
        assert "refused" in first["words"]
        assert [each["server"] for each in others].count(address(server)) == 1
        assert len(others) <= 3

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


def test_what_waits_too_long_for_one_subject_is_dropped(
    tmp_path: Path, server: BrokerProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When more of one subject waits to be sent than its bound, that is dropped, and what is of others is sent."""
    monkeypatch.setattr(broker_module, "OUTBOX_SUBJECT_BYTES_MAX", 1_000)
    monkeypatch.setattr(broker_module, "WRITE_BYTES_MAX", -1)
    user = Recorder()

    async def scenario() -> None:
        who = identity(tmp_path)
        broker = Broker([address(server)], who, retry_s=0)
        async with running(broker, user), signed_in(server, identity(tmp_path, "right"), []):
            await until(lambda: "connected" in user.happened)
            # Nobody subscribes: what is sent with a subject for responses is reported.
            for _ in range(3):
                broker.publish(who.up, bytes(500), who.down)
            broker.publish(who.beacon, bytes(500))
            broker.publish(who.up, bytes(500), who.down)
            assert user.happened == ["connected", f"overrun {who.up}"]
            await until(lambda: "no responders" in user.happened)
            assert user.happened.count("no responders") == 1
            assert "lost" not in user.happened

    played(scenario)


def test_what_is_not_handled_in_time_is_reported(
    tmp_path: Path, server: BrokerProcess, keys: GatewayKeys, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Messages come one after the other; what is beyond the bound is dropped, and its subject is reported."""
    monkeypatch.setattr(broker_module, "PENDING_BYTES_MAX", 1_000)
    user = BusyRecorder()

    async def scenario() -> None:
        who, errors = identity(tmp_path), list[str]()
        broker = Broker([address(server)], who, retry_s=0)
        async with running(broker, user), signed_in(server, keys.house(), errors) as house:
            await until(lambda: "connected" in user.happened)
            for payload in (b"first", bytes(990), b"last", bytes(990)):
                await house.publish(who.down, payload)
            await house.flush()
            overrun = f"overrun {who.down}"
            await until(lambda: user.happened.count(overrun) == 1)
            user.is_busy = False
            await until(lambda: "last" in user.happened)
            assert user.happened == ["connected", overrun, "first", bytes(990).decode(), "last"]
            assert broker.is_connected

    played(scenario)


@pytest.mark.parametrize("when", ["at once", "later"])
def test_exception_of_the_user_ends_the_connection(
    tmp_path: Path, server: BrokerProcess, keys: GatewayKeys, when: str
) -> None:
    """A message at which its user fails ends the connection; another follows."""
    user = FailingRecorder()

    async def scenario() -> None:
        who = identity(tmp_path)
        broker = Broker([address(server)], who, retry_s=0)
        async with running(broker, user), signed_in(server, keys.house(), []) as house:
            await until(lambda: "connected" in user.happened)
            with capture_logs() as logs:
                await house.publish(who.down, when.encode())
                await until(lambda: user.happened == ["connected", "lost", "connected"])
            assert [each["words"] for each in logs if each["event"] == "broker_dropped"] == [when]

    played(scenario)


def test_message_larger_than_a_broker_accepts_is_not_published(tmp_path: Path, server: BrokerProcess) -> None:
    """It is refused with a word in the log, and what is published after it arrives on the same connection."""
    user = Recorder()

    async def scenario() -> None:
        broker = Broker([address(server)], identity(tmp_path), retry_s=0)
        async with running(broker, user), signed_in(server, identity(tmp_path, "right"), []):
            await until(lambda: "connected" in user.happened)
            with capture_logs() as logs:
                assert not broker.publish(broker.identity.up, bytes(PAYLOAD_BYTES_MAX + 1))
            assert [each["event"] for each in logs] == ["message_too_large"]
            assert broker.publish(broker.identity.up, bytes(PAYLOAD_BYTES_MAX), broker.identity.down)
            await until(lambda: "no responders" in user.happened)
            assert "lost" not in user.happened

    played(scenario)


def test_broker_that_accepts_less_is_refused(tmp_path: Path, keys: GatewayKeys) -> None:
    """A broker whose largest message is smaller than ours is not used, and the log says what to set."""
    content = keys.enrol("left")
    assert isinstance(content, bytes)
    write_key(tmp_path / "left.json", content)
    (tmp_path / "small.conf").write_text("max_payload: 1000000\n")
    small, user = BrokerProcess(tmp_path / "small.conf"), Recorder()

    async def scenario() -> None:
        async with running(Broker([small.address], identity(tmp_path), retry_s=0), user):
            await until(lambda: user.happened.count("lost") == 2)

    try:
        with capture_logs() as logs:
            played(scenario)
    finally:
        small.stop()
    assert "connected" not in user.happened
    assert {f"max_payload must be {PAYLOAD_BYTES_MAX}" in each["words"] for each in logs} == {True}


def test_connection_over_which_nothing_can_be_sent_ends(
    tmp_path: Path, server: BrokerProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever keeps the messages that wait from being sent, another connection follows."""
    user, faults = Recorder(), [OutboundBufferLimitError(), OSError("broken")]
    publish = BrokerClient.publish

    async def failing(self: BrokerClient, subject: str, payload: bytes, reply: str) -> None:
        if faults:
            raise faults.pop()
        await publish(self, subject, payload, reply)

    monkeypatch.setattr(BrokerClient, "publish", failing)
    monkeypatch.setattr(broker_module, "WRITE_BYTES_MAX", -1)

    async def scenario() -> None:
        broker = Broker([address(server)], identity(tmp_path), retry_s=0)
        async with running(broker, user):
            for connections in (1, 2, 3):
                await until(lambda: user.happened.count("connected") == connections)  # noqa: B023 - awaited at once
                broker.publish(broker.identity.up, b"x", broker.identity.down)
            await until(lambda: "no responders" in user.happened)

    played(scenario)
    assert user.happened.count("lost") == 3


def test_connection_that_is_being_made_is_closed(tmp_path: Path, server: BrokerProcess) -> None:
    """Whoever closes it before the broker has admitted it does not wait for the broker, and has no connection after."""
    user = Recorder()

    async def scenario() -> None:
        async def say_nothing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            accepted.set()
            await reader.read()
            writer.close()
            ended.set()

        accepted, ended = asyncio.Event(), asyncio.Event()
        listening = await asyncio.start_server(say_nothing, "127.0.0.1", 0)
        silent = f"tls://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
        broker = Broker([silent, address(server)], identity(tmp_path), retry_s=0)
        attempt = asyncio.ensure_future(broker.run(user))
        await accepted.wait()
        await broker.close()
        await asyncio.wait_for(attempt, CONNECT_S / 2)
        await asyncio.wait_for(ended.wait(), LONG_S)
        listening.close()
        await listening.wait_closed()
        # And so soon that nothing was begun.
        broker = Broker([address(server)], identity(tmp_path), retry_s=0)
        attempt = asyncio.ensure_future(broker.run(user))
        await asyncio.sleep(0)
        await broker.close()
        await asyncio.wait_for(attempt, LONG_S)

    played(scenario)
    assert user.happened == []


def test_subscription_is_one_of_its_connection(
    tmp_path: Path, server: BrokerProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a connection, or when it is lost meanwhile, there is no subscription, and nothing to end later."""
    user = Recorder()

    async def scenario() -> None:
        broker = Broker([address(server)], identity(tmp_path), retry_s=0)
        with pytest.raises(BrokerError, match="no connection"):
            await broker.subscribe("x")
        async with running(broker, user):
            await until(lambda: "connected" in user.happened)
            unsubscribe = await broker.subscribe(broker.identity.beacon)
            flush = BrokerClient.flush

            async def lost_meanwhile(self: BrokerClient, timeout: int = 10) -> None:  # noqa: ASYNC109 - the library's
                await flush(self, timeout)
                monkeypatch.undo()
                broker.drop("as a test wants it")
                await until(lambda: user.happened.count("connected") == 2)

            async def silent(_self: BrokerClient, timeout: int = 10) -> None:  # noqa: ASYNC109, ARG001 - the library's
                raise FlushTimeoutError

            monkeypatch.setattr(BrokerClient, "flush", lost_meanwhile)
            with pytest.raises(BrokerError, match="is lost"):
                await broker.subscribe(broker.identity.beacon)
            await unsubscribe()
            monkeypatch.setattr(BrokerClient, "flush", silent)
            with pytest.raises(FlushTimeoutError):
                await broker.subscribe(broker.identity.beacon)
            monkeypatch.undo()

    played(scenario)


def test_fault_in_handling_a_message_ends_the_connection(
    tmp_path: Path, server: BrokerProcess, keys: GatewayKeys
) -> None:
    """Nothing goes on behind a message that was handled in part: everything begins anew."""
    user = Recorder()

    async def scenario() -> None:
        who = identity(tmp_path)
        broker = Broker([address(server)], who, retry_s=0)
        async with running(broker, user), signed_in(server, keys.house(), []) as house:
            await until(lambda: "connected" in user.happened)
            # The recorder cannot decode it.
            await house.publish(who.down, b"\xff")
            await house.flush()
            await until(lambda: user.happened.count("connected") == 2)

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
