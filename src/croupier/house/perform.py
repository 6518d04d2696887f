"""Performing: one command decided and its events carried out at once, so that the next one sees them."""

from croupier.house.answer import Decision
from croupier.house.command.any import AnyCommand
from croupier.house.decide import decide
from croupier.house.evolve import evolve
from croupier.house.stamp import Stamp
from croupier.house.state import House


def perform(house: House, command: AnyCommand, stamp: Stamp) -> Decision:
    """Decide a command and carry out what was decided; a refusal changes nothing."""
    answer = decide(house, command, stamp)
    if isinstance(answer, tuple):
        for event in answer:
            evolve(house, event, stamp)
    return answer
