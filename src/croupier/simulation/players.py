"""Players, dealers and wheels."""

from collections.abc import Callable
from typing import Final

from croupier.house.base import BallState, Phase
from croupier.house.commands import AnyCommand, credit, play, rounds
from croupier.house.commands.record import ClearIncident, ReportDisplay
from croupier.house.commands.rounds import BallAtRest, BallLaunched, BallLeftTrack, WheelTrouble
from croupier.house.ids import PersonId, RoundNumber, TableId, TerminalId
from croupier.house.permissions import BETTING_PHASES
from croupier.house.settings import WheelKind
from croupier.house.state.tables import Table, Terminal
from croupier.rules.geometry import Pocket, SpotKey
from croupier.rules.money import Cents
from croupier.rules.procedure import CloseRule, CreditOut, Duty, Reason
from croupier.simulation.harness import OFFERS, WORDS, Harness, Menu

#: What a sensor may see of the turns and of the direction: mostly a spin that holds.
TURNS: Final = (*(9,) * 20, None, 2, 0)
SIGHTS: Final = (*(True,) * 20, None, False)
#: Where betting goes on while the ball runs.
RUNS_WHILE_OPEN: Final = (CloseRule.AFTER_LAUNCH, CloseRule.DURING_SPIN)


def wheel_reports(stage: Harness) -> None:
    """Report what comes next at a table that runs as it should."""
    table = stage.table()
    if table.settings.wheel is WheelKind.RANDOM:
        draw(stage, table)
    elif table.settings.wheel is WheelKind.SENSOR:
        report(stage, table)


def report(stage: Harness, table: Table) -> None:
    open_ = table.phase is Phase.OPEN and table.rulebook.procedure.closes.does in RUNS_WHILE_OPEN
    if (open_ and stage.chance(20)) or table.phase is Phase.CLOSED:
        launch = BallLaunched(table.id, stage.any(SIGHTS), turning=not stage.chance(3))
        stage.ask(table.id, launch)
    elif table.phase is Phase.RUNNING:
        turns = stage.any(TURNS)
        stage.ask(table.id, stage.one_of(BallLeftTrack(table.id, turns), rest(stage, table, stage.pocket())))


def rest(stage: Harness, table: Table, pocket: Pocket) -> BallAtRest:
    spin_id = stage.any((None, table.rounds, table.spin_id))
    return BallAtRest(table.id, pocket, stage.any(TURNS), stage.any(SIGHTS), spin_id)


def draw(stage: Harness, table: Table) -> None:
    """Draw once for a round whose bets are sealed; asked again, say again what was drawn."""
    if table.phase is Phase.CLOSED and table.rulebook.procedure.closes.does in RUNS_WHILE_OPEN:
        stage.ask(table.id, BallLaunched(table.id))
    elif table.phase in (Phase.CLOSED, Phase.RUNNING):
        pocket = stage.drawn.setdefault((table.id, RoundNumber(table.rounds)), stage.pocket())
        stage.ask(table.id, BallAtRest(table.id, pocket))
    elif table.phase is Phase.OPEN:
        report(stage, table)


def report_out_of_turn(stage: Harness) -> None:
    """Report a launch or a number whatever the round does, perhaps one that is not on the wheel."""
    table = stage.table()
    frame = stage.one_of(
        BallLaunched(table.id, stage.any(SIGHTS), stage.any(SIGHTS)),
        BallLeftTrack(table.id, stage.any(TURNS)),
        rest(stage, table, stage.any((stage.pocket(), Pocket("37"), Pocket("00"), *table.numbers[:1]))),
    )
    stage.ask(table.id, frame)


def report_trouble(stage: Harness) -> None:
    table = stage.table()
    stage.ask(table.id, WheelTrouble(table.id, stage.any(list(Reason))))


WHEEL_ACTIONS: Final[Menu] = {wheel_reports: 40, report_out_of_turn: 3, report_trouble: 1}


#: What is called off most often.
COMMON: Final = (Reason.FOREIGN_OBJECT, Reason.TOO_FEW_REVOLUTIONS, Reason.SUSPICION, Reason.MALFUNCTION)


def dealer_step(stage: Harness) -> None:
    """Do what comes next at a table that runs as it should."""
    table = stage.table()
    match table.phase:
        case Phase.BETWEEN:
            open_bets(stage, table)
        case Phase.OPEN | Phase.OPEN_RUNNING if not stage.chance(30):
            pass
        case Phase.OPEN if table.rulebook.procedure.closes.does in RUNS_WHILE_OPEN:
            stage.by(Duty.DEAL, rounds.SpinBall(table.id))
        case Phase.OPEN | Phase.OPEN_RUNNING:
            stage.by(Duty.DEAL, stage.one_of(rounds.CloseBets(table.id), rounds.FinishBetting(table.id)))
        case Phase.CLOSED:
            stage.by(Duty.DEAL, rounds.SpinBall(table.id))
        case Phase.RUNNING | Phase.AT_REST:
            name_number(stage, table)
        case Phase.NO_SPIN:
            stage.by(Duty.DEAL, rounds.ResetTerminals(table.id))
        case Phase.SUSPENDED:
            decide(stage, table)
        case _:
            # The warning runs, and the clock closes.
            pass


