"""Who may send which command, when, and whether the terminal is in service."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Final

from croupier.house.declare import (
    COMMANDS,
    ChipCommand,
    Command,
    GameCommand,
    MachineRole,
    Permission,
    TableCommand,
    TerminalCommand,
)
from croupier.house.floor.settings import live_clause
from croupier.house.ids import SYSTEM, Context, DeviceId, Instant, PersonId, TerminalId
from croupier.house.state.tables import ANY_PHASE, BETTING_PHASES, Phase, Table, Terminal, phase_of
from croupier.rules.procedure import Duty, MessageKind
from croupier.rules.refusal import CitedTopic, ClauseId, Code, Refusal, Refused, raise_if, refuse
from croupier.rules.rulebook import Rulebook, Stakes

if TYPE_CHECKING:
    from croupier.house import House


def bets_objection(house: House, terminal: Terminal, rulebook: Rulebook) -> Refusal | None:
    """Refuse bets at a terminal that cannot take them, in any phase of the round."""
    return (
        out_of_service(house, terminal, rulebook)
        or offline_objection(terminal, rulebook)
        or held_win_objection(terminal, rulebook)
        or _paused(terminal)
    )


def _paused(terminal: Terminal) -> Refusal | None:
    """Refuse bets of a player who takes a break, or whose own time is over."""
    if terminal.pause is None:
        return None
    if terminal.pause_until is None:
        message = "The time that you have set for this session is over."
        return refuse(Code.PLAY_PAUSED, None, message, why="time")
    message = "You are taking a break: bets are possible after it."
    return refuse(Code.PLAY_PAUSED, None, message, until=terminal.pause_until, why="break")


def out_of_service(house: House, terminal: Terminal, rulebook: Rulebook) -> Refusal | None:
    """Refuse everything at a terminal that is out of service."""
    if terminal.closed or terminal.play_off:
        clause = rulebook.cited_clauses[CitedTopic.CLOSING_DOWN]
        return refuse(Code.TERMINAL_CLOSED, clause, "This terminal is out of service: please use another.")
    return blocked_objection(house, terminal)


def blocked_objection(house: House, terminal: Terminal) -> Refusal | None:
    """Refuse to move the money of a terminal with an open malfunction case."""
    if terminal.case is None:
        return None
    message = "This terminal is blocked until staff have looked into a malfunction."
    return refuse(Code.TERMINAL_BLOCKED, house.cases.all[terminal.case].clause, message, case=terminal.case)


def notes_off_objection(terminal: Terminal, rulebook: Rulebook) -> Refusal | None:
    """Refuse notes and tickets that the slot system has switched off."""
    if not terminal.notes_off:
        return None
    clause = rulebook.cited_clauses[CitedTopic.CREDIT_IN]
    return refuse(Code.TERMINAL_CLOSED, clause, "Notes and tickets are switched off at this terminal.")


def offline_objection(terminal: Terminal, rulebook: Rulebook) -> Refusal | None:
    """Refuse actions that a player at an offline terminal would not see."""
    return None if terminal.lost_at is None else offline_refusal(rulebook)


def offline_refusal(rulebook: Rulebook) -> Refusal:
    return refuse(Code.TERMINAL_DARK, rulebook.procedure.terminal_loss.clause, "This terminal is offline.")


def money_in_objection(house: House, terminal: Terminal, rulebook: Rulebook) -> Refusal | None:
    """Refuse notes and tickets at a terminal that is not in service, or that takes none."""
    return out_of_service(house, terminal, rulebook) or notes_off_objection(terminal, rulebook)


def held_win_objection(terminal: Terminal, rulebook: Rulebook) -> Refusal | None:
    """Refuse to stake, copy or collect while a win is held for its tax form."""
    if not terminal.holds:
        return None
    message = "A win awaits its tax form: staff are on their way, and play goes on after that."
    return refuse(Code.WIN_HELD, hold_clause(rulebook), message, held=terminal.held_total)


def hold_clause(rulebook: Rulebook) -> ClauseId:
    """Name the clause that holds wins for a tax form; the clause on paying out if the rules have none."""
    return rulebook.tax.clause if rulebook.tax else rulebook.cited_clauses[CitedTopic.CREDIT_OUT]


def require_permitted(house: House, command: Command, context: Context) -> None:
    """Refuse a command that its sender may not send, or not in this phase of the round."""
    declared = _declaration(type(command))
    if declared is None:
        raise Refused(Code.NOT_AUTHORISED, None, "This command is not permitted.")
    if context.device not in house.staff.devices:
        # The system is no device, and creates the house first.
        if house.setup.mode is None and not command.creates_house:
            raise Refused(Code.HOUSE_NOT_FOUNDED, None, "The house has not been created yet.")
        if context.device != SYSTEM:
            raise _unknown(house, Code.UNKNOWN_DEVICE, f"The device {context.device} is not enrolled here.")
    if declared.of_game:
        _require_player_command(house, command, declared.permission, context)  # type: ignore[arg-type]
        return
    if isinstance(command, TerminalCommand) and not command.adds and command.terminal not in house.terminals:
        raise no_terminal(house, command.terminal)
    if isinstance(command, TableCommand) and not command.adds and command.table not in house.tables:
        raise Refused(Code.UNKNOWN_TABLE, None, f"There is no table {command.table}.", table=command.table)
    _require_sender(house, command, declared.permission, context)
    _require_phase(house, command, declared.permission, context.now)


# Every command asks: a method of an imported name is made anew for each call.
_declaration: Final = COMMANDS.get


def no_terminal(house: House, terminal: str, at: str = "") -> Refused:
    return _unknown(house, Code.UNKNOWN_TERMINAL, f"There is no terminal {terminal} in this house.", at)


def _unknown(house: House, code: Code, message: str, at: str = "") -> Refused:
    """Refuse an unknown device, terminal or table, by the clause on terminals of the sender's rulebook if known."""
    terminal = house.terminals.get(TerminalId(at))
    books = house.rulebooks.values() if terminal is None else (house.rulebook_at(terminal),)
    return Refused(code, next((book.cited_clauses[CitedTopic.TERMINAL] for book in books), None), message)


