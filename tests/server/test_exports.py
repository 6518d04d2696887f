"""Evidence over the wire: verifiable files, and the whole journal verified while the house is open."""

import asyncio
import io
import json
from base64 import b64decode
from pathlib import Path
from typing import Any, NoReturn

import pytest
from structlog.testing import capture_logs

from croupier.engine.commit_loop import JOURNAL_JOBS_MAX
from croupier.house.ids import TableId
from croupier.house.rounds.results import BallAtRest
from croupier.journal import verify
from croupier.journal.disk import JournalCorrupt
from croupier.journal.stores.sqlite import SqliteStore
from croupier.journal.verify import WrongError
from croupier.protocol import inbound
from croupier.rules.geometry import Pocket
from croupier.rules.refusal import Code, Refused
from croupier.server.exports import EXPORT_ENTRIES, FILE_MAX, PART_MAX
from croupier.server.journal_queries import JournalQueries
from croupier.transcripts.runner import TranscriptResult, run_round
from tests.support.bundles import bundle_of, members_of
from tests.support.connections import LONG_S, VENUE, held_up, played, until
from tests.support.query_client import a_round, queried, refusal
from tests.support.server_harness import PageClient, ServerHarness, server_harness
from tests.support.slices import single_steps
from tests.support.wire.houses import ADELAIDE, MARINA
from tests.support.wire.runs import connect_actors


def members(harness: ServerHarness, file: dict[str, Any]) -> dict[str, bytes]:
    """Verify a file as anybody would, with the venue's key; give what is in it."""
    content = b64decode(file["content"])
    assert verify.verify(io.BytesIO(content), harness.open.venue.run.storage.signer.verifier.pem).startswith("Whole: ")
    return members_of(content)


def entries(found: dict[str, bytes]) -> list[dict[str, Any]]:
    """Read the entries of a bundle."""
    return [json.loads(line) for line in verify.entries_in(bundle_of(found))]


def kinds(found: dict[str, bytes]) -> list[str]:
    return [str(entry["event"]["type"]).partition(".")[0] for entry in entries(found)]


def auditor(harness: ServerHarness) -> PageClient:
    return next(each for each in harness.clients if each.kind == "auditor")


@pytest.mark.clause("skycity-adelaide-2003", "11(b)ii")
@pytest.mark.clause("skycity-adelaide-2003", "11(e)")
@pytest.mark.clause("skycity-adelaide-2003", "12(i)")
def test_round_is_handed_out_as_what_proves_itself(tmp_path: Path) -> None:
    """A round's file holds its entries to the dispute's close under the venue's signature, its course and notation."""

    async def scenario() -> None:
        async with server_harness(tmp_path, ADELAIDE) as harness:
            pit = await connect_actors(harness, "A")
            await a_round(harness, pit, "A")
            await harness.twice(pit.boss, pit.chief, "CorrectResult", table="A", round=1, pocket="20", words="Misread.")
            case = {"terminal": pit.one.device, "basis": "not_covered", "words": "It was 17."}
            await harness.does(pit.boss, "OpenDispute", table="A", round=1, **case)
            await harness.does(pit.boss, "DecideDispute", dispute=1, decision="The film shows 20.")
            await harness.does(pit.boss, "CloseDispute", dispute=1, resolved=True)
            file = await queried(pit.boss, "bundle", table="A", round=1)
            assert (file["name"], file["type"]) == ("round-A-1.zip", "application/zip")
            found = members(harness, file)
            event_kinds = kinds(found)
            assert (
                event_kinds.index("bets_opened")
                < event_kinds.index("result_corrected")
                < event_kinds.index("dispute_closed")
            )
            facts = json.loads(found["round.json"])
            assert (facts["pocket"], facts["corrected"], facts["status"]) == ("20", ["17"], "settled")
            assert [each["returned"] for each in facts["seats"]] == [0, 14_400]
            run = run_round(found["round.round"].decode())
            assert isinstance(run, TranscriptResult)
            assert run.holds
            again = await queried(auditor(harness), "bundle", table="A", round=1, terminal=pit.two.device)
            alone = json.loads(members(harness, again)["round.json"])
            assert [each["terminal"] for each in alone["seats"]] == [pit.two.device]
            # All of it was signed already.
            assert members(harness, again)["pages.txt"] == found["pages.txt"]

    played(scenario)


