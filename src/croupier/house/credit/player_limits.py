"""What a player asks for besides bets: limits of their own, a break, an attendant."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from croupier.house.declare import (
    Amount,
    Count,
    Event,
    Events,
    EventTopic,
    MachineRole,
    TerminalCommand,
    TerminalEvent,
    command,
    decides,
    event,
    evolves,
)
from croupier.house.ids import SECOND, Context, Instant, TerminalId
from croupier.house.play.betting import BetsReturned, ReturnReason
from croupier.house.state.tables import AttendantCall, CallReason, PauseReason, SeatMessage, SeatMessageKind, Terminal
from croupier.house.state.timer_heap import TimerKind
from croupier.rules.money import Cents
from croupier.rules.procedure import Duty
from croupier.rules.refusal import CitedTopic, Code, Refused

if TYPE_CHECKING:
    from croupier.house import House


@command(MachineRole.TERMINAL)
class CallAttendant(TerminalCommand, frozen=True):
    """Call an attendant to a terminal, or say what an open call is about."""

    reason: CallReason = CallReason.OTHER


@event("An attendant was called: {reason}.", EventTopic.STAFF)
class AttendantCalled(TerminalEvent, frozen=True):
    """A player called an attendant, or said what the call is about."""

    reason: CallReason


@decides(CallAttendant)
def call_attendant(house: House, command: CallAttendant, _context: Context) -> Events:
    call = house.terminals[command.terminal].call
    if call is not None and call.reason is command.reason:
        raise Refused(Code.ALREADY_THERE, None, "The pit has the call already.", why="call")
    return (AttendantCalled(command.terminal, command.reason),)


@evolves(AttendantCalled)
def attendant_called(house: House, event: AttendantCalled, context: Context) -> None:
    terminal = house.terminals[event.terminal]
    # A call that becomes more precise keeps its place in the queue.
    at = context.now if terminal.call is None else terminal.call.at
    terminal.call = AttendantCall(event.reason, at)


@command(MachineRole.TERMINAL)
class WithdrawCall(TerminalCommand, frozen=True):
    """Take back a call for an attendant."""


@event("The call for an attendant was taken back.", EventTopic.STAFF)
class CallWithdrawn(TerminalEvent, frozen=True):
    """A player took back a call for an attendant."""


@decides(WithdrawCall)
def withdraw_call(house: House, command: WithdrawCall, _context: Context) -> Events:
    _require_call(house, command)
    return (CallWithdrawn(command.terminal),)


def _require_call(house: House, command: WithdrawCall | AnswerCall) -> None:
    if house.terminals[command.terminal].call is None:
        raise Refused(Code.NOTHING_THERE, None, "No attendant is called to this terminal.", why="call")


@evolves(CallWithdrawn)
def call_withdrawn(house: House, event: CallWithdrawn, _context: Context) -> None:
    house.terminals[event.terminal].call = None


@command(Duty.INSPECT)
class AnswerCall(TerminalCommand, frozen=True):
    """Answer a player's call: the terminal shows that an attendant is coming."""

    words: str = ""


@event("The call for an attendant was answered. {words}", EventTopic.STAFF)
class CallAnswered(TerminalEvent, frozen=True):
    """Staff answered a call for an attendant."""

    words: str


@decides(AnswerCall)
def answer_call(house: House, command: AnswerCall, _context: Context) -> Events:
    _require_call(house, command)
    return (CallAnswered(command.terminal, command.words),)


@evolves(CallAnswered)
def call_answered(house: House, event: CallAnswered, _context: Context) -> None:
    terminal = house.terminals[event.terminal]
    terminal.call = None
    terminal.show(SeatMessage(SeatMessageKind.ANSWERED, text=event.words))


@command(MachineRole.TERMINAL)
class SetPlayLimits(TerminalCommand, frozen=True):
    """Set the player's own limits of this session: the most to lose, and the minutes to play. They can be tightened."""

    loss: Amount | None = None
    minutes: Count | None = None


@event("The player's own limits: loss {loss}, minutes {minutes}.", EventTopic.BETS)
class PlayLimitsSet(TerminalEvent, frozen=True):
    """A player set limits of their own for this session; None for no limit."""

    loss: Cents | None
    minutes: int | None


#: The longest break, and the longest time limit.
MINUTES_MAX: Final = 24 * 60


@decides(SetPlayLimits)
def set_play_limits(house: House, command: SetPlayLimits, _context: Context) -> Events:
    """Tighten the player's own limits; a looser limit must wait for the next session."""
    terminal = house.terminals[command.terminal]
    if command.minutes is not None:
        _check_minutes(command.minutes)
    if _looser(command.loss, terminal.loss_limit) or _looser(command.minutes, terminal.time_limit):
        message = "A limit can only be tightened in a session: a looser one is possible from the next session on."
        raise Refused(Code.SETTING_IMPOSSIBLE, None, message, why="looser")
    if (command.loss, command.minutes) == (terminal.loss_limit, terminal.time_limit):
        return ()
    loss = None if command.loss is None else Cents(command.loss)
    return (PlayLimitsSet(command.terminal, loss, command.minutes),)


