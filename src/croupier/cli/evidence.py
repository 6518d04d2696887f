"""Evidence: what was found in a journal on disk, as plain data and in plain words."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import click
import msgspec
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from croupier.cli.answer import give, written
from croupier.engine.audit import Findings
from croupier.engine.run import Run
from croupier.house.event.venue import HouseRecovered
from croupier.house.explanation import explain
from croupier.journal.anchor import Anchored, newest_of
from croupier.journal.checkpoint import Statement
from croupier.upkeep.answer import Exported

Data = dict[str, Any]
#: A journal that is not what was written.
DAMAGED = 1


def damage(position: int | None, words: str) -> RenderableType:
    where = "" if position is None else f" at entry {position}"
    return Text.assemble(("Damaged", "bold red"), f"{where}: {words}.")


def damaged(words: str, position: int | None = None) -> NoReturn:
    """Say what is not as it was written, and from which entry on where that is known; leave with exit code 1."""
    give({"whole": False, "position": position, "says": words}, lambda: damage(position, words))
    raise click.exceptions.Exit(DAMAGED)


class Audited(NamedTuple):
    """What an audit found, and the notes of the anchor that it was held against."""

    found: Findings
    #: None where there was no anchor to hold it against.
    notes: list[Anchored | None] | None
    #: Whether the venue's key was there to tell its own pages by.
    imprints: bool = True
    #: The heads that a witness has kept; None where none was asked.
    heads: list[Statement] | None = None

    @property
    def unsigned(self) -> int:
        return self.found.entries - self.found.signed_to

    def report(self) -> Data:
        return {
            "whole": True,
            **msgspec.to_builtins(self.found),
            "unsigned": self.unsigned,
            "anchored_to": None if self.notes is None else newest_of(self.notes).mark.position,
            "witnessed": None if self.heads is None else {"heads": len(self.heads), "to": self._witnessed_to},
            "remarks": list(self._remarks()),
        }

    @property
    def _witnessed_to(self) -> int:
        return max((head.position for head in self.heads or ()), default=0)

    def picture(self) -> RenderableType:
        found = self.found
        rows = (
            ("entries", f"{found.entries} on {found.pages} pages, by {found.epochs} epochs"),
            ("signed to", f"entry {found.signed_to}, by {found.checkpoints} checkpoints"),
            ("unsigned", f"{self.unsigned} entries after that"),
            ("anchor", "not held" if self.notes is None else f"entry {newest_of(self.notes).mark.position}"),
            *self._witness_row(),
            ("head", found.head),
            ("state", found.state),
        )
        table = Table.grid(padding=(0, 2))
        for name, words in rows:
            table.add_row(name, words)
        said = Text("Whole: every digest, signature, account and meter holds.", style="bold green")
        return Group(said, table, *(Text(f"Note: {each}") for each in self._remarks()))

    def _witness_row(self) -> Iterator[tuple[str, str]]:
        if self.heads is not None:
            yield "witness", f"entry {self._witnessed_to}, by {len(self.heads)} heads"

    def _remarks(self) -> Iterator[str]:
        """Say what does not prove the journal wrong, and yet should be known."""
        if self.unsigned and not self.imprints:
            yield "without the venue's signing key, the entries under no signature yet may be anybody's."
        if self.notes is None:
            yield "no anchor was held, so an older copy of this journal would pass as well."
            return
        newest = newest_of(self.notes)
        if None in self.notes:
            yield "one of the anchor's notes cannot be read."
        if newest.mark.position < self.found.signed_to or newest.checkpoints < self.found.checkpoints:
            yield (
                f"the anchor stops at entry {newest.mark.position} and checkpoint {newest.checkpoints}: the power went "
                "before it was noted, or an older anchor was put back."
            )


def exported(part: Exported, out: Path) -> Data:
    return {"file": str(out), "first": part.first, "last": part.last, "checkpoints": part.checkpoints}


def exported_text(part: Exported, out: Path, first: int, last: int | None) -> RenderableType:
    asked = (first, part.last if last is None else last)
    longer = (
        "" if asked == (part.first, part.last) else f" ({asked[0]} to {asked[1]} reach from signature to signature so)"
    )
    return Text(f"Entries {part.first} to {part.last}{longer} are in {out}, with verify.py.")


def round_text(text: str) -> RenderableType:
    return written(text.rstrip())


class Recovered(NamedTuple):
    """A run that has begun and ended."""

    run: Run

    def _blocks(self) -> tuple[str, ...]:
        events = tuple(entry.event for entry in self.run.recovery.entries)
        rulebooks = {name: table.rulebook.id for name, table in self.run.house.tables.items()}
        return explain(events, rulebooks) if events else ("The house was not founded yet: nothing was done.",)

    def report(self) -> Data:
        events = [entry.event for entry in self.run.recovery.entries]
        found = [
            msgspec.to_builtins(each) for event in events if isinstance(event, HouseRecovered) for each in event.found
        ]
        return {
            "epoch": self.run.epoch,
            "entries": self.run.handover.mark.position,
            "replayed": self.run.handover.replayed,
            "snapshot": self.run.handover.mark.position - self.run.handover.replayed or None,
            "ignored": self.run.handover.ignored or None,
            "lost": self._lost,
            "recorded": len(events),
            "tables": found,
            "explanation": list(self._blocks()),
        }

    def picture(self, *, whole: bool) -> RenderableType:
        return Group(*(written(each) for each in (*self._start(), *map(_block if whole else _line, self._blocks()))))

    @property
    def _lost(self) -> int:
        return self.run.handover.accepts.lost if self.run.handover.accepts else 0

    def _start(self) -> Iterator[str]:
        entries, replayed = self.run.handover.mark.position, self.run.handover.replayed
        yield f"Epoch {self.run.epoch}. The journal had {entries} entries, and {replayed} were carried out again."
        if self.run.handover.ignored:
            yield f"Snapshot rejected ({self.run.handover.ignored}); state rebuilt from the journal."
        elif replayed < entries:
            yield f"The snapshot at entry {entries - replayed} gave what was before."
        if self._lost:
            yield f"{self._lost} entries are lost: slips and tickets that were out are frozen."


def _block(block: str) -> str:
    return f"\n{block}"


def _line(block: str) -> str:
    """Put a table's block into one line: the round, what was done, and the clause."""
    head, *rest = block.splitlines()
    if not rest:
        return head
    _, done, clause = (each.split(maxsplit=1)[1] for each in rest)
    return f"{head}: {done} [{clause}]"
