"""Pit, cashiers and attacker."""

from collections.abc import Callable
from typing import Final

import msgspec

from croupier.house import AnyCommand
from croupier.house.credit.drawers import (
    BuyIn,
    CloseDrawer,
    CountDrawer,
    DropDrawer,
    FillDrawer,
    OpenDrawer,
    PayPayable,
    RedeemTicket,
)
from croupier.house.credit.held_wins import PayHeldWin, RecordTaxForm, ReleaseHeldWin
from croupier.house.credit.sessions import AdjustCredit, EndSession
from croupier.house.credit.tickets import ReportLost, ReprintTicket, VoidTicket
from croupier.house.declare import COMMANDS
from croupier.house.floor.disputes import (
    AdviseComplainant,
    CloseDispute,
    DecideDispute,
    DisputeBasis,
    OpenDispute,
    RecordReview,
    RequestReview,
)
from croupier.house.floor.incidents import ClearIncident, NoteIncident
from croupier.house.floor.malfunctions import ClearCase, ClearLineLoss, ConfirmBets, RaiseMalfunction, VoidBets
from croupier.house.floor.service import (
    CloseTable,
    CloseTerminal,
    NotifyOfficer,
    ReopenTable,
    ReopenTerminal,
    SendMessage,
)
from croupier.house.floor.settings import ChangeSettings
from croupier.house.floor.setup import PrintRules
from croupier.house.floor.signatures import Approve, Withdraw
from croupier.house.floor.staff import AppointActing, EnrolDevice, EnrolPerson, ReleaseDevice, ReleasePerson
from croupier.house.ids import SECOND, DeviceId, DrawerId, Instant, Number, PositionId, RoundNumber, TableId, TerminalId
from croupier.house.live.arrangements import ArrangeVip, EndArrangement
from croupier.house.live.floats import CashChips
from croupier.house.play.betting import ClearBets, PlaceBets, UndoBet
from croupier.house.rounds.corrections import CorrectResult
from croupier.house.rounds.opening import OpenBets
from croupier.house.rounds.recovery import RaiseSystemMalfunction
from croupier.house.rounds.results import BallAtRest, ReportBoard
from croupier.house.settings import LimitBounds, LimitSettings
from croupier.house.state.records import CaseState, MalfunctionKind
from croupier.house.timers import Tick
from croupier.journal.entry import IdempotencyKey
from croupier.rules.geometry import Pocket
from croupier.rules.money import Cents
from croupier.rules.procedure import Duty
from croupier.simulation.clients import altered
from croupier.simulation.harness import WORDS, Harness, Menu
from croupier.simulation.players import game
from croupier.simulation.scenarios import console_of
from croupier.simulation.world import day_after


def open_drawer(harness: Harness) -> None:
    cashier = harness.any(harness.scenario.staff(Duty.CASH))
    float_ = Cents(harness.any((0, 5_000, 500_000, 500_000)))
    harness.ask(console_of(cashier), OpenDrawer(DrawerId(cashier), float_), cashier)


def buy_in(harness: Harness) -> None:
    """Sell credits to a seat, mostly from an open drawer."""
    cashier = harness.any(harness.scenario.staff(Duty.CASH))
    amount = Cents(harness.any((1_000, 10_000, 10_000, 1, 0)))
    harness.ask(console_of(cashier), BuyIn(harness.any(harness.scenario.seats), DrawerId(cashier), amount), cashier)


def redeem(harness: Harness) -> None:
    """Pay a ticket; often both desks try to pay it at the same moment."""
    tickets = list(harness.house.tickets.all.values())[-4:]
    payable = [ticket for ticket in tickets if ticket.payable]
    if not tickets:
        return
    ticket = harness.any(payable if payable and harness.chance(80) else tickets)
    for cashier in harness.scenario.staff(Duty.CASH):
        drawer = harness.house.drawers.get(DrawerId(cashier))
        out = drawer is not None and not drawer.closed
        if harness.chance(70 if out else 10):
            paper = harness.any((None, Cents(ticket.amount), Cents(ticket.amount), Cents(ticket.amount + 1)))
            command = RedeemTicket(DrawerId(cashier), ticket.digest, paper)
            harness.ask(console_of(cashier), command, cashier)


