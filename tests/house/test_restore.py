"""Snapshots in the middle of a round: what is derived from the state is the same after it was read back."""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import pytest

from croupier.engine.storage import decode_state, encode_state
from croupier.house import House, evolve
from croupier.house.floor.service import NotifyOfficer
from croupier.house.ids import PositionId
from croupier.house.live.arrangements import ArrangeVip
from croupier.house.rounds.opening import BetsOpened
from croupier.house.settings import LimitBounds, LimitSettings, TableSettings
from croupier.house.state.tables import GameAtTerminal
from croupier.house.state.timer_heap import Timers
from croupier.rulebooks.schema import read_canonical
from croupier.rules.rulebook import PayoutTable, Rulebook
from tests.support.campaign import many
from tests.support.house_driver import ADELAIDE, CLEARWATER, TABLE, Play, cents, limits, refused
from tests.support.transcript_runs import ROUNDS, entries_of

#: Not derived: the caller supplies the reader, and a snapshot begins without dropped tickets.
SUPPLIED = {"read_rulebook", "retired"}


def derived(house: House) -> dict[str, object]:
    """All derived parts of a house by their place, as values that can be compared."""
    return dict(_parts("house", house))


def _parts(place: str, part: object) -> Iterator[tuple[str, object]]:
    """Walk a part of the state: what is derived is a slot of a class that it extends, and no field of its own."""
    if is_dataclass(part) and not isinstance(part, type):
        for base in type(part).__mro__[1:]:
            for name in getattr(base, "__slots__", ()):
                # A player with chips sits at no terminal.
                if name not in SUPPLIED:
                    yield f"{place}.{name}", _plain(part, getattr(part, name, None))
        for each in fields(part):
            yield from _parts(f"{place}.{each.name}", getattr(part, each.name))
    elif isinstance(part, dict):
        for key, value in part.items():
            yield from _parts(f"{place}[{key}]", value)


def _plain(owner: object, value: Any) -> object:  # noqa: ANN401 - any derived part
    match value:
        case dict():
            return {key: _plain(owner, each) for key, each in value.items()}
        case Rulebook():
            return value.digest
        case PayoutTable():
            return (value.digest, value.rulebook.digest)
        case Timers():
            return sorted(value.pending())
        case GameAtTerminal():
            assert value.game is owner
            return (value.terminal.id, value.table.id)
        case _:
            return value


def restored(house: House) -> House:
    """Read a house back from a snapshot."""
    copy, _ = decode_state(encode_state(house))
    return copy


def check(house: House) -> House:
    """Assert that a house has the same derived parts after it was restored; return the restored one."""
    copy, before = restored(house), derived(house)
    after = derived(copy)
    assert after.keys() == before.keys()
    for place, value in before.items():
        assert after[place] == value, place
    for game in copy.positions.values():
        if game.terminal:
            assert game.seat.terminal is copy.terminals[game.terminal]
            assert game.seat.table is copy.tables[game.table]
    assert all(table.payouts is copy.payout_tables[table.rulebook.digest] for table in copy.tables.values())
    return copy


def test_derived_parts_are_found() -> None:
    """The walk finds the parts that are known to be derived, of the house, a table, a terminal and a position."""
    play = Play(CLEARWATER)
    play.seats(T1=100)
    found = {place.rsplit(".", 1)[1] for place in derived(play.house)}
    assert found == {
        *("rulebooks", "payout_tables", "by_digest", "open", "timers"),
        *("rulebook", "payouts", "effective_limits", "channel", "profile", "games", "best", "seat"),
    }


#: Of each venue, so many of its transcripts; by night all of them.
SAMPLE = [
    path
    for folder in sorted({path.parent for path in ROUNDS})
    for path in sorted(folder.glob("*.round"))[:: many(day=6, night=1)]
]


@pytest.mark.campaign
@pytest.mark.parametrize("path", SAMPLE, ids=lambda path: f"{path.parent.parent.name}/{path.stem}")
def test_state_is_restored_after_every_entry_of_a_transcript(path: Path) -> None:
    """In the transcripts of every venue, a snapshot after any entry from the first opening restores what is derived."""
    house, opened = House.new(read_canonical), False
    for entry in entries_of(path):
        evolve(house, entry.event, entry.context)
        opened = opened or isinstance(entry.event, BetsOpened)
        if opened:
            check(house)


@pytest.mark.clause(CLEARWATER, "13.a")
@pytest.mark.parametrize("black", ["81", "82"])
def test_risk_check_after_a_restart_in_an_open_round(black: str) -> None:
    """Beside 100 on red, 81 on black are taken and 82 refused, before a restart with open bets and after it."""
    play = Play(CLEARWATER, TableSettings(limits=limits(1, 500)))
    play.seats(T1=500)
    play.open()
    assert isinstance(play.bet("T1", "100 on red"), tuple)
    (game,) = play.house.positions.values()
    assert game.best == cents(200)
    play.house = check(play.house)
    answer = play.bet("T1", f"{black} on black")
    if black == "81":
        assert isinstance(answer, tuple)
        (game,) = check(play.house).positions.values()
        assert (game.best, game.staked) == (cents(200), cents(181))
    else:
        assert refused(answer) == ("too_little_risk", "13.a")


@pytest.mark.clause(ADELAIDE, "8(a)")
def test_limits_by_arrangement_are_restored() -> None:
    """A player with limits of their own, at a terminal, has them after a restart too."""
    play = Play(ADELAIDE, TableSettings(limits=limits(5, 100)))
    play.seats(T1=5_000)
    chief = play.enrol("Shift Manager", "chief")
    play.by(chief, NotifyOfficer("T1", "An arrangement."))
    play.at(10)
    own = LimitSettings(spot=LimitBounds(cents(5), cents(2_000)))
    arranged = play.by(chief, ArrangeVip(TABLE, (PositionId(1),), "Signed.", straight_only=False, limits=own))
    assert isinstance(arranged, tuple), arranged
    play.open()
    play.house = check(play.house)
    assert isinstance(play.bet("T1", "2000 on red"), tuple)
