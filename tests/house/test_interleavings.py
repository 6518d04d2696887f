"""Interleavings: bets against the close, in every order and around the instant; the order in the journal decides."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import combinations

import pytest

from croupier.house import AnyCommand
from croupier.house.credit.notes import GrantPlayMoney
from croupier.house.declare import Event
from croupier.house.floor.incidents import ClearIncident
from croupier.house.ids import SECOND, Day, DeviceId, Instant, RoundNumber, TableId, TerminalId
from croupier.house.play.betting import (
    BetsChanged,
    BetsReturned,
    ChangeBet,
    ClearBets,
    DoubleBets,
    MoveBet,
    PlaceBets,
    RemoveBets,
    UndoBet,
)
from croupier.house.rounds.closing import BetsClosing, BetsSealed, CloseBets, FinishBetting
from croupier.house.rounds.referrals import DecideReferral, ReferralDecision, ReferRound
from croupier.house.rounds.results import BallAtRest
from croupier.house.rounds.settlement import ResultDeclared, RoundSettled
from croupier.house.rounds.spinning import BallLaunched, BallLeftTrack, SpinBall
from croupier.house.settings import TableSettings
from croupier.house.state.tables import Phase, Round, RoundStatus
from croupier.house.timers import Tick
from croupier.rules.geometry import Pocket, SpotKey
from croupier.rules.money import Cents
from croupier.rules.refusal import Code, Refusal
from tests.support.house_driver import TABLE, Play, cents, refused, sound

pytestmark = pytest.mark.untraced

MARINA, ADELAIDE, CLEARWATER, US = "marina-bay-sands-2020", "skycity-adelaide-2003", "clearwater-etg", "us-double-zero"
SEATS = ("T1", "T2")
BETTING_S = 30
#: What every player has at the start of every round.
CREDIT = cents(40)
RED, SEVENTEEN, EIGHTEEN = SpotKey("red"), SpotKey("17"), SpotKey("18")

#: What may bring the close, three steps at a time: called, timed, seen by a sensor, too early or out of turn.
CLOSES: dict[str, tuple[str, ...]] = {
    MARINA: (
        "spin close spin",
        "tick tick close",
        "launch close tick",
        "left close launch",
        "rest close left",
        "close launch rest",
    ),
    ADELAIDE: (
        "warn close spin",
        "close tick spin",
        "spin warn tick",
        "launch left close",
        "tick tick tick",
        "warn rest close",
    ),
    CLEARWATER: (
        "launch tick close",
        "launch close tick",
        "tick tick tick",
        "launch left tick",
        "close launch tick",
        "rest tick close",
    ),
    US: (
        "spin close left",
        "launch close tick",
        "close spin left",
        "left close spin",
        "rest close spin",
        "tick launch left",
    ),
}
EDITS = ("place 17", "place red", "change red", "move 17", "remove 17", "double", "undo", "clear")
#: Five edits to a round, always two on the table first; the other three are counted through.
SCRIPTS = tuple((0, 1, a, (a + b) % 8, (a + 3 * b) % 8) for a in (2, 3, 4, 5) for b in (1, 3))
#: The places, among eight steps, at which the three of a close stand.
MERGES = tuple(combinations(range(8), 3))

Game = tuple[TerminalId, TableId, RoundNumber, int]


@dataclass
class Layout:
    """What lies before one player, kept by hand: each edit that was acknowledged, and no other."""

    bets: dict[str, int] = field(default_factory=dict)
    before: list[dict[str, int]] = field(default_factory=list)

    def edit(self, name: str) -> None:
        bets = dict(self.bets)
        match name.split():
            case ["place", spot]:
                bets[spot] = bets.get(spot, 0) + 100
            case ["change", spot]:
                bets[spot] = 200
            case ["move", spot]:
                bets["18"] = bets.get("18", 0) + bets.pop(spot)
            case ["remove", spot]:
                del bets[spot]
            case ["double"]:
                bets = {spot: 2 * stake for spot, stake in bets.items()}
            case ["clear"]:
                bets = {}
        if name == "undo":
            self.bets = self.before.pop()
        else:
            self.before.append(self.bets)
            self.bets = bets


def edit_of(name: str, game: Game) -> AnyCommand:
    """Make the command of an edit, meant for the game it was made for."""
    commands: dict[str, Callable[[], AnyCommand]] = {
        "place 17": lambda: PlaceBets(*game, (("17", 100),)),
        "place red": lambda: PlaceBets(*game, (("red", 100),)),
        "change red": lambda: ChangeBet(*game, RED, Cents(200)),
        "move 17": lambda: MoveBet(*game, SEVENTEEN, EIGHTEEN),
        "remove 17": lambda: RemoveBets(*game, (SEVENTEEN,)),
        "double": lambda: DoubleBets(*game),
        "undo": lambda: UndoBet(*game),
        "clear": lambda: ClearBets(*game),
    }
    return commands[name]()


@dataclass(frozen=True)
class Case:
    """One order of things: the edits and the close as they come, and how long before the timer's instant they begin."""

    steps: tuple[str, ...]
    early: int


