"""The table of actions."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from typing import Final

from croupier.house.commands import AnyCommand
from croupier.house.commands.credit import (
    AdjustCredit,
    BuyIn,
    CloseDrawer,
    Collect,
    ConfirmPrint,
    CountDrawer,
    EndSession,
    InsertNote,
    InsertTicket,
    OpenDrawer,
    PayHeldWin,
    PayPayable,
    RecordTaxForm,
    RedeemTicket,
    ReleaseHeldWin,
    ReportLost,
    ReprintTicket,
    VoidTicket,
)
from croupier.house.commands.play import (
    CancelRecall,
    ChangeBet,
    ChooseDenomination,
    ClearBets,
    ConfirmRecall,
    CopyBets,
    DoubleBets,
    MoveBet,
    PlaceBets,
    PressNeighbours,
    RecallPattern,
    RemoveBets,
    RepeatBets,
    SavePattern,
    SetAutoCopy,
    UndoBet,
)
from croupier.house.commands.record import (
    AdviseComplainant,
    ClearCase,
    ClearIncident,
    ClearLineLoss,
    CloseDispute,
    ConfirmBets,
    DecideDispute,
    DisputeBasis,
    NoteIncident,
    OpenDispute,
    RaiseMalfunction,
    RaiseSystemMalfunction,
    RecordReview,
    ReportBoard,
    ReportDisplay,
    ReportTerminalLost,
    ReportTerminalReturned,
    RequestReview,
    VoidBets,
)
from croupier.house.commands.rounds import (
    AttestResult,
    BallAtRest,
    BallLaunched,
    BallLeftTrack,
    CallNoSpin,
    CloseBets,
    ConfirmResult,
    CorrectResult,
    DecideReferral,
    EnterResult,
    FinishBetting,
    InvalidateOutcome,
    OpenBets,
    Recover,
    ReferralDecision,
    ReferRound,
    ResetTerminals,
    SpinBall,
    Tick,
    WheelTrouble,
)
from croupier.house.commands.setup import (
    AppointActing,
    Approve,
    ApproveBuild,
    ArrangeVip,
    ChangeSettings,
    CloseTable,
    CloseTerminal,
    EndArrangement,
    NotifyOfficer,
    ReopenTable,
    ReopenTerminal,
    ReportBuild,
    Withdraw,
)
from croupier.house.ids import RoundNumber, TableId
from croupier.rules.geometry import Pocket
from croupier.rules.money import Cents
from croupier.rules.notation import NotationBet
from croupier.rules.refusal import ClauseId
from croupier.rules.rulebook import Rulebook
from croupier.transcripts.actors import ActionContext, digest_of, read_form
from croupier.transcripts.format import ParseExpectationError, Setting, seat_named, table_named
from croupier.transcripts.settings import set_all

#: What a deed asks of the house, from its moment and the values of its slots; None where it only lets time pass.
Build = Callable[..., AnyCommand | None]
Deeds = Mapping[str, Build]


@dataclass(frozen=True, slots=True)
class ActionCall:
    """A deed that was understood: it becomes a command when its moment has come."""

    build: Build
    values: tuple[object, ...]

    def perform(self, scene: ActionContext) -> None:
        command = self.build(scene, *self.values)
        if command is not None:
            scene.ask(command)


def read_action(text: str, actions: Deeds, rulebook: Rulebook) -> ActionCall:
    """Find the form that a deed goes by, or raise WantedError with what was wanted."""
    for form, build in actions.items():
        values = read_form(form, text, rulebook)
        if values is not None:
            return ActionCall(build, values)
    near = get_close_matches(text, actions, n=3, cutoff=0.4)
    raise ParseExpectationError(f"a deed such as {' or '.join(map(repr, near or sorted(actions)[:3]))}")


def _change(at: ActionContext, settings: tuple[Setting, ...]) -> ChangeSettings:
    table = at.here
    return ChangeSettings(at.table, set_all(table.next_settings or table.settings, settings), at.words)


def _pay_payable(at: ActionContext, seat: int, form: int | None = None) -> PayPayable:
    """Pay what the earliest session of a seat is owed; where none is owed anything, its first, to be refused."""
    terminal = seat_named(seat)
    found = at.floor.house.terminals.get(terminal)
    debts = {} if found is None else found.debts
    session = min((each for each, debt in debts.items() if debt < 0), default=0)
    return PayPayable(terminal, session, at.drawer, Cents(max(0, -debts.get(session, 0))), at.words, str(form or ""))


def _dispute_under(at: ActionContext, number: RoundNumber, cited: tuple[ClauseId, str]) -> OpenDispute:
    clause, words = cited
    return OpenDispute(at.table, number, None, DisputeBasis.FROM_RULES, words or at.words, clause)


OFFICE_ACTIONS: Final[Deeds] = {
    "approves N": lambda _, proposal: Approve(proposal),
    "withdraws N": lambda _, proposal: Withdraw(proposal),
    "acts as TITLE from TIME to TIME": lambda at, title, begins, ends: AppointActing(at.person, title, begins, ends),
    "limits SETTINGS": _change,
    "notifies officer of table": lambda at: NotifyOfficer(at.table, at.words),
    "notifies officer of seat N": lambda at, seat: NotifyOfficer(seat_named(seat), at.words),
    "closes table": lambda at: CloseTable(at.table, at.words),
    "reopens table": lambda at: ReopenTable(at.table),
    "closes seat N": lambda at, seat: CloseTerminal(seat_named(seat), at.words),
    "reopens seat N": lambda _, seat: ReopenTerminal(seat_named(seat)),
    "ends session of seat N": lambda _, seat: EndSession(seat_named(seat)),
    "arranges straight up for seat N": lambda at, seat: ArrangeVip(seat_named(seat), at.words),
    "ends arrangement of seat N": lambda at, seat: EndArrangement(seat_named(seat), at.words),
    "confirms bets of case N": lambda at, case: ConfirmBets(case, at.record_of(case)),
    "confirms bets of case N by another record": lambda _, case: ConfirmBets(case, ""),
    "voids bets of case N": lambda at, case: VoidBets(case, at.words),
    "clears case N": lambda _, case: ClearCase(case),
    "clears line loss N": lambda at, case: ClearLineLoss(at.table, case),
    "notes WORDS": lambda at, words: NoteIncident(at.table, words),
    "clears incident N": lambda _, incident: ClearIncident(incident),
    "voids slip N": lambda at, sequence: VoidTicket(sequence, at.words),
    "reprints slip N": lambda at, sequence: ReprintTicket(sequence, at.words),
    "lost slip N": lambda at, sequence: ReportLost(sequence, at.words),
    "opens drawer AMOUNT": lambda at, cash: OpenDrawer(at.drawer, cash),
    "takes AMOUNT for seat N": lambda at, amount, seat: BuyIn(seat_named(seat), at.drawer, amount),
    "pays slip N": lambda at, sequence: RedeemTicket(at.drawer, digest_of(sequence)),
    "pays slip N saying AMOUNT": lambda at, sequence, said: RedeemTicket(at.drawer, digest_of(sequence), said),
    "counts drawer AMOUNT": lambda at, counted: CountDrawer(at.drawer, counted),
    "closes drawer": lambda at: CloseDrawer(at.drawer),
    "records form WORD for WORDS hold N": lambda at, form, patron, hold: RecordTaxForm(
        at.holder_of(hold), hold, patron, form
    ),
    "releases hold N": lambda at, hold: ReleaseHeldWin(at.holder_of(hold), hold),
    "pays hold N": lambda at, hold: PayHeldWin(at.holder_of(hold), hold, at.drawer),
    "pays payable of seat N": _pay_payable,
    "pays payable of seat N form N": _pay_payable,
    "adjusts seat N by SIGNED": lambda at, seat, amount: AdjustCredit(seat_named(seat), amount, at.words),
    "disputes round N seat N by memorandum WORD WORDS": lambda at, number, seat, version, words: OpenDispute(
        at.table, number, seat_named(seat), DisputeBasis.NOT_COVERED, words, memorandum=version
    ),
    "disputes round N seat N WORDS": lambda at, number, seat, words: OpenDispute(
        at.table, number, seat_named(seat), DisputeBasis.NOT_COVERED, words
    ),
    "disputes round N under CITED": _dispute_under,
    "decides dispute N WORDS": lambda _, dispute, words: DecideDispute(dispute, words),
    "advises dispute N": lambda _, dispute: AdviseComplainant(dispute),
    "requests review N": lambda _, dispute: RequestReview(dispute, by_house=False),
    "requests review N for the house": lambda _, dispute: RequestReview(dispute, by_house=True),
    "records review N WORDS": lambda _, dispute, words: RecordReview(dispute, words),
    "closes dispute N resolved": lambda _, dispute: CloseDispute(dispute, resolved=True),
    "closes dispute N unresolved": lambda _, dispute: CloseDispute(dispute, resolved=False),
}


def _valid(at: ActionContext, pocket: Pocket) -> BallAtRest:
    """A valid spin against the rotor, with the revolutions that were counted before or those that the rules ask for."""
    figure, round_ = at.here.rulebook.procedure.revolutions, at.here.round
    least = 0 if figure is None else figure.figure
    counted = [each.revolutions for each in round_.sightings if each.revolutions is not None] if round_ else []
    turns = next((each for each in counted if each >= least), least or None)
    return BallAtRest(at.table, pocket, turns, opposite=True)


WHEEL: Final[Deeds] = {
    "launches the ball": lambda at: BallLaunched(at.table, opposite=True, turning=True),
    "launches the ball with the wheel": lambda at: BallLaunched(at.table, opposite=False, turning=True),
    "launches the ball, wheel still": lambda at: BallLaunched(at.table, turning=False),
    "POCKET": _valid,
    "POCKET after TIMES revolutions": lambda at, pocket, turns: BallAtRest(at.table, pocket, turns, opposite=True),
    "POCKET after TIMES revolutions with the wheel": lambda at, pocket, turns: BallAtRest(
        at.table, pocket, turns, opposite=False
    ),
    "POCKET after TIMES revolutions, direction unseen": lambda at, pocket, turns: BallAtRest(at.table, pocket, turns),
    "POCKET with the wheel": lambda at, pocket: BallAtRest(at.table, pocket, opposite=False),
    "POCKET against the wheel": lambda at, pocket: BallAtRest(at.table, pocket, opposite=True),
    "POCKET unseen": lambda at, pocket: BallAtRest(at.table, pocket),
    "ball leaves the track": lambda at: BallLeftTrack(at.table),
    "ball leaves the track after TIMES revolutions": lambda at, turns: BallLeftTrack(at.table, turns),
    "trouble REASON": lambda at, reason: WheelTrouble(at.table, reason),
}

_MALFUNCTION: Final[Deeds] = {
    "malfunction seat N FAULT": lambda at, seat, fault: RaiseMalfunction(seat_named(seat), fault, at.words),
    "malfunction seat N FAULT WORDS": lambda _, seat, fault, words: RaiseMalfunction(seat_named(seat), fault, words),
    "malfunction": lambda at: RaiseSystemMalfunction(at.table, at.words),
    "malfunction DOUBT": lambda at, words: RaiseSystemMalfunction(at.table, words),
}

SYSTEM: Final[Deeds] = {
    "opens bets": lambda at: OpenBets(at.table),
    "no more bets": lambda at: CloseBets(at.table),
    "waits": lambda _: None,
    "recovers": lambda _: Recover(),
    "software WORD": lambda _, version: ReportBuild(version),
    "approves software WORD": lambda at, version: ApproveBuild(version, at.words),
    "begins day DATE": lambda _, day: Tick(day),
    "board shows POCKET": lambda at, number: ReportBoard(at.table, number),
    **_MALFUNCTION,
}


def _decides(at: ActionContext, verdict: ReferralDecision, words: str, pocket: Pocket | None = None) -> DecideReferral:
    return DecideReferral(at.table, verdict, words, pocket)


ROUND_ACTIONS: Final[Deeds] = {
    "opens bets": lambda at: OpenBets(at.table),
    "finish betting": lambda at: FinishBetting(at.table),
    "no more bets": lambda at: CloseBets(at.table),
    "spins": lambda at: SpinBall(at.table),
    "confirms POCKET": lambda at, pocket: ConfirmResult(at.table, pocket),
    "enters POCKET and POCKET": lambda at, pocket, again: EnterResult(at.table, pocket, again),
    "no spin REASON": lambda at, reason: CallNoSpin(at.table, reason, at.words),
    "no spin REASON, ball removed": lambda at, reason: CallNoSpin(at.table, reason, at.words, ball_removed=True),
    "no spin REASON after rest": lambda at, reason: CallNoSpin(at.table, reason, at.words, before_rest=False),
    "resets": lambda at: ResetTerminals(at.table),
    "refers WORDS": lambda at, words: ReferRound(at.table, words),
    "decides void WORDS": lambda at, words: _decides(at, ReferralDecision.VOID, words),
    "decides settle POCKET WORDS": lambda at, pocket, words: _decides(at, ReferralDecision.SETTLE, words, pocket),
    "decides go on WORDS": lambda at, words: _decides(at, ReferralDecision.GO_ON, words),
    "attests POCKET": lambda at, pocket: AttestResult(at.table, pocket, at.words),
    "corrects round N to POCKET": lambda at, number, pocket: CorrectResult(at.table, number, pocket, at.words),
    "invalidates round N REASON": lambda at, number, reason: InvalidateOutcome(at.table, number, reason, at.words),
    "invalidates round N REASON WORDS": lambda at, number, reason, suspect: InvalidateOutcome(
        at.table, number, reason, at.words, suspect
    ),
    **_MALFUNCTION,
}


def place(at: ActionContext, slip: tuple[NotationBet, ...]) -> PlaceBets:
    return PlaceBets(*at.game, tuple((str(wager.on), wager.amount) for wager in slip))


def _other(at: ActionContext) -> TableId:
    """The terminal's other game; the only one it has where there is no other, to be refused."""
    tables = list(at.seated.games)
    return next((table for table in tables if table != at.table), tables[0])


