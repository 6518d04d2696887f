"""The fuzzer: hostile messages for the wire, grown from the message classes themselves and made from one seed."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Final, Protocol, TypeVar

from msgspec import inspect

from croupier.protocol import inbound
from croupier.server.listener import FRAME_BYTES_MAX
from tests.support.fuzz.junk import FIGURES, JUNK, TEXTS, as_json

T = TypeVar("T")


@dataclass(slots=True)
class Words:
    """What things go by in the house just now, by the name of the field: it makes a message more than nonsense."""

    texts: Mapping[str, Sequence[bytes]] = field(default_factory=dict)
    figures: Mapping[str, Sequence[bytes]] = field(default_factory=dict)

    @classmethod
    def of(cls, texts: Mapping[str, Iterable[str]], figures: Mapping[str, Iterable[int]]) -> "Words":
        return cls(
            {name: tuple(map(as_json, known)) for name, known in texts.items()},
            {name: tuple(map(as_json, known)) for name, known in figures.items()},
        )


@dataclass(frozen=True, slots=True)
class Menu:
    """The most likely messages: messages and commands by their tags, weighted by how often each is listed here."""

    messages: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    #: The share of messages without anything wrong about them, and of those that are wrong throughout or mangled.
    sound: float = 0.5
    wild: float = 0.3


class Fuzzer:
    """Makes messages. The same seed, words and menus make the same messages."""

    def __init__(self, seed: int) -> None:
        self.rng = Random(seed)  # noqa: S311 - it must be repeatable
        self.chance: Callable[[], float] = self.rng.random
        self.words = Words()
        self.menu = Menu()
        #: The last number that this device has put on a command.
        self.number = 0
        #: How likely each value is to be something else altogether.
        self.sick = 0.0

    def any_of(self, choices: Sequence[T]) -> T:
        return choices[int(self.chance() * len(choices))]

    def payload(self) -> bytes:
        """Make what a frame carries: mostly messages, some of them sick, and some mangled byte by byte."""
        chance, menu = self.chance(), self.menu
        if chance < menu.sound:
            return self.sound()
        self.sick = 0.08 if chance < 1 - menu.wild else 0.5
        made = self.message()
        return (self.mangled(made) if chance > 1 - menu.wild * 0.7 else made)[:FRAME_BYTES_MAX]

    def message(self) -> bytes:
        return MESSAGES.made(self)

    def sound(self, tag: str = "") -> bytes:
        """Make a message with nothing wrong about it, of a kind where one is named."""
        self.sick = 0.0
        return (MESSAGES.by_tag[tag] if tag else MESSAGES).made(self)[:FRAME_BYTES_MAX]

    def next_number(self) -> bytes:
        """Number a command: mostly with the next number, and now and then with one that was used."""
        chance = self.chance()
        if chance < _IN_ORDER:
            self.number += 1
            return b"%d" % self.number
        return b"%d" % max(1, self.number - int(chance * 1_000) % 20)

    def mangled(self, frame: bytes) -> bytes:
        """Change a few bytes of something, one way or another."""
        for _ in range(1 + int(self.chance() * 3)):
            frame = self.any_of(MANGLES)(self, frame)
        return frame


_IN_ORDER: Final = 0.99
#: How often a value is one that the house knows, where it knows any.
_KNOWN: Final = 0.95


class Plant(Protocol):
    """Something that grows a value, as JSON."""

    def made(self, fuzz: Fuzzer) -> bytes: ...


@dataclass(frozen=True, slots=True)
class Leaf:
    """A value without parts: one that the house knows by that name, one that the type allows, or anything at all."""

    name: str
    sound: tuple[bytes, ...]
    is_text: bool

    def made(self, fuzz: Fuzzer) -> bytes:
        if fuzz.sick and fuzz.chance() < fuzz.sick:
            return fuzz.any_of(JUNK)
        words = fuzz.words
        known = (words.texts if self.is_text else words.figures).get(self.name)
        return fuzz.any_of(known if known and fuzz.chance() < _KNOWN else self.sound)


class Number:
    """The number of a command, which rises."""

    def made(self, fuzz: Fuzzer) -> bytes:
        return fuzz.any_of(JUNK) if fuzz.chance() < fuzz.sick else fuzz.next_number()


@dataclass(frozen=True, slots=True)
class Row:
    """So many values of one kind, or one of each kind."""

    items: tuple[Plant, ...]
    fixed: bool

    def made(self, fuzz: Fuzzer) -> bytes:
        chance = fuzz.chance()
        if self.fixed:
            items = self.items if chance > fuzz.sick / 4 else self.items * 2
        else:
            items = self.items * (1 if chance < 0.6 else int(chance * 10) % 5 if chance < 0.99 else 60)
        return b"[" + b",".join([item.made(fuzz) for item in items]) + b"]"


@dataclass(frozen=True, slots=True)
class Either:
    """One of several; where they go by tags, those that the menu has more often."""

    choices: tuple[Plant, ...]
    by_tag: Mapping[str, Plant]
    is_message: bool

    def made(self, fuzz: Fuzzer) -> bytes:
        wanted = (fuzz.menu.messages if self.is_message else fuzz.menu.commands) if self.by_tag else ()
        if wanted and fuzz.chance() < 0.98:
            return self.by_tag[fuzz.any_of(wanted)].made(fuzz)
        return fuzz.any_of(self.choices).made(fuzz)


@dataclass(frozen=True, slots=True)
class Form:
    """An object: its tag and its fields, of which some may be left out; and what somebody may do to it."""

    tag: tuple[bytes, ...]
    required: tuple[tuple[bytes, Plant], ...]
    others: tuple[tuple[bytes, Plant], ...]

    def made(self, fuzz: Fuzzer) -> bytes:
        parts = [*self.tag, *[name + plant.made(fuzz) for name, plant in self.required]]
        for name, plant in self.others:
            if fuzz.chance() < 0.5:
                parts.append(name + plant.made(fuzz))
        if fuzz.sick and fuzz.chance() < fuzz.sick:
            self._twist(fuzz, parts)
        return b"{" + b",".join(parts) + b"}"

    def _twist(self, fuzz: Fuzzer, parts: list[bytes]) -> None:
        """Take a field away, add one that nobody knows, say one twice, or say them in another order."""
        match int(fuzz.chance() * 5):
            case 0 if parts:
                parts.pop(int(fuzz.chance() * len(parts)))
            case 1:
                parts.append(fuzz.any_of((b'"more":1', b'"":0', b'"__proto__":{}', b'"t":"ping"', b'"type":"Tick"')))
            case 2 if parts:
                name = fuzz.any_of(parts).partition(b":")[0]
                parts.append(name + b":" + fuzz.any_of(JUNK))
            case 3:
                fuzz.rng.shuffle(parts)
            case _:
                parts[:] = [fuzz.any_of((b" ", b"\n\t", b"\r\n", b"\x0c", b"")) + part for part in parts]


def grown(type_: inspect.Type, name: str = "") -> Plant:
    """Grow what makes values of a type, in a field of that name."""
    match type_:
        case inspect.StructType():
            return _form(type_)
        case inspect.UnionType():
            return _either(type_, name)
        case inspect.VarTupleType():
            return Row((grown(type_.item_type, name),), fixed=False)
        case inspect.TupleType():
            return Row(tuple(grown(each, name) for each in type_.item_types), fixed=True)
        case inspect.IntType() if name == "id":
            return Number()
        case _:
            return _leaf(type_, name)


def _leaf(type_: inspect.Type, name: str) -> Leaf:
    """Grow a value without parts; a type that cannot be made yet is an error, and not left out."""
    match type_:
        case inspect.IntType():
            sound = _figures(type_)
        case inspect.StrType():
            sound = _texts(type_)
        case inspect.EnumType():
            sound = tuple(as_json(each.value) for each in type_.cls)
        case inspect.BoolType():
            sound = (b"true", b"false")
        case inspect.NoneType():
            sound, name = (b"null",), ""
        case _:
            raise NotImplementedError(type_)
    return Leaf(name, sound, is_text=isinstance(type_, inspect.StrType | inspect.EnumType))


def _either(type_: inspect.UnionType, name: str = "") -> Either:
    forms = [each for each in type_.types if isinstance(each, inspect.StructType) and each.tag]
    by_tag = {str(each.tag): grown(each) for each in forms}
    choices = tuple(by_tag.values()) or tuple(grown(each, name) for each in type_.types)
    # The menu is of messages and commands alone: of documents one is as good as another.
    return Either(choices, by_tag if name in ("", "command") else {}, is_message=not name)


def _form(type_: inspect.StructType) -> Form:
    tag = (as_json(type_.tag_field) + b":" + as_json(type_.tag),) if type_.tag_field else ()
    fields = [(each, (as_json(each.encode_name) + b":", grown(each.type, each.encode_name))) for each in type_.fields]
    required = tuple(made for each, made in fields if each.required)
    return Form(tag, required, tuple(made for each, made in fields if not each.required))


def _figures(type_: inspect.IntType) -> tuple[bytes, ...]:
    least = -(10**500) if type_.ge is None else type_.ge
    most = 10**500 if type_.le is None else type_.le
    edges = [each for each in (type_.ge, type_.le) if each is not None]
    return tuple(as_json(each) for each in (*FIGURES, *edges) if least <= each <= most)


def _texts(type_: inspect.StrType) -> tuple[bytes, ...]:
    least, most = type_.min_length or 0, FRAME_BYTES_MAX if type_.max_length is None else type_.max_length
    return tuple(as_json(each) for each in TEXTS if least <= len(each) <= most)


def _flip(fuzz: Fuzzer, frame: bytes) -> bytes:
    at = int(fuzz.chance() * len(frame))
    return frame[:at] + bytes((frame[at] ^ (1 << int(fuzz.chance() * 8)),)) + frame[at + 1 :] if frame else frame


def _insert(fuzz: Fuzzer, frame: bytes) -> bytes:
    at = int(fuzz.chance() * (len(frame) + 1))
    return frame[:at] + fuzz.any_of(JUNK) + frame[at:]


def _put_byte(fuzz: Fuzzer, frame: bytes) -> bytes:
    at = int(fuzz.chance() * (len(frame) + 1))
    return frame[:at] + bytes((int(fuzz.chance() * 256),)) + frame[at + int(fuzz.chance() * 2) :]


def _cut(fuzz: Fuzzer, frame: bytes) -> bytes:
    at = int(fuzz.chance() * len(frame))
    return frame[:at] + frame[at + 1 + int(fuzz.chance() * 12) :]


def _repeat(fuzz: Fuzzer, frame: bytes) -> bytes:
    at, size = int(fuzz.chance() * len(frame)), 1 + int(fuzz.chance() * 24)
    return frame[:at] + frame[at : at + size] * int(fuzz.chance() * 8) + frame[at:]


def _splice(fuzz: Fuzzer, frame: bytes) -> bytes:
    other = fuzz.message()
    return frame[: int(fuzz.chance() * len(frame))] + other[int(fuzz.chance() * len(other)) :]


def _end(fuzz: Fuzzer, frame: bytes) -> bytes:
    return frame[: int(fuzz.chance() * len(frame))]


def _digit(fuzz: Fuzzer, frame: bytes) -> bytes:
    """Change a figure for another: what comes of it is often still a message."""
    at = [place for place, byte in enumerate(frame) if 48 <= byte <= 57]
    if not at:
        return frame
    place = fuzz.any_of(at)
    return frame[:place] + b"%d" % int(fuzz.chance() * 10) + frame[place + 1 :]


MANGLES: Final = (_flip, _insert, _put_byte, _cut, _repeat, _splice, _end, _digit)
_INCOMING: Final = inspect.type_info(inbound.Incoming)
assert isinstance(_INCOMING, inspect.UnionType)
MESSAGES: Final = _either(_INCOMING)
