"""Pictures of the payout trainer: a picture that is being answered, and the working after an answer."""

from typing import Final

from playwright.sync_api import Page

from croupier.rules.drills import Level
from tests.support.browser.harness import BrowserHarness
from tests.support.browser.houses import ADELAIDE, house_of
from tests.support.browser.screenshot import Shot
from tests.support.browser.trainer import Trainer, drill

#: Answers before the picture is taken: seconds, and whether they are right.
PAST: Final = ((16, True), (14, False), (13, True), (12, True), (9, True), (10, True))
SEED: Final = 2370


def _practised(harness: BrowserHarness) -> Trainer:
    """Somebody who has answered some drills."""
    trainer = Trainer(harness, f"#level=picture&seed={SEED}")
    for place, (seconds, right) in enumerate(PAST):
        [pieces] = drill(Level.PICTURE, SEED + place).answer
        trainer.screen.pass_s(seconds)
        trainer.say(pieces if right else pieces + 17)
        trainer.keys("Enter")
    trainer.screen.pass_s(8)
    return trainer


def _asking(harness: BrowserHarness) -> Page:
    trainer = _practised(harness)
    trainer.keys("1", "4")
    return trainer.page


def _working(harness: BrowserHarness) -> Page:
    trainer = _practised(harness)
    trainer.say(*drill(Level.PICTURE, SEED + len(PAST)).answer)
    return trainer.page


def _marker_bets(harness: BrowserHarness) -> Page:
    trainer = Trainer(harness, "#level=neighbours&seed=2", (768, 1024))
    trainer.screen.pass_s(11)
    return trainer.page


SHOTS: Final = (
    Shot("trainer", house_of(ADELAIDE), _asking),
    Shot("trainer-working", house_of(ADELAIDE), _working),
    Shot("trainer-upright", house_of(ADELAIDE), _marker_bets),
)
