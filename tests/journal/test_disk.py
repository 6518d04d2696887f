"""Disk reserve: new bets stop before the disk is full, and running rounds are settled."""

import os
from pathlib import Path

import pytest

from croupier.engine.ports import Accepted
from croupier.house.floor.incidents import IncidentKind
from croupier.house.play.betting import ClearBets
from croupier.house.rounds.opening import OpenBets
from croupier.house.state.tables import RoundStatus
from croupier.journal.disk import DiskReserve, JournalFault, free_bytes
from croupier.rules.refusal import Code, Refusal
from tests.support.disk import Disk
from tests.support.disk_shift import SEAT, TABLE, DiskShift
from tests.support.powerloss import missing

LOW, SIZE = 1_000, 5_000
#: Enough for what is under way on a small house, and for the start after it.
LOW_WATER, KEPT_BACK = 100_000, 60_000


class Room:
    """A disk whose free space is set by hand; the reserve takes its part of it."""

    def __init__(self, directory: Path, total: int) -> None:
        self.directory, self.total = directory, total

    def free(self, _directory: Path) -> int:
        return self.total - (SIZE if self.is_locked else 0)

    @property
    def is_locked(self) -> bool:
        return (self.directory / "reserve").exists()

    def reserve(self) -> DiskReserve:
        return DiskReserve(self.directory, low_bytes=LOW, reserve_bytes=SIZE, free=self.free)


@pytest.mark.parametrize(
    ("total", "room"), [(0, False), (LOW, False), (LOW + SIZE - 1, False), (LOW + SIZE, True), (1_000_000, True)]
)
def test_room_is_for_the_reserve_and_low_water(tmp_path: Path, total: int, *, room: bool) -> None:
    """There is room where the reserve fits and low water is left beside it; then the reserve is kept back."""
    disk = Room(tmp_path, total)

    assert disk.reserve().has_room() is room
    assert disk.is_locked is room


def test_reserve_is_real(tmp_path: Path) -> None:
    """What is kept back takes real blocks on the disk."""
    assert DiskReserve(tmp_path, low_bytes=0, reserve_bytes=100_000).has_room()
    assert (tmp_path / "reserve").stat().st_blocks * 512 >= 100_000


def test_reserve_that_was_cut_short_is_filled_up(tmp_path: Path) -> None:
    """A reserve of no or too few blocks, as a cut leaves it, is none: it is kept back anew before there is room."""
    (tmp_path / "reserve").write_bytes(b"")
    assert DiskReserve(tmp_path, low_bytes=0, reserve_bytes=100_000).has_room()
    assert (tmp_path / "reserve").stat().st_blocks * 512 >= 100_000


def test_reserve_is_held_while_the_disk_fills_up(tmp_path: Path) -> None:
    """A disk that fills up has no room below low water, and the reserve is held for whoever starts next."""
    disk = Room(tmp_path, LOW + SIZE)
    reserve = disk.reserve()
    assert reserve.has_room()
    disk.total -= 1

    assert not reserve.has_room()
    assert disk.is_locked
    disk.total += 1
    assert reserve.has_room()


def test_reserve_is_given_up_at_a_start_that_finds_too_little(tmp_path: Path) -> None:
    """A start below low water gives the reserve up, and has room again only when it can be kept back once more."""
    disk = Room(tmp_path, LOW + SIZE)
    assert disk.reserve().has_room()
    disk.total -= 1
    reserve = disk.reserve()

    assert not disk.is_locked
    assert disk.free(tmp_path) > LOW
    assert not reserve.has_room()
    disk.total += 1
    assert reserve.has_room()
    assert disk.is_locked


def test_reserve_outlasts_a_start_that_finds_enough(tmp_path: Path) -> None:
    """A start that finds room leaves the reserve as it is."""
    disk = Room(tmp_path, LOW + SIZE)
    assert disk.reserve().has_room()
    disk.reserve()

    assert disk.is_locked


def test_reserve_that_cannot_be_had_is_no_room(tmp_path: Path) -> None:
    """Where the disk said that there is room and has none, there is none, and nothing is left behind."""
    reserve = DiskReserve(tmp_path, low_bytes=0, reserve_bytes=1 << 62, free=lambda _: 1 << 63)

    assert not reserve.has_room()
    assert list(tmp_path.iterdir()) == []


