"""Table of transcript actions: each row is read into a command, and written from events."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import partial
from typing import Any, Final

from croupier.house import AnyCommand
from croupier.house.credit.drawers import (
    BoughtIn,
    BuyIn,
    CloseDrawer,
    CountDrawer,
    DrawerCounted,
    DrawerOpened,
    DropDrawer,
    FillDrawer,
    OpenDrawer,
    PayPayable,
    RedeemTicket,
)
from croupier.house.credit.held_wins import (
    HeldWinPaid,
    HeldWinReleased,
    PayHeldWin,
    RecordTaxForm,
    ReleaseHeldWin,
    TaxFormRecorded,
)
from croupier.house.credit.notes import InsertNote, NoteStacked
from croupier.house.credit.sessions import AdjustCredit, EndSession, SessionEnd, SessionEnded
from croupier.house.credit.tickets import (
    Collect,
    ConfirmPrint,
    InsertTicket,
    ReportLost,
    ReprintTicket,
    TicketIssued,
    TicketPrinted,
    TicketRedeemed,
    TicketReportedLost,
    VoidTicket,
)
from croupier.house.declare import Command, Event
from croupier.house.floor.disputes import (
    AdviseComplainant,
    CloseDispute,
    ComplainantAdvised,
    DecideDispute,
    DisputeBasis,
    DisputeClosed,
    DisputeDecided,
    DisputeOpened,
    OpenDispute,
    RecordReview,
    RequestReview,
    ReviewRecorded,
    ReviewRequested,
)
from croupier.house.floor.incidents import ClearIncident, IncidentCleared, IncidentKind, IncidentRaised, NoteIncident
from croupier.house.floor.malfunctions import (
    BetsConfirmed,
    CaseCleared,
    ClearCase,
    ClearLineLoss,
    ConfirmBets,
    LineLossCleared,
    MalfunctionRaised,
    RaiseMalfunction,
    ReportDisplay,
    VoidBets,
)
from croupier.house.floor.service import (
    CloseTable,
    CloseTerminal,
    NotifyOfficer,
    OfficerNotified,
    ReopenTable,
    ReopenTerminal,
    ReportTerminalLost,
    ReportTerminalReturned,
    TableClosed,
    TableReopened,
    TerminalClosed,
    TerminalLost,
    TerminalReopened,
    TerminalReturned,
)
from croupier.house.floor.settings import ChangeSettings
from croupier.house.floor.setup import ApproveBuild, BuildApproved, BuildReported, ReportBuild
from croupier.house.floor.signatures import Approve, ProposalApproved, ProposalMade, ProposalWithdrawn, Withdraw
from croupier.house.floor.staff import AppointActing
from croupier.house.ids import Number, PositionId, RoundNumber, TableId
from croupier.house.live.arrangements import ArrangeVip, EndArrangement
from croupier.house.play.betting import (
    BetsChanged,
    ChangeBet,
    ChooseDenomination,
    ClearBets,
    DenominationChosen,
    DoubleBets,
    MoveBet,
    PlaceBets,
    PressNeighbours,
    RemoveBets,
    RepeatBets,
    UndoBet,
)
from croupier.house.play.copying import CopyBets, SetAutoCopy
from croupier.house.play.patterns import CancelRecall, ConfirmRecall, PatternSaved, RecallPattern, SavePattern
from croupier.house.rounds.closing import BetsClosing, CloseBets, CloseReason, FinishBetting, FinishCalled
from croupier.house.rounds.corrections import CorrectResult, InvalidateOutcome, OutcomeInvalidated
from croupier.house.rounds.irregularities import (
    CallNoSpin,
    ResetTerminals,
    RoundSuspended,
    RoundVoided,
    SpinVoided,
    TerminalsReset,
    WheelTrouble,
)
from croupier.house.rounds.multipliers import DrawMultiples, MultiplesDrawn
from croupier.house.rounds.opening import BetsOpened, OpenBets
from croupier.house.rounds.recovery import HouseRecovered, RaiseSystemMalfunction, Recover
from croupier.house.rounds.referrals import (
    DecideReferral,
    HoldReleased,
    HoldRound,
    ReferralDecided,
    ReferralDecision,
    ReferRound,
    ReleaseHold,
    RoundHeld,
)
from croupier.house.rounds.results import (
    AttestResult,
    BallAtRest,
    BallRested,
    ConfirmResult,
    EnterResult,
    IgnoredReason,
    ReportBoard,
    ReportIgnored,
)
from croupier.house.rounds.settlement import ResultDeclared
from croupier.house.rounds.spinning import BallFell, BallLaunched, BallLeftTrack, BallSpun, SpinBall
from croupier.house.state.tables import BetChange, ResultSource
from croupier.house.timers import DayBegan, Tick
from croupier.rules.geometry import Pocket
from croupier.rules.money import Cents
from croupier.rules.notation import NotationBet
from croupier.rules.procedure import Reason
from croupier.rules.refusal import ClauseId, Refusal
from croupier.rules.rulebook import Rulebook
from croupier.transcripts.actors import ActionContext, ActorRole, digest_of, read_actor, read_form, tidy, write_form
from croupier.transcripts.format import FIRST, ParseExpectationError, Setting, seat_named, table_named
from croupier.transcripts.live import player_named, position_of
from croupier.transcripts.live_actions import LIVE_ROWS
from croupier.transcripts.preamble import RecordBeforeTranscriptError, WriteContext
from croupier.transcripts.settings import limit_settings, set_all

#: The key under which an action is written: a type of event or, for a first signature, of the proposed command.
Kind = type[Event] | type[Command]
#: Builds the command of an action, or several, from its context and the values of its placeholders; None when only time
#: passes.
Build = Callable[..., AnyCommand | tuple[AnyCommand, ...] | None]
#: The values of a form's placeholders.
Values = tuple[object, ...]
#: Returns the values of each action as which an event, or a proposed command, is written; empty when it is not.
Write = Callable[[Any, WriteContext], Iterable[Values]]


@dataclass(frozen=True, slots=True)
class Row:
    """An action: its actor, its words, the command that it becomes, and the events that are written as it."""

    role: ActorRole
    form: str
    build: Build
    write: Mapping[Kind, Write] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ActionCall:
    """A parsed action: it becomes a command when its time has come."""

    build: Build
    values: Values

    def perform(self, context: ActionContext) -> None:
        built = self.build(context, *self.values)
        commands = built if isinstance(built, tuple) else () if built is None else (built,)
        for command in commands:
            if isinstance(context.ask(command), Refusal):
                return


def read_action(text: str, role: ActorRole, rulebook: Rulebook) -> ActionCall:
    """Find the row whose form matches the text, or raise ParseExpectationError with similar forms."""
    rows = ROWS[role]
    for row in rows:
        values = read_form(row.form, text, rulebook)
        if values is not None:
            return ActionCall(row.build, values)
    forms = [row.form for row in rows if row is not SLIP]
    near = get_close_matches(text, forms, n=3, cutoff=0.4)
    raise ParseExpectationError(f"an action such as {' or '.join(map(repr, near or sorted(forms)[:3]))}")


def write_actions(events: Sequence[Event], role: ActorRole, context: WriteContext) -> tuple[str, ...]:
    """Write events as one action or several; empty when no row matches them.

    The first kind of event in the order of the table decides. A first signature precedes all of them.
    """
    proposed = [each.command for each in events if isinstance(each, ProposalMade)]
    try:
        for subjects in (proposed, events):
            for kind, rows in _WRITERS[role].items():
                for subject in (each for each in subjects if isinstance(each, kind)):
                    for row in rows:
                        if found := tuple(row.write[kind](subject, context)):
                            return tuple(write_form(row.form, values) for values in found)
    except RecordBeforeTranscriptError:
        pass
    return ()


def readable(actor: str, action: str, rulebook: Rulebook) -> bool:
    """Return whether a transcript in which an actor takes this action can be parsed."""
    try:
        read_action(action, read_actor(actor, rulebook).role, rulebook)
    except ParseExpectationError:
        return False
    return action == tidy(action)


# Builders of commands


def _change(at: ActionContext, settings: tuple[Setting, ...]) -> ChangeSettings:
    table = at.here
    return ChangeSettings(at.table, set_all(table.next_settings or table.settings, settings), at.words)


def _seat_position(at: ActionContext, seat: int) -> PositionId:
    """Find the position of a seat; 0, which none has, if it does not play here."""
    terminal = at.floor.house.terminals.get(seat_named(seat))
    game = None if terminal is None else terminal.games.get(at.table)
    return PositionId(0) if game is None else game.id


def _player(at: ActionContext, number: int) -> PositionId:
    return position_of(at.floor.house, player_named(number), at.table)


def _arrange(at: ActionContext, position: PositionId) -> ArrangeVip:
    return ArrangeVip(at.table, (position,), at.words)


def _arrange_limits(at: ActionContext, settings: tuple[Setting, ...], number: int) -> ArrangeVip:
    limits = set_all(at.here.settings, settings).limits
    here = (at.table, (_player(at, number),), at.words)
    return ArrangeVip(*here, straight_only=False, limits=limits)


def _end_arrangement(at: ActionContext, position: PositionId) -> EndArrangement:
    game = at.floor.house.positions.get(position)
    number = None if game is None else game.arrangement
    return EndArrangement(at.table, number or Number(0), at.words)


def _pay_payable(at: ActionContext, seat: int, form: int | None = None) -> PayPayable:
    """Pay the payable of a seat's earliest session; when none has one, the first session, which is refused."""
    terminal = seat_named(seat)
    found = at.floor.house.terminals.get(terminal)
    debts = {} if found is None else found.debts
    session = min((each for each, debt in debts.items() if debt < 0), default=0)
    amount = Cents(max(0, -debts.get(session, 0)))
    return PayPayable(terminal, session, at.drawer, amount, at.words, str(form or ""))


