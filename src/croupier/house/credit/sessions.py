"""Sessions of players at a terminal: their beginning and end, their debts, and adjustments of their credit."""

from __future__ import annotations

from enum import StrEnum
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from croupier.house.credit.player_limits import end_own_limits, schedule_pause
from croupier.house.declare import (
    Events,
    EventTopic,
    TerminalCommand,
    TerminalEvent,
    command,
    decides,
    event,
    evolves,
)
from croupier.house.floor.permissions import blocked_objection, held_win_objection
from croupier.house.floor.settings import leave_arrangement
from croupier.house.ids import SECOND, Context, Instant, TableId
from croupier.house.play.stakes import begin_anew
from croupier.house.state.ledger import LedgerAccount
from croupier.house.state.tables import Terminal
from croupier.house.state.timer_heap import TimerKind
from croupier.rules.money import amount_text
from croupier.rules.procedure import Duty
from croupier.rules.refusal import CitedTopic, ClauseId, Code, Refused, raise_if
from croupier.rules.rulebook import Rulebook

if TYPE_CHECKING:
    from croupier.house import House


class SessionEnd(StrEnum):
    """Why a session ended without credits."""

    STAFF = "staff"
    IDLE = "idle"
    #: Money was added after the terminal had none, perhaps by another player. Only the account of corrections is new.
    NEW_MONEY = "new_money"


class Session(NamedTuple):
    """The figures of a player's session, in cents except for the number of games."""

    #: When money was first added; None if none was.
    since: Instant | None
    put_in: int
    taken_out: int
    #: The result of play, negative for a loss; stakes in play are excluded.
    net: int
    games: int


@command(Duty.INSPECT)
class EndSession(TerminalCommand, frozen=True):
    """End the session of a player who has left with nothing on the terminal."""


@event("Session {session} ended with nothing left: {reason}.", EventTopic.MONEY)
class SessionEnded(TerminalEvent, frozen=True):
    """A session ended without credits; the next money begins another session."""

    session: int
    reason: SessionEnd


@decides(EndSession)
def end_session(house: House, command: EndSession, _context: Context) -> Events:
    terminal = house.terminals[command.terminal]
    rulebook = house.rulebook_at(terminal)
    raise_if(blocked_objection(house, terminal) or held_win_objection(terminal, rulebook))
    clause, unit = rulebook.cited_clauses[CitedTopic.CREDIT_OUT], rulebook.currency
    if terminal.session_since is None:
        raise Refused(Code.NOTHING_THERE, clause, f"No session has begun at terminal {terminal.id}.")
    if not is_spent(terminal):
        message = (
            f"There are {amount_text(terminal.credit)} {unit} on the meter and {amount_text(terminal.in_play)} {unit} "
            "in play: the session ends when they are played or collected."
        )
        raise Refused(Code.OUT_OF_TURN, clause, message, credit=terminal.credit, in_play=terminal.in_play)
    return (SessionEnded(terminal.id, terminal.session, SessionEnd.STAFF),)


def is_spent(terminal: Terminal) -> bool:
    """Check whether a terminal has no money left and no undecided item."""
    return not (terminal.credit or terminal.in_play or terminal.holds) and terminal.case is None


@evolves(SessionEnded)
def session_ended(house: House, event: SessionEnded, _context: Context) -> None:
    terminal = house.terminals[event.terminal]
    if event.reason is SessionEnd.NEW_MONEY:
        # Own limits go on: a player who adds money must not escape them.
        terminal.session += 1
    else:
        end(house, terminal)


def end(house: House, terminal: Terminal) -> None:
    """End a session: data stored for one player must not reach the next."""
    _stop_idle_time(house, terminal)
    terminal.patterns, terminal.ghost = {}, None
    terminal.messages.clear()
    terminal.session_games = 0
    terminal.session += 1
    terminal.session_since = None
    end_own_limits(house, terminal)
    terminal.session_in, terminal.session_out = terminal.meters.put_in, terminal.meters.taken_out
    for game in terminal.games.values():
        game.previous, game.stayed, game.auto_copy_to = {}, {}, None
        game.won = game.net = game.idle_spins = 0
        # The layout is empty: the next player must not be able to undo to the last player's bets.
        begin_anew(game)
        leave_arrangement(house, game)


def _stop_idle_time(house: House, terminal: Terminal) -> None:
    waiting = house.spent.get(terminal.first_table)
    if waiting and waiting.pop(terminal.id, None) is not None:
        schedule_end(house, terminal.first_table)


def schedule_end(house: House, table: TableId) -> None:
    """Set the session timer of a table from its settings and its sessions without money."""
    house.timers.schedule(TimerKind.SESSION, table, ends_at(house, table))


def ends_at(house: House, table: TableId) -> Instant | None:
    """Compute when the first session without money ends by itself, of the terminals whose first table this is."""
    idle_s = house.tables[table].settings.session_idle_s
    waiting = house.spent.get(table)
    return Instant(next(iter(waiting.values())) + idle_s * SECOND) if waiting and idle_s is not None else None


@command(Duty.CORRECT, signatures=2)
class AdjustCredit(TerminalCommand, frozen=True):
    """Adjust a credit meter, up or down."""

    amount: int
    words: str


