"""The table status and the delayed result of a terminal, without a browser."""

from typing import Any

import pytest

from tests.support.quick import Quick

Data = dict[str, Any]
moments = Quick("shared/table_status.js")
settled = Quick("shared/result_delay.js")
TABLE: Data = {"table": "A", "phase": "open", "round": 7, "spin": 1}
SEEN: Data = {"connection": "up", "inService": True, "table": TABLE, "seconds": 20, "prescribed": {}}
ADELAIDE = {"finish_betting": ["Finish Betting"]}
VOID = {"round": 7, "reason": "", "clause": "25", "says": "The round is void."}
COVERS = "new Map([['17', ['17']], ['17/20', ['17', '20']], ['5', ['5']]])"


def moment(*, table: Data | None = None, **more: object) -> Data:
    reported: Data = moments.ask("statusOf", {**SEEN, **more, "table": {**TABLE, **(table or {})}})
    return reported


@pytest.mark.parametrize(
    ("seen", "is_"),
    [
        ({"connection": "ended", "inService": False}, "ended"),
        ({"inService": False, "connection": "lost"}, "service"),
        ({"connection": "lost", "table": {"phase": "no_spin"}}, "lost"),
        ({"table": {"phase": "no_spin", "pocket": "5"}}, "no_spin"),
        ({"table": {"phase": "suspended"}}, "suspended"),
        ({"table": {"phase": "between", "notice": VOID}}, "void"),
        ({"table": {"phase": "between", "says": "no spin"}}, "void"),
        ({"table": {"phase": "between", "pocket": "17", "notice": VOID}}, "winning"),
        ({"table": {"phase": "at_rest", "pocket": "17"}}, "winning"),
        ({"table": {"phase": "between"}}, "between"),
        ({"table": {"phase": "between", "closed": True}}, "table_closed"),
        ({"table": {"phase": "running"}}, "running"),
        ({"seconds": 0}, "closing"),
        ({"seconds": None}, "open"),
        ({}, "open"),
    ],
)
def test_one_state_at_a_time_is_sent(seen: Data, is_: str) -> None:
    """Service comes before the line, the line before the round, the number before the time."""
    assert moment(**seen)["is"] == is_


def test_before_anything_was_reported_it_connects() -> None:
    """Without a table there is nothing to tell but that the line is on its way."""
    assert moments.ask("statusOf", {**SEEN, "table": None, "connection": "down"})["is"] == "connecting"


@pytest.mark.parametrize(
    ("phase", "says", "seconds", "fixed", "reported"),
    [
        ("open", "", 9, {}, ("open", "", "calm")),
        ("open", "", 8, {}, ("last_call", "", "soon")),
        ("open", "", 8, ADELAIDE, ("open", "", "soon")),
        ("open", "Place your bets, please", 8, {}, ("open", "Place your bets, please", "soon")),
        ("last_call", "Finish Betting", 12, ADELAIDE, ("last_call", "Finish Betting", "soon")),
        ("open_running", "", None, {}, ("open_running", "", "calm")),
    ],
)
def test_last_seconds_are_reported_in_the_venues_words(
    phase: str, says: str, seconds: int | None, fixed: Data, reported: tuple[str, str, str]
) -> None:
    """Where a venue has words for the last seconds, they come with its own last call; elsewhere ours are said."""
    found = moment(table={"phase": phase, "says": says}, seconds=seconds, prescribed=fixed)

    assert (found["is"], found["says"], found["zone"]) == reported


def after(known: Data | None, table: Data, mine: Data) -> Data | None:
    reported: Data | None = settled.ask("settledAfter", known, {**TABLE, **table}, {"bets": {}, **mine})
    return reported


SEALED = after(None, {"phase": "closed"}, {"sealed": 7, "bets": {"17": 500, "5": 100}})


def test_sealed_chips_are_remembered_until_the_next_round() -> None:
    """What was sealed is there when the number comes and the chips are gone, and is forgotten when bets open again."""
    won = after(SEALED, {"phase": "between", "pocket": "17"}, {"sealed": None})
    assert won == {"round": 7, "spin": 1, "stakes": {"17": 500, "5": 100}, "pocket": "17"}
    assert after(won, {"phase": "open", "round": 8}, {"sealed": None}) is None


def test_number_that_is_taken_back_is_forgotten() -> None:
    """After a correction or a void the same chips lie under another number, or under none."""
    won = after(SEALED, {"phase": "between", "pocket": "17"}, {"sealed": None})
    corrected = after(won, {"phase": "between", "pocket": "5"}, {"sealed": None})
    void = after(won, {"phase": "between", "pocket": None}, {"sealed": None})

    assert (corrected or {})["pocket"] == "5"
    assert (void or {})["pocket"] is None


def test_nothing_is_remembered_of_open_bets() -> None:
    """Chips that are not sealed are nobody's past."""
    assert after(None, {}, {"bets": {"17": 500}}) is None
