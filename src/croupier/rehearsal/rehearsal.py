"""A rehearsal: evenings from many seeds, up to the first that shows something that must not be."""

from collections.abc import Callable, Iterable

from croupier.engine.archive import Archive
from croupier.journal.fault import Damaged
from croupier.rehearsal.auditor.finding import Finding, agree
from croupier.rehearsal.critic import Bystander
from croupier.rehearsal.evening import Evening
from croupier.rehearsal.tally import Tally

#: Takes what an evening has left, whatever came of it.
Heir = Callable[[Archive], None]


class Failure(Exception):  # noqa: N818 - the house's word
    """One evening went wrong: which, at which step, what was broken, and how to see it again."""

    def __init__(self, evening: Evening, seed: int, error: Exception, *, crash: bool) -> None:
        self.seed, self.crash, self.step = seed, crash, evening.step
        self.invariant = invariant_of(error)
        self.words = error.words if isinstance(error, Finding) else str(error)
        self.command = f"croupier rehearse --seed {seed}{' --crash' if crash else ''}"
        super().__init__(f"step {self.step}: {self.invariant}: {self.words}\n{self.command}")


def invariant_of(error: Exception) -> str:
    """Name the invariant that is broken, or the kind of fault where the house could not go on at all."""
    if isinstance(error, Finding):
        return error.invariant
    return "I13" if isinstance(error, Damaged) else type(error).__name__


def rehearse(seed: int, *, crash: bool, heir: Heir = lambda _archive: None) -> Tally:
    """Play one evening; Failure where it shows something that must not be."""
    evening = Evening(seed, crash=crash)
    try:
        tally = evening.play()
        again = Evening(seed, crash=crash, critic=Bystander)
        again.perform()
        agree("I15", "the journal of the same seed", again.head, evening.head)
    except Exception as error:
        # Whatever it was, the seed that shows it is what is wanted.
        raise Failure(evening, seed, error, crash=crash) from error
    finally:
        heir(evening.machine.archive)
    return tally


def rehearse_many(
    seeds: Iterable[int],
    *,
    crash: bool,
    progress: Callable[[Tally], None] = lambda _tally: None,
    heir: Heir = lambda _archive: None,
) -> Tally:
    """Play many evenings and add up what came of them."""
    total = Tally()
    for seed in seeds:
        total.add(rehearse(seed, crash=crash, heir=heir))
        progress(total)
    return total
