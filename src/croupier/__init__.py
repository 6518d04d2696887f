"""Croupier: electronic roulette, four venues' rules as executable data."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from croupier.rulebooks.loader import rulebook_ids
    from croupier.rules.geometry import Pocket
    from croupier.rules.pricing import Settlement
    from croupier.rules.refusal import Refusal
    from croupier.rules.rulebook import Rulebook

__all__ = ["Pocket", "Refusal", "Rulebook", "Settlement", "rulebook", "rulebook_ids", "settle"]

#: The modules of the names above. They are imported at first use, so that `croupier --version` loads none of them.
_MODULES = {
    "Pocket": "rules.geometry",
    "Refusal": "rules.refusal",
    "Rulebook": "rules.rulebook",
    "Settlement": "rules.pricing",
    "rulebook_ids": "rulebooks.loader",
}


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)


def rulebook(reference: str) -> "Rulebook":
    """Open a rulebook by its id, or by the path of its directory; LookupError says why it cannot be used."""
    from croupier.rulebooks.loader import load_rulebook  # noqa: PLC0415 - at first use
    from croupier.rules.rulebook import Rulebook  # noqa: PLC0415 - at first use

    found = load_rulebook(reference)
    if isinstance(found, Rulebook):
        return found
    problems = found.facts.get("complaints", ())
    assert isinstance(problems, tuple)
    raise LookupError("\n".join([found.message, *(str(problem) for problem in problems)]))


def settle(book: "Rulebook", slip: str, *, result: str) -> "Settlement | Refusal":
    """Settle a slip as if the ball had come to rest in a pocket; a refusal has the reason and the clause."""
    from croupier.rules.notation import settle_slip  # noqa: PLC0415 - at first use

    return settle_slip(book, slip, result=result)
