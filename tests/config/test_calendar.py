"""The calendar of gaming days: every instant is in one, and each ends where the next begins."""

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from croupier.engine.ports import gaming_calendar
from croupier.house.ids import SECOND, Day, Instant
from croupier.simulation.world import gaming_day

#: Summer time on either side of the equator, by half an hour, at midnight, in twos, and a day that never was.
ZONES = (
    "UTC",
    "Australia/Adelaide",
    "Asia/Singapore",
    "America/Los_Angeles",
    "Europe/Berlin",
    "Australia/Lord_Howe",
    "America/Santiago",
    "Antarctica/Troll",
    "Africa/Casablanca",
    "Pacific/Apia",
    "Asia/Kathmandu",
)
HOUR = 3_600 * SECOND

zones = st.sampled_from(ZONES)
times = st.builds(time, st.integers(0, 23), st.integers(0, 59))
instants = st.datetimes(datetime(1975, 1, 1), datetime(2060, 1, 1)).map(  # noqa: DTZ001 - made aware in the next line
    lambda each: Instant((each.replace(tzinfo=UTC) - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1))
)


def at(zone: str, *moment: int, fold: int = 0) -> Instant:
    """The instant at which the clock on the wall shows a time there."""
    return Instant(int(datetime(*moment, tzinfo=ZoneInfo(zone), fold=fold).timestamp()) * SECOND)  # type: ignore[misc, arg-type]


@pytest.mark.property
@given(zones, times, instants)
def test_days_follow_each_other_without_a_gap(zone: str, begins: time, now: Instant) -> None:
    """A day has not ended yet, lasts to its last microsecond, and the next one begins where it ends."""
    calendar = gaming_calendar(zone, begins)
    day, ends_at = calendar(now)

    assert now < ends_at <= now + 49 * HOUR
    assert calendar(Instant(ends_at - 1)) == (day, ends_at)
    following, later = calendar(ends_at)
    assert following > day
    assert later > ends_at


@pytest.mark.property
@given(zones, times, instants, st.integers(0, 72 * HOUR))
def test_days_never_go_back(zone: str, begins: time, now: Instant, by: int) -> None:
    """A later instant is never in an earlier day, and its day never ends earlier."""
    calendar = gaming_calendar(zone, begins)

    assert calendar(Instant(now + by)) >= calendar(now)
    assert calendar(Instant(now + by))[1] >= calendar(now)[1]


@pytest.mark.property
@given(zones, times, instants)
def test_day_begins_by_the_clock_on_the_wall(zone: str, begins: time, now: Instant) -> None:
    """The day of an instant is the date there, or the one before it where the day has not begun by the clock."""
    day, ends_at = gaming_calendar(zone, begins)(now)
    here = datetime.fromtimestamp(now // SECOND, ZoneInfo(zone))
    ends = datetime.fromtimestamp(ends_at // SECOND, ZoneInfo(zone))

    assert abs(datetime.strptime(str(day), "%Y%m%d").date() - here.date()) <= timedelta(days=1)  # noqa: DTZ007 - a date
    # Where the clock was put over that time the day begins as much later, in Apia once by a whole day.
    assert ends.time() == begins or ends.utcoffset() != (ends - timedelta(days=2)).utcoffset()


@given(instants)
def test_in_utc_it_is_the_calendar_of_the_simulation(now: Instant) -> None:
    """Where there is no summer time, days are what adding hours gives."""
    assert gaming_calendar("UTC", time(6))(now) == gaming_day(now)


@pytest.mark.parametrize(
    ("zone", "begins", "now", "day", "hours"),
    [
        # An hour is left out on 4 October 2026, and comes twice on 5 April.
        ("Australia/Adelaide", time(6), (2026, 10, 4, 5, 59), 20261003, 23),
        ("Australia/Adelaide", time(6), (2026, 10, 4, 6, 0), 20261004, 24),
        ("Australia/Adelaide", time(6), (2026, 4, 5, 5, 59), 20260404, 25),
        # Half past two is left out: that day begins at half past three.
        ("Australia/Adelaide", time(2, 30), (2026, 10, 4, 3, 29), 20261003, 24),
        ("Australia/Adelaide", time(2, 30), (2026, 10, 4, 3, 30), 20261004, 23),
        # Midnight is left out.
        ("America/Santiago", time(0), (2026, 9, 6, 1, 0), 20260906, 23),
        # 30 December 2011 never was: the day before is followed by the day after.
        ("Pacific/Apia", time(6), (2011, 12, 29, 6, 0), 20111229, 24),
        ("Pacific/Apia", time(6), (2011, 12, 31, 6, 0), 20111231, 24),
        ("Asia/Singapore", time(6), (2026, 11, 15, 5, 59), 20261114, 24),
    ],
)
def test_days_when_clocks_are_changed(zone: str, begins: time, now: tuple[int, ...], day: int, hours: int) -> None:
    """On the days on which clocks are changed, days begin on time and are as long as they are."""
    calendar, instant = gaming_calendar(zone, begins), at(zone, *now)
    found, ends_at = calendar(instant)
    before = calendar(Instant(ends_at - hours * HOUR))

    assert found == Day(day)
    assert before == (found, ends_at)
    assert calendar(Instant(ends_at - hours * HOUR - 1))[0] < found


def test_a_time_that_comes_twice_is_the_first() -> None:
    """Where the clock shows the beginning of a day twice, the day begins with the first, and is not begun again."""
    calendar = gaming_calendar("Australia/Adelaide", time(2, 30))
    first, second = (at("Australia/Adelaide", 2026, 4, 5, 2, 30, fold=fold) for fold in (0, 1))

    assert second == first + HOUR
    assert [calendar(Instant(each))[0] for each in (first - 1, first, second)] == [20260404, 20260405, 20260405]
