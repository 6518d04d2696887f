"""The state codec: the state survives in every phase of a round at every venue, whatever fields it has."""

import os
import re
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field, make_dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import msgspec
import pytest

from croupier.engine import storage as codec
from croupier.engine.sequencer import IdempotencyCache, rulebook_of
from croupier.engine.storage import DeserialiseError, Schema, StateCopy, decode_state, encode_state, schema
from croupier.house import House, apply
from croupier.house.floor.setup import RulebookAdopted
from croupier.house.ids import SYSTEM, Context, Derived, Instant
from croupier.house.rounds.recovery import Recover
from croupier.house.state.tables import BetStep, Phase
from croupier.house.verification import ledger_problems, state_digest
from croupier.journal.entry import IdempotencyKey
from croupier.rulebooks.schema import read_canonical
from tests.campaign import many
from tests.machine import UNREACHABLE
from tests.test_house_permissions import floor_in
from tests.transcript_runs import ROUNDS, entries_of, read_on, walked

#: Every how manieth shipped round is walked with the state encoded after every entry.
STRIDE = len(ROUNDS) // many(day=20, night=len(ROUNDS))


def again(house: House) -> House:
    """Encode a house and decode it."""
    decoded, _ = decode_state(encode_state(house))
    return decoded


@pytest.mark.parametrize(
    ("rulebook_id", "phase"),
    [(rulebook_id, phase) for rulebook_id, never in UNREACHABLE.items() for phase in Phase if phase not in never],
)
def test_state_survives_in_every_phase_of_a_round(rulebook_id: str, phase: Phase) -> None:
    """At every venue, in every phase, a state that is encoded and decoded recovers as one that is not."""
    floor = floor_in(rulebook_id, phase)
    straight = floor.journal.replay(House(read_canonical))
    decoded = again(straight)
    assert state_digest(decoded) == state_digest(straight) == state_digest(floor.house)
    assert list(ledger_problems(decoded)) == []

    for house in (straight, decoded):
        apply(house, Recover(), Context(floor.now, SYSTEM))
    assert state_digest(decoded) == state_digest(straight)


@pytest.mark.campaign
@pytest.mark.parametrize("path", ROUNDS[::STRIDE], ids=lambda path: f"{path.parent.parent.name}/{path.stem}")
def test_state_may_be_encoded_after_every_entry(path: Path) -> None:
    """A run through which the state is encoded and decoded after every entry ends as one in which it never was."""
    entries, house = entries_of(path), House(read_canonical)
    for entry in entries:
        house = again(read_on(house, (entry,)))

    assert state_digest(house) == state_digest(read_on(House(read_canonical), entries))


@pytest.mark.untraced
def test_what_is_one_thing_stays_one_thing() -> None:
    """A round that a case and its table both have is one round once decoded too; so is the felt of table and house."""
    shared = 0
    for path in ROUNDS:
        house = read_on(House(read_canonical), entries_of(path))
        decoded = again(house)
        before, after = aliases(house), aliases(decoded)
        assert after == before
        shared += sum(map(any, before))
        for name, table in decoded.tables.items():
            assert table.payouts is decoded.payout_tables[table.rulebook.digest]
            assert table.past.maxlen == house.tables[name].past.maxlen
            assert table.history.maxlen == house.tables[name].history.maxlen
    assert shared > 0


def aliases(house: House) -> list[list[bool]]:
    """Tell for every round of every case which of its table's rounds it is."""
    return [
        [kept is round_ for kept in (house.tables[name].round, *house.tables[name].past)]
        for case in house.cases.all.values()
        for (name, _), round_ in zip(case.questioned, case.rounds, strict=True)
    ]


@pytest.mark.untraced
def test_books_are_sound_after_every_entry() -> None:
    """Through every shipped round the books are sound after each single entry, and each has a rulebook or none."""
    for path in ROUNDS:
        for entry, house in walked(entries_of(path)):
            assert next(ledger_problems(house), None) is None, (path, entry)
            named = rulebook_of(house, entry.event)
            assert named in house.rulebooks or not named
            assert not named or not isinstance(entry.event, RulebookAdopted)


def test_same_state_gives_the_same_bytes() -> None:
    """Two houses that read the same journal, and one that was decoded, are encoded alike to the last byte."""
    for path in ROUNDS[:: 4 * STRIDE]:
        entries = entries_of(path)
        first, second = (read_on(House(read_canonical), entries) for _ in range(2))
        encoded = encode_state(first)
        assert encoded == encode_state(second) == encode_state(again(first))


