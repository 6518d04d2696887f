"""The wire's limits: whoever does not read, floods or falls silent is dealt with alone, and nothing piles up."""

import ast
import socket
from pathlib import Path

from benchmarks.frames import PING

from croupier.house.floor.service import TerminalLost, TerminalReturned
from croupier.house.ids import SECOND, TableId, TerminalId
from croupier.rules.geometry import SpotKey
from croupier.rules.refusal import Code, Refusal, refuse
from croupier.server import connection
from croupier.server import connection as limits
from croupier.server.connection import (
    EXCESS_MESSAGES_MAX,
    MISSED_HEARTBEATS_MAX,
    NO_HELLO,
    SEND_BUFFER_BYTES_MAX,
    SLOW_READER_MAX_US,
    SWEEP_INTERVAL_US,
    BetsRow,
    WebSocketConnection,
)
from croupier.server.listener import FRAME_BYTES_MAX
from tests.support.blocked_disk import slow_commit
from tests.support.connections import VENUE, TestHouse, open_house, played, refused_in, until
from tests.support.rawline import RawLine, frame, open_line, said

ONE_ROUND = SWEEP_INTERVAL_US // SECOND
#: A house whose clients may send twenty messages a second, and forty at once.
PACED = VENUE.replace("commands_per_s = 1_000, commands_burst = 1_000", "commands_per_s = 20, commands_burst = 40")
FREE = VENUE.replace("commands_per_s = 1_000, commands_burst = 1_000", "commands_per_s = 9_999, commands_burst = 9_999")
#: More than any line holds that was made thin.
MANY = 400
ROW = BetsRow(1, 1, 0, TableId("A"), (SpotKey("17"),), (500,), 500)


def waiting(connection: WebSocketConnection) -> int:
    """How much waits to be sent over a connection."""
    return int(connection.transport.underlying_transport.get_write_buffer_size())


async def thin(house: TestHouse, line: RawLine) -> WebSocketConnection:
    """Sit down on a line with a tiny buffer, so that all else waits at the connection."""
    line.send(said("hello", screen="terminal", join="", table="A"))
    await line.reported("snap")
    line.stop_reading()
    connection = house.venue.publisher.seats[TerminalId("A-1")]
    assert isinstance(connection, WebSocketConnection)
    connection.transport.underlying_transport.get_extra_info("socket").setsockopt(
        socket.SOL_SOCKET, socket.SO_SNDBUF, 1
    )
    return connection


async def falls_behind(line: RawLine, connection: WebSocketConnection) -> None:
    """Ask for one snapshot after another until they wait to be read: those of one iteration of the loop are one."""
    requested = connection.version

    def answered() -> bool:
        return connection.version >= requested or connection.behind_since is not None

    while connection.behind_since is None and requested < MANY:
        requested += 1
        line.send(said("resync"))
        await until(answered)
    assert connection.behind_since is not None


def test_slow_reader_falls_behind_and_is_caught_up_with_a_snapshot(tmp_path: Path) -> None:
    """What it does not read waits up to a limit and no further; when it reads again it gets a snapshot, and goes on."""

    async def scenario() -> None:
        async with open_house(tmp_path, FREE) as house, open_line(house.port, window=4_096) as line:
            connection = await thin(house, line)
            await falls_behind(line, connection)
            waited = waiting(connection)
            connection.send_bets(ROW)
            assert waiting(connection) == waited
            most = SEND_BUFFER_BYTES_MAX + FRAME_BYTES_MAX
            other = await house.seated()
            for _ in range(5):
                line.send(*[said("resync")] * MANY, *[frame(b"x" * 125, PING)] * MANY)
                number = other.ask("ChooseDenomination", terminal=other.device, denomination=1)
                await other.answered(number)
                assert waiting(connection) <= most
            # All that is said while it is behind is answered by one snapshot.
            line.read_on()
            reported = [await line.reported("snap")]
            while reported[-1]["v"] != connection.version:
                reported.append(await line.reported("snap"))
            assert len(reported) < MANY
            line.send(said("ping", c=7))
            assert (await line.reported("pong"))["c"] == 7
            connection.abort()
            await until(lambda: not connection.is_open)
            connection.send_bets(ROW)

    played(scenario)


