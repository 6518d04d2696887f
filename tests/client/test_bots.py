"""Demo bots: they bet and are settled at every venue, keep to the protocol, and leave a terminal free."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import pytest
from structlog.testing import capture_logs

from croupier.cli.main import run
from croupier.client.bots import BotAction, BotRound
from croupier.config.reader import demo_config
from croupier.house.credit.tickets import TicketIssued, TicketPrinted, TicketRedeemed
from croupier.house.declare import Event
from croupier.house.floor.service import TerminalLost
from croupier.house.ids import DeviceId, TableId, TerminalId
from croupier.house.rounds.settlement import RoundSettled
from croupier.rules.procedure import CreditOut
from tests.conftest import Ask
from tests.support.connections import played
from tests.support.demo_bots import DEMO, SMALL, bot_run
from tests.support.serving import Starts, processes

COMMANDS: Final = ("serve", "demo")
#: The tables with terminals: bots play at no live table.
TABLES: Final = [str(table.id) for table in demo_config(Path("/venue")).tables if table.settings.live is None]
#: The table that a visitor deals.
VISITORS: Final = demo_config(Path("/venue")).visitor_table or ""
#: Every table plays seven rounds meanwhile, and the bots that collect have done so and play again.
RUN_S: Final = 330


class DemoResult(NamedTuple):
    """Some minutes of the demonstration."""

    seats: list[str]
    turnovers: dict[str, int]
    events: list[Event]
    refusals: Counter[str]
    shut: Counter[str]
    idle_most: int
    patterns: set[str]
    visitors: list[str]
    log: list[str]
    terminals: int

    def of(self, kind: type[Event]) -> list[Event]:
        return [event for event in self.events if isinstance(event, kind)]


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> DemoResult:
    """Some minutes of the demonstration, at the end of which a visitor comes to every table."""

    async def scenario() -> DemoResult:
        async with bot_run(tmp_path_factory.mktemp("result"), DEMO) as demo:
            before, idle = len(demo.house.terminals), 0
            for _ in range(RUN_S // 5):
                await demo.pass_s(5)
                game = demo.house.terminals[TerminalId("adelaide-1")].games[TableId("adelaide")]
                idle = max(idle, game.idle_spins)
            figures = demo.server.venue.publisher.figures
            visitors = [(await demo.server.seated(table)).device for table in TABLES if table != "clearwater-b"]
            return DemoResult(
                demo.terminals,
                {str(each.id): each.meters.turnover for each in demo.house.terminals.values()},
                demo.server.events,
                Counter(figures.refusals),
                Counter(figures.closed),
                idle,
                {str(each.id) for each in demo.house.terminals.values() if each.patterns},
                visitors,
                [each["event"] for each in log if each["log_level"] != "debug"],
                len(demo.house.terminals) - before,
            )

    with capture_logs() as log:
        return played(scenario)


def test_some_bots_play_at_every_table(result: DemoResult) -> None:
    """By default as many bots start as leave one terminal free, at most three at a table."""
    assert result.seats == [
        *("marina-1", "adelaide-1", "us-1", "european-1", "french-1", "american-1"),
        *("prison-1", "two-in-a-row-1", "progressive-1", "multiplier-1", "triple-zero-1", "clearwater-1"),
        *("marina-2", "adelaide-2", "us-2", "european-2", "french-2", "american-2"),
        *("prison-2", "two-in-a-row-2", "progressive-2", "multiplier-2", "triple-zero-2", "clearwater-2"),
        *("marina-3", "adelaide-3", "practice-1", "practice-2"),
    ]


@pytest.mark.parametrize("table", [table for table in TABLES if table != VISITORS])
def test_bots_are_settled_at_each_table(result: DemoResult, table: str) -> None:
    """At every table but that of visitors at least three rounds with bets of bots are settled."""
    rounds = [each for each in result.of(RoundSettled) if isinstance(each, RoundSettled) and each.table == table]

    assert sum(each.staked > 0 for each in rounds) >= 3


def test_every_bot_has_bet(result: DemoResult) -> None:
    """Every bot whose table was dealt has staked something, and no other terminal has."""
    dealt = {seat for seat in result.seats if not seat.startswith(VISITORS)}
    assert {seat for seat, turnover in result.turnovers.items() if turnover} == dealt


def test_bots_keep_to_the_protocol(result: DemoResult) -> None:
    """No command is refused, no connection is closed by the server, and no bot fails."""
    assert result.refusals == Counter()
    assert result.shut == Counter()
    assert result.log == []


def test_visitor_finds_a_free_terminal_at_every_table(result: DemoResult) -> None:
    """A browser without a key gets an existing terminal, and none has to be added."""
    assert result.visitors == [
        *("marina-4", "adelaide-4", "clearwater-3", "us-3"),
        *("european-3", "french-3", "american-3", "prison-3", "two-in-a-row-3", "progressive-3", "multiplier-3"),
        *("triple-zero-3", "practice-3"),
    ]
    assert result.terminals == 0


def test_there_is_something_for_every_screen(result: DemoResult) -> None:
    """A bot sits three spins out, one saves a pattern, and one collects and plays on; none drops its connection."""
    lost = {each.terminal for each in result.of(TerminalLost) if isinstance(each, TerminalLost)}
    forms = {each.form for each in result.of(TicketIssued) if isinstance(each, TicketIssued)}

    assert result.idle_most >= 3
    assert lost == set()
    assert result.patterns == {"clearwater-1"}
    assert forms == {CreditOut.PAYMENT_SLIP, CreditOut.TICKET}
    assert len(result.of(TicketPrinted)) == len(result.of(TicketIssued))
    assert any(isinstance(each, TicketRedeemed) and each.at_terminal for each in result.events)


def test_bot_stands_up_for_a_person(tmp_path: Path) -> None:
    """When a person takes the last free seat, one bot leaves with its credit; it returns when two seats are free."""

    async def scenario() -> None:
        async with bot_run(tmp_path, SMALL, count=3) as demo:
            await demo.pass_s(60)
            connected = demo.server.venue.publisher.inside
            bots = [DeviceId(each) for each in demo.terminals]
            assert set(bots) <= set(connected)
            person = await demo.server.seated("A")
            await demo.pass_s(60)
            [left] = [each for each in bots if each not in connected]
            assert demo.house.terminals[TerminalId(left)].credit == 0
            person.transport.disconnect(graceful=False)
            # The seat that the person has left is collected, and then free.
            await demo.pass_s(130)
            assert demo.house.terminals[TerminalId(person.device)].credit == 0
            assert set(bots) <= set(connected)

    played(scenario)


# Which terminals the bots have, from one start to the next.


def test_number_of_bots(tmp_path: Path) -> None:
    """As many bots start as requested, in the same order again; or as many as leave a terminal free, with a message."""

    async def scenario() -> None:
        async with bot_run(tmp_path / "a", DEMO, count=3) as demo:
            assert demo.terminals == ["marina-1", "adelaide-1", "us-1"]
            assert len(list(demo.demo.summary())) == 1
        async with bot_run(tmp_path / "a", DEMO, count=5) as demo:
            assert demo.terminals == ["marina-1", "adelaide-1", "us-1", "european-1", "french-1"]
        async with bot_run(tmp_path / "a", DEMO, count=5) as demo:
            assert demo.terminals == ["marina-1", "adelaide-1", "us-1", "european-1", "french-1"]
        async with bot_run(tmp_path / "b", count=9) as demo:
            assert demo.terminals == ["A-1", "A-2", "A-3"]
            assert list(demo.demo.summary()) == [
                "Demo bots, with play money only: Bot 1 at A-1, Bot 2 at A-2, Bot 3 at A-3.",
                "3 of 9: one terminal stays free at every table.",
            ]
        async with bot_run(tmp_path / "c", count=0) as demo:
            assert list(demo.demo.summary()) == ["Demo bots, with play money only: none."]

    played(scenario)


def test_bots_keep_their_terminals(tmp_path: Path) -> None:
    """After a restart bots have the same terminals and credits, and a visitor has theirs."""

    async def scenario() -> None:
        async with bot_run(tmp_path, count=2) as demo:
            await demo.pass_s(20)
            visitor = await demo.server.seated("A")
            before = [demo.house.terminals[TerminalId(seat)].credit for seat in demo.terminals]
            assert (demo.terminals, visitor.device, min(before) > 0) == (["A-1", "A-2"], "A-3", True)
        async with bot_run(tmp_path, count=3) as demo:
            # The visitor's terminal, and the last free one, are not given to bots.
            assert demo.terminals == ["A-1", "A-2"]
            await demo.all_connected()
            assert [bot.client.view.credit > 0 for bot in demo.bots] == [True, True]
            assert (await (await demo.server.client()).return_(visitor.device, visitor.key))["seat"][
                "credit"
            ] == 100_000
        for wanted, seats in ((1, ["A-1"]), (2, ["A-1", "A-2"])):
            async with bot_run(tmp_path, count=wanted) as demo:
                assert demo.terminals == seats

    played(scenario)


def test_terminal_with_another_key_is_left_alone(tmp_path: Path) -> None:
    """A terminal whose key has changed since is no longer a bot's."""

    async def scenario() -> None:
        async with bot_run(tmp_path, count=2) as demo:
            register = demo.server.venue.verifier.credential_store
            register.release_device(DeviceId("A-1"))
            assert (await demo.server.seated("A")).device == "A-1"
        async with bot_run(tmp_path, count=2) as demo:
            assert demo.terminals == ["A-2", "A-3"]

    played(scenario)


