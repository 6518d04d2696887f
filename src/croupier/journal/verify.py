"""The stand-alone verifier of exported parts of a journal: it needs Python and cryptography, and nothing else.

    python -P verify.py BUNDLE [--key PUBLIC.pem] [--entries FILE]
    python -P verify.py ENTRY.json --key PUBLIC.pem

It verifies every page against its digest and place, and every checkpoint against the venue's signature; or the proof of
one entry. It exits 0 when the file is as it was written, 1 when it is not, and 2 when there is nothing to read.

This file is copied into every export and runs without the package, so on purpose it shares no code with
`engine/journal_reader.py`, the journal's own reader.
"""

import argparse
import hashlib
import json
import sys
import zipfile
import zlib
from base64 import b64decode
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_pem_public_key

PAGES: Final = "pages.txt"
PROOF: Final = "proof.json"
PUBLIC: Final = "public.pem"
SIGNATURE: Final = "proof.sig"
#: The files whose digests are in the proof, and all files of a bundle. The venue signs the proof.
COVERED: Final = (PAGES, PUBLIC, "verify.py", "README.txt")
MEMBERS: Final = {*COVERED, PROOF, SIGNATURE}
#: Further files in the bundle of one round: its steps, and the round as notation.
ROUND: Final = ("round.json", "round.round")
#: The keys of a proof, and of the proof of one entry, in this order.
PARTS: Final = ("form", "first", "last", "before", "checkpoints", "digests")
ENTRY_PARTS: Final = ("form", "position", "before", "page", "path", "checkpoint")
#: Every signed message begins with its kind.
PREFIX: Final = b"croupier checkpoint 3\n"
FORM: Final = "croupier bundle 2"
ENTRY_FORM: Final = "croupier entry 1"
BUNDLE: Final = FORM.encode() + b"\n"
#: The digest before the first page of a journal.
NOTHING: Final = bytes(32).hex()
#: More than any file of a genuine bundle, the pages apart.
BYTES_MAX: Final = 100_000_000
#: The first field of every page.
PAGE_FORMAT: Final = 2
#: The type of the event whose rows are compact.
BETS_CHANGED: Final = "bets_changed.1"


class WrongError(Exception):
    """The file is not as it was exported."""


class Place(NamedTuple):
    """A place in the journal: an entry, its page and epoch, and the digest of the chain up to there."""

    position: int
    page: int
    epoch: int
    head: str


class Signed(NamedTuple):
    """A checkpoint: its number, its place, and the Merkle tree over the pages since the checkpoint before."""

    number: int
    place: Place
    pages: int
    root: str


class Proof(NamedTuple):
    """The content of the proof."""

    first: int
    last: int
    #: The place before the first entry.
    before: Place
    #: The checkpoints of the range, in order.
    checkpoints: list[Signed]
    digests: dict[str, str]


def main(arguments: Sequence[str] | None = None) -> int:
    """Verify a bundle or the proof of an entry, and print the result."""
    parser = argparse.ArgumentParser(description="Verify an exported range of a journal, or the proof of one entry.")
    parser.add_argument("bundle", type=Path)
    parser.add_argument("--key", type=Path, help="the venue's public key, from the venue and not from the bundle")
    parser.add_argument("--entries", type=Path, metavar="FILE", help="write the entries there, one JSON to a line")
    options = parser.parse_args(arguments)
    try:
        key = options.key.read_bytes() if options.key else None
        with options.bundle.open("rb") as bundle:
            found = _verified_file(bundle, key, options.entries)
    except OSError as error:
        _print(f"{error.filename} cannot be read or written: {error.strerror}.")
        return 2
    except WrongError as error:
        _print(f"WRONG: {error}")
        return 1
    _print(found if key else f"{found}\nWARNING: the key is the bundle's own. Verify again with --key and the venue's.")
    return 0


def _print(text: str) -> None:
    """Print with control characters escaped: a foreign bundle may name its files in any way."""
    shown = (each if each.isprintable() or each == "\n" else each.encode("unicode_escape").decode() for each in text)
    sys.stdout.write(f"{''.join(shown)}\n")


