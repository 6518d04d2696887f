"""Rounds and set-up."""

from fractions import Fraction

from croupier.house.credit.tickets import TicketsExpired
from croupier.house.declare import Event, RoundEvent
from croupier.house.floor.settings import RulebookChanged, SettingsChanged
from croupier.house.floor.setup import HouseCreated, RulebookAdopted, TableAdded, TerminalAdded
from croupier.house.floor.staff import ActingAppointed, DeviceEnrolled, DeviceReleased, PersonEnrolled, PersonReleased
from croupier.house.ids import Context, DeviceId, Instant, RoundNumber, TerminalId
from croupier.house.play.betting import BetsReturned, ReturnReason
from croupier.house.rounds.closing import BetsClosing, BetsSealed, CloseReason, FinishCalled
from croupier.house.rounds.corrections import HeldWinRevised, OutcomeInvalidated, ResultCorrected
from croupier.house.rounds.irregularities import (
    BallOverdue,
    IrregularitySeen,
    RoundSuspended,
    RoundVoided,
    SpinVoided,
    TerminalsReset,
)
from croupier.house.rounds.multipliers import MultiplesDrawn
from croupier.house.rounds.opening import BetsOpened
from croupier.house.rounds.progressive import PotChanged, PotPlayedFor
from croupier.house.rounds.recovery import RoundInterrupted
from croupier.house.rounds.referrals import HoldReleased, ReferralDecided, RoundHeld
from croupier.house.rounds.results import BallRested
from croupier.house.rounds.settlement import CarriedReleased, ResultDeclared, RoundSettled, WinHeld
from croupier.house.rounds.spinning import BallFell, BallSpun
from croupier.house.settings import TableSettings
from croupier.house.state.tables import ResultSource
from croupier.house.timers import DayBegan
from croupier.rulebooks.schema import read_canonical
from croupier.rules.procedure import Effect
from croupier.simulation.auditor import chips, pots, settlement
from croupier.simulation.auditor.live import live_model
from croupier.simulation.auditor.model import (
    HISTORY_KEPT,
    ExpectedHold,
    ExpectedReturn,
    ExpectedRevision,
    Model,
    ModelGame,
    ModelPot,
    ModelRound,
    ModelTable,
    ModelTerminal,
    calls_of,
    channel_of,
)
from croupier.simulation.auditor.money import lapsed
from croupier.simulation.auditor.payouts import ModelPayouts, bounds_of
from croupier.simulation.auditor.registry import follows
from croupier.simulation.auditor.settlement import seal, unplayed, unplayed_stakes
from croupier.simulation.invariants import InvariantViolation, check_equal, check_not

_SECOND = 1_000_000


def running(model: Model, event: RoundEvent, invariant: str) -> tuple[ModelTable, ModelRound]:
    """Return the round of an event, which must be the running one."""
    table = model.tables[event.table]
    round_ = table.round
    if round_ is None or round_.over or round_.number != event.round:
        state = "none runs" if round_ is None else f"round {round_.number} is {round_.status}"
        raise InvariantViolation(invariant, f"{event}: {state} at {table.name}")
    return table, round_


@follows(BetsOpened)
def _opened(model: Model, event: BetsOpened, context: Context) -> None:
    table = model.tables[event.table]
    check_equal("I9", f"{event} while the round at {table.name} is", table.phase, "between")
    check_equal("I9", f"{event} counts", event.round, table.number + 1)
    other = table.next_felt is not None and table.next_felt is not table.felt
    waits = any(game.carried for _, game in model.games(table))
    check_not("I18", f"stakes are carried at {table.name} to other rules, or while it is closed", when=waits and other)
    if table.new_terms():
        up = any(game.stakes for _, game in model.games(table))
        check_not("I18", f"chips stay up at {table.name} under other terms", when=up)
    for number, past in table.rounds.items():
        check_equal("I3", f"the pot by round {number} at {table.name}", past.pot_moved, pot_moves(past))
    _take_next(model, table)
    check_equal("I3", f"{event} is under", event.rulebook, table.felt.rulebook.digest)
    check_equal("I9", f"{event} closes at", event.closes_at, _timer(table.settings, context))
    table.round = ModelRound(event.round, table.felt, context.now, closes_at=event.closes_at)
    table.rounds[event.round] = table.round
    for _, game in model.games(table):
        game.undo = []


