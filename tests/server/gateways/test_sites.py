"""Brokers of sites: leaf nodes of the broker of the house, with gateways of their own."""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from ssl import SSLCertVerificationError
from typing import Final

import msgspec
import pytest
from click.testing import CliRunner
from nats.aio.client import Client as BrokerClient
from nats.aio.msg import Msg
from nats.errors import Error as BrokerError
from nats.errors import NoServersError

from croupier.cli.gateway import gateway_group
from croupier.server.gateways.broker_files import BROKER_CONFIGURATION, broker_files
from croupier.server.gateways.keys import GatewayKeys, Identity, write_key
from croupier.server.gateways.process import GatewayOptions, RunningGateway
from tests.server.gateways.test_broker import address, opened
from tests.support.broker import BrokerProcess
from tests.support.connections import LONG_S, gateways_of, played, refused_in, until

SITE: Final = "harbour"
#: What a broker logs when another one without a proper certificate would join its cluster.
_NO_ROUTE: Final = "TLS route handshake error"


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return int(listening.getsockname()[1])


@pytest.fixture
def keys(tmp_path: Path) -> GatewayKeys:
    """The keys of a house with a gateway of its own site and one of another."""
    path = tmp_path / "data.keys"
    path.mkdir(mode=0o700)
    keys = GatewayKeys(path)
    for name, site in (("near", ""), ("far", SITE)):
        content = keys.enrol(name, site=site)
        assert isinstance(content, bytes)
        write_key(tmp_path / f"{name}.json", content)
    return keys


@pytest.fixture
def server(tmp_path: Path, keys: GatewayKeys) -> Iterator[BrokerProcess]:
    """The broker of the house; the files of the site's are beside its own."""
    for name, content in broker_files(keys, tmp_path, "127.0.0.1:4222", f"127.0.0.1:{free_port()}").items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    with running(tmp_path / BROKER_CONFIGURATION) as process:
        yield process


@contextmanager
def running(configuration: Path) -> Iterator[BrokerProcess]:
    process = BrokerProcess(configuration)
    try:
        yield process
    finally:
        process.stop()


def site_configuration(folder: Path) -> Path:
    return folder / "sites" / SITE / BROKER_CONFIGURATION


def test_terminals_of_a_site_play_over_its_own_broker(tmp_path: Path, server: BrokerProcess) -> None:
    """A terminal whose gateway reaches only the broker of its site plays, also after that broker was killed."""

    async def scenario() -> None:
        site = BrokerProcess(site_configuration(tmp_path))
        try:
            async with opened(server, tmp_path) as house:
                seated = await house.seated()
                seated.mute = True
                options = GatewayOptions((address(site),), tmp_path / "far.json", port=0)
                house.gateway = far = await RunningGateway.open(options, house.time)
                serving = asyncio.ensure_future(far.gateway.run())
                for _ in range(2):
                    # A gateway that came before the link of its broker waits until the house says that it is there.
                    async with asyncio.timeout(LONG_S):
                        while not far.gateway.is_linked:
                            await house.pass_s(1)
                    player = await house.client()
                    snap = await player.return_(seated.device, seated.key)
                    assert snap["seat"]["credit"] == 100_000
                    number = player.ask("ChooseDenomination", terminal=player.device, denomination=1)
                    assert refused_in(await player.answered(number)) == {}
                    assert set(gateways_of(house.venue).sessions) == {"far"}
                    site.stop()
                    player.mute = True
                    await until(lambda: not far.gateway.is_linked)
                    async with asyncio.timeout(LONG_S):
                        while not player.closed.done():
                            await house.pass_s(1)
                    site.start()
                await far.close()
                await serving
        finally:
            site.stop()

    played(scenario)


def test_broker_of_a_site_has_what_its_gateways_have(tmp_path: Path, server: BrokerProcess, keys: GatewayKeys) -> None:
    """With the files of a site one receives and publishes what its gateways do, and nothing of gateways elsewhere."""
    house, near, far = keys.house(), *(Identity.read(tmp_path / f"{name}.json") for name in ("near", "far"))
    generated = site_configuration(tmp_path).read_text()
    taken = tmp_path / "taken.conf"
    # The same link to the house's broker, and no authorization of its own.
    taken.write_text(generated[generated.index("leafnodes") :])
    received: dict[str, list[str]] = {"house": [], "site": []}

    def note(who: str) -> Callable[[Msg], Awaitable[None]]:
        async def noted(message: Msg) -> None:
            received[who].append(message.subject)

        return noted

    async def scenario() -> None:
        at_house, at_site = BrokerClient(), BrokerClient()
        with running(taken) as site:
            await at_house.connect(
                address(server), tls=house.tls(), tls_hostname=house.broker_name, nkeys_seed_str=house.seed
            )
            await at_site.connect(site.address)
            await at_house.subscribe(f"{house.realm}.up.*", cb=note("house"))
            await at_site.subscribe(">", cb=note("site"))
            await at_house.flush()
            await at_site.flush()

            async def arrives(publisher: BrokerClient, subjects: tuple[str, ...], last: str, who: str) -> None:
                """Publish, the last one until it has arrived: what came before it would have arrived before it."""
                for subject in subjects:
                    await publisher.publish(subject, b"x")
                async with asyncio.timeout(LONG_S):
                    while last not in received[who]:
                        await publisher.publish(last, b"x")
                        await publisher.flush()

            await arrives(at_site, (near.up, near.down, house.beacon, house.cast("1"), "x"), far.up, "house")
            at_their_own = set(received["site"])
            received["site"].clear()
            await arrives(at_house, (near.down, house.cast("1"), house.beacon), far.down, "site")
            await at_house.close()
            await at_site.close()
        # A client of the site's broker reads what that broker's own clients publish.
        assert set(received["house"]) == {far.up}
        assert near.down in at_their_own
        assert set(received["site"]) - {far.up} == {far.down, house.cast("1"), house.beacon}

    played(scenario)


