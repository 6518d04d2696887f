"""The command prove: verify a draw by its record and by the journal."""

import re
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import click
import msgspec
from rich.text import Text

from croupier.cli.control import PATH, at_any_venue
from croupier.cli.group import json_option
from croupier.cli.journal import opened
from croupier.cli.output import accepted, give
from croupier.engine.journal_reader import JournalReader
from croupier.house.declare import Event, RoundEvent
from croupier.house.floor.settings import RulebookChanged
from croupier.house.floor.setup import RulebookAdopted, TableAdded
from croupier.house.ids import RoundNumber, TableId
from croupier.house.rounds.closing import BetsSealed
from croupier.house.rounds.draws import DrawCommitted, DrawProven, ShareCommitted, ShareRevealed
from croupier.house.rounds.multipliers import MultiplesDrawn
from croupier.house.rounds.results import BallRested
from croupier.house.rounds.settlement import ResultDeclared
from croupier.journal import verify
from croupier.protocol.outbound import DrawState
from croupier.rulebooks.loader import load_rulebook
from croupier.rules.geometry import Pocket
from croupier.rules.proofs import DrawRecord, Spin, is_hex
from croupier.rules.refusal import Code, Refusal

#: An event with its position in the journal.
Placed = tuple[int, Event]


class FoundDraw(NamedTuple):
    """The last draw of a round as a journal has it, with the entries of its steps."""

    state: DrawState
    #: The entry of the house's commitment, that of the seal, and the last one about the draw.
    committed_at: int
    sealed_at: int | None
    last: int
    #: Whether a share was committed to after the seal, revealed before it or after the multiples.
    out_of_order: bool = False

    def problems(self, signed_to: int) -> Iterator[str]:
        """Say what the journal does not show of the draw."""
        if self.last > signed_to:
            yield f"Entry {self.last} of this draw is not under a signature yet: prove it after the next checkpoint."
        if self.sealed_at is None or self.sealed_at < self.committed_at:
            yield "The house did not commit to its secret before the bets were sealed."
        if self.out_of_order:
            yield "A share was committed to after the seal, or revealed before it, or after the multiples."


@click.command("prove")
@click.argument("file", metavar="[FILE]", type=PATH, required=False)
@at_any_venue
@click.option("--table", metavar="TABLE", default="", help="The table, in a journal.")
@click.option("--round", "number", type=click.IntRange(min=1), metavar="N", help="The round, in a journal.")
@click.option(
    "--journal", type=PATH, metavar="EXPORT", help="The export that a record is compared with, instead of a venue."
)
@click.option("--key", type=PATH, metavar="FILE", help="The venue's public key.")
@json_option
def prove_command(  # noqa: PLR0913, PLR0917 - the options of the command
    file: Path | None,
    data: Path | None,
    table: str,
    number: int | None,
    journal: Path | None,
    key: Path | None,
    key_store: Path | None,
) -> None:
    """Verify a drawn number by what was committed to before the bets were sealed.

    The number must follow from the secret of the house and the shares of players, and the journal must show under the
    venue's signature that all of them were committed to in time.

    FILE is the record of a draw in JSON, as the wire carries it, with a venue or --journal; or what `croupier export`
    wrote, with --table and --round. Without FILE the draw is that of the venue. Exits 1 when the draw is not proven. A
    record alone is never proven: the venue may have invented it afterwards.
    """
    record = accepted(_read(file)) if file is not None and file.is_file() and not zipfile.is_zipfile(file) else None
    where = journal or data if record is not None else file or data
    if record is None and where is None:
        raise click.UsageError("Name a FILE, or the venue by its configuration, '--config', or '--data'.")
    if record is not None:
        table, number = record.table, record.round
    found, problems = None, list[str]()
    if where is not None:
        found, signed_to = _searched(where, key_store, key, TableId(table), RoundNumber(number or 0))
        problems += found.problems(signed_to)
        if record is not None and record != found.state:
            problems.append("The record differs from the journal.")
    state = found.state if record is None and found is not None else record
    assert state is not None
    proof = accepted(draw_record(state))
    problems += proof.problems()
    consistent = not problems
    if found is None:
        problems.append("No journal was given: only its signed entries show that the commitments came before the bets.")
    said = {"proven": not problems, "consistent": consistent, "problems": problems, "draw": msgspec.to_builtins(state)}
    give(said, lambda: Text("\n".join(problems) or _proven(proof, found)))
    if problems:
        raise click.exceptions.Exit(1)


def _proven(proof: DrawRecord, found: FoundDraw | None) -> str:
    assert found is not None
    shares = len(proof.revealed)
    first = (
        f"Proven: {proof.pocket} follows from the secret that the house committed to in entry {found.committed_at}, "
        f"before the seal in entry {found.sealed_at}"
    )
    if shares:
        return f"{first}, and from {shares} shares of players."
    return f"{first}. No player added a share: the house alone chose the secret."


def _read(path: Path) -> DrawState | Refusal:
    try:
        return msgspec.json.decode(path.read_bytes(), type=DrawState)
    except (OSError, ValueError, RecursionError) as error:
        return Refusal(Code.MALFORMED, None, f"{path} is not the record of a draw: {error}.")


