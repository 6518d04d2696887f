"""Soundness: whether books and timers are what they must be, worked out from the state at any time."""

from collections.abc import Iterator

from croupier.house.books import Account
from croupier.house.desk import TicketState
from croupier.house.session import is_spent
from croupier.house.state import House
from croupier.house.table import Table
from croupier.house.terminal import Terminal
from croupier.house.timer import timers_of


def unsound(house: House) -> Iterator[str]:
    """Say everything that is not as it must be; nothing where books and timers are sound."""
    books = house.books
    if sum(books.balances.values()) != 0:
        yield "the accounts together are not nil"
    for account, stands_for in _mirrored(house).items():
        if books[account] != stands_for:
            yield f"the account {account} has {books[account]}, and what it stands for is {stands_for}"
    for terminal in house.terminals.values():
        yield from _terminal(house, terminal)
    if sorted(house.timers.pending()) != sorted(timers_of(house).pending()):
        yield "the timers are not those that follow from the state"


def _mirrored(house: House) -> dict[Account, int]:
    """Work out from the state what accounts must have."""
    terminals, tickets = house.terminals.values(), house.tickets.values()
    suspense = sum(case.suspense for case in house.cases.values())
    notes = (value * pieces for each in terminals for value, pieces in each.meters.notes.items())
    won = sum(table.meters.won - _sealed(table) for table in house.tables.values())
    return {
        Account.CREDIT: sum(terminal.credit for terminal in terminals),
        Account.STAKES: sum(terminal.in_play for terminal in terminals),
        Account.HELD: sum(terminal.held for terminal in terminals),
        Account.RECEIVABLES: -sum(terminal.receivable for terminal in terminals),
        Account.PAYABLES: sum(terminal.payable for terminal in terminals),
        Account.SUSPENSE: suspense,
        Account.TICKETS: sum(ticket.amount for ticket in tickets if ticket.payable),
        Account.UNCLAIMED: house.unclaimed_retired
        + sum(ticket.amount for ticket in tickets if ticket.state is TicketState.EXPIRED),
        Account.HOUSE: won - suspense,
        Account.NOTES: -sum(notes),
        Account.PLAY_MONEY: -sum(terminal.meters.granted for terminal in terminals),
        Account.DRAWERS: -sum(drawer.cash for drawer in house.drawers.values()),
    }


def _sealed(table: Table) -> int:
    """Tell what stands sealed and not settled at a table."""
    round_ = table.round
    if round_ is None or round_.over or round_.sealed is None:
        return 0
    return sum(sum(stakes.values()) for stakes in round_.sealed.values())


def _terminal(house: House, terminal: Terminal) -> Iterator[str]:
    if terminal.credit < 0:
        yield f"{terminal.id} has less than no credit"
    unsealed = 0
    for game in terminal.games.values():
        if game.staked != sum(game.bets.values()) or any(stake <= 0 for stake in game.bets.values()):
            yield f"the stakes of {terminal.id} at {game.table} do not add up"
        round_ = house.tables[game.table].round
        unsealed += game.staked if round_ is None or round_.over or round_.sealed is None else 0
    if terminal.meters.balance() != terminal.credit + unsealed + terminal.held - terminal.owes:
        yield f"the meters of {terminal.id} do not give what is on it"
    waiting = terminal.id in house.spent.get(next(iter(terminal.games)), {})
    if waiting != (terminal.session_since is not None and is_spent(terminal)):
        yield f"the idle time of the session at {terminal.id} is {'' if waiting else 'not '}counted"
