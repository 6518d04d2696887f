"""Public table view, statistics, and the dealer's steps of a round."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass, field
from functools import lru_cache
from math import comb
from typing import Final, NamedTuple

import msgspec
from msgspec.structs import replace as with_

from croupier.engine.run import Run
from croupier.house import House
from croupier.house.blockers import clause_of
from croupier.house.declare import EVENTS, Command, Event, Part, RoundEvent
from croupier.house.floor.settings import pending_settings
from croupier.house.ids import RoundNumber, TableId, TerminalId
from croupier.house.rounds.closing import (
    BetsSealed,
    CloseBets,
    FinishBetting,
    may_close_idle,
    needs_warning,
    next_opening,
    opens_at,
    warned_at,
)
from croupier.house.rounds.draws import current_draw
from croupier.house.rounds.irregularities import CallNoSpin, ResetTerminals
from croupier.house.rounds.multipliers import awaits_multiples
from croupier.house.rounds.opening import OpenBets, opening_objection
from croupier.house.rounds.progressive import pots_shown
from croupier.house.rounds.referrals import ReleaseHold
from croupier.house.rounds.results import ConfirmResult, EnterResult, ObservedSpin, dealt
from croupier.house.rounds.spinning import SpinBall
from croupier.house.settings import EffectiveLimits, TableSettings, WheelKind
from croupier.house.state.tables import (
    BETTING_PHASES,
    BallState,
    BettingState,
    Phase,
    Round,
    RoundStatus,
    StepName,
    Table,
)
from croupier.house.views import prescribed_text, table_message
from croupier.protocol import outbound
from croupier.protocol.outbound import DrawState, Notice, TableState, project
from croupier.protocol.staff import StepActor, StepRow
from croupier.protocol.terminal import cited
from croupier.rules.geometry import Geometry, Pocket, SpotKey
from croupier.rules.procedure import CloseRule, MessageKind
from croupier.rules.rulebook import Rulebook
from croupier.words import first_text, recovery_reports, say


def notices(run: Run) -> dict[TableId, Notice]:
    """Return the recovery notices of tables whose round was interrupted; none for those the start left unchanged."""
    reports = recovery_reports(tuple(entry.event for entry in run.recovery.entries))
    return {
        table: Notice(
            each.round, f"recovered_{each.action}", "", each.clause, say("recovery.notice", {"done": each.done})
        )
        for table, each in reports.items()
        if each.action
    }


def supersedes_notice(event: Event, table: TableId, notice: Notice) -> bool:
    """Return whether an event makes a recovery notice obsolete: that round continued, or the next one was closed."""
    if not isinstance(event, RoundEvent) or Part.TERMINALS not in EVENTS[type(event)].touches or event.table != table:
        return False
    return event.round == notice.round or (event.round > notice.round and isinstance(event, BetsSealed))


#: Returns the felt of a terminal or, without one, of a table.
FeltOf = Callable[[House, TableId, TerminalId | None], str]


#: Rounds and their numbers, the newest first.
Spins = tuple[tuple[RoundNumber, Pocket], ...]


@dataclass(slots=True)
class TableViews:
    """Every table as it was last published, with its version."""

    house: House
    felt_of: FeltOf
    #: The recovery notices, until the round has continued.
    recovered: dict[TableId, Notice]
    published: dict[TableId, tuple[int, TableState]] = field(default_factory=dict)
    #: The numbers of past spins with their rounds, as they were last published.
    spins: dict[TableId, Spins] = field(default_factory=dict)
    #: The rulebook, the settings and the limits of each table when it was last published.
    played_by: dict[TableId, tuple[Rulebook, TableSettings, EffectiveLimits]] = field(default_factory=dict)

    def build(self, name: TableId) -> outbound.TableUpdate:
        """Build the next version of a table."""
        state = table_view(self.house, name, self.felt_of(self.house, name, None), self.recovered.get(name))
        version = self.published[name][0] + 1 if name in self.published else 1
        self.published[name] = version, state
        table = self.house.tables[name]
        self.played_by[name] = table.rulebook, table.settings, table.effective_limits
        self.spins[name] = tuple(table.history)
        return outbound.TableUpdate(tv=version, state=state)

    def plays_anew(self, name: TableId) -> bool:
        """Return whether the rules or limits of a table have changed since it was last published."""
        if name not in self.played_by:
            return False
        table, (rulebook, settings, limits) = self.house.tables[name], self.played_by[name]
        shown = settings.net_win == table.settings.net_win and rulebook.digest == table.rulebook.digest
        return not shown or limits is not table.effective_limits

    def on_event(self, events: Iterable[Event]) -> None:
        """Remove recovery notices whose round has continued."""
        for event in events if self.recovered else ():
            self.recovered = {
                name: each for name, each in self.recovered.items() if not supersedes_notice(event, name, each)
            }


def table_view(house: House, name: TableId, felt: str, recovered: Notice | None) -> TableState:
    """Return the public view of a table; a recovery notice takes precedence over the notice of the round."""
    table = house.tables[name]
    round_ = table.round
    result = None if round_ is None or round_.invalidated else round_.result
    return TableState(
        table=name,
        rulebook=table.rulebook.id,
        felt=felt,
        phase=table.phase,
        round=table.rounds,
        spin=1 if round_ is None else round_.spin.number,
        says=table_message(table),
        closes_at=None if round_ is None else round_.closes_at,
        launched_at=None if round_ is None else round_.spin.launched_at,
        pocket=None if result is None else result.pocket,
        corrected=round_.corrected[-1] if round_ is not None and round_.corrected else None,
        number_at=None if result is None else result.number_at,
        draw=None if round_ is None else draw_state(table),
        multiples={} if round_ is None else {str(number): pays for number, pays in round_.multiples.items()},
        pots=pots_shown(house, table),
        numbers=table.numbers[: table.settings.history_shown],
        closed=table.closed,
        random=table.settings.wheel is WheelKind.RANDOM,
        wheel=table.settings.wheel,
        notice=recovered or _notice(table, round_),
    )


def draw_state(table: Table) -> DrawState | None:
    """Return the draw of the spin, where draws are proven; its secret only once the number counts."""
    draw, pocket = current_draw(table), table.playing.pocket
    if draw is None:
        return None
    return project(
        DrawState,
        draw,
        rulebook=table.rulebook.id,
        table=table.id,
        committed={str(position): each for position, each in draw.committed.items()},
        revealed={str(position): each for position, each in draw.revealed.items()},
        secret=None if pocket is None else draw.secret,
        pocket=pocket,
        multiples=dict(table.playing.multiples),
    )


def _notice(table: Table, round_: Round | None) -> Notice | None:
    """Return the notice of a round that is not simply played to its end."""
    if round_ is None:
        return None
    standing = "no_spin" if round_.no_spin else "invalidated" if round_.invalidated else round_.status
    standing = "held" if round_.is_held else standing
    words = _NOTICES.get(standing)
    if words is None:
        return None
    reason = "" if round_.reason is None else round_.reason.value
    return Notice(table.rounds, standing, reason, round_.clause, words)


#: The text of a table and the pit for a round that awaits a decision.
SUSPENDED: Final = "The round is suspended until a person decides it."
_NOTICES: Final[Mapping[str, str]] = {
    "no_spin": "This spin does not count.",
    "held": "The round is held while staff look at the spin.",
    "invalidated": "The outcome was taken back: every stake went back.",
    RoundStatus.SUSPENDED: SUSPENDED,
    RoundStatus.VOID: "The round is void: every stake went back.",
}


#: How many hot numbers are listed, and how many cold ones; and after how many spins for each pocket of the wheel, as
#: fewer would name almost any number hot or cold.
NAMED: Final = 4
SPINS_PER_POCKET: Final = 2
#: Chance alone gives a count below the band one time in so many at most, and above it likewise: 95 % lie within.
TAIL: Final = 40


class Count(msgspec.Struct, frozen=True, kw_only=True):
    """How often something has come; and between which counts chance alone stays 95 times in 100."""

    count: int
    low: int
    high: int


class GroupCount(Count, frozen=True):
    """The same of several numbers together."""

    #: The name of the bet on them, or green.
    group: str


class NumberStatistics(msgspec.Struct, frozen=True, kw_only=True):
    """The numbers of a table's past spins, counted. Past results do not change the odds."""

    table: str
    spins: int
    pockets: dict[Pocket, Count]
    groups: tuple[GroupCount, ...]
    #: Those that have come most, the first the most; of two that came as often the one that came last. None before
    #: there are two spins for each pocket.
    hot: tuple[Pocket, ...]
    #: Those that have come least, the first the least; of two that came as often the one that is longest away. None
    #: before there are two spins for each pocket.
    cold: tuple[Pocket, ...]


