"""A table that waits, in a running server: pit, status, health and metrics say so without any further event."""

import json
from pathlib import Path
from typing import Final

from croupier.house.blockers import LONG_PAUSE, LONG_STEP_MAX, STEP_MAX
from croupier.house.ids import SECOND
from croupier.house.state.records import MalfunctionKind
from tests.support.connections import VENUE, Client, Said, TestHouse, open_house, played

#: A dealer opens and closes betting, spins the ball and enters the number.
BY_HAND: Final = VENUE.replace(
    '"random"\nbetting_s = 30\nwarning_s = 5\nspin_s = 8\npause_s = 5\n', '"keypad"\nwarning_s = 0\n'
)


def blocked_needs(said: Said) -> list[str]:
    return [each["what"] for each in said["set"].get("needs", ()) if each["kind"] == "blocked"]


async def reported(house: TestHouse, pit: Client, reason: str) -> None:
    """Assert that everything that reports the state of the house names the reason, and the pit hears of it."""
    said = await pit.hear("floor", lambda said: reason in blocked_needs(said))
    (row,) = said["set"]["tables"]["A"]["blocked"]
    assert row["reason"] == reason
    (table,) = house.venue.maintenance.status().tables
    (blocker,) = table.blocked
    assert (blocker.reason, blocker.remedy) == (reason, row["remedy"])
    (healthy,) = json.loads(house.venue.server.site.respond("/health").body)["blocked"]
    assert (healthy["reason"], healthy["remedy"]) == (reason, row["remedy"])
    metrics = house.venue.server.site.respond("/metrics").body.decode()
    assert f'croupier_table_blocked{{reason="{reason}",table="A"}} 1.0' in metrics.splitlines()


def healthy(house: TestHouse) -> bool:
    return not json.loads(house.venue.server.site.respond("/health").body)["blocked"]


def test_table_that_waits_is_reported_everywhere(tmp_path: Path) -> None:
    """Players wait a minute for a dealer who opens no round, and half a minute for one who does not spin the ball."""

    async def scenario() -> None:
        async with open_house(tmp_path, BY_HAND) as house:
            pit = await house.signed_in("manager", "pit", house.codes["manager"])
            dealer = await house.signed_in("dealer", "dealer", house.codes["dealer"])
            await house.seated()
            await house.pass_s(LONG_PAUSE / SECOND - 5)
            assert healthy(house)
            await house.pass_s(10)
            await reported(house, pit, "awaiting_open")

            assert await dealer.acked("OpenBets", table="A") == "done"
            await house.pass_s(1)
            await pit.hear("floor", lambda said: "needs" in said["set"] and not blocked_needs(said))
            assert await dealer.acked("CloseBets", table="A") == "done"
            await house.pass_s(STEP_MAX / SECOND - 5)
            assert healthy(house)
            await house.pass_s(10)
            await reported(house, pit, "awaiting_spin")
            pit.drain()
            # The time for betting without a timer is over as well, and no longer concerns the table.
            await house.pass_s(LONG_STEP_MAX / SECOND)
            assert not [said for said in pit.drain() if said["t"] == "floor"]

    played(scenario)


def test_console_that_connects_later_is_sent_it_too(tmp_path: Path) -> None:
    """A pit that connects while a table already waits is sent the blocker when the time is over."""

    async def scenario() -> None:
        async with open_house(tmp_path, BY_HAND) as house:
            await house.seated()
            await house.pass_s(30)
            pit = await house.signed_in("manager", "pit", house.codes["manager"])
            await house.pass_s(LONG_PAUSE / SECOND - 20)
            await reported(house, pit, "awaiting_open")

    played(scenario)


def test_terminal_with_a_case_is_reported(tmp_path: Path) -> None:
    """A terminal that a case keeps from playing is in status, health and metrics; the pit lists its case."""

    async def scenario() -> None:
        async with open_house(tmp_path, BY_HAND) as house:
            pit = await house.signed_in("inspector", "pit", house.codes["inspector"])
            await house.seated()
            raised = {"fault": MalfunctionKind.OPINION.value, "words": "The screen is black."}
            assert await pit.acked("RaiseMalfunction", terminal="A-1", **raised) == "done"
            await house.pass_s(1)
            said = await pit.hear("floor", lambda said: bool(said["set"].get("needs")))
            assert [(each["kind"], each["terminal"]) for each in said["set"]["needs"]] == [("case", "A-1")]

            (found,) = json.loads(house.venue.server.site.respond("/health").body)["blocked"]
            assert (found["terminal"], found["reason"]) == ("A-1", "terminal_case")
            (blocker,) = house.venue.maintenance.status().tables[0].blocked
            assert blocker.line.startswith("Terminal A-1 cannot play: The screen is black.")
            metrics = house.venue.server.site.respond("/metrics").body.decode().splitlines()
            assert 'croupier_terminals_blocked{reason="terminal_case",table="A"} 1.0' in metrics
            assert not any(line.startswith("croupier_table_blocked{") for line in metrics)

    played(scenario)
