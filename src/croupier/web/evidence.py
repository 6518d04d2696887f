"""Evidence: what is handed out to be verified elsewhere, and the journal verified here, one at a time."""

import asyncio
import io
from base64 import b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final

import msgspec
from msgspec.structs import replace

from croupier.engine.inspection import Inspection
from croupier.engine.run import ENTRIES_PER_WALK, Run
from croupier.house.answer import refuse
from croupier.house.name import Instant, RoundNumber, TableId
from croupier.journal.export import Part, enclosing, sheets_of, write
from croupier.journal.fault import Damaged
from croupier.journal.store import Store
from croupier.journal.verify import ROUND
from croupier.rules.refusal import Code, Refusal
from croupier.web import incoming, outgoing
from croupier.web.discretion import not_yet, reported
from croupier.web.extent import Extent
from croupier.web.limits import EXPORT_ENTRIES, FILE_MOST, PART_MOST
from croupier.web.research import Research

Asked = incoming.Bundle | incoming.Export | incoming.Verify

_BUSY: Final = refuse(Code.BUSY, None, "Somebody else has the journal read through: try again in a moment.")
_LONG: Final = "This is more than is handed out while the house is open: `croupier export` does so."
_ZIP: Final = "application/zip"


class Lines:
    """Copies the lines of a part, some entries at a time; and notes which wheels have reported in it, and when."""

    def __init__(self, store: Store, part: Part) -> None:
        self._sheets = sheets_of(store, part)
        self.lines = list[bytes]()
        self.reports = dict[TableId, Instant]()

    def step(self) -> bool:
        """Copy some entries more, and those of their last page; tell whether these were the last."""
        left = ENTRIES_PER_WALK
        while left > 0:
            sheet = next(self._sheets, None)
            if sheet is None:
                return True
            left -= len(sheet.entries)
            self.lines.append(sheet.page.lines)
            for entry in sheet.entries:
                self.reports.update(reported(entry))
        return False


class Finding:
    """Finds the part with some entries; what of them stands under no signature yet is signed first."""

    part: Part

    def __init__(self, run: Run, first: int, last: int) -> None:
        self._run, self._first, self._last = run, first, last

    def step(self) -> bool:
        run = self._run
        if run.writer.signed_at < self._last:
            run.writer.sign(run.ports.clock.now())
        part = enclosing(run.archive.store, run.archive.signer.verifier, self._first, self._last)
        assert part is not None
        self.part = part
        return True


