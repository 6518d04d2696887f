"""The storm: a thousand terminals lose their line at once and come back, until every one has a whole snapshot again."""

from dataclasses import dataclass
from time import perf_counter

from croupier.bench.crowd import Crowd
from croupier.bench.scene import Workplace
from croupier.bench.venue import Croupier, full_house


@dataclass(frozen=True, slots=True)
class Storm:
    """How long it took until all were in sync again, each time, in milliseconds."""

    terminals: int
    dropped: int
    took_ms: tuple[float, ...]


def storm(terminals: int, dropped: int, repeats: int, workplace: Workplace) -> Storm:
    """Cut lines off while a round is open, and let all of them come back in the same moment."""
    with full_house(Croupier(), terminals, workplace) as (scene, crowd):
        scene.begin(crowd)
        return Storm(terminals, dropped, tuple(toss(crowd, dropped) for _ in range(repeats)))


def toss(crowd: Crowd, dropped: int) -> float:
    """Drop so many, and tell how long it takes until they are all in sync again."""
    crowd.quieten()
    lost = crowd.lines[:dropped]
    begin = perf_counter()
    crowd.drop(lost)
    crowd.bring_in(lost, at_once=dropped)
    return (perf_counter() - begin) * 1000
