"""The link between a house and its gateways: who is admitted, what breaks it, and what is bounded."""

import asyncio
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from ssl import CERT_NONE, PROTOCOL_TLS_CLIENT, PROTOCOL_TLS_SERVER, SSLContext

import msgspec
import pytest

from croupier.app import GatewayOptions, RunningGateway
from croupier.client.connection import ServerAddress
from croupier.engine.ports import Request
from croupier.engine.sequencer import request_digest
from croupier.engine.storage import build_id
from croupier.house.floor.service import TerminalLost
from croupier.house.ids import SECOND, DeviceId, DeviceKind, TerminalId
from croupier.house.play.betting import ChooseDenomination
from croupier.journal.disk import write_atomic
from croupier.journal.entry import REQUEST_DIGEST_BYTES, IdempotencyKey
from croupier.protocol import inbound
from croupier.rules.money import Cents
from croupier.server.link import messages
from croupier.server.link.gateway import LinkRefusedError
from croupier.server.link.house import LinkedConnection
from croupier.server.link.keys import HOUSE_NAME, LinkKeys, gateway_context
from croupier.server.link.messages import (
    BEAT_EVERY,
    DECODE_DOWN,
    ENCODE,
    LINK_VERSION,
    MISSED_BEATS_MAX,
    UP_BYTES_MAX,
    Beat,
    Down,
    LinkAddress,
    LinkEnd,
    LinkHello,
    LinkRefused,
    LinkWelcome,
    Opened,
    Send,
)
from tests.connections import (
    LONG_S,
    THROUGH_GATEWAY,
    VENUE,
    Client,
    HandTime,
    TestHouse,
    open_house,
    played,
    refused_in,
    until,
)
from tests.test_gateway import returned


@pytest.fixture(autouse=True)
def _behind_a_gateway() -> Iterator[None]:
    token = THROUGH_GATEWAY.set(True)
    yield
    THROUGH_GATEWAY.reset(token)


def gateway_of(house: TestHouse) -> RunningGateway:
    assert house.gateway is not None
    return house.gateway


class FakeGateway:
    """The far end of a link, which sends what a test gives it."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    def send(self, *said: msgspec.Struct) -> None:
        self.send_payload(ENCODE(list(said)))

    def send_payload(self, payload: bytes) -> None:
        self.writer.write(len(payload).to_bytes(4, "big") + payload)

    async def receive(self) -> list[Down]:
        size = int.from_bytes(await asyncio.wait_for(self.reader.readexactly(4), LONG_S))
        return DECODE_DOWN(await self.reader.readexactly(size))

    async def ended(self) -> None:
        """Wait until the house has ended the link."""
        try:
            while await asyncio.wait_for(self.reader.read(65_536), LONG_S):
                pass
        except ConnectionError:
            pass


@asynccontextmanager
async def linked(
    house: TestHouse, folder: Path, *, build: str | None = None, version: int = LINK_VERSION
) -> AsyncIterator[FakeGateway]:
    """Link to a house as a gateway that is enrolled, and say hello."""
    bundle = house.venue.gateways.keys.enrol("fake")
    assert isinstance(bundle, bytes)
    key = folder / "fake.pem"
    write_atomic(key, bundle)
    streams = await asyncio.open_connection(
        "127.0.0.1", house.venue.gateways.port, ssl=gateway_context(key), server_hostname=HOUSE_NAME
    )
    fake = FakeGateway(*streams)
    fake.send(LinkHello(version, build_id() if build is None else build))
    try:
        yield fake
    finally:
        fake.writer.transport.abort()


@pytest.mark.parametrize(("build", "version"), [("another", LINK_VERSION), (None, LINK_VERSION + 1)])
def test_gateway_of_another_version_is_refused(tmp_path: Path, build: str | None, version: int) -> None:
    """House and gateway are of one build: the link has its commands as they are in the code."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house, linked(house, tmp_path, build=build, version=version) as fake:
            (answer,) = await fake.receive()
            assert isinstance(answer, LinkRefused)
            assert "update the gateway" in answer.words
            await fake.ended()

    played(scenario)


