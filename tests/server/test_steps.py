"""Bounded steps: however many are in the house, one iteration of the event loop does only so much."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import msgspec
import pytest

from croupier.client import DeviceKey, session
from croupier.engine import sequencer
from croupier.engine.ports import Accepted, BatchFeed, BatchOutput, Publishing, Request
from croupier.house.credit.notes import GrantPlayMoney
from croupier.house.ids import SECOND, DeviceKind, TableId, TerminalId
from croupier.house.rounds.closing import CloseBets
from croupier.house.state.tables import BettingState, RoundStatus
from croupier.journal.pages import PageDraft
from croupier.protocol import inbound
from croupier.rules.money import Cents
from croupier.server.connection import MISSED_HEARTBEATS_MAX, ConnectionSweep
from croupier.server.views.floor import FLOOR_EVERY, CachedRows, floor
from tests.support.connections import VENUE, Client, TestHouse, open_house, played, until
from tests.support.server_harness import PageClient, server_harness
from tests.support.slices import single_steps
from tests.support.wire.houses import MARINA
from tests.support.wire.runs import connect_actors

A = TableId("A")
CROWDED = VENUE.replace("seats = 3", "seats = 7")


def published(house: TestHouse, *requests: Request) -> Iterator[int]:
    """Decide and commit a batch, and publish it step by step; tell how many frames were sent in each step."""
    run, figures = house.venue.run, house.venue.publisher.figures
    for request in requests:
        assert run.sequencer.submit(request) is None
    batch = run.sequencer.build_batch()
    run.sequencer.commit(batch)
    before = figures.frames
    for _ in run.sequencer.publishing(batch):
        assert not run.sequencer.consistent
        sent, before = figures.frames - before, figures.frames
        yield sent
    assert run.sequencer.consistent
    yield figures.frames - before


def credited(player: Client) -> Request:
    """A command of the house's own that changes one seat."""
    return Request(GrantPlayMoney(TerminalId(player.device), Cents(100)))


def test_whole_seats_are_sent_one_at_a_time(tmp_path: Path) -> None:
    """What changes at every seat is sent to one seat in a step, and to each seat once."""

    async def scenario() -> None:
        async with open_house(tmp_path, CROWDED) as house:
            players = [await house.seated() for _ in range(7)]
            for player in players:
                player.drain()
            assert list(published(house, *map(credited, players))) == [*[1] * 7, *[0] * 8]
            for player in players:
                await player.ping()
                assert [said["t"] for said in player.drain()] == ["seat"]

    played(scenario)


def test_table_is_sent_a_few_at_a_time(tmp_path: Path) -> None:
    """A frame that all receive is sent to one connection in a step; one that closes meanwhile harms nobody."""

    async def scenario() -> None:
        async with open_house(tmp_path, CROWDED) as house:
            players = [await house.seated() for _ in range(5)]
            await house.pass_s(6)
            for player in players:
                await player.ping()
                player.drain()
            connection = house.venue.publisher.seats[players[4].device]
            steps = published(house, Request(CloseBets(A)))
            # The warning to all five; the close is a timer's.
            assert next(steps) == 5
            house.venue.publisher.unsubscribe(connection)
            await players[4].ping()
            assert sum(steps) == 0
            for player in players[:4]:
                await player.ping()
                assert [said["t"] for said in player.drain()] == ["table"]

    played(scenario)


