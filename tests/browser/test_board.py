"""The board: read from ten metres, it shows a number when it is told one, and never an old one as if it were new."""

import re
from collections.abc import Iterator
from typing import Final

import pytest
from playwright.sync_api import Browser, Locator

from tests.support.browser.harness import BrowserHarness, browser_harness
from tests.support.browser.houses import ADELAIDE, CLEARWATER, EVERY, MARINA, house_of
from tests.support.browser.looks import misplaced, violations
from tests.support.browser.proxy import Proxy
from tests.support.browser.shared_house import Opens

SIZES: Final = ((1920, 1080), (1280, 720))
UPRIGHT: Final = (1080, 1920)
#: By so much of the screen's height the figures of a number are high at least.
HIGH_MIN: Final = 0.28
#: How high figures are, in ems of the type.
FIGURE_EM: Final = 0.7
#: How often a page has tried to come back within the time that this takes.
TRIES: Final = 5
STALE_S: Final = 13
RELOAD_S: Final = 700
#: How long each page of the attract loop is shown.
PAGE_S: Final = 8


class Board:
    """A display of one table, or of all."""

    def __init__(
        self,
        harness: BrowserHarness,
        table: str = "",
        line: Proxy | None = None,
        *,
        lang: str = "",
        locale: str = "en-US",
    ) -> None:
        self.harness = harness
        context = harness.context(viewport={"width": 1920, "height": 1080}, locale=locale)
        address = f"board#table={table}" + (f"&lang={lang}" if lang else "")
        self.screen = harness.screen(address, context, line)
        self.page = self.screen.page

    def at(self, place: str) -> Locator:
        return self.page.locator(place).locator("visible=true")

    def number(self) -> str:
        """The number in the ring, or nothing."""
        return self.at(".whole .number").inner_text() if self.at(".whole .number").count() else ""

    def label(self) -> str:
        return self.page.locator(".whole .ring .label").inner_text()

    def words(self) -> str:
        return self.page.locator(".whole .words").inner_text().replace("\xa0", " ").replace("\u2011", "-")

    def phase(self) -> str:
        return self.page.locator(".foot .phase").inner_text()

    def past(self) -> list[tuple[str, str]]:
        """Past numbers with their columns, the newest first."""
        found: list[tuple[str, str]] = self.page.locator(".whole .past li").evaluate_all(
            "(items) => items.map((item) => [item.firstElementChild.textContent, item.dataset.column])"
        )
        return [(pocket, column) for pocket, column in found]

    def comes_back(self) -> bool:
        """Let some time pass, and tell whether there is a line."""
        self.screen.pass_s(2)
        return self.screen.settle()

    def size(self, width: int, height: int) -> None:
        self.page.set_viewport_size({"width": width, "height": height})
        self.screen.settle()


@pytest.fixture(scope="module")
def harness(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrowserHarness]:
    """A house with every venue, shared by the tests that only look on."""
    with browser_harness(browser, tmp_path_factory.mktemp("board"), EVERY) as one:
        yield one


def test_number_is_shown_when_it_is_sent(opens: Opens) -> None:
    """While the ball runs there is no number; once told there is, with its colour in words; then it is the last one."""
    harness = opens(house_of(ADELAIDE))
    board, seat = Board(harness, "A"), harness.seat("A")
    assert (board.number(), board.words()) == ("", "Place your bets")
    harness.reach("A", "closed")
    harness.launch("A")
    harness.reach("A", "running")
    assert board.number() == ""
    assert "No More Bets" in board.phase()

    harness.land("A", "17")
    assert (board.number(), board.label()) == ("17", "WINNING NUMBER")
    assert board.words() == "BLACK · ODD · LOW"
    assert board.page.locator(".whole .more").inner_text() == "Round 1 · Dozen 2 · Column 2"
    assert (
        board.page.locator("[role=status].unseen").inner_text()
        == "SkyCity Adelaide: 17, black, Odd, Low, Round 1, Dozen 2, Column 2"
    )
    assert (seat.message(), seat.history()) == ("17 black", ["17"])
    harness.reach("A", "open")
    assert (board.number(), board.label()) == ("", "LAST NUMBER 17")
    assert "Place your bets" in board.phase()


