"""Timers: a heap that follows from the state, fires in a fixed order, and costs the same however many are pending."""

import random

import pytest

from croupier.engine.ports import Accepted
from croupier.engine.sequencer import TIMERS_MAX
from croupier.engine.storage import decode_state, encode_state
from croupier.house import House
from croupier.house.floor import malfunctions
from croupier.house.floor.malfunctions import MalfunctionRaised
from croupier.house.floor.service import ReportTerminalLost, ReportTerminalReturned
from croupier.house.floor.settings import ChangeSettings
from croupier.house.floor.setup import AddTable, AddTerminal
from croupier.house.ids import SECOND, Instant, TableId, TerminalId
from croupier.house.rounds.closing import BetsClosing
from croupier.house.rounds.opening import OpenBets
from croupier.house.settings import TableSettings, TerminalSettings
from croupier.house.state.tables import Terminal
from croupier.house.state.timer_heap import Timer, TimerKind, Timers
from croupier.house.timers import Tick, due
from croupier.house.verification import ledger_problems
from croupier.rules.refusal import Code
from tests.support.engine_driver import code_of, done
from tests.support.house_driver import A2, T3, CheckedHouse
from tests.support.shift import T1, TABLE, Shift

TABLE_KIND, OFFLINE = TimerKind.TABLE, TimerKind.OFFLINE


def test_timers_fire_as_a_sorted_list_would() -> None:
    """Whatever is set, moved and cancelled, the front is the earliest that is pending, and the heap stays small."""
    chance, timers = random.Random(16), Timers()  # noqa: S311 - a seed, not a secret
    pending: dict[tuple[TimerKind, str], Timer] = {}
    names = {TABLE_KIND: ["t2", "t1", "t3"], OFFLINE: [f"T{each}" for each in range(40)]}
    for name in names[TABLE_KIND]:
        timers.schedule(TABLE_KIND, name, None)
    for _ in range(20_000):
        kind = chance.choice((TABLE_KIND, OFFLINE))
        name = chance.choice(names[kind])
        at = None if chance.random() < 0.3 else Instant(chance.randrange(50))
        timers.schedule(kind, name, at)
        if at is None:
            pending.pop((kind, name), None)
        else:
            pending[kind, name] = Timer(at, kind, names[kind].index(name) if kind is TABLE_KIND else 0, name)
        assert timers.first == min(pending.values(), default=None)
        assert timers.due(kind, name) == at
    assert sorted(timers.pending()) == sorted(pending.values())
    assert len(timers._heap) <= 2 * len(pending) + 65  # noqa: SLF001 - how much it holds is the point


def test_timer_that_is_cancelled_is_gone() -> None:
    """A timer that is cancelled does not fire, and one that is not set can be cancelled too."""
    timers = Timers()
    timers.schedule(OFFLINE, "T1", Instant(5))
    timers.cancel(OFFLINE, "T1")
    timers.cancel(OFFLINE, "T2")
    assert (timers.first, timers.due(OFFLINE, "T1"), list(timers.pending())) == (None, None, [])


def offline(pit: CheckedHouse, count: int) -> list[TerminalId]:
    """Add terminals, and have all of them lose their link in the reverse order of their names."""
    names = [TerminalId(f"N{each:04}") for each in range(count)]
    for name in names:
        pit.done(AddTerminal(name, (TABLE,), TerminalSettings()))
    for name in reversed(names):
        pit.done(ReportTerminalLost(name))
    return names


def test_timers_of_one_instant_fire_tables_first_and_then_by_name() -> None:
    """Of what is due at one instant tables come first, as they were added, and then terminals by name."""
    pit = CheckedHouse()
    timed = TableSettings(warning_s=0, betting_s=5)
    for table in (TableId("Z"), A2):
        pit.done(AddTable(table, pit.rulebook.digest, timed))
        pit.done(OpenBets(table))
    names = offline(pit, 3)
    pit.seconds = 9
    fired = []
    while (at := due(pit.house)) is not None and at <= pit.now:
        first = pit.done(Tick())[0]
        fired.append(getattr(first, "terminal", None) or getattr(first, "table", None))
    assert fired == ["Z", A2, *names]


def test_other_patience_moves_timers_that_are_pending() -> None:
    """A round that opens with another patience moves the timers of those that are offline already."""
    pit = CheckedHouse()
    pit.done(AddTable(A2, pit.rulebook.digest, TableSettings(warning_s=0, offline_grace_s=70)))
    pit.done(AddTerminal(T3, (A2,), TerminalSettings()))
    pit.done(ReportTerminalLost(T3))
    offline(pit, 2)
    assert due(pit.house) == 5 * SECOND
    pit.signed(ChangeSettings(TABLE, TableSettings(warning_s=0, offline_grace_s=60), "A new line."), "Shift Manager")
    pit.done(OpenBets(TABLE))
    assert due(pit.house) == 60 * SECOND
    assert list(ledger_problems(pit.house)) == []


