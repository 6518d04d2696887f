"""The register: one file in the safe that knows every person and device, read anew whenever it has changed."""

import fcntl
import hmac
import os
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple, Self

from msgspec.structs import replace

from croupier.access.fault import AccessFault
from croupier.access.record import (
    Account,
    Device,
    DeviceTries,
    Held,
    Origin,
    Tries,
    digest_of,
    name_objection,
    read_back,
    write_down,
)
from croupier.house.device import DeviceKind
from croupier.house.name import DeviceId, Instant, PersonId
from croupier.journal.file import put
from croupier.journal.safe import Safe
from croupier.rules.refusal import Code, Refusal, first_of

_REGISTER: Final = "register.json"
_KEY_BYTES: Final = 32
#: In the place of a digest that is not there; no key has it.
_NO_DIGEST: Final = "0" * 64


class Attempt(NamedTuple):
    """Who tries to sign in on which device, and when."""

    person: PersonId
    device: DeviceId
    now: Instant


class Counted(NamedTuple):
    """What a wrong password has come to."""

    #: Whether the name is anybody's.
    known: bool
    #: Whether the person was throttled on the device already: then it counts no further.
    throttled: bool = False
    #: Whether this one throttles the person on the device, and the device itself.
    throttles: bool = False
    throttles_device: bool = False


