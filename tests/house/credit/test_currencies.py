"""Several currencies in one demonstration: what is issued in one is paid in that one, and no drawer holds two."""

from itertools import count
from pathlib import Path

import pytest

from croupier.config.provisioning import provisioning_commands
from croupier.config.reader import demo_config
from croupier.engine.ports import Accepted, Outcome, Request
from croupier.house import AnyCommand
from croupier.house.credit.drawers import CloseDrawer, CountDrawer, OpenDrawer, RedeemTicket
from croupier.house.credit.notes import GrantPlayMoney
from croupier.house.credit.tickets import Collect, ConfirmPrint, InsertTicket, Validation
from croupier.house.floor.setup import AddTable, AddTerminal, AdoptRulebook
from croupier.house.floor.signatures import Approve
from croupier.house.ids import DeviceId, DrawerId, Number, PersonId, TableId, TerminalId
from croupier.house.settings import TableSettings, TerminalSettings
from croupier.journal.entry import IdempotencyKey
from croupier.rulebooks.schema import canonical
from croupier.rules.money import Cents
from croupier.rules.refusal import Code, Refusal
from tests.support.copies import RULEBOOK, copied, loaded
from tests.support.engine_driver import SOFTWARE, ask, done, memory_storage, start

DESK, CASHIER = DeviceId("cashier-1"), PersonId("cashier")
#: A seat for each currency.
MARINA, ADELAIDE, CLEARWATER = TerminalId("marina-1"), TerminalId("adelaide-1"), TerminalId("clearwater-1")
FIRST, SECOND = DrawerId("first"), DrawerId("second")


class Demonstration:
    """The demonstration, with a cashier."""

    def __init__(self) -> None:
        self.run = start(memory_storage())
        done(self.run, *provisioning_commands(demo_config(Path("/venue")), self.run.house, SOFTWARE))
        self._keys = count(1)

    def requested(self, command: AnyCommand, device: DeviceId = DESK, person: PersonId = CASHIER) -> Outcome:
        (outcome,) = ask(self.run, Request(command, device, person, IdempotencyKey(self.run.epoch, next(self._keys))))
        return outcome

    def ticket(self, seat: TerminalId) -> str:
        """Have five of its currency on paper from a seat; tell the digest of its number."""
        number = self.run.house.tickets.next_number
        done(self.run, GrantPlayMoney(seat, Cents(5_00)))
        taken = self.requested(Collect(seat, Validation(number, f"{number}", "0000")), DeviceId(seat), PersonId(""))
        assert isinstance(taken, Accepted), taken
        assert isinstance(self.requested(ConfirmPrint(seat, number), DeviceId(seat), PersonId("")), Accepted)
        return f"{number}"

    def paid(self, drawer: DrawerId, seat: TerminalId) -> Outcome:
        return self.requested(RedeemTicket(drawer, self.ticket(seat)))


@pytest.fixture
def demo() -> Demonstration:
    demo = Demonstration()
    for drawer in (FIRST, SECOND):
        assert isinstance(demo.requested(OpenDrawer(drawer, Cents(100_00))), Accepted)
    return demo


def test_drawer_has_the_currency_that_it_was_opened_with(demo: Demonstration) -> None:
    """A drawer opened in a currency pays in it alone from the start; one that no table plays in is refused."""
    third = DrawerId("third")
    refused = demo.requested(OpenDrawer(third, Cents(100_00), "GBP"))
    assert isinstance(refused, Refusal)
    assert (refused.code, refused.facts["currency"]) == (Code.MALFORMED, "GBP")
    assert isinstance(demo.requested(OpenDrawer(third, Cents(100_00), "AUD")), Accepted)
    assert demo.run.house.drawers[third].currency == "AUD"

    elsewhere = demo.paid(third, MARINA)
    assert isinstance(elsewhere, Refusal)
    assert elsewhere.code is Code.NOT_PAID_HERE
    assert isinstance(demo.paid(third, ADELAIDE), Accepted)


def test_drawer_pays_in_one_currency(demo: Demonstration) -> None:
    """From its first payment on a drawer pays in that currency; another is refused by the rules that it is owed by."""
    assert isinstance(demo.paid(FIRST, ADELAIDE), Accepted)
    refused = demo.paid(FIRST, CLEARWATER)

    assert isinstance(refused, Refusal)
    assert (refused.code, refused.clause) == (Code.NOT_PAID_HERE, "20.a")
    assert refused.message == "Drawer first pays in AUD, and this is in USD: take another drawer."
    assert refused.facts == {"currency": "USD", "drawer": "AUD"}
    assert isinstance(demo.paid(SECOND, CLEARWATER), Accepted)
    assert isinstance(demo.paid(SECOND, TerminalId("clearwater-2")), Accepted)
    assert isinstance(demo.paid(SECOND, ADELAIDE), Refusal)
    assert {name: drawer.currency for name, drawer in demo.run.house.drawers.items()} == {FIRST: "AUD", SECOND: "USD"}


def test_drawer_that_goes_out_again_may_be_for_another_currency(demo: Demonstration) -> None:
    """Once a drawer was handed in, what it paid in before says nothing of what is in it now."""
    assert isinstance(demo.paid(FIRST, ADELAIDE), Accepted)
    for command in (CountDrawer(FIRST, Cents(95_00)), CloseDrawer(FIRST)):
        assert isinstance(demo.requested(command), Accepted)
    assert isinstance(demo.requested(Approve(Number(1)), DeviceId("pit-1"), PersonId("inspector")), Accepted)
    assert isinstance(demo.requested(OpenDrawer(FIRST, Cents(100_00))), Accepted)

    assert isinstance(demo.paid(FIRST, MARINA), Accepted)


def test_terminal_takes_tickets_of_its_own_currency(demo: Demonstration, tmp_path: Path) -> None:
    """A ticket becomes credit where the rules count in its currency, and is otherwise for the cashier."""
    book = loaded(copied(tmp_path, "clearwater-etg", (RULEBOOK, 'currency = "USD"', 'currency = "CAD"')))
    table, north = TableId("north"), TerminalId("north-1")
    done(demo.run, AdoptRulebook(canonical(book)), AddTable(table, book.digest, TableSettings()))
    done(demo.run, AddTerminal(north, (table,), TerminalSettings()))
    foreign, own = (
        demo.requested(InsertTicket(CLEARWATER, demo.ticket(seat)), DeviceId(CLEARWATER), PersonId(""))
        for seat in (north, TerminalId("clearwater-2"))
    )

    assert isinstance(foreign, Refusal)
    assert (foreign.code, foreign.clause) == (Code.NOT_TAKEN_HERE, "27")
    assert foreign.message == "Ticket 1 is in CAD, and this terminal counts in USD: bring it to the cashier."
    assert isinstance(own, Accepted)