def open_bets(stage: Harness, table: Table) -> None:
    """See to what was reported since, and open the next round."""
    for incident in stage.house.incidents.values():
        if incident.subject == table.id and incident.cleared_by is None:
            stage.by(Duty.DEAL, ClearIncident(incident.number))
            return
    stage.by(Duty.DEAL, rounds.OpenBets(table.id))


def name_number(stage: Harness, table: Table) -> None:
    """Confirm what the wheel reported, or enter what it did not; now and then a wrong number."""
    playing = table.playing
    if playing.interrupted:
        stage.by(Duty.INSPECT, rounds.AttestResult(table.id, playing.reported or stage.pocket(), WORDS))
    elif playing.reported is not None:
        pocket = stage.pocket() if stage.chance(10) else playing.reported
        stage.by(Duty.DEAL, rounds.ConfirmResult(table.id, pocket, round=playing.number, spin=playing.spin))
    elif table.settings.wheel is WheelKind.KEYPAD and playing.ball is BallState.SPINNING:
        pocket = stage.pocket()
        again = stage.pocket() if stage.chance(10) else pocket
        confirmed = rounds.ConfirmResult(table.id, pocket)
        stage.by(Duty.DEAL, stage.one_of(rounds.EnterResult(table.id, pocket, again), confirmed))


def decide(stage: Harness, table: Table) -> None:
    playing, verdict = table.playing, stage.any(list(rounds.ReferralDecision))
    if playing.interrupted and stage.chance(50):
        stage.by(Duty.INSPECT, rounds.AttestResult(table.id, playing.reported or stage.pocket(), WORDS))
    pocket = stage.any((None, playing.reported, stage.pocket()))
    stage.by(Duty.DECIDE, rounds.DecideReferral(table.id, verdict, WORDS, pocket, round=playing.number))


def out_of_turn(stage: Harness) -> None:
    """Do any step, whatever the round does."""
    table = stage.table().id
    pocket = stage.pocket()
    step = stage.one_of(
        *(kind(table) for kind in (rounds.OpenBets, rounds.FinishBetting, rounds.CloseBets, rounds.SpinBall)),
        rounds.ResetTerminals(table),
        rounds.ConfirmResult(table, pocket),
        rounds.EnterResult(table, pocket, pocket),
        rounds.ReferRound(table, WORDS),
    )
    stage.by(Duty.DEAL, step)


def call_no_spin(stage: Harness) -> None:
    table = stage.table()
    reason = stage.any(COMMON if stage.chance(80) else list(Reason))
    called = rounds.CallNoSpin(
        table.id, reason, WORDS, before_rest=stage.chance(80), ball_removed=stage.chance(50), round=table.rounds
    )
    stage.by(stage.any((Duty.DEAL, Duty.DECIDE)), called)


def mend(stage: Harness) -> None:
    """Put a number that was settled right, or take an outcome back; somebody else must sign too."""
    table = stage.table()
    played = stage.past_round(table)
    if played is None:
        return
    if stage.chance(75):
        stage.by(Duty.CORRECT, rounds.CorrectResult(table.id, played.number, stage.pocket(), WORDS))
    else:
        reason, suspect = stage.any((Reason.FIRE, Reason.FRAUD_BY_PLAYER)), PersonId("somebody")
        stage.by(Duty.DECIDE, rounds.InvalidateOutcome(table.id, played.number, reason, WORDS, suspect))


DEALER_ACTIONS: Final[Menu] = {dealer_step: 80, out_of_turn: 3, call_no_spin: 2, mend: 5}


#: What is bet most often beside any spot of the layout, and what is not to be bet everywhere, or nowhere.
USUAL: Final = ("17", "17", "17", "18", "0", "red", "black", "odd")
SELDOM: Final = ("neighbours 22", "voisins", "tiers", "complete 17", "red-splits", "finale 7", "00", "1/5")
STAKES: Final = (100, 100, 100, 100, 200, 200, 300, 400, 500, 5_000)
BUTTONS: Final[tuple[Callable[[TerminalId, TableId, RoundNumber, int], AnyCommand], ...]] = (
    play.UndoBet,
    play.UndoBet,
    play.ClearBets,
    play.RepeatBets,
    play.DoubleBets,
)

Game = tuple[TerminalId, TableId, RoundNumber, int]


def game(stage: Harness) -> Game:
    """Sit down somewhere: a terminal, one of its tables, and the round and spin that it shows."""
    seat = stage.seat()
    tables = [stage.house.tables[name] for name in stage.house.terminals[seat].games]
    open_ = [table for table in tables if table.phase in BETTING_PHASES]
    return _at(seat, stage.any(open_ if open_ and stage.chance(90) else tables))


def _at(seat: TerminalId, table: Table) -> Game:
    return seat, table.id, table.rounds, 1 if table.round is None else table.round.spin


def act(stage: Harness) -> None:
    """Bet where bets are open; where they are not, mostly wait."""
    if stage.chance(15) or any(table.phase in BETTING_PHASES for table in stage.house.tables.values()):
        stage.do_one_of(PLAYER_ACTIONS)


