"""The stand-alone verifier of an exported part of a journal: it needs Python and cryptography, and nothing else.

    python verify.py BUNDLE [--key PUBLIC.pem]

Every entry is held against its digest and its place, and every checkpoint against the venue's signature. It exits 0
where all is as it was written, 1 where it is not, and 2 where there is nothing to read.
"""

import argparse
import hashlib
import json
import sys
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_pem_public_key

ENTRIES: Final = "entries.jsonl"
PROOF: Final = "proof.json"
PUBLIC: Final = "public.pem"
SIGNATURE: Final = "proof.sig"
#: What the proof holds a digest of; and the proof itself, which the venue has signed.
COVERED: Final = (ENTRIES, PUBLIC, "verify.py", "README.txt")
MEMBERS: Final = {*COVERED, PROOF, SIGNATURE}
#: What may lie beside it where it is the bundle of one round: what was told of it, and the round as notation.
ROUND: Final = ("round.json", "round.round")
#: What stands in a proof, in this order.
PARTS: Final = ("form", "first", "last", "before", "checkpoints", "digests")
#: What the venue signs begins with what it is.
PREFIX: Final = b"croupier checkpoint 1\n"
FORM: Final = "croupier bundle 1"
BUNDLE: Final = FORM.encode() + b"\n"
#: The digest that the first entry of a journal is bound to.
NOTHING: Final = bytes(32).hex()
#: The proof of the longest journal is far smaller; more is nobody's.
BYTES_MAX: Final = 100_000_000


class WrongError(Exception):
    """The bundle is not as it was exported."""


class Place(NamedTuple):
    """A place in the journal: the last entry so far, its epoch, and the digest of all up to it."""

    position: int
    epoch: int
    head: str


class Proof(NamedTuple):
    """What vouches for the entries."""

    first: int
    last: int
    #: What stood before the first entry.
    before: Place
    #: The checkpoints at the end or on the way, by number.
    checkpoints: dict[int, Place]
    digests: dict[str, str]


def main(arguments: Sequence[str] | None = None) -> int:
    """Verify a bundle and say what was found."""
    parser = argparse.ArgumentParser(description="Verify an exported part of a journal.")
    parser.add_argument("bundle", type=Path)
    parser.add_argument("--key", type=Path, help="the venue's public key, had from the venue and not from the bundle")
    asked = parser.parse_args(arguments)
    try:
        key = asked.key.read_bytes() if asked.key else None
        bundle = asked.bundle.open("rb")
    except OSError as error:
        _say(f"{error.filename} cannot be read: {error.strerror}.")
        return 2
    with bundle:
        try:
            found = verify(bundle, key)
        except WrongError as error:
            _say(f"WRONG: {error}")
            return 1
    _say(found if key else f"{found}\nWARNING: the key is the bundle's own. Verify again with --key and the venue's.")
    return 0


def _say(words: str) -> None:
    sys.stdout.write(f"{words}\n")


def verify(bundle: Any, key: bytes | None = None) -> str:  # noqa: ANN401 - a path or an open file, as zipfile takes
    """Verify a bundle against a public key, or its own where none is given; WrongError says what is wrong."""
    try:
        with zipfile.ZipFile(bundle) as members:
            return _verified(members, key)
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, OSError) as error:
        raise WrongError(f"the bundle cannot be read: {error}") from error


def _verified(members: zipfile.ZipFile, key: bytes | None) -> str:
    names = sorted(members.namelist())
    _hold_names(names, {*MEMBERS, *(name for name in ROUND if name in names)})
    for name in {*names} - {ENTRIES}:
        if members.getinfo(name).file_size > BYTES_MAX:
            raise WrongError(f"{name} is larger than it ever is")
    text, own = members.read(PROOF), members.read(PUBLIC)
    public = _public(own if key is None else key)
    proof = _read_proof(text, public)
    _hold_names(names, {*proof.digests, PROOF, SIGNATURE})
    head = _follow(members, proof)
    for name in proof.digests:
        if name != ENTRIES:
            _same(name, hashlib.sha256(members.read(name)).hexdigest(), proof)
    if key is not None and _public(key).public_bytes_raw() != _public(own).public_bytes_raw():
        raise WrongError("the bundle's key is not the one that was given")
    _hold_signature(members.read(SIGNATURE), text, public)
    return (
        f"Whole: entries {proof.first} to {proof.last}, signed to the last by {len(proof.checkpoints)} "
        f"checkpoint{'' if len(proof.checkpoints) == 1 else 's'}.\nhead {head}"
        + "".join(f"\nwith {name}, as the venue signed it" for name in ROUND if name in proof.digests)
    )


def _hold_names(names: list[str], wanted: set[str]) -> None:
    if names != sorted(wanted):
        raise WrongError(f"the bundle holds {', '.join(names)}, and should hold {', '.join(sorted(wanted))}")


def _hold_signature(signature: bytes, proof: bytes, key: Ed25519PublicKey) -> None:
    try:
        key.verify(bytes.fromhex(signature.decode("ascii", "replace")), BUNDLE + proof)
    except (InvalidSignature, ValueError) as error:
        raise WrongError(f"{PROOF} is not signed by the venue") from error
    if signature != signature.lower().strip() + b"\n":
        raise WrongError(f"{SIGNATURE} is not as it was written")


