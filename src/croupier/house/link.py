"""The link: which terminals are dark, and since when."""

from croupier.house.answer import Deciders, Decision, Evolvers, refuse
from croupier.house.command.record import LoseTerminal, ReturnTerminal
from croupier.house.event.record import TerminalLost, TerminalReturned
from croupier.house.name import TerminalId
from croupier.house.stamp import Stamp
from croupier.house.state import House
from croupier.rules.refusal import Code, Refusal


def lose_terminal(house: House, command: LoseTerminal, _stamp: Stamp) -> Decision:
    if command.terminal in house.dark:
        return _already(house, command.terminal, f"Terminal {command.terminal} is dark already.")
    return (TerminalLost(command.terminal),)


def return_terminal(house: House, command: ReturnTerminal, _stamp: Stamp) -> Decision:
    if command.terminal not in house.dark:
        return _already(house, command.terminal, f"Terminal {command.terminal} is not dark.")
    return (TerminalReturned(command.terminal),)


def _already(house: House, terminal: TerminalId, says: str) -> Refusal:
    clause = house.rulebook_at(house.terminals[terminal]).procedure.terminal_loss.clause
    return refuse(Code.ALREADY_THERE, clause, says)


def terminal_lost(house: House, event: TerminalLost, stamp: Stamp) -> None:
    house.terminals[event.terminal].lost_at = stamp.now
    house.dark.add(event.terminal)


def terminal_returned(house: House, event: TerminalReturned, _stamp: Stamp) -> None:
    house.terminals[event.terminal].lost_at = None
    house.dark.remove(event.terminal)


DECIDERS: Deciders = {LoseTerminal: lose_terminal, ReturnTerminal: return_terminal}
EVOLVERS: Evolvers = {TerminalLost: terminal_lost, TerminalReturned: terminal_returned}
