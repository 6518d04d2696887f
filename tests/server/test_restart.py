"""Restarts over the wire: a house that died in the middle of a round comes back, and says what it did and by what."""

import re
from pathlib import Path
from typing import NamedTuple

import pytest

from croupier.house.ids import PersonId, TableId
from croupier.house.rounds.spinning import BallLaunched
from tests.support.connections import VENUE, played
from tests.support.server_harness import PageClient, ServerHarness, server_harness
from tests.support.wire.houses import ADELAIDE, CLEARWATER, DOUBLE_ZERO, MARINA

#: A round that closes by itself, whether or not the machine has launched the ball.
TIMED = CLEARWATER.replace("total_minimum = 2", "total_minimum = 2\nbetting_s = 20")
#: A table at which an interrupted round is void at once.
PROMPT = MARINA.replace("confirms = true", "confirms = true\nattest_s = 0", 1)
VOID = "The system was restarted: the round is void, and every stake went back."
STANDS = "The system was restarted: bets stand, two people may attest where the ball lay, and staff are notified."
WAITS = f"{STANDS[:-1]}; it waits for them until … UTC, and is void then."
RESPIN = "The system was restarted: the spin does not count, and the round goes on with another."


class Death(NamedTuple):
    """A house that dies in a phase of a round with a bet of 2; how it comes back, and by which clause."""

    text: str
    table: str
    dies: str
    wakes: str
    clause: str | None
    says: str | None


DEATHS = {
    "adelaide open": Death(ADELAIDE, "A", "open", "between", "11(b)i", VOID),
    "adelaide closed": Death(ADELAIDE, "A", "closed", "closed", "11(b)ii", STANDS),
    "adelaide running": Death(ADELAIDE, "A", "running", "running", "11(b)ii", STANDS),
    "adelaide drawn": Death(VENUE, "A", "running", "between", "11(b)iii", VOID),
    "marina open": Death(MARINA, "M", "open", "between", "5.13.1", VOID),
    "marina closed": Death(MARINA, "M", "closed", "suspended", "5.13.2", WAITS),
    "marina running": Death(MARINA, "M", "running", "suspended", "5.13.2", WAITS),
    "marina closed, prompt": Death(PROMPT, "M", "closed", "between", "5.13.1", VOID),
    "marina running, prompt": Death(PROMPT, "M", "running", "between", "5.13.1", VOID),
    "clearwater open": Death(TIMED, "C", "open", "between", "25", VOID),
    "clearwater closed": Death(TIMED, "C", "closed", "between", "25", VOID),
    "clearwater running": Death(TIMED, "C", "running", "between", "25", VOID),
    # Betting closes there only while the ball runs, and an open round simply goes on.
    "us open": Death(DOUBLE_ZERO, "U", "open", "open", None, None),
    "us running": Death(DOUBLE_ZERO, "U", "running", "open", "Rotation (3)", RESPIN),
}


async def plays_until(harness: ServerHarness, player: PageClient, death: Death) -> None:
    """Play a round up to a phase, with a bet of 2 in it."""
    table, dealer = death.table, await harness.staff("dealer", "dealer")
    drawn = death.text == VENUE
    if drawn:
        await harness.passes(6)
    else:
        await harness.does(dealer, "OpenBets", table=table)
    await harness.plays(player, "PlaceBets", table, bets=[["17", 200]])
    if drawn:
        await harness.passes(33)
    elif death.dies != "open":
        await _closes(harness, dealer, death)
    assert player.page.state(table)["phase"] == death.dies


async def _closes(harness: ServerHarness, dealer: PageClient, death: Death) -> None:
    spins = death.dies == "running"
    if death.table == "C":
        await harness.wheel(*([BallLaunched(TableId("C"))] if spins else []))
        await harness.passes(20)
        return
    if death.table == "U":
        await harness.does(dealer, "SpinBall", table="U")
    await harness.does(dealer, "CloseBets", table=death.table)
    await harness.passes(6)
    if spins and death.table != "U":
        await harness.does(dealer, "SpinBall", table=death.table)


