"""The canonical text of a rulebook: how it stands in a journal, and how it is read back from there."""

import hashlib
import json
from dataclasses import replace
from datetime import date
from functools import lru_cache

from croupier.rulebooks.shape import Tables, structure, unstructure
from croupier.rules.rulebook import Rulebook


def canonical(rulebook: Rulebook) -> str:
    """Write the rules as played, as one line of JSON: every value but the clause matrix, which is commentary."""
    tables = unstructure(rulebook)
    del tables["digest"], tables["clauses"]
    return json.dumps(tables, sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=date.isoformat)


def digest(rulebook: Rulebook) -> str:
    """Fingerprint the rules as played, by their canonical text."""
    return _fingerprint(canonical(rulebook))


def _fingerprint(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@lru_cache(maxsize=8)
def read_canonical(text: str) -> Rulebook:
    """Read a rulebook back from its canonical text; it has no clause matrix, which is no part of the rules as played.

    Raises ValueError where the text is no such thing. Whether the rules agree with each other was proved when the
    rulebook was loaded, and is not asked again: a journal must be readable when the proof has grown stricter.
    """
    tables = _tables(text)
    rulebook = structure({**tables, "clauses": [], "effective": _effective(tables)})
    if not isinstance(rulebook, Rulebook):
        raise ValueError("; ".join(f"{key}: {says}" for key, says in rulebook))  # noqa: TRY004 - of the text, not a type
    return replace(rulebook, digest=_fingerprint(text))


def _tables(text: str) -> Tables:
    try:
        tables = json.loads(text)
    except RecursionError as error:
        raise ValueError("the text is nested too deeply") from error
    if not isinstance(tables, dict) or not tables.keys().isdisjoint({"clauses", "digest"}):
        raise ValueError("the text is not the canonical text of a rulebook")
    return tables


def _effective(tables: Tables) -> object:
    """Make a date of its text; what is neither that nor missing is left to be complained of."""
    effective = tables.get("effective")
    return date.fromisoformat(effective) if isinstance(effective, str) else effective
