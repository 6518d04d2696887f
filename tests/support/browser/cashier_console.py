"""A cashier at a console with a ticket scanner, and the tickets to pay there."""

import re
from typing import Any, Final

from playwright.sync_api import Locator

from croupier.engine.ports import Request
from croupier.house.credit.notes import GrantPlayMoney
from croupier.house.credit.tickets import Collect, ConfirmPrint
from croupier.house.ids import DeviceId, DrawerId, Number, TerminalId
from croupier.rules.money import Cents
from tests.support.browser.harness import BrowserHarness
from tests.support.browser.seat import Seat

#: What a drawer is taken with.
FLOAT: Final = 500_000


class CashierConsole:
    """Somebody at a cashier's console, with a scanner in hand."""

    def __init__(
        self,
        harness: BrowserHarness,
        person: str,
        **options: Any,  # noqa: ANN401 - as the browser takes
    ) -> None:
        self.harness, self.at = harness, harness.staff("cashier", person, **options)

    def take(self, drawer: str, amount: int = FLOAT, currency: str = "AUD") -> None:
        """Take a drawer; its currency is asked for where the house has several."""
        self.at.press("Take a drawer…")
        self.at.fill("Drawer", drawer)
        if self.at.dialog.get_by_label("Currency").count():
            self.at.choose("Currency", currency)
        self.at.fill("Opening float", str(amount // 100))
        self.at.press("Take it")
        self.wait()

    def scan(self, number: str) -> None:
        """Scan something, wherever the focus is: a scanner types, and presses Enter."""
        self.at.page.keyboard.type(number)
        self.at.key("Enter")
        self.at.settle()

    def pay(self) -> None:
        self.at.key("F9")
        self.wait()

    def wait(self) -> None:
        """Wait until consoles were told what has changed on the floor."""
        self.harness.house.pass_s(1)
        self.at.settle()

    @property
    def ticket(self) -> Locator:
        return self.at.region("Slip or ticket")

    @property
    def payout(self) -> Locator:
        return self.at.region("Pay out")

    @property
    def drawer(self) -> Locator:
        return self.at.region("Drawer")

    def focused(self) -> str:
        """The name of the field that has the focus."""
        return str(self.at.screen.ask("() => document.activeElement.name ?? document.activeElement.tagName"))


def collected(seat: Seat) -> str:
    """Collect everything at a terminal, and give the number on the paper that comes out."""
    seat.act("collect")
    seat.dialog.locator(".foot .main").click()
    seat.settle()
    number = re.sub(r"\D", "", seat.dialog.locator(".paper dd").first.inner_text())
    seat.press("I have taken it")
    return number


def issued(harness: BrowserHarness, cents: int, terminal: str = "A-2") -> str:
    """Have a terminal where nobody looks on issue and print a slip or ticket; give its number."""
    sequence = Number(harness.house.read(lambda house: house.tickets.next_number))
    name = TerminalId(terminal)
    harness.house.do(
        Request(GrantPlayMoney(name, Cents(cents))),
        Request(Collect(name), DeviceId(terminal)),
        Request(ConfirmPrint(name, sequence), DeviceId(terminal)),
    )
    return number_of(harness, sequence)


def number_of(harness: BrowserHarness, sequence: int) -> str:
    return harness.house.open.venue.router.ticket_desk.numbers.number(Number(sequence))


def paid_out(harness: BrowserHarness, drawer: str) -> int:
    """What went out of a drawer by the house's own books."""
    return harness.house.read(lambda house: house.drawers[DrawerId(drawer)].paid_out)