@pytest.mark.parametrize("death", DEATHS.values(), ids=DEATHS)
def test_round_is_decided_by_the_rules_and_published(tmp_path: Path, death: Death) -> None:
    """A terminal comes back with its key, its table says what was done and by which clause, and its money is right."""

    async def scenario() -> None:
        async with server_harness(tmp_path, death.text) as harness:
            player = await harness.player(death.table)
            await plays_until(harness, player, death)
            harness.power_cut()
        async with server_harness(tmp_path, death.text) as harness:
            back = await harness.returns(player)
            await harness.check()
            state, seat, game = back.page.state(death.table), back.page.seat, back.page.game(death.table)
            notice = state.get("notice") or {"clause": None, "says": None}
            says = notice["says"] and re.sub(r"\d\d:\d\d:\d\d", "…", notice["says"])
            assert (state["phase"], notice["clause"], says) == (death.wakes, death.clause, death.says)
            kept = 0 if death.wakes == "between" else 200
            assert seat is not None
            assert (seat["credit"], game["staked"], sum(game["bets"].values())) == (100_000 - kept, kept, kept)
            assert game["sealed"] == (1 if kept and death.wakes != "open" else None)

    played(scenario)


@pytest.mark.parametrize("name", ["adelaide closed", "marina closed, prompt", "us running"])
def test_notice_stands_until_the_table_has_gone_on(tmp_path: Path, name: str) -> None:
    """What a restart did is shown until the round has gone on from there, or the next is closed."""
    death = DEATHS[name]

    async def scenario() -> None:
        async with server_harness(tmp_path, death.text) as harness:
            player = await harness.player(death.table)
            await plays_until(harness, player, death)
            codes = {each: harness.open.venue.codes[each] for each in map(PersonId, ("boss", "chief"))}
            harness.power_cut()
        async with server_harness(tmp_path, death.text) as harness:
            harness.open.venue.codes |= codes
            back, dealer = await harness.returns(player), await harness.staff("dealer", "dealer")
            boss, chief = await harness.staff("pit", "boss"), await harness.staff("pit", "chief")
            await harness.does(dealer, "SendMessage", terminals=[], words="We are back.")
            await harness.does(boss, "PrintRules", table=death.table)
            assert back.page.state(death.table)["notice"]["says"] == death.says
            if name == "adelaide closed":
                await harness.twice(boss, chief, "AttestResult", table="A", pocket="17", words="The camera has it.")
                assert back.page.state("A")["pocket"] == "17"
            elif name == "marina closed, prompt":
                await harness.does(dealer, "OpenBets", table="M")
                assert back.page.state("M")["notice"]["says"] == death.says
                await harness.does(dealer, "CloseBets", table="M")
            else:
                await harness.does(dealer, "SpinBall", table="U")
                await harness.does(dealer, "CloseBets", table="U")
            assert "notice" not in back.page.state(death.table)

    played(scenario)


def test_good_order_changes_no_screen(tmp_path: Path) -> None:
    """A house that was stopped between rounds shows every seat and table as it was, from its journal alone."""

    async def scenario() -> None:
        async with server_harness(tmp_path, MARINA) as harness:
            player, dealer = await harness.player("M"), await harness.staff("dealer", "dealer")
            await harness.does(dealer, "OpenBets", table="M")
            await harness.plays(player, "PlaceBets", "M", bets=[["17", 500], ["voisins", 100]])
            await harness.does(dealer, "CloseBets", table="M")
            await harness.spin("M", "17")
            await harness.does(dealer, "ConfirmResult", table="M", pocket="17")
        async with server_harness(tmp_path, MARINA) as harness:
            back = await harness.returns(player)

        assert back.page.seat == player.page.seat
        assert back.page.fixture == player.page.fixture
        assert back.page.state("M") == player.page.state("M")
        assert back.page.epoch > player.page.epoch

    played(scenario)
