"""The commands of gateways: enrol, list, release and serve."""

import asyncio
import os
import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import click
import structlog
import uvloop

from croupier.cli.control import at_venue, faults_reported, key_store_of, send_request, span
from croupier.cli.group import json_option
from croupier.cli.logs import configure_logging
from croupier.cli.output import accepted, console, exit_refused, give
from croupier.cli.serve import freeze_garbage_collection, raise_file_limit
from croupier.config.fields import BROKER
from croupier.config.schema import Log, Tls
from croupier.engine.accepting import EVERYWHERE, lan_address
from croupier.engine.ports import AsyncioClock
from croupier.house.ids import Instant
from croupier.journal.disk import write_atomic
from croupier.operations.control import GatewayStatus, GetStatus, SystemStatus
from croupier.rulebooks.schema import SchemaError
from croupier.rules.refusal import Code, Refusal
from croupier.server.gateways.broker_files import BROKER_CONFIGURATION, broker_files
from croupier.server.gateways.gateway import GatewayRefusedError
from croupier.server.gateways.keys import GatewayKeyError, GatewayKeys, gateway_name_objection, write_key
from croupier.server.gateways.process import GatewayOptions, RunningGateway
from croupier.server.http import url_of

_LOG = structlog.get_logger()


name_argument = click.argument("name", metavar="NAME")
#: A host name or an address of IPv4 or IPv6, and a port.
_ADDRESS = re.compile(r"([A-Za-z0-9.-]+|\[[0-9a-fA-F:.]+\]):[0-9]{1,5}")


def _address(_context: click.Context, _option: click.Parameter, text: str) -> str:
    if text and not _ADDRESS.fullmatch(text):
        raise click.BadParameter("expected HOST:PORT, as in 10.0.0.5:4222")
    return text


