"""Stakes that outlive their round: in prison, and of bets on two spins in a row."""

from itertools import product
from random import Random

import pytest

from croupier.house.floor.signatures import Approve, ProposalMade
from croupier.house.ids import Context, DeviceId, PersonId, RoundNumber, TerminalId
from croupier.house.rounds.corrections import CorrectResult, InvalidateOutcome, preview_correction
from croupier.house.rounds.irregularities import CallNoSpin, ResetTerminals
from croupier.house.state.ledger import LedgerAccount
from croupier.house.verification import state_digest
from croupier.rules.geometry import Pocket
from croupier.rules.pricing import PRISONS, ZeroEffect
from croupier.rules.procedure import Reason
from croupier.rules.rulebook import Rulebook
from croupier.transcripts.driver import TABLE, HouseDriver
from tests.support.campaign import many
from tests.support.carried import Purse, french
from tests.support.house_driver import Play

START = 100_000


class Floor(Play):
    """A French table with two terminals and a pit boss's colleague."""

    def __init__(self, rulebook: Rulebook) -> None:
        HouseDriver.__init__(self, rulebook)
        self.enrol("Pit Boss", "second")
        self.seats(T1=START // 100, T2=START // 100)

    def signed(self, command: CorrectResult | InvalidateOutcome) -> None:
        made = self.by("pit boss", command)
        assert isinstance(made, tuple), made
        if isinstance(made[0], ProposalMade):
            assert isinstance(self.by("second", Approve(made[0].proposal)), tuple)

    def correct(self, round_: int, pocket: str) -> None:
        self.signed(CorrectResult(TABLE, RoundNumber(round_), Pocket(pocket), "as seen"))

    def invalidate(self, round_: int) -> None:
        self.signed(InvalidateOutcome(TABLE, RoundNumber(round_), Reason.FIRE, "fire"))

    def carried(self, seat: str = "T1") -> dict[str, int]:
        return {str(spot): stake for spot, stake in self.house.terminals[TerminalId(seat)].games[TABLE].carried.items()}

    def total(self, seat: str = "T1") -> int:
        """The meter of a terminal, less what its player owes."""
        terminal = self.house.terminals[TerminalId(seat)]
        return terminal.credit - terminal.owes


@pytest.mark.untraced
@pytest.mark.parametrize("effect", PRISONS)
def test_sequences_of_three_spins_are_settled_as_a_small_model_does(effect: ZeroEffect) -> None:
    """Every three spins of the pockets that differ to red, a dozen and a bet on two spins leave equal books."""
    book, twice = french(effect, twice=("odd",)), frozenset({"odd"})
    for spins in product(("0", "1", "2", "12"), repeat=3):
        floor, purse = Floor(book), Purse(effect, twice)
        for number in spins:
            floor.round(number, T1="5 on red; 3 on dozen 1; 2 on odd")
            purse.rounds.append(({"red": 500, "dozen 1": 300, "odd": 200}, number))
            won, carried = purse.play()
            assert (floor.total(), floor.carried()) == (START + won, carried), spins
            assert floor.house.ledger[LedgerAccount.IMPRISONED] == sum(carried.values())
        floor.check()


SLIPS: tuple[dict[str, int], ...] = (
    {},
    {"red": 500},
    {"black": 101, "odd": 300},
    {"red": 700, "black": 200, "dozen 1": 100},
    {"odd": 105},
)


def slip(bets: dict[str, int]) -> str:
    return "; ".join(f"{stake / 100:.2f} on {spot}" for spot, stake in bets.items())


@pytest.mark.campaign
def test_corrections_voids_and_invalid_outcomes_count_as_if_they_were_there_from_the_first() -> None:
    """After any mixture of rounds, no spins, corrections and invalid outcomes, each player has what a replay gives."""
    for seed in range(many(day=40, night=2_000)):
        dice = Random(seed)  # noqa: S311 - it must be the same every time
        effect = dice.choice(PRISONS)
        twice = frozenset({"odd"}) if dice.random() < 0.5 else frozenset[str]()
        floor = Floor(french(effect, twice=twice))
        purses = {seat: Purse(effect, twice) for seat in ("T1", "T2")}
        for number in range(1, dice.randint(4, 8)):
            _play_round(floor, purses, dice, number, seed)
        floor.check()


def _play_round(floor: Floor, purses: dict[str, Purse], dice: Random, number: int, seed: int) -> None:
    """Play a round, with a no spin at times, and put numbers right before, in and after it."""
    bets = {seat: dice.choice(SLIPS) for seat in purses}
    pocket = dice.choice(("0", "0", "1", "2", "3", "20"))
    floor.open()
    _put_right(floor, purses, dice, number - 1, seed)
    for seat, each in bets.items():
        if each:
            placed = floor.bet(seat, slip(each))
            assert isinstance(placed, tuple), (seed, placed)
    floor.close_and_spin()
    if dice.random() < 0.2:
        floor.by(floor.dealer, CallNoSpin(TABLE, Reason.FOREIGN_OBJECT, "as seen"))
        floor.by(floor.dealer, ResetTerminals(TABLE))
        bets = {seat: {} for seat in purses}
        floor.close_and_spin()
    _put_right(floor, purses, dice, number - 1, seed)
    assert isinstance(floor.rest(pocket), tuple)
    for seat, purse in purses.items():
        purse.rounds.append((bets[seat], pocket))
    _compare(floor, purses, seed)
    _put_right(floor, purses, dice, number, seed)


def _put_right(floor: Floor, purses: dict[str, Purse], dice: Random, last: int, seed: int) -> None:
    """In a third of the cases correct or invalidate a round, and compare."""
    if last < 1 or dice.random() > 1 / 3:
        return
    number = dice.randint(1, last)
    was = purses["T1"].rounds[number - 1][1]
    if was is None:
        return
    is_: str | None = dice.choice([each for each in ("0", "1", "2", "20") if each != was])
    if dice.random() < 0.25:
        is_ = None
        floor.invalidate(number)
    else:
        assert is_ is not None
        floor.correct(number, is_)
    for purse in purses.values():
        purse.rounds[number - 1] = (purse.rounds[number - 1][0], is_)
    _compare(floor, purses, seed)


def _compare(floor: Floor, purses: dict[str, Purse], seed: int) -> None:
    in_play = floor.house.tables[TABLE].phase
    for seat, purse in purses.items():
        won, carried = purse.play()
        game = floor.house.terminals[TerminalId(seat)].games[TABLE]
        assert floor.carried(seat) == carried, (seed, seat, in_play)
        assert floor.total(seat) + game.staked == START + won, (seed, seat, in_play)
    assert floor.house.tables[TABLE].meters.carried == floor.house.ledger[LedgerAccount.IMPRISONED]


def test_preview_of_a_correction_leaves_the_rounds_that_followed_as_they_are() -> None:
    """A zero in place of 2 would carry red to a spin in which the player had no bets; the preview alone knows that."""
    floor = Floor(french(ZeroEffect.EN_PRISON))
    floor.round("2", T1="5 on red")
    floor.round("1")
    before = state_digest(floor.house)

    command = CorrectResult(TABLE, RoundNumber(1), Pocket("0"), "")
    preview = preview_correction(floor.house, command, Context(floor.now, DeviceId("console"), PersonId("pit boss")))

    assert preview.pocket == "0"
    assert state_digest(floor.house) == before
