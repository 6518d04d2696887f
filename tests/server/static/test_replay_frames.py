"""A replayed round without a browser: what lies on the felt after each step, whatever becomes of the spin."""

from itertools import count
from typing import Any

from tests.support.quick import Quick

Data = dict[str, Any]
SECOND = 1_000_000

frames = Quick("console/replay_view.js")


def reported(*steps: Data, **seats: Data) -> Data:
    """A round as the house tells it: one step each second, and its seats by their chips at the seal."""
    times = count(0, SECOND)
    plain: Data = {"terminal": None, "stakes": {}, "pocket": None}
    rows = [{"terminal": name.replace("_", "-"), "at_start": {}, **seat} for name, seat in seats.items()]
    return {"steps": [{**plain, **step, "at_us": next(times)} for step in steps], "seats": rows}


def bets(terminal: str, **stakes: int) -> Data:
    chips = {spot.removeprefix("n"): cents for spot, cents in stakes.items()}
    return {"kind": "BetsChanged", "terminal": terminal, "stakes": chips}


def happened(kind: str, pocket: str | None = None) -> Data:
    return {"kind": kind, "pocket": pocket}


def lying(round_: Data, terminal: str | None = None) -> list[Data]:
    """What lies on the felt after each step."""
    chips: list[Data] = frames.ask(
        "(told, terminal) => framesOf(told).map((one) => chipsOf(one, terminal))", round_, terminal
    )
    return chips


SPUN_AGAIN = reported(
    happened("BetsOpened"),
    bets("A-1", n17=500),
    happened("BetsSealed"),
    happened("BallRested", "4"),
    happened("SpinVoided"),
    happened("TerminalsReset"),
    bets("A-1", n20=200),
    bets("A-2", n20=300, red=100),
    bets("A-2", red=0),
    happened("BetsSealed"),
    happened("ResultDeclared", "20"),
    happened("RoundSettled"),
    A_1={"sealed": {"20": 200}},
    A_2={"sealed": {"20": 300}},
)


def test_chips_of_a_spin_that_did_not_count_go_back() -> None:
    """After a no spin the felt is bare, and holds at the end what was sealed for the spin that counted."""
    both, over = {"20": 500}, [{"20": 500}] * 4
    laid = [{"20": 200}, {"20": 500, "red": 100}]

    assert lying(SPUN_AGAIN) == [{}, *[{"17": 500}] * 4, {}, *laid, both, *over[1:]]
    assert lying(SPUN_AGAIN, "A-2")[-1] == {"20": 300}
    assert lying(SPUN_AGAIN, "A-3")[-1] == {}


def test_only_a_number_that_counts_wins() -> None:
    """What was reported is marked while it stands, and nobody wins by it unless it was declared."""
    shown = frames.ask(
        "(told) => framesOf(told).map(({ seen, winning, settled }) => [seen, winning, settled])", SPUN_AGAIN
    )

    assert shown[3] == ["4", None, False]
    assert shown[4] == [None, None, False]
    assert shown[-2:] == [["20", "20", False], ["20", "20", True]]


def test_betting_time_is_what_it_was() -> None:
    """While bets may be placed it is known when they closed in the end; otherwise nothing is counted."""
    closes = frames.ask("(told) => framesOf(told).map((_, at, all) => closesAt(all, at))", SPUN_AGAIN)

    first, second = 2 * SECOND, 9 * SECOND
    assert closes == [first, first, None, None, None, second, second, second, second, None, None, None]


def test_chips_that_stayed_lie_there_from_the_start() -> None:
    """Chips of the round before are on the felt before anybody lays another one, and a void round gives all back."""
    round_ = reported(
        happened("BetsOpened"),
        bets("A-1", n20=200),
        happened("RoundVoided"),
        A_1={"at_start": {"17": 500}, "sealed": {}},
    )

    assert lying(round_) == [{"17": 500}, {"17": 500, "20": 200}, {}]