def _verified_file(bundle: Any, key: bytes | None, entries: Path | None) -> str:  # noqa: ANN401 - an open file
    if bundle.peek(1)[:1] == b"{":
        return verify_entry(bundle.read(BYTES_MAX), key)
    found = verify(bundle, key)
    if entries is not None:
        with entries.open("x") as out:
            out.writelines(entries_in(bundle))
    return found


def verify(bundle: Any, key: bytes | None = None) -> str:  # noqa: ANN401 - a path or an open file, as zipfile takes
    """Verify a bundle with a public key, or with its own when none is given; WrongError says what is wrong."""
    try:
        with zipfile.ZipFile(bundle) as members:
            return _verified(members, key)
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, OSError) as error:
        raise WrongError(f"the bundle cannot be read: {error}") from error


def entries_in(bundle: Any) -> Iterator[str]:  # noqa: ANN401 - as above
    """Read the entries of a bundle that was verified, each as one line of JSON."""
    with zipfile.ZipFile(bundle) as members:
        for line in _page_lines(members):
            _, entries = read_page(b64decode(line[65:-1]), "", PAGES)
            yield from (json.dumps(entry, separators=(",", ":")) + "\n" for entry in entries)


def _page_lines(members: zipfile.ZipFile) -> Iterator[bytes]:
    """Read the pages, each a line of bounded length: a small bundle may hold a line of any length."""
    with members.open(PAGES) as pages:
        while line := pages.readline(BYTES_MAX + 1):
            if len(line) > BYTES_MAX:
                raise WrongError(f"{PAGES} has a line of more than {BYTES_MAX} bytes")
            yield line


def _verified(members: zipfile.ZipFile, key: bytes | None) -> str:
    names = sorted(members.namelist())
    _check_names(names, {*MEMBERS, *(name for name in ROUND if name in names)})
    for name in {*names} - {PAGES}:
        if members.getinfo(name).file_size > BYTES_MAX:
            raise WrongError(f"{name} is larger than it ever is")
    text, own = members.read(PROOF), members.read(PUBLIC)
    public = _public(own if key is None else key)
    proof = _read_proof(text, public)
    _check_names(names, {*proof.digests, PROOF, SIGNATURE})
    head = _follow(members, proof)
    for name in proof.digests:
        if name != PAGES:
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
    """Read the pairs of an object; ValueError when a key occurs twice, as parsers differ in which one they use."""
    read = dict(pairs)
    if len(read) != len(pairs):
        raise ValueError("an object has the same key twice")
    return read


#: What malformed content raises while it is read.
_MALFORMED: Final = (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError)


def _read_proof(text: bytes, key: Ed25519PublicKey) -> Proof:
    """Decode a proof: it must be complete and canonical, and the signatures of its checkpoints valid."""
    try:
        read = json.loads(text, object_pairs_hook=unique)
        nothing = Signed(0, Place(0, 0, 0, NOTHING), 0, "")
        start = nothing if read["before"] is None else _signed(read["before"], key)
        signed = [_signed(each, key) for each in read["checkpoints"]]
        listed = read["digests"]
        digests = {name: listed[name] for name in (*COVERED, *(name for name in ROUND if name in listed))}
        proof = Proof(start.place.position + 1, signed[-1].place.position, start.place, signed, digests)
        parts = (proof.first, proof.last, read["before"], read["checkpoints"], digests)
        as_written = canonical(dict(zip(PARTS, (FORM, *parts), strict=True)))
    except _MALFORMED as error:
        raise WrongError(f"{PROOF} cannot be read: {type(error).__name__}: {error}") from error
    if as_written != text:
        raise WrongError(f"{PROOF} is not as it was written")
    if [each.number for each in signed] != list(range(start.number + 1, start.number + 1 + len(signed))):
        raise WrongError("a checkpoint is missing, or not in its place")
    return proof


