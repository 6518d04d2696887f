"""Pictures of what staff look into: a number corrected, a round replayed, a dispute, and the auditor's page."""

import re
from typing import Final

from playwright.sync_api import Page, expect

from tests.support.browser.actors import LAYOUTS, PAIR, QUIET, Colleague, lay, quiescent, seated
from tests.support.browser.cases import Pit, go, pick, preview
from tests.support.browser.console import Console
from tests.support.browser.harness import BrowserHarness
from tests.support.browser.screenshot import Shot

CREDITS: Final = (438_600, 194_000, 1_205_000, 221_000, 161_500)
POCKETS: Final = ("32", "5", "17")
#: The round that is looked at.
ROUND: Final = len(POCKETS)
#: What was disputed before: in which round, at which terminal and why.
COMPLAINTS: Final = ((1, "A-4", "The screen was dark."), (2, "A-5", "The credit was not on the meter."))


def _opened(harness: BrowserHarness, action: str) -> Console:
    """Play some rounds, and have a manager open what can be done about the last of them."""
    _rounds(harness)
    return Pit(harness).opened(action, ROUND, "Ada")


def _rounds(harness: BrowserHarness) -> None:
    players = seated(harness, "A", CREDITS)
    for pocket in POCKETS:
        harness.reach("A", "open")
        lay(harness, "A", [(player.device, bets) for player, bets in zip(players, LAYOUTS, strict=True)])
        harness.spin("A", pocket)
        harness.reach("A", "between")


def _correction(harness: BrowserHarness) -> Page:
    ada = _opened(harness, "Correct")
    pick(ada, "20")
    preview(ada)
    ada.fill("Why it is corrected, in plain words", "The dealer misread the pocket; both cameras show 20.")
    return quiescent(ada)


def _replay(harness: BrowserHarness) -> Page:
    ada = _opened(harness, "Replay")
    go(ada, "were sealed")
    return quiescent(ada)


def _dispute(harness: BrowserHarness) -> Page:
    omar = Colleague(harness, "Omar", "pit")
    ada = _opened(harness, "Dispute")
    for number, terminal, words in COMPLAINTS:
        omar.does("OpenDispute", table="A", round=number, terminal=terminal, basis="not_covered", words=words)
    omar.does("DecideDispute", dispute=1, decision="The record stands.")
    ada.choose("Terminal that it is about", "A-2")
    ada.choose("What it stands on", "It arises from a rule")
    ada.choose("The rule in question", re.compile(r"^9\(c\)"))
    ada.fill("What is disputed, in plain words", "The player says that a chip lay on 17 before betting was closed.")
    ada.press("Open the dispute")
    harness.pass_s(1)
    return quiescent(ada)


def _auditor(harness: BrowserHarness) -> Page:
    """A house in which a spin was called off and a number was corrected by two people."""
    tom, ada, omar = (
        Colleague(harness, "Tom", "dealer"),
        Colleague(harness, "Ada", "pit"),
        Colleague(harness, "Omar", "pit"),
    )
    _rounds(harness)
    for one in (ada, omar):
        one.signs()
    ada.does("CorrectResult", table="A", round=ROUND, pocket="20", words="Both cameras show 20.")
    omar.does("Approve", proposal=harness.house.read(lambda house: max(house.proposals.all)))
    harness.reach("A", "closed")
    harness.launch("A")
    tom.does("CallNoSpin", table="A", reason="foreign_object")
    harness.pass_s(2)
    noor = harness.staff("auditor", "Noor")
    noor.press("Verify the journal")
    expect(noor.page.locator("[data-answer=journal] .verdict")).to_contain_text("Sound")
    noor.press("Read all meters")
    expect(noor.page.locator("[data-answer=meters] .detail")).to_contain_text("all add up")
    harness.pass_s(1)
    return quiescent(noor)


SHOTS: Final = (
    Shot("pit-correction", QUIET, _correction),
    Shot("replay", QUIET, _replay),
    Shot("dispute", QUIET, _dispute),
    Shot("auditor", PAIR, _auditor),
)