def _terminal(stage: Harness, seat: TerminalId) -> Terminal:
    return stage.house.terminals[seat]


def _spot(stage: Harness) -> SpotKey:
    """Point at a spot, or name a call, as far as it is one."""
    if stage.chance(10):
        return SpotKey(stage.any(SELDOM))
    return SpotKey(stage.any(USUAL) if stage.chance(60) else stage.any(stage.bill.spots))


def _own_spot(stage: Harness, here: Game) -> SpotKey:
    """Point at a spot with chips on it, where there is one."""
    bets = list(_terminal(stage, here[0]).games[here[1]].bets)
    return stage.any(bets) if bets and stage.chance(80) else _spot(stage)


def place(stage: Harness) -> None:
    here = game(stage)
    bets = tuple((str(_spot(stage)), stage.any(STAKES)) for _ in range(stage.any((1, 1, 2, 3))))
    stage.ask(here[0], play.PlaceBets(*here, bets))


def change(stage: Harness) -> None:
    here = game(stage)
    stage.ask(here[0], play.ChangeBet(*here, _own_spot(stage, here), Cents(stage.any((0, *STAKES)))))


def remove(stage: Harness) -> None:
    here = game(stage)
    stage.ask(here[0], play.RemoveBets(*here, (_own_spot(stage, here),)))


def move(stage: Harness) -> None:
    here = game(stage)
    stage.ask(here[0], play.MoveBet(*here, _own_spot(stage, here), _spot(stage)))


def press(stage: Harness) -> None:
    here = game(stage)
    stage.ask(here[0], stage.any(BUTTONS)(*here))


def use_pattern(stage: Harness) -> None:
    """Save the chips, recall them as ghosts, and place those or let them go; seldom where terminals cannot do that."""
    for terminal in stage.house.terminals.values():
        if terminal.ghost is not None:
            shown = _at(terminal.id, stage.house.tables[terminal.ghost.table])
            stage.ask(terminal.id, stage.one_of(play.ConfirmRecall(*shown), play.CancelRecall(*shown)))
            return
    here, slot = game(stage), stage.any((1, 1, 1, 4))
    terminal = _terminal(stage, here[0])
    if terminal.patterns and stage.chance(60):
        stage.ask(here[0], play.RecallPattern(*here, slot))
    elif stage.bill.rulebook.terminal.patterns is not None or stage.chance(10):
        stage.ask(here[0], play.SavePattern(*here, slot, override=stage.chance(50)))


def copy(stage: Harness) -> None:
    """Copy to the other game by arrow or at the close; elsewhere than at terminals with two games, seldom."""
    here = game(stage)
    if len(stage.bill.tables) > 1 or stage.chance(10):
        other = stage.any(stage.bill.tables)
        auto = play.SetAutoCopy(here[0], here[1], other, on=stage.chance(80))
        stage.ask(here[0], stage.one_of(auto, play.CopyBets(*here, other)))


def spread(stage: Harness) -> None:
    """Put a chip on a number and press the button that spreads it, where there is one."""
    here = game(stage)
    stage.ask(here[0], play.PlaceBets(*here, (("17", 100),)))
    stage.ask(here[0], play.PressNeighbours(*here))


def choose_denomination(stage: Harness) -> None:
    seat = stage.seat()
    stage.ask(seat, play.ChooseDenomination(seat, stage.any((*OFFERS.denominations, Cents(7)))))


def buy_in(stage: Harness) -> None:
    """Put in a note; where the money is none, the house hands some out."""
    seat, currency = stage.seat(), stage.bill.rulebook.currency
    stage.ask(seat, credit.InsertNote(seat, currency, stage.any((*OFFERS.notes, Cents(10_000), Cents(300)))))
    if stage.chance(20):
        stage.system(credit.GrantPlayMoney(seat, Cents(20_000)))


def collect(stage: Harness) -> None:
    seat, number = stage.seat(), stage.house.next_ticket
    form = stage.any((None, None, None, *CreditOut))
    stage.ask(seat, credit.Collect(seat, credit.Validation(number, f"digest {number}", "1234"), form))


def use_ticket(stage: Harness) -> None:
    """Take the slip that was printed, or put one into a terminal."""
    tickets = list(stage.house.tickets.values())[-4:]
    if tickets:
        ticket, seat = stage.any(tickets), stage.seat()
        taken = credit.ConfirmPrint(ticket.terminal, ticket.sequence)
        if stage.chance(50):
            stage.ask(ticket.terminal, taken)
        else:
            stage.ask(seat, credit.InsertTicket(seat, ticket.digest))


def report_display(stage: Harness) -> None:
    """Report what the screen shows, which is seldom wrong."""
    seat = stage.seat()
    shown = _terminal(stage, seat).credit + (100 if stage.chance(5) else 0)
    stage.ask(seat, ReportDisplay(seat, Cents(shown), "37" if stage.chance(5) else None))


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
    collect: 4,
    use_ticket: 5,
    report_display: 2,
}