def _signed(checkpoint: dict[str, str], key: Ed25519PublicKey) -> Signed:
    """Verify the signature of a checkpoint, and read its statement."""
    body, signature = checkpoint["body"].encode(), bytes.fromhex(checkpoint["signature"])
    if set(checkpoint) != {"body", "signature"} or signature.hex() != checkpoint["signature"]:
        raise WrongError("a checkpoint is not as it was written")
    signed = _statement(json.loads(body, object_pairs_hook=unique))
    try:
        key.verify(signature, PREFIX + body)
    except InvalidSignature as error:
        words = f"the signature of checkpoint {signed.number} is not the venue's"
        raise WrongError(f"entry {signed.place.position}: {words}") from error
    return signed


def _statement(statement: dict[str, Any]) -> Signed:
    """Read the statement of a checkpoint: integers, and digests of 32 bytes."""
    numbers = [statement[name] for name in ("number", "position", "page", "epoch", "pages")]
    head, root = statement["head"], statement["root"]
    if {*map(type, numbers)} != {int} or {len(bytes.fromhex(each)) for each in (head, root)} != {32}:
        raise WrongError("a checkpoint states nothing that can be verified against pages")
    number, position, page, epoch, pages = numbers
    return Signed(number, Place(position, page, epoch, head), pages, root)


def _follow(members: zipfile.ZipFile, proof: Proof) -> str:
    """Verify the chain through every page, and every checkpoint on the way."""
    place, digest = proof.before, hashlib.sha256()
    heads, waiting = list[bytes](), proof.checkpoints[::-1]
    for line in _page_lines(members):
        digest.update(line)
        place = _next(place, line)
        heads.append(bytes.fromhex(place.head))
        _check_checkpoints(waiting, place, heads)
    if waiting:
        raise WrongError(f"entry {place.position + 1}: the pages end before checkpoint {waiting[-1].number}")
    if place.position != proof.last:
        raise WrongError(f"entry {proof.last + 1}: no signature covers it")
    _check_digest(PAGES, digest.hexdigest(), proof)
    return place.head


def _next(before: Place, line: bytes) -> Place:
    """Verify one page against its digest and the place before it."""
    name = f"entry {before.position + 1}: page {before.page + 1}"
    digest, blank, text = line[:64], line[64:65], line[65:-1]
    try:
        body = b64decode(text, validate=True)
    except ValueError:
        body = b""
    head = hashlib.sha256(bytes.fromhex(before.head) + body).hexdigest()
    if (digest, blank, line[-1:]) != (head.encode(), b" ", b"\n"):
        raise WrongError(f"{name} differs from what was written, or is not in its place")
    place, entries = read_page(body, head, name)
    if (place.page, place.position - len(entries)) != (before.page + 1, before.position) or place.epoch < before.epoch:
        words = f"page {place.page} of epoch {place.epoch}, which ends with entry {place.position}"
        raise WrongError(f"{name} says that it is {words}, after epoch {before.epoch}")
    return place


def _check_checkpoints(waiting: list[Signed], place: Place, heads: list[bytes]) -> None:
    """Verify the checkpoints at a place against the chain, and against the pages since the checkpoint before."""
    while waiting and waiting[-1].place.position <= place.position:
        signed = waiting.pop()
        if (signed.place, signed.pages, signed.root) != (place, len(heads), _merkle_root(heads).hex()):
            raise WrongError(f"entry {place.position}: checkpoint {signed.number} was signed over another journal")
        heads.clear()


def _merkle_root(heads: list[bytes]) -> bytes:
    """Return the root of the Merkle tree over the digests of pages."""
    if not heads:
        return hashlib.sha256(b"").digest()
    nodes = [hashlib.sha256(b"\0" + head).digest() for head in heads]
    while len(nodes) > 1:
        pairs = [_node(*nodes[place : place + 2]) for place in range(0, len(nodes) - 1, 2)]
        # The last node of an odd number moves up as it is.
        nodes = [*pairs, *nodes[2 * len(pairs) :]]
    return nodes[0]


