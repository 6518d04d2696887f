"""The pot of a progressive bet: what it wins and holds, after any course of rounds, corrections and interruptions."""

from dataclasses import dataclass, field, replace
from fractions import Fraction
from random import Random

import pytest

from croupier.house import House
from croupier.house.ids import DeviceId, TerminalId
from croupier.house.rounds.closing import CloseBets
from croupier.house.rounds.opening import OpenBets
from croupier.house.rounds.progressive import PotChanged, PotPlayedFor
from croupier.house.rounds.results import BallAtRest
from croupier.house.rounds.spinning import SpinBall
from croupier.house.settings import TableSettings
from croupier.house.state.ledger import LedgerAccount
from croupier.rulebooks.schema import canonical, read_canonical
from croupier.rules.geometry import Pocket
from croupier.rules.procedure import Effect, Irregularity, Reason
from croupier.rules.rulebook import Rulebook
from croupier.server.events import event_sentence
from croupier.transcripts.driver import TABLE, HouseDriver
from tests.conftest import venue
from tests.house.rounds.test_carried import START, Floor
from tests.support.campaign import many
from tests.support.house_driver import Play


def with_fire() -> Rulebook:
    """Let staff take back an outcome of the rulebook with a pot."""
    book = venue("generic-progressive")
    fire = Irregularity(Reason.FIRE, book.clause, Effect.INVALIDATE)
    return read_canonical(canonical(replace(book, irregularities=(*book.irregularities, fire), digest="")))


BOOK = with_fire()
SEED, MUST = 5_000, 15_000


