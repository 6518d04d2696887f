"""The Python client of the wire, for integrators, demo bots, benchmarks and tests (docs/client.md)."""

from croupier.client.client import AsyncClient, Client
from croupier.client.connection import ConnectionLostError, ServerAddress
from croupier.client.session import (
    Accepted,
    CollectForRequest,
    CollectRequest,
    DeviceKey,
    Enrolment,
    Game,
    InsertNoteRequest,
    InsertTicketRequest,
    RedeemRequest,
    Response,
    View,
)
from croupier.protocol.outbound import RefusalBody

__all__ = [
    "Accepted",
    "AsyncClient",
    "Client",
    "CollectForRequest",
    "CollectRequest",
    "ConnectionLostError",
    "DeviceKey",
    "Enrolment",
    "Game",
    "InsertNoteRequest",
    "InsertTicketRequest",
    "RedeemRequest",
    "RefusalBody",
    "Response",
    "ServerAddress",
    "View",
]
