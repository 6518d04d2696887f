"""The payout trainer: a picture, a number, an answer against the clock, and the working afterwards."""

import re
from collections.abc import Iterator
from typing import Final

import pytest
from playwright.sync_api import Browser

from croupier.rules.drills import Level
from tests.support.browser.harness import BrowserHarness, browser_harness
from tests.support.browser.houses import ADELAIDE, house_of
from tests.support.browser.looks import misplaced, violations
from tests.support.browser.trainer import DIVIDED, NOTHING, TIMES, Trainer, drill

SIZES: Final = ((1024, 768), (768, 1024), (1280, 800), (390, 844))
US: Final = "us-double-zero"


@pytest.fixture(scope="module")
def harness(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrowserHarness]:
    """A house whose dealers practise."""
    with browser_harness(browser, tmp_path_factory.mktemp("trainer"), house_of(ADELAIDE)) as harness:
        yield harness


def test_picture_shows_the_chips_of_its_drill(harness: BrowserHarness) -> None:
    """The felt shows the number with the dolly, and on every spot as many pieces as the drill of the seed has."""
    trainer, wanted = Trainer(harness, "#level=picture&seed=2"), drill(Level.PICTURE, 2)
    assert trainer.text(".cell.here .number") == wanted.pocket
    assert trainer.at(".cell.here .dolly").count() == 1
    assert sorted(trainer.at(".surface .chip").all_inner_texts()) == sorted(map(str, wanted.pieces.values()))
    assert trainer.text(".hint") == f"The number is {wanted.pocket}. Nothing else on the felt counts."
    bets = ", ".join(f"{count} on {spot}" for spot, count in wanted.pieces.items())
    assert (
        trainer.at(".picture").get_attribute("aria-label") == f"The number is {wanted.pocket}. {wanted.chip}: {bets}."
    )


def test_answers_are_scored_and_explained(harness: BrowserHarness) -> None:
    """A right answer counts with its time; a wrong one ends the streak; both show every line of the sum."""
    trainer = Trainer(harness, "#level=picture&seed=2")
    wanted = drill(Level.PICTURE, 2)
    [pieces] = wanted.answer
    assert trainer.score() == ["0 of 0", "0", NOTHING]
    trainer.screen.pass_s(9.4)
    assert trainer.text(".ring") == "21"
    trainer.say(pieces)
    assert (trainer.text(".question"), trainer.text(".spent"), trainer.score()) == (
        "Right.",
        "9.4 s",
        ["1 of 1", "1", "9.4 s"],
    )
    lines = [" ".join(each.split()) for each in trainer.at(".sums tbody tr").all_inner_texts()]
    assert [line.partition(f" {TIMES}")[0][-1] for line in lines] == [str(count) for count in wanted.pieces.values()]
    assert trainer.text(".sums tfoot").endswith(f"= {pieces}")
    stacks, rest = divmod(pieces, 20)
    assert trainer.text(".cut b") == f"{stacks} stacks of 20 + {rest}"
    trainer.keys("Enter")
    [other] = drill(Level.PICTURE, 3).answer
    trainer.screen.pass_s(28)
    assert trainer.at(".ring[data-look=warn]").count() == 1
    trainer.say(7)
    assert trainer.text(".question") == f"You said 7. It is {other}."
    assert trainer.score() == ["1 of 2", "0", "18.7 s"]
    trainer.keys("Enter")
    assert [each.strip() for each in trainer.at(".bars small").all_inner_texts()] == ["9", TIMES]
    trainer.screen.pass_s(31)
    assert (trainer.text(".ring"), trainer.at(".ring[data-look=stop]").count()) == ("0", 1)


#: How much longer what is asked is than the screen, in px.
HIDDEN: Final = "() => { const at = document.querySelector('.content'); return at.scrollHeight - at.clientHeight; }"


def test_phone_shows_all_that_a_question_needs(harness: BrowserHarness) -> None:
    """On a phone the picture, the question and every key are there without scrolling, in every level."""
    trainer = Trainer(harness, "#level=singles&seed=1", (390, 844))
    for level in trainer.at(".levels button").all():
        level.click()
        trainer.screen.settle()
        assert trainer.page.evaluate(HIDDEN) <= 0
        assert trainer.at(".keys button").count() == 12


def test_colours_are_named_in_every_language(harness: BrowserHarness) -> None:
    """The colour of the chips is said in the language of the page."""
    names = {
        lang: Trainer(harness, f"#level=singles&seed=1&lang={lang}").text(".owner b") for lang in ("en", "es", "ar")
    }

    assert len(set(names.values())) == 3
    assert names["en"].lower() == drill(Level.SINGLES, 1).chip


