"""What a player has chosen of a screen, and what a screen holds back while the ball lands, without a browser."""

import json
from typing import Any

import pytest

from tests.support.quick import Quick

Data = dict[str, Any]
prefs = Quick("shared/preferences.js")
suspense = Quick("shared/result_delay.js")

#: Chooses some things in turn; gives what is chosen then, what was kept, and how often it was told.
CHOOSE = """(kept, ...chosen) => {
  const box = { kept, getItem: () => box.kept, setItem: (_, words) => { box.kept = words; } };
  const prefs = new Preferences(box);
  let told = 0;
  prefs.onchange = (now, before) => { told += now === before ? 0 : 1; };
  for (const one of chosen) prefs.set(one);
  return { now: prefs.now, kept: box.kept, told };
}"""


def test_choices_are_kept_and_reported() -> None:
    """What is chosen is there for the next page, and whoever listens hears of it."""
    found = prefs.ask(CHOOSE, None, {"lang": "fr"}, {"chip": "eraser", "assist": True})

    assert (found["now"]["lang"], found["now"]["chip"], found["now"]["assist"], found["told"]) == (
        *("fr", "eraser", True),
        2,
    )
    assert json.loads(found["kept"]) == found["now"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("view", "sideways"), ("tab", 3), ("games", 3), ("hand", "both"), ("units", "gold")),
        *(("chip", "all"), ("sound", "yes"), ("lang", 5), ("odds", 40)),
    ],
)
@pytest.mark.parametrize("kept", [True, False])
def test_what_cannot_be_chosen_is_not(name: str, value: object, kept: bool) -> None:  # noqa: FBT001 - both ways
    """Neither what was kept by somebody else nor what is asked for makes a choice that there is not."""
    first = prefs.ask(CHOOSE, None)["now"]
    found = prefs.ask(CHOOSE, json.dumps({name: value})) if kept else prefs.ask(CHOOSE, None, {name: value})

    assert found["now"] == first


@pytest.mark.parametrize("kept", ["", "{", "null", "[1]", '"x"', "7"])
def test_page_begins_with_whatever_was_kept(kept: str) -> None:
    """What cannot be read is as if nothing had been kept."""
    assert prefs.ask(CHOOSE, kept)["now"] == prefs.ask(CHOOSE, None)["now"]


def test_choice_holds_where_nothing_can_be_kept() -> None:
    """A storage that is full or forbidden costs the memory of a choice, not the choice."""
    fails = "() => { const box = { getItem: () => null, setItem: () => { throw new Error('full'); } };"
    assert (
        prefs.ask(f"{fails} const one = new Preferences(box); one.set({{ lang: 'ar' }}); return one.now.lang; }}")
        == "ar"
    )


#: Plays views in turn and gives the pocket, the chips and the credit that are shown of each.
PLAY = """(views, { watched = true, landed = -1, ms = 100 } = {}) => {
  let time = 0;
  const one = new ResultDelay(() => watched, () => time);
  return views.map((view, place) => {
    if (place === landed) one.landed("A");
    time += ms;
    const due = one.isDue();
    const shown = one.shown(view);
    const { tables, seat } = shown;
    return [tables.A.state.pocket ?? null, seat?.games.A.won ?? null, seat?.credit ?? null, due];
  });
}"""


def view(pocket: str | None, won: int, credit: int, *, phase: str = "running", **seat: object) -> Data:
    """A seat that had 1000, and 100 of it at stake until the number came, which then lies there no longer."""
    staked = 0 if won else 100
    session = {"since_us": 1, "net": credit + staked - 1000}
    state = {"phase": phase, "round": 7, "spin": 1, "pocket": pocket}
    games = {"A": {"won": won, "staked": staked}}
    whole = {"credit": credit, "session": session, "games": games, **seat}
    return {"tables": {"A": {"tv": 1, "state": state}}, "seat": whole}


RUNS = view(None, 0, 900)
NUMBER = view("17", 0, 900, phase="between")
PAID = view("17", 350, 1260, phase="between")


def play(*views: Data, **how: object) -> list[list[Any]]:
    reported: list[list[Any]] = suspense.ask(PLAY, list(views), how)
    return reported


def test_number_waits_for_the_ball() -> None:
    """While the ball lands, all is as before; then the number comes, and win and credits once the marker stands."""
    shown = play(RUNS, NUMBER, PAID, PAID, PAID, PAID, landed=3, ms=1_000)

    assert [seen[:3] for seen in shown] == [
        *([None, 0, 900] for _ in range(3)),
        *(["17", 0, 900] for _ in range(2)),
        ["17", 350, 1260],
    ]
    assert [due for *_, due in shown] == [*[False] * 5, True]


