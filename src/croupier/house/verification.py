"""Ledger balance check, and the digests of the state and of its books."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import fields
from typing import TYPE_CHECKING, Final

import msgspec

from croupier.house.credit.sessions import is_spent
from croupier.house.credit.tickets import TicketState
from croupier.house.rounds.theory import unsettled
from croupier.house.state.ledger import LedgerAccount, TerminalMeters
from croupier.house.state.tables import Round, Table, Terminal
from croupier.house.timers import timers_of
from croupier.rules.payouts import ChipId, denomination

if TYPE_CHECKING:
    from croupier.house import House


def state_digest(house: House) -> str:
    """Digest the whole state, independent of the order in which its parts were created."""
    plain = msgspec.to_builtins(house, str_keys=True, order="deterministic")
    return hashlib.sha256(msgspec.json.encode(plain)).hexdigest()


def books_digest(house: House) -> str:
    """Digest what decides about money now, in some milliseconds: accounts, meters, credits, stakes and rounds.

    What was only recorded is left out: past rounds, the games that a terminal recalls, messages and steps.
    """
    tables = [
        (table.id, table.plays_by, table.phase, _round_books(table.round), table.history, table.meters, table.live)
        for table in house.tables.values()
    ]
    terminals = [
        (
            terminal.id,
            terminal.credit,
            terminal.escrow,
            terminal.session,
            terminal.debts,
            terminal.case,
            terminal.closed,
        )
        for terminal in house.terminals.values()
    ]
    meters = [list(map(terminal.meters.__getattribute__, _METERS)) for terminal in house.terminals.values()]
    held = [(terminal.id, terminal.holds) for terminal in house.terminals.values() if terminal.holds]
    positions = [
        (each.id, each.staked, each.won, each.bets, each.stayed, each.carried) for each in house.positions.values()
    ]
    tickets, cases, incidents = house.tickets, house.cases, house.incidents
    issued = (tickets.issued, tickets.received, tickets.skipped, tickets.retired_count, tickets.unclaimed_retired)
    paper = [(number, ticket.amount, ticket.state, ticket.frozen) for number, ticket in tickets.all.items()]
    questioned = [(number, case.state, case.suspense, case.returned) for number, case in cases.all.items()]
    desk = (house.drawers, house.venue_accounts, house.held_wins, house.payables_paid, house.chips, house.pots)
    counts = (house.positions_added, cases.raised, incidents.raised, house.proposals.made, len(house.disputes))
    ledger = list(house.ledger.balances.items())
    books = (house.now, house.day, ledger, tables, terminals, meters, held, positions, issued, paper, questioned, desk)
    return hashlib.sha256(msgspec.json.encode((books, counts))).hexdigest()


_METERS: Final = tuple(each.name for each in fields(TerminalMeters))


def _round_books(round_: Round | None) -> object:
    if round_ is None:
        return None
    return (round_.number, round_.spin.number, round_.digest, round_.pocket, round_.corrected, round_.invalidated)


def ledger_problems(house: House) -> Iterator[str]:
    """List every inconsistency of the ledger and the timers."""
    ledger = house.ledger
    if sum(ledger.balances.values()) != 0:
        yield "the accounts together are not nil"
    for account, stands_for in _mirrored(house).items():
        if ledger[account] != stands_for:
            yield f"the account {account} has {ledger[account]}, and what it stands for is {stands_for}"
    for terminal in house.terminals.values():
        yield from _terminal(house, terminal)
    for table in house.tables.values():
        yield from _chips(house, table)
    if sorted(house.timers.pending()) != sorted(timers_of(house).pending()):
        yield "the timers are not those that follow from the state"


def _mirrored(house: House) -> dict[LedgerAccount, int]:
    """Compute the expected account balances from the state."""
    terminals, tickets = house.terminals.values(), house.tickets.all.values()
    suspense = sum(case.suspense for case in house.cases.all.values())
    tables = [table.live for table in house.tables.values() if table.live is not None]
    accounts = [each for live in tables for each in (*live.players.values(), *live.left.values())]
    notes = (value * pieces for each in terminals for value, pieces in each.meters.notes.items())
    won = sum(each.meters.won - each.meters.contributed - unsettled(each.round) for each in house.tables.values())
    return {
        LedgerAccount.CREDIT: sum(terminal.credit for terminal in terminals),
        LedgerAccount.STAKES: sum(position.staked for position in house.positions.values()),
        LedgerAccount.IMPRISONED: sum(position.carried_total for position in house.positions.values()),
        LedgerAccount.PROGRESSIVE: sum(pot.amount for pot in house.pots.values() if pot.is_kept),
        LedgerAccount.RESERVE: sum(pot.reserve for pot in house.pots.values()),
        LedgerAccount.HELD: sum(terminal.held_total for terminal in terminals),
        LedgerAccount.RECEIVABLES: -sum(terminal.receivable for terminal in terminals)
        - sum(account.owed for account in accounts),
        LedgerAccount.PAYABLES: sum(terminal.payable for terminal in terminals),
        LedgerAccount.SUSPENSE: suspense,
        LedgerAccount.TICKETS: sum(ticket.amount for ticket in tickets if ticket.payable),
        LedgerAccount.INTER_VENUE: sum(account.owed for account in house.venue_accounts.values()),
        LedgerAccount.UNCLAIMED: house.tickets.unclaimed_retired
        + house.chips.unclaimed
        + sum(ticket.amount for ticket in tickets if ticket.state is TicketState.EXPIRED),
        LedgerAccount.HOUSE: won - suspense + sum(live.counted_win + live.meters.won for live in tables),
        LedgerAccount.CHIPS_PAYABLE: sum(account.payable for account in accounts)
        + sum(map(_unpaid, house.tables.values())),
        LedgerAccount.FLOATS: -sum(live.float_.booked for live in tables if live.float_ is not None),
        LedgerAccount.VALUE_CHIPS: house.chips.value,
        LedgerAccount.COLOUR_CHIPS: sum(each.booked for live in tables for each in live.colours.values()),
        LedgerAccount.DROP: -sum(live.drop for live in tables),
        LedgerAccount.NOTES: -sum(notes),
        LedgerAccount.PLAY_MONEY: -sum(terminal.meters.granted for terminal in terminals),
        LedgerAccount.DRAWERS: -sum(drawer.cash for drawer in house.drawers.values()),
    }


def _unpaid(table: Table) -> int:
    """Return what the dealer still has to pay for the last round."""
    walk = None if table.round is None else table.round.walk
    return 0 if walk is None else sum(each.amount for each in walk.items if not each.made)


def _chips(house: House, table: Table) -> Iterator[str]:
    """List the inconsistencies of chips: on the layout, with their players, and in the books."""
    live = table.live
    if live is None:
        return
    values = {name: colour.value for name, colour in live.colours.items() if colour.position is not None}
    for position, player in live.players.items():
        game = house.positions[position]
        stakes = {
            spot: sum(count * (values.get(chip) or denomination(ChipId(chip)) or 0) for chip, count in pieces.items())
            for spot, pieces in player.pieces.items()
        }
        if stakes != game.bets or game.staked != sum(stakes.values()):
            yield f"the stakes of position {position} at {table.id} are not the chips that lie there"
        carried = {
            spot: sum(count * (values.get(chip) or denomination(ChipId(chip)) or 0) for chip, count in pieces.items())
            for spot, pieces in player.carried.items()
        }
        if carried != game.carried:
            yield f"what position {position} at {table.id} carries is not the chips that wait there"
        for name in player.colours:
            colour = live.colours[name]
            lies = player.on_layout(name)
            out = colour.out
            if out is not None and not lies <= out <= colour.pieces_in_set:
                yield f"{out} chips of {name} are out at {table.id}, and {lies} lie on the layout"
            if out is not None and colour.booked != (out - lies) * colour.value:
                yield f"the chips of {name} at {table.id} are not those in the books"


def _terminal(house: House, terminal: Terminal) -> Iterator[str]:
    if terminal.credit < 0:
        yield f"{terminal.id} has less than no credit"
    unsealed = 0
    for game in terminal.games.values():
        if game.staked != sum(game.bets.values()) or any(stake <= 0 for stake in game.bets.values()):
            yield f"the stakes of {terminal.id} at {game.table} do not add up"
        round_ = house.tables[game.table].round
        unsealed += game.staked if round_ is None or round_.over or round_.sealed is None else 0
    if terminal.meters.balance() != terminal.credit + unsealed + terminal.held_total - terminal.owes:
        yield f"the meters of {terminal.id} do not give what is on it"
    waiting = terminal.id in house.spent.get(terminal.first_table, {})
    if waiting != (terminal.session_since is not None and is_spent(terminal)):
        yield f"the idle time of the session at {terminal.id} is {'' if waiting else 'not '}counted"
