"""The auditor counts pockets itself: a house that reads its prices or its layout wrongly is found at the settlement."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

import pytest

from croupier.rulebooks.loader import load_rulebook, rulebook_ids
from croupier.rulebooks.schema import read_canonical
from croupier.rules import rulebook as rulebooks
from croupier.rules.geometry import Kind, Layout, Pocket, Spot, SpotKey, derive_spots
from croupier.rules.rulebook import PayoutTable, Rulebook
from croupier.simulation.auditor.payouts import ModelPayouts
from tests.support.audited import Audited, breaks, sealed
from tests.support.sample_commands import ADELAIDE, CLEARWATER, MARINA

pytestmark = pytest.mark.untraced

NUMBER: Final = Pocket("17")
#: The kinds of spots that cover the number, each of which a slip has one of.
KINDS: Final = ("straight", "split", "street", "corner", "six_line", "column", "dozen", "black", "odd", "low")
VENUES: Final = (MARINA, ADELAIDE, CLEARWATER)
#: The spots that win, with the return of one cent on each.
Winners = dict[SpotKey, int]


def felt_of(floor: Audited) -> PayoutTable:
    """The prices that the house goes by."""
    return floor.house.payout_tables[floor.table.playing.rulebook]


def on_every_kind(floor: Audited, winners: Mapping[SpotKey, int]) -> dict[str, SpotKey]:
    """One spot of each kind that covers the number."""
    return {floor.rulebook.spots[spot].kind: spot for spot in reversed(list(winners))}


def played(rulebook_id: str) -> tuple[Audited, PayoutTable, dict[str, SpotKey]]:
    """A floor with a chip on one spot of every kind that covers the number."""
    opened = Audited(rulebook_id)
    opened.seats(T1=100)
    opened.open()
    spots = on_every_kind(opened, felt_of(opened).winners[NUMBER])
    floor = sealed(rulebook_id, T1="; ".join(f"5 on {spot}" for spot in spots.values()))
    return floor, felt_of(floor), spots


@pytest.mark.parametrize("rulebook_id", VENUES)
def test_slip_has_every_kind(rulebook_id: str) -> None:
    """A slip has a chip on each kind of spot that covers the number, and the auditor agrees with what it is paid."""
    floor, _, spots = played(rulebook_id)

    assert set(spots) == set(KINDS)
    floor.rest(NUMBER)


@pytest.mark.parametrize("off", [-1, 1], ids=["one less", "one more"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rulebook_id", VENUES)
def test_wrong_price_of_any_kind_is_found(
    rulebook_id: str, kind: str, off: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A price that is one to one too high or too low is found, whatever kind of bet it is of."""
    floor, felt, spots = played(rulebook_id)
    right = felt.winners[NUMBER][spots[kind]]
    monkeypatch.setitem(felt.winners[NUMBER], spots[kind], right + off)

    breaks("I3", lambda: floor.rest(NUMBER))


def pay_the_neighbour(winners: Mapping[Pocket, Winners], _spots: Mapping[str, SpotKey]) -> Winners:
    """Read the number beside it on the wheel."""
    return winners[Pocket("34")]


def pay_the_number_below(winners: Mapping[Pocket, Winners], _spots: Mapping[str, SpotKey]) -> Winners:
    """Count numbers from nought."""
    return winners[Pocket("16")]


def swap_the_colours(winners: Mapping[Pocket, Winners], spots: Mapping[str, SpotKey]) -> Winners:
    """Take red for black."""
    right = dict(winners[NUMBER])
    right[SpotKey("red")] = right.pop(spots["black"])
    return right


def forget_a_split(winners: Mapping[Pocket, Winners], spots: Mapping[str, SpotKey]) -> Winners:
    """Overlook a chip that lies on a line."""
    return {spot: gross for spot, gross in winners[NUMBER].items() if spot != spots["split"]}


def pay_straights_alone(winners: Mapping[Pocket, Winners], spots: Mapping[str, SpotKey]) -> Winners:
    """Pay nothing but the number itself."""
    return {spots["straight"]: winners[NUMBER][spots["straight"]]}


def keep_every_stake(winners: Mapping[Pocket, Winners], _spots: Mapping[str, SpotKey]) -> Winners:
    """Pay the odds and keep the winning stakes."""
    return {spot: gross - 1 for spot, gross in winners[NUMBER].items()}


def return_stakes_only(winners: Mapping[Pocket, Winners], _spots: Mapping[str, SpotKey]) -> Winners:
    """Give winners their stakes back and no more."""
    return dict.fromkeys(winners[NUMBER], 1)


