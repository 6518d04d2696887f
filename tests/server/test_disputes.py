"""Disputes over the wire, outcomes taken back on trial, and the journal by what its entries are about."""

from pathlib import Path

import pytest

from croupier.house.declare import EVENTS, EventTopic
from croupier.house.ids import Number
from croupier.reports.evidence import record_digest
from croupier.server.events import EVENTS_BY_TOPIC
from croupier.server.queries import DISPUTES_MAX
from tests.support.connections import played
from tests.support.query_client import a_round, queried, refusal
from tests.support.server_harness import server_harness
from tests.support.wire.houses import ADELAIDE, MARINA
from tests.support.wire.runs import connect_actors


@pytest.mark.clause("skycity-adelaide-2003", "12(i)")
@pytest.mark.clause("skycity-adelaide-2003", "12(j)")
@pytest.mark.clause("skycity-adelaide-2003", "12(k)")
def test_dispute_is_reported_with_all_that_is_kept_of_it(tmp_path: Path) -> None:
    """From its opening to its close a dispute has who did what when, and the round as it was frozen then."""

    async def scenario() -> None:
        async with server_harness(tmp_path, ADELAIDE) as harness:
            pit = await connect_actors(harness, "A")
            auditor = next(each for each in harness.clients if each.kind == "auditor")
            await a_round(harness, pit, "A")
            case = {"terminal": pit.one.device, "basis": "from_rules", "rule": "11(e)", "words": "It was 20."}
            await harness.does(pit.boss, "OpenDispute", table="A", round=1, **case)
            [row] = (await queried(pit.boss, "disputes"))["disputes"]
            assert (row["dispute"], row["table"], row["round"], row["terminal"]) == (1, "A", 1, pit.one.device)
            assert (row["basis"], row["clause"], row["rule"], row["state"]) == ("from_rules", "12(j)", "11(e)", "open")
            assert (row["opened"]["person"], row["words"], row["decided"]) == ("boss", "It was 20.", None)
            frozen = row["evidence"]
            assert (frozen["pocket"], frozen["status"], frozen["seats"]) == ("17", "settled", 2)
            assert (frozen["staked"], frozen["returned"]) == (700, 10_800)
            assert (frozen["stakes"], frozen["paid"]) == ({"17": 300}, 10_800)
            kept = harness.house.disputes[Number(1)].evidence
            assert kept is not None
            assert (frozen["sealed"], frozen["digest"]) == (kept.digest, record_digest(kept))
            await harness.twice(pit.boss, pit.chief, "CorrectResult", table="A", round=1, pocket="20", words="Misread.")
            await harness.does(pit.chief, "DecideDispute", dispute=1, decision="The film shows 20.")
            await harness.does(pit.boss, "AdviseComplainant", dispute=1)
            # Whoever reviews it is not in this house.
            assert await pit.boss.asks("RequestReview", dispute=1, by_house=True) is None
            [row] = (await queried(auditor, "disputes"))["disputes"]
            assert row["evidence"] == frozen
            assert (row["decision"], row["decided"]["person"]) == ("The film shows 20.", "chief")
            assert (row["advised"]["person"], row["review"]["person"], row["review_by_house"]) == ("boss", "boss", True)
            assert (row["state"], row["reviewed"], row["closed"], row["resolved"]) == ("under_review", None, None, None)
            paper = {"form": "screen", "document": {"type": "dispute_evidence", "dispute": 1}}
            for reader in (pit.boss, auditor):
                blocks = (await queried(reader, "paper", **paper))["blocks"]
                assert {"The film shows 20.", "It was 20."} <= {block.get("words") for block in blocks}
            missing = {**paper, "document": {"type": "dispute_evidence", "dispute": 2}}
            assert await refusal(pit.boss, "paper", **missing) == "unknown_record"

    played(scenario)


def test_dispute_may_name_a_terminal_of_another_table(tmp_path: Path) -> None:
    """A dispute about a round at which its terminal does not play is reported, with no stakes of that terminal."""

    async def scenario() -> None:
        other = '\n[[tables]]\nid = "B"\nrulebook = "skycity-adelaide-2003"\nseats = 1\n'
        async with server_harness(tmp_path, ADELAIDE + other) as harness:
            pit = await connect_actors(harness, "A")
            await a_round(harness, pit, "A")
            case = {"terminal": "B-1", "basis": "not_covered", "words": "It was 20."}
            assert await pit.boss.asks("OpenDispute", table="A", round=1, **case) is None
            [row] = (await queried(pit.boss, "disputes"))["disputes"]
            assert (row["terminal"], row["evidence"]["seats"]) == ("B-1", 2)
            assert (row["evidence"]["stakes"], row["evidence"]["paid"]) == ({}, None)

    played(scenario)