def _searched(
    path: Path, key_store: Path | None, key: Path | None, table: TableId, number: RoundNumber
) -> tuple[FoundDraw, int]:
    """Find a draw in a journal that is verified to its end, with the last entry under a signature."""
    if path.is_file():
        return accepted(_exported(path, key, table, number))
    with opened(path, key_store, key) as journal:
        pages = JournalReader(journal.store, journal.verifier)
        entries = ((entry.position, entry.event) for page in pages for entry in page.entries)
        found = find_draw(entries, table, number)
        return accepted(found), pages.signed_to


def _exported(path: Path, key: Path | None, table: TableId, number: RoundNumber) -> tuple[FoundDraw, int] | Refusal:
    """Find a draw in an export, every entry of which is signed; without a key, by the one that it contains."""
    try:
        verify.verify(path, None if key is None else key.read_bytes())
        entries = list(_entries(path))
    except (OSError, zipfile.BadZipFile, verify.WrongError) as error:
        return Refusal(Code.MALFORMED, None, f"{path} is not an export of a journal: {error}.")
    found = find_draw(entries, table, number)
    return found if isinstance(found, Refusal) else (found, entries[-1][0])


def _entries(path: Path) -> Iterator[Placed]:
    for line in verify.entries_in(path):
        entry = msgspec.json.decode(line)
        if entry["event"]["type"] in _TAGS:
            yield entry["position"], msgspec.convert(entry["event"], _STEPS)


_STEPS = (
    RulebookAdopted
    | RulebookChanged
    | TableAdded
    | BallRested
    | BetsSealed
    | DrawCommitted
    | DrawProven
    | MultiplesDrawn
    | ResultDeclared
    | ShareCommitted
    | ShareRevealed
)
_TAGS = frozenset(each.__struct_config__.tag for each in _STEPS.__args__)


def find_draw(entries: Iterable[Placed], table: TableId, number: RoundNumber) -> FoundDraw | Refusal:
    """Collect what a journal says of the last draw of a round."""
    found: FoundDraw | None = None
    rulebook, names = "", dict[str, str]()
    for position, event in entries:
        if isinstance(event, RulebookAdopted):
            names[event.digest] = event.rulebook
        elif isinstance(event, TableAdded | RulebookChanged) and event.table == table:
            rulebook = names.get(event.rulebook, "")
        elif isinstance(event, RoundEvent) and (event.table, event.round) == (table, number):
            if isinstance(event, DrawCommitted):
                found = FoundDraw(_begun(event, rulebook), position, None, position)
            elif found is not None:
                found = _with(found, position, event)
    if found is None:
        message = f"No provable draw of round {number} at table {table or '?'} is in this journal."
        return Refusal(Code.UNKNOWN_RECORD, None, message, {"table": table, "round": number})
    return found


def _begun(event: DrawCommitted, rulebook: str) -> DrawState:
    return DrawState(
        rulebook=rulebook,
        table=event.table,
        round=event.round,
        spin=event.spin,
        commitment=event.commitment,
        committed={},
        revealed={},
    )


def _with(found: FoundDraw, position: int, event: RoundEvent) -> FoundDraw:
    """Add an event of the round to what is known of its draw."""
    state, sealed, wrong = found.state, found.sealed_at is not None, False
    changes: dict[str, object]
    match event:
        case BetsSealed(spin=spin) if spin == state.spin:
            return found._replace(sealed_at=position, last=position)
        case ShareCommitted(position=seat, commitment=commitment):
            changes, wrong = {"committed": {**state.committed, str(seat): commitment}}, sealed
        case ShareRevealed(position=seat, share=share):
            # A share that is revealed after the multiples could have been chosen by them.
            changes, wrong = {"revealed": {**state.revealed, str(seat): share}}, not sealed or bool(state.multiples)
        case MultiplesDrawn(spin=spin, multiples=multiples) if spin == state.spin:
            changes, wrong = {"multiples": dict(multiples)}, not sealed
        case DrawProven(secret=secret) | BallRested(secret=str(secret)):
            changes = {"secret": secret}
        case ResultDeclared(pocket=pocket):
            changes = {"pocket": pocket}
        case _:
            return found
    state = msgspec.structs.replace(state, **changes)
    return found._replace(state=state, last=position, out_of_order=found.out_of_order or wrong)


def draw_record(state: DrawState) -> DrawRecord | Refusal:
    """Check the form of a record, and find the wheel of its rules."""
    rulebook = load_rulebook(state.rulebook)
    if isinstance(rulebook, Refusal):
        return rulebook
    if state.secret is None or state.pocket is None:
        return Refusal(Code.OUT_OF_TURN, None, "The number of this draw does not count: its secret is not revealed.")
    parts = (state.secret, state.commitment, *state.committed.values(), *state.revealed.values())
    if not all(map(is_hex, parts)) or not all(_is_position(key) for key in (*state.committed, *state.revealed)):
        return Refusal(Code.MALFORMED, None, "A secret, share or commitment of this record is damaged.")
    return DrawRecord(
        order=rulebook.wheel.order,
        spin=Spin(state.table, state.round, state.spin),
        commitment=state.commitment,
        secret=state.secret,
        committed={int(position): each for position, each in state.committed.items()},
        revealed={int(position): each for position, each in state.revealed.items()},
        pocket=Pocket(state.pocket),
        multipliers=rulebook.paytable.multipliers,
        multiples={Pocket(pocket): pays for pocket, pays in state.multiples.items()},
    )


def _is_position(text: str) -> bool:
    """Return whether a text is the number of a position: Python converts no text of thousands of figures."""
    return re.fullmatch("[0-9]{1,16}", text) is not None
