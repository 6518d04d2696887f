"""A new rulebook from a template: it loads at once, its marks are listed, and its own kind of bet is data alone."""

import json
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from croupier.cli.main import app
from croupier.protocol.terminal import FeltSpec
from croupier.rulebooks.loader import load_rulebook, rulebook_ids
from croupier.rulebooks.schema import Problem
from croupier.rulebooks.template import MARK
from croupier.rules.notation import read_slip, settle_slip
from croupier.rules.pricing import Settlement
from croupier.rules.rulebook import Rulebook
from croupier.server.views.felt import felt_data
from tests.conftest import venue
from tests.support.copies import complaints, loaded


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    return result.output


@pytest.mark.parametrize("template", rulebook_ids())
def test_new_rulebook_loads_and_lists_what_is_the_templates(template: str, tmp_path: Path) -> None:
    """A rulebook begun from any other is consistent, has its own id and the same spots, and its marks are listed."""
    run("rulebook", "new", "mine", "--from", template, "--to", str(tmp_path))
    book = load_rulebook(str(tmp_path / "mine"))
    assert isinstance(book, Rulebook)
    assert book.id == "mine"
    assert set(book.spots) == set(venue(template).spots)
    left = json.loads(run("check", str(tmp_path / "mine"), "--json"))["template"]
    text = "".join(path.read_text("utf-8") for path in sorted((tmp_path / "mine").iterdir()))
    assert len(left) == text.count(f"  {MARK}\n") > 5
    assert {"file": "rulebook.toml", "text": f'venue = "{venue(template).venue}"'}.items() <= min(
        left, key=lambda each: not each["text"].startswith("venue")
    ).items()


def test_removed_mark_is_not_listed(tmp_path: Path) -> None:
    """A line without its mark is the venue's own; a bundled rulebook has no marks."""
    run("rulebook", "new", "mine", "--to", str(tmp_path))
    path = tmp_path / "mine" / "rulebook.toml"
    path.write_text(path.read_text("utf-8").replace(f"  {MARK}\n", "\n"), "utf-8")
    left = json.loads(run("check", str(tmp_path / "mine"), "--json"))["template"]
    assert {each["file"] for each in left} == {"clauses.toml"}
    assert json.loads(run("check", "generic-european", "--json"))["template"] == []


def test_folder_that_exists_is_not_written_over(tmp_path: Path) -> None:
    """A rulebook is begun in a new folder only."""
    (tmp_path / "mine").mkdir()
    result = CliRunner().invoke(app, ["rulebook", "new", "mine", "--to", str(tmp_path)])
    assert result.exit_code == 2
    assert "File exists" in result.output


