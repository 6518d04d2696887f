"""The report: rounds put side by side. Rates are compared within a round, and rounds by their middle one and spread."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from croupier.bench.figures import Load
from croupier.bench.load import Stay
from croupier.bench.run import Round
from croupier.bench.spread import Spread


@dataclass(frozen=True, slots=True)
class Line:
    """One system under one load, over all rounds."""

    system: str
    clients: int
    #: Commands offered in a second; nothing in a closed loop.
    offered: int
    rounds: int
    per_s: Spread
    p50_ms: Spread
    p99_ms: Spread
    server_us: Spread
    client_us: Spread
    late_ms: Spread
    #: Its rate as a part of the echo's, and as a multiple of the ordinary stack's, in the same round.
    of_echo: Spread | None
    of_ordinary: Spread | None
    refused: int
    unanswered: int
    #: In how many rounds the client held the rate down, and in how many somebody else used the machine.
    limited: int
    disturbed: int


def lines(rounds: Sequence[Round]) -> Iterator[Line]:
    """Give one line for each system and load, closed loops first."""
    keys = dict.fromkeys(
        (load.offered, stay.clients, stay.system) for round_ in rounds for stay in round_.stays for load in loads(stay)
    )
    for offered, clients, system in sorted(keys, key=lambda key: key[:2]):
        yield _line(rounds, system, clients, offered)


def loads(stay: Stay) -> tuple[Load, ...]:
    return (stay.closed, *stay.offered)


def _line(rounds: Sequence[Round], system: str, clients: int, offered: int) -> Line:
    found = [load for round_ in rounds if (load := _load(round_, system, clients, offered)) is not None]

    def spread(figure: Callable[[Load], float]) -> Spread:
        return Spread.of(map(figure, found))

    return Line(
        system=system,
        clients=clients,
        offered=offered,
        rounds=len(found),
        per_s=spread(lambda load: load.per_s),
        p50_ms=spread(lambda load: load.p50_ms),
        p99_ms=spread(lambda load: load.p99_ms),
        server_us=spread(lambda load: load.server_us),
        client_us=spread(lambda load: load.client_us),
        late_ms=spread(lambda load: load.late_ms),
        of_echo=_ratio(rounds, system, "echo", clients, offered),
        of_ordinary=_ratio(rounds, system, "ordinary", clients, offered),
        refused=sum(load.refused for load in found),
        unanswered=sum(load.unanswered for load in found),
        limited=sum(load.limited for load in found),
        disturbed=sum(load.disturbed for load in found),
    )


def _load(round_: Round, system: str, clients: int, offered: int) -> Load | None:
    for stay in round_.stays:
        if stay.system == system and stay.clients == clients:
            return next((load for load in loads(stay) if load.offered == offered), None)
    return None


def _ratio(rounds: Sequence[Round], system: str, other: str, clients: int, offered: int) -> Spread | None:
    """Compare two rates within each round; None where there is nothing to compare."""
    if system == other or offered:
        return None
    pairs = [(_load(each, system, clients, 0), _load(each, other, clients, 0)) for each in rounds]
    ratios = [mine.per_s / theirs.per_s for mine, theirs in pairs if mine is not None and theirs is not None]
    return Spread.of(ratios) if ratios else None
