"""Malfunctions of a terminal: cases, the bets in question, and the decision about them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from croupier.house.credit import sessions
from croupier.house.credit.held_wins import HoldCause
from croupier.house.declare import (
    Amount,
    CaseEvent,
    Command,
    Events,
    EventTopic,
    MachineRole,
    Part,
    TableCommand,
    TableEvent,
    TerminalCommand,
    TerminalEvent,
    command,
    decides,
    event,
    evolves,
    first_table,
)
from croupier.house.ids import SECOND, Context, Instant, Number, RoundNumber, TableId, TerminalId
from croupier.house.play.betting import BetsReturned, ReturnReason
from croupier.house.play.stakes import move_to_credit
from croupier.house.rounds.progressive import pot_events, won_of_pot
from croupier.house.rounds.settlement import credit_win, held_win_events, rewrite_record
from croupier.house.state.ledger import LedgerAccount
from croupier.house.state.records import (
    CaseState,
    MalfunctionCase,
    MalfunctionEvidence,
    MalfunctionKind,
    MalfunctionSign,
    take_oldest,
)
from croupier.house.state.tables import Position, Round, RoundStatus, Table, Terminal
from croupier.house.state.timer_heap import TimerKind
from croupier.rules.geometry import Pocket
from croupier.rules.money import Cents
from croupier.rules.procedure import Duty, Effect, Reason, TerminalLoss, find_irregularity
from croupier.rules.refusal import CitedTopic, ClauseId, Code, Refusal, Refused, raise_if, refuse
from croupier.rules.rulebook import Rulebook

if TYPE_CHECKING:
    from croupier.house import House


@command(MachineRole.SYSTEM, Duty.DEAL, Duty.INSPECT)
class RaiseMalfunction(TerminalCommand, frozen=True):
    """Open a case about a terminal; the phase in which it is raised decides what happens to its bets."""

    fault: MalfunctionKind
    words: str


@decides(RaiseMalfunction)
def raise_malfunction(house: House, command: RaiseMalfunction, _context: Context) -> Events:
    case = house.terminals[command.terminal].case
    if case is not None:
        clause = house.cases.all[case].clause
        message = f"Terminal {command.terminal} has a case already, number {case}."
        raise Refused(Code.ALREADY_THERE, clause, message, case=case)
    return raise_events(house, command.terminal, command.fault, words=command.words)


_CITED_TOPICS = {
    MalfunctionKind.CREDITS: CitedTopic.FAULT_CREDITS,
    MalfunctionKind.NUMBERS: CitedTopic.FAULT_NUMBERS,
    MalfunctionKind.INTERRUPTED: CitedTopic.FAULT_INTERRUPTED,
    MalfunctionKind.OPINION: CitedTopic.FAULT_OPINION,
}


def raise_events(
    house: House,
    terminal: TerminalId,
    fault: MalfunctionKind,
    *,
    words: str = "",
    evidence: MalfunctionEvidence | None = None,
) -> Events:
    """Open a case: unsealed bets are returned, and sealed bets are handled by the venue's rules."""
    at = house.terminals[terminal]
    cites = house.rulebook_at(at).cited_clauses
    case = Number(house.cases.raised + 1)
    effect = find_irregularity(house.rulebook_at(at).irregularities, Reason.MALFUNCTION).effect
    questioned = tuple(_sealed(house, at)) if effect in (Effect.REFER, Effect.VOID_ROUND) else ()
    clause = cites[_CITED_TOPICS[fault]]
    raised = MalfunctionRaised(terminal, case, fault, clause, words, questioned, evidence=evidence)
    events: Events = (raised, *_returns(house, at))
    seen = any(house.tables[table].playing.spin.reported for table, _ in questioned)
    if questioned and effect is Effect.VOID_ROUND and not seen:
        # 25: a malfunction voids all pays and plays without a staff decision (Clearwater).
        events = (*events, BetsVoided(case, cites[CitedTopic.UNCONFIRMED], words))
    return events


def _returns(house: House, terminal: Terminal) -> Iterator[BetsReturned]:
    """Return every chip that is not in a spin: placed while betting is open, or left up after the last round."""
    clause = house.rulebook_at(terminal).cited_clauses[CitedTopic.MALFUNCTION_BEFORE_CLOSE]
    for game in terminal.games.values():
        table = house.tables[game.table]
        round_ = table.round
        if game.bets and (round_ is None or round_.over or round_.sealed is None):
            spots = tuple(game.bets)
            yield BetsReturned(game.id, table.rounds, ReturnReason.MALFUNCTION, clause, spots)