def cases(rulebook_id: str) -> Iterator[Case]:
    """Count through every close, every merge and every script; the instant of the timer goes round with them."""
    for closing in CLOSES[rulebook_id]:
        for places in MERGES:
            for script in SCRIPTS:
                edits, close = iter(script), iter(closing.split())
                steps = tuple(next(close) if at in places else EDITS[next(edits)] for at in range(8))
                yield Case(steps, (sum(places) + sum(script)) % 10)


class Race:
    """A table at which round after round is closed against bets that are being placed."""

    def __init__(self, rulebook_id: str) -> None:
        self.floor = Play(rulebook_id, TableSettings(betting_s=BETTING_S))
        self.floor.seats(T1=0, T2=0)

    def run(self, case: Case) -> tuple[RoundStatus, int]:
        """Play one case and verify its invariants; return how the round ended, and how many played in it."""
        floor = self.floor
        self._top_up()
        for incident in floor.house.incidents.all.values():
            if incident.cleared_by is None:
                floor.by(floor.dealer, ClearIncident(incident.number))
        floor.open()
        first, games = len(floor.events), {seat: floor.game(seat) for seat in SEATS}
        layouts = {seat: Layout() for seat in SEATS}
        floor.now = Instant(floor.now + BETTING_S * SECOND - case.early)
        for turn, step in enumerate(case.steps):
            seat = SEATS[turn % 2]
            if step in EDITS:
                self._edit(step, games[seat], layouts[seat], floor.events[first:])
            else:
                self._close(step)
            floor.now = Instant(floor.now + 1)
        self._verify(floor.events[first:], layouts)
        round_ = self._finish(layouts)
        return round_.status, len(round_.layouts)

    def _edit(self, name: str, game: Game, layout: Layout, events: list[Event]) -> None:
        """Ask for an edit: once bets have closed, it must be refused."""
        answer = self.floor.ask(edit_of(name, game), DeviceId(game[0]))
        if any(isinstance(event, BetsClosing) for event in events):
            assert isinstance(answer, Refusal), answer
        elif isinstance(answer, tuple) and answer:
            layout.edit(name)

    def _close(self, step: str) -> None:
        floor, wheel = self.floor, DeviceId(TABLE)
        match step:
            case "warn":
                floor.by(floor.dealer, FinishBetting(TABLE))
            case "close":
                floor.by(floor.dealer, CloseBets(TABLE))
            case "spin":
                floor.by(floor.dealer, SpinBall(TABLE))
            case "launch":
                floor.ask(BallLaunched(TABLE, opposite=True, turning=True), wheel)
            case "left":
                floor.ask(BallLeftTrack(TABLE, 9), wheel)
            case "rest":
                floor.ask(BallAtRest(TABLE, Pocket("0"), 9, opposite=True), wheel)
            case "tick":
                floor.must(Tick())

    def _verify(self, events: list[Event], layouts: dict[str, Layout]) -> None:
        """Nothing came after the close, and what was acknowledged before it is all in the seal, or still there."""
        round_ = self.floor.table.round
        assert round_ is not None
        places: dict[type, list[int]] = {}
        for place, event in enumerate(events):
            places.setdefault(type(event), []).append(place)
        closed = places.get(BetsClosing, [len(events)])
        assert BetsReturned not in places
        assert all(place < closed[0] for place in places.get(BetsChanged, []))
        assert all(place > closed[0] for place in places.get(BetsSealed, []))
        if round_.sealed is not None:
            positions = self.floor.house.positions
            sealed = {str(positions[each].terminal): stakes for each, stakes in round_.layouts.items()}
            assert sealed == {seat: layout.bets for seat, layout in layouts.items() if layout.bets}
        for seat, layout in layouts.items():
            terminal = self.floor.house.terminals[TerminalId(seat)]
            lost = sum(layout.bets.values()) if round_.status is RoundStatus.SETTLED else 0
            assert terminal.credit + terminal.in_play == CREDIT - lost
            if not round_.over:
                assert terminal.games[TABLE].bets == layout.bets

    def _finish(self, layouts: dict[str, Layout]) -> Round:
        """End the round: on a number that nobody has bet where bets are sealed, or void."""
        floor, round_ = self.floor, self.floor.table.round
        assert round_ is not None
        if floor.table.phase is Phase.CLOSED and round_.sealed is not None:
            floor.spin()
        if floor.table.phase is Phase.RUNNING:
            settled = floor.rest("0")
            assert isinstance(settled, tuple)
            assert [type(event) for event in settled] == [ResultDeclared, RoundSettled]
            assert isinstance(settled[1], RoundSettled)
            assert settled[1].staked == sum(sum(layout.bets.values()) for layout in layouts.values())
        elif not round_.over:
            floor.by(floor.dealer, ReferRound(TABLE, "the race is run"))
            floor.by(
                floor.rulebook.staff.order[-1].lower(), DecideReferral(TABLE, ReferralDecision.VOID, "the race is run")
            )
        assert floor.table.phase is Phase.BETWEEN
        sound(floor.house)
        return round_

    def _top_up(self) -> None:
        """Give every player the same credit again."""
        for seat in SEATS:
            missing = CREDIT - self.floor.house.terminals[TerminalId(seat)].credit
            if missing:
                self.floor.must(GrantPlayMoney(TerminalId(seat), Cents(missing)))


