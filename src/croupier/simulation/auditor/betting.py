"""Bets and service of terminals."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from croupier.house.credit.player_limits import PlayLimitsSet, PlayPaused, PlayResumed
from croupier.house.credit.sessions import EndSession, SessionEnd, SessionEnded
from croupier.house.declare import GameCommand
from croupier.house.floor.malfunctions import BetsConfirmed, BetsVoided, CaseCleared, LineLossCleared, MalfunctionRaised
from croupier.house.floor.service import (
    ReportTerminalLost,
    ReportTerminalReturned,
    TableClosed,
    TableReopened,
    TerminalClosed,
    TerminalLost,
    TerminalReopened,
    TerminalReturned,
)
from croupier.house.ids import SECOND, Context, Number, PositionId, RoundNumber, TableId
from croupier.house.live.arrangements import ArrangementEnded, VipArranged
from croupier.house.play.betting import (
    BetsChanged,
    ChangeBet,
    ChooseDenomination,
    ClearBets,
    DenominationChosen,
    DoubleBets,
    MoveBet,
    PlaceBets,
    RemoveBets,
    RepeatBets,
    ReturnReason,
    UndoBet,
)
from croupier.house.play.patterns import CancelRecall, SavePattern
from croupier.house.rounds.draws import RevealShare
from croupier.rules.geometry import SpotKey
from croupier.rules.procedure import Effect, Reason
from croupier.rules.refusal import Code
from croupier.rules.rulebook import Rulebook
from croupier.simulation.auditor import settlement
from croupier.simulation.auditor.model import Model, ModelCase, ModelGame, ModelTable, ModelTerminal
from croupier.simulation.auditor.payouts import ModelPayouts, Stakes, bounds_of
from croupier.simulation.auditor.registry import derives, follows
from croupier.simulation.auditor.settlement import unplayed_stakes
from croupier.simulation.invariants import ExpectedEvent, InvariantViolation, check_equal, check_not

#: Codes that may refuse what is no bet here.
NO_BET: Final = {
    Code.MALFORMED,
    Code.UNKNOWN_SPOT,
    Code.CALL_NOT_OFFERED,
    Code.CALL_ARGUMENT,
    Code.NEIGHBOURS_REACH,
    Code.KIND_NOT_PRICED,
    Code.SPOT_NOT_ON_LAYOUT,
}
#: The commands whose effect is derived here; other commands about a game are checked for the betting period only.
BETTING: Final = (
    PlaceBets,
    ChangeBet,
    RemoveBets,
    MoveBet,
    UndoBet,
    ClearBets,
    RepeatBets,
    DoubleBets,
)
_AT_ANY_TIME: Final = (SavePattern, CancelRecall)
#: How many changes of one round can be undone.
UNDO_MAX: Final = 100
#: Amounts have up to twelve digits before the point: a larger one may be refused either way.
_UNWRITTEN: Final = 10**14


@dataclass(slots=True)
class IntendedStakes:
    """The stakes that a command intends on the spots it touches, or the codes that refuse it as malformed."""

    stakes: Stakes = field(default_factory=dict)
    codes: set[Code] = field(default_factory=set)
    #: Whether limits, credit and risk are checked.
    adds: bool = True


def untimely(model: Model, command: GameCommand, context: Context) -> set[Code]:
    """Return why no chip may move at this seat in this round now."""
    table, seat = model.tables[command.table], model.seats[command.terminal]
    takes_back = isinstance(command, RemoveBets | ClearBets)
    codes = _out_of_service(seat, takes_back=takes_back)
    if codes or isinstance(command, _AT_ANY_TIME):
        return codes
    round_ = table.round
    if round_ is None or round_.over:
        return {Code.BETS_NOT_OPEN}
    if (command.round, command.spin) != (round_.number, round_.spin):
        return {Code.WRONG_ROUND}
    if round_.phase == "suspended":
        return {Code.ROUND_SUSPENDED}
    if isinstance(command, RevealShare):
        # A share is revealed after the seal, until the ball rests.
        return set() if round_.phase in ("closed", "running") else {Code.BETS_CLOSED}
    late = round_.closes_at is not None and context.now > round_.closes_at
    return {Code.BETS_CLOSED} if late or round_.betting == "closed" else set()


def _out_of_service(seat: ModelTerminal, *, takes_back: bool) -> set[Code]:
    """Return what stops a seat from betting; chips can be taken back even at a closed seat or with a held win."""
    if takes_back and (seat.closed or seat.play_off):
        return set()
    rests = {Code.PLAY_PAUSED} if seat.pause and not takes_back else set()
    codes = {Code.TERMINAL_CLOSED} if seat.closed or seat.play_off else set()
    codes |= {Code.TERMINAL_BLOCKED} if seat.case is not None else set()
    codes |= {Code.TERMINAL_DARK} if seat.dark else set()
    return codes | rests | ({Code.WIN_HELD} if seat.holds and not takes_back else set())


def objections(model: Model, command: GameCommand, context: Context) -> set[Code]:
    """Return the refusals that apply to a player's command."""
    codes = untimely(model, command, context)
    if codes or not isinstance(command, BETTING):
        return codes
    table, seat = model.tables[command.table], model.seats[command.terminal]
    wish = wish_of(command, table.felt, seat)
    if wish.codes:
        return wish.codes
    if wish.adds:
        return _beyond(table, seat, wish.stakes)
    return _short(seat, _cost(seat.games[table.name], wish.stakes))