@pytest.mark.parametrize("content", [b"", b"[]", b'{"A-1": 1}'])
def test_damaged_bot_list_is_replaced(tmp_path: Path, content: bytes) -> None:
    """Without a readable bot list the bots get other terminals."""

    async def scenario() -> None:
        async with bot_run(tmp_path, count=1):
            pass
        (tmp_path / "data.keys" / "bots.json").write_bytes(content)
        async with bot_run(tmp_path, count=1) as demo:
            assert demo.terminals == ["A-2"]

    played(scenario)


@pytest.mark.parametrize("made", ["bots.json", "bots.json.new"])
def test_server_without_a_bot_list_has_no_bots(tmp_path: Path, made: str) -> None:
    """If the bot list cannot be read or written, no bot starts, the log says why, and the server runs."""

    async def scenario() -> None:
        async with bot_run(tmp_path, count=0):
            pass
        (tmp_path / "data.keys" / "bots.json").unlink()
        (tmp_path / "data.keys" / made).mkdir()
        async with bot_run(tmp_path, count=2) as demo:
            assert demo.terminals == []
            assert (await demo.server.seated("A")).device

    with capture_logs() as log:
        played(scenario)
    assert [each["event"] for each in log] == ["bots_not_started"]


# A bot that fails.


def test_failing_bot_does_not_affect_others(tmp_path: Path) -> None:
    """A bot that fails is logged and stops; the others and the server continue."""

    class Broken:
        def actions(self, turn: BotRound) -> Iterator[BotAction]:
            raise ZeroDivisionError(turn.table)

    async def scenario() -> None:
        async with bot_run(tmp_path, count=2) as demo:
            demo.bots[0].strategy = Broken()
            await demo.pass_s(60)
            up = [bot.client.is_connected for bot in demo.bots]
            assert (up, demo.server.venue.commit_loop.failed.done()) == ([False, True], False)
            assert demo.house.terminals[TerminalId("A-2")].meters.turnover > 0

    with capture_logs() as log:
        played(scenario)
    failed = [each for each in log if each["event"] == "bot_failed"]
    assert [(each["bot"], each["terminal"], each["error"]) for each in failed] == [
        ("Bot 1", "A-1", "ZeroDivisionError")
    ]