def count_and_close(harness: Harness) -> None:
    cashier = harness.any(harness.scenario.staff(Duty.CASH))
    drawer = harness.house.drawers.get(DrawerId(cashier))
    counted = Cents((drawer.cash if drawer else 0) + harness.any((0, 0, 100)))
    ready = drawer is not None and drawer.counted is not None
    command = CloseDrawer(DrawerId(cashier)) if ready else CountDrawer(DrawerId(cashier), counted)
    harness.ask(console_of(cashier), command, cashier)


def see_to_hold(harness: Harness) -> None:
    """Record the form of a held win, and pay it to the meter or by hand."""
    held = [(name, hold) for name, terminal in harness.house.terminals.items() for hold in terminal.holds]
    if not held:
        return
    seat, hold = harness.any(held)
    cashier = harness.any(harness.scenario.staff(Duty.CASH))
    command = harness.one_of(
        RecordTaxForm(seat, hold, "A. Patron", "W-1"),
        ReleaseHeldWin(seat, hold),
        PayHeldWin(seat, hold, DrawerId(cashier)),
    )
    harness.ask(console_of(cashier), command, cashier)


def pay_payable(harness: Harness) -> None:
    """Propose to pay a correction's payable after the player's session ended, now and then wrongly; or sign one."""
    for proposal in harness.house.proposals.all.values():
        if isinstance(proposal.command, PayPayable):
            harness.by(Duty.INSPECT, Approve(proposal.number))
            return
    owed = [
        (name, session, -debt) for name, each in harness.house.terminals.items() for session, debt in each.debts.items()
    ]
    if not owed:
        return
    seat, session, amount = harness.any([each for each in owed if each[2] > 0] or owed)
    cashier = harness.any(harness.scenario.staff(Duty.CASH))
    signed = Cents(amount + harness.any((0, 0, 0, 100)))
    command = PayPayable(seat, session, DrawerId(cashier), signed, WORDS, "7")
    harness.ask(console_of(cashier), command, cashier)


def fill_or_drop(harness: Harness) -> None:
    """Propose to move cash between the vault and a drawer, now and then another's or too much; or sign for a drawer."""
    for proposal in harness.house.proposals.all.values():
        if isinstance(proposal.command, FillDrawer | DropDrawer | CloseDrawer | CashChips):
            harness.by(harness.any((Duty.INSPECT, Duty.CASH)), Approve(proposal.number))
            return
    cashiers = harness.scenario.staff(Duty.CASH)
    cashier = harness.any(cashiers)
    drawer = DrawerId(cashier if harness.chance(90) else harness.any(cashiers))
    amount = Cents(harness.any((1_000, 20_000, 100_000, 0)))
    kind = FillDrawer if harness.chance(60) else DropDrawer
    harness.ask(console_of(cashier), kind(drawer, amount), cashier)


CASHIER_ACTIONS: Final[Menu] = {
    open_drawer: 3,
    buy_in: 2,
    redeem: 10,
    count_and_close: 2,
    see_to_hold: 6,
    pay_payable: 15,
    fill_or_drop: 4,
}


PAPER: Final[tuple[Callable[..., AnyCommand], ...]] = (
    ReprintTicket,
    VoidTicket,
    VoidTicket,
    ReportLost,
)


def sign(harness: Harness) -> None:
    """Sign a proposal: mostly as another person with the duty, on another device."""
    proposals = list(harness.house.proposals.all.values())
    if not proposals:
        return
    proposal = harness.any(proposals)
    duty = harness.any(COMMANDS[type(proposal.command)].permission.duties)
    others = [person for person in harness.scenario.staff(duty) if person != proposal.person]
    person = harness.any(others) if others and harness.chance(85) else proposal.person
    device = console_of(person) if harness.chance(90) else proposal.device
    command = Withdraw(proposal.number) if harness.chance(8) else Approve(proposal.number)
    harness.ask(device, command, person)


def adjust(harness: Harness) -> None:
    harness.by(Duty.CORRECT, AdjustCredit(harness.seat(), harness.any((-500, -100, 100, 500)), WORDS))


