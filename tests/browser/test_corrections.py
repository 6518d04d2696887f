"""A corrected round at the terminal: a message until it is acknowledged, and never a win."""

import pytest

from croupier.engine.ports import Request
from croupier.house.floor.signatures import Approve
from croupier.house.ids import DeviceId, Number, PersonId, RoundNumber, TableId
from croupier.house.rounds.corrections import CorrectResult
from croupier.rules.geometry import Pocket
from tests.support.browser.harness import BrowserHarness
from tests.support.browser.houses import EVERY
from tests.support.browser.shared_house import Opens

M = TableId("M")


def correct(harness: BrowserHarness, pocket: str) -> None:
    """Two managers put another number in the place of that of the last round."""
    people = [(harness.staff("pit", name), PersonId(name)) for name in ("boss", "chief")]
    (first, boss), (second, chief) = [(DeviceId(console.device), person) for console, person in people]
    number = harness.house.read(lambda house: house.tables[M].playing.number)
    harness.house.do(Request(CorrectResult(M, RoundNumber(number), Pocket(pocket), "The ball lay there."), first, boss))
    harness.house.do(Request(Approve(Number(1)), second, chief))
    harness.settle()


@pytest.mark.clause("marina-bay-sands-2020", "6.3")
@pytest.mark.parametrize(
    ("shown", "true", "words"),
    [
        ("17", "20", "17 → 20. Your bets: $270 → $90. Credit: $1,260 → $1,080."),
        ("20", "17", "20 → 17. Your bets: $90 → $270. Credit: $1,080 → $1,260."),
        ("5", "8", "5 → 8. Your bets: $0 → $0. Credit: $990 → $990."),
    ],
)
def test_correction_is_a_message_and_no_win(opens: Opens, shown: str, true: str, words: str) -> None:
    """Whether it takes, brings or changes nothing, a correction clears the banner and says what changed."""
    harness = opens(EVERY)
    seat = harness.seat("M")
    seat.tap("17", "17/20")
    harness.spin("M", shown)
    assert seat.game.locator(".banner").is_visible()

    correct(harness, true)
    assert seat.meter("credit") == seat.credit()
    assert not seat.game.locator(".banner").is_visible()
    assert seat.game.locator(".paid-label").count() == 0
    assert words in seat.dialog.inner_text()
    seat.dialog.get_by_role("button", name="OK").click()
    assert seat.dialog.count() == 0
    assert seat.meter("win") == max(0, seat.credit() - 100_000)
    assert seat.head.locator(".history li[data-corrected]").inner_text() == true
    assert "Correction" in seat.open("recall").get_by_role("group", name="Games").inner_text()
    seat.close()
    assert words in seat.open("messages").inner_text()
