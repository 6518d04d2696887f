"""Research: what is asked of the journal, read in its own time on the clerk's thread, between the house's turns."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from msgspec.structs import replace

from croupier.house.answer import refuse
from croupier.house.name import RoundNumber, TableId
from croupier.journal.entry import Entry
from croupier.rules.refusal import Code, Refusal
from croupier.web import incoming, outgoing
from croupier.web.conductor import Conductor
from croupier.web.discretion import not_counting, withheld
from croupier.web.journalpage import Picking, page_of
from croupier.web.limits import NOTATION_MOST
from croupier.web.reading import Reading, Taker, read_through
from croupier.web.replay import Gathering, replayed

#: Writes a round as notation, from all entries of a journal by page.
Notes = Callable[[list[list[Entry]], TableId, RoundNumber], str]

_LONG: Final = "The journal is too long to be read through while the house is open: `croupier replay` does so."


@dataclass(slots=True)
class Research:
    """Reads the journal for whoever may ask."""

    conductor: Conductor
    notes: Notes
    #: The whole journal is held in memory for a notation, and a thread is busy with it: it is one at a time.
    _one_at_a_time: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def journal(self, query: incoming.Journal) -> outgoing.Journal | Refusal:
        """Find entries: those after a position, or else the last ones before one, or of all."""
        picking, backwards = Picking(query), query.after is None
        start = query.before and query.before - 1 if query.after is None else query.after + 1
        reading = self.reading(picking.take, start, backwards=backwards)
        refusal = await self.read(reading.step)
        return refusal or page_of(self.conductor.run.house, query, reading, picking.found)

    async def replay(self, query: incoming.Replay) -> outgoing.Replay | Refusal:
        """Put a round together again; with its notation, where that is wanted."""
        gathering = Gathering(query)
        refusal = self._not_kept(query) or await self.read(self.reading(gathering.take).step)
        # It may be one of those that are kept no longer by now.
        refusal = refusal or self._not_kept(query)
        if refusal is not None or not gathering.whole:
            return refusal or refuse(Code.TOO_LONG, None, _LONG, round=query.round)
        told = replayed(self.conductor.run.house, query, gathering)
        text, why = await self.notation(query.table, query.round) if query.notation else (None, "")
        return replace(told, notation=text, no_notation=why)

    def _not_kept(self, query: incoming.Replay) -> Refusal | None:
        """Say why a round cannot be replayed: it is not kept here, or its bets may still change."""
        table, number = TableId(query.table), RoundNumber(query.round)
        refusal = self.not_played(table, number)
        if refusal is None and self.conductor.run.house.tables[table].find_round(number) is None:
            says = f"Round {number} is not kept here: only the journal has it."
            return refuse(Code.UNKNOWN_RECORD, None, says, round=number)
        return refusal

    def not_played(self, name: TableId, number: RoundNumber) -> Refusal | None:
        """Say why nothing is told of a round: there was none yet, or its bets may still change."""
        table = self.conductor.run.house.tables.get(name)
        if table is None:
            return refuse(Code.UNKNOWN_TABLE, None, f"There is no table {name}.", table=name)
        if number > table.rounds:
            says = f"Table {name} has played no round {number}."
            return refuse(Code.UNKNOWN_RECORD, None, says, round=number)
        found = table.find_round(number)
        if found is not None and found.sealed is None and not found.over:
            return refuse(Code.OUT_OF_TURN, None, "The bets of this round are not sealed yet.", round=number)
        return None

    def reading(self, take: Taker, start: int | None = None, *, backwards: bool = True) -> Reading:
        return Reading(self.conductor.run.archive.store, take, start, backwards)

    async def read(self, step: Callable[[], object]) -> Refusal | None:
        """Read until a step says that it is enough, a little between two turns each time."""
        return await read_through(self.conductor, step)

    async def notation(self, table: str, number: int) -> tuple[str | None, str]:
        """Write a round as notation, or say why not: the whole journal is read for it."""
        async with self._one_at_a_time:
            return await self._notation(TableId(table), RoundNumber(number))

    async def _notation(self, table: TableId, number: RoundNumber) -> tuple[str | None, str]:
        if self.conductor.run.writer.mark.position > NOTATION_MOST:
            return None, _LONG
        pages: dict[int, list[Entry]] = {}
        every = self.reading(lambda entry: _keep(pages, every.page, entry), backwards=False)
        refusal = await self.read(every.step)
        if refusal is not None or not every.ended:
            return None, _LONG if refusal is None else refusal.says
        # Nothing of any later round is in it, nor of any other table.
        drawn = withheld(self.conductor.run.house, table)
        if drawn is not None and drawn.number == number:
            return None, not_counting(table, drawn).says
        return await asyncio.to_thread(self.notes, list(pages.values()), table, number), ""


def _keep(pages: dict[int, list[Entry]], page: int, entry: Entry) -> bool:
    pages.setdefault(page, []).append(entry)
    return False