def test_bundle_reaches_to_what_became_of_a_case(tmp_path: Path) -> None:
    """A malfunction in a round and what became of its bets are in its file; a round whose bets may change has none."""

    async def scenario() -> None:
        async with server_harness(tmp_path, ADELAIDE) as harness:
            pit = await connect_actors(harness, "A")
            await harness.does(pit.dealer, "OpenBets", table="A")
            assert await refusal(pit.boss, "bundle", table="A", round=1) == "out_of_turn"
            assert await refusal(pit.boss, "bundle", table="A", round=2) == "unknown_record"
            assert await refusal(pit.boss, "bundle", table="X", round=1) == "unknown_table"
            await harness.plays(pit.one, "PlaceBets", "A", bets=[["17", 300]])
            await harness.does(pit.dealer, "CloseBets", table="A")
            await harness.passes(6)
            hangs = {"fault": "opinion", "words": "It hangs."}
            await harness.does(pit.boss, "RaiseMalfunction", terminal=pit.one.device, **hangs)
            await harness.spin("A", "17")
            await harness.does(pit.dealer, "ConfirmResult", table="A", pocket="17")
            await harness.twice(pit.boss, pit.chief, "VoidBets", case=1, words="Nobody knows.")
            await harness.does(pit.boss, "ClearCase", case=1)
            event_kinds = kinds(members(harness, await queried(pit.boss, "bundle", table="A", round=1)))
            assert event_kinds[-2:] == ["bets_voided", "case_cleared"]

    played(scenario)


def test_round_that_only_the_journal_has_is_handed_out_without_its_course(tmp_path: Path) -> None:
    """Of a round that the house keeps no longer there are the entries, and the notation unless that takes too long."""

    async def scenario(monkeypatch: pytest.MonkeyPatch) -> None:
        async with server_harness(tmp_path, MARINA) as harness:
            pit = await connect_actors(harness, "M")
            await a_round(harness, pit, "M")
            harness.house.tables[TableId("M")].past.clear()
            await harness.does(pit.dealer, "OpenBets", table="M")
            harness.house.tables[TableId("M")].past.clear()
            assert await refusal(pit.boss, "replay", table="M", round=1) == "unknown_record"
            found = members(harness, await queried(pit.boss, "bundle", table="M", round=1))
            assert "round.json" not in found
            assert isinstance(run_round(found["round.round"].decode()), TranscriptResult)
            monkeypatch.setattr("croupier.server.journal_queries.NOTATION_MAX", 3)
            assert "round.round" not in members(harness, await queried(pit.boss, "bundle", table="M", round=1))

    with pytest.MonkeyPatch.context() as monkeypatch:
        played(lambda: scenario(monkeypatch))


def test_file_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A round that lies too far back, or whose file would be too large, is left to the command line."""

    async def scenario() -> None:
        async with server_harness(tmp_path, MARINA) as harness:
            pit = await connect_actors(harness, "M")
            await a_round(harness, pit, "M")
            for number in range(10):
                await pit.boss.asks("NoteIncident", subject="M", words=f"Note {number}.")
            file = await queried(pit.boss, "bundle", table="M", round=1)
            assert len(b64decode(file["content"])) < FILE_MAX
            assert harness.open.venue.run.writer.head.position < PART_MAX
            for bound, most in (
                ("server.exports.PART_MAX", 5),
                ("server.exports.FILE_MAX", 500),
                ("engine.journal_reader.PAGES_MAX", 0),
            ):
                with monkeypatch.context() as bounded:
                    bounded.setattr(f"croupier.{bound}", most)
                    answer = await queried(pit.boss, "bundle", table="M", round=1)
                assert answer["refusal"]["code"] == "too_long"
                assert "`croupier export` does so" in answer["refusal"]["says"]

    played(scenario)


def test_journal_is_exported_part_by_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Asked for one after the other, parts go from the first entry to the last, and each proves itself."""

    async def scenario() -> None:
        async with server_harness(tmp_path, MARINA) as harness:
            pit = await connect_actors(harness, "M")
            await a_round(harness, pit, "M")
            monkeypatch.setattr("croupier.server.exports.EXPORT_ENTRIES", 20)
            single_steps(monkeypatch)
            asks, positions, parts = auditor(harness), list[int](), 0
            after: int | None = 0
            # Somebody has signed on the way.
            await queried(pit.boss, "bundle", table="M", round=1)
            await a_round(harness, pit, "M")
            head = harness.open.venue.run.writer.head.position
            while after is not None:
                file = await queried(asks, "export", after=after)
                positions += [each["position"] for each in entries(members(harness, file))]
                after, parts = file.get("more_after"), parts + 1
            assert positions == list(range(1, head + 1))
            assert (parts > 1, head < EXPORT_ENTRIES) == (True, True)
            first = await queried(asks, "export", before=2)
            assert (first["name"].startswith("journal-1-"), "more_after" in first) == (True, False)
            assert await refusal(asks, "export", after=head) == "nothing_there"
            assert await refusal(asks, "export", after=5, before=6) == "nothing_there"
            monkeypatch.setattr("croupier.server.exports.PART_MAX", 1)
            assert await refusal(asks, "export") == "too_long"
            monkeypatch.setattr("croupier.server.exports.PART_MAX", PART_MAX)
            monkeypatch.setattr("croupier.server.exports.FILE_MAX", 1)
            assert await refusal(asks, "export") == "too_long"

    played(scenario)


