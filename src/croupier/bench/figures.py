"""Figures: what one load came to, worked out from every single answer's time."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from croupier.bench.closed import Answered
from croupier.bench.spread import percentile

US: Final = 1_000_000  # in a second
_NS_TO_MS: Final = 1_000_000
#: Later than this by its own timetable, in milliseconds, and it is the client that holds a load down.
LATE_MOST: Final = 1.0


@dataclass(frozen=True, slots=True)
class Load:
    """What one load came to."""

    #: Commands in a second; nothing where everybody asked as fast as they were answered.
    offered: int
    answered: int
    refused: int
    unanswered: int
    per_s: float
    p50_ms: float
    p99_ms: float
    most_ms: float
    #: What the server spent on a command, its own time and the kernel's for it; and the client.
    server_us: float
    client_us: float
    #: Shares of one core.
    server: float
    client: float
    others: float
    #: How late the client was by its own timetable, at the 99th percentile.
    late_ms: float
    #: Whether it was the client that held the rate down.
    limited: bool
    #: Whether somebody else used the machine meanwhile.
    disturbed: bool


def load_of(found: Answered, *, refused: int = 0, offered: int = 0, late: Sequence[int] = (0,)) -> Load:
    """Work out what a load came to."""
    times, shares = found.times, found.shares
    sent = max(1, found.in_time)
    late_ms = percentile(late, 99) / _NS_TO_MS
    return Load(
        offered=offered,
        answered=len(times),
        refused=refused,
        unanswered=found.unanswered,
        per_s=found.in_time / shares.seconds,
        p50_ms=percentile(times, 50) / _NS_TO_MS if times else 0.0,
        p99_ms=percentile(times, 99) / _NS_TO_MS if times else 0.0,
        most_ms=times[-1] / _NS_TO_MS if times else 0.0,
        server_us=shares.server * shares.seconds * US / sent,
        client_us=shares.client * shares.seconds * US / sent,
        server=shares.server,
        client=shares.client,
        others=shares.others,
        late_ms=late_ms,
        # Under an offered load the client never rests: there it shows in how late it is.
        limited=late_ms > LATE_MOST if offered else shares.limited,
        disturbed=shares.disturbed,
    )
