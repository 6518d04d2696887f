"""The fingerprint of a house: one digest over everything in its state, equal where two houses are."""

import hashlib
from collections import deque
from dataclasses import fields, is_dataclass
from types import NoneType
from typing import Any

import msgspec

from croupier.house.felt import Felt
from croupier.house.state import House
from croupier.house.terms import Terms
from croupier.rules.procedure import Channel, Profile
from croupier.rules.rulebook import Rulebook

#: Not state: the reader is handed in, and the others follow from the rest.
_LEFT_OUT = frozenset({"read_rulebook", "timers", "retired", "open_cases"})


def fingerprint(house: House) -> str:
    """Digest the whole state, whatever the order in which its parts came to be."""
    return hashlib.sha256(msgspec.json.encode(_plain(house), order="deterministic")).hexdigest()


#: Most of a state: nothing is to be done about these.
_PLAIN = frozenset({int, str, bool, NoneType})


def _plain(value: Any) -> object:  # noqa: ANN401 - any part of the state
    if type(value) in _PLAIN:
        return value
    if isinstance(value, Rulebook):
        return value.digest
    if isinstance(value, Felt | Terms | Channel | Profile):
        # These follow from the rulebook and the settings.
        return None
    if isinstance(value, list | tuple | deque):
        return [_plain(inner) for inner in value]
    if isinstance(value, set):
        return sorted(value)
    if is_dataclass(value):
        value = {each.name: getattr(value, each.name) for each in fields(value) if each.name not in _LEFT_OUT}
    return {str(key): _plain(inner) for key, inner in value.items()} if isinstance(value, dict) else value
