"""Documents that take long: the past read in parts, files that are too large, and whoever has left meanwhile."""

import asyncio
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from croupier.web.limits import ERRANDS_MOST, FILE_MOST, LEDGER_AT_ONCE
from tests.doors import held_up, played, until
from tests.guests import evening
from tests.stationer import cast, does, pairs, paper, refused, today
from tests.wirehouses import MARINA


def test_long_past_is_read_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the past takes long to read whoever asks is told how far that is, and the next goes on from there."""
    monkeypatch.setattr("croupier.web.reading.PAGES_MOST", LEDGER_AT_ONCE)

    async def scenario() -> None:
        async with evening(tmp_path, MARINA) as night:
            boss = await night.staff("pit", "boss")
            for number in range(2 * LEDGER_AT_ONCE):
                await does(boss, "NoteIncident", subject="M", words=f"Note {number}.")
            store = night.open.venue.run.archive.store
            parts = [page.last for page in store.pages()][LEDGER_AT_ONCE - 1 :: LEDGER_AT_ONCE]
            document, read = {"type": "day_report", "day": today(night)}, list[int]()
            while (answer := await paper(boss, **document))["t"] == "refused":
                assert answer["refusal"]["code"] == "busy"
                read.append(answer["refusal"]["facts"]["read"])
            assert read == parts[: len(read)]
            assert len(read) == 2
            assert pairs(answer)["Won by the house"] == "SGD 0.00"

    played(scenario)


def test_past_that_cannot_be_read_now_is_refused(tmp_path: Path) -> None:
    """Where too much waits to be done with the journal whoever asks is told to try again, and is answered then."""

    async def scenario() -> None:
        async with evening(tmp_path, MARINA) as night:
            pit = await cast(night, "M")
            document = {"type": "day_report", "day": today(night)}
            conductor = night.open.venue.conductor
            with held_up(night.open.venue.clerk):
                waiting = [asyncio.ensure_future(conductor.errand(lambda: True)) for _ in range(ERRANDS_MOST)]
                await until(lambda: len(conductor._errands) == ERRANDS_MOST - 1)  # noqa: SLF001 - nobody else can tell
                waiting.append(asyncio.ensure_future(conductor.errand(lambda: True)))
                await until(lambda: len(conductor._errands) == ERRANDS_MOST)  # noqa: SLF001
                assert await refused(pit.boss, **document) == "busy"
            await asyncio.gather(*waiting)
            assert (await paper(pit.boss, **document))["t"] == "paper"

    played(scenario)


def test_file_that_is_too_long_is_not_sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A document of more bytes than a file may have is refused as a file; on the screen it is shown."""
    monkeypatch.setattr("croupier.web.drawing.FILE_MOST", 1_000)

    async def scenario() -> None:
        async with evening(tmp_path, MARINA) as night:
            boss = await night.staff("pit", "boss")
            document = {"type": "day_report", "day": today(night)}
            answer = await paper(boss, form="pdf", **document)
            assert answer["refusal"]["facts"]["most"] == 1_000 < answer["refusal"]["facts"]["bytes"] < FILE_MOST
            assert (await paper(boss, **document))["t"] == "paper"

    played(scenario)


def test_whoever_has_left_meanwhile_is_told_nothing(tmp_path: Path) -> None:
    """A document that is drawn for somebody who walks off is drawn for nobody, and nothing fails."""

    async def scenario() -> None:
        async with evening(tmp_path, MARINA) as night:
            boss = await night.staff("pit", "boss")
            under_way = night.open.venue.gateway.chores._under_way  # noqa: SLF001 - nothing else tells
            with held_up(night.open.venue.clerk):
                document = {"type": "day_report", "day": today(night)}
                boss.client.say("paper", form="pdf", document=document)
                await until(lambda: bool(under_way))
                await night.leaves(boss)
            await until(lambda: not under_way)

    with capture_logs() as log:
        played(scenario)
    assert not [each for each in log if each["log_level"] == "error"]
