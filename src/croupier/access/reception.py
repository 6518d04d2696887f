"""The reception: people prove who they are and choose their secrets; it is slow on purpose, and belongs on a thread."""

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from msgspec.structs import replace

from croupier.access.record import Account, Origin
from croupier.access.register import Attempt, Counted, Register, throttled
from croupier.access.secret import Hasher, new_code, read_code, secret_objection
from croupier.access.verdict import NOT_ADMITTED, Admitted, Cause, Denied, MustChoose, Verdict
from croupier.house.name import DeviceId, Instant, PersonId
from croupier.rules.refusal import Code, Refusal, first_of


@dataclass(frozen=True, slots=True)
class Issued:
    """A one-time code, which is told once and kept nowhere."""

    code: str = field(repr=False)
    #: Whether the person had no account before.
    new: bool


class Reception(NamedTuple):
    """A register, and what compares secrets with it. No secret is hashed while the register is locked."""

    register: Register
    hasher: Hasher

    def attempt(self, name: str, secret: str, device: DeviceId, now: Instant) -> Verdict:
        """Judge one attempt on a device. A failure costs one hash and one write, whatever the cause, and is counted.

        A device that is throttled is told so at once: that says nothing of any name.
        """
        attempt = Attempt(PersonId(unicodedata.normalize("NFC", name)), device, now)
        if (wait_s := self.register.wait(device, now)) > 0:
            return Denied(attempt.person, Cause.DEVICE, wait_s=wait_s)
        account = self.register.account(attempt.person)
        if account is None:
            self.hasher.decoy(secret)
        elif self.hasher.matches(account.hash, _meant(account, secret)) and not throttled(account, attempt):
            verdict = self._admit(attempt, account, _meant(account, secret))
            if verdict is not None:
                return verdict
        return _denied(attempt.person, self.register.count_failure(attempt))

    def choose(self, proven: Admitted | MustChoose, secret: str) -> Admitted | Refusal:
        """Set the secret that a person chose who has just proven who they are; what the old one opened lapses."""
        if objection := secret_objection(secret) or self._too_near(proven, secret):
            return objection
        account = Account(self.hasher.hash_secret(secret), Origin.CHOSEN)
        if not self.register.change(proven.person, seen=proven.by, becomes=account):
            return NOT_ADMITTED
        return Admitted(proven.person, account.hash)

    def issue_code(self, person: PersonId) -> Issued | Refusal:
        """Give a person a one-time code, in the place of whatever secret they had; it unlocks the account too."""
        code, new = new_code(), self.register.account(person) is None
        account = Account(self.hasher.hash_secret(read_code(code)), Origin.CODE)
        return self.register.enter({person: account}) or Issued(code, new)

    def configure(self, secrets: Mapping[PersonId, str]) -> Refusal | None:
        """Enter people with the secrets of a configuration, for a demonstration; what they chose since stays."""
        if objection := first_of(filter(None, map(secret_objection, secrets.values()))):
            return objection
        accounts = self.register.held().accounts
        fresh = {
            person: Account(self.hasher.hash_secret(secret), Origin.CONFIGURED)
            for person, secret in secrets.items()
            if self._is_news(accounts.get(person), secret)
        }
        return self.register.enter(fresh)

    def _admit(self, attempt: Attempt, account: Account, secret: str) -> Admitted | MustChoose | None:
        """Let a person in by the account that the secret was compared with; None if it is throttled, or another now."""
        becomes = account
        if self.hasher.is_outdated(account.hash):
            becomes = replace(becomes, hash=self.hasher.hash_secret(secret))
        if not self.register.admit(attempt, seen=account.hash, becomes=becomes):
            return None
        outcome = MustChoose if account.origin is Origin.CODE else Admitted
        return outcome(attempt.person, becomes.hash)

    def _too_near(self, proven: Admitted | MustChoose, secret: str) -> Refusal | None:
        if secret.casefold() == proven.person.casefold():
            return Refusal(Code.MALFORMED, None, "The secret must be another than the name.")
        if self.hasher.matches(proven.by, read_code(secret) if isinstance(proven, MustChoose) else secret):
            return Refusal(Code.MALFORMED, None, "The secret must be another than the one before.")
        return None

    def _is_news(self, account: Account | None, secret: str) -> bool:
        """Tell whether a configuration has another secret than before: a restart by itself unlocks nobody."""
        if account is None:
            return True
        return account.origin is Origin.CONFIGURED and not self.hasher.matches(account.hash, secret)


def _meant(account: Account, secret: str) -> str:
    return read_code(secret) if account.origin is Origin.CODE else secret


def _denied(person: PersonId, counted: Counted) -> Denied:
    if not counted.known:
        return Denied(person, Cause.UNKNOWN, locks_device=counted.throttles_device)
    cause = Cause.LOCKED if counted.throttled else Cause.WRONG
    return Denied(person, cause, locks=counted.throttles, locks_device=counted.throttles_device)
