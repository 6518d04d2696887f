"""Malfunctions: a terminal's case from the moment it is raised, which decides what becomes of its bets, to its end."""

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from croupier.house import session
from croupier.house.answer import Deciders, Decision, Events, Evolvers, refuse
from croupier.house.books import Account
from croupier.house.chips import take_back
from croupier.house.command.record import (
    ClearCase,
    ClearLineLoss,
    ConfirmBets,
    Fault,
    RaiseMalfunction,
    ReportDisplay,
    VoidBets,
)
from croupier.house.docket import Case, CaseState
from croupier.house.event.play import BetsReturned, Return
from croupier.house.event.record import BetsConfirmed, BetsVoided, CaseCleared, LineLossCleared, MalfunctionRaised
from croupier.house.name import SECOND, Instant, Number, RoundNumber, TableId, TerminalId
from croupier.house.retention import retire_cases
from croupier.house.settling import credit_win, rewrite_record
from croupier.house.stamp import Stamp
from croupier.house.state import House
from croupier.house.table import Round, Status, Table
from croupier.house.terminal import Game, Terminal
from croupier.rules.irregularity import Effect, Reason, find
from croupier.rules.matter import Matter
from croupier.rules.money import amount_text
from croupier.rules.pocket import Pocket
from croupier.rules.procedure import TerminalLoss
from croupier.rules.refusal import Code, Refusal
from croupier.rules.rulebook import Rulebook

_MATTERS = {
    Fault.CREDITS: Matter.FAULT_CREDITS,
    Fault.NUMBERS: Matter.FAULT_NUMBERS,
    Fault.INTERRUPTED: Matter.FAULT_INTERRUPTED,
    Fault.OPINION: Matter.FAULT_OPINION,
}


def raise_malfunction(house: House, command: RaiseMalfunction, stamp: Stamp) -> Decision:
    case = house.terminals[command.terminal].case
    if case is not None:
        clause = house.cases[case].clause
        says = f"Terminal {command.terminal} has a case already, number {case}."
        return refuse(Code.ALREADY_THERE, clause, says, case=case)
    return raise_events(house, command.terminal, command.fault, command.words, stamp)


def raise_events(house: House, terminal: TerminalId, fault: Fault, words: str, _stamp: Stamp) -> Events:
    """Open a case: bets that are not sealed go back, and those that are go as the venue's rules say."""
    at = house.terminals[terminal]
    cites = house.rulebook_at(at).cites
    case = Number(house.cases_raised + 1)
    effect = find(house.rulebook_at(at).irregularities, Reason.MALFUNCTION).effect
    questioned = tuple(_sealed(house, at)) if effect in (Effect.REFER, Effect.VOID_ROUND) else ()
    raised = MalfunctionRaised(terminal, case, fault, cites[_MATTERS[fault]], words, questioned)
    events: Events = (raised, *_returns(house, at))
    seen = any(house.tables[table].playing.reported for table, _ in questioned)
    if questioned and effect is Effect.VOID_ROUND and not seen:
        # 25: a malfunction voids all pays and plays, and nobody needs to be asked (Clearwater).
        events = (*events, BetsVoided(case, cites[Matter.UNCONFIRMED], words))
    return events


def _returns(house: House, terminal: Terminal) -> Iterator[BetsReturned]:
    """Give back every chip that is not in a spin: laid while betting is open, or left up after the last round."""
    clause = house.rulebook_at(terminal).cites[Matter.MALFUNCTION_BEFORE_CLOSE]
    for game in terminal.games.values():
        table = house.tables[game.table]
        round_ = table.round
        if game.bets and (round_ is None or round_.over or round_.sealed is None):
            spots = tuple(game.bets)
            yield BetsReturned(terminal.id, table.id, table.rounds, Return.MALFUNCTION, clause, spots)


def _sealed(house: House, terminal: Terminal) -> Iterator[tuple[TableId, RoundNumber]]:
    for table in terminal.games:
        round_ = house.tables[table].round
        if round_ is not None and _plays(round_, terminal.id):
            yield table, round_.number


def _plays(round_: Round, terminal: TerminalId) -> bool:
    """Tell whether a terminal has sealed bets in a round that is not over."""
    return not round_.over and round_.sealed is not None and terminal in round_.sealed


#: Terminals of one table that go offline within so long of each other have lost one line: the server finds silent
#: connections every six seconds.
TOGETHER: Final = 10 * SECOND


def lose_line(house: House, name: TerminalId, stamp: Stamp) -> Events:
    """Open a case about a terminal that was offline for too long, as part of the line loss at its table."""
    terminal = house.terminals[name]
    raised, *rest = raise_events(house, name, Fault.INTERRUPTED, "The link has been gone for too long.", stamp)
    assert isinstance(raised, MalfunctionRaised)
    assert terminal.lost_at is not None
    table = _first_table(house, terminal)
    together = table.line_loss is not None and abs(terminal.lost_at - table.line_lost_at) <= TOGETHER
    return (replace(raised, line_loss=table.line_loss if together else raised.case), *rest)


