"""The benchmark against the real server: terminals come, bet, drop and are settled, and what is said is kept."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from benchmarks.load_client import LoadClient
from benchmarks.loads import (
    DEALT,
    LoadPlan,
    broadcast_round,
    closed_loop,
    last_second,
    measure_system,
    reconnect,
    settle,
)
from benchmarks.machine import BenchmarkError, Cores
from benchmarks.systems import TABLE, Croupier, RunningVenue, StaffClient, Workspace, full_venue

from croupier.house.rounds.spinning import SpinBall

pytestmark = pytest.mark.untraced

SEATS = 12
House = tuple[RunningVenue, LoadClient, StaffClient]


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """A venue whose seats are taken and have credit, and a dealer at its desk."""
    workspace = Workspace(tmp_path_factory.mktemp("venue"), Cores.here())
    with full_venue(DEALT, SEATS, workspace) as (venue, clients), venue.dealer() as dealer:
        clients.silence_s = 0.05
        venue.buy_in(clients)
        yield venue, clients, dealer


def test_warning_reaches_everybody(house: House) -> None:
    """The dealer's warning is one frame to everybody, and the round is played out after it."""
    _, clients, dealer = house
    size, took = broadcast_round(clients, dealer)

    assert 150 < size < 500
    assert took > 0


def test_everybody_comes_back(house: House) -> None:
    """Terminals that were dropped come back with their keys and are in sync."""
    assert reconnect(house[1], SEATS) > 0


def test_full_table_is_settled(house: House) -> None:
    """Every terminal with bets receives the settlement of each round."""
    assert all(settle(*house) > 0 for _ in range(2))


def test_bets_out_of_a_round_are_refused_and_counted(house: House) -> None:
    """A refused bet is an answer, and is counted as refused."""
    venue, clients, _ = house
    found = closed_loop(clients, venue.server, 0)

    assert (len(found.times), found.unanswered) == (SEATS, 0)
    assert {each.code for connection in clients.connections for each in connection.refused} == {"bets_not_open"}
    for connection in clients.connections:
        connection.refused.clear()


def test_refused_dealer_is_an_error(house: House) -> None:
    """A step that has no place in the round ends the measurement, with the house's words."""
    with pytest.raises(BenchmarkError, match=r"dealer was refused: out_of_turn"):
        house[2].send(SpinBall(TABLE))


def test_acknowledged_bets_are_on_the_disk(tmp_path: Path) -> None:
    """After a measure_system the journal has every bet that was acknowledged."""
    plan = LoadPlan(warm_s=0, closed_s=0.1, offered_s=0.1, offered=(500,))
    found = measure_system(Croupier(), SEATS, plan, Workspace(tmp_path, Cores.here()))

    assert found.stored == found.acknowledged == SEATS + found.closed.answered + 50
    assert (found.closed.refused, found.closed.unanswered, found.offered[0].unanswered) == (0, 0, 0)


def test_journal_of_a_load_is_measured(tmp_path: Path) -> None:
    """After a load the server's longest pause is read, and its journal is replayed and audited."""
    plan = LoadPlan(warm_s=0, closed_s=0.1, offered_s=0, offered=())
    found = measure_system(Croupier(), SEATS, plan, Workspace(tmp_path, Cores.here()))

    assert found.journal is not None
    assert found.journal.bets == found.stored
    assert 40 < found.journal.bytes_per_bet < 400
    assert min(found.journal.replayed_per_s, found.journal.audited_per_s, found.journal.loop_ns) > 0
    assert found.pause_ms is not None
    assert found.pause_ms >= 0


def test_commands_around_a_close_are_all_decided(tmp_path: Path) -> None:
    """Every command in the second around a close is accepted or refused, and sealed as it was answered."""
    found = last_second(40, Workspace(tmp_path, Cores.here()), betting_s=3)

    assert (found.commands, found.unanswered, found.differing) == (40, 0, 0)
    assert found.accepted + found.refused["bets_closed"] == 40
    assert found.accepted > 0
