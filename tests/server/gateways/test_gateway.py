"""Gateways: connections that are held while the house is away, and a gateway that is lost, slow or refused."""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from benchmarks.frames import PING
from msgspec.structs import replace

from croupier.client import Accepted, AsyncClient, ConnectionLostError, DeviceKey
from croupier.client.connection import ServerAddress
from croupier.config.schema import Tls
from croupier.house.floor.service import TerminalLost, TerminalReturned
from croupier.house.ids import SECOND, DeviceId, DeviceKind, TableId
from croupier.house.play.betting import ChooseDenomination
from croupier.rules.geometry import SpotKey
from croupier.rules.money import Cents
from croupier.server.connection import (
    INVALID_FRAMES_MAX,
    MISSED_HEARTBEATS_MAX,
    SWEEP_INTERVAL_US,
    TOO_FAST,
    BetsRow,
    Connection,
    WebSocketConnection,
)
from croupier.server.gateways import messages
from croupier.server.gateways.broker import Unsubscribe
from croupier.server.gateways.gateway import HOLD_MAX, GatewayRefusedError
from croupier.server.gateways.messages import Cast, Send
from croupier.server.gateways.process import RunningGateway
from croupier.server.publisher import TableFrame
from tests.server.test_tls import certificate
from tests.support.connections import (
    THROUGH_GATEWAY,
    VENUE,
    Client,
    TestHouse,
    gateways_of,
    new_gateway,
    open_gateway,
    open_house,
    played,
    refused_in,
    until,
)
from tests.support.rawline import frame, open_line, raw_line
from tests.support.server_harness import server_harness
from tests.support.slices import single_steps
from tests.support.wire.houses import MARINA

__all__ = ["certificate"]


#: The outcome of a bet.
ROW = BetsRow(1, 1, 0, TableId("A"), (SpotKey("17"),), (500,), 500)


@pytest.fixture(autouse=True)
def _behind_a_gateway() -> Iterator[None]:
    token = THROUGH_GATEWAY.set(True)
    yield
    THROUGH_GATEWAY.reset(token)


def gateway_of(house: TestHouse) -> RunningGateway:
    assert house.gateway is not None
    return house.gateway


async def stopped(house: TestHouse) -> None:
    """Stop a house; its gateway goes on."""
    await house.stop()
    await until(lambda: not gateway_of(house).gateway.is_linked)


async def restarted(house: TestHouse, folder: Path, text: str = VENUE) -> None:
    """Stop a house, with its gateway left alone, and open it again at the same address."""
    await stopped(house)
    await house.reopen(folder, text)
    await until(lambda: gateway_of(house).gateway.is_linked)
    await house.rest()


async def returned(house: TestHouse) -> Client:
    """Sit down at a terminal, leave, and come back with the key."""
    first = await house.seated()
    client = await house.client()
    await client.return_(first.device, first.key)
    await first.end()
    house.clients.remove(first)
    return client


def test_connection_is_held_while_the_house_is_away(tmp_path: Path) -> None:
    """A terminal keeps its line over a restart, is shown the house as it is, and goes on."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            player = await returned(house)
            epoch = player.epoch
            await restarted(house, tmp_path)
            assert (await player.hear("welcome"))["epoch"] == epoch + 1
            snap = await player.admitted()
            assert (snap["epoch"], snap["seat"]["credit"]) == (epoch + 1, 100_000)
            number = player.ask("ChooseDenomination", terminal=player.device, denomination=1)
            assert refused_in(await player.answered(number)) == {}
            assert not player.closed.done()

    played(scenario)


def test_connection_is_not_held_when_only_the_session_was_lost(tmp_path: Path) -> None:
    """A command that is lost with a session of a house that goes on is never acknowledged: its client connects anew."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            player = await returned(house)
            gateway = gateway_of(house).gateway
            # The command is on its way when the session ends, and the house never takes it.
            (session,) = gateways_of(house.venue).sessions.values()
            number = player.ask("ChooseDenomination", terminal=player.device, denomination=1)
            await until(lambda: gateway.metrics.commands == 1)
            session.drop("as a test wants it")
            await until(lambda: gateway.metrics.sessions == 2)
            assert (await player.hear("bye"))["refusal"]["code"] == "busy"
            assert await player.end() == 1012
            client = await house.client()
            await client.return_(player.device, player.key)
            assert client.snap["last_cmd"] < number

    played(scenario)


