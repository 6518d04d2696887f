"""Replay: every event is written and read back as it was, what is not known is not read, and nothing is left out."""

from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, ClassVar, NewType, Union, get_args, get_origin, get_type_hints

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from croupier.house import SUBJECTS, House
from croupier.house.declare import COMMANDS, DECIDERS, EVENTS, EVOLVERS, Command, Event
from croupier.house.floor.signatures import DUAL_CONTROL, ProposalMade
from croupier.house.ids import Context, Day, DeviceId, Instant, Number, PersonId, PositionId, RoundNumber
from croupier.house.play.betting import BetsChanged
from croupier.house.rounds.spinning import LaunchCalled, SpinBall
from croupier.house.settings import TableSettings
from croupier.house.state.tables import BetChange
from croupier.house.verification import state_digest
from croupier.journal import verify
from croupier.journal.disk import UnknownEntryType
from croupier.journal.entry import Cause, Entry, IdempotencyKey, JournalHead, Page
from croupier.journal.pages import VerifiedPage, decode_body, page_after
from croupier.journal.stores.memory import MemoryJournal
from croupier.rulebooks.schema import read_canonical
from croupier.rules.geometry import Pocket, SpotKey
from tests.support.house_driver import TABLE, Play

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
    if get_origin(hint) in (tuple, dict):
        return collections(hint)
    if issubclass(hint, Enum):
        return st.sampled_from(hint)
    return structs(hint)


def collections(hint: Any) -> st.SearchStrategy[Any]:  # noqa: ANN401 - a tuple, or a mapping
    """Draw values of a collection's type."""
    if get_origin(hint) is dict:
        return st.dictionaries(*map(values, get_args(hint)), max_size=3)
    first, *more = get_args(hint)
    listed = more == [...]
    return st.lists(values(first), max_size=3).map(tuple) if listed else st.tuples(*map(values, (first, *more)))


PLAIN: dict[object, st.SearchStrategy[Any]] = {
    NoneType: st.none(),
    bool: st.booleans(),
    int: INTEGERS,
    str: st.text(max_size=20),
}


@cache
def structs(kind: type[msgspec.Struct]) -> st.SearchStrategy[Any]:
    """Draw events or commands of one kind."""
    if kind is BetsChanged:
        return bet_changes()
    hints = get_type_hints(kind).items()
    return st.builds(kind, **{name: values(hint) for name, hint in hints if get_origin(hint) is not ClassVar})


@st.composite
def bet_changes(draw: st.DrawFn) -> BetsChanged:
    """Draw a change of bets: as many amounts as spots, and a chip of the Neighbors button only with its number."""
    bets = draw(st.lists(st.tuples(values(SpotKey), INTEGERS), max_size=5))
    spread = draw(st.none() | st.tuples(values(Pocket), INTEGERS))
    spots, amounts = tuple(spot for spot, _ in bets), tuple(amount for _, amount in bets)
    changed = BetsChanged(
        PositionId(draw(INTEGERS)), RoundNumber(draw(INTEGERS)), draw(st.sampled_from(BetChange)), spots, amounts
    )
    return changed if spread is None else msgspec.structs.replace(changed, spread_from=spread[0], spread_chip=spread[1])


def entry_of(event: Event) -> Entry:
    """Write an event as the first entry of a journal."""
    return Entry(1, 1, Day(20261115), NOW, "", None, event)


def tag_of(kind: type[msgspec.Struct]) -> str:
    tag = kind.__struct_config__.tag
    assert isinstance(tag, str)
    return tag


def kinds_of(base: type[msgspec.Struct]) -> set[type[msgspec.Struct]]:
    """Find every kind that the subjects define, whether it is declared or not; base classes have subclasses."""
    return {
        kind
        for module in SUBJECTS
        for kind in vars(module).values()
        if isinstance(kind, type) and issubclass(kind, base) and not kind.__subclasses__()
        if kind.__module__ == module.__name__
    }


def page_of(entry: Entry) -> Page:
    """Write an entry as the only one of a page."""
    return page_after(JournalHead(entry.position - 1, 0, entry.epoch, bytes(32)), entry.epoch, [entry])


def read(page: Page) -> Entry:
    return VerifiedPage(page, decode_body(page)).entries[0]


