"""The command line about rounds: played files, what differs, what is refused, and clauses with their examples."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from croupier.cli.main import run
from croupier.transcripts.runner import examples
from tests.support.copies import ADELAIDE, CLEARWATER, SHIPPED, US, copied

GOOD = """\
rulebook  us-double-zero  # Rotation (2): the call comes while the ball runs
seat 1    chips 20

18:00:00  dealer   opens bets
18:00:12  dealer   no more bets  refused close_before_spin Rotation (2)
"""
BAD = GOOD.replace("Rotation (2)\n", "Rotation (3)\n")

#: Runs a command with --json, and gives its exit code and its answer.
Ask = Callable[..., tuple[int, Any]]


@pytest.fixture
def ask(capsys: pytest.CaptureFixture[str]) -> Ask:
    """Somebody to ask."""

    def requested(*arguments: str | Path) -> tuple[int, Any]:
        code = run([*map(str, arguments), "--json"])
        return code, json.loads(capsys.readouterr().out)

    return requested


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_bytes(text.encode())
    return path


def test_round_that_holds_exits_0(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where every line holds, that is all that is said."""
    code = run(["round", str(written(tmp_path, "good.round", GOOD))])

    assert (code, capsys.readouterr().out) == (0, "1 round holds.\n")


def test_round_that_differs_is_shown_and_exits_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A difference is shown with its file, its line, the line itself, what it expects and what was found."""
    bad = written(tmp_path, "bad.round", BAD)
    code = run(["round", str(bad)])

    assert code == 1
    assert capsys.readouterr().out == (
        f"{bad}:5: 18:00:12  dealer   no more bets  refused close_before_spin Rotation (3)\n"
        "  expected  refused close_before_spin Rotation (3)\n"
        "  found     refused close_before_spin Rotation (2)\n"
        "0 rounds hold, 1 differs.\n"
    )


def test_folders_are_walked_for_rounds(tmp_path: Path, ask: Ask) -> None:
    """A folder is searched to its depths for rounds, and answered in the order of names."""
    (tmp_path / "deep").mkdir()
    written(tmp_path / "deep", "bad.round", BAD)
    written(tmp_path, "good.round", GOOD)
    written(tmp_path, "notes.txt", "not a round")
    code, answer = ask("round", tmp_path)

    assert (code, answer["holds"], answer["updated"]) == (1, False, False)
    assert [Path(each["file"]).name for each in answer["rounds"]] == ["bad.round", "good.round"]
    assert [(each["rulebook"], each["acts"], each["holds"]) for each in answer["rounds"]] == [
        (US, 2, False),
        (US, 2, True),
    ]
    assert answer["rounds"][0]["differences"] == [
        {
            "line": 5,
            "says": "18:00:12  dealer   no more bets  refused close_before_spin Rotation (3)",
            "expected": ["refused close_before_spin Rotation (3)"],
            "found": ["refused close_before_spin Rotation (2)"],
        }
    ]


def test_what_was_not_expected_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where a line expects nothing, or nothing follows, that is said in a word."""
    text = GOOD.replace("  refused close_before_spin Rotation (2)", "").replace("opens bets", "opens bets  void 5.1")
    run(["round", str(written(tmp_path, "bad.round", text))])
    said = capsys.readouterr().out

    assert "  expected  void 5.1\n  found     nothing\n" in said
    assert "  expected  nothing\n  found     refused close_before_spin Rotation (2)\n" in said


def test_update_rewrites_what_differs(tmp_path: Path, ask: Ask, capsys: pytest.CaptureFixture[str]) -> None:
    """With --update the file says what was found, nothing else in it changes, and then it holds."""
    bad, good = written(tmp_path, "bad.round", BAD), written(tmp_path, "good.round", GOOD)
    before = good.stat().st_mtime_ns
    code, answer = ask("round", "--update", bad, good)

    assert (code, answer["updated"]) == (0, True)
    assert bad.read_text() == GOOD
    assert good.stat().st_mtime_ns == before
    assert ask("round", bad)[0] == 0
    written(tmp_path, "bad.round", BAD)
    assert run(["round", "--update", str(bad)]) == 0
    assert capsys.readouterr().out.endswith("0 rounds hold, 1 rewritten, to be reviewed.\n")


def test_update_that_cannot_be_written_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ask: Ask) -> None:
    """A file that cannot be written is told of, with exit code 2."""
    bad = written(tmp_path, "bad.round", BAD)

    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    code, answer = ask("round", "--update", bad)

    assert (code, answer["refusal"]["says"]) == (2, f"{bad}: It cannot be written: No space left on device.")


