"""Changes of bets as rows: random commands, held to the auditor's own model, and to a replay of the journal."""

import gc
from random import Random
from typing import Any

import pytest

from croupier.house.ids import PositionId, TableId, TerminalId
from croupier.house.play.betting import (
    BetsChanged,
    ChangeBet,
    ClearBets,
    DoubleBets,
    MoveBet,
    PlaceBets,
    PressNeighbours,
    RemoveBets,
    RepeatBets,
    UndoBet,
)
from croupier.house.play.copying import CopyBets
from croupier.house.play.patterns import ConfirmRecall, RecallPattern, SavePattern
from croupier.house.settings import TableSettings
from croupier.rules.geometry import SpotKey
from croupier.rules.refusal import Refusal
from tests.support.audited import Audited
from tests.support.house_driver import TABLE
from tests.support.sample_commands import ADELAIDE, CLEARWATER, MARINA, US

SEATS = ("T1", "T2", "T3")
OTHER = TableId("table 2")
COMMANDS = 200
#: What a player does, and how often beside the others.
KINDS = {
    PlaceBets: 8,
    ChangeBet: 2,
    RemoveBets: 2,
    MoveBet: 2,
    UndoBet: 4,
    ClearBets: 1,
    RepeatBets: 1,
    DoubleBets: 1,
    PressNeighbours: 2,
    SavePattern: 1,
    RecallPattern: 1,
    ConfirmRecall: 1,
    CopyBets: 1,
}


class Players:
    """Players at one venue who do anything at random; two of them have a second game where terminals may have one."""

    def __init__(self, venue: str, seed: int) -> None:
        self.random = Random(seed)  # noqa: S311 - the same commands again for the same seed
        self.floor = Audited(venue, TableSettings(), TableSettings())
        two = self.floor.rulebook.terminal.games is not None
        for seat in SEATS:
            self.floor.seat(seat, 20_000, tables=(TABLE, OTHER) if two and seat != SEATS[-1] else (TABLE,))
        self.spots = list(self.floor.rulebook.spots)

    def act(self) -> int:
        """Send one command; return how many events came of it."""
        seat = self.random.choice(SEATS)
        table = self.random.choice(list(self.floor.house.terminals[TerminalId(seat)].games))
        (kind,) = self.random.choices(list(KINDS), list(KINDS.values()))
        answer = self.floor.touch(seat, kind, *self._more(seat, table).get(kind, ()), table=table)
        return 0 if isinstance(answer, Refusal) else len(answer)

    def _more(self, seat: str, table: TableId) -> dict[type, tuple[Any, ...]]:
        """Draw what each kind of command takes beyond the game."""
        random, lying = self.random, list(self.floor.house.terminals[TerminalId(seat)].games[table].bets)
        own, amount = random.choice(lying or self.spots), random.choice((100, 100, 500, 1_000, 5_000, 50, 0))
        on = (*self.spots, "neighbours 17", "voisins", "nothing")
        return {
            PlaceBets: (tuple((random.choice(on), amount) for _ in range(random.randint(1, 4))),),
            ChangeBet: (own, amount),
            RemoveBets: ((own,),),
            MoveBet: (own, SpotKey(random.choice(self.spots))),
            SavePattern: (1,),
            RecallPattern: (1,),
            CopyBets: (OTHER if table == TABLE else TABLE,),
        }


@pytest.mark.untraced
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("venue", [MARINA, ADELAIDE, CLEARWATER, US])
def test_house_model_and_replay_agree_on_random_bets(venue: str, seed: int) -> None:
    """Whatever players do, the house does what the auditor derives from the rules, and the journal gives it again."""
    players = Players(venue, seed)
    floor = players.floor
    done = 0
    for pocket in ("17", "0", "5"):
        floor.open()
        done += sum(players.act() for _ in range(COMMANDS))
        floor.close()
        floor.spin()
        floor.rest(pocket)
    floor.check()

    rows = [event for event in floor.events if isinstance(event, BetsChanged)]
    assert done >= len(rows) > COMMANDS // 4
    assert {row.position for row in rows} <= {*floor.house.positions}


def test_row_is_not_tracked_by_the_garbage_collector() -> None:
    """A row has integers and texts only, on its own or in a tuple, and no collection goes through it."""
    players = Players(ADELAIDE, 0)
    players.floor.open()
    players.floor.bet("T1", "5 on 17; 10 on red")
    row = players.floor.events[-1]
    gc.collect()

    assert isinstance(row, BetsChanged)
    assert not any(map(gc.is_tracked, (row, row.spots, row.amounts)))
    assert (row.position, row.stakes) == (PositionId(1), {"17": 500, "red": 1_000})


def test_positions_are_numbered_across_the_house() -> None:
    """Every game of every terminal has a number of its own, in the order in which they were added."""
    floor = Players(CLEARWATER, 0).floor
    games = [game for terminal in floor.house.terminals.values() for game in terminal.games.values()]

    assert [game.id for game in games] == [1, 2, 3, 4, 5]
    assert floor.house.positions == {game.id: game for game in games}
    assert [(game.terminal, game.table) for game in games[:3]] == [("T1", TABLE), ("T1", OTHER), ("T2", TABLE)]
    floor.seat("T4")
    assert floor.house.terminals[TerminalId("T4")].games[TABLE].id == floor.house.positions_added == 6