def _require_sender(house: House, command: Command, permission: Permission, context: Context) -> None:
    if not context.person and machine_of(command, context) in permission.machines:
        return
    if context.person and context.person not in house.staff.people:
        raise Refused(Code.UNKNOWN_PERSON, None, f"{context.person} is not enrolled here.", person=context.person)
    if context.person and any(has_duty(house, command, duty, context) for duty in permission.duties):
        return
    if isinstance(command, GameCommand):
        player = house.tables[command.table].rulebook.cited_clauses[CitedTopic.PLAYER]
        raise Refused(Code.NOT_AUTHORISED, player, "Only the player at this terminal moves its chips.")
    rulebooks, duties = rulebooks_of(house, command), permission.duties
    titles = sorted(titles_for(rulebooks, duties))
    named = (book.staff.duties[duty].clause for book in rulebooks for duty in duties if duty in book.staff.duties)
    clause = next(named, None) or next((book.staff.clause for book in rulebooks), None)
    message = f"Only {' or '.join(titles)} may do that." if titles else "No title at this venue may do that."
    raise Refused(Code.NOT_AUTHORISED, clause, message, titles=tuple(titles))


def machine_of(command: Command, context: Context) -> MachineRole | None:
    """Name the machine that sent an unsigned command: the system, or the command's terminal or wheel."""
    if context.device == SYSTEM:
        return MachineRole.SYSTEM
    if isinstance(command, TerminalCommand):
        return MachineRole.TERMINAL if context.device == DeviceId(command.terminal) else None
    if isinstance(command, TableCommand):
        return MachineRole.WHEEL if context.device == DeviceId(command.table) else None
    return None


