"""Simulated players: they sit down, bet and are settled at every venue, by the wire's rules, and leave a seat free."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import pytest
from structlog.testing import capture_logs

from croupier.cli.main import run
from croupier.client.bots import BotRound
from croupier.client.session import Deed
from croupier.config.reader import demo_config
from croupier.house.base import Event
from croupier.house.events.credit import TicketIssued, TicketPrinted, TicketRedeemed
from croupier.house.events.record import TerminalLost, TerminalReturned
from croupier.house.events.rounds import RoundSettled
from croupier.house.ids import DeviceId, TableId, TerminalId
from croupier.rules.procedure import CreditOut
from tests.conftest import Ask
from tests.connections import played
from tests.serving import Starts, processes
from tests.troupe import DEMO, SMALL, troupe

COMMANDS: Final = ("serve", "demo")
TABLES: Final = [str(table.id) for table in demo_config(Path("/venue")).tables]
#: Every table plays seven rounds meanwhile, and whoever collects has done so and is back.
EVENING_S: Final = 330


class Evening(NamedTuple):
    """What came of some minutes of the demonstration."""

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
def evening(tmp_path_factory: pytest.TempPathFactory) -> Evening:
    """Some minutes of the demonstration, at the end of which a visitor comes to every table."""

    async def scenario() -> Evening:
        async with troupe(tmp_path_factory.mktemp("evening"), DEMO) as cast:
            before, idle = len(cast.house.terminals), 0
            for _ in range(EVENING_S // 5):
                await cast.pass_s(5)
                game = cast.house.terminals[TerminalId("adelaide-1")].games[TableId("adelaide")]
                idle = max(idle, game.idle_spins)
            figures = cast.open.venue.publisher.figures
            visitors = [(await cast.open.seated(table)).device for table in TABLES if table != "clearwater-b"]
            return Evening(
                cast.seats,
                {str(each.id): each.meters.turnover for each in cast.house.terminals.values()},
                cast.open.events,
                Counter(figures.refusals),
                Counter(figures.shut),
                idle,
                {str(each.id) for each in cast.house.terminals.values() if each.patterns},
                visitors,
                [each["event"] for each in log if each["log_level"] != "debug"],
                len(cast.house.terminals) - before,
            )

    with capture_logs() as log:
        return played(scenario)


def test_a_few_sit_at_every_table(evening: Evening) -> None:
    """Where nobody says how many, as many come as leave a seat free, at most three to a table."""
    assert evening.seats == [
        *("marina-1", "adelaide-1", "us-1", "clearwater-1", "marina-2", "adelaide-2", "us-2", "clearwater-2"),
        *("marina-3", "adelaide-3"),
    ]


@pytest.mark.parametrize("table", TABLES)
def test_players_are_settled_at_each_table(evening: Evening, table: str) -> None:
    """At every table of every venue at least three rounds are settled in which they have staked."""
    rounds = [each for each in evening.of(RoundSettled) if isinstance(each, RoundSettled) and each.table == table]

    assert sum(each.staked > 0 for each in rounds) >= 3


def test_every_player_has_bet(evening: Evening) -> None:
    """Whoever sits there has staked something, and nobody else has."""
    assert {seat for seat, turnover in evening.turnovers.items() if turnover} == set(evening.seats)


def test_players_keep_to_the_wire(evening: Evening) -> None:
    """Nothing at all is refused, no door is shut, and nobody fails."""
    assert evening.refusals == Counter()
    assert evening.shut == Counter()
    assert evening.log == []


def test_visitor_finds_a_free_seat_at_every_table(evening: Evening) -> None:
    """A browser that comes without a key is given a seat that stands there, and none has to be put up."""
    assert evening.visitors == ["marina-4", "adelaide-4", "clearwater-3", "us-3"]
    assert evening.terminals == 0


def test_there_is_something_for_every_screen(evening: Evening) -> None:
    """Somebody sits three spins out, loses the line and is back, saves a pattern, and collects and comes back."""
    lost = {each.terminal for each in evening.of(TerminalLost) if isinstance(each, TerminalLost)}
    back = {each.terminal for each in evening.of(TerminalReturned) if isinstance(each, TerminalReturned)}
    forms = {each.form for each in evening.of(TicketIssued) if isinstance(each, TicketIssued)}

    assert evening.idle_most >= 3
    assert lost == back == {"us-2"}
    assert evening.patterns == {"clearwater-1"}
    assert forms == {CreditOut.PAYMENT_SLIP, CreditOut.TICKET}
    assert len(evening.of(TicketPrinted)) == len(evening.of(TicketIssued))
    assert any(isinstance(each, TicketRedeemed) and each.at_terminal for each in evening.events)


# Who sits where, from one start to the next.


def test_so_many_come_as_were_asked_for(tmp_path: Path) -> None:
    """As many come as were asked for, in the same order again; or as many as leave a seat free, which is said then."""

    async def scenario() -> None:
        async with troupe(tmp_path / "a", DEMO, wanted=3) as cast:
            assert cast.seats == ["marina-1", "adelaide-1", "us-1"]
            assert len(list(cast.director.words())) == 1
        async with troupe(tmp_path / "a", DEMO, wanted=5) as cast:
            assert cast.seats == ["marina-1", "adelaide-1", "us-1", "clearwater-1", "marina-2"]
        async with troupe(tmp_path / "a", DEMO, wanted=5) as cast:
            assert cast.seats == ["marina-1", "adelaide-1", "us-1", "clearwater-1", "marina-2"]
        async with troupe(tmp_path / "b", wanted=9) as cast:
            assert cast.seats == ["A-1", "A-2", "A-3"]
            assert list(cast.director.words()) == [
                "Simulated players, for play money alone: Player 1 at A-1, Player 2 at A-2, Player 3 at A-3.",
                "That is 3 of 9: a seat is left free at every table.",
            ]
        async with troupe(tmp_path / "c", wanted=0) as cast:
            assert list(cast.director.words()) == ["Simulated players, for play money alone: none."]

    played(scenario)


def test_players_come_back_to_their_seats(tmp_path: Path) -> None:
    """After a restart they have the seats and the credits that they had, and a visitor still has theirs."""

    async def scenario() -> None:
        async with troupe(tmp_path, wanted=2) as cast:
            await cast.pass_s(20)
            visitor = await cast.open.seated("A")
            before = [cast.house.terminals[TerminalId(seat)].credit for seat in cast.seats]
            assert (cast.seats, visitor.device, min(before) > 0) == (["A-1", "A-2"], "A-3", True)
        async with troupe(tmp_path, wanted=3) as cast:
            # A seat that is the visitor's, and the last that is free, are nobody else's.
            assert cast.seats == ["A-1", "A-2"]
            await cast.all_in()
            assert [player.terminal.client_state.credit > 0 for player in cast.players] == [True, True]
            assert (await (await cast.open.client()).return_(visitor.device, visitor.key))["seat"]["credit"] == 100_000
        for wanted, seats in ((1, ["A-1"]), (2, ["A-1", "A-2"])):
            async with troupe(tmp_path, wanted=wanted) as cast:
                assert cast.seats == seats

    played(scenario)


def test_seat_that_is_somebody_else_s_by_now_is_left_alone(tmp_path: Path) -> None:
    """A seat whose key has changed since is not the players' any more."""

    async def scenario() -> None:
        async with troupe(tmp_path, wanted=2) as cast:
            register = cast.open.venue.verifier.register
            register.release_device(DeviceId("A-1"))
            assert (await cast.open.seated("A")).device == "A-1"
        async with troupe(tmp_path, wanted=2) as cast:
            assert cast.seats == ["A-2", "A-3"]

    played(scenario)