def wish_of(command: GameCommand, felt: ModelPayouts, seat: ModelTerminal) -> IntendedStakes:
    """Derive the stakes that a command intends."""
    match command:
        case PlaceBets():
            return _placed(command, felt, seat)
        case ChangeBet():
            return _changed(command, felt, seat)
        case MoveBet():
            return _moved(command, felt, seat.games[command.table])
        case _:
            stakes = _pressed(command, seat.games[command.table])
            return _wish(stakes, adds=isinstance(command, DoubleBets | RepeatBets))


def _pressed(command: GameCommand, game: ModelGame) -> Stakes:
    """Derive the stakes of a button, from the stakes on the felt, those before the last change, or the last round's."""
    match command:
        case RemoveBets():
            gone = dict.fromkeys(command.spots, 0)
            return gone if gone.keys() <= game.stakes.keys() else {}
        case ClearBets():
            return dict.fromkeys(game.stakes, 0)
        case UndoBet():
            return game.undo[-1] if game.undo else {}
        case DoubleBets():
            return {spot: 2 * stake for spot, stake in game.stakes.items()}
        case _:
            return {spot: stake for spot, stake in game.previous.items() if stake > game.stakes.get(spot, 0)}


def _wish(stakes: Stakes, *, adds: bool = True) -> IntendedStakes:
    return IntendedStakes(stakes, set() if stakes else {Code.NOTHING_THERE}, adds)


def _placed(command: PlaceBets, felt: ModelPayouts, seat: ModelTerminal) -> IntendedStakes:
    game, codes, added = seat.games[command.table], set[Code](), Counter[SpotKey]()
    for on, amount in command.bets:
        pieces = felt.pieces(on, seat.calls)
        codes |= NO_BET if pieces is None else _amount(amount, seat)
        for spot, count in (pieces or {}).items():
            added[spot] += count * amount
    if codes:
        return IntendedStakes(codes=codes)
    return _wish({spot: game.stakes.get(spot, 0) + amount for spot, amount in added.items()})


def _amount(amount: int, seat: ModelTerminal) -> set[Code]:
    if amount <= 0:
        return {Code.STAKE_NOT_POSITIVE}
    if amount % seat.unit == 0:
        return set()
    return {Code.NOT_WHOLE_CREDITS, Code.MALFORMED} if amount >= _UNWRITTEN else {Code.NOT_WHOLE_CREDITS}


def _changed(command: ChangeBet, felt: ModelPayouts, seat: ModelTerminal) -> IntendedStakes:
    if command.spot not in felt.kinds:
        return IntendedStakes(codes=NO_BET)
    lies = seat.games[command.table].stakes.get(command.spot, 0)
    if command.stake == lies:
        return IntendedStakes(adds=False)
    if command.stake == 0:
        return IntendedStakes({command.spot: 0}, adds=False)
    return IntendedStakes({command.spot: command.stake}, _amount(command.stake, seat))