# The command.


@pytest.fixture
def starts() -> Iterator[Starts]:
    with processes() as start:
        yield start


def test_real_money_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A venue for real money is not opened with demo bots, and nothing is created."""
    config = tmp_path / "croupier.toml"
    config.write_text('mode = "real"\n' + SMALL, "utf-8")
    code = run(["demo", "--config", str(config)])

    assert code == 2
    assert "Refused. Demo bots play with play money only" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == [config]


def test_configuration_that_cannot_be_used_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What `croupier serve` refuses, `croupier demo` refuses in the same way."""
    answers = [
        (run([command, "--config", str(tmp_path / "none.toml")]), capsys.readouterr().err) for command in COMMANDS
    ]

    assert answers[0] == answers[1]
    assert answers[0][0] == 2


def test_demonstration_starts_and_stops_with_its_bots(starts: Starts, tmp_path: Path, ask: Ask) -> None:
    """The command lists the bots, all of them connect, and a stop leaves a sound journal."""
    config = tmp_path / "croupier.toml"
    config.write_text(SMALL, "utf-8")
    demo = starts(config, "--bots", "2", command="demo")
    assert demo.opened(), demo.ended()
    came = any(demo.health()["connections"] == 2 for _ in range(20_000))
    ended = demo.stopped()

    assert "Demo bots, with play money only: Bot 1 at A-1, Bot 2 at A-2." in ended.out
    assert (came, ended.code, ended.err) == (True, 0, "")
    assert "Stopped cleanly" in ended.out
    assert ask("audit", "--data", tmp_path / "data")[0] == 0
