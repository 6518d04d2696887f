"""The commands about a journal: audit, export, replay and recover."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import click
import msgspec
from rich.console import Group, RenderableType
from rich.text import Text

from croupier.cli import output
from croupier.cli.control import PATH, at_venue, faults_reported, key_store_of, send_request
from croupier.cli.group import json_option
from croupier.cli.output import accepted, console, exit_refused, give, plain_table, written
from croupier.engine.audit import AuditReport, audit
from croupier.engine.journal_reader import JournalReader, prove_entry
from croupier.engine.places import JOURNAL, holds_journal, open_store
from croupier.engine.ports import NullOutbox
from croupier.engine.run import RollbackOverride, Run, start
from croupier.engine.storage import RESTORING, unfinished_swap
from croupier.engine.ticket_index import TICKETS, StoredTickets
from croupier.house.declare import Events
from croupier.house.ids import PersonId, RoundNumber, TableId
from croupier.house.rounds.recovery import HouseRecovered
from croupier.journal.checkpoints import Signer, Statement, Verifier
from croupier.journal.disk import JournalCorrupt, JournalFault, KeyStoreLocked, NoRollback, OverrideRefused, StoreLocked
from croupier.journal.export import export_range
from croupier.journal.keystore import (
    AnchorRecord,
    KeyStore,
    check_anchor,
    check_fence,
    check_witnessed,
    newest_record,
    read_heads,
)
from croupier.journal.stores import DurableStore
from croupier.operations.backup import is_backup, read_manifest
from croupier.operations.control import AnyRequest, AnyResponse, CopyJournal, Exported, ExportPart
from croupier.operations.maintenance import fetch_export, fetched_copy, write_export
from croupier.operations.restore import UNCHANGED
from croupier.rulebooks.schema import read_canonical
from croupier.rules.refusal import Code, Refusal
from croupier.transcripts.format import write_transcript
from croupier.transcripts.preamble import floor_names, naming
from croupier.transcripts.runner import run_round
from croupier.transcripts.writer import write_round
from croupier.words import explain, explain_briefly

Data = dict[str, Any]


class Audited(NamedTuple):
    """The result of an audit, and the anchor records that it was verified against."""

    found: AuditReport
    #: None if there was no anchor to verify it against.
    notes: list[AnchorRecord | None] | None
    #: Whether the venue's key was available to verify the MACs of pages.
    macs: bool = True
    #: The heads that a witness has stored; None when no witness was queried.
    heads: list[Statement] | None = None

    @property
    def unsigned(self) -> int:
        return self.found.entries - self.found.signed_to

    def report(self) -> Data:
        return {
            "whole": True,
            **msgspec.to_builtins(self.found),
            "unsigned": self.unsigned,
            "anchored_to": None if self.notes is None else newest_record(self.notes).head.position,
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
            ("anchor", "not checked" if self.notes is None else f"entry {newest_record(self.notes).head.position}"),
            *self._witness_row(),
            ("head", found.head),
            ("state", found.state),
        )
        table = plain_table("", "")
        for name, words in rows:
            table.add_row(name, words)
        said = Text("Valid: every digest, signature, account and meter is correct.", style="bold green")
        return Group(said, table, *(Text(f"Note: {each}") for each in self._remarks()))

    def _witness_row(self) -> Iterator[tuple[str, str]]:
        if self.heads is not None:
            yield "witness", f"entry {self._witnessed_to}, by {len(self.heads)} heads"

    def _remarks(self) -> Iterator[str]:
        """List remarks that do not invalidate the journal."""
        if self.unsigned and not self.macs:
            yield "without the venue's signing key, entries that are not signed yet cannot be verified."
        if self.notes is None:
            yield "no anchor was checked, so an older copy of this journal would pass."
            return
        newest = newest_record(self.notes)
        if None in self.notes:
            yield "one of the anchor's records cannot be read."
        if newest.head.position < self.found.signed_to or newest.checkpoints < self.found.checkpoints:
            yield (
                f"the anchor stops at entry {newest.head.position} and checkpoint {newest.checkpoints}: the power "
                "failed before it was written, or an older anchor was restored."
            )


def exported(part: Exported, out: Path) -> Data:
    return {"file": str(out), "first": part.first, "last": part.last, "checkpoints": part.checkpoints}


def exported_text(part: Exported, out: Path, first: int, last: int | None) -> RenderableType:
    wanted = (first, part.last if last is None else last)
    longer = (
        ""
        if wanted == (part.first, part.last)
        else f" (extended from {wanted[0]} to {wanted[1]}, from signature to signature)"
    )
    return Text(f"Entries {part.first} to {part.last}{longer} are in {out}, with verify.py.")


def round_text(text: str) -> RenderableType:
    return written(text.rstrip())


class Recovered(NamedTuple):
    """A run that has started and stopped."""

    run: Run

    def _explained(self, explain_: Callable[[Events, Mapping[TableId, str]], tuple[str, ...]]) -> tuple[str, ...]:
        events = tuple(entry.event for entry in self.run.recovery.entries)
        rulebooks = {name: table.rulebook.id for name, table in self.run.house.tables.items()}
        return explain_(events, rulebooks) if events else ("The journal is empty: nothing was done.",)

    def report(self) -> Data:
        events = [entry.event for entry in self.run.recovery.entries]
        found = [
            msgspec.to_builtins(each) for event in events if isinstance(event, HouseRecovered) for each in event.found
        ]
        return {
            "epoch": self.run.epoch,
            "entries": self.run.recovered.head.position,
            "replayed": self.run.recovered.replayed,
            "snapshot": self.run.recovered.head.position - self.run.recovered.replayed or None,
            "ignored": self.run.recovered.snapshot_rejected or None,
            "lost": self._lost,
            "recorded": len(events),
            "tables": found,
            "explanation": list(self._explained(explain)),
        }

    def picture(self, *, whole: bool) -> RenderableType:
        blocks = (f"\n{each}" for each in self._explained(explain))
        lines = blocks if whole else self._explained(explain_briefly)
        return Group(*(written(each) for each in (*self._start(), *lines)))

    @property
    def _lost(self) -> int:
        return self.run.recovered.accept_history.lost if self.run.recovered.accept_history else 0

    def _start(self) -> Iterator[str]:
        entries, replayed = self.run.recovered.head.position, self.run.recovered.replayed
        yield f"Epoch {self.run.epoch}. The journal had {entries} entries, and {replayed} were replayed."
        if self.run.recovered.snapshot_rejected:
            yield f"Snapshot rejected ({self.run.recovered.snapshot_rejected}); state rebuilt from the journal."
        elif replayed < entries:
            yield f"The snapshot at entry {entries - replayed} held the earlier state."
        if self._lost:
            yield f"{self._lost} entries are lost: slips and tickets that were not redeemed are frozen."


class OpenJournal(NamedTuple):
    """A journal that is open for reading, and verified against its anchor if there is one."""

    store: DurableStore
    verifier: Verifier
    #: The records of the anchor; None if there is no key store to verify the journal against.
    notes: list[AnchorRecord | None] | None
    #: The venue's key, if the key store holds it: it verifies pages that are not signed yet.
    signer: Signer | None


@contextmanager
def opened(data: Path, key_store: Path | None, key: Path | None = None) -> Iterator[OpenJournal]:
    """Open a data directory for reading; damage is reported with exit code 1."""
    _must_hold_journal(data)
    with _refused(data):
        keeper = key_store_of(data, key_store)
        verifier = keeper.verifier() if key is None else Verifier.read(_content(key))
        anchored = key_store is not None or key is None
        signer = keeper.signer() if anchored and keeper.holds_key else None
        store = open_store(data, writing=False)
    with closing(store), damage_reported():
        backup = is_backup(data)
        if backup:
            _check_backup(data, store, verifier)
        # A backup is older than the journal that the anchor is of: the signed manifest says where it ends.
        notes = keeper.anchor_records() if anchored and not backup else None
        if notes is not None:
            check_anchor(store, newest_record(notes))
        check_fence(store, None if notes is None else newest_record(notes), signer)
        yield OpenJournal(store, verifier, notes, signer)


def _check_backup(folder: Path, store: DurableStore, verifier: Verifier) -> None:
    """Verify that a journal ends where the signed manifest of its backup says."""
    with faults_reported():
        manifest = read_manifest(folder, verifier)
    last = store.last()
    if last is None or last.journal_head != manifest.journal_head:
        ends = 0 if last is None else last.last
        words = f"the journal ends with entry {ends}, and the manifest of the backup names entry {manifest.position}"
        raise JournalCorrupt(ends + 1, words)


def _must_hold_journal(data: Path) -> None:
    """Refuse a directory without a journal, and one with an interrupted restore."""
    with _refused(data):
        exchange = unfinished_swap(data)
    if exchange is not None and not exchange.is_done(data):
        exit_refused(Refusal(Code.COMMAND_FAILED, None, _sentence(exchange.explain(data)), {"file": str(data)}))
    if exchange is not None:
        console(stderr=True).print(f"Note: {exchange.explain(data)}.")
    elif data.joinpath(RESTORING).exists():
        console(stderr=True).print(f"Note: {UNCHANGED} {data / RESTORING} is only a copy: the next start removes it.")
    with _refused(data):
        found = holds_journal(data)
    if not found:
        exit_refused(Refusal(Code.NOTHING_THERE, None, f"There is no journal in {data}.", {"file": str(data)}))


def _sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}."


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise JournalFault(f"{path} cannot be read: {error.strerror}") from error


@contextmanager
def _refused(data: Path) -> Iterator[None]:
    """Refuse what cannot be opened, with exit code 2."""
    try:
        yield
    except KeyStoreLocked as fault:
        exit_refused(Refusal(Code.BUSY, None, _sentence(str(fault)), {"file": str(data)}))
    except StoreLocked:
        message = f"The journal in {data} is in use by a running server: stop it first, or use a copy."
        exit_refused(Refusal(Code.BUSY, None, message, {"file": str(data)}))
    except OverrideRefused as fault:
        exit_refused(fault.refusal)
    except NoRollback as fault:
        exit_refused(Refusal(Code.ALREADY_THERE, None, f"{str(fault).capitalize()}.", {"file": str(data)}))
    except JournalFault as fault:
        exit_refused(Refusal(Code.MALFORMED, None, f"{data} cannot be opened: {fault}.", {"file": str(data)}))


@contextmanager
def damage_reported() -> Iterator[None]:
    """Report damage of a journal, and exit with 1."""
    try:
        yield
    except (StoreLocked, NoRollback, OverrideRefused):
        raise
    except JournalFault as fault:
        position, words = (fault.position, fault.words) if isinstance(fault, JournalCorrupt) else (None, str(fault))
        output.damaged(words, position)


@click.command("audit")
@at_venue
@click.option("--key", type=PATH, metavar="PUBLIC.pem", help="The venue's public key alone.")
@click.option("--witness", type=PATH, metavar="FILE", help="Journal heads that a witness has stored off the host.")
@json_option
def audit_command(data: Path, key_store: Path | None, key: Path | None, witness: Path | None) -> None:
    """Verify a journal from its first entry: digests, signatures, replay, accounts and meters.

    The data directory is only read, and may be a backup. Exits 1 if the journal is damaged, and names the first wrong
    entry.
    """
    with opened(data, key_store, key) as journal:
        newest = None if journal.notes is None else newest_record(journal.notes)
        heads = None if witness is None else read_heads(_content(witness), journal.verifier)
        check_witnessed(journal.store, heads or ())
        with closing(StoredTickets(data / TICKETS, journal.signer)) as tickets:
            found = audit(journal.store, journal.verifier, read_canonical, newest, journal.signer, tickets.check)
        about = Audited(found, journal.notes, journal.signer is not None, heads)
        give(about.report(), about.picture)


@click.command("export")
@at_venue
@click.option("--out", type=PATH, metavar="FILE", help="The bundle to write.")
@click.option("--parquet", type=PATH, metavar="DIR", help="Add what is new to tables for analysis in DIR instead.")
@click.option("--from", "first", type=click.IntRange(min=1), default=1, metavar="N", help="The first entry.")
@click.option(
    "--to", "last", type=click.IntRange(min=1), metavar="N", help="The last entry; the last signed one by default."
)
@click.option(
    "--entry", type=click.IntRange(min=1), metavar="N", help="Write the proof of this entry alone; no server may run."
)
@json_option
def export_command(  # noqa: PLR0913, PLR0917 - the options
    data: Path,
    out: Path | None,
    first: int,
    last: int | None,
    entry: int | None,
    parquet: Path | None,
    key_store: Path | None,
) -> None:
    """Export a part of a journal as one file that can be verified without Croupier.

    It works also while a server runs. The part is extended so that it begins after a signature and ends at one. The
    file holds verify.py, which needs only Python.

    With --parquet it verifies the journal, or the copy that a running server makes, and writes rounds, bets, payments,
    meters, drawers and incidents as Parquet files, by gaming day. It needs the extra `analytics`.

    The data directory may be a backup.
    """
    if parquet is not None:
        if (out, first, last, entry) != (None, 1, None, None):
            raise click.BadParameter("it goes without other options", param_hint="'--parquet'")
        _export_tables(data, key_store, parquet)
        return
    if out is None:
        raise click.UsageError("Name the file, '--out', or the directory, '--parquet'.")
    if entry is not None:
        if (first, last) != (1, None):
            raise click.BadParameter("it goes without '--from' and '--to'", param_hint="'--entry'")
        _export_entry(data, key_store, entry, out)
        return
    if last is not None and last < first:
        raise click.BadParameter(f"{last} is before {first}", param_hint="'--to'")
    _must_hold_journal(data)
    made = _answer_of(data, key_store, ExportPart(first, last))
    try:
        if made is None:
            made = _exported(data, key_store, first, last, out)
        else:
            assert isinstance(made, Exported)
            with faults_reported():
                fetch_export(made, data, out)
    except OSError as error:
        message = f"{out} cannot be written: {error.strerror}"
        raise click.BadParameter(message, param_hint="'--out'") from error
    give(exported(made, out), lambda: exported_text(made, out, first, last))


def _export_tables(data: Path, key_store: Path | None, out: Path) -> None:
    """Add what a journal has since the last export to the tables in a directory."""
    try:
        from croupier.analysis.tables import ExportConflictError, export_tables  # noqa: PLC0415 - an optional extra
    except ImportError:
        exit_refused(
            Refusal(Code.COMMAND_FAILED, None, "This needs the extra analytics: pip install 'croupier[analytics]'.")
        )
    with _readable(data, key_store) as journal:
        try:
            made = export_tables(JournalReader(journal.store, journal.verifier, journal.signer), out, read_canonical)
        except ExportConflictError as error:
            exit_refused(Refusal(Code.ALREADY_THERE, None, f"{error}.", {"file": str(out)}))
        except OSError as error:
            message = f"{out} cannot be written: {error.strerror}"
            raise click.BadParameter(message, param_hint="'--parquet'") from error
    counted = ", ".join(f"{name} {number}" for name, number in made.rows.items())
    report = {"directory": str(out), **made._asdict()}
    give(report, lambda: Text(f"Entries {made.first} to {made.last} are in {out}: {counted}."))


def _answer_of(data: Path, key_store: Path | None, request: AnyRequest) -> AnyResponse | None:
    """Send a request to the server that runs on this data; None for a backup, and if none runs."""
    if is_backup(data):
        return None
    with faults_reported():
        return send_request(key_store_of(data, key_store), request, data)


@contextmanager
def _readable(data: Path, key_store: Path | None) -> Iterator[OpenJournal]:
    """Open a journal for reading; one that a server has locked by a copy that the server makes of it."""
    _must_hold_journal(data)
    # A journal in a database can be read at any time.
    locked = data.joinpath(JOURNAL).exists() and _answer_of(data, key_store, CopyJournal()) is not None
    if not locked:
        with opened(data, key_store) as journal:
            yield journal
        return
    with _refused(data):
        signer = key_store_of(data, key_store).signer()
    with faults_reported(), fetched_copy(data) as store, damage_reported():
        check_fence(store, None, signer)
        # The server has just made it: the anchor moves on with the journal meanwhile.
        yield OpenJournal(store, signer.verifier, None, signer)


def _export_entry(data: Path, key_store: Path | None, entry: int, out: Path) -> None:
    """Write the proof of one entry of a journal that no server uses."""
    _must_hold_journal(data)
    with opened(data, key_store) as journal:
        proof = prove_entry(journal.store, journal.verifier, entry)
        if proof is None:
            _nothing_signed(journal, entry)
    try:
        with out.open("xb") as file:
            file.write(proof)
    except OSError as error:
        message = f"{out} cannot be written: {error.strerror}"
        raise click.BadParameter(message, param_hint="'--out'") from error
    give({"file": str(out), "entry": entry}, lambda: Text(f"The proof of entry {entry} is in {out}."))


def _exported(data: Path, key_store: Path | None, first: int, last: int | None, out: Path) -> Exported:
    """Export a part of a journal that no server uses."""
    with opened(data, key_store) as journal:
        part = export_range(journal.store, journal.verifier, first, last)
        if part is None:
            _nothing_signed(journal, last or first)
        if journal.signer is None:
            exit_refused(Refusal(Code.NOTHING_THERE, None, "The key store has no signing key, which an export needs."))
        write_export(journal.store, journal.signer, part, out)
        return Exported(str(out), part.first, part.last, len(part.checkpoints))


def _nothing_signed(journal: OpenJournal, wanted: int) -> NoReturn:
    found = export_range(journal.store, journal.verifier, 1, None)
    signed_to = 0 if found is None else found.last
    message = f"Entry {wanted} is not signed yet: the journal is signed to entry {signed_to}."
    exit_refused(Refusal(Code.NOTHING_THERE, None, message, {"signed_to": signed_to}))


@click.command("replay")
@at_venue
@click.option("--round", "number", type=click.IntRange(min=1), required=True, metavar="N", help="The round's number.")
@click.option("--table", metavar="TABLE", help="The table; the only one by default.")
@json_option
def replay_command(data: Path, number: int, table: str | None, key_store: Path | None) -> None:
    """Write one round of the journal as a .round file, which `croupier round` can play again.

    What a round has no words for stands in comments.
    """
    with opened(data, key_store) as journal:
        plan = floor_names(page.entries for page in JournalReader(journal.store, journal.verifier))
        name = accepted(_chosen(plan.tables, table))
        pages = (page.entries for page in JournalReader(journal.store, journal.verifier))
        written = write_round(pages, read_canonical, naming(plan, name), name, RoundNumber(number))
    if written is None:
        exit_refused(Refusal(Code.UNKNOWN_RECORD, None, f"There was no round {number} at {name}.", {"table": name}))
    text = write_transcript(written)
    played = run_round(text)
    holds = not isinstance(played, Refusal) and played.holds
    give(
        {"table": name, "round": number, "text": text, "holds": holds},
        lambda: round_text(text),
        as_written=True,
    )


def _chosen(tables: list[TableId], wanted: str | None) -> TableId | Refusal:
    if wanted is None and len(tables) == 1:
        return tables[0]
    if wanted in tables:
        return TableId(wanted)
    message = f"Name one of the tables: {', '.join(tables) or 'there are none'}."
    return Refusal(Code.UNKNOWN_TABLE, None, message, {"tables": tuple(tables)})


def _prove(data: Path, key_store: KeyStore) -> None:
    """Verify the whole journal: a start by itself verifies only what came after the last snapshot."""
    with _refused(data):
        verifier, store = key_store.signer().verifier, open_store(data, writing=False)
    with closing(store), damage_reported():
        JournalReader(store, verifier).read_all()


@click.command("recover")
@at_venue
@click.option("--explain", is_flag=True, help="Say for each table what was found, what was done, and by which clause.")
@click.option(
    "--accept-older",
    nargs=3,
    metavar="PERSON PERSON WORDS",
    help="Go on from an older copy of the journal, on the word of two people, and say why.",
)
@json_option
def recover_command(
    data: Path,
    key_store: Path | None,
    explain: bool,  # noqa: FBT001 - click's flag
    accept_older: tuple[str, str, str] | None,
) -> None:
    """Start on a data directory, resolve interrupted rounds, then exit.

    Exits 1 where the journal is not what was written, and 2 where these two may not answer for an older copy: then
    nothing was started.
    """
    _must_hold_journal(data)
    keeper = key_store_of(data, key_store)
    older = (
        RollbackOverride((PersonId(accept_older[0]), PersonId(accept_older[1])), accept_older[2])
        if accept_older
        else None
    )
    _prove(data, keeper)
    with _refused(data), damage_reported():
        run = start(data, keeper, NullOutbox(), older)
        run.stop()
    recovered = Recovered(run)
    give(recovered.report(), lambda: recovered.picture(whole=explain), as_written=True)
