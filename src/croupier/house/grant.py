"""Grants: one table of who may ask for what, in which state of the round. What it does not list is refused."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from croupier.house.command import credit, play, record, round, venue  # noqa: A004 - the casino's word
from croupier.house.command.base import Command
from croupier.house.table import Phase
from croupier.rules.staff import Duty


class Machine(StrEnum):
    """Who acts without a person's signature."""

    #: A terminal, on its own behalf.
    TERMINAL = "terminal"
    #: A table's wheel.
    WHEEL = "wheel"
    #: The house's own clock, gateway and configuration.
    SYSTEM = "system"


@dataclass(frozen=True, slots=True)
class Grant:
    """Who may ask for a thing, and when: machines, or staff with one of the duties."""

    machines: frozenset[Machine]
    #: In the order in which they are named, the usual one first.
    duties: tuple[Duty, ...]
    phases: frozenset[Phase]


EVER: Final = frozenset(Phase)
BETTING: Final = frozenset({Phase.OPEN, Phase.OPEN_RUNNING, Phase.LAST_CALL})
SEALED: Final = frozenset({Phase.CLOSED, Phase.RUNNING, Phase.AT_REST})
RUNNING: Final = EVER - {Phase.BETWEEN}


def _grant(*who: Machine | Duty, phases: Iterable[Phase] = EVER) -> Grant:
    machines = frozenset(one for one in who if isinstance(one, Machine))
    duties = tuple(one for one in who if isinstance(one, Duty))
    return Grant(machines, duties, frozenset(phases))


_PLAYER: Final = _grant(Machine.TERMINAL, phases=BETTING)

