"""The process of a gateway: the gateway with what it listens at."""

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from croupier.config.schema import Tls
from croupier.engine.accepting import LOOPBACK, names_of
from croupier.engine.ports import LoopClock
from croupier.engine.storage import build_id
from croupier.server.gateways.broker import Broker
from croupier.server.gateways.gateway import Gateway, GatewayPages
from croupier.server.gateways.keys import Identity
from croupier.server.gateways.messages import Welcome
from croupier.server.gateways.metrics import GatewayCollector
from croupier.server.http import HttpServer, Server, metrics_server
from croupier.server.listener import ServerTls


class GatewayOptions(NamedTuple):
    """How a gateway is started."""

    #: The addresses of the brokers.
    brokers: tuple[str, ...]
    #: The file that it was enrolled with.
    key: Path
    host: str = "127.0.0.1"
    port: int = 8080
    tls: Tls | None = None
    connections_max: int = 12_000
    #: Where the metrics are served; with the pages where no port is named.
    metrics_host: str = "127.0.0.1"
    metrics_port: int | None = None


@dataclass(slots=True)
class RunningGateway:
    """A gateway with its listener."""

    options: GatewayOptions
    gateway: Gateway
    server: Server
    metrics: HttpServer

    @property
    def port(self) -> int:
        return self.server.http.port

    @property
    def metrics_port(self) -> int:
        """The port of the metrics; 0 where they have none of their own."""
        return self.metrics.port

    @classmethod
    async def open(cls, options: GatewayOptions, time: LoopClock) -> "RunningGateway":
        """Listen; clients are admitted once the house has admitted the gateway."""
        pages = GatewayPages()
        gateway = Gateway(time, build_id(), Broker(options.brokers, Identity.read(options.key)), pages)
        pages.health = gateway.health
        report = GatewayCollector(gateway.metrics, gateway.gauges, gateway.build)
        pages.report = report if options.metrics_port is None else None
        tls = None if options.tls is None else ServerTls(options.tls.certificate, options.tls.key)
        names = frozenset(names_of(options.host))
        server = Server(gateway, pages, options.connections_max, names=names, tls=tls)
        running = cls(options, gateway, server, metrics_server(pages, report))
        gateway.on_house = running.on_house
        await server.open(options.host, options.port)
        if options.metrics_port is not None:
            await running.metrics.open(options.metrics_host, options.metrics_port)
        running.on_house(None)
        return running

    def on_house(self, welcome: Welcome | None) -> None:
        """Admit clients while the house is there; with real money never in plain text over a network."""
        if welcome is not None and not welcome.demo and self.options.tls is None and self.options.host not in LOOPBACK:
            self.gateway.give_up("Real money goes over the network under TLS alone: name a certificate.")
            return
        most = 0 if welcome is None else welcome.connections_max
        self.server.connections_max = min(most, self.options.connections_max)
        if welcome is not None:
            self.server.origins |= set(welcome.origins)

    async def close(self) -> None:
        """Stop listening, and close every connection."""
        self.server.close()
        self.metrics.close()
        await self.gateway.close()
