"""Verdicts: what comes of somebody saying who they are, with one answer for all that is not right about it."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from croupier.house.name import PersonId
from croupier.rules.refusal import Code, Refusal

#: For a name that nobody has, a secret that is wrong and an account that is locked alike: nobody learns which.
NOT_ADMITTED: Final = Refusal(
    Code.SIGN_IN_REFUSED, None, "The name or the secret is not right, or the account is locked: ask your manager."
)
#: While the register cannot be read.
UNREADABLE: Final = Refusal(
    Code.BUSY, None, "Nobody can be told apart from anybody else now: nothing was done, try again later."
)


@dataclass(frozen=True, slots=True)
class Admitted:
    """A person who has proven who they are."""

    person: PersonId
    #: The hash that it was proven by: when the account has another, what this one opened is to be closed.
    by: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class MustChoose:
    """A person who gave a one-time code, and may do nothing but choose a secret."""

    person: PersonId
    by: str = field(repr=False)


class Cause(StrEnum):
    """Why somebody was not admitted: for the house's own record, never for whoever asked."""

    UNKNOWN = "unknown"
    WRONG = "wrong"
    LOCKED = "locked"


@dataclass(frozen=True, slots=True)
class Denied:
    """Somebody who has not proven who they are."""

    person: PersonId
    cause: Cause
    #: Whether this was the attempt that locked the account.
    locks: bool = False

    @property
    def refusal(self) -> Refusal:
        """Say no, in the same words whatever the cause."""
        return NOT_ADMITTED


Verdict = Admitted | MustChoose | Denied
