"""Faults of the journal: what the world did to it, for each of which the process stops or does not start."""

from croupier.rules.refusal import Refusal


class JournalFault(Exception):  # noqa: N818 - the house's word
    """The journal cannot be read or written; whether the last batch was kept is unknown until it is read again."""


class InUse(JournalFault):
    """Another process has the journal open."""


class SafeInUse(InUse):
    """Another process runs a house on the same safe."""


class Fenced(JournalFault):
    """A later writer has taken over: this one may write no more."""


class NothingLost(JournalFault):
    """Somebody's word is given for going on from an older copy, and this is the journal that was last written."""


class Damaged(JournalFault):
    """What is stored is not what was written, from this position on."""

    def __init__(self, position: int, words: str) -> None:
        super().__init__(f"entry {position}: {words}")
        self.position = position
        self.words = words


class UnknownEntry(Damaged):
    """An entry is whole, and of a kind or version that this software does not know."""


class Breach(Damaged):
    """An entry is what was written, and the house cannot carry it out as it did."""


class RolledBack(Damaged):
    """The journal is an older copy, or another one, than the one that was last written."""

    def __init__(self, position: int, words: str, lost: int = 0) -> None:
        super().__init__(position, words)
        #: How many entries an older copy is known to lack, one at least; none where the journal is another one.
        self.lost = lost


class WordRefused(RolledBack):
    """Two people gave their word for going on from an older copy, and the house does not take it from them."""

    def __init__(self, position: int, refusal: Refusal, lost: int) -> None:
        words = f"the journal ends before it, and may not be gone on from: {refusal.says.removesuffix('.')}"
        super().__init__(position, words, lost)
        self.refusal = refusal