def see_to_paper(harness: Harness) -> None:
    tickets = list(harness.house.tickets.all)
    if tickets:
        harness.by(Duty.INSPECT, harness.any(PAPER)(harness.any(tickets[-4:]), WORDS))


def mend(harness: Harness) -> None:
    """Resolve what is out of service: disk space, links, cases, held wins, and closed tables and terminals."""
    terminals = [each for each in harness.house.terminals.values() if each.case or each.closed or each.holds]
    harness.machine.room = True
    if any(table.closed for table in harness.house.tables.values()):
        close_something(harness)
    if not terminals:
        return
    terminal = harness.any(terminals)
    if terminal.case is not None:
        see_to_case(harness)
    elif terminal.closed:
        close_something(harness)
    else:
        see_to_hold(harness)


def end_session(harness: Harness) -> None:
    """End a session, mostly one with nothing left; or an arrangement."""
    spent = [name for waiting in harness.house.spent.values() for name in waiting]
    seat = harness.any(spent) if spent and harness.chance(80) else harness.seat()
    harness.by(Duty.INSPECT, EndSession(seat))
    arranged = [(table.id, number) for table in harness.house.tables.values() for number in table.arrangements]
    if arranged and harness.chance(50):
        harness.by(Duty.MANAGE, EndArrangement(*harness.any(arranged), WORDS))


def correct_for_the_gone(harness: Harness) -> None:
    """Correct a round for a player whose session has ended since, to a number with chips of that player."""
    for table in harness.house.tables.values():
        for past in table.past:
            sessions = {} if past.sealed is None else past.sealed.sessions
            gone = [each for each in past.paid if each in sessions and _session(harness, each) != sessions[each]]
            if gone and not past.invalidated:
                layout = past.layouts[harness.any(gone)]
                spots = [spot for spot in layout if Pocket(spot) in harness.scenario.rulebook.pockets]
                pocket = Pocket(harness.any(spots)) if spots else harness.pocket()
                harness.by(Duty.CORRECT, CorrectResult(table.id, past.number, pocket, WORDS))
                return


def _session(harness: Harness, position: PositionId) -> int:
    """Return the session of a terminal's player; of a player with chips, none."""
    game = harness.house.positions.get(position)
    return harness.house.terminals[game.terminal].session if game is not None and game.terminal else 0


def raise_malfunction(harness: Harness) -> None:
    fault = harness.any(list(MalfunctionKind))
    harness.by(Duty.DEAL, RaiseMalfunction(harness.seat(), fault, WORDS))


def see_to_case(harness: Harness) -> None:
    """Confirm the bets of a case by the record of the round they were sealed in, or void them; then clear it."""
    cases = [case for case in harness.house.cases.all.values() if not case.cleared]
    if not cases:
        return
    case = harness.any(cases)
    tables = harness.house.tables
    sealed = (tables[table].find_round(number) for table, number in case.questioned)
    digest = next((found.digest for found in sealed if found is not None), "no record")
    decided = harness.one_of(ConfirmBets(case.number, digest), VoidBets(case.number, WORDS))
    if case.questioned and case.state is CaseState.OPEN:
        harness.by(Duty.DEAL, decided)
    elif case.line_loss is not None and harness.chance(50):
        table = harness.house.terminals[case.terminal].first_table
        harness.by(Duty.MAINTAIN, ClearLineLoss(table, case.line_loss))
    else:
        harness.by(Duty.MAINTAIN, ClearCase(case.number))


def stop_system(harness: Harness) -> None:
    """Report a malfunction of the game system, as the system itself or as a person."""
    stopped = RaiseSystemMalfunction(harness.any(harness.scenario.tables), WORDS)
    if harness.chance(50):
        harness.system(stopped)
    else:
        harness.by(Duty.DEAL, stopped)


def lose_connection(harness: Harness) -> None:
    """A device loses its connection, and connects again after a while."""
    link = harness.any(list(harness.clients.values())).link
    if link is not None:
        link.drop()


