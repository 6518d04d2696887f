"""The state as bytes: a house and what goes with it, frozen for a snapshot and thawed again.

Bytes are thawed only where the venue's signature stands over them, and then only into the house's own values.
"""

import copyreg
import io
import pickle
from types import MappingProxyType
from typing import Any, Final

from croupier.house.felt import Felt
from croupier.house.state import House
from croupier.house.timer import rebuild
from croupier.house.timerheap import Timers
from croupier.rulebooks.canonical import canonical
from croupier.rules.rulebook import Rulebook

#: What may be built from a snapshot besides the values of the house and of the rules.
_OTHERS: Final = {
    ("collections", "Counter"),
    ("collections", "deque"),
    ("croupier.engine.asked", "Accepted"),
    ("croupier.engine.keys", "Keys"),
    ("croupier.engine.keys", "Remembered"),
    ("croupier.engine.state", "unchangeable"),
    ("croupier.journal.entry", "Key"),
    ("croupier.rulebooks.canonical", "read_canonical"),
    ("msgspec._utils", "rebuild"),
}
_ROOMS: Final = ("croupier.house.", "croupier.rules.")


class StateError(Exception):
    """These bytes are no state of a house."""


def freeze(house: House, others: object) -> bytes:
    """Write a house, and what goes with it, as bytes: of what follows from a rulebook its text alone."""
    file = io.BytesIO()
    pickler = pickle.Pickler(file, protocol=5)
    # A table by type and not a method of our own, which would be called for every number and every text.
    pickler.dispatch_table = copyreg.dispatch_table | {
        Rulebook: lambda rulebook: (house.read_rulebook, (canonical(rulebook),)),
        Felt: lambda felt: (Felt, (felt.rulebook,)),
        Timers: lambda _timers: (Timers, ()),
        MappingProxyType: lambda mapping: (unchangeable, (dict(mapping),)),
    }
    pickler.dump((house, others))
    return file.getvalue()


def unchangeable(mapping: dict[object, object]) -> MappingProxyType[object, object]:
    """Make a mapping one that cannot be changed, as the rules have them."""
    return MappingProxyType(mapping)


def thaw(state: bytes) -> tuple[House, object]:
    """Build again what was frozen; StateError where that cannot be done."""
    try:
        house, others = _Thawer(io.BytesIO(state)).load()
    except (pickle.UnpicklingError, AttributeError, EOFError, ImportError, IndexError, TypeError, ValueError) as error:
        raise StateError(f"the state cannot be read: {error}") from error
    rebuild(house)
    return house, others


class _Thawer(pickle.Unpickler):
    """Builds the house's own values and nothing else."""

    def find_class(self, module: str, name: str) -> Any:  # noqa: ANN401 - any class
        if (module, name) in _OTHERS:
            return super().find_class(module, name)
        if module.startswith(_ROOMS):
            found = super().find_class(module, name)
            # What a module has only imported, or what lies within something else ("os.system"), is none of its values.
            if isinstance(found, type) and (found.__module__, found.__qualname__) == (module, name):
                return found
        raise pickle.UnpicklingError(f"a snapshot has no {module}.{name}")
