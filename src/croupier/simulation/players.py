"""Players, dealers and wheels."""

from collections.abc import Callable
from typing import Final

from croupier.house import AnyCommand
from croupier.house.credit.notes import EscrowNote, GrantPlayMoney, InsertNote, ReturnNote, StackNote
from croupier.house.credit.player_limits import CallAttendant, SetPlayLimits, TakeBreak, WithdrawCall
from croupier.house.credit.tickets import Collect, ConfirmPrint, InsertTicket, Validation
from croupier.house.floor.incidents import ClearIncident, Peripheral
from croupier.house.floor.malfunctions import ReportDisplay
from croupier.house.floor.service import ReportLockUp, SlotSwitch, SwitchTerminal
from croupier.house.ids import PersonId, RoundNumber, TableId, TerminalId
from croupier.house.play.betting import (
    ChangeBet,
    ChooseDenomination,
    ClearBets,
    DoubleBets,
    MoveBet,
    PlaceBets,
    PressNeighbours,
    RemoveBets,
    RepeatBets,
    UndoBet,
)
from croupier.house.play.copying import CopyBets, SetAutoCopy
from croupier.house.play.patterns import CancelRecall, ConfirmRecall, RecallPattern, SavePattern
from croupier.house.rounds.closing import CloseBets, FinishBetting
from croupier.house.rounds.corrections import CorrectResult, InvalidateOutcome
from croupier.house.rounds.irregularities import CallNoSpin, ResetTerminals, WheelTrouble
from croupier.house.rounds.multipliers import DrawMultiples, awaits_multiples
from croupier.house.rounds.opening import OpenBets
from croupier.house.rounds.referrals import DecideReferral, HoldRound, ReferralDecision, ReferRound, ReleaseHold
from croupier.house.rounds.results import AttestResult, BallAtRest, ConfirmResult, EnterResult
from croupier.house.rounds.spinning import BallLaunched, BallLeftTrack, SpinBall
from croupier.house.settings import WheelKind
from croupier.house.state.tables import BETTING_PHASES, BallState, CallReason, Phase, Table, Terminal
from croupier.rules.geometry import Pocket, SpotKey
from croupier.rules.money import Cents
from croupier.rules.procedure import CloseRule, CreditOut, Duty, Reason
from croupier.simulation import live
from croupier.simulation.harness import WORDS, Harness, Menu
from croupier.simulation.scenarios import OFFERS

#: What a sensor may see of the revolutions and of the direction: mostly a valid spin.
TURNS: Final = (*(9,) * 20, None, 2, 0)
SIGHTS: Final = (*(True,) * 20, None, False)
#: The rules by which betting continues while the ball runs.
RUNS_WHILE_OPEN: Final = (CloseRule.AFTER_LAUNCH, CloseRule.DURING_SPIN)


def wheel_reports(harness: Harness) -> None:
    """Report the next event of a table without irregularities."""
    wheel_step(harness, harness.table())


def wheel_step(harness: Harness, table: Table) -> None:
    if table.phase is Phase.CLOSED and awaits_multiples(table) and not harness.chance(5):
        draw_multiples(harness, table)
        return
    if table.settings.wheel is WheelKind.RANDOM:
        draw(harness, table)
    elif table.settings.wheel is WheelKind.SENSOR:
        report(harness, table)


def draw_multiples(harness: Harness, table: Table) -> None:
    """Draw the multiples of a spin, where the rules have such; now and then a draw that the rules do not have."""
    multipliers, order = table.rulebook.paytable.multipliers, table.rulebook.wheel.order
    assert multipliers is not None
    drawn = multipliers.drawn(order, iter(harness.rng.randbytes(1_024)))
    if harness.chance(3):
        drawn.popitem()
    harness.ask(table.id, DrawMultiples(table.id, drawn))


