"""Documents over the wire: on a screen, as PDF and for a thermal printer, for those who may see them."""

from base64 import b64decode
from pathlib import Path

import pytest

from croupier.house.ids import TableId
from croupier.house.rounds.results import BallAtRest
from croupier.house.rounds.spinning import BallLaunched
from croupier.rules.geometry import Pocket
from croupier.server.ticket_desk import MISSES_MAX
from croupier.words import incident_text
from tests.support.connections import played
from tests.support.document_client import (
    a_round,
    collected,
    connect_actors,
    content,
    dispensed,
    does,
    paid,
    pairs,
    paper,
    refused,
    today,
)
from tests.support.printer import printout
from tests.support.server_harness import server_harness
from tests.support.wire.houses import ADELAIDE, CLEARWATER, DOUBLE_ZERO, MARINA

#: With a second cashier.
TWO_DRAWERS = ADELAIDE + '[[staff]]\nperson = "cora"\ntitles = ["Cashier"]\n'


# Slips.


@pytest.mark.clause("skycity-adelaide-2003", "5.5(a)")
def test_terminal_prints_the_slip_that_it_was_sent(tmp_path: Path) -> None:
    """A terminal has its own slip drawn with the number that it holds: as blocks, as PDF or as printer's bytes."""

    async def scenario() -> None:
        async with server_harness(tmp_path, ADELAIDE) as harness:
            pit = await connect_actors(harness, "A")
            document = await collected(harness, pit.one)
            answer = await paper(pit.one, **document)
            kinds = [each["type"] for each in answer["blocks"]]
            assert (answer["roll"], kinds[0]) == (True, "barcode")
            bars = answer["blocks"][0]
            assert (bars["digits"], bars["bars"][0][0]) == (document["number"], 0)
            assert sum(bars["bars"][-1]) == bars["width"]
            assert pairs(answer)["Terminal"] == pit.one.device
            words = [each["words"] for each in answer["blocks"] if each["type"] == "text"]
            assert "AUD 1,000.00" in words
            assert {"type": "text", "words": "DEMO - NO VALUE", "look": "banner", "align": "centre"} in answer["blocks"]

            file = await paper(pit.one, form="pdf", **document)
            assert (file["name"], file["type"]) == ("payment-slip-1-demo-no-value.pdf", "application/pdf")
            assert b64decode(file["content"]).startswith(b"%PDF")
            lines = printout(await content(pit.two, "escpos", **await collected(harness, pit.two))).lines
            assert any("AUD 1,000.00" in line for line in lines)

    played(scenario)


def test_number_of_another_slip_puts_nothing_on_paper(tmp_path: Path) -> None:
    """Neither another slip's number, nor one of another terminal, nor one that is nobody's is drawn anywhere."""

    async def scenario() -> None:
        async with server_harness(tmp_path, ADELAIDE) as harness:
            pit = await connect_actors(harness, "A")
            first, second = await collected(harness, pit.one), await collected(harness, pit.two)
            assert await refused(pit.one, **{**first, "number": second["number"]}) == "ticket_unknown"
            assert await refused(pit.one, **second) == "not_authorised"
            assert await refused(pit.one, **{**first, "sequence": 3}) == "ticket_unknown"
            assert await refused(pit.one, type="day_report", day=today(harness)) == "not_authorised"
            for _ in range(MISSES_MAX):
                assert await refused(pit.one, **{**first, "number": "1" * 18}) == "ticket_misread"
            assert await refused(pit.one, **first) == "too_fast"
            await harness.settled()
            [raised] = [each for each in harness.house.incidents.all.values() if each.kind == "tickets_guessed"]
            assert incident_text(raised) == f"Numbers of tickets are tried out at {pit.one.device}."

    played(scenario)


@pytest.mark.clause("skycity-adelaide-2003", "7(e)")
def test_slip_is_shown_until_its_print_is_confirmed_and_then_as_a_duplicate(tmp_path: Path) -> None:
    """A slip is on screens until its print is confirmed; the duplicate that two sign for says so; paid, never."""

    async def scenario() -> None:
        async with server_harness(tmp_path, ADELAIDE) as harness:
            pit = await connect_actors(harness, "A")
            document = await collected(harness, pit.one)
            assert (await paper(pit.cashier, **document))["t"] == "paper"
            assert (await paper(pit.boss, **document))["t"] == "paper"
            await does(pit.one, "ConfirmPrint", terminal=pit.one.device, sequence=1)
            assert await refused(pit.one, **document) == "out_of_turn"
            chief = await harness.staff("pit", "chief")
            await harness.twice(pit.boss, chief, "ReprintTicket", sequence=1, words="It is torn.")
            words = [each["words"] for each in (await paper(pit.one, **document))["blocks"] if each["type"] == "text"]
            assert words.count("DUPLICATE 1") == 2
            await does(pit.cashier, "OpenDrawer", drawer="D1", float_=1_000_000)
            await paid(pit.cashier, document)
            assert await refused(pit.one, **document) == "ticket_paid"

    played(scenario)