@event("The credit meter was adjusted by {amount}. {words}", EventTopic.MONEY, EventTopic.SIGNIFICANT)
class CreditAdjusted(TerminalEvent, frozen=True):
    """A credit meter was adjusted."""

    amount: int
    clause: ClauseId
    words: str


@decides(AdjustCredit)
def adjust_credit(house: House, command: AdjustCredit, _context: Context) -> Events:
    terminal = house.terminals[command.terminal]
    rulebook = house.rulebook_at(terminal)
    clause, words = rulebook.cited_clauses[CitedTopic.CREDIT], command.words.strip()
    if command.amount == 0:
        raise Refused(Code.MALFORMED, None, "An adjustment of nothing puts nothing right.")
    if not words:
        raise Refused(Code.REASON_NOT_LISTED, clause, "An adjustment needs its reason in words.")
    # 7(d) at Adelaide: only notes and wins add to the meter, so an attendant cannot.
    if command.amount > 0 and rulebook.credit_only is not None:
        message = "Staff add no credits here: only notes and wins do."
        raise Refused(Code.NOT_TAKEN_HERE, rulebook.credit_only, message, amount=command.amount)
    if terminal.credit + command.amount < 0:
        on_meter = f"{amount_text(terminal.credit)} {rulebook.currency}"
        message = f"There are {on_meter} on the meter, which never falls below nothing."
        facts = {"credit": terminal.credit, "amount": command.amount, "cost": -command.amount}
        raise Refused(Code.CREDIT_SHORT, clause, message, **facts)
    return (CreditAdjusted(command.terminal, command.amount, clause, words),)


def forms_clause(rulebook: Rulebook) -> ClauseId:
    """Name the clause on the forms of payment that buy credits: the closed list of forms if the rules have one."""
    return rulebook.credit_only or rulebook.cited_clauses[CitedTopic.CREDIT_IN]


@evolves(CreditAdjusted)
def credit_adjusted(house: House, event: CreditAdjusted, context: Context) -> None:
    terminal = house.terminals[event.terminal]
    house.ledger.post(event.amount, source=LedgerAccount.ADJUSTMENTS, target=LedgerAccount.CREDIT)
    terminal.credit += event.amount
    if event.amount > 0:
        begin(house, terminal, context)
        terminal.meters.adjusted_in += event.amount
    else:
        terminal.meters.adjusted_out -= event.amount
        watch(house, terminal, context)


def begin(house: House, terminal: Terminal, context: Context) -> None:
    """Start a session's clock when money is first added."""
    if terminal.session_since is None:
        terminal.session_since = context.now
        schedule_pause(house, terminal)
    _stop_idle_time(house, terminal)


def watch(house: House, terminal: Terminal, context: Context) -> None:
    """Start the idle time of a session when its terminal has no money left, and stop it when money is added."""
    if terminal.session_since is None or not is_spent(terminal):
        _stop_idle_time(house, terminal)
        return
    house.spent.setdefault(terminal.first_table, {}).setdefault(terminal.id, context.now)
    schedule_end(house, terminal.first_table)


#: The most sessions that one tick ends: a whole venue may run out of credits in one spin.
ENDED_AT_ONCE = 100


def session_figures(house: House, terminal: Terminal) -> Session:
    """Compute a terminal's session from its balances and from the meters since it began."""
    put_in = terminal.meters.put_in - terminal.session_in
    taken_out = terminal.meters.taken_out - terminal.session_out
    suspense = 0 if terminal.case is None else house.cases.all[terminal.case].suspense
    owes = terminal.debts.get(terminal.session, 0)
    has = terminal.credit + terminal.in_play + terminal.held_total + suspense - owes
    return Session(terminal.session_since, put_in, taken_out, has + taken_out - put_in, terminal.session_games)


def renewed(terminal: Terminal) -> Events:
    """Begin another session with money that is added to a terminal without any: it may be another player's.

    A winning stake that the player left up with the last credits collected keeps nobody at the terminal.

    11(e) at Adelaide, 6.3 at Marina Bay Sands: a correction adjusts the bets of a player. Its difference is then a
    receivable or a payable of the session before, and never taken from this money.
    """
    left_up = all(
        stake <= game.stayed.get(spot, 0) for game in terminal.games.values() for spot, stake in game.bets.items()
    )
    carried = any(game.carried for game in terminal.games.values())
    without = not (terminal.credit or terminal.holds or carried) and terminal.case is None
    spent = terminal.session_since is not None and without and left_up
    return (SessionEnded(terminal.id, terminal.session, SessionEnd.NEW_MONEY),) if spent else ()


def idle_ended(house: House, context: Context, *, table: TableId) -> Events:
    """End the sessions of a table's terminals that have had no money for the idle time."""
    idle_s = house.tables[table].settings.session_idle_s
    assert idle_s is not None
    due = (each for each, since in house.spent[table].items() if since + idle_s * SECOND <= context.now)
    ended = (house.terminals[each] for each in islice(due, ENDED_AT_ONCE))
    return tuple(SessionEnded(each.id, each.session, SessionEnd.IDLE) for each in ended)
