"""Validation numbers of tickets."""

import hashlib
import hmac
import secrets
from itertools import count
from pathlib import Path
from typing import Final

from croupier.house.credit.tickets import Validation
from croupier.house.ids import Number
from croupier.journal.disk import JournalFault, read_secret, write_atomic
from croupier.journal.keystore import KeyStore
from croupier.rules.refusal import Code, Refused

#: A prime just under 1,000: three digits hold any remainder, and every weight has an inverse.
PRIME: Final = 997
BODY: Final = 15
CHECK: Final = 3

#: Ratios of weights that two misread digits can compensate: those of two differences of digits, 1 to 9 either way.
_COMPENSATED: Final = frozenset(
    sign * one * pow(other, -1, PRIME) % PRIME for sign in (1, -1) for one in range(1, 10) for other in range(1, 10)
)
#: The check digits are their own value, so these are their weights.
_PLACES: Final = tuple(-(10**place) % PRIME for place in range(CHECK))


class CheckDigits:
    """A keyed weighted sum modulo a prime. A number is valid if its body and check digits together give zero.

    Each digit has a weight of its own, none zero, and no two in a ratio that two misread digits can compensate. So one
    or two wrong digits of the eighteen, and two that are swapped, are always detected. Of the 10**18 texts of eighteen
    digits 10**15 are valid, so that 99.9 % of random misreadings are detected. The check digits detect misreading. The
    body protects against guessing: one in many millions was ever issued.
    """

    def __init__(self, key: bytes) -> None:
        self._weights = next(filter(None, (_weights(key, attempt) for attempt in count())))
        self._offset = int.from_bytes(hmac.digest(key, b"offset", "sha256")) % PRIME

    def digits(self, body: str) -> str:
        """Compute the check digits of a body."""
        assert len(body) == BODY
        total = sum(weight * int(digit) for weight, digit in zip(self._weights, body, strict=True))
        return f"{(self._offset + total) % PRIME:0{CHECK}}"


def _weights(key: bytes, attempt: int) -> tuple[int, ...]:
    """Choose a weight for each digit of the body, in an order that the key gives; empty if that order has too few."""
    chosen = [*_PLACES]
    for weight in sorted(range(1, PRIME), key=lambda each: hmac.digest(key, b"%d %d" % (attempt, each), "sha256")):
        if all(weight * pow(other, -1, PRIME) % PRIME not in _COMPENSATED for other in chosen):
            chosen.append(weight)
    body = chosen[CHECK : CHECK + BODY]
    return tuple(body) if len(body) == BODY else ()


_KEY: Final = "ticket.key"
KEY_BYTES: Final = 32
LENGTH: Final = BODY + CHECK
#: Separators that people write between groups of digits.
_GAPS: Final = str.maketrans("", "", " -")

#: The two halves of a number, of seven digits and of eight.
HALVES: Final = (10**7, 10**8)
#: As many rounds as FF1 of NIST SP 800-38G, of the same construction.
ROUNDS: Final = 10


class ValidationNumbers:
    """Generates and reads validation numbers by one key: a sequence has one number, so it can be reprinted."""

    def __init__(self, key: bytes) -> None:
        assert len(key) == KEY_BYTES
        self._order = hmac.digest(key, b"croupier ticket order 1", "sha256")
        self._sign = hmac.digest(key, b"croupier ticket digest 1", "sha256")
        self._check = CheckDigits(hmac.digest(key, b"croupier ticket check 1", "sha256"))

    def number(self, sequence: Number) -> str:
        """Return the number that is printed, for the printer alone: it is in no record."""
        body = f"{permuted(sequence, self._order):0{BODY}}"
        return body + self._check.digits(body)

    def validation(self, sequence: Number) -> Validation:
        """Return the digest that the house stores of a number."""
        number = self.number(sequence)
        return Validation(sequence, self._digest(number), number[-4:])

    def read(self, text: str) -> str:
        """Read a number from a ticket and return its digest; a misread number is refused before any lookup."""
        number = digits_of(text)
        if number is None:
            raise Refused(Code.TICKET_MISREAD, None, f"The number of a slip or ticket has {LENGTH} digits.")
        if number[BODY:] != self._check.digits(number[:BODY]):
            raise Refused(Code.TICKET_MISREAD, None, "A digit of this number is not as it was printed: read it again.")
        return self._digest(number)

    def digest(self, text: str) -> str | None:
        """Return the digest of a number that this or another venue has printed; None if it has not all its digits."""
        number = digits_of(text)
        return None if number is None else self._digest(number)

    def _digest(self, number: str) -> str:
        return hmac.digest(self._sign, number.encode("ascii"), "sha256").hex()