def _take_next(model: Model, table: ModelTable) -> None:
    """Apply rules and settings that were changed since the last round opened."""
    if table.next_settings is None and table.next_felt is None:
        return
    other = table.next_felt is not None
    table.felt, table.settings = table.next_felt or table.felt, table.next_settings or table.settings
    table.next_felt = table.next_settings = None
    for seat, game in model.games(table):
        game.bounds = bounds_of(table.felt, game.own or seat.settings.limits or table.settings.limits)
        if other:
            rulebook = table.felt.rulebook
            game.previous = {}
            seat.channel, seat.calls = channel_of(rulebook), calls_of(rulebook, seat.settings.profile)


def _timer(settings: TableSettings, context: Context) -> Instant | None:
    if settings.betting_s is None:
        return None
    return Instant(context.now + max(settings.betting_s, settings.betting_min_s) * _SECOND)


@follows(FinishCalled)
def _finish_called(model: Model, event: FinishCalled, _context: Context) -> None:
    _, round_ = running(model, event, "I9")
    round_.betting, round_.closes_at = "last_call", event.closes_at


@follows(BetsClosing)
def _closing(model: Model, event: BetsClosing, context: Context) -> None:
    table, round_ = running(model, event, "I9")
    round_.betting, round_.closes_at, round_.closed_at = "closed", None, context.now
    if event.why is not CloseReason.RESULT_SEEN:
        model.returns.update((*unplayed(model, table), *chips.unplayed(table)))


@follows(BetsReturned)
def _returned(model: Model, event: BetsReturned, _context: Context) -> None:
    seat, game = model.game(event.position)
    _, name = model.positions[event.position]
    table = model.tables[name]
    if event.why is ReturnReason.NEW_TERMS and table.new_terms() and table.phase == "between":
        model.returns.update(unplayed_stakes(model, table, ReturnReason.NEW_TERMS))
    back = ExpectedReturn(event.position, event.why, frozenset(event.spots))
    if back not in model.returns:
        raise InvariantViolation("I18", f"{event}: due to go back are {model.returns}")
    model.returns.remove(back)
    seat.take_back(name, event.spots)
    game.undo = []


@follows(BetsSealed)
def _sealed(model: Model, event: BetsSealed, _context: Context) -> None:
    table, round_ = running(model, event, "I9")
    check_equal("I9", f"{event} while betting is", (round_.betting, round_.sealed), ("closed", None))
    check_equal("I18", f"chips that stay at {table.name} and should go back", model.returns, set())
    round_.sealed = seal(model, table)
    round_.sessions = {position: model.game(position)[0].session for position in round_.sealed}
    staked = sum(sum(stakes.values()) for stakes in round_.sealed.values()) + chips.seal(table, round_)
    positions = len(round_.sealed) + (0 if round_.chips is None else sum(map(bool, round_.chips.sealed.values())))
    check_equal("I3", f"{event} seals", (event.spin, event.positions, event.staked), (round_.spin, positions, staked))


@follows(BallSpun)
def _spun(model: Model, event: BallSpun, _context: Context) -> None:
    _, round_ = running(model, event, "I9")
    round_.ball = "spinning"
    round_.closes_at = round_.closes_at if event.closes_at is None else event.closes_at
    _see(round_, event.opposite, None)
    round_.troubled = round_.troubled or event.turning is False


@follows(MultiplesDrawn)
def _multiples(model: Model, event: MultiplesDrawn, _context: Context) -> None:
    """Drawn once for a spin, between the seal and the launch: numbers of the wheel, with multiples of the table."""
    _, round_ = running(model, event, "I10")
    state = (round_.spin, round_.status, round_.betting, round_.ball, round_.no_spin, round_.multiples)
    check_equal("I10", f"{event} in", state, (event.spin, "active", "closed", "idle", False, None))
    check_not("I10", f"{event} before the seal", when=round_.sealed is None)
    rules = round_.felt.rulebook.paytable.multipliers
    check_not("I10", f"{event} where nothing is drawn", when=rules is None)
    assert rules is not None
    known = {each.pays for each in rules.multiples}, {each.numbers for each in rules.counts}
    odd = set(event.multiples.values()) - known[0] or {len(event.multiples)} - known[1]
    check_not("I10", f"{event} is no draw of these rules", when=bool(odd))
    strangers = set(event.multiples) - set(round_.felt.rulebook.pockets)
    check_not("I17", f"{event} is not on the wheel", when=bool(strangers))
    round_.multiples, round_.felt = event.multiples, round_.felt.drawn(event.multiples)
    if round_.chips is not None:
        round_.chips.multiples = event.multiples


