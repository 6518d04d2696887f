"""The floor as it was configured: what the house is asked for so that it stands there, and the wheels on it."""

from collections.abc import Iterable, Iterator
from typing import Final

from croupier.config.founding import founding
from croupier.config.shape import Config
from croupier.devices.wheel import RandomWheel, Wheel
from croupier.engine.asked import Answer, Asked
from croupier.engine.run import Run
from croupier.engine.sequencer import BATCH_MOST
from croupier.engine.software import software
from croupier.house.blocker import Facts, blockers
from croupier.house.settings import WheelKind
from croupier.house.state import House
from croupier.rules.refusal import Refusal

#: A ball at a table that no file names runs for so long.
SPIN_S: Final = 9


def furnish(config: Config, run: Run) -> list[Refusal]:
    """Bring a house that nobody is let into yet to what the configuration says; tell what it refused."""
    answers: list[Answer] = []
    for command in founding(config, run.house, software()):
        run.submit(Asked(command))
        if run.sequencer.waiting >= BATCH_MOST:
            answers += run.step().answers
    while run.sequencer.waiting:
        answers += run.step().answers
    return [answer.outcome for answer in answers if isinstance(answer.outcome, Refusal)]


def wheels(config: Config, house: House, standing: Iterable[Wheel] = ()) -> tuple[Wheel, ...]:
    """Put a wheel that a random source turns at every table that has one; those that stand there go on, and sensors."""
    known = {wheel.table: wheel for wheel in standing}
    sensors = {table: wheel for table, wheel in known.items() if not isinstance(wheel, RandomWheel)}
    spins = {table.id: table.spin_s for table in config.tables}
    random = (table.id for table in house.tables.values() if table.settings.wheel is WheelKind.RANDOM)
    drawn = {table: known.get(table) or RandomWheel(table, spins.get(table, SPIN_S)) for table in random}
    return tuple((sensors | drawn).values())


def facts(run: Run, standing: Iterable[Wheel]) -> Facts:
    """Gather what the engine and the wheels know of tables that cannot play."""
    wheels = tuple(standing)
    attended = {wheel.table for wheel in wheels}
    sensors = (table.id for table in run.house.tables.values() if table.settings.wheel is WheelKind.SENSOR)
    ailing = {each.table: each.watch.ailment for each in wheels if isinstance(each, RandomWheel) and each.watch.ailment}
    return Facts(not run.sequencer.has_room, frozenset(sensors) - attended, ailing)


def unattended(house: House, found: Facts) -> Iterator[str]:
    """Say at which tables a dealer enters every number since no sensor reports it."""
    blocked = {each.table for each in blockers(house, found) if each.reason == "no_sensor"}
    for table in sorted(found.no_sensor - blocked):
        yield f"Table {table} has no sensor at its wheel, so its dealer enters every number."
