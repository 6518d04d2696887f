"""Links at the wire: the house knows at once which terminals are there, and is told again what it could not hear."""

import asyncio
from collections import Counter
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

import pytest

from croupier.engine.ports import Request
from croupier.house.credit.notes import GrantPlayMoney
from croupier.house.floor.malfunctions import LineLossCleared
from croupier.house.floor.service import TerminalLost, TerminalReturned
from croupier.house.ids import SECOND, TerminalId
from croupier.rules.money import Cents
from croupier.server.connection import SWEEP_INTERVAL_US, Connection
from croupier.server.publisher import Publisher
from croupier.server.router import RETURN_MAX
from tests.support.blocked_disk import slow_commit
from tests.support.connections import VENUE, Client, TestHouse, held_up, open_house, played, until
from tests.support.slices import single_steps

#: One table with many seats.
CROWDED = VENUE.replace("seats = 3", "seats = 60")
ONE_ROUND = SWEEP_INTERVAL_US // SECOND


def offline(house: TestHouse) -> set[str]:
    return set(map(str, house.venue.run.house.offline))


async def gone(house: TestHouse, client: Client) -> None:
    """Close a page, and its connection."""
    client.transport.disconnect(graceful=False)
    await until(lambda: TerminalId(client.device) not in house.venue.publisher.seats)


def test_terminal_is_lost_and_back_at_once(tmp_path: Path) -> None:
    """The house hears of a line that is lost when it is lost, and of one that is back when it is back."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            player = await house.seated()
            await gone(house, player)
            await house.rest()
            assert offline(house) == {"A-1"}
            await (await house.client()).return_(player.device, player.key)
            await house.rest()
            assert offline(house) == set()
            await house.pass_s(3 * ONE_ROUND)
            reported = [type(event) for event in house.events if isinstance(event, TerminalLost | TerminalReturned)]
            assert reported == [TerminalLost, TerminalReturned]

    played(scenario)


def test_page_that_is_loaded_anew_while_the_house_is_busy_is_not_left_dark(tmp_path: Path) -> None:
    """A terminal that is back before the house has heard that it was lost is lit as soon as it has."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            other, player = await house.seated(), await house.seated(credit=0)
            again = await house.client()
            with held_up(house.venue.writer):
                player.say("practice")
                await player.ping()
                await gone(house, player)
                again.say("hello", screen="terminal", device=player.device, key=player.key)
                await again.hear("welcome")
            await until(lambda: len(house.happened(TerminalReturned)) == 1)
            assert offline(house) == set()
            assert len(house.happened(TerminalLost)) == 1
            assert (await other.ping())["t"] == "pong"

    played(scenario)


