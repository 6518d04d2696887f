"""Manifests: what is in a backup, and the venue's signature under that."""

import hashlib
from pathlib import Path
from typing import Final, Literal

import msgspec

from croupier.engine.archive import JOURNAL, SNAPSHOT
from croupier.house.name import Instant
from croupier.journal.file import put
from croupier.journal.page import Mark
from croupier.journal.signature import Signer, Verifier
from croupier.upkeep.fault import Spoilt, translated

MANIFEST: Final = "manifest.json"
_SIGNATURE: Final = "manifest.sig"
#: All that a backup may hold. There is no place in it for anything of the safe.
PARTS: Final = (JOURNAL, SNAPSHOT)
_FORM: Final = "croupier backup 1"
#: What is signed begins with what it is, so that no signature serves for anything else.
_PREFIX: Final = f"{_FORM}\n".encode()


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a backup holds: a journal up to one place in it, made when, by which software."""

    form: Literal["croupier backup 1"] = _FORM
    made_at: Instant
    software: str
    position: int
    page: int
    epoch: int
    head: str
    #: The SHA-256 of each file, in hexadecimal.
    files: dict[str, str]

    @property
    def mark(self) -> Mark:
        return Mark(self.position, self.page, self.epoch, bytes.fromhex(self.head))


def digest_of(path: Path) -> str:
    with translated(), path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_manifest(folder: Path, manifest: Manifest, signer: Signer) -> None:
    body = msgspec.json.format(msgspec.json.encode(manifest), indent=1)
    with translated():
        put(folder / MANIFEST, body)
        put(folder / _SIGNATURE, signer.sign(_PREFIX + body).hex().encode() + b"\n")


def read_manifest(folder: Path, verifier: Verifier) -> Manifest:
    """Read what a backup says of itself; Spoilt where that is not the venue's word."""
    with translated():
        body, signature = folder.joinpath(MANIFEST).read_bytes(), folder.joinpath(_SIGNATURE).read_bytes()
    try:
        if not verifier.accepts(bytes.fromhex(signature.decode()), _PREFIX + body):
            raise Spoilt(f"the manifest of {folder} is not signed with the venue's key")
        manifest = msgspec.json.decode(body, type=Manifest)
    except ValueError as error:
        raise Spoilt(f"the manifest of {folder} cannot be read: {error}") from error
    if JOURNAL not in manifest.files or not set(manifest.files) <= set(PARTS):
        raise Spoilt(f"the manifest of {folder} lists what is no backup")
    return manifest


def hold(folder: Path, manifest: Manifest) -> None:
    """Hold the files of a backup, or a copy of them, against their digests."""
    for name, digest in manifest.files.items():
        if not folder.joinpath(name).is_file():
            raise Spoilt(f"{name} is missing from {folder}")
        if digest_of(folder / name) != digest:
            raise Spoilt(f"{name} in {folder} is not what was backed up")
