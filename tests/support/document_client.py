"""Clients over the real wire that request documents: players and staff."""

from base64 import b64decode
from dataclasses import dataclass
from typing import Any

from tests.support.query_client import queried, refusal
from tests.support.server_harness import PageClient, ServerHarness
from tests.support.wire.runs import slip


@dataclass
class Actors:
    """Those whom a story needs."""

    one: PageClient
    two: PageClient
    boss: PageClient
    cashier: PageClient


async def connect_actors(harness: ServerHarness, table: str) -> Actors:
    """Let two players, a manager and a cashier in."""
    players = await harness.player(table), await harness.player(table)
    return Actors(*players, await harness.staff("pit", "boss"), await harness.staff("cashier", "cashier"))


async def does(client: PageClient, command: str, **more: object) -> None:
    """Have somebody ask for something, which is done."""
    assert await client.asks(command, **more) is None


async def a_round(harness: ServerHarness, pit: Actors, table: str) -> None:
    """A round in which the first player wins on 17 and the second loses; the boss deals too."""
    await does(pit.boss, "OpenBets", table=table)
    await harness.settled()
    assert await pit.one.plays("PlaceBets", table, bets=[["17", 300]]) is None
    assert await pit.two.plays("PlaceBets", table, bets=[["20", 400]]) is None
    await does(pit.boss, "CloseBets", table=table)
    if table == "A":
        await harness.open.pass_s(6)
    await harness.spin(table, "17")
    await does(pit.boss, "ConfirmResult", table=table, pocket="17")


async def paper(client: PageClient, **document: object) -> dict[str, Any]:
    """Ask for a document on the screen, or in the form that is named."""
    return await queried(client, "paper", form=document.pop("form", "screen"), document=document)


async def refused(client: PageClient, **document: object) -> str:
    return await refusal(client, "paper", form="screen", document=document)


async def content(client: PageClient, form: str, **document: object) -> bytes:
    """Ask for a document as a file, and give its bytes."""
    answer = await paper(client, form=form, **document)
    assert answer["t"] == "file", answer
    return b64decode(answer["content"])


def pairs(answer: dict[str, Any]) -> dict[str, str]:
    """The labels of a document with their values."""
    assert answer["t"] == "paper", answer
    return {each["label"]: each["value"] for each in answer["blocks"] if each["type"] == "pair"}


async def collected(harness: ServerHarness, player: PageClient) -> dict[str, Any]:
    """Have a player collect; tell what came out."""
    assert await player.response(player.says("cash_out")) is None
    await harness.settled()
    out = slip(player)
    return {"type": "slip", "sequence": out["sequence"], "number": out["number"]}


async def dispensed(harness: ServerHarness, player: PageClient) -> dict[str, Any]:
    """Have a player collect, and the terminal print what came out."""
    document = await collected(harness, player)
    await harness.does(player, "ConfirmPrint", terminal=player.device, sequence=document["sequence"])
    return document


async def paid(cashier: PageClient, document: dict[str, Any]) -> None:
    assert await cashier.response(cashier.says("redeem", drawer="D1", number=document["number"])) is None


def today(harness: ServerHarness) -> int:
    return int(harness.house.day)
