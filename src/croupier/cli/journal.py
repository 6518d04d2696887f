"""The commands about a journal on disk: audited, exported, a round of it written down, and recovered."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple, NoReturn

import click

from croupier.cli import evidence
from croupier.cli.answer import accepted, console, give, json_option, refuse
from croupier.cli.place import PATH, at_data_argument, safe_of
from croupier.cli.running import asked, told
from croupier.engine.archive import JOURNAL, RESTORING, unfinished_exchange
from croupier.engine.audit import audit
from croupier.engine.handover import Override
from croupier.engine.port import Nobody
from croupier.engine.start import start
from croupier.house.name import PersonId, RoundNumber, TableId
from croupier.journal.anchor import Anchored, check_anchor, check_fence, newest_of
from croupier.journal.export import enclosing
from croupier.journal.fault import Damaged, InUse, JournalFault, NothingLost, SafeInUse, WordRefused
from croupier.journal.proof import proven
from croupier.journal.safe import Safe
from croupier.journal.signature import Signer, Verifier
from croupier.journal.sqlite import SqliteStore
from croupier.journal.witness import check_witnessed
from croupier.journal.witness import read as read_heads
from croupier.rounds.naming import naming, survey
from croupier.rounds.run import run_round
from croupier.rounds.written import write_round
from croupier.rulebooks.canonical import read_canonical
from croupier.rules.refusal import Code, Refusal
from croupier.rules.transcript import write_transcript
from croupier.upkeep.answer import Exported
from croupier.upkeep.exchange import UNCHANGED
from croupier.upkeep.export import fetch_export, write_export
from croupier.upkeep.request import ExportPart


class Opened(NamedTuple):
    """A journal that was opened to be read and held against its anchor, where there is one."""

    store: SqliteStore
    verifier: Verifier
    #: The anchor's notes; None where there is no safe to hold the journal against.
    notes: list[Anchored | None] | None
    #: The venue's key, where the safe is there and holds it; it tells the venue's own pages before they are signed.
    signer: Signer | None


@contextmanager
def opened(data: Path, safe: Path | None, key: Path | None = None) -> Iterator[Opened]:
    """Open a data directory to be read, and leave no trace in it; what is damaged is told, with exit code 1."""
    _must_hold_journal(data)
    with _refused(data):
        keeper = safe_of(data, safe)
        verifier = keeper.verifier() if key is None else _key(key)
        anchored = safe is not None or key is None
        signer = keeper.signer() if anchored and keeper.holds_key else None
        store = SqliteStore(data / JOURNAL, writing=False)
    with closing(store), told_damage():
        notes = keeper.anchored() if anchored else None
        if notes is not None:
            check_anchor(store, newest_of(notes))
        check_fence(store, None if notes is None else newest_of(notes), signer)
        yield Opened(store, verifier, notes, signer)


def _must_hold_journal(data: Path) -> None:
    """Refuse a directory without a journal, and one in which a restore was cut short; say where one was completed."""
    with _refused(data):
        exchange = unfinished_exchange(data)
    if exchange is not None and not exchange.is_done(data):
        refuse(Refusal(Code.COMMAND_FAILED, None, _sentence(exchange.says(data)), {"file": str(data)}))
    if exchange is not None:
        console(stderr=True).print(f"Note: {exchange.says(data)}.")
    elif data.joinpath(RESTORING).exists():
        console(stderr=True).print(f"Note: {UNCHANGED} {data / RESTORING} is only a copy: the next restore removes it.")
    if not (data / JOURNAL).is_file():
        refuse(Refusal(Code.NOTHING_THERE, None, f"There is no journal in {data}.", {"file": str(data)}))


def _sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}."


def _key(path: Path) -> Verifier:
    return Verifier.read(_content(path))


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
    except SafeInUse as fault:
        refuse(Refusal(Code.BUSY, None, _sentence(str(fault)), {"file": str(data)}))
    except InUse:
        says = f"The journal in {data} is in use by a running system: stop it first, or look at a copy."
        refuse(Refusal(Code.BUSY, None, says, {"file": str(data)}))
    except WordRefused as fault:
        refuse(fault.refusal)
    except NothingLost as fault:
        refuse(Refusal(Code.ALREADY_THERE, None, f"{str(fault).capitalize()}.", {"file": str(data)}))
    except JournalFault as fault:
        refuse(Refusal(Code.MALFORMED, None, f"{data} cannot be opened: {fault}.", {"file": str(data)}))


@contextmanager
def told_damage() -> Iterator[None]:
    """Tell a journal's damage, and leave with exit code 1."""
    try:
        yield
    except (InUse, NothingLost, WordRefused):
        raise
    except JournalFault as fault:
        position, words = (fault.position, fault.words) if isinstance(fault, Damaged) else (None, str(fault))
        evidence.damaged(words, position)


@click.command("audit")
@at_data_argument
@click.option("--key", type=PATH, metavar="PUBLIC.pem", help="The venue's public key alone.")
@click.option("--witness", type=PATH, metavar="FILE", help="Heads that a witness has kept off the host.")
@json_option
def audit_command(data: Path, safe: Path | None, key: Path | None, witness: Path | None) -> None:
    """Read a journal from its first entry and hold everything in it against everything else.

    PATH is a data directory. Nothing in it changes. Exits 1 where the journal is not what was written, and names the
    first entry that is wrong.
    """
    with opened(data, safe, key) as journal:
        newest = None if journal.notes is None else newest_of(journal.notes)
        heads = None if witness is None else read_heads(_content(witness), journal.verifier)
        check_witnessed(journal.store, heads or ())
        found = audit(journal.store, journal.verifier, read_canonical, newest, journal.signer)
        about = evidence.Audited(found, journal.notes, journal.signer is not None, heads)
        give(about.report(), about.picture)


