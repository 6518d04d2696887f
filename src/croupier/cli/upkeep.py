"""The commands for upkeep: a backup made, a backup restored, and the installed software verified."""

from contextlib import closing
from pathlib import Path
from typing import assert_never

import click
from rich.console import Group, RenderableType
from rich.text import Text

from croupier.cli import evidence
from croupier.cli.answer import accepted, give, json_option, refuse, written
from croupier.cli.journal import opened, told_damage
from croupier.cli.place import PATH, at_data_argument, at_data_option, at_running_option, safe_of
from croupier.cli.running import answered, asked, plain, told
from croupier.engine.clock import SystemClock
from croupier.engine.handover import Override
from croupier.engine.software import software
from croupier.house.name import Instant, PersonId
from croupier.journal.fault import InUse
from croupier.rules.refusal import Code, Refusal
from croupier.upkeep.answer import BackedUp, Differs, Unverified, Verdict, Verified
from croupier.upkeep.backup import KEEP, Draft
from croupier.upkeep.copy import ALL_BLOCKS, Copying
from croupier.upkeep.request import MakeBackup, VerifySoftware
from croupier.upkeep.restore import Order, Restored, drill, restore
from croupier.upkeep.software import verify

#: The exit code for each verdict on the software.
VERDICTS = {Verified: 0, Differs: 1, Unverified: 3}
#: How many people it takes to let entries be lost.
PEOPLE = 2


def _now() -> Instant:
    return SystemClock(Instant(0)).wall()


@click.command("backup")
@at_data_argument
@click.option("--to", "shelf", type=PATH, metavar="DIR", required=True, help="Where backups stand.")
@click.option(
    "--keep",
    type=click.IntRange(min=1),
    metavar="N",
    help="How many may stand there, once the new one is proven: as configured, or 14 where no system runs.",
)
@json_option
def backup_command(data: Path, shelf: Path, keep: int | None, safe: Path | None) -> None:
    """Copy a journal, prove the copy and sign for it. A system that runs is asked to, and goes on meanwhile.

    PATH is a data directory. A backup is a directory of its own in DIR, and holds nothing of the safe. Exits 1 where
    the journal, or the copy, is not what was written: then there is no new backup, and no old one was removed.
    """
    with told():
        request = MakeBackup(str(shelf.absolute()), keep)
        made = asked(safe_of(data, safe), request, data) or _made(data, safe, shelf, keep or KEEP)
    assert isinstance(made, BackedUp)
    give(plain(made), lambda: _backup_text(made), as_written=True)


def _made(data: Path, safe: Path | None, shelf: Path, keep: int) -> BackedUp:
    """Make a backup of a journal on which no system runs."""
    with opened(data, safe) as journal:
        if journal.signer is None:
            says = "The safe has no signing key, and the venue must sign for a backup."
            refuse(Refusal(Code.NOTHING_THERE, None, says))
        with Draft(data, shelf, _now()) as draft:
            with closing(Copying(journal.store, data, draft.folder)) as copying:
                copying.step(ALL_BLOCKS)
            return draft.finish(journal.signer, software(), keep)


def _backup_text(made: BackedUp) -> RenderableType:
    removed = [written(f"Removed {name}.") for name in made.removed]
    if made.crowded:
        removed.append(written(made.crowded))
    return Group(written(f"Backed up to entry {made.position}, epoch {made.epoch}, in {made.path}."), *removed)