def test_message_that_comes_while_the_house_is_away_gets_no_response(tmp_path: Path) -> None:
    """Only a ping is answered: the page asks again after its snapshot, under the same key, and it is done once."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            player = await returned(house)
            await stopped(house)
            player.drain()
            number = player.ask("ChooseDenomination", terminal=player.device, denomination=1)
            player.send(b"{}")
            assert (await player.ping())["now_us"] == house.time.now()
            assert player.drain() == []
            await house.reopen(tmp_path)
            await player.admitted()
            player.say(
                "ask",
                id=number,
                epoch=player.epoch,
                command={"type": "ChooseDenomination", "terminal": player.device, "denomination": 1},
            )
            assert refused_in(await player.answered(number)) == {}

    played(scenario)


def test_connections_are_closed_when_the_house_stays_away(tmp_path: Path) -> None:
    """Then a page gets the refusal that there is no house, and new connections are refused until there is one."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            player = await returned(house)
            await stopped(house)
            async with raw_line(house.port) as line:
                assert (await line.request(["GET /health HTTP/1.1"])).status == 503
            async with raw_line(house.port) as line:
                assert (await line.request(["GET /terminal HTTP/1.1"])).status == 200
            with pytest.raises(Exception, match="lost"):
                await Client.connected(ServerAddress("127.0.0.1", house.port))
            house.time.at_us += HOLD_MAX - 1
            while house.time.ring_next(house.time.at_us):
                await player.ping()
            assert not player.closed.done()
            house.time.at_us += 1
            while house.time.ring_next(house.time.at_us):
                pass
            assert (await player.hear("bye"))["refusal"]["code"] == "busy"
            assert await player.end() == 1012

    played(scenario)


def test_house_that_is_back_in_time_is_not_given_up(tmp_path: Path) -> None:
    """The time that connections are held counts from the last time that the house was lost."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            player = await returned(house)
            await restarted(house, tmp_path)
            await player.admitted()
            await house.pass_s(HOLD_MAX // SECOND)
            assert not player.closed.done()

    played(scenario)


def test_client_that_enrolled_itself_comes_back_with_its_key(tmp_path: Path) -> None:
    """A gateway does not know the key that was given over it: such a page is sent away, to say hello with its key."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            player = await house.seated()
            silent = await house.client()
            await house.rest()
            await restarted(house, tmp_path)
            assert (await player.hear("bye"))["refusal"]["code"] == "busy"
            assert await player.end() == 1012
            assert not silent.closed.done()
            await silent.return_(player.device, player.key)
            assert silent.snap["seat"]["credit"] == 100_000

    played(scenario)


def test_many_connections_are_announced_a_few_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A house that is back takes the next ones once it has taken the first."""
    single_steps(monkeypatch)

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            players = [await returned(house) for _ in range(3)]
            await stopped(house)
            await house.reopen(tmp_path)
            await until(lambda: gateway_of(house).gateway.is_linked)
            for player in players:
                await player.admitted()

    played(scenario)


def test_terminals_of_a_lost_gateway_come_back_through_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When a gateway is gone its terminals count as lost at once, and are back wherever they connect next."""
    single_steps(monkeypatch)

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            players = [await returned(house), await returned(house)]
            async with open_gateway(house.venue, tmp_path, house.time, "second") as second:
                devices = {player.device for player in players}
                await gateway_of(house).gateway.close()
                await until(lambda: len(house.happened(TerminalLost)) == 2)
                assert set(house.venue.run.house.offline) == devices
                address = ServerAddress("127.0.0.1", second.port)
                for player in players:
                    client = await Client.connected(address)
                    await client.return_(player.device, player.key)
                await until(lambda: len(house.happened(TerminalReturned)) == 2)

    played(scenario)