def _sealed(house: House, terminal: Terminal) -> Iterator[tuple[TableId, RoundNumber]]:
    for table, game in terminal.games.items():
        round_ = house.tables[table].round
        if round_ is not None and not round_.over and game.id in round_.layouts:
            yield table, round_.number


class CaseCommand(Command, frozen=True):
    """A command about one malfunction case; the rules of its terminal apply."""

    case: Number

    def table_in(self, house: House) -> Table | None:
        case = house.cases.all.get(self.case)
        return None if case is None else first_table(house, case.terminal)


@command(Duty.DEAL)
class ConfirmBets(CaseCommand, frozen=True):
    """The bets of a case are confirmed through the electronic records."""

    digest: str


@event("The bets of case {case} were confirmed.", EventTopic.INCIDENT, EventTopic.BETS, EventTopic.SIGNIFICANT)
class BetsConfirmed(CaseEvent, frozen=True):
    """The bets of a case were confirmed by the electronic records, and settled by them."""

    clause: ClauseId
    #: The terminal's return in each round that was settled without its bets.
    payments: tuple[tuple[TableId, RoundNumber, Cents], ...] = ()


@decides(ConfirmBets)
def confirm_bets(house: House, command: ConfirmBets, _context: Context) -> Events:
    case = _find_questioned(house, command)
    cites = _rulebook(house, case).cited_clauses
    if command.digest not in {round_.sealed.digest for round_ in case.rounds if round_.sealed is not None}:
        message = "That is not the record of the bets at the close: what it does not bear out is void."
        raise Refused(Code.RECORD_DIFFERS, cites[CitedTopic.UNCONFIRMED], message, case=case.number)
    paid = tuple(_by_record(house, case))
    payments = tuple((table.id, round_.number, Cents(returned)) for table, round_, _, returned in paid)
    confirmed = BetsConfirmed(case.number, cites[CitedTopic.MALFUNCTION_AFTER_CLOSE], payments)
    pots = (event for table, round_, pocket, _ in paid for event in _pot_events(house, case, table, round_, pocket))
    return confirmed, *pots, *_hold_events(house, case, paid)


def _by_record(house: House, case: MalfunctionCase) -> Iterator[tuple[Table, Round, Pocket, int]]:
    """Compute the return of a case's sealed bets in each settled round; the stakes if no number counts."""
    games = house.terminals[case.terminal].games
    for (table, _), round_ in zip(case.questioned, case.rounds, strict=True):
        stakes, pocket = round_.layouts.get(games[table].id), round_.pocket
        # A running round is settled later.
        if round_.status is RoundStatus.SETTLED and stakes is not None and pocket is not None:
            felt = house.felt_of(round_)
            returned = sum(stakes.values()) if round_.invalidated else felt.returned_at_once(stakes, pocket)
            yield house.tables[table], round_, pocket, returned


def _pot_events(house: House, case: MalfunctionCase, table: Table, round_: Round, pocket: Pocket) -> Events:
    """Add the share of confirmed bets to what their round had paid of a pot."""
    position = house.terminals[case.terminal].games[table.id].id
    if round_.invalidated:
        return ()
    before = won_of_pot(house, round_, round_.paid, pocket)
    after = before + won_of_pot(house, round_, (position,), pocket)
    return pot_events(house, table, round_, (position,), won=(before, after), times=1)


def _hold_events(house: House, case: MalfunctionCase, paid: Iterable[tuple[Table, Round, Pocket, int]]) -> Events:
    events: Events = ()
    for table, round_, pocket, returned in paid:
        win = (house.terminals[case.terminal].games[table.id].id, returned, returned)
        cause, before = HoldCause.CONFIRMATION, len(events)
        events += tuple(held_win_events(house, table, round_, (win,), cause, pocket=pocket, holds_before=before))
    return events


def _find_questioned(house: House, command: CaseCommand) -> MalfunctionCase:
    """Find a case whose bets await a decision."""
    case = _find(house, command)
    if case.state is not CaseState.OPEN:
        message = f"The bets of case {case.number} are {case.state.value} already."
        raise Refused(Code.ALREADY_THERE, case.clause, message, case=case.number)
    if not case.questioned:
        message = f"No bets are in question in case {case.number}."
        raise Refused(Code.NOTHING_THERE, case.clause, message, case=case.number)
    return case