@follows(PotPlayedFor)
def _pot_played_for(model: Model, event: PotPlayedFor, _context: Context) -> None:
    """A round plays for the pot as it is at the seal, if a bet in it can win it."""
    table, round_ = running(model, event, "I10")
    spot, rules = round_.felt.pot_spot, round_.felt.rulebook.paytable.progressive
    check_not("I10", f"{event} where there is no pot", when=spot is None or rules is None)
    assert spot is not None
    assert rules is not None
    pot = model.pots[round_.felt.rulebook.id]
    staked = sum(stakes.get(spot, 0) for stakes in (round_.sealed or {}).values())
    check_not("I3", f"{event} without a bet on it", when=staked == 0)
    amount, at_most = min(pot.amount, rules.must_hit_by), pot.amount >= rules.must_hit_by
    # It is due in one round: at another table it is won by its numbers only, until that round is over.
    others = [each.round for each in model.tables.values() if each is not table and each.round is not None]
    due = (
        at_most
        and pot.due_here
        and not any(
            each.pot_due
            and not each.over
            and each.pot_wins == pot.wins
            and each.felt.rulebook.id == round_.felt.rulebook.id
            for each in others
        )
    )
    found = (event.amount, event.whole, event.staked, event.wins, event.due)
    check_equal("I3", f"{event} says", found, (amount, pot.amount, staked, pot.wins, due))
    round_.pot, round_.pot_wins, round_.pot_due = pot.amount, pot.wins, due
    round_.felt = round_.felt.playing_for((amount, staked), on_all=due)


def pot_moves(round_: ModelRound) -> tuple[int, int, int]:
    """Compute what a round has added to the pot and to its reserve, and won, by the number that it has now."""
    spot, rules = round_.felt.pot_spot, round_.felt.rulebook.paytable.progressive
    if round_.pot is None or round_.pocket is None or round_.invalidated or spot is None or rules is None:
        return 0, 0, 0
    stakes = [(round_.sealed or {})[position].get(spot, 0) for position in round_.paid]
    wins = round_.pocket in round_.felt.covers[spot]
    return (
        sum(int(stake * Fraction(rules.contributes)) for stake in stakes),
        sum(int(stake * Fraction(rules.reserves)) for stake in stakes),
        sum(round_.felt.wins(spot, stake) for stake in stakes) if wins else 0,
    )


@follows(PotChanged)
def _pot_changed(model: Model, event: PotChanged, _context: Context) -> None:
    table, round_ = _past(model, event)
    rules, pot = round_.felt.rulebook.paytable.progressive, model.pots[round_.felt.rulebook.id]
    check_not("I10", f"{event} of a round without a pot", when=rules is None or round_.pot is None)
    assert rules is not None
    assert round_.pot is not None
    (grown, reserved, won), now = round_.pot_moved, pot_moves(round_)
    contributed, paid = now[0] - grown + now[1] - reserved, now[2] - won
    check_equal("I3", f"{event} counts", (event.contributed, event.paid), (contributed, paid))
    taken, takes, amount = won > 0, now[2] > 0, pot.amount
    # What it played for is still there, or nobody has won the pot that came after its win.
    is_last = pot.wins == round_.pot_wins + taken
    if is_last and taken != takes:
        amount += rules.seed - round_.pot if takes else round_.pot - rules.seed
        pot.wins += 1 if takes else -1
    added = now[0] - grown if is_last or now[0] > grown else 0
    amount += added
    check_not("I3", f"{event} leaves less than the seed", when=amount < rules.seed)
    if pot.kept:
        pot.reserve += contributed - paid - (amount - pot.amount)
        check_equal("I3", f"{event} reports", event.report, None)
    else:
        turn = (round_.pot_wins + taken, round_.pot, takes - taken)
        pots.report(model, pot, event, turn, added)
    pot.amount = amount
    pots.note_due(pot, rules, "")
    check_equal("I3", f"{event} leaves", (event.pot, event.reserve, event.wins), (amount, pot.reserve, pot.wins))
    round_.pot_moved = now
    table.meters["contributed"] += contributed - paid
    model.won -= contributed - paid


