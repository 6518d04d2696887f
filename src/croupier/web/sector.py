"""Sectors: the unbroken parts of the wheel that a call covers, where it covers nothing but such parts."""

from typing import Final

from croupier.rules.callbet import CallBet, CallKind
from croupier.rules.pocket import Pocket
from croupier.rules.rulebook import Rulebook
from croupier.web.cloth import Sector

#: Fewer pockets side by side are no part of the wheel that anybody would name.
POCKETS_LEAST: Final = 3


def sectors_of(rulebook: Rulebook, call: CallBet) -> tuple[Sector, ...]:
    """Find the sectors of a call; none where its numbers lie about the wheel."""
    if call.kind is not CallKind.PIECES:
        return ()
    order = rulebook.wheel.order
    covered = {number for piece in call.pieces for number in rulebook.spots[piece].numbers}
    runs = _runs(order, covered)
    if any(len(run) < POCKETS_LEAST for run in runs):
        return ()
    return tuple(Sector(call=call.name, first=order.index(run[0]), pockets=tuple(run)) for run in runs)


def _runs(order: tuple[Pocket, ...], covered: set[Pocket]) -> list[list[Pocket]]:
    """Find what is covered side by side, from a pocket on that is not: the wheel has no beginning."""
    begin = next((place for place, pocket in enumerate(order) if pocket not in covered), 0)
    runs: list[list[Pocket]] = []
    beside = False
    for pocket in (*order[begin:], *order[:begin]):
        if pocket in covered and not beside:
            runs.append([])
        beside = pocket in covered
        if beside:
            runs[-1].append(pocket)
    return runs
