"""Authority: whether this device and person may ask for a thing now, by the table of grants and the venue's titles."""

import re
from collections.abc import Iterable
from typing import Final

from croupier.house.answer import refuse
from croupier.house.command import credit, play, record, venue
from croupier.house.command.base import AtGame, AtStep, AtTable, AtTerminal, Command
from croupier.house.felt import Stakes
from croupier.house.grant import AUTHORITY, BETTING, EVER, Grant, Machine
from croupier.house.name import DeviceId, TerminalId
from croupier.house.service import no_bets
from croupier.house.stamp import SYSTEM, Stamp
from croupier.house.state import House
from croupier.house.table import Phase, Table
from croupier.rules.matter import Matter
from croupier.rules.procedure import Occasion
from croupier.rules.refusal import Code, Refusal
from croupier.rules.rulebook import Rulebook
from croupier.rules.staff import Duty


def objection(house: House, command: Command, stamp: Stamp) -> Refusal | None:
    """Say why this device and person may not ask for this, or not now."""
    grant = AUTHORITY.get(type(command))
    if grant is None:
        return refuse(Code.NOT_AUTHORISED, None, "Nobody may ask for that.")
    if house.mode is None and not isinstance(command, venue.FoundHouse):
        return refuse(Code.HOUSE_NOT_FOUNDED, None, "The house has not been founded yet.")
    if stamp.device not in house.devices and stamp.device != SYSTEM:
        return _unknown(house, Code.UNKNOWN_DEVICE, f"The device {stamp.device} is not enrolled here.")
    if type(command) in _AT_GAME:
        # Nothing else is in there, which no type can say.
        return _at_game(house, command, grant, stamp)  # type: ignore[arg-type]
    return _where(house, command) or _who(house, command, grant, stamp) or _when(house, command, grant)


#: Looked up by type, as every chip comes past here: to ask whether it is an instance takes three times as long.
_AT_GAME: Final = frozenset(each for each in AUTHORITY if issubclass(each, AtGame))


def _where(house: House, command: Command) -> Refusal | None:
    """Say that a command names a table or terminal that is not there; those that add one do so rightly."""
    match command:
        case venue.AddTable() | venue.AddTerminal():
            return None
        case AtTerminal() if command.terminal not in house.terminals:
            return no_terminal(house, command.terminal)
        case AtTable() if command.table not in house.tables:
            return refuse(Code.UNKNOWN_TABLE, None, f"There is no table {command.table}.", table=command.table)
        case _:
            return None


def no_terminal(house: House, terminal: str, at: str = "") -> Refusal:
    return _unknown(house, Code.UNKNOWN_TERMINAL, f"There is no terminal {terminal} in this house.", at)


def _unknown(house: House, code: Code, says: str, at: str = "") -> Refusal:
    """Refuse what does not belong to the house, by the clause on which devices may bet: a terminal's own, at one."""
    terminal = house.terminals.get(TerminalId(at))
    books = house.rulebooks.values() if terminal is None else (house.rulebook_at(terminal),)
    return refuse(code, next((book.cites[Matter.TERMINAL] for book in books), None), says)


def _who(house: House, command: Command, grant: Grant, stamp: Stamp) -> Refusal | None:
    if not stamp.person and machine_of(command, stamp) in grant.machines:
        return None
    if stamp.person and stamp.person not in house.people:
        return refuse(Code.UNKNOWN_PERSON, None, f"{stamp.person} is not enrolled here.", person=stamp.person)
    if stamp.person and any(has_duty(house, command, duty, stamp) for duty in grant.duties):
        return None
    return _not_authorised(house, command, grant)


def machine_of(command: Command, stamp: Stamp) -> Machine | None:
    """Tell what an unsigned command comes from, as far as the command itself shows."""
    if stamp.device == SYSTEM:
        return Machine.SYSTEM
    if isinstance(command, AtTerminal):
        return Machine.TERMINAL if stamp.device == DeviceId(command.terminal) else None
    if isinstance(command, AtTable):
        return Machine.WHEEL if stamp.device == DeviceId(command.table) else None
    return None