def test_client_goes_on_at_the_next_address(tmp_path: Path) -> None:
    """A client with the addresses of two gateways is back at the other when one is gone, and a command is done once."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house, open_gateway(house.venue, tmp_path, house.time, "second") as second:
            keys = house.venue.verifier.credential_store.enrol({DeviceId("A-1"): DeviceKind.TERMINAL})
            assert isinstance(keys, dict)
            first = gateway_of(house)
            nowhere, *servers = (ServerAddress("127.0.0.1", port) for port in (1, first.port, second.port))
            identity = DeviceKey(DeviceKind.TERMINAL, "A-1", keys[DeviceId("A-1")])
            client = AsyncClient((nowhere, *servers), identity, retry_s=(0.0, 0.0), clock=house.time)
            await client.connect()
            assert client.server is servers[0]
            pending = client.submit(ChooseDenomination(client.terminal, Cents(1)))
            await first.close()
            assert isinstance(await client.response(pending), Accepted)
            assert client.server is servers[1]
            client.abort()
            with pytest.raises(ConnectionLostError, match="unknown_device"):
                await AsyncClient(servers[::-1], DeviceKey(DeviceKind.TERMINAL, "A-1", "wrong")).connect()

    played(scenario)


def test_device_has_one_connection_over_all_gateways(tmp_path: Path) -> None:
    """The same terminal at another gateway takes over, and the first gets that refusal."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            player = await returned(house)
            async with open_gateway(house.venue, tmp_path, house.time, "second") as second:
                client = await Client.connected(ServerAddress("127.0.0.1", second.port))
                await client.return_(player.device, player.key)
                assert (await player.hear("bye"))["refusal"]["code"] == "evicted"
                assert await player.end() == 1008
                assert len(house.venue.router.connections) == 1

    played(scenario)


def test_frame_of_a_table_is_published_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The state of a table is published in one copy for all gateways, and each sends it to its connections there."""
    published: list[str] = []

    async def scenario() -> None:
        async with open_house(tmp_path) as house, open_gateway(house.venue, tmp_path, house.time, "second") as second:
            players = [await house.seated() for _ in range(2)]
            other = await Client.connected(ServerAddress("127.0.0.1", second.port))
            await other.sit()
            players.append(other)
            house.clients.append(other)
            await house.rest()
            broker = gateways_of(house.venue).broker
            publish = broker.publish

            def note(subject: str, payload: bytes, reply: str = "") -> bool:
                if ".cast." in subject and b'"t":"table"' in payload:
                    published.append(subject)
                assert ".down." not in subject or b'"t":"table"' not in payload
                return publish(subject, payload, reply)

            monkeypatch.setattr(broker, "publish", note)
            await house.pass_s(6)
            for player in players:
                await player.hear("table", lambda said: said["state"]["phase"] == "open")

    played(scenario)
    assert published


def test_frame_that_was_published_before_the_gateway_received_it_is_sent_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between a client's arrival at a table and the subscription of its gateway no state of the table is lost."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            gateway = gateway_of(house).gateway
            subscribe, go_on = gateway.broker.subscribe, asyncio.Event()

            async def late(subject: str) -> Unsubscribe:
                await go_on.wait()
                return await subscribe(subject)

            monkeypatch.setattr(gateway.broker, "subscribe", late)
            player = await house.seated()
            player.drain()
            await house.pass_s(6)
            go_on.set()
            assert (await player.hear("table"))["state"]["phase"] == "open"

    played(scenario)


def test_what_the_house_publishes_is_taken_in_its_order(tmp_path: Path) -> None:
    """A frame of a table never arrives before what was published before it, though its subject is another."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            player = await house.seated()
            await house.rest()
            player.drain()
            connection = house.venue.publisher.seats[player.device]
            for number in range(50):
                connection.send_frame(b'{"t":"a","n":%d}' % (2 * number))
                gateways_of(house.venue).cast(TableFrame(TableId("A"), b'{"t":"a","n":%d}' % (2 * number + 1)))
            assert [(await player.hear("a"))["n"] for _ in range(100)] == list(range(100))

    played(scenario)


def test_what_a_house_has_answered_before_it_stops_is_received(tmp_path: Path) -> None:
    """The outcome of the last command reaches its player, though the house stops in the same moment."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            player = await house.seated()
            await house.rest()
            player.drain()
            gateways = gateways_of(house.venue)
            for is_open in (True, False):
                # With the first beacon the second is at hand before what was published between them.
                beacon = messages.ENCODE(messages.Beacon(gateways.epoch, is_open=is_open))
                house.venue.publisher.seats[player.device].send_frame(b'{"t":"a"}')
                gateways.sessions["gateway"].flush()
                gateways.broker.publish(gateways.identity.beacon, beacon)
            await player.hear("a")
            await player.hear("a")
            await until(lambda: not gateway_of(house).gateway.is_linked)

    played(scenario)


def test_frames_of_a_house_that_was_replaced_are_ignored(tmp_path: Path) -> None:
    """A leader that lost its lease may still publish: its epoch is over."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            player = await house.seated()
            await house.rest()
            player.drain()
            gateways = gateways_of(house.venue)
            topic = gateways.topic_number(TableId("A"))
            old = Cast(gateways.epoch - 1, 10**9, topic, b'{"t":"a"}')
            gateways.broker.publish(gateways.identity.cast(str(topic)), messages.ENCODE(old))
            gateways.broker.publish(
                gateways.identity.beacon, messages.ENCODE(messages.Beacon(gateways.epoch - 1, is_open=False))
            )
            gateways.cast(TableFrame(TableId("A"), b'{"t":"b"}'))
            await player.hear("b")
            assert [said["t"] for said in player.drain()] == []
            assert gateway_of(house).gateway.is_linked

    played(scenario)


