"""Passwords, verification and session tokens."""

import hashlib
import secrets
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, NamedTuple

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError, VerifyMismatchError
from msgspec.structs import replace

from croupier.house.ids import SECOND, DeviceId, Instant, PersonId
from croupier.rules.refusal import Code, Refusal, first_of
from croupier.server.auth.credentials import (
    Attempt,
    Counted,
    CredentialError,
    Credentials,
    CredentialStore,
    PasswordOrigin,
    StaffCredential,
    throttled,
)

#: Letters of a password, after normalisation.
SECRET_MIN: Final = 8
SECRET_MAX: Final = 128
#: One letter is typed as four code points at most: a longer input is no password, and is not processed further.
_TYPED_MAX: Final = 4 * SECRET_MAX


class HashCost(NamedTuple):
    """The cost of one guess, for the server and for a thief of the credential store: RFC 9106's low-memory option."""

    passes: int = 3
    memory_kib: int = 64 * 1024
    #: The RFC has four. A sign-in would then occupy four cores, and the event loop needs one of them.
    lanes: int = 1


class Argon2Hasher:
    """Hashes passwords by Argon2id. It is slow on purpose: run it on a thread of its own, and never under a lock."""

    def __init__(self, cost: HashCost | None = None) -> None:
        passes, memory_kib, lanes = cost or HashCost()
        self._argon2 = PasswordHasher(time_cost=passes, memory_cost=memory_kib, parallelism=lanes)

    def hash_secret(self, secret: str) -> str:
        try:
            return self._argon2.hash(_read(secret))
        except Argon2Error as error:
            raise CredentialError(f"a password cannot be hashed: {error}") from error

    def matches(self, kept: str, secret: str) -> bool:
        """Return whether a hash was made of this password. Any text is accepted."""
        try:
            return self._argon2.verify(kept, _read(secret))
        except VerifyMismatchError:
            return False
        except (Argon2Error, InvalidHashError) as error:
            raise CredentialError(f"a hash in the credential store cannot be compared: {error}") from error

    def decoy(self, secret: str) -> None:
        """Do the work of a comparison when there is no hash to compare with: it must take as long."""
        self.hash_secret(secret)

    def is_outdated(self, kept: str) -> bool:
        """Return whether a hash was made at another cost than this one's."""
        return self._argon2.check_needs_rehash(kept)


def _read(typed: str) -> bytes:
    """Normalise a password as it was typed: a keyboard may send one letter as several code points."""
    return unicodedata.normalize("NFC", typed[: _TYPED_MAX + 1]).encode("utf-8", "surrogatepass")


def password_objection(secret: str) -> Refusal | None:
    """Refuse a password that is too short, too long or not valid text."""
    letters = len(unicodedata.normalize("NFC", secret[: _TYPED_MAX + 1]))
    if not SECRET_MIN <= letters <= SECRET_MAX:
        message = f"A password has {SECRET_MIN} to {SECRET_MAX} letters, figures or signs."
        return Refusal(Code.MALFORMED, None, message, {"least": SECRET_MIN, "most": SECRET_MAX})
    if any("\ud800" <= sign <= "\udfff" for sign in secret):
        return Refusal(Code.MALFORMED, None, "The password has a sign that is half of one.")
    return None


#: Crockford's 32 symbols: no I, L, O or U. Twelve of them are 60 bits.
_ALPHABET: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_GROUPS, _GROUP = 3, 4
_MEANT: Final = str.maketrans({"O": "0", "I": "1", "L": "1", "-": None, " ": None})


def new_code() -> str:
    """Generate a one-time code that can be read out: XXXX-XXXX-XXXX."""
    return "-".join("".join(secrets.choice(_ALPHABET) for _ in range(_GROUP)) for _ in range(_GROUPS))


def read_code(typed: str) -> str:
    """Normalise a code as a person typed it: in small letters, without dashes, with O for 0 and I or L for 1."""
    return typed.upper().translate(_MEANT)


#: The same for an unknown name, a wrong password and a throttled person: a response does not say which.
NOT_ADMITTED: Final = Refusal(
    Code.SIGN_IN_REFUSED,
    None,
    "The name or the password is wrong, or too many wrong ones were given on this device: wait, or use another one.",
)
#: While the credential store cannot be read.
UNREADABLE: Final = Refusal(
    Code.BUSY, None, "Sign-in is unavailable: the credential store cannot be read. Nothing was done, try again later."
)


@dataclass(frozen=True, slots=True)
class SignInAccepted:
    """A person who is authenticated."""

    person: PersonId
    #: The hash that verified it: when the account has another hash, sessions from this one end.
    by: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class PasswordChangeRequired:
    """A person who gave a one-time code, and may only choose a password."""

    person: PersonId
    by: str = field(repr=False)


class DenialCause(StrEnum):
    """Why a sign-in was denied: for the log and the journal, never for the client."""

    UNKNOWN = "unknown"
    WRONG = "wrong"
    #: The person is throttled on this device, or the device is throttled.
    LOCKED = "locked"
    DEVICE = "device"


