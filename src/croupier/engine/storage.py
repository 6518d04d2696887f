"""Store, anchor, snapshots and signer of a data directory."""

import hashlib
import types
import typing
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, closing
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from enum import Enum
from functools import cache, lru_cache
from importlib.metadata import version
from itertools import islice
from operator import attrgetter
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

import croupier
from croupier.engine.places import JOURNAL, open_place, open_store, place_of
from croupier.engine.sequencer import AcceptedRow, IdempotencyCache, rows_of
from croupier.engine.ticket_index import TICKETS, TicketIndex
from croupier.house import House
from croupier.house.floor.setup import restore
from croupier.house.ids import DERIVED, FIXED
from croupier.house.rounds.clock import rebuild
from croupier.journal.checkpoints import Signer, SnapshotFile, Snapshots
from croupier.journal.disk import JournalFault, RolledBack, sync_directory
from croupier.journal.keystore import Anchor, AnchorRecord, KeyStore, KeyStoreLock, lock_data
from croupier.journal.stores import Store
from croupier.rulebooks.schema import canonical, read_canonical
from croupier.rules.rulebook import Rulebook
from croupier.rules.texts import is_file_name

SNAPSHOT: Final = "snapshot"
#: The directory for a restore's copy of a backup, and the record of its journal swap.
RESTORING: Final = "restoring"
SWAP_FILE: Final = "journal-swap.json"


class Storage(NamedTuple):
    """A journal's store, anchor, snapshots and signer."""

    store: Store
    anchor: Anchor
    snapshots: Snapshots
    signer: Signer
    #: The lock on the key store.
    lock: KeyStoreLock | None = None
    #: The index of tickets that have left the state.
    tickets: TicketIndex | None = None

    def close(self) -> None:
        """Close everything."""
        self.store.close()
        self.anchor.close()
        if self.tickets is not None:
            self.tickets.close()
        if self.lock is not None:
            self.lock.close()