def test_past_numbers_have_a_column_for_each_colour(opens: Opens) -> None:
    """Red numbers stand at the left, green ones in the middle and black ones at the right, the newest on top."""
    harness = opens(house_of(MARINA))
    board = Board(harness, "M")
    for pocket in ("32", "0", "17"):
        harness.reach("M", "open")
        harness.spin("M", pocket)

    assert board.past() == [("17", "black"), ("0", "green"), ("32", "red")]
    across = [board.page.locator(".whole .past span").nth(place).bounding_box() for place in range(3)]
    assert [box["x"] for box in across if box] == sorted((box["x"] for box in across if box), reverse=True)
    assert "LAST 3 SPINS" in board.page.locator(".figures").inner_text()
    assert "Red 33 %" in board.page.locator(".figures").inner_text()
    assert "1 to 18 33 %" in board.page.locator(".figures").inner_text()


def test_table_without_a_number_shows_an_attract_loop(opens: Opens) -> None:
    """Before the first round a display has a wheel, and says that there is a seat, where, and from which bet on."""
    harness = opens(house_of(ADELAIDE))
    board = Board(harness, "A")
    pages = board.page.locator(".attract section[data-on]")
    assert "There is a seat for you." in pages.inner_text()
    assert (
        "SkyCity Adelaide · Single zero. Bets from A$2.50." in board.page.locator(".attract .about").first.inner_text()
    )
    assert board.page.locator(".attract .wheel").is_visible()


def test_attract_loop_of_a_closed_table_turns_its_pages(opens: Opens) -> None:
    """The loop begins with its first page when a table is closed, turns its pages, and begins again."""
    harness = opens(house_of(MARINA, BOSS))
    board = Board(harness, "M")
    harness.reach("M", "open")
    harness.spin("M", "17")
    assert (board.number(), board.page.locator(".attract").is_visible()) == ("17", False)
    harness.boss("CloseTable", table="M", words="For tonight.")
    harness.pass_s(1)
    page = board.page.locator(".attract section[data-on]")
    for words in ("This table is closed.", "What a bet pays", "Last numbers", "This table is closed."):
        assert words in page.inner_text()
        harness.pass_s(PAGE_S)


def test_spin_that_does_not_count(opens: Opens) -> None:
    """No spin is said in the words of the rules, and no number is shown."""
    harness = opens(house_of(ADELAIDE, DEALER))
    board = Board(harness, "A")
    harness.spin("A", "17")
    harness.reach("A", "closed")
    harness.launch("A")
    harness.reach("A", "running")
    harness.house.run(no_spin(harness))
    harness.settle()

    assert board.number() == ""
    assert board.words() == "No Spin"
    assert "This spin does not count." in board.page.locator(".whole .more").inner_text()


BOSS: Final = """
[[staff]]
person = "boss"
titles = ["Gaming Shift Manager"]
"""
DEALER: Final = """
[[staff]]
person = "dealer"
titles = ["Dealer"]
"""


async def no_spin(harness: BrowserHarness) -> None:
    house = harness.house.open
    dealer = await house.signed_in("dealer", "dealer", house.codes["dealer"])
    assert await dealer.acked("CallNoSpin", table="A", reason="foreign_object") == "done"
    await house.rest()


