"""A round on the screen: it opens, warns, closes, shows its number, pays, and is told when it does not count."""

from itertools import combinations
from typing import Final

import pytest

from croupier.house.ids import TableId
from croupier.house.rounds.irregularities import WheelTrouble
from croupier.house.rounds.spinning import BallLaunched
from croupier.rules.procedure import Reason
from tests.support.browser.harness import BrowserHarness
from tests.support.browser.houses import ADELAIDE, CLEARWATER, EVERY, MARINA, felt_of, house_of
from tests.support.browser.looks import misplaced
from tests.support.browser.seat import Seat
from tests.support.browser.shared_house import Opens


@pytest.mark.clause("skycity-adelaide-2003", "7(h)ii")
def test_venue_speaks_in_its_own_words(opens: Opens) -> None:
    """Finish Betting, No More Bets and the time are told as Adelaide has them, and the number with its colour."""
    harness = opens(house_of(ADELAIDE))
    seat = harness.seat("A")
    assert seat.moment() == "open"
    assert seat.seconds() == "30"

    harness.reach("A", "last_call")
    assert seat.message() == "Finish Betting"
    assert int(seat.seconds()) <= 8
    harness.reach("A", "closed")
    assert seat.message() == "No More Bets"
    harness.launch("A")
    assert seat.message() == "No More Bets"
    harness.land("A", "17")
    assert seat.moment() == "winning"
    assert "17" in seat.message()
    assert "lack" in seat.message()


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_labels_of_winnings_do_not_overlap(opens: Opens, width: int, height: int) -> None:
    """The sum beside every winning stake can be read, however close the spots are to each other."""
    harness = opens(house_of(MARINA))
    seat = harness.seat("M", credit=1_000_000, viewport={"width": width, "height": height})
    inside = ("straight", "split", "street", "corner", "six_line")
    spots = [spot["key"] for spot in felt_of("M")["spots"] if "17" in spot["covers"] and spot["kind"] in inside]
    harness.house.lay(seat.device, "M", [(spot, 500) for spot in spots])
    harness.spin("M", "17")

    labels = seat.felt.locator(".paid-label")
    labels.first.wait_for()
    boxes = [box for place in range(labels.count()) if (box := labels.nth(place).bounding_box())]
    overlaps = [
        (one, other)
        for one, other in combinations(boxes, 2)
        if one["x"] < other["x"] + other["width"]
        and other["x"] < one["x"] + one["width"]
        and one["y"] < other["y"] + other["height"]
        and other["y"] < one["y"] + one["height"]
    ]
    assert len(boxes) == len(spots) > 10
    assert overlaps == []


@pytest.mark.parametrize("lang", ["en", "ar"])
@pytest.mark.parametrize(("width", "height"), [(1280, 800), (853, 1280), (1100, 700), (390, 844), (844, 390)])
def test_wheel_of_a_spin_covers_no_chip(opens: Opens, lang: str, width: int, height: int) -> None:
    """While the ball runs, the wheel and the felt stand beside or above each other on the page, in both directions."""
    harness = opens(house_of(MARINA))
    seat = harness.seat("M", lang=lang, viewport={"width": width, "height": height})
    seat.tap("17", "column 3", "0/1")
    harness.reach("M", "closed")
    harness.launch("M")

    wheel, felt = (seat.game.locator(f".{name}").bounding_box() for name in ("wheelbox", "tablebox"))
    assert wheel is not None
    assert felt is not None
    assert felt["x"] >= 0
    assert felt["x"] + felt["width"] <= width
    assert not (
        wheel["x"] < felt["x"] + felt["width"]
        and felt["x"] < wheel["x"] + wheel["width"]
        and wheel["y"] < felt["y"] + felt["height"]
        and felt["y"] < wheel["y"] + wheel["height"]
    )


@pytest.mark.clause("marina-bay-sands-2020", "3.2")
def test_close_locks_the_felt(opens: Opens) -> None:
    """After No More Bets no touch changes a chip, and no button that would is to be pressed."""
    harness = opens(house_of(MARINA))
    seat = harness.seat("M")
    seat.tap("17")
    harness.reach("M", "closed")

    seat.tap("17", "20", "red")
    assert seat.bets() == seat.stakes() == {"17": 500}
    actions = [seat.page.locator(f'[data-act="{action}"]') for action in ("undo", "clear", "repeat", "double")]
    assert [action.is_disabled() for action in actions] == [True] * 4


def test_felt_locks_itself_at_nothing(opens: Opens) -> None:
    """At local zero the felt takes no more touches and says that it is closing, before the house has said a word."""
    harness = opens(house_of(MARINA))
    seat = harness.seat("M")
    harness.pass_s(27)
    seat.screen.pass_s(3)
    seat.screen.settle()
    assert harness.house.phase("M") == "open"

    seat.tap("17")
    assert seat.moment() == "closing"
    assert seat.bets() == {}