def has_duty(house: House, command: Command, duty: Duty, stamp: Stamp) -> bool:
    """Tell whether the person who signed has a duty, by the rules that the command falls under."""
    wanted = {title for rulebook in rulebooks_of(house, command) for title in rulebook.staff.titles_for(duty)}
    return not wanted.isdisjoint(house.people[stamp.person].titles_at(stamp.now))


def acts_as(house: House, rulebook: Rulebook, titles: Iterable[str], stamp: Stamp) -> bool:
    """Tell whether the person who signed holds one of these titles, or one above it."""
    held = tuple(house.people[stamp.person].titles_at(stamp.now))
    return any(rulebook.staff.may(own, for_title=title) for title in titles for own in held)


OF_TICKET: Final = (credit.ReprintTicket, credit.VoidTicket, credit.ReleaseTicket, credit.ReportLost)
OF_DISPUTE: Final = (
    record.DecideDispute,
    record.AdviseComplainant,
    record.RequestReview,
    record.RecordReview,
    record.CloseDispute,
)


def rulebooks_of(house: House, command: Command) -> tuple[Rulebook, ...]:
    """Name the rulebooks that a command falls under: its table's, its terminal's, or any of the house's."""
    table = table_of(house, command)
    if table is not None:
        return (table.rulebook,)
    in_use = {each.rulebook.digest: each.rulebook for each in house.tables.values()}
    return tuple((in_use or house.rulebooks).values())


def table_of(house: House, command: Command) -> Table | None:
    if isinstance(command, AtGame | AtTable):
        return house.tables.get(command.table)
    terminal = _terminal_of(house, command)
    if terminal is not None and terminal in house.terminals:
        return house.tables[next(iter(house.terminals[terminal].games))]
    dispute = house.disputes.get(command.dispute) if isinstance(command, OF_DISPUTE) else None
    return None if dispute is None else house.tables[dispute.table]


def _terminal_of(house: House, command: Command) -> TerminalId | None:
    """Find the terminal that a command is about: its own, or that of the case or ticket it names."""
    if isinstance(command, AtTerminal):
        return command.terminal
    if isinstance(command, record.ConfirmBets | record.VoidBets | record.ClearCase):
        case = house.cases.get(command.case)
        return None if case is None else case.terminal
    if isinstance(command, OF_TICKET):
        ticket = house.tickets.get(command.sequence)
        return None if ticket is None else ticket.terminal
    return None


def _not_authorised(house: House, command: Command, grant: Grant) -> Refusal:
    rulebooks, duties = rulebooks_of(house, command), grant.duties
    if isinstance(command, AtGame):
        player = house.tables[command.table].rulebook.cites[Matter.PLAYER]
        return refuse(Code.NOT_AUTHORISED, player, "Only the player at this terminal moves its chips.")
    titles = sorted({title for book in rulebooks for duty in duties for title in book.staff.titles_for(duty)})
    named = (book.staff.duties[duty].clause for book in rulebooks for duty in duties if duty in book.staff.duties)
    clause = next(named, None) or next((book.staff.clause for book in rulebooks), None)
    says = f"That is for {' or '.join(titles)} to do." if titles else "That is not for anybody to ask for here."
    return refuse(Code.NOT_AUTHORISED, clause, says, titles=tuple(titles))


def _when(house: House, command: Command, grant: Grant) -> Refusal | None:
    if grant.phases == EVER or not isinstance(command, AtTable):
        return None
    table = house.tables[command.table]
    if isinstance(command, AtStep) and not _meant(table, command):
        clause, says = table.rulebook.cites[Matter.ROUND], "That was meant for another spin."
        return refuse(Code.WRONG_ROUND, clause, says, round=table.rounds)
    return None if table.phase in grant.phases else out_of_turn(table, command)