class JournalSwap(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A restore that swaps journals in a data directory, as it is recorded until that is done."""

    #: The backup that is restored.
    backup: str
    #: The folder in the data directory for the replaced journal, if there was one.
    aside: str | None
    #: Whether the replaced journal is being moved back.
    back: bool = False

    def __post_init__(self) -> None:
        if self.aside is not None and not is_file_name(self.aside):
            raise ValueError(f"{self.aside!r} is no folder in the data directory")

    def is_done(self, data: Path) -> bool:
        """Return whether all files are moved. The journal itself is moved last."""
        old = self.aside is not None and data.joinpath(self.aside, JOURNAL).exists()
        if self.back:
            return not old
        return data.joinpath(JOURNAL).exists() and (old or self.aside is None)

    def explain(self, data: Path) -> str:
        """Describe the interrupted restore, and how to continue."""
        again = f"`croupier restore {self.backup} --data {data}{'' if self.aside is None else ' --replace'}`"
        if self.is_done(data):
            return f"a restore of {self.backup} was interrupted when its journal was in place: this start completes it"
        return f"a restore of {self.backup} was interrupted, and nothing is lost: run {again} again"


def unfinished_swap(data: Path) -> JournalSwap | None:
    """Read the record of an interrupted restore, if any; JournalFault when it cannot be read."""
    path = data.joinpath(RESTORING, SWAP_FILE)
    try:
        return msgspec.json.decode(path.read_bytes(), type=JournalSwap)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise JournalFault(f"{error.filename} cannot be used: {error.strerror}") from error
    except msgspec.DecodeError as error:
        raise JournalFault(f"{path} cannot be read, and a restore was interrupted here: {error}") from error


def open_storage(data: Path, key_store: KeyStore) -> Storage:
    """Open a data directory and its key store for a run, and create both when there is nothing yet."""
    if key_store.path.resolve().is_relative_to(data.resolve()):
        raise JournalFault("the key store must not be in the data directory: a copy of one would contain the other")
    swap = unfinished_swap(data)
    if swap is not None and not swap.is_done(data):
        raise JournalFault(swap.explain(data))
    journal = data.joinpath(JOURNAL)
    try:
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
        sync_directory(data.parent)
        begun = journal.exists() and journal.stat().st_size > 0
    except OSError as error:
        raise JournalFault(f"{error.filename} cannot be used: {error.strerror}") from error
    with ExitStack() as opened:
        if (place := place_of(data)) is not None:
            # Several houses share the key store: the lease in the database says which of them writes.
            lock = opened.enter_context(closing(lock_data(data)))
            store = opened.enter_context(closing(open_place(place)))
            begun = store.last() is not None
        if not begun:
            key_store.provision()
        if place is None:
            lock = opened.enter_context(closing(key_store.lock(data)))
        signer, anchor = key_store.signer(), opened.enter_context(key_store.anchor())
        _must_be_new(anchor.read(), begun=begun)
        if place is None:
            store = opened.enter_context(closing(open_store(data)))
        tickets = TicketIndex(data.joinpath(TICKETS), signer)
        opened.pop_all()
    return Storage(store, anchor, SnapshotFile(data.joinpath(SNAPSHOT)), signer, lock, tickets)


def _must_be_new(anchored: AnchorRecord, *, begun: bool) -> None:
    """Refuse to begin a journal in the place of one that is missing."""
    lost = anchored.head.position
    if lost and not begun:
        raise RolledBack(1, f"the journal is missing or empty, and entry {lost} had been written", lost)


@cache
def build_id() -> str:
    """Return the build id: the version, and the digest of all source files."""
    root, digest = Path(croupier.__file__).parent, hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(root).as_posix()} {len(content)}\n".encode() + content)
    return f"{version('croupier')} {digest.hexdigest()}"


#: Increase it when the meaning of the state changes and its types do not: older snapshots are then rejected.
STATE_VERSION: Final = 1
#: How many terminals, tickets or other items are copied at once, in some milliseconds.
COPIED_AT_ONCE: Final = 200
#: How many items are encoded at once, in some tenths of a millisecond; other threads run in between.
ITEMS_AT_ONCE: Final = 16
#: The range of 64 bits. Only counters can grow beyond it, and are then encoded as text.
_LEAST, _MOST = -(2**63), 2**64 - 1


class DeserialiseError(Exception):
    """These bytes are not the state of a house, or this state cannot be encoded."""


def no_rest() -> None:
    """Go on at once."""


class StateCopy:
    """A consistent copy of the state, which another thread can encode while the house runs."""

    def __init__(self, house: House, keys: IdempotencyCache, position: int = _MOST) -> None:
        self._rulebooks = dict(house.rulebooks)
        self._fields: dict[str, Any] = {}
        self._pools = _STATE.new_pools()
        self._copying, self._whole = _STATE.copy(house, self._fields, self._pools), False
        # Responses are only added and dropped: those to later entries than the copy are skipped when it is encoded.
        self._responses, self._position = dict(keys.committed), position

    def copy_some(self) -> bool:
        """Copy the next part, in some milliseconds; return whether there is more. The house must not change before."""
        for _ in self._copying:
            return True
        self._whole = True
        return False

    def encode(self, rest: Callable[[], object] = no_rest) -> bytes:
        """Encode the copy in short parts, with a rest after each; DeserialiseError when that fails."""
        assert self._whole
        parts: list[bytes] = []
        for part in self._parts():
            try:
                parts.append(_ENCODER.encode(part))
            except (OverflowError, TypeError, ValueError) as error:
                raise DeserialiseError(f"its {part[0]} cannot be encoded: {error}") from error
            rest()
        return b"\xdd" + len(parts).to_bytes(4, "big") + b"".join(parts)

    def _parts(self) -> Iterator[tuple[str, object]]:
        yield "rulebooks", {digest: _text(rulebook) for digest, rulebook in self._rulebooks.items()}
        for name, pool in self._pools.items():
            yield from ((name, [row]) for row in pool.rows)
        for name, value in self._fields.items():
            yield from ((name, part) for part in _slices(value))
        for part in _slices(self._responses):
            yield "responses", rows_of(part, self._position)


def encode_state(house: House, keys: IdempotencyCache | None = None) -> bytes:
    """Encode a house and its idempotency cache."""
    copy = StateCopy(house, keys or IdempotencyCache())
    while copy.copy_some():
        pass
    return copy.encode()


def decode_state(state: bytes) -> tuple[House, IdempotencyCache]:
    """Decode a house and its idempotency cache, strictly by their types; DeserialiseError when the bytes differ."""
    try:
        return _decoded(state)
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise DeserialiseError(f"the state cannot be read: {error}") from error


def schema() -> str:
    """Return the digest of the state's schema: any build with the same schema can read a snapshot."""
    return _STATE.digest


def _decoded(state: bytes) -> tuple[House, IdempotencyCache]:
    found: dict[str, Any] = {}
    for name, raw in _SECTIONS.decode(state):
        part = _STATE.decoders[name].decode(raw)
        if name not in found:
            found[name] = part
        elif isinstance(part, dict | set):
            found[name].update(part)
        else:
            found[name].extend(part)
    rulebooks = {digest: read_canonical(text) for digest, text in found.pop("rulebooks").items()}
    house, responses = House(read_canonical, rulebooks=rulebooks), found.pop("responses")
    _STATE.build(house, found, rulebooks)
    restore(house)
    rebuild(house)
    return house, IdempotencyCache.from_rows(responses)


def _slices(value: Any) -> Iterator[Any]:  # noqa: ANN401 - any value
    """Split a large mapping or list into parts."""
    if isinstance(value, dict) and len(value) > ITEMS_AT_ONCE:
        items = iter(value.items())
        while part := dict(islice(items, ITEMS_AT_ONCE)):
            yield part
    elif isinstance(value, list) and len(value) > ITEMS_AT_ONCE:
        yield from (value[first : first + ITEMS_AT_ONCE] for first in range(0, len(value), ITEMS_AT_ONCE))
    else:
        yield value


@lru_cache(maxsize=8)
def _text(rulebook: Rulebook) -> str:
    return canonical(rulebook)


@dataclass(slots=True)
class Pool:
    """Objects of one type that are referenced from several places: each is stored once, and referenced by its index."""

    rows: list[Any] = field(default_factory=list)
    #: When encoding, the index of each object by its identity; when decoding, each object by its index.
    known: dict[int, Any] = field(default_factory=dict)


Pools = dict[str, Pool]


class Built(NamedTuple):
    """Objects that are decoded already and may be referenced."""

    rulebooks: dict[str, Rulebook]
    pools: Pools


class Codec(NamedTuple):
    """Copies values of one declared type to plain values, and builds them from what msgspec decodes."""

    #: The type by which msgspec decodes and checks them.
    wire: Any
    #: None for immutable values, which are encoded as they are.
    copy: Callable[[Any, Pools], Any] | None = None
    #: None when msgspec decodes the value itself.
    build: Callable[[Any, Built], Any] | None = None


class Schema:
    """The codecs of all fields of a dataclass, and a digest of their encoding."""

    def __init__(self, root: type) -> None:
        self._shapes: dict[str, str] = {}
        self._shared = _shared(root)
        self._pooled_wires: dict[str, Any] = {}
        self._fields = {name: self._field(root, name, annotation) for name, annotation in _stored(root)}
        described = [f"state {STATE_VERSION}", self._shape(root), self._shape(AcceptedRow)]
        text = "\n".join([*described, *(f"{name} {shape}" for name, shape in sorted(self._shapes.items()))])
        self.digest = hashlib.sha256(text.encode()).hexdigest()
        wires = {name: codec.wire for name, codec in self._fields.items()}
        wires |= {name: _of(list, wire) for name, wire in self._pooled_wires.items()}
        wires |= {"rulebooks": dict[str, str], "responses": dict[str, list[AcceptedRow]]}
        self.decoders = {name: msgspec.msgpack.Decoder(wire) for name, wire in wires.items()}

    def new_pools(self) -> Pools:
        return {name: Pool() for name in self._pooled_wires}

    def copy(self, root: object, into: dict[str, Any], pools: Pools) -> Iterator[None]:
        """Copy the fields of the root to plain values, and the objects that they share, in parts of some items."""
        for name, codec in self._fields.items():
            value, copy = getattr(root, name), codec.copy
            if copy is None:
                into[name] = value
            elif isinstance(value, dict) and len(value) > COPIED_AT_ONCE:
                into[name] = {}
                items = iter(value.items())
                while part := dict(islice(items, COPIED_AT_ONCE)):
                    into[name].update(copy(part, pools))
                    yield
            else:
                into[name] = copy(value, pools)

    def build(self, root: object, found: dict[str, Any], rulebooks: dict[str, Rulebook]) -> None:
        """Set the fields of the root to what was decoded; KeyError when a field is missing."""
        built = Built(rulebooks, {name: Pool(found.get(name, [])) for name in self._pooled_wires})
        for name, codec in self._fields.items():
            setattr(root, name, found[name] if codec.build is None else codec.build(found[name], built))

    def _field(self, owner: type, name: str, annotation: object) -> Codec:
        try:
            codec = self._codec(annotation)
        except TypeError as error:
            raise TypeError(f"{owner.__name__}.{name}: {error}") from error
        if typing.get_origin(_plain(annotation)) is not deque:
            return codec
        # Only the default value of a queue has its maximum length.
        bound = next(each for each in fields(owner) if each.name == name).default_factory().maxlen  # type: ignore[operator]
        assert codec.build is not None
        build = codec.build
        return codec._replace(build=lambda values, built: deque(build(values, built), bound))

    def _codec(self, annotation: Any) -> Codec:  # noqa: ANN401, PLR0911 - any type, and one line for each kind
        fixed, annotation = FIXED in getattr(annotation, "__metadata__", ()), _plain(annotation)
        if fixed or _immutable(annotation):
            return Codec(annotation)
        origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
        if annotation is Rulebook:
            return Codec(str, lambda rulebook, _: rulebook.digest, lambda digest, built: built.rulebooks[digest])
        if isinstance(annotation, type) and is_dataclass(annotation) and origin is None:
            return self._pooled(annotation) if annotation in self._shared else self._dataclass(annotation)
        if origin in (typing.Union, types.UnionType):
            return self._optional(arguments)
        if origin is Counter:
            return Codec(_of(dict, arguments[0], int | str), _copy_counter, _build_counter)
        if origin is set:
            return Codec(annotation, lambda value, _: sorted(value))
        if origin is dict:
            return self._dict(arguments[0], self._codec(arguments[1]))
        if origin in (list, deque) or (origin is tuple and arguments[1:] == (...,)):
            return _sequence(origin, self._codec(arguments[0]))
        raise TypeError(f"a snapshot cannot store {annotation}")

    def _dict(self, key: Any, value: Codec) -> Codec:  # noqa: ANN401 - any type
        wire = _of(dict, _plain(key), value.wire)
        if value.copy is None:
            return Codec(wire, lambda items, _: items.copy() if items else _NONE)
        copy, build = value.copy, value.build
        if build is None:
            return Codec(wire, lambda items, pools: {name: copy(each, pools) for name, each in items.items()})
        return Codec(
            wire,
            lambda items, pools: {name: copy(each, pools) for name, each in items.items()},
            lambda items, built: {name: build(each, built) for name, each in items.items()},
        )

    def _optional(self, arguments: tuple[Any, ...]) -> Codec:
        others = [each for each in arguments if each is not types.NoneType]
        if len(others) != 1:
            raise TypeError(f"a snapshot cannot store one of {arguments}")
        codec = self._codec(others[0])
        copy, build = codec.copy, codec.build
        return Codec(
            codec.wire | None,
            copy and (lambda value, pools: None if value is None else copy(value, pools)),
            build and (lambda value, built: None if value is None else build(value, built)),
        )

    def _pooled(self, kind: type) -> Codec:
        """Store shared objects once, so that they are one object again when decoded."""
        name = kind.__name__
        codec = self._dataclass(kind)
        self._pooled_wires[name] = codec.wire
        assert codec.copy is not None
        assert codec.build is not None
        copy, build = codec.copy, codec.build

        def index_of(value: object, pools: Pools) -> int:
            pool = pools[name]
            index: int | None = pool.known.get(id(value))
            if index is None:
                index = pool.known[id(value)] = len(pool.rows)
                pool.rows.append(copy(value, pools))
            return index

        def built_at(index: int, built: Built) -> object:
            pool = built.pools[name]
            if index not in pool.known:
                pool.known[index] = build(pool.rows[index], built)
            return pool.known[index]

        return Codec(typing.Annotated[int, msgspec.Meta(ge=0)], index_of, built_at)

    def _dataclass(self, kind: type) -> Codec:
        """Store the fields of a dataclass as an array, in their order."""
        codecs = {name: self._field(kind, name, annotation) for name, annotation in _stored(kind)}
        wire = msgspec.defstruct(
            kind.__name__,
            [(name, codec.wire) for name, codec in codecs.items()],
            frozen=True,
            array_like=True,
            forbid_unknown_fields=True,
            gc=False,
        )
        # With a single name an attrgetter returns no tuple, so one more is added.
        values, names = attrgetter(*codecs, "__class__"), tuple(codecs)
        copies = [(place, each.copy) for place, each in enumerate(codecs.values()) if each.copy is not None]
        builds = [(place, each.build) for place, each in enumerate(codecs.values()) if each.build is not None]
        left_out = (each for each in fields(kind) if each.name not in codecs)
        defaults = [(each.name, each.default_factory) for each in left_out if each.default_factory is not MISSING]
        last = len(names)

        def copy(value: object, pools: Pools) -> list[object]:
            row = list(values(value))
            del row[last]
            for place, each in copies:
                row[place] = each(row[place], pools)
            return row

        def build(value: object, built: Built) -> object:
            made: object = object.__new__(kind)
            row = list(values(value))
            for place, each in builds:
                row[place] = each(row[place], built)
            for name, content in zip(names, row, strict=False):
                object.__setattr__(made, name, content)
            for name, default in defaults:
                object.__setattr__(made, name, default())
            return made

        return Codec(wire, copy, build)

    def _shape(self, annotation: Any) -> str:  # noqa: ANN401 - any type
        """Describe a type by everything that determines its encoding."""
        annotation = _plain(annotation)
        arguments = typing.get_args(annotation)
        if arguments:
            inner = ",".join(
                sorted(map(self._shape, arguments)) if _is_union(annotation) else map(self._shape, arguments)
            )
            return f"{_name(typing.get_origin(annotation))}[{inner}]"
        name = _name(annotation)
        if name not in self._shapes:
            self._shapes[name] = ""
            self._shapes[name] = ",".join(self._contents(annotation))
        return name

    def _contents(self, kind: Any) -> Iterable[str]:  # noqa: ANN401 - any type
        if isinstance(kind, type) and issubclass(kind, Enum):
            return sorted(f"{member.value}" for member in kind)
        if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
            config = kind.__struct_config__
            listed = [f"{each.encode_name}:{self._shape(each.type)}" for each in msgspec.structs.fields(kind)]
            return [f"tag={config.tag}", f"array={config.array_like}", *listed]
        if isinstance(kind, type) and is_dataclass(kind) and kind is not Rulebook:
            return [f"{name}:{self._shape(annotation)}" for name, annotation in _stored(kind)]
        return []


def _sequence(origin: Any, item: Codec) -> Codec:  # noqa: ANN401 - list, deque or tuple
    wire = _of(list, item.wire)
    copy, build = item.copy, item.build

    def copied(values: Iterable[Any], pools: Pools) -> list[Any]:
        if not values:
            return _EMPTY
        return list(values) if copy is None else [copy(each, pools) for each in values]

    def built(values: list[Any], built: Built) -> Any:  # noqa: ANN401 - of the origin
        each = values if build is None else [build(value, built) for value in values]
        return each if origin is list else origin(each)

    return Codec(wire, copied, None if origin is list and build is None else built)


def _copy_counter(counter: Counter[Any], _pools: Pools) -> dict[Any, int | str]:
    if not counter:
        return _NONE
    return {key: count if _LEAST <= count <= _MOST else str(count) for key, count in counter.items()}


def _build_counter(counts: dict[Any, int | str], _built: Built) -> Counter[Any]:
    return Counter({key: int(count) for key, count in counts.items()})


def _stored(kind: type) -> Iterator[tuple[str, Any]]:
    """List the fields of a dataclass that are stored, with their types."""
    annotations = typing.get_type_hints(kind, include_extras=True)
    for each in fields(kind):
        if DERIVED not in getattr(annotations[each.name], "__metadata__", ()):
            yield each.name, annotations[each.name]


def _shared(root: type) -> set[type]:
    """Find the mutable dataclasses that more than one field refers to."""
    found: Counter[type] = Counter()
    waiting = [root]
    while waiting:
        for _, annotation in _stored(waiting.pop()):
            for kind in _dataclasses(annotation):
                waiting += [] if kind in found else [kind]
                found[kind] += 1
    return {kind for kind, references in found.items() if references > 1 and not _frozen(kind)}


def _dataclasses(annotation: Any) -> Iterator[type]:  # noqa: ANN401 - any type
    annotation = _plain(annotation)
    for argument in typing.get_args(annotation):
        yield from _dataclasses(argument)
    if isinstance(annotation, type) and is_dataclass(annotation) and annotation is not Rulebook:
        yield annotation


def _plain(annotation: Any) -> Any:  # noqa: ANN401 - any type
    """Return the type behind a NewType or Annotated."""
    while isinstance(annotation, typing.NewType) or typing.get_origin(annotation) is typing.Annotated:
        annotation = getattr(annotation, "__supertype__", None) or typing.get_args(annotation)[0]
    return annotation


def _immutable(annotation: Any) -> bool:  # noqa: ANN401 - any type
    """Return whether values of a type are immutable, and msgspec encodes and decodes them itself."""
    annotation = _plain(annotation)
    origin = typing.get_origin(annotation)
    if origin in (tuple, frozenset) or _is_union(annotation):
        return all(each is ... or _immutable(each) for each in typing.get_args(annotation))
    if not isinstance(annotation, type) or origin is not None:
        return False
    if issubclass(annotation, msgspec.Struct):
        return annotation.__struct_config__.frozen
    return issubclass(annotation, Enum) or annotation in (int, str, bool, bytes, types.NoneType)


def _of(container: Any, *arguments: object) -> Any:  # noqa: ANN401 - any type
    """Return the type of a container whose item types are computed."""
    return container[arguments[0] if len(arguments) == 1 else arguments]


def _is_union(annotation: Any) -> bool:  # noqa: ANN401 - any type
    return typing.get_origin(annotation) in (typing.Union, types.UnionType)


def _frozen(kind: type) -> bool:
    return bool(getattr(kind, "__dataclass_params__").frozen)  # noqa: B009 - unknown to type checkers


def _name(kind: Any) -> str:  # noqa: ANN401 - any type
    return "union" if kind in (typing.Union, types.UnionType) else getattr(kind, "__name__", str(kind))


#: Most containers of a state are empty, and copied as these.
_NONE: Final[dict[Any, Any]] = {}
_EMPTY: Final[list[Any]] = []
_ENCODER: Final = msgspec.msgpack.Encoder()
_SECTIONS: Final = msgspec.msgpack.Decoder(list[tuple[str, msgspec.Raw]])
_STATE: Final = Schema(House)
