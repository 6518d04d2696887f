"""Live tables over the wire: their console sees chips and payments as they change, and no other screen does."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest

from croupier.cli.demo_bots import server_address
from croupier.client import AsyncClient, Enrolment
from croupier.house.ids import DeviceKind, PersonId, TableId
from croupier.house.rounds.results import BallAtRest
from croupier.house.settings import LiveSettings
from croupier.protocol.inbound import SetPassword
from croupier.rules.geometry import Pocket
from croupier.server.views import live as live_views
from croupier.server.views.live import live_state, notice_state, walk_state
from tests.server.test_view_faults import breaks
from tests.support.connections import played, secret_of
from tests.support.house_driver import CLEARWATER, TABLE, Play
from tests.support.query_client import queried
from tests.support.server_harness import PageClient, ServerHarness, server_harness

HEAD: Final = """
venue = "Test house"
data = "data"
listen.port = 0
limits = { commands_per_s = 1_000, commands_burst = 1_000 }
"""
LIVE_TABLE: Final = """
[[tables]]
id = "{id}"
rulebook = "{rulebook}"
confirms = true
{limits}
seats = {seats}
[tables.live]
emblem = "{id}"
colours = ["blue", "green", "white"]
denominations = [1, 5, 25, 100]
{live}
"""
PEOPLE: Final = """
[[staff]]
person = "dealer"
titles = ["Dealer"]
[[staff]]
person = "inspector"
titles = ["{inspector}"]
[[staff]]
person = "boss"
titles = ["{boss}"]
[[staff]]
person = "chief"
titles = ["{boss}"]
"""
LIMITS: Final = "minimum = 5\nmaximum = 100\nkinds.even_money = { maximum = 1_000 }"
ADELAIDE_TABLE: Final = {"id": "A", "rulebook": "skycity-adelaide-2003", "limits": LIMITS, "seats": 1, "live": ""}
ADELAIDE: Final = (
    HEAD + LIVE_TABLE.format(**ADELAIDE_TABLE) + PEOPLE.format(inspector="Inspector", boss="Shift Manager")
)
SUPERVISED: Final = (
    HEAD
    + LIVE_TABLE.format(**{**ADELAIDE_TABLE, "live": 'recording = "supervised"\nmultiples = true\nmarker_unit = 50'})
    + PEOPLE.format(inspector="Inspector", boss="Shift Manager")
)
US: Final = (
    HEAD
    + LIVE_TABLE.format(id="U", rulebook="us-double-zero", limits="", seats=0, live="")
    + PEOPLE.format(inspector="Supervisor", boss="Supervisor")
)
#: The float has chips of 5 and 25 alone, and players bet chips of 1.
US_FIVES: Final = US.replace("denominations = [1, 5, 25, 100]", "denominations = [5, 25]\ncirculating = [1]")
#: Two live tables, and one without chips.
SEVERAL: Final = (
    HEAD
    + '[[tables]]\nid = "S"\nrulebook = "skycity-adelaide-2003"\nconfirms = true\nminimum = 5\nseats = 1\n'
    + LIVE_TABLE.format(**ADELAIDE_TABLE)
    + LIVE_TABLE.format(**{**ADELAIDE_TABLE, "id": "B"})
    + PEOPLE.format(inspector="Inspector", boss="Shift Manager")
)
FLOAT: Final = [[500, 100], [2_500, 40], [10_000, 20], [100, 100]]
Pieces = dict[str, dict[str, int]]


@dataclass
class Live:
    """A live table with its staff at their consoles, and a display of its notice."""

    harness: ServerHarness
    table: str
    dealer: PageClient
    inspector: PageClient
    boss: PageClient
    display: PageClient

    async def deal(self, command: str, **more: object) -> None:
        await self.harness.does(self.dealer, command, table=self.table, **more)

    async def refused(self, code: str, command: str, **more: object) -> None:
        await self.harness.fails(self.dealer, code, command, table=self.table, **more)

    async def prepare(self) -> None:
        """Open the float, and check the notice."""
        chips = {"chips": [each for each in FLOAT if each[0] in self.state["denominations"]], "slip": "S1"}
        await self.harness.twice(self.inspector, self.boss, "OpenFloat", table=self.table, **chips)
        digest = self.state["notice"]["digest"]
        await self.harness.does(self.inspector, "AcknowledgeNotice", table=self.table, digest=digest)

    async def player(self, label: str, colour: str | None, amount: int, value: int | None = None) -> int:
        """Seat a player who buys chips for cash."""
        await self.deal("SeatPlayer", label=label)
        position = max(map(int, self.state["players"]))
        if colour is not None:
            await self.deal("AllocateColour", position=position, colour=colour, value=value)
        await self.deal("BuyChips", position=position, tender="cash", amount=amount * 100, colour=colour)
        return position

    async def bets(self, position: int, chip: str, *bets: tuple[str, int]) -> None:
        await self.deal("PlaceChips", position=position, chip=chip, bets=[list(each) for each in bets])

    async def spin(self, pocket: str) -> None:
        """Close betting as the venue does, and have the dealer place the dolly."""
        steps = ["FinishBetting", "SpinBall"] if self.table == "A" else ["SpinBall", "CloseBets"]
        await self.deal(steps[0])
        await self.harness.passes(5)
        await self.deal(steps[1])
        await self.harness.wheel(BallAtRest(TableId(self.table), Pocket(pocket), revolutions=9, opposite=True))
        await self.deal("ConfirmResult", pocket=pocket, dolly=pocket)

    async def collects(self) -> None:
        await self.deal("CollectLosers", round=self.walk["round"])

    async def pays(self) -> list[tuple[str, int, int]]:
        """Make every payment in its order; give what was paid."""
        paid = []
        while open_ := [each for each in self.walk["payments"] if not each["made"]]:
            first = open_[0]
            paid.append((first["segment"], first["position"], first["paid"]))
            here = {"segment": first["segment"], "position": first["position"]}
            await self.deal("PaySegment", round=self.walk["round"], **here)
        return paid

    @property
    def state(self) -> dict[str, Any]:
        assert self.dealer.page.live is not None
        found: dict[str, Any] = self.dealer.page.live["state"]
        return found

    @property
    def walk(self) -> dict[str, Any]:
        assert self.dealer.page.walk is not None
        return self.dealer.page.walk

    @property
    def notice(self) -> dict[str, Any]:
        assert self.display.page.notice is not None
        return self.display.page.notice

    def chips(self, position: int) -> Pieces:
        found: Pieces = self.state["players"][str(position)]["chips"]
        return found


@asynccontextmanager
async def live_table(folder: Path, text: str, table: str) -> AsyncIterator[Live]:
    async with server_harness(folder, text) as harness:
        display = await harness.connect("notice", join="", table=table)
        dealer = await console(harness, "dealer", table)
        inspector, boss = await harness.staff("pit", "inspector"), await harness.staff("pit", "boss")
        yield Live(harness, table, dealer, inspector, boss, display)


async def console(harness: ServerHarness, person: str, table: str = "", *, again: bool = False) -> PageClient:
    """Sign somebody in at the console of a live table, for the first time or again."""
    client = await harness.connect("live_table", join="", table=table)
    await client.signs_in(person, None if again else harness.open.venue.codes.get(PersonId(person)))
    return client


def test_round_at_adelaide(tmp_path: Path) -> None:
    """The console is sent every chip with advice, then collection and payment by segment; no other screen is."""

    async def scenario() -> None:
        async with live_table(tmp_path, ADELAIDE, "A") as live:
            player = await live.harness.player("A")
            await live.prepare()
            blue = await live.player("Seat 1", "blue", 300)
            green = await live.player("Seat 2", "green", 500, 2_500)
            value = await live.player("Seat 3", None, 100)
            colours = {row["colour"]: row for row in live.state["colours"]}
            assert (colours["blue"]["marker"], colours["green"]["marker"], colours["white"]["marker"]) == (
                False,
                True,
                False,
            )
            await live.deal("OpenBets")
            await live.bets(blue, "blue", ("17", 2), ("8", 1), ("neighbours 25", 5), ("neighbours 0", 7))
            await live.bets(green, "green", ("17", 5))
            await live.bets(value, "v100", ("17/18", 3))
            assert live.chips(blue) == {
                "17": {"blue": 2},
                "8": {"blue": 1},
                "neighbours 25": {"blue": 5},
                "neighbours 0": {"blue": 7},
            }
            [over] = live.state["players"][str(green)]["advice"]
            [under] = live.state["players"][str(value)]["advice"]
            assert (over["code"], over["clause"], over["stake"], over["limit"]) == (
                "stake_over_maximum",
                "12(f)",
                12_500,
                10_000,
            )
            assert (under["code"], under["clause"]) == ("stake_under_minimum", "12(e) second")
            assert live.dealer.page.walk is None

            # The pit has the sum and what it may cost, and not whose chips they are.
            assert live.boss.page.floor is not None
            floor = live.boss.page.floor["tables"]["A"]
            assert floor["staked"] == 15 * 500 + 5 * 2_500 + 3 * 100
            assert (floor["exposure"]["staked"], floor["exposure"]["worst"]) == (floor["staked"], ["17"])

            await live.spin("17")
            assert live.dealer.page.state("A")["phase"] == "paying"
            preview = await queried(live.boss, "preview", table="A", round=1, pocket="8")
            # On 17 two chips pay, and with the marker's fifth three; on 8 the one there. The stakes stay or come back.
            assert [(row["paid"], row["due"]) for row in preview["chips"] if row["position"] == blue] == [
                (54_000, 18_000)
            ]
            walk = live.walk
            assert (walk["pocket"], walk["clause"], walk["collected"], walk["recorded"]) == ("17", "9(e)", False, True)
            markers = {each["spot"]: (each["hit"], each["pieces"], each["stays"]) for each in walk["markers"]}
            assert markers == {"neighbours 25": (True, 5, 1), "neighbours 0": (False, 7, 0)}
            rows = {each["position"]: each for each in walk["positions"]}
            assert dict(rows[blue]["collected"]) == {"blue": 1 + 4 + 7}
            assert [note["kind"] for note in rows[green]["notes"]] == ["capped"]
            assert rows[value]["stays"] == {"17/18": {"v100": 3}}
            [first, *_] = walk["payments"]
            lines = [(each["odds"], each["settled"], each["pieces"]) for each in first["lines"]]
            assert (first["pieces"], lines) == ([["blue", 105]], [(35, 1_000, 70), (35, 500, 35)])
            await live.refused("collect_first", "PaySegment", round=1, segment="inside")
            await live.collects()
            assert await live.pays() == [("inside", blue, 52_500), ("inside", green, 350_000), ("inside", value, 5_100)]
            assert live.walk["over"]
            assert live.chips(blue) == {"17": {"blue": 3}}
            assert live.state["players"][str(value)]["advised"]

            await live.deal("OpenBets")
            assert live.dealer.page.walk is None
            # Neither a terminal nor the display nor the pit is sent a chip, a label or a payment.
            for client in (player, live.display, live.inspector):
                assert not {each["t"] for each in client.log} & {"live", "walk"}
                assert not any("Seat 1" in str(each) for each in client.log if each["t"] != "floor")

    played(scenario)


@pytest.mark.clause("skycity-adelaide-2003", "11(e)")
def test_console_lists_the_chips_that_a_correction_moves(tmp_path: Path) -> None:
    """The walk has what a correction lifts and puts back, until chips are collected or paid, or the next round opens.

    While bets of the next round are open, it has them until betting closes.
    """

    async def scenario() -> None:
        async with live_table(tmp_path, ADELAIDE, "A") as live:
            await live.prepare()
            blue, green = await live.player("Seat 1", "blue", 300), await live.player("Seat 2", "green", 300)
            await live.deal("OpenBets")
            await live.bets(blue, "blue", ("17", 2), ("black", 1))
            await live.bets(green, "green", ("20", 3), ("red", 1))
            await live.spin("17")

            chief = await live.harness.staff("pit", "chief")

            async def correct(pocket: str) -> None:
                words = {"round": 1, "pocket": pocket, "words": "The recording shows it."}
                await live.harness.twice(live.boss, chief, "CorrectResult", table="A", **words)

            await correct("20")
            assert live.walk["moves"] is None
            await correct("17")
            await live.deal("PlaceDolly", round=1, pocket="17")
            await live.collects()
            await correct("20")
            taken = {"position": blue, "spot": "17", "chip": "blue", "pieces": 2}
            back = {"position": green, "spot": "20", "chip": "green", "pieces": 3}
            moves = {"clause": "11(e)", "lifted": [taken], "restored": [back], "imprisoned": [], "freed": []}
            assert live.walk["moves"] == moves
            await live.deal("PlaceDolly", round=1, pocket="20")
            await live.collects()
            assert live.walk["moves"] is None
            await live.pays()
            await correct("17")
            assert live.walk["moves"] == {**moves, "lifted": [back], "restored": [taken]}
            # The round is over: the dealer goes on, and has nothing left to move.
            await live.deal("OpenBets")
            assert live.dealer.page.walk is None
            await correct("20")
            assert live.walk["moves"] == {**moves, "restored": []}
            assert live.chips(blue) == {"black": {"blue": 1}}
            await live.deal("FinishBetting")
            await live.harness.passes(5)
            assert live.dealer.page.walk is None

    played(scenario)


@pytest.mark.clause("us-double-zero", "Rotation (4)")
def test_correction_that_chips_do_not_make_has_choices(tmp_path: Path) -> None:
    """What a correction adds has its chips, or the amounts that a supervisor chooses from, in the walk and after it."""

    async def scenario() -> None:
        async with live_table(tmp_path, US_FIVES, "U") as live:
            await live.prepare()
            player, paid, other = [await live.player(f"Seat {seat}", None, 100) for seat in (1, 2, 3)]
            await live.deal("OpenBets")
            await live.bets(player, "v100", ("1/2/3", 3))
            await live.bets(paid, "v100", ("13/14/15/16/17/18", 1))
            await live.bets(other, "v100", ("17", 1), ("1/2/3/4/5/6", 1))
            await live.spin("17")

            async def correct(pocket: str, number: int = 1) -> None:
                words = {"round": number, "pocket": pocket, "words": "The recording shows it."}
                await live.harness.twice(live.boss, live.inspector, "CorrectResult", table="U", **words)

            choices = [[["v500", 1], ["v2500", 1]], [["v500", 2], ["v2500", 1]]]
            await live.collects()
            await live.deal("PaySegment", round=1, segment="inside", position=paid)
            await correct("2")
            made, *open_ = live.walk["payments"]
            assert (made["made"], made["paid"], made["choices"]) == (True, 500, [])
            due = {each["position"]: (each["segment"], each["due"], each["undecided"]) for each in open_}
            assert due == {other: ("correction", 500, None), player: ("correction", 3_300, "Rotation (4)")}
            found = {each["position"]: (each["cash"], each["choices"]) for each in open_}
            assert found[other] == ([["v500", 1]], [])
            assert [sorted(each) for each in found[player][1]] == [sorted(each) for each in choices]
            await live.deal("PlaceDolly", round=1, pocket="2")
            pay = {"round": 1, "segment": "correction", "position": player}
            await live.refused("payment_undecided", "PaySegment", **pay)
            supervisor = await console(live.harness, "chief", "U")
            await live.harness.does(supervisor, "PaySegment", table="U", **pay, handed=choices[0])
            await live.deal("PaySegment", round=1, segment="correction", position=other)
            assert live.walk["over"]

            # After the walk the same choices stand in the player's row.
            await live.deal("OpenBets")
            await live.bets(player, "v100", ("4/5/6", 3))
            await live.spin("17")
            await live.collects()
            assert live.walk["over"]
            await correct("5", 2)
            rows = live.state["players"]
            after = {each: rows[str(each)] for each in (player, other)}
            assert {each: (row["payable"], row["undecided"]) for each, row in after.items()} == {
                player: (3_300, "Rotation (4)"),
                other: (500, None),
            }
            assert [sorted(each) for each in after[player]["choices"]] == [sorted(each) for each in choices]
            assert after[other]["choices"] == []

    played(scenario)


def test_players_come_and_go(tmp_path: Path) -> None:
    """A row is sent when it changes, null for a player who has left, and the float never with what it should have."""

    async def scenario() -> None:
        async with live_table(tmp_path, ADELAIDE, "A") as live:
            assert (live.state["float"], live.state["notice"]["checked"], live.state["notice"]["clause"]) == (
                None,
                False,
                "8(b)",
            )
            await live.prepare()
            assert live.state["float"] == {"opened": 360_000, "fills": 0, "credits": 0, "counted": None}
            assert live.state["notice"]["checked"]
            first = await live.player("one", None, 100)
            second = await live.player("two", "blue", 100)
            await live.deal("LeaveTable", position=first)
            assert [*live.state["players"]] == [str(second)]
            last = [each for each in live.dealer.log if each["t"] == "live"][-1]
            assert last["set"] == {"players": {str(first): None}}
            await live.harness.does(live.inspector, "CountFloat", table="A", chips=[[10_000, 34]])
            assert live.state["float"]["counted"] == 340_000
            # A console that comes late has the same.
            other = await console(live.harness, "inspector", "A", again=True)
            assert other.page.live is not None
            assert other.page.live["state"] == live.state

    played(scenario)


def test_winners_are_recorded_at_a_supervised_table(tmp_path: Path) -> None:
    """Where bets are not recorded the payments grow with every winner; of one that is paid in part the rest is sent."""

    async def scenario() -> None:
        async with live_table(tmp_path, SUPERVISED, "A") as live:
            await live.prepare()
            blue = await live.player("Seat 1", "blue", 300)
            await live.deal("OpenBets")
            await live.spin("17")
            assert (live.walk["recorded"], live.walk["payments"]) == (False, [])
            await live.collects()
            winner = {"position": blue, "round": 1, "chip": "blue"}
            await live.deal("RecordWinner", **winner, bets=[["17", 2]])
            assert [(each["paid"], each["made"]) for each in live.walk["payments"]] == [(35_000, False)]
            await live.deal("PaySegment", round=1, segment="inside", position=blue)
            await live.deal("RecordWinner", **winner, bets=[["17/20", 1], ["neighbours 25", 7]])
            [rest] = live.walk["payments"]
            assert (rest["due"], rest["paid"], rest["colours"], rest["made"]) == (
                35_000 + 8_500 + 24_500,
                8_500 + 24_500,
                [],
                False,
            )
            # A fifth of 35 is 7: one piece, and 2 from the float.
            assert [(each["chip"], each["stays"]) for each in live.walk["markers"]] == [("blue", 1), ("v100", 2)]
            await live.pays()
            assert not live.walk["over"]
            await live.deal("FinishPaying", round=1)
            assert live.walk["over"]
            assert live.state["colours"][0]["out"] is None

    played(scenario)


def test_correction_before_the_payment_begins_the_walk_again(tmp_path: Path) -> None:
    """After a correction the console has the dolly, the collection and the payments by the true number."""

    async def scenario() -> None:
        async with live_table(tmp_path, ADELAIDE, "A") as live:
            await live.prepare()
            blue = await live.player("Seat 1", "blue", 300)
            await live.deal("OpenBets")
            await live.bets(blue, "blue", ("17", 1), ("18", 1))
            await live.spin("17")
            await live.collects()
            harness = live.harness
            correction = {"table": "A", "round": 1, "pocket": "18", "words": "It lay in 18."}
            await harness.twice(live.boss, await harness.staff("pit", "chief"), "CorrectResult", **correction)
            assert (live.walk["pocket"], live.walk["marked"], live.walk["collected"]) == ("18", None, False)
            await live.deal("PlaceDolly", round=1, pocket="18")
            assert live.walk["marked"] == "18"
            await live.collects()
            assert await live.pays() == [("inside", blue, 17_500)]

    played(scenario)


def test_debts_of_players_with_chips_are_listed(tmp_path: Path) -> None:
    """The pit lists what a correction left, with the player, the colour and the round, until it is settled."""

    async def scenario() -> None:
        async with live_table(tmp_path, ADELAIDE, "A") as live:
            await live.prepare()
            blue = await live.player("Seat 1", "blue", 300)
            await live.deal("OpenBets")
            await live.bets(blue, "blue", ("17", 1), ("18", 1))
            await live.spin("17")
            await live.collects()
            await live.pays()
            harness = live.harness
            correction = {"table": "A", "round": 1, "pocket": "1", "words": "It lay in 1."}
            await harness.twice(live.boss, await harness.staff("pit", "chief"), "CorrectResult", **correction)
            assert live.boss.page.floor is not None
            [row] = live.boss.page.floor["debts"]
            assert (row["terminal"], row["table"], row["round"], row["clause"]) == ("", "A", 1, "11(e)")
            assert (row["position"], row["label"], row["colours"], row["ended"]) == (blue, "Seat 1", ["blue"], False)
            assert (row["receivable"], row["payable"]) == (17_500, 0)
            await live.deal("SettleOwed", position=blue, chip="blue", pieces=35)
            assert live.boss.page.floor["debts"] == []

    played(scenario)


def test_notice_of_each_venue(tmp_path: Path) -> None:
    """The notice has the odds in the order of the rules with their letters, limits, and every rule with its clause."""

    async def scenario() -> None:
        for folder, text, table in ((tmp_path / "a", ADELAIDE, "A"), (tmp_path / "u", US, "U")):
            async with live_table(folder, text, table) as live:
                notice = live.notice
                clauses = {each["rule"]: each["clause"] for each in notice["rules"]}
                if table == "A":
                    assert [row["letters"] for row in notice["rows"]] == [*map(list, "ABCDEFG"), [*"HIJKLM"]]
                    assert (notice["least"], notice["multiples"], notice["advice"]) == (500, False, "12(k)")
                    assert notice["marker"] == {"call": "neighbours", "least": 2_500}
                    assert (notice["rows"][0]["most"], notice["rows"][-1]["most"]) == (10_000, 100_000)
                    assert clauses == {
                        "chips": "6(a)",
                        "chip-value": "6(d)",
                        "marker": "12(a)",
                        "closed": "6(i)",
                        "zero": "8(c)",
                        "under": "12(e) second",
                        "over": "12(f)",
                        "no-multiples": "12(g)",
                        "turns": "9(b)",
                        "stays": "6(i)",
                        "redeem": "6(f)",
                    }
                else:
                    assert [row["labels"][0] for row in notice["rows"]][4:6] == ["First Five Numbers", "Six Numbers"]
                    assert (notice["multiples"], notice["marker"], notice["advice"]) == (None, None, None)
                    assert clauses["closed"] == "Irregularities (4)"
                    assert notice["rows"][0]["clause"] == "Pay Table Straight"

    played(scenario)


def test_notice_changes_with_the_next_limits(tmp_path: Path) -> None:
    """New limits change the notice at once, with another digest, and the console must check it anew."""

    async def scenario() -> None:
        async with live_table(tmp_path, ADELAIDE, "A") as live:
            await live.prepare()
            before = live.notice["digest"]
            settings = dict(live.boss.page.floor["terms"]["A"]["now"]["settings"])  # type: ignore[index]
            settings["limits"] = {"spot": {"least": 1_000, "most": 20_000}}
            chief = await live.harness.staff("pit", "chief")
            await live.harness.twice(live.boss, chief, "ChangeSettings", table="A", settings=settings, words="Busy.")
            assert live.notice["digest"] != before
            assert (live.notice["least"], live.notice["rows"][-1]["most"]) == (1_000, 20_000)
            assert not live.state["notice"]["checked"]
            await live.refused("notice_not_shown", "OpenBets")

    played(scenario)


@pytest.mark.parametrize(("named", "bound"), [("", "A"), ("B", "B"), ("S", None), ("nowhere", None)])
def test_console_is_bound_to_one_live_table(tmp_path: Path, named: str, bound: str | None) -> None:
    """A console shows and serves the live table that it names, the first if it names none, and no other table."""

    async def scenario() -> None:
        async with server_harness(tmp_path, SEVERAL) as harness:
            client = await console(harness, "dealer", named)
            assert [*client.page.tables] == ([] if bound is None else [bound])
            assert (client.page.live or {}).get("table") == bound
            for table in ("S", "A", "B"):
                refusal = await client.asks("SeatPlayer", table=table, label="one")
                assert (refusal and refusal["code"]) == (None if table == bound else "not_authorised")
            await harness.does(client, "NoteIncident", subject="the room", words="It is dark.")

    played(scenario)


def test_floor_of_a_console_has_its_own_table_alone(tmp_path: Path) -> None:
    """What happens at another table does not reach the console of a live table, and steps of the round do."""

    async def scenario() -> None:
        async with server_harness(tmp_path, SEVERAL) as harness:
            client, other = await console(harness, "dealer", "A"), await console(harness, "inspector", "B")
            dealer = await harness.connect("dealer", join="")
            await dealer.signs_in("dealer", None)
            await harness.does(dealer, "OpenBets", table="S")
            await harness.does(client, "SeatPlayer", table="A", label="one")
            assert client.page.floor is not None
            assert other.page.floor is not None
            assert ([*client.page.floor["tables"]], [*other.page.floor["tables"]]) == (["A"], ["B"])
            assert client.page.floor["tables"]["A"]["steps"] is not None
            assert client.page.floor["tables"]["A"]["takings"] is None
            assert not [each for each in other.log if each["t"] == "live"]

    played(scenario)


def test_notice_of_a_table_without_chips(tmp_path: Path) -> None:
    """A table of terminals has a notice too, without chips; and its display takes no command and no sign-in."""

    async def scenario() -> None:
        async with server_harness(tmp_path, SEVERAL) as harness:
            display = await harness.connect("notice", join="", table="S")
            assert display.page.notice is not None
            assert display.page.notice["table"] == "S"
            assert (display.page.notice["digest"], display.page.notice["multiples"], display.page.notice["marker"]) == (
                "",
                None,
                None,
            )
            assert [each["rule"] for each in display.page.notice["rules"]] == ["closed", "zero", "turns"]
            display.connection.say("sign_in", person="dealer", secret=secret_of("dealer"))
            assert (await display.hears("refused"))["refusal"]["code"] == "not_authorised"
            assert (await display.asks("SeatPlayer", table="A", label="x") or {})["code"] == "signed_out"

    played(scenario)


def test_notice_of_terminals_alone() -> None:
    """Where the wheel launches the ball the notice states when betting closes, and what the zeros do."""
    notice = notice_state(Play(CLEARWATER).house, TABLE)
    assert ([each.rule for each in notice.rules], notice.advice) == (["closed", "zero"], None)


@pytest.mark.clause("skycity-adelaide-2003", "6(e)")
def test_officer_approves_a_second_colour_at_the_table(tmp_path: Path) -> None:
    """An officer signs in at the console of the table and approves; a dealer cannot, and the officer cannot deal."""
    officer_too = ADELAIDE + '[[staff]]\nperson = "officer"\ntitles = ["Authorised Officer"]\n'

    async def scenario() -> None:
        async with live_table(tmp_path, officer_too, "A") as live:
            await live.prepare()
            player = await live.player("Seat 1", "blue", 100)
            approval = {"position": player, "words": "A long night."}
            await live.refused("colour_not_approved", "AllocateColour", position=player, colour="green")
            await live.refused("not_authorised", "ApproveSecondColour", **approval)
            officer = await console(live.harness, "officer", "A")
            await live.harness.fails(officer, "not_authorised", "SeatPlayer", table="A", label="Seat 2")
            await live.harness.does(officer, "ApproveSecondColour", table="A", **approval)
            assert live.state["players"][str(player)]["second_colour"]
            await live.deal("AllocateColour", position=player, colour="green")
            assert live.state["players"][str(player)]["colours"] == ["blue", "green"]

    played(scenario)


@pytest.mark.clause("skycity-adelaide-2003", "8(a)i")
def test_notice_shows_an_arrangement(tmp_path: Path) -> None:
    """The display is sent a second notice for part of the players without their names, and one row for all of them."""

    async def scenario() -> None:
        async with live_table(tmp_path, ADELAIDE, "A") as live:
            await live.prepare()
            one, two = await live.player("Seat 1", "blue", 100), await live.player("Seat 2", "green", 100)
            for player, markers in ((one, True), (two, False)):
                await live.harness.does(live.boss, "NotifyOfficer", subject="A", words="The Inspectorate was told.")
                await live.harness.passes(1)
                terms = {"positions": [player], "words": "Signed.", "markers": markers}
                await live.harness.does(live.boss, "ArrangeVip", table="A", **terms)
                if player == one:
                    (group,) = live.notice["arrangements"]
                    assert (group["arrangement"], group["clause"], len(live.notice["rows"])) == (1, "8(a)i", 8)
                    assert [(row["labels"], row["pays"], row["most"]) for row in group["rows"]] == [
                        (["straight up"], 35, 10_000)
                    ]
                    assert (group["marker"], live.state["notice"]["checked"]) == (
                        {"call": "neighbours", "least": 2_500},
                        False,
                    )
            assert [row["kinds"] for row in live.notice["rows"]] == [["straight"]]
            assert (live.notice["rules"][0]["rule"], live.notice["rules"][0]["clause"]) == ("straight-only", "8(a)i")
            assert [each["marker"] is None for each in live.notice["arrangements"]] == [False, True]
            assert not any("Seat 1" in str(each) for each in live.display.log)

    played(scenario)


def test_view_that_fails_ends_the_consoles_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bug in the view of a live table closes the consoles that see it, and the commit is published to all others."""

    async def scenario() -> None:
        async with live_table(tmp_path, ADELAIDE, "A") as live:
            table = live.harness.house.tables[TableId("A")]
            assert table.live is not None
            monkeypatch.setattr(live_views, "live_state", breaks)
            live.dealer.says("ask", command={"type": "SeatPlayer", "table": "A", "label": "one"})
            await live.dealer.hears("bye")
            assert len(table.live.players) == 1

    played(scenario)