def test_lost_line_blanks_the_number_and_heals(opens: Opens) -> None:
    """Without a line nothing is shown that may be old; when it is back, what is so by then is shown."""
    harness = opens(house_of(ADELAIDE))
    line = harness.line()
    board = Board(harness, "A", line)
    board.screen.console.may_be_cut = True
    harness.spin("A", "17")
    assert board.number() == "17"
    harness.house.run(line.cut())
    board.screen.wait_until_down()
    board.screen.pass_s(0.2)
    board.screen.settle()
    assert (board.number(), board.words()) == ("", "Connecting…")
    assert board.at(".past").count() == board.at(".figures").count() == 0
    assert "Connecting" in board.phase()

    harness.reach("A", "open")
    harness.spin("A", "32")
    assert board.number() == ""
    harness.house.run(line.mend())
    assert any(board.comes_back() for _ in range(TRIES))
    assert (board.number(), board.label()) == ("32", "WINNING NUMBER")


def test_silence_is_no_line(opens: Opens) -> None:
    """A line through which nothing comes is as good as none: the number goes before anybody could take it for new."""
    harness = opens(house_of(ADELAIDE))
    line = harness.line()
    board = Board(harness, "A", line)
    board.screen.console.may_be_cut = True
    harness.spin("A", "17")
    harness.house.run(line.hold_responses())
    board.screen.is_held = True
    board.screen.pass_s(STALE_S)
    board.screen.settle()
    assert board.number() == ""


def test_board_that_was_long_without_a_line_begins_again(opens: Opens) -> None:
    """After ten minutes without a line the page is loaded anew, as soon as the house answers, and shows what is so."""
    harness = opens(house_of(ADELAIDE))
    line = harness.line()
    board = Board(harness, "A", line)
    board.screen.console.may_be_cut = True
    board.screen.ask("() => { window.was_here = true; }")
    harness.house.run(line.cut())
    board.screen.wait_until_down()
    board.screen.ask("() => { WebSocket = class { close() {} }; }")
    board.screen.pass_s(RELOAD_S)
    assert board.screen.ask("() => window.was_here")
    harness.house.run(line.mend())
    with board.page.expect_navigation():
        board.screen.ask("(ms) => void stage.pass(ms)", 25_000)

    board.page.wait_for_function("() => stage.is_in")
    board.screen.settle()
    assert board.screen.ask("() => window.was_here") is None
    assert board.page.locator(".foot .place").inner_text() == "SkyCity Adelaide"


def test_demonstration_is_marked_in_the_language_of_the_display(harness: BrowserHarness) -> None:
    """The mark of play money is at the foot, once, in the language of the display."""
    marks = {lang: Board(harness, "A", lang=lang).at(".demo").all_inner_texts() for lang in ("en", "es")}

    assert marks == {"en": ["DEMO: play money only"], "es": ["DEMO: solo dinero ficticio"]}


@pytest.mark.clause("clearwater-etg", "14")
def test_limits_stand_there_by_kind_of_bet(harness: BrowserHarness) -> None:
    """The limits of the table are there by the venue's names of the bets, those that are alike together."""
    board = Board(harness, "C")
    harness.reach("C", "open")
    reported = board.page.locator(".limits").inner_text()

    assert "Straight Up, Split, Street, Corner, Five Number, Six Number, Column, Dozen\n$2 \N{EN DASH} $100" in reported
    assert "Red, Black, Odd, Even, 1-18, 19-36\n$5 \N{EN DASH} $500" in reported
    assert "All bets together\n$5 \N{EN DASH} $2,000" in reported


def test_board_that_was_taken_over_says_so(opens: Opens) -> None:
    """The same display in a second window shuts the first, which shows no number any more and says why."""
    harness = opens(house_of(ADELAIDE))
    board = Board(harness, "A")
    harness.spin("A", "17")
    harness.screen("board#table=A", board.page.context)
    board.screen.settle()
    board.screen.pass_s(1)

    assert (board.number(), board.words()) == ("", "Connecting…")
    assert "another window" in board.page.locator(".foot .place").inner_text()
    assert board.page.get_by_role("button", name="Enrol this display again").is_visible()


