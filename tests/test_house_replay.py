"""Replay: every event is written and read back as it was, what is not known is not read, and nothing is left out."""

import importlib
from enum import Enum
from types import NoneType, UnionType
from typing import Any, NewType, Union, get_args, get_origin, get_type_hints

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from croupier.house.base import Command, Event
from croupier.house.commands import COMMANDS, DUAL_CONTROL
from croupier.house.commands.rounds import SpinBall
from croupier.house.dispatch import DECIDERS, EVOLVERS
from croupier.house.events import EVENTS
from croupier.house.events.rounds import LaunchCalled
from croupier.house.events.setup import ProposalMade
from croupier.house.ids import Context, Day, DeviceId, Instant, Number, PersonId, RoundNumber
from croupier.house.permissions import PERMISSIONS
from croupier.house.settings import TableSettings
from croupier.house.state import House
from croupier.house.verification import state_digest
from croupier.journal.entry import Cause, Entry, decode, encode
from croupier.journal.stores.memory import MemoryJournal
from croupier.rulebooks.schema import read_canonical
from tests.house_driver import TABLE, Play

SUBJECTS = ("credit", "play", "record", "rounds", "setup")
#: There are many kinds: each is searched a fifth as far as other properties.
EXAMPLES = settings().max_examples // 5
#: What a whole number may be in the journal.
INTEGERS = st.integers(-(2**63), 2**63 - 1)
NOW = Context(Instant(5), DeviceId("wheel"), PersonId("dealer"))
LAUNCH = LaunchCalled(TABLE, RoundNumber(1))


def values(hint: Any) -> st.SearchStrategy[Any]:  # noqa: ANN401 - whatever a field may hold
    """Draw values of a field's type."""
    if isinstance(hint, NewType):
        return values(hint.__supertype__)
    if hint in PLAIN:
        return PLAIN[hint]
    if get_origin(hint) in (Union, UnionType):
        return st.one_of([values(one) for one in get_args(hint)])
    if get_origin(hint) is tuple:
        first, *more = get_args(hint)
        listed = more == [...]
        return st.lists(values(first), max_size=3).map(tuple) if listed else st.tuples(*map(values, (first, *more)))
    if issubclass(hint, Enum):
        return st.sampled_from(hint)
    return structs(hint)


PLAIN: dict[object, st.SearchStrategy[Any]] = {
    NoneType: st.none(),
    bool: st.booleans(),
    int: INTEGERS,
    str: st.text(max_size=20),
}


def structs(kind: type[msgspec.Struct]) -> st.SearchStrategy[Any]:
    """Draw events or commands of one kind."""
    return st.builds(kind, **{name: values(hint) for name, hint in get_type_hints(kind).items()})


def entry_of(event: Event) -> Entry:
    """Write an event as the first entry of a journal."""
    return Entry(1, 1, Day(20261115), NOW, "", None, event)


def tag_of(kind: type[msgspec.Struct]) -> str:
    tag = kind.__struct_config__.tag
    assert isinstance(tag, str)
    return tag


def kinds_in(package: str, base: type[msgspec.Struct]) -> set[type[msgspec.Struct]]:
    """Find every kind that a package's modules define, whether it is declared or not."""
    modules = [importlib.import_module(f"croupier.house.{package}.{subject}") for subject in SUBJECTS]
    return {
        kind
        for module in modules
        for kind in vars(module).values()
        if isinstance(kind, type) and issubclass(kind, base) and kind.__module__ == module.__name__
    }


@pytest.mark.property
@pytest.mark.parametrize("kind", EVENTS, ids=lambda kind: kind.__name__)
@settings(max_examples=EXAMPLES)
@given(data=st.data())
def test_event_is_read_back_as_it_was_written(kind: type[Event], data: st.DataObject) -> None:
    """An event of any kind, with whatever it may hold, comes out of its bytes equal, with its place and its stamp."""
    position, epoch, day = (data.draw(INTEGERS) for _ in range(3))
    context, cause = data.draw(structs(Context)), data.draw(st.none() | structs(Cause))
    written = Entry(position, epoch, Day(day), context, data.draw(st.text()), cause, data.draw(structs(kind)))

    entry = decode(encode(written))

    assert type(entry.event) is kind
    assert entry == written
    assert encode(entry) == encode(written)


@pytest.mark.property
@pytest.mark.parametrize("kind", sorted(DUAL_CONTROL, key=str), ids=lambda kind: kind.__name__)
@settings(max_examples=EXAMPLES)
@given(data=st.data())
def test_proposal_of_any_kind_is_read_back(kind: type[Command], data: st.DataObject) -> None:
    """What waits for a second signature stands in its entry whole, and is read back equal."""
    event = ProposalMade(Number(1), data.draw(structs(kind)), Instant(7))

    assert decode(encode(entry_of(event))).event == event


