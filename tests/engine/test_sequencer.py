"""The sequencer: the order in which commands are decided, committed and published, and what it refuses."""

import pytest

from croupier.engine import sequencer
from croupier.engine.ports import Accepted, Ports, Request
from croupier.engine.sequencer import BATCH_MAX, QUEUE_MAX, IdempotencyCache, Sequencer
from croupier.house.credit.notes import NoteStacked
from croupier.house.ids import SECOND, TerminalId
from croupier.house.rounds.closing import BetsClosing
from croupier.house.rounds.opening import OpenBets
from croupier.house.rounds.recovery import RaiseSystemMalfunction, TerminalsRefunded
from croupier.house.settings import TableSettings
from croupier.house.timers import Tick
from croupier.journal.entry import Page
from croupier.journal.stores.memory import MemoryJournal
from croupier.rules.money import Cents
from croupier.rules.refusal import Code
from tests.support.engine_driver import HandClock, RecordingOutbox, code_of, entries_of
from tests.support.house_driver import cents
from tests.support.live_driver import LiveFloor
from tests.support.shift import HUNDRED, T1, T2, TABLE, Shift, placing


def test_commands_are_taken_in_the_order_in_which_they_came() -> None:
    """Answers have the order of the commands, and entries have it too, with positions that go on without a gap."""
    shift = Shift.founded()
    requested = [shift.note(T1), shift.note(T2), shift.note(T1, 500), shift.note(T2, 1_000)]
    before = shift.run.writer.head.position

    shift.ask(*requested)
    batch = shift.outbox.batches[-1]

    assert [answer.request for answer in batch.responses] == requested
    assert [entry.position for entry in batch.entries] == [before + n for n in (1, 2, 3, 4)]
    assert [entries_of(answer.outcome) for answer in batch.responses] == [(before + n,) * 2 for n in (1, 2, 3, 4)]
    assert [entry.event for entry in batch.entries] == [
        NoteStacked(T1, HUNDRED),
        NoteStacked(T2, HUNDRED),
        NoteStacked(T1, Cents(500)),
        NoteStacked(T2, Cents(1_000)),
    ]


def test_one_step_is_one_page() -> None:
    """However many commands a step takes, the store is asked once; a step with nothing to keep asks it for nothing."""
    shift = Shift.founded()
    pages = len(shift.store.stored)

    shift.ask(*(shift.note() for _ in range(50)))
    assert len(shift.store.stored) == pages + 1

    shift.ask()
    shift.ask(shift.keyed(placing("17", 500), T1))
    assert len(shift.store.stored) == pages + 1


def test_answers_leave_only_once_they_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """When the store is asked to keep a page nobody has been told anything of it, refusals of its batch included."""
    shift = Shift.founded()
    reported: list[int] = []
    append = shift.store.append

    def watched(page: Page) -> None:
        reported.append(len(shift.outbox.batches))
        append(page)

    monkeypatch.setattr(shift.store, "append", watched)
    before = len(shift.outbox.batches)
    shift.ask(shift.bet(), shift.note())

    assert reported == [before]
    assert len(shift.outbox.batches) == before + 1
    assert len(shift.outbox.batches[-1].responses) == 2


def test_two_commands_race_for_the_same_credit() -> None:
    """Of two bets in one batch that only one credit covers, the first has it, and the second sees that it is gone."""
    shift = Shift.founded()
    shift.ask(shift.note(T1), OpenBets(TABLE))

    first, second = shift.ask(shift.bet("17", 6_000), shift.bet("18", 6_000))

    assert isinstance(first, Accepted)
    assert code_of(second) is Code.CREDIT_SHORT
    assert shift.house.terminals[T1].credit == 4_000


@pytest.mark.parametrize(("late_us", "taken"), [(-1, True), (0, False), (2 * SECOND, False)])
def test_bet_that_is_taken_after_the_close_is_refused(late_us: int, *, taken: bool) -> None:
    """A bet that waited while the time ran out is refused: what is due comes before what waits, on the dot and late."""
    shift = Shift.founded(TableSettings(betting_s=20, warning_s=0))
    shift.ask(shift.note(), OpenBets(TABLE))
    requested = shift.bet()
    closes_at = shift.house.tables[TABLE].playing.closes_at
    assert closes_at is not None

    shift.clock.at = closes_at + late_us
    (outcome,) = shift.ask(requested)

    assert isinstance(outcome, Accepted) is taken
    assert any(isinstance(entry.event, BetsClosing) for entry in shift.entries) is not taken
    if not taken:
        assert code_of(outcome) is Code.BETS_CLOSED


def test_bet_of_one_round_is_not_placed_in_the_next() -> None:
    """A bet that names a round which is over is refused in the next: it is late, whatever key it comes with."""
    shift = Shift.founded()
    shift.ask(shift.note(), OpenBets(TABLE))
    delayed = placing("17", 500, number=1)
    again = shift.again()
    again.ask(OpenBets(TABLE))

    assert again.house.tables[TABLE].playing.number == 2
    assert code_of(again.ask(again.keyed(delayed, T1))[0]) is Code.WRONG_ROUND
    assert isinstance(again.ask(again.bet())[0], Accepted)


def test_queue_is_bounded() -> None:
    """When as many commands wait as may, the next is refused as busy and not taken late; once they are taken, it is."""
    shift = Shift.founded()
    for _ in range(QUEUE_MAX):
        assert shift.run.submit(Request(Tick())) is None

    refusal = shift.run.submit(Request(Tick()))
    assert refusal is not None
    assert refusal.code is Code.BUSY
    assert shift.run.due() == shift.house.now

    assert len(shift.run.step().responses) == BATCH_MAX
    assert shift.run.submit(Request(Tick())) is None
    while shift.run.step().responses:
        pass
    assert sum(len(batch.responses) for batch in shift.outbox.batches[2:]) == QUEUE_MAX + 1
    assert shift.run.due() is None


def test_what_waits_is_not_said_to_be_undone_though_the_queue_is_full() -> None:
    """Who repeats a command for which there is no room hears that nothing was done only if it has not come before."""
    shift = Shift.founded()
    note, later = shift.note(T1), shift.note(T1)
    assert shift.run.submit(note) is None
    for _ in range(QUEUE_MAX - 1):
        assert shift.run.submit(Request(Tick())) is None

    said = [shift.run.submit(each) for each in (note, later)]
    assert [refusal.code for refusal in said if refusal] == [Code.BUSY, Code.BUSY]
    assert ["nothing was done" in refusal.message for refusal in said if refusal] == [False, True]


def test_refund_of_all_terminals_of_a_large_table_is_a_step_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """A malfunction of the system during open bets refunds the terminals of a large live table in a step of its own."""
    monkeypatch.setattr(sequencer, "LARGE_TABLE", 0)
    floor = LiveFloor(terminals={"T1": 100})
    floor.open()
    floor.bet("T1", "5 on red")
    ports = Ports(HandClock(floor.now), RecordingOutbox())
    started = Sequencer(floor.house, MemoryJournal().writer, IdempotencyCache(), ports)
    started.submit(Request(RaiseSystemMalfunction(floor.table.id, "Screens are dark.")))
    (game,) = floor.house.terminals[TerminalId("T1")].games.values()

    steps = started.building()
    next(steps)
    assert game.staked == cents(5)
    next(steps)
    assert game.staked == 0
    with pytest.raises(StopIteration) as built:
        next(steps)
    kinds = [type(entry.event) for entry in built.value.value.output.entries]
    assert TerminalsRefunded in kinds