def test_every_key_is_on_the_screen(harness: BrowserHarness) -> None:
    """With a finger alone an answer is typed, corrected and said, and the next picture is asked for."""
    trainer = Trainer(harness, "#level=singles&seed=1")
    [pieces] = drill(Level.SINGLES, 1).answer
    say = trainer.screen.button("Say it")
    assert say.is_disabled()
    for key in f"9{pieces}":
        trainer.screen.press(key)
    assert trainer.text(".typed") == f"9{pieces}"
    for _ in range(len(str(pieces)) + 1):
        trainer.screen.press("Delete the last figure")
    assert trainer.text(".typed") == NOTHING
    for key in str(pieces):
        trainer.screen.press(key)
    trainer.screen.press("Say it")
    assert trainer.text(".question") == "Right."
    trainer.screen.press(re.compile("Next picture"))
    assert trainer.text(".cell.here .number") == drill(Level.SINGLES, 2).pocket


def test_levels_ask_for_stacks_money_and_marker_bets(harness: BrowserHarness) -> None:
    """Each level has its question; a marker bet lies on the block and counts with a fifth."""
    trainer = Trainer(harness, "#level=stacks&seed=0")
    trainer.say(*drill(Level.STACKS, 0).answer)
    assert trainer.text(".question") == "Right."
    trainer = Trainer(harness, "#level=stacks&seed=0")
    trainer.keys("5", "Enter", "Backspace", "Backspace", "4", "Enter", "1", "Enter")
    stacks, rest = drill(Level.STACKS, 0).answer
    assert trainer.text(".question") == f"You said 4 + 1. It is {stacks} + {rest}."
    trainer = Trainer(harness, "#level=amount&seed=0")
    [amount] = drill(Level.AMOUNT, 0).answer
    assert trainer.text(".question") == "How much money?"
    trainer.say(amount // 100)
    assert trainer.text(".question") == "Right."
    wanted = drill(Level.NEIGHBOURS, 2)
    trainer = Trainer(harness, "#level=neighbours&seed=2")
    markers = [(count, spot) for spot, count in wanted.pieces.items() if spot.startswith("neighbours")]
    assert [
        f"{chip} {name}".lower()
        for chip, name in zip(
            trainer.at(".block .chip").all_inner_texts(),
            [each.get_attribute("aria-label") for each in trainer.at(".block .marker").all()],
            strict=True,
        )
    ] == [f"{count} {spot}" for count, spot in markers]
    trainer.say(*wanted.answer)
    assert trainer.text(".question") == "Right."
    assert f"{markers[0][0]} {DIVIDED} 5 {TIMES} 35" in trainer.text(".sums")


def test_level_and_rules_are_chosen(harness: BrowserHarness) -> None:
    """Another level or rulebook begins a new score; the US rules have no marker bets."""
    trainer = Trainer(harness, "#level=picture&seed=2")
    trainer.say(*drill(Level.PICTURE, 2).answer)
    trainer.screen.press("Singles")
    assert (trainer.score()[0], trainer.at(".levels [aria-pressed=true]").inner_text()) == ("0 of 0", "Singles")
    trainer.at("select.rules-choice").select_option(US)
    trainer.screen.settle()
    assert "Neighbours" not in trainer.at(".levels button").all_inner_texts()
    assert "1 a piece" in trainer.text(".owner")


@pytest.mark.parametrize(
    ("lang", "right", "cut"),
    [
        ("es", "Correcto.", "pilas de 20"),
        ("fr", "Juste.", "piles de 20"),
        ("ms", "Betul.", "tindan 20"),
        ("zh-Hans", "正确。", "20 枚"),
        ("ar", "صحيح.", "رزم من 20"),
    ],
)
def test_trainer_speaks_every_language(harness: BrowserHarness, lang: str, right: str, cut: str) -> None:
    """Question, verdict and working are in the language of the address, and English in that of the choice."""
    trainer = Trainer(harness, f"#level=picture&seed=2&lang={lang}")
    one, three = (trainer.page.get_by_role("button", name=key, exact=True).bounding_box() for key in "13")
    assert one is not None
    assert three is not None
    assert one["x"] < three["x"]
    trainer.say(*drill(Level.PICTURE, 2).answer)
    assert trainer.text(".question") == right
    assert cut in trainer.text(".cut b")
    assert misplaced(trainer.screen) == []
    trainer.at("select.language-choice").select_option("en")
    trainer.page.wait_for_function("() => document.documentElement.lang === 'en'")
    trainer.screen.settle()
    assert trainer.text(".question") == "Right."


def test_dolly_is_that_of_every_felt(harness: BrowserHarness) -> None:
    """The dolly of a drill is the drawing that terminals and live tables put on a number."""
    trainer = Trainer(harness, "#level=picture&seed=2")
    drawn = trainer.at(".cell.here .dolly").evaluate(
        "(node) => [...node.children].map((one) => one.getAttribute('class'))"
    )
    assert drawn == ["shade", "foot", "body", "head", "glint"]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("level", ["picture", "neighbours", "stacks"])
def test_trainer_fits_and_everybody_can_use_it(harness: BrowserHarness, level: str, size: tuple[int, int]) -> None:
    """Before and after an answer nothing overlaps or is too small for a finger, and axe finds nothing."""
    trainer = Trainer(harness, f"#level={level}&seed=2", size)
    assert (misplaced(trainer.screen), violations(trainer.screen)) == ([], [])
    trainer.say(*drill(Level(level), 2).answer)
    assert (misplaced(trainer.screen), violations(trainer.screen)) == ([], [])
