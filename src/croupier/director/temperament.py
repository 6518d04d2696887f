"""Temperaments: how simulated players play, from the careful one to the one who collects and comes back."""

from collections.abc import Iterator
from typing import Final, Protocol

from croupier.director.deed import Collect, Deed, LoseLine
from croupier.director.turn import Turn
from croupier.house.command.play import ConfirmRecall, RecallPattern, RepeatBets, SavePattern, UndoBet
from croupier.rules.callbet import CallKind
from croupier.rules.spot import Kind
from croupier.web.cloth import SpotPlace

EVEN_MONEY: Final = (Kind.RED, Kind.BLACK, Kind.ODD, Kind.EVEN, Kind.LOW, Kind.HIGH)
TWO_TO_ONE: Final = (Kind.DOZEN, Kind.COLUMN)
INSIDE: Final = (Kind.STRAIGHT, Kind.SPLIT, Kind.STREET, Kind.CORNER, Kind.SIX_LINE)
#: The place in which a pattern is saved.
SLOT: Final = 1


class Temperament(Protocol):
    """How somebody plays. Each deed is asked for when its time has come, and sees what came of the one before."""

    def deeds(self, turn: Turn) -> Iterator[Deed]: ...


class Careful:
    """Lets nothing lie, and puts one chip on an even chance, at times another on a dozen."""

    def deeds(self, turn: Turn) -> Iterator[Deed]:
        yield from turn.clear()
        yield from turn.buy_in()
        yield from turn.put(turn.some(EVEN_MONEY, 1))
        if turn.chance.randrange(3) == 0:
            yield from turn.put(turn.some(TWO_TO_ONE, 1))


class Splashy:
    """Puts chips here and there, takes one back or doubles them all."""

    def deeds(self, turn: Turn) -> Iterator[Deed]:
        yield from turn.buy_in()
        for _ in range(turn.chance.randint(3, 6)):
            yield from turn.put(turn.some(INSIDE, 1), chips=turn.chance.randint(1, 3))
        if turn.chips and turn.chance.randrange(3) == 0:
            yield UndoBet(*turn.game)
        elif turn.chance.randrange(3) == 0:
            yield from turn.double()


class Numbers:
    """Has a few numbers, and plays them round after round."""

    def __init__(self) -> None:
        self._own: list[SpotPlace] = []

    def deeds(self, turn: Turn) -> Iterator[Deed]:
        yield from turn.buy_in()
        if self._own and not turn.chips:
            yield RepeatBets(*turn.game)
        self._own = self._own or turn.some((Kind.STRAIGHT,), 3)
        yield from turn.put(spot for spot in self._own if spot.key not in turn.chips)


class Caller:
    """Makes calls; where none is offered, puts chips on numbers that lie together in the wheel."""

    def deeds(self, turn: Turn) -> Iterator[Deed]:
        yield from turn.clear()
        yield from turn.buy_in()
        calls = [call for call in turn.felt.calls if call.kind is not CallKind.MARKER]
        if calls:
            yield from turn.call(turn.chance.choice(turn.chance.choice(calls).ways))
        else:
            yield from turn.put(_together(turn, 5))


class PatternSaver:
    """Saves a pattern once and recalls it from then on; where none can be saved, lays another every time."""

    def deeds(self, turn: Turn) -> Iterator[Deed]:
        yield from turn.clear()
        yield from turn.buy_in()
        if str(SLOT) in turn.sight.patterns:
            yield RecallPattern(*turn.game, SLOT)
            if turn.sight.layouts[turn.table].ghosts:
                yield ConfirmRecall(*turn.game)
        else:
            yield from turn.put(turn.some((Kind.SPLIT, Kind.CORNER), 4))
            if turn.chips and turn.felt.patterns:
                yield SavePattern(*turn.game, SLOT)


class Sleeper:
    """Bets once, and then sits three spins out."""

    OUT: Final = 3

    def __init__(self) -> None:
        self._careful, self._left = Careful(), 0

    def deeds(self, turn: Turn) -> Iterator[Deed]:
        self._left = self.OUT if self._left == 0 else self._left - 1
        return self._careful.deeds(turn) if self._left == self.OUT else turn.clear()


class Wanderer:
    """Plays with care, and loses the line now and then."""

    EVERY: Final = 3

    def __init__(self) -> None:
        self._careful, self._turns = Careful(), 0

    def deeds(self, turn: Turn) -> Iterator[Deed]:
        self._turns += 1
        yield from self._careful.deeds(turn)
        if self._turns % self.EVERY == 0:
            yield LoseLine()


class Collector:
    """Plays some rounds, collects and sits out, and comes back with the next."""

    EVERY: Final = 6

    def __init__(self) -> None:
        self._splashy, self._turns = Splashy(), 0

    def deeds(self, turn: Turn) -> Iterator[Deed]:
        self._turns += 1
        if self._turns % self.EVERY:
            yield from self._splashy.deeds(turn)
        else:
            yield from turn.clear()
            if turn.sight.credit:
                yield Collect()


def _together(turn: Turn, count: int) -> list[SpotPlace]:
    """Choose the straight ups on numbers that are neighbours in the wheel."""
    order = [each.pocket for each in turn.felt.wheel]
    first = turn.chance.randrange(len(order))
    numbers = {order[(first + step) % len(order)] for step in range(count)}
    return [spot for spot in turn.felt.spots if spot.kind is Kind.STRAIGHT and spot.covers[0] in numbers]


#: Who comes, in their order; from the last one on again from the first.
CAST: Final[tuple[type[Temperament], ...]] = (
    Caller,
    Sleeper,
    Careful,
    PatternSaver,
    Splashy,
    Numbers,
    Wanderer,
    Collector,
    Careful,
    Collector,
)
