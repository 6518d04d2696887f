"""A staff client that sends queries over the real wire."""

import asyncio
from typing import Any

import msgspec

from tests.support.connections import LONG_S
from tests.support.server_harness import PageClient, ServerHarness
from tests.support.wire.runs import Actors


async def queried(client: PageClient, query: str, **fields: object) -> dict[str, Any]:
    """Ask for something; give the answer, or the refusal."""
    answers = {"look_up": "looked_up", "bundle": "file", "export": "file", "verify": "verified"}
    client.connection.send(msgspec.json.encode({"t": query, "q": 7, **fields}))
    while True:
        [frame] = [client._take(await asyncio.wait_for(client.connection.incoming.get(), LONG_S))]  # noqa: SLF001 - the page is ours
        if frame["t"] in (answers.get(query, query), "file" if query == "paper" else "", "refused"):
            assert frame["q"] == 7
            return dict(frame)


async def refusal(client: PageClient, query: str, **fields: object) -> str:
    answer = await queried(client, query, **fields)
    assert answer["t"] == "refused", answer
    return str(answer["refusal"]["code"])


async def a_round(harness: ServerHarness, pit: Actors, table: str, pocket: str = "17") -> None:
    """A round in which the first player wins and the second loses."""
    await harness.does(pit.dealer, "OpenBets", table=table)
    await harness.plays(pit.one, "PlaceBets", table, bets=[["17", 300], ["red", 200]])
    await harness.plays(pit.one, "RemoveBets", table, spots=["red"])
    await harness.plays(pit.two, "PlaceBets", table, bets=[["20", 400]])
    await harness.does(pit.dealer, "CloseBets", table=table)
    if table == "A":
        await harness.passes(6)
    await harness.spin(table, pocket)
    await harness.does(pit.dealer, "ConfirmResult", table=table, pocket=pocket)
