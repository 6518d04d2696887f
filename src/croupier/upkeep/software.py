"""The software as it was installed: every file of it, and of all that it stands on, held against its record."""

import re
import sys
from collections.abc import Iterator, Sequence
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import Final

import croupier
from croupier.upkeep.answer import Difference, Differs, Unverified, Verdict, Verified
from croupier.upkeep.record import RECORD, Line, added, held, name_of, recorded

_OURS: Final = "croupier"
#: In the conditions of a requirement: only somebody who asks for more has to meet it.
_EXTRA: Final = re.compile(r"\bextra\b")

Records = dict[str, list[Line]]


def verify(
    package: Path = Path(croupier.__file__).parent,
    path: Sequence[str] | None = None,
    optimised: int = sys.flags.optimize,
) -> Verdict:
    """Verify the software in a folder, and what it stands on along a path; unless told otherwise, what runs here."""
    if optimised:
        return Unverified("Python was told to leave out what the software asserts (-O), so this is not what was tested")
    where = list(sys.path if path is None else path)
    ours = _find(_OURS, where)
    lines = None if ours is None else recorded(ours)
    if ours is None or lines is None:
        return Unverified("it is not installed, so there is no record to hold it against")
    if package / "__init__.py" not in [line.path for line in lines]:
        return Unverified(f"it runs from {package}, which is not what is installed: a source checkout has no record")
    return _held(_standing_on(ours, where))


def _held(installed: dict[str, Distribution | None]) -> Verdict:
    """Hold distributions against their records; None is one that is needed and not there."""
    records: Records = {}
    differences = [Difference("missing", RECORD, name) for name, found in installed.items() if found is None]
    for name, found in installed.items():
        lines = None if found is None else recorded(found)
        if lines is not None:
            records[name] = lines
    differences += _differences(records)
    if differences:
        return Differs(tuple(differences))
    if without := sorted(set(installed) - set(records)):
        return Unverified(f"there is no record of {', '.join(without)}")
    return Verified(len(records), sum(bool(line.digest) for lines in records.values() for line in lines))


def _differences(records: Records) -> Iterator[Difference]:
    known = {line.path for lines in records.values() for line in lines}
    for name, lines in records.items():
        yield from held(lines, name)
        yield from added(lines, known, name)


def _find(name: str, path: list[str]) -> Distribution | None:
    return next(iter(distributions(name=name, path=path)), None)


def _standing_on(ours: Distribution, path: list[str]) -> dict[str, Distribution | None]:
    """Find a distribution and all that it requires, and so on; None for what is required here and is not there."""
    found: dict[str, Distribution | None] = {_OURS: ours}
    waiting = [ours]
    while waiting:
        for requirement in waiting.pop().requires or ():
            name, (_, _, condition) = name_of(requirement), requirement.partition(";")
            if name in found or _EXTRA.search(condition):
                continue
            other = _find(name, path)
            if other is not None:
                waiting.append(other)
            # One with a condition that is not there is taken to be for another platform: without it nothing would run.
            if other is not None or not condition:
                found[name] = other
    return found
