"""Permissions and second signatures."""

from collections.abc import Mapping, Sequence
from typing import Final

from croupier.house.base import Command, Event, GameCommand, TableCommand, TerminalCommand
from croupier.house.commands import credit, play, record, rounds, setup
from croupier.house.events.setup import ProposalApproved, ProposalMade, ProposalWithdrawn
from croupier.house.ids import SYSTEM, Context, DeviceId, Instant, Number, TableId, TerminalId
from croupier.rules.procedure import Duty
from croupier.rules.refusal import Code
from croupier.rules.rulebook import Rulebook
from croupier.simulation.auditor.model import Model, ModelProposal
from croupier.simulation.invariants import ExpectedEvent, check_equal, match

#: A terminal for itself, a table's wheel, and the house's own device; all else is somebody's duty.
TERMINAL, WHEEL, CLOCK = "terminal", "wheel", "clock"

_BELONGS: Final[Mapping[str | Duty, tuple[type[Command], ...]]] = {
    TERMINAL: (
        *(play.PlaceBets, play.ChangeBet, play.RemoveBets, play.MoveBet, play.UndoBet, play.ClearBets),
        *(play.RepeatBets, play.DoubleBets, play.PressNeighbours, play.RecallPattern, play.ConfirmRecall),
        *(play.CopyBets, play.SavePattern, play.CancelRecall, play.SetAutoCopy, play.ChooseDenomination),
        *(credit.InsertNote, credit.InsertTicket, credit.Collect, credit.ConfirmPrint, record.ReportDisplay),
    ),
    WHEEL: (rounds.BallLaunched, rounds.BallLeftTrack, rounds.BallAtRest, rounds.WheelTrouble),
    CLOCK: (
        *(rounds.Tick, rounds.Recover, rounds.OpenBets, rounds.FinishBetting, rounds.CloseBets, credit.GrantPlayMoney),
        *(setup.CreateHouse, setup.AdoptRulebook, setup.AddTable, setup.AddTerminal, setup.EnrolDevice),
        *(setup.EnrolPerson, setup.ReleasePerson, setup.ApproveBuild, setup.ReportBuild),
        setup.AcceptHistory,
        *(
            record.ReportTerminalLost,
            record.ReportTerminalReturned,
            record.RaiseMalfunction,
            record.RaiseSystemMalfunction,
        ),
        *(record.ReportBoard, record.RaiseAlarm),
    ),
    Duty.DEAL: (
        *(rounds.OpenBets, rounds.FinishBetting, rounds.CloseBets, rounds.SpinBall, rounds.ConfirmResult),
        *(rounds.EnterResult, rounds.CallNoSpin, rounds.ResetTerminals, rounds.ReferRound, setup.SendMessage),
        *(setup.Approve, setup.Withdraw, record.RaiseMalfunction, record.RaiseSystemMalfunction),
        *(record.ConfirmBets, record.VoidBets, record.NoteIncident, record.ClearIncident),
    ),
    Duty.INSPECT: (
        *(rounds.AttestResult, credit.Collect, credit.ReprintTicket, credit.VoidTicket, credit.ReportLost),
        *(credit.ReleaseTicket, credit.EndSession, credit.PayPayable),
        *(credit.RecordTaxForm, credit.ReleaseHeldWin, setup.CloseTerminal, setup.ReopenTerminal, setup.SendMessage),
        *(setup.Approve, setup.Withdraw, setup.PrintRules, record.RaiseMalfunction, record.ClearCase),
        record.ClearLineLoss,
        *(record.RaiseSystemMalfunction, record.NoteIncident, record.ClearIncident, record.OpenDispute),
        *(record.AdviseComplainant, record.RequestReview, setup.UnlockAccount),
    ),
    Duty.CORRECT: (rounds.AttestResult, rounds.CorrectResult, credit.AdjustCredit, setup.Approve, setup.Withdraw),
    Duty.DECIDE: (
        *(rounds.DecideReferral, rounds.InvalidateOutcome, setup.Approve, setup.Withdraw, record.OpenDispute),
        *(record.DecideDispute, record.AdviseComplainant, record.RequestReview, record.CloseDispute),
        setup.UnlockAccount,
    ),
    Duty.MANAGE: (
        *(setup.AddTable, setup.AddTerminal, setup.EnrolDevice, setup.EnrolPerson, setup.ReleasePerson),
        *(setup.AppointActing, setup.ApproveBuild, setup.ChangeSettings, setup.ChangeRulebook),
        *(setup.NotifyOfficer, setup.CloseTable, setup.ReopenTable, setup.ArrangeVip, setup.Approve, setup.Withdraw),
        *(setup.ReleaseDevice, setup.UnlockAccount, setup.EndArrangement),
    ),
    Duty.CASH: (
        *(credit.OpenDrawer, credit.RedeemTicket, credit.CountDrawer, credit.CloseDrawer, credit.PayHeldWin),
        *(credit.RecordTaxForm, credit.ReleaseHeldWin, credit.ReportLost, setup.PrintRules, record.NoteIncident),
        *(credit.BuyIn, credit.PayPayable, setup.Withdraw),
    ),
    Duty.MAINTAIN: (
        *(setup.AddTerminal, setup.EnrolDevice, setup.ReleaseDevice, setup.CloseTerminal, setup.ReopenTerminal),
        *(record.ClearCase, record.ClearLineLoss, record.NoteIncident),
    ),
    Duty.OFFICIATE: (setup.NotifyOfficer, record.AdviseComplainant),
    Duty.REVIEW: (record.RecordReview,),
}


