"""The loader: finds a rulebook by id or path and proves it, or refuses it with all that is wrong."""

from dataclasses import replace
from functools import cache
from importlib.resources.abc import Traversable
from pathlib import Path

from croupier.rulebooks.canonical import digest
from croupier.rulebooks.complaint import Complaint
from croupier.rulebooks.folder import RULEBOOK, SHELF, Folder
from croupier.rulebooks.proof import prove
from croupier.rulebooks.shape import structure
from croupier.rules.refusal import Code, Refusal
from croupier.rules.rulebook import Rulebook


@cache
def rulebook_ids() -> tuple[str, ...]:
    """List the venues that come with Croupier."""
    return tuple(sorted(entry.name for entry in SHELF.iterdir() if entry.joinpath(RULEBOOK).is_file()))


def load_rulebook(reference: str) -> Rulebook | Refusal:
    """Load a rulebook by its id, or by the path of a folder that holds one."""
    if reference in rulebook_ids():
        return _load_own(reference)
    folder = _folder(reference)
    if folder is not None:
        return _load(reference, folder)
    known = rulebook_ids()
    says = f"There is no rulebook {reference!r}: give a folder that holds {RULEBOOK}, or one of {', '.join(known)}."
    return Refusal(Code.UNKNOWN_RULEBOOK, None, says, {"rulebook": reference, "known": known})


@cache
def _load_own(name: str) -> Rulebook | Refusal:
    """Load what comes with Croupier, which does not change while it runs."""
    return _load(name, SHELF.joinpath(name))


def _load(reference: str, folder: Traversable) -> Rulebook | Refusal:
    read = read_folder(folder)
    if isinstance(read, Rulebook):
        return read
    says = f"The rulebook in {reference} is not consistent: {len(read)} complaint{'s' if len(read) > 1 else ''}."
    return Refusal(Code.RULEBOOK_INCONSISTENT, None, says, {"rulebook": reference, "complaints": read})


def _folder(reference: str) -> Traversable | None:
    try:
        path = Path(reference)
        return path if reference and path.is_dir() else None
    except (OSError, ValueError):  # a name too long for the system, or with a null in it
        return None


def read_folder(folder: Traversable) -> Rulebook | tuple[Complaint, ...]:
    """Read and prove the rulebook in a folder, or say all that is wrong with it."""
    read = Folder(folder)
    if read.complaints:
        return tuple(read.complaints)
    rulebook = structure(read.tables)
    if not isinstance(rulebook, Rulebook):
        return tuple(read.place(f"{key}.", says) for key, says in rulebook)
    complaints = tuple(read.place(key, says) for key, says in prove(rulebook))
    return complaints or replace(rulebook, digest=digest(rulebook))
