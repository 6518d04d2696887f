"""Pit, cashiers and saboteur."""

from collections.abc import Callable
from typing import Final

import msgspec
from msgspec.structs import replace

from croupier.engine.ports import Request
from croupier.house.commands import AnyCommand, credit, play, record, rounds, setup
from croupier.house.ids import SECOND, DeviceId, DrawerId, Instant, Number, PersonId, RoundNumber, TableId, TerminalId
from croupier.house.permissions import PERMISSIONS
from croupier.house.settings import LimitBounds, LimitSettings
from croupier.house.state import CaseState
from croupier.journal.entry import IdempotencyKey
from croupier.rules.geometry import Pocket
from croupier.rules.money import Cents
from croupier.rules.procedure import Duty
from croupier.simulation.harness import WORDS, Harness, Menu, console_of
from croupier.simulation.players import game
from croupier.simulation.world import day_after


def open_drawer(stage: Harness) -> None:
    cashier = stage.any(stage.bill.staff(Duty.CASH))
    float_ = Cents(stage.any((0, 5_000, 500_000, 500_000)))
    stage.ask(console_of(cashier), credit.OpenDrawer(DrawerId(cashier), float_), cashier)


def buy_in(stage: Harness) -> None:
    """Sell credits to a seat, mostly from a drawer that is out."""
    cashier = stage.any(stage.bill.staff(Duty.CASH))
    amount = Cents(stage.any((1_000, 10_000, 10_000, 1, 0)))
    stage.ask(console_of(cashier), credit.BuyIn(stage.any(stage.bill.seats), DrawerId(cashier), amount), cashier)


def redeem(stage: Harness) -> None:
    """Pay a ticket; often the other desk is asked to pay it at the same moment."""
    tickets = list(stage.house.tickets.values())[-4:]
    payable = [ticket for ticket in tickets if ticket.payable]
    if not tickets:
        return
    ticket = stage.any(payable if payable and stage.chance(80) else tickets)
    for cashier in stage.bill.staff(Duty.CASH):
        drawer = stage.house.drawers.get(DrawerId(cashier))
        out = drawer is not None and not drawer.closed
        if stage.chance(70 if out else 10):
            paper = stage.any((None, Cents(ticket.amount), Cents(ticket.amount), Cents(ticket.amount + 1)))
            command = credit.RedeemTicket(DrawerId(cashier), ticket.digest, paper)
            stage.ask(console_of(cashier), command, cashier)


def count_and_close(stage: Harness) -> None:
    cashier = stage.any(stage.bill.staff(Duty.CASH))
    drawer = stage.house.drawers.get(DrawerId(cashier))
    counted = Cents((drawer.cash if drawer else 0) + stage.any((0, 0, 100)))
    ready = drawer is not None and drawer.counted is not None
    command = credit.CloseDrawer(DrawerId(cashier)) if ready else credit.CountDrawer(DrawerId(cashier), counted)
    stage.ask(console_of(cashier), command, cashier)


def see_to_hold(stage: Harness) -> None:
    """Record the form of a win that is held, and pay it to the meter or by hand."""
    held = [(name, hold) for name, terminal in stage.house.terminals.items() for hold in terminal.holds]
    if not held:
        return
    seat, hold = stage.any(held)
    cashier = stage.any(stage.bill.staff(Duty.CASH))
    command = stage.one_of(
        credit.RecordTaxForm(seat, hold, "A. Patron", "W-1"),
        credit.ReleaseHeldWin(seat, hold),
        credit.PayHeldWin(seat, hold, DrawerId(cashier)),
    )
    stage.ask(console_of(cashier), command, cashier)


def pay_payable(stage: Harness) -> None:
    """Ask to pay what a correction brought a player whose session had ended, now and then wrongly; or sign it."""
    for proposal in stage.house.proposals.values():
        if isinstance(proposal.command, credit.PayPayable):
            stage.by(Duty.INSPECT, setup.Approve(proposal.number))
            return
    owed = [
        (name, session, -debt) for name, each in stage.house.terminals.items() for session, debt in each.debts.items()
    ]
    if not owed:
        return
    seat, session, amount = stage.any([each for each in owed if each[2] > 0] or owed)
    cashier = stage.any(stage.bill.staff(Duty.CASH))
    signed = Cents(amount + stage.any((0, 0, 0, 100)))
    command = credit.PayPayable(seat, session, DrawerId(cashier), signed, WORDS, "7")
    stage.ask(console_of(cashier), command, cashier)