def _looser(wanted: int | None, current: int | None) -> bool:
    return current is not None and (wanted is None or wanted > current)


def _check_minutes(minutes: int) -> None:
    if not 0 < minutes <= MINUTES_MAX:
        message = f"A time limit or a break has 1 to {MINUTES_MAX} minutes."
        raise Refused(Code.SETTING_IMPOSSIBLE, None, message, most=MINUTES_MAX, why="minutes")


@evolves(PlayLimitsSet)
def play_limits_set(house: House, event: PlayLimitsSet, _context: Context) -> None:
    terminal = house.terminals[event.terminal]
    terminal.loss_limit, terminal.time_limit = event.loss, event.minutes
    schedule_pause(house, terminal)


def schedule_pause(house: House, terminal: Terminal) -> None:
    house.timers.schedule(TimerKind.PAUSE, terminal.id, pause_changes_at(terminal))


MINUTE: Final = 60 * SECOND


def pause_changes_at(terminal: Terminal) -> Instant | None:
    """Compute when a break ends, or when the player's own time is over."""
    if terminal.pause is not None:
        return terminal.pause_until
    if terminal.time_limit is None or terminal.session_since is None:
        return None
    return Instant(terminal.session_since + terminal.time_limit * MINUTE)


@command(MachineRole.TERMINAL)
class TakeBreak(TerminalCommand, frozen=True):
    """Take a break of some minutes: the terminal accepts no bets until it is over."""

    minutes: Count


@event("Play is paused: {why}.", EventTopic.BETS)
class PlayPaused(TerminalEvent, frozen=True):
    """A player takes a break, or the player's own time is over."""

    why: PauseReason
    until: Instant | None = None


@decides(TakeBreak)
def take_break(house: House, command: TakeBreak, context: Context) -> Events:
    """Begin a break, or make it longer. Chips that are in no spin go back; sealed chips are played."""
    terminal = house.terminals[command.terminal]
    _check_minutes(command.minutes)
    until = Instant(context.now + command.minutes * MINUTE)
    if terminal.pause_until is not None and until <= terminal.pause_until:
        message = "This break lasts longer already."
        raise Refused(Code.ALREADY_THERE, None, message, until=terminal.pause_until, why="break")
    return _paused(house, terminal, PauseReason.BREAK, until)


def _paused(house: House, terminal: Terminal, why: PauseReason, until: Instant | None = None) -> Events:
    """Pause play, and return every chip that is not in a spin."""
    events: list[Event] = [PlayPaused(terminal.id, why, until)]
    clause = house.rulebook_at(terminal).cited_clauses[CitedTopic.BETS]
    for game in terminal.games.values():
        table = house.tables[game.table]
        if game.bets and (table.round is None or table.round.over or table.round.sealed is None):
            events.append(BetsReturned(game.id, table.rounds, ReturnReason.PAUSED, clause, tuple(game.bets)))
    return tuple(events)


@evolves(PlayPaused)
def play_paused(house: House, event: PlayPaused, _context: Context) -> None:
    terminal = house.terminals[event.terminal]
    terminal.pause, terminal.pause_until = event.why, event.until
    schedule_pause(house, terminal)


@command(Duty.INSPECT)
class EndBreak(TerminalCommand, frozen=True):
    """End a break at a terminal, for another player."""


@event("Play may go on.", EventTopic.BETS)
class PlayResumed(TerminalEvent, frozen=True):
    """A break is over, or staff ended it."""


@decides(EndBreak)
def end_break(house: House, command: EndBreak, _context: Context) -> Events:
    if house.terminals[command.terminal].pause is not PauseReason.BREAK:
        raise Refused(Code.NOTHING_THERE, None, "Nobody takes a break at this terminal.", why="break")
    return (PlayResumed(command.terminal),)


@evolves(PlayResumed)
def play_resumed(house: House, event: PlayResumed, _context: Context) -> None:
    terminal = house.terminals[event.terminal]
    terminal.pause = terminal.pause_until = None
    schedule_pause(house, terminal)


def pause_due(house: House, name: TerminalId) -> Events:
    """End a break that is over, or pause a player whose own time is over."""
    terminal = house.terminals[name]
    if terminal.pause is not None:
        return (PlayResumed(name),)
    return _paused(house, terminal, PauseReason.TIME)


def end_own_limits(house: House, terminal: Terminal) -> None:
    """End the limits of a player whose session ends; a break continues."""
    terminal.loss_limit = terminal.time_limit = None
    if terminal.pause is PauseReason.TIME:
        terminal.pause = None
    schedule_pause(house, terminal)
