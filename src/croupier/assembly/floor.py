"""The floor as it was configured: what the house is asked for so that it stands there, and the wheels on it."""

from collections.abc import Iterable
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
    """Put a wheel that a random source turns at every table that has one; those that stand there go on."""
    known = {wheel.table: wheel for wheel in standing}
    spins = {table.id: table.spin_s for table in config.tables}
    return tuple(
        known.get(table.id) or RandomWheel(table.id, spins.get(table.id, SPIN_S))
        for table in house.tables.values()
        if table.settings.wheel is WheelKind.RANDOM
    )