def _of_game(command: Callable[..., AnyCommand]) -> Build:
    """A deed whose slots are what its command says beyond the game, the round and the spin."""
    return lambda at, *values: command(*at.game, *values)


SEAT_ACTIONS: Final[Deeds] = {
    "undo": _of_game(UndoBet),
    "clear": _of_game(ClearBets),
    "repeat": _of_game(RepeatBets),
    "double": _of_game(DoubleBets),
    "neighbors": _of_game(PressNeighbours),
    "removes SPOT": lambda at, spot: _of_game(RemoveBets)(at, (spot,)),
    "changes SPOT to AMOUNT": _of_game(ChangeBet),
    "moves SPOT to SPOT": _of_game(MoveBet),
    "saves pattern N": _of_game(SavePattern),
    "overrides pattern N": _of_game(partial(SavePattern, override=True)),
    "recalls pattern N": _of_game(RecallPattern),
    "confirms": _of_game(ConfirmRecall),
    "cancels": _of_game(CancelRecall),
    "copies from table N": lambda at, number: _of_game(CopyBets)(at, table_named(number)),
    "auto copy to table N": lambda at, number: SetAutoCopy(at.terminal, at.table, table_named(number), on=True),
    "no auto copy": lambda at: SetAutoCopy(at.terminal, at.table, _other(at), on=False),
    "denomination AMOUNT": lambda at, worth: ChooseDenomination(at.terminal, worth),
    "inserts note AMOUNT": lambda at, value: InsertNote(at.terminal, at.here.rulebook.currency, value),
    "inserts note AMOUNT CURRENCY": lambda at, value, currency: InsertNote(at.terminal, currency, value),
    "inserts ticket N": lambda at, sequence: InsertTicket(at.terminal, digest_of(sequence)),
    "collects": lambda at: Collect(at.terminal, at.validation),
    "collects as MEANS": lambda at, means: Collect(at.terminal, at.validation, means),
    "prints slip N": lambda at, sequence: ConfirmPrint(at.terminal, sequence),
    "goes dark": lambda at: ReportTerminalLost(at.terminal),
    "comes back": lambda at: ReportTerminalReturned(at.terminal),
    "shows credit AMOUNT": lambda at, credit: ReportDisplay(at.terminal, credit=credit),
    "shows number POCKET": lambda at, number: ReportDisplay(at.terminal, number=number),
}
