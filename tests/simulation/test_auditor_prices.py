"""The auditor counts pockets itself: a house that reads its prices or its layout wrongly is found at the settlement."""

from collections.abc import Callable, Mapping
from typing import Final

import pytest

from croupier.rules.geometry import Pocket, SpotKey
from croupier.rules.rulebook import PayoutTable
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