def tally(table: TableId, rulebook: Rulebook, spins: Spins) -> NumberStatistics:
    """Count the numbers; those from when the table had another wheel are left out."""
    came = [pocket for _, pocket in spins if pocket in rulebook.wheel.order]
    counted, wheel = Counter(came), len(rulebook.pockets)
    enough = len(came) >= SPINS_PER_POCKET * wheel
    bands = {size: band(len(came), size, wheel) for size in {1, *map(len, _groups(rulebook).values())}}
    return NumberStatistics(
        table=table,
        spins=len(came),
        pockets={pocket: Count(count=counted[pocket], **bands[1]._asdict()) for pocket in rulebook.pockets},
        groups=tuple(
            GroupCount(group=name, count=sum(counted[each] for each in numbers), **bands[len(numbers)]._asdict())
            for name, numbers in _groups(rulebook).items()
        ),
        hot=tuple(sorted(counted, key=lambda pocket: (-counted[pocket], came.index(pocket)))[:NAMED]) if enough else (),
        cold=_cold(rulebook.pockets, came, counted) if enough else (),
    )


def _cold(pockets: tuple[Pocket, ...], came: list[Pocket], counted: Mapping[Pocket, int]) -> tuple[Pocket, ...]:
    """Return the numbers that have come least often."""
    away = {pocket: came.index(pocket) if pocket in counted else len(came) for pocket in pockets}
    ordered = sorted(pockets, key=lambda pocket: (counted.get(pocket, 0), -away[pocket]))
    return tuple(ordered[:NAMED])


