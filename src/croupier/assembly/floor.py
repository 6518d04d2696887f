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


def unattended(house: House, standing: Iterable[Wheel]) -> Iterator[str]:
    """Say at which tables no sensor reports though they wait for one, and what that comes to."""
    attended = {wheel.table for wheel in standing}
    for table in house.tables.values():
        if table.settings.wheel is WheelKind.SENSOR and table.id not in attended:
            # Where the rules count revolutions a dealer spins the ball; otherwise a machine does.
            dealt = table.rulebook.procedure.revolutions is not None
            comes_to = "its dealer enters every number" if dealt else "no number can come: choose keypad or random"
            yield f"Table {table.id} has no sensor at its wheel, so {comes_to}."