CASHIER_ACTIONS: Final[Menu] = {
    open_drawer: 3,
    buy_in: 2,
    redeem: 10,
    count_and_close: 2,
    see_to_hold: 6,
    pay_payable: 15,
}


PAPER: Final[tuple[Callable[..., AnyCommand], ...]] = (
    credit.ReprintTicket,
    credit.VoidTicket,
    credit.VoidTicket,
    credit.ReportLost,
)


def sign(stage: Harness) -> None:
    """Sign what somebody proposed: mostly as somebody else who may, on another device."""
    proposals = list(stage.house.proposals.values())
    if not proposals:
        return
    proposal = stage.any(proposals)
    duty = stage.any(PERMISSIONS[type(proposal.command)].duties)
    others = [person for person in stage.bill.staff(duty) if person != proposal.person]
    person = stage.any(others) if others and stage.chance(85) else proposal.person
    device = console_of(person) if stage.chance(90) else proposal.device
    command = setup.Withdraw(proposal.number) if stage.chance(8) else setup.Approve(proposal.number)
    stage.ask(device, command, person)


def adjust(stage: Harness) -> None:
    stage.by(Duty.CORRECT, credit.AdjustCredit(stage.seat(), stage.any((-500, -100, 100, 500)), WORDS))


def see_to_paper(stage: Harness) -> None:
    tickets = list(stage.house.tickets)
    if tickets:
        stage.by(Duty.INSPECT, stage.any(PAPER)(stage.any(tickets[-4:]), WORDS))


def mend(stage: Harness) -> None:
    """Bring what is out of play back into it: room on the disk, links, cases, held wins and closings."""
    terminals = [
        each for each in stage.house.terminals.values() if each.case or each.lost_at or each.closed or each.holds
    ]
    stage.machine.room = True
    if any(table.closed for table in stage.house.tables.values()):
        close_something(stage)
    if not terminals:
        return
    terminal = stage.any(terminals)
    if terminal.lost_at is not None:
        stage.system(record.ReportTerminalReturned(terminal.id))
    elif terminal.case is not None:
        see_to_case(stage)
    elif terminal.closed:
        close_something(stage)
    else:
        see_to_hold(stage)


def end_session(stage: Harness) -> None:
    """End a session, mostly one that has nothing left; or an arrangement."""
    spent = [name for waiting in stage.house.spent.values() for name in waiting]
    seat = stage.any(spent) if spent and stage.chance(80) else stage.seat()
    stage.by(Duty.INSPECT, credit.EndSession(seat))
    arranged = [each.id for each in stage.house.terminals.values() if each.straight_only]
    if arranged and stage.chance(50):
        stage.by(Duty.MANAGE, setup.EndArrangement(stage.any(arranged), WORDS))


def correct_for_the_gone(stage: Harness) -> None:
    """Correct a round for a player whose session has ended since, to a number that it had chips on."""
    for table in stage.house.tables.values():
        for past in table.past:
            gone = [name for name in past.paid if stage.house.terminals[name].session != past.sessions[name]]
            if gone and past.sealed is not None and not past.invalidated:
                spots = [spot for spot in past.sealed[stage.any(gone)] if Pocket(spot) in stage.bill.rulebook.pockets]
                pocket = Pocket(stage.any(spots)) if spots else stage.pocket()
                stage.by(Duty.CORRECT, rounds.CorrectResult(table.id, past.number, pocket, WORDS))
                return


def raise_malfunction(stage: Harness) -> None:
    fault = stage.any(list(record.MalfunctionKind))
    stage.by(Duty.DEAL, record.RaiseMalfunction(stage.seat(), fault, WORDS))


def see_to_case(stage: Harness) -> None:
    """Confirm the bets of a case by the record of the round they were sealed in, or void them; then clear it."""
    cases = [case for case in stage.house.cases.values() if not case.cleared]
    if not cases:
        return
    case = stage.any(cases)
    tables = stage.house.tables
    sealed = (tables[table].find_round(number) for table, number in case.questioned)
    digest = next((found.digest for found in sealed if found is not None), "no record")
    decided = stage.one_of(record.ConfirmBets(case.number, digest), record.VoidBets(case.number, WORDS))
    if case.questioned and case.state is CaseState.OPEN:
        stage.by(Duty.DEAL, decided)
    elif case.line_loss is not None and stage.chance(50):
        table = next(iter(stage.house.terminals[case.terminal].games))
        stage.by(Duty.MAINTAIN, record.ClearLineLoss(table, case.line_loss))
    else:
        stage.by(Duty.MAINTAIN, record.ClearCase(case.number))


