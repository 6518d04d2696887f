"""Signing in at a console: a code that is good once, a secret of one's own, and nothing to see for anybody else."""

from typing import Final, NamedTuple

from playwright.sync_api import expect

from croupier.server.auth.sessions import IDLE_S
from tests.support.browser.console import Console
from tests.support.browser.harness import BrowserHarness
from tests.support.browser.proxy import Proxy
from tests.support.browser.shared_house import Opens
from tests.support.wire.houses import ADELAIDE

#: Longer than it takes a page to try a lost line again.
AGAIN_S = 6
#: Longer than a terminal waits before it looks again whether somebody deals.
LOOKED_S = 12
#: A demonstration with a table that a visitor may deal.
VISITED: Final = f"""visitor_table = "P"
{ADELAIDE}
[[tables]]
id = "P"
rulebook = "skycity-adelaide-2003"
seats = 1
wheel = "keypad"
minimum = 1
maximum = 100

[[staff]]
person = "visitor"
titles = ["Dealer"]
"""
STAFF = (("dealer", "dealer"), ("pit", "boss"), ("cashier", "cashier"), ("auditor", "auditor"))


def test_staff_sign_in_at_every_console(opens: Opens) -> None:
    """With a code everybody comes in once, and from then on with the secret that was chosen, on any device."""
    harness = opens(ADELAIDE)
    consoles = [harness.staff(connection, person) for connection, person in STAFF]
    consoles.append(harness.staff("pit", "boss"))

    for console in consoles:
        expect(console.page.locator(".console-header .who")).to_contain_text(console.person)
    assert len({console.device for console in consoles}) == len(consoles)


def test_nobody_else_sees_anything(opens: Opens) -> None:
    """Before signing in, after a wrong secret and after signing out there is nothing but the way in."""
    harness = opens(ADELAIDE)
    stranger = Console(harness.screen("dealer"), "dealer")
    expect(stranger.inside).to_be_hidden()
    stranger.fill("Name", "dealer")
    stranger.fill("Password, or the code you were given", "nobody knows this")
    stranger.press("Sign in")
    expect(stranger.page.get_by_role("alert").first).not_to_be_empty()
    expect(stranger.inside).to_be_hidden()

    dealer = harness.staff("dealer", "dealer")
    dealer.sign_out()
    expect(dealer.inside).to_be_hidden()
    dealer.sign_in()


#: How far the dusk above a page reaches, whether a wheel stands there, and what the page says first.
ENTRANCE = """() => {
  const entrance = document.querySelector(".entrance");
  const wheel = getComputedStyle(entrance, "::before");
  return [document.documentElement.getBoundingClientRect().height >= innerHeight, wheel.position,
    wheel.backgroundImage.includes("conic-gradient"), entrance.querySelector(".venue")?.innerText ?? ""];
}"""


def test_entrance_looks_the_same_everywhere(opens: Opens) -> None:
    """Sign-in, rules and a page that is not there have the lobby's wheel above them, over the whole window."""
    harness = opens(ADELAIDE)
    page = harness.screen("pit").page
    venue = harness.house.open.venue.server.site.context(0).venue
    assert page.evaluate(ENTRANCE) == [True, "fixed", True, venue]
    page = harness.context().new_page()
    page.goto(f"{harness.house.url}nowhere")
    assert page.evaluate(ENTRANCE) == [True, "fixed", True, venue]
    page.goto(f"{harness.house.url}rules/skycity-adelaide-2003")
    assert page.evaluate(ENTRANCE)[:3] == [True, "fixed", True]


class Wired(NamedTuple):
    """Somebody at a console whose line can be cut."""

    harness: BrowserHarness
    line: Proxy
    at: Console

    def breaks(self) -> None:
        self.harness.house.run(self.line.cut())
        self.at.screen.wait_until_down()

    def comes_back(self) -> None:
        """Mend the line, and let the page try it again."""
        self.harness.house.run(self.line.mend())
        self.at.screen.pass_s(AGAIN_S)
        self.at.settle()


def wired(harness: BrowserHarness) -> Wired:
    """The manager at a console of the pit, signed in with a secret that was chosen at another."""
    line = harness.line()
    harness.staff("pit", "boss")
    console = Console(harness.screen("pit", line=line), "boss")
    console.screen.console.may_be_cut = True
    console.sign_in()
    return Wired(harness, line, console)


def test_words_in_a_sheet_outlive_a_lost_line(opens: Opens) -> None:
    """Whoever is typing when the line is lost finds the sheet and the words as they were, and sends them then."""
    pit = wired(opens(ADELAIDE))
    pit.at.press("Message to all…")
    pit.at.fill("What the players read", "The bar closes at ten.")
    pit.breaks()
    pit.at.press("Send it")
    assert "The connection was lost" in pit.at.reply()

    pit.comes_back()
    expect(pit.at.inside).to_be_visible()
    expect(pit.at.dialog.get_by_label("What the players read")).to_have_value("The bar closes at ten.")
    pit.at.press("Send it")
    expect(pit.at.page.locator("dialog[open]")).to_have_count(0)
    assert pit.at.refusals() == []


def test_nothing_is_left_of_a_sign_in_that_has_lapsed(opens: Opens) -> None:
    """Where the house lets nobody go on, the head names nobody, sheets are gone, and the next is told nothing of it."""
    pit = wired(opens(ADELAIDE))
    pit.at.press("Message to all…")
    pit.breaks()
    pit.harness.house.pass_s(IDLE_S)
    pit.comes_back()

    expect(pit.at.page.get_by_role("heading", name="Sign in")).to_be_visible()
    expect(pit.at.inside).to_be_hidden()
    expect(pit.at.page.locator("dialog[open]")).to_have_count(0)
    expect(pit.at.page.locator(".console-header .who")).not_to_contain_text("boss")
    assert pit.at.pills() == []
    expect(pit.at.page.locator(".signin .notice")).not_to_be_empty()
    pit.at.sign_in()
    assert pit.at.refusals() == []


def test_visitor_of_a_demonstration_enters_without_a_password(opens: Opens) -> None:
    """On the host every way in is on one screen of a desk; one touch enters as a person, or deals the table."""
    harness = opens(VISITED)
    console = Console(harness.screen("pit"), "boss")
    ways = console.page.locator(".signin :is(button, input)")
    expect(console.page.get_by_role("button", name="Enter as boss")).to_be_visible()
    boxes = [way.bounding_box() for way in ways.all()]
    assert all(box and box["y"] + box["height"] <= 800 for box in boxes)
    console.press("Enter as boss")
    expect(console.page.locator(".console-header .who")).to_contain_text("boss")

    seat = harness.screen("terminal#table=P")
    notice = seat.page.locator(".notice-line")
    harness.pass_s(LOOKED_S)
    expect(notice).to_contain_text("Nobody is dealing.")
    assert notice.get_by_role("link", name="Deal it yourself").get_attribute("href") == "dealer"
    dealer = Console(harness.screen("dealer"), "visitor")
    dealer.press("Deal the practice table")
    expect(dealer.inside).to_be_visible()
    harness.pass_s(LOOKED_S)
    expect(notice).not_to_contain_text("Nobody is dealing.")