def _rights() -> dict[type[Command], frozenset[str | Duty]]:
    kinds = {kind for commands in _BELONGS.values() for kind in commands}
    return {kind: frozenset(who for who, commands in _BELONGS.items() if kind in commands) for kind in kinds}


RIGHTS: Final = _rights()


def barred(model: Model, command: Command, context: Context) -> set[Code]:
    """Say why this device and person may not ask for this at all; nothing where they may."""
    if model.mode is None and not isinstance(command, setup.CreateHouse):
        return {Code.HOUSE_NOT_FOUNDED}
    if context.device not in model.staff.devices and context.device != SYSTEM:
        return {Code.UNKNOWN_DEVICE}
    return _nowhere(model, command) or _nobody(model, command, context)


def _nowhere(model: Model, command: Command) -> set[Code]:
    if isinstance(command, setup.AddTable | setup.AddTerminal):
        return set()
    if isinstance(command, TerminalCommand) and command.terminal not in model.seats:
        return {Code.UNKNOWN_TERMINAL}
    if isinstance(command, GameCommand):
        return set() if command.table in model.seats[command.terminal].games else {Code.UNKNOWN_TABLE}
    if isinstance(command, TableCommand) and command.table not in model.tables:
        return {Code.UNKNOWN_TABLE}
    return set()


def _nobody(model: Model, command: Command, context: Context) -> set[Code]:
    """A machine acts for itself and unsigned; a person signs, and needs one of the duties by the rules of the place."""
    rights = RIGHTS[type(command)]
    if not context.person:
        return set() if machine_of(command, context) in rights else {Code.NOT_AUTHORISED}
    if context.person not in model.staff.people:
        return {Code.UNKNOWN_PERSON}
    duties = [each for each in rights if isinstance(each, Duty)]
    ledger = rulebooks_of(model, command)
    has = any(model.staff.holds(context.person, duty, book, context.now) for book in ledger for duty in duties)
    return set() if has else {Code.NOT_AUTHORISED}


def machine_of(command: Command, context: Context) -> str:
    """Tell what an unsigned command comes from: the house itself, the terminal or the wheel it is about, or neither."""
    if context.device == SYSTEM:
        return CLOCK
    if isinstance(command, TerminalCommand):
        return TERMINAL if context.device == DeviceId(command.terminal) else ""
    if isinstance(command, TableCommand):
        return WHEEL if context.device == DeviceId(command.table) else ""
    return ""


def rulebooks_of(model: Model, command: Command) -> list[Rulebook]:
    """Name the rulebooks by which staff may ask for a thing: those of its place, or all that are in use."""
    table = _table_of(model, command)
    if table is not None:
        return [model.tables[table].felt.rulebook]
    in_use = [each.felt for each in model.tables.values()] or list(model.felts.values())
    return [felt.rulebook for felt in in_use]


def _table_of(model: Model, command: Command) -> TableId | None:
    if isinstance(command, GameCommand | TableCommand):
        return command.table if command.table in model.tables else None
    seat = model.seats.get(_seat_of(model, command))
    return None if seat is None else model.first_table(seat).name