def _dispute_under(at: ActionContext, number: RoundNumber, cited: tuple[ClauseId, str]) -> OpenDispute:
    clause, words = cited
    return OpenDispute(at.table, number, None, DisputeBasis.FROM_RULES, words or at.words, clause)


def _dispute(at: ActionContext, number: RoundNumber, seat: int, *words: str) -> OpenDispute:
    """Dispute a round at a seat, by the memorandum that the first of two texts names."""
    *memorandum, complaint = words
    basis = DisputeBasis.NOT_COVERED
    return OpenDispute(at.table, number, seat_named(seat), basis, complaint, memorandum=next(iter(memorandum), ""))


def _valid(at: ActionContext, pocket: Pocket) -> BallAtRest:
    """A valid spin against the rotor, with the revolutions that were counted before or those that the rules require."""
    figure, round_ = at.here.rulebook.procedure.revolutions, at.here.round
    least = 0 if figure is None else figure.value
    counted = [each.revolutions for each in round_.spin.sightings if each.revolutions is not None] if round_ else []
    turns = next((each for each in counted if each >= least), least or None)
    return BallAtRest(at.table, pocket, turns, opposite=True)


def _at_rest(opposite: bool | None) -> Build:  # noqa: FBT001 - a value of the command
    return lambda at, pocket, turns=None: BallAtRest(at.table, pocket, turns, opposite=opposite)


