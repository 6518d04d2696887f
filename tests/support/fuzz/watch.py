"""The watch over a fuzzed house: nothing may fail unseen, and nothing may change but by what somebody may ask for."""

import asyncio
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple

from structlog.testing import capture_logs

from croupier.engine.sequencer import QUEUE_MAX, RESPONSES_MAX
from croupier.engine.storage import decode_state, encode_state
from croupier.house import AnyCommand, decide, evolve
from croupier.house.credit.tickets import Collect
from croupier.house.declare import Decision
from croupier.house.floor.incidents import IncidentKind, RaiseAlarm
from croupier.house.floor.service import ReportTerminalLost, ReportTerminalReturned
from croupier.house.ids import Context
from croupier.house.timers import Tick
from croupier.house.verification import ledger_problems, state_digest
from croupier.server.auth.staff import SECRETS_WAITING
from croupier.server.connection import BACKGROUND_TASKS_MAX
from croupier.server.router import ABANDONED_AFTER
from tests.support.connections import TestHouse
from tests.support.fuzz.junk import CANARY

#: How the parser words that it has ended a line for what came over it: that is no fault of ours.
_PARSER: Final = ("WS parser error", "on_ws_frame raised WSProtocolError")
#: Every so many commands are decided a second time, on the copy.
_SAMPLE: Final = 4
#: So many lines may have been ended that the loop has not seen the end of yet.
_PARTING: Final = 100


class Seen(NamedTuple):
    """A command as it was decided: who asked, and what came of it."""

    command: AnyCommand
    context: Context
    decision: Decision
    #: The server may have collected by itself what was left at a terminal of the demonstration.
    abandoned: bool


class Shadow:
    """A copy of the house that is told every decision, and of which nobody else knows.

    Where the fingerprints of the two are one, nothing has changed but by what was decided; where nothing was decided,
    nothing has changed.
    """

    def __init__(self, house: TestHouse) -> None:
        self.run = house.venue.run
        copy, _ = decode_state(encode_state(self.run.house))
        self.copy = copy
        self.seen: list[Seen] = []
        self.faults: list[str] = []
        #: The copy's fingerprint, until something comes of a command.
        self._print = ""
        sequencer = self.run.sequencer
        sequencer.ports = replace(sequencer.ports, observer=self._witness)

    def _witness(self, command: AnyCommand, context: Context, decision: Decision) -> None:
        self.seen.append(Seen(command, context, decision, self._is_abandoned(command, context)))
        if len(self.seen) % _SAMPLE == 0 and decide(self.copy, command, context) != decision:
            self.faults.append(f"on a copy the house decides otherwise on {command}")
        if isinstance(decision, tuple):
            self._print = ""
            for event in decision:
                evolve(self.copy, event, context)

    def _is_abandoned(self, command: AnyCommand, context: Context) -> bool:
        if not isinstance(command, Collect):
            return False
        terminal = self.copy.terminals.get(command.terminal)
        lost_at = None if terminal is None else terminal.lost_at
        return lost_at is not None and lost_at <= context.now - ABANDONED_AFTER

    def differs(self) -> Iterator[str]:
        """Say in what the house is not what was decided."""
        yield from self.faults
        self._print = self._print or state_digest(self.copy)
        if self._print != state_digest(self.run.house):
            yield "the house has changed by something that nobody decided"
        yield from ledger_problems(self.run.house)


#: What the house asks of itself whoever comes: its timers, and which terminals are there.
ITS_OWN: Final = (Tick, ReportTerminalLost, ReportTerminalReturned)
#: What it tells staff of: a key used twice, a locked account, and numbers that are guessed at. That it could not work
#: something out is our fault.
GUESSED: Final = (IncidentKind.TICKETS_GUESSED, IncidentKind.SIGN_INS_GUESSED)
_REPORTED: Final = (IncidentKind.KEY_REUSED, IncidentKind.ACCOUNT_LOCKED, *GUESSED)


def its_own(command: AnyCommand, also: tuple[type, ...] = ()) -> bool:
    """Tell whether the house may have asked for something by itself."""
    return isinstance(command, (*ITS_OWN, *also)) or (isinstance(command, RaiseAlarm) and command.kind in _REPORTED)


@dataclass
class Watch:
    """Everything that would tell of an error that nobody has handled."""

    logs: list[Any] = field(default_factory=list)
    records: list[logging.LogRecord] = field(default_factory=list)
    unhandled: list[str] = field(default_factory=list)

    def faults(self) -> Iterator[str]:
        """Say what went wrong since the last time, and forget it."""
        logs, records, unhandled = tuple(self.logs), tuple(self.records), tuple(self.unhandled)
        for received in (self.logs, self.records, self.unhandled):
            received.clear()
        yield from unhandled
        for entry in logs:
            if entry["log_level"] in ("error", "critical"):
                yield f"logged: {entry}"
            if CANARY in repr(entry):
                yield f"a secret is in the log: {entry}"
        for record in records:
            if record.exc_info or not record.getMessage().startswith(_PARSER):
                yield f"logged by {record.name}: {record.getMessage()} {record.exc_info}"


class _Listening(logging.Handler):
    def __init__(self, records: list[logging.LogRecord]) -> None:
        super().__init__(logging.ERROR)
        self._records = records

    def emit(self, record: logging.LogRecord) -> None:
        self._records.append(record)


@contextmanager
def watching() -> Iterator[Watch]:
    """Listen to every log, and to the loop itself."""
    loop, watch = asyncio.get_running_loop(), Watch()
    handler = _Listening(watch.records)
    logging.getLogger().addHandler(handler)
    loop.set_exception_handler(lambda _, context: watch.unhandled.append(f"on the loop: {context}"))
    try:
        with capture_logs() as watch.logs:
            yield watch
    finally:
        loop.set_exception_handler(None)
        logging.getLogger().removeHandler(handler)


def failed(house: TestHouse) -> Iterator[str]:
    """Say that the house has stopped, where it has."""
    stopped = house.venue.commit_loop.failed
    if stopped.done():
        yield f"the house has stopped: {stopped.exception()!r}"


def swollen(house: TestHouse, lines: int) -> Iterator[str]:
    """Say what has grown beyond its limit, with so many lines open."""
    router, keys = house.venue.router, house.venue.run.sequencer.idempotency
    waiting, background_tasks = router.staff_auth._waiting, router.background_tasks._under_way  # noqa: SLF001 - no connection reads these
    held = (answers for each in keys.devices.values() for answers in (each.committed, each.transient or ()))
    sizes = {
        "commands waiting": (house.venue.run.sequencer.queued, QUEUE_MAX),
        "secrets waiting": (waiting, SECRETS_WAITING),
        "chores": (len(background_tasks), BACKGROUND_TASKS_MAX),
        "askers inside": (len(router.commit_loop.outcomes), BACKGROUND_TASKS_MAX),
        "answers kept of a device": (max(map(len, held), default=0), RESPONSES_MAX),
        "devices with answers": (len(keys.devices), len(house.venue.run.house.staff.devices)),
        "connections": (len(router.connections), lines + len(house.clients) + _PARTING),
        "seats": (len(router.publisher.seats), len(house.venue.run.house.terminals)),
    }
    yield from (f"{size} {name}, and {most} are the most" for name, (size, most) in sizes.items() if size > most)