def report(harness: Harness, table: Table) -> None:
    open_ = table.phase is Phase.OPEN and table.rulebook.procedure.closes.choice in RUNS_WHILE_OPEN
    if (open_ and harness.chance(20)) or table.phase is Phase.CLOSED:
        launch = BallLaunched(table.id, harness.any(SIGHTS), turning=not harness.chance(3))
        harness.ask(table.id, launch)
    elif table.phase is Phase.RUNNING:
        turns = harness.any(TURNS)
        harness.ask(table.id, harness.one_of(BallLeftTrack(table.id, turns), rest(harness, table, harness.pocket())))


def rest(harness: Harness, table: Table, pocket: Pocket) -> BallAtRest:
    spin_id = harness.any((None, table.rounds, table.spin_id))
    return BallAtRest(table.id, pocket, harness.any(TURNS), harness.any(SIGHTS), spin_id)


def draw(harness: Harness, table: Table) -> None:
    """Draw once for a round whose bets are sealed; on a repeated request, report the same number again."""
    if table.phase is Phase.CLOSED and table.rulebook.procedure.closes.choice in RUNS_WHILE_OPEN:
        harness.ask(table.id, BallLaunched(table.id))
    elif table.phase in (Phase.CLOSED, Phase.RUNNING):
        pocket = harness.drawn.setdefault((table.id, RoundNumber(table.rounds)), harness.pocket())
        harness.ask(table.id, BallAtRest(table.id, pocket))
    elif table.phase is Phase.OPEN:
        report(harness, table)


def report_out_of_turn(harness: Harness) -> None:
    """Report a launch or a number in any state of the round, perhaps one that is not on the wheel."""
    table = harness.table()
    frame = harness.one_of(
        BallLaunched(table.id, harness.any(SIGHTS), harness.any(SIGHTS)),
        BallLeftTrack(table.id, harness.any(TURNS)),
        rest(harness, table, harness.any((harness.pocket(), Pocket("37"), Pocket("00"), *table.numbers[:1]))),
    )
    harness.ask(table.id, frame)


def report_trouble(harness: Harness) -> None:
    table = harness.table()
    harness.ask(table.id, WheelTrouble(table.id, harness.any(list(Reason))))


WHEEL_ACTIONS: Final[Menu] = {wheel_reports: 40, report_out_of_turn: 3, report_trouble: 1}


#: The most frequent reasons for calling a spin off.
COMMON: Final = (Reason.FOREIGN_OBJECT, Reason.TOO_FEW_REVOLUTIONS, Reason.SUSPICION, Reason.MALFUNCTION)


def deal(harness: Harness) -> None:
    """Take the next step at a table without irregularities."""
    dealer_step(harness, harness.table())


def dealer_step(harness: Harness, table: Table) -> None:
    match table.phase:
        case Phase.BETWEEN:
            open_bets(harness, table)
        case Phase.OPEN | Phase.OPEN_RUNNING if not harness.chance(30):
            pass
        case Phase.OPEN if table.rulebook.procedure.closes.choice in RUNS_WHILE_OPEN:
            harness.by(Duty.DEAL, SpinBall(table.id))
        case Phase.OPEN | Phase.OPEN_RUNNING:
            harness.by(Duty.DEAL, harness.one_of(CloseBets(table.id), FinishBetting(table.id)))
        case Phase.CLOSED:
            harness.by(Duty.DEAL, SpinBall(table.id))
        case Phase.RUNNING | Phase.AT_REST:
            name_number(harness, table)
        case Phase.NO_SPIN:
            harness.by(Duty.DEAL, ResetTerminals(table.id))
        case Phase.SUSPENDED:
            decide(harness, table)
        case Phase.PAYING:
            live.pay(harness, table)
        case _:
            # The warning runs, and the clock closes.
            pass


def open_bets(harness: Harness, table: Table) -> None:
    """Handle what was reported since, and open the next round."""
    for incident in harness.house.incidents.all.values():
        if incident.subject == table.id and incident.cleared_by is None:
            harness.by(Duty.DEAL, ClearIncident(incident.number))
            return
    if table.live is not None:
        live.acknowledge(harness, table)
    harness.by(Duty.DEAL, OpenBets(table.id))


