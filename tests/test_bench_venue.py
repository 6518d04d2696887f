"""The benchmark against the real server: terminals come, bet, drop and are settled, and what is said is kept."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from benchmarks.load_client import LoadClient
from benchmarks.loads import LoadPlan, closed_loop, stay
from benchmarks.machine import BenchFault, Cores
from benchmarks.scenarios import DEALT, call, last_second, settle, toss
from benchmarks.systems import Croupier, VenueScene, Workplace, full_house

from croupier.client.blocking import DealerClient

pytestmark = pytest.mark.untraced

SEATS = 12
House = tuple[VenueScene, LoadClient, DealerClient]


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """A venue whose seats are taken and have credit, and a dealer at its desk."""
    workplace = Workplace(tmp_path_factory.mktemp("venue"), Cores.here())
    with full_house(DEALT, SEATS, workplace) as (scene, crowd), scene.dealer() as desk:
        crowd.calm_s = 0.05
        scene.buy_in(crowd)
        yield scene, crowd, desk


def test_warning_reaches_everybody(house: House) -> None:
    """The dealer's warning is one frame to everybody, and the round is played out after it."""
    _, crowd, desk = house
    size, took = call(crowd, desk)

    assert 150 < size < 500
    assert took > 0


def test_everybody_comes_back(house: House) -> None:
    """Terminals that were dropped come back with their keys and are in sync."""
    assert toss(house[1], SEATS) > 0


def test_full_table_is_settled(house: House) -> None:
    """Every terminal with bets is told of the settlement, round after round."""
    assert all(settle(*house) > 0 for _ in range(2))


def test_bets_out_of_a_round_are_refused_and_counted(house: House) -> None:
    """A refused bet is an answer, and is counted as refused."""
    scene, crowd, _ = house
    found = closed_loop(crowd, scene.server, 0)

    assert (len(found.times), found.unanswered) == (SEATS, 0)
    assert {no.code for line in crowd.lines for no in line.refused} == {"bets_not_open"}
    for line in crowd.lines:
        line.refused.clear()


def test_dealer_who_is_refused_is_told(house: House) -> None:
    """A step that has no place in the round ends the measurement, with the house's words."""
    with pytest.raises(BenchFault, match=r"the dealer was refused: .*out_of_turn"):
        house[2].ask("SpinBall")


def test_acknowledged_bets_are_on_the_disk(tmp_path: Path) -> None:
    """After a stay the journal has every bet that was acknowledged."""
    course = LoadPlan(warm_s=0, closed_s=0.1, offered_s=0.1, offered=(500,))
    found = stay(Croupier(), SEATS, course, Workplace(tmp_path, Cores.here()))

    assert found.kept == found.acknowledged == SEATS + found.closed.answered + 50
    assert (found.closed.refused, found.closed.unanswered, found.offered[0].unanswered) == (0, 0, 0)


def test_commands_around_a_close_are_all_decided(tmp_path: Path) -> None:
    """Every command in the second around a close is accepted or refused, and sealed as it was answered."""
    found = last_second(40, Workplace(tmp_path, Cores.here()), betting_s=3)

    assert (found.commands, found.unanswered, found.differing) == (40, 0, 0)
    assert found.accepted + found.refused["bets_closed"] == 40
    assert found.accepted > 0
