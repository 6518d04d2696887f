"""The command line: every command answers people in words and programs in JSON, and says no with exit code 2."""

import json
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from croupier.cli.main import main, run
from croupier.rulebooks.loader import is_own, rulebook_ids
from tests.conftest import DOCUMENTS
from tests.support.copies import RULEBOOK, copied

MBS, ADELAIDE, CLEARWATER, US = "marina-bay-sands-2020", "skycity-adelaide-2003", "clearwater-etg", "us-double-zero"


#: Runs a command with --json, and gives its exit code and its answer.
Ask = Callable[..., tuple[int, Any]]


@pytest.fixture
def ask(capsys: pytest.CaptureFixture[str]) -> Ask:
    """Somebody to ask."""

    def requested(*arguments: str) -> tuple[int, Any]:
        code = run([*arguments, "--json"])
        return code, json.loads(capsys.readouterr().out)

    return requested


def test_rulebooks_lists_each(ask: Ask) -> None:
    """The list names the rulebooks of the venues, and those of our own, with spots, date and digest."""
    code, answer = ask("rulebooks")

    assert code == 0
    assert [book["id"] for book in answer["rulebooks"]] == [*rulebook_ids()]
    assert {book["id"]: book["spots"] for book in answer["rulebooks"]} == {
        MBS: 159,
        ADELAIDE: 157,
        CLEARWATER: 161,
        US: 161,
        "generic-european": 157,
        "generic-european-partage": 157,
        "generic-european-prison": 157,
        "generic-two-in-a-row": 159,
        "generic-american": 161,
        "generic-multiplier": 157,
        "generic-progressive": 158,
        "generic-triple-zero": 162,
    }
    assert {book["id"]: book["effective"] for book in answer["rulebooks"]} == {
        MBS: "2020-03-18",
        ADELAIDE: "2003-05-20",
        **dict.fromkeys([CLEARWATER, US, *filter(is_own, rulebook_ids())]),
    }
    assert all(len(book["digest"]) == 64 for book in answer["rulebooks"])


def test_check_passes_a_sound_rulebook(ask: Ask) -> None:
    """A sound rulebook is called consistent, and the wheel that must be confirmed is marked."""
    code, answer = ask("check", MBS)

    assert (code, answer["consistent"], answer["wheel"]["confirmed"]) == (0, True, False)


def test_check_reports_all_that_is_wrong(ask: Ask, tmp_path: Path) -> None:
    """A broken rulebook is refused with every complaint by file and key."""
    (tmp_path / "rulebook.toml").write_text("id = 3\nlayout = 'oval'\nwheel = 'european'\n")
    code, answer = ask("check", str(tmp_path))

    assert (code, answer["refusal"]["code"]) == (2, "rulebook_inconsistent")
    complaints = answer["refusal"]["facts"]["complaints"]
    assert {(complaint["file"], complaint["key"]) for complaint in complaints} == {
        ("rulebook.toml", "layout"),
        ("clauses.toml", ""),
    }


def test_odds_gives_spots_and_calls(ask: Ask) -> None:
    """Odds lists every spot with its numbers as text and its edge as an exact fraction, and every call."""
    code, answer = ask("odds", CLEARWATER)
    spots = {row["spot"]: row for row in answer["spots"]}
    calls = {row["call"]: row for row in answer["calls"]}

    assert (code, len(spots)) == (0, 161)
    assert {key: spots["0/00"][key] for key in ("kind", "numbers", "pays", "edge")} == {
        "kind": "split",
        "numbers": ["0", "00"],
        "pays": 17,
        "edge": "1/19",
    }
    assert spots["0/00/1/2/3"]["edge"] == "3/38"
    assert (calls["complete 2"]["chips"], calls["complete 2"]["edge"]) == (11, "1/19")
    assert calls["neighbours 22 by 4"]["chips"] == 9


