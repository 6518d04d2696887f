"""The guard: a command that raises stops no other command, and a failed commit ends the run."""

import sys
from types import FrameType
from typing import NoReturn, cast

import pytest

from croupier.engine import sequencer as sequencing
from croupier.engine.ports import Accepted, BatchOutput, Request
from croupier.house import AnyCommand, House, decide, declare
from croupier.house.credit.notes import NoteStacked
from croupier.house.declare import Decision
from croupier.house.floor import permissions
from croupier.house.floor.incidents import IncidentKind, IncidentRaised, NoteIncident
from croupier.house.ids import Context, DeviceId
from croupier.house.play.betting import PlaceBets
from croupier.house.rounds.closing import CloseBets
from croupier.house.rounds.opening import OpenBets
from croupier.house.rounds.results import BallAtRest
from croupier.house.rounds.spinning import BallLaunched
from croupier.house.timers import Tick
from croupier.house.verification import state_digest
from croupier.journal.disk import Fenced, JournalFault
from croupier.journal.entry import Page
from croupier.rules.geometry import Pocket
from croupier.rules.refusal import Code
from tests.support.engine_driver import code_of, entries_of, stand
from tests.support.shift import CASHIER, DESK, HUNDRED, T1, TABLE, Shift, collecting, placing

#: The house's own tables, as any kind may be put in them here.
DECIDERS: dict[object, object] = cast("dict[object, object]", declare.DECIDERS)
EVOLVERS: dict[object, object] = cast("dict[object, object]", declare.EVOLVERS)


def incidents(shift: Shift) -> list[IncidentKind]:
    return [entry.event.kind for entry in shift.entries if isinstance(entry.event, IncidentRaised)]


def dead(shift: Shift) -> None:
    """Assert that a run does nothing any more: no step, no snapshot, no entry."""
    kept, snapshot = len(shift.store.stored), shift.storage.snapshots.load()
    shift.run.submit(shift.note())

    for act in (shift.run.step, shift.run.take_snapshot, shift.run.stop):
        with pytest.raises((AssertionError, JournalFault)):
            act()
    assert (len(shift.store.stored), shift.storage.snapshots.load()) == (kept, snapshot)


class Tripwire:
    """Stands in for one kind of command or event, and raises."""

    def __init__(self) -> None:
        self.met = 0

    def __call__(self, _house: House, _what: object, _context: Context) -> NoReturn:
        self.met += 1
        raise ZeroDivisionError("within the house")


def test_command_that_cannot_be_worked_out_stops_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """When deciding raises, that command is refused and staff are notified; those before and after it are done."""
    shift = Shift.founded()
    wire = Tripwire()
    monkeypatch.setitem(DECIDERS, OpenBets, wire)

    before, failed, after = shift.ask(shift.note(), OpenBets(TABLE), shift.note())

    assert wire.met == 1
    assert isinstance(before, Accepted)
    assert code_of(failed) is Code.COMMAND_FAILED
    assert isinstance(after, Accepted)
    assert incidents(shift) == [IncidentKind.COMMAND_FAILED]
    assert shift.house.terminals[T1].credit == 2 * HUNDRED
    assert shift.house.tables[TABLE].round is None


def test_refusal_of_a_failed_command_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    """A command that could not be worked out has had its answer: its key gives the same again, and no second alarm."""
    shift = Shift.founded()
    shift.ask(shift.note(), OpenBets(TABLE))
    bet = shift.bet()
    with monkeypatch.context() as within:
        within.setitem(DECIDERS, PlaceBets, Tripwire())
        assert code_of(shift.ask(bet)[0]) is Code.COMMAND_FAILED

    assert code_of(shift.ask(bet)[0]) is Code.COMMAND_FAILED
    assert incidents(shift) == [IncidentKind.COMMAND_FAILED]


@pytest.mark.parametrize("words", ["\ud800", "lone \udfff surrogate"])
def test_what_cannot_be_written_down_is_refused(words: str) -> None:
    """Words that have no form in the journal are refused before anything is decided, and the run goes on."""
    shift = Shift.founded()
    before = state_digest(shift.house)

    outcomes = shift.ask(shift.keyed(NoteIncident("T1", words), DESK, CASHIER), shift.note())

    assert code_of(outcomes[0]) is Code.COMMAND_FAILED
    assert isinstance(outcomes[1], Accepted)
    assert incidents(shift) == [IncidentKind.COMMAND_FAILED]
    assert state_digest(shift.house) != before
    assert state_digest(shift.again().recovered.house) != before


def test_stranger_whose_words_cannot_be_written_leaves_no_trace() -> None:
    """A sender who is not enrolled is refused such a command, and staff are not notified."""
    shift = Shift.founded()
    before = state_digest(shift.house)
    (outcome,) = shift.ask(shift.keyed(NoteIncident("T1", "\ud800"), "stranger"))

    assert code_of(outcome) is Code.COMMAND_FAILED
    assert state_digest(shift.house) == before