#: The outside bets of most layouts, in the order in which pages show them.
_BETS: Final = (
    *("red", "black", "even", "odd", "low", "high"),
    *(f"dozen {place}" for place in (1, 2, 3)),
    *(f"column {place}" for place in (1, 2, 3)),
)


def _groups(rulebook: Rulebook) -> dict[str, Collection[Pocket]]:
    """Return the bets on several numbers, in the order in which pages show them, and the zeros."""
    printed = {bet: numbers for kind in rulebook.kinds for bet, numbers in kind.boxes.items()}
    usual = {name: printed[SpotKey(name)] for name in _BETS if set(printed[SpotKey(name)]) <= set(rulebook.pockets)}
    own = {str(spot.key): spot.numbers for spot in rulebook.spots.values() if spot.at is Geometry.BOX}
    return {**usual, **{name: own[name] for name in own if name not in usual}, "green": rulebook.wheel.zeros}


class ConfidenceBand(NamedTuple):
    """The lowest and the highest count that chance gives in all but few cases."""

    low: int
    high: int


@lru_cache(maxsize=1_024)
def band(spins: int, numbers: int, wheel: int) -> ConfidenceBand:
    """Compute the band of a count exactly: at most one time in forty is below it, and one in forty above."""
    every = wheel**spins
    below, low, high = 0, 0, 0
    for count in range(spins + 1):
        # How many of all possible sequences of these spins give this count.
        ways = comb(spins, count) * numbers**count * (wheel - numbers) ** (spins - count)
        if below * TAIL <= every:
            low = count
        if (every - below) * TAIL > every:
            high = count
        below += ways
    return ConfidenceBand(low, high)


def name_of(step: StepName, by: StepActor) -> str:
    """Return the name of a step, by the actor who takes it."""
    return first_text([*([f"step-wheel.{step}"] if by is StepActor.WHEEL else []), f"step.{step}"], {})


#: The occasions for which the rules may fix words, the dealer's own call first.
_OCCASIONS: Final = {
    StepName.OPEN: (MessageKind.OPEN,),
    StepName.WARN: (MessageKind.FINISH_BETTING,),
    StepName.CLOSE: (MessageKind.CLOSED_CALL, MessageKind.CLOSED),
    StepName.NO_SPIN: (MessageKind.NO_SPIN,),
    StepName.RESET: (MessageKind.NO_SPIN,),
}


def announcement(table: Table, step: StepName) -> str:
    """Return the words that the rules fix for a step."""
    return next(filter(None, (prescribed_text(table, each) for each in _OCCASIONS.get(step, ()))), "")


class CommandForm(NamedTuple):
    """A command that may be sent, and its fields that are to be filled in."""

    command: Command | None = None
    fields: tuple[str, ...] = ()


