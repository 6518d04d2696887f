"""A slow disk: bets are refused rather than taken late, and betting closes when it is due."""

from collections.abc import Iterator
from itertools import cycle, islice

from croupier.engine.ports import Accepted, Request
from croupier.engine.sequencer import BATCH_MAX, QUEUE_MAX
from croupier.house import AnyCommand
from croupier.house.ids import SECOND, DeviceId, Instant
from croupier.house.play.betting import BetsChanged, ClearBets
from croupier.house.rounds.closing import BetsClosing
from croupier.house.rounds.opening import OpenBets
from croupier.house.settings import TableSettings
from croupier.journal.entry import Entry, IdempotencyKey
from croupier.rules.refusal import Code, Refusal
from tests.support.disk import Disk, Kind, Op
from tests.support.disk_shift import SEAT, TABLE, DiskShift

#: A sync takes so long.
SYNC = SECOND // 2
#: What a turn may wait for: its own sync, and two more where the log is emptied into the file.
TURN = 3 * SYNC
BETTING_S = 2


def slow() -> DiskShift:
    """A house with a round open, on a disk that takes half a second for every sync."""
    shift = DiskShift(Disk())
    shift.begin()
    shift.found(TableSettings(betting_s=BETTING_S))

    def waits(op: Op) -> None:
        shift.clock.at += SYNC if op.kind is Kind.SYNC else 0

    shift.disk.trouble = waits
    shift.must(OpenBets(TABLE))
    return shift


def closes_at(shift: DiskShift) -> Instant:
    at = shift.house.tables[TABLE].playing.closes_at
    assert at is not None
    return at


def over_and_over(shift: DiskShift) -> Iterator[AnyCommand]:
    """Place and clear the same bet for ever."""
    placing = shift.placing(SEAT)
    clearing = ClearBets(placing.terminal, placing.table, placing.round, placing.spin)
    return cycle((placing, clearing))


def crowd(shift: DiskShift, count: int) -> None:
    """Let somebody ask for so many things, faster than the disk."""
    for number, command in enumerate(islice(over_and_over(shift), count), start=1):
        assert shift.run.submit(Request(command, DeviceId(SEAT), key=IdempotencyKey(shift.run.epoch, number))) is None


def entries(shift: DiskShift) -> list[Entry]:
    return [entry for reported in shift.reported for entry in reported.batch.entries]


def test_no_bet_is_taken_after_the_close_is_due() -> None:
    """However much waits, bets are taken while betting is open, and all that comes to its turn later is refused."""
    shift = slow()
    due = closes_at(shift)
    crowd(shift, 8 * BATCH_MAX)
    answers = [answer for _ in range(8) for answer in shift.run.step().responses]

    taken = [isinstance(answer.outcome, Accepted) for answer in answers]
    assert taken.count(True) == sum(taken[: taken.index(False)]) == 3 * BATCH_MAX
    late = [answer.outcome for answer in answers if isinstance(answer.outcome, Refusal)]
    assert {refusal.code for refusal in late} == {Code.BETS_CLOSED}
    assert all(entry.context.now < due for entry in entries(shift) if isinstance(entry.event, BetsChanged))


def test_betting_closes_when_it_is_due() -> None:
    """Betting closes at the first turn after it is due, before any command of that turn, whatever waits."""
    shift = slow()
    due = closes_at(shift)
    crowd(shift, 8 * BATCH_MAX)
    for _ in range(8):
        shift.run.step()

    [closing] = [entry for entry in entries(shift) if isinstance(entry.event, BetsClosing)]
    assert due <= closing.context.now < due + TURN
    [batch] = [reported.batch for reported in shift.reported if closing in reported.batch.entries]
    assert batch.entries[0] == closing
    assert not any(isinstance(answer.outcome, Accepted) for answer in batch.responses)


def test_too_many_that_wait_are_refused() -> None:
    """When the queue is full commands are refused as busy, until a batch has made room."""
    shift = slow()
    crowd(shift, QUEUE_MAX)
    more = Request(shift.placing(SEAT), DeviceId(SEAT), key=IdempotencyKey(shift.run.epoch, QUEUE_MAX + 1))

    busy = shift.run.submit(more)
    assert busy is not None
    assert busy.code is Code.BUSY
    shift.run.step()
    assert [shift.run.submit(more) for _ in range(BATCH_MAX)] == [None] * BATCH_MAX
    again = shift.run.submit(more)
    assert again is not None
    assert again.code is Code.BUSY
