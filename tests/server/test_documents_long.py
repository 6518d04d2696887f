"""Long documents: the past read in steps, files that are too large, and connections that close meanwhile."""

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from structlog.testing import capture_logs

from croupier.journal.stores import Store
from croupier.protocol import outbound
from croupier.protocol.queries import DocumentFormat
from croupier.rules.refusal import Refusal
from croupier.server.documents import AnyDocument, render_document
from croupier.server.exports import FILE_MAX
from tests.support.blocked_disk import full_job_queue
from tests.support.connections import LONG_S, held_up, played, until
from tests.support.document_client import connect_actors, does, pairs, paper, refused, today
from tests.support.server_harness import server_harness
from tests.support.wire.houses import MARINA

#: How many entries are read at a time.
PART: Final = 20


def _parts(store: Store) -> Iterator[int]:
    """Tell after which entries a part ends before the last: that of so many pages."""
    return (page.last for page in store.pages() if page.number % PART == 0)


def test_long_past_is_read_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While a long journal is read a request receives the progress, and the next one continues from there."""
    monkeypatch.setattr("croupier.engine.journal_reader.PAGES_MAX", PART)

    async def scenario() -> None:
        async with server_harness(tmp_path, MARINA) as harness:
            boss = await harness.staff("pit", "boss")
            for number in range(2 * PART):
                await does(boss, "NoteIncident", subject="M", words=f"Note {number}.")
            store = harness.open.venue.run.storage.store
            assert harness.open.venue.run.writer.head.page > PART
            document, read = {"type": "day_report", "day": today(harness)}, list[int]()
            while (answer := await paper(boss, **document))["t"] == "refused":
                assert answer["refusal"]["code"] == "busy"
                read.append(answer["refusal"]["facts"]["read"])
            assert read == list(_parts(store))
            assert len(read) > 1
            assert pairs(answer)["Won by the house"] == "SGD 0.00"

    played(scenario)


def test_past_that_cannot_be_read_now_is_refused(tmp_path: Path) -> None:
    """When the queue of journal jobs is full a request is refused as busy, and answered afterwards."""

    async def scenario() -> None:
        async with server_harness(tmp_path, MARINA) as harness:
            pit = await connect_actors(harness, "M")
            document = {"type": "day_report", "day": today(harness)}
            async with full_job_queue(harness.open):
                assert await refused(pit.boss, **document) == "busy"
            assert (await paper(pit.boss, **document))["t"] == "paper"

    played(scenario)


def test_file_that_is_too_long_is_not_sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A document of more bytes than a file may have is refused as a file; on the screen it is shown."""
    monkeypatch.setattr("croupier.server.documents.FILE_MAX", 1_000)

    async def scenario() -> None:
        async with server_harness(tmp_path, MARINA) as harness:
            boss = await harness.staff("pit", "boss")
            document = {"type": "day_report", "day": today(harness)}
            answer = await paper(boss, form="pdf", **document)
            # It does not get shorter by asking again.
            assert answer["refusal"]["code"] == "too_long"
            assert answer["refusal"]["facts"]["most"] == 1_000 < answer["refusal"]["facts"]["bytes"] < FILE_MAX
            assert (await paper(boss, **document))["t"] == "paper"

    played(scenario)


def test_documents_are_drawn_one_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While one document is drawn another waits, and threads are free for everybody else; then it is drawn too."""
    begun, go_on = list[DocumentFormat](), threading.Event()

    def slowly(paper: AnyDocument, form: DocumentFormat, q: int) -> outbound.DocumentResult | outbound.File | Refusal:
        begun.append(form)
        assert go_on.wait(LONG_S)
        return render_document(paper, form, q)

    monkeypatch.setattr("croupier.server.documents.render_document", slowly)

    async def scenario() -> None:
        async with server_harness(tmp_path, MARINA) as harness:
            boss, chief = await harness.staff("pit", "boss"), await harness.staff("pit", "chief")
            document = {"type": "day_report", "day": today(harness)}
            first = asyncio.ensure_future(paper(boss, form="pdf", **document))
            await until(lambda: len(begun) == 1)
            second = asyncio.ensure_future(paper(chief, form="escpos", **document))
            under_way = harness.open.venue.router.background_tasks._under_way  # noqa: SLF001 - nothing else tells
            await until(lambda: len(under_way) == len((boss, chief)))
            await harness.settled()
            assert await asyncio.to_thread(lambda: begun) == [DocumentFormat.PDF]
            go_on.set()
            assert [(await each)["t"] for each in (first, second)] == ["file", "file"]
            assert begun == [DocumentFormat.PDF, DocumentFormat.ESCPOS]

    played(scenario)


def test_client_that_has_left_meanwhile_is_sent_nothing(tmp_path: Path) -> None:
    """A document that is drawn for somebody who walks off is drawn for nobody, and nothing fails."""

    async def scenario() -> None:
        async with server_harness(tmp_path, MARINA) as harness:
            boss = await harness.staff("pit", "boss")
            under_way = harness.open.venue.router.background_tasks._under_way  # noqa: SLF001 - nothing else tells
            with held_up(harness.open.venue.writer):
                document = {"type": "day_report", "day": today(harness)}
                boss.connection.say("paper", form="pdf", document=document)
                await until(lambda: bool(under_way))
                await harness.leaves(boss)
            await until(lambda: not under_way)

    with capture_logs() as log:
        played(scenario)
    assert not [each for each in log if each["log_level"] == "error"]