def test_derived_parts_are_worked_out_again() -> None:
    """What follows from the rulebook, the settings and the tickets is as it was, and is not in the bytes."""
    for path in ROUNDS[::STRIDE]:
        house = read_on(House(read_canonical), entries_of(path))
        decoded = again(house)
        assert decoded.tickets.by_digest == house.tickets.by_digest
        for name, terminal in decoded.terminals.items():
            before = house.terminals[name]
            assert (terminal.channel, terminal.profile) == (before.channel, before.profile)
            assert [game.effective_limits for game in terminal.games.values()] == [
                game.effective_limits for game in before.games.values()
            ]
        for table in decoded.tables.values():
            assert table.effective_limits == house.tables[table.id].effective_limits
            assert table.payouts.digest == house.tables[table.id].payouts.digest


def test_copy_does_not_change_with_the_house() -> None:
    """What happens between the copy and its encoding is not in the bytes: they are of one moment."""
    for path in ROUNDS[:: 2 * STRIDE]:
        entries = entries_of(path)
        for at in range(0, len(entries), 7):
            house = read_on(House(read_canonical), entries[:at])
            expected, copy = encode_state(house), StateCopy(house, IdempotencyCache())
            while copy.copy_some():
                pass
            read_on(house, entries[at:])
            assert copy.encode() == expected


def test_counters_may_outgrow_64_bits() -> None:
    """Sums of squares that no machine word holds come back exactly; elsewhere such a number cannot be stored."""
    house = read_on(House(read_canonical), entries_of(ROUNDS[0]))
    table = next(iter(house.tables.values()))
    table.meters.spreads = Counter({37: 2**200 + 1, 38: -(2**64), 39: 5})
    assert again(house).tables[table.id].meters.spreads == table.meters.spreads

    house.setup.copies = 2**64
    with pytest.raises(DeserialiseError, match="its setup cannot be encoded"):
        encode_state(house)


class Colour(StrEnum):
    """Two colours."""

    RED = "red"
    BLACK = "black"


@dataclass(frozen=True, slots=True)
class Leaf:
    """A value."""

    at: Instant
    colour: Colour


@dataclass(slots=True)
class Branch:
    """Something that two places may share."""

    leaves: list[Leaf] = field(default_factory=list)
    last: deque[Leaf] = field(default_factory=lambda: deque(maxlen=2))
    names: set[str] = field(default_factory=set)
    tally: Counter[Colour] = field(default_factory=Counter)
    index: Derived[dict[str, int]] = field(default_factory=dict)


@dataclass(slots=True)
class Tree:
    """A state of its own: every kind of container, and a branch that is in two places."""

    branches: dict[str, Branch] = field(default_factory=dict)
    main: Branch | None = None
    pair: tuple[Leaf, ...] = ()
    numbers: list[int] = field(default_factory=list)
    held: dict[str, dict[Colour, int]] = field(default_factory=dict)


def carried(tree: Tree) -> Tree:
    """A tree encoded and decoded."""
    of_trees, made = Schema(Tree), Tree()
    values: dict[str, Any] = {}
    pools = of_trees.new_pools()
    assert not list(of_trees.copy(tree, values, pools))
    found = values | {name: pool.rows for name, pool in pools.items()}
    of_trees.build(
        made, {name: of_trees.decoders[name].decode(msgspec.msgpack.encode(each)) for name, each in found.items()}, {}
    )
    return made


@pytest.mark.parametrize(("most", "parts"), [(1, [1, 2, 3, 4, 5]), (2, [2, 4, 5]), (4, [4, 5]), (5, [])])
def test_large_collections_are_copied_in_parts(monkeypatch: pytest.MonkeyPatch, most: int, parts: list[int]) -> None:
    """At most so many items are copied at a time, and the copy is the same as in one part."""
    tree, of_trees = Tree({f"b{number}": Branch(names={f"n{number}"}) for number in range(5)}), Schema(Tree)
    whole: dict[str, Any] = {}
    assert not list(of_trees.copy(tree, whole, of_trees.new_pools()))
    monkeypatch.setattr(codec, "COPIED_AT_ONCE", most)
    values: dict[str, Any] = {}

    assert [len(values["branches"]) for _ in of_trees.copy(tree, values, of_trees.new_pools())] == parts
    assert values == whole