def test_slow_reader_that_misses_nothing_gets_no_snapshot(tmp_path: Path) -> None:
    """A line that was full for a moment goes on where it was if there was nothing to tell, or nobody is signed in."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            client = await house.seated()
            connection = house.venue.publisher.seats[TerminalId(client.device)]
            version = connection.version
            connection.pause_writing()
            connection.resume_writing()
            assert connection.version == version
            connection.pause_writing()
            connection.send_frame(b"{}")
            connection.resume_writing()
            assert connection.version == version + 1
            await client.hear("snap")
            console = await house.console("pit")
            unsigned = next(each for each in house.venue.router.connections if each.device == console.device)
            unsigned.pause_writing()
            unsigned.send_frame(b"{}")
            unsigned.resume_writing()
            await console.ping()
            assert console.drain() == []
            # A connection that is closed may still write what is buffered: nothing follows that.
            version = connection.version
            connection.pause_writing()
            connection.send_frame(b"{}")
            connection.close(NO_HELLO)
            connection.resume_writing()
            assert (connection.is_open, connection.version) == (False, version)

    played(scenario)


def test_connection_that_stays_behind_is_closed(tmp_path: Path) -> None:
    """A line that is not read for too long is cut off, and its terminal is lost; nobody else notices."""

    async def scenario() -> None:
        async with open_house(tmp_path, FREE) as house, open_line(house.port, window=4_096) as line:
            connection, other = await thin(house, line), await house.seated()
            await falls_behind(line, connection)
            for _ in range(SLOW_READER_MAX_US // SWEEP_INTERVAL_US + 1):
                line.send(said("ping", c=1))
                await house.pass_s(ONE_ROUND)
            await until(lambda: len(house.venue.router.connections) == 1)
            assert house.venue.publisher.figures.closed == {"too_fast": 1}
            await house.rest()
            assert house.venue.run.house.offline == {"A-1"}
            assert (await other.ping())["t"] == "pong"

    played(scenario)


def test_connection_that_is_closed_does_not_linger(tmp_path: Path) -> None:
    """Whoever takes neither what was sent nor the close is out of the house at once, and cut off a little later."""

    async def scenario() -> None:
        async with open_house(tmp_path, FREE) as house, open_line(house.port, window=4_096) as line:
            connection = await thin(house, line)
            while not waiting(connection):
                version = connection.version
                line.send(said("resync"))
                await until(lambda: connection.version > version)  # noqa: B023 - waited for here
            assert connection.behind_since is None
            await house.pass_s(MISSED_HEARTBEATS_MAX * ONE_ROUND)
            assert (connection.is_open, house.venue.publisher.seats, connection in house.venue.router.connections) == (
                False,
                {},
                True,
            )
            assert house.venue.run.house.offline == {"A-1"}
            await house.pass_s(2 * ONE_ROUND)
            await until(lambda: not house.venue.router.connections)

    played(scenario)


def test_flood_is_refused_and_not_read(tmp_path: Path) -> None:
    """What comes too fast is refused, its line is not read for a second, and others are answered meanwhile."""

    async def scenario() -> None:
        async with open_house(tmp_path, PACED) as house:
            other = await house.seated()
            async with open_line(house.port) as line:
                line.send(said("hello", screen="terminal", join="", table="A"))
                await line.reported("snap")
                line.send(*[said("ping", c=1)] * 45)
                for _ in range(39):
                    await line.reported("pong")
                for _ in range(6):
                    assert (await line.reported("refused"))["refusal"]["code"] == "too_fast"
                line.send(said("ping", c=2))
                assert (await other.ping())["t"] == "pong"
                await house.pass_s(1)
                assert (await line.reported("pong"))["c"] == 2
                assert house.venue.publisher.figures.closed == {}

    played(scenario)


def test_command_that_comes_too_fast_is_answered_as_one(tmp_path: Path) -> None:
    """A terminal's and a console's command is refused under its own number, and can be sent again."""

    async def scenario() -> None:
        async with open_house(tmp_path, PACED) as house:
            player, console = await house.seated(), await house.console("pit")
            for client in (player, console):
                # In one breath with the command: once it was too fast nothing more is read for a second.
                for _ in range(40):
                    client.say("ping", c=1)
            number = player.ask("ChooseDenomination", terminal=player.device, denomination=1)
            assert await console.acked("OpenBets", table="A") == "too_fast"
            assert refused_in(await player.answered(number))[number]["code"] == "too_fast"

    played(scenario)


def test_flood_may_leave_while_it_is_not_read(tmp_path: Path) -> None:
    """A line that is gone when it would be read again is nobody's any more."""

    async def scenario() -> None:
        async with open_house(tmp_path, PACED) as house:
            client = await house.seated()
            for _ in range(60):
                client.say("ping", c=1)
            assert await client.refused("resync") == "too_fast"
            connection = house.venue.publisher.seats[TerminalId(client.device)]
            connection.close(refuse(Code.BUSY, None, "Somebody else has shut it."))
            await house.leap(1)
            assert (connection.is_open, house.venue.publisher.seats) == (False, {})

    played(scenario)


