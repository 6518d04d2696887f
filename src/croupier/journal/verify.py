"""The stand-alone verifier of an exported range of a journal: it needs Python and cryptography, and nothing else.

    python verify.py BUNDLE [--key PUBLIC.pem]

It verifies every entry against its digest and position, and every checkpoint against the venue's signature. It exits 0
when the bundle is as it was written, 1 when it is not, and 2 when there is nothing to read.

This file is copied into every export and runs without the package, so on purpose it shares no code with
`engine/projections.py`, the journal's own reader.
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
#: The files whose digests are in the proof, and all files of a bundle. The venue signs the proof.
COVERED: Final = (ENTRIES, PUBLIC, "verify.py", "README.txt")
MEMBERS: Final = {*COVERED, PROOF, SIGNATURE}
#: Further files in the bundle of one round: its steps, and the round as notation.
ROUND: Final = ("round.json", "round.round")
#: The keys of a proof, in this order.
PARTS: Final = ("form", "first", "last", "before", "checkpoints", "digests")
#: Every signed message begins with its kind.
PREFIX: Final = b"croupier checkpoint 1\n"
FORM: Final = "croupier bundle 1"
BUNDLE: Final = FORM.encode() + b"\n"
#: The digest before the first entry of a journal.
NOTHING: Final = bytes(32).hex()
#: More than any file of a genuine bundle, the entries apart.
BYTES_MAX: Final = 100_000_000


class WrongError(Exception):
    """The bundle is not as it was exported."""


class Place(NamedTuple):
    """A place in the journal: an entry, its epoch, and the digest of the chain up to it."""

    position: int
    epoch: int
    head: str


class Proof(NamedTuple):
    """The content of the proof."""

    first: int
    last: int
    #: The place before the first entry.
    before: Place
    #: The checkpoints of the range, by number.
    checkpoints: dict[int, Place]
    digests: dict[str, str]


def main(arguments: Sequence[str] | None = None) -> int:
    """Verify a bundle and print the result."""
    parser = argparse.ArgumentParser(description="Verify an exported range of a journal.")
    parser.add_argument("bundle", type=Path)
    parser.add_argument("--key", type=Path, help="the venue's public key, from the venue and not from the bundle")
    options = parser.parse_args(arguments)
    try:
        key = options.key.read_bytes() if options.key else None
        bundle = options.bundle.open("rb")
    except OSError as error:
        _print(f"{error.filename} cannot be read: {error.strerror}.")
        return 2
    with bundle:
        try:
            found = verify(bundle, key)
        except WrongError as error:
            _print(f"WRONG: {error}")
            return 1
    _print(found if key else f"{found}\nWARNING: the key is the bundle's own. Verify again with --key and the venue's.")
    return 0


def _print(text: str) -> None:
    sys.stdout.write(f"{text}\n")


def verify(bundle: Any, key: bytes | None = None) -> str:  # noqa: ANN401 - a path or an open file, as zipfile takes
    """Verify a bundle with a public key, or with its own when none is given; WrongError says what is wrong."""
    try:
        with zipfile.ZipFile(bundle) as members:
            return _verified(members, key)
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, OSError) as error:
        raise WrongError(f"the bundle cannot be read: {error}") from error


def _verified(members: zipfile.ZipFile, key: bytes | None) -> str:
    names = sorted(members.namelist())
    _check_names(names, {*MEMBERS, *(name for name in ROUND if name in names)})
    for name in {*names} - {ENTRIES}:
        if members.getinfo(name).file_size > BYTES_MAX:
            raise WrongError(f"{name} is larger than it ever is")
    text, own = members.read(PROOF), members.read(PUBLIC)
    public = _public(own if key is None else key)
    proof = _read_proof(text, public)
    _check_names(names, {*proof.digests, PROOF, SIGNATURE})
    head = _follow(members, proof)
    for name in proof.digests:
        if name != ENTRIES:
            _check_digest(name, hashlib.sha256(members.read(name)).hexdigest(), proof)
    if key is not None and _public(key).public_bytes_raw() != _public(own).public_bytes_raw():
        raise WrongError("the bundle's key is not the one that was given")
    _check_signature(members.read(SIGNATURE), text, public)
    return (
        f"Whole: entries {proof.first} to {proof.last}, signed to the last by {len(proof.checkpoints)} "
        f"checkpoint{'' if len(proof.checkpoints) == 1 else 's'}.\nhead {head}"
        + "".join(f"\nwith {name}, as the venue signed it" for name in ROUND if name in proof.digests)
    )


def _check_names(names: list[str], expected: set[str]) -> None:
    if names != sorted(expected):
        raise WrongError(f"the bundle holds {', '.join(names)}, and should hold {', '.join(sorted(expected))}")


def _check_signature(signature: bytes, proof: bytes, key: Ed25519PublicKey) -> None:
    try:
        key.verify(bytes.fromhex(signature.decode("ascii", "replace")), BUNDLE + proof)
    except (InvalidSignature, ValueError) as error:
        raise WrongError(f"{PROOF} is not signed by the venue") from error
    if signature != signature.lower().strip() + b"\n":
        raise WrongError(f"{SIGNATURE} is not as it was written")


def _check_digest(name: str, digest: str, proof: Proof) -> None:
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
    """Encode a proof in its canonical form."""
    return json.dumps(proof, indent=1).encode() + b"\n"


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Read the pairs of a JSON object; ValueError when a key occurs twice, as parsers differ in which one they use."""
    read = dict(pairs)
    if len(read) != len(pairs):
        raise ValueError("an object has the same key twice")
    return read


