"""Croupier: electronic roulette, four venues' rules as executable data."""

from croupier.rulebooks.loader import load_rulebook, rulebook_ids
from croupier.rules.geometry import Pocket
from croupier.rules.notation import settle_slip
from croupier.rules.pricing import Settlement
from croupier.rules.refusal import Refusal
from croupier.rules.rulebook import Rulebook

__all__ = ["Pocket", "Refusal", "Rulebook", "Settlement", "rulebook", "rulebook_ids", "settle"]


def rulebook(reference: str) -> Rulebook:
    """Open a rulebook by its id, or by the path of a folder that holds one; LookupError says why it cannot be."""
    found = load_rulebook(reference)
    if isinstance(found, Rulebook):
        return found
    complaints = found.facts.get("complaints", ())
    assert isinstance(complaints, tuple)
    raise LookupError("\n".join([found.says, *(str(complaint) for complaint in complaints)]))


def settle(book: Rulebook, slip: str, *, result: str) -> Settlement | Refusal:
    """Settle a slip as if the ball had come to rest in a pocket; a refusal says why it cannot be, with its clause."""
    return settle_slip(book, slip, result=result)
