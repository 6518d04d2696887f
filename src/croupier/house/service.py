"""Service: whether a terminal takes bets and money now, and what keeps it from that."""

from croupier.house.answer import refuse
from croupier.house.state import House
from croupier.house.terminal import Terminal
from croupier.rules.clause import ClauseId
from croupier.rules.matter import Matter
from croupier.rules.refusal import Code, Refusal
from croupier.rules.rulebook import Rulebook


def no_bets(house: House, terminal: Terminal, rulebook: Rulebook) -> Refusal | None:
    """Say why a terminal takes no bets now, whatever the round does."""
    if terminal.lost_at is None and terminal.case is None and not (terminal.closed or terminal.holds):
        return None
    return out_of_service(house, terminal, rulebook) or dark(terminal, rulebook) or held(terminal, rulebook)


def out_of_service(house: House, terminal: Terminal, rulebook: Rulebook) -> Refusal | None:
    """Say why a terminal takes nothing at all."""
    if terminal.closed:
        clause = rulebook.cites[Matter.CLOSING_DOWN]
        return refuse(Code.TERMINAL_CLOSED, clause, "This terminal is out of service: please use another.")
    return blocked(house, terminal)


def blocked(house: House, terminal: Terminal) -> Refusal | None:
    """Say what malfunction keeps a terminal's money where it is."""
    if terminal.case is None:
        return None
    says = "This terminal is blocked until staff have looked into a malfunction."
    return refuse(Code.TERMINAL_BLOCKED, house.cases[terminal.case].clause, says, case=terminal.case)


def dark(terminal: Terminal, rulebook: Rulebook) -> Refusal | None:
    """Say that nobody at a terminal would see what happens to it."""
    if terminal.lost_at is None:
        return None
    clause = rulebook.procedure.terminal_loss.clause
    return refuse(Code.TERMINAL_DARK, clause, "The link to this terminal is gone.")


def held(terminal: Terminal, rulebook: Rulebook) -> Refusal | None:
    """Say that a win is held: nothing is staked, copied or collected until its form is recorded."""
    if not terminal.holds:
        return None
    says = "A win awaits its tax form: staff are on their way, and play goes on after that."
    return refuse(Code.WIN_HELD, hold_clause(rulebook), says, held=terminal.held)


def hold_clause(rulebook: Rulebook) -> ClauseId:
    """Name the clause that holds wins for a form; where later rules have none, the one on paying out."""
    return rulebook.tax.clause if rulebook.tax else rulebook.cites[Matter.CREDIT_OUT]