@dataclass(frozen=True, slots=True)
class SignInDenied:
    """A sign-in that was denied."""

    person: PersonId
    cause: DenialCause
    #: Whether this was the attempt that throttled the person on the device, and whether the device itself.
    locks: bool = False
    locks_device: bool = False
    #: For how many seconds sign-in on the device stays refused.
    wait_s: int = 0

    @property
    def refusal(self) -> Refusal:
        """Return the refusal, which is the same for every fault of the name and the password."""
        if self.cause is not DenialCause.DEVICE:
            return NOT_ADMITTED
        message = f"Too many wrong passwords were given on this device: sign-in is refused here for {self.wait_s} s."
        return Refusal(Code.TOO_FAST, None, message, {"seconds": self.wait_s})


Verdict = SignInAccepted | PasswordChangeRequired | SignInDenied


@dataclass(frozen=True, slots=True)
class IssuedCode:
    """A one-time code, which is shown once and not stored."""

    code: str = field(repr=False)
    #: Whether the person is new in the credential store.
    new: bool


class CredentialVerifier(NamedTuple):
    """Verifies passwords against a credential store. No password is hashed while the store is locked."""

    credential_store: CredentialStore
    hasher: Argon2Hasher

    def attempt(self, name: str, secret: str, device: DeviceId, now: Instant) -> Verdict:
        """Verify one attempt on a device. A failure costs one hash and one write, whatever the cause, and is counted.

        A throttled device is refused at once: that discloses nothing about any name.
        """
        attempt = Attempt(PersonId(unicodedata.normalize("NFC", name)), device, now)
        if (wait_s := self.credential_store.wait(device, now)) > 0:
            return SignInDenied(attempt.person, DenialCause.DEVICE, wait_s=wait_s)
        account = self.credential_store.account(attempt.person)
        if account is None:
            self.hasher.decoy(secret)
        elif self.hasher.matches(account.hash, _meant(account, secret)) and not throttled(account, attempt):
            verdict = self._admit(attempt, account, _meant(account, secret))
            if verdict is not None:
                return verdict
        return _denied(attempt.person, self.credential_store.count_failure(attempt))

    def choose(self, proven: SignInAccepted | PasswordChangeRequired, secret: str) -> SignInAccepted | Refusal:
        """Set the password that an authenticated person chose; sessions from the old one end."""
        if objection := password_objection(secret) or self._too_near(proven, secret):
            return objection
        account = StaffCredential(self.hasher.hash_secret(secret), PasswordOrigin.CHOSEN)
        if not self.credential_store.change(proven.person, seen=proven.by, becomes=account):
            return NOT_ADMITTED
        return SignInAccepted(proven.person, account.hash)

    def issue_code(self, person: PersonId) -> IssuedCode | Refusal:
        """Give a person a one-time code, which replaces the password and unlocks the account."""
        code, new = new_code(), self.credential_store.account(person) is None
        account = StaffCredential(self.hasher.hash_secret(read_code(code)), PasswordOrigin.CODE)
        return self.credential_store.enter({person: account}) or IssuedCode(code, new)

    def configure(self, secrets: Mapping[PersonId, str]) -> Refusal | None:
        """Store people with the passwords of a configuration, for a demonstration; passwords chosen since stay."""
        if objection := first_of(filter(None, map(password_objection, secrets.values()))):
            return objection
        accounts = self.credential_store.load().accounts
        fresh = {
            person: StaffCredential(self.hasher.hash_secret(secret), PasswordOrigin.CONFIGURED)
            for person, secret in secrets.items()
            if self._is_news(accounts.get(person), secret)
        }
        return self.credential_store.enter(fresh)

    def _admit(
        self, attempt: Attempt, account: StaffCredential, secret: str
    ) -> SignInAccepted | PasswordChangeRequired | None:
        """Admit a person by the account that was compared; None if it is throttled, or has changed since."""
        becomes = account
        if self.hasher.is_outdated(account.hash):
            becomes = replace(becomes, hash=self.hasher.hash_secret(secret))
        if not self.credential_store.admit(attempt, seen=account.hash, becomes=becomes):
            return None
        outcome = PasswordChangeRequired if account.origin is PasswordOrigin.CODE else SignInAccepted
        return outcome(attempt.person, becomes.hash)

    def _too_near(self, proven: SignInAccepted | PasswordChangeRequired, secret: str) -> Refusal | None:
        if secret.casefold() == proven.person.casefold():
            return Refusal(Code.MALFORMED, None, "The password must be another than the name.")
        if self.hasher.matches(proven.by, read_code(secret) if isinstance(proven, PasswordChangeRequired) else secret):
            return Refusal(Code.MALFORMED, None, "The password must be another than the one before.")
        return None

    def _is_news(self, account: StaffCredential | None, secret: str) -> bool:
        """Return whether a configuration has a new password: a restart by itself unlocks no account."""
        if account is None:
            return True
        return account.origin is PasswordOrigin.CONFIGURED and not self.hasher.matches(account.hash, secret)


def _meant(account: StaffCredential, secret: str) -> str:
    return read_code(secret) if account.origin is PasswordOrigin.CODE else secret