def name_number(harness: Harness, table: Table) -> None:
    """Confirm the number that the wheel reported, or enter one that it did not; now and then a wrong number."""
    playing = table.playing
    if playing.spin.interrupted:
        harness.by(Duty.INSPECT, AttestResult(table.id, playing.spin.reported or harness.pocket(), WORDS))
    elif playing.spin.reported is not None:
        pocket = harness.pocket() if harness.chance(10) else playing.spin.reported
        dolly = None if table.live is None or harness.chance(20) else pocket
        confirmed = ConfirmResult(table.id, pocket, dolly, round=playing.number, spin=playing.spin.number)
        harness.by(Duty.DEAL, confirmed)
    elif table.settings.wheel is WheelKind.KEYPAD and playing.ball is BallState.SPINNING:
        pocket = harness.pocket()
        again = harness.pocket() if harness.chance(10) else pocket
        confirmed = ConfirmResult(table.id, pocket)
        harness.by(Duty.DEAL, harness.one_of(EnterResult(table.id, pocket, again), confirmed))


def decide(harness: Harness, table: Table) -> None:
    playing, verdict = table.playing, harness.any(list(ReferralDecision))
    if playing.is_held and harness.chance(70):
        # Otherwise another person decides it, or the hold expires.
        if harness.chance(50):
            harness.by(Duty.DEAL, ReleaseHold(table.id, round=playing.number))
        return
    if playing.spin.interrupted and harness.chance(50):
        harness.by(Duty.INSPECT, AttestResult(table.id, playing.spin.reported or harness.pocket(), WORDS))
    pocket = harness.any((None, playing.spin.reported, harness.pocket()))
    harness.by(Duty.DECIDE, DecideReferral(table.id, verdict, WORDS, pocket, round=playing.number))


def out_of_turn(harness: Harness) -> None:
    """Take any step, in any state of the round."""
    table = harness.table().id
    pocket = harness.pocket()
    step = harness.one_of(
        *(kind(table) for kind in (OpenBets, FinishBetting, CloseBets, SpinBall)),
        ResetTerminals(table),
        ConfirmResult(table, pocket),
        EnterResult(table, pocket, pocket),
        ReferRound(table, WORDS),
        ReleaseHold(table),
    )
    harness.by(Duty.DEAL, step)


def call_no_spin(harness: Harness) -> None:
    table = harness.table()
    if harness.chance(40):
        harness.by(Duty.DEAL, HoldRound(table.id, round=table.rounds))
    reason = harness.any(COMMON if harness.chance(80) else list(Reason))
    called = CallNoSpin(
        table.id, reason, WORDS, before_rest=harness.chance(80), ball_removed=harness.chance(50), round=table.rounds
    )
    harness.by(harness.any((Duty.DEAL, Duty.DECIDE)), called)


def mend(harness: Harness) -> None:
    """Correct a settled number, or invalidate an outcome; both need a second signature."""
    table = harness.table()
    played = harness.past_round(table)
    if played is None:
        return
    if harness.chance(75):
        harness.by(Duty.CORRECT, CorrectResult(table.id, played.number, harness.pocket(), WORDS))
    else:
        reason, suspect = harness.any((Reason.FIRE, Reason.FRAUD_BY_PLAYER)), PersonId("somebody")
        harness.by(Duty.DECIDE, InvalidateOutcome(table.id, played.number, reason, WORDS, suspect))


DEALER_ACTIONS: Final[Menu] = {deal: 80, out_of_turn: 3, call_no_spin: 2, mend: 5}


#: The most frequent bets beside any spot of the layout, and bets that some venues or all venues do not offer.
USUAL: Final = ("17", "17", "17", "18", "0", "red", "black", "odd")
SELDOM: Final = ("neighbours 22", "voisins", "tiers", "complete 17", "red-splits", "finale 7", "00", "1/5")
STAKES: Final = (100, 100, 100, 100, 200, 200, 300, 400, 500, 5_000)
BUTTONS: Final[tuple[Callable[[TerminalId, TableId, RoundNumber, int], AnyCommand], ...]] = (
    UndoBet,
    UndoBet,
    ClearBets,
    RepeatBets,
    DoubleBets,
)