def _moved(command: MoveBet, felt: ModelPayouts, game: ModelGame) -> IntendedStakes:
    if command.target not in felt.kinds:
        return IntendedStakes(codes=NO_BET)
    stake = game.stakes.get(command.source, 0)
    if stake == 0 or command.source == command.target:
        return IntendedStakes(codes={Code.NOTHING_THERE})
    return IntendedStakes({command.source: 0, command.target: game.stakes.get(command.target, 0) + stake})


def _cost(game: ModelGame, stakes: Stakes) -> int:
    return sum(stake - game.stakes.get(spot, 0) for spot, stake in stakes.items())


def _short(seat: ModelTerminal, cost: int) -> set[Code]:
    codes = {Code.CREDIT_SHORT} if cost > seat.credit else set()
    limited = seat.loss_limit is not None and cost > 0 and seat.at_risk + cost > seat.loss_limit
    return codes | ({Code.OWN_LIMIT} if limited else set())


def _beyond(table: ModelTable, seat: ModelTerminal, stakes: Stakes) -> set[Code]:
    """Check stakes against the arrangement, the limits, the credits and the risk check."""
    game, felt = seat.games[table.name], table.felt
    codes, cost = set[Code](), _cost(game, stakes)
    if seat.straight_only and any(felt.kinds[spot] != "straight" for spot in stakes):
        codes.add(Code.KIND_NOT_PRICED)
    may_build_up = seat.channel.under_minimum.choice == "return_at_close"
    for spot, stake in stakes.items():
        least, most = game.bounds.spots[spot]
        if 0 < stake < least and not may_build_up:
            codes.add(Code.STAKE_UNDER_MINIMUM)
        if stake > most and stake > game.stakes.get(spot, 0):
            codes.add(Code.STAKE_OVER_MAXIMUM)
    if cost > 0 and game.staked + cost > game.bounds.total[1]:
        codes.add(Code.TOTAL_OVER_MAXIMUM)
    if cost > 0 and felt.risky({**game.stakes, **stakes}, seat.unit):
        codes.add(Code.TOO_LITTLE_RISK)
    return codes | _short(seat, cost)


@derives(*BETTING, unless=objections, breaks="I2")
def _carry(model: Model, command: GameCommand, _context: Context) -> list[ExpectedEvent]:
    """Move the chips as the command intends, and return the expected events."""
    table, seat = model.tables[command.table], model.seats[command.terminal]
    stakes = wish_of(command, table.felt, seat).stakes
    if not stakes:
        return []
    game = seat.games[table.name]
    before = seat.lay(table.name, stakes)
    if isinstance(command, UndoBet):
        game.undo.pop()
    else:
        game.undo.append(before)
        del game.undo[:-UNDO_MAX]
    return [ExpectedEvent(BetsChanged, {"position": game.position, "round": command.round, "stakes": stakes})]


@follows(BetsChanged)
def _follow(model: Model, event: BetsChanged, _context: Context) -> None:
    """Apply a change of chips that is not derived here from the house's event."""
    terminal, table = model.positions[event.position]
    seat = model.seats[terminal]
    game = seat.games[table]
    game.undo.append(seat.lay(table, event.stakes))
    del game.undo[:-UNDO_MAX]


def _no_loss(model: Model, command: ReportTerminalLost, _context: Context) -> set[Code]:
    return {Code.ALREADY_THERE} if model.seats[command.terminal].dark else set()


@derives(ReportTerminalLost, unless=_no_loss, breaks="I2")
def _lose(model: Model, command: ReportTerminalLost, _context: Context) -> list[ExpectedEvent]:
    model.seats[command.terminal].dark = True
    return [ExpectedEvent(TerminalLost, {"terminal": command.terminal})]


def _no_return(model: Model, command: ReportTerminalReturned, _context: Context) -> set[Code]:
    return set() if model.seats[command.terminal].dark else {Code.ALREADY_THERE}


@derives(ReportTerminalReturned, unless=_no_return, breaks="I2")
def _return(model: Model, command: ReportTerminalReturned, _context: Context) -> list[ExpectedEvent]:
    model.seats[command.terminal].dark = False
    return [ExpectedEvent(TerminalReturned, {"terminal": command.terminal})]


def _no_choice(model: Model, command: ChooseDenomination, _context: Context) -> set[Code]:
    seat = model.seats[command.terminal]
    codes = set() if command.denomination in seat.settings.denominations else {Code.SETTING_IMPOSSIBLE}
    return codes | ({Code.OUT_OF_TURN} if seat.in_play else set())