def test_line_that_is_lost_while_the_disk_is_slow_is_reported_in_order(tmp_path: Path) -> None:
    """A line that is lost while the disk holds the house up is on record as soon as the disk is done."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            other, player = await house.seated(credit=0), await house.seated()
            async with slow_commit(house, other):
                await gone(house, player)
            await house.rest()
            assert offline(house) == {player.device}

    played(scenario)


def test_terminals_with_money_that_do_not_come_back_after_a_start_are_lost(tmp_path: Path) -> None:
    """After a restart they have a moment to come back; then those with money on them count as lost, and no others."""

    async def scenario() -> list[Client]:
        async with open_house(tmp_path) as house:
            return [await house.seated(), await house.seated(), await house.seated(credit=0)]

    async def next_scenario(rich: Client, back: Client) -> None:
        async with open_house(tmp_path) as house:
            await (await house.client()).return_(back.device, back.key)
            await house.pass_s(RETURN_MAX // SECOND - 1)
            assert offline(house) == set()
            await house.pass_s(ONE_ROUND)
            assert offline(house) == {rich.device}
            await (await house.client()).return_(rich.device, rich.key)
            await house.rest()
            assert offline(house) == set()

    rich, back, _ = played(scenario)
    played(lambda: next_scenario(rich, back))


def test_terminal_that_was_dark_before_a_start_is_lit_when_it_is_back(tmp_path: Path) -> None:
    """What was lost in one run is found in the next."""

    async def scenario() -> Client:
        async with open_house(tmp_path) as house:
            player = await house.seated()
            await gone(house, player)
            await house.rest()
            return player

    async def next_scenario(player: Client) -> None:
        async with open_house(tmp_path) as house:
            assert offline(house) == {player.device}
            await (await house.client()).return_(player.device, player.key)
            await house.rest()
            assert offline(house) == set()

    player = played(scenario)
    played(lambda: next_scenario(player))


async def cut_off(house: TestHouse, count: int) -> list[Client]:
    """Seat so many players, and have all their lines cut at once for longer than the table is patient."""
    players = [await house.seated(credit=0) for _ in range(count)]
    for player in players:
        player.mute = True
        player.transport.disconnect(graceful=False)
    await until(lambda: not house.venue.publisher.seats)
    await house.pass_s(6)
    return players


def test_line_loss_is_cleared_for_all_at_once(tmp_path: Path) -> None:
    """Six players who lost their lines are told that they are out of service, and at one signature that they are in."""

    async def scenario() -> None:
        async with open_house(tmp_path, CROWDED) as house:
            inspector = await house.signed_in("inspector", "pit", house.codes["inspector"])
            players = await cut_off(house, 6)
            back = [await house.client() for _ in players]
            for again, player in zip(back, players, strict=True):
                snap = await again.return_(player.device, player.key)
                assert snap["seat"]["in_service"] is False
            await house.rest()
            # A connection that has just closed, which the house does not know yet.
            house.venue.publisher.unsubscribe(house.venue.publisher.seats[back.pop().device])
            assert await inspector.acked("ClearLineLoss", table="A", case=1) == "done"
            for again in back:
                said = await again.hear("seat", lambda said: "in_service" in said["set"])
                assert said["set"] == {"in_service": True, "out_of_service": None}
            assert len(house.happened(LineLossCleared)) == 1

    played(scenario)


@pytest.mark.parametrize("slow", [False, True])
def test_those_who_come_back_at_once_are_shown_a_few_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, slow: bool
) -> None:
    """Of seven snapshots asked for at once no more than a few are sent in one iteration of the loop, and all soon."""
    single_steps(monkeypatch)
    sent: list[int] = []

    async def scenario() -> None:
        async with open_house(tmp_path, CROWDED) as house:
            players = [await house.seated(credit=0) for _ in range(7)]
            await house.rest()
            iteration = count_iterations()
            real = Publisher._snap  # noqa: SLF001 - when it is called is the point

            def snap(self: Publisher, connection: Connection) -> None:
                sent.append(iteration())
                real(self, connection)

            monkeypatch.setattr(Publisher, "_snap", snap)
            with held_up(house.venue.writer) if slow else nullcontext():
                if slow:
                    players[0].say("practice")
                    await until(lambda: not house.venue.run.sequencer.consistent)
                for player in players:
                    house.venue.publisher.send_snapshot(house.venue.publisher.seats[player.device])
            await until(lambda: len(sent) == 7)
            # A batch that begins in this iteration has the rest wait until it is kept.
            house.venue.commit_loop.submit(Request(GrantPlayMoney(TerminalId(players[1].device), Cents(100))))
            for player in players:
                house.venue.publisher.send_snapshot(house.venue.publisher.seats[player.device])
            await until(lambda: len(sent) == 14)

    played(scenario)
    # The end of one budget and the beginning of the next may fall into one iteration.
    assert max(Counter(sent).values()) <= 4


def count_iterations() -> Callable[[], int]:
    """Tell in which iteration of the running loop one is."""
    loop, iterations = asyncio.get_running_loop(), [0]

    def tick() -> None:
        iterations[0] += 1
        loop.call_soon(tick)

    tick()
    return lambda: iterations[0]