def has_duty(house: House, command: Command, duty: Duty, context: Context) -> bool:
    """Check whether the person who signed has a duty, by the rulebooks that apply to the command."""
    titles = titles_for(rulebooks_of(house, command), (duty,))
    return holds_title(house, context.person, titles, context.now)


def titles_for(rulebooks: Iterable[Rulebook], duties: Iterable[Duty]) -> tuple[str, ...]:
    """Name the titles that may do one of the duties by one of the rulebooks: by duty, the lowest title first."""
    books = tuple(rulebooks)
    return tuple(dict.fromkeys(title for duty in duties for book in books for title in book.staff.titles_for(duty)))


def holds_title(house: House, person: PersonId, titles: Iterable[str], now: Instant) -> bool:
    """Check whether an enrolled person holds one of the titles now; a released person holds none."""
    known = house.staff.people.get(person)
    return known is not None and not set(titles).isdisjoint(known.titles_at(now))


def acts_as(house: House, rulebook: Rulebook, titles: Iterable[str], context: Context) -> bool:
    """Check whether the person who signed holds one of these titles, or one above it."""
    held = tuple(house.staff.people[context.person].titles_at(context.now))
    return any(rulebook.staff.may(own, for_title=title) for title in titles for own in held)


def rulebooks_of(house: House, command: Command) -> tuple[Rulebook, ...]:
    """List the rulebooks that apply to a command: that of its table or terminal, or all in use."""
    table = command.table_in(house)
    if table is not None:
        return (table.rulebook,)
    return rulebooks_in_use(house) or tuple(house.rulebooks.values())


def rulebooks_in_use(house: House) -> tuple[Rulebook, ...]:
    """List the rulebooks that tables play by, each once."""
    return tuple({each.rulebook.digest: each.rulebook for each in house.tables.values()}.values())


def _require_phase(house: House, command: Command, permission: Permission, now: Instant) -> None:
    if permission.phases == ANY_PHASE or not isinstance(command, TableCommand):
        return
    table = house.tables[command.table]
    if not command.is_for(table):
        raise Refused(Code.WRONG_ROUND, round_clause(table, command), _OTHER_SPIN, round=table.rounds)
    if isinstance(command, ChipCommand) and table.live is not None:
        _require_chips_in_time(table, command, permission, now)
    elif table.phase not in permission.phases:
        raise out_of_turn(table, command)


_OTHER_SPIN: Final = "This command was meant for another spin."


def _require_chips_in_time(table: Table, command: ChipCommand, permission: Permission, now: Instant) -> None:
    """Refuse chips outside the betting period by the clauses on bets with chips."""
    phase, round_ = table.phase, table.round
    late = phase in BETTING_PHASES and round_ is not None and round_.closes_at is not None and now > round_.closes_at
    if phase in permission.phases and not late:
        return
    raise _outside_betting(table, partial(live_clause, table.rulebook), removes=command.withdraws)


def _require_player_command(house: House, command: GameCommand, permission: Permission, context: Context) -> None:
    """Refuse a player's command at a terminal out of service, for another round or spin, or after the close."""
    # A terminal and its device have the same name.
    device: str = context.device
    terminal = house.terminals.get(command.terminal)
    if terminal is None:
        raise no_terminal(house, command.terminal, device)
    game = terminal.games.get(command.table)
    if game is None:
        raise _unknown(house, Code.UNKNOWN_TABLE, f"This terminal does not play at {command.table}.", terminal.id)
    if device != command.terminal or context.person:
        _require_sender(house, command, permission, context)
    table = game.seat.table
    if (
        terminal.lost_at is not None
        or terminal.case is not None
        or terminal.pause is not None
        or terminal.closed
        or terminal.play_off
        or terminal.holds
    ):
        refusal = bets_objection(house, terminal, table.rulebook)
        if refusal is not None and not (command.takes_back and refusal.code in _TAKEN_BACK):
            raise_if(refusal)
    round_ = table.round
    if round_ is not None and command.round == round_.number and command.spin == round_.spin.number:
        closes_at = round_.closes_at
        if (closes_at is None or context.now <= closes_at) and phase_of(round_) in permission.phases:
            return
    _require_bet_in_time(table, command, permission, context, game.bets)