@dataclass(slots=True)
class Evidence:
    """Hands out what proves itself, and has the whole journal proven."""

    research: Research
    #: Whether something is being read: what is read at once is held in memory, so it is one at a time.
    under_way: bool = False
    #: What is wrong with the journal, where that was found and told.
    fault: Damaged | None = None

    @property
    def run(self) -> Run:
        return self.research.conductor.run

    async def told(self, query: Asked, wanted: Callable[[], bool]) -> outgoing.Message | Refusal:
        """Answer, as long as somebody waits for it."""
        if self.under_way:
            return _BUSY
        self.under_way = True
        try:
            match query:
                case incoming.Bundle():
                    return await self._bundle(query)
                case incoming.Export():
                    return await self._export(query)
                case _:
                    return await self._verify(query, wanted)
        finally:
            self.under_way = False

    async def _verify(self, query: incoming.Verify, wanted: Callable[[], bool]) -> outgoing.Verified | Refusal:
        time, run = self.research.conductor.time, self.run
        began, inspection = time.now(), Inspection(run.archive, run.house.read_rulebook)
        refusal = await self.research.read(lambda: not wanted() or inspection.step())
        if refusal is not None:
            return refusal
        mark, fault = inspection.walk.mark, inspection.fault
        self.fault = fault
        return outgoing.Verified(
            q=query.q,
            sound=fault is None,
            entries=mark.position,
            pages=mark.page,
            head=mark.head.hex(),
            checkpoints=inspection.walk.met,
            faults=() if fault is None else (_in_words(fault),),
            took_ms=(time.now() - began) // 1_000,
        )

    async def act(self) -> None:
        """Stop the house where its journal is not what was written, as the patrol does; whoever asked knows by now."""
        if self.fault is not None:
            await self.research.read(self._raise)

    def _raise(self) -> None:
        assert self.fault is not None
        raise self.fault

    async def _export(self, query: incoming.Export) -> outgoing.File | Refusal:
        head = self.run.writer.mark.position
        first, end = query.after + 1, min(head, (query.before or head + 1) - 1)
        if first > end:
            return refuse(Code.NOTHING_THERE, None, f"There is nothing from entry {first} to {end}.", head=head)
        # What is signed already is handed out first, and only then the rest is signed.
        signed = self.run.writer.signed_at
        last = min(first + EXPORT_ENTRIES - 1, end, signed if first <= signed else end)
        part = await self._part(first, last)
        if isinstance(part, Refusal):
            return part
        file = await self._file(f"journal-{part.first}-{part.last}.zip", part, {})
        more = part.last if part.last < end else None
        return file if isinstance(file, Refusal) else replace(file, q=query.q, more_after=more)

    async def _bundle(self, query: incoming.Bundle) -> outgoing.File | Refusal:
        house, table, number = self.run.house, TableId(query.table), RoundNumber(query.round)
        refusal = self.research.not_played(table, number)
        extent = Extent(house, table, number)
        refusal = refusal or await self.research.read(self.research.reading(extent.take).step)
        if refusal is not None or not extent.whole:
            return refusal or refuse(Code.TOO_LONG, None, _LONG, round=number)
        beside = await self._beside(query)
        if isinstance(beside, Refusal):
            return beside
        part = await self._part(extent.first, extent.last)
        if isinstance(part, Refusal):
            return part
        file = await self._file(f"round-{_plain(table)}-{number}.zip", part, beside)
        return file if isinstance(file, Refusal) else replace(file, q=query.q)

    async def _beside(self, query: incoming.Bundle) -> dict[str, bytes] | Refusal:
        """Put together what is told of a round: its course where it is kept, and the round as notation."""
        facts, notation = ROUND
        kept = self.run.house.tables[TableId(query.table)].find_round(RoundNumber(query.round)) is not None
        if not kept:
            text, _ = await self.research.notation(query.table, query.round)
            return {} if text is None else {notation: text.encode()}
        asked = incoming.Replay(table=query.table, round=query.round, terminal=query.terminal, notation=True)
        told = await self.research.replay(asked)
        if isinstance(told, Refusal):
            return told
        text = told.notation
        written = msgspec.json.format(outgoing.encode(replace(told, notation=None)), indent=1) + b"\n"
        return {facts: written, **({} if text is None else {notation: text.encode()})}

    async def _part(self, first: int, last: int) -> Part | Refusal:
        finding = Finding(self.run, first, last)
        refusal = await self.research.read(finding.step)
        if refusal is not None:
            return refusal
        part = finding.part
        too_long = part.last - part.first >= PART_MOST
        return refuse(Code.TOO_LONG, None, _LONG, first=part.first, last=part.last) if too_long else part

    async def _file(self, name: str, part: Part, beside: Mapping[str, bytes]) -> outgoing.File | Refusal:
        copied = Lines(self.run.archive.store, part)
        refusal = await self.research.read(copied.step) or not_yet(self.run.house, copied.reports)
        if refusal is not None:
            return refusal
        content = await asyncio.to_thread(partial(_packed, self.run, part, copied.lines, beside))
        if len(content) > FILE_MOST:
            return refuse(Code.TOO_LONG, None, _LONG, bytes=len(content))
        text = await asyncio.to_thread(b64encode, content)
        return outgoing.File(q=0, name=name, type=_ZIP, content=text.decode())


def _packed(run: Run, part: Part, lines: list[bytes], beside: Mapping[str, bytes]) -> bytes:
    out = io.BytesIO()
    write(run.archive.signer, part, lines, out, beside)
    return out.getvalue()


def _in_words(fault: Damaged) -> str:
    return f"Entry {fault.position}: {fault.words}."


def _plain(name: str) -> str:
    """Put a table's name as it can stand in the name of a file."""
    return "".join(each if each.isascii() and each.isalnum() else "-" for each in name)
