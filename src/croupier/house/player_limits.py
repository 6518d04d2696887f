"""What a player asks for besides bets: limits of their own, a break, an attendant."""

from collections.abc import Iterator
from typing import Final

from croupier.house.base import Decision, Events
from croupier.house.commands.play import AnswerCall, CallAttendant, EndBreak, SetPlayLimits, TakeBreak, WithdrawCall
from croupier.house.events.play import (
    AttendantCalled,
    BetsReturned,
    CallAnswered,
    CallWithdrawn,
    PauseReason,
    PlayLimitsSet,
    PlayPaused,
    PlayResumed,
    ReturnReason,
)
from croupier.house.ids import SECOND, Context, Instant, TerminalId
from croupier.house.state import Deciders, Evolvers, House
from croupier.house.state.tables import AttendantCall, SeatMessage, SeatMessageKind, Terminal
from croupier.house.timer_heap import TimerKind
from croupier.rules.money import Cents
from croupier.rules.refusal import CitedTopic, Code, Refusal, refuse

MINUTE: Final = 60 * SECOND
#: The longest break, and the longest time limit.
MINUTES_MAX: Final = 24 * 60


def call_attendant(house: House, command: CallAttendant, _context: Context) -> Decision:
    call = house.terminals[command.terminal].call
    if call is not None and call.reason is command.reason:
        return refuse(Code.ALREADY_THERE, None, "The pit has the call already.", why="call")
    return (AttendantCalled(command.terminal, command.reason),)


def attendant_called(house: House, event: AttendantCalled, context: Context) -> None:
    terminal = house.terminals[event.terminal]
    # A call that becomes more precise keeps its place in the queue.
    at = context.now if terminal.call is None else terminal.call.at
    terminal.call = AttendantCall(event.reason, at)


def _no_call() -> Refusal:
    return refuse(Code.NOTHING_THERE, None, "No attendant is called to this terminal.", why="call")


def withdraw_call(house: House, command: WithdrawCall, _context: Context) -> Decision:
    return _no_call() if house.terminals[command.terminal].call is None else (CallWithdrawn(command.terminal),)


def call_withdrawn(house: House, event: CallWithdrawn, _context: Context) -> None:
    house.terminals[event.terminal].call = None


def answer_call(house: House, command: AnswerCall, _context: Context) -> Decision:
    if house.terminals[command.terminal].call is None:
        return _no_call()
    return (CallAnswered(command.terminal, command.words),)


def call_answered(house: House, event: CallAnswered, _context: Context) -> None:
    terminal = house.terminals[event.terminal]
    terminal.call = None
    terminal.messages.append(SeatMessage(SeatMessageKind.ANSWERED, text=event.words))


def set_play_limits(house: House, command: SetPlayLimits, _context: Context) -> Decision:
    """Tighten the player's own limits; a looser limit must wait for the next session."""
    terminal = house.terminals[command.terminal]
    if command.minutes is not None and not 0 < command.minutes <= MINUTES_MAX:
        return _no_such_time()
    if _looser(command.loss, terminal.loss_limit) or _looser(command.minutes, terminal.time_limit):
        message = "A limit can only be tightened in a session: a looser one is possible from the next session on."
        return refuse(Code.SETTING_IMPOSSIBLE, None, message, why="looser")
    if (command.loss, command.minutes) == (terminal.loss_limit, terminal.time_limit):
        return ()
    loss = None if command.loss is None else Cents(command.loss)
    return (PlayLimitsSet(command.terminal, loss, command.minutes),)


def _looser(wanted: int | None, current: int | None) -> bool:
    return current is not None and (wanted is None or wanted > current)


def _no_such_time() -> Refusal:
    message = f"A time limit or a break has 1 to {MINUTES_MAX} minutes."
    return refuse(Code.SETTING_IMPOSSIBLE, None, message, most=MINUTES_MAX, why="minutes")


