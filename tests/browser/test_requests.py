"""What a player asks for besides bets: an attendant, own limits, a break, another language, a share of a draw."""

from typing import Final

import msgspec
import pytest
from playwright.sync_api import expect

from croupier.cli.prove import draw_record
from croupier.house.ids import TerminalId
from croupier.protocol.outbound import DrawState
from croupier.rules.proofs import DrawRecord
from tests.support.browser.harness import PHONE
from tests.support.browser.houses import MARINA, house_of
from tests.support.browser.seat import Seat
from tests.support.browser.shared_house import Opens

STAFF: Final = """
[[staff]]
person = "boss"
titles = ["Gaming Shift Manager"]
"""


def menu(seat: Seat, name: str) -> None:
    seat.page.locator("button.menu").click()
    seat.page.get_by_role("button", name=name, exact=True).click()


@pytest.mark.parametrize("phone", [False, True])
def test_attendant_is_called(opens: Opens, *, phone: bool) -> None:
    """The bell calls the pit, with what it is about; the pit has it as a card, and its answer is shown at the seat."""
    harness = opens(house_of(MARINA, STAFF))
    seat = harness.seat("M", viewport=PHONE, has_touch=True) if phone else harness.seat("M")
    seat.page.locator("button.attendant").click()
    dialog = seat.page.locator("dialog[data-dialog=attendant]")
    dialog.get_by_role("button", name="Money or a slip").click()
    seat.settle()
    assert "The pit has your call" in dialog.inner_text()
    call = harness.house.open.venue.run.house.terminals[TerminalId(seat.device)].call
    assert call is not None
    assert call.reason == "money"

    pit = harness.staff("pit", "boss")
    harness.pass_s(1)
    card = pit.region("Needs action").get_by_role("listitem").filter(has_text=f"{seat.device}: calls an attendant")
    card.get_by_role("button", name="Answer").click()
    harness.pass_s(1)
    expect(card).to_have_count(0)
    expect(dialog).to_have_count(0)
    assert "An attendant is on the way." in seat.page.locator(".notice-line").inner_text()


def test_own_limits_hold_after_a_reload(opens: Opens) -> None:
    """A bet beyond the player's own limit is refused with a way to the limits; a break stops bets."""
    harness = opens(house_of(MARINA))
    seat = harness.seat("M")
    menu(seat, "Your own limits")
    dialog = seat.page.locator("dialog[data-dialog=own-limits]")
    dialog.locator("[data-own=loss]").get_by_role("button", name="$50", exact=True).click()
    dialog.get_by_role("button", name="Keep these limits").click()
    seat.settle()
    seat.choose(25)
    seat.tap("17", "20", "23")
    assert seat.bets() == {"17": 2_500, "20": 2_500}
    assert "Your own limit of $50 leaves $0" in seat.bubble()
    seat.page.reload()
    seat.page.wait_for_function("() => window.stage?.is_in")
    seat.settle()
    menu(seat, "Your own limits")
    dialog.locator("[data-own=loss]").get_by_role("button", name="$50", exact=True).wait_for()
    assert dialog.locator("[data-own=loss]").get_by_role("button", name="$100", exact=True).is_disabled()
    dialog.locator("[data-own=break]").get_by_role("button", name="15 min").click()
    dialog.get_by_role("button", name="Start a break of 15 min").click()
    seat.settle()

    assert seat.bets() == {}
    assert "You are taking a break until" in seat.page.locator(".notice-line").inner_text()
    assert seat.page.locator("[data-act=undo]").is_disabled()


def test_language_changes_in_the_middle_of_a_round(opens: Opens) -> None:
    """Chips, phase and time stay when the language changes; Undo and Repeat know what they would do."""
    harness = opens(house_of(MARINA))
    seat = harness.seat("M")
    undo, repeat = seat.page.locator("[data-act=undo]"), seat.page.locator("[data-act=repeat]")
    assert (undo.is_disabled(), repeat.is_disabled()) == (True, True)
    seat.tap("17")
    assert undo.is_enabled()
    seat.page.locator(".language select").select_option("fr")
    seat.page.wait_for_function("() => document.documentElement.lang === 'fr'")
    seat.settle()
    assert seat.bets() == {"17": 500}
    seat.page.locator("[data-act=undo]").click()
    seat.settle()
    assert seat.bets() == {}
    assert undo.is_disabled()
    seat.tap("17")
    harness.spin("M", "20")
    harness.reach("M", "open")
    assert repeat.is_enabled()
    repeat.click()
    seat.settle()
    assert (seat.bets(), repeat.is_disabled()) == ({"17": 500}, True)


def test_player_adds_a_share_and_saves_the_proof(opens: Opens) -> None:
    """A share is committed, revealed and verified in the browser, and the saved record proves the draw."""
    provable = MARINA.replace("[tables.seat]", 'wheel = "random"\nprovable = true\nspin_s = 8\n[tables.seat]')
    harness = opens(house_of(provable))
    seat = harness.seat("M")
    menu(seat, "Provable draws")
    dialog = seat.page.locator("dialog[data-dialog=proof]")
    dialog.get_by_role("button", name="Add my share to every draw").click()
    harness.pass_s(1)
    record = dialog.locator(".proofs li").first
    for _ in range(40):
        harness.pass_s(2)
        if record.count():
            break
    expect(record).to_contain_text("Proven")
    assert "1 share · yours among them" in record.inner_text()
    with seat.page.expect_download() as saved:
        record.get_by_role("button", name="Save record").click()
    proof = draw_record(msgspec.json.decode(saved.value.path().read_bytes(), type=DrawState))
    assert isinstance(proof, DrawRecord)
    assert list(proof.problems()) == []