#: Why no chips may be placed, though they may be taken back: a held win, a closed terminal, a break.
_TAKEN_BACK: Final = (Code.WIN_HELD, Code.TERMINAL_CLOSED, Code.PLAY_PAUSED)


def _require_bet_in_time(
    table: Table, command: GameCommand, permission: Permission, context: Context, bets: Stakes
) -> None:
    """Refuse a player's command for another round or spin, or after the close; some commands are always in time."""
    round_, phases = table.round, permission.phases
    cites = table.rulebook.cited_clauses
    if round_ is None:
        in_time = Phase.BETWEEN in phases
    else:
        meant = command.round == round_.number and command.spin == round_.spin.number
        if not meant and not round_.over and phases != ANY_PHASE:
            clause = cites[CitedTopic.LATE_BET]
            raise Refused(Code.WRONG_ROUND, clause, _OTHER_SPIN, round=round_.number, spin=round_.spin.number)
        # The timer's deadline applies even if its tick is late.
        over = round_.closes_at is not None and context.now > round_.closes_at and phases == BETTING_PHASES
        in_time = not over and phase_of(round_) in phases
    if not in_time:
        raise _outside_betting(table, cites.__getitem__, removes=command.removes(bets))


def _outside_betting(table: Table, clause_of: Callable[[CitedTopic], ClauseId], *, removes: bool) -> Refused:
    """Refuse a bet before bets are open or after the close: at a terminal and with chips, each by its own clauses."""
    if table.phase is Phase.SUSPENDED:
        return _suspended(table)
    if table.phase in (Phase.BETWEEN, Phase.PAYING):
        return Refused(Code.BETS_NOT_OPEN, clause_of(CitedTopic.BETS_NOT_OPEN), "Bets are not open.")
    # Taking chips back may have a clause of its own.
    clause = clause_of(CitedTopic.LATE_REMOVAL if removes else CitedTopic.LATE_BET)
    closed = table.rulebook.messages[MessageKind.CLOSED].texts[0]
    return Refused(Code.BETS_CLOSED, clause, f"{closed}: nothing may be placed, changed or taken back.")


def out_of_turn(table: Table, command: Command) -> Refused:
    """Refuse a step that is not possible in this phase of the round."""
    phase = table.phase
    if phase is Phase.SUSPENDED:
        return _suspended(table)
    step = re.sub(r"(?<!^)(?=[A-Z])", " ", type(command).__name__).lower()
    message = f"Cannot {command.step or step} {_PHASE_WORDS[phase]}."
    return Refused(Code.OUT_OF_TURN, round_clause(table, command), message, phase=phase.value)


_PHASE_WORDS: Final = {
    Phase.BETWEEN: "between rounds",
    Phase.OPEN: "while bets are open",
    Phase.OPEN_RUNNING: "while bets are open and the ball runs",
    Phase.LAST_CALL: "after the last call",
    Phase.CLOSED: "after the close, before the spin",
    Phase.RUNNING: "while the ball runs",
    Phase.AT_REST: "before the number is announced",
    Phase.NO_SPIN: "after no spin",
    Phase.PAYING: "while chips are collected and paid",
}


def round_clause(table: Table, command: Command) -> ClauseId:
    """Name the clause on the order of steps: at a live table, that of the step with chips that was meant."""
    if table.live is None:
        return table.rulebook.cited_clauses[CitedTopic.ROUND]
    return live_clause(table.rulebook, command.cited_topic(table))


def _suspended(table: Table) -> Refused:
    return Refused(Code.ROUND_SUSPENDED, table.playing.clause, "The round is suspended until it is decided.")