def test_result_is_the_same_everywhere(opens: Opens) -> None:
    """Number, winnings, meters, history, dolly, wheel and the board on the wall agree with the house's books."""
    harness = opens(house_of(MARINA))
    seat = harness.seat("M")
    board = harness.screen("board")
    seat.tap("17", "17/20", "5")
    before = seat.credit()
    harness.spin("M", "17")

    assert seat.meter("credit") == seat.credit() == before + 500 * 36 + 500 * 18
    # The meter counts as the banner does: what came back beyond all that was staked.
    assert seat.meter("win") == 500 * 36 + 500 * 18 - 3 * 500
    assert seat.meter("bet") == 0
    assert seat.history()[0] == "17"
    assert seat.dolly() == "17"
    assert "lies in 17" in seat.wheel()
    assert {spot: stack.way for spot, stack in seat.stacks().items()} == {"17": "won", "17/20": "won", "5": "lost"}
    assert "17" in board.page.inner_text("main")
    assert seat.screen.ask("() => stage.versions.M") == board.ask("() => stage.versions.M")

    harness.reach("M", "open")
    assert seat.stacks() == {}


@pytest.mark.clause("skycity-adelaide-2003", "12(c)")
def test_winning_stake_stays_up(opens: Opens) -> None:
    """At Adelaide a winning stake stays where it lies and is live in the next spin, which its chip says."""
    harness = opens(house_of(ADELAIDE))
    seat = harness.seat("A")
    seat.choose(10)
    seat.tap("17", "5")
    harness.spin("A", "17")

    assert seat.bets() == {"17": 500}
    assert seat.stacks()["17"].live
    harness.reach("A", "open")
    assert seat.stakes() == seat.bets() == {"17": 500}


def test_money_waits_for_the_marker(opens: Opens) -> None:
    """The number is shown when the ball rests, in the ring too; credit and win follow with the banner."""
    harness = opens(house_of(MARINA.replace("pause_s = 6", "pause_s = 12")))
    seat = harness.seat("M", reduced_motion="no-preference")
    spots = [spot["key"] for spot in felt_of("M")["spots"] if spot["kind"] == "straight"][:24]
    harness.house.lay(seat.device, "M", [(spot, 500) for spot in spots])
    harness.reach("M", "closed")
    assert seat.page.locator(".tray[data-closed]").count() == 1
    harness.launch("M")
    harness.land("M", spots[20])
    before = seat.meter("credit")
    assert (seat.meter("bet"), seat.meter("win")) == (12_000, 0)
    for _ in range(60):
        harness.pass_s(0.1)
        if seat.message().startswith(spots[20]):
            break
    assert seat.seconds() == spots[20]
    assert seat.meter("credit") == before < seat.credit()
    assert (seat.meter("bet"), seat.meter("win")) == (12_000, 0)
    cards = seat.game.locator(".scene li").all_inner_texts()
    assert cards[0].startswith(f"5\nStraight Up {spots[20]}")
    assert cards[-1] == "+16 more"

    harness.pass_s(2.4)
    assert seat.meter("win") < 6_000
    harness.pass_s(1)
    assert seat.meter("credit") == seat.credit()
    assert (seat.meter("bet"), seat.meter("win")) == (0, 6_000)
    assert "Back $180 · staked $120 · +$60" in seat.game.locator(".banner").inner_text()


def test_number_is_never_shown_before_it_counts(opens: Opens) -> None:
    """While the ball runs the wheel names no number."""
    harness = opens(house_of(MARINA))
    seat = harness.seat("M", reduced_motion="no-preference")
    harness.reach("M", "closed")
    harness.launch("M")
    assert "running" in seat.wheel()

    harness.land("M", "32")
    assert "lies" not in seat.wheel()
    harness.pass_s(6)
    seat.game.locator('.wheel[aria-label*="lies in 32"]').wait_for()


@pytest.mark.clause("marina-bay-sands-2020", "5.1")
def test_no_spin_gives_stakes_back(opens: Opens) -> None:
    """A spin that does not count is told with its clause, and the stakes are on the credit meter again."""
    harness = opens(house_of(MARINA))
    seat = harness.seat("M")
    seat.tap("17")
    assert seat.meter("credit") == 99_500
    harness.reach("M", "closed")
    harness.house.wheel(BallLaunched(TableId("M"), opposite=False, turning=True))
    harness.settle()

    assert seat.moment() in {"no_spin", "void"}
    assert "5.1" in seat.reported()
    assert seat.bets() == {}
    assert seat.meter("credit") == seat.credit() == 100_000
    words = "$5 went back to your credit."
    assert words in seat.dialog.inner_text()
    seat.dialog.get_by_role("button", name="OK").click()
    assert seat.dialog.count() == 0
    assert words in seat.open("messages").inner_text()