def pay_splits_as_straights(winners: Mapping[Pocket, Winners], spots: Mapping[str, SpotKey]) -> Winners:
    """Pay a chip between two numbers as if it lay on one."""
    return {**winners[NUMBER], spots["split"]: winners[NUMBER][spots["straight"]]}


def pay_dozens_as_even_chances(winners: Mapping[Pocket, Winners], spots: Mapping[str, SpotKey]) -> Winners:
    """Pay a dozen at the price of the chances beside it."""
    return {**winners[NUMBER], spots["dozen"]: winners[NUMBER][spots["low"]]}


def lose_on_every_number(_winners: Mapping[Pocket, Winners], _spots: Mapping[str, SpotKey]) -> Winners:
    """Take the number for a zero on which everything loses."""
    return {}


MISREADINGS: Final[tuple[Callable[[Mapping[Pocket, Winners], Mapping[str, SpotKey]], Winners], ...]] = (
    pay_the_neighbour,
    pay_the_number_below,
    swap_the_colours,
    forget_a_split,
    pay_straights_alone,
    keep_every_stake,
    return_stakes_only,
    pay_splits_as_straights,
    pay_dozens_as_even_chances,
    lose_on_every_number,
)


@pytest.mark.parametrize("misread", MISREADINGS, ids=[each.__name__ for each in MISREADINGS])
@pytest.mark.parametrize("rulebook_id", VENUES)
def test_misread_layout_is_found(
    rulebook_id: str,
    misread: Callable[[Mapping[Pocket, Winners], Mapping[str, SpotKey]], Winners],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A house that misreads the layout or the table of odds pays something else than a count of pockets comes to."""
    floor, felt, spots = played(rulebook_id)
    monkeypatch.setitem(felt.winners, NUMBER, misread(felt.winners, spots))

    breaks("I3", lambda: floor.rest(NUMBER))


@pytest.mark.parametrize("rulebook_id", rulebook_ids())
def test_auditor_finds_the_spots_of_a_felt_by_itself(rulebook_id: str) -> None:
    """Chips that are tried on every point of a felt give the spots, kinds and numbers that the rules derive."""
    book = load_rulebook(rulebook_id)
    assert isinstance(book, Rulebook)
    model = ModelPayouts(book)

    assert [(key, model.kinds[key], model.covers[key]) for key in model.kinds] == [
        (key, spot.kind, spot.covers) for key, spot in book.spots.items()
    ]


def numbered(first: int, last: int) -> tuple[Pocket, ...]:
    return tuple(Pocket(str(number)) for number in range(first, last + 1))


def shifted(spot: Spot, by: int) -> tuple[Pocket, ...]:
    """Each number of a spot raised, from 36 on again from the first."""
    return tuple(Pocket(str((int(number) - 1 + by) % 36 + 1)) for number in spot.numbers)


#: What a wrong derivation gives for the spots of each kind: read from the wrong cells of the layout.
UNSIGHTED: Final[Mapping[str, Callable[[Spot], tuple[Pocket, ...]]]] = {
    "straight": lambda spot: shifted(spot, 1),
    "split": lambda spot: spot.numbers[:1] if Pocket("17") in spot.numbers[1:] else spot.numbers[1:],
    "street": lambda spot: shifted(spot, 3),
    "corner": lambda spot: tuple(number for number in spot.numbers if number != "17"),
    "six_line": lambda spot: shifted(spot, 6),
    "column": lambda spot: shifted(spot, 1),
    "dozen": lambda spot: shifted(spot, 12),
    "black": lambda _: tuple(number for number in numbered(1, 36) if int(number) % 2 == 0),
    "odd": lambda spot: shifted(spot, 1),
    "low": lambda _: numbered(1, 16),
}


@pytest.fixture
def fresh() -> Iterator[None]:
    """Rulebooks whose spots are derived in this test, and not kept after it."""
    read_canonical.cache_clear()
    yield
    read_canonical.cache_clear()


@pytest.mark.usefixtures("fresh")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rulebook_id", VENUES)
def test_spots_that_the_rules_derive_wrongly_are_found(
    rulebook_id: str, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Numbers that the rules derive wrongly for one kind of bet, for the house and its views alike, are found."""
    _, _, spots = played(rulebook_id)

    def derive_wrongly(layout: Layout, kinds: Sequence[Kind]) -> tuple[Spot, ...]:
        return tuple(
            replace(spot, numbers=UNSIGHTED[kind](spot)) if spot.key == spots[kind] else spot
            for spot in derive_spots(layout, kinds)
        )

    monkeypatch.setattr(rulebooks, "derive_spots", derive_wrongly)
    read_canonical.cache_clear()
    floor = sealed(rulebook_id, T1="; ".join(f"5 on {spot}" for spot in spots.values()))

    breaks("I3", lambda: floor.rest(NUMBER))