def _decides(verdict: ReferralDecision) -> Build:
    """Decide a referral; a number, if there is one, precedes the words."""
    return lambda at, *values: DecideReferral(at.table, verdict, values[-1], next(iter(values[:-1]), None))


def _plainly(command: Callable[..., AnyCommand]) -> Build:
    """A command whose fields are the placeholders."""
    return lambda _, *values: command(*values)


def _of_proposal(command: Callable[[Number], AnyCommand]) -> Build:
    """A command about a proposal by its number in the transcript."""
    return lambda at, number: command(Number(number + at.floor.proposals_before))


def _with_words(command: Callable[..., AnyCommand]) -> Build:
    """A command whose fields are the placeholders and the words of the action."""
    return lambda at, *values: command(*values, at.words)


def _at_table(command: Callable[..., AnyCommand], *, words: bool = False) -> Build:
    """A command of a table: the placeholders are its other fields, perhaps with the words of the action."""
    return lambda at, *values: command(at.table, *values, *((at.words,) if words else ()))


def _for_seat(command: Callable[..., AnyCommand], *, words: bool = False) -> Build:
    """A command for the seat of the first placeholder."""
    return lambda at, seat, *values: command(seat_named(seat), *values, *((at.words,) if words else ()))


def _of_terminal(command: Callable[..., AnyCommand]) -> Build:
    """A command of the terminal that acts."""
    return lambda at, *values: command(at.terminal, *values)


def _at_own_drawer(command: Callable[..., AnyCommand]) -> Build:
    """A command at the drawer of the person who acts."""
    return lambda at, *values: command(at.drawer, *values)


def _of_game(command: Callable[..., AnyCommand]) -> Build:
    """A command of a game: the placeholders are its fields after the game, the round and the spin."""
    return lambda at, *values: command(*at.game, *values)


def _place(at: ActionContext, slip: tuple[NotationBet, ...]) -> PlaceBets:
    return PlaceBets(*at.game, tuple((str(wager.on), wager.amount) for wager in slip))


def _other(at: ActionContext) -> TableId:
    """The terminal's other game; its only game when there is no other, which is refused."""
    tables = list(at.seated.games)
    return next((table for table in tables if table != at.table), tables[0])


# Writers of actions


def _once(_event: object, _at: WriteContext) -> Iterable[Values]:
    """An action without placeholders."""
    return ((),)


def _fields(*names: str) -> Write:
    """The placeholders are fields of the event."""
    return lambda event, _: (tuple(getattr(event, name) for name in names),)


def _numbered(name: str, *more: str) -> Write:
    """The first placeholder is the number in this transcript of a record, the others are fields of the event."""
    return lambda event, at: ((at.nth(name, getattr(event, name)), *(getattr(event, each) for each in more)),)


def _where(holds: Callable[[Any], bool], write: Write = _once) -> Write:
    """Write an event only if a condition on it holds."""
    return lambda event, at: write(event, at) if holds(event) else ()


def _seat(terminal: str) -> str:
    """Return the number of a seat."""
    return terminal.removeprefix("seat ")


def _of_seat(*names: str) -> Write:
    """The first placeholder is the seat, the others are fields of the event."""
    return lambda event, _: ((_seat(event.terminal), *(getattr(event, name) for name in names)),)


def _opened(what: str) -> Write:
    """Write an action about a seat only if this transcript opened its subject."""

    def write(event: Any, at: WriteContext) -> Iterable[Values]:  # noqa: ANN401 - an event of a terminal
        at.must_be_open(what, event.terminal)
        return ((_seat(event.terminal),),)

    return write


def _ended(event: SessionEnded, at: WriteContext) -> Iterable[Values]:
    """Write that staff ended a session; new money ends one by itself."""
    return _opened("session")(event, at) if event.reason is SessionEnd.STAFF else ()


def _at_drawer(write: Write, name: str = "drawer") -> Write:
    """Write an action at a drawer: in a transcript it is the actor's own, and was opened in it."""

    def checked(event: Any, at: WriteContext) -> Iterable[Values]:  # noqa: ANN401 - an event at a drawer
        at.must_be_open(getattr(event, name), at.actor)
        return write(event, at)

    return checked


