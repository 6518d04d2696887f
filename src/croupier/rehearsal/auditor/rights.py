"""Rights: which machine or duty each command belongs to, and why somebody may not ask for one."""

from collections.abc import Mapping
from typing import Final

from croupier.house.command import credit, play, record, round, venue  # noqa: A004 - the casino's word
from croupier.house.command.base import AtGame, AtTable, AtTerminal, Command
from croupier.house.name import DeviceId, TableId, TerminalId
from croupier.house.stamp import SYSTEM, Stamp
from croupier.rehearsal.auditor.model import Model
from croupier.rules.refusal import Code
from croupier.rules.rulebook import Rulebook
from croupier.rules.staff import Duty

#: A terminal for itself, a table's wheel, and the house's own device; all else is somebody's duty.
TERMINAL, WHEEL, CLOCK = "terminal", "wheel", "clock"

_BELONGS: Final[Mapping[str | Duty, tuple[type[Command], ...]]] = {
    TERMINAL: (
        *(play.PlaceBets, play.ChangeBet, play.RemoveBets, play.MoveBet, play.UndoBet, play.ClearBets),
        *(play.RepeatBets, play.DoubleBets, play.PressNeighbours, play.RecallPattern, play.ConfirmRecall),
        *(play.CopyBets, play.SavePattern, play.CancelRecall, play.SetAutoCopy, play.ChooseDenomination),
        *(credit.InsertNote, credit.InsertTicket, credit.Collect, credit.ConfirmPrint, record.ReportDisplay),
    ),
    WHEEL: (round.BallLaunched, round.BallLeftTrack, round.BallAtRest, round.WheelTrouble),
    CLOCK: (
        *(round.Tick, round.Recover, round.OpenBets, round.FinishBetting, round.CloseBets, credit.GrantPlayMoney),
        *(venue.FoundHouse, venue.AdoptRulebook, venue.AddTable, venue.AddTerminal, venue.EnrolDevice),
        *(venue.EnrolPerson, venue.ReleasePerson, venue.ApproveSoftware, venue.ReportSoftware),
        venue.AcceptHistory,
        *(record.LoseTerminal, record.ReturnTerminal, record.RaiseMalfunction, record.RaiseSystemMalfunction),
        *(record.ReportBoard, record.RaiseAlarm),
    ),
    Duty.DEAL: (
        *(round.OpenBets, round.FinishBetting, round.CloseBets, round.SpinBall, round.ConfirmResult),
        *(round.EnterResult, round.CallNoSpin, round.ResetTerminals, round.ReferRound, venue.SendMessage),
        *(venue.Approve, venue.Withdraw, record.RaiseMalfunction, record.RaiseSystemMalfunction),
        *(record.ConfirmBets, record.VoidBets, record.NoteIncident, record.ClearIncident),
    ),
    Duty.INSPECT: (
        *(round.AttestResult, credit.Collect, credit.ReprintTicket, credit.VoidTicket, credit.ReportLost),
        *(credit.ReleaseTicket, credit.EndSession, credit.PayPayable),
        *(credit.RecordTaxForm, credit.ReleaseHold, venue.CloseTerminal, venue.ReopenTerminal, venue.SendMessage),
        *(venue.Approve, venue.Withdraw, venue.PrintRules, record.RaiseMalfunction, record.ClearCase),
        record.ClearLineLoss,
        *(record.RaiseSystemMalfunction, record.NoteIncident, record.ClearIncident, record.OpenDispute),
        *(record.AdviseComplainant, record.RequestReview, venue.UnlockAccount),
    ),
    Duty.CORRECT: (round.AttestResult, round.CorrectResult, credit.AdjustCredit, venue.Approve, venue.Withdraw),
    Duty.DECIDE: (
        *(round.DecideReferral, round.InvalidateOutcome, venue.Approve, venue.Withdraw, record.OpenDispute),
        *(record.DecideDispute, record.AdviseComplainant, record.RequestReview, record.CloseDispute),
        venue.UnlockAccount,
    ),
    Duty.MANAGE: (
        *(venue.AddTable, venue.AddTerminal, venue.EnrolDevice, venue.EnrolPerson, venue.ReleasePerson),
        *(venue.AppointActing, venue.ApproveSoftware, venue.ChangeSettings, venue.ChangeRulebook),
        *(venue.NotifyOfficer, venue.CloseTable, venue.ReopenTable, venue.ArrangeVip, venue.Approve, venue.Withdraw),
        *(venue.ReleaseDevice, venue.UnlockAccount, venue.EndArrangement),
    ),
    Duty.CASH: (
        *(credit.OpenDrawer, credit.RedeemTicket, credit.CountDrawer, credit.CloseDrawer, credit.PayHold),
        *(credit.RecordTaxForm, credit.ReleaseHold, credit.ReportLost, venue.PrintRules, record.NoteIncident),
        *(credit.BuyIn, credit.PayPayable, venue.Withdraw),
    ),
    Duty.MAINTAIN: (
        *(venue.AddTerminal, venue.EnrolDevice, venue.ReleaseDevice, venue.CloseTerminal, venue.ReopenTerminal),
        *(record.ClearCase, record.ClearLineLoss, record.NoteIncident),
    ),
    Duty.OFFICIATE: (venue.NotifyOfficer, record.AdviseComplainant),
    Duty.REVIEW: (record.RecordReview,),
}


