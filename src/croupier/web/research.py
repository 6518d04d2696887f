"""Research: what is asked of the journal, read in its own time on the clerk's thread, between the house's turns."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from msgspec.structs import replace

from croupier.house.answer import refuse
from croupier.house.name import RoundNumber, TableId
from croupier.journal.entry import Entry
from croupier.rules.refusal import Code, Refusal
from croupier.web import incoming, outgoing
from croupier.web.conductor import Conductor
from croupier.web.journalpage import Picking, page_of
from croupier.web.limits import NOTATION_MOST
from croupier.web.reading import Reading, Taker
from croupier.web.replay import Gathering, replayed

#: Writes a round as notation, from all entries of a journal by page.
Notes = Callable[[list[list[Entry]], TableId, RoundNumber], str]

_BUSY: Final = refuse(Code.BUSY, None, "Too much waits to be read: try again in a moment.")
_LONG: Final = "The journal is too long to be read through while the house is open: `croupier journal replay` does so."


@dataclass(slots=True)
class Research:
    """Reads the journal for whoever may ask."""

    conductor: Conductor
    notes: Notes

    async def journal(self, query: incoming.Journal) -> outgoing.Journal | Refusal:
        """Find entries: those after a position, or else the last ones before one, or of all."""
        picking, backwards = Picking(query), query.after is None
        start = query.before and query.before - 1 if query.after is None else query.after + 1
        reading = self._reading(picking.take, start, backwards=backwards)
        refusal = await self._read(reading)
        return refusal or page_of(self.conductor.run.house, query, reading, picking.found)

    async def replay(self, query: incoming.Replay) -> outgoing.Replay | Refusal:
        """Put a round together again; with its notation, where that is wanted."""
        gathering = Gathering(query)
        refusal = self._not_kept(query) or await self._read(self._reading(gathering.take))
        # It may be one of those that are kept no longer by now.
        refusal = refusal or self._not_kept(query)
        if refusal is not None or not gathering.whole:
            return refusal or refuse(Code.UNKNOWN_RECORD, None, _LONG, round=query.round)
        told = replayed(self.conductor.run.house, query, gathering)
        text, why = await self._notation(query) if query.notation else (None, "")
        return replace(told, notation=text, no_notation=why)

    def _not_kept(self, query: incoming.Replay) -> Refusal | None:
        """Say why a round cannot be replayed: it is not kept here, or its bets may still change."""
        table = self.conductor.run.house.tables.get(TableId(query.table))
        if table is None:
            return refuse(Code.UNKNOWN_TABLE, None, f"There is no table {query.table}.", table=query.table)
        found = table.find_round(RoundNumber(query.round))
        if found is None:
            says = f"Round {query.round} is not kept here: only the journal has it."
            return refuse(Code.UNKNOWN_RECORD, None, says, round=query.round)
        if found.sealed is None and not found.over:
            return refuse(Code.OUT_OF_TURN, None, "The bets of this round are not sealed yet.", round=query.round)
        return None

    def _reading(self, take: Taker, start: int | None = None, *, backwards: bool = True) -> Reading:
        return Reading(self.conductor.run.archive.store, take, start, backwards)

    async def _read(self, reading: Reading) -> Refusal | None:
        """Read until there is enough, a little between two turns each time."""
        try:
            while not await self.conductor.errand(reading.step):
                pass
        except asyncio.QueueFull:
            return _BUSY
        return None

    async def _notation(self, query: incoming.Replay) -> tuple[str | None, str]:
        """Write a round as notation, or say why not: the whole journal is read for it."""
        if self.conductor.run.writer.mark.position > NOTATION_MOST:
            return None, _LONG
        pages: dict[int, list[Entry]] = {}
        every = self._reading(lambda entry: _keep(pages, every.page, entry), backwards=False)
        refusal = await self._read(every)
        if refusal is not None or not every.ended:
            return None, _LONG if refusal is None else refusal.says
        entries = list(pages.values())
        return await asyncio.to_thread(self.notes, entries, TableId(query.table), RoundNumber(query.round)), ""


def _keep(pages: dict[int, list[Entry]], page: int, entry: Entry) -> bool:
    pages.setdefault(page, []).append(entry)
    return False