Game = tuple[TerminalId, TableId, RoundNumber, int]


def game(harness: Harness) -> Game:
    """Sit down somewhere: a terminal, one of its tables, and the round and spin that it shows."""
    seat = harness.seat()
    tables = [harness.house.tables[name] for name in harness.house.terminals[seat].games]
    open_ = [table for table in tables if table.phase in BETTING_PHASES]
    return _at(seat, harness.any(open_ if open_ and harness.chance(90) else tables))


def _at(seat: TerminalId, table: Table) -> Game:
    return seat, table.id, table.rounds, 1 if table.round is None else table.round.spin.number


def act(harness: Harness) -> None:
    """Bet while bets are open; otherwise mostly wait."""
    if harness.chance(15) or any(table.phase in BETTING_PHASES for table in harness.house.tables.values()):
        harness.do_one_of(PLAYER_ACTIONS)


def _terminal(harness: Harness, seat: TerminalId) -> Terminal:
    return harness.house.terminals[seat]


def _spot(harness: Harness) -> SpotKey:
    """Choose a spot or a call; seldom one that does not exist."""
    if harness.chance(10):
        return SpotKey(harness.any(SELDOM))
    pots = harness.scenario.pot_spots
    if pots and harness.chance(20):
        return harness.any(pots)
    return SpotKey(harness.any(USUAL) if harness.chance(60) else harness.any(harness.scenario.spots))


def _own_spot(harness: Harness, here: Game) -> SpotKey:
    """Choose a spot with chips on it, if there is one."""
    bets = list(_terminal(harness, here[0]).games[here[1]].bets)
    return harness.any(bets) if bets and harness.chance(80) else _spot(harness)


def place(harness: Harness) -> None:
    here = game(harness)
    bets = tuple((str(_spot(harness)), harness.any(STAKES)) for _ in range(harness.any((1, 1, 2, 3))))
    harness.ask(here[0], PlaceBets(*here, bets))


def change(harness: Harness) -> None:
    here = game(harness)
    harness.ask(here[0], ChangeBet(*here, _own_spot(harness, here), Cents(harness.any((0, *STAKES)))))


def remove(harness: Harness) -> None:
    here = game(harness)
    harness.ask(here[0], RemoveBets(*here, (_own_spot(harness, here),)))


def move(harness: Harness) -> None:
    here = game(harness)
    harness.ask(here[0], MoveBet(*here, _own_spot(harness, here), _spot(harness)))


def press(harness: Harness) -> None:
    here = game(harness)
    harness.ask(here[0], harness.any(BUTTONS)(*here))


def use_pattern(harness: Harness) -> None:
    """Save the chips, recall them as ghosts, and place or cancel those; seldom where terminals cannot do that."""
    for terminal in harness.house.terminals.values():
        if terminal.ghost is not None:
            shown = _at(terminal.id, harness.house.tables[terminal.ghost.table])
            harness.ask(terminal.id, harness.one_of(ConfirmRecall(*shown), CancelRecall(*shown)))
            return
    here, slot = game(harness), harness.any((1, 1, 1, 4))
    terminal = _terminal(harness, here[0])
    if terminal.patterns and harness.chance(60):
        harness.ask(here[0], RecallPattern(*here, slot))
    elif harness.scenario.rulebook.terminal.patterns is not None or harness.chance(10):
        harness.ask(here[0], SavePattern(*here, slot, override=harness.chance(50)))


def copy(harness: Harness) -> None:
    """Copy to the other game by arrow or at the close; elsewhere than at terminals with two games, seldom."""
    here = game(harness)
    if len(harness.scenario.tables) > 1 or harness.chance(10):
        other = harness.any(harness.scenario.tables)
        auto = SetAutoCopy(here[0], here[1], other, on=harness.chance(80))
        harness.ask(here[0], harness.one_of(auto, CopyBets(*here, other)))


