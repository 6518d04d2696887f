"""Pictures of what staff look into: a number corrected, a round replayed, a dispute, and the auditor's page."""

import re
from typing import Final

from playwright.sync_api import Page, expect

from tests.stage.cases import Pit, go, pick, preview
from tests.stage.company import LAYOUTS, PAIR, QUIET, Colleague, lay, quiescent, seated
from tests.stage.console import Console
from tests.stage.evening import Evening
from tests.stage.studio import Shot

CREDITS: Final = (438_600, 194_000, 1_205_000, 221_000, 161_500)
POCKETS: Final = ("32", "5", "17")
#: The round that is looked at.
ROUND: Final = len(POCKETS)
#: What was disputed before: in which round, at which terminal and why.
COMPLAINTS: Final = ((1, "A-4", "The screen was dark."), (2, "A-5", "The credit was not on the meter."))


def _opened(night: Evening, action: str) -> Console:
    """Play some rounds, and have a manager open what can be done about the last of them."""
    _rounds(night)
    return Pit(night).opened(action, ROUND, "Ada")


def _rounds(night: Evening) -> None:
    players = seated(night, "A", CREDITS)
    for pocket in POCKETS:
        night.reach("A", "open")
        lay(night, "A", [(player.device, bets) for player, bets in zip(players, LAYOUTS, strict=True)])
        night.spin("A", pocket)
        night.reach("A", "between")


def _correction(night: Evening) -> Page:
    ada = _opened(night, "Correct")
    pick(ada, "20")
    preview(ada)
    ada.fill("Why it is corrected, in plain words", "The dealer misread the pocket; both cameras show 20.")
    return quiescent(ada)


def _replay(night: Evening) -> Page:
    ada = _opened(night, "Replay")
    go(ada, "were sealed")
    return quiescent(ada)


def _dispute(night: Evening) -> Page:
    omar = Colleague(night, "Omar", "pit")
    ada = _opened(night, "Dispute")
    for number, terminal, words in COMPLAINTS:
        omar.does("OpenDispute", table="A", round=number, terminal=terminal, basis="not_covered", words=words)
    omar.does("DecideDispute", dispute=1, decision="The record stands.")
    ada.choose("Terminal that it is about", "A-2")
    ada.choose("What it stands on", "It arises from a rule")
    ada.choose("The rule in question", re.compile(r"^9\(c\)"))
    ada.fill("What is disputed, in plain words", "The player says that a chip lay on 17 before betting was closed.")
    ada.press("Open the dispute")
    night.pass_s(1)
    return quiescent(ada)


def _auditor(night: Evening) -> Page:
    """A house in which a spin was called off and a number was corrected by two people."""
    tom, ada, omar = Colleague(night, "Tom", "dealer"), Colleague(night, "Ada", "pit"), Colleague(night, "Omar", "pit")
    _rounds(night)
    for one in (ada, omar):
        one.signs()
    ada.does("CorrectResult", table="A", round=ROUND, pocket="20", words="Both cameras show 20.")
    omar.does("Approve", proposal=night.house.read(lambda house: max(house.proposals)))
    night.reach("A", "closed")
    night.launch("A")
    tom.does("CallNoSpin", table="A", reason="foreign_object")
    night.pass_s(2)
    noor = night.staff("auditor", "Noor")
    noor.press("Verify the journal")
    expect(noor.page.locator(".verifying .sound")).to_contain_text("Sound")
    noor.press("Read all meters")
    expect(noor.page.locator(".meters [role=status]")).to_contain_text("all add up")
    night.pass_s(1)
    return quiescent(noor)


SHOTS: Final = (
    Shot("pit-correction", QUIET, _correction),
    Shot("replay", QUIET, _replay),
    Shot("dispute", QUIET, _dispute),
    Shot("auditor", PAIR, _auditor),
)
