"""The shared store and table clock without a browser: nothing is shown twice, and every state converges."""

from pathlib import Path
from typing import Any

import pytest

from tests.support.quick import Quick

pytestmark = pytest.mark.untraced

Data = dict[str, Any]
NETWORK = Path(__file__).with_name("network.js").read_text("utf-8")
TABLE: Data = {"table": "A", "rulebook": "x", "felt": "x", "phase": "open", "round": 1, "spin": 1}
ABOUT: Data = {"table": "A", "round": 1, "spin": 1}
MESSAGE: Data = {"t": "ask", "id": 1, "epoch": 1, "command": {}}
SEEDS = 2000
SEEDS_EACH = 250

store = Quick("shared/store.js")
clock = Quick("shared/table_status.js")


def snap(**more: object) -> Data:
    """A snapshot of a seat with 100 on 17 and 1000 to go on with."""
    seat = {"credit": 1000, "games": {"A": {"bets": {"17": 100}, "staked": 100}}}
    plain = {"t": "snap", "epoch": 1, "v": 1, "last_cmd": 0, "now_us": 0, "tables": [[1, TABLE]]}
    return {**plain, "fixture": {"terminal": "A-1"}, "seat": seat, **more}


def delta(v: int, last_cmd: int, set_: Data | None = None, refused: list[Data] | None = None) -> Data:
    return {"t": "seat", "v": v, "last_cmd": last_cmd, "set": set_ or {}, "refused": refused or []}


class Page:
    """A page's store, hearing and asking as a page does."""

    def __init__(self, **more: object) -> None:
        self.state: Data = store.ask("initialState")
        self.line("up")
        self.send: list[Data] = []
        self.receive(snap(**more))

    def line(self, is_: str) -> None:
        self.state = store.ask("setConnection", self.state, is_)

    def receive(self, frame: Data) -> "Page":
        self.state, self.send = store.ask("receive", self.state, frame)
        return self

    def ask(self, message: Data, guess: Data | None = None) -> "Page":
        self.state = store.ask("addRequest", self.state, message, guess)
        return self

    def bet(self, id_: int, spot: str, amount: int) -> "Page":
        command = {"type": "PlaceBets", **ABOUT, "bets": [[spot, amount]]}
        return self.ask({**MESSAGE, "id": id_, "command": command}, {**ABOUT, "add": {spot: amount}})

    @property
    def view(self) -> Data:
        shown: Data = store.ask("view", self.state)
        return shown

    @property
    def bets(self) -> Data:
        shown: Data = self.view["seat"]["games"]["A"]["bets"]
        return shown

    @property
    def said(self) -> list[str]:
        return [no["code"] for no in self.state["refusals"]]

    @property
    def ready(self) -> bool:
        return bool(store.ask("isReady", self.state))


def test_guess_is_shown_at_once_and_marked() -> None:
    """A chip shows as soon as it is laid, paid from the credits, and as a guess."""
    shown = Page().bet(1, "red", 200).view

    assert shown["seat"]["games"]["A"] == {"bets": {"17": 100, "red": 200}, "staked": 300}
    assert (shown["seat"]["credit"], shown["guessed"]) == (800, {"A": {"red": True}})


def test_answer_takes_the_place_of_the_guess() -> None:
    """The house's chips and the end of the guess come in one step."""
    answer = {"credit": 800, "games": {"A": {"stakes": {"red": 200}, "staked": 300}}}
    page = Page().bet(1, "red", 200).receive(delta(2, 1, answer))

    assert (page.bets, page.view["seat"]["credit"]) == ({"17": 100, "red": 200}, 800)
    assert (page.state["pending"], page.view["guessed"]) == ([], {})


def test_refusal_takes_the_guess_away() -> None:
    """What is refused is not shown any more, and the refusal is said."""
    no = {"id": 1, "code": "bets_closed", "clause": "7", "says": "Closed."}
    page = Page().bet(1, "red", 200).receive(delta(2, 1, refused=[no]))

    assert (page.bets, page.said) == ({"17": 100}, ["bets_closed"])