@pytest.mark.parametrize("kind", EVENTS, ids=lambda kind: kind.__name__)
def test_event_of_another_version_is_not_read(kind: type[Event]) -> None:
    """The second version of a kind, which nobody has defined, is refused and never guessed at."""
    tag = tag_of(kind).encode()
    body = encode(entry_of(LAUNCH)).replace(b"launch_called.1", tag.replace(b".1", b".2"))

    with pytest.raises(msgspec.ValidationError, match=r"Invalid value '\S+\.2'"):
        decode(body)


@pytest.mark.parametrize(
    ("was", "now"),
    [
        (b'"type":"launch_called.1"', b'"type":"launch_called"'),
        (b'"type":"launch_called.1"', b'"type":"launch_called.0"'),
        (b'"type":"launch_called.1"', b'"type":"LaunchCalled"'),
        (b'"type":"launch_called.1"', b'"type":"ball_thrown.1"'),
        (b'"type":"launch_called.1"', b'"type":1'),
        (b'"type":"launch_called.1",', b""),
        (b',"round":1', b""),
        (b'"round":1', b'"round":"1"'),
        (b'"round":1', b'"round":1.5'),
        (b'"round":1', b'"round":true'),
        (b'"round":1', b'"round":null'),
        (b'"position":1,', b""),
        (b'"cause":null', b'"cause":[]'),
        (b'"now":5', b'"now":"5"'),
        (b'"context":{', b'"context":[{'),
    ],
)
def test_entry_that_is_not_one_is_not_read(was: bytes, now: bytes) -> None:
    """An entry with an unknown kind, without a field or with another type of value is refused, not repaired."""
    body = encode(entry_of(LAUNCH))
    assert was in body

    with pytest.raises(msgspec.DecodeError):
        decode(body.replace(was, now))


@pytest.mark.parametrize("holder", [b'"event":{', b'"context":{', b"{"], ids=["event", "context", "entry"])
def test_entry_with_a_field_too_many_is_not_read(holder: bytes) -> None:
    """A field that this version does not know is not passed over in silence: whoever wrote it meant something by it."""
    body = encode(entry_of(LAUNCH))

    with pytest.raises(msgspec.DecodeError):
        decode(body.replace(holder, holder + b'"bonus":7,', 1))


def test_every_command_is_decided_and_granted() -> None:
    """Every kind of command has one way to be decided and one line that says who may ask, and there are no others."""
    kinds = kinds_in("commands", Command)

    assert set(COMMANDS) == kinds
    assert set(DECIDERS) == kinds
    assert set(PERMISSIONS) == kinds
    assert kinds > DUAL_CONTROL


def test_every_event_is_carried_out() -> None:
    """Every kind of event has one way to be carried out, and there are no others."""
    kinds = kinds_in("events", Event)

    assert set(EVENTS) == kinds
    assert set(EVOLVERS) == kinds


def test_every_kind_has_a_tag_of_its_own() -> None:
    """No two kinds of event share a tag, each carries its version, and no two commands share one either."""
    tags = [tag_of(kind) for kind in EVENTS]

    assert len(set(tags)) == len(tags)
    assert all(tag.endswith(".1") for tag in tags)
    assert len({tag_of(kind) for kind in COMMANDS}) == len(COMMANDS)


def test_journal_holds_what_was_answered_and_no_more() -> None:
    """The entries of a played round are the events that were answered, in order, counted from 1."""
    play = Play("skycity-adelaide-2003", TableSettings(warning_s=0))
    play.seats(T1=100)
    play.round("17", T1="5 on 17; 5 on red")
    refused = play.by("auditor", SpinBall(TABLE))
    entries = list(play.journal.entries())

    assert not isinstance(refused, tuple)
    assert [entry.event for entry in entries] == play.events
    assert [entry.position for entry in entries] == list(range(1, len(entries) + 1))


def test_replay_of_a_beginning_gives_the_house_of_that_time() -> None:
    """Reading a journal up to what had happened by some moment gives the house as it was then, and twice the same."""
    play = Play("clearwater-etg")
    play.seats(T1=100, T2=100)
    then = {play.journal.position: state_digest(play.house)}
    for pocket in ("17", "0", "00"):
        play.round(pocket, T1="5 on 17", T2="2 on red-splits; 1 on 0/00")
        then[play.journal.position] = state_digest(play.house)

    for position, was in then.items():
        journal = MemoryJournal()
        journal.store.stored = [page for page in play.journal.store.stored if page.last <= position]
        assert state_digest(journal.replay(House(read_canonical))) == was
        assert state_digest(journal.replay(House(read_canonical))) == was
    assert len(set(then.values())) == 4