def _denied(person: PersonId, counted: Counted) -> SignInDenied:
    if not counted.known:
        return SignInDenied(person, DenialCause.UNKNOWN, locks_device=counted.throttles_device)
    cause = DenialCause.LOCKED if counted.throttled else DenialCause.WRONG
    return SignInDenied(person, cause, locks=counted.throttles, locks_device=counted.throttles_device)


#: A session that is idle for so long ends.
IDLE_S: Final = 30 * 60
#: How long a step-up is valid: commands that need the password again are accepted.
STEP_UP_S: Final = 120
#: More devices than any venue has staff for.
SIGN_INS_MAX: Final = 1_000
_TOKEN_BYTES: Final = 32

SIGNED_OUT: Final = Refusal(Code.SIGNED_OUT, None, "Sign in first: no person is signed in here now.")
STEP_UP_NEEDED: Final = Refusal(
    Code.STEP_UP_NEEDED,
    None,
    "Give your password again: this takes one given within two minutes.",
    {"seconds": STEP_UP_S},
)


class SessionToken(NamedTuple):
    """A token, and the device that presents it: it is valid only on the device that it was issued to."""

    token: str
    device: DeviceId


@dataclass(slots=True)
class StaffSession:
    """A person at a device."""

    person: PersonId
    device: DeviceId
    #: The hash that verified it.
    by: str = field(repr=False)
    seen_at: Instant
    stepped_up_at: Instant | None = None


class Sessions:
    """The current sessions. They end with the run; only digests of the tokens are stored."""

    def __init__(self, most: int = SIGN_INS_MAX) -> None:
        self._most = most
        self._by_digest: dict[bytes, StaffSession] = {}

    def open(self, admitted: SignInAccepted, device: DeviceId, now: Instant) -> str | Refusal:
        """Sign a person in at a device, and end the session before; return the token."""
        self.revoke_device(device)
        if len(self._by_digest) >= self._most:
            return Refusal(Code.BUSY, None, "Too many people are signed in: sign out somewhere.", {"most": self._most})
        token = secrets.token_urlsafe(_TOKEN_BYTES)
        self._by_digest[_digest(token)] = StaffSession(admitted.person, device, admitted.by, now)
        return token

    def who(self, token: SessionToken, now: Instant) -> PersonId | Refusal:
        """Return the person of a session, and record its activity."""
        sign_in = self._seen(token, now)
        return SIGNED_OUT if sign_in is None else sign_in.person

    def step_up(self, token: SessionToken, admitted: SignInAccepted, now: Instant) -> Refusal | None:
        """Record that the signed-in person has given the password again just now."""
        sign_in = self._seen(token, now)
        if sign_in is None:
            return SIGNED_OUT
        if sign_in.person != admitted.person:
            return NOT_ADMITTED
        sign_in.stepped_up_at = now
        return None

    def who_stepped_up(self, token: SessionToken, now: Instant) -> PersonId | Refusal:
        """Return the person of a request that needs a recent step-up."""
        sign_in = self._seen(token, now)
        if sign_in is None:
            return SIGNED_OUT
        at = sign_in.stepped_up_at
        return sign_in.person if at is not None and now < at + STEP_UP_S * SECOND else STEP_UP_NEEDED

    def sign_out(self, token: SessionToken) -> None:
        """End a session on its own device; on another device the token has no effect."""
        sign_in = self._by_digest.get(_digest(token.token))
        if sign_in is not None and sign_in.device == token.device:
            del self._by_digest[_digest(token.token)]

    def revoke(self, person: PersonId) -> tuple[StaffSession, ...]:
        """End every sign-in of a person at once; return the sessions that ended."""
        return self._end({digest for digest, each in self._by_digest.items() if each.person == person})

    def revoke_device(self, device: DeviceId) -> tuple[StaffSession, ...]:
        """End the sign-in at a device at once."""
        return self._end({digest for digest, each in self._by_digest.items() if each.device == device})

    def sweep(self, now: Instant, credentials: Credentials) -> tuple[StaffSession, ...]:
        """End the sessions of people who are idle, have a new password or were released, and of released devices."""
        return self._end({digest for digest, each in self._by_digest.items() if _lapsed(each, now, credentials)})

    def _seen(self, token: SessionToken, now: Instant) -> StaffSession | None:
        sign_in = self._by_digest.get(_digest(token.token))
        if sign_in is None or sign_in.device != token.device or _is_idle(sign_in, now):
            return None
        sign_in.seen_at = now
        return sign_in

    def _end(self, digests: set[bytes]) -> tuple[StaffSession, ...]:
        return tuple(self._by_digest.pop(digest) for digest in digests)


def _lapsed(sign_in: StaffSession, now: Instant, credentials: Credentials) -> bool:
    account = credentials.accounts.get(sign_in.person)
    stands = account is not None and account.hash == sign_in.by and sign_in.device in credentials.devices
    return not stands or _is_idle(sign_in, now)


def _is_idle(sign_in: StaffSession, now: Instant) -> bool:
    return now >= sign_in.seen_at + IDLE_S * SECOND


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()