# Receipts and shifts.


@pytest.mark.clause("skycity-adelaide-2003", "7(e)")
def test_receipt_is_for_the_cashier_who_paid_and_for_those_who_read(tmp_path: Path) -> None:
    """Whoever paid has the receipt, another cashier has none, pit and auditor have it; a minute later it is a copy."""

    async def scenario() -> None:
        async with server_harness(tmp_path, TWO_DRAWERS) as harness:
            pit = await connect_actors(harness, "A")
            cora, auditor = await harness.staff("cashier", "cora"), await harness.staff("auditor", "auditor")
            receipt = {"type": "ticket_receipt", "sequence": 1}
            assert await refused(pit.cashier, **receipt) == "unknown_record"
            document = await dispensed(harness, pit.one)
            assert await refused(pit.cashier, **receipt) == "out_of_turn"
            await does(pit.cashier, "OpenDrawer", drawer="D1", float_=1_000_000)
            await paid(pit.cashier, document)
            assert await refused(cora, **receipt) == "not_authorised"
            for reader in (pit.cashier, pit.boss, auditor):
                answer = await paper(reader, **receipt)
                assert pairs(answer)["Slip or ticket"] == f"1, ending in {document['number'][-4:]}"
                assert not any(each.get("words") == "DUPLICATE 1" for each in answer["blocks"])
            await harness.open.pass_s(61)
            assert any(each.get("words") == "DUPLICATE 1" for each in (await paper(pit.boss, **receipt))["blocks"])

    played(scenario)


def test_drawer_is_counted_blind(tmp_path: Path) -> None:
    """Before the count no client receives a drawer's expected cash; the cashier does once it is handed in."""

    async def scenario() -> None:
        async with server_harness(tmp_path, TWO_DRAWERS) as harness:
            pit = await connect_actors(harness, "A")
            cora, shift = await harness.staff("cashier", "cora"), {"type": "shift_report", "drawer": "D1"}
            assert await refused(pit.cashier, **shift) == "unknown_record"
            await does(pit.cashier, "OpenDrawer", drawer="D1", float_=1_000_000)
            await paid(pit.cashier, await dispensed(harness, pit.one))
            for asks in (pit.cashier, pit.boss):
                assert await refused(asks, **shift) == "out_of_turn"
            await does(pit.cashier, "CountDrawer", drawer="D1", counted=899_700)
            assert await refused(pit.cashier, **shift) == "out_of_turn"
            assert pairs(await paper(pit.boss, **shift))["Difference"] == "AUD 3.00 short"
            await harness.twice(pit.cashier, pit.boss, "CloseDrawer", drawer="D1")
            answer = pairs(await paper(pit.cashier, **shift))
            assert (answer["Opening float"], answer["Expected"], answer["Counted"]) == (
                "AUD 10,000.00",
                "AUD 9,000.00",
                "AUD 8,997.00",
            )
            assert await refused(cora, **shift) == "not_authorised"

    played(scenario)


@pytest.mark.clause("marina-bay-sands-2020", "1.1.1")
def test_buy_in_is_receipted(tmp_path: Path) -> None:
    """The last buy-in of a drawer has its receipt at the desk that took it; a drawer that took none has none."""

    async def scenario() -> None:
        async with server_harness(tmp_path, MARINA) as harness:
            pit = await connect_actors(harness, "M")
            receipt = {"type": "buy_in_receipt", "drawer": "D1"}
            await does(pit.cashier, "OpenDrawer", drawer="D1", float_=0)
            assert await refused(pit.cashier, **receipt) == "unknown_record"
            await does(pit.cashier, "BuyIn", terminal=pit.one.device, drawer="D1", amount=5_000)
            answer = await paper(pit.cashier, **receipt)
            assert (answer["title"], pairs(answer)["Credited to terminal"]) == (
                "Buy-in receipt (DEMO - NO VALUE)",
                pit.one.device,
            )

    played(scenario)


