"""Sessions: how long the player at a terminal has played and with what result, since credits were last collected."""

from typing import NamedTuple

from croupier.house.name import Instant
from croupier.house.stamp import Stamp
from croupier.house.state import House
from croupier.house.terminal import Terminal


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


def begin(terminal: Terminal, stamp: Stamp) -> None:
    """Count the time of a session from the first money that comes in."""
    if terminal.session_since is None:
        terminal.session_since = stamp.now


def end(terminal: Terminal) -> None:
    """End a session with the last of its credits: what was kept for one player is not for the next."""
    terminal.patterns, terminal.ghost = {}, None
    terminal.messages.clear()
    terminal.session_games, terminal.straight_only = 0, False
    terminal.session += 1
    terminal.session_since = None
    terminal.session_in, terminal.session_out = terminal.meters.put_in, terminal.meters.taken_out
    for game in terminal.games.values():
        game.previous, game.auto_copy_to = {}, None
