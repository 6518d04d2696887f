"""The desk over the wire: what is paid and in which notes, hand pays, and collecting for a player."""

from pathlib import Path
from typing import Any

import pytest

from croupier.house.ids import DeviceId, TerminalId
from croupier.server.ticket_desk import broken_down
from tests.support.connections import played, until
from tests.support.server_harness import PageClient, server_harness
from tests.support.wire.houses import ADELAIDE, CLEARWATER
from tests.support.wire.runs import connect_actors, held_wins, slip

NOTES = (500, 1_000, 2_000, 5_000, 10_000)


@pytest.mark.parametrize(
    ("amount", "notes", "coins"),
    [
        (0, (), 0),
        (499, (), 499),
        (500, ((500, 1),), 0),
        (38_550, ((10_000, 3), (5_000, 1), (2_000, 1), (1_000, 1), (500, 1)), 50),
        (40_000, ((10_000, 4),), 0),
    ],
)
def test_amount_is_broken_down_into_notes(amount: int, notes: tuple[tuple[int, int], ...], coins: int) -> None:
    """The largest notes come first, and what no note makes up is left for coins."""
    assert broken_down(amount, NOTES) == (notes, coins)
    assert sum(value * pieces for value, pieces in notes) + coins == amount


def paid(client: PageClient) -> dict[str, Any]:
    """What the last answer says is to be handed out."""
    ack = next(frame for frame in reversed(client.log) if frame["t"] == "ack")
    return dict(ack.get("paid", {}))


@pytest.mark.clause("skycity-adelaide-2003", "7(e)")
def test_answer_to_a_payment_reports_what_to_hand_out(tmp_path: Path) -> None:
    """A cashier who pays a slip receives the amount and the notes once; a second try gets the first's facts."""

    async def scenario() -> None:
        async with server_harness(tmp_path, ADELAIDE) as harness:
            pit = await connect_actors(harness, "A")
            await harness.checked(await pit.one.response(pit.one.says("cash_out")))
            number = slip(pit.one)["number"]
            await harness.does(pit.one, "ConfirmPrint", terminal=pit.one.device, sequence=1)
            await harness.does(pit.cashier, "OpenDrawer", drawer="D1", float_=1_000_000)
            assert paid(pit.cashier) == {}
            await harness.checked(await pit.cashier.response(pit.cashier.says("redeem", drawer="D1", number=number)))
            assert paid(pit.cashier) == {
                "amount": 100_000,
                "currency": "AUD",
                "drawer": "D1",
                "terminal": pit.one.device,
                "sequence": 1,
                "hold": None,
                "notes": [[10_000, 10]],
                "coins": 0,
                "values": list(NOTES),
            }
            again = await pit.cashier.response(pit.cashier.says("redeem", drawer="D1", number=number))
            await harness.checked(again, "ticket_paid")
            assert paid(pit.cashier) == {}
            # The same command sent again after a lost line is answered yes, and nothing is handed out for it.
            pit.cashier.connection.say("redeem", id=2, epoch=pit.cashier.page.epoch, drawer="D1", number=number)
            await pit.cashier.hears("ack", lambda said: said["id"] == 2)
            assert paid(pit.cashier) == {}

    played(scenario)


@pytest.mark.clause("clearwater-etg", "22")
def test_hand_pay_reports_what_to_hand_out(tmp_path: Path) -> None:
    """A held win that is paid by hand tells its amount and the notes, and is on no list any more."""

    async def scenario() -> None:
        async with server_harness(tmp_path, CLEARWATER) as harness:
            pit = await held_wins(harness)
            hold = {"terminal": pit.one.device, "hold": 1}
            await harness.does(pit.cashier, "RecordTaxForm", **hold, patron="A. Patron", form_number="7")
            await harness.does(pit.cashier, "OpenDrawer", drawer="D1", float_=1_000_000)
            await harness.does(pit.cashier, "PayHeldWin", **hold, drawer="D1")
            answer = paid(pit.cashier)
            assert (answer["amount"], answer["hold"], answer["sequence"]) == (180_000, 1, None)
            assert (answer["notes"], answer["coins"]) == ([[10_000, 18]], 0)
            assert pit.cashier.page.floor is not None
            assert pit.cashier.page.floor["holds"] == []

    played(scenario)


