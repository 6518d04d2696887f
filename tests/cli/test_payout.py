"""The payout on the command line: in words, in JSON, and as drills against a clock."""

import io
import json
from itertools import count
from typing import Any

import pytest
from rich.console import Console

from croupier.cli.main import run
from croupier.cli.payout import ask_drills, read_answer
from croupier.rules.drills import Level, Question, make_drill
from croupier.rules.rulebook import PayoutTable
from tests.conftest import venue

ADELAIDE, US = "skycity-adelaide-2003", "us-double-zero"
PICTURE = "2 blue on 17; 3 blue on 17/20; 4 blue on 16/17/19/20; 2 blue on red"


def requested(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, Any]:
    code = run(["payout", *arguments, "--json"])
    return code, json.loads(capsys.readouterr().out)


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert run(["payout", *arguments]) == 0
    return capsys.readouterr().out


def test_picture_is_shown_in_the_order_of_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    """The collection comes first, then each bet as pieces by odds, the stacks, and the chips that are handed over."""
    shown = said(capsys, PICTURE, "--result", "17", "--chip-values", "blue=5,5,25,100", "--cash-from", "100")
    lines = [" ".join(line.split()) for line in shown.splitlines()]
    assert lines[:2] == ["Result 17", "collect 2 blue, 10 AUD [9(e)]"]
    assert lines[3:] == [
        "inside",
        "bet stake x odds due clause",
        "17 2 x 35 70 blue 8(a) A",
        "17/20 3 x 17 51 blue 8(a) B",
        "16/17/19/20 4 x 8 32 blue 8(a) D",
        "pay 153 blue (7 stacks and 13), 765 AUD: 13 blue + 7 x 100",
        "on the layout: 2 blue on 17; 3 blue on 17/20; 4 blue on 16/17/19/20",
        "collected 10 AUD, paid 765 AUD",
    ]


def test_json_has_every_figure(capsys: pytest.CaptureFixture[str]) -> None:
    """As JSON the payout has the lines, stacks and amounts in cents."""
    code, answer = requested(capsys, PICTURE, "--result", "17", "--chip-values", "blue=5")
    [payment] = answer["payments"]
    assert (code, answer["rulebook"], answer["result"], answer["clause"]) == (0, ADELAIDE, "17", "9(e)")
    assert answer["collected"] == {"amount": 10_00, "chips": [{"chip": "blue", "pieces": 2}]}
    assert [(bet["spot"], bet["pays"], bet["due"]) for bet in payment["bets"]] == [
        ("17", 35, 350_00),
        ("17/20", 17, 255_00),
        ("16/17/19/20", 8, 160_00),
    ]
    assert payment["pieces"] == payment["colours"]
    assert payment["pieces"] == [{"chip": "blue", "pieces": 153, "stacks": 7, "rest": 13, "amount": 765_00}]
    assert (payment["cash"], answer["paid"], answer["notes"]) == ([], 765_00, [])


@pytest.mark.parametrize(
    ("options", "paid", "notes"),
    [
        (("--minimum", "5"), 10_00, [("rounded", 7_00, 10_00, "12(g)")]),
        (("--minimum", "5", "--multiples"), 5_00, [("rounded", 7_00, 5_00, "12(g)")]),
        (
            ("--minimum", "10"),
            10_00,
            [("under_minimum", 7_00, 7_00, "12(e) second"), ("rounded", 7_00, 10_00, "12(g)")],
        ),
        (("--maximum", "5"), 5_00, [("capped", 7_00, 5_00, "12(f)")]),
    ],
)
def test_notice_and_limits_are_options(
    capsys: pytest.CaptureFixture[str], options: tuple[str, ...], paid: int, notes: list[tuple[Any, ...]]
) -> None:
    """7 on red from a float of fives is rounded, advised or capped as the table's notice says."""
    _, answer = requested(capsys, "7 x 1 on red", "--result", "32", "--chip-values", "5", *options)
    found = [(note["kind"], note["before"], note["after"], note["clause"]) for note in answer["notes"]]
    assert (answer["paid"], found) == (paid, notes)
    words = said(capsys, "7 x 1 on red", "--result", "32", "--chip-values", "5", *options)
    assert all(f"[{note[-1]}]" in words for note in notes)


def test_limits_of_the_document_apply(capsys: pytest.CaptureFixture[str]) -> None:
    """At the US table 6 on 17 is settled up to 4 whatever the options say, and 2 goes back."""
    arguments = ("6 x 1 on 17", "--result", "17", "--rulebook", US, "--maximum", "100")
    _, answer = requested(capsys, *arguments)
    assert (answer["paid"], answer["returned"]) == (140_00, {"17": [{"chip": "v100", "pieces": 2}]})
    assert "return 2 x 1 from 17" in said(capsys, *arguments)


def test_value_chips_are_multiplied_by_pieces_and_value(capsys: pytest.CaptureFixture[str]) -> None:
    """Seven chips of 5 are 7 x 5 by the odds; a part of a chip, up to the maximum, is an amount."""
    assert " 7 x 5 x 1 " in said(capsys, "7 x 5 on red", "--result", "32")
    assert " 20 x 1 " in said(capsys, "1 x 25 on red", "--result", "32", "--maximum", "20")


