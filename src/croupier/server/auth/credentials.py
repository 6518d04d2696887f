"""The credential store."""

import fcntl
import hashlib
import hmac
import os
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final, NamedTuple, Self

import msgspec
from msgspec.structs import replace

from croupier.house.floor.texts import name_form_objection
from croupier.house.ids import SECOND, SYSTEM, DeviceId, DeviceKind, Instant, PersonId
from croupier.journal.disk import write_atomic
from croupier.journal.keystore import KeyStore
from croupier.rules.refusal import Code, Refusal, first_of


class CredentialError(Exception):
    """The credential store cannot be used: sign-in and device authentication are unavailable."""


#: So many wrong passwords in a row, of one person on one device, throttle that person on that device.
FAILURES_MAX: Final = 3
#: The first throttle lasts so long; each further wrong password doubles it, up to the longest.
THROTTLE_FIRST: Final = 60 * SECOND
THROTTLE_MAX: Final = 3_600 * SECOND
#: So many wrong passwords on one device, under whatever names, throttle the device; one is forgiven in so long.
DEVICE_FAILURES_MAX: Final = 10
DEVICE_FORGIVES: Final = 60 * SECOND

Count = Annotated[int, msgspec.Meta(ge=0)]


class PasswordOrigin(StrEnum):
    """Where an account's password came from."""

    #: The person chose it.
    CHOSEN = "chosen"
    #: It is a one-time code: the person must choose a password before anything else.
    CODE = "code"
    #: It is in a configuration file in plain text: for demonstrations only.
    CONFIGURED = "configured"