@click.command("restore")
@click.argument("backup", metavar="BACKUP", type=PATH)
@at_data_option
@click.option("--replace", is_flag=True, help="Move a journal that is there aside, into DIR/replaced-….")
@click.option(
    "--drill", "only_try", is_flag=True, help="Start the house on a copy, take that away, and change nothing."
)
@click.option("--by", "people", multiple=True, metavar="PERSON", help="One of two on whose word entries may be lost.")
@click.option("--because", "words", metavar="WORDS", help="Why they let entries be lost.")
@json_option
def restore_command(  # noqa: PLR0913 - each of click's options comes by itself
    *, backup: Path, data: Path, safe: Path | None, replace: bool, only_try: bool, people: tuple[str, ...], words: str
) -> None:
    """Prove a backup, put it in its place, and start and stop the house on it, as `croupier recover` does.

    BACKUP is a backup, or a directory with several: then the last. Where the safe knows of later entries, two who
    manage the house must let them be lost, with --by, --by and --because. Exits 1 where the backup is not what was
    made, and 2 where these two may not: then nothing was changed.
    """
    order = Order(backup, data, safe_of(data, safe), replace, _override(people, words))
    if not order.safe.holds_key:
        refuse(Refusal(Code.NOTHING_THERE, None, f"There is no signing key in {order.safe.path}."))
    with told(), told_damage():
        restored = drill(order) if only_try else accepted(_restored(order))
    about = evidence.Recovered(restored.run)
    report = {"backup": str(restored.backup.path), "drill": only_try, "remarks": _remarks(restored), **about.report()}
    report["aside"] = None if restored.aside is None else str(restored.aside)
    give(report, lambda: Group(_restored_text(restored, drill=only_try), about.picture(whole=False)), as_written=True)


def _override(people: tuple[str, ...], words: str | None) -> Override | None:
    if not people and words is None:
        return None
    if len(people) != PEOPLE or not words:
        raise click.UsageError("It takes two people and their reason: --by PERSON --by PERSON --because WORDS.")
    return Override((PersonId(people[0]), PersonId(people[1])), words)


def _restored(order: Order) -> Restored | Refusal:
    """Restore where no system runs on that safe: it would write on, and the two journals would part."""
    busy = Refusal(Code.BUSY, None, f"A system is running on {order.safe.path}: stop it first.")
    try:
        return restore(order, _now())
    except InUse:
        return busy


def _remarks(restored: Restored) -> list[str]:
    remarks = [restored.taken_back] if restored.taken_back else []
    if restored.anchored.mark.position < restored.backup.manifest.position:
        remarks.append("the anchor is older than the backup, so nothing tells whether entries came after it.")
    return remarks


def _restored_text(restored: Restored, *, drill: bool) -> RenderableType:
    position = restored.backup.manifest.position
    done = "The house starts from" if drill else "Restored"
    lines = [f"{done} {restored.backup.path}, which ends with entry {position}."]
    if restored.aside is not None:
        lines.append(f"The journal that was there is in {restored.aside}.")
    return written("\n".join([*lines, *(f"Note: {each}" for each in _remarks(restored))]))


@click.command("verify")
@at_running_option
@json_option
def verify_command(data: Path | None, safe: Path | None) -> None:
    """Hold the installed software, and all that it stands on, against the records of its installation.

    Every file is held against its digest, and files that no record lists are named. Exits 0 where all is as it was
    installed, 1 where something differs, and 3 where there is no record, as in a source checkout.
    """
    verdict = verify() if data is None else answered(safe_of(data, safe), VerifySoftware(), data)
    assert isinstance(verdict, Verdict)
    report = {"verdict": type(verdict).__name__.lower(), "software": None if data else software(), **plain(verdict)}
    give(report, lambda: _verdict_text(verdict, None if data else software()), as_written=True)
    raise click.exceptions.Exit(VERDICTS[type(verdict)])


def _verdict_text(verdict: Verdict, name: str | None) -> RenderableType:
    match verdict:
        case Verified(distributions=distributions, files=files):
            said = Text(f"Verified: {files} files of {distributions} distributions are as they were installed.")
        case Unverified(why=why):
            said = Text(f"Unverified: {why}.")
        case Differs(files=differences):
            lines = (f"{each.how:<8} {each.file}  ({each.distribution})" for each in differences)
            said = written("\n".join(("Differs from what was installed:", *lines)))
        case _:
            assert_never(verdict)
    return Group(said, *([] if name is None else [written(f"software {name}")]))
