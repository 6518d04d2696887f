"""The pit: signatures, meters put right, papers, cases, closings, disputes, and the house's own gateway."""

from collections.abc import Callable
from typing import Final

import msgspec

from croupier.house.command import credit, record, round, venue  # noqa: A004 - the casino's word
from croupier.house.command.any import AnyCommand
from croupier.house.docket import CaseState
from croupier.house.grant import AUTHORITY
from croupier.house.name import SECOND, DeviceId, Instant
from croupier.house.settings import Bounds, LimitSettings
from croupier.rehearsal.cast import cashier
from croupier.rehearsal.clock import day_after
from croupier.rehearsal.playbill import console_of
from croupier.rehearsal.stage import WORDS, Menu, Stage
from croupier.rules.money import Cents
from croupier.rules.pocket import Pocket
from croupier.rules.staff import Duty

PAPER: Final[tuple[Callable[..., AnyCommand], ...]] = (
    credit.ReprintTicket,
    credit.VoidTicket,
    credit.VoidTicket,
    credit.ReportLost,
)


def sign(stage: Stage) -> None:
    """Sign what somebody proposed: mostly as somebody else who may, on another device."""
    proposals = list(stage.house.proposals.values())
    if not proposals:
        return
    proposal = stage.any(proposals)
    duty = stage.any(AUTHORITY[type(proposal.command)].duties)
    others = [person for person in stage.bill.staff(duty) if person != proposal.person]
    person = stage.any(others) if others and stage.chance(85) else proposal.person
    device = console_of(person) if stage.chance(90) else proposal.device
    command = venue.Withdraw(proposal.number) if stage.chance(8) else venue.Approve(proposal.number)
    stage.ask(device, command, person)


def adjust(stage: Stage) -> None:
    stage.by(Duty.CORRECT, credit.AdjustCredit(stage.seat(), stage.any((-500, -100, 100, 500)), WORDS))


def see_to_paper(stage: Stage) -> None:
    tickets = list(stage.house.tickets)
    if tickets:
        stage.by(Duty.INSPECT, stage.any(PAPER)(stage.any(tickets[-4:]), WORDS))


def mend(stage: Stage) -> None:
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
        stage.system(record.ReturnTerminal(terminal.id))
    elif terminal.case is not None:
        see_to_case(stage)
    elif terminal.closed:
        close_something(stage)
    else:
        cashier.see_to_hold(stage)


def end_session(stage: Stage) -> None:
    """End a session, mostly one that has nothing left; or an arrangement."""
    spent = [name for waiting in stage.house.spent.values() for name in waiting]
    seat = stage.any(spent) if spent and stage.chance(80) else stage.seat()
    stage.by(Duty.INSPECT, credit.EndSession(seat))
    arranged = [each.id for each in stage.house.terminals.values() if each.straight_only]
    if arranged and stage.chance(50):
        stage.by(Duty.MANAGE, venue.EndArrangement(stage.any(arranged), WORDS))


def correct_for_the_gone(stage: Stage) -> None:
    """Correct a round for a player whose session has ended since, to a number that it had chips on."""
    for table in stage.house.tables.values():
        for past in table.past:
            gone = [name for name in past.paid if stage.house.terminals[name].session != past.sessions[name]]
            if gone and past.sealed is not None and not past.invalidated:
                spots = [spot for spot in past.sealed[stage.any(gone)] if Pocket(spot) in stage.bill.rulebook.pockets]
                pocket = Pocket(stage.any(spots)) if spots else stage.pocket()
                stage.by(Duty.CORRECT, round.CorrectResult(table.id, past.number, pocket, WORDS))
                return


def raise_malfunction(stage: Stage) -> None:
    fault = stage.any(list(record.Fault))
    stage.by(Duty.DEAL, record.RaiseMalfunction(stage.seat(), fault, WORDS))


def see_to_case(stage: Stage) -> None:
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


def stop_system(stage: Stage) -> None:
    """A malfunction of the game system, by its own word or by somebody's."""
    stopped = record.RaiseSystemMalfunction(stage.any(stage.bill.tables), WORDS)
    if stage.chance(50):
        stage.system(stopped)
    else:
        stage.by(Duty.DEAL, stopped)


