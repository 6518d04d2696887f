"""Rounds over the wire: corrections tried before they are signed, and rounds replayed."""

from pathlib import Path

import pytest

from croupier.engine.journal_reader import PAGES_MAX
from croupier.house.ids import TableId
from croupier.server.journal_queries import NOTATION_MAX, STEPS_MAX
from croupier.transcripts.runner import TranscriptResult, run_round
from tests.support.connections import VENUE, played
from tests.support.query_client import a_round, queried, refusal
from tests.support.server_harness import server_harness
from tests.support.wire.houses import ADELAIDE, MARINA
from tests.support.wire.runs import connect_actors


@pytest.mark.clause("marina-bay-sands-2020", "6.3")
def test_correction_is_tried_before_it_is_signed(tmp_path: Path) -> None:
    """The pit is shown every seat's money before and after a correction, which then is what the seats have."""

    async def scenario() -> None:
        async with server_harness(tmp_path, MARINA) as harness:
            pit = await connect_actors(harness, "M")
            await a_round(harness, pit, "M")
            answer = await queried(pit.boss, "preview", table="M", round=1, pocket="20")
            one, two = answer["seats"]
            assert (answer["was"], answer["pocket"], answer["clause"]) == ("17", "20", "6.3")
            assert answer["house"] == 10_800 - 14_400
            assert (one["paid"], one["due"], two["paid"], two["due"]) == (10_800, 0, 0, 14_400)
            assert one["before"]["credit"] == 100_000 - 300 + 10_800
            await harness.twice(pit.boss, pit.chief, "CorrectResult", table="M", round=1, pocket="20", words="Misread.")
            for seat, player in ((one, pit.one), (two, pit.two)):
                assert player.page.seat is not None
                assert player.page.seat["credit"] == seat["after"]["credit"]
            assert await refusal(pit.boss, "preview", table="M", round=1, pocket="20") == "numbers_differ"
            assert await refusal(pit.boss, "preview", table="X", round=1, pocket="20") == "unknown_table"

    played(scenario)


def test_round_is_replayed_step_by_step(tmp_path: Path) -> None:
    """A round that is kept is told in order with chips, closes, reports and settlement, and as notation that plays."""

    async def scenario() -> None:
        async with server_harness(tmp_path, ADELAIDE) as harness:
            pit = await connect_actors(harness, "A")
            await a_round(harness, pit, "A")
            answer = await queried(pit.boss, "replay", table="A", round=1, notation=True)
            kinds = [each["kind"] for each in answer["steps"]]
            assert kinds == [
                "BetsOpened",
                *["BetsChanged"] * 3,
                "FinishCalled",
                "BetsClosing",
                "BetsSealed",
                "BallSpun",
                "BallRested",
                "ResultDeclared",
                "RoundSettled",
            ]
            positions = [each["position"] for each in answer["steps"]]
            assert positions == sorted(positions)
            steps = {each["kind"]: each for each in answer["steps"]}
            assert (steps["BetsClosing"]["clause"], steps["BallRested"]["pocket"]) == ("9(c)", "17")
            assert answer["steps"][2]["stakes"] == {"red": 0}
            one = answer["seats"][0]
            assert (one["sealed"], one["returned"], one["winners"]) == ({"17": 300}, 10_800, {"17": 10_800})
            assert (answer["pocket"], answer["status"], answer["left_out"]) == ("17", "settled", 0)
            run = run_round(answer["notation"])
            assert isinstance(run, TranscriptResult)
            assert run.holds
            alone = await queried(pit.boss, "replay", table="A", round=1, terminal=pit.two.device)
            assert [each["terminal"] for each in alone["seats"]] == [pit.two.device]
            assert sum(each["kind"] == "BetsChanged" for each in alone["steps"]) == 1
            assert (alone["notation"], alone["no_notation"]) == (None, "")

    played(scenario)


