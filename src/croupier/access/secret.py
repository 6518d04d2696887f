"""Secrets: how what a person knows is hashed, compared and drawn, so that a stolen register opens nothing."""

import secrets
import unicodedata
from typing import Final, NamedTuple

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError, VerifyMismatchError

from croupier.access.fault import AccessFault
from croupier.rules.refusal import Code, Refusal

#: Letters of a secret, after normalisation.
SECRET_LEAST: Final = 8
SECRET_MOST: Final = 128
#: One letter is typed as four signs at most, so whatever is longer is no secret, and need not be looked at further.
_TYPED_MOST: Final = 4 * SECRET_MOST


class Cost(NamedTuple):
    """What one guess costs, to us and to whoever stole the register: RFC 9106's choice where memory is scarce."""

    passes: int = 3
    memory_kib: int = 64 * 1024
    #: The RFC takes four. A sign-in then holds up four cores, and one of them may have bets to take.
    lanes: int = 1


class Hasher:
    """Hashes secrets by Argon2id. It is slow on purpose: run it on a thread of its own, and never under a lock."""

    def __init__(self, cost: Cost | None = None) -> None:
        passes, memory_kib, lanes = cost or Cost()
        self._argon2 = PasswordHasher(time_cost=passes, memory_cost=memory_kib, parallelism=lanes)

    def hash_secret(self, secret: str) -> str:
        try:
            return self._argon2.hash(_read(secret))
        except Argon2Error as error:
            raise AccessFault(f"a secret cannot be hashed: {error}") from error

    def matches(self, kept: str, secret: str) -> bool:
        """Tell whether a hash was made of this secret. Any text may be asked about."""
        try:
            return self._argon2.verify(kept, _read(secret))
        except VerifyMismatchError:
            return False
        except (Argon2Error, InvalidHashError) as error:
            raise AccessFault(f"a hash in the register cannot be compared: {error}") from error

    def decoy(self, secret: str) -> None:
        """Do the work of a comparison where there is nothing to compare with: it must take as long."""
        self.hash_secret(secret)

    def is_outdated(self, kept: str) -> bool:
        """Tell whether a hash was made at another cost than this one's."""
        return self._argon2.check_needs_rehash(kept)


def _read(typed: str) -> bytes:
    """Read a secret as it was typed: a keyboard may send one letter as several signs."""
    return unicodedata.normalize("NFC", typed[: _TYPED_MOST + 1]).encode("utf-8", "surrogatepass")


def secret_objection(secret: str) -> Refusal | None:
    """Object to a secret that nobody should have."""
    letters = len(unicodedata.normalize("NFC", secret[: _TYPED_MOST + 1]))
    if not SECRET_LEAST <= letters <= SECRET_MOST:
        says = f"A secret has {SECRET_LEAST} to {SECRET_MOST} letters, figures or signs."
        return Refusal(Code.MALFORMED, None, says, {"least": SECRET_LEAST, "most": SECRET_MOST})
    if any("\ud800" <= sign <= "\udfff" for sign in secret):
        return Refusal(Code.MALFORMED, None, "The secret has a sign that is half of one.")
    return None


#: Crockford's thirty-two: no I, L, O or U. Twelve of them are sixty bits.
_ALPHABET: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_GROUPS, _GROUP = 3, 4
_MEANT: Final = str.maketrans({"O": "0", "I": "1", "L": "1", "-": None, " ": None})


def new_code() -> str:
    """Draw a one-time code that can be read out: XXXX-XXXX-XXXX."""
    return "-".join("".join(secrets.choice(_ALPHABET) for _ in range(_GROUP)) for _ in range(_GROUPS))


def read_code(typed: str) -> str:
    """Read a code as somebody wrote it down: in small letters, without dashes, with O for 0 and I or L for 1."""
    return typed.upper().translate(_MEANT)
