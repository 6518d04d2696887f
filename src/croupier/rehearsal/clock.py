"""Time by hand: it passes when it is told to, the wall clock may be set to anything, and each start has its clock."""

from datetime import UTC, date, datetime, timedelta
from typing import Final

from croupier.house.name import SECOND, Day, Instant

#: Six o'clock in the evening of 15 November 2026, in microseconds.
EVENING: Final = 1_794_765_600_000_000


class Time:
    """The time that has truly gone by, and what the wall clock says, whoever has set it."""

    def __init__(self) -> None:
        self.elapsed = 0
        self._set_by = 0

    def go_by(self, microseconds: int) -> None:
        self.elapsed += microseconds

    def set_wall(self, by: int) -> None:
        """Set the wall clock forward or back; never to before there were clocks."""
        self._set_by = max(self._set_by + by, -EVENING)

    def wall(self) -> Instant:
        return Instant(EVENING + self.elapsed + self._set_by)


class HandClock:
    """The clock of one start: the wall's time then, but not before what stands in the journal, and on from there."""

    def __init__(self, time: Time, since: Instant) -> None:
        self._time, self._began = time, time.elapsed
        self._base = max(time.wall(), since)

    def now(self) -> Instant:
        return Instant(self._base + self._time.elapsed - self._began)

    def wall(self) -> Instant:
        return self._time.wall()


#: Gaming days end at six in the morning.
DAY_BEGINS: Final = timedelta(hours=6)


def gaming_day(now: Instant) -> tuple[Day, Instant]:
    """Name the gaming day of an instant, and when it ends."""
    today = datetime.fromtimestamp(now // SECOND, UTC) - DAY_BEGINS
    ends = datetime(today.year, today.month, today.day, tzinfo=UTC) + timedelta(days=1) + DAY_BEGINS
    return _written(today), Instant(int(ends.timestamp()) * SECOND)


def day_after(day: Day) -> Day:
    """Name the gaming day after another."""
    return _written(date.fromisoformat(str(day)) + timedelta(days=1))


def _written(day: date) -> Day:
    return Day(int(f"{day:%Y%m%d}"))