def close_something(harness: Harness) -> None:
    """Notify an officer of a closing, close a table or terminal, and open it again."""
    table, seat = harness.any(harness.scenario.tables), harness.seat()
    subject = harness.any((table, seat))
    shut = [name for name, terminal in harness.house.terminals.items() if terminal.closed]
    tables = [name for name, each in harness.house.tables.items() if each.closed]
    if shut:
        harness.by(Duty.INSPECT, ReopenTerminal(shut[0]))
    elif tables:
        harness.by(Duty.MANAGE, ReopenTable(tables[0]))
    elif harness.chance(60):
        harness.by(Duty.MANAGE, NotifyOfficer(subject, WORDS))
    elif harness.chance(50):
        harness.by(Duty.MANAGE, CloseTable(table, WORDS))
    else:
        harness.by(Duty.INSPECT, CloseTerminal(seat, WORDS))


def change_settings(harness: Harness) -> None:
    limits = LimitSettings(LimitBounds(Cents(100), Cents(harness.any((1_000, 2_000)))))
    table = harness.any(harness.scenario.tables)
    changed = msgspec.structs.replace(harness.scenario.settings_of(table), limits=limits)
    harness.by(Duty.MANAGE, ChangeSettings(table, changed, WORDS))


def begin_day(harness: Harness) -> None:
    """Begin the next gaming day, unless the calendar does."""
    if not harness.scenario.by_calendar:
        harness.system(Tick(day_after(harness.house.day), Instant(harness.house.now + 100 * SECOND)))


def appoint(harness: Harness) -> None:
    person, _ = harness.any(harness.scenario.people)
    title, now = harness.any(harness.scenario.rulebook.staff.order), harness.house.now
    harness.by(Duty.MANAGE, AppointActing(person, title, now, Instant(now + 100 * SECOND)))


def change_staff(harness: Harness) -> None:
    """Release a person, or enrol one again with a new console."""
    gone = [(person, title) for person, title in harness.scenario.people if person not in harness.house.staff.people]
    if gone:
        person, title = gone[0]
        harness.by(Duty.MANAGE, EnrolPerson(person, (title,)))
    else:
        # Only the second person of a title is released: another must remain to continue play.
        leaver = harness.any(harness.scenario.people[1::2])[0]
        harness.by(Duty.MANAGE, ReleasePerson(leaver))
    spare = DeviceId(f"console {harness.rng.randrange(100)}")
    harness.by(Duty.MAINTAIN, harness.one_of(EnrolDevice(spare), ReleaseDevice(spare)))


def write_down(harness: Harness) -> None:
    """Record an incident, clear one, print the rules, send a message, arrange a player's restriction."""
    incidents, table = list(harness.house.incidents.all), harness.any(harness.scenario.tables)
    harness.by(Duty.INSPECT, NoteIncident(table, WORDS))
    harness.by(Duty.CASH, PrintRules(table))
    harness.by(Duty.DEAL, SendMessage((), WORDS))
    if incidents:
        harness.by(Duty.INSPECT, ClearIncident(harness.any(incidents)))
    harness.system(ReportBoard(table, harness.any(("17", "37"))))
    if harness.chance(20):
        game = harness.any(list(harness.house.positions.values()))
        harness.by(Duty.MANAGE, ArrangeVip(game.table, (game.id,), WORDS))


def dispute(harness: Harness) -> None:
    """Open a dispute about a round, or take one a step further."""
    table, disputes = harness.table(), list(harness.house.disputes)
    if not disputes or harness.chance(30):
        harness.by(
            Duty.INSPECT,
            OpenDispute(table.id, table.rounds, harness.seat(), harness.any(list(DisputeBasis)), WORDS),
        )
        return
    number = harness.any(disputes)
    steps: tuple[tuple[Duty, AnyCommand], ...] = (
        (Duty.DECIDE, DecideDispute(number, WORDS)),
        (Duty.DECIDE, CloseDispute(number, resolved=True)),
        (Duty.INSPECT, AdviseComplainant(number)),
        (Duty.INSPECT, RequestReview(number, by_house=harness.chance(50))),
        (Duty.REVIEW, RecordReview(number, WORDS)),
    )
    harness.by(*harness.any(steps))