def _find(house: House, command: CaseCommand) -> MalfunctionCase:
    case = house.cases.all.get(command.case)
    if case is None:
        raise Refused(Code.UNKNOWN_RECORD, None, f"There is no case {command.case}.", case=command.case)
    return case


def _rulebook(house: House, case: MalfunctionCase) -> Rulebook:
    return house.rulebook_at(house.terminals[case.terminal])


@evolves(BetsConfirmed)
def bets_confirmed(house: House, event: BetsConfirmed, _context: Context) -> None:
    """Settle pending bets by the record; a running round is settled later."""
    case = house.cases.all[event.case]
    case.state, case.returned = CaseState.CONFIRMED, 0
    house.ledger.post(case.suspense, source=LedgerAccount.SUSPENSE, target=LedgerAccount.HOUSE)
    case.suspense = 0
    payments = {(table, number): returned for table, number, returned in event.payments}
    for (table, _), round_ in zip(case.questioned, case.rounds, strict=True):
        returned = payments.get((table, round_.number))
        if returned is not None:
            case.returned += returned
            _pay(house, house.terminals[case.terminal].games[table], round_, returned)


def _pay(house: House, position: Position, round_: Round, returned: int) -> None:
    terminal, table = house.terminals[position.terminal], house.tables[position.table]
    sealed, result = round_.sealed_bets, round_.declared
    result.paid[position.id] = returned
    table.meters.returned += returned
    terminal.meters.returned += returned
    terminal.meters.games += 1
    felt, stakes = house.felt_of(round_), sealed.layouts[position.id]
    given_back = felt.given_back(stakes, result.pocket)
    if felt.carries:
        result.late.append(position.id)
        given_back += felt.released(felt.carried(stakes, result.pocket))
    terminal.meters.games_won += returned > given_back
    credit_win(house, terminal, returned)
    rewrite_record(house, position, round_, sealed, result)


@command(Duty.DEAL, signatures=2)
class VoidBets(CaseCommand, frozen=True):
    """The bets of a case cannot be confirmed: they are void."""

    words: str

    def one_signature_suffices(self, house: House) -> bool:
        """Nothing was paid, and neither a number nor multiples of a round in question were seen."""
        case = house.cases.all.get(self.case)
        return case is None or (case.suspense <= 0 and not any(round_.is_seen for round_ in case.rounds))


@event("The bets of case {case} are void. {words}", EventTopic.INCIDENT, EventTopic.BETS, EventTopic.SIGNIFICANT)
class BetsVoided(CaseEvent, frozen=True):
    """The bets of a case are void, and their stakes were returned."""

    clause: ClauseId
    words: str


@decides(VoidBets)
def void_bets(house: House, command: VoidBets, _context: Context) -> Events:
    case = _find_questioned(house, command)
    clause = _rulebook(house, case).cited_clauses[CitedTopic.UNCONFIRMED]
    if not command.words.strip():
        raise Refused(Code.REASON_NOT_LISTED, clause, "Say why the records do not bear the bets out.")
    return (BetsVoided(case.number, clause, command.words),)


@evolves(BetsVoided)
def bets_voided(house: House, event: BetsVoided, _context: Context) -> None:
    """Return the stakes: from suspense if the round was settled without them, otherwise from the layout."""
    case = house.cases.all[event.case]
    terminal = house.terminals[case.terminal]
    case.state = CaseState.VOIDED
    for (table, _), round_ in zip(case.questioned, case.rounds, strict=True):
        refunded = _void(house, case, terminal, terminal.games[table], round_)
        terminal.meters.refunded += refunded
        house.tables[table].meters.refunded += refunded
    assert case.suspense == 0


def _void(house: House, case: MalfunctionCase, terminal: Terminal, game: Position, round_: Round) -> int:
    """Return a terminal's stakes in one round; return the amount."""
    sealed = round_.sealed
    if sealed is None or game.id not in sealed.layouts or round_.status is RoundStatus.VOID:
        return 0
    if round_.status is RoundStatus.SETTLED:
        staked = sum(sealed.layouts[game.id].values())
        case.suspense -= staked
        terminal.credit += staked
        house.ledger.post(staked, source=LedgerAccount.SUSPENSE, target=LedgerAccount.CREDIT)
        return staked
    del sealed.layouts[game.id]
    return move_to_credit(house, terminal, game)


@command(Duty.INSPECT, Duty.MAINTAIN)
class ClearCase(CaseCommand, frozen=True):
    """The terminal of a case works again."""