def test_nobody_is_alarmed_before_there_is_a_house(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before a house is founded whoever asks is told so, whatever the key, and a command that fails alarms nobody."""
    shift = Shift()
    requested = [shift.keyed(command, T1, number=1) for command in (OpenBets(TABLE), Tick())]
    codes = [code_of(outcome) for outcome in shift.ask(*requested)]
    monkeypatch.setattr(permissions, "require_permitted", Tripwire())
    codes += [code_of(outcome) for outcome in shift.ask(OpenBets(TABLE))]

    assert codes == [Code.HOUSE_NOT_FOUNDED, Code.HOUSE_NOT_FOUNDED, Code.COMMAND_FAILED]
    assert shift.store.stored == []
    assert shift.run.due() is None


def test_event_that_cannot_be_carried_out_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where carrying out raises, nothing of the batch is kept or told, and the run does nothing any more."""
    shift = Shift.founded()
    pages, reported, before = len(shift.store.stored), len(shift.outbox.batches), state_digest(shift.house)
    with monkeypatch.context() as within:
        within.setitem(EVOLVERS, NoteStacked, Tripwire())
        with pytest.raises(ZeroDivisionError):
            shift.ask(OpenBets(TABLE), shift.note())

    assert (len(shift.store.stored), len(shift.outbox.batches)) == (pages, reported)
    dead(shift)
    assert state_digest(shift.again().recovered.house) == before


@pytest.mark.parametrize("kept", [True, False], ids=["kept", "lost"])
def test_commit_that_fails_ends_the_run(monkeypatch: pytest.MonkeyPatch, *, kept: bool) -> None:
    """When the store raises nothing is acknowledged; after a restart the key shows whether the batch was committed."""
    shift = Shift.founded()
    append, reported = shift.store.append, len(shift.outbox.batches)

    def failing(page: Page) -> None:
        if kept:
            append(page)
        raise JournalFault("the disk said no")

    note = shift.note()
    with monkeypatch.context() as within:
        within.setattr(shift.store, "append", failing)
        with pytest.raises(JournalFault, match="the disk said no"):
            shift.ask(note)

    assert len(shift.outbox.batches) == reported
    dead(shift)
    again = shift.again()
    (outcome,) = again.ask(note)
    assert isinstance(outcome, Accepted) is kept
    assert again.house.terminals[T1].credit == (HUNDRED if kept else 0)


def test_outbox_that_fails_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """When publishing fails the batch is committed, and its response is found by its key after a restart."""
    shift = Shift.founded()
    note, position = shift.note(), shift.run.writer.head.position + 1

    def failing(_batch: BatchOutput) -> None:
        raise ConnectionError("nobody is there")

    with monkeypatch.context() as within:
        within.setattr(shift.outbox, "publish", failing)
        with pytest.raises(ConnectionError):
            shift.ask(note)

    dead(shift)
    assert [*map(entries_of, shift.again().ask(note))] == [(position, position)]


def test_writer_of_an_earlier_epoch_is_fenced() -> None:
    """Once somebody else has started on the same journal, the earlier run writes nothing more and tells nobody."""
    shift = Shift.founded()
    other = shift.again()

    with pytest.raises(Fenced):
        shift.ask(shift.note())

    dead(shift)
    assert isinstance(other.ask(other.note())[0], Accepted)


class Trap:
    """Raises at the n-th call of a function of the house while a command is decided, and only once."""

    def __init__(self, place: int) -> None:
        self.left = place
        self.set = True

    def __call__(self, frame: FrameType, event: str, _argument: object) -> None:
        if event == "call" and frame.f_globals["__name__"].startswith("croupier.house."):
            self.left -= 1
            if self.left == 0:
                raise ZeroDivisionError("within the house")

    def decide(self, house: House, command: AnyCommand, context: Context) -> Decision:
        """Decide the first command with the trap set, and those after it without."""
        trapped, self.set = self.set, False
        sys.setprofile(self if trapped else None)
        try:
            return decide(house, command, context)
        finally:
            sys.setprofile(None)


def without_incidents(house: House) -> str:
    incidents, raised = house.incidents.all, house.incidents.raised
    house.incidents.all, house.incidents.raised = {}, 0
    print_ = state_digest(house)
    house.incidents.all, house.incidents.raised = incidents, raised
    return print_


WHEEL = DeviceId(TABLE)


@pytest.mark.parametrize(
    ("before", "requested"),
    [
        ((), Request(placing("17", 500), DeviceId(T1))),
        ((), Request(collecting(1), DeviceId(T1))),
        ((Request(placing("17", 500), DeviceId(T1)),), Request(CloseBets(TABLE))),
        (
            (
                Request(placing("17", 500), DeviceId(T1)),
                Request(CloseBets(TABLE)),
                Request(BallLaunched(TABLE, opposite=True), WHEEL),
            ),
            Request(BallAtRest(TABLE, Pocket("17"), 9, opposite=True), WHEEL),
        ),
    ],
    ids=["a bet", "collecting", "the close", "a result"],
)
def test_exception_anywhere_in_deciding_changes_nothing(
    monkeypatch: pytest.MonkeyPatch, before: tuple[Request, ...], requested: Request
) -> None:
    """At whichever call within the house deciding fails, the command is refused, nothing has changed, and all go on."""
    shift = Shift.founded()
    shift.ask(shift.note(), OpenBets(TABLE), *before)
    was, failed = without_incidents(shift.house), 0
    while True:
        trap = Trap(failed + 1)
        monkeypatch.setattr(sequencing, "decide", trap.decide)
        first, second = shift.ask(requested, Tick())
        assert isinstance(second, Accepted)
        if trap.left > 0:
            break
        failed += 1
        assert code_of(first) is Code.COMMAND_FAILED
        assert without_incidents(shift.house) == was

    assert failed > 5
    assert isinstance(first, Accepted), first
    # Nobody has looked at the first yet.
    assert incidents(shift) == [IncidentKind.COMMAND_FAILED]
    monkeypatch.undo()
    assert state_digest(stand(shift.storage).house) == state_digest(shift.house)
