"""The state codec: the state survives in every phase of a round at every venue, whatever fields it has."""

import os
import zlib
from pathlib import Path

import msgspec
import pytest

from croupier.engine.sequencer import rulebook_of
from croupier.engine.storage import DeserialiseError, State, decode_state, digest_schema, encode_state, schema
from croupier.house import House, apply
from croupier.house.floor.setup import RulebookAdopted
from croupier.house.ids import SYSTEM, Context
from croupier.house.rounds.recovery import Recover
from croupier.house.state.tables import Phase
from croupier.house.verification import ledger_problems, state_digest
from croupier.rulebooks.schema import read_canonical
from tests.house.floor.test_permissions import floor_in
from tests.support.campaign import many
from tests.support.machine import UNREACHABLE
from tests.support.transcript_runs import ROUNDS, entries_of, read_on, walked

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
    straight = floor.journal.replay(House.new(read_canonical))
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
    entries, house = entries_of(path), House.new(read_canonical)
    for entry in entries:
        house = again(read_on(house, (entry,)))

    assert state_digest(house) == state_digest(read_on(House.new(read_canonical), entries))


@pytest.mark.untraced
def test_what_is_one_thing_stays_one_thing() -> None:
    """A round that a case and its table both have is one round once decoded too; so is the felt of table and house."""
    shared = 0
    for path in ROUNDS:
        house = read_on(House.new(read_canonical), entries_of(path))
        decoded = again(house)
        before, after = aliases(house), aliases(decoded)
        assert after == before
        shared += sum(map(any, before))
        for table in decoded.tables.values():
            assert table.payouts is decoded.payout_tables[table.rulebook.digest]
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


def test_derived_parts_are_worked_out_again() -> None:
    """What follows from the rulebook, the settings and the tickets is as it was, and is not in the bytes."""
    for path in ROUNDS[::STRIDE]:
        house = read_on(House.new(read_canonical), entries_of(path))
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


def test_counters_may_outgrow_64_bits() -> None:
    """Sums of squares that no machine word holds come back exactly."""
    house = read_on(House.new(read_canonical), entries_of(ROUNDS[0]))
    table = next(iter(house.tables.values()))
    table.meters.spreads = {37: 2**200 + 1, 38: -(2**64), 39: 5}
    assert again(house).tables[table.id].meters.spreads == table.meters.spreads


def test_state_of_another_type_is_not_encoded() -> None:
    """A state that has what no snapshot stores is no snapshot."""
    house = House.new(read_canonical)
    house.setup.build = object()  # type: ignore[assignment]
    with pytest.raises(DeserialiseError, match="cannot be encoded"):
        encode_state(house)


EMPTY = encode_state(House.new(read_canonical))


def with_state(old: str, new: str) -> bytes:
    """Return the state of an empty house with another text in one place."""
    text = zlib.decompress(EMPTY).decode()
    assert text.count(old) == 1
    return zlib.compress(text.replace(old, new).encode())


FOREIGN = {
    "nothing": b"",
    "text": b"no state",
    "not compressed": zlib.decompress(EMPTY),
    "a number": zlib.compress(b"7"),
    "no house": zlib.compress(b'{"responses":{}}'),
    "cut": EMPTY[:-20],
    "an unknown section": with_state('"responses":', '"os.system":"true","responses":'),
    "a wrong type": with_state('"copies":0', '"copies":"many"'),
    "a field of another class": with_state('"ledger":{"balances":', '"ledger":{"balances":[],"more":'),
    "a rulebook that is none": with_state('"rulebook_texts":{}', '"rulebook_texts":{"0":"{}"}'),
    "a position at no terminal": with_state('"positions":{}', '"positions":{"1":{"id":1,"terminal":"T","table":"A"}}'),
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


def test_schema_follows_the_types_alone() -> None:
    """The digest of the schema follows every field of the state, and nothing that is said of a type."""
    described = msgspec.json.schema(State)
    terminal = described["$defs"]["Terminal"]
    assert "description" in terminal
    terminal["description"] = "another"
    assert digest_schema(described) == schema()
    terminal["properties"]["more"] = {"type": "integer"}
    assert digest_schema(described) != schema()
