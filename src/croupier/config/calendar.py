"""The calendar of gaming days: which one an instant falls into, and when it ends, where the venue stands."""

from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Final
from zoneinfo import ZoneInfo

from croupier.engine.port import Calendar
from croupier.house.name import SECOND, Day, Instant

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_ONE_DAY: Final = timedelta(days=1)


def gaming_calendar(timezone: str, day_begins: time) -> Calendar:
    """Name gaming days that begin when the clock on the wall there says so, whatever becomes of summer time.

    Where clocks are put forward over that time, the day begins as much later; where it comes twice, with the first.
    """
    # A small machine may have no table of timezones: UTC needs none.
    zone = UTC if timezone == "UTC" else ZoneInfo(timezone)

    def gaming_day(now: Instant) -> tuple[Day, Instant]:
        here = (_EPOCH + timedelta(seconds=now // SECOND)).astimezone(zone)
        # A day may be of any length, and once in a while of none: the last that has begun is the one.
        day = here.date() + _ONE_DAY
        while _begins(day, day_begins, zone) > now:
            day -= _ONE_DAY
        return Day(int(f"{day:%Y%m%d}")), _begins(day + _ONE_DAY, day_begins, zone)

    return gaming_day


def _begins(day: date, at: time, zone: tzinfo) -> Instant:
    return Instant((datetime.combine(day, at, zone) - _EPOCH) // timedelta(microseconds=1))
