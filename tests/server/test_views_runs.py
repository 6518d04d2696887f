"""Runs over the wire: pages that take in deltas show what a snapshot would (I22), and nobody sees too much."""

from collections import defaultdict
from collections.abc import Iterator

import msgspec
import pytest

from tests.support.connections import played
from tests.support.page import Said
from tests.support.server_harness import ServerHarness, server_harness
from tests.support.wire.runs import WIRE_RUNS


@pytest.fixture(scope="module", params=WIRE_RUNS)
def harness(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> ServerHarness:
    """A run that was played to its end; after every action each page was compared with a new snapshot."""
    text, play = WIRE_RUNS[request.param]

    async def scenario() -> ServerHarness:
        async with server_harness(tmp_path_factory.mktemp("house"), text) as harness:
            await play(harness)
            return harness

    return played(scenario)


def test_deltas_come_to_what_a_snapshot_shows(harness: ServerHarness) -> None:
    """Every delta to a connection and every state of a table follows the one before, without a gap."""
    for client in harness.everybody:
        versions: defaultdict[str, list[int]] = defaultdict(list)
        for frame in client.log:
            if frame["t"] == "table":
                versions[frame["state"]["table"]].append(frame["tv"])
        assert all(each == list(range(each[0], each[0] + len(each))) for each in versions.values())
        reported = [frame["v"] for frame in client.log if "v" in frame]
        assert reported == list(range(1, len(reported) + 1))


def test_nobody_is_sent_what_they_may_not_see(harness: ServerHarness) -> None:
    """In no frame does a player or a board see another seat, a dealer the takings, or a cashier a seat."""
    for client in harness.everybody:
        kinds = {frame["t"] for frame in client.log}
        sent = msgspec.json.encode(client.log).decode()
        if client.kind in ("terminal", "board"):
            assert kinds <= {"enrolled", "welcome", "snap", "table", "seat", "slip"}
            others = {str(name) for name in harness.house.terminals} - {client.device}
            assert not [name for name in others if f'"{name}"' in sent]
            assert not [word for word in ("reported", "floor", "takings", "incidents", "proposals") if word in sent]
        if client.kind == "board":
            assert kinds <= {"enrolled", "welcome", "snap", "table"}
        if client.kind == "dealer":
            assert '"takings":{' not in sent
            assert "drawers" not in sent
        if client.kind == "cashier":
            assert not [word for word in ("seats", "takings", "incidents", "reported") if f'"{word}":' in sent]
            floors = [frame.get("set") or frame.get("floor") for frame in client.log if frame["t"] in ("floor", "snap")]
            signed = {each["command"]["type"] for reported in floors for each in (reported or {}).get("proposals", ())}
            assert signed <= {"ReprintTicket", "VoidTicket", "ReleaseTicket", "CloseDrawer"}
        if client.kind in ("pit", "auditor"):
            assert '"takings":{' in sent


def test_number_is_shown_once_it_counts(harness: ServerHarness) -> None:
    """In no frame of a run has a table a number before the round is settled on it."""
    shown = [state for client in harness.everybody for state in _tables(client.log) if "pocket" in state]

    assert shown
    assert {state["phase"] for state in shown} == {"between"}


def _tables(frames: list[Said]) -> Iterator[Said]:
    for frame in frames:
        if frame["t"] == "table":
            yield frame["state"]
        elif frame["t"] == "snap":
            yield from (state for _, state in frame["tables"])


def test_number_of_a_ticket_is_sent_to_its_printer_alone(harness: ServerHarness) -> None:
    """The numbers of a run's slips and tickets stand in the frames to their printers, and in no other frame."""
    slips = [frame for client in harness.everybody for frame in client.log if frame["t"] == "slip"]
    rest = [frame for client in harness.everybody for frame in client.log if frame["t"] != "slip"]

    firsts, again = ([each for each in slips if bool(each["duplicate"]) is duplicate] for duplicate in (False, True))
    numbers = {each["number"] for each in firsts}

    assert len(numbers) == len(firsts)
    assert {each["number"] for each in again} <= numbers
    assert not [each for each in slips if each["number"] in msgspec.json.encode(rest).decode()]
    assert all(
        each["terminal"] == client.device for client in harness.everybody for each in client.log if each["t"] == "slip"
    )
