"""The state of a terminal's dialogs without a browser: messages, session, reminder, ghosts, heat and replays."""

from typing import Any

import pytest

from croupier.house.state.tables import BetChange
from tests.support.quick import Quick

Data = dict[str, Any]
MINUTE = 60_000_000
SLIP: Data = {
    "sequence": 2,
    "form": "ticket",
    "number": "344530222951541680",
    "amount": 9_000,
    "currency": "USD",
    "issued_at_us": 7,
    "venue": "Clearwater Casino",
    "terminal": "C-1",
}
REFUSAL: Data = {"id": 3, "code": "bets_closed", "clause": "9", "says": "Betting is closed."}
NOTICE: Data = {
    "round": 4,
    "kind": "no_spin",
    "reason": "ball_out_of_wheel",
    "clause": "10(e)",
    "says": "This spin does not count.",
}
#: Looks again and again at what is to be shown, at one time after another, and gives the log's entries.
LOOKED = """(views) => {
  const [log, known] = [newLog(), new Map()];
  // A refusal that is still there is the same one.
  const same = (no) => known.get(no.id) ?? (known.set(no.id, no), no);
  views.forEach((view, place) => addNews(log, { ...view, refusals: view.refusals.map(same) }, place));
  return log.entries.map(({ at, kind, clause = null, ...of }) => [
    at, kind, (of.no ?? of.notice ?? of.message).says, clause,
  ]);
}"""

log = Quick("terminal/dialogs/messages.js")
visit = Quick("terminal/dialogs/messages.js")
reminder = Quick("terminal/dialogs/break_reminder.js")
chips = Quick("terminal/calls.js")
tally = Quick("terminal/statistics.js")
frames = Quick("terminal/dialogs/recall.js")


def shown(messages: list[str], said: list[Data] | None = None, notice: Data | None = None) -> Data:
    tables = {"A": {"tv": 1, "state": {"table": "A", "notice": notice}}}
    sent = [{"kind": "text", "says": says} for says in messages]
    return {"seat": {"messages": sent}, "refusals": said or [], "tables": tables}


def seat(credit: int, staked: int = 0, held: int = 0) -> Data:
    return {"credit": credit, "held": held, "games": {"A": {"staked": staked}}}


def test_log_has_what_was_said_and_refused_with_its_time_and_the_newest_first() -> None:
    """What is new is noted once, with the time it was seen; what was there before has none."""
    views = [
        shown(["The bar closes at two."]),
        shown(["The bar closes at two."], [REFUSAL]),
        shown(["The bar closes at two."], [REFUSAL], NOTICE),
        shown(["The bar closes at two.", "The bar closes at two."], [REFUSAL], NOTICE),
    ]

    assert log.ask(LOOKED, views) == [
        [3, "message", "The bar closes at two.", None],
        [2, "notice", "This spin does not count.", "10(e)"],
        [1, "refusal", "Betting is closed.", "9"],
        [None, "message", "The bar closes at two.", None],
    ]


def test_log_is_bounded_and_begins_with_a_seat() -> None:
    """At most sixty entries are kept, and nothing is noted before there is a seat."""
    refusals = [{**REFUSAL, "id": number} for number in range(100)]

    assert len(log.ask(LOOKED, [shown([]), shown([], refusals)])) == 60
    assert log.ask(LOOKED, [{"seat": None, "refusals": [], "tables": {}}]) == []


def test_slips_of_a_visit_are_kept_without_their_numbers() -> None:
    """A slip is listed once, by the end of its number: whoever knows all of it may be paid."""
    kept = visit.ask("(slip) => { const v = newVisit(); addSlip(v, slip); addSlip(v, slip); return v.slips; }", SLIP)

    assert kept == [{"sequence": 2, "form": "ticket", "ending": "1680", "amount": 9_000, "currency": "USD", "at": 7}]


@pytest.mark.parametrize(
    ("seats", "left"),
    [
        ([seat(100)], 1),
        ([seat(100), seat(0)], 1),
        ([seat(0), seat(0)], 1),
        ([seat(100), seat(0, staked=50), seat(100)], 1),
        ([seat(100), seat(0, held=50), seat(100)], 1),
        ([seat(0), seat(100)], 0),
        ([seat(100), seat(0), seat(100), seat(0)], 0),
    ],
)
def test_slips_of_one_visit_are_not_for_the_next(seats: list[Data], left: int) -> None:
    """With the first money after nothing was left here another visit begins, without the slips of the last."""
    kept = visit.ask(
        """(slip, seats) => {
            const v = newVisit();
            addSlip(v, slip);
            seats.forEach((s) => updateVisit(v, s));
            return v;
        }""",
        SLIP,
        seats,
    )

    assert len(kept["slips"]) == left


