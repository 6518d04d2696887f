"""A till: somebody at a cashier's console with a scanner in hand, and the paper that is brought there."""

import re
from typing import Final

from playwright.sync_api import Locator

from croupier.engine.ports import Request
from croupier.house.commands.credit import Collect, ConfirmPrint, GrantPlayMoney
from croupier.house.ids import DeviceId, DrawerId, Number, TerminalId
from croupier.rules.money import Cents
from tests.stage.evening import Evening
from tests.stage.seat import Seat

#: What a drawer is taken with.
FLOAT: Final = 500_000


class Till:
    """Somebody at a cashier's console, with a scanner in hand."""

    def __init__(self, night: Evening, person: str) -> None:
        self.night, self.at = night, night.staff("cashier", person)

    def take(self, drawer: str, amount: int = FLOAT) -> None:
        self.at.press("Take a drawer…")
        self.at.fill("Drawer", drawer)
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
        self.night.house.pass_s(1)
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
    seat.sheet.locator(".foot .main").click()
    seat.settle()
    number = re.sub(r"\D", "", seat.sheet.locator(".paper dd").first.inner_text())
    seat.press("I have taken it")
    return number


def issued(night: Evening, cents: int, terminal: str = "A-2") -> str:
    """Have a terminal where nobody looks on issue and print a slip or ticket; give its number."""
    sequence = Number(night.house.read(lambda house: house.next_ticket))
    name = TerminalId(terminal)
    night.house.do(
        Request(GrantPlayMoney(name, Cents(cents))),
        Request(Collect(name), DeviceId(terminal)),
        Request(ConfirmPrint(name, sequence), DeviceId(terminal)),
    )
    return number_of(night, sequence)


def number_of(night: Evening, sequence: int) -> str:
    return night.house.open.venue.router.ticket_desk.numbers.number(Number(sequence))


def paid_out(night: Evening, drawer: str) -> int:
    """What went out of a drawer by the house's own books."""
    return night.house.read(lambda house: house.drawers[DrawerId(drawer)].paid_out)