AUTHORITY: Final[Mapping[type[Command], Grant]] = {
    # The player, and nobody else, moves chips (7(h)i at Adelaide).
    play.PlaceBets: _PLAYER,
    play.ChangeBet: _PLAYER,
    play.RemoveBets: _PLAYER,
    play.MoveBet: _PLAYER,
    play.UndoBet: _PLAYER,
    play.ClearBets: _PLAYER,
    play.RepeatBets: _PLAYER,
    play.DoubleBets: _PLAYER,
    play.PressNeighbours: _PLAYER,
    play.RecallPattern: _PLAYER,
    play.ConfirmRecall: _PLAYER,
    play.CopyBets: _PLAYER,
    play.SavePattern: _grant(Machine.TERMINAL),
    play.CancelRecall: _grant(Machine.TERMINAL),
    play.SetAutoCopy: _grant(Machine.TERMINAL),
    play.ChooseDenomination: _grant(Machine.TERMINAL),
    # The round, step by step.
    round.Tick: _grant(Machine.SYSTEM),
    round.Recover: _grant(Machine.SYSTEM),
    round.OpenBets: _grant(Machine.SYSTEM, Duty.DEAL, phases={Phase.BETWEEN}),
    round.FinishBetting: _grant(Machine.SYSTEM, Duty.DEAL, phases={Phase.OPEN, Phase.OPEN_RUNNING}),
    round.CloseBets: _grant(Machine.SYSTEM, Duty.DEAL, phases=BETTING),
    round.SpinBall: _grant(Duty.DEAL, phases={*BETTING, Phase.CLOSED} - {Phase.OPEN_RUNNING}),
    round.BallLaunched: _grant(Machine.WHEEL),
    round.BallLeftTrack: _grant(Machine.WHEEL),
    round.BallAtRest: _grant(Machine.WHEEL),
    round.WheelTrouble: _grant(Machine.WHEEL),
    round.ConfirmResult: _grant(Duty.DEAL, phases={Phase.RUNNING, Phase.AT_REST}),
    round.EnterResult: _grant(Duty.DEAL, phases={Phase.RUNNING, Phase.AT_REST}),
    round.CallNoSpin: _grant(Duty.DEAL, phases=RUNNING - {Phase.NO_SPIN}),
    round.ResetTerminals: _grant(Duty.DEAL, phases={Phase.NO_SPIN}),
    round.ReferRound: _grant(Duty.DEAL, phases=RUNNING - {Phase.SUSPENDED}),
    round.DecideReferral: _grant(Duty.DECIDE, phases={Phase.SUSPENDED}),
    round.AttestResult: _grant(Duty.INSPECT, Duty.CORRECT, phases={*SEALED, Phase.SUSPENDED}),
    round.CorrectResult: _grant(Duty.CORRECT),
    round.InvalidateOutcome: _grant(Duty.DECIDE),
    # Money.
    credit.InsertNote: _grant(Machine.TERMINAL),
    credit.InsertTicket: _grant(Machine.TERMINAL),
    credit.GrantPlayMoney: _grant(Machine.SYSTEM),
    credit.Collect: _grant(Machine.TERMINAL, Duty.INSPECT),
    credit.EndSession: _grant(Duty.INSPECT),
    credit.ConfirmPrint: _grant(Machine.TERMINAL),
    credit.ReprintTicket: _grant(Duty.INSPECT),
    credit.VoidTicket: _grant(Duty.INSPECT),
    credit.ReleaseTicket: _grant(Duty.INSPECT),
    credit.ReportLost: _grant(Duty.CASH, Duty.INSPECT),
    credit.OpenDrawer: _grant(Duty.CASH),
    credit.BuyIn: _grant(Duty.CASH),
    credit.RedeemTicket: _grant(Duty.CASH),
    credit.CountDrawer: _grant(Duty.CASH),
    credit.CloseDrawer: _grant(Duty.CASH),
    credit.RecordTaxForm: _grant(Duty.CASH, Duty.INSPECT),
    credit.ReleaseHold: _grant(Duty.CASH, Duty.INSPECT),
    credit.PayHold: _grant(Duty.CASH),
    credit.AdjustCredit: _grant(Duty.CORRECT),
    # The cashier signs first, and somebody from the pit second.
    credit.PayPayable: _grant(Duty.CASH, Duty.INSPECT),
    # The venue.
    venue.FoundHouse: _grant(Machine.SYSTEM),
    venue.AdoptRulebook: _grant(Machine.SYSTEM),
    venue.AddTable: _grant(Machine.SYSTEM, Duty.MANAGE),
    venue.AddTerminal: _grant(Machine.SYSTEM, Duty.MANAGE, Duty.MAINTAIN),
    venue.EnrolDevice: _grant(Machine.SYSTEM, Duty.MANAGE, Duty.MAINTAIN),
    venue.ReleaseDevice: _grant(Duty.MANAGE, Duty.MAINTAIN),
    venue.EnrolPerson: _grant(Machine.SYSTEM, Duty.MANAGE),
    venue.ReleasePerson: _grant(Machine.SYSTEM, Duty.MANAGE),
    venue.UnlockAccount: _grant(Duty.INSPECT, Duty.DECIDE, Duty.MANAGE),
    venue.AppointActing: _grant(Duty.MANAGE),
    venue.ApproveSoftware: _grant(Machine.SYSTEM, Duty.MANAGE),
    venue.ReportSoftware: _grant(Machine.SYSTEM),
    venue.ChangeSettings: _grant(Duty.MANAGE),
    venue.ChangeRulebook: _grant(Duty.MANAGE),
    venue.NotifyOfficer: _grant(Duty.MANAGE, Duty.OFFICIATE),
    venue.CloseTable: _grant(Duty.MANAGE),
    venue.ReopenTable: _grant(Duty.MANAGE),
    venue.CloseTerminal: _grant(Duty.INSPECT, Duty.MAINTAIN),
    venue.ReopenTerminal: _grant(Duty.INSPECT, Duty.MAINTAIN),
    venue.ArrangeVip: _grant(Duty.MANAGE),
    venue.EndArrangement: _grant(Duty.MANAGE),
    venue.AcceptHistory: _grant(Machine.SYSTEM),
    venue.SendMessage: _grant(Duty.DEAL, Duty.INSPECT),
    venue.Approve: _grant(Duty.DEAL, Duty.INSPECT, Duty.CORRECT, Duty.DECIDE, Duty.MANAGE),
    venue.Withdraw: _grant(Duty.DEAL, Duty.INSPECT, Duty.CASH, Duty.CORRECT, Duty.DECIDE, Duty.MANAGE),
    venue.PrintRules: _grant(Duty.CASH, Duty.INSPECT),
    # The record.
    record.LoseTerminal: _grant(Machine.SYSTEM),
    record.ReturnTerminal: _grant(Machine.SYSTEM),
    record.RaiseMalfunction: _grant(Machine.SYSTEM, Duty.DEAL, Duty.INSPECT),
    record.RaiseSystemMalfunction: _grant(Machine.SYSTEM, Duty.DEAL, Duty.INSPECT),
    record.ConfirmBets: _grant(Duty.DEAL),
    record.VoidBets: _grant(Duty.DEAL),
    record.ClearCase: _grant(Duty.INSPECT, Duty.MAINTAIN),
    record.ClearLineLoss: _grant(Duty.INSPECT, Duty.MAINTAIN),
    record.ReportDisplay: _grant(Machine.TERMINAL),
    record.ReportBoard: _grant(Machine.SYSTEM),
    record.NoteIncident: _grant(Duty.DEAL, Duty.INSPECT, Duty.CASH, Duty.MAINTAIN),
    record.RaiseAlarm: _grant(Machine.SYSTEM),
    record.ClearIncident: _grant(Duty.DEAL, Duty.INSPECT),
    record.OpenDispute: _grant(Duty.INSPECT, Duty.DECIDE),
    record.DecideDispute: _grant(Duty.DECIDE),
    record.AdviseComplainant: _grant(Duty.INSPECT, Duty.DECIDE, Duty.OFFICIATE),
    record.RequestReview: _grant(Duty.INSPECT, Duty.DECIDE),
    record.RecordReview: _grant(Duty.REVIEW),
    record.CloseDispute: _grant(Duty.DECIDE),
}