def _payable(*, form: bool) -> Write:
    def write(command: PayPayable, at: WriteContext) -> Iterable[Values]:
        at.must_be_open("payable", command.terminal)
        number = command.form_number if command.form_number.isdecimal() else ""
        values = (_seat(command.terminal), number) if form else (_seat(command.terminal),)
        return (values,) if bool(number) is form else ()

    return _at_drawer(write)


def _limits(command: ChangeSettings, _: WriteContext) -> Iterable[Values]:
    settings = tuple(limit_settings(command.settings.limits))
    return ((settings,),) if settings else ()


def _under_rule(event: DisputeOpened, at: WriteContext) -> Iterable[Values]:
    number = at.nth("round", event.round)
    fits = event.terminal is None and event.position is None
    return ((number, (event.rule, event.words)),) if fits else ()


def _dispute_player(at: ActionContext, number: RoundNumber, player: int, words: str) -> OpenDispute:
    """Dispute the bets of a player with chips."""
    return OpenDispute(at.table, number, None, DisputeBasis.NOT_COVERED, words, position=_player(at, player))


def _at_player(event: DisputeOpened, at: WriteContext) -> Iterable[Values]:
    if event.position is None:
        return ()
    return ((at.nth("round", event.round), at.player(event.position), event.words),)


def _at_seat(*names: str) -> Write:
    def write(event: DisputeOpened, at: WriteContext) -> Iterable[Values]:
        fits = event.terminal is not None and bool(event.memorandum) is ("memorandum" in names)
        texts = (getattr(event, name) for name in names)
        return ((at.nth("round", event.round), _seat(event.terminal or ""), *texts),) if fits else ()

    return write


def _changed(*ways: BetChange) -> Write:
    return _where(lambda event: event.how in ways)


def _each_spot(how: BetChange, values: Callable[[Any, int], Values]) -> Write:
    """Write a change of several spots as an action for each."""
    return _where(lambda event: event.how is how, lambda event, _: [values(*stake) for stake in event.stakes.items()])


def _called(event: BetsClosing, _: WriteContext) -> Iterable[Values]:
    return ((),) if event.why is CloseReason.CALLED else ()


def _moved(event: BetsChanged, at: WriteContext) -> Iterable[Values]:
    if event.how is not BetChange.MOVE:
        return ()
    away = next(spot for spot, amount in event.stakes.items() if amount < at.laid.get(spot, 0))
    return ((away, next(spot for spot in event.spots if spot != away)),)


def _added(event: BetsChanged, at: WriteContext) -> Iterable[Values]:
    """Write any other change as the bets that it adds: their source may be before this round, or at another table."""
    return ((bets_of((spot, amount - at.laid.get(spot, 0)) for spot, amount in event.stakes.items()),),)


def bets_of(stakes: Iterable[tuple[Any, int]]) -> tuple[NotationBet, ...]:
    return tuple(NotationBet(Cents(amount), spot) for spot, amount in stakes)


def _ignored(event: ReportIgnored, at: WriteContext) -> Iterable[Values]:
    """Write a number that the transcript alone ignores again: it has no launch or count from before.

    A number of another spin, while a round waits for its own, is written as the trouble that it is.
    """
    match event.why:
        case IgnoredReason.SPIN_COUNTED | IgnoredReason.ANOTHER_SPIN:
            again = False
        case IgnoredReason.NO_BALL:
            # Before the seal only a number that names its launch is ignored.
            again = at.round is not None and at.round.sealed is not None
        case IgnoredReason.SPIN_CALLED_OFF:
            again = at.loose
        case _:
            again = True
    return ((event.pocket,),) if again else ()


def _plain(event: ResultDeclared, at: WriteContext) -> Iterable[Values]:
    """Write a number that counted at once without the sensor's report, unless an earlier report contradicts it."""
    counted = at.round is not None and any(each.revolutions is not None for each in at.round.spin.sightings)
    return ((event.pocket,),) if event.revolutions is None and not counted else ()


def _rested(*, counted: bool, opposite: bool | None) -> Mapping[Kind, Write]:
    """Write a number with the wheel's report of the spin."""

    def write(event: BallRested | ResultDeclared, at: WriteContext) -> Iterable[Values]:
        plain = isinstance(event, ResultDeclared) and _plain(event, at)
        fits = event.opposite is opposite and (event.revolutions is not None) is counted and not plain
        return ((event.pocket, event.revolutions) if counted else (event.pocket,),) if fits else ()

    return {ResultDeclared: write, BallRested: write}


def _reported(event: IncidentRaised, _: WriteContext) -> Iterable[Values]:
    """Write the number that the wheel reported and an incident was raised about."""
    by_wheel = event.kind not in _NOT_ITS_NUMBER
    return ((event.facts.pocket,),) if by_wheel and event.facts.pocket is not None else ()


#: Incidents about a number that was shown elsewhere, or that another event records.
_NOT_ITS_NUMBER: Final = (
    IncidentKind.DISPLAY_DIFFERS,
    IncidentKind.WHEEL_TROUBLE,
    IncidentKind.NUMBER_IGNORED,
)


def _trouble(event: IncidentRaised, _: WriteContext) -> Iterable[Values]:
    return ((event.facts.reasons[0],),) if event.kind is IncidentKind.WHEEL_TROUBLE else ()