@pytest.mark.clause("skycity-adelaide-2003", "7(h)iii")
@pytest.mark.clause("marina-bay-sands-2020", "5.12")
@pytest.mark.clause("us-double-zero", "Irregularities (4)")
@pytest.mark.parametrize("rulebook_id", CLOSES)
def test_no_bet_is_taken_after_the_close_and_none_before_it_is_missing(rulebook_id: str) -> None:
    """In each order nothing is accepted after the close, and what was acknowledged before it is in the seal."""
    race, ends = Race(rulebook_id), set()
    for case in cases(rulebook_id):
        ends.add(race.run(case))

    race.floor.check()
    # Among them are rounds that close before all bets, after all of them and in between, and rounds that are void.
    assert {(RoundStatus.SETTLED, terminals) for terminals in (0, 1, 2)} <= ends
    assert any(status is RoundStatus.VOID for status, _ in ends)


def test_ten_thousand_orders_are_tried_and_no_two_are_alike() -> None:
    """The orders counted through for the four venues are more than ten thousand, all of them different."""
    tried = [(rulebook_id, case) for rulebook_id in CLOSES for case in cases(rulebook_id)]

    assert len(tried) >= 10_000
    assert len(set(tried)) == len(tried)


@pytest.mark.clause("clearwater-etg", "8")
@pytest.mark.parametrize("rulebook_id", CLOSES)
@pytest.mark.parametrize("command", ["place 17", "remove 17"])
@pytest.mark.parametrize(("late", "taken"), [(-100_000, True), (-1, True), (0, False), (1, False), (100_000, False)])
def test_timer_closes_at_its_instant(rulebook_id: str, command: str, late: int, *, taken: bool) -> None:
    """With the clock running, a bet or a removal is taken up to the last microsecond and not from the instant on."""
    floor = Play(rulebook_id, TableSettings(betting_s=15))
    floor.seats(T1=10)
    floor.open()
    floor.bet("T1", "1 on 17")
    floor.advance(15 * SECOND + late)
    floor.must(Tick())

    answer = floor.ask(edit_of(command, floor.game("T1")), DeviceId("T1"))

    assert isinstance(answer, tuple) is taken
    if not taken:
        # Where betting closes only while the ball runs, and it does not run, the table stops instead.
        assert refused(answer)[0] == (Code.ROUND_SUSPENDED if rulebook_id == US else Code.BETS_CLOSED)
    floor.check()


@pytest.mark.parametrize("rulebook_id", CLOSES)
def test_gaming_day_that_is_over_does_not_hold_up_the_close(rulebook_id: str) -> None:
    """While a new gaming day is awaited the timers run on: betting does not stay open past its instant."""
    floor = Play(rulebook_id, TableSettings(betting_s=10))
    floor.seats(T1=10)
    floor.must(Tick(Day(20261116), Instant(5 * SECOND)))
    floor.open()
    floor.at(12)

    assert floor.table.phase not in (Phase.OPEN, Phase.OPEN_RUNNING, Phase.LAST_CALL)
