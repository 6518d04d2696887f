"""The shape of a rulebook: from plain tables to typed values, strictly, with every misfit named by its key."""

import hashlib
import json
import operator
from collections.abc import Mapping
from datetime import date
from enum import Enum
from functools import partial
from typing import Any

import cattrs
from cattrs.errors import ForbiddenExtraKeysError

from croupier.rules.rulebook import Rulebook

Tables = Mapping[str, Any]


def structure(tables: Tables) -> Rulebook | list[tuple[str, str]]:
    """Make a rulebook of plain tables, or list every misfit as (key, what is the matter)."""
    try:
        return _CONVERTER.structure(tables, Rulebook)
    except cattrs.BaseValidationError as error:
        return [_placed(complaint) for complaint in cattrs.transform_error(error, format_exception=_wording)]


def digest(rulebook: Rulebook) -> str:
    """Fingerprint the rules as played: every value but the clause matrix, which is commentary."""
    tables = _CONVERTER.unstructure(rulebook)
    del tables["digest"], tables["clauses"]
    canonical = json.dumps(tables, sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=date.isoformat)
    return hashlib.sha256(canonical.encode()).hexdigest()


def _placed(complaint: str) -> tuple[str, str]:
    """Split cattrs' ``what @ $.path.to[3].key`` into key and complaint."""
    says, _, path = complaint.rpartition(" @ ")
    return path.removeprefix("$").removeprefix("."), says


def _wording(error: BaseException, wanted: type | None) -> str:
    match error:
        case KeyError():
            return "missing"
        case ForbiddenExtraKeysError():
            return f"no such key: {', '.join(sorted(error.extra_fields))}"
        case ValueError() if isinstance(wanted, type) and issubclass(wanted, Enum):
            return f"{error.args[0].split(' is not')[0]} is none of {', '.join(member.value for member in wanted)}"
        case ValueError() | TypeError():
            return str(error)
        case _:
            return "expected a table"


def _strictly(wanted: type) -> Any:  # noqa: ANN401 - cattrs' hooks are untyped
    def hook(value: object, _: object) -> object:
        if type(value) is not wanted:
            message = f"expected {_PLAIN[wanted]}, found {value!r}"
            raise TypeError(message)
        return value

    return hook


_PLAIN: Mapping[type, str] = {str: "text", int: "a whole number", bool: "true or false", date: "a date"}


def _make_converter() -> cattrs.Converter:
    converter = cattrs.Converter(forbid_extra_keys=True)
    for plain in _PLAIN:
        converter.register_structure_hook_func(partial(operator.is_, plain), _strictly(plain))
    return converter


_CONVERTER = _make_converter()