def test_refusal_above_the_last_command_is_an_answer() -> None:
    """A command that the connection refused is answered, though earlier ones are not."""
    page = Page().bet(1, "red", 200).bet(2, "odd", 50)
    page.receive(delta(2, 0, refused=[{"id": 2, "code": "busy", "says": "Busy."}]))

    assert [wish["message"]["id"] for wish in page.state["pending"]] == [1]


def test_nobody_is_shown_a_debt() -> None:
    """What the credits do not cover is left to the house's answer."""
    assert Page().bet(1, "red", 5000).bets == {"17": 100}


@pytest.mark.parametrize(
    ("guess", "credit", "bets", "guessed"),
    [
        ({"take": ["17"]}, 1100, {}, {"17": True}),
        ({"clear": True}, 1100, {}, {"17": True}),
        ({"clear": True, "add": {"17": 100}}, 1000, {"17": 100}, {}),
    ],
)
def test_taking_off_is_guessed_at(guess: Data, credit: int, bets: Data, guessed: Data) -> None:
    """Chips that are taken off or all cleared are back on the meter at once."""
    page = Page().ask(MESSAGE, {**ABOUT, **guess})

    assert (page.view["seat"]["credit"], page.bets, page.view["guessed"]["A"]) == (credit, bets, guessed)


@pytest.mark.parametrize(
    ("game", "bets"),
    [
        ({"stakes": {"17": 0}}, {}),
        ({"stakes": {"17": 50, "red": 5}}, {"17": 50, "red": 5}),
        ({"bets": {"5": 5}}, {"5": 5}),
        ({"bets": {"5": 5}, "stakes": {"5": 0, "6": 7}}, {"6": 7}),
        ({"sealed": 1}, {"17": 100}),
    ],
)
def test_delta_is_laid_over_what_was(game: Data, bets: Data) -> None:
    """Stakes change what they name, bets replace all, and what is missing has not changed."""
    page = Page().receive(delta(2, 0, {"games": {"A": game}}))

    assert (page.bets, page.state["seat"]["credit"]) == (bets, 1000)
    assert page.state["seat"]["games"]["A"]["staked"] == 100


def test_delta_that_is_not_newer_is_ignored() -> None:
    """A delta that was taken already changes nothing."""
    page = Page().receive(delta(1, 0, {"credit": 5}))

    assert (page.state["seat"]["credit"], page.send, page.ready) == (1000, [], True)


def test_gap_is_healed_by_a_snapshot() -> None:
    """After a missing delta nothing counts but a snapshot, which is asked for once."""
    page = Page().receive(delta(3, 0, {"credit": 5}))

    assert (page.state["seat"]["credit"], page.send, page.ready) == (1000, [{"t": "resync"}], False)
    assert page.receive(delta(4, 0, {"credit": 5})).send == []
    assert page.receive(snap(v=9)).ready


def test_tables_version_only_rises() -> None:
    """A table frame that is no newer than what is known is ignored."""
    page = Page().receive({"t": "table", "tv": 5, "state": {**TABLE, "phase": "closed"}})
    page.receive({"t": "table", "tv": 5, "state": TABLE})

    assert page.state["tables"]["A"]["state"]["phase"] == "closed"


def test_after_the_close_no_guess_is_shown() -> None:
    """What is on the screen after the close is what the house has; the wish still waits for its answer."""
    page = Page().bet(1, "red", 200).receive({"t": "table", "tv": 2, "state": {**TABLE, "phase": "closed"}})

    assert (page.bets, len(page.state["pending"])) == ({"17": 100}, 1)


def test_refusal_that_comes_twice_is_reported_once() -> None:
    """A wish that was sent again after a snapshot may be answered twice; its player is told once."""
    no = {"id": 1, "code": "bets_closed", "clause": "7", "says": "Closed."}
    page = (
        Page()
        .bet(1, "red", 200)
        .receive(snap(v=2))
        .receive(delta(3, 1, refused=[no]))
        .receive(delta(4, 1, refused=[no]))
    )
    refused = {"t": "refused", "refusal": {"id": None, "code": "busy", "says": "Busy."}}

    assert page.said == ["bets_closed"]
    # Another device begins to count anew.
    page.bet(1, "red", 200).receive(delta(5, 1, refused=[no]))
    assert page.said == ["bets_closed"] * 2
    assert page.receive(refused).receive(refused).said == ["busy", "busy", "bets_closed", "bets_closed"]