def test_odds_of_a_profile_gives_its_calls_alone(ask: Ask) -> None:
    """A terminal model offers its own calls and no others."""
    _, answer = ask("odds", MBS, "--profile", "rapid-select-single-game")

    assert {row["call"].split()[0] for row in answer["calls"]} == {
        "zero-spiel",
        "voisins",
        "orphelins",
        "tiers",
        "neighbours",
    }


def test_odds_of_an_unknown_profile_is_refused(ask: Ask) -> None:
    """A profile that the venue does not have is refused, and the ones it has are named."""
    code, answer = ask("odds", MBS, "--profile", "none-such")

    assert (code, answer["refusal"]["code"]) == (2, "unknown_profile")
    assert answer["refusal"]["facts"]["known"] == ["rapid-select-single-game"]


EXPANSIONS = [
    (MBS, "orphelins", {"1": 100, "6/9": 100, "14/17": 100, "17/20": 100, "31/34": 100}, 5, 500),
    (MBS, "5 on finales 7", {"7": 500, "17": 500, "27": 500}, 3, 1500),
    (CLEARWATER, "red splits", {"9/12": 100, "16/19": 100, "18/21": 100, "27/30": 100}, 4, 400),
    (ADELAIDE, "neighbours 0", {"3": 100, "26": 100, "0": 100, "32": 100, "15": 100}, 5, 500),
    (ADELAIDE, "27 on neighbours 0", {"3": 540, "26": 540, "0": 540, "32": 540, "15": 540}, 5, 2700),
]


@pytest.mark.parametrize(("rulebook", "call", "pieces", "chips", "cost"), EXPANSIONS)
def test_expand_takes_a_call_apart(  # noqa: PLR0913, PLR0917 - one column each
    ask: Ask,
    rulebook: str,
    call: str,
    pieces: dict[str, int],
    chips: int,
    cost: int,
) -> None:
    """A call is taken apart into its pieces, chips and cost in whole cents."""
    code, answer = ask("expand", rulebook, call)

    assert code == 0
    assert {piece["spot"]: piece["amount"] for piece in answer["pieces"]} == pieces
    assert (answer["chips"], answer["cost"]) == (chips, cost)


def test_settle_gives_whole_cents(ask: Ask) -> None:
    """A slip is settled exactly, each bet with its return and the clause of its payment."""
    code, answer = ask("settle", ADELAIDE, "--result", "15", "25 on neighbours 0; 0.10 on red")

    assert (code, answer["staked"], answer["returned"], answer["net"]) == (0, 2510, 18_000, 15_490)
    winners = [bet for bet in answer["bets"] if bet["won"]]
    assert winners == [
        {
            "spot": "15",
            "amount": 500,
            "call": "neighbours 0",
            "pays": 35,
            "won": True,
            "returned": 18_000,
            "clause": "8(a) A",
        }
    ]


def test_settle_says_the_pot_and_what_goes_on(ask: Ask) -> None:
    """A slip that plays for a pot says it, with the odds of its bet; a stake in prison is carried to the next spin."""
    code, answer = ask("settle", "generic-progressive", "--result", "0", "--pot", "80", "5 on pot")
    assert (code, answer["pot"], answer["bets"][0]["pays"], answer["returned"]) == (0, 8_000, 16, 8_500)
    code, answer = ask("settle", "generic-european-prison", "--result", "0", "5 on red; 5 on 1")
    assert (code, [bet.get("carried") for bet in answer["bets"]], answer["net"]) == (0, [500, None], -500)


