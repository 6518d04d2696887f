"""Soundness: every account that does not mirror what it stands for, and every meter that lies, is complained of."""

from collections.abc import Callable

import pytest

from croupier.house import House, apply
from croupier.house.ids import SYSTEM, Context, DeviceId, Number
from croupier.house.rounds.closing import CloseBets
from croupier.house.rounds.opening import OpenBets
from croupier.house.rounds.recovery import Recover
from croupier.house.rounds.results import BallAtRest
from croupier.house.rounds.spinning import BallLaunched
from croupier.house.state.ledger import LedgerAccount
from croupier.house.verification import ledger_problems
from croupier.rules.geometry import Pocket, SpotKey
from tests.support.shift import T1, T2, TABLE, Shift

#: Accounts that only other accounts tell of: nothing else in the state counts them.
ALONE = {LedgerAccount.VAULT, LedgerAccount.DIFFERENCES, LedgerAccount.DISPENSED, LedgerAccount.ADJUSTMENTS}


def open_house() -> House:
    """A house with cash, a ticket, and chips on a layout that is open."""
    shift = Shift.founded()
    shift.drawer()
    shift.ticket()
    shift.ask(shift.note(T1), shift.note(T2), OpenBets(TABLE))
    shift.ask(shift.bet("17", 500), shift.bet("red", 700))
    return shift.house


def closed_house() -> House:
    """The same, with bets that are sealed."""
    house = open_house()
    apply(house, CloseBets(TABLE), Context(house.now, SYSTEM))
    return house


def settled_house() -> House:
    """The same, when 17 has won."""
    house, wheel = closed_house(), DeviceId(TABLE)
    for command in (BallLaunched(TABLE, opposite=True), BallAtRest(TABLE, Pocket("17"), 9, opposite=True)):
        assert isinstance(apply(house, command, Context(house.now, wheel)), tuple)
    return house


def void_house() -> House:
    """The same, when the system was interrupted while bets were open."""
    house = open_house()
    apply(house, Recover(), Context(house.now, SYSTEM))
    return house


@pytest.mark.parametrize("make", [open_house, closed_house, settled_house, void_house, lambda: Shift().house])
def test_books_of_a_house_are_sound(make: Callable[[], House]) -> None:
    """With bets open, sealed, settled or void, and before there is a house, nothing is complained of."""
    assert list(ledger_problems(make())) == []


@pytest.mark.parametrize("account", [account for account in LedgerAccount if account not in ALONE])
def test_account_that_mirrors_nothing_is_complained_of(account: LedgerAccount) -> None:
    """One cent that has moved from any account to the vault is missed there, although the books balance."""
    house = open_house()
    has = house.ledger[account]
    house.ledger.post(1, source=account, target=LedgerAccount.VAULT)

    assert list(ledger_problems(house)) == [f"the account {account} has {has - 1}, and what it stands for is {has}"]


def test_books_that_do_not_balance_are_complained_of() -> None:
    """One cent from nowhere is missed in the sum of all accounts."""
    house = open_house()
    house.ledger.balances[LedgerAccount.VAULT] += 1

    assert list(ledger_problems(house)) == ["the accounts together are not nil"]


def in_debt(house: House) -> None:
    terminal = house.terminals[T2]
    house.ledger.post(terminal.credit + 1, source=LedgerAccount.CREDIT, target=LedgerAccount.NOTES)
    terminal.meters.notes.clear()
    terminal.meters.notes[-1] = 1
    terminal.credit = -1


def staked_more(house: House) -> None:
    house.terminals[T1].games[TABLE].staked += 1


def chip_of_nothing(house: House) -> None:
    house.terminals[T1].games[TABLE].bets[SpotKey("18")] = 0


def chip_below_nothing(house: House) -> None:
    bets = house.terminals[T1].games[TABLE].bets
    bets[SpotKey("18")], bets[SpotKey("19")] = -100, 100


def meter_too_high(house: House) -> None:
    house.terminals[T1].meters.returned += 1


def sealed_meter_too_high(house: House) -> None:
    house.terminals[T1].meters.turnover += 1


def idle_with_chips(house: House) -> None:
    house.spent[TABLE] = {T1: house.now}


@pytest.mark.parametrize(
    ("make", "change", "complaint"),
    [
        (open_house, in_debt, "T2 has less than no credit"),
        (open_house, staked_more, "the stakes of T1 at table 1 do not add up"),
        (open_house, chip_of_nothing, "the stakes of T1 at table 1 do not add up"),
        (open_house, chip_below_nothing, "the stakes of T1 at table 1 do not add up"),
        (open_house, meter_too_high, "the meters of T1 do not give what is on it"),
        (closed_house, sealed_meter_too_high, "the meters of T1 do not give what is on it"),
        (open_house, idle_with_chips, "the idle time of the session at T1 is counted"),
        (settled_house, meter_too_high, "the meters of T1 do not give what is on it"),
    ],
)
def test_terminal_that_does_not_add_up_is_complained_of(
    make: Callable[[], House], change: Callable[[House], None], complaint: str
) -> None:
    """A terminal below nothing, with chips that are not staked or meters that do not fit, is named."""
    house = make()
    change(house)

    assert complaint in list(ledger_problems(house))


def test_table_meter_that_lies_is_complained_of() -> None:
    """What the house has won is what its tables' meters say, whether bets stand sealed or not."""
    for make in (open_house, closed_house, settled_house):
        house = make()
        house.tables[TABLE].meters.returned += 1
        assert [words.split(" has ")[0] for words in ledger_problems(house)] == ["the account house"]


def test_ticket_that_is_paid_twice_is_complained_of() -> None:
    """A ticket whose value left the account of the tickets and that is still payable does not pass."""
    house = open_house()
    house.ledger.post(house.tickets.all[Number(1)].amount, source=LedgerAccount.TICKETS, target=LedgerAccount.VAULT)

    assert [words.split(" has ")[0] for words in ledger_problems(house)] == ["the account tickets"]