def _addresses(context: click.Context, option: click.Parameter, texts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(_address(context, option, each) for each in texts)


@contextmanager
def _gateway_keys(data: Path, key_store: Path | None) -> Iterator[GatewayKeys]:
    """Open the keys of a venue's gateways; refuse if they cannot be used."""
    path = key_store_of(data, key_store).path
    if not path.is_dir():
        message = f"There is no key store at {path}: the server creates it at its first start."
        exit_refused(Refusal(Code.NOTHING_THERE, None, message, {"file": str(path)}))
    try:
        yield GatewayKeys(path)
    except GatewayKeyError as error:
        exit_refused(Refusal(Code.SETTING_IMPOSSIBLE, None, f"Cannot do that: {error}."))


@click.group("gateway")
@json_option
def gateway_group() -> None:
    """Run gateways, which hold the connections of clients for a house, and manage their keys."""


@gateway_group.command("enrol")
@name_argument
@click.option("--out", type=click.Path(path_type=Path), help="The key file to write; by default NAME.json.")
@click.option("--local", is_flag=True, help="It runs on the machine of the server.")
@click.option("--site", default="", help="It connects to the broker of this site, a leaf node of the server's broker.")
@at_venue
@json_option
def enrol_command(  # noqa: PLR0913 - click's options
    name: str, out: Path | None, site: str, data: Path, key_store: Path | None, *, local: bool
) -> None:
    """Issue a key to a gateway, which replaces its previous key. Run it as the user of the server.

    The key file goes to the machine of the gateway, and stays nowhere else. Then write the files of the broker again.
    """
    if (objection := gateway_name_objection(name)) is not None:
        exit_refused(objection)
    if local and site:
        raise click.UsageError("A gateway of another site does not run on the machine of the server.")
    path = out or Path(f"{name}.json")
    if path.exists():
        exit_refused(Refusal(Code.ALREADY_THERE, None, f"{path} exists: move it away, or name another with --out."))
    with _gateway_keys(data, key_store) as keys:
        content = accepted(keys.enrol(name, local=local, site=site))
    try:
        write_key(path, content)
    except OSError as error:
        raise click.BadParameter(f"{path} cannot be written: {error.strerror}", param_hint="'--out'") from error
    give({"gateway": name, "file": str(path)}, lambda: f"The key of {name} is in {path}.")


@gateway_group.command("broker")
@click.argument("directory", type=click.Path(path_type=Path, file_okay=False))
@click.option(
    "--listen",
    default="127.0.0.1:4222",
    show_default=True,
    metavar="HOST:PORT",
    callback=_address,
    help="The address at which the broker listens.",
)
@click.option(
    "--leaf-nodes",
    default="",
    metavar="HOST:PORT",
    callback=_address,
    help="The address by which the brokers of sites reach this one.",
)
@click.option(
    "--route",
    "routes",
    multiple=True,
    metavar="HOST:PORT",
    callback=_addresses,
    help="The address by which the other brokers of a cluster reach a broker. Repeat it for each of them.",
)
@at_venue
@json_option
def broker_command(  # noqa: PLR0913 - click's options
    directory: Path, *, listen: str, leaf_nodes: str, routes: tuple[str, ...], data: Path, key_store: Path | None
) -> None:
    """Write the files of a NATS server that admits the server and its enrolled gateways, and no one else.

    With --leaf-nodes it also admits the brokers of sites, whose files are in sites/SITE. With --route it is one of a
    cluster, of which every broker may have the same files.
    """
    with _gateway_keys(data, key_store) as keys:
        if not leaf_nodes and (sites := keys.sites()):
            message = f"Gateways are enrolled for the site {sites[0]}: say with --leaf-nodes where its broker connects."
            exit_refused(Refusal(Code.SETTING_IMPOSSIBLE, None, message, {"site": sites[0]}))
        files = broker_files(keys, directory.resolve(), listen, leaf_nodes, routes)
    try:
        directory.mkdir(mode=0o700, exist_ok=True)
        for name, content in files.items():
            path = directory / name
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_atomic(path, content)
    except OSError as error:
        raise click.BadParameter(f"{directory} cannot be written: {error.strerror}") from error
    path = directory / BROKER_CONFIGURATION
    give(
        {"file": str(path)},
        lambda: f"Start it: nats-server --config {path}\nIf it runs: nats-server --signal reload",
    )


@gateway_group.command("list")
@at_venue
@json_option
def list_command(data: Path, key_store: Path | None) -> None:
    """List the enrolled gateways, and of each whether it is linked to the running server, with its connections."""
    with _gateway_keys(data, key_store) as keys:
        names = sorted(keys.gateways())
    with faults_reported():
        status = send_request(key_store_of(data, key_store), GetStatus(), data)
    assert status is None or isinstance(status, SystemStatus)
    linked = {} if status is None else {each.gateway: each for each in status.gateways}
    rows = [
        {"gateway": name, "linked": True, "since": linked[name].since, "connections": linked[name].connections}
        if name in linked
        else {"gateway": name, "linked": False}
        for name in names
    ]
    give(
        {"running": status is not None, "gateways": rows},
        lambda: "\n".join(_line(name, linked.get(name), status) for name in names) or "No gateway is enrolled.",
    )


def _line(name: str, gateway: GatewayStatus | None, status: SystemStatus | None) -> str:
    if status is None:
        return f"{name}: unknown, no server runs."
    if gateway is None:
        return f"{name}: not linked."
    return f"{name}: linked for {span(status.now - gateway.since)}, connections {gateway.connections}."


@gateway_group.command("release")
@name_argument
@at_venue
@json_option
def release_command(name: str, data: Path, key_store: Path | None) -> None:
    """Remove a gateway: a running server ends its session, and does not admit it again."""
    with _gateway_keys(data, key_store) as keys:
        accepted(keys.release(name))
    give({"gateway": name, "released": True}, lambda: f"{name} is no longer enrolled.")


@gateway_group.command("serve")
@click.option(
    "--broker",
    "brokers",
    required=True,
    multiple=True,
    metavar="ADDRESS",
    help="The NATS server: tls://HOST:PORT, or nats:// on the same machine. Repeat it for each of a cluster.",
)
@click.option("--key", required=True, type=click.Path(path_type=Path), help="The key file of this gateway.")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", default=8080, show_default=True, type=click.IntRange(0, 65_535), help="The port to listen on.")
@click.option("--certificate", type=click.Path(path_type=Path), help="Serve over TLS, with this certificate in PEM.")
@click.option("--certificate-key", type=click.Path(path_type=Path), help="The private key of the certificate, in PEM.")
@click.option("--connections", default=12_000, show_default=True, type=click.IntRange(1), help="How many may be open.")
@click.option(
    "--metrics-host", default="127.0.0.1", show_default=True, help="The address for metrics, with their port."
)
@click.option("--metrics-port", type=click.IntRange(0, 65_535), help="A port for /metrics and /health alone.")
@click.option("--log", type=click.Path(path_type=Path), help="The log file; by default standard error.")
def serve_command(  # noqa: PLR0913 - click's options
    *,
    brokers: tuple[str, ...],
    key: Path,
    host: str,
    port: int,
    certificate: Path | None,
    certificate_key: Path | None,
    connections: int,
    metrics_host: str,
    metrics_port: int | None,
    log: Path | None,
) -> None:
    """Hold the connections of clients for a house, until it is stopped.

    Clients connect here as they would to the house. While the house is away their connections are held for 15 seconds.
    Exits with 2 if the house does not admit this gateway.
    """
    if (certificate is None) is not (certificate_key is None):
        raise click.UsageError("--certificate and --certificate-key are given together.")
    tls = None if certificate is None or certificate_key is None else Tls(certificate, certificate_key)
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    configure_logging(Log(log))
    raise_file_limit(connections)
    addresses = tuple(map(_broker_address, brokers))
    options = GatewayOptions(addresses, key, host, port, tls, connections, metrics_host, metrics_port)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        code = runner.run(_serve(options))
    raise click.exceptions.Exit(code)


def _broker_address(text: str) -> str:
    try:
        return str(BROKER.read(text, Path()))
    except SchemaError as error:
        raise click.BadParameter(str(error), param_hint="'--broker'") from error


async def _serve(options: GatewayOptions) -> int:
    try:
        running = await RunningGateway.open(options, AsyncioClock(Instant(0)))
    except GatewayKeyError as error:
        exit_refused(Refusal(Code.SETTING_IMPOSSIBLE, None, f"Cannot start: {error}."))
    except OSError as error:
        why = os.strerror(error.errno) if error.errno else str(error)
        exit_refused(Refusal(Code.SETTING_IMPOSSIBLE, None, f"Cannot listen on {options.host}:{options.port}: {why}."))
    loop, stopped = asyncio.get_running_loop(), asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopped.set)
    loop.add_signal_handler(signal.SIGHUP, partial(_renew_certificate, running))
    freeze_garbage_collection()
    host = lan_address() if options.host == EVERYWHERE else options.host
    address = url_of(host, running.port, secure=options.tls is not None)
    console().print(f"The gateway is open: {address}", soft_wrap=True)
    linking, waiting = asyncio.ensure_future(running.gateway.run()), asyncio.ensure_future(stopped.wait())
    await asyncio.wait((linking, waiting), return_when=asyncio.FIRST_COMPLETED)
    waiting.cancel()
    await running.close()
    try:
        await linking
    except GatewayRefusedError as error:
        exit_refused(Refusal(Code.NOT_AUTHORISED, None, f"The house does not admit this gateway: {error}"))
    return 0


def _renew_certificate(running: RunningGateway) -> None:
    """Read the certificate of TLS again, as the house does at a reload."""
    tls = running.server.tls
    _LOG.info("reloaded", lines=() if tls is None else tls.renew())