def _noted(kind: IncidentKind) -> Write:
    return _where(lambda event: event.kind is kind, lambda event, _: ((event.facts.text,),))


def _declared(source: ResultSource, *names: str) -> Write:
    return _where(lambda event: event.source is source, _fields(*names))


def _verdict(verdict: ReferralDecision, *names: str) -> Write:
    return _where(lambda event: event.verdict is verdict, _fields(*names))


def _settled_as_reported() -> Write:
    """Write a decision that names no number: the reported one counts."""
    settled = ReferralDecision.SETTLE
    return _where(lambda event: event.verdict is settled and event.pocket is None, _fields("words"))


def _invalidated(*, suspect: bool) -> Mapping[Kind, Write]:
    names = ("reason", "suspect") if suspect else ("reason",)
    write = _where(lambda said: bool(said.suspect) is suspect, _numbered("round", *names))
    return {InvalidateOutcome: write, OutcomeInvalidated: write}


# The table. An action is parsed by the first row whose form matches, and an event is written by the first row for it.

SEAT, WHEEL, SYSTEM, STAFF = ActorRole.SEAT, ActorRole.WHEEL, ActorRole.SYSTEM, ActorRole.STAFF
OPENS_BETS: Final = "opens bets"
WAITS: Final = "waits"
GOES_OFFLINE: Final = "goes dark"

#: A seat's bets, which are notation and not words.
SLIP: Final = Row(SEAT, "SLIP", _place, {BetsChanged: _added})

# fmt: off
_SEAT_ROWS: Final = (
    Row(SEAT, "undo", _of_game(UndoBet), {BetsChanged: _changed(BetChange.UNDO)}),
    Row(SEAT, "clear", _of_game(ClearBets), {BetsChanged: _changed(BetChange.CLEAR)}),
    Row(SEAT, "repeat", _of_game(RepeatBets)),
    Row(SEAT, "double", _of_game(DoubleBets), {BetsChanged: _changed(BetChange.DOUBLE)}),
    Row(SEAT, "neighbors", _of_game(PressNeighbours), {BetsChanged: _changed(BetChange.NEIGHBOURS)}),
    Row(SEAT, "removes SPOT", lambda at, spot: _of_game(RemoveBets)(at, (spot,)),
        {BetsChanged: _each_spot(BetChange.REMOVE, lambda spot, _: (spot,))}),
    Row(SEAT, "changes SPOT to AMOUNT", _of_game(ChangeBet),
        {BetsChanged: _each_spot(BetChange.CHANGE, lambda spot, amount: (spot, amount))}),
    Row(SEAT, "moves SPOT to SPOT", _of_game(MoveBet), {BetsChanged: _moved}),
    SLIP,
    Row(SEAT, "saves pattern N", _of_game(SavePattern)),
    Row(SEAT, "overrides pattern N", _of_game(partial(SavePattern, override=True)),
        {PatternSaved: lambda event, at: ((event.slot,),) if at.laid else ()}),
    Row(SEAT, "recalls pattern N", _of_game(RecallPattern)),
    Row(SEAT, "confirms", _of_game(ConfirmRecall)),
    Row(SEAT, "cancels", _of_game(CancelRecall)),
    Row(SEAT, "copies from table N", lambda at, number: _of_game(CopyBets)(at, table_named(number))),
    Row(SEAT, "auto copy to table N",
        lambda at, number: SetAutoCopy(at.terminal, at.table, table_named(number), on=True)),
    Row(SEAT, "no auto copy", lambda at: SetAutoCopy(at.terminal, at.table, _other(at), on=False)),
    Row(SEAT, "denomination AMOUNT", _of_terminal(ChooseDenomination),
        {DenominationChosen: _fields("denomination")}),
    Row(SEAT, "inserts note AMOUNT", lambda at, value: InsertNote(at.terminal, at.here.rulebook.currency, value),
        {NoteStacked: _fields("value")}),
    Row(SEAT, "inserts note AMOUNT CURRENCY",
        lambda at, value, currency: InsertNote(at.terminal, currency, value)),
    Row(SEAT, "inserts ticket N", lambda at, sequence: InsertTicket(at.terminal, digest_of(sequence)),
        {TicketRedeemed: _numbered("sequence")}),
    Row(SEAT, "collects", lambda at: Collect(at.terminal, at.validation)),
    Row(SEAT, "collects as MEANS", lambda at, means: Collect(at.terminal, at.validation, means),
        {TicketIssued: _fields("form")}),
    Row(SEAT, "prints slip N", _of_terminal(ConfirmPrint), {TicketPrinted: _numbered("sequence")}),
    Row(SEAT, GOES_OFFLINE, _of_terminal(ReportTerminalLost), {TerminalLost: _once}),
    Row(SEAT, "comes back", _of_terminal(ReportTerminalReturned), {TerminalReturned: _once}),
    Row(SEAT, "shows credit AMOUNT", lambda at, credit: ReportDisplay(at.terminal, credit=credit)),
    Row(SEAT, "shows number POCKET", lambda at, number: ReportDisplay(at.terminal, number=number)),
)

