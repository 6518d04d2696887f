"""A broker that was taken over: nothing it repeats is done twice, and clients of the house itself go on."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import pytest
from nats.aio.client import Client as BrokerClient
from nats.aio.msg import Msg

from croupier.client.connection import ServerAddress
from croupier.engine.storage import build_id
from croupier.house.ids import DeviceKind, TerminalId
from croupier.journal.entry import IdempotencyKey
from croupier.server.gateways.keys import down_subject, up_subject
from croupier.server.gateways.messages import (
    DECODE_UP,
    ENCODE,
    VERSION,
    Beacon,
    Beat,
    Hello,
    Opened,
    Played,
    RelayedCommand,
    Up,
    UpBatch,
)
from croupier.server.gateways.sessions import Gateways
from tests.server.gateways.test_gateway import gateway_of, returned
from tests.server.gateways.test_sessions import linked
from tests.support.connections import (
    THROUGH_GATEWAY,
    Client,
    TestHouse,
    gateways_of,
    open_house,
    played,
    refused_in,
    secret_of,
    until,
)

#: A session that the gateway has not begun.
ANOTHER: Final = 7
STAKE: Final = 500


@pytest.fixture(autouse=True)
def _behind_a_gateway() -> Iterator[None]:
    token = THROUGH_GATEWAY.set(True)
    yield
    THROUGH_GATEWAY.reset(token)


class HostileBroker:
    """Whoever has the broker: reads every subject, and publishes anything to any."""

    def __init__(self, client: BrokerClient, gateways: Gateways) -> None:
        self._client, self.realm = client, gateways.identity.realm
        self.seen: list[Msg] = []

    async def read(self, message: Msg) -> None:
        self.seen.append(message)

    async def publish(self, subject: str, payload: bytes) -> None:
        await self._client.publish(subject, payload)
        await self._client.flush()

    @property
    def up(self) -> list[Msg]:
        """What the gateway has sent the house."""
        return [each for each in self.seen if each.subject == up_subject(self.realm, "gateway")]

    @property
    def said(self) -> list[Up]:
        return [each for seen in self.up for each in DECODE_UP(seen.data).messages]

    def has_seen(self, text: str) -> bool:
        return any(text.encode() in each.data for each in self.seen)


@asynccontextmanager
async def taken_over(house: TestHouse) -> AsyncIterator[HostileBroker]:
    gateways, client = gateways_of(house.venue), BrokerClient()
    await client.connect(list(gateways.broker.servers), allow_reconnect=False)
    broker = HostileBroker(client, gateways)
    await client.subscribe(f"{broker.realm}.>", cb=broker.read)
    await client.flush()
    try:
        yield broker
    finally:
        await client.close()


async def at_the_house(house: TestHouse) -> Client:
    """Connect to the house itself."""
    client = await Client.connected(ServerAddress("127.0.0.1", house.venue.port))
    house.clients.append(client)
    return client


def staked(house: TestHouse, terminal: str) -> int:
    """Return what a terminal has on the layout, by its credit."""
    return 100_000 - house.venue.run.house.terminals[TerminalId(terminal)].credit


async def stake(house: TestHouse, player: Client) -> None:
    """Place a bet once betting is open."""
    await house.pass_s(6)
    opened = await player.hear("table", lambda said: said["state"]["phase"] == "open")
    number = player.bet("17", STAKE, opened["state"]["round"])
    assert refused_in(await player.answered(number)) == {}


def test_repeated_commands_are_done_once(tmp_path: Path) -> None:
    """All that a gateway has sent, published again in its session and as another gateway, stakes nothing twice."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house, linked(house, greets=False) as other, taken_over(house) as broker:
            player = await returned(house)
            await stake(house, player)
            assert staked(house, player.device) == STAKE
            await until(lambda: any(isinstance(each, Played) for each in broker.said))
            messages, said = broker.up, broker.said
            for message in messages:
                await broker.publish(message.subject, message.data)
            await house.rest()
            assert staked(house, player.device) == STAKE
            # It has seen the key of the device, so the house takes it for the device's new connection.
            await other.send(Hello(VERSION, build_id()), *(each for each in said if not isinstance(each, Hello)))
            await player.end()
            await house.rest()
            assert staked(house, player.device) == STAKE
            # What is not defended: from then on it plays as that device.
            (bet,) = (each for played in said if isinstance(played, Played) for each in played.commands)
            key = IdempotencyKey(bet.key.epoch, bet.key.number + 1)
            await other.send(Played([RelayedCommand(bet.connection, key, bet.digest, bet.command)]), Beat(1))
            await until(lambda: staked(house, player.device) == 2 * STAKE)

    played(scenario)


def test_connections_to_the_house_itself_go_on(tmp_path: Path) -> None:
    """Forged words of gateways and of the house, on every subject, do not reach clients of the house itself."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house, taken_over(house) as broker:
            player = await at_the_house(house)
            await player.sit()
            other = await house.seated()
            realm = broker.realm
            for subject in (up_subject(realm, "gateway"), down_subject(realm, "gateway"), f"{realm}.cast.1"):
                await broker.publish(subject, b"\xc1")
                await broker.publish(
                    subject, ENCODE(UpBatch(ANOTHER, 1, [Opened(1, "127.0.0.1", native=False, held=False)]))
                )
            # A house that will have been replaced for ever: the gateway has left the one that there is.
            await broker.publish(f"{realm}.house", ENCODE(Beacon(2**60, is_open=False)))
            await until(lambda: not gateway_of(house).gateway.is_linked)
            player.say("practice")
            await player.hear("seat", lambda said: said["set"].get("credit") == 100_000)
            await stake(house, player)
            assert staked(house, player.device) == STAKE
            assert staked(house, other.device) == 0

    played(scenario)


def test_password_at_the_house_itself_is_not_seen(tmp_path: Path) -> None:
    """A broker reads the password that is typed at a console behind a gateway, and none that is typed elsewhere."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house, taken_over(house) as broker:
            direct = await at_the_house(house)
            direct.say("hello", screen=DeviceKind.CASHIER, join="")
            await direct.hear("welcome")
            direct.say("new_secret", person="cashier", code=house.codes["cashier"], secret=secret_of("cashier"))
            await direct.hear("signed_in")
            await house.signed_in("manager", "pit", house.codes["manager"])
            await until(lambda: broker.has_seen(secret_of("manager")))
            assert not broker.has_seen(secret_of("cashier"))
            assert not broker.has_seen(house.codes["cashier"])

    played(scenario)