def test_malformed_round_is_pointed_at(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file that cannot be understood is refused by its line, with a finger on the place."""
    bad = written(tmp_path, "bad.round", GOOD.replace("opens bets", "opens the bar"))
    code = run(["round", str(bad)])
    lines = capsys.readouterr().err.splitlines()

    assert code == 2
    assert lines[:2] == ["  18:00:00  dealer   opens the bar", "                     ^"]
    assert lines[2].startswith(f"Refused. {bad}:4:")


def test_malformed_round_is_json_too(tmp_path: Path, ask: Ask) -> None:
    """For programs the place is the file, the line, the text of the line, and the character in it."""
    bad = written(tmp_path, "bad.round", GOOD.replace("opens bets", "opens the bar"))
    code, answer = ask("round", bad)

    assert (code, answer["refusal"]["code"]) == (2, "malformed")
    assert answer["refusal"]["facts"] == {
        "file": str(bad),
        "line": 4,
        "text": "18:00:00  dealer   opens the bar",
        "at": 19,
    }


@pytest.mark.parametrize(
    ("content", "code", "says"),
    [
        (b"rulebook  none-such\n", "unknown_rulebook", "{path}: There is no rulebook 'none-such'"),
        (b"rulebook  us-double-zero\ntable  minimum 9  maximum 2\n", "setting_impossible", "{path}: The limits"),
        (b"\xff", "malformed", "{path}: It is not UTF-8 text: byte 0."),
        (None, "malformed", "{path}: It cannot be read: No such file or directory."),
    ],
)
def test_file_that_cannot_be_played_is_refused(
    tmp_path: Path, ask: Ask, content: bytes | None, code: str, says: str
) -> None:
    """What cannot be read, set up or played by a known rulebook is refused with exit code 2."""
    path = tmp_path / "bad.round"
    if content is not None:
        path.write_bytes(content)
    exit_code, answer = ask("round", path)

    assert (exit_code, answer["refusal"]["code"]) == (2, code)
    assert answer["refusal"]["says"].startswith(says.format(path=path))
    assert answer["refusal"]["facts"]["file"] == str(path)


def test_folder_without_rounds_is_refused(tmp_path: Path, ask: Ask) -> None:
    """A folder in which there is nothing to play is refused, rather than called good."""
    code, answer = ask("round", tmp_path)

    assert (code, answer["refusal"]["code"]) == (2, "nothing_there")


def test_rules_gives_a_clause_with_its_rounds(ask: Ask) -> None:
    """A clause comes with what it says, what is done, its code and tests, and every round that cites it."""
    code, answer = ask("rules", CLEARWATER, "13.c")

    assert (code, answer["clause"], answer["topic"]) == (0, "13.c", "limit")
    assert {"says", "does", "code", "no_code", "awaits", "tests"} <= set(answer)
    assert [file["name"] for file in answer["rounds"]] == [
        "13.c-before-red-chips-go-back.round",
        "13.c-too-little-risk-at-the-close.round",
        "13.c-without-its-red-chips.round",
    ]
    folder = SHIPPED / CLEARWATER / "rounds"
    assert all(file["text"] == (folder / file["name"]).read_text("utf-8") for file in answer["rounds"])


def test_rules_shows_rounds_as_they_are_written(capsys: pytest.CaptureFixture[str]) -> None:
    """For people the rounds are printed whole, long lines unbroken."""
    code = run(["rules", ADELAIDE, "7(h)ii"])
    said = capsys.readouterr().out

    assert code == 0
    assert said.startswith("7(h)ii  skycity-adelaide-2003, terminal-ui\n")
    shown = examples(ADELAIDE)
    assert isinstance(shown, tuple)
    for file in shown:
        assert (file.text.rstrip() in said) == (
            "7(h)ii:" in file.text or "7(h)ii," in file.text or "7(h)ii\n" in file.text
        )


def test_rules_cites_expectations_and_comments(tmp_path: Path, ask: Ask) -> None:
    """A round cites a clause in what it expects and at the head of any comment, not in the middle of one."""
    folder = copied(tmp_path, US)
    for file in (folder / "rounds").iterdir():
        file.unlink()
    written(folder / "rounds", "one.round", GOOD)
    written(folder / "rounds", "two.round", GOOD + "# Types 2: a remark on Types 3\n# Types 4, Types 5: two\n")
    named = {
        clause: ask("rules", folder, clause)[1]["rounds"]
        for clause in ("Rotation (2)", "Types 2", "Types 3", "Types 5")
    }

    assert {clause: [file["name"] for file in files] for clause, files in named.items()} == {
        "Rotation (2)": ["one.round", "two.round"],
        "Types 2": ["two.round"],
        "Types 3": [],
        "Types 5": ["two.round"],
    }


def test_rulebook_without_rounds_has_none_to_show(tmp_path: Path, ask: Ask) -> None:
    """A rulebook of one's own need not have rounds."""
    folder = copied(tmp_path, US)
    for file in (folder / "rounds").iterdir():
        file.unlink()
    (folder / "rounds").rmdir()

    assert ask("rules", folder, "Types 2")[1]["rounds"] == []


@pytest.mark.parametrize(("content", "says"), [(b"\xff", "It is not UTF-8 text"), (b"table\n", "A round begins with")])
def test_example_that_cannot_be_read_is_refused(tmp_path: Path, ask: Ask, content: bytes, says: str) -> None:
    """A rulebook whose examples cannot be read is told which."""
    folder = copied(tmp_path, US)
    (folder / "rounds" / "zz.round").write_bytes(content)
    code, answer = ask("rules", folder, "Types 2")

    assert (code, answer["refusal"]["code"]) == (2, "malformed")
    assert says in answer["refusal"]["says"]
    assert answer["refusal"]["facts"]["file"] == str(folder / "rounds" / "zz.round")


@pytest.mark.parametrize(("requested", "near"), [("7(h)9", "7(h)"), ("7(H)III", "7(h)iii"), ("zzz", None)])
def test_unknown_clause_is_refused_with_the_nearest(ask: Ask, requested: str, near: str | None) -> None:
    """A clause that is none is refused, and those with the nearest names are given."""
    code, answer = ask("rules", ADELAIDE, requested)
    nearest = answer["refusal"]["facts"]["nearest"]

    assert (code, answer["refusal"]["code"], answer["refusal"]["clause"]) == (2, "unknown_record", None)
    assert (near in nearest) if near else nearest == []
