"""What staff see first: alarms by the clock and by money, seats that need attention, and the dealer's next call."""

from typing import Any

import pytest

from tests.support.quick import Quick

Data = dict[str, Any]

pit = Quick("pit/pending.js")
seats = Quick("dealer/seats.js")
steps = Quick("dealer/steps.js")

SECOND = 1_000_000


def pending(kind: str, amount: int | None = None, due: int | None = None, terminal: str = "") -> Data:
    return {"kind": kind, "amount": amount, "due_us": due, "terminal": terminal, "table": "A", "count": 1}


def test_alarms_are_grouped_and_ranked_by_money() -> None:
    """Signatures stand first, as they expire; in a group the clock and then the money decide; empty seats are quiet."""
    needs = [
        pending("dark", 300, terminal="A-1"),
        pending("idle", terminal="A-2"),
        pending("case", 900, terminal="A-3"),
        pending("dark", 0, terminal="A-4"),
        pending("incident"),
        pending("device", terminal="A-5"),
        {**pending("incident", terminal="A-6"), "what": "acceptor_locked"},
        pending("proposal", due=2),
        pending("proposal", due=1),
    ]
    found = pit.ask("grouped", needs)

    assert [group["name"] for group in found["loud"]] == ["signatures", "rounds", "devices", "machines"]
    assert [each["terminal"] for each in found["loud"][2]["needs"]] == ["A-5", "A-6"]
    assert [each["due_us"] for each in found["loud"][0]["needs"]] == [1, 2]
    assert [each["terminal"] for each in found["loud"][3]["needs"]] == ["A-3", "A-1"]
    assert [each["terminal"] for each in found["hushed"]] == ["A-2", "A-4"]


SEAT: Data = {
    "credit": 0,
    "staked": 0,
    "held": 0,
    "below": False,
    "dark": False,
    "lost_at_us": None,
    "closed": False,
    "case": None,
    "idle": 0,
    "idle_long": False,
}


def test_seats_with_trouble_and_money_stand_first() -> None:
    """Seats that need attention come first, those with the most money before others; an empty one is quiet."""
    rows = [
        {**SEAT, "terminal": "empty", "dark": True},
        {**SEAT, "terminal": "plays", "staked": 500},
        {**SEAT, "terminal": "little", "dark": True, "credit": 100},
        {**SEAT, "terminal": "much", "dark": True, "credit": 9_000},
        {**SEAT, "terminal": "idle", "credit": 300, "idle": 3, "idle_long": True},
    ]
    found = seats.ask("(rows) => ranked(rows, 0).map(({ row, is }) => [row.terminal, is.look])", rows)

    assert found == [["much", "stop"], ["idle", "warn"], ["little", "stop"], ["empty", "calm"], ["plays", "ok"]]


def step(name: str, **given: object) -> Data:
    row = {"step": name, "says": "", "at_us": None, "due_us": None, "next": False, "waits": None, "by": "auto"}
    return {**row, "command": None, **given}


@pytest.mark.parametrize(
    ("now", "rows", "shown"),
    [
        (0, [step("warn", says="Finish betting", due_us=22 * SECOND, next=True)], ["next", 22]),
        (20 * SECOND, [step("warn", says="Finish betting", due_us=22 * SECOND, next=True)], ["now", 2]),
        (0, [step("open", says="Place your bets", next=True, by="dealer")], ["now", None]),
        (0, [step("number", next=True, by="wheel")], ["wait", None]),
        (0, [step("decide", next=True, by="dealer")], ["table", None]),
    ],
)
def test_call_counts_down_before_it_is_due(now: int, rows: list[Data], shown: list[object]) -> None:
    """A call that is due later has a countdown, which turns into a call for now in the last three seconds."""
    deal = """(now, rows) => {
      const client = { session: { now: () => now } };
      const { is, left } = callOf({ steps: rows, next: rows.find(({ next }) => next), numberStep: null, client });
      return [is, left];
    }"""

    assert steps.ask(deal, now, rows) == shown