def test_payables_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of very many receivables and payables a console lists the first, and says how many more there are."""
    monkeypatch.setattr("croupier.server.views.floor.DEBTS_MAX", 0)

    async def scenario() -> None:
        async with server_harness(tmp_path, ADELAIDE) as harness:
            pit, chief = await connect_actors(harness, "A"), await harness.staff("pit", "chief")
            await a_round(harness, pit, "A")
            await harness.checked(await pit.two.response(pit.two.says("cash_out")))
            await harness.twice(pit.boss, chief, "CorrectResult", table="A", round=1, pocket="20", words="Misread.")
            for client in (pit.boss, pit.cashier):
                assert client.page.floor is not None
                assert client.page.floor["debts"] == []
                assert client.page.floor["debts_more"] > 0

    played(scenario)


@pytest.mark.clause("skycity-adelaide-2003", "11(e)")
def test_payable_is_listed_until_it_is_paid_by_a_slip(tmp_path: Path) -> None:
    """A payable of an ended session is listed at pit and cashier, and paid with a slip that both signed."""

    async def scenario() -> None:
        async with server_harness(tmp_path, ADELAIDE) as harness:
            pit, chief = await connect_actors(harness, "A"), await harness.staff("pit", "chief")
            await a_round(harness, pit, "A")
            name = pit.two.device
            await harness.checked(await pit.two.response(pit.two.says("cash_out")))
            await harness.twice(pit.boss, chief, "CorrectResult", table="A", round=1, pocket="20", words="Misread.")
            for client in (pit.boss, pit.cashier):
                assert client.page.floor is not None
                rows = [each for each in client.page.floor["debts"] if each["terminal"] == name]
                assert [(each["session"], each["ended"], each["payable"]) for each in rows] == [(0, True, 14_400)]
                assert (rows[0]["table"], rows[0]["round"], rows[0]["clause"]) == ("A", 1, "11(e)")
            slip = {"type": "payment_slip", "terminal": name, "session": 0}
            assert await refused(pit.cashier, **slip) == "unknown_record"
            await harness.does(pit.cashier, "OpenDrawer", drawer="D1", float_=1_000_000)
            pays = {"terminal": name, "session": 0, "drawer": "D1", "amount": 14_400, "patron": "Pat Patron"}
            await harness.twice(pit.cashier, pit.boss, "PayPayable", **pays)
            for reader in (pit.cashier, pit.boss):
                answer = await paper(reader, **slip)
                assert answer["title"] == "Payment slip (DEMO - NO VALUE)"
                assert (pairs(answer)["Paid to"], pairs(answer)["Second signature"]) == ("Pat Patron", "boss")
            assert pit.cashier.page.floor is not None
            assert [each for each in pit.cashier.page.floor["debts"] if each["payable"]] == []

    played(scenario)


@pytest.mark.clause("clearwater-etg", "22")
def test_held_win_has_its_form_and_its_receipt(tmp_path: Path) -> None:
    """The record of a form has the patron and the win; it is for cashier and pit, and the receipt for the auditor too.

    It is on the sheets that American offices have.
    """

    async def scenario() -> None:
        async with server_harness(tmp_path, CLEARWATER) as harness:
            pit, auditor = await connect_actors(harness, "C"), await harness.staff("auditor", "auditor")
            form, receipt = {"type": "tax_form", "hold": 1}, {"type": "hold_receipt", "hold": 1}
            assert await refused(pit.cashier, **form) == "unknown_record"
            await does(pit.boss, "OpenBets", table="C")
            await harness.settled()
            assert await pit.one.plays("PlaceBets", "C", bets=[["17", 3_500]]) is None
            await harness.wheel(BallLaunched(TableId("C")))
            await harness.open.pass_s(6)
            await harness.wheel(BallAtRest(TableId("C"), Pocket("17")))
            assert await refused(pit.cashier, **form) == "form_missing"
            win = {"terminal": pit.one.device, "hold": 1}
            await does(pit.cashier, "RecordTaxForm", patron="Pat Patron", form_number="W2-G 4711", **win)
            await does(pit.cashier, "OpenDrawer", drawer="D1", float_=1_000_000)
            await does(pit.cashier, "PayHeldWin", drawer="D1", **win)
            for reader in (pit.cashier, pit.boss):
                answer = pairs(await paper(reader, **form))
                assert (answer["Form W2-G"], answer["Patron"], answer["Gross"]) == (
                    "W2-G 4711",
                    "Pat Patron",
                    "USD 1,260.00",
                )
            assert await refused(auditor, **form) == "not_authorised"
            assert pairs(await paper(auditor, **receipt))["Tax form"] == "W2-G 4711"
            assert b"[ 0 0 612 792 ]" in await content(pit.cashier, "pdf", **form)

    played(scenario)


# Reports.


def test_pit_and_auditor_have_a_tables_day(tmp_path: Path) -> None:
    """Seven were staked and 108 came back: pit and auditor read it on every kind of paper, and the desk does not."""

    async def scenario() -> None:
        async with server_harness(tmp_path, MARINA) as harness:
            pit, auditor = await connect_actors(harness, "M"), await harness.staff("auditor", "auditor")
            await a_round(harness, pit, "M")
            report = {"type": "table_report", "table": "M", "day": today(harness)}
            for reader in (pit.boss, auditor):
                answer = await paper(reader, **report)
                figures = pairs(answer)
                assert (figures["Staked"], figures["Won by the house"]) == ("SGD 7.00", "SGD -101.00")
                [grid] = [each for each in answer["blocks"] if each["type"] == "grid"]
                assert grid["total"] == ["Total", "", "", "7.00", "108.00", "-101.00"]
            assert await refused(pit.cashier, **report) == "not_authorised"
            assert await refused(pit.boss, **{**report, "table": "X"}) == "unknown_table"
            assert await refused(pit.boss, **{**report, "day": 20200101}) == "unknown_record"
            first, again = [await content(pit.boss, "pdf", **report) for _ in range(2)]
            assert first.startswith(b"%PDF")
            assert first == again
            assert printout(await content(pit.boss, "escpos", **report)).lines

    played(scenario)


@pytest.mark.clause("skycity-adelaide-2003", "12(m)")
def test_cashier_and_pit_print_the_rules(tmp_path: Path) -> None:
    """The rules of a table are printed at the desk and in the pit, with its notice and every clause."""

    async def scenario() -> None:
        async with server_harness(tmp_path, MARINA) as harness:
            pit, auditor = await connect_actors(harness, "M"), await harness.staff("auditor", "auditor")
            await harness.does(pit.cashier, "PrintRules", table="M", sold=True)
            copy = {"type": "rules_copy", "table": "M"}
            for reader in (pit.cashier, pit.boss):
                answer = await paper(reader, **copy)
                assert pairs(answer)["A Straight Up"].startswith("35 to 1")
                words = [block.get("words") for block in answer["blocks"]]
                assert words.index("1.1.1") < words.index("3.4.7") < words.index("App. A")
            assert (await content(pit.cashier, "pdf", **copy)).startswith(b"%PDF")
            assert await refused(auditor, **copy) == "not_authorised"
            assert await refused(pit.boss, **{**copy, "table": "X"}) == "unknown_record"

    played(scenario)


def test_day_is_reported_in_one_currency(tmp_path: Path) -> None:
    """Where a house counts in two currencies whoever asks says in which; a day's money is in the one that it is in."""

    async def scenario() -> None:
        tables = '[[tables]]\nid = "M"\nrulebook = "marina-bay-sands-2020"\nseats = 1\n\n'
        async with server_harness(tmp_path, DOUBLE_ZERO.replace("[[tables]]", tables + "[[tables]]", 1)) as harness:
            boss, player = await harness.staff("pit", "boss"), await harness.player("M")
            await collected(harness, player)
            day = {"type": "day_report", "day": today(harness)}
            answer = await paper(boss, **day)
            assert answer["refusal"]["facts"] == {"currencies": ["SGD", "USD"]}
            dollars, others = [pairs(await paper(boss, **day, currency=each)) for each in ("SGD", "USD")]
            assert dollars["Issued (1)"] == "SGD 1,000.00"
            assert others["Issued (0)"] == "USD 0.00"

    played(scenario)