def test_refused_gateway_gives_up(tmp_path: Path) -> None:
    """A gateway whose version is refused ends with the refusal of the house."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            bundle = house.venue.gateways.keys.enrol("older")
            assert isinstance(bundle, bytes)
            key = tmp_path / "older.pem"
            write_atomic(key, bundle)
            options = GatewayOptions(LinkAddress(None, "127.0.0.1", house.venue.gateways.port), key, port=0)
            running = await RunningGateway.open(options, house.time)
            running.gateway.build = "older"
            with pytest.raises(LinkRefusedError, match="update the gateway"):
                await running.gateway.run()
            await running.close()

    played(scenario)


def test_released_gateway_is_cut_off(tmp_path: Path) -> None:
    """A gateway that is released loses its link at the next beat, and is not admitted again."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            player = await returned(house)
            assert house.venue.gateways.keys.release("gateway") is None
            house.time.at_us += BEAT_EVERY
            while house.time.ring_next(house.time.at_us):
                pass
            await until(lambda: not house.venue.router.connections)
            await until(lambda: bool(house.happened(TerminalLost)))
            assert not player.closed.done()

    with pytest.raises(LinkRefusedError, match="not enrolled"):
        played(scenario)


def test_certificates_that_cannot_be_read_admit_no_one(tmp_path: Path) -> None:
    """A key store that is damaged is as one without gateways."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            (tmp_path / "data.keys" / "gateways" / "other.pem").write_text("nonsense")
            bundle = house.venue.gateways.keys.enrol("fake")
            assert isinstance(bundle, bytes)
            key = tmp_path / "fake.pem"
            write_atomic(key, bundle)
            reader, writer = await asyncio.open_connection(
                "127.0.0.1", house.venue.gateways.port, ssl=gateway_context(key), server_hostname=HOUSE_NAME
            )
            fake = FakeGateway(reader, writer)
            (answer,) = await fake.receive()
            assert answer == LinkRefused("This gateway is not enrolled.")
            writer.transport.abort()
            (tmp_path / "data.keys" / "gateways" / "other.pem").unlink()

    played(scenario)


def test_key_of_another_house_opens_no_link(tmp_path: Path) -> None:
    """Neither side accepts a certificate of another authority, or one for the other side's purpose."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            other = tmp_path / "other"
            other.mkdir()
            bundle = LinkKeys(other).enrol("gateway")
            assert isinstance(bundle, bytes)
            key = tmp_path / "other.pem"
            write_atomic(key, bundle)
            address = LinkAddress(None, "127.0.0.1", house.venue.gateways.port)
            running = await RunningGateway.open(GatewayOptions(address, key, port=0), house.time)
            with pytest.raises(LinkRefusedError, match="not the one that issued the key"):
                await running.gateway.run()
            await running.close()
            # One that does not look at the house's certificate gets no further.
            careless = SSLContext(PROTOCOL_TLS_CLIENT)
            careless.check_hostname, careless.verify_mode = False, CERT_NONE
            careless.load_cert_chain(key)
            assert await _is_cut_off(house.venue.gateways.port, careless)
            careless = SSLContext(PROTOCOL_TLS_CLIENT)
            careless.check_hostname, careless.verify_mode = False, CERT_NONE
            assert await _is_cut_off(house.venue.gateways.port, careless)
            assert len(house.venue.gateways.links) == 1

    played(scenario)


async def _is_cut_off(port: int, tls: SSLContext) -> bool:
    reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=tls, server_hostname=HOUSE_NAME)
    try:
        return await asyncio.wait_for(reader.read(), LONG_S) == b""
    except OSError:
        return True
    finally:
        writer.transport.abort()