def test_drawn_number_is_handed_out_to_nobody_before_it_counts(tmp_path: Path) -> None:
    """While a number is drawn that does not count yet no file or notation has it; once its round is over they do."""

    async def scenario() -> None:
        async with server_harness(tmp_path, VENUE) as harness:
            dealer, boss = await harness.staff("dealer", "dealer"), await harness.staff("pit", "manager")
            await harness.passes(5 + 30 + 2)
            assert (await queried(boss, "bundle", table="A", round=1))["t"] == "file"
            await harness.does(dealer, "ReferRound", table="A", words="Somebody shouted.")
            await harness.wheel(BallAtRest(TableId("A"), Pocket("17"), spin_id=1))
            assert harness.house.tables[TableId("A")].playing.spin.reported == "17"
            assert await refusal(boss, "bundle", table="A", round=1) == "out_of_turn"
            replay = await queried(boss, "replay", table="A", round=1, notation=True)
            assert (replay["notation"], "does not count yet" in replay["no_notation"]) == (None, True)
            await boss.steps_up()
            await harness.does(boss, "DecideReferral", table="A", verdict="void", words="Nobody saw it.")
            assert (await queried(boss, "bundle", table="A", round=1))["t"] == "file"
            replay = await queried(boss, "replay", table="A", round=1, notation=True)
            assert "wheel    17 unseen" in replay["notation"]
            await harness.passes(5 + 30 + 2)
            await harness.does(dealer, "ReferRound", table="A", words="Somebody shouted again.")
            await harness.wheel(BallAtRest(TableId("A"), Pocket("29"), spin_id=2))
            # What is over is told, whatever was drawn since.
            replay = await queried(boss, "replay", table="A", round=1, notation=True)
            assert "wheel    17 unseen" in replay["notation"]
            assert (await queried(boss, "replay", table="A", round=2, notation=True))["notation"] is None

    played(scenario)


def test_whole_journal_is_verified_while_the_house_is_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every entry, page and signature is counted and found sound, a little at a time, and only once at a time."""

    async def scenario() -> None:
        async with server_harness(tmp_path, MARINA) as harness:
            pit = await connect_actors(harness, "M")
            await a_round(harness, pit, "M")
            single_steps(monkeypatch)
            run = harness.open.venue.run
            answer = await queried(auditor(harness), "verify")
            assert (answer["sound"], answer["faults"]) == (True, [])
            assert (answer["entries"], answer["pages"]) == (run.writer.head.position, run.writer.head.page)
            assert (answer["head"], answer["checkpoints"]) == (run.writer.head.digest.hex(), run.writer.checkpoints)
            with held_up(harness.open.venue.writer):
                first = asyncio.ensure_future(queried(auditor(harness), "verify"))
                await until(lambda: harness.open.venue.router.queries.evidence.busy)
                assert await refusal(pit.boss, "verify") == "busy"
                assert await refusal(pit.chief, "bundle", table="M", round=1) == "busy"
            assert (await first)["sound"]

    played(scenario)


def test_nobody_waits_for_a_journal_that_is_verified(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where whoever asked has left, the journal is not read to its end."""

    async def scenario() -> None:
        async with server_harness(tmp_path, MARINA) as harness:
            await connect_actors(harness, "M")
            single_steps(monkeypatch)
            evidence = harness.open.venue.router.queries.evidence
            asks = auditor(harness)
            with held_up(harness.open.venue.writer):
                asks.connection.say("verify", q=1)
                await until(lambda: evidence.busy)
                # One query at a time is read for one connection.
                asks.connection.say("journal", q=2)
                frame = await asks.hears("refused")
                assert (frame["refusal"]["code"], frame["q"]) == ("busy", 2)
                await harness.leaves(asks)
            await until(lambda: not evidence.busy)

    played(scenario)