@follows(BallFell)
def _fell(model: Model, event: BallFell, _context: Context) -> None:
    _, round_ = running(model, event, "I9")
    _see(round_, None, event.revolutions)


@follows(IrregularitySeen)
def _troubled(model: Model, event: IrregularitySeen, _context: Context) -> None:
    _, round_ = running(model, event, "I9")
    round_.troubled = True


@follows(BallOverdue, RoundInterrupted)
def _unseen(model: Model, event: BallOverdue | RoundInterrupted, _context: Context) -> None:
    _, round_ = running(model, event, "I9")
    round_.unseen = True


def _see(round_: ModelRound, opposite: bool | None, revolutions: int | None) -> None:  # noqa: FBT001 - may be unknown
    round_.ways |= set() if opposite is None else {opposite}
    round_.turns |= set() if revolutions is None else {revolutions}


@follows(BallRested)
def _rested(model: Model, event: BallRested, _context: Context) -> None:
    _, round_ = running(model, event, "I9")
    round_.ball, round_.reported = "at_rest", event.pocket
    _see(round_, event.opposite, event.revolutions)


@follows(ResultDeclared)
def _declared(model: Model, event: ResultDeclared, _context: Context) -> None:
    table, round_ = running(model, event, "I10")
    check_not("I9", f"{event} before the seal", when=round_.sealed is None)
    undrawn = round_.felt.rulebook.paytable.multipliers is not None and round_.multiples is None
    check_not("I10", f"{event} before the draw of multiples", when=undrawn)
    check_equal("I10", f"{event} is a second result after", round_.pocket, None)
    check_not("I23", f"{event} after no spin", when=round_.no_spin)
    check_not("I17", f"{event} is not on the wheel", when=event.pocket not in round_.felt.rulebook.wheel.order)
    _see(round_, event.opposite, event.revolutions)
    doubtful = round_.troubled or len(round_.ways) > 1 or len(round_.turns) > 1
    check_not(
        "I10",
        f"{event} on sensors that saw it go wrong",
        when=event.source is ResultSource.SENSOR and doubtful,
    )
    round_.pocket, round_.ball, round_.status = event.pocket, "at_rest", "active"
    table.history = [(round_.number, event.pocket), *table.history][:HISTORY_KEPT]


@follows(RoundSettled)
def _settled(model: Model, event: RoundSettled, _context: Context) -> None:
    table, round_ = running(model, event, "I10")
    check_not("I9", f"{event} without a result", when=round_.pocket is None)
    check_equal("I3", f"{event} counts", (event.staked, event.returned), settlement.settle(model, table, round_))


@follows(CarriedReleased)
def _carried_released(model: Model, event: CarriedReleased, _context: Context) -> None:
    """Stakes are released when no spin follows: the table is closed, or plays by other rules from its next round."""
    table = model.tables[event.table]
    due = table.closed or (table.next_felt is not None and table.next_felt is not table.felt)
    check_not("I18", f"{event} while a spin follows", when=not due or table.phase not in ("between", "paying"))
    check_equal("I3", f"{event} counts", (event.carried, event.returned), settlement.release(model, table))


@follows(RoundVoided)
def _voided(model: Model, event: RoundVoided, _context: Context) -> None:
    table, round_ = running(model, event, "I23")
    settlement.void(model, table, round_)
    chips.unseal(table, round_)


@follows(SpinVoided)
def _spin_voided(model: Model, event: SpinVoided, context: Context) -> None:
    """The spin does not count: chips stay on the felt, and are no longer sealed when play continues with them."""
    _resume(model, event)
    table, round_ = running(model, event, "I23")
    settlement.no_result(table, round_)
    round_.ball, round_.reported, round_.status, round_.unseen = "idle", None, "active", False
    table.meters["no_spins"] += 1
    if event.effect is not Effect.KEEP_AND_RESPIN:
        round_.no_spin, round_.betting, round_.closes_at = True, "closed", None
        return
    for seat, game in model.games(table):
        if round_.sealed is not None and game.position in round_.sealed:
            settlement.count_refund(table, seat, game.staked)
        game.undo = []
    check_equal("I9", f"{event} closes at", event.closes_at, _timer(table.settings, context))
    _again(round_, event.spin + 1, event.closes_at)


