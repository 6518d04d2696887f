"""Verdicts: what comes of somebody saying who they are, with one answer for all that is not right about it."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from croupier.house.name import PersonId
from croupier.rules.refusal import Code, Refusal

#: For a name that nobody has, a secret that is wrong and a person who is throttled alike: nobody learns which.
NOT_ADMITTED: Final = Refusal(
    Code.SIGN_IN_REFUSED,
    None,
    "The name or the secret is not right, or too many wrong ones were given on this device: wait, or use another one.",
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
    #: The person is throttled on this device, or the device for everybody.
    LOCKED = "locked"
    DEVICE = "device"


@dataclass(frozen=True, slots=True)
class Denied:
    """Somebody who has not proven who they are."""

    person: PersonId
    cause: Cause
    #: Whether this was the attempt that throttled the person on the device, and whether the device itself.
    locks: bool = False
    locks_device: bool = False
    #: For how long still nobody may sign in on the device.
    wait_s: int = 0

    @property
    def refusal(self) -> Refusal:
        """Say no, in the same words whatever it was about the name and the secret."""
        if self.cause is not Cause.DEVICE:
            return NOT_ADMITTED
        says = f"Too many wrong passwords were given on this device: nobody signs in here for {self.wait_s} s."
        return Refusal(Code.TOO_FAST, None, says, {"seconds": self.wait_s})


Verdict = Admitted | MustChoose | Denied
