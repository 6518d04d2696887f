"""Sabotage of the wire: what the fuzzer must find, done whenever somebody whom it plays says ping."""

import asyncio
from collections.abc import Callable
from typing import Final, NamedTuple

import pytest
import structlog

from croupier.engine.ports import Request
from croupier.house.floor.incidents import IncidentFacts, IncidentKind, RaiseAlarm
from croupier.house.ids import TerminalId
from croupier.protocol import outbound
from croupier.protocol.inbound import Incoming, Ping
from croupier.rules.refusal import Code, refuse
from croupier.server.connection import Connection, WebSocketConnection
from croupier.server.router import Router
from tests.support.fuzz.honest import SEAT
from tests.support.fuzz.junk import CANARY
from tests.support.fuzz.line import Line


class Sabotage(NamedTuple):
    """A sabotage of a house, and the words by which it is detected."""

    name: str
    do: Callable[[Router, Connection], object]
    found: str


def sabotaged(monkeypatch: pytest.MonkeyPatch, action: Sabotage) -> None:
    """Have it done at every ping over a line of the fuzzer's."""
    hear = Router.received

    def incoming(router: Router, connection: Connection, message: Incoming) -> None:
        if isinstance(message, Ping) and isinstance(getattr(connection, "transport", None), Line):
            action.do(router, connection)
        hear(router, connection, message)

    monkeypatch.setattr(Router, "received", incoming)


def _raise(*_: object) -> None:
    raise ZeroDivisionError


def _fail_in_a_chore(router: Router, connection: Connection) -> None:
    async def fail() -> None:
        _raise()

    router.background_tasks.begin(connection, fail())


def _fail_on_the_loop(_router: Router, _connection: Connection) -> None:
    asyncio.get_running_loop().call_soon(_raise)


def _give_credit(router: Router, _connection: Connection) -> None:
    router.publisher.run.house.terminals[TerminalId("A-2")].credit += 1


def _ask_by_itself(router: Router, _connection: Connection) -> None:
    router.commit_loop.submit(
        Request(RaiseAlarm(IncidentKind.NOTED, "the bar", IncidentFacts("Nobody has asked for this.")))
    )


def _stop_the_house(router: Router, connection: Connection) -> None:
    router.publisher.events.subscribe(_raise)
    _ask_by_itself(router, connection)


def _log_a_secret(_router: Router, _connection: Connection) -> None:
    structlog.get_logger().info("pinged", token=CANARY)


def _notify_somebody_else(router: Router, _connection: Connection) -> None:
    no = outbound.refusal_body(refuse(Code.BUSY, None, "This is not for you."))
    router.publisher.seats[SEAT].send(outbound.Refused(refusal=no))


def _leave_a_delta_out(_router: Router, connection: Connection) -> None:
    connection.version += 1


def _swallow_an_answer(_router: Router, connection: Connection) -> None:
    assert isinstance(connection, WebSocketConnection)
    assert isinstance(connection.transport, Line)
    connection.transport.answers.waiting.append(2**53)


def _hoard(router: Router, _connection: Connection) -> None:
    for number in range(100):
        router.commit_loop.outcomes[number] = asyncio.get_running_loop().create_future()


SABOTAGES: Final = (
    Sabotage("raises", _raise, "a connection raised ZeroDivisionError"),
    Sabotage("fails in a chore", _fail_in_a_chore, "chore_failed"),
    Sabotage("fails on the loop", _fail_on_the_loop, "on the loop"),
    Sabotage("stops the house", _stop_the_house, "the house has stopped"),
    Sabotage("gives credit", _give_credit, "by something that nobody decided"),
    Sabotage("asks by itself", _ask_by_itself, "nobody may have asked for"),
    Sabotage("tells a secret", _log_a_secret, "a secret is in the log"),
    Sabotage("tells somebody else", _notify_somebody_else, "an honest player was told"),
    Sabotage("leaves a delta out", _leave_a_delta_out, r"after \d+ comes"),
    Sabotage("swallows an answer", _swallow_an_answer, "were never answered"),
    Sabotage("hoards", _hoard, "askers inside"),
)