def causes(epoch: int) -> st.SearchStrategy[Cause | None]:
    keys = st.builds(IdempotencyKey, st.just(epoch), INTEGERS)
    return st.none() | st.builds(Cause, keys, st.binary(min_size=16, max_size=16))


@pytest.mark.property
@pytest.mark.parametrize("kind", EVENTS, ids=lambda kind: kind.__name__)
@settings(max_examples=EXAMPLES)
@given(data=st.data())
def test_event_is_read_back_as_it_was_written(kind: type[Event], data: st.DataObject) -> None:
    """The journal and the stand-alone verifier read an event of any kind equal, with its place and its stamp."""
    position, epoch = (data.draw(st.integers(1, 2**53)) for _ in range(2))
    context, cause, event = (data.draw(each) for each in (structs(Context), causes(epoch), structs(kind)))
    rulebook = data.draw(st.binary(max_size=32)).hex()
    written = Entry(position, epoch, Day(data.draw(INTEGERS)), context, rulebook, cause, event)
    page = page_of(written)

    entry = read(page)
    place, (verified,) = verify.read_page(page.body, page.head.hex(), "")

    assert type(entry.event) is kind
    assert entry == written
    assert page_of(entry) == page
    assert place == (position, 1, epoch, page.head.hex())
    recorded = verified.pop("cause")
    assert recorded == (None if cause is None else [[epoch, cause.key.number], cause.request_digest.hex()])
    assert msgspec.convert({**verified, "cause": cause}, Entry) == written


@pytest.mark.property
@pytest.mark.parametrize("kind", sorted(DUAL_CONTROL, key=str), ids=lambda kind: kind.__name__)
@settings(max_examples=EXAMPLES)
@given(data=st.data())
def test_proposal_of_any_kind_is_read_back(kind: type[Command], data: st.DataObject) -> None:
    """What waits for a second signature stands in its entry whole, and is read back equal."""
    event = ProposalMade(Number(1), data.draw(structs(kind)), Instant(7))

    assert read(page_of(entry_of(event))).event == event


def with_event(**otherwise: object) -> Page:
    """Write a page whose one event says something else; None leaves a field out."""
    page = page_of(entry_of(LAUNCH))
    fields: list[Any] = msgspec.msgpack.decode(page.body)
    event = {**fields[-1][0][-1], **otherwise}
    fields[-1][0][-1] = {name: value for name, value in event.items() if value is not None}
    return page._replace(body=msgspec.msgpack.encode(fields))


@pytest.mark.parametrize("kind", EVENTS, ids=lambda kind: kind.__name__)
def test_event_of_another_version_is_not_read(kind: type[Event]) -> None:
    """The second version of a kind, which nobody has defined, is refused and never guessed at."""
    with pytest.raises(UnknownEntryType, match=r"Invalid value '\S+\.2'"):
        read(with_event(type=tag_of(kind).replace(".1", ".2")))


@pytest.mark.parametrize(
    "otherwise",
    [
        {"type": "launch_called"},
        {"type": "launch_called.0"},
        {"type": "LaunchCalled"},
        {"type": "ball_thrown.1"},
        {"type": 1},
        {"type": None},
        {"round": None},
        {"round": "1"},
        {"round": 1.5},
        {"round": True},
        {"table": b"table 1"},
        {"bonus": 7},
    ],
    ids=str,
)
def test_event_that_is_not_one_is_not_read(otherwise: dict[str, object]) -> None:
    """An event of an unknown kind, without a field, with one too many or another type is refused, not repaired."""
    with pytest.raises(UnknownEntryType):
        read(with_event(**otherwise))


def test_every_command_is_decided_and_granted() -> None:
    """Every kind of command has one way to be decided and one line that says who may ask, and there are no others."""
    kinds = kinds_of(Command)

    assert set(COMMANDS) == kinds
    assert set(DECIDERS) == kinds
    assert kinds > DUAL_CONTROL


def test_every_event_is_carried_out() -> None:
    """Every kind of event has one way to be carried out, and there are no others."""
    kinds = kinds_of(Event)

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
        assert state_digest(journal.replay(House.new(read_canonical))) == was
        assert state_digest(journal.replay(House.new(read_canonical))) == was
    assert len(set(then.values())) == 4