class Tries(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Wrong passwords of one person on one device, since the last right one there."""

    failures: Count = 0
    #: Until when the person is throttled on the device; 0 before the first throttle.
    until: Count = 0

    def throttled(self, now: Instant) -> bool:
        """Return whether it is in force; one that ends later than any can is from a clock set back since."""
        return now < self.until <= now + THROTTLE_MAX

    def wrong(self, now: Instant) -> "Tries":
        """Count one more: the third throttles, and each one after that for twice as long."""
        failures = self.failures + 1
        over = failures - FAILURES_MAX
        # No more than the longest throttle is doubled up to: 60 s, doubled six times, is over an hour.
        until = 0 if over < 0 else now + min(THROTTLE_FIRST << min(over, 6), THROTTLE_MAX)
        return Tries(failures, until)


class DeviceTries(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Wrong passwords on one device, under any names: they are forgiven by time alone."""

    failures: Count = 0
    #: When the last of them was counted.
    at: Count = 0

    def left(self, now: Instant) -> int:
        """Return how many are not forgiven yet."""
        return max(0, self.failures - max(0, now - self.at) // DEVICE_FORGIVES)

    def wait(self, now: Instant) -> int:
        """Return for how many more seconds sign-in on the device is refused."""
        if self.left(now) < DEVICE_FAILURES_MAX:
            return 0
        passed = max(0, now - self.at) % DEVICE_FORGIVES
        return -(-(DEVICE_FORGIVES - passed) // SECOND)

    def wrong(self, now: Instant) -> "DeviceTries":
        return DeviceTries(min(self.left(now) + 1, DEVICE_FAILURES_MAX), now)


class StaffCredential(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The stored account of a person."""

    hash: str
    origin: PasswordOrigin
    #: Wrong passwords since the last right one, on all devices.
    failures: Count = 0
    #: And on each device since the last right one there.
    tries: dict[DeviceId, Tries] = {}

    @property
    def locked(self) -> bool:
        """Whether there has been a throttle on any device that no right password or colleague has ended since."""
        return any(each.until for each in self.tries.values())


class DeviceCredential(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The stored credential of a device: never its key."""

    digest: str
    kind: DeviceKind


class Credentials(msgspec.Struct, forbid_unknown_fields=True):
    """The contents of the credential store."""

    accounts: dict[PersonId, StaffCredential] = {}
    devices: dict[DeviceId, DeviceCredential] = {}
    #: How many attempts named an unknown person.
    turned_away: Count = 0
    #: Wrong passwords by device.
    tries: dict[DeviceId, DeviceTries] = {}


class _CredentialFile(msgspec.Struct, forbid_unknown_fields=True):
    digest: str
    held: msgspec.Raw


def encode_credentials(credentials: Credentials) -> bytes:
    """Encode credentials as JSON, under a digest of the content."""
    content = msgspec.json.encode(credentials)
    return msgspec.json.encode(_CredentialFile(digest_of(content), msgspec.Raw(content)))


def decode_credentials(content: bytes) -> Credentials:
    """Read the file; CredentialError when it is invalid: the content of a credential store is never guessed."""
    try:
        sheet = msgspec.json.decode(content, type=_CredentialFile)
        credentials = msgspec.json.decode(sheet.held, type=Credentials)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise CredentialError(f"the credential store is damaged, and cannot be read: {error}") from error
    if sheet.digest != digest_of(bytes(sheet.held)):
        raise CredentialError("the credential store is damaged: it is not what was written")
    return credentials


def digest_of(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def name_objection(name: str) -> Refusal | None:
    """Refuse a name of a person or a device that cannot be typed reliably, or is reserved."""
    if name == SYSTEM:
        return Refusal(Code.ALREADY_THERE, None, f"The house itself goes by the name {name}.", {"name": name})
    return name_form_objection(name)


_REGISTER: Final = "register.json"
_KEY_BYTES: Final = 32
#: The placeholder for a missing digest; no key has it.
_NO_DIGEST: Final = "0" * 64


class Attempt(NamedTuple):
    """Who tries to sign in on which device, and when."""

    person: PersonId
    device: DeviceId
    now: Instant


class Counted(NamedTuple):
    """The effect of a wrong password."""

    #: Whether the name exists.
    known: bool
    #: Whether the person was throttled on the device already: then it counts no further.
    throttled: bool = False
    #: Whether this one throttles the person on the device, and the device itself.
    throttles: bool = False
    throttles_device: bool = False


class CredentialStore:
    """The credential store: the server and the command line on its host both read and change this file consistently."""

    def __init__(self, path: Path) -> None:
        self._path = path
        #: The last content read, and its file: all terminals may reconnect within a second.
        self._read: tuple[tuple[int, ...], Credentials] | None = None
        #: Devices whose stored key is invalid, because the file could not be written.
        self._distrusted: set[DeviceId] = set()

    @classmethod
    def within(cls, key_store: KeyStore) -> Self:
        return cls(key_store.path.joinpath(_REGISTER))

    def load(self) -> Credentials:
        """Read all of it. The file is only ever replaced whole, so that readers need not wait for writers."""
        with _translated():
            # The file's identity is read before its content: a file that replaces it meanwhile is read at the next
            # call.
            file = self._file()
            if self._read is None or self._read[0] != file:
                self._read = file, decode_credentials(self._content())
            return self._read[1]

    def account(self, person: PersonId) -> StaffCredential | None:
        return self.load().accounts.get(person)

    def configured(self) -> tuple[PersonId, ...]:
        """Return the people whose password is in a configuration file."""
        accounts = self.load().accounts
        return tuple(person for person, each in accounts.items() if each.origin is PasswordOrigin.CONFIGURED)

    # Devices

    def enrol(self, kinds: Mapping[DeviceId, DeviceKind]) -> dict[DeviceId, str] | Refusal:
        """Give each device a key, which is returned and not stored; its previous key is invalid."""
        if objection := first_of(filter(None, map(name_objection, kinds))):
            return objection
        keys = {device: secrets.token_urlsafe(_KEY_BYTES) for device in kinds}
        with self._changing() as credentials:
            credentials.devices |= {
                device: DeviceCredential(key_digest(keys[device]), kind) for device, kind in kinds.items()
            }
        self._distrusted -= set(keys)
        return keys

    def refuse_device(self, device: DeviceId) -> None:
        """Refuse every key of a device from now on, until it gets another: the stored one is invalid."""
        self._distrusted.add(device)

    def verify_device_key(self, device: DeviceId, key: str) -> bool:
        known = None if device in self._distrusted else self.load().devices.get(device)
        same = hmac.compare_digest(key_digest(key), _NO_DIGEST if known is None else known.digest)
        return same and known is not None

    def release_device(self, device: DeviceId) -> Refusal | None:
        with self._changing() as credentials:
            released = credentials.devices.pop(device, None)
            credentials.tries.pop(device, None)
            for person, account in credentials.accounts.items():
                if device in account.tries:
                    tries = {each: tries for each, tries in account.tries.items() if each != device}
                    credentials.accounts[person] = replace(account, tries=tries)
        return None if released else _unknown(Code.UNKNOWN_DEVICE, device)

    # People

    def enter(self, accounts: Mapping[PersonId, StaffCredential]) -> Refusal | None:
        """Store people with new accounts, which replace those that they had."""
        if objection := first_of(filter(None, map(name_objection, accounts))):
            return objection
        with self._changing() as credentials:
            credentials.accounts |= accounts
        return None

    def admit(self, attempt: Attempt, *, seen: str, becomes: StaffCredential) -> bool:
        """Admit a person whose password matches the hash in `seen`; not if the account was changed or throttled since.

        Wrong passwords on other devices still count there.
        """
        with self._changing() as credentials:
            account = credentials.accounts.get(attempt.person)
            if account is None or account.hash != seen or throttled(account, attempt):
                return False
            elsewhere = {device: tries for device, tries in account.tries.items() if device != attempt.device}
            credentials.accounts[attempt.person] = replace(becomes, failures=0, tries=elsewhere)
        return True

    def change(self, person: PersonId, *, seen: str, becomes: StaffCredential) -> bool:
        """Set the new password of a person who has proven the one in `seen`; not if the account was changed since."""
        with self._changing() as credentials:
            account = credentials.accounts.get(person)
            if account is None or account.hash != seen:
                return False
            credentials.accounts[person] = replace(becomes, tries=account.tries)
        return True

    def count_failure(self, attempt: Attempt) -> Counted:
        """Count a wrong password for its device, and for the person on that device alone.

        It is counted for an unknown name, too: the write takes the same time.
        """
        device, now = attempt.device, attempt.now
        with self._changing() as credentials:
            before = credentials.tries.get(device, DeviceTries())
            credentials.tries[device] = before.wrong(now)
            full = not before.wait(now) and bool(credentials.tries[device].wait(now))
            account = credentials.accounts.get(attempt.person)
            if account is None:
                credentials.turned_away += 1
                return Counted(known=False, throttles_device=full)
            tries = account.tries.get(device, Tries())
            was = tries.throttled(now)
            after = tries if was else tries.wrong(now)
            credentials.accounts[attempt.person] = replace(
                account, failures=account.failures + 1, tries={**account.tries, device: after}
            )
        throttles = not was and after.until > 0
        return Counted(known=True, throttled=was, throttles=throttles, throttles_device=full)

    def wait(self, device: DeviceId, now: Instant) -> int:
        """Return for how many seconds sign-in on a device is refused, after too many wrong passwords there."""
        return self.load().tries.get(device, DeviceTries()).wait(now)

    def unlock(self, person: PersonId) -> Refusal | None:
        """End every throttle of a person, and those of the devices on which it was."""
        with self._changing() as credentials:
            account = credentials.accounts.get(person)
            if account is None:
                return _unknown(Code.UNKNOWN_PERSON, person)
            if not account.locked:
                return Refusal(Code.ALREADY_THERE, None, f"The account of {person} is not locked.", {"name": person})
            credentials.tries = {
                device: each for device, each in credentials.tries.items() if device not in account.tries
            }
            credentials.accounts[person] = replace(account, failures=0, tries={})
        return None

    def release_person(self, person: PersonId) -> Refusal | None:
        with self._changing() as credentials:
            released = credentials.accounts.pop(person, None)
        return None if released else _unknown(Code.UNKNOWN_PERSON, person)

    # The file

    @contextmanager
    def _changing(self) -> Iterator[Credentials]:
        """Lock the credential store; changes are durable afterwards."""
        with _translated(), self._alone():
            before = self._content()
            credentials = decode_credentials(before)
            yield credentials
            after = encode_credentials(credentials)
            if after != before:
                write_atomic(self._path, after)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        # The lock is a separate file that stays: the credential store's is replaced by each change.
        descriptor = os.open(self._path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    def _file(self) -> tuple[int, ...]:
        """Return the identity of the file, which differs after each replacement."""
        try:
            found = self._path.stat()
        except FileNotFoundError:
            return ()
        return found.st_ino, found.st_mtime_ns, found.st_size

    def _content(self) -> bytes:
        try:
            return self._path.read_bytes()
        except FileNotFoundError:
            return encode_credentials(Credentials())


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise CredentialError(
            f"the credential store cannot be read or written: {error.strerror}: {error.filename}"
        ) from error


def throttled(account: StaffCredential, attempt: Attempt) -> bool:
    """Return whether wrong passwords on a device throttle a person there now."""
    return account.tries.get(attempt.device, Tries()).throttled(attempt.now)


def key_digest(key: str) -> str:
    return digest_of(key.encode("utf-8", "surrogatepass"))


def _unknown(code: Code, name: str) -> Refusal:
    what = "is not enrolled" if code is Code.UNKNOWN_DEVICE else "has no account"
    return name_objection(name) or Refusal(code, None, f"{name} {what} here.", {"name": name})