@click.command("export")
@at_data_argument
@click.option("--out", type=PATH, metavar="FILE", required=True, help="The bundle to write.")
@click.option("--from", "first", type=click.IntRange(min=1), default=1, metavar="N", help="The first entry.")
@click.option(
    "--to", "last", type=click.IntRange(min=1), metavar="N", help="The last entry; the last signed one unless given."
)
@json_option
def export_command(data: Path, out: Path, first: int, last: int | None, safe: Path | None) -> None:
    """Write a part of a journal as one file that anybody can verify, also while a system runs on it.

    The part begins after a signature and ends at one: it is made longer where it would not. The file holds verify.py,
    which needs nothing of Croupier.
    """
    if last is not None and last < first:
        raise click.BadParameter(f"{last} is before {first}", param_hint="'--to'")
    _must_hold_journal(data)
    with told():
        made = asked(safe_of(data, safe), ExportPart(first, last), data)
    try:
        if made is None:
            made = _exported(data, safe, first, last, out)
        else:
            assert isinstance(made, Exported)
            fetch_export(made, out)
    except OSError as error:
        message = f"{out} cannot be written: {error.strerror}"
        raise click.BadParameter(message, param_hint="'--out'") from error
    give(evidence.exported(made, out), lambda: evidence.exported_text(made, out, first, last))


def _exported(data: Path, safe: Path | None, first: int, last: int | None, out: Path) -> Exported:
    """Export a part of a journal on which no system runs."""
    with opened(data, safe) as journal:
        part = enclosing(journal.store, journal.verifier, first, last)
        if part is None:
            _nothing_signed(journal, last or first)
        write_export(journal.store, accepted(_signing(journal)), part, out)
        return Exported(str(out), part.first, part.last, len(part.checkpoints))


def _signing(journal: Opened) -> Signer | Refusal:
    says = "The safe has no signing key, and the venue must sign what it hands out."
    return journal.signer or Refusal(Code.NOTHING_THERE, None, says)


def _nothing_signed(journal: Opened, wanted: int) -> NoReturn:
    found = enclosing(journal.store, journal.verifier, 1, None)
    signed_to = 0 if found is None else found.last
    says = f"Entry {wanted} stands under no signature: the journal is signed to entry {signed_to}."
    refuse(Refusal(Code.NOTHING_THERE, None, says, {"signed_to": signed_to}))


@click.command("replay")
@at_data_argument
@click.option("--round", "number", type=click.IntRange(min=1), required=True, metavar="N", help="The round's number.")
@click.option("--table", metavar="TABLE", help="The table; the only one unless given.")
@json_option
def replay_command(data: Path, number: int, table: str | None, safe: Path | None) -> None:
    """Write one round of the journal as a .round file, which `croupier round` can play again.

    What a round has no words for stands in comments.
    """
    with opened(data, safe) as journal:
        plan = survey(sheet.entries for sheet in proven(journal.store, journal.verifier))
        name = accepted(_chosen(plan.tables, table))
        pages = (sheet.entries for sheet in proven(journal.store, journal.verifier))
        written = write_round(pages, read_canonical, naming(plan, name), name, RoundNumber(number))
    if written is None:
        refuse(Refusal(Code.UNKNOWN_RECORD, None, f"There was no round {number} at {name}.", {"table": name}))
    text = write_transcript(written)
    played = run_round(text)
    holds = not isinstance(played, Refusal) and played.holds
    give(
        {"table": name, "round": number, "text": text, "holds": holds},
        lambda: evidence.round_text(text),
        as_written=True,
    )


def _chosen(tables: list[TableId], wanted: str | None) -> TableId | Refusal:
    if wanted is None and len(tables) == 1:
        return tables[0]
    if wanted in tables:
        return TableId(wanted)
    says = f"Name one of the tables: {', '.join(tables) or 'there are none'}."
    return Refusal(Code.UNKNOWN_TABLE, None, says, {"tables": tuple(tables)})


def _prove(data: Path, safe: Safe) -> None:
    """Prove the whole journal: a start by itself proves what came after the last snapshot."""
    with _refused(data):
        verifier, store = safe.signer().verifier, SqliteStore(data / JOURNAL, writing=False)
    with closing(store), told_damage():
        for _ in proven(store, verifier):
            pass


@click.command("recover")
@at_data_argument
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
    safe: Path | None,
    explain: bool,  # noqa: FBT001 - click's flag
    accept_older: tuple[str, str, str] | None,
) -> None:
    """Start the house on a data directory, have every round that was running decided, and stop again.

    Exits 1 where the journal is not what was written, and 2 where these two may not answer for an older copy: then
    nothing was started.
    """
    _must_hold_journal(data)
    keeper = safe_of(data, safe)
    older = Override((PersonId(accept_older[0]), PersonId(accept_older[1])), accept_older[2]) if accept_older else None
    _prove(data, keeper)
    with _refused(data), told_damage():
        run = start(data, keeper, Nobody(), older)
        run.stop()
    recovered = evidence.Recovered(run)
    give(recovered.report(), lambda: recovered.picture(whole=explain), as_written=True)