def _rights() -> dict[type[Command], frozenset[str | Duty]]:
    kinds = {kind for commands in _BELONGS.values() for kind in commands}
    return {kind: frozenset(who for who, commands in _BELONGS.items() if kind in commands) for kind in kinds}


RIGHTS: Final = _rights()


def barred(model: Model, command: Command, stamp: Stamp) -> set[Code]:
    """Say why this device and person may not ask for this at all; nothing where they may."""
    if model.mode is None and not isinstance(command, venue.FoundHouse):
        return {Code.HOUSE_NOT_FOUNDED}
    if stamp.device not in model.staff.devices and stamp.device != SYSTEM:
        return {Code.UNKNOWN_DEVICE}
    return _nowhere(model, command) or _nobody(model, command, stamp)


def _nowhere(model: Model, command: Command) -> set[Code]:
    if isinstance(command, venue.AddTable | venue.AddTerminal):
        return set()
    if isinstance(command, AtTerminal) and command.terminal not in model.seats:
        return {Code.UNKNOWN_TERMINAL}
    if isinstance(command, AtGame):
        return set() if command.table in model.seats[command.terminal].games else {Code.UNKNOWN_TABLE}
    if isinstance(command, AtTable) and command.table not in model.tables:
        return {Code.UNKNOWN_TABLE}
    return set()


def _nobody(model: Model, command: Command, stamp: Stamp) -> set[Code]:
    """A machine acts for itself and unsigned; a person signs, and needs one of the duties by the rules of the place."""
    rights = RIGHTS[type(command)]
    if not stamp.person:
        return set() if machine_of(command, stamp) in rights else {Code.NOT_AUTHORISED}
    if stamp.person not in model.staff.people:
        return {Code.UNKNOWN_PERSON}
    duties = [each for each in rights if isinstance(each, Duty)]
    books = rulebooks_of(model, command)
    has = any(model.staff.holds(stamp.person, duty, book, stamp.now) for book in books for duty in duties)
    return set() if has else {Code.NOT_AUTHORISED}


def machine_of(command: Command, stamp: Stamp) -> str:
    """Tell what an unsigned command comes from: the house itself, the terminal or the wheel it is about, or neither."""
    if stamp.device == SYSTEM:
        return CLOCK
    if isinstance(command, AtTerminal):
        return TERMINAL if stamp.device == DeviceId(command.terminal) else ""
    if isinstance(command, AtTable):
        return WHEEL if stamp.device == DeviceId(command.table) else ""
    return ""


def rulebooks_of(model: Model, command: Command) -> list[Rulebook]:
    """Name the rulebooks by which staff may ask for a thing: those of its place, or all that are in use."""
    table = _table_of(model, command)
    if table is not None:
        return [model.tables[table].felt.rulebook]
    in_use = [each.felt for each in model.tables.values()] or list(model.felts.values())
    return [felt.rulebook for felt in in_use]


def _table_of(model: Model, command: Command) -> TableId | None:
    if isinstance(command, AtGame | AtTable):
        return command.table if command.table in model.tables else None
    seat = model.seats.get(_seat_of(model, command))
    return None if seat is None else model.first_table(seat).name


def _seat_of(model: Model, command: Command) -> TerminalId:
    nobody = TerminalId("")
    if isinstance(command, AtTerminal):
        return command.terminal
    if isinstance(command, record.ConfirmBets | record.VoidBets | record.ClearCase):
        return model.cases[command.case].seat if command.case in model.cases else nobody
    if isinstance(command, credit.ReprintTicket | credit.VoidTicket | credit.ReleaseTicket | credit.ReportLost):
        tickets = model.desk.tickets
        return tickets[command.sequence].seat if command.sequence in tickets else nobody
    return nobody