def test_replay_of_a_case_and_of_what_was_taken_back(tmp_path: Path) -> None:
    """Chips that went back, a malfunction and an outcome that was taken back are steps of their round too."""

    async def scenario() -> None:
        async with server_harness(tmp_path, ADELAIDE) as harness:
            pit = await connect_actors(harness, "A")
            await harness.does(pit.dealer, "OpenBets", table="A")
            assert await refusal(pit.boss, "replay", table="A", round=1) == "out_of_turn"
            assert await refusal(pit.boss, "replay", table="A", round=2) == "unknown_record"
            assert await refusal(pit.boss, "replay", table="X", round=1) == "unknown_table"
            await harness.plays(pit.one, "PlaceBets", "A", bets=[["17", 300]])
            await harness.plays(pit.two, "PlaceBets", "A", bets=[["17", 300]])
            hangs = {"fault": "opinion", "words": "It hangs."}
            await harness.does(pit.boss, "RaiseMalfunction", terminal=pit.one.device, **hangs)
            await harness.does(pit.dealer, "CloseBets", table="A")
            await harness.passes(6)
            await harness.does(pit.boss, "RaiseMalfunction", terminal=pit.two.device, **hangs)
            await pit.boss.steps_up()
            await harness.does(pit.boss, "InvalidateOutcome", table="A", round=1, reason="fire", words="Fire.")
            answer = await queried(pit.boss, "replay", table="A", round=1)
            kinds = [each["kind"] for each in answer["steps"]]
            assert kinds.count("MalfunctionRaised") == 1
            assert kinds[-1] == "OutcomeInvalidated"
            back = next(each for each in answer["steps"] if each["kind"] == "BetsReturned")
            assert back["stakes"] == {"17": 0}
            assert (answer["status"], answer["pocket"], answer["reason"], answer["clause"]) == (
                "invalidated",
                None,
                "fire",
                "12(b)i",
            )
            assert answer["seats"][0]["returned"] is None

    played(scenario)


def test_drawn_number_is_in_no_replay_before_it_counts(tmp_path: Path) -> None:
    """Of a round that is referred after its draw, neither replay nor journal tell the number that was drawn."""

    async def scenario() -> None:
        async with server_harness(tmp_path, VENUE) as harness:
            dealer, boss = await harness.staff("dealer", "dealer"), await harness.staff("pit", "manager")
            await harness.passes(5 + 30 + 2)
            await harness.does(dealer, "ReferRound", table="A", words="Somebody shouted.")
            await harness.passes(20)
            drawn = harness.house.tables[TableId("A")].playing.spin.reported
            answer = await queried(boss, "replay", table="A", round=1)
            journal = await queried(boss, "journal", table="A")
            steps = [each for each in answer["steps"] if each["kind"] == "BallRested"]
            assert [each["pocket"] for each in steps] == [None] * len(steps)
            said = [each["words"] for each in (*answer["steps"], *journal["rows"])]
            assert drawn is None or not any(f" {drawn}." in each for each in said)

    played(scenario)


def test_many_chips_are_cut_short(tmp_path: Path) -> None:
    """Of very many chips the first are told, and how many were left out."""

    async def scenario() -> None:
        async with server_harness(tmp_path, MARINA) as harness:
            pit = await connect_actors(harness, "M")
            await harness.does(pit.dealer, "OpenBets", table="M")
            for number in range(STEPS_MAX + 3):
                assert await pit.one.plays("PlaceBets" if number % 2 == 0 else "UndoBet", "M", **_chip(number)) is None
            await harness.does(pit.dealer, "CloseBets", table="M")
            answer = await queried(pit.boss, "replay", table="M", round=1)
            chips = [each for each in answer["steps"] if each["kind"] == "BetsChanged"]
            assert (len(chips), answer["left_out"]) == (STEPS_MAX, 3)
            assert [each["stakes"] for each in chips[:2]] == [{"17": 300}, {"17": 0}]
            assert answer["steps"][-1]["kind"] == "BetsSealed"

    played(scenario)


def _chip(number: int) -> dict[str, object]:
    return {} if number % 2 else {"bets": [["17", 300]]}


@pytest.mark.parametrize(("bound", "most"), [("NOTATION_MAX", 3), ("PAGES_MAX", 0)])
def test_long_journal_is_not_written_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bound: str, most: int
) -> None:
    """Where reading all of the journal would take too long, the replay says so in the place of the notation."""

    async def scenario() -> None:
        async with server_harness(tmp_path, MARINA) as harness:
            pit = await connect_actors(harness, "M")
            for number in range(40):
                await pit.boss.asks("NoteIncident", subject="M", words=f"Note {number}.")
            await a_round(harness, pit, "M")
            monkeypatch.setattr(f"croupier.server.journal_queries.{bound}", most)
            assert harness.open.venue.run.writer.head.position < min(NOTATION_MAX, PAGES_MAX)
            answer = await queried(pit.boss, "replay", table="M", round=1, notation=True)
            assert answer["notation"] is None
            assert "croupier replay" in answer["no_notation"]
            if bound == "PAGES_MAX":
                monkeypatch.setattr("croupier.engine.journal_reader.PAGES_MAX", most)
                assert await refusal(pit.boss, "replay", table="M", round=1) == "too_long"

    played(scenario)
