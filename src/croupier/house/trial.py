"""Trials: what a correction would do to everybody's money, worked out on a copy that nobody keeps."""

from collections import deque
from dataclasses import replace
from typing import NamedTuple

from croupier.house.books import Books
from croupier.house.command.round import CorrectResult
from croupier.house.correction import correct_result, result_corrected
from croupier.house.event.round import ResultCorrected
from croupier.house.name import TableId, TerminalId
from croupier.house.stamp import Stamp
from croupier.house.state import House
from croupier.house.table import Round, Table
from croupier.house.terminal import Game, Terminal
from croupier.rules.clause import ClauseId
from croupier.rules.pocket import Pocket
from croupier.rules.refusal import Refusal

#: A reason is asked for, and a trial has none yet.
_WORDS = "A trial."


class Money(NamedTuple):
    """What is a player's at one terminal: free credits, chips on the table, held wins, and what the house is owed."""

    credit: int
    up: int
    held: int
    owed: int


class Reckoned(NamedTuple):
    """One terminal under a correction."""

    terminal: TerminalId
    staked: int
    #: What it got back for the round, and what it is due by the other number.
    paid: int
    due: int
    before: Money
    after: Money
    #: Whoever played then has collected since: nobody who plays there now pays or gets anything.
    gone: bool


class Trial(NamedTuple):
    """A correction that was tried."""

    was: Pocket
    pocket: Pocket
    clause: ClauseId
    terminals: tuple[Reckoned, ...]


def tried(house: House, command: CorrectResult, stamp: Stamp) -> Trial | Refusal:
    """Try a correction, by the very steps that would carry it out; or say why it could not be made."""
    answer = correct_result(house, CorrectResult(command.table, command.round, command.pocket, _WORDS), stamp)
    if isinstance(answer, Refusal):
        return answer
    (event,) = answer
    assert isinstance(event, ResultCorrected)
    round_ = house.tables[event.table].find_round(event.round)
    assert round_ is not None
    copy = _copy(house, event.table, round_)
    result_corrected(copy, event, stamp)
    after = copy.tables[event.table].find_round(event.round)
    assert after is not None
    reckoned = (_reckoned(house, copy, (round_, after), event.table, each) for each in round_.paid)
    return Trial(event.was, event.pocket, event.clause, tuple(reckoned))


def _reckoned(house: House, copy: House, rounds: tuple[Round, Round], table: TableId, name: TerminalId) -> Reckoned:
    (before, after), terminal = rounds, house.terminals[name]
    assert before.sealed is not None
    session = before.sessions[name]
    return Reckoned(
        name,
        sum(before.sealed[name].values()),
        before.paid[name],
        after.paid[name],
        _money(terminal, table, session),
        _money(copy.terminals[name], table, session),
        terminal.session != session,
    )


def _money(terminal: Terminal, table: TableId, session: int) -> Money:
    owed = terminal.debts.get(session, 0)
    return Money(terminal.credit, terminal.games[table].staked, terminal.held, owed)


def _copy(house: House, name: TableId, round_: Round) -> House:
    """Copy as much of a house as a correction of one round changes; the rest is shared and left alone."""
    table = house.tables[name]
    return House(
        house.read_rulebook,
        rulebooks=house.rulebooks,
        felts=house.felts,
        tables={**house.tables, name: _table(table, round_)},
        terminals={**house.terminals, **{each: _terminal(house.terminals[each], name) for each in round_.paid}},
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
        meters=replace(table.meters),
    )


def _terminal(terminal: Terminal, table: TableId) -> Terminal:
    return replace(
        terminal,
        games={**terminal.games, table: _game(terminal.games[table])},
        holds={number: replace(hold) for number, hold in terminal.holds.items()},
        debts=dict(terminal.debts),
        meters=replace(terminal.meters),
        # What is recalled is not looked at.
        recall=deque(),
    )


def _game(game: Game) -> Game:
    return replace(game, bets=dict(game.bets), returns=list(game.returns), steps=list(game.steps))