def test_round_is_played_in_the_smallest_steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With one step in every slice each page shows after each action what a new snapshot would."""
    single_steps(monkeypatch)

    async def scenario() -> None:
        async with server_harness(tmp_path, MARINA) as harness:
            pit = await connect_actors(harness, "M")
            await harness.does(pit.dealer, "OpenBets", table="M")
            await harness.plays(pit.one, "PlaceBets", "M", bets=[["17", 500]])
            await harness.misplays(pit.two, "stake_over_maximum", "PlaceBets", "M", bets=[["17", 50_000_000]])
            await harness.does(pit.dealer, "CloseBets", table="M")
            await harness.does(pit.dealer, "SpinBall", table="M")

    played(scenario)


def test_who_comes_between_two_steps_is_shown_after_the_last(tmp_path: Path) -> None:
    """A snapshot that is asked for while a batch is published is sent after the last step of it."""

    async def scenario() -> None:
        async with open_house(tmp_path, CROWDED) as house:
            players = [await house.seated() for _ in range(3)]
            for player in players:
                player.drain()
            steps = published(house, *map(credited, players))
            next(steps)
            for player in players:
                player.say("resync")
                await player.ping()
            assert [len(player.drain()) for player in players] == [1, 0, 0]
            list(steps)
            for player in players:
                await player.ping()
            assert [[said["t"] for said in player.drain()] for player in players] == [
                ["snap"],
                ["seat", "snap"],
                ["seat", "snap"],
            ]

    played(scenario)


def test_batches_go_to_every_subscriber() -> None:
    """A subscriber that publishes at once and one that takes steps get each batch, in the order of subscription."""
    feed, seen = BatchFeed(), list[str]()

    def in_steps(_batch: BatchOutput) -> Publishing:
        for name in ("first step", "second step"):
            seen.append(name)
            yield

    feed.subscribe(lambda _: seen.append("at once"), in_steps)
    steps = feed.publish(BatchOutput(PageDraft(1, 1), []))
    next(steps)
    assert seen == ["at once", "first step"]
    assert len(list(steps)) == 1
    assert seen == ["at once", "first step", "second step"]


def test_connections_are_admitted_a_few_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of five that return at once one is admitted in an iteration; what each sends meanwhile is handled after that."""
    single_steps(monkeypatch)

    async def scenario() -> None:
        async with open_house(tmp_path, CROWDED) as house:
            players = [await house.seated() for _ in range(5)]
            again = [await house.client() for _ in players]
            venue = house.venue.router
            connections = [each for each in venue.connections if each.device_kind is None]
            players[3].key = "another key"
            for connection, player in zip(connections, players, strict=True):
                hello = session.hello(DeviceKey(DeviceKind.TERMINAL, player.device, player.key))
                venue.received(connection, hello)
                venue.received(connection, inbound.Resync())
            assert [each.greeted for each in connections] == [True, False, False, False, False]
            venue.disconnected(connections[2], None)
            greeted = set[int]()
            while not connections[4].greeted:
                await asyncio.sleep(0)
                now = {number for number, each in enumerate(connections) if each.greeted}
                assert len(now - greeted) <= 1 + (0 in now - greeted)
                greeted |= now
            assert greeted == {0, 1, 3, 4}
            for client in (again[0], again[4]):
                await client.ping()
                # One snapshot is the answer to both, where the second was asked for before the first was sent.
                assert [said["t"] for said in client.drain()] == ["welcome", "snap"]
            assert (await again[3].hear("bye"))["refusal"]["code"] == "unknown_device"
            connections[2].abort()
            await again[2].end()

    played(scenario)


