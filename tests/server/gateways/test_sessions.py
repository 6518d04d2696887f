"""The sessions of a house with its gateways: who is admitted, what ends a session, and what is bounded."""

import asyncio
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import pytest
from nats.aio.client import Client as BrokerClient
from nats.aio.subscription import Subscription

from croupier.engine.ports import Request
from croupier.engine.sequencer import request_digest
from croupier.engine.storage import build_id
from croupier.house.floor.service import TerminalLost
from croupier.house.ids import SECOND, DeviceId, DeviceKind, TerminalId
from croupier.house.play.betting import ChooseDenomination
from croupier.journal.entry import REQUEST_DIGEST_BYTES, IdempotencyKey
from croupier.protocol import inbound
from croupier.rules.money import Cents
from croupier.server.assets import NOT_COMPRESSED
from croupier.server.gateways import broker as broker_module
from croupier.server.gateways import messages
from croupier.server.gateways.gateway import GatewayRefusedError
from croupier.server.gateways.keys import SETTLED_NS, Enrolment, Identity, down_subject, up_subject
from croupier.server.gateways.messages import (
    BEAT_EVERY,
    DECODE_DOWN,
    ENCODE,
    MESSAGES_MAX,
    MISSED_BEATS_MAX,
    VERSION,
    Beat,
    Close,
    Down,
    DownBatch,
    Goodbye,
    Hello,
    Opened,
    Send,
    SessionEnded,
    SessionRefused,
    UpBatch,
    Welcome,
)
from croupier.server.gateways.process import RunningGateway
from croupier.server.gateways.sessions import GatewayConnection, GatewaySession
from tests.server.gateways.test_gateway import returned
from tests.support.connections import (
    LONG_S,
    THROUGH_GATEWAY,
    TestHouse,
    gateways_of,
    new_gateway,
    open_gateway,
    open_house,
    played,
    refused_in,
    until,
)
from tests.support.slices import single_steps

#: The session of a fake gateway.
SESSION = 7
PLAYER = Opened(1, "192.0.2.7", native=True, held=False)


@pytest.fixture(autouse=True)
def _behind_a_gateway() -> Iterator[None]:
    token = THROUGH_GATEWAY.set(True)
    yield
    THROUGH_GATEWAY.reset(token)


def gateway_of(house: TestHouse) -> RunningGateway:
    assert house.gateway is not None
    return house.gateway


class FakeGateway:
    """A gateway that sends what a test gives it."""

    def __init__(self, client: BrokerClient, subscription: Subscription, realm: str, name: str) -> None:
        self._client, self._subscription = client, subscription
        self._up, self._sent = up_subject(realm, name), 0
        self.session = SESSION

    async def send(self, *said: messages.Up) -> None:
        """Send the next batch."""
        self._sent += 1
        await self.send_batch(self._sent, *said)

    async def send_batch(self, number: int, *said: messages.Up) -> None:
        await self.send_payload(ENCODE(UpBatch(self.session, number, list(said))))

    async def send_payload(self, payload: bytes) -> None:
        await self._client.publish(self._up, payload)

    async def receive(self) -> DownBatch:
        return DECODE_DOWN((await self._subscription.next_msg(LONG_S)).data)

    async def hear(self, kind: type[Down]) -> Down:
        """Wait for a message of a kind."""
        while True:
            for message in (await self.receive()).messages:
                if isinstance(message, kind):
                    return message


@asynccontextmanager
async def linked(
    house: TestHouse, *, build: str | None = None, version: int = VERSION, greets: bool = True
) -> AsyncIterator[FakeGateway]:
    """Begin a session with a house as a gateway that is enrolled."""
    gateways, client = gateways_of(house.venue), BrokerClient()
    content = gateways.keys.enrol("fake")
    assert isinstance(content, bytes)
    await gateways.read_enrolments()
    await client.connect(list(gateways.broker.servers), allow_reconnect=False)
    try:
        realm = msgspec.json.decode(content, type=Identity).realm
        fake = FakeGateway(client, await client.subscribe(down_subject(realm, "fake")), realm, "fake")
        await client.flush()
        if greets:
            await fake.send(Hello(version, build_id() if build is None else build))
        yield fake
    finally:
        await client.close()


