"""Faults in views: a bug in what one screen is shown ends that connection, and everybody else plays on."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from croupier.server import publisher
from croupier.server.ticket_desk import TicketDesk
from croupier.server.views import floor, seat
from croupier.server.views.table import TableViews
from tests.support.connections import Client, TestHouse, open_house, played


def breaks(*_arguments: object, **_more: object) -> Any:  # noqa: ANN401 - in the place of any view
    raise ZeroDivisionError("a bug in a view")


def broken_for(device: str, real: Callable[..., object]) -> Callable[..., object]:
    """A view that cannot be built for one terminal."""
    return lambda house, name, *more, **named: (breaks if name == device else real)(house, name, *more, **named)


def broken_row(device: str) -> Callable[..., object]:
    """A row of bets that cannot be built for one terminal."""
    return lambda house, rows, to: (breaks if to.device == device else seat.bets_row)(house, rows, to)


async def comes_back(house: TestHouse, client: Client) -> dict[str, Any]:
    """See that a connection was ended for its view alone; connect again, and give the snapshot."""
    assert (await client.hear("bye"))["refusal"]["code"] == "view_failed"
    assert not house.venue.commit_loop.failed.done()
    again = await house.client()
    return await again.return_(client.device, client.key)


async def chooses(client: Client) -> None:
    number = client.ask("ChooseDenomination", terminal=client.device, denomination=1)
    await client.answered(number)


def test_change_of_a_seat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bet whose answer cannot be drawn is committed all the same: the snapshot that follows has it."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            client, other = await house.seated(), await house.seated()
            await house.pass_s(6)
            monkeypatch.setattr(publisher, "bets_row", broken_row(client.device))
            number = client.bet("17", 500, round_=1)
            await other.answered(other.bet("18", 500, round_=1))
            snap = await comes_back(house, client)
            assert (snap["last_cmd"], snap["seat"]["games"]["A"]["bets"]) == (number, {"17": 500})
            assert house.venue.publisher.figures.closed == {"view_failed": 1}
            await chooses(other)

    played(scenario)


def test_whole_seat_and_snapshot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A seat or a snapshot that cannot be drawn ends one connection; others are sent theirs."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            client, other, third = [await house.seated() for _ in range(3)]
            with monkeypatch.context() as patched:
                patched.setattr(publisher, "seat_state", broken_for(client.device, seat.seat_state))
                client.ask("ChooseDenomination", terminal=client.device, denomination=1)
                await chooses(other)
                patched.setattr(publisher, "seat_state", broken_for(other.device, seat.seat_state))
                other.say("resync")
                third.say("resync")
                await third.hear("snap")
                await other.closed
            for each in (client, other):
                await comes_back(house, each)

    played(scenario)


def test_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a table cannot be drawn the connections at it end, and the house goes on."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            clients = [await house.seated() for _ in range(2)]
            monkeypatch.setattr(TableViews, "build", breaks)
            await house.pass_s(6)
            monkeypatch.undo()
            for client in clients:
                await comes_back(house, client)

    played(scenario)


def test_floor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the floor cannot be drawn for one kind of console, those consoles end; players notice nothing."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            client = await house.seated()
            pit = await house.signed_in("inspector", "pit", house.codes["inspector"])
            monkeypatch.setattr(floor, "floor", breaks)
            await chooses(client)
            await house.pass_s(1)
            assert (await pit.hear("bye"))["refusal"]["code"] == "view_failed"
            await chooses(client)
            assert not house.venue.commit_loop.failed.done()

    played(scenario)


def test_answer_at_a_console(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where what is handed out at a console cannot be told it ends; the command was done."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            client = await house.seated()
            pit = await house.signed_in("inspector", "pit", house.codes["inspector"])
            monkeypatch.setattr(TicketDesk, "hand_out", breaks)
            pit.ask("SendMessage", terminals=[client.device], words="Good luck.")
            assert (await pit.hear("bye"))["refusal"]["code"] == "view_failed"
            await client.hear("seat", lambda said: "Good luck." in str(said["set"].get("messages")))

    played(scenario)