def test_fifth_of_a_marker_bet_comes_from_the_float(capsys: pytest.CaptureFixture[str]) -> None:
    """Of one chip of 25 on a marker bet the dealer places a fifth on the number, which is no negative collection."""
    shown = said(capsys, "1 x 25 on neighbours 0", "--result", "0", "--chip-values", "5,25")
    assert "collect 1 x 25, place 1 x 5 from the float on 0, 20 AUD  [9(e)]" in shown


@pytest.mark.parametrize(
    ("arguments", "decides", "totals"),
    [
        (
            ("3 x 1 on 17/20", "--result", "17", "--rulebook", US, "--chip-values", "5"),
            "due 51 USD: the Supervisor decides, 10 x 5 or 11 x 5  [Rotation (4)]",
            "collected 0 USD, paid 0 USD, undecided 51 USD\n",
        ),
        (
            ("1 x 5 on red", "--result", "32", "--minimum", "5", "--multiples", "--chip-values", "10"),
            "due 5 AUD: the Inspector decides, 1 x 10  [12(i)]",
            "collected 0 AUD, paid 0 AUD, undecided 5 AUD\n",
        ),
    ],
)
def test_undecided_amount_is_due_and_not_paid(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], decides: str, totals: str
) -> None:
    """What the float cannot pay is not paid until the title of the venue decides between the next amounts."""
    shown = said(capsys, *arguments)
    assert decides in shown
    assert shown.endswith(totals)


def test_losing_chips_leave_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    """Where all loses the payout is the collection alone."""
    shown = said(capsys, "25 on red; 25 on neighbours 0", "--result", "17")
    assert "on the layout" not in shown
    assert shown.endswith("collected 50 AUD, paid 0 AUD\n")


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("5 on 17",),
        ("--result", "17"),
        ("5 on 17", "--result", "17", "--drill"),
        ("5 on 17", "--result", "17", "--rulebook", "clearwater-etg"),
        ("5 on 17", "--result", "17", "--chip-values", "blue"),
        ("5 on 17", "--result", "17", "--chip-values", "on=5"),
        ("5 on 17", "--result", "17", "--chip-values", "v500=5"),
        ("5 on 17", "--result", "17", "--chip-values", "0"),
        ("5 on 17", "--result", "17", "--minimum", "0"),
        ("5 on 17", "--result", "17", "--maximum", "much"),
        ("--drill", "--level", "neighbours", "--rulebook", US),
        ("5 on 17", "--result", "37"),
        ("5 on 17/22", "--result", "17"),
        ("2 pink on 17", "--result", "17"),
    ],
)
def test_wrong_requests_are_refused(capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...]) -> None:
    """A request that cannot be answered exits with 2 and a refusal."""
    code, answer = requested(capsys, *arguments)
    assert (code, list(answer)) == (2, ["refusal"])


@pytest.mark.parametrize(
    ("question", "text", "answer"),
    [
        (Question.PIECES, "153", (153,)),
        (Question.PIECES, "many", ()),
        (Question.STACKS, "7 + 13", (7, 13)),
        (Question.STACKS, "7 stacks 13", (7, 13)),
        (Question.AMOUNT, "765.50", (765_50,)),
        (Question.AMOUNT, "$5", ()),
    ],
)
def test_answers_are_read(question: Question, text: str, answer: tuple[int, ...]) -> None:
    """An answer is a number, two numbers or an amount; what is none of them is no answer."""
    assert read_answer(question, text) == answer


def drilled(*answers: str) -> tuple[str, Any]:
    """Answer drills of Adelaide with a clock that moves three seconds each time it is read."""
    felt = PayoutTable(venue(ADELAIDE))
    given, seconds, screen = iter(answers), count(0, 3), io.StringIO()
    drills = (make_drill(felt, Level.PICTURE, seed) for seed in range(9))
    console = Console(file=screen, width=200, highlight=False)
    score = ask_drills(
        felt.rulebook, drills, console, lambda _question: next(given, None), lambda: float(next(seconds))
    )
    return screen.getvalue(), score


def test_drills_are_scored() -> None:
    """Right answers count and make a streak; a wrong one shows the working; the end shows the score."""
    shown, score = drilled("143", "115", "1", "")
    assert (score.right, score.streak, score.best, score.seconds) == (2, 0, 2, (3.0, 3.0, 3.0))
    assert "Right, 3.0 s. 3 x 35 + 1 x 17 + 2 x 8 + 1 x 5 = 143 pieces = 7 stacks and 3 = 286 AUD" in shown
    assert "Wrong. " in shown
    assert shown.endswith("2 of 3 right, 2 in a row at most, median 3.0 s.\n")


def test_no_answer_is_no_score() -> None:
    """A run that nobody answers has no score."""
    shown, score = drilled()
    assert (score.seconds, "right" in shown) == ((), False)


def test_drill_runs_in_the_terminal(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """`--drill` asks in the terminal until there is no more input."""
    monkeypatch.setattr("sys.stdin", io.StringIO("143\n115\n"))
    assert run(["payout", "--drill", "--seed", "0", "--count", "2"]) == 0
    assert "2 of 2 right, 2 in a row at most" in capsys.readouterr().out
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert run(["payout", "--drill"]) == 0
