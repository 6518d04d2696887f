"""Bundles taken apart, tampered with by a seeded choice, and put together again."""

import hashlib
import io
import zipfile
from collections.abc import Callable, Mapping
from random import Random
from typing import Final

from tests.support.tampering import flipped

Members = Mapping[str, bytes]
#: Changes the members of a bundle by chance.
TamperBundle = Callable[[Random, dict[str, bytes]], None]


def members_of(bundle: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(bundle)) as file:
        return {name: file.read(name) for name in file.namelist()}


def bundle_of(members: Members) -> io.BytesIO:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        for name, content in members.items():
            file.writestr(name, content)
    return out


def member_edited(rng: Random, members: dict[str, bytes]) -> None:
    name = rng.choice(sorted(members))
    members[name] = flipped(rng, members[name])


def member_cut(rng: Random, members: dict[str, bytes]) -> None:
    name = rng.choice(sorted(members))
    members[name] = members[name][: rng.randrange(len(members[name]))]


def member_dropped(rng: Random, members: dict[str, bytes]) -> None:
    del members[rng.choice(sorted(members))]


def member_added(_: Random, members: dict[str, bytes]) -> None:
    members["more.txt"] = b"more"


def _replace(members: dict[str, bytes], name: str, content: bytes) -> None:
    """Put something else in a member's place, and its new digest into the proof, as anybody can."""
    was, now = (hashlib.sha256(each).hexdigest().encode() for each in (members[name], content))
    members[name] = content
    members["proof.json"] = members["proof.json"].replace(was, now)


def member_replaced(rng: Random, members: dict[str, bytes]) -> None:
    name = rng.choice(["README.txt", "pages.txt", "public.pem", "verify.py"])
    _replace(members, name, flipped(rng, members[name]))


def _with_lines(members: dict[str, bytes], change: Callable[[list[bytes]], None]) -> None:
    lines = members["pages.txt"].splitlines(keepends=True)
    change(lines)
    _replace(members, "pages.txt", b"".join(lines))


def page_deleted(rng: Random, members: dict[str, bytes]) -> None:
    def delete(lines: list[bytes]) -> None:
        del lines[rng.randrange(len(lines))]

    _with_lines(members, delete)


def pages_swapped(rng: Random, members: dict[str, bytes]) -> None:
    def swap(lines: list[bytes]) -> None:
        one, other = rng.sample(range(len(lines)), 2)
        lines[one], lines[other] = lines[other], lines[one]

    _with_lines(members, swap)


def pages_cut(rng: Random, members: dict[str, bytes]) -> None:
    def cut(lines: list[bytes]) -> None:
        del lines[rng.randrange(len(lines)) :]

    _with_lines(members, cut)


ON_BUNDLE: Final[tuple[TamperBundle, ...]] = (
    member_replaced,
    member_edited,
    member_cut,
    member_dropped,
    member_added,
    page_deleted,
    pages_swapped,
    pages_cut,
)