@derives(ChooseDenomination, unless=_no_choice, breaks="I2")
def _choose(model: Model, command: ChooseDenomination, _context: Context) -> list[ExpectedEvent]:
    """Stakes in another unit may be no whole credits of this one: they cannot be restored."""
    seat = model.seats[command.terminal]
    seat.unit = command.denomination
    _forget(seat)
    return [ExpectedEvent(DenominationChosen, {"terminal": seat.name, "denomination": command.denomination})]


def _forget(seat: ModelTerminal) -> None:
    for game in seat.games.values():
        game.undo, game.previous = [], {}


@follows(VipArranged)
def _vip(model: Model, event: VipArranged, _context: Context) -> None:
    table = model.tables[event.table]
    table.arrangements[event.arrangement] = event.positions
    if table.live is not None and event.limits is not None:
        table.live.limits |= {each: event.limits for each in event.positions if each in table.live.players}
    for seat, game in _arranged(model, event.positions):
        seat.straight_only, game.own = event.straight_only, event.limits
        game.bounds = bounds_of(table.felt, event.limits or seat.settings.limits or table.settings.limits)
        _forget(seat)


@follows(ArrangementEnded)
def _arrangement_ended(model: Model, event: ArrangementEnded, _context: Context) -> None:
    table = model.tables[event.table]
    positions = table.arrangements.pop(event.arrangement)
    if table.live is not None:
        table.live.limits = {each: own for each, own in table.live.limits.items() if each not in positions}
    for seat, game in _arranged(model, positions):
        seat.straight_only, game.own = False, None
        game.bounds = bounds_of(table.felt, seat.settings.limits or table.settings.limits)


def _arranged(model: Model, positions: Iterable[PositionId]) -> Iterator[tuple[ModelTerminal, ModelGame]]:
    """Iterate over the terminals of an arrangement: what players with chips may bet is checked with their chips."""
    for terminal, table in (model.positions[each] for each in positions if each in model.positions):
        yield model.seats[terminal], model.seats[terminal].games[table]


@follows(PlayLimitsSet)
def _limits_set(model: Model, event: PlayLimitsSet, _context: Context) -> None:
    seat = model.seats[event.terminal]
    looser = seat.loss_limit is not None and (event.loss is None or event.loss > seat.loss_limit)
    check_not("I18", f"{event} loosens a limit of {seat.loss_limit}", when=looser)
    seat.loss_limit = event.loss


@follows(PlayPaused)
def _paused(model: Model, event: PlayPaused, _context: Context) -> None:
    """Stop bets at a seat: chips in no spin go back."""
    model.seats[event.terminal].pause = event.why.value
    for table in model.tables.values():
        if table.unsealed:
            back = unplayed_stakes(model, table, ReturnReason.PAUSED)
            model.returns.update(each for each in back if model.positions[each.position][0] == event.terminal)


@follows(PlayResumed)
def _resumed(model: Model, event: PlayResumed, _context: Context) -> None:
    model.seats[event.terminal].pause = None


def _no_end(model: Model, command: EndSession, _context: Context) -> set[Code]:
    seat = model.seats[command.terminal]
    codes = {Code.WIN_HELD} if seat.holds else set()
    codes |= set() if seat.case is None else {Code.TERMINAL_BLOCKED}
    if not seat.playing:
        return codes | {Code.NOTHING_THERE}
    return codes | ({Code.OUT_OF_TURN} if seat.credit or seat.in_play else set())


@derives(EndSession, unless=_no_end, breaks="I2")
def _end(model: Model, command: EndSession, _context: Context) -> list[ExpectedEvent]:
    seat = model.seats[command.terminal]
    says = {"terminal": seat.name, "session": seat.session, "reason": SessionEnd.STAFF}
    seat.leave()
    return [ExpectedEvent(SessionEnded, says)]


@follows(SessionEnded)
def _session_ended(model: Model, event: SessionEnded, context: Context) -> None:
    """A session ends by itself when its terminal has had no credit and no stake for the idle time of its table."""
    seat = model.seats[event.terminal]
    idle_s = model.first_table(seat).settings.session_idle_s
    check_not("I2", f"{event} with something left", when=seat.spent_at is None or not seat.spent or idle_s is None)
    assert seat.spent_at is not None
    assert idle_s is not None
    check_equal("I2", f"{event} ends", (event.session, event.reason), (seat.session, SessionEnd.IDLE))
    check_not("I20", f"{event} comes too early", when=context.now < seat.spent_at + idle_s * SECOND)
    seat.leave()