def test_dispute_records_are_bounded(tmp_path: Path) -> None:
    """However many disputes there are, so many are told at once, and how to ask for those before."""

    async def scenario() -> None:
        async with server_harness(tmp_path, ADELAIDE) as harness:
            pit = await connect_actors(harness, "A")
            await a_round(harness, pit, "A")
            for _ in range(DISPUTES_MAX + 2):
                case = {"terminal": None, "basis": "not_covered", "words": "It was 20."}
                assert await pit.boss.asks("OpenDispute", table="A", round=1, **case) is None
            first = await queried(pit.boss, "disputes")
            numbers = [each["dispute"] for each in first["disputes"]]
            assert (numbers, first["more"]) == (list(range(DISPUTES_MAX + 2, 2, -1)), True)
            rest = await queried(pit.boss, "disputes", before=numbers[-1])
            assert ([each["dispute"] for each in rest["disputes"]], rest["more"]) == ([2, 1], False)
            (row, _) = rest["disputes"]
            assert (row["evidence"]["stakes"], row["evidence"]["paid"]) == ({}, None)
            harness.house.disputes[Number(1)].evidence = None
            assert (await queried(pit.boss, "disputes", before=2))["disputes"][0]["evidence"] is None
            beyond = await queried(pit.boss, "disputes", before=1_000)
            assert beyond["disputes"] == first["disputes"]

    played(scenario)


@pytest.mark.clause("skycity-adelaide-2003", "12(b)i")
def test_outcome_is_taken_back_on_trial(tmp_path: Path) -> None:
    """The pit is shown every seat's money as it would be without the outcome, and so it is once that is done."""

    async def scenario() -> None:
        async with server_harness(tmp_path, ADELAIDE) as harness:
            pit = await connect_actors(harness, "A")
            await a_round(harness, pit, "A")
            answer = await queried(pit.boss, "preview", table="A", round=1, reason="fire")
            one, two = answer["seats"]
            assert (answer["was"], answer["pocket"], answer["clause"]) == ("17", None, "12(b)i")
            assert (one["paid"], one["due"], two["paid"], two["due"]) == (10_800, 300, 0, 400)
            assert answer["house"] == 10_800 - 700
            assert await refusal(pit.boss, "preview", table="A", round=1) == "malformed"
            assert await refusal(pit.boss, "preview", table="A", round=1, pocket="20", reason="fire") == "malformed"
            assert await refusal(pit.boss, "preview", table="A", round=1, reason="not_covered") == "reason_not_listed"
            signed = {"table": "A", "round": 1, "reason": "fire", "words": "Fire."}
            await harness.twice(pit.boss, pit.chief, "InvalidateOutcome", **signed)
            for seat, player in ((one, pit.one), (two, pit.two)):
                assert player.page.seat is not None
                assert player.page.seat["credit"] == seat["after"]["credit"]

    played(scenario)


def test_journal_is_filtered_by_topic(tmp_path: Path) -> None:
    """Entries are told by what they are about, whatever their kinds, and with the other filters too."""

    async def scenario() -> None:
        async with server_harness(tmp_path, MARINA) as harness:
            pit = await connect_actors(harness, "M")
            await a_round(harness, pit, "M")
            await harness.does(pit.boss, "NoteIncident", subject="M", words="A glass fell.")
            bets = await queried(pit.boss, "journal", about="bets", table="M")
            assert {each["kind"] for each in bets["rows"]} == {"BetsChanged", "BetsSealed"}
            incidents = await queried(pit.boss, "journal", about="incident")
            assert [each["kind"] for each in incidents["rows"]] == ["IncidentRaised"]
            for about in EventTopic:
                rows = (await queried(pit.boss, "journal", about=about.value))["rows"]
                assert {each["kind"] for each in rows} <= {kind.__name__ for kind in EVENTS_BY_TOPIC[about]}

    played(scenario)


def test_every_kind_of_entry_is_about_something() -> None:
    """No kind of entry is left out of the groups that people ask for, and each group has some."""
    grouped = {
        kind for about, kinds in EVENTS_BY_TOPIC.items() if about is not EventTopic.SIGNIFICANT for kind in kinds
    }

    assert EVENTS_BY_TOPIC.keys() == set(EventTopic)
    assert grouped == set(EVENTS)
    assert set(EVENTS) > EVENTS_BY_TOPIC[EventTopic.SIGNIFICANT]