def test_settle_says_what_comes_back_and_what_is_capped(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Half of a stake that a zero returns is not called a loss, and a win at its cap says so; one under it does not."""
    assert run(["settle", "generic-european-partage", "--result", "0", "20 on red; 5 on 17"]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["red", "20", "half", "back", "10", "4.2"] in lines
    assert ["17", "5", "loses", "0", "4.1"] in lines
    folder = copied(tmp_path, US, (RULEBOOK, "pays = 17", "pays = 17, win_most = 3400"))
    for stake, says in (("2", "wins 17 to 1"), ("3", "wins 17 to 1, capped at 34")):
        run(["settle", str(folder), "--result", "17", f"{stake} on 17/20"])
        out = " ".join(capsys.readouterr().out.split())
        assert f"17/20 {stake} {says} " in out


def test_exposure_gives_every_pocket(ask: Ask) -> None:
    """Exposure gives the return on every pocket, the best, the worst and the risk check's verdict."""
    code, answer = ask("exposure", CLEARWATER, "10 on red; 30 on black")

    assert (code, len(answer["returns"]), answer["staked"]) == (0, 38, 4000)
    assert (answer["returns"]["17"], answer["returns"]["18"], answer["returns"]["00"]) == (6000, 2000, 0)
    assert (answer["best"]["returned"], answer["best"]["net"], len(answer["best"]["pockets"])) == (6000, 2000, 18)
    assert answer["worst"] == {"returned": 0, "net": -4000, "pockets": ["0", "00"]}
    assert answer["risk"] == {"allowed": True, "margin": 2000, "threshold": 400, "clause": "13.a", "message": None}


@pytest.mark.clause(CLEARWATER, "13.a")
def test_exposure_reports_opposite_bets(ask: Ask) -> None:
    """Red and black alike do not pass the risk check, and the message is the venue's."""
    _, answer = ask("exposure", CLEARWATER, "10 on red; 10 on black")

    assert (answer["risk"]["allowed"], answer["risk"]["message"]) == (False, "Bet not allowed")


def test_exposure_without_a_risk_check_has_no_verdict(ask: Ask) -> None:
    """A venue whose rules have no risk check gives no verdict."""
    assert ask("exposure", US, "1 on red; 1 on black")[1]["risk"] is None


def test_exposure_rounds_the_threshold_to_credits(ask: Ask) -> None:
    """With a credit of one dollar the threshold is rounded up to whole dollars."""
    slip = "; ".join(f"1 on {number}" for number in range(1, 33))

    assert ask("exposure", CLEARWATER, "--credit", "100", slip)[1]["risk"]["threshold"] == 400
    assert ask("exposure", CLEARWATER, slip)[1]["risk"]["threshold"] == 320


def test_clauses_gives_the_matrix(ask: Ask) -> None:
    """The clause matrix has every clause of every rulebook, or of one."""
    assert sum(row["rulebook"] in DOCUMENTS for row in ask("clauses")[1]["clauses"]) == 303
    rows = ask("clauses", US)[1]["clauses"]
    assert len(rows) == 44
    limit = next(row for row in rows if row["clause"] == "Placement 5")
    assert limit["code"] == ["rules/limits.py"]
    assert limit["tests"]


def test_felt_gives_every_anchor(ask: Ask) -> None:
    """The felt as data has every spot with its anchor, every cell and box, and the courtesy line as an alias."""
    _, answer = ask("felt", US)

    assert (len(answer["spots"]), len(answer["cells"]), len(answer["boxes"])) == (161, 38, 12)
    assert [(alias["alias"], alias["spot"]) for alias in answer["aliases"]] == [("courtesy-line", "0/00")]


REFUSALS = [
    (["settle", MBS, "--result", "17", "1 on 00/2"], "spot_not_on_layout", "3.4.2"),
    (["settle", MBS, "--result", "17", "1 on 0/00/1/2/3"], "kind_not_priced", "4.1"),
    (["settle", CLEARWATER, "--result", "17", "1 on 0/1/2/3"], "spot_not_on_layout", "9"),
    (["settle", US, "--result", "17", "1 on 10/12"], "spot_not_on_layout", "Types 2"),
    (["settle", US, "--result", "17", "5 on 17"], "stake_over_maximum", "Placement 5"),
    (["settle", US, "--result", "17", "0.50 on 17"], "stake_under_minimum", "Placement 5"),
    (["settle", US, "--result", "17", "2 on 0/00; 2.01 on courtesy line"], "stake_over_maximum", "Placement 5"),
    (["settle", ADELAIDE, "--result", "00", "1 on 17"], "pocket_not_on_wheel", "1 (Diagram 1)"),
    (["settle", ADELAIDE, "--result", "17", "1 on 00"], "spot_not_on_layout", "3 (Diagram 3)"),
    (["settle", MBS, "--result", "37", "1 on 17"], "pocket_not_on_wheel", "3.8"),
    (["settle", US, "--result", "37", "1 on 17"], "pocket_not_on_wheel", "Rotation (3)"),
    (["settle", US, "--result", "37", "nonsense"], "malformed", None),
    (["settle", US, "--result", "37", "1 on 17", "--profile", "cellar"], "unknown_profile", None),
    (["settle", US, "--result", "37", "1 on voisins"], "pocket_not_on_wheel", "Rotation (3)"),
    (["expand", ADELAIDE, "neighbours 3 by 3"], "neighbours_reach", "5.1(a)"),
    (["expand", ADELAIDE, "neighbours 00"], "call_argument", "5.1(a)"),
    (["settle", ADELAIDE, "--result", "17", "1 on 00", "--profile", "terminal"], "spot_not_on_layout", "4 (Diagram 4)"),
    (["expand", ADELAIDE, "voisins", "--profile", "table"], "call_not_offered", "6(a)"),
    (["clauses", ""], "unknown_rulebook", None),
    (["exposure", ADELAIDE, "1 on voisins"], "call_not_offered", "6(a)"),
    (["expand", ADELAIDE, "25 on neighbours 0", "--profile", "terminal"], "call_not_offered", "6(n)"),
    (["expand", ADELAIDE, "0.01 on neighbours 0"], "marker_total_indivisible", "6(j)"),
    (["expand", MBS, "neighbours 22 by 3"], "neighbours_reach", "App. F/G (Neighbours)"),
    (["expand", CLEARWATER, "17"], "malformed", None),
    (["expand", US, "courtesy line"], "call_not_offered", "Types 2"),
    (["settle", MBS, "--result", "17", "ten on 17"], "malformed", None),
    (["settle", MBS, "--result", "17", ""], "malformed", None),
    (["odds", "atlantis"], "unknown_rulebook", None),
    (["settle", MBS, "1 on 17"], "malformed", None),
    (["settle", MBS, "--sideways", "1 on 17"], "malformed", None),
    (["shuffle"], "malformed", None),
    (["exposure", CLEARWATER, "--credit", "0", "1 on 17"], "malformed", None),
    (["felt", US, "--svg", "/no/such/folder/felt.svg"], "malformed", None),
]


@pytest.mark.parametrize(("arguments", "refused", "clause"), REFUSALS)
def test_refusal_has_one_shape(ask: Ask, arguments: list[str], refused: str, clause: str | None) -> None:
    """Malformed and refused input alike exit 2, with code, clause, plain words and facts on standard output."""
    code, answer = ask(*arguments)

    assert code == 2
    assert sorted(answer["refusal"]) == ["clause", "code", "facts", "says"]
    assert (answer["refusal"]["code"], answer["refusal"]["clause"]) == (refused, clause)
    assert answer["refusal"]["says"].endswith(".")


def test_json_may_stand_before_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    """The flag --json works before the command as after it."""
    assert run(["--json", "expand", MBS, "tiers"]) == 0
    assert json.loads(capsys.readouterr().out)["chips"] == 6


SHOWN = [
    (["rulebooks"], ["Marina Bay Sands", "undated", "2003-05-20"]),
    (["check", MBS], ["Consistent.", "To confirm on installation"]),
    (["check", US], ["Consistent."]),
    (["odds", US], ["First Five Numbers", "3/38"]),
    (["odds", CLEARWATER], ["complete", "4 to 11"]),
    (["expand", MBS, "voisins"], ["25/26/28/29", "10 chips, 10 in all"]),
    (["settle", US, "--result", "0", "1 on 17; 2 on 0/00"], ["wins 17 to 1", "loses", "up 33 USD"]),
    (["settle", US, "--result", "0", "1 on 17"], ["down 1 USD"]),
    (["settle", US, "--result", "1", "1 on red; 1 on black"], ["even"]),
    (["exposure", US, "1 on red"], ["best 2 USD back, on 18 pockets", "worst 0 USD back"]),
    (["exposure", CLEARWATER, "1 on 17"], ["Risk check passed"]),
    (["exposure", CLEARWATER, "1 on red; 1 on black"], ["Bet not allowed"]),
    (["clauses", US], ["Pay Table First Five Numbers", "house/rounds/settlement.py"]),
    (["felt", US], ["161 spots", "courtesy line"]),
    (["felt", MBS], ["159 spots"]),
]


@pytest.mark.parametrize(("arguments", "words"), SHOWN)
def test_people_are_answered_in_words(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, arguments: list[str], words: list[str]
) -> None:
    """Without --json the answer is drawn for people."""
    monkeypatch.setenv("COLUMNS", "160")
    assert run(arguments) == 0
    shown = capsys.readouterr().out

    assert [word for word in words if word not in shown] == []


def test_people_are_shown_where_the_slip_is_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    """A person sees the slip with a finger on the first wrong character."""
    assert run(["settle", US, "--result", "17", "2 in 17"]) == 2

    assert capsys.readouterr().err == "  2 in 17\n    ^\nRefused. Expected 'on' after the amount, found 'in'.\n"


LONG_SLIP = "; ".join(f"1 on {number}" for number in range(1, 37))


@pytest.mark.parametrize(("wrong", "shown"), [("1 on 1;", "1 in 1;"), ("1 on 18", "1 in 18"), ("1 on 36", "1 in 36")])
def test_long_slip_is_shown_around_the_wrong_place(capsys: pytest.CaptureFixture[str], wrong: str, shown: str) -> None:
    """Of a slip wider than the screen as much is shown as fits, with the finger on the wrong character."""
    assert run(["settle", US, "--result", "17", LONG_SLIP.replace(wrong, shown, 1)]) == 2
    line, finger, *_ = capsys.readouterr().err.splitlines()

    assert len(line) <= 80
    assert line[finger.index("^") :].startswith("in ")


def test_brackets_are_shown_as_they_are(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Brackets in a clause's words are words, and not marks for the screen."""
    monkeypatch.setenv("COLUMNS", "400")
    assert run(["clauses", CLEARWATER]) == 0
    assert "if src[p] > tgt[p] then tgt[p]=src[p]" in capsys.readouterr().out


def test_people_are_shown_every_complaint(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A person sees each complaint about a rulebook on a line of its own."""
    assert run(["check", str(tmp_path)]) == 2

    shown = capsys.readouterr().err
    assert "rulebook.toml: cannot be read" in shown
    assert "clauses.toml: cannot be read" in shown


def test_people_are_shown_a_wrong_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    """A command line that cannot be read exits 2 and says how it is used."""
    assert run(["settle"]) == 2
    assert "Usage: croupier settle" in capsys.readouterr().err


def test_felt_is_drawn_into_a_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """The felt is drawn into the file asked for, with one mark for each spot and one for the alias."""
    file = tmp_path / "felt.svg"

    assert run(["felt", US, "--svg", str(file)]) == 0
    assert file.read_text("utf-8").count("<circle") == 162
    assert "Drawn into" in capsys.readouterr().out


def test_rulebook_is_taken_by_path(ask: Ask) -> None:
    """Every command takes a folder where it takes an id."""
    folder = Path(__file__).parents[2] / "src" / "croupier" / "rulebooks" / US

    assert ask("settle", str(folder), "--result", "17", "4 on 17")[1]["returned"] == 14_400


def test_main_leaves_with_the_exit_code() -> None:
    """The program leaves with the command's exit code."""
    before = signal.getsignal(signal.SIGPIPE)
    try:
        with pytest.raises(SystemExit) as left:
            main(["odds", "atlantis"])
    finally:
        # The program ends when nobody reads it any more; whoever tests it goes on.
        signal.signal(signal.SIGPIPE, before)

    assert left.value.code == 2
