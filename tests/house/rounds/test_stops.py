"""A stop after every command of rounds with multipliers, a pot and stakes that outlive their round.

What is on record after the stop is all that the house knows. The rest is played on, and each player, the pot and the
books have what they have without a stop, except for a round that the stop made void: that was as if never played.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

import pytest

from croupier.engine.storage import decode_state, encode_state
from croupier.house import AnyCommand, House
from croupier.house.declare import Decision, Events
from croupier.house.floor.service import CloseTable
from croupier.house.floor.signatures import Approve, ProposalMade
from croupier.house.ids import SYSTEM, DeviceId, PersonId, RoundNumber
from croupier.house.rounds.closing import CloseBets
from croupier.house.rounds.corrections import CorrectResult, InvalidateOutcome
from croupier.house.rounds.irregularities import CallNoSpin, ResetTerminals
from croupier.house.rounds.multipliers import DrawMultiples
from croupier.house.rounds.results import AttestResult
from croupier.house.rounds.spinning import BallLaunched
from croupier.house.settings import TableSettings, WheelKind
from croupier.house.state.ledger import LedgerAccount
from croupier.house.state.tables import Phase, RoundStatus
from croupier.house.verification import state_digest
from croupier.rulebooks.schema import canonical, read_canonical
from croupier.rules.geometry import Pocket
from croupier.rules.pricing import PRISONS
from croupier.rules.procedure import Effect, Irregularity, Reason
from croupier.rules.rulebook import Rulebook
from croupier.transcripts.driver import TABLE, HouseDriver
from tests.conftest import venue
from tests.support.carried import french
from tests.support.house_driver import Play, sound

START: Final = 100_000
SEATS: Final = ("T1", "T2")
WHEEL: Final = DeviceId(TABLE)


@dataclass(frozen=True)
class Played:
    """A round: its slips, its number, and the rounds that are put right after it; without a number one is invalid."""

    pocket: str
    slips: Mapping[str, str]
    drawn: Mapping[Pocket, int] | None = None
    no_spin: bool = False
    right: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True)
class Story:
    """Rounds of one rulebook; at the end the table closes."""

    name: str
    book: Rulebook
    rounds: tuple[Played, ...]


def with_fire(rulebook: Rulebook) -> Rulebook:
    """Let staff take back an outcome."""
    if any(each.reason is Reason.FIRE for each in rulebook.irregularities):
        return rulebook
    fire = Irregularity(Reason.FIRE, rulebook.clause, Effect.INVALIDATE)
    return read_canonical(canonical(replace(rulebook, irregularities=(*rulebook.irregularities, fire), digest="")))


FIRST: Final = {Pocket("17"): 250, Pocket("0"): 60, Pocket("5"): 100}
OTHER: Final = {Pocket("18"): 60, Pocket("0"): 60, Pocket("5"): 100}
MULTIPLIERS: Final = Story(
    "multipliers",
    with_fire(venue("generic-multiplier")),
    (
        Played("17", {"T1": "5 on 17; 10 on red", "T2": "1 on 0"}, FIRST),
        Played("5", {"T1": "5 on 17; 2 on 18", "T2": "1 on 5"}, OTHER, no_spin=True),
        Played("18", {"T1": "5 on 17; 2 on 18"}, OTHER, right=((1, "0"), (2, ""), (3, "17"))),
    ),
)
POT: Final = Story(
    "pot",
    with_fire(venue("generic-progressive")),
    (
        Played("3", {"T1": "5 on pot", "T2": "7 on pot; 5 on 3"}),
        Played("1", {"T1": "100 on pot"}, no_spin=True),
        Played("0", {"T1": "5 on pot", "T2": "10 on pot"}),
        Played("4", {"T2": "10 on pot"}, right=((3, "5"), (4, "0"), (1, ""))),
    ),
)
PRISON_ROUNDS: Final = (
    Played("0", {"T1": "5 on red; 3 on odd", "T2": "7 on black; 1 on 4"}),
    Played("0", {"T1": "2 on odd", "T2": "3 on red"}, no_spin=True),
    Played("1", {"T1": "2 on odd; 4 on black"}, right=((1, "2"),)),
    Played("0", {"T2": "3 on red"}, right=((1, "0"), (2, ""))),
)
PRISON: Final = tuple(Story(effect.value, french(effect), PRISON_ROUNDS) for effect in PRISONS)
TWICE: Final = Story("twice", french(PRISONS[0], twice=("odd",)), PRISON_ROUNDS)
STORIES: Final = {story.name: story for story in (MULTIPLIERS, POT, *PRISON, TWICE)}


class StopError(Exception):
    """The system stops here."""


class Floor(Play):
    """A table with two terminals, at which the system stops after so many commands from the first opening."""

    def __init__(self, story: Story, wheel: WheelKind) -> None:
        self.left: int | None = None
        self.asked = 0
        HouseDriver.__init__(self, story.book, TableSettings(wheel=wheel, warning_s=0))
        self.story = story
        self.enrol(self.chief, "second")
        self.seats(**dict.fromkeys(SEATS, START // 100))
        self.asked = 0

    @property
    def chief(self) -> str:
        return self.rulebook.staff.order[-1]

    def ask(self, command: AnyCommand, device: DeviceId = SYSTEM, person: PersonId | str = "") -> Decision:
        answer = super().ask(command, device, person)
        assert isinstance(answer, tuple), (command, answer)
        self.asked += 1
        if self.left is not None and self.asked == self.left:
            raise StopError
        return answer

    # The rounds.

    def play(self, void: frozenset[int] = frozenset()) -> None:
        """Play the story from the round that comes next; leave out rounds that are void."""
        for number, each in enumerate(self.story.rounds, start=1):
            if number > self.number and number not in void:
                self.open()
                self.betting(each)
            elif number > self.number:
                self.open()
                self.recover()
            elif number == self.number:
                self.go_on(each)
            if number == self.number:
                self.put_right(each)
        if not self.table.closed:
            self.signed(CloseTable(TABLE, "The last round."))

    @property
    def number(self) -> int:
        return 0 if self.table.round is None else self.table.round.number

    def betting(self, each: Played) -> None:
        """Place the slips, seal them, and spin once more after a ball that does not count."""
        for seat, text in each.slips.items():
            self.bet(seat, text)
        self.seals_and_spins(each)
        if each.no_spin:
            self.by(self.dealer, CallNoSpin(TABLE, Reason.FOREIGN_OBJECT, "a coin"))
            self.again(each)
        else:
            self.rest(each.pocket)

    def again(self, each: Played) -> None:
        """Bet and spin again after a spin that did not count."""
        self.by(self.dealer, ResetTerminals(TABLE))
        self.betting(replace(each, no_spin=False))

    def seals_and_spins(self, each: Played) -> None:
        self.must(CloseBets(TABLE))
        if each.drawn is not None:
            self.must(DrawMultiples(TABLE, dict(each.drawn)), WHEEL)
        self.must(BallLaunched(TABLE, opposite=True, turning=True), WHEEL)

    def go_on(self, each: Played) -> None:
        """Finish the round in which the system stopped."""
        if self.table.phase is Phase.NO_SPIN:
            self.again(each)
        elif not self.table.playing.over:
            # Two people have seen where the ball lay.
            assert self.table.playing.spin.interrupted
            self.signed(AttestResult(TABLE, Pocket(each.pocket), "as seen"))

    def put_right(self, each: Played) -> None:
        for number, pocket in each.right:
            round_ = self.table.named_round(RoundNumber(number))
            if round_.status is not RoundStatus.SETTLED or round_.invalidated or round_.pocket == pocket:
                continue
            here = (TABLE, RoundNumber(number))
            self.signed(
                CorrectResult(*here, Pocket(pocket), "as seen")
                if pocket
                else InvalidateOutcome(*here, Reason.FIRE, "fire")
            )

    def signed(self, command: AnyCommand) -> None:
        """Have a person in charge do what a second one signs, if the rules ask for that."""
        waiting = list(self.house.proposals.all)
        if not waiting:
            made = self.by(self.chief.lower(), command)
            assert isinstance(made, tuple)
            waiting = [event.proposal for event in made if isinstance(event, ProposalMade)]
        for proposal in waiting:
            self.by("second", Approve(proposal))

    # What comes of it.

    def outcome(self) -> Mapping[str, object]:
        """What everyone has in the end."""
        ledger, pots = self.house.ledger, self.house.pots
        terminals = self.house.terminals.values()
        return {
            "players": {each.id: each.credit - each.owes for each in terminals},
            "in play": sum(each.in_play for each in terminals),
            "pots": {name: (pot.amount, pot.reserve, pot.wins) for name, pot in pots.items()},
            "accounts": {account: ledger[account] for account in LedgerAccount},
            "carried": self.table.meters.carried,
            "contributed": self.table.meters.contributed,
        }


@cache
def undisturbed(name: str, wheel: WheelKind, void: frozenset[int] = frozenset()) -> tuple[Mapping[str, object], int]:
    """Play a story without a stop; return what comes of it, and how many commands it has."""
    floor = Floor(STORIES[name], wheel)
    floor.play(void)
    sound(floor.house)
    return floor.outcome(), floor.asked


@pytest.mark.untraced
@pytest.mark.parametrize(
    ("name", "wheel"),
    [
        *((name, WheelKind.SENSOR) for name in STORIES),
        *((story.name, WheelKind.RANDOM) for story in (MULTIPLIERS, POT, TWICE)),
    ],
)
def test_stop_after_any_command_of_a_bonus_round(name: str, wheel: WheelKind) -> None:
    """After a stop anywhere the house is what its journal and its snapshot say, and the story ends as it should."""
    _, commands = undisturbed(name, wheel)
    found = set[frozenset[int]]()
    for left in range(1, commands + 1):
        floor = Floor(STORIES[name], wheel)
        floor.left = left
        with pytest.raises(StopError):
            floor.play()
        floor.left = None
        restart(floor)
        void = frozenset({floor.number} if floor.table.playing.status is RoundStatus.VOID else ())
        floor.play()
        floor.check()
        expected, _ = undisturbed(name, wheel, void)
        assert floor.outcome() == expected, (left, void)
        found.add(void)
    # Any round may be void by a stop, and none must be.
    assert found == {frozenset(), *(frozenset({number}) for number in range(1, len(STORIES[name].rounds) + 1))}


def restart(floor: Floor) -> Events:
    """Start again from the journal, which a snapshot of the state agrees with, and decide what was interrupted."""
    read = floor.journal.replay(House.new(read_canonical))
    restored, _ = decode_state(encode_state(floor.house))
    assert state_digest(read) == state_digest(restored) == state_digest(floor.house)
    floor.house = read
    done = floor.recover()
    floor.recover_again()
    sound(floor.house)
    return done
