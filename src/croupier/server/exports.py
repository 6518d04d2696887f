"""Evidence bundles and journal verification."""

import asyncio
import io
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final

import msgspec
from msgspec.structs import replace

from croupier.engine.audit import JournalAudit
from croupier.engine.journal_reader import JournalReader
from croupier.engine.redaction import note_report, require_declared
from croupier.engine.run import Run
from croupier.engine.slices import Now
from croupier.engine.storage import Storage
from croupier.house import House
from croupier.house.credit.tickets import Ticket
from croupier.house.declare import RoundEvent
from croupier.house.floor.malfunctions import BetsConfirmed, BetsVoided, CaseCleared, LineLossCleared, MalfunctionRaised
from croupier.house.ids import Instant, RoundNumber, TableId
from croupier.house.rounds.opening import BetsOpened
from croupier.journal.disk import JournalCorrupt
from croupier.journal.entry import Entry
from croupier.journal.export import ExportRange, export_range, page_line, write_bundle
from croupier.journal.pages import VerifiedPage
from croupier.journal.verify import ROUND
from croupier.protocol import inbound, outbound
from croupier.rules.refusal import Code, Refused, refuse
from croupier.server.journal_queries import JournalQueries

#: How many entries a file has that is requested part by part, and up to how many any file has: a part goes on to the
#: next signature.
EXPORT_ENTRIES: Final = 10_000
PART_MAX: Final = 30_000
#: The largest file that is sent over the wire, in bytes.
FILE_MAX: Final = 4 * 1024 * 1024


class RoundRange:
    """Finds the first and last entry of a round, with its corrections, cases and disputes."""

    def __init__(self, house: House, table: TableId, number: RoundNumber) -> None:
        self._here = (table, number)
        self._disputes = {
            each.opened.dispute
            for each in house.disputes.values()
            if (each.opened.table, each.opened.round) == self._here
        }
        self._cases = {each.number for each in house.cases.all.values() if self._here in each.questioned}
        #: The first and the last entry about it; 0 when none was found yet.
        self.first = self.last = 0
        #: Whether its opening was found.
        self.whole = False

    def consume(self, entry: Entry) -> bool:
        if self._is_about_it(entry):
            self.first, self.last = entry.position, self.last or entry.position
            self.whole = isinstance(entry.event, BetsOpened)
        return self.whole

    def _is_about_it(self, entry: Entry) -> bool:
        match entry.event:
            case RoundEvent(table=table, round=number):
                return (table, number) == self._here
            case MalfunctionRaised() | BetsConfirmed() | BetsVoided() | CaseCleared():
                return entry.event.case in self._cases
            case LineLossCleared(cases=cases):
                return any(case in self._cases for case in cases)
            case event:
                return getattr(event, "dispute", None) in self._disputes


ExportRequest = inbound.Bundle | inbound.Export | inbound.Verify

_BUSY: Final = refuse(Code.BUSY, None, "Somebody else has the journal read through: try again in a moment.")
_LONG: Final = "This is more than is handed out while the house is open: `croupier export` does so."
_ZIP: Final = "application/zip"


class ExportJob:
    """Copies the lines of an export range, in slices of time, and records when each wheel reported in it."""

    def __init__(self, storage: Storage, part: ExportRange) -> None:
        self._reader = JournalReader.of_range(storage.store, storage.signer.verifier, part)
        self.lines = list[bytes]()
        self.reports = dict[TableId, Instant]()

    def step(self, now: Now) -> bool:
        """Copy more entries for one slice; return whether these were the last."""
        return self._reader.step(self._copy, now)

    def _copy(self, verified_page: VerifiedPage) -> None:
        self.lines.append(page_line(verified_page.page))
        for entry in verified_page.entries_without_bets():
            note_report(self.reports, entry)


class FindRangeJob:
    """Finds the export range of some entries; it signs a checkpoint first when they are not signed yet."""

    part: ExportRange

    def __init__(self, run: Run, first: int, last: int) -> None:
        self._run, self._first, self._last = run, first, last

    def step(self) -> bool:
        run = self._run
        if run.writer.signed_to < self._last:
            run.writer.sign(run.ports.clock.now())
        part = export_range(run.storage.store, run.storage.signer.verifier, self._first, self._last)
        assert part is not None
        self.part = part
        return True