def test_gateway_does_not_pass_for_a_house(tmp_path: Path) -> None:
    """The certificate of a gateway is for its own side: another gateway does not take it for the house."""

    async def scenario() -> None:
        keys = LinkKeys(tmp_path)
        for name in ("first", "second"):
            bundle = keys.enrol(name)
            assert isinstance(bundle, bytes)
            write_atomic(tmp_path / f"{name}.pem", bundle)
        posing = SSLContext(PROTOCOL_TLS_SERVER)
        posing.load_cert_chain(tmp_path / "first.pem")
        server = await asyncio.get_running_loop().create_server(asyncio.Protocol, "127.0.0.1", 0, ssl=posing)
        address = LinkAddress(None, "127.0.0.1", server.sockets[0].getsockname()[1])
        running = await RunningGateway.open(GatewayOptions(address, tmp_path / "second.pem", port=0), HandTime())
        with pytest.raises(LinkRefusedError):
            await running.gateway.run()
        await running.close()
        server.close()

    played(scenario)


@pytest.mark.parametrize(
    "payload",
    [
        b"[]]",
        ENCODE([["say", 1, b"{}", 2]]),
        ENCODE([Opened(1, "", native=True, held=False), messages.Received(1, b'{"t":"nonsense"}')]),
        ENCODE([LinkHello(LINK_VERSION, build_id())]),
        ENCODE([Opened(1, "", native=True, held=False), ["end", 1, "no_such_code"]]),
        ENCODE([Opened(1, "", native=True, held=False), ["end", 1, ""]]),
        b"x" * (UP_BYTES_MAX + 1),
    ],
    ids=[
        "no MessagePack",
        "no message",
        "no message of a client",
        "hello twice",
        "unknown code",
        "empty code",
        "too large",
    ],
)
def test_gateway_that_breaks_the_protocol_is_dropped(tmp_path: Path, payload: bytes) -> None:
    """What is no frame of a gateway ends its link, and only that one."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house, linked(house, tmp_path) as fake:
            raised = list[object]()
            asyncio.get_running_loop().set_exception_handler(lambda _, context: raised.append(context))
            assert isinstance((await fake.receive())[0], LinkWelcome)
            fake.send_payload(payload)
            await fake.ended()
            await until(lambda: len(house.venue.gateways.links) == 1)
            assert raised == []

    played(scenario)


def test_first_message_of_a_gateway_is_its_hello(tmp_path: Path) -> None:
    """Whoever says anything else first is cut off."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            bundle = house.venue.gateways.keys.enrol("fake")
            assert isinstance(bundle, bytes)
            write_atomic(tmp_path / "fake.pem", bundle)
            streams = await asyncio.open_connection(
                "127.0.0.1",
                house.venue.gateways.port,
                ssl=gateway_context(tmp_path / "fake.pem"),
                server_hostname=HOUSE_NAME,
            )
            fake = FakeGateway(*streams)
            fake.send(Beat(1), Beat(2))
            await fake.ended()

    played(scenario)


def test_gateway_that_uses_a_connection_number_twice_loses_its_link(tmp_path: Path) -> None:
    """The link ends with every connection on it, and the terminal behind it counts as offline."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house, linked(house, tmp_path) as fake:
            await fake.receive()
            opened = Opened(1, "192.0.2.7", native=True, held=False)
            keys = house.venue.verifier.credential_store.enrol({DeviceId("A-1"): DeviceKind.TERMINAL})
            assert isinstance(keys, dict)
            key = keys[DeviceId("A-1")]
            hello = inbound.Hello(screen=DeviceKind.TERMINAL, device="A-1", key=key, protocol=inbound.PROTOCOL)
            fake.send(opened, messages.Received.of(1, hello))
            await until(lambda: DeviceId("A-1") in house.venue.publisher.devices.inside)
            fake.send(opened, Opened(2, "192.0.2.8", native=True, held=False))
            await fake.ended()
            await until(lambda: house.venue.router.connections == {})
            await until(lambda: bool(house.happened(TerminalLost)))
            assert DeviceId("A-1") not in house.venue.publisher.devices.inside

    played(scenario)


def first_command(connection: int, digest: bytes = bytes(REQUEST_DIGEST_BYTES)) -> messages.Played:
    """The first command of a terminal's player, as a gateway passes it on."""
    command = ChooseDenomination(TerminalId("A-1"), Cents(1))
    return messages.Played([messages.PlayerCommand(connection, IdempotencyKey(1, 1), digest, command)])


