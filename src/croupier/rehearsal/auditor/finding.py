"""Findings: what the auditor holds against the house, each under the invariant that it breaks."""


class Finding(AssertionError):  # noqa: N818 - the auditor's word
    """Something is not as it must be."""

    def __init__(self, invariant: str, words: str) -> None:
        super().__init__(f"{invariant}: {words}")
        self.invariant = invariant
        self.words = words


def agree(invariant: str, what: object, found: object, due: object) -> None:
    """Hold what was found against what is due."""
    if found != due:
        raise Finding(invariant, f"{what}: found {found}, due {due}")


def never(invariant: str, words: str, *, when: bool) -> None:
    """Say that something must not be."""
    if when:
        raise Finding(invariant, words)