@pytest.mark.parametrize("line", ["lost", "ended"])
def test_without_a_line_only_what_was_answered_for_is_shown(line: str) -> None:
    """A chip that the house may never have got does not look placed, on a line that is lost or has ended."""
    page = Page().bet(1, "red", 200)
    page.line(line)

    assert (page.bets, page.ready) == ({"17": 100}, False)


def back(page: Page, **more: object) -> Page:
    """The line is up again, and the house tells what there is."""
    page.line("up")
    return page.receive(snap(**more))


def test_unanswered_is_sent_again_in_the_same_round() -> None:
    """What the snapshot does not answer is sent once more under the same key."""
    page = back(Page().bet(1, "red", 200).bet(2, "odd", 50), last_cmd=1)

    assert [(each["id"], each["epoch"]) for each in page.send] == [(2, 1)]
    assert (len(page.state["pending"]), page.said) == (1, [])


def test_in_another_round_it_is_not_sent_again() -> None:
    """A bet is good for its own round alone, and the player is told that it was not placed."""
    page = back(Page().bet(1, "red", 200), tables=[[2, {**TABLE, "round": 2}]])

    assert (page.send, page.state["pending"], page.said) == ([], [], ["too_late"])


def test_what_is_of_no_round_is_sent_again_whenever() -> None:
    """Collecting goes on after a lost line, whatever the round."""
    page = Page().ask({"t": "cash_out", "id": 1, "epoch": 1})

    assert [each["t"] for each in back(page, tables=[[2, {**TABLE, "round": 2, "phase": "closed"}]]).send] == [
        "cash_out"
    ]


def test_after_a_restart_only_the_snapshot_counts() -> None:
    """Nothing is sent again to a house that has started anew, and that is said."""
    page = back(Page().bet(1, "red", 200), epoch=2)

    assert (page.send, page.state["pending"], page.said, page.state["epoch"]) == ([], [], ["restarted"], 2)


@pytest.mark.parametrize(("last_cmd", "used", "pending", "number"), [(7, 3, 1, 8), (0, 9, 1, 10), (0, 9, 12, 13)])
def test_numbers_rise_above_all_that_was_used(last_cmd: int, used: int, pending: int, number: int) -> None:
    """A new command's number is above those that were used here, answered there or are waiting."""
    page = Page(last_cmd=last_cmd).bet(pending, "red", 1)

    assert store.ask("nextId", page.state, used) == number


def test_console_keeps_its_answers_and_its_floor() -> None:
    """A console's floor is laid over by its deltas, and an acknowledgement answers one command."""
    page = Page(seat=None, floor={"tables": {"A": {"staked": 1, "seats": []}}, "incidents": []})
    page.ask({**MESSAGE, "command": {"type": "OpenBets", "table": "A"}})
    page.receive({"t": "ack", "id": 1, "refusal": {"id": 1, "code": "out_of_turn", "says": "No."}})
    other = {"staked": 2, "seats": []}
    page.receive({"t": "floor", "v": 2, "last_cmd": 1, "set": {"tables": {"B": other}, "drawers": []}})
    page.receive({"t": "floor", "v": 3, "last_cmd": 1, "set": {"drawers": [1]}})

    assert (page.state["pending"], page.said) == ([], ["out_of_turn"])
    assert page.state["floor"] == {
        "tables": {"A": {"staked": 1, "seats": []}, "B": other},
        "incidents": [],
        "drawers": [1],
    }


def test_console_keeps_the_rows_that_have_not_changed() -> None:
    """A delta of a table replaces the rows of its seats that it has, in their places, and adds new ones at the end."""
    page = Page(seat=None, floor={"tables": {"A": {"seats": [{"terminal": "A-1"}, {"terminal": "A-2"}]}}})
    rows = [{"terminal": "A-3"}, {"terminal": "A-1", "staked": 5}]
    page.receive({"t": "floor", "v": 2, "last_cmd": 0, "set": {"tables": {"A": {"staked": 5, "seats": rows}}}})

    assert page.state["floor"]["tables"]["A"] == {
        "staked": 5,
        "seats": [{"terminal": "A-1", "staked": 5}, {"terminal": "A-2"}, {"terminal": "A-3"}],
    }


