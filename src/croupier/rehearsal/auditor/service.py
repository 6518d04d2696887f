"""Service: links, closings, cases and what else keeps a seat from play, with the chips that go back for it."""

from collections.abc import Iterator, Mapping
from typing import Final

from croupier.house.command import play, record
from croupier.house.command.base import Command
from croupier.house.command.credit import EndSession
from croupier.house.event import play as chips
from croupier.house.event import record as told
from croupier.house.event import venue as place
from croupier.house.event.base import Event
from croupier.house.event.credit import SessionEnd, SessionEnded
from croupier.house.event.play import Return
from croupier.house.name import SECOND, Number, RoundNumber, TableId
from croupier.house.stamp import Stamp
from croupier.rehearsal.auditor import settle
from croupier.rehearsal.auditor.close import stray
from croupier.rehearsal.auditor.deed import Told
from croupier.rehearsal.auditor.finding import Finding, agree, never
from croupier.rehearsal.auditor.model import Case, Model
from croupier.rehearsal.auditor.money import Deed, Objection
from croupier.rehearsal.auditor.rounds import Follower
from croupier.rehearsal.auditor.seat import Seat
from croupier.rules.irregularity import Effect, Reason
from croupier.rules.refusal import Code
from croupier.rules.rulebook import Rulebook


def _no_loss(model: Model, command: record.LoseTerminal, _stamp: Stamp) -> set[Code]:
    return {Code.ALREADY_THERE} if model.seats[command.terminal].dark else set()


def _lose(model: Model, command: record.LoseTerminal, _stamp: Stamp) -> list[Told]:
    model.seats[command.terminal].dark = True
    return [Told(told.TerminalLost, {"terminal": command.terminal})]


def _no_return(model: Model, command: record.ReturnTerminal, _stamp: Stamp) -> set[Code]:
    return set() if model.seats[command.terminal].dark else {Code.ALREADY_THERE}


def _return(model: Model, command: record.ReturnTerminal, _stamp: Stamp) -> list[Told]:
    model.seats[command.terminal].dark = False
    return [Told(told.TerminalReturned, {"terminal": command.terminal})]


def _no_choice(model: Model, command: play.ChooseDenomination, _stamp: Stamp) -> set[Code]:
    seat = model.seats[command.terminal]
    codes = set() if command.denomination in seat.settings.denominations else {Code.SETTING_IMPOSSIBLE}
    return codes | ({Code.OUT_OF_TURN} if seat.in_play else set())


def _choose(model: Model, command: play.ChooseDenomination, _stamp: Stamp) -> list[Told]:
    """Stakes in another unit may be no whole credits of this one: they cannot be brought back."""
    seat = model.seats[command.terminal]
    seat.unit = command.denomination
    _forget(seat)
    return [Told(chips.DenominationChosen, {"terminal": seat.name, "denomination": command.denomination})]


def _forget(seat: Seat) -> None:
    for game in seat.games.values():
        game.undo, game.previous = [], {}


def _vip(model: Model, event: place.VipArranged, _stamp: Stamp) -> None:
    seat = model.seats[event.terminal]
    seat.straight_only = True
    _forget(seat)


def _arrangement_ended(model: Model, event: place.ArrangementEnded, _stamp: Stamp) -> None:
    model.seats[event.terminal].straight_only = False


def _no_end(model: Model, command: EndSession, _stamp: Stamp) -> set[Code]:
    seat = model.seats[command.terminal]
    codes = {Code.WIN_HELD} if seat.holds else set()
    codes |= set() if seat.case is None else {Code.TERMINAL_BLOCKED}
    if not seat.playing:
        return codes | {Code.NOTHING_THERE}
    return codes | ({Code.OUT_OF_TURN} if seat.credit or seat.in_play else set())


def _end(model: Model, command: EndSession, _stamp: Stamp) -> list[Told]:
    seat = model.seats[command.terminal]
    says = {"terminal": seat.name, "session": seat.session, "reason": SessionEnd.STAFF}
    seat.leave()
    return [Told(SessionEnded, says)]


def _session_ended(model: Model, event: SessionEnded, stamp: Stamp) -> None:
    """A session ends by itself once nothing has been left on its terminal for the idle time of its table."""
    seat = model.seats[event.terminal]
    idle_s = model.first_table(seat).settings.session_idle_s
    never("I2", f"{event} with something left", when=seat.spent_at is None or not seat.spent or idle_s is None)
    assert seat.spent_at is not None
    assert idle_s is not None
    agree("I2", f"{event} ends", (event.session, event.reason), (seat.session, SessionEnd.IDLE))
    never("I20", f"{event} comes too early", when=stamp.now < seat.spent_at + idle_s * SECOND)
    seat.leave()