@dataclass
class PotModel:
    """A pot of one table, played again from the beginning whenever it is asked."""

    #: Of each round: the stakes of two players, and the number.
    rounds: list[tuple[tuple[int, int], str]] = field(default_factory=list)

    def play(self) -> tuple[int, int, list[int]]:
        """Return the pot, what it and its reserve have together, and what the players have won or lost."""
        pot, together, totals = SEED, 0, [0, 0]
        for stakes, number in self.rounds:
            staked = sum(stakes)
            if not staked:
                continue
            won = number == "0" or pot >= MUST
            shares = [stake * min(pot, MUST) // staked for stake in stakes] if won else [0, 0]
            for place, stake in enumerate(stakes):
                totals[place] += shares[place] if won else -stake
                together += stake // 2 + stake * 2 // 5
            together -= sum(shares)
            pot = (SEED if won else pot) + sum(stake // 2 for stake in stakes)
        return pot, together, totals


def pot_of(house: House) -> tuple[int, int]:
    pot = house.pots[BOOK.id]
    assert house.ledger[LedgerAccount.PROGRESSIVE] == pot.amount
    assert house.ledger[LedgerAccount.RESERVE] == pot.reserve
    return pot.amount, pot.amount + pot.reserve


def slips(*stakes: int) -> dict[str, str]:
    return {f"T{seat}": f"{stake / 100:.2f} on pot" for seat, stake in enumerate(stakes, start=1) if stake}


@pytest.mark.parametrize("seed", range(many(day=10, night=200)))
def test_any_course_of_rounds_leaves_the_pot_of_a_small_model(seed: int) -> None:
    """Random stakes and numbers, of which the last is sometimes corrected, leave the pot and the credits of a model."""
    dice, floor, model = Random(seed), Floor(BOOK), PotModel()  # noqa: S311 - it must be reproducible
    for number in range(1, 13):
        stakes = (dice.choice((0, 500, 501, 1_333, 5_000)), dice.choice((0, 0, 700, 2_500)))
        pocket = dice.choice(("0", "1", "2", "3"))
        floor.round(pocket, **slips(*stakes))
        if dice.randrange(3) == 0:
            true = dice.choice([each for each in ("0", "1", "2") if each != pocket])
            floor.correct(number, true)
            pocket = true
        if dice.randrange(8) == 0:
            floor.invalidate(number)
            stakes = (0, 0)
        model.rounds.append((stakes, pocket))
        pot, together, totals = model.play()
        assert pot_of(floor.house) == (pot, together)
        assert [floor.total(seat) - START for seat in ("T1", "T2")] == totals
        floor.check()


def test_correction_that_no_pot_depends_on_has_no_entry_of_it() -> None:
    """By another number that does not win the pot either, what the round added stays, and nothing new is recorded."""
    floor = Floor(BOOK)
    floor.round("1", T1="5 on pot")
    before = pot_of(floor.house)
    floor.correct(1, "2")
    assert len([event for event in floor.events if isinstance(event, PotChanged)]) == 1
    assert pot_of(floor.house) == before


def test_invalidated_round_is_as_if_it_had_not_been() -> None:
    """An outcome that is taken back gives the stakes back, and the pot what it was."""
    floor = Floor(BOOK)
    floor.round("1", T1="10 on pot")
    before = pot_of(floor.house), floor.total()
    floor.round("0", T1="10 on pot; 5 on 0")
    assert pot_of(floor.house) != before[0]
    floor.invalidate(2)
    assert (pot_of(floor.house), floor.total()) == before
    floor.check()


def test_correction_after_another_win_is_the_reserves() -> None:
    """A round that is corrected to zero after the next one has won the pot is paid from the reserve."""
    floor = Floor(BOOK)
    floor.round("1", T1="5 on pot")
    floor.round("0", T1="5 on pot")
    pot, together = pot_of(floor.house)
    floor.correct(1, "0")
    assert pot_of(floor.house) == (pot, together - SEED)
    assert floor.house.pots[BOOK.id].wins == 1
    floor.check()


def test_due_pot_is_won_on_every_number_and_its_stake_comes_back() -> None:
    """A pot that must be won is a win of its amount, without the stake, on a number that its bet does not cover."""
    floor = Floor(BOOK)
    for number in ("1", "2"):
        floor.round(number, T1="100 on pot")
    floor.round("3", T1="5 on pot")
    game = floor.house.terminals[TerminalId("T1")].games[TABLE]
    assert (game.won, floor.total()) == (MUST, START - 20_000 + MUST)
    floor.check()


class TwoTables(Play):
    """Two tables with one terminal each, which play for one pot."""

    def __init__(self) -> None:
        HouseDriver.__init__(self, BOOK, TableSettings(), TableSettings())
        self.tables = dict(zip(("T1", "T2"), self.house.tables, strict=True))
        for seat, table in self.tables.items():
            self.seat(seat, START, tables=(table,))

    def sealed(self) -> None:
        """Bet five on the pot at both tables, close both, and launch both balls."""
        for seat, table in self.tables.items():
            self.must(OpenBets(table))
            assert isinstance(self.bet(seat, "5 on pot", table), tuple)
            self.must(CloseBets(table))
        self.advance(self.now + 30_000_000)
        for table in self.tables.values():
            assert isinstance(self.by(self.dealer, SpinBall(table)), tuple)

    def rests(self, seat: str, pocket: str) -> None:
        table = self.tables[seat]
        assert isinstance(self.ask(BallAtRest(table, Pocket(pocket), 9, opposite=True), DeviceId(table)), tuple)


def test_two_tables_that_win_one_pot_are_both_paid_what_they_played_for() -> None:
    """Of two rounds that were sealed with one pot, the second is paid from the reserve, and the pot is won once."""
    floor = TwoTables()
    floor.sealed()
    floor.rests("T1", "0")
    first = pot_of(floor.house)
    floor.rests("T2", "0")
    assert [floor.credit(seat) for seat in floor.tables] == [START / 100 + 50] * 2
    assert floor.house.pots[BOOK.id].wins == 1
    assert pot_of(floor.house) == (first[0] + 250, first[1] + 450 - SEED)
    floor.check()


def test_pot_that_must_be_won_is_due_in_one_round() -> None:
    """Of two rounds that play for a pot that must be won, only the first to close wins it on every number."""
    floor = TwoTables()
    pots = floor.house.pots[BOOK.id]
    for _ in range(25):
        floor.sealed()
        floor.rests("T1", "1")
        floor.rests("T2", "1")
        if pots.amount >= MUST:
            break
    assert (pots.amount, pots.wins) == (MUST, 0)
    before = [floor.credit(seat) for seat in floor.tables]
    floor.sealed()
    floor.rests("T2", "1")
    floor.rests("T1", "1")
    assert [floor.credit(seat) for seat in floor.tables] == [before[0] + 150, before[1] - 5]
    assert pots.wins == 1
    floor.check()


def test_what_one_table_adds_is_in_the_pot_of_the_other_from_its_next_round() -> None:
    """A round plays for the pot as it was sealed, and the next for what both tables have added."""
    floor = TwoTables()
    floor.sealed()
    floor.rests("T1", "1")
    floor.rests("T2", "1")
    floor.sealed()
    floor.rests("T1", "2")
    floor.rests("T2", "0")
    assert floor.credit("T2") == START / 100 - 5 + 50 + 5
    # The contribution of the other table since the seal is in the pot that begins then.
    assert pot_of(floor.house)[0] == SEED + 500
    floor.check()


def test_entries_of_a_pot_say_their_amounts() -> None:
    """The journal says what a round plays for, and what it has added and won."""
    floor = Floor(BOOK)
    floor.round("0", T1="5 on pot")
    played = next(event for event in floor.events if isinstance(event, PotPlayedFor))
    changed = next(event for event in floor.events if isinstance(event, PotChanged))
    assert event_sentence(played, drawn=False) == "The round plays for a pot of 50, which bets of 5 share."
    says = "The pot is 52.50 now: 4.50 were added to it and its reserve, and 50 were won."
    assert event_sentence(changed, drawn=False) == says
    assert Fraction(played.amount, played.staked) == 10