@pytest.mark.clause("clearwater-etg", "4")
def test_board_and_terminal_agree_and_the_terminal_counts(opens: Opens) -> None:
    """Board and terminal show the same number, and the board says in the venue's words which of them counts."""
    harness = opens(house_of(CLEARWATER))
    board, seat = Board(harness, "C"), harness.seat("C")
    harness.spin("C", "00")

    assert board.number() == "00" == seat.history()[0]
    assert board.words() == "GREEN"
    says = "If terminal and secondary display disagree, the result on the player terminal governs. \u2068[4]\u2069"
    assert board.page.locator(".foot .rule").inner_text() == says


#: What a board calls the tables of a house with every venue, as the lobby does.
TITLES: Final = {
    "M": "MARINA BAY SANDS",
    "A": "SKYCITY ADELAIDE",
    "C": "CLEARWATER CASINO · TABLE\u00a0C",
    "D": "CLEARWATER CASINO · TABLE\u00a0D",
    "U": "US DOUBLE-ZERO TABLE",
}


def test_house_with_several_tables(harness: BrowserHarness) -> None:
    """Without a table in its address a board shows four tables at once, and then the others, each with its phase."""
    board = Board(harness)
    names = [str(name) for name in harness.house.read(lambda house: tuple(house.tables))]
    shown = board.page.locator(".several header h2").all_inner_texts()
    assert shown == [TITLES[name] for name in names[:4]]
    assert "Tables 1\N{EN DASH}4 of 5" in board.page.locator(".foot").inner_text()
    harness.spin("A", "20")
    card = board.page.locator("article", has_text="SKYCITY ADELAIDE")
    assert card.locator(".number").inner_text() == "20"
    assert card.locator(".words").inner_text() == "BLACK\nEVEN\nHIGH"

    board.screen.pass_s(16)
    board.screen.settle()
    assert board.page.locator(".several header h2").all_inner_texts() == [TITLES[names[4]]]
    assert "Table 5 of 5" in board.page.locator(".foot").inner_text()


def test_tables_beside_each_other_have_wheels(opens: Opens) -> None:
    """Where a table has no number to show, its card has a wheel: at rest, open and while the ball runs."""
    harness = opens(house_of(ADELAIDE, MARINA))
    board = Board(harness)
    card = board.page.locator("article", has_text="SKYCITY ADELAIDE")
    wheel = card.locator(".live-wheel")
    assert wheel.is_visible()
    assert not card.locator(".disc").is_visible()
    harness.reach("A", "open")
    assert card.locator(".centre b").inner_text().isdigit()
    harness.reach("A", "closed")
    harness.launch("A")
    harness.reach("A", "running")
    assert "running" in (wheel.locator(".wheel").get_attribute("aria-label") or "")
    assert misplaced(board.screen) == []

    harness.land("A", "17")
    assert card.locator(".number").inner_text() == "17"
    assert not wheel.is_visible()


def test_new_number_does_not_wait_for_its_turn(opens: Opens) -> None:
    """A table with a new number comes up at once, for ten seconds at least, whoever's turn it is."""
    harness = opens(EVERY)
    board = Board(harness)
    card = board.page.locator("article", has_text="SKYCITY ADELAIDE")
    harness.reach("A", "closed")
    harness.launch("A")
    harness.reach("A", "running")
    while card.is_visible():
        board.screen.pass_s(1)
        board.screen.settle()
    harness.land("A", "20")

    assert card.locator(".number").inner_text() == "20"
    assert board.page.locator("article").count() == 2
    assert re.search(r"Tables \d and 5 of 5", board.page.locator(".foot").inner_text())
    board.screen.pass_s(9)
    board.screen.settle()
    assert card.is_visible()


def test_clause_beside_several_tables_can_be_read(harness: BrowserHarness) -> None:
    """Beside others too the clause on which result counts is large enough, and nothing is said twice."""
    board = Board(harness)
    rules = board.page.locator("article .rule")
    assert rules.first.evaluate(EM) >= 24
    for card in board.page.locator("article").all():
        assert card.locator(".ring .words").inner_text() != card.locator(".says").inner_text()