def steps(house: House, table: Table) -> tuple[StepRow, ...]:
    """Return the steps of the running round or, between two rounds, of the next one."""
    if table.round is None or table.round.over:
        rulebook, settings = pending_settings(house, table)
        # The table as it will be in its next round.
        coming = copy(table)
        coming.rulebook, coming.settings = rulebook, settings
        return tuple(_to_come(house, coming))
    return tuple(_running(table, table.round))


def safe_to_spin(table: Table) -> bool:
    """Return whether the ball may be spun over sealed bets: the stakes are committed, and cannot change."""
    round_ = table.round
    sealed = round_ is not None and round_.phase is Phase.CLOSED and round_.sealed is not None
    return sealed and not awaits_multiples(table)


def _to_come(house: House, table: Table) -> Iterator[StepRow]:
    """Return the steps of a round that has not begun: the first opens it, once nothing blocks that."""
    objection = opening_objection(house, table, next_opening(table))
    for each in _order(table, None):
        row = _row(table, each, _by(table, None, each))
        if each is not StepName.OPEN:
            yield row
        elif objection is not None:
            yield with_(row, next=True, waits=cited(objection))
        else:
            yield with_(row, next=True, due_us=opens_at(table), command=OpenBets(table.id))


def _running(table: Table, round_: Round) -> Iterator[StepRow]:
    """Return the steps: those already taken, then what blocks the others, and then the others."""
    rows = [_row(table, each, _by(table, round_, each)) for each in _order(table, round_)]
    left = [row for row in rows if not _taken(table, round_, row.step)]
    yield from (with_(row, at_us=_at(round_, row.step)) for row in rows if row not in left)
    obstacle = _obstacle(table, round_)
    if obstacle is not None:
        yield with_(obstacle, next=True)
        yield from left
        return
    for row in left:
        asks = _asks(table, round_, row.step)
        due = _due(table, round_, row.step)
        yield with_(row, next=row is left[0], due_us=due, command=asks.command, asks=asks.fields)


def _order(table: Table, round_: Round | None) -> Iterator[StepName]:
    yield StepName.OPEN
    close = (*((StepName.WARN,) if needs_warning(table) else ()), StepName.CLOSE)
    yield from (StepName.SPIN, *close) if _spins_first(table, round_) else (*close, StepName.SPIN)
    yield StepName.NUMBER
    reported = round_ is not None and round_.spin.reported is not None
    if table.settings.wheel is WheelKind.SENSOR and (table.settings.confirms or dealt(table) or reported):
        yield StepName.CONFIRM
    yield StepName.SETTLE


def _spins_first(table: Table, round_: Round | None) -> bool:
    """Return whether the ball runs before betting closes: by the rules, or by the dealer of this round."""
    if table.rulebook.procedure.closes.choice in (CloseRule.DURING_SPIN, CloseRule.AFTER_LAUNCH):
        return True
    if round_ is None or round_.spin.launched_at is None:
        return False
    return round_.betting is not BettingState.CLOSED or round_.spin.launched_at < (round_.closed_at or 0)


def _taken(table: Table, round_: Round, step: StepName) -> bool:
    match step:
        case StepName.OPEN:
            return True
        case StepName.WARN:
            return round_.betting is not BettingState.OPEN
        case StepName.CLOSE:
            return round_.betting is BettingState.CLOSED
        case StepName.SPIN:
            return round_.ball is not BallState.IDLE
        case StepName.NUMBER:
            # A number that a random wheel has drawn is hidden until it counts.
            return round_.spin.reported is not None and table.settings.wheel is not WheelKind.RANDOM
        case _:
            return False


def _at(round_: Round, step: StepName) -> int | None:
    return {
        StepName.OPEN: round_.opened_at,
        StepName.WARN: round_.warned_at,
        StepName.CLOSE: round_.closed_at,
        StepName.SPIN: round_.spin.launched_at,
        StepName.NUMBER: round_.spin.rested_at,
    }[step]


def _by(table: Table, round_: Round | None, step: StepName) -> StepActor:
    """Return who takes a step at this table."""
    settings, closes = table.settings, table.rulebook.procedure.closes.choice
    timed = settings.betting_s is not None if round_ is None else round_.closes_at is not None
    reported = round_ is not None and round_.spin.reported is not None
    dealers = {
        StepName.OPEN: settings.pause_s is None,
        StepName.WARN: not timed,
        StepName.CLOSE: not (timed or needs_warning(table) or closes is CloseRule.AFTER_LAUNCH),
        StepName.SPIN: dealt(table),
        StepName.NUMBER: settings.wheel is WheelKind.KEYPAD,
        StepName.CONFIRM: settings.confirms or reported,
        StepName.SETTLE: False,
    }
    if dealers[step]:
        return StepActor.DEALER
    return StepActor.WHEEL if step in (StepName.SPIN, StepName.NUMBER) else StepActor.AUTO