def test_brokers_of_a_cluster_pass_on_what_they_receive(tmp_path: Path, keys: GatewayKeys) -> None:
    """A gateway is linked to a house at another broker of its cluster, which admits no broker without its certificate.

    The certificate of the broker of a site is not one.
    """
    port, hosts = free_port(), ("127.0.0.1", "127.0.0.2")
    routes = [f"{host}:{port}" for host in hosts]
    for host in hosts:
        folder = tmp_path / host
        for name, content in broker_files(keys, folder, f"{host}:4222", f"{host}:{free_port()}", routes).items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    stranger, log = tmp_path / "stranger.conf", tmp_path / "one.log"
    with (tmp_path / hosts[0] / BROKER_CONFIGURATION).open("a") as file:
        file.write(f'log_file: "{log}"\n')
    cluster = f'name: "croupier", listen: "127.0.0.3:{port}", routes: ["nats://{routes[0]}"]'
    site = tmp_path / hosts[0] / "sites" / SITE
    key = f'cert_file: "{site}/broker.pem", key_file: "{site}/broker.pem", ca_file: "{site}/authority.pem"'

    async def scenario() -> None:
        with (
            running(tmp_path / "127.0.0.1" / BROKER_CONFIGURATION) as one,
            running(tmp_path / "127.0.0.2" / BROKER_CONFIGURATION) as two,
        ):
            async with opened(one, tmp_path) as house:
                options = GatewayOptions((address(two),), tmp_path / "near.json", port=0)
                house.gateway = near = await RunningGateway.open(options, house.time)
                serving = asyncio.ensure_future(near.gateway.run())
                async with asyncio.timeout(LONG_S):
                    while not near.gateway.is_linked:
                        await house.pass_s(1)
                for tls in ("", f", tls {{ {key} }}"):
                    before = log.read_text().count(_NO_ROUTE)
                    stranger.write_text(f"cluster {{ {cluster}{tls} }}\n")
                    with running(stranger):
                        await until(lambda: log.read_text().count(_NO_ROUTE) > before)  # noqa: B023
                await near.close()
                await serving

    played(scenario)


def test_broker_of_a_site_is_none_of_the_house(tmp_path: Path, server: BrokerProcess) -> None:
    """A gateway of the house does not speak to a broker with the certificate of a site, nor to one of another site."""
    assert server.process.poll() is None
    near, far = (Identity.read(tmp_path / f"{name}.json") for name in ("near", "far"))
    errors = list[Exception]()

    async def note(error: Exception) -> None:
        errors.append(error)

    async def scenario() -> None:
        with running(site_configuration(tmp_path)) as site:
            for who in (near, msgspec.structs.replace(far, site="quay")):
                client = BrokerClient()
                with pytest.raises((OSError, BrokerError, NoServersError)):
                    await client.connect(
                        address(site), error_cb=note, allow_reconnect=False, tls=who.tls(), tls_hostname=who.broker_name
                    )
                assert isinstance(errors.pop(), SSLCertVerificationError)

    played(scenario)


def test_broker_of_no_site_is_not_admitted(tmp_path: Path, server: BrokerProcess) -> None:
    """A leaf node with a wrong password, or without one, gets no link to the broker of the house."""
    assert server.process.poll() is None
    generated = site_configuration(tmp_path).read_text()
    remote = generated[generated.index("leafnodes") :]
    password = remote[remote.index(f"{SITE}:") :].partition("@")[0]
    for replaced in (f"{SITE}:wrong@", ""):
        path, log = tmp_path / "stranger.conf", tmp_path / "stranger.log"
        log.unlink(missing_ok=True)
        path.write_text(remote.replace(f"{password}@", replaced) + f'log_file: "{log}"\n')
        with running(path):
            played(lambda: until(lambda: log.exists() and "Authorization Violation" in log.read_text()))  # noqa: B023


def test_command_writes_the_files_of_every_site(tmp_path: Path, keys: GatewayKeys) -> None:
    """It asks for the address where sites connect, and writes a directory for each, readable by its owner only."""
    arguments = ["broker", str(tmp_path / "broker"), "--data", str(tmp_path / "data"), "--key-store", str(keys.path)]
    runner = CliRunner()
    refused = runner.invoke(gateway_group, arguments)
    assert refused.exit_code == 2, refused.output
    assert "--leaf-nodes" in refused.output
    wrong = runner.invoke(gateway_group, [*arguments, "--leaf-nodes", 'x"}:1'])
    assert "expected HOST:PORT" in wrong.output
    written = runner.invoke(gateway_group, [*arguments, "--leaf-nodes", "broker.example:7422"])
    assert written.exit_code == 0, written.output
    site = tmp_path / "broker" / "sites" / SITE
    assert {path.name for path in site.iterdir()} == {"nats.conf", "broker.pem", "authority.pem"}
    assert all(path.stat().st_mode & 0o077 == 0 for path in (site, *site.iterdir()))
    assert "broker.example:7422" in (site / "nats.conf").read_text()
    assert (tmp_path / "broker" / "nats.conf").read_text().count("SITE_harbour {") == 1


def test_site_has_a_name(tmp_path: Path) -> None:
    """A name that is no name of a file or account is refused, and nothing is written."""
    (tmp_path / "data.keys").mkdir(mode=0o700)
    keys = GatewayKeys(tmp_path / "data.keys")
    for name in ("../up", 'a" }', "A", " "):
        assert refused_site(keys, name)
    assert keys.gateways() == {}


def refused_site(keys: GatewayKeys, name: str) -> bool:
    return not isinstance(keys.enrol("left", site=name), bytes)