def test_views_of_other_tables_are_empty(tmp_path: Path) -> None:
    """A table that is not live has no players, and one that was never settled has nothing to collect."""

    async def scenario() -> None:
        async with server_harness(tmp_path, SEVERAL) as harness:
            house = harness.house
            views = harness.open.venue.publisher.live_views
            assert (views.whole(TableId("S")), views.update(TableId("S"))) == (None, None)
            assert walk_state(house, TableId("S")) is None
            assert live_state(house, TableId("A")).players == {}
            assert isinstance(house.tables[TableId("A")].settings.live, LiveSettings)

    played(scenario)


def test_python_client_follows_a_live_table(tmp_path: Path) -> None:
    """The view of a Python client at a console has chips, payments and notice of a live table after every change."""

    async def scenario() -> None:
        async with live_table(tmp_path, ADELAIDE, "A") as live:
            at = server_address(live.harness.open.venue)
            async with AsyncClient(at, Enrolment(DeviceKind.LIVE_TABLE, "A")) as client:
                code = live.harness.open.venue.codes[PersonId("chief")]
                await client.control(SetPassword("chief", code, secret_of("chief")))
                await client.wait_for(lambda view: view.live is not None)
                await live.prepare()
                blue = await live.player("Seat 1", "blue", 300)
                await live.deal("OpenBets")
                await live.bets(blue, "blue", ("17", 2), ("5", 1))
                house = live.harness.house
                for step in (live.spin("17"), live.collects(), live.pays()):
                    await step
                    await client.wait_for(
                        lambda view: (
                            (view.live, view.walk) == (live_state(house, TableId("A")), walk_state(house, TableId("A")))
                        )
                    )
                assert client.view.notice == notice_state(house, TableId("A"))

    played(scenario)
