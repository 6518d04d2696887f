"""Multipliers: the draw of numbers and their multiples, after the seal and before the spin."""

from __future__ import annotations

from typing import TYPE_CHECKING

from croupier.house.declare import (
    Events,
    EventTopic,
    MachineRole,
    RoundEvent,
    TableCommand,
    command,
    decides,
    event,
    evolves,
)
from croupier.house.ids import Context
from croupier.house.state.tables import Phase, Table
from croupier.rules.geometry import Pocket
from croupier.rules.refusal import ClauseId, Code, Refused

if TYPE_CHECKING:
    from croupier.house import House


# The ball is at rest in its launcher: a ball that runs before the draw is no spin.
@command(MachineRole.WHEEL, when={Phase.CLOSED})
class DrawMultiples(TableCommand, frozen=True):
    """A random source of the house draws numbers and their multiples, where the rules have such, over sealed bets."""

    multiples: dict[Pocket, int]


@event("The multiples were drawn: {multiples}.", EventTopic.ROUND)
class MultiplesDrawn(RoundEvent, frozen=True):
    """A random source of the house drew numbers: a straight up on each of them pays its multiple in this spin."""

    spin: int
    multiples: dict[Pocket, int]
    clause: ClauseId


@decides(DrawMultiples)
def draw_multiples(house: House, command: DrawMultiples, _context: Context) -> Events:
    table = house.tables[command.table]
    round_, multipliers = table.playing, table.rulebook.paytable.multipliers
    if multipliers is None:
        message = "These rules have no multipliers: nothing is drawn before the spin."
        raise Refused(Code.SETTING_IMPOSSIBLE, table.rulebook.paytable.clause, message)
    if not awaits_multiples(table):
        raise Refused(Code.ALREADY_THERE, multipliers.clause, "The multiples of this spin are drawn already.")
    if not multipliers.allows(command.multiples, table.rulebook.wheel.order):
        raise Refused(Code.MALFORMED, multipliers.clause, "By these rules no draw gives these multiples.")
    drawn = MultiplesDrawn(table.id, round_.number, round_.spin.number, command.multiples, multipliers.clause)
    return (drawn,)


@evolves(MultiplesDrawn)
def multiples_drawn(house: House, event: MultiplesDrawn, _context: Context) -> None:
    sealed = house.tables[event.table].playing.sealed_bets
    assert sealed.multiples is None
    sealed.multiples = dict(event.multiples)


def awaits_multiples(table: Table) -> bool:
    """Check whether bets are sealed and their multiples are not drawn: no spin and no number counts before that."""
    if table.rulebook.paytable.multipliers is None:
        return False
    sealed = table.playing.sealed
    return sealed is not None and sealed.multiples is None


def require_multiples(table: Table) -> None:
    """Refuse a spin or a number before the draw."""
    multipliers = table.rulebook.paytable.multipliers
    if multipliers is not None and awaits_multiples(table):
        raise Refused(Code.OUT_OF_TURN, multipliers.clause, "The multiples of this spin are not drawn yet.")
