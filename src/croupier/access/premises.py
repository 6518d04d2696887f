"""The premises: what must be true of the machine before a house is opened on it."""

import os
import stat
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

from croupier.house.name import PersonId
from croupier.rules.refusal import Code, Refusal

#: Whoever owns the machine can write everything on it anyway.
_ROOT: Final = 0
_OTHERS_WRITE: Final = stat.S_IWGRP | stat.S_IWOTH
_OTHERS_AT_ALL: Final = stat.S_IRWXG | stat.S_IRWXO


@dataclass(frozen=True, slots=True)
class Directory:
    """A directory as it was found."""

    path: Path
    owner: int
    mode: int

    @classmethod
    def at(cls, path: Path) -> Self | None:
        """Look at a directory; None where there is none yet: it will be made for its owner alone."""
        try:
            found = path.stat()
        except FileNotFoundError:
            return None
        return cls(path, found.st_uid, stat.S_IMODE(found.st_mode))


@dataclass(frozen=True, slots=True, kw_only=True)
class Premises:
    """What a start finds."""

    data: Directory | None
    safe: Directory | None
    #: The people whose secret stands in a configuration.
    configured: tuple[PersonId, ...] = ()
    demo: bool = False
    user: int
    optimize: int = 0

    @classmethod
    def found(cls, data: Path, safe: Path, *, configured: tuple[PersonId, ...], demo: bool) -> Self:
        """Look at the machine, and at the process that we are."""
        return cls(
            data=Directory.at(data),
            safe=Directory.at(safe),
            configured=configured,
            demo=demo,
            user=os.geteuid(),
            optimize=sys.flags.optimize,
        )


def objections(premises: Premises) -> list[Refusal]:
    """Say all that keeps a house from being opened here."""
    return [
        *_process_objections(premises),
        *_directory_objections(premises.data, premises.user, shut=_OTHERS_WRITE),
        *safe_objections(premises.safe, premises.user),
    ]


def safe_objections(safe: Directory | None, user: int) -> Iterator[Refusal]:
    """Object to a safe that is not its owner's alone: keys are not even to be read by others."""
    return _directory_objections(safe, user, shut=_OTHERS_AT_ALL)


def _process_objections(premises: Premises) -> Iterator[Refusal]:
    if premises.optimize:
        says = "Python runs with -O, which leaves out the checks of the books: start it without."
        yield Refusal(Code.SETTING_IMPOSSIBLE, None, says, {"optimize": premises.optimize})
    if premises.configured and not premises.demo:
        people = ", ".join(premises.configured)
        says = f"A secret that stands in a configuration is for demonstrations: give a one-time code to {people}."
        yield Refusal(Code.DEFAULT_CREDENTIALS, None, says, {"people": premises.configured})


def _directory_objections(directory: Directory | None, user: int, *, shut: int) -> Iterator[Refusal]:
    if directory is None:
        return
    facts = {"file": str(directory.path), "mode": f"{directory.mode:o}"}
    if directory.owner not in (user, _ROOT):
        yield Refusal(
            Code.SETTING_IMPOSSIBLE, None, f"{directory.path} belongs to another user of this machine.", facts
        )
    if directory.mode & shut:
        rights = "read or change" if shut == _OTHERS_AT_ALL else "change"
        says = f"Other users of this machine can {rights} what is in {directory.path}: give it mode 700."
        yield Refusal(Code.SETTING_IMPOSSIBLE, None, says, facts)