@pytest.mark.parametrize(
    ("command", "table", "sent"),
    [
        ({"type": "CloseBets", "table": "A"}, {}, True),
        ({"type": "CloseBets", "table": "A"}, {"phase": "last_call"}, True),
        ({"type": "CloseBets", "table": "A"}, {"round": 2}, False),
        ({"type": "SpinBall", "table": "A"}, {"spin": 2}, False),
        ({"type": "CorrectResult", "table": "A", "round": 0}, {"phase": "closed"}, True),
        ({"type": "VoidTicket", "sequence": 5}, {"round": 2}, True),
    ],
)
def test_staff_ask_for_the_spin_that_they_see(command: Data, table: Data, sent: bool) -> None:  # noqa: FBT001 - a row
    """What a dealer asked for before the line was lost is not done to a later round; what is of none is sent again."""
    page = Page(seat=None, floor={}).ask({**MESSAGE, "command": command})
    back(page, seat=None, floor={}, tables=[[2, {**TABLE, **table}]])

    assert (len(page.send), page.said) == ((1, []) if sent else (0, ["too_late"]))


@pytest.mark.parametrize("first", range(1, SEEDS + 1, SEEDS_EACH))
def test_on_any_network_no_chip_is_shown_twice(first: int) -> None:
    """With frames lost, refusals and broken lines the store never doubles a stake, and ends where the house is."""
    every = "Array.from({ length: many }, (_, at) => play(first + at))"
    played = f"(first, many) => {{ const play = {NETWORK}; return {every}; }}"
    found = enumerate(store.ask(played, first, SEEDS_EACH), start=first)

    assert [(seed, came) for seed, came in found if came != {"twice": 0, "differs": None}] == []


def test_simulation_sees_a_stake_that_is_counted_twice() -> None:
    """With a house that never says what it has answered, stakes are counted twice, and the simulation says so."""
    assert store.ask(f"(seed) => ({NETWORK})(seed, true)", 1)["twice"] > 0


def test_before_anything_was_received_there_is_no_time() -> None:
    """A page that has not heard the house does not guess its time."""
    assert clock.ask("() => serverNow(newClock(), 5)") is None


def received(*samples: tuple[int, int, int]) -> Data:
    said: Data = clock.ask("newClock")
    for sent, got, house in samples:
        said = clock.ask("addSample", said, {"sent": sent, "got": got, "house": house})
    return said


@pytest.mark.parametrize(("local", "now"), [(201, 5_000_000), (301, 5_100_000)])
def test_sample_with_the_least_round_trip_is_believed(local: int, now: int) -> None:
    """Of several answers the one that was quickest says the time."""
    samples = received((0, 100, 4_880_000), (200, 202, 5_000_000), (300, 390, 5_120_000))

    assert clock.ask("serverNow", samples, local) == now


def test_old_samples_are_forgotten() -> None:
    """A quick answer of long ago does not count for ever, as clocks drift."""
    assert clock.ask("serverNow", received((0, 1, 500), *[(0, 10, 8_000)] * 40), 5) == 8_000


def test_sample_that_cannot_be_true_beside_the_newest_is_dropped() -> None:
    """After a machine has slept, what was heard before counts no more, however quick it came."""
    assert clock.ask("serverNow", received((0, 1, 500), (10, 90, 1_000_000)), 50) == 1_000_000


@pytest.mark.parametrize(
    ("closes_at", "now", "seconds"),
    [(3_000_001, 0, 4), (3_000_000, 0, 3), (1, 0, 1), (0, 0, 0), (1, 2, 0), (None, 2, None), (1, None, None)],
)
def test_part_of_a_second_counts_as_a_whole_one(closes_at: int | None, now: int | None, seconds: int | None) -> None:
    """The countdown ends at nothing, never below it, and never before betting does."""
    assert clock.ask("secondsLeft", closes_at, now) == seconds


@pytest.mark.parametrize(("seconds", "look"), [(9, "calm"), (8, "soon"), (1, "soon"), (0, "over")])
def test_last_eight_seconds_have_their_own_look(seconds: int, look: str) -> None:
    """The countdown is calm, then asks to finish, then is over."""
    assert clock.ask("zone", seconds) == look
