"""Background tasks: one at a time for each connection, the next as soon as the one before is answered."""

import asyncio
from pathlib import Path

from tests.support.connections import open_house, played, until
from tests.support.wire.houses import MARINA


def test_next_chore_begins_as_soon_as_the_one_before_is_done(tmp_path: Path) -> None:
    """Whoever has the answer may ask again, though the loop has not come round to noting that the first is done."""
    done: list[str] = []

    async def scenario() -> None:
        async with open_house(tmp_path, MARINA) as house:
            await house.client()
            await house.rest()
            background_tasks, connection = (
                house.venue.router.background_tasks,
                next(iter(house.venue.router.connections)),
            )

            async def second() -> None:
                done.append("second")

            async def first() -> None:
                asyncio.get_running_loop().call_soon(lambda: background_tasks.begin(connection, second()))
                done.append("first")

            assert background_tasks.begin(connection, first())
            await until(lambda: len(done) == 2)

    played(scenario)
    assert done == ["first", "second"]