@event("Case {case} was cleared.", EventTopic.INCIDENT, reschedules=(TimerKind.OFFLINE,))
class CaseCleared(CaseEvent, frozen=True):
    """A case was cleared: its terminal works again."""


@decides(ClearCase)
def clear_case(house: House, command: ClearCase, _context: Context) -> Events:
    case = _find(house, command)
    if case.cleared:
        raise Refused(Code.ALREADY_THERE, case.clause, f"Case {case.number} is cleared already.", case=case.number)
    raise_if(uncleared(house, case))
    return (CaseCleared(case.number),)


def uncleared(house: House, case: MalfunctionCase) -> Refusal | None:
    """Refuse to clear a case that still has open items."""
    if case.terminal in house.offline:
        return refuse(Code.TERMINAL_DARK, case.clause, f"Terminal {case.terminal} is still offline.", case=case.number)
    if case.questioned and case.state is CaseState.OPEN:
        clause = _rulebook(house, case).cited_clauses[CitedTopic.MALFUNCTION_AFTER_CLOSE]
        message = "Its bets must be confirmed or void first."
        return refuse(Code.OUT_OF_TURN, clause, message, case=case.number)
    return None


@evolves(CaseCleared)
def case_cleared(house: House, event: CaseCleared, context: Context) -> None:
    _clear(house, event.case, context)


def _clear(house: House, number: Number, context: Context) -> None:
    case = house.cases.all[number]
    case.cleared = True
    del house.cases.open[number]
    house.cases.closed.append(number)
    terminal = house.terminals[case.terminal]
    terminal.case = None
    sessions.watch(house, terminal, context)


@command(Duty.INSPECT, Duty.MAINTAIN)
class ClearLineLoss(TableCommand, frozen=True):
    """The terminals of one line loss that are back work again: all its cases in which no bets are in question."""

    #: The first case of the line loss.
    case: Number


@event("The cases of line loss {case} were cleared: {cases}.", EventTopic.INCIDENT, touches=(Part.TABLE, Part.SERVICE))
class LineLossCleared(TableEvent, frozen=True):
    """The cases of one line loss were cleared: their terminals work again."""

    #: The first case of the line loss.
    case: Number
    cases: tuple[Number, ...]

    def terminals_in(self, house: House) -> Iterable[TerminalId]:
        return (house.cases.all[each].terminal for each in self.cases if each in house.cases.all)


@decides(ClearLineLoss)
def clear_line_loss(house: House, command: ClearLineLoss, _context: Context) -> Events:
    """Clear every case of a line loss that could be cleared by itself; the others stay open."""
    cases = tuple(line_loss_cases(house, command.table, command.case))
    if not cases:
        message = f"No case of line loss {command.case} is open at {command.table}."
        raise Refused(Code.UNKNOWN_RECORD, None, message, case=command.case)
    ready = tuple(case.number for case in cases if uncleared(house, case) is None)
    if not ready:
        raise_if(uncleared(house, cases[0]))
    return (LineLossCleared(command.table, command.case, ready),)


def line_loss_cases(house: House, table: TableId, line_loss: Number) -> Iterator[MalfunctionCase]:
    """Find the open cases of a line loss."""
    for terminal in map(house.terminals.__getitem__, house.tables[table].terminals):
        case = None if terminal.case is None else house.cases.all[terminal.case]
        if case is not None and case.line_loss == line_loss and terminal.first_table == table:
            yield case


@evolves(LineLossCleared)
def line_loss_cleared(house: House, event: LineLossCleared, context: Context) -> None:
    for number in event.cases:
        _clear(house, number, context)


@command(MachineRole.TERMINAL)
class ReportDisplay(TerminalCommand, frozen=True):
    """A terminal reports what it shows, for comparison with the record."""

    credit: Amount | None = None
    number: str | None = None
    #: A digest of the spots that it draws.
    layout: str | None = None


