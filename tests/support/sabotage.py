"""Sabotage: ways in which a house could break its word, for those who should find them out."""

import dataclasses
from collections.abc import Callable, Iterable
from itertools import count
from typing import cast

import pytest

from croupier.engine import run as runs
from croupier.engine.ports import Accepted, BatchOutput, Outcome, Publishing, Request
from croupier.engine.sequencer import Building, DeviceResponses, Sequencer
from croupier.house import declare
from croupier.house.credit.notes import InsertNote
from croupier.house.declare import Decision, GameCommand
from croupier.house.floor import signatures
from croupier.house.floor.service import ReportTerminalLost
from croupier.house.ids import Instant
from croupier.house.state.tables import BETTING_PHASES, Phase, SeatMessage, SeatMessageKind
from croupier.journal.entry import Fence, Page
from croupier.journal.pages import RowCause
from croupier.journal.stores import FenceMac
from croupier.journal.stores.memory import MemoryStore
from croupier.protocol.outbound import RefusalBody
from croupier.protocol.terminal import SeatState
from croupier.rules.geometry import Pocket
from croupier.rules.refusal import Code, Refusal
from croupier.rules.rulebook import PayoutTable, Stakes
from croupier.server.connection import Connection
from croupier.server.publisher import Publisher
from croupier.simulation.harness import SimulatedHost
from croupier.simulation.world import FailingStore, SimulatedClock


def let_bets_through(patch: pytest.MonkeyPatch) -> None:
    """A close that is announced and not kept."""
    for kind, declared in declare.COMMANDS.items():
        allowed = declared.permission
        if issubclass(kind, GameCommand) and allowed.phases == BETTING_PHASES:
            late = dataclasses.replace(allowed, phases=allowed.phases | {Phase.CLOSED, Phase.RUNNING})
            patch.setitem(declare.COMMANDS, kind, dataclasses.replace(declared, permission=late))


def notify_before_commit(patch: pytest.MonkeyPatch) -> None:
    """Answers that leave before their entries are on the disk."""
    building = Sequencer.building

    def hasty(self: Sequencer, first: Iterable[Request] = ()) -> Building:
        built = yield from building(self, first)
        for _ in self.ports.outbox.publish(BatchOutput(self.writer.draft_page(), built.output.responses)) or ():
            pass
        return built._replace(output=BatchOutput(built.output.entries, []))

    patch.setattr(Sequencer, "building", hasty)


def keep_what_is_fenced(patch: pytest.MonkeyPatch) -> None:
    """A store that takes a page from a writer that was replaced."""
    patch.setattr(MemoryStore, "_admit", lambda *_args, **_more: None)


def pay_one_more(patch: pytest.MonkeyPatch) -> None:
    """A payment of one cent too much."""
    returned, both = PayoutTable.returned, PayoutTable.returned_and_winning

    def generous(self: PayoutTable, stakes: Stakes, pocket: Pocket) -> int:
        due = returned(self, stakes, pocket)
        return due + 1 if due else 0

    def generous_settlement(self: PayoutTable, stakes: Stakes, pocket: Pocket) -> tuple[int, int]:
        due, winning = both(self, stakes, pocket)
        return (due + 1 if due else 0), winning

    patch.setattr(PayoutTable, "returned", generous)
    patch.setattr(PayoutTable, "returned_and_winning", generous_settlement)


def forget_keys(patch: pytest.MonkeyPatch) -> None:
    """A house that does twice what is asked twice."""
    patch.setattr(DeviceResponses, "store", lambda *_args: None)


def take_one_signature(patch: pytest.MonkeyPatch) -> None:
    """What takes two people is done by one."""
    patch.setattr(signatures, "needs_second_signature", lambda *_args: False)


def start_as_if_nothing_had_been(patch: pytest.MonkeyPatch) -> None:
    """A start that leaves running rounds as they are."""
    patch.setattr(runs, "_recovering", lambda *_args: ())


def leave_somebody_unanswered(patch: pytest.MonkeyPatch) -> None:
    """A house that never answers one of its terminals."""
    publish = Publisher.publish

    def silent(self: Publisher, batch: BatchOutput) -> Publishing:
        others = [each for each in batch.responses if each.request.device != "seat 1"]
        return publish(self, BatchOutput(batch.entries, others))

    patch.setattr(Publisher, "publish", silent)