@pytest.mark.parametrize(("build", "version"), [("another", VERSION), (None, VERSION + 1)])
def test_gateway_of_another_version_is_refused(tmp_path: Path, build: str | None, version: int) -> None:
    """House and gateway are of one build: the batches have its commands as they are in the code."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house, linked(house, build=build, version=version) as fake:
            answer = await fake.hear(SessionRefused)
            assert isinstance(answer, SessionRefused)
            assert "update the gateway" in answer.words
            assert "fake" not in gateways_of(house.venue).sessions

    played(scenario)


def test_refused_gateway_gives_up(tmp_path: Path) -> None:
    """A gateway whose version is refused ends with the refusal of the house."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            running = await new_gateway(house.venue, tmp_path, house.time, "older")
            running.gateway.build = "older"
            with pytest.raises(GatewayRefusedError, match="update the gateway"):
                await running.gateway.run()
            await running.close()

    played(scenario)


def test_second_process_with_one_key_takes_over(tmp_path: Path) -> None:
    """The gateway that came later is admitted, and the one before it ends and says why."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            running = await new_gateway(house.venue, tmp_path, house.time, "twice")
            serving = asyncio.ensure_future(running.gateway.run())
            await until(lambda: running.gateway.is_linked)
            async with open_gateway(house.venue, tmp_path, house.time, "twice"):
                with pytest.raises(GatewayRefusedError, match="Another gateway uses this key"):
                    await serving
            await running.close()

    played(scenario)


def test_released_gateway_is_cut_off(tmp_path: Path) -> None:
    """A gateway that is released loses its session at the next beat, and is not admitted again."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            await returned(house)
            assert gateways_of(house.venue).keys.release("gateway") is None
            house.time.at_us += BEAT_EVERY
            while house.time.ring_next(house.time.at_us):
                pass
            await until(lambda: not house.venue.router.connections)
            await until(lambda: bool(house.happened(TerminalLost)))
            await until(lambda: not gateway_of(house).gateway.is_linked)

    with pytest.raises(GatewayRefusedError, match="was released"):
        played(scenario)


def test_keys_that_cannot_be_read_admit_no_one_new(tmp_path: Path) -> None:
    """A key store that is damaged changes nothing for the gateways that are known."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            gateways = gateways_of(house.venue)
            (tmp_path / "data.keys" / "gateways" / "other.json").write_text("nonsense")
            async with linked(house) as fake:
                await house.pass_s(2)
                assert list(gateways.sessions) == ["gateway"]
                (tmp_path / "data.keys" / "gateways" / "other.json").unlink()
                await gateways.read_enrolments()
                await fake.send_batch(1, Hello(VERSION, build_id()))
                await fake.hear(Welcome)

    played(scenario)


def test_keys_are_read_again_once_their_directory_has_changed(tmp_path: Path) -> None:
    """A beat looks at the time of the directory alone, unless that is so recent that a change may hide behind it."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            gateways, directory = gateways_of(house.venue), tmp_path / "data.keys" / "gateways"
            enrolment = directory / "gateway.json"
            content = enrolment.read_bytes()
            long_ago = directory.stat().st_mtime_ns - 2 * SETTLED_NS

            os.utime(directory, ns=(long_ago, long_ago))
            await gateways.read_enrolments()
            was_local = gateways.is_local("gateway")
            changed = msgspec.structs.replace(msgspec.json.decode(content, type=Enrolment), local=not was_local)
            # In place, as no command writes it: the directory does not change.
            enrolment.write_bytes(msgspec.json.encode(changed))
            await gateways.read_enrolments()
            assert gateways.is_local("gateway") is was_local
            os.utime(directory, ns=(long_ago + 1, long_ago + 1))
            await gateways.read_enrolments()
            assert gateways.is_local("gateway") is not was_local

            os.utime(directory)
            await gateways.read_enrolments()
            enrolment.write_bytes(content)
            await gateways.read_enrolments()
            assert gateways.is_local("gateway") is was_local

    played(scenario)