def test_lost_connections_are_noted_a_few_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of five connections that end at once one is noted in an iteration; one that is back by then is not lost."""

    async def scenario() -> None:
        async with open_house(tmp_path, CROWDED) as house:
            players = [await house.seated() for _ in range(5)]
            await house.rest()
            seats = house.venue.publisher.seats
            connections = [seats[player.device] for player in players]
            single_steps(monkeypatch)
            for connection in connections:
                connection.is_open = False
                house.venue.router.disconnected(connection, None)
            assert len(seats) == 4
            back = await house.client()
            await back.return_(players[4].device, players[4].key)
            await house.rest()
            assert list(seats) == [players[4].device]
            assert len(house.venue.run.house.offline) == 4
            for connection, player in zip(connections, players, strict=True):
                connection.abort()
                await player.end()

    played(scenario)


def test_silent_connections_are_closed_a_few_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of five terminals that are silent at once one is closed in an iteration of the loop, and none that has left."""

    async def scenario() -> None:
        async with open_house(tmp_path, CROWDED) as house:
            players = [await house.seated() for _ in range(5)]
            connections = [house.venue.publisher.seats[player.device] for player in players]
            for connection in connections:
                connection.silent = MISSED_HEARTBEATS_MAX
            sweep = ConnectionSweep(house.venue.router.connections, house.venue.router.time, house.venue.router.slicer)
            single_steps(monkeypatch)
            sweep.run()
            assert [each.is_open for each in connections] == [False, True, True, True, True]
            house.venue.router.connections.pop(connections[4])
            await until(lambda: not connections[3].is_open)
            for _ in range(5):
                await asyncio.sleep(0)
            assert [each.is_open for each in connections] == [False, False, False, False, True]
            house.venue.router.opened(connections[4])
            for player in players[:4]:
                assert (await player.hear("bye"))["refusal"]["code"] == "silent"

    played(scenario)


def test_events_of_a_large_table_are_steps_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At a large table the decision to close and its seal are two steps, with nothing decided between them."""
    monkeypatch.setattr(sequencer, "LARGE_TABLE", 2)

    async def scenario() -> None:
        async with open_house(tmp_path, CROWDED.replace("warning_s = 5", "warning_s = 0")) as house:
            player = await house.seated()
            await house.pass_s(6)
            run = house.venue.run
            first = run.writer.head.position + 1
            run.sequencer.submit(Request(CloseBets(A)))
            run.sequencer.submit(credited(player))
            steps = run.sequencer.building()
            next(steps)
            round_ = run.house.tables[A].playing
            assert (round_.betting, round_.sealed, run.sequencer.queued) == (BettingState.CLOSED, None, 1)
            next(steps)
            assert round_.sealed is not None
            assert (round_.layouts, run.sequencer.queued) == ({}, 1)
            next(steps)
            assert run.sequencer.queued == 0
            with pytest.raises(StopIteration) as built:
                next(steps)
            batch = built.value.value
            run.sequencer.commit(batch)
            run.sequencer.publish(batch)
            outcomes = [each.outcome for each in batch.output.responses]
            assert outcomes == [Accepted(first, first + 1), Accepted(first + 2, first + 2)]
            assert [entry.position for entry in batch.output.entries] == [first, first + 1, first + 2]

    played(scenario)


def test_round_of_a_large_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where every table is large, one command is decided and one event applied in a step, a round is played."""
    monkeypatch.setattr(sequencer, "LARGE_TABLE", 0)
    single_steps(monkeypatch)

    async def scenario() -> None:
        async with server_harness(tmp_path, CROWDED) as harness:
            players = [await harness.player("A") for _ in range(3)]
            await harness.passes(6)
            for player in players:
                await harness.plays(player, "PlaceBets", "A", bets=[["17", 500]])
            await harness.passes(60)
            [over] = [each for each in harness.house.tables[A].past if each.number == 1]
            assert over.status is RoundStatus.SETTLED
            assert len(over.paid) == len(players)
        async with server_harness(tmp_path, CROWDED) as harness:
            assert harness.open.venue.run.recovered.replayed == 0

    played(scenario)


def test_commands_are_decided_one_in_each_step(tmp_path: Path) -> None:
    """Of five commands in a batch each is a step, after which there may be a pause; all are one batch."""

    async def scenario() -> None:
        async with open_house(tmp_path, CROWDED) as house:
            players = [await house.seated() for _ in range(5)]
            run = house.venue.run
            for player in players:
                run.sequencer.submit(credited(player))
            steps = run.sequencer.building()
            left = [run.sequencer.queued for _ in islice(steps, 5)]
            with pytest.raises(StopIteration) as built:
                next(steps)
            batch = built.value.value
            assert (left, len(batch.output.entries)) == ([4, 3, 2, 1, 0], 5)
            run.sequencer.commit(batch)
            run.sequencer.publish(batch)

    played(scenario)


