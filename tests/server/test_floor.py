"""The floor over the wire: each console is told what it is for, and a dealer is led through the round."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from croupier.house.ids import TableId
from croupier.house.rounds.results import BallAtRest
from croupier.house.rounds.spinning import BallLaunched
from croupier.protocol import inbound
from croupier.rules.geometry import POCKETS, Pocket
from croupier.server.views.floor import INCIDENTS_MAX, NEEDS_MAX
from tests.support.connections import played
from tests.support.server_harness import PageClient, ServerHarness, server_harness
from tests.support.wire.houses import ADELAIDE, CLEARWATER, DOUBLE_ZERO, MARINA
from tests.support.wire.runs import Actors, connect_actors, held_wins

DEBTS = ("debts", "debts_more")
INCIDENTS = ("incidents", "incidents_more")
HOLDS = ("holds", "holds_more")
REPORTED = {
    "dealer": {"tables", *INCIDENTS, "proposals", "devices", "terms"},
    "pit": {
        "tables",
        *INCIDENTS,
        "proposals",
        "devices",
        "drawers",
        "terms",
        "rulebooks",
        *HOLDS,
        "needs",
        "needs_more",
        *DEBTS,
    },
    "cashier": {"proposals", "drawers", *HOLDS, *DEBTS},
    "auditor": {"tables", *INCIDENTS, "proposals", "devices", "drawers", "terms", *HOLDS, *DEBTS},
}


def table_of(client: PageClient, table: str) -> dict[str, Any]:
    assert client.page.floor is not None
    reported: dict[str, Any] = client.page.floor["tables"][table]
    return reported


def next_of(client: PageClient, table: str) -> dict[str, Any]:
    [step] = [each for each in table_of(client, table)["steps"] if each["next"]]
    return dict(step)


def test_each_console_is_sent_what_it_is_for(tmp_path: Path) -> None:
    """What a table takes and may lose is for pit and auditor, the steps for the dealer, and needs for the pit."""

    async def scenario() -> None:
        async with server_harness(tmp_path, ADELAIDE) as harness:
            pit = await connect_actors(harness, "A")
            await harness.does(pit.dealer, "OpenBets", table="A")
            await harness.plays(pit.one, "PlaceBets", "A", bets=[["17", 500]])
            staff = (pit.dealer, pit.boss, pit.cashier, *(each for each in harness.clients if each.kind == "auditor"))
            for client in staff:
                assert client.page.floor is not None
                assert client.page.floor.keys() == REPORTED[client.kind], client.kind
            assert table_of(pit.dealer, "A")["takings"] is None
            assert table_of(pit.dealer, "A")["exposure"] is None
            assert table_of(pit.dealer, "A")["equipment"] is None
            for client in (pit.boss, staff[-1]):
                reported = table_of(client, "A")
                assert reported["steps"] is None
                assert (reported["exposure"]["most"], reported["exposure"]["worst"]) == (18_000, ["17"])
                assert reported["takings"]["rounds"] == 0
                assert (reported["equipment"]["head"], reported["equipment"]["ball_least"]) == ("", 17_000)
            assert pit.boss.page.floor is not None
            [book] = pit.boss.page.floor["rulebooks"]
            assert book["digest"] == pit.boss.page.floor["terms"]["A"]["now"]["digest"]
            assert book["titles"]["ChangeSettings"] == ["Shift Manager"]
            assert "PlaceBets" not in book["titles"]
            for client in (pit.one, *(each for each in harness.clients if each.kind == "board")):
                assert client.page.floor is None

    played(scenario)


@pytest.mark.clause("clearwater-etg", "4")
def test_display_reports_what_it_shows(tmp_path: Path) -> None:
    """A display that shows another number than the result raises an incident at the pit; a terminal may not report."""

    async def scenario() -> None:
        async with server_harness(tmp_path, CLEARWATER) as harness:
            pit = await connect_actors(harness, "C")
            await follows(harness, pit, "C")
            (board,) = [each for each in harness.clients if each.kind == "board"]
            board.connection.say("displayed", table="C", round=1, number="17")
            pit.one.connection.say("displayed", table="C", round=1, number="20")
            await harness.open.rest()
            assert not harness.house.incidents.all
            board.connection.say("displayed", table="C", round=1, number="20")
            await harness.open.rest()
            (incident,) = harness.house.incidents.all.values()
            assert (incident.kind.value, incident.clause, incident.facts.pocket) == ("display_differs", "4", "20")

    played(scenario)


@pytest.mark.parametrize("pocket", POCKETS)
def test_display_reports_any_number(pocket: Pocket) -> None:
    """A display can report each number that a wheel may have, and no longer text."""
    frame = {"t": "displayed", "table": "C", "round": 1, "number": pocket}
    assert inbound.decode(msgspec.json.encode(frame)) == inbound.Displayed("C", 1, pocket)
    with pytest.raises(msgspec.DecodeError):
        inbound.decode(msgspec.json.encode(frame | {"number": "0000"}))


async def follows(harness: ServerHarness, pit: Actors, table: str) -> list[str]:
    """Do what is next at a table until its round is over; name the steps in the order in which they were next."""
    led: list[str] = []
    while not led or next_of(pit.dealer, table)["step"] != "open":
        step = next_of(pit.dealer, table)
        led.append(f"{step['step']} {step['by']}")
        if step["by"] == "dealer":
            command = dict(step["command"]) | dict.fromkeys(step["asks"], "17")
            await harness.does(pit.dealer, command.pop("type"), **command)
            if step["step"] == "open":
                await harness.plays(pit.one, "PlaceBets", table, bets=[["17", 200]])
        elif step["step"] == "spin":
            await harness.wheel(BallLaunched(TableId(table), opposite=True, turning=True))
        elif step["step"] == "number":
            await harness.wheel(BallAtRest(TableId(table), Pocket("17"), revolutions=9, opposite=True))
        else:
            await harness.passes(6)
        assert len(led) < 10
    return led


LED = [
    (MARINA, "M", ["open dealer", "close dealer", "spin dealer", "number wheel", "confirm dealer"]),
    (ADELAIDE, "A", ["open dealer", "warn dealer", "close auto", "spin dealer", "number wheel", "confirm dealer"]),
    (CLEARWATER, "C", ["open dealer", "spin wheel", "close auto", "number wheel"]),
    (DOUBLE_ZERO, "U", ["open dealer", "spin dealer", "close dealer", "number wheel", "confirm dealer"]),
]


@pytest.mark.parametrize(("venue", "table", "wanted"), LED, ids=["MBS", "Adelaide", "Clearwater", "US"])
def test_dealer_is_led_through_a_round(tmp_path: Path, venue: str, table: str, wanted: list[str]) -> None:
    """A dealer who does what the console has as next plays a round to its end, in the venue's own order."""

    async def scenario() -> None:
        async with server_harness(tmp_path, venue) as harness:
            pit = await connect_actors(harness, table)
            assert await follows(harness, pit, table) == wanted
            assert pit.one.page.state(table)["pocket"] == "17"
            taken = table_of(pit.boss, table)["takings"]
            assert (taken["rounds"], taken["played"], taken["held"]) == (1, 200, -7_000)
            assert taken["low"] < taken["expected"] < taken["high"]

    played(scenario)


