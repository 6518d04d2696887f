"""The shape of a rulebook: from plain tables to typed values, strictly, with every misfit named by its key."""

import re
from collections.abc import Callable, Mapping
from datetime import date
from enum import Enum
from types import MappingProxyType
from typing import Any, get_args, get_origin

import cattrs
from cattrs.cols import homogenous_tuple_structure_factory
from cattrs.errors import ForbiddenExtraKeysError

from croupier.rulebooks.complaint import shown
from croupier.rules.rulebook import Rulebook

Tables = Mapping[str, Any]


class MisfitError(ValueError):
    """A plain value that is not what its key takes."""


def structure(tables: Tables) -> Rulebook | list[tuple[str, str]]:
    """Make a rulebook of plain tables, or list every misfit as (key, what is the matter)."""
    try:
        return _CONVERTER.structure(tables, Rulebook)
    except cattrs.BaseValidationError as error:
        return [_placed(complaint) for complaint in cattrs.transform_error(error, format_exception=_wording)]


def unstructure(rulebook: Rulebook) -> dict[str, Any]:
    """Take a rulebook apart into plain tables again."""
    tables: dict[str, Any] = _CONVERTER.unstructure(rulebook)
    return tables


def _placed(complaint: str) -> tuple[str, str]:
    """Split cattrs' ``what @ $.path['to'][3].key`` into the key ``path.to[3].key`` and the complaint."""
    says, _, path = complaint.rpartition(" @ ")
    return re.sub(r"\['([^']*)'\]", r".\1", path.removeprefix("$")).removeprefix("."), says


def _wording(error: BaseException, wanted: type | None) -> str:
    match error:
        case KeyError():
            return "missing"
        case MisfitError():
            return str(error)
        case ForbiddenExtraKeysError():
            return f"no such key: {', '.join(sorted(error.extra_fields))}"
        case ValueError() if isinstance(wanted, type) and issubclass(wanted, Enum):
            return f"{error.args[0].split(' is not')[0]} is none of {', '.join(member.value for member in wanted)}"
        case _:
            return "expected a table"


#: Far above any amount, and far below what 64 bits hold once it is paid 35 to 1.
FIGURE_MOST = 10**15

_PLAIN: Mapping[type, str] = {str: "text", int: "a whole number", bool: "true or false", date: "a date"}


def _strictly(plain: type) -> Callable[[object, type], object]:
    """Take a plain value for what it is: no text for a number, no 4.9 for 4, no true for 1."""

    def hook(value: object, wanted: type) -> object:
        if type(value) is not plain:
            raise MisfitError(f"expected {_PLAIN[plain]}, found {shown(value)}")
        if isinstance(value, str) and not value.strip():
            raise MisfitError("must not be empty")
        if isinstance(value, int) and abs(value) > FIGURE_MOST:
            raise MisfitError("is beyond what can be counted here")
        # A named behaviour is text too, and comes here by way of it.
        return wanted(value) if issubclass(wanted, Enum) else value

    return hook


def _is_tuple(wanted: Any) -> bool:  # noqa: ANN401 - a type
    return get_origin(wanted) is tuple


def _listed(wanted: Any, converter: cattrs.BaseConverter) -> Callable[[object, type], object]:  # noqa: ANN401 - a type
    """Take lists alone for tuples: text would otherwise be taken letter by letter."""
    members = get_args(wanted)
    inner = homogenous_tuple_structure_factory(tuple[members[0], ...], converter)  # type: ignore[valid-type]
    length = None if members[-1] is Ellipsis else len(members)

    def hook(value: object, _: type) -> object:
        if not isinstance(value, list):
            raise MisfitError(f"expected a list, found {shown(value)}")
        if length not in (None, len(value)):
            raise MisfitError(f"expected {length} values, found {len(value)}")
        return inner(value, wanted)

    return hook


def _is_mapping(wanted: Any) -> bool:  # noqa: ANN401 - a type
    return get_origin(wanted) is Mapping


def _sealed(wanted: Any, converter: cattrs.BaseConverter) -> Callable[[object, type], object]:  # noqa: ANN401 - a type
    """Seal tables: a rulebook is shared, and nobody may change a price in it."""
    inner = converter.get_structure_hook(dict[get_args(wanted)])  # type: ignore[misc]
    return lambda value, _: MappingProxyType(inner(value, wanted))


def _make_converter() -> cattrs.Converter:
    converter = cattrs.Converter(forbid_extra_keys=True, unstruct_collection_overrides={Mapping: dict})
    for plain in _PLAIN:
        converter.register_structure_hook(plain, _strictly(plain))
    converter.register_structure_hook_factory(_is_tuple, _listed)
    converter.register_structure_hook_factory(_is_mapping, _sealed)
    return converter


_CONVERTER = _make_converter()
