"""The placard: what everybody at a table may see of it; nothing that predicts the running game."""

from collections.abc import Mapping
from typing import Final

from croupier.house.name import TableId
from croupier.house.settings import WheelKind
from croupier.house.state import House
from croupier.house.table import Round, Status, Table
from croupier.house.views import says
from croupier.web.outgoing import Notice, TableState


def placard(house: House, name: TableId, felt: str, recovered: Notice | None) -> TableState:
    """Tell what a table shows; what a restart has done is said until the next round opens."""
    table = house.tables[name]
    round_ = table.round
    return TableState(
        table=name,
        rulebook=table.rulebook.id,
        felt=felt,
        phase=table.phase,
        round=table.rounds,
        spin=1 if round_ is None else round_.spin,
        says=says(table),
        closes_at=None if round_ is None else round_.closes_at,
        pocket=None if round_ is None or round_.invalidated else round_.pocket,
        numbers=table.numbers[: table.settings.history_shown],
        closed=table.closed,
        random=table.settings.wheel is WheelKind.RANDOM,
        notice=recovered or _notice(table, round_),
    )


def _notice(table: Table, round_: Round | None) -> Notice | None:
    """Say what became of a round that is not simply played to its end."""
    if round_ is None:
        return None
    standing = "no_spin" if round_.no_spin else "invalidated" if round_.invalidated else round_.status
    words = _WORDS.get(standing)
    if words is None:
        return None
    reason = "" if round_.reason is None else round_.reason.value
    return Notice(table.rounds, reason, round_.clause, words)


_WORDS: Final[Mapping[str, str]] = {
    "no_spin": "This spin does not count.",
    "invalidated": "The outcome was taken back: every stake went back.",
    Status.SUSPENDED: "The round is suspended until somebody decides it.",
    Status.VOID: "The round is void: every stake went back.",
}