@decides(ReportDisplay)
def report_display(house: House, command: ReportDisplay, _context: Context) -> Events:
    """Verify a terminal's display against the record; skip a terminal that already has a case."""
    terminal = house.terminals[command.terminal]
    if terminal.case is not None:
        return ()
    if command.credit is not None and command.credit != terminal.credit:
        credit = Cents(terminal.credit)
        evidence = MalfunctionEvidence(MalfunctionSign.CREDIT_DIFFERS, shown=command.credit, credit=credit)
        return raise_events(house, terminal.id, MalfunctionKind.CREDITS, evidence=evidence)
    if command.number is not None and Pocket(command.number) not in house.rulebook_at(terminal).wheel.order:
        evidence = MalfunctionEvidence(MalfunctionSign.NUMBER_IMPOSSIBLE, number=command.number)
        return raise_events(house, terminal.id, MalfunctionKind.NUMBERS, evidence=evidence)
    if command.layout is not None and command.layout != house.payout_tables[house.rulebook_at(terminal).digest].digest:
        # 7(b): a terminal that does not show the layout of the rules is out of service (Adelaide).
        evidence = MalfunctionEvidence(MalfunctionSign.LAYOUT_DIFFERS)
        return raise_events(house, terminal.id, MalfunctionKind.INTERRUPTED, evidence=evidence)
    results = [number for table in terminal.games for number in house.tables[table].numbers[:1]]
    if command.number is not None and results and Pocket(command.number) not in results:
        evidence = MalfunctionEvidence(MalfunctionSign.NUMBER_STALE, number=command.number)
        return raise_events(house, terminal.id, MalfunctionKind.INTERRUPTED, evidence=evidence)
    return ()


@event(
    "Case {case} was opened: {fault}. {text}",
    EventTopic.INCIDENT,
    EventTopic.SIGNIFICANT,
    reschedules=(TimerKind.OFFLINE,),
)
class MalfunctionRaised(TerminalEvent, frozen=True, omit_defaults=True):
    """A case was opened, and the terminal is blocked; its sealed bets may be in question."""

    case: Number
    fault: MalfunctionKind
    clause: ClauseId
    #: The explanation that staff entered.
    words: str
    #: The games and rounds whose sealed bets are in question.
    questioned: tuple[tuple[TableId, RoundNumber], ...]
    #: The first case of the same line loss; None if no connection was lost.
    line_loss: Number | None = None
    #: The evidence, if the house raised the case and not staff.
    evidence: MalfunctionEvidence | None = None


@evolves(MalfunctionRaised)
def malfunction_raised(house: House, event: MalfunctionRaised, context: Context) -> None:
    rounds = tuple(house.tables[table].playing for table, _ in event.questioned)
    case = MalfunctionCase(
        event.case, event.terminal, event.fault, event.clause, event.words, context.now, event.questioned, rounds
    )
    case.evidence = event.evidence
    house.cases.all[event.case] = house.cases.open[event.case] = case
    house.cases.raised += 1
    retire_cases(house)
    terminal = house.terminals[event.terminal]
    terminal.case = event.case
    if event.line_loss is not None:
        case.line_loss = event.line_loss
        table = house.tables[terminal.first_table]
        assert terminal.lost_at is not None
        table.line_loss, table.line_lost_at = event.line_loss, terminal.lost_at
    sessions.watch(house, terminal, context)


def retire_cases(house: House) -> None:
    """Drop the oldest cleared cases beyond the retention limit."""
    for number in take_oldest(house.cases.closed, house.setup.records_kept):
        del house.cases.all[number]


#: Terminals of one table that go offline within this interval share one line loss: the server detects silent
#: connections every six seconds.
TOGETHER: Final = 10 * SECOND


def lose_line(house: House, name: TerminalId) -> Events:
    """Open a case for a terminal that was offline too long, as part of the line loss at its table."""
    terminal = house.terminals[name]
    evidence = MalfunctionEvidence(MalfunctionSign.LINK_LOST)
    raised, *rest = raise_events(house, name, MalfunctionKind.INTERRUPTED, evidence=evidence)
    assert isinstance(raised, MalfunctionRaised)
    assert terminal.lost_at is not None
    table = house.tables[terminal.first_table]
    together = table.line_loss is not None and abs(terminal.lost_at - table.line_lost_at) <= TOGETHER
    return (replace(raised, line_loss=table.line_loss if together else raised.case), *rest)


def offline_until(house: House, terminal: Terminal) -> Instant | None:
    """Compute when an offline terminal counts as malfunctioning, if the rules say so."""
    if terminal.lost_at is None or terminal.case is not None:
        return None
    if house.rulebook_at(terminal).procedure.terminal_loss.choice is not TerminalLoss.MALFUNCTION:
        return None
    offline_grace_s = min(house.tables[table].settings.offline_grace_s for table in terminal.games)
    return Instant(terminal.lost_at + offline_grace_s * SECOND)