def test_messages_of_unknown_connections_are_ignored(tmp_path: Path) -> None:
    """A gateway may not know yet that the house has closed a connection."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house, linked(house, tmp_path) as fake:
            await fake.receive()
            fake.send(
                messages.Received.of(7, inbound.Ping(1)),
                first_command(7),
                messages.Paused(7),
                messages.Resumed(7, missed=True),
                messages.Ended(7, None),
                Beat(9),
            )
            while not any(isinstance(each, messages.BeatReturned) for each in await fake.receive()):
                pass
            assert house.venue.router.connections == {}

    played(scenario)


def test_command_of_a_device_that_is_not_admitted_ends_its_connection(tmp_path: Path) -> None:
    """A gateway cannot send a command over a connection whose device has shown no key."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house, linked(house, tmp_path) as fake:
            await fake.receive()
            fake.send(
                Opened(1, "192.0.2.7", native=True, held=False),
                first_command(1),
            )
            received: list[Down] = []
            while not any(isinstance(each, messages.Close) for each in received):
                received += await fake.receive()
            (bye,) = (msgspec.json.decode(each.frame) for each in received if isinstance(each, Send))
            assert bye["refusal"]["code"] == "out_of_turn"

    played(scenario)


def test_command_with_half_a_digest_breaks_the_link(tmp_path: Path) -> None:
    """A digest of another length would let two requests under one key look the same."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house, linked(house, tmp_path) as fake:
            await fake.receive()
            fake.send(first_command(1, bytes(REQUEST_DIGEST_BYTES // 2)))
            await fake.ended()
            await until(lambda: len(house.venue.gateways.links) == 1)

    played(scenario)


def test_gateway_computes_the_digests_of_requests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The digests of commands are those that the house would have computed, in however many messages they come."""
    monkeypatch.setattr("croupier.server.link.gateway.COMMANDS_MAX", 2)

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            player = await returned(house)
            terminal = TerminalId(player.device)
            commands = [ChooseDenomination(terminal, Cents(cents)) for cents in (1, 999, 1)]
            for number, command in enumerate(commands, start=1):
                player.send(msgspec.json.encode(inbound.SendCommand(number, player.epoch, command)))
            await player.hear("seat", lambda said: said["last_cmd"] == len(commands))
            known = house.venue.publisher.run.sequencer.idempotency.devices[DeviceId(terminal)]
            rows = {row.number: row.digest for row in (*known.committed, *(known.transient or ()))}
            expected = [request_digest(Request(command)) for command in commands]
            assert [rows[number] for number in (1, 2, 3)] == expected
            # The same number with another command.
            player.send(msgspec.json.encode(inbound.SendCommand(3, player.epoch, commands[1])))
            said = await player.hear("seat", lambda said: bool(refused_in(said)))
            assert refused_in(said)[3]["code"] == "key_reused"

    played(scenario)