@follows(TableClosed)
def _table_closed(model: Model, event: TableClosed, _context: Context) -> None:
    """Chips that stayed up after the last round go back; those of a round that runs are played."""
    table = model.tables[event.table]
    table.closed = True
    if table.phase == "between":
        model.returns.update(unplayed_stakes(model, table, ReturnReason.OUT_OF_SERVICE))


@follows(TableReopened)
def _table_reopened(model: Model, event: TableReopened, _context: Context) -> None:
    model.tables[event.table].closed = False


@follows(TerminalClosed)
def _terminal_closed(model: Model, event: TerminalClosed, _context: Context) -> None:
    model.seats[event.terminal].closed = True
    for table in model.tables.values():
        if table.phase == "between":
            back = unplayed_stakes(model, table, ReturnReason.OUT_OF_SERVICE)
            model.returns.update(each for each in back if model.positions[each.position][0] == event.terminal)


@follows(TerminalReopened)
def _terminal_reopened(model: Model, event: TerminalReopened, _context: Context) -> None:
    model.seats[event.terminal].closed = False


@follows(MalfunctionRaised)
def _malfunction(model: Model, event: MalfunctionRaised, _context: Context) -> None:
    """Block a seat: chips in no spin go back, and sealed ones are in question where the rules refer or void them."""
    seat = model.seats[event.terminal]
    questions_bets = malfunction_effect(model.first_table(seat).felt.rulebook) in (Effect.REFER, Effect.VOID_ROUND)
    check_equal(
        "I3", f"{event} questions", event.questioned, tuple(_sealed_bets(model, seat)) if questions_bets else ()
    )
    model.cases[event.case] = ModelCase(seat.name, event.questioned)
    seat.case = event.case
    for table in model.tables.values():
        if table.unsealed:
            back = unplayed_stakes(model, table, ReturnReason.MALFUNCTION)
            model.returns.update(each for each in back if model.positions[each.position][0] == seat.name)


def malfunction_effect(rulebook: Rulebook) -> Effect:
    """Find what a malfunction does here; where the rules do not name it, it is what they do not cover."""
    effects = {each.reason: each.effect for each in rulebook.irregularities}
    return effects.get(Reason.MALFUNCTION) or effects[Reason.NOT_COVERED]


def _sealed_bets(model: Model, seat: ModelTerminal) -> Iterator[tuple[TableId, RoundNumber]]:
    for name, game in seat.games.items():
        round_ = model.tables[name].round
        if round_ is not None and not round_.over and game.position in (round_.sealed or {}):
            yield name, round_.number


def _open_case(model: Model, event: BetsConfirmed | BetsVoided) -> ModelCase:
    case = model.cases.get(event.case)
    if case is None or case.state != "open" or not case.questioned:
        raise InvariantViolation("I10", f"{event}: there is nothing in question in {case}")
    return case


@follows(BetsConfirmed)
def _confirmed(model: Model, event: BetsConfirmed, _context: Context) -> None:
    paid = settlement.confirm(model, _open_case(model, event))
    check_equal("I3", f"{event} pays", set(event.payments), paid)


@follows(BetsVoided)
def _voided(model: Model, event: BetsVoided, _context: Context) -> None:
    settlement.void_case(model, _open_case(model, event))


@follows(CaseCleared)
def _cleared(model: Model, event: CaseCleared, _context: Context) -> None:
    _clear(model, event.case)


@follows(LineLossCleared)
def _line_loss_cleared(model: Model, event: LineLossCleared, _context: Context) -> None:
    """Clear cases that could also be cleared one by one, and no others."""
    for number in event.cases:
        case = model.cases[number]
        if case.cleared or (case.questioned and case.state == "open") or model.seats[case.seat].dark:
            raise InvariantViolation("I10", f"{event} clears case {number}, which could not be")
        _clear(model, number)


def _clear(model: Model, number: Number) -> None:
    case = model.cases[number]
    case.cleared = True
    model.seats[case.seat].case = None
