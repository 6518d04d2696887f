"""The reference of docs/rulebooks.md: every key of a rulebook with type, default and example, from the schema.

`python -m tests.support.rulebookdoc --write` writes it; a test checks that the page is current.
"""

import sys
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from datetime import date
from enum import Enum
from fractions import Fraction
from pathlib import Path
from types import UnionType
from typing import Any, Final, Union, get_args, get_origin, get_type_hints

from croupier.rulebooks.loader import load_rulebook, rulebook_ids
from croupier.rulebooks.schema import unstructure
from croupier.rules.geometry import Kind, Layout, Wheel
from croupier.rules.refusal import ClauseId
from croupier.rules.rulebook import Rulebook

PAGE: Final = Path(__file__).parents[2] / "docs" / "rulebooks.md"
#: The reference stands between these headings.
BEGINS: Final = "## Every key\n"
ENDS: Final = "## clauses.toml\n"
#: Keys that the loader sets.
_NOT_WRITTEN: Final = frozenset({"digest", "clauses", "kinds"})
_EXAMPLE_MOST: Final = 60
_WORDS: Final[Mapping[object, str]] = {
    str: "text", int: "a whole number", bool: "true or false", date: "a date", ClauseId: "a clause",
}  # fmt: skip


def current(page: str) -> str:
    """Replace the reference of a page by what the schema says."""
    return page[: page.index(BEGINS)] + reference() + page[page.index(ENDS) :]


def reference() -> str:
    examples = [unstructure(book) for book in map(load_rulebook, rulebook_ids()) if isinstance(book, Rulebook)]
    found = [
        BEGINS,
        "These lists are derived from the schema. `*` stands for a name, `[]` for an entry of a list. The examples are",
        "those of the rulebooks that come with Croupier. A clause that is required may be left out where",
        "`otherwise_clause` is given.",
    ]
    for file, owner, prefix, values in (
        ("rulebook.toml", Rulebook, "", examples),
        ("kinds.toml", Kind, "*.", [kind for each in examples for kind in each["kinds"]]),
        ("wheels.toml", Wheel, "*.", [each["wheel"] for each in examples]),
        ("layouts.toml", Layout, "*.", [each["layout"] for each in examples]),
    ):
        found += ["", f"### Keys of {file}", "", "| Key | Type | Without it | Example |", "|---|---|---|---|"]
        found += _rows(owner, prefix, values)
    return "\n".join((*found, "", ""))


def _rows(owner: Any, prefix: str, examples: list[Any]) -> Iterator[str]:  # noqa: ANN401 - a type, plain values
    """List the keys of a table, and below each those of its parts."""
    hints = get_type_hints(get_origin(owner) or owner)
    for field in fields(get_origin(owner) or owner):
        key = field.metadata.get("key", field.name)
        if (not prefix and key in _NOT_WRITTEN) or (key == "id" and prefix == "*."):
            continue
        wanted = _bound(hints[field.name], owner)
        values = [each[key] for each in examples if isinstance(each, dict) and each.get(key) not in (None, [], {}, ())]
        if prefix or key not in ("wheel", "layout"):
            yield _row(f"{prefix}{key}", wanted, field, values)
            yield from _below(wanted, f"{prefix}{key}", values)
        else:
            yield f'| `{key}` | the name of one | required | `"{values[0]["id"]}"` |'


def _below(wanted: Any, key: str, values: list[Any]) -> Iterator[str]:  # noqa: ANN401 - as above
    inner = _plain(wanted)
    if _is_table(inner):
        yield from _rows(inner, f"{key}.", values)
    elif get_origin(inner) is tuple and _is_table(_plain(get_args(inner)[0])):
        yield from _rows(_plain(get_args(inner)[0]), f"{key}[].", [each for value in values for each in value])
    elif get_origin(inner) is Mapping and _is_table(_plain(get_args(inner)[1])):
        yield from _rows(_plain(get_args(inner)[1]), f"{key}.*.", [each for value in values for each in value.values()])


def _row(key: str, wanted: Any, field: "Field[Any]", values: list[Any]) -> str:  # noqa: ANN401 - as above
    written = (_written(each) for each in values if not _has_tables(each))
    example = next((each for each in written if len(each) <= _EXAMPLE_MOST), "")
    return f"| `{key}` | {_words(wanted)} | {_default(field)} | {f'`{example}`' if example else ''} |"


def _has_tables(value: object) -> bool:
    return isinstance(value, dict) or (isinstance(value, list | tuple) and any(map(_has_tables, value)))


def _default(field: "Field[Any]") -> str:
    if field.metadata.get("key", field.name) == "cites":
        return "the nearest clauses"
    if field.default is MISSING and field.default_factory is MISSING:
        return "required"
    value = None if field.default is MISSING else field.default
    return f"`{_written(value)}`" if isinstance(value, str | int) else "none"


def _words(wanted: Any) -> str:  # noqa: ANN401 - a type
    inner = _plain(wanted)
    if inner in _WORDS:
        return _WORDS[inner]
    if inner == int | Fraction:
        return 'a number, or a fraction such as `"6/5"`'
    if isinstance(inner, type) and issubclass(inner, Enum):
        return "one of " + ", ".join(f"`{each.value}`" for each in inner)
    origin = get_origin(inner)
    if origin is tuple:
        return "a list of tables" if _is_table(_plain(get_args(inner)[0])) else "a list"
    if origin is Mapping or _is_table(inner):
        return "a table"
    return _words(getattr(inner, "__supertype__", str))


def _is_table(wanted: Any) -> bool:  # noqa: ANN401 - a type
    return is_dataclass(get_origin(wanted) or wanted)


def _plain(wanted: Any) -> Any:  # noqa: ANN401 - a type
    """Return a type without its None."""
    if get_origin(wanted) in (Union, UnionType):
        kinds = [each for each in get_args(wanted) if each is not type(None)]
        return kinds[0] if len(kinds) == 1 else wanted
    return wanted


def _bound(wanted: Any, owner: Any) -> Any:  # noqa: ANN401 - types
    """Return the type that stands for the parameter of a cited choice."""
    return get_args(owner)[0] if type(wanted).__name__ == "TypeVar" else wanted


def _written(value: object) -> str:
    """Write a value as TOML."""
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_written, value))}]"
    return str(value).lower() if isinstance(value, bool) else str(value)


if __name__ == "__main__":
    page = PAGE.read_text("utf-8")
    if "--write" in sys.argv:
        PAGE.write_text(current(page), "utf-8")
    elif page != current(page):
        sys.exit(f"{PAGE} is out of date: python -m tests.support.rulebookdoc --write")