@dataclass(slots=True)
class EvidenceExports:
    """Evidence bundles and exports for staff, and the verification of the whole journal."""

    journal_queries: JournalQueries
    #: Whether a request is running: each holds its entries in memory, so only one runs at a time.
    busy: bool = False
    #: The fault that a verification has found and reported.
    fault: JournalCorrupt | None = None

    @property
    def run(self) -> Run:
        return self.journal_queries.commit_loop.run

    async def respond(self, query: ExportRequest, wanted: Callable[[], bool]) -> outbound.OutboundMessage:
        """Respond to a request, as long as its connection is open."""
        if self.busy:
            raise Refused.by(_BUSY)
        self.busy = True
        try:
            match query:
                case inbound.Bundle():
                    return await self._bundle(query)
                case inbound.Export():
                    return await self._export(query)
                case _:
                    return await self._verify(query, wanted)
        finally:
            self.busy = False

    async def _verify(self, query: inbound.Verify, wanted: Callable[[], bool]) -> outbound.VerificationResult:
        time, run = self.journal_queries.commit_loop.time, self.run
        storage, began = run.storage, time.now()
        differing, index, verifier = list[int](), storage.tickets, storage.signer.verifier

        def compare(tickets: Iterable[Ticket], last: int) -> None:
            """Compare closed tickets with their index, which is only derived: it is rewritten where it differs."""
            differing.append(0 if index is None else index.repair(tickets, last))

        audit = JournalAudit(storage.store, verifier, run.house.read_rulebook, storage.signer, compare)
        await self.journal_queries.read(lambda: not wanted() or audit.step(time.now))
        head, fault = audit.reader.head, audit.fault
        self.fault = fault
        return outbound.VerificationResult(
            q=query.q,
            sound=fault is None and not sum(differing),
            entries=head.position,
            pages=head.page,
            head=head.digest.hex(),
            checkpoints=audit.reader.checkpoints,
            faults=tuple(_faults(sum(differing), fault)),
            took_ms=(time.now() - began) // 1_000,
        )

    async def stop_on_fault(self) -> None:
        """Stop the house when a verification has found a fault, as the scrubber does; the response is already sent."""
        if self.fault is not None:
            await self.journal_queries.read(self._raise)

    def _raise(self) -> None:
        assert self.fault is not None
        raise self.fault

    async def _export(self, query: inbound.Export) -> outbound.File:
        head = self.run.writer.head.position
        first, end = query.after + 1, min(head, (query.before or head + 1) - 1)
        if first > end:
            raise Refused(Code.NOTHING_THERE, None, f"There is nothing from entry {first} to {end}.", head=head)
        # Signed entries are exported first, and only then the rest is signed.
        signed = self.run.writer.signed_to
        last = min(first + EXPORT_ENTRIES - 1, end, signed if first <= signed else end)
        part = await self._part(first, last)
        file = await self._file(f"journal-{part.first}-{part.last}.zip", part, {})
        more = part.last if part.last < end else None
        return replace(file, q=query.q, more_after=more)

    async def _bundle(self, query: inbound.Bundle) -> outbound.File:
        house, table, number = self.run.house, TableId(query.table), RoundNumber(query.round)
        self.journal_queries.require_played(table, number)
        extent = RoundRange(house, table, number)
        await self.journal_queries.read(self.journal_queries.scan(extent.consume, bets=False).step)
        if not extent.whole:
            raise Refused(Code.TOO_LONG, None, _LONG, round=number)
        beside = await self._beside(query)
        part = await self._part(extent.first, extent.last)
        return replace(await self._file(f"round-{_plain(table)}-{number}.zip", part, beside), q=query.q)

    async def _beside(self, query: inbound.Bundle) -> dict[str, bytes]:
        """Build the files about a round: its steps when it is in the state, and its notation."""
        facts, notation = ROUND
        if self.run.house.tables[TableId(query.table)].find_round(RoundNumber(query.round)) is None:
            text, _ = await self.journal_queries.notation(query.table, query.round)
            return {} if text is None else {notation: text.encode()}
        request = inbound.QueryReplay(table=query.table, round=query.round, terminal=query.terminal, notation=True)
        result = await self.journal_queries.replay(request)
        text = result.notation
        steps = msgspec.json.format(outbound.encode(replace(result, notation=None)), indent=1) + b"\n"
        return {facts: steps, **({} if text is None else {notation: text.encode()})}

    async def _part(self, first: int, last: int) -> ExportRange:
        finding = FindRangeJob(self.run, first, last)
        await self.journal_queries.read(finding.step)
        part = finding.part
        if part.last - part.first >= PART_MAX:
            raise Refused(Code.TOO_LONG, None, _LONG, first=part.first, last=part.last)
        return part

    async def _file(self, name: str, part: ExportRange, beside: Mapping[str, bytes]) -> outbound.File:
        copied = ExportJob(self.run.storage, part)
        await self.journal_queries.read(partial(copied.step, self.run.ports.clock.now))
        require_declared(self.run.house, copied.reports)
        content = await asyncio.to_thread(partial(_packed, self.run, part, copied.lines, beside))
        if len(content) > FILE_MAX:
            raise Refused(Code.TOO_LONG, None, _LONG, bytes=len(content))
        text = await asyncio.to_thread(b64encode, content)
        return outbound.File(q=0, name=name, type=_ZIP, content=text.decode())


def _packed(run: Run, part: ExportRange, lines: list[bytes], beside: Mapping[str, bytes]) -> bytes:
    out = io.BytesIO()
    write_bundle(run.storage.signer, part, lines, out, beside)
    return out.getvalue()


def _faults(differing: int, fault: JournalCorrupt | None) -> Iterator[str]:
    if differing:
        yield f"The index of closed tickets differed from the journal in {differing} rows, and was corrected."
    if fault is not None:
        yield f"Entry {fault.position}: {fault.words}."


def _plain(name: str) -> str:
    """Convert a table's name for a file name."""
    return "".join(each if each.isascii() and each.isalnum() else "-" for each in name)
