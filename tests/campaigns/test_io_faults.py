"""Faults of the disk: at whatever operation it fails, nothing is told after it, and a new start finds the truth."""

from collections.abc import Callable, Iterator
from functools import cache
from itertools import count
from typing import Final

import apsw
import pytest

from croupier.engine.audit import audit
from croupier.engine.ports import Accepted, Request, Response
from croupier.house.floor.incidents import IncidentFacts, IncidentKind, RaiseAlarm
from croupier.house.verification import state_digest
from croupier.journal.disk import JournalFault
from croupier.journal.entry import EMPTY_HEAD
from croupier.journal.pages import verify_chain
from croupier.rulebooks.schema import read_canonical
from croupier.rules.refusal import Code, Refusal
from tests.campaigns.test_power_loss import Brisk
from tests.support.campaign import many
from tests.support.disk import Disk, Kind, Op, ShortWrite, no_trouble
from tests.support.disk_shift import SIGNER, DiskShift
from tests.support.powerloss import missing

pytestmark = pytest.mark.untraced

#: What may fail.
FALLIBLE: Final = (Kind.WRITE, Kind.TRUNCATE, Kind.SYNC)
ALARM: Final = RaiseAlarm(IncidentKind.COMMAND_FAILED, "system", IncidentFacts("Is anybody there?"))


class Fails:
    """Trouble at one operation, or from there on; and how much had been told by then."""

    def __init__(self, shift: DiskShift, at: int, error: type[apsw.Error], *, lasting: bool) -> None:
        self._shift, self._at, self._error, self._lasting = shift, at, error, lasting
        self._seen = 0
        self.reported: int | None = None

    def __call__(self, op: Op) -> apsw.Error | None:
        self._seen += op.kind in FALLIBLE
        if op.kind not in FALLIBLE or not (self._seen == self._at or (self._lasting and self.reported is not None)):
            return None
        if self.reported is None:
            self.reported = len(self._shift.reported)
        return self._error("the disk failed")


@cache
def closed() -> DiskShift:
    """A house that has played a round and was closed in good order."""
    shift = DiskShift(Disk(), Brisk)
    shift.begin()
    shift.found()
    shift.round()
    shift.run.stop()
    return shift


@cache
def interrupted() -> DiskShift:
    """A house whose process was killed while the ball ran."""
    shift = closed().twin()
    shift.begin()
    shift.open()
    shift.close_bets()
    shift.crash()
    return shift


def play_rounds(shift: DiskShift, rounds: int) -> None:
    """Play some rounds and stop in good order."""
    for _ in range(rounds):
        shift.round()
    shift.run.stop()


def until_clean(play: Callable[[int], bool]) -> int:
    """Fail one operation after the other, until there is none left to fail; tell how many there were."""
    return next(number for number in count(1) if play(number)) - 1


def is_committed(shift: DiskShift, requested: Request) -> bool:
    """Tell whether anything of a command is in the journal."""
    entries = (entry for page in verify_chain(shift.store.pages(), EMPTY_HEAD) for entry in page.entries)
    return any(
        entry.cause is not None and (entry.context.device, entry.cause.key) == (requested.device, requested.key)
        for entry in entries
    )


def refusals(shift: DiskShift) -> Iterator[Response]:
    for reported in shift.reported:
        yield from (answer for answer in reported.batch.responses if isinstance(answer.outcome, Refusal))


def start_again(shift: DiskShift) -> None:
    """Start on a disk that works, and assert that all that was told is true."""
    requested = shift.requested[-1]
    shift.crash()
    shift.begin()

    assert missing(shift.store, shift.reported) is None
    assert not any(is_committed(shift, answer.request) for answer in refusals(shift))
    was_kept = is_committed(shift, requested)
    again = shift.again(requested).outcome
    assert isinstance(again, Accepted) if was_kept else isinstance(again, Refusal) and again.code is Code.KEY_STALE
    assert isinstance(shift.ask(ALARM).outcome, Accepted)
    findings = audit(shift.store, SIGNER.verifier, read_canonical, shift.read())
    assert findings.state == state_digest(shift.house)
    shift.run.stop()


def dead(shift: DiskShift) -> None:
    """Assert that a run which met a fault does nothing more."""
    reported = len(shift.reported)
    with pytest.raises((JournalFault, AssertionError)):
        shift.ask(ALARM)
    shift.requested.pop()
    assert len(shift.reported) == reported


@pytest.mark.campaign
@pytest.mark.parametrize("lasting", [False, True], ids=["once", "from then on"])
@pytest.mark.parametrize("error", [apsw.IOError, apsw.FullError, ShortWrite], ids=["error", "full", "short"])
def test_fault_at_any_operation_ends_the_run(error: type[apsw.Error], *, lasting: bool) -> None:
    """At whatever write, cut or sync the disk fails: nothing is told after it, and a new start knows what was kept."""

    def play(number: int) -> bool:
        shift = closed().twin()
        shift.begin()
        fails = shift.disk.trouble = Fails(shift, number, error, lasting=lasting)
        try:
            play_rounds(shift, many(day=1, night=3))
        except JournalFault:
            assert len(shift.reported) == fails.reported
            dead(shift)
            start_again(shift)
            return False
        # No fault is passed over.
        assert fails.reported is None
        return True

    assert until_clean(play) > 25


@pytest.mark.campaign
@pytest.mark.parametrize("lasting", [False, True], ids=["once", "from then on"])
@pytest.mark.parametrize("error", [apsw.IOError, apsw.FullError, ShortWrite], ids=["error", "full", "short"])
def test_fault_during_recovery_changes_nothing(error: type[apsw.Error], *, lasting: bool) -> None:
    """At whatever operation a recovery fails, and the next one too, the third ends as one that never failed."""
    clean = interrupted().twin()
    clean.begin()
    state = state_digest(clean.house)

    def play(number: int) -> bool:
        shift = interrupted().twin()
        met = [_failed(shift, number, error, lasting=lasting) for _ in range(2)]
        shift.begin()
        assert state_digest(shift.house) == state
        assert missing(shift.store, shift.reported) is None
        audit(shift.store, SIGNER.verifier, read_canonical, shift.read())
        return not any(met)

    assert until_clean(play) > 15


def _failed(shift: DiskShift, number: int, error: type[apsw.Error], *, lasting: bool) -> bool:
    """Try to start on a disk that fails, and be killed; tell whether the fault was met."""
    fails = Fails(shift, number, error, lasting=lasting)
    shift.disk.trouble = fails
    try:
        shift.begin()
    except JournalFault:
        assert len(shift.reported) == fails.reported
    shift.crash()
    return fails.reported is not None


def test_disk_that_fills_up_takes_nothing_with_it() -> None:
    """However early a disk fills up, what was told is there when room is made, and play goes on."""
    step = 1_024

    def play(number: int) -> bool:
        shift = closed().twin()
        shift.begin()
        shift.disk.room = shift.disk.used + step * (number - 1)
        try:
            play_rounds(shift, 1)
        except JournalFault:
            dead(shift)
            shift.disk.room = None
            start_again(shift)
            return False
        return True

    assert until_clean(play) > 10


def test_fault_is_the_disks_own() -> None:
    """Without trouble the same shift goes by without a fault."""
    shift = closed().twin()
    shift.begin()
    shift.disk.trouble = no_trouble
    play_rounds(shift, 3)
    shift.begin()

    assert missing(shift.store, shift.reported) is None