PIT_ACTIONS: Final[Menu] = {
    sign: 30,
    mend: 40,
    adjust: 3,
    see_to_paper: 4,
    raise_malfunction: 2,
    see_to_case: 4,
    stop_system: 1,
    lose_connection: 3,
    close_something: 4,
    change_settings: 2,
    begin_day: 1,
    appoint: 1,
    write_down: 2,
    dispute: 4,
    change_staff: 2,
    end_session: 8,
    correct_for_the_gone: 15,
}


HOUR: Final = 3_600 * SECOND
TEN_YEARS: Final = 3_652 * 24 * HOUR
SETTINGS: Final = (HOUR, -HOUR, TEN_YEARS, -TEN_YEARS, SECOND, -SECOND)
#: The limits of the common integer types.
STAKES: Final = (-1, 0, 1, -100, 2**31, 2**53, 2**63 - 1, -(2**63), 10**400)
MANY: Final = 40


def play_back(harness: Harness) -> None:
    """Replay an overheard message unchanged."""
    if harness.overheard:
        client, message = harness.any(harness.overheard[-MANY:])
        client.send_copy(message)


def alter(harness: Harness) -> None:
    """Send a different request under an overheard key."""
    if harness.overheard:
        client, message = harness.any(harness.overheard[-MANY:])
        client.altered.add(message.id)
        client.send_copy(altered(message, PlaceBets(*game(harness), (("17", 100),))))
        harness.machine.checker.on_alteration(client.device, IdempotencyKey(message.epoch, message.id))


def bet_on_the_past(harness: Harness) -> None:
    """Place a bet, or take one back, in a round or spin that is over."""
    seat, table, number, spin = game(harness)
    past = seat, table, RoundNumber(number - harness.any((0, 1, 2))), spin - harness.any((0, 1))
    harness.ask(seat, harness.one_of(PlaceBets(*past, (("17", 100),)), ClearBets(*past), UndoBet(*past)))


def stake_nonsense(harness: Harness) -> None:
    here, stake = game(harness), harness.any(STAKES)
    harness.ask(here[0], PlaceBets(*here, (("17", stake),)))


def be_a_stranger(harness: Harness) -> None:
    """Send a command from a device, for a terminal or at a table that does not exist."""
    seat, table, number, spin = game(harness)
    bets = (("17", 100),)
    command = harness.one_of(
        PlaceBets(seat, table, number, spin, bets),
        PlaceBets(TerminalId("stranger"), table, number, spin, bets),
        PlaceBets(seat, TableId("stranger"), number, spin, bets),
        BallAtRest(table, harness.pocket()),
    )
    if harness.chance(50):
        harness.drive("stranger", command)
    else:
        harness.ask(seat, command)


def steal_device(harness: Harness) -> None:
    """Send a staff command from a terminal, a command for another player's chips, or one from the wrong console."""
    here, other, table = game(harness), harness.seat(), harness.any(harness.scenario.tables)
    person = harness.any(harness.scenario.people)[0]
    harness.ask(other, PlaceBets(*here, (("red", 100),)))
    harness.ask(other, OpenBets(table), person)
    harness.ask(console_of(person), BallAtRest(table, harness.pocket()))
    harness.ask(table, ClearBets(*here))


def sign_twice(harness: Harness) -> None:
    """Propose something and sign it as the same person, on another device."""
    manager, number = harness.any(harness.scenario.staff(Duty.MANAGE)), harness.house.proposals.made
    harness.ask(
        console_of(manager),
        ChangeSettings(harness.any(harness.scenario.tables), harness.scenario.settings, WORDS),
        manager,
    )
    for proposal in harness.house.proposals.all.values():
        harness.ask(harness.any(list(harness.clients)), Approve(proposal.number), proposal.person)
    harness.ask(console_of(manager), Approve(Number(number + 1)), manager)


def set_clock(harness: Harness) -> None:
    harness.time.set_wall(harness.any(SETTINGS))


def fill_disk(harness: Harness) -> None:
    """Leave the disk no room for new bets, until staff free some."""
    harness.machine.room = False


ATTACKER_ACTIONS: Final[Menu] = {
    play_back: 10,
    alter: 5,
    bet_on_the_past: 6,
    stake_nonsense: 5,
    be_a_stranger: 4,
    steal_device: 3,
    sign_twice: 2,
    set_clock: 3,
    fill_disk: 1,
}