def test_ping_of_the_protocol_counts_like_any_message(tmp_path: Path) -> None:
    """A flood of ping frames is refused as well."""

    async def scenario() -> None:
        async with open_house(tmp_path, PACED) as house, open_line(house.port) as line:
            line.send(*[frame(b"", PING)] * 41)
            for _ in range(40):
                assert (await line.hear())[1] == b""
            assert (await line.reported("refused"))["refusal"]["code"] == "too_fast"

    played(scenario)


def test_flood_that_goes_on_closes_the_connection(tmp_path: Path) -> None:
    """A line that floods second after second is shut, and nobody else's answers are late."""

    async def scenario() -> None:
        async with open_house(tmp_path, PACED) as house, open_line(house.port) as line:
            other = await house.seated()
            line.send(*[said("ping", c=1)] * (10 * EXCESS_MESSAGES_MAX))
            seconds = 0
            while house.venue.publisher.figures.closed == {}:
                await house.pass_s(1)
                seconds += 1
            assert house.venue.publisher.figures.closed == {"too_fast": 1}
            # What it had sent is not read any more, so that the line may be cut before the last word.
            assert await line.ended() in (1006, 1008)
            assert seconds <= 10
            assert (await other.ping())["t"] == "pong"

    played(scenario)


def test_pace_is_earned_back(tmp_path: Path) -> None:
    """After a pause a connection may send a full burst again, and no more."""

    async def scenario() -> None:
        async with open_house(tmp_path, PACED) as house, open_line(house.port) as line:
            for seconds, sent in ((0, 40), (1, 20), (60, 40)):
                house.time.at_us += seconds * SECOND
                line.send(*[said("ping", c=1)] * sent)
                for _ in range(sent):
                    await line.reported("pong")
            line.send(said("ping", c=1))
            assert (await line.reported("refused"))["refusal"]["code"] == "too_fast"

    played(scenario)


def test_silent_line_is_lost_and_comes_back(tmp_path: Path) -> None:
    """A line from which nothing is heard at three looks is shut, its terminal lost, and with its key it is back."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            silent, other = await house.seated(), await house.seated()
            silent.mute = True
            await house.pass_s((MISSED_HEARTBEATS_MAX - 1) * ONE_ROUND)
            assert house.happened(TerminalLost) == []
            await house.pass_s(ONE_ROUND)
            assert (await silent.hear("bye"))["refusal"]["code"] == "silent"
            assert await silent.end() == 1001
            assert house.happened(TerminalLost) == [TerminalLost(TerminalId(silent.device))]
            again = await house.client()
            await again.return_(silent.device, silent.key)
            await house.rest()
            assert house.happened(TerminalReturned) == [TerminalReturned(TerminalId(silent.device))]
            assert (await other.ping())["t"] == "pong"

    played(scenario)


def test_command_is_not_taken_late(tmp_path: Path) -> None:
    """While the disk takes too long over a batch what comes is refused as busy, and can be sent again as it was."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            other, player = await house.seated(credit=0), await house.seated()
            async with slow_commit(house, other):
                number = player.ask("ChooseDenomination", terminal=player.device, denomination=1)
                assert refused_in(await player.answered(number))[number]["code"] == "busy"
            await house.rest()
            command = {"type": "ChooseDenomination", "terminal": player.device, "denomination": 1}
            player.say("ask", id=number, epoch=player.epoch, command=command)
            reported = await player.hear("seat", lambda said: said["last_cmd"] >= number)
            assert refused_in(reported) == {}

    played(scenario)


def _named(path: Path) -> set[str]:
    """Name the limits that a test imports, or lowers to reach them."""
    nodes = [*ast.walk(ast.parse(path.read_text("utf-8")))]
    found = (node for node in nodes if isinstance(node, ast.ImportFrom) and node.module == connection.__name__)
    texts = (node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str))
    return {alias.name for node in found for alias in node.names} | {each.rpartition(".")[2] for each in texts}


def test_every_limit_is_reached_by_a_test() -> None:
    """Each limit of the wire is named by a test that goes up to it."""
    named = {name for path in Path(__file__).parents[1].rglob("test_*.py") for name in _named(path)}

    known = {name for name, value in vars(limits).items() if name.isupper() and not isinstance(value, Refusal)}
    assert {name for name in known if name != "SECOND" and name[0] != "_"} - named == set()