def _meant(table: Table, command: AtStep) -> bool:
    """Tell whether a step was meant for the spin that runs, as far as it says."""
    spin = 1 if table.round is None else table.round.spin
    return command.round in (None, table.rounds) and command.spin in (None, spin)


def _at_game(house: House, command: AtGame, grant: Grant, stamp: Stamp) -> Refusal | None:
    """A player's command: the terminal must be in service, and the command meant for the round that is running."""
    terminal = house.terminals.get(command.terminal)
    if terminal is None:
        return no_terminal(house, command.terminal, stamp.device)
    if command.table not in terminal.games:
        return _unknown(house, Code.UNKNOWN_TABLE, f"This terminal does not play at {command.table}.", terminal.id)
    if stamp.device != DeviceId(command.terminal) or stamp.person:
        return _who(house, command, grant, stamp)
    table = house.tables[command.table]
    refusal = no_bets(house, terminal, table.rulebook)
    if refusal is not None and not _may_take_back(command, refusal):
        return refusal
    round_ = table.round
    meant = round_ is None or (command.round == round_.number and command.spin == round_.spin)
    if not meant and round_ is not None and not round_.over and grant.phases != EVER:
        clause, says = table.rulebook.cites[Matter.LATE_BET], "That was meant for another spin."
        return refuse(Code.WRONG_ROUND, clause, says, round=round_.number, spin=round_.spin)
    # The timer's word holds also where its tick is late.
    over = round_ is not None and round_.closes_at is not None and stamp.now > round_.closes_at
    phase = Phase.BETWEEN if round_ is None else round_.phase
    in_time = phase in grant.phases and not (over and grant.phases == BETTING)
    return None if in_time else _no_bets_now(table, command, terminal.games[table.id].bets)


def _may_take_back(command: AtGame, refusal: Refusal) -> bool:
    """What keeps a player from staking credits does not keep anybody from taking chips back."""
    taking_back = isinstance(command, play.RemoveBets | play.ClearBets)
    return taking_back and refusal.code in (Code.WIN_HELD, Code.TERMINAL_CLOSED)


def out_of_turn(table: Table, command: Command) -> Refusal:
    """Word the refusal of a step that has no place in this state of the round."""
    phase = table.phase
    if phase is Phase.SUSPENDED:
        return _suspended(table)
    step = re.sub(r"(?<!^)(?=[A-Z])", " ", type(command).__name__).lower()
    says = f"To {step} has no place while the round is {phase.value.replace('_', ' ')}."
    return refuse(Code.OUT_OF_TURN, table.rulebook.cites[Matter.ROUND], says, phase=phase.value)


def _suspended(table: Table) -> Refusal:
    return refuse(Code.ROUND_SUSPENDED, table.playing.clause, "The round is suspended until somebody decides it.")


def _no_bets_now(table: Table, command: AtGame, bets: Stakes) -> Refusal:
    """Word the refusal of a player's command outside the betting period; a withdrawal may have its own clause."""
    cites, phase = table.rulebook.cites, table.phase
    if phase is Phase.SUSPENDED:
        return _suspended(table)
    if phase is Phase.BETWEEN:
        return refuse(Code.BETS_NOT_OPEN, cites[Matter.BETS_NOT_OPEN], "Bets are not open.")
    lowers = isinstance(command, play.ChangeBet) and command.stake < bets.get(command.spot, 0)
    removal = lowers or isinstance(command, play.RemoveBets | play.UndoBet | play.ClearBets)
    clause = cites[Matter.LATE_REMOVAL if removal else Matter.LATE_BET]
    return refuse(Code.BETS_CLOSED, clause, f"{closed_text(table)}: nothing may be placed, changed or taken back.")


def closed_text(table: Table) -> str:
    return table.rulebook.messages[Occasion.CLOSED].texts[0]
