"""Standings: how a round stood when the system came back, and the clause that decides what becomes of it."""

from typing import Final

from croupier.house.answer import Events
from croupier.house.event.round import RoundInterrupted, RoundVoided, SpinVoided
from croupier.house.event.venue import Found, Standing
from croupier.house.table import Phase, Round, Status, Table
from croupier.rules.clause import ClauseId
from croupier.rules.irregularity import Reason
from croupier.rules.matter import Matter


def found(table: Table, round_: Round, done: Events) -> Found:
    """Tell how a table's last round stood, under the clause by which something was done or else left as it was."""
    state = standing(round_)
    return Found(table.id, round_.number, round_.phase, state, _decided(done) or _left(table, round_, state))


def standing(round_: Round) -> Standing:
    if round_.over:
        return _over(round_)
    if round_.phase is Phase.NO_SPIN:
        return Standing.NO_SPIN
    if round_.interrupted:
        return Standing.INTERRUPTED
    return Standing.SUSPENDED if round_.phase is Phase.SUSPENDED else _running(round_)


def _over(round_: Round) -> Standing:
    """Tell a round that was void because its spin was called off from one that was void for anything else."""
    if round_.status is Status.SETTLED:
        return Standing.SETTLED
    taken_back = round_.invalidated or round_.reason in (Reason.MALFUNCTION, Reason.NOT_COVERED)
    return Standing.VOID if taken_back else Standing.NO_SPIN


def _running(round_: Round) -> Standing:
    if round_.sealed is None:
        return Standing.OPEN
    if round_.pocket is not None:
        return Standing.RESULT
    return Standing.SEALED if round_.reported is None else Standing.REPORTED


def _decided(done: Events) -> ClauseId | None:
    return next(
        (event.clause for event in done if isinstance(event, RoundVoided | SpinVoided | RoundInterrupted)), None
    )


def _left(table: Table, round_: Round, state: Standing) -> ClauseId | None:
    """Name the clause of what needs no decision now: a round that is void or suspended has its own."""
    matter = _MATTERS.get(state)
    return round_.clause if matter is None else table.rulebook.cites[matter]


_MATTERS: Final = {
    Standing.OPEN: Matter.INTERRUPTED_NO_OUTCOME,
    Standing.REPORTED: Matter.INTERRUPTED_OUTCOME,
    Standing.RESULT: Matter.INTERRUPTED_OUTCOME,
    Standing.INTERRUPTED: Matter.INTERRUPTED_OUTCOME,
    Standing.SETTLED: Matter.SETTLED_UNSEEN,
    Standing.NO_SPIN: Matter.NO_SPIN,
}
