"""The sequencer and its environment: gaming days, moved clocks, full disks, and rulebooks on entries."""

from datetime import UTC, datetime, timedelta

import pytest

from croupier.engine.ports import Accepted
from croupier.house.credit.notes import NoteStacked
from croupier.house.credit.tickets import TicketRedeemed, TicketsExpired
from croupier.house.floor.incidents import IncidentKind
from croupier.house.ids import SECOND, Day, Instant, RoundNumber
from croupier.house.play.betting import BetsChanged, ClearBets
from croupier.house.rounds.closing import BetsClosing
from croupier.house.rounds.opening import OpenBets
from croupier.house.settings import TableSettings
from croupier.house.timers import DayBegan, DayEnded, Tick
from croupier.rules.refusal import Code
from tests.engine.test_guard import dead, incidents
from tests.support.engine_driver import HandClock, code_of
from tests.support.shift import CASHIER, DESK, T1, TABLE, Shift, opening, redeeming

YEAR = 365 * 24 * 3_600


def calendar(at: Instant) -> tuple[Day, Instant]:
    """Days of ten minutes, counted on from the first of January 2026."""
    number = at // (600 * SECOND)
    day = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=number)
    return Day(int(day.strftime("%Y%m%d"))), Instant((number + 1) * 600 * SECOND)


def test_gaming_days_follow_the_calendar() -> None:
    """A day begins when the last has ended, before anything else is done; every entry has the day it was decided in."""
    shift = Shift(calendar=calendar)
    shift.ask(*(each for each in opening() if not isinstance(each, Tick)))
    first = calendar(shift.clock.now())
    assert (shift.house.day, shift.house.day_ends_at) == (0, None)

    shift.ask(shift.note())
    assert (shift.house.day, shift.house.day_ends_at) == first
    shift.ask(shift.note())

    shift.clock.at = first[1]
    shift.ask(shift.note())
    began = [entry.event for entry in shift.entries if isinstance(entry.event, DayBegan | DayEnded)]
    assert began == [DayBegan(*first), DayBegan(*calendar(first[1]))]
    days = [entry.day for entry in shift.entries if isinstance(entry.event, NoteStacked)]
    assert days == [first[0], first[0], calendar(first[1])[0]]


def test_day_that_was_named_by_hand_ends_once() -> None:
    """A day of whose end the house was told ends then, and with no calendar no other begins."""
    shift = Shift.founded()
    shift.ask(Tick(Day(20261116), Instant(shift.clock.at + SECOND)))
    assert shift.run.due() == shift.clock.at + SECOND

    shift.clock.pass_s(2)
    for _ in range(3):
        shift.ask()

    assert [entry.event for entry in shift.entries if isinstance(entry.event, DayEnded)] == [DayEnded(Day(20261116))]


def test_entries_name_the_rulebook_they_stand_under() -> None:
    """What concerns a table or a terminal has its rulebook's digest, and what concerns the whole house has none."""
    shift = Shift.founded()
    shift.ask(shift.note(), OpenBets(TABLE))
    shift.ask(shift.bet())
    digest = shift.house.tables[TABLE].rulebook.digest
    named = {type(entry.event).__name__: entry.rulebook for entry in shift.entries}

    ours = ("TableAdded", "TerminalAdded", "NoteStacked", "BetsOpened", "BetsChanged")
    assert {name for name, rulebook in named.items() if rulebook == digest} == set(ours)
    assert {name for name, rulebook in named.items() if rulebook == ""} == {*named} - {*ours}


@pytest.mark.parametrize("hours", [1, -1, 24 * 3_650, -24 * 3_650])
def test_wall_clock_that_jumps_is_put_on_record_once(hours: int) -> None:
    """Each time the wall clock is moved there is one alarm; the house's time and its timers take no notice."""
    shift = Shift.founded(TableSettings(betting_s=20, warning_s=0))
    shift.ask(OpenBets(TABLE))
    shift.clock.off = hours * 3_600 * SECOND
    for _ in range(3):
        shift.ask()
    assert incidents(shift) == [IncidentKind.CLOCK_JUMPED]
    assert shift.house.tables[TABLE].phase == "open"

    shift.clock.off = 0
    shift.ask()
    shift.clock.off = 2 * SECOND
    shift.ask()
    assert incidents(shift) == [IncidentKind.CLOCK_JUMPED] * 2
    shift.clock.pass_s(20)
    shift.ask()
    assert any(isinstance(entry.event, BetsClosing) for entry in shift.entries)


def test_clock_that_goes_back_ends_the_run() -> None:
    """The engine's own clock never goes back: where it does, nothing is written with an earlier time."""
    shift = Shift.founded()
    shift.clock.at -= 1

    with pytest.raises(AssertionError):
        shift.ask(shift.note())

    shift.clock.at += 1
    dead(shift)


def test_start_with_an_earlier_clock_writes_nothing() -> None:
    """A start whose clock is before the last entry's does not even write its recovery."""
    shift = Shift.founded()
    pages = list(shift.store.stored)

    with pytest.raises(AssertionError):
        Shift(shift.storage, HandClock(at=shift.clock.at - 1))

    assert shift.store.stored == pages


def test_expired_ticket_stays_expired_when_the_clock_is_set_back() -> None:
    """A ticket that has lapsed is not revived by a wall clock set back a year over a restart."""
    shift = Shift.founded(ticket_days=1)
    shift.drawer()
    shift.ticket()
    shift.clock.pass_s(86_400)
    shift.ask(Tick(Day(20261116)))
    assert any(isinstance(entry.event, TicketsExpired) for entry in shift.entries)

    shift.clock.off = -YEAR * SECOND
    again = shift.again()
    again.numbers = {DESK: 100}
    outcomes = again.ask(again.keyed(redeeming(1), DESK, CASHIER), Tick(Day(20251115)))

    assert code_of(outcomes[0]) is Code.TICKET_EXPIRED
    assert (again.house.day, again.house.now) == (20261116, shift.clock.at)
    assert incidents(again) == [IncidentKind.CLOCK_JUMPED]
    assert not any(isinstance(entry.event, TicketRedeemed) for entry in again.entries)


def test_disk_that_fills_up_takes_no_new_bets() -> None:
    """With little room left there is one alarm, new bets are refused, and chips may still be taken back."""
    room = [True]
    shift = Shift(has_room=lambda: room[0])
    shift.ask(*opening())
    shift.ask(shift.note(), OpenBets(TABLE))
    shift.ask(shift.bet())

    room[0] = False
    bet, clear = shift.bet(), shift.keyed(ClearBets(T1, TABLE, RoundNumber(1), 1), T1)
    refused, cleared, note = shift.ask(bet, clear, shift.note())
    assert code_of(refused) is Code.DISK_LOW
    assert isinstance(cleared, Accepted)
    assert isinstance(note, Accepted)
    shift.ask()
    assert incidents(shift) == [IncidentKind.DISK_LOW]

    room[0] = True
    assert isinstance(shift.ask(shift.bet())[0], Accepted)
    assert [type(entry.event) for entry in shift.entries[-1:]] == [BetsChanged]