_WHEEL_ROWS: Final = (
    Row(WHEEL, "draws DRAWN", _at_table(DrawMultiples), {MultiplesDrawn: _fields("multiples")}),
    Row(WHEEL, "launches the ball, wheel still", lambda at: BallLaunched(at.table, turning=False),
        {BallSpun: _where(lambda event: event.turning is False)}),
    Row(
        WHEEL,
        "launches the ball with the wheel",
        lambda at: BallLaunched(at.table, opposite=False, turning=True),
        {BallSpun: _where(lambda event: event.opposite is False)},
    ),
    Row(WHEEL, "launches the ball", lambda at: BallLaunched(at.table, opposite=True, turning=True),
        {BallSpun: _once}),
    Row(WHEEL, "ball leaves the track", _at_table(BallLeftTrack),
        {BallFell: _where(lambda event: event.revolutions is None)}),
    Row(WHEEL, "ball leaves the track after TIMES revolutions", _at_table(BallLeftTrack),
        {BallFell: _fields("revolutions")}),
    Row(WHEEL, "POCKET after TIMES revolutions", _at_rest(opposite=True), _rested(counted=True, opposite=True)),
    Row(WHEEL, "POCKET after TIMES revolutions with the wheel", _at_rest(opposite=False),
        _rested(counted=True, opposite=False)),
    Row(WHEEL, "POCKET after TIMES revolutions, direction unseen", _at_rest(opposite=None),
        _rested(counted=True, opposite=None)),
    Row(WHEEL, "POCKET with the wheel", _at_rest(opposite=False), _rested(counted=False, opposite=False)),
    Row(WHEEL, "POCKET against the wheel", _at_rest(opposite=True), _rested(counted=False, opposite=True)),
    Row(WHEEL, "POCKET unseen", _at_rest(opposite=None), _rested(counted=False, opposite=None)),
    Row(
        WHEEL,
        "POCKET",
        _valid,
        {
            ReportIgnored: _ignored,
            ResultDeclared: _plain,
            IncidentRaised: _reported,
        },
    ),
    Row(WHEEL, "trouble REASON", _at_table(WheelTrouble), {IncidentRaised: _trouble}),
    Row(WHEEL, "falls silent", lambda at: WheelTrouble(at.table, Reason.MALFUNCTION, silent=True),
        {IncidentRaised: _where(lambda event: event.kind is IncidentKind.WHEEL_SILENT)}),
)
# fmt: on


def _malfunction_rows(role: ActorRole) -> tuple[Row, ...]:
    return (
        Row(role, "malfunction seat N FAULT", _for_seat(RaiseMalfunction, words=True)),
        Row(
            role,
            "malfunction seat N FAULT WORDS",
            _for_seat(RaiseMalfunction),
            {MalfunctionRaised: _of_seat("fault", "words")},
        ),
        Row(role, "malfunction", _at_table(RaiseSystemMalfunction, words=True)),
        Row(
            role,
            "malfunction DOUBT",
            _at_table(RaiseSystemMalfunction),
            {IncidentRaised: _noted(IncidentKind.MALFUNCTION)},
        ),
    )


# fmt: off
_SYSTEM_ROWS: Final = (
    Row(SYSTEM, "recovers", lambda _: Recover(), {HouseRecovered: _once}),
    *_malfunction_rows(SYSTEM),
    Row(SYSTEM, OPENS_BETS, _at_table(OpenBets), {BetsOpened: _once}),
    Row(SYSTEM, "no more bets", _at_table(CloseBets),
        {FinishCalled: _once, BetsClosing: _called}),
    Row(SYSTEM, WAITS, lambda _: None),
    Row(SYSTEM, "begins day DATE", _plainly(Tick), {DayBegan: _fields("day")}),
    Row(SYSTEM, "software WORD", _plainly(ReportBuild), {BuildReported: _fields("version")}),
    Row(SYSTEM, "approves software WORD", _with_words(ApproveBuild), {BuildApproved: _fields("version")}),
    Row(SYSTEM, "board shows POCKET", _at_table(ReportBoard)),
)

