"""Replay: a round that is still kept, put together again from the journal, step by step."""

from collections import deque

from croupier.house.event.base import AtRound
from croupier.house.event.play import BetsChanged, BetsReturned
from croupier.house.event.record import MalfunctionRaised
from croupier.house.event.round import BallRested, BetsOpened, ResultCorrected, ResultDeclared
from croupier.house.felt import Stakes
from croupier.house.name import RoundNumber, TableId, TerminalId
from croupier.house.settings import WheelKind
from croupier.house.state import House
from croupier.house.table import Round, Table
from croupier.house.terminal import Terminal
from croupier.journal.entry import Entry
from croupier.rules.pocket import Pocket
from croupier.web import incoming, outgoing
from croupier.web.journalpage import words_of
from croupier.web.limits import STEPS_MOST
from croupier.web.querydata import ReplaySeat, ReplayStep


class Gathering:
    """Collects the entries of one round, from the last back to its opening; of very many chips the first are kept."""

    def __init__(self, wanted: incoming.Replay) -> None:
        self._table, self._round, self._terminal = wanted.table, wanted.round, wanted.terminal
        self.course, self.chips = deque[Entry](), deque[Entry](maxlen=STEPS_MOST)
        self.left_out = 0
        #: Whether its opening was found.
        self.whole = False

    def take(self, entry: Entry) -> bool:
        event = entry.event
        if isinstance(event, BetsChanged | BetsReturned):
            if (event.table, event.round) == (self._table, self._round) and self._terminal in (None, event.terminal):
                self.left_out += len(self.chips) == STEPS_MOST
                self.chips.appendleft(entry)
        elif isinstance(event, MalfunctionRaised):
            if (TableId(self._table), RoundNumber(self._round)) in event.questioned:
                self.course.appendleft(entry)
        elif isinstance(event, AtRound) and (event.table, event.round) == (self._table, self._round):
            self.course.appendleft(entry)
            self.whole = isinstance(event, BetsOpened)
        return self.whole

    def entries(self) -> list[Entry]:
        """Give what was found, in order."""
        return sorted((*self.course, *self.chips), key=lambda each: each.position)


def replayed(house: House, message: incoming.Replay, found: Gathering) -> outgoing.Replay:
    """Put a round together as it is told; the notation comes later, where it is wanted."""
    table = house.tables[TableId(message.table)]
    round_ = table.find_round(RoundNumber(message.round))
    assert round_ is not None
    return outgoing.Replay(
        q=message.q,
        table=table.id,
        round=round_.number,
        rulebook=house.rulebooks[round_.rulebook].id,
        opened_at_us=round_.opened_at,
        pocket=None if round_.invalidated else round_.pocket,
        corrected=tuple(round_.corrected),
        status="invalidated" if round_.invalidated else round_.status.value,
        reason="" if round_.reason is None else round_.reason.value,
        clause=round_.clause,
        seats=tuple(_seats(house, table, round_, message.terminal)),
        steps=tuple(_step(house, entry) for entry in found.entries()),
        left_out=found.left_out,
        notation=None,
        no_notation="",
    )


def _seats(house: House, table: Table, round_: Round, only: str | None) -> list[ReplaySeat]:
    sealed = round_.sealed or {}
    names = [name for name in sealed if only in (None, name)]
    return [_seat(house, table, round_, house.terminals[name]) for name in names]


def _seat(house: House, table: Table, round_: Round, terminal: Terminal) -> ReplaySeat:
    assert round_.sealed is not None
    stakes, felt = round_.sealed[terminal.id], house.felts[round_.rulebook]
    counts = round_.pocket is not None and not round_.invalidated
    won = felt.winning(stakes, round_.pocket) if counts and round_.pocket is not None else {}
    began = next((each for each in terminal.recall if (each.table, each.round) == (table.id, round_.number)), None)
    return ReplaySeat(
        terminal=terminal.id,
        at_start={} if began is None else began.at_start,
        sealed=stakes,
        staked=sum(stakes.values()),
        returned=round_.paid.get(TerminalId(terminal.id)),
        winners={spot: stake * felt.gross[spot] for spot, stake in won.items()},
    )


def _step(house: House, entry: Entry) -> ReplayStep:
    event, stamp = entry.event, entry.stamp
    return ReplayStep(
        position=entry.position,
        at_us=stamp.now,
        kind=type(event).__name__,
        words=words_of(house, event),
        clause=getattr(event, "clause", None),
        person=stamp.person,
        device=stamp.device,
        terminal=getattr(event, "terminal", None),
        stakes=_stakes(entry),
        pocket=_pocket(house, entry),
    )


def _stakes(entry: Entry) -> Stakes:
    match entry.event:
        case BetsChanged() as changed:
            return dict(changed.stakes)
        case BetsReturned() as returned:
            return dict.fromkeys(returned.spots, 0)
        case _:
            return {}


def _pocket(house: House, entry: Entry) -> Pocket | None:
    """Name the number that a step is about; what a random wheel drew only once it counts."""
    match entry.event:
        case BallRested() as rested:
            drawn = house.tables[rested.table].settings.wheel is WheelKind.RANDOM
            return None if drawn else rested.pocket
        case ResultDeclared() | ResultCorrected() as declared:
            return declared.pocket
        case _:
            return None