def _first_table(house: House, terminal: Terminal) -> Table:
    return house.tables[next(iter(terminal.games))]


def offline_until(house: House, terminal: Terminal) -> Instant | None:
    """Tell when an offline terminal has been so for so long that it is a malfunction, where the rules read it so."""
    if terminal.lost_at is None or terminal.case is not None:
        return None
    if house.rulebook_at(terminal).procedure.terminal_loss.does is not TerminalLoss.MALFUNCTION:
        return None
    patience_s = min(house.tables[table].settings.patience_s for table in terminal.games)
    return Instant(terminal.lost_at + patience_s * SECOND)


def report_display(house: House, command: ReportDisplay, stamp: Stamp) -> Decision:
    """Hold what a terminal shows against the record; one that has a case is being seen to already."""
    terminal = house.terminals[command.terminal]
    if terminal.case is not None:
        return ()
    if command.credit is not None and command.credit != terminal.credit:
        words = f"It shows {amount_text(command.credit)}, and {amount_text(terminal.credit)} is on the meter."
        return raise_events(house, terminal.id, Fault.CREDITS, words, stamp)
    if command.number is not None and Pocket(command.number) not in house.rulebook_at(terminal).wheel.order:
        words = f"It shows the number {command.number}, which is not on the wheel."
        return raise_events(house, terminal.id, Fault.NUMBERS, words, stamp)
    if command.layout is not None and command.layout != house.felts[house.rulebook_at(terminal).digest].digest:
        # 7(b): a terminal shows the layout of the rules, or it is out of service (Adelaide).
        return raise_events(house, terminal.id, Fault.INTERRUPTED, "It draws another layout.", stamp)
    results = [number for table in terminal.games for number in house.tables[table].numbers[:1]]
    if command.number is not None and results and Pocket(command.number) not in results:
        words = f"It shows the number {command.number}, which is not the last result."
        return raise_events(house, terminal.id, Fault.INTERRUPTED, words, stamp)
    return ()


def confirm_bets(house: House, command: ConfirmBets, _stamp: Stamp) -> Decision:
    case = _questioned_case(house, command.case)
    if isinstance(case, Refusal):
        return case
    cites = _rulebook(house, case).cites
    if command.digest not in {round_.digest for round_ in case.rounds}:
        says = "That is not the record of the bets at the close: what it does not bear out is void."
        return refuse(Code.RECORD_DIFFERS, cites[Matter.UNCONFIRMED], says, case=case.number)
    return (BetsConfirmed(case.number, cites[Matter.MALFUNCTION_AFTER_CLOSE]),)


def void_bets(house: House, command: VoidBets, _stamp: Stamp) -> Decision:
    case = _questioned_case(house, command.case)
    if isinstance(case, Refusal):
        return case
    clause = _rulebook(house, case).cites[Matter.UNCONFIRMED]
    if not command.words.strip():
        return refuse(Code.REASON_NOT_LISTED, clause, "Say why the records do not bear the bets out.")
    return (BetsVoided(case.number, clause, command.words),)


def _questioned_case(house: House, number: Number) -> Case | Refusal:
    """Find a case whose bets wait for somebody's word."""
    case = house.cases.get(number)
    if case is None:
        return _unknown(number)
    if case.state is not CaseState.OPEN:
        says = f"The bets of case {number} are {case.state.value} already."
        return refuse(Code.ALREADY_THERE, case.clause, says, case=number)
    if not case.questioned:
        return refuse(Code.NOTHING_THERE, case.clause, f"No bets are in question in case {number}.", case=number)
    return case


def clear_case(house: House, command: ClearCase, _stamp: Stamp) -> Decision:
    case = house.cases.get(command.case)
    if case is None:
        return _unknown(command.case)
    if case.cleared:
        return refuse(Code.ALREADY_THERE, case.clause, f"Case {case.number} is cleared already.", case=case.number)
    return uncleared(house, case) or (CaseCleared(case.number),)


def uncleared(house: House, case: Case) -> Refusal | None:
    """Say what keeps a case from being cleared."""
    if case.terminal in house.dark:
        return refuse(Code.TERMINAL_DARK, case.clause, f"Terminal {case.terminal} is still dark.", case=case.number)
    if case.questioned and case.state is CaseState.OPEN:
        clause = _rulebook(house, case).cites[Matter.MALFUNCTION_AFTER_CLOSE]
        says = "Its bets must be confirmed or void first."
        return refuse(Code.OUT_OF_TURN, clause, says, case=case.number)
    return None


def clear_line_loss(house: House, command: ClearLineLoss, _stamp: Stamp) -> Decision:
    """Clear every case of a line loss that could be cleared by itself; the others stay for another time."""
    cases = tuple(line_loss_cases(house, command.table, command.case))
    if not cases:
        says = f"No case of line loss {command.case} is open at {command.table}."
        return refuse(Code.UNKNOWN_RECORD, None, says, case=command.case)
    ready = tuple(case.number for case in cases if uncleared(house, case) is None)
    if not ready:
        refusal = uncleared(house, cases[0])
        assert refusal is not None
        return refusal
    return (LineLossCleared(command.table, command.case, ready),)


