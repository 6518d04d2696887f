"""decide, evolve and apply: dispatch each command and event to its module."""

from collections.abc import Iterator
from typing import Final

from croupier.house import (
    betting,
    cashier,
    chip_bets,
    chip_settlement,
    closing,
    corrections,
    disputes,
    draws,
    equipment,
    floats,
    irregularities,
    liveplayers,
    livetable,
    partners,
    peripherals,
    permissions,
    player_limits,
    recovery,
    results,
    round,  # noqa: A004 - the subject's name, and nothing is rounded here
    service,
    settlement,
    setup,
    staff,
    supervised,
    tickets,
    timers,
    transfers,
    walk,
)
from croupier.house.base import Command, Decision, Event
from croupier.house.commands import DUAL_CONTROL, AnyCommand
from croupier.house.commands.setup import Approve
from croupier.house.ids import Context, Instant
from croupier.house.state import Deciders, Evolvers, House
from croupier.house.texts import text_objection
from croupier.house.timers import RESCHEDULES
from croupier.rules.refusal import Code


def decide(house: House, command: AnyCommand, context: Context) -> Decision:
    """Decide a command: check the permission, its texts, the need for a second signature, then the command itself."""
    refusal = permissions.objection(house, command, context)
    if refusal is None and context.person:
        refusal = text_objection(command)
    if refusal is not None:
        return refusal
    if context.person and type(command) in DUAL_CONTROL and staff.needs_second_signature(house, command):
        answer = _decide(house, command, context)
        if isinstance(answer, tuple) or answer.code in _BLIND:
            return staff.propose(house, command, context)
        return answer
    return DECIDERS[type(command)](house, command, context)


#: A drawer and a float are counted blind: whether they hold enough is checked with the second signature only. Otherwise
#: one person could find their contents by proposing and withdrawing.
_BLIND: Final = (Code.DRAWER_SHORT, Code.FLOAT_SHORT)


def _decide(house: House, command: Command, context: Context) -> Decision:
    return DECIDERS[type(command)](house, command, context)


def _approve(house: House, command: Approve, context: Context) -> Decision:
    return staff.approve(house, command, context, _decide)


DECIDERS: Final[Deciders] = {
    **betting.DECIDERS,
    **closing.DECIDERS,
    **round.DECIDERS,
    **results.DECIDERS,
    **irregularities.DECIDERS,
    **corrections.DECIDERS,
    **recovery.DECIDERS,
    **timers.DECIDERS,
    **tickets.DECIDERS,
    **transfers.DECIDERS,
    **peripherals.DECIDERS,
    **player_limits.DECIDERS,
    **cashier.DECIDERS,
    **staff.DECIDERS,
    **setup.DECIDERS,
    **service.DECIDERS,
    **disputes.DECIDERS,
    **draws.DECIDERS,
    **equipment.DECIDERS,
    **livetable.DECIDERS,
    **liveplayers.DECIDERS,
    **partners.DECIDERS,
    **floats.DECIDERS,
    **chip_bets.DECIDERS,
    **supervised.DECIDERS,
    **walk.DECIDERS,
    Approve: _approve,
}


def evolve(house: House, event: Event, context: Context) -> None:
    """Apply an event to the state."""
    EVOLVERS[type(event)](house, event, context)
    _evolved(house, event, context.now)


def evolving(house: House, event: Event, context: Context) -> Iterator[None]:
    """Apply an event to the state, in bounded steps if it changes many positions. Nothing is decided between them."""
    if type(event) in settlement.STEPS:
        yield from settlement.STEPS[type(event)](house, event, context)
        _evolved(house, event, context.now)
    else:
        evolve(house, event, context)


def _evolved(house: House, event: Event, now: Instant) -> None:
    kind = type(event)
    if kind in RESCHEDULES:
        RESCHEDULES[kind](house, event)
    if house.now < now:  # noqa: PLR1730 - max takes three times as long
        house.now = now


#: Applies a change of bets as `evolve` does: an event, or the row of a page that stands for it.
evolve_bets: Final = betting.apply_change


EVOLVERS: Final[Evolvers] = {
    **betting.EVOLVERS,
    **closing.EVOLVERS,
    **round.EVOLVERS,
    **results.EVOLVERS,
    **settlement.EVOLVERS,
    **irregularities.EVOLVERS,
    **corrections.EVOLVERS,
    **recovery.EVOLVERS,
    **timers.EVOLVERS,
    **tickets.EVOLVERS,
    **transfers.EVOLVERS,
    **peripherals.EVOLVERS,
    **player_limits.EVOLVERS,
    **cashier.EVOLVERS,
    **staff.EVOLVERS,
    **setup.EVOLVERS,
    **service.EVOLVERS,
    **disputes.EVOLVERS,
    **draws.EVOLVERS,
    **equipment.EVOLVERS,
    **livetable.EVOLVERS,
    **liveplayers.EVOLVERS,
    **partners.EVOLVERS,
    **floats.EVOLVERS,
    **chip_bets.EVOLVERS,
    **chip_settlement.EVOLVERS,
    **supervised.EVOLVERS,
    **walk.EVOLVERS,
}


def apply(house: House, command: AnyCommand, context: Context) -> Decision:
    """Decide a command and apply its events; a refusal changes nothing."""
    answer = decide(house, command, context)
    if isinstance(answer, tuple):
        for event in answer:
            evolve(house, event, context)
    return answer
