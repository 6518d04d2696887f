"""The command prove: verify a draw from the record of its round."""

from collections.abc import Iterable
from pathlib import Path

import click
import msgspec
from rich.text import Text

from croupier.cli.control import at_data_argument
from croupier.cli.group import json_option
from croupier.cli.journal import opened
from croupier.cli.output import accepted, give
from croupier.engine.projections import JournalReader
from croupier.house.base import Event, RoundEvent
from croupier.house.events.rounds import (
    BallRested,
    DrawCommitted,
    DrawProven,
    ResultDeclared,
    ShareCommitted,
    ShareRevealed,
)
from croupier.house.events.setup import RulebookAdopted, RulebookChanged, TableAdded
from croupier.house.ids import RoundNumber, TableId
from croupier.protocol.outbound import DrawState
from croupier.rulebooks.loader import load_rulebook
from croupier.rules.geometry import Pocket
from croupier.rules.proofs import DrawRecord, is_hex
from croupier.rules.refusal import Code, Refusal


@click.command("prove")
@at_data_argument
@click.option("--table", metavar="TABLE", default="", help="The table, in a journal.")
@click.option("--round", "number", type=click.IntRange(min=1), metavar="N", help="The round, in a journal.")
@json_option
def prove_command(data: Path, table: str, number: int | None, key_store: Path | None) -> None:
    """Verify a drawn number by what was committed to before the bets.

    The number must follow from the secret of the house and the shares of players.

    PATH is the record of a draw in JSON, as the wire carries it, or the data directory of a venue, with --table and
    --round. Exits 1 when the draw is not proven.
    """
    if data.is_file():
        state = accepted(_read(data))
    else:
        with opened(data, key_store) as journal:
            pages = JournalReader(journal.store, journal.verifier)
            events = (entry.event for page in pages for entry in page.entries)
            state = accepted(find_draw(events, TableId(table), RoundNumber(number or 0)))
    record = accepted(draw_record(state))
    problems = list(record.problems())
    shares = len(record.revealed)
    proven = f"Proven: {record.pocket} follows from the secret of the house and {shares} shares of players."
    give(
        {"proven": not problems, "problems": problems, "draw": msgspec.to_builtins(state)},
        lambda: Text("\n".join(problems) or proven),
    )
    if problems:
        raise click.exceptions.Exit(1)


def _read(path: Path) -> DrawState | Refusal:
    try:
        return msgspec.json.decode(path.read_bytes(), type=DrawState)
    except (OSError, msgspec.DecodeError) as error:
        return Refusal(Code.MALFORMED, None, f"{path} is not the record of a draw: {error}.")


def find_draw(events: Iterable[Event], table: TableId, number: RoundNumber) -> DrawState | Refusal:
    """Collect what a journal says of the last draw of a round."""
    found, rulebook, names = None, "", dict[str, str]()
    for event in events:
        if isinstance(event, RulebookAdopted):
            names[event.digest] = event.rulebook
        elif isinstance(event, TableAdded | RulebookChanged) and event.table == table:
            rulebook = names[event.rulebook]
        elif isinstance(event, RoundEvent) and (event.table, event.round) == (table, number):
            if isinstance(event, DrawCommitted):
                found = DrawState(
                    rulebook=rulebook,
                    table=table,
                    round=number,
                    spin=event.spin,
                    commitment=event.commitment,
                    committed={},
                    revealed={},
                )
            elif found is not None:
                found = _with(found, event)
    if found is None:
        says = f"No provable draw of round {number} at table {table or '?'} is in this journal."
        return Refusal(Code.UNKNOWN_RECORD, None, says, {"table": table, "round": number})
    return found


def _with(state: DrawState, event: RoundEvent) -> DrawState:
    """Add an event of the round to what is known of its draw."""
    match event:
        case ShareCommitted(position=position, commitment=commitment):
            return msgspec.structs.replace(state, committed={**state.committed, str(position): commitment})
        case ShareRevealed(position=position, share=share):
            return msgspec.structs.replace(state, revealed={**state.revealed, str(position): share})
        case DrawProven(secret=secret) | BallRested(secret=str(secret)):
            return msgspec.structs.replace(state, secret=secret)
        case ResultDeclared(pocket=pocket):
            return msgspec.structs.replace(state, pocket=pocket)
        case _:
            return state


def draw_record(state: DrawState) -> DrawRecord | Refusal:
    """Check the form of a record, and find the wheel of its rules."""
    rulebook = load_rulebook(state.rulebook)
    if isinstance(rulebook, Refusal):
        return rulebook
    if state.secret is None or state.pocket is None:
        return Refusal(Code.OUT_OF_TURN, None, "The number of this draw does not count: its secret is not revealed.")
    parts = (state.secret, state.commitment, *state.committed.values(), *state.revealed.values())
    if not all(map(is_hex, parts)) or not all(key.isascii() and key.isdigit() for key in _positions(state)):
        return Refusal(Code.MALFORMED, None, "A secret, share or commitment of this record is damaged.")
    return DrawRecord(
        order=rulebook.wheel.order,
        commitment=state.commitment,
        secret=state.secret,
        committed={int(position): each for position, each in state.committed.items()},
        revealed={int(position): each for position, each in state.revealed.items()},
        pocket=Pocket(state.pocket),
    )


def _positions(state: DrawState) -> tuple[str, ...]:
    return (*state.committed, *state.revealed)