def test_drawing_is_not_wrapped(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a narrow screen the lines of a drawing are as they are on a wide one."""
    drawn = []
    for width in ("40", "200"):
        monkeypatch.setenv("COLUMNS", width)
        drawn.append([line.rstrip() for line in run("rulebook", "draw", "generic-european-partage").splitlines()])
    assert drawn[0] == drawn[1]


def test_felt_is_drawn_and_problems_are_listed(tmp_path: Path) -> None:
    """The felt of a consistent rulebook is drawn; of another, each problem is listed."""
    run("rulebook", "new", "mine", "--to", str(tmp_path))
    assert "157 spots, each marked" in run("rulebook", "draw", str(tmp_path / "mine"))
    path = tmp_path / "mine" / "rulebook.toml"
    path.write_text(path.read_text("utf-8").replace("pays = 35", "pays = 40"), "utf-8")
    assert "40 to 1 on 1 number is a loss to the house" in run("rulebook", "draw", str(tmp_path / "mine"))


def test_kind_that_nobody_has_written_before_is_data_alone(tmp_path: Path) -> None:
    """A venue's own box, with fractions, steps and a cap, is read in slips, settled, and told to every page."""
    run("rulebook", "new", "mine", "--to", str(tmp_path))
    folder = tmp_path / "mine"
    rules = folder / "rulebook.toml"
    price = 'label = "serpent", pays = "41/20", clause = "4", steps = [{ over = 1_000, pays = 1 }], win_most = 5_000'
    text = rules.read_text("utf-8").replace('layout = "single-zero"', 'layout = "mine"')
    rules.write_text(text.replace("[paytable.prices]\n", f"[paytable.prices]\nsnake = {{ {price} }}\n"), "utf-8")
    with (folder / "kinds.toml").open("a", encoding="utf-8") as kinds:
        kinds.write("""
[snake]
name = "snake"
names = { fr = "serpent à sonnette" }
help = "Twelve red numbers in a zigzag."
[snake.boxes]
snake = ["1", "5", "9", "12", "14", "16", "19", "23", "27", "30", "32", "34"]
""")
    shared = (Path(__file__).parents[2] / "src/croupier/rulebooks/layouts.toml").read_text("utf-8")
    own = shared[shared.index("[single-zero]") : shared.index("# 0 and 00 side by side")]
    box = '  { bet = "snake", label = "Snake", area = { along = [0, 48], across = [12, 16] } },\n]\n'
    own = own.replace("[single-zero]", "[mine]").rstrip().removesuffix("]") + box
    (folder / "layouts.toml").write_text(own, "utf-8")
    book = loaded(folder)
    settled = settle_slip(book, "20 on snake; 1 on red", result="1")
    assert isinstance(settled, Settlement)
    # 10.00 at 41 to 20, and 10.00 at 1 to 1: 20.50 and 10.00, within the cap of 50.00.
    assert settled.returned == 2_000 + 3_050 + 200
    capped = settle_slip(book, "100 on snake", result="1")
    assert isinstance(capped, Settlement)
    assert capped.returned == 15_000
    felt = msgspec.json.decode(felt_data(book).body, type=FeltSpec)
    (row,) = (each for each in felt.kinds if each.kind == "snake")
    assert (row.name, row.names, row.pays, row.steps) == (
        "Serpent",
        {"fr": "serpent à sonnette"},
        "41/20",
        ((1_000, 1),),
    )
    (spot,) = (each for each in felt.spots if each.key == "snake")
    assert (spot.label, spot.names) == ("Serpent · 41/20 to 1", {"fr": "Serpent à sonnette"})
    assert "snake" in {each.bet for each in felt.boxes}


def test_rulebook_extends_one_that_comes_with_croupier(tmp_path: Path) -> None:
    """What a rulebook that extends another leaves out is taken from there; false takes a price away."""
    folder = tmp_path / "mine"
    folder.mkdir()
    text = 'extends = "generic-european"\nid = "mine"\nvenue = "Mine"\n'
    text += "[paytable.prices]\ntrio = false\nfirst_four = false\n"
    (folder / "rulebook.toml").write_text(text, "utf-8")
    book = loaded(folder)
    assert (book.id, book.venue, book.title) == ("mine", "Mine", venue("generic-european").title)
    assert set(venue("generic-european").prices) - set(book.prices) == {"trio", "first_four"}
    # Their places belong to the kinds that have them elsewhere.
    bets = read_slip(book, "1 on 0/1/2; 1 on 0/1/2/3")
    assert isinstance(bets, tuple)
    assert [bet.spot.kind for bet in bets] == ["street", "corner"]


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ('"nothing"', f"'nothing' is none of {', '.join(rulebook_ids())}"),
        ("5", f"5 is none of {', '.join(rulebook_ids())}"),
        ('"generic-american"', "'generic-american' extends another rulebook itself"),
    ],
)
def test_rulebook_to_extend_must_be_whole(name: str, says: str, tmp_path: Path) -> None:
    """Only a bundled rulebook that extends no other can be extended."""
    (tmp_path / "rulebook.toml").write_text(f'extends = {name}\nid = "mine"\n', "utf-8")
    assert Problem("rulebook.toml", "extends", says) in complaints(tmp_path)