@pytest.mark.parametrize(
    "send",
    [lambda connection: connection.send_bets(ROW), lambda connection: connection.send_frame(b"{}")],
    ids=["bets", "frame"],
)
def test_slow_client_is_caught_up_with_a_snapshot(tmp_path: Path, send: Callable[[Connection], None]) -> None:
    """A client that does not read is sent nothing by the house; once it reads it is sent everything anew."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            player = await returned(house)
            (socket_,) = gateway_of(house).gateway.connections
            connection = house.venue.publisher.seats[player.device]
            version = connection.version
            socket_.pause_writing()
            await house.rest()
            assert connection.behind_since is not None
            send(connection)
            socket_.resume_writing()
            await player.hear("snap")
            assert connection.version == version + 1
            socket_.pause_writing()
            socket_.resume_writing()
            await house.rest()
            assert connection.version == version + 1
            # What the house had sent before it knew is dropped at the gateway.
            socket_.pause_writing()
            socket_.send_frame(b"{}")
            socket_.resume_writing()
            await player.hear("snap")

    played(scenario)


def test_client_that_misbehaves_while_the_house_is_away_gets_no_response(tmp_path: Path) -> None:
    """Flooding and slow clients are limited by the gateway, and their dropped messages never reach the house."""

    async def scenario() -> None:
        text = VENUE.replace("commands_per_s = 1_000, commands_burst = 1_000", "commands_per_s = 9, commands_burst = 9")
        async with open_house(tmp_path, text) as house:
            player = await returned(house)
            for _ in range(10):
                player.say("resync")
            assert (await player.hear("refused"))["refusal"]["code"] == "too_fast"
            await stopped(house)
            player.drain()
            (connection,) = gateway_of(house).gateway.connections
            assert isinstance(connection, WebSocketConnection)
            connection.pause_writing()
            connection.resume_writing()
            house.time.at_us += SECOND
            while house.time.ring_next(house.time.at_us):
                pass
            for _ in range(20):
                player.say("resync")
            await until(lambda: not connection.transport.underlying_transport.is_reading())
            assert player.drain() == []

    played(scenario)


def test_client_that_connects_as_the_house_goes_away_is_announced_later(tmp_path: Path) -> None:
    """A connection that the house has never heard of says hello once it is back."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            await stopped(house)
            gateway_of(house).server.connections_max = 1
            client = await Client.connected(ServerAddress("127.0.0.1", house.port))
            await house.reopen(tmp_path)
            await until(lambda: bool(house.venue.router.connections))
            await client.sit()

    played(scenario)


