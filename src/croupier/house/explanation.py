"""Explanations: what a recovery found and did, in plain words, table by table."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from croupier.house.answer import Events
from croupier.house.event.base import AtRound
from croupier.house.event.round import RoundInterrupted, RoundSettled, RoundSuspended, RoundVoided, SpinVoided
from croupier.house.event.venue import Found, HouseRecovered, Standing
from croupier.house.name import SECOND, Instant, RoundNumber, TableId
from croupier.rules.clause import ClauseId
from croupier.rules.money import amount_text


class Explained(NamedTuple):
    """What a recovery found at one table and did about it, and by which clause."""

    round: RoundNumber
    found: str
    done: str
    #: Whether anything was done.
    acted: bool
    clause: ClauseId | None


def explain(events: Events, rulebooks: Mapping[TableId, str]) -> tuple[str, ...]:
    """Explain the answer to one recovery: a block of lines for each table that has had a round."""
    blocks = tuple(_block(table, told, rulebooks[table]) for table, told in explained(events).items())
    return blocks or ("No round had begun at any table: nothing was done.",)


def explained(events: Events) -> dict[TableId, Explained]:
    """Explain the answer to one recovery, table by table; a house that was not founded yet had none."""
    recovered = next((each for each in events if isinstance(each, HouseRecovered)), None)
    return {each.table: _explained(each, events) for each in (recovered.found if recovered else ())}


def _explained(found: Found, events: Events) -> Explained:
    deeds = "; ".join(_deed(each) for each in events if isinstance(each, AtRound) and each.table == found.table)
    state = f"{_FOUND[found.state]} (phase {found.phase.value})"
    return Explained(found.round, state, deeds or _LEFT[found.state], bool(deeds), found.clause)


def _block(table: TableId, told: Explained, rulebook: str) -> str:
    return "\n".join(
        (
            f"{table}, round {told.round}, under {rulebook}",
            f"  found   {told.found}",
            f"  done    {told.done}",
            f"  clause  {told.clause or 'none'}",
        )
    )


def _deed(event: AtRound) -> str:
    """Say what was done to a round, by the only events with which a recovery does anything."""
    match event:
        case RoundVoided():
            return "the round is void, and every stake went back"
        case RoundSettled():
            return f"settled by the record: {amount_text(event.staked)} staked, {amount_text(event.returned)} came back"
        case SpinVoided():
            return "the spin does not count, and the round goes on with another"
        case RoundInterrupted():
            return "bets stand, two people may attest where the ball lay, and staff are told"
    assert isinstance(event, RoundSuspended)
    assert event.until is not None
    return f"it waits for them until {_clock(event.until)}, and is void then"


def _clock(at: Instant) -> str:
    """Write an instant as the time of day in UTC."""
    minutes, seconds = divmod(at // SECOND, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours % 24:02d}:{minutes:02d}:{seconds:02d} UTC"


_FOUND: Final[Mapping[Standing, str]] = {
    Standing.OPEN: "bets were not sealed yet",
    Standing.SEALED: "bets were sealed, and no number was on record",
    Standing.REPORTED: "the wheel had reported a number, which awaits somebody's word",
    Standing.RESULT: "a result was on record, and not settled",
    Standing.SETTLED: "the round was settled",
    Standing.NO_SPIN: "the spin had been called off",
    Standing.SUSPENDED: "the round was suspended until somebody decides",
    Standing.INTERRUPTED: "the system had stopped in it before, and two people were to attest where the ball lay",
    Standing.VOID: "the round was void",
}
_LEFT: Final[Mapping[Standing, str]] = {
    Standing.OPEN: "nothing: no ball was running, and betting goes on",
    Standing.REPORTED: "nothing: it is settled once somebody gives the word",
    Standing.SETTLED: "nothing: no money moves, and screens show it again",
    Standing.NO_SPIN: "nothing: whatever number comes of that spin is nobody's",
    Standing.SUSPENDED: "nothing: whoever was to decide it still is",
    Standing.INTERRUPTED: "nothing more: it still waits",
    Standing.VOID: "nothing: every stake had gone back",
}