@pytest.mark.parametrize("venue_text", [ADELAIDE, MARINA], ids=["adelaide", "marina"])
def test_day_has_every_table_and_what_is_owed(tmp_path: Path, venue_text: str) -> None:
    """A day's report tells of all tables, and of what is still out on paper."""

    async def scenario() -> None:
        async with server_harness(tmp_path, venue_text) as harness:
            name = "A" if venue_text is ADELAIDE else "M"
            pit = await connect_actors(harness, name)
            await a_round(harness, pit, name)
            await collected(harness, pit.two)
            answer = await paper(pit.boss, type="day_report")
            assert answer == await paper(pit.boss, type="day_report", day=today(harness))
            tables = next(each for each in answer["blocks"] if each["type"] == "grid")
            assert [row[:2] for row in tables["rows"]] == [[name, "1"]]
            meters = harness.house.tables[TableId(name)].meters
            assert (meters.rounds, meters.turnover) == (1, 700)
            owed = harness.house.tickets.all[next(iter(harness.house.tickets.all))].amount
            assert pairs(answer)["Not redeemed yet (1)"].endswith(f" {owed // 100:,}.00")
            mark = harness.open.venue.run.writer.head
            assert pairs(answer)["Journal"] == f"entry {mark.position}, page {mark.page}, epoch {mark.epoch}"
            assert pairs(answer)["Head"] == mark.digest.hex()[:32]

    played(scenario)