def test_state_whose_timers_are_not_its_own_is_unsound() -> None:
    """A timer that is missing from the heap is found."""
    pit = CheckedHouse()
    (name,) = offline(pit, 1)
    assert list(ledger_problems(pit.house)) == []
    pit.house.timers.cancel(OFFLINE, name)
    assert list(ledger_problems(pit.house)) == ["the timers are not those that follow from the state"]


def test_timers_are_rebuilt_with_the_state() -> None:
    """A state that was written and read has the timers that it had, to the order in which they fire."""
    pit = CheckedHouse()
    pit.done(AddTable(A2, pit.rulebook.digest, TableSettings(warning_s=0, betting_s=5)))
    pit.done(OpenBets(A2))
    offline(pit, 5)
    again, _ = decode_state(encode_state(pit.house))
    assert sorted(again.timers.pending()) == sorted(pit.house.timers.pending())
    assert again.timers.first == pit.house.timers.first


@pytest.fixture
def looked_at(monkeypatch: pytest.MonkeyPatch) -> list[TerminalId]:
    """Note every terminal whose patience is worked out."""
    real, seen = malfunctions.offline_until, list[TerminalId]()

    def counting(house: House, terminal: Terminal) -> Instant | None:
        seen.append(terminal.id)
        return real(house, terminal)

    monkeypatch.setattr(malfunctions, "offline_until", counting)
    return seen


@pytest.mark.untraced
@pytest.mark.parametrize("count", [50, 400])
def test_work_per_terminal_does_not_grow_with_their_number(looked_at: list[TerminalId], count: int) -> None:
    """Each of many terminals that go offline together is looked at twice: when it goes, and when it malfunctions."""
    pit = CheckedHouse()
    offline(pit, count)
    pit.seconds = 5
    while due(pit.house) == 5 * SECOND:
        pit.done(Tick())
    assert len(pit.house.cases.all) == count
    assert len(looked_at) == 2 * count


def lost(settings: TableSettings, count: int) -> Shift:
    """A run with money on one terminal, betting open, and many other terminals that have all lost their link now."""
    names = [TerminalId(f"N{each:04}") for each in range(count)]
    shift = Shift.founded(settings)
    done(shift.run, *(AddTerminal(name, (TABLE,), TerminalSettings()) for name in names))
    done(shift.run, shift.note(T1), OpenBets(TABLE))
    done(shift.run, *(ReportTerminalLost(name) for name in names))
    return shift


def test_batch_fires_no_more_timers_than_it_may_and_takes_bets_between() -> None:
    """Of 250 terminals due at once a batch raises 100; a bet that waits is taken with the first of them."""
    shift = lost(TableSettings(warning_s=0), 2 * TIMERS_MAX + 50)
    shift.clock.pass_s(5)
    assert isinstance(shift.ask(shift.bet())[0], Accepted)
    raised = [len(shift.outbox.batches[-1].entries) - 1]
    while (at := shift.run.due()) is not None and at <= shift.clock.now():
        raised.append(len(shift.run.step().entries))
    assert raised == [TIMERS_MAX, TIMERS_MAX, 50]
    assert [case.terminal for case in shift.house.cases.all.values()] == sorted(shift.house.offline)


def test_no_bet_comes_before_a_close_that_is_late() -> None:
    """While a table's close is due behind more timers than one batch fires, bets wait, and are then refused as late."""
    shift = lost(TableSettings(warning_s=0, betting_s=6), TIMERS_MAX + 50)
    shift.clock.pass_s(7)
    assert shift.ask(shift.bet()) == []
    assert {type(each.event) for each in shift.outbox.batches[-1].entries} == {MalfunctionRaised}
    batch = shift.run.step()
    assert [type(each.event) for each in batch.entries][:50] == [MalfunctionRaised] * 50
    assert BetsClosing in {type(each.event) for each in batch.entries[50:]}
    assert code_of(batch.responses[0].outcome) is Code.BETS_CLOSED


def test_terminals_that_return_in_time_fire_nothing() -> None:
    """After all are back, no timer is pending, and nothing is raised when their time is up."""
    shift = lost(TableSettings(warning_s=0), 150)
    done(shift.run, *(ReportTerminalReturned(each) for each in sorted(shift.house.offline)))
    shift.clock.pass_s(60)
    assert shift.run.due() is None
    assert not shift.run.step().entries
