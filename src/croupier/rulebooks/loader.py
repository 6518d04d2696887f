"""The loader: finds a rulebook by id or path, reads its folder and proves it, or complains of all that is wrong."""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from croupier.rulebooks.complaint import Complaint
from croupier.rulebooks.proof import prove
from croupier.rulebooks.shape import digest, structure
from croupier.rules.refusal import Code, Refusal
from croupier.rules.rulebook import Rulebook

RULEBOOK = "rulebook.toml"
CLAUSES = "clauses.toml"
WHEELS = "wheels.toml"
LAYOUTS = "layouts.toml"
TESTS = "tests.toml"

#: Which file a part of the rulebook comes from; the rest comes from rulebook.toml.
_SOURCES = {"wheel": WHEELS, "layout": LAYOUTS, "clauses": CLAUSES}
_PART = re.compile(r"(?P<part>wheel|layout|clauses)(?:\[(?P<place>[0-9]+)\])?\.(?P<rest>.+)", re.DOTALL)

_SHELF = files(__package__)


def rulebook_ids() -> tuple[str, ...]:
    """List the venues that come with Croupier."""
    return tuple(sorted(entry.name for entry in _SHELF.iterdir() if entry.joinpath(RULEBOOK).is_file()))


@cache
def load_rulebook(reference: str) -> Rulebook | Refusal:
    """Load a rulebook by its id, or by the path of a folder that holds one."""
    folder = _folder(reference)
    if folder is None:
        known = rulebook_ids()
        says = f"There is no rulebook {reference!r}: give a folder that holds {RULEBOOK}, or one of {', '.join(known)}."
        return Refusal(Code.UNKNOWN_RULEBOOK, None, says, {"rulebook": reference, "known": known})
    read = read_folder(folder)
    if isinstance(read, Rulebook):
        return read
    says = f"The rulebook in {reference} is not consistent: {len(read)} complaint{'s' if len(read) > 1 else ''}."
    complaints = tuple({"file": each.file, "key": each.key, "says": each.says} for each in read)
    return Refusal(Code.RULEBOOK_INCONSISTENT, None, says, {"rulebook": reference, "complaints": complaints})


def _folder(reference: str) -> Traversable | None:
    if reference in rulebook_ids():
        return _SHELF.joinpath(reference)
    try:
        path = Path(reference)
        return path if path.is_dir() else None
    except (OSError, ValueError):  # a name too long for the system, or with a null in it
        return None


def read_folder(folder: Traversable) -> Rulebook | tuple[Complaint, ...]:
    """Read and prove the rulebook in a folder, or say all that is wrong with it."""
    complaints: list[Complaint] = []
    tables = _gather(folder, complaints)
    if complaints:
        return tuple(complaints)
    rulebook = structure(tables)
    if not isinstance(rulebook, Rulebook):
        return tuple(_complaint(tables, key, says) for key, says in rulebook)
    complaints.extend(_complaint(tables, key, says) for key, says in prove(rulebook))
    return tuple(complaints) or replace(rulebook, digest=digest(rulebook))


def _complaint(tables: dict[str, Any], key: str, says: str) -> Complaint:
    """Name the file a key comes from, and the key as it stands there: by the wheel's name, the clause's number."""
    part = _PART.fullmatch(key)
    if part is None:
        return Complaint(RULEBOOK, key, says)
    table = tables[part["part"]]
    name = table[int(part["place"])]["clause"] if part["place"] else table["id"]
    return Complaint(_SOURCES[part["part"]], f"{name}.{part['rest']}", says)


def _gather(folder: Traversable, complaints: list[Complaint]) -> dict[str, Any]:
    """Put a rulebook's files together into one table, wheel and layout fetched by name."""
    tables = dict(_read(folder, RULEBOOK, complaints))
    clauses = _read(folder, CLAUSES, complaints)
    tests = _read(folder, TESTS, complaints, optional=True)
    for part, shelf in (("wheel", WHEELS), ("layout", LAYOUTS)):
        known = {**_read(_SHELF, shelf, complaints), **_read(folder, shelf, complaints, optional=True)}
        name = tables.get(part)
        if isinstance(name, str) and name in known:
            tables[part] = {"id": name, **known[name]} if isinstance(known[name], dict) else known[name]
        elif tables:
            complaints.append(Complaint(RULEBOOK, part, f"{name!r} is none of {', '.join(known)}"))
    tables["clauses"] = list(_clauses(clauses, tests, complaints))
    complaints.extend(
        Complaint(TESTS, name, "is not a clause of this document") for name in tests if name not in clauses
    )
    return tables


def _clauses(clauses: dict[str, Any], tests: dict[str, Any], complaints: list[Complaint]) -> Iterator[Any]:
    for name, table in clauses.items():
        if isinstance(table, dict):
            yield {"clause": name, **table, "tests": tests.get(name, [])}
        else:
            complaints.append(Complaint(CLAUSES, name, "expected a table"))


def _read(folder: Traversable, name: str, complaints: list[Complaint], *, optional: bool = False) -> dict[str, Any]:
    file = folder.joinpath(name)
    if optional and not file.is_file():
        return {}
    try:
        return tomllib.loads(file.read_text("utf-8"))
    except OSError as error:
        complaints.append(Complaint(name, "", f"cannot be read: {error.strerror}"))
    except UnicodeDecodeError as error:
        complaints.append(Complaint(name, "", f"is not UTF-8 text: byte {error.start}"))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        complaints.append(Complaint(name, "", f"is not TOML: {error}"))
    return {}