def _same(name: str, digest: str, proof: Proof) -> None:
    if digest != proof.digests[name]:
        raise WrongError(f"{name} is not what was exported")


def _public(pem: bytes) -> Ed25519PublicKey:
    try:
        key = load_pem_public_key(pem)
    except ValueError as error:
        raise WrongError("the public key cannot be read") from error
    if not isinstance(key, Ed25519PublicKey):
        raise WrongError("the public key is not an Ed25519 key")
    return key


def canonical(proof: object) -> bytes:
    """Write a proof in its one form."""
    return json.dumps(proof, indent=1).encode() + b"\n"


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Take the pairs of a JSON object; ValueError where a key stands there twice: readers differ in which they take."""
    read = dict(pairs)
    if len(read) != len(pairs):
        raise ValueError("an object has the same key twice")
    return read


def _read_proof(text: bytes, key: Ed25519PublicKey) -> Proof:
    """Read a proof, whose every part must be there, in its one form, and signed where it is the venue's word."""
    try:
        said = json.loads(text, object_pairs_hook=unique)
        start = (0, Place(0, 0, NOTHING)) if said["before"] is None else _signed(said["before"], key)
        signed = [_signed(each, key) for each in said["checkpoints"]]
        told = said["digests"]
        digests = {name: told[name] for name in (*COVERED, *(name for name in ROUND if name in told))}
        proof = Proof(start[1].position + 1, signed[-1][1].position, start[1], dict(signed), digests)
        parts = (proof.first, proof.last, said["before"], said["checkpoints"], digests)
        as_written = canonical(dict(zip(PARTS, (FORM, *parts), strict=True)))
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError) as error:
        raise WrongError(f"{PROOF} cannot be read: {type(error).__name__}: {error}") from error
    if as_written != text:
        raise WrongError(f"{PROOF} is not as it was written")
    if [number for number, _ in signed] != list(range(start[0] + 1, start[0] + 1 + len(signed))):
        raise WrongError("a checkpoint is missing, or not in its place")
    return proof


def _signed(said: dict[str, str], key: Ed25519PublicKey) -> tuple[int, Place]:
    """Read one checkpoint: its number, and the place that the venue signed."""
    body, signature = said["body"].encode(), bytes.fromhex(said["signature"])
    if set(said) != {"body", "signature"} or signature.hex() != said["signature"]:
        raise WrongError("a checkpoint is not as it was written")
    number, place = _statement(json.loads(body, object_pairs_hook=unique))
    try:
        key.verify(signature, PREFIX + body)
    except InvalidSignature as error:
        raise WrongError(f"entry {place.position}: the signature of checkpoint {number} is not the venue's") from error
    return number, place


def _statement(said: dict[str, Any]) -> tuple[int, Place]:
    """Read what a checkpoint says: numbers, and a digest of 32 bytes."""
    number, position, epoch, head = (said[name] for name in ("number", "position", "epoch", "head"))
    if {type(number), type(position), type(epoch)} != {int} or len(bytes.fromhex(head)) != len(bytes.fromhex(NOTHING)):
        raise WrongError("a checkpoint says nothing that can be held against entries")
    return number, Place(position, epoch, head)


def _follow(members: zipfile.ZipFile, proof: Proof) -> str:
    """Follow the chain through every entry, and meet every checkpoint on the way."""
    place, digest = proof.before, hashlib.sha256()
    waiting = sorted(proof.checkpoints.items(), reverse=True)
    with members.open(ENTRIES) as lines:
        for line in lines:
            digest.update(line)
            place = _next(place, line)
            _meet(waiting, place)
    if waiting:
        raise WrongError(f"entry {place.position + 1}: the entries end before checkpoint {waiting[-1][0]}")
    if place.position != proof.last:
        raise WrongError(f"entry {proof.last + 1}: it stands under no signature")
    _same(ENTRIES, digest.hexdigest(), proof)
    return place.head


def _next(before: Place, line: bytes) -> Place:
    """Hold one entry against its digest, its number and the epoch before it."""
    position = before.position + 1
    digest, blank, body = line[:64], line[64:65], line[65:-1]
    head = hashlib.sha256(bytes.fromhex(before.head) + body).hexdigest()
    if (digest, blank, line[-1:]) != (head.encode(), b" ", b"\n"):
        raise WrongError(f"entry {position}: it is not what was written, or not in its place")
    try:
        entry = json.loads(body, object_pairs_hook=unique)
        told, epoch = entry["position"], entry["epoch"]
    except (ValueError, KeyError, TypeError) as error:
        raise WrongError(f"entry {position}: it cannot be read") from error
    if told != position or not isinstance(epoch, int) or epoch < before.epoch:
        raise WrongError(f"entry {position}: it says that it is entry {told} of epoch {epoch}, after {before.epoch}")
    return Place(position, epoch, head)


def _meet(waiting: list[tuple[int, Place]], place: Place) -> None:
    """Hold the chain against the checkpoints at a place."""
    while waiting and waiting[-1][1].position <= place.position:
        number, signed = waiting.pop()
        if signed != place:
            raise WrongError(f"entry {place.position}: checkpoint {number} was signed over another journal")


if __name__ == "__main__":
    sys.exit(main())