class Register:
    """The running server and the command line on its host both ask and change this file, and see one truth."""

    def __init__(self, path: Path) -> None:
        self._path = path
        #: What was read last, and from which file: a whole floor may come back within a second.
        self._read: tuple[tuple[int, ...], Held] | None = None
        #: Devices whose keys are out of date, as they could not be written.
        self._distrusted: set[DeviceId] = set()

    @classmethod
    def within(cls, safe: Safe) -> Self:
        return cls(safe.path.joinpath(_REGISTER))

    def held(self) -> Held:
        """Read all of it. The file is only ever replaced whole, so nobody who reads need wait for who writes."""
        with _translated():
            # Looked at before it is read: what is put in its place meanwhile is another file at the next question.
            file = self._file()
            if self._read is None or self._read[0] != file:
                self._read = file, read_back(self._content())
            return self._read[1]

    def account(self, person: PersonId) -> Account | None:
        return self.held().accounts.get(person)

    def configured(self) -> tuple[PersonId, ...]:
        """Name the people whose secret stands in a configuration."""
        accounts = self.held().accounts
        return tuple(person for person, each in accounts.items() if each.origin is Origin.CONFIGURED)

    # Devices

    def enrol(self, kinds: Mapping[DeviceId, DeviceKind]) -> dict[DeviceId, str] | Refusal:
        """Give each device a key, which is told here and kept nowhere; a key that it had before is worthless."""
        if objection := first_of(filter(None, map(name_objection, kinds))):
            return objection
        keys = {device: secrets.token_urlsafe(_KEY_BYTES) for device in kinds}
        with self._changing() as held:
            held.devices |= {device: Device(_digest(keys[device]), kind) for device, kind in kinds.items()}
        self._distrusted -= set(keys)
        return keys

    def distrust(self, device: DeviceId) -> None:
        """Take no key of a device for right from now on, until it is given another: what is written is out of date."""
        self._distrusted.add(device)

    def knows(self, device: DeviceId, key: str) -> bool:
        known = None if device in self._distrusted else self.held().devices.get(device)
        same = hmac.compare_digest(_digest(key), _NO_DIGEST if known is None else known.digest)
        return same and known is not None

    def release_device(self, device: DeviceId) -> Refusal | None:
        with self._changing() as held:
            released = held.devices.pop(device, None)
            held.tries.pop(device, None)
            for person, account in held.accounts.items():
                if device in account.tries:
                    tries = {each: tries for each, tries in account.tries.items() if each != device}
                    held.accounts[person] = replace(account, tries=tries)
        return None if released else _unknown(Code.UNKNOWN_DEVICE, device)

    # People

    def enter(self, accounts: Mapping[PersonId, Account]) -> Refusal | None:
        """Enter people with new accounts, in the place of those that they had."""
        if objection := first_of(filter(None, map(name_objection, accounts))):
            return objection
        with self._changing() as held:
            held.accounts |= accounts
        return None

    def admit(self, attempt: Attempt, *, seen: str, becomes: Account) -> bool:
        """Let a person in whose password fits the hash that was seen; not if that was changed or throttled since.

        What was tried on other devices still counts there.
        """
        with self._changing() as held:
            account = held.accounts.get(attempt.person)
            if account is None or account.hash != seen or throttled(account, attempt):
                return False
            elsewhere = {device: tries for device, tries in account.tries.items() if device != attempt.device}
            held.accounts[attempt.person] = replace(becomes, failures=0, tries=elsewhere)
        return True

    def change(self, person: PersonId, *, seen: str, becomes: Account) -> bool:
        """Give a person a new password who has proven the one that was seen; not if the account was changed since."""
        with self._changing() as held:
            account = held.accounts.get(person)
            if account is None or account.hash != seen:
                return False
            held.accounts[person] = replace(becomes, tries=account.tries)
        return True

    def count_failure(self, attempt: Attempt) -> Counted:
        """Count a wrong password against its device, and against the person on that device alone.

        It is counted under a name that nobody has, too: the disk then takes as long.
        """
        device, now = attempt.device, attempt.now
        with self._changing() as held:
            before = held.tries.get(device, DeviceTries())
            held.tries[device] = before.wrong(now)
            full = not before.wait(now) and bool(held.tries[device].wait(now))
            account = held.accounts.get(attempt.person)
            if account is None:
                held.turned_away += 1
                return Counted(known=False, throttles_device=full)
            tries = account.tries.get(device, Tries())
            was = tries.throttled(now)
            after = tries if was else tries.wrong(now)
            held.accounts[attempt.person] = replace(
                account, failures=account.failures + 1, tries={**account.tries, device: after}
            )
        throttles = not was and after.until > 0
        return Counted(known=True, throttled=was, throttles=throttles, throttles_device=full)

    def wait(self, device: DeviceId, now: Instant) -> int:
        """Tell for how many seconds nobody may sign in on a device, after too many wrong passwords there."""
        return self.held().tries.get(device, DeviceTries()).wait(now)

    def unlock(self, person: PersonId) -> Refusal | None:
        """End every throttle of a person, and those of the devices on which it was."""
        with self._changing() as held:
            account = held.accounts.get(person)
            if account is None:
                return _unknown(Code.UNKNOWN_PERSON, person)
            if not account.locked:
                return Refusal(Code.ALREADY_THERE, None, f"The account of {person} is not locked.", {"name": person})
            held.tries = {device: each for device, each in held.tries.items() if device not in account.tries}
            held.accounts[person] = replace(account, failures=0, tries={})
        return None

    def release_person(self, person: PersonId) -> Refusal | None:
        with self._changing() as held:
            released = held.accounts.pop(person, None)
        return None if released else _unknown(Code.UNKNOWN_PERSON, person)

    # The file

    @contextmanager
    def _changing(self) -> Iterator[Held]:
        """Have the register to oneself; what was changed is on the disk afterwards."""
        with _translated(), self._alone():
            before = self._content()
            held = read_back(before)
            yield held
            after = write_down(held)
            if after != before:
                put(self._path, after)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        # A file of its own, which stays: the register's is another one after each change.
        descriptor = os.open(self._path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    def _file(self) -> tuple[int, ...]:
        """Tell one file in this place from another."""
        try:
            found = self._path.stat()
        except FileNotFoundError:
            return ()
        return found.st_ino, found.st_mtime_ns, found.st_size

    def _content(self) -> bytes:
        try:
            return self._path.read_bytes()
        except FileNotFoundError:
            return write_down(Held())


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise AccessFault(f"the register cannot be read or written: {error.strerror}: {error.filename}") from error


def throttled(account: Account, attempt: Attempt) -> bool:
    """Tell whether wrong passwords on a device keep a person out there for now."""
    return account.tries.get(attempt.device, Tries()).throttled(attempt.now)


def _digest(key: str) -> str:
    return digest_of(key.encode("utf-8", "surrogatepass"))


def _unknown(code: Code, name: str) -> Refusal:
    what = "is not enrolled" if code is Code.UNKNOWN_DEVICE else "has no account"
    return name_objection(name) or Refusal(code, None, f"{name} {what} here.", {"name": name})