def reminders(looks: list[Data]) -> list[bool]:
    """Look again and again whether a reminder is to be told."""
    reported: list[bool] = reminder.ask(
        """(looks) => {
            let k = noReminders(), t;
            return looks.map((at) => { [k, t] = checkReminder(k, at); return t; });
        }""",
        looks,
    )
    return reported


def look(minute: int | None, *, since: int | None = 0, every: int = 60, betting: bool = False) -> Data:
    now = None if minute is None else minute * MINUTE
    return {"since": None if since is None else since * MINUTE, "now": now, "minutes": every, "betting": betting}


@pytest.mark.parametrize(
    ("looks", "reported"),
    [
        ([look(0), look(59), look(60), look(61), look(119), look(120)], [False, False, True, False, False, True]),
        ([look(0), look(60, betting=True), look(61)], [False, False, True]),
        ([look(0), look(600, every=0)], [False, False]),
        ([look(0), look(60, since=None)], [False, False]),
        ([look(61), look(62), look(120)], [False, False, True]),
        ([look(None), look(61), look(62)], [False, False, False]),
        ([look(0), look(60), look(61, since=61), look(121, since=61)], [False, True, False, True]),
    ],
    ids=[
        "every hour",
        "not while betting",
        "no switch",
        "nobody plays",
        "a page opened anew",
        "no clock",
        "next visit",
    ],
)
def test_break_is_reported_once_when_it_is_due(looks: list[Data], reported: list[bool]) -> None:
    """A reminder comes after each so many minutes of one visit, and waits while bets are taken."""
    assert reminders(looks) == reported


@pytest.mark.clause("clearwater-etg", "19.e")
@pytest.mark.parametrize(
    ("patterns", "ghosts", "reduced"),
    [
        ({"1": {"17": 10, "red": 20}}, {"17": 1_000, "red": 2_000}, False),
        ({"1": {"17": 10, "red": 20}}, {"17": 500, "red": 1_000}, True),
        ({"1": {"17": 10, "red": 20}, "2": {"red": 10, "17": 5}}, {"17": 500, "red": 1_000}, False),
        ({"1": {"20": 10}}, {"17": 500}, False),
        ({}, {"17": 500}, False),
    ],
)
def test_recall_that_was_reduced_is_marked_as_such(patterns: Data, ghosts: Data, *, reduced: bool) -> None:
    """Ghosts of less than any pattern on the same spots were reduced to the credits."""
    assert chips.ask("isReduced", {"patterns": patterns, "denomination": 100}, ghosts) is reduced


def test_heat_is_relative_to_the_number_that_came_most() -> None:
    """The number that came most is 1, one that never came is 0, and without a spin there is no heat."""
    counts = {"17": {"count": 8}, "20": {"count": 2}, "0": {"count": 0}}

    assert tally.ask("heatOf", {"spins": 10, "pockets": counts}) == {"17": 1, "20": 0.25, "0": 0}
    assert tally.ask("heatOf", {"spins": 0, "pockets": counts}) is None
    assert tally.ask("heatOf", None) is None


def test_replay_has_a_frame_for_every_step() -> None:
    """A past game goes from its start over each step to what was sealed and its number, spots without chips gone."""
    steps = [
        {"at_us": 5, "how": "place", "stakes": {"17": 100, "red": 200}},
        {"at_us": 6, "how": "undo", "stakes": {"red": 0}},
    ]
    past = {"at_start": {"20": 50}, "steps": steps, "sealed": {"17": 100}, "pocket": "17"}
    reported = frames.ask("framesOf", past)

    assert [(each["is"], each["at"]) for each in reported] == [
        *(("start", None), ("place", 5), ("undo", 6), ("sealed", None), ("number", None)),
    ]
    assert [each["stakes"] for each in reported] == [
        *({"20": 50}, {"20": 50, "17": 100, "red": 200}, {"20": 50, "17": 100}, {"17": 100}, {"17": 100}),
    ]
    assert [each["pocket"] for each in reported] == [None, None, None, None, "17"]
    assert frames.ask("framesOf", {**past, "pocket": None})[-1]["is"] == "no_number"


def test_replay_names_every_way_to_change_chips() -> None:
    """Every way in which the house lets chips be changed is called something in a replay."""
    assert set(BetChange) <= set(frames.ask("() => Object.keys(STEP_TEXTS)"))
