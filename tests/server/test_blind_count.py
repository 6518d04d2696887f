"""The blind count: nobody who may count a drawer learns what it should hold before it is handed in, anywhere."""

from pathlib import Path

from croupier.engine.ports import Request
from croupier.house.ids import Day
from croupier.house.timers import Tick
from tests.support.connections import played
from tests.support.document_client import connect_actors, dispensed, does, paid, pairs, paper, refused, today
from tests.support.server_harness import ServerHarness, server_harness
from tests.support.wire.houses import ADELAIDE

#: With a cashier who is a technician too, and one who is a manager.
DOUBLES = (
    f'{ADELAIDE}[[staff]]\nperson = "cora"\ntitles = ["Cashier", "Technician"]\n'
    '[[staff]]\nperson = "mona"\ntitles = ["Cashier", "Shift Manager"]\n'
)
SHIFT = {"type": "shift_report", "drawer": "D1"}
TODAY = {"type": "day_report"}


async def next_day(harness: ServerHarness) -> dict[str, object]:
    """Have the next gaming day begin; give the report on the one before as it is asked for."""
    before = today(harness)
    assert harness.open.venue.commit_loop.submit(Request(Tick(Day(before + 1)))) is None
    await harness.open.rest()
    return {"type": "day_report", "day": before}


def test_drawer_that_is_short_does_not_say_what_it_holds(tmp_path: Path) -> None:
    """A slip that a drawer cannot pay is refused with what is to be paid, and with nothing of what is there."""

    async def scenario() -> None:
        async with server_harness(tmp_path, ADELAIDE) as harness:
            pit = await connect_actors(harness, "A")
            slips = [await dispensed(harness, each) for each in (pit.one, pit.two)]
            await does(pit.cashier, "OpenDrawer", drawer="D1", float_=150_000)
            await paid(pit.cashier, slips[0])
            short = await pit.cashier.response(pit.cashier.says("redeem", drawer="D1", number=slips[1]["number"]))
            assert short is not None
            assert (short["code"], short["facts"]) == ("drawer_short", {"amount": 100_000})
            assert "500" not in short["says"]

    played(scenario)


def test_desk_reads_a_day_once_it_is_over_and_every_drawer_is_in(tmp_path: Path) -> None:
    """The desk receives the sums of a day once no drawer of it is uncounted; the pit receives them before."""

    async def scenario() -> None:
        async with server_harness(tmp_path, ADELAIDE) as harness:
            pit = await connect_actors(harness, "A")
            assert await refused(pit.cashier, **TODAY) == "out_of_turn"
            await does(pit.cashier, "OpenDrawer", drawer="D1", float_=1_000_000)
            await paid(pit.cashier, await dispensed(harness, pit.one))
            assert await refused(pit.cashier, **TODAY) == "out_of_turn"
            assert pairs(await paper(pit.boss, **TODAY))["Paid at the desk (1)"] == "AUD 1,000.00"
            yesterday = await next_day(harness)
            no = (await paper(pit.cashier, **yesterday))["refusal"]
            assert (no["code"], no["facts"]) == ("out_of_turn", {"day": yesterday["day"], "drawers": ["D1"]})
            assert no["says"].endswith("they are counted blind.")
            await does(pit.cashier, "CountDrawer", drawer="D1", counted=900_000)
            assert await refused(pit.cashier, **yesterday) == "out_of_turn"
            await harness.twice(pit.cashier, pit.boss, "CloseDrawer", drawer="D1")
            assert pairs(await paper(pit.cashier, **yesterday))["Paid at the desk (1)"] == "AUD 1,000.00"
            assert await refused(pit.cashier, **TODAY) == "out_of_turn"
            assert await refused(pit.cashier, type="day_report", day=20200101) == "unknown_record"

    played(scenario)


def test_cashier_with_another_title_is_a_cashier_at_the_pit(tmp_path: Path) -> None:
    """A person who counted at the desk and signs in at the pit receives there what a cashier receives, and no more."""

    async def scenario() -> None:
        async with server_harness(tmp_path, DOUBLES) as harness:
            pit, desk = await connect_actors(harness, "A"), await harness.staff("cashier", "cora")
            await does(desk, "OpenDrawer", drawer="D1", float_=1_000_000)
            await paid(desk, await dispensed(harness, pit.one))
            await does(desk, "CountDrawer", drawer="D1", counted=1)
            await does(pit.cashier, "OpenDrawer", drawer="D2", float_=0)
            await does(pit.cashier, "CountDrawer", drawer="D2", counted=0)
            await harness.leaves(desk)
            console = await harness.connect("pit", join="")
            await console.signs_in("cora", None)
            assert await refused(console, **SHIFT) == "out_of_turn"
            assert await refused(console, type="shift_report", drawer="D2") == "not_authorised"
            assert await refused(console, **TODAY) == "out_of_turn"
            assert pairs(await paper(pit.boss, **SHIFT))["Expected"] == "AUD 9,000.00"
            await harness.twice(console, pit.boss, "CloseDrawer", drawer="D1")
            assert pairs(await paper(console, **SHIFT))["Difference"] == "AUD 8,999.99 short"

    played(scenario)


def test_manager_with_a_drawer_out_reads_nothing_of_it(tmp_path: Path) -> None:
    """A person with every permission receives neither their own drawer nor its day until that drawer is handed in."""

    async def scenario() -> None:
        async with server_harness(tmp_path, DOUBLES) as harness:
            pit, mona = await connect_actors(harness, "A"), await harness.staff("pit", "mona")
            await does(mona, "OpenDrawer", drawer="D1", float_=1_000_000)
            await does(pit.cashier, "CountDrawer", drawer="D1", counted=1_000_000)
            for reader in (mona, pit.cashier):
                assert await refused(reader, **TODAY) == "out_of_turn"
            assert await refused(mona, **SHIFT) == "out_of_turn"
            assert pairs(await paper(pit.boss, **SHIFT))["Difference"] == "none"
            await harness.twice(mona, pit.boss, "CloseDrawer", drawer="D1")
            assert pairs(await paper(mona, **SHIFT))["Difference"] == "none"
            assert (await paper(mona, **TODAY))["t"] == "paper"

    played(scenario)