@pytest.mark.clause("skycity-adelaide-2003", "7(e)")
def test_staff_collect_for_a_player_whose_terminal_is_out_of_service(tmp_path: Path) -> None:
    """The slip comes out at the console of whoever collects, and a cashier pays it: that takes two people."""

    async def scenario() -> None:
        async with server_harness(tmp_path, ADELAIDE) as harness:
            pit = await connect_actors(harness, "A")
            name = pit.one.device
            wish = {"terminal": name}
            await harness.checked(await pit.boss.response(pit.boss.says("collect_for", **wish)), "step_up_needed")
            await pit.boss.steps_up()
            await harness.checked(await pit.boss.response(pit.boss.says("collect_for", **wish)), "not_authorised")
            await harness.does(pit.boss, "NotifyOfficer", subject=name, words="It flickers.")
            await harness.passes(1)
            await harness.does(pit.boss, "CloseTerminal", terminal=name, words="It flickers.")
            assert pit.boss.page.floor is not None
            [need] = pit.boss.page.floor["needs"]
            assert (need["kind"], need["amount"], need["clause"]) == ("credit_left", 100_000, "7(e)")
            [collect] = [each for each in need["actions"] if each["label"] == "collect_for"]
            assert collect["command"] == {"t": "collect_for", "terminal": name}
            assert collect["titles"] == ["Inspector", "Pit Boss", "Shift Manager"]
            await harness.checked(await pit.boss.response(pit.boss.says("collect_for", **wish)))
            assert slip(pit.boss)["amount"] == 100_000
            assert not [frame for frame in pit.one.log if frame["t"] == "slip"]
            assert harness.house.terminals[TerminalId(name)].credit == 0
            await harness.does(pit.cashier, "OpenDrawer", drawer="D1", float_=1_000_000)
            number = slip(pit.boss)["number"]
            await harness.checked(await pit.cashier.response(pit.cashier.says("redeem", drawer="D1", number=number)))
            assert paid(pit.cashier)["amount"] == 100_000
            await harness.checked(
                await pit.boss.response(pit.boss.says("collect_for", terminal="X")), "unknown_terminal"
            )
            assert pit.boss.page.floor["needs"] == []

    played(scenario)


def test_slip_waits_for_a_console_that_is_behind(tmp_path: Path) -> None:
    """A console that does not read what it is sent prints the slip that was collected at it once it does."""

    async def scenario() -> None:
        async with server_harness(tmp_path, ADELAIDE) as harness:
            pit = await connect_actors(harness, "A")
            await pit.boss.steps_up()
            await harness.does(pit.boss, "NotifyOfficer", subject=pit.one.device, words="It flickers.")
            await harness.passes(1)
            await harness.does(pit.boss, "CloseTerminal", terminal=pit.one.device, words="It flickers.")
            connection = harness.open.venue.router.publisher.consoles[DeviceId(pit.boss.device)]
            connection.pause_writing()
            pit.boss.says("collect_for", terminal=pit.one.device)
            await until(lambda: bool(harness.house.tickets.all))
            await harness.open.rest()
            connection.resume_writing()
            assert (await pit.boss.hears("slip"))["amount"] == 100_000

    played(scenario)


def test_credits_of_a_dark_terminal_can_be_collected(tmp_path: Path) -> None:
    """Where a terminal is dark its player is paid all the same; one at which nothing is wrong keeps its credits."""

    async def scenario() -> None:
        async with server_harness(tmp_path, CLEARWATER) as harness:
            pit = await connect_actors(harness, "C")
            await harness.leaves(pit.two)
            await harness.passes(1)
            assert pit.boss.page.floor is not None
            [need] = [each for each in pit.boss.page.floor["needs"] if each["terminal"] == pit.two.device]
            assert [each["label"] for each in need["actions"]] == ["malfunction", "collect_for"]
            await pit.boss.steps_up()
            wish = pit.boss.says("collect_for", terminal=pit.two.device)
            await harness.checked(await pit.boss.response(wish))
            assert (slip(pit.boss)["form"], slip(pit.boss)["terminal"]) == ("ticket", pit.two.device)
            # It is not printed a second time when the terminal is back.
            back = await harness.connect("terminal", device=pit.two.device, key=pit.two.key)
            await harness.check()
            assert not [frame for frame in back.log if frame["t"] == "slip"]

    played(scenario)
