"""The tests of the client protocol, with every client behind a gateway: by day one in three, by night all."""

from collections.abc import Iterator
from importlib import import_module
from types import FunctionType, ModuleType

import msgspec
import pytest
from msgspec import inspect

from croupier.protocol.inbound import Incoming, PartialMessage
from tests.support.campaign import many
from tests.support.connections import THROUGH_GATEWAY

# The same tests are traced where they reach the house directly, and tests of the gateway's own trace the gateway.
pytestmark = [pytest.mark.untraced, pytest.mark.campaign]

#: Modules whose houses are opened by `open_house`.
MODULES = (
    "client.test_client",
    "server.auth.test_devices",
    "server.auth.test_dual_control",
    "server.auth.test_log",
    "server.auth.test_matrix",
    "server.auth.test_passwords",
    "server.auth.test_staff",
    "server.auth.test_start",
    "server.test_background_tasks",
    "engine.test_commit_loop",
    "server.test_connection",
    "server.test_enrolment",
    "server.test_handshake",
    "server.test_idempotency",
    "server.test_journal_jobs",
    "server.test_limits",
    "server.test_play",
    "server.test_presence",
    "server.test_recall",
    "server.test_ticket_desk",
    "server.test_view_faults",
    "server.test_visitor",
    "server.test_waiting",
)


#: Tests of what differs behind a gateway, which has tests of its own for it.
DIFFERENT = (
    # It holds its connections while the house is away.
    "test_house_that_stops_says_so",
    # It closes such a connection at once, before what the house answers to the last messages.
    "test_connection_with_invalid_messages_is_closed",
    # These are about the address or the WebSocket of the house.
    "test_no_connection",
    "test_server_is_reached_by_the_loopback",
    "test_blocking_client",
    "test_bots_play_under_tls",
    "test_slow_reader_falls_behind_and_is_caught_up_with_a_snapshot",
    "test_connection_that_stays_behind_is_closed",
    "test_connection_that_is_closed_does_not_linger",
    # It reads the tests, and opens no house.
    "test_every_limit_is_reached_by_a_test",
)


@pytest.fixture(autouse=True)
def behind_a_gateway() -> Iterator[None]:
    token = THROUGH_GATEWAY.set(True)
    yield
    THROUGH_GATEWAY.reset(token)


def _tests(module: ModuleType) -> dict[str, FunctionType]:
    return {
        name: value
        for name, value in vars(module).items()
        if name.startswith("test_") and callable(value) and name not in DIFFERENT
    }


def _structs(of: object) -> Iterator[type[msgspec.Struct]]:
    """Find every struct within a type."""
    pending, found = [inspect.type_info(of)], dict[type[msgspec.Struct], None]()
    while pending:
        each = pending.pop()
        if isinstance(each, inspect.StructType):
            if each.cls not in found:
                found[each.cls] = None
                pending += [field.type for field in each.fields]
            continue
        parts = [getattr(each, name, None) for name in ("item_type", "key_type", "value_type")]
        pending += [part for part in (*parts, *getattr(each, "types", ()), *getattr(each, "item_types", ())) if part]
    yield from found


def test_what_a_client_leaves_out_it_may_also_send() -> None:
    """A gateway passes a message on with every field: a default that the house refused would end its session."""
    checked = 0
    structs: list[type[msgspec.Struct]] = [*_structs(Incoming), PartialMessage]
    for struct in structs:
        for field in msgspec.structs.fields(struct):
            factory = field.default_factory
            default = field.default if factory is msgspec.NODEFAULT else factory()
            if default is not msgspec.NODEFAULT:
                encoded = msgspec.json.encode(default)
                assert msgspec.json.decode(encoded, type=field.type) == default, (struct, field.name)
                checked += 1
    assert checked


for _name in MODULES:
    _module = import_module(f"tests.{_name}")
    _sample = list(_tests(_module).items())[:: many(day=3, night=1)]
    globals().update({f"{each}_{_name.replace('.', '_')}": test for each, test in _sample})