def _table_closed(model: Model, event: place.TableClosed, _stamp: Stamp) -> None:
    """Chips that stayed up after the last round go back; those of a round that runs are played."""
    table = model.tables[event.table]
    table.closed = True
    if table.phase == "between":
        model.returns.update(stray(model, table, Return.OUT_OF_SERVICE))


def _table_reopened(model: Model, event: place.TableReopened, _stamp: Stamp) -> None:
    model.tables[event.table].closed = False


def _terminal_closed(model: Model, event: place.TerminalClosed, _stamp: Stamp) -> None:
    model.seats[event.terminal].closed = True
    for table in model.tables.values():
        if table.phase == "between":
            back = stray(model, table, Return.OUT_OF_SERVICE)
            model.returns.update(each for each in back if each.seat == event.terminal)


def _terminal_reopened(model: Model, event: place.TerminalReopened, _stamp: Stamp) -> None:
    model.seats[event.terminal].closed = False


def _malfunction(model: Model, event: told.MalfunctionRaised, _stamp: Stamp) -> None:
    """Block a seat: chips in no spin go back, and sealed ones are in question where the rules refer or void them."""
    seat = model.seats[event.terminal]
    asked = malfunction_effect(model.first_table(seat).felt.rulebook) in (Effect.REFER, Effect.VOID_ROUND)
    agree("I3", f"{event} questions", event.questioned, tuple(_sealed_bets(model, seat)) if asked else ())
    model.cases[event.case] = Case(seat.name, event.questioned)
    seat.case = event.case
    for table in model.tables.values():
        if table.unsealed:
            back = stray(model, table, Return.MALFUNCTION)
            model.returns.update(each for each in back if each.seat == seat.name)


def malfunction_effect(rulebook: Rulebook) -> Effect:
    """Find what a malfunction does here; where the rules do not name it, it is what they do not cover."""
    effects = {each.reason: each.effect for each in rulebook.irregularities}
    return effects.get(Reason.MALFUNCTION) or effects[Reason.NOT_COVERED]


def _sealed_bets(model: Model, seat: Seat) -> Iterator[tuple[TableId, RoundNumber]]:
    for name in seat.games:
        round_ = model.tables[name].round
        if round_ is not None and not round_.over and seat.name in (round_.sealed or {}):
            yield name, round_.number


def _open_case(model: Model, event: told.BetsConfirmed | told.BetsVoided) -> Case:
    case = model.cases.get(event.case)
    if case is None or case.state != "open" or not case.questioned:
        raise Finding("I10", f"{event}: there is nothing in question in {case}")
    return case


def _confirmed(model: Model, event: told.BetsConfirmed, _stamp: Stamp) -> None:
    settle.confirm(model, _open_case(model, event))


def _voided(model: Model, event: told.BetsVoided, _stamp: Stamp) -> None:
    settle.void_case(model, _open_case(model, event))


def _cleared(model: Model, event: told.CaseCleared, _stamp: Stamp) -> None:
    _clear(model, event.case)


def _line_loss_cleared(model: Model, event: told.LineLossCleared, _stamp: Stamp) -> None:
    """Clear what could be cleared one by one, and nothing else."""
    for number in event.cases:
        case = model.cases[number]
        if case.cleared or (case.questioned and case.state == "open") or model.seats[case.seat].dark:
            raise Finding("I10", f"{event} clears case {number}, which could not be")
        _clear(model, number)


def _clear(model: Model, number: Number) -> None:
    case = model.cases[number]
    case.cleared = True
    model.seats[case.seat].case = None


SERVICE: Final[Mapping[type[Command], tuple[Objection, Deed]]] = {
    record.LoseTerminal: (_no_loss, _lose),
    record.ReturnTerminal: (_no_return, _return),
    play.ChooseDenomination: (_no_choice, _choose),
    EndSession: (_no_end, _end),
}
SEATS: Final[Mapping[type[Event], Follower]] = {
    place.VipArranged: _vip,
    place.ArrangementEnded: _arrangement_ended,
    SessionEnded: _session_ended,
    place.TableClosed: _table_closed,
    place.TableReopened: _table_reopened,
    place.TerminalClosed: _terminal_closed,
    place.TerminalReopened: _terminal_reopened,
    told.MalfunctionRaised: _malfunction,
    told.BetsConfirmed: _confirmed,
    told.BetsVoided: _voided,
    told.CaseCleared: _cleared,
    told.LineLossCleared: _line_loss_cleared,
}