def _resume(model: Model, event: SpinVoided) -> None:
    """A spin may be called off while chips are paid: nothing was paid, and no terminal had bets in it."""
    table = model.tables[event.table]
    round_ = table.round
    if round_ is not None and round_.phase == "paying" and round_.chips is not None:
        check_not("I23", f"{event} after a payment", when=round_.chips.made or bool(round_.sealed))
        chips.restore(model, table, round_)
        round_.status, round_.paid = "active", {}
        round_.chips = None
        table.meters["rounds"] -= 1


def _again(round_: ModelRound, spin: int, closes_at: Instant | None) -> None:
    check_equal("I10", f"round {round_.number} goes on with spin", spin, round_.spin + 1)
    round_.spin, round_.betting, round_.sealed, round_.no_spin = spin, "open", None, False
    round_.chips, round_.multiples, round_.felt = None, None, round_.felt.before_seal
    round_.pot, round_.pot_due = None, False
    round_.ways, round_.turns, round_.troubled = set(), set(), False
    round_.closes_at = closes_at


@follows(TerminalsReset)
def _reset(model: Model, event: TerminalsReset, context: Context) -> None:
    table, round_ = running(model, event, "I23")
    check_not("I23", f"{event} without no spin", when=not round_.no_spin)
    settlement.refund(model, table, round_)
    check_equal("I9", f"{event} closes at", event.closes_at, _timer(table.settings, context))
    _again(round_, event.spin, event.closes_at)
    round_.opened_at = context.now


@follows(RoundSuspended)
def _suspended(model: Model, event: RoundSuspended, _context: Context) -> None:
    _, round_ = running(model, event, "I9")
    round_.status, round_.held_at = "suspended", None


@follows(RoundHeld)
def _round_held(model: Model, event: RoundHeld, context: Context) -> None:
    _, round_ = running(model, event, "I9")
    check_equal("I9", f"{event} while the round is", round_.status, "active")
    round_.status, round_.held_at = "suspended", context.now


@follows(HoldReleased)
def _hold_released(model: Model, event: HoldReleased, context: Context) -> None:
    """A held round continues: its betting closes later by the time of the hold."""
    _, round_ = running(model, event, "I9")
    check_not("I9", f"{event} of a round that is not held", when=round_.held_at is None)
    if round_.closes_at is not None and round_.held_at is not None:
        round_.closes_at = Instant(round_.closes_at + context.now - round_.held_at)
    check_equal("I9", f"{event} closes at", event.closes_at, round_.closes_at)
    round_.status, round_.held_at = "active", None


@follows(ReferralDecided)
def _decided(model: Model, event: ReferralDecided, context: Context) -> None:
    """A suspended round continues; a timer that ran out meanwhile has expired."""
    _, round_ = running(model, event, "I9")
    round_.status = "active"
    if round_.closes_at is not None and round_.closes_at <= context.now:
        round_.closes_at = None
    check_equal("I9", f"{event} closes at", event.closes_at, round_.closes_at)


@follows(ResultCorrected)
def _corrected(model: Model, event: ResultCorrected, _context: Context) -> None:
    table, round_ = _past(model, event)
    check_equal("I10", f"{event} of a round that is", (round_.status, round_.invalidated), ("settled", False))
    check_equal("I10", f"{event} replaces", event.was, round_.pocket)
    check_equal("I3", f"{event} gives back", event.returned, settlement.correct(model, table, round_, event.pocket))


@follows(OutcomeInvalidated)
def _invalidated(model: Model, event: OutcomeInvalidated, _context: Context) -> None:
    table, round_ = _past(model, event)
    check_not("I4", f"{event} is void already", when=round_.status == "void" or round_.invalidated)
    round_.invalidated = True
    if round_.status == "settled":
        settlement.invalidate(model, table, round_)
    else:
        settlement.void(model, table, round_)
        chips.unseal(table, round_)