def stop_system(stage: Harness) -> None:
    """A malfunction of the game system, by its own word or by somebody's."""
    stopped = record.RaiseSystemMalfunction(stage.any(stage.bill.tables), WORDS)
    if stage.chance(50):
        stage.system(stopped)
    else:
        stage.by(Duty.DEAL, stopped)


def lose_or_return(stage: Harness) -> None:
    """The gateway sees a link go, or come back."""
    dark = list(stage.house.dark)
    if dark and stage.chance(70):
        stage.system(record.ReportTerminalReturned(min(dark)))
    else:
        stage.system(record.ReportTerminalLost(stage.seat()))


def close_something(stage: Harness) -> None:
    """Notify an officer of a closing, close a table or terminal, and open it again."""
    table, seat = stage.any(stage.bill.tables), stage.seat()
    subject = stage.any((table, seat))
    shut = [name for name, terminal in stage.house.terminals.items() if terminal.closed]
    tables = [name for name, each in stage.house.tables.items() if each.closed]
    if shut:
        stage.by(Duty.INSPECT, setup.ReopenTerminal(shut[0]))
    elif tables:
        stage.by(Duty.MANAGE, setup.ReopenTable(tables[0]))
    elif stage.chance(60):
        stage.by(Duty.MANAGE, setup.NotifyOfficer(subject, WORDS))
    elif stage.chance(50):
        stage.by(Duty.MANAGE, setup.CloseTable(table, WORDS))
    else:
        stage.by(Duty.INSPECT, setup.CloseTerminal(seat, WORDS))


def change_settings(stage: Harness) -> None:
    limits = LimitSettings(LimitBounds(Cents(100), Cents(stage.any((1_000, 2_000)))))
    changed = msgspec.structs.replace(stage.bill.settings, limits=limits)
    stage.by(Duty.MANAGE, setup.ChangeSettings(stage.any(stage.bill.tables), changed, WORDS))


def begin_day(stage: Harness) -> None:
    """Name the next gaming day, where that is not the calendar's to do."""
    if not stage.bill.by_calendar:
        stage.system(rounds.Tick(day_after(stage.house.day), Instant(stage.house.now + 100 * SECOND)))


def appoint(stage: Harness) -> None:
    person, _ = stage.any(stage.bill.people)
    title, now = stage.any(stage.bill.rulebook.staff.order), stage.house.now
    stage.by(Duty.MANAGE, setup.AppointActing(person, title, now, Instant(now + 100 * SECOND)))


def change_staff(stage: Harness) -> None:
    """Let somebody go, or take them on again; a new console stands ready."""
    gone = [(person, title) for person, title in stage.bill.people if person not in stage.house.people]
    if gone:
        person, title = gone[0]
        stage.by(Duty.MANAGE, setup.EnrolPerson(person, (title,)))
    else:
        # The second of a title may go: somebody must be left to play on.
        leaver = stage.any(stage.bill.people[1::2])[0]
        stage.by(Duty.MANAGE, setup.ReleasePerson(leaver))
    spare = DeviceId(f"console {stage.rng.randrange(100)}")
    stage.by(Duty.MAINTAIN, stage.one_of(setup.EnrolDevice(spare), setup.ReleaseDevice(spare)))


def write_down(stage: Harness) -> None:
    """Note an incident, clear one, print the rules, send words, arrange a player's restriction."""
    incidents, table = list(stage.house.incidents), stage.any(stage.bill.tables)
    stage.by(Duty.INSPECT, record.NoteIncident(table, WORDS))
    stage.by(Duty.CASH, setup.PrintRules(table))
    stage.by(Duty.DEAL, setup.SendMessage((), WORDS))
    if incidents:
        stage.by(Duty.INSPECT, record.ClearIncident(stage.any(incidents)))
    stage.system(record.ReportBoard(table, stage.any(("17", "37"))))
    if stage.chance(20):
        stage.by(Duty.MANAGE, setup.ArrangeVip(stage.seat(), WORDS))


