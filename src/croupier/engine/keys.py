"""Keys: which commands each device has had answered, so that none is done twice and none in another's name."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import msgspec

from croupier.engine.asked import Accepted, Asked, Outcome
from croupier.house.answer import refuse
from croupier.house.name import DeviceId
from croupier.journal.entry import Cause, Entry, Key
from croupier.rules.refusal import Code, Refusal

#: How many answers are kept at least for each device, of either kind: more than any client may have under way at once.
ANSWERS_KEPT: Final = 48
#: How many characters of a digest are kept, 64 bits: a device that finds two commands with the same deceives itself.
DIGEST_KEPT: Final = 16
#: What every journal and browser can write down exactly.
_MOST: Final = 2**53 - 1
#: At so many the oldest are let go, all at once.
ANSWERS_MOST: Final = 2 * ANSWERS_KEPT


class Remembered(msgspec.Struct, frozen=True, gc=False):
    """An answer that was given: to what, and what it was."""

    #: The first part of the digest of the command: enough to tell two commands under one key apart.
    asked: str
    outcome: Outcome


class Answered(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True, gc=False):
    """An accepted command as a snapshot has it."""

    epoch: int
    number: int
    asked: bytes
    first: int
    last: int


#: What one device was answered, by key: as keys rise, so that the last is the highest. A dict of values that hold no
#: others is none of the garbage collector's business, as any other container would be.
Answers = dict[Key, Remembered]


@dataclass(slots=True)
class Keys:
    """The last answers of every device: those that have entries in the journal, and those that it knows nothing of.

    Neither pushes the other out, so that what a start reads from the journal is what was remembered before.
    """

    kept: dict[DeviceId, Answers] = field(default_factory=dict)
    passing: dict[DeviceId, Answers] = field(default_factory=dict)
    #: The highest key of each device that was answered.
    highest: dict[DeviceId, Key] = field(default_factory=dict)

    def known(self, device: DeviceId, cause: Cause, epoch: int) -> Outcome | None:
        """Say what a key was answered, or why it cannot be; None where it is new."""
        key, highest = cause.key, self.highest.get(device)
        if key.epoch == epoch and (
            highest is None or highest.epoch < epoch or (highest.epoch == epoch and highest.number < key.number)
        ):
            return None
        before = self.kept.get(device, _NONE).get(key) or self.passing.get(device, _NONE).get(key)
        if before is not None:
            return before.outcome if before.asked == cause.asked[:DIGEST_KEPT] else _reused(key)
        return _ahead(key, epoch) if key.epoch > epoch else _stale(key)

    def remember(self, device: DeviceId, cause: Cause, outcome: Outcome) -> None:
        lasts = type(outcome) is Accepted and outcome.last >= outcome.first
        devices = self.kept if lasts else self.passing
        answers = devices.get(device)
        if answers is None:
            answers = devices[device] = {}
        answers[cause.key] = Remembered(cause.asked[:DIGEST_KEPT], outcome)
        self.highest[device] = cause.key
        if len(answers) >= ANSWERS_MOST:
            for key in tuple(answers)[:-ANSWERS_KEPT]:
                del answers[key]

    def learn(self, entry: Entry) -> None:
        """Take an entry that was kept for what it proves: that its command was accepted."""
        if entry.cause is None:
            return
        before = self.kept.get(entry.stamp.device, _NONE).get(entry.cause.key)
        first = before.outcome.first if before and isinstance(before.outcome, Accepted) else entry.position
        self.remember(entry.stamp.device, entry.cause, Accepted(first, entry.position))

    def last(self, device: DeviceId, epoch: int) -> int:
        """Tell the highest number that a device has had answered in an epoch; 0 where it has had none."""
        highest = self.highest.get(device)
        return highest.number if highest is not None and highest.epoch == epoch else 0

    def lasting(self) -> "Keys":
        """Leave out what the journal does not have, and what may be forgotten: the rest follows from it alone."""
        return Keys.from_rows(rows_of(self.kept))

    @classmethod
    def from_rows(cls, rows: Mapping[str, list[Answered]]) -> "Keys":
        """Remember again what rows tell."""
        kept = {
            DeviceId(device): {
                Key(each.epoch, each.number): Remembered(each.asked.hex(), Accepted(each.first, each.last))
                for each in answered
            }
            for device, answered in rows.items()
        }
        return cls(kept, highest={device: next(reversed(answers)) for device, answers in kept.items()})


def rows_of(kept: Mapping[DeviceId, Answers], position: int = _MOST) -> dict[str, list[Answered]]:
    """Give the last commands of each device that were accepted up to a position, as rows; on any thread."""
    listed = ((device, _rows(answers, position)) for device, answers in kept.items())
    return {device: rows[-ANSWERS_KEPT:] for device, rows in listed if rows}


def _rows(answers: Answers, position: int) -> list[Answered]:
    # Copied in one step that no other thread interrupts.
    return [
        Answered(key.epoch, key.number, bytes.fromhex(each.asked), each.outcome.first, each.outcome.last)
        for key, each in answers.copy().items()
        if isinstance(each.outcome, Accepted) and each.outcome.last <= position
    ]


def digest_of(asked: Asked) -> str:
    """Digest what was asked and who signed it; ValueError or OverflowError where not all of it can be written down."""
    key = asked.key
    if key is not None and not (-_MOST <= key.epoch <= _MOST and -_MOST <= key.number <= _MOST):
        raise OverflowError
    return hashlib.sha256(_ENCODER.encode((asked.command, asked.person))).hexdigest()


_ENCODER = msgspec.json.Encoder()


_NONE: Final[Answers] = {}


def _reused(key: Key) -> Refusal:
    says = "This key was used for another command: nothing was done, and staff are told."
    return refuse(Code.KEY_REUSED, None, says, epoch=key.epoch, number=key.number)


def _ahead(key: Key, epoch: int) -> Refusal:
    """Whoever began that epoch knows the answer: this run may be a replaced one, and cannot say what was not done."""
    says = f"This key is of epoch {key.epoch}, and the house is in epoch {epoch}: what became of it is not known here."
    return refuse(Code.EPOCH_AHEAD, None, says, epoch=key.epoch, number=key.number, current=epoch)


def _stale(key: Key) -> Refusal:
    says = "This key is of a past epoch, or older than one that was answered: nothing is done now."
    return refuse(Code.KEY_STALE, None, says, epoch=key.epoch, number=key.number)