def test_messages_to_clients_that_have_left_are_ignored(tmp_path: Path) -> None:
    """The house may not know yet that a connection has ended."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            (link,) = gateways_of(house.venue).sessions.values()
            link.post(Send([99], b"{}"))
            link.post(messages.SendBets([99], [ROW]))
            link.post(messages.Close(99, 1000))
            await house.rest()
            assert gateway_of(house).gateway.is_linked

    played(scenario)


def test_silent_client_is_closed_by_the_gateway(tmp_path: Path) -> None:
    """A gateway closes silent connections as a house does, and the house counts it; a ping of a WebSocket is a sign."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            player = await returned(house)
            player.mute = True
            await house.pass_s(MISSED_HEARTBEATS_MAX * SWEEP_INTERVAL_US // SECOND)
            assert (await player.hear("bye"))["refusal"]["code"] == "silent"
            await house.rest()
            assert house.venue.publisher.figures.closed["silent"] == 1
            async with open_line(house.port) as line:
                for _ in range(2 * MISSED_HEARTBEATS_MAX):
                    line.send(frame(b"", PING))
                    await house.pass_s(1)

    played(scenario)


def test_nonsense_is_refused_by_the_house_and_ended_by_the_gateway(tmp_path: Path) -> None:
    """Each message that is none is refused, up to as many as are borne."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house, open_line(house.port) as line:
            line.send(*[frame(b"{}")] * INVALID_FRAMES_MAX)
            for _ in range(INVALID_FRAMES_MAX):
                assert (await line.reported("refused"))["refusal"]["code"] == "malformed"
            line.send(frame(b"{}"))
            assert (await line.reported("bye"))["refusal"]["code"] == "malformed"
            await house.rest()
            assert house.venue.publisher.figures.closed["malformed"] == 1

    played(scenario)


def test_number_of_any_size_passes_a_gateway(tmp_path: Path) -> None:
    """A number that no integer of MessagePack could have is refused as without a gateway, and the session goes on."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            client = await house.client()
            client.say("hello", screen="terminal", protocol=10**30)
            assert (await client.hear("bye"))["refusal"]["code"] == "protocol_mismatch"
            player = await returned(house)
            number = player.ask("AddTerminal", terminal="B-1", settings={"denominations": [10**30]})
            player.ask("ChooseDenomination", terminal=player.device, denomination=10**30)
            assert number in refused_in(await player.answered(number))
            assert gateway_of(house).gateway.metrics.sessions_lost == 0

    played(scenario)


def test_outcomes_in_turn_are_one_message(tmp_path: Path) -> None:
    """Two outcomes that follow each other reach their player as two deltas, in their order."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            player = await returned(house)
            connection = house.venue.publisher.seats[player.device]
            for row in (ROW, replace(ROW, last_cmd=7)):
                connection.send_bets(row)
            assert [(await player.hear("seat"))["last_cmd"] for _ in range(2)] == [ROW.last_cmd, 7]

    played(scenario)


def test_connection_is_aborted_at_its_gateway(tmp_path: Path) -> None:
    """What the house aborts ends at the gateway without a word; a second time nothing happens."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            player = await returned(house)
            connection = house.venue.publisher.seats[player.device]
            connection.abort()
            connection.abort()
            connection.close(TOO_FAST)
            connection.send_bets(ROW)
            connection.resume_writing()
            assert await player.end() == 1006
            assert house.venue.router.connections == {}

    played(scenario)


def test_house_that_is_full_closes_what_its_gateways_bring(tmp_path: Path) -> None:
    """The bound of connections is one for the whole house, over all its gateways."""

    async def scenario() -> None:
        text = VENUE.replace("commands_per_s", "connections_max = 1, commands_per_s")
        async with open_house(tmp_path, text) as house:
            await house.client()
            await house.rest()
            async with open_gateway(house.venue, tmp_path, house.time, "second") as second:
                client = await Client.connected(ServerAddress("127.0.0.1", second.port))
                assert (await client.hear("bye"))["refusal"]["code"] == "busy"
                assert await client.end() == 1013

    played(scenario)


def test_real_money_is_not_played_in_plain_text(tmp_path: Path) -> None:
    """A gateway that listens on a network without a certificate is of no use to a house for real money."""

    async def scenario() -> None:
        text = f'mode = "real"\n{VENUE}'
        async with open_house(tmp_path, text) as house:
            running = await new_gateway(house.venue, tmp_path, house.time, "open")
            running.options = running.options._replace(host="192.0.2.1")
            with pytest.raises(GatewayRefusedError, match="under TLS alone"):
                await running.gateway.run()
            assert running.server.connections_max == 0
            await running.close()

    played(scenario)


def test_gateway_terminates_tls(tmp_path: Path, certificate: Path) -> None:
    """A gateway has a certificate for its clients, and the house needs none."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            tls = Tls(certificate, certificate.with_name("key.pem"))
            running = await new_gateway(house.venue, tmp_path, house.time, "secure", tls=tls)
            linking = asyncio.ensure_future(running.gateway.run())
            await until(lambda: running.gateway.is_linked)
            client = await Client.connected(ServerAddress.of("127.0.0.1", running.port, certificate))
            await client.sit()
            await running.close()
            await linking

    played(scenario)


def test_command_of_a_console_is_passed_on(tmp_path: Path) -> None:
    """Behind a gateway a dealer's command is done, and a player's command from a dealer's console is refused."""

    async def scenario() -> None:
        async with server_harness(tmp_path, MARINA) as harness:
            player, dealer = await harness.player("M"), await harness.staff("dealer", "dealer")
            await harness.does(dealer, "OpenBets", table="M")
            state = player.page.state("M")
            game = {"terminal": player.device, "table": "M", "round": state["round"], "spin": state["spin"]}
            await harness.fails(dealer, "not_authorised", "ClearBets", **game)

    played(scenario)
