"""Chores: what is done for a door in its own time, while the loop goes on."""

import asyncio
from collections.abc import Coroutine

import structlog

from croupier.house.answer import refuse
from croupier.rules.refusal import Code
from croupier.web import outgoing
from croupier.web.door import Door
from croupier.web.limits import CHORES_MOST

_LOG = structlog.get_logger()


class Chores:
    """What is under way for doors, one thing for each; one that fails shuts its door and nobody else's.

    A chore goes on when its door is shut: what somebody has tried is on record, whether they wait for it or not.
    """

    def __init__(self) -> None:
        self._under_way: dict[Door, asyncio.Task[None]] = {}

    def begin(self, door: Door, chore: Coroutine[object, object, None], q: int = 0) -> bool:
        """Begin a chore, unless this door has one under way, or too many others have; tell whether it was begun."""
        before = self._under_way.get(door)
        # Whoever has its answer may ask again before the loop has come round to noting that it is done.
        if (before is not None and not before.done()) or len(self._under_way) >= CHORES_MOST:
            chore.close()
            busy = refuse(Code.BUSY, None, "Too much is waiting: nothing was done, try again in a moment.")
            door.send(outgoing.Refused(refusal=outgoing.no(busy), q=q))
            return False
        task = asyncio.get_running_loop().create_task(chore)
        self._under_way[door] = task
        task.add_done_callback(lambda task: self._done(door, task))
        return True

    def _done(self, door: Door, task: "asyncio.Task[None]") -> None:
        if self._under_way.get(door) is task:
            del self._under_way[door]
        error = None if task.cancelled() else task.exception()
        if error is not None:
            _LOG.error("chore_failed", device=door.device, error=type(error).__name__, words=str(error))
            door.shut(refuse(Code.COMMAND_FAILED, None, "The house could not work this out: nothing was done."))

    async def stop(self) -> None:
        """Call off what is under way."""
        tasks = tuple(self._under_way.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