def _seat_of(model: Model, command: Command) -> TerminalId:
    nobody = TerminalId("")
    if isinstance(command, TerminalCommand):
        return command.terminal
    if isinstance(command, record.ConfirmBets | record.VoidBets | record.ClearCase):
        return model.cases[command.case].seat if command.case in model.cases else nobody
    if isinstance(command, credit.ReprintTicket | credit.VoidTicket | credit.ReleaseTicket | credit.ReportLost):
        tickets = model.desk.tickets
        return tickets[command.sequence].seat if command.sequence in tickets else nobody
    return nobody


#: The second signature is good for two minutes.
_GOOD_FOR: Final = 120_000_000
#: What is to be signed by two, written out from the rules and the list of what moves money or changes the house.
_DUAL: Final = (
    credit.AdjustCredit,
    credit.PayPayable,
    credit.ReleaseTicket,
    credit.ReprintTicket,
    credit.VoidTicket,
    record.VoidBets,
    rounds.AttestResult,
    rounds.CorrectResult,
    rounds.InvalidateOutcome,
    setup.AddTable,
    setup.AddTerminal,
    setup.ApproveBuild,
    setup.ChangeRulebook,
    setup.ChangeSettings,
    setup.EnrolDevice,
    setup.EnrolPerson,
    setup.ReleaseDevice,
    setup.UnlockAccount,
)


def takes_two(model: Model, command: Command, context: Context) -> bool:
    """Tell whether what a person asks for waits for another; what is not paid or settled yet is taken back by one."""
    if not context.person or not isinstance(command, _DUAL):
        return False
    if isinstance(command, rounds.InvalidateOutcome):
        played = model.tables[command.table].rounds.get(command.round)
        return played is not None and played.status == "settled"
    if isinstance(command, record.VoidBets):
        case = model.cases.get(command.case)
        played_in = [] if case is None else [model.tables[name].rounds[number] for name, number in case.questioned]
        return case is not None and (
            case.suspense.total() > 0 or any(each.pocket or each.reported for each in played_in)
        )
    return True


def propose(model: Model, command: Command, context: Context, events: Sequence[Event]) -> None:
    """A first signature must be told as such, and do nothing else."""
    number = Number(model.staff.proposed + 1)
    expires_at = Instant(context.now + _GOOD_FOR)
    match("I19", events, [ExpectedEvent(ProposalMade, {"proposal": number, "expires_at": expires_at})])
    made = events[0]
    assert isinstance(made, ProposalMade)
    check_equal("I19", f"{made} proposes a", type(made.command), type(command))
    staff = model.staff
    staff.proposed += 1
    # With every new proposal those that have run out are forgotten.
    staff.proposals = {each: live for each, live in staff.proposals.items() if live.expires_at > context.now}
    staff.proposals[number] = ModelProposal(made.command, context.person, context.device, expires_at)


def unsigned(model: Model, command: setup.Approve, context: Context) -> set[Code]:
    """Say why a second signature does not count, whatever it is for."""
    proposal = model.staff.proposals.get(command.proposal)
    if proposal is None:
        return {Code.UNKNOWN_RECORD}
    first = Context(context.now, proposal.device, proposal.person)
    codes = barred(model, proposal.command, context) | barred(model, proposal.command, first)
    codes |= {Code.SAME_PERSON} if context.person == proposal.person else set()
    codes |= {Code.SAME_DEVICE} if context.device == proposal.device else set()
    return codes | ({Code.PROPOSAL_EXPIRED} if context.now >= proposal.expires_at else set())


def approve(model: Model, command: setup.Approve, context: Context, events: Sequence[Event]) -> Command:
    """Two signatures: both are told first, and what follows is the proposed command's own."""
    proposal = model.staff.proposals.pop(command.proposal)
    first = {"proposer": proposal.person, "proposer_device": proposal.device}
    second = {"approver": context.person, "approver_device": context.device}
    match("I19", events[:1], [ExpectedEvent(ProposalApproved, {"proposal": command.proposal, **first, **second})])
    return proposal.command


def not_withdrawn(model: Model, command: setup.Withdraw, context: Context) -> set[Code]:
    proposal = model.staff.proposals.get(command.proposal)
    if proposal is None:
        return {Code.UNKNOWN_RECORD}
    return set() if context.person == proposal.person else {Code.NOT_AUTHORISED}


def withdraw(model: Model, command: setup.Withdraw, _context: Context) -> list[ExpectedEvent]:
    del model.staff.proposals[command.proposal]
    return [ExpectedEvent(ProposalWithdrawn, {"proposal": command.proposal})]
