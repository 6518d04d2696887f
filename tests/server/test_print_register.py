"""Copies: a slip comes out to be printed once, and every other receipt says that it is a copy."""

from pathlib import Path
from typing import Any

import pytest

from tests.support.connections import played
from tests.support.document_client import collected, connect_actors, content, dispensed, does, paid, paper
from tests.support.printer import printout
from tests.support.server_harness import PageClient, server_harness
from tests.support.wire.houses import ADELAIDE, MARINA

COPY = "COPY - ON PAPER ALREADY"


async def no(client: PageClient, form: str, **document: object) -> dict[str, Any]:
    answer = await paper(client, form=form, **document)
    assert answer["t"] == "refused", answer
    refusal: dict[str, Any] = answer["refusal"]
    return refusal


async def words(client: PageClient, **document: object) -> list[str]:
    """Ask for a document on the screen, and give its lines."""
    return [each["words"] for each in (await paper(client, **document))["blocks"] if each["type"] == "text"]


async def printed(client: PageClient, **document: object) -> list[str]:
    """Ask for a document for the thermal printer, and give the marks that it bears."""
    lines = printout(await content(client, "escpos", **document)).lines
    return [line.strip() for line in lines if "DUPLICATE" in line or "COPY" in line]


@pytest.mark.clause("skycity-adelaide-2003", "7(e)")
def test_slip_comes_out_once_and_once_more_for_each_duplicate(tmp_path: Path) -> None:
    """Nobody has a second paper of a slip in any form before two sign for it; a screen says that there is one."""

    async def scenario() -> None:
        async with server_harness(tmp_path, ADELAIDE) as harness:
            pit, chief = await connect_actors(harness, "A"), await harness.staff("pit", "chief")
            slip = await collected(harness, pit.one)
            assert COPY not in await words(pit.boss, **slip)
            assert await printed(pit.one, **slip) == []
            for asks, form in ((pit.one, "escpos"), (pit.boss, "pdf"), (pit.cashier, "escpos")):
                refusal = await no(asks, form, **slip)
                assert (refusal["code"], refusal["clause"]) == ("out_of_turn", "7(e)")
                assert "two people have signed" in refusal["says"]
            assert (await words(pit.boss, **slip)).count(COPY) == 2

            await harness.twice(pit.boss, chief, "ReprintTicket", sequence=1, words="It is torn.")
            assert COPY not in await words(pit.boss, **slip)
            assert await printed(pit.cashier, **slip) == ["DUPLICATE 1", "DUPLICATE 1"]
            assert (await no(pit.cashier, "pdf", **slip))["code"] == "out_of_turn"
            await harness.twice(pit.boss, chief, "ReprintTicket", sequence=1, words="It is torn again.")
            assert await printed(pit.cashier, **slip) == ["DUPLICATE 2", "DUPLICATE 2"]

    played(scenario)


@pytest.mark.clause("skycity-adelaide-2003", "7(e)")
def test_second_receipt_says_so(tmp_path: Path) -> None:
    """Of a receipt the first paper is the original, and each after it says so with its count; screens do not count."""

    async def scenario() -> None:
        async with server_harness(tmp_path, ADELAIDE) as harness:
            pit = await connect_actors(harness, "A")
            await does(pit.cashier, "OpenDrawer", drawer="D1", float_=1_000_000)
            await paid(pit.cashier, await dispensed(harness, pit.one))
            receipt = {"type": "ticket_receipt", "sequence": 1}
            assert "DUPLICATE 1" not in await words(pit.cashier, **receipt)
            assert await printed(pit.cashier, **receipt) == []
            assert "DUPLICATE 1" in await words(pit.cashier, **receipt)
            for copy in (1, 2):
                assert await printed(pit.boss, **receipt) == [f"DUPLICATE {copy}"] * 2
            await harness.open.pass_s(61)
            assert await printed(pit.boss, **receipt) == ["DUPLICATE 3"] * 2

    played(scenario)


def test_receipts_are_counted_apart(tmp_path: Path) -> None:
    """A receipt requested late is a copy even if none was printed before; the next buy-in has its own original."""

    async def scenario() -> None:
        async with server_harness(tmp_path, MARINA) as harness:
            pit = await connect_actors(harness, "M")
            receipt = {"type": "buy_in_receipt", "drawer": "D1"}
            await does(pit.cashier, "OpenDrawer", drawer="D1", float_=0)
            bought = {"terminal": pit.one.device, "drawer": "D1", "amount": 5_000}
            await does(pit.cashier, "BuyIn", **bought)
            await harness.open.pass_s(61)
            for copy in (1, 2):
                assert await printed(pit.cashier, **receipt) == [f"DUPLICATE {copy}"] * 2
            await does(pit.cashier, "BuyIn", **bought)
            assert await printed(pit.cashier, **receipt) == []

    played(scenario)