def test_lamp_is_lit_once_bets_are_sealed_and_kept(tmp_path: Path) -> None:
    """It is safe to spin from the seal until the ball runs, and never while bets can change."""

    async def scenario() -> None:
        async with server_harness(tmp_path, MARINA) as harness:
            pit = await connect_actors(harness, "M")
            lamp = [table_of(pit.dealer, "M")["safe_to_spin"]]
            for command in ("OpenBets", "CloseBets", "SpinBall"):
                await harness.does(pit.dealer, command, table="M")
                lamp.append(table_of(pit.dealer, "M")["safe_to_spin"])
            assert lamp == [False, False, True, False]

    played(scenario)


def test_pit_sends_what_it_is_offered(tmp_path: Path) -> None:
    """A referral is decided with the very command that the pit was offered, and is then no need any more."""

    async def scenario() -> None:
        async with server_harness(tmp_path, ADELAIDE) as harness:
            pit = await connect_actors(harness, "A")
            await harness.does(pit.dealer, "OpenBets", table="A")
            await harness.does(pit.dealer, "ReferRound", table="A", words="Somebody shouted.")
            assert pit.boss.page.floor is not None
            need = pit.boss.page.floor["needs"][0]
            assert (need["kind"], need["table"], need["clause"]) == ("suspended", "A", "12(i)")
            void = next(each for each in need["actions"] if each["label"] == "void")
            assert void["asks"] == ["words"]
            command = dict(void["command"]) | {"words": "It was something."}
            await harness.does(pit.boss, command.pop("type"), **command)
            assert [each["kind"] for each in pit.boss.page.floor["needs"]] == ["incident"]

    played(scenario)


def test_list_of_needs_is_bounded(tmp_path: Path) -> None:
    """Of very many things that wait the first are listed, and how many more there are is told."""

    async def scenario() -> None:
        async with server_harness(tmp_path, ADELAIDE) as harness:
            pit = await connect_actors(harness, "A")
            for number in range(NEEDS_MAX + 2):
                await pit.boss.asks("NoteIncident", subject="A", words=f"Note {number}.")
            await harness.check()
            assert pit.boss.page.floor is not None
            assert len(pit.boss.page.floor["needs"]) == NEEDS_MAX
            assert pit.boss.page.floor["needs_more"] == 2
            for client in (pit.boss, pit.dealer):
                assert client.page.floor is not None
                incidents = [each["words"] for each in client.page.floor["incidents"]]
                assert incidents == [f"Note {number}." for number in range(2, INCIDENTS_MAX + 2)]
                assert client.page.floor["incidents_more"] == 2

    played(scenario)


def test_held_win_is_listed_where_it_is_paid(tmp_path: Path) -> None:
    """A win that awaits its form is on the cashier's and the pit's list, and its form never is."""

    async def scenario() -> None:
        async with server_harness(tmp_path, CLEARWATER) as harness:
            pit = await held_wins(harness)
            for client in (pit.cashier, pit.boss):
                assert client.page.floor is not None
                [hold] = client.page.floor["holds"]
                assert (hold["amount"], hold["form"], hold["clause"], hold["recorded"]) == (
                    180_000,
                    "W2-G",
                    "22",
                    False,
                )
            form = {"terminal": pit.one.device, "hold": 1, "patron": "A. Patron", "form_number": "7"}
            await harness.does(pit.cashier, "RecordTaxForm", **form)
            assert pit.cashier.page.floor is not None
            assert pit.cashier.page.floor["holds"][0]["recorded"] is True
            assert "A. Patron" not in str(pit.cashier.log)

    played(scenario)


def test_held_wins_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of very many held wins a console lists the first, and says how many more there are."""
    monkeypatch.setattr("croupier.server.views.floor.HOLDS_MAX", 1)

    async def scenario() -> None:
        async with server_harness(tmp_path, CLEARWATER) as harness:
            pit = await held_wins(harness, players=2)
            for client in (pit.cashier, pit.boss):
                assert client.page.floor is not None
                assert len(client.page.floor["holds"]) == 1
                assert client.page.floor["holds_more"] == 1

    played(scenario)
