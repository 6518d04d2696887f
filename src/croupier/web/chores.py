"""Chores: what is done for a door in its own time, while the loop goes on."""

import asyncio
from collections.abc import Coroutine

import structlog

from croupier.house.answer import refuse
from croupier.rules.refusal import Code
from croupier.web.door import Door
from croupier.web.limits import CHORES_MOST

_LOG = structlog.get_logger()


class Chores:
    """What is under way for doors, so many at once; one that fails shuts its door and nobody else's."""

    def __init__(self) -> None:
        self._under_way: set[asyncio.Task[None]] = set()

    def begin(self, door: Door, chore: Coroutine[object, object, None]) -> None:
        """Begin a chore, unless too many are under way."""
        if len(self._under_way) >= CHORES_MOST:
            chore.close()
            door.shut(refuse(Code.BUSY, None, "Too much is waiting: nothing was done, try again."))
            return
        task = asyncio.get_running_loop().create_task(chore)
        self._under_way.add(task)
        task.add_done_callback(lambda task: self._done(door, task))

    def _done(self, door: Door, task: "asyncio.Task[None]") -> None:
        self._under_way.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None:
            _LOG.error("chore_failed", device=door.device, error=type(error).__name__, words=str(error))
            door.shut(refuse(Code.COMMAND_FAILED, None, "The house could not work this out: nothing was done."))

    async def stop(self) -> None:
        """Call off what is under way."""
        for task in self._under_way:
            task.cancel()
        await asyncio.gather(*self._under_way, return_exceptions=True)