def _node(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\1" + left + right).digest()


# The proof of one entry


def verify_entry(text: bytes, key: bytes | None) -> str:
    """Verify the proof of one entry with the venue's public key; WrongError says what is wrong."""
    if key is None:
        raise WrongError("the proof of an entry has no key of its own: use --key and the venue's public key")
    public = _public(key)
    try:
        read = json.loads(text, object_pairs_hook=unique)
        _, position, before, page, path, checkpoint = (read[name] for name in ENTRY_PARTS)
        body, nodes = b64decode(page, validate=True), [bytes.fromhex(each) for each in path]
        head = hashlib.sha256(bytes.fromhex(before) + body).digest()
        values = (ENTRY_FORM, int(position), before, page, path, checkpoint)
        as_written = canonical(dict(zip(ENTRY_PARTS, values, strict=True)))
        signed = _signed(checkpoint, public)
    except _MALFORMED as error:
        raise WrongError(f"the proof cannot be read: {type(error).__name__}: {error}") from error
    if as_written != text:
        raise WrongError("the proof is not as it was written")
    place, entries = read_page(body, head.hex(), f"entry {position}: its page")
    found = [entry for entry in entries if entry["position"] == position]
    index = place.page - (signed.place.page - signed.pages) - 1
    if not found or not 0 <= index < signed.pages or _root_by(nodes, head, index, signed.pages).hex() != signed.root:
        raise WrongError(f"entry {position}: it is not what checkpoint {signed.number} was signed over")
    return f"Whole: entry {position} on page {place.page}, under checkpoint {signed.number}.\n" + json.dumps(
        found[0], indent=1
    )


def _root_by(path: list[bytes], head: bytes, index: int, pages: int) -> bytes:
    """Return the root that a path gives from the page with this index."""
    node, last = hashlib.sha256(b"\0" + head).digest(), pages - 1
    for other in path:
        # Subtrees without a neighbour move up as they are.
        while last and index == last and not index & 1:
            index, last = index >> 1, last >> 1
        node = _node(other, node) if index & 1 else _node(node, other)
        index, last = index >> 1, last >> 1
    return node if last == 0 else b""


# A page


def read_page(body: bytes, head: str, name: str) -> tuple[Place, list[dict[str, Any]]]:
    """Read a page: its place and its entries; WrongError when it is not a page of the format."""
    try:
        fields = unpack(body)
        if fields[0] != PAGE_FORMAT:
            raise WrongError(f"{name} has a format that this program does not know")
        _, number, epoch, first, time, origins, plays, rows = fields
        entries = list(_entries(epoch, first, time, origins, plays, rows))
    except _MALFORMED as error:
        raise WrongError(f"{name} cannot be read: {type(error).__name__}: {error}") from error
    if {*map(type, (number, epoch, first))} != {int} or not entries:
        raise WrongError(f"{name} cannot be read")
    return Place(first + len(entries) - 1, number, epoch, head), entries


def _entries(  # noqa: PLR0913, PLR0917 - the fields of a page
    epoch: int, first: int, time: int, origins: list[Any], plays: list[Any], rows: list[Any]
) -> Iterator[dict[str, Any]]:
    """Return the entries with all that their rows leave to the header."""
    for position, (kind, origin, after, device, cause, *rest) in enumerate(rows, start=first):
        day, person, rulebook = origins[origin]
        event = _bets_changed(plays, *rest) if kind == 1 else rest[0]
        yield {
            "position": position,
            "epoch": epoch,
            "day": day,
            "context": {"now": time + after, "device": device, "person": person},
            "rulebook": rulebook.hex(),
            "cause": None if cause is None else [[epoch, cause[0]], cause[1].hex()],
            "event": event,
        }


def _bets_changed(  # noqa: PLR0913, PLR0917 - the fields of a row
    plays: list[Any], play: int, position: int, spots: list[Any], amounts: list[Any], spread: list[Any] | None
) -> dict[str, Any]:
    round_, how = plays[play]
    spread_from, spread_chip = (None, 0) if spread is None else spread
    return {
        "type": BETS_CHANGED,
        "position": position,
        "round": round_,
        "how": how,
        "spots": spots,
        "amounts": amounts,
        "spread_from": spread_from,
        "spread_chip": spread_chip,
    }


# MessagePack: the part of it that pages use


def unpack(body: bytes) -> Any:  # noqa: ANN401 - any value
    """Decode one value, each in its shortest form, and nothing after it; ValueError when that is not so."""
    unpacker = _Unpacker(body)
    value = unpacker.value()
    if unpacker.at != len(body):
        raise ValueError("there are bytes after the end")
    return value


#: How many bytes the length of a text, bytes, an array or a map has, and from which length on.
_TEXT: Final = {0xD9: (1, 32), 0xDA: (2, 1 << 8), 0xDB: (4, 1 << 16)}
_BYTES: Final = {0xC4: (1, 0), 0xC5: (2, 1 << 8), 0xC6: (4, 1 << 16)}
_ARRAY: Final = {0xDC: (2, 16), 0xDD: (4, 1 << 16)}
_MAP: Final = {0xDE: (2, 16), 0xDF: (4, 1 << 16)}
#: How many bytes an integer has, and from which on: not negative, and negative.
_UNSIGNED: Final = {0xCC: (1, 1 << 7), 0xCD: (2, 1 << 8), 0xCE: (4, 1 << 16), 0xCF: (8, 1 << 32)}
_SIGNED: Final = {0xD0: (1, 32), 0xD1: (2, 1 << 7), 0xD2: (4, 1 << 15), 0xD3: (8, 1 << 31)}
_CONSTANTS: Final = {0xC0: None, 0xC2: False, 0xC3: True}
#: Short values: the first byte has the integer itself, or the length of a map, an array or a text.
_SMALL: Final = {**{number: number for number in range(0x80)}, **{number + 0x100: number for number in range(-32, 0)}}
_SHORT_MAP, _SHORT_ARRAY, _SHORT_TEXT = (
    {first + size: size for size in range(count)} for first, count in ((0x80, 16), (0x90, 16), (0xA0, 32))
)


class _Unpacker:
    """Reads values from bytes, one after the other."""

    def __init__(self, body: bytes) -> None:
        self._body, self.at = body, 0

    def value(self) -> Any:  # noqa: ANN401, PLR0911 - any value, and one line for each kind
        tag = self._take(1)[0]
        if tag in _SMALL:
            return _SMALL[tag]
        if tag in _CONSTANTS:
            return _CONSTANTS[tag]
        if tag in _UNSIGNED:
            return self._number(*_UNSIGNED[tag])
        if tag in _SIGNED:
            return self._negative(*_SIGNED[tag])
        if tag in _BYTES:
            return self._take(self._number(*_BYTES[tag]))
        if tag in _TEXT or tag in _SHORT_TEXT:
            return self._take(self._length(tag, _TEXT, _SHORT_TEXT)).decode()
        if tag in _ARRAY or tag in _SHORT_ARRAY:
            return [self.value() for _ in range(self._length(tag, _ARRAY, _SHORT_ARRAY))]
        if tag in _MAP or tag in _SHORT_MAP:
            return unique([(self.value(), self.value()) for _ in range(self._length(tag, _MAP, _SHORT_MAP))])
        raise ValueError(f"no page has a value that begins with {tag:#x}")

    def _length(self, tag: int, long: dict[int, tuple[int, int]], short: dict[int, int]) -> int:
        return short[tag] if tag in short else self._number(*long[tag])

    def _number(self, size: int, least: int) -> int:
        number = int.from_bytes(self._take(size), "big")
        if number < least:
            raise ValueError("a number is longer than it has to be")
        return number

    def _negative(self, size: int, least: int) -> int:
        number = int.from_bytes(self._take(size), "big", signed=True)
        if number >= -least:
            raise ValueError("a number is longer than it has to be")
        return number

    def _take(self, size: int) -> bytes:
        self.at += size
        if self.at > len(self._body):
            raise ValueError("it ends too early")
        return self._body[self.at - size : self.at]


if __name__ == "__main__":
    sys.exit(main())
