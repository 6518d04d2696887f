"""Typed structure, canonical text and problems of a rulebook."""

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final, get_args, get_origin

import cattrs
from cattrs.cols import homogenous_tuple_structure_factory
from cattrs.errors import ClassValidationError, ForbiddenExtraKeysError, IterableValidationError
from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn, override

from croupier.rules.pricing import Odds
from croupier.rules.procedure import CitedNumber
from croupier.rules.refusal import CitedChoice, Clause
from croupier.rules.rulebook import Rulebook

#: A validation finding: the key in the rulebook, and the problem.
Found = Iterator[tuple[str, str]]


def display_value(value: object) -> str:
    """Format a value as the author of the file would write it."""
    match value:
        case dict():
            return "a table"
        case list():
            return "a list"
        case datetime():
            return "a date and time"
        case Decimal():
            return str(value)
        case _:
            return repr(value)


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem: the file, the key in it, and the description."""

    file: str
    key: str
    says: str

    def __str__(self) -> str:
        return f"{self.file}: {self.key}: {self.says}" if self.key else f"{self.file}: {self.says}"


Tables = Mapping[str, Any]


class SchemaError(ValueError):
    """A plain value of the wrong type for its key."""


def structure(tables: Tables) -> Rulebook | list[tuple[str, str]]:
    """Build a rulebook from plain tables, or list every error as (key, problem)."""
    try:
        return _CONVERTER.structure(tables, Rulebook)
    except cattrs.BaseValidationError as error:
        return list(_problems(error, ""))


def unstructure(rulebook: Rulebook) -> dict[str, Any]:
    """Convert a rulebook to plain tables."""
    tables: dict[str, Any] = _CONVERTER.unstructure(rulebook)
    return tables


def _problems(error: BaseException, key: str) -> Found:
    """Walk the tree of exceptions, in which cattrs notes the field, the index or the key of each."""
    match error:
        case ClassValidationError():
            named, others = error.group_exceptions()
            for inner, note in named:
                yield from _problems(inner, below(key, _KEYS.get(note.name, note.name)))
        case IterableValidationError():
            members, others = error.group_exceptions()
            yield from ((at, says) for inner, note in members for at, says in _problems(inner, below(key, note.index)))
        case _:
            yield key, _wording(error)
            return
    yield from (found for inner in others for found in _problems(inner, key))


def below(key: str, part: int | str) -> str:
    """Return the key of a part: a place in a list as `key[3]`, a name as `key.name`."""
    return f"{key}[{part}]" if isinstance(part, int) else f"{key}.{part}".removeprefix(".")


def _wording(error: BaseException) -> str:
    match error:
        case KeyError():
            return "missing"
        case SchemaError():
            return str(error)
        case ForbiddenExtraKeysError():
            return f"no such key: {', '.join(sorted(error.extra_fields))}"
        case _:
            return "expected a table"


#: Far above any amount, and within 64 bits even when paid 35 to 1.
FIGURE_MAX = 10**15

_PLAIN: Mapping[type, str] = {str: "text", int: "a whole number", bool: "true or false", date: "a date"}


def _strictly(plain: type) -> Callable[[object, type], object]:
    """Accept a plain value of exactly this type: no text for a number, no 4.9 for 4, no true for 1."""

    def hook(value: object, wanted: type) -> object:
        if type(value) is not plain:
            raise SchemaError(f"expected {_PLAIN[plain]}, found {display_value(value)}")
        if isinstance(value, str) and not value.strip():
            raise SchemaError("must not be empty")
        if isinstance(value, int) and abs(value) > FIGURE_MAX:
            raise SchemaError("is beyond what can be counted here")
        # A named behaviour is text too, and is structured through this hook.
        return _member(value, wanted) if issubclass(wanted, Enum) else value

    return hook


#: No paytable has more figures.
_ODDS: Final = re.compile(r"[0-9]{1,6}/[1-9][0-9]{0,5}")


def _odds(value: object, _: object) -> Odds:
    """Read odds to one: a number, exactly as it is written, or a fraction such as "6/5"."""
    if (
        (isinstance(value, str) and _ODDS.fullmatch(value))
        or type(value) is int
        or (isinstance(value, Decimal) and value.is_finite())
    ):
        found = Fraction(value)
    else:
        raise SchemaError(f'expected a number or a fraction such as "6/5", found {display_value(value)}')
    if max(abs(found.numerator), found.denominator) > _ODDS_MOST:
        raise SchemaError("is beyond what can be counted here")
    return found.numerator if found.denominator == 1 else found


_ODDS_MOST: Final = 10**6


def _member(value: object, wanted: type[Enum]) -> Enum:
    try:
        return wanted(value)
    except ValueError as error:
        raise SchemaError(f"{value!r} is none of {', '.join(member.value for member in wanted)}") from error


def _is_tuple(wanted: Any) -> bool:  # noqa: ANN401 - a type
    return get_origin(wanted) is tuple


def _listed(wanted: Any, converter: cattrs.BaseConverter) -> Callable[[object, type], object]:  # noqa: ANN401 - a type
    """Accept only lists for tuples: text would otherwise be split into characters."""
    members = get_args(wanted)
    inner = homogenous_tuple_structure_factory(tuple[members[0], ...], converter)  # type: ignore[valid-type]
    length = None if members[-1] is Ellipsis else len(members)

    def hook(value: object, _: type) -> object:
        if not isinstance(value, list):
            raise SchemaError(f"expected a list, found {display_value(value)}")
        if length not in (None, len(value)):
            raise SchemaError(f"expected {length} values, found {len(value)}")
        return inner(value, wanted)

    return hook


def _is_mapping(wanted: Any) -> bool:  # noqa: ANN401 - a type
    return get_origin(wanted) is Mapping


def _sealed(wanted: Any, converter: cattrs.BaseConverter) -> Callable[[object, type], object]:  # noqa: ANN401 - a type
    """Make tables immutable: a rulebook is shared, and its prices must not change."""
    inner = converter.get_structure_hook(dict[get_args(wanted)])  # type: ignore[misc]
    return lambda value, _: MappingProxyType(inner(value, wanted))


#: The classes with fields whose key in a rulebook is another than their name.
_RENAMED: Final = (CitedChoice, CitedNumber, Clause, Rulebook)
#: The key in a rulebook of each of those fields; no other class of a rulebook has a field of the same name.
_KEYS: Final = {
    field.name: field.metadata["key"] for cls in _RENAMED for field in fields(cls) if "key" in field.metadata
}


def _is_renamed(wanted: Any) -> bool:  # noqa: ANN401 - a type
    return (get_origin(wanted) or wanted) in _RENAMED


def _overrides(wanted: Any) -> dict[str, Any]:  # noqa: ANN401 - a type
    names = {field.name for field in fields(get_origin(wanted) or wanted)}
    return {name: override(rename=key) for name, key in _KEYS.items() if name in names}


def _make_converter() -> cattrs.Converter:
    converter = cattrs.Converter(forbid_extra_keys=True, unstruct_collection_overrides={Mapping: dict})
    for plain in _PLAIN:
        converter.register_structure_hook(plain, _strictly(plain))
    converter.register_structure_hook(Odds, _odds)
    converter.register_unstructure_hook(Fraction, str)
    converter.register_structure_hook_factory(_is_tuple, _listed)
    converter.register_structure_hook_factory(_is_mapping, _sealed)
    converter.register_structure_hook_factory(
        _is_renamed, lambda wanted: make_dict_structure_fn(wanted, converter, **_overrides(wanted))
    )
    converter.register_unstructure_hook_factory(
        _is_renamed, lambda wanted: make_dict_unstructure_fn(wanted, converter, **_overrides(wanted))
    )
    return converter


_CONVERTER = _make_converter()


def canonical(rulebook: Rulebook) -> str:
    """Serialise the rules as played as one line of JSON: every value except the clause matrix, which is commentary."""
    tables = unstructure(rulebook)
    del tables["digest"], tables["clauses"]
    return json.dumps(tables, sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=date.isoformat)


def digest(rulebook: Rulebook) -> str:
    """Digest the rules as played, from their canonical text."""
    return _state_digest(canonical(rulebook))


def _state_digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@lru_cache(maxsize=8)
def read_canonical(text: str) -> Rulebook:
    """Deserialise a rulebook from its canonical text, which excludes the clause matrix.

    Raises ValueError if the text is invalid. The consistency of the rules was validated when the rulebook was
    loaded, and is not validated again: a journal must stay readable when the validation becomes stricter.
    """
    tables = _tables(text)
    rulebook = structure({**tables, "clauses": [], "effective": _effective(tables)})
    if not isinstance(rulebook, Rulebook):
        raise ValueError("; ".join(f"{key}: {says}" for key, says in rulebook))  # noqa: TRY004 - of the text, not a type
    return replace(rulebook, digest=_state_digest(text))


def _tables(text: str) -> Tables:
    try:
        tables = json.loads(text)
    except RecursionError as error:
        raise ValueError("the text is nested too deeply") from error
    if not isinstance(tables, dict) or not tables.keys().isdisjoint({"clauses", "digest"}):
        raise ValueError("the text is not the canonical text of a rulebook")
    return tables


def _effective(tables: Tables) -> object:
    """Convert the text of a date; any other value is left for the error report."""
    effective = tables.get("effective")
    return date.fromisoformat(effective) if isinstance(effective, str) else effective
