"""Hours: the clock of a written round, which never goes back, and stands still where the journal's was late."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from croupier.house.name import SECOND, Instant
from croupier.rounds.account import comment
from croupier.rules.transcript import DAY_MS, Act, Line

MICROSECONDS_PER_MS: Final = 1_000
HOUR_MS: Final = 60 * 60 * 1_000
#: How long a silence may be, and what is told of a longer one.
SILENCE: Final = 12 * 60 * 60 * SECOND
HOUR: Final = 60 * 60 * SECOND


class Clock:
    """What time it is in a round, of what time it was in the journal."""

    def __init__(self, now: Instant) -> None:
        self._midnight = now // MICROSECONDS_PER_MS // DAY_MS * DAY_MS
        self._behind = self._before = 0
        self._late_at: Instant | None = None
        self._shown = 0

    def stand_still(self, now: Instant, late: int) -> None:
        """Stand still for as long as something was late; what is late at the same instant counts from the same."""
        if self._late_at != now:
            self._late_at, self._before = now, self._behind
        self._behind = self._before + late

    def pass_over(self, now: Instant) -> bool:
        """Leave most of a long silence out; tell whether there was one."""
        silent = (self._ms(now) - self._shown) * MICROSECONDS_PER_MS
        if silent <= SILENCE:
            return False
        self._behind += silent - HOUR
        return True

    def _ms(self, now: Instant) -> int:
        return (now - self._behind) // MICROSECONDS_PER_MS - self._midnight

    def show(self, now: Instant, *, after: int = 0) -> int:
        """Show a time, at least so much after the last."""
        self._shown = max(self._ms(now), self._shown + after)
        return self._shown


def within_a_day(lines: Sequence[Line]) -> Iterator[Line]:
    """Count the hours from the first where a round goes past midnight; what is later still is told in a comment."""
    times = [line.says.at_ms for line in lines if isinstance(line.says, Act)]
    begins = times[0] // HOUR_MS * HOUR_MS if times[-1] >= DAY_MS else 0
    if begins:
        yield comment(f"past midnight: hours are counted from {begins // HOUR_MS:02d}:00")
    for line in lines:
        if isinstance(line.says, Act):
            act = replace(line.says, at_ms=line.says.at_ms - begins)
            late = act.at_ms >= DAY_MS
            yield comment(f"a day later  {act.actor}  {act.deed}") if late else replace(line, says=act)
        else:
            yield line