@follows(WinHeld)
def _win_held(model: Model, event: WinHeld, _context: Context) -> None:
    expected = ExpectedHold(event.terminal, event.hold, event.table, event.round, event.amount)
    check_not("I3", f"{event}: due to be held are {model.holding}", when=expected not in model.holding)
    model.holding.discard(expected)


@follows(HeldWinRevised)
def _revised(model: Model, event: HeldWinRevised, _context: Context) -> None:
    expected = ExpectedRevision(event.terminal, event.hold, event.amount, event.held)
    check_not("I3", f"{event}: due to be revised are {model.revising}", when=expected not in model.revising)
    model.revising.discard(expected)


def _past(model: Model, event: RoundEvent) -> tuple[ModelTable, ModelRound]:
    table = model.tables[event.table]
    round_ = table.rounds.get(RoundNumber(event.round))
    if round_ is None:
        raise InvariantViolation("I10", f"{event}: there was no such round at {table.name}")
    return table, round_


@follows(HouseCreated)
def _founded(model: Model, event: HouseCreated, _context: Context) -> None:
    model.mode, model.ticket_days, model.venue = event.mode, event.ticket_days, event.venue


@follows(RulebookAdopted)
def _adopted(model: Model, event: RulebookAdopted, _context: Context) -> None:
    rulebook = read_canonical(event.canonical)
    check_equal("I3", "the digest of an adopted rulebook", event.digest, rulebook.digest)
    model.felts[event.digest] = ModelPayouts(rulebook)
    rules = rulebook.paytable.progressive
    if rules is not None and rulebook.id not in model.pots:
        model.pots[rulebook.id] = ModelPot(rules.seed, -rules.seed)


@follows(TableAdded)
def _table_added(model: Model, event: TableAdded, _context: Context) -> None:
    table = ModelTable(event.table, model.felts[event.rulebook], event.settings)
    table.live = live_model(event.settings.live)
    model.tables[event.table] = table
    model.staff.devices.add(DeviceId(event.table))


@follows(TerminalAdded)
def _terminal_added(model: Model, event: TerminalAdded, _context: Context) -> None:
    tables, settings = [model.tables[name] for name in event.tables], event.settings
    rulebook = tables[0].felt.rulebook
    numbers = tuple(range(model.positions_added + 1, model.positions_added + 1 + len(tables)))
    model.positions_added += len(tables)
    check_equal("I12", f"positions of {event.terminal}", event.positions, numbers)
    games = {}
    for number, table in zip(event.positions, tables, strict=True):
        games[table.name] = ModelGame(bounds_of(table.felt, settings.limits or table.settings.limits), number)
        model.positions[number] = (event.terminal, table.name)
    channel, calls = channel_of(rulebook), calls_of(rulebook, settings.profile)
    model.seats[event.terminal] = ModelTerminal(
        event.terminal, settings, channel, calls, games, settings.denominations[0]
    )
    for table in tables:
        table.seats.append(event.terminal)
    model.staff.devices.add(DeviceId(event.terminal))


@follows(DeviceEnrolled)
def _device(model: Model, event: DeviceEnrolled, _context: Context) -> None:
    model.staff.devices.add(event.device)


@follows(DeviceReleased)
def _released(model: Model, event: DeviceReleased, _context: Context) -> None:
    model.staff.devices.remove(event.device)
    seat = model.seats.get(TerminalId(event.device))
    if seat is not None:
        seat.dark = False


@follows(PersonEnrolled, PersonReleased, ActingAppointed)
def _staff(model: Model, event: Event, _context: Context) -> None:
    model.staff.learn(event)


@follows(SettingsChanged)
def _settings(model: Model, event: SettingsChanged, _context: Context) -> None:
    model.tables[event.table].next_settings = event.settings


@follows(RulebookChanged)
def _rulebook(model: Model, event: RulebookChanged, _context: Context) -> None:
    model.tables[event.table].next_felt = model.felts[event.rulebook]


@follows(DayBegan)
def _day(model: Model, event: DayBegan, _context: Context) -> None:
    model.day = event.day
    model.lapsing = lapsed(model, event.day)


@follows(TicketsExpired)
def _expired(model: Model, event: TicketsExpired, _context: Context) -> None:
    check_equal("I5", f"{event} lapses", set(event.sequences), model.lapsing)
    for number in event.sequences:
        model.desk.tickets[number].state = "expired"
    model.lapsing = set()