def test_half_a_copy_is_not_encoded(monkeypatch: pytest.MonkeyPatch) -> None:
    """A copy is encoded only when it is whole."""
    monkeypatch.setattr(codec, "COPIED_AT_ONCE", 1)
    copy = StateCopy(read_on(House(read_canonical), entries_of(ROUNDS[0])), IdempotencyCache())
    assert copy.copy_some()

    with pytest.raises(AssertionError):
        copy.encode()


def test_fields_of_any_declared_type_are_carried() -> None:
    """Containers, values, counters and bounded queues come back as what they were; what is one object stays one."""
    leaf = Leaf(Instant(7), Colour.BLACK)
    branch = Branch([leaf], deque([leaf] * 3, maxlen=2), {"b", "a"}, Counter({Colour.RED: 2**70}), {"left": 1})
    tree = Tree({"one": branch, "two": Branch()}, branch, (leaf,), [1, 2], {"x": {Colour.RED: 1}})

    made = carried(tree)

    branch.index = {}
    assert made == tree
    assert made.main is not None
    assert made.main is made.branches["one"]
    assert made.main is not made.branches["two"]
    assert made.branches["two"].last.maxlen == branch.last.maxlen
    assert isinstance(made.main.tally, Counter)
    assert carried(Tree()) == Tree()


def extended(kind: type, name: str, annotation: object) -> type:
    """A dataclass like another, with one field more."""
    return make_dataclass(kind.__name__, [(name, annotation, field(default=None))], bases=(kind,))


def test_digest_follows_the_schema_alone() -> None:
    """Every field and its type are in the digest; what is derived, and what is said of a type, is not."""

    class Longer(StrEnum):
        """Three colours."""

        RED = "red"
        BLACK = "black"
        GREEN = "green"

    digest = Schema(Tree).digest
    assert Schema(Tree).digest == digest
    assert Schema(extended(Tree, "index", Derived[dict[str, int]])).digest == digest
    others = [
        Schema(extended(Tree, "more", int)).digest,
        Schema(extended(Tree, "more", str)).digest,
        Schema(extended(Tree, "less", int)).digest,
        Schema(extended(Tree, "more", Colour)).digest,
        Schema(extended(Tree, "more", Longer)).digest,
        Schema(extended(Tree, "more", BetStep)).digest,
        Schema(extended(Tree, "more", IdempotencyKey)).digest,
        Schema(House).digest,
    ]
    assert len({digest, *others}) == 1 + len(others)


@pytest.mark.parametrize("annotation", [object, float, int | list[int], Callable[[], int], re.Pattern])
def test_types_that_no_snapshot_stores_are_refused_at_once(annotation: object) -> None:
    """A field whose type the codec does not know is named when the software is loaded, not when a snapshot is due."""
    with pytest.raises(TypeError, match=r"Tree\.more: "):
        Schema(extended(Tree, "more", annotation))


def part(name: str, value: object) -> bytes:
    """A state of one section."""
    return msgspec.msgpack.encode([(name, value)])


EMPTY = encode_state(House(read_canonical))
FOREIGN = {
    "nothing": b"",
    "text": b"no state",
    "a number": msgspec.msgpack.encode(7),
    "no sections": msgspec.msgpack.encode([]),
    "cut": EMPTY[:-20],
    "more": EMPTY + b"\0",
    "an unknown section": part("os.system", "true"),
    "a wrong type": part("copies", "many"),
    "a field of another class": part("ledger", [[], 7]),
    "a rulebook that is none": part("rulebooks", {"0": "{}"}),
    "a round that is not there": EMPTY[:1]
    + (1 + int.from_bytes(EMPTY[1:5], "big")).to_bytes(4, "big")
    + EMPTY[5:]
    + msgspec.msgpack.encode(("cases", {1: [1, "T", "credits", "1", "", 1, [], [99], "open", 0, 0, False]})),
}


@pytest.mark.parametrize("state", FOREIGN.values(), ids=FOREIGN)
def test_what_is_no_state_is_refused(state: bytes) -> None:
    """Bytes that are not all the sections of a house, each of its type, are no state."""
    with pytest.raises(DeserialiseError, match="the state cannot be read"):
        decode_state(state)


def test_code_in_a_pickle_is_never_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pickle, which would run what it names, is not a state: nothing it names is called."""
    called: list[str] = []
    monkeypatch.setattr(os, "system", called.append)

    with pytest.raises(DeserialiseError):
        decode_state(b"cos\nsystem\n(S'true'\ntR.")
    assert called == []


def test_schema_is_the_same_in_every_process() -> None:
    """The digest of the schema is that of the state's own types."""
    assert schema() == Schema(House).digest
