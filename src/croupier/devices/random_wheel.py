"""The random wheel and the health test of its source."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import groupby, pairwise
from typing import Final, NamedTuple, TypeVar

from croupier.devices.random_source import SECURE, Source, SourceFault, draw, words
from croupier.house import AnyCommand, House
from croupier.house.floor.incidents import IncidentKind
from croupier.house.ids import SECOND, Instant, RoundNumber, TableId
from croupier.house.rounds.closing import launch_to_close
from croupier.house.rounds.draws import AbandonDraw, CommitDraw, current_draw, drawn_spin, due_multiples
from croupier.house.rounds.irregularities import WheelTrouble
from croupier.house.rounds.multipliers import DrawMultiples, awaits_multiples
from croupier.house.rounds.results import BallAtRest
from croupier.house.rounds.spinning import BallLaunched
from croupier.house.settings import WheelKind
from croupier.house.state.tables import BETTING_PHASES, BallState, BettingState, Draw, Round, RoundStatus, Table
from croupier.rules.geometry import Pocket
from croupier.rules.multipliers import Multiples, Multipliers
from croupier.rules.procedure import CloseRule, Reason
from croupier.rules.proofs import LENGTH, Party, commitment, drawn_pocket

#: The number of draws of a health test; NIST SP 800-90B requires 1,024 at a start.
DRAWS: Final = 4_096
#: A good source exceeds any one of the bounds below once in so many tests, at most. There are two for each of up to 38
#: pockets, two for repeats and one for runs: 79 / 10**11 < 10**-9, the probability of a false alarm.
RARE: Final = 10**11
HOUR: Final = 3600 * SECOND


@dataclass(slots=True)
class SourceMonitor:
    """Tests a source at the start and every hour; one that has failed is not trusted again in this run."""

    source: Source = SECURE
    #: When it was last tested, or failed; long ago before that.
    at: Instant = Instant(-HOUR)
    #: The fault of the source; empty when there is none.
    ailment: str = ""

    @property
    def due(self) -> Instant:
        return Instant(self.at + HOUR)

    def look(self, pockets: Sequence[Pocket], now: Instant) -> None:
        """Test the source if that is due."""
        if not self.ailment and now >= self.due:
            self.at, self.ailment = now, examine(pockets, self.source)

    def draw_multiples(
        self, multipliers: Multipliers, pockets: Sequence[Pocket], now: Instant
    ) -> dict[Pocket, int] | None:
        """Draw numbers and their multiples; None when the source fails, which is then not trusted again."""
        try:
            return multipliers.drawn(pockets, words(self.source))
        except SourceFault as fault:
            self.at, self.ailment = now, str(fault)
            return None

    def draw(self, pockets: Sequence[Pocket], now: Instant) -> Pocket | None:
        """Draw a pocket; None when the source fails, which is then not trusted again."""
        try:
            return draw(pockets, self.source)
        except SourceFault as fault:
            self.at, self.ailment = now, str(fault)
            return None

    def random_hex(self, now: Instant) -> str | None:
        """Choose a secret; None when the source fails, which is then not trusted again."""
        try:
            return _random_hex(self.source)
        except SourceFault as fault:
            self.at, self.ailment = now, str(fault)
            return None


def _random_hex(source: Source) -> str:
    try:
        secret = source(LENGTH)
    except (OSError, ValueError) as error:
        raise SourceFault(f"the source gives no secret: {error}") from error
    if len(secret) != LENGTH:
        raise SourceFault(f"the source gave {len(secret)} bytes instead of {LENGTH}")
    return secret.hex()


def examine(pockets: Sequence[Pocket], source: Source = SECURE) -> str:
    """Return the fault of a source, from a fixed number of draws for the test alone; empty when it passes."""
    try:
        drawn = [draw(pockets, source) for _ in range(DRAWS)]
    except SourceFault as fault:
        return str(fault)
    return _repetition(drawn, len(pockets)) or _proportion(drawn, pockets)


def _repetition(drawn: Sequence[Pocket], pockets: int) -> str:
    """SP 800-90B, 4.4.1: no pocket repeats too often in a row; nor are repeats too rare, as when a source counts up."""
    longest = max(len(list(run)) for _, run in groupby(drawn))
    if longest > run_most(pockets):
        return f"a pocket came {longest} times on end"
    repeats = sum(one == other for one, other in pairwise(drawn))
    least, most = bounds(len(drawn) - 1, pockets)
    return "" if least <= repeats <= most else f"a pocket followed itself {repeats} times in {len(drawn)} draws"


def _proportion(drawn: Sequence[Pocket], pockets: Sequence[Pocket]) -> str:
    """SP 800-90B, 4.4.2, for every pocket and not only the first: none comes too often, and none too seldom."""
    counts = Counter(drawn)
    least, most = bounds(len(drawn), len(pockets))
    amiss = next((pocket for pocket in pockets if not least <= counts[pocket] <= most), None)
    return "" if amiss is None else f"{amiss} came {counts[amiss]} times in {len(drawn)} draws"


@cache
def run_most(pockets: int) -> int:
    """Return how many times in a row a pocket may come.

    A run of one more begins at a given draw once in pockets ** most times, and at any of them DRAWS times as often, at
    most: 4,096 / 37**10 < 10**-11, so that a run of 10 is the longest.
    """
    most = 1
    while pockets**most < DRAWS * RARE:
        most += 1
    return most


class CountBounds(NamedTuple):
    """The lowest and the highest count allowed."""

    least: int
    most: int


@cache
def bounds(trials: int, pockets: int) -> CountBounds:
    """Return how often one pocket of so many may come: the binomial distribution, cut where either tail is rare.

    Of 4,096 draws from 37 pockets 110.7 are one pocket's on average, with a standard deviation of 10.4: 49 to 187.
    """
    every = pockets**trials
    least = next(times for times, ways in _cumulated(trials, pockets) if ways * RARE > every)
    most = next(times for times, ways in _cumulated(trials, pockets) if (every - ways) * RARE <= every)
    return CountBounds(least, most)


def _cumulated(trials: int, pockets: int) -> Iterator[tuple[int, int]]:
    """Count exactly the ways for one pocket to come at most so many times: zero, once, twice and so on."""
    times, ways = 0, (pockets - 1) ** trials
    total = ways
    while True:
        yield times, total
        times, ways = times + 1, ways * (trials - times) // ((times + 1) * (pockets - 1))
        total += ways


#: From the close to the launch, if betting closes first.
CLOSE_TO_LAUNCH: Final = 1 * SECOND
#: From the close to the draw of multiples: until then players reveal their shares of a provable draw.
CLOSE_TO_DRAW: Final = 2 * SECOND
#: From the draw of multiples to the launch, so that players see what was drawn.
DRAW_TO_LAUNCH: Final = 3 * SECOND
#: From the launch to the close, if the ball runs first and the rules do not say for how long.
LAUNCH_TO_CLOSE: Final = 5 * SECOND
#: From the close to rest, however long the ball has been running by then.
CLOSE_TO_REST: Final = 2 * SECOND
_RUNS_WHILE_OPEN: Final = (CloseRule.AFTER_LAUNCH, CloseRule.DURING_SPIN)


Reported = TypeVar("Reported", BallAtRest, DrawMultiples)


@dataclass(slots=True)
class RandomWheel:
    """Draws the numbers of one table. Its next action follows from the house alone, so that a restart needs no state.

    Of the bets it reads only whether they are sealed. At a table whose ball runs in a wheel, it draws only the
    multiples, where the rules have such.
    """

    table: TableId
    #: From the launch to rest.
    spin_s: int
    watch: SourceMonitor = field(default_factory=SourceMonitor)
    #: The secret of a draw that can be proven, and its spin. A restart loses it, and the spin is not drawn then.
    _secret: tuple[tuple[RoundNumber, int], str] | None = None
    #: Its last report, and the spin of that: the one value that it never computes again.
    _reported: tuple[tuple[RoundNumber, int], BallAtRest | DrawMultiples] | None = None

    def due(self, house: House) -> Instant | None:
        table = self._own(house)
        if table is None:
            return None
        if self.watch.ailment:
            return None if self._is_reported(house, table) else house.now
        at = self._next(table)
        return self.watch.due if at is None else min(at, self.watch.due)

    def act(self, house: House, now: Instant) -> AnyCommand | None:
        table = self._own(house)
        if table is None:
            return None
        at = self._next(table)
        ready = at is not None and now >= at
        if ready and self._reported is not None and self._reported[0] == _spin(table):
            report = self._reported[1]
            # The multiples of a spin are drawn once, and then its number.
            if isinstance(report, BallAtRest) or awaits_multiples(table):
                return report
        self.watch.look(table.rulebook.wheel.order, now)
        command = self._step(table, now) if ready and not self.watch.ailment else None
        if self.watch.ailment and not self._is_reported(house, table):
            return WheelTrouble(self.table, Reason.MALFUNCTION)
        return command

    def _own(self, house: House) -> Table | None:
        """Return the table, while its numbers or its multiples are drawn."""
        table = house.tables.get(self.table)
        return table if table is not None and has_draws(table) else None

    def _is_reported(self, house: House, table: Table) -> bool:
        """Return whether the fault was reported to staff: since it occurred, and in every round since."""
        since = self.watch.at if table.round is None else max(self.watch.at, table.round.opened_at)
        for each in reversed(house.incidents.all.values()):
            if each.at < since:
                return False
            if each.kind is IncidentKind.WHEEL_TROUBLE and each.subject == self.table:
                return True
        return False

    def _next(self, table: Table) -> Instant | None:
        """Return when the ball is to be launched, or comes to rest; None when the wheel has no next action now."""
        round_ = table.round
        if round_ is None or round_.status is not RoundStatus.ACTIVE or round_.no_spin:
            return None
        if self._commits(table):
            return round_.opened_at
        if round_.ball is BallState.IDLE and awaits_multiples(table):
            assert round_.closed_at is not None
            return Instant(round_.closed_at + CLOSE_TO_DRAW)
        if table.settings.wheel is not WheelKind.RANDOM:
            return None
        if round_.ball is BallState.IDLE:
            return launches_at(table, round_)
        return self._rests_at(round_) if round_.ball is BallState.SPINNING else None

    def _commits(self, table: Table) -> bool:
        """Return whether the wheel has to commit to a draw before anything else."""
        open_ = table.phase in BETTING_PHASES and table.settings.wheel is WheelKind.RANDOM
        return table.settings.provable and open_ and current_draw(table) is None

    def _rests_at(self, round_: Round) -> Instant | None:
        if round_.sealed is None:
            return None
        assert round_.spin.launched_at is not None
        assert round_.closed_at is not None
        return Instant(max(round_.spin.launched_at + self.spin_s * SECOND, round_.closed_at + CLOSE_TO_REST))

    def _step(self, table: Table, now: Instant) -> AnyCommand | None:
        if self._commits(table):
            return self._commit(table, now)
        if awaits_multiples(table):
            return self._draw_multiples(table, now)
        return BallLaunched(self.table) if table.playing.ball is BallState.IDLE else self._draw(table, now)

    def _commit(self, table: Table, now: Instant) -> CommitDraw | None:
        """Choose the secret of a draw, and commit to it; None when the source fails."""
        secret = self.watch.random_hex(now)
        if secret is None:
            return None
        self._secret = _spin(table), secret
        return CommitDraw(self.table, commitment(drawn_spin(table), Party.HOUSE, secret))

    def _draw(self, table: Table, now: Instant) -> AnyCommand | None:
        """Draw the number of a spin, at the moment it is reported and never before; None when the source fails."""
        assert table.playing.sealed is not None
        if table.settings.provable:
            return self._prove(table)
        pocket = self.watch.draw(table.rulebook.wheel.order, now)
        if pocket is None:
            return None
        return self._report(table, BallAtRest(self.table, pocket, spin_id=(table.spin_id or 0) + 1))

    def _draw_multiples(self, table: Table, now: Instant) -> AnyCommand | None:
        """Draw the multiples of a spin, from the same secret and shares as its number where draws are proven."""
        multipliers, order = table.rulebook.paytable.multipliers, table.rulebook.wheel.order
        assert multipliers is not None
        if table.settings.provable and table.settings.wheel is WheelKind.RANDOM:
            draw = self._provable(table)
            if not isinstance(draw, Draw):
                return draw
            multiples: Multiples | None = due_multiples(table, draw, self._own_secret(table))
        else:
            multiples = self.watch.draw_multiples(multipliers, order, now)
        return None if multiples is None else self._report(table, DrawMultiples(self.table, dict(multiples)))

    def _report(self, table: Table, report: Reported) -> Reported:
        self._reported = (_spin(table), report)
        return report

    def _prove(self, table: Table) -> AnyCommand:
        """Compute the number from the secret and the shares; without all of them the spin cannot be drawn."""
        draw = self._provable(table)
        if not isinstance(draw, Draw):
            return draw
        secret = self._own_secret(table)
        pocket = drawn_pocket(table.rulebook.wheel.order, drawn_spin(table), secret, draw.revealed)
        return self._report(table, BallAtRest(self.table, pocket, spin_id=(table.spin_id or 0) + 1, secret=secret))

    def _own_secret(self, table: Table) -> str:
        assert self._secret is not None
        assert self._secret[0] == _spin(table)
        return self._secret[1]

    def _provable(self, table: Table) -> Draw | WheelTrouble | AbandonDraw:
        """Return the draw of the running spin; without its secret or a share, the report that it cannot be drawn."""
        draw = current_draw(table)
        if draw is None or self._secret is None or self._secret[0] != _spin(table):
            return WheelTrouble(self.table, Reason.MALFUNCTION)
        return AbandonDraw(self.table) if draw.withheld else draw


def has_draws(table: Table) -> bool:
    """Check whether the house draws for a table: its numbers, or multiples before the spin."""
    return table.settings.wheel is WheelKind.RANDOM or table.rulebook.paytable.multipliers is not None


def _spin(table: Table) -> tuple[RoundNumber, int]:
    """Return the key of the running spin: a round may have several spins, and each has its own number."""
    return table.playing.number, table.playing.spin.number


def launches_at(table: Table, round_: Round) -> Instant | None:
    """Return when the ball is launched: after the close, or before it when the rules let betting continue meanwhile."""
    if round_.betting is BettingState.CLOSED:
        assert round_.closed_at is not None
        drawn = CLOSE_TO_DRAW + DRAW_TO_LAUNCH if round_.multiples else CLOSE_TO_LAUNCH
        return Instant(round_.closed_at + drawn)
    if round_.closes_at is None or table.rulebook.procedure.closes.choice not in _RUNS_WHILE_OPEN:
        return None
    ahead = launch_to_close(table.rulebook, table.settings) or LAUNCH_TO_CLOSE
    return Instant(max(round_.opened_at, round_.closes_at - ahead))