def show_what_was_not_written(patch: pytest.MonkeyPatch) -> None:
    """A house that changes what a terminal shows without an entry for it."""
    look = Sequencer._check_environment  # noqa: SLF001 - any moment would do

    def careless(self: Sequencer, now: Instant) -> None:
        look(self, now)
        for terminal in self.house.terminals.values():
            terminal.messages.append(SeatMessage(SeatMessageKind.TEXT, text="You have nearly won."))

    patch.setattr(Sequencer, "_check_environment", careless)


def publish_no_change(patch: pytest.MonkeyPatch) -> None:
    """A publisher that answers terminals and does not send what has changed."""
    delta = Publisher._delta  # noqa: SLF001 - the very step that is sabotaged

    def empty(self: Publisher, connection: Connection, _state: SeatState, refused: tuple[RefusalBody, ...]) -> None:
        delta(self, connection, SeatState(), refused)

    patch.setattr(Publisher, "_delta", empty)


def acknowledge_what_was_refused(patch: pytest.MonkeyPatch) -> None:
    """A publisher that tells terminals of no refusal."""
    delta = Publisher._delta  # noqa: SLF001 - the very step that is sabotaged

    def yielding(self: Publisher, connection: Connection, state: SeatState, _refused: tuple[RefusalBody, ...]) -> None:
        delta(self, connection, state, ())

    patch.setattr(Publisher, "_delta", yielding)


def spoil_a_page(patch: pytest.MonkeyPatch) -> None:
    """A disk that keeps something else than what was written."""
    append = FailingStore.append

    def spoilt(self: FailingStore, page: Page) -> None:
        append(self, page)
        last = self.stored[-1]
        self.stored[-1] = last._replace(body=last.body.replace(b"seat 1", b"seat 2"))

    patch.setattr(FailingStore, "append", spoilt)


def fail_in_the_middle(patch: pytest.MonkeyPatch) -> None:
    """A command that the house cannot work out."""

    def broken(*_args: object) -> Decision:
        raise ZeroDivisionError

    patch.setitem(cast("dict[object, object]", declare.DECIDERS), ReportTerminalLost, broken)


def deny_what_was_done(patch: pytest.MonkeyPatch) -> None:
    """A house that takes a note and says that it did not."""
    decided = Sequencer._decided  # noqa: SLF001 - the very step that is sabotaged

    def denied(self: Sequencer, requested: Request, cause: RowCause | None, now: Instant) -> Outcome:
        outcome = decided(self, requested, cause, now)
        taken = isinstance(requested.command, InsertNote) and isinstance(outcome, Accepted)
        return Refusal(Code.NOT_TAKEN_HERE, None, "This note is not taken.") if taken else outcome

    patch.setattr(Sequencer, "_decided", denied)


def lose_the_last_page(patch: pytest.MonkeyPatch) -> None:
    """A disk that a crash takes the last page from."""
    crash = SimulatedHost.crash

    def forgetful(self: SimulatedHost) -> None:
        del self.disk.stored[-1:]
        crash(self)

    patch.setattr(SimulatedHost, "crash", forgetful)


def use_another_clock(patch: pytest.MonkeyPatch) -> None:
    """A time that does not come from the clock that was handed in."""
    turns, now = count(), SimulatedClock.now

    def drifting(self: SimulatedClock) -> Instant:
        return Instant(now(self) + next(turns) // 1_000)

    patch.setattr(SimulatedClock, "now", drifting)


def set_the_fence_back(patch: pytest.MonkeyPatch) -> None:
    """A store that begins the same epoch at every start."""

    def again(self: MemoryStore, _above: int, mac: FenceMac) -> int:
        self.fence_row = Fence(1, mac(1))
        return self.epoch

    patch.setattr(MemoryStore, "fence", again)


#: Each with the invariant that it breaks.
SABOTAGE: dict[Callable[[pytest.MonkeyPatch], None], str] = {
    use_another_clock: "I15",
    let_bets_through: "I9",
    notify_before_commit: "I7",
    keep_what_is_fenced: "I12",
    pay_one_more: "I3",
    forget_keys: "I11",
    take_one_signature: "I19",
    start_as_if_nothing_had_been: "recovery",
    leave_somebody_unanswered: "I24",
    show_what_was_not_written: "I22",
    publish_no_change: "I22",
    acknowledge_what_was_refused: "I7",
    spoil_a_page: "I13",
    fail_in_the_middle: "guard",
    deny_what_was_done: "I8",
    lose_the_last_page: "I13",
    set_the_fence_back: "I12",
}