def test_free_room_is_the_systems_word(tmp_path: Path) -> None:
    """Free room is what the system says that others than its administrator may still write."""
    there = os.statvfs(tmp_path)

    assert free_bytes(tmp_path) == pytest.approx(there.f_bavail * there.f_frsize, rel=0.1)
    assert DiskReserve(tmp_path / "new", low_bytes=0, reserve_bytes=1).has_room()


def alarms(shift: DiskShift) -> int:
    return sum(incident.kind is IncidentKind.DISK_LOW for incident in shift.house.incidents.all.values())


def filling(tmp_path: Path, left: int) -> DiskShift:
    """A house with a round open, on a disk with little left above the reserve and low water."""
    shift = DiskShift(Disk())
    shift.begin()
    shift.found()
    shift.run.stop()
    shift.disk.room = shift.disk.used + left + LOW_WATER + KEPT_BACK
    shift.has_room = reserve(shift, tmp_path).has_room
    shift.begin()
    shift.open()
    return shift


def reserve(shift: DiskShift, directory: Path) -> DiskReserve:
    """A reserve for a disk in memory: what the file takes is taken from its room."""
    file = directory / "reserve"

    def free(_directory: Path) -> int:
        assert shift.disk.room is not None
        return shift.disk.room - shift.disk.used - (KEPT_BACK if file.exists() else 0)

    return DiskReserve(directory, low_bytes=LOW_WATER, reserve_bytes=KEPT_BACK, free=free)


def until_low(shift: DiskShift) -> Refusal:
    """Bet until no more bets are taken, and give the reason."""
    while True:
        answer = shift.ask(shift.placing(SEAT, stake=100), SEAT)
        if isinstance(answer.outcome, Refusal):
            return answer.outcome


def test_bets_stop_before_the_disk_is_full(tmp_path: Path) -> None:
    """On a disk that fills up, new bets are refused and staff told once; bets come back, and the round is settled."""
    shift = filling(tmp_path, 100_000)

    assert until_low(shift).code is Code.DISK_LOW
    assert until_low(shift).code is Code.DISK_LOW
    assert alarms(shift) == 1
    assert isinstance(shift.ask(clearing(shift), SEAT).outcome, Accepted)
    shift.close_bets()
    shift.rest()
    assert shift.house.tables[TABLE].playing.status is RoundStatus.SETTLED
    assert alarms(shift) == 1


def clearing(shift: DiskShift) -> ClearBets:
    placing = shift.placing(SEAT)
    return ClearBets(placing.terminal, placing.table, placing.round, placing.spin)


def test_alarm_is_raised_again_when_room_was_there_between(tmp_path: Path) -> None:
    """When room is made, bets are taken again; when it is gone again, staff are notified again."""
    shift = filling(tmp_path, 100_000)
    until_low(shift)
    assert shift.disk.room is not None
    shift.disk.room += 100_000

    assert isinstance(shift.ask(shift.placing(SEAT, stake=100), SEAT).outcome, Accepted)
    assert alarms(shift) == 1
    until_low(shift)
    assert alarms(shift) == 2


def test_start_on_a_full_disk_has_the_reserve(tmp_path: Path) -> None:
    """On a disk that others filled the run ends; a start gives the reserve up, recovers, and loses nothing."""
    shift = filling(tmp_path, 100_000)
    shift.disk.room = shift.disk.used
    with pytest.raises(JournalFault, match="FullError"):
        shift.close_bets()
    shift.crash()
    assert (tmp_path / "reserve").exists()
    shift.has_room = reserve(shift, tmp_path).has_room
    assert not (tmp_path / "reserve").exists()
    shift.disk.room += KEPT_BACK
    shift.begin()

    assert missing(shift.store, shift.reported) is None
    assert shift.house.tables[TABLE].playing.status is RoundStatus.VOID
    assert isinstance(shift.ask(OpenBets(TABLE)).outcome, Accepted)
    assert until_low(shift).code is Code.DISK_LOW