def digits_of(text: str) -> str | None:
    """Return the digits of a number as people write it; None if they are not as many as a number has."""
    number = text.translate(_GAPS)
    return number if len(number) == LENGTH and number.isascii() and number.isdigit() else None


class SharedNumbers:
    """Encrypts and digests numbers with the key that the venues of one operator share.

    The database that the venues share never has a number: a role that reads it cannot print a ticket. The key does not
    authenticate: each venue signs what it sends with a key of its own.
    """

    _HALVES: Final = (10**9, 10**9)
    #: A claim goes to every venue. All of them have the key, and there are 10**15 bodies, so each guess is made slow:
    #: 0.2 ms of a core.
    _ITERATIONS: Final = 1_000
    _DIGEST_BYTES: Final = 16

    def __init__(self, key: bytes) -> None:
        assert len(key) == KEY_BYTES
        self._order = hmac.digest(key, b"croupier shared order 1", "sha256")
        self._salt = hmac.digest(key, b"croupier shared claim 1", "sha256")

    def token(self, number: str) -> str:
        """Encrypt a number; the same number gives the same token."""
        return f"{permuted(int(number), self._order, self._HALVES):0{LENGTH}}"

    def number(self, token: str) -> str:
        """Decrypt a token."""
        return f"{restored(int(token), self._order, self._HALVES):0{LENGTH}}"

    def claim(self, token: str) -> str:
        """Digest the number of a token, for a claim: only a venue that knows the number recognises it."""
        number = self.number(token).encode("ascii")
        return hashlib.pbkdf2_hmac("sha256", number, self._salt, self._ITERATIONS, self._DIGEST_BYTES).hex()


def permuted(value: int, key: bytes, halves: tuple[int, int] = HALVES) -> int:
    """Map each number to another of its range, one to one, in an order that depends on the key.

    A Feistel network: each round adds a keyed function of one half to the other, which can be subtracted again.
    """
    assert 0 <= value < halves[0] * halves[1]
    left, right = divmod(value, halves[1])
    for round_ in range(0, ROUNDS, 2):
        left = (left + _mixed(key, round_, right)) % halves[0]
        right = (right + _mixed(key, round_ + 1, left)) % halves[1]
    return left * halves[1] + right


def restored(value: int, key: bytes, halves: tuple[int, int] = HALVES) -> int:
    """Invert `permuted`."""
    left, right = divmod(value, halves[1])
    for round_ in range(ROUNDS - 2, -1, -2):
        right = (right - _mixed(key, round_ + 1, left)) % halves[1]
        left = (left - _mixed(key, round_, right)) % halves[0]
    return left * halves[1] + right


def _mixed(key: bytes, round_: int, half: int) -> int:
    return int.from_bytes(hmac.digest(key, b"%d %d" % (round_, half), "sha256"))


def read_shared_key(path: Path) -> bytes:
    """Read the key that the venues of one operator share; JournalFault if it cannot be read or has another length."""
    try:
        key = read_secret(path)
    except OSError as error:
        raise JournalFault(f"the shared key cannot be read: {error.strerror}: {error.filename}") from error
    if len(key) != KEY_BYTES:
        raise JournalFault(f"{path} is not a key: it has {len(key)} bytes, not {KEY_BYTES}")
    return key


def open_key(key_store: KeyStore, *, make: bool = True) -> bytes:
    """Read the key from the key store, and create one if there is none; without it no issued ticket can be read."""
    path = key_store.path.joinpath(_KEY)
    try:
        if make and not path.exists():
            # Written atomically: tickets printed with a lost key cannot be read.
            write_atomic(path, secrets.token_bytes(KEY_BYTES))
        key = read_secret(path)
    except OSError as error:
        raise JournalFault(f"the key store lacks {_KEY}: {error.strerror}: {error.filename}") from error
    if len(key) != KEY_BYTES:
        raise JournalFault(f"{path} is not a key: it has {len(key)} bytes, not {KEY_BYTES}")
    return key