@pytest.mark.parametrize(
    "payload",
    [
        b"[]]",
        b"\x91" * 5_000 + b"\x01",
        ENCODE([SESSION, 2, [["say", 1, b"{}", 2]]]),
        ENCODE([SESSION, 2, [PLAYER, messages.Received(1, b'{"t":"nonsense"}')]]),
        ENCODE([SESSION, 2, [Hello(VERSION, build_id())]]),
        ENCODE([SESSION, 2, [PLAYER, ["end", 1, "no_such_code"]]]),
        ENCODE([SESSION, 2, [PLAYER, ["end", 1, ""]]]),
        ENCODE([SESSION, 2, [PLAYER, PLAYER]]),
        ENCODE([SESSION, 4, []]),
        ENCODE([SESSION, 2, [["play", [[1, [1, 1], bytes(REQUEST_DIGEST_BYTES // 2), ["ChooseDenomination"]]]]]]),
        ENCODE([SESSION, 2, [Goodbye()]]),
        ENCODE([SESSION, 2, [["open", 1, "?", True, False]]]).replace(b"?", b"\xff"),
        ENCODE([SESSION, 2, [["open", 1, "1" * 1_000, True, False]]]),
        ENCODE([SESSION, 2, [PLAYER, messages.Received(1, b'{"t":"hello","screen":"terminal","device":"\xff"}')]]),
        ENCODE([SESSION, 2, [PLAYER, messages.ReceivedInvalid(1, b'{"t":"\xff"}', "")]]),
        ENCODE([SESSION, 2, [PLAYER, messages.ReceivedTooFast(1, b'{"t":"ping","c":1,"\xff":1}')]]),
        ENCODE([SESSION, 2, [messages.Ended(1, None)] * (MESSAGES_MAX + 1)]),
    ],
    ids=[
        "no MessagePack",
        "nested too deep",
        "no message",
        "no message of a client",
        "hello twice",
        "unknown code",
        "empty code",
        "connection number twice",
        "a batch was lost",
        "half a digest",
        "goodbye",
        "no UTF-8",
        "no address",
        "no UTF-8 of a client",
        "no UTF-8 that is invalid",
        "no UTF-8 that is too much",
        "too many messages",
    ],
)
def test_session_of_a_gateway_that_breaks_the_protocol_ends(tmp_path: Path, payload: bytes) -> None:
    """What is no batch of a gateway ends its session, and only that one."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house, linked(house) as fake:
            raised = list[object]()
            asyncio.get_running_loop().set_exception_handler(lambda _, context: raised.append(context))
            await fake.hear(Welcome)
            await fake.send_payload(payload)
            await until(lambda: list(gateways_of(house.venue).sessions) == ["gateway"])
            await fake.send_batch(3, Beat(1))
            await fake.hear(SessionEnded)
            assert raised == []
            gateway = gateway_of(house).gateway
            assert gateway.is_linked
            assert gateway.metrics.sessions == 1

    played(scenario)


def test_fault_of_the_house_ends_the_session_of_one_gateway(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An exception while the house handles a batch ends the session of its gateway, and no other."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house, linked(house) as fake:
            await fake.hear(Welcome)
            player = await house.seated()
            monkeypatch.setattr(GatewaySession, "_send_last", lambda _session, topic: 1 // topic)
            await fake.send(messages.Listening(0))
            await fake.hear(SessionEnded)
            assert list(gateways_of(house.venue).sessions) == ["gateway"]
            assert (await player.ping())["t"] == "pong"

    played(scenario)


def test_large_batch_of_a_gateway_does_not_hold_up_the_house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The messages of one batch are taken in slices of time, with other work of the house between them."""
    single_steps(monkeypatch)

    async def scenario() -> None:
        async with open_house(tmp_path) as house, linked(house) as fake:
            await fake.hear(Welcome)
            gateways = gateways_of(house.venue)
            session = gateways.sessions["fake"]
            batch = UpBatch(SESSION, 2, [*(Opened(number, "", native=True, held=False) for number in range(50))])
            subject = up_subject(gateways.identity.realm, "fake")
            turns = sum(1 for _ in gateways.on_message(subject, ENCODE(batch)))
            assert session.connection_count == 50
            assert turns >= 50

    played(scenario)


def test_gateway_that_is_sent_too_much_loses_its_session_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What waits for one gateway beyond the bound is dropped with its session; the others keep theirs."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house, linked(house) as fake:
            await fake.hear(Welcome)
            await fake.send(PLAYER)
            await until(lambda: len(house.venue.router.connections) == 1)
            (connection,) = house.venue.router.connections
            monkeypatch.setattr(broker_module, "OUTBOX_SUBJECT_BYTES_MAX", 10_000)
            monkeypatch.setattr(broker_module, "WRITE_BYTES_MAX", -1)
            connection.send_frame(bytes(10_000))
            await fake.hear(SessionEnded)
            assert list(gateways_of(house.venue).sessions) == ["gateway"]
            assert gateway_of(house).gateway.metrics.sessions == 1

    played(scenario)


def test_house_that_cannot_publish_for_all_begins_anew(tmp_path: Path) -> None:
    """When what is for every gateway was dropped, the house ends all sessions: each gateway begins anew."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            gateways = gateways_of(house.venue)
            await until(lambda: list(gateways.sessions) == ["gateway"])
            gateways.on_overrun(gateways.identity.cast("gateway"))
            await until(lambda: not gateways.sessions)

    played(scenario)


def test_gateway_is_told_at_once_that_the_house_has_lost_its_broker(tmp_path: Path) -> None:
    """A gateway that has nothing to send learns of the end of its session as soon as the house is connected again."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house, linked(house) as fake:
            await fake.hear(Welcome)
            gateways_of(house.venue).broker.drop("as if it were gone")
            await fake.hear(SessionEnded)

    played(scenario)


@pytest.mark.parametrize(
    ("reply", "header"),
    [
        (b"\xff", b""),
        (b"a\x0bb", b""),
        (b"a\x0c1", b"NATS/1.0\r\n\r\n"),
        (b"", b"X"),
        (b"", b"NATS/1.0"),
        (b"", b"NATS/1.0 \xff\xff\xff\r\n\r\n"),
        (b"", b"NATS/1.0 100\r\n\xff\r\nfoo"),
        (b"", b"NATS/1.0\r\n\xff: \xff\r\n\r\n"),
        (b"", b"NATS/1.0 503\r\n\r\n"),
    ],
)
def test_message_that_no_library_would_send_ends_no_connection(tmp_path: Path, reply: bytes, header: bytes) -> None:
    """Headers and subjects for responses are of no use to the house, and a gateway may publish any."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house, linked(house) as fake:
            await fake.hear(Welcome)
            gateways = gateways_of(house.venue)
            host, _, port = gateways.broker.servers[0].removeprefix("nats://").rpartition(":")
            reader, writer = await asyncio.open_connection(host, int(port))
            subject = up_subject(gateways.identity.realm, "fake").encode()
            batch = ENCODE(UpBatch(SESSION, 2, [PLAYER]))
            sizes = b"%d %d" % (len(header), len(header + batch)) if header else b"%d" % len(batch)
            command = b"%b %b %b %b" % (b"HPUB" if header else b"PUB", subject, reply, sizes)
            connect = b'CONNECT {"verbose":false,"headers":true}'
            writer.write(b"\r\n".join((connect, command, header + batch, b"PING\r\n")))
            while not (await reader.readline()).startswith(b"PONG"):
                pass
            writer.close()
            # The broker handles what it has received in its order.
            await fake.send_batch(3, Beat(1))
            await fake.receive()
            assert set(gateways.sessions) <= {"gateway", "fake"}
            assert gateways.broker.is_connected
            assert gateway_of(house).gateway.metrics.sessions == 1

    played(scenario)


def test_batch_that_is_repeated_is_ignored(tmp_path: Path) -> None:
    """Commands in a batch that a broker delivers again are not taken again."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house, linked(house) as fake:
            await fake.hear(Welcome)
            for _ in range(2):
                await fake.send_batch(2, PLAYER)
            await fake.send_batch(1, Hello(VERSION, build_id()))
            await fake.send_batch(3, Beat(1))
            await fake.hear(messages.BeatReturned)
            assert len(house.venue.router.connections) == 1

    played(scenario)


def test_batch_without_a_session_is_answered_with_its_end(tmp_path: Path) -> None:
    """A gateway that the house does not know begins anew."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house, linked(house, greets=False) as fake:
            await fake.send_batch(5, Beat(1))
            await fake.hear(SessionEnded)
            assert list(gateways_of(house.venue).sessions) == ["gateway"]

    played(scenario)


def test_released_gateway_learns_it_whatever_it_has_missed(tmp_path: Path) -> None:
    """Whatever a gateway sends after its release is answered with the refusal, until it is enrolled again."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house, linked(house) as fake:
            await fake.hear(Welcome)
            gateways = gateways_of(house.venue)
            assert gateways.keys.release("fake") is None
            await gateways.read_enrolments()
            assert await fake.hear(SessionRefused) == SessionRefused("This gateway was released.")
            assert list(gateways.sessions) == ["gateway"]
            for number, said in ((2, PLAYER), (9, Beat(1)), (1, Hello(VERSION, build_id())), (1, Goodbye())):
                await fake.send_batch(number, said)
                batch = await fake.receive()
                assert (batch.session, batch.messages) == (SESSION, [SessionRefused("This gateway was released.")])
            gateways.on_overrun(up_subject(gateways.identity.realm, "fake"))
            gateways.on_no_responders("")
            assert list(gateways.sessions) == ["gateway"]

            gateways.keys.enrol("fake")
            await gateways.read_enrolments()
            await fake.send_batch(1, Hello(VERSION, build_id()))
            await fake.hear(Welcome)

    played(scenario)


def test_flood_of_a_released_gateway_harms_no_other(tmp_path: Path) -> None:
    """A broker that was not reloaded lets a released gateway publish: it is answered, and the others play on."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house, linked(house) as fake:
            await fake.hear(Welcome)
            player, gateways = await house.seated(), gateways_of(house.venue)
            assert gateways.keys.release("fake") is None
            await gateways.read_enrolments()
            await fake.hear(SessionRefused)
            for number in range(2_000):
                await fake.send_batch(number, PLAYER, Beat(number))
            for _ in range(10):
                assert (await player.ping())["t"] == "pong"
            for _ in range(2_000):
                assert (await fake.receive()).messages == [SessionRefused("This gateway was released.")]
            assert (list(gateways.sessions), gateway_of(house).gateway.metrics.sessions) == (["gateway"], 1)

    played(scenario)


def test_gateway_takes_its_release_for_one_also_before_it_is_admitted(tmp_path: Path) -> None:
    """A gateway that has begun a session anew, as the last one was lost, ends with the refusal as well."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            running = await new_gateway(house.venue, tmp_path, house.time, "late")
            assert gateways_of(house.venue).keys.release("late") is None
            await gateways_of(house.venue).read_enrolments()
            with pytest.raises(GatewayRefusedError, match="was released"):
                await running.gateway.run()
            await running.close()

    played(scenario)


def test_gateway_that_sends_too_much_at_once_begins_anew(tmp_path: Path) -> None:
    """When messages were dropped, in either direction, the session ends and the clients connect again."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            gateways, gateway = gateways_of(house.venue), gateway_of(house).gateway
            player = await returned(house)
            gateways.on_overrun(up_subject(gateways.identity.realm, "gateway"))
            assert (await player.hear("bye"))["refusal"]["code"] == "busy"
            await until(lambda: gateway.metrics.sessions == 2)
            again = await house.client()
            await again.return_(player.device, player.key)
            gateway.on_overrun(gateways.identity.cast("1"))
            assert (await again.hear("bye"))["refusal"]["code"] == "busy"
            await until(lambda: gateway.metrics.sessions == 3)

    played(scenario)


def test_batch_of_the_house_that_was_lost_begins_anew(tmp_path: Path) -> None:
    """A gateway that misses a batch does not go on with the next."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            gateway = gateway_of(house).gateway
            player = await returned(house)
            (session,) = gateways_of(house.venue).sessions.values()
            session._sent += 1  # noqa: SLF001 - as if it had been lost
            player.say("resync")
            assert (await player.hear("bye"))["refusal"]["code"] == "busy"
            await until(lambda: gateway.metrics.sessions == 2)

    played(scenario)


def test_invalid_message_of_a_house_is_ignored(tmp_path: Path) -> None:
    """What is no message of the house changes nothing at a gateway."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            gateways, player = gateways_of(house.venue), await house.seated()
            for subject in (down_subject(gateways.identity.realm, "gateway"), gateways.identity.beacon):
                for payload in (b"[]]", b"\x91" * 5_000 + b"\x01"):
                    gateways.broker.publish(subject, payload)
            assert (await player.ping())["t"] == "pong"
            assert gateway_of(house).gateway.is_linked

    played(scenario)


def first_command(connection: int) -> messages.Played:
    """The first command of a terminal's player, as a gateway passes it on."""
    command = ChooseDenomination(TerminalId("A-1"), Cents(1))
    digest = bytes(REQUEST_DIGEST_BYTES)
    return messages.Played([messages.RelayedCommand(connection, IdempotencyKey(1, 1), digest, command)])


def test_messages_of_unknown_connections_are_ignored(tmp_path: Path) -> None:
    """A gateway may not know yet that the house has closed a connection."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house, linked(house) as fake:
            await fake.hear(Welcome)
            await fake.send(
                messages.Received.of(7, inbound.Ping(1)),
                first_command(7),
                messages.Paused(7),
                messages.Resumed(7, missed=True),
                messages.Ended(7, None),
                messages.Listening(99),
                Beat(9),
            )
            await fake.hear(messages.BeatReturned)
            assert house.venue.router.connections == {}

    played(scenario)


def test_command_of_a_device_that_is_not_admitted_ends_its_connection(tmp_path: Path) -> None:
    """A gateway cannot send a command over a connection whose device has shown no key."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house, linked(house) as fake:
            await fake.hear(Welcome)
            await fake.send(PLAYER, first_command(1))
            received: list[Down] = []
            while not any(isinstance(each, Close) for each in received):
                received += (await fake.receive()).messages
            (bye,) = (msgspec.json.decode(each.frame) for each in received if isinstance(each, Send))
            assert bye["refusal"]["code"] == "out_of_turn"

    played(scenario)


def test_gateway_cannot_speak_for_a_device_at_another_gateway(tmp_path: Path) -> None:
    """The numbers of connections are those of one gateway: a command over its own number is not another's."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            keys = house.venue.verifier.credential_store.enrol({DeviceId("A-1"): DeviceKind.TERMINAL})
            assert isinstance(keys, dict)
            player = await house.client()
            await player.return_("A-1", keys[DeviceId("A-1")])
            async with linked(house) as fake:
                await fake.hear(Welcome)
                for number in range(1, 5):
                    await fake.send(first_command(number))
                await fake.send(Opened(1, "192.0.2.7", native=True, held=False), first_command(1), Beat(1))
                await fake.hear(Close)
                await house.rest()
                assert player.drain() == []

    played(scenario)


def test_gateway_computes_the_digests_of_requests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The digests of commands are those that the house would have computed, in however many messages they come."""
    monkeypatch.setattr("croupier.server.gateways.gateway.COMMANDS_MAX", 2)

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
            assert isinstance(connection, GatewayConnection)
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


def test_session_of_a_silent_gateway_ends(tmp_path: Path) -> None:
    """A gateway that gives no sign of life for some beats is as good as gone, and so are its terminals."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house, linked(house) as fake:
            await fake.hear(Welcome)
            await fake.send(PLAYER)
            await until(lambda: len(house.venue.router.connections) == 1)
            await house.pass_s((MISSED_BEATS_MAX + 1) * BEAT_EVERY // SECOND)
            await fake.hear(SessionEnded)
            await until(lambda: not house.venue.router.connections)
            assert list(gateways_of(house.venue).sessions) == ["gateway"]

    played(scenario)


def test_connections_are_held_when_the_house_is_silent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A house that returns no beats is taken for one that is away; its next beacon is answered with a new session."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            player = await returned(house)
            gateway, gateways = gateway_of(house).gateway, gateways_of(house.venue)

            with monkeypatch.context() as patched:
                patched.setattr(gateways, "on_message", lambda *_: ())
                for _ in range(MISSED_BEATS_MAX + 1):
                    house.time.at_us += BEAT_EVERY
                    while house.time.ring_next(house.time.at_us):
                        pass
                assert not gateway.is_linked
                assert not player.closed.done()
            await gateways.read_enrolments()
            await until(lambda: gateway.is_linked)

    played(scenario)


def test_large_batch_is_sent_in_several(tmp_path: Path) -> None:
    """No message is larger than the broker accepts, as long as no frame is; in either direction."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house, linked(house) as fake:
            await fake.hear(Welcome)
            await fake.send(PLAYER)
            await until(lambda: len(house.venue.router.connections) == 1)
            (connection,) = house.venue.router.connections
            gateways_of(house.venue).broker.payload_max = 50_000
            for number in range(7):
                connection.send_frame(bytes([number]) * 20_000)
            frames, sizes = list[int](), list[int]()
            while len(frames) < 7:
                batch = await fake.receive()
                sent = [each.frame[0] for each in batch.messages if isinstance(each, Send)]
                frames += sent
                sizes += [len(ENCODE(batch))] * bool(sent)
            assert frames == list(range(7))
            assert max(sizes) <= 50_000
            gateway_of(house).gateway.broker.payload_max = 200
            assert (await (await house.seated()).ping())["t"] == "pong"

    played(scenario)


def test_message_that_is_too_large_ends_its_connection_alone(tmp_path: Path) -> None:
    """Whoever would miss it is sent away with a reason, and everybody else plays on."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            players = [await house.seated() for _ in range(3)]
            gateways, seats = gateways_of(house.venue), house.venue.publisher.seats
            session, large = gateways.sessions["gateway"], bytes(gateways.broker.payload_max)
            seats[players[0].device].send_frame(large)
            numbered = seats[players[1].device]
            assert isinstance(numbered, GatewayConnection)
            session.post(messages.SendSnapshot(numbered._number, large))  # noqa: SLF001 - as it would send one itself
            for player in players[:2]:
                assert (await player.hear("bye"))["refusal"]["code"] == "too_long"
                assert await player.end() == 1009
            # Of a page there is the one before.
            session.post(messages.PagePublished("x", 200, (), large, NOT_COMPRESSED))
            assert (await players[2].ping())["t"] == "pong"
            assert gateways.sessions["gateway"] is session
            assert gateway_of(house).gateway.metrics.sessions_lost == 0

    played(scenario)


def test_gateway_on_another_machine_does_not_speak_for_this_host(tmp_path: Path) -> None:
    """A loopback address is one of the house's own machine: of a gateway elsewhere it is the gateway's."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house, linked(house) as fake:
            await fake.hear(Welcome)
            await fake.send(
                *(Opened(n, peer, native=False, held=False) for n, peer in enumerate(("127.0.0.1", "192.0.2.7"), 1))
            )
            await until(lambda: len(house.venue.router.connections) == 2)
            assert [each.peer for each in house.venue.router.connections] == ["fake", "192.0.2.7"]
            player = await house.client()
            await player.sit()
            assert [each.peer for each in house.venue.router.connections][-1] == "127.0.0.1"

    played(scenario)