def test_damage_is_reported_and_then_the_house_stops(tmp_path: Path) -> None:
    """A page that somebody has changed is named to whoever has the journal verified, and nothing is kept after it."""

    async def scenario() -> None:
        async with server_harness(tmp_path, MARINA) as harness:
            await connect_actors(harness, "M")
            store = harness.open.venue.run.storage.store
            assert isinstance(store, SqliteStore)
            store._connection.execute("UPDATE page SET head = zeroblob(32) WHERE number = 2")  # noqa: SLF001 - as if from outside
            answer = await queried(auditor(harness), "verify")
            assert (answer["sound"], answer["pages"]) == (False, 1)
            assert "page 2 differs from what was written" in answer["faults"][0]
            failed = harness.open.venue.commit_loop.failed
            await asyncio.wait((failed,), timeout=LONG_S)
            assert isinstance(failed.exception(), JournalCorrupt)

    with capture_logs() as logs:
        played(scenario)
    assert "chore_failed" in [each["event"] for each in logs]


def test_journal_that_cannot_be_read_now_is_not_proven_now(tmp_path: Path) -> None:
    """When the queue of journal jobs is full an export is refused as busy."""

    async def scenario() -> None:
        async with server_harness(tmp_path, MARINA) as harness:
            pit = await connect_actors(harness, "M")
            await a_round(harness, pit, "M")
            commit_loop, asks = harness.open.venue.commit_loop, auditor(harness)
            with held_up(harness.open.venue.writer):
                waiting = [asyncio.ensure_future(commit_loop.job(lambda: True)) for _ in range(JOURNAL_JOBS_MAX)]
                await until(lambda: len(commit_loop._jobs) == JOURNAL_JOBS_MAX - 1)  # noqa: SLF001 - nobody else can tell
                waiting.append(asyncio.ensure_future(commit_loop.job(lambda: True)))
                await until(lambda: len(commit_loop._jobs) == JOURNAL_JOBS_MAX)  # noqa: SLF001
                codes = [await refusal(asks, "verify"), await refusal(asks, "export")]
                codes.append(await refusal(asks, "bundle", table="M", round=1))
            assert codes == ["busy"] * 3
            await asyncio.gather(*waiting)
            queries = harness.open.venue.router.queries
            queries.evidence.journal_queries = BlockedQueries(commit_loop, queries.journal_queries.write_notation)
            assert await refusal(asks, "bundle", table="M", round=1) == "busy"

    played(scenario)


class BlockedQueries(JournalQueries):
    """Research that has something else to do when a round is to be put together."""

    async def replay(self, _query: inbound.QueryReplay) -> NoReturn:
        raise Refused(Code.BUSY, None, "Too much waits.")


def test_what_is_reported_of_a_round_is_verified_against_the_proof(tmp_path: Path) -> None:
    """A course or notation that was changed, left out or put in is found by whoever verifies the file."""

    async def scenario() -> None:
        async with server_harness(tmp_path, MARINA) as harness:
            pit = await connect_actors(harness, "M")
            await a_round(harness, pit, "M")
            whole = members(harness, await queried(pit.boss, "bundle", table="M", round=1))
            plain = members(harness, await queried(auditor(harness), "export"))
            for name in verify.ROUND:
                left_out = {each: content for each, content in whole.items() if each != name}
                for wrong, says in (
                    ({**whole, name: whole[name] + b" "}, f"{name} is not what was exported"),
                    (left_out, "and should hold"),
                    ({**plain, name: whole[name]}, "and should hold"),
                ):
                    with pytest.raises(WrongError, match=says):
                        verify.verify(bundle_of(wrong))

    played(scenario)
