"""The state as bytes: frozen and thawed in every phase of a round at every venue, into the house's own values alone."""

import os
import pickle
from collections import Counter, deque
from pathlib import Path

import pytest

from croupier.engine.sequencer import rulebook_of
from croupier.engine.state import StateError, freeze, thaw
from croupier.house.command.round import Recover
from croupier.house.event.venue import RulebookAdopted
from croupier.house.fingerprint import fingerprint
from croupier.house.perform import perform
from croupier.house.soundness import unsound
from croupier.house.stamp import SYSTEM, Stamp
from croupier.house.state import House
from croupier.house.table import Phase
from croupier.rulebooks.canonical import read_canonical
from tests.campaign import many
from tests.evenings import ROUNDS, evening, read_on, walked
from tests.machine import UNREACHABLE
from tests.test_house_authority import floor_in

#: Every how manieth shipped round is walked with the state frozen after every entry.
STRIDE = len(ROUNDS) // many(day=20, night=len(ROUNDS))


def again(house: House) -> House:
    """Freeze a house and thaw it."""
    thawed, others = thaw(freeze(house, ("and", "others")))
    assert others == ("and", "others")
    return thawed


@pytest.mark.parametrize(
    ("rulebook_id", "phase"),
    [(rulebook_id, phase) for rulebook_id, never in UNREACHABLE.items() for phase in Phase if phase not in never],
)
def test_state_survives_in_every_phase_of_a_round(rulebook_id: str, phase: Phase) -> None:
    """At every venue, in every phase, a state that is frozen and thawed recovers as one that is not."""
    floor = floor_in(rulebook_id, phase)
    straight = floor.journal.replay(House(read_canonical))
    thawed = again(straight)
    assert fingerprint(thawed) == fingerprint(straight) == fingerprint(floor.house)
    assert list(unsound(thawed)) == []

    for house in (straight, thawed):
        perform(house, Recover(), Stamp(floor.now, SYSTEM))
    assert fingerprint(thawed) == fingerprint(straight)


@pytest.mark.campaign
@pytest.mark.parametrize("path", ROUNDS[::STRIDE], ids=lambda path: f"{path.parent.parent.name}/{path.stem}")
def test_state_may_be_frozen_after_every_entry(path: Path) -> None:
    """An evening through which the state is frozen and thawed after every entry ends as one in which it never was."""
    entries, house = evening(path), House(read_canonical)
    for entry in entries:
        house = again(read_on(house, (entry,)))

    assert fingerprint(house) == fingerprint(read_on(House(read_canonical), entries))


def test_what_is_one_thing_stays_one_thing() -> None:
    """A round that a case and its table both have is one round after a thaw too; so is the felt of table and house."""
    shared = 0
    for path in ROUNDS:
        house = read_on(House(read_canonical), evening(path))
        thawed = again(house)
        before, after = aliases(house), aliases(thawed)
        assert after == before
        shared += sum(map(any, before))
        for name, table in thawed.tables.items():
            assert table.felt is thawed.felts[table.rulebook.digest]
            assert table.past.maxlen == house.tables[name].past.maxlen
            assert table.history.maxlen == house.tables[name].history.maxlen
    assert shared > 0


def aliases(house: House) -> list[list[bool]]:
    """Tell for every round of every case which of its table's rounds it is."""
    return [
        [kept is round_ for kept in (house.tables[name].round, *house.tables[name].past)]
        for case in house.cases.values()
        for (name, _), round_ in zip(case.questioned, case.rounds, strict=True)
    ]


def test_books_are_sound_after_every_entry() -> None:
    """Through every shipped round the books are sound after each single entry, and each has a rulebook or none."""
    for path in ROUNDS:
        for entry, house in walked(evening(path)):
            assert next(unsound(house), None) is None, (path, entry)
            named = rulebook_of(house, entry.event)
            assert named in house.rulebooks or not named
            assert not named or not isinstance(entry.event, RulebookAdopted)


class Boom:
    """What an attacker would like to have built."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.system, ("true",)


def naming(module: str, name: str) -> bytes:
    """A pickle that names something in a module, however deep, and calls it with a word."""
    words = b"".join(b"\x8c" + bytes([len(word)]) + word.encode() for word in (module, name))
    return b"\x80\x05" + words + b"\x93" + b"\x8c\x04true\x85R."


FOREIGN = {
    "os.system": pickle.dumps(Boom()),
    "eval": naming("builtins", "eval"),
    "through a module of the journal": naming("croupier.journal.anchor", "os.system"),
    "through a module of the house": naming("croupier.house.felt", "hashlib.sha256"),
    "imported by the house": naming("croupier.house.state", "dataclass"),
    "within a value of the house": naming("croupier.house.books", "Books.move"),
    "a function of the house": naming("croupier.house.decide", "decide"),
    "a file": naming("croupier.journal.snapshot", "SnapshotFile"),
    "a safe": naming("croupier.journal.safe", "Safe"),
    "no such name": naming("croupier.house.state", "Hose"),
    "no such module": naming("croupier.house.stat", "House"),
}


@pytest.mark.parametrize("state", FOREIGN.values(), ids=FOREIGN)
def test_foreign_things_are_not_built(state: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """A state that names anything but the house's own values is refused, and what it names is never called."""
    called: list[str] = []
    monkeypatch.setattr(os, "system", called.append)

    with pytest.raises(StateError):
        thaw(state)
    assert called == []


@pytest.mark.parametrize(
    "state",
    [b"", b"no pickle", pickle.dumps(7), pickle.dumps((1, 2, 3)), freeze(House(read_canonical), None)[:-20]],
    ids=["empty", "text", "number", "three", "cut"],
)
def test_what_is_no_state_is_refused(state: bytes) -> None:
    """Bytes that are not two things, a house and what goes with it, are no state."""
    with pytest.raises(StateError):
        thaw(state)


def test_counters_and_queues_are_built() -> None:
    """What the state needs of the world beyond its own values comes back as what it was, with its bound."""
    queue = deque([1, 2], maxlen=3)
    _, others = thaw(freeze(House(read_canonical), (Counter({5: 2}), queue)))

    assert others == (Counter({5: 2}), queue)
    assert isinstance(others, tuple)
    assert others[1].maxlen == 3
