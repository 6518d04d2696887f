"""The reception: people prove who they are and choose their secrets; it is slow on purpose, and belongs on a thread."""

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from msgspec.structs import replace

from croupier.access.record import FAILURES_MOST, Account, Origin
from croupier.access.register import Register
from croupier.access.secret import Hasher, new_code, read_code, secret_objection
from croupier.access.verdict import NOT_ADMITTED, Admitted, Cause, Denied, MustChoose, Verdict
from croupier.house.name import PersonId
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

    def attempt(self, name: str, secret: str) -> Verdict:
        """Judge one attempt. Whoever fails costs one hash and one write, whatever the cause, and it is counted."""
        person = PersonId(unicodedata.normalize("NFC", name))
        account = self.register.account(person)
        if account is None:
            self.hasher.decoy(secret)
        elif self.hasher.matches(account.hash, _meant(account, secret)) and not account.locked:
            verdict = self._admit(person, account, _meant(account, secret))
            if verdict is not None:
                return verdict
        return _denied(person, self.register.count_failure(person))

    def choose(self, proven: Admitted | MustChoose, secret: str) -> Admitted | Refusal:
        """Set the secret that a person chose who has just proven who they are; what the old one opened lapses."""
        if objection := secret_objection(secret) or self._too_near(proven, secret):
            return objection
        account = Account(self.hasher.hash_secret(secret), Origin.CHOSEN)
        if not self.register.admit(proven.person, seen=proven.by, becomes=account):
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

    def _admit(self, person: PersonId, account: Account, secret: str) -> Admitted | MustChoose | None:
        """Let a person in by the account that the secret was compared with; None if it is another one by now."""
        becomes = replace(account, failures=0)
        if self.hasher.is_outdated(account.hash):
            becomes = replace(becomes, hash=self.hasher.hash_secret(secret))
        if not self.register.admit(person, seen=account.hash, becomes=becomes):
            return None
        outcome = MustChoose if account.origin is Origin.CODE else Admitted
        return outcome(person, becomes.hash)

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


def _denied(person: PersonId, account: Account | None) -> Denied:
    if account is None:
        return Denied(person, Cause.UNKNOWN)
    if account.failures > FAILURES_MOST:
        return Denied(person, Cause.LOCKED)
    return Denied(person, Cause.WRONG, locks=account.locked)