def play_limits_set(house: House, event: PlayLimitsSet, _context: Context) -> None:
    terminal = house.terminals[event.terminal]
    terminal.loss_limit, terminal.time_limit = event.loss, event.minutes
    schedule_pause(house, terminal)


def take_break(house: House, command: TakeBreak, context: Context) -> Decision:
    """Begin a break, or make it longer. Chips that are in no spin go back; sealed chips are played."""
    terminal = house.terminals[command.terminal]
    if not 0 < command.minutes <= MINUTES_MAX:
        return _no_such_time()
    until = Instant(context.now + command.minutes * MINUTE)
    if terminal.pause_until is not None and until <= terminal.pause_until:
        message = "This break lasts longer already."
        return refuse(Code.ALREADY_THERE, None, message, until=terminal.pause_until, why="break")
    return _paused(house, terminal, PauseReason.BREAK, until)


def _paused(house: House, terminal: Terminal, why: PauseReason, until: Instant | None = None) -> Events:
    return PlayPaused(terminal.id, why, until), *_chips_back(house, terminal)


def _chips_back(house: House, terminal: Terminal) -> Iterator[BetsReturned]:
    """Return every chip that is not in a spin."""
    clause = house.rulebook_at(terminal).cited_clauses[CitedTopic.BETS]
    for game in terminal.games.values():
        table = house.tables[game.table]
        if game.bets and (table.round is None or table.round.over or table.round.sealed is None):
            yield BetsReturned(game.id, table.rounds, ReturnReason.PAUSED, clause, tuple(game.bets))


def play_paused(house: House, event: PlayPaused, _context: Context) -> None:
    terminal = house.terminals[event.terminal]
    terminal.pause, terminal.pause_until = event.why, event.until
    schedule_pause(house, terminal)


def end_break(house: House, command: EndBreak, _context: Context) -> Decision:
    if house.terminals[command.terminal].pause is not PauseReason.BREAK:
        return refuse(Code.NOTHING_THERE, None, "Nobody takes a break at this terminal.", why="break")
    return (PlayResumed(command.terminal),)


def play_resumed(house: House, event: PlayResumed, _context: Context) -> None:
    terminal = house.terminals[event.terminal]
    terminal.pause = terminal.pause_until = None
    schedule_pause(house, terminal)


def pause_changes_at(terminal: Terminal) -> Instant | None:
    """Compute when a break ends, or when the player's own time is over."""
    if terminal.pause is not None:
        return terminal.pause_until
    if terminal.time_limit is None or terminal.session_since is None:
        return None
    return Instant(terminal.session_since + terminal.time_limit * MINUTE)


def pause_due(house: House, name: TerminalId) -> Events:
    """End a break that is over, or pause a player whose own time is over."""
    terminal = house.terminals[name]
    if terminal.pause is not None:
        return (PlayResumed(name),)
    return _paused(house, terminal, PauseReason.TIME)


def schedule_pause(house: House, terminal: Terminal) -> None:
    house.timers.schedule(TimerKind.PAUSE, terminal.id, pause_changes_at(terminal))


def end_own_limits(house: House, terminal: Terminal) -> None:
    """End the limits of a player whose session ends; a break goes on."""
    terminal.loss_limit = terminal.time_limit = None
    if terminal.pause is PauseReason.TIME:
        terminal.pause = None
    schedule_pause(house, terminal)


DECIDERS: Deciders = {
    CallAttendant: call_attendant,
    WithdrawCall: withdraw_call,
    AnswerCall: answer_call,
    SetPlayLimits: set_play_limits,
    TakeBreak: take_break,
    EndBreak: end_break,
}
EVOLVERS: Evolvers = {
    AttendantCalled: attendant_called,
    CallWithdrawn: call_withdrawn,
    CallAnswered: call_answered,
    PlayLimitsSet: play_limits_set,
    PlayPaused: play_paused,
    PlayResumed: play_resumed,
}