def test_number_waits_no_longer_than_a_landing() -> None:
    """Whatever becomes of the picture, the number is shown within a few seconds."""
    shown = play(RUNS, NUMBER, PAID, PAID, ms=2_900)

    assert [pocket for pocket, *_ in shown] == [None, None, None, "17"]
    assert [due for *_, due in shown] == [False, False, False, True]


def test_number_waits_for_nobody_who_does_not_watch() -> None:
    """Where no wheel turns on the screen the number is shown as it comes."""
    assert [pocket for pocket, *_ in play(RUNS, NUMBER, watched=False)] == [None, "17"]


@pytest.mark.parametrize(
    "before", [[], [NUMBER], [view(None, 0, 900, phase="open")], [{**RUNS, "tables": {"A": {"state": {"round": 6}}}}]]
)
def test_number_that_is_there_already_is_shown(before: list[Data]) -> None:
    """Whoever comes after the ball, or saw another one run, is told the number at once."""
    assert play(*before, NUMBER)[-1][0] == "17"


def test_number_that_is_taken_back_holds_nothing() -> None:
    """When the number counts no more, there is nothing to wait for."""
    gone = view(None, 0, 1000, phase="between")

    assert play(RUNS, NUMBER, gone)[-1][:3] == [None, 0, 1000]


def seats(*views: Data, **how: object) -> list[Data]:
    reported: list[Data] = suspense.ask(SEATS, list(views), how)
    return reported


#: Plays views in turn and gives the seat that is shown of each.
SEATS = """(views) => {
  const one = new ResultDelay(() => true, () => 0);
  return views.map((view) => one.shown(view).seat);
}"""


def test_nothing_else_shows_the_win_before_the_ball() -> None:
    """The result, the win on hold and the house's messages wait too: each of them would tell the number."""
    before: Data = {"held": 0, "holds": [], "messages": []}
    after: Data = {"held": 350, "holds": [{"amount": 350, "clause": "9"}], "messages": ["You have won."]}
    session = {"since_us": 1, "net": 350}
    paid = view("17", 350, 1000, phase="between", session=session, **after)
    *_, shown = seats(view(None, 0, 900, **before), view("17", 0, 900, phase="between", **before), paid)

    assert shown == {**RUNS["seat"], **before}


def other(view_: Data, staked: int, credit: int) -> Data:
    """The same seat with a second game, at which nothing has been decided."""
    seat = view_["seat"]
    return {**view_, "seat": {**seat, "credit": credit, "games": {**seat["games"], "B": {"staked": staked}}}}


def test_credits_of_another_game_are_shown_as_they_are() -> None:
    """Beside a ball that lands, chips of another game are paid for at once, and the win waits all the same."""
    shown = seats(other(RUNS, 0, 900), other(NUMBER, 0, 900), other(PAID, 0, 1260), other(PAID, 50, 1210))

    assert [(seat["credit"], seat["session"]["net"]) for seat in shown] == [(900, 0), (900, 0), (900, 0), (850, 0)]
    assert shown[-1]["games"] == {"A": RUNS["seat"]["games"]["A"], "B": {"staked": 50}}


def test_money_put_in_meanwhile_is_shown() -> None:
    """A note is on the meter as soon as the house has it, whatever the ball does."""
    note = view("17", 350, 1460, phase="between", session={"since_us": 1, "net": 260})

    assert [seat["credit"] for seat in seats(RUNS, NUMBER, note)] == [900, 900, 1100]


def test_nobody_is_shown_a_debt() -> None:
    """Whoever collects while the ball lands has nothing left; with the next player nothing is held back."""
    taken = view("17", 350, 0, phase="between", session={"since_us": 1, "net": 260})
    gone = view("17", 350, 0, phase="between", session={"since_us": None, "net": 0})

    assert seats(RUNS, NUMBER, taken)[-1]["credit"] == 0
    assert seats(RUNS, NUMBER, gone)[-1] == gone["seat"]


def test_no_landing_takes_longer_than_a_number_waits() -> None:
    """Wherever the ball is when its number comes, it lies there before the number is told without it."""
    both = Quick("shared/result_delay.js", "wheel/ball.js")
    longest = both.ask(
        """() => 1000 * Math.max(...Array.from({ length: 100 * 38 }, (_, place) =>
          pathOf(`T/${Math.floor(place / 38)}/1`, {place: place % 38, count: 38, known: 8, rotor: place}).rests - 8))"""
    )

    assert 3_500 < longest < both.ask("() => WAIT_MS") < 6_000


def test_terminal_that_is_gone_holds_nothing() -> None:
    """Without a seat there is nothing to hold back."""
    assert play(RUNS, NUMBER, {**NUMBER, "seat": None})[-1][:3] == ["17", None, None]
