"""Assets: the files that pages are made of, read once at the start, under one version of them all."""

import hashlib
import re
from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final, NamedTuple

from croupier.web.lean import lean

#: What may be served, and as what. A file of another kind is not one of ours.
TYPES: Final = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".json": "application/json",
}
#: Sheets that a page is sent as one, in the order in which they go on from each other.
JOINED: Final = {
    f"theme/{page}.css": tuple(f"theme/{name}.css" for name in names)
    for page, names in {
        "player": ("tokens", "terminal", "felt", "wheel", "sheets", "room"),
        "staff": ("tokens", "sheets", "felt", "console", "dealer", "pit", "cashier", "audit", "case"),
        "display": ("tokens", "board"),
        "plain": ("tokens", "paragraph"),
    }.items()
}
_IMPORT: Final = re.compile(rb'^((?:import|export)\b[^;"]*?\bfrom "|import ")(\.[^"?]+)(";?)', re.MULTILINE)


class Asset(NamedTuple):
    """A file as it is served."""

    type: str
    body: bytes


class Assets:
    """Every file by its path below `static`; nothing else can be asked for."""

    def __init__(self, folder: Traversable | None = None) -> None:
        written = sorted(_read(folder or files("croupier.server").joinpath("static"), ""))
        found = {path: lean(path, body) for path, body in written}
        found |= {path: b"".join(found[part] for part in parts) for path, parts in JOINED.items() if parts[0] in found}
        listing = "".join(f"{path} {hashlib.sha256(body).hexdigest()}\n" for path, body in found.items())
        #: One for all files as they are sent, so that a page never mixes those of two versions.
        self.version: Final = hashlib.sha256(listing.encode()).hexdigest()[:6]
        self._assets = {path: Asset(_type(path), self._dated(path, body)) for path, body in found.items()}

    def find(self, path: str) -> Asset | None:
        return self._assets.get(path)

    def __iter__(self) -> Iterator[str]:
        return iter(self._assets)

    def _dated(self, path: str, body: bytes) -> bytes:
        """Give every import of a module the version, so that what it loads is kept as long as it is."""
        if not path.endswith(".js"):
            return body
        return _IMPORT.sub(rb"\1\2?v=" + self.version.encode() + rb"\3", body)


def _read(folder: Traversable, under: str) -> Iterator[tuple[str, bytes]]:
    for entry in folder.iterdir():
        path = f"{under}{entry.name}"
        if entry.is_dir():
            yield from _read(entry, f"{path}/")
        elif _type(path):
            yield path, entry.read_bytes()


def _type(path: str) -> str:
    return next((type_ for ending, type_ in TYPES.items() if path.endswith(ending)), "")