@pytest.mark.clause("clearwater-etg", "25")
def test_round_that_is_void_is_reported(opens: Opens) -> None:
    """A malfunction voids the round: bets go back to the credit, and the screen says so and by which clause."""
    harness = opens(house_of(CLEARWATER))
    seat = harness.seat("C")
    seat.choose(10)
    seat.tap("17")
    harness.launch("C")
    harness.reach("C", "running")
    harness.house.wheel(WheelTrouble(TableId("C"), Reason.MALFUNCTION))
    harness.settle()

    assert seat.moment() == "void"
    assert "25" in seat.reported()
    assert seat.meter("credit") == seat.credit() == 100_000


@pytest.mark.clause("skycity-adelaide-2003", "11(f)")
def test_idle_player_is_notified(opens: Opens) -> None:
    """After three spins without a bet the screen says what the rules say of it."""
    harness = opens(house_of(ADELAIDE))
    seat = harness.seat("A")
    for pocket in ("1", "2", "3"):
        harness.reach("A", "open")
        harness.spin("A", pocket)

    assert seat.reported() != ""


@pytest.mark.clause("clearwater-etg", "22")
def test_win_for_a_tax_form_is_held_and_released(opens: Opens) -> None:
    """A win above the threshold is held and explained; once the form is recorded it is on the credit meter."""
    harness = opens(EVERY)
    seat = harness.seat("C")
    seat.choose(100)
    seat.tap("17")
    harness.spin("C", "17")

    assert "22" in str(seat.dialog.locator(".info").first.get_attribute("aria-label"))
    assert "$3,600" in seat.dialog.inner_text()
    assert seat.meter("held") == 360_000
    harness.boss("RecordTaxForm", terminal=seat.device, hold=1, patron="A. Player", form_number="W-1")
    harness.boss("ReleaseHeldWin", terminal=seat.device, hold=1)
    harness.settle()
    assert seat.page.locator("dialog[data-dialog=hold]").count() == 0
    assert seat.meter("credit") == seat.credit() == 90_000 + 360_000


def test_terminal_that_is_out_of_service_says_so(opens: Opens) -> None:
    """A terminal that staff have closed takes no touch and says why; put back into service it goes on."""
    harness = opens(EVERY)
    seat = harness.seat("M")
    harness.boss("CloseTerminal", terminal=seat.device, words="The screen is cracked.")
    harness.spin("M", "0")
    harness.reach("M", "open")

    assert seat.moment() == "service"
    assert seat.reported() != ""
    seat.tap("17")
    assert seat.bets() == {}
    harness.boss("ReopenTerminal", terminal=seat.device)
    harness.settle()
    seat.tap("17")
    assert seat.bets() == {"17": 500}


def _seats(harness: BrowserHarness) -> tuple[Seat, Seat]:
    return harness.seat("M"), harness.seat("M")


def test_three_browsers_see_one_version(opens: Opens) -> None:
    """Two terminals and a board are told the same things in the same order, and nobody sees another's chips."""
    harness = opens(house_of(MARINA))
    one, two = _seats(harness)
    board = harness.screen("board")
    one.tap("17")
    two.tap("0", "5")
    harness.spin("M", "5")

    everywhere = [screen.ask("() => stage.versions") for screen in (one.screen, two.screen, board)]
    assert everywhere[0] == everywhere[1] == everywhere[2]
    assert one.history() == two.history() == ["5"]
    assert set(one.stacks()) == {"17"}
    assert set(two.stacks()) == {"0", "5"}
    assert two.meter("win") == 500 * 35 - 500
    assert one.meter("win") == 0


@pytest.mark.parametrize("lang", ["en", "ar"])
@pytest.mark.parametrize("size", [(1280, 800), (853, 1280), (390, 844)])
def test_banner_of_a_win_holds_its_texts(opens: Opens, lang: str, size: tuple[int, int]) -> None:
    """The banner keeps its texts inside its round ends, and covers nothing that it should not."""
    harness = opens(house_of(MARINA))
    seat = harness.seat("M", lang=lang, viewport={"width": size[0], "height": size[1]})
    seat.tap("17", "17/20", "column 3")
    harness.spin("M", "17")

    assert misplaced(seat.screen) == []
    outside: list[str] = seat.game.locator(".banner").evaluate(_OUTSIDE)
    assert outside == []


#: What stands in the round ends of a banner, beyond its number.
_OUTSIDE: Final = """(banner) => {
  const { left, right, top, bottom } = banner.getBoundingClientRect();
  const room = (bottom - top) * 0.12;
  const texts = [...banner.querySelectorAll(".says > *, dl dd, dl dt")].filter((each) => each.checkVisibility());
  return texts.filter((each) => {
    const own = document.createRange();
    own.selectNodeContents(each);
    const box = own.getBoundingClientRect();
    return box.left < left + room || box.right > right - room;
  }).map(({ textContent }) => textContent);
}"""