@pytest.mark.parametrize("content", [b"", b"[]", b'{"A-1": 1}'])
def test_damaged_roster_is_begun_anew(tmp_path: Path, content: bytes) -> None:
    """Where nobody knows which seats they had, they are given others."""

    async def scenario() -> None:
        async with troupe(tmp_path, wanted=1):
            pass
        (tmp_path / "data.keys" / "players.json").write_bytes(content)
        async with troupe(tmp_path, wanted=1) as cast:
            assert cast.seats == ["A-2"]

    played(scenario)


@pytest.mark.parametrize("made", ["players.json", "players.json.new"])
def test_house_without_a_roster_is_open_without_players(tmp_path: Path, made: str) -> None:
    """Where the roster cannot be read or written, nobody comes, the log says why, and the house is open."""

    async def scenario() -> None:
        async with troupe(tmp_path, wanted=0):
            pass
        (tmp_path / "data.keys" / "players.json").unlink()
        (tmp_path / "data.keys" / made).mkdir()
        async with troupe(tmp_path, wanted=2) as cast:
            assert cast.seats == []
            assert (await cast.open.seated("A")).device

    with capture_logs() as log:
        played(scenario)
    assert [each["event"] for each in log] == ["no_players"]


# One who fails.


def test_player_who_fails_takes_nobody_along(tmp_path: Path) -> None:
    """The one who fails is logged and leaves; the others and the house go on."""

    class Broken:
        def actions(self, turn: BotRound) -> Iterator[Deed]:
            raise ZeroDivisionError(turn.table)

    async def scenario() -> None:
        async with troupe(tmp_path, wanted=2) as cast:
            cast.players[0].strategy = Broken()
            await cast.pass_s(60)
            up = [player.terminal.is_up for player in cast.players]
            assert (up, cast.open.venue.commit_loop.failed.done()) == ([False, True], False)
            assert cast.house.terminals[TerminalId("A-2")].meters.turnover > 0

    with capture_logs() as log:
        played(scenario)
    failed = [each for each in log if each["event"] == "player_failed"]
    assert [(each["player"], each["terminal"], each["error"]) for each in failed] == [
        ("Player 1", "A-1", "ZeroDivisionError")
    ]


# The command.


@pytest.fixture
def starts() -> Iterator[Starts]:
    with processes() as start:
        yield start


def test_real_money_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A venue for real money is not opened with simulated players, and nothing of it is made."""
    config = tmp_path / "croupier.toml"
    config.write_text('mode = "real"\n' + SMALL, "utf-8")
    code = run(["demo", "--config", str(config)])

    assert code == 2
    assert "Refused. Simulated players play for play money alone" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == [config]


def test_configuration_that_cannot_be_used_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What `croupier serve` would refuse is refused for the same."""
    answers = [
        (run([command, "--config", str(tmp_path / "none.toml")]), capsys.readouterr().err) for command in COMMANDS
    ]

    assert answers[0] == answers[1]
    assert answers[0][0] == 2


def test_demonstration_opens_with_players_and_ends_with_them(starts: Starts, tmp_path: Path, ask: Ask) -> None:
    """The command says who plays and for what, all of them come in, and a stop leaves a journal in good order."""
    config = tmp_path / "croupier.toml"
    config.write_text(SMALL, "utf-8")
    demo = starts(config, "--players", "2", command="demo")
    assert demo.opened(), demo.ended()
    came = any(demo.health()["connections"] == 2 for _ in range(20_000))
    ended = demo.stopped()

    assert "Simulated players, for play money alone: Player 1 at A-1, Player 2 at A-2." in ended.out
    assert (came, ended.code, ended.err) == (True, 0, "")
    assert "Closed in good order" in ended.out
    assert ask("audit", tmp_path / "data")[0] == 0
