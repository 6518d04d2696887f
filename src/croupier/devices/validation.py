"""Validation numbers: what is printed on slips and tickets, made from their sequence by a key the house never sees."""

import hmac
import secrets
from typing import Final

from croupier.devices.check import BODY, CHECK, Check
from croupier.house.answer import refuse
from croupier.house.command.credit import Validation
from croupier.house.name import Number
from croupier.journal.fault import JournalFault
from croupier.journal.file import put
from croupier.journal.safe import Safe
from croupier.rules.refusal import Code, Refusal

_KEY: Final = "ticket.key"
KEY_BYTES: Final = 32
LENGTH: Final = BODY + CHECK
#: What people write between groups of digits.
_GAPS: Final = str.maketrans("", "", " -")

#: The two halves of a number, of seven digits and of eight.
HALVES: Final = (10**7, 10**8)
#: As many rounds as NIST SP 800-38G has in its FF1, of the same make.
ROUNDS: Final = 10


class Numbers:
    """Makes and reads validation numbers by one key: a sequence always has the same number, so it can be reprinted."""

    def __init__(self, key: bytes) -> None:
        assert len(key) == KEY_BYTES
        self._order = hmac.digest(key, b"croupier ticket order 1", "sha256")
        self._sign = hmac.digest(key, b"croupier ticket digest 1", "sha256")
        self._check = Check(hmac.digest(key, b"croupier ticket check 1", "sha256"))

    def number(self, sequence: Number) -> str:
        """Give the number that is printed, for the printer alone: it is in no record."""
        body = f"{permuted(sequence, self._order):0{BODY}}"
        return body + self._check.digits(body)

    def validation(self, sequence: Number) -> Validation:
        """Give what the house may know of a number."""
        number = self.number(sequence)
        return Validation(sequence, self._digest(number), number[-4:])

    def read(self, text: str) -> str | Refusal:
        """Read a number from paper and give its digest; what is misread is refused before anybody looks it up."""
        number = text.translate(_GAPS)
        if not (len(number) == LENGTH and number.isascii() and number.isdigit()):
            return refuse(Code.TICKET_MISREAD, None, f"The number of a slip or ticket has {LENGTH} digits.")
        if number[BODY:] != self._check.digits(number[:BODY]):
            return refuse(Code.TICKET_MISREAD, None, "A digit of this number is not as it was printed: read it again.")
        return self._digest(number)

    def _digest(self, number: str) -> str:
        return hmac.digest(self._sign, number.encode("ascii"), "sha256").hex()


def permuted(value: int, key: bytes, halves: tuple[int, int] = HALVES) -> int:
    """Send each number to another of its range, no two to one, in an order that only the key tells.

    A Feistel network: a round adds to one half what the key makes of the other, which can be taken off again.
    """
    assert 0 <= value < halves[0] * halves[1]
    left, right = divmod(value, halves[1])
    for round_ in range(0, ROUNDS, 2):
        left = (left + _mixed(key, round_, right)) % halves[0]
        right = (right + _mixed(key, round_ + 1, left)) % halves[1]
    return left * halves[1] + right


def _mixed(key: bytes, round_: int, half: int) -> int:
    return int.from_bytes(hmac.digest(key, b"%d %d" % (round_, half), "sha256"))


def open_key(safe: Safe, *, make: bool = True) -> bytes:
    """Read the key from the safe, and make one where there is none; without it no ticket that is out can be read."""
    path = safe.path.joinpath(_KEY)
    try:
        if make and not path.exists():
            # Whole or not at all: what is printed by a key that is lost is lost with it.
            put(path, secrets.token_bytes(KEY_BYTES))
        key = path.read_bytes()
    except OSError as error:
        raise JournalFault(f"the safe lacks {_KEY}: {error.strerror}: {error.filename}") from error
    if len(key) != KEY_BYTES:
        raise JournalFault(f"{path} is not a key: it has {len(key)} bytes, not {KEY_BYTES}")
    return key