# The staff feed.


@contextmanager
def counted_rows(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Count the rows of seats that are encoded at a time."""
    counts: list[int] = []
    real = CachedRows.refresh

    def refresh(self: CachedRows, table: TableId) -> Iterator[None]:
        counts.append(0)
        for _ in real(self, table):
            counts[-1] += 1
            yield

    with monkeypatch.context() as within:
        within.setattr(CachedRows, "refresh", refresh)
        yield counts


async def until_floor(client: PageClient) -> dict[str, object]:
    return dict((await client.hears("floor"))["set"])


def test_rows_are_built_a_few_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rows of the seats that changed are built one at a time, once for all consoles, and no others are sent."""
    single_steps(monkeypatch)

    async def scenario() -> None:
        async with server_harness(tmp_path, CROWDED) as harness:
            players = [await harness.player("A") for _ in range(5)]
            consoles = [await harness.staff("pit", "manager"), await harness.staff("dealer", "dealer")]
            await harness.passes(6)
            with counted_rows(monkeypatch) as counts:
                for player in players[:3]:
                    await player.plays("PlaceBets", "A", bets=[["17", 500]])
                await harness.open.pass_s(FLOOR_EVERY / SECOND)
                for client in consoles:
                    tables = (await until_floor(client))["tables"]
                    assert isinstance(tables, dict)
                    rows = tables["A"]["seats"]
                    assert {row["terminal"]: row["staked"] for row in rows} == {
                        player.device: 500 for player in players[:3]
                    }
                assert sum(counts) == 3
            await harness.check()

    played(scenario)


def test_snapshot_of_a_console_is_prepared_in_steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rows for the snapshot of a console are built one at a time, and the snapshot has all of them."""
    single_steps(monkeypatch)

    async def scenario() -> None:
        async with server_harness(tmp_path, CROWDED) as harness:
            await harness.passes(6)
            with counted_rows(monkeypatch) as counts:
                pit = await harness.staff("pit", "manager")
                # Five seats of A, and two of others.
                assert sum(counts) == len(harness.house.positions)
            assert pit.page.floor == as_said(
                floor(harness.house, DeviceKind.PIT, harness.house.tables, harness.open.venue.facts())
            )
            await harness.check()

    played(scenario)


def test_snapshot_of_a_console_does_not_wait_for_rows_that_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where every row has changed again before the next step, a console gets its snapshot after as many steps."""
    single_steps(monkeypatch)
    real = CachedRows.refresh

    async def scenario() -> None:
        async with server_harness(tmp_path, CROWDED) as harness:

            def refresh(rows: CachedRows, table: TableId) -> Iterator[None]:
                for _ in real(rows, table):
                    for terminal in harness.house.tables[table].terminals:
                        rows.touch(table, terminal)
                    yield

            await harness.passes(6)
            with monkeypatch.context() as within:
                within.setattr(CachedRows, "refresh", refresh)
                pit = await harness.staff("pit", "manager")
                assert pit.page.floor is not None

    played(scenario)


def test_floor_in_steps_is_the_floor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the smallest steps, with batches between them, consoles end up with the floor as it is built at once."""
    single_steps(monkeypatch)

    async def scenario() -> None:
        async with server_harness(tmp_path, MARINA) as harness:
            pit = await connect_actors(harness, "M")
            await harness.does(pit.dealer, "OpenBets", table="M")
            for spot in ("17", "18", "19", "20"):
                await pit.one.plays("PlaceBets", "M", bets=[[spot, 500]])
                harness.open.time.ring_next(harness.open.time.at_us + FLOOR_EVERY)
            await harness.passes(1)
            facts = harness.open.venue.facts()
            for client, kind in ((pit.boss, DeviceKind.PIT), (pit.dealer, DeviceKind.DEALER)):
                whole = floor(harness.house, kind, harness.house.tables, facts)
                assert client.page.floor == as_said(whole)

    played(scenario)


def test_console_that_is_shown_all_meanwhile_is_not_sent_less(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A console that gets a snapshot while a delta is on its way gets no older rows after it."""
    single_steps(monkeypatch)

    async def scenario() -> None:
        async with server_harness(tmp_path, CROWDED) as harness:
            player = await harness.player("A")
            boss, dealer = await harness.staff("pit", "manager"), await harness.staff("dealer", "dealer")
            await harness.passes(6)
            await player.plays("PlaceBets", "A", bets=[["17", 500]])
            harness.open.time.ring_next(harness.open.time.at_us + FLOOR_EVERY)
            feed = harness.open.venue.publisher
            feed.send_snapshot(feed.consoles[boss.device])  # type: ignore[index]
            await dealer.hears("floor")
            await boss.connection.ping()
            kinds = [frame["t"] for frame in boss.read()]
            assert kinds[-1] == "snap"
            await harness.check()

    played(scenario)


def test_nothing_is_sent_where_nothing_changed(tmp_path: Path) -> None:
    """A bet changes nothing at the cashier's: no frame is sent there, and the pit's names only what has changed."""

    async def scenario() -> None:
        async with server_harness(tmp_path, CROWDED) as harness:
            player = await harness.player("A")
            boss, cashier = await harness.staff("pit", "manager"), await harness.staff("cashier", "cashier")
            await harness.passes(6)
            for spot in ("17", "18"):
                sent = len(cashier.log)
                await player.plays("PlaceBets", "A", bets=[[spot, 500]])
                await harness.settled()
            assert set(boss.log[-1]["set"]) == {"tables"}
            assert cashier.log[sent:] == []
            await harness.check()

    played(scenario)


def test_rows_are_forgotten_where_nobody_sees_them(tmp_path: Path) -> None:
    """When the last console has left, no row is built any more; the next console sees the floor as it is then."""

    async def scenario() -> None:
        async with server_harness(tmp_path, CROWDED) as harness:
            player = await harness.player("A")
            boss = await harness.staff("pit", "manager")
            await harness.passes(6)
            await harness.leaves(boss)
            await player.plays("PlaceBets", "A", bets=[["17", 500]])
            await harness.settled()
            again = await harness.connect("pit", join="")
            await again.signs_in("manager", None)
            assert again.page.floor is not None
            [row] = [each for each in again.page.floor["tables"]["A"]["seats"] if each["terminal"] == player.device]
            assert row["staked"] == 500
            await harness.check()

    played(scenario)


def test_no_row_is_built_for_those_who_see_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where only a cashier and a board are connected, no row is built."""

    async def scenario() -> None:
        async with server_harness(tmp_path, CROWDED) as harness:
            player = await harness.player("A")
            await harness.staff("cashier", "cashier")
            await harness.connect("board", join="")
            await harness.passes(6)
            with counted_rows(monkeypatch) as counts:
                await player.plays("PlaceBets", "A", bets=[["17", 500]])
                await harness.check()
            assert counts == []

    played(scenario)


def test_row_that_cannot_be_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a row cannot be built the consoles end, and players notice nothing."""

    async def scenario() -> None:
        async with server_harness(tmp_path, CROWDED) as harness:
            player, boss = await harness.player("A"), await harness.staff("pit", "manager")
            await harness.passes(6)

            def breaks(*_: object) -> None:
                raise ArithmeticError

            with monkeypatch.context() as within:
                within.setattr("croupier.server.views.floor.below_minimum", breaks)
                assert await player.plays("PlaceBets", "A", bets=[["17", 500]]) is None
                await harness.open.pass_s(1)
                assert (await boss.hears("bye"))["refusal"]["code"] == "view_failed"
            assert await player.plays("PlaceBets", "A", bets=[["18", 500]]) is None

    played(scenario)


def as_said(state: object) -> object:
    return msgspec.json.decode(msgspec.json.encode(state))
