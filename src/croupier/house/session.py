"""Sessions: one player's time at a terminal, from the first money to its end, with its figures.

A session ends when its last credits are collected. Where nothing is left to collect, staff end it or the idle time of
its table does. Whatever was kept for its player ends with it, and money that comes in after that begins another.
"""

from typing import NamedTuple

from croupier.house.answer import Deciders, Decision, Events, Evolvers, refuse
from croupier.house.chips import begin_anew
from croupier.house.command.credit import EndSession
from croupier.house.event.credit import SessionEnd, SessionEnded
from croupier.house.name import SECOND, Instant, TableId
from croupier.house.service import blocked, held
from croupier.house.stamp import Stamp
from croupier.house.state import House
from croupier.house.terminal import Terminal
from croupier.house.timerheap import TimerKind
from croupier.rules.matter import Matter
from croupier.rules.money import amount_text
from croupier.rules.refusal import Code, Refusal

#: So many sessions end by one tick: a whole venue may have run out of credits in one spin.
ENDED_AT_ONCE = 100


class Session(NamedTuple):
    """A player's session in figures, in cents but for the games."""

    #: When money first came in; None where none has.
    since: Instant | None
    put_in: int
    taken_out: int
    #: Won or, below nothing, lost in play; stakes in play are neither.
    net: int
    games: int


def session_of(house: House, terminal: Terminal) -> Session:
    """Work out a terminal's session from what is on it and what its meters have counted since it began."""
    put_in = terminal.meters.put_in - terminal.session_in
    taken_out = terminal.meters.taken_out - terminal.session_out
    suspense = 0 if terminal.case is None else house.cases[terminal.case].suspense
    owes = terminal.debts.get(terminal.session, 0)
    has = terminal.credit + terminal.in_play + terminal.held + suspense - owes
    return Session(terminal.session_since, put_in, taken_out, has + taken_out - put_in, terminal.session_games)


def is_spent(terminal: Terminal) -> bool:
    """Tell whether nothing is left on a terminal, and nothing about it is undecided."""
    return not (terminal.credit or terminal.in_play or terminal.holds) and terminal.case is None


def end_session(house: House, command: EndSession, _stamp: Stamp) -> Decision:
    terminal = house.terminals[command.terminal]
    rulebook = house.rulebook_at(terminal)
    refusal = blocked(house, terminal) or held(terminal, rulebook) or _not_spent(house, terminal)
    return refusal or (SessionEnded(terminal.id, terminal.session, SessionEnd.STAFF),)


def _not_spent(house: House, terminal: Terminal) -> Refusal | None:
    clause, unit = house.rulebook_at(terminal).cites[Matter.CREDIT_OUT], house.rulebook_at(terminal).currency
    if terminal.session_since is None:
        return refuse(Code.NOTHING_THERE, clause, f"No session has begun at terminal {terminal.id}.")
    if is_spent(terminal):
        return None
    says = (
        f"There are {amount_text(terminal.credit)} {unit} on the meter and {amount_text(terminal.in_play)} {unit} in "
        "play: the session ends when they are played or collected."
    )
    return refuse(Code.OUT_OF_TURN, clause, says, credit=terminal.credit, in_play=terminal.in_play)


def session_ended(house: House, event: SessionEnded, _stamp: Stamp) -> None:
    end(house, house.terminals[event.terminal])


def ends_at(house: House, table: TableId) -> Instant | None:
    """Tell when the first session with nothing left ends by itself, of the terminals whose first table this is."""
    idle_s = house.tables[table].settings.session_idle_s
    waiting = house.spent.get(table)
    return Instant(next(iter(waiting.values())) + idle_s * SECOND) if waiting and idle_s is not None else None


def schedule_end(house: House, table: TableId) -> None:
    """Set the timer of a table's sessions, as follows from its settings and those that have nothing left."""
    house.timers.schedule(TimerKind.SESSION, table, ends_at(house, table))


def idle_ended(house: House, stamp: Stamp, *, table: TableId) -> Events:
    """End the sessions of a table's terminals that have had nothing left for so long."""
    idle_s = house.tables[table].settings.session_idle_s
    assert idle_s is not None
    due = (each for each, since in house.spent[table].items() if since + idle_s * SECOND <= stamp.now)
    ended = (house.terminals[each] for each, _ in zip(due, range(ENDED_AT_ONCE), strict=False))
    return tuple(SessionEnded(each.id, each.session, SessionEnd.IDLE) for each in ended)


def begin(house: House, terminal: Terminal, stamp: Stamp) -> None:
    """Count the time of a session from the first money that comes in."""
    if terminal.session_since is None:
        terminal.session_since = stamp.now
    _stop(house, terminal)


def watch(house: House, terminal: Terminal, stamp: Stamp) -> None:
    """Begin the idle time of a session when nothing is left on its terminal, and stop it when something is."""
    if terminal.session_since is None or not is_spent(terminal):
        _stop(house, terminal)
        return
    table = next(iter(terminal.games))
    house.spent.setdefault(table, {}).setdefault(terminal.id, stamp.now)
    schedule_end(house, table)


def _stop(house: House, terminal: Terminal) -> None:
    table = next(iter(terminal.games))
    waiting = house.spent.get(table)
    if waiting and waiting.pop(terminal.id, None) is not None:
        schedule_end(house, table)


def end(house: House, terminal: Terminal) -> None:
    """End a session: what was kept for one player is not for the next."""
    _stop(house, terminal)
    terminal.patterns, terminal.ghost = {}, None
    terminal.messages.clear()
    terminal.session_games, terminal.straight_only = 0, False
    terminal.session += 1
    terminal.session_since = None
    terminal.session_in, terminal.session_out = terminal.meters.put_in, terminal.meters.taken_out
    for game in terminal.games.values():
        game.previous, game.stayed, game.auto_copy_to = {}, {}, None
        game.won = game.idle_spins = 0
        # Nothing lies on the layout: what the last player laid and took back is not for the next to bring back.
        begin_anew(game)


DECIDERS: Deciders = {EndSession: end_session}
EVOLVERS: Evolvers = {SessionEnded: session_ended}