_ROUND_ROWS: Final = (
    Row(STAFF, "approves N", _of_proposal(Approve), {ProposalApproved: _numbered("proposal")}),
    Row(STAFF, "withdraws N", _of_proposal(Withdraw), {ProposalWithdrawn: _numbered("proposal")}),
    Row(STAFF, "decides void WORDS", _decides(ReferralDecision.VOID),
        {ReferralDecided: _verdict(ReferralDecision.VOID, "words")}),
    Row(STAFF, "decides settle as reported WORDS", _decides(ReferralDecision.SETTLE),
        {ReferralDecided: _settled_as_reported()}),
    Row(STAFF, "decides settle POCKET WORDS", _decides(ReferralDecision.SETTLE),
        {ReferralDecided: _verdict(ReferralDecision.SETTLE, "pocket", "words")}),
    Row(STAFF, "decides go on WORDS", _decides(ReferralDecision.GO_ON),
        {ReferralDecided: _verdict(ReferralDecision.GO_ON, "words")}),
    Row(STAFF, "notes WORDS", _at_table(NoteIncident),
        {IncidentRaised: _noted(IncidentKind.NOTED)}),
    *_malfunction_rows(STAFF),
    Row(STAFF, OPENS_BETS, _at_table(OpenBets), {BetsOpened: _once}),
    Row(STAFF, "finish betting", _at_table(FinishBetting), {FinishCalled: _once}),
    Row(STAFF, "no more bets", _at_table(CloseBets), {BetsClosing: _called}),
    Row(STAFF, "spins", _at_table(SpinBall), {BallSpun: _once}),
    Row(STAFF, "confirms POCKET", _at_table(ConfirmResult),
        {ResultDeclared: _declared(ResultSource.DEALER, "pocket")}),
    Row(STAFF, "enters POCKET and POCKET", _at_table(EnterResult),
        {ResultDeclared: _declared(ResultSource.ENTERED, "pocket", "pocket")}),
    Row(
        STAFF,
        "no spin REASON, ball removed",
        lambda at, reason: CallNoSpin(at.table, reason, at.words, ball_removed=True),
        {SpinVoided: _where(lambda event: event.ball_removed, _fields("reason"))},
    ),
    Row(STAFF, "no spin REASON after rest",
        lambda at, reason: CallNoSpin(at.table, reason, at.words, before_rest=False)),
    Row(STAFF, "resets", _at_table(ResetTerminals), {TerminalsReset: _once}),
    Row(STAFF, "attests POCKET", _at_table(AttestResult, words=True), {AttestResult: _fields("pocket")}),
    Row(STAFF, "corrects round N to POCKET", _at_table(CorrectResult, words=True),
        {CorrectResult: _numbered("round", "pocket")}),
    Row(STAFF, "invalidates round N REASON", _at_table(InvalidateOutcome, words=True),
        _invalidated(suspect=False)),
    Row(
        STAFF,
        "invalidates round N REASON WORDS",
        lambda at, number, reason, suspect: InvalidateOutcome(at.table, number, reason, at.words, suspect),
        _invalidated(suspect=True),
    ),
    Row(STAFF, "holds round", lambda at: HoldRound(at.table), {RoundHeld: _once}),
    Row(STAFF, "releases round", lambda at: ReleaseHold(at.table), {HoldReleased: _once}),
    Row(STAFF, "refers WORDS", _at_table(ReferRound),
        {RoundSuspended: _where(lambda event: event.reason is Reason.NOT_COVERED, _fields("words"))}),
    Row(
        STAFF,
        "no spin REASON",
        _at_table(CallNoSpin, words=True),
        {
            SpinVoided: _fields("reason"),
            RoundSuspended: _fields("reason"),
            RoundVoided: _fields("reason"),
        },
    ),
)

_RECORD_ROWS: Final = (
    Row(STAFF, "acts as TITLE from TIME to TIME",
        lambda at, title, begins, ends: AppointActing(at.person, title, begins, ends)),
    Row(STAFF, "limits SETTINGS", _change, {ChangeSettings: _limits}),
    Row(STAFF, "confirms bets of case N", lambda at, case: ConfirmBets(case, at.record_of(case)),
        {BetsConfirmed: _numbered("case")}),
    Row(STAFF, "confirms bets of case N by another record", lambda _, case: ConfirmBets(case, "")),
    Row(STAFF, "voids bets of case N", _with_words(VoidBets), {VoidBets: _numbered("case")}),
    Row(STAFF, "clears case N", _plainly(ClearCase), {CaseCleared: _numbered("case")}),
    Row(STAFF, "clears line loss N", _at_table(ClearLineLoss), {LineLossCleared: _numbered("case")}),
    Row(STAFF, "clears incident N", _plainly(ClearIncident), {IncidentCleared: _numbered("incident")}),
    Row(STAFF, "notifies officer of table", _at_table(NotifyOfficer, words=True),
        {OfficerNotified: _where(lambda event: event.subject == FIRST)}),
    Row(STAFF, "notifies officer of seat N", _for_seat(NotifyOfficer, words=True),
        {OfficerNotified: lambda event, _: ((_seat(event.subject),),)}),
    Row(STAFF, "closes table", _at_table(CloseTable, words=True), {TableClosed: _once}),
    Row(STAFF, "reopens table", _at_table(ReopenTable), {TableReopened: _once}),
    Row(STAFF, "closes seat N", _for_seat(CloseTerminal, words=True), {TerminalClosed: _of_seat()}),
    Row(STAFF, "reopens seat N", _for_seat(ReopenTerminal), {TerminalReopened: _opened("closed")}),
    Row(STAFF, "ends session of seat N", _for_seat(EndSession), {SessionEnded: _ended}),
    Row(STAFF, "arranges straight up for seat N", lambda at, seat: _arrange(at, _seat_position(at, seat))),
    Row(STAFF, "ends arrangement of seat N", lambda at, seat: _end_arrangement(at, _seat_position(at, seat))),
    Row(STAFF, "arranges straight up for player N", lambda at, number: _arrange(at, _player(at, number))),
    Row(STAFF, "arranges SETTINGS for player N", _arrange_limits),
    Row(STAFF, "ends arrangement of player N", lambda at, number: _end_arrangement(at, _player(at, number))),
    Row(STAFF, "disputes round N seat N by memorandum WORD WORDS", _dispute,
        {DisputeOpened: _at_seat("memorandum", "words")}),
    Row(STAFF, "disputes round N seat N WORDS", _dispute, {DisputeOpened: _at_seat("words")}),
    Row(STAFF, "disputes round N player N WORDS", _dispute_player, {DisputeOpened: _at_player}),
    Row(STAFF, "disputes round N under CITED", _dispute_under, {DisputeOpened: _under_rule}),
    Row(STAFF, "decides dispute N WORDS", _plainly(DecideDispute),
        {DisputeDecided: _numbered("dispute", "decision")}),
    Row(STAFF, "advises dispute N", _plainly(AdviseComplainant),
        {ComplainantAdvised: _numbered("dispute")}),
    Row(STAFF, "requests review N", lambda _, dispute: RequestReview(dispute, by_house=False),
        {ReviewRequested: _where(lambda event: not event.by_house, _numbered("dispute"))}),
    Row(STAFF, "requests review N for the house", lambda _, dispute: RequestReview(dispute, by_house=True),
        {ReviewRequested: _numbered("dispute")}),
    Row(STAFF, "records review N WORDS", _plainly(RecordReview),
        {ReviewRecorded: _numbered("dispute", "outcome")}),
    Row(STAFF, "closes dispute N resolved", lambda _, dispute: CloseDispute(dispute, resolved=True),
        {DisputeClosed: _where(lambda event: event.resolved, _numbered("dispute"))}),
    Row(STAFF, "closes dispute N unresolved", lambda _, dispute: CloseDispute(dispute, resolved=False),
        {DisputeClosed: _numbered("dispute")}),
)

