"""Trials: what a correction, or an outcome taken back, would do to everybody's money, on a copy that nobody keeps."""

from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from msgspec import structs

from croupier.house.answer import Decision
from croupier.house.books import Account, Books
from croupier.house.command.round import CorrectResult, InvalidateOutcome
from croupier.house.correction import (
    correct_result,
    invalidate_outcome,
    outcome_invalidated,
    result_corrected,
)
from croupier.house.event.round import OutcomeInvalidated, ResultCorrected
from croupier.house.name import PersonId, TableId, TerminalId
from croupier.house.seal import seats
from croupier.house.stamp import Stamp
from croupier.house.state import House
from croupier.house.table import Round, Table
from croupier.house.terminal import Game, Terminal
from croupier.rules.clause import ClauseId
from croupier.rules.pocket import Pocket
from croupier.rules.refusal import Refusal

#: A reason is asked for, and whom a fraud is laid to: a trial has neither yet.
_WORDS = "A trial."
_SUSPECT = PersonId("nobody")


class Money(NamedTuple):
    """What is a player's at one terminal: free credits, chips on the table, held wins, and what the house is owed."""

    credit: int
    up: int
    held: int
    owed: int


class Reckoned(NamedTuple):
    """One terminal under a correction, or with its stakes back."""

    terminal: TerminalId
    staked: int
    #: What it got back for the round, and what it is due by the other number, or without one.
    paid: int
    due: int
    before: Money
    after: Money
    #: The session has ended since: the player who sits there now pays and gets nothing.
    gone: bool


class Trial(NamedTuple):
    """A correction that was tried, or an outcome taken back."""

    #: None where the round was not settled.
    was: Pocket | None
    #: None where no number would count.
    pocket: Pocket | None
    clause: ClauseId
    terminals: tuple[Reckoned, ...]
    #: What the house would win by it; below nothing where it would pay more.
    house: int


def tried(house: House, command: CorrectResult | InvalidateOutcome, stamp: Stamp) -> Trial | Refusal:
    """Try it by the very steps that would carry it out; or say why it could not be done."""
    answer = _answer(house, command, stamp)
    if isinstance(answer, Refusal):
        return answer
    (event,) = answer
    assert isinstance(event, ResultCorrected | OutcomeInvalidated)
    round_ = house.tables[event.table].find_round(event.round)
    assert round_ is not None
    was = round_.pocket if round_.over else None
    names = tuple(_concerned(house, event.table, round_))
    copy = _copy(house, event.table, round_, names)
    pocket = None
    if isinstance(event, ResultCorrected):
        result_corrected(copy, event, stamp)
        pocket = event.pocket
    else:
        outcome_invalidated(copy, event, stamp)
    after = copy.tables[event.table].find_round(event.round)
    assert after is not None
    reckoned = (_reckoned(house, copy, (round_, after), event.table, each) for each in names)
    won = copy.books[Account.HOUSE] - house.books[Account.HOUSE]
    return Trial(was, pocket, event.clause, tuple(reckoned), won)


def _answer(house: House, command: CorrectResult | InvalidateOutcome, stamp: Stamp) -> Decision:
    if isinstance(command, CorrectResult):
        return correct_result(house, structs.replace(command, words=_WORDS), stamp)
    return invalidate_outcome(house, structs.replace(command, words=_WORDS, suspect=_SUSPECT), stamp)


def _concerned(house: House, table: TableId, round_: Round) -> Iterator[TerminalId]:
    """Name the terminals whose money it moves: those that were paid, or while the round runs those with chips."""
    if round_.over:
        yield from round_.paid
    else:
        yield from (seat.terminal.id for seat in seats(house, house.tables[table]))


def _reckoned(house: House, copy: House, rounds: tuple[Round, Round], table: TableId, name: TerminalId) -> Reckoned:
    (before, after), terminal = rounds, house.terminals[name]
    session = before.sessions.get(name, terminal.session)
    staked = sum((before.sealed or {}).get(name, terminal.games[table].bets).values())
    return Reckoned(
        name,
        staked,
        before.paid.get(name, 0),
        after.paid.get(name, staked),
        _money(terminal, table, session),
        _money(copy.terminals[name], table, session),
        terminal.session != session,
    )


def _money(terminal: Terminal, table: TableId, session: int) -> Money:
    owed = terminal.debts.get(session, 0)
    return Money(terminal.credit, terminal.games[table].staked, terminal.held, owed)


def _copy(house: House, name: TableId, round_: Round, terminals: tuple[TerminalId, ...]) -> House:
    """Copy as much of a house as a trial of one round changes; the rest is shared and left alone."""
    table = house.tables[name]
    # Where a round that runs is taken back, every game at the table begins anew.
    changed = terminals if round_.over else tuple(table.terminals)
    return House(
        house.read_rulebook,
        rulebooks=house.rulebooks,
        felts=house.felts,
        tables={**house.tables, name: _table(table, round_)},
        terminals={**house.terminals, **{each: _terminal(house.terminals[each], name) for each in changed}},
        books=Books(dict(house.books.balances)),
        held=house.held,
    )


def _table(table: Table, round_: Round) -> Table:
    copied = replace(round_, paid=dict(round_.paid), corrected=list(round_.corrected))
    return replace(
        table,
        round=copied if table.round is round_ else table.round,
        past=deque(copied if each is round_ else each for each in table.past),
        history=deque(table.history),
        meters=replace(table.meters, brings=Counter(table.meters.brings), spreads=Counter(table.meters.spreads)),
    )


def _terminal(terminal: Terminal, table: TableId) -> Terminal:
    return replace(
        terminal,
        games={**terminal.games, table: _game(terminal.games[table])},
        holds={number: replace(hold) for number, hold in terminal.holds.items()},
        debts=dict(terminal.debts),
        causes=dict(terminal.causes),
        meters=replace(terminal.meters),
        # What is recalled is not looked at.
        recall=deque(),
    )


def _game(game: Game) -> Game:
    # What could be taken back is not looked at.
    return replace(game, bets=dict(game.bets), returns=list(game.returns), steps=list(game.steps), undo=[])
