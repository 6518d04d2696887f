"""The steward: sees to the upkeep of a house that is open, asked by its host or by the clock."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final

import structlog

from croupier.assembly.floor import wheels
from croupier.config.difference import contradiction, differences
from croupier.config.founding import founding
from croupier.config.shape import Config
from croupier.engine.asked import Asked, Outcome
from croupier.engine.software import software
from croupier.house.command.any import AnyCommand
from croupier.house.command.record import IncidentKind, RaiseAlarm
from croupier.house.command.venue import ReportSoftware
from croupier.house.event.base import Event
from croupier.house.event.round import BetsOpened
from croupier.house.event.venue import TableAdded
from croupier.house.name import SECOND, Instant
from croupier.journal.sqlite import SqliteStore
from croupier.rules.refusal import Refusal
from croupier.upkeep.answer import BackedUp, Differs, Reloaded, Status, Unverified, Verdict
from croupier.upkeep.backup import Draft
from croupier.upkeep.fault import UpkeepFault
from croupier.upkeep.software import verify
from croupier.web.conductor import Conductor

#: How often the software is held against its record while the house is open.
VERIFY_EVERY: Final = 24 * 3600 * SECOND
_LOG = structlog.get_logger()


@dataclass(slots=True)
class Steward:
    """Backs up, verifies and reads the configuration again, between the house's own turns."""

    conductor: Conductor
    #: Asks the house for something on its own account, and waits until the answer is kept.
    ask: Callable[[Asked], Awaitable[Outcome]]
    config: Config
    #: Where slow work is done that has nothing to do with the journal.
    bench: Executor
    #: Reads the configuration again, where it came from a file.
    reread: Callable[[], Config | Refusal] | None = None
    #: How the software was found last.
    found: Verdict | None = None
    #: What was begun last, so that it is not forgotten while it runs.
    under_way: "deque[asyncio.Task[object]]" = field(default_factory=lambda: deque(maxlen=4))

    def begin(self) -> None:
        """Have the software looked at once a day."""
        self._next_look()

    def heed(self, event: Event) -> None:
        """Put a wheel at a table that has one since this."""
        if isinstance(event, TableAdded | BetsOpened):
            self.conductor.wheels = wheels(self.config, self.conductor.run.house, self.conductor.wheels)

    async def backup(self, to: Path, keep: int) -> BackedUp:
        """Copy the journal a little at a time between two turns, and prove the copy beside them."""
        run, now = self.conductor.run, self.conductor.time.now()
        store = run.archive.store
        assert isinstance(store, SqliteStore)
        draft = await self._between(lambda: Draft(store, self.config.data, to, now))
        assert isinstance(draft, Draft)
        try:
            while not await self._between(draft.step):
                pass
            finish = partial(draft.finish, run.archive.signer, software(), keep)
            return await asyncio.get_running_loop().run_in_executor(self.bench, finish)
        finally:
            # Where its steps were made: one may still be under way.
            await asyncio.shield(self._between(draft.close))

    async def _between(self, do: Callable[[], object]) -> object:
        try:
            return await self.conductor.errand(do)
        except asyncio.QueueFull:
            raise UpkeepFault("too much waits to be done with the journal: try again") from None

    async def verify(self) -> Verdict:
        """Hold the software against its record; what differs is told to staff, and is not what was approved."""
        self.found = await asyncio.get_running_loop().run_in_executor(self.bench, verify)
        if isinstance(self.found, Differs):
            files = ", ".join(each.file for each in self.found.files[:3])
            words = f"The software is not what was installed: {files}."
            _LOG.error("software_differs", files=len(self.found.files))
            self.conductor.submit(Asked(RaiseAlarm(IncidentKind.SOFTWARE_DIFFERS, "system", words)))
            self.conductor.submit(Asked(ReportSoftware(f"{software()} (changed)")))
        return self.found

    async def reload(self) -> Reloaded:
        """Read the configuration again, and add to the house what it names beyond what stands there."""
        config = None if self.reread is None else self.reread()
        if config is None:
            raise UpkeepFault("this house was not set up from a file")
        house = self.conductor.run.house
        against = config if isinstance(config, Refusal) else contradiction(config, house)
        if isinstance(against, Refusal):
            raise UpkeepFault(against.says)
        assert isinstance(config, Config)
        self.config = config
        answers = [(each, await self.ask(Asked(each))) for each in founding(config, house, software())]
        return Reloaded((*(_told(command, outcome) for command, outcome in answers), *differences(config, house)))

    def begin_reload(self) -> None:
        """Read the configuration again beside everything else, and log what comes of it."""
        self.under_way.append(asyncio.get_running_loop().create_task(self._reload()))

    async def _reload(self) -> None:
        try:
            _LOG.info("reloaded", lines=(await self.reload()).lines)
        except UpkeepFault as fault:
            _LOG.error("not_reloaded", words=str(fault))

    def status(self) -> Status:
        run = self.conductor.run
        unverified = (f"The software is unverified: {self.found.why}.",) if isinstance(self.found, Unverified) else ()
        waiting = sum(each.cleared_by is None for each in run.house.incidents.values())
        remarks = (f"{waiting} incidents wait for somebody.",) if waiting else ()
        return Status(software(), run.epoch, run.writer.mark.position, run.house.day, (*unverified, *remarks))

    def _next_look(self) -> None:
        self.conductor.time.at(Instant(self.conductor.time.now() + VERIFY_EVERY), self._look)

    def _look(self) -> None:
        self.under_way.append(asyncio.get_running_loop().create_task(self.verify()))
        self._next_look()


def _told(command: AnyCommand, outcome: Outcome) -> str:
    """Say what came of a command, in a line."""
    asked = type(command).__name__
    return f"{asked} was refused: {outcome.says}" if isinstance(outcome, Refusal) else f"{asked} was done."