def _due(table: Table, round_: Round, step: StepName) -> int | None:
    """Return when a step is taken automatically, if that is known."""
    closes_at = round_.closes_at
    match step:
        case StepName.WARN:
            return None if closes_at is None else warned_at(table, round_, closes_at)
        case StepName.CLOSE:
            return closes_at
        case StepName.SPIN:
            return round_.launches_at
        case _:
            return None


def _asks(table: Table, round_: Round, step: StepName) -> CommandForm:
    """Return the command that the dealer may send, as the house would accept it now."""
    match step:
        case StepName.WARN:
            return CommandForm(FinishBetting(table.id))
        case StepName.CLOSE if _may_close(table, round_):
            return CommandForm(CloseBets(table.id))
        case StepName.SPIN if _may_spin(table, round_):
            return CommandForm(SpinBall(table.id))
        case StepName.NUMBER if round_.phase is Phase.RUNNING:
            return _names(table, round_)
        case StepName.CONFIRM if round_.spin.reported is not None:
            return CommandForm(
                ConfirmResult(table.id, round_.spin.reported, round=round_.number, spin=round_.spin.number)
            )
        case _:
            return CommandForm()


def _names(table: Table, round_: Round) -> CommandForm:
    """Return how a dealer enters the number of a running ball: once, or twice if it was not displayed."""
    none, number, spin = Pocket(""), round_.number, round_.spin.number
    if table.settings.wheel is WheelKind.KEYPAD:
        return CommandForm(ConfirmResult(table.id, none, round=number, spin=spin), ("pocket",))
    if not dealt(table):
        return CommandForm()
    return CommandForm(EnterResult(table.id, none, none, round=number, spin=spin), ("pocket", "again"))


def _may_close(table: Table, round_: Round) -> bool:
    if round_.phase not in BETTING_PHASES or table.rulebook.procedure.closes.choice is CloseRule.AFTER_LAUNCH:
        return False
    warned = round_.betting is BettingState.LAST_CALL or not needs_warning(table)
    return warned and (round_.ball is not BallState.IDLE or may_close_idle(table))


def _may_spin(table: Table, round_: Round) -> bool:
    before = table.rulebook.procedure.closes.choice is CloseRule.BEFORE_SPIN
    closed = round_.betting is BettingState.CLOSED or not before
    return dealt(table) and round_.phase is not Phase.NO_SPIN and closed and not awaits_multiples(table)


def _obstacle(table: Table, round_: Round) -> StepRow | None:
    """Return the step that must be taken before the round continues, if there is one."""
    if round_.is_held:
        release = ReleaseHold(table.id, round=round_.number, spin=round_.spin.number)
        row = _row(table, StepName.NO_SPIN, StepActor.DEALER)
        return with_(row, command=release, due_us=round_.decide_by, clause=round_.clause or row.clause)
    if round_.status is RoundStatus.SUSPENDED:
        row = _row(table, StepName.DECIDE, StepActor.PIT)
        return with_(row, due_us=round_.decide_by, clause=round_.clause or row.clause)
    if round_.no_spin:
        return with_(_row(table, StepName.RESET, StepActor.DEALER), command=ResetTerminals(table.id))
    if round_.spin.interrupted:
        return _row(table, StepName.ATTEST, StepActor.PIT)
    wrong = ObservedSpin.of(round_).judged(table) if round_.ball is not BallState.IDLE else None
    if wrong is None:
        return None
    call = CallNoSpin(table.id, wrong.reason, round=round_.number, spin=round_.spin.number)
    return with_(_row(table, StepName.NO_SPIN, StepActor.DEALER), command=call, clause=wrong.clause)


def _row(table: Table, step: StepName, by: StepActor) -> StepRow:
    """Build a step by the rules, before its state is known."""
    return StepRow(
        step=step,
        words=name_of(step, by),
        says=announcement(table, step),
        clause=clause_of(table.rulebook, step),
        by=by,
        at_us=None,
        due_us=None,
        next=False,
        command=None,
        asks=(),
        waits=None,
    )