def lose_or_return(stage: Stage) -> None:
    """The gateway sees a link go, or come back."""
    dark = list(stage.house.dark)
    if dark and stage.chance(70):
        stage.system(record.ReturnTerminal(min(dark)))
    else:
        stage.system(record.LoseTerminal(stage.seat()))


def close_something(stage: Stage) -> None:
    """Notify an officer of a closing, close a table or terminal, and open it again."""
    table, seat = stage.any(stage.bill.tables), stage.seat()
    subject = stage.any((table, seat))
    shut = [name for name, terminal in stage.house.terminals.items() if terminal.closed]
    tables = [name for name, each in stage.house.tables.items() if each.closed]
    if shut:
        stage.by(Duty.INSPECT, venue.ReopenTerminal(shut[0]))
    elif tables:
        stage.by(Duty.MANAGE, venue.ReopenTable(tables[0]))
    elif stage.chance(60):
        stage.by(Duty.MANAGE, venue.NotifyOfficer(subject, WORDS))
    elif stage.chance(50):
        stage.by(Duty.MANAGE, venue.CloseTable(table, WORDS))
    else:
        stage.by(Duty.INSPECT, venue.CloseTerminal(seat, WORDS))


def change_settings(stage: Stage) -> None:
    limits = LimitSettings(Bounds(Cents(100), Cents(stage.any((1_000, 2_000)))))
    changed = msgspec.structs.replace(stage.bill.settings, limits=limits)
    stage.by(Duty.MANAGE, venue.ChangeSettings(stage.any(stage.bill.tables), changed, WORDS))


def begin_day(stage: Stage) -> None:
    """Name the next gaming day, where that is not the calendar's to do."""
    if not stage.bill.by_calendar:
        stage.system(round.Tick(day_after(stage.house.day), Instant(stage.house.now + 100 * SECOND)))


def appoint(stage: Stage) -> None:
    person, _ = stage.any(stage.bill.people)
    title, now = stage.any(stage.bill.rulebook.staff.order), stage.house.now
    stage.by(Duty.MANAGE, venue.AppointActing(person, title, now, Instant(now + 100 * SECOND)))


def change_staff(stage: Stage) -> None:
    """Let somebody go, or take them on again; a new console stands ready."""
    gone = [(person, title) for person, title in stage.bill.people if person not in stage.house.people]
    if gone:
        person, title = gone[0]
        stage.by(Duty.MANAGE, venue.EnrolPerson(person, (title,)))
    else:
        # The second of a title may go: somebody must be left to play on.
        leaver = stage.any(stage.bill.people[1::2])[0]
        stage.by(Duty.MANAGE, venue.ReleasePerson(leaver))
    spare = DeviceId(f"console {stage.rng.randrange(100)}")
    stage.by(Duty.MAINTAIN, stage.one_of(venue.EnrolDevice(spare), venue.ReleaseDevice(spare)))


def write_down(stage: Stage) -> None:
    """Note an incident, clear one, print the rules, send words, arrange a player's restriction."""
    incidents, table = list(stage.house.incidents), stage.any(stage.bill.tables)
    stage.by(Duty.INSPECT, record.NoteIncident(table, WORDS))
    stage.by(Duty.CASH, venue.PrintRules(table))
    stage.by(Duty.DEAL, venue.SendMessage((), WORDS))
    if incidents:
        stage.by(Duty.INSPECT, record.ClearIncident(stage.any(incidents)))
    stage.system(record.ReportBoard(table, stage.any(("17", "37"))))
    if stage.chance(20):
        stage.by(Duty.MANAGE, venue.ArrangeVip(stage.seat(), WORDS))


def dispute(stage: Stage) -> None:
    """Open a dispute about a round, or take one a step further."""
    table, disputes = stage.table(), list(stage.house.disputes)
    if not disputes or stage.chance(30):
        stage.by(
            Duty.INSPECT,
            record.OpenDispute(table.id, table.rounds, stage.seat(), stage.any(list(record.Basis)), WORDS),
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


MENU: Final[Menu] = {
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
