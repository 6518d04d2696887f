"""Sign-ins: who is at which device now, for how long still, and who proved it again a moment ago."""

import hashlib
import secrets
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from croupier.access.record import Held
from croupier.access.verdict import NOT_ADMITTED, Admitted
from croupier.house.name import SECOND, DeviceId, Instant, PersonId
from croupier.rules.refusal import Code, Refusal

#: Whoever does nothing for so long is signed out.
IDLE_S: Final = 30 * 60
#: For so long a secret that was given again is good for what asks for it.
STEP_UP_S: Final = 120
#: More devices than any venue has staff to stand at.
SIGN_INS_MOST: Final = 1_000
_TOKEN_BYTES: Final = 32

SIGNED_OUT: Final = Refusal(Code.SIGNED_OUT, None, "Sign in first: nobody is signed in here now.")
STEP_UP_NEEDED: Final = Refusal(
    Code.STEP_UP_NEEDED,
    None,
    "Give your secret again: this takes one given within two minutes.",
    {"seconds": STEP_UP_S},
)


class Badge(NamedTuple):
    """A token, and the device that shows it: it is good on the one that it was given to."""

    token: str
    device: DeviceId


@dataclass(slots=True)
class SignIn:
    """A person at a device."""

    person: PersonId
    device: DeviceId
    #: The hash that it was proven by.
    by: str = field(repr=False)
    seen_at: Instant
    stepped_up_at: Instant | None = None


class SignIns:
    """The people who are signed in now. It is gone with the run; of tokens it has only the digests."""

    def __init__(self, most: int = SIGN_INS_MOST) -> None:
        self._most = most
        self._by_digest: dict[bytes, SignIn] = {}

    def open(self, admitted: Admitted, device: DeviceId, now: Instant) -> str | Refusal:
        """Sign a person in at a device, in the place of whoever was there; give their token."""
        self.revoke_device(device)
        if len(self._by_digest) >= self._most:
            return Refusal(Code.BUSY, None, "Too many people are signed in: sign out somewhere.", {"most": self._most})
        token = secrets.token_urlsafe(_TOKEN_BYTES)
        self._by_digest[_digest(token)] = SignIn(admitted.person, device, admitted.by, now)
        return token

    def who(self, badge: Badge, now: Instant) -> PersonId | Refusal:
        """Tell who asks, and note that they are there."""
        sign_in = self._seen(badge, now)
        return SIGNED_OUT if sign_in is None else sign_in.person

    def step_up(self, badge: Badge, admitted: Admitted, now: Instant) -> Refusal | None:
        """Note that whoever is signed in gave their secret again just now."""
        sign_in = self._seen(badge, now)
        if sign_in is None:
            return SIGNED_OUT
        if sign_in.person != admitted.person:
            return NOT_ADMITTED
        sign_in.stepped_up_at = now
        return None

    def who_stepped_up(self, badge: Badge, now: Instant) -> PersonId | Refusal:
        """Tell who asks for something for which the secret must have been given again."""
        sign_in = self._seen(badge, now)
        if sign_in is None:
            return SIGNED_OUT
        at = sign_in.stepped_up_at
        return sign_in.person if at is not None and now < at + STEP_UP_S * SECOND else STEP_UP_NEEDED

    def sign_out(self, badge: Badge) -> None:
        """End a sign-in where it was made; a token that is shown elsewhere ends nothing."""
        sign_in = self._by_digest.get(_digest(badge.token))
        if sign_in is not None and sign_in.device == badge.device:
            del self._by_digest[_digest(badge.token)]

    def revoke(self, person: PersonId) -> tuple[SignIn, ...]:
        """End every sign-in of a person at once; what is given back tells which doors to close."""
        return self._end({digest for digest, each in self._by_digest.items() if each.person == person})

    def revoke_device(self, device: DeviceId) -> tuple[SignIn, ...]:
        """End the sign-in at a device at once."""
        return self._end({digest for digest, each in self._by_digest.items() if each.device == device})

    def sweep(self, now: Instant, held: Held) -> tuple[SignIn, ...]:
        """End what has lapsed: who is idle, has another secret by now, was released, or whose device was."""
        return self._end({digest for digest, each in self._by_digest.items() if _lapsed(each, now, held)})

    def _seen(self, badge: Badge, now: Instant) -> SignIn | None:
        sign_in = self._by_digest.get(_digest(badge.token))
        if sign_in is None or sign_in.device != badge.device or _is_idle(sign_in, now):
            return None
        sign_in.seen_at = now
        return sign_in

    def _end(self, digests: set[bytes]) -> tuple[SignIn, ...]:
        return tuple(self._by_digest.pop(digest) for digest in digests)


def _lapsed(sign_in: SignIn, now: Instant, held: Held) -> bool:
    account = held.accounts.get(sign_in.person)
    stands = account is not None and account.hash == sign_in.by and sign_in.device in held.devices
    return not stands or _is_idle(sign_in, now)


def _is_idle(sign_in: SignIn, now: Instant) -> bool:
    return now >= sign_in.seen_at + IDLE_S * SECOND


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()