def line_loss_cases(house: House, table: TableId, line_loss: Number) -> Iterator[Case]:
    """Find the cases of a line loss that are not cleared."""
    for terminal in map(house.terminals.__getitem__, house.tables[table].terminals):
        case = None if terminal.case is None else house.cases[terminal.case]
        if case is not None and case.line_loss == line_loss and _first_table(house, terminal).id == table:
            yield case


def _rulebook(house: House, case: Case) -> Rulebook:
    return house.rulebook_at(house.terminals[case.terminal])


def _unknown(number: Number) -> Refusal:
    return refuse(Code.UNKNOWN_RECORD, None, f"There is no case {number}.", case=number)


def malfunction_raised(house: House, event: MalfunctionRaised, stamp: Stamp) -> None:
    rounds = tuple(house.tables[table].playing for table, _ in event.questioned)
    case = Case(event.case, event.terminal, event.fault, event.clause, event.words, stamp.now, event.questioned, rounds)
    house.cases[event.case] = house.open_cases[event.case] = case
    house.cases_raised += 1
    retire_cases(house)
    terminal = house.terminals[event.terminal]
    terminal.case = event.case
    if event.line_loss is not None:
        case.line_loss = event.line_loss
        table = _first_table(house, terminal)
        assert terminal.lost_at is not None
        table.line_loss, table.line_lost_at = event.line_loss, terminal.lost_at
    session.watch(house, terminal, stamp)


def bets_confirmed(house: House, event: BetsConfirmed, _stamp: Stamp) -> None:
    """Settle by the record what waited for it; a round that is still running is settled in its turn."""
    case = house.cases[event.case]
    case.state, case.returned = CaseState.CONFIRMED, 0
    house.books.move(case.suspense, source=Account.SUSPENSE, target=Account.HOUSE)
    case.suspense = 0
    for (table, _), round_ in zip(case.questioned, case.rounds, strict=True):
        if round_.status is Status.SETTLED and case.terminal in (round_.sealed or {}):
            case.returned += _settle(house, house.tables[table], round_, house.terminals[case.terminal])


def _settle(house: House, table: Table, round_: Round, terminal: Terminal) -> int:
    """Pay a terminal what its sealed bets bring by the number that stands now; where none does, the stakes."""
    assert round_.sealed is not None
    assert round_.pocket is not None
    stakes = round_.sealed[terminal.id]
    felt = house.felts[round_.rulebook]
    returned = sum(stakes.values()) if round_.invalidated else felt.returned(stakes, round_.pocket)
    round_.paid[terminal.id] = returned
    table.meters.returned += returned
    terminal.meters.returned += returned
    terminal.meters.games += 1
    credit_win(house, round_, terminal, returned, table=table)
    rewrite_record(house, terminal, table, round_)
    return returned


def bets_voided(house: House, event: BetsVoided, _stamp: Stamp) -> None:
    """Give the stakes back: from suspense where the round was settled without them, else from the layout."""
    case = house.cases[event.case]
    terminal = house.terminals[case.terminal]
    case.state = CaseState.VOIDED
    for (table, _), round_ in zip(case.questioned, case.rounds, strict=True):
        refunded = _void(house, case, terminal, terminal.games[table], round_)
        terminal.meters.refunded += refunded
        house.tables[table].meters.refunded += refunded
    assert case.suspense == 0


def _void(house: House, case: Case, terminal: Terminal, game: Game, round_: Round) -> int:
    """Give a terminal's stakes in one round back; tell how much that was."""
    stakes = (round_.sealed or {}).get(terminal.id)
    if stakes is None or round_.status is Status.VOID:
        return 0
    if round_.status is Status.SETTLED:
        staked = sum(stakes.values())
        case.suspense -= staked
        terminal.credit += staked
        house.books.move(staked, source=Account.SUSPENSE, target=Account.CREDIT)
        return staked
    assert round_.sealed is not None
    del round_.sealed[terminal.id]
    return take_back(house, terminal, game)


def case_cleared(house: House, event: CaseCleared, stamp: Stamp) -> None:
    _clear(house, event.case, stamp)


def line_loss_cleared(house: House, event: LineLossCleared, stamp: Stamp) -> None:
    for number in event.cases:
        _clear(house, number, stamp)


def _clear(house: House, number: Number, stamp: Stamp) -> None:
    case = house.cases[number]
    case.cleared = True
    del house.open_cases[number]
    house.closed_cases.append(number)
    terminal = house.terminals[case.terminal]
    terminal.case = None
    session.watch(house, terminal, stamp)


DECIDERS: Deciders = {
    RaiseMalfunction: raise_malfunction,
    ReportDisplay: report_display,
    ConfirmBets: confirm_bets,
    VoidBets: void_bets,
    ClearCase: clear_case,
    ClearLineLoss: clear_line_loss,
}
EVOLVERS: Evolvers = {
    MalfunctionRaised: malfunction_raised,
    BetsConfirmed: bets_confirmed,
    BetsVoided: bets_voided,
    CaseCleared: case_cleared,
    LineLossCleared: line_loss_cleared,
}