def _read_proof(text: bytes, key: Ed25519PublicKey) -> Proof:
    """Decode a proof: it must be complete and canonical, and the signatures of its checkpoints valid."""
    try:
        read = json.loads(text, object_pairs_hook=unique)
        start = (0, Place(0, 0, NOTHING)) if read["before"] is None else _signed(read["before"], key)
        signed = [_signed(each, key) for each in read["checkpoints"]]
        listed = read["digests"]
        digests = {name: listed[name] for name in (*COVERED, *(name for name in ROUND if name in listed))}
        proof = Proof(start[1].position + 1, signed[-1][1].position, start[1], dict(signed), digests)
        parts = (proof.first, proof.last, read["before"], read["checkpoints"], digests)
        as_written = canonical(dict(zip(PARTS, (FORM, *parts), strict=True)))
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError) as error:
        raise WrongError(f"{PROOF} cannot be read: {type(error).__name__}: {error}") from error
    if as_written != text:
        raise WrongError(f"{PROOF} is not as it was written")
    if [number for number, _ in signed] != list(range(start[0] + 1, start[0] + 1 + len(signed))):
        raise WrongError("a checkpoint is missing, or not in its place")
    return proof


def _signed(checkpoint: dict[str, str], key: Ed25519PublicKey) -> tuple[int, Place]:
    """Verify one checkpoint; return its number and place."""
    body, signature = checkpoint["body"].encode(), bytes.fromhex(checkpoint["signature"])
    if set(checkpoint) != {"body", "signature"} or signature.hex() != checkpoint["signature"]:
        raise WrongError("a checkpoint is not as it was written")
    number, place = _statement(json.loads(body, object_pairs_hook=unique))
    try:
        key.verify(signature, PREFIX + body)
    except InvalidSignature as error:
        raise WrongError(f"entry {place.position}: the signature of checkpoint {number} is not the venue's") from error
    return number, place


def _statement(statement: dict[str, Any]) -> tuple[int, Place]:
    """Read the statement of a checkpoint: integers, and a digest of 32 bytes."""
    number, position, epoch, head = (statement[name] for name in ("number", "position", "epoch", "head"))
    if {type(number), type(position), type(epoch)} != {int} or len(bytes.fromhex(head)) != len(bytes.fromhex(NOTHING)):
        raise WrongError("a checkpoint states nothing that can be verified against entries")
    return number, Place(position, epoch, head)


def _follow(members: zipfile.ZipFile, proof: Proof) -> str:
    """Verify the chain through every entry, and every checkpoint on the way."""
    place, digest = proof.before, hashlib.sha256()
    waiting = sorted(proof.checkpoints.items(), reverse=True)
    with members.open(ENTRIES) as lines:
        for line in lines:
            digest.update(line)
            place = _next(place, line)
            _check_checkpoints(waiting, place)
    if waiting:
        raise WrongError(f"entry {place.position + 1}: the entries end before checkpoint {waiting[-1][0]}")
    if place.position != proof.last:
        raise WrongError(f"entry {proof.last + 1}: no signature covers it")
    _check_digest(ENTRIES, digest.hexdigest(), proof)
    return place.head


def _next(before: Place, line: bytes) -> Place:
    """Verify one entry against its digest, its position and the epoch before it."""
    position = before.position + 1
    digest, blank, body = line[:64], line[64:65], line[65:-1]
    head = hashlib.sha256(bytes.fromhex(before.head) + body).hexdigest()
    if (digest, blank, line[-1:]) != (head.encode(), b" ", b"\n"):
        raise WrongError(f"entry {position}: it differs from what was written, or is not in its place")
    try:
        entry = json.loads(body, object_pairs_hook=unique)
        own, epoch = entry["position"], entry["epoch"]
    except (ValueError, KeyError, TypeError) as error:
        raise WrongError(f"entry {position}: it cannot be read") from error
    if own != position or not isinstance(epoch, int) or epoch < before.epoch:
        raise WrongError(f"entry {position}: it says that it is entry {own} of epoch {epoch}, after {before.epoch}")
    return Place(position, epoch, head)


def _check_checkpoints(waiting: list[tuple[int, Place]], place: Place) -> None:
    """Verify the checkpoints at a place against the chain."""
    while waiting and waiting[-1][1].position <= place.position:
        number, signed = waiting.pop()
        if signed != place:
            raise WrongError(f"entry {place.position}: checkpoint {number} was signed over another journal")


if __name__ == "__main__":
    sys.exit(main())
