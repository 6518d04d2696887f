"""Self-audit: a terminal's meters beside what is on it, line by line, for whoever checks that they agree."""

from typing import Final

from croupier.house.name import TerminalId
from croupier.house.state import House
from croupier.house.terminal import Terminal
from croupier.web.outgoing import Meters
from croupier.web.querydata import AuditLine

#: The meters by their names, with the words for what each counts and the way in which it goes into the sum.
_COUNTED: Final = (
    ("notes", "Notes taken in", 1),
    ("bought_in", "Bought in at the cashier's", 1),
    ("tickets_in", "Tickets taken in", 1),
    ("tickets_back", "Tickets that went back", 1),
    ("adjusted_in", "Adjusted upwards", 1),
    ("granted", "Play money granted", 1),
    ("returned", "Brought back by sealed stakes", 1),
    ("refunded", "Sealed stakes that went back", 1),
    ("turnover", "Stakes sealed", -1),
    ("tickets_out", "Collected", -1),
    ("hand_pays", "Paid by hand", -1),
    ("payables_paid", "Payables of ended sessions paid", -1),
    ("adjusted_out", "Adjusted downwards", -1),
)


def self_audit(house: House, name: TerminalId, q: int) -> Meters:
    """Tell a terminal's meters, what they add up to, and what is on it."""
    terminal = house.terminals[name]
    meters = _meters(terminal)
    by_meters = tuple(AuditLine(words, sign * meters[each]) for each, words, sign in _COUNTED)
    on_terminal = (
        AuditLine("Credit", terminal.credit),
        AuditLine("Stakes that are not sealed", _unsealed(house, terminal)),
        AuditLine("Wins that are held", terminal.held),
        AuditLine("Less what players owe", -terminal.receivable),
        AuditLine("Payable to players of ended sessions", terminal.payable),
    )
    difference = sum(line.amount for line in by_meters) - sum(line.amount for line in on_terminal)
    return Meters(
        q=q,
        terminal=name,
        meters=meters,
        notes={str(value): pieces for value, pieces in sorted(terminal.meters.notes.items())},
        by_meters=by_meters,
        on_terminal=on_terminal,
        difference=difference,
        sound=difference == 0,
    )


def _meters(terminal: Terminal) -> dict[str, int]:
    meters = terminal.meters
    notes = sum(value * pieces for value, pieces in meters.notes.items())
    named = {each: getattr(meters, each) for each, _, _ in _COUNTED if each != "notes"}
    return {"games": meters.games, "notes": notes, **named}


def _unsealed(house: House, terminal: Terminal) -> int:
    """Add up the chips that are in no spin yet."""
    rounds = {table: house.tables[table].round for table in terminal.games}
    open_ = (each for each, round_ in rounds.items() if round_ is None or round_.over or round_.sealed is None)
    return sum(terminal.games[each].staked for each in open_)