def test_board_speaks_the_language_of_its_address(opens: Opens) -> None:
    """A board has the language of its address, or that of its browser: number, groups, limits and the authority too."""
    harness = opens(house_of(CLEARWATER))
    boards = [Board(harness, "C", lang="zh-Hans", locale="fr-FR"), Board(harness, "C", locale="fr-FR")]
    harness.seat("C")
    harness.spin("C", "17")

    chinese, french = (board.page.locator("body").inner_text() for board in boards)
    assert boards[0].label() == "中奖号码"
    assert boards[0].words().split(" · ") == ["黑", "单", "小 (1\N{EN DASH}18)"]
    assert "以终端上的结果为准。 \u2068[4]\u2069" in chinese
    assert "全部下注合计" in chinese
    assert "le résultat du terminal fait foi. \u2068[4]\u2069" in french
    assert boards[1].page.locator("html").get_attribute("lang") == "fr"


def test_prescribed_words_are_followed_by_their_meaning(opens: Opens) -> None:
    """What a venue prescribes is shown in its own words, and in another language what they mean beside them."""
    harness = opens(house_of(ADELAIDE))
    board = Board(harness, "A", lang="es")
    harness.reach("A", "closed")
    foot = board.page.locator(".foot .phase")

    assert foot.locator(".says[lang=en]").inner_text() == "No More Bets"
    assert foot.locator(".meant").inner_text() == "No va más"


@pytest.mark.parametrize("language", ["ar", "xx"])
@pytest.mark.parametrize("table", ["A", ""])
def test_other_languages_have_their_place(opens: Opens, table: str, language: str) -> None:
    """From right to left, and with words that are 40 % longer, nothing of a board is clipped or misplaced."""
    harness = opens(EVERY)
    board = Board(harness, table, lang=language)
    harness.spin("A", "17")
    for size in SIZES:
        board.size(*size)
        assert misplaced(board.screen) + violations(board.screen) == []
    harness.reach("A", "open")
    assert misplaced(board.screen) + violations(board.screen) == []


@pytest.mark.parametrize("table", ["A", "C", ""])
@pytest.mark.parametrize("size", [*SIZES, UPRIGHT], ids=str)
def test_everything_has_its_place(harness: BrowserHarness, table: str, size: tuple[int, int]) -> None:
    """Nothing is outside or clipped, at any size or upright, and everybody can read it."""
    board = _looked_at.get(table) or Board(harness, table)
    _looked_at[table] = board
    board.size(*size)
    assert misplaced(board.screen) + violations(board.screen) == []


#: Boards that were opened before.
_looked_at: Final[dict[str, Board]] = {}


def test_number_is_large(opens: Opens) -> None:
    """The figures of the number are more than a quarter of the screen high, and nobody can touch anything."""
    harness = opens(house_of(MARINA))
    board = Board(harness, "M")
    harness.spin("M", "36")
    for width, height in SIZES:
        board.size(width, height)
        assert board.page.locator(".whole .number").evaluate(EM) * FIGURE_EM >= HIGH_MIN * height
        assert board.page.locator(".whole .disc").evaluate("(el) => el.scrollWidth <= el.clientWidth")

    assert board.page.locator("button:visible, a:visible, input:visible").count() == 0
    assert board.page.evaluate("() => getComputedStyle(document.body).cursor") == "none"


EM: Final = "(el) => parseFloat(getComputedStyle(el).fontSize)"


def test_board_follows_the_table_of_its_address(opens: Opens) -> None:
    """A board without a table of its own shows the one that its address names, and all without one."""
    harness = opens(house_of(MARINA, CLEARWATER))
    one, every = Board(harness, "M"), Board(harness)

    assert one.at(".whole").count() == 1
    assert every.at(".whole").count() == 0