_CASH_ROWS: Final = (
    Row(STAFF, "voids slip N", _with_words(VoidTicket), {VoidTicket: _numbered("sequence")}),
    Row(STAFF, "reprints slip N", _with_words(ReprintTicket), {ReprintTicket: _numbered("sequence")}),
    Row(STAFF, "lost slip N", _with_words(ReportLost), {TicketReportedLost: _numbered("sequence")}),
    Row(STAFF, "pays slip N", lambda at, sequence: RedeemTicket(at.drawer, digest_of(sequence)),
        {TicketRedeemed: _at_drawer(_numbered("sequence"), "place")}),
    Row(STAFF, "pays slip N saying AMOUNT",
        lambda at, sequence, said: RedeemTicket(at.drawer, digest_of(sequence), said)),
    Row(STAFF, "opens drawer AMOUNT", _at_own_drawer(OpenDrawer), {DrawerOpened: _fields("float_")}),
    Row(STAFF, "takes AMOUNT for seat N", lambda at, amount, seat: BuyIn(seat_named(seat), at.drawer, amount),
        {BoughtIn: _at_drawer(lambda event, _: ((event.amount, _seat(event.terminal)),))}),
    Row(STAFF, "fills drawer AMOUNT", _at_own_drawer(FillDrawer),
        {FillDrawer: _at_drawer(_fields("amount"))}),
    Row(STAFF, "drops AMOUNT from drawer", _at_own_drawer(DropDrawer),
        {DropDrawer: _at_drawer(_fields("amount"))}),
    Row(STAFF, "counts drawer AMOUNT", _at_own_drawer(CountDrawer),
        {DrawerCounted: _at_drawer(_fields("counted"))}),
    Row(STAFF, "closes drawer", _at_own_drawer(CloseDrawer), {CloseDrawer: _at_drawer(_once)}),
    Row(
        STAFF,
        "records form WORD for WORDS hold N",
        lambda at, form, patron, hold: RecordTaxForm(at.holder_of(hold), hold, patron, form),
        {TaxFormRecorded: lambda event, at: ((event.form_number, event.patron, at.nth("hold", event.hold)),)},
    ),
    Row(STAFF, "releases hold N", lambda at, hold: ReleaseHeldWin(at.holder_of(hold), hold),
        {HeldWinReleased: _numbered("hold")}),
    Row(STAFF, "pays hold N", lambda at, hold: PayHeldWin(at.holder_of(hold), hold, at.drawer),
        {HeldWinPaid: _at_drawer(_numbered("hold"))}),
    Row(STAFF, "pays payable of seat N", _pay_payable, {PayPayable: _payable(form=False)}),
    Row(STAFF, "pays payable of seat N form N", _pay_payable, {PayPayable: _payable(form=True)}),
    Row(STAFF, "adjusts seat N by SIGNED", _for_seat(AdjustCredit, words=True),
        {AdjustCredit: _of_seat("amount")}),
)
# fmt: on

_LIVE_ROWS: Final = tuple(Row(*each) for each in LIVE_ROWS)

# At a live table the dolly confirms a number too, so these rows come before those of a round.
ACTIONS: Final = (*_SEAT_ROWS, *_WHEEL_ROWS, *_SYSTEM_ROWS, *_LIVE_ROWS, *_ROUND_ROWS, *_RECORD_ROWS, *_CASH_ROWS)

ROWS: Final = {role: tuple(row for row in ACTIONS if row.role is role) for role in ActorRole}


def _by_kind(rows: Iterable[Row]) -> Mapping[Kind, list[Row]]:
    """Group rows by the type that is written as them, in the order of the table."""
    kinds: dict[Kind, list[Row]] = {}
    for row in rows:
        for kind in row.write:
            kinds.setdefault(kind, []).append(row)
    return kinds


_WRITERS: Final = {role: _by_kind(rows) for role, rows in ROWS.items()}