def dispute(stage: Harness) -> None:
    """Open a dispute about a round, or take one a step further."""
    table, disputes = stage.table(), list(stage.house.disputes)
    if not disputes or stage.chance(30):
        stage.by(
            Duty.INSPECT,
            record.OpenDispute(table.id, table.rounds, stage.seat(), stage.any(list(record.DisputeBasis)), WORDS),
        )
        return
    number = stage.any(disputes)
    steps: tuple[tuple[Duty, AnyCommand], ...] = (
        (Duty.DECIDE, record.DecideDispute(number, WORDS)),
        (Duty.DECIDE, record.CloseDispute(number, resolved=True)),
        (Duty.INSPECT, record.AdviseComplainant(number)),
        (Duty.INSPECT, record.RequestReview(number, by_house=stage.chance(50))),
        (Duty.REVIEW, record.RecordReview(number, WORDS)),
    )
    stage.by(*stage.any(steps))


PIT_ACTIONS: Final[Menu] = {
    sign: 30,
    mend: 40,
    adjust: 3,
    see_to_paper: 4,
    raise_malfunction: 2,
    see_to_case: 4,
    stop_system: 1,
    lose_or_return: 3,
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
#: The edges of every whole number that somebody might count in.
STAKES: Final = (-1, 0, 1, -100, 2**31, 2**53, 2**63 - 1, -(2**63), 10**400)
MANY: Final = 40


def play_back(stage: Harness) -> None:
    """Send again what was overheard, as it was."""
    if stage.overheard:
        stage.network.send(stage.any(stage.overheard[-MANY:]))


def alter(stage: Harness) -> None:
    """Send other words under a key that was overheard."""
    if stage.overheard:
        asked = stage.any(stage.overheard[-MANY:])
        here = game(stage)
        stage.network.send(replace(asked, command=play.PlaceBets(*here, (("17", 100),))))


def bet_on_the_past(stage: Harness) -> None:
    """Bet, or take a bet back, in a round or spin that is over."""
    seat, table, number, spin = game(stage)
    past = seat, table, RoundNumber(number - stage.any((0, 1, 2))), spin - stage.any((0, 1))
    stage.ask(seat, stage.one_of(play.PlaceBets(*past, (("17", 100),)), play.ClearBets(*past), play.UndoBet(*past)))


def stake_nonsense(stage: Harness) -> None:
    here, stake = game(stage), stage.any(STAKES)
    stage.ask(here[0], play.PlaceBets(*here, (("17", stake),)))


def be_a_stranger(stage: Harness) -> None:
    """Ask from a device, for a terminal or at a table that is not there."""
    seat, table, number, spin = game(stage)
    nobody, key = DeviceId("stranger"), IdempotencyKey(stage.machine.disk.epoch, stage.rng.randrange(1, 10**6))
    bets = (("17", 100),)
    command = stage.one_of(
        play.PlaceBets(seat, table, number, spin, bets),
        play.PlaceBets(TerminalId("stranger"), table, number, spin, bets),
        play.PlaceBets(seat, TableId("stranger"), number, spin, bets),
        rounds.BallAtRest(table, stage.pocket()),
    )
    if stage.chance(50):
        stage.network.send(Request(command, nobody, PersonId(""), key))
    else:
        stage.ask(seat, command)


def steal_device(stage: Harness) -> None:
    """Ask for what is staff's to do from a terminal, or for another's chips, or as somebody at the wrong console."""
    here, other, table = game(stage), stage.seat(), stage.any(stage.bill.tables)
    person = stage.any(stage.bill.people)[0]
    stage.ask(other, play.PlaceBets(*here, (("red", 100),)))
    stage.ask(other, rounds.OpenBets(table), person)
    stage.ask(console_of(person), rounds.BallAtRest(table, stage.pocket()))
    stage.ask(table, play.ClearBets(*here))


def sign_twice(stage: Harness) -> None:
    """Propose something and sign it oneself, elsewhere."""
    manager, number = stage.any(stage.bill.staff(Duty.MANAGE)), stage.house.proposed
    stage.ask(
        console_of(manager), setup.ChangeSettings(stage.any(stage.bill.tables), stage.bill.settings, WORDS), manager
    )
    for proposal in stage.house.proposals.values():
        stage.ask(stage.any(list(stage.clients)), setup.Approve(proposal.number), proposal.person)
    stage.ask(console_of(manager), setup.Approve(Number(number + 1)), manager)


def set_clock(stage: Harness) -> None:
    stage.time.set_wall(stage.any(SETTINGS))


def fill_disk(stage: Harness) -> None:
    """Leave the disk no room for new bets, until somebody sees to it."""
    stage.machine.room = False


SABOTEUR_ACTIONS: Final[Menu] = {
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
