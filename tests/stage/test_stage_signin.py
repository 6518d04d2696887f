"""Signing in at a console: a code that is good once, a secret of one's own, and nothing to see for anybody else."""

from playwright.sync_api import expect

from tests.stage.console import Console
from tests.stage.parlour import Opens
from tests.wirehouses import ADELAIDE

STAFF = (("dealer", "dealer"), ("pit", "boss"), ("cashier", "cashier"), ("auditor", "auditor"))


def test_staff_sign_in_at_every_door(opens: Opens) -> None:
    """With a code everybody comes in once, and from then on with the secret that was chosen, on any device."""
    night = opens(ADELAIDE)
    consoles = [night.staff(door, person) for door, person in STAFF]
    consoles.append(night.staff("pit", "boss"))

    for console in consoles:
        expect(console.page.locator(".crown .who")).to_contain_text(console.person)
    assert len({console.device for console in consoles}) == len(consoles)


def test_nobody_else_sees_anything(opens: Opens) -> None:
    """Before signing in, after a wrong secret and after signing out there is nothing but the way in."""
    night = opens(ADELAIDE)
    stranger = Console(night.screen("dealer"), "dealer")
    expect(stranger.inside).to_be_hidden()
    stranger.fill("Name", "dealer")
    stranger.fill("Secret, or the code you were given", "nobody knows this")
    stranger.press("Sign in")
    expect(stranger.page.get_by_role("alert").first).not_to_be_empty()
    expect(stranger.inside).to_be_hidden()

    dealer = night.staff("dealer", "dealer")
    dealer.sign_out()
    expect(dealer.inside).to_be_hidden()
    dealer.sign_in()