def spread(harness: Harness) -> None:
    """Place a chip on a number and press the button that spreads it, if there is one."""
    here = game(harness)
    harness.ask(here[0], PlaceBets(*here, (("17", 100),)))
    harness.ask(here[0], PressNeighbours(*here))


def choose_denomination(harness: Harness) -> None:
    seat = harness.seat()
    harness.ask(seat, ChooseDenomination(seat, harness.any((*OFFERS.denominations, Cents(7)))))


def buy_in(harness: Harness) -> None:
    """Insert a note; where there is no real money, the house grants some."""
    seat, currency = harness.seat(), harness.scenario.rulebook.currency
    harness.ask(seat, InsertNote(seat, currency, harness.any((*OFFERS.notes, Cents(10_000), Cents(300)))))
    if harness.chance(20):
        harness.system(GrantPlayMoney(seat, Cents(20_000)))


def accept_note(harness: Harness) -> None:
    """Have the acceptor report a note step by step, with steps that are left out or come twice."""
    seat, currency = harness.seat(), harness.scenario.rulebook.currency
    for command in (
        EscrowNote(seat, currency, harness.any((*OFFERS.notes, Cents(300)))),
        StackNote(seat),
        ReturnNote(seat, seen=harness.chance(50)),
        ReportLockUp(seat, harness.any(tuple(Peripheral)), "jam"),
        SwitchTerminal(seat, harness.any(tuple(SlotSwitch)), on=harness.chance(70)),
    ):
        if harness.chance(10 if isinstance(command, ReportLockUp) else 70):
            harness.drive(seat, command)


def collect(harness: Harness) -> None:
    seat, number = harness.seat(), harness.house.tickets.next_number
    form = harness.any((None, None, None, *CreditOut))
    stale = Validation(number, f"digest {number}", "1234") if form is not None else None
    harness.ask(seat, Collect(seat, stale, form))


def use_ticket(harness: Harness) -> None:
    """Take the slip that was printed, or insert one into a terminal."""
    tickets = list(harness.house.tickets.all.values())[-4:]
    if tickets:
        ticket, seat = harness.any(tickets), harness.seat()
        taken = ConfirmPrint(ticket.terminal, ticket.sequence)
        if harness.chance(50):
            harness.ask(ticket.terminal, taken)
        else:
            harness.ask(seat, InsertTicket(seat, ticket.digest))


def limit_own_play(harness: Harness) -> None:
    """Set limits, take a break that staff may end, or call an attendant who may come."""
    seat = harness.seat()
    wish = harness.any(("limits", "break", "call"))
    if wish == "limits":
        loss = harness.any((None, Cents(2_000), Cents(10_000), Cents(50_000)))
        harness.ask(seat, SetPlayLimits(seat, loss, harness.any((None, 1, 30))))
    elif wish == "break":
        harness.ask(seat, TakeBreak(seat, harness.any((0, 1, 2))))
    else:
        harness.ask(seat, harness.any((CallAttendant(seat, CallReason.BET), WithdrawCall(seat))))


def report_display(harness: Harness) -> None:
    """Report what the screen shows, which is seldom wrong."""
    seat = harness.seat()
    shown = _terminal(harness, seat).credit + (100 if harness.chance(5) else 0)
    harness.ask(seat, ReportDisplay(seat, Cents(shown), "37" if harness.chance(5) else None))


PLAYER_ACTIONS: Final[Menu] = {
    place: 50,
    change: 6,
    remove: 5,
    move: 4,
    press: 14,
    use_pattern: 8,
    copy: 8,
    spread: 3,
    choose_denomination: 1,
    buy_in: 8,
    accept_note: 2,
    collect: 4,
    use_ticket: 5,
    report_display: 2,
    limit_own_play: 1,
}
