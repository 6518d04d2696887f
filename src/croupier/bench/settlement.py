"""The settlement: a full table with bets on it, from the number being entered until the last terminal is told."""

from dataclasses import dataclass
from time import perf_counter

from croupier.bench.broadcast import DEALT
from croupier.bench.closed import closed_loop
from croupier.bench.crowd import Crowd
from croupier.bench.desk import Desk
from croupier.bench.fault import BenchFault
from croupier.bench.scene import Workplace
from croupier.bench.venue import VenueScene, full_house


@dataclass(frozen=True, slots=True)
class Settlement:
    """How long it took from the number to the last terminal's own frame, each time, in milliseconds."""

    terminals: int
    took_ms: tuple[float, ...]


def settlement(terminals: int, repeats: int, workplace: Workplace) -> Settlement:
    """Play rounds in which everybody has chips down."""
    with full_house(DEALT, terminals, workplace) as (scene, crowd), scene.dealer() as desk:
        scene.buy_in(crowd)
        return Settlement(terminals, tuple(settle(scene, crowd, desk) for _ in range(repeats)))


def settle(scene: VenueScene, crowd: Crowd, desk: Desk) -> float:
    """Play one round with everybody's chips down, and tell how long its settlement took to reach the last."""
    scene.round = desk.open_bets()
    crowd.quieten()
    scene.hand_out(crowd)
    placed = closed_loop(crowd, scene.server, 0)
    if placed.unanswered or any(line.refused for line in crowd.lines):
        raise BenchFault("not every terminal could place its bet")
    desk.ask("FinishBetting")
    desk.ask("CloseBets")
    desk.ask("SpinBall")
    crowd.quieten()
    begin = perf_counter()
    number = desk.post("ConfirmResult", pocket="17")
    took = (crowd.until_all(lambda payload: payload.startswith(b'{"t":"seat"')) - begin) * 1000
    desk.await_answer(number)
    crowd.quieten()
    return took