def test_commands_are_refused_one_by_one_when_the_queue_is_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of commands that arrive together those that fit are queued, and the others are refused as busy."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            player = await returned(house)
            connection = house.venue.publisher.seats[player.device]
            assert isinstance(connection, LinkedConnection)
            command = ChooseDenomination(TerminalId(player.device), Cents(1))
            requests = [
                Request(command, connection.device, key=IdempotencyKey(player.epoch, number)) for number in (1, 2, 3)
            ]
            await house.rest()
            with monkeypatch.context() as patched:
                patched.setattr("croupier.engine.sequencer.QUEUE_MAX", 2)
                house.venue.router.submit_all(requests)
            said = await player.hear("seat", lambda said: bool(refused_in(said)))
            assert {number: each["code"] for number, each in refused_in(said).items()} == {3: "busy"}
            # Again, and late: a command of another epoch is not counted as received, and is answered by the house.
            house.venue.router.submit_all([Request(command, connection.device, key=IdempotencyKey(99, 1))])
            said = await player.hear("seat", lambda said: bool(refused_in(said)))
            assert refused_in(said)[1]["code"] == "epoch_ahead"

    played(scenario)


def test_frames_may_come_in_pieces(tmp_path: Path) -> None:
    """A frame is taken once all of it has arrived, wherever it was cut."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house, linked(house, tmp_path) as fake:
            await fake.receive()
            payload = ENCODE([Beat(5)])
            data = (len(payload).to_bytes(4, "big") + payload) * 2
            for at in range(0, len(data), 3):
                fake.writer.write(data[at : at + 3])
                await fake.writer.drain()
                await house.rest()
            answered = 0
            while answered < 2:
                answered += sum(isinstance(each, messages.BeatReturned) for each in await fake.receive())

    played(scenario)


def test_silent_gateway_is_dropped(tmp_path: Path) -> None:
    """A gateway that gives no sign of life for some beats is as good as gone, and so are its terminals."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house, linked(house, tmp_path) as fake:
            await fake.receive()
            fake.send(Opened(1, "192.0.2.7", native=True, held=False))
            await until(lambda: len(house.venue.router.connections) == 1)
            await house.pass_s((MISSED_BEATS_MAX + 1) * BEAT_EVERY // SECOND)
            await fake.ended()
            await until(lambda: not house.venue.router.connections)
            assert len(house.venue.gateways.links) == 1

    played(scenario)


def test_slow_gateway_is_dropped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A gateway that does not read is dropped once too much waits for it; the house goes on."""
    monkeypatch.setattr(messages, "LINK_BUFFER_BYTES_MAX", 100_000)
    monkeypatch.setattr("croupier.server.link.house.DOWN_BYTES_MAX", 150_000)

    async def scenario() -> None:
        async with open_house(tmp_path) as house, linked(house, tmp_path) as fake:
            await fake.receive()
            transport = fake.writer.transport
            assert hasattr(transport, "pause_reading")
            transport.pause_reading()
            fake.send(Opened(1, "192.0.2.7", native=True, held=False))
            await until(lambda: len(house.venue.router.connections) == 1)
            (connection,) = house.venue.router.connections
            for _ in range(100):
                for _ in range(4):
                    connection.send_frame(bytes([0]) * 100_000)
                await asyncio.sleep(0)
            await until(lambda: not house.venue.router.connections)

    played(scenario)


def test_large_batch_is_sent_in_several_frames(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No frame is larger than the other side takes, as long as no message is."""
    monkeypatch.setattr("croupier.server.link.house.DOWN_BYTES_MAX", 50_000)

    async def scenario() -> None:
        async with open_house(tmp_path) as house, linked(house, tmp_path) as fake:
            await fake.receive()
            fake.send(Opened(1, "192.0.2.7", native=True, held=False))
            await until(lambda: len(house.venue.router.connections) == 1)
            (connection,) = house.venue.router.connections
            for number in range(7):
                connection.send_frame(bytes([number]) * 20_000)
            frames: list[int] = []
            while len(frames) < 7:
                frames += [each.frame[0] for each in await fake.receive() if isinstance(each, Send)]
            assert frames == list(range(7))

    played(scenario)


def test_gateway_on_another_machine_does_not_speak_for_this_host(tmp_path: Path) -> None:
    """A loopback address is one of the house's own machine: over a link from elsewhere it is the gateway's address."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house, linked(house, tmp_path) as fake:
            await fake.receive()
            link = next(each for each in house.venue.gateways.links if each.name == "fake")
            link.address = "192.0.2.1"
            fake.send(*(Opened(n, peer, native=False, held=False) for n, peer in enumerate(("127.0.0.1", "192.0.2.7"))))
            await until(lambda: len(house.venue.router.connections) == 2)
            assert [each.peer for each in house.venue.router.connections] == ["192.0.2.1", "192.0.2.7"]

    played(scenario)


def test_link_over_a_socket_in_the_file_system(tmp_path_factory: pytest.TempPathFactory) -> None:
    """A gateway on the same machine links over a socket, which replaces one that an earlier run has left behind."""
    folder = tmp_path_factory.mktemp("unix")
    path = folder / "link.sock"
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(path))

    async def scenario() -> None:
        text = f'{VENUE}\n[gateways]\nsocket = "link.sock"\nlink_port = 0\n'
        async with open_house(folder, text) as house:
            bundle = house.venue.gateways.keys.enrol("local")
            assert isinstance(bundle, bytes)
            write_atomic(folder / "local.pem", bundle)
            running = await RunningGateway.open(
                GatewayOptions(LinkAddress(path), folder / "local.pem", port=0), house.time
            )
            linking = asyncio.ensure_future(running.gateway.run())
            await until(lambda: running.gateway.is_linked)
            client = await Client.connected(ServerAddress("127.0.0.1", running.port))
            await client.sit()
            (connection,) = house.venue.router.connections
            assert isinstance(connection, LinkedConnection)
            assert connection.peer == "127.0.0.1"
            await running.close()
            await linking

    played(scenario)


def test_socket_that_cannot_be_bound_is_a_fault(tmp_path: Path) -> None:
    """A path without a directory is reported as any address that cannot be listened on."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            with pytest.raises(OSError, match="No such file"):
                await house.venue.gateways.open(LinkAddress(tmp_path / "nowhere" / "link.sock"))

    played(scenario)


def test_gateway_finds_the_house_that_is_open(tmp_path: Path) -> None:
    """A gateway with several addresses tries each in turn, and links to the house that answers."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            await house.venue.gateways.open(LinkAddress(None, "127.0.0.1", 0))
            bundle, key = house.venue.gateways.keys.enrol("gateway"), tmp_path / "gateway.pem"
            assert isinstance(bundle, bytes)
            write_atomic(key, bundle)
            closed, other = LinkAddress(tmp_path / "no.sock"), LinkAddress(tmp_path / "nor.sock")
            there = LinkAddress(None, "127.0.0.1", house.venue.gateways.port)
            options = GatewayOptions(closed, key, port=0, standbys=(other, there))
            running = await RunningGateway.open(options, house.time)
            running.gateway.retry_s = 0
            linking = asyncio.ensure_future(running.gateway.run())
            await until(lambda: running.gateway.is_linked)
            await running.close()
            await linking

    played(scenario)


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("unix:/run/link.sock", LinkAddress(Path("/run/link.sock"))),
        ("10.0.0.7:8090", LinkAddress(None, "10.0.0.7", 8090)),
        ("[::1]:8090", LinkAddress(None, "::1", 8090)),
        ("unix:", None),
        ("8090", None),
        ("house:", None),
        ("house:70000", None),
        ("house:x", None),
    ],
)
def test_address_of_a_house(text: str, address: LinkAddress | None) -> None:
    """The address of a house is a path or a host with a port."""
    assert LinkAddress.read(text) == address


class UnusedLink(LinkEnd):
    """An end of a link that was never connected."""

    def begin(self) -> None: ...
    def receive(self, payload: memoryview) -> None: ...
    def beat(self) -> None: ...
    def ended(self) -> None: ...


def test_link_that_was_never_open_closes() -> None:
    """Closing or dropping an end without a connection does nothing."""
    link = UnusedLink(HandTime(), UP_BYTES_MAX, UP_BYTES_MAX)
    link.close()
    link.drop("never open")
    assert not link.is_open
